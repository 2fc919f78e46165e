//! The agents behind the gateway: `UPSTREAM_URL`, `AGENT`, `AGENTS` and `UPSTREAM_HEADERS`.

use super::error::ConfigError;
use super::offer::Offer;
use super::profile::PeerProfile;
use super::value::{Vars, url};
use crate::gateway::headers;
use crate::protocol::path;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;
use url::Url;

/// Name of the service binding that is the agent at the root.
const AGENT_BINDING: &str = "AGENT";

/// Where an agent is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Upstream {
    /// Its base URL, or its card's URL.
    Url(Url),
    /// The name of a service binding; the host of URLs in its card is ignored.
    Binding(String),
}

/// One agent behind the gateway.
#[derive(Clone)]
pub struct Agent {
    /// Its name in `/agents/NAME/…`; `None` for the agent at the root.
    pub name: Option<String>,
    /// Where it is.
    pub source: Upstream,
    /// What the gateway offers for it.
    pub offer: Offer,
    /// What is known about it.
    pub profile: PeerProfile,
    /// Headers for every call to it, names in lower case: its own credential. They replace the client's.
    pub upstream_headers: Vec<(String, String)>,
}

impl fmt::Debug for Agent {
    /// The values of `upstream_headers` are credentials and are left out, and so is a URL's query.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.upstream_headers.iter().map(|(name, _)| name.as_str()).collect();
        let source = match &self.source {
            Upstream::Url(url) => url.origin().ascii_serialization(),
            Upstream::Binding(name) => format!("binding {name}"),
        };
        f.debug_struct("Agent")
            .field("name", &self.name)
            .field("source", &source)
            .field("offer", &self.offer)
            .field("profile", &self.profile)
            .field("upstream_headers", &names)
            .finish()
    }
}

/// What the variables say about every agent that does not say otherwise.
pub(super) struct Defaults {
    pub(super) offer: Offer,
    pub(super) profile: PeerProfile,
}

/// All agents, the one at the root first.
pub(super) fn agents(
    vars: Vars<'_>,
    bindings: &BTreeSet<String>,
    defaults: &Defaults,
) -> Result<Vec<Agent>, ConfigError> {
    let mut agents = Vec::new();
    if let Some(source) = root(vars, bindings)? {
        agents.push(Agent {
            name: None,
            source,
            offer: defaults.offer.clone(),
            profile: defaults.profile,
            upstream_headers: Vec::new(),
        });
    }
    if let Some(value) = vars.json("AGENTS")? {
        let Value::Object(entries) = value else {
            let remedy = "write it as {\"NAME\": \"https://agent.example.org\"}";
            return Err(ConfigError::new("AGENTS", "is not a JSON object", remedy));
        };
        for (name, entry) in &entries {
            agents.push(named(name, entry, bindings, defaults)?);
        }
    }
    if agents.is_empty() {
        return Err(ConfigError::new(
            "UPSTREAM_URL",
            "is not set and neither is AGENT nor AGENTS, so there is no agent to serve",
            "set UPSTREAM_URL to the agent's base URL or its card's URL, such as https://agent.example.org",
        ));
    }
    add_headers(vars, &mut agents)?;
    Ok(agents)
}

fn root(vars: Vars<'_>, bindings: &BTreeSet<String>) -> Result<Option<Upstream>, ConfigError> {
    if let Some(text) = vars.get("UPSTREAM_URL") {
        return url("UPSTREAM_URL", text).map(|url| Some(Upstream::Url(url)));
    }
    if bindings.contains(AGENT_BINDING) {
        return Ok(Some(Upstream::Binding(AGENT_BINDING.to_owned())));
    }
    if vars.get(AGENT_BINDING).is_some() {
        return Err(ConfigError::new(
            AGENT_BINDING,
            "is a variable but must be a service binding",
            "put an agent's URL into UPSTREAM_URL instead",
        ));
    }
    Ok(None)
}

