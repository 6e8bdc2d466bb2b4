//! From the request to what is fetched: the columns, relations, pages of joins and ancestors that
//! an answer shows, and no others.

use super::model::What;
use super::name::chosen;
use super::plan::{EVENTS, Pick, PickKind, natural};
use super::{Fault, filter};
use indexmap::IndexMap;
use model::error::Error;
use model::query::qs::{Choice, JoinPage, Select, SelectTree, Story, Tree};
use model::record::time;
use model::registry::{Collection, Registry};
use ops::{GENERATIONS_MAX, View};
use serde_json::{Map, Value as Json};

/// Generations of ancestors unless the request says otherwise.
const GENERATIONS: u64 = 3;
/// Events of a page of a timeline.
const EVENTS_MAX: u64 = 1_000;
/// Records of a join unless the request says otherwise.
const JOINED: u64 = 10;

/// What documents of a collection show.
pub(super) fn view<'p, 'm: 'p>(
    registry: &'static Registry,
    sets: impl IntoIterator<Item = &'p [Pick<'m>]>,
) -> Result<View, Fault> {
    let mut tree = SelectTree::new();
    let mut depth = 0;
    for picks in sets {
        depth = depth.max(fields(registry, picks, &mut tree)?);
    }
    Ok(View { depth, select: Some(Select::Include(tree)), ..View::default() })
}

/// Adds to what is chosen; answers how many levels of relations lie below.
fn fields(registry: &'static Registry, picks: &[Pick<'_>], tree: &mut SelectTree) -> Result<u8, Fault> {
    let mut deepest = 0;
    for pick in picks {
        let PickKind::Field { out, args, picks } = &pick.kind else {
            continue;
        };
        let mut parts = SelectTree::new();
        let (choice, depth) = match out.what {
            What::Value | What::Choice(_) | What::Root(_) => (Choice::Whole, 0),
            What::Group | What::Rows => {
                let depth = fields(registry, picks, &mut parts)?;
                (Choice::Parts(parts), depth)
            }
            What::One | What::Many => {
                let depth = fields(registry, picks, &mut parts)?;
                (Choice::Parts(parts), depth.saturating_add(1))
            }
            What::Join(join, target) => {
                let mut depth = 0;
                for docs in children(picks, "docs") {
                    depth = depth.max(fields(registry, docs, &mut parts)?);
                }
                let page = page(registry, target, args);
                let name = join.name.to_owned();
                let choice = Choice::Join { name, page, parts };
                (choice, depth.saturating_add(1))
            }
            What::Lineage => {
                let mut depth = 0;
                for nodes in children(picks, "nodes") {
                    for doc in children(nodes, "doc") {
                        depth = depth.max(fields(registry, doc, &mut parts)?);
                    }
                }
                let generations = generations(args)?;
                let choice = Choice::Lineage { generations, depth, parts };
                (choice, 0)
            }
            What::Timeline(kinds) => {
                let mut depth: u8 = 0;
                for docs in children(picks, "docs") {
                    depth = depth.max(fields(registry, docs, &mut parts)?);
                }
                let choice = Choice::Story {
                    story: story(kinds, args)?,
                    // The records of events are in a separate page.
                    depth: depth.saturating_sub(1),
                    parts,
                };
                (choice, 0)
            }
        };
        deepest = deepest.max(depth);
        merge(tree, place(pick), choice);
    }
    Ok(deepest)
}

/// The name of a field in documents. A field that is queried with arguments occurs once for each set of them.
pub(super) fn place(pick: &Pick<'_>) -> String {
    let PickKind::Field { out, args, .. } = &pick.kind else {
        return String::new();
    };
    match out.what {
        What::Join(..) | What::Lineage | What::Timeline(_) => {
            let mut sorted: Vec<_> = args.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            let sorted: Map<String, Json> =
                (sorted.into_iter()).map(|(name, value)| (name.clone(), value.clone())).collect();
            format!("{}{}", out.key, Json::Object(sorted))
        }
        _ => out.key.clone(),
    }
}

