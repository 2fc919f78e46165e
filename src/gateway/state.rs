//! What a gateway remembers between requests, and fetching what it has forgotten.

use super::config::{Agent, Config, Upstream};
use super::discovery::{UpstreamCard, UpstreamInterface, card_urls};
use super::headers;
use super::io::{BodyError, CacheEntry, Event, Fetch, FetchError, Step};
use super::serve::Cx;
use super::signatures::verify_card;
use crate::json::without_bom;
use crate::protocol::{Version, header, media_type};
use std::collections::HashMap;
use std::rc::Rc;

/// Which agent: its name, or the one at the root.
type AgentKey = Option<String>;

/// What a gateway remembers.
#[derive(Default)]
pub struct State {
    cards: HashMap<AgentKey, Rc<UpstreamCard>>,
    versions: HashMap<(AgentKey, String), Spoken>,
}

/// What is known about the version that an interface really speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spoken {
    version: Version,
    until_ms: u64,
}

impl State {
    /// The version that this interface has shown to speak; `None` if nothing is known.
    pub fn spoken(&self, agent: &Agent, interface: &UpstreamInterface, now_ms: u64) -> Option<Version> {
        let spoken = self.versions.get(&key(agent, interface))?;
        (now_ms < spoken.until_ms).then_some(spoken.version)
    }

    /// Remembers the version that an interface has answered in, for the card's time to live.
    pub fn confirm(&mut self, agent: &Agent, interface: &UpstreamInterface, version: Version, until_ms: u64) {
        self.versions.insert(key(agent, interface), Spoken { version, until_ms });
    }
}

fn key(agent: &Agent, interface: &UpstreamInterface) -> (AgentKey, String) {
    (agent.name.clone(), format!("{} {}", interface.binding, interface.url))
}

/// Why an agent cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// 502, 504 or 508.
    pub status: u16,
    /// One sentence.
    pub message: String,
}

// What is kept with a card in the shared cache.
const CARD_URL: &str = "x-card-url";
const FETCHED: &str = "x-card-fetched";
const UPSTREAM_CACHE: &str = "x-card-cache-control";
const UPSTREAM_SERVER: &str = "x-card-server";

/// How long a card may take, in milliseconds: readers wait for it before anything else happens.
const CARD_TIMEOUT_MS: u64 = 15_000;

/// How many times its time to live a card may be served while it is fetched again.
const STALE_FACTOR: u64 = 10;

