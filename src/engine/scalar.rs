//! Writing scalars that are checked or respelled on the way.

use super::base64::{canonical, decoded_once};
use super::doc::Slot;
use super::enums::{EnumTable, Found};
use super::notice::code;
use super::table::{Field, Key};
use super::timestamp::{Timestamp, normalise};
use super::write::{Fail, Writer};
use crate::json::{elements, integral, unescape, unique_members};
use crate::protocol::Dialect;

impl Writer<'_> {
    /// The value of a boolean field; absent is false.
    ///
    /// # Errors
    /// Anything but `true`, `false` and `null` (RULES 0.10).
    pub fn boolean(&self, field: &'static Field, slot: Slot) -> Result<bool, Fail> {
        if slot.is_absent() {
            return Ok(false);
        }
        match slot.as_span().map(|s| s.of(self.input)) {
            Some(b"true") => Ok(true),
            Some(b"false") => Ok(false),
            _ => self.fail(field, "must be a boolean"),
        }
    }

    /// The value of an integer field: an integral number or an integral decimal string (RULES 0.9).
    ///
    /// # Errors
    /// Not integral, negative, or beyond int32.
    pub fn integer(&self, field: &'static Field, slot: Slot) -> Result<i32, Fail> {
        let raw = slot.as_span().map_or(&[][..], |s| s.of(self.input));
        let quoted = raw.strip_prefix(b"\"").and_then(|r| r.strip_suffix(b"\""));
        match integral(unescape(quoted.unwrap_or(raw)).as_bytes()) {
            Some(n) if n < 0 => self.fail(field, "must be non-negative"),
            Some(n) => match i32::try_from(n) {
                Ok(n) => Ok(n),
                Err(_) => self.fail(field, "must be at most 2147483647"),
            },
            None => self.fail(field, "must be an integer"),
        }
    }

    pub(super) fn bytes(&mut self, field: &'static Field, slot: Slot) -> Result<(), Fail> {
        let Some(span) = slot.as_span_of(self.input, b'"') else {
            return self.fail(field, "must be a base64 string");
        };
        let inside = span.inner().of(self.input);
        let read_double = self.cx.options.r3_read_double && self.cx.from == Dialect::R3;
        let write_double = self.cx.options.r3_write_double && self.cx.to == Dialect::R3;
        let read = |text| if read_double { decoded_once(text) } else { canonical(text) };
        // No base64 has a backslash: escapes are looked for only in what is none.
        let unescaped;
        let once = match read(inside) {
            Ok(once) => once,
            Err(_) => {
                unescaped = unescape(inside);
                let Ok(once) = read(unescaped.as_bytes()) else { return self.fail(field, "is not base64") };
                once
            }
        };
        self.out.raw(b"\"");
        if write_double {
            self.out.text(&base64_simd::STANDARD.encode_to_string(once.as_ref()));
        } else {
            self.out.raw(&once);
        }
        self.out.raw(b"\"");
        Ok(())
    }

    pub(super) fn string_list(&mut self, field: &'static Field, slot: Slot) -> Result<(), Fail> {
        let Some(span) = slot.as_span_of(self.input, b'[') else {
            return self.fail(field, "must be an array of strings");
        };
        if elements(self.input, span).any(|item| !item.of(self.input).starts_with(b"\"")) {
            return self.fail(field, "must be an array of strings");
        }
        self.out.span(self.input, span);
        Ok(())
    }

    pub(super) fn string_map(&mut self, field: &'static Field, slot: Slot) -> Result<(), Fail> {
        let Some(span) = slot.as_span_of(self.input, b'{') else {
            return self.fail(field, "must be an object of strings");
        };
        if unique_members(self.input, span).iter().any(|(_, value)| !value.of(self.input).starts_with(b"\"")) {
            return self.fail(field, "must be an object of strings");
        }
        self.out.span(self.input, span);
        Ok(())
    }

    pub(super) fn time(&mut self, field: &'static Field, key: &Key, slot: Slot) -> Result<(), Fail> {
        let Some(span) = slot.as_span_of(self.input, b'"') else { return self.fail(field, "must be a string") };
        let inside = span.inner().of(self.input);
        let unescaped = unescape(inside);
        match normalise(unescaped.as_bytes()) {
            Timestamp::Canonical => {
                self.out.key(key.quoted());
                self.out.raw(b"\"");
                self.out.text(&unescaped);
                self.out.raw(b"\"");
            }
            Timestamp::Normalised { text, truncated, no_zone } => {
                if truncated {
                    self.notice(code::TIMESTAMP_TRUNCATED, field);
                }
                if no_zone {
                    self.notice(code::TIMESTAMP_NO_ZONE, field);
                }
                self.out.key(key.quoted());
                self.out.string(&text);
            }
            Timestamp::Invalid => self.notice(code::TIMESTAMP_INVALID, field),
        }
        Ok(())
    }

    pub(super) fn enumeration(
        &mut self,
        field: &'static Field,
        key: &Key,
        table: &'static EnumTable,
        slot: Slot,
    ) -> Result<(), Fail> {
        let Some(span) = slot.as_span() else { return self.fail(field, "must be a string") };
        let row = match table.find(self.input, span, self.cx.from) {
            Found::Row(row) => Some(row),
            Found::Unknown => {
                self.notice(code::ENUM_UNKNOWN, field);
                table.rows.first()
            }
            Found::WrongType => return self.fail(field, "must be a string"),
        };
        if let Some(row) = row {
            self.out.key(key.quoted());
            self.out.text(row.name(self.cx.to));
        }
        Ok(())
    }
}
