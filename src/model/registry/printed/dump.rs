//! The declarations as readable text, one line per field, for review and golden files.
//! Knows nothing beyond the declarations themselves.

use crate::registry::{BulkMode, Class, Collection, Field, Kind, Registry, Rule, Verb, Writer};
use std::fmt::Write as _;

impl Registry {
    /// Every collection with its rules, keys and fields in short marks; its states are on a page (docs/states.md).
    pub fn dump(&self) -> String {
        let mut out = String::new();
        for c in self.iter() {
            collection(&mut out, c);
        }
        out
    }
}

// Writing into a String cannot fail, so the results of `write!` carry nothing.
fn collection(out: &mut String, c: &Collection) {
    let _ = writeln!(out, "{} · {} · sort {}", c.slug, c.singular, c.sort);
    access(out, c);
    keys(out, c);
    files(out, c);
    roles(out, c);
    for f in &c.fields {
        let _ = writeln!(out, "    {}", field(f));
    }
    out.push('\n');
}

fn access(out: &mut String, c: &Collection) {
    let verbs = [("R", Verb::Read), ("C", Verb::Create), ("U", Verb::Update), ("D", Verb::Delete)];
    let rules: Vec<_> = verbs.iter().map(|(letter, verb)| format!("{letter} {}", rule(c.access.rule(*verb)))).collect();
    let _ = writeln!(out, "  {}", rules.join(" · "));
    line(out, "S", &c.access.subjects);
    if c.access.write_subjects != c.access.subjects {
        let mark = if c.access.write_first { "S→ first of" } else { "S→" };
        line(out, mark, &c.access.write_subjects);
    }
    line(out, "card when", c.access.card_when.as_slice());
    if let Some((flag, class)) = c.access.guard {
        let _ = writeln!(out, "  guard {flag} by {class:?}");
    }
    line(out, "row class", c.access.row_class.as_slice());
    line(out, "only of", c.access.only_of.as_slice());
    logging(out, c);
    for a in &c.access.allowances {
        let days = a.days.map(|d| format!(" for {d} days")).unwrap_or_default();
        let only = a.only.join(", ");
        let when = match a.when {
            [] => String::new(),
            flags => format!(" when {}", flags.join(" | ")),
        };
        let _ = writeln!(out, "  allow {:?} by {}: {only}{days}{when}", a.verb, a.who);
    }
    for d in &c.access.demands {
        let _ = writeln!(out, "  demand {:?} where {}={}", d.class, d.field, d.value);
    }
}

fn keys(out: &mut String, c: &Collection) {
    for paths in &c.indexes {
        line(out, "index", paths);
    }
    for paths in &c.uniques {
        line(out, "unique", paths);
    }
    line(out, "nk", &c.natural);
    line(out, "happens", c.happens.as_slice());
    line(out, "lineage", c.lineage.as_ref().map_or(&[], |l| l));
    line(out, "identity", c.identity);
    line(out, "merged by", c.merged.as_slice());
    line(out, "unmerged by", c.merge_journal.as_slice());
    line(out, "trigram", &c.trigram);
    line(out, "known as", &c.naming.known_as);
    line(out, "label", c.naming.label.as_slice());
    for set in &c.package_sets {
        let mut required = set.required.join(", ");
        if !set.one_of.is_empty() {
            let _ = write!(required, ", one of {}", set.one_of.join(", "));
        }
        for (path, value) in set.constants {
            let _ = write!(required, ", {path} = {value}");
        }
        if set.by_row_rights {
            required.push_str(", by the rights of single rows");
        }
        let _ = writeln!(out, "  set {} ({}): {required}", set.name, set.kind);
    }
    for text in &c.naming.texts {
        let also = if text.stays { "also by" } else { "else by" };
        let _ = writeln!(out, "  {} {also} {}", text.relation, text.text);
    }
    for (canonical, alias) in &c.aliases {
        let _ = writeln!(out, "  alias {alias} = {canonical}");
    }
    for j in &c.joins {
        let on = j.on.join(" | ");
        let _ = writeln!(out, "  join {} = {}.{on}", j.name, j.collection);
    }
}

fn files(out: &mut String, c: &Collection) {
    for group in c.upload.iter().flat_map(|u| u.groups) {
        let (most, types) = (group.max_bytes, group.types.join(", "));
        let _ = writeln!(out, "  files ≤{most}: {types}");
    }
    for size in c.upload.iter().flat_map(|u| u.sizes) {
        let _ = writeln!(out, "  size {} {}×{}", size.name, size.width, size.height);
    }
    line(out, "takes a file", c.file.as_slice());
}

