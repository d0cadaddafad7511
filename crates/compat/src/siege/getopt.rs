//! Parses options as GNU `getopt_long` does: in any order, bundled, and abbreviated as long as they are unambiguous.
//!
//! An unknown option causes a usage error and is skipped; siege runs all the same.

/// Whether an option has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Never.
    Nothing,
    /// Always: the rest of the argument, or the next argument.
    Value,
    /// Only when it is attached.
    Attached,
}

/// One option of a command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<T> {
    /// The meaning of the option.
    pub(super) means: T,
    /// The short option, if there is one.
    pub(super) short: Option<char>,
    /// The long option without its dashes.
    pub(super) long: &'static str,
    /// Whether it has a value.
    pub(super) takes: Takes,
    /// Whether the long option may be abbreviated. Options added by warwolf may not, so that they make none of siege's
    /// ambiguous.
    pub(super) shortens: bool,
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words<T> {
    /// Options in the order given, with their values.
    pub(super) options: Vec<(T, Option<String>)>,
    /// Arguments that are not options, in the order given.
    pub(super) others: Vec<String>,
    /// Usage errors, one line each, without line ends.
    pub(super) errors: Vec<String>,
}

/// Parses `argv`; its first element is the program's name, which begins every message.
pub(super) fn getopt<T: Copy>(table: &[Choice<T>], argv: &[String]) -> Words<T> {
    let program = argv.first().map_or("siege", String::as_str);
    let mut words = Words { options: Vec::new(), others: Vec::new(), errors: Vec::new() };
    let mut rest = argv.iter().skip(1);
    while let Some(word) = rest.next() {
        if word == "--" {
            words.others.extend(rest.cloned());
            break;
        }
        let outcome = if let Some(long) = word.strip_prefix("--") {
            long_option(table, long, &mut rest).map(|option| words.options.push(option))
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            short_options(table, letters, &mut rest, &mut words.options)
        } else {
            words.others.push(word.clone());
            Ok(())
        };
        if let Err(error) = outcome {
            words.errors.push(format!("{program}: {error}"));
        }
    }
    words
}

type Rest<'a> = std::iter::Skip<std::slice::Iter<'a, String>>;

fn long_option<T: Copy>(
    table: &[Choice<T>],
    word: &str,
    rest: &mut Rest<'_>,
) -> Result<(T, Option<String>), String> {
    let (name, attached) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (word, None),
    };
    let choice = find(table, name).map_err(|problem| match problem {
        Problem::Unknown => format!("unrecognized option '--{word}'"),
        Problem::Ambiguous(names) => {
            let names: Vec<String> = names.iter().map(|name| format!(" '--{name}'")).collect();
            format!("option '--{word}' is ambiguous; possibilities:{}", names.concat())
        }
    })?;
    let long = choice.long;
    match (choice.takes, attached) {
        (Takes::Nothing, Some(_)) => Err(format!("option '--{long}' doesn't allow an argument")),
        (Takes::Value, None) => match rest.next() {
            Some(value) => Ok((choice.means, Some(value.clone()))),
            None => Err(format!("option '--{long}' requires an argument")),
        },
        (_, attached) => Ok((choice.means, attached)),
    }
}

enum Problem {
    Unknown,
    Ambiguous(Vec<&'static str>),
}

/// Finds the option with this name, or the only one that begins with it.
fn find<'t, T>(table: &'t [Choice<T>], name: &str) -> Result<&'t Choice<T>, Problem> {
    if let Some(choice) = table.iter().find(|choice| choice.long == name) {
        return Ok(choice);
    }
    let begins = |choice: &&Choice<T>| choice.shortens && choice.long.starts_with(name);
    let mut candidates = table.iter().filter(begins);
    match (candidates.next(), candidates.next()) {
        (None, _) => Err(Problem::Unknown),
        (Some(only), None) => Ok(only),
        _ => Err(Problem::Ambiguous(table.iter().filter(begins).map(|choice| choice.long).collect())),
    }
}

