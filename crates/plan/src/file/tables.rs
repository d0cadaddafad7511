//! The tables of a plan file, as people write them. Their doc comments are the descriptions of the published schema.

use super::texts::{BodyValue, Captures, JsonText, Variables};
use super::words::{As, Calls, Condition, Count, Lasts, Limit, Pairs, Rate, Several, Share, Time};
use crate::query::Check;
use crate::{
    Auth, Connections, CookiePolicy, DataTable, DriverChoice, Endpoint, FailureRule, Hole, Idle,
    InitialCookie, Links, Network, OnFail, Order, RedirectPolicy, Repeat, Resources, Script, Think, ThinkAt,
    Tls,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// A plan of warwolf: what is sent, when, and what is expected. It has steps (or scenarios of steps), or else a plain list of
/// `requests`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "warwolf plan")]
pub(super) struct PlanTable {
    /// All random choices derive from this number. The same seed gives the same arrivals and requests.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) seed: u64,
    /// Where URLs without scheme and host go, such as `https://shop.test`. Without it they go where the request before them
    /// goes.
    pub(super) url: Option<String>,
    /// Service-level objectives, such as `p99<200ms` or `errors<0.1%`. A run that misses one exits with code 99.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub(super) slo: Several<String>,
    /// Names for the rows of reports, by path: `/item/*=item`. The first that matches counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) labels: Vec<String>,
    /// When sessions start, and when the run ends.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) load: LoadTable,
    /// Values for `{{name}}`: texts, or secrets from the environment or a file.
    #[serde(skip_serializing_if = "Variables::is_empty")]
    pub(super) variables: Variables,
    /// Data files, for `{{name.column}}`. Each session takes a row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) data: Vec<DataTable>,
    /// Steps before the others, once in a session or (`once = "run"`) once in the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) setup: Vec<StepTable>,
    /// What a session does, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) step: Vec<StepTable>,
    /// Several kinds of sessions. Each session runs one scenario, chosen by weight.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) scenario: Vec<ScenarioTable>,
    /// Steps after the others, however a session ends, or (`once = "run"`) once after the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) teardown: Vec<StepTable>,
    /// A plain list of requests instead of steps: texts such as `GET https://a.test/`, or tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) requests: Vec<RequestEntry>,
    /// What sessions do besides: cookies, redirects, page resources, and how they go through a list of `requests`.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) session: SessionTable,
    /// How connections are used.
    #[serde(skip_serializing_if = "Changed::is_default")]
    pub(super) connections: Changed<Connections>,
    /// Limits on how long things may take.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) timeouts: TimeoutsTable,
    /// Addresses, proxies and socket options.
    #[serde(skip_serializing_if = "Changed::is_default")]
    pub(super) network: Changed<Network>,
    /// TLS options, for `https`.
    #[serde(skip_serializing_if = "Changed::is_default")]
    pub(super) tls: Changed<Tls>,
}

/// When sessions start, and when the run ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LoadTable {
    /// Users at a time (50). With steps, each session that ends is followed by another; with a list of requests, each user
    /// goes on until the run ends.
    pub(super) users: Option<As<Count>>,
    /// Whether sessions follow each other, `users` at a time. `true` with steps, otherwise `false`.
    pub(super) back_to_back: Option<bool>,
    /// Sessions that start in a second, whatever the server does: `500`, `"500/s"`, `"30/m"`.
    pub(super) rate: Option<As<Rate>>,
    /// How arrivals follow each other: `constant` (the default) or `poisson` with a rate, or `uniform:5ms,15ms`.
    pub(super) arrivals: Option<String>,
    /// With users, the time over which they start: `"10s"`. Otherwise a rate that changes and then stays:
    /// `{ from = "10/s", to = "500/s", over = "60s" }`.
    pub(super) ramp: Option<RampValue>,
    /// Rates, one after the other, such as `[{ rate = "100/s", lasts = "10s" }]`. The run ends with the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) steps: Vec<RateStepTable>,
    /// The times at which sessions start, from the start of the run.
    pub(super) trace: Option<Vec<As<Time>>>,
    /// Sessions that start at the same instant (1). The rate stays what it is.
    pub(super) burst: Option<u32>,
    /// When the run ends, warm-up included (10s, unless something else ends it); `forever` is until it is interrupted.
    pub(super) duration: Option<As<Lasts>>,
    /// The run ends after this many requests. For a list of requests.
    pub(super) requests: Option<As<Count>>,
    /// The run ends after this many sessions.
    pub(super) sessions: Option<As<Count>>,
    /// Time at the start that is left out of the figures (0s).
    pub(super) warmup: Option<As<Time>>,
    /// How long requests in flight may go on at the end (0s).
    pub(super) grace: Option<As<Time>>,
    /// Worker threads, 1 to 1024 (by load).
    pub(super) threads: Option<u32>,
    /// The kernel interface.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) driver: DriverChoice,
    /// How workers wait.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) idle: Idle,
}

