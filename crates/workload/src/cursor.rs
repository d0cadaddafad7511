//! The position of the run in its list of requests, for orders that all sessions share.

use warwolf_plan::{Cursor, ListEnd};

/// The cursor of [`warwolf_plan::Order::Shared`]. Every planned call of the run moves it, so there can be only one: such a
/// plan runs on one thread, whose [`Workload`](crate::Workload) owns the cursor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedCursor {
    plan: Cursor,
    /// Requests in the list.
    length: u64,
    /// The request of the next call; below `length` where the list wraps.
    position: u64,
    /// Sum of the advances of the calls since the last move.
    sum: f64,
    /// A call was due after the last request of a list that does not wrap.
    is_exhausted: bool,
}

impl SharedCursor {
    pub(crate) fn new(plan: Cursor, length: u64) -> Self {
        Self { plan, length, position: plan.first.into(), sum: plan.phase, is_exhausted: false }
    }

    /// Returns the request of the next call and moves the cursor; none when the list is used up.
    pub(crate) fn take(&mut self) -> Option<u64> {
        let taken = match self.plan.end {
            ListEnd::Wrap => self.position % self.length,
            ListEnd::Stop if self.position < self.length => self.position,
            ListEnd::Stop => {
                self.is_exhausted = true;
                return None;
            }
        };
        self.position = taken;
        self.sum += self.plan.advance;
        if self.sum >= 1.0 {
            self.sum -= 1.0;
            self.position += u64::from(self.plan.step);
        }
        Some(taken)
    }

    pub(crate) const fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(plan: Cursor, length: u64, count: usize) -> (Vec<u64>, bool) {
        let mut cursor = SharedCursor::new(plan, length);
        let taken = (0..count).map_while(|_| cursor.take()).collect();
        (taken, cursor.is_exhausted())
    }

    #[test]
    fn a_cursor_wraps_or_stops() {
        let stop = Cursor { end: ListEnd::Stop, ..Cursor::default() };
        assert_eq!(taken(Cursor::default(), 4, 6), (vec![0, 1, 2, 3, 0, 1], false));
        assert_eq!(taken(stop, 4, 6), (vec![0, 1, 2, 3], true));
        assert_eq!(taken(stop, 6, 6), (vec![0, 1, 2, 3, 4, 5], false), "no call is due any more");
    }

    #[test]
    fn a_cursor_moves_after_its_share_of_calls() {
        let cursor = |first, step, advance, phase| Cursor { first, step, advance, phase, end: ListEnd::Wrap };
        assert_eq!(taken(cursor(2, 2, 0.25, 0.25), 9, 8).0, [2, 2, 2, 4, 4, 4, 4, 6]);
        assert_eq!(taken(cursor(1, 1, 0.0, 0.0), 3, 6).0, [1; 6]);
        assert_eq!(taken(cursor(1, 3, 1.0, 0.0), 4, 5).0, [1, 0, 3, 2, 1]);
        assert_eq!(taken(cursor(7, 1, 1.0, 0.0), 3, 2).0, [1, 2], "beyond the end");
    }
}
