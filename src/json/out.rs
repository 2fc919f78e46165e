//! The output buffer.

use super::{Span, members, quote_into, unescape};

/// The length of a name in a table, with quotes and colon and what fills it up.
pub const PADDED_KEY: usize = 39;

/// Bytes being written. Keys are written with their comma; the first member of an object drops it.
#[derive(Default)]
pub struct Out {
    /// What has been written.
    pub bytes: Vec<u8>,
}

impl Out {
    /// Appends bytes as they are.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) {
        append(&mut self.bytes, bytes);
    }

    /// Appends one byte.
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends text as it is.
    #[inline(always)]
    pub fn text(&mut self, text: &str) {
        self.raw(text.as_bytes());
    }

    /// Appends a piece of `input`.
    #[inline(always)]
    pub fn span(&mut self, input: &[u8], span: Span) {
        self.raw(span.of(input));
    }

    /// Appends a member's name: `quoted` is `,"name":`, whose comma is dropped right behind an opening brace.
    #[inline(always)]
    pub fn key(&mut self, quoted: &[u8]) {
        let skip = usize::from(self.bytes.last() == Some(&b'{'));
        self.raw(quoted.get(skip..).unwrap_or(&[]));
    }

    /// [`Out::key`] for a name in a table: `,"name":` less its comma in the first `len` of `padded`. All of it is copied,
    /// which is faster than a copy whose length is not known.
    #[inline(always)]
    pub fn padded_key(&mut self, padded: &[u8; PADDED_KEY], len: usize) {
        if self.bytes.last() != Some(&b'{') {
            self.bytes.push(b',');
        }
        let end = self.bytes.len() + len;
        self.bytes.extend_from_slice(padded);
        self.bytes.truncate(end);
    }

    /// Appends a member's name given as plain text.
    pub fn name(&mut self, name: &str) {
        self.separate();
        quote_into(&mut self.bytes, name);
        self.bytes.push(b':');
    }

    /// Appends a member's name as it is spelt at `key`, the inside of its quotes in `input`.
    pub fn name_from(&mut self, input: &[u8], key: Span) {
        self.separate();
        self.byte(b'"');
        self.span(input, key);
        self.raw(b"\":");
    }

    /// Appends the members of the object at `object` whose names pass `keep`, as they are.
    pub fn members(&mut self, input: &[u8], object: Span, keep: impl Fn(&str) -> bool) {
        for (key, value) in members(input, object) {
            if keep(&unescape(key.of(input))) {
                self.name_from(input, key);
                self.span(input, value);
            }
        }
    }

    /// Appends the comma before a member or an element, unless it is the first.
    pub fn separate(&mut self) {
        if !matches!(self.bytes.last(), Some(b'{' | b'[') | None) {
            self.bytes.push(b',');
        }
    }

    /// Appends a member whose value is a string, both given as plain text.
    pub fn string_member(&mut self, name: &str, text: &str) {
        self.name(name);
        self.string(text);
    }

    /// Appends `true` or `false`.
    #[inline(always)]
    pub fn boolean(&mut self, value: bool) {
        self.raw(if value { b"true" } else { b"false" });
    }

    /// Appends `text` as a JSON string.
    pub fn string(&mut self, text: &str) {
        quote_into(&mut self.bytes, text);
    }
}

/// Most bytes that [`append`] copies by itself.
const SHORT: usize = 64;

/// Appends `piece`. A short one, as most are, by a few overlapping loads and stores, because copying memory in general
/// is a call out of the module in WebAssembly engines.
#[inline(never)]
fn append(bytes: &mut Vec<u8>, piece: &[u8]) {
    let count = piece.len();
    if count > SHORT {
        bytes.extend_from_slice(piece);
        return;
    }
    bytes.reserve(SHORT);
    let len = bytes.len();
    // SAFETY: `from` is `count` readable bytes and `to` is `SHORT` writable ones behind the vector's length, because
    // they were just reserved; the two do not overlap, as `piece` is borrowed while `bytes` is borrowed mutably. Every
    // access begins at an offset between 0 and `count` less its width, so it stays within the first `count` bytes of
    // both. All of them are written then, so the length may grow by `count`.
    unsafe {
        let from = piece.as_ptr();
        let to = bytes.as_mut_ptr().add(len);
        macro_rules! copy {
            ($type:ty, $at:expr) => {
                to.add($at).cast::<$type>().write_unaligned(from.add($at).cast::<$type>().read_unaligned())
            };
        }
        match count {
            0 => {}
            1..4 => {
                copy!(u8, 0);
                copy!(u8, count / 2);
                copy!(u8, count - 1);
            }
            4..8 => {
                copy!(u32, 0);
                copy!(u32, count - 4);
            }
            8..16 => {
                copy!(u64, 0);
                copy!(u64, count - 8);
            }
            _ => {
                let mut at = 0;
                while at + 16 < count {
                    copy!(u128, at);
                    at += 16;
                }
                copy!(u128, count - 16);
            }
        }
        bytes.set_len(len + count);
    }
}

/// The text with other values at some places: `(where, what)`, in the order of the text, not overlapping.
pub fn spliced(input: &[u8], values: &[(Span, Vec<u8>)]) -> Vec<u8> {
    let mut text = Vec::with_capacity(input.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut done = 0;
    for (span, value) in values {
        text.extend_from_slice(input.get(done..span.start as usize).unwrap_or(&[]));
        text.extend_from_slice(value);
        done = span.end as usize;
    }
    text.extend_from_slice(input.get(done..).unwrap_or(&[]));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_pieces_of_every_length() {
        let source: Vec<u8> = (0..=255).collect();
        for offset in 0..4 {
            for len in 0..200 {
                let mut out = Out { bytes: Vec::new() };
                let piece = source.get(offset..offset + len).unwrap();
                out.raw(piece);
                assert_eq!(out.bytes, piece);
                out.raw(piece);
                assert_eq!(out.bytes, [piece, piece].concat());
            }
        }
    }
}
