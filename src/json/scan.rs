//! The validating scanner (RFC 8259): one pass, no copies, no tree.

use std::fmt;

/// How many containers may be open at once, as in protobuf JSON parsers (DESIGN "Bad input").
pub const MAX_DEPTH: u32 = 100;

/// The largest text a [`Scanner`] takes, in bytes: spans are 31 bits wide.
pub const MAX_INPUT_BYTES: usize = 0x7FFF_FFFF;

/// A piece of the input, as byte offsets. A span that is `0..0` stands for "absent".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes of `input` that the span covers; empty if it does not fit.
    #[inline(always)]
    pub fn of(self, input: &[u8]) -> &[u8] {
        input.get(self.start as usize..self.end as usize).unwrap_or(&[])
    }

    /// The span without its first and last byte: the inside of a string's quotes.
    pub fn inner(self) -> Span {
        Span { start: self.start + 1, end: self.end.saturating_sub(1).max(self.start + 1) }
    }
}

/// Why a text is not JSON, and where. One pointer wide, as it stands in the way of every byte that is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError(Box<Fault>);

/// What a [`SyntaxError`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset of the fault in the input.
    pub offset: u32,
    /// What the scanner expected there, in a few words.
    pub expected: &'static str,
}

impl SyntaxError {
    #[cold]
    #[inline(never)]
    fn at(offset: usize, expected: &'static str) -> SyntaxError {
        SyntaxError(Box::new(Fault { offset: offset as u32, expected }))
    }
}

impl std::ops::Deref for SyntaxError {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        &self.0
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.expected, self.offset)
    }
}

impl std::error::Error for SyntaxError {}

type Scan<T> = Result<T, SyntaxError>;

const SPACE: u8 = 1;
const DIGIT: u8 = 2;
const HEX: u8 = 4;
const ESCAPE: u8 = 8;
/// Bytes that end the plain run of a string: quote, backslash, control characters.
const STOP: u8 = 16;

static CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut byte = 0usize;
    while byte < 256 {
        let b = byte as u8;
        let mut class = 0;
        if matches!(b, b' ' | b'\n' | b'\r' | b'\t') {
            class |= SPACE;
        }
        if b.is_ascii_digit() {
            class |= DIGIT;
        }
        if b.is_ascii_hexdigit() {
            class |= HEX;
        }
        if matches!(b, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') {
            class |= ESCAPE;
        }
        if b == b'"' || b == b'\\' || b < 0x20 {
            class |= STOP;
        }
        #[allow(clippy::indexing_slicing)] // constant evaluation, `byte < 256`
        {
            table[byte] = class;
        }
        byte += 1;
    }
    table
};

