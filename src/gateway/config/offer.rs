//! `OFFER`: the interfaces the gateway advertises and accepts.

use super::error::{ConfigError, shown};
use crate::protocol::{Binding, Version};
use std::fmt;

/// One way to talk to an agent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interface {
    /// How requests are carried.
    pub binding: Binding,
    /// The protocol version they are in.
    pub version: Version,
}

impl Interface {
    /// Every interface this gateway can serve, in the order in which it offers them by default.
    pub const ALL: [Interface; 4] = [
        Interface { binding: Binding::JsonRpc, version: Version::V1_0 },
        Interface { binding: Binding::JsonRpc, version: Version::V0_3 },
        Interface { binding: Binding::HttpJson, version: Version::V1_0 },
        Interface { binding: Binding::HttpJson, version: Version::V0_3 },
    ];

    /// Reads `JSONRPC/1.0`. Exact; `None` for everything else.
    pub fn parse(text: &str) -> Option<Interface> {
        let (binding, version) = text.split_once('/')?;
        let binding = Binding::parse(binding)?;
        let version = Version::ALL.into_iter().find(|known| known.as_str() == version)?;
        Some(Interface { binding, version })
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.binding, self.version)
    }
}

/// A set of interfaces that is not empty, in the operator's order: the first is the preferred one in cards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer(Vec<Interface>);

impl Offer {
    /// Whether requests of that binding and version are accepted.
    pub fn contains(&self, binding: Binding, version: Version) -> bool {
        self.0.contains(&Interface { binding, version })
    }

    /// The versions offered over a binding, in the operator's order; empty if the binding is not offered.
    pub fn versions(&self, binding: Binding) -> Vec<Version> {
        self.0.iter().filter(|interface| interface.binding == binding).map(|interface| interface.version).collect()
    }

    /// Whether the version is offered over any binding. Without 0.3, readers of v0.3 cards are refused.
    pub fn has_version(&self, version: Version) -> bool {
        self.0.iter().any(|interface| interface.version == version)
    }

    /// The interfaces in the operator's order.
    pub fn iter(&self) -> impl Iterator<Item = Interface> {
        self.0.iter().copied()
    }

    /// Reads a comma-separated list, `JSONRPC/1.0,JSONRPC/0.3`. Blanks around the entries are ignored.
    pub(super) fn parse(variable: &str, text: &str) -> Result<Offer, ConfigError> {
        Offer::from_entries(variable, text.split(','))
    }

    /// Reads entries as they stand in a JSON list.
    pub(super) fn from_entries<'a>(
        variable: &str,
        entries: impl Iterator<Item = &'a str>,
    ) -> Result<Offer, ConfigError> {
        let remedy = || format!("list one or more of {}", Interface::ALL.map(|known| known.to_string()).join(", "));
        let mut offer = Offer(Vec::new());
        for entry in entries.map(str::trim).filter(|entry| !entry.is_empty()) {
            let interface = Interface::parse(entry).ok_or_else(|| {
                ConfigError::new(variable, format!("has {}, which is no interface", shown(entry)), remedy())
            })?;
            if offer.0.contains(&interface) {
                return Err(ConfigError::new(variable, format!("has {interface} twice"), "name each interface once"));
            }
            offer.0.push(interface);
        }
        if offer.0.is_empty() {
            return Err(ConfigError::new(variable, "names no interface", remedy()));
        }
        Ok(offer)
    }
}

impl Default for Offer {
    /// Everything this gateway can serve.
    fn default() -> Offer {
        Offer(Interface::ALL.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_order_is_kept() {
        let offer = Offer::parse("OFFER", "JSONRPC/0.3, HTTP+JSON/1.0 ,JSONRPC/1.0").unwrap();
        let names: Vec<_> = offer.iter().map(|interface| interface.to_string()).collect();
        assert_eq!(names, ["JSONRPC/0.3", "HTTP+JSON/1.0", "JSONRPC/1.0"]);
        assert_eq!(offer.versions(Binding::JsonRpc), [Version::V0_3, Version::V1_0]);
        assert_eq!(offer.versions(Binding::HttpJson), [Version::V1_0]);
    }

    #[test]
    fn only_what_is_listed_is_offered() {
        let offer = Offer::parse("OFFER", "JSONRPC/1.0").unwrap();
        assert!(offer.contains(Binding::JsonRpc, Version::V1_0));
        assert!(!offer.contains(Binding::JsonRpc, Version::V0_3));
        assert!(!offer.contains(Binding::HttpJson, Version::V1_0));
        assert!(offer.has_version(Version::V1_0) && !offer.has_version(Version::V0_3));
        assert!(offer.versions(Binding::HttpJson).is_empty());
    }

    #[test]
    fn by_default_everything_is_offered() {
        let all = Offer::parse("OFFER", "JSONRPC/1.0,JSONRPC/0.3,HTTP+JSON/1.0,HTTP+JSON/0.3").unwrap();
        assert_eq!(Offer::default(), all);
    }

    #[test]
    fn unknown_and_repeated_interfaces_are_refused_by_name() {
        for (text, part) in [
            ("JSONRPC/2.0", "\"JSONRPC/2.0\""),
            ("GRPC/1.0", "\"GRPC/1.0\""),
            ("JSONRPC", "\"JSONRPC\""),
            ("JSONRPC/0.3.0", "\"JSONRPC/0.3.0\""),
            ("JSONRPC/1.0,JSONRPC/1.0", "JSONRPC/1.0 twice"),
            (",", "names no interface"),
        ] {
            let error = Offer::parse("AGENTS.billing.offer", text).unwrap_err();
            assert_eq!(error.variable(), "AGENTS.billing.offer");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
