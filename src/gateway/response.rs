//! Making the client's responses.

use super::config::Config;
use super::headers;
use super::io::{Body, Finish, Head, Headers, RequestHead, RequestLog};
use crate::entity::A2aError;
use crate::json::Out;
use crate::protocol::{ErrorCode, Version, header, media_type};
use crate::wire::jsonrpc;
use crate::wire::rest::{PeerError, write_error};

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
        Finish { head: Head { status, headers: given }, body, log: self.log, background: None }
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

/// An HTTP+JSON error body with this status (RULES E.4, E.5).
pub(super) fn http_error_body(version: Version, status: u16, error: &A2aError) -> Vec<u8> {
    write_error(version, &PeerError { status: Some(status), ..PeerError::own(error.clone(), version) }).1
}

/// A JSON-RPC error body; `error` is in the client's shape ([`shaped`]).
pub(super) fn rpc_error_body(id: &[u8], error: &A2aError) -> Vec<u8> {
    let mut out = Out::default();
    jsonrpc::write_error(&mut out, id, error);
    out.bytes
}

/// −32601 with these words.
pub(super) fn not_found(message: &str) -> A2aError {
    A2aError::new(ErrorCode::METHOD_NOT_FOUND, message)
}
