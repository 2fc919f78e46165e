//! A client's call, passed through or bridged, whatever binding either side has.

use super::cards::overrides;
use super::config::{Agent, Config, LegacyBlocking, LegacyFinal, R3Bytes, R3Card, R3CreateBody};
use super::discovery::{UpstreamCard, UpstreamInterface, choose_interface};
use super::headers;
use super::io::{Body, BodyError, Chunk, Event, Fetch, FetchError, Finish, Headers, RequestHead, ResponseHead, Step};
use super::response::{Responder, not_found, rpc_error_body};
use super::rpc::{codes, is_json};
use super::serve::Cx;
use super::signatures::with_signature;
use super::state::{Problem, add_own, binding, too_many_hops};
use crate::bridge::{self, AgentAnswer, Asked, Budgets, Call, End, Exchange, Setup, error_reply, wants_error_events};
use crate::engine::{Doc, Options, Slot};
use crate::entity::{A2aError, Shape, params_shape};
use crate::json::{Out, Scanner, Span, member, validate};
use crate::protocol::{Binding, ErrorCode, Operation, Peer, Version, header, media_type};
use crate::translate::Translator;
use crate::wire::client::read_answer;
use crate::wire::jsonrpc;
use crate::wire::rest::{CallOptions, PeerError, encode_call};
use std::rc::Rc;

/// At latest so long after the agent's headers the client gets its own, in milliseconds (DESIGN "Streaming contract").
const PEEK_MS: u64 = 2000;

/// The request as it came, for an agent that speaks what the client speaks.
pub(super) struct Original<'r> {
    /// The HTTP method.
    pub method: &'static str,
    /// What follows the interface's URL: path and query; empty on JSON-RPC.
    pub target: String,
    /// The parameters of a query that are not A2A's: streams take them along (PEERS: `?alt=sse`).
    pub foreign_query: String,
    /// The body.
    pub body: &'r [u8],
}

/// What a client asks, read.
pub(super) struct ClientCall<'r> {
    pub cx: &'r Cx<'r>,
    pub config: &'r Config,
    pub agent: &'r Agent,
    /// Where the agent is below the gateway.
    pub base_path: &'r str,
    pub client: Peer,
    /// The JSON-RPC id token; for HTTP+JSON clients one to ask JSON-RPC agents with.
    pub id: &'r [u8],
    /// The text that the params are in.
    pub input: &'r [u8],
    /// The params as they were read with the operation's table.
    pub params: Slot,
    /// Where they lie.
    pub params_span: Option<Span>,
    /// They ask for a webhook.
    pub has_webhook: bool,
    pub original: Original<'r>,
}

/// The client's answer, before it is sent.
struct Attempt {
    status: u16,
    /// The type of a body that the gateway has written.
    content_type: Option<&'static str>,
    headers: Headers,
    body: Body,
    notices: Vec<&'static str>,
    /// The agent's error, if that is what the client gets.
    agent_error: Option<ErrorCode>,
    upstream: Peer,
}

/// Why there is no attempt: the client gets this error.
type Stop = PeerError;

fn stop(problem: Problem) -> Stop {
    PeerError {
        status: Some(problem.status),
        ..PeerError::from(A2aError::new(ErrorCode::INTERNAL_ERROR, problem.message))
    }
}

fn is_events(head: &ResponseHead) -> bool {
    let content_type = headers::get(&head.headers, header::CONTENT_TYPE).unwrap_or_default();
    content_type.trim_start().to_ascii_lowercase().starts_with(media_type::EVENT_STREAM)
}

