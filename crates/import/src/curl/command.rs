//! One command: its options, and the requests that they mean.

use super::body::{self, Data};
use super::options::Meaning;
use super::shell::Word;
use super::url;
use crate::error::{ImportError, Place};
use crate::recorded::{Body, Part, Recorded, Recording};
use crate::text::Text;
use crate::{Options, REQUESTS_MAX};
use std::path::PathBuf;
use std::time::Duration;
use warwolf_plan::{HttpVersion, Proxy, Resolve, TlsVersion, Verify};

/// Redirects that curl follows in a row unless `--max-redirs` is given.
const REDIRECTS: u32 = 50;

/// The options of a command so far.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) urls: Vec<Word>,
    method: Option<Word>,
    headers: Vec<(Word, Text)>,
    data: Vec<Data>,
    parts: Vec<Part>,
    has_form: bool,
    is_json: bool,
    query: Vec<Text>,
    get: bool,
    head: bool,
    upload: Option<Word>,
    user: Option<Text>,
    is_digest: bool,
    bearer: Option<Text>,
    cookies: Vec<Text>,
    agent: Option<Text>,
    referer: Option<Text>,
    range: Option<Text>,
    is_compressed: bool,
    is_location: bool,
    max_redirs: Option<u32>,
    is_fail: bool,
    max_time: Option<Duration>,
    target: Option<Word>,
    path_as_is: bool,
    globoff: bool,
    proxy: Option<Word>,
    proxy_user: Option<Word>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// An error about a word.
pub(super) fn wrong<T>(word: &Word, message: impl Into<String>) -> Result<T, ImportError> {
    Err(ImportError::new(word.place(), message))
}

/// Cookies are kept where a file for them is named.
fn cookie_file(value: &Word, recording: &mut Recording) {
    recording.settings.cookies = true;
    if !value.text.is_empty() {
        let why = "cookies in files are not read; each session keeps those that replies set";
        recording.drop(Place::Line(value.at.0), format!("the cookies in {}", value.text), why);
    }
}

/// The characters of a word that must not come from a variable.
pub(super) fn plain(word: &Word) -> Result<&str, ImportError> {
    let message = || ImportError::new(word.place(), "this value cannot come from a variable; write it");
    word.text.plain().ok_or_else(message)
}

fn seconds(word: &Word) -> Result<Duration, ImportError> {
    let time = plain(word)?.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| *time <= Duration::from_secs(1_000_000));
    time.map_or_else(|| wrong(word, "use a number of seconds"), Ok)
}

impl Command {
    /// Sets an option.
    pub(super) fn set(
        &mut self,
        meaning: Meaning,
        is_on: bool,
        value: Word,
        options: &Options<'_>,
        recording: &mut Recording,
    ) -> Result<(), ImportError> {
        match meaning {
            Meaning::Request => self.method = Some(value),
            Meaning::Header => self.add_header(value, options)?,
            Meaning::Data
            | Meaning::DataBinary
            | Meaning::DataRaw
            | Meaning::DataUrlencode
            | Meaning::Json => {
                self.is_json |= meaning == Meaning::Json;
                self.data.push(Data::read(meaning, &value, options)?);
            }
            Meaning::Form | Meaning::FormString => {
                self.has_form = true;
                self.parts.push(body::part(&value, meaning == Meaning::Form, options)?);
            }
            Meaning::User => self.user = Some(value.text),
            Meaning::Bearer => self.bearer = Some(value.text),
            Meaning::Basic => self.is_digest = false,
            Meaning::Digest => self.is_digest = is_on,
            Meaning::Cookie if value.text.split_once(&['=']).is_some() => self.cookies.push(value.text),
            Meaning::Cookie | Meaning::CookieJar => cookie_file(&value, recording),
            Meaning::Agent => self.agent = Some(value.text),
            Meaning::Referer => {
                let text = value.text.map(|text| text.trim_end_matches(";auto").to_owned());
                self.referer = Some(text).filter(|text| !text.is_empty());
            }
            Meaning::Range => self.range = Some(value.text),
            Meaning::Get => self.get = is_on,
            Meaning::Head => self.head = is_on,
            Meaning::Url => self.urls.push(value),
            Meaning::UrlQuery => self.query.push(body::query(&value, options)?),
            Meaning::Upload => self.upload = Some(value),
            Meaning::Location => self.is_location = is_on,
            Meaning::MaxRedirs => match plain(&value)?.parse::<i64>() {
                Ok(limit) => self.max_redirs = Some(u32::try_from(limit).unwrap_or(REDIRECTS)),
                Err(_) => return wrong(&value, "use a number of redirects"),
            },
            Meaning::Compressed => self.is_compressed = is_on,
            Meaning::Fail => self.is_fail = is_on,
            Meaning::MaxTime => self.max_time = Some(seconds(&value)?),
            Meaning::RequestTarget => self.target = Some(value),
            Meaning::PathAsIs => self.path_as_is = is_on,
            Meaning::Globoff => self.globoff = is_on,
            Meaning::Proxy => self.proxy = Some(value),
            Meaning::ProxyUser => self.proxy_user = Some(value),
            Meaning::Cert => self.certificate = Some(plain(&value)?.into()),
            Meaning::Key => self.key = Some(plain(&value)?.into()),
            meaning => return set_connection(meaning, is_on, &value, recording),
        }
        Ok(())
    }

