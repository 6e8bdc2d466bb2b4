//! Jobs that wait to write. The client that used the writer least goes next, so that a client with much to write delays
//! others by at most one of its jobs, however many of them wait (start-time fair queueing: Goyal, Vin, Cheng, IEEE/ACM
//! Transactions on Networking 5(5), 1997).

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The client for which a job writes; none: the server itself.
pub(super) type ClientNumber = Option<u64>;

/// A job that takes longer begins a transaction of its own: others that were done in the same
/// one would wait for its end.
const LIGHT: Duration = Duration::from_millis(20);
/// A client wrote lately.
const RECENT: Duration = Duration::from_secs(2);
/// Clients that are remembered although none of their jobs waits.
const REMEMBERED: usize = 1_024;

struct ClientJobs<J> {
    jobs: VecDeque<J>,
    /// Virtual time at which its next job begins: what its jobs took, never behind the others.
    start: Duration,
    /// The time that its last job took.
    last: Duration,
    /// Among those of one time, who came first.
    turn: u64,
}

/// Jobs in the order in which they are done.
pub(super) struct FairQueue<J> {
    clients: BTreeMap<ClientNumber, ClientJobs<J>>,
    /// Virtual time: where the last job began.
    now: Duration,
    turns: u64,
    count: Arc<AtomicUsize>,
}

impl<J> FairQueue<J> {
    /// An empty queue; `count` holds the number of waiting jobs.
    pub(super) fn new(count: Arc<AtomicUsize>) -> Self {
        Self { clients: BTreeMap::new(), now: Duration::ZERO, turns: 0, count }
    }

    pub(super) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(super) fn push(&mut self, client: ClientNumber, job: J) {
        if self.clients.len() > REMEMBERED {
            let now = self.now;
            self.clients.retain(|_, queue| !queue.jobs.is_empty() || queue.start > now);
        }
        self.turns += 1;
        let queue = self.clients.entry(client).or_insert_with(|| ClientJobs {
            jobs: VecDeque::new(),
            start: Duration::ZERO,
            last: Duration::ZERO,
            turn: 0,
        });
        if queue.jobs.is_empty() {
            // A client that had no jobs for a while saved nothing up.
            queue.start = queue.start.max(self.now);
            queue.turn = self.turns;
        }
        queue.jobs.push_back(job);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// The next job. One that joins others goes only if it is light, as that client's last one.
    pub(super) fn pop(&mut self, joins: bool) -> Option<(ClientNumber, J)> {
        let ready = (self.clients.iter_mut()).filter(|(_, queue)| !queue.jobs.is_empty());
        let (client, queue) = ready.min_by_key(|(_, queue)| (queue.start, queue.turn))?;
        if joins && queue.last > LIGHT {
            return None;
        }
        let job = queue.jobs.pop_front()?;
        self.now = queue.start;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some((*client, job))
    }

    /// The job that was popped last took so long.
    pub(super) fn charge(&mut self, client: ClientNumber, time: Duration) {
        if let Some(queue) = self.clients.get_mut(&client) {
            self.turns += 1;
            queue.turn = self.turns;
            queue.start = queue.start.saturating_add(time);
            queue.last = time;
        }
    }
}

/// The last two clients that wrote something small.
#[derive(Debug, Default)]
pub(super) struct RecentWriters(Mutex<[Option<(u64, Instant)>; 2]>);

impl RecentWriters {
    /// A job was done.
    pub(super) fn wrote(&self, client: ClientNumber, time: Duration) {
        let Some(client) = client.filter(|_| time <= LIGHT) else { return };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [first, second] = *last;
        let other = [first, second].into_iter().flatten().find(|(one, _)| *one != client);
        *last = [Some((client, Instant::now())), other];
    }

    /// Whether another client than this one did.
    pub(super) fn others(&self, client: ClientNumber) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.iter().flatten().any(|(one, when)| Some(*one) != client && when.elapsed() < RECENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    fn queue() -> FairQueue<usize> {
        FairQueue::new(Arc::default())
    }

    #[test]
    fn who_has_many_long_jobs_delays_another_by_one() {
        let mut queue = queue();
        for job in 0..100 {
            queue.push(Some(1), job);
        }
        assert_eq!(queue.pop(false), Some((Some(1), 0)));
        queue.push(Some(2), 1_000);
        queue.push(Some(3), 1_001);
        queue.charge(Some(1), ms(150));
        assert_eq!(queue.pop(false), Some((Some(2), 1_000)));
        queue.charge(Some(2), ms(1));
        assert_eq!(queue.pop(true), Some((Some(3), 1_001)));
        queue.charge(Some(3), ms(1));
        // A long one begins a transaction of its own.
        assert_eq!(queue.pop(true), None);
        assert_eq!(queue.pop(false), Some((Some(1), 1)));
        assert_eq!(queue.len(), 98);
    }

    #[test]
    fn who_was_away_saved_nothing_up() {
        let mut queue = queue();
        queue.push(Some(2), 0);
        assert_eq!(queue.pop(false), Some((Some(2), 0)));
        queue.charge(Some(2), ms(1));
        for job in 0..50 {
            queue.push(Some(1), job);
            assert_eq!(queue.pop(false), Some((Some(1), job)));
            queue.charge(Some(1), ms(100));
        }
        for job in 0..4 {
            queue.push(Some(1), job);
            queue.push(Some(2), job);
        }
        let mut order = Vec::new();
        while let Some((client, _)) = queue.pop(false) {
            order.push(client);
            queue.charge(client, ms(100));
        }
        let (one, two) = (Some(1), Some(2));
        assert_eq!(order[..4], [two, one, two, one], "{order:?}");
    }

    #[test]
    fn small_writes_of_others_are_known_for_a_while() {
        let recent_writers = RecentWriters::default();
        recent_writers.wrote(Some(1), ms(1));
        recent_writers.wrote(None, ms(1));
        recent_writers.wrote(Some(3), ms(500));
        assert!(!recent_writers.others(Some(1)));
        assert!(recent_writers.others(Some(2)) && recent_writers.others(None));
        recent_writers.wrote(Some(2), ms(1));
        recent_writers.wrote(Some(2), ms(1));
        assert!(recent_writers.others(Some(1)) && recent_writers.others(Some(2)));
    }

    proptest! {
        /// Every job is done, those of a client in their order, and of two who always have jobs
        /// neither is ahead by more than one job of each.
        #[test]
        fn all_are_served_alike(
            jobs in proptest::collection::vec((0u64..4, 1u64..50), 1..200),
        ) {
            let mut queue = queue();
            for (at, (client, _)) in jobs.iter().enumerate() {
                queue.push(Some(*client), at);
            }
            let mut used = [0_u64; 4];
            let mut waiting = [0_usize; 4];
            for (client, _) in &jobs {
                waiting[usize::try_from(*client).unwrap()] += 1;
            }
            let mut last = [None; 4];
            let mut done = 0;
            while let Some((client, at)) = queue.pop(false) {
                let who = usize::try_from(client.unwrap()).unwrap();
                let all: Vec<usize> = (0..4).filter(|one| waiting[*one] > 0).collect();
                for one in &all {
                    prop_assert!(used[who] <= used[*one], "{used:?}: {who} before {one}");
                }
                prop_assert!(last[who] < Some(at));
                last[who] = Some(at);
                used[who] += jobs[at].1;
                waiting[who] -= 1;
                queue.charge(client, ms(jobs[at].1));
                done += 1;
            }
            prop_assert_eq!(done, jobs.len());
            prop_assert_eq!(queue.len(), 0);
        }
    }
}
