//! Makes a plan of what was read.

use crate::error::{ImportError, Place};
use crate::multipart;
use crate::recorded::{Body, Capture, Content, Part, Recorded, Recording, Source};
use crate::text::{Piece, Text};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use warwolf_plan::query::{Capture as PlanCapture, Check, Filter, Query};
use warwolf_plan::template::{self, Template};
use warwolf_plan::{
    Auth, CookiePolicy, Credentials, Plan, PlanError, Request, RequestId, RequestShape, Scenario, Schedule,
    Step, Stop, Think, Variable, VariableValue,
};

/// Length of a step's name in characters at the most, where it is made of the URL.
const NAME_MAX: usize = 60;

/// Makes a plan: one scenario whose steps are the requests in their order, for one user who begins again when the last step is
/// done. Recorded texts never become templates, whatever braces they contain.
///
/// # Errors
/// The first request that a plan cannot express.
pub fn plan(recording: &Recording) -> Result<Plan, ImportError> {
    if recording.requests.is_empty() {
        return Err(ImportError::whole("no request is left to import"));
    }
    let names = step_names(&recording.requests);
    let groups = group_names(&recording.requests);
    let mut requests = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    for (index, recorded) in recording.requests.iter().enumerate() {
        let name = &names[index];
        let wrong =
            |error: PlanError| ImportError::new(Place::Value(format!("step `{name}`")), error.to_string());
        requests.push(request(recorded).map_err(wrong)?);
        if let Some(last) = steps.last_mut()
            && recorded.think > Duration::ZERO
        {
            last.think = Think::Constant { time: recorded.think };
        }
        let mut step = Step::new(name.as_str(), RequestId(index as u32));
        step.group = Some(groups[index].clone()).filter(|group| !group.is_empty());
        step.timeout = recorded.timeout;
        step.redirects = recorded.redirects;
        step.captures = recorded.captures.iter().map(capture).collect();
        let checks = recorded.checks.iter().map(|text| Check::parse("check", text));
        step.checks = checks.collect::<Result<_, _>>().map_err(wrong)?;
        steps.push(step);
    }
    let mut plan = Plan::new(requests);
    plan.schedule = Schedule::Turns { users: 1 };
    plan.stop = Stop::after(Duration::from_secs(10));
    plan.scenarios = vec![Scenario::new("", steps)];
    plan.variables = variables(recording)?;
    set(&mut plan, recording);
    match plan.clone().check() {
        Ok(_) => Ok(plan),
        Err(error) => Err(ImportError::whole(format!("a plan cannot express this: {error}"))),
    }
}

/// Sets what applies to all requests.
fn set(plan: &mut Plan, recording: &Recording) {
    let settings = &recording.settings;
    plan.network = settings.network.clone();
    plan.tls = settings.tls.clone();
    plan.connections.version = settings.version;
    // HTTP/1.0 closes connections unless it is asked for more.
    plan.connections.keep_alive = settings.version == warwolf_plan::HttpVersion::Http11;
    if let Some(time) = settings.connect_timeout {
        plan.timeouts.connect = Some(time);
    }
    plan.session.redirects.limit = settings.redirects;
    if settings.cookies {
        plan.session.cookies = CookiePolicy::Jar;
    }
    if let Some(credentials) = &settings.digest {
        let (name, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        let credentials = Credentials { name: name.to_owned(), password: password.to_owned(), realm: None };
        plan.session.auth = Some(Auth {
            server: vec![credentials],
            proxy: Vec::new(),
            attempts: 2,
            retry_without_credentials: false,
        });
    }
}

/// The variables that requests use, those in their values included.
fn variables(recording: &Recording) -> Result<Vec<Variable>, ImportError> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut texts: Vec<&Text> = recording.requests.iter().flat_map(texts_of).collect();
    let mut variables = Vec::new();
    while let Some(text) = texts.pop() {
        for piece in text.pieces() {
            let Piece::Value(name) = piece else { continue };
            let Some((_, value)) = recording.variables.iter().find(|(known, _)| known == name) else {
                continue;
            };
            if used.insert(name.clone()) {
                texts.push(value);
            }
        }
    }
    for (name, value) in recording.variables.iter().filter(|(name, _)| used.contains(name)) {
        let wrong = |error: PlanError| {
            ImportError::new(Place::Value(format!("variable `{name}`")), error.to_string())
        };
        let text = written(value, true).map_err(wrong)?;
        variables.push(Variable { name: name.clone(), value: VariableValue::Text(text) });
    }
    Ok(variables)
}

