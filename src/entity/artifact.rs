//! Artifact (RULES 3.1).

use super::part::PART;
use crate::engine::{Kind, Rule, entity, field};

entity!(
    /// What a task produced. Its parts are called `parts` in every dialect.
    pub ARTIFACT, artifact, "artifact" {
        ARTIFACT_ID = field("artifactId", Kind::Str).required(),
        NAME = field("name", Kind::Str),
        DESCRIPTION = field("description", Kind::Str),
        PARTS = field("parts", Kind::List(&PART)).required(),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
        EXTENSIONS = field("extensions", Kind::StrList),
    }
);
