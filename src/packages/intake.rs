//! Reading packages beside requests: a worker takes up the oldest one, rows enter the book in pieces, and rows that
//! wait for other records are tried again (docs/packages.md, *Reading*).

use crate::Schemes;
use crate::file::Unread;
use crate::opened::{Opened, RowWriter};
use crate::piece::{Intake, Seen};
use crate::sheet::{FileRow, KnownColumns, PackageSheet};
use domain::collections::check_animals;
use domain::collections::packages::{
    self, Mapping, OpenPackage, ReadEnd, RowState, StoredRow, UnknownColumn,
};
use exchange::Exchange;
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::registry::{BookReader, Caller, Collection, Principal, Registry};
use ops::{Book, Item, Work};
use serde_json::Value as Json;
use sheets::Source;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Rows that are written together.
const PIECE: usize = 500;
/// Rows up to which a package is one transaction.
const TOGETHER: usize = 2_000;
/// Pieces that are read ahead.
const AHEAD: usize = 2;
/// Animals that are checked together.
const CHECKED: usize = 250;
/// How long a package is a worker's without progress, milliseconds.
const LEASE: i64 = 120_000;
/// How long rows of a package that wait rest between two tries, milliseconds.
const REST: i64 = 600_000;
/// Attempts without progress, after which a package fails.
const ATTEMPTS: i64 = 5;
/// Packages whose rows wait, of one look.
const WAITING: i64 = 500;

/// Reads packages of a book.
#[derive(Debug, Clone)]
pub struct Reader {
    book: Arc<Book>,
    schemes: Arc<Schemes>,
    exchange: Exchange,
    worker: String,
}

/// What a file that is being read brings.
enum Read {
    Rows(Vec<FileRow>),
    End(Vec<UnknownColumn>),
    Broken(Unread),
}

impl Reader {
    /// For a book; `worker` is a name that no other reader has.
    pub fn new(book: Arc<Book>, schemes: Arc<Schemes>, exchange: Exchange, worker: String) -> Self {
        Self {
            book,
            schemes,
            exchange,
            worker,
        }
    }

    /// Reads the oldest package that waits; whether there was one.
    ///
    /// # Errors
    /// The errors of the database. The package is taken up again later.
    pub async fn read_next(&self) -> Result<bool> {
        // Most looks find nothing, and must not wait for the writer.
        if !self.any_waits().await? {
            return Ok(false);
        }
        let worker = self.worker.clone();
        let taken = self.book.transact(move |work| {
            Box::pin(async move { packages::take_up(work, &worker, LEASE).await })
        });
        let Some(package) = taken.await? else {
            return Ok(false);
        };
        let (id, last) = (package.id, package.attempts + 1 >= ATTEMPTS);
        match self.read(Arc::new(package)).await {
            // What fails again and again must not keep others waiting.
            Err(error) if last => {
                tracing::error!(package = id, %error, "a package could not be read");
                self.fail(id, Unread { code: "internal".to_owned(), message: "The file could not be read because of a fault of the server, which is in its log.".to_owned() }).await?;
            }
            other => other?,
        }
        Ok(true)
    }

    async fn any_waits(&self) -> Result<bool> {
        let Some(c) = self.book.registry.iter().find(|c| c.packages) else {
            return Ok(false);
        };
        let filter = Tree::from(packages::waiting());
        let system = Arc::new(Principal::system());
        let found = self
            .book
            .ids(&system, c, Some(&filter), &[], Some(1))
            .await?;
        Ok(!found.is_empty())
    }

    async fn fail(&self, id: i64, why: Unread) -> Result<()> {
        let failed = self.book.transact(move |work| {
            Box::pin(async move {
                let Some(package) = packages::package(work, id).await? else {
                    return Ok(());
                };
                packages::end(work, &package, ReadEnd::Failed(why.code, why.message), 0).await
            })
        });
        failed.await
    }

    async fn read(&self, package: Arc<OpenPackage>) -> Result<()> {
        let refused = |code: &str, message: &str| Unread {
            code: code.to_owned(),
            message: message.to_owned(),
        };
        let caller = match package.user {
            Some(user) => Arc::new(self.book.account(user).await?),
            None => Arc::new(Principal::anonymous()),
        };
        if caller.caller == Caller::Anonymous {
            let why = refused(
                "no-sender",
                "The user who sent the package is gone or blocked.",
            );
            return self.fail(package.id, why).await;
        }
        let source = match &package.file {
            Some((key, _)) => self.book.files()?.place_of(key).map(Source::Path),
            None => None,
        };
        let Some(source) = source else {
            return self
                .fail(package.id, refused("no-file", "The package has no file."))
                .await;
        };
        let known = self.known(&package).await?;
        let registry = self.book.registry;
        let (of, exchange) = (Arc::clone(&package), self.exchange.clone());
        let opened = tokio::task::spawn_blocking(move || {
            Opened::open(registry, &exchange, source, known, of.dataset.as_deref())
        });
        let file = match opened.await.map_err(Error::internal)? {
            Ok(file) => Arc::new(file),
            Err(why) => return self.fail(package.id, why).await,
        };
        let intake = Arc::new(RowWriter::new(
            (&self.exchange, &self.schemes),
            registry,
            caller,
            package.organization,
            Some(package.id),
            &file,
        ));
        let id = package.id;
        self.rows(package, file, intake).await?;
        self.check(id).await
    }

