//! `warwolf_fuzz::import_vegeta` as libFuzzer calls it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| warwolf_fuzz::import_vegeta(bytes));
