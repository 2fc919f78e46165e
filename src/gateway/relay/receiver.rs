//! Where webhooks may be delivered to (DESIGN "Security").

use super::token::MOST_URL_BYTES;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Reads a webhook's URL and checks all that can be known of it without a network.
///
/// `own` are origins of this gateway. `allow_private` admits loopback, private and other addresses that are not public.
///
/// # Errors
/// What is wrong with it, as the end of a sentence that begins with what it is.
pub(super) fn check(text: &str, own: &[&str], allow_private: bool) -> Result<Url, String> {
    if text.len() > MOST_URL_BYTES {
        return Err(format!("is longer than {MOST_URL_BYTES} bytes"));
    }
    let url = Url::parse(text).map_err(|error| format!("is no absolute URL ({error})"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("is neither an http nor an https URL".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user name or password in it".to_owned());
    }
    if own.iter().any(|own| Url::parse(own).is_ok_and(|own| is_same_place(&own, &url))) {
        return Err("leads to this gateway itself".to_owned());
    }
    if !allow_private && !is_public_host(&url) {
        return Err("leads to an address that is not public".to_owned());
    }
    Ok(url)
}

/// The same origin, also where the host's name ends in a dot.
fn is_same_place(a: &Url, b: &Url) -> bool {
    let host = |url: &Url| url.host_str().map(|host| host.trim_end_matches('.').to_owned());
    (a.scheme(), host(a), a.port_or_known_default()) == (b.scheme(), host(b), b.port_or_known_default())
}

/// Names that lead nowhere public: the special-use ones and those of cloud metadata.
const PRIVATE_NAMES: [&str; 8] =
    ["localhost", "local", "internal", "localdomain", "intranet", "lan", "home.arpa", "ip6-localhost"];

fn is_public_host(url: &Url) -> bool {
    // The URL parser has brought decimal, octal, hexadecimal and short forms of addresses to their plain form.
    match url.host() {
        Some(Host::Ipv4(address)) => is_public_v4(address),
        Some(Host::Ipv6(address)) => is_public_v6(address),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            !name.is_empty()
                && !PRIVATE_NAMES.iter().any(|private| {
                    name.strip_suffix(private).is_some_and(|before| before.is_empty() || before.ends_with('.'))
                })
        }
        None => false,
    }
}

/// Whether an address is one of the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Everything but the blocks that RFC 6890 and its updates reserve.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0
        || a >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b)))
}

/// Global unicast without documentation, and where an IPv4 address is inside, what that is.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [a, b, c, d, e, f, high, low] = segments;
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match (a, b, c, d, e, f) {
        // Mapped, translated (RFC 2765) and, long deprecated, compatible; `::` and `::1` are among the last.
        (0, 0, 0, 0, 0, 0 | 0xffff) | (0, 0, 0, 0, 0xffff, 0) => is_public_v4(v4(high, low)),
        // NAT64.
        (0x64, 0xff9b, 0, 0, 0, 0) => is_public_v4(v4(high, low)),
        // 6to4.
        (0x2002, ..) => is_public_v4(v4(b, c)),
        // Teredo and the like, documentation.
        (0x2001, ..0x200, ..) | (0x2001, 0xdb8, ..) => false,
        (0x3fff, ..0x1000, ..) => false,
        _ => (0x2000..0x4000).contains(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        check(text, &["https://gateway.example"], false).map_or_else(|why| why, |url| format!("fine: {url}"))
    }

    #[test]
    fn public_urls_are_fine() {
        for text in [
            "https://client.example/hook?x=1",
            "http://client.example:8080/",
            "https://8.8.8.8/",
            "https://[2606:4700::1]/",
            "https://localhost.example/",
            "https://internal.example./",
            "https://notlocal/",
            "https://100.63.255.255/",
            "https://172.32.0.1/",
            "https://[::ffff:8.8.8.8]/",
        ] {
            assert!(reason(text).starts_with("fine"), "{text}: {}", reason(text));
        }
    }

    #[test]
    fn private_addresses_are_found_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0x7f.1",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "127。0。0。1",
            "0",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "203.0.113.7",
            "3232235521",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::10.0.0.1]",
            "[2002:7f00:1::]",
            "[fe80::1]",
            "[fc00::1]",
            "[fd12:3456::1]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[2001::1]",
            "[::ffff:0:127.0.0.1]",
            "[100::1]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "app.localhost",
            "printer.local",
            "metadata.google.internal",
            "metadata.google.internal.",
            "ⓛocalhost",
        ] {
            let text = format!("http://{host}/hook");
            assert_eq!(reason(&text), "leads to an address that is not public", "{text}");
            assert!(check(&text, &[], true).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_http_url_is_refused_in_any_case() {
        for (text, why) in [
            ("", "is no absolute URL"),
            ("/hook", "is no absolute URL"),
            ("https://", "is no absolute URL"),
            ("https://[::1", "is no absolute URL"),
            ("https://1.2.3.4.5/", "is no absolute URL"),
            ("ftp://client.example/", "is neither"),
            ("javascript:alert(1)", "is neither"),
            ("file:///etc/passwd", "is neither"),
            ("https://user@client.example/", "has a user name"),
            ("https://:secret@client.example/", "has a user name"),
            ("https://gateway.example/relay/1a.x", "leads to this gateway"),
            ("https://GATEWAY.example.:443/", "leads to this gateway"),
        ] {
            assert!(reason(text).starts_with(why), "{text}: {}", reason(text));
            assert!(check(text, &["https://gateway.example/base"], true).is_err(), "{text}");
        }
        assert!(reason(&format!("https://client.example/{}", "x".repeat(2048))).starts_with("is longer than 2048"));
        assert!(reason("http://gateway.example/").starts_with("fine"), "another scheme is another place");
    }
}
