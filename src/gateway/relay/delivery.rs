//! Deliveries: what an agent posts goes to the receiver in the receiver's version.

use super::token;
use crate::engine::{Context, Doc, Mode, Options};
use crate::entity::{A2aError, EventFacts, Payload, event_facts, event_shape, webhook_dialect};
use crate::gateway::call::task;
use crate::gateway::config::{Agent, Config};
use crate::gateway::headers;
use crate::gateway::io::{Body, BodyError, Event, Fetch, FetchError, Finish, Headers, Step};
use crate::gateway::response::Responder;
use crate::gateway::rpc::{codes, is_json};
use crate::gateway::serve::Cx;
use crate::gateway::state::too_many_hops;
use crate::json::{Scanner, validate, without_bom};
use crate::protocol::{Dialect, ErrorCode, Version, header, media_type};
use crate::translate::Translator;
use std::net::IpAddr;
use url::Url;

/// How long a receiver may take to answer, in milliseconds, unless agents get less.
const RECEIVER_TIMEOUT_MS: u64 = 30_000;

/// Why nothing was delivered: HTTP status for the agent, and what is wrong.
type Refusal = (u16, A2aError);

fn invalid(status: u16, message: impl Into<String>) -> Refusal {
    (status, A2aError::new(ErrorCode::INVALID_REQUEST, message))
}

fn undelivered(status: u16, message: impl Into<String>) -> Refusal {
    (status, A2aError::new(ErrorCode::INTERNAL_ERROR, message))
}

/// The dialect of webhooks in a version.
fn dialect(version: Version) -> Dialect {
    match version {
        Version::V0_3 => Dialect::J3,
        Version::V1_0 => Dialect::P1,
    }
}

/// Takes a delivery by `agent` to the webhook in `sealed`.
pub(in crate::gateway) async fn serve(
    cx: &Cx<'_>,
    config: &Config,
    mut responder: Responder<'_>,
    agent: &Agent,
    sealed: &str,
) -> Finish {
    responder.log.operation = Some("relay");
    match deliver(cx, config, &mut responder, agent, sealed).await {
        Ok((status, given)) => responder.finish(status, given, Body::Bytes(Vec::new())),
        Err((status, error)) => responder.http_error(status, Vec::new(), &error),
    }
}

async fn deliver(
    cx: &Cx<'_>,
    config: &Config,
    responder: &mut Responder<'_>,
    agent: &Agent,
    sealed: &str,
) -> Result<(u16, Headers), Refusal> {
    let opened = config.relay_keys.as_ref().and_then(|keys| token::open(keys, agent.name.as_deref(), sealed));
    let Some((version, url)) = opened else {
        return Err(invalid(404, "There is no such webhook"));
    };
    let (url, addresses) =
        cx.receiver(config, &url).await.map_err(|why| invalid(403, format!("The webhook's URL {why}")))?;
    let body = read_body(cx, config).await?;
    let body = without_bom(&body);
    let (from, facts) = read_event(body)?;
    responder.log.client.0 = Some(from.version());
    let to = dialect(version);
    let body = if version == Version::V0_3 && agent.profile.push_task_snapshot && facts.payload != Payload::Message {
        snapshot(cx, config, agent, body, from, &facts).await?
    } else if from == to {
        body.to_vec()
    } else {
        translated(body, from, to, responder)?
    };
    let sent = request_headers(cx, version)?;
    post(cx, config, url, addresses, sent, body).await
}

async fn read_body(cx: &Cx<'_>, config: &Config) -> Result<Vec<u8>, Refusal> {
    let sent_type = headers::get(&cx.request.headers, header::CONTENT_TYPE);
    if !sent_type.is_none_or(is_json) {
        return Err(invalid(415, "Content-Type must be application/json or application/a2a+json"));
    }
    let most = config.limits.max_body_bytes;
    match cx.asker.ask(Step::ReadBody(most, config.limits.upstream_timeout_ms)).await {
        Event::Body(Ok(body)) => Ok(body),
        Event::Body(Err(BodyError::TooLarge)) => {
            Err(invalid(413, format!("The notification is longer than {most} bytes (MAX_BODY_BYTES)")))
        }
        _ => Err(invalid(400, "The notification's body broke off")),
    }
}