/// Walks a JSON text and validates what it passes.
#[derive(Clone)]
pub struct Scanner<'a> {
    input: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of `input`, which must be UTF-8 and at most [`MAX_INPUT_BYTES`] long.
    ///
    /// # Errors
    /// Invalid UTF-8, an oversized input.
    pub fn new(input: &'a [u8]) -> Scan<Self> {
        if input.len() > MAX_INPUT_BYTES {
            return Err(SyntaxError::at(0, "a text below 2 GiB was expected"));
        }
        if simdutf8::basic::from_utf8(input).is_err() {
            // The slow decoder says where.
            let offset = std::str::from_utf8(input).err().map_or(0, |e| e.valid_up_to());
            return Err(SyntaxError::at(offset, "invalid UTF-8"));
        }
        Ok(Scanner { input, at: 0, depth: 0 })
    }

    /// Starts at `span` of a text that was validated before: no second UTF-8 check.
    /// The caller vouches that the span is a value of that text.
    pub(crate) fn resume(input: &'a [u8], span: Span) -> Self {
        let input = input.get(..span.end as usize).unwrap_or(&[]);
        Scanner { input, at: span.start as usize, depth: 0 }
    }

    /// The text being scanned.
    #[inline(always)]
    pub fn input(&self) -> &'a [u8] {
        self.input
    }

    #[inline(always)]
    fn byte(&self, i: usize) -> u8 {
        match self.input.get(i) {
            Some(b) => *b,
            None => 0,
        }
    }

    #[inline(always)]
    fn is(&self, i: usize, class: u8) -> bool {
        #[allow(clippy::indexing_slicing)] // a `u8` indexes a table of 256
        let found = CLASS[self.byte(i) as usize];
        found & class != 0
    }

    #[cold]
    fn fault<T>(&self, at: usize, expected: &'static str) -> Scan<T> {
        Err(SyntaxError::at(at, if at >= self.input.len() { "unexpected end of text" } else { expected }))
    }

    /// Skips white space and returns the byte that follows, without passing it; 0 at the end.
    #[inline(always)]
    pub fn peek(&mut self) -> u8 {
        let b = self.byte(self.at);
        if b > b' ' {
            return b;
        }
        self.peek_slow()
    }

    #[inline(never)]
    fn peek_slow(&mut self) -> u8 {
        while self.is(self.at, SPACE) {
            self.at += 1;
        }
        self.byte(self.at)
    }

    /// Passes one byte that [`Scanner::peek`] has shown.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// What lies `count` bytes ahead, to look at.
    #[inline(always)]
    pub(crate) fn rest(&self, count: usize) -> &'a [u8] {
        self.input.get(self.at + count..).unwrap_or(&[])
    }

    /// Passes `count` bytes that [`Scanner::rest`] has shown.
    #[inline(always)]
    pub(crate) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// Opens a container whose bracket is next.
    ///
    /// # Errors
    /// More than [`MAX_DEPTH`] containers open.
    #[inline(always)]
    pub fn open(&mut self) -> Scan<()> {
        if self.depth >= MAX_DEPTH {
            return self.fault(self.at, "nested more than 100 levels deep");
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Closes a container whose bracket is next.
    #[inline(always)]
    pub fn close(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// A fault at the current place.
    #[cold]
    pub fn unexpected<T>(&self, expected: &'static str) -> Scan<T> {
        self.fault(self.at, expected)
    }

    /// Makes sure that only white space is left.
    ///
    /// # Errors
    /// Anything else behind the value.
    pub fn end(&mut self) -> Scan<()> {
        while self.at < self.input.len() && self.is(self.at, SPACE) {
            self.at += 1;
        }
        // A value that ran into the zeros behind the end has been refused where it did.
        if self.at == self.input.len() { Ok(()) } else { self.fault(self.at, "the end of the text was expected") }
    }

    /// Where the scanner stands, as a byte offset.
    #[inline(always)]
    pub fn offset(&self) -> u32 {
        self.at as u32
    }

    /// The first quote, backslash or control character from `i` on, or the end.
    #[inline(always)]
    fn stop(&self, i: usize) -> usize {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            if let Some(mask) = simd::block(self.input, i) {
                if mask != 0 {
                    return i + mask.trailing_zeros() as usize;
                }
                return self.stop_long(i + 16);
            }
        }
        self.stop_bytes(i)
    }

    #[inline(always)]
    fn stop_bytes(&self, mut i: usize) -> usize {
        while i < self.input.len() && !self.is(i, STOP) {
            i += 1;
        }
        i
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(never)]
    fn stop_long(&self, mut i: usize) -> usize {
        while simd::clear64(self.input, i) {
            i += 64;
        }
        while let Some(mask) = simd::block(self.input, i) {
            if mask != 0 {
                return i + mask.trailing_zeros() as usize;
            }
            i += 16;
        }
        self.stop_bytes(i)
    }

    /// Passes the rest of a string whose opening quote was passed.
    #[inline(always)]
    fn string(&mut self) -> Scan<()> {
        let i = self.stop(self.at);
        if self.byte(i) == b'"' {
            self.at = i + 1;
            return Ok(());
        }
        self.string_slow(i)
    }

    /// The rest of a string from its first quote, backslash or control character on, which is at `i`.
    #[inline(never)]
    fn string_slow(&mut self, mut i: usize) -> Scan<()> {
        let mut stops = Stops::default();
        loop {
            match self.byte(i) {
                b'"' => {
                    self.at = i + 1;
                    return Ok(());
                }
                b'\\' if self.is(i + 1, ESCAPE) => i += 2,
                b'\\' if self.byte(i + 1) == b'u' && (2..6).all(|k| self.is(i + k, HEX)) => i += 6,
                b'\\' => return self.fault(i, "invalid escape in a string"),
                _ => return self.fault(i, "control character in a string"),
            }
            i = stops.next(self, i);
        }
    }

    #[inline(always)]
    fn digits(&mut self) -> Scan<()> {
        if !self.is(self.at, DIGIT) {
            return self.fault(self.at, "a digit was expected");
        }
        while self.is(self.at, DIGIT) {
            self.at += 1;
        }
        Ok(())
    }

    #[inline(always)]
    fn number(&mut self) -> Scan<()> {
        if self.byte(self.at) == b'-' {
            self.at += 1;
        }
        if self.byte(self.at) == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte(self.at) == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if self.byte(self.at) | 0x20 == b'e' {
            self.at += 1;
            if matches!(self.byte(self.at), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    #[inline(always)]
    fn literal(&mut self, text: &'static [u8]) -> Scan<()> {
        let end = self.at + text.len();
        if self.input.get(self.at..end) == Some(text) {
            self.at = end;
            return Ok(());
        }
        self.fault(self.at, "a JSON value was expected")
    }

    #[inline(always)]
    fn scalar(&mut self, first: u8) -> Scan<()> {
        match first {
            b'"' => {
                self.at += 1;
                self.string()
            }
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => self.fault(self.at, "a JSON value was expected"),
        }
    }

    /// Passes a member's key and the colon behind it. Returns the span between the quotes.
    ///
    /// # Errors
    /// No string, no colon.
    pub fn key(&mut self) -> Scan<Span> {
        self.key_here()
    }

    #[inline(always)]
    fn key_here(&mut self) -> Scan<Span> {
        if self.peek() != b'"' {
            return self.fault(self.at, "a member name in quotes was expected");
        }
        self.at += 1;
        let start = self.at as u32;
        // Keys are short: a byte loop beats the vector one.
        let mut i = self.at;
        while !self.is(i, STOP) && i < self.input.len() {
            i += 1;
        }
        if self.byte(i) == b'"' {
            self.at = i + 1;
        } else {
            self.string_slow(i)?;
        }
        let end = self.at as u32 - 1;
        if self.peek() != b':' {
            return self.fault(self.at, "a colon was expected");
        }
        self.at += 1;
        Ok(Span { start, end })
    }

    /// Passes one value of any kind. Returns its span, brackets or quotes included.
    ///
    /// # Errors
    /// The first fault in the value.
    #[inline(never)]
    pub fn value(&mut self) -> Scan<Span> {
        self.value_here()
    }

    /// [`Scanner::value`] without a call where the value is a string, for the one place that reads most values.
    #[inline(always)]
    pub(crate) fn value_here(&mut self) -> Scan<Span> {
        let first = self.peek();
        let start = self.at as u32;
        if first == b'"' {
            self.at += 1;
            self.string()?;
        } else {
            self.other(first)?;
        }
        Ok(Span { start, end: self.at as u32 })
    }

    #[inline(never)]
    fn other(&mut self, first: u8) -> Scan<()> {
        if first == b'{' || first == b'[' { self.container(first) } else { self.scalar(first) }
    }

    /// Passes a container without recursion: one bit per open level says whether it is an object.
    #[inline(never)]
    fn container(&mut self, mut next: u8) -> Scan<()> {
        let outer_depth = self.depth;
        // Bit 0 is the innermost level. 64 levels fit in `kinds`; the ones outside them wait in `outer`.
        let mut kinds = 0u64;
        let mut outer = 0u64;
        loop {
            if next == b'{' || next == b'[' {
                if self.depth >= MAX_DEPTH {
                    return self.fault(self.at, "nested more than 100 levels deep");
                }
                let level = self.depth - outer_depth;
                if level == 64 {
                    outer = kinds;
                }
                kinds = kinds << 1 | u64::from(next == b'{');
                self.depth += 1;
                self.at += 1;
                let after = self.peek();
                if after == next + 2 {
                    // empty: fall through to the closing below
                } else {
                    if next == b'{' {
                        self.key_here()?;
                        next = self.peek();
                    } else {
                        next = after;
                    }
                    continue;
                }
            } else {
                self.scalar(next)?;
            }
            loop {
                if self.depth == outer_depth {
                    return Ok(());
                }
                let is_object = kinds & 1 == 1;
                match self.peek() {
                    b',' => {
                        self.at += 1;
                        if is_object {
                            self.key_here()?;
                        }
                        next = self.peek();
                        break;
                    }
                    b'}' if is_object => {}
                    b']' if !is_object => {}
                    _ => return self.fault(self.at, "a comma or a closing bracket was expected"),
                }
                self.at += 1;
                self.depth -= 1;
                let level = self.depth - outer_depth;
                kinds = if level == 64 { outer } else { kinds >> 1 };
            }
        }
    }
}

/// The bytes that end a plain run, in a string that has many of them: a block of the text is looked at once.
#[derive(Default)]
struct Stops {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    block: usize,
    /// One bit for each such byte of the block.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    mask: u32,
}

impl Stops {
    /// The first one from `i` on, or the end of the text. `i` only grows.
    #[inline(always)]
    fn next(&mut self, scanner: &Scanner<'_>, i: usize) -> usize {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            let mut at = i;
            if i < self.block + 16 {
                let left = self.mask >> (i - self.block);
                if left != 0 {
                    return i + left.trailing_zeros() as usize;
                }
                if self.mask != 0 {
                    at = self.block + 16;
                }
            }
            while let Some(mask) = simd::block(scanner.input, at) {
                if mask != 0 {
                    (self.block, self.mask) = (at, u32::from(mask));
                    return at + mask.trailing_zeros() as usize;
                }
                at += 16;
            }
            scanner.stop_bytes(at)
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        scanner.stop(i)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd {
    use core::arch::wasm32::{
        u8x16_bitmask, u8x16_eq, u8x16_min, u8x16_splat, v128, v128_any_true, v128_load, v128_or,
    };

    #[inline(always)]
    fn load(bytes: &[u8; 16]) -> v128 {
        // SAFETY: `bytes` is 16 readable bytes, and `v128_load` needs no alignment.
        unsafe { v128_load(bytes.as_ptr().cast()) }
    }

    /// All ones in each lane that holds a quote, a backslash or a control character.
    #[inline(always)]
    fn stops(v: v128) -> v128 {
        let control = u8x16_eq(u8x16_min(v, u8x16_splat(0x1f)), v);
        v128_or(v128_or(u8x16_eq(v, u8x16_splat(b'"')), u8x16_eq(v, u8x16_splat(b'\\'))), control)
    }

    #[inline(always)]
    fn lane(input: &[u8], i: usize) -> Option<v128> {
        input.get(i..i + 16).and_then(|b| b.try_into().ok()).map(load)
    }

    /// One bit for each of the 16 bytes at `i` that ends a plain run, if there are 16.
    #[inline(always)]
    pub fn block(input: &[u8], i: usize) -> Option<u16> {
        lane(input, i).map(|v| u8x16_bitmask(stops(v)))
    }

    /// Whether there are 64 bytes at `i` and none of them ends a plain run.
    #[inline(always)]
    pub fn clear64(input: &[u8], i: usize) -> bool {
        let Some(bytes) = input.get(i..i + 64) else { return false };
        let (chunks, _) = bytes.as_chunks::<16>();
        let [a, b, c, d] = chunks else { return false };
        let any = v128_or(v128_or(stops(load(a)), stops(load(b))), v128_or(stops(load(c)), stops(load(d))));
        !v128_any_true(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::validate;

    fn ok(text: &str) -> bool {
        validate(text.as_bytes()).is_ok()
    }

    #[test]
    fn accepts_and_refuses_as_the_grammar_says() {
        for good in ["{}", "[]", " null ", "[1,2]", "{\"a\":[{}]}", "-0.5e+3", "\"\\u00e9\\/\"", "[[],{}]", "1e400"] {
            assert!(ok(good), "{good}");
        }
        for bad in [
            "",
            "[1,]",
            "{,}",
            "[,1]",
            "{\"a\"}",
            "{\"a\":}",
            "01",
            "1.",
            "+1",
            "NaN",
            "\"\\x\"",
            "\"\n\"",
            "[1}",
            "{]",
            "[1 2]",
            "\"a",
            "tru",
            "nul",
            "[1],",
            "{} {}",
            "[",
            "{\"a\":1",
            "\"\\u12\"",
            ".5",
            "1e",
            "--1",
            "[ ,1]",
            "{\"a\":1,}",
            "{ , \"a\":1}",
        ] {
            assert!(!ok(bad), "{bad}");
        }
    }

    #[test]
    fn counts_one_hundred_levels() {
        for n in [1usize, 63, 64, 65, 66, 99, 100] {
            assert!(ok(&format!("{}{}", "[".repeat(n), "]".repeat(n))), "{n}");
            assert!(ok(&format!("{}1{}", "{\"a\":[".repeat(n / 2), "]}".repeat(n / 2))), "{n}");
        }
        assert!(!ok(&format!("{}{}", "[".repeat(101), "]".repeat(101))));
        assert!(!ok(&"[".repeat(100_000)));
    }

    #[test]
    fn says_where_the_fault_is() {
        assert_eq!(validate(b"{\"a\":x}").unwrap_err().offset, 5);
        assert_eq!(validate(b"[\"\xff\"]").unwrap_err(), SyntaxError::at(2, "invalid UTF-8"));
    }
}
