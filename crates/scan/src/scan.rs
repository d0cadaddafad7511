//! The state of one reply.

mod body;
mod field;
mod outcome;
mod source;

pub(crate) use outcome::{Failure, Read, Work};

use crate::scanner::{Item, Scanner, Source};
use crate::watch::Watch;
use crate::{End, Found, Values};
use outcome::Outcome;
use source::Sources;

/// The state of one reply. It is used again for other replies of the same step.
#[derive(Debug)]
pub struct Scan {
    captures: usize,
    sources: Sources,
    /// Of checks that look at the body while it streams; with the number of the item.
    watches: Box<[(usize, Watch)]>,
    outcomes: Box<[Outcome]>,
    work: Work,
    /// Memory for texts with `{{…}}` that a check compares with.
    expected: Vec<u8>,
    /// Memory for values that are written, such as numbers.
    written: Vec<u8>,
}

impl Scan {
    pub(crate) fn new(scanner: &Scanner) -> Self {
        let watches = scanner.items.iter().enumerate().filter_map(|(index, item)| {
            let (test, _) = item.test.as_ref()?;
            matches!(item.source, Source::Watch).then(|| (index, Watch::new(test)))
        });
        Self {
            captures: scanner.captures,
            sources: Sources::new(scanner),
            watches: watches.collect(),
            outcomes: scanner.items.iter().map(Outcome::new).collect(),
            work: Work::new(scanner),
            expected: Vec::with_capacity(1024),
            written: Vec::with_capacity(1024),
        }
    }

    /// Begins another reply.
    pub fn begin(&mut self, scanner: &Scanner, values: &dyn Values) {
        self.sources.begin(scanner);
        for (index, watch) in &mut self.watches {
            if let Some((test, _)) = &scanner.items[*index].test {
                watch.begin(test, values);
            }
        }
        self.outcomes.iter_mut().for_each(Outcome::begin);
    }

    /// Takes the head of the reply. `fields` may leave out those that are not in [`Scanner::header_names`].
    pub fn head<'a>(
        &mut self,
        scanner: &Scanner,
        status: u16,
        version: &'static str,
        fields: &mut dyn Iterator<Item = (&'a [u8], &'a [u8])>,
    ) {
        self.sources.head(scanner, status, version, fields);
    }

    /// Takes the next piece of the body.
    pub fn body(&mut self, scanner: &Scanner, bytes: &[u8]) {
        let watches = &mut self.watches;
        self.sources.body(scanner, bytes, |piece| {
            for (index, watch) in watches.iter_mut() {
                if let Some((test, _)) = &scanner.items[*index].test {
                    watch.advance(test, piece);
                }
            }
        });
    }

    /// The reply is whole: evaluates captures and checks.
    pub fn end(&mut self, scanner: &Scanner, end: &End<'_>, values: &dyn Values) {
        self.sources.end(scanner);
        for (index, item) in scanner.items.iter().enumerate() {
            if !matches!(item.source, Source::Watch) {
                self.evaluate(index, item, end, values);
            }
        }
        for (index, watch) in &mut self.watches {
            let item = &scanner.items[*index];
            let Some((test, is_negated)) = &item.test else { continue };
            let outcome = &mut self.outcomes[*index];
            match self.sources.trouble(item) {
                Some(why) => outcome.fails(Failure::Unreadable(why)),
                None => {
                    outcome.holds = watch.end(test, item.kind()).is_ok_and(|holds| holds != *is_negated);
                    outcome.has_body(self.sources.beginning(), self.sources.length());
                }
            }
        }
    }

    /// The value of a capture, by its place in the list given to [`Scanner::new`].
    #[must_use]
    pub fn capture(&self, index: usize) -> Found<'_> {
        self.outcomes[index].found()
    }

    /// Whether a check holds, by its place in the list given to [`Scanner::new`].
    #[must_use]
    pub fn holds(&self, index: usize) -> bool {
        self.outcomes[self.captures + index].holds
    }

    /// What a check has found, in at most 128 bytes. It allocates.
    #[must_use]
    pub fn found(&self, index: usize) -> String {
        self.outcomes[self.captures + index].describe()
    }

    /// The beginning of the body without its content coding, at most 256 bytes; empty if the step has no checks.
    #[must_use]
    pub fn beginning(&self) -> &[u8] {
        self.sources.beginning()
    }

    fn evaluate(&mut self, index: usize, item: &Item, end: &End<'_>, values: &dyn Values) {
        let outcome = &mut self.outcomes[index];
        self.written.clear();
        let read = match self.sources.read(item, end, values, &mut self.written) {
            Ok(read) => read,
            Err(failure) => return outcome.fails(failure),
        };
        let read = match read {
            Some(read) if item.filters.is_empty() => Some(read),
            Some(read) if !read.is_whole() => return outcome.fails(read.too_long()),
            Some(read) => match self.work.filter(&item.filters, read.value) {
                Ok(value) => value.map(|value| read.replaced(value)),
                Err(why) => return outcome.fails(Failure::Unreadable(why)),
            },
            None => None,
        };
        match &item.test {
            None => outcome.keep(item, read),
            Some((test, is_negated)) => match read {
                Some(read) if test.needs_content() && !read.is_whole() => outcome.fails(read.too_long()),
                read => {
                    let result = test.holds(read.map(|read| read.value), values, &mut self.expected);
                    outcome.holds = result.is_ok_and(|holds| holds != *is_negated);
                    outcome.notes(read);
                }
            },
        }
    }
}
