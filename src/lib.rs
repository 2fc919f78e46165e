//! a2a-compat
