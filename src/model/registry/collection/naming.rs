//! How files of other programs name what a collection has (docs/import.md): headings of columns,
//! words for values, fields by which people name a row. Must not know how files are read.

use crate::messages::{Language, labels};
use crate::registry::units::MUN;
use crate::registry::{Class, Collection, Field, Kind, Writer};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// A text that names the row of a relation where that row is not in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextFor {
    /// The text: `pedigreeText.fatherId`.
    pub text: &'static str,
    /// The relation: `father`.
    pub relation: &'static str,
    /// Whether the text stays when the row is found.
    pub stays: bool,
}

/// A state that follows from the row that a relation names, where a row of a file does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateBy {
    /// The state, and the field of the same name in the other row: `state`.
    pub state: &'static str,
    /// The relation: `disposalReason`.
    pub reason: &'static str,
    /// The day of the state, without which it does not follow.
    pub day: &'static str,
}

/// Makes of a name what counts of it.
type NameKey = fn(&str) -> String;

/// The names that files use.
#[derive(Debug, Clone, Default)]
pub struct Naming {
    /// Field path, and headings of its column with `|` between them, the usual one first.
    pub headings: Vec<(&'static str, &'static str)>,
    /// Field path, value, and further words for it with `|` between them.
    pub words: Vec<(&'static str, &'static str, &'static str)>,
    /// Fields by which people name a row, the most usual first.
    pub known_as: Vec<&'static str>,
    /// The field that tables show in place of the id; none: the first of `known_as`.
    pub label: Option<&'static str>,
    /// Texts that name rows.
    pub texts: Vec<TextFor>,
    /// How numbers by which people name a row are written.
    pub numbers: Option<Numbers>,
    /// The field that has what counts of a name, and how that is made of a name.
    pub key: Option<(&'static str, NameKey)>,
    /// A state that follows from a relation.
    pub state_by: Option<StateBy>,
    /// Columns that name a row where no column names it as `headings` say.
    pub also: Vec<AlsoNamed>,
    /// Headings of columns that only describe a row that another column names, with `|` between
    /// them: they are not read.
    pub unread: &'static str,
}

/// How numbers by which people name a row are written.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    /// The texts that a number may be stored as, the one that was written first.
    pub spellings: fn(&str) -> Vec<String>,
    /// Whether a program changed the number, so that no row may be made of it.
    pub is_spoiled: fn(&str) -> bool,
    /// Fields with numbers that no two organisations give, beside those that are unique.
    pub everywhere: &'static [&'static str],
    /// Fields in which a row that is found by another number than its first one must not differ.
    pub same: &'static [&'static str],
    /// Fields with a number that one row of an organisation has alone.
    pub alone: &'static [&'static str],
}

/// Columns that name a row by another number than the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlsoNamed {
    /// The field whose column it is: a relation, or the first field that a set of a list requires.
    pub path: &'static str,
    /// The field of the named row; none: any by which people name it.
    pub by: Option<&'static str>,
    /// Headings with `|` between them.
    pub headings: &'static str,
}

