//! Small deterministic randomness, and the changes it makes to texts.

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of the first `good`, or once in `sloppiness` times any.
    fn pick_good<T: Copy>(&mut self, from: &[T], good: usize, sloppiness: usize) -> T {
        let among = if self.one_in(sloppiness) { from.len() } else { good };
        from[self.below(among)]
    }
}

/// Bytes and pieces that matter to JSON, to UTF-8 and to server-sent events.
#[rustfmt::skip]
const PIECES: &[&[u8]] = &[
    b"{", b"}", b"[", b"]", b",", b":", b"\"", b"\\", b"\\u", b"\\u0041", b"\\ud83d", b"\\/", b"null", b"true",
    b"fals", b"0", b"-", b".", b"e", b"1e9", b"00", b" ", b"\t", b"\n", b"\r", b"\x0b", b"\0", b"\x1f", b"\x7f",
    b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xc3", b"\xc3\xa9", b"\xf0\x9f\x98\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\"kind\":", b"{}", b"[]", b"\"\"", b"data:", b"\n\n", b"data: ",
    b"event: error\n", b"{\"a\":[", b"]}", b"[[[[[[[[", b"\"text\"", b"/*", b"'", b"NaN", b"\\x", b"\xc2\xa0",
];

/// `text` with one to eight changes: bytes changed, removed, repeated, pieces put in, the text cut short.
pub fn mutate(text: &[u8], other: &[u8], r: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=r.below(8) {
        let at = r.below(text.len() + 1);
        let len = r.below(12).min(text.len() - at);
        match r.below(9) {
            0 if at < text.len() => text[at] = r.next() as u8,
            1 if at < text.len() => text[at] ^= 1 << r.below(8),
            2 => drop(text.drain(at..at + len)),
            3 => {
                let copy = text[at..at + len].to_vec();
                let to = r.below(text.len() + 1);
                text.splice(to..to, copy);
            }
            4 => {
                let from = r.below(other.len() + 1);
                let end = (from + r.below(40)).min(other.len());
                text.splice(at..at + len, other[from..end].iter().copied());
            }
            5 if r.one_in(6) => text.truncate(at),
            _ => {
                let piece = r.pick(PIECES);
                text.splice(at..at, piece.iter().copied());
            }
        }
    }
    text
}

#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "0", "-0", "7", "-12", "1.0", "0.5", "1e5", "1E+5", "1e-5", "1.5e+10", "1e400", "-1e-400", "12345678901234567890",
    "0.1234567890123456789", "01", "1.", ".5", "+1", "-", "1e", "1e+", "0x10", "--1", "1.e5", "00", "NaN", "Infinity",
];
#[rustfmt::skip]
const STRINGS: &[&str] = &[
    "", "a", "kind", "\\u006bind", "\\\"", "\\\\", "\\/\\b\\f\\n\\r\\t", "\\ud83d\\ude00", "\\ud83d", "\\uDE00x",
    "é😀\u{2028}", "0123456789abcdef", "0123456789abcdef0",
    "a long run of plain text that fills several blocks of sixty-four bytes, and then some more of it", "\\x",
    "\\u12g4", "\\u", "\\", "\u{1}", "\n", "tab\there", "\u{7f}", "\\U0041", "0123456789abcd\\n",
    "0123456789abcde\\u00e9f",
];
const SPACES: &[&str] = &[" ", "\n", "\r", "\t", "  \t\r\n ", "\u{b}", "\u{a0}", "\u{c}", "\u{feff}"];

/// A text from the grammar; wrong somewhere once in `sloppiness` choices.
pub fn generate(r: &mut Random, depth: usize, sloppiness: usize, out: &mut String) {
    space(r, sloppiness, out);
    match r.below(if depth == 0 { 4 } else { 7 }) {
        0 => out.push_str(r.pick_good(NUMBERS, 14, sloppiness)),
        1 => string(r, sloppiness, out),
        2 => out.push_str(r.pick(&["null", "true", "false"])),
        3 => out.push_str(if r.one_in(2) { "{}" } else { "[]" }),
        4 | 5 => {
            out.push('{');
            for i in 0..r.below(4) {
                if (i > 0) != r.one_in(sloppiness) {
                    out.push(',');
                }
                space(r, sloppiness, out);
                string(r, sloppiness, out);
                space(r, sloppiness, out);
                out.push(if r.one_in(sloppiness) { ',' } else { ':' });
                generate(r, depth - 1, sloppiness, out);
            }
            out.push(if r.one_in(sloppiness) { ']' } else { '}' });
        }
        _ => {
            out.push('[');
            for i in 0..r.below(4) {
                if (i > 0) != r.one_in(sloppiness) {
                    out.push(',');
                }
                generate(r, depth - 1, sloppiness, out);
            }
            out.push(if r.one_in(sloppiness) { '}' } else { ']' });
        }
    }
    space(r, sloppiness, out);
}

fn string(r: &mut Random, sloppiness: usize, out: &mut String) {
    out.push('"');
    for _ in 0..r.below(3) {
        out.push_str(r.pick_good(STRINGS, 14, sloppiness));
    }
    if !r.one_in(sloppiness * 2) {
        out.push('"');
    }
}

fn space(r: &mut Random, sloppiness: usize, out: &mut String) {
    while r.one_in(3) {
        out.push_str(r.pick_good(SPACES, 5, sloppiness));
    }
}
