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

/// Entries of a list in which each ends with a NUL byte; empty ones are passed over.
pub(super) fn nul_separated(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).collect()
}

/// Whether a list looks as if its author had separated its entries by line ends.
pub(super) fn looks_like_lines(text: &[u8]) -> bool {
    !text.contains(&0) && text.iter().filter(|byte| **byte == b'\n').count() > 0
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
        assert_eq!(nul_separated(b"/a\0\0/b\0"), [b"/a", b"/b"]);
        assert_eq!(nul_separated(b"/a\0/b"), [b"/a", b"/b"]);
        assert!(nul_separated(b"\0\0").is_empty());
        assert!(
            looks_like_lines(b"/a\n/b\n") && !looks_like_lines(b"/a\0/b\n\0") && !looks_like_lines(b"/a")
        );
    }
}
