//! What changed since a sequence number, as the highest number for each location and
//! data set: enough to wake clients that then read the feed.

use crate::documents::names::{Names, name_of};
use crate::feed::Feeds;
use crate::rules::EVERYTHING;
use model::error::Result;
use store::{Sql, Store, Ty};

/// What begins the name of the data set of a set of animals.
const ANIMAL_SET: &str = "set-";

/// The name of the data set of a set of animals.
pub fn set_name(number: i64) -> String {
    format!("{ANIMAL_SET}{number}")
}

/// The number of the set of animals that a data set is named by.
pub fn set_number(name: &str) -> Option<i64> {
    let number = name.strip_prefix(ANIMAL_SET)?;
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| number.parse().ok()).flatten()
}

/// The last change of a data set at a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastChange {
    /// The organisation whose location it is.
    pub location: i64,
    pub dataset: String,
    /// Its highest place in commit order.
    pub seq: i64,
}

/// What a listener gets notices about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoticeScope<'a> {
    pub location: Option<i64>,
    /// A data set, [`EVERYTHING`], or that of a set of animals.
    pub dataset: &'a str,
}

impl Feeds {
    /// The last place in commit order that was given out.
    pub async fn newest(&self, store: &Store) -> Result<i64> {
        let rows = store.rows(Sql::new("SELECT seq FROM book_sequence WHERE id = 1")).await?;
        Ok(rows.first().and_then(|row| row.int(0)).unwrap_or(0))
    }

    /// What changed after a place and up to another, by location and data set: one statement,
    /// which reads each document of that stretch once.
    pub async fn heads(&self, store: &Store, (after, upto): (i64, i64)) -> Result<Vec<LastChange>> {
        let sql = Sql::new(&format!(
            "SELECT heads.location, {}, heads.seq FROM (SELECT location, dataset, max(seq) AS seq \
             FROM exchange_documents WHERE seq > ",
            name_of("heads.dataset")
        ))
        .with(Ty::Int, after)
        .and(" AND seq <= ")
        .with(Ty::Int, upto)
        .and(" GROUP BY location, dataset) AS heads");
        let rows = store.rows(sql).await?;
        let head = |row: &store::Row| {
            Some(LastChange { location: row.int(0)?, dataset: row.text(1)?.to_owned(), seq: row.int(2)? })
        };
        Ok(rows.iter().filter_map(head).collect())
    }

    /// The last change in that stretch that concerns a listener: documents about the members of a set of animals and
    /// the set itself, or those of a data set; by one statement beside the one that reads the set.
    pub async fn last_change(
        &self,
        store: &Store,
        scope: NoticeScope<'_>,
        (after, upto): (i64, i64),
    ) -> Result<Option<i64>> {
        let mut sql = Sql::new("SELECT seq FROM exchange_documents WHERE seq > ")
            .with(Ty::Int, after)
            .and(" AND seq <= ")
            .with(Ty::Int, upto);
        let mut location = scope.location;
        if let Some(number) = set_number(scope.dataset) {
            let Some(set) = self.animal_set(store, location, number).await? else { return Ok(None) };
            location = Some(set.location);
            sql.push(" AND (animal IN (SELECT animal FROM exchange_members WHERE animal_set = ");
            sql.bind(Ty::Int, set.id).push(" AND member = ");
            sql.bind(Ty::Bool, true).push(") OR (dataset = ").name_number(self.rules.mappings().sets());
            sql.push(" AND record = ").bind(Ty::Int, set.id).push("))");
        } else if scope.dataset != EVERYTHING {
            sql.push(" AND dataset = ").name_number(scope.dataset);
        }
        if let Some(location) = location {
            sql.push(" AND location = ").bind(Ty::Int, location);
        }
        sql.push(" ORDER BY seq DESC LIMIT 1");
        let rows = store.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.int(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::set_number;

    #[test]
    fn sets_of_animals_are_named_by_their_number() {
        assert_eq!(set_number("set-17"), Some(17));
        for other in ["set-", "set-x", "set--1", "weights", "set-99999999999999999999"] {
            assert_eq!(set_number(other), None, "{other}");
        }
    }
}
