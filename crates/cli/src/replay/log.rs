//! An access log as parts of some seconds: read from a file or a pipe, unpacked, filtered, counted; never all of it at once.

use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;
use warwolf_accesslog::{Entry, Format, Unreadable, har, parse_time};
use warwolf_args::UsageError;
use warwolf_args::reason;
use warwolf_args::replay::Replay;
use warwolf_report::unit::{count, counted};

/// Requests of a part at the most, and the time it spans.
const PART_REQUESTS: usize = 20_000;
const PART_SPAN: Duration = Duration::from_secs(30);
/// Bytes of a line at the most; what is longer is no request.
const LINE_BYTES: u64 = 1 << 20;
/// Bytes of an HTTP archive at the most: it is one value, and is read whole.
const ARCHIVE_BYTES: u64 = 1 << 30;

/// Which requests of a log are sent again.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    methods: Option<Vec<String>>,
    statuses: Vec<(u16, u16)>,
    since_ns: i64,
    until_ns: i64,
}

impl Filter {
    /// # Errors
    /// When a word of it is none.
    pub(super) fn of(args: &Replay) -> Result<Self, UsageError> {
        let time = |option: &str, text: &Option<String>, usual| match text {
            None => Ok(usual),
            Some(text) => parse_time(text).ok_or_else(|| {
                UsageError::new(format!("--{option}: `{text}`: use a time such as 2026-11-21T10:00:00Z"))
            }),
        };
        let methods: Vec<String> =
            args.only_methods.iter().map(|method| method.to_ascii_uppercase()).collect();
        Ok(Self {
            methods: (methods != ["ALL"])
                .then(|| if methods.is_empty() { vec!["GET".into(), "HEAD".into()] } else { methods }),
            statuses: args.only_status.iter().map(|text| statuses(text)).collect::<Result<_, _>>()?,
            since_ns: time("since", &args.since, i64::MIN)?,
            until_ns: time("until", &args.until, i64::MAX)?,
        })
    }

    fn passes(&self, entry: &Entry) -> bool {
        let status = entry.status.unwrap_or(0);
        self.methods.as_ref().is_none_or(|methods| methods.contains(&entry.method))
            && (self.statuses.is_empty()
                || self.statuses.iter().any(|(low, high)| (*low..=*high).contains(&status)))
            && (self.since_ns..self.until_ns).contains(&entry.at_ns)
    }
}

/// `404`, or `2xx`.
fn statuses(text: &str) -> Result<(u16, u16), UsageError> {
    let class =
        text.strip_suffix("xx").and_then(|class| class.parse::<u16>().ok()).filter(|class| *class < 10);
    let whole = text.parse::<u16>().ok().map(|status| (status, status));
    class.map(|class| (class * 100, class * 100 + 99)).or(whole).ok_or_else(|| {
        UsageError::new(format!("--only-status: `{text}`: use a status or a class, such as 200 or 3xx"))
    })
}

/// What became of the lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) lines: u64,
    pub(super) filtered: u64,
    /// By why they are no requests: how many, and the number of the first.
    pub(super) unreadable: BTreeMap<Unreadable, (u64, u64)>,
    /// What kept the rest of the log from being read.
    pub(super) broken: Option<String>,
}

impl Counts {
    /// In words.
    pub(super) fn text(&self) -> String {
        let unreadable: u64 = self.unreadable.values().map(|(number, _)| number).sum();
        let sent = self.lines - self.filtered - unreadable;
        let mut text = format!(
            "the log has {}: {} to be sent, {} filtered out, {} not understood",
            counted(self.lines, "line"),
            count(sent),
            count(self.filtered),
            count(unreadable)
        );
        for (why, (number, first)) in &self.unreadable {
            let _ = write!(text, "; {why}: {}, first in line {}", count(*number), count(*first));
        }
        if let Some(broken) = &self.broken {
            let _ = write!(text, "; the rest could not be read: {broken}");
        }
        text
    }

    fn unreadable(&mut self, why: Unreadable) {
        let number = self.lines;
        self.unreadable.entry(why).or_insert((0, number)).0 += 1;
    }
}

/// A log that is being read.
pub(super) struct Log {
    lines: Box<dyn BufRead + Send>,
    format: Option<Format>,
    filter: Filter,
    /// Read, and not of the last part.
    next: Option<Entry>,
    archive: std::vec::IntoIter<Result<Entry, Unreadable>>,
    pub(super) counts: Counts,
}

