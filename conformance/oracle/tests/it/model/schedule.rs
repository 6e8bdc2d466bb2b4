//! A schedule, made of its seed.

use super::fault::Fault;
use super::server::{Asker, FARMS, KINDS, Server, Style, Write};
use feed_oracle::{Asked, Probe, Profile, ReaderId, Scope, Trial, Violation};

/// The generator `SplitMix64`.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(n).unwrap()).unwrap()
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// The result of a schedule.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The first violation.
    pub(crate) found: Option<Violation>,
    pub(crate) pages: usize,
    pub(crate) commits: usize,
    /// Live resources that the readers hold at the end.
    pub(crate) held: usize,
}

struct Reader {
    id: ReaderId,
    asker: Asker,
    token: Option<String>,
    tokens: Vec<String>,
}

struct World {
    server: Server,
    trial: Trial,
    readers: Vec<Reader>,
    draw: Draw,
    backed_up: Option<usize>,
    pages: usize,
}

/// The promises that a server of a style is judged by in a schedule.
fn profile(style: Style, seed: u64, rights: bool) -> Profile {
    match style {
        Style::Log => Profile {
            marks: seed.is_multiple_of(3),
            withdrawal_reason: Some("/meta/reason".to_owned()),
            // What is granted comes with the times it has.
            times_ascend: !rights,
            ..Profile::herdbook()
        },
        Style::Snapshot => Profile::standard(),
    }
}

