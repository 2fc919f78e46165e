//! The cards that the gateway serves: the agent's, with the gateway's own interfaces (RULES 7.25, DESIGN "Cards").

use super::config::{Agent, Offer};
use super::discovery::UpstreamCard;
use super::relay::can_register;
use crate::engine::{CardOverrides, Interface, Mode, Notices, Options};
use crate::entity::{A2aError, AGENT_CARD, Shape};
use crate::protocol::{Binding, Dialect, Version, path};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The interfaces that the gateway offers for an agent below `base`, in the order of `OFFER`.
pub fn gateway_interfaces(offer: &Offer, base: &str) -> Vec<Interface> {
    let base = base.trim_end_matches('/');
    offer
        .iter()
        .map(|interface| Interface {
            url: match interface.binding {
                Binding::JsonRpc => format!("{base}/{}", path::JSON_RPC),
                Binding::HttpJson => base.to_owned(),
            },
            binding: interface.binding.as_str().to_owned(),
            version: interface.version.as_str().to_owned(),
            tenant: String::new(),
        })
        .collect()
}

/// What a card for a reader of `version` says instead of the agent's card.
pub fn overrides(card: &UpstreamCard, agent: &Agent, base: &str, version: Version, relay: bool) -> CardOverrides {
    CardOverrides {
        interfaces: gateway_interfaces(&agent.offer, base),
        without_push_notifications: !can_register(card, agent, version, relay),
    }
}

/// The agent's card for a reader of `version`: v1.0's shape, or v0.3's with v1.0's members in it (RULES 7.6).
///
/// # Errors
/// −32009 if nothing is offered in v0.3 and the reader is a legacy one.
pub fn card_for(
    card: &UpstreamCard,
    agent: &Agent,
    base: &str,
    version: Version,
    relay: bool,
) -> Result<(Vec<u8>, Notices), A2aError> {
    let options = Options {
        embed: version == Version::V0_3 && agent.offer.has_version(Version::V1_0),
        oauth_split: agent.profile.oauth_split,
        card: Some(overrides(card, agent, base, version, relay)),
        ..Options::default()
    };
    let to = match version {
        Version::V0_3 => Dialect::J3,
        Version::V1_0 => Dialect::P1,
    };
    let made = crate::translate(&card.text, Shape::Record(&AGENT_CARD), Dialect::J3, to, Mode::Result, &options)?;
    Ok((made.bytes, made.notices))
}

/// A strong entity tag for these bytes.
pub fn etag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}-{:x}\"", hasher.finish(), bytes.len())
}
