//! The closer look: which of the candidates do it alone, and with how little.

use super::Hunt;
use crate::finding::Finding;
use crate::shrink::shrink;
use crate::spelling::spell;
use crate::trouble::{Trouble, judge};
use std::io;
use std::time::Duration;
use warwolf_driver::Driver;
use warwolf_exchange::{Ending, Exchange, Message, Step};

/// When so many requests with one trap alone came down to one finding, further ones are counted and not looked at.
const ALIKE_MAX: u32 = 2;
/// While a hang is shrunk, patience is at least this, or twenty times what a sound request takes.
const QUICK_MIN: Duration = Duration::from_millis(100);

impl<D: Driver> Hunt<'_, D> {
    /// Looks at all candidates; at the end the server is well, or the hunt is over.
    pub(super) fn inquire(&mut self) -> io::Result<()> {
        let mut candidates = std::mem::take(&mut self.candidates);
        if candidates.is_empty() && !self.is_unwell {
            return Ok(());
        }
        self.is_unwell = false;
        if !self.recovers()? {
            let suspects = candidates.iter().map(|(number, _)| *number).chain(self.recent.iter().copied());
            let (first, last) = suspects.fold((u64::MAX, 0), |(a, b), number| (a.min(number), b.max(number)));
            let first = first.min(last).max(self.options.first);
            self.accuse(Trouble::Down, first, last.max(first));
            self.is_stopped = true;
            return Ok(());
        }
        self.recent.clear();
        candidates.sort_unstable();
        for (number, trouble) in candidates {
            if self.is_over() {
                break;
            }
            if !self.is_known(number, trouble.as_ref()) {
                self.examine(number, trouble)?;
            }
        }
        Ok(())
    }

    /// Whether a trap in this request has led to a finding of the same kind often enough; then it is counted with it.
    fn is_known(&mut self, number: u64, trouble: Option<&Trouble>) -> bool {
        let traps = self.generator.request(number).traps;
        let trouble = trouble.unwrap_or(&Trouble::Hang);
        let blamed = &self.blamed;
        let has_led = |finding: u64, trap: &&str| {
            blamed.get(&(finding, (*trap).to_owned())).is_some_and(|times| *times >= ALIKE_MAX)
        };
        let known =
            self.outcome.findings.iter_mut().find(|known| {
                known.trouble == *trouble && traps.iter().any(|trap| has_led(known.number, trap))
            });
        known.map(|known| known.also += 1).is_some()
    }

    /// Sends one request alone, and shrinks it when it does it again.
    fn examine(&mut self, number: u64, seen: Option<Trouble>) -> io::Result<()> {
        let made = self.generator.request(number);
        let exchange = self.alone(made.message.clone(), self.options.patience)?;
        let Some(trouble) = judge(&made.message, &exchange) else {
            if let Some(seen) = seen {
                self.doubt(number, seen);
            }
            return Ok(());
        };
        if !self.recovers()? {
            self.accuse(Trouble::Down, number, number);
            self.is_stopped = true;
            return Ok(());
        }
        // Under load it may have looked like something else: the victim of another's crash.
        if seen.as_ref() != Some(&trouble) && self.is_known(number, Some(&trouble)) {
            return Ok(());
        }
        let (small, answer, tries) = self.shrunk(&made.message, &trouble, &exchange)?;
        let traps: Vec<String> = made.traps.iter().map(|trap| (*trap).to_owned()).collect();
        self.found(Finding {
            trouble,
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
        if self.is_gone {
            self.accuse(Trouble::Down, number, number);
            self.is_stopped = true;
        }
        Ok(())
    }

    /// The smallest request that does it, the beginning of what comes back for it, and how many tries it took. When what was found
    /// in a hurry does not hold at leisure, it is the request as it was.
    fn shrunk(
        &mut self,
        message: &Message,
        trouble: &Trouble,
        first: &Exchange,
    ) -> io::Result<(Message, String, u32)> {
        let quick = (self.sound * 20).max(QUICK_MIN).min(self.options.patience);
        let mut tries = 0;
        let most = self.options.tries;
        let small = shrink(message, most, &mut |message| {
            tries += 1;
            self.does(message, trouble, quick)
        })?;
        if self.is_gone || !self.recovers()? {
            self.is_gone = true;
            return Ok((message.clone(), answer_of(first), tries));
        }
        let last = self.alone(small.clone(), self.options.patience)?;
        let holds = judge(&small, &last).as_ref() == Some(trouble);
        self.is_gone = !self.recovers()?;
        let (small, exchange) = if holds { (small, &last) } else { (message.clone(), first) };
        Ok((small, answer_of(exchange), tries))
    }

    /// Whether a request, sent alone, does the same. A server that is not back yet after a crash is waited for.
    fn does(&mut self, message: &Message, trouble: &Trouble, idle: Duration) -> io::Result<bool> {
        if self.is_gone {
            return Ok(false);
        }
        let mut exchange = self.alone(message.clone(), idle)?;
        if matches!(exchange.ending, Ending::Refused | Ending::ConnectTimeout) {
            if !self.recovers()? {
                self.is_gone = true;
                return Ok(false);
            }
            exchange = self.alone(message.clone(), idle)?;
        }
        let found = judge(message, &exchange);
        if matches!(found, Some(Trouble::Dropped | Trouble::HalfReply)) {
            // What crashed may still be going down, and would answer the next question by dropping it.
            self.is_gone = !self.recovers()?;
        }
        Ok(found.as_ref() == Some(trouble))
    }
}

/// The beginning of what came back, spelt.
fn answer_of(exchange: &Exchange) -> String {
    spell(&Message { steps: vec![Step::Bytes(exchange.reply.start.clone())] })
}
