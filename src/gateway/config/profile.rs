//! Peer profiles: what an operator knows about an agent, or about the clients that use it, that cannot be seen on the
//! wire. `PEERS.md` of the project says why each setting exists.

use super::choice::{choice, choose};
use super::error::ConfigError;
use super::value::Vars;
use serde_json::{Map, Value};

choice! {
    /// `R3_BYTES`: how `fileWithBytes` is encoded on v0.3 HTTP+JSON (RULES 1.16).
    R3Bytes {
        /// By the evidence of the exchange, else once.
        Auto = "auto",
        /// base64 of the bytes.
        Single = "single",
        /// base64 of the base64 text, as several SDKs do.
        Double = "double",
    }
}

choice! {
    /// `R3_CREATE_BODY`: the body that creates a push config on v0.3 HTTP+JSON agents.
    R3CreateBody {
        /// `{parent, configId, config}`, which most agents read.
        Wrapped = "wrapped",
        /// The config itself.
        Bare = "bare",
    }
}

choice! {
    /// `R3_CARD`: the shape of the card at v0.3's `GET /v1/card` (RULES 7.26).
    R3Card {
        /// By the client's `User-Agent`, else proto-JSON.
        Auto = "auto",
        /// proto-JSON.
        R3 = "R3",
        /// JSON-schema JSON.
        J3 = "J3",
    }
}

choice! {
    /// `LEGACY_BLOCKING`: what a v0.3 client's `blocking` is worth.
    LegacyBlocking {
        /// What it says.
        AsSent = "asSent",
        /// Nothing: sends always block, for clients that write `blocking:false` and expect blocking.
        Always = "always",
    }
}

choice! {
    /// `LEGACY_FINAL`: when an interrupted status ends a v0.3 client's stream.
    LegacyFinal {
        /// When the agent ends its stream.
        OnClose = "onClose",
        /// At once, for agents that keep a stream open after input-required.
        Interrupted = "interrupted",
    }
}

/// What is known about an agent and its clients. The default suits every peer that behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PeerProfile {
    /// `R3_BYTES`.
    pub r3_bytes: R3Bytes,
    /// `R3_CREATE_BODY`.
    pub r3_create_body: R3CreateBody,
    /// `R3_CARD`.
    pub r3_card: R3Card,
    /// `R3_STRICT030`: on v0.3 HTTP+JSON, leave out members that the v0.3.0 proto lacks (RULES 1.15).
    pub r3_strict030: bool,
    /// `OAUTH_SPLIT`: a v0.3 OAuth scheme with several flows becomes several v1.0 schemes (RULES 7.17).
    pub oauth_split: bool,
    /// `LEGACY_BLOCKING`.
    pub legacy_blocking: LegacyBlocking,
    /// `LEGACY_FINAL`.
    pub legacy_final: LegacyFinal,
    /// `PUSH_TASK_SNAPSHOT`: v0.3 webhooks get the whole task instead of the event (RULES §11).
    pub push_task_snapshot: bool,
}

impl PeerProfile {
    /// Every setting: the variable's name, which is also the key in an agent's `profile`.
    pub const SETTINGS: [&str; 8] = [
        "R3_BYTES",
        "R3_CREATE_BODY",
        "R3_CARD",
        "R3_STRICT030",
        "OAUTH_SPLIT",
        "LEGACY_BLOCKING",
        "LEGACY_FINAL",
        "PUSH_TASK_SNAPSHOT",
    ];

    /// The profile that the variables describe: the one of every agent that has none of its own.
    pub(super) fn from_vars(vars: Vars<'_>) -> Result<PeerProfile, ConfigError> {
        let mut profile = PeerProfile::default();
        for name in PeerProfile::SETTINGS {
            if let Some(text) = vars.get(name) {
                profile.set(name, name, text)?;
            }
        }
        Ok(profile)
    }

    /// The profile with an agent's own settings over it.
    pub(super) fn with(mut self, variable: &str, own: &Map<String, Value>) -> Result<PeerProfile, ConfigError> {
        for (name, value) in own {
            let place = format!("{variable}.{name}");
            match value {
                Value::String(text) => self.set(name, &place, text)?,
                Value::Bool(true) => self.set(name, &place, "true")?,
                Value::Bool(false) => self.set(name, &place, "false")?,
                Value::Null => {}
                _ => return Err(ConfigError::new(place, "is neither text nor true or false", "write it as text")),
            }
        }
        Ok(self)
    }

