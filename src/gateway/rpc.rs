//! The JSON-RPC binding: a client's call, passed through or bridged.

use super::cards::overrides;
use super::config::{Agent, Config, LegacyBlocking, LegacyFinal};
use super::discovery::{NoInterface, UpstreamCard, UpstreamInterface, choose_interface};
use super::dispatch::{VersionError, choose_version};
use super::headers;
use super::io::{Body, BodyError, Chunk, Event, Fetch, FetchError, Finish, Headers, ResponseHead, Step};
use super::response::{Responder, not_found, rpc_error_body, shaped};
use super::serve::{Cx, JSON_RPC};
use super::state::{Problem, add_own, binding, shown, too_many_hops};
use crate::bridge::{self, AgentAnswer, Budgets, Call, End, Exchange, Setup, wants_error_events, write_error_event};
use crate::engine::{Level, Notice, Options};
use crate::entity::{A2aError, asks_for_webhook};
use crate::json::{Out, members, unescape, without_bom};
use crate::protocol::{Binding, ErrorCode, Operation, Version, error_detail, header, is_transport_status, media_type};
use crate::translate::Translator;
use crate::wire::jsonrpc::{self, Refusal, Request};
use std::rc::Rc;

/// At latest so long after the agent's headers the client gets its own, in milliseconds (DESIGN "Streaming contract").
const PEEK_MS: u64 = 2000;

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
    responder.log.client.1 = Some(JSON_RPC);
    let sent_type = headers::get(&cx.request.headers, header::CONTENT_TYPE);
    if !sent_type.is_none_or(is_json) {
        let error = invalid_request(&format!(
            "Content-Type must be application/json, not {}",
            sent_type.unwrap_or_default()
        ));
        return refuse(responder, 415, b"null", &error);
    }
    let most = config.limits.max_body_bytes;
    let body = match cx.asker.ask(Step::ReadBody(most)).await {
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
        Err(Refusal { id, error }) => return refuse(responder, 200, &id, &error),
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
    let rpc = Rpc { cx, config, agent, base_path, body: &body, call: &call, client };
    match call.operation {
        Some((operation, _)) => rpc.operation(responder, operation, translator).await,
        None => rpc.unknown_method(responder).await,
    }
}

fn refuse(responder: Responder<'_>, status: u16, id: &[u8], error: &A2aError) -> Finish {
    responder.bytes(status, media_type::JSON, Vec::new(), rpc_error_body(id, error))
}

fn invalid_request(why: &str) -> A2aError {
    A2aError::new(ErrorCode::INVALID_REQUEST, why)
}

/// `application/json`, `application/a2a+json` and the like; parameters are ignored.
fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type == media_type::JSON || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

fn is_events(head: &ResponseHead) -> bool {
    let content_type = headers::get(&head.headers, header::CONTENT_TYPE).unwrap_or_default();
    content_type.trim_start().to_ascii_lowercase().starts_with(media_type::EVENT_STREAM)
}

/// −32009 with the supported versions in its data, in the caller's shape.
fn version_error(error: &VersionError) -> A2aError {
    let supported: Vec<&str> = error.supported.iter().map(|version| version.as_str()).collect();
    let data = match error.caller {
        Version::V0_3 => serde_json::json!({ "supportedVersions": supported }),
        Version::V1_0 => serde_json::json!([{
            "@type": error_detail::ERROR_INFO,
            "reason": ErrorCode::VERSION_NOT_SUPPORTED.reason(),
            "domain": error_detail::DOMAIN,
            "metadata": { "supportedVersions": supported.join(",") },
        }]),
    };
    A2aError::new(ErrorCode::VERSION_NOT_SUPPORTED, error.to_string()).with_data(data.to_string().into_bytes())
}

/// One call.
struct Rpc<'r> {
    cx: &'r Cx<'r>,
    config: &'r Config,
    agent: &'r Agent,
    base_path: &'r str,
    body: &'r [u8],
    call: &'r Request,
    client: Version,
}

/// The client's answer, before it is sent.
struct Attempt {
    status: u16,
    is_events: bool,
    headers: Headers,
    body: Body,
    notices: Vec<&'static str>,
    /// The agent's error, if that is what the client gets.
    agent_error: Option<ErrorCode>,
    upstream: Version,
}

impl<'r> Rpc<'r> {
    // ---- answering

