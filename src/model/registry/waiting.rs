//! Which rows wait for somebody, and which are news to somebody.

/// Who has to do something about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignee {
    Association,
    /// The organisation that this relation of the row names.
    Party(&'static str),
}

/// Rows that wait for somebody: those in one of these states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Who has to do something.
    pub assignee: Assignee,
    /// The field of the state.
    pub path: &'static str,
    /// The states in which the row waits.
    pub states: &'static [&'static str],
    /// A field that must be filled; it is shown with the row.
    pub filled: Option<&'static str>,
    /// The relation to whoever may decide by now, from a related record; it must lead to the assignee.
    pub decides: Option<&'static str>,
}

/// Rows that came to an organisation lately, as others made them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// The relation to the organisation.
    pub party: &'static str,
    /// The day or time at which they came.
    pub at: &'static str,
    /// The day on which it happened, and for how many days it is news; what is older is history.
    pub happened: Option<(&'static str, i64)>,
    /// Choices, and the values of them that count.
    pub of: &'static [(&'static str, &'static [&'static str])],
    /// A field that must be filled.
    pub filled: Option<&'static str>,
    /// Fields that are shown with the row, whatever columns its table has.
    pub shows: &'static [&'static str],
}

/// Rows that wait for nobody, whatever other states they have: those in one of these states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// The field of the state.
    pub path: &'static str,
    pub states: &'static [&'static str],
}
