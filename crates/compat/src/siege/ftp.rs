//! FTP transfers as siege counts and prints them, and their notices.

use super::counts::End;
use super::lines::colour;
use super::notices::{Level, notice, printable};
use super::settings::{Login, Settings};
use super::style::{Shown, Style};
use super::url::Target;
use std::time::Duration;
use warwolf_measure::Outcome;
use warwolf_plan::{Endpoint, Request, Scheme};

/// The progress of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ftp {
    /// The login succeeded.
    pub is_in: bool,
    /// The whole file was transferred, and the server confirmed it.
    pub is_whole: bool,
    /// The transfer is an upload.
    pub is_stored: bool,
}

/// A finished transfer.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// The request.
    pub request: &'a Request,
    /// How it ended.
    pub outcome: Outcome,
    /// The status of the final reply; zero without one.
    pub status: u16,
    /// The status of the reply before it, or of the last one without a final reply.
    pub previous: u16,
    /// The last line of the final reply.
    pub text: &'a [u8],
}

impl Transfer<'_> {
    /// Returns the end that siege counts and the status that it shows.
    #[must_use]
    pub fn end(&self) -> (End, u16) {
        let has_begun = (100..200).contains(&self.previous);
        let is_stored = self.request.method != "GET";
        match self.outcome {
            Outcome::Completed => {
                let is_whole = (200..300).contains(&self.status);
                let is_in = !matches!(self.previous, 0 | 120 | 220 | 300..=399);
                let ftp = Ftp { is_in: is_in || is_whole, is_whole, is_stored };
                // The original shows the status with which the transfer began and ignores the final one.
                (End::Ftp(ftp), if is_whole && has_begun { self.previous } else { self.status })
            }
            Outcome::ClosedMidReply | Outcome::Reset if has_begun => {
                (End::Ftp(Ftp { is_in: true, is_whole: false, is_stored }), self.previous)
            }
            _ => (End::Nothing, 0),
        }
    }

    /// Formats the refusal, for standard output.
    #[must_use]
    pub fn refusal(&self, style: &Style) -> String {
        if self.status < 500 || style.quiet || style.json {
            return String::new();
        }
        printable(String::from_utf8_lossy(self.text).trim_end_matches(['\r', '\n'])) + "\r\n"
    }

    /// Formats the second notice about an unreachable server, for standard error.
    #[must_use]
    pub fn unreachable(&self) -> String {
        let why = match self.outcome {
            // A reply was received, so the server is reachable: a data connection was refused.
            _ if self.previous > 0 => return String::new(),
            Outcome::Refused => ": Connection refused",
            Outcome::Resolve => "",
            _ => return String::new(),
        };
        let Endpoint { host, port, .. } = &self.request.endpoint;
        notice(Level::Error, &format!("browser.c:751 connection failed {host}:{port}{why}"))
    }
}

/// Formats the line about a transfer, with its line end. Its text does not depend on other output options.
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

/// Returns the login of a transfer: from the URL, else from `ftp-login` for that host or for any, else anonymous.
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
