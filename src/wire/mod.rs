//! How calls and answers travel: the JSON-RPC envelope and server-sent events.
//!
//! [`server`] writes what clients are answered, [`client`] reads what agents answer, over either binding; [`rest`] has the HTTP+JSON routes of both versions.

pub mod client;
pub mod jsonrpc;
pub mod rest;
pub mod server;
pub mod sse;
