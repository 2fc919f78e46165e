//! What a request is for: path and method to route, and which version it is in.

mod version;

pub use version::{VersionError, VersionProblem, choose_rest_version, choose_version, error_version};

use super::Agent;
use crate::protocol::path;
use crate::wire::rest::{self, RestPath, decode};

/// Methods of what can only be read.
const READ: &str = "GET, HEAD";

/// A request's destination.
#[derive(Clone, Debug)]
pub struct Routed<'c> {
    /// The agent it is for: the one at the root, or the one named in `/agents/NAME/…`. `None` if it is for the gateway
    /// itself, or for nothing.
    pub agent: Option<&'c Agent>,
    /// What the path starts with before the agent's own paths: empty at the root, else `/agents/NAME`.
    pub base_path: String,
    /// What it is for.
    pub route: Route,
}

/// What a path and a method are for. Every route but the errors has its method checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Route {
    /// The agent's card, at one of its three well-known paths. GET or HEAD.
    Card,
    /// The health check. GET or HEAD.
    Health,
    /// Counts of who still speaks v0.3. GET or HEAD.
    Usage,
    /// A webhook's delivery; what follows `relay/`, as it is in the path. POST.
    Relay(String),
    /// The list of agents. GET or HEAD.
    AgentsIndex,
    /// A JSON-RPC call. POST.
    JsonRpc,
    /// A call on the HTTP+JSON binding. The method is one that the resource has in either version.
    Rest(RestPath),
    /// The page. GET or HEAD.
    Root,
    /// Nothing is there.
    NotFound,
    /// An HTTP+JSON path with an id or tenant that is `.` or `..`, or cannot be decoded: answer −32602.
    BadSegment,
    /// Something is there, but not for this method: answer 405.
    MethodNotAllowed {
        /// The value of the `Allow` header.
        allow: &'static str,
    },
}

/// Finds what a request is for. `path` is the path of its URL, percent-encoded as it came and without the query.
///
/// Preflights are answered before ([`CorsPolicy::preflight`](super::CorsPolicy::preflight)). Whether the index of
/// agents and the counts may be seen is the caller's to check.
pub fn route<'c>(method: &str, path: &str, agents: &'c [Agent]) -> Routed<'c> {
    let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    let gateway = |route, allow| Routed {
        agent: None,
        base_path: String::new(),
        route: if is_allowed(method, allow) { route } else { Route::MethodNotAllowed { allow } },
    };
    match segments.as_slice() {
        [path::AGENTS] | [path::AGENTS, ""] => gateway(Route::AgentsIndex, READ),
        [path::HEALTH] => gateway(Route::Health, READ),
        [path::USAGE] => gateway(Route::Usage, READ),
        [path::AGENTS, name, below @ ..] => {
            let agent = decode(name).and_then(|name| agents.iter().find(|agent| agent.name.as_ref() == Some(&name)));
            match agent.and_then(|agent| agent.name.as_ref().map(|name| (agent, name))) {
                Some((agent, name)) => Routed {
                    agent: Some(agent),
                    base_path: format!("/{}/{name}", path::AGENTS),
                    route: of_agent(method, below),
                },
                None => Routed { agent: None, base_path: String::new(), route: Route::NotFound },
            }
        }
        below => match agents.iter().find(|agent| agent.name.is_none()) {
            Some(agent) => Routed { agent: Some(agent), base_path: String::new(), route: of_agent(method, below) },
            // Without an agent at the root only the page is there.
            None if below == [""] && is_allowed(method, READ) => gateway(Route::Root, READ),
            None => Routed { agent: None, base_path: String::new(), route: Route::NotFound },
        },
    }
}

/// The routes below an agent's base. `below` is empty at the base itself and `[""]` at the base with a slash.
fn of_agent(method: &str, below: &[&str]) -> Route {
    let only = |route, allow| if is_allowed(method, allow) { route } else { Route::MethodNotAllowed { allow } };
    match below {
        [] | [""] if method == "POST" => Route::JsonRpc,
        [] | [""] => match only(Route::Root, READ) {
            Route::MethodNotAllowed { .. } => Route::MethodNotAllowed { allow: "GET, HEAD, POST" },
            route => route,
        },
        [path::JSON_RPC] | [path::JSON_RPC, ""] => only(Route::JsonRpc, "POST"),
        [path::RELAY, sealed @ ..] if sealed.iter().any(|segment| !segment.is_empty()) => {
            only(Route::Relay(sealed.join("/")), "POST")
        }
        _ if path::AGENT_CARDS.iter().any(|card| below.iter().copied().eq(card.split('/').skip(1))) => {
            only(Route::Card, READ)
        }
        [first, ..] if path::RESERVED.contains(first) => Route::NotFound,
        segments => match rest::parse(segments) {
            Ok(Some(rest)) => {
                let allow = rest.resource.allow();
                only(Route::Rest(rest), allow)
            }
            Ok(None) => Route::NotFound,
            Err(rest::BadSegment) => Route::BadSegment,
        },
    }
}

