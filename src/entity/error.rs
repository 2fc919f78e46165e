//! Errors (RULES 8): the same codes in both versions, other data.

use crate::json::{Out, Span, elements, member, members, text, validate};
use crate::protocol::{ErrorCode, Version, error_detail};

/// An error for a client or from an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct A2aError {
    /// The JSON-RPC code.
    pub code: ErrorCode,
    /// One sentence.
    pub message: String,
    /// The message as the peer's JSON string, where it has escapes: it is passed on as it was (RULES E.1).
    pub message_token: Option<Vec<u8>>,
    /// `error.data` as JSON text, in the shape of the version it came from.
    pub data: Option<Vec<u8>>,
}

impl A2aError {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> A2aError {
        A2aError { code, message: message.into(), message_token: None, data: None }
    }

    /// Writes the message as a JSON string.
    pub fn write_message(&self, out: &mut Out) {
        match &self.message_token {
            Some(token) => out.raw(token),
            None => out.string(&self.message),
        }
    }

    /// The same error with data: JSON text.
    pub fn with_data(mut self, data: Vec<u8>) -> A2aError {
        self.data = Some(data);
        self
    }
}

/// The value of `@type` in an object; empty without one.
fn type_of(data: &[u8], object: Span) -> String {
    string_member(data, object, "@type")
}

fn string_member(data: &[u8], object: Span, name: &str) -> String {
    member(data, object, name).and_then(|value| text(data, value)).unwrap_or_default().into_owned()
}

fn write_error_detail(out: &mut Out, reason: &str) {
    out.text("{\"@type\":\"");
    out.text(error_detail::ERROR_INFO);
    out.text("\",\"reason\":\"");
    out.text(reason);
    out.text("\",\"domain\":\"");
    out.text(error_detail::DOMAIN);
    out.text("\"}");
}

/// Translates an error's data between versions: any JSON in v0.3, an array of typed details in v1.0 (RULES E.2, E.3).
/// `data` is valid JSON text or absent; `generic_reasons` also gives the codes −327xx an `ErrorInfo` (REST only).
pub fn translate_data(
    code: ErrorCode,
    data: Option<&[u8]>,
    from: Version,
    to: Version,
    generic_reasons: bool,
) -> Option<Vec<u8>> {
    let data = data.filter(|d| *d != b"null");
    match (from, to) {
        (Version::V0_3, Version::V1_0) => to_v1_0(code, data, generic_reasons),
        (Version::V1_0, Version::V0_3) => data.and_then(|data| to_v0_3(code, data)),
        _ => data.map(<[u8]>::to_vec),
    }
}

fn to_v1_0(code: ErrorCode, data: Option<&[u8]>, generic_reasons: bool) -> Option<Vec<u8>> {
    let reason = code.reason().filter(|_| generic_reasons || code.is_a2a());
    let span = data.and_then(|d| validate(d).ok());
    let mut out = Out::default();
    out.raw(b"[");
    if let (Some(data), Some(span)) = (data, span) {
        let raw = span.of(data);
        let items: Vec<Span> = elements(data, span).collect();
        let typed = raw.starts_with(b"[") && items.iter().all(|item| !type_of(data, *item).is_empty());
        if typed {
            let ours = items.iter().any(|item| {
                type_of(data, *item) == error_detail::ERROR_INFO
                    && string_member(data, *item, "domain") == error_detail::DOMAIN
            });
            if let Some(reason) = reason.filter(|_| !ours) {
                write_error_detail(&mut out, reason);
            }
            for item in items {
                out.separate();
                out.span(data, item);
            }
        } else {
            if let Some(reason) = reason {
                write_error_detail(&mut out, reason);
            }
            out.separate();
            out.text("{\"@type\":\"");
            out.text(if raw.starts_with(b"{") { error_detail::STRUCT } else { error_detail::VALUE });
            out.text("\",\"value\":");
            out.raw(raw);
            out.raw(b"}");
        }
    } else if let Some(reason) = reason {
        write_error_detail(&mut out, reason);
    }
    out.raw(b"]");
    (out.bytes != b"[]").then_some(out.bytes)
}

fn to_v0_3(code: ErrorCode, data: &[u8]) -> Option<Vec<u8>> {
    let Ok(span) = validate(data) else { return Some(data.to_vec()) };
    if !span.of(data).starts_with(b"[") {
        return Some(data.to_vec());
    }
    let left: Vec<Span> = elements(data, span).filter(|item| !is_bare_error_detail(code, data, *item)).collect();
    match left.as_slice() {
        [] => None,
        [only] if [error_detail::STRUCT, error_detail::VALUE].contains(&type_of(data, *only).as_str()) => {
            member(data, *only, "value").map(|value| value.of(data).to_vec())
        }
        _ => Some(span.of(data).to_vec()),
    }
}

/// Whether the detail says no more than the code does.
fn is_bare_error_detail(code: ErrorCode, data: &[u8], item: Span) -> bool {
    type_of(data, item) == error_detail::ERROR_INFO
        && string_member(data, item, "domain") == error_detail::DOMAIN
        && code.reason() == Some(string_member(data, item, "reason").as_str())
        && member(data, item, "metadata").is_none_or(|m| m.of(data) == b"null" || members(data, m).next().is_none())
}
