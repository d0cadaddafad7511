//! Counts allocations.
//!
//! Linking this crate installs a counting allocator for the whole test program. Allocations of the simulator itself are excluded,
//! so that the count around a worker on [`SimDriver`](crate::SimDriver) is that of the worker.

/// Returns the number of allocations and reallocations of the calling thread in `run`.
pub fn count(run: impl FnOnce()) -> u64 {
    allocation_counter::measure(run).count_total
}

/// Runs `run` without counting its allocations.
pub(crate) fn uncounted<R>(run: impl FnOnce() -> R) -> R {
    let mut result = None;
    allocation_counter::opt_out(|| result = Some(run()));
    result.expect("the closure ran")
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn reallocations_count_and_exempt_allocations_do_not() {
        let allocations = count(|| {
            let mut bytes = black_box(Vec::<u8>::with_capacity(1));
            bytes.extend_from_slice(&[0; 100]);
            uncounted(|| black_box(vec![0u8; 10]));
        });
        assert_eq!(allocations, 2);
    }
}
