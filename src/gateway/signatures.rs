//! Card signatures: JWS (RFC 7515) over the canonical form (RFC 8785) of a v1.0 card (§8.4, RULES 7.23).

use ed25519_dalek::Signer as _;
use ed25519_dalek::Verifier as _;
use serde_json::{Map, Value, json};

/// Why a card's signature is not accepted, as the end of a sentence that begins with "The agent's card".
pub type Distrust = String;

fn decode(text: &str) -> Option<Vec<u8>> {
    base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text.trim_end_matches('=')).ok()
}

fn encode(bytes: &[u8]) -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes)
}

/// Verifies that one of the card's signatures is by a key of `jwks` (a JWK set).
///
/// # Errors
/// No signature, no signature by a key of the set, or none that fits the card.
pub fn verify_card(card: &[u8], jwks: &Value) -> Result<(), Distrust> {
    let card: Value = serde_json::from_slice(card).map_err(|_| "is not JSON".to_owned())?;
    let signatures = card.get("signatures").and_then(Value::as_array).filter(|list| !list.is_empty());
    let Some(signatures) = signatures else { return Err("has no signature, and TRUSTED_JWKS asks for one".to_owned()) };
    let payloads = payloads(&card);
    let mut known = false;
    for signature in signatures {
        let text = |name| signature.get(name).and_then(Value::as_str);
        let (Some(protected), Some(signed)) = (text("protected"), text("signature").and_then(decode)) else { continue };
        let Some(header) = decode(protected).and_then(|h| serde_json::from_slice::<Value>(&h).ok()) else { continue };
        // Extensions that must be understood are not (RFC 7515 §4.1.11).
        if header.get("crit").is_some() {
            continue;
        }
        for key in keys(jwks, &header) {
            known = true;
            for payload in &payloads {
                let input = format!("{protected}.{}", encode(payload));
                if is_signed(key, &header, input.as_bytes(), &signed) {
                    return Ok(());
                }
            }
        }
    }
    Err(if known {
        "does not match its signature".to_owned()
    } else {
        "is not signed by a key of TRUSTED_JWKS".to_owned()
    })
}

/// The keys of the set that may have made a signature with this header: by id if it names one.
fn keys<'k>(jwks: &'k Value, header: &'k Value) -> impl Iterator<Item = &'k Value> {
    let kid = header.get("kid").and_then(Value::as_str);
    let list = jwks.get("keys").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter(move |key| kid.is_none_or(|kid| key.get("kid").and_then(Value::as_str) == Some(kid)))
}

fn coordinate(key: &Value, name: &str) -> Option<[u8; 32]> {
    decode(key.get(name)?.as_str()?)?.try_into().ok()
}

fn is_signed(key: &Value, header: &Value, input: &[u8], signature: &[u8]) -> bool {
    let field = |name: &str| key.get(name).and_then(Value::as_str).unwrap_or_default();
    let checked = match (header.get("alg").and_then(Value::as_str), field("kty"), field("crv")) {
        (Some("ES256"), "EC", "P-256") => (|| {
            let point = p256::EncodedPoint::from_affine_coordinates(
                &coordinate(key, "x")?.into(),
                &coordinate(key, "y")?.into(),
                false,
            );
            let key = p256::ecdsa::VerifyingKey::from_encoded_point(&point).ok()?;
            key.verify(input, &p256::ecdsa::Signature::from_slice(signature).ok()?).ok()
        })(),
        (Some("EdDSA" | "Ed25519"), "OKP", "Ed25519") => (|| {
            let key = ed25519_dalek::VerifyingKey::from_bytes(&coordinate(key, "x")?).ok()?;
            key.verify(input, &ed25519_dalek::Signature::from_slice(signature).ok()?).ok()
        })(),
        _ => None,
    };
    checked.is_some()
}

/// The canonical forms that signers use: the card as it is, and without empty values, as the SDKs clean it first.
fn payloads(card: &Value) -> Vec<Vec<u8>> {
    let mut card = card.clone();
    if let Some(card) = card.as_object_mut() {
        card.remove("signatures");
    }
    let cleaned = without_empty(&card);
    [Some(card), cleaned]
        .into_iter()
        .flatten()
        .filter_map(|form| serde_json_canonicalizer::to_vec(&form).ok())
        .collect()
}

