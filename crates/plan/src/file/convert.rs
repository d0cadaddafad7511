//! Between the tables of a file and the model.

use super::requests::{Reader, Writer};
use super::tables::{
    Changed, LoadTable, Once, PlanTable, RecoveryTable, Redirects, ScenarioTable, SessionTable, StepTable,
    TimeoutsTable,
};
use super::texts::{Captures, Variables};
use super::words::{As, Calls, Condition, Limit, Rate, Several, Share, Time};
use crate::query::Check;
use crate::{
    Again, Endpoint, Label, Plan, PlanError, Recovery, Repeat, Request, RequestId, Scenario, Schedule,
    SessionShape, Step, Think, Timeouts, Work,
};
use std::time::Duration;

impl PlanTable {
    /// The plan that the file means, not yet checked.
    pub(super) fn into_plan(mut self) -> Result<Plan, PlanError> {
        let mut reader = Reader { origin: self.origin()?, ..Reader::default() };
        let mut plan = Plan::new(Vec::new());
        let has_steps = !self.step.is_empty() || !self.scenario.is_empty();
        self.check_parts(has_steps)?;
        let requests = reader.list("requests", std::mem::take(&mut self.requests))?;
        reader.requests = requests;
        self.read_steps(&mut plan, &mut reader)?;
        plan.requests = std::mem::take(&mut reader.requests);
        plan.seed = self.seed;
        plan.slos = self.slo.0;
        plan.labels = self.labels.iter().map(|text| Label::parse(text)).collect::<Result<_, _>>()?;
        plan.variables = self.variables.0;
        plan.data = self.data;
        plan.session = self.session.into_session(&self.load, has_steps, &mut reader)?;
        self.load.apply(&mut plan, has_steps)?;
        plan.connections = self.connections.0;
        plan.timeouts = self.timeouts.into_timeouts();
        plan.network = self.network.0;
        plan.tls = self.tls.0;
        Ok(plan)
    }

    fn origin(&self) -> Result<Option<Endpoint>, PlanError> {
        let read = |url: &String| Endpoint::parse(url).map_err(|remedy| PlanError::new("url", url, remedy));
        self.url.as_ref().map(read).transpose()
    }

    /// What excludes each other at the top.
    fn check_parts(&self, has_steps: bool) -> Result<(), PlanError> {
        if has_steps && !self.requests.is_empty() {
            let remedy = "a plan has steps or a plain list of requests: make it a step with `requests`";
            return Err(PlanError::new("requests", "", remedy));
        }
        if !self.step.is_empty() && !self.scenario.is_empty() {
            return Err(PlanError::new("step", "", "put it into a scenario, as [[scenario.step]]"));
        }
        if has_steps {
            return Ok(());
        }
        for (key, steps) in [("setup", &self.setup), ("teardown", &self.teardown)] {
            if !steps.is_empty() {
                let remedy = "it needs steps: write requests as [[step]]";
                return Err(PlanError::new(key, "", remedy));
            }
        }
        Ok(())
    }

    fn read_steps(&mut self, plan: &mut Plan, reader: &mut Reader) -> Result<(), PlanError> {
        let (setup, first) = split(std::mem::take(&mut self.setup));
        let (teardown, last) = split(std::mem::take(&mut self.teardown));
        plan.setup = steps(reader, "setup", setup)?;
        let mut scenarios = std::mem::take(&mut self.scenario);
        if scenarios.is_empty() {
            let step = std::mem::take(&mut self.step);
            if step.is_empty() {
                return Ok(());
            }
            let mut scenario = Scenario::new("", Vec::new());
            scenario.setup = steps(reader, "setup", first)?;
            scenario.steps = steps(reader, "step", step)?;
            scenario.teardown = steps(reader, "teardown", last)?;
            plan.scenarios = vec![scenario];
        } else {
            for (key, steps) in [("setup", first), ("teardown", last)] {
                if let Some(step) = steps.first() {
                    let field = format!("{key}.{}", step.name.as_deref().unwrap_or("0"));
                    let remedy = format!(
                        "with scenarios, use once = \"run\", or put it into a scenario as [[scenario.{key}]]"
                    );
                    return Err(PlanError::new(field, "", remedy));
                }
            }
            for (index, table) in scenarios.drain(..).enumerate() {
                plan.scenarios.push(table.into_scenario(index, reader)?);
            }
        }
        plan.teardown = steps(reader, "teardown", teardown)?;
        Ok(())
    }