/// Runs the schedule of a seed.
pub(crate) fn run(style: Style, fault: Option<Fault>, seed: u64) -> Run {
    let rights = seed.is_multiple_of(2);
    let profile = profile(style, seed, rights);
    let sees = [vec![0, 1, 2], vec![0], vec![1], vec![2]];
    let mut server = Server::new(style, profile.clone(), sees.to_vec());
    server.fault = fault;
    let mut trial = Trial::new(profile);
    let mut readers = Vec::new();
    for (reader, farms) in sees.iter().enumerate() {
        let kind = (reader == 2).then_some(0);
        let mut scope = Scope::at(farms.iter().map(|farm| location(*farm)));
        if let Some(kind) = kind {
            scope = scope.of([KINDS[kind]]);
        }
        let id = trial.reader(format!("reader {reader}"), scope);
        readers.push(Reader {
            id,
            asker: Asker { reader, kind },
            token: None,
            tokens: Vec::new(),
        });
    }
    let draw = Draw(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut world = World {
        server,
        trial,
        readers,
        draw,
        backed_up: None,
        pages: 0,
    };
    let found = world.whole(rights).err();
    let held = world.readers.iter().map(|r| world.trial.holds(r.id)).sum();
    Run {
        found,
        pages: world.pages,
        commits: world.trial.commits(),
        held,
    }
}

fn location(farm: usize) -> String {
    format!("org.example/{}", FARMS[farm])
}

type Done = Result<(), Violation>;

impl World {
    fn whole(&mut self, rights: bool) -> Done {
        for _ in 0..160 {
            self.step(rights)?;
        }
        for open in self.server.open() {
            self.server.roll_back(open);
        }
        self.all_catch_up()?;
        // One more write of each kind at each farm, so that the readers pass every change that was
        // left out so far.
        for kind in 0..KINDS.len() {
            for farm in 0..FARMS.len() {
                let number = 10 + u8::try_from(farm).unwrap();
                self.server.clock(5);
                let open = self.server.begin();
                self.server.write(open, Write::Put(kind, number, farm));
                self.commit(open);
            }
        }
        self.all_catch_up()?;
        self.all_catch_up()?;
        if let Some(violation) = self.trial.finish().into_iter().next() {
            return Err(violation);
        }
        // From any token that was ever given.
        for at in 0..self.readers.len() {
            for _ in 0..3 {
                let reader = &mut self.readers[at];
                if reader.tokens.is_empty() {
                    continue;
                }
                let old = self.draw.below(reader.tokens.len());
                reader.token = Some(reader.tokens[old].clone());
                self.catch_up(at)?;
            }
        }
        self.probes()
    }

    fn step(&mut self, rights: bool) -> Done {
        let by = [1, 2, 3, 40][self.draw.below(4)];
        self.server.clock(by);
        match self.draw.below(40) {
            0..=6 => {
                if self.server.open().len() < 3 {
                    self.server.begin();
                }
            }
            7..=16 => {
                let open = self.server.open();
                if !open.is_empty() {
                    let open = open[self.draw.below(open.len())];
                    let write = self.write();
                    self.server.write(open, write);
                }
            }
            17..=22 => {
                let open = self.server.open();
                if !open.is_empty() {
                    let open = open[self.draw.below(open.len())];
                    if self.draw.once_in(6) {
                        self.server.roll_back(open);
                    } else {
                        self.commit(open);
                    }
                }
            }
            23 if rights => {
                // The fourth reader's rights at the first farm come and go.
                let may = self.draw.once_in(2);
                if may {
                    self.server.grant(3, 0);
                } else {
                    self.server.revoke(3, 0);
                }
                self.trial.rights(self.readers[3].id, &location(0), may);
            }
            24 if self.draw.once_in(3) => self.server.restart(),
            25 if self.draw.once_in(4) => self.server.regenerate(),
            26 if !rights && self.draw.once_in(2) => {
                self.server.back_up();
                self.backed_up = Some(self.trial.commits());
            }
            27 if self.draw.once_in(3) => {
                if let Some(kept) = self.backed_up.take() {
                    self.server.restore();
                    self.trial.restored(kept);
                }
            }
            28 => {
                self.server.compact();
                self.backed_up = None;
            }
            29 => self.server.background(),
            _ => {
                let at = self.draw.below(self.readers.len());
                let reader = &mut self.readers[at];
                if self.draw.once_in(25) && !reader.tokens.is_empty() {
                    let old = self.draw.below(reader.tokens.len());
                    reader.token = Some(reader.tokens[old].clone());
                }
                self.read(at)?;
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Write {
        let kind = self.draw.below(KINDS.len());
        let number = u8::try_from(self.draw.below(5)).unwrap();
        let farm = self.draw.below(FARMS.len());
        match self.draw.below(10) {
            0..=5 => Write::Put(kind, number, farm),
            6 | 7 => Write::Delete(kind, number),
            8 => Write::Recreate(kind, number),
            _ => Write::Sell(kind, number, farm),
        }
    }

    fn commit(&mut self, open: u32) {
        let changes = self.server.commit(open);
        self.trial.committed(changes);
    }

    /// Reads a page; whether the reader is current.
    fn read(&mut self, at: usize) -> Result<bool, Violation> {
        self.pages += 1;
        let limit = 1 + self.draw.below(6);
        let noise = self.draw.next();
        let reader = &mut self.readers[at];
        let since = reader.token.clone();
        let asked = Asked {
            since: since.clone(),
            limit: Some(limit),
        };
        let open = self.trial.ask(reader.id, asked);
        let answer = self
            .server
            .changes(reader.asker, since.as_deref(), limit, noise);
        let step = self.trial.answered(&open, &answer);
        if let Some(violation) = step.violations.into_iter().next() {
            return Err(violation);
        }
        let page = step.page.expect("a page without a fault");
        if page.full_sync && !self.trial.profile().full_sync_begins {
            reader.token = None;
            return Ok(false);
        }
        reader.token = Some(page.token.clone());
        reader.tokens.push(page.token.clone());
        Ok(page.is_current())
    }

    fn catch_up(&mut self, at: usize) -> Done {
        for _ in 0..500 {
            if self.read(at)? {
                return Ok(());
            }
        }
        panic!("reader {at} never comes to an end");
    }

    fn all_catch_up(&mut self) -> Done {
        for at in 0..self.readers.len() {
            self.catch_up(at)?;
        }
        Ok(())
    }

    fn probes(&mut self) -> Done {
        let reader = &self.readers[0];
        let own = reader.token.clone().unwrap_or_default();
        let mut altered = own.clone();
        let last = if altered.pop() == Some('1') { '2' } else { '1' };
        altered.push(last);
        let foreign = self.readers[1].token.clone().unwrap_or_default();
        let expired = self.server.expired(reader.asker);
        let probes = [
            (Probe::Malformed, Some("nonsense".to_owned())),
            (Probe::Forged, Some(altered)),
            (Probe::Foreign, Some(foreign)),
            (Probe::Expired, expired),
        ];
        for (probe, token) in probes {
            let Some(token) = token else {
                continue;
            };
            let answer = self.server.changes(reader.asker, Some(&token), 5, 1);
            if let Some(violation) = probe.judge(self.trial.profile(), &answer) {
                return Err(violation);
            }
        }
        Ok(())
    }
}
