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
    if let Some(name) = &words.chart {
        return chart(&run, name);
    }
    Results::open(&words.output)?.deliver(&run, &slos)
}

/// One chart of the page.
fn chart(run: &Run, name: &str) -> Result<Exit, Failure> {
    let charts = warwolf_report::Report::of(run).charts();
    let Some(chart) = charts.iter().find(|chart| chart.name == name) else {
        let names: Vec<&str> = charts.iter().map(|chart| chart.name).collect();
        return Err(Complaint::new(format!("--chart: `{name}`: this run has {}", names.join(", "))).into());
    };
    streams::print(chart.to_svg().as_bytes())?;
    Ok(Exit::Well)
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
pub(crate) fn read(path: &Path) -> Result<Run, Failure> {
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
