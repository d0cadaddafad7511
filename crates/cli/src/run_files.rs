//! Run files: read again, and added up.

use crate::exit::{Exit, Failure};
use crate::files;
use crate::output_file::OutputFile;
use crate::results::Results;
use crate::streams;
use std::io::Read;
use std::path::Path;
use warwolf_args::{FileError, Merge, Report, UsageError};
use warwolf_measure::Run;

/// `report`: a kept run, reported again.
///
/// # Errors
/// When the file is no run file, or an output cannot be had.
pub(crate) fn report(args: &Report) -> Result<Exit, Failure> {
    let slos = files::slos(&args.slo)?;
    let run = read(&args.file)?;
    if let Some(name) = &args.chart {
        return chart(&run, name);
    }
    Results::open(&args.output)?.deliver(&run, &slos)
}

/// One chart of the page.
fn chart(run: &Run, name: &str) -> Result<Exit, Failure> {
    let charts = warwolf_report::Report::of(run).charts();
    let Some(chart) = charts.iter().find(|chart| chart.name == name) else {
        let names: Vec<&str> = charts.iter().map(|chart| chart.name).collect();
        return Err(UsageError::value("chart", name, format!("this run has {}", names.join(", "))).into());
    };
    streams::print(chart.to_svg().as_bytes())?;
    Ok(Exit::Well)
}

/// `merge`: parts of one run, added up.
///
/// # Errors
/// When a file is no run file, the files are not parts of one run, or the sum cannot be written.
pub(crate) fn merge(args: &Merge) -> Result<Exit, Failure> {
    let output = OutputFile::open("output", &args.output)?;
    let runs = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let whole = Run::merge(runs).map_err(|error| UsageError::of("merge", error))?;
    let missing = whole.missing_shards();
    if !missing.is_empty() {
        let parts: Vec<String> = missing.iter().map(|index| (index + 1).to_string()).collect();
        streams::say(&format!("warwolf: parts are missing: {}\n", parts.join(", ")));
    }
    output.write(&whole.encode())?;
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
    let bytes = bytes.map_err(|error| {
        let remedy = "give a file of `warwolf run -o FILE.wwr`";
        UsageError::from(FileError::reading(path, &error).with_remedy(remedy))
    })?;
    Run::decode(&bytes).map_err(|error| UsageError::of(path.display(), error).into())
}