/// A rate that changes linearly, then stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RampTable {
    /// The rate at the start.
    pub(super) from: As<Rate>,
    /// The rate at the end and after.
    pub(super) to: As<Rate>,
    /// How long the change takes.
    pub(super) over: As<Time>,
}

/// A rate and how long it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RateStepTable {
    /// Sessions that start in a second; zero is a pause.
    pub(super) rate: As<Rate>,
    /// How long.
    pub(super) lasts: As<Time>,
}

/// The time over which users start, or a rate that changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RampValue {
    Users(Time),
    Rate(RampTable),
}

/// Declares a table with the keys of a request between others.
macro_rules! request_table {
    (
        $(#[$meta:meta])*
        struct $name:ident { $($before:tt)* } ($($rest:tt)*)
        $($after:tt)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $name {
            $($before)*
            /// Method and URL, such as `POST https://shop.test/login`. Without a method it is a GET; a URL that begins with a
            /// slash goes where the request before it goes, or to the `url` of the plan. May contain `{{…}}`.
            pub(super) request: Option<String>,
            /// Several requests with the same header fields and body, of which one is sent each time. Elements may be tables
            /// with their own.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub(super) requests: Vec<RequestEntry>,
            /// Scheme, host and port, where a URL cannot say them.
            pub(super) endpoint: Option<Endpoint>,
            /// The request target as it is sent, where a URL cannot say it, such as `*`.
            pub(super) path: Option<String>,
            /// Header fields, in this order. Values may contain `{{…}}`.
            #[serde(skip_serializing_if = "Pairs::is_empty")]
            pub(super) headers: Pairs,
            /// Parameters that are added to the query of the URL. May contain `{{…}}`.
            #[serde(skip_serializing_if = "Pairs::is_empty")]
            pub(super) query: Pairs,
            /// Name and password for basic authentication or FTP, as `name:password`. May contain `{{…}}`.
            pub(super) basic_auth: Option<String>,
            /// The body, as text. May contain `{{…}}`.
            pub(super) body: Option<BodyValue>,
            /// The file that is the body.
            pub(super) file: Option<PathBuf>,
            /// The fields of a form. May contain `{{…}}`.
            pub(super) form: Option<Pairs>,
            /// A JSON body: a table, or a text. May contain `{{…}}`.
            pub(super) json: Option<JsonText>,
            /// The parts of a form with files.
            pub(super) multipart: Option<Vec<PartTable>>,
            /// The whole head as it is sent, without the empty line; characters up to U+00FF are bytes.
            pub(super) head: Option<String>,
            /// Values that are inserted into `head`, or for FTP into the path.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub(super) holes: Vec<Hole>,
            $($after)*
        }

        impl $name {
            /// Takes the keys of a request out of the table.
            pub(super) fn take_request(&mut self) -> RequestTable {
                RequestTable {
                    request: self.request.take(),
                    requests: std::mem::take(&mut self.requests),
                    endpoint: self.endpoint.take(),
                    path: self.path.take(),
                    headers: std::mem::take(&mut self.headers),
                    query: std::mem::take(&mut self.query),
                    basic_auth: self.basic_auth.take(),
                    body: self.body.take(),
                    file: self.file.take(),
                    form: self.form.take(),
                    json: self.json.take(),
                    multipart: self.multipart.take(),
                    head: self.head.take(),
                    holes: std::mem::take(&mut self.holes),
                }
            }
        }

        impl From<RequestTable> for $name {
            fn from(table: RequestTable) -> Self {
                let RequestTable {
                    request, requests, endpoint, path, headers, query, basic_auth, body, file, form, json, multipart, head, holes,
                } = table;
                Self {
                    request, requests, endpoint, path, headers, query, basic_auth, body, file, form, json, multipart, head, holes,
                    $($rest)*
                }
            }
        }
    };
}

/// The keys of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RequestTable {
    pub(super) request: Option<String>,
    pub(super) requests: Vec<RequestEntry>,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) path: Option<String>,
    pub(super) headers: Pairs,
    pub(super) query: Pairs,
    pub(super) basic_auth: Option<String>,
    pub(super) body: Option<BodyValue>,
    pub(super) file: Option<PathBuf>,
    pub(super) form: Option<Pairs>,
    pub(super) json: Option<JsonText>,
    pub(super) multipart: Option<Vec<PartTable>>,
    pub(super) head: Option<String>,
    pub(super) holes: Vec<Hole>,
}

