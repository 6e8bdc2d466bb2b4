//! Orders in which the rows of a history come, by which face, and in how many requests.

use super::documents::exchanged;
use super::files::tabled;
use super::story::{Course, Fact, Row, Story};
use book_reference::{Event, Source, When};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Where rows come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    Rest,
    RestMany,
    GraphQl,
    Ade,
    AdeBatch,
    AdePush,
    Import,
    /// A table that a farm sends.
    Package,
    /// A file of documents that a farm sends.
    PackageAde,
}

/// What a request does with rows, by their places in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Create(Face, Vec<usize>),
    Correct(Face, usize),
    Delete(Face, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Create(usize),
    Correct(usize),
    Delete(usize),
}

/// Another order for each seed; that of seed 0 is the order of days, a row at a time.
pub(super) fn arrival(story: &Story, seed: u64) -> Vec<Step> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut moves: Vec<(u64, Move)> = Vec::new();
    for (at, row) in story.rows.iter().enumerate() {
        let key = |random: &mut ChaCha8Rng| random.random_range(0..1_000_000_u64);
        let (mut one, mut other) = (key(&mut random), key(&mut random));
        if other < one {
            std::mem::swap(&mut one, &mut other);
        }
        moves.push((one, Move::Create(at)));
        match row.course {
            Course::Straight => {}
            Course::Moved(_) | Course::Altered => moves.push((other + 1, Move::Correct(at))),
            Course::Deleted => moves.push((other + 1, Move::Delete(at))),
        }
    }
    match seed {
        0 => {
            // Corrections come after everything.
            let day = |at: usize| story.rows[at].when;
            moves.sort_by_key(|(key, step)| match step {
                Move::Create(at) => (0, instant(day(*at)), *at, 0),
                Move::Correct(at) | Move::Delete(at) => (1, 0, *at, *key),
            });
        }
        _ => moves.sort_by_key(|(key, step)| (*key, matches!(step, Move::Create(_)))),
    }
    let most = if seed == 0 { 1 } else { *[1, 4, 12, 60].choose(&mut random).unwrap_or(&1) };
    let mut steps: Vec<Step> = Vec::new();
    let mut window: Vec<usize> = Vec::new();
    for (_, step) in moves {
        let (face, ended) = (correction(&mut random), window.len() >= most);
        match step {
            Move::Create(at) => {
                if ended {
                    close(story, &mut window, &mut steps, &mut random);
                }
                window.push(at);
            }
            Move::Correct(at) | Move::Delete(at) => {
                close(story, &mut window, &mut steps, &mut random);
                steps.push(match step {
                    Move::Delete(_) => Step::Delete(face, at),
                    _ => Step::Correct(face, at),
                });
            }
        }
    }
    close(story, &mut window, &mut steps, &mut random);
    steps
}

fn instant(when: When) -> i64 {
    match when {
        When::Day(day) => day * 86_400_000,
        When::At(at) => at,
    }
}

/// The requests of some rows: one for each kind, in any order.
fn close(story: &Story, window: &mut Vec<usize>, steps: &mut Vec<Step>, random: &mut ChaCha8Rng) {
    let mut kinds: Vec<(&str, Vec<usize>)> = Vec::new();
    for at in window.drain(..) {
        let kind = kind(&story.rows[at].fact);
        match kinds.iter_mut().find(|(of, _)| *of == kind) {
            Some((_, rows)) => rows.push(at),
            None => kinds.push((kind, vec![at])),
        }
    }
    kinds.shuffle(random);
    for (_, rows) in kinds {
        match rows.as_slice() {
            [one] => steps.push(Step::Create(face(story, &[*one], random), vec![*one])),
            _ => {
                let face = face(story, &rows, random);
                match face {
                    Face::Rest | Face::GraphQl | Face::Ade => {
                        steps.extend(rows.into_iter().map(|at| Step::Create(face, vec![at])));
                    }
                    _ => steps.push(Step::Create(face, rows)),
                }
            }
        }
    }
}

/// Rows of one kind can be in one request by any face.
pub(super) fn kind(fact: &Fact) -> &'static str {
    match fact {
        Fact::Calving { event: Event::Calving, .. } => "parturitions",
        Fact::Calving { event: Event::Abortion, .. } => "abortions",
        Fact::Calving { event: Event::DryOff, .. } => "drying-offs",
        Fact::Service { .. } => "inseminations",
        Fact::Check { .. } => "pregnancy-checks",
        Fact::Test { source: Source::Other, .. } => "test-day-results",
        Fact::Test { source: Source::Official | Source::Laboratory, .. } => "official milk-tests",
        Fact::Test { .. } => "milk-tests",
        Fact::Visit { .. } => "milking-visits",
        Fact::Weighing { .. } => "weights",
        Fact::Leaving { death: true } => "deaths",
        Fact::Leaving { .. } => "departures",
    }
}

fn face(story: &Story, rows: &[usize], random: &mut ChaCha8Rng) -> Face {
    let facts = || rows.iter().map(|at| story.rows[*at].first());
    let by_exchange = facts().all(|row| exchanged(&row));
    let by_table = facts().all(|row| tabled(&row));
    let only_exchange = facts().all(|row| kind(&row.fact) == "test-day-results");
    // Import and tables take rows of the same animal, day and kind for one row.
    let alone = |at: &usize| {
        let own = kind(&story.rows[*at].fact);
        let times = |row: &Row| [row.clone(), row.first()].map(|row| instant(row.when));
        let mine = times(&story.rows[*at]);
        let near = |time: i64| mine.iter().any(|own| (own - time).abs() < 2 * 86_400_000);
        story
            .rows
            .iter()
            .enumerate()
            .all(|(other, row)| other == *at || kind(&row.fact) != own || !times(row).into_iter().any(near))
    };
    let mut faces = Vec::new();
    if !only_exchange {
        faces.extend([Face::Rest, Face::RestMany, Face::GraphQl]);
        if rows.iter().all(alone) {
            faces.push(Face::Import);
            faces.extend(by_table.then_some(Face::Package));
        }
    }
    if by_exchange {
        faces.extend([Face::Ade, Face::AdeBatch, Face::AdePush, Face::PackageAde]);
    }
    *faces.choose(random).unwrap_or(&Face::Rest)
}

fn correction(random: &mut ChaCha8Rng) -> Face {
    *[Face::Rest, Face::GraphQl, Face::Ade].choose(random).unwrap_or(&Face::Rest)
}
