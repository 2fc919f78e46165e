//! Upstream cards: where they are, what they say, which interface is called (DESIGN "Sans-IO bridge", PEERS).

use super::config::{Agent, Upstream};
use crate::engine::{Interface as CardInterface, Mode, Options};
use crate::entity::AGENT_CARD;
use crate::entity::Shape;
use crate::json::{elements, member, text, validate, without_bom};
use crate::protocol::{Binding, Dialect, ProtocolVersion, Version, path};
use std::fmt;
use url::Url;

/// An agent's card as it was fetched.
#[derive(Clone, Debug)]
pub struct UpstreamCard {
    /// Where it came from.
    pub url: Url,
    /// The card's text.
    pub text: Vec<u8>,
    /// Its interfaces, URLs resolved against the card's.
    pub interfaces: Vec<UpstreamInterface>,
    /// The versions of all interfaces that it names, also of those that cannot be called from here.
    pub versions: Vec<Version>,
    /// Whether it asks callers for a credential.
    pub is_secured: bool,
    /// The `Cache-Control` that it came with.
    pub cache_control: Option<String>,
    /// The `Server` that it came with.
    pub server: Option<String>,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_ms: u64,
}

/// An interface of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamInterface {
    /// Its URL.
    pub url: Url,
    /// JSON-RPC or HTTP+JSON.
    pub binding: Binding,
    /// The version it speaks, as the card has it.
    pub version: Version,
    /// Its tenant; empty without one.
    pub tenant: String,
}

/// Where an agent's card may be, in the order to try.
pub fn card_urls(source: &Upstream) -> Vec<Url> {
    let base = match source {
        Upstream::Url(url) => url.clone(),
        // The host of a service binding is never looked up.
        Upstream::Binding(name) => match Url::parse(&format!("https://{}.internal/", name.to_lowercase())) {
            Ok(url) => url,
            Err(_) => return Vec::new(),
        },
    };
    if base.path().ends_with(".json") {
        return vec![base];
    }
    let mut urls: Vec<Url> = Vec::new();
    let prefix = base.path().trim_end_matches('/');
    for prefix in [prefix, ""] {
        for card in path::AGENT_CARDS {
            let mut url = base.clone();
            url.set_path(&format!("{prefix}{card}"));
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
    }
    urls
}

impl UpstreamCard {
    /// Reads a card that came from `url`.
    ///
    /// # Errors
    /// Why it cannot be used, as the end of a sentence that begins with "The agent's card".
    pub fn parse(
        body: &[u8],
        url: &Url,
        cache_control: Option<String>,
        server: Option<String>,
        fetched_ms: u64,
    ) -> Result<UpstreamCard, String> {
        let text = without_bom(body);
        let root = validate(text).map_err(|e| format!("is not a card: invalid JSON, {e}"))?;
        let has = |name, first| member(text, root, name).is_some_and(|value| value.of(text).first() == Some(&first));
        if !(has("supportedInterfaces", b'[') || has("supported_interfaces", b'[') || has("url", b'"')) {
            return Err("is not a card: it has neither supportedInterfaces nor a url".to_owned());
        }
        // Any card is read as J3: hybrid and v1.0 cards are recognised by their interfaces (RULES 7.6).
        let shape = Shape::Record(&AGENT_CARD);
        let v1_0 = crate::translate(text, shape, Dialect::J3, Dialect::P1, Mode::Result, &Options::default())
            .map_err(|e| format!("is not a card: {}", e.message))?;
        let named = card_interfaces(&v1_0.bytes);
        let versions = named.iter().filter_map(|interface| version_of(&interface.version)).collect();
        let requirements =
            validate(&v1_0.bytes).ok().and_then(|root| member(&v1_0.bytes, root, "securityRequirements"));
        let is_secured = elements(&v1_0.bytes, requirements.unwrap_or_default()).next().is_some();
        let interfaces = named
            .into_iter()
            .filter(|interface| !interface.url.is_empty())
            .filter_map(|interface| {
                Some(UpstreamInterface {
                    url: url.join(&interface.url).ok()?,
                    binding: Binding::parse(&interface.binding)?,
                    version: version_of(&interface.version)?,
                    tenant: interface.tenant,
                })
            })
            .collect();
        Ok(UpstreamCard {
            url: url.clone(),
            text: text.to_vec(),
            interfaces,
            versions,
            is_secured,
            cache_control,
            server,
            fetched_ms,
        })
    }

    /// Whether the card came from a Python server, whose SDK encodes `fileWithBytes` twice (PEERS).
    pub fn is_double_encoding(&self) -> bool {
        let server = self.server.as_deref().unwrap_or_default().to_ascii_lowercase();
        server.starts_with("uvicorn") || server.starts_with("hypercorn")
    }

    /// Whether the card has an interface of this version (and binding).
    pub fn speaks(&self, version: Version, binding: Option<Binding>) -> bool {
        self.interfaces.iter().any(|i| i.version == version && binding.is_none_or(|b| b == i.binding))
    }
}

/// Empty means v0.3 (RULES 7.4).
fn version_of(text: &str) -> Option<Version> {
    if text.is_empty() {
        return Some(Version::V0_3);
    }
    ProtocolVersion::parse(text)?.supported()
}

/// `supportedInterfaces` of a v1.0 card.
fn card_interfaces(card: &[u8]) -> Vec<CardInterface> {
    let Ok(root) = validate(card) else { return Vec::new() };
    let list = member(card, root, "supportedInterfaces").unwrap_or_default();
    let text = |item, name| {
        let text = member(card, item, name).and_then(|value| text(card, value));
        text.unwrap_or_default().into_owned()
    };
    elements(card, list)
        .map(|item| CardInterface {
            url: text(item, "url"),
            binding: text(item, "protocolBinding"),
            version: text(item, "protocolVersion"),
            tenant: text(item, "tenant"),
        })
        .collect()
}

/// Why no interface can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoInterface {
    /// The card has none that this gateway speaks.
    None,
    /// It has, but elsewhere: the origin that `UPSTREAM_ORIGINS` does not name.
    Origin(String),
}

impl fmt::Display for NoInterface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoInterface::None => f.write_str(
                "The agent's card has no interface that this gateway speaks: JSONRPC or HTTP+JSON in 0.3 or 1.0",
            ),
            NoInterface::Origin(origin) => {
                write!(f, "The agent's card leads to {origin}, which UPSTREAM_ORIGINS does not allow")
            }
        }
    }
}

/// The interface to call for a client: same version and binding, same version, same binding, other.
///
/// # Errors
/// [`NoInterface`].
pub fn choose_interface<'c>(
    card: &'c UpstreamCard,
    agent: &Agent,
    origins: &[String],
    version: Version,
    binding: Binding,
) -> Result<&'c UpstreamInterface, NoInterface> {
    let allowed = |interface: &&UpstreamInterface| match &agent.source {
        Upstream::Binding(_) => true,
        Upstream::Url(base) => {
            let origin = interface.url.origin();
            origin == base.origin() || origins.contains(&origin.ascii_serialization())
        }
    };
    let usable = |interface: &&UpstreamInterface| matches!(interface.url.scheme(), "http" | "https");
    let rank = |interface: &&UpstreamInterface| match (interface.version == version, interface.binding == binding) {
        (true, true) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (false, false) => 3,
    };
    match card.interfaces.iter().filter(usable).filter(allowed).min_by_key(rank) {
        Some(interface) => Ok(interface),
        None => Err(match card.interfaces.iter().find(usable) {
            Some(elsewhere) => NoInterface::Origin(elsewhere.url.origin().ascii_serialization()),
            None => NoInterface::None,
        }),
    }
}
