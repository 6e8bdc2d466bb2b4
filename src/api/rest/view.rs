//! How documents are to be shown.

use crate::AppState;

use model::query::qs::Tree;

/// What a query says of the look of documents.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Levels of relations shown as documents.
    pub(crate) depth: u8,
    whole: ops::View,
}

impl View {
    pub(crate) fn read(app: &AppState, query: &Tree) -> Self {
        let whole = ops::View::read(query, app.settings.depth);
        Self { depth: whole.depth, whole }
    }
}

impl From<ops::View> for View {
    fn from(whole: ops::View) -> Self {
        Self { depth: whole.depth, whole }
    }
}

impl From<View> for ops::View {
    fn from(view: View) -> Self {
        Self { depth: view.depth, ..view.whole }
    }
}

impl From<&View> for ops::View {
    fn from(view: &View) -> Self {
        view.clone().into()
    }
}
