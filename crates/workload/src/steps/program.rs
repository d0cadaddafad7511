//! Scenarios compiled to instructions.

use super::names::Names;
use crate::seed::{Purpose, Stream, Streams};
use std::sync::Arc;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::query::Check;
use warwolf_plan::{CheckedPlan, OnFail, Order, Repeat, Scenario, Shard, Step, Think};
use warwolf_scan::{Condition, ConditionMemory, Scan, Scanner};

/// An instruction. Numbers are indexes: of instructions, loops, draws, steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Draws which branch is taken.
    Draw(u16),
    /// Goes on elsewhere unless the condition holds.
    Unless { condition: u16, otherwise: u32 },
    /// Goes on elsewhere unless the draw lies in this part of 0 to [`SHARES`].
    Share { draw: u16, from: u32, to: u32, otherwise: u32 },
    /// Begins a loop: so many times, drawn evenly.
    Begin { counter: u16, min: u32, max: u32 },
    /// Goes back as long as the loop has turns left.
    End { counter: u16, begin: u32 },
    /// Goes back, always.
    Jump(u32),
    /// Sets a counter to zero.
    Reset(u16),
    /// Waits for the next request that the limit of the step allows.
    Limit(u16),
    /// Sends the request of a step. The next instruction comes after its reply.
    Send(u16),
    /// Leaves for the teardown if the step failed.
    Fail(u16),
    /// Pauses as the step says.
    Pause(u16),
    /// Goes back if the reply asks for it.
    Again { step: u16, counter: u16, begin: u32 },
    /// The steps of a group are over.
    Leave,
    /// The session is over.
    Over,
}

/// What shares are counted in.
pub(super) const SHARES: u32 = 1_000_000;

/// A step, compiled.
#[derive(Debug)]
pub(super) struct CompiledStep {
    pub(super) request: u32,
    pub(super) choices: u32,
    pub(super) order: Order,
    pub(super) think: Think,
    pub(super) pace: Option<Duration>,
    pub(super) limit: Option<Limit>,
    pub(super) on_fail: OnFail,
    pub(super) group: Option<u16>,
    pub(super) timeout: Option<Duration>,
    pub(super) redirects: Option<u32>,
    /// Evaluates the captures, the checks, and then the condition of `again`.
    pub(super) scanner: Scanner,
    /// The captures by number.
    pub(super) captures: Vec<usize>,
    /// The number of the first among all captures and checks of the plan.
    pub(super) first_check: u16,
    pub(super) checks: usize,
    pub(super) again: Option<CompiledAgain>,
}

/// The condition under which a step is run again.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompiledAgain {
    /// The condition is a check of its own, after the others; otherwise the step is run until all checks hold.
    pub(super) is_own: bool,
    pub(super) until: bool,
    pub(super) limit: u32,
}

/// A limit on the rate of a step: the share of one worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) gap: Duration,
    /// When the next request is allowed.
    pub(super) next: Timestamp,
}

/// The instructions of a scenario.
#[derive(Clone, Debug)]
pub(super) struct CompiledScenario {
    pub(super) ops: Vec<Op>,
    pub(super) teardown: u32,
    /// The end of its part of 0 to 1.
    upto: f64,
}

/// The scenarios of a plan, compiled.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(super) names: Arc<Names>,
    pub(super) scenarios: Vec<CompiledScenario>,
    pub(super) steps: Vec<CompiledStep>,
    pub(super) conditions: Vec<Condition>,
    pub(super) memory: ConditionMemory,
    pub(super) counters: usize,
    pub(super) draws: usize,
    pub(super) choices: Streams,
    pub(super) pauses: Streams,
    pub(super) data: Streams,
}

