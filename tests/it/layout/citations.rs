//! Citations of pages and links between pages lead somewhere.
//!
//! A citation is the path of a page from the root of the repository and headings of that page, in any comment:
//! `docs/states.md, *States*`. A second heading of the same page follows after a comma.

use super::assert_none;
use crate::support::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Files of other kinds are not read, and neither are these folders.
const KINDS: [&str; 5] = ["rs", "toml", "md", "sh", "txt"];
const SCRIPTS: [&str; 3] = [".ci/run", ".ci/timed", "tests/clients/run"];
const SKIPPED: [&str; 2] = ["target", "node_modules"];

/// Documents that are not in the repository: a reader cannot look up their sections.
const OUTSIDE: [&str; 5] = ["model", "design", "dialect", "domain", "domain facts"];

#[test]
fn every_citation_names_a_heading_that_is_there() {
    let mut pages = Pages::default();
    assert_none(each_file(|file, text| citation_faults(&mut pages, file, text)));
}

#[test]
fn nothing_outside_the_repository_is_cited_by_section() {
    assert_none(each_file(outside_faults));
}

#[test]
fn every_link_between_pages_leads_to_a_heading() {
    let mut pages = Pages::default();
    assert_none(each_file(|file, text| link_faults(&mut pages, file, text)));
    let printed = cli::reference().unwrap().into_iter();
    let printed: Vec<_> = printed.map(|(name, text)| (format!("docs/{name}"), text)).collect();
    let known = printed.iter();
    let known = known.map(|(name, text)| (name.clone(), Some(headings(text))));
    pages.0.extend(known);
    let faults = printed.iter();
    let faults = faults.flat_map(|(name, text)| link_faults(&mut pages, name, text));
    assert_none(faults.collect());
}

/// Collects the faults of the files, by their paths from the root.
fn each_file(mut faults: impl FnMut(&str, &str) -> Vec<String>) -> Vec<String> {
    let mut files: Vec<PathBuf> = SCRIPTS.iter().map(|file| root().join(file)).collect();
    collect(root(), &mut files);
    files.sort();
    assert!(files.len() > SCRIPTS.len(), "no file that could cite");
    let faults = files.iter().flat_map(|file| {
        let text = fs::read_to_string(file).expect("a readable file");
        let name = file.strip_prefix(root()).expect("a file below the root");
        faults(&name.to_string_lossy(), &text)
    });
    faults.collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && !SKIPPED.contains(&&*name) {
                collect(&path, files);
            }
        } else if KINDS.iter().any(|kind| path.extension() == Some(kind.as_ref())) {
            files.push(path);
        }
    }
}

/// Lines as one, without indents and marks of comments, so that what is broken over two lines is found as well.
struct Flat {
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Flat {
    fn of(text: &str) -> Self {
        let mut flat = Self { text: String::with_capacity(text.len()), lines: Vec::new() };
        for line in text.lines() {
            let line = line.trim();
            let marks = ["//!", "///", "//", "#", ";"];
            let bare = marks.iter().find_map(|mark| line.strip_prefix(mark));
            flat.lines.push(flat.text.len());
            flat.text.push_str(bare.unwrap_or(line).trim());
            flat.text.push(' ');
        }
        flat
    }

    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= at)
    }
}

/// The headings of pages, by path from the root; none where there is no such page.
#[derive(Default)]
struct Pages(BTreeMap<String, Option<Vec<String>>>);

impl Pages {
    fn headings(&mut self, page: &str) -> Option<&[String]> {
        let read = || fs::read_to_string(root().join(page)).ok().map(|text| headings(&text));
        let known = self.0.entry(page.to_owned()).or_insert_with(read);
        known.as_deref()
    }
}

/// Without marks.
fn headings(page: &str) -> Vec<String> {
    let heads = prose(page).filter_map(|(_, line)| {
        let (marks, head) = line.split_once(' ')?;
        let level = marks.chars().all(|c| c == '#') && !marks.is_empty();
        level.then(|| head.replace(['`', '*'], "").trim().to_owned())
    });
    heads.collect()
}

