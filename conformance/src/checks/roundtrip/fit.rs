//! Finds the optional members that a server accepts together: all of them in one document, and
//! fewer where that one is refused.

use std::collections::BTreeSet;

use super::Prober;
use super::judge::Judge;
use crate::tally::Tally;

type Members = BTreeSet<&'static str>;

impl Prober<'_> {
    /// Sends the smallest document first, then all members, then parts of the refused ones. Accepted
    /// documents are judged at once. `None` if the type is not accepted at all.
    pub(super) async fn fit(
        &mut self,
        t: &mut Tally<'_>,
        judge: &mut Judge<'_>,
        every: Members,
    ) -> Option<Vec<Members>> {
        let none = Members::new();
        if !self.least(t, judge).await {
            return None;
        }
        let mut groups = Vec::new();
        let mut open = vec![every];
        while let Some(mut members) = open.pop() {
            members.extend(&self.needed);
            if members == self.needed {
                continue;
            }
            let Some((response, e)) = self.send(&members, 0, &none).await else {
                break;
            };
            if e.ok() && !e.disguised() {
                self.compare(t, judge, &response, &e, 0).await;
                groups.push(members);
                continue;
            }
            if e.status == 0 {
                break;
            }
            let named = judge.named(&response, &e);
            let before = members.len();
            members.extend(named.iter().filter(|name| response.get(**name).is_none()));
            if members.len() > before {
                // One member requires the other.
                open.push(members);
                continue;
            }
            judge.refused(t, &named, &e);
            members.retain(|name| !named.contains(name) && !self.needed.contains(name));
            if members.len() + self.needed.len() < before {
                open.push(members);
            } else if members.len() > 1 {
                let half = members.iter().nth(members.len() / 2).copied();
                let rest = half.map(|name| members.split_off(name)).unwrap_or_default();
                open.extend([rest, members]);
            }
        }
        if groups.is_empty() {
            groups.push(self.needed.clone());
        }
        Some(groups)
    }

    /// Finds the smallest accepted document: that of the schema, and the members that the server
    /// requires besides. False if the type is not accepted at all.
    async fn least(&mut self, t: &mut Tally<'_>, judge: &mut Judge<'_>) -> bool {
        loop {
            let members = self.needed.clone();
            let Some((response, e)) = self.send(&members, 0, &Members::new()).await else {
                return false;
            };
            if e.ok() && !e.disguised() {
                return self.compare(t, judge, &response, &e, 0).await.is_some();
            }
            if matches!(e.status, 0 | 401 | 403 | 404 | 405 | 410 | 501) {
                return false;
            }
            let named = judge.named(&response, &e);
            let lacking = named.iter().filter(|name| response.get(**name).is_none());
            let before = self.needed.len();
            self.needed.extend(lacking);
            if self.needed.len() == before {
                judge.refused(t, &named, &e);
                // Members that the schema requires cannot be left out.
                return named.is_empty();
            }
        }
    }
}
