//! The writer: any dialect from slots, as the tables' rules say, with notices.

use super::doc::{Doc, Rec, Slot, Step};
use super::notice::{Code, Notice, Notices, code};
use super::table::{Entity, Field, Key, Kind, Row, Rule};
use crate::json::{Out, Span, elements, members, text, unescape, unique};
use crate::protocol::{Dialect, ErrorCode};
use std::borrow::Cow;

/// Whose fault malformed input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A client's: −32602, and required members must be there.
    Request,
    /// An agent's: −32603 (−32006 for a payload that is not A2A), and missing members are defaulted with a notice.
    Result,
}

impl Mode {
    /// The code for a malformed value.
    pub fn code(self) -> ErrorCode {
        match self {
            Mode::Request => ErrorCode::INVALID_PARAMS,
            Mode::Result => ErrorCode::INTERNAL_ERROR,
        }
    }
}

/// What to do with a card's signatures (RULES 7.23).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signatures {
    /// Remove them, with a notice: they do not match the translated card.
    #[default]
    Strip,
    /// Copy them as they are.
    Copy,
}

/// Where an agent is: an entry of `supportedInterfaces`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Its URL, perhaps relative to the card's.
    pub url: String,
    /// `JSONRPC`, `HTTP+JSON`, `GRPC` or another.
    pub binding: String,
    /// The protocol version as the card has it.
    pub version: String,
    /// The tenant; empty without one.
    pub tenant: String,
}

/// What a card is to say instead of what it said: a gateway's own interfaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardOverrides {
    /// All interfaces, both versions'.
    pub interfaces: Vec<Interface>,
    /// Say that there are no webhooks.
    pub without_push_notifications: bool,
}

/// What a caller can ask of a translation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Write a v0.3 card that v1.0 readers can read too (RULES 7.6).
    pub embed: bool,
    /// A card's signatures.
    pub signatures: Signatures,
    /// The interface's tenant: set in v1.0 requests, wins over the caller's (RULES 5.12).
    pub tenant: Option<String>,
    /// Leave out a task's history: what `historyLength: 0` means to a v1.0 client (RULES 5.7).
    pub without_history: bool,
    /// `final` of a v0.3 status update, where the stream knows better than the state (RULES 4.3).
    pub stream_final: Option<bool>,
    /// Take every v0.3 send as blocking, whatever it says (peer profile `LEGACY_BLOCKING=always`).
    pub always_blocking: bool,
    /// `fileWithBytes` is read as base64 of base64 text (RULES 1.16).
    pub r3_read_double: bool,
    /// `fileWithBytes` is written as base64 of base64 text.
    pub r3_write_double: bool,
    /// Write R3 without what the v0.3.0 proto lacks (RULES 1.15).
    pub r3_strict030: bool,
    /// Write cards for v0.3 HTTP+JSON clients in J3 (RULES 7.26).
    pub card_in_j3: bool,
    /// A v0.3 OAuth scheme with several flows becomes several v1.0 schemes, `name` and `name#flow` (RULES 7.17).
    pub oauth_split: bool,
    /// What a gateway's card says instead of the agent's.
    pub card: Option<CardOverrides>,
    /// Report members that nobody knows (`unknown_field_dropped`).
    pub report_unknown: bool,
}

/// One translation's settings.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The dialect that was read.
    pub from: Dialect,
    /// The dialect to write.
    pub to: Dialect,
    /// Whose fault malformed input is.
    pub mode: Mode,
    /// What paths begin with: `params`, `result` or nothing.
    pub root: &'static str,
    /// The caller's wishes.
    pub options: &'a Options,
}

/// Why a value cannot be translated. One pointer wide, as it stands in the way of every value that can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fail(Box<Failure>);

/// What a [`Fail`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An error for the caller.
    Error {
        /// The JSON-RPC code.
        code: ErrorCode,
        /// One sentence that begins with the field's path.
        message: String,
    },
    /// The value is to be left out of the map or list it is in (RULES 7.22); the notice has been given.
    Dropped,
}

impl Fail {
    /// An error for the caller.
    #[cold]
    #[inline(never)]
    pub fn new(code: ErrorCode, message: String) -> Fail {
        Fail(Box::new(Failure::Error { code, message }))
    }

    /// The value is to be left out.
    #[cold]
    pub fn dropped() -> Fail {
        Fail(Box::new(Failure::Dropped))
    }

