use crate::quantity::{duration_text, print_duration};
use crate::{PlanError, Request, RequestId, check_requests};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What one session does from its start to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionShape {
    /// The calls.
    pub work: Work,
    /// Pause after the last reply of a burst before the next burst.
    pub think: Think,
    /// Whether there are pauses besides those between bursts.
    pub think_at: ThinkAt,
    /// Which cookies a session keeps and sends; each session has its own.
    pub cookies: CookiePolicy,
    /// Cookies that sessions have at their start. Needs [`CookiePolicy::Jar`].
    pub initial_cookies: Vec<InitialCookie>,
    /// After each this many planned calls a session forgets its cookies, as if a new visitor took its place; at least 1.
    pub forget_cookies_after: Option<u64>,
    /// Which redirects are followed.
    pub redirects: RedirectPolicy,
    /// Setup requests: session k first sends number k modulo their number. They are not among the planned calls and not
    /// counted by [`crate::Stop::calls`]; no think time follows, and a failure does not end the session.
    pub setup: Vec<Request>,
    /// Equal parts that the list of requests is divided into: session k draws from part k modulo their number, and the
    /// order is that within the part. At least 1; must be 1 with [`Order::Links`] and scripts.
    pub parts: u32,
    /// Which request leads to which, for [`Order::Links`].
    pub links: Option<Links>,
    /// What is fetched with a page; none means the page alone.
    pub resources: Option<Resources>,
    /// What a session does to recover from a reply of a certain status; none means that the reply stands.
    pub recovery: Option<Recovery>,
    /// How challenges are answered; none means that a 401 is a reply like any other.
    pub auth: Option<Auth>,
    /// What ends a session early.
    pub failure: FailureRule,
}

/// What a session fetches with an HTML page (a reply below 300 of type `text/html`), by itself and without think time. A page
/// among these is a page too, up to eight deep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Which elements of the page are fetched.
    #[serde(default = "usual_kinds", skip_serializing_if = "are_usual_kinds")]
    pub kinds: Vec<ResourceKind>,
    /// Hosts from which nothing is fetched: those whose name contains one of these texts, whatever its case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip_hosts: Vec<String>,
    /// Whether only resources of the page's own server are fetched. A host without a port is that server too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub same_server: bool,
    /// Resources of one page at the most, from its beginning.
    pub limit: u32,
    /// Whether a resource that the page names several times is fetched as often. Otherwise once.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeats: bool,
    /// Which resource of a page is fetched first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: ResourceOrder,
    /// A resource is fetched when the session has fewer calls than this in flight; at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub concurrency: u32,
    /// Whether a session leaves out resources that are still good, going by the `Expires` and `Date` of their last reply.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache: bool,
    /// Whether the page to which `<meta http-equiv=refresh>` leads is fetched as after a redirect, up to
    /// [`RedirectPolicy::limit`] or 20 in a row, whichever is more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refresh: bool,
}

impl Resources {
    /// Up to `limit` resources of each page: what a browser needs to show it, in the order of the page, one after the other.
    #[must_use]
    pub fn up_to(limit: u32) -> Self {
        Self {
            kinds: usual_kinds(),
            skip_hosts: Vec::new(),
            same_server: false,
            limit,
            repeats: false,
            order: ResourceOrder::Document,
            concurrency: 1,
            cache: false,
            refresh: false,
        }
    }

    fn check(&self) -> Result<(), PlanError> {
        if self.kinds.is_empty() {
            let remedy = "use at least one, such as \"image\", or leave out session.resources";
            return Err(PlanError::new("session.resources.kinds", "none", remedy));
        }
        if self.concurrency == 0 {
            return Err(PlanError::new("session.resources.concurrency", "0", "use 1 or more"));
        }
        Ok(())
    }
}

/// An element of a page that a resource is fetched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// `<img src>`.
    Image,
    /// `<script src>`.
    Script,
    /// `<link rel=stylesheet href>`.
    Style,
    /// `<body background>`.
    Background,
    /// `<frame src>` and `<iframe src>`.
    Frame,
}

/// Which resource of a page is fetched first. One that the page names several times stands where it is met first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceOrder {
    /// The first of the page.
    #[default]
    Document,
    /// The last of the page.
    LastFirst,
}

fn usual_kinds() -> Vec<ResourceKind> {
    vec![ResourceKind::Image, ResourceKind::Script, ResourceKind::Style, ResourceKind::Background]
}

fn are_usual_kinds(kinds: &Vec<ResourceKind>) -> bool {
    *kinds == usual_kinds()
}

