//! Task, TaskStatus, TaskState (RULES 3).

use super::artifact::ARTIFACT;
use super::message::MESSAGE;
use crate::engine::{Doc, EnumRow, EnumTable, Fail, Found, Kind, Row, Rule, Slot, Writer, code, entity, field};
use crate::protocol::Dialect::{self, J3, P1, R3};

/// The states of a task (RULES 3.4); R3 spells canceled with two Ls.
pub static STATES: EnumTable = EnumTable {
    prefix: "task_state_",
    rows: &[
        EnumRow {
            number: 0,
            names: ["\"unknown\"", "\"TASK_STATE_UNSPECIFIED\"", "\"TASK_STATE_UNSPECIFIED\""],
            also: &["unspecified"],
        },
        EnumRow {
            number: 1,
            names: ["\"submitted\"", "\"TASK_STATE_SUBMITTED\"", "\"TASK_STATE_SUBMITTED\""],
            also: &[],
        },
        EnumRow { number: 2, names: ["\"working\"", "\"TASK_STATE_WORKING\"", "\"TASK_STATE_WORKING\""], also: &[] },
        EnumRow {
            number: 3,
            names: ["\"completed\"", "\"TASK_STATE_COMPLETED\"", "\"TASK_STATE_COMPLETED\""],
            also: &[],
        },
        EnumRow { number: 4, names: ["\"failed\"", "\"TASK_STATE_FAILED\"", "\"TASK_STATE_FAILED\""], also: &[] },
        EnumRow {
            number: 5,
            names: ["\"canceled\"", "\"TASK_STATE_CANCELLED\"", "\"TASK_STATE_CANCELED\""],
            also: &["cancelled"],
        },
        EnumRow {
            number: 6,
            names: ["\"input-required\"", "\"TASK_STATE_INPUT_REQUIRED\"", "\"TASK_STATE_INPUT_REQUIRED\""],
            also: &[],
        },
        EnumRow { number: 7, names: ["\"rejected\"", "\"TASK_STATE_REJECTED\"", "\"TASK_STATE_REJECTED\""], also: &[] },
        EnumRow {
            number: 8,
            names: ["\"auth-required\"", "\"TASK_STATE_AUTH_REQUIRED\"", "\"TASK_STATE_AUTH_REQUIRED\""],
            also: &[],
        },
    ],
};

/// What a state means for a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Submitted or working.
    Active,
    /// Completed, canceled, failed, rejected: nothing follows.
    Terminal,
    /// Input or authorization required: the client is asked.
    Interrupted,
    /// Unspecified, or a text that neither version knows.
    Unknown,
}

impl TaskState {
    /// The meaning of the state in the status at `slot`, read with [`TASK_STATUS`] in `dialect`.
    pub fn of(doc: &Doc, input: &[u8], slot: Slot, dialect: Dialect) -> TaskState {
        let state = slot.as_record().map(|rec| doc.slot(rec + status::STATE));
        let Some(span) = state.and_then(Slot::as_span) else { return TaskState::Unknown };
        match STATES.find(input, span, dialect) {
            Found::Row(row) => match row.number {
                1 | 2 => TaskState::Active,
                3 | 4 | 5 | 7 => TaskState::Terminal,
                6 | 8 => TaskState::Interrupted,
                _ => TaskState::Unknown,
            },
            _ => TaskState::Unknown,
        }
    }
}

entity!(
    /// A task's status.
    pub TASK_STATUS, status, "status" {
        STATE = field("state", Kind::Enum(&STATES)).rule(Rule::Always),
        MESSAGE = field("message", Kind::Rec(&MESSAGE)).aliases(&["update"]),
        TIMESTAMP = field("timestamp", Kind::Time),
    }
);

entity!(
    /// A task.
    pub TASK, task, "task" {
        KIND = field("kind", Kind::Str).rule_in(J3, Rule::Constant("\"task\"")).not_in(R3, None).not_in(P1, None),
        ID = field("id", Kind::Str).required(),
        CONTEXT_ID = field("contextId", Kind::Str).rule_in(J3, Rule::Always),
        STATUS = field("status", Kind::Rec(&TASK_STATUS)).rule(Rule::By(status_or_unknown)),
        ARTIFACTS = field("artifacts", Kind::List(&ARTIFACT)),
        HISTORY = field("history", Kind::List(&MESSAGE)).rule(Rule::By(history)),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
    }
);

/// A missing status becomes the unknown state (RULES 3.3). For tasks and status updates.
pub(super) fn status_or_unknown(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if !row.slot.is_absent() {
        return w.member(row.field, row.key, row.slot);
    }
    w.notice(code::STATUS_MISSING, row.field);
    let unknown = STATES.rows.first().map_or("\"\"", |state| state.name(w.cx.to));
    w.out.key(row.key.quoted());
    w.out.text("{\"state\":");
    w.out.text(unknown);
    w.out.text("}");
    Ok(())
}

/// A v1.0 client that asked for `historyLength: 0` gets none (RULES 5.7).
fn history(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if w.cx.options.without_history || w.is_empty(row.slot) {
        return Ok(());
    }
    w.member(row.field, row.key, row.slot)
}

/// The state of the task at `slot`, read with [`TASK`] in `dialect`.
pub fn task_state(doc: &Doc, input: &[u8], slot: Slot, dialect: Dialect) -> TaskState {
    slot.as_record().map_or(TaskState::Unknown, |rec| TaskState::of(doc, input, doc.slot(rec + task::STATUS), dialect))
}
