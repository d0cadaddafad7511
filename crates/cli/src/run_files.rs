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
use warwolf_plan::{DriverChoice, Idle, Plan, text};

/// `report`: a kept run, reported again.
///
/// # Errors
/// When the file is no run file, or an output cannot be had.
pub(crate) fn report(args: &Report) -> Result<Exit, Failure> {
    let slos = files::slos(&args.slo)?;
    let run = read(&args.file)?;
    files::check_names(&slos, &run.row_labels())?;
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
    let mut runs = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    if let [first, others @ ..] = runs.as_mut_slice() {
        others.iter_mut().for_each(|run| adopt_plan(run, &first.plan_text));
    }
    let whole = Run::merge(runs).map_err(|error| UsageError::of("merge", error))?;
    let missing = whole.missing_shards();
    if !missing.is_empty() {
        let parts: Vec<String> = missing.iter().map(|index| (index + 1).to_string()).collect();
        streams::say(&format!("warwolf: parts are missing: {}\n", parts.join(", ")));
    }
    output.write(&whole.encode())?;
    Ok(Exit::Well)
}

/// Gives a part of a run the plan of another part if they differ only in how their machines generate the load.
fn adopt_plan(run: &mut Run, other: &str) {
    let load = |text: &str| {
        let mut plan = Plan::from(text::parse(text).ok()?);
        (plan.threads, plan.driver, plan.idle) = (None, DriverChoice::Auto, Idle::Block);
        (plan.network.bind, plan.network.bind_ports) = (Vec::new(), None);
        Some(plan)
    };
    if load(&run.plan_text).is_some_and(|plan| load(other) == Some(plan)) {
        run.plan_text = other.to_owned();
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use warwolf_plan::Request;

    #[test]
    fn parts_may_differ_in_how_their_machines_generate_the_load() {
        let text = |change: fn(&mut Plan)| {
            let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
            change(&mut plan);
            text::to_toml(&plan)
        };
        let first = text(|_| {});
        let rows: [(String, bool); 5] = [
            (text(|plan| plan.threads = Some(3)), true),
            (text(|plan| plan.driver = DriverChoice::Epoll), true),
            (text(|plan| plan.network.bind = vec!["127.0.0.2".parse().unwrap()]), true),
            (text(|plan| plan.idle = Idle::Spin), true),
            (text(|plan| plan.connections.limit = 7), false),
        ];
        for (plan_text, is_adopted) in rows {
            let mut run = Run { plan_text, ..Run::new(Duration::from_secs(1)) };
            adopt_plan(&mut run, &first);
            assert_eq!(run.plan_text == first, is_adopted, "{}", run.plan_text);
        }
    }
}
