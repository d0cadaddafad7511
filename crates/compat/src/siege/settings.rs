//! The settings of an rc file and of options, with their default values.

use super::number;

/// The version whose output and behaviour are imitated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// 1.00 of December 2000: `-u`, `-t` counts repetitions, a report of eight lines.
    V100,
    /// 4.0.7, with the report of all versions from 2.6 to 4.1.6.
    #[default]
    V407,
    /// 4.1.7: five lines of the report differ, and response times are in milliseconds.
    V417,
}

impl Era {
    /// Returns the version as printed.
    #[must_use]
    pub const fn version(self) -> &'static str {
        match self {
            Self::V100 => "1.00",
            Self::V407 => "4.0.7",
            Self::V417 => "4.1.7",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::V100, Self::V407, Self::V417].into_iter().find(|era| era.version() == text)
    }
}

/// The number of iterations of each user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reps {
    /// Until the time is up or the run is interrupted.
    #[default]
    Forever,
    /// This number of times; a number below one means none.
    Times(i64),
    /// Until each user has requested every URL of the list once; in 4.1.7, until all of them together have.
    Once,
}

impl Reps {
    pub(super) fn parse(text: &str) -> Self {
        if text.eq_ignore_ascii_case("once") { Self::Once } else { Self::number(text) }
    }

    /// Parses the value of the rc file, which does not support `once`.
    pub(super) fn number(text: &str) -> Self {
        match number::whole(text) {
            -1 => Self::Forever,
            times => Self::Times(times),
        }
    }
}

/// Name, password, and their realm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
    /// The realm, compared without regard to case; `None` means any.
    pub realm: Option<String>,
}

impl Login {
    /// Parses `name:password` or `name:password:realm`.
    pub(super) fn parse(text: &str) -> Self {
        let mut parts = text.splitn(3, ':').map(str::trim);
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (name, password) = (next(), next());
        let realm = Some(next()).filter(|realm| !realm.is_empty() && !realm.eq_ignore_ascii_case("any"));
        Self { name, password, realm }
    }

    /// Formats the login as in `-C`.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}:{}", self.name, self.password, self.realm.as_deref().unwrap_or("any"))
    }
}

/// All settings. Most fields are named after the directives of the rc file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings {
    pub(super) era: Era,
    pub(super) quirks: bool,
    pub(super) verbose: bool,
    pub(super) color: bool,
    pub(super) quiet: bool,
    pub(super) json: bool,
    pub(super) debug: bool,
    pub(super) config: bool,
    pub(super) get: bool,
    pub(super) print: bool,
    pub(super) show_logfile: bool,
    pub(super) logging: bool,
    pub(super) logfile: Option<String>,
    pub(super) mark: Option<String>,
    pub(super) get_method: Option<String>,
    pub(super) parser: bool,
    pub(super) nofollow: Vec<String>,
    pub(super) csv: bool,
    pub(super) timestamp: bool,
    pub(super) full_url: bool,
    pub(super) display_id: bool,
    pub(super) limit: i64,
    pub(super) http11: bool,
    pub(super) chunked: bool,
    pub(super) cache: bool,
    pub(super) keep_alive: bool,
    pub(super) concurrent: i64,
    pub(super) reps: Reps,
    pub(super) time: Option<u64>,
    pub(super) file: Option<String>,
    pub(super) url: Option<String>,
    pub(super) delay: f64,
    pub(super) timeout: i64,
    pub(super) expire_session: bool,
    pub(super) failures: i64,
    pub(super) internet: bool,
    pub(super) benchmark: bool,
    pub(super) user_agent: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) accept_encoding: String,
    pub(super) url_escaping: bool,
    pub(super) logins: Vec<Login>,
    pub(super) login_urls: Vec<String>,
    pub(super) auth_urls: Vec<String>,
    pub(super) ftp_logins: Vec<Login>,
    pub(super) proxy_host: Option<String>,
    pub(super) proxy_port: i64,
    pub(super) proxy_logins: Vec<Login>,
    pub(super) unique: bool,
    pub(super) attempts: i64,
    pub(super) headers: Vec<(String, String)>,
    pub(super) follow: bool,
    pub(super) zero_data_ok: bool,
    pub(super) ssl_cert: Option<String>,
    pub(super) ssl_key: Option<String>,
    pub(super) ssl_ciphers: Option<String>,
    pub(super) ssl_timeout: i64,
    /// The rc file that was read, or the default path.
    pub(super) rc: String,
    /// The user's own rc file, read or not.
    pub(super) own_rc: String,
    /// Path of the full report, which is written besides siege's own.
    pub(super) full_report: Option<String>,
    /// Whether a line about unreliable results is printed; without a value, if stderr is a terminal.
    pub(super) verdict: Option<bool>,
}

impl Settings {
    /// Returns the defaults without an rc file and without options.
    pub(super) fn shipped() -> Self {
        Self {
            color: true,
            limit: SHIPPED_LIMIT,
            timeout: 30,
            failures: 1024,
            accept_encoding: "*".to_owned(),
            url_escaping: true,
            proxy_port: 3128,
            unique: true,
            attempts: 5,
            follow: true,
            zero_data_ok: true,
            ssl_timeout: 300,
            ..Self::default()
        }
    }
}