impl Collection {
    /// Headings of columns in files of other programs.
    pub fn headings(mut self, headings: &[(&'static str, &'static str)]) -> Self {
        self.naming.headings.extend(headings);
        self
    }
    /// Words for the values of a select.
    pub fn words(mut self, path: &'static str, words: &[(&'static str, &'static str)]) -> Self {
        let words = words.iter().map(|(value, words)| (path, *value, *words));
        self.naming.words.extend(words);
        self
    }
    /// The fields by which people name a row, the most usual first.
    pub fn known_as(mut self, paths: &[&'static str]) -> Self {
        self.naming.known_as = paths.to_vec();
        self
    }
    /// How the numbers of [`Collection::known_as`] are written.
    pub fn numbers(mut self, numbers: Numbers) -> Self {
        self.naming.numbers = Some(numbers);
        self
    }
    /// The field that has what counts of a row's name, and how that is made of a name.
    pub fn name_key(mut self, path: &'static str, key: NameKey) -> Self {
        self.naming.key = Some((path, key));
        self
    }
    /// A state that follows from the row that a relation names, on a day.
    pub fn state_by(mut self, state: &'static str, reason: &'static str, day: &'static str) -> Self {
        self.naming.state_by = Some(StateBy { state, reason, day });
        self
    }
    /// Headings by which columns name a row of a field by another number: the number's field, or
    /// none for any, and headings.
    pub fn also_named(mut self, path: &'static str, columns: &[(Option<&'static str>, &'static str)]) -> Self {
        let columns = columns.iter().map(|(by, headings)| AlsoNamed { path, by: *by, headings });
        self.naming.also.extend(columns);
        self
    }
    /// Headings of columns that only describe a row that another column names.
    pub fn unread(mut self, headings: &'static str) -> Self {
        self.naming.unread = headings;
        self
    }
    /// Whether a heading is one of a column that is known and not read.
    pub fn is_unread(&self, text: &str) -> bool {
        one_of(self.naming.unread, &normal(text)) || counts_lines(text)
    }
    /// The field that tables show in place of the id of a row, where it is not the first of [`Collection::known_as`].
    pub fn label(mut self, path: &'static str) -> Self {
        self.naming.label = Some(path);
        self
    }
    /// The field that tables show in place of the id of a row, if there is any.
    pub fn label_field(&self) -> Option<&'static str> {
        self.naming.label.or_else(|| self.naming.known_as.first().copied())
    }
    /// A text that names the row of a relation, and stays when the row is found.
    pub fn named_by(self, relation: &'static str, text: &'static str) -> Self {
        self.text_for(relation, text, true)
    }
    /// A text that names the row of a relation as long as that row is not in the book.
    pub fn or_text(self, relation: &'static str, text: &'static str) -> Self {
        self.text_for(relation, text, false)
    }

    fn text_for(mut self, relation: &'static str, text: &'static str, stays: bool) -> Self {
        self.naming.texts.push(TextFor { text, relation, stays });
        self
    }

    /// Slots of the fields by which people name a row: those of the declaration, else every text
    /// that is unique and that callers write.
    pub fn names(&self) -> Vec<usize> {
        if !self.naming.known_as.is_empty() {
            return (self.naming.known_as.iter()).filter_map(|p| self.slot(p)).collect();
        }
        let is_unique = |f: &Field| f.unique && f.writer != Writer::Server && f.class != Class::Hidden && f.stored();
        let text = |f: &Field| matches!(f.kind, Kind::Text(_) | Kind::Email);
        (self.fields.iter().enumerate()).filter(|(_, f)| is_unique(f) && text(f)).map(|(slot, _)| slot).collect()
    }

    /// The slots by which a file's row is recognised as one of the book, the strictest key first;
    /// the flag says whether all of them must be filled.
    pub fn recognised(&self) -> Vec<(Vec<usize>, bool)> {
        let is_number = |slot: &usize| {
            (self.fields.get(*slot))
                .is_some_and(|f| f.writer != Writer::Server && f.class != Class::Hidden && f.stored())
        };
        let mut keys: Vec<(Vec<usize>, bool)> = (self.fields.iter().enumerate())
            .filter(|(slot, f)| *slot != crate::registry::ID && f.unique && is_number(slot))
            .map(|(slot, _)| (vec![slot], true))
            .collect();
        let composite = (self.uniques.iter().map(|paths| (paths, true))).chain(std::iter::once((&self.natural, false)));
        for (paths, filled) in composite {
            let slots: Vec<usize> = paths.iter().filter_map(|p| self.slot(p)).collect();
            let whole = !slots.is_empty() && slots.len() == paths.len();
            if whole && slots.iter().all(is_number) && !keys.iter().any(|(k, _)| *k == slots) {
                keys.push((slots, filled));
            }
        }
        keys
    }