/// The lines outside blocks of code, with their numbers.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    page.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        (!code && !fence).then_some((at + 1, line))
    })
}

/// The anchors of headings: lower case, without punctuation, hyphens for spaces, a number where one repeats.
fn anchors(headings: &[String]) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for heading in headings {
        let letters = heading.to_lowercase();
        let letters = letters.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c => (c.is_alphanumeric() || c == '-' || c == '_').then_some(c),
        });
        let anchor: String = letters.collect();
        let count = seen.entry(anchor.clone()).or_default();
        all.insert(match *count {
            0 => anchor,
            repeated => format!("{anchor}-{repeated}"),
        });
        *count += 1;
    }
    all
}

fn citation_faults(pages: &mut Pages, file: &str, text: &str) -> Vec<String> {
    let flat = Flat::of(text);
    let mut faults = Vec::new();
    for (at, _) in flat.text.match_indices(".md") {
        let is_path = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '/';
        let before = &flat.text[..at];
        let page = &before[before.trim_end_matches(is_path).len()..];
        let page = format!("{page}.md");
        let after = &flat.text[at + ".md".len()..];
        let cited = cited(after.strip_prefix('`').unwrap_or(after));
        let named = page.starts_with("docs/") && !after.starts_with(is_word);
        if cited.is_empty() && !named {
            continue;
        }
        let place = format!("{file}:{}", flat.line(at));
        match pages.headings(&page) {
            None => faults.push(format!("{place}: there is no page {page}")),
            Some(headings) => {
                let absent = |cited: &&&str| headings.iter().all(|heading| heading != **cited);
                let absent = cited.iter().filter(absent);
                faults.extend(absent.map(|it| format!("{place}: {page} has no heading *{it}*")));
            }
        }
    }
    faults
}

/// The headings that follow the path of a page.
fn cited(mut after: &str) -> Vec<&str> {
    let mut all = Vec::new();
    while let Some(rest) = after.strip_prefix(", *") {
        let Some((heading, rest)) = rest.split_once('*').filter(|(it, _)| !it.is_empty()) else {
            break;
        };
        all.push(heading);
        after = rest;
    }
    all
}

fn outside_faults(file: &str, text: &str) -> Vec<String> {
    let flat = Flat::of(text);
    let lower = flat.text.to_ascii_lowercase();
    let mut faults = Vec::new();
    for name in OUTSIDE {
        for (at, _) in lower.match_indices(name) {
            let (before, after) = (&lower[..at], &lower[at + name.len()..]);
            let whole = !before.ends_with(|c: char| c.is_alphanumeric());
            if whole && (section_before(before) || section_after(after)) {
                let line = flat.line(at);
                faults.push(format!("{file}:{line}: cites a section of the {name}; cite a page of docs"));
            }
        }
    }
    faults
}

/// The section comes first, and the document after it.
fn section_before(text: &str) -> bool {
    let mut words = text.strip_suffix(" of the ").unwrap_or("").rsplit(' ');
    let number = words.next().is_some_and(|word| word.len() < 5);
    number && words.next().is_some_and(|word| word.contains("section"))
}

/// The document comes first: with the word, or with a number of two parts.
fn section_after(text: &str) -> bool {
    let text = text.strip_prefix("'s").unwrap_or(text);
    let text = text.strip_prefix(',').unwrap_or(text);
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let part = number.strip_prefix('.').unwrap_or("");
    text.starts_with(" section") || number.len() + 1 < text.len() && part.starts_with(|c: char| c.is_ascii_digit())
}

fn link_faults(pages: &mut Pages, file: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if !file.ends_with(".md") {
        return faults;
    }
    for (line, text) in prose(text) {
        // Every second piece is code.
        let plain: String = text.split('`').step_by(2).collect();
        for (at, _) in plain.match_indices("](") {
            let target = plain[at + 2..].split(')').next().unwrap_or_default();
            if let Some(why) = link_fault(pages, file, target) {
                faults.push(format!("{file}:{line}: {why}"));
            }
        }
    }
    faults
}

