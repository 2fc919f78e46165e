//! The HTTP+JSON binding of both versions (shared/REST.md as code): paths, requests, errors.

mod call;
mod error;
mod path;
mod request;

pub use call::{CallOptions, HttpCall, encode_call};
pub use error::{PeerError, read_error, write_error};
pub use path::{BadSegment, Resource, RestPath, decode, parse};
pub use request::{RestRequest, operation, read_request};
