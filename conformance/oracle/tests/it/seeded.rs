//! The oracle finds each of the mistakes that real servers make, and none where there is
//! none.
//!
//! Each line of [`FAULTS`] switches one mistake on, in a server of one style, and says in
//! which words the oracle must speak of it. `FEED_SEEDS=<n>` runs more schedules,
//! `FEED_SEED=<seed>` one alone; `-- --nocapture` shows what was found how often.

use crate::model::fault::Fault;
use crate::model::{Run, Style, run};
use feed_oracle::Kind;
use std::collections::BTreeMap;

const LOG: Style = Style::Log;
const SNAPSHOT: Style = Style::Snapshot;

/// Mistake, style of the server, what the oracle calls it. A mistake has more than one
/// consequence, and in some schedules another one is seen first; see [`RIGHT`].
const FAULTS: &[(Fault, Style, &[Kind])] = &[
    (Fault::SerialOrder, LOG, &[Kind::Overtaken, Kind::Order]),
    (Fault::ClockPaging, LOG, &[Kind::ByClock]),
    (Fault::CacheAhead, LOG, &[Kind::Ahead]),
    (Fault::RolledBackStays, LOG, &[Kind::Ahead]),
    (Fault::CacheBehind, LOG, &[Kind::Behind]),
    (Fault::LaggingCopy, LOG, &[Kind::Behind]),
    (Fault::CacheOfAll, LOG, &[Kind::Leak, Kind::Behind]),
    (Fault::LostTombstone, LOG, &[Kind::LostTombstone]),
    (Fault::LostTombstone, SNAPSHOT, &[Kind::LostTombstone]),
    (
        Fault::TombstonesExpire,
        LOG,
        &[Kind::LostTombstone, Kind::ExpiredToken],
    ),
    (Fault::FilterLosesTombstones, LOG, &[Kind::LostTombstone]),
    (Fault::RecreatedIsGone, LOG, &[Kind::Recreated]),
    (Fault::SoldNotBuried, LOG, &[Kind::LostTombstone]),
    (Fault::OldContent, LOG, &[Kind::Altered]),
    (Fault::LostUpdate, LOG, &[Kind::WentBack]),
    (Fault::RewoundToken, LOG, &[Kind::Rewound, Kind::Repeated]),
    (
        Fault::SkippedBoundary,
        LOG,
        &[Kind::SkippedAtBoundary, Kind::ByClock],
    ),
    (Fault::RepeatedBoundary, LOG, &[Kind::Repeated]),
    (Fault::TokenStays, LOG, &[Kind::NoProgress]),
    (Fault::GainWithoutHistory, LOG, &[Kind::NotGained]),
    (Fault::LossWithoutTombstones, LOG, &[Kind::NotWithdrawn]),
    (Fault::LossWithoutReason, LOG, &[Kind::NoReason]),
    (Fault::OrderedByKey, LOG, &[Kind::Order]),
    (Fault::SetDisagrees, LOG, &[Kind::Disagreement]),
    (Fault::EmptyUnmarked, LOG, &[Kind::Unmarked, Kind::Behind]),
    (Fault::AlwaysCurrent, LOG, &[Kind::FalseCurrent]),
    (Fault::SilentResync, LOG, &[Kind::Rewound, Kind::Repeated]),
    (
        Fault::SilentResync,
        SNAPSHOT,
        &[
            Kind::Rewound,
            Kind::Repeated,
            Kind::NotWithdrawn,
            Kind::LostTombstone,
        ],
    ),
    (Fault::FullSyncForever, SNAPSHOT, &[Kind::FullSyncLoop]),
    (
        Fault::SnapshotGap,
        SNAPSHOT,
        &[Kind::Missing, Kind::LostTombstone],
    ),
    (Fault::Unbounded, LOG, &[Kind::Unbounded]),
    (Fault::CutPage, LOG, &[Kind::Shape]),
    (Fault::NoContinuation, LOG, &[Kind::Shape]),
    (Fault::FutureToken, LOG, &[Kind::FutureToken]),
    (
        Fault::ExpiredAsCurrent,
        LOG,
        &[Kind::ExpiredToken, Kind::Overtaken],
    ),
    (Fault::ForgedToken, LOG, &[Kind::ForgedToken]),
    (Fault::ForeignToken, LOG, &[Kind::ForeignToken]),
    (Fault::MalformedToken, LOG, &[Kind::MalformedToken]),
];

/// Of the schedules in which a mistake shows, so many of a hundred must call it by its name
/// at once.
const RIGHT: usize = 60;

#[cfg(test)]
fn seeds(otherwise: u64) -> std::ops::Range<u64> {
    let number = |name| {
        let text = std::env::var(name).ok();
        text.map(|text: String| text.parse::<u64>().expect("a number"))
    };
    if let Some(seed) = number("FEED_SEED") {
        return seed..seed + 1;
    }
    1..number("FEED_SEEDS").unwrap_or(otherwise) + 1
}

#[cfg(test)]
fn nothing_is_found(style: Style) {
    let mut sum = Run::default();
    for seed in seeds(1_000) {
        let run = run(style, None, seed);
        if let Some(violation) = run.found {
            panic!("{style:?}, FEED_SEED={seed}: {violation}");
        }
        sum.pages += run.pages;
        sum.commits += run.commits;
        sum.held += run.held;
    }
    println!("{style:?}: {} commits, {} pages", sum.commits, sum.pages);
    assert!(
        sum.held > sum.pages / 50,
        "readers that hold nothing prove nothing"
    );
}

#[test]
fn without_a_mistake_nothing_is_found_in_a_log() {
    nothing_is_found(LOG);
}

#[test]
fn without_a_mistake_nothing_is_found_in_a_snapshot_with_changes() {
    nothing_is_found(SNAPSHOT);
}

#[test]
fn each_mistake_is_found_and_called_by_its_name() {
    let mut faults = Vec::new();
    for (fault, style, kinds) in FAULTS {
        let mut found: BTreeMap<Kind, (usize, String)> = BTreeMap::new();
        for seed in seeds(60) {
            if let Some(violation) = run(*style, Some(*fault), seed).found {
                let first = (0, format!("{seed}: {}", violation.words));
                found.entry(violation.kind).or_insert(first).0 += 1;
            }
        }
        let all: usize = found.values().map(|(count, _)| count).sum();
        let right = kinds.iter().filter_map(|kind| found.get(kind));
        let right: usize = right.map(|(count, _)| count).sum();
        println!("{fault:?} in {style:?}: {right} of {all}");
        for (kind, (count, words)) in &found {
            println!("    {count} × {}, e.g. {words}", kind.code());
        }
        if all == 0 || right * 100 < all * RIGHT {
            faults.push(format!("{fault:?} in {style:?} is called {found:#?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
