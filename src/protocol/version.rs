//! Protocol versions and their comparison (RULES §9; cards: RULES 7.2 to 7.4).

use std::fmt;

/// A protocol version this crate speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// Everything in \[0.3, 1.0): "legacy", "compat".
    V0_3,
    /// 1.0: "core".
    V1_0,
}

impl Version {
    /// Both versions, the older one first.
    pub const ALL: [Version; 2] = [Version::V0_3, Version::V1_0];

    /// The version that this one is translated to.
    pub const fn other(self) -> Version {
        match self {
            Version::V0_3 => Version::V1_0,
            Version::V1_0 => Version::V0_3,
        }
    }

    /// `Major.Minor`, as headers and cards write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V0_3 => "0.3",
            Version::V1_0 => "1.0",
        }
    }

    /// The version that the value of an `A2A-Version` header (or query parameter) asks for.
    ///
    /// The empty value, which is also what an absent header means (§3.6.2), is 0.3. Only Major.Minor counts:
    /// \[0.3, 1.0) is 0.3, `1` and `1.0.x` are 1.0. `None` is a version not supported, or text that is no version.
    ///
    /// ```
    /// use a2a_compat::protocol::Version;
    /// assert_eq!(Version::negotiate(""), Some(Version::V0_3));
    /// assert_eq!(Version::negotiate("1.0.3"), Some(Version::V1_0));
    /// assert_eq!(Version::negotiate("1.1"), None);
    /// ```
    pub fn negotiate(header: &str) -> Option<Version> {
        let header = header.trim_matches([' ', '\t']);
        if header.is_empty() {
            return Some(Version::V0_3);
        }
        ProtocolVersion::strict(header)?.supported()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Major.Minor of any protocol version, as a card may state it: also of versions this crate does not speak.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProtocolVersion {
    /// The major number.
    pub major: u32,
    /// The minor number; 0 where the text has none.
    pub minor: u32,
}

impl ProtocolVersion {
    /// Reads a card's `protocolVersion` leniently (RULES 7.2): surrounding blanks, a leading `v` and everything after
    /// Major.Minor of a semantic version (`0.3.0`, `1.0.0-rc.1+build`) are ignored; `1` is 1.0.
    /// `None` if the text is empty or no version.
    ///
    /// ```
    /// use a2a_compat::protocol::ProtocolVersion;
    /// assert_eq!(ProtocolVersion::parse("v0.3.0"), Some(ProtocolVersion { major: 0, minor: 3 }));
    /// assert_eq!(ProtocolVersion::parse("latest"), None);
    /// ```
    pub fn parse(text: &str) -> Option<ProtocolVersion> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let core = text.split(['-', '+']).next().unwrap_or_default();
        ProtocolVersion::strict(core)
    }

    /// Whether it lies in \[0.3, 1.0).
    pub const fn is_legacy(self) -> bool {
        self.major == 0 && self.minor >= 3
    }

    /// The version in which this crate speaks to such a peer; `None` for 0.2 and older and for 1.1 and newer.
    pub const fn supported(self) -> Option<Version> {
        match (self.major, self.minor) {
            _ if self.is_legacy() => Some(Version::V0_3),
            (1, 0) => Some(Version::V1_0),
            _ => None,
        }
    }

    /// `Major`, `Major.Minor` or `Major.Minor.Patch` in decimal digits, nothing else.
    fn strict(text: &str) -> Option<ProtocolVersion> {
        let mut numbers = text.split('.').map(number);
        let major = numbers.next()??;
        let minor = numbers.next().unwrap_or(Some(0))?;
        let _patch = numbers.next().unwrap_or(Some(0))?;
        if numbers.next().is_some() {
            return None;
        }
        Some(ProtocolVersion { major, minor })
    }
}

impl From<Version> for ProtocolVersion {
    fn from(version: Version) -> ProtocolVersion {
        match version {
            Version::V0_3 => ProtocolVersion { major: 0, minor: 3 },
            Version::V1_0 => ProtocolVersion { major: 1, minor: 0 },
        }
    }
}

impl fmt::Display for ProtocolVersion {
    /// `Major.Minor`: cards carry no patch number (§3.6).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Whether an interface of a v1.0 card with this `protocolVersion` is one for v0.3 readers: empty, or in
/// \[0.3, 1.0) (RULES 7.3, 7.4).
pub fn is_legacy(protocol_version: &str) -> bool {
    protocol_version.is_empty() || ProtocolVersion::parse(protocol_version).is_some_and(ProtocolVersion::is_legacy)
}

fn number(digits: &str) -> Option<u32> {
    // `u32::from_str` alone would take a sign.
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_compared_by_major_and_minor_only() {
        for legacy in ["", "0.3", "0.3.0", "0.4", "0.9.9", "0.10", " 0.3 "] {
            assert_eq!(Version::negotiate(legacy), Some(Version::V0_3), "{legacy:?}");
        }
        for core in ["1", "1.0", "1.0.0", "1.0.3", "1.0 "] {
            assert_eq!(Version::negotiate(core), Some(Version::V1_0), "{core:?}");
        }
    }

    #[test]
    fn a_header_of_another_version_or_of_none_is_not_supported() {
        let other = ["0", "0.2", "0.2.6", "1.1", "1.7", "2.0", "10.0"];
        let malformed =
            ["abc", "v1.0", "1.0-rc", "1.x", "+1.0", "-1", ".", "1.", "1..0", "1.0.0.0", "1.0, 1.0", "4294967296.0"];
        for header in other.into_iter().chain(malformed) {
            assert_eq!(Version::negotiate(header), None, "{header:?}");
        }
    }

    #[test]
    fn a_card_may_write_its_version_in_many_ways() {
        let of = |text| ProtocolVersion::parse(text).map(|version| version.to_string());
        for (text, read) in [
            ("0.3", "0.3"),
            ("0.3.0", "0.3"),
            ("v0.3", "0.3"),
            ("V1.0", "1.0"),
            ("1", "1.0"),
            (" 1.0.1 ", "1.0"),
            ("1.0.0-rc.1+build.7", "1.0"),
            ("1.0+2", "1.0"),
            ("2.5", "2.5"),
        ] {
            assert_eq!(of(text).as_deref(), Some(read), "{text:?}");
        }
        for text in ["", "v", "vv1.0", "latest", "1.x", "0.3.0.1", "-1.0", "０.３"] {
            assert_eq!(of(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_interface_is_legacy_if_its_version_is_empty_or_between_0_3_and_1_0() {
        for text in ["", "0.3", "0.3.0", "v0.3", "0.9"] {
            assert!(is_legacy(text), "{text:?}");
        }
        for text in ["0.2", "0.2.6", "1.0", "v1.0", "1.1", "latest", " "] {
            assert!(!is_legacy(text), "{text:?}");
        }
    }

    #[test]
    fn both_versions_are_read_back_as_they_are_written() {
        assert!(Version::V0_3 < Version::V1_0);
        for version in Version::ALL {
            assert_eq!(Version::negotiate(version.as_str()), Some(version));
            assert_eq!(ProtocolVersion::from(version).to_string(), version.as_str());
            assert_eq!(ProtocolVersion::from(version).supported(), Some(version));
        }
    }
}
