//! How calls and answers travel: the JSON-RPC envelope and server-sent events.
//!
//! The HTTP+JSON routes come beside them.

pub mod jsonrpc;
pub mod sse;