request_table! {
    /// A request, or several with the same header fields and body.
    struct RequestsTable {} ()
}

request_table! {
    /// A request, what comes before and after it, and what is expected of its reply.
    struct StepTable {
        /// Its name in the report. Without it, method and path.
        pub(super) name: Option<String>,
        /// In `setup` and `teardown` of the plan: `session` (the default) or `run`.
        pub(super) once: Option<Once>,
        /// The transaction that the step belongs to, with rows of its own in the report. Its steps follow each other.
        pub(super) group: Option<String>,
        /// Condition on captures and variables; without it the step is left out. `{{token}}` alone: it has a value.
        pub(super) when: Option<As<Check>>,
        /// The share of sessions that take the step, such as `30%`.
        pub(super) share: Option<As<Share>>,
        /// Steps with the same branch are alternatives: one draw decides, and their shares add up to at most 100 %.
        pub(super) branch: Option<String>,
        /// How often it is run: `3`, `uniform:1,5` or `forever`.
        pub(super) repeat: Option<As<Repeat>>,
        /// The order in which `requests` are sent (`sequential`).
        #[serde(skip_serializing_if = "is_default")]
        pub(super) order: Order,
    } (..Self::default())
    /// Values of the reply for later requests, by name: `"json $.token"`, or `{ header = "X-Csrf", max = 64 }`.
    #[serde(skip_serializing_if = "Captures::is_empty")]
    pub(super) capture: Captures,
    /// What the reply must satisfy, such as `status == 200`, `json $.ok == true` or `latency < 800ms`.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub(super) check: Several<As<Check>>,
    /// SLOs of this step alone, such as `p99<300ms`.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub(super) slo: Several<String>,
    /// The step is run again while its reply satisfies this, up to `limit` times. `checks`: while all its checks hold.
    pub(super) r#while: Option<As<Condition>>,
    /// The step is run again until its reply satisfies this, up to `limit` times. `checks`: until all its checks hold.
    pub(super) until: Option<As<Condition>>,
    /// How often `while` and `until` run the step at the most (100). One that is still to be run again then has failed.
    pub(super) limit: Option<u32>,
    /// Pause after each reply: `500ms`, `uniform:100ms,2s` or `exponential:1s`.
    pub(super) think: Option<As<Think>>,
    /// Least time from the start of this step to that of the next.
    pub(super) pace: Option<As<Time>>,
    /// Requests a second that all sessions together make of this step at the most.
    pub(super) rate_limit: Option<As<Rate>>,
    /// Limit of the request, instead of `timeouts.call`.
    pub(super) timeout: Option<As<Time>>,
    /// Redirects that are followed in a row, instead of `session.redirects`.
    pub(super) redirects: Option<u32>,
    /// What follows a failed check or a request without a reply.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) on_fail: OnFail,
}

