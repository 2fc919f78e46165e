//! What a deployed gateway adds to the bridge, still without IO, clock or randomness.
//!
//! * [`Config`]: everything an operator can set, validated as a whole before the first request is served;
//! * [`route`] and [`choose_version`]: what a request is for, and which version it is in;
//! * [`headers`]: which headers cross the gateway and how they are renamed;
//! * [`CorsPolicy`]: which browser pages may call;
//! * [`LogEntry`]: the one log line per request.

mod config;
mod cors;
mod dispatch;
pub mod headers;
mod log;
mod secret;

pub use config::{
    Agent, Config, ConfigError, Interface, LegacyBlocking, LegacyFinal, Limits, Offer, PeerProfile, R3Bytes, R3Card,
    R3CreateBody, RelayKey, RelayKeys, Upstream, VersionDispatch,
};
pub use cors::CorsPolicy;
pub use dispatch::{
    Resource, RestPath, Route, Routed, VersionError, VersionProblem, choose_rest_version, choose_version,
    error_version, route,
};
pub use log::LogEntry;
pub use secret::Secret;
