//! HTTP+JSON errors: five shapes are understood, one is written per version (RULES E.2–E.5).

use crate::entity::{A2aError, translate_data};
use crate::json::{self, Out, Span, elements, text, validate};
use crate::protocol::{ErrorCode, Operation, Version, error_detail, is_transport_status, transport_status_name};
use crate::wire::jsonrpc;
use std::borrow::Cow;

/// An error as a peer said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerError {
    /// Code, message, data.
    pub error: A2aError,
    /// Whose shape the data has.
    pub shape: Version,
    /// The HTTP status that stays whatever the code says: conditions of the transport, and where the code says
    /// less than the status did.
    pub status: Option<u16>,
    /// The body, if it was a `google.rpc.Status` already: v1.0 REST clients get it unchanged.
    pub status_body: Option<Vec<u8>>,
}

impl PeerError {
    /// An error of our own: it has no data, or data in the shape of `shape`.
    pub fn own(error: A2aError, shape: Version) -> PeerError {
        PeerError { error, shape, status: None, status_body: None }
    }

    /// The same error with an HTTP status that stays.
    pub fn with_status(mut self, status: u16) -> PeerError {
        self.status = is_transport_status(status).then_some(status).or(self.status);
        self
    }

    /// The error for a client of `version` on JSON-RPC.
    pub fn for_json_rpc(&self, version: Version) -> A2aError {
        jsonrpc::error_for(&self.error, self.shape, version)
    }
}

impl From<A2aError> for PeerError {
    /// An error of our own without data.
    fn from(error: A2aError) -> PeerError {
        PeerError::own(error, Version::V0_3)
    }
}

fn string(body: &[u8], span: Span) -> Option<String> {
    text(body, span).map(Cow::into_owned)
}

fn integer(body: &[u8], span: Span) -> Option<i64> {
    std::str::from_utf8(span.of(body)).ok()?.parse().ok()
}

fn member(body: &[u8], object: Span, name: &str) -> Option<Span> {
    json::member(body, object, name).filter(|value| value.of(body) != b"null")
}

/// Reads the error that an agent of `version` answered with HTTP `status` (0 within a stream) to `operation`.
pub fn read_error(version: Version, operation: Operation, status: u16, body: &[u8]) -> PeerError {
    let Ok(root) = validate(body) else { return by_status(version, operation, status, None) };
    if let Some(error) = member(body, root, "error").filter(|e| e.of(body).starts_with(b"{")) {
        let code = member(body, error, "code").and_then(|c| integer(body, c)).unwrap_or_default();
        if code < 0 {
            return json_rpc_error(body, error, status);
        }
        return rpc_status(operation, status, body, error);
    }
    let code = member(body, root, "code").and_then(|c| integer(body, c)).filter(|c| *c < 0);
    if code.is_some() {
        return json_rpc_error(body, root, status);
    }
    let message =
        ["message", "detail", "title"].iter().find_map(|name| member(body, root, name).and_then(|m| string(body, m)));
    by_status(version, operation, status, message)
}

/// `{code, message, data?}`, v0.3's and JSON-RPC's.
fn json_rpc_error(body: &[u8], object: Span, status: u16) -> PeerError {
    let error = jsonrpc::read_error(body, object);
    let error = error.unwrap_or_else(|| A2aError::new(ErrorCode::INTERNAL_ERROR, format!("HTTP {status}")));
    let unknown = error.code.http_v0_3().is_none();
    let kept = (is_transport_status(status) || (unknown && status >= 400)).then_some(status);
    PeerError { error, shape: Version::V0_3, status: kept, status_body: None }
}

/// `google.rpc.Status`.
fn rpc_status(operation: Operation, status: u16, body: &[u8], error: Span) -> PeerError {
    let spoken = member(body, error, "message");
    let message = spoken.and_then(|m| string(body, m));
    let message_token = spoken.and_then(|m| jsonrpc::escaped(body, m));
    let name = member(body, error, "status").and_then(|s| string(body, s)).unwrap_or_default();
    let stated = member(body, error, "code").and_then(|c| integer(body, c)).unwrap_or_default() as u16;
    let http = if status >= 400 { status } else { stated };
    let details = member(body, error, "details").filter(|d| d.of(body).starts_with(b"["));
    let of_reason = details.and_then(|details| {
        elements(body, details).find_map(|detail| {
            let text = |name| member(body, detail, name).and_then(|v| string(body, v)).unwrap_or_default();
            (text("@type") == error_detail::ERROR_INFO && text("domain") == error_detail::DOMAIN)
                .then(|| ErrorCode::from_reason(&text("reason")))
                .flatten()
        })
    });
    let code = of_reason.unwrap_or_else(|| match name.as_str() {
        "NOT_FOUND" if names_no_task(operation) => ErrorCode::METHOD_NOT_FOUND,
        "NOT_FOUND" => ErrorCode::TASK_NOT_FOUND,
        "INVALID_ARGUMENT" => ErrorCode::INVALID_PARAMS,
        "UNIMPLEMENTED" => ErrorCode::METHOD_NOT_FOUND,
        "" => code_by_status(Version::V1_0, operation, http),
        _ => ErrorCode::INTERNAL_ERROR,
    });
    let data = details.filter(|d| elements(body, *d).next().is_some()).map(|d| d.of(body).to_vec());
    let message = message.unwrap_or_else(|| format!("HTTP {http}"));
    // FAILED_PRECONDITION without a reason says no more than its status (RULES E.4).
    let kept = is_transport_status(http) || (of_reason.is_none() && name == "FAILED_PRECONDITION");
    PeerError {
        error: A2aError { code, message, message_token, data },
        shape: Version::V1_0,
        status: kept.then_some(http),
        status_body: Some(body.to_vec()),
    }
}

