//! `crawl`: walks a site's links and keeps a list of URLs and a click model.

use crate::endpoint::{addresses, driver, place};
use crate::exit::{Exit, Failure, MachineFailure, NetworkFailure, TargetFailure};
use crate::output_file::OutputFile;
use crate::progress::Manner;
use crate::status_line::{StatusLine, left};
use crate::{signals, streams};
use std::time::Duration;
use warwolf_args::crawl::Crawl;
use warwolf_args::{UsageError, values};
use warwolf_crawl::{Limits, PageCounts, Progress, Site, Walk, WalkError};
use warwolf_engine::Control;
use warwolf_exchange::Interruptible;
use warwolf_plan::quantity::{parse_rate, parse_size};
use warwolf_plan::{ClickModel, Request};

/// Walks, and writes what was found.
///
/// # Errors
/// When the words are wrong, the site cannot be walked, or a file cannot be written.
pub(crate) fn crawl(args: &Crawl) -> Result<Exit, Failure> {
    let request = values::plain_url(&args.url)?;
    let limits = limits(args)?;
    let list = args.output.as_deref().map(|path| OutputFile::open("output", path)).transpose()?;
    let model = args.clicks.as_deref().map(|path| OutputFile::open("clicks", path)).transpose()?;
    let broken = args.broken.as_deref().map(|path| OutputFile::open("broken", path)).transpose()?;
    let (site, is_interrupted) = walk(args, &request, &limits)?;
    let urls = site.urls();
    match list {
        Some(file) => file.write(urls.as_bytes())?,
        None => streams::print(urls.as_bytes())?,
    }
    if let Some(file) = model {
        file.write(ClickModel::new(site.clicks()).print().as_bytes())?;
    }
    if let Some(file) = broken {
        let lines: String = site.broken_links().map(|link| format!("{link}\n")).collect();
        file.write(lines.as_bytes())?;
    }
    if !args.quiet {
        streams::say(&summary(&site));
    }
    Ok(match () {
        () if is_interrupted => Exit::Interrupted,
        () if urls.is_empty() => Exit::Failed,
        () => Exit::Well,
    })
}

fn limits(args: &Crawl) -> Result<Limits, UsageError> {
    let page_bytes = parse_size("page-size", &args.page_size).map_err(UsageError::of_option)?;
    Ok(Limits {
        pages: values::at_least_1("pages", &args.pages)?,
        depth: values::at_least_0("depth", &args.depth)?,
        rate: parse_rate("rate", &args.rate).map_err(UsageError::of_option)?,
        at_once: values::at_least_1("connections", &args.connections)?.min(1_000),
        timeout: values::time_above_zero("timeout", &args.timeout)?,
        page_bytes: usize::try_from(page_bytes).unwrap_or(usize::MAX).clamp(1_024, 64 << 20),
        under: args.under.clone(),
        robots: !args.ignore_robots,
        resources: args.resources,
        fields: values::header_lines(&args.header)?,
    })
}

fn walk(args: &Crawl, request: &Request, limits: &Limits) -> Result<(Site, bool), Failure> {
    let Some(address) = addresses(&request.endpoint)?.into_iter().next() else {
        return Err(NetworkFailure::NoAddress(request.endpoint.host.clone(), None).into());
    };
    let place = place(&request.endpoint, address, &args.trust)?;
    let start = url::Url::parse(&request.url()).map_err(|error| UsageError::of("url", error))?;
    let control = Control::new();
    signals::listen(&control, if args.quiet { Manner::Quiet } else { Manner::Lines })?;
    let mut line = StatusLine::new(args.quiet);
    let mut watch = |progress: Progress| {
        let to_come = progress.found.min(limits.pages.into()).saturating_sub(progress.asked);
        let time = Duration::from_secs_f64((to_come as f64 / limits.rate).min(1e9));
        line.show(&format!(
            "asked for {} of {} pages found{}",
            progress.asked,
            progress.found,
            left(Some(time))
        ));
        if !args.quiet && progress.asked.is_multiple_of(PROGRESS_EVERY) {
            line.clear();
            streams::say(&format!(
                "warwolf: asked for {} of {} pages found\n",
                progress.asked, progress.found
            ));
        }
        !control.is_stopped()
    };
    let driver = Interruptible::new(driver(limits.at_once)?, || control.is_stopped());
    let site = Walk::run(driver, &place, &start, limits, &mut watch);
    let site = site.map_err(|error| match error {
        WalkError::Machine(error) => Failure::from(MachineFailure::Wait(error)),
        WalkError::Forbidden => TargetFailure::Forbidden(start.to_string()).into(),
        WalkError::NoStart(ending) => TargetFailure::NoStart(start.to_string(), ending).into(),
    })?;
    Ok((site, control.is_stopped()))
}

/// Pages between two lines of progress.
const PROGRESS_EVERY: u64 = 500;

/// Broken links that are printed; `--broken` writes all.
const BROKEN_SHOWN: usize = 20;

fn summary(site: &Site) -> String {
    let PageCounts { loaded, other, resources } = site.counts();
    let cut = if site.is_cut { "; a limit cut it short" } else { "" };
    let mut text = format!(
        "warwolf: {loaded} pages, {other} other answers, {resources} resources; {} requests; left out: {} links elsewhere, {} by \
         robots.txt{cut}\n",
        site.requests, site.outside, site.forbidden
    );
    for link in site.broken_links().take(BROKEN_SHOWN) {
        let referrer = link.referrer.map_or_else(|| "the start".to_owned(), |page| page.url.to_string());
        text += &format!("warwolf: broken: {} {}, linked from {referrer}\n", link.reason(), link.page.url);
    }
    let hidden = site.broken_links().count().saturating_sub(BROKEN_SHOWN);
    if hidden > 0 {
        text += &format!("warwolf: and {hidden} more broken links; --broken FILE writes all\n");
    }
    text
}
