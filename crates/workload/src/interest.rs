//! What a run keeps of its calls until they end, besides what every call records.

use std::fmt;

/// What sessions and observers need of calls and replies.
///
/// Computed once for a run: each interceptor and the observer add what they need. Calls of a run whose interest is empty
/// keep nothing and allocate nothing.
#[derive(Clone, Default)]
pub struct Interest {
    /// Names of header fields in lower case, each once.
    headers: Vec<Box<str>>,
    /// Bytes of each body, and of bodies that are pages.
    body: usize,
    page: usize,
    /// The reason phrase of each reply; over FTP the last line of the final reply, and the status before it.
    pub reason: bool,
    /// The bytes of each request, and of the head of each final reply.
    pub exchange: bool,
    /// How much random data a request carries, and how long generating it took.
    pub random_data: bool,
    /// Each request when it is sent, as an event.
    pub requests: bool,
    /// A hash of each body.
    pub body_hash: Option<BodyHash>,
}

/// Continues a hash over the next bytes of a body. Starts with zero. The result must not depend on how the bytes are split.
pub type BodyHash = fn(u64, &[u8]) -> u64;

impl Interest {
    /// Adds the header fields called `name`, in whatever case.
    pub fn add_header(&mut self, name: &str) {
        if self.named(name.as_bytes()).is_none() {
            self.headers.push(name.to_ascii_lowercase().into());
        }
    }

    /// Adds the first `bytes` bytes of each body, without transfer coding.
    pub fn add_body(&mut self, bytes: usize) {
        self.body = self.body.max(bytes);
    }

    /// Adds the first `bytes` bytes of each HTML page that is not a redirect or an error, with the fields that describe it.
    pub fn add_page(&mut self, bytes: usize) {
        self.page = self.page.max(bytes);
        self.add_header("content-type");
        self.add_header("content-encoding");
    }

    /// Returns whether nothing is kept of a call.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { headers, body, page, reason, exchange, random_data, requests: _, body_hash } = self;
        let is_wanted = *reason || *exchange || *random_data || body_hash.is_some();
        headers.is_empty() && *body == 0 && *page == 0 && !is_wanted
    }

    /// The name of a header field in lower case, if the field is wanted.
    #[must_use]
    pub fn named(&self, name: &[u8]) -> Option<&str> {
        self.headers
            .iter()
            .find(|wanted| wanted.as_bytes().eq_ignore_ascii_case(name))
            .map(|wanted| &**wanted)
    }

    /// Bytes to keep of the body of a reply with this status and `Content-Type`.
    #[must_use]
    pub fn body_of(&self, status: u16, content_type: Option<&[u8]>) -> usize {
        if self.page > self.body && is_page(status, content_type) { self.page } else { self.body }
    }
}

/// Returns whether a reply with this status and `Content-Type` shows an HTML page.
pub(crate) fn is_page(status: u16, content_type: Option<&[u8]>) -> bool {
    let kind = content_type.and_then(|kind| kind.split(|&byte| byte == b';').next());
    status < 300 && kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"text/html"))
}

/// The header fields that were kept of a reply, in the order in which they came.
#[derive(Clone, Default)]
pub struct Captured {
    /// For each field the length of its name, its name, the length of its value, its value.
    bytes: Vec<u8>,
}

/// Bytes that hold the length of a name or value.
const LENGTH: usize = size_of::<u32>();

impl Captured {
    /// No fields.
    pub const NONE: &'static Self = &Self::new();

    /// No fields.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Adds a field whose name is in lower case.
    pub fn add(&mut self, name: &str, value: &[u8]) {
        for part in [name.as_bytes(), value] {
            self.bytes.extend_from_slice(&(part.len() as u32).to_ne_bytes());
            self.bytes.extend_from_slice(part);
        }
    }

    /// Drops all fields.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Names in lower case, and values.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || Some((part(&mut rest)?, part(&mut rest)?)))
    }

    /// The values of all fields with this lower-case name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(of, _)| *of == name.as_bytes()).map(|(_, value)| value)
    }

    /// The value of the first field with this lower-case name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|(of, _)| *of == name.as_bytes()).map(|(_, value)| value)
    }
}

/// Takes a length, and that many bytes, off `rest`.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<LENGTH>()?;
    let (part, after) = after.split_at_checked(u32::from_ne_bytes(*length) as usize)?;
    *rest = after;
    Some(part)
}

impl fmt::Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields =
            self.iter().map(|(name, value)| (String::from_utf8_lossy(name), String::from_utf8_lossy(value)));
        f.debug_map().entries(fields).finish()
    }
}

impl<'a> FromIterator<(&'a str, &'a [u8])> for Captured {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a [u8])>>(fields: I) -> Self {
        let mut captured = Self::default();
        fields.into_iter().for_each(|(name, value)| captured.add(name, value));
        captured
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interest").field("headers", &self.headers).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let fields = [("a", &b"1"[..]), ("b", b""), ("a", b"2\r\n 3")];
        let captured: Captured = fields.into_iter().collect();
        assert_eq!(captured.all("a").collect::<Vec<_>>(), [&b"1"[..], b"2\r\n 3"]);
        assert_eq!(
            (captured.get("a"), captured.get("b"), captured.get("c")),
            (Some(&b"1"[..]), Some(&b""[..]), None)
        );
        assert_eq!(Captured::NONE.iter().count(), 0);
    }

    #[test]
    fn interests_add_up() {
        let mut interest = Interest::default();
        assert!(interest.is_empty());
        interest.requests = true;
        assert!(interest.is_empty(), "an event keeps nothing");
        ["Date", "date", "ETag"].into_iter().for_each(|name| interest.add_header(name));
        assert_eq!((interest.named(b"DATE"), interest.named(b"Server")), (Some("date"), None));
        assert_eq!(interest.headers.len(), 2);
        assert!(!interest.is_empty());
    }

    #[test]
    fn as_much_of_a_body_is_kept_as_anybody_wants() {
        let html = Some(&b"Text/HTML; charset=utf-8"[..]);
        let kept = |interest: &Interest| {
            [(200, html), (404, html), (200, None)].map(|(status, kind)| interest.body_of(status, kind))
        };
        let mut interest = Interest::default();
        interest.add_page(100);
        assert_eq!(kept(&interest), [100, 0, 0]);
        interest.add_body(10);
        interest.add_body(5);
        assert_eq!(kept(&interest), [100, 10, 10]);
        interest.add_body(200);
        assert_eq!(kept(&interest), [200, 200, 200]);
    }
}
