//! Registering webhooks: the agent gets a URL of the gateway's, the client sees its own again.

use super::token::{self, NONCE_LEN};
use super::{can_ask, is_direct};
use crate::engine::{Doc, Slot};
use crate::entity::{A2aError, asked_webhook, result_shape, webhook_path, webhook_urls};
use crate::gateway::call::ClientCall;
use crate::gateway::discovery::UpstreamCard;
use crate::gateway::io::{Event, Step};
use crate::json::{Span, quote_into, spliced, text, without_bom};
use crate::protocol::{Binding, ErrorCode, Operation, Peer, Version, path};
use crate::wire::client::read_answer;

/// The operations whose results show webhooks' URLs.
fn shows_webhooks(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
    )
}

fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    quote_into(&mut out, text);
    out
}

impl ClientCall<'_> {
    /// Whether the call or its answer has to be looked at although the agent speaks what the client speaks.
    pub fn concerns_relay(&self, card: &UpstreamCard, agent: Peer, operation: Operation) -> bool {
        self.config.relay_keys.is_some()
            && (shows_webhooks(operation) || (self.has_webhook && !is_direct(card, agent.version, self.client.version)))
    }

    /// The params with a URL of the gateway's in place of the webhook that they ask for; `None` if they ask for none
    /// or the agent gets it as it is.
    ///
    /// # Errors
    /// The webhook cannot be relayed: nothing must be sent.
    pub async fn relayed(
        &self,
        card: &UpstreamCard,
        agent: Peer,
        operation: Operation,
        doc: &Doc,
        params: Slot,
    ) -> Result<Option<Vec<u8>>, A2aError> {
        let client = self.client.version;
        if !self.has_webhook || is_direct(card, agent.version, client) {
            return Ok(None);
        }
        let refused = |message: String| Err(A2aError::new(ErrorCode::PUSH_NOTIFICATION_NOT_SUPPORTED, message));
        let Some(keys) = &self.config.relay_keys else {
            if agent.version == client {
                return Ok(None);
            }
            return refused(format!(
                "The agent speaks A2A {} and this gateway relays no webhooks (RELAY_KEY), so a webhook for A2A {client} cannot be registered",
                agent.version,
            ));
        };
        if client == Version::V0_3 && self.agent.profile.push_task_snapshot && !can_ask(card, self.agent) {
            return refused(
                "Webhooks get the whole task here (PUSH_TASK_SNAPSHOT), but the gateway has no credential to ask the agent for it (UPSTREAM_HEADERS)"
                    .to_owned(),
            );
        }
        // A webhook without a URL is the translation's to refuse, or the agent's.
        let (Some(place), Some(whole)) = (asked_webhook(doc, self.input, operation, params), self.params_span) else {
            return Ok(None);
        };
        let url = text(self.input, place).unwrap_or_default();
        if let Err(why) = self.cx.receiver(self.config, &url).await {
            let root = if self.client.binding == Binding::JsonRpc { "params." } else { "" };
            let field = webhook_path(operation, self.client.dialect());
            return Err(A2aError::new(ErrorCode::INVALID_PARAMS, format!("{root}{field} {why}")));
        }
        let nonce = match self.cx.asker.ask(Step::Random(NONCE_LEN)).await {
            Event::Random(bytes) => <[u8; NONCE_LEN]>::try_from(bytes).ok(),
            _ => None,
        };
        let sealed = nonce.and_then(|nonce| token::seal(keys, nonce, self.agent.name.as_deref(), client, &url));
        let Some(sealed) = sealed else {
            return Err(A2aError::new(ErrorCode::INTERNAL_ERROR, "The webhook's URL could not be sealed"));
        };
        let relay = format!("{}/{}/{sealed}", self.cx.base(self.config, self.base_path), path::RELAY);
        let below = Span { start: place.start - whole.start, end: place.end - whole.start };
        Ok(Some(spliced(whole.of(self.input), &[(below, quoted(&relay))])))
    }

    /// An agent's answer with the clients' own URLs in place of the gateway's.
    pub fn with_own_urls(&self, agent: Peer, operation: Operation, status: u16, body: Vec<u8>) -> Vec<u8> {
        let Some(keys) = self.config.relay_keys.as_ref().filter(|_| shows_webhooks(operation)) else { return body };
        let input = without_bom(&body);
        let mut doc = Doc::default();
        let Ok(result) = read_answer(agent, operation, result_shape(operation), status, input, &mut doc) else {
            return body;
        };
        let mut places = webhook_urls(&doc, input, operation, result);
        places.sort_unstable_by_key(|place| place.start);
        let own: Vec<_> = places
            .into_iter()
            .filter_map(|place| {
                let shown = text(input, place)?;
                // PUBLIC_URL may have changed since: what opens is ours.
                let (_, token) = shown.rsplit_once(&format!("/{}/", path::RELAY))?;
                let (_, url) = token::open(keys, self.agent.name.as_deref(), token)?;
                Some((place, quoted(&url)))
            })
            .collect();
        if own.is_empty() { body } else { spliced(input, &own) }
    }
}
