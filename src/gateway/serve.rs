//! One request: what it is for, and everything but the JSON-RPC calls themselves.

use super::cards::{card_for, etag};
use super::config::{Agent, Config, ConfigError};
use super::discovery::choose_interface;
use super::dispatch::{Route, Routed, route};
use super::flow::{Asker, Flow};
use super::headers;
use super::io::{Finish, RequestHead, RequestLog};
use super::relay;
use super::response::{Responder, http_error_body, not_found, rpc_error_body};
use super::rest;
use super::rpc;
use super::signatures::with_signature;
use super::state::State;
use crate::entity::A2aError;
use crate::protocol::{Binding, ErrorCode, Version, header, media_type};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A gateway: its configuration, and what it remembers between requests.
pub struct Gateway {
    config: Result<Config, ConfigError>,
    pub(super) state: RefCell<State>,
}

impl Gateway {
    /// A gateway with this configuration. With a faulty one every request is answered with the fault.
    pub fn new(config: Result<Config, ConfigError>) -> Rc<Gateway> {
        Rc::new(Gateway { config, state: RefCell::default() })
    }

    /// Takes a request that arrived at `now_ms` (milliseconds since 1970).
    pub fn handle(self: &Rc<Self>, request: RequestHead, now_ms: u64) -> Flow {
        let gateway = self.clone();
        Flow::new(move |asker| async move {
            let cx = Cx { gateway: &gateway, request: &request, now_ms, asker, stale: Cell::new(None) };
            let mut finish = cx.serve().await;
            finish.background = cx.stale.take().map(|agent| gateway.refresh(agent, request.clone(), now_ms));
            finish
        })
    }

    /// Fetches a card that was served although it is stale.
    fn refresh(self: &Rc<Self>, agent: usize, request: RequestHead, now_ms: u64) -> Flow {
        let gateway = self.clone();
        Flow::new(move |asker| async move {
            let cx = Cx { gateway: &gateway, request: &request, now_ms, asker, stale: Cell::new(None) };
            if let Ok(config) = &gateway.config
                && let Some(agent) = config.agents.get(agent)
            {
                // A card that cannot be had is tried again at the next request.
                let _ = cx.fetch_and_keep_card(config, agent).await;
            }
            Responder { config: None, request: &request, log: cx.log() }.finish(
                204,
                Vec::new(),
                super::io::Body::Bytes(Vec::new()),
            )
        })
    }
}

/// What a request's code has at hand.
pub(super) struct Cx<'r> {
    pub gateway: &'r Rc<Gateway>,
    pub request: &'r RequestHead,
    pub now_ms: u64,
    pub asker: Asker,
    /// The agent (by its place in the configuration) whose stale card was used: it is fetched behind the response.
    pub stale: Cell<Option<usize>>,
}

