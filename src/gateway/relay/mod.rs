//! The webhook relay: agents post to the gateway, which translates and posts to the client's receiver (DESIGN
//! "Webhooks", RULES 11).

mod delivery;
mod receiver;
mod register;
pub mod token;

pub(super) use delivery::serve;

use super::config::{Agent, Config};
use super::discovery::UpstreamCard;
use super::io::{Event, Step};
use super::serve::Cx;
use crate::protocol::Version;
use std::net::IpAddr;
use url::{Host, Url};

/// Whether a v0.3 receiver's task can be asked for: the agent is open, or the operator has given a credential.
fn can_ask(card: &UpstreamCard, agent: &Agent) -> bool {
    !agent.upstream_headers.is_empty() || !card.is_secured
}

/// Whether the agent may be handed a client's own URL: it posts what the client reads, and nothing else.
fn is_direct(card: &UpstreamCard, spoken: Version, client: Version) -> bool {
    spoken == client && !card.versions.contains(&client.other())
}

/// Whether a client of this version can register webhooks, as far as the gateway is concerned.
pub(super) fn can_register(card: &UpstreamCard, agent: &Agent, client: Version, has_relay: bool) -> bool {
    let speaks = card.speaks(client, None);
    if is_direct(card, if speaks { client } else { client.other() }, client) {
        return true;
    }
    if !has_relay {
        return speaks;
    }
    !(client == Version::V0_3 && agent.profile.push_task_snapshot) || can_ask(card, agent)
}

impl Cx<'_> {
    /// A receiver that may be posted to, and where its host was found to be.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    async fn receiver(&self, config: &Config, text: &str) -> Result<(Url, Vec<IpAddr>), String> {
        let own = [config.public_base(&self.request.origin), &self.request.origin];
        let url = receiver::check(text, &own, config.relay_allow_private)?;
        let Some(Host::Domain(name)) = url.host().filter(|_| config.resolves_names && !config.relay_allow_private)
        else {
            return Ok((url, Vec::new()));
        };
        let addresses = match self.asker.ask(Step::Resolve(name.to_owned())).await {
            Event::Resolved(addresses) => addresses,
            _ => Vec::new(),
        };
        if addresses.is_empty() {
            return Err("has a host that cannot be found".to_owned());
        }
        if !addresses.iter().all(|address| receiver::is_public(*address)) {
            return Err("leads to an address that is not public".to_owned());
        }
        Ok((url, addresses))
    }
}
