//! The conditions under which an animal gets a certificate (docs/certificates.md, *Conditions*): one
//! table. A condition is a code, a sentence, and a pure function of what is known of the animal.

/// The form of a certificate. Both are about one animal; they differ in the ancestors that they show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Parents and grandparents.
    Zootechnical,
    /// Great-grandparents too.
    Pedigree,
}

impl Form {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Zootechnical, Self::Pedigree];

    /// The type of documents of this form.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Zootechnical => "zootechnicalCertificate",
            Self::Pedigree => "pedigreeCertificate",
        }
    }
    /// The form of documents of a type; none: they are no certificates.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }
    /// Rows of ancestors.
    pub const fn generations(self) -> u32 {
        match self {
            Self::Zootechnical => 2,
            Self::Pedigree => 3,
        }
    }
}

/// Whether something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// It depends on records that the caller may not read.
    Unknown,
}

impl From<bool> for Met {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// A place in the pedigree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// This record.
    Taken(i64),
    /// No record.
    Free,
    /// Above a record that the caller may not read.
    Hidden,
}

/// Whether all of these places are taken.
pub(super) fn all(places: impl IntoIterator<Item = Place>) -> Met {
    let mut hidden = false;
    for place in places {
        match place {
            Place::Taken(_) => {}
            Place::Free => return Met::No,
            Place::Hidden => hidden = true,
        }
    }
    if hidden { Met::Unknown } else { Met::Yes }
}

/// Whether one of these places is taken.
pub(super) fn any(places: impl IntoIterator<Item = Place>) -> Met {
    let mut hidden = false;
    for place in places {
        match place {
            Place::Taken(_) => return Met::Yes,
            Place::Free => {}
            Place::Hidden => hidden = true,
        }
    }
    if hidden { Met::Unknown } else { Met::No }
}

/// What the conditions are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) trust: i64,
    pub(super) number: bool,
    pub(super) breed: bool,
    pub(super) birth: bool,
    pub(super) owner: bool,
    pub(super) male: bool,
    /// A female that has calved.
    pub(super) cow: bool,
    pub(super) parents: Met,
    pub(super) grandparents: Met,
    pub(super) great_grandparent: Met,
    /// A parent is confirmed by a genetic test, and none is excluded.
    pub(super) parentage: bool,
    pub(super) index: bool,
    pub(super) evaluated: bool,
    pub(super) lactation: bool,
}

/// One condition.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) code: &'static str,
    /// What is said while it is not met.
    pub(super) english: &'static str,
    pub(super) russian: &'static str,
    /// What is said when it is met, in English and in Russian.
    pub(super) holds: [&'static str; 2],
    /// None: it is not asked of this animal for this form.
    pub(super) met: fn(&Facts, Form) -> Option<Met>,
}

/// The trust level that the Association gives.
const VERIFIED: i64 = 3;

