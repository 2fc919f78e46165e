//! Entity tables: what the rows say and how the reader finds a row by its key.

use super::doc::{Rec, Slot};
use super::enums::EnumTable;
use super::notice::Code;
use super::write::{Fail, Writer};
use crate::json::PADDED_KEY;
use crate::protocol::Dialect;

/// What a field's value is.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A string.
    Str,
    /// Base64 (RULES 1.8): written padded, in the standard alphabet.
    Bytes,
    /// One of a table of names.
    Enum(&'static EnumTable),
    /// RFC 3339 (RULES 3.6).
    Time,
    /// A JSON object that is copied as it is: `google.protobuf.Struct`.
    Struct,
    /// Any JSON value, `null` included, copied as it is: `google.protobuf.Value`.
    Value,
    /// `true` or `false`.
    Bool,
    /// A non-negative int32 (RULES 0.9, 5.8).
    Int,
    /// An array of strings.
    StrList,
    /// An object of strings.
    StrMap,
    /// Another entity.
    Rec(&'static Entity),
    /// An array of an entity.
    List(&'static Entity),
    /// An object whose values are an entity.
    Map(&'static Entity),
}

/// When a field is written to a dialect.
#[derive(Clone, Copy)]
pub enum Rule {
    /// The dialect has no such field. If it was there and not empty, the notice says so.
    Lost(Option<Code>),
    /// Always. In requests a missing or empty value is an error, in results the kind's empty value with
    /// `required_missing` (RULES 0.5, 2.2).
    Required,
    /// Always; the kind's empty value if it is missing, without a notice.
    Always,
    /// Only if there is something: empty strings, arrays and zero enums are left out (RULES 0.5, 0.6).
    Optional,
    /// If it was there, also when it is empty (explicit presence).
    Present,
    /// A boolean, only if it is true.
    True,
    /// Always this text: discriminators.
    Constant(&'static str),
    /// A special function beside the table.
    By(fn(&mut Writer<'_>, Row) -> Result<(), Fail>),
}

/// What a special function of a row is given.
#[derive(Clone, Copy)]
pub struct Row {
    /// The record the field is in.
    pub rec: Rec,
    /// What was read.
    pub slot: Slot,
    /// The row.
    pub field: &'static Field,
    /// The key in the dialect being written.
    pub key: &'static Key,
}

/// A row: one field in all dialects.
#[derive(Clone, Copy)]
pub struct Field {
    /// The specification's name, for messages about a value that is absent.
    pub name: &'static str,
    /// The key in each dialect, indexed by [`Dialect`]; "" where the dialect has none.
    pub keys: [&'static str; 3],
    /// Further keys that are read (proto names, other spellings), beside snake_case which always is (RULES 0.1, 0.2).
    pub aliases: &'static [&'static str],
    /// What the value is in each dialect.
    pub kinds: [Kind; 3],
    /// When it is written to each dialect.
    pub rules: [Rule; 3],
}

/// A field with the same key and kind in all dialects, optional in all.
pub const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, keys: [name; 3], aliases: &[], kinds: [kind; 3], rules: [Rule::Optional; 3] }
}

#[allow(clippy::indexing_slicing)] // `Dialect` as an index of arrays of three
impl Field {
    /// Required everywhere.
    pub const fn required(self) -> Field {
        self.rule(Rule::Required)
    }

    /// The same rule in all dialects.
    pub const fn rule(mut self, rule: Rule) -> Field {
        self.rules = [rule; 3];
        self
    }

    /// Another rule in one dialect.
    pub const fn rule_in(mut self, dialect: Dialect, rule: Rule) -> Field {
        self.rules[dialect as usize] = rule;
        self
    }

    /// Another key in one dialect.
    pub const fn key_in(mut self, dialect: Dialect, key: &'static str) -> Field {
        self.keys[dialect as usize] = key;
        self
    }

    /// Another kind in one dialect.
    pub const fn kind_in(mut self, dialect: Dialect, kind: Kind) -> Field {
        self.kinds[dialect as usize] = kind;
        self
    }

    /// Not read in this dialect; when writing it, `notice` says what is lost.
    pub const fn not_in(mut self, dialect: Dialect, notice: Option<Code>) -> Field {
        self.keys[dialect as usize] = "";
        self.rules[dialect as usize] = Rule::Lost(notice);
        self
    }

    /// Read in this dialect, but never written.
    pub const fn read_only_in(mut self, dialect: Dialect, notice: Option<Code>) -> Field {
        self.rules[dialect as usize] = Rule::Lost(notice);
        self
    }

    /// Only in J3 and R3 (v0.3).
    pub const fn v0_3_only(self) -> Field {
        self.not_in(Dialect::P1, None)
    }

    /// Only in P1 (v1.0).
    pub const fn v1_0_only(self) -> Field {
        self.not_in(Dialect::J3, None).not_in(Dialect::R3, None)
    }

    /// Further keys to read.
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Field {
        self.aliases = aliases;
        self
    }

    /// The key in `dialect`, or the specification's name where the dialect has none.
    pub fn key(&self, dialect: Dialect) -> &'static str {
        let key = self.keys[dialect as usize];
        if key.is_empty() { self.name } else { key }
    }

    /// The kind in `dialect`.
    #[inline(always)]
    pub fn kind(&self, dialect: Dialect) -> Kind {
        self.kinds[dialect as usize]
    }

    /// The rule for writing `dialect`.
    #[inline(always)]
    pub fn rule_for(&self, dialect: Dialect) -> Rule {
        self.rules[dialect as usize]
    }
}

/// How many bytes of a key are compared at once.
const WORD: usize = 8;

/// A key as the reader looks for it and as the writer writes it.
#[derive(Clone, Copy)]
pub struct Key {
    /// The first eight bytes of `key":`, little endian, zero padded.
    start: u64,
    /// Ones over the bytes of `start` that count.
    mask: u64,
    /// `,"key":`, zero padded.
    quoted: [u8; PADDED_KEY + 1],
    /// Its length in bytes; 0 where the dialect has no such field.
    len: u8,
}

impl Key {
    #[allow(clippy::indexing_slicing)] // constant evaluation
    pub(crate) const fn new(text: &'static str) -> Key {
        let bytes = text.as_bytes();
        let mut quoted = [0u8; PADDED_KEY + 1];
        if bytes.is_empty() {
            // Nothing that is read begins with NULs.
            return Key { start: 0, mask: u64::MAX, quoted, len: 0 };
        }
        quoted[0] = b',';
        quoted[1] = b'"';
        let mut i = 0;
        while i < bytes.len() {
            quoted[i + 2] = bytes[i];
            i += 1;
        }
        quoted[i + 2] = b'"';
        quoted[i + 3] = b':';
        let (mut start, mut mask) = (0u64, 0u64);
        let mut i = 0;
        while i < WORD && i < bytes.len() + 2 {
            start |= (quoted[i + 2] as u64) << (8 * i);
            mask |= 0xFF << (8 * i);
            i += 1;
        }
        Key { start, mask, quoted, len: bytes.len() as u8 + 4 }
    }

    /// `,"key":`
    #[inline(always)]
    pub fn quoted(&self) -> &[u8] {
        self.quoted.get(..self.len as usize).unwrap_or(&[])
    }

    /// `"key":`, zero padded.
    #[inline(always)]
    pub fn padded(&self) -> &[u8; PADDED_KEY] {
        let [_, padded @ ..] = &self.quoted;
        padded
    }

    /// The key's text; empty where the dialect has no such field.
    pub fn text(&self) -> &[u8] {
        self.quoted.get(2..(self.len as usize).saturating_sub(2)).unwrap_or(&[])
    }

    /// How many bytes `key":` are, if that is what `text` begins with; `word` is its first eight bytes.
    #[inline(always)]
    pub fn begins(&self, text: &[u8], word: u64) -> Option<usize> {
        if word & self.mask != self.start {
            return None;
        }
        let expected = self.quoted.get(2..self.len as usize)?;
        let count = expected.len();
        if count > WORD {
            // The last eight bytes, which leaves none over where there are at most sixteen.
            let found = text.get(..count)?;
            if found.last_chunk::<WORD>() != expected.last_chunk::<WORD>() {
                return None;
            }
            if count > 2 * WORD && found != expected {
                return None;
            }
        }
        Some(count)
    }
}

/// The key tables of an entity's fields, one per dialect.
#[allow(clippy::indexing_slicing)] // constant evaluation
pub const fn key_tables<const N: usize>(fields: &[Field; N]) -> [[Key; N]; 3] {
    let mut tables = [[Key::new(""); N]; 3];
    let mut d = 0;
    while d < 3 {
        let mut i = 0;
        while i < N {
            tables[d][i] = Key::new(fields[i].keys[d]);
            i += 1;
        }
        d += 1;
    }
    tables
}

/// Writes a record's members in a way that rows cannot say.
pub type WriteRecord = fn(&mut Writer<'_>, Rec) -> Result<(), Fail>;

/// What an A2A object is, in all dialects.
pub struct Entity {
    /// The specification's name.
    pub name: &'static str,
    /// Its fields; a field's index is its slot.
    pub fields: &'static [Field],
    /// The keys of the fields in each dialect, at the same indexes.
    pub keys: [&'static [Key]; 3],
    /// Where the whole object is not a renaming: writes it instead of the rows.
    pub write: Option<WriteRecord>,
}

/// Stands where no row is, so that there is no case without one: slot numbers come from the tables themselves.
static NO_FIELD: Field = field("", Kind::Value);

impl Entity {
    /// The row of a slot.
    #[inline(always)]
    pub fn field(&self, slot: u32) -> &'static Field {
        self.fields.get(slot as usize).unwrap_or(&NO_FIELD)
    }

    /// The key table for `dialect`.
    #[inline(always)]
    pub fn keys(&self, dialect: Dialect) -> &'static [Key] {
        let [j3, r3, p1] = self.keys;
        match dialect {
            Dialect::J3 => j3,
            Dialect::R3 => r3,
            Dialect::P1 => p1,
        }
    }
}

/// Declares an entity: `entity!(pub MESSAGE, message, "Message" { ID = field(…), … })`, optionally followed by
/// `by function`. Makes the static table and a module with the slot numbers.
macro_rules! entity {
    ($(#[$doc:meta])* $vis:vis $table:ident, $slots:ident, $name:literal { $($(#[$row_doc:meta])* $slot:ident = $row:expr),* $(,)? } $(by $write:expr)?) => {
        /// The slots of the table of the same name.
        #[allow(dead_code, missing_docs, non_camel_case_types, clippy::upper_case_acronyms)]
        $vis mod $slots {
            enum Slots { $($slot),* }
            $($(#[$row_doc])* pub const $slot: u32 = Slots::$slot as u32;)*
        }
        $(#[$doc])*
        $vis static $table: $crate::engine::Entity = {
            const FIELDS: [$crate::engine::Field; [$(stringify!($slot)),*].len()] = [$($row),*];
            static ROWS: [$crate::engine::Field; FIELDS.len()] = FIELDS;
            static KEYS: [[$crate::engine::Key; FIELDS.len()]; 3] = $crate::engine::key_tables(&FIELDS);
            $crate::engine::Entity {
                name: $name,
                fields: &ROWS,
                keys: { let [j3, r3, p1] = &KEYS; [j3, r3, p1] },
                write: entity!(@write $($write)?),
            }
        };
    };
    (@write) => { None };
    (@write $write:expr) => { Some($write) };
}
pub(crate) use entity;
