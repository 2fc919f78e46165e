//! Configuration: every variable an operator can set, read and checked as a whole.

mod agents;
mod choice;
mod error;
mod limits;
mod offer;
mod profile;
mod value;

pub use agents::{Agent, Upstream};
pub use error::ConfigError;
pub use limits::Limits;
pub use offer::{Interface, Offer};
pub use profile::{LegacyBlocking, LegacyFinal, PeerProfile, R3Bytes, R3Card, R3CreateBody};

use super::{CorsPolicy, Secret};
use agents::Defaults;
use choice::choice;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use url::Url;
use value::Vars;

choice! {
    /// `VERSION_DISPATCH`: what decides the version of a JSON-RPC request.
    VersionDispatch {
        /// The method name; a present `A2A-Version` header must be an offered version.
        Method = "method",
        /// The `A2A-Version` header, absent meaning 0.3 (§3.6.2 to the letter).
        Header = "header",
    }
}

/// 32 bytes that seal webhook URLs. Not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct RelayKey(pub [u8; 32]);

impl fmt::Debug for RelayKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RelayKey(…)")
    }
}

/// The webhook relay's keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelayKeys {
    /// `RELAY_KEY`: seals, and opens.
    pub current: RelayKey,
    /// `RELAY_KEY_PREVIOUS`: still opens what was sealed before a change of keys.
    pub previous: Option<RelayKey>,
}

/// What the configuration has to know about where the gateway runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runtime {
    /// Cloudflare Workers: a request's origin is the public one, and private networks cannot be reached.
    Worker,
    /// Anything else: the public origin must be set, and private networks may be within reach.
    Server {
        /// Whether the loop can look a host's addresses up and connect to those alone
        /// ([`Step::Resolve`](super::io::Step::Resolve)).
        resolves_names: bool,
    },
}

/// Everything an operator can set, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// The agents, the one at the root (`UPSTREAM_URL` or `AGENT`) first, then `AGENTS` in their order. Never empty.
    pub agents: Vec<Agent>,
    /// `AGENTS_INDEX`: whether `/agents` lists the agents.
    pub agents_index: bool,
    /// `VERSION_DISPATCH`.
    pub version_dispatch: VersionDispatch,
    /// `PUBLIC_URL`: what cards and relay URLs say. `None` only in Workers without a relay.
    pub public_url: Option<Url>,
    /// `UPSTREAM_ORIGINS`: origins, besides an agent's own, that its card may name and that get credentials.
    pub upstream_origins: Vec<String>,
    /// `GATEWAY_TOKEN`: what clients must send as `X-Gateway-Token`.
    pub gateway_token: Option<Secret>,
    /// `RELAY_KEY` and `RELAY_KEY_PREVIOUS`; without them webhooks work only where no translation is needed.
    pub relay_keys: Option<RelayKeys>,
    /// `RELAY_ALLOW_PRIVATE`: loopback and private webhook receivers, for development.
    pub relay_allow_private: bool,
    /// Whether the runtime can reach private networks, so that the gateway has to look where a webhook leads.
    pub resolves_names: bool,
    /// `MAX_*`, `*_SECONDS` and `STREAM_*`.
    pub limits: Limits,
    /// `CORS_ORIGINS`.
    pub cors: CorsPolicy,
    /// `TRUSTED_JWKS`: a JSON Web Key Set to verify agents' cards with; its `keys` are a list that is not empty.
    pub trusted_jwks: Option<Value>,
    /// `SIGNING_JWK`: a private JSON Web Key, as JSON text, to sign changed cards with.
    pub signing_jwk: Option<Secret>,
    /// Whether usage is counted: `USAGE` is bound and `ADMIN_TOKEN` is set.
    pub usage: bool,
    /// `ADMIN_TOKEN`: what `GET /usage` asks for.
    pub admin_token: Option<Secret>,
}