/// Which cookies a session keeps and sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CookiePolicy {
    /// None.
    #[default]
    Off,
    /// All that RFC 6265 would keep, sent where they belong.
    Jar,
    /// The last one only: the text before the first `;` of the last `Set-Cookie` received, up to 245 bytes, whatever its
    /// name and attributes. It is sent with every call.
    LastValue,
}

/// Which redirects a session follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedirectPolicy {
    /// How many in a row; each is a call of its own. Zero means none.
    pub limit: u32,
    /// Statuses of replies that are redirects.
    #[serde(default = "redirects", skip_serializing_if = "are_redirects")]
    pub statuses: Vec<u16>,
    /// Whether 301, 302 and 303 make a GET of every method, PUT and HEAD included, and not only of POST.
    #[serde(default, skip_serializing_if = "is_default")]
    pub with_get: bool,
}

impl RedirectPolicy {
    /// Up to `limit` redirects in a row, with the statuses and methods of RFC 9110.
    #[must_use]
    pub fn up_to(limit: u32) -> Self {
        Self { limit, statuses: redirects(), with_get: false }
    }
}

impl Default for RedirectPolicy {
    /// None is followed.
    fn default() -> Self {
        Self::up_to(0)
    }
}

/// What a session does when a reply has a certain status: it sends the recovery requests of the same host, one after the
/// other, until one ends with a status below 400; then it makes the call again, once. If that reply has the status too, it
/// stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The status to recover from.
    pub status: u16,
    /// The recovery requests.
    pub requests: Vec<Request>,
}

/// A cookie that a session has at its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitialCookie {
    /// Number of the session, from 0; in a closed loop, of the user.
    pub session: u64,
    /// Its name, not empty.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host it goes to, and those below it.
    pub domain: String,
    /// The beginning of the paths it goes to, such as `/`.
    pub path: String,
    /// Whether it goes over TLS only.
    #[serde(default, skip_serializing_if = "is_default")]
    pub secure: bool,
}

impl InitialCookie {
    fn check(&self) -> Result<(), PlanError> {
        let wrong = |field: &str, value: &str, remedy| {
            Err(PlanError::new(
                format!("session.initial_cookies.{field}"),
                value.escape_debug().to_string(),
                remedy,
            ))
        };
        let is_plain = |text: &str| !text.contains(';') && !text.chars().any(char::is_control);
        if self.name.is_empty() || self.name.contains('=') || !is_plain(&self.name) {
            return wrong("name", &self.name, "use letters and digits");
        }
        if !is_plain(&self.value) {
            return wrong("value", &self.value, "leave out semicolons and control characters");
        }
        if self.domain.is_empty() || self.domain.starts_with('.') {
            return wrong("domain", &self.domain, "use a host's name, such as a.test");
        }
        if !self.path.starts_with('/') {
            return wrong("path", &self.path, "begin it with a slash");
        }
        Ok(())
    }
}

/// Which request leads to which: users follow links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// For each request, in their order, the numbers of those that it leads to. One of them is taken, drawn evenly from the
    /// session's own stream; from a request that leads nowhere the session goes back to the first.
    pub pages: Vec<Vec<u32>>,
    /// After so many requests on average a session goes back to the first, 1 at least; none means only when it must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<u32>,
}

/// Answers to challenges (RFC 9110 section 11): Basic and Digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// For servers (401).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server: Vec<Credentials>,
    /// For proxies (407).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proxy: Vec<Credentials>,
    /// Calls at the most for one planned call, the first included.
    pub attempts: u32,
    /// Whether the call is made again without credentials where none fit the challenges, or where there is no challenge. Not
    /// after a Digest challenge, which cannot be answered without a password.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry_without_credentials: bool,
}

/// Who we say we are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// Name.
    pub name: String,
    /// Password.
    pub password: String,
    /// The realm they are for, compared without case; none means any that has no credentials of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realm: Option<String>,
}

/// The calls of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Calls drawn from the plan's requests.
    Draw {
        /// Calls in all; none means until the run ends.
        calls: Option<u64>,
        /// Calls sent without waiting for each other's replies, before the think time.
        burst: u32,
        /// Whether the first call of a burst is sent alone, and the others when its reply is complete. Scripts always do so.
        first_alone: bool,
        /// Which request comes next.
        order: Order,
    },
    /// Sessions that follow scripts; session k takes script k modulo their number.
    Scripts {
        /// The scripts.
        scripts: Vec<Script>,
    },
}

