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
    pub(super) parents: bool,
    pub(super) grandparents: bool,
    pub(super) great_grandparent: bool,
    /// A parent is confirmed by a genetic test, and none is excluded.
    pub(super) parentage: bool,
    pub(super) index: bool,
    pub(super) evaluated: bool,
    pub(super) lactation: bool,
}

#[derive(Debug)]
pub(super) struct Condition {
    pub(super) code: &'static str,
    /// What is said while it is not met.
    pub(super) english: &'static str,
    pub(super) russian: &'static str,
    /// What is said when it is met, in English and in Russian.
    pub(super) holds: [&'static str; 2],
    /// By which form its owner asks for it: a field of requests or packages, and its word; none: by no form.
    pub(super) request: Option<(&'static str, &'static str)>,
    /// None: it does not apply to this animal for this form.
    pub(super) met: fn(&Facts, Form) -> Option<bool>,
}

/// The trust level that the Association gives.
const VERIFIED: i64 = 3;

/// A request to verify the animal for a certificate; what the Association alone writes is asked for by it, too.
const CERTIFICATE: Option<(&str, &str)> = Some(("purpose", "certificate"));

/// A request that corrects a value.
const CORRECTION: Option<(&str, &str)> = Some(("purpose", "correction"));

/// All of them, in the order of sentences.
pub(super) const CONDITIONS: [Condition; 11] = [
    Condition {
        code: "certificate-trust",
        english: "The data of the animal are not verified by the Association (trust level 3 is needed).",
        russian: "Данные животного не подтверждены Ассоциацией (нужен уровень доверия 3).",
        holds: [
            "The data of the animal are verified by the Association.",
            "Данные животного подтверждены Ассоциацией.",
        ],
        request: CERTIFICATE,
        met: |facts, _| Some(facts.trust >= VERIFIED),
    },
    Condition {
        code: "certificate-number",
        english: "The animal has no identification number.",
        russian: "У животного нет идентификационного номера.",
        holds: ["The animal has an identification number.", "У животного есть идентификационный номер."],
        request: CORRECTION,
        met: |facts, _| Some(facts.number),
    },
    Condition {
        code: "certificate-breed",
        english: "The breed of the animal is not stated.",
        russian: "Не указана порода животного.",
        holds: ["The breed of the animal is stated.", "Порода животного указана."],
        request: CORRECTION,
        met: |facts, _| Some(facts.breed),
    },
    Condition {
        code: "certificate-birth",
        english: "The birth date of the animal is not stated.",
        russian: "Не указана дата рождения животного.",
        holds: ["The birth date of the animal is stated.", "Дата рождения животного указана."],
        request: CORRECTION,
        met: |facts, _| Some(facts.birth),
    },
    Condition {
        code: "certificate-owner",
        english: "The owner of the animal is not stated.",
        russian: "Не указан владелец животного.",
        holds: ["The owner of the animal is stated.", "Владелец животного указан."],
        request: None,
        met: |facts, _| Some(facts.owner),
    },
    Condition {
        code: "certificate-parents",
        english: "Father and mother are not both records of the book.",
        russian: "Отец и мать не записаны в книге оба.",
        holds: ["Father and mother are both records of the book.", "Отец и мать записаны в книге."],
        request: CORRECTION,
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
        request: CORRECTION,
        met: |facts, _| Some(facts.grandparents),
    },
    Condition {
        code: "certificate-great-grandparent",
        english: "No great-grandparent is a record of the book.",
        russian: "Ни один предок третьего ряда не записан в книге.",
        holds: ["A great-grandparent is a record of the book.", "Предок третьего ряда записан в книге."],
        request: CORRECTION,
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
        request: Some(("dataset", "dnaTests")),
        met: |facts, _| Some(facts.parentage),
    },
    Condition {
        code: "certificate-index",
        english: "The animal has no index of breeding value with a date of evaluation.",
        russian: "Нет индекса племенной ценности с датой оценки.",
        holds: [
            "The animal has an index of breeding value with a date of evaluation.",
            "Есть индекс племенной ценности с датой оценки.",
        ],
        request: CERTIFICATE,
        met: |facts, form| {
            let applies = form == Form::Zootechnical || facts.male;
            applies.then_some(facts.index && facts.evaluated)
        },
    },
    Condition {
        code: "certificate-lactation",
        english: "The cow has no lactation.",
        russian: "У коровы нет ни одной лактации.",
        holds: ["The cow has a lactation.", "У коровы есть лактация."],
        request: Some(("dataset", "calvings")),
        met: |facts, form| (form == Form::Pedigree && facts.cow).then_some(facts.lactation),
    },
];

impl Condition {
    /// Its sentence, in English and in Russian.
    pub(super) fn message(&self, met: bool) -> [&'static str; 2] {
        match met {
            true => self.holds,
            false => [self.english, self.russian],
        }
    }
}

/// The conditions that apply, and whether they hold.
pub(super) fn applicable(facts: &Facts, form: Form) -> impl Iterator<Item = (&'static Condition, bool)> + '_ {
    (CONDITIONS.iter()).filter_map(move |one| Some((one, (one.met)(facts, form)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::table;

    fn ready() -> Facts {
        Facts {
            trust: 3,
            number: true,
            breed: true,
            birth: true,
            owner: true,
            male: false,
            cow: true,
            parents: true,
            grandparents: true,
            great_grandparent: true,
            parentage: true,
            index: true,
            evaluated: true,
            lactation: true,
        }
    }

    fn unmet(facts: &Facts, form: Form) -> Vec<&'static str> {
        let unmet = applicable(facts, form).filter(|(_, met)| !met);
        unmet.map(|(one, _)| one.code).collect()
    }

    /// What the change of one fact costs: codes in the zootechnical form, in that of the pedigree.
    #[test]
    fn each_condition_alone() {
        type Change = fn(&mut Facts);
        let cases: [(Change, &[&str], &[&str]); 18] = table![
            |_| {}, &[], &[];
            |f| f.trust = 2, &["trust"], &["trust"];
            |f| f.number = false, &["number"], &["number"];
            |f| f.breed = false, &["breed"], &["breed"];
            |f| f.birth = false, &["birth"], &["birth"];
            |f| f.owner = false, &["owner"], &["owner"];
            |f| f.parents = false, &["parents"], &["parents"];
            |f| f.grandparents = false, &["grandparents"], &["grandparents"];
            |f| f.great_grandparent = false, &[], &["great-grandparent"];
            |f| f.parentage = false, &["parentage"], &["parentage"];
            |f| f.index = false, &["index"], &[];
            |f| f.evaluated = false, &["index"], &[];
            |f| f.lactation = false, &[], &["lactation"];
            |f| (f.cow, f.lactation) = (false, false), &[], &[];
            |f| (f.male, f.cow, f.index) = (true, false, false), &["index"], &["index"];
            |f| (f.male, f.cow, f.evaluated) = (true, false, false), &["index"], &["index"];
            |f| (f.male, f.cow, f.lactation) = (true, false, false), &[], &[];
            |f| (f.trust, f.parents, f.grandparents) = (-1, false, false),
                &["trust", "parents", "grandparents"], &["trust", "parents", "grandparents"];
        ];
        for (at, (change, zootechnical, pedigree)) in cases.into_iter().enumerate() {
            let mut facts = ready();
            change(&mut facts);
            for (form, expected) in [(Form::Zootechnical, zootechnical), (Form::Pedigree, pedigree)] {
                let expected: Vec<String> = expected.iter().map(|c| format!("certificate-{c}")).collect();
                assert_eq!(unmet(&facts, form), expected, "{at} {form:?}");
            }
        }
    }

    #[test]
    fn what_is_not_met_is_asked_for() {
        // An owner changes by movements.
        let without = CONDITIONS.iter().filter(|one| one.request.is_none()).map(|one| one.code);
        assert_eq!(without.collect::<Vec<_>>(), ["certificate-owner"]);
    }

    #[test]
    fn every_condition_stands_in_two_languages() {
        let codes: std::collections::BTreeSet<_> = CONDITIONS.iter().map(|c| c.code).collect();
        assert_eq!(codes.len(), CONDITIONS.len());
        for one in &CONDITIONS {
            assert!(one.english.is_ascii() && one.english.ends_with('.'), "{}", one.code);
            assert!(!one.russian.is_ascii() && one.russian.ends_with('.'), "{}", one.code);
            let [english, russian] = one.holds;
            assert!(english.is_ascii() && english.ends_with('.') && english != one.english);
            assert!(!russian.is_ascii() && russian.ends_with('.') && russian != one.russian);
        }
    }
}
