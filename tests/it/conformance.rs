//! Our server before the judge that others may use on theirs: a demonstration book on either database, all classes of
//! requirements, either profile, with documents sent and a second account. `HERDBOOK_CONFORMANCE_REPORT=<folder>`
//! stores the reports.

use crate::walk::demo::Demo;
use ade_conformance::{Auth, Class, Options, Outcome, Profile, Quiet, Report};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use store::Dialect;
use test_books::dialects;
use test_support::postgres::cluster;

/// Warnings that are ours to keep, and why.
const OWN_WARNINGS: &[(&str, &str)] = &[];

/// Fewer are too few to test a server; a book that lost its documents must not pass.
const LOOKED_AT: usize = 180;
const LOOKED_AT_IN_FEEDS: usize = 20;

async fn judge(demo: &Demo, profile: Profile, classes: &[Class]) -> Report {
    let login =
        |name: &str| Auth::Login { email: format!("{name}@demo.herdbook"), password: "demo-herdbook".to_owned() };
    let mut options = Options::new(&demo.url);
    options.auth = login("association");
    options.other = login("farm1");
    options.profile = profile;
    options.classes = classes.to_vec();
    options.allow_writes = true;
    options.rate = None;
    // Lists show at once what was stored; what another account sends is waited for in vain.
    options.patience = Duration::from_secs(2);
    ade_conformance::run(options, &Quiet).await
}

/// The faults, for people.
fn faults(report: &Report) -> String {
    let mut out = String::new();
    if let Some(cannot) = &report.cannot {
        let _ = writeln!(out, "could not test: {cannot}");
    }
    let mut unmet: BTreeMap<&str, &str> = OWN_WARNINGS.iter().copied().collect();
    for one in &report.findings {
        let wrong = match one.outcome {
            Outcome::Fail | Outcome::Error => true,
            Outcome::Warning => unmet.remove(one.requirement).is_none(),
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
    for (id, reason) in unmet {
        let _ = writeln!(out, "{id} is no warning any more: {reason}");
    }
    if !report.left_behind.is_empty() {
        let _ = writeln!(out, "left behind: {:?}", report.left_behind);
    }
    out
}

async fn passes(name: &str, demo: Demo) {
    // The first demands more than the second, but for feeds, which the second judges otherwise.
    let all: [(Profile, &[Class], usize); 2] =
        [(Profile::FeedProfile, &[], LOOKED_AT), (Profile::Standard, &[Class::Feed], LOOKED_AT_IN_FEEDS)];
    for (profile, classes, least) in all.into_iter().take(test_support::at(1, 2)) {
        let report = judge(&demo, profile, classes).await;
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
        assert!(count(Outcome::Pass) >= least, "{name}: {profile:?}");
    }
    demo.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_server_conforms_on_sqlite() {
    passes("SQLite", Demo::start(120)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_server_conforms_on_postgres() {
    if !dialects().contains(&Dialect::Postgres) {
        return;
    }
    let Some(cluster) = cluster() else { return };
    let url = cluster.fresh_database().await;
    passes("PostgreSQL", Demo::on(&url, 120)).await;
}
