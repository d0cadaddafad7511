use crate::quantity::duration_text;
use crate::{PlanError, Request, RequestId};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What one session does from its start to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionShape {
    /// The calls.
    pub work: Work,
    /// Pause after the last reply of a burst before the next burst.
    pub think: Think,
    /// Whether there are pauses besides those between bursts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub think_at: ThinkAt,
    /// Whether the first call of a burst is sent alone, and the others when its reply is complete (httperf). Scripts always
    /// do so.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lead: bool,
    /// Whether cookies are kept and sent, each session its own.
    #[serde(default)]
    pub cookies: bool,
    /// Cookies that sessions have before they meet any; for [`Self::cookies`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jar: Vec<JarCookie>,
    /// Whether a session keeps only one cookie: the text before the first `;` of the last `Set-Cookie` it met, up to 245
    /// bytes, whatever its name and attributes, sent with every call (httperf).
    #[serde(default, skip_serializing_if = "is_default")]
    pub one_cookie: bool,
    /// How many redirects in a row are followed; each is a call of its own.
    #[serde(default)]
    pub follow: u32,
    /// Statuses of replies that are redirects.
    #[serde(default = "redirects", skip_serializing_if = "are_redirects")]
    pub follow_statuses: Vec<u16>,
    /// Whether 301, 302 and 303 make a GET of every method, PUT and HEAD included, and not only of POST.
    #[serde(default, skip_serializing_if = "is_default")]
    pub follow_with_get: bool,
    /// What sessions begin with: session k sends number k modulo their number. It is outside the order and outside
    /// [`crate::Stop::calls`], no think time follows it, and its failure ends nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opening: Vec<Request>,
    /// Equal blocks that the requests stand in, one after the other: session k draws from block k modulo their number, and
    /// the order is that within its block. One or more; [`Order::Links`] and scripts know only one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub blocks: u32,
    /// Which request leads to which, for [`Order::Links`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    /// What is fetched with a page; none means the page alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Whether a checksum is made of each reply's body, for observers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checksum: bool,
    /// Whether cookies are dropped each time the session has gone once through as many calls as there are requests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub forget_cookies: bool,
    /// What a session sends when it is told that something is forbidden (403): those of the same host, one after the other,
    /// until one ends with a status below 400. Then it makes the call again, once: a second 403 stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub admission: Vec<Request>,
    /// How challenges are answered; none means that a 401 is a reply like any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// What ends a session early.
    #[serde(default)]
    pub failure: FailureRule,
}

/// What an HTML page (a reply below 300 of type `text/html`) is made of. The session fetches it itself, without think time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Hosts that are left alone: those whose name contains one of these texts, whatever its case.
    #[serde(default)]
    pub skip_hosts: Vec<String>,
    /// Resources of one page at the most, from its beginning.
    pub limit: u32,
    /// Whether a session leaves out resources that are still good, going by the `Expires` and `Date` of their last reply.
    #[serde(default)]
    pub cache: bool,
    /// Which parts they are, and how they are fetched.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fetch: Fetch,
}

/// Which parts of a page are fetched, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fetch {
    /// Images, scripts, style sheets and backgrounds, each once for a page, one after the other, the last one first (siege). A
    /// page that sends its reader on (`<meta http-equiv=refresh>`) is followed like a redirect, also where those are not
    /// followed.
    #[default]
    InTurn,
    /// Images, frames and what is in those, as often as they are named, all at once in the order of the page, and only from
    /// the page's own server; a host without a port is that server too (httperf).
    Together,
}

/// A cookie that a session has from its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JarCookie {
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

impl JarCookie {
    fn check(&self) -> Result<(), PlanError> {
        let wrong = |field: &str, value: &str, remedy| {
            Err(PlanError::new(format!("session.jar.{field}"), value.escape_debug().to_string(), remedy))
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// For servers (401).
    #[serde(default)]
    pub server: Vec<Credentials>,
    /// For proxies (407).
    #[serde(default)]
    pub proxy: Vec<Credentials>,
    /// Calls at the most for one planned call, the first included.
    pub attempts: u32,
    /// Whether a reply that calls for credentials is met by asking again when there are none, or no challenge says what for;
    /// a Digest challenge excepted, which nobody can answer who has no password.
    #[serde(default)]
    pub blind: bool,
}

/// Who we say we are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Work {
    /// Calls drawn from the plan's requests.
    Draw {
        /// Calls in all; none means until the run ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        calls: Option<u64>,
        /// Calls sent without waiting for each other's replies, before the think time.
        burst: u32,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One after the other, over all sessions: the k-th call of the run takes request k modulo their number.
    #[default]
    Sequential,
    /// Drawn evenly, from the session's own stream of random numbers.
    Random,
    /// Each session one after the other on its own: session u of c begins at request u·⌊N/c⌋ of N, or all of them at the
    /// first when there are more sessions than requests (siege).
    Staggered,
    /// In order of creation: the k-th call that is made in the run, by whichever session, takes request k modulo their
    /// number. Differs from `Sequential` as soon as sessions overlap. On one thread only.
    Created,
    /// The same, but once: when all requests have been made and one more is due, the run ends at once. On one thread only.
    Once,
    /// The same request again and again until the next one is due (httperf's working sets): each call that is made, by
    /// whichever session, adds `miss` to a sum; when that reaches one, one is taken off, and this and the following calls
    /// take the request `step` further on, round and round. On one thread only.
    WorkingSet {
        /// Request to start from.
        first: u32,
        /// How far the next one is.
        step: u32,
        /// Share of calls that take a new request, 0 to 1.
        miss: f64,
    },
    /// The first request, then one that the present one leads to, as [`SessionShape::links`] has it.
    Links,
}

impl Order {
    /// Whether it counts the calls of the whole run, which only one thread can.
    #[must_use]
    pub const fn counts_calls(self) -> bool {
        matches!(self, Self::Created | Self::Once | Self::WorkingSet { .. })
    }
}

/// Where a session pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Bursts in order.
    pub bursts: Vec<Burst>,
}

/// Calls of a script that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// The first call; the others are sent when its reply is complete (httperf's session logs).
    pub first: RequestId,
    /// Calls sent together after the first.
    #[serde(default)]
    pub then: Vec<RequestId>,
    /// Pause after the burst.
    #[serde(with = "duration_text")]
    pub think: Duration,
}