fn is_allowed(method: &str, allow: &str) -> bool {
    allow.split(", ").any(|allowed| allowed == method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::{Config, Runtime};
    use std::collections::{BTreeMap, BTreeSet};

    fn agents(pairs: &[(&str, &str)]) -> Vec<Agent> {
        let vars: BTreeMap<_, _> = pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        Config::from_vars(&vars, &BTreeSet::new(), Runtime::Worker).unwrap().agents
    }

    fn both() -> Vec<Agent> {
        agents(&[("UPSTREAM_URL", "https://a.example"), ("AGENTS", r#"{"billing": "https://b.example"}"#)])
    }

    fn named_only() -> Vec<Agent> {
        agents(&[("AGENTS", r#"{"billing": "https://b.example"}"#)])
    }

    fn at(method: &str, path: &str) -> Route {
        route(method, path, &both()).route
    }

    #[test]
    fn json_rpc_is_posted_to_the_base_or_to_jsonrpc_with_or_without_a_slash() {
        for path in ["/", "", "/jsonrpc", "/jsonrpc/"] {
            let agents = both();
            let routed = route("POST", path, &agents);
            assert_eq!(routed.route, Route::JsonRpc, "{path}");
            assert_eq!((routed.agent.unwrap().name.as_deref(), routed.base_path.as_str()), (None, ""));
        }
        for path in ["/agents/billing", "/agents/billing/", "/agents/billing/jsonrpc", "/agents/bill%69ng/jsonrpc/"] {
            let agents = both();
            let routed = route("POST", path, &agents);
            assert_eq!(routed.route, Route::JsonRpc, "{path}");
            assert_eq!(routed.agent.unwrap().name.as_deref(), Some("billing"));
            assert_eq!(routed.base_path, "/agents/billing");
        }
    }

    #[test]
    fn cards_are_at_three_paths_of_every_agent() {
        for path in ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agent.json"] {
            assert_eq!(at("GET", path), Route::Card, "{path}");
            assert_eq!(at("HEAD", &format!("/agents/billing{path}")), Route::Card, "{path}");
            assert_eq!(at("POST", path), Route::MethodNotAllowed { allow: "GET, HEAD" });
            assert_eq!(at("GET", &format!("{path}/")), Route::NotFound);
        }
        assert_eq!(at("GET", "/x/agent.json"), Route::NotFound);
    }

    #[test]
    fn the_gateway_has_paths_of_its_own() {
        assert_eq!(at("GET", "/health"), Route::Health);
        assert_eq!(at("GET", "/usage"), Route::Usage);
        assert_eq!(at("GET", "/agents"), Route::AgentsIndex);
        assert_eq!(at("GET", "/agents/"), Route::AgentsIndex);
        assert_eq!(at("GET", "/"), Route::Root);
        assert_eq!(at("GET", "/agents/billing"), Route::Root);
        assert_eq!(at("POST", "/relay/1.abc"), Route::Relay("1.abc".into()));
        assert_eq!(at("POST", "/agents/billing/relay/1.abc"), Route::Relay("1.abc".into()));
        for (method, path, allow) in [
            ("POST", "/health", "GET, HEAD"),
            ("DELETE", "/usage", "GET, HEAD"),
            ("PUT", "/agents", "GET, HEAD"),
            ("GET", "/jsonrpc", "POST"),
            ("GET", "/relay/1.abc", "POST"),
            ("PUT", "/", "GET, HEAD, POST"),
            ("OPTIONS", "/jsonrpc", "POST"),
        ] {
            assert_eq!(at(method, path), Route::MethodNotAllowed { allow }, "{method} {path}");
        }
    }

    #[test]
    fn reserved_segments_are_never_tenants() {
        for path in [
            "/relay",
            "/relay/",
            "/health/message:send",
            "/usage/tasks",
            "/jsonrpc/tasks/t",
            "/assets/message:send",
            "/agents/billing/health",
            "/agents/billing/agents/billing",
            "/%61ssets/message:send",
        ] {
            assert_eq!(at("POST", path), Route::NotFound, "{path}");
        }
    }

    #[test]
    fn an_agent_must_be_known() {
        for path in ["/agents/hr/jsonrpc", "/agents/Billing", "/agents/%ff", "/agents/billing%2Fjsonrpc", "/agents//"] {
            assert_eq!(at("POST", path), Route::NotFound, "{path}");
        }
    }

    #[test]
    fn with_named_agents_only_the_root_has_the_page_and_the_health_check() {
        let agents = named_only();
        assert_eq!(route("GET", "/", &agents).route, Route::Root);
        assert_eq!(route("GET", "/health", &agents).route, Route::Health);
        for (method, path) in [
            ("POST", "/"),
            ("POST", "/jsonrpc"),
            ("GET", "/.well-known/agent-card.json"),
            ("POST", "/message:send"),
            ("POST", "/relay/1.abc"),
        ] {
            assert_eq!(route(method, path, &agents).route, Route::NotFound, "{method} {path}");
        }
        assert_eq!(route("POST", "/agents/billing", &agents).route, Route::JsonRpc);
    }

    #[test]
    fn http_json_paths_are_recognised_with_their_methods() {
        assert!(matches!(at("POST", "/v1/message:send"), Route::Rest(_)));
        assert!(matches!(at("GET", "/agents/billing/acme/tasks/t"), Route::Rest(_)));
        assert_eq!(at("GET", "/message:send"), Route::MethodNotAllowed { allow: "POST" });
        assert_eq!(at("GET", "/tasks/%2e%2E"), Route::BadSegment);
        assert_eq!(at("GET", "/nothing/here"), Route::NotFound);
        assert_eq!(at("GET", "//"), Route::NotFound);
    }

    #[test]
    fn segments_are_decoded_once() {
        assert_eq!(decode("a%2Fb%20%C3%A4+c").as_deref(), Some("a/b ä+c"));
        assert_eq!(decode("%2541").as_deref(), Some("%41"));
        for malformed in ["%", "%4", "%4g", "%ff", "a%c3"] {
            assert_eq!(decode(malformed), None, "{malformed}");
        }
    }
}
