//! The ancestors of one record.

use crate::document::Lineage;
use crate::find::readable;
use crate::{Book, View};
use model::error::{Error, Result};
use model::registry::{Collection, Principal};
use std::sync::Arc;

/// The most generations that are shown.
pub const GENERATIONS_MAX: u8 = 10;

impl Book {
    /// The record with its ancestors: `{id, generations, nodes: [{number, generation, doc}], completeness:
    /// [{generation, known, possible, percent}], pedigreeDepth}`, nodes by number.
    ///
    /// Whoever sees the parents of the record sees its ancestors: of those that the caller may not read, the identity
    /// that the collection declares ([`Collection::identity`]), in nodes with `closed: true`.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such record, the caller may not read it, or the
    /// collection has no lineage; [`Error::Forbidden`] when the collection is closed.
    pub async fn lineage(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
        generations: u8,
        view: &View,
    ) -> Result<Vec<u8>> {
        let reader = self.reader(caller);
        readable(&reader, c)?;
        let lineage = Lineage::viewed(&reader.gate(), c, view, generations.min(GENERATIONS_MAX))?;
        let mut written = lineage.written(&reader, vec![id]).await?;
        written.remove(&id).ok_or(Error::NotFound)
    }
}
