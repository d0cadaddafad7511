//! Compiles captures and checks.

use crate::filter::Filter;
use crate::find::Find;
use crate::json::{Pick, Track, Want};
use crate::path::{Path, Step};
use crate::pattern::Pattern;
use crate::predicate::Test;
use crate::scan::Scan;
use crate::value::Kind;
use crate::watch::Watch;
use warwolf_plan::PlanError;
use warwolf_plan::query::{self, Capture, Check, Query};

/// The longest body that is kept whole, in bytes.
const MAX_BODY: usize = 64 * 1024;
/// The longest value that a check compares or a filter changes, in bytes, unless it is of a body that is kept.
const MAX_VALUE: usize = 4096;
/// The beginning of the body that is kept for examples of failed checks, in bytes.
pub(crate) const BEGINNING: usize = 256;

/// The captures and checks of one step, compiled once for all its calls.
#[derive(Debug, Default)]
pub struct Scanner {
    /// Captures, then checks.
    pub(crate) items: Vec<Item>,
    pub(crate) captures: usize,
    pub(crate) fields: Vec<Field>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) finds: Vec<Find>,
    /// Lower-case names of header fields.
    names: Vec<&'static str>,
    own_names: Vec<String>,
    pub(crate) needs_body: bool,
    /// Bytes of the body that are kept.
    pub(crate) body_room: usize,
    pub(crate) digests: Digests,
}

/// Which digests of the body are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Digests {
    pub(crate) sha256: bool,
    pub(crate) md5: bool,
}

/// A capture or a check.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) source: Source,
    pub(crate) filters: Vec<Filter>,
    /// The value is a list of what a path finds.
    pub(crate) is_path_list: bool,
    /// It looks at the body as a text in UTF-8.
    pub(crate) is_of_text: bool,
    /// The length of the value at the most.
    pub(crate) max: u32,
    /// Of a check: what is expected, and whether the opposite is.
    pub(crate) test: Option<(Test, bool)>,
}

/// A header field or cookie to keep.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The cookie of this name, or its attribute, if the field is `set-cookie`.
    pub(crate) cookie: Option<(String, Option<String>)>,
    pub(crate) room: usize,
}

/// Where a value comes from.
#[derive(Debug)]
pub(crate) enum Source {
    Status,
    Version,
    Url,
    Latency,
    /// The length of the body as it was sent.
    Size,
    /// The length of the body without content coding.
    Length,
    Field(usize),
    Variable(String),
    Track {
        index: usize,
        take: Take,
    },
    /// The match of a regular expression.
    Find(usize),
    /// The check looks at the body while it streams.
    Watch,
    Sha256,
    Md5,
    /// The buffer.
    Body,
}

/// How an item is going to be evaluated.
struct Reading<'a> {
    /// The filters of the plan that are left.
    rest: &'a [query::Filter],
    /// The filter before them that evaluates a query on what is kept.
    first: Option<Filter>,
    is_path_list: bool,
}

/// What is taken of the value that a track finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    Value,
    /// The number of its elements.
    Count,
    /// It is an element of a list that has to be there.
    Element,
    /// It is one of the nodes that the path finds, which has to be there.
    Node,
}

impl Source {
    const fn is_of_body(&self) -> bool {
        matches!(
            self,
            Self::Length
                | Self::Track { .. }
                | Self::Find(_)
                | Self::Watch
                | Self::Sha256
                | Self::Md5
                | Self::Body
        )
    }
}

impl Item {
    /// Whether it looks at the body.
    pub(crate) const fn is_of_body(&self) -> bool {
        self.source.is_of_body()
    }

    /// The kind of a body.
    pub(crate) const fn kind(&self) -> Kind {
        if self.is_of_text { Kind::Loose } else { Kind::Bytes }
    }
}

