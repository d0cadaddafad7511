//! Translates a Hurl file to a scenario.

mod check;
mod options;
mod request;
#[cfg(test)]
mod tests;
mod values;

use crate::ast::{self, Entry, Pos};
use crate::error::{HurlError, Refusal};
use check::Checks;
use options::Choices;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use values::Values;
use warwolf_plan::query::{Check, Literal, Predicate, Query};
use warwolf_plan::{Again, OnFail, Repeat, Request, RequestId, Scenario, Step, Think};

pub use values::Constant;

/// Something that is refused. Boxed, because it is large and rare.
type Refused = Box<Refusal>;

fn refuse(pos: Pos, feature: impl Into<String>, reason: impl Into<String>) -> Refused {
    Box::new(Refusal { pos, feature: feature.into(), reason: reason.into() })
}

/// Reads a file.
type ReadFile<'a> = &'a dyn Fn(&Path) -> Result<Vec<u8>, String>;

/// What a Hurl file needs from outside.
#[derive(Clone)]
pub struct Options<'a> {
    /// Variables with their values.
    pub variables: BTreeMap<String, Constant>,
    /// Variables that are values of the plan, such as `user` for the column `users.name`.
    pub plan_values: BTreeMap<String, String>,
    /// The folder that files are named from. Files outside of it are refused.
    pub folder: PathBuf,
    /// Reads a file that a response is compared with.
    pub read: ReadFile<'a>,
}

impl<'a> Options<'a> {
    /// No variables, and files from the folder of the file.
    #[must_use]
    pub fn new(file: &Path, read: ReadFile<'a>) -> Self {
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        Self { variables: BTreeMap::new(), plan_values: BTreeMap::new(), folder, read }
    }
}

/// A Hurl file as a scenario of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The scenario. Its steps name `requests` by their index.
    pub scenario: Scenario,
    /// The requests.
    pub requests: Vec<Request>,
    /// Certificates of servers are not checked; `None` if no request goes over TLS.
    pub insecure: Option<bool>,
    /// Requests are sent over HTTP/1.0.
    pub http10: bool,
    /// What was left out because it changes neither requests nor checks.
    pub notes: Vec<String>,
}

/// Translates a Hurl file to a scenario of a plan: an entry is a step. Sessions keep cookies, and end when a check fails.
///
/// # Errors
/// The text is no Hurl file, or has something in it that has no meaning under load.
pub fn scenario(file: &str, text: &str, options: &Options<'_>) -> Result<Translation, HurlError> {
    let entries = crate::parse(text).map_err(|error| HurlError::Parse { file: file.to_owned(), error })?;
    let mut translator = Translator {
        values: Values::new(&options.variables, &options.plan_values),
        files: Files { folder: &options.folder, read: options.read },
        names: BTreeSet::new(),
        steps: Vec::new(),
        requests: Vec::new(),
        delays: Vec::new(),
        insecure: None,
        http10: None,
        notes: Vec::new(),
        problems: Vec::new(),
    };
    entries.iter().for_each(|entry| translator.entry(entry));
    if translator.steps.is_empty() && translator.problems.is_empty() {
        let pos = Pos { line: 1, column: 1 };
        translator.problems.push(refuse(pos, "this file", "it has no request that would be sent"));
    }
    if !translator.problems.is_empty() {
        let mut refusals: Vec<Refusal> = translator.problems.into_iter().map(|problem| *problem).collect();
        refusals.sort_by_key(|refusal| (refusal.pos.line, refusal.pos.column));
        return Err(HurlError::Refused { file: file.to_owned(), refusals });
    }
    translator.place_delays();
    let name = Path::new(file)
        .file_stem()
        .map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok(Translation {
        scenario: Scenario::new(name, translator.steps),
        requests: translator.requests,
        insecure: translator.insecure,
        http10: translator.http10 == Some(true),
        notes: translator.notes,
    })
}

/// Files that a Hurl file names.
struct Files<'a> {
    folder: &'a Path,
    read: ReadFile<'a>,
}