    /// Runs the checks over the animals of a package that was read, and over the package as a whole.
    async fn check(&self, id: i64) -> Result<()> {
        let animals = self
            .book
            .transact(move |work| Box::pin(async move { packages::animals(work, id).await }));
        for some in animals.await?.chunks(CHECKED) {
            let some = some.iter().copied().collect();
            let checked = self
                .book
                .transact(move |work| Box::pin(async move { check_animals(work, &some).await }));
            checked.await?;
        }
        let mut whole = packages::PackageCheck::of(id);
        loop {
            let step = self.book.transact(move |work| {
                Box::pin(async move {
                    let further = whole.step(work).await?;
                    Ok((whole, further))
                })
            });
            let (stepped, further) = step.await?;
            whole = stepped;
            if !further {
                break;
            }
        }
        let stored = self
            .book
            .transact(move |work| Box::pin(async move { whole.store(work).await }));
        stored.await
    }

    async fn known(&self, package: &OpenPackage) -> Result<KnownColumns> {
        let decisions = self
            .book
            .transact(|work| Box::pin(async move { packages::column_decisions(work).await }));
        Ok(KnownColumns {
            mapping: Mapping::read(self.book.registry, package.mapping.as_ref())
                .unwrap_or_default(),
            decisions: decisions.await?,
        })
    }

    async fn rows(
        &self,
        package: Arc<OpenPackage>,
        file: Arc<Opened>,
        intake: Arc<RowWriter>,
    ) -> Result<()> {
        let mut reading = reading(Arc::clone(&file), package.done);
        let mut seen = self.seen_before(&package).await?;
        let mut first: Vec<Vec<FileRow>> = Vec::new();
        let mut rows = 0;
        // Small packages are one transaction, and so are all that end before their first pieces are written.
        let mut ended = None;
        while rows <= TOGETHER {
            match reading.recv().await {
                Some(Read::Rows(piece)) => {
                    rows += piece.len();
                    first.push(piece);
                }
                Some(other) => {
                    ended = Some(other);
                    break;
                }
                None => return Err(Error::internal("the reader of a file stopped")),
            }
        }
        let Some(end) = ended else {
            for piece in first {
                seen = match self.piece(&package, &file, &intake, piece, seen).await? {
                    Some(seen) => seen,
                    None => return Ok(()),
                };
            }
            loop {
                match reading.recv().await {
                    Some(Read::Rows(piece)) => {
                        seen = match self.piece(&package, &file, &intake, piece, seen).await? {
                            Some(seen) => seen,
                            None => return Ok(()),
                        };
                    }
                    Some(end) => {
                        return self.end(package, file, intake, Vec::new(), seen, end).await;
                    }
                    None => return Err(Error::internal("the reader of a file stopped")),
                }
            }
        };
        self.end(package, file, intake, first, seen, end).await
    }

    /// A piece in a transaction of its own; none when another worker has the package.
    async fn piece(
        &self,
        package: &Arc<OpenPackage>,
        file: &Arc<Opened>,
        intake: &Arc<RowWriter>,
        piece: Vec<FileRow>,
        mut seen: Seen,
    ) -> Result<Option<Seen>> {
        let (package, file, intake) = (Arc::clone(package), Arc::clone(file), Arc::clone(intake));
        let worker = self.worker.clone();
        let written = self.book.transact(move |work| {
            Box::pin(async move {
                if !packages::holds(work, package.id, &worker, LEASE).await? {
                    return Ok(None);
                }
                if piece.first().is_some_and(|row| row.position == 1) {
                    packages::seen(work, &package, file.seen()).await?;
                }
                let rows = intake.write(work, &piece, &mut seen).await?;
                packages::took(work, &package, rows).await?;
                Ok(Some(seen))
            })
        });
        written.await
    }