impl Scanner {
    /// Compiles the captures and checks of a step.
    ///
    /// # Errors
    /// A JSON path, a regular expression or a text with `{{…}}` is wrong: an error about the field `capture.NAME` or `check.N`, from 0.
    pub fn new(captures: &[Capture], checks: &[Check]) -> Result<Self, PlanError> {
        let mut scanner = Self { captures: captures.len(), ..Self::default() };
        for capture in captures {
            let wrong = |remedy: String| {
                PlanError::new(format!("capture.{}", capture.name), capture.query.to_string(), remedy)
            };
            let max = capture.max;
            let item = scanner.item(&capture.query, &capture.filters, None, max).map_err(wrong)?;
            scanner.items.push(item);
        }
        for (index, check) in checks.iter().enumerate() {
            let wrong = |remedy: String| PlanError::new(format!("check.{index}"), check.to_string(), remedy);
            let test = Test::new(&check.query, !check.filters.is_empty(), &check.predicate).map_err(wrong)?;
            let test = Some((test, check.is_negated));
            let item = scanner.item(&check.query, &check.filters, test, MAX_VALUE as u32).map_err(wrong)?;
            scanner.items.push(item);
        }
        if scanner.needs_body {
            scanner.names.extend(["content-encoding", "content-type"]);
        }
        for field in &scanner.fields {
            if !scanner.own_names.contains(&field.name) {
                scanner.own_names.push(field.name.clone());
            }
        }
        Ok(scanner)
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether it looks at the body.
    #[must_use]
    pub fn needs_body(&self) -> bool {
        self.needs_body || self.items.len() > self.captures
    }

    /// Whether the URL of the reply is wanted ([`crate::End::url`]).
    #[must_use]
    pub fn needs_url(&self) -> bool {
        self.items.iter().any(|item| matches!(item.source, Source::Url))
    }

    /// The bytes of a body that are kept whole; 0 if it is only looked at while it streams.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.body_room
    }

    /// Lower-case names of the header fields that it looks at.
    pub fn header_names(&self) -> impl Iterator<Item = &str> {
        self.own_names.iter().map(String::as_str).chain(self.names.iter().copied())
    }

    /// Memory for one reply at a time, allocated whole.
    #[must_use]
    pub fn scan(&self) -> Scan {
        Scan::new(self)
    }

    fn item(
        &mut self,
        query: &Query,
        filters: &[query::Filter],
        test: Option<(Test, bool)>,
        max: u32,
    ) -> Result<Item, String> {
        let mut plan = Reading { rest: filters, first: None, is_path_list: false };
        let source = self.source(query, &mut plan, test.as_ref(), max)?;
        self.needs_body |= source.is_of_body();
        if matches!(source, Source::Body) {
            let is_whole = plan.first.is_some() || !filters.is_empty() || test.is_some();
            self.body_room = self.body_room.max(if is_whole { MAX_BODY } else { max as usize });
        }
        let Reading { rest, first, mut is_path_list } = plan;
        let mut compiled: Vec<Filter> = first.into_iter().collect();
        for filter in rest {
            compiled.push(Filter::new(filter)?);
        }
        match compiled.last() {
            Some(Filter::Json(path)) => is_path_list = !path.is_single(),
            Some(_) => is_path_list = false,
            None => {}
        }
        let is_of_text = matches!(query, Query::Body | Query::Json(_) | Query::Regex(_));
        Ok(Item { source, filters: compiled, is_path_list, is_of_text, max, test })
    }

    fn source(
        &mut self,
        query: &Query,
        reading: &mut Reading<'_>,
        test: Option<&(Test, bool)>,
        max: u32,
    ) -> Result<Source, String> {
        let kind = if matches!(query, Query::Bytes) { Kind::Bytes } else { Kind::Loose };
        Ok(match query {
            Query::Status => Source::Status,
            Query::Version => Source::Version,
            Query::Url => Source::Url,
            Query::Latency => Source::Latency,
            Query::Size => Source::Size,
            Query::Variable(name) => Source::Variable(name.clone()),
            Query::Header(name) => self.field(name.to_ascii_lowercase(), None, max, reading.rest),
            Query::Cookie { name, attribute } => {
                let cookie = Some((name.clone(), attribute.clone()));
                self.field("set-cookie".to_owned(), cookie, max, reading.rest)
            }
            Query::Sha256 => {
                self.digests.sha256 = true;
                Source::Sha256
            }
            Query::Md5 => {
                self.digests.md5 = true;
                Source::Md5
            }
            Query::Json(path) => self.json(path, reading, max)?,
            Query::Regex(pattern) => self.find(pattern, reading, max)?,
            Query::Body | Query::Bytes => match (query, reading.rest) {
                (Query::Body, [query::Filter::Json(path), rest @ ..]) => {
                    reading.rest = rest;
                    self.json(path, reading, max)?
                }
                (Query::Body, [query::Filter::Regex(pattern), rest @ ..]) => {
                    reading.rest = rest;
                    self.find(pattern, reading, max)?
                }
                (Query::Bytes, [query::Filter::Count, rest @ ..]) => {
                    reading.rest = rest;
                    Source::Length
                }
                (_, filters) => match test {
                    Some((test, _)) if filters.is_empty() && Watch::is_possible(test, kind) => Source::Watch,
                    _ => Source::Body,
                },
            },
        })
    }

