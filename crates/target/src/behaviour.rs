//! The behavior for one response: the options of the server, overridden by the query string of the request.

use std::str::FromStr;
use std::sync::Arc;

use crate::delay::Delay;
use crate::fault::Fault;
use crate::grammar::{Field, GrammarError, Pace, bytes, count};

/// All settings of one response. The options of the server determine the default; a query string changes a copy.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    /// Time from the arrival of the head to the first byte of the response.
    pub(crate) delay: Delay,
    /// Time between head and body of the response.
    pub(crate) body_delay: Delay,
    /// Body size in bytes.
    pub(crate) size: u64,
    pub(crate) status: StatusMix,
    pub(crate) framing: Framing,
    /// Additional header lines.
    pub(crate) headers: Vec<Field>,
    /// Chunk extensions on every chunk (RFC 9112, section 7.1.1).
    pub(crate) extensions: bool,
    /// Two trailer fields after the last chunk (RFC 9112, section 7.1.2).
    pub(crate) trailers: bool,
    /// Number of 103 responses before the final one.
    pub(crate) interim: u32,
    /// Throttle of the response, including its head.
    pub(crate) slow: Option<Pace>,
    pub(crate) faults: Arc<[Fault]>,
    /// Announce and perform a close after this response.
    pub(crate) close: bool,
    /// Use HTTP/1.0.
    pub(crate) http10: bool,
    pub(crate) upload: Upload,
    pub(crate) expectation: Expectation,
}

/// The framing of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length,
    /// Chunks of this size in bytes. HTTP/1.0 clients get [`Framing::UntilClose`] instead.
    Chunked(u64),
    UntilClose,
}

/// When the response to an upload is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upload {
    /// After the complete upload.
    Whole,
    /// After the head; the upload is read nevertheless, and the connection is kept.
    Early,
    /// After the head; the rest of the upload is not read, and the connection is closed.
    EarlyClose,
}

/// The response to `Expect: 100-continue` (RFC 9110, section 10.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// `100 Continue`, then the final response.
    Send,
    /// Nothing until the upload is complete.
    Ignore,
    /// `417 Expectation Failed`.
    Refuse,
}

impl FromStr for Expectation {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        match word {
            "send" => Ok(Self::Send),
            "ignore" => Ok(Self::Ignore),
            "refuse" => Ok(Self::Refuse),
            _ => Err(GrammarError::new(word, "`send`, `ignore` or `refuse`")),
        }
    }
}

/// Statuses with weights, written as `200:9,503:1`; a status alone has weight 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusMix(Arc<[(u16, u32)]>);

impl StatusMix {
    /// Always returns `status`, 200 to 999.
    #[must_use]
    pub fn always(status: u16) -> Self {
        Self(Arc::new([(status, 1)]))
    }

    /// Returns the status if there is only one.
    pub(crate) fn only(&self) -> Option<u16> {
        if let [(status, _)] = *self.0 { Some(status) } else { None }
    }

    /// Returns the status for `draw`, a random number in [0, 1).
    pub(crate) fn pick(&self, draw: f64) -> u16 {
        let total: u64 = self.0.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let mut left = (draw * total as f64) as u64;
        for (status, weight) in self.0.iter() {
            if left < u64::from(*weight) {
                return *status;
            }
            left -= u64::from(*weight);
        }
        self.0.last().map_or(200, |(status, _)| *status)
    }
}

impl FromStr for StatusMix {
    type Err = GrammarError;

    fn from_str(word: &str) -> Result<Self, GrammarError> {
        let wrong = || {
            GrammarError::new(word, "statuses from 200 to 999 with weights, such as `503` or `200:9,503:1`")
        };
        let mut mix = Vec::new();
        for part in word.split(',') {
            let (status, weight) = part.split_once(':').unwrap_or((part, "1"));
            let status: u16 = status.parse().map_err(|_| wrong())?;
            let weight: u32 = weight.parse().map_err(|_| wrong())?;
            if !(200..=999).contains(&status) {
                return Err(wrong());
            }
            mix.push((status, weight));
        }
        if mix.iter().all(|(_, weight)| *weight == 0) { Err(wrong()) } else { Ok(Self(mix.into())) }
    }
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            delay: Delay::NONE,
            body_delay: Delay::NONE,
            size: 0,
            status: StatusMix::always(200),
            framing: Framing::Length,
            headers: Vec::new(),
            extensions: false,
            trailers: false,
            interim: 0,
            slow: None,
            faults: Arc::new([]),
            close: false,
            http10: false,
            upload: Upload::Whole,
            expectation: Expectation::Send,
        }
    }
}

