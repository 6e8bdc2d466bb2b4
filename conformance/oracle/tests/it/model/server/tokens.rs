//! Tokens: the position of a reader, as text.

use super::super::fault::Fault;
use super::{Asker, Opened, Place, Server, Style};
use std::collections::BTreeSet;

impl Server {
    pub(super) fn sealed(&self, asker: Asker, place: Place) -> String {
        let place = match place {
            Place::Beginning => "a0_0".to_owned(),
            Place::After(seq, begun) => format!("a{seq}_{begun}"),
            Place::Listing(start, (kind, number, farm)) => {
                format!("l{start}_{kind}_{number}_{farm}")
            }
        };
        let set = asker.kind.map_or(9, |kind| kind);
        let rights: BTreeSet<String> = match self.style {
            Style::Log => BTreeSet::new(),
            Style::Snapshot => self.rights[asker.reader]
                .iter()
                .map(|(f, s)| format!("{f}-{s}"))
                .collect(),
        };
        let rights: Vec<String> = rights.into_iter().collect();
        let text = format!(
            "{}.{set}.{}.{}.{place}",
            asker.reader,
            self.generation,
            rights.join("-")
        );
        let sum = seal(&text);
        format!("{text}.{sum}")
    }

    pub(super) fn opened(&self, asker: Asker, token: &str) -> Opened {
        let parts: Vec<&str> = token.split('.').collect();
        let bad = || match self.has(Fault::MalformedToken) {
            true => Opened::Place(Place::Beginning),
            false => Opened::Bad("token-malformed"),
        };
        let [reader, set, generation, rights, place, sum] = parts.as_slice() else {
            return bad();
        };
        let text = [*reader, *set, *generation, *rights, *place].join(".");
        if seal(&text).to_string() != *sum && !self.has(Fault::ForgedToken) {
            return bad();
        }
        let own = self.sealed(asker, Place::Beginning);
        let own: Vec<&str> = own.split('.').collect();
        if (*reader, *set) != (own[0], own[1]) && !self.has(Fault::ForeignToken) {
            return Opened::Bad("token-foreign");
        }
        if *generation != own[2] || *rights != own[3] {
            return Opened::Anew;
        }
        let place = match place.split_at(1) {
            ("a", rest) => rest.split_once('_').and_then(|(seq, begun)| {
                Some(Place::After(seq.parse().ok()?, begun.parse().ok()?))
            }),
            (_, rest) => {
                let n: Vec<i64> = rest.split('_').filter_map(|n| n.parse().ok()).collect();
                match n.as_slice() {
                    [start, kind, number, farm] => Some(Place::Listing(
                        *start,
                        (small(*kind), u8::try_from(*number).unwrap(), small(*farm)),
                    )),
                    _ => None,
                }
            }
        };
        let Some(place) = place else {
            return bad();
        };
        let known = match place {
            Place::Beginning => return Opened::Place(place),
            Place::After(seq, begun) => seq.max(begun),
            Place::Listing(start, _) => start,
        };
        if known < self.floor && !self.has(Fault::TombstonesExpire) && !self.has(Fault::ClockPaging)
        {
            return match self.has(Fault::ExpiredAsCurrent) {
                true => Opened::Current,
                false => Opened::Anew,
            };
        }
        Opened::Place(place)
    }

    /// A token from before the oldest tombstone, if any was cleared away.
    pub(crate) fn expired(&self, asker: Asker) -> Option<String> {
        let before = self.floor - 1;
        (before > 0).then(|| self.sealed(asker, Place::After(before, before)))
    }
}

fn small(n: i64) -> usize {
    usize::try_from(n).unwrap()
}

fn seal(text: &str) -> u64 {
    text.bytes().fold(7, |sum: u64, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    }) % 1_000_003
}