    /// The field path that a heading means, and the factor of a unit in it: a path of a field, or
    /// a declared heading, with or without a unit behind it. Several columns of a file may mean one
    /// field only if their headings are the same.
    pub fn heading(&self, text: &str) -> Option<(&str, f64)> {
        if let Some(field) = self.field(text.trim()) {
            return Some((&field.path, 1.0));
        }
        if counts_lines(text) {
            return None;
        }
        let wanted = normal(&text.replace(['[', ']'], " "));
        if let Some(path) = self.declared(&wanted) {
            // Signs make no difference, but per cent is a unit.
            let is_share = text.trim_end_matches([')', ']', ' ']).ends_with('%');
            let unit = self.member(path).and_then(Field::unit).filter(|_| is_share);
            return unit.is_none_or(|unit| unit == "%").then_some((path, 1.0));
        }
        // A unit alone names what is measured in it.
        if wanted == "mun"
            && let Some(path) = self.declared("мочевина")
        {
            return Some((path, MUN));
        }
        let mut rest = wanted.as_str();
        while let Some((before, _)) = rest.rsplit_once(' ') {
            rest = before;
            let plain = || self.fields.iter().find(|f| has_form(&f.path, rest));
            let path = match (rest, self.declared(rest)) {
                ("mun", None) => self.declared("мочевина").map(|path| (path, MUN)),
                (_, None) => plain().map(|field| (field.path.as_str(), 1.0)),
                (_, Some(path)) => Some((path, 1.0)),
            };
            let unit = wanted.get(rest.len()..).unwrap_or_default();
            if let Some((path, factor)) = path
                && let Some(unit) = self.member(path)?.written_unit(unit)
            {
                return Some((path, factor * unit.size));
            }
        }
        None
    }

    fn declared(&self, wanted: &str) -> Option<&str> {
        if wanted.is_empty() {
            return None;
        }
        // Blanks and dots within a heading count only where another one differs by them.
        let joined = unspaced(wanted);
        let ways: [&dyn Fn(&Form) -> bool; 2] =
            [&|heading| heading.normal == wanted, &|heading| heading.joined == joined];
        ways.into_iter().find_map(|same| {
            // The last one wins: a collection's own headings over those that it shares.
            let declared = (self.naming.headings.iter().rev())
                .find(|(_, headings)| forms(headings).iter().any(same))
                .map(|(path, _)| *path);
            declared.or_else(|| {
                let has_heading = |f: &&Field| f.class != Class::Hidden && forms(&f.path).iter().any(same);
                self.fields.iter().find(has_heading).map(|f| f.path.as_str())
            })
        })
    }

    /// The value of a select, or of a member of a list (`progeny.sex`), that a word of a file means: its code, one of
    /// the declared words, or its label in any language.
    pub fn worded<'a>(&'a self, path: &str, values: &'a [String], word: &str) -> Option<&'a str> {
        if let Some(value) = values.iter().find(|value| *value == word) {
            return Some(value);
        }
        let wanted = normal(word);
        if wanted.is_empty() {
            return None;
        }
        let mut words = self.naming.words.iter().filter(|(p, _, _)| *p == path);
        let declared = words.find(|(_, _, words)| has_form(words, &wanted));
        if let Some((_, value, _)) = declared {
            return Some(value);
        }
        let labelled = |value: &str| {
            let label = |language| labels::option(language, self.slug, path, value);
            let mut labels = Language::ALL.into_iter().map(label);
            has_form(value, &wanted) || labels.any(|label| has_form(&label, &wanted))
        };
        let value = values.iter().find(|value| labelled(value));
        value.map(String::as_str)
    }

    /// Whether a row of a file means something else without the value of this field, since another one takes its
    /// place: a part of a key, what has a default or is filled by the server, a state, and what says so itself.
    pub fn decides(&self, path: &str) -> bool {
        let Some(field) = self.member(path) else {
            return false;
        };
        let mut key = self.natural.iter().chain(self.uniques.iter().flatten());
        let keyed = field.unique || key.any(|part| *part == path);
        let filled = field.filled || self.field(&format!("{path}Computed")).is_some();
        let state = self.states.iter().any(|s| s.paths().contains(&path));
        field.decides || keyed || filled || state || field.begins(true).is_some()
    }
}

