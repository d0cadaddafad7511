//! Parses arguments into options by the rules of the C library's `getopt_long`: abbreviations, `=` or a space, groups
//! of short options.
//!
//! The options of 0.9.0 take precedence: an abbreviation that is unique among them keeps its meaning.

use super::Usage;

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    AddHeader,
    AddHeaderFile,
    BurstLength,
    Client,
    CloseWithReset,
    Debug,
    FailureStatus,
    Help,
    Hog,
    HttpVersion,
    Idle,
    MaxConnections,
    MaxPipedCalls,
    Method,
    MyAddress,
    NoHostHeader,
    NumCalls,
    NumConns,
    Period,
    PeriodicStats,
    Port,
    PrintReply,
    PrintRequest,
    Rate,
    RecvBuffer,
    RetryOnFailure,
    Runtime,
    SendBuffer,
    Server,
    ServerName,
    Servers,
    SessionCookies,
    Ssl,
    SslCaFile,
    SslCaPath,
    SslCertificate,
    SslCiphers,
    SslKey,
    SslNoReuse,
    SslProtocol,
    SslVerify,
    ThinkTimeout,
    Timeout,
    TlsServerName,
    Uri,
    UseTimerCache,
    UserAgent,
    Verbose,
    Version,
    Wlog,
    Wsess,
    Wsesslog,
    Wsesspage,
    Wset,
}

/// Whether an option takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    Argument,
    /// Optional, and only with `=`.
    Perhaps,
}

use Takes::{Argument, Nothing, Perhaps};

/// The options of 0.9.0, in the order of its usage text.
const CLASSIC: [(&str, Takes, Word); 39] = [
    ("add-header", Argument, Word::AddHeader),
    ("burst-length", Argument, Word::BurstLength),
    ("client", Argument, Word::Client),
    ("close-with-reset", Nothing, Word::CloseWithReset),
    ("debug", Argument, Word::Debug),
    ("failure-status", Argument, Word::FailureStatus),
    ("help", Nothing, Word::Help),
    ("hog", Nothing, Word::Hog),
    ("http-version", Argument, Word::HttpVersion),
    ("max-connections", Argument, Word::MaxConnections),
    ("max-piped-calls", Argument, Word::MaxPipedCalls),
    ("method", Argument, Word::Method),
    ("no-host-hdr", Nothing, Word::NoHostHeader),
    ("num-calls", Argument, Word::NumCalls),
    ("num-conns", Argument, Word::NumConns),
    ("period", Argument, Word::Period),
    ("port", Argument, Word::Port),
    ("print-reply", Perhaps, Word::PrintReply),
    ("print-request", Perhaps, Word::PrintRequest),
    ("rate", Argument, Word::Rate),
    ("recv-buffer", Argument, Word::RecvBuffer),
    ("retry-on-failure", Nothing, Word::RetryOnFailure),
    ("send-buffer", Argument, Word::SendBuffer),
    ("server", Argument, Word::Server),
    ("server-name", Argument, Word::ServerName),
    ("session-cookies", Nothing, Word::SessionCookies),
    ("ssl", Nothing, Word::Ssl),
    ("ssl-ciphers", Argument, Word::SslCiphers),
    ("ssl-no-reuse", Nothing, Word::SslNoReuse),
    ("think-timeout", Argument, Word::ThinkTimeout),
    ("timeout", Argument, Word::Timeout),
    ("uri", Argument, Word::Uri),
    ("verbose", Nothing, Word::Verbose),
    ("version", Nothing, Word::Version),
    ("wlog", Argument, Word::Wlog),
    ("wsess", Argument, Word::Wsess),
    ("wsesslog", Argument, Word::Wsesslog),
    ("wsesspage", Argument, Word::Wsesspage),
    ("wset", Argument, Word::Wset),
];

