//! Which protocol version a request is in, and whether it is offered.

use crate::gateway::{Offer, VersionDispatch};
use crate::protocol::{Binding, Operation, Version, header};
use std::borrow::Cow;
use std::fmt;

/// A request is in a version that is not served: answer −32009 in the shape of `caller`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionError {
    /// What is wrong.
    pub problem: VersionProblem,
    /// The binding the request came over.
    pub binding: Binding,
    /// The version whose error shape the caller reads.
    pub caller: Version,
    /// The versions that are offered over the binding, for the error's data.
    pub supported: Vec<Version>,
}

/// Why a request's version is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VersionProblem {
    /// `A2A-Version` is no version, or none this gateway knows; the start of its text.
    Unknown(String),
    /// The version is not in `OFFER` for the binding.
    NotOffered(Version),
    /// `VERSION_DISPATCH=header`: the request says the first version, or says nothing and so means 0.3, but its method
    /// or route is one of the second.
    Contradiction(Version, Version),
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            VersionProblem::Unknown(text) => write!(f, "A2A version {text:?} is not supported")?,
            VersionProblem::NotOffered(version) => {
                write!(f, "A2A version {version} is not supported over {}", self.binding)?;
            }
            VersionProblem::Contradiction(stated, of) => {
                write!(f, "The request is for A2A version {stated}, but its method or path is of version {of}")?;
            }
        }
        let supported: Vec<&str> = self.supported.iter().map(|version| version.as_str()).collect();
        match supported.as_slice() {
            [] => write!(f, "; {} is not offered here", self.binding),
            versions => write!(f, "; supported: {}", versions.join(", ")),
        }
    }
}

impl std::error::Error for VersionError {}

/// The version of a JSON-RPC request.
///
/// `header` is the `A2A-Version` header and `query` the URL's query, which may have the same as a parameter; an empty
/// value is an absent one. `method` is the request's method name, if it has one.
///
/// With [`VersionDispatch::Method`] the name decides; where neither version knows it, the header does, and without a
/// header it is 0.3. A header must be an offered version all the same. With [`VersionDispatch::Header`] the header
/// alone decides and a method of the other version is refused.
///
/// # Errors
/// [`VersionError`] if the version, or the one in the header, is not offered over JSON-RPC.
pub fn choose_version(
    dispatch: VersionDispatch,
    offer: &Offer,
    header: Option<&str>,
    query: Option<&str>,
    method: Option<&str>,
) -> Result<Version, VersionError> {
    let check = Check { offer, binding: Binding::JsonRpc, caller: error_version(method) };
    let of_method = method.and_then(Operation::from_json_rpc).map(|(_, version)| version);
    let stated = stated(header, query).map(|text| check.known(&text)).transpose()?;
    match dispatch {
        VersionDispatch::Method => check.offered(of_method.or(stated).unwrap_or(Version::V0_3)),
        VersionDispatch::Header => {
            let version = check.offered(stated.unwrap_or(Version::V0_3))?;
            match of_method {
                Some(of) if of != version => Err(check.error(VersionProblem::Contradiction(version, of))),
                _ => Ok(version),
            }
        }
    }
}

/// The version of an HTTP+JSON request whose path alone speaks for `of_path`
/// ([`RestPath::version`](super::RestPath::version)): the header, else the query, else the path.
///
/// With [`VersionDispatch::Header`] the path says nothing and absent means 0.3, so a path of v1.0 is then refused.
///
/// # Errors
/// [`VersionError`] if the version is not offered over HTTP+JSON.
pub fn choose_rest_version(
    dispatch: VersionDispatch,
    offer: &Offer,
    header: Option<&str>,
    query: Option<&str>,
    of_path: Version,
) -> Result<Version, VersionError> {
    let text = stated(header, query);
    let caller = text.as_deref().and_then(Version::negotiate).unwrap_or(of_path);
    let check = Check { offer, binding: Binding::HttpJson, caller };
    let stated = text.map(|text| check.known(&text)).transpose()?;
    match dispatch {
        VersionDispatch::Method => check.offered(stated.unwrap_or(of_path)),
        VersionDispatch::Header => match check.offered(stated.unwrap_or(Version::V0_3))? {
            Version::V0_3 if of_path == Version::V1_0 => {
                Err(check.error(VersionProblem::Contradiction(Version::V0_3, of_path)))
            }
            version => Ok(version),
        },
    }
}

