//! Which columns the table of a collection has.

use model::display::called;
use model::registry::{Class, Collection, Field, Kind};

/// A column of a list that a visitor composes: a field, or a member of a list of rows.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) path: String,
    pub(crate) field: &'static Field,
    pub(crate) list: Option<&'static Field>,
}

impl Column {
    pub(crate) fn of(field: &'static Field) -> Self {
        Self { path: field.path.clone(), field, list: None }
    }

    /// The column of a path; none where there is none.
    pub(crate) fn at(c: &'static Collection, path: &str) -> Option<Self> {
        if let Some(field) = c.field(path) {
            return may_stand(field).then(|| Self::of(field));
        }
        let (list, member) = path.rsplit_once('.')?;
        let list = c.field(list)?;
        Self::members(list).find(|column| column.field.path == member)
    }

    /// The columns of the members of a list of rows.
    pub(crate) fn members(list: &'static Field) -> impl Iterator<Item = Self> {
        let members = match &list.kind {
            Kind::Rows(members) if may_stand(list) => members.as_slice(),
            _ => &[],
        };
        let own = members.iter().filter(|member| may_stand(member));
        own.map(move |field| Self { path: format!("{}.{}", list.path, field.path), field, list: Some(list) })
    }
}

/// Whether a field may be a column at all.
pub(crate) fn may_stand(field: &Field) -> bool {
    !matches!(field.kind, Kind::Password) && field.class != Class::Hidden && field.path != "id"
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

/// What heads each row: what the records are called by; of events, which have no names, the day.
pub(crate) fn heads(c: &'static Collection) -> Vec<&'static str> {
    let called = called(c);
    match called.is_empty() {
        true => c.happens.into_iter().collect(),
        false => called,
    }
}

/// The columns besides what heads each row.
pub(crate) fn others(c: &'static Collection, all: &[&'static Field]) -> Vec<&'static Field> {
    let heads = heads(c);
    let other = |field: &&&'static Field| !heads.contains(&field.path.as_str());
    all.iter().filter(other).copied().collect()
}

/// Whether a field may be a column that nobody chose.
fn is_shown(field: &Field) -> bool {
    may_stand(field) && !matches!(field.kind, Kind::Json | Kind::Rows(_))
}
