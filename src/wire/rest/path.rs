//! HTTP+JSON paths of both versions: which resource a path names.

use crate::protocol::{Version, path};

/// What an HTTP+JSON path names. Ids are decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resource {
    /// `message:send`
    Send,
    /// `message:stream`
    Stream,
    /// `tasks`
    Tasks,
    /// `tasks/{id}`
    Task(String),
    /// `tasks/{id}:cancel`
    Cancel(String),
    /// `tasks/{id}:subscribe`
    Subscribe(String),
    /// `tasks/{id}/pushNotificationConfigs`, and `task/{id}/…` as the v0.3.0 proto has it
    PushConfigs(String),
    /// `tasks/{id}/pushNotificationConfigs/{id}`
    PushConfig(String, String),
    /// `card`, v0.3's extended card
    Card,
    /// `extendedAgentCard`
    ExtendedCard,
}

impl Resource {
    /// The value of an `Allow` header: the methods that the resource has in either version.
    pub fn allow(&self) -> &'static str {
        match self {
            Resource::Send | Resource::Stream | Resource::Cancel(_) => "POST",
            Resource::Tasks | Resource::Task(_) | Resource::Card | Resource::ExtendedCard => "GET",
            // The proto files say GET, the prose of both versions POST; clients do either.
            Resource::Subscribe(_) | Resource::PushConfigs(_) => "GET, POST",
            Resource::PushConfig(..) => "GET, DELETE",
        }
    }
}

/// A path of the HTTP+JSON binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestPath {
    /// The decoded segment before the resource: `v1` of v0.3's routes, or a tenant.
    pub prefix: Option<String>,
    /// What it names.
    pub resource: Resource,
}

impl RestPath {
    /// The version that the path alone speaks for: `/v1/…` is v0.3. A header goes before it, and with
    /// `A2A-Version: 1.0` the `v1` is a tenant.
    pub fn version(&self) -> Version {
        if self.prefix.as_deref() == Some(path::V1_PREFIX) { Version::V0_3 } else { Version::V1_0 }
    }
}

/// An id or tenant is `.` or `..` once decoded, or cannot be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadSegment;

/// Reads the encoded segments of a path below an agent's base. `None` if it is no path of the binding.
pub fn parse(segments: &[&str]) -> Result<Option<RestPath>, BadSegment> {
    // Paths without a prefix first: `tasks/tasks` is the task `tasks`, not the tasks of a tenant `tasks`.
    if let Some(resource) = resource(segments, None) {
        return Ok(Some(RestPath { prefix: None, resource: resource? }));
    }
    let [prefix, rest @ ..] = segments else { return Ok(None) };
    let Some(resource) = resource(rest, Some(prefix)).filter(|_| !prefix.is_empty()) else { return Ok(None) };
    let prefix = segment(prefix)?;
    if path::RESERVED.contains(&prefix.as_str()) {
        return Ok(None);
    }
    Ok(Some(RestPath { prefix: Some(prefix), resource: resource? }))
}

/// The resource that the segments name, its ids decoded; `None` if they name none.
fn resource(segments: &[&str], prefix: Option<&str>) -> Option<Result<Resource, BadSegment>> {
    const CONFIGS: &str = "pushNotificationConfigs";
    let legacy = prefix == Some(path::V1_PREFIX);
    Some(match segments {
        ["message:send"] => Ok(Resource::Send),
        ["message:stream"] => Ok(Resource::Stream),
        ["tasks"] => Ok(Resource::Tasks),
        ["tasks", last] => {
            // Ids may contain colons: only a last one before exactly these words begins an action, and only if it is
            // not encoded.
            let (id, make): (&str, fn(String) -> Resource) =
                match (last.strip_suffix(":cancel"), last.strip_suffix(":subscribe")) {
                    (Some(id), _) => (id, Resource::Cancel),
                    (_, Some(id)) => (id, Resource::Subscribe),
                    _ => (last, Resource::Task),
                };
            if id.is_empty() {
                return None;
            }
            segment(id).map(make)
        }
        [collection, task, CONFIGS] if *collection == "tasks" || (*collection == "task" && legacy) => {
            if task.is_empty() {
                return None;
            }
            segment(task).map(Resource::PushConfigs)
        }
        ["tasks", task, CONFIGS, config] => {
            if task.is_empty() || config.is_empty() {
                return None;
            }
            segment(task).and_then(|task| Ok(Resource::PushConfig(task, segment(config)?)))
        }
        ["card"] if legacy => Ok(Resource::Card),
        ["extendedAgentCard"] => Ok(Resource::ExtendedCard),
        _ => return None,
    })
}