/// Whose first or last step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Once {
    /// Each session runs the step.
    Session,
    /// The step is run once, before or after the run. What it captures is known to all sessions.
    Run,
}

/// A part of a form: a text or a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PartTable {
    /// The field's name.
    pub(super) name: String,
    /// A text. May contain `{{…}}`.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// A file, sent with its name.
    #[serde(default)]
    pub(super) file: Option<PathBuf>,
    /// Its `Content-Type`.
    #[serde(default, rename = "type")]
    pub(super) content_type: Option<String>,
}

/// Some of the sessions: what they do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ScenarioTable {
    /// Its name in the report.
    pub(super) name: Option<String>,
    /// Its share of the sessions, in proportion to the weights of the others (1).
    pub(super) weight: Option<f64>,
    /// How often a session runs the steps (1).
    pub(super) repeat: Option<As<Repeat>>,
    /// Steps before the others, once in a session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) setup: Vec<StepTable>,
    /// The steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) step: Vec<StepTable>,
    /// Steps after the others, however the session ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) teardown: Vec<StepTable>,
}

/// What sessions do besides their steps, and how they go through a list of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SessionTable {
    /// Requests of a session (with a rate 1, otherwise `forever`).
    pub(super) calls: Option<As<Calls>>,
    /// Requests that do not wait for each other's replies (1).
    pub(super) burst: Option<u32>,
    /// Whether the first request of a burst is answered before the others are sent.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) first_alone: bool,
    /// Which request comes next.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) order: Order,
    /// Instead of drawing requests: session k follows script k modulo their number. Numbers are those of `requests`, from 0.
    pub(super) scripts: Option<Vec<Script>>,
    /// Pause after a burst: `500ms`, `uniform:100ms,2s` or `exponential:1s`.
    pub(super) think: Option<As<Think>>,
    /// Whether there are pauses besides those between bursts.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) think_at: ThinkAt,
    /// Equal parts of the list of requests; session k uses part k modulo their number (1).
    pub(super) parts: Option<u32>,
    /// Which request leads to which, for `order = "links"`.
    pub(super) links: Option<Links>,
    /// Requests of which a session sends one before all others; session k sends number k modulo their number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) setup: Vec<RequestEntry>,
    /// Which cookies a session keeps and sends.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) cookies: CookiePolicy,
    /// Cookies that sessions have at their start. Needs `cookies = "jar"`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) initial_cookies: Vec<InitialCookie>,
    /// After each this many requests a session forgets its cookies.
    pub(super) forget_cookies_after: Option<u64>,
    /// Redirects that are followed in a row (0), or a table.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) redirects: Redirects,
    /// What is fetched with a page.
    pub(super) resources: Option<Resources>,
    /// What a session sends to recover from a status.
    pub(super) recovery: Option<RecoveryTable>,
    /// Answers to challenges.
    pub(super) auth: Option<Auth>,
    /// What ends a session early.
    #[serde(skip_serializing_if = "Changed::is_default")]
    pub(super) failure: Changed<FailureRule>,
}

/// Redirects that are followed: their number, or a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Redirects(pub(super) RedirectPolicy);

/// What a session sends when a reply has a certain status, before it makes the call again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecoveryTable {
    /// The status to recover from.
    pub(super) status: u16,
    /// The requests.
    pub(super) requests: Vec<RequestEntry>,
}

