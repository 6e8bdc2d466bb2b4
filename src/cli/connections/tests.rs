use super::FEWEST;
use super::table::{Connection, EXTRA, End, Running, Table, UNSENT, UNSENT_OF_ONE};
use config::{Connections as Rules, Settings, Sources};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const RULES: Rules = Rules {
    most: 8,
    by_address: 4,
    head: Duration::from_secs(10),
    idle: Duration::from_secs(75),
    stall: Duration::from_secs(60),
    streams: 100,
};

/// A table with a clock of its own.
struct Stage {
    table: Arc<Table>,
    clock: Arc<AtomicU64>,
}

impl std::ops::Deref for Stage {
    type Target = Arc<Table>;

    fn deref(&self) -> &Arc<Table> {
        &self.table
    }
}

fn table() -> Stage {
    let clock = Arc::new(AtomicU64::new(1));
    let own = Arc::clone(&clock);
    let table = Table::new(RULES, Arc::new(move || own.load(Relaxed)), Arc::default());
    Stage { table: Arc::new(table), clock }
}

fn at(host: &str) -> SocketAddr {
    SocketAddr::new(host.parse().unwrap(), 4_000)
}

fn end_of(connection: &Connection) -> End {
    *connection.ending().borrow()
}

fn later(stage: &Stage, seconds: u64) {
    stage.clock.fetch_add(seconds * 1_000, Relaxed);
    stage.look();
}

#[test]
fn a_head_has_its_time_and_a_rest_has_more() {
    let table = table();
    let silent = table.admit(at("192.0.2.1")).unwrap();
    let trickling = table.admit(at("192.0.2.2")).unwrap();
    trickling.about.read();
    let used = table.admit(at("192.0.2.3")).unwrap();
    drop(used.about.begin(false));
    let busy = table.admit(at("192.0.2.4")).unwrap();
    let running = busy.about.begin(false);
    later(&table, 9);
    for one in [&silent, &trickling, &used, &busy] {
        assert_eq!(end_of(one), End::Not);
    }
    trickling.about.read();
    later(&table, 1);
    assert_eq!((end_of(&silent), end_of(&trickling)), (End::Now, End::Now));
    assert_eq!((end_of(&used), end_of(&busy)), (End::Not, End::Not));
    later(&table, 65);
    assert_eq!((end_of(&used), end_of(&busy)), (End::Gently, End::Not));
    later(&table, 10);
    assert_eq!(end_of(&used), End::Now, "it did not go by itself");
    drop(running);
    later(&table, 20);
    assert_eq!(end_of(&busy), End::Not);
    // The second head has no more time than the first.
    busy.about.read();
    later(&table, 10);
    assert_eq!(end_of(&busy), End::Now);
}

#[test]
fn who_takes_nothing_of_an_answer_is_let_go() {
    let table = table();
    let mut all = [1, 2, 3, 4, 5].map(|n| {
        let one = table.admit(at(&format!("192.0.2.{n}"))).unwrap();
        (one.about.begin(n % 2 == 0), one)
    });
    let [stuck, slow, slow_to_make, shared, mixed] = &mut all;
    stuck.0.waits();
    slow.0.waits();
    slow_to_make.0.waits();
    slow_to_make.0.goes_on();
    // One of two answers on a connection of HTTP/2.
    let mut other = shared.1.about.begin(true);
    shared.0.waits();
    other.waits();
    // A short answer that is taken does not excuse a long one.
    mixed.0.waits();
    let mut short = mixed.1.about.begin(true);
    later(&table, 59);
    slow.0.goes_on();
    slow.0.waits();
    other.moves();
    other.goes_on();
    other.waits();
    short.waits();
    short.goes_on();
    later(&table, 1);
    let ends = |all: &[(Running, Connection)]| -> Vec<End> { all.iter().map(|(_, one)| end_of(one)).collect() };
    let mut expected = [End::Now, End::Not, End::Not, End::Not, End::Now];
    assert_eq!(ends(&all), expected);
    all[1].0.goes_on();
    drop(other);
    later(&table, 60);
    expected[3] = End::Now;
    assert_eq!(ends(&all), expected);
}

#[test]
fn answers_wait_within_a_limit_of_bytes() {
    let table = table();
    let first = table.admit(at("192.0.2.1")).unwrap();
    let second = table.admit(at("192.0.2.1")).unwrap();
    let (mut large, mut other) = (first.about.begin(false), second.about.begin(false));
    assert!(table.holds(&mut large, UNSENT_OF_ONE + 1));
    assert!(!table.holds(&mut other, 100_000));
    drop(large);
    let mut part = first.about.begin(false);
    assert!(table.holds(&mut part, UNSENT_OF_ONE));
    part.waits();
    assert!(!table.holds(&mut other, 100_000));
    part.sent(100_000);
    assert!(table.holds(&mut other, 100_000));
    // In all: who has taken nothing for the longest time makes room.
    let others = usize::try_from(UNSENT / UNSENT_OF_ONE).unwrap();
    let waiting: Vec<_> = (0..others - 1)
        .map(|n| {
            later(&table, 1);
            let one = table.admit(at(&format!("198.51.100.{n}"))).unwrap();
            let mut answer = one.about.begin(false);
            assert!(table.holds(&mut answer, UNSENT_OF_ONE));
            answer.waits();
            (answer, one)
        })
        .collect();
    drop((other, second));
    let last = table.admit(at("203.0.113.1")).unwrap();
    let mut answer = last.about.begin(false);
    assert_eq!(end_of(&first), End::Not);
    assert!(table.holds(&mut answer, 200_000));
    assert_eq!(end_of(&first), End::Now);
    assert!(waiting.iter().all(|(_, one)| end_of(one) == End::Not));
}

