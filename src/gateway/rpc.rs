//! JSON-RPC clients: reading their requests.

use super::call::{ClientCall, Original};
use super::config::{Agent, Config};
use super::dispatch::{VersionError, choose_version};
use super::headers;
use super::io::{BodyError, Event, Finish, Step};
use super::response::{Responder, rpc_error_body};
use super::serve::Cx;
use crate::engine::{Level, Notice};
use crate::entity::{A2aError, asks_for_webhook};
use crate::json::{member, validate, without_bom};
use crate::protocol::{Binding, ErrorCode, Peer, Version, error_detail, header, media_type};
use crate::translate::Translator;
use crate::wire::jsonrpc::{self, Refusal};

/// The codes that belong in a log and in a header.
pub(super) fn codes(notices: &[Notice]) -> impl Iterator<Item = &'static str> + '_ {
    notices.iter().filter(|notice| notice.level() == Level::Warning).map(|notice| notice.code.0)
}

pub(super) async fn serve(
    cx: &Cx<'_>,
    config: &Config,
    mut responder: Responder<'_>,
    agent: &Agent,
    base_path: &str,
) -> Finish {
    responder.log.client.1 = Some(Binding::JsonRpc);
    let sent_type = headers::get(&cx.request.headers, header::CONTENT_TYPE);
    if !sent_type.is_none_or(is_json) {
        let error =
            invalid_request(&format!("Content-Type must be application/json, not {}", sent_type.unwrap_or_default()));
        return refuse(responder, 415, b"null", &error);
    }
    let most = config.limits.max_body_bytes;
    let body = match cx.asker.ask(Step::ReadBody(most, config.limits.upstream_timeout_ms)).await {
        Event::Body(Ok(body)) => body,
        Event::Body(Err(BodyError::TooLarge)) => {
            let error = invalid_request(&format!("The request is longer than {most} bytes (MAX_BODY_BYTES)"));
            return refuse(responder, 413, b"null", &error);
        }
        _ => return refuse(responder, 400, b"null", &invalid_request("The request's body broke off")),
    };
    let mut translator = Translator::default();
    let call = match jsonrpc::read_request(without_bom(&body), &mut translator.doc) {
        Ok(call) => call,
        Err(Refusal { id, mut error }) => {
            if error.code == ErrorCode::INVALID_REQUEST && is_rest(&body) {
                error.message = "This is the JSON-RPC endpoint, but the body is one of HTTP+JSON: POST it to /v1/message:send (A2A 0.3) or /message:send (1.0)".to_owned();
            }
            return refuse(responder, 200, &id, &error);
        }
    };
    if let Some((operation, _)) = call.operation {
        responder.log.set_operation(operation);
    }
    let header_version = headers::get(&cx.request.headers, header::A2A_VERSION);
    let chosen = choose_version(
        config.version_dispatch,
        &agent.offer,
        header_version,
        Some(&cx.request.query),
        Some(&call.method),
    );
    let client = match chosen {
        Ok(version) => version,
        Err(error) => {
            responder.log.client.0 = Some(error.caller);
            let error = version_error(&error);
            return refuse(responder, 200, &call.id, &error);
        }
    };
    responder.log.client.0 = Some(client);
    let text = without_bom(&body);
    let asked = ClientCall {
        cx,
        config,
        agent,
        base_path,
        client: Peer::new(client, Binding::JsonRpc),
        id: &call.id,
        input: text,
        params: call.params,
        params_span: call.params_span,
        has_webhook: call.operation.is_some_and(|(op, _)| asks_for_webhook(&translator.doc, op, call.params)),
        original: Original { method: "POST", target: String::new(), foreign_query: String::new(), body: &body },
    };
    match call.operation {
        Some((operation, _)) => asked.operation(responder, operation, translator).await,
        None => asked.unknown_method(responder, &call.method).await,
    }
}

/// A REST body where a JSON-RPC envelope belongs.
fn is_rest(body: &[u8]) -> bool {
    let body = without_bom(body);
    let Ok(root) = validate(body) else { return false };
    let has = |name| member(body, root, name).is_some();
    (has("message") || has("request")) && !has("jsonrpc") && !has("method")
}

fn refuse(responder: Responder<'_>, status: u16, id: &[u8], error: &A2aError) -> Finish {
    responder.bytes(status, media_type::JSON, Vec::new(), rpc_error_body(id, error))
}

fn invalid_request(why: &str) -> A2aError {
    A2aError::new(ErrorCode::INVALID_REQUEST, why)
}

/// `application/json`, `application/a2a+json` and the like; parameters are ignored.
pub(super) fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type == media_type::JSON || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

/// −32009 with the supported versions in its data, in the caller's shape.
pub(super) fn version_error(error: &VersionError) -> A2aError {
    version_not_supported(error.to_string(), error.caller, &error.supported)
}

/// −32009 with these versions in its data, in the shape of `caller`.
pub(super) fn version_not_supported(message: String, caller: Version, supported: &[Version]) -> A2aError {
    let supported: Vec<&str> = supported.iter().map(|version| version.as_str()).collect();
    let data = match caller {
        Version::V0_3 => serde_json::json!({ "supportedVersions": supported }),
        Version::V1_0 => serde_json::json!([{
            "@type": error_detail::ERROR_INFO,
            "reason": ErrorCode::VERSION_NOT_SUPPORTED.reason(),
            "domain": error_detail::DOMAIN,
            "metadata": { "supportedVersions": supported.join(",") },
        }]),
    };
    A2aError::new(ErrorCode::VERSION_NOT_SUPPORTED, message).with_data(data.to_string().into_bytes())
}
