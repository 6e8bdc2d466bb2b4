//! Fields of forms, by the declaration of the field: the form of a record has no code of its own.

use crate::book::query::written;
use crate::components::set_fields::Group;
use crate::components::shell::Shell;
use crate::help::field as help;
use maud::{Markup, html};
use model::display;
use model::messages::labels;
use model::registry::review::comment;
use model::registry::{Collection, Field, Kind, Wording};
use serde_json::{Map, Value};

/// Rows of a box for long texts.
const ROWS: u32 = 4;

/// A value that may be chosen for a relation.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A field with what it holds, what may be chosen, and what is wrong with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'i> {
    pub(crate) c: &'static Collection,
    pub(crate) field: &'static Field,
    /// The kind of the record ([`Fits`](model::registry::Fits)); empty where there is none, or it is not known.
    pub(crate) kind: &'i str,
    /// Tells controls of one name apart where several forms of a page have them; empty where there is one.
    pub(crate) scope: &'i str,
    /// Name of the control: the path of the field, in lists with the place of the row (`shows.0.title`).
    pub(crate) name: &'i str,
    /// As text, as the form shows it.
    pub(crate) value: &'i str,
    /// What may be chosen, under headings; none: what its kind says.
    pub(crate) groups: &'i [Group],
    /// All records of the related collection that may be chosen, if they are few.
    pub(crate) choices: Option<&'i [Choice]>,
    /// Sentences of the REST face.
    pub(crate) faults: &'i [&'i str],
    /// Whether it must be filled.
    pub(crate) required: bool,
}

/// Whether forms offer a field of this kind.
pub(crate) fn is_offered(field: &Field) -> bool {
    // Comments are added one by one, on the page of their record.
    !matches!(field.kind, Kind::Password) && field.path != comment::LIST
}

/// Whether a field is one control, and not a list of rows.
pub(crate) fn is_single(field: &Field) -> bool {
    is_offered(field) && !matches!(field.kind, Kind::Rows(_))
}

pub(crate) fn id_of_control(name: &str) -> String {
    format!("f-{}", name.replace('.', "-"))
}

/// The id that a text names: `[12]`, behind which the name may stand. People write their own numbers without brackets,
/// so that none of these is taken for an id.
pub(crate) fn id_of(text: &str) -> Option<i64> {
    text.trim().strip_prefix('[')?.split_once(']')?.0.parse().ok()
}

/// The filled lines of what was sent of a field, each once.
pub(crate) fn lines<'t>(texts: &[&'t str]) -> Vec<&'t str> {
    let mut all: Vec<&'t str> = Vec::new();
    for line in texts.iter().flat_map(|text| text.lines()).map(str::trim) {
        if !line.is_empty() && !all.contains(&line) {
            all.push(line);
        }
    }
    all
}

