//! Captures, read from their files.

use std::path::{Path, PathBuf};

/// One run of the original.
pub(crate) struct Capture {
    pub(crate) name: String,
    /// The words it was told; none when it was started through something else.
    pub(crate) words: Option<Vec<String>>,
    pub(crate) stdout: String,
    /// Without the warning of a limit that ours does not have.
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/httperf")
}

/// Every capture, in the order of names.
pub(crate) fn all() -> Vec<Capture> {
    let mut paths: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Capture {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let (command, rest) = text.split_once("\n--- stdout\n").unwrap_or_else(|| panic!("{name}: no stdout"));
    // A stream need not end with a line.
    let (stdout, rest) = rest.split_once("--- stderr\n").unwrap_or_else(|| panic!("{name}: no stderr"));
    let (stderr, ending) =
        rest.split_once("--- exit status: ").unwrap_or_else(|| panic!("{name}: no status"));
    let command = command.strip_prefix("$ ").unwrap();
    let stderr = stderr.lines().filter(|line| !line.contains("FD_SETSIZE"));
    Capture {
        words: (command.starts_with("httperf ") || command.starts_with("git-httperf "))
            .then(|| words(command)),
        // Captures show what cannot be seen.
        stdout: stdout.replace("\\t", "\t"),
        stderr: stderr.flat_map(|line| [line, "\n"]).collect(),
        code: ending.split(' ').next().unwrap().trim().parse().unwrap(),
        name,
    }
}

/// The words of a line in which what is special to a shell stands behind backslashes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => words.last_mut().unwrap().extend(letters.next()),
            ' ' => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

/// The files that command lines name.
pub(crate) fn open(path: &Path) -> std::io::Result<Vec<u8>> {
    if path.starts_with("/dev/fd") {
        return Ok(b"/a\n".to_vec());
    }
    std::fs::read(folder().join("files").join(path))
}
