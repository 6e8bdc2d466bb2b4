//! What a client accepts: header fields of names with weights (RFC 9110, 12.4.2).

use axum::http::{HeaderMap, HeaderName};

/// The names of a field, each with its weight in thousandths; elements that cannot be understood are left out.
pub(crate) fn weighted(headers: &HeaderMap, field: HeaderName) -> Vec<(&str, u16)> {
    let fields = headers.get_all(field).iter().filter_map(|field| field.to_str().ok());
    fields.flat_map(|text| text.split(',')).filter_map(read).collect()
}

fn read(element: &str) -> Option<(&str, u16)> {
    let mut words = element.split(';').map(str::trim);
    let name = words.next().filter(|name| !name.is_empty())?;
    let weight = words.find_map(|word| {
        let (name, value) = word.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    let weight = match weight {
        Some(text) => text.parse::<f32>().ok().filter(|weight| (0.0..=1.0).contains(weight))?,
        None => 1.0,
    };
    // At most three digits count, so that the rounded number is exact.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    let thousandths = (weight * 1000.0).round() as u16;
    Some((name, thousandths))
}
