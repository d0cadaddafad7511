//! `warwolf_fuzz::http_load` as libFuzzer calls it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| warwolf_fuzz::http_load(bytes));