    /// Adds a header line, or with `@` the lines of a file.
    fn add_header(&mut self, value: Word, options: &Options<'_>) -> Result<(), ImportError> {
        let Some(path) = value.text.strip_prefix("@") else {
            self.headers.push((value.clone(), value.text));
            return Ok(());
        };
        let bytes = body::file(&Word { text: path, at: value.at }, options)?;
        let Ok(text) = String::from_utf8(bytes) else { return wrong(&value, "the file is not UTF-8") };
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        self.headers.extend(lines.map(|line| (value.clone(), Text::literal(line))));
        Ok(())
    }

    /// The requests that the options mean.
    pub(super) fn finish(mut self, first: &Word, recording: &mut Recording) -> Result<(), ImportError> {
        if self.urls.is_empty() {
            return wrong(first, "the command has no URL");
        }
        self.set_proxy(recording)?;
        if let Some(certificate) = self.certificate.take() {
            let key = self.key.take().unwrap_or_else(|| certificate.clone());
            recording.settings.tls.client_certificate = Some((certificate, key));
        }
        if self.is_location {
            let limit = self.max_redirs.unwrap_or(REDIRECTS);
            recording.settings.redirects = recording.settings.redirects.max(limit);
        }
        let sources = [!self.data.is_empty() && !self.get, self.has_form, self.upload.is_some(), self.head];
        if sources.iter().filter(|is_given| **is_given).count() > 1 {
            return wrong(first, "use only one of -d, -F, -T and -I, as in curl");
        }
        for word in &self.urls {
            let urls = if self.globoff { vec![word.text.clone()] } else { url::expand(word)? };
            for text in urls {
                let request = self.request(&Word { text, at: word.at }, recording)?;
                recording.requests.push(request);
                if recording.requests.len() > REQUESTS_MAX {
                    return wrong(word, format!("more than {REQUESTS_MAX} requests; import a part"));
                }
            }
        }
        Ok(())
    }

    fn set_proxy(&mut self, recording: &mut Recording) -> Result<(), ImportError> {
        let Some(word) = self.proxy.take() else { return Ok(()) };
        let text = plain(&word)?;
        let mut proxy = Proxy::parse(text)
            .map_err(|error| ImportError::new(word.place(), format!("proxy: {}", error.remedy)))?;
        if !text.trim_end_matches('/').ends_with(":80") && proxy.endpoint.port == 80 {
            // curl's default.
            proxy.endpoint.port = 1080;
        }
        if let Some(user) = self.proxy_user.take() {
            proxy.basic_auth = Some(plain(&user)?.to_owned());
        }
        if recording.settings.network.proxy.as_ref().is_some_and(|other| *other != proxy) {
            return wrong(&word, "a plan has one proxy; import these commands apart");
        }
        recording.settings.network.proxy = Some(proxy);
        Ok(())
    }

