//! Strings: decoding escapes, and quoting.

use std::borrow::Cow;

/// The text of a string's inside (without its quotes), escapes decoded. Lone surrogates become U+FFFD: the result
/// is for comparing and for messages, what is forwarded is always the raw bytes.
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    if !raw.contains(&b'\\') {
        return String::from_utf8_lossy(raw);
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
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if c < ' ' => out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
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
        let text = "a\"b\\c\n\u{1}é😀";
        let mut out = Vec::new();
        quote_into(&mut out, text);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}
