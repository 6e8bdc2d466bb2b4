//! Writes single values: scalars in the form that the standard requires, and the few shapes that
//! the grammar has a word for.

use crate::ANIMALS;
use crate::codes::Codes;
use crate::compile::plan::Write;
use crate::identifiers::{Identifiers, Which};
use crate::path::{Env, Source, View};
use crate::render::body;
use model::record::{Record, time};
use serde_json::Value as Json;

/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Writes the first source that has something; false if none has.
pub(crate) fn leaf(write: &Write, sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    match write {
        Write::Gender(sex, status) => gender(sex, status, sources, env, out),
        Write::Fractions => fractions(sources, env, out),
        Write::Here { ids, owner } => here(ids, *owner, sources, env, out),
        Write::Share => share(sources, env, out),
        Write::Words(codes, member) => (sources.iter()).any(|s| words(codes, member.as_deref(), s, env, out)),
        Write::Flag => flag(sources, env, out),
        Write::Pairs(scheme) => pairs(scheme, sources, env, out),
        Write::Births { slot, all } => births(*slot, *all, sources, env, out),
        Write::Animal(ids) => record(sources, env, |r| ids.write_main(r, out)),
        Write::Animals(ids) => record(sources, env, |r| ids.write_list(Which::Reference, r, out)),
        Write::Alternatives(ids) => record(sources, env, |r| ids.write_list(Which::Alternatives, r, out)),
        _ => sources.iter().any(|s| scalar(write, s.view(env), out)),
    }
}

fn record(sources: &[Source], env: &Env<'_>, mut write: impl FnMut(&Record) -> bool) -> bool {
    sources.iter().any(|s| s.record(env).is_some_and(&mut write))
}

fn scalar(write: &Write, view: View<'_>, out: &mut Vec<u8>) -> bool {
    match (write, view) {
        (_, View::Null) => return false,
        (Write::Text, View::Text(t)) if !t.is_empty() => body::string(t, out),
        (Write::Text, View::Int(i)) => body::string(&i.to_string(), out),
        (Write::Upper, View::Text(t)) if !t.is_empty() => {
            body::string(&t.to_ascii_uppercase(), out);
        }
        (Write::Number, view) => {
            return view.num().is_some_and(|n| body::number(n, out));
        }
        (Write::Integer, View::Int(i)) => body::integer(i, out),
        (Write::Boolean, View::Bool(b)) => {
            out.extend_from_slice(if b { b"true" } else { b"false" });
        }
        (Write::Time | Write::Day, View::Time(t)) => {
            out.push(b'"');
            if matches!(write, Write::Day) {
                time::write_day(t, out);
            } else {
                time::write_iso(t, out);
            }
            out.push(b'"');
        }
        (Write::DayEdge { end }, View::Time(t)) => {
            let day = t.div_euclid(DAY) * DAY;
            out.push(b'"');
            time::write_iso(if *end { day + DAY - 1_000 } else { day }, out);
            out.push(b'"');
        }
        (Write::Decimal(factor), view) => {
            let start = out.len();
            out.push(b'"');
            if !view.num().is_some_and(|n| body::number(n * factor, out)) {
                out.truncate(start);
                return false;
            }
            out.push(b'"');
        }
        (Write::Codes(codes), View::Text(word)) => match codes.out(word) {
            Some(code) => body::string(code, out),
            None => return false,
        },
        (Write::Codes(codes), View::Int(i)) => match codes.out(&i.to_string()) {
            Some(code) => body::string(code, out),
            None => return false,
        },
        (Write::Location(ids), View::Int(id)) => {
            body::identifier(&id.to_string(), &ids.location, out);
        }
        _ => return false,
    }
    true
}

fn gender(sex: &Codes, status: &Codes, sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let view = |i: usize| sources.get(i).map_or(View::Null, |s| s.view(env));
    let code = match (view(0), view(1)) {
        (_, View::Text(s)) if status.out(s).is_some() => status.out(s),
        (View::Text(s), _) => sex.out(s),
        _ => None,
    };
    body::string(code.unwrap_or("Unknown"), out);
    true
}

/// Codes of a list, each perhaps in an object of its own; words without a code are left out.
fn words(codes: &Codes, member: Option<&str>, source: &Source, env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let Some(record) = source.record(env) else {
        return false;
    };
    let codes = record.get(source.slot).texts().iter().filter_map(|w| codes.out(w));
    body::list(codes, out, |code, out| {
        match member {
            None => body::string(code, out),
            Some(name) => {
                out.push(b'{');
                body::string(name, out);
                out.push(b':');
                body::string(code, out);
                out.push(b'}');
            }
        }
        true
    })
}