fn named(name: &str, entry: &Value, bindings: &BTreeSet<String>, defaults: &Defaults) -> Result<Agent, ConfigError> {
    check_name(name)?;
    let place = format!("AGENTS.{name}");
    let none = Map::new();
    let (source, members) = match entry {
        Value::String(text) => (Upstream::Url(url(&place, text.trim())?), &none),
        Value::Object(members) => (source(&place, members, bindings)?, members),
        _ => {
            let remedy = "write it as \"https://agent.example.org\" or {\"binding\": \"NAME\"}";
            return Err(ConfigError::new(place, "is neither a URL nor an object", remedy));
        }
    };
    let mut agent = Agent {
        name: Some(name.to_owned()),
        source,
        offer: defaults.offer.clone(),
        profile: defaults.profile,
        upstream_headers: Vec::new(),
    };
    for (key, value) in members {
        let place = format!("{place}.{key}");
        match (key.as_str(), value) {
            ("url" | "binding", _) => {}
            ("offer", value) => agent.offer = offer(&place, value)?,
            ("profile", Value::Object(own)) => agent.profile = agent.profile.with(&place, own)?,
            ("profile", _) => {
                let remedy = "write it as {\"R3_BYTES\": \"double\"}";
                return Err(ConfigError::new(place, "is not an object", remedy));
            }
            _ => {
                let remedy = "use url or binding, offer and profile";
                return Err(ConfigError::new(place, "is not something an agent has", remedy));
            }
        }
    }
    Ok(agent)
}

fn check_name(name: &str) -> Result<(), ConfigError> {
    let refuse = |problem: &str| {
        let remedy = "name the agent with letters, digits, \".\", \"_\" and \"-\" only";
        ConfigError::new("AGENTS", format!("has the agent name {name:?}, {problem}"), remedy)
    };
    let one_segment = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.is_empty() || matches!(name, "." | "..") || !name.bytes().all(one_segment) {
        return Err(refuse("which cannot be one segment of a path"));
    }
    if path::RESERVED.contains(&name) {
        return Err(refuse("which is reserved"));
    }
    Ok(())
}

fn source(place: &str, members: &Map<String, Value>, bindings: &BTreeSet<String>) -> Result<Upstream, ConfigError> {
    let text = |key: &str| match members.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim())),
        Some(_) => Err(ConfigError::new(format!("{place}.{key}"), "is not text", "write it in quotes")),
    };
    match (text("url")?, text("binding")?) {
        (Some(text), None) => url(&format!("{place}.url"), text).map(Upstream::Url),
        (None, Some(name)) if bindings.contains(name) => Ok(Upstream::Binding(name.to_owned())),
        (None, Some(name)) => Err(ConfigError::new(
            format!("{place}.binding"),
            format!("names {name:?}, but there is no service binding of that name"),
            "add it to `services` in wrangler.toml, or give the agent a url",
        )),
        (None, None) => Err(ConfigError::new(place, "has neither url nor binding", "add one of them")),
        (Some(_), Some(_)) => Err(ConfigError::new(place, "has both url and binding", "remove one of them")),
    }
}

fn offer(place: &str, value: &Value) -> Result<Offer, ConfigError> {
    let refuse = || ConfigError::new(place, "is not a list of interfaces", "write it as [\"JSONRPC/1.0\"]");
    match value {
        Value::String(text) => Offer::parse(place, text),
        Value::Array(items) => {
            let entries: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Offer::from_entries(place, entries.ok_or_else(refuse)?.into_iter())
        }
        _ => Err(refuse()),
    }
}

/// `UPSTREAM_HEADERS`: a text is a header of the agent at the root, an object holds the headers of the agent it names.
fn add_headers(vars: Vars<'_>, agents: &mut [Agent]) -> Result<(), ConfigError> {
    const NAME: &str = "UPSTREAM_HEADERS";
    let Some(value) = vars.json(NAME)? else { return Ok(()) };
    let Value::Object(entries) = value else {
        let remedy = "write it as {\"Authorization\": \"Bearer …\"}";
        return Err(ConfigError::new(NAME, "is not a JSON object", remedy));
    };
    for (key, value) in &entries {
        let place = format!("{NAME}.{key}");
        match value {
            Value::Object(own) => {
                let agent = agents.iter_mut().find(|agent| agent.name.as_deref() == Some(key)).ok_or_else(|| {
                    ConfigError::new(&place, "has headers for an agent that is not in AGENTS", "use a name from AGENTS")
                })?;
                for (name, value) in own {
                    let header = header(&format!("{place}.{name}"), name, value)?;
                    agent.upstream_headers.push(header);
                }
            }
            value => {
                let header = header(&place, key, value)?;
                let agent = agents.iter_mut().find(|agent| agent.name.is_none()).ok_or_else(|| {
                    ConfigError::new(
                        &place,
                        "is a header for the agent at the root, but there are only AGENTS",
                        "put it under the agent's name, {\"NAME\": {\"Header\": \"value\"}}",
                    )
                })?;
                agent.upstream_headers.push(header);
            }
        }
    }
    Ok(())
}

