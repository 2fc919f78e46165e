//! Relay tokens: a webhook's URL and version, sealed so that only this gateway can read or make them (DESIGN
//! "Webhooks").
//!
//! A token is `<format><version>.<sealed>`. The format is `1`; the version, that of the receiver, is `a` for v0.3 and
//! `b` for v1.0; what is sealed is the nonce, the URL's ciphertext and the tag of AES-256-GCM, in unpadded base64url.
//! Agent, format and version are associated data: a token opens only for the agent and in the version it was made for.

use crate::gateway::{RelayKey, RelayKeys};
use crate::protocol::Version;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use base64_simd::URL_SAFE_NO_PAD;

/// Random bytes that a token needs.
pub const NONCE_LEN: usize = 12;
/// The longest URL that is sealed, in bytes.
pub const MOST_URL_BYTES: usize = 2048;

const FORMAT: &str = "1";
const TAG_LEN: usize = 16;
/// No longer token was ever made.
const MOST_TOKEN_BYTES: usize = 3 + (NONCE_LEN + MOST_URL_BYTES + TAG_LEN).div_ceil(3) * 4;

fn letter(version: Version) -> char {
    match version {
        Version::V0_3 => 'a',
        Version::V1_0 => 'b',
    }
}

fn associated(agent: Option<&str>, receiver: Version) -> String {
    format!("a2a-compat relay {FORMAT}{} {}", letter(receiver), agent.unwrap_or_default())
}

fn cipher(key: &RelayKey) -> Aes256Gcm {
    Aes256Gcm::new(&Key::<Aes256Gcm>::from(key.0))
}

/// Seals the URL of a receiver that speaks `receiver`, for deliveries by `agent`. `nonce` must be random. `None` if the
/// URL is longer than [`MOST_URL_BYTES`].
pub fn seal(
    keys: &RelayKeys,
    nonce: [u8; NONCE_LEN],
    agent: Option<&str>,
    receiver: Version,
    url: &str,
) -> Option<String> {
    if url.len() > MOST_URL_BYTES {
        return None;
    }
    let aad = associated(agent, receiver);
    let payload = Payload { msg: url.as_bytes(), aad: aad.as_bytes() };
    let sealed = cipher(&keys.current).encrypt(&Nonce::from(nonce), payload).ok()?;
    Some(format!("{FORMAT}{}.{}", letter(receiver), URL_SAFE_NO_PAD.encode_to_string([&nonce[..], &sealed].concat())))
}

/// The receiver's version and URL in a token that this gateway has made for `agent`, under either key. `None` for
/// everything else.
pub fn open(keys: &RelayKeys, agent: Option<&str>, token: &str) -> Option<(Version, String)> {
    if token.len() > MOST_TOKEN_BYTES {
        return None;
    }
    let (head, sealed) = token.strip_prefix(FORMAT)?.split_once('.')?;
    let receiver = Version::ALL.into_iter().find(|version| head.chars().eq([letter(*version)]))?;
    let sealed = URL_SAFE_NO_PAD.decode_to_vec(sealed).ok()?;
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let aad = associated(agent, receiver);
    let url = std::iter::once(&keys.current).chain(&keys.previous).find_map(|key| {
        let payload = Payload { msg: sealed, aad: aad.as_bytes() };
        cipher(key).decrypt(&Nonce::from(*nonce), payload).ok()
    })?;
    Some((receiver, String::from_utf8(url).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://client.example/hook?x=1#ä";

    fn keys(current: u8, previous: Option<u8>) -> RelayKeys {
        let key = |byte| RelayKey([byte; 32]);
        RelayKeys { current: key(current), previous: previous.map(key) }
    }

    fn sealed(agent: Option<&str>, receiver: Version) -> String {
        seal(&keys(1, None), [7; NONCE_LEN], agent, receiver, URL).unwrap()
    }

    #[test]
    fn what_is_sealed_opens_again_for_the_same_agent() {
        for agent in [None, Some("billing")] {
            for receiver in Version::ALL {
                let token = sealed(agent, receiver);
                assert_eq!(open(&keys(1, None), agent, &token), Some((receiver, URL.to_owned())));
                assert!(!token.contains("client"), "{token}");
            }
        }
        let longest = "x".repeat(MOST_URL_BYTES);
        let token = seal(&keys(1, None), [0; NONCE_LEN], None, Version::V1_0, &longest).unwrap();
        assert_eq!(open(&keys(1, None), None, &token).unwrap().1, longest);
        assert_eq!(seal(&keys(1, None), [0; NONCE_LEN], None, Version::V1_0, &format!("{longest}x")), None);
    }

    #[test]
    fn the_previous_key_still_opens_and_another_does_not() {
        let token = sealed(None, Version::V0_3);
        assert!(open(&keys(2, Some(1)), None, &token).is_some());
        assert_eq!(open(&keys(2, None), None, &token), None);
        assert_eq!(open(&keys(2, Some(3)), None, &token), None);
    }

    #[test]
    fn another_agent_and_another_version_do_not_open() {
        let token = sealed(Some("billing"), Version::V0_3);
        for agent in [None, Some("hr"), Some(""), Some("billing ")] {
            assert_eq!(open(&keys(1, None), agent, &token), None, "{agent:?}");
        }
        assert_eq!(open(&keys(1, None), Some("billing"), &token.replacen('a', "b", 1)), None);
    }

    #[test]
    fn a_token_with_anything_changed_cut_or_added_does_not_open() {
        let token = sealed(None, Version::V1_0);
        for at in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            // The last character may carry bits that mean nothing; the URL is the same then or nothing is.
            let opened = open(&keys(1, None), None, &changed);
            assert!(opened.is_none() || (at == token.len() - 1 && opened.unwrap().1 == URL), "{at}");
            assert_eq!(open(&keys(1, None), None, &token[..at]), None, "cut at {at}");
        }
        for other in [format!("{token}A"), format!("{token}="), format!(" {token}"), token.repeat(200), String::new()] {
            assert_eq!(open(&keys(1, None), None, &other), None, "{other:.60}");
        }
    }
}