fn short_options<T: Copy>(
    table: &[Choice<T>],
    letters: &str,
    rest: &mut Rest<'_>,
    options: &mut Vec<(T, Option<String>)>,
) -> Result<(), String> {
    let mut error = Ok(());
    for (at, letter) in letters.char_indices() {
        let Some(choice) = table.iter().find(|choice| choice.short == Some(letter)) else {
            error = Err(format!("invalid option -- '{letter}'"));
            continue;
        };
        let attached = &letters[at + letter.len_utf8()..];
        match choice.takes {
            Takes::Nothing => options.push((choice.means, None)),
            Takes::Attached => {
                options.push((choice.means, Some(attached).filter(|v| !v.is_empty()).map(str::to_owned)));
                break;
            }
            Takes::Value if !attached.is_empty() => {
                options.push((choice.means, Some(attached.to_owned())));
                break;
            }
            Takes::Value => {
                match rest.next() {
                    Some(value) => options.push((choice.means, Some(value.clone()))),
                    None => error = Err(format!("option requires an argument -- '{letter}'")),
                }
                break;
            }
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn choice(means: u8, short: Option<char>, long: &'static str, takes: Takes) -> Choice<u8> {
        Choice { means, short, long, takes, shortens: true }
    }

    const TABLE: [Choice<u8>; 6] = [
        choice(b'C', Some('C'), "config", Takes::Nothing),
        choice(b'c', Some('c'), "concurrent", Takes::Value),
        choice(b'l', Some('l'), "log", Takes::Attached),
        choice(b'v', Some('v'), "verbose", Takes::Nothing),
        choice(b'N', None, "no-parser", Takes::Nothing),
        Choice { means: b'x', short: None, long: "no-verdict", takes: Takes::Nothing, shortens: false },
    ];

    fn found(line: &str) -> (String, Vec<String>, Vec<String>) {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let words = getopt(&TABLE, &argv);
        let options: Vec<String> = words
            .options
            .iter()
            .map(|(means, value)| match value {
                Some(value) => format!("{}={value}", char::from(*means)),
                None => char::from(*means).to_string(),
            })
            .collect();
        (options.join(" "), words.others, words.errors)
    }

    #[test]
    fn options_and_words_come_in_any_order() {
        let rows = [
            ("siege -c5 url -v", "c=5 v", "url"),
            ("siege -c 5 url", "c=5", "url"),
            ("siege -vc5 url", "v c=5", "url"),
            ("siege -vc 5 url", "v c=5", "url"),
            ("siege -lfile url", "l=file", "url"),
            ("siege -l file url", "l", "file url"),
            ("siege --log=file url", "l=file", "url"),
            ("siege --log file", "l", "file"),
            ("siege --conc=2 a --verb b", "c=2 v", "a b"),
            ("siege --concurrent 2", "c=2", ""),
            ("siege -v -- -c 5", "v", "-c 5"),
            ("siege - -v", "v", "-"),
            ("siege -c -5", "c=-5", ""),
            ("siege --no --no-verdict", "N x", ""),
        ];
        for (line, options, others) in rows {
            let (found_options, found_others, errors) = found(line);
            assert_eq!(
                (found_options.as_str(), found_others.join(" ").as_str()),
                (options, others),
                "{line}"
            );
            assert_eq!(errors, [""; 0], "{line}");
        }
    }

    #[test]
    fn complaints_are_those_of_the_library() {
        let rows = [
            ("siege -Z -v", "v", "siege: invalid option -- 'Z'"),
            ("siege -vZ", "v", "siege: invalid option -- 'Z'"),
            ("siege --times=2", "", "siege: unrecognized option '--times=2'"),
            ("siege --no-v", "", "siege: unrecognized option '--no-v'"),
            (
                "siege --con",
                "",
                "siege: option '--con' is ambiguous; possibilities: '--config' '--concurrent'",
            ),
            ("siege -c", "", "siege: option requires an argument -- 'c'"),
            ("siege --concurrent", "", "siege: option '--concurrent' requires an argument"),
            ("siege --verb=3", "", "siege: option '--verbose' doesn't allow an argument"),
        ];
        for (line, options, error) in rows {
            let (found_options, _, errors) = found(line);
            assert_eq!((found_options.as_str(), errors), (options, vec![error.to_owned()]), "{line}");
        }
    }
}