impl Config {
    /// Reads and checks the configuration.
    ///
    /// `vars` are the variables and secrets; one that is set but empty counts as absent, and names that are not ours
    /// are ignored. `bindings` are the names of the runtime's bindings that are not text: services and Durable
    /// Objects.
    ///
    /// # Errors
    /// The first variable that is wrong, in one sentence for the operator.
    ///
    /// ```
    /// use a2a_compat::gateway::{Config, Runtime};
    /// use std::collections::{BTreeMap, BTreeSet};
    ///
    /// let vars = BTreeMap::from([("UPSTREAM_URL".to_string(), "https://agent.example.org".to_string())]);
    /// let config = Config::from_vars(&vars, &BTreeSet::new(), Runtime::Worker)?;
    /// assert_eq!(config.agents.len(), 1);
    /// # Ok::<(), a2a_compat::gateway::ConfigError>(())
    /// ```
    pub fn from_vars(
        vars: &BTreeMap<String, String>,
        bindings: &BTreeSet<String>,
        runtime: Runtime,
    ) -> Result<Config, ConfigError> {
        let vars = Vars::new(vars);
        let defaults = Defaults {
            offer: vars.get("OFFER").map_or_else(|| Ok(Offer::default()), |text| Offer::parse("OFFER", text))?,
            profile: PeerProfile::from_vars(vars)?,
        };
        let relay_allow_private = vars.choice("RELAY_ALLOW_PRIVATE")?;
        let relay_keys = relay_keys(vars, runtime, relay_allow_private)?;
        let admin_token = token(vars, "ADMIN_TOKEN")?;
        Ok(Config {
            agents: agents::agents(vars, bindings, &defaults)?,
            agents_index: vars.choice("AGENTS_INDEX")?,
            version_dispatch: vars.choice("VERSION_DISPATCH")?,
            public_url: public_url(vars, runtime, relay_keys.is_some())?,
            upstream_origins: upstream_origins(vars)?,
            gateway_token: token(vars, "GATEWAY_TOKEN")?,
            relay_allow_private,
            relay_keys,
            resolves_names: runtime == Runtime::Server { resolves_names: true },
            limits: Limits::from_vars(vars)?,
            cors: cors(vars)?,
            trusted_jwks: trusted_jwks(vars)?,
            signing_jwk: signing_jwk(vars)?,
            usage: bindings.contains("USAGE") && admin_token.is_some(),
            admin_token,
        })
    }

    /// The agent at the root, if there is one.
    pub fn root_agent(&self) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.name.is_none())
    }

    /// What public URLs start with, without a slash at the end: `PUBLIC_URL`, else the origin of the request at hand.
    pub fn public_base<'a>(&'a self, request_origin: &'a str) -> &'a str {
        self.public_url.as_ref().map_or(request_origin, Url::as_str).trim_end_matches('/')
    }
}

fn token(vars: Vars<'_>, name: &str) -> Result<Option<Secret>, ConfigError> {
    vars.get(name).map(|text| value::token(name, text).map(Secret::new)).transpose()
}

fn origins(name: &str, text: &str) -> Result<Vec<String>, ConfigError> {
    value::list(text).map(|entry| value::origin(name, entry)).collect()
}

fn upstream_origins(vars: Vars<'_>) -> Result<Vec<String>, ConfigError> {
    const NAME: &str = "UPSTREAM_ORIGINS";
    let origins = vars.get(NAME).map_or_else(|| Ok(Vec::new()), |text| origins(NAME, text))?;
    match origins.iter().find(|origin| !origin.starts_with("http://") && !origin.starts_with("https://")) {
        None => Ok(origins),
        Some(origin) => {
            let problem = format!("has {origin}, which is neither http nor https");
            Err(ConfigError::new(NAME, problem, "list origins such as https://files.example.org"))
        }
    }
}

