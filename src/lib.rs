//! a2a-compat: lets Agent2Agent (A2A) v0.3 and v1.0 peers talk to each other.
//!
//! The crate is a pure core: bytes in, bytes out, no IO, no clock, no randomness. Arrows go down only:
//!
//! | module | what it is |
//! |---|---|
//! | [`gateway`] | what a deployed gateway adds: configuration, discovery, cards (feature `gateway`) |
//! | [`bridge`] | one exchange as a state machine: a client's request in, calls to the agent out, the answer in, the client's answer out |
//! | [`wire`] | how calls and answers travel: the JSON-RPC envelope, server-sent events |
//! | [`entity`] | what each A2A object is: one table per entity, both versions side by side |
//! | [`engine`] | the table-driven reader and writer, notices |
//! | [`json`] | bytes to spans and spans to bytes |
//! | [`protocol`] | the vocabulary of both versions |
//!
//! [`translate`] is the shortest way in. Features: `gateway` (default), `worker` (the Cloudflare entry), `npm` (the
//! exports of the npm package).

pub mod bridge;
pub mod engine;
pub mod entity;
#[cfg(feature = "gateway")]
pub mod gateway;
pub mod json;
#[cfg(all(feature = "npm", target_arch = "wasm32"))]
pub mod npm;
pub mod protocol;
mod translate;
pub mod wire;
#[cfg(all(feature = "worker", target_arch = "wasm32"))]
pub mod worker;

pub use translate::{AnswerKind, Outcome, Translated, Translator, translate};
