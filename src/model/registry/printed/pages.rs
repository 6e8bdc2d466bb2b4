//! The declarations as pages for readers: an index, and a page for each collection. A section of many
//! small collections is one page. Knows only the declarations, and what it receives about the exchange.

mod words;

use super::states_page::arrow;
use crate::registry::{Collection, Field, ID, Kind, Registry, States, Verb};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use words::{cell, code, codes, row};

/// A section of more collections is one page.
const SHARED: usize = 10;
/// File of the index.
const INDEX: &str = "README.md";

/// What the index says before its tables.
const INTRODUCTION: &str = "\
# Data model

The collections of the herd book as they are declared in `src/domain/collections`. What cannot be declared stands in \
[collections](../design/collections.md), checks in [checks](checks.md), types of errors in [errors](errors.md).

These pages are printed: `herdbook print --out docs`.

## How to read the pages

Every record also has `id`, `createdAt` and `updatedAt`, and a hidden `seq`, its number in \
[commit order](../design/store.md#commit-order). `a.b` is the field `b` of the group `a`, `a[].b` the field `b` of \
each row of the list `a`. [Notation](../design/registry.md#notation) explains marks, \
[classes of fields](../design/access.md#classes-of-fields) who sees a field, \
[the twelve rules](../design/access.md#the-twelve-rules) the rules of access, which are those of an installation with \
all [switches](../design/registry.md#switches) off. An empty *Set by* means whoever may write the row, an empty \
*Seen by* whoever may read it.
";

/// A data set of the exchange that rows of a collection back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSet {
    /// Its name, as in `test-day-results`.
    pub name: String,
    /// The type of its documents.
    pub resource: String,
    /// Its mapping file, without extension.
    pub file: String,
}

/// The pages of a registry.
struct Pages<'r> {
    registry: &'r Registry,
    /// By the slug of the collection.
    sets: &'r BTreeMap<String, Vec<DataSet>>,
    /// The sections that are one page.
    shared: Vec<&'static str>,
}

impl Registry {
    /// The pages by file name, the index first; `sets` has the data sets of each collection.
    pub fn pages(&self, sets: &BTreeMap<String, Vec<DataSet>>) -> IndexMap<String, String> {
        let mut sections: IndexMap<&'static str, usize> = IndexMap::new();
        for c in self.iter() {
            *sections.entry(c.section).or_default() += 1;
        }
        let shared = (sections.iter()).filter(|(_, count)| **count > SHARED);
        let pages = Pages { registry: self, sets, shared: shared.map(|(section, _)| *section).collect() };
        let mut all = IndexMap::new();
        all.insert(INDEX.to_owned(), pages.index(sections.keys()));
        for c in self.iter() {
            let page: &mut String = all.entry(pages.file(c)).or_default();
            pages.collection(page, c);
        }
        all
    }
}

// Writing into a String cannot fail, so the results of `write!` carry nothing.
impl Pages<'_> {
    fn is_shared(&self, c: &Collection) -> bool {
        self.shared.contains(&c.section)
    }

    fn file(&self, c: &Collection) -> String {
        if self.is_shared(c) {
            return format!("{}.md", c.section.to_lowercase());
        }
        format!("{}.md", c.slug)
    }

    fn link(&self, slug: &str) -> String {
        let Some(c) = self.registry.get(slug) else {
            return code(slug);
        };
        let place = if self.is_shared(c) { slug } else { "" };
        let hash = if place.is_empty() { "" } else { "#" };
        format!("[{slug}]({}{hash}{place})", self.file(c))
    }

    fn index<'s>(&self, sections: impl Iterator<Item = &'s &'static str>) -> String {
        let mut out = INTRODUCTION.to_owned();
        for section in sections {
            let _ = write!(out, "\n## {section}\n\n");
            out.push_str("| Collection | Records | Data sets |\n|---|---|---|\n");
            for c in self.registry.iter().filter(|c| c.section == *section) {
                let sets = self.sets_of(c).iter().map(|set| set.name.as_str());
                let mut sets: Vec<_> = sets.collect();
                sets.dedup();
                out.push_str(&row(&[self.link(c.slug), cell(c.doc), codes(&sets)]));
            }
        }
        out
    }

    fn sets_of(&self, c: &Collection) -> &[DataSet] {
        self.sets.get(c.slug).map_or(&[], Vec::as_slice)
    }

    fn collection(&self, out: &mut String, c: &Collection) {
        let mut level = "#";
        if self.is_shared(c) {
            if out.is_empty() {
                let _ = write!(
                    out,
                    "# {}\n\nOne line for each field, as on the pages of [other collections](README.md).\n\n",
                    c.section
                );
            } else {
                out.push('\n');
            }
            level = "##";
        }
        let _ = write!(out, "{level} {}\n\n{}\n", c.slug, cell(c.doc));
        let _ = write!(
            out,
            "\nSection [{}](README.md#{}). A record is called {} in messages, several {}. Table {}, order {}.\n",
            c.section,
            c.section.to_lowercase(),
            c.singular,
            c.plural,
            code(&c.table),
            code(c.sort)
        );
        self.fields(out, level, c);
        access(out, level, c);
        self.states(out, level, c);
        keys(out, level, c);
        self.joins(out, level, c);
        actions(out, level, c);
        files(out, level, c);
        logs(out, level, c);
        self.exchange(out, level, c);
    }

    fn states(&self, out: &mut String, level: &str, c: &Collection) {
        if c.states.is_empty() {
            return;
        }
        let _ = write!(out, "\n{level}# States{}\n\n", of(level, c));
        out.push_str("| Field | Begins as | Moves |\n|---|---|---|\n");
        for one in &c.states {
            let moves: Vec<_> = one.moves.iter().map(arrow).collect();
            let begin = code(&one.default(c));
            out.push_str(&row(&[self.states_link(c, one), begin, moves.join("; ")]));
        }
    }

    /// The machine on the page of all machines.
    fn states_link(&self, c: &Collection, states: &States) -> String {
        let paths = states.paths();
        let heading = format!("{} · {}", self.registry.machine_of(c, states), paths.join(", ")).to_lowercase();
        let anchor = heading.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c => (c.is_alphanumeric() || c == '-').then_some(c),
        });
        let anchor: String = anchor.collect();
        format!("[{}](../states.md#{anchor})", codes(&paths))
    }

    fn fields(&self, out: &mut String, level: &str, c: &Collection) {
        let own = 1..c.seq_slot();
        let _ = write!(out, "\n{level}# Fields{}\n\n", of(level, c));
        out.push_str("| Field | Kind | Marks | Set by | Seen by | Meaning |\n|---|---|---|---|---|---|\n");
        for f in c.fields.get(own).unwrap_or_default() {
            self.field(out, &f.path, f);
            if let Kind::Rows(subs) = &f.kind {
                for sub in subs {
                    self.field(out, &format!("{}[].{}", f.path, sub.path), sub);
                }
            }
        }
    }

    fn field(&self, out: &mut String, path: &str, f: &Field) {
        let class_word = match words::class(f.class) {
            "row" => "",
            class => class,
        };
        out.push_str(&row(&[
            code(path),
            words::kind(f, &|slug| self.link(slug)),
            words::marks(f),
            words::writer(f).to_owned(),
            class_word.to_owned(),
            cell(f.doc),
        ]));
    }

    fn joins(&self, out: &mut String, level: &str, c: &Collection) {
        if c.joins.is_empty() {
            return;
        }
        let _ = write!(out, "\n{level}# Related lists{}\n\n", of(level, c));
        out.push_str("| Join field | Rows of | That name the record in |\n|---|---|---|\n");
        for join in &c.joins {
            let on = codes(join.on);
            out.push_str(&row(&[code(join.name), self.link(join.collection), on]));
        }
    }

    fn exchange(&self, out: &mut String, level: &str, c: &Collection) {
        let sets = self.sets_of(c);
        if sets.is_empty() {
            return;
        }
        let _ = write!(out, "\n{level}# Exchange{}\n\n", of(level, c));
        out.push_str("| Data set | Resource type | Mapping |\n|---|---|---|\n");
        for set in sets {
            let file = &set.file;
            let mapping = format!("[{file}](../../mappings/{file}.toml)");
            out.push_str(&row(&[code(&set.name), code(&set.resource), mapping]));
        }
    }
}