impl ClientCall<'_> {
    // ---- answering

    /// An error in the client's dialect. JSON-RPC clients see the statuses of conditions of the transport, and those
    /// of the gateway's own that no client should take for an answer.
    pub fn fail(&self, responder: Responder<'_>, operation: Option<Operation>, error: &PeerError) -> Finish {
        let as_event = operation.is_some_and(|o| wants_error_events(o, self.client, self.wants_events_only()));
        let reply = error_reply(self.client, self.id, error, as_event);
        let status = match (self.client.binding, error.status) {
            (Binding::JsonRpc, Some(status @ (501 | 508))) => status,
            _ => reply.status,
        };
        if reply.content_type == media_type::EVENT_STREAM {
            return responder.events(Vec::new(), Body::Bytes(reply.body));
        }
        responder.bytes(status, reply.content_type, Vec::new(), reply.body)
    }

    /// The client reads event streams and nothing else (PEERS "Error before a stream"). What counts is what it names:
    /// the Python 0.3 SDK sends a second `Accept: */*` by accident and then reads nothing but events.
    fn wants_events_only(&self) -> bool {
        let accept = headers::get(&self.cx.request.headers, header::ACCEPT).unwrap_or_default().to_ascii_lowercase();
        accept.contains(media_type::EVENT_STREAM) && !accept.contains("json")
    }

    // ---- whom to ask

    fn choose<'c>(&self, card: &'c UpstreamCard, version: Version) -> Result<&'c UpstreamInterface, Stop> {
        choose_interface(card, self.agent, &self.config.upstream_origins, version, self.client.binding)
            .map_err(|why| stop(Problem { status: 502, message: why.to_string() }))
    }

    /// A JSON-RPC method that neither version knows goes untouched to an agent of the same version.
    pub async fn unknown_method(&self, responder: Responder<'_>, method: &str) -> Finish {
        let card = match self.cx.upstream_card(self.config, self.agent).await {
            Ok(card) => card,
            Err(problem) => return self.fail(responder, None, &stop(problem)),
        };
        let speaks = |version| {
            let chosen = self.choose(&card, version).ok();
            chosen.filter(|i| i.version == version && i.binding == Binding::JsonRpc)
        };
        let Some(interface) = speaks(self.client.version).or_else(|| speaks(Version::V0_3)) else {
            // The shape is v0.3's whatever the header says (RULES E.8).
            let error = not_found(&format!("Method not found: {method}"));
            return responder.bytes(200, media_type::JSON, Vec::new(), rpc_error_body(self.id, &error));
        };
        match self.pass_through(interface, Peer::new(interface.version, Binding::JsonRpc), true, None).await {
            Ok(attempt) => finish(responder, attempt),
            Err(problem) => self.fail(responder, None, &stop(problem)),
        }
    }

    /// A call to an operation.
    pub async fn operation(
        &self,
        mut responder: Responder<'_>,
        operation: Operation,
        translator: Translator,
    ) -> Finish {
        let card = match self.cx.upstream_card(self.config, self.agent).await {
            Ok(card) => card,
            Err(problem) => return self.fail(responder, Some(operation), &stop(problem)),
        };
        let interface = match self.choose(&card, self.client.version) {
            Ok(interface) => interface.clone(),
            Err(error) => return self.fail(responder, Some(operation), &error),
        };
        let spoken = self.cx.gateway.state.borrow().spoken(self.agent, &interface, self.cx.now_ms);
        let stated = spoken.unwrap_or(interface.version);
        let first = match self.attempt(&card, &interface, stated, spoken.is_some(), operation, Some(translator)).await {
            Ok(attempt) => attempt,
            Err(error) => return self.fail(responder, Some(operation), &error),
        };
        // A card may state the wrong version (PEERS): try the other one once, and believe it only if it fares better.
        if is_wrong_version(&first) && spoken.is_none() {
            let other = stated.other();
            if let Ok(second) = self.attempt(&card, &interface, other, false, operation, None).await
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
        let agent = Peer::new(version, interface.binding);
        // Cards are never passed on: their URLs are the agent's. A tenant has to be put in, webhooks may be relayed.
        if agent == self.client
            && operation != Operation::GetExtendedAgentCard
            && interface.tenant.is_empty()
            && !self.concerns_relay(card, agent, operation)
        {
            return self.pass_through(interface, agent, is_confirmed, Some(operation)).await.map_err(stop);
        }
        self.bridge(card, interface, agent, operation, translator).await
    }

    /// The agent's answer to a call that is no client's.
    async fn ask(&self, operation: Operation, translator: Translator) -> Result<Vec<u8>, Stop> {
        let card = self.cx.upstream_card(self.config, self.agent).await.map_err(stop)?;
        let interface = self.choose(&card, self.client.version)?.clone();
        let spoken = self.cx.gateway.state.borrow().spoken(self.agent, &interface, self.cx.now_ms);
        let agent = Peer::new(spoken.unwrap_or(interface.version), interface.binding);
        match self.bridge(&card, &interface, agent, operation, Some(translator)).await?.body {
            Body::Bytes(body) => Ok(body),
            _ => Ok(Vec::new()),
        }
    }

    // ---- the same version and binding

    async fn pass_through(
        &self,
        interface: &UpstreamInterface,
        agent: Peer,
        is_confirmed: bool,
        operation: Option<Operation>,
    ) -> Result<Attempt, Problem> {
        let mut sent =
            headers::to_upstream(&self.cx.request.headers, agent.version, false).map_err(|_| too_many_hops())?;
        let has_body = self.original.method == "POST";
        if has_body && headers::get(&sent, header::CONTENT_TYPE).is_none() {
            headers::set(&mut sent, header::CONTENT_TYPE, media_type::JSON);
        }
        add_own(&mut sent, self.agent);
        let url = join(interface, &self.original.target);
        let body = has_body.then(|| self.original.body.to_vec());
        let head = self.fetch(self.original.method, url, sent, body, false).await?;
        let mut attempt = Attempt {
            status: head.status,
            content_type: None,
            headers: headers::to_client(&head.headers, self.client.version, false),
            body: Body::Pipe,
            notices: Vec::new(),
            agent_error: None,
            upstream: agent,
        };
        let type_of_answer = headers::get(&head.headers, header::CONTENT_TYPE).unwrap_or_default();
        let Some(operation) = operation.filter(|_| !is_confirmed && !is_events(&head) && is_json(type_of_answer))
        else {
            return Ok(attempt);
        };
        // Does the agent speak what its card says? The answer is small or a good sign.
        let body = self.read_response().await?;
        let read = read_answer(agent, operation, Shape::Opaque, head.status, &body, &mut Doc::default());
        attempt.agent_error = read.err().map(|error| error.error.code);
        attempt.body = Body::Bytes(body);
        Ok(attempt)
    }

    // ---- another version or binding

    async fn bridge(
        &self,
        card: &Rc<UpstreamCard>,
        interface: &UpstreamInterface,
        agent: Peer,
        operation: Operation,
        translator: Option<Translator>,
    ) -> Result<Attempt, Stop> {
        let (mut translator, mut params) = match translator {
            Some(translator) => (translator, self.params),
            // The first attempt has used up what was read.
            None => read_params(self.input, self.params_span, operation, self.client),
        };
        let (mut input, mut params_span) = (self.input, self.params_span);
        let relayed = self.relayed(card, agent, operation, &translator.doc, params).await?;
        if let Some(text) = &relayed {
            (input, params_span) = (text, validate(text).ok());
            (translator, params) = read_params(input, params_span, operation, self.client);
        }
        let setup = self.setup(card, interface, agent, operation);
        let asked = Asked { operation, input, params, params_span, id: self.id };
        let (mut exchange, mut step) = Exchange::start(setup, asked, translator)?;
        let mut last: Headers = Vec::new();
        loop {
            step = match step {
                bridge::Step::Call(call) => {
                    let (answer, given) = self.call_agent(interface, agent, call, exchange.holds_stream()).await?;
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
                bridge::Step::Reply(mut reply) => {
                    if operation == Operation::GetExtendedAgentCard && reply.agent_error.is_none() {
                        reply.body = self.signed_card(reply.body)?;
                    }
                    return Ok(Attempt {
                        status: reply.status,
                        content_type: Some(reply.content_type),
                        headers: self.bridged_headers(&last, operation),
                        body: Body::Bytes(reply.body),
                        notices: codes(exchange.notices()).collect(),
                        agent_error: reply.agent_error,
                        upstream: agent,
                    });
                }
                bridge::Step::Stream(stream) => {
                    return Ok(Attempt {
                        status: 200,
                        content_type: Some(media_type::EVENT_STREAM),
                        headers: self.bridged_headers(&last, operation),
                        body: Body::Translate(stream),
                        notices: codes(exchange.notices()).collect(),
                        agent_error: None,
                        upstream: agent,
                    });
                }
            };
        }
    }

    fn setup(&self, card: &UpstreamCard, interface: &UpstreamInterface, agent: Peer, operation: Operation) -> Setup {
        let limits = &self.config.limits;
        let profile = &self.agent.profile;
        let relay = self.config.relay_keys.is_some();
        let base = self.cx.base(self.config, self.base_path);
        let overridden = (operation == Operation::GetExtendedAgentCard)
            .then(|| overrides(card, self.agent, &base, self.client.version, relay));
        let user_agent = headers::get(&self.cx.request.headers, header::USER_AGENT).unwrap_or_default();
        Setup {
            agent,
            client: self.client,
            client_wants_events_only: self.wants_events_only(),
            client_doubles_bytes: doubles(profile.r3_bytes, is_double_encoding_client(user_agent)),
            agent_doubles_bytes: doubles(profile.r3_bytes, card.is_double_encoding()),
            options: Options {
                tenant: Some(interface.tenant.clone()).filter(|tenant| !tenant.is_empty()),
                always_blocking: profile.legacy_blocking == LegacyBlocking::Always,
                oauth_split: profile.oauth_split,
                r3_strict030: profile.r3_strict030,
                card_in_j3: match profile.r3_card {
                    R3Card::Auto => is_double_encoding_client(user_agent),
                    R3Card::J3 => true,
                    R3Card::R3 => false,
                },
                card: overridden,
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

    /// An answer with a v1.0 card, and the gateway's signature in it if it has a key (RULES 7.23).
    fn signed_card(&self, body: Vec<u8>) -> Result<Vec<u8>, Stop> {
        let Some(jwk) = self.config.signing_jwk.as_ref().filter(|_| self.client.version == Version::V1_0) else {
            return Ok(body);
        };
        let root = validate(&body).unwrap_or_default();
        let card = match self.client.binding {
            Binding::HttpJson => Some(root),
            Binding::JsonRpc => member(&body, root, "result"),
        };
        let Some(span) = card.filter(|card| card.of(&body).starts_with(b"{")) else { return Ok(body) };
        let signed = with_signature(span.of(&body).to_vec(), jwk.expose())
            .map_err(|why| A2aError::new(ErrorCode::INTERNAL_ERROR, format!("The gateway is misconfigured: {why}")))?;
        let (before, after) = (body.get(..span.start as usize), body.get(span.end as usize..));
        Ok([before.unwrap_or(&[]), &signed, after.unwrap_or(&[])].concat())
    }

    fn bridged_headers(&self, agent: &Headers, operation: Operation) -> Headers {
        let mut given = headers::to_client(agent, self.client.version, true);
        if operation == Operation::GetExtendedAgentCard {
            headers::set(&mut given, header::CACHE_CONTROL, "private, no-store");
        }
        given
    }

    async fn call_agent(
        &self,
        interface: &UpstreamInterface,
        agent: Peer,
        call: Call,
        beside: bool,
    ) -> Result<(AgentAnswer, Option<Headers>), Stop> {
        let mut by_post = false;
        loop {
            let mut sent = headers::to_upstream(&self.cx.request.headers, agent.version, true)
                .map_err(|_| stop(too_many_hops()))?;
            let streaming = call.operation.is_streaming();
            let accepted = match (streaming, agent.binding, agent.version) {
                (true, _, _) => media_type::EVENT_STREAM,
                (false, Binding::HttpJson, Version::V1_0) => ACCEPT_V1_0,
                _ => media_type::JSON,
            };
            headers::set(&mut sent, header::ACCEPT, accepted);
            let (method, url, body) = self.encode(interface, agent, &call, by_post)?;
            sent.retain(|(name, _)| name != header::CONTENT_TYPE);
            if let Some((_, content_type)) = &body {
                headers::set(&mut sent, header::CONTENT_TYPE, content_type);
            }
            add_own(&mut sent, self.agent);
            let failed =
                |problem: Problem| Ok((AgentAnswer::Failed { status: problem.status, reason: problem.message }, None));
            let head = match self.fetch(method, url, sent, body.map(|(body, _)| body), beside).await {
                Ok(head) => head,
                Err(problem) => return failed(problem),
            };
            // The proto says GET, the prose POST, and some agents serve only the latter (REST.md).
            let retry = agent.binding == Binding::HttpJson
                && call.operation == Operation::SubscribeToTask
                && matches!(head.status, 404 | 405)
                && !by_post;
            if retry {
                by_post = true;
                continue;
            }
            if is_events(&head) && (200..300).contains(&head.status) {
                return Ok((AgentAnswer::Events, Some(head.headers)));
            }
            return match self.read_response().await {
                Ok(body) => {
                    let body = self.with_own_urls(agent, call.operation, head.status, body);
                    Ok((AgentAnswer::Body { status: head.status, body }, Some(head.headers)))
                }
                Err(problem) => failed(problem),
            };
        }
    }

    /// Method, URL, and body with its type.
    #[allow(clippy::type_complexity)] // three things that belong together for one line
    fn encode(
        &self,
        interface: &UpstreamInterface,
        agent: Peer,
        call: &Call,
        by_post: bool,
    ) -> Result<(&'static str, String, Option<(Vec<u8>, &'static str)>), Stop> {
        match agent.binding {
            Binding::JsonRpc => {
                let body = encode_json_rpc(call, agent.version, self.id);
                Ok(("POST", interface.url.to_string(), Some((body, media_type::JSON))))
            }
            Binding::HttpJson => {
                let options = CallOptions {
                    tenant: Some(interface.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
                    bare_create_body: self.agent.profile.r3_create_body == R3CreateBody::Bare,
                    subscribe_by_post: by_post,
                };
                let mut encoded = encode_call(agent.version, call.operation, call.params.as_deref(), options)?;
                if call.operation.is_streaming() && !self.original.foreign_query.is_empty() {
                    encoded.target.push(if encoded.target.contains('?') { '&' } else { '?' });
                    encoded.target.push_str(&self.original.foreign_query);
                }
                Ok((encoded.method, join(interface, &encoded.target), encoded.body))
            }
        }
    }

    // ---- IO

    async fn fetch(
        &self,
        method: &'static str,
        url: String,
        headers: Headers,
        body: Option<Vec<u8>>,
        beside: bool,
    ) -> Result<ResponseHead, Problem> {
        let fetch = Fetch {
            method,
            url,
            binding: binding(self.agent),
            headers,
            body,
            timeout_ms: self.config.limits.upstream_timeout_ms,
            addresses: Vec::new(),
            beside,
        };
        match self.cx.asker.ask(Step::Fetch(fetch)).await {
            Event::Response(Ok(head)) if (300..400).contains(&head.status) => Err(Problem {
                status: 502,
                message: "The agent answered with a redirect, which is not followed".to_owned(),
            }),
            Event::Response(Ok(head)) => Ok(head),
            Event::Response(Err(FetchError::Timeout)) => {
                let seconds = self.config.limits.upstream_timeout_ms / 1000;
                let message = format!("The agent did not answer within {seconds} s (UPSTREAM_TIMEOUT_SECONDS)");
                Err(Problem { status: 504, message })
            }
            Event::Response(Err(FetchError::Unreachable(why))) => {
                Err(Problem { status: 502, message: format!("The agent cannot be reached: {why}") })
            }
            _ => Err(Problem { status: 502, message: "The agent was not asked".to_owned() }),
        }
    }

    async fn read_response(&self) -> Result<Vec<u8>, Problem> {
        let most = self.config.limits.max_body_bytes;
        let within = self.config.limits.upstream_timeout_ms;
        match self.cx.asker.ask(Step::ReadResponse(most, within)).await {
            Event::Body(Ok(body)) => Ok(body),
            Event::Body(Err(BodyError::TooLarge)) => Err(Problem {
                status: 502,
                message: format!("The agent's answer is longer than {most} bytes (MAX_BODY_BYTES)"),
            }),
            Event::Body(Err(BodyError::Timeout)) => {
                let seconds = within / 1000;
                let message =
                    format!("The agent's answer was not complete within {seconds} s (UPSTREAM_TIMEOUT_SECONDS)");
                Err(Problem { status: 504, message })
            }
            _ => Err(Problem { status: 502, message: "The agent's answer broke off".to_owned() }),
        }
    }
}

/// Reads an operation's params out of `input`.
fn read_params(input: &[u8], span: Option<Span>, operation: Operation, client: Peer) -> (Translator, Slot) {
    let mut translator = Translator::default();
    let params = span.and_then(|span| {
        let mut scanner = Scanner::resume(input, span);
        params_shape(operation).read(&mut translator.doc, &mut scanner, client.dialect()).ok()
    });
    (translator, params.unwrap_or(Slot::ABSENT))
}

/// A task as JSON in the shape of `version`, asked for by the gateway itself: with the operator's credential and
/// nothing of the request at hand.
pub(super) async fn task(
    cx: &Cx<'_>,
    config: &Config,
    agent: &Agent,
    version: Version,
    id: &str,
) -> Result<Vec<u8>, PeerError> {
    let mut request = RequestHead { query: String::new(), ..cx.request.clone() };
    request.headers.retain(|(name, _)| name.eq_ignore_ascii_case(header::A2A_COMPAT_HOPS));
    let own = cx.with_request(&request);
    let input = serde_json::json!({ "id": id }).to_string().into_bytes();
    let (operation, client) = (Operation::GetTask, Peer::json_rpc(version));
    let params_span = validate(&input).ok();
    let (translator, params) = read_params(&input, params_span, operation, client);
    let call = ClientCall {
        cx: &own,
        config,
        agent,
        base_path: "",
        client,
        id: b"1",
        input: &input,
        params,
        params_span,
        has_webhook: false,
        original: Original { method: "POST", target: String::new(), foreign_query: String::new(), body: b"" },
    };
    let answer = call.ask(operation, translator).await;
    cx.stale.set(own.stale.take());
    let body = answer?;
    let root = validate(&body).unwrap_or_default();
    match member(&body, root, "result") {
        Some(task) => Ok(task.of(&body).to_vec()),
        None => Err(A2aError::new(ErrorCode::INVALID_AGENT_RESPONSE, "The agent has no such task").into()),
    }
}

/// What v1.0 HTTP+JSON answers may be.
const ACCEPT_V1_0: &str = "application/a2a+json, application/json";

/// The SDKs that take `fileWithBytes` for text and encode it twice (PEERS, RULES 1.16).
fn is_double_encoding_client(user_agent: &str) -> bool {
    let user_agent = user_agent.to_ascii_lowercase();
    ["python-httpx/", "go-http-client/", "java-http-client/"].iter().any(|sdk| user_agent.starts_with(sdk))
}

fn doubles(setting: R3Bytes, evidence: bool) -> bool {
    match setting {
        R3Bytes::Auto => evidence,
        R3Bytes::Single => false,
        R3Bytes::Double => true,
    }
}

/// The interface's URL with a path and query behind it.
fn join(interface: &UpstreamInterface, target: &str) -> String {
    if target.is_empty() {
        return interface.url.to_string();
    }
    format!("{}{target}", interface.url.as_str().trim_end_matches('/'))
}

fn is_wrong_version(attempt: &Attempt) -> bool {
    matches!(attempt.agent_error, Some(ErrorCode::METHOD_NOT_FOUND | ErrorCode::VERSION_NOT_SUPPORTED))
}

fn finish(mut responder: Responder<'_>, attempt: Attempt) -> Finish {
    responder.log.upstream = Some((attempt.upstream.version, attempt.upstream.binding));
    responder.log.notices.extend(attempt.notices);
    match attempt.content_type {
        Some(media_type::EVENT_STREAM) => responder.events(attempt.headers, attempt.body),
        Some(content_type) => {
            let mut given = attempt.headers;
            headers::set(&mut given, header::CONTENT_TYPE, content_type);
            responder.finish(attempt.status, given, attempt.body)
        }
        None => responder.finish(attempt.status, attempt.headers, attempt.body),
    }
}

/// A call as a JSON-RPC request in the agent's version.
fn encode_json_rpc(call: &Call, version: Version, id: &[u8]) -> Vec<u8> {
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