/// Whether a text in the place of a parent's number says that none is known: `0`, `000000`, `?`, `нет`, `не указан`,
/// `unknown`, and the `UUUU…` of Interbull.
pub fn is_no_parent(text: &str) -> bool {
    let bare = normal(text).replace(' ', "");
    let only = |one: char| !bare.is_empty() && bare.chars().all(|c| c == one);
    only('0')
        || only('?')
        || (only('u') && bare.len() > 3)
        || ["неизв", "неуказ", "неустан"].iter().any(|begin| bare.starts_with(begin))
        || ["нет", "none", "unknown", "unk"].contains(&bare.as_str())
}

/// Whether a heading is the sign of a number alone (`№`, `#`): lines of the table are counted there.
pub(super) fn counts_lines(heading: &str) -> bool {
    heading.contains(['№', '#']) && !heading.contains(char::is_alphanumeric)
}

/// A heading or word without what people write differently: capitals, ё, signs, spaces.
pub fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    let push = |c: char, gap: &mut bool, out: &mut String| {
        if *gap && !out.is_empty() {
            out.push(' ');
        }
        *gap = false;
        out.push(c);
    };
    for c in text.trim_start_matches('\u{feff}').chars() {
        match c {
            'ё' | 'Ё' => push('е', &mut gap, &mut out),
            '№' | '#' => {
                gap = true;
                for c in "номер".chars() {
                    push(c, &mut gap, &mut out);
                }
                gap = true;
            }
            '"' | '\'' | '«' | '»' | '„' | '“' | '”' | '.' | ',' | ';' | ':' | '_' | '-' | '(' | ')' | '%' | '/' => {
                gap = true
            }
            c if c.is_whitespace() => gap = true,
            c => {
                for c in c.to_lowercase() {
                    push(c, &mut gap, &mut out);
                }
            }
        }
    }
    out
}

/// A heading without the blanks between its words.
fn unspaced(heading: &str) -> String {
    heading.split(' ').collect()
}

/// A heading or word of a declaration as it is compared.
struct Form {
    normal: String,
    joined: String,
}

/// The forms of headings or words of a declaration, with `|` between them. They are made once: each column of a file
/// is compared with hundreds of them, and each cell of a select with its words.
fn forms(declared: &str) -> Arc<[Form]> {
    static FORMS: LazyLock<RwLock<BTreeMap<String, Arc<[Form]>>>> = LazyLock::new(RwLock::default);
    let forms_of = FORMS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(forms) = forms_of.get(declared) {
        return Arc::clone(forms);
    }
    drop(forms_of);
    let form = |one: &str| {
        let normal = normal(one);
        let joined = unspaced(&normal);
        Form { normal, joined }
    };
    let forms: Arc<[Form]> = declared.split('|').map(form).collect();
    let mut all = FORMS.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(declared.to_owned(), Arc::clone(&forms));
    forms
}

/// Whether a normal text is one of the headings or words of a declaration, with `|` between them.
pub(crate) fn has_form(declared: &str, wanted: &str) -> bool {
    forms(declared).iter().any(|form| form.normal == wanted)
}

/// As [`has_form`], where blanks do not count.
pub(crate) fn one_of(headings: &str, wanted: &str) -> bool {
    let wanted = unspaced(wanted);
    !wanted.is_empty() && forms(headings).iter().any(|form| form.joined == wanted)
}

