//! Sessions as programs: scenarios of steps.

use crate::quantity::print_duration;
use crate::query::{Capture, Check};
use crate::{Order, Plan, PlanError, RequestId, Think};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// What some of the sessions do: steps in order. A session runs one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name; not empty where the plan has several.
    pub name: String,
    /// Its share of the sessions, in proportion to the weights of the others; above 0.
    pub weight: f64,
    /// Steps before the others, once a session.
    pub setup: Vec<Step>,
    /// The steps.
    pub steps: Vec<Step>,
    /// How often the steps are run by a session.
    pub repeat: Repeat,
    /// Steps after the others, once a session, however the session ends.
    pub teardown: Vec<Step>,
}

impl Scenario {
    /// A scenario with these steps, which a session runs once.
    #[must_use]
    pub fn new(name: impl Into<String>, steps: Vec<Step>) -> Self {
        Self {
            name: name.into(),
            weight: 1.0,
            setup: Vec::new(),
            steps,
            repeat: Repeat::ONCE,
            teardown: Vec::new(),
        }
    }

    /// All its steps, in the order of a session.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.setup.iter().chain(&self.steps).chain(&self.teardown)
    }
}

/// A request, what comes before and after it, and what is expected of its reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its name in reports.
    pub name: String,
    /// The transaction that it belongs to. Steps of a group follow each other.
    pub group: Option<String>,
    /// The request. Where it is the first of several, `order` says which one is sent.
    pub request: RequestId,
    /// How many requests of the plan's list there are to choose from, `request` the first; at least 1.
    pub choices: u32,
    /// Which one is sent where there are several.
    pub order: Order,
    /// The step is left out unless this holds. It is about variables and captures.
    pub when: Option<Check>,
    /// The share of sessions that take the step, above 0 and up to 1; the others leave it out.
    pub share: f64,
    /// Steps of the same branch are alternatives: one draw decides, and their shares add up to at most 1.
    pub branch: Option<String>,
    /// How often it is run.
    pub repeat: Repeat,
    /// It is run again as long as this condition on its reply asks for it.
    pub again: Option<Again>,
    /// Pause after each reply.
    pub think: Think,
    /// Least time from the intended start of this step to that of what follows; the pause is longer where the reply was
    /// faster.
    pub pace: Option<Duration>,
    /// Requests a second that all sessions together make of this step at the most.
    pub rate_limit: Option<f64>,
    /// What later requests use of the reply.
    pub captures: Vec<Capture>,
    /// What the reply must satisfy.
    pub checks: Vec<Check>,
    /// What follows a failed check, a value that does not fit, or a call without a whole reply.
    pub on_fail: OnFail,
    /// SLOs of this step alone, such as `p99<300ms`.
    pub slos: Vec<String>,
    /// Limit of the call, instead of that of the plan.
    pub timeout: Option<Duration>,
    /// Redirects that are followed in a row, instead of those of the plan.
    pub redirects: Option<u32>,
}

impl Step {
    /// A step that sends `request` once.
    #[must_use]
    pub fn new(name: impl Into<String>, request: RequestId) -> Self {
        Self {
            name: name.into(),
            group: None,
            request,
            choices: 1,
            order: Order::Sequential,
            when: None,
            share: 1.0,
            branch: None,
            repeat: Repeat::ONCE,
            again: None,
            think: Think::None,
            pace: None,
            rate_limit: None,
            captures: Vec::new(),
            checks: Vec::new(),
            on_fail: OnFail::default(),
            slos: Vec::new(),
            timeout: None,
            redirects: None,
        }
    }
}

/// Captures and checks of a step, at the most.
const CHECKS_MAX: usize = 63;

/// How often something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// So often: a number drawn evenly from `min` to `max`.
    Times {
        /// The least.
        min: u32,
        /// The most.
        max: u32,
    },
    /// Until the run ends.
    Forever,
}

impl Repeat {
    /// Once.
    pub const ONCE: Self = Self::Times { min: 1, max: 1 };

    /// Always so often.
    #[must_use]
    pub const fn times(times: u32) -> Self {
        Self::Times { min: times, max: times }
    }
}

/// A condition under which a step is run again, for polling.
#[derive(Clone, Debug, PartialEq)]
pub struct Again {
    /// The condition, about the reply of the step; without one, that all of its checks hold.
    pub condition: Option<Check>,
    /// Whether the step is run again until the condition holds, rather than while it does.
    pub until: bool,
    /// How often the step is run at the most, the first time included. One that is still to be run again then has failed.
    pub limit: u32,
}

impl Again {
    /// How often a step is run at the most unless the plan says how often.
    pub const LIMIT: u32 = 100;
}

