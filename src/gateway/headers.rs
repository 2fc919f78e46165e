//! Which headers cross the gateway, and how they are renamed (RULES §9).
//!
//! Headers are lists of name and value. Names are compared without case and written in lower case.

use crate::protocol::{Version, header};

/// Headers of one connection, not of the message (RFC 9110 §7.6.1), besides those that `Connection` lists.
const HOP_BY_HOP: [&str; 9] = [
    header::CONNECTION,
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What a client sends to the gateway and not to the agent.
const NOT_FORWARDED: [&str; 6] = [
    header::HOST,
    header::COOKIE,
    header::ORIGIN,
    "forwarded",
    // The runtime decodes what it reads, so it must be the one that says what it can decode.
    header::ACCEPT_ENCODING,
    header::X_GATEWAY_TOKEN,
];

/// The same by prefix.
const NOT_FORWARDED_PREFIXES: [&str; 2] = ["x-forwarded-", "cf-"];

/// Headers that describe the bytes of a body, stale once it is rewritten.
const OF_THE_BODY: [&str; 6] =
    [header::CONTENT_LENGTH, header::CONTENT_ENCODING, "content-md5", "content-digest", "repr-digest", "digest"];

/// What a translated response does not keep, besides those.
const NOT_RETURNED: [&str; 2] = [header::SET_COOKIE, header::ETAG];

/// How many gateways a request may go through.
const MOST_HOPS: u32 = 4;

/// A request went through too many gateways, most likely in a circle: answer 508.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyHops;

/// The headers of a call to an agent that speaks `upstream`, made from those of the client's request.
///
/// `body_rewritten` says that the body is not the client's, so headers that describe its bytes are left out. The
/// result has no `Content-Type` or `Accept` but the client's; a caller that encodes a body [`set`]s its own, and then
/// the operator's [`upstream_headers`](super::Agent::upstream_headers).
///
/// # Errors
/// [`TooManyHops`] if this gateway would be the fifth on the way.
pub fn to_upstream(
    client: &[(String, String)],
    upstream: Version,
    body_rewritten: bool,
) -> Result<Vec<(String, String)>, TooManyHops> {
    let hops = hops(client).checked_add(1).filter(|hops| *hops <= MOST_HOPS).ok_or(TooManyHops)?;
    let mut headers = translate_request(client, upstream, body_rewritten);
    headers.push((header::A2A_COMPAT_HOPS.to_owned(), hops.to_string()));
    Ok(headers)
}

/// [`to_upstream`] without the count of hops.
fn translate_request(client: &[(String, String)], upstream: Version, body_rewritten: bool) -> Vec<(String, String)> {
    let mut headers = kept(client, |name| {
        let written_anew = matches!(name, header::A2A_VERSION | header::A2A_COMPAT_HOPS);
        let stale = body_rewritten && OF_THE_BODY.contains(&name);
        !(written_anew || stale || is_for_the_gateway(name))
    });
    rename_extensions(client, upstream, &mut headers);
    // v0.3 has no such header; v1.0 agents take a request without it for one in 0.3 (§3.6.2).
    if upstream == Version::V1_0 {
        headers.push((header::A2A_VERSION.to_owned(), upstream.as_str().to_owned()));
    }
    headers
}

/// The headers of the response to a client that speaks `client`, made from those of the agent's response.
///
/// `body_rewritten` says that the response is translated. Access-Control headers never cross: who may call from a
/// browser is the gateway's to say ([`CorsPolicy`](super::CorsPolicy)).
pub fn to_client(upstream: &[(String, String)], client: Version, body_rewritten: bool) -> Vec<(String, String)> {
    let mut headers = kept(upstream, |name| {
        let stale = OF_THE_BODY.contains(&name) || NOT_RETURNED.contains(&name) || name == header::A2A_VERSION;
        !(name.starts_with("access-control-") || name == header::A2A_COMPAT_HOPS || (body_rewritten && stale))
    });
    rename_extensions(upstream, client, &mut headers);
    headers
}

/// Whether a client's header (its name in lower case) stops here.
fn is_for_the_gateway(name: &str) -> bool {
    NOT_FORWARDED.contains(&name) || NOT_FORWARDED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Copies, with names in lower case, what is neither hop-by-hop nor an extensions header and passes the filter.
fn kept(headers: &[(String, String)], keep: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut listed = Vec::new();
    for (name, value) in headers {
        if name.eq_ignore_ascii_case(header::CONNECTION) {
            listed.extend(value.split(',').map(|name| name.trim().to_ascii_lowercase()));
        }
    }
    headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .filter(|(name, _)| {
            !HOP_BY_HOP.contains(&name.as_str())
                && !listed.contains(name)
                && !matches!(name.as_str(), header::A2A_EXTENSIONS | header::X_A2A_EXTENSIONS)
                && keep(name)
        })
        .map(|(name, value)| (name, value.clone()))
        .collect()
}

/// Writes the extensions of either header, each once, under the name that `version` has for it.
fn rename_extensions(from: &[(String, String)], version: Version, to: &mut Vec<(String, String)>) {
    let extensions = extensions(from);
    if !extensions.is_empty() {
        let name = match version {
            Version::V0_3 => header::X_A2A_EXTENSIONS,
            Version::V1_0 => header::A2A_EXTENSIONS,
        };
        to.push((name.to_owned(), extensions.join(",")));
    }
}

/// The extension URIs in `A2A-Extensions` and `X-A2A-Extensions` together, each once, in the order they come in.
pub fn extensions(headers: &[(String, String)]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (name, value) in headers {
        let name = name.as_str();
        if name.eq_ignore_ascii_case(header::A2A_EXTENSIONS) || name.eq_ignore_ascii_case(header::X_A2A_EXTENSIONS) {
            for uri in value.split(',').map(str::trim).filter(|uri| !uri.is_empty()) {
                if !found.contains(&uri) {
                    found.push(uri);
                }
            }
        }
    }
    found
}

/// How many gateways the request has been through. Where the header is repeated the largest number counts, what is no
/// number counts as 0.
fn hops(client: &[(String, String)]) -> u32 {
    client
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(header::A2A_COMPAT_HOPS))
        .flat_map(|(_, value)| value.split(','))
        .filter_map(|count| count.trim().parse().ok())
        .max()
        .unwrap_or(0)
}

/// The value of the first header of that name.
pub fn get<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Replaces every header of that name by one.
pub fn set(headers: &mut Vec<(String, String)>, name: &str, value: &str) {
    headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    headers.push((name.to_ascii_lowercase(), value.to_owned()));
}

/// Adds an entry to a header whose value is a comma-separated list, unless it is there (compared without case).
pub fn add_to_list(headers: &mut Vec<(String, String)>, name: &str, entry: &str) {
    match headers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        Some((_, list)) if list.split(',').any(|known| known.trim().eq_ignore_ascii_case(entry)) => {}
        Some((_, list)) if !list.trim().is_empty() => {
            list.push_str(", ");
            list.push_str(entry);
        }
        Some((_, list)) => entry.clone_into(list),
        None => headers.push((name.to_ascii_lowercase(), entry.to_owned())),
    }
}

