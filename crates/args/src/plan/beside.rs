//! Options beside a plan file: what they give replaces what the file has.

use super::{by_option, headers, limit, number, optional, seed, steps, stop, tls, wrong};
use crate::load::{DriverWord, IdleWord, Load};
use warwolf_plan::quantity::{parse_duration, parse_rate};
use warwolf_plan::{
    ArrivalProcess, CheckedPlan, DriverChoice, Endpoint, Idle, Label, Plan, PlanError, Proxy, Request,
    Resolve, Schedule, Shapes, Stop,
};

/// The plan of a file, with what the options give in place of its own.
pub(super) fn overridden(plan: CheckedPlan, args: &Load) -> Result<CheckedPlan, PlanError> {
    let mut plan = Plan::from(plan);
    if let Some(text) = &args.seed {
        plan.seed = seed(text)?;
    }
    if !args.slo.is_empty() {
        plan.slos.clone_from(&args.slo);
    }
    load(args, &mut plan)?;
    requests(args, &mut plan)?;
    steps::add_beside(args, &mut plan)?;
    plan.labels.extend(args.label.iter().map(|text| Label::parse(text)).collect::<Result<Vec<_>, _>>()?);
    machine(args, &mut plan)?;
    plan.check().map_err(by_option)
}

/// When sessions start, and when the run ends.
fn load(args: &Load, plan: &mut Plan) -> Result<(), PlanError> {
    if args.duration.is_some() || args.requests.is_some() {
        plan.stop = Stop { grace: plan.stop.grace, ..stop(args)? };
    }
    if let Some(text) = &args.grace {
        plan.stop.grace = parse_duration("grace", text)?;
    }
    if let Some(text) = &args.warmup {
        plan.warmup = parse_duration("warmup", text)?;
    }
    if let Some(text) = &args.rate {
        let asked = parse_rate("rate", text)?;
        match &mut plan.schedule {
            Schedule::Open {
                arrivals: ArrivalProcess::Constant { rate } | ArrivalProcess::Poisson { rate },
                ..
            } => *rate = asked,
            Schedule::Turns { .. } => {
                let arrivals = ArrivalProcess::Constant { rate: asked };
                plan.schedule = Schedule::Open { arrivals, burst: 1 };
            }
            _ => return Err(wrong("rate", text, "the plan has no single rate; leave it out")),
        }
    }
    if let Some(text) = &args.connections {
        let asked = number("connections", text)?;
        match &mut plan.schedule {
            Schedule::Closed { users, .. } | Schedule::Turns { users } => *users = asked,
            Schedule::Open { .. } => plan.connections.limit = asked,
        }
    }
    Ok(())
}

/// Where requests go, and the fields that they carry.
fn requests(args: &Load, plan: &mut Plan) -> Result<(), PlanError> {
    let headers = headers(args)?;
    if !headers.is_empty() {
        each_list(plan, &mut |requests| {
            Shapes::change(requests, |shape| {
                shape
                    .headers
                    .retain(|(name, _)| !headers.iter().any(|(new, _)| new.eq_ignore_ascii_case(name)));
                shape.headers.extend(headers.iter().cloned());
            });
        });
    }
    match &args.url[..] {
        [] => {}
        [url] => {
            let new = Request::get(url)?;
            if !matches!(&*new.path, "/") {
                let remedy = "beside a plan it says where its requests go: give scheme, host and port only";
                return Err(wrong("url", url, remedy));
            }
            let old = plan.requests[0].endpoint.clone();
            move_requests(plan, &old, &new.endpoint);
        }
        _ => {
            return Err(wrong(
                "url",
                &args.url[1],
                "give one URL beside a plan, such as http://127.0.0.1:8080",
            ));
        }
    }
    Ok(())
}

/// Sends what goes to `old` to `new` instead.
fn move_requests(plan: &mut Plan, old: &Endpoint, new: &Endpoint) {
    each_list(plan, &mut |requests| {
        Shapes::change(requests, |shape| {
            if shape.endpoint == *old {
                shape.endpoint = new.clone();
            }
        });
    });
}

fn each_list(plan: &mut Plan, change: &mut dyn FnMut(&mut [Request])) {
    change(&mut plan.requests);
    change(&mut plan.session.setup);
    plan.session.recovery.iter_mut().for_each(|recovery| change(&mut recovery.requests));
}

/// Connections, TLS and this machine.
fn machine(args: &Load, plan: &mut Plan) -> Result<(), PlanError> {
    let Load { connection, machine, .. } = args;
    if connection.timeout.is_some() {
        plan.timeouts.call = limit("timeout", &connection.timeout, plan.timeouts.call)?;
    }
    if connection.connect_timeout.is_some() {
        plan.timeouts.connect = limit("connect-timeout", &connection.connect_timeout, plan.timeouts.connect)?;
    }
    plan.network
        .resolve
        .extend(connection.resolve.iter().map(|text| Resolve::parse(text)).collect::<Result<Vec<_>, _>>()?);
    if let Some(proxy) = optional(&connection.proxy, Proxy::parse)? {
        plan.network.proxy = Some(proxy);
    }
    if args.tls.insecure || args.tls.cacert.is_some() {
        plan.tls.verify = tls(&args.tls)?.verify;
    }
    if let Some(threads) = optional(&machine.threads, |text| number("threads", text))? {
        plan.threads = Some(threads);
    }
    match machine.driver {
        Some(DriverWord::Uring) => plan.driver = DriverChoice::Uring,
        Some(DriverWord::Epoll) => plan.driver = DriverChoice::Epoll,
        None => {}
    }
    match machine.idle {
        Some(IdleWord::Block) => plan.idle = Idle::Block,
        Some(IdleWord::Spin) => plan.idle = Idle::Spin,
        None => {}
    }
    Ok(())
}