    /// The file that means `plan`.
    pub(super) fn of(plan: &Plan) -> Self {
        let mut writer = Writer::default();
        let mut file = Self {
            seed: plan.seed,
            slo: Several(plan.slos.clone()),
            labels: plan.labels.iter().map(Label::to_string).collect(),
            load: LoadTable::of(plan),
            variables: Variables(plan.variables.clone()),
            data: plan.data.clone(),
            connections: Changed(plan.connections.clone()),
            timeouts: TimeoutsTable::of(&plan.timeouts),
            network: Changed(plan.network.clone()),
            tls: Changed(plan.tls.clone()),
            ..Self::default()
        };
        let once = |table: StepTable| StepTable { once: Some(Once::Run), ..table };
        let setup = step_tables(&mut writer, plan, &plan.setup);
        file.setup = setup.into_iter().map(once).collect();
        match plan.scenarios.as_slice() {
            [] => file.requests = writer.list(&plan.requests),
            [only] if only.name.is_empty() && only.weight == 1.0 && only.repeat == Repeat::ONCE => {
                file.setup.extend(step_tables(&mut writer, plan, &only.setup));
                file.step = step_tables(&mut writer, plan, &only.steps);
                file.teardown = step_tables(&mut writer, plan, &only.teardown);
            }
            scenarios => {
                file.scenario =
                    scenarios.iter().map(|scenario| ScenarioTable::of(scenario, plan, &mut writer)).collect();
            }
        }
        file.teardown.extend(step_tables(&mut writer, plan, &plan.teardown).into_iter().map(once));
        file.session = SessionTable::of(plan, &mut writer);
        file
    }
}

/// Steps of the run, and steps of each session.
fn split(steps: Vec<StepTable>) -> (Vec<StepTable>, Vec<StepTable>) {
    steps.into_iter().partition(|step| step.once == Some(Once::Run))
}

fn steps(reader: &mut Reader, key: &str, tables: Vec<StepTable>) -> Result<Vec<Step>, PlanError> {
    let tables = tables.into_iter().enumerate();
    tables
        .map(|(index, table)| {
            let name = table.name.clone().unwrap_or_else(|| index.to_string());
            table.into_step(&format!("{key}.{name}"), reader)
        })
        .collect()
}

fn step_tables(writer: &mut Writer, plan: &Plan, steps: &[Step]) -> Vec<StepTable> {
    steps.iter().map(|step| StepTable::of(step, plan, writer)).collect()
}

impl ScenarioTable {
    fn into_scenario(self, index: usize, reader: &mut Reader) -> Result<Scenario, PlanError> {
        let name = self.name.unwrap_or_default();
        let key = if name.is_empty() { index.to_string() } else { name.clone() };
        let key = |part: &str| format!("scenario.{key}.{part}");
        for (part, step) in self.setup.iter().chain(&self.step).chain(&self.teardown).enumerate() {
            if step.once == Some(Once::Run) {
                let name = step.name.clone().unwrap_or_else(|| part.to_string());
                let remedy =
                    "what is done once a run stands outside of scenarios, as [[setup]] or [[teardown]]";
                return Err(PlanError::new(key("step"), name, remedy));
            }
        }
        Ok(Scenario {
            weight: self.weight.unwrap_or(1.0),
            setup: steps(reader, &key("setup"), self.setup)?,
            steps: steps(reader, &key("step"), self.step)?,
            repeat: self.repeat.map_or(Repeat::ONCE, |As(repeat)| repeat),
            teardown: steps(reader, &key("teardown"), self.teardown)?,
            name,
        })
    }

    fn of(scenario: &Scenario, plan: &Plan, writer: &mut Writer) -> Self {
        Self {
            name: (!scenario.name.is_empty()).then(|| scenario.name.clone()),
            weight: (scenario.weight != 1.0).then_some(scenario.weight),
            repeat: (scenario.repeat != Repeat::ONCE).then_some(As(scenario.repeat)),
            setup: step_tables(writer, plan, &scenario.setup),
            step: step_tables(writer, plan, &scenario.steps),
            teardown: step_tables(writer, plan, &scenario.teardown),
        }
    }
}

impl StepTable {
    fn into_step(mut self, field: &str, reader: &mut Reader) -> Result<Step, PlanError> {
        let requests = reader.table(field, self.take_request())?;
        let first = &requests[0];
        let name = self.name.take().unwrap_or_else(|| usual_name(first));
        let id = u32::try_from(reader.requests.len())
            .map_err(|_| PlanError::new(field, "", "use fewer requests"))?;
        let choices = requests.len() as u32;
        reader.requests.extend(requests);
        let again = self.again(field)?;
        let step = Step::new(name, RequestId(id));
        Ok(Step {
            group: self.group,
            choices,
            order: self.order,
            when: self.when.map(|As(check)| check),
            share: self.share.map_or(1.0, |As(Share(share))| share),
            branch: self.branch,
            repeat: self.repeat.map_or(Repeat::ONCE, |As(repeat)| repeat),
            again,
            think: self.think.map_or(Think::None, |As(think)| think),
            pace: self.pace.map(|As(Time(time))| time),
            rate_limit: self.rate_limit.map(|As(Rate(rate))| rate),
            captures: self.capture.0,
            checks: self.check.0.into_iter().map(|As(check)| check).collect(),
            on_fail: self.on_fail,
            slos: self.slo.0,
            timeout: self.timeout.map(|As(Time(time))| time),
            redirects: self.redirects,
            ..step
        })
    }

