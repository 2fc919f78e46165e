//! What the operations take (RULES 5).

use super::message::MESSAGE;
use super::push::{PUSH_CONFIG, TASK_PUSH_CONFIG, config_url, push_config, task_config_url, task_push_config};
use super::task::STATES;
use crate::engine::{Doc, Entity, Fail, Field, Kind, Row, Rule, Slot, Writer, code, entity, field};
use crate::json::Span;
use crate::protocol::Dialect::{J3, P1, R3};
use crate::protocol::{Dialect, Operation};

const HISTORY_LENGTH: Field = field("historyLength", Kind::Int).rule(Rule::By(history_length));
const TENANT: Field = field("tenant", Kind::Str).rule(Rule::By(tenant));
/// Metadata that only v0.3 JSON-RPC params have (RULES 5.13, 5.15).
const V0_3_METADATA: Field = field("metadata", Kind::Struct)
    .rule_in(J3, Rule::Present)
    .not_in(R3, Some(code::METADATA_DROPPED))
    .not_in(P1, Some(code::METADATA_DROPPED));
const TASK_ID: Field = field("id", Kind::Str).required();
/// The task's id where the params have another id too.
const PUSH_TASK_ID: Field = field("id", Kind::Str).key_in(P1, "taskId").required();
const PUSH_CONFIG_ID: Field = field("pushNotificationConfigId", Kind::Str).key_in(P1, "id");

entity!(
    /// How a message is to be handled.
    pub SEND_CONFIGURATION, send_configuration, "configuration" {
        ACCEPTED_OUTPUT_MODES = field("acceptedOutputModes", Kind::StrList),
        PUSH_CONFIG = field("pushNotificationConfig", Kind::Rec(&PUSH_CONFIG))
            .key_in(R3, "pushNotification").key_in(P1, "taskPushNotificationConfig"),
        HISTORY_LENGTH = HISTORY_LENGTH,
        /// The same thing with inverted polarity.
        BLOCKING = field("blocking", Kind::Bool).key_in(P1, "returnImmediately").rule(Rule::By(blocking)),
    }
);

entity!(
    /// message/send, message/stream.
    pub SEND, send, "params" {
        TENANT = TENANT,
        MESSAGE = field("message", Kind::Rec(&MESSAGE)).aliases(&["request"]).required(),
        CONFIGURATION = field("configuration", Kind::Rec(&SEND_CONFIGURATION)),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
    }
);

entity!(GET, get, "params" { TENANT = TENANT, ID = TASK_ID, HISTORY_LENGTH = HISTORY_LENGTH, METADATA = V0_3_METADATA });

entity!(CANCEL, cancel, "params" {
    TENANT = TENANT,
    ID = TASK_ID,
    METADATA = field("metadata", Kind::Struct).rule(Rule::Present).not_in(R3, Some(code::METADATA_DROPPED)),
});

entity!(SUBSCRIBE, subscribe, "params" { TENANT = TENANT, ID = TASK_ID, METADATA = V0_3_METADATA });

entity!(PUSH_GET, push_get, "params" {
    TENANT = TENANT,
    TASK_ID = PUSH_TASK_ID,
    CONFIG_ID = PUSH_CONFIG_ID.rule_in(P1, Rule::By(config_id_or_task_id)),
    METADATA = V0_3_METADATA,
});

entity!(PUSH_DELETE, push_delete, "params" {
    TENANT = TENANT,
    TASK_ID = PUSH_TASK_ID,
    CONFIG_ID = PUSH_CONFIG_ID.required(),
    METADATA = V0_3_METADATA,
});

entity!(PUSH_LIST, push_list, "params" {
    TENANT = TENANT,
    TASK_ID = PUSH_TASK_ID,
    PAGE_SIZE = field("pageSize", Kind::Int).rule(Rule::Present).not_in(J3, Some(code::PAGING_DROPPED)),
    PAGE_TOKEN = field("pageToken", Kind::Str).not_in(J3, Some(code::PAGING_DROPPED)),
    METADATA = V0_3_METADATA,
});

entity!(EXTENDED_CARD, extended_card, "params" { TENANT = TENANT });

entity!(LIST_TASKS, list_tasks, "params" {
    TENANT = TENANT,
    CONTEXT_ID = field("contextId", Kind::Str).v1_0_only(),
    STATUS = field("status", Kind::Enum(&STATES)).v1_0_only(),
    PAGE_SIZE = field("pageSize", Kind::Int).rule(Rule::Present).v1_0_only(),
    PAGE_TOKEN = field("pageToken", Kind::Str).v1_0_only(),
    HISTORY_LENGTH = field("historyLength", Kind::Int).rule(Rule::Present).v1_0_only(),
    STATUS_TIMESTAMP_AFTER = field("statusTimestampAfter", Kind::Time).v1_0_only(),
    INCLUDE_ARTIFACTS = field("includeArtifacts", Kind::Bool).rule(Rule::Present).v1_0_only(),
});

/// The table of an operation's params.
pub fn params_entity(operation: Operation) -> &'static Entity {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => &SEND,
        Operation::GetTask => &GET,
        Operation::ListTasks => &LIST_TASKS,
        Operation::CancelTask => &CANCEL,
        Operation::SubscribeToTask => &SUBSCRIBE,
        Operation::CreateTaskPushNotificationConfig => &TASK_PUSH_CONFIG,
        Operation::GetTaskPushNotificationConfig => &PUSH_GET,
        Operation::ListTaskPushNotificationConfigs => &PUSH_LIST,
        Operation::DeleteTaskPushNotificationConfig => &PUSH_DELETE,
        Operation::GetExtendedAgentCard => &EXTENDED_CARD,
    }
}