    /// An error of the gateway's own, in the client's dialect.
    fn fail(
        &self,
        responder: Responder<'_>,
        operation: Option<Operation>,
        status: u16,
        error: A2aError,
    ) -> Finish {
        let error = shaped(error, self.client);
        let status = if is_transport_status(status) || matches!(status, 501 | 508) { status } else { 200 };
        let as_event = operation.is_some_and(|o| wants_error_events(o, self.client, self.wants_events_only()));
        if as_event && status == 200 {
            let mut out = Out::default();
            write_error_event(&mut out, &self.call.id, &error, b"");
            return responder.events(Vec::new(), Body::Bytes(out.bytes));
        }
        refuse(responder, status, &self.call.id, &error)
    }

    fn problem(&self, responder: Responder<'_>, operation: Option<Operation>, problem: Problem) -> Finish {
        let error = A2aError::new(ErrorCode::INTERNAL_ERROR, problem.message);
        self.fail(responder, operation, problem.status, error)
    }

    /// The client reads event streams and nothing else (PEERS "Error before a stream").
    fn wants_events_only(&self) -> bool {
        let accept = headers::get(&self.cx.request.headers, header::ACCEPT).unwrap_or_default().to_ascii_lowercase();
        let admits = |what: &str| accept.contains(what);
        admits(media_type::EVENT_STREAM) && !admits("json") && !admits("*/*") && !admits("application/*")
    }

    // ---- whom to ask

