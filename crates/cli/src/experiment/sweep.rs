//! `sweep`: a load over a grid of settings.

use super::runner::{Runner, Step as Announcement};
use super::vary;
use crate::banner::own_end;
use crate::environment;
use crate::exit::{Exit, Failure, MachineFailure};
use crate::output;
use crate::output_file::replace;
use clap::ArgMatches;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use warwolf_args::experiment::{SequenceWord, Sweep as SweepArgs, SweepChart};
use warwolf_args::reason;
use warwolf_args::{FileError, UsageError};
use warwolf_experiment::sweep::{
    Measured, Order, Point, Step, Sweep, Vary, check_size, definition, grid, steps,
};
use warwolf_measure::{Environment, Grade, Run};
use warwolf_plan::quantity::parse_duration;
use warwolf_plan::{ArrivalProcess, Plan, Schedule};
use warwolf_report::{Rendered, Report, SweepReport, unit};

/// The warm-up is this part of a run, as in `capacity`.
const WARMUP_PART: u32 = 5;

/// Runs every point of the grid, and says what came of it.
///
/// # Errors
/// When the words are wrong, a file cannot be had, a command failed, or a run could not begin.
pub(crate) fn sweep(args: &SweepArgs, matches: &ArgMatches) -> Result<Exit, Failure> {
    let job = Job::of(args, matches)?;
    let outputs = output::of_experiment(&args.written, SweepReport::FORMATS)?;
    let folder = args.folder.as_deref().map(|path| Folder::open(path, &job.definition)).transpose()?;
    let runner = Runner::new(args.written.quiet)?;
    let mut sweep = Sweep { vary: job.vary.clone(), measured: Vec::new(), steps: job.steps.len() };
    let (mut started, mut ended) = (0, Ok(()));
    for (number, step) in job.steps.iter().enumerate() {
        runner.announce(job.announcement(number));
        match job.run(*step, folder.as_ref(), &runner) {
            Ok(Some((run, note))) => {
                started =
                    if started == 0 { run.started_unix_ns() } else { started.min(run.started_unix_ns()) };
                let report = Report::of(&run);
                let measured = Measured::of(*step, &report.summary, &report.verdict);
                runner.say(&line(number, &job, &measured, note));
                sweep.measured.push(measured);
            }
            Ok(None) => {}
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        }
    }
    if sweep.measured.is_empty() {
        ended?;
        ended = Ok(());
    }
    let environment = Environment { started_unix_ns: started, ..environment::observe() };
    let report = SweepReport::new(sweep).showing(chart_name(args.chart)).in_environment(environment);
    output::deliver(&outputs, &report)?;
    ended?;
    Ok(ending(args, &report, runner.is_stopped()))
}

fn ending(args: &SweepArgs, report: &SweepReport, stopped: bool) -> Exit {
    let measured = &report.sweep().measured;
    match () {
        () if stopped => Exit::Interrupted,
        () if measured.iter().all(|one| one.completed == 0) => Exit::Failed,
        () if args.written.strict && measured.iter().any(|one| one.grade != Grade::Valid) => Exit::Doubtful,
        () => Exit::Well,
    }
}

const fn chart_name(chart: Option<SweepChart>) -> &'static str {
    match chart {
        Some(SweepChart::Rate) => "rate",
        Some(SweepChart::P99) => "p99",
        Some(SweepChart::Errors) => "errors",
        Some(SweepChart::Response) | None => "response",
    }
}

fn line(number: usize, job: &Job, measured: &Measured, what: &str) -> String {
    let known = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), unit::duration);
    format!(
        "{} of {}: {}: {}  mean {}  p99 {}  {}  {}{what}",
        number + 1,
        job.steps.len(),
        job.points[measured.step.point].label(&job.vary),
        unit::rate(measured.rate_per_s),
        known(measured.mean_ns),
        known(measured.quantiles_ns[2]),
        unit::counted(measured.errors, "error"),
        measured.grade.name()
    )
}