/// Whether the text is a header name (RFC 9110 §5.1, `token`).
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whether the text can be a header's value: printable ASCII and tabs, no blanks at the ends.
pub(super) fn is_value(text: &str) -> bool {
    text.trim() == text && text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}

/// Whether an operator may not add a header of that (lower-case) name to calls, because the gateway writes it or
/// it belongs to the connection.
pub(super) fn is_ours(name: &str) -> bool {
    HOP_BY_HOP.contains(&name)
        || OF_THE_BODY.contains(&name)
        || matches!(name, header::HOST | header::CONTENT_TYPE | header::ACCEPT | header::ACCEPT_ENCODING)
        || matches!(name, header::A2A_VERSION | header::A2A_COMPAT_HOPS | header::X_GATEWAY_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeMap;

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn every_vector_holds_in_its_direction() {
        let folder = std::env::var("A2A_VECTORS").unwrap_or_else(|_| "tests/vectors".to_owned());
        let text = std::fs::read_to_string(format!("{folder}/headers.json")).unwrap();
        let vectors: Vec<Value> = serde_json::from_str(&text).unwrap();
        assert!(!vectors.is_empty());
        for vector in vectors {
            let read = |value: &Value| -> BTreeMap<String, String> { serde_json::from_value(value.clone()).unwrap() };
            let upstream = match vector["direction"].as_str() {
                Some("to_v1") => Version::V1_0,
                Some("to_v0_3") => Version::V0_3,
                other => panic!("{other:?} is no direction"),
            };
            let client: Vec<_> = read(&vector["input"]["headers"]).into_iter().collect();
            let written = translate_request(&client, upstream, true);
            let count = written.len();
            let written: BTreeMap<_, _> = written.into_iter().collect();
            assert_eq!(written.len(), count, "{}: a name is written twice", vector["name"]);
            assert_eq!(written, read(&vector["expected"]["ok"]["headers"]), "{}", vector["name"]);
        }
    }

    #[test]
    fn what_concerns_the_gateway_alone_does_not_reach_the_agent() {
        let client = headers(&[
            ("Host", "g.example"),
            ("Cookie", "c=1"),
            ("Origin", "https://app.example"),
            ("Forwarded", "for=1.2.3.4"),
            ("X-Forwarded-For", "1.2.3.4"),
            ("x-forwarded-proto", "https"),
            ("CF-Connecting-IP", "1.2.3.4"),
            ("cf-ray", "1"),
            ("Accept-Encoding", "br"),
            ("X-Gateway-Token", "secret"),
            ("Connection", "close, X-Hop"),
            ("Keep-Alive", "5"),
            ("TE", "trailers"),
            ("Transfer-Encoding", "chunked"),
            ("Upgrade", "h2c"),
            ("Proxy-Authorization", "Basic x"),
            ("X-Hop", "1"),
            ("Authorization", "Bearer t"),
            ("X-API-Key", "k"),
            ("User-Agent", "python-httpx/0.28"),
        ]);
        for rewritten in [true, false] {
            assert_eq!(
                translate_request(&client, Version::V0_3, rewritten),
                headers(&[("authorization", "Bearer t"), ("x-api-key", "k"), ("user-agent", "python-httpx/0.28")])
            );
        }
    }

    #[test]
    fn headers_of_the_body_go_on_only_with_the_body() {
        let client = headers(&[
            ("Content-Type", "application/json"),
            ("Content-Length", "5"),
            ("Content-Encoding", "gzip"),
            ("Content-Digest", "sha-256=:x:"),
            ("Repr-Digest", "sha-256=:x:"),
            ("Digest", "x"),
            ("Content-MD5", "x"),
        ]);
        assert_eq!(translate_request(&client, Version::V0_3, true), headers(&[("content-type", "application/json")]));
        assert_eq!(translate_request(&client, Version::V0_3, false).len(), client.len());
    }

    #[test]
    fn extensions_of_both_headers_are_merged_under_the_name_of_the_target() {
        let client = headers(&[("X-A2A-Extensions", "urn:a, urn:b"), ("A2A-Extensions", "urn:b,,urn:c")]);
        assert_eq!(
            translate_request(&client, Version::V0_3, true),
            headers(&[("x-a2a-extensions", "urn:a,urn:b,urn:c")])
        );
        assert_eq!(to_client(&client, Version::V1_0, true), headers(&[("a2a-extensions", "urn:a,urn:b,urn:c")]));
        assert_eq!(to_client(&client, Version::V0_3, false), headers(&[("x-a2a-extensions", "urn:a,urn:b,urn:c")]));
        assert_eq!(to_client(&headers(&[("A2A-Extensions", " , ")]), Version::V0_3, true), headers(&[]));
    }

    #[test]
    fn a_v1_0_agent_is_always_told_the_version_and_a_v0_3_agent_never() {
        let client = headers(&[("A2A-Version", "1.0.1")]);
        for rewritten in [true, false] {
            assert_eq!(translate_request(&client, Version::V1_0, rewritten), headers(&[("a2a-version", "1.0")]));
            assert_eq!(translate_request(&client, Version::V0_3, rewritten), headers(&[]));
        }
    }

    #[test]
    fn a_fifth_gateway_refuses_the_request() {
        let hops = |client: &[(&str, &str)]| {
            to_upstream(&headers(client), Version::V0_3, true)
                .map(|sent| get(&sent, header::A2A_COMPAT_HOPS).map(str::to_owned))
        };
        assert_eq!(hops(&[]), Ok(Some("1".into())));
        assert_eq!(hops(&[("A2A-Compat-Hops", "3")]), Ok(Some("4".into())));
        assert_eq!(hops(&[("a2a-compat-hops", "4")]), Err(TooManyHops));
        assert_eq!(hops(&[("A2A-Compat-Hops", "4294967295")]), Err(TooManyHops));
        assert_eq!(hops(&[("A2A-Compat-Hops", "1, 4")]), Err(TooManyHops));
        assert_eq!(hops(&[("A2A-Compat-Hops", "4"), ("Connection", "a2a-compat-hops")]), Err(TooManyHops));
        assert_eq!(hops(&[("A2A-Compat-Hops", "many")]), Ok(Some("1".into())));
    }

    #[test]
    fn a_translated_response_keeps_what_is_still_true() {
        let upstream = headers(&[
            ("Set-Cookie", "s=1"),
            ("Content-Encoding", "gzip"),
            ("Content-Length", "5"),
            ("ETag", "\"x\""),
            ("Content-Digest", "sha-256=:x:"),
            ("A2A-Version", "1.0"),
            ("Connection", "X-Hop"),
            ("X-Hop", "1"),
            ("WWW-Authenticate", "Bearer"),
            ("Retry-After", "5"),
            ("X-Request-Id", "7"),
        ]);
        assert_eq!(
            to_client(&upstream, Version::V0_3, true),
            headers(&[("www-authenticate", "Bearer"), ("retry-after", "5"), ("x-request-id", "7")])
        );
        // Untouched, only the connection's own headers go.
        assert_eq!(to_client(&upstream, Version::V1_0, false).len(), upstream.len() - 2);
    }

    #[test]
    fn an_agent_does_not_decide_which_pages_may_call_the_gateway() {
        let upstream = headers(&[("Access-Control-Allow-Origin", "*"), ("access-control-expose-headers", "x")]);
        assert_eq!(to_client(&upstream, Version::V1_0, false), headers(&[]));
    }

    #[test]
    fn setting_replaces_and_adding_to_a_list_does_not_repeat() {
        let mut written = headers(&[("Content-Type", "a"), ("content-type", "b"), ("Vary", "A2A-Version")]);
        set(&mut written, "Content-Type", "application/json");
        add_to_list(&mut written, "vary", "Origin");
        add_to_list(&mut written, "vary", "a2a-version");
        add_to_list(&mut written, "Allow", "GET");
        assert_eq!(
            written,
            headers(&[("Vary", "A2A-Version, Origin"), ("content-type", "application/json"), ("allow", "GET")])
        );
    }

    #[test]
    fn an_operators_header_must_be_one() {
        assert!(is_name("X-API-Key") && !is_name("") && !is_name("X Y") && !is_name("X:") && !is_name("Ä"));
        assert!(is_value("Bearer a.b-c\tx") && !is_value(" x") && !is_value("a\r\nb") && !is_value("ü"));
        assert!(is_ours("content-length") && is_ours("a2a-version") && !is_ours("authorization") && !is_ours("cookie"));
    }
}
