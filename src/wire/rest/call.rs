//! Encoding a call to an agent as an HTTP+JSON request.

use crate::entity::A2aError;
use crate::json::{Out, Span, member, members, text, unescape, validate};
use crate::protocol::{ErrorCode, Operation, Version, media_type};
use std::borrow::Cow;

/// A request to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpCall {
    /// `GET`, `POST`, `DELETE`.
    pub method: &'static str,
    /// What follows the interface's URL: path and query.
    pub target: String,
    /// The body and its type.
    pub body: Option<(Vec<u8>, &'static str)>,
}

/// What is known about the agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallOptions<'o> {
    /// The interface's tenant: it goes into the path.
    pub tenant: Option<&'o str>,
    /// Send `{name, pushNotificationConfig}` instead of the wrapped body (peer profile `R3_CREATE_BODY=bare`).
    pub bare_create_body: bool,
    /// Ask with POST where the proto says GET: the agent has refused that.
    pub subscribe_by_post: bool,
}

/// Encodes `params` (JSON text in R3 or P1, by `version`) for an agent.
///
/// # Errors
/// −32602 for an id that cannot be in a path.
pub fn encode_call(
    version: Version,
    operation: Operation,
    params: Option<&[u8]>,
    options: CallOptions<'_>,
) -> Result<HttpCall, A2aError> {
    let params = params.unwrap_or(b"{}");
    let root = validate(params).unwrap_or_default();
    let mut call = Encoder { params, root, query: String::new() };
    let v1_0 = version == Version::V1_0;
    let given_tenant = call.text("tenant");
    let prefix = match (v1_0, options.tenant.map(str::to_owned).or(given_tenant).filter(|t| !t.is_empty())) {
        (true, Some(tenant)) => format!("/{}", segment("tenant", &tenant)?),
        (true, None) => String::new(),
        (false, _) => "/v1".to_owned(),
    };
    let json = if v1_0 { media_type::A2A_JSON } else { media_type::JSON };
    let id = |name: &str| -> Result<String, A2aError> {
        let text = call.text(name).unwrap_or_default();
        if text.is_empty() {
            return Err(A2aError::new(ErrorCode::INVALID_PARAMS, format!("{name} is required")));
        }
        segment(name, &text)
    };
    let (task_key, config_key) = if v1_0 { ("taskId", "id") } else { ("id", "pushNotificationConfigId") };
    let (method, path, body) = match operation {
        Operation::SendMessage => ("POST", "/message:send".to_owned(), Some(call.without(&["tenant"]))),
        Operation::SendStreamingMessage => ("POST", "/message:stream".to_owned(), Some(call.without(&["tenant"]))),
        Operation::GetTask => {
            let path = format!("/tasks/{}", id("id")?);
            call.fill_query(&["id", "tenant"]);
            ("GET", path, None)
        }
        Operation::ListTasks => {
            call.fill_query(&["tenant"]);
            ("GET", "/tasks".to_owned(), None)
        }
        Operation::CancelTask => {
            let path = format!("/tasks/{}:cancel", id("id")?);
            let body = if v1_0 {
                call.without(&["id", "tenant"])
            } else {
                named(&format!("tasks/{}", call.text("id").unwrap_or_default()))
            };
            ("POST", path, Some(body))
        }
        Operation::SubscribeToTask => {
            let path = format!("/tasks/{}:subscribe", id("id")?);
            if options.subscribe_by_post { ("POST", path, Some(b"{}".to_vec())) } else { ("GET", path, None) }
        }
        Operation::CreateTaskPushNotificationConfig => {
            if v1_0 {
                let path = format!("/tasks/{}/pushNotificationConfigs", id("taskId")?);
                ("POST", path, Some(call.without(&["taskId", "tenant"])))
            } else {
                let name = call.text("name").unwrap_or_default();
                let (task, config) = name
                    .strip_prefix("tasks/")
                    .and_then(|rest| rest.rsplit_once("/pushNotificationConfigs/"))
                    .unwrap_or_default();
                let path = format!("/tasks/{}/pushNotificationConfigs", segment("taskId", task)?);
                let body = if options.bare_create_body { params.to_vec() } else { wrapped(params, task, config) };
                ("POST", path, Some(body))
            }
        }
        Operation::GetTaskPushNotificationConfig => {
            ("GET", format!("/tasks/{}/pushNotificationConfigs/{}", id(task_key)?, id(config_key)?), None)
        }
        Operation::DeleteTaskPushNotificationConfig => {
            ("DELETE", format!("/tasks/{}/pushNotificationConfigs/{}", id(task_key)?, id(config_key)?), None)
        }
        Operation::ListTaskPushNotificationConfigs => {
            let path = format!("/tasks/{}/pushNotificationConfigs", id(task_key)?);
            call.fill_query(&[task_key, "tenant"]);
            ("GET", path, None)
        }
        Operation::GetExtendedAgentCard => ("GET", if v1_0 { "/extendedAgentCard" } else { "/card" }.to_owned(), None),
    };
    let mut target = prefix + &path;
    if !call.query.is_empty() {
        target.push('?');
        target.push_str(&call.query);
    }
    Ok(HttpCall { method, target, body: body.map(|body| (body, json)) })
}

struct Encoder<'p> {
    params: &'p [u8],
    root: Span,
    query: String,
}

impl Encoder<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let value = member(self.params, self.root, name)?;
        text(self.params, value).map(Cow::into_owned)
    }

    /// The params without these members.
    fn without(&self, names: &[&str]) -> Vec<u8> {
        let mut out = Out::default();
        out.raw(b"{");
        out.members(self.params, self.root, |name| !names.contains(&name));
        out.raw(b"}");
        out.bytes
    }

    /// The scalar params as a query, without these.
    fn fill_query(&mut self, names: &[&str]) {
        let mut query = String::new();
        for (key, value) in members(self.params, self.root) {
            let name = unescape(key.of(self.params));
            let raw = value.of(self.params);
            let text = match raw.first() {
                Some(b'"') => unescape(value.inner().of(self.params)).into_owned(),
                Some(b'{' | b'[' | b'n') | None => continue,
                Some(_) => String::from_utf8_lossy(raw).into_owned(),
            };
            if names.contains(&name.as_ref()) {
                continue;
            }
            if !query.is_empty() {
                query.push('&');
            }
            query.push_str(&format!("{}={}", percent(&name), percent(&text)));
        }
        self.query = query;
    }
}

fn named(name: &str) -> Vec<u8> {
    let mut out = Out::default();
    out.raw(b"{");
    out.string_member("name", name);
    out.raw(b"}");
    out.bytes
}

/// `{parent, configId, config}`, which all genuine v0.3 servers read (REST.md).
fn wrapped(config: &[u8], task: &str, id: &str) -> Vec<u8> {
    let mut out = Out::default();
    out.raw(b"{");
    out.string_member("parent", &format!("tasks/{task}"));
    out.string_member("configId", id);
    out.name("config");
    out.raw(config);
    out.raw(b"}");
    out.bytes
}

/// An id as a path segment; `.` and `..` would be resolved away, encoded or not (REST.md).
fn segment(name: &str, id: &str) -> Result<String, A2aError> {
    if matches!(id, "." | "..") {
        return Err(A2aError::new(ErrorCode::INVALID_PARAMS, format!("{name} cannot be \".\" or \"..\"")));
    }
    Ok(percent(id))
}

/// As `encodeURIComponent` does.
fn percent(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
                encoded.push(byte as char);
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