impl Programs {
    /// Compiles the scenarios of `plan`; none if it has none.
    pub(crate) fn new(plan: &CheckedPlan, names: &Arc<Names>, shard: Shard) -> Option<Self> {
        if plan.scenarios.is_empty() {
            return None;
        }
        let mut compiler = Compiler {
            programs: Self {
                names: Arc::clone(names),
                scenarios: Vec::new(),
                steps: Vec::new(),
                conditions: Vec::new(),
                memory: ConditionMemory::default(),
                counters: 0,
                draws: 0,
                choices: Streams::new(plan.seed, Purpose::CHOICES),
                pauses: Streams::new(plan.seed, Purpose::THINK),
                data: Streams::new(plan.seed, Purpose::DATA),
            },
            groups: Vec::new(),
            checks: 0,
            shards: shard.count(),
            ops: Vec::new(),
            branches: Vec::new(),
            group: None,
        };
        let total: f64 = plan.scenarios.iter().map(|scenario| scenario.weight).sum();
        let mut upto = 0.0;
        for scenario in &plan.scenarios {
            upto += scenario.weight / total;
            compiler.scenario(scenario, upto);
        }
        Some(compiler.programs)
    }

    /// How many steps there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// What evaluates the replies to a step.
    pub(crate) fn scanner(&self, step: u16) -> &Scanner {
        &self.steps[usize::from(step)].scanner
    }

    /// What a check of a step found instead. The last one of a step that is run until its checks hold stands for all of them.
    pub(crate) fn found(&self, step: u16, scan: &Scan, check: usize) -> String {
        let step = &self.steps[usize::from(step)];
        match step.again {
            Some(again) if check == step.checks && !again.is_own => "a check that does not hold".to_owned(),
            _ => scan.found(check),
        }
    }

    /// The scenario of session `number`.
    pub(super) fn scenario_of(&self, number: u64) -> u16 {
        let drawn = self.choices.stream(number).unit(0);
        let found = self.scenarios.iter().position(|scenario| drawn <= scenario.upto);
        found.unwrap_or(self.scenarios.len() - 1) as u16
    }

    /// Numbers for the draws of session `number`; the first one is its scenario.
    pub(super) fn chance(&self, number: u64) -> Stream {
        self.choices.stream(number)
    }
}

struct Compiler {
    programs: Programs,
    groups: Vec<String>,
    /// Captures and checks so far.
    checks: usize,
    shards: u32,
    ops: Vec<Op>,
    /// The branches of the scenario, each with its draw and the part of it that is taken.
    branches: Vec<(String, u16, u32)>,
    /// The group of the last step.
    group: Option<u16>,
}

impl Compiler {
    fn scenario(&mut self, scenario: &Scenario, upto: f64) {
        self.ops = Vec::new();
        self.branches.clear();
        self.steps(&scenario.setup);
        let repeats = scenario.repeat != Repeat::ONCE;
        let counter = self.counter();
        let begin = if repeats { self.begin(scenario.repeat, counter) } else { 0 };
        self.steps(&scenario.steps);
        if repeats {
            self.end(scenario.repeat, counter, begin);
        }
        let teardown = self.here();
        self.branches.clear();
        self.steps(&scenario.teardown);
        self.ops.push(Op::Over);
        let ops = std::mem::take(&mut self.ops);
        self.programs.scenarios.push(CompiledScenario { ops, teardown, upto });
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
        self.leave_group(None);
    }

    fn step(&mut self, step: &Step) {
        let number = self.programs.steps.len() as u16;
        let group = step.group.as_ref().map(|name| self.group_number(name));
        self.leave_group(group);
        let compiled = self.compiled(step, group);
        let again = compiled.again;
        let is_limited = compiled.limit.is_some();
        let pauses = compiled.think != Think::None || compiled.pace.is_some();
        self.programs.steps.push(compiled);
        let skips = [self.unless(step.when.as_ref()), self.share(step)];
        let counter = self.counter();
        let begin = (step.repeat != Repeat::ONCE).then(|| self.begin(step.repeat, counter));
        let tries = again.map(|_| {
            let tries = self.counter();
            self.ops.push(Op::Reset(tries));
            tries
        });
        let top = self.here();
        if is_limited {
            self.ops.push(Op::Limit(number));
        }
        self.ops.push(Op::Send(number));
        if step.on_fail != OnFail::GoOn {
            self.ops.push(Op::Fail(number));
        }
        if pauses {
            self.ops.push(Op::Pause(number));
        }
        if let Some(counter) = tries {
            self.ops.push(Op::Again { step: number, counter, begin: top });
        }
        if let Some(begin) = begin {
            self.end(step.repeat, counter, begin);
        }
        let after = self.here();
        for skip in skips.into_iter().flatten() {
            match &mut self.ops[skip] {
                Op::Unless { otherwise, .. } | Op::Share { otherwise, .. } => *otherwise = after,
                _ => {}
            }
        }
    }

