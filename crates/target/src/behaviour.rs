//! How one reply is made: the server's defaults, and what a request's query string asks for instead.

use std::str::FromStr;
use std::sync::Arc;

use crate::delay::Delay;
use crate::fault::Fault;
use crate::grammar::{Field, GrammarError, Pace, bytes, count};

/// Everything that shapes one reply. The server's options make one; a query string changes a copy.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    /// From the arrival of the head to the first byte of the reply.
    pub(crate) delay: Delay,
    /// From the head of the reply to its body.
    pub(crate) body_delay: Delay,
    /// Bytes of body.
    pub(crate) size: u64,
    pub(crate) status: StatusMix,
    pub(crate) framing: Framing,
    /// Header lines beyond the usual ones.
    pub(crate) headers: Vec<Field>,
    /// Chunk extensions on every chunk (RFC 9112, section 7.1.1).
    pub(crate) extensions: bool,
    /// Two trailer fields after the last chunk (RFC 9112, section 7.1.2).
    pub(crate) trailers: bool,
    /// How many 103 replies go before the final one.
    pub(crate) interim: u32,
    /// How the reply trickles, head included.
    pub(crate) slow: Option<Pace>,
    pub(crate) faults: Arc<[Fault]>,
    /// Announce and perform a close after this reply.
    pub(crate) close: bool,
    /// Speak HTTP/1.0.
    pub(crate) http10: bool,
    pub(crate) upload: Upload,
    pub(crate) expectation: Expectation,
}

/// How the end of a body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length,
    /// Chunks of this many bytes. HTTP/1.0 clients get [`Framing::UntilClose`] instead.
    Chunked(u64),
    UntilClose,
}

/// When the reply to an upload leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upload {
    /// When all of the upload has come.
    Whole,
    /// At the head; the upload is read all the same and the connection kept.
    Early,
    /// At the head; the rest of the upload is not read and the connection is closed.
    EarlyClose,
}

/// What `Expect: 100-continue` gets (RFC 9110, section 10.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// `100 Continue`, then the reply.
    Send,
    /// Nothing until the upload has come.
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

/// Statuses and their weights. Written `200:9,503:1`; a status alone has weight 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusMix(Arc<[(u16, u32)]>);

impl StatusMix {
    /// Always `status`, 200 to 999.
    #[must_use]
    pub fn always(status: u16) -> Self {
        Self(Arc::new([(status, 1)]))
    }

    /// The status, when there is only one.
    pub(crate) fn only(&self) -> Option<u16> {
        if let [(status, _)] = *self.0 { Some(status) } else { None }
    }

    /// The status that `draw`, a number in [0, 1), falls on.
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
    /// This behaviour with what `query` (the part after `?`) asks for. `&` separates, `%XX` and `+` are not decoded: none
    /// of the words needs them. Keys that are not in the table are left to the application, as on any server.
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
                    return Err(GrammarError::new(value, "a number of interim replies up to 1000"));
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

/// `0` for none, `1` for chunks of [`USUAL_CHUNK`], anything larger for the size of a chunk.
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
            "a fault of a reply; deaf, drop and noaccept are options of the server",
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
    fn a_query_string_changes_what_it_names_and_nothing_else() {
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
    fn the_words_of_the_table_are_understood() {
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
    fn statuses_come_by_their_weights() {
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
