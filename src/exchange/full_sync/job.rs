//! Work on ends of full syncs that a request left (docs/design/jobs.md), with the present rights of
//! those who ended them.

use crate::full_sync::ending::{END_JOB, EndOptions, Ending};
use crate::{Exchange, FORBIDDEN};
use model::error::Result;
use ops::Book;
use ops::jobs::{Job, Lease};

#[derive(Debug)]
pub struct EndJob {
    pub exchange: Exchange,
    pub options: EndOptions,
}

impl Job for EndJob {
    const KIND: &'static str = END_JOB;

    fn lease(&self) -> i64 {
        self.options.lease
    }

    async fn run(&self, book: &Book, mut lease: Lease) -> Result<()> {
        let syncs = self.exchange.full_syncs();
        let Some(sync) = syncs.full_sync(book, lease.key()).await? else { return book.finish_job(lease).await };
        loop {
            let scope = &sync.scope;
            let set = scope.dataset.as_deref();
            // The user whose rights the end has.
            let user = sync.progress.as_ref().and_then(|progress| progress.user);
            let (caller, may) = (self.exchange).sender(book, user, &scope.locations, set).await?;
            let may = may && sync.is_own(&caller);
            match syncs.continue_end(book, caller, lease, (!may).then(|| FORBIDDEN.to_owned()), self.options).await? {
                Ending::GoesOn(_, Some(further)) => lease = further,
                _ => return Ok(()),
            }
        }
    }
}
