//! Results of sends and events of streams: a bare object with `kind` in J3, one named member in R3 and P1
//! (RULES 4, 5.23).

use super::artifact::ARTIFACT;
use super::message::{MESSAGE, message};
use super::task::{TASK, TASK_STATUS, TaskState, status_or_unknown, task};
use crate::engine::{
    Doc, Entity, Fail, Field, Key, Kind, Mode, Rec, Row, Rule, Slot, Writer, code, entity, field, key_tables,
};
use crate::json::{Span, member, text};
use crate::protocol::Dialect::{J3, P1, R3};
use crate::protocol::{Dialect, ErrorCode};

entity!(
    /// The status of a task has changed.
    pub STATUS_UPDATE, status_update, "statusUpdate" {
        KIND = field("kind", Kind::Str).rule_in(J3, Rule::Constant("\"status-update\"")).not_in(R3, None).not_in(P1, None),
        TASK_ID = field("taskId", Kind::Str).required(),
        CONTEXT_ID = field("contextId", Kind::Str).required(),
        STATUS = field("status", Kind::Rec(&TASK_STATUS)).rule(Rule::By(status_or_unknown)),
        FINAL = field("final", Kind::Bool).rule(Rule::By(is_final)).key_in(P1, ""),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
    }
);

entity!(
    /// An artifact, or a piece of one.
    pub ARTIFACT_UPDATE, artifact_update, "artifactUpdate" {
        KIND = field("kind", Kind::Str).rule_in(J3, Rule::Constant("\"artifact-update\"")).not_in(R3, None).not_in(P1, None),
        TASK_ID = field("taskId", Kind::Str).required(),
        CONTEXT_ID = field("contextId", Kind::Str).required(),
        ARTIFACT = field("artifact", Kind::Rec(&ARTIFACT)).rule(Rule::By(artifact_required)),
        APPEND = field("append", Kind::Bool).rule(Rule::True).rule_in(J3, Rule::Always),
        LAST_CHUNK = field("lastChunk", Kind::Bool).rule(Rule::True).rule_in(J3, Rule::Always),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
    }
);

/// RULES 4.2, 4.3. v1.0 has no `final`: going there, a disagreement with the state is worth a notice.
fn is_final(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let state = TaskState::of(w.doc, w.input, w.slot(row.rec, status_update::STATUS), w.cx.from);
    if w.cx.to == P1 {
        if w.cx.from != P1 && !row.slot.is_absent() {
            let said = w.boolean(row.field, row.slot)?;
            let mismatch = match state {
                TaskState::Interrupted => false,
                TaskState::Terminal => !said,
                TaskState::Active | TaskState::Unknown => said,
            };
            if mismatch {
                w.notice(code::FINAL_MISMATCH, row.field);
            }
        }
        return Ok(());
    }
    let value = match w.cx.options.stream_final {
        Some(known) => known,
        None if w.cx.from != P1 && !row.slot.is_absent() => w.boolean(row.field, row.slot)?,
        None => state == TaskState::Terminal,
    };
    if value || w.cx.to == J3 {
        w.out.key(row.key.quoted());
        w.out.boolean(value);
    }
    Ok(())
}

/// RULES 4.7.
fn artifact_required(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if row.slot.is_absent() {
        return w.fail(row.field, "is required");
    }
    w.member(row.field, row.key, row.slot)
}

/// What an event or a send's result carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A task.
    Task = 0,
    /// A message.
    Message = 1,
    /// A status update.
    StatusUpdate = 2,
    /// An artifact update.
    ArtifactUpdate = 3,
}

struct Member {
    payload: Payload,
    entity: &'static Entity,
    j3_kind: &'static str,
    key: &'static [u8],
    superset: &'static [u8],
}

const WIDEST: usize = 10;
/// Marks a field of a member that is not in J3.
const NOWHERE: u8 = u8::MAX;