    /// Follows a path while the document streams, or else keeps the body.
    fn json(&mut self, path: &str, reading: &mut Reading<'_>, max: u32) -> Result<Source, String> {
        let path = Path::parse(path)?;
        reading.is_path_list = !path.is_single();
        Ok(match path.steps() {
            Some(steps) => self.track(steps, reading, max),
            None => {
                reading.first = Some(Filter::Json(path));
                Source::Body
            }
        })
    }

    /// Looks for a regular expression while the body streams, or else keeps the body.
    fn find(&mut self, text: &str, reading: &mut Reading<'_>, max: u32) -> Result<Source, String> {
        let pattern = Pattern::new(text)?;
        let room = room(max, reading.rest.is_empty());
        if let Some(index) = self.finds.iter().position(|find| find.text() == text) {
            self.finds[index].widen(room);
            return Ok(Source::Find(index));
        }
        let Some(find) = Find::new(text, room) else {
            reading.first = Some(Filter::Regex(pattern));
            return Ok(Source::Body);
        };
        self.finds.push(find);
        Ok(Source::Find(self.finds.len() - 1))
    }

    fn field(
        &mut self,
        name: String,
        cookie: Option<(String, Option<String>)>,
        max: u32,
        filters: &[query::Filter],
    ) -> Source {
        let room = room(max, filters.is_empty());
        let known = self.fields.iter().position(|field| field.name == name && field.cookie == cookie);
        let index = known.unwrap_or(self.fields.len());
        match self.fields.get_mut(index) {
            Some(field) => field.room = field.room.max(room),
            None => self.fields.push(Field { name, cookie, room }),
        }
        Source::Field(index)
    }

    /// Follows steps while the document streams, with the first filter if it allows that.
    fn track(&mut self, steps: Vec<Step>, reading: &mut Reading<'_>, max: u32) -> Source {
        let is_list = reading.is_path_list;
        let mut track = Track {
            pick: if is_list { Pick::All } else { Pick::Single },
            want: Want::Content,
            steps,
            room: 0,
        };
        let take = track.absorb(reading.rest.first());
        if take != Take::Value {
            reading.rest = &reading.rest[1..];
            reading.is_path_list = false;
        }
        let room = room(max, reading.rest.is_empty() && take != Take::Count);
        // An element of a list of texts is kept with quotes and escapes, which may be six times as long.
        track.room = if reading.is_path_list { room * 6 + 4 } else { room };
        let known =
            self.tracks.iter().position(|known| known.steps == track.steps && known.pick == track.pick);
        let index = known.unwrap_or(self.tracks.len());
        match self.tracks.get_mut(index) {
            Some(known) => {
                known.room = known.room.max(track.room);
                known.want = known.want.max(track.want);
            }
            None => self.tracks.push(track),
        }
        Source::Track { index, take }
    }
}

impl Track {
    /// Takes a filter of what it finds over, if that can be evaluated while the document streams.
    fn absorb(&mut self, filter: Option<&query::Filter>) -> Take {
        let is_list = self.pick == Pick::All;
        let element = match filter {
            Some(query::Filter::Count) => {
                if is_list {
                    self.want = Want::Count;
                }
                return Take::Count;
            }
            Some(query::Filter::First) => 0,
            Some(query::Filter::Last) => -1,
            Some(query::Filter::Nth(index)) => *index,
            _ => return Take::Value,
        };
        match u64::try_from(element) {
            Ok(index) if is_list => self.pick = Pick::Nth(index),
            Ok(index) => self.steps.push(Step::Index(index)),
            Err(_) if element == -1 => {
                self.pick = Pick::Last;
                if !is_list {
                    self.steps.push(Step::Element);
                }
            }
            Err(_) => return Take::Value,
        }
        if is_list { Take::Node } else { Take::Element }
    }
}

const fn room(max: u32, is_plain: bool) -> usize {
    if is_plain || max as usize > MAX_VALUE { max as usize } else { MAX_VALUE }
}
