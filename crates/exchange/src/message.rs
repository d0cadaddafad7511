//! The message to send: exact bytes, and pauses between them.

use std::time::Duration;

/// One action on a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Sends these bytes unchanged.
    Bytes(Vec<u8>),
    /// Sends nothing for this time.
    Pause(Duration),
}

/// A request as exact bytes. Nothing is added, checked or corrected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Message {
    /// The actions in order.
    pub steps: Vec<Step>,
}

impl Message {
    /// Creates a message that sends all bytes at once.
    #[must_use]
    pub fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { steps: vec![Step::Bytes(bytes.into())] }
    }

    /// Returns all bytes, without the pauses.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let pieces = self.steps.iter().filter_map(|step| match step {
            Step::Bytes(bytes) => Some(bytes.as_slice()),
            Step::Pause(_) => None,
        });
        pieces.collect::<Vec<_>>().concat()
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.steps.iter().map(|step| if let Step::Bytes(bytes) = step { bytes.len() } else { 0 }).sum()
    }

    /// Returns the total length of all pauses.
    #[must_use]
    pub fn pauses(&self) -> Duration {
        self.steps.iter().map(|step| if let Step::Pause(time) = step { *time } else { Duration::ZERO }).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_do_not_count_as_bytes() {
        let pause = Duration::from_millis(3);
        let steps = vec![Step::Bytes(b"GE".to_vec()), Step::Pause(pause), Step::Bytes(b"T".to_vec())];
        let message = Message { steps };
        assert_eq!((message.bytes(), message.size_bytes(), message.pauses()), (b"GET".to_vec(), 3, pause));
    }
}