/// The `limit` of every unmodified rc file.
pub(super) const SHIPPED_LIMIT: i64 = 255;

/// The rc file that the original writes at its first start: the directives of 4.0.9's template. It is used if there is
/// none.
pub(super) const SHIPPED_RC: &str = "\
verbose = true
color = on
quiet = false
json_output = false
show-logfile = true
logging = false
gmethod = HEAD
parser = true
nofollow = ad.doubleclick.net
nofollow = pagead2.googlesyndication.com
nofollow = ads.pubsqrd.com
nofollow = ib.adnxs.com
limit = 255
protocol = HTTP/1.1
chunked = true
cache = false
connection = close
concurrent = 25
delay = 0.0
internet = false
benchmark = false
accept-encoding = gzip, deflate
url-escaping = true
unique = true
";

/// Returns the rc file that `siege.config` writes: the defaults, to be edited.
#[must_use]
pub fn template() -> String {
    let head = "# How siege behaves when its options do not say otherwise: one directive a line.\n\
                # `siege -C` shows what is in force; docs/siege.md says what each directive does.\n";
    [head, SHIPPED_RC].concat()
}

impl Settings {
    /// Returns the number of users: the requested number, at least one, and at most `limit` if that applies.
    ///
    /// Every shipped rc file sets 255, because the original crashes with more. That value does not apply here unless
    /// `quirks` is set; any other was set by the user and applies.
    pub(super) fn users(&self) -> u32 {
        let asked = self.concurrent.clamp(1, i64::from(u32::MAX));
        let users = if self.limit_holds() { asked.min(self.limit.max(1)) } else { asked };
        u32::try_from(users).unwrap_or(u32::MAX)
    }

    fn limit_holds(&self) -> bool {
        self.era != Era::V100 && (self.quirks || self.limit != SHIPPED_LIMIT)
    }

    /// Whether the limit reduces the number of users.
    pub(super) fn is_capped(&self) -> bool {
        self.limit_holds() && self.concurrent > self.limit
    }

    /// Returns the maximum number of requests before a challenge counts as failed.
    pub(super) fn attempts(&self) -> u32 {
        u32::try_from(self.attempts).unwrap_or(0).max(1)
    }

    /// Returns the value of `User-Agent`.
    pub(super) fn agent(&self) -> String {
        self.user_agent
            .clone()
            .unwrap_or_else(|| format!("Mozilla/5.0 (pc-x86_64-linux-gnu) Siege/{}", self.era.version()))
    }

    /// Returns the path of the log.
    pub(super) fn log_path(&self) -> &str {
        match (&self.logfile, self.quirks) {
            (Some(path), _) => path,
            // Debian's package repeats the directory; this path does not exist.
            (None, true) => "/var/log/log/siege.log",
            (None, false) => "/var/log/siege.log",
        }
    }

    /// Returns the rc file that notices ask the user to edit: the one that was read. The original always names the user's
    /// own.
    pub(super) fn notice_rc(&self) -> &str {
        if self.quirks { &self.own_rc } else { &self.rc }
    }

    /// Returns the path of the file that stores cookies; 1.00 had none.
    pub(super) fn cookies_path(&self) -> Option<String> {
        let folder = self.own_rc.strip_suffix("siege.conf").filter(|folder| folder.starts_with('/'))?;
        (self.era != Era::V100).then(|| format!("{folder}cookies.txt"))
    }

    /// Whether users start with the cookies of that file. 4.0 reads it without effect.
    pub(super) fn brings_cookies(&self) -> bool {
        !self.quirks || self.era == Era::V417
    }

    /// Returns the login URLs that users request after a 403. 4.0 does not support the directive.
    pub(super) fn admissions(&self) -> &[String] {
        if self.quirks && self.era != Era::V417 { &[] } else { &self.auth_urls }
    }

    /// Returns the path of the default URL list.
    pub(super) fn urls_path(&self) -> &str {
        self.file.as_deref().unwrap_or("/etc/siege/urls.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_when_somebody_set_it() {
        // limit, requested, quirks, users
        let rows =
            [(255, 300, false, 300), (255, 300, true, 255), (50, 300, false, 50), (5_000, 300, false, 300)];
        for (limit, concurrent, quirks, users) in rows {
            let settings = Settings { limit, concurrent, quirks, ..Settings::shipped() };
            assert_eq!((settings.users(), settings.is_capped()), (users, users < 300), "{limit} {quirks}");
        }
        for concurrent in [0, -3] {
            assert_eq!(Settings { concurrent, ..Settings::shipped() }.users(), 1, "{concurrent}");
        }
    }

    #[test]
    fn a_login_may_name_its_realm() {
        let rows = [
            ("jeff:secret:Admin", "jeff:secret:Admin", Some("Admin")),
            ("jeff:secret", "jeff:secret:any", None),
            ("jeff:secret:Any", "jeff:secret:any", None),
            ("jeff:se:cret zone:x", "jeff:se:cret zone:x", Some("cret zone:x")),
        ];
        for (text, shown, realm) in rows {
            let login = Login::parse(text);
            assert_eq!((login.shown().as_str(), login.realm.as_deref()), (shown, realm), "{text}");
        }
    }
}
