//! Base64 as RULES 1.8 wants it: any of the usual spellings in, the standard padded one out.

use std::borrow::Cow;

/// The text is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base64Error;

/// The canonical spelling of `text`: standard alphabet, padded, without white space, unused bits zero. Reads the
/// standard and the URL-safe alphabet, with or without padding, and ignores ASCII white space. Canonical text is
/// returned as it is.
///
/// # Errors
/// Any other character, padding in the wrong place or number, a single character left over.
pub fn canonical(text: &[u8]) -> Result<Cow<'_, [u8]>, Base64Error> {
    if base64_simd::STANDARD.check(text).is_ok() {
        return Ok(Cow::Borrowed(text));
    }
    respell(text).map(Cow::Owned)
}

/// The canonical base64 text inside base64 of it: some SDKs encode `fileWithBytes` twice (RULES 1.16).
///
/// # Errors
/// Not base64, or not base64 inside.
pub fn decoded_once(text: &[u8]) -> Result<Cow<'_, [u8]>, Base64Error> {
    let outer = canonical(text)?;
    let inner = base64_simd::STANDARD.decode_to_vec(outer.as_ref()).map_err(|_| Base64Error)?;
    Ok(Cow::Owned(canonical(&inner)?.into_owned()))
}

fn respell(text: &[u8]) -> Result<Vec<u8>, Base64Error> {
    let mut digits: Vec<u8> = Vec::with_capacity(text.len() + 3);
    let mut padding = 0usize;
    for &byte in text {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => {}
            b'=' => padding += 1,
            _ if padding > 0 => return Err(Base64Error),
            b'-' => digits.push(b'+'),
            b'_' => digits.push(b'/'),
            _ => digits.push(byte),
        }
    }
    let over = digits.len() % 4;
    if over == 1 || (padding > 0 && padding != (4 - over) % 4) {
        return Err(Base64Error);
    }
    // The last character of a short group has bits that belong to no byte: 4 of 2 characters, 2 of 3.
    if over != 0
        && let Some(last) = digits.last_mut()
    {
        let mask: u8 = if over == 2 { 0x0F } else { 0x03 };
        *last = digit(value(*last).ok_or(Base64Error)? & !mask);
        digits.resize(digits.len() + 4 - over, b'=');
    }
    if base64_simd::STANDARD.check(&digits).is_err() {
        return Err(Base64Error);
    }
    Ok(digits)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

fn digit(value: u8) -> u8 {
    match value {
        0..=25 => b'A' + value,
        26..=51 => b'a' + value - 26,
        52..=61 => b'0' + value - 52,
        62 => b'+',
        _ => b'/',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &str) -> Option<String> {
        canonical(input.as_bytes()).ok().map(|c| String::from_utf8(c.into_owned()).unwrap())
    }

    #[test]
    fn reads_every_usual_spelling() {
        for (spelling, canonical) in [
            ("", ""),
            ("AQID", "AQID"),
            ("_-8", "/+8="),
            ("-_-_", "+/+/"),
            ("QR==", "QQ=="),
            ("QQ", "QQ=="),
            ("QUJD\r\nREVG\n", "QUJDREVG"),
            ("QUJ=", "QUI="),
            (" Q Q = = ", "QQ=="),
        ] {
            assert_eq!(text(spelling).as_deref(), Some(canonical), "{spelling}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for bad in ["not base64!!", "QQ=", "Q", "QQ==Q", "====", "QUJD=", "QQ===", "é", "QUJDQ", "=", "A*=="] {
            assert_eq!(text(bad), None, "{bad}");
        }
    }
}