impl Input<'_> {
    pub(crate) fn markup(&self, shell: &Shell<'_>) -> Markup {
        let id = format!("f-{}{}", self.scope, self.name.replace('.', "-"));
        // Rows stand below the name of their list.
        let label = match self.name == self.field.path {
            true => labels::field(shell.language(), self.c.slug, self.name),
            false => labels::member(shell.language(), self.c.slug, self.name),
        };
        let fault_id = format!("{id}-fault");
        let note = note(&self.field.kind, self.choices);
        let note_id = format!("{id}-note");
        let help = help::of_input(shell, self.c, (self.field, self.name), self.choices.is_none());
        let help_id = format!("{id}-help");
        let faulty = !self.faults.is_empty();
        let about: Vec<&str> = (faulty.then_some(fault_id.as_str()).into_iter())
            .chain(note.is_some().then_some(note_id.as_str()))
            .chain(help.is_some().then_some(help_id.as_str()))
            .collect();
        let about = (!about.is_empty()).then(|| about.join(" "));
        let class = if faulty { "field faulty" } else { "field" };
        let help = help.map(|text| help::mark(shell, &label, &text, Some(&help_id)));
        let label = html! { (label) @if self.required { span class="must" aria-hidden="true" { " *" } } };
        let rest = html! {
            @if let Some(help) = help { (help) }
            @if let Some(text) = note { p class="note" id=(note_id) { (shell.text(text)) } }
            (self.control(shell, &id, faulty, about.as_deref()))
            @if faulty {
                p class="fault" id=(fault_id) { @for fault in self.faults { span { (fault) " " } } }
            }
        };
        html! {
            @if self.is_ticked() {
                fieldset class=(class) { legend { (label) } (rest) }
            } @else {
                div class=(class) { label for=(id) { (label) } (rest) }
            }
        }
    }

    /// The control alone, as a cell of a table, with a label for those who do not see the heads.
    pub(crate) fn cell(&self, shell: &Shell<'_>, label: &str) -> Markup {
        let id = id_of_control(self.name);
        let faulty = !self.faults.is_empty();
        let fault_id = format!("{id}-fault");
        html! {
            label class="aside" for=(id) { (label) }
            (self.control(shell, &id, faulty, faulty.then_some(fault_id.as_str())))
            @if faulty { p class="fault" id=(fault_id) { @for fault in self.faults { span { (fault) " " } } } }
        }
    }

    fn control(&self, shell: &Shell<'_>, id: &str, faulty: bool, about: Option<&str>) -> Markup {
        let (name, value) = (self.name, self.value);
        let invalid = faulty.then_some("true");
        let line = |kind: &str, mode: Option<&str>, most: Option<usize>| {
            html! {
                input id=(id) name=(name) type=(kind) value=(value) inputmode=[mode] maxlength=[most]
                    required[self.required] aria-invalid=[invalid] aria-describedby=[about]
                    data-choices=[self.choices_address(shell)];
            }
        };
        if !self.groups.is_empty() {
            return self.grouped(id, (faulty, about));
        }
        if let Some(all) = self.name_options(shell) {
            return self.select(id, (faulty, about), &all, &|word| word == value);
        }
        match &self.field.kind {
            Kind::Text(most) => line("text", None, Some(*most)),
            Kind::Email => line("email", None, Some(254)),
            Kind::Int => line("text", Some("numeric"), Some(20)),
            Kind::Number => line("text", Some("decimal"), Some(30)),
            Kind::Day => line("date", None, None),
            Kind::Instant => line("datetime-local", None, None),
            Kind::Bool => {
                let words = [("true", "page-yes"), ("false", "page-no")];
                let all = words.map(|(value, word)| (value.to_owned(), shell.text(word)));
                self.select(id, (faulty, about), &all, &|word| word == value)
            }
            Kind::Select(words) => {
                let all = self.options(shell, words);
                self.select(id, (faulty, about), &all, &|word| word == value)
            }
            Kind::Selects(words) => {
                let all = self.options(shell, words);
                let own = |word: &str| value.split(',').any(|own| own == word);
                self.ticks(id, about, &all, &own)
            }
            Kind::Relation(_) => match self.choices {
                Some(choices) => {
                    let own = id_of(value);
                    let is_own = |word: &str| own.is_some() && id_of(word) == own;
                    self.select(id, (faulty, about), &ids(choices), &is_own)
                }
                None => line("text", None, Some(400)),
            },
            Kind::Relations(_) if self.choices.is_some() => {
                let choices = self.choices.unwrap_or_default();
                let own: Vec<i64> = value.lines().filter_map(id_of).collect();
                let is_own = |word: &str| id_of(word).is_some_and(|id| own.contains(&id));
                self.ticks(id, about, &ids(choices), &is_own)
            }
            _ => html! {
                textarea id=(id) name=(name) rows=(ROWS) required[self.required] aria-invalid=[invalid]
                    spellcheck=[matches!(self.field.kind, Kind::Json | Kind::Relations(_)).then_some("false")]
                    aria-describedby=[about] { "\n" (value) }
            },
        }
    }

    /// Where the script asks for the records that a text may mean which is being typed.
    fn choices_address(&self, shell: &Shell<'_>) -> Option<String> {
        let target = shell.pages.site.registry.get(self.field.target()?)?;
        target.ui.roster?;
        let query = written(&proposed(shell, self.c, self.field, target));
        Some(format!("/book/{}/choices?{query}", target.slug))
    }

    /// Whether it is a set of boxes to tick, which have a label each.
    fn is_ticked(&self) -> bool {
        match self.field.kind {
            Kind::Selects(_) => true,
            Kind::Relations(_) => self.choices.is_some(),
            _ => false,
        }
    }

    /// The words of a text that has names for them, and the one that it holds.
    fn name_options(&self, shell: &Shell<'_>) -> Option<Vec<(String, String)>> {
        let registry = shell.pages.site.registry;
        let mut all = match &self.field.wording {
            Wording::Words(words) => self.options(shell, words),
            Wording::Collection => {
                (registry.iter()).map(|c| (c.slug.to_owned(), labels::collections(shell.language(), c.slug))).collect()
            }
            Wording::Set => (registry.package_sets())
                .filter_map(|(_, set)| {
                    let name = display::set(registry, shell.language(), set.name)?;
                    Some((set.name.to_owned(), name))
                })
                .collect(),
            _ => return None,
        };
        let own = || self.value.to_owned();
        if !self.value.is_empty() && all.iter().all(|(word, _)| word != self.value) {
            all.push((own(), own()));
        }
        Some(all)
    }

    fn options(&self, shell: &Shell<'_>, words: &[String]) -> Vec<(String, String)> {
        let label = |word: &String| display::option(shell.language(), self.c, self.name, word);
        let offers = |word: &str| self.c.ui.fits.is_none_or(|fits| fits.offers(self.kind, &self.field.path, word));
        let offered = words.iter().filter(|word| self.value == word.as_str() || offers(word));
        offered.map(|word| (word.clone(), label(word))).collect()
    }

    fn ticks(&self, id: &str, about: Option<&str>, all: &[(String, String)], is_own: &dyn Fn(&str) -> bool) -> Markup {
        html! {
            // Says that the list was shown, also when nothing is ticked.
            input type="hidden" name=(self.name) value="";
            div class="ticks" id=(id) aria-describedby=[about] {
                @for (value, label) in all {
                    label { input type="checkbox" name=(self.name) value=(value) checked[is_own(value)]; " " (label) }
                }
            }
        }
    }

    fn grouped(&self, id: &str, (faulty, about): (bool, Option<&str>)) -> Markup {
        // What is proposed stands in its set once more, and is selected once.
        let mut places = self.groups.iter().enumerate().filter(|(_, group)| {
            let mut choices = group.choices.iter();
            choices.any(|(value, _)| value == self.value)
        });
        let own = places.next().map(|(place, _)| place);
        html! {
            select id=(id) name=(self.name) required[self.required] aria-invalid=[faulty.then_some("true")]
                aria-describedby=[about] {
                option value="" {}
                @if own.is_none() && !self.value.is_empty() {
                    option value=(self.value) selected { (self.value) }
                }
                @for (place, group) in self.groups.iter().enumerate() {
                    optgroup label=(group.name) {
                        @for (value, label) in &group.choices {
                            option value=(value) selected[own == Some(place) && value == self.value] { (label) }
                        }
                    }
                }
            }
        }
    }

    fn select(
        &self,
        id: &str,
        (faulty, about): (bool, Option<&str>),
        all: &[(String, String)],
        is_own: &dyn Fn(&str) -> bool,
    ) -> Markup {
        let invalid = faulty.then_some("true");
        html! {
            select id=(id) name=(self.name) required[self.required] aria-invalid=[invalid]
                aria-describedby=[about] {
                option value="" {}
                @for (value, label) in all {
                    option value=(value) selected[is_own(value)] { (label) }
                }
            }
        }
    }
}