/// Only 0 is no; a missing number is yes.
fn flag(sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let no = (sources.iter()).any(|s| s.view(env).num() == Some(0.0));
    out.extend_from_slice(if no { b"false" } else { b"true" });
    true
}

/// The first number with a scheme: of its own, or, for a last number alone, this one.
fn pairs(scheme: &str, sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let text = |s: &Source| body::text_of(s.view(env)).filter(|t| !t.is_empty());
    for pair in sources.chunks(2) {
        let identifier = match pair {
            [id, of] => text(id).zip(text(of)),
            [id] => text(id).map(|id| (id, scheme.to_owned())),
            _ => None,
        };
        if let Some((id, scheme)) = identifier {
            body::identifier(&id, &scheme, out);
            return true;
        }
    }
    false
}

/// Shares of a hundred: each improver with a code, the rest for the main breed.
fn fractions(sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let mut rest = 100.0;
    let mut parts: Vec<(String, f64)> = Vec::new();
    let [breed, improvers @ ..] = sources else {
        return false;
    };
    let code = |s: &Source| match s.view(env) {
        View::Text(t) if !t.is_empty() => Some(t.to_ascii_uppercase()),
        _ => None,
    };
    for one in improvers.chunks_exact(2) {
        let [improver, share] = one else { continue };
        let share = share.view(env).num().filter(|n| *n > 0.0);
        if let (Some(code), Some(share)) = (code(improver), share) {
            parts.push((code, share));
            rest -= share;
        }
    }
    if parts.is_empty() {
        return false;
    }
    if let Some(code) = code(breed).filter(|_| rest > 0.0) {
        parts.insert(0, (code, rest));
    }
    out.extend_from_slice(b"{\"denominator\":100,\"fractions\":");
    body::list(&parts, out, |(code, share), out| {
        out.extend_from_slice(b"{\"breed\":");
        body::identifier(code, "icar.breed-3", out);
        out.extend_from_slice(b",\"fraction\":");
        body::number(*share, out);
        out.push(b'}');
        true
    });
    out.push(b'}');
    true
}

/// The animals of a list that an organisation owns; it may be empty.
fn here(ids: &Identifiers, owner: usize, sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    if !matches!(sources, [_, _]) {
        return false;
    }
    if !body::list(those_here(owner, sources, env), out, |(_, animal), out| ids.write_main(animal, out)) {
        out.extend_from_slice(b"[]");
    }
    true
}

/// The animals of a list (first source) that an organisation (second source) owns.
pub(crate) fn those_here<'e>(
    owner: usize,
    sources: &[Source],
    env: &Env<'e>,
) -> impl Iterator<Item = (i64, &'e Record)> {
    let (list, place) = match sources {
        [list, place] => (env.row.get(list.slot).ids(), place.view(env).int()),
        _ => (&[][..], None),
    };
    let (row_of, place) = (env.related, place);
    list.iter().filter_map(move |id| {
        let animal = row_of.get(ANIMALS, *id)?;
        (place.is_some() && animal.get(owner).int() == place).then_some((*id, animal))
    })
}

/// An amount and the share of something in it, %.
fn share(sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let [amount, percent] = sources else {
        return false;
    };
    let (amount, percent) = (amount.view(env).num(), percent.view(env).num());
    let product = amount.zip(percent).map(|(amount, share)| amount * share);
    product.is_some_and(|n| body::number((n / 10.0).round() / 10.0, out))
}

/// Number of births. Rows count themselves, since counts cannot hold calves of unknown sex.
fn births(slot: usize, all: bool, sources: &[Source], env: &Env<'_>, out: &mut Vec<u8>) -> bool {
    let rows = env.row.get(slot).rows();
    if !rows.is_empty() {
        let live = |row: &&Json| {
            let status = row.get("birthStatus").and_then(Json::as_str);
            !matches!(status, Some("stillborn" | "aborted"))
        };
        let count = if all { rows.len() } else { rows.iter().filter(live).count() };
        body::integer(i64::try_from(count).unwrap_or(i64::MAX), out);
        return true;
    }
    let counts: Vec<Option<i64>> = sources.iter().map(|s| s.view(env).int()).collect();
    if counts.iter().all(Option::is_none) {
        return false;
    }
    // The last field counts the dead.
    let dead = usize::from(!all);
    let counted = counts.iter().take(counts.len().saturating_sub(dead)).flatten();
    body::integer(counted.sum(), out);
    true
}
