//! Walking containers of a text that has been validated already.

use super::scan::{Scanner, Span};
use super::text::unescape;
use std::collections::BTreeMap;

/// The members of the object at `span`, in order, duplicates included: (inside of the key's quotes, value).
/// Yields nothing for anything but an object.
pub fn members(input: &[u8], span: Span) -> impl Iterator<Item = (Span, Span)> + '_ {
    let mut scanner = Scanner::resume(input, span);
    let mut open = scanner.peek() == b'{' && scanner.open().is_ok();
    std::iter::from_fn(move || {
        if !open {
            return None;
        }
        match scanner.peek() {
            b',' => scanner.advance(),
            b'"' => {}
            _ => {
                open = false;
                return None;
            }
        }
        let key = scanner.key().ok()?;
        let value = scanner.value().ok()?;
        Some((key, value))
    })
}

/// The value of an object's member; of duplicate keys, however they are spelt, the last (RULES 0.13). `None` for anything
/// but an object.
pub fn member(input: &[u8], object: Span, name: &str) -> Option<Span> {
    members(input, object).filter(|(key, _)| unescape(key.of(input)) == name).last().map(|(_, value)| value)
}

/// The members that count: of duplicate keys, however they are spelt, the last value (RULES 0.13), at the place of the
/// first.
pub fn unique_members(input: &[u8], span: Span) -> Vec<(Span, Span)> {
    unique(input, members(input, span))
}

/// Keeps the last value of each key, at the place of the key's first occurrence. Keys are insides of quotes in `input`.
pub fn unique<T>(input: &[u8], entries: impl IntoIterator<Item = (Span, T)>) -> Vec<(Span, T)> {
    let mut places = BTreeMap::new();
    let mut kept: Vec<(Span, T)> = Vec::new();
    for (key, value) in entries {
        let place = *places.entry(unescape(key.of(input))).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(entry) => entry.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

/// The elements of the array at `span`, in order. Yields nothing for anything but an array.
pub fn elements(input: &[u8], span: Span) -> impl Iterator<Item = Span> + '_ {
    let mut scanner = Scanner::resume(input, span);
    let mut open = scanner.peek() == b'[' && scanner.open().is_ok();
    std::iter::from_fn(move || {
        if !open {
            return None;
        }
        match scanner.peek() {
            b']' | 0 => {
                open = false;
                return None;
            }
            b',' => scanner.advance(),
            _ => {}
        }
        scanner.value().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::validate;

    #[test]
    fn walks_members_and_elements() {
        let text = br#" { "a" : [1, {"x":2} ,"y"], "b":{} } "#;
        let span = validate(text).unwrap();
        let seen: Vec<_> = members(text, span).map(|(k, v)| (k.of(text).to_vec(), v)).collect();
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[0].0, b"a");
        let inner: Vec<_> = elements(text, seen[0].1).map(|s| s.of(text).to_vec()).collect();
        assert_eq!(inner, [b"1".to_vec(), br#"{"x":2}"#.to_vec(), b"\"y\"".to_vec()]);
        assert_eq!(members(text, seen[1].1).count(), 0);
        assert_eq!(elements(text, span).count(), 0);
    }

    #[test]
    fn keeps_the_last_of_duplicate_keys_however_they_are_spelt() {
        let text = br#"{"a":1,"b":2,"\u0061":3,"c":4,"b":5}"#;
        let kept = unique_members(text, validate(text).unwrap());
        let kept: Vec<_> = kept.into_iter().map(|(k, v)| (k.of(text), v.of(text))).collect();
        assert_eq!(kept, [(&b"a"[..], &b"3"[..]), (b"b", b"5"), (b"c", b"4")]);
        let root = validate(text).unwrap();
        assert_eq!(member(text, root, "a").map(|value| value.of(text)), Some(&b"3"[..]));
        assert_eq!(member(text, root, "d"), None);
        assert_eq!(member(b"[\"a\",1]", validate(b"[\"a\",1]").unwrap(), "a"), None);
    }
}
