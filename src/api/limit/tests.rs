//! The permits and the buckets by themselves: who goes next, and what is left.

use super::bucket::{Bucket, Quota};
use super::client::Client;
use super::permits::{Permit, Permits, Turn};
use super::request_class::RequestClass;
use super::{Denied, Why};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::clock::Clock;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// So long that no request gives up.
const EVER: Duration = Duration::from_secs(3_600);
/// So short that a request gives up.
const SOON: Duration = Duration::from_millis(30);

type Entering = BoxFuture<'static, Result<Permit, Denied>>;

/// Permits, and the clients A, B and C, which may have so many requests under way.
fn clients(permits: usize, age: Duration, most: usize) -> [Turn; 3] {
    let permits = Arc::new(Permits::new(permits, age));
    [1, 2, 3].map(|number| Turn { client: permits.client(number, most), permits: Arc::clone(&permits) })
}

/// Asks for a permit, and waits when there is none.
fn waits(turn: &Turn) -> Entering {
    let turn = turn.clone();
    let mut entering = async move { turn.enter().await }.boxed();
    assert!((&mut entering).now_or_never().is_none(), "it was let in");
    entering
}

fn comes(turn: &Turn) -> Permit {
    let came = turn.enter().now_or_never();
    came.expect("it waits").expect("it is refused")
}

/// The permit of one who waited until now.
fn let_in(entering: Entering) -> Permit {
    let came = entering.now_or_never();
    came.expect("it waits").expect("it is refused")
}

fn refused(turn: &Turn) -> Why {
    let came = turn.enter().now_or_never();
    came.expect("it waits").expect_err("it was let in").why
}