/// Options added after 0.9.0, including the additions `idle` and `user-agent`.
const LATER: [(&str, Takes, Word); 17] = [
    ("add-header-file", Argument, Word::AddHeaderFile),
    ("idle", Argument, Word::Idle),
    ("myaddr", Argument, Word::MyAddress),
    ("periodic-stats", Nothing, Word::PeriodicStats),
    ("runtime", Argument, Word::Runtime),
    ("servers", Argument, Word::Servers),
    ("ssl-ca-file", Argument, Word::SslCaFile),
    ("ssl-ca-path", Argument, Word::SslCaPath),
    ("ssl-cert", Argument, Word::SslCertificate),
    ("ssl-certificate", Argument, Word::SslCertificate),
    ("ssl-key", Argument, Word::SslKey),
    ("ssl-protocol", Argument, Word::SslProtocol),
    ("ssl-verify", Perhaps, Word::SslVerify),
    ("tls-server-name", Argument, Word::TlsServerName),
    ("use-timer-cache", Nothing, Word::UseTimerCache),
    ("user-agent", Argument, Word::UserAgent),
    ("server_name", Argument, Word::ServerName),
];

/// An option as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) name: Word,
    /// Its argument; empty without one.
    pub(super) value: String,
}

/// Splits `words`, without the program's name, into options in order and other arguments.
///
/// # Errors
/// At the first option that is unknown, ambiguous, or lacks its argument, with the message of the C library.
pub(super) fn sort(program: &str, words: &[String]) -> Result<(Vec<Given>, Vec<String>), Usage> {
    let wrong = |text: String| Usage::failed(format!("{program}: {text}\n"));
    let (mut given, mut others) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            others.extend(words.by_ref().cloned());
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, attached) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let (name, takes, full) = find(name, long).map_err(wrong)?;
            let value = match (takes, attached) {
                (Nothing, Some(_)) => {
                    return Err(wrong(format!("option '--{full}' doesn't allow an argument")));
                }
                (Argument, None) => match words.next() {
                    Some(value) => value.clone(),
                    None => return Err(wrong(format!("option '--{full}' requires an argument"))),
                },
                (_, value) => value.unwrap_or_default().to_owned(),
            };
            given.push(Given { name, value });
        } else if word.len() > 1 && word.starts_with('-') {
            group(&word[1..], &mut words, &mut given).map_err(wrong)?;
        } else {
            others.push(word.clone());
        }
    }
    Ok((given, others))
}

/// Parses short options that share a dash.
fn group<'a>(
    letters: &str,
    words: &mut impl Iterator<Item = &'a String>,
    given: &mut Vec<Given>,
) -> Result<(), String> {
    for (at, letter) in letters.char_indices() {
        let name = match letter {
            'h' => Word::Help,
            'n' => Word::PeriodicStats,
            'v' => Word::Verbose,
            'V' => Word::Version,
            'd' => {
                let rest = &letters[at + 1..];
                let value = match rest.is_empty() {
                    true => words.next().ok_or("option requires an argument -- 'd'")?.clone(),
                    false => rest.to_owned(),
                };
                given.push(Given { name: Word::Debug, value });
                return Ok(());
            }
            other => return Err(format!("invalid option -- '{other}'")),
        };
        given.push(Given { name, value: String::new() });
    }
    Ok(())
}

