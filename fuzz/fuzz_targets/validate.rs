//! The scanner against the oracle.
#![no_main]

use a2a_compat::json::{MAX_DEPTH, validate};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

fn depth(text: &[u8]) -> usize {
    let (mut open, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in text {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'{' | b'[') => {
                open += 1;
                deepest = deepest.max(open);
            }
            (false, b'}' | b']') => open -= 1,
            _ => {}
        }
    }
    deepest
}

fuzz_target!(|text: &[u8]| {
    let is_json = std::str::from_utf8(text).is_ok()
        && serde_json::from_slice::<IgnoredAny>(text).is_ok()
        && depth(text) <= MAX_DEPTH as usize;
    match validate(text) {
        Ok(span) => {
            assert!(is_json, "accepted");
            assert_eq!(span.of(text), text.trim_ascii());
        }
        Err(error) => assert!(!is_json, "refused: {error}"),
    }
});
