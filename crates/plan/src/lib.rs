//! The whole test as one value.
//!
//! A [`Plan`] holds everything a run depends on, the seed included. It can be written down as TOML or JSON and read
//! back ([`text`]), and nothing outside it decides what is sent or when. It opens nothing and looks nothing up.
//!
//! Anybody can fill in the fields of a [`Plan`]. What runs one takes a [`CheckedPlan`], which only [`Plan::check`] makes.
#![forbid(unsafe_code)]

mod clicks;
mod connections;
mod contents;
mod describe;
mod error;
mod file;
mod ftp;
mod names;
mod nearest;
pub mod quantity;
pub mod query;
mod request;
mod rows;
mod schedule;
pub mod secrets;
mod session;
mod shard;
mod step;
mod stop;
mod table;
pub mod template;
pub mod text;
pub mod words;

pub use clicks::ClickModel;
pub use connections::{
    Connections, DriverChoice, HttpVersion, Idle, Network, OnClose, Ownership, Proxy, Reconnect, ReplyEnd,
    Resolve, Resumption, Timeouts, Tls, TlsVersion, Unresolved, Verify, WhenFull,
};
pub use contents::{Contents, Needs};
pub use describe::describe;
pub use error::{PlanError, Position};
pub use ftp::{Transfer, TransferKind};
pub use nearest::nearest;
pub use request::{
    Body, Endpoint, Hole, HoleValue, Part, PartContent, RandomData, Request, RequestId, RequestShape, Scheme,
    Shapes,
};
pub use rows::{Label, Row, Rows};
pub use schedule::{ArrivalProcess, RateStep, Schedule};
pub use session::{
    Auth, Burst, CookiePolicy, Credentials, Cursor, FailureRule, InitialCookie, Links, ListEnd, Order,
    Recovery, RedirectPolicy, ResourceKind, ResourceOrder, Resources, Script, SessionShape, Think, ThinkAt,
    Work,
};
pub use shard::Shard;
pub use step::{Again, DataTable, OnFail, Repeat, Scenario, Step, Take, Variable, VariableValue};
pub use stop::Stop;
pub use table::Table;
pub use words::ArrivalWords;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// Threads that a plan may ask for. Each takes a megabyte and some milliseconds of setting up.
const THREADS_MAX: u32 = 1_024;

/// Everything a run depends on. Its text form is in [`text`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Number from which every random choice is made. The same seed gives the same arrivals and requests.
    pub seed: u64,
    /// Worker threads; none means: as suits the machine and the load.
    pub threads: Option<u32>,
    /// Which kernel interface carries the load.
    pub driver: DriverChoice,
    /// How a worker waits.
    pub idle: Idle,
    /// Service-level objectives, as written by the user (`p99<200ms`); judged by the report, not by the engine.
    pub slos: Vec<String>,
    /// Time at the start that is kept in the timeline but not in the figures.
    pub warmup: Duration,
    /// When the run ends.
    pub stop: Stop,
    /// When sessions start.
    pub schedule: Schedule,
    /// What one session does.
    pub session: SessionShape,
    /// How connections are used.
    pub connections: Connections,
    /// Limits on how long things may take.
    pub timeouts: Timeouts,
    /// Addresses, proxies and socket options.
    pub network: Network,
    /// TLS options, for `https` requests.
    pub tls: Tls,
    /// The requests that sessions choose from; [`RequestId`] is an index into this list.
    pub requests: Vec<Request>,
    /// What sessions do, step by step. Where there is one scenario or more, `session.work`, `session.think` and
    /// `session.setup` mean nothing.
    pub scenarios: Vec<Scenario>,
    /// Steps that are done once, before the run. What they capture is known to all sessions.
    pub setup: Vec<Step>,
    /// Steps that are done once, after the run.
    pub teardown: Vec<Step>,
    /// Values with names.
    pub variables: Vec<Variable>,
    /// Data tables.
    pub data: Vec<DataTable>,
    /// Names for the rows of reports, by path. The first that matches counts.
    pub labels: Vec<Label>,
}

