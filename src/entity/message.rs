//! Message (RULES 2).

use super::part::PART;
use crate::engine::{EnumRow, EnumTable, Fail, Found, Kind, Mode, Row, Rule, Writer, code, entity, field};
use crate::protocol::Dialect::{J3, P1, R3};

/// Who speaks.
pub static ROLES: EnumTable = EnumTable {
    prefix: "role_",
    rows: &[
        EnumRow { number: 0, names: ["\"\"", "\"ROLE_UNSPECIFIED\"", "\"ROLE_UNSPECIFIED\""], also: &["unspecified"] },
        EnumRow { number: 1, names: ["\"user\"", "\"ROLE_USER\"", "\"ROLE_USER\""], also: &[] },
        EnumRow { number: 2, names: ["\"agent\"", "\"ROLE_AGENT\"", "\"ROLE_AGENT\""], also: &[] },
    ],
};

entity!(
    /// A message.
    pub MESSAGE, message, "message" {
        KIND = field("kind", Kind::Str).rule_in(J3, Rule::Constant("\"message\"")).not_in(R3, None).not_in(P1, None),
        MESSAGE_ID = field("messageId", Kind::Str).required(),
        CONTEXT_ID = field("contextId", Kind::Str),
        TASK_ID = field("taskId", Kind::Str),
        ROLE = field("role", Kind::Enum(&ROLES)).rule(Rule::By(role)),
        PARTS = field("parts", Kind::List(&PART)).key_in(R3, "content").aliases(&["parts"]).rule(Rule::By(parts)),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
        EXTENSIONS = field("extensions", Kind::StrList),
        REFERENCE_TASK_IDS = field("referenceTaskIds", Kind::StrList)
            .read_only_in(R3, Some(code::REST_REFERENCE_TASK_IDS_DROPPED)),
        /// The parts of A2A v0.2.
        V0_2_CONTENT = field("content", Kind::Value).not_in(R3, None).not_in(P1, None),
    }
);

/// RULES 2.3, 2.4.
fn role(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let found = match row.slot.as_span() {
        Some(span) => ROLES.find(w.input, span, w.cx.from),
        None => Found::Unknown,
    };
    let known = match found {
        Found::Row(role) if role.number != 0 => Some(role),
        Found::WrongType => return w.fail(row.field, "must be a string"),
        _ => None,
    };
    w.out.key(row.key.quoted());
    if let Some(role) = known {
        w.out.text(role.name(w.cx.to));
        return Ok(());
    }
    if w.cx.mode == Mode::Request {
        return w.fail(row.field, "must be \"user\" or \"agent\"");
    }
    let (notice, text) = match (w.cx.from, w.cx.to) {
        (_, J3) => (Some(code::ROLE_UNSPECIFIED), "\"agent\""),
        (J3, _) => (Some(code::ROLE_UNKNOWN), "\"ROLE_UNSPECIFIED\""),
        _ => (row.slot.is_absent().then_some(code::REQUIRED_MISSING), "\"ROLE_UNSPECIFIED\""),
    };
    if let Some(notice) = notice {
        w.notice(notice, row.field);
    }
    w.out.text(text);
    Ok(())
}

/// RULES 2.7.
fn parts(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if !row.slot.is_absent() {
        return w.member(row.field, row.key, row.slot);
    }
    if w.has(row.rec, message::V0_2_CONTENT) {
        return w.fail_named("content", "is A2A v0.2: use \"parts\"");
    }
    if w.cx.mode == Mode::Request {
        return w.fail(row.field, "is required");
    }
    w.notice(code::REQUIRED_MISSING, row.field);
    w.out.key(row.key.quoted());
    w.out.raw(b"[]");
    Ok(())
}