fn by_status(version: Version, operation: Operation, status: u16, message: Option<String>) -> PeerError {
    let code = code_by_status(version, operation, status);
    let message = message.filter(|m| !m.is_empty()).unwrap_or_else(|| format!("HTTP {status}"));
    PeerError {
        error: A2aError::new(code, message),
        shape: version,
        status: is_transport_status(status).then_some(status),
        status_body: None,
    }
}

fn names_no_task(operation: Operation) -> bool {
    matches!(operation, Operation::SendMessage | Operation::SendStreamingMessage | Operation::ListTasks)
}

fn code_by_status(version: Version, operation: Operation, status: u16) -> ErrorCode {
    let push = matches!(
        operation,
        Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig
    );
    match status {
        404 if operation == Operation::GetExtendedAgentCard => ErrorCode::EXTENDED_AGENT_CARD_NOT_CONFIGURED,
        404 if names_no_task(operation) => ErrorCode::METHOD_NOT_FOUND,
        404 => ErrorCode::TASK_NOT_FOUND,
        409 => ErrorCode::TASK_NOT_CANCELABLE,
        415 => ErrorCode::CONTENT_TYPE_NOT_SUPPORTED,
        400 | 422 => ErrorCode::INVALID_PARAMS,
        501 if version == Version::V1_0 => ErrorCode::METHOD_NOT_FOUND,
        501 if push => ErrorCode::PUSH_NOTIFICATION_NOT_SUPPORTED,
        501 => ErrorCode::UNSUPPORTED_OPERATION,
        502 => ErrorCode::INVALID_AGENT_RESPONSE,
        _ => ErrorCode::INTERNAL_ERROR,
    }
}

/// The HTTP status and body of an error for an HTTP+JSON client of `version`.
pub fn write_error(version: Version, given: &PeerError) -> (u16, Vec<u8>) {
    let error = &given.error;
    let mut out = Out::default();
    match version {
        Version::V0_3 => {
            let status = given.status.or(error.code.http_v0_3()).unwrap_or(500);
            let data = translate_data(error.code, error.data.as_deref(), given.shape, version, true);
            out.text("{\"code\":");
            out.text(&error.code.0.to_string());
            out.text(",\"message\":");
            error.write_message(&mut out);
            if let Some(data) = data {
                out.text(",\"data\":");
                out.raw(&data);
            }
            out.text("}");
            (status, out.bytes)
        }
        Version::V1_0 => {
            let status = given.status.or(error.code.http_v1_0()).unwrap_or(500);
            if let Some(body) = &given.status_body {
                return (status, body.clone());
            }
            let transport = transport_status_name(status);
            // A status that was chosen names itself; else the code does.
            let chosen = given.status.and_then(status_name);
            let name = transport.or(chosen).or(error.code.grpc_status()).or(status_name(status)).unwrap_or("UNKNOWN");
            let details = match transport {
                Some(_) => error.data.clone().filter(|_| given.shape == version),
                None => {
                    // Our own errors have no data yet: they get the code's ErrorInfo as a v0.3 agent's do.
                    let shape = if error.data.is_none() { Version::V0_3 } else { given.shape };
                    translate_data(error.code, error.data.as_deref(), shape, version, true)
                }
            };
            out.text("{\"error\":{\"code\":");
            out.text(&status.to_string());
            out.text(",\"status\":\"");
            out.text(name);
            out.text("\",\"message\":");
            error.write_message(&mut out);
            if let Some(details) = details {
                out.text(",\"details\":");
                out.raw(&details);
            }
            out.text("}}");
            (status, out.bytes)
        }
    }
}

fn status_name(status: u16) -> Option<&'static str> {
    match status {
        404 => Some("NOT_FOUND"),
        405 | 501 => Some("UNIMPLEMENTED"),
        413 | 415 | 508 => Some("INVALID_ARGUMENT"),
        502 => Some("UNAVAILABLE"),
        500 => Some("INTERNAL"),
        _ => None,
    }
}
