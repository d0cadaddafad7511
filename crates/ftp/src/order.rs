//! Orders for transfers, made once before the run.

use std::fmt;

/// What a transfer does (RFC 959 section 4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `RETR`: fetches a file.
    Retrieve,
    /// `NLST`: fetches the names in a folder.
    List,
    /// `STOR`: stores a file.
    Store,
}

/// A transfer, and the user to log in as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    name: Vec<u8>,
    password: Vec<u8>,
    action: Action,
    path: Vec<u8>,
    is_text: bool,
    /// Where in the path a number is inserted, for names that differ.
    number_at: Option<usize>,
}

/// A name, password or path with a byte that would end the command or change its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderError;

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, password or path of FTP holds no line end and no zero byte")
    }
}

impl std::error::Error for OrderError {}

impl Order {
    /// A transfer of `path` by the user `name`. An empty path is sent as `/`. `is_text` selects `TYPE A` instead of `TYPE I` (RFC
    /// 959 section 3.1.1).
    ///
    /// # Errors
    /// When a text holds a carriage return, a line feed or a zero byte (RFC 959 section 5.3.2).
    pub fn new(
        name: &[u8],
        password: &[u8],
        action: Action,
        path: &[u8],
        is_text: bool,
    ) -> Result<Self, OrderError> {
        if [name, password, path].concat().iter().any(|byte| b"\r\n\0".contains(byte)) {
            return Err(OrderError);
        }
        let path = if path.is_empty() { b"/" } else { path };
        Ok(Self {
            name: name.to_vec(),
            password: password.to_vec(),
            action,
            path: path.to_vec(),
            is_text,
            number_at: None,
        })
    }

    /// Inserts the number of each conversation into the path, `at` bytes from its beginning.
    #[must_use]
    pub fn numbered(mut self, at: usize) -> Self {
        self.number_at = Some(at.min(self.path.len()));
        self
    }

    /// What the transfer does.
    #[must_use]
    pub fn action(&self) -> Action {
        self.action
    }

    /// Whether a number goes into the file's name.
    #[must_use]
    pub fn is_numbered(&self) -> bool {
        self.number_at.is_some()
    }

    /// Whether `SIZE` is sent first. The size of a text differs from the length of its transfer.
    pub(crate) fn asks_size(&self) -> bool {
        self.action == Action::Retrieve && !self.is_text
    }

    pub(crate) fn write_user(&self, out: &mut Vec<u8>) {
        command(b"USER", &[&self.name], out);
    }

    pub(crate) fn write_pass(&self, out: &mut Vec<u8>) {
        command(b"PASS", &[&self.password], out);
    }

    pub(crate) fn write_type(&self, out: &mut Vec<u8>) {
        command(b"TYPE", &[if self.is_text { b"A" } else { b"I" }], out);
    }

    pub(crate) fn write_size(&self, out: &mut Vec<u8>) {
        command(b"SIZE", &[&self.path], out);
    }

    /// The command of the transfer itself.
    pub(crate) fn write_transfer(&self, number: &[u8], out: &mut Vec<u8>) {
        let verb: &[u8] = match self.action {
            Action::Retrieve => b"RETR",
            Action::List => b"NLST",
            Action::Store => b"STOR",
        };
        match self.number_at {
            None => command(verb, &[&self.path], out),
            Some(at) => {
                let (before, behind) = self.path.split_at(at);
                command(verb, &[before, number, behind], out);
            }
        }
    }
}

/// One line of RFC 959 section 5.3.1.
fn command(verb: &[u8], argument: &[&[u8]], out: &mut Vec<u8>) {
    out.extend_from_slice(verb);
    out.push(b' ');
    for part in argument {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_into_the_path() {
        for (at, expected) in [(0, "7/up-.txt"), (4, "/up-7.txt"), (8, "/up-.txt7"), (9, "/up-.txt7")] {
            let order = Order::new(b"a", b"b", Action::Store, b"/up-.txt", false).unwrap().numbered(at);
            let mut out = Vec::new();
            order.write_transfer(b"7", &mut out);
            assert_eq!(String::from_utf8_lossy(&out), format!("STOR {expected}\r\n"), "{at}");
        }
    }

    #[test]
    fn nothing_can_be_said_between_the_lines() {
        for wrong in ["a\rb", "a\nQUIT", "a\0"] {
            let wrong = wrong.as_bytes();
            for [name, password, path] in
                [[wrong, b"b", b"c"], [b"a", wrong, b"c"], [b"a" as &[u8], b"b", wrong]]
            {
                assert_eq!(Order::new(name, password, Action::Retrieve, path, false), Err(OrderError));
            }
        }
    }
}