/// The texts of a request that may have values.
fn texts_of(recorded: &Recorded) -> Vec<&Text> {
    let mut texts = vec![&recorded.url];
    texts.extend(recorded.headers.iter().map(|(_, value)| value));
    texts.extend(&recorded.basic_auth);
    match &recorded.body {
        Body::None | Body::Bytes(_) | Body::File(_) => {}
        Body::Text(text) => texts.push(text),
        Body::Form(pairs) => texts.extend(pairs.iter().flat_map(|(name, value)| [name, value])),
        Body::Multipart(parts) => texts.extend(parts.iter().filter_map(|part| match &part.content {
            Content::Text(text) => Some(text),
            Content::File(_) => None,
        })),
    }
    texts
}

/// Writes a text as a template, or as it is.
fn written(text: &Text, is_template: bool) -> Result<String, PlanError> {
    if !is_template {
        return Ok(text.plain().unwrap_or_default().to_owned());
    }
    let mut written = String::new();
    for piece in text.pieces() {
        match piece {
            Piece::Literal(text) => written.push_str(&template::escape(text)),
            Piece::Value(name) => {
                written.push_str("{{");
                written.push_str(name);
                written.push_str("}}");
            }
        }
    }
    // A brace or a backslash before a value is read as a part of its braces.
    let parsed = Template::parse("text", &written)?;
    let count = |is_value: fn(&Piece) -> bool| text.pieces().iter().filter(|piece| is_value(piece)).count();
    let length: usize = parsed.pieces.iter().map(text_length).sum();
    if parsed.values().count() != count(|piece| matches!(piece, Piece::Value(_))) || length != text.len() {
        let remedy = "put something else than `{` or `\\` before the variable";
        return Err(PlanError::new("text", text.to_string(), remedy));
    }
    Ok(written)
}

fn text_length(piece: &template::Piece) -> usize {
    match piece {
        template::Piece::Text(text) => text.len(),
        template::Piece::Value(_) => 0,
    }
}

fn request(recorded: &Recorded) -> Result<Request, PlanError> {
    let is_template = texts_of(recorded).iter().any(|text| text.plain().is_none());
    let start = recorded.url.start();
    let host = start.find("://").map_or(0, |at| at + 3);
    let end = start[host..].find('/').map(|length| host + length);
    let end = end.ok_or_else(|| PlanError::new("url", recorded.url.to_string(), crate::HOST_IS_VARIABLE))?;
    let endpoint = Request::get(&start[..end])?.endpoint.clone();
    let path = recorded.url.strip_prefix(&start[..end]).unwrap_or_default();
    let mut shape = RequestShape::get(endpoint);
    shape.method.clone_from(&recorded.method);
    shape.is_template = is_template;
    for (name, value) in &recorded.headers {
        shape.headers.push((name.clone(), written(value, is_template)?));
    }
    shape.basic_auth = recorded.basic_auth.as_ref().map(|text| written(text, is_template)).transpose()?;
    shape.body = body(recorded, is_template, &mut shape.headers)?;
    Ok(Request::new(written(&path, is_template)?, shape))
}

