//! What clients are answered, over either binding.

use super::jsonrpc;
use super::rest::{self, PeerError};
use super::sse::{begin_event, end_event};
use crate::json::Out;
use crate::protocol::{Binding, Operation, Peer, Version, is_transport_status, media_type};

/// Writes what comes before a result.
#[inline(always)]
pub fn open_result(out: &mut Out, client: Peer, id: &[u8]) {
    if client.binding == Binding::JsonRpc {
        jsonrpc::open_result(out, id);
    }
}

/// Writes what comes behind a result.
#[inline(always)]
pub fn close_result(out: &mut Out, client: Peer) {
    if client.binding == Binding::JsonRpc {
        jsonrpc::close(out);
    }
}

/// HTTP status and media type of a successful answer. 204 has no body (REST.md).
pub fn success(client: Peer, operation: Operation) -> (u16, &'static str) {
    match (client.binding, client.version) {
        (Binding::JsonRpc, _) => (200, media_type::JSON),
        (Binding::HttpJson, Version::V0_3) if operation == Operation::DeleteTaskPushNotificationConfig => {
            (204, media_type::JSON)
        }
        (Binding::HttpJson, Version::V0_3) => (200, media_type::JSON),
        (Binding::HttpJson, Version::V1_0) => (200, media_type::A2A_JSON),
    }
}

/// HTTP status and body of an error. JSON-RPC errors are HTTP 200, but for conditions of the transport (RULES E.6).
pub fn error_answer(client: Peer, id: &[u8], error: &PeerError) -> (u16, Vec<u8>) {
    match client.binding {
        Binding::HttpJson => rest::write_error(client.version, error),
        Binding::JsonRpc => {
            let mut out = Out::default();
            jsonrpc::write_error(&mut out, id, &error.for_json_rpc(client.version));
            (error.status.filter(|status| is_transport_status(*status)).unwrap_or(200), out.bytes)
        }
    }
}

/// Appends an error event: a whole JSON-RPC answer, or the binding's error body (RULES 10.3).
pub fn write_error_event(out: &mut Out, client: Peer, id: &[u8], error: &PeerError, fields: &[u8]) {
    begin_event(out, true, fields);
    let (_, body) = error_answer(client, id, error);
    out.raw(&body);
    end_event(out);
}
