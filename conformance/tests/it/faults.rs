//! The tester is tested: each fault of the faulty server is found by the requirements that it names
//! and by no others, awkward servers pass, and a healthy one raises no alarm.
//!
//! Each fault is visited by the classes of the requirements that find it; `HERDBOOK_FAULTS=whole` visits
//! it with all classes, which takes minutes in a debug build. A quick run takes every ninth fault and
//! every ninth awkward mode. `HERDBOOK_FAULT=name,…` visits those alone and prints what was found.
//! `HERDBOOK_FALSE_ALARMS=50` is how often the healthy one is visited (default: 3 times).

use ade_conformance::{Auth, Class, Options, Outcome, Profile, Quiet, Report, Requirements};
use faulty_server::{ASSOCIATION, Disturb, FARM, Fault, Mode, PASSWORD, Server};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Visits at the same time: most of one is waiting.
const AT_ONCE: usize = 12;

/// Visits a server of its own with writes and with both accounts; with all classes, if none are named.
async fn visit(served: faulty_server::Options, profile: Profile, classes: Vec<Class>) -> Report {
    let server = Server::start(served).await.expect("it listens");
    let login = |email: &str| Auth::Login { email: email.to_owned(), password: PASSWORD.to_owned() };
    let mut options = Options::new(server.url());
    options.auth = login(ASSOCIATION);
    options.other = login(FARM);
    options.profile = profile;
    options.classes = classes;
    options.allow_writes = true;
    options.rate = None;
    // The server shows at once what it stored: a second look would see the same.
    options.patience = Duration::ZERO;
    ade_conformance::run(options, &Quiet).await
}

fn served(fault: Option<Fault>, modes: &[Mode]) -> faulty_server::Options {
    faulty_server::Options {
        fault,
        modes: modes.to_vec(),
        busy_every: Some(25),
        disturb: Disturb { retry_after: 0, ..Disturb::default() },
        ..faulty_server::Options::default()
    }
}

/// The classes of the requirements that find a fault.
fn classes(fault: Fault) -> Vec<Class> {
    let named = fault.finds().iter().map(|id| {
        let requirement = Requirements::get().find(id);
        requirement.expect("it names a requirement").class
    });
    // Only lists of the second account have a single member.
    let security = (fault == Fault::SingleNotList).then_some(Class::Security);
    let all: BTreeSet<Class> = named.chain(security).collect();
    all.into_iter().collect()
}

/// Requirements that failed, were warned of, or could not be judged.
const BAD: [Outcome; 3] = [Outcome::Fail, Outcome::Warning, Outcome::Error];

fn found(report: &Report) -> BTreeSet<&'static str> {
    BAD.into_iter().flat_map(|outcome| report.ids(outcome)).collect()
}

/// Everything that is wrong, with the first place of each.
fn shown(report: &Report) -> String {
    let mut out = String::new();
    if let Some(cannot) = &report.cannot {
        let _ = writeln!(out, "  could not test: {cannot}");
    }
    for one in BAD.into_iter().flat_map(|outcome| report.of(outcome)) {
        let (name, id, reason) = (one.outcome.name(), one.requirement, &one.reason);
        let _ = writeln!(out, "  {name} {id}: {reason:?}");
        if let Some(first) = one.evidence.first() {
            let (expected, found) = (&first.expected, &first.found);
            let _ = writeln!(out, "    expected {expected}, found {found}");
            if let Some(at) = &first.exchange {
                let _ = writeln!(out, "    {} {} -> {}", at.method, at.url, at.status);
            }
        }
    }
    out
}

/// Servers that refuse or lose members, and say so, or that write them otherwise.
const NAMED: [Mode; 5] = [Mode::NoDevices, Mode::LossTold, Mode::ExtraMembers, Mode::OtherOffsets, Mode::Excludes];

/// Visits in parallel, the results in the order of the subjects.
async fn visits<T: Send + 'static>(
    subjects: Vec<(T, faulty_server::Options, Vec<Class>)>,
    profile: Profile,
) -> Vec<(T, Report, Duration)> {
    let mut waiting = subjects.into_iter().enumerate();
    let mut running = JoinSet::new();
    let mut done = Vec::new();
    loop {
        while running.len() < AT_ONCE
            && let Some((at, (subject, served, classes))) = waiting.next()
        {
            running.spawn(async move {
                let start = Instant::now();
                let report = visit(served, profile, classes).await;
                (at, (subject, report, start.elapsed()))
            });
        }
        match running.join_next().await {
            Some(visited) => done.push(visited.expect("a visit does not panic")),
            None => break,
        }
    }
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, one)| one).collect()
}

