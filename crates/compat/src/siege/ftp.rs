//! What siege makes of transfers over FTP: how they count, the line about each, and its notices.

use super::counts::End;
use super::lines::colour;
use super::notices::{Level, notice, printable};
use super::settings::{Login, Settings};
use super::style::{Shown, Style};
use super::url::Target;
use std::time::Duration;
use warwolf_measure::Outcome;
use warwolf_plan::{Endpoint, Request, Scheme};

/// How far a transfer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ftp {
    /// The server let the user in.
    pub is_in: bool,
    /// All of the file went over, and the server said so.
    pub is_whole: bool,
    /// The file was to be stored.
    pub is_stored: bool,
}

/// A transfer that is over.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// How it ended.
    pub outcome: Outcome,
    /// The final reply; zero without one.
    pub status: u16,
    /// The reply before that, or the last one.
    pub previous: u16,
    /// The last line of the final reply.
    pub text: &'a [u8],
}

impl Transfer<'_> {
    /// What siege counts, and the status it shows.
    #[must_use]
    pub fn end(&self) -> (End, u16) {
        let has_begun = (100..200).contains(&self.previous);
        let is_stored = self.request.method != "GET";
        match self.outcome {
            Outcome::Completed => {
                let is_whole = (200..300).contains(&self.status);
                let is_in = !matches!(self.previous, 0 | 120 | 220 | 300..=399);
                let ftp = Ftp { is_in: is_in || is_whole, is_whole, is_stored };
                // The original shows how the transfer began and does not hear how it ended.
                (End::Ftp(ftp), if is_whole && has_begun { self.previous } else { self.status })
            }
            Outcome::ClosedMidReply | Outcome::Reset if has_begun => {
                (End::Ftp(Ftp { is_in: true, is_whole: false, is_stored }), self.previous)
            }
            _ => (End::Nothing, 0),
        }
    }

    /// The refusal, for standard output.
    #[must_use]
    pub fn refusal(&self, style: &Style) -> String {
        if self.status < 500 || style.quiet || style.json {
            return String::new();
        }
        printable(String::from_utf8_lossy(self.text).trim_end_matches(['\r', '\n'])) + "\r\n"
    }

    /// The second notice of a server that cannot be reached, for standard error.
    #[must_use]
    pub fn unreachable(&self) -> String {
        let why = match self.outcome {
            // Beyond it the server was reached: it is a data connection that was refused.
            _ if self.previous > 0 => return String::new(),
            Outcome::Refused => ": Connection refused",
            Outcome::Resolve => "",
            _ => return String::new(),
        };
        let Endpoint { host, port, .. } = &self.request.endpoint;
        notice(Level::Error, &format!("browser.c:751 connection failed {host}:{port}{why}"))
    }
}

/// The line about a transfer, with its line end: always the same, whatever else is asked for.
#[must_use]
pub fn ftp_line(style: &Style, shown: &Shown, status: u16, time: Duration, bytes: u64, ftp: Ftp) -> String {
    let (seconds, method, path) = (time.as_secs_f64(), &shown.method, &shown.path);
    let text = format!("FTP/{status} {seconds:6.2} secs: {bytes:7} bytes ==> {method:<6} {path}");
    if style.color || (style.quirks && !ftp.is_in) {
        format!("\u{1b}[0;3{}m{text}\u{1b}[0m\n", colour(status, false))
    } else {
        text + "\n"
    }
}

/// Who logs in: whom the URL names, else whom `ftp-login` has for that host or for any, else nobody in particular.
pub(super) fn login(settings: &Settings, target: &Target) -> Option<String> {
    if target.endpoint.scheme != Scheme::Ftp {
        return None;
    }
    let host = target.endpoint.host.as_str();
    let for_host =
        |login: &&Login| login.realm.as_deref().is_some_and(|realm| realm.eq_ignore_ascii_case(host));
    let logins = &settings.ftp_logins;
    let known = logins.iter().find(for_host).or_else(|| logins.iter().find(|login| login.realm.is_none()));
    let (name, password) = target.login.clone().unwrap_or_default();
    let or = |own: String, known: Option<&String>, other: &str| match (own, known) {
        (own, _) if !own.is_empty() => own,
        (_, Some(known)) => known.clone(),
        _ => other.to_owned(),
    };
    let name = or(name, known.map(|login| &login.name), "anonymous");
    let password = or(password, known.map(|login| &login.password), "siege@joedog.org");
    Some(format!("{name}:{password}"))
}

#[cfg(test)]
#[path = "ftp_tests.rs"]
mod tests;