    /// The last transaction: pieces that are left, unknown columns, what the former package brought and this one does
    /// not have.
    async fn end(
        &self,
        package: Arc<OpenPackage>,
        file: Arc<Opened>,
        intake: Arc<RowWriter>,
        pieces: Vec<Vec<FileRow>>,
        mut seen: Seen,
        end: Read,
    ) -> Result<()> {
        let worker = self.worker.clone();
        let ended = self.book.transact(move |work| {
            Box::pin(async move {
                if !packages::holds(work, package.id, &worker, LEASE).await? {
                    return Ok(());
                }
                let unknown = match end {
                    Read::Broken(why) => {
                        // Nothing of a file that breaks off stays, if nothing was written of it yet.
                        let end = ReadEnd::Failed(why.code, why.message);
                        return packages::end(work, &package, end, 0).await;
                    }
                    Read::End(unknown) => unknown,
                    Read::Rows(_) => Vec::new(),
                };
                if package.done == 0 {
                    packages::seen(work, &package, file.seen()).await?;
                }
                for piece in pieces {
                    let rows = intake.write(work, &piece, &mut seen).await?;
                    packages::took(work, &package, rows).await?;
                }
                packages::saw_columns(work, &package, unknown).await?;
                let removed = take_back(work, &package, intake.caller()).await?;
                packages::end(work, &package, ReadEnd::Whole, removed).await
            })
        });
        ended.await
    }

    /// Records that the rows of a reading that was broken off were.
    async fn seen_before(&self, package: &Arc<OpenPackage>) -> Result<Seen> {
        let (id, done) = (package.id, package.done);
        if done == 0 {
            return Ok(Seen::new());
        }
        let registry = self.book.registry;
        let found = self.book.transact(move |work| {
            Box::pin(async move {
                let (mut seen, mut behind) = (Seen::new(), 0);
                loop {
                    let rows = packages::stored_rows(work, id, &[], behind, 5_000).await?;
                    let Some(last) = rows.last() else {
                        return Ok(seen);
                    };
                    behind = last.position;
                    let before = rows.into_iter().filter(|row| row.position <= done);
                    for (slug, id) in before.filter_map(|row| row.record) {
                        if let Some(c) = registry.get(&slug) {
                            seen.entry(c.slug).or_default().insert(id);
                        }
                    }
                }
            })
        });
        found.await
    }

    /// Tries rows again that wait for other records, of all packages; how many were taken.
    ///
    /// # Errors
    /// The errors of the database.
    pub async fn try_waiting(&self) -> Result<usize> {
        let (mut behind, mut taken) = (0, 0);
        loop {
            let from = behind;
            let found = self.book.transact(move |work| {
                Box::pin(async move { packages::packages_that_wait(work, from, WAITING).await })
            });
            let found = found.await?;
            let Some(last) = found.last() else {
                return Ok(taken);
            };
            behind = *last;
            for id in found {
                taken += self.try_package(id).await?;
            }
        }
    }

    async fn try_package(&self, id: i64) -> Result<usize> {
        let package = self
            .book
            .transact(move |work| Box::pin(async move { packages::package(work, id).await }));
        let now = self.book.clock.now();
        let due = |package: &OpenPackage| {
            package
                .tried
                .is_none_or(|at| now.saturating_sub(at) >= REST)
        };
        let Some(package) = package
            .await?
            .filter(|package| package.open && due(package))
        else {
            return Ok(0);
        };
        let Some(user) = package.user else {
            return Ok(0);
        };
        let caller = Arc::new(self.book.account(user).await?);
        if caller.caller == Caller::Anonymous {
            return Ok(0);
        }
        let known = self.known(&package).await?;
        let registry = self.book.registry;
        let (names, intake) = match has_documents(&package) {
            true => {
                let farm = package.organization;
                let writer = RowWriter::documents(&self.exchange, registry, caller, farm);
                (vec![String::new()], writer)
            }
            false => {
                let sheets = stored_sheets(registry, &known, package.sheets.as_ref());
                let names = sheets.iter().map(|sheet| sheet.name.clone()).collect();
                let farm = package.organization;
                let intake = Intake::new(caller, farm, Some(id), sheets, &self.schemes);
                (names, RowWriter::Rows(intake))
            }
        };
        let intake = Arc::new(intake);
        let package = Arc::new(package);
        let (mut behind, mut taken) = (0, 0);
        loop {
            let (package, intake, names) =
                (Arc::clone(&package), Arc::clone(&intake), names.clone());
            let piece = self.book.transact(move |work| {
                Box::pin(async move { try_piece(work, &package, &intake, &names, behind).await })
            });
            let Some((last, more)) = piece.await? else {
                self.book
                    .transact(move |work| Box::pin(async move { packages::tried(work, id).await }))
                    .await?;
                return Ok(taken);
            };
            behind = last;
            taken += more;
        }
    }
}

