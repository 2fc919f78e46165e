//! What a peer speaks.

use super::{Binding, Dialect, Version};

/// A version and what carries it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Peer {
    /// The version.
    pub version: Version,
    /// The binding.
    pub binding: Binding,
}

impl Peer {
    /// A peer.
    pub const fn new(version: Version, binding: Binding) -> Peer {
        Peer { version, binding }
    }

    /// A peer on JSON-RPC.
    pub const fn json_rpc(version: Version) -> Peer {
        Peer::new(version, Binding::JsonRpc)
    }

    /// The JSON shape of its bodies.
    pub const fn dialect(self) -> Dialect {
        Dialect::of(self.version, self.binding)
    }
}
