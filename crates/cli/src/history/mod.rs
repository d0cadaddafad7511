//! `history`: runs that are kept, listed, compared, tagged and forgotten.

use crate::exit::{Exit, Failure, MachineFailure};
use crate::experiment::compare_kept;
use crate::output;
use crate::output_file::replace;
use crate::results::Results;
use crate::streams;
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use time::{OffsetDateTime, UtcOffset};
use warwolf_args::history::{Compare, Database, History as HistoryArgs, List, What};
use warwolf_args::{FileError, UsageError};
use warwolf_history::{BASELINE, Entry, Filter, History, HistoryError};
use warwolf_measure::Run;
use warwolf_report::{Rendered, TrendPoint, TrendReport, unit};

/// Does what is asked of a history.
///
/// # Errors
/// When the words are wrong, or the database or a file cannot be had.
pub(crate) fn history(args: &HistoryArgs) -> Result<Exit, Failure> {
    match &args.what {
        What::List(list) | What::Trend(list) => show_list(list, matches!(args.what, What::Trend(_))),
        What::Show(show) => {
            let (_, run) = Kept::open(&show.database)?.run(show.run)?;
            Results::open(&show.output)?.deliver(&run, &[])
        }
        What::Compare(compare) => compare_with_baseline(compare),
        What::Tag(tag) => {
            let mut kept = Kept::open(&tag.database)?;
            kept.history.tag(tag.run, &tag.tag).map_err(|error| kept.failure(error))?;
            Ok(Exit::Well)
        }
        What::Untag(tag) => {
            let mut kept = Kept::open(&tag.database)?;
            if kept.history.untag(tag.run, &tag.tag).map_err(|error| kept.failure(error))? {
                return Ok(Exit::Well);
            }
            Err(UsageError::of("untag", format!("run {} has no tag `{}`", tag.run, tag.tag)).into())
        }
        What::Import(import) => {
            let run = crate::run_files::read(&import.file)?;
            Kept::open(&import.database)?.keep(&import.name, &run, false)?;
            Ok(Exit::Well)
        }
        What::Prune(prune) => {
            let mut kept = Kept::open(&prune.database)?;
            let gone =
                kept.history.prune(prune.name.as_deref(), prune.keep).map_err(|error| kept.failure(error))?;
            streams::say(&format!("warwolf: {gone} runs forgotten\n"));
            Ok(Exit::Well)
        }
    }
}

/// A history that is open, and where it is.
pub(crate) struct Kept {
    history: History,
    path: PathBuf,
}

impl Kept {
    /// # Errors
    /// When it cannot be had.
    pub(crate) fn open(args: &Database) -> Result<Self, Failure> {
        let path = match &args.database {
            Some(path) => path.clone(),
            None => usual_place()?,
        };
        if let Some(folder) = path.parent() {
            let mut builder = DirBuilder::new();
            let made = builder.recursive(true).mode(0o700).create(folder);
            made.map_err(|error| FileError::creating(folder, &error))?;
        }
        // Runs contain plans, and plans may contain passwords. What is wrong with the file is found by opening the database.
        let _ = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
        let history = History::open(&path).map_err(|error| failure(&path, error))?;
        Ok(Self { history, path })
    }

    /// Keeps a run.
    ///
    /// # Errors
    /// When the database does not take it.
    pub(crate) fn keep(&mut self, name: &str, run: &Run, quiet: bool) -> Result<(), Failure> {
        let id = self.history.keep(name, run).map_err(|error| self.failure(error))?;
        if !quiet {
            streams::say(&format!("warwolf: kept as run {id} of `{name}`\n"));
        }
        Ok(())
    }

    /// Keeps a run. If the database does not take it, the run is written to a run file in the current folder.
    ///
    /// # Errors
    /// When the database does not take it; names the run file.
    pub(crate) fn keep_or_rescue(&mut self, name: &str, run: &Run, quiet: bool) -> Result<(), Failure> {
        self.keep(name, run, quiet).map_err(|failure| rescue(Path::new(""), failure, run).into())
    }

    fn failure(&self, error: HistoryError) -> Failure {
        failure(&self.path, error)
    }

    fn run(&self, id: i64) -> Result<(Entry, Run), Failure> {
        self.history.run(id).map_err(|error| self.failure(error))
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Entry>, Failure> {
        self.history.list(filter).map_err(|error| self.failure(error))
    }
}

/// Writes a run that a history did not take to a run file in `folder`.
fn rescue(folder: &Path, failure: Failure, run: &Run) -> MachineFailure {
    let file = folder.join(format!("warwolf-{}.wwr", run.started_unix_ns() / 1_000_000_000));
    let file = replace(&file, &run.encode()).is_ok().then_some(file);
    MachineFailure::NotKept(Box::new(failure), file)
}

/// What the user named and is not there is the user's to put right; anything else could not be done.
fn failure(path: &Path, error: HistoryError) -> Failure {
    match error {
        HistoryError::NoRun(_) => UsageError::of("history", error).into(),
        HistoryError::NotAHistory | HistoryError::Newer { .. } => {
            UsageError::of(format!("history {}", path.display()), error).into()
        }
        HistoryError::Run { .. } | HistoryError::Database(_) => {
            MachineFailure::History(path.to_owned(), error).into()
        }
    }
}

/// `warwolf/history.db` where programs keep their data (XDG base directories).
fn usual_place() -> Result<PathBuf, UsageError> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder("XDG_DATA_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/share")))
        .map(|data| data.join("warwolf/history.db"))
        .ok_or_else(|| UsageError::of("history", "there is no home folder; name a file with --database FILE"))
}

