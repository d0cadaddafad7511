//! FTP as a state machine: the dialog on the control connection of one transfer, replies in and commands out.
//!
//! A [`Conversation`] logs in, agrees on a data connection, requests one transfer and quits (RFC 959). It contains no sockets
//! and no clock: its owner opens the data connection on request, moves the bytes, and reports when they ended.
#![forbid(unsafe_code)]

mod conversation;
mod order;
mod reply;

pub use conversation::{Conversation, Ending, Event};
pub use order::{Action, Order, OrderError};

use std::fmt;

/// A breach of FTP by the server. The control connection can carry nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// A line that should begin a reply has no code from 100 to 599 (RFC 959 section 4.2).
    BadReply,
    /// A line of a reply is longer than 4 KiB, or a reply longer than 64 KiB.
    ReplyTooLong,
    /// The reply to `PASV` or `EPSV` names no port (RFC 959 section 4.1.2, RFC 2428 section 3).
    BadPort,
    /// A reply of a kind that cannot follow the command (RFC 959 section 5.4).
    UnexpectedReply,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadReply => "a reply does not begin with a code",
            Self::ReplyTooLong => "a reply is too long",
            Self::BadPort => "the reply to PASV or EPSV names no port",
            Self::UnexpectedReply => "a reply came that belongs to no command",
        })
    }
}

impl std::error::Error for Violation {}
