//! What agents answer, over either binding.

use super::jsonrpc::{self, Answer};
use super::rest::{self, PeerError};
use crate::engine::{Doc, Slot};
use crate::entity::{A2aError, Shape, result_shape, stream_error};
use crate::json::{Scanner, without_bom};
use crate::protocol::{Binding, ErrorCode, Operation, Peer, is_transport_status};

/// The shape with which a result is read: between peers of one dialect it goes as it is, but cards do not.
pub fn reading_shape(agent: Peer, client: Peer, operation: Operation) -> Shape {
    let rewritten = [Operation::GetExtendedAgentCard, Operation::DeleteTaskPushNotificationConfig].contains(&operation);
    if agent.dialect() == client.dialect() && !rewritten { Shape::Opaque } else { result_shape(operation) }
}

/// Reads an agent's whole answer to `operation`: its result into `doc`.
///
/// # Errors
/// The agent's error, or −32006 for what is not A2A.
pub fn read_answer(
    agent: Peer,
    operation: Operation,
    shape: Shape,
    status: u16,
    body: &[u8],
    doc: &mut Doc,
) -> Result<Slot, PeerError> {
    let body = without_bom(body);
    let good = (200..300).contains(&status);
    match agent.binding {
        Binding::JsonRpc => match jsonrpc::read_answer(body, operation, shape, agent.version, doc) {
            Ok(Answer::Result(slot)) => Ok(slot),
            Ok(Answer::Error(error)) => Err(PeerError::own(error, agent.version).with_status(status)),
            Err(_) if !good => Err(status_error(status)),
            Err(error) => Err(error.into()),
        },
        Binding::HttpJson if !good => Err(rest::read_error(agent.version, operation, status, body)),
        Binding::HttpJson => {
            doc.clear();
            if body.iter().all(u8::is_ascii_whitespace) && operation == Operation::DeleteTaskPushNotificationConfig {
                return Ok(Slot::ABSENT);
            }
            let invalid =
                |e| A2aError::new(ErrorCode::INVALID_AGENT_RESPONSE, format!("The agent's answer is not JSON: {e}"));
            let mut scanner = Scanner::new(body).map_err(invalid)?;
            let slot = shape.read(doc, &mut scanner, agent.dialect()).map_err(invalid)?;
            scanner.end().map_err(invalid)?;
            Ok(slot)
        }
    }
}

/// Reads one event of an agent's stream.
///
/// # Errors
/// The agent's error event, or −32006 for what is no event.
#[inline]
pub fn read_event(
    agent: Peer,
    operation: Operation,
    shape: Shape,
    is_error: bool,
    data: &[u8],
    doc: &mut Doc,
) -> Result<Slot, PeerError> {
    match agent.binding {
        Binding::JsonRpc => match jsonrpc::read_answer(data, operation, shape, agent.version, doc) {
            Ok(Answer::Result(slot)) => Ok(slot),
            Ok(Answer::Error(error)) => Err(PeerError::own(error, agent.version)),
            Err(error) => Err(error.into()),
        },
        Binding::HttpJson => {
            let slot = read_answer(agent, operation, shape, 200, data, doc)?;
            if is_error || stream_error(doc, data, slot) {
                return Err(rest::read_error(agent.version, operation, 0, data));
            }
            Ok(slot)
        }
    }
}

/// The error for an answer that is no JSON-RPC and has an HTTP status that says why.
fn status_error(status: u16) -> PeerError {
    let code = if is_transport_status(status) || status == 502 {
        ErrorCode::INTERNAL_ERROR
    } else {
        ErrorCode::INVALID_AGENT_RESPONSE
    };
    let message = format!("The agent answered with HTTP status {status} and no JSON-RPC body");
    PeerError::from(A2aError::new(code, message)).with_status(status)
}