/// The version whose error shape a JSON-RPC caller reads: v1.0 for a v1.0 method name, else v0.3 (RULES E.8).
pub fn error_version(method: Option<&str>) -> Version {
    method.and_then(Operation::from_json_rpc).map_or(Version::V0_3, |(_, version)| version)
}

/// What the request says about its version: the header, else the query parameter (§3.6.2).
fn stated<'a>(header: Option<&'a str>, query: Option<&'a str>) -> Option<Cow<'a, str>> {
    let in_query = || {
        url::form_urlencoded::parse(query?.as_bytes())
            .find(|(name, _)| name.eq_ignore_ascii_case(header::A2A_VERSION))
            .map(|(_, value)| value)
    };
    let is_set = |text: &Cow<'_, str>| !text.trim().is_empty();
    header.map(Cow::Borrowed).filter(is_set).or_else(|| in_query().filter(is_set))
}

struct Check<'a> {
    offer: &'a Offer,
    binding: Binding,
    caller: Version,
}

impl Check<'_> {
    fn known(&self, text: &str) -> Result<Version, VersionError> {
        const MOST: usize = 32;
        let version = Version::negotiate(text)
            .ok_or_else(|| self.error(VersionProblem::Unknown(text.chars().take(MOST).collect())))?;
        self.offered(version)
    }

    fn offered(&self, version: Version) -> Result<Version, VersionError> {
        if self.offer.contains(self.binding, version) {
            Ok(version)
        } else {
            Err(self.error(VersionProblem::NotOffered(version)))
        }
    }

    fn error(&self, problem: VersionProblem) -> VersionError {
        VersionError {
            problem,
            binding: self.binding,
            caller: self.caller,
            supported: self.offer.versions(self.binding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Version::{V0_3, V1_0};
    use VersionDispatch::{Header, Method};
    use VersionProblem::{Contradiction, NotOffered, Unknown};

    fn offer(text: &str) -> Offer {
        let vars = [("UPSTREAM_URL", "https://a.example"), ("OFFER", text)];
        let vars = vars.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        crate::gateway::Config::from_vars(&vars, &Default::default(), crate::gateway::Runtime::Worker)
            .unwrap()
            .agents
            .remove(0)
            .offer
    }

    fn choose(
        dispatch: VersionDispatch,
        offer: &Offer,
        header: Option<&str>,
        method: &str,
    ) -> Result<Version, VersionProblem> {
        choose_version(dispatch, offer, header, None, Some(method)).map_err(|error| error.problem)
    }

    #[test]
    fn the_method_name_decides_over_an_offered_header() {
        let all = Offer::default();
        for header in [None, Some(""), Some("0.3"), Some("1.0"), Some("1.0.1"), Some("0.3.0")] {
            assert_eq!(choose(Method, &all, header, "SendMessage"), Ok(V1_0), "{header:?}");
            assert_eq!(choose(Method, &all, header, "message/send"), Ok(V0_3), "{header:?}");
        }
    }

    #[test]
    fn a_method_that_neither_version_knows_is_in_the_headers_version_else_0_3() {
        let all = Offer::default();
        assert_eq!(choose(Method, &all, Some("1.0"), "vendor.thing"), Ok(V1_0));
        assert_eq!(choose(Method, &all, None, "vendor.thing"), Ok(V0_3));
        assert_eq!(choose_version(Method, &all, None, None, None), Ok(V0_3));
    }

    #[test]
    fn a_header_must_be_an_offered_version_even_where_the_method_decides() {
        let all = Offer::default();
        for header in ["1.1", "0.2", "abc", "2.0"] {
            assert_eq!(choose(Method, &all, Some(header), "SendMessage"), Err(Unknown(header.into())));
        }
        let core = offer("JSONRPC/1.0,HTTP+JSON/0.3");
        assert_eq!(choose(Method, &core, Some("0.3"), "SendMessage"), Err(NotOffered(V0_3)));
        assert_eq!(choose(Method, &core, None, "SendMessage"), Ok(V1_0));
        assert_eq!(choose(Method, &core, None, "message/send"), Err(NotOffered(V0_3)));
    }

    #[test]
    fn the_query_speaks_where_the_header_does_not() {
        let choose = |header, query| choose_version(Method, &Offer::default(), header, query, Some("vendor.thing"));
        assert_eq!(choose(None, Some("alt=sse&A2A-Version=1.0")), Ok(V1_0));
        assert_eq!(choose(None, Some("a2a-version=1%2E0")), Ok(V1_0));
        assert_eq!(choose(Some("0.3"), Some("A2A-Version=1.0")), Ok(V0_3));
        assert_eq!(choose(Some(""), Some("A2A-Version=")), Ok(V0_3));
        assert!(choose(None, Some("A2A-Version=1.1")).is_err());
    }

    #[test]
    fn with_header_dispatch_the_header_decides_and_absent_means_0_3() {
        let all = Offer::default();
        assert_eq!(choose(Header, &all, Some("1.0"), "SendMessage"), Ok(V1_0));
        assert_eq!(choose(Header, &all, None, "message/send"), Ok(V0_3));
        assert_eq!(choose(Header, &all, None, "SendMessage"), Err(Contradiction(V0_3, V1_0)));
        assert_eq!(choose(Header, &all, Some("1.0"), "message/send"), Err(Contradiction(V1_0, V0_3)));
        assert_eq!(choose(Header, &offer("JSONRPC/1.0"), None, "SendMessage"), Err(NotOffered(V0_3)));
    }

    #[test]
    fn http_json_goes_by_header_then_query_then_path() {
        let all = Offer::default();
        let choose = |header, query, path| choose_rest_version(Method, &all, header, query, path);
        assert_eq!(choose(Some("1.0"), Some("A2A-Version=0.3"), V0_3), Ok(V1_0));
        assert_eq!(choose(None, Some("A2A-Version=0.3"), V1_0), Ok(V0_3));
        assert_eq!(choose(None, None, V0_3), Ok(V0_3));
        assert_eq!(choose(Some(" "), None, V1_0), Ok(V1_0));
        assert!(choose(Some("1.1"), None, V1_0).is_err());
        let strict = |header, path| choose_rest_version(Header, &all, header, None, path).map_err(|e| e.problem);
        assert_eq!(strict(None, V1_0), Err(Contradiction(V0_3, V1_0)));
        assert_eq!(strict(Some("1.0"), V0_3), Ok(V1_0));
        assert_eq!(strict(None, V0_3), Ok(V0_3));
    }

    #[test]
    fn the_error_is_in_the_callers_version_and_says_what_is_supported() {
        let core = offer("JSONRPC/1.0,HTTP+JSON/1.0,HTTP+JSON/0.3");
        let error = choose_version(Method, &core, None, None, Some("message/send")).unwrap_err();
        assert_eq!((error.caller, error.supported.as_slice()), (V0_3, [V1_0].as_slice()));
        assert_eq!(error.to_string(), "A2A version 0.3 is not supported over JSONRPC; supported: 1.0");
        let error = choose_version(Method, &core, Some("1.1"), None, Some("SendMessage")).unwrap_err();
        assert_eq!(error.caller, V1_0);
        assert_eq!(error.to_string(), "A2A version \"1.1\" is not supported; supported: 1.0");
        let error = choose_rest_version(Method, &offer("JSONRPC/1.0"), None, None, V0_3).unwrap_err();
        assert_eq!((error.caller, error.binding), (V0_3, Binding::HttpJson));
        assert!(error.to_string().ends_with("; HTTP+JSON is not offered here"));
    }
}
