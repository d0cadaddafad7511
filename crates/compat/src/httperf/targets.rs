//! The order of URIs for `--wset`, `--wlog` and `--servers`.

use warwolf_plan::{Cursor, ListEnd};

/// Returns the URIs of a working set of `files`, under `prefix`: one path element per digit.
///
/// A slash at the end of the prefix is dropped. (The original drops the first character instead, which is correct only
/// for `/` itself.)
pub(super) fn working_set(prefix: &str, files: u32) -> Vec<String> {
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    let mut digits = 0;
    let mut power = 1_u64;
    while power < u64::from(files) {
        digits += 1;
        power *= 10;
    }
    (0..files).map(|file| format!("{prefix}{}.html", path(file, digits))).collect()
}

fn path(file: u32, digits: usize) -> String {
    if digits == 0 {
        return String::new();
    }
    format!("{file:0digits$}").chars().flat_map(|digit| ['/', digit]).collect()
}

/// Targets in order, in one piece of memory: there may be very many.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Targets {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.bytes[std::mem::replace(&mut start, *end)..*end])
    }
}

impl<'t> FromIterator<&'t [u8]> for Targets {
    fn from_iter<I: IntoIterator<Item = &'t [u8]>>(targets: I) -> Self {
        let mut all = Self::default();
        for target in targets {
            all.bytes.extend_from_slice(target);
            all.ends.push(all.bytes.len());
        }
        all
    }
}

/// The sequence of target indexes: the k-th item belongs to the k-th call of a run.
#[derive(Clone, Debug)]
pub(super) enum Sequence {
    /// In order, in a cycle.
    Round { next: usize, count: usize },
    /// In order, once.
    Once { next: usize, count: usize },
    /// The same target until the sum of the rates reaches one, then the next.
    WorkingSet { file: u32, files: u32, step: u32, rate: f64, due: f64 },
}

impl Sequence {
    /// Creates the sequence of `--wset` for client `id` of `clients`.
    pub(super) fn working_set(files: u32, rate: f64, (id, clients): (u32, u32)) -> Self {
        Self::WorkingSet { file: id, files, step: clients, rate, due: FIRST_DUE }
    }
}

/// Returns the plan's cursor over `count` targets equivalent to [`Sequence::working_set`], which adds to its sum before
/// a call, whereas a cursor adds after it.
pub(super) fn working_set_cursor(rate: f64, (id, clients): (u32, u32), count: usize) -> Cursor {
    let sum = FIRST_DUE + rate;
    let (moves, phase) = if sum >= 1.0 { (1, sum - 1.0) } else { (0, sum) };
    let first = (u64::from(id) + moves * u64::from(clients)) % count.max(1) as u64;
    Cursor { first: first as u32, step: clients, advance: rate, phase, end: ListEnd::Wrap }
}

/// The first value of the C library's random generator without a seed.
const FIRST_DUE: f64 = 11.0 / (1_u64 << 48) as f64;

impl Iterator for Sequence {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Round { next, count } => {
                let now = *next;
                *next = (now + 1) % (*count).max(1);
                Some(now)
            }
            Self::Once { next, count } => {
                let now = *next;
                *next += 1;
                (now < *count).then_some(now)
            }
            Self::WorkingSet { file, files, step, rate, due } => {
                *due += *rate;
                if *due >= 1.0 {
                    *due -= 1.0;
                    *file = file.saturating_add(*step);
                    if *file >= *files {
                        *file -= *files;
                    }
                }
                // With fewer files than clients the original requests files that do not exist.
                Some((*file % (*files).max(1)) as usize)
            }
        }
    }
}

