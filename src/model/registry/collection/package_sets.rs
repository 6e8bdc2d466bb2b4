//! Sets of rows that packages carry: which tables farms send, by the columns that they must have, and which of
//! them a header is (docs/import.md, *Which set a table is*). Must not know how files are read.

use super::naming::{counts_lines, has_form, one_of};
use crate::registry::{AlsoNamed, Class, Collection, Field, Kind, Registry, Writer, nearest, normal};

/// Columns that a table must have in all, so that one is surely of a set.
const HITS: usize = 2;
/// Most names that are proposed for an unknown column.
const NEAREST: usize = 3;

/// Rows of a collection, or of a list of its records, that farms send as tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageSet {
    /// Its name: `milkTests`.
    pub name: &'static str,
    /// The kind of packages that carry it.
    pub kind: &'static str,
    /// Paths of the fields whose columns a table must have.
    pub required: &'static [&'static str],
    /// Of these, a table must have one more at least; empty: none. A value of the first one that cannot be read refuses
    /// its row, as one of a column that a table must have.
    pub one_of: &'static [&'static str],
    /// The list whose rows these are; the record is found by the first required column.
    pub list: Option<&'static str>,
    /// Path of a field, or of a member of such a list, and headings of its column with `|` between them. They stand for
    /// those that the collection has for the field.
    pub headings: &'static [(&'static str, &'static str)],
    /// Values that all its rows have, whatever the table says: path and value.
    pub constants: &'static [(&'static str, &'static str)],
    /// Words for the values of texts: path, value, and words with `|` between them. Other texts hold the row. Of a
    /// relation the value is a name of its row, and other texts are names.
    pub words: &'static [(&'static str, &'static str, &'static str)],
    /// Headings under which alone these words hold; empty: under all.
    pub words_under: &'static str,
    /// Paths of fields that only its rows have: a header with such a column is of this set rather than of one without.
    pub marks: &'static [&'static str],
    /// Whether its rows need the right to write single ones; else the right to send packages is enough.
    pub by_row_rights: bool,
    /// Of values that are published on several [scales](crate::registry::ValueScale); none: it has no such values.
    pub converts: Option<ConvertedRows>,
}

/// What rows say whose values were converted from another scale: paths of fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedRows {
    /// The base of the values, without which none is converted.
    pub base: &'static str,
    /// The day of the row, which may tell the base.
    pub day: &'static str,
    /// Field and value by which a row says that its values were converted.
    pub mark: (&'static str, &'static str),
    /// The text that says from what.
    pub from: &'static str,
}

impl PackageSet {
    /// All rows of a collection, in a kind of packages, with these columns at least.
    pub const fn new(name: &'static str, kind: &'static str, required: &'static [&'static str]) -> Self {
        Self {
            name,
            kind,
            required,
            one_of: &[],
            list: None,
            headings: &[],
            constants: &[],
            words: &[],
            words_under: "",
            marks: &[],
            by_row_rights: false,
            converts: None,
        }
    }
}

impl Collection {
    /// Farms send its rows as a set of a kind of packages.
    pub fn package_set(mut self, set: PackageSet) -> Self {
        self.package_sets.push(set);
        self
    }

    /// Whether its rows may be written by the right to send packages.
    pub fn opens_to_packages(&self) -> bool {
        self.package_sets.iter().any(|set| !set.by_row_rights)
    }

    /// The set of all its rows; none: packages carry only rows of its lists.
    pub fn whole_set(&self) -> Option<&PackageSet> {
        self.package_sets.iter().find(|set| set.list.is_none())
    }

    /// The field of a path; behind a list, the member.
    pub fn member(&self, path: &str) -> Option<&Field> {
        self.field(path).or_else(|| {
            let (list, member) = path.rsplit_once('.')?;
            match &self.field(list)?.kind {
                Kind::Rows(subs) => subs.iter().find(|sub| sub.path == member),
                _ => None,
            }
        })
    }
}

impl PackageSet {
    /// Paths that a table lacks which has columns of these; of several of which one is enough, the first.
    pub fn missing(&self, has: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let one = (self.one_of.first()).filter(|_| !self.one_of.iter().any(|path| has(path)));
        let required = self.required.iter().filter(|path| !has(path));
        required.chain(one).copied().collect()
    }