impl Cx<'_> {
    async fn serve(&self) -> Finish {
        let config = match &self.gateway.config {
            Ok(config) => config,
            Err(error) => return self.misconfigured(error),
        };
        let mut responder = Responder { config: Some(config), request: self.request, log: self.log() };
        if let Some(preflight) = config.cors.preflight(&self.request.method, &self.request.headers) {
            responder.log.operation = Some("preflight");
            responder.config = None; // the preflight's headers are complete
            return responder.finish(204, preflight, super::io::Body::Bytes(Vec::new()));
        }
        let routed = route(&self.request.method, &self.request.path, &config.agents);
        responder.log.agent = routed.agent.and_then(|agent| agent.name.clone());
        if self.is_guarded(&routed.route) && !self.has_token(config) {
            let error = A2aError::new(ErrorCode::INTERNAL_ERROR, "The header X-Gateway-Token is missing or wrong");
            return match routed.route {
                Route::JsonRpc => responder.bytes(401, media_type::JSON, Vec::new(), rpc_error_body(b"null", &error)),
                _ => responder.http_error(401, Vec::new(), &error),
            };
        }
        let Routed { agent, base_path, route } = routed;
        match (route, agent) {
            (Route::JsonRpc, Some(agent)) => rpc::serve(self, config, responder, agent, &base_path).await,
            (Route::Card, Some(agent)) => self.card(config, responder, agent, &base_path).await,
            (Route::Health, _) => {
                responder.log.operation = Some("health");
                let body = json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}).to_string();
                let no_store = vec![(header::CACHE_CONTROL.to_owned(), "no-store".to_owned())];
                responder.bytes(200, media_type::JSON, no_store, body.into_bytes())
            }
            (Route::Root, _) => {
                responder.log.operation = Some("root");
                let body = json!({
                    "name": env!("CARGO_PKG_NAME"),
                    "version": env!("CARGO_PKG_VERSION"),
                    "agentCard": agent.map(|_| format!("{base_path}/.well-known/agent-card.json")),
                    "jsonrpc": agent.map(|_| format!("{base_path}/jsonrpc")),
                    "health": "/health",
                });
                responder.bytes(200, media_type::JSON, Vec::new(), body.to_string().into_bytes())
            }
            (Route::AgentsIndex, _) if config.agents_index => {
                responder.log.operation = Some("agents");
                let base = config.public_base(&self.request.origin);
                let agents: Vec<_> = config
                    .agents
                    .iter()
                    .filter_map(|agent| agent.name.as_ref())
                    .map(|name| json!({"name": name, "agentCard": format!("{base}/agents/{name}/.well-known/agent-card.json")}))
                    .collect();
                let body = json!({"agents": agents}).to_string();
                responder.bytes(200, media_type::JSON, Vec::new(), body.into_bytes())
            }
            (Route::Rest(path), Some(agent)) => rest::serve(self, config, responder, agent, &base_path, path).await,
            (Route::BadSegment, _) => {
                let message = "id cannot be \".\" or \"..\", and must be percent-encoded UTF-8";
                responder.http_error(400, Vec::new(), &A2aError::new(ErrorCode::INVALID_PARAMS, message))
            }
            (Route::MethodNotAllowed { allow }, _) if self.request.method == "OPTIONS" => {
                let given = vec![(header::ALLOW.to_owned(), format!("{allow}, OPTIONS"))];
                responder.finish(204, given, super::io::Body::Bytes(Vec::new()))
            }
            (Route::MethodNotAllowed { allow }, _) => {
                let given = vec![(header::ALLOW.to_owned(), allow.to_owned())];
                let message = format!("{} is not allowed here; allowed: {allow}", self.request.method);
                responder.http_error(405, given, &not_found(&message))
            }
            (Route::Relay(sealed), Some(agent)) => relay::serve(self, config, responder, agent, &sealed).await,
            (Route::Usage, _) => responder.http_error(404, Vec::new(), &not_found("This gateway does not count usage")),
            _ => {
                let message = format!("There is nothing at {}", self.request.path);
                responder.http_error(404, Vec::new(), &not_found(&message))
            }
        }
    }

    /// The same for another request, made on the way.
    pub fn with_request<'q>(&'q self, request: &'q RequestHead) -> Cx<'q> {
        Cx { gateway: self.gateway, request, now_ms: self.now_ms, asker: self.asker.clone(), stale: Cell::new(None) }
    }

    fn log(&self) -> RequestLog {
        RequestLog { time_ms: self.now_ms, ..RequestLog::default() }
    }

    fn misconfigured(&self, error: &ConfigError) -> Finish {
        let mut responder = Responder { config: None, request: self.request, log: self.log() };
        responder.log.remarks.push("misconfigured");
        let error = A2aError::new(ErrorCode::INTERNAL_ERROR, format!("The gateway is misconfigured: {error}"));
        if self.request.method == "POST" && !self.request.path.contains("/v1/") {
            return responder.bytes(500, media_type::JSON, Vec::new(), rpc_error_body(b"null", &error));
        }
        responder.http_error(500, Vec::new(), &error)
    }

    fn is_guarded(&self, route: &Route) -> bool {
        matches!(route, Route::JsonRpc | Route::Rest(_) | Route::BadSegment | Route::AgentsIndex)
    }

    fn has_token(&self, config: &Config) -> bool {
        let Some(token) = &config.gateway_token else { return true };
        headers::get(&self.request.headers, header::X_GATEWAY_TOKEN).is_some_and(|given| token.matches(given))
    }

    /// Where the gateway's URLs for an agent begin.
    pub fn base(&self, config: &Config, base_path: &str) -> String {
        format!("{}{base_path}", config.public_base(&self.request.origin))
    }

    /// The card in the reader's version (RULES 7.25).
    async fn card(&self, config: &Config, mut responder: Responder<'_>, agent: &Agent, base_path: &str) -> Finish {
        responder.log.operation = Some("card");
        let vary = |mut given: super::io::Headers| {
            headers::add_to_list(&mut given, header::VARY, "A2A-Version");
            given
        };
        let version = match self.reader_version(agent) {
            Ok(version) => version,
            Err((shape, error)) => {
                let body = http_error_body(shape, 400, &error);
                return responder.bytes(400, media_type::JSON, vary(Vec::new()), body);
            }
        };
        responder.log.client.0 = Some(version);
        let card = match self.upstream_card(config, agent).await {
            Ok(card) => card,
            Err(problem) => {
                let error = A2aError::new(ErrorCode::INTERNAL_ERROR, problem.message);
                let body = http_error_body(version, problem.status, &error);
                return responder.bytes(problem.status, media_type::JSON, vary(Vec::new()), body);
            }
        };
        // A card must not promise calls that can only fail.
        if let Err(why) = choose_interface(&card, agent, &config.upstream_origins, version, Binding::JsonRpc) {
            let error = A2aError::new(ErrorCode::INTERNAL_ERROR, why.to_string());
            let body = http_error_body(version, 502, &error);
            return responder.bytes(502, media_type::JSON, vary(Vec::new()), body);
        }
        let base = self.base(config, base_path);
        let made = card_for(&card, agent, &base, version, config.relay_keys.is_some());
        let (text, notices) = match made {
            Ok(made) => made,
            Err(error) => {
                let status = if error.code == ErrorCode::VERSION_NOT_SUPPORTED { 400 } else { 502 };
                let body = http_error_body(version, status, &error);
                return responder.bytes(status, media_type::JSON, vary(Vec::new()), body);
            }
        };
        responder.log.notices.extend(rpc::codes(&notices));
        // A hybrid is no v1.0 card: it carries no signature (RULES 7.6).
        let text = match config.signing_jwk.as_ref().filter(|_| version == Version::V1_0) {
            Some(jwk) => match with_signature(text, jwk.expose()) {
                Ok(text) => text,
                Err(why) => {
                    let error =
                        A2aError::new(ErrorCode::INTERNAL_ERROR, format!("The gateway is misconfigured: {why}"));
                    let body = http_error_body(version, 500, &error);
                    return responder.bytes(500, media_type::JSON, vary(Vec::new()), body);
                }
            },
            None => text,
        };
        let tag = etag(&text);
        let max_age = config.limits.card_ttl_ms / 1000;
        let cache = card.cache_control.clone().unwrap_or_else(|| format!("public, max-age={max_age}"));
        let given = vary(vec![(header::ETAG.to_owned(), tag.clone()), (header::CACHE_CONTROL.to_owned(), cache)]);
        let known = headers::get(&self.request.headers, header::IF_NONE_MATCH)
            .is_some_and(|list| list.split(',').any(|t| t.trim().trim_start_matches("W/") == tag || t.trim() == "*"));
        if known {
            return responder.finish(304, given, super::io::Body::Bytes(Vec::new()));
        }
        responder.bytes(200, media_type::JSON, given, text)
    }

    /// The version that a card's reader asks for: header, else query, else 0.3 (RULES 9).
    fn reader_version(&self, agent: &Agent) -> Result<Version, (Version, A2aError)> {
        let header = headers::get(&self.request.headers, header::A2A_VERSION).filter(|v| !v.trim().is_empty());
        let query = url::form_urlencoded::parse(self.request.query.as_bytes())
            .find(|(name, _)| name.eq_ignore_ascii_case(header::A2A_VERSION))
            .map(|(_, value)| value.into_owned());
        let text = header.map(str::to_owned).or(query).unwrap_or_default();
        let supported = || {
            let list: Vec<&str> =
                Version::ALL.iter().filter(|v| agent.offer.has_version(**v)).map(|v| v.as_str()).collect();
            list.join(", ")
        };
        match Version::negotiate(&text) {
            Some(version) if agent.offer.has_version(version) => Ok(version),
            found => {
                let asked = if text.is_empty() { Version::V0_3.as_str() } else { &text };
                let message = format!("There is no card in A2A version {asked} here; supported: {}", supported());
                let shape = found.unwrap_or(Version::V1_0);
                let versions: Vec<Version> =
                    Version::ALL.into_iter().filter(|version| agent.offer.has_version(*version)).collect();
                Err((shape, rpc::version_not_supported(message, shape, &versions)))
            }
        }
    }
}
