//! Numbers in operands: from text or JSON to what columns hold.

use super::operator::Operator;
use model::query::qs::Tree;
use model::record::Value;
use serde_json::Value as Json;

#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Whole(i64),
    Decimal(f64),
}

/// Reads a number, from text or as JSON has it.
pub(super) fn number(operand: &Tree) -> Option<Number> {
    let decimal = |n: f64| n.is_finite().then_some(Number::Decimal(n));
    match operand {
        Tree::Text(text) => {
            let text = text.trim();
            // The words for infinity and not-a-number are no numbers here.
            let plain = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
            if let Ok(whole) = text.parse() {
                return Some(Number::Whole(whole));
            }
            text.parse().ok().filter(|_| text.bytes().all(plain)).and_then(decimal)
        }
        Tree::Scalar(Json::Number(n)) => match n.as_i64() {
            Some(whole) => Some(Number::Whole(whole)),
            None => n.as_f64().and_then(decimal),
        },
        Tree::Scalar(_) | Tree::List(_) | Tree::Map(_) => None,
    }
}

impl Number {
    /// As decimal columns hold it.
    #[expect(clippy::cast_precision_loss, reason = "decimal columns hold no more")]
    pub(super) fn decimal(self) -> f64 {
        match self {
            Self::Whole(n) => n as f64,
            Self::Decimal(n) => n,
        }
    }
    /// Itself as an integer, if it is whole.
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    pub(super) fn exact(self) -> Option<i64> {
        match self {
            Self::Whole(n) => Some(n),
            Self::Decimal(n) => (n.fract() == 0.0 && n.abs() < 1e15).then_some(n as i64),
        }
    }
    /// The whole number with which the comparison says the same about whole numbers.
    #[expect(clippy::cast_possible_truncation, reason = "saturates, as it should")]
    pub(super) fn towards(self, operator: Operator) -> Value {
        Value::Int(match (self, operator) {
            (Self::Whole(n), _) => n,
            (Self::Decimal(n), Operator::Greater | Operator::LessEqual) => n.floor() as i64,
            (Self::Decimal(n), _) => n.ceil() as i64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Operator, number};
    use model::query::qs::Tree;
    use model::record::Value;

    fn read(text: &str) -> Option<super::Number> {
        number(&Tree::Text(text.to_owned()))
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", " ", "abc", "NaN", "inf", "infinity", "1e999", "0x10", "1,5", "5 6"] {
            assert!(read(text).is_none(), "{text}");
        }
        let wholes = ["5", " 5 ", "5.0", "+5", "5e0"];
        assert!(wholes.iter().all(|t| read(t).and_then(super::Number::exact) == Some(5)));
        assert_eq!(read("5.5").and_then(super::Number::exact), None);
    }

    #[test]
    fn fractions_compare_with_whole_numbers_rightly() {
        let holds = |n: i64, operator, limit: i64| match operator {
            Operator::Greater => n > limit,
            Operator::GreaterEqual => n >= limit,
            Operator::Less => n < limit,
            _ => n <= limit,
        };
        let exact = |n: i64, operator, limit: f64| match operator {
            Operator::Greater => n as f64 > limit,
            Operator::GreaterEqual => n as f64 >= limit,
            Operator::Less => (n as f64) < limit,
            _ => n as f64 <= limit,
        };
        for limit in ["-1.5", "-0.5", "0.5", "2", "2.5", "1e300", "-1e300"] {
            for operator in [Operator::Greater, Operator::GreaterEqual, Operator::Less, Operator::LessEqual] {
                let Value::Int(whole) = read(limit).unwrap().towards(operator) else {
                    panic!("{limit}");
                };
                for n in -4..5 {
                    let right = exact(n, operator, limit.parse().unwrap());
                    assert_eq!(holds(n, operator, whole), right, "{n} {operator:?} {limit}");
                }
            }
        }
    }
}