    /// Paths of fields without whose values a row is refused.
    pub fn decisive(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.one_of.first()).copied()
    }

    /// Whether it is rows of one kind, beside the set of all rows of the collection.
    pub fn is_one_kind(&self, c: &Collection) -> bool {
        let whole = c.whole_set().is_some_and(|whole| whole.name == self.name);
        !self.constants.is_empty() && !whole
    }

    /// Whether a header has a column that only rows of this set have: one that tells the kind of the rows, where the
    /// set is rows of one kind.
    fn is_marked(&self, c: &Collection, heads: &[String]) -> bool {
        let marks = |head: &String| {
            let own = self.own_heading(c, head).map(|(path, _)| path);
            let common = c.heading(head).map(|(path, _)| path);
            own.is_some_and(|own| match self.is_one_kind(c) {
                true => Some(own.as_str()) != common,
                false => self.marks.contains(&own.as_str()),
            })
        };
        heads.iter().any(marks)
    }

    /// The value that a cell under a heading means, by the words of the set; none: the column has no words.
    pub fn worded(&self, path: &str, heading: &str, cell: &str) -> Option<Result<&'static str, ()>> {
        if !self.words_under.is_empty() && !one_of(self.words_under, &normal(heading)) {
            return None;
        }
        let wanted = normal(cell);
        let mut words = self.words.iter().filter(|(one, ..)| *one == path);
        let means =
            |(_, value, words): &&(&str, &'static str, &str)| has_form(value, &wanted) || one_of(words, &wanted);
        let is_declared = words.clone().next().is_some();
        is_declared.then(|| words.find(means).map(|(_, value, _)| *value).ok_or(()))
    }

    /// The paths of the fields that columns of this set can mean, in the order of the declaration.
    pub fn paths(&self, c: &Collection) -> Vec<String> {
        let members = |list: &str| match c.field(list).map(|field| &field.kind) {
            Some(Kind::Rows(subs)) => (subs.iter()).map(|sub| format!("{list}.{}", sub.path)).collect(),
            _ => Vec::new(),
        };
        let all: Vec<String> = match self.list {
            Some(list) => {
                let required = self.required.iter().map(|path| (*path).to_owned());
                let mut all: Vec<String> = required.collect();
                all.extend(members(list));
                all
            }
            None => c.fields.iter().map(|field| field.path.clone()).collect(),
        };
        let mut paths: Vec<String> = Vec::new();
        for path in all {
            let means = self.own_heading(c, &path);
            let plain = c.member(&path).is_some_and(|field| {
                !matches!(field.kind, Kind::Rows(_) | Kind::Json | Kind::Password | Kind::Relations(_))
            });
            if plain && means.is_some_and(|(own, _)| own == path) && !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The path that a heading means in this set, and the factor of a unit in it.
    pub fn heading(&self, c: &Collection, text: &str) -> Option<(String, f64)> {
        self.own_heading(c, text).or_else(|| {
            let also = self.also_heading(c, text)?;
            Some((also.path.to_owned(), 1.0))
        })
    }

    /// The column that a heading is which names the row of a field by another number: it counts
    /// where no other column means that field.
    pub fn also<'c>(&self, c: &'c Collection, text: &str) -> Option<&'c AlsoNamed> {
        match self.own_heading(c, text) {
            Some(_) => None,
            None => self.also_heading(c, text),
        }
    }

    fn also_heading<'c>(&self, c: &'c Collection, text: &str) -> Option<&'c AlsoNamed> {
        let wanted = normal(text);
        c.naming.also.iter().filter(|_| !counts_lines(text)).find(|also| {
            // The record of a list is found by its first number, other rows by a relation.
            let names = match self.list {
                Some(_) => self.required.first() == Some(&also.path),
                None => c.field(also.path).and_then(Field::target).is_some(),
            };
            names && one_of(also.headings, &wanted)
        })
    }

    fn own_heading(&self, c: &Collection, text: &str) -> Option<(String, f64)> {
        if counts_lines(text) {
            return None;
        }
        let own = |path: &str| {
            let field = c.member(path)?;
            let written = field.class != Class::Hidden && field.writer != Writer::Server;
            written.then(|| path.to_owned())
        };
        let wanted = normal(text);
        let declared = self.headings.iter().find(|(_, headings)| match self.list {
            Some(_) => has_form(headings, &wanted),
            None => one_of(headings, &wanted),
        });
        let exact = self.list.is_none() && c.field(text.trim()).is_some();
        if let Some((path, _)) = declared.filter(|_| !exact) {
            return Some((own(path)?, 1.0));
        }
        let Some(list) = self.list else {
            let (path, factor) = c.heading(text)?;
            let renamed = self.headings.iter().any(|(one, _)| *one == path);
            if renamed && !exact {
                return None;
            }
            return Some((own(path)?, factor));
        };
        let path = text.trim();
        let member = match path.strip_prefix(list) {
            Some(rest) => rest.trim_start_matches('.'),
            None => path,
        };
        if let Some(path) = own(&format!("{list}.{member}")) {
            return Some((path, 1.0));
        }
        // In words: `Milk yield`.
        let subs = match c.field(list).map(|field| &field.kind) {
            Some(Kind::Rows(subs)) => subs.as_slice(),
            _ => &[],
        };
        let spelled = subs.iter().find(|sub| one_of(&sub.path, &wanted));
        if let Some(path) = spelled.and_then(|sub| own(&format!("{list}.{}", sub.path))) {
            return Some((path, 1.0));
        }
        // The columns by which the record is found are named as those of records.
        let (path, factor) = c.heading(text)?;
        self.required.contains(&path).then(|| (path.to_owned(), factor))
    }

    pub fn columns(&self, c: &Collection, heads: &[String]) -> Vec<SetColumn> {
        let column = |head: &String| {
            let meaning = self.heading(c, head);
            let near = match meaning {
                Some(_) => Vec::new(),
                None => self.near(c, head),
            };
            let (path, factor) = meaning.map_or((None, 1.0), |(path, by)| (Some(path), by));
            SetColumn { title: head.clone(), path, factor, near }
        };
        heads.iter().map(column).collect()
    }

    /// Usual headings that are like an unknown one.
    fn near(&self, c: &Collection, head: &str) -> Vec<String> {
        let of_collection = match self.list {
            None => c.naming.headings.as_slice(),
            Some(_) => &[],
        };
        let mut usual: Vec<&str> =
            (of_collection.iter().chain(self.headings)).flat_map(|(_, headings)| headings.split('|')).collect();
        let mut near = Vec::new();
        while near.len() < NEAREST {
            let Some(nearest) = nearest(head, usual.iter().copied()) else {
                break;
            };
            near.push(nearest.to_owned());
            usual.retain(|heading| *heading != nearest);
        }
        near
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct SetColumn {
    /// Its heading.
    pub title: String,
    /// The path that it means; none: unknown.
    pub path: Option<String>,
    /// To the unit of the model.
    pub factor: f64,
    /// Headings that are like an unknown one.
    pub near: Vec<String>,
}

/// A set that a header can be.
#[derive(Debug, Clone)]
pub struct ScoredSet<'r> {
    /// The collection that declares it.
    pub collection: &'r Collection,
    pub set: &'r PackageSet,
    /// Fields that columns mean.
    pub hits: usize,
    /// Hits, and twice the required columns.
    pub score: usize,
    /// Whether a column is one that only rows of the set have.
    pub marked: bool,
}

