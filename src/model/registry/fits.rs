//! Which related records fit a record of a kind: the reasons and receivers of a movement.

use crate::registry::{Collection, Kind};

/// Which related records fit a record of a kind: pages propose these alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fits {
    /// The field that says the kind: `kind` of a movement, `state` of an animal.
    pub kind: &'static str,
    pub reason: FittingReason,
    pub receiver: FittingReceiver,
    /// Fields of some kinds alone.
    pub only: &'static [(&'static str, &'static [&'static str])],
    /// Kinds, and the words of a field that do not fit them.
    pub unfit: &'static [(&'static str, &'static str, &'static [&'static str])],
}

/// A relation to reasons that have a word of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FittingReason {
    pub relation: &'static str,
    /// The field of the reason with its word. A reason without one fits each kind.
    pub word: &'static str,
    /// The word that pages propose with a kind; with the others, reasons without a word.
    pub words: &'static [(&'static str, &'static str)],
}

/// A relation to whoever the record passes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FittingReceiver {
    pub relation: &'static str,
    /// The relation to whoever gives it, where people fill that.
    pub giver: Option<&'static str>,
    /// The field of the record, and its word once whoever receives it objected.
    pub objected: Option<(&'static str, &'static str)>,
    /// The field that is true while the record took effect, where such records wait or are objected to.
    pub applied: Option<&'static str>,
    /// The kinds by which it passes on.
    pub kinds: &'static [&'static str],
    /// The kinds by which nobody receives it.
    pub without: &'static [&'static str],
    /// What a receiver is: alternatives, each of conditions of the dialect, as path, operator and value.
    pub among: &'static [&'static [(&'static str, &'static str, &'static str)]],
    /// The field and its value of one who takes part, is told, and can object.
    pub takes_part: (&'static str, &'static str),
    /// Days within which that is possible, and within which whoever records it undoes it.
    pub days: i64,
}

impl Fits {
    /// Who the record passes to by a kind.
    pub fn receiver_of(&self, field: &str, kind: &str) -> Option<&FittingReceiver> {
        Some(&self.receiver).filter(|receiver| self.kind == field && receiver.kinds.contains(&kind))
    }
    /// Whether a record of a kind has a field; one whose kind is not said has all.
    pub fn has(&self, kind: &str, path: &str) -> bool {
        let only = self.only.iter().find(|(own, _)| *own == path);
        kind.is_empty() || only.is_none_or(|(_, kinds)| kinds.contains(&kind))
    }
    /// Whether pages offer a word of a field for a kind.
    pub fn offers(&self, kind: &str, path: &str, word: &str) -> bool {
        !self.unfit.iter().any(|(of, own, words)| *of == kind && *own == path && words.contains(&word))
    }
}

impl FittingReceiver {
    /// Whether a record of a kind has a giver, who owned its animal.
    pub fn gives(&self, kind: &str) -> bool {
        self.kinds.contains(&kind) || self.without.contains(&kind)
    }
}

/// Every fault in what a declaration says of records that fit a kind.
pub(super) fn check<'r>(
    c: &Collection,
    fits: &Fits,
    find: &dyn Fn(&str) -> Option<&'r Collection>,
    fault: &mut dyn FnMut(&str, &'static str, String),
) {
    let (reason, receiver) = (&fits.reason, &fits.receiver);
    let only = fits.only.iter().flat_map(|(_, kinds)| kinds.iter());
    let kinds = reason.words.iter().map(|(kind, _)| kind).chain(receiver.kinds).chain(receiver.without).chain(only);
    let kinds = kinds.chain(fits.unfit.iter().map(|(kind, ..)| kind));
    for kind in kinds.filter(|kind| !c.options(fits.kind).iter().any(|option| option == *kind)) {
        fault(fits.kind, "no-such-option", format!("{kind} is no word of it"));
    }
    for (path, _) in fits.only.iter().filter(|(path, _)| c.slot(path).is_none()) {
        fault(path, "no-such-field", "is no field of some kinds".to_owned());
    }
    let unfit = fits.unfit.iter().flat_map(|(_, path, words)| words.iter().map(move |word| (*path, *word)));
    let words = unfit.chain(receiver.objected);
    for (path, word) in words.filter(|(path, word)| !c.options(path).iter().any(|option| option == word)) {
        fault(path, "no-such-option", format!("{word} is no word of it"));
    }
    for path in receiver.applied.iter().filter(|path| c.field(path).is_none_or(|field| field.kind != Kind::Bool)) {
        fault(path, "no-such-field", "does not say whether it took effect".to_owned());
    }
    for path in receiver.giver.iter().filter(|path| c.field(path).is_none_or(|field| field.target().is_none())) {
        fault(path, "no-such-field", "is no relation to a giver".to_owned());
    }
    let among = receiver.among.iter().copied().flatten().map(|(path, ..)| *path).chain([receiver.takes_part.0]);
    for (relation, path) in among.map(|path| (receiver.relation, path)).chain([(reason.relation, reason.word)]) {
        let target = c.field(relation).and_then(|field| find(field.target()?));
        if target.is_none_or(|target| target.slot(path).is_none()) {
            fault(relation, "no-such-field", format!("{path} is no field of its records"));
        }
    }
}
