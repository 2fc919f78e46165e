//! Names on the wire that are neither methods nor errors: each stands here once.

/// HTTP header names, in lower case as this crate writes them.
pub mod header {
    /// The protocol version a request is in. Also the name of a query parameter (compared without case).
    pub const A2A_VERSION: &str = "a2a-version";
    /// Extensions a v1.0 client activates, and those the agent activated: a comma-separated list of URIs.
    pub const A2A_EXTENSIONS: &str = "a2a-extensions";
    /// The same in v0.3.
    pub const X_A2A_EXTENSIONS: &str = "x-a2a-extensions";
    /// The token of a webhook, in both versions.
    pub const X_A2A_NOTIFICATION_TOKEN: &str = "x-a2a-notification-token";

    /// Ours: codes of what the translation dropped, defaulted or coerced.
    pub const A2A_COMPAT_NOTICES: &str = "a2a-compat-notices";
    /// Ours: how many gateways a request went through.
    pub const A2A_COMPAT_HOPS: &str = "a2a-compat-hops";
    /// Ours: what a client must send where `GATEWAY_TOKEN` is set. Never forwarded.
    pub const X_GATEWAY_TOKEN: &str = "x-gateway-token";

    /// Media types the client takes.
    pub const ACCEPT: &str = "accept";
    /// Content codings the client takes.
    pub const ACCEPT_ENCODING: &str = "accept-encoding";
    /// Methods of a known path, beside status 405.
    pub const ALLOW: &str = "allow";
    /// The client's credential.
    pub const AUTHORIZATION: &str = "authorization";
    /// How long a response may be reused.
    pub const CACHE_CONTROL: &str = "cache-control";
    /// Hop-by-hop options.
    pub const CONNECTION: &str = "connection";
    /// The body's content coding.
    pub const CONTENT_ENCODING: &str = "content-encoding";
    /// The body's length in bytes.
    pub const CONTENT_LENGTH: &str = "content-length";
    /// The body's media type.
    pub const CONTENT_TYPE: &str = "content-type";
    /// Cookies of the client.
    pub const COOKIE: &str = "cookie";
    /// Validator of a representation.
    pub const ETAG: &str = "etag";
    /// Authority of the request.
    pub const HOST: &str = "host";
    /// Validators the client already has.
    pub const IF_NONE_MATCH: &str = "if-none-match";
    /// Where a browser's request comes from.
    pub const ORIGIN: &str = "origin";
    /// When to try again.
    pub const RETRY_AFTER: &str = "retry-after";
    /// What software answered: evidence for `R3_BYTES=auto`.
    pub const SERVER: &str = "server";
    /// Cookies for the client.
    pub const SET_COOKIE: &str = "set-cookie";
    /// What software asks: evidence for `R3_BYTES=auto` and `R3_CARD=auto`.
    pub const USER_AGENT: &str = "user-agent";
    /// Request headers a response depends on.
    pub const VARY: &str = "vary";
    /// How to authenticate, beside status 401.
    pub const WWW_AUTHENTICATE: &str = "www-authenticate";
}

/// Media types.
pub mod media_type {
    /// v0.3 bodies of every kind, v1.0 JSON-RPC bodies, and errors and cards of both versions.
    pub const JSON: &str = "application/json";
    /// v1.0 HTTP+JSON bodies and webhooks.
    pub const A2A_JSON: &str = "application/a2a+json";
    /// Streams of both versions and bindings.
    pub const EVENT_STREAM: &str = "text/event-stream";
}

/// Paths below an agent's base, and the first segments that belong to the gateway.
pub mod path {
    /// Where both versions publish the card.
    pub const AGENT_CARD: &str = "/.well-known/agent-card.json";
    /// Where older v0.3 readers look for it.
    pub const AGENT_CARD_LEGACY: &str = "/.well-known/agent.json";
    /// Where some look for it.
    pub const AGENT_CARD_BARE: &str = "/agent.json";
    /// All three, the standard one first.
    pub const AGENT_CARDS: [&str; 3] = [AGENT_CARD, AGENT_CARD_LEGACY, AGENT_CARD_BARE];

    /// First segment of the index of agents and of each agent's base.
    pub const AGENTS: &str = "agents";
    /// First segment of the gateway's webhook URLs.
    pub const RELAY: &str = "relay";
    /// The health check.
    pub const HEALTH: &str = "health";
    /// Counts of who still speaks v0.3.
    pub const USAGE: &str = "usage";
    /// The JSON-RPC endpoint that cards advertise.
    pub const JSON_RPC: &str = "jsonrpc";
    /// First segment of the page's files.
    pub const ASSETS: &str = "assets";
    /// First segments that are never a tenant nor an agent's name.
    pub const RESERVED: [&str; 6] = [AGENTS, RELAY, HEALTH, USAGE, JSON_RPC, ASSETS];

    /// The segment before v0.3's HTTP+JSON routes.
    pub const V1_PREFIX: &str = "v1";
}

/// Names inside the details of v1.0 errors.
pub mod error_detail {
    /// `ErrorInfo.domain` of the reasons that A2A defines.
    pub const DOMAIN: &str = "a2a-protocol.org";
    /// `@type` of an ErrorInfo.
    pub const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
    /// `@type` of a JSON object.
    pub const STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";
    /// `@type` of any other JSON value.
    pub const VALUE: &str = "type.googleapis.com/google.protobuf.Value";
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn reserved_segments_are_those_of_the_dispatch_rules() {
        assert_eq!(path::RESERVED.join(" "), "agents relay health usage jsonrpc assets");
    }
}
