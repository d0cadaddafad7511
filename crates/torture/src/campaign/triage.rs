//! Triage: confirms candidates alone and shrinks those that fail again.

use super::Campaign;
use super::recovery::SHRINK_RESTARTS_MAX;
use crate::failure::{Failure, classify};
use crate::finding::Finding;
use crate::shrink::shrink;
use crate::spelling::spell;
use std::io;
use std::time::Duration;
use warwolf_driver::Driver;
use warwolf_exchange::{Ending, Exchange, Message, Step};

/// Number of requests with one single trap after which further ones are only counted with their finding.
const SIMILAR_MAX: u32 = 2;
/// Minimum timeout while a hang is shrunk; the timeout is twenty times the baseline.
const SHRINK_TIMEOUT_MIN: Duration = Duration::from_millis(100);

impl<D: Driver> Campaign<'_, D> {
    /// Triages all candidates. Afterwards the server works, or the campaign is over.
    pub(super) fn triage(&mut self) -> io::Result<()> {
        let mut candidates = std::mem::take(&mut self.candidates);
        if candidates.is_empty() && !self.is_failing {
            return Ok(());
        }
        self.is_failing = false;
        let restarts = self.outcome.restarts;
        let is_up = self.recover()?;
        if !is_up || self.outcome.restarts > restarts {
            let suspects = candidates.iter().map(|(number, _)| *number).chain(self.recent.iter().copied());
            let suspects = suspects.collect();
            self.recent.clear();
            return self.handle_down(suspects, is_up);
        }
        self.recent.clear();
        candidates.sort_unstable();
        for (number, failure) in candidates {
            if self.is_over() {
                break;
            }
            if !self.is_known(number, failure.as_ref()) {
                self.confirm(number, failure)?;
            }
        }
        Ok(())
    }

    /// Returns whether a trap of this request has led to the same kind of finding often enough, and counts the request there.
    fn is_known(&mut self, number: u64, failure: Option<&Failure>) -> bool {
        let traps = self.generator.request(number).traps;
        let failure = failure.unwrap_or(&Failure::Hang);
        let known_traps = &self.known_traps;
        let has_led = |finding: u64, trap: &&str| {
            known_traps.get(&(finding, (*trap).to_owned())).is_some_and(|times| *times >= SIMILAR_MAX)
        };
        let known =
            self.outcome.findings.iter_mut().find(|known| {
                known.failure == *failure && traps.iter().any(|trap| has_led(known.number, trap))
            });
        known.map(|known| known.also += 1).is_some()
    }

    /// Sends one request alone, and shrinks it if it fails again.
    pub(super) fn confirm(&mut self, number: u64, seen: Option<Failure>) -> io::Result<()> {
        let made = self.generator.request(number);
        let exchange = self.alone(made.message.clone(), self.options.timeout)?;
        let Some(failure) = classify(&made.message, &exchange) else {
            if let Some(seen) = seen {
                self.add_unconfirmed(number, seen);
            }
            return Ok(());
        };
        if !self.recover()? {
            self.add_range(Failure::Down, number, number);
            self.is_stopped = true;
            return Ok(());
        }
        // The failure under load may have been different, for example caused by the crash of another request.
        if seen.as_ref() != Some(&failure) && self.is_known(number, Some(&failure)) {
            return Ok(());
        }
        let (small, answer, tries) = match self.shrunk(&made.message, &failure, &exchange) {
            // The failure is confirmed: it is reported as it was found.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                self.is_stopped = true;
                (made.message.clone(), answer_of(&exchange), 0)
            }
            result => result?,
        };
        let traps: Vec<String> = made.traps.iter().map(|trap| (*trap).to_owned()).collect();
        self.add_finding(Finding {
            failure,
            number,
            traps,
            request: spell(&small),
            original: spell(&made.message),
            size_bytes: small.size_bytes(),
            tries,
            also: 0,
            suspects: None,
            answer,
        });
        if self.is_lost {
            self.add_range(Failure::Down, number, number);
            self.is_stopped = true;
        }
        Ok(())
    }

    /// Returns the smallest request that fails in the same way, the beginning of its response, and the number of tries. If the
    /// result cannot be confirmed with the full timeout, returns the original request.
    fn shrunk(
        &mut self,
        message: &Message,
        failure: &Failure,
        first: &Exchange,
    ) -> io::Result<(Message, String, u32)> {
        let quick = (self.baseline * 20).max(SHRINK_TIMEOUT_MIN).min(self.options.timeout);
        let mut tries = 0;
        let most = self.options.tries;
        let restarts_max = self.outcome.restarts + SHRINK_RESTARTS_MAX;
        let small = shrink(message, most, &mut |message| {
            if self.outcome.restarts >= restarts_max {
                return Ok(false);
            }
            tries += 1;
            self.reproduces(message, failure, quick)
        })?;
        if self.is_lost || !self.recover()? {
            self.is_lost = true;
            return Ok((message.clone(), answer_of(first), tries));
        }
        let last = self.alone(small.clone(), self.options.timeout)?;
        let holds = classify(&small, &last).as_ref() == Some(failure);
        self.is_lost = !self.recover()?;
        let (small, exchange) = if holds { (small, &last) } else { (message.clone(), first) };
        Ok((small, answer_of(exchange), tries))
    }

    /// Returns whether a request, sent alone, fails in the same way. Waits for the server to recover from an earlier crash.
    fn reproduces(&mut self, message: &Message, failure: &Failure, idle: Duration) -> io::Result<bool> {
        if self.is_lost {
            return Ok(false);
        }
        let mut exchange = self.alone(message.clone(), idle)?;
        if matches!(exchange.ending, Ending::Refused | Ending::ConnectTimeout) {
            if !self.recover()? {
                self.is_lost = true;
                return Ok(false);
            }
            exchange = self.alone(message.clone(), idle)?;
        }
        let found = classify(message, &exchange);
        if matches!(found, Some(Failure::Dropped | Failure::HalfReply)) {
            // A crashing server may still accept the next request and drop it.
            self.is_lost = !self.recover()?;
        }
        Ok(found.as_ref() == Some(failure))
    }
}

/// Returns the spelling of the beginning of the response.
fn answer_of(exchange: &Exchange) -> String {
    spell(&Message { steps: vec![Step::Bytes(exchange.reply.start.clone())] })
}
