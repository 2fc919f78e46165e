//! Notices: what a translation had to drop, default or coerce (the `[W:code]`s of RULES.md).

/// A loss code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// How much a notice matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Something was lost or changed.
    Warning,
    /// Good to know while debugging: a member that neither version knows was left out.
    Info,
}

/// One thing that did not survive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Which loss.
    pub code: Code,
    /// Where, in the input's own terms: `message.parts[2].file`.
    pub path: String,
    /// Where, in the output's terms.
    pub output_path: String,
}

impl Notice {
    /// The level of the notice's code.
    pub fn level(&self) -> Level {
        if self.code == code::UNKNOWN_FIELD_DROPPED { Level::Info } else { Level::Warning }
    }
}

/// The notices of one translation, in the order of the output.
pub type Notices = Vec<Notice>;

macro_rules! codes {
    ($($name:ident = $text:literal: $doc:literal;)*) => {
        /// Every loss code.
        pub mod code {
            use super::Code;
            $(#[doc = $doc] pub const $name: Code = Code($text);)*
            /// Every code with what it means, for the documentation.
            pub const ALL: &[(Code, &str)] = &[$(($name, $doc)),*];
        }
    };
}

codes! {
    DATA_PART_WRAPPED = "data_part_wrapped": "v0.3 data parts hold objects: another JSON value was wrapped as `{value: …}` and marked (RULES 1.5).";
    PART_MEDIA_TYPE_DROPPED = "part_media_type_dropped": "v0.3 text and data parts have no media type (RULES 1.7).";
    PART_FILENAME_DROPPED = "part_filename_dropped": "v0.3 text and data parts have no file name (RULES 1.7).";
    FILE_URI_DROPPED = "file_uri_dropped": "A file had bytes and a URI; the bytes were kept (RULES 1.9).";
    REQUIRED_MISSING = "required_missing": "The peer left out a required member; an empty one was written (RULES 2.2).";
    ROLE_UNKNOWN = "role_unknown": "A v0.3 role that is neither user nor agent became ROLE_UNSPECIFIED (RULES 2.3).";
    ROLE_UNSPECIFIED = "role_unspecified": "v0.3 has no unspecified role; agent was written (RULES 2.4).";
    REST_REFERENCE_TASK_IDS_DROPPED = "rest_reference_task_ids_dropped": "v0.3 REST messages have no reference task ids (RULES 2.6).";
    STATUS_MISSING = "status_missing": "The peer left out the status; the unknown state was written (RULES 3.3).";
    ENUM_UNKNOWN = "enum_unknown": "An enum text neither version knows became the unspecified value (RULES 0.11, 3.5).";
    TIMESTAMP_TRUNCATED = "timestamp_truncated": "More than nine fraction digits were cut (RULES 3.6).";
    TIMESTAMP_NO_ZONE = "timestamp_no_zone": "A timestamp without zone was taken as UTC (RULES 3.6).";
    TIMESTAMP_INVALID = "timestamp_invalid": "An unreadable timestamp was left out (RULES 3.6).";
    FINAL_MISMATCH = "final_mismatch": "The v0.3 `final` disagreed with the state and has no v1.0 slot (RULES 4.2).";
    TENANT_DROPPED = "tenant_dropped": "v0.3 has no tenants (RULES 5.12, 7.3).";
    METADATA_DROPPED = "metadata_dropped": "The target's request has no metadata (RULES 5.13, 5.14, 5.15).";
    PUSH_CONFIG_ID_DEFAULTED = "push_config_id_defaulted": "A push config without id got the task's id (RULES 5.17, 5.18).";
    PAGING_DROPPED = "paging_dropped": "v0.3 JSON-RPC lists push configs without pages (RULES 5.19).";
    NEXT_PAGE_TOKEN_DROPPED = "next_page_token_dropped": "There were more pages than could be given (RULES 5.19).";
    HISTORY_LENGTH_ZERO = "history_length_zero": "historyLength 0 means unlimited in v0.3 and none in v1.0 (RULES 5.6, 5.7).";
    AUTH_SCHEMES_TRUNCATED = "auth_schemes_truncated": "v1.0 push authentication has one scheme; the first was kept (RULES 6.1).";
    AUTH_SCHEME_MISSING = "auth_scheme_missing": "The push authentication named no scheme (RULES 6.2).";
    PROTOCOL_VERSION_INVALID = "protocol_version_invalid": "An unreadable protocolVersion was taken as 0.3 (RULES 7.2).";
    STATE_TRANSITION_HISTORY_DROPPED = "state_transition_history_dropped": "v1.0 has no stateTransitionHistory capability (RULES 7.9).";
    API_KEY_LOCATION_COERCED = "api_key_location_coerced": "An API key location v0.3 does not know became header (RULES 7.15).";
    OAUTH_FLOWS_TRUNCATED = "oauth_flows_truncated": "v1.0 OAuth schemes have one flow; one was kept (RULES 7.17).";
    OAUTH_DEVICE_CODE_DROPPED = "oauth_device_code_dropped": "v0.3 has no device code flow (RULES 7.19).";
    PKCE_REQUIRED_DROPPED = "pkce_required_dropped": "v0.3 cannot say that PKCE is required (RULES 7.20).";
    SECURITY_SCHEME_UNKNOWN = "security_scheme_unknown": "A security scheme of an unknown type was left out (RULES 7.22).";
    CARD_SIGNATURES_STRIPPED = "card_signatures_stripped": "The card changed, so its signatures no longer match and were removed (RULES 7.23).";
    REST_PART_METADATA_DROPPED = "rest_part_metadata_dropped": "The strict v0.3.0 proto has no part metadata (RULES 1.15).";
    REST_FILE_NAME_DROPPED = "rest_file_name_dropped": "The strict v0.3.0 proto has no file name (RULES 1.15).";
    REST_ICON_URL_DROPPED = "rest_icon_url_dropped": "The strict v0.3.0 proto has no icon URL (RULES 1.15).";
    NUMBER_PRECISION = "number_precision": "A runtime had to go through doubles and lost digits (RULES 0.8).";
    UNKNOWN_FIELD_DROPPED = "unknown_field_dropped": "A member that the specification does not know was left out (RULES 0.3).";
}
