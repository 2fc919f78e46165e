//! Agent cards (RULES 7). A card is read alike in all dialects, because hybrid cards carry the members of both
//! versions; what is written differs.

use super::card_write::{
    icon_url, push_notifications, security, security_requirements, state_transition_history, streaming,
    write_capabilities, write_card,
};
use super::security::SECURITY_SCHEME;
use super::security_write::security_schemes;
use crate::engine::{Field, Kind, Rule, entity, field};
use crate::protocol::Dialect::{J3, P1, R3};

entity!(
    /// Who runs the agent.
    pub AGENT_PROVIDER, provider, "provider" {
        URL = field("url", Kind::Str).required(),
        ORGANIZATION = field("organization", Kind::Str).required(),
    }
);

entity!(
    /// A protocol extension the agent knows.
    pub AGENT_EXTENSION, extension, "extension" {
        URI = field("uri", Kind::Str).required(),
        DESCRIPTION = field("description", Kind::Str),
        REQUIRED = field("required", Kind::Bool).rule(Rule::True).rule_in(J3, Rule::Always),
        PARAMS = field("params", Kind::Struct).rule(Rule::Present),
    }
);

entity!(
    /// What the agent can do.
    pub AGENT_CAPABILITIES, capabilities, "capabilities" {
        STREAMING = field("streaming", Kind::Bool).rule(Rule::By(streaming)),
        PUSH_NOTIFICATIONS = field("pushNotifications", Kind::Bool).rule(Rule::By(push_notifications)),
        STATE_TRANSITION_HISTORY = field("stateTransitionHistory", Kind::Bool).rule(Rule::By(state_transition_history)),
        EXTENSIONS = field("extensions", Kind::List(&AGENT_EXTENSION)),
        /// v0.3 says it at the top of the card (RULES 7.8).
        EXTENDED_AGENT_CARD = field("extendedAgentCard", Kind::Bool).rule(Rule::Lost(None)).rule_in(P1, Rule::Present),
    } by write_capabilities
);

/// Requirements are kept as they are and written by [`super::security_write::Requirement`].
const SECURITY: Field = field("security", Kind::Struct).rule(Rule::By(security));
const SECURITY_REQUIREMENTS: Field = field("securityRequirements", Kind::Struct).rule(Rule::By(security_requirements));

entity!(
    /// Something the agent is good at.
    pub AGENT_SKILL, skill, "skill" {
        SECURITY = SECURITY,
        SECURITY_REQUIREMENTS = SECURITY_REQUIREMENTS,
        ID = field("id", Kind::Str).required(),
        NAME = field("name", Kind::Str).required(),
        DESCRIPTION = field("description", Kind::Str).required(),
        TAGS = field("tags", Kind::StrList).required(),
        EXAMPLES = field("examples", Kind::StrList),
        INPUT_MODES = field("inputModes", Kind::StrList),
        OUTPUT_MODES = field("outputModes", Kind::StrList),
    }
);

entity!(
    /// An interface as v1.0 lists them.
    pub AGENT_INTERFACE, interface, "interface" {
        URL = field("url", Kind::Str).required(),
        PROTOCOL_BINDING = field("protocolBinding", Kind::Str),
        PROTOCOL_VERSION = field("protocolVersion", Kind::Str),
        TENANT = field("tenant", Kind::Str),
    }
);

entity!(
    /// An interface as v0.3 lists the additional ones.
    pub V0_3_INTERFACE, v0_3_interface, "interface" {
        URL = field("url", Kind::Str),
        TRANSPORT = field("transport", Kind::Str),
    }
);

entity!(
    /// An agent card.
    pub AGENT_CARD, card, "card" {
        SECURITY = SECURITY,
        SECURITY_REQUIREMENTS = SECURITY_REQUIREMENTS,
        NAME = field("name", Kind::Str).required(),
        DESCRIPTION = field("description", Kind::Str).required(),
        VERSION = field("version", Kind::Str).required(),
        PROVIDER = field("provider", Kind::Rec(&AGENT_PROVIDER)),
        DOCUMENTATION_URL = field("documentationUrl", Kind::Str).rule_in(P1, Rule::Present),
        ICON_URL = field("iconUrl", Kind::Str).rule_in(P1, Rule::Present).rule_in(R3, Rule::By(icon_url)),
        CAPABILITIES = field("capabilities", Kind::Rec(&AGENT_CAPABILITIES)).required(),
        SECURITY_SCHEMES = field("securitySchemes", Kind::Map(&SECURITY_SCHEME)).rule(Rule::By(security_schemes)),
        DEFAULT_INPUT_MODES = field("defaultInputModes", Kind::StrList).required(),
        DEFAULT_OUTPUT_MODES = field("defaultOutputModes", Kind::StrList).required(),
        SKILLS = field("skills", Kind::List(&AGENT_SKILL)).required(),
        // v0.3's ways to say where and what
        PROTOCOL_VERSION = field("protocolVersion", Kind::Str).rule(Rule::Lost(None)),
        URL = field("url", Kind::Str).rule(Rule::Lost(None)),
        PREFERRED_TRANSPORT = field("preferredTransport", Kind::Str).rule(Rule::Lost(None)),
        ADDITIONAL_INTERFACES = field("additionalInterfaces", Kind::List(&V0_3_INTERFACE)).rule(Rule::Lost(None)),
        SUPPORTS_EXTENDED_CARD = field("supportsAuthenticatedExtendedCard", Kind::Bool)
            .aliases(&["supportsExtendedAgentCard"]).rule(Rule::Lost(None)),
        // v1.0's
        SUPPORTED_INTERFACES = field("supportedInterfaces", Kind::List(&AGENT_INTERFACE)).rule(Rule::Lost(None)),
        SIGNATURES = field("signatures", Kind::Struct).rule(Rule::Lost(None)),
    } by write_card
);