/// What a session does after a failed check, a value that does not fit, or a call without a whole reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFail {
    /// It goes on with the next step.
    #[default]
    GoOn,
    /// It ends.
    EndSession,
    /// The run stops.
    StopRun,
}

/// A value that the plan gives a name: a text with `{{…}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name for `{{name}}`.
    pub name: String,
    /// Its value.
    pub value: VariableValue,
}

/// Where the value of a variable comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableValue {
    /// A text, which may contain values itself.
    Text(String),
    /// A secret: a variable of the environment.
    Environment(String),
    /// A secret: the content of a file, without the line end that ends it.
    File(PathBuf),
}

/// Rows of values that sessions take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataTable {
    /// The name for `{{name.column}}`.
    pub name: String,
    /// A CSV file with a line of names (RFC 4180), or JSON lines: one object a line.
    pub file: PathBuf,
    /// Which row a session takes.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub take: Take,
}

/// Which row of a data table a session takes. Session k takes the same row on any number of threads and machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Row k modulo their number.
    #[default]
    InOrder,
    /// Any, drawn evenly; the same row may be taken by several sessions at once.
    Random,
    /// In an order drawn once; when all rows were taken, in another.
    Shuffled,
    /// Row k, and none twice: the run ends when the rows are used up.
    Unique,
}

impl Plan {
    /// The steps of all scenarios in order, each with its scenario.
    pub fn steps(&self) -> impl Iterator<Item = (&Scenario, &Step)> {
        let of = |scenario| Scenario::all_steps(scenario).map(move |step| (scenario, step));
        self.scenarios.iter().flat_map(of)
    }
}

impl Step {
    /// The captures and checks of the step as reports name them, in the order in which they are counted: captures, checks,
    /// and the condition of a step that is run again.
    #[must_use]
    pub fn check_texts(&self) -> Vec<String> {
        let captures =
            self.captures.iter().map(|capture| format!("capture {}: {}", capture.name, capture.query));
        let checks = self.checks.iter().map(Check::to_string);
        let again = self.again.iter().map(|again| {
            let word = if again.until { "until" } else { "while" };
            match &again.condition {
                Some(condition) => format!("{word} {condition}"),
                None => format!("{word} its checks hold"),
            }
        });
        captures.chain(checks).chain(again).collect()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_usual(take: &Take) -> bool {
    *take == Take::InOrder
}

impl Repeat {
    fn check(self, field: &str) -> Result<(), PlanError> {
        match self {
            Self::Times { min, max } if min > max || max == 0 => Err(PlanError::new(
                field,
                format!("{min} to {max}"),
                "use a number of times, 1 or more, or uniform:1,5 with the smaller number first",
            )),
            _ => Ok(()),
        }
    }
}

impl Step {
    /// Checks what the step alone can know.
    pub(crate) fn check(&self, requests: usize) -> Result<(), PlanError> {
        let last = self.request.0 as usize + self.choices as usize;
        if self.choices == 0 || last > requests {
            let value = format!("{} to {}", self.request.0, last);
            return Err(PlanError::new(
                "request",
                value,
                format!("use numbers of requests, up to {requests}"),
            ));
        }
        if !(self.share > 0.0 && self.share <= 1.0) {
            return Err(PlanError::new("share", self.share.to_string(), "use more than 0% and at most 100%"));
        }
        self.repeat.check("repeat")?;
        if let Some(limit) = self.rate_limit
            && !(limit.is_finite() && limit > 0.0)
        {
            return Err(PlanError::new("rate_limit", limit.to_string(), "use a positive rate, such as 10/s"));
        }
        for (field, time) in [("timeout", self.timeout), ("pace", self.pace)] {
            if time == Some(Duration::ZERO) {
                return Err(PlanError::new(field, print_duration(Duration::ZERO), "use more than zero"));
            }
        }
        if self.captures.len() + self.checks.len() >= CHECKS_MAX {
            let count = (self.captures.len() + self.checks.len()).to_string();
            return Err(PlanError::new(
                "check",
                count,
                format!("use fewer than {CHECKS_MAX} captures and checks"),
            ));
        }
        if self.again.as_ref().is_some_and(|again| again.limit == 0) {
            return Err(PlanError::new("limit", "0", "use 1 or more"));
        }
        Ok(())
    }
}

impl Scenario {
    /// Checks its steps, each by its name.
    pub(crate) fn check(&self, requests: usize) -> Result<(), PlanError> {
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return Err(PlanError::new("weight", self.weight.to_string(), "use more than 0"));
        }
        self.repeat.check("repeat")?;
        for step in self.all_steps() {
            step.check(requests).map_err(|error| error.within(&format!("step.{}", step.name)))?;
        }
        Ok(())
    }
}
