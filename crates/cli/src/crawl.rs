//! `crawl`: walks a site's links and keeps a list of URLs and a click model.

use crate::complaint::Complaint;
use crate::exit::{Exit, Failure};
use crate::files::reason;
use crate::place::{Trust, addresses, driver, place};
use crate::progress::Manner;
use crate::{signals, streams};
use clap::Args;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use warwolf_crawl::{Limits, Progress, Site, Walk, WalkError};
use warwolf_engine::Control;
use warwolf_plan::quantity::{parse_count, parse_duration, parse_rate, parse_size};
use warwolf_plan::words::parse_header;
use warwolf_plan::{ClickModel, PlanError, Request};

/// What to walk, how far and how fast.
#[derive(Debug, Args)]
pub(crate) struct Words {
    /// URL to start at; only its scheme, host and port are crawled
    #[arg(value_name = "URL")]
    url: String,

    /// Maximum number of pages
    #[arg(short = 'n', long, value_name = "N", default_value = "10k")]
    pages: String,

    /// Maximum distance from the start in clicks
    #[arg(long, value_name = "N", default_value = "20")]
    depth: String,

    /// Maximum rate of requests; a longer Crawl-delay in robots.txt has precedence
    #[arg(short, long, value_name = "RATE", default_value = "50/s", short_alias = 'q')]
    rate: String,

    /// Maximum number of concurrent requests
    #[arg(short, long, value_name = "N", default_value = "8")]
    connections: String,

    /// Only URLs whose path starts with this prefix: /docs/
    #[arg(long, value_name = "PATH", default_value = "/")]
    under: String,

    /// Ignore robots.txt; for your own server
    #[arg(long)]
    ignore_robots: bool,

    /// Also list the resources of pages: images, scripts, style sheets
    #[arg(long)]
    resources: bool,

    /// Header field for every request, such as 'Cookie: …'; may be repeated
    #[arg(short = 'H', long, value_name = "FIELD", value_delimiter = '\n')]
    header: Vec<String>,

    /// Timeout for connecting and for the next byte of a page
    #[arg(long, value_name = "TIME", default_value = "10s")]
    timeout: String,

    /// Maximum bytes of a page that are searched for links
    #[arg(long, value_name = "BYTES", default_value = "1m")]
    page_size: String,

    #[command(flatten)]
    trust: Trust,

    /// Write the list of URLs to this file instead of stdout, one per line: for `warwolf run --urls`, siege, http_load
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    output: Option<PathBuf>,

    /// Write the click model to this file, for `warwolf run --clicks`
    #[arg(long, value_name = "FILE.json", help_heading = "Result")]
    clicks: Option<PathBuf>,

    /// Print only errors on stderr
    #[arg(long, help_heading = "Result")]
    quiet: bool,
}

pub(crate) const AFTER_LONG: &str = "\
Exit codes:
  0 success; 1 the crawl failed, or no page had status 200; 2 usage error; 130 interrupted; the result was written

Examples:
  warwolf crawl http://127.0.0.1:8080/ -o urls.txt --clicks site.json
  warwolf run --urls urls.txt --order random
  warwolf run --clicks site.json -c 100 --think exponential:3s
  warwolf crawl http://127.0.0.1:8080/ | warwolf run --urls -";

/// Walks, and writes what was found.
///
/// # Errors
/// When the words are wrong, the site cannot be walked, or a file cannot be written.
pub(crate) fn crawl(words: &Words) -> Result<Exit, Failure> {
    let request = Request::get(&words.url).map_err(complaint)?;
    if request.basic_auth.is_some() {
        return Err(
            Complaint::new("url: it has a name and a password; use -H 'Authorization: …' instead").into()
        );
    }
    let limits = limits(words)?;
    let list = words.output.as_deref().map(|path| open("output", path)).transpose()?;
    let model = words.clicks.as_deref().map(|path| open("clicks", path)).transpose()?;
    let (site, is_interrupted) = walk(words, &request, &limits)?;
    let urls = list_of(&site);
    write(list, words.output.as_deref(), urls.as_bytes())?;
    if words.output.is_none() {
        streams::print(urls.as_bytes())?;
    }
    write(model, words.clicks.as_deref(), model_of(&site).print().as_bytes())?;
    if !words.quiet {
        streams::say(&summary(&site));
    }
    Ok(match () {
        () if is_interrupted => Exit::Interrupted,
        () if urls.is_empty() => Exit::Failed,
        () => Exit::Well,
    })
}

fn complaint(error: PlanError) -> Complaint {
    let PlanError { field, value, remedy } = error;
    let field = if field == "url" { field } else { format!("--{field}") };
    Complaint::new(format!("{field}: `{value}`: {remedy}"))
}

