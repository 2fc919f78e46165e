//! How calls and answers travel: the JSON-RPC envelope and server-sent events.
//!
//! [`server`] reads a client's request and writes its answer, [`client`] encodes a call to an agent and reads what
//! it answers.

// client
pub mod jsonrpc;
// server
pub mod sse;
