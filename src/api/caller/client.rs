//! The client of a request, for metrics, log and the page `/exchange`. It is noted where the
//! caller is authenticated, on every face, in a task-local: that survives handlers that refuse,
//! time out or panic, which an extension of the response would not.

use crate::caller::{Proof, Who};
use crate::observe::traffic::FeedProgress;
pub(crate) use crate::observe::traffic::{Class, Client};
use model::registry::{Caller, Principal};
use std::cell::RefCell;

/// What is known of a request once it is answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestNotes {
    /// The client that sent it.
    pub(crate) client: Client,
    /// How far the page of a feed brought the client.
    pub(crate) progress: Option<FeedProgress>,
}

tokio::task_local! {
    static NOTES: RefCell<RequestNotes>;
}

/// Runs something and returns what was recorded during it.
pub(crate) async fn noting<T>(work: impl Future<Output = T>) -> (T, RequestNotes) {
    let scope = async {
        let answer = work.await;
        let notes = NOTES.try_with(RefCell::take);
        (answer, notes.unwrap_or_default())
    };
    NOTES.scope(RefCell::default(), scope).await
}

fn note(change: impl FnOnce(&mut RequestNotes)) {
    // Outside of a request nothing is recorded.
    let _ = NOTES.try_with(|notes| change(&mut notes.borrow_mut()));
}

pub(crate) fn note_caller(who: &Who) {
    let by_key = (who.signed_in.as_ref()).is_some_and(|s| matches!(s.proof, Proof::ApiKey));
    let client = of(&who.principal, by_key);
    note(|notes| notes.client = client);
}

/// Records that a page of a feed is sent to the caller.
pub(crate) fn progress(progress: FeedProgress) {
    note(|notes| notes.progress = Some(progress));
}

fn of(caller: &Principal, by_key: bool) -> Client {
    Client {
        class: match caller.caller {
            Caller::Association | Caller::System => Class::Association,
            Caller::Farm => Class::Farm,
            Caller::Anonymous => Class::Anonymous,
        },
        organization: caller.organization,
        user: caller.user,
        by_key,
    }
}