static MEMBERS: [Member; 4] = [
    Member { payload: Payload::Task, entity: &TASK, j3_kind: "task", key: b",\"task\":", superset: &TASK_SLOTS },
    Member {
        payload: Payload::Message,
        entity: &MESSAGE,
        j3_kind: "message",
        key: b",\"message\":",
        superset: &MESSAGE_SLOTS,
    },
    Member {
        payload: Payload::StatusUpdate,
        entity: &STATUS_UPDATE,
        j3_kind: "status-update",
        key: b",\"statusUpdate\":",
        superset: &STATUS_SLOTS,
    },
    Member {
        payload: Payload::ArtifactUpdate,
        entity: &ARTIFACT_UPDATE,
        j3_kind: "artifact-update",
        key: b",\"artifactUpdate\":",
        superset: &ARTIFACT_SLOTS,
    },
];

// In J3 the discriminator may come last, so a J3 payload is read into the union of the members' fields, made from
// their tables here, and its slots are then dealt out to the member that it turns out to be.

const SUPERSET_LEN: usize = 18;

#[allow(clippy::indexing_slicing)] // constant evaluation
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[allow(clippy::indexing_slicing)] // constant evaluation
const fn find(fields: &[Field], len: usize, key: &str) -> Option<usize> {
    let mut i = 0;
    while i < len {
        if same(fields[i].keys[0], key) {
            return Some(i);
        }
        i += 1;
    }
    None
}

#[allow(clippy::indexing_slicing, clippy::panic)] // constant evaluation: a wrong SUPERSET_LEN does not compile
const fn superset() -> [Field; SUPERSET_LEN] {
    let mut fields = [field("", Kind::Value); SUPERSET_LEN];
    let members: [&[Field]; 4] = [TASK.fields, MESSAGE.fields, STATUS_UPDATE.fields, ARTIFACT_UPDATE.fields];
    let (mut len, mut m) = (0, 0);
    while m < 4 {
        let mut i = 0;
        while i < members[m].len() {
            let candidate = members[m][i];
            if !candidate.keys[0].is_empty() && find(&fields, len, candidate.keys[0]).is_none() {
                fields[len] = candidate;
                len += 1;
            }
            i += 1;
        }
        m += 1;
    }
    assert!(len == SUPERSET_LEN);
    fields
}

#[allow(clippy::indexing_slicing)] // constant evaluation
const fn dealt(fields: &[Field]) -> [u8; WIDEST] {
    let mut slots = [NOWHERE; WIDEST];
    let mut i = 0;
    while i < fields.len() {
        if let Some(at) = find(&SUPERSET_FIELDS, SUPERSET_LEN, fields[i].keys[0]) {
            slots[i] = at as u8;
        }
        i += 1;
    }
    slots
}

#[allow(clippy::panic)] // constant evaluation: a key that no member has does not compile
const fn place(key: &str) -> u32 {
    match find(&superset(), SUPERSET_LEN, key) {
        Some(at) => at as u32,
        None => panic!("no member has such a field"),
    }
}

/// Slots of the union's fields.
mod superset {
    use super::place;
    pub const KIND: u32 = place("kind");
    pub const ID: u32 = place("id");
    pub const MESSAGE_ID: u32 = place("messageId");
    pub const TASK_ID: u32 = place("taskId");
    pub const STATUS: u32 = place("status");
    pub const FINAL: u32 = place("final");
    pub const ARTIFACT: u32 = place("artifact");
}

static SUPERSET_FIELDS: [Field; SUPERSET_LEN] = superset();
static SUPERSET_KEYS: [[Key; SUPERSET_LEN]; 3] = key_tables(&SUPERSET_FIELDS);
static TASK_SLOTS: [u8; WIDEST] = dealt(TASK.fields);
static MESSAGE_SLOTS: [u8; WIDEST] = dealt(MESSAGE.fields);
static STATUS_SLOTS: [u8; WIDEST] = dealt(STATUS_UPDATE.fields);
static ARTIFACT_SLOTS: [u8; WIDEST] = dealt(ARTIFACT_UPDATE.fields);