    fn choose<'c>(
        &self,
        card: &'c UpstreamCard,
        version: Version,
    ) -> Result<&'c UpstreamInterface, (u16, A2aError)> {
        match choose_interface(card, self.agent, &self.config.upstream_origins, version, JSON_RPC) {
            Ok(interface) if interface.binding == Binding::JsonRpc => Ok(interface),
            Ok(_) => Err((
                501,
                A2aError::new(
                    ErrorCode::UNSUPPORTED_OPERATION,
                    "The agent offers only HTTP+JSON, which this gateway cannot call yet",
                ),
            )),
            Err(NoInterface::None) => Err((
                502,
                A2aError::new(
                    ErrorCode::INTERNAL_ERROR,
                    "The agent's card has no interface that this gateway speaks: JSONRPC or HTTP+JSON in 0.3 or 1.0",
                ),
            )),
            Err(NoInterface::Origin(origin)) => Err((
                502,
                A2aError::new(
                    ErrorCode::INTERNAL_ERROR,
                    format!("The agent's card leads to {origin}, which UPSTREAM_ORIGINS does not allow"),
                ),
            )),
        }
    }

    /// A method that neither version knows goes untouched to an agent of the same version.
    async fn unknown_method(&self, responder: Responder<'_>) -> Finish {
        let card = match self.cx.upstream_card(self.config, self.agent).await {
            Ok(card) => card,
            Err(problem) => return self.problem(responder, None, problem),
        };
        let speaks = |version| {
            let chosen = self.choose(&card, version).ok();
            chosen.filter(|interface| interface.version == version)
        };
        let Some(interface) = speaks(self.client).or_else(|| speaks(Version::V0_3)) else {
            // The shape is v0.3's whatever the header says (RULES E.8).
            let error = not_found(&format!("Method not found: {}", self.call.method));
            return refuse(responder, 200, &self.call.id, &error);
        };
        match self.pass_through(interface, interface.version, self.body.to_vec(), false, true).await {
            Ok(attempt) => finish(responder, attempt),
            Err(problem) => self.problem(responder, None, problem),
        }
    }

    async fn operation(&self, mut responder: Responder<'_>, operation: Operation, translator: Translator) -> Finish {
        let card = match self.cx.upstream_card(self.config, self.agent).await {
            Ok(card) => card,
            Err(problem) => return self.problem(responder, Some(operation), problem),
        };
        let interface = match self.choose(&card, self.client) {
            Ok(interface) => interface.clone(),
            Err((status, error)) => return self.fail(responder, Some(operation), status, error),
        };
        let spoken = self.cx.gateway.state.borrow().spoken(self.agent, &interface, self.cx.now_ms);
        let stated = spoken.unwrap_or(interface.version);
        let first = self.attempt(&card, &interface, stated, spoken.is_some(), operation, Some(translator)).await;
        let first = match first {
            Ok(attempt) => attempt,
            Err(Stop::Answer(status, error)) => return self.fail(responder, Some(operation), status, error),
            Err(Stop::Problem(problem)) => return self.problem(responder, Some(operation), problem),
        };
        // A card may state the wrong version (PEERS): try the other one once, and believe it only if it fares better.
        if is_wrong_version(&first) && spoken.is_none() {
            let other = stated.other();
            let second = self.attempt(&card, &interface, other, false, operation, None).await;
            if let Ok(second) = second
                && !is_wrong_version(&second)
            {
                self.confirm(&interface, other);
                responder.log.remarks.push("card states the wrong version");
                return finish(responder, second);
            }
        } else if spoken.is_none() && first.agent_error.is_none() && first.status < 300 {
            self.confirm(&interface, stated);
        }
        finish(responder, first)
    }

    fn confirm(&self, interface: &UpstreamInterface, version: Version) {
        let until = self.cx.now_ms.saturating_add(self.config.limits.card_ttl_ms);
        self.cx.gateway.state.borrow_mut().confirm(self.agent, interface, version, until);
    }

    async fn attempt(
        &self,
        card: &Rc<UpstreamCard>,
        interface: &UpstreamInterface,
        version: Version,
        is_confirmed: bool,
        operation: Operation,
        translator: Option<Translator>,
    ) -> Result<Attempt, Stop> {
        // Cards are never passed on: their URLs are the agent's.
        if version == self.client && operation != Operation::GetExtendedAgentCard {
            let streaming = operation.is_streaming();
            let passed = if interface.tenant.is_empty() {
                self.pass_through(interface, version, self.body.to_vec(), streaming, is_confirmed).await
            } else {
                let body = with_tenant(self.body, self.call, &interface.tenant);
                self.pass_through(interface, version, body, streaming, is_confirmed).await
            };
            return passed.map_err(Stop::Problem);
        }
        self.bridge(card, interface, version, operation, translator).await
    }

    // ---- same version

    async fn pass_through(
        &self,
        interface: &UpstreamInterface,
        version: Version,
        body: Vec<u8>,
        streaming: bool,
        is_confirmed: bool,
    ) -> Result<Attempt, Problem> {
        let rewritten = body != self.body;
        let mut sent = headers::to_upstream(&self.cx.request.headers, version, rewritten)
            .map_err(|_| too_many_hops())?;
        if headers::get(&sent, header::CONTENT_TYPE).is_none() {
            headers::set(&mut sent, header::CONTENT_TYPE, media_type::JSON);
        }
        add_own(&mut sent, self.agent);
        let head = self.fetch(interface, sent, body, false).await?;
        let given = headers::to_client(&head.headers, self.client, false);
        let mut attempt = Attempt {
            status: head.status,
            is_events: false,
            headers: given,
            body: Body::Pipe,
            notices: Vec::new(),
            agent_error: None,
            upstream: version,
        };
        let type_of_answer = headers::get(&head.headers, header::CONTENT_TYPE).unwrap_or_default();
        if is_confirmed || is_events(&head) || (streaming && !is_json(type_of_answer)) || !is_json(type_of_answer) {
            return Ok(attempt);
        }
        // Does the agent speak what its card says? The answer is small or a good sign.
        let body = self.read_response().await?;
        let mut doc = crate::engine::Doc::default();
        let read = jsonrpc::read_answer(without_bom(&body), Operation::ListTasks, version, &mut doc);
        if let Ok(jsonrpc::Answer::Error(error)) = read {
            attempt.agent_error = Some(error.code);
        }
        attempt.body = Body::Bytes(body);
        Ok(attempt)
    }

    // ---- the other version

    async fn bridge(
        &self,
        card: &Rc<UpstreamCard>,
        interface: &UpstreamInterface,
        version: Version,
        operation: Operation,
        translator: Option<Translator>,
    ) -> Result<Attempt, Stop> {
        let refused = |refusal: Refusal| Stop::Answer(200, refusal.error);
        let translator = match translator {
            Some(translator) => translator,
            None => {
                let mut translator = Translator::default();
                jsonrpc::read_request(without_bom(self.body), &mut translator.doc).map_err(refused)?;
                translator
            }
        };
        if version != self.client && asks_for_webhook(&translator.doc, operation, self.call.params) {
            return Err(Stop::Answer(
                200,
                A2aError::new(
                    ErrorCode::PUSH_NOTIFICATION_NOT_SUPPORTED,
                    format!(
                        "The agent speaks A2A {version} and this gateway relays no webhooks, so a webhook for A2A {} cannot be registered",
                        self.client
                    ),
                ),
            ));
        }
        let setup = self.setup(card, interface, version, operation);
        let (mut exchange, mut step) =
            Exchange::start(setup, self.body, self.call, operation, translator).map_err(refused)?;
        let mut last: Headers = Vec::new();
        loop {
            step = match step {
                bridge::Step::Call(call) => {
                    let (answer, given) = self.call_agent(interface, version, call, exchange.holds_stream()).await?;
                    if let Some(given) = given {
                        last = given;
                    }
                    exchange.answered(answer)
                }
                bridge::Step::Peek => match self.cx.asker.ask(Step::ReadChunk(Some(PEEK_MS))).await {
                    Event::Chunk(Chunk::Bytes(bytes)) => exchange.push(&bytes),
                    Event::Chunk(Chunk::Closed) => exchange.finish(End::Closed),
                    Event::Chunk(Chunk::Woke) => exchange.start_anyway(),
                    _ => exchange.finish(End::Broken),
                },
                bridge::Step::Reply(reply) => {
                    return Ok(Attempt {
                        status: reply.status,
                        is_events: reply.is_events,
                        headers: self.bridged_headers(&last, operation),
                        body: Body::Bytes(reply.body),
                        notices: codes(exchange.notices()).collect(),
                        agent_error: reply.agent_error,
                        upstream: version,
                    });
                }
                bridge::Step::Stream(stream) => {
                    return Ok(Attempt {
                        status: 200,
                        is_events: true,
                        headers: self.bridged_headers(&last, operation),
                        body: Body::Translate(stream),
                        notices: codes(exchange.notices()).collect(),
                        agent_error: None,
                        upstream: version,
                    });
                }
            };
        }
    }

    fn setup(
        &self,
        card: &UpstreamCard,
        interface: &UpstreamInterface,
        version: Version,
        operation: Operation,
    ) -> Setup {
        let limits = &self.config.limits;
        let profile = &self.agent.profile;
        let relay = self.config.relay_keys.is_some();
        let base = self.cx.base(self.config, self.base_path);
        let card = (operation == Operation::GetExtendedAgentCard)
            .then(|| overrides(card, self.agent, &base, self.client, relay));
        Setup {
            agent: version,
            client: self.client,
            client_wants_events_only: self.wants_events_only(),
            options: Options {
                tenant: Some(interface.tenant.clone()).filter(|tenant| !tenant.is_empty()),
                always_blocking: profile.legacy_blocking == LegacyBlocking::Always,
                card,
                ..Options::default()
            },
            interrupted_is_final: profile.legacy_final == LegacyFinal::Interrupted,
            max_event_bytes: limits.max_event_bytes,
            budgets: Budgets {
                idle_ms: limits.stream_idle_ms,
                life_ms: limits.stream_max_ms,
                bytes: limits.stream_max_bytes,
            },
        }
    }

    fn bridged_headers(&self, agent: &Headers, operation: Operation) -> Headers {
        let mut given = headers::to_client(agent, self.client, true);
        if operation == Operation::GetExtendedAgentCard {
            headers::set(&mut given, header::CACHE_CONTROL, "private, no-store");
        }
        given
    }

    async fn call_agent(
        &self,
        interface: &UpstreamInterface,
        version: Version,
        call: Call,
        beside: bool,
    ) -> Result<(AgentAnswer, Option<Headers>), Stop> {
        let mut sent = headers::to_upstream(&self.cx.request.headers, version, true)
            .map_err(|_| Stop::Problem(too_many_hops()))?;
        headers::set(&mut sent, header::CONTENT_TYPE, media_type::JSON);
        let streaming = call.operation.is_streaming();
        headers::set(&mut sent, header::ACCEPT, if streaming { media_type::EVENT_STREAM } else { media_type::JSON });
        add_own(&mut sent, self.agent);
        let body = encode(&call, version, &self.call.id);
        let failed = |problem: Problem| {
            Ok((AgentAnswer::Failed { status: problem.status, reason: problem.message }, None))
        };
        let head = match self.fetch(interface, sent, body, beside).await {
            Ok(head) => head,
            Err(problem) => return failed(problem),
        };
        if is_events(&head) && (200..300).contains(&head.status) {
            return Ok((AgentAnswer::Events, Some(head.headers)));
        }
        match self.read_response().await {
            Ok(body) => Ok((AgentAnswer::Body { status: head.status, body }, Some(head.headers))),
            Err(problem) => failed(problem),
        }
    }

    // ---- IO

    async fn fetch(
        &self,
        interface: &UpstreamInterface,
        headers: Headers,
        body: Vec<u8>,
        beside: bool,
    ) -> Result<ResponseHead, Problem> {
        let place = shown(&interface.url);
        let fetch = Fetch {
            method: "POST",
            url: interface.url.to_string(),
            binding: binding(self.agent),
            headers,
            body: Some(body),
            timeout_ms: self.config.limits.upstream_timeout_ms,
            beside,
        };
        match self.cx.asker.ask(Step::Fetch(fetch)).await {
            Event::Response(Ok(head)) if (300..400).contains(&head.status) => Err(Problem {
                status: 502,
                message: format!("The agent at {place} answered with a redirect, which is not followed"),
            }),
            Event::Response(Ok(head)) => Ok(head),
            Event::Response(Err(FetchError::Timeout)) => {
                let seconds = self.config.limits.upstream_timeout_ms / 1000;
                let message = format!("The agent did not answer within {seconds} s (UPSTREAM_TIMEOUT_SECONDS)");
                Err(Problem { status: 504, message })
            }
            Event::Response(Err(FetchError::Unreachable(why))) => {
                Err(Problem { status: 502, message: format!("The agent at {place} cannot be reached: {why}") })
            }
            _ => Err(Problem { status: 502, message: "The agent was not asked".to_owned() }),
        }
    }

    async fn read_response(&self) -> Result<Vec<u8>, Problem> {
        let most = self.config.limits.max_body_bytes;
        match self.cx.asker.ask(Step::ReadResponse(most)).await {
            Event::Body(Ok(body)) => Ok(body),
            Event::Body(Err(BodyError::TooLarge)) => Err(Problem {
                status: 502,
                message: format!("The agent's answer is longer than {most} bytes (MAX_BODY_BYTES)"),
            }),
            _ => Err(Problem { status: 502, message: "The agent's answer broke off".to_owned() }),
        }
    }
}