impl Plan {
    /// A closed loop of 50 users on `requests` for ten seconds: what a bare URL means.
    #[must_use]
    pub fn new(requests: Vec<Request>) -> Self {
        Self {
            seed: 0,
            threads: None,
            driver: DriverChoice::default(),
            idle: Idle::default(),
            slos: Vec::new(),
            warmup: Duration::ZERO,
            stop: Stop::after(Duration::from_secs(10)),
            schedule: Schedule::Closed { users: 50, ramp: Duration::ZERO },
            session: SessionShape::default(),
            connections: Connections::default(),
            timeouts: Timeouts::default(),
            network: Network::default(),
            tls: Tls::default(),
            requests,
            scenarios: Vec::new(),
            setup: Vec::new(),
            teardown: Vec::new(),
            variables: Vec::new(),
            data: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Every request that the plan spells out: those that sessions draw, setup requests, and recovery requests.
    pub fn all_requests(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().chain(&self.session.setup).chain(self.session.recovery_requests())
    }

    /// Returns the SLOs of the run and of its steps. Those of a step begin with its name, such as `login: p99<300ms`, after that of
    /// its scenario if there are several.
    #[must_use]
    pub fn all_slos(&self) -> Vec<String> {
        let mut slos = self.slos.clone();
        for scenario in &self.scenarios {
            let name = if self.scenarios.len() > 1 { format!("{}: ", scenario.name) } else { String::new() };
            for step in scenario.all_steps() {
                slos.extend(step.slos.iter().map(|slo| format!("{name}{}: {slo}", step.name)));
            }
        }
        slos
    }

    /// Checks all fields, and what no single field can know.
    ///
    /// # Errors
    /// The first field that is wrong, with what would be right.
    pub fn check(mut self) -> Result<CheckedPlan, PlanError> {
        self.check_fields()?;
        let mut shapes = Shapes::default();
        self.requests.iter_mut().for_each(|request| shapes.share(request));
        Ok(CheckedPlan { plan: self, contents: Arc::default() })
    }

    fn check_fields(&self) -> Result<(), PlanError> {
        if self.requests.is_empty() {
            return Err(PlanError::new(
                "requests",
                "none",
                "give at least one URL, such as http://127.0.0.1:8080/",
            ));
        }
        self.schedule.check()?;
        self.session.check(self.requests.len())?;
        self.connections.check()?;
        self.timeouts.check()?;
        let counted = if matches!(self.schedule, Schedule::Closed { .. }) { "requests" } else { "sessions" };
        self.stop.check(counted)?;
        self.network.check()?;
        self.tls.check()?;
        if self.tls.resumption == Resumption::Session && self.connections.ownership.dedicated() == 0 {
            return Err(PlanError::new(
                "tls.resumption",
                "session",
                "use connections.ownership = { dedicated = 1 } with it: the TLS sessions of shared connections are shared",
            ));
        }
        if self.network.receive_rate.is_some() && self.driver == DriverChoice::Uring {
            return Err(PlanError::new(
                "load.driver",
                "uring",
                "only epoll can let a connection wait: use [load] driver = \"epoll\" with network.receive_rate",
            ));
        }
        self.check_threads()?;
        check_requests("requests", &self.requests).map_err(|error| self.within_step(error))?;
        self.scenarios.iter().try_for_each(|scenario| scenario.check(self.requests.len()))?;
        for (part, steps) in [("setup", &self.setup), ("teardown", &self.teardown)] {
            for step in steps {
                step.check(self.requests.len())
                    .map_err(|error| error.within(&format!("{part}.{}", step.name)))?;
            }
        }
        self.check_names()?;
        self.check_ftp()?;
        if let Some(duration) = self.stop.duration
            && self.warmup >= duration
        {
            return Err(PlanError::new(
                "load.warmup",
                quantity::print_duration(self.warmup),
                format!("use less than the duration, {}", quantity::print_duration(duration)),
            ));
        }
        Ok(())
    }

    /// An error about a request, which in a plan of steps is that of a step.
    fn within_step(&self, error: PlanError) -> PlanError {
        let Some((index, field)) =
            error.field.strip_prefix("requests.").and_then(|rest| rest.split_once('.'))
        else {
            return error;
        };
        let Ok(index) = index.parse::<u32>() else { return error };
        let field = if field == "path" || field == "method" { "request" } else { field };
        let parts = [("setup", &self.setup), ("teardown", &self.teardown)];
        let of_scenarios = self.scenarios.iter().flat_map(|scenario| {
            let within = |part: &str| match scenario.name.as_str() {
                "" => part.to_owned(),
                name => format!("scenario.{name}.{part}"),
            };
            [
                (within("setup"), &scenario.setup),
                (within("step"), &scenario.steps),
                (within("teardown"), &scenario.teardown),
            ]
        });
        let mut parts = parts.map(|(part, steps)| (part.to_owned(), steps)).into_iter().chain(of_scenarios);
        let found = parts.find_map(|(part, steps)| {
            let has = |step: &&Step| (step.request.0..step.request.0 + step.choices).contains(&index);
            steps.iter().find(has).map(|step| format!("{part}.{}.{field}", step.name))
        });
        match found {
            Some(field) => PlanError { field, ..error },
            None => error,
        }
    }

    fn check_threads(&self) -> Result<(), PlanError> {
        if self.threads == Some(0) {
            return Err(PlanError::new("load.threads", "0", "use 1 or more"));
        }
        if let Some(threads) = self.threads.filter(|threads| *threads > THREADS_MAX) {
            let remedy =
                format!("use at most {THREADS_MAX}; more than one for each core makes nothing faster");
            return Err(PlanError::new("load.threads", threads.to_string(), remedy));
        }
        if let Work::Draw { order, .. } = &self.session.work
            && order.is_shared()
            && self.threads != Some(1)
        {
            return Err(PlanError::new(
                "session.order",
                "shared",
                "use [load] threads = 1: all sessions of the run share one cursor",
            ));
        }
        if let (Schedule::Turns { users }, Some(threads)) = (&self.schedule, self.threads)
            && *users < threads
        {
            return Err(PlanError::new(
                "load.threads",
                threads.to_string(),
                format!("use at most one for each session at a time, {users}"),
            ));
        }
        Ok(())
    }

    /// Whether arrivals do not wait for completions.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.schedule, Schedule::Open { .. })
    }
}

/// A plan that has passed [`Plan::check`]. To change it, turn it into a [`Plan`] and check that.
#[derive(Clone, Debug)]
pub struct CheckedPlan {
    plan: Plan,
    contents: Arc<Contents>,
}

impl CheckedPlan {
    /// The contents of what the plan names; empty unless given by [`CheckedPlan::with_contents`].
    #[must_use]
    pub fn contents(&self) -> &Arc<Contents> {
        &self.contents
    }
}

/// Contents are not compared.
impl PartialEq for CheckedPlan {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

impl Deref for CheckedPlan {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl From<CheckedPlan> for Plan {
    fn from(checked: CheckedPlan) -> Self {
        checked.plan
    }
}

/// Checks each of the requests in the list that is called `name`.
fn check_requests(name: &str, requests: &[Request]) -> Result<(), PlanError> {
    let mut last = None;
    for (index, request) in requests.iter().enumerate() {
        // What requests share is checked once.
        let is_checked = last.is_some_and(|last| Arc::ptr_eq(last, request.shape()));
        let checked = if is_checked { request.check_beside() } else { request.check() };
        checked.map_err(|error| error.within(&format!("{name}.{index}")))?;
        last = Some(request.shape());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
