//! Sessions as programs of steps: scenarios are compiled once, and a session is a position in one and its values.

mod names;
mod program;
mod request;
mod state;
#[cfg(test)]
mod tests;
mod text;

pub use names::Names;
pub(crate) use program::Programs;
pub use request::{PartText, RequestPart, RequestTexts};
pub use state::{Checked, GroupRecord};
pub(crate) use state::{NextStep, StepState};

/// The captures of a session, in memory of a fixed size.
#[derive(Clone, Debug)]
pub(crate) struct Captures {
    bytes: Box<[u8]>,
    slots: Box<[Slot]>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    start: usize,
    max: usize,
    /// None where it has no value.
    length: Option<usize>,
}

impl Captures {
    fn new(names: &Names) -> Self {
        let mut end = 0;
        let slots = names.capture_sizes().map(|max| {
            let start = end;
            end += max;
            Slot { start, max, length: None }
        });
        let slots = slots.collect();
        Self { slots, bytes: vec![0; end].into() }
    }

    /// The value of a capture, if it has one.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let Slot { start, length, .. } = self.slots[index];
        length.map(|length| &self.bytes[start..start + length])
    }

    /// Stores a value, or none if it does not fit.
    fn set(&mut self, index: usize, value: Option<&[u8]>) {
        let slot = &mut self.slots[index];
        let value = value.filter(|value| value.len() <= slot.max);
        slot.length = value.map(<[u8]>::len);
        if let Some(value) = value {
            self.bytes[slot.start..slot.start + value.len()].copy_from_slice(value);
        }
    }

    fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.length = None);
    }
}
