//! Reading single values: sizes, times, URLs, origins, keys, headers, JSON.

use super::choice::{Choice, choose};
use super::error::{ConfigError, shown};
use serde_json::Value;
use std::collections::BTreeMap;
use url::Url;

/// The variables as the runtime has them.
#[derive(Clone, Copy)]
pub(super) struct Vars<'a>(&'a BTreeMap<String, String>);

impl<'a> Vars<'a> {
    pub(super) fn new(vars: &'a BTreeMap<String, String>) -> Vars<'a> {
        Vars(vars)
    }

    /// The value without surrounding blanks (secrets piped from a file end in a newline); empty counts as absent.
    pub(super) fn get(self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// One of a few words, or the default.
    pub(super) fn choice<T: Choice + Default>(self, name: &str) -> Result<T, ConfigError> {
        self.get(name).map_or(Ok(T::default()), |word| choose(name, word))
    }

    /// Seconds, given back in milliseconds. `least` is 0 or 1 second.
    pub(super) fn milliseconds(self, name: &str, least: u64) -> Result<Option<u64>, ConfigError> {
        // The longest time a JavaScript timer can wait, 2^31 - 1 ms.
        const MOST: u64 = 2_147_483;
        let Some(text) = self.get(name) else { return Ok(None) };
        match digits(text) {
            Some(seconds) if (least..=MOST).contains(&seconds) => Ok(Some(seconds * 1000)),
            _ => Err(ConfigError::new(
                name,
                format!("is {}, not a number of seconds that it takes", shown(text)),
                format!("set it to a whole number from {least} to {MOST}, or leave it out"),
            )),
        }
    }

    /// A number of bytes: plain, or with K, M, G, KiB, MiB or GiB (powers of 1024).
    pub(super) fn bytes(self, name: &str, most: u64) -> Result<Option<u64>, ConfigError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        match size(text) {
            Some(bytes) if (1..=most).contains(&bytes) => Ok(Some(bytes)),
            _ => Err(ConfigError::new(
                name,
                format!("is {}, not a size that it takes", shown(text)),
                format!("set it to a number of bytes such as 1048576 or 1MiB, from 1 to {most}, or leave it out"),
            )),
        }
    }

    /// A JSON document.
    pub(super) fn json(self, name: &str) -> Result<Option<Value>, ConfigError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|error| {
            // The error's own text could quote the value, which may be a secret.
            let (line, column) = (error.line(), error.column());
            let problem = format!("is not valid JSON (line {line}, column {column})");
            ConfigError::new(name, problem, "check quotes, commas and brackets")
        })
    }
}

fn digits(text: &str) -> Option<u64> {
    // `u64::from_str` alone would take a sign.
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

fn size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim_start() {
        "" => 0,
        "k" | "K" | "KiB" => 10,
        "m" | "M" | "MiB" => 20,
        "g" | "G" | "GiB" => 30,
        _ => return None,
    };
    digits(number)?.checked_mul(1 << shift)
}

/// An http or https URL without credentials. Its text is never part of an error: it may contain one.
pub(super) fn url(variable: &str, text: &str) -> Result<Url, ConfigError> {
    let remedy = "set it to a URL such as https://agent.example.org";
    let url = Url::parse(text).map_err(|error| ConfigError::new(variable, format!("is no URL ({error})"), remedy))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ConfigError::new(variable, "is neither an http nor an https URL", remedy));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ConfigError::new(
            variable,
            "has a user name or password in it",
            "remove it and put the agent's credential into UPSTREAM_HEADERS",
        ));
    }
    if url.fragment().is_some() {
        return Err(ConfigError::new(variable, "has a fragment (#…)", "remove it"));
    }
    Ok(url)
}

/// An origin in its canonical form, `https://example.org` or `http://localhost:3000`.
pub(super) fn origin(variable: &str, text: &str) -> Result<String, ConfigError> {
    let refuse = || {
        ConfigError::new(
            variable,
            format!("has {}, which is no origin", shown(without_userinfo(text))),
            "write scheme, host and port only, such as https://app.example.org",
        )
    };
    let url = Url::parse(text).map_err(|_| refuse())?;
    let bare = url.path().trim_end_matches('/').is_empty() && url.query().is_none() && url.fragment().is_none();
    // A wildcard would be compared as it is written and match nothing.
    if !bare || text.contains('*') || !url.username().is_empty() || url.password().is_some() || !url.has_host() {
        return Err(refuse());
    }
    if url.origin().is_tuple() {
        Ok(url.origin().ascii_serialization())
    } else {
        // Origins of other schemes (browser extensions, desktop shells) are compared as they are written.
        Ok(text.trim_end_matches('/').to_owned())
    }
}

fn without_userinfo(text: &str) -> &str {
    text.rsplit_once('@').map_or(text, |(_, host)| host)
}

/// Entries of a comma-separated list; blanks and empty entries are ignored.
pub(super) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// 32 bytes in base64.
pub(super) fn key(variable: &str, text: &str) -> Result<[u8; 32], ConfigError> {
    let refuse = |problem: String| {
        ConfigError::new(variable, problem, "set it to 32 random bytes in base64, as `openssl rand -base64 32` makes")
    };
    let bytes = base64_simd::forgiving_decode_to_vec(text.as_bytes()).map_err(|_| refuse("is not base64".into()))?;
    let length = bytes.len();
    bytes.try_into().map_err(|_| refuse(format!("is base64 of {length} bytes, not 32")))
}

