//! What one reader saw, page by page, along every chain that it followed.

use crate::chain::Chain;
use crate::profile::Profile;
use crate::truth::{CommitId, Rights};
use crate::violation::Violation;
use crate::wire::{Key, State};
use std::collections::BTreeMap;

/// A resource of a page.
#[derive(Debug, Clone)]
pub(crate) struct Delivered {
    pub(crate) key: Key,
    pub(crate) state: State,
    /// When the reported state was committed, unless it came by a change of rights.
    pub(crate) sent: Option<u64>,
}

/// A page, and the token that it gave.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    pub(crate) asked: u64,
    pub(crate) delivered: Vec<Delivered>,
}

/// A change that should have come, and did not so far.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) key: Key,
    pub(crate) entry: usize,
    pub(crate) commit: CommitId,
    pub(crate) deleted: bool,
    pub(crate) violation: Violation,
}

/// A reader.
#[derive(Debug, Clone)]
pub(crate) struct Watcher {
    pub(crate) name: String,
    pub(crate) rights: Rights,
    pub(crate) chain: Chain,
    pub(crate) held: BTreeMap<Key, State>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) tokens: BTreeMap<String, usize>,
    /// The page that the reader continues from.
    pub(crate) at: Option<usize>,
    /// When the present chain began.
    pub(crate) started: u64,
    /// The latest change along the present chain, and its name.
    pub(crate) frontier: Option<(u64, String)>,
    pub(crate) pending: Vec<Pending>,
}

impl Watcher {
    pub(crate) fn new(name: String, rights: Rights, profile: Profile) -> Self {
        Self {
            name,
            rights,
            chain: Chain::new(profile),
            held: BTreeMap::new(),
            nodes: Vec::new(),
            tokens: BTreeMap::new(),
            at: None,
            started: 0,
            frontier: None,
            pending: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(crate) fn anew(&mut self, moment: u64) {
        self.held.clear();
        self.at = None;
        self.fork(moment);
    }

    /// Goes on from the page that gave a token; false if none did.
    pub(crate) fn go_on(&mut self, token: &str, moment: u64) -> bool {
        let Some(node) = self.tokens.get(token).copied() else {
            return false;
        };
        if self.at == Some(node) {
            return true;
        }
        self.at = Some(node);
        self.fork(moment);
        self.held.clear();
        for node in self.path() {
            let delivered = self
                .nodes
                .get(node)
                .map_or(&[][..], |n| n.delivered.as_slice());
            self.held
                .extend(delivered.iter().map(|d| (d.key.clone(), d.state)));
        }
        true
    }

    fn fork(&mut self, moment: u64) {
        self.chain = Chain::new(self.chain.profile().clone());
        self.frontier = None;
        let root = self.path().first().and_then(|at| self.nodes.get(*at));
        self.started = root.map_or(moment, |node| node.asked);
        self.pending.clear();
    }

    /// The pages that lead to the present position, the first one first.
    pub(crate) fn path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = self.at;
        while let Some(node) = at {
            path.push(node);
            at = self.nodes.get(node).and_then(|n| n.parent);
        }
        path.reverse();
        path
    }

    /// Takes a page.
    pub(crate) fn take(&mut self, asked: u64, token: String, delivered: Vec<Delivered>) {
        self.held
            .extend(delivered.iter().map(|d| (d.key.clone(), d.state)));
        let given = self.tokens.get(&token).copied();
        if delivered.is_empty() && given.is_some() && given == self.at {
            return;
        }
        let node = self.nodes.len();
        self.nodes.push(Node {
            parent: self.at,
            asked,
            delivered,
        });
        self.at = Some(node);
        self.tokens.insert(token, node);
    }

    /// The last resource along the present path.
    pub(crate) fn last(&self) -> Option<&Delivered> {
        let mut at = self.at;
        while let Some(node) = at.and_then(|at| self.nodes.get(at)) {
            if let Some(last) = node.delivered.last() {
                return Some(last);
            }
            at = node.parent;
        }
        None
    }

    /// How many pages ago along the present path a state came; 1 is the last one.
    pub(crate) fn pages_ago(&self, key: &Key, state: &State) -> Option<usize> {
        let path = self.path();
        let found = path.iter().rev().position(|node| {
            let page = self.nodes.get(*node);
            page.is_some_and(|n| {
                n.delivered
                    .iter()
                    .any(|d| d.key == *key && d.state.is(state))
            })
        });
        found.map(|at| at + 1)
    }
}