fn body(
    recorded: &Recorded,
    is_template: bool,
    headers: &mut Vec<(String, String)>,
) -> Result<warwolf_plan::Body, PlanError> {
    Ok(match &recorded.body {
        Body::None => warwolf_plan::Body::None,
        Body::Text(text) if text.plain().is_none() && is_json(recorded) => {
            warwolf_plan::Body::Json(written(text, is_template)?)
        }
        Body::Text(text) => warwolf_plan::Body::Text(written(text, is_template)?),
        Body::Bytes(bytes) => warwolf_plan::Body::Bytes(bytes.clone()),
        Body::File(path) => warwolf_plan::Body::File(path.into()),
        Body::Form(pairs) => {
            let pair = |(name, value): &(Text, Text)| {
                Ok::<_, PlanError>((written(name, is_template)?, written(value, is_template)?))
            };
            warwolf_plan::Body::Form(pairs.iter().map(pair).collect::<Result<_, _>>()?)
        }
        Body::Multipart(parts) if parts.iter().all(is_plain_part) => {
            let part = |part: &Part| {
                let content = match &part.content {
                    Content::Text(text) => warwolf_plan::PartContent::Text(written(text, is_template)?),
                    Content::File(path) => warwolf_plan::PartContent::File(path.into()),
                };
                let content_type = part.content_type.clone();
                Ok::<_, PlanError>(warwolf_plan::Part { name: part.name.clone(), content, content_type })
            };
            warwolf_plan::Body::Multipart(parts.iter().map(part).collect::<Result<_, _>>()?)
        }
        Body::Multipart(parts) => {
            let (boundary, text) = multipart::encoded(parts).ok_or_else(|| {
                PlanError::new("multipart", "a file under another name", "send it with its own name")
            })?;
            headers.push(("Content-Type".to_owned(), format!("multipart/form-data; boundary={boundary}")));
            warwolf_plan::Body::Text(written(&text, is_template)?)
        }
    })
}

/// Whether a part can be written as one of a plan: a file is sent with its own name, a text without one.
fn is_plain_part(part: &Part) -> bool {
    match &part.content {
        Content::Text(_) => part.filename.is_none(),
        Content::File(path) => part.filename.as_deref() == path.rsplit('/').next(),
    }
}

fn is_json(recorded: &Recorded) -> bool {
    let kind = recorded.header("content-type").map(ToString::to_string).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().ends_with("json"))
}

fn capture(capture: &Capture) -> PlanCapture {
    let query = match &capture.from {
        Source::Json(path) => Query::Json(path.clone()),
        Source::Header(name) => Query::Header(name.clone()),
        Source::Cookie(name) => Query::Cookie { name: name.clone(), attribute: None },
        Source::Regex(pattern) => Query::Regex(pattern.clone()),
    };
    // Room for values that are longer than the recorded one.
    let room = (capture.bytes.saturating_mul(2)).next_multiple_of(256);
    let max = u32::try_from(room).unwrap_or(u32::MAX).clamp(PlanCapture::MAX, 64 << 10);
    let filters = if capture.is_encoded { vec![Filter::UrlEncode] } else { Vec::new() };
    PlanCapture { max, filters, ..PlanCapture::new(capture.name.as_str(), query) }
}

/// A name for each step, no two alike: that of the file, or else method and path.
fn step_names(requests: &[Recorded]) -> Vec<String> {
    let mut used = HashMap::new();
    let name = |recorded: &Recorded| match one_line(&recorded.name) {
        name if !name.is_empty() => name,
        _ => {
            let url = recorded.url.to_string();
            let path = url.find("://").map_or(url.as_str(), |at| &url[at + 3..]);
            let path = path.find('/').map_or("/", |at| &path[at..]);
            let path = path.split('?').next().unwrap_or_default();
            one_line(&format!("{} {path}", recorded.method))
        }
    };
    requests.iter().map(|recorded| single(&mut used, name(recorded))).collect()
}

/// A name for each run of requests of one group: a plan's group is in one piece.
fn group_names(requests: &[Recorded]) -> Vec<String> {
    let mut used = HashMap::new();
    let mut last: Option<(&str, String)> = None;
    requests
        .iter()
        .map(|recorded| match &last {
            Some((group, name)) if *group == recorded.group => name.clone(),
            _ => {
                let name = one_line(&recorded.group);
                let name = if name.is_empty() { name } else { single(&mut used, name) };
                last = Some((&recorded.group, name.clone()));
                name
            }
        })
        .collect()
}

/// A name that was not used, with a number if need be.
fn single(used: &mut HashMap<String, usize>, name: String) -> String {
    let mut result = name.clone();
    loop {
        if !used.contains_key(&result) {
            used.insert(result.clone(), 1);
            return result;
        }
        let count = used.entry(name.clone()).or_insert(1);
        *count += 1;
        result = format!("{name} {count}");
    }
}

/// A text for a name: one line, not too long.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(NAME_MAX).collect::<String>().trim_end().to_owned()
}