fn limits(words: &Words) -> Result<Limits, Complaint> {
    let count = |field: &str, text: &str| {
        let number = parse_count(field, text).map_err(complaint)?;
        u32::try_from(number)
            .map_err(|_| Complaint::new(format!("--{field}: `{text}`: use a smaller number")))
    };
    let at_least_1 = |field: &str, text: &str| match count(field, text)? {
        0 => Err(Complaint::new(format!("--{field}: `{text}`: use 1 or more"))),
        number => Ok(number),
    };
    let timeout = match parse_duration("timeout", &words.timeout).map_err(complaint)? {
        Duration::ZERO => return Err(Complaint::new("--timeout: `0`: use a time above zero, such as 10s")),
        time => time,
    };
    let field = |line: &String| {
        let (name, value) = parse_header(line).map_err(complaint)?;
        Ok(format!("{name}: {value}"))
    };
    let page_bytes = parse_size("page-size", &words.page_size).map_err(complaint)?;
    Ok(Limits {
        pages: at_least_1("pages", &words.pages)?,
        depth: count("depth", &words.depth)?,
        rate: parse_rate("rate", &words.rate).map_err(complaint)?,
        at_once: at_least_1("connections", &words.connections)?.min(1_000),
        timeout,
        page_bytes: usize::try_from(page_bytes).unwrap_or(usize::MAX).clamp(1_024, 64 << 20),
        under: words.under.clone(),
        robots: !words.ignore_robots,
        resources: words.resources,
        fields: words.header.iter().map(field).collect::<Result<_, _>>()?,
    })
}

fn walk(words: &Words, request: &Request, limits: &Limits) -> Result<(Site, bool), Failure> {
    let Some(address) = addresses(&request.endpoint)?.into_iter().next() else {
        return Err(Failure::new(format!("`{}`: has no address", request.endpoint.host)));
    };
    let place = place(&request.endpoint, address, &words.trust)?;
    let start = url::Url::parse(&request.url()).map_err(Failure::new)?;
    let control = Control::new();
    signals::listen(&control, if words.quiet { Manner::Quiet } else { Manner::Lines })?;
    let mut watch = |progress: Progress| {
        if !words.quiet && progress.asked.is_multiple_of(SAID_EVERY) {
            streams::say(&format!(
                "warwolf: asked for {} of {} pages found\n",
                progress.asked, progress.found
            ));
        }
        !control.is_stopped()
    };
    let site = Walk::run(driver(limits.at_once)?, &place, &start, limits, &mut watch);
    let site = site.map_err(|error| match error {
        WalkError::Machine(error) => Failure::new(format!("the kernel refuses to wait: {}", reason(&error))),
        WalkError::Forbidden => Failure::new(format!(
            "`{start}`: robots.txt forbids it, or could not be had; on your own server, --ignore-robots"
        )),
        WalkError::NoStart(ending) => Failure::new(format!("`{start}`: {ending}")),
    })?;
    Ok((site, control.is_stopped()))
}

/// Pages between two lines about how it goes.
const SAID_EVERY: u64 = 500;

/// The pages that were answered with 200, and what they load.
fn list_of(site: &Site) -> String {
    let listed = site.pages.iter().filter(|page| page.status == 200 || page.is_resource);
    listed.map(|page| format!("{}\n", page.url)).collect()
}

/// Which page leads to which, redirects followed, pages that fail left out.
fn model_of(site: &Site) -> ClickModel {
    let is_page = |page: usize| site.pages[page].status == 200;
    let mut places = vec![None; site.pages.len()];
    let kept: Vec<usize> = (0..site.pages.len()).filter(|page| is_page(*page)).collect();
    for (place, page) in kept.iter().enumerate() {
        places[*page] = Some(place as u32);
    }
    // A redirect leads where it leads, in a few steps at the most.
    let landing = |mut page: usize| {
        for _ in 0..REDIRECTS_MAX {
            if places[page].is_some() {
                return places[page];
            }
            page = *site.pages[page].links.first()? as usize;
        }
        None
    };
    let pages = kept.iter().map(|page| {
        let mut links: Vec<u32> = Vec::new();
        for place in site.pages[*page].links.iter().filter_map(|page| landing(*page as usize)) {
            if !links.contains(&place) {
                links.push(place);
            }
        }
        (site.pages[*page].url.to_string(), links)
    });
    ClickModel::new(pages.collect())
}

const REDIRECTS_MAX: u32 = 5;

fn summary(site: &Site) -> String {
    let well = site.pages.iter().filter(|page| page.status == 200).count();
    let resources = site.pages.iter().filter(|page| page.is_resource).count();
    let cut = if site.is_cut { "; a limit cut it short" } else { "" };
    format!(
        "warwolf: {well} pages, {} other answers, {resources} resources; {} requests; left out: {} links elsewhere, {} by \
         robots.txt{cut}\n",
        site.pages.len() - well - resources,
        site.requests,
        site.outside,
        site.forbidden
    )
}

fn open(option: &str, path: &Path) -> Result<File, Complaint> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    file.map_err(|error| {
        Complaint::new(format!("--{option}: `{}`: cannot be written: {}", path.display(), reason(&error)))
    })
}

fn write(file: Option<File>, path: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    let (Some(file), Some(path)) = (file, path) else { return Ok(()) };
    crate::results::write(&file, bytes)
        .map_err(|error| Failure::new(format!("{}: cannot be written: {}", path.display(), reason(&error))))
}