/// All of them, in the order in which they are told.
pub(super) const CONDITIONS: [Condition; 11] = [
    Condition {
        code: "certificate-trust",
        english: "The data of the animal are not verified by the Association (trust level 3).",
        russian: "Данные животного не подтверждены Ассоциацией (уровень доверия 3).",
        holds: [
            "The data of the animal are verified by the Association.",
            "Данные животного подтверждены Ассоциацией.",
        ],
        met: |facts, _| Some((facts.trust >= VERIFIED).into()),
    },
    Condition {
        code: "certificate-number",
        english: "The animal has no identification number.",
        russian: "У животного нет идентификационного номера.",
        holds: [
            "The animal has an identification number.",
            "У животного есть идентификационный номер.",
        ],
        met: |facts, _| Some(facts.number.into()),
    },
    Condition {
        code: "certificate-breed",
        english: "The breed of the animal is not stated.",
        russian: "Не указана порода животного.",
        holds: [
            "The breed of the animal is stated.",
            "Порода животного указана.",
        ],
        met: |facts, _| Some(facts.breed.into()),
    },
    Condition {
        code: "certificate-birth",
        english: "The birth date of the animal is not stated.",
        russian: "Не указана дата рождения животного.",
        holds: [
            "The birth date of the animal is stated.",
            "Дата рождения животного указана.",
        ],
        met: |facts, _| Some(facts.birth.into()),
    },
    Condition {
        code: "certificate-owner",
        english: "The owner of the animal is not stated.",
        russian: "Не указан владелец животного.",
        holds: [
            "The owner of the animal is stated.",
            "Владелец животного указан.",
        ],
        met: |facts, _| Some(facts.owner.into()),
    },
    Condition {
        code: "certificate-parents",
        english: "Father and mother are not both records of the book.",
        russian: "Отец и мать не записаны в книге оба.",
        holds: [
            "Father and mother are both records of the book.",
            "Отец и мать записаны в книге.",
        ],
        met: |facts, _| Some(facts.parents),
    },
    Condition {
        code: "certificate-grandparents",
        english: "The four grandparents are not all records of the book.",
        russian: "Не все четыре предка второго ряда записаны в книге.",
        holds: [
            "The four grandparents are all records of the book.",
            "Все четыре предка второго ряда записаны в книге.",
        ],
        met: |facts, _| Some(facts.grandparents),
    },
    Condition {
        code: "certificate-great-grandparent",
        english: "No great-grandparent is a record of the book.",
        russian: "Ни один предок третьего ряда не записан в книге.",
        holds: [
            "A great-grandparent is a record of the book.",
            "Предок третьего ряда записан в книге.",
        ],
        met: |facts, form| (form == Form::Pedigree).then_some(facts.great_grandparent),
    },
    Condition {
        code: "certificate-parentage",
        english: "No genetic test confirms a parent of the animal, or the latest one excludes a parent.",
        russian: "Происхождение животного не подтверждено генетическим тестом.",
        holds: [
            "A genetic test confirms a parent of the animal, and the latest one excludes none.",
            "Происхождение животного подтверждено генетическим тестом.",
        ],
        met: |facts, _| Some(facts.parentage.into()),
    },
    Condition {
        code: "certificate-index",
        english: "The animal has no index of breeding value with a date of evaluation.",
        russian: "Нет индекса племенной ценности с датой оценки.",
        holds: [
            "The animal has an index of breeding value with a date of evaluation.",
            "Есть индекс племенной ценности с датой оценки.",
        ],
        met: |facts, form| {
            let asked = form == Form::Zootechnical || facts.male;
            asked.then_some((facts.index && facts.evaluated).into())
        },
    },
    Condition {
        code: "certificate-lactation",
        english: "The cow has no lactation.",
        russian: "У коровы нет ни одной лактации.",
        holds: ["The cow has a lactation.", "У коровы есть лактация."],
        met: |facts, form| (form == Form::Pedigree && facts.cow).then_some(facts.lactation.into()),
    },
];

impl Condition {
    /// What is told of it, in English and in Russian.
    pub(super) fn told(&self, met: Met) -> [String; 2] {
        let [english, russian] = self.holds;
        match met {
            Met::Yes => [english.to_owned(), russian.to_owned()],
            Met::No => [self.english.to_owned(), self.russian.to_owned()],
            Met::Unknown => [
                format!("Not known, as you do not see all ancestors: {english}"),
                format!("Неизвестно, так как вам видны не все предки: {russian}"),
            ],
        }
    }
}

