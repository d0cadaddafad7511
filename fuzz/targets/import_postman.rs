//! `warwolf_fuzz::import_postman` as libFuzzer calls it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| warwolf_fuzz::import_postman(bytes));