/// Everything that is to be done.
struct Job {
    vary: Vec<Vary>,
    points: Vec<Point>,
    plans: Vec<Plan>,
    steps: Vec<Step>,
    rest: Duration,
    between: Option<String>,
    /// What makes this sweep another one than any other.
    definition: String,
}

impl Job {
    /// Makes every plan before anything is run: what is wrong at the last point is said at once.
    fn of(args: &SweepArgs, matches: &ArgMatches) -> Result<Self, Failure> {
        if args.vary.is_empty() {
            return Err(
                UsageError::of("sweep", "nothing is varied; use --vary connections=10,100,500").into()
            );
        }
        let vary =
            Vary::parse_all(&args.vary).map_err(|error| UsageError::option("vary", error.to_string()))?;
        let points = grid(&vary);
        let repeats = args.repeats.unwrap_or(1).max(1);
        check_size(points.len(), repeats).map_err(|error| UsageError::option("vary", error.to_string()))?;
        let mut plans: Vec<Plan> =
            points.iter().map(|point| vary::plan(matches, &vary, point)).collect::<Result<_, _>>()?;
        let seed = match &args.load.seed {
            Some(_) => plans[0].seed,
            None => crate::files::seed_of_now(),
        };
        let fits = args.load.connections.is_none() && !vary.iter().any(|vary| vary.name == "connections");
        let is_warm = args.load.warmup.is_some() || vary.iter().any(|vary| vary.name == "warmup");
        for plan in &mut plans {
            if plan.is_open() && fits && args.load.plan.is_none() {
                Runner::fit(plan);
            }
            if !is_warm && args.load.plan.is_none() {
                plan.warmup = usual_warmup(plan);
            }
        }
        let order = match args.sequence {
            Some(SequenceWord::Given) => Order::Given,
            Some(SequenceWord::Random) => Order::Random,
            Some(SequenceWord::Balanced) | None => Order::Balanced,
        };
        let rest = args.rest.as_deref().map_or(Ok(Duration::ZERO), |text| parse_duration("rest", text));
        Ok(Self {
            steps: steps(points.len(), repeats, order, seed),
            definition: definition(&points, &vary, plans.iter().map(unseeded)),
            rest: rest.map_err(|error| UsageError::about(&error, matches))?,
            between: args.between.clone(),
            vary,
            points,
            plans,
        })
    }

    /// What is shown while a step runs.
    fn announcement(&self, number: usize) -> Announcement {
        let label = self.points[self.steps[number].point].label(&self.vary);
        let lengths = self.steps[number + 1..].iter().map(|step| {
            let plan = &self.plans[step.point];
            plan.stop.duration.or_else(|| own_end(plan)).map(|length| length + self.rest)
        });
        Announcement {
            label: format!("run {} of {}, {label}", number + 1, self.steps.len()),
            after: lengths.sum(),
        }
    }

    /// The run of a step, with a note about it: from the folder, or made and kept there. `None` when the user stopped it.
    fn run(
        &self,
        step: Step,
        folder: Option<&Folder>,
        runner: &Runner,
    ) -> Result<Option<(Run, &'static str)>, Failure> {
        if let Some(run) = folder.and_then(|folder| folder.run(step)) {
            return Ok(Some((run, ", kept from before")));
        }
        if runner.is_stopped() {
            return Ok(None);
        }
        let Some(run) = self.perform(step, runner)? else { return Ok(None) };
        if let Some(folder) = folder {
            folder.keep(step, &run)?;
        }
        Ok(Some((run, "")))
    }

    /// Rests, runs the command, runs the point; none when the user stopped it.
    fn perform(&self, step: Step, runner: &Runner) -> Result<Option<Run>, Failure> {
        runner.rest(self.rest);
        if runner.is_stopped() {
            return Ok(None);
        }
        self.command(step)?;
        let plan = &self.plans[step.point];
        let run = runner.run(Plan { seed: plan.seed.wrapping_add(step.repeat as u64), ..plan.clone() })?;
        Ok((!runner.is_stopped()).then_some(run))
    }

