//! Our server before the judge that others may use on theirs: a demonstration book on either database, all classes of
//! requirements, either profile, with documents sent and a second account. `HERDBOOK_CONFORMANCE_REPORT=<folder>`
//! stores the reports.

use crate::walk::demo::Demo;
use ade_conformance::{Auth, Options, Outcome, Profile, Quiet, Report};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use store::Dialect;
use test_books::dialects;
use test_support::postgres::cluster;

/// Warnings that are ours to keep, and why.
const KEPT: &[(&str, &str)] = &[];

/// Fewer are too few to test a server; a book that lost its documents must not pass.
const LOOKED_AT: usize = 180;

async fn judge(demo: &Demo, profile: Profile) -> Report {
    let login = |name: &str| Auth::Login {
        email: format!("{name}@demo.herdbook"),
        password: "demo-herdbook".to_owned(),
    };
    let mut options = Options::new(&demo.url);
    options.auth = login("association");
    options.other = login("farm1");
    options.profile = profile;
    options.allow_writes = true;
    options.rate = None;
    ade_conformance::run(options, &Quiet).await
}

/// The faults, for people.
fn faults(report: &Report) -> String {
    let mut out = String::new();
    if let Some(cannot) = &report.cannot {
        let _ = writeln!(out, "could not test: {cannot}");
    }
    let mut kept: BTreeMap<&str, &str> = KEPT.iter().copied().collect();
    for one in &report.findings {
        let wrong = match one.outcome {
            Outcome::Fail | Outcome::Error => true,
            Outcome::Warning => kept.remove(one.requirement).is_none(),
            _ => false,
        };
        if wrong {
            let (name, reason) = (one.outcome.name(), &one.reason);
            let _ = writeln!(out, "{name} {}: {reason:?}", one.requirement);
            for shown in one.evidence.iter().take(2) {
                let (expected, found) = (&shown.expected, &shown.found);
                let _ = writeln!(out, "  expected {expected}, found {found}");
                if let Some(at) = &shown.exchange {
                    let _ = writeln!(out, "  {} {} -> {}", at.method, at.url, at.status);
                }
            }
        }
    }
    for (id, reason) in kept {
        let _ = writeln!(out, "{id} is no warning any more: {reason}");
    }
    if !report.left_behind.is_empty() {
        let _ = writeln!(out, "left behind: {:?}", report.left_behind);
    }
    out
}

async fn passes(name: &str, demo: Demo, profiles: usize) {
    let all = [Profile::FeedProfile, Profile::Standard];
    // The first demands more than the second, but for what only the second calls a fault.
    for profile in &all[..profiles] {
        let profile = *profile;
        let report = judge(&demo, profile).await;
        let count = |outcome| report.count(outcome);
        println!(
            "{name}, {profile:?}: {} passed, {} warnings, {} skipped, {} not offered; {} requests in {:.0} s",
            count(Outcome::Pass),
            count(Outcome::Warning),
            count(Outcome::Skipped),
            count(Outcome::NotOffered),
            report.requests,
            report.seconds
        );
        if let Ok(folder) = std::env::var("HERDBOOK_CONFORMANCE_REPORT") {
            let file = Path::new(&folder).join(format!("{name}-{profile:?}.json"));
            std::fs::write(file, serde_json::to_vec_pretty(&report).unwrap()).unwrap();
        }
        let faults = faults(&report);
        assert!(faults.is_empty(), "{name}, {profile:?}:\n{faults}");
        assert!(count(Outcome::Pass) >= LOOKED_AT, "{name}: {profile:?}");
    }
    demo.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_server_conforms_on_sqlite() {
    passes("SQLite", Demo::start(120), test_support::at(1, 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_server_conforms_on_postgres() {
    if !dialects().contains(&Dialect::Postgres) {
        return;
    }
    let Some(cluster) = cluster() else { return };
    let url = cluster.fresh_database().await;
    passes("PostgreSQL", Demo::on(&url, 120), 1).await;
}
