//! Work on batches that are answered later (docs/design/jobs.md), with the present rights of their senders.

use crate::batches::batch::{BATCH_JOB, BatchElement, BatchPart};
use crate::batches::element::elements_of;
use crate::intake::delivery::{DocumentAnswer, IntakeOptions};
use crate::{Exchange, FORBIDDEN};
use model::error::{Error, Issue, Result};
use model::record::json_in;
use ops::Book;
use ops::jobs::{Job, Lease};
use serde_json::Value as Json;

pub struct BatchJob<T> {
    pub exchange: Exchange,
    /// How documents are taken in.
    pub options: IntakeOptions,
    /// Milliseconds without progress after which another process takes a batch over.
    pub lease: i64,
    /// Writes a result as JSON.
    pub tell: T,
}

impl<T> Job for BatchJob<T>
where
    T: Fn(&str, Option<Json>, &DocumentAnswer) -> String + Clone + Send + Sync + 'static,
{
    const KIND: &'static str = BATCH_JOB;

    fn lease(&self) -> i64 {
        self.lease
    }

    async fn run(&self, book: &Book, lease: Lease) -> Result<()> {
        let batches = self.exchange.batches();
        let Some(batch) = batches.batch(book, lease.key()).await? else { return book.finish_job(lease).await };
        let mut hopeless = lease.is_hopeless();
        let order = &batch.order;
        let (locations, set) = ([order.location], Some(order.dataset.as_str()));
        while let Some(part) = batches.next_part(book, lease.key()).await? {
            let (caller, may) = self.exchange.sender(book, order.sender, &locations, set).await?;
            let why = if may { hopeless.then(failed) } else { Some(Issue::error("", "write-forbidden", FORBIDDEN)) };
            let options = IntakeOptions { strict: order.strict, ..self.options };
            let elements = elements(&part, why)?;
            let place = (order.clone(), part.number);
            let how = (options, Some(lease.clone()));
            (batches.process_part(book, caller, place, elements, how, self.tell.clone())).await?;
            hopeless = false;
        }
        book.finish_job(lease).await
    }
}

fn failed() -> Issue {
    let message = "This resource could not be processed because of an error in the service.";
    Issue::error("", "internal", message)
}

/// The elements of a part; all refused when it cannot be worked on.
fn elements(part: &BatchPart, why: Option<Issue>) -> Result<Vec<BatchElement>> {
    let split = json_in::split(part.sent.as_bytes(), usize::MAX).map_err(Error::internal)?;
    let all = elements_of(&split, 0..split.len());
    let Some(why) = why else { return Ok(all) };
    let refused = |element: BatchElement| {
        let meta = match element {
            BatchElement::Read(doc, _) => doc.get("meta").cloned(),
            BatchElement::Refused(meta, _) => meta,
        };
        let answer =
            DocumentAnswer { forbidden: why.code == "write-forbidden", ..DocumentAnswer::rejected(vec![why.clone()]) };
        BatchElement::Refused(meta, answer)
    };
    Ok(all.into_iter().map(refused).collect())
}
