//! Enumerations: one table of names per enum.

use crate::json::{Span, unescape};
use crate::protocol::Dialect;

/// One value of an enum in all dialects.
pub struct EnumRow {
    /// Its proto number.
    pub number: i64,
    /// Its JSON text in each dialect, quotes included.
    pub names: [&'static str; 3],
    /// Further spellings, lower case, without prefix, `-` between words.
    pub also: &'static [&'static str],
}

/// An enum. Row 0 is the unspecified value.
pub struct EnumTable {
    /// What proto names begin with, lower case.
    pub prefix: &'static str,
    /// The values.
    pub rows: &'static [EnumRow],
}

/// What a JSON value means as an enum.
pub enum Found {
    /// This row.
    Row(&'static EnumRow),
    /// A name or number that is not in the table.
    Unknown,
    /// Not a name, and not a number where numbers are allowed.
    WrongType,
}

impl EnumRow {
    /// The JSON text in `dialect`.
    #[inline(always)]
    pub fn name(&self, dialect: Dialect) -> &'static str {
        let [j3, r3, p1] = self.names;
        match dialect {
            Dialect::J3 => j3,
            Dialect::R3 => r3,
            Dialect::P1 => p1,
        }
    }
}

impl EnumTable {
    /// Looks up the value at `span`, which was read in `dialect`: its name, in proto dialects its number, and other
    /// spellings, those of the other version included (RULES 0.11, 3.5).
    pub fn find(&self, input: &[u8], span: Span, dialect: Dialect) -> Found {
        let raw = span.of(input);
        match self.rows.iter().find(|row| row.name(dialect).as_bytes() == raw) {
            Some(row) => Found::Row(row),
            None => self.find_slow(raw, span, input, dialect),
        }
    }

    #[cold]
    fn find_slow(&self, raw: &[u8], span: Span, input: &[u8], dialect: Dialect) -> Found {
        match raw.first() {
            Some(b'"') => {
                let text = unescape(span.inner().of(input)).to_ascii_lowercase().replace('-', "_");
                let word = text.strip_prefix(self.prefix).unwrap_or(&text).replace('_', "-");
                let row = self.rows.iter().find(|row| {
                    let [j3, _, _] = row.names;
                    j3.trim_matches('"') == word || row.also.contains(&word.as_str())
                });
                row.map_or(Found::Unknown, Found::Row)
            }
            Some(b'-' | b'0'..=b'9') if dialect != Dialect::J3 => {
                let number = std::str::from_utf8(raw).ok().and_then(|t| t.parse::<i64>().ok());
                match number {
                    Some(n) => self.rows.iter().find(|row| row.number == n).map_or(Found::Unknown, Found::Row),
                    None => Found::WrongType,
                }
            }
            _ => Found::WrongType,
        }
    }
}