    fn again(&mut self, field: &str) -> Result<Option<Again>, PlanError> {
        let (condition, until) = match (self.r#while.take(), self.until.take()) {
            (None, None) => {
                return match self.limit {
                    None => Ok(None),
                    Some(limit) => {
                        let remedy = "it is for while and until; for a fixed number of times, use repeat";
                        Err(PlanError::new(format!("{field}.limit"), limit.to_string(), remedy))
                    }
                };
            }
            (Some(As(Condition(condition))), None) => (condition, false),
            (None, Some(As(Condition(condition)))) => (condition, true),
            (Some(_), Some(_)) => {
                return Err(PlanError::new(format!("{field}.until"), "", "use either while or until"));
            }
        };
        Ok(Some(Again { condition, until, limit: self.limit.unwrap_or(Again::LIMIT) }))
    }

    fn of(step: &Step, plan: &Plan, writer: &mut Writer) -> Self {
        let first = step.request.0 as usize;
        let requests = plan.requests.get(first..first + step.choices as usize).unwrap_or_default();
        let table = Self::from(writer.table(requests));
        let again = step.again.as_ref();
        let condition = |until: bool| {
            again.filter(|again| again.until == until).map(|again| As(Condition(again.condition.clone())))
        };
        Self {
            name: requests
                .first()
                .is_none_or(|first| usual_name(first) != step.name)
                .then(|| step.name.clone()),
            group: step.group.clone(),
            when: step.when.clone().map(As),
            share: (step.share != 1.0).then_some(As(Share(step.share))),
            branch: step.branch.clone(),
            repeat: (step.repeat != Repeat::ONCE).then_some(As(step.repeat)),
            order: step.order,
            capture: Captures(step.captures.clone()),
            check: Several(step.checks.iter().cloned().map(As::<Check>).collect()),
            slo: Several(step.slos.clone()),
            r#while: condition(false),
            until: condition(true),
            limit: again.map(|again| again.limit).filter(|limit| *limit != Again::LIMIT),
            think: (step.think != Think::None).then_some(As(step.think)),
            pace: step.pace.map(|time| As(Time(time))),
            rate_limit: step.rate_limit.map(|rate| As(Rate(rate))),
            timeout: step.timeout.map(|time| As(Time(time))),
            redirects: step.redirects,
            on_fail: step.on_fail,
            ..table
        }
    }
}

/// What a step is called that has no name: its method and path.
fn usual_name(request: &Request) -> String {
    format!("{} {}", request.method, request.path)
}

impl SessionTable {
    fn into_session(
        self,
        load: &LoadTable,
        has_steps: bool,
        reader: &mut Reader,
    ) -> Result<SessionShape, PlanError> {
        if has_steps {
            self.check_beside_steps()?;
        }
        let usual = SessionShape::default();
        let calls = match self.calls {
            Some(As(Calls(calls))) => calls,
            None => usual_calls(load.is_open()),
        };
        let work = match self.scripts {
            Some(scripts) => Work::Scripts { scripts },
            None => Work::Draw {
                calls: if has_steps { None } else { calls },
                burst: self.burst.unwrap_or(1),
                first_alone: self.first_alone,
                order: self.order,
            },
        };
        let recovery = match self.recovery {
            None => None,
            Some(RecoveryTable { status, requests }) => {
                Some(Recovery { status, requests: reader.list("session.recovery.requests", requests)? })
            }
        };
        Ok(SessionShape {
            work,
            think: self.think.map_or(Think::None, |As(think)| think),
            think_at: self.think_at,
            cookies: self.cookies,
            initial_cookies: self.initial_cookies,
            forget_cookies_after: self.forget_cookies_after,
            redirects: self.redirects.0,
            setup: reader.list("session.setup", self.setup)?,
            parts: self.parts.unwrap_or(usual.parts),
            links: self.links,
            resources: self.resources,
            recovery,
            auth: self.auth,
            failure: self.failure.0,
        })
    }

