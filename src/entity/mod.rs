//! What each A2A object is: one table per entity, all dialects side by side, with the few functions for what is not
//! a renaming. The tables read like RULES.md; a new field is a row.

mod artifact;
mod card;
mod card_write;
mod error;
mod event;
mod message;
mod part;
mod push;
mod request;
mod security;
mod security_write;
mod shape;
mod task;

pub use artifact::ARTIFACT;
pub use card::{AGENT_CAPABILITIES, AGENT_CARD, AGENT_EXTENSION, AGENT_INTERFACE, AGENT_PROVIDER, AGENT_SKILL};
pub use error::{A2aError, translate_data};
pub use event::{ARTIFACT_UPDATE, EventFacts, Payload, STATUS_UPDATE, event_facts, stream_error, webhook_dialect};
pub use message::MESSAGE;
pub use part::PART;
pub use push::{AUTHENTICATION, PUSH_CONFIG, PUSH_CONFIG_LIST, TASK_PUSH_CONFIG, next_page_token, webhook_urls};
pub use request::{
    SEND_CONFIGURATION, asked_webhook, asks_for_webhook, is_without_config_id, names_task, params_entity, task_id_slot,
    webhook_path,
};
pub use security::{OAUTH_FLOWS, SECURITY_SCHEME};
pub use security_write::Requirement;
pub use shape::{Shape, event_shape, params_shape, result_shape, shape_named};
pub use task::{STATES, TASK, TASK_STATUS, TaskState, task_state};