const fn superset_entity(write: fn(&mut Writer<'_>, Rec) -> Result<(), Fail>) -> Entity {
    let [j3, r3, p1] = &SUPERSET_KEYS;
    Entity { name: "result", fields: &SUPERSET_FIELDS, keys: [j3, r3, p1], write: Some(write) }
}

/// A send's result as J3 writes it: the fields of all members side by side.
pub static SEND_RESULT_J3: Entity = superset_entity(|w, rec| write_payload(w, rec, false));

/// A stream's event as J3 writes it.
pub static STREAM_RESULT_J3: Entity = superset_entity(|w, rec| write_payload(w, rec, true));

entity!(
    /// A send's result in R3 and P1.
    pub SEND_RESULT_R3_P1, send_result, "result" {
        TASK = field("task", Kind::Rec(&TASK)),
        MESSAGE = field("message", Kind::Rec(&MESSAGE)).aliases(&["msg"]),
    } by |w, rec| write_payload(w, rec, false)
);

entity!(
    /// A stream's event in R3 and P1.
    pub STREAM_RESULT_R3_P1, stream_result, "result" {
        TASK = field("task", Kind::Rec(&TASK)),
        MESSAGE = field("message", Kind::Rec(&MESSAGE)).aliases(&["msg"]),
        STATUS_UPDATE = field("statusUpdate", Kind::Rec(&STATUS_UPDATE)),
        ARTIFACT_UPDATE = field("artifactUpdate", Kind::Rec(&ARTIFACT_UPDATE)),
        /// An error in an HTTP+JSON stream (RULES 10.3).
        ERROR = field("error", Kind::Struct).not_in(J3, None),
    } by |w, rec| write_payload(w, rec, true)
);

/// The members of the union that a stream's event or a send's result can be.
fn allowed(stream: bool) -> impl Iterator<Item = &'static Member> {
    MEMBERS.iter().take(if stream { 4 } else { 2 })
}

/// What the J3 payload at `rec` is, by its kind, or without one by its fields (RULES 4.1, 5.23).
fn j3_member(doc: &Doc, input: &[u8], rec: Rec, stream: bool) -> Option<&'static Member> {
    let has = |slot: u32| !doc.slot(rec + slot).is_absent();
    let kind = doc.slot(rec + superset::KIND).as_span().and_then(|span| text(input, span));
    if let Some(kind) = kind.filter(|kind| !kind.is_empty()) {
        return allowed(stream).find(|member| member.j3_kind == kind);
    }
    let payload = if has(superset::ARTIFACT) {
        Payload::ArtifactUpdate
    } else if has(superset::STATUS) && (has(superset::TASK_ID) || (stream && has(superset::FINAL))) {
        Payload::StatusUpdate
    } else if has(superset::MESSAGE_ID) {
        Payload::Message
    } else if has(superset::ID) || (!stream && has(superset::STATUS)) {
        Payload::Task
    } else {
        return None;
    };
    allowed(stream).find(|member| member.payload == payload)
}

/// The member of the payload at `rec`, which was read with the dialect's table of results, and the member's record.
///
/// # Errors
/// No payload, more than one, an unknown kind: −32006 (RULES 4.1, 5.23); in requests −32602.
fn find_member(w: &mut Writer<'_>, rec: Rec, stream: bool) -> Result<(&'static Member, Rec), Fail> {
    if w.cx.from == J3 {
        let Some(member) = j3_member(w.doc, w.input, rec, stream) else {
            return no_payload(w, "is of no known kind: task, message or an update");
        };
        if w.doc.keep_unknown {
            w.report_unknown(rec);
        }
        return Ok((member, deal(w, rec, member)));
    }
    let mut found = None;
    for (member, slot) in allowed(stream).zip(rec..) {
        let slot = w.doc.slot(slot);
        if slot.is_absent() {
            continue;
        }
        if found.is_some() {
            return no_payload(w, "must have exactly one payload member");
        }
        let Some(inner) = slot.as_record() else { return w.fail_named(member.entity.name, "must be an object") };
        found = Some((member, inner));
    }
    match found {
        Some(found) => Ok(found),
        None => no_payload(w, "must have exactly one payload member"),
    }
}

fn deal(w: &mut Writer<'_>, superset: Rec, member: &'static Member) -> Rec {
    let rec = w.doc.allocate(member.entity.fields.len());
    for (i, from) in member.superset.iter().enumerate() {
        if *from != NOWHERE {
            let slot: Slot = w.slot(superset, u32::from(*from));
            w.doc.set(rec + i as u32, slot);
        }
    }
    rec
}

#[cold]
fn no_payload<T>(w: &Writer<'_>, what: &str) -> Result<T, Fail> {
    let code = if w.cx.mode == Mode::Request { ErrorCode::INVALID_PARAMS } else { ErrorCode::INVALID_AGENT_RESPONSE };
    w.with_code(code, w.fail_here("result", what))
}

