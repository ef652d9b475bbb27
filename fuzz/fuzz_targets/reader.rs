//! Bytes that libFuzzer makes up, read by the reader that the program is named after.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    psmp_fuzz::target(env!("CARGO_BIN_NAME")).read_bytes(bytes);
});