fn public_url(vars: Vars<'_>, runtime: Runtime, has_relay: bool) -> Result<Option<Url>, ConfigError> {
    const NAME: &str = "PUBLIC_URL";
    let remedy = "set it to the URL under which clients reach this gateway, such as https://gateway.example.org";
    match vars.get(NAME) {
        Some(text) => {
            let url = value::url(NAME, text)?;
            if url.query().is_some() {
                return Err(ConfigError::new(NAME, "has a query (?…)", "remove it"));
            }
            Ok(Some(url))
        }
        None if runtime != Runtime::Worker => Err(ConfigError::new(NAME, "is not set", remedy)),
        None if has_relay => Err(ConfigError::new(NAME, "is not set, but RELAY_KEY is", remedy)),
        None => Ok(None),
    }
}

fn relay_keys(vars: Vars<'_>, runtime: Runtime, allow_private: bool) -> Result<Option<RelayKeys>, ConfigError> {
    let key = |name: &str| vars.get(name).map(|text| value::key(name, text).map(RelayKey)).transpose();
    match (key("RELAY_KEY")?, key("RELAY_KEY_PREVIOUS")?) {
        (Some(_), _) if runtime == (Runtime::Server { resolves_names: false }) && !allow_private => {
            Err(ConfigError::new(
                "RELAY_KEY",
                "is set, but this runtime cannot see where a webhook leads",
                "run the gateway in Workers or Node.js, or, where there is no private network to reach, set RELAY_ALLOW_PRIVATE to true",
            ))
        }
        (Some(current), previous) => Ok(Some(RelayKeys { current, previous })),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(ConfigError::new(
            "RELAY_KEY_PREVIOUS",
            "is set without RELAY_KEY",
            "set RELAY_KEY to the new key, or remove this one",
        )),
    }
}

fn cors(vars: Vars<'_>) -> Result<CorsPolicy, ConfigError> {
    const NAME: &str = "CORS_ORIGINS";
    match vars.get(NAME) {
        None => Ok(CorsPolicy::Off),
        Some("*") => Ok(CorsPolicy::Any),
        Some(text) if value::list(text).any(|entry| entry == "*") => {
            Err(ConfigError::new(NAME, "has * beside other origins", "set it to * alone or to exact origins"))
        }
        Some(text) => origins(NAME, text).map(CorsPolicy::Origins),
    }
}

fn is_jwk(value: &Value) -> bool {
    value.get("kty").is_some_and(Value::is_string)
}

fn trusted_jwks(vars: Vars<'_>) -> Result<Option<Value>, ConfigError> {
    const NAME: &str = "TRUSTED_JWKS";
    let remedy = "set it to {\"keys\": [{\"kty\": \"EC\", …}]} with the public keys you trust";
    let Some(set) = vars.json(NAME)? else { return Ok(None) };
    match set.get("keys").and_then(Value::as_array) {
        Some(keys) if !keys.is_empty() && keys.iter().all(is_jwk) => Ok(Some(set)),
        _ => Err(ConfigError::new(NAME, "is not a JSON Web Key Set with keys in it", remedy)),
    }
}

