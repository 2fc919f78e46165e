//! Relay tokens: any text as a token, and any text as a URL to be sealed. The first two bytes choose.
#![no_main]

use a2a_compat::gateway::{RelayKey, RelayKeys, relay_token};
use a2a_compat::protocol::Version;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [choice, at, text @ ..] = input else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let key = |byte| RelayKey([byte; 32]);
    let keys = RelayKeys { current: key(*choice), previous: (choice & 1 == 1).then(|| key(choice ^ 1)) };
    let agent = [None, Some("billing")][usize::from(choice >> 1 & 1)];
    // Nobody can write a token without the key; and none is made of what was only read.
    assert_eq!(relay_token::open(&keys, agent, text), None);
    let version = Version::ALL[usize::from(choice >> 2 & 1)];
    match relay_token::seal(&keys, [*at; relay_token::NONCE_LEN], agent, version, text) {
        None => assert!(text.len() > relay_token::MOST_URL_BYTES),
        Some(token) => {
            assert_eq!(relay_token::open(&keys, agent, &token), Some((version, text.to_owned())));
            // A changed character is noticed, but for the bits of the last one that mean nothing.
            let at = usize::from(*at) % token.len();
            let mut changed = token.clone().into_bytes();
            changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
            let changed = String::from_utf8(changed).expect("ASCII");
            match relay_token::open(&keys, agent, &changed) {
                None => {}
                Some(opened) => assert!(at == token.len() - 1 && opened == (version, text.to_owned())),
            }
        }
    }
});