/// Faults of the words that files use.
pub(crate) fn check(c: &Collection, fault: &mut dyn FnMut(&str, &'static str, String)) {
    let naming = &c.naming;
    let texts = naming.texts.iter().flat_map(|t| [t.text, t.relation]);
    let states = naming.state_by.iter();
    let texts = texts.chain(states.flat_map(|by| [by.state, by.reason, by.day]));
    let paths = (naming.headings.iter().map(|(path, _)| *path))
        .chain(naming.known_as.iter().copied())
        .chain(naming.label)
        .chain(naming.key.map(|(path, _)| path))
        .chain(naming.also.iter().map(|column| column.path))
        .chain(naming.numbers.iter().flat_map(|numbers| numbers.same.iter().chain(numbers.alone).copied()))
        .chain(naming.words.iter().map(|(path, _, _)| *path))
        .chain(texts);
    for path in paths {
        if c.member(path).is_none() {
            fault(path, "no-such-field", "named by the declaration".to_owned());
        }
    }
    for (path, value, _) in &naming.words {
        if let Some(Kind::Select(values)) = c.member(path).map(|f| &f.kind)
            && !values.iter().any(|one| one == value)
        {
            let message = format!("{value} is no value of it");
            fault(path, "no-such-value", message);
        }
    }
    for text in &naming.texts {
        if c.field(text.relation).and_then(Field::target).is_none() {
            let message = "named by a text".to_owned();
            fault(text.relation, "no-such-relation", message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_no_parent, normal};
    use crate::registry::{Access, Collection, Kind, Rule, States, fields, int, relation, rows, select, text};

    fn calvings() -> Collection {
        let progeny = [
            select("sex", "female|male").required(),
            select("birthStatus", "alive|stillborn").default("alive"),
            text("tag"),
        ];
        let fields = fields![
            text("animal"),
            select("eventType", "calving|abortion|dryOff"),
            text("uuid").unique(),
            int("doses").default(1),
            select("source", "lab|owner").typed("owner"),
            int("number").filled(),
            int("lactationNumber"),
            int("lactationNumberComputed").server(),
            select("state", "alive|sold"),
            relation("result", "results").decides(),
            select("ease", "easy|hard"),
            rows("progeny", progeny),
        ];
        Collection::new("calvings", Access::read(Rule::Any), fields)
            .natural(&["animal", "eventType"])
            .states(States::of("state"))
            .words("ease", &[("easy", "без помощи|1")])
            .words("progeny.sex", &[("female", "ж")])
    }

    #[test]
    fn values_are_known_by_code_word_and_label() {
        let c = calvings();
        for (path, word, means) in [
            ("eventType", "abortion", Some("abortion")),
            ("eventType", "DRYOFF", Some("dryOff")),
            ("eventType", " Аборт ", Some("abortion")),
            ("eventType", "отел", Some("calving")),
            ("eventType", "ОТЁЛ.", Some("calving")),
            ("eventType", "Drying off", Some("dryOff")),
            ("eventType", "Абракадабра", None),
            ("eventType", "?", None),
            ("eventType", ".", None),
            ("ease", "Без  помощи", Some("easy")),
            ("ease", "1", Some("easy")),
            ("ease", "лёгкий", Some("easy")),
            ("ease", "7", None),
            ("progeny.sex", "Ж", Some("female")),
            ("progeny.sex", "бычок", Some("male")),
        ] {
            let Some(Kind::Select(values)) = c.member(path).map(|f| &f.kind) else {
                panic!("{path} is no select");
            };
            assert_eq!(c.worded(path, values, word), means, "{path} {word}");
        }
    }

    #[test]
    fn fields_decide_that_another_value_would_stand_for() {
        let c = calvings();
        let deciding = "animal eventType uuid doses source number lactationNumber state result progeny.birthStatus";
        for path in deciding.split(' ') {
            assert!(c.decides(path), "{path}");
        }
        for path in "ease progeny progeny.tag progeny.nothing nothing".split(' ') {
            assert!(!c.decides(path), "{path}");
        }
    }

    #[test]
    fn texts_that_name_no_parent() {
        let none = "0|000000000000000|0,00|0.0|нет|Нет.|неизвестен|НЕИЗВЕСТНА|неизв.|не известно|не указан|\
                    Не установлена|??|unknown|UNK|none|UUUUUUUUUUUUUUUUUUU";
        for text in none.split('|') {
            assert!(is_no_parent(text), "{text}");
        }
        for text in "|10|0A|U|UUU|нетель|Неон|HOLUSAM000000000001".split('|') {
            assert!(!is_no_parent(text), "{text}");
        }
    }

    #[test]
    fn headings_are_compared_without_signs_and_capitals() {
        assert_eq!(normal("  Инд.№ "), "инд номер");
        assert_eq!(normal("Дата отёла"), "дата отела");
        assert_eq!(normal("\u{feff}\"Удой за день, кг\""), "удой за день кг");
        assert_eq!(normal("Жир, %"), "жир");
        assert_eq!(normal("№ пробы"), "номер пробы");
        assert_eq!(normal("  .,"), "");
    }
}
