//! Bytes to spans and spans to bytes: the validating scanner and the writer.
//!
//! No value tree is built. [`Scanner`] validates a JSON text once and reports where its pieces lie; what nobody
//! needs to look into is copied later as the bytes it was, so numbers, key order and escapes survive.

mod number;
mod out;
mod scan;
mod text;
mod walk;

pub use number::integral;
pub use out::{Out, PADDED_KEY, spliced};
pub use scan::{Fault, MAX_DEPTH, MAX_INPUT_BYTES, Scanner, Span, SyntaxError};
pub use text::{quote_into, text, unescape};
pub use walk::{elements, member, members, unique, unique_members};

/// Strips the UTF-8 byte order mark that some senders put before a JSON text (RULES 0.13).
pub fn without_bom(input: &[u8]) -> &[u8] {
    input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input)
}

/// Validates one JSON text: UTF-8, grammar, depth. Returns the span of its value.
///
/// # Errors
/// [`SyntaxError`] with the byte offset of the first fault.
pub fn validate(input: &[u8]) -> Result<Span, SyntaxError> {
    let mut scanner = Scanner::new(input)?;
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value)
}