/// The selection among the fields of a name.
pub(super) fn children<'p, 'm>(picks: &'p [Pick<'m>], key: &str) -> impl Iterator<Item = &'p [Pick<'m>]> {
    picks.iter().filter_map(move |pick| match &pick.kind {
        PickKind::Field { out, picks, .. } if out.key == key => Some(picks.as_slice()),
        _ => None,
    })
}

/// Several selections of one field are one fetch.
fn merge(tree: &mut SelectTree, name: String, choice: Choice) {
    let Some(entry) = tree.get_mut(&name) else {
        tree.insert(name, choice);
        return;
    };
    let deeper = match (&*entry, &choice) {
        (Choice::Lineage { depth: a, .. }, Choice::Lineage { depth: b, .. })
        | (Choice::Story { depth: a, .. }, Choice::Story { depth: b, .. }) => Some(*a.max(b)),
        _ => None,
    };
    if let (Some(further), Choice::Lineage { depth, .. } | Choice::Story { depth, .. }) = (deeper, &mut *entry) {
        *depth = further;
    }
    if let (Some(into), Some(from)) = (parts_mut(entry), parts(choice)) {
        for (name, choice) in from {
            merge(into, name, choice);
        }
    }
}

fn parts_mut(choice: &mut Choice) -> Option<&mut SelectTree> {
    match choice {
        Choice::Whole => None,
        Choice::Parts(parts)
        | Choice::Join { parts, .. }
        | Choice::Lineage { parts, .. }
        | Choice::Story { parts, .. } => Some(parts),
    }
}

fn parts(choice: Choice) -> Option<SelectTree> {
    match choice {
        Choice::Whole => None,
        Choice::Parts(parts)
        | Choice::Join { parts, .. }
        | Choice::Lineage { parts, .. }
        | Choice::Story { parts, .. } => Some(parts),
    }
}

fn page(registry: &'static Registry, c: &'static Collection, args: &Map<String, Json>) -> JoinPage {
    let condition = filter::condition(registry, c, args.get("where"));
    JoinPage {
        limit: natural(args, "limit").unwrap_or(JOINED),
        page: natural(args, "page").unwrap_or(1).max(1),
        sort: sort(args),
        filter: condition.map(|tree| Tree::Map(IndexMap::from([("where".to_owned(), tree)]))),
        count: args.get("count") == Some(&Json::Bool(true)),
    }
}

fn story(kinds: &'static [String], args: &Map<String, Json>) -> Result<Story, Fault> {
    let wrong = |name: &str| Fault::from(Error::Query(vec![name.to_owned()]));
    let number = |name: &str, default: u64, most: u64| match args.get(name) {
        None | Some(Json::Null) => Ok(default),
        Some(given) => {
            let given = given.as_u64().filter(|n| (1..=most).contains(n));
            given.ok_or_else(|| wrong(name))
        }
    };
    let day = |name: &str| match args.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(given) => {
            let at = given.as_str().and_then(time::parse_filter);
            at.map(Some).ok_or_else(|| wrong(name))
        }
    };
    let chosen_of = |name: &Json| chosen(kinds, name.as_str().unwrap_or_default().to_owned());
    let slugs = args.get("collections").and_then(Json::as_array);
    Ok(Story {
        kinds: slugs.into_iter().flatten().map(chosen_of).collect(),
        from: day("from")?,
        to: day("to")?,
        limit: number("limit", EVENTS, EVENTS_MAX)?,
        page: number("page", 1, u64::from(u32::MAX))?,
    })
}

/// `sort`, as keys.
pub(super) fn sort(args: &Map<String, Json>) -> Vec<String> {
    let sort = args.get("sort").and_then(Json::as_str).unwrap_or_default();
    let keys = sort.split(',').filter(|key| !key.is_empty());
    // Groups are written with two underlines here.
    keys.map(|key| key.replace("__", ".")).collect()
}

fn generations(args: &Map<String, Json>) -> Result<u8, Fault> {
    let number = match args.get("generations") {
        None | Some(Json::Null) => Some(GENERATIONS),
        Some(given) => given.as_u64(),
    };
    let number = number.and_then(|n| u8::try_from(n).ok());
    let number = number.filter(|n| (1..=GENERATIONS_MAX).contains(n));
    number.ok_or_else(|| Error::Query(vec!["generations".to_owned()]).into())
}