fn link_fault(pages: &mut Pages, file: &str, target: &str) -> Option<String> {
    if ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = if path.is_empty() { file.to_owned() } else { beside(file, path) };
    if !root().join(&to).exists() && pages.headings(&to).is_none() {
        return Some(format!("the link {target} leads nowhere"));
    }
    if anchor.is_empty() || !to.ends_with(".md") {
        return None;
    }
    let known = anchors(pages.headings(&to).unwrap_or_default());
    (!known.contains(anchor)).then(|| format!("the link {target} names no heading of {to}"))
}

/// A path as the file names it, from the root.
fn beside(file: &str, path: &str) -> String {
    let mut whole = PathBuf::from(file);
    whole.pop();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::Normal(name) => whole.push(name),
            _ => {}
        }
    }
    whole.to_string_lossy().into_owned()
}

/// Put together, since this file is read as well.
const PAGE: &str = concat!("docs/page", ".md");
const NOWHERE: &str = concat!("nowhere", ".md");

/// Pages that are not on the disk.
fn made_up() -> Pages {
    let page = "# One\n```text\n# no heading\n```\n## `two` · *three*\n### Four\n#### Four\n";
    let mut pages = Pages::default();
    pages.0.insert(PAGE.to_owned(), Some(headings(page)));
    pages
}

#[test]
fn a_dangling_citation_is_found_however_it_is_broken() {
    let faults = |text: &str| {
        let text = text.replace("PAGE", PAGE).replace("NOWHERE", NOWHERE);
        citation_faults(&mut made_up(), "src/file.rs", &text)
    };
    for text in [
        "//! Text (PAGE, *Five*).",
        "/// Text (PAGE,\n/// *Five*) goes on.",
        "/// Text (PAGE, *One*, *Five*).",
        "# See `PAGE`, *Five*.",
        "    // Text (PAGE, *no\n    // heading*)",
        "// See docs/NOWHERE.",
        "// See (NOWHERE, *One*).",
    ] {
        let found = faults(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
    assert_eq!(faults("\n//! (PAGE,\n//! *Five*)"), [format!("src/file.rs:2: {PAGE} has no heading *Five*")]);
    for text in [
        "//! Text (PAGE, *One*).",
        "/// Text (PAGE, *two ·\n/// three*, *Four*) goes on.",
        "// All of PAGE. And more.",
        "// Some page.md elsewhere, **loud**.",
    ] {
        let found = faults(text);
        assert_eq!(found, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_section_of_another_document_is_found() {
    for name in OUTSIDE {
        for text in [
            format!("//! Text ({name}, section 3.1)."),
            format!("//! Text (the {name},\n//! sections 3 and 4)."),
            format!("//! The {name}'s section 4."),
            format!("//! Text ({name}, 3.12)."),
            format!("//! As section 8 of the {name} has it."),
        ] {
            let faults = outside_faults("src/file.rs", &text);
            assert!(!faults.is_empty(), "{text}");
        }
    }
    for text in ["the model, and a section", "a dialect, 4 cases", "remodel, section 2", "which sections of the model"]
    {
        assert_eq!(outside_faults("src/file.rs", text), Vec::<String>::new());
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    for text in [
        "[a](page.md#five)",
        "[a](page.md#no-heading)",
        "[`a`](../docs/page.md#four-2)",
        "x [a](nowhere.md) y",
        "[a](#five)",
    ] {
        let faults = link_faults(&mut with_readme(), "docs/glossary.md", text);
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
    }
    for text in [
        "[a](https://example.org/nowhere#five), `[a](nowhere.md)`",
        "```\n[a](nowhere.md)\n```",
        "[a](dialect.md#two--three), [a](dialect.md#four), [a](../docs/dialect.md#four-1), [src](../src)",
    ] {
        let faults = link_faults(&mut with_readme(), "docs/glossary.md", text);
        assert_eq!(faults, Vec::<String>::new(), "{text}");
    }
}

/// The made-up page in place of one that is on the disk, as links demand.
fn with_readme() -> Pages {
    let mut pages = made_up();
    let page = pages.0.remove(PAGE).expect("the page");
    pages.0.insert("docs/dialect.md".to_owned(), page);
    pages
}
