//! Which columns the table of a collection has.

use model::display::called;
use model::registry::{Class, Collection, Field, Kind};

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

/// Whether a field may be a column.
pub(crate) fn is_shown(field: &Field) -> bool {
    let plain = !matches!(field.kind, Kind::Password | Kind::Json | Kind::Rows(_));
    plain && field.class != Class::Hidden && field.path != "id"
}