    fn command(&self, step: Step) -> Result<(), Failure> {
        let Some(command) = &self.between else { return Ok(()) };
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).stdin(std::process::Stdio::null());
        // What it prints is speech, not data.
        shell.stdout(std::io::stderr());
        shell.envs(step.variables(&self.vary, &self.points));
        match shell.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(MachineFailure::Between(command.clone(), status.to_string()).into()),
            Err(error) => Err(MachineFailure::Between(command.clone(), reason(&error)).into()),
        }
    }
}

/// The warm-up of a point, if the user chose none: the rise to the steady state would be part of every figure.
fn usual_warmup(plan: &Plan) -> Duration {
    let is_constant = match &plan.schedule {
        Schedule::Open { arrivals, .. } => !matches!(
            arrivals,
            ArrivalProcess::Ramp { .. } | ArrivalProcess::Steps { .. } | ArrivalProcess::Trace { .. }
        ),
        Schedule::Closed { .. } => true,
        Schedule::Turns { .. } => false,
    };
    match (plan.stop.duration, plan.stop.calls) {
        (Some(duration), None) if is_constant => duration / WARMUP_PART,
        _ => plan.warmup,
    }
}

/// A plan without its seed, which differs from sweep to sweep.
fn unseeded(plan: &Plan) -> String {
    warwolf_plan::text::to_toml(&Plan { seed: 0, ..plan.clone() })
}

/// The folder that contains the runs of a sweep. It is locked as long as this value lives, so that two sweeps cannot load each
/// other's server and overwrite each other's files.
struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// # Errors
    /// When it cannot be made or written, or is that of another sweep.
    fn open(path: &Path, definition: &str) -> Result<Self, Failure> {
        let wrong = |error: FileError| UsageError::from(error.of_option("folder"));
        std::fs::create_dir_all(path).map_err(|error| wrong(FileError::creating(path, &error)))?;
        let lock = File::open(path).map_err(|error| wrong(FileError::reading(path, &error)))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let remedy = "another sweep is using it; wait until it ends, or use another folder";
                return Err(UsageError::value("folder", path.display(), remedy).into());
            }
            Err(error) => return Err(wrong(FileError::reading(path, &error.into())).into()),
        }
        let file = path.join("sweep.txt");
        match std::fs::read_to_string(&file) {
            Ok(text) if text == definition => {}
            Ok(_) => {
                let remedy =
                    "it holds another sweep; use another folder, or repeat the arguments of that sweep";
                return Err(UsageError::value("folder", path.display(), remedy).into());
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                replace(&file, definition.as_bytes())
                    .map_err(|error| wrong(FileError::writing(path, &error)))?;
            }
            Err(error) => return Err(wrong(FileError::reading(path, &error)).into()),
        }
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    fn file(&self, step: Step) -> PathBuf {
        self.path.join(step.file_name())
    }

    /// The run of a step, where it is there and whole.
    fn run(&self, step: Step) -> Option<Run> {
        Run::decode(&std::fs::read(self.file(step)).ok()?).ok()
    }

    /// Keeps a run: under its name only when it is whole.
    fn keep(&self, step: Step, run: &Run) -> Result<(), Failure> {
        let file = self.file(step);
        replace(&file, &run.encode()).map_err(|error| FileError::writing(&file, &error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::{RateStep, Request, Stop};

    #[test]
    fn a_fifth_of_a_point_is_warm_up_where_the_load_is_constant() {
        let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
        plan.stop = Stop::after(Duration::from_secs(10));
        assert_eq!(usual_warmup(&plan), Duration::from_secs(2));
        let steps = vec![RateStep { rate: 5.0, lasts: Duration::from_secs(5) }];
        plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Steps { steps }, burst: 1 };
        assert_eq!(usual_warmup(&plan), Duration::ZERO);
        plan.schedule = Schedule::Closed { users: 3, ramp: Duration::ZERO };
        plan.stop = Stop::after_calls(100);
        assert_eq!(usual_warmup(&plan), Duration::ZERO);
    }
}
