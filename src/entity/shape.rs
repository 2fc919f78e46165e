//! What stands at the root of a text: which table reads it in which dialect, and what is written for it.

use super::artifact::ARTIFACT;
use super::card::{AGENT_CAPABILITIES, AGENT_CARD, AGENT_SKILL};
use super::event::{
    ARTIFACT_UPDATE, SEND_RESULT_J3, SEND_RESULT_R3_P1, STATUS_UPDATE, STREAM_RESULT_J3, STREAM_RESULT_R3_P1,
};
use super::message::MESSAGE;
use super::part::PART;
use super::push::{PUSH_CONFIG_LIST, TASK_PUSH_CONFIG, push_config_list};
use super::request::{SEND_CONFIGURATION, params_entity};
use super::security::SECURITY_SCHEME;
use super::security_write::Requirement;
use super::task::{TASK, TASK_STATUS};
use crate::engine::{Doc, Entity, Fail, Kind, Slot, Writer, code, read};
use crate::json::{Scanner, SyntaxError};
use crate::protocol::{Dialect, ErrorCode, Operation};

/// The root of a text.
#[derive(Clone, Copy)]
pub enum Shape {
    /// One entity.
    Record(&'static Entity),
    /// A union: bare in J3, wrapped in R3 and P1.
    Union {
        /// The table for J3.
        j3: &'static Entity,
        /// The table for R3 and P1.
        wrapped: &'static Entity,
    },
    /// Webhooks of a task: an array in J3, a page in R3 and P1 (RULES 5.19).
    ConfigList,
    /// A security requirement (RULES 7.14).
    Requirement,
    /// Nothing: `null` in J3, `{}` in R3 and P1 (RULES 5.20).
    Empty,
    /// Something only v1.0 has; it goes as it is.
    Opaque,
}

const SEND_RESULT: Shape = Shape::Union { j3: &SEND_RESULT_J3, wrapped: &SEND_RESULT_R3_P1 };
const STREAM_RESULT: Shape = Shape::Union { j3: &STREAM_RESULT_J3, wrapped: &STREAM_RESULT_R3_P1 };

/// The shape of an operation's params.
pub fn params_shape(operation: Operation) -> Shape {
    Shape::Record(params_entity(operation))
}

/// The shape of an operation's result; for streaming operations, of an event.
pub fn result_shape(operation: Operation) -> Shape {
    match operation {
        Operation::SendMessage => SEND_RESULT,
        Operation::SendStreamingMessage | Operation::SubscribeToTask => STREAM_RESULT,
        Operation::GetTask | Operation::CancelTask => Shape::Record(&TASK),
        Operation::ListTasks => Shape::Opaque,
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            Shape::Record(&TASK_PUSH_CONFIG)
        }
        Operation::ListTaskPushNotificationConfigs => Shape::ConfigList,
        Operation::DeleteTaskPushNotificationConfig => Shape::Empty,
        Operation::GetExtendedAgentCard => Shape::Record(&AGENT_CARD),
    }
}

/// The shape of a stream's event and of a webhook's body.
pub fn event_shape() -> Shape {
    STREAM_RESULT
}

/// The shape of an entity by its name in the golden vectors and the npm package: `message`, `task_status` …
pub fn shape_named(name: &str) -> Option<Shape> {
    Some(match name {
        "part" => Shape::Record(&PART),
        "message" => Shape::Record(&MESSAGE),
        "artifact" => Shape::Record(&ARTIFACT),
        "task" => Shape::Record(&TASK),
        "task_status" => Shape::Record(&TASK_STATUS),
        "status_update" => Shape::Record(&STATUS_UPDATE),
        "artifact_update" => Shape::Record(&ARTIFACT_UPDATE),
        "stream_response" => STREAM_RESULT,
        "send_message_response" => SEND_RESULT,
        "send_message_configuration" => Shape::Record(&SEND_CONFIGURATION),
        "push_notification_config" => Shape::Record(&TASK_PUSH_CONFIG),
        "list_push_configs_response" => Shape::ConfigList,
        "agent_card" => Shape::Record(&AGENT_CARD),
        "agent_capabilities" => Shape::Record(&AGENT_CAPABILITIES),
        "agent_skill" => Shape::Record(&AGENT_SKILL),
        "security_scheme" => Shape::Record(&SECURITY_SCHEME),
        "security_requirement" => Shape::Requirement,
        _ => return None,
    })
}

