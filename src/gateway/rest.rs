//! HTTP+JSON clients: reading their requests.

use super::call::{ClientCall, Original};
use super::config::{Agent, Config};
use super::dispatch::choose_rest_version;
use super::headers;
use super::io::{BodyError, Event, Finish, Step};
use super::response::{Responder, not_found};
use super::rpc::{is_json, version_error};
use super::serve::Cx;
use crate::engine::Slot;
use crate::entity::{A2aError, asks_for_webhook, params_shape};
use crate::json::{Scanner, validate, without_bom};
use crate::protocol::{Binding, ErrorCode, Operation, Peer, Version, header, media_type};
use crate::translate::Translator;
use crate::wire::rest::{PeerError, RestPath, RestRequest, operation, read_request, write_error};

/// The id with which JSON-RPC agents are asked.
const ID: &[u8] = b"1";

fn answer(responder: Responder<'_>, version: Version, error: &PeerError) -> Finish {
    let (status, body) = write_error(version, error);
    responder.bytes(status, media_type::JSON, Vec::new(), body)
}

fn with_status(status: u16, error: A2aError) -> PeerError {
    PeerError { status: Some(status), ..PeerError::from(error) }
}

pub(super) async fn serve(
    cx: &Cx<'_>,
    config: &Config,
    mut responder: Responder<'_>,
    agent: &Agent,
    base_path: &str,
    mut path: RestPath,
) -> Finish {
    responder.log.client.1 = Some(Binding::HttpJson);
    let request = cx.request;
    let stated = headers::get(&request.headers, header::A2A_VERSION);
    let version = match choose_rest_version(
        config.version_dispatch,
        &agent.offer,
        stated,
        Some(&request.query),
        path.version(),
    ) {
        Ok(version) => version,
        Err(error) => {
            responder.log.client.0 = Some(error.caller);
            let shaped = PeerError::own(version_error(&error), error.caller);
            return answer(responder, error.caller, &shaped);
        }
    };
    responder.log.client.0 = Some(version);
    let client = Peer::new(version, Binding::HttpJson);
    // Below /v1 v0.3 has its routes and no tenants; for v1.0 `v1` is a tenant like any other (REST.md).
    if version == Version::V0_3 {
        if path.prefix.as_deref() != Some("v1") {
            let error = not_found(&format!("A2A 0.3 has no route {}", request.path));
            return answer(responder, version, &with_status(404, error));
        }
        path.prefix = None;
    }
    let Some(operation) = operation(version, &request.method, &path.resource) else {
        let error = not_found(&format!("A2A {version} has no {} {}", request.method, request.path));
        return answer(responder, version, &with_status(404, error));
    };
    responder.log.set_operation(operation);
    if operation == Operation::ListTasks && version == Version::V0_3 {
        let error = A2aError::new(ErrorCode::UNSUPPORTED_OPERATION, "ListTasks has no equivalent in A2A v0.3");
        return answer(responder, version, &with_status(501, error));
    }
    let body = if request.method == "POST" {
        let most = config.limits.max_body_bytes;
        match cx.asker.ask(Step::ReadBody(most, config.limits.upstream_timeout_ms)).await {
            Event::Body(Ok(body)) => body,
            Event::Body(Err(BodyError::TooLarge)) => {
                let message = format!("The request is longer than {most} bytes (MAX_BODY_BYTES)");
                let error = A2aError::new(ErrorCode::INVALID_REQUEST, message);
                return answer(responder, version, &with_status(413, error));
            }
            _ => {
                let error = A2aError::new(ErrorCode::INVALID_REQUEST, "The request's body broke off");
                return answer(responder, version, &with_status(400, error));
            }
        }
    } else {
        Vec::new()
    };
    let sent_type = headers::get(&request.headers, header::CONTENT_TYPE);
    if !body.is_empty() && !sent_type.is_none_or(is_json) {
        let message = format!("Content-Type must be application/json, not {}", sent_type.unwrap_or_default());
        let error = A2aError::new(ErrorCode::CONTENT_TYPE_NOT_SUPPORTED, message);
        return answer(responder, version, &with_status(415, error));
    }
    if is_json_rpc(&body) {
        let message = "This is an HTTP+JSON route, but the body is a JSON-RPC request: POST it to /jsonrpc";
        return answer(responder, version, &A2aError::new(ErrorCode::INVALID_REQUEST, message).into());
    }
    let query: Vec<(String, String)> = url::form_urlencoded::parse(request.query.as_bytes())
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let rest = RestRequest { version, path: &path, query: &query, body: &body };
    let params = match read_request(&rest, operation) {
        Ok(params) => params,
        Err(error) => return answer(responder, version, &error.into()),
    };
    let mut translator = Translator::default();
    let read = Scanner::new(&params)
        .and_then(|mut scanner| params_shape(operation).read(&mut translator.doc, &mut scanner, client.dialect()));
    let slot = read.unwrap_or(Slot::ABSENT);
    let call = ClientCall {
        cx,
        config,
        agent,
        base_path,
        client,
        id: ID,
        input: &params,
        params: slot,
        params_span: validate(&params).ok(),
        has_webhook: asks_for_webhook(&translator.doc, operation, slot),
        original: Original {
            method: method(&request.method),
            target: target(cx, base_path),
            foreign_query: foreign(&query),
            body: &body,
        },
    };
    call.operation(responder, operation, translator).await
}

fn method(method: &str) -> &'static str {
    match method {
        "POST" => "POST",
        "DELETE" => "DELETE",
        _ => "GET",
    }
}

/// Path and query below the agent's base, as they came.
fn target(cx: &Cx<'_>, base_path: &str) -> String {
    let below = cx.request.path.strip_prefix(base_path).unwrap_or(&cx.request.path);
    match cx.request.query.as_str() {
        "" => below.to_owned(),
        query => format!("{below}?{query}"),
    }
}

/// What is left of a query without the version.
fn foreign(query: &[(String, String)]) -> String {
    let mut left = url::form_urlencoded::Serializer::new(String::new());
    left.extend_pairs(query.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(header::A2A_VERSION)));
    left.finish()
}

/// A JSON-RPC envelope where a REST body belongs.
fn is_json_rpc(body: &[u8]) -> bool {
    let body = without_bom(body);
    let Ok(root) = validate(body) else { return false };
    let has = |name: &[u8]| crate::json::members(body, root).any(|(key, _)| key.of(body) == name);
    has(b"jsonrpc") && has(b"method")
}
