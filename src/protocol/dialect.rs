//! Dialects: the JSON shapes of A2A objects.

use super::{Binding, Version};

/// One JSON shape of an A2A object. The numbers are column indices of the entity tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    /// v0.3 JSON-schema JSON: JSON-RPC bodies, cards, webhooks.
    J3 = 0,
    /// v0.3 proto-JSON: bodies of the v0.3 HTTP+JSON binding.
    R3 = 1,
    /// v1.0 ProtoJSON: everything in v1.0.
    P1 = 2,
}

impl Dialect {
    /// Every dialect, in column order.
    pub const ALL: [Dialect; 3] = [Dialect::J3, Dialect::R3, Dialect::P1];

    /// The dialect in which `binding` writes its bodies in `version`.
    ///
    /// Cards and webhooks are not bound to a binding: in v0.3 they are [`Dialect::J3`].
    pub const fn of(version: Version, binding: Binding) -> Dialect {
        match (version, binding) {
            (Version::V0_3, Binding::JsonRpc) => Dialect::J3,
            (Version::V0_3, Binding::HttpJson) => Dialect::R3,
            (Version::V1_0, _) => Dialect::P1,
        }
    }

    /// The protocol version the dialect belongs to.
    pub const fn version(self) -> Version {
        match self {
            Dialect::J3 | Dialect::R3 => Version::V0_3,
            Dialect::P1 => Version::V1_0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_v0_3_has_a_dialect_per_binding() {
        assert_eq!(Dialect::of(Version::V0_3, Binding::JsonRpc), Dialect::J3);
        assert_eq!(Dialect::of(Version::V0_3, Binding::HttpJson), Dialect::R3);
        for binding in Binding::ALL {
            assert_eq!(Dialect::of(Version::V1_0, binding), Dialect::P1);
        }
    }

    #[test]
    fn numbers_are_column_indices_and_versions_agree() {
        for (index, dialect) in Dialect::ALL.into_iter().enumerate() {
            assert_eq!(dialect as usize, index);
        }
        for version in Version::ALL {
            for binding in Binding::ALL {
                assert_eq!(Dialect::of(version, binding).version(), version);
            }
        }
    }
}
