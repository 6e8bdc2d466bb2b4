//! Every class of address, in every notation.

use super::{AddressError, CLOSED, CLOSED_NETS, GLOBAL_NET, Policy, URL_MAX};
use std::net::IpAddr;

fn judged(ip: &str) -> Result<(), AddressError> {
    Policy::default().address(ip.parse::<IpAddr>().unwrap())
}

#[test]
fn the_table_is_read_whole() {
    assert_eq!(CLOSED_NETS.len(), CLOSED.len());
    assert!(GLOBAL_NET.is_some());
}

#[test]
fn every_class_of_address_is_refused_at_both_ends() {
    let table = [
        ("0.0.0.0", "this network"),
        ("0.255.255.255", "this network"),
        ("10.0.0.1", "private"),
        ("10.255.255.255", "private"),
        ("100.64.0.0", "shared by a provider"),
        ("100.100.100.200", "shared by a provider"),
        ("100.127.255.255", "shared by a provider"),
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("168.63.129.16", "of a cloud's own services"),
        ("169.254.0.1", "link-local"),
        ("169.254.169.254", "link-local"),
        ("172.16.0.0", "private"),
        ("172.31.255.255", "private"),
        ("192.0.0.192", "of protocols"),
        ("192.0.2.5", "for documentation"),
        ("192.88.99.1", "of protocols"),
        ("192.168.0.1", "private"),
        ("198.18.0.1", "for measurements"),
        ("198.19.255.255", "for measurements"),
        ("198.51.100.7", "for documentation"),
        ("203.0.113.9", "for documentation"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::127.0.0.1", "reserved"),
        ("::ffff:127.0.0.1", "of the other protocol"),
        ("::ffff:8.8.8.8", "of the other protocol"),
        ("64:ff9b::7f00:1", "of the other protocol"),
        ("64:ff9b:1::1", "reserved"),
        ("100::1", "reserved"),
        ("2001::1", "of protocols"),
        ("2001:db8::1", "for documentation"),
        ("2002:7f00:1::", "of the other protocol"),
        ("3fff::1", "for documentation"),
        ("5f00::1", "reserved"),
        ("fc00::1", "unique local"),
        ("fd00:ec2::254", "unique local"),
        ("fe80::1", "link-local"),
        ("fec0::1", "reserved"),
        ("ff02::1", "multicast"),
    ];
    for (ip, kind) in table {
        assert_eq!(judged(ip), Err(AddressError::Address(kind)), "{ip}");
    }
}

#[test]
fn public_addresses_beside_the_closed_ones_pass() {
    for ip in [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.17",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450:4001::1",
    ] {
        assert_eq!(judged(ip), Ok(()), "{ip}");
    }
}

#[test]
fn addresses_are_seen_in_every_notation() {
    let policy = Policy::default();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "169.254.169.254",
        "[fd00:ec2::254]",
    ] {
        let judged = policy.url(&format!("https://{host}/x"));
        assert!(matches!(judged, Err(AddressError::Address(_))), "{host}: {judged:?}");
    }
}

#[test]
fn only_plain_addresses_of_the_web_are_taken() {
    let policy = Policy::default();
    for (url, why) in [
        ("", AddressError::Form),
        ("hook.example", AddressError::Form),
        ("https://", AddressError::Form),
        ("https:// hook.example", AddressError::Form),
        ("https://hook.example\\@evil.example", AddressError::Form),
        ("https://hook.example/\nx", AddressError::Form),
        ("https://hook.example:99999/", AddressError::Form),
        ("http://hook.example/", AddressError::Scheme),
        ("ftp://hook.example/", AddressError::Scheme),
        ("file:///etc/passwd", AddressError::Scheme),
        ("gopher://hook.example/", AddressError::Scheme),
        ("https://me@hook.example/", AddressError::Credentials),
        ("https://me:secret@hook.example/", AddressError::Credentials),
        ("https://:secret@hook.example/", AddressError::Credentials),
        ("https://hook.example/#x", AddressError::Fragment),
        ("https://hook.example:22/", AddressError::Port),
        ("https://hook.example:80/", AddressError::Port),
        ("https://hook.example:1023/", AddressError::Port),
        ("https://hook.example:0/", AddressError::Port),
    ] {
        assert_eq!(policy.url(url), Err(why), "{url}");
    }
    let long = format!("https://hook.example/{}", "x".repeat(URL_MAX));
    assert_eq!(policy.url(&long), Err(AddressError::Form));
    for url in
        ["https://hook.example/", "https://hook.example/in?key=1", "https://Hook.example:8443/in", "https://8.8.8.8/in"]
    {
        assert!(policy.url(url).is_ok(), "{url}");
    }
    let place = policy.url("HTTPS://Hook.Example:8443/In").unwrap();
    assert_eq!(place.host, "hook.example");
    assert_eq!(place.url, "https://hook.example:8443/In");
}

#[test]
fn an_installation_opens_what_it_names_and_nothing_else() {
    let policy = Policy { http: true, allow: vec!["127.0.0.0/8".parse().unwrap(), "fd12::/16".parse().unwrap()] };
    assert!(policy.url("http://127.0.0.1:8080/in").is_ok());
    assert!(policy.url("http://hook.example/").is_ok());
    assert!(policy.url("https://[fd12::7]/").is_ok());
    assert_eq!(policy.url("http://127.0.0.1:25/"), Err(AddressError::Port));
    for closed in ["10.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[fd13::1]"] {
        let judged = policy.url(&format!("https://{closed}/"));
        assert!(matches!(judged, Err(AddressError::Address(_))), "{closed}");
    }
}
