//! a2a-compat
pub mod protocol;
#[cfg(feature = "gateway")]
pub mod gateway;