/// On a page of several collections headings say of which one they are.
fn of(level: &str, c: &Collection) -> String {
    if level.len() > 1 {
        return format!(" of {}", c.slug);
    }
    String::new()
}

fn bullets(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(out, "\n{title}\n\n");
    for line in lines {
        let _ = writeln!(out, "- {line}");
    }
}

fn access(out: &mut String, level: &str, c: &Collection) {
    let _ = write!(out, "\n{level}# Access{}\n\n", of(level, c));
    out.push_str("| Read | Create | Update | Delete |\n|---|---|---|---|\n");
    let verbs = [Verb::Read, Verb::Create, Verb::Update, Verb::Delete];
    out.push_str(&row(&verbs.map(|verb| words::rule(c.access.rule(verb)))));
    let access = &c.access;
    let mut lines = Vec::new();
    if !access.subjects.is_empty() {
        lines.push(format!("Subjects: {}.", codes(&access.subjects)));
    }
    if access.write_subjects != access.subjects {
        let first = if access.write_first { ", the first that is filled" } else { "" };
        let paths = codes(&access.write_subjects);
        lines.push(format!("Subjects to write: {paths}{first}."));
    }
    if let Some(flag) = access.card_when {
        let flag = words::holds(flag);
        lines.push(format!("An opened card opens rows of which {flag}."));
    }
    if let Some((flag, class)) = access.guard {
        let (flag, class) = (words::holds(flag), words::class(class));
        lines.push(format!("Rows of which {flag} need class {class} on the animal."));
    }
    if let Some(path) = access.row_class {
        let path = code(path);
        lines.push(format!("A row needs the class that {path} names on the animal."));
    }
    if let Some(path) = access.only_of {
        let path = code(path);
        lines.push(format!("A row that names an organisation as {path} is read by it and the Association alone."));
    }
    for demand in &access.demands {
        let (path, value) = (code(demand.field), code(demand.value));
        let class = words::class(demand.class);
        lines.push(format!("Rows of which {path} is {value} need class {class} on the animal."));
    }
    lines.extend(access.allowances.iter().map(words::allowance));
    if !lines.is_empty() {
        out.push('\n');
        for line in lines {
            let _ = writeln!(out, "- {line}");
        }
    }
}