impl Shape {
    fn entity(self, dialect: Dialect) -> Option<&'static Entity> {
        match self {
            Shape::Record(entity) => Some(entity),
            Shape::Union { j3, .. } if dialect == Dialect::J3 => Some(j3),
            Shape::Union { wrapped, .. } => Some(wrapped),
            Shape::ConfigList => Some(&PUSH_CONFIG_LIST),
            Shape::Requirement | Shape::Empty | Shape::Opaque => None,
        }
    }

    /// Reads one value of this shape.
    ///
    /// # Errors
    /// The text is not JSON.
    #[inline(always)]
    pub fn read(self, doc: &mut Doc, scanner: &mut Scanner<'_>, dialect: Dialect) -> Result<Slot, SyntaxError> {
        let kind = match self {
            Shape::ConfigList if scanner.peek() == b'[' => Kind::List(&TASK_PUSH_CONFIG),
            _ => self.entity(dialect).map_or(Kind::Struct, Kind::Rec),
        };
        read(doc, scanner, kind, dialect)
    }

    /// Writes what was read.
    ///
    /// # Errors
    /// The value is not what this shape says.
    pub fn write(self, w: &mut Writer<'_>, slot: Slot) -> Result<(), Fail> {
        match self {
            Shape::Record(_) | Shape::Union { .. } => {
                let Some(entity) = self.entity(w.cx.from) else { return Ok(()) };
                match slot.as_record() {
                    Some(rec) => w.object(rec, entity),
                    None => {
                        w.fail_here(entity.name, if slot.is_absent() { "is required" } else { "must be an object" })
                    }
                }
            }
            Shape::ConfigList => write_config_list(w, slot),
            Shape::Requirement => match slot.as_span() {
                Some(span) => Requirement(span).write(w),
                None => w.fail_here("securityRequirement", "must be an object"),
            },
            Shape::Empty => {
                w.out.text(if w.cx.to == Dialect::J3 { "null" } else { "{}" });
                Ok(())
            }
            Shape::Opaque => match slot.as_span_of(w.input, b'{') {
                Some(span) => {
                    w.out.span(w.input, span);
                    Ok(())
                }
                None => w.with_code(ErrorCode::INVALID_AGENT_RESPONSE, w.fail_here("result", "must be an object")),
            },
        }
    }
}

fn write_config_list(w: &mut Writer<'_>, slot: Slot) -> Result<(), Fail> {
    let (configs, token) = match slot.as_record() {
        Some(rec) => (w.slot(rec, push_config_list::CONFIGS), w.slot(rec, push_config_list::NEXT_PAGE_TOKEN)),
        None if slot.as_run().is_some() || (slot.is_absent() && w.cx.from != Dialect::J3) => (slot, Slot::ABSENT),
        None => return w.fail_here("configs", "must be an array"),
    };
    let list = PUSH_CONFIG_LIST.field(push_config_list::CONFIGS);
    let page = PUSH_CONFIG_LIST.field(push_config_list::NEXT_PAGE_TOKEN);
    let j3 = w.cx.to == Dialect::J3;
    if !j3 {
        w.out.raw(b"{");
    }
    if w.is_empty(configs) {
        w.out.text(if j3 { "[]" } else { "" });
    } else {
        if !j3 {
            w.out.name("configs");
        }
        w.value(list, Kind::List(&TASK_PUSH_CONFIG), configs)?;
    }
    if !w.is_empty(token) {
        if j3 {
            w.notice(code::NEXT_PAGE_TOKEN_DROPPED, page);
        } else {
            w.out.name("nextPageToken");
            w.value(page, Kind::Str, token)?;
        }
    }
    if !j3 {
        w.out.raw(b"}");
    }
    Ok(())
}
