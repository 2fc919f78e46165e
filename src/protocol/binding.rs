//! Protocol bindings: how an operation travels over HTTP.

use std::fmt;

/// A protocol binding this crate speaks. gRPC and custom transports have no value here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP POST.
    JsonRpc,
    /// Plain HTTP with JSON bodies, "REST".
    HttpJson,
}

impl Binding {
    /// Every binding, in the order in which cards list them by default.
    pub const ALL: [Binding; 2] = [Binding::JsonRpc, Binding::HttpJson];

    /// The name in cards: `protocolBinding` in v1.0, `transport` and `preferredTransport` in v0.3.
    pub const fn as_str(self) -> &'static str {
        match self {
            Binding::JsonRpc => "JSONRPC",
            Binding::HttpJson => "HTTP+JSON",
        }
    }

    /// Reads a name as cards spell it. Exact; `None` for `GRPC` and everything else.
    pub fn parse(name: &str) -> Option<Binding> {
        Binding::ALL.into_iter().find(|binding| binding.as_str() == name)
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_exactly_as_they_are_written() {
        for binding in Binding::ALL {
            assert_eq!(Binding::parse(binding.as_str()), Some(binding));
        }
        for other in ["GRPC", "jsonrpc", "HTTP+json", "HTTP", "", " JSONRPC", "https://example.org/mine"] {
            assert_eq!(Binding::parse(other), None, "{other}");
        }
    }
}