#[test]
fn one_address_makes_room_for_itself_and_nobody_else_has_to() {
    let table = table();
    let other = table.admit(at("192.0.2.9")).unwrap();
    let mut own: Vec<Connection> = Vec::new();
    for _ in 0..40 {
        own.push(table.admit(at("192.0.2.1")).expect("room"));
        own.retain(|one| end_of(one) == End::Not);
        assert!(own.len() <= RULES.by_address);
    }
    assert_eq!(end_of(&other), End::Not);
    // Of the same net, with another address in it.
    let six = ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:3", "2001:db8::4"];
    let connections = six.map(|host| {
        let one = table.admit(at(host)).unwrap();
        (one.about.begin(false), one)
    });
    let fifth = table.admit(at("2001:db8::5")).unwrap();
    assert!(fifth.about.is_extra());
    assert!(connections.iter().all(|(_, one)| end_of(one) == End::Not));
}

#[test]
fn a_full_house_lets_the_oldest_go_that_asks_for_nothing() {
    let table = table();
    let all: Vec<Connection> = (1..=8).map(|n| table.admit(at(&format!("192.0.2.{n}"))).unwrap()).collect();
    let running: Vec<_> = (all.iter().skip(2)).map(|one| one.about.begin(false)).collect();
    // This one was of use before, that one never.
    drop(all[0].about.begin(false));
    let newer = table.admit(at("198.51.100.1")).unwrap();
    assert!(!newer.about.is_extra());
    assert_eq!(all.iter().filter(|one| end_of(one) == End::Now).count(), 1);
    let busy = newer.about.begin(false);
    let newest = table.admit(at("198.51.100.2")).unwrap();
    assert!(!newest.about.is_extra());
    let also = newest.about.begin(false);
    // Now all are busy: a few more are accepted for health alone.
    let mut extra = Vec::new();
    for n in 0..EXTRA {
        let one = table.admit(at(&format!("198.51.101.{n}"))).expect("a place");
        assert!(one.about.is_extra());
        extra.push((one.about.begin(false), one));
    }
    assert!(table.admit(at("198.51.102.1")).is_none());
    assert!((all.iter().skip(2)).all(|one| end_of(one) == End::Not));
    // One that was answered goes.
    let (answered, one) = extra.pop().unwrap();
    drop(answered);
    later(&table, 0);
    assert_eq!(end_of(&one), End::Gently);
    drop((one, running, busy, also));
    assert!(table.admit(at("198.51.102.1")).is_some());
}

#[test]
fn at_the_end_nobody_is_waited_for_who_asks_for_nothing() {
    let table = table();
    let half = table.admit(at("192.0.2.1")).unwrap();
    half.about.read();
    let busy = table.admit(at("192.0.2.2")).unwrap();
    let running = busy.about.begin(false);
    table.close();
    assert_eq!((end_of(&half), end_of(&busy)), (End::Gently, End::Gently));
    later(&table, 1);
    assert_eq!((end_of(&half), end_of(&busy)), (End::Now, End::Gently));
    drop(running);
    later(&table, 1);
    assert_eq!(end_of(&busy), End::Now);
}

#[test]
fn there_are_no_more_than_files_can_be_opened_for() {
    let rules = |variables: &[(&str, &str)], files| {
        let variables: BTreeMap<_, _> =
            (variables.iter()).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let sources = Sources { variables, ..Sources::default() };
        super::rules(&Settings::load(&sources).unwrap().limits, files)
    };
    type Variables = &'static [(&'static str, &'static str)];
    let cases: [(Variables, Option<usize>, (usize, usize)); 6] = [
        (&[], Some(1_048_576), (10_000, 256)),
        (&[], Some(400), (300, 150)),
        (&[], Some(50), (FEWEST, FEWEST / 2)),
        (&[], None, (10_000, 256)),
        (&[("HERDBOOK_LIMITS_CONNECTIONS", "100")], Some(1_024), (100, 50)),
        (&[("HERDBOOK_LIMITS_TRUSTED_PROXIES", "1")], Some(1_024), (768, 0)),
    ];
    for (variables, files, expected) in cases {
        let rules = rules(variables, files);
        assert_eq!((rules.most, rules.by_address), expected, "{variables:?} {files:?}");
    }
}