    /// The request for one URL.
    fn request(&self, word: &Word, recording: &mut Recording) -> Result<Recorded, ImportError> {
        let mut query = self.query.clone();
        if self.get && !self.data.is_empty() {
            // curl leaves out --url-query then.
            query.clear();
            query.push(body::joined(&self.data, word)?);
        }
        let parsed = url::parse(word, &query, self.path_as_is)?;
        let mut request = Recorded::new("GET", parsed.url);
        let mut default_type = None;
        if let Some(file) = &self.upload {
            request.method = "PUT".to_owned();
            request.url = url::with_file_name(&request.url, plain(file)?);
            request.body = match plain(file)? {
                "-" | "." => return wrong(file, "stdin is not known; name a file"),
                path => Body::File(path.to_owned()),
            };
        } else if self.has_form {
            request.method = "POST".to_owned();
            request.body = Body::Multipart(self.parts.clone());
        } else if self.head {
            request.method = "HEAD".to_owned();
        } else if !self.data.is_empty() && !self.get {
            request.method = "POST".to_owned();
            request.body = body::of(&self.data, word)?;
            default_type =
                Some(if self.is_json { "application/json" } else { "application/x-www-form-urlencoded" });
        }
        if let Some(method) = &self.method {
            request.method = plain(method)?.to_owned();
        }
        if let Some(target) = &self.target {
            request.url = url::with_target(&request.url, &target.text, target)?;
        }
        self.add_fields(&mut request, default_type, parsed.user, recording)?;
        request.timeout = self.max_time;
        if self.is_fail {
            request.checks.push("status < 400".to_owned());
        }
        Ok(request)
    }

    /// Adds header fields: those of -H instead of those that other options mean.
    fn add_fields(
        &self,
        request: &mut Recorded,
        default_type: Option<&str>,
        user: Option<Text>,
        recording: &mut Recording,
    ) -> Result<(), ImportError> {
        let mut removed = Vec::new();
        for (word, line) in &self.headers {
            match field(word, line)? {
                Field::Set(name, value) => self.add_field(request, word, name, value, recording)?,
                Field::Removed(name) => removed.push(name),
            }
        }
        let has_own = |request: &Recorded, name: &str| {
            request.header(name).is_some() || removed.iter().any(|removed| removed.eq_ignore_ascii_case(name))
        };
        let user = self.user.clone().or(user);
        if self.is_digest {
            let user = user.as_ref().and_then(Text::plain);
            recording.settings.digest = Some(user.unwrap_or_default().to_owned());
        } else if !has_own(request, "authorization") {
            request.basic_auth = user.map(with_colon);
        }
        let bearer = self.bearer.as_ref().map(|token| Text::literal("Bearer ").and(token));
        if bearer.is_some() {
            request.basic_auth = None;
        }
        let cookies = self.cookies.iter().fold(None, |joined: Option<Text>, cookie| match joined {
            Some(joined) => Some(joined.and(&Text::literal(";")).and(cookie)),
            None => Some(cookie.clone()),
        });
        let encodings = self.is_compressed.then(|| Text::literal("deflate, gzip, br, zstd"));
        let json = |text: &str| self.is_json.then(|| Text::literal(text));
        for (name, value) in [
            ("Range", self.range.as_ref().map(|range| Text::literal("bytes=").and(range))),
            ("User-Agent", self.agent.clone().filter(|agent| !agent.is_empty())),
            ("Referer", self.referer.clone()),
            ("Cookie", cookies),
            ("Accept-Encoding", encodings),
            ("Authorization", bearer),
            ("Accept", json("application/json")),
            ("Content-Type", default_type.map(Text::literal)),
        ] {
            if let Some(value) = value.filter(|_| !has_own(request, name)) {
                request.headers.push((name.to_owned(), value));
            }
        }
        Ok(())
    }

    fn add_field(
        &self,
        request: &mut Recorded,
        word: &Word,
        name: String,
        value: Text,
        recording: &mut Recording,
    ) -> Result<(), ImportError> {
        let lower = name.to_ascii_lowercase();
        let has_body = !matches!(request.body, Body::None);
        let drop = match lower.as_str() {
            "transfer-encoding" if has_body => "the body is sent with its length",
            "content-length" => "the length is that of the body",
            "expect" => "bodies are sent without waiting for 100",
            "content-type" if matches!(request.body, Body::Multipart(_)) => {
                return wrong(word, "the type of a form names its boundary; leave it out");
            }
            _ => "",
        };
        if drop.is_empty() {
            request.headers.push((name, value));
        } else {
            recording.drop(Place::Line(word.at.0), format!("-H '{name}'"), drop);
        }
        Ok(())
    }
}

