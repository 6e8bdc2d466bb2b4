use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The key as it was returned, `webhook-id`, `webhook-timestamp` and `webhook-signature`, the
/// body as it came, and the time in epoch seconds.
pub fn verified(key: &str, [id, sent, signed]: [&str; 3], body: &str, now: i64) -> bool {
    let key = key.strip_prefix("whsec_").map(|key| STANDARD.decode(key));
    let (Some(Ok(key)), Ok(at)) = (key, sent.parse::<i64>()) else {
        return false;
    };
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(&key) else {
        return false;
    };
    let mac = mac.chain_update(format!("{id}.{sent}.{body}"));
    let fits = |one: &str| {
        let one = one.strip_prefix("v1,").map(|one| STANDARD.decode(one));
        matches!(one, Some(Ok(one)) if mac.clone().verify_slice(&one).is_ok())
    };
    (now - at).abs() <= 300 && signed.split(' ').any(fits)
}
