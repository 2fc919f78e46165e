//! Push notification configs (RULES 5.17–5.20, 6).

use crate::engine::{Doc, Fail, Field, Kind, Mode, Rec, Row, Rule, Slot, Writer, code, entity, field};
use crate::json::{Span, elements};
use crate::protocol::Dialect::{J3, P1, R3};
use crate::protocol::Operation;

entity!(
    /// How the receiver wants to be authenticated to: several schemes in v0.3, one in v1.0.
    pub AUTHENTICATION, authentication, "authentication" {
        SCHEMES = field("schemes", Kind::StrList).rule(Rule::By(schemes)).key_in(P1, ""),
        SCHEME = field("scheme", Kind::Str).rule(Rule::By(scheme)).key_in(J3, "").key_in(R3, ""),
        CREDENTIALS = field("credentials", Kind::Str),
    }
);

/// Writing v0.3: the list as it was, or the one scheme as a list (RULES 6.3).
fn schemes(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if w.cx.to == P1 {
        return Ok(());
    }
    if !row.slot.is_absent() {
        return w.member(row.field, row.key, row.slot);
    }
    w.out.key(row.key.quoted());
    w.out.raw(b"[");
    let scheme = w.slot(row.rec, authentication::SCHEME);
    if !w.is_empty(scheme) {
        w.value(AUTHENTICATION.field(authentication::SCHEME), Kind::Str, scheme)?;
    }
    w.out.raw(b"]");
    Ok(())
}

/// Writing v1.0: the first of the list (RULES 6.1, 6.2).
fn scheme(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if w.cx.to != P1 {
        return Ok(());
    }
    if !row.slot.is_absent() {
        return w.member(row.field, row.key, row.slot);
    }
    let list = AUTHENTICATION.field(authentication::SCHEMES);
    let slot = w.slot(row.rec, authentication::SCHEMES);
    let span = match slot.as_span_of(w.input, b'[') {
        None if !slot.is_absent() => return w.fail(list, "must be an array of strings"),
        span => span.unwrap_or_default(),
    };
    w.out.key(row.key.quoted());
    let mut items = elements(w.input, span);
    match items.next() {
        Some(first) if first.of(w.input).starts_with(b"\"") => {
            w.out.span(w.input, first);
            if items.next().is_some() {
                w.notice(code::AUTH_SCHEMES_TRUNCATED, list);
            }
        }
        Some(_) => return w.fail(list, "must be an array of strings"),
        None => {
            if w.cx.from != P1 {
                w.notice(code::AUTH_SCHEME_MISSING, list);
            }
            w.out.raw(b"\"\"");
        }
    }
    Ok(())
}

// The flat fields of v1.0's TaskPushNotificationConfig. Inside v0.3's nested form they are the config's own fields, so
// both tables begin with them, at the same slots.
const ID: Field = field("id", Kind::Str);
const URL: Field = field("url", Kind::Str).required();
const TOKEN: Field = field("token", Kind::Str);
const AUTHENTICATION_ROW: Field = field("authentication", Kind::Rec(&AUTHENTICATION));
const TENANT: Field = field("tenant", Kind::Str)
    .rule_in(J3, Rule::Lost(Some(code::TENANT_DROPPED)))
    .rule_in(R3, Rule::Lost(Some(code::TENANT_DROPPED)));

entity!(
    /// A webhook: v0.3's PushNotificationConfig, v1.0's TaskPushNotificationConfig inside a send (RULES 5.10).
    pub PUSH_CONFIG, push_config, "pushNotificationConfig" {
        ID = ID,
        URL = URL,
        TOKEN = TOKEN,
        AUTHENTICATION = AUTHENTICATION_ROW,
        TASK_ID = field("taskId", Kind::Str).v1_0_only(),
        TENANT = TENANT.key_in(J3, "").key_in(R3, ""),
    }
);

entity!(
    /// A webhook of a task: v0.3 nests the config, v1.0 is flat.
    pub TASK_PUSH_CONFIG, task_push_config, "taskPushNotificationConfig" {
        ID = ID.key_in(J3, "").key_in(R3, ""),
        URL = URL.key_in(J3, "").key_in(R3, ""),
        TOKEN = TOKEN.key_in(J3, "").key_in(R3, ""),
        AUTHENTICATION = AUTHENTICATION_ROW.key_in(J3, "").key_in(R3, ""),
        TASK_ID = field("taskId", Kind::Str),
        /// Also a member of v0.3 params, as an extension (RULES 5.12).
        TENANT = TENANT,
        CONFIG = field("pushNotificationConfig", Kind::Rec(&PUSH_CONFIG)).v0_3_only(),
        /// The resource name of v0.3 REST (RULES 6.6).
        NAME = field("name", Kind::Str).not_in(J3, None).not_in(P1, None),
    } by write
);

fn row(slot: u32) -> &'static Field {
    TASK_PUSH_CONFIG.field(slot)
}

