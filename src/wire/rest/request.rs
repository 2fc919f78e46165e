//! Reading a client's HTTP+JSON request: path, query and body become the operation's params.

use super::path::{Resource, RestPath};
use crate::engine::{Entity, Kind};
use crate::entity::{A2aError, params_entity};
use crate::json::{Out, Span, member, members, text, unescape, validate, without_bom};
use crate::protocol::{Dialect, ErrorCode, Operation, Version};
use crate::wire::jsonrpc;

/// A request as path, query and body say it.
pub struct RestRequest<'r> {
    /// The version it is in.
    pub version: Version,
    /// The path.
    pub path: &'r RestPath,
    /// The query, decoded.
    pub query: &'r [(String, String)],
    /// The body; empty without one.
    pub body: &'r [u8],
}

/// What a method on a resource asks for; `None` if the resource has no such method in this version.
pub fn operation(version: Version, method: &str, resource: &Resource) -> Option<Operation> {
    Some(match (method, resource) {
        ("POST", Resource::Send) => Operation::SendMessage,
        ("POST", Resource::Stream) => Operation::SendStreamingMessage,
        ("GET", Resource::Tasks) => Operation::ListTasks,
        ("GET", Resource::Task(_)) => Operation::GetTask,
        ("POST", Resource::Cancel(_)) => Operation::CancelTask,
        // The proto files say GET, the prose of both versions POST.
        ("GET" | "POST", Resource::Subscribe(_)) => Operation::SubscribeToTask,
        ("POST", Resource::PushConfigs(_)) => Operation::CreateTaskPushNotificationConfig,
        ("GET", Resource::PushConfigs(_)) => Operation::ListTaskPushNotificationConfigs,
        ("GET", Resource::PushConfig(..)) => Operation::GetTaskPushNotificationConfig,
        ("DELETE", Resource::PushConfig(..)) => Operation::DeleteTaskPushNotificationConfig,
        ("GET", Resource::Card) if version == Version::V0_3 => Operation::GetExtendedAgentCard,
        ("GET", Resource::ExtendedCard) if version == Version::V1_0 => Operation::GetExtendedAgentCard,
        _ => return None,
    })
}

fn invalid(message: impl Into<String>) -> A2aError {
    A2aError::new(ErrorCode::INVALID_PARAMS, message)
}

/// The operation's params as JSON text in the request's dialect (R3 or P1). Ids and the tenant come from the path,
/// and a body that names another task is refused.
///
/// # Errors
/// −32700 for a body that is not JSON, −32602 for what contradicts the path or is of the wrong type.
pub fn read_request(request: &RestRequest<'_>, operation: Operation) -> Result<Vec<u8>, A2aError> {
    let body = without_bom(request.body);
    let root = if body.iter().all(u8::is_ascii_whitespace) {
        None
    } else {
        let root = validate(body).map_err(jsonrpc::parse_error)?;
        Some(root).filter(|root| root.of(body) != b"null")
    };
    if root.is_some_and(|root| !root.of(body).starts_with(b"{")) {
        return Err(invalid("the body must be an object"));
    }
    let v1_0 = request.version == Version::V1_0;
    let mut out = Out::default();
    out.raw(b"{");
    let tenant = request.path.prefix.as_ref().filter(|_| v1_0);
    let mut taken: Vec<&str> = Vec::new();
    if let Some(tenant) = tenant {
        out.string_member("tenant", tenant);
        taken.push("tenant");
    }
    match &request.path.resource {
        Resource::Send | Resource::Stream => copy_body(&mut out, body, root, &taken),
        Resource::Task(id) | Resource::Subscribe(id) => {
            out.string_member("id", id);
            if matches!(request.path.resource, Resource::Subscribe(_)) {
                check_names(body, root, id, None)?;
            }
            taken.extend(["id", "name"]);
        }
        Resource::Cancel(id) => {
            check_names(body, root, id, None)?;
            out.string_member("id", id);
            taken.extend(["id", "name"]);
            if v1_0 {
                copy_body(&mut out, body, root, &taken);
            }
        }
        Resource::PushConfigs(task) if operation == Operation::CreateTaskPushNotificationConfig => {
            check_names(body, root, task, None)?;
            if v1_0 {
                out.string_member("taskId", task);
                taken.extend(["taskId", "task_id"]);
                copy_body(&mut out, body, root, &taken);
            } else {
                create_v0_3(&mut out, body, root, task)?;
            }
        }
        Resource::PushConfigs(task) => {
            out.string_member(if v1_0 { "taskId" } else { "id" }, task);
            taken.extend(["taskId", "task_id", "id", "parent"]);
        }
        Resource::PushConfig(task, config) => {
            let (task_key, config_key) = if v1_0 { ("taskId", "id") } else { ("id", "pushNotificationConfigId") };
            out.string_member(task_key, task);
            out.string_member(config_key, config);
            taken.extend(["taskId", "task_id", "id", "name"]);
        }
        Resource::Tasks | Resource::Card | Resource::ExtendedCard => {}
    }
    if !matches!(request.path.resource, Resource::Send | Resource::Stream | Resource::Cancel(_)) {
        query_members(&mut out, request, operation, &taken)?;
    }
    out.raw(b"}");
    Ok(out.bytes)
}