/// Without empty strings, lists and objects and without nulls, at every depth.
fn without_empty(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(items) => {
            let items: Vec<Value> = items.iter().filter_map(without_empty).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(members) => {
            let members: Map<String, Value> = members
                .iter()
                .filter_map(|(name, value)| without_empty(value).map(|value| (name.clone(), value)))
                .collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        other => Some(other.clone()),
    }
}

/// A signature of a v1.0 card (JSON text without signatures) with a private JWK: an entry of `signatures`.
///
/// # Errors
/// The key is neither a P-256 nor an Ed25519 private key; the message names `SIGNING_JWK`, never the key.
pub fn sign_card(card: &[u8], jwk: &str) -> Result<Value, String> {
    let wrong = || "SIGNING_JWK must be a private EC P-256 or OKP Ed25519 key".to_owned();
    let key: Value = serde_json::from_str(jwk).map_err(|_| wrong())?;
    let card: Value = serde_json::from_slice(card).map_err(|_| "the card is not JSON".to_owned())?;
    let payload = payloads(&card).pop().unwrap_or_default();
    let secret = coordinate(&key, "d").ok_or_else(wrong)?;
    let field = |name: &str| key.get(name).and_then(Value::as_str).unwrap_or_default();
    let algorithm = match (field("kty"), field("crv")) {
        ("EC", "P-256") => "ES256",
        ("OKP", "Ed25519") => "EdDSA",
        _ => return Err(wrong()),
    };
    let kid = field("kid");
    let header = json!({"alg": algorithm, "kid": if kid.is_empty() { "a2a-compat" } else { kid }, "typ": "JOSE"});
    let protected = encode(header.to_string().as_bytes());
    let input = format!("{protected}.{}", encode(&payload));
    let signature = match algorithm {
        "ES256" => {
            let key = p256::ecdsa::SigningKey::from_slice(&secret).map_err(|_| wrong())?;
            let signature: p256::ecdsa::Signature = key.sign(input.as_bytes());
            encode(&signature.to_bytes())
        }
        _ => encode(&ed25519_dalek::SigningKey::from_bytes(&secret).sign(input.as_bytes()).to_bytes()),
    };
    Ok(json!({"protected": protected, "signature": signature}))
}

/// A v1.0 card (JSON text without signatures) with a signature of its own.
///
/// # Errors
/// As [`sign_card`].
pub fn with_signature(mut card: Vec<u8>, jwk: &str) -> Result<Vec<u8>, String> {
    let signature = sign_card(&card, jwk)?.to_string();
    card.truncate(card.trim_ascii_end().len().saturating_sub(1));
    card.extend_from_slice(b",\"signatures\":[");
    card.extend_from_slice(signature.as_bytes());
    card.extend_from_slice(b"]}");
    Ok(card)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kty: &str) -> (String, Value) {
        let secret = [7u8; 32];
        let mut jwk = match kty {
            "EC" => {
                let key = p256::ecdsa::SigningKey::from_slice(&secret).unwrap();
                let point = key.verifying_key().to_encoded_point(false);
                json!({"kty": "EC", "crv": "P-256", "kid": "k1", "x": encode(point.x().unwrap()), "y": encode(point.y().unwrap())})
            }
            _ => {
                let key = ed25519_dalek::SigningKey::from_bytes(&secret);
                json!({"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": encode(key.verifying_key().as_bytes())})
            }
        };
        let public = json!({"keys": [jwk.clone()]});
        jwk["d"] = json!(encode(&secret));
        (jwk.to_string(), public)
    }

    fn signed(kty: &str) -> (Value, Value) {
        let card = json!({"name": "n", "description": "", "skills": [], "version": "1", "capabilities": {}});
        let (private, public) = key(kty);
        let signature = sign_card(card.to_string().as_bytes(), &private).unwrap();
        let mut card = card;
        card["signatures"] = json!([signature]);
        (card, public)
    }

    #[test]
    fn what_is_signed_verifies_with_either_kind_of_key() {
        for kty in ["EC", "OKP"] {
            let (card, jwks) = signed(kty);
            assert_eq!(verify_card(card.to_string().as_bytes(), &jwks), Ok(()), "{kty}");
        }
    }

    #[test]
    fn a_changed_card_does_not() {
        let (mut card, jwks) = signed("EC");
        card["name"] = json!("m");
        assert_eq!(verify_card(card.to_string().as_bytes(), &jwks).unwrap_err(), "does not match its signature");
    }

    #[test]
    fn unsigned_cards_and_other_keys_are_refused() {
        let (card, jwks) = signed("OKP");
        let mut bare = card.clone();
        bare.as_object_mut().unwrap().remove("signatures");
        assert!(verify_card(bare.to_string().as_bytes(), &jwks).unwrap_err().contains("has no signature"));
        let mut others = jwks.clone();
        others["keys"][0]["kid"] = json!("k2");
        assert!(verify_card(card.to_string().as_bytes(), &others).unwrap_err().contains("TRUSTED_JWKS"));
        assert!(verify_card(card.to_string().as_bytes(), &json!({"keys": []})).is_err());
    }

    #[test]
    fn an_algorithm_other_than_the_keys_is_refused() {
        let (mut card, jwks) = signed("EC");
        let none = encode(json!({"alg": "none", "kid": "k1"}).to_string().as_bytes());
        card["signatures"][0]["protected"] = json!(none);
        assert!(verify_card(card.to_string().as_bytes(), &jwks).is_err());
    }

    #[test]
    fn a_wrong_key_is_named_and_not_shown() {
        for wrong in ["", "{}", r#"{"kty":"RSA","d":"c2VjcmV0"}"#, r#"{"kty":"EC","crv":"P-256","d":"AA"}"#] {
            let error = sign_card(b"{}", wrong).unwrap_err();
            assert!(error.contains("SIGNING_JWK") && !error.contains("c2VjcmV0"), "{error}");
        }
    }
}