/// Limits on how long things may take: times, or `none`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TimeoutsTable {
    /// TCP connect, a proxy's tunnel, and the TLS handshake unless that has a limit of its own (10s).
    pub(super) connect: Option<As<Limit>>,
    /// The TLS handshake alone.
    pub(super) tls: Option<As<Limit>>,
    /// A whole request, from its start to the last byte of its reply (30s).
    pub(super) call: Option<As<Limit>>,
    /// Until the kernel has all of a request.
    pub(super) send: Option<As<Limit>>,
    /// From there to the first byte of the reply, and again from there to the last.
    pub(super) reply: Option<As<Limit>>,
    /// Silence of the peer.
    pub(super) idle: Option<As<Limit>>,
}

/// A request of a list: method and URL, or a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RequestEntry {
    Text(String),
    Table(Box<RequestsTable>),
}

/// A table of which only what differs from the defaults is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Changed<T>(pub(super) T);

impl<T: Default + PartialEq> Changed<T> {
    pub(super) fn is_default(&self) -> bool {
        self.0 == T::default()
    }
}

impl<T: Default + Serialize> Serialize for Changed<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use super::ser::node;
        node(&self.0).without(&node(&T::default())).serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Changed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Changed<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl Serialize for RequestEntry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => to.serialize_str(text),
            Self::Table(table) => table.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for RequestEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entry;

        impl<'de> Visitor<'de> for Entry {
            type Value = RequestEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text such as \"GET https://a.test/\", or a table with `request`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<RequestEntry, E> {
                Ok(RequestEntry::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<RequestEntry, A::Error> {
                let table = RequestsTable::deserialize(MapAccessDeserializer::new(table))?;
                Ok(RequestEntry::Table(Box::new(table)))
            }
        }

        from.deserialize_any(Entry)
    }
}

impl JsonSchema for RequestEntry {
    fn schema_name() -> Cow<'static, str> {
        "RequestEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<RequestsTable>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}

impl Serialize for RampValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Users(time) => As(*time).serialize(to),
            Self::Rate(table) => table.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for RampValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        super::texts::text_or_table(from)
    }
}

impl<'de> super::texts::TextOrTable<'de> for RampValue {
    type Table = RampTable;
    const WHAT: &'static str = "a time over which users start, such as \"10s\", or a table such as { from = \"10/s\", to = \
                                \"500/s\", over = \"60s\" }";

    fn text(text: &str) -> Result<Self, crate::PlanError> {
        use super::words::Word as _;
        if text.contains(':') {
            let crate::ArrivalProcess::Ramp { from, to, over } = crate::ArrivalProcess::parse_ramp(text)?
            else {
                unreachable!("a ramp is read");
            };
            return Ok(Self::Rate(RampTable {
                from: As(Rate(from)),
                to: As(Rate(to)),
                over: As(Time(over)),
            }));
        }
        Time::read(text).map(Self::Users)
    }

    fn table(table: RampTable) -> Result<Self, crate::PlanError> {
        Ok(Self::Rate(table))
    }
}

impl JsonSchema for RampValue {
    fn schema_name() -> Cow<'static, str> {
        "Ramp".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<RampTable>();
        json_schema!({ "anyOf": [{ "type": ["string"] }, table] })
    }
}

impl Serialize for Redirects {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0 == RedirectPolicy::up_to(self.0.limit) {
            to.serialize_u32(self.0.limit)
        } else {
            self.0.serialize(to)
        }
    }
}

impl<'de> Deserialize<'de> for Redirects {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Number;

        impl<'de> Visitor<'de> for Number {
            type Value = Redirects;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or a table with `limit`")
            }

            fn visit_u64<E: serde::de::Error>(self, limit: u64) -> Result<Redirects, E> {
                let limit = u32::try_from(limit).map_err(|_| E::custom("use a smaller number"))?;
                Ok(Redirects(RedirectPolicy::up_to(limit)))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Redirects, A::Error> {
                RedirectPolicy::deserialize(MapAccessDeserializer::new(table)).map(Redirects)
            }
        }

        from.deserialize_any(Number)
    }
}

impl JsonSchema for Redirects {
    fn schema_name() -> Cow<'static, str> {
        "Redirects".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<RedirectPolicy>();
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, table] })
    }
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
