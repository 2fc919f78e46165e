//! CORS: which browser pages may call the gateway.

use super::headers::{add_to_list, get};
use crate::protocol::header;

/// Methods a page may use.
const METHODS: &str = "GET, POST, DELETE, OPTIONS";

/// Request headers a page may send: those of A2A, of this gateway, of tracing, and the usual ones for credentials.
const REQUEST_HEADERS: &str = "accept, authorization, content-type, last-event-id, a2a-version, a2a-extensions, \
     x-a2a-extensions, x-gateway-token, x-api-key, traceparent, tracestate, baggage";

/// Response headers a page may read besides the safelisted ones.
const EXPOSED: [&str; 6] = [
    header::A2A_COMPAT_NOTICES,
    header::A2A_EXTENSIONS,
    header::X_A2A_EXTENSIONS,
    header::A2A_VERSION,
    header::WWW_AUTHENTICATE,
    header::RETRY_AFTER,
];

/// How long a browser may remember a preflight's answer, in seconds. The longest that any browser honours is a day,
/// Chromium's is two hours.
const MAX_AGE_SECONDS: &str = "7200";

/// `CORS_ORIGINS`: who may call from a browser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CorsPolicy {
    /// No page.
    Off,
    /// Every page, without credentials of the browser.
    Any,
    /// Pages of exactly these origins, in canonical form.
    Origins(Vec<String>),
}

impl CorsPolicy {
    /// The response headers that answer a preflight, beside status 204. `None` if the request is no preflight (an
    /// `OPTIONS` with `Origin` and `Access-Control-Request-Method`) or CORS is off: it is then a request like others.
    /// A page that may not call gets an answer without permissions.
    pub fn preflight(&self, method: &str, request: &[(String, String)]) -> Option<Vec<(String, String)>> {
        let asks = method == "OPTIONS" && get(request, "access-control-request-method").is_some();
        let origin = get(request, header::ORIGIN).filter(|_| asks && *self != CorsPolicy::Off)?;
        let mut headers = Vec::new();
        self.vary(&mut headers);
        if self.allow(origin, &mut headers) {
            headers.push(pair("access-control-allow-methods", METHODS));
            headers.push(pair("access-control-allow-headers", REQUEST_HEADERS));
            headers.push(pair("access-control-max-age", MAX_AGE_SECONDS));
        }
        Some(headers)
    }

    /// Adds what any other response needs. `origin` is the request's `Origin` header.
    pub fn apply(&self, origin: Option<&str>, response: &mut Vec<(String, String)>) {
        self.vary(response);
        if let Some(origin) = origin
            && self.allow(origin, response)
        {
            response.push(pair("access-control-expose-headers", &EXPOSED.join(", ")));
        }
    }

    /// Caches must keep answers to different pages apart, also those that a page may not have.
    fn vary(&self, response: &mut Vec<(String, String)>) {
        if matches!(self, CorsPolicy::Origins(_)) {
            add_to_list(response, header::VARY, "Origin");
        }
    }

    fn allow(&self, origin: &str, response: &mut Vec<(String, String)>) -> bool {
        match self {
            CorsPolicy::Any => response.push(pair("access-control-allow-origin", "*")),
            CorsPolicy::Origins(origins) if origins.iter().any(|known| known == origin) => {
                response.push(pair("access-control-allow-origin", origin));
                response.push(pair("access-control-allow-credentials", "true"));
            }
            CorsPolicy::Off | CorsPolicy::Origins(_) => return false,
        }
        true
    }
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = "https://app.example";

    fn policy() -> CorsPolicy {
        CorsPolicy::Origins(vec![APP.to_owned(), "http://localhost:3000".to_owned()])
    }

    fn preflight(policy: &CorsPolicy, origin: &str) -> Option<Vec<(String, String)>> {
        policy.preflight("OPTIONS", &[pair("Origin", origin), pair("Access-Control-Request-Method", "POST")])
    }

    fn applied(policy: &CorsPolicy, origin: Option<&str>) -> Vec<(String, String)> {
        let mut headers = vec![pair("vary", "A2A-Version")];
        policy.apply(origin, &mut headers);
        headers
    }

    #[test]
    fn a_listed_page_may_call_and_read_the_listed_headers() {
        let headers = applied(&policy(), Some(APP));
        assert_eq!(get(&headers, "access-control-allow-origin"), Some(APP));
        assert_eq!(get(&headers, "access-control-allow-credentials"), Some("true"));
        assert_eq!(
            get(&headers, "access-control-expose-headers"),
            Some("a2a-compat-notices, a2a-extensions, x-a2a-extensions, a2a-version, www-authenticate, retry-after")
        );
        assert_eq!(get(&headers, "vary"), Some("A2A-Version, Origin"));
    }

    #[test]
    fn a_preflight_lists_methods_and_headers() {
        let headers = preflight(&policy(), APP).unwrap();
        assert_eq!(get(&headers, "access-control-allow-origin"), Some(APP));
        assert_eq!(get(&headers, "access-control-allow-methods"), Some(METHODS));
        let allowed: Vec<_> = get(&headers, "access-control-allow-headers").unwrap().split(", ").collect();
        for name in [header::A2A_VERSION, header::X_A2A_EXTENSIONS, header::AUTHORIZATION, header::X_GATEWAY_TOKEN] {
            assert!(allowed.contains(&name), "{name}");
        }
        assert!(!allowed.contains(&"*"));
    }

    #[test]
    fn origins_are_compared_exactly() {
        for other in ["https://app.example.evil", "http://app.example", "https://app.example:8443", "null", "*", ""] {
            assert_eq!(applied(&policy(), Some(other)), [pair("vary", "A2A-Version, Origin")], "{other}");
            assert_eq!(preflight(&policy(), other).unwrap(), [pair("vary", "Origin")], "{other}");
        }
    }

    #[test]
    fn every_page_may_call_under_a_star_but_never_with_credentials() {
        for headers in [applied(&CorsPolicy::Any, Some(APP)), preflight(&CorsPolicy::Any, APP).unwrap()] {
            assert_eq!(get(&headers, "access-control-allow-origin"), Some("*"));
            assert_eq!(get(&headers, "access-control-allow-credentials"), None);
        }
    }

    #[test]
    fn nothing_is_added_when_cors_is_off_or_no_page_asks() {
        assert_eq!(applied(&CorsPolicy::Off, Some(APP)), [pair("vary", "A2A-Version")]);
        assert_eq!(preflight(&CorsPolicy::Off, APP), None);
        assert_eq!(applied(&CorsPolicy::Any, None), [pair("vary", "A2A-Version")]);
        assert_eq!(applied(&policy(), None), [pair("vary", "A2A-Version, Origin")]);
    }

    #[test]
    fn only_an_options_request_that_asks_for_a_method_is_a_preflight() {
        let origin = pair("Origin", APP);
        assert_eq!(policy().preflight("OPTIONS", std::slice::from_ref(&origin)), None);
        assert_eq!(policy().preflight("POST", &[origin, pair("Access-Control-Request-Method", "POST")]), None);
        assert_eq!(policy().preflight("OPTIONS", &[pair("Access-Control-Request-Method", "POST")]), None);
    }
}