/// A header line.
enum Field {
    Set(String, Text),
    /// curl's own field of this name is left out.
    Removed(String),
}

/// Reads a header line: `Name: value`, `Name;` for an empty value, `Name:` for none.
fn field(word: &Word, line: &Text) -> Result<Field, ImportError> {
    let named = |name: &Text| match name.plain() {
        Some(name) if crate::is_token(name) => Ok(name.to_owned()),
        _ => wrong(word, "the name of a header field has letters, digits and hyphens"),
    };
    if let Some((name, value)) = line.split_once(&[':']) {
        let name = named(&name)?;
        let value = value.trim();
        return Ok(if value.is_empty() { Field::Removed(name) } else { Field::Set(name, value) });
    }
    match line.split_once(&[';']) {
        Some((name, rest)) if rest.trim().is_empty() => Ok(Field::Set(named(&name)?, Text::default())),
        _ => wrong(word, "use `Name: value`, or `Name;` for an empty value"),
    }
}

/// Credentials with the colon that ends the name.
fn with_colon(user: Text) -> Text {
    let has_colon = user.split_once(&[':']).is_some();
    if has_colon || user.plain().is_none() { user } else { user.and(&Text::literal(":")) }
}

/// Sets what applies to the connections of the run.
fn set_connection(
    meaning: Meaning,
    is_on: bool,
    value: &Word,
    recording: &mut Recording,
) -> Result<(), ImportError> {
    let settings = &mut recording.settings;
    match meaning {
        Meaning::Insecure => settings.tls.verify = if is_on { Verify::Off } else { Verify::System },
        Meaning::CaCert => settings.tls.verify = Verify::File(plain(value)?.into()),
        Meaning::Ciphers => settings.tls.ciphers = plain(value)?.split(':').map(str::to_owned).collect(),
        Meaning::Tls12 => settings.tls.min = TlsVersion::V12,
        Meaning::Tls13 => settings.tls.min = TlsVersion::V13,
        Meaning::TlsMax => match plain(value)? {
            "1.2" => settings.tls.max = TlsVersion::V12,
            "1.3" | "default" => settings.tls.max = TlsVersion::V13,
            _ => return wrong(value, "use 1.2 or 1.3: older versions are not supported"),
        },
        Meaning::Http10 => settings.version = HttpVersion::Http10,
        Meaning::Http11 => settings.version = HttpVersion::Http11,
        Meaning::ConnectTimeout => {
            let time = seconds(value)?;
            settings.connect_timeout = Some(settings.connect_timeout.map_or(time, |other| other.max(time)));
        }
        Meaning::Resolve => {
            let resolve = resolve(value)?;
            if !settings.network.resolve.contains(&resolve) {
                settings.network.resolve.push(resolve);
            }
        }
        Meaning::UnixSocket => settings.network.unix_socket = Some(plain(value)?.into()),
        Meaning::Ipv4 => settings.network.ipv6 = Some(false),
        Meaning::Ipv6 => settings.network.ipv6 = Some(true),
        Meaning::Interface => match plain(value)?.trim_start_matches("host!").parse() {
            Ok(address) if settings.network.bind.contains(&address) => {}
            Ok(address) => settings.network.bind.push(address),
            Err(_) => {
                let why = "name a source address instead of an interface";
                recording.drop(Place::Line(value.at.0), "--interface", why);
            }
        },
        _ => {}
    }
    Ok(())
}

/// Reads `HOST:PORT:ADDRESS`; of several addresses the first counts.
fn resolve(value: &Word) -> Result<Resolve, ImportError> {
    let text = plain(value)?.trim_start_matches('+');
    let first = text.split_once(',').map_or(text, |(first, _)| first);
    Resolve::parse(first).or_else(|error| wrong(value, error.remedy))
}
