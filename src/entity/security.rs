//! Security schemes, OAuth flows, security requirements (RULES 7.14–7.22).

use super::security_write::{api_key_location, flows_or_empty, pkce_required, write_flows, write_scheme};
use crate::engine::{Entity, Field, Kind, Rule, entity, field};
use crate::protocol::Dialect::J3;

const DESCRIPTION: Field = field("description", Kind::Str);

entity!(
    /// A key in a header, a query parameter or a cookie.
    pub API_KEY, api_key, "apiKeySecurityScheme" {
        DESCRIPTION = DESCRIPTION,
        LOCATION = field("location", Kind::Str).key_in(J3, "in").required().rule_in(J3, Rule::By(api_key_location)),
        NAME = field("name", Kind::Str).required(),
    }
);

entity!(
    /// HTTP authentication.
    pub HTTP_AUTH, http_auth, "httpAuthSecurityScheme" {
        DESCRIPTION = DESCRIPTION,
        SCHEME = field("scheme", Kind::Str).required(),
        BEARER_FORMAT = field("bearerFormat", Kind::Str),
    }
);

entity!(
    /// OpenID Connect.
    pub OPEN_ID_CONNECT, open_id_connect, "openIdConnectSecurityScheme" {
        DESCRIPTION = DESCRIPTION,
        URL = field("openIdConnectUrl", Kind::Str).required(),
    }
);

entity!(
    /// OAuth 2.0.
    pub OAUTH2, oauth2, "oauth2SecurityScheme" {
        DESCRIPTION = DESCRIPTION,
        FLOWS = field("flows", Kind::Rec(&OAUTH_FLOWS)).rule(Rule::By(flows_or_empty)),
        METADATA_URL = field("oauth2MetadataUrl", Kind::Str),
    }
);

entity!(
    /// Mutual TLS.
    pub MUTUAL_TLS, mutual_tls, "mtlsSecurityScheme" {
        DESCRIPTION = DESCRIPTION,
    }
);

/// A type of security scheme: its v0.3 `type`, its v1.0 member and its table.
pub struct SchemeType {
    /// The text of `type` in J3.
    pub j3_type: &'static str,
    /// The table; its name is the member's in R3 and P1.
    pub entity: &'static Entity,
    /// The member's slot in [`SECURITY_SCHEME`].
    pub slot: u32,
}

/// Every type of security scheme.
pub static SCHEME_TYPES: [SchemeType; 5] = [
    SchemeType { j3_type: "apiKey", entity: &API_KEY, slot: security_scheme::API_KEY },
    SchemeType { j3_type: "http", entity: &HTTP_AUTH, slot: security_scheme::HTTP_AUTH },
    SchemeType { j3_type: "oauth2", entity: &OAUTH2, slot: security_scheme::OAUTH2 },
    SchemeType { j3_type: "openIdConnect", entity: &OPEN_ID_CONNECT, slot: security_scheme::OPEN_ID_CONNECT },
    SchemeType { j3_type: "mutualTLS", entity: &MUTUAL_TLS, slot: security_scheme::MUTUAL_TLS },
];

entity!(
    /// A security scheme. Read alike in all dialects, because hybrid cards carry both shapes in one entry (RULES 7.6):
    /// the v0.3 members side by side, and the v1.0 member.
    pub SECURITY_SCHEME, security_scheme, "securityScheme" {
        API_KEY = field("apiKeySecurityScheme", Kind::Rec(&API_KEY)),
        HTTP_AUTH = field("httpAuthSecurityScheme", Kind::Rec(&HTTP_AUTH)),
        OAUTH2 = field("oauth2SecurityScheme", Kind::Rec(&OAUTH2)),
        OPEN_ID_CONNECT = field("openIdConnectSecurityScheme", Kind::Rec(&OPEN_ID_CONNECT)),
        MUTUAL_TLS = field("mtlsSecurityScheme", Kind::Rec(&MUTUAL_TLS)),
        TYPE = field("type", Kind::Str),
        DESCRIPTION = DESCRIPTION,
        IN = field("in", Kind::Str),
        NAME = field("name", Kind::Str),
        /// Text in v0.3; an object in the in-memory form that `@a2a-js/sdk` 1.3.0 agents serve (RULES 7.22).
        SCHEME = field("scheme", Kind::Struct),
        BEARER_FORMAT = field("bearerFormat", Kind::Str),
        OPEN_ID_CONNECT_URL = field("openIdConnectUrl", Kind::Str),
        FLOWS = field("flows", Kind::Rec(&OAUTH_FLOWS)),
        OAUTH2_METADATA_URL = field("oauth2MetadataUrl", Kind::Str),
    } by write_scheme
);

const AUTHORIZATION_URL: Field = field("authorizationUrl", Kind::Str).required();
const TOKEN_URL: Field = field("tokenUrl", Kind::Str).required();
const REFRESH_URL: Field = field("refreshUrl", Kind::Str);
const SCOPES: Field = field("scopes", Kind::StrMap).required().rule_in(J3, Rule::Always);
/// Not REQUIRED in v1.0's deprecated flows (RULES 0.5).
const DEPRECATED_SCOPES: Field = field("scopes", Kind::StrMap).rule_in(J3, Rule::Always);

entity!(AUTHORIZATION_CODE, authorization_code, "authorizationCode" {
    AUTHORIZATION_URL = AUTHORIZATION_URL,
    TOKEN_URL = TOKEN_URL,
    REFRESH_URL = REFRESH_URL,
    SCOPES = SCOPES,
    PKCE_REQUIRED = field("pkceRequired", Kind::Bool).rule(Rule::By(pkce_required)),
});

entity!(CLIENT_CREDENTIALS, client_credentials, "clientCredentials" {
    TOKEN_URL = TOKEN_URL,
    REFRESH_URL = REFRESH_URL,
    SCOPES = SCOPES,
});

entity!(IMPLICIT, implicit, "implicit" {
    AUTHORIZATION_URL = AUTHORIZATION_URL,
    REFRESH_URL = REFRESH_URL,
    SCOPES = DEPRECATED_SCOPES,
});

entity!(PASSWORD, password, "password" {
    TOKEN_URL = TOKEN_URL,
    REFRESH_URL = REFRESH_URL,
    SCOPES = DEPRECATED_SCOPES,
});

entity!(DEVICE_CODE, device_code, "deviceCode" {
    DEVICE_AUTHORIZATION_URL = field("deviceAuthorizationUrl", Kind::Str).required(),
    TOKEN_URL = TOKEN_URL,
    REFRESH_URL = REFRESH_URL,
    SCOPES = SCOPES,
});

entity!(
    /// OAuth flows: several in v0.3, one in v1.0. The order is the one in which v1.0 keeps the first (RULES 7.17).
    pub OAUTH_FLOWS, oauth_flows, "flows" {
        AUTHORIZATION_CODE = field("authorizationCode", Kind::Rec(&AUTHORIZATION_CODE)),
        CLIENT_CREDENTIALS = field("clientCredentials", Kind::Rec(&CLIENT_CREDENTIALS)),
        IMPLICIT = field("implicit", Kind::Rec(&IMPLICIT)),
        PASSWORD = field("password", Kind::Rec(&PASSWORD)),
        DEVICE_CODE = field("deviceCode", Kind::Rec(&DEVICE_CODE)),
        /// The in-memory form (RULES 7.22).
        FLOW = field("flow", Kind::Struct),
    } by write_flows
);