/// Tries a piece of rows that wait; the last position, and how many were taken.
async fn try_piece(
    work: &mut Work<'_>,
    package: &OpenPackage,
    intake: &RowWriter,
    names: &[String],
    behind: i64,
) -> Result<Option<(i64, usize)>> {
    let most = i64::try_from(PIECE).unwrap_or(i64::MAX);
    let stored = packages::waiting_rows(work, package.id, behind, most).await?;
    let Some(last) = stored.last().map(|row| row.position) else {
        return Ok(None);
    };
    let known: Vec<FileRow> = stored.iter().filter_map(|row| again(row, names)).collect();
    let told = intake.write(work, &known, &mut Seen::new()).await?;
    let taken: Vec<_> = told
        .into_iter()
        .filter(|row| row.state != RowState::Held)
        .collect();
    let count = taken.len();
    if count > 0 {
        packages::retook(work, package, taken, &vec![RowState::Held; count]).await?;
    }
    Ok(Some((last, count)))
}

fn again(row: &StoredRow, names: &[String]) -> Option<FileRow> {
    let name = row.sheet.as_deref().unwrap_or_default();
    Some(FileRow {
        position: row.position,
        sheet: names.iter().position(|known| known == name)?,
        line: row.line,
        cells: row.cells.clone(),
        broken: None,
    })
}

/// Whether the file of a package has documents of the exchange.
pub(crate) fn has_documents(package: &OpenPackage) -> bool {
    let sheets = package.sheets.as_ref().and_then(Json::as_array);
    sheets.is_some_and(|sheets| sheets.iter().any(|sheet| sheet.get("exchange").is_some()))
}

/// The sheets of a file as they are told with the package, under what is known of columns now.
fn stored_sheets(
    registry: &'static Registry,
    known: &KnownColumns,
    told: Option<&Json>,
) -> Vec<PackageSheet> {
    let all = told.and_then(Json::as_array).into_iter().flatten();
    let sheets = all.filter_map(|sheet| {
        let set = sheet.get("set")?.as_str()?;
        let found = registry
            .package_sets()
            .find(|(_, known)| known.name == set)?;
        let columns = sheet.get("columns")?.as_array()?;
        let title = |column: &Json| Some(column.get("title")?.as_str()?.to_owned());
        let titles: Vec<String> = columns
            .iter()
            .map(|column| title(column).unwrap_or_default())
            .collect();
        let mut read = PackageSheet::new(registry, found, known, &titles);
        read.name = sheet
            .get("name")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned();
        Some(read)
    });
    sheets.collect()
}

/// Deletes what the replaced package made and this one does not have; how many records.
async fn take_back(
    work: &mut Work<'_>,
    package: &OpenPackage,
    caller: &Arc<Principal>,
) -> Result<usize> {
    let Some(former) = package.replaces else {
        return Ok(0);
    };
    let mut removed = 0;
    for (slug, ids) in packages::brought(work, former).await? {
        let c: &'static Collection = work.collection(slug)?;
        for ids in ids.chunks(PIECE) {
            let items = ids.iter().map(|id| Item::delete(*id)).collect();
            let outcomes = work.write(c, caller, items).await?;
            removed += outcomes
                .iter()
                .filter(|outcome| matches!(outcome, ops::Outcome::Done(..)))
                .count();
        }
    }
    Ok(removed)
}

/// Reads a file on a thread of its own, behind the rows that are done.
fn reading(file: Arc<Opened>, done: i64) -> mpsc::Receiver<Read> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::task::spawn_blocking(move || {
        let mut rows = file.rows();
        let mut piece = Vec::new();
        loop {
            match rows.next() {
                Ok(Some(row)) if row.position <= done => {}
                Ok(Some(row)) => {
                    piece.push(row);
                    if piece.len() == PIECE
                        && sender
                            .blocking_send(Read::Rows(std::mem::take(&mut piece)))
                            .is_err()
                    {
                        return;
                    }
                }
                Ok(None) => break,
                Err(why) => {
                    // The receiver may be gone.
                    let _ = sender.blocking_send(Read::Broken(why));
                    return;
                }
            }
        }
        if !piece.is_empty() && sender.blocking_send(Read::Rows(piece)).is_err() {
            return;
        }
        let _ = sender.blocking_send(Read::End(rows.unknown()));
    });
    receiver
}

/// What is known of columns, by the Association alone.
pub(crate) async fn decisions(book: &Book) -> Result<BTreeMap<String, Option<(String, String)>>> {
    let decisions =
        book.transact(|work| Box::pin(async move { packages::column_decisions(work).await }));
    decisions.await
}