fn keys(out: &mut String, level: &str, c: &Collection) {
    let mut lines = Vec::new();
    let mut paths = |before: &str, paths: &[&str], after: &str| {
        if !paths.is_empty() {
            lines.push(format!("{before}{}{after}.", codes(paths)));
        }
    };
    for unique in &c.uniques {
        paths("Unique together when all are filled: ", unique, "");
    }
    paths("Uploads recognise a row by ", &c.natural, "");
    for index in &c.indexes {
        paths("Indexed together: ", index, "");
    }
    paths("In [imported files](../import.md) a row is named by its `id`, or by ", &c.naming.known_as, "");
    for set in &c.package_sets {
        let (before, after) = words::package_set(set);
        paths(&before, set.required, &after);
    }
    paths("Searched by parts of words: ", &c.trigram, "");
    for (canonical, alias) in &c.aliases {
        paths("Alias: ", &[alias], &format!(" for {}", code(canonical)));
    }
    // Animals are about themselves.
    let animal = c.animal.filter(|path| c.slot(path) != Some(ID));
    paths("About the animal in ", animal.as_slice(), "");
    paths("Event of the timeline, at ", c.happens.as_slice(), "");
    let lineage = c.lineage.as_ref().map_or(&[][..], |both| both);
    paths("Descends by ", lineage, ": `pedigree` exists");
    paths("Merged into another record by ", c.merged.as_slice(), "");
    paths("What a merger moved is in ", c.merge_journal.as_slice(), "");
    let disputed = c.disputed.as_slice();
    paths("Unique values that an unseen row has too are distinguished by ", disputed, "");
    let after = " are written one after another";
    paths("Rows that agree in ", c.serial.as_slice(), after);
    paths("A file sent with a body fills ", c.file.as_slice(), "");
    if let Some(stock) = &c.stock {
        let organization = match stock.through {
            Some(through) => format!("{}.{through}", stock.organization),
            None => stock.organization.to_owned(),
        };
        let mut owners = vec![organization.as_str(), stock.user];
        owners.retain(|path| !path.is_empty());
        paths("Counts against the storage limits of ", &owners, "");
    }
    let words = [
        (c.auth, "Rows are accounts, which sign in."),
        (c.sign_in.api_keys, "An account may have an API key."),
        (c.keep_used, "Rows that are used are not deleted."),
    ];
    lines.extend(words.iter().filter(|w| w.0).map(|w| w.1.to_owned()));
    lines.extend(c.feature.map(|feature| feature.doc().to_owned()));
    for (path, value) in &c.sign_in.first {
        let (path, value) = (code(path), code(value));
        lines.push(format!("The first account has {value} as {path}."));
    }
    bullets(out, &format!("{level}# Keys and roles{}", of(level, c)), &lines);
}