impl Registry {
    /// All sets, with the collections that declare them.
    pub fn package_sets(&self) -> impl Iterator<Item = (&Collection, &PackageSet)> {
        self.iter().flat_map(|c| c.package_sets.iter().map(move |set| (c, set)))
    }

    /// The sets that a header can be, the best first: those whose required columns it has. A set of rows of one kind
    /// needs a column that tells the kind, and gives way to sets that know more of the columns.
    pub fn sets_of(&self, heads: &[String]) -> Vec<ScoredSet<'_>> {
        let scored = |collection: &Collection, set: &PackageSet| {
            let mut paths: Vec<String> =
                (heads.iter()).filter_map(|head| Some(set.heading(collection, head)?.0)).collect();
            paths.sort_unstable();
            paths.dedup();
            let missing = set.missing(|path| paths.iter().any(|one| one == path));
            let score = paths.len() + 2 * set.decisive().count();
            let marked = set.is_marked(collection, heads);
            let complete = missing.is_empty() && (marked || !set.is_one_kind(collection));
            complete.then_some((paths.len(), score, marked))
        };
        let mut sets: Vec<ScoredSet<'_>> = (self.package_sets())
            .filter_map(|(collection, set)| {
                let (hits, score, marked) = scored(collection, set)?;
                Some(ScoredSet { collection, set, hits, score, marked })
            })
            .collect();
        let is_part = |one: &ScoredSet<'_>| one.set.is_one_kind(one.collection);
        let whole = sets.iter().filter(|one| !is_part(one));
        let most = whole.map(|one| one.hits).max().unwrap_or_default();
        sets.retain(|one| !is_part(one) || one.hits >= most);
        sets.sort_by_key(|scored| std::cmp::Reverse(scored.score));
        sets
    }

    /// The set of which a header has columns that no other has, if it lacks others that it must have; of several the one
    /// that knows most columns. Where another one is surely the one (of `sets`, the best first), this one is meant only
    /// if the day of its rows is what it lacks, it knows all columns that the other knows, and is of another collection.
    pub fn lacking_set(&self, heads: &[String], sets: &[ScoredSet<'_>]) -> Option<(&Collection, &PackageSet)> {
        let marked = self.package_sets().filter(|(c, set)| !set.is_one_kind(c) && set.is_marked(c, heads));
        let known = |(c, set): &(&Collection, &PackageSet)| {
            let columns = heads.iter().filter(|head| set.heading(c, head).is_some());
            columns.count()
        };
        let (c, set) = marked.min_by_key(|of| std::cmp::Reverse(known(of)))?;
        let has = |path: &str| {
            let mut meanings = heads.iter().filter_map(|head| set.heading(c, head));
            meanings.any(|(one, _)| one == path)
        };
        let missing = set.missing(has);
        let has_day = !missing.iter().any(|path| c.happens == Some(*path));
        let knows = |head: &String| set.heading(c, head).is_some() || c.is_unread(head);
        let knows_more =
            |other: &ScoredSet<'_>| heads.iter().any(|h| other.set.heading(other.collection, h).is_some() && !knows(h));
        let is_own = |other: &ScoredSet<'_>| other.collection.slug == c.slug;
        let is_other = is_sure(sets) && sets.first().is_some_and(|best| has_day || is_own(best) || knows_more(best));
        (!missing.is_empty() && !is_other).then_some((c, set))
    }
}