fn show_list(args: &List, is_trend: bool) -> Result<Exit, Failure> {
    let outputs = output::of_experiment(&args.written, TrendReport::FORMATS)?;
    let filter = Filter { name: args.name.clone(), tag: args.tag.clone(), latest: args.latest };
    let entries = Kept::open(&args.database)?.list(&filter)?;
    if is_trend && entries.is_empty() {
        return Err(
            UsageError::of("trend", "there are no such runs; `warwolf history list` shows all runs").into()
        );
    }
    let report = TrendReport::new(entries.into_iter().map(point).collect())
        .in_environment(crate::environment::observe());
    output::deliver(&outputs, &report)?;
    Ok(Exit::Well)
}

fn point(entry: Entry) -> TrendPoint {
    TrendPoint {
        id: entry.id,
        name: entry.name,
        date: date(entry.started_unix_ns),
        verdict: entry.verdict,
        target: entry.target,
        rate_per_s: entry.rate_per_s,
        quantiles_ns: entry.quantiles_ns,
        error_share: entry.error_share,
        tags: entry.tags,
    }
}

/// A moment in the time zone of this machine; in UTC if the zone cannot be read.
fn date(unix_ns: i64) -> String {
    let zone = OffsetDateTime::from_unix_timestamp(unix_ns / 1_000_000_000)
        .ok()
        .and_then(|moment| UtcOffset::local_offset_at(moment).ok());
    date_in(unix_ns, zone.unwrap_or(UtcOffset::UTC))
}

fn date_in(unix_ns: i64, zone: UtcOffset) -> String {
    let moment = u64::try_from(unix_ns).ok().and_then(|unix_ns| unit::moment_in(unix_ns, zone));
    moment.unwrap_or_else(|| "unknown".to_owned())
}

fn compare_with_baseline(args: &Compare) -> Result<Exit, Failure> {
    let kept = Kept::open(&args.database)?;
    let of_name = Filter { name: Some(args.name.clone()), ..Filter::default() };
    let none = |what: &str| Failure::from(UsageError::of("compare", format!("`{}` has {what}", args.name)));
    let run = match args.run {
        Some(id) => id,
        None => {
            kept.list(&Filter { latest: Some(1), ..of_name.clone() })?
                .last()
                .ok_or_else(|| none("no runs"))?
                .id
        }
    };
    let with = match args.with {
        Some(id) => id,
        None => {
            let baseline = kept.list(&Filter { tag: Some(BASELINE.to_owned()), ..of_name.clone() })?;
            let before = kept.list(&of_name)?.into_iter().rfind(|entry| entry.id < run);
            let other = baseline.into_iter().find(|entry| entry.id != run).or(before);
            other
                .ok_or_else(|| {
                    none("nothing to compare with; `warwolf history tag N baseline` makes a baseline")
                })?
                .id
        }
    };
    let side = |id: i64| {
        let (entry, run) = kept.run(id)?;
        let tags =
            if entry.tags.is_empty() { String::new() } else { format!(" ({})", entry.tags.join(", ")) };
        Ok::<_, Failure>((format!("{} {id}{tags}, {}", entry.name, date(entry.started_unix_ns)), run))
    };
    let allowance = (args.allow.as_deref(), args.allow_errors.as_deref());
    compare_kept([side(with)?, side(run)?], args.different, allowance, &args.written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_run_that_the_history_does_not_take_is_in_a_run_file() {
        let folder = tempfile::tempdir().unwrap();
        let failure = rescue(folder.path(), Failure::Us("locked"), &Run::new(Duration::from_secs(1)));
        let file = folder.path().join("warwolf-0.wwr");
        assert!(Run::decode(&std::fs::read(&file).unwrap()).is_ok());
        assert!(failure.to_string().contains(&format!("the run is in {}", file.display())), "{failure}");
        let lost =
            rescue(&folder.path().join("none"), Failure::Us("locked"), &Run::new(Duration::from_secs(1)));
        assert!(matches!(lost, MachineFailure::NotKept(_, None)));
    }

    #[test]
    fn dates_have_a_time_zone() {
        let zone = UtcOffset::from_hms(1, 0, 0).unwrap();
        assert_eq!(date_in(1_795_225_438_000_000_000, zone), "2026-11-21 02:43:58 +01:00");
        assert_eq!(date_in(1_795_225_438_000_000_000, UtcOffset::UTC), "2026-11-21 01:43:58 UTC");
        assert_eq!(date(0), "unknown");
    }
}
