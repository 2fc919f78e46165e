//! The output buffer.

use super::{Span, quote_into};

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
        self.bytes.extend_from_slice(bytes);
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

    /// Appends a member's name given as plain text.
    pub fn name(&mut self, name: &str) {
        self.separate();
        quote_into(&mut self.bytes, name);
        self.bytes.push(b':');
    }

    /// Appends the comma before a member or an element, unless it is the first.
    pub fn separate(&mut self) {
        if !matches!(self.bytes.last(), Some(b'{' | b'[') | None) {
            self.bytes.push(b',');
        }
    }

    /// Appends `text` as a JSON string.
    pub fn string(&mut self, text: &str) {
        quote_into(&mut self.bytes, text);
    }
}