/// One header to add. The value is a secret: no error shows it.
fn header(place: &str, name: &str, value: &Value) -> Result<(String, String), ConfigError> {
    if !headers::is_name(name) {
        return Err(ConfigError::new(place, "is no header name", "use letters, digits and \"-\""));
    }
    let name = name.to_ascii_lowercase();
    if headers::is_ours(&name) {
        return Err(ConfigError::new(place, "is a header that the gateway sets itself", "remove it"));
    }
    match value {
        Value::String(text) if headers::is_value(text) => Ok((name, text.clone())),
        Value::String(_) => Err(ConfigError::new(
            place,
            "has a value that cannot be sent in a header",
            "remove line breaks, other control characters and blanks at the ends",
        )),
        _ => Err(ConfigError::new(place, "is not text", "write the header's value in quotes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn read(pairs: &[(&str, &str)], bindings: &[&str]) -> Result<Vec<Agent>, ConfigError> {
        let map: BTreeMap<String, String> = pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let bindings = bindings.iter().map(|name| name.to_string()).collect();
        agents(Vars::new(&map), &bindings, &Defaults { offer: Offer::default(), profile: PeerProfile::default() })
    }

    fn refused(pairs: &[(&str, &str)], bindings: &[&str]) -> (String, String) {
        let error = read(pairs, bindings).unwrap_err();
        (error.variable().to_owned(), error.to_string())
    }

    #[test]
    fn an_upstream_url_wins_over_the_agent_binding() {
        let url = read(&[("UPSTREAM_URL", "https://a.example/base")], &["AGENT"]).unwrap();
        assert_eq!(url[0].source, Upstream::Url(Url::parse("https://a.example/base").unwrap()));
        let bound = read(&[], &["AGENT"]).unwrap();
        assert_eq!(bound[0].source, Upstream::Binding("AGENT".into()));
        assert_eq!((url.len(), bound.len(), &bound[0].name), (1, 1, &None));
    }

    #[test]
    fn without_any_agent_the_error_says_what_to_set() {
        let (variable, text) = refused(&[("UPSTREAM_URL", " ")], &["HR"]);
        assert_eq!(variable, "UPSTREAM_URL");
        assert!(text.contains("AGENT nor AGENTS") && text.contains("set UPSTREAM_URL to"), "{text}");
        assert!(refused(&[("AGENTS", "{}")], &[]).1.contains("no agent to serve"));
        assert_eq!(refused(&[("AGENT", "https://a.example")], &[]).0, "AGENT");
    }

    #[test]
    fn agents_are_a_url_or_an_object_and_keep_their_order() {
        let json = r#"{"hr": {"binding": "HR", "offer": ["JSONRPC/0.3"], "profile": {"R3_BYTES": "double"}},
                       "billing": "https://b.example", "v1": {"url": "http://127.0.0.1:9101/card.json"}}"#;
        let agents = read(&[("AGENTS", json)], &["HR"]).unwrap();
        let names: Vec<_> = agents.iter().map(|agent| agent.name.as_deref().unwrap()).collect();
        assert_eq!(names, ["hr", "billing", "v1"]);
        assert_eq!(agents[0].source, Upstream::Binding("HR".into()));
        assert_eq!(agents[0].offer, Offer::parse("", "JSONRPC/0.3").unwrap());
        assert_ne!(agents[0].profile, PeerProfile::default());
        assert_eq!(agents[1].offer, Offer::default());
        assert_eq!(agents[2].source, Upstream::Url(Url::parse("http://127.0.0.1:9101/card.json").unwrap()));
    }

    #[test]
    fn what_is_wrong_inside_agents_is_named_with_its_path() {
        for (json, variable) in [
            (r#"["https://a.example"]"#, "AGENTS"),
            (r#"{"a": "#, "AGENTS"),
            (r#"{"a/b": "https://a.example"}"#, "AGENTS"),
            (r#"{"..": "https://a.example"}"#, "AGENTS"),
            (r#"{"relay": "https://a.example"}"#, "AGENTS"),
            (r#"{"": "https://a.example"}"#, "AGENTS"),
            (r#"{"a": 1}"#, "AGENTS.a"),
            (r#"{"a": "nowhere"}"#, "AGENTS.a"),
            (r#"{"a": {}}"#, "AGENTS.a"),
            (r#"{"a": {"url": "https://a.example", "binding": "HR"}}"#, "AGENTS.a"),
            (r#"{"a": {"url": 1}}"#, "AGENTS.a.url"),
            (r#"{"a": {"binding": "GONE"}}"#, "AGENTS.a.binding"),
            (r#"{"a": {"binding": "HR", "offers": []}}"#, "AGENTS.a.offers"),
            (r#"{"a": {"binding": "HR", "offer": []}}"#, "AGENTS.a.offer"),
            (r#"{"a": {"binding": "HR", "offer": [1]}}"#, "AGENTS.a.offer"),
            (r#"{"a": {"binding": "HR", "offer": ["GRPC/1.0"]}}"#, "AGENTS.a.offer"),
            (r#"{"a": {"binding": "HR", "profile": []}}"#, "AGENTS.a.profile"),
            (r#"{"a": {"binding": "HR", "profile": {"R3_CARD": "x"}}}"#, "AGENTS.a.profile.R3_CARD"),
        ] {
            let (named, text) = refused(&[("AGENTS", json)], &["HR"]);
            assert_eq!(named, variable, "{json}: {text}");
        }
    }

    #[test]
    fn upstream_headers_belong_to_the_root_or_to_the_agent_they_are_under() {
        let agents = read(
            &[
                ("UPSTREAM_URL", "https://a.example"),
                ("AGENTS", r#"{"hr": "https://hr.example"}"#),
                ("UPSTREAM_HEADERS", r#"{"Authorization": "Bearer r", "hr": {"X-API-Key": "k", "Cookie": "c=1"}}"#),
            ],
            &[],
        )
        .unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(agents[0].upstream_headers, [pair("authorization", "Bearer r")]);
        assert_eq!(agents[1].upstream_headers, [pair("x-api-key", "k"), pair("cookie", "c=1")]);
    }

    #[test]
    fn wrong_upstream_headers_are_named_and_their_values_are_not_shown() {
        for (json, variable) in [
            (r#"["hunter2"]"#, "UPSTREAM_HEADERS"),
            (r#"{"a": hunter2}"#, "UPSTREAM_HEADERS"),
            (r#"{"X": "hunter2"}"#, "UPSTREAM_HEADERS.X"),
            (r#"{"gone": {"X": "hunter2"}}"#, "UPSTREAM_HEADERS.gone"),
            (r#"{"hr": {"X Y": "hunter2"}}"#, "UPSTREAM_HEADERS.hr.X Y"),
            (r#"{"hr": {"X": "hunter2\r\nY: z"}}"#, "UPSTREAM_HEADERS.hr.X"),
            (r#"{"hr": {"X": ["hunter2"]}}"#, "UPSTREAM_HEADERS.hr.X"),
            (r#"{"hr": {"Host": "hunter2"}}"#, "UPSTREAM_HEADERS.hr.Host"),
            (r#"{"hr": {"A2A-Version": "hunter2"}}"#, "UPSTREAM_HEADERS.hr.A2A-Version"),
        ] {
            let (named, text) =
                refused(&[("AGENTS", r#"{"hr": "https://hr.example"}"#), ("UPSTREAM_HEADERS", json)], &[]);
            assert_eq!(named, variable, "{text}");
            assert!(!text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn debug_output_of_an_agent_has_no_credentials() {
        let agents = read(
            &[
                ("UPSTREAM_URL", "https://a.example/?key=hunter2"),
                ("UPSTREAM_HEADERS", r#"{"Authorization": "Bearer hunter2"}"#),
            ],
            &[],
        );
        let text = format!("{agents:?}");
        assert!(text.contains("authorization") && !text.contains("hunter2"), "{text}");
    }
}
