//! Everything that an rc file or an option can set, with the values that hold when nothing does.

use super::number;

/// Whose texts and habits are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// 1.00 of December 2000: `-u`, `-t` counts repetitions, a report of eight lines.
    V100,
    /// 4.0.7, whose report is that of all versions from 2.6 to 4.1.6.
    #[default]
    V407,
    /// 4.1.7: five lines of the report differ, its response times are in milliseconds.
    V417,
}

impl Era {
    /// The version as its texts give it.
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

/// How often each user goes through an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reps {
    /// Until the time is up, or somebody interrupts.
    #[default]
    Forever,
    /// So often; a number below one means not at all.
    Times(i64),
    /// Until each user has requested every URL of the list once; in 4.1.7, until all of them together have.
    Once,
}

impl Reps {
    pub(super) fn parse(text: &str) -> Self {
        if text.eq_ignore_ascii_case("once") { Self::Once } else { Self::number(text) }
    }

    /// As the rc file has it, which knows no `once`.
    pub(super) fn number(text: &str) -> Self {
        match number::whole(text) {
            -1 => Self::Forever,
            times => Self::Times(times),
        }
    }
}

/// A name, a password, and the realm they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
    /// The realm, compared without regard to case; none means any.
    pub realm: Option<String>,
}

impl Login {
    /// `name:password` or `name:password:realm`.
    pub(super) fn parse(text: &str) -> Self {
        let mut parts = text.splitn(3, ':').map(str::trim);
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (name, password) = (next(), next());
        let realm = Some(next()).filter(|realm| !realm.is_empty() && !realm.eq_ignore_ascii_case("any"));
        Self { name, password, realm }
    }

    /// As `-C` shows it.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}:{}", self.name, self.password, self.realm.as_deref().unwrap_or("any"))
    }
}

/// Everything that can be set. The fields go by the rc file's words.
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
    /// The rc file that was read, or that would have been.
    pub(super) rc: String,
    /// The user's own, read or not.
    pub(super) own_rc: String,
    /// Where the full report goes, besides siege's own.
    pub(super) full_report: Option<String>,
    /// Whether a line about unreliable results is printed; without a value, where stderr is a terminal.
    pub(super) verdict: Option<bool>,
}

impl Settings {
    /// What holds without an rc file and without options.
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

/// The `limit` of every rc file that nobody changed.
pub(super) const SHIPPED_LIMIT: i64 = 255;

/// What stands in for the rc file that siege writes when it is first started: the directives of 4.0.9's template.
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

/// The rc file that `siege.config` writes: what holds without one, to be changed.
#[must_use]
pub fn template() -> String {
    let head = "# How siege behaves when its options do not say otherwise: one directive a line.\n\
                # `siege -C` shows what is in force; docs/siege.md says what each directive does.\n";
    [head, SHIPPED_RC].concat()
}

impl Settings {
    /// Users: what was asked for, one at least, and at most `limit` where that is obeyed.
    ///
    /// Every shipped rc file says 255, because siege falls over beyond. Here that number is no limit; any other was set
    /// by somebody, and is.
    pub(super) fn users(&self) -> u32 {
        let asked = self.concurrent.clamp(1, i64::from(u32::MAX));
        let users = if self.limit_holds() { asked.min(self.limit.max(1)) } else { asked };
        u32::try_from(users).unwrap_or(u32::MAX)
    }

    fn limit_holds(&self) -> bool {
        self.era != Era::V100 && (self.quirks || self.limit != SHIPPED_LIMIT)
    }

    /// Whether fewer users than asked for will come.
    pub(super) fn is_capped(&self) -> bool {
        self.limit_holds() && self.concurrent > self.limit
    }

    /// Requests at the most until a challenge is met.
    pub(super) fn attempts(&self) -> u32 {
        u32::try_from(self.attempts).unwrap_or(0).max(1)
    }

    /// The `User-Agent` that is sent.
    pub(super) fn agent(&self) -> String {
        self.user_agent
            .clone()
            .unwrap_or_else(|| format!("Mozilla/5.0 (pc-x86_64-linux-gnu) Siege/{}", self.era.version()))
    }

    /// Where the log is.
    pub(super) fn log_path(&self) -> &str {
        match (&self.logfile, self.quirks) {
            (Some(path), _) => path,
            // Debian's package says the directory twice, and there is no such place.
            (None, true) => "/var/log/log/siege.log",
            (None, false) => "/var/log/siege.log",
        }
    }

    /// The rc file that notices tell people to edit: the one that was read. The original names the user's own whatever it
    /// has read.
    pub(super) fn notice_rc(&self) -> &str {
        if self.quirks { &self.own_rc } else { &self.rc }
    }

    /// Where cookies are kept from one run to the next; 1.00 knew none.
    pub(super) fn cookies_path(&self) -> Option<String> {
        let folder = self.own_rc.strip_suffix("siege.conf").filter(|folder| folder.starts_with('/'))?;
        (self.era != Era::V100).then(|| format!("{folder}cookies.txt"))
    }

    /// Whether users have the cookies of that file. 4.0 reads it for nothing.
    pub(super) fn brings_cookies(&self) -> bool {
        !self.quirks || self.era == Era::V417
    }

    /// Where users ask to be let in. 4.0 does not know the word.
    pub(super) fn admissions(&self) -> &[String] {
        if self.quirks && self.era != Era::V417 { &[] } else { &self.auth_urls }
    }

    /// The list of URLs that is read when none is given.
    pub(super) fn urls_path(&self) -> &str {
        self.file.as_deref().unwrap_or("/etc/siege/urls.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_when_somebody_set_it() {
        // limit, asked, quirks, users
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