/// Copies the body's members but those that the path has decided.
fn copy_body(out: &mut Out, body: &[u8], root: Option<Span>, taken: &[&str]) {
    out.members(body, root.unwrap_or_default(), |name| !taken.contains(&name));
}

/// `name`, `parent`, `id`, `taskId` in a body must not name another task or config than the path (RULES 6.6).
fn check_names(body: &[u8], root: Option<Span>, task: &str, config: Option<&str>) -> Result<(), A2aError> {
    for (key, value) in members(body, root.unwrap_or_default()) {
        let key = unescape(key.of(body)).into_owned();
        let Some(text) = text(body, value) else { continue };
        let named = match key.as_str() {
            "taskId" | "task_id" => Some(text.as_ref()),
            "name" | "parent" => text
                .strip_prefix("tasks/")
                .map(|rest| rest.split_once("/pushNotificationConfigs").map_or(rest, |(task, _)| task)),
            _ => None,
        };
        if named.is_some_and(|named| !named.is_empty() && named != task) {
            return Err(invalid(format!("{key} names another task than the path")));
        }
        if let (Some(config), "name") = (config, key.as_str())
            && text
                .rsplit_once("/pushNotificationConfigs/")
                .is_some_and(|(_, named)| !named.is_empty() && named != config)
        {
            return Err(invalid(format!("{key} names another config than configId")));
        }
    }
    Ok(())
}

/// v0.3's four bodies of push-config create (REST.md) as one: `{name, pushNotificationConfig}`.
fn create_v0_3(out: &mut Out, body: &[u8], root: Option<Span>, task: &str) -> Result<(), A2aError> {
    let find = |object, name| member(body, object, name).filter(|value| value.of(body) != b"null");
    let either = |object, camel, snake| find(object, camel).or_else(|| find(object, snake));
    let root = root.unwrap_or_default();
    let wrapper = find(root, "config").unwrap_or(root);
    let config_id = either(root, "configId", "config_id").and_then(|id| text(body, id)).filter(|id| !id.is_empty());
    check_names(body, Some(wrapper), task, config_id.as_deref())?;
    let name = find(wrapper, "name").and_then(|name| text(body, name)).unwrap_or_default();
    let named = name.rsplit_once("/pushNotificationConfigs/").map(|(_, id)| id);
    let id = config_id.as_deref().or(named).unwrap_or_default();
    out.string_member("name", &format!("tasks/{task}/pushNotificationConfigs/{id}"));
    if let Some(config) = either(wrapper, "pushNotificationConfig", "push_notification_config") {
        out.name("pushNotificationConfig");
        out.span(body, config);
    }
    Ok(())
}

/// Query parameters, typed as the params' table says; unknown ones are nobody's.
fn query_members(
    out: &mut Out,
    request: &RestRequest<'_>,
    operation: Operation,
    taken: &[&str],
) -> Result<(), A2aError> {
    let dialect = if request.version == Version::V1_0 { Dialect::P1 } else { Dialect::R3 };
    let entity: &Entity = params_entity(operation);
    let mut done: Vec<&str> = Vec::new();
    for (name, value) in request.query.iter().rev() {
        let spelt = camel(name);
        let Some(field) = entity.fields.iter().find(|f| f.keys.get(dialect as usize).is_some_and(|key| *key == spelt))
        else {
            continue;
        };
        let key = field.key(dialect);
        if taken.contains(&key) || done.contains(&key) || value.is_empty() {
            continue;
        }
        done.push(key);
        match field.kind(dialect) {
            Kind::Int => {
                let number: i64 = value.parse().map_err(|_| invalid(format!("{key} must be an integer")))?;
                if number < 0 {
                    return Err(invalid(format!("{key} must be non-negative")));
                }
                if number > i64::from(i32::MAX) {
                    return Err(invalid(format!("{key} must be at most {}", i32::MAX)));
                }
                out.name(key);
                out.text(&number.to_string());
            }
            Kind::Bool => {
                if !matches!(value.as_str(), "true" | "false") {
                    return Err(invalid(format!("{key} must be true or false")));
                }
                out.name(key);
                out.text(value);
            }
            Kind::Str | Kind::Enum(_) | Kind::Time => out.string_member(key, value),
            _ => {}
        }
    }
    Ok(())
}

/// snake_case is read like camelCase (RULES 0.1).
fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                camel.extend(c.to_uppercase());
                upper = false;
            }
            c => camel.push(c),
        }
    }
    camel
}
