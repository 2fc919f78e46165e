//! What the reader found: runs of slots in one arena.

use super::table::Field;
use crate::json::Span;

/// A record in a [`Doc`]: the index of its first slot.
pub type Rec = u32;

/// One value that was read, or its absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    a: u32,
    b: u32,
}

const STRUCTURED: u32 = 0x8000_0000;
const RECORD: u32 = u32::MAX;

impl Slot {
    /// Nothing there (or JSON `null`, RULES 0.4).
    pub const ABSENT: Slot = Slot { a: 0, b: 0 };

    /// A value that was not looked into.
    #[inline(always)]
    pub fn span(span: Span) -> Slot {
        Slot { a: span.start, b: span.end }
    }

    /// A record.
    #[inline(always)]
    pub fn record(rec: Rec) -> Slot {
        Slot { a: rec, b: RECORD }
    }

    /// A run of `count` slots from `first` on: the elements of a list, or keys and values of a map in turn.
    #[inline(always)]
    pub fn run(first: u32, count: u32) -> Slot {
        Slot { a: first, b: STRUCTURED | count }
    }

    /// Whether there is nothing.
    #[inline(always)]
    pub fn is_absent(self) -> bool {
        self.b == 0
    }

    /// The span of a value that was not looked into; of the wrong JSON type, where a record or list was due.
    #[inline(always)]
    pub fn as_span(self) -> Option<Span> {
        (self.b & STRUCTURED == 0 && self.b != 0).then_some(Span { start: self.a, end: self.b })
    }

    /// The span of a value that was not looked into, if its text begins with this byte: a quote for strings, a bracket
    /// for arrays, a brace for objects.
    #[inline(always)]
    pub fn as_span_of(self, input: &[u8], first: u8) -> Option<Span> {
        self.as_span().filter(|span| input.get(span.start as usize) == Some(&first))
    }

    /// The record.
    #[inline(always)]
    pub fn as_record(self) -> Option<Rec> {
        (self.b == RECORD).then_some(self.a)
    }

    /// The run: first slot and count.
    #[inline(always)]
    pub fn as_run(self) -> Option<(u32, u32)> {
        (self.b & STRUCTURED != 0 && self.b != RECORD).then_some((self.a, self.b & !STRUCTURED))
    }
}

/// A step from a value to one inside it.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Field(&'static Field),
    Index(u32),
    Name(Span),
}

/// Everything that was read from one text. Reusable: [`Doc::clear`] keeps the memory.
#[derive(Default)]
pub struct Doc {
    pub(super) slots: Vec<Slot>,
    /// Elements of lists that are still open.
    pub(super) stack: Vec<Slot>,
    /// What records that are still open have under another spelling of a field's key: the field's slot, and the value.
    pub(super) by_alias: Vec<(u32, Slot)>,
    /// Members nobody knows: record and the inside of the key's quotes. Kept only if `keep_unknown`.
    pub(super) unknown: Vec<(Rec, Span)>,
    /// The way from the root to the value being written.
    pub(super) path: Vec<Step>,
    /// The id of the JSON-RPC answer that was read.
    pub(crate) id: Option<Span>,
    /// Whether unknown members are remembered for `unknown_field_dropped`.
    pub keep_unknown: bool,
}

impl Doc {
    /// Forgets what was read.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.stack.clear();
        self.by_alias.clear();
        self.unknown.clear();
        self.id = None;
    }

    /// The slot at `index`.
    #[inline(always)]
    pub fn slot(&self, index: u32) -> Slot {
        match self.slots.get(index as usize) {
            Some(slot) => *slot,
            None => Slot::ABSENT,
        }
    }

    /// Overwrites the slot at `index`.
    #[inline(always)]
    pub fn set(&mut self, index: u32, slot: Slot) {
        if let Some(place) = self.slots.get_mut(index as usize) {
            *place = slot;
        }
    }

    /// Makes a record of `count` absent slots.
    #[inline(always)]
    pub fn allocate(&mut self, count: usize) -> Rec {
        let rec = self.slots.len();
        self.slots.resize(rec + count, Slot::ABSENT);
        rec as Rec
    }
}
