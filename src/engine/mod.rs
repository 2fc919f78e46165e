//! The table-driven translator: entity tables, slots, the reader, the writer, notices.
//!
//! An [`Entity`] table names each field once, with its key and its presence rule in each dialect. The reader fills
//! slots from any dialect, the writer writes any dialect from slots; so there are three readers and three writers,
//! not nine translators.

mod base64;
mod doc;
mod enums;
mod notice;
mod read;
mod scalar;
mod table;
mod timestamp;
mod write;

pub use base64::{Base64Error, canonical as canonical_base64};
pub use doc::{Doc, Rec, Slot};
pub use enums::{EnumRow, EnumTable, Found};
pub use notice::{Code, Level, Notice, Notices, code};
pub(crate) use read::known_key;
pub use read::read;
pub(crate) use table::entity;
pub use table::{Entity, Field, Key, Kind, Row, Rule, field, key_tables};
pub use timestamp::{Timestamp, normalise as normalise_timestamp};
pub use write::{CardOverrides, Context, Fail, Failure, Interface, Mode, Options, Signatures, Writer};
