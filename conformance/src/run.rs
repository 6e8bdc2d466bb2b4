//! One run, from the first request to the report.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::checks::{self, Check};
use crate::clock;
use crate::options::{Options, Profile, Progress};
use crate::report::{Finding, Outcome, Report};
use crate::requirements::{Class, Level, Requirement, Requirements};
use crate::tally::{DISGUISED, Tally, rests_on};
use crate::visit::Visit;

/// Visits a server and judges it.
pub async fn run(options: Options, progress: &dyn Progress) -> Report {
    let began = Instant::now();
    let mut report = Report {
        target: options.url.clone(),
        started: clock::now().to_string(),
        profile: options.profile,
        classes: Class::ALL.into_iter().filter(|c| options.wants(*c)).collect(),
        writes: options.allow_writes,
        bounds: options.bounds,
        ..Report::default()
    };
    let wanted: Vec<&'static Requirement> = wanted(&options).collect();
    match Visit::open(options, progress).await {
        Err(why) => {
            report.findings = wanted.iter().map(|r| untested(r, &why)).collect();
            report.cannot = Some(why);
        }
        Ok(mut visit) => {
            let fills = visit.options.allow_writes && visit.options.wants(Class::Filter);
            let seeded = match fills {
                true => visit.seed_all().await,
                false => Vec::new(),
            };
            visit_all(&visit, &wanted, &mut report).await;
            visit.remove_seeded(seeded).await;
            report.changed = visit.changed.all();
            report.refused = visit.refused.all();
            report.left_behind = visit.left_behind.all();
            report.requests = visit.client.sent();
        }
    }
    report.seconds = began.elapsed().as_secs_f64();
    report
}

/// The requirements of the classes and the profile that are requested.
fn wanted(options: &Options) -> impl Iterator<Item = &'static Requirement> {
    Requirements::get().all().iter().filter(|r| {
        let profile = options.profile == Profile::FeedProfile || r.level != Level::Profile;
        profile && options.wants(r.class)
    })
}

async fn visit_all(visit: &Visit<'_>, wanted: &[&'static Requirement], report: &mut Report) {
    let show = |exchange: &crate::client::Exchange, words: &str| visit.client.show(exchange, words);
    let mut tally = Tally::new(&show, wanted.iter().any(|r| r.id == DISGUISED));
    let concerns = |check: &&Check| {
        let mut ids = check.tested();
        ids.any(|id| wanted.iter().any(|r| r.id == id))
    };
    // The data that all checks need is read before the first check.
    if [Class::Read, Class::Filter, Class::Feed].iter().any(|c| visit.options.wants(*c)) {
        visit.listings().await;
    }
    if visit.options.wants(Class::Feed) {
        visit.readings().await;
    }
    let checks: Vec<&Check> = checks::all().filter(concerns).collect();
    visit.progress.stage("Checking", u64::try_from(checks.len()).ok());
    for check in checks {
        visit.progress.step(check.ids.first().copied().unwrap_or_default());
        tally.begin(check.ids);
        (check.run)(visit, &mut tally).await;
    }
    report.findings = wanted.iter().map(|r| tally.finding(r)).collect();
    set_aside(&mut report.findings);
    report.target = visit.base.to_string();
    report.location = visit.place.as_ref().map(|p| format!("{}/{}", p.scheme, p.id));
    if let Some(why) = visit.client.stopped() {
        visit.left_out.add(why.to_owned());
    }
    report.left_out = visit.left_out.all();
    for offered in &visit.offered {
        let name = offered.entry.name.clone();
        if offered.page().is_none() {
            report.not_offered.push(name);
            continue;
        }
        let read = visit.read_so_far().into_iter();
        let own = read.filter(|(entry, _)| entry.name == name);
        let documents = own.map(|(_, page)| page.members.len()).sum();
        report.offered.push((name, documents));
    }
    if visit.datasets.is_none() {
        report.not_offered.push("data sets".to_owned());
    } else if visit.options.wants(Class::Feed) {
        for reading in visit.readings().await {
            let elements = reading.elements().count();
            report.datasets.push((reading.set.name.clone(), elements));
        }
    }
}

/// Reports a broken requirement as skipped, with that reason, if a requirement that it rests on is
/// broken too. A requirement that fails the run is not set aside for a mere warning.
fn set_aside(findings: &mut [Finding]) {
    let rank = |outcome: Outcome| match outcome {
        Outcome::Fail => 2,
        Outcome::Warning => 1,
        _ => 0,
    };
    let broken: BTreeMap<&str, u8> =
        findings.iter().map(|one| (one.requirement, rank(one.outcome))).filter(|(_, rank)| *rank > 0).collect();
    for one in findings.iter_mut().filter(|one| rank(one.outcome) > 0) {
        let Some(requirement) = Requirements::get().find(one.requirement) else {
            continue;
        };
        let own = rank(one.outcome);
        let cause = requirement.rests.iter().find(|id| broken.get(id.as_str()).is_some_and(|rank| *rank >= own));
        if let Some(id) = cause {
            one.outcome = Outcome::Skipped;
            one.reason = Some(rests_on(id));
            one.evidence.clear();
        }
    }
}

fn untested(requirement: &'static Requirement, why: &str) -> Finding {
    Finding {
        requirement: requirement.id.as_str(),
        level: requirement.level,
        class: requirement.class,
        outcome: if requirement.untested.is_some() { Outcome::Skipped } else { Outcome::Error },
        reason: Some(why.to_owned()),
        looked: 0,
        broken: 0,
        evidence: Vec::new(),
    }
}