    fn compiled(&mut self, step: &Step, group: Option<u16>) -> CompiledStep {
        let own = step.again.as_ref().and_then(|again| again.condition.clone());
        let checks: Vec<Check> = step.checks.iter().cloned().chain(own.clone()).collect();
        let first_check = self.checks as u16;
        self.checks += step.captures.len() + step.checks.len() + usize::from(step.again.is_some());
        CompiledStep {
            request: step.request.0,
            choices: step.choices,
            order: step.order,
            think: step.think,
            pace: step.pace,
            limit: step.rate_limit.map(|rate| Limit {
                gap: Duration::from_secs_f64(f64::from(self.shards) / rate),
                next: Timestamp::ZERO,
            }),
            on_fail: step.on_fail,
            group,
            timeout: step.timeout,
            redirects: step.redirects,
            // A checked plan has no query that cannot be compiled.
            scanner: Scanner::new(&step.captures, &checks)
                .expect("the captures and checks of a checked plan"),
            captures: step
                .captures
                .iter()
                .filter_map(|capture| self.programs.names.capture(&capture.name))
                .collect(),
            first_check,
            checks: step.checks.len(),
            again: step.again.as_ref().map(|again| CompiledAgain {
                is_own: own.is_some(),
                until: again.until,
                limit: again.limit,
            }),
        }
    }

    fn here(&self) -> u32 {
        self.ops.len() as u32
    }

    fn counter(&mut self) -> u16 {
        self.programs.counters += 1;
        (self.programs.counters - 1) as u16
    }

    fn begin(&mut self, repeat: Repeat, counter: u16) -> u32 {
        if let Repeat::Times { min, max } = repeat {
            self.ops.push(Op::Begin { counter, min, max });
        }
        self.here()
    }

    fn end(&mut self, repeat: Repeat, counter: u16, begin: u32) {
        self.ops.push(match repeat {
            Repeat::Times { .. } => Op::End { counter, begin },
            Repeat::Forever => Op::Jump(begin),
        });
    }

    /// Leaves out what follows unless the condition holds. Returns the instruction whose target is not known yet.
    fn unless(&mut self, when: Option<&Check>) -> Option<usize> {
        let condition = Condition::new(when?).expect("the condition of a checked plan");
        self.programs.conditions.push(condition);
        let condition = (self.programs.conditions.len() - 1) as u16;
        self.ops.push(Op::Unless { condition, otherwise: 0 });
        Some(self.ops.len() - 1)
    }

    /// Leaves out what follows unless the step is drawn. Returns the instruction whose target is not known yet.
    fn share(&mut self, step: &Step) -> Option<usize> {
        if step.share >= 1.0 && step.branch.is_none() {
            return None;
        }
        let part = (step.share * f64::from(SHARES)).round() as u32;
        let known = self.branches.iter_mut().find(|(name, ..)| Some(name) == step.branch.as_ref());
        let (draw, from) = match known {
            Some((_, draw, taken)) => {
                let from = *taken;
                *taken += part;
                (*draw, from)
            }
            None => {
                let draw = self.programs.draws as u16;
                self.programs.draws += 1;
                self.ops.push(Op::Draw(draw));
                self.branches.extend(step.branch.clone().map(|name| (name, draw, part)));
                (draw, 0)
            }
        };
        self.ops.push(Op::Share { draw, from, to: from + part, otherwise: 0 });
        Some(self.ops.len() - 1)
    }

    fn group_number(&mut self, name: &str) -> u16 {
        let known = self.groups.iter().position(|group| group == name);
        known.unwrap_or_else(|| {
            self.groups.push(name.to_owned());
            self.groups.len() - 1
        }) as u16
    }

    /// Ends the group of the last step if the next one is not of it.
    fn leave_group(&mut self, next: Option<u16>) {
        if self.group.is_some() && self.group != next {
            self.ops.push(Op::Leave);
        }
        self.group = next;
    }
}
