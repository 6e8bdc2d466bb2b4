//! The handle by which a running request gives its permit back while it only waits.

use super::fair_queue::{FairQueue, Permit};
use super::{Denied, Turn};
use std::sync::{Arc, Mutex, PoisonError};

/// The permit of a request, shared with its handler.
#[derive(Debug, Clone)]
pub(crate) struct PermitHandle {
    queue: FairQueue,
    turn: Turn,
    permit: Arc<Mutex<Option<Permit>>>,
}

/// Permits of a client beyond those of its requests.
#[derive(Debug)]
pub(crate) struct SparePermits {
    queue: FairQueue,
    turn: Turn,
}

impl SparePermits {
    /// One, if no request could need it.
    pub(crate) fn permit(&self) -> Option<SparePermit> {
        let permit = self.queue.spare(self.turn.client, self.turn.most)?;
        Some(SparePermit { _permit: permit })
    }
}

/// One of them, which goes back when it is dropped.
#[derive(Debug)]
pub(crate) struct SparePermit {
    _permit: Permit,
}

impl PermitHandle {
    /// Waits for a permit.
    ///
    /// # Errors
    /// [`Denied`] when there is none in time.
    pub(super) async fn enter(queue: &FairQueue, turn: Turn) -> Result<Self, Denied> {
        let permit = queue.enter(turn.client, turn.most).await?;
        Ok(Self {
            queue: queue.clone(),
            turn,
            permit: Arc::new(Mutex::new(Some(permit))),
        })
    }

    /// Gives the permit back; the request must not work until [`PermitHandle::again`].
    pub(crate) fn rest(&self) {
        drop(self.put(None));
    }

    /// Permits for work in advance of the client's next requests.
    pub(crate) fn spare(&self) -> SparePermits {
        SparePermits {
            queue: self.queue.clone(),
            turn: self.turn,
        }
    }

    /// Lets others run until [`PermitHandle::again`]; the request still counts as its client's.
    pub(super) fn arrives(&self) {
        let mut slot = self.permit.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permit) = slot.as_mut() {
            permit.rests();
        }
    }

    /// Waits for a permit again.
    ///
    /// # Errors
    /// [`Denied`] when there is none in time.
    pub(crate) async fn again(&self) -> Result<(), Denied> {
        // Counted once, also where a client has one request at a time.
        self.rest();
        let permit = self.queue.enter(self.turn.client, self.turn.most).await?;
        drop(self.put(Some(permit)));
        Ok(())
    }

    /// Lets others run while the answer is sent. Dropping the result ends the request.
    pub(super) fn answers(&self) -> Option<Permit> {
        let mut permit = self.put(None);
        if let Some(permit) = &mut permit {
            permit.rests();
        }
        permit
    }

    fn put(&self, permit: Option<Permit>) -> Option<Permit> {
        let mut slot = self.permit.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, permit)
    }
}