    /// `variable` is what an error names.
    fn set(&mut self, name: &str, variable: &str, text: &str) -> Result<(), ConfigError> {
        match name {
            "R3_BYTES" => self.r3_bytes = choose(variable, text)?,
            "R3_CREATE_BODY" => self.r3_create_body = choose(variable, text)?,
            "R3_CARD" => self.r3_card = choose(variable, text)?,
            "R3_STRICT030" => self.r3_strict030 = choose(variable, text)?,
            "OAUTH_SPLIT" => self.oauth_split = choose(variable, text)?,
            "LEGACY_BLOCKING" => self.legacy_blocking = choose(variable, text)?,
            "LEGACY_FINAL" => self.legacy_final = choose(variable, text)?,
            "PUSH_TASK_SNAPSHOT" => self.push_task_snapshot = choose(variable, text)?,
            _ => {
                let remedy = format!("use {}", PeerProfile::SETTINGS.join(", "));
                return Err(ConfigError::new(variable, "is no setting of a profile", remedy));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn from(vars: &[(&str, &str)]) -> Result<PeerProfile, ConfigError> {
        let vars: BTreeMap<String, String> = vars.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        PeerProfile::from_vars(Vars::new(&vars))
    }

    fn with(own: Value) -> Result<PeerProfile, ConfigError> {
        PeerProfile::default().with("AGENTS.hr.profile", own.as_object().unwrap())
    }

    #[test]
    fn variables_and_an_agents_own_profile_take_the_same_words() {
        let words = [
            ("R3_BYTES", "double"),
            ("R3_CREATE_BODY", "bare"),
            ("R3_CARD", "J3"),
            ("R3_STRICT030", "true"),
            ("OAUTH_SPLIT", "true"),
            ("LEGACY_BLOCKING", "always"),
            ("LEGACY_FINAL", "interrupted"),
            ("PUSH_TASK_SNAPSHOT", "true"),
        ];
        let expected = PeerProfile {
            r3_bytes: R3Bytes::Double,
            r3_create_body: R3CreateBody::Bare,
            r3_card: R3Card::J3,
            r3_strict030: true,
            oauth_split: true,
            legacy_blocking: LegacyBlocking::Always,
            legacy_final: LegacyFinal::Interrupted,
            push_task_snapshot: true,
        };
        assert_eq!(from(&words).unwrap(), expected);
        let own: Map<String, Value> = words.iter().map(|(k, v)| (k.to_string(), json!(v))).collect();
        assert_eq!(with(Value::Object(own)).unwrap(), expected);
        assert_eq!(words.map(|(name, _)| name), PeerProfile::SETTINGS);
    }

    #[test]
    fn an_agents_own_profile_overrides_only_what_it_names() {
        let base = from(&[("R3_BYTES", "double"), ("OAUTH_SPLIT", "true")]).unwrap();
        let own = base.with("AGENTS.hr.profile", json!({"OAUTH_SPLIT": false}).as_object().unwrap()).unwrap();
        assert_eq!(own, PeerProfile { r3_bytes: R3Bytes::Double, ..PeerProfile::default() });
    }

    #[test]
    fn a_wrong_word_is_refused_with_the_words_there_are() {
        assert_eq!(
            from(&[("R3_BYTES", "dubble")]).unwrap_err().to_string(),
            "R3_BYTES is \"dubble\", which it does not take; set it to one of auto, single, double, or leave it out."
        );
        assert_eq!(with(json!({"LEGACY_FINAL": "never"})).unwrap_err().variable(), "AGENTS.hr.profile.LEGACY_FINAL");
        assert_eq!(with(json!({"R3_CARD": 3})).unwrap_err().variable(), "AGENTS.hr.profile.R3_CARD");
        assert_eq!(with(json!({"R3_BITES": "auto"})).unwrap_err().variable(), "AGENTS.hr.profile.R3_BITES");
    }
}
