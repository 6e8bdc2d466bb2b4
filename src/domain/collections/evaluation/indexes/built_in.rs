//! A profile as sums need it, and the profiles that every book has, which are no rows. The model names seven; an eighth
//! that it mentions has no weights there.

use crate::collections::computed::decimals;
use crate::collections::evaluation::views::ASSOCIATION;
use crate::derive::index::{Kind, TRAITS, Weights};
use model::record::Value;
use serde_json::Map;

/// A profile.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    /// `profileKey` of its values.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) weights: Weights,
    /// The organisation whose profile it is; none: built in, or of the Association.
    pub(super) organization: Option<i64>,
}

impl Profile {
    /// Whether animals of an owner have a value by it: by a farm's profile its own animals.
    pub(super) fn applies(&self, owner: Option<i64>) -> bool {
        self.organization.is_none() || self.organization == owner
    }

    /// The word for its kind.
    pub(super) fn kind_word(&self) -> &'static str {
        match self.kind {
            Kind::Selection => "selection",
            Kind::Economic => "economic",
        }
    }

    /// Its weights by trait, without those that are 0.
    pub(super) fn weights_by_trait(&self) -> Value {
        let weights = TRAITS.iter().zip(self.weights);
        let weights = weights.filter(|(_, weight)| *weight != 0.0);
        let weights: Map<_, _> = weights.map(|(one, weight)| (one.key.to_owned(), weight.into())).collect();
        Value::json(decimals(weights.into()))
    }
}

/// Key, name, kind and weights, of the latter in the order of the traits: milk, fat, protein, longevity, udder health,
/// fertility, calving ease, calf mortality, body, udder, legs.
const BUILT_IN: [(&str, &str, Kind, Weights); 7] = [
    (ASSOCIATION, "Association index", Kind::Selection, [3.0, 27.0, 14.0, 16.0, 6.0, 6.0, 4.0, 6.0, -8.0, 6.0, 4.0]),
    ("nm", "Net Merit", Kind::Selection, [4.0, 36.0, 15.0, 15.0, 3.0, 2.0, 4.0, 7.0, -12.0, 1.0, 1.0]),
    ("tpi", "TPI", Kind::Selection, [3.0, 20.0, 19.0, 13.0, 5.0, 8.0, 3.0, 3.0, -3.0, 15.0, 8.0]),
    ("cheese", "Cheese Merit", Kind::Selection, [2.0, 14.0, 34.0, 14.0, 8.0, 6.0, 3.0, 4.0, -6.0, 6.0, 3.0]),
    ("longevity", "Longevity", Kind::Selection, [0.0, 12.0, 8.0, 28.0, 10.0, 8.0, 2.0, 4.0, -4.0, 14.0, 10.0]),
    ("calving", "Calving", Kind::Selection, [0.0, 14.0, 8.0, 12.0, 5.0, 8.0, 24.0, 18.0, -3.0, 5.0, 3.0]),
    (
        "profit",
        "Profit",
        Kind::Economic,
        [20.0, 1_320.0, 1_170.0, 3_170.0, 5_400.0, 3_780.0, 2_590.0, 490.0, -5_400.0, 0.0, 0.0],
    ),
];

/// Their keys.
pub(super) fn keys() -> [&'static str; 7] {
    BUILT_IN.map(|(key, ..)| key)
}

/// The built-in profiles.
pub(super) fn profiles() -> Vec<Profile> {
    let of = |(key, name, kind, weights)| Profile {
        key: String::from(key),
        name: String::from(name),
        kind,
        weights,
        organization: None,
    };
    BUILT_IN.map(of).into()
}

#[cfg(test)]
mod tests {
    use super::BUILT_IN;
    use crate::derive::index::Kind;

    #[test]
    fn shares_add_up_to_a_hundred() {
        for (key, _, kind, weights) in BUILT_IN {
            let sum: f64 = weights.iter().map(|weight| weight.abs()).sum();
            assert!(kind == Kind::Economic || sum == 100.0, "{key}: {sum}");
        }
    }
}