/// A token that clients can send in a header.
pub(super) fn token<'a>(variable: &str, text: &'a str) -> Result<&'a str, ConfigError> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        Ok(text)
    } else {
        let problem = "has characters that cannot be sent in a header";
        Err(ConfigError::new(variable, problem, "use printable ASCII characters"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([("V".to_owned(), value.to_owned())])
    }

    #[test]
    fn a_set_but_empty_variable_counts_as_absent() {
        for empty in ["", "  ", "\n"] {
            assert_eq!(Vars::new(&vars(empty)).get("V"), None);
        }
        assert_eq!(Vars::new(&vars(" key\n")).get("V"), Some("key"));
    }

    #[test]
    fn sizes_take_units_of_1024() {
        let read = |text: &str| Vars::new(&vars(text)).bytes("V", 1 << 40).ok().flatten();
        for (text, bytes) in [
            ("1", 1),
            ("10485760", 10 << 20),
            ("512K", 512 << 10),
            ("512k", 512 << 10),
            ("10MiB", 10 << 20),
            ("10 MiB", 10 << 20),
            ("4M", 4 << 20),
            ("1GiB", 1 << 30),
            ("2g", 2 << 30),
        ] {
            assert_eq!(read(text), Some(bytes), "{text}");
        }
        for text in ["0", "-1", "+1", "1.5M", "10MB", "M", "1T", "ten", "99999999999999999999", "9999999999G"] {
            let error = Vars::new(&vars(text)).bytes("V", 1 << 40).unwrap_err();
            assert!(error.to_string().starts_with(&format!("V is {text:?}, not a size")), "{error}");
        }
    }

    #[test]
    fn times_are_whole_seconds_that_a_timer_can_wait() {
        let read = |text: &str, least| Vars::new(&vars(text)).milliseconds("V", least);
        assert_eq!(read("300", 1), Ok(Some(300_000)));
        assert_eq!(read("0", 0), Ok(Some(0)));
        assert_eq!(read("2147483", 1), Ok(Some(2_147_483_000)));
        for text in ["0", "2147484", "1.5", "5s", "-5", "99999999999999999999"] {
            assert_eq!(read(text, 1).unwrap_err().variable(), "V", "{text}");
        }
    }

    #[test]
    fn invalid_json_is_located_and_not_quoted() {
        let error = Vars::new(&vars("{\"a\": hunter2}")).json("V").unwrap_err().to_string();
        assert!(error.starts_with("V is not valid JSON (line 1, column 7)"), "{error}");
        assert!(!error.contains("hunter2"));
    }

    #[test]
    fn urls_are_http_without_credentials_and_never_quoted() {
        assert_eq!(url("V", "https://a.example/base?x=1").unwrap().as_str(), "https://a.example/base?x=1");
        for text in [
            "agent.example",
            "ftp://a.example",
            "https://",
            "https://user:hunter2@a.example",
            "https://user@a.example",
            "https://a.example/#hunter2",
            "htps:hunter2",
        ] {
            let error = url("V", text).unwrap_err().to_string();
            assert!(error.starts_with("V ") && !error.contains("hunter2") && !error.contains("a.example/"), "{error}");
        }
    }

    #[test]
    fn origins_are_brought_to_the_form_that_browsers_send() {
        for (text, canonical) in [
            ("https://App.Example.org", "https://app.example.org"),
            ("https://a.example:443/", "https://a.example"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("chrome-extension://abcdef", "chrome-extension://abcdef"),
        ] {
            assert_eq!(origin("V", text).as_deref(), Ok(canonical), "{text}");
        }
        for text in
            ["null", "a.example", "https://a.example/app", "https://a.example?x", "https://*.example", "data:,x"]
        {
            assert_eq!(origin("V", text).unwrap_err().variable(), "V", "{text}");
        }
        assert!(!origin("V", "https://user:hunter2@a.example").unwrap_err().to_string().contains("hunter2"));
    }

    #[test]
    fn a_key_is_32_bytes_in_base64_and_never_quoted() {
        assert_eq!(key("V", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="), Ok(std::array::from_fn(|i| i as u8)));
        let short = key("V", "AAECAwQFBgcICQoLDA0ODw==").unwrap_err().to_string();
        assert!(short.starts_with("V is base64 of 16 bytes, not 32;"), "{short}");
        let other = key("V", "hunter2!").unwrap_err().to_string();
        assert!(other.starts_with("V is not base64;") && !other.contains("hunter2"), "{other}");
    }

    #[test]
    fn a_token_must_be_sendable_in_a_header() {
        assert_eq!(token("V", "s3cret-Token=="), Ok("s3cret-Token=="));
        for text in ["geheimß", "a\tb", "a\u{7f}"] {
            let error = token("V", text).unwrap_err().to_string();
            assert!(!error.contains(text), "{error}");
        }
    }
}
