//! What one run of the program said, and the figures of its JSON report.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde_json::Value;

/// Everything a finished run left: exit code, output, speech.
#[derive(Debug, Clone)]
pub struct Told {
    /// The words it was given.
    pub said: String,
    /// Its exit code; 128 and the signal's number when a signal ended it.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    report: Value,
}

impl Told {
    /// Reads the report, if the output is one, and checks that its accounts add up: that holds for every run.
    pub(crate) fn new(said: String, status: ExitStatus, stdout: String, stderr: String) -> Self {
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        let report = serde_json::from_str(&stdout).unwrap_or(Value::Null);
        let told = Self { said, code, stdout, stderr, report };
        if told.report.get("accounting").is_some() {
            told.check_accounts();
        }
        told
    }

    fn check_accounts(&self) {
        let [planned, started, unstarted] =
            ["planned", "started", "unstarted"].map(|name| self.account(name));
        assert_eq!(planned, started + unstarted, "planned = started + unstarted in {self:#?}");
        let ended: u64 =
            ["completed", "failed", "timed_out", "unfinished"].iter().map(|name| self.account(name)).sum();
        assert_eq!(started, ended, "started = completed + failed + timed out + unfinished in {self:#?}");
        let statuses: u64 = self.map("/status").map(|(_, count)| count).sum();
        assert_eq!(statuses, self.account("completed"), "every completed call has a status in {self:#?}");
        let fastest = self.report.pointer("/latency_ns/min").and_then(Value::as_u64);
        assert_ne!(fastest, Some(0), "no call takes no time at all, in {self:#?}");
    }

    /// Asserts an exit code and returns itself; the message shows all that was said.
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "exit code of {self:#?}");
        self
    }

    /// One number of the report, by its JSON pointer; panics when there is none.
    pub fn number(&self, pointer: &str) -> u64 {
        let value = self.report.pointer(pointer).and_then(Value::as_u64);
        value.unwrap_or_else(|| panic!("no whole number at `{pointer}` in {self:#?}"))
    }

    /// One number with a fraction, by its JSON pointer; panics when there is none.
    pub fn fraction(&self, pointer: &str) -> f64 {
        let value = self.report.pointer(pointer).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("no number at `{pointer}` in {self:#?}"))
    }

    /// The whole report; null when the output is none.
    pub fn report(&self) -> &Value {
        &self.report
    }

    /// One of the accounts: `planned`, `started`, `completed`, `failed`, `timed_out`, `unfinished`, `unstarted`.
    pub fn account(&self, name: &str) -> u64 {
        self.number(&format!("/accounting/{name}"))
    }

    /// Calls completed.
    pub fn completed(&self) -> u64 {
        self.account("completed")
    }

    /// Replies with this status.
    pub fn status(&self, status: u16) -> u64 {
        self.report.pointer(&format!("/status/{status}")).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Calls that ended this way, by the outcome's name.
    pub fn outcome(&self, name: &str) -> u64 {
        self.report.pointer(&format!("/outcomes/{name}")).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Nanoseconds of one measure's statistic, such as `latency` and `p99`.
    pub fn nanoseconds(&self, measure: &str, statistic: &str) -> u64 {
        self.number(&format!("/{measure}_ns/{statistic}"))
    }

    /// The entries of one JSON object that are whole numbers.
    pub fn map(&self, pointer: &str) -> impl Iterator<Item = (&str, u64)> {
        let object = self.report.pointer(pointer).and_then(Value::as_object);
        object.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_u64()?)))
    }

    /// The verdict on the run: `VALID`, `DEGRADED` or `INVALID`.
    pub fn verdict(&self) -> &str {
        let verdict = self.report.pointer("/health/verdict").and_then(Value::as_str);
        verdict.unwrap_or_else(|| panic!("no verdict in {self:#?}"))
    }

    /// Asserts that all planned calls were completed with status 200 and nothing else happened.
    pub fn all_well(self, calls: u64) -> Self {
        let told = self.exits(0);
        assert_eq!(
            (told.account("planned"), told.completed(), told.status(200)),
            (calls, calls, calls),
            "{told:#?}"
        );
        told
    }
}