    /// Steps replace how sessions go through a list of requests.
    fn check_beside_steps(&self) -> Result<(), PlanError> {
        let given = [
            ("calls", self.calls.is_some(), "repeat of a step or scenario"),
            ("burst", self.burst.is_some(), "one step after the other"),
            ("first_alone", self.first_alone, "one step after the other"),
            ("order", self.order != crate::Order::default(), "order of a step"),
            ("scripts", self.scripts.is_some(), "scenarios"),
            ("think", self.think.is_some(), "think of each step"),
            ("think_at", self.think_at != crate::ThinkAt::default(), "think of each step"),
            ("parts", self.parts.is_some(), "scenarios"),
            ("links", self.links.is_some(), "branches"),
            ("setup", !self.setup.is_empty(), "[[setup]]"),
        ];
        match given.iter().find(|(_, is_given, _)| *is_given) {
            None => Ok(()),
            Some((key, _, instead)) => {
                let remedy = format!("it is for plans with a list of requests; with steps, use {instead}");
                Err(PlanError::new(format!("session.{key}"), "", remedy))
            }
        }
    }

    fn of(plan: &Plan, writer: &mut Writer) -> Self {
        let session = &plan.session;
        let setup = writer_order(session, writer);
        let mut table = Self {
            think: (session.think != Think::None).then_some(As(session.think)),
            think_at: session.think_at,
            parts: (session.parts != 1).then_some(session.parts),
            links: session.links.clone(),
            cookies: session.cookies,
            initial_cookies: session.initial_cookies.clone(),
            forget_cookies_after: session.forget_cookies_after,
            redirects: Redirects(session.redirects.clone()),
            resources: session.resources.clone(),
            recovery: setup.0,
            setup: setup.1,
            auth: session.auth.clone(),
            failure: Changed(session.failure.clone()),
            ..Self::default()
        };
        if !plan.scenarios.is_empty() {
            // Steps say what these would.
            return Self {
                think: None,
                think_at: crate::ThinkAt::default(),
                parts: None,
                links: None,
                setup: Vec::new(),
                ..table
            };
        }
        match &session.work {
            Work::Scripts { scripts } => table.scripts = Some(scripts.clone()),
            Work::Draw { calls, burst, first_alone, order } => {
                let usual = usual_calls(matches!(plan.schedule, Schedule::Open { .. }));
                table.calls = (*calls != usual).then_some(As(Calls(*calls)));
                table.burst = (*burst != 1).then_some(*burst);
                (table.first_alone, table.order) = (*first_alone, *order);
            }
        }
        table
    }
}

/// Writes the recovery requests, then the setup requests: in the order in which they are read.
fn writer_order(
    session: &SessionShape,
    writer: &mut Writer,
) -> (Option<RecoveryTable>, Vec<super::tables::RequestEntry>) {
    let recovery = session
        .recovery
        .as_ref()
        .map(|recovery| RecoveryTable { status: recovery.status, requests: writer.list(&recovery.requests) });
    (recovery, writer.list(&session.setup))
}

/// Calls of a session that draws requests, unless the plan says how many.
const fn usual_calls(is_open: bool) -> Option<u64> {
    if is_open { Some(1) } else { None }
}

impl LoadTable {
    /// Whether sessions arrive.
    fn is_open(&self) -> bool {
        use super::tables::RampValue;
        self.rate.is_some()
            || self.arrivals.is_some()
            || !self.steps.is_empty()
            || self.trace.is_some()
            || matches!(self.ramp, Some(RampValue::Rate(_)))
    }
}

impl TimeoutsTable {
    fn into_timeouts(self) -> Timeouts {
        let usual = Timeouts::default();
        let limit =
            |given: Option<As<Limit>>, usual: Option<Duration>| given.map_or(usual, |As(Limit(time))| time);
        Timeouts {
            connect: limit(self.connect, usual.connect),
            tls: limit(self.tls, usual.tls),
            call: limit(self.call, usual.call),
            send: limit(self.send, usual.send),
            reply: limit(self.reply, usual.reply),
            idle: limit(self.idle, usual.idle),
        }
    }

    fn of(timeouts: &Timeouts) -> Self {
        let usual = Timeouts::default();
        let limit = |is: Option<Duration>, usual: Option<Duration>| (is != usual).then_some(As(Limit(is)));
        Self {
            connect: limit(timeouts.connect, usual.connect),
            tls: limit(timeouts.tls, usual.tls),
            call: limit(timeouts.call, usual.call),
            send: limit(timeouts.send, usual.send),
            reply: limit(timeouts.reply, usual.reply),
            idle: limit(timeouts.idle, usual.idle),
        }
    }
}