/// Which request comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One after the other, over all sessions: the k-th call of the run takes request k modulo their number.
    #[default]
    Sequential,
    /// Drawn evenly, from the session's own stream of random numbers.
    Random,
    /// Each session goes through the list on its own. User u of c begins at request u·⌊N/c⌋ of N, or all of them at the
    /// first when there are more users than requests.
    PerSession,
    /// All sessions share one cursor: the next call takes the request at the cursor, whichever session makes it. Differs from
    /// `Sequential` as soon as sessions overlap. On one thread only.
    Shared(Cursor),
    /// The first request, then one that the present one leads to, as [`SessionShape::links`] has it.
    Links,
}

impl Order {
    /// Whether all sessions of the run share a cursor, which takes a single thread.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Shared(_))
    }
}

/// Where a shared cursor begins, how it moves, and what happens at the end of the list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The request that it begins at.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first: u32,
    /// How far it moves, in requests.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub step: u32,
    /// The share of calls after which it moves, 0 to 1, evenly: each call adds this to a sum, and when that reaches one, one
    /// is taken off and the cursor moves.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub advance: f64,
    /// What that sum begins with, 0 up to but not 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub phase: f64,
    /// What happens when it has passed the last request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub end: ListEnd,
}

impl Default for Cursor {
    /// From the first request on, one further with each call, round and round.
    fn default() -> Self {
        Self { first: 0, step: 1, advance: 1.0, phase: 0.0, end: ListEnd::Wrap }
    }
}

/// What happens when a cursor has passed the last request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListEnd {
    /// It goes on at the beginning.
    #[default]
    Wrap,
    /// The run ends at once, when one more call is due.
    Stop,
}

/// Where a session pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThinkAt {
    /// Between bursts.
    #[default]
    Between,
    /// Before the first burst as well.
    Before,
    /// After the last burst as well.
    After,
}

const fn one() -> u32 {
    1
}

const fn whole() -> f64 {
    1.0
}

fn is_whole(value: &f64) -> bool {
    value.to_bits() == 1.0_f64.to_bits()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(value: &u32) -> bool {
    *value == 1
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// RFC 9110 section 15.4, without those that name no other place to ask (300, 304, 305, 306).
fn redirects() -> Vec<u16> {
    vec![301, 302, 303, 307, 308]
}

fn are_redirects(statuses: &Vec<u16>) -> bool {
    *statuses == redirects()
}

/// The bursts of one scripted session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Bursts in order.
    pub bursts: Vec<Burst>,
}

/// Calls of a script that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// The first call; the others are sent when its reply is complete.
    pub first: RequestId,
    /// Calls sent together after the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<RequestId>,
    /// Pause after the burst.
    #[serde(default, with = "duration_text", skip_serializing_if = "Duration::is_zero")]
    #[schemars(with = "String")]
    pub think: Duration,
}

/// A pause between calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Think {
    /// None.
    #[default]
    None,
    /// Always the same.
    Constant {
        /// How long.
        time: Duration,
    },
    /// Drawn evenly.
    Uniform {
        /// Shortest.
        min: Duration,
        /// Longest.
        max: Duration,
        /// The drawn time is rounded to a whole multiple of this; zero means that it is not rounded.
        granularity: Duration,
    },
    /// Drawn from an exponential distribution.
    Exponential {
        /// Mean.
        mean: Duration,
    },
}

/// What ends a session early.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureRule {
    /// A reply with one of these statuses ends the session as failed.
    #[serde(default)]
    pub statuses: Vec<u16>,
    /// Whether a call that failed (no reply) ends the session.
    #[serde(default)]
    pub on_error: bool,
    /// Whether a reply with one of these statuses has its call made again at once instead, as often as it takes. Each such
    /// reply counts as one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: bool,
}

impl Default for SessionShape {
    /// One call after the other until the run ends.
    fn default() -> Self {
        Self {
            work: Work::Draw { calls: None, burst: 1, first_alone: false, order: Order::Sequential },
            think: Think::None,
            think_at: ThinkAt::Between,
            cookies: CookiePolicy::Off,
            initial_cookies: Vec::new(),
            forget_cookies_after: None,
            redirects: RedirectPolicy::default(),
            setup: Vec::new(),
            parts: 1,
            links: None,
            resources: None,
            recovery: None,
            auth: None,
            failure: FailureRule::default(),
        }
    }
}