fn write(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    let (from, to) = (w.cx.from, w.cx.to);
    let config_row = row(task_push_config::CONFIG);
    let inner = if from == P1 {
        rec
    } else {
        match w.slot(rec, task_push_config::CONFIG) {
            slot if slot.is_absent() => return w.fail(config_row, "is required"),
            slot => match slot.as_record() {
                Some(inner) => inner,
                None => return w.fail(config_row, "must be an object"),
            },
        }
    };
    let (named_task, named_id) = resource_name(&w.string(rec, task_push_config::NAME));
    let task_slot = w.slot(rec, task_push_config::TASK_ID);
    let task_id = match w.text_of(task_slot) {
        Some(text) if !text.is_empty() => Some(text),
        _ if w.is_empty(task_slot) => named_task,
        _ => return w.fail(row(task_push_config::TASK_ID), "must be a string"),
    };
    // An id that has to be written although the config itself has none.
    let mut id = None;
    if w.is_empty(w.slot(inner, push_config::ID)) {
        id = named_id;
        // RULES 5.17: v1.0 agents would invent one, v0.3 REST readers refuse names without one.
        let needed = to == R3 || (to == P1 && from != P1 && w.cx.mode == Mode::Request);
        if id.is_none() && needed {
            id = task_id.clone();
            w.notice(code::PUSH_CONFIG_ID_DEFAULTED, row(task_push_config::ID));
        }
    }
    match to {
        P1 => {
            config_members(w, inner, id.as_deref())?;
            super::request::write_tenant(w, w.slot(rec, task_push_config::TENANT), row(task_push_config::TENANT))?;
            if let Some(task_id) = task_id.filter(|_| from != P1) {
                w.out.string_member("taskId", &task_id);
            }
            Ok(())
        }
        J3 => {
            if task_id.is_none() {
                if w.cx.mode == Mode::Request {
                    return w.fail(row(task_push_config::TASK_ID), "is required");
                }
                w.notice(code::REQUIRED_MISSING, row(task_push_config::TASK_ID));
            }
            w.out.string_member("taskId", &task_id.unwrap_or_default());
            nested(w, inner, id.as_deref(), config_row)
        }
        R3 => {
            let own = w.string(inner, push_config::ID);
            let id_text = id.as_deref().unwrap_or(&own);
            let name = format!("tasks/{}/pushNotificationConfigs/{id_text}", task_id.as_deref().unwrap_or_default());
            w.out.string_member("name", &name);
            nested(w, inner, id.as_deref(), config_row)
        }
    }
}

fn nested(w: &mut Writer<'_>, inner: Rec, id: Option<&str>, field: &'static Field) -> Result<(), Fail> {
    w.out.name("pushNotificationConfig");
    w.out.raw(b"{");
    w.within(field, |w| config_members(w, inner, id))?;
    w.out.raw(b"}");
    Ok(())
}

fn config_members(w: &mut Writer<'_>, inner: Rec, id: Option<&str>) -> Result<(), Fail> {
    if let Some(id) = id {
        w.out.string_member("id", id);
    }
    for slot in [push_config::ID, push_config::URL, push_config::TOKEN, push_config::AUTHENTICATION] {
        w.one(inner, &PUSH_CONFIG, slot)?;
    }
    if w.cx.from == P1 {
        if w.cx.to == P1 {
            return w.one(inner, &PUSH_CONFIG, push_config::TASK_ID);
        }
        return w.one(inner, &PUSH_CONFIG, push_config::TENANT);
    }
    Ok(())
}

/// The task's and the config's id in `tasks/{t}/pushNotificationConfigs/{c}`. A trailing `None` is how the Python SDK
/// spells an absent id (RULES 6.6).
fn resource_name(name: &str) -> (Option<String>, Option<String>) {
    let Some(rest) = name.strip_prefix("tasks/") else { return (None, None) };
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match rest.rsplit_once("/pushNotificationConfigs/") {
        Some((task, id)) => (given(task), given(id).filter(|id| id != "None")),
        None => (given(rest.trim_end_matches("/pushNotificationConfigs")), None),
    }
}

entity!(
    /// A page of webhooks; a bare array in J3.
    pub PUSH_CONFIG_LIST, push_config_list, "configs" {
        CONFIGS = field("configs", Kind::List(&TASK_PUSH_CONFIG)),
        NEXT_PAGE_TOKEN = field("nextPageToken", Kind::Str),
    }
);

/// Where the URL of a webhook is, read with [`PUSH_CONFIG`]: a JSON string.
pub(super) fn config_url(doc: &Doc, input: &[u8], config: Slot) -> Option<Span> {
    doc.slot(config.as_record()? + push_config::URL).as_span_of(input, b'"')
}

/// Where the URL of a task's webhook is, read with [`TASK_PUSH_CONFIG`].
pub(super) fn task_config_url(doc: &Doc, input: &[u8], config: Slot) -> Option<Span> {
    let rec = config.as_record()?;
    match doc.slot(rec + task_push_config::CONFIG) {
        nested if nested.is_absent() => doc.slot(rec + task_push_config::URL).as_span_of(input, b'"'),
        nested => config_url(doc, input, nested),
    }
}

/// Where the URLs of webhooks are in an operation's result, read with its shape: JSON strings.
pub fn webhook_urls(doc: &Doc, input: &[u8], operation: Operation, result: Slot) -> Vec<Span> {
    match operation {
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            task_config_url(doc, input, result).into_iter().collect()
        }
        Operation::ListTaskPushNotificationConfigs => {
            let list = result.as_record().map_or(result, |rec| doc.slot(rec + push_config_list::CONFIGS));
            let (first, count) = list.as_run().unwrap_or_default();
            (first..first + count).filter_map(|slot| task_config_url(doc, input, doc.slot(slot))).collect()
        }
        _ => Vec::new(),
    }
}

/// The token of the page behind the one at `slot`, as a JSON string; `None` on the last page.
pub fn next_page_token(doc: &Doc, input: &[u8], page: Slot) -> Option<Span> {
    let token = doc.slot(page.as_record()? + push_config_list::NEXT_PAGE_TOKEN).as_span_of(input, b'"')?;
    (token.of(input) != b"\"\"").then_some(token)
}