fn roles(out: &mut String, c: &Collection) {
    let flags = [("auth", c.auth), ("keep used", c.keep_used), ("one after another", c.serial.is_some())];
    let flags: Vec<_> = flags.iter().filter(|f| f.1).map(|f| f.0).collect();
    line(out, "is", &flags);
    let feature = c.feature.map(|feature| format!("{feature:?}"));
    line(out, "feature", feature.as_deref().as_slice());
    let stock = c.stock.iter();
    let stock = stock.flat_map(|s| [s.organization, s.through.unwrap_or_default(), s.user]);
    let stock: Vec<_> = stock.filter(|path| !path.is_empty()).collect();
    line(out, "counts for", &stock);
    for action in &c.actions {
        let _ = writeln!(out, "  action {} by {}", action.name, action.field);
    }
    if let Some(how) = &c.for_many {
        let only = how.only.map(|(field, value)| format!(" where {field}={value}"));
        let only = only.unwrap_or_default();
        let mode = match how.how {
            BulkMode::Together => String::new(),
            BulkMode::OneByOne(most) => format!(", {most} one by one"),
        };
        let (name, by, same) = (how.name, how.relation, how.same.join(", "));
        let _ = writeln!(out, "  {name} by {by}{only}, once while open by {same}{mode}");
    }
    let words = c.sign_in_words();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    line(out, "sign-in", &words);
}

fn logging(out: &mut String, c: &Collection) {
    let log = &c.logging;
    if let Some(class) = log.revised {
        let _ = writeln!(out, "  revised as {}", class.letter().unwrap_or("-"));
    }
    for line in &log.lines {
        let paths = line.paths.join(", ");
        let _ = writeln!(out, "  logs {:?} {paths} as {}", line.verb, line.action);
    }
    if let Some(subject) = &log.subject {
        let by = subject.named_by.unwrap_or("its name");
        let whose = subject.organizations.join(" | ");
        let _ = writeln!(out, "  subject {} by {by} of {whose}", subject.kind);
    }
    if log.viewed {
        let _ = writeln!(out, "  views are noted");
    }
}

fn line(out: &mut String, title: &str, words: &[&str]) {
    if !words.is_empty() {
        let _ = writeln!(out, "  {title} {}", words.join(", "));
    }
}

fn rule(rule: &Rule) -> String {
    match rule {
        Rule::Event { scope, card } => {
            let scope = scope.word().unwrap_or("any");
            format!("EVENT({scope}{})", if *card { "" } else { "−" })
        }
        other => format!("{other:?}").to_uppercase(),
    }
}

/// `path type marks limits class`.
fn field(f: &Field) -> String {
    let mut out = format!("{} {}", f.path, kind(&f.kind));
    let marks = [(f.required, "!"), (f.unique, "^"), (f.indexed, "#"), (f.writer == Writer::Server, "~")];
    for (_, mark) in marks.iter().filter(|m| m.0) {
        out.push_str(mark);
    }
    if let Some(default) = &f.default {
        let _ = write!(out, " ={default:?}");
    }
    match (f.min, f.max) {
        (Some(min), Some(max)) => {
            let _ = write!(out, " {min}..{max}");
        }
        (Some(min), None) => {
            let _ = write!(out, " ≥{min}");
        }
        (None, Some(max)) => {
            let _ = write!(out, " ≤{max}");
        }
        (None, None) => {}
    }
    let words = [
        (f.blank, "blank"),
        (f.once, "@1"),
        (f.locked, "@L"),
        (f.writer == Writer::Association, "@A"),
        (f.writer == Writer::Team, "@T"),
        (f.writer == Writer::Admin, "@M"),
        (f.session, "session"),
        (f.cascade, "cascade"),
        (f.spelling.is_some(), "one spelling"),
        (f.decides, "decides"),
        (f.names_parent, "names a parent"),
        (f.memory, "memory"),
        (f.shown_once, "returned once"),
        (f.guarded.is_some(), "no key"),
        (f.guarded.is_some_and(|g| g.confirmed), "confirmed"),
    ];
    for (_, word) in words.iter().filter(|w| w.0) {
        let _ = write!(out, " {word}");
    }
    if let Some(through) = &f.through {
        let _ = write!(out, " through {through}");
    }
    if let Some(keyed) = &f.keyed {
        let _ = write!(out, " stored encrypted in {}", keyed.current);
    }
    if let Some(collection) = f.asks {
        let _ = write!(out, " where of {collection}");
    }
    out.push_str(match f.class {
        Class::Row => "",
        Class::Card => " ·c",
        Class::Production => " ·p",
        Class::Evaluation => " ·e",
        Class::Genotype => " ·g",
        Class::Owner => " ·o",
        Class::Private => " °",
        Class::SignedIn => " °s",
        Class::Hidden => " hidden",
    });
    out
}

fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Text(n) => format!("t({n})"),
        Kind::LongText => "ta".to_owned(),
        Kind::Email => "e".to_owned(),
        Kind::Password => "password".to_owned(),
        Kind::Int => "i".to_owned(),
        Kind::Number => "n".to_owned(),
        Kind::Day => "d".to_owned(),
        Kind::Instant => "ts".to_owned(),
        Kind::Bool => "b".to_owned(),
        Kind::Json => "j".to_owned(),
        Kind::Select(values) => format!("{{{}}}", values.join("|")),
        Kind::Selects(values) => format!("{{{}}}[]", values.join("|")),
        Kind::Texts(n) => format!("t({n})[]"),
        Kind::Relation(to) => format!("→{to}"),
        Kind::Relations(to) => format!("→{to}[]"),
        Kind::Rows(subs) => {
            let subs: Vec<_> = subs.iter().map(field).collect();
            format!("[{{{}}}]", subs.join(", "))
        }
    }
}