/// The condition of the records that are proposed for a relation, as parameters.
pub(crate) fn proposed(
    shell: &Shell<'_>,
    c: &Collection,
    field: &Field,
    target: &'static Collection,
) -> Vec<(String, String)> {
    // Whoever writes events writes those of own animals.
    let own = (c.animal == Some(field.path.as_str())).then(|| shell.own(target)).flatten();
    let among = field.among.map(|(path, word)| (format!("where[{path}][in]"), word.to_owned()));
    own.into_iter().chain(among).collect()
}

/// What is said of how a field is filled, where that cannot be guessed.
fn note(kind: &Kind, choices: Option<&[Choice]>) -> Option<&'static str> {
    match kind {
        Kind::Json => Some("page-note-json"),
        Kind::Relation(_) | Kind::Relations(_) if choices.is_some_and(<[Choice]>::is_empty) => Some("page-note-none"),
        Kind::Relations(_) if choices.is_none() => Some("page-note-relations"),
        Kind::Texts(_) => Some("page-note-texts"),
        _ => None,
    }
}

/// Records that may be chosen, as values and labels.
fn ids(choices: &[Choice]) -> Vec<(String, String)> {
    let all = choices.iter();
    all.map(|one| (format!("[{}]", one.id), one.name.clone())).collect()
}