/// A pause between calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Think {
    /// None.
    #[default]
    None,
    /// Always the same.
    Constant {
        /// How long.
        #[serde(with = "duration_text")]
        time: Duration,
    },
    /// Drawn evenly.
    Uniform {
        /// Shortest.
        #[serde(with = "duration_text")]
        min: Duration,
        /// Longest.
        #[serde(with = "duration_text")]
        max: Duration,
    },
    /// Drawn evenly from zero to `max`, then rounded to a whole number of steps (siege's delay).
    Stepped {
        /// Longest.
        #[serde(with = "duration_text")]
        max: Duration,
        /// One step, more than zero.
        #[serde(with = "duration_text")]
        step: Duration,
    },
    /// Drawn from an exponential distribution.
    Exponential {
        /// Mean.
        #[serde(with = "duration_text")]
        mean: Duration,
    },
}

/// What ends a session early.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
            work: Work::Draw { calls: None, burst: 1, order: Order::Sequential },
            think: Think::None,
            think_at: ThinkAt::Between,
            lead: false,
            cookies: false,
            jar: Vec::new(),
            one_cookie: false,
            follow: 0,
            follow_statuses: redirects(),
            follow_with_get: false,
            opening: Vec::new(),
            blocks: 1,
            links: None,
            resources: None,
            checksum: false,
            forget_cookies: false,
            admission: Vec::new(),
            auth: None,
            failure: FailureRule::default(),
        }
    }
}

impl SessionShape {
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

    fn check_blocks(&self, requests: usize) -> Result<(), PlanError> {
        let remedy = match (&self.work, self.blocks) {
            (_, 1) => return Ok(()),
            (Work::Scripts { .. } | Work::Draw { order: Order::Links, .. }, _) => {
                "use 1: blocks are for requests that are drawn".to_owned()
            }
            (_, blocks) if blocks == 0 || !requests.is_multiple_of(blocks as usize) => {
                format!("use a number that divides the requests, {requests}")
            }
            _ => return Ok(()),
        };
        Err(PlanError::new("session.blocks", self.blocks.to_string(), remedy))
    }

    pub(crate) fn check(&self, requests: usize) -> Result<(), PlanError> {
        self.check_blocks(requests)?;
        match &self.work {
            Work::Draw { order: Order::Links, burst, .. } if *burst != 1 => {
                return Err(PlanError::new(
                    "session.burst",
                    burst.to_string(),
                    "use 1: a user follows one link at a time",
                ));
            }
            Work::Draw { order: Order::Links, .. } => self.check_links(requests)?,
            Work::Draw { burst: 0, .. } => return Err(PlanError::new("session.burst", "0", "use 1 or more")),
            Work::Draw { calls: Some(0), .. } => {
                return Err(PlanError::new("session.calls", "0", "use 1 or more"));
            }
            Work::Draw { order: Order::WorkingSet { miss, .. }, .. } if !(0.0..=1.0).contains(miss) => {
                return Err(PlanError::new("session.order.miss", miss.to_string(), "use a share, 0 to 1"));
            }
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
        self.opening.iter().chain(&self.admission).try_for_each(Request::check)?;
        if !self.jar.is_empty() && (!self.cookies || self.one_cookie) {
            return Err(PlanError::new(
                "session.jar",
                format!("{} cookies", self.jar.len()),
                "use session.cookies = true and no session.one_cookie: they are for sessions that keep cookies",
            ));
        }
        self.jar.iter().try_for_each(JarCookie::check)?;
        if let Think::Stepped { step: Duration::ZERO, .. } = self.think {
            return Err(PlanError::new("think.step", "0s", "use more than zero"));
        }
        if let Think::Uniform { min, max } = self.think
            && max < min
        {
            return Err(PlanError::new("think", "uniform", "give the shorter time first"));
        }
        Ok(())
    }
}
