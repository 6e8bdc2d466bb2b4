//! Which columns the table of a collection has.

use model::display::called;
use model::messages::{Language, labels};
use model::registry::{Class, Collection, Field, Kind, Registry, Wording};

/// A column of a list that a visitor composes: a field, a member of a list of rows, or a field of a related record.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) path: String,
    pub(crate) field: &'static Field,
    pub(crate) list: Option<&'static Field>,
    /// The relation, and the collection that it leads to.
    pub(crate) related: Option<(&'static Field, &'static Collection)>,
}

impl Column {
    pub(crate) fn of(field: &'static Field) -> Self {
        Self { path: field.path.clone(), field, list: None, related: None }
    }

    /// The column of a path; none where there is none.
    pub(crate) fn at(registry: &'static Registry, c: &'static Collection, path: &str) -> Option<Self> {
        if let Some(field) = c.field(path) {
            return may_stand(field).then(|| Self::of(field));
        }
        path.match_indices('.').find_map(|(dot, _)| {
            let (head, tail) = (path.get(..dot)?, path.get(dot.saturating_add(1)..)?);
            let head = c.field(head)?;
            let member = Self::members(head).find(|column| column.field.path == tail);
            member.or_else(|| Self::of_related(head, target(registry, head)?, tail))
        })
    }

    /// The columns of related records that are offered: what these are called by, what tells them apart, and their own
    /// columns.
    pub(crate) fn related(registry: &'static Registry, relation: &'static Field) -> Vec<Self> {
        let Some(to) = target(registry, relation).filter(|to| !to.access.subjects.is_empty()) else {
            return Vec::new();
        };
        let apart = to.ui.roster.map_or(&[][..], |roster| roster.apart);
        let usual = of(to).into_iter().map(|field| field.path.as_str());
        let mut all: Vec<Self> = Vec::new();
        for path in called(to).into_iter().chain(apart.iter().copied()).chain(usual) {
            if !all.iter().any(|own| own.field.path == path) {
                all.extend(Self::of_related(relation, to, path));
            }
        }
        all
    }

    /// The column of a field of related records, if that needs neither a further record nor others of their fields.
    fn of_related(relation: &'static Field, to: &'static Collection, path: &str) -> Option<Self> {
        let field = to.field(path).filter(|field| is_shown(field) && field.target().is_none())?;
        let alone = !matches!(
            field.wording,
            Wording::PathIn(_) | Wording::PathInSet(_) | Wording::ValueIn(..) | Wording::Record(_)
        );
        let path = format!("{}.{path}", relation.path);
        alone.then_some(Self { path, field, list: None, related: Some((relation, to)) })
    }

    /// Whether rows may be asked for by it, and be sorted by it where they have one value of it each.
    pub(crate) fn may_be_condition(&self) -> bool {
        self.list.is_none() && self.related.is_none() || self.field.class == Class::Row
    }

    /// What people call it, with the relation to the record that has it.
    pub(crate) fn label(&self, language: Language, c: &Collection) -> String {
        match self.related {
            Some((relation, to)) => {
                let field = labels::field(language, to.slug, &self.field.path);
                format!("{}: {field}", labels::field(language, c.slug, &relation.path))
            }
            None => labels::field(language, c.slug, &self.path),
        }
    }

    /// The columns of the members of a list of rows.
    pub(crate) fn members(list: &'static Field) -> impl Iterator<Item = Self> {
        let members = match &list.kind {
            Kind::Rows(members) if may_stand(list) => members.as_slice(),
            _ => &[],
        };
        let own = members.iter().filter(|member| may_stand(member));
        own.map(move |field| {
            let path = format!("{}.{}", list.path, field.path);
            Self { path, field, list: Some(list), related: None }
        })
    }
}

/// The collection to which a relation leads, if its records may be shown beside the rows. Files and people may not.
fn target(registry: &'static Registry, relation: &'static Field) -> Option<&'static Collection> {
    let one = matches!(relation.kind, Kind::Relation(_)) && may_stand(relation);
    let to = registry.get(relation.target().filter(|_| one)?)?;
    (to.upload.is_none() && !to.auth).then_some(to)
}

/// Whether a field may be a column at all.
pub(crate) fn may_stand(field: &Field) -> bool {
    let is_read = field.class != Class::Hidden && field.wording != Wording::SortKey;
    is_read && !matches!(field.kind, Kind::Password) && field.path != "id"
}

/// Columns that are chosen where the declaration names none.
const CHOSEN: usize = 6;

/// The columns of a collection: those of the declaration, else what its records are called by, when they happened and
/// to whom, their states, and what they must have.
pub(crate) fn of(c: &'static Collection) -> Vec<&'static Field> {
    let declared = &c.ui.columns;
    if !declared.is_empty() {
        return declared.iter().filter_map(|path| c.field(path)).collect();
    }
    let states = c.states.iter().map(|states| states.path);
    let must = c.fields.iter().filter(|f| f.must_come()).map(|f| f.path.as_str());
    let others = c.fields.iter().map(|f| f.path.as_str());
    let paths = (called(c).into_iter())
        .chain(c.happens)
        .chain(c.animal)
        .chain(c.natural.iter().copied())
        .chain(must)
        .chain(states)
        .chain(others.filter(|path| !path.starts_with("ade")));
    let mut chosen: Vec<&'static Field> = Vec::new();
    for field in paths.filter_map(|path| c.field(path)).filter(|f| is_shown(f)) {
        if chosen.len() < CHOSEN && !chosen.iter().any(|own| own.path == field.path) {
            chosen.push(field);
        }
    }
    chosen
}

/// The columns of a list, unless others are chosen: those of the collection, and what its records say in this language
/// alone.
pub(crate) fn usual(c: &'static Collection, language: Language) -> Vec<&'static Field> {
    let own = Wording::In(language.word());
    let says = c.fields.iter().filter(|field| matches!(field.kind, Kind::LongText) && field.wording == own);
    of(c).into_iter().chain(says).collect()
}

/// What heads each row: what the records are called by; of events, which have no names, the day; of records that
/// nothing tells apart in words, the first column that is a text or a time, if they are about no animal.
pub(crate) fn heads(c: &'static Collection) -> Vec<&'static str> {
    let called = called(c);
    if !called.is_empty() {
        return called;
    }
    let has_title = c.happens.is_some() || c.ui.title.is_some() || c.animal.is_some();
    let first = of(c).into_iter().filter(|_| !has_title).find(|field| {
        let alone = field.explained_by() == [None; 2];
        alone && matches!(field.kind, Kind::Text(_) | Kind::Day | Kind::Instant)
    });
    c.happens.or(first.map(|field| field.path.as_str())).into_iter().collect()
}

/// The columns besides what heads each row.
pub(crate) fn others(c: &'static Collection, all: &[&'static Field]) -> Vec<&'static Field> {
    let heads = heads(c);
    let other = |field: &&&'static Field| !heads.contains(&field.path.as_str());
    all.iter().filter(other).copied().collect()
}

/// Whether a field may be a column that nobody chose.
fn is_shown(field: &Field) -> bool {
    may_stand(field) && !field.aside && !matches!(field.kind, Kind::Json | Kind::Rows(_))
}
