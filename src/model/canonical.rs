//! JSON in the one form of RFC 8785 (JCS), so that equal values are equal bytes for everybody who
//! hashes or signs them.

use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

/// A number that is none of IEEE 754 double precision, to which the form is bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no number of double precision")]
pub struct NoDouble(String);

/// The form: no white space, members in the order of the UTF-16 units of their names, numbers and
/// texts as ECMAScript writes them. A number counts as the double that is nearest to it.
///
/// # Errors
/// [`NoDouble`] for a number beyond all doubles.
pub fn canonical(value: &Value) -> Result<String, NoDouble> {
    let mut out = String::new();
    write(&mut out, value)?;
    Ok(out)
}

/// The canonical form of an object.
///
/// # Errors
/// As [`canonical`].
pub fn canonical_object(members: &Map<String, Value>) -> Result<String, NoDouble> {
    let mut out = String::new();
    object(&mut out, members)?;
    Ok(out)
}

fn write(out: &mut String, value: &Value) -> Result<(), NoDouble> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&double(number)?),
        Value::String(text) => string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(out, item)?;
            }
            out.push(']');
        }
        Value::Object(members) => object(out, members)?,
    }
    Ok(())
}

fn object(out: &mut String, members: &Map<String, Value>) -> Result<(), NoDouble> {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (at, (name, value)) in sorted.into_iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        string(out, name);
        out.push(':');
        write(out, value)?;
    }
    out.push('}');
    Ok(())
}

/// Quotes, backslashes and controls are escaped, and nothing else.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => {
                // Writing into a text cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn double(number: &Number) -> Result<String, NoDouble> {
    let fault = || NoDouble(number.to_string());
    let value: f64 = number.to_string().parse().map_err(|_| fault())?;
    value.is_finite().then(|| shortest(value)).ok_or_else(fault)
}

/// The fewest digits that give the same double, with the exponent behind an `e`. Of two that are
/// equally near it is the even one, where the library takes the greater.
fn fewest(value: f64) -> String {
    let some = format!("{value:e}");
    let digits = some.bytes().take_while(|b| *b != b'e');
    let places = digits.filter(u8::is_ascii_digit).count().saturating_sub(1);
    let nearest = format!("{value:.places$e}");
    // Below a power of two the nearest one may be that of the neighbour.
    match nearest.parse::<f64>() {
        Ok(same) if same.to_bits() == value.to_bits() => nearest,
        _ => some,
    }
}

/// `Number::toString` of ECMAScript: the fewest digits, plain from 1e-6 up to 1e21.
fn shortest(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = fewest(value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let sign = if value < 0.0 { "-" } else { "" };
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    let (first, rest) = digits.split_at(1);
    match exponent {
        ..-6 | 21.. => {
            let point = if rest.is_empty() { "" } else { "." };
            format!("{sign}{first}{point}{rest}e{exponent:+}")
        }
        -6..0 => format!("{sign}0.{}{digits}", zeros(-exponent - 1)),
        _ if exponent + 1 >= count => format!("{sign}{digits}{}", zeros(exponent + 1 - count)),
        _ => {
            let (whole, part) = digits.split_at(usize::try_from(exponent + 1).unwrap_or(1));
            format!("{sign}{whole}.{part}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{canonical, shortest};
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use serde_json::{Value, json};

    /// RFC 8785, appendix B.
    #[test]
    fn numbers_are_those_of_the_rfc() {
        for (bits, text) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(shortest(f64::from_bits(bits)), text);
        }
    }

    /// RFC 8785, section 3.2.2.
    #[test]
    fn the_example_of_the_rfc() {
        let text = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                        \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(&value).unwrap(), expected);
    }

    /// RFC 8785, section 3.2.3.
    #[test]
    fn members_are_in_the_order_of_their_utf16_units() {
        let text = r#"{
            "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis"
        }"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let text = canonical(&value).unwrap();
        let order = ["Carriage Return", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"];
        let places = order.map(|word| text.find(word).unwrap());
        assert!(places.is_sorted(), "{text}");
    }

    #[test]
    fn numbers_are_doubles_and_what_is_none_is_refused() {
        let read = |text: &str| canonical(&serde_json::from_str(text).unwrap());
        assert_eq!(read("9007199254740993").unwrap(), "9007199254740992");
        assert_eq!(read("[-0, 1.0, 1e2, 12.50]").unwrap(), "[0,1,100,12.5]");
        assert!(read("{\"a\": [1e400]}").is_err());
        assert!(read("-1e400").is_err());
    }

    proptest! {
        #[test]
        fn a_double_is_read_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                prop_assert_eq!(shortest(value).parse::<f64>().unwrap(), value);
            }
        }

        #[test]
        fn the_form_of_the_form_is_itself(text in ".*", number in any::<f64>(), key in ".*") {
            let value = json!({key: [text, number, {"b": 1, "a": null}]});
            if let Ok(once) = canonical(&value) {
                let parsed: Value = serde_json::from_str(&once).unwrap();
                prop_assert_eq!(canonical(&parsed).unwrap(), once);
            }
        }
    }
}