/// A value of a document as the form shows it.
pub(crate) fn text_of(field: &Field, value: &Value) -> String {
    let list = |all: &[Value], sign: &str| {
        let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        all.join(sign)
    };
    match (&field.kind, value) {
        (_, Value::Null) => String::new(),
        (Kind::Day, Value::String(iso)) => iso.get(..10).unwrap_or(iso).to_owned(),
        (Kind::Instant, Value::String(iso)) => iso.get(..16).unwrap_or(iso).to_owned(),
        (Kind::Selects(_), Value::Array(all)) => list(all, ","),
        (Kind::Texts(_), Value::Array(all)) => list(all, "\n"),
        (Kind::Json, value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    }
}

/// `31.12.2025`, perhaps with a time behind it, as ISO 8601 has it. Between points the day always comes first; with
/// other signs, and with a year of two digits, nobody knows.
pub(crate) fn iso(text: &str) -> Option<String> {
    let (day, time) = text.split_once(' ').unwrap_or((text, ""));
    let parts: Vec<&str> = day.split('.').collect();
    let [day, month, year] = *parts.as_slice() else {
        return None;
    };
    let is_number = |part: &str, most: usize| part.len() <= most && part.bytes().all(|byte| byte.is_ascii_digit());
    let known = is_number(day, 2) && is_number(month, 2) && is_number(year, 4) && year.len() == 4;
    let time = if time.is_empty() { String::new() } else { format!("T{}", time.trim_start()) };
    known.then(|| format!("{year}-{month:0>2}-{day:0>2}{time}"))
}

/// A value of a form as the REST face takes it; a text that is no such value is passed on, so that the REST face says
/// what is wrong with it. Relations are resolved elsewhere.
pub(crate) fn value_of(field: &Field, texts: &[&str]) -> Value {
    let text = texts.iter().map(|text| text.trim()).find(|text| !text.is_empty());
    let Some(text) = text else {
        return match field.kind {
            Kind::Selects(_) | Kind::Texts(_) => Value::Array(Vec::new()),
            // An empty text is a value of it.
            _ if field.blank && !texts.is_empty() => Value::from(""),
            _ => Value::Null,
        };
    };
    let list = |all: Vec<&str>| Value::from(all);
    match &field.kind {
        Kind::Int | Kind::Number => {
            let plain = text.replace(',', ".").replace(['\u{a0}', ' '], "");
            match serde_json::from_str::<serde_json::Number>(&plain) {
                Ok(number) => Value::Number(number),
                Err(_) => Value::from(text),
            }
        }
        Kind::Bool => match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            other => Value::from(other),
        },
        Kind::Day => Value::from(iso(text).unwrap_or_else(|| text.to_owned())),
        Kind::Instant => {
            let text = iso(text).unwrap_or_else(|| text.to_owned());
            // Browsers send no zone; the reader of the form knows it.
            let rest = if text.len() == 16 { ":00.000Z" } else { "" };
            Value::from(text + rest)
        }
        Kind::Selects(_) => list(texts.iter().copied().filter(|one| !one.is_empty()).collect()),
        Kind::Texts(_) => list(text.lines().map(str::trim).filter(|one| !one.is_empty()).collect()),
        Kind::LongText => Value::from(text.replace("\r\n", "\n")),
        _ => Value::from(text),
    }
}