/// Finds the option that `typed` names or abbreviates; messages quote `word`.
fn find(typed: &str, word: &str) -> Result<(Word, Takes, &'static str), String> {
    let all = || CLASSIC.iter().chain(&LATER);
    if let Some((full, takes, name)) = all().find(|(full, ..)| *full == typed) {
        return Ok((*name, *takes, full));
    }
    for table in [&CLASSIC[..], &LATER[..]] {
        let fits: Vec<_> = table.iter().filter(|(full, ..)| full.starts_with(typed)).collect();
        match fits[..] {
            [] => {}
            [(full, takes, name)] => return Ok((*name, *takes, full)),
            // Several spellings of one option are not ambiguous.
            [(full, takes, name), ..] if fits.iter().all(|fit| fit.2 == *name) => {
                return Ok((*name, *takes, full));
            }
            _ => {
                let names: String = fits.iter().map(|(full, ..)| format!(" '--{full}'")).collect();
                return Err(format!("option '--{word}' is ambiguous; possibilities:{names}"));
            }
        }
    }
    Err(format!("unrecognized option '--{word}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn names(text: &str) -> Vec<(Word, String)> {
        let (given, _) = sort("httperf", &words(text)).unwrap();
        given.into_iter().map(|given| (given.name, given.value)).collect()
    }

    fn refusal(text: &str) -> String {
        sort("httperf", &words(text)).unwrap_err().stderr
    }

    /// The shortest prefixes that were unique in 0.9.0, and their options.
    #[test]
    fn every_abbreviation_of_the_original_means_what_it_meant() {
        let rows = "a add-header, b burst-length, cli client, clo close-with-reset, d debug, f failure-status, he help, \
             ho hog, ht http-version, max-c max-connections, max-p max-piped-calls, me method, no no-host-hdr, \
             num-ca num-calls, num-co num-conns, pe period, po port, print-rep print-reply, print-req print-request, \
             ra rate, rec recv-buffer, ret retry-on-failure, sen send-buffer, server server, server- server-name, \
             ses session-cookies, ssl ssl, ssl-c ssl-ciphers, ssl-n ssl-no-reuse, th think-timeout, ti timeout, u uri, \
             verb verbose, vers version, wl wlog, wsess wsess, wsessl wsesslog, wsessp wsesspage, wset wset";
        let mut seen = 0;
        for row in rows.split(", ") {
            let (short, long) = row.split_once(' ').unwrap();
            let expected = CLASSIC.iter().find(|(full, ..)| *full == long).unwrap().2;
            assert_eq!(names(&format!("--{short} x"))[0].0, expected, "--{short}");
            seen += 1;
        }
        assert_eq!(seen, CLASSIC.len());
    }

    #[test]
    fn what_came_later_has_the_names_that_were_free() {
        assert_eq!(names("--run 3"), [(Word::Runtime, "3".to_owned())]);
        assert_eq!(names("--servers f"), [(Word::Servers, "f".to_owned())]);
        assert_eq!(names("--ssl-cert f"), [(Word::SslCertificate, "f".to_owned())]);
        assert_eq!(names("--ssl-certi f"), [(Word::SslCertificate, "f".to_owned())]);
        assert_eq!(names("--server_name f"), [(Word::ServerName, "f".to_owned())]);
        assert_eq!(names("--periodi"), [(Word::PeriodicStats, String::new())]);
        assert_eq!(names("--i spin"), [(Word::Idle, "spin".to_owned())]);
    }

    #[test]
    fn words_are_sorted_as_the_c_library_sorts_them() {
        assert_eq!(
            names("-vVd5 -d 6 --print-reply header --print-req=b"),
            [
                (Word::Verbose, String::new()),
                (Word::Version, String::new()),
                (Word::Debug, "5".to_owned()),
                (Word::Debug, "6".to_owned()),
                (Word::PrintReply, String::new()),
                (Word::PrintRequest, "b".to_owned()),
            ]
        );
        let (given, others) = sort("httperf", &words("http://a/ --hog - x -- --port 1")).unwrap();
        assert_eq!((given.len(), others), (1, words("http://a/ - x --port 1")));
    }

    #[test]
    fn what_is_wrong_is_said_in_the_c_librarys_words() {
        let rows = [
            ("--bogus", "unrecognized option '--bogus'"),
            ("--bogus=1", "unrecognized option '--bogus=1'"),
            ("--ser x", "option '--ser' is ambiguous; possibilities: '--server' '--server-name'"),
            ("--c=1", "option '--c=1' is ambiguous; possibilities: '--client' '--close-with-reset'"),
            ("--server", "option '--server' requires an argument"),
            ("--serv", "option '--serv' is ambiguous; possibilities: '--server' '--server-name'"),
            ("--no=1", "option '--no-host-hdr' doesn't allow an argument"),
            ("-server", "invalid option -- 's'"),
            ("-v5", "invalid option -- '5'"),
            ("-d", "option requires an argument -- 'd'"),
        ];
        for (text, expected) in rows {
            assert_eq!(refusal(text), format!("httperf: {expected}\n"), "{text}");
        }
    }
}