impl Cx<'_> {
    /// The agent's card: from memory while it is fresh, and a while longer while it is fetched again behind the
    /// response; else from the cache that all instances share; else from the agent. A card that cannot be fetched
    /// again is used on.
    pub async fn upstream_card(&self, config: &Config, agent: &Agent) -> Result<Rc<UpstreamCard>, Problem> {
        let known = self.gateway.state.borrow().cards.get(&agent.name).cloned();
        let ttl = config.limits.card_ttl_ms;
        if let Some(card) = &known {
            let age = self.now_ms.saturating_sub(card.fetched_ms);
            if age < ttl {
                return Ok(card.clone());
            }
            if age < ttl.saturating_mul(STALE_FACTOR) {
                self.stale.set(config.agents.iter().position(|known| known.name == agent.name));
                return Ok(card.clone());
            }
        }
        if known.is_none()
            && let Some(card) = self.cached_card(config, agent).await
        {
            return Ok(self.keep_card(agent, card));
        }
        match (self.fetch_and_keep_card(config, agent).await, known) {
            (Ok(card), _) => Ok(card),
            (Err(_), Some(stale)) => Ok(stale),
            (Err(problem), None) => Err(problem),
        }
    }

    fn keep_card(&self, agent: &Agent, card: UpstreamCard) -> Rc<UpstreamCard> {
        let card = Rc::new(card);
        self.gateway.state.borrow_mut().cards.insert(agent.name.clone(), card.clone());
        card
    }

    /// The agent's card from the agent, to be remembered here and by the other instances.
    pub async fn fetch_and_keep_card(&self, config: &Config, agent: &Agent) -> Result<Rc<UpstreamCard>, Problem> {
        let card = self.keep_card(agent, self.fetch_card(config, agent).await?);
        let ttl_ms = config.limits.card_ttl_ms;
        if ttl_ms >= 1000 {
            let mut headers = vec![
                (header::CONTENT_TYPE.to_owned(), media_type::JSON.to_owned()),
                (CARD_URL.to_owned(), card.url.to_string()),
                (FETCHED.to_owned(), card.fetched_ms.to_string()),
            ];
            let kept = [(UPSTREAM_CACHE, &card.cache_control), (UPSTREAM_SERVER, &card.server)];
            headers.extend(kept.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value).clone()?))));
            let entry = CacheEntry { key: self.cache_key(agent), headers, body: card.text.clone(), ttl_ms };
            self.asker.ask(Step::CachePut(entry)).await;
        }
        Ok(card)
    }

    /// Unique per gateway, agent and place of the agent; never a URL that is served.
    fn cache_key(&self, agent: &Agent) -> String {
        let source = match &agent.source {
            Upstream::Url(url) => url.to_string(),
            Upstream::Binding(name) => format!("binding:{name}"),
        };
        let query: String = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("agent", agent.name.as_deref().unwrap_or_default())
            .append_pair("source", &source)
            .finish();
        format!("{}/.a2a-compat/card?{query}", self.request.origin)
    }

    async fn cached_card(&self, config: &Config, agent: &Agent) -> Option<UpstreamCard> {
        let Event::Cached(Some(head), body) = self.asker.ask(Step::CacheGet(self.cache_key(agent))).await else {
            return None;
        };
        let text = |name: &str| headers::get(&head.headers, name).map(str::to_owned);
        let fetched_ms = text(FETCHED)?.parse().ok()?;
        if self.now_ms.saturating_sub(fetched_ms) >= config.limits.card_ttl_ms {
            return None;
        }
        let url = url::Url::parse(&text(CARD_URL)?).ok()?;
        if let Some(jwks) = &config.trusted_jwks {
            verify_card(without_bom(&body), jwks).ok()?;
        }
        UpstreamCard::parse(&body, &url, text(UPSTREAM_CACHE), text(UPSTREAM_SERVER), fetched_ms).ok()
    }

    async fn fetch_card(&self, config: &Config, agent: &Agent) -> Result<UpstreamCard, Problem> {
        let problem = |status, message: String| Problem { status, message };
        let hops: Vec<(String, String)> = headers::get(&self.request.headers, header::A2A_COMPAT_HOPS)
            .map(|hops| (header::A2A_COMPAT_HOPS.to_owned(), hops.to_owned()))
            .into_iter()
            .collect();
        let mut sent = headers::to_upstream(&hops, Version::V1_0, true).map_err(|_| too_many_hops())?;
        headers::set(&mut sent, header::ACCEPT, media_type::JSON);
        add_own(&mut sent, agent);
        let mut last = problem(502, "The agent's card has no URL".to_owned());
        for url in card_urls(&agent.source) {
            let fetch = Fetch {
                method: "GET",
                url: url.to_string(),
                binding: binding(agent),
                headers: sent.clone(),
                body: None,
                timeout_ms: config.limits.upstream_timeout_ms.min(CARD_TIMEOUT_MS),
                addresses: Vec::new(),
                beside: false,
            };
            let place = shown(&url);
            let head = match self.asker.ask(Step::Fetch(fetch)).await {
                Event::Response(Ok(head)) => head,
                Event::Response(Err(FetchError::Timeout)) => {
                    return Err(problem(504, format!("The agent did not send its card ({place}) in time")));
                }
                Event::Response(Err(FetchError::Unreachable(why))) => {
                    return Err(problem(502, format!("The agent cannot be reached for its card ({place}): {why}")));
                }
                _ => return Err(problem(502, "The agent's card was not fetched".to_owned())),
            };
            if head.status != 200 {
                self.asker.ask(Step::DropResponse).await;
                let redirect = if (300..400).contains(&head.status) { "; redirects are not followed" } else { "" };
                let found = problem(
                    if head.status == 508 { 508 } else { 502 },
                    format!("The agent answered HTTP {} for its card ({place}){redirect}", head.status),
                );
                // The first place that is not simply empty tells most.
                if !matches!(head.status, 404 | 405 | 410) {
                    return Err(found);
                }
                if last.message.ends_with("no URL") {
                    last = found;
                }
                continue;
            }
            let within = config.limits.upstream_timeout_ms.min(CARD_TIMEOUT_MS);
            let body = match self.asker.ask(Step::ReadResponse(config.limits.max_body_bytes, within)).await {
                Event::Body(Ok(body)) => body,
                Event::Body(Err(BodyError::TooLarge)) => {
                    let most = config.limits.max_body_bytes;
                    return Err(problem(502, format!("The agent's card ({place}) is longer than {most} bytes")));
                }
                Event::Body(Err(BodyError::Timeout)) => {
                    return Err(problem(504, format!("The agent did not send its card ({place}) whole in time")));
                }
                _ => return Err(problem(502, format!("The agent's card ({place}) broke off"))),
            };
            let cache = headers::get(&head.headers, header::CACHE_CONTROL).map(str::to_owned);
            let server = headers::get(&head.headers, header::SERVER).map(str::to_owned);
            if let Some(jwks) = &config.trusted_jwks {
                verify_card(without_bom(&body), jwks)
                    .map_err(|why| problem(502, format!("The agent's card ({place}) {why}")))?;
            }
            return UpstreamCard::parse(&body, &url, cache, server, self.now_ms)
                .map_err(|why| problem(502, format!("The agent's card ({place}) {why}")));
        }
        Err(last)
    }
}

/// The operator's headers for an agent replace the client's.
pub(super) fn add_own(headers: &mut Vec<(String, String)>, agent: &Agent) {
    for (name, value) in &agent.upstream_headers {
        headers::set(headers, name, value);
    }
}

/// The service binding that an agent is reached through.
pub(super) fn binding(agent: &Agent) -> Option<String> {
    match &agent.source {
        Upstream::Binding(name) => Some(name.clone()),
        Upstream::Url(_) => None,
    }
}

/// A gateway that is pointed at itself.
pub(super) fn too_many_hops() -> Problem {
    Problem { status: 508, message: "The request went through too many gateways; is one pointed at itself?".to_owned() }
}

/// What an error may show of a URL: clients need not know where a private agent is.
fn shown(url: &url::Url) -> String {
    url.path().to_owned()
}
