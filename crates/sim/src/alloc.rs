//! Counts what a piece of code allocates.
//!
//! Linking this crate puts a counting allocator under the whole test program. The simulator's own allocations do not count,
//! so a count around a worker on [`SimDriver`](crate::SimDriver) is the worker's.

/// How many allocations and reallocations the calling thread makes in `run`.
pub fn count(run: impl FnOnce()) -> u64 {
    allocation_counter::measure(run).count_total
}

/// Runs `run` without counting what it allocates.
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
    fn it_counts_growth_and_only_what_is_not_exempt() {
        let allocations = count(|| {
            let mut bytes = black_box(Vec::<u8>::with_capacity(1));
            bytes.extend_from_slice(&[0; 100]);
            uncounted(|| black_box(vec![0u8; 10]));
        });
        assert_eq!(allocations, 2);
    }
}