/// Splits a list of entries that each end with a NUL byte, skipping empty ones. A list without NUL but with lines is
/// split by lines. Returns whether it was.
pub(super) fn entries(text: &[u8]) -> (Vec<&[u8]>, bool) {
    let by_lines = !text.contains(&0) && text.contains(&b'\n');
    let end = if by_lines { b'\n' } else { 0 };
    let trimmed = |entry: &'_ [u8]| {
        if by_lines { entry.strip_suffix(b"\r").map_or(entry.len(), <[u8]>::len) } else { entry.len() }
    };
    let entries = text.split(|byte| *byte == end).map(|entry| &entry[..trimmed(entry)]);
    (entries.filter(|entry| !entry.is_empty()).collect(), by_lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_set_has_a_path_element_for_each_digit() {
        let rows = [
            ("/w", 1024, 103, "/w/0/1/0/3.html"),
            ("/wset10", 10, 3, "/wset10/3.html"),
            ("/wset10/", 10, 0, "/wset10/0.html"),
            ("/", 10, 1, "/1.html"),
            ("/wset10", 1, 0, "/wset10.html"),
            ("/w", 1000, 7, "/w/0/0/7.html"),
            ("", 100, 42, "/4/2.html"),
        ];
        for (prefix, files, file, expected) in rows {
            let set = working_set(prefix, files);
            assert_eq!((set.len(), set[file].as_str()), (files as usize, expected), "{prefix} {files}");
        }
    }

    #[test]
    fn a_working_set_moves_on_as_often_as_it_is_told() {
        let files = |files, rate, client, count| -> Vec<usize> {
            Sequence::working_set(files, rate, client).take(count).collect()
        };
        assert_eq!(files(10, 1.0, (0, 1), 12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]);
        assert_eq!(files(100, 0.25, (3, 7), 12), [3, 3, 3, 10, 10, 10, 10, 17, 17, 17, 17, 24]);
        assert_eq!(files(1, 1.0, (0, 1), 2), [0, 0]);
        assert_eq!(files(10, 0.0, (4, 5), 2), [4, 4]);
        assert!(files(3, 1.0, (6, 9), 20).iter().all(|file| *file < 3));
    }

    #[test]
    fn the_cursor_of_a_plan_takes_the_same_targets() {
        for (files, rate, client) in [
            (10, 1.0, (0, 1)),
            (100, 0.25, (3, 7)),
            (1, 1.0, (0, 1)),
            (7, 0.1, (6, 9)),
            (9, 1.0 / 3.0, (4, 5)),
        ] {
            let expected: Vec<usize> = Sequence::working_set(files, rate, client).take(2_000).collect();
            let cursor = working_set_cursor(rate, client, files as usize);
            let (mut position, mut sum) = (u64::from(cursor.first), cursor.phase);
            let taken = (0..2_000).map(|_| {
                let taken = position % u64::from(files);
                sum += cursor.advance;
                position = taken + if sum >= 1.0 { u64::from(cursor.step) } else { 0 };
                sum -= if sum >= 1.0 { 1.0 } else { 0.0 };
                taken as usize
            });
            assert_eq!(taken.collect::<Vec<_>>(), expected, "{files} files, {rate}");
            assert!((0.0..1.0).contains(&cursor.phase));
        }
    }

    #[test]
    fn lists_go_round_or_end() {
        assert_eq!(Sequence::Round { next: 0, count: 3 }.take(7).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(Sequence::Once { next: 0, count: 3 }.take(7).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn lists_end_their_entries_with_nul() {
        let rows = [
            ("/a\0\0/b\0", "/a /b", false, "empty entries are none"),
            ("/a\0/b", "/a /b", false, "the last NUL may be missing"),
            ("\0\0", "", false, "nothing"),
            ("/a\n\0/b\0", "/a\n /b", false, "a line end is a byte like others"),
            ("/a", "/a", false, "one entry"),
            ("/a\r\n\n/b\n", "/a /b", true, "lines, which is what was meant"),
        ];
        for (text, expected, by_lines, why) in rows {
            let (entries, is_by_lines) = entries(text.as_bytes());
            let joined = String::from_utf8(entries.join(&b' ')).unwrap();
            assert_eq!((joined.as_str(), is_by_lines), (expected, by_lines), "{why}");
        }
    }
}
