//! What the original was told is understood, or refused, in the same words.

use super::capture::{Capture, all, open};
use warwolf_compat::httperf::{Usage, parse};

/// Captures to which ours answers otherwise, and why.
const OTHERWISE: [(&str, &str); 20] = [
    ("245_ssl12_cipher_nomatch", "a failed handshake is counted and does not end the run"),
    ("02_version", "the version is all that is printed, as in the successor"),
    ("230_short_group", "the version is all that is printed, as in the successor"),
    ("104_wsesslog_empty", "the original dies; ours says what is missing"),
    ("177_ssl_refused", "a failed handshake is counted and does not end the run"),
    ("178_ssl_to_plain", "a failed handshake is counted and does not end the run"),
    ("git32_verify", "a failed handshake is counted and does not end the run"),
    ("182_runtime_090", "an option of the successor"),
    ("125_period_v_090", "an option of the successor"),
    ("188_badserver", "found when the run begins"),
    ("224_ipv6", "IPv6 is spoken"),
    ("233_wsess_and_wsesslog", "the original runs out of handlers; ours names the options"),
    ("205e_wsesspage_rel", "the original leaves out the line end"),
    ("48_wset_overflow", "there is no such limit"),
    ("75_maxconns_5", "there is no such limit"),
    ("76_maxpiped_33", "there is no such limit"),
    ("git30_sni_before", "the order of options does not matter"),
    ("git34_sslv3", "said with a remedy"),
    ("53_addhdr_oct8", "the note on stderr is the same, the bytes are tried elsewhere"),
    ("git35_clientcert", "names its files only when the run begins"),
];

fn is_otherwise(capture: &Capture) -> bool {
    OTHERWISE.iter().any(|(name, _)| *name == capture.name)
}

/// The exit code of a run that the harness ended, and those of an abort and a segmentation fault.
const RAN: [i32; 4] = [0, 124, 134, 139];

#[test]
fn every_exception_is_a_capture() {
    let captures = all();
    for (name, _) in OTHERWISE {
        assert!(captures.iter().any(|capture| capture.name == name), "{name}");
    }
}

#[test]
fn what_the_original_refused_is_refused_in_its_words() {
    let mut seen = 0;
    for capture in all().iter().filter(|capture| !is_otherwise(capture) && !RAN.contains(&capture.code)) {
        let Some(words) = &capture.words else { continue };
        let refused = parse(words, &open).err();
        let expected = Usage {
            stdout: capture.stdout.lines().take(1).flat_map(|line| [line, "\n"]).collect(),
            stderr: capture.stderr.clone(),
            code: u8::try_from(capture.code).unwrap(),
        };
        // The options of the successor were echoed only by itself.
        let expected = Usage { stdout: expected.stdout.replace(" --ssl-protocol=auto", ""), ..expected };
        assert_eq!(refused, Some(expected), "{}", capture.name);
        seen += 1;
    }
    assert!(seen >= 36, "{seen} captures");
}

#[test]
fn what_the_original_ran_is_run_and_echoed_in_its_words() {
    let mut seen = 0;
    for capture in all().iter().filter(|capture| !is_otherwise(capture) && RAN.contains(&capture.code)) {
        let Some(words) = &capture.words else { continue };
        let (echo, notes) = match parse(words, &open) {
            Ok(classic) => {
                classic.plan.clone().check().unwrap_or_else(|error| panic!("{}: {error}", capture.name));
                (classic.style.opening(1024), classic.style.notes().to_owned())
            }
            // Nothing to do is done at once.
            Err(usage) if usage.code == 0 => (usage.stdout, usage.stderr),
            Err(usage) => panic!("{}: {usage:?}", capture.name),
        };
        // An abort loses what was printed before it.
        if let Some(line) = capture.stdout.lines().next().filter(|line| line.contains(" --client=")) {
            let protocol =
                line.split(' ').find(|word| word.starts_with("--ssl-protocol=")).unwrap_or_default();
            let line = line.replace(protocol, "").replace("  ", " ");
            let line = if protocol.ends_with("auto") || protocol.is_empty() {
                line
            } else {
                line.replace("--recv-buffer=16384 ", "--recv-buffer=16384 --ssl ")
                    .replace("--ssl --ssl", "--ssl")
            };
            assert_eq!(echo.lines().next(), Some(line.as_str()), "{}", capture.name);
            seen += 1;
        }
        for note in notes
            .lines()
            .filter(|note| !note.contains("no option, ignored") && !note.contains("can be chosen"))
        {
            let has_it = capture.stderr.lines().any(|line| line == note) || note.contains("taken by lines");
            assert!(has_it, "{}: {note}", capture.name);
        }
    }
    assert!(seen >= 150, "{seen} captures");
}