/// Why there is no attempt.
enum Stop {
    /// The client gets this error, with this HTTP status.
    Answer(u16, A2aError),
    /// The agent cannot be asked.
    Problem(Problem),
}

fn is_wrong_version(attempt: &Attempt) -> bool {
    matches!(attempt.agent_error, Some(ErrorCode::METHOD_NOT_FOUND | ErrorCode::VERSION_NOT_SUPPORTED))
}

fn finish(mut responder: Responder<'_>, attempt: Attempt) -> Finish {
    responder.log.upstream = Some((attempt.upstream, JSON_RPC));
    responder.log.notices.extend(attempt.notices);
    if attempt.is_events {
        return responder.events(attempt.headers, attempt.body);
    }
    let mut given = attempt.headers;
    if let (Body::Bytes(_), None) = (&attempt.body, headers::get(&given, header::CONTENT_TYPE)) {
        headers::set(&mut given, header::CONTENT_TYPE, media_type::JSON);
    }
    responder.finish(attempt.status, given, attempt.body)
}

/// A call as a JSON-RPC request in the agent's version.
fn encode(call: &Call, version: Version, id: &[u8]) -> Vec<u8> {
    let mut out = Out::default();
    out.bytes.reserve(call.params.as_ref().map_or(0, Vec::len) + id.len() + 128);
    let method = call.operation.json_rpc_name(version).unwrap_or(call.operation.as_str());
    jsonrpc::open_request(&mut out, id, method, call.params.is_some());
    if let Some(params) = &call.params {
        out.raw(params);
    }
    jsonrpc::close(&mut out);
    out.bytes
}

/// The client's request with the interface's tenant in its params (RULES 5.12); everything else as it was.
fn with_tenant(body: &[u8], call: &Request, tenant: &str) -> Vec<u8> {
    let body = without_bom(body);
    let mut out = Out::default();
    jsonrpc::open_request(&mut out, &call.id, &call.method, true);
    out.raw(b"{");
    for (key, value) in members(body, call.params_span.unwrap_or_default()) {
        if unescape(key.of(body)) != "tenant" {
            out.separate();
            out.raw(b"\"");
            out.span(body, key);
            out.raw(b"\":");
            out.span(body, value);
        }
    }
    out.name("tenant");
    out.string(tenant);
    out.raw(b"}");
    jsonrpc::close(&mut out);
    out.bytes
}