fn signing_jwk(vars: Vars<'_>) -> Result<Option<Secret>, ConfigError> {
    const NAME: &str = "SIGNING_JWK";
    let Some(key) = vars.json(NAME)? else { return Ok(None) };
    if is_jwk(&key) && key.get("d").is_some_and(Value::is_string) {
        return Ok(Some(Secret::new(key.to_string())));
    }
    let remedy = "set it to one private key as JSON, with kty and d";
    Err(ConfigError::new(NAME, "is not a private JSON Web Key", remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    fn read(pairs: &[(&str, &str)], bindings: &[&str], runtime: Runtime) -> Result<Config, ConfigError> {
        let mut vars = BTreeMap::from([("UPSTREAM_URL".to_owned(), "https://agent.example".to_owned())]);
        vars.extend(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())));
        Config::from_vars(&vars, &bindings.iter().map(|name| name.to_string()).collect(), runtime)
    }

    fn refused(pairs: &[(&str, &str)]) -> String {
        read(pairs, &[], Runtime::Worker).unwrap_err().to_string()
    }

    #[test]
    fn an_upstream_is_enough_in_a_worker_and_the_rest_has_defaults() {
        let config = read(&[], &[], Runtime::Worker).unwrap();
        assert_eq!(config.limits, Limits::default());
        assert_eq!((config.limits.max_body_bytes, config.limits.max_event_bytes), (10_485_760, 4_194_304));
        assert_eq!((config.limits.upstream_timeout_ms, config.limits.card_ttl_ms), (300_000, 300_000));
        assert_eq!(config.version_dispatch, VersionDispatch::Method);
        assert_eq!(config.agents[0].offer, Offer::default());
        assert_eq!(config.cors, CorsPolicy::Off);
        assert!(config.gateway_token.is_none() && config.relay_keys.is_none() && config.admin_token.is_none());
        assert!(!config.usage && !config.agents_index && !config.relay_allow_private);
        assert!(config.upstream_origins.is_empty());
    }

    #[test]
    fn every_variable_arrives_where_it_belongs() {
        let config = read(
            &[
                ("OFFER", "JSONRPC/1.0"),
                ("VERSION_DISPATCH", "header"),
                ("PUBLIC_URL", "https://g.example/a2a/"),
                ("UPSTREAM_HEADERS", r#"{"Authorization": "Bearer x"}"#),
                ("UPSTREAM_ORIGINS", "https://b.example, http://127.0.0.1:1"),
                ("GATEWAY_TOKEN", "gt"),
                ("RELAY_KEY", KEY),
                ("RELAY_KEY_PREVIOUS", KEY),
                ("RELAY_ALLOW_PRIVATE", "true"),
                ("AGENTS_INDEX", "true"),
                ("CARD_TTL_SECONDS", "0"),
                ("MAX_BODY_BYTES", "1MiB"),
                ("MAX_EVENT_BYTES", "4096"),
                ("UPSTREAM_TIMEOUT_SECONDS", "5"),
                ("STREAM_IDLE_SECONDS", "60"),
                ("STREAM_MAX_SECONDS", "3600"),
                ("STREAM_MAX_BYTES", "8G"),
                ("CORS_ORIGINS", "https://app.example"),
                ("TRUSTED_JWKS", r#"{"keys": [{"kty": "EC"}]}"#),
                ("SIGNING_JWK", r#"{"kty": "EC", "d": "hunter2"}"#),
                ("ADMIN_TOKEN", "at"),
                ("LEGACY_BLOCKING", "always"),
                ("SOMETHING_ELSE", "ignored"),
            ],
            &["USAGE"],
            Runtime::Server { resolves_names: true },
        )
        .unwrap();
        let limits = Limits {
            max_body_bytes: 1 << 20,
            max_event_bytes: 4096,
            upstream_timeout_ms: 5_000,
            card_ttl_ms: 0,
            stream_idle_ms: Some(60_000),
            stream_max_ms: Some(3_600_000),
            stream_max_bytes: Some(8 << 30),
        };
        assert_eq!(config.limits, limits);
        assert_eq!(config.version_dispatch, VersionDispatch::Header);
        assert_eq!(config.public_base("https://ignored.example"), "https://g.example/a2a");
        assert_eq!(config.upstream_origins, ["https://b.example", "http://127.0.0.1:1"]);
        assert!(config.gateway_token.as_ref().unwrap().matches("gt"));
        assert!(config.relay_keys.as_ref().unwrap().previous.is_some());
        assert!(config.relay_allow_private && config.agents_index && config.usage);
        assert_eq!(config.cors, CorsPolicy::Origins(vec!["https://app.example".into()]));
        assert!(config.trusted_jwks.is_some() && config.signing_jwk.is_some());
        assert!(config.admin_token.as_ref().unwrap().matches("at"));
        let agent = config.root_agent().unwrap();
        assert_eq!(agent.profile.legacy_blocking, LegacyBlocking::Always);
        assert_eq!(agent.offer, Offer::parse("OFFER", "JSONRPC/1.0").unwrap());
        assert_eq!(agent.upstream_headers.len(), 1);
        let shown = format!("{config:?}");
        assert!(!["hunter2", "Bearer x", KEY].iter().any(|secret| shown.contains(secret)), "{shown}");
    }

    #[test]
    fn a_relay_must_see_where_webhooks_lead() {
        let blind = Runtime::Server { resolves_names: false };
        let vars = [("RELAY_KEY", KEY), ("PUBLIC_URL", "https://g.example")];
        assert!(read(&vars, &[], blind).unwrap_err().to_string().starts_with("RELAY_KEY is set, but this runtime"));
        assert!(read(&[vars[0], vars[1], ("RELAY_ALLOW_PRIVATE", "true")], &[], blind).is_ok());
        assert!(!read(&vars, &[], Runtime::Worker).unwrap().resolves_names);
        assert!(read(&vars, &[], Runtime::Server { resolves_names: true }).unwrap().resolves_names);
    }

    #[test]
    fn the_public_url_is_needed_outside_workers_and_with_a_relay() {
        assert!(
            read(&[], &[], Runtime::Server { resolves_names: true })
                .unwrap_err()
                .to_string()
                .starts_with("PUBLIC_URL is not set; set it to the URL")
        );
        assert!(refused(&[("RELAY_KEY", KEY)]).starts_with("PUBLIC_URL is not set, but RELAY_KEY is;"));
        let config = read(&[], &[], Runtime::Worker).unwrap();
        assert_eq!(config.public_base("https://worker.example"), "https://worker.example");
    }

    #[test]
    fn a_wrong_value_is_refused_by_the_name_of_its_variable() {
        for (name, value) in [
            ("OFFER", "JSONRPC/2.0"),
            ("VERSION_DISPATCH", "path"),
            ("PUBLIC_URL", "https://g.example/?x"),
            ("PUBLIC_URL", "g.example"),
            ("UPSTREAM_URL", "agent.example"),
            ("UPSTREAM_HEADERS", "Authorization: Bearer x"),
            ("UPSTREAM_ORIGINS", "https://b.example/path"),
            ("UPSTREAM_ORIGINS", "*"),
            ("UPSTREAM_ORIGINS", "chrome-extension://abcdef"),
            ("GATEWAY_TOKEN", "a\nb"),
            ("RELAY_KEY", "short"),
            ("RELAY_KEY_PREVIOUS", KEY),
            ("RELAY_ALLOW_PRIVATE", "yes"),
            ("AGENTS_INDEX", "1"),
            ("AGENTS", "[]"),
            ("CARD_TTL_SECONDS", "5m"),
            ("MAX_BODY_BYTES", "2GiB"),
            ("MAX_EVENT_BYTES", "0"),
            ("UPSTREAM_TIMEOUT_SECONDS", "0"),
            ("STREAM_IDLE_SECONDS", "never"),
            ("STREAM_MAX_SECONDS", "-1"),
            ("STREAM_MAX_BYTES", "lots"),
            ("CORS_ORIGINS", "*,https://app.example"),
            ("CORS_ORIGINS", "app.example"),
            ("TRUSTED_JWKS", r#"{"keys": []}"#),
            ("TRUSTED_JWKS", r#"{"keys": [{"n": "x"}]}"#),
            ("SIGNING_JWK", r#"{"kty": "EC", "x": "public"}"#),
            ("SIGNING_JWK", "-----BEGIN"),
            ("ADMIN_TOKEN", "ü"),
            ("R3_BYTES", "triple"),
            ("R3_STRICT030", "on"),
        ] {
            let error = read(&[(name, value)], &[], Runtime::Worker).unwrap_err();
            assert_eq!(error.variable(), name, "{error}");
            assert!(error.to_string().starts_with(name) && error.to_string().ends_with('.'), "{error}");
        }
    }

    #[test]
    fn usage_is_counted_only_where_it_can_be_read() {
        assert!(!read(&[], &["USAGE"], Runtime::Worker).unwrap().usage);
        assert!(!read(&[("ADMIN_TOKEN", "t")], &[], Runtime::Worker).unwrap().usage);
        assert!(read(&[("ADMIN_TOKEN", "t")], &["USAGE"], Runtime::Worker).unwrap().usage);
    }
}