impl Behaviour {
    /// Returns this behavior, changed by the parameters in `query` (the part after `?`), which `&` separates. `%XX` and `+` are not
    /// decoded, because no value needs them. Unknown parameters are ignored.
    pub(crate) fn asked_for(&self, query: &str) -> Result<Self, GrammarError> {
        let mut asked = self.clone();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, "1"));
            asked.set(key, value)?;
        }
        Ok(asked)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), GrammarError> {
        match key {
            "delay" => self.delay = value.parse()?,
            "body-delay" => self.body_delay = value.parse()?,
            "size" => self.size = bytes(value)?,
            "status" | "statuses" => self.status = value.parse()?,
            "header" => self.headers.push(value.parse()?),
            "chunked" => self.framing = chunking(value)?,
            "until-close" => {
                self.framing = if switch(value)? { Framing::UntilClose } else { Framing::Length }
            }
            "extensions" => self.extensions = switch(value)?,
            "trailers" => self.trailers = switch(value)?,
            "interim" => {
                self.interim = count(value)?;
                if self.interim > MOST_INTERIM {
                    return Err(GrammarError::new(value, "a number of interim responses up to 1000"));
                }
            }
            "slow" => self.slow = Some(value.parse()?),
            "fault" => self.faults = faults(value)?,
            "close" => self.close = switch(value)?,
            "http10" => self.http10 = switch(value)?,
            "early" => self.upload = early(value)?,
            "continue" => self.expectation = value.parse()?,
            _ => {}
        }
        Ok(())
    }
}

/// Parses `0` (not chunked), `1` (chunks of [`USUAL_CHUNK`]) or a chunk size.
pub(crate) fn chunking(word: &str) -> Result<Framing, GrammarError> {
    Ok(match bytes(word)? {
        0 => Framing::Length,
        1 => Framing::Chunked(USUAL_CHUNK),
        size => Framing::Chunked(size),
    })
}

fn early(word: &str) -> Result<Upload, GrammarError> {
    match word {
        "0" => Ok(Upload::Whole),
        "1" => Ok(Upload::Early),
        "close" => Ok(Upload::EarlyClose),
        _ => Err(GrammarError::new(word, "`0`, `1` or `close`")),
    }
}

fn switch(word: &str) -> Result<bool, GrammarError> {
    match word {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(GrammarError::new(word, "`1` or `0`")),
    }
}

fn faults(word: &str) -> Result<Arc<[Fault]>, GrammarError> {
    if word == "none" {
        return Ok(Arc::new([]));
    }
    let faults: Result<Vec<Fault>, _> = word.split(',').map(str::parse).collect();
    let faults = faults?;
    if faults.iter().any(|fault| fault.kind.is_of_connection()) {
        return Err(GrammarError::new(
            word,
            "a fault of a response; deaf, drop and noaccept are options of the server",
        ));
    }
    Ok(faults.into())
}

/// The chunk size of `chunked=1`.
pub(crate) const USUAL_CHUNK: u64 = 4096;
const MOST_INTERIM: u32 = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;

    #[test]
    fn a_query_string_changes_only_the_named_parameters() {
        let server = Behaviour { size: 10, ..Behaviour::default() };
        let asked = server.asked_for("delay=exp:10ms&status=503&chunked=1&user=7&&trailers").unwrap();
        assert_eq!(asked.delay, "exp:10ms".parse().unwrap());
        assert_eq!(asked.status.only(), Some(503));
        assert_eq!(asked.framing, Framing::Chunked(4096));
        assert!(asked.trailers);
        assert_eq!(asked.size, 10);
        assert!(!asked.close);
    }

    #[test]
    fn all_parameters_are_parsed() {
        let ask = |query: &str| Behaviour::default().asked_for(query).unwrap();
        assert_eq!(ask("size=75k").size, 76_800);
        assert_eq!(ask("chunked=100").framing, Framing::Chunked(100));
        assert_eq!(ask("chunked=1&chunked=0").framing, Framing::Length);
        assert_eq!(ask("until-close=1").framing, Framing::UntilClose);
        assert_eq!(ask("header=Set-Cookie:a=b&header=X:y").headers[0].line(), "Set-Cookie: a=b\r\n");
        assert_eq!(ask("slow=1/s").slow, Some("1/s".parse().unwrap()));
        assert_eq!(ask("interim=2").interim, 2);
        assert_eq!(ask("early=close").upload, Upload::EarlyClose);
        assert_eq!(ask("continue=refuse").expectation, Expectation::Refuse);
        assert_eq!(ask("fault=short").faults[0].kind, FaultKind::Short);
        assert_eq!(ask("fault=reset:0.5,short:0.5").faults.len(), 2);
        assert!(ask("fault=short&fault=none").faults.is_empty());
        for query in [
            "size=x",
            "fault=drop",
            "fault=",
            "close=2",
            "status=100",
            "interim=5000",
            "delay=soon",
            "header=X",
        ] {
            assert!(Behaviour::default().asked_for(query).is_err(), "{query}");
        }
    }

    #[test]
    fn statuses_are_drawn_by_weight() {
        let mix: StatusMix = "200:9,503:1".parse().unwrap();
        assert_eq!(mix.only(), None);
        for (draw, status) in [(0.0, 200), (0.89, 200), (0.9, 503), (0.999, 503)] {
            assert_eq!(mix.pick(draw), status, "{draw}");
        }
        for word in ["", "99", "1000", "200:0", "200:-1", "ok"] {
            assert!(word.parse::<StatusMix>().is_err(), "{word}");
        }
    }
}