/// The conditions that are asked, and whether they hold.
pub(super) fn asked(
    facts: &Facts,
    form: Form,
) -> impl Iterator<Item = (&'static Condition, Met)> + '_ {
    (CONDITIONS.iter()).filter_map(move |one| Some((one, (one.met)(facts, form)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready() -> Facts {
        Facts {
            trust: 3,
            number: true,
            breed: true,
            birth: true,
            owner: true,
            male: false,
            cow: true,
            parents: Met::Yes,
            grandparents: Met::Yes,
            great_grandparent: Met::Yes,
            parentage: true,
            index: true,
            evaluated: true,
            lactation: true,
        }
    }

    fn unmet(facts: &Facts, form: Form) -> Vec<&'static str> {
        let unmet = asked(facts, form).filter(|(_, met)| *met != Met::Yes);
        unmet.map(|(one, _)| one.code).collect()
    }

    /// What the change of one fact costs: codes in the zootechnical form, in that of the pedigree.
    #[test]
    fn each_condition_alone() {
        type Change = fn(&mut Facts);
        let cases: [(Change, &[&str], &[&str]); 18] = [
            (|_| {}, &[], &[]),
            (|f| f.trust = 2, &["trust"], &["trust"]),
            (|f| f.number = false, &["number"], &["number"]),
            (|f| f.breed = false, &["breed"], &["breed"]),
            (|f| f.birth = false, &["birth"], &["birth"]),
            (|f| f.owner = false, &["owner"], &["owner"]),
            (|f| f.parents = Met::No, &["parents"], &["parents"]),
            (
                |f| f.grandparents = Met::No,
                &["grandparents"],
                &["grandparents"],
            ),
            (
                |f| f.great_grandparent = Met::No,
                &[],
                &["great-grandparent"],
            ),
            (|f| f.parentage = false, &["parentage"], &["parentage"]),
            (|f| f.index = false, &["index"], &[]),
            (|f| f.evaluated = false, &["index"], &[]),
            (|f| f.lactation = false, &[], &["lactation"]),
            (|f| (f.cow, f.lactation) = (false, false), &[], &[]),
            (
                |f| (f.male, f.cow, f.index) = (true, false, false),
                &["index"],
                &["index"],
            ),
            (
                |f| (f.male, f.cow, f.evaluated) = (true, false, false),
                &["index"],
                &["index"],
            ),
            (
                |f| (f.male, f.cow, f.lactation) = (true, false, false),
                &[],
                &[],
            ),
            (
                |f| (f.trust, f.parents, f.grandparents) = (-1, Met::No, Met::No),
                &["trust", "parents", "grandparents"],
                &["trust", "parents", "grandparents"],
            ),
        ];
        for (at, (change, zootechnical, pedigree)) in cases.into_iter().enumerate() {
            let mut facts = ready();
            change(&mut facts);
            for (form, expected) in [
                (Form::Zootechnical, zootechnical),
                (Form::Pedigree, pedigree),
            ] {
                let expected: Vec<String> = expected
                    .iter()
                    .map(|c| format!("certificate-{c}"))
                    .collect();
                assert_eq!(unmet(&facts, form), expected, "{at} {form:?}");
            }
        }
    }

    #[test]
    fn places_that_are_not_seen_leave_it_open_unless_others_decide() {
        use Place::{Free, Hidden, Taken};
        for (places, every, some) in [
            ([Taken(1), Taken(2)], Met::Yes, Met::Yes),
            ([Taken(1), Free], Met::No, Met::Yes),
            ([Taken(1), Hidden], Met::Unknown, Met::Yes),
            ([Hidden, Free], Met::No, Met::Unknown),
            ([Free, Free], Met::No, Met::No),
            ([Hidden, Hidden], Met::Unknown, Met::Unknown),
        ] {
            assert_eq!((all(places), any(places)), (every, some), "{places:?}");
        }
    }

    #[test]
    fn every_condition_stands_in_two_languages() {
        let codes: std::collections::BTreeSet<_> = CONDITIONS.iter().map(|c| c.code).collect();
        assert_eq!(codes.len(), CONDITIONS.len());
        for one in &CONDITIONS {
            assert!(
                one.english.is_ascii() && one.english.ends_with('.'),
                "{}",
                one.code
            );
            assert!(
                !one.russian.is_ascii() && one.russian.ends_with('.'),
                "{}",
                one.code
            );
            let [english, russian] = one.holds;
            assert!(english.is_ascii() && english.ends_with('.') && english != one.english);
            assert!(!russian.is_ascii() && russian.ends_with('.') && russian != one.russian);
        }
    }
}
