//! No files of a crate import each other in a circle, of whatever length: a change of one of them would require knowing
//! all. The root of a module and its own parts are exempt, since they are one idea in several files.

use super::tokens::{Source, Written};
use super::{assert_none, sources};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A module of a crate by the names that lead to it from the root.
type Module = Vec<String>;

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut crates: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for source in sources().into_iter().filter(|source| !source.is_empty()) {
        let name = source.crate_name().to_owned();
        crates.entry(name).or_default().push(source);
    }
    let circles = crates.values().flat_map(|files| Files::of(files).circles());
    assert_none(circles.collect());
}

/// Where a path leads.
enum Target {
    File(Module),
    /// Something that the file declares; what follows in the path is part of it.
    ItemOf(Module),
}

/// The files of a crate.
struct Files {
    /// The paths that each of them names.
    paths: BTreeMap<Module, Vec<Written>>,
    /// The imports of each module by `use`, by their last name.
    brought: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

impl Files {
    fn of(sources: &[Source]) -> Self {
        let paths = sources.iter().map(|file| (module_of(file), file.paths()));
        let paths: BTreeMap<_, _> = paths.collect();
        let brought = paths.iter().map(|(module, paths)| {
            let used = paths.iter().filter(|path| path.used && path.depth == 0);
            let named = used.map(|path| {
                let mut segments = path.segments.clone();
                segments.pop_if(|last| last == "self");
                (segments.last().cloned().unwrap_or_default(), segments)
            });
            (module.clone(), named.collect())
        });
        Self { brought: brought.collect(), paths }
    }

    /// The shortest circle of imports through each file, reported once.
    fn circles(&self) -> BTreeSet<String> {
        let imports: BTreeMap<_, BTreeSet<Module>> = self
            .paths
            .iter()
            .map(|(module, paths)| {
                let lead = paths.iter().filter_map(|path| self.file_of(module, path));
                // A module and its own parts are one idea in several files.
                (module, lead.filter(|file| !file.starts_with(module)).collect())
            })
            .collect();
        let circles = imports.keys().filter_map(|start| {
            let mut before: BTreeMap<&Module, &Module> = BTreeMap::new();
            let mut reached = VecDeque::from([*start]);
            while let Some(file) = reached.pop_front() {
                for next in imports.get(file).into_iter().flatten() {
                    if !before.contains_key(next) {
                        before.insert(next, file);
                        reached.push_back(next);
                    }
                }
            }
            let mut circle = vec![*before.get(start)?];
            while circle.last() != Some(start) {
                circle.push(before.get(circle.last()?)?);
            }
            circle.reverse();
            let first = circle.iter().enumerate().min_by_key(|(_, file)| **file)?.0;
            circle.rotate_left(first);
            let names: Vec<_> = circle.iter().map(|file| file.join("::")).collect();
            Some(format!("{} import each other in a circle", names.join(" > ")))
        });
        circles.collect()
    }

    /// The file that declares what a path leads to; none outside the crate.
    fn file_of(&self, module: &Module, path: &Written) -> Option<Module> {
        // `super` of an inline module leads to its own file.
        let within = path.segments.iter().take(path.depth);
        let skip = within.take_while(|name| *name == "super").count();
        match self.resolve(module, path.segments.get(skip..)?, 0)? {
            Target::File(file) | Target::ItemOf(file) => Some(file),
        }
    }

    fn resolve(&self, module: &Module, path: &[String], follows: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        // A longer chain is a name that brings in itself.
        if follows > 8 {
            return None;
        }
        let brought = |module: &Module, name: &String| {
            let path = self.brought.get(module)?.get(name)?;
            (path.first() != Some(name)).then(|| self.resolve(module, path, follows + 1))?
        };
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.clone(),
            "super" => {
                let ups = rest.iter().take_while(|name| *name == "super").count();
                rest = rest.get(ups..)?;
                module.get(..module.len().checked_sub(ups + 1)?)?.to_vec()
            }
            _ => {
                let mut below = module.clone();
                below.push(first.clone());
                match self.paths.contains_key(&below) {
                    true => below,
                    false => match brought(module, first)? {
                        Target::File(file) => file,
                        item @ Target::ItemOf(_) => return Some(item),
                    },
                }
            }
        };
        while let Some((name, after)) = rest.split_first() {
            at.push(name.clone());
            if !self.paths.contains_key(&at) {
                at.pop();
                // The root of a module may show what its parts declare.
                match brought(&at, name) {
                    Some(Target::File(file)) => at = file,
                    Some(item) => return Some(item),
                    None => return Some(Target::ItemOf(at)),
                }
            }
            rest = after;
        }
        Some(Target::File(at))
    }
}

/// `src/store/writer/fair_queue.rs` is `writer::fair_queue`.
fn module_of(source: &Source) -> Module {
    let path = source.file.trim_end_matches(".rs");
    let mut names: Module = path.split('/').skip(2).map(str::to_owned).collect();
    names.pop_if(|last| last == "mod" || last == "lib");
    names
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let circles = |files: &[(&str, &str)]| {
        let file = |(file, text): &(&str, &str)| Source::new(&format!("src/store/{file}.rs"), text);
        let files: Vec<_> = files.iter().map(file).collect();
        Vec::from_iter(Files::of(&files).circles())
    };
    let found = ["read::one > write import each other in a circle"];
    for (read, write) in table![
        "use crate::write::Row;", "use crate::read::one::Page;";
        "use super::super::write::Row;", "use super::read::one::{self, Page};";
        "fn f() { crate::write::row() }", "use super::read; fn f() { read::one::page() }";
        "mod inner { use super::super::super::write::Row; }", "use crate::read::Page;";
        "use crate::Row;", "use crate::read::Page;";
    ] {
        let root = ("lib", "mod read; mod write; pub use write::Row;");
        let module = ("read/mod", "mod one; pub use one::Page;");
        let files = [root, module, ("read/one", read), ("write", write)];
        assert_eq!(circles(&files), found, "{read} {write}");
    }
    for (read, write) in table![
        "use crate::write::Row;", "use model::read::one::Page;";
        "use crate::write::Row;", "// crate::read::one\n#[cfg(test)]\nmod tests { use crate::read::one; }";
        "use super::Other;", "use crate::read::Other;";
    ] {
        let module = ("read/mod", "mod one; pub struct Other; use one::Page;");
        let files = [("lib", "mod read; mod write;"), module, ("read/one", read), ("write", write)];
        assert_eq!(circles(&files), Vec::<String>::new(), "{read} {write}");
    }
    let files = [
        ("lib", "mod one; mod other; mod third;"),
        ("other", "use crate::third::A;"),
        ("third", "use crate::one::B;"),
        ("one", "use crate::other::C;"),
    ];
    assert_eq!(circles(&files), ["one > other > third import each other in a circle"]);
}