/// Decodes an id or tenant. URL parsers resolve dot segments, encoded or not, so none can be sent on.
fn segment(encoded: &str) -> Result<String, BadSegment> {
    decode(encoded).filter(|decoded| !matches!(decoded.as_str(), "." | "..")).ok_or(BadSegment)
}

/// Percent-decodes a segment once. `None` if a `%` is not followed by two hexadecimal digits or the result is not UTF-8.
pub fn decode(segment: &str) -> Option<String> {
    let mut bytes = segment.bytes();
    let mut decoded = Vec::with_capacity(segment.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            decoded.push(digit()? << 4 | digit()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Option<RestPath> {
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        parse(&segments).unwrap()
    }

    fn named(path: &str) -> (Option<String>, Resource) {
        let rest = read(path).unwrap_or_else(|| panic!("{path} is not recognised"));
        (rest.prefix, rest.resource)
    }

    #[test]
    fn every_route_of_v1_0_is_recognised_with_and_without_a_tenant() {
        let t = || "t".to_owned();
        for (path, resource) in [
            ("message:send", Resource::Send),
            ("message:stream", Resource::Stream),
            ("tasks", Resource::Tasks),
            ("tasks/t", Resource::Task(t())),
            ("tasks/t:cancel", Resource::Cancel(t())),
            ("tasks/t:subscribe", Resource::Subscribe(t())),
            ("tasks/t/pushNotificationConfigs", Resource::PushConfigs(t())),
            ("tasks/t/pushNotificationConfigs/c", Resource::PushConfig(t(), "c".into())),
            ("extendedAgentCard", Resource::ExtendedCard),
        ] {
            assert_eq!(named(&format!("/{path}")), (None, resource.clone()), "{path}");
            assert_eq!(named(&format!("/ac%20me/{path}")), (Some("ac me".into()), resource), "{path}");
            assert_eq!(read(path).unwrap().version(), Version::V1_0);
        }
    }

    #[test]
    fn v0_3_routes_are_those_below_v1() {
        for path in ["message:send", "tasks/t", "tasks/t:subscribe", "card", "task/t/pushNotificationConfigs"] {
            let rest = read(&format!("/v1/{path}")).unwrap();
            assert_eq!(rest.version(), Version::V0_3, "{path}");
        }
        for path in ["/card", "/acme/card", "/task/t/pushNotificationConfigs", "/v1", "/v1/"] {
            assert_eq!(read(path), None, "{path}");
        }
    }

    #[test]
    fn an_action_is_split_off_at_the_last_colon_before_decoding() {
        assert_eq!(named("/tasks/a:b:cancel").1, Resource::Cancel("a:b".into()));
        assert_eq!(named("/tasks/a:cancel:subscribe").1, Resource::Subscribe("a:cancel".into()));
        assert_eq!(named("/tasks/a%3Acancel").1, Resource::Task("a:cancel".into()));
        assert_eq!(named("/tasks/a:cancelled").1, Resource::Task("a:cancelled".into()));
        assert_eq!(read("/tasks/:cancel"), None);
    }

    #[test]
    fn a_path_without_a_prefix_goes_before_one_with_a_tenant() {
        assert_eq!(named("/tasks/tasks"), (None, Resource::Task("tasks".into())));
        assert_eq!(named("/tasks/tasks/t"), (Some("tasks".into()), Resource::Task("t".into())));
    }

    #[test]
    fn ids_and_tenants_that_are_dots_or_cannot_be_decoded_are_refused() {
        for path in [
            "tasks/.",
            "tasks/%2e",
            "tasks/..:cancel",
            "tasks/%2E%2e/pushNotificationConfigs",
            "tasks/t/pushNotificationConfigs/..",
            "%2e./tasks/t",
            "tasks/%zz",
            "%ff/message:send",
        ] {
            assert_eq!(parse(&path.split('/').collect::<Vec<_>>()), Err(BadSegment), "{path}");
        }
        assert_eq!(named("/tasks/...").1, Resource::Task("...".into()));
        assert_eq!(named("/tasks/a%2Fb").1, Resource::Task("a/b".into()));
    }

    #[test]
    fn empty_segments_name_nothing() {
        for path in
            ["//tasks/t", "/tasks//pushNotificationConfigs", "/tasks/t/pushNotificationConfigs/", "/tasks/", "/"]
        {
            assert_eq!(parse(&path.split('/').skip(1).collect::<Vec<_>>()), Ok(None), "{path}");
        }
    }
}
