//! The scanner and the engine against independent judges, on inputs nobody would write by hand. Deterministic: the
//! same seeds, the same cases, every time. `fuzz/` searches further with coverage.

mod any_bytes;
mod corpus;
mod oracle;
mod random;
mod spellings;