/// Of so many faults and modes one is visited.
fn every() -> usize {
    test_support::one_of(9, 3)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_is_found_by_the_requirements_that_it_names_and_no_others() {
    let chosen = std::env::var("HERDBOOK_FAULT").unwrap_or_default();
    let chosen: Vec<&str> = chosen.split(',').filter(|name| !name.is_empty()).collect();
    let whole = std::env::var("HERDBOOK_FAULTS").is_ok_and(|wish| wish == "whole");
    let every = if whole || !chosen.is_empty() { 1 } else { every() };
    let all = Fault::ALL.iter().copied().step_by(every);
    let all = all.filter(|fault| chosen.is_empty() || chosen.contains(&fault.name().as_str()));
    let subjects = all.map(|fault| {
        let classes = if whole { Vec::new() } else { classes(fault) };
        (fault, served(Some(fault), &[]), classes)
    });
    let subjects = subjects.collect();
    let start = Instant::now();
    let (mut table, mut wrong) = (String::new(), String::new());
    let visited = visits(subjects, Profile::FeedProfile).await;
    for (fault, report, time) in &visited {
        let expected: BTreeSet<&str> = fault.finds().iter().copied().collect();
        let found = found(report);
        let (name, seconds) = (fault.name(), time.as_secs_f64());
        let _ = writeln!(table, "{name:30} {seconds:5.1} s  {found:?}");
        if found != expected || expected.is_empty() {
            let (lacking, more) = (&expected - &found, &found - &expected);
            let name = fault.name();
            let _ = writeln!(wrong, "{name}: not found by {lacking:?}, but by {more:?}");
        }
        if !chosen.is_empty() {
            println!("{}:\n{}", fault.name(), shown(report));
        }
    }
    println!("fault -> found by\n{table}{} faults in {:.1?}", visited.len(), start.elapsed());
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn awkward_servers_pass() {
    // The round trip of these is visited below.
    let others = Class::ALL.into_iter().filter(|class| *class != Class::RoundTrip);
    let classes = |mode: Mode| match NAMED.contains(&mode) {
        true => others.clone().collect(),
        false => Vec::new(),
    };
    let modes = Mode::ALL.iter().copied().step_by(every());
    let subjects = modes.map(|mode| (mode, served(None, &[mode]), classes(mode))).collect();
    let mut wrong = String::new();
    for (mode, report, _) in visits(subjects, Profile::Standard).await {
        if report.count(Outcome::Fail) + report.count(Outcome::Error) > 0 || report.cannot.is_some() {
            let _ = writeln!(wrong, "{}:\n{}", mode.name(), shown(&report));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_healthy_server_raises_no_alarm() {
    let times = test_support::named("HERDBOOK_FALSE_ALARMS").unwrap_or(3);
    let subjects = (0..times).map(|at| (at, served(None, &[]), Vec::new())).collect();
    for (at, report, time) in visits(subjects, Profile::FeedProfile).await {
        println!("{at}: {time:.1?}, {} requests", report.requests);
        assert!(report.cannot.is_none() && found(&report).is_empty(), "{}", shown(&report));
        assert!(report.count(Outcome::Pass) > 100, "{}", report.count(Outcome::Pass));
        assert!(report.left_behind.is_empty(), "{:?}", report.left_behind);
    }
}

/// A refusal that names the member is reported; a loss that the answer names is excused, and so is
/// a loss that occurs only beside another member.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_and_losses_that_are_named_are_no_faults() {
    let subjects = NAMED.map(|mode| (mode, served(None, &[mode]), vec![Class::RoundTrip]));
    for (mode, report, _) in visits(subjects.into(), Profile::Standard).await {
        assert!(found(&report).is_empty(), "{}:\n{}", mode.name(), shown(&report));
        assert!(report.ids(Outcome::Pass).contains(&"roundtrip.members"));
        assert!(report.changed.is_empty(), "{:?}", report.changed);
        let refusals = report.refused.join("\n");
        let device = refusals.contains("attention-events: /device (400: No devices are stored here.)");
        assert_eq!(device, mode == Mode::NoDevices, "{refusals}");
        assert!(report.left_behind.is_empty(), "{:?}", report.left_behind);
        println!("{}: {} requests; refused: {refusals}", mode.name(), report.requests);
    }
}
