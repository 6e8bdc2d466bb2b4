//! The place of a request that is worked on, which it can give back while it only waits.

use super::gate::{Gate, Place};
use super::{Denied, Turn};
use std::sync::{Arc, Mutex, PoisonError};

/// The place of a request.
#[derive(Debug, Clone)]
pub(in crate::api) struct Held {
    gate: Gate,
    turn: Turn,
    place: Arc<Mutex<Option<Place>>>,
}

impl Held {
    /// Waits for one.
    ///
    /// # Errors
    /// [`Denied`] when there is none in time.
    pub(super) async fn enter(gate: &Gate, turn: Turn) -> Result<Self, Denied> {
        let place = gate.enter(turn.client, turn.most).await?;
        Ok(Self {
            gate: gate.clone(),
            turn,
            place: Arc::new(Mutex::new(Some(place))),
        })
    }

    /// Gives the place back: nothing is done until [`Held::again`].
    pub(in crate::api) fn rest(&self) {
        drop(self.put(None));
    }

    /// Lets others run until [`Held::again`]; the request still counts as its client's.
    pub(super) fn arrives(&self) {
        let mut held = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = held.as_mut() {
            place.rests();
        }
    }

    /// Waits for a place once more.
    ///
    /// # Errors
    /// [`Denied`] when there is none in time.
    pub(in crate::api) async fn again(&self) -> Result<(), Denied> {
        // Counted once, also where a client has one request at a time.
        self.rest();
        let place = self.gate.enter(self.turn.client, self.turn.most).await?;
        drop(self.put(Some(place)));
        Ok(())
    }

    /// Lets others run while the answer is sent, and gives what still counts as the
    /// client's.
    pub(super) fn answers(&self) -> Option<Place> {
        let mut place = self.put(None);
        if let Some(place) = &mut place {
            place.rests();
        }
        place
    }

    fn put(&self, place: Option<Place>) -> Option<Place> {
        let mut held = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, place)
    }
}