impl Log {
    /// Opens a log; `-` is stdin. What is packed with gzip is unpacked, whatever its name.
    ///
    /// # Errors
    /// When it cannot be read, or is empty.
    pub(super) fn open(path: &Path, format: Option<Format>, filter: Filter) -> Result<Self, UsageError> {
        let wrong = |error: std::io::Error| {
            UsageError::new(format!("{}: cannot be read: {}", path.display(), reason(&error)))
        };
        let input: Box<dyn Read + Send> = if path == Path::new("-") {
            Box::new(std::io::stdin())
        } else {
            Box::new(std::fs::File::open(path).map_err(wrong)?)
        };
        let mut lines: Box<dyn BufRead + Send> = Box::new(BufReader::with_capacity(1 << 18, input));
        if lines.fill_buf().map_err(wrong)?.starts_with(&[0x1f, 0x8b]) {
            lines = Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(lines)));
        }
        if lines.fill_buf().map_err(wrong)?.is_empty() {
            return Err(UsageError::new(format!("{}: the log is empty", path.display())));
        }
        Ok(Self {
            lines,
            format,
            filter,
            next: None,
            archive: Vec::new().into_iter(),
            counts: Counts::default(),
        })
    }

    /// The next part of the log, in the order of time; none at its end.
    pub(super) fn part(&mut self) -> Option<Vec<Entry>> {
        let first = self.next.take().or_else(|| self.entry())?;
        let until = first.at_ns.saturating_add(PART_SPAN.as_nanos() as i64);
        let mut part = vec![first];
        while let Some(entry) = self.entry() {
            let ends =
                part.len() >= PART_REQUESTS && part.last().is_some_and(|last| last.at_ns != entry.at_ns);
            if ends || part.len() >= 2 * PART_REQUESTS || entry.at_ns > until {
                self.next = Some(entry);
                break;
            }
            part.push(entry);
        }
        part.sort_by_key(|entry| entry.at_ns);
        spread(&mut part);
        Some(part)
    }

    /// The next request that passes.
    fn entry(&mut self) -> Option<Entry> {
        loop {
            match self.read()? {
                Ok(entry) if self.filter.passes(&entry) => return Some(entry),
                Ok(_) => self.counts.filtered += 1,
                Err(why) => self.counts.unreadable(why),
            }
        }
    }

    fn read(&mut self) -> Option<Result<Entry, Unreadable>> {
        if let Some(entry) = self.archive.next() {
            self.counts.lines += 1;
            return Some(entry);
        }
        let line = self.line()?;
        if self.format.is_none() {
            self.format = Format::of(&line);
        }
        match self.format {
            Some(Format::Har) => {
                let mut text = line;
                if let Err(error) = self.lines.by_ref().take(ARCHIVE_BYTES).read_to_string(&mut text) {
                    self.counts.broken = Some(reason(&error));
                }
                match har(&text) {
                    Ok(entries) => self.archive = entries.into_iter(),
                    Err(why) => {
                        self.counts.lines += 1;
                        return Some(Err(why));
                    }
                }
                self.counts.lines += 1;
                self.archive.next()
            }
            format => {
                self.counts.lines += 1;
                Some(format.map_or(Err(Unreadable::Format), |format| format.read(&line)))
            }
        }
    }

    /// The next line that is not blank.
    fn line(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match self.lines.by_ref().take(LINE_BYTES).read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) if bytes.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => {
                    return Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned());
                }
                Err(error) => {
                    self.counts.broken = Some(reason(&error));
                    return None;
                }
            }
        }
    }
}

/// A log that knows only the second of its requests has them at its beginning, all at once. They were not: they are spread
/// evenly over it.
fn spread(part: &mut [Entry]) {
    for second in part.chunk_by_mut(|a, b| a.at_ns == b.at_ns) {
        let each = 1_000_000_000 / second.len() as i64;
        for (place, entry) in (0..).zip(second) {
            if entry.whole_second {
                entry.at_ns += place * each;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(text: &str, filter: Filter) -> Log {
        let lines = Box::new(std::io::Cursor::new(text.to_owned().into_bytes()));
        Log {
            lines,
            format: None,
            filter,
            next: None,
            archive: Vec::new().into_iter(),
            counts: Counts::default(),
        }
    }

    fn all() -> Filter {
        Filter { methods: None, statuses: Vec::new(), since_ns: i64::MIN, until_ns: i64::MAX }
    }

    fn line(second: u32, request: &str, status: u16) -> String {
        format!(
            "1.2.3.4 - - [10/Oct/2000:13:{:02}:{:02} +0000] \"{request}\" {status} 5\n",
            second / 60,
            second % 60
        )
    }

    #[test]
    fn every_line_is_sent_filtered_or_counted_with_its_reason() {
        let text = [
            line(0, "GET /a HTTP/1.1", 200),
            line(0, "POST /b HTTP/1.1", 200),
            line(1, "-", 408),
            "\n".into(),
            "nonsense\n".into(),
            line(2, "GET /c HTTP/1.1", 503),
        ];
        let filter =
            Filter { methods: Some(vec!["GET".into()]), statuses: vec![statuses("2xx").unwrap()], ..all() };
        let mut log = log(&text.concat(), filter);
        assert_eq!(log.part().map(|part| part.len()), Some(1));
        assert_eq!(log.part(), None);
        assert_eq!(
            log.counts.text(),
            "the log has 5 lines: 1 to be sent, 2 filtered out, 2 not understood; unknown format: 1, first in line 4; \
             no valid request: 1, first in line 3"
        );
    }

    #[test]
    fn a_part_spans_half_a_minute_and_is_in_order() {
        let text = [
            line(50, "GET /b HTTP/1.1", 200),
            line(49, "GET /a HTTP/1.1", 200),
            line(100, "GET /c HTTP/1.1", 200),
        ];
        let mut log = log(&text.concat(), all());
        let targets = |part: Vec<Entry>| part.into_iter().map(|entry| entry.target).collect::<Vec<_>>();
        assert_eq!(log.part().map(targets), Some(vec!["/a".to_owned(), "/b".to_owned()]));
        assert_eq!(log.part().map(targets), Some(vec!["/c".to_owned()]));
        assert!(log.part().is_none());
    }

    #[test]
    fn requests_of_one_second_are_spread_over_it() {
        let text: String = (0..4).map(|_| line(5, "GET / HTTP/1.1", 200)).collect();
        let part = log(&text, all()).part().unwrap();
        let gaps: Vec<i64> = part.windows(2).map(|pair| pair[1].at_ns - pair[0].at_ns).collect();
        assert_eq!(gaps, [250_000_000; 3]);
    }

    #[test]
    fn a_long_log_is_read_in_parts() {
        let text: String = (0..50_000).map(|number| line(number / 5_000, "GET / HTTP/1.1", 200)).collect();
        let mut log = log(&text, all());
        let parts: Vec<usize> = std::iter::from_fn(|| log.part().map(|part| part.len())).collect();
        assert_eq!(parts, [20_000, 20_000, 10_000]);
    }
}
