//! Which optional members a server takes together: all of them in one document, and fewer where
//! that one is refused.

use std::collections::BTreeSet;

use super::Prober;
use super::judge::Judge;
use crate::tally::Tally;

type Members = BTreeSet<&'static str>;

impl Prober<'_> {
    /// The least document first, then all members, then parts of what was refused. What was taken is
    /// judged on the way. Nothing if the type is not taken at all.
    pub(super) async fn fit(
        &mut self,
        t: &mut Tally<'_>,
        judge: &mut Judge<'_>,
        every: Members,
    ) -> Option<Vec<Members>> {
        let none = Members::new();
        let (sent, e) = self.send(&none, 0, &none).await?;
        let mut groups = Vec::new();
        if e.ok() && !e.disguised() {
            self.compare(t, judge, &sent, &e, 0).await?;
        } else if matches!(e.status, 0 | 401 | 403 | 404 | 405 | 410 | 501) {
            return None;
        } else if e.refused() && !judge.refused(t, &sent, &e).is_empty() {
            // It is not for want of an optional member.
            return None;
        }
        let mut open = vec![every];
        while let Some(mut members) = open.pop() {
            if members.is_empty() {
                continue;
            }
            let Some((sent, e)) = self.send(&members, 0, &none).await else {
                break;
            };
            if e.ok() && !e.disguised() {
                self.compare(t, judge, &sent, &e, 0).await;
                groups.push(members);
                continue;
            }
            if e.status == 0 {
                break;
            }
            let named = judge.refused(t, &sent, &e);
            let before = members.len();
            members.retain(|name| !named.contains(name));
            if members.len() == before {
                let half = members.iter().nth(before / 2).copied();
                let rest = half.map(|name| members.split_off(name)).unwrap_or_default();
                // One alone was refused.
                if before > 1 {
                    open.extend([rest, members]);
                }
            } else {
                open.push(members);
            }
        }
        if groups.is_empty() {
            groups.push(none);
        }
        Some(groups)
    }
}
