//! What is JSON and what is not: the scanner against the standard library's UTF-8 check, serde_json's grammar and a
//! depth counter of our own.

use super::corpus::texts;
use super::random::{Random, generate, mutate};
use a2a_compat::json::{MAX_DEPTH, members, unescape, validate, without_bom};
use serde::de::IgnoredAny;

/// What the scanner must say.
pub fn is_json(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
        && serde_json::from_slice::<IgnoredAny>(text).is_ok()
        && depth(text) <= MAX_DEPTH as usize
}

/// How many containers are open at the deepest place of a valid text.
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

#[track_caller]
fn agree(text: &[u8]) -> bool {
    let (ours, expected) = (validate(text), is_json(text));
    assert_eq!(ours.is_ok(), expected, "{:?} for {:?}", ours, String::from_utf8_lossy(text));
    match ours {
        Ok(span) => {
            let value = span.of(text);
            assert_eq!(value, text.trim_ascii(), "the span of {:?}", String::from_utf8_lossy(text));
        }
        Err(error) => assert!(error.offset as usize <= text.len(), "{error} in {:?}", String::from_utf8_lossy(text)),
    }
    expected
}

#[test]
fn generated_texts_are_accepted_and_refused_like_the_oracle() {
    let mut r = Random(1);
    let (mut good, mut bad) = (0, 0);
    for round in 0..120_000 {
        let mut text = String::new();
        generate(&mut r, 5, [1_000_000, 15, 4][round % 3], &mut text);
        *(if agree(text.as_bytes()) { &mut good } else { &mut bad }) += 1;
    }
    assert!(good > 40_000 && bad > 20_000, "the cases are one-sided: {good} good, {bad} bad");
}

#[test]
fn mutated_payloads_are_accepted_and_refused_like_the_oracle() {
    let texts = texts();
    let mut r = Random(2);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..120_000 {
        let (text, other) = (&texts[r.below(texts.len())], &texts[r.below(texts.len())]);
        let text = mutate(text, other, &mut r);
        *(if agree(&text) { &mut good } else { &mut bad }) += 1;
    }
    assert!(good > 3_000 && bad > 60_000, "the cases are one-sided: {good} good, {bad} bad");
}

#[test]
fn a_payload_cut_short_at_any_byte_is_refused() {
    for text in texts() {
        let Ok(value) = validate(&text) else { continue };
        for cut in 0..=text.len() {
            let accepted = agree(&text[..cut]);
            assert!(!accepted || cut >= value.end as usize || !text.starts_with(b"{"));
        }
    }
}

#[test]
fn any_byte_anywhere_in_a_short_text_is_judged_like_the_oracle() {
    for text in [
        r#"{"a":[1,-0.5e+3,"x\n\u00e9"],"b":{"c":null,"d":true}}"#,
        r#" [ [ ] , { } , "" , false ] "#,
        r#""é😀""#,
        "-12.5E-7",
        r#"["0123456789abcdef\\0123456789abcdef0123456789abcdef"]"#,
    ] {
        let text = text.as_bytes();
        for at in 0..text.len() {
            for byte in 0..=255 {
                let mut changed = text.to_vec();
                changed[at] = byte;
                agree(&changed);
                changed.insert(at, text[at]);
                agree(&changed);
            }
        }
    }
}

#[test]
fn every_placement_of_white_space_is_accepted_between_tokens_only() {
    let tokens = ["{", "\"a\"", ":", "[", "1", ",", "true", ",", "\"x y\"", "]", ",", "\"b\"", ":", "{", "}", "}"];
    for space in [" ", "\t", "\n", "\r", " \r\n\t ", "\u{b}", "\u{c}", "\u{a0}", "\u{feff}", "\0"] {
        for at in 0..=tokens.len() {
            let text = [tokens[..at].concat(), space.to_owned(), tokens[at..].concat()].concat();
            assert_eq!(agree(text.as_bytes()), space.bytes().all(|b| b" \t\n\r".contains(&b)), "{text:?}");
        }
    }
}

#[test]
fn one_hundred_levels_are_read_and_one_more_is_not() {
    for depth in (1..=3).chain(60..=68).chain(95..=105).chain([126, 127, 128, 129, 500]) {
        for mix in 0u64..16 {
            // Which level is an object is told by the bits of `mix`, in turn.
            let is_object = |level: usize| mix >> (level % 4) & 1 == 1;
            let open: String = (0..depth).map(|level| if is_object(level) { "{\"k\":" } else { "[" }).collect();
            let close: String = (0..depth).rev().map(|level| if is_object(level) { "}" } else { "]" }).collect();
            let inner = if depth % 2 == 0 { "1" } else { "{}" };
            let deepest = depth + usize::from(depth % 2 == 1);
            assert_eq!(agree(format!("{open}{inner}{close}").as_bytes()), deepest <= 100, "{deepest} levels, {mix:b}");
            // A second branch as deep as the first, and a bracket that does not match.
            assert_eq!(agree(format!("[{open}{inner}{close},{open}{inner}{close}]").as_bytes()), deepest < 100);
            for at in 0..close.len() {
                let mut wrong = format!("{open}{inner}{close}").into_bytes();
                let at = open.len() + inner.len() + at;
                wrong[at] = if wrong[at] == b'}' { b']' } else { b'}' };
                assert!(!agree(&wrong));
            }
        }
    }
}

#[test]
fn strings_of_every_length_end_at_their_quote() {
    // Lengths around the blocks of the vector loops, with the interesting character at each place.
    for len in (0..=70).chain([127, 128, 129, 200]) {
        for special in ["\"", "\\n", "\\\"", "\\", "\u{1f}", "\\u00e9", "\\u00g9", "é", " "] {
            for at in (0..=len).step_by(if len > 70 { 7 } else { 1 }) {
                let (head, tail) = ("x".repeat(at), "y".repeat(len - at));
                agree(format!("\"{head}{special}{tail}\"").as_bytes());
                agree(format!("{{\"{head}{special}{tail}\":\"{tail}{special}{head}\"}}").as_bytes());
            }
        }
    }
}

#[test]
fn one_byte_order_mark_at_the_beginning_is_tolerated() {
    assert_eq!(without_bom(b"\xEF\xBB\xBF{}"), b"{}");
    assert_eq!(without_bom(b"{}"), b"{}");
    for text in [&b"\xEF\xBB\xBF\xEF\xBB\xBF{}"[..], b"{\xEF\xBB\xBF}", b"\xEF\xBB{}"] {
        assert!(!agree(without_bom(text)), "{text:?}");
    }
}

#[test]
fn members_are_found_with_their_keys_decoded() {
    let mut r = Random(3);
    for _ in 0..30_000 {
        let mut text = String::new();
        generate(&mut r, 4, 1_000_000, &mut text);
        let Ok(serde_json::Value::Object(expected)) = serde_json::from_str(&text) else { continue };
        let root = validate(text.as_bytes()).unwrap();
        let mut found = serde_json::Map::new();
        for (key, value) in members(text.as_bytes(), root) {
            let key = unescape(key.of(text.as_bytes())).into_owned();
            found.insert(key, serde_json::from_slice(value.of(text.as_bytes())).unwrap());
        }
        assert_eq!(found, expected, "{text}");
    }
}