/// Whether the best of the sets is the one: two columns at least, and half as much again as the next; or a column that
/// only its rows have, where the others have none such and know no more of the columns.
pub fn is_sure(sets: &[ScoredSet<'_>]) -> bool {
    let Some(best) = sets.first() else {
        return false;
    };
    let next = sets.get(1).map_or(0, |next| next.score);
    let mut others = sets.iter().skip(1);
    let less = |other: &ScoredSet<'_>| other.hits <= best.hits && other.score < best.score;
    let marked = best.marked && others.all(|other| !other.marked && less(other));
    best.hits >= HITS && (best.score * 2 >= next * 3 || marked)
}

/// Faults of the sets of a collection.
pub(crate) fn check(c: &Collection, fault: &mut dyn FnMut(&str, &'static str, String)) {
    for set in &c.package_sets {
        let paths = (set.required.iter()).chain(set.one_of);
        let paths = paths.chain(set.headings.iter().map(|(path, _)| path));
        let paths = paths.chain(set.constants.iter().map(|(path, _)| path));
        let paths = paths.chain(set.words.iter().map(|(path, ..)| path));
        let paths = paths.chain(set.marks);
        for path in paths.chain(set.list.iter()) {
            if c.member(path).is_none() {
                let message = format!("named by the set {} of packages", set.name);
                fault(path, "no-such-field", message);
            }
        }
    }
}
