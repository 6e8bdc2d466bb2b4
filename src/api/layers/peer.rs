//! The address that a request comes from: the other end of the connection, or, behind trusted
//! proxies (`limits.trusted_proxies`), the address that the outermost of them noted. The limits of
//! anonymous callers use it; the operation log stores it (docs/logs.md, *operations: what was
//! done*) for methods that may write, since reading leaves no trace of an address.

use crate::AppState;
use axum::extract::{ConnectInfo, Request};
use axum::http::{Extensions, HeaderMap, HeaderName, header};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::Ordering;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The first half of an address of IPv6: what one customer has.
const CUSTOMER: u128 = !0 << 64;

/// What counts as one address: of IPv6 the net of a customer.
pub(crate) fn customer(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & CUSTOMER)),
        four => four,
    }
}

/// The address that a request comes from; none when it is unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address(pub(crate) Option<IpAddr>);

/// The address of this machine that a connection came to.
#[derive(Debug, Clone, Copy)]
pub struct LocalAddress(pub SocketAddr);

/// Notes with a request the address that it comes from.
pub(super) fn note(app: &AppState, request: &mut Request) -> Option<IpAddr> {
    let connection = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let own = connection.map(|ConnectInfo(address)| address.ip().to_canonical());
    let proxies = app.settings.limits.trusted_proxies;
    let address = proxied_address(request.headers(), proxies).or(own);
    request.extensions_mut().insert(Address(address));
    if proxies == 0
        && let Some(own) = own
    {
        undeclared(app, own, request.headers());
    }
    address
}

/// What a request that is made for another one knows of it: the address that it comes from.
pub(crate) fn carried(of: &Extensions) -> Extensions {
    let mut carried = Extensions::new();
    if let Some(address) = of.get::<Address>() {
        carried.insert(*address);
    }
    carried
}

/// Logs once that an undeclared proxy seems to be before the server: all requests that come through
/// it are counted as one address.
fn undeclared(app: &AppState, own: IpAddr, headers: &HeaderMap) {
    let near = match own {
        IpAddr::V4(four) => four.is_loopback() || four.is_private() || four.is_link_local(),
        IpAddr::V6(six) => six.is_loopback() || six.is_unique_local(),
    };
    if near && forwarded(headers) && !app.proxy_warned.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            from = %own,
            "requests come through a proxy, but limits.trusted_proxies is 0: the limits of \
             signing in count all that comes through it as one address; set it to the number \
             of proxies"
        );
    }
}

/// Whether a proxy says that it passes a request on.
pub(crate) fn forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(FORWARDED_FOR) || headers.contains_key(header::FORWARDED)
}

/// The address that the outermost of so many proxies saw: each adds what it sees at the end, so that anything that a
/// client wrote itself stands before. None when there were fewer proxies, or it is no address. A proxy that writes one
/// of the two headers passes the other on as the client wrote it: where they name different addresses, neither is used.
fn proxied_address(headers: &HeaderMap, proxies: usize) -> Option<IpAddr> {
    let at = proxies.checked_sub(1)?;
    let of = |name: HeaderName| {
        let lines = headers.get_all(name).into_iter();
        let texts = lines.filter_map(|line| line.to_str().ok());
        let elements: Vec<&str> = texts.flat_map(|text| text.split(',')).collect();
        elements.into_iter().rev().nth(at)
    };
    let plain = || of(FORWARDED_FOR).and_then(|text| address(text.trim()));
    let standard = || of(header::FORWARDED).and_then(client);
    let has = |name: HeaderName| headers.contains_key(name);
    match (has(FORWARDED_FOR), has(header::FORWARDED)) {
        (true, true) => plain().filter(|plain| standard() == Some(*plain)),
        (true, false) => plain(),
        (false, _) => standard(),
    }
}

/// The address of `for=` in an element of `Forwarded` (RFC 7239).
fn client(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let pair = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    address(pair.1.trim().trim_matches('"'))
}

/// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:443`.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let ip = (bracketed.unwrap_or(text).parse::<IpAddr>().ok()).or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    ip.map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use test_support::table;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn the_outermost_proxy_is_believed_and_nobody_before_it() {
        let one = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        type Fields = &'static [(&'static str, &'static str)];
        let cases: [(Fields, usize, Option<IpAddr>); 15] = table![
            &[("x-forwarded-for", "1.1.1.1")], 0, None;
            &[("x-forwarded-for", "1.1.1.1")], 1, one("1.1.1.1");
            // Forged by the client: the proxy added what it saw.
            &[("x-forwarded-for", "9.9.9.9, 1.1.1.1")], 1, one("1.1.1.1");
            &[("x-forwarded-for", "9.9.9.9, 1.1.1.1,2.2.2.2")], 2, one("1.1.1.1");
            // Past the outer proxy.
            &[("x-forwarded-for", "1.1.1.1")], 2, None;
            &[("x-forwarded-for", "9.9.9.9"), ("x-forwarded-for", "1.1.1.1")], 1, one("1.1.1.1");
            &[("x-forwarded-for", "me")], 1, None;
            &[("x-forwarded-for", "[2001:db8::1]:443")], 1, one("2001:db8::1");
            &[("x-forwarded-for", "::ffff:1.1.1.1")], 1, one("1.1.1.1");
            &[("forwarded", "for=9.9.9.9, proto=https;For=\"[2001:db8::1]:443\"")], 1, one("2001:db8::1");
            &[("forwarded", "for=_hidden")], 1, None;
            // Of two headers the client may have written either.
            &[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "9.9.9.9, 1.1.1.1:80")], 1, one("1.1.1.1");
            &[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "9.9.9.9")], 1, None;
            &[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "me")], 1, None;
            &[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "")], 1, None;
        ];
        for (fields, proxies, expected) in cases {
            assert_eq!(proxied_address(&headers(fields), proxies), expected, "{fields:?} {proxies}");
        }
    }
}
