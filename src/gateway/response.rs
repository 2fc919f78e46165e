//! Making the client's responses.

use super::config::Config;
use super::headers;
use super::io::{Body, Finish, Head, Headers, RequestHead, RequestLog};
use crate::entity::A2aError;
use crate::json::Out;
use crate::protocol::{ErrorCode, Version, error_detail, header, media_type, transport_status_name};
use crate::wire::jsonrpc;

/// How long the notices' header may be, in bytes.
const NOTICES_MOST: usize = 1024;

/// Builds the response to one request: headers that every response has, and the log.
pub(super) struct Responder<'r> {
    pub config: Option<&'r Config>,
    pub request: &'r RequestHead,
    pub log: RequestLog,
}

impl Responder<'_> {
    /// Answers with these bytes.
    pub fn bytes(self, status: u16, content_type: &str, mut given: Headers, body: Vec<u8>) -> Finish {
        headers::set(&mut given, header::CONTENT_TYPE, content_type);
        self.finish(status, given, Body::Bytes(body))
    }

    /// Answers with whatever body.
    pub fn finish(mut self, status: u16, mut given: Headers, body: Body) -> Finish {
        if let Some(list) = notice_list(&self.log.notices) {
            headers::set(&mut given, header::A2A_COMPAT_NOTICES, &list);
        }
        if let Some(config) = self.config {
            config.cors.apply(headers::get(&self.request.headers, header::ORIGIN), &mut given);
        }
        self.log.status = status;
        Finish { head: Head { status, headers: given }, body, log: self.log }
    }

    /// Answers with an event stream.
    pub fn events(self, mut given: Headers, body: Body) -> Finish {
        headers::set(&mut given, header::CONTENT_TYPE, media_type::EVENT_STREAM);
        headers::set(&mut given, header::CACHE_CONTROL, "no-cache");
        self.finish(200, given, body)
    }

    /// An error for somebody who asked for a path: v0.3's or v1.0's HTTP+JSON shape (RULES E.4, E.5).
    pub fn http_error(self, status: u16, given: Headers, error: &A2aError) -> Finish {
        let version = self.http_version();
        let body = http_error_body(version, status, error);
        self.bytes(status, media_type::JSON, given, body)
    }

    /// The version in which a request for a path is answered: its header's, else its path's.
    pub fn http_version(&self) -> Version {
        let header = headers::get(&self.request.headers, header::A2A_VERSION).filter(|v| !v.trim().is_empty());
        match header.and_then(Version::negotiate) {
            Some(version) => version,
            None if self.request.path.starts_with("/v1/") || self.request.path.contains("/v1/") => Version::V0_3,
            None => Version::V1_0,
        }
    }
}

/// The codes, each once, as far as they fit.
fn notice_list(codes: &[&'static str]) -> Option<String> {
    let mut list = String::new();
    for (i, code) in codes.iter().enumerate() {
        if codes.get(..i).is_some_and(|before| before.contains(code)) {
            continue;
        }
        if list.len() + code.len() + 2 > NOTICES_MOST {
            break;
        }
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(code);
    }
    (!list.is_empty()).then_some(list)
}

/// An HTTP+JSON error body (RULES E.4, E.5). The error has no data of its own.
pub(super) fn http_error_body(version: Version, status: u16, error: &A2aError) -> Vec<u8> {
    let mut out = Out::default();
    match version {
        Version::V0_3 => {
            out.text(&format!("{{\"code\":{},\"message\":", error.code.0));
            out.string(&error.message);
            out.text("}");
        }
        Version::V1_0 => {
            let name = transport_status_name(status).or_else(|| status_name(status)).or(error.code.grpc_status());
            out.text(&format!("{{\"error\":{{\"code\":{status},\"status\":\"{}\",\"message\":", name.unwrap_or("UNKNOWN")));
            out.string(&error.message);
            out.text(",\"details\":[");
            if let Some(reason) = error.code.reason().filter(|_| transport_status_name(status).is_none()) {
                out.text(&format!(
                    "{{\"@type\":\"{}\",\"reason\":\"{reason}\",\"domain\":\"{}\"}}",
                    error_detail::ERROR_INFO,
                    error_detail::DOMAIN
                ));
            }
            out.text("]}}");
        }
    }
    out.bytes
}

fn status_name(status: u16) -> Option<&'static str> {
    match status {
        404 => Some("NOT_FOUND"),
        501 => Some("UNIMPLEMENTED"),
        502 => Some("UNAVAILABLE"),
        405 | 413 | 415 | 508 => Some("INVALID_ARGUMENT"),
        _ => None,
    }
}

/// A JSON-RPC error body; `error` is in the client's shape ([`shaped`]).
pub(super) fn rpc_error_body(id: &[u8], error: &A2aError) -> Vec<u8> {
    let mut out = Out::default();
    jsonrpc::write_error(&mut out, id, error);
    out.bytes
}

/// An error of our own for a client of `version`: v1.0 clients get the code's `ErrorInfo`.
pub(super) fn shaped(error: A2aError, version: Version) -> A2aError {
    match version {
        Version::V1_0 if error.data.is_none() => jsonrpc::error_for(&error, Version::V0_3, Version::V1_0),
        _ => error,
    }
}

/// −32601 with these words.
pub(super) fn not_found(message: &str) -> A2aError {
    A2aError::new(ErrorCode::METHOD_NOT_FOUND, message)
}