impl Files<'_> {
    /// Where a file is. It must be inside of the folder.
    fn path(&self, values: &Values, name: &ast::Template) -> Result<PathBuf, Refused> {
        let text = values.text(name, "the name of a file")?;
        let mut depth = 0_i32;
        let is_inside = Path::new(&text).components().all(|component| {
            depth += match component {
                Component::Normal(_) => 1,
                Component::CurDir => 0,
                Component::ParentDir => -1,
                Component::RootDir | Component::Prefix(_) => i32::MIN / 2,
            };
            depth >= 0
        });
        let path = self.folder.join(&text);
        if is_inside || path.starts_with(self.folder) && !text.contains("..") {
            return Ok(path);
        }
        let reason = format!("only files below {} are read: see --file-root", self.folder.display());
        Err(refuse(name.pos, format!("file `{text}`"), reason))
    }

    fn read(&self, values: &Values, name: &ast::Template) -> Result<Vec<u8>, Refused> {
        let path = self.path(values, name)?;
        (self.read)(&path).map_err(|problem| refuse(name.pos, format!("file `{}`", path.display()), problem))
    }
}

/// A scenario as far as it is translated.
struct Translator<'a> {
    values: Values,
    files: Files<'a>,
    names: BTreeSet<String>,
    steps: Vec<Step>,
    requests: Vec<Request>,
    /// The pause before each step.
    delays: Vec<Duration>,
    insecure: Option<bool>,
    http10: Option<bool>,
    notes: Vec<String>,
    problems: Vec<Refused>,
}

