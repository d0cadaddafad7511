//! Run files: read again, and added up.

use crate::args::{Merge, Report};
use crate::complaint::Complaint;
use crate::exit::{Exit, Failure};
use crate::files::{self, reason};
use crate::results::Results;
use crate::streams;
use std::io::Read;
use std::path::Path;
use warwolf_measure::Run;

/// `report`: a kept run, reported again.
///
/// # Errors
/// When the file is no run file, or an output cannot be had.
pub(crate) fn report(words: &Report) -> Result<Exit, Failure> {
    let slos = files::slos(&words.slo)?;
    let run = read(&words.file)?;
    Results::open(&words.output)?.deliver(&run, &slos)
}

/// `merge`: parts of one run, added up.
///
/// # Errors
/// When a file is no run file, the files are not parts of one run, or the sum cannot be written.
pub(crate) fn merge(words: &Merge) -> Result<Exit, Failure> {
    let runs = words.files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let whole = Run::merge(runs).map_err(|error| Complaint::new(error.to_string()))?;
    let missing = whole.missing_shards();
    if !missing.is_empty() {
        let parts: Vec<String> = missing.iter().map(|index| (index + 1).to_string()).collect();
        streams::say(&format!("warwolf: parts are missing: {}\n", parts.join(", ")));
    }
    let path = words.output.display();
    std::fs::write(&words.output, whole.encode())
        .map_err(|error| Failure::new(format!("{path}: cannot be written: {}", reason(&error))))?;
    Ok(Exit::Well)
}

/// The run in a file; `-` is stdin.
fn read(path: &Path) -> Result<Run, Failure> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let name = path.display();
    let bytes = bytes.map_err(|error| {
        Complaint::new(format!(
            "{name}: cannot be read: {}; give a file of `warwolf run -o FILE.wwr`",
            reason(&error)
        ))
    })?;
    Run::decode(&bytes).map_err(|error| Complaint::new(format!("{name}: {error}")).into())
}