    /// Whether the value is to be left out.
    pub fn is_dropped(&self) -> bool {
        *self.0 == Failure::Dropped
    }

    /// What it says.
    pub fn into_failure(self) -> Failure {
        *self.0
    }
}

/// Writes one value from a [`Doc`].
pub struct Writer<'a> {
    /// What was read.
    pub doc: &'a mut Doc,
    /// The text it was read from.
    pub input: &'a [u8],
    /// Where the output goes.
    pub out: &'a mut Out,
    /// The settings.
    pub cx: Context<'a>,
    /// Schemes of the card being written that became several, with the flows of the further ones (RULES 7.17).
    pub split_schemes: Vec<(String, Vec<&'static str>)>,
    notices: &'a mut Notices,
}

type Write = Result<(), Fail>;

impl<'a> Writer<'a> {
    /// A writer at the root.
    pub fn new(
        doc: &'a mut Doc,
        input: &'a [u8],
        out: &'a mut Out,
        notices: &'a mut Notices,
        cx: Context<'a>,
    ) -> Writer<'a> {
        doc.path.clear();
        Writer { doc, input, out, cx, split_schemes: Vec::new(), notices }
    }

    // ---- slots

    /// The slot of a record's field.
    #[inline(always)]
    pub fn slot(&self, rec: Rec, slot: u32) -> Slot {
        self.doc.slot(rec + slot)
    }

    /// Whether a record has a field.
    #[inline(always)]
    pub fn has(&self, rec: Rec, slot: u32) -> bool {
        !self.slot(rec, slot).is_absent()
    }

    /// The bytes of a field that is a span; empty if it is absent or structured.
    #[inline(always)]
    pub fn raw(&self, rec: Rec, slot: u32) -> &'a [u8] {
        match self.slot(rec, slot).as_span() {
            Some(span) => span.of(self.input),
            None => &[],
        }
    }

    /// The text of a string field, escapes decoded; empty if there is no string.
    pub fn string(&self, rec: Rec, slot: u32) -> String {
        self.text_of(self.slot(rec, slot)).unwrap_or_default()
    }

    /// The text of a string, escapes decoded.
    pub fn text_of(&self, slot: Slot) -> Option<String> {
        text(self.input, slot.as_span()?).map(Cow::into_owned)
    }

    /// Whether a slot holds nothing worth writing: absent, `""`, `[]`, `{}` or an empty list or map.
    #[inline(always)]
    pub fn is_empty(&self, slot: Slot) -> bool {
        if let Some(span) = slot.as_span()
            && self.input.get(span.start as usize) == Some(&b'"')
        {
            return span.end - span.start == 2;
        }
        self.is_empty_structure(slot)
    }

    /// [`Writer::is_empty`] for all but strings.
    fn is_empty_structure(&self, slot: Slot) -> bool {
        if let Some((_, count)) = slot.as_run() {
            return count == 0;
        }
        let Some(span) = slot.as_span() else { return slot.is_absent() };
        let raw = span.of(self.input);
        match raw.first() {
            Some(b'[') => raw.len() == 2 || elements(self.input, span).next().is_none(),
            Some(b'{') => raw.len() == 2 || members(self.input, span).next().is_none(),
            _ => false,
        }
    }

    /// Whether a field holds its kind's empty value. Of another JSON type it is not empty but wrong.
    #[inline(always)]
    fn is_default(&self, kind: Kind, slot: Slot) -> bool {
        match kind {
            Kind::Str | Kind::Bytes | Kind::Time | Kind::Enum(_) => self.is_empty_text(slot),
            Kind::StrList | Kind::List(_) => self.is_empty(slot) && self.first_byte(slot).is_none_or(|b| b == b'['),
            Kind::StrMap | Kind::Map(_) => self.is_empty(slot) && self.first_byte(slot).is_none_or(|b| b == b'{'),
            Kind::Struct | Kind::Value | Kind::Bool | Kind::Int | Kind::Rec(_) => false,
        }
    }

    fn first_byte(&self, slot: Slot) -> Option<u8> {
        slot.as_span().and_then(|span| span.of(self.input).first().copied())
    }

    /// The keys and values of a map field; of duplicate keys only the last.
    pub fn map_entries(&self, slot: Slot) -> Vec<(Span, Slot)> {
        let Some((first, count)) = slot.as_run() else { return Vec::new() };
        let entry = |i| Some((self.doc.slot(first + i).as_span()?, self.doc.slot(first + i + 1)));
        unique(self.input, (0..count).step_by(2).filter_map(entry))
    }

    /// The elements of a list field.
    pub fn list_items(&self, slot: Slot) -> Vec<Slot> {
        let Some((first, count)) = slot.as_run() else { return Vec::new() };
        (0..count).map(|i| self.doc.slot(first + i)).collect()
    }

    // ---- paths, notices, errors

    #[inline(always)]
    fn at<T>(&mut self, step: Step, write: impl FnOnce(&mut Self) -> Result<T, Fail>) -> Result<T, Fail> {
        self.doc.path.push(step);
        let done = write(self);
        self.doc.path.pop();
        done
    }

    /// Runs `write` one field further down the path.
    #[inline(always)]
    pub fn within<T>(
        &mut self,
        field: &'static Field,
        write: impl FnOnce(&mut Self) -> Result<T, Fail>,
    ) -> Result<T, Fail> {
        self.at(Step::Field(field), write)
    }

    /// Runs `write` at an element of the list that the path leads to.
    #[inline(always)]
    pub fn at_index<T>(&mut self, index: u32, write: impl FnOnce(&mut Self) -> Result<T, Fail>) -> Result<T, Fail> {
        self.at(Step::Index(index), write)
    }

    /// Runs `write` at an entry of the map that the path leads to.
    pub fn at_name<T>(&mut self, name: Span, write: impl FnOnce(&mut Self) -> Result<T, Fail>) -> Result<T, Fail> {
        self.at(Step::Name(name), write)
    }

    fn path_in(&self, dialect: Dialect, last: Option<&str>) -> String {
        let mut text = self.cx.root.to_owned();
        let push = |text: &mut String, name: &str| {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(name);
        };
        for step in &self.doc.path {
            match step {
                Step::Field(field) => push(&mut text, field.key(dialect)),
                Step::Index(i) => text.push_str(&format!("[{i}]")),
                Step::Name(span) => push(&mut text, &unescape(span.of(self.input))),
            }
        }
        if let Some(name) = last {
            push(&mut text, name);
        }
        text
    }

    /// Reports a loss at the current place.
    #[cold]
    pub fn notice_here(&mut self, code: Code) {
        let (path, output_path) = (self.path_in(self.cx.from, None), self.path_in(self.cx.to, None));
        self.notices.push(Notice { code, path, output_path });
    }

    /// Reports a loss of a field of the current record.
    #[cold]
    pub fn notice(&mut self, code: Code, field: &'static Field) {
        let path = self.path_in(self.cx.from, Some(field.key(self.cx.from)));
        let output_path = self.path_in(self.cx.to, Some(field.key(self.cx.to)));
        self.notices.push(Notice { code, path, output_path });
    }

    /// An error about the current place: `what` goes on after the path ("must be an object").
    #[cold]
    pub fn fail_here<T>(&self, subject: &str, what: &str) -> Result<T, Fail> {
        let path = self.path_in(self.cx.from, None);
        let message = if path.is_empty() { format!("{subject} {what}") } else { format!("{path} {what}") };
        Err(Fail::new(self.cx.mode.code(), message))
    }

    /// An error about a field of the current record.
    #[cold]
    pub fn fail<T>(&self, field: &'static Field, what: &str) -> Result<T, Fail> {
        self.fail_named(field.key(self.cx.from), what)
    }

    /// An error about a member of the current record that no row describes.
    #[cold]
    pub fn fail_named<T>(&self, name: &str, what: &str) -> Result<T, Fail> {
        let message = format!("{} {what}", self.path_in(self.cx.from, Some(name)));
        Err(Fail::new(self.cx.mode.code(), message))
    }

    /// The same error with another code.
    pub fn with_code<T>(&self, code: ErrorCode, result: Result<T, Fail>) -> Result<T, Fail> {
        result.map_err(|fail| match fail.into_failure() {
            Failure::Error { message, .. } => Fail::new(code, message),
            Failure::Dropped => Fail::dropped(),
        })
    }

    /// Writes members of P1 into a J3 object, for hybrid cards: what the P1 copy cannot carry is not a loss, the J3
    /// members beside it do.
    pub fn embedded(&mut self, write: impl FnOnce(&mut Self) -> Write) -> Write {
        let (to, notices) = (self.cx.to, self.notices.len());
        self.cx.to = Dialect::P1;
        let done = write(self);
        self.cx.to = to;
        self.notices.truncate(notices);
        done
    }

    /// Reports the members of `rec` that nobody knows.
    pub fn report_unknown(&mut self, rec: Rec) {
        let found: Vec<Span> = self.doc.unknown.iter().filter(|(r, _)| *r == rec).map(|(_, key)| *key).collect();
        for key in found {
            let name = unescape(key.of(self.input)).into_owned();
            let path = self.path_in(self.cx.from, Some(&name));
            self.notices.push(Notice { code: code::UNKNOWN_FIELD_DROPPED, path, output_path: String::new() });
        }
    }

    // ---- writing

    /// Writes a record as an object.
    pub fn object(&mut self, rec: Rec, entity: &'static Entity) -> Write {
        self.out.byte(b'{');
        self.members(rec, entity)?;
        self.out.byte(b'}');
        Ok(())
    }

    /// Writes the members of a record, without braces.
    pub fn members(&mut self, rec: Rec, entity: &'static Entity) -> Write {
        if self.doc.keep_unknown {
            self.report_unknown(rec);
        }
        match entity.write {
            Some(write) => write(self, rec),
            None => self.rows(rec, entity),
        }
    }

    /// Writes the members of a record by the table's rows.
    pub fn rows(&mut self, rec: Rec, entity: &'static Entity) -> Write {
        let to = self.cx.to;
        for (i, (field, key)) in entity.fields.iter().zip(entity.keys(to)).enumerate() {
            self.row(rec, i as u32, field, key)?;
        }
        Ok(())
    }

    /// Writes one field of a record by its row.
    pub fn one(&mut self, rec: Rec, entity: &'static Entity, slot: u32) -> Write {
        match (entity.fields.get(slot as usize), entity.keys(self.cx.to).get(slot as usize)) {
            (Some(field), Some(key)) => self.row(rec, slot, field, key),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn row(&mut self, rec: Rec, index: u32, field: &'static Field, key: &'static Key) -> Write {
        let slot = self.doc.slot(rec + index);
        match field.rule_for(self.cx.to) {
            Rule::Lost(None) => return Ok(()),
            Rule::Lost(Some(code)) => {
                if !self.is_empty(slot) {
                    self.notice(code, field);
                }
                return Ok(());
            }
            Rule::Required => {
                if slot.is_absent() || (self.cx.mode == Mode::Request && self.is_empty_text(slot)) {
                    return self.missing(field, key);
                }
            }
            Rule::Always => {
                if slot.is_absent() {
                    return self.write_empty(field, key);
                }
            }
            Rule::Optional => {
                if slot.is_absent() || self.is_default(field.kind(self.cx.to), slot) {
                    return Ok(());
                }
            }
            Rule::Present => {
                if slot.is_absent() {
                    return Ok(());
                }
            }
            Rule::True => {
                if self.boolean(field, slot)? {
                    self.key(key);
                    self.out.raw(b"true");
                }
                return Ok(());
            }
            Rule::Constant(text) => {
                self.key(key);
                self.out.text(text);
                return Ok(());
            }
            Rule::By(write) => return write(self, Row { rec, slot, field, key }),
        }
        self.member(field, key, slot)
    }

    /// Writes `,"key":`, at the beginning of an object without the comma.
    #[inline(always)]
    fn key(&mut self, key: &Key) {
        self.out.padded_key(key.padded(), key.quoted().len() - 1);
    }

    #[inline(always)]
    fn is_empty_text(&self, slot: Slot) -> bool {
        slot.as_span().is_some_and(|s| s.end - s.start == 2 && s.of(self.input) == b"\"\"")
    }

    #[cold]
    fn missing(&mut self, field: &'static Field, key: &Key) -> Write {
        if self.cx.mode == Mode::Request {
            return self.fail(field, "is required");
        }
        self.notice(code::REQUIRED_MISSING, field);
        self.write_empty(field, key)
    }

    fn write_empty(&mut self, field: &'static Field, key: &Key) -> Write {
        self.key(key);
        self.out.text(self.empty(field));
        Ok(())
    }

    /// The empty value of a field's kind.
    fn empty(&self, field: &'static Field) -> &'static str {
        match field.kind(self.cx.to) {
            Kind::Str | Kind::Bytes | Kind::Time => "\"\"",
            Kind::Enum(table) => table.rows.first().map_or("null", |row| row.name(self.cx.to)),
            Kind::Bool => "false",
            Kind::Int => "0",
            Kind::StrList | Kind::List(_) => "[]",
            Kind::Struct | Kind::StrMap | Kind::Rec(_) | Kind::Map(_) => "{}",
            Kind::Value => "null",
        }
    }

    /// Writes `,"key":value`, the value as the field's kind.
    #[inline(always)]
    pub fn member(&mut self, field: &'static Field, key: &Key, slot: Slot) -> Write {
        let kind = field.kind(self.cx.to);
        match kind {
            Kind::Time => return self.time(field, key, slot),
            Kind::Enum(table) => return self.enumeration(field, key, table, slot),
            _ => {}
        }
        self.key(key);
        if let Kind::Str = kind {
            return self.string_here(field, slot);
        }
        self.value(field, kind, slot)
    }

    /// Writes a field's value as `kind`.
    pub fn value(&mut self, field: &'static Field, kind: Kind, slot: Slot) -> Write {
        match kind {
            Kind::Str => self.string_here(field, slot),
            Kind::Struct => self.copy(field, slot, b'{', "must be an object"),
            Kind::Value => match slot.as_span() {
                Some(span) => {
                    self.out.span(self.input, span);
                    Ok(())
                }
                None => self.fail(field, "is required"),
            },
            Kind::Bool => {
                let value = self.boolean(field, slot)?;
                self.out.boolean(value);
                Ok(())
            }
            Kind::Bytes => self.bytes(field, slot),
            Kind::Int => {
                let value = self.integer(field, slot)?;
                self.out.text(&value.to_string());
                Ok(())
            }
            Kind::StrList => self.string_list(field, slot),
            Kind::StrMap => self.string_map(field, slot),
            Kind::Rec(entity) => match slot.as_record() {
                Some(rec) => self.within(field, |w| w.object(rec, entity)),
                None => self.fail(field, "must be an object"),
            },
            Kind::List(entity) => self.list(field, entity, slot),
            Kind::Map(entity) => self.map(field, entity, slot),
            Kind::Time | Kind::Enum(_) => self.fail(field, "cannot be written here"),
        }
    }

    #[inline(always)]
    fn copy(&mut self, field: &'static Field, slot: Slot, first: u8, what: &'static str) -> Write {
        let Some(span) = slot.as_span_of(self.input, first) else { return self.fail(field, what) };
        self.out.span(self.input, span);
        Ok(())
    }

    /// Most values are strings: without a call where they are written.
    #[inline(always)]
    fn string_here(&mut self, field: &'static Field, slot: Slot) -> Write {
        self.copy(field, slot, b'"', "must be a string")
    }

    /// Writes an element of a list or a value of a map.
    #[inline(always)]
    fn entry(&mut self, slot: Slot, entity: &'static Entity) -> Write {
        match slot.as_record() {
            Some(rec) => self.object(rec, entity),
            None => self.fail_here(entity.name, "must be an object"),
        }
    }

    fn list(&mut self, field: &'static Field, entity: &'static Entity, slot: Slot) -> Write {
        let Some((first, count)) = slot.as_run() else { return self.fail(field, "must be an array") };
        self.within(field, |w| {
            w.out.byte(b'[');
            for i in 0..count {
                if i > 0 {
                    w.out.byte(b',');
                }
                let item = w.doc.slot(first + i);
                w.at_index(i, |w| w.entry(item, entity))?;
            }
            w.out.byte(b']');
            Ok(())
        })
    }

    fn map(&mut self, field: &'static Field, entity: &'static Entity, slot: Slot) -> Write {
        if slot.as_run().is_none() {
            return self.fail(field, "must be an object");
        }
        let entries = self.map_entries(slot);
        self.within(field, |w| {
            w.out.raw(b"{");
            for (key, value) in entries {
                let mark = w.out.bytes.len();
                w.out.name_from(w.input, key);
                match w.at_name(key, |w| w.entry(value, entity)) {
                    Err(fail) if fail.is_dropped() => w.out.bytes.truncate(mark),
                    other => other?,
                }
            }
            w.out.raw(b"}");
            Ok(())
        })
    }
}