impl Translator<'_> {
    fn entry(&mut self, entry: &Entry) {
        let request = &entry.request;
        for comment in &request.comments {
            if comment.text.contains("@cookie_storage_") {
                let reason = "it changes the cookies of a session from outside: use [Cookies]";
                self.problems.push(refuse(comment.pos, comment.text.trim(), reason));
            }
        }
        let choices = Choices::read(&request.options, &mut self.values, &mut self.problems);
        if choices.skip || choices.repeat == 0 {
            self.notes.push(format!("line {}: this entry is left out by its options", request.pos.line));
            return;
        }
        for option in &choices.without_effect {
            self.notes.push(format!("line {}: option {} changes nothing here", option.pos.line, option.name));
        }
        let translated = request::request(&self.values, &self.files, request, &choices);
        let translated = match translated {
            Ok(translated) => translated,
            Err(problem) => {
                self.problems.push(problem);
                // What else is wrong is named, too.
                self.captures(entry);
                self.checks(entry, &choices);
                return;
            }
        };
        self.whole_run(entry, &translated, &choices);
        let mut step = Step::new(self.name(entry), RequestId(self.requests.len() as u32));
        step.repeat = Repeat::times(choices.repeat);
        step.on_fail = OnFail::EndSession;
        step.timeout = choices.timeout;
        step.redirects = Some(if choices.location { choices.max_redirs } else { 0 });
        step.captures = self.captures(entry);
        step.checks = self.checks(entry, &choices);
        if let Some(retry) = choices.retry {
            self.retry(entry, &mut step, retry, choices.retry_interval);
        }
        if choices.repeat > 1 && !choices.delay.is_zero() {
            step.think = Think::Constant { time: choices.delay };
        }
        self.requests.push(translated);
        self.steps.push(step);
        self.delays.push(choices.delay);
    }

    /// Settings that are one for the whole run.
    fn whole_run(&mut self, entry: &Entry, request: &Request, choices: &Choices) {
        let pos = entry.request.pos;
        if request.endpoint.scheme == warwolf_plan::Scheme::Https {
            if self.insecure.is_some_and(|insecure| insecure != choices.insecure) {
                let reason = "certificates are checked in the same way in the whole run: use it in all entries or in none";
                self.problems.push(refuse(pos, "option insecure", reason));
            }
            self.insecure = Some(choices.insecure);
        }
        if self.http10.is_some_and(|http10| http10 != choices.http10) {
            let reason = "the version of HTTP is one for the whole run: use it in all entries or in none";
            self.problems.push(refuse(pos, "option http1.0", reason));
        }
        self.http10 = Some(choices.http10);
    }

    /// The method and the path, as written. The second with the same name has its line, too.
    fn name(&mut self, entry: &Entry) -> String {
        let request = &entry.request;
        let url: String = request
            .url
            .pieces
            .iter()
            .map(|piece| match piece {
                ast::Piece::Text(text) => text.clone(),
                ast::Piece::Value(ast::Placeholder { expr: ast::Expr::Variable(name), .. }) => {
                    self.values.constant(name).map_or_else(|| format!("{{{{{name}}}}}"), Constant::text)
                }
                ast::Piece::Value(_) => "{{…}}".to_owned(),
            })
            .collect();
        let path = url
            .split_once("://")
            .map_or(url.as_str(), |(_, rest)| rest.find(['/', '?', '#']).map_or("/", |at| &rest[at..]));
        let path = path.split(['?', '#']).next().filter(|path| !path.is_empty()).unwrap_or("/");
        let mut name = format!("{} {path}", request.method);
        if self.names.contains(&name) {
            name = format!("{name} (line {})", request.pos.line);
        }
        self.names.insert(name.clone());
        name
    }

    /// The captures of an entry, which are known from here on.
    fn captures(&mut self, entry: &Entry) -> Vec<warwolf_plan::query::Capture> {
        let mut captures = Vec::new();
        for capture in entry.response.iter().flat_map(|response| &response.captures) {
            let checks = Checks { values: &self.values, files: &self.files, captures: &[] };
            let translated = checks.capture(capture);
            let name = checks.values.text(&capture.name, "the name of a variable");
            if let Ok(name) = name
                && let Err(problem) = self.values.capture(&name, capture.name.pos)
            {
                self.problems.push(problem);
            }
            match translated {
                Ok(capture) => captures.push(capture),
                Err(problem) => self.problems.push(problem),
            }
        }
        captures
    }

    fn checks(&mut self, entry: &Entry, choices: &Choices) -> Vec<Check> {
        let Some(response) = &entry.response else { return redirect_checks(choices) };
        let checks = Checks { values: &self.values, files: &self.files, captures: &response.captures };
        let mut all = checks.implicit(response, &mut self.problems);
        for assert in &response.asserts {
            match checks.assert(assert) {
                Ok(checks) => all.extend(checks),
                Err(problem) => self.problems.push(problem),
            }
        }
        if response.status.is_none() {
            all.extend(redirect_checks(choices));
        }
        if choices.fail_with_body {
            all.push(Check::new(Query::Status, Predicate::Less(Literal::Integer(400))));
        }
        self.values.checked();
        all
    }

    /// A step that is run again until what is expected of its response is found.
    fn retry(&mut self, entry: &Entry, step: &mut Step, retry: u32, interval: Duration) {
        let pos = entry
            .request
            .options
            .iter()
            .find(|option| option.name == "retry")
            .map_or(entry.request.pos, |o| o.pos);
        if step.repeat != Repeat::ONCE {
            self.problems.push(refuse(pos, "option retry", "it cannot be combined with repeat"));
        }
        step.again = Some(Again { condition: None, until: true, limit: retry.saturating_add(1) });
        step.think = Think::Constant { time: interval };
    }

    /// A pause before a step is one after the step before it; that before the first comes at the end of the session.
    fn place_delays(&mut self) {
        for index in 0..self.steps.len() {
            let delay = self.delays[index];
            if delay.is_zero() {
                continue;
            }
            let before = if index == 0 { self.steps.len() - 1 } else { index - 1 };
            if index == 0 {
                self.notes.push("the delay of the first entry comes after the last one".to_owned());
            }
            let step = &mut self.steps[before];
            if step.again.is_none() || step.think == Think::None {
                step.think = Think::Constant { time: delay };
            }
        }
    }
}

/// A redirect that is one too many is an error in Hurl, whatever the entry expects.
fn redirect_checks(choices: &Choices) -> Vec<Check> {
    let redirects = [301, 302, 303, 307, 308].map(Literal::Integer).to_vec();
    let check = Check { is_negated: true, ..Check::new(Query::Status, Predicate::In(redirects)) };
    if choices.location { vec![check] } else { Vec::new() }
}