pub(crate) fn put(body: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            body.insert(path.to_owned(), value);
        }
        Some((head, rest)) => {
            let inner = body.entry(head).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::{boolean, day, instant, int, number, selects, text, texts};
    use serde_json::json;

    #[test]
    fn texts_of_forms_become_values_of_their_kinds() {
        for (field, texts, value) in [
            (number("n"), &["31,5"][..], json!(31.5)),
            (number("n"), &["1 250.75"], json!(1250.75)),
            (int("n"), &["12"], json!(12)),
            (int("n"), &["a dozen"], json!("a dozen")),
            (int("n"), &[" "], json!(null)),
            (boolean("b"), &["false"], json!(false)),
            (boolean("b"), &["perhaps"], json!("perhaps")),
            (day("d"), &["2026-03-01"], json!("2026-03-01")),
            (day("d"), &["29.11.2026"], json!("2026-11-29")),
            (day("d"), &["1.3.2026"], json!("2026-03-01")),
            (day("d"), &["01.03.26"], json!("01.03.26")),
            (day("d"), &["03/01/2026"], json!("03/01/2026")),
            (instant("t"), &["2026-03-01T10:20"], json!("2026-03-01T10:20:00.000Z")),
            (instant("t"), &["01.03.2026 10:20"], json!("2026-03-01T10:20:00.000Z")),
            (text("t"), &["  Зорька "], json!("Зорька")),
            (text("t"), &[""], json!(null)),
            (selects("s", "a|b|c"), &["", "a", "c"], json!(["a", "c"])),
            (selects("s", "a|b|c"), &[""], json!([])),
            (texts("s", 10), &["a\r\n\r\nb"], json!(["a", "b"])),
        ] {
            assert_eq!(value_of(&field, texts), value, "{texts:?}");
        }
    }

    #[test]
    fn what_is_shown_is_sent_back_as_it_is() {
        for (field, value) in [
            (number("n"), json!(31.5)),
            (day("d"), json!("2026-03-01T00:00:00.000Z")),
            (boolean("b"), json!(true)),
            (texts("s", 10), json!(["a", "b"])),
        ] {
            let text = text_of(&field, &value);
            let value_back = value_of(&field, &[&text]);
            match value {
                Value::String(iso) => assert_eq!(value_back, json!(iso[..10])),
                value => assert_eq!(value_back, value),
            }
        }
    }

    #[test]
    fn ids_are_read_with_and_without_the_name_behind_them() {
        for (text, id) in [
            ("[12]", Some(12)),
            ("[12] Зорька 7", Some(12)),
            (" [5], RU", Some(5)),
            ("12", None),
            ("№ 12", None),
            ("№ Зорька", None),
            ("№", None),
        ] {
            assert_eq!(id_of(text), id, "{text}");
        }
        assert_eq!(lines(&["", "a\r\n\r\n b \na"]), ["a", "b"]);
    }

    #[test]
    fn members_of_groups_share_their_group() {
        let mut body = Map::new();
        put(&mut body, "yields.morning", json!(1));
        put(&mut body, "yields.evening", json!(2));
        put(&mut body, "date", json!("x"));
        assert_eq!(Value::Object(body), json!({"yields": {"morning": 1, "evening": 2}, "date": "x"}));
    }
}
