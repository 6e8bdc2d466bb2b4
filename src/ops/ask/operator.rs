//! The operators of conditions.

/// The operators of the dialect. Those of geometry are not known: no field has points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equals,
    NotEquals,
    In,
    NotIn,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Like,
    NotLike,
    Contains,
    Exists,
    All,
}

impl Operator {
    /// Whether it looks at each value, regardless of indexes.
    pub(super) fn scans(self) -> bool {
        matches!(self, Self::Like | Self::NotLike | Self::Contains)
    }

    /// By its word, which is case-sensitive.
    pub(super) fn read(word: &str) -> Option<Self> {
        Some(match word {
            "equals" => Self::Equals,
            "not_equals" => Self::NotEquals,
            "in" => Self::In,
            "not_in" => Self::NotIn,
            "greater_than" => Self::Greater,
            "greater_than_equal" => Self::GreaterEqual,
            "less_than" => Self::Less,
            "less_than_equal" => Self::LessEqual,
            "like" => Self::Like,
            "not_like" => Self::NotLike,
            "contains" => Self::Contains,
            "exists" => Self::Exists,
            "all" => Self::All,
            _ => return None,
        })
    }
}
