//! The vocabulary of A2A v0.3 and v1.0: pure data, no IO, no parsing of bodies.
//!
//! * [`Version`] and [`ProtocolVersion`]: which protocol a peer speaks, from a header or from a card;
//! * [`Binding`] and [`Dialect`]: how it is carried, and which JSON shape that implies;
//! * [`Operation`]: what is asked, with every method name either version has for it;
//! * [`ErrorCode`]: error codes with their names, reasons, HTTP and gRPC statuses;
//! * [`header`], [`media_type`], [`path`], [`error_detail`]: the names that appear on the wire.
//!
//! Every name stands here once. Nothing in this module depends on another module of the crate.

mod binding;
mod dialect;
mod error_code;
mod names;
mod operation;
mod peer;
mod version;

pub use binding::Binding;
pub use dialect::Dialect;
pub use error_code::{ErrorCode, TRANSPORT_STATUSES, is_transport_status, transport_status_name};
pub use names::{error_detail, header, media_type, path};
pub use operation::Operation;
pub use peer::Peer;
pub use version::{ProtocolVersion, Version, is_legacy};