/// The only one of those who wait that was let in.
fn next(waiting: &mut Vec<(&'static str, Entering)>) -> (&'static str, Permit) {
    let mut came = None;
    waiting.retain_mut(|(name, entering)| match entering.now_or_never() {
        None => true,
        Some(permit) => {
            assert!(came.is_none(), "{name} came as well");
            came = Some((*name, permit.expect("it was refused")));
            false
        }
    });
    came.expect("nobody came")
}

#[tokio::test]
async fn clients_take_turns_however_many_requests_one_has() {
    let [a, b, c] = clients(1, EVER, 0);
    let mut permit = comes(&a);
    let mut waiting = Vec::new();
    for (name, client) in [("a1", &a), ("a2", &a), ("a3", &a), ("b1", &b), ("c1", &c), ("b2", &b)] {
        waiting.push((name, waits(client)));
    }
    let mut order = Vec::new();
    while !waiting.is_empty() {
        drop(permit);
        let (name, came) = next(&mut waiting);
        order.push(name);
        permit = came;
    }
    // A runs already, and comes after those who do not.
    assert_eq!(order, ["b1", "c1", "a1", "b2", "a2", "a3"]);
    drop(permit);
    // Nothing is left of them.
    drop(comes(&a));
}

#[tokio::test]
async fn one_client_runs_so_many_at_a_time_and_others_pass_him() {
    let [a, b, c] = clients(10, SOON, 2);
    let (first, second) = (comes(&a), comes(&a));
    let third = waits(&a);
    drop(comes(&b));
    // A client whose own requests make it wait too long keeps no other client out.
    assert_eq!(third.await.expect_err("a place").why, Why::Busy);
    drop(comes(&c));
    let third = waits(&a);
    drop(first);
    drop(third.await.unwrap());
    drop(second);
}

#[tokio::test]
async fn one_client_has_half_of_all_places_and_whoever_comes_finds_one() {
    let [a, b, c] = clients(5, EVER, 0);
    let mut his: Vec<Permit> = (0..3).map(|_| comes(&a)).collect();
    let (first, second) = (comes(&b), comes(&c));
    let (fourth, third) = (waits(&a), waits(&b));
    // A request that rests does not run any more, and the next to go is not the one that came first.
    drop(first);
    drop(let_in(third));
    his[0].rests();
    drop(let_in(fourth));
    drop((his, second));

    // The client's own running requests make no progress, which says nothing of those of others.
    let [a, b, _] = clients(2, SOON, 0);
    let permit = comes(&a);
    let second = waits(&a).await.expect_err("a place");
    assert_eq!(second.why, Why::Overloaded);
    drop(comes(&b));
    let third = waits(&a);
    drop(permit);
    drop(let_in(third));
}

#[tokio::test]
async fn an_answer_that_is_being_sent_counts_as_its_clients_alone() {
    let [a, b, _] = clients(1, EVER, 1);
    let mut sending = comes(&a);
    let other = waits(&b);
    sending.rests();
    drop(other.await.unwrap());
    let next = waits(&a);
    drop(comes(&b));
    drop(sending);
    drop(next.await.unwrap());
}

#[tokio::test]
async fn who_waits_too_long_is_refused_and_so_are_new_ones_until_it_is_better() {
    let [a, b, c] = clients(1, SOON, 0);
    let running = comes(&a);
    let denied = waits(&b).await.expect_err("a place");
    assert_eq!(denied.why, Why::Overloaded);
    assert!((1..=5).contains(&denied.after), "{denied:?}");
    assert_eq!(refused(&c), Why::Overloaded);
    assert_eq!(refused(&c), Why::Overloaded);
    drop(running);
    let running = comes(&c);
    let waiting = waits(&b);
    drop(running);
    drop(waiting.await.unwrap());
}

#[tokio::test]
async fn a_long_line_of_one_client_is_not_taken_for_the_fault_of_the_server() {
    let [a, b, _] = clients(1, SOON, 1);
    let permit = comes(&a);
    let line: Vec<Entering> = (0..64).map(|_| waits(&a)).collect();
    assert_eq!(refused(&a), Why::Busy);
    // B is not behind them.
    let other = waits(&b);
    drop(permit);
    drop(other.await.unwrap());
    for waiting in line {
        // Let in one after the other.
        drop(waiting.await.unwrap());
    }
}

#[tokio::test]
async fn who_hangs_up_leaves_the_line() {
    let [a, b, c] = clients(1, EVER, 0);
    let permit = comes(&a);
    let (gone, late, last) = (waits(&b), waits(&c), waits(&a));
    drop(gone);
    drop(permit);
    // Let in, but the request is gone by then.
    drop(late);
    drop(last.await.unwrap());
    drop(comes(&b));
}

#[tokio::test]
async fn work_in_advance_takes_no_place_that_a_request_could_need() {
    let [a, b, c] = clients(4, EVER, 2);
    let request = comes(&a);
    let spare = a.spare().expect("a place is free");
    // Both of the client's own are taken, and it counts like a request.
    assert!(a.spare().is_none());
    let mut second_wait = waits(&a);
    drop(spare);
    let second = (&mut second_wait).now_or_never().expect("it waits");
    drop((request, second));

    // Where somebody waits, nobody works in advance.
    let permits = [comes(&a), comes(&a), comes(&b), comes(&b)];
    let mut waiting = waits(&c);
    drop(permits);
    assert!(b.spare().is_some(), "three are free");
    let came = (&mut waiting).now_or_never().expect("it waits");
    let others = [comes(&a), comes(&a), comes(&b)];
    let waiting = waits(&b);
    assert!(c.spare().is_none());
    drop((came, waiting, others));
    drop([comes(&b), comes(&b)]);
}

fn clock() -> (Arc<AtomicI64>, Clock) {
    let cell = Arc::new(AtomicI64::new(1_000_000));
    let clock = Clock::fixed(Arc::clone(&cell));
    (cell, clock)
}

fn bucket(read: u32, clock: &Clock) -> Bucket {
    let quota = Quota { classes: [read, 0, 0, 0], concurrent: 0 };
    Bucket::new(quota, "", clock)
}

#[test]
fn a_bucket_refills_evenly_and_holds_a_minutes_worth() {
    let (cell, clock) = clock();
    let bucket = bucket(6, &clock);
    assert!(bucket.meter(RequestClass::Write).is_none(), "any number");
    let meter = bucket.meter(RequestClass::Read).unwrap();
    let remaining = meter.take(10).unwrap();
    assert_eq!((remaining.requests, remaining.full_in), (5, Duration::from_secs(10)));
    assert_eq!(meter.take(50).unwrap().requests, 0);
    assert_eq!(meter.take(1), Err(Duration::from_secs(1)));
    cell.fetch_add(10_000, Ordering::SeqCst);
    assert_eq!(meter.take(10).unwrap().requests, 0);
    assert_eq!(meter.take(10), Err(Duration::from_secs(10)));
    cell.fetch_add(3_600_000, Ordering::SeqCst);
    assert_eq!(meter.take(10).unwrap().requests, 5);
}

#[test]
fn a_debt_is_paid_before_anything_else() {
    let (cell, clock) = clock();
    let bucket = bucket(6, &clock);
    let meter = bucket.meter(RequestClass::Read).unwrap();
    meter.take(1).unwrap();
    let remaining = meter.charge(80);
    assert_eq!(remaining.requests, 0);
    // 59 of 60 tenths are there, 80 are owed: all of it has to refill, and 21 more.
    assert!(meter.take(1).is_err());
    cell.fetch_add(1_000, Ordering::SeqCst);
    assert!(meter.take(1).is_err(), "sixty are paid, twenty are owed");
    cell.fetch_add(20_000, Ordering::SeqCst);
    assert_eq!(meter.take(1), Err(Duration::from_secs(1)));
    cell.fetch_add(1_000, Ordering::SeqCst);
    assert_eq!(meter.take(1).unwrap().requests, 0);
}

#[test]
fn nobody_owes_more_than_some_minutes() {
    let (cell, clock) = clock();
    let bucket = bucket(6, &clock);
    let meter = bucket.meter(RequestClass::Read).unwrap();
    meter.charge(1_000_000);
    let mut minutes = 0;
    while meter.take(1).is_err() {
        cell.fetch_add(60_000, Ordering::SeqCst);
        minutes += 1;
    }
    assert_eq!(minutes, 5);
}

#[test]
fn processes_share_and_nobody_is_left_without_anything() {
    let quota = Quota { classes: [6_000, 1, 0, 7], concurrent: 5 };
    assert_eq!(quota.among(3).classes, [2_000, 1, 0, 2]);
    assert_eq!(quota.share(50).classes, [3_000, 1, 0, 3]);
}

#[test]
fn an_address_of_ipv6_is_that_of_its_customer() {
    let at = |text: &str| Client::from(Some(text.parse::<IpAddr>().unwrap()));
    assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
    assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
    assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
    assert_eq!(Client::account("users", "A@b.example "), Client::account("users", "a@B.example"));
    assert_ne!(Client::account("users", "a@b.example"), Client::account("guests", "a@b.example"));
}