/// Writes the payload's members, without braces: bare in J3, wrapped in R3 and P1.
pub fn write_payload(w: &mut Writer<'_>, rec: Rec, stream: bool) -> Result<(), Fail> {
    let wrapped = w.cx.from != J3;
    let (member, rec) = find_member(w, rec, stream)?;
    let body = |w: &mut Writer<'_>| {
        if w.cx.to == J3 {
            return w.members(rec, member.entity);
        }
        w.out.key(member.key);
        w.object(rec, member.entity)
    };
    if !wrapped {
        return body(w);
    }
    let table = if stream { &STREAM_RESULT_R3_P1 } else { &SEND_RESULT_R3_P1 };
    w.within(table.field(member.payload as u32), body)
}

/// The dialect of a webhook's body, an object of which `root` is the span: v0.3's is an event with a `kind` or a task,
/// v1.0's has a member of the union (RULES 11). `None` if it is neither.
pub fn webhook_dialect(input: &[u8], root: Span) -> Option<Dialect> {
    let has = |key: &str| member(input, root, key).is_some();
    let is_wrapped = || STREAM_RESULT_R3_P1.fields.iter().any(|field| has(field.key(P1)));
    match has("kind") {
        true => Some(J3),
        false if is_wrapped() => Some(P1),
        false => (has("id") && has("status")).then_some(J3),
    }
}

/// What a stream needs to know about an event, before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFacts {
    /// What it is.
    pub payload: Payload,
    /// The state in its status; unknown for messages and artifacts.
    pub state: TaskState,
    /// The v0.3 `final`.
    pub is_final: bool,
    /// The task's id, as it was read.
    task_id: Slot,
}

impl EventFacts {
    /// The task's id; empty for messages without one.
    pub fn task_id(&self, input: &[u8]) -> String {
        self.task_id.as_span().and_then(|span| text(input, span)).unwrap_or_default().into_owned()
    }
}

/// The facts of the event at `slot`, read with the dialect's table of stream results. `None` if it is no event.
pub fn event_facts(doc: &Doc, input: &[u8], slot: Slot, dialect: Dialect) -> Option<EventFacts> {
    let rec = slot.as_record()?;
    let (payload, rec, places) = if dialect == J3 {
        let member = j3_member(doc, input, rec, true)?;
        (member.payload, rec, [superset::ID, superset::TASK_ID, superset::STATUS, superset::FINAL])
    } else {
        let mut present = allowed(true).zip(rec..).filter(|(_, slot)| !doc.slot(*slot).is_absent());
        let (member, slot) = present.next()?;
        if present.next().is_some() {
            return None;
        }
        let inner = doc.slot(slot).as_record()?;
        let task_id = match member.payload {
            Payload::ArtifactUpdate => artifact_update::TASK_ID,
            Payload::StatusUpdate => status_update::TASK_ID,
            Payload::Task | Payload::Message => message::TASK_ID,
        };
        let status = if member.payload == Payload::Task { task::STATUS } else { status_update::STATUS };
        (member.payload, inner, [task::ID, task_id, status, status_update::FINAL])
    };
    let [id, task_id, status, is_final] = places.map(|slot| doc.slot(rec + slot));
    let status = match payload {
        Payload::Task | Payload::StatusUpdate => status,
        Payload::Message | Payload::ArtifactUpdate => Slot::ABSENT,
    };
    Some(EventFacts {
        payload,
        state: TaskState::of(doc, input, status, dialect),
        is_final: payload == Payload::StatusUpdate && is_final.as_span().is_some_and(|span| span.of(input) == b"true"),
        task_id: if payload == Payload::Task { id } else { task_id },
    })
}

/// Whether the event at `slot`, read from an HTTP+JSON stream, is an error without saying so in its `event` field.
pub fn stream_error(doc: &Doc, data: &[u8], slot: Slot) -> bool {
    if let Some(rec) = slot.as_record() {
        return !doc.slot(rec + stream_result::ERROR).is_absent();
    }
    // It was read without a table.
    let opaque = slot.as_span().unwrap_or_default();
    member(data, opaque, "error").is_some()
}
