//! Collections whose rows count: the number of rows that an organisation, or a user without one,
//! may store in them is limited, since nothing else limits it.

use crate::registry::Collection;

/// The owner of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stock {
    /// The relation to the organisation.
    pub organization: &'static str,
    /// The relation to the user whose it is where there is none; empty: there always is.
    pub user: &'static str,
    /// The relation to the organisation in the record that `organization` names, where that
    /// is none itself.
    pub through: Option<&'static str>,
}

impl Collection {
    /// Rows count for the organisation that this relation names, or else for the user that
    /// the other one names.
    pub fn stock(mut self, organization: &'static str, user: &'static str) -> Self {
        self.stock = Some(Stock { organization, user, through: None });
        self
    }

    /// Rows count for the organisation that the record of this relation names by its own.
    pub fn stock_of(mut self, relation: &'static str, owner: &'static str) -> Self {
        self.stock = Some(Stock { organization: relation, user: "", through: Some(owner) });
        self
    }
}
