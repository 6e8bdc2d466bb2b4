//! Fields that repeat a field of a related row (docs/design/registry.md, *Fields through a
//! relation*). They are stored, so that lists filter and sort by them on an index of their own
//! table; the pipeline keeps them in step inside the transaction that changes the source.

use crate::record::{Value, time};
use crate::registry::Collection;
use crate::registry::access::{OPENNESS, Rule};
use crate::registry::field::{Field, Kind};
use indexmap::IndexMap;
use std::fmt;

/// Where a repeated value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Through {
    /// The relation of the own row, a required one: `animal`.
    pub relation: &'static str,
    /// The field of the row that it names: `birthDate`.
    pub field: &'static str,
    /// What of it.
    pub part: Part,
}

/// What of a value is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The year of a day, UTC.
    Year,
}

/// A field that repeats one of another collection, by slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follower {
    /// The collection that repeats.
    pub collection: &'static str,
    /// Slot of its relation.
    pub relation: usize,
    /// Slot that repeats.
    pub slot: usize,
    /// Slot that is repeated, in the collection that the relation names.
    pub source: usize,
    /// What of it.
    pub part: Part,
}

impl Part {
    /// What of a value is repeated; a missing value repeats as one.
    pub fn of(self, value: &Value) -> Value {
        match self {
            Self::Whole => value.clone(),
            Self::Year => {
                let day = value.time().map(time::to_iso);
                let year = day.and_then(|day| day.split('-').next()?.parse::<i64>().ok());
                Value::from(year)
            }
        }
    }
}

impl Through {
    /// Whether the field can hold what it repeats.
    pub(crate) fn fits(&self, c: &Collection, own: &Field, all: &IndexMap<&'static str, Collection>) -> bool {
        let source = source(self, c, all).and_then(|(target, slot)| target.fields.get(slot));
        source.is_some_and(|source| match self.part {
            Part::Whole => own.kind == source.kind && source.stored(),
            Part::Year => own.kind == Kind::Int && matches!(source.kind, Kind::Day | Kind::Instant),
        })
    }
}

impl fmt::Display for Through {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let year = match self.part {
            Part::Whole => "",
            Part::Year => "year of ",
        };
        write!(f, "{year}{}.{}", self.relation, self.field)
    }
}

impl Collection {
    /// The slot of the field that repeats one of the row that a relation names, if any.
    pub fn repeating(&self, relation: usize, path: &str) -> Option<usize> {
        let relation = self.fields.get(relation)?.path.as_str();
        self.fields.iter().position(|field| {
            (field.through).is_some_and(|t| t.relation == relation && t.field == path && t.part == Part::Whole)
        })
    }

    /// The slots of owner and openness of an animal, its own or repeated in a row about it: most of what decides who
    /// reads the row.
    pub fn reader_slots(&self) -> Option<[usize; 3]> {
        let slot = |path| match self.access.read {
            Rule::Book => self.slot(path),
            Rule::Event { .. } => self.repeating(self.slot(self.animal?)?, path),
            _ => None,
        };
        Some([slot("owner")?, slot(OPENNESS[0])?, slot(OPENNESS[1])?])
    }
}

fn source<'r>(
    through: &Through,
    c: &Collection,
    all: &'r IndexMap<&'static str, Collection>,
) -> Option<(&'r Collection, usize)> {
    // Without a related row there would be no value to repeat.
    let relation = c.field(through.relation).filter(|f| f.required)?;
    let Kind::Relation(to) = &relation.kind else {
        return None;
    };
    let target = all.get(to.as_str())?;
    Some((target, target.slot(through.field)?))
}

/// All repeating fields by the collection that they repeat.
pub(crate) fn followers(all: &IndexMap<&'static str, Collection>) -> IndexMap<&'static str, Vec<Follower>> {
    let mut by_relation: IndexMap<&'static str, Vec<Follower>> = IndexMap::new();
    for c in all.values() {
        for (slot, field) in c.fields.iter().enumerate() {
            let Some(through) = &field.through else {
                continue;
            };
            if let Some((target, source)) = source(through, c, all) {
                by_relation.entry(target.slug).or_default().push(Follower {
                    collection: c.slug,
                    relation: c.at(through.relation),
                    slot,
                    source,
                    part: through.part,
                });
            }
        }
    }
    by_relation
}

#[cfg(test)]
mod tests {
    use super::Part;
    use crate::record::{Value, time};
    use crate::registry::{Access, Collection, Field, Registry, Rule, boolean, day, fields, int, relation, text};

    fn built(fields: Vec<Field>) -> Result<Registry, Vec<(String, String)>> {
        let open = || Access::read(Rule::Any);
        let cow = fields![text("name"), day("birth")];
        let fields = fields.into_iter().map(Into::into).collect();
        let all = vec![Collection::new("cows", open(), cow), Collection::new("values", open(), fields)];
        Registry::build(all).map_err(|issues| (issues.into_iter()).map(|i| (i.path, i.code.into_owned())).collect())
    }

    #[test]
    fn only_fields_that_follow_their_source_are_repeated() {
        let cow = || relation("cow", "cows").required();
        let registry = built(vec![cow(), text("name").through("cow.name"), int("year").year_of("cow.birth")]).unwrap();
        let (cows, values) = (registry.get("cows").unwrap(), registry.get("values").unwrap());
        let slots: Vec<_> =
            (registry.followers("cows").iter()).map(|f| (f.collection, f.relation, f.slot, f.source)).collect();
        let at = |path: &str| values.at(path);
        assert_eq!(
            slots,
            [("values", at("cow"), at("name"), cows.at("name")), ("values", at("cow"), at("year"), cows.at("birth")),]
        );
        assert!(registry.followers("values").is_empty());
        for (relation, field) in [
            (cow(), boolean("x").through("cow.name")),
            (cow(), text("x").through("cow.none")),
            (cow(), text("x").through("none.name")),
            (cow(), int("x").year_of("cow.name")),
            (relation("cow", "cows"), text("x").through("cow.name")),
        ] {
            let faults = built(vec![relation, field]).unwrap_err();
            let fault = ("values.x".to_owned(), "no-such-field".to_owned());
            assert_eq!(faults, [fault]);
        }
    }

    #[test]
    fn a_year_is_that_of_the_day() {
        let year = |day: &str| Part::Year.of(&Value::from(time::parse(day).map(Value::Time)));
        assert_eq!(year("2019-12-31"), Value::Int(2019));
        assert_eq!(year("0476-01-01"), Value::Int(476));
        assert_eq!(year(""), Value::Null);
    }
}
