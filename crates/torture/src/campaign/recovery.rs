//! What happens when the server does not respond any more: waiting, restarting, and the search for the request that stopped it.

use super::Campaign;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::spelling::spell;
use std::io;
use std::time::Duration;
use warwolf_driver::Driver;

/// Where the server can be restarted, it gets this long to recover by itself.
const BEFORE_RESTART: Duration = Duration::from_millis(500);
/// Maximum number of restarts in a campaign.
const RESTARTS_MAX: u32 = 1_000;
/// Maximum number of restarts while one request is shrunk.
pub(super) const SHRINK_RESTARTS_MAX: u32 = 40;

impl<D: Driver> Campaign<'_, D> {
    /// Waits until valid requests succeed as at the start, and restarts the server if they do not and that is possible. Returns
    /// false if the server stays down.
    pub(super) fn recover(&mut self) -> io::Result<bool> {
        let recovery = self.options.recovery;
        if self.restart.is_none() || self.outcome.restarts >= RESTARTS_MAX {
            return self.wait_for_recovery(recovery);
        }
        if self.wait_for_recovery(recovery.min(BEFORE_RESTART))? {
            return Ok(true);
        }
        self.outcome.restarts += 1;
        let is_restarted = self.restart.as_mut().is_some_and(|restart| restart());
        Ok(is_restarted && self.wait_for_recovery(recovery)?)
    }

    /// Waits until valid requests succeed as at the start. Returns false after `recovery`.
    fn wait_for_recovery(&mut self, recovery: Duration) -> io::Result<bool> {
        let until = self.exchanges.now() + recovery;
        loop {
            let probe = self.alone(self.generator.baseline(), self.options.timeout)?;
            if self.is_well(&probe) {
                return Ok(true);
            }
            if self.exchanges.now() >= until {
                return Ok(false);
            }
            self.exchanges.pause(Duration::from_millis(50), &mut Vec::new())?;
        }
    }

    /// Sends the suspects alone, one after the other, until the server stops responding; returns that one. The server runs
    /// again afterwards, or the campaign is over. Needs one restart, whereas halving the list would need one per half.
    fn find_culprit(&mut self, suspects: &[u64]) -> io::Result<Option<u64>> {
        for number in suspects {
            if self.is_over() {
                break;
            }
            let message = self.generator.request(*number).message;
            self.alone(message, self.options.timeout)?;
            if !self.wait_for_recovery(BEFORE_RESTART.min(self.options.recovery))? {
                self.is_lost = !self.recover()?;
                return Ok(Some(*number));
            }
        }
        Ok(None)
    }

    /// Handles a server that stopped responding after one of these requests: finds it if the server can be restarted, else
    /// reports their range and ends the campaign.
    pub(super) fn handle_down(&mut self, mut suspects: Vec<u64>, is_restarted: bool) -> io::Result<()> {
        suspects.sort_unstable();
        suspects.dedup();
        let culprit = if is_restarted { self.find_culprit(&suspects)? } else { None };
        match culprit {
            Some(number) if !self.is_lost => {
                let findings = self.outcome.findings.len();
                let also: u64 = self.outcome.findings.iter().map(|finding| finding.also).sum();
                self.confirm(number, Some(Failure::Down))?;
                let also_now: u64 = self.outcome.findings.iter().map(|finding| finding.also).sum();
                if findings == self.outcome.findings.len() && also == also_now {
                    // It got a valid response, and the server stopped afterwards.
                    self.add_down(number);
                }
            }
            _ => {
                let first = suspects.first().copied().unwrap_or(0).max(self.options.first);
                let last = suspects.last().copied().unwrap_or(first);
                self.add_range(Failure::Down, first, last.max(first));
            }
        }
        self.is_stopped |= !is_restarted || self.is_lost;
        Ok(())
    }

    /// Reports a request after whose response the server stopped, as it was generated.
    fn add_down(&mut self, number: u64) {
        let made = self.generator.request(number);
        self.outcome.unconfirmed.retain(|unconfirmed| unconfirmed.failure != Failure::Down);
        self.add_finding(Finding {
            failure: Failure::Down,
            number,
            traps: made.traps.iter().map(|trap| (*trap).to_owned()).collect(),
            request: spell(&made.message),
            original: spell(&made.message),
            size_bytes: made.message.size_bytes(),
            tries: 0,
            also: 0,
            suspects: None,
            answer: String::new(),
        });
    }
}