/// 0 means unlimited in v0.3 and none in v1.0 (RULES 5.6, 5.7).
fn history_length(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if row.slot.is_absent() {
        return Ok(());
    }
    let value = w.integer(row.field, row.slot)?;
    if value == 0 && w.cx.from.version() != w.cx.to.version() {
        w.notice(code::HISTORY_LENGTH_ZERO, row.field);
        if w.cx.to == P1 {
            return Ok(());
        }
    }
    w.out.key(row.key.quoted());
    w.out.text(&value.to_string());
    Ok(())
}

/// RULES 5.1–5.4: what an absent member means depends on the dialect.
fn blocking(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let said = w.boolean(row.field, row.slot)?;
    let blocking = match w.cx.from {
        J3 | R3 if w.cx.options.always_blocking => true,
        J3 => said || row.slot.is_absent(),
        R3 => said,
        P1 => !said,
    };
    match (w.cx.to, blocking) {
        (P1, true) => {}
        (P1, false) => {
            w.out.key(row.key.quoted());
            w.out.boolean(true);
        }
        (_, blocking) => {
            w.out.key(row.key.quoted());
            w.out.boolean(blocking);
        }
    }
    Ok(())
}

/// RULES 5.18.
fn config_id_or_task_id(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let mut slot = row.slot;
    if w.is_empty(slot) {
        slot = w.slot(row.rec, push_get::TASK_ID);
        if w.is_empty(slot) {
            return Ok(());
        }
        w.notice(code::PUSH_CONFIG_ID_DEFAULTED, row.field);
    }
    w.member(row.field, row.key, slot)
}

fn tenant(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    write_tenant(w, row.slot, row.field)
}

/// The interface's tenant wins over the caller's; v0.3 has none (RULES 5.12).
pub(super) fn write_tenant(w: &mut Writer<'_>, slot: Slot, field: &'static Field) -> Result<(), Fail> {
    let given = !w.is_empty(slot);
    if w.cx.to != P1 {
        if given {
            w.notice(code::TENANT_DROPPED, field);
        }
        return Ok(());
    }
    match &w.cx.options.tenant {
        Some(tenant) => {
            if given && w.text_of(slot).as_ref() != Some(tenant) {
                w.notice(code::TENANT_DROPPED, field);
            }
            let tenant = tenant.clone();
            w.out.string_member("tenant", &tenant);
            Ok(())
        }
        None if given => {
            w.out.name("tenant");
            w.value(field, Kind::Str, slot)
        }
        None => Ok(()),
    }
}

/// The slot of the task's id in an operation's params, where the params are about one task.
pub fn task_id_slot(operation: Operation) -> Option<u32> {
    match operation {
        Operation::GetTask => Some(get::ID),
        Operation::CancelTask => Some(cancel::ID),
        Operation::SubscribeToTask => Some(subscribe::ID),
        Operation::CreateTaskPushNotificationConfig => Some(super::push::task_push_config::TASK_ID),
        Operation::GetTaskPushNotificationConfig => Some(push_get::TASK_ID),
        Operation::ListTaskPushNotificationConfigs => Some(push_list::TASK_ID),
        Operation::DeleteTaskPushNotificationConfig => Some(push_delete::TASK_ID),
        _ => None,
    }
}

/// Whether the params of GetTaskPushNotificationConfig name no config (RULES 5.18).
pub fn is_without_config_id(doc: &Doc, params: Slot) -> bool {
    params.as_record().is_some_and(|rec| doc.slot(rec + push_get::CONFIG_ID).is_absent())
}

/// Whether the params are about a task: they have its id, or their message does.
pub fn names_task(doc: &Doc, operation: Operation, params: Slot) -> bool {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => params
            .as_record()
            .and_then(|rec| doc.slot(rec + send::MESSAGE).as_record())
            .is_some_and(|message| !doc.slot(message + super::message::message::TASK_ID).is_absent()),
        _ => task_id_slot(operation).is_some(),
    }
}

/// Whether the params ask for a webhook: to create one, or in a send's configuration.
pub fn asks_for_webhook(doc: &Doc, operation: Operation, params: Slot) -> bool {
    match operation {
        Operation::CreateTaskPushNotificationConfig => true,
        Operation::SendMessage | Operation::SendStreamingMessage => !sent_webhook(doc, params).is_absent(),
        _ => false,
    }
}

/// Where the URL of the webhook is that the params ask for: a JSON string.
pub fn asked_webhook(doc: &Doc, input: &[u8], operation: Operation, params: Slot) -> Option<Span> {
    match operation {
        Operation::CreateTaskPushNotificationConfig => task_config_url(doc, input, params),
        Operation::SendMessage | Operation::SendStreamingMessage => config_url(doc, input, sent_webhook(doc, params)),
        _ => None,
    }
}

/// What a client of this dialect calls that URL, below the params.
pub fn webhook_path(operation: Operation, dialect: Dialect) -> String {
    let url = PUSH_CONFIG.field(push_config::URL).key(dialect);
    match (operation, dialect) {
        (Operation::CreateTaskPushNotificationConfig, P1) => url.to_owned(),
        (Operation::CreateTaskPushNotificationConfig, _) => {
            format!("{}.{url}", TASK_PUSH_CONFIG.field(task_push_config::CONFIG).key(dialect))
        }
        _ => {
            let configuration = SEND.field(send::CONFIGURATION).key(dialect);
            format!("{configuration}.{}.{url}", SEND_CONFIGURATION.field(send_configuration::PUSH_CONFIG).key(dialect))
        }
    }
}

fn sent_webhook(doc: &Doc, params: Slot) -> Slot {
    let configuration = params.as_record().and_then(|rec| doc.slot(rec + send::CONFIGURATION).as_record());
    configuration.map_or(Slot::ABSENT, |rec| doc.slot(rec + send_configuration::PUSH_CONFIG))
}
