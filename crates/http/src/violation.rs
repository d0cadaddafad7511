//! Breaches of the protocol, as a closed list by which reports count.

use std::fmt;

/// A breach of the protocol by the server. The connection it happened on can carry nothing more.
///
/// Breaches of FTP are counted as the kind that corresponds to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// The reply does not begin with `HTTP/1.x` and three digits (RFC 9112 section 4), over FTP with a code.
    BadStatusLine,
    /// A header or trailer field is not `name: value` (RFC 9112 section 5). FTP: the reply to `PASV` or `EPSV` names no port.
    BadHeader,
    /// The head, or the trailer section, is longer than [`Limits::max_head`](crate::Limits::max_head). FTP: a line is longer than
    /// 4 KiB, or a reply than 64 KiB.
    HeadTooLong,
    /// More header fields than [`Limits::max_headers`](crate::Limits::max_headers).
    TooManyHeaders,
    /// `Content-Length` is not a number, or above 2^63 - 1 (RFC 9112 section 6.3).
    BadContentLength,
    /// Several `Content-Length` values that differ (RFC 9112 section 6.3).
    ConflictingLengths,
    /// A chunk does not begin with a hexadecimal size below 2^63, or its line is too long (RFC 9112 section 7.1).
    BadChunkSize,
    /// The data of a chunk is not followed by an end of line (RFC 9112 section 7.1).
    BadChunkEnd,
    /// Bytes were received while no call was outstanding. FTP: a reply that cannot follow the command.
    UnexpectedBytes,
    /// `Transfer-Encoding` is not a list of codings, or `chunked` is in it but is not the last and only one (RFC 9112
    /// section 6.1).
    UnsupportedTransferCoding,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadStatusLine => "the reply does not begin with a status line",
            Self::BadHeader => "a header field is malformed",
            Self::HeadTooLong => "the head of the reply is too long",
            Self::TooManyHeaders => "the reply has too many header fields",
            Self::BadContentLength => "`Content-Length` is not a number",
            Self::ConflictingLengths => "`Content-Length` has several values",
            Self::BadChunkSize => "a chunk size is malformed",
            Self::BadChunkEnd => "a chunk does not end where its size says",
            Self::UnexpectedBytes => "bytes came that belong to no call",
            Self::UnsupportedTransferCoding => "`Transfer-Encoding` cannot be understood",
        })
    }
}

impl std::error::Error for Violation {}