fn actions(out: &mut String, level: &str, c: &Collection) {
    if let Some(how) = &c.for_many {
        let _ = write!(out, "\n{level}# For many at once{}\n\n", of(level, c));
        let call = format!("POST /api/{}/{}", c.slug, how.name);
        let _ = writeln!(out, "{}: {}", code(&call), how.doc);
    }
    if c.actions.is_empty() {
        return;
    }
    let _ = write!(out, "\n{level}# Actions{}\n\n", of(level, c));
    out.push_str("| Call | Is a change of | Effect |\n|---|---|---|\n");
    for action in &c.actions {
        let call = format!("POST /api/{}/<id>/{}", c.slug, action.name);
        out.push_str(&row(&[code(&call), code(action.field), cell(action.doc)]));
    }
}

fn files(out: &mut String, level: &str, c: &Collection) {
    let Some(upload) = &c.upload else { return };
    let mut lines = Vec::new();
    for group in upload.groups {
        let (types, most) = (codes(group.types), group.max_bytes);
        lines.push(format!("{types}: {most} bytes at most."));
    }
    for size in upload.sizes {
        let (name, width, height) = (code(size.name), size.width, size.height);
        lines.push(format!("Smaller picture {name}: {width} × {height} pixels."));
    }
    bullets(out, &format!("{level}# Files{}", of(level, c)), &lines);
}

fn logs(out: &mut String, level: &str, c: &Collection) {
    let mut lines = Vec::new();
    if let Some(class) = c.logging.revised {
        let class = words::class(class);
        lines.push(format!("The edit log keeps changed values, as class {class} unless the field has another."));
    }
    for line in &c.logging.lines {
        let verb = format!("{:?}", line.verb).to_lowercase();
        let of = match line.paths {
            [] => String::new(),
            paths => format!(" of {}", codes(paths)),
        };
        lines.push(format!("The operation log notes {verb}{of} as {}.", code(line.action)));
    }
    if c.logging.viewed {
        lines.push("Reading a row under a grant is noted as a view.".to_owned());
    }
    bullets(out, &format!("{level}# Logs{}", of(level, c)), &lines);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Access, Rule, fields, int, relation, rows, select, text, text_n};

    fn pages() -> IndexMap<String, String> {
        let cow = fields![
            text_n("name", 30).required() => "A | b, `x|y` and <c> *d*.",
            select("kind", "a|b").default("a"),
            rows("calves", [int("number").range(1.0, 9.0), relation("breed", "breeds")]),
        ];
        let cows = Collection::new("cows", Access::read(Rule::Any), cow);
        let breed = || fields![text("name")];
        let breeds = ["breeds", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let breeds = breeds.map(|slug| Collection::new(slug, Access::read(Rule::Any), breed()).section("Words"));
        let mut all = vec![cows.section("Herd").doc("Cows.").alias("name", "title")];
        all.extend(breeds);
        let set = |name: &str| DataSet { name: name.to_owned(), resource: "Cow".to_owned(), file: name.to_owned() };
        let sets = BTreeMap::from([("cows".to_owned(), vec![set("all"), set("some")])]);
        Registry::build(all).unwrap().pages(&sets)
    }

    #[test]
    fn a_collection_has_a_page_and_a_large_section_one_for_all() {
        let pages = pages();
        let names: Vec<_> = pages.keys().collect();
        assert_eq!(names, ["README.md", "cows.md", "words.md"]);
        let index = &pages["README.md"];
        assert!(index.contains("\n| [cows](cows.md) | Cows. | `all`, `some` |\n"));
        assert!(index.contains("\n| [breeds](words.md#breeds) |"));
        assert!(pages["words.md"].contains("\n## breeds\n"));
    }

    #[test]
    fn cells_are_escaped_and_have_limits() {
        let page = &pages()["cows.md"];
        let name = r"| `name` | text, 30 characters | required |  |  | A \| b, `x\|y` and \<c\> \*d\*. |";
        let kind = "| `kind` | one of `a`, `b` | default `a` |  |  |  |";
        let number = "| `calves[].number` | whole number, 1 to 9 |  |  |  |  |";
        let breed = "| `calves[].breed` | [breeds](words.md#breeds) | indexed |  |  |  |";
        for line in [name, kind, number, breed, "- Alias: `title` for `name`."] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }
}