/// What was posted: its dialect, and what it is about.
fn read_event(body: &[u8]) -> Result<(Dialect, EventFacts), Refusal> {
    let root = validate(body).map_err(|error| invalid(400, format!("The notification is not JSON: {error}")))?;
    let facts = |from: Dialect| {
        let mut doc = Doc::default();
        let slot = event_shape().read(&mut doc, &mut Scanner::new(body).ok()?, from).ok()?;
        Some((from, event_facts(&doc, body, slot, from)?))
    };
    match webhook_dialect(body, root).and_then(facts) {
        Some(event) => Ok(event),
        None => Err(invalid(400, "The notification is neither an A2A 0.3 event or task nor a 1.0 StreamResponse")),
    }
}

fn translated(body: &[u8], from: Dialect, to: Dialect, responder: &mut Responder<'_>) -> Result<Vec<u8>, Refusal> {
    let mut translator = Translator::default();
    let options = Options::default();
    let cx = Context { from, to, mode: Mode::Result, root: "", options: &options };
    translator
        .value(body, event_shape(), cx)
        .map_err(|error| invalid(400, format!("The notification cannot be translated: {}", error.message)))?;
    responder.log.notices.extend(codes(&translator.notices));
    Ok(translator.out.bytes)
}

/// The whole task in v0.3, for receivers that read nothing else (RULES 11).
async fn snapshot(
    cx: &Cx<'_>,
    config: &Config,
    agent: &Agent,
    body: &[u8],
    from: Dialect,
    facts: &EventFacts,
) -> Result<Vec<u8>, Refusal> {
    if facts.payload == Payload::Task && from == Dialect::J3 {
        return Ok(body.to_vec());
    }
    task(cx, config, agent, Version::V0_3, &facts.task_id(body)).await.map_err(|error| {
        let status = error.status.filter(|status| matches!(status, 502 | 504 | 508)).unwrap_or(502);
        undelivered(status, format!("The agent did not give the task: {}", error.error.message))
    })
}

/// The notification's token and credential, and nothing else of what came.
fn request_headers(cx: &Cx<'_>, receiver: Version) -> Result<Headers, Refusal> {
    let kept = [header::X_A2A_NOTIFICATION_TOKEN, header::AUTHORIZATION, header::A2A_COMPAT_HOPS];
    let kept: Headers = cx
        .request
        .headers
        .iter()
        .filter(|(name, _)| kept.iter().any(|kept| name.eq_ignore_ascii_case(kept)))
        .cloned()
        .collect();
    let mut sent = headers::to_upstream(&kept, receiver, true).map_err(|_| {
        let problem = too_many_hops();
        undelivered(problem.status, problem.message)
    })?;
    headers::set(&mut sent, header::A2A_VERSION, receiver.as_str());
    let content_type = match receiver {
        Version::V0_3 => media_type::JSON,
        Version::V1_0 => media_type::A2A_JSON,
    };
    headers::set(&mut sent, header::CONTENT_TYPE, content_type);
    Ok(sent)
}

/// Posts to the receiver. Its status is the agent's answer, so that the agent's own retries work.
async fn post(
    cx: &Cx<'_>,
    config: &Config,
    url: Url,
    addresses: Vec<IpAddr>,
    headers: Headers,
    body: Vec<u8>,
) -> Result<(u16, Headers), Refusal> {
    let timeout_ms = config.limits.upstream_timeout_ms.min(RECEIVER_TIMEOUT_MS);
    let fetch = Fetch {
        method: "POST",
        url: url.into(),
        binding: None,
        headers,
        body: Some(body),
        timeout_ms,
        addresses,
        beside: false,
    };
    match cx.asker.ask(Step::Fetch(fetch)).await {
        Event::Response(Ok(head)) => {
            cx.asker.ask(Step::DropResponse).await;
            if (300..400).contains(&head.status) {
                return Err(undelivered(502, "The receiver answered with a redirect, which is not followed"));
            }
            let given = headers::get(&head.headers, header::RETRY_AFTER)
                .map(|seconds| (header::RETRY_AFTER.to_owned(), seconds.to_owned()));
            Ok((head.status, given.into_iter().collect()))
        }
        Event::Response(Err(FetchError::Timeout)) => {
            Err(undelivered(504, format!("The receiver did not answer within {} s", timeout_ms / 1000)))
        }
        _ => Err(undelivered(502, "The receiver cannot be reached")),
    }
}
