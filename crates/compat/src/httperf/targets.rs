//! Which URIs are asked for when it is not always the same: `--wset`, `--wlog` and `--servers`.

/// The URIs of a working set of `files`, under `prefix`: one path element a digit.
///
/// A slash at the end of the prefix is dropped. (The original drops the first character instead, which is right only for
/// `/` itself.)
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

/// Entries of a list in which each ends with a NUL byte; empty ones are passed over. A list without any NUL that has lines
/// is taken by lines, because that is what was meant; whether it was is said too.
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
