//! The scanner and the engine against independent judges, on inputs nobody would write by hand. Deterministic: the
//! same seeds, the same cases, every time. `fuzz/` searches further with coverage.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod any_bytes;
mod corpus;
mod oracle;
mod random;
mod spellings;