impl Cursor {
    fn check(&self) -> Result<(), PlanError> {
        let wrong = |field: &str, value: f64, remedy| {
            let field = format!("session.order.shared.{field}");
            Err(PlanError::new(field, value.to_string(), remedy))
        };
        if !(0.0..=1.0).contains(&self.advance) {
            return wrong("advance", self.advance, "use a share, 0 to 1");
        }
        if !(0.0..1.0).contains(&self.phase) {
            return wrong("phase", self.phase, "use 0 or more, and less than 1");
        }
        Ok(())
    }
}

impl SessionShape {
    /// The recovery requests, if there are any.
    pub fn recovery_requests(&self) -> impl Iterator<Item = &Request> {
        self.recovery.iter().flat_map(|recovery| &recovery.requests)
    }

    fn check_links(&self, requests: usize) -> Result<(), PlanError> {
        let wrong = |value: String, remedy: String| Err(PlanError::new("session.links", value, remedy));
        let Some(Links { pages, visit }) = &self.links else {
            return wrong("none".to_owned(), "say for each request where it leads".to_owned());
        };
        if pages.len() != requests {
            return wrong(format!("{} pages", pages.len()), format!("use one for each request, {requests}"));
        }
        if let Some(link) = pages.iter().flatten().find(|link| **link as usize >= requests) {
            return wrong(link.to_string(), format!("use the number of a request, 0 to {}", requests - 1));
        }
        if *visit == Some(0) {
            return wrong("visit 0".to_owned(), "use 1 or more".to_owned());
        }
        Ok(())
    }

    fn check_parts(&self, requests: usize) -> Result<(), PlanError> {
        let remedy = match (&self.work, self.parts) {
            (_, 1) => return Ok(()),
            (Work::Scripts { .. } | Work::Draw { order: Order::Links, .. }, _) => {
                "use 1: parts are for requests that are drawn".to_owned()
            }
            (_, parts) if parts == 0 || !requests.is_multiple_of(parts as usize) => {
                format!("use a number that divides the requests, {requests}")
            }
            _ => return Ok(()),
        };
        Err(PlanError::new("session.parts", self.parts.to_string(), remedy))
    }

    fn check_work(&self, requests: usize) -> Result<(), PlanError> {
        match &self.work {
            Work::Draw { order: Order::Links, burst, .. } if *burst != 1 => {
                return Err(PlanError::new(
                    "session.burst",
                    burst.to_string(),
                    "use 1: a user follows one link at a time",
                ));
            }
            Work::Draw { order: Order::Links, .. } => self.check_links(requests)?,
            Work::Draw { burst: 0, .. } => {
                return Err(PlanError::new("session.burst", "0", "use 1 or more"));
            }
            Work::Draw { calls: Some(0), .. } => {
                return Err(PlanError::new("session.calls", "0", "use 1 or more"));
            }
            Work::Draw { order: Order::Shared(cursor), .. } => cursor.check()?,
            Work::Draw { .. } => {}
            Work::Scripts { scripts } => {
                if scripts.is_empty() {
                    return Err(PlanError::new("session.scripts", "none", "give at least one script"));
                }
                for id in scripts.iter().flat_map(|s| &s.bursts).flat_map(|b| b.then.iter().chain([&b.first]))
                {
                    if id.0 as usize >= requests {
                        return Err(PlanError::new(
                            "session.scripts",
                            id.0.to_string(),
                            format!("use the number of a request, 0 to {}", requests - 1),
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn check(&self, requests: usize) -> Result<(), PlanError> {
        self.check_parts(requests)?;
        self.check_work(requests)?;
        check_requests("session.setup", &self.setup)?;
        if let Some(recovery) = &self.recovery {
            check_requests("session.recovery.requests", &recovery.requests)?;
        }
        if !self.initial_cookies.is_empty() && self.cookies != CookiePolicy::Jar {
            return Err(PlanError::new(
                "session.initial_cookies",
                format!("{} cookies", self.initial_cookies.len()),
                "use session.cookies = \"jar\": they are for sessions that keep cookies",
            ));
        }
        self.resources.as_ref().map_or(Ok(()), Resources::check)?;
        if self.forget_cookies_after == Some(0) {
            return Err(PlanError::new("session.forget_cookies_after", "0", "use 1 or more"));
        }
        self.initial_cookies.iter().try_for_each(InitialCookie::check)?;
        if let Think::Uniform { min, max, .. } = self.think
            && max < min
        {
            return Err(PlanError::new(
                "session.think",
                format!("min {}, max {}", print_duration(min), print_duration(max)),
                "use a longest time that is at least as long as the shortest",
            ));
        }
        Ok(())
    }
}
