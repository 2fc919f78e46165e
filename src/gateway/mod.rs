//! What a deployed gateway adds to the bridge, still without IO, clock or randomness.
//!
//! * [`Config`]: everything an operator can set, validated as a whole before the first request is served;
//! * [`route`] and [`choose_version`]: what a request is for, and which version it is in;
//! * [`headers`]: which headers cross the gateway and how they are renamed;
//! * [`CorsPolicy`]: which browser pages may call;
//! * [`LogEntry`]: the one log line per request;
//! * [`Gateway`] and [`Flow`]: one request as a sequence of [`io::Step`]s that a loop carries out;
//! * [`UpstreamCard`] and [`card_for`]: what the agent says about itself, and what the gateway says about it.

mod call;
mod cards;
mod config;
mod cors;
mod discovery;
mod dispatch;
mod flow;
pub mod headers;
pub mod io;
mod log;
mod relay;
mod response;
mod rest;
mod rpc;
mod secret;
mod serve;
mod signatures;
mod state;

pub use cards::{card_for, etag, gateway_interfaces};
pub use config::{
    Agent, Config, ConfigError, Interface, LegacyBlocking, LegacyFinal, Limits, Offer, PeerProfile, R3Bytes, R3Card,
    R3CreateBody, RelayKey, RelayKeys, Runtime, Upstream, VersionDispatch,
};
pub use cors::CorsPolicy;
pub use discovery::{NoInterface, UpstreamCard, UpstreamInterface, card_urls, choose_interface};
pub use dispatch::{
    Route, Routed, VersionError, VersionProblem, choose_rest_version, choose_version, error_version, route,
};
pub use flow::Flow;
pub use log::LogEntry;
pub use relay::token as relay_token;
pub use secret::Secret;
pub use serve::Gateway;
pub use signatures::{sign_card, verify_card};
