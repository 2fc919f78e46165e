//! Strings: decoding escapes, and quoting.

use super::Span;
use std::borrow::Cow;

/// The text of the value at `span`, escapes decoded as [`unescape`] does; `None` if it is no string.
pub fn text(input: &[u8], span: Span) -> Option<Cow<'_, str>> {
    span.of(input).starts_with(b"\"").then(|| unescape(span.inner().of(input)))
}

/// The text of a string's inside (without its quotes), escapes decoded. Lone surrogates become U+FFFD: the result
/// is for comparing and for messages, what is forwarded is always the raw bytes.
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    if !raw.contains(&b'\\') {
        return match std::str::from_utf8(raw) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(raw),
        };
    }
    let mut text: Vec<u8> = Vec::with_capacity(raw.len());
    let mut rest = raw;
    let mut units: Vec<u16> = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            let Some((&escape, after)) = rest.split_first() else { break };
            rest = after;
            if escape == b'u' {
                let unit = rest
                    .get(..4)
                    .and_then(|h| std::str::from_utf8(h).ok())
                    .and_then(|h| u16::from_str_radix(h, 16).ok());
                rest = rest.get(4..).unwrap_or(&[]);
                units.push(unit.unwrap_or(0xFFFD));
                continue;
            }
            flush(&mut units, &mut text);
            text.push(match escape {
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                other => other,
            });
        } else {
            flush(&mut units, &mut text);
            text.push(byte);
        }
    }
    flush(&mut units, &mut text);
    Cow::Owned(String::from_utf8_lossy(&text).into_owned())
}

fn flush(units: &mut Vec<u16>, text: &mut Vec<u8>) {
    if !units.is_empty() {
        text.extend_from_slice(String::from_utf16_lossy(units).as_bytes());
        units.clear();
    }
}

/// Appends `text` as a JSON string, quotes included.
pub fn quote_into(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|b| *b < b' ' || matches!(b, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { break };
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            _ => b"\\u00",
        };
        out.extend_from_slice(escape);
        if escape.len() > 2 {
            let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
            out.extend_from_slice(&[digit(byte >> 4), digit(byte & 0xF)]);
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_every_escape() {
        assert_eq!(unescape(br#"\u006bind\/\n\ud83d\ude00"#), "kind/\n😀");
        assert_eq!(unescape(br"\ud83dx"), "\u{FFFD}x");
    }

    #[test]
    fn quotes_what_serde_json_reads_back() {
        let text: String = ('\0'..'\u{90}').chain("a\"b\\c\n\u{1}é😀\u{1f}".chars()).collect();
        let mut out = Vec::new();
        quote_into(&mut out, &text);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}
