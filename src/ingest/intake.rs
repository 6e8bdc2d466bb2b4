//! Reading packages beside requests: a worker takes up the oldest one, rows enter the book in pieces, and rows that
//! wait for other records are tried again (docs/packages.md, *Reading*).

use crate::Schemes;
use crate::file_fault::FileFault;
use crate::input_file::{InputFile, RowWriter};
use crate::known_columns::KnownColumns;
use crate::mended::put_back;
use crate::outcomes::store_outcomes;
use crate::pending::{UnknownColumn, note_unknown_columns, note_unknown_values};
use crate::piece::{RecordIds, read_record_ids};
use crate::queue::{self, OpenPackage, ReadEnd};
use crate::read_ahead::{ReadAhead, ReadEvent, count_rows, start_reading};
use crate::replacement::take_back;
use crate::sheet::FileRow;
use crate::subjects::Subjects;
use domain::collections::check_animals;
use domain::collections::packages::{Mapping, PackageCheck, submitted};
use exchange::Exchange;
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::registry::{Caller, Feature, Principal};
use ops::Book;
use serde_json::Value as Json;
use sheets::Source;
use std::sync::Arc;
use std::time::Duration;

/// Rows up to which a package is one transaction.
const TOGETHER: usize = 2_000;
/// How often a worker says that it still reads a package.
const BEAT: Duration = Duration::from_secs(10);
/// Attempts without progress, after which a package fails.
const ATTEMPTS: i64 = 5;

/// Reads packages of a book.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(crate) book: Arc<Book>,
    pub(crate) schemes: Arc<Schemes>,
    pub(crate) exchange: Exchange,
    worker: String,
    replacing: Option<usize>,
}

impl Reader {
    /// For a book; `worker` is a name that no other reader has.
    pub fn new(book: Arc<Book>, schemes: Arc<Schemes>, exchange: Exchange, worker: String) -> Self {
        Self {
            book,
            schemes,
            exchange,
            worker,
            replacing: None,
        }
    }

    /// With the rows up to which packages that replace others are one transaction; any number unless this is said.
    pub fn replacing_together(mut self, rows: usize) -> Self {
        self.replacing = Some(rows);
        self
    }

    /// Reads the oldest package that waits, or checks the oldest one that is read; whether there was one.
    ///
    /// # Errors
    /// The errors of the database. The package is taken up again later.
    pub async fn read_next(&self) -> Result<bool> {
        // Most looks find nothing, and must not wait for the writer.
        let [unread, unchecked] = queue::due_filters();
        if !self.any(unread).await? || !self.read_oldest().await? {
            return match self.any(unchecked).await? {
                true => self.check_oldest().await,
                false => Ok(false),
            };
        }
        Ok(true)
    }

    async fn read_oldest(&self) -> Result<bool> {
        let worker = self.worker.clone();
        let due = self
            .book
            .transact(move |work| Box::pin(async move { queue::take_up(work, &worker).await }));
        let Some(package) = due.await? else {
            return Ok(false);
        };
        let (id, last) = (package.id, package.attempts + 1 >= ATTEMPTS);
        // Whoever is killed while it reads leaves it to others soon, however long a step takes.
        let read = tokio::select! {
            read = self.read(Arc::new(package)) => read,
            lost = self.beat(id) => lost,
        };
        match read {
            // What fails again and again must not keep others waiting.
            Err(error) if last => {
                tracing::error!(package = id, %error, "a package could not be read");
                let message = "The file could not be read because of a fault of this server, which is in its log: tell whoever runs it.";
                self.fail(id, FileFault::new("internal", message)).await?;
            }
            other => other?,
        }
        Ok(true)
    }

    /// Renews the lease of a package, until that fails.
    async fn beat(&self, id: i64) -> Result<()> {
        loop {
            tokio::time::sleep(BEAT).await;
            let worker = self.worker.clone();
            let renewed = self.book.transact(move |work| {
                Box::pin(async move { queue::holds(work, id, &worker).await })
            });
            if !renewed.await? {
                return Ok(());
            }
        }
    }

    async fn any(&self, which: Json) -> Result<bool> {
        let Some(c) = self.book.registry.with_feature(Feature::Packages) else {
            return Ok(false);
        };
        let filter = Tree::from(which);
        let system = Arc::new(Principal::system());
        let ids = self
            .book
            .ids(&system, c, Some(&filter), &[], Some(1))
            .await?;
        Ok(!ids.is_empty())
    }

    async fn fail(&self, id: i64, why: FileFault) -> Result<()> {
        let failed = self.book.transact(move |work| {
            Box::pin(async move {
                let Some(package) = queue::package(work, id).await? else {
                    return Ok(());
                };
                let none = Subjects::default();
                let end = ReadEnd::Failed(why.code, why.message);
                queue::end(work, &package, end, &none).await
            })
        });
        failed.await
    }

    async fn read(&self, package: Arc<OpenPackage>) -> Result<()> {
        let refused = |code: &str, message: &'static str| FileFault::new(code, message);
        let caller = match package.user {
            Some(user) => Arc::new(self.book.account(user).await?),
            None => Arc::new(Principal::anonymous()),
        };
        if caller.caller == Caller::Anonymous {
            let why = refused(
                "no-sender",
                "The user who sent the package is gone or blocked: send the file as another user.",
            );
            return self.fail(package.id, why).await;
        }
        let source = match &package.file {
            Some(key) => self.book.files()?.place_of(key).map(Source::Path),
            None => None,
        };
        let Some(source) = source else {
            return self
                .fail(package.id, refused("no-file", "The package has no file."))
                .await;
        };
        let known_columns = self.known_columns(&package).await?;
        let registry = self.book.registry;
        let (of, exchange) = (Arc::clone(&package), self.exchange.clone());
        let now = self.book.clock.now();
        let opening = tokio::task::spawn_blocking(move || {
            let dataset = of.dataset.as_deref();
            let mut file = InputFile::open(registry, &exchange, source, known_columns, dataset)?;
            // Of a package that goes on, the first rows were read as was decided then.
            let stored = of.sheets.as_ref().filter(|_| of.done > 0);
            file.decide_notations(stored, now);
            Ok::<_, FileFault>(file)
        });
        let file = match opening.await.map_err(Error::internal)? {
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
        self.rows(package, file, intake).await
    }

    /// Runs the checks over the animals of a package that was read, and over the package as a whole.
    async fn check_oldest(&self) -> Result<bool> {
        let due = self
            .book
            .transact(|work| Box::pin(async move { queue::take_check(work).await }));
        let Some(check) = due.await? else {
            return Ok(false);
        };
        for animals in self.subjects(check.id).await?.parts() {
            let checked = self
                .book
                .transact(move |work| Box::pin(async move { check_animals(work, &animals).await }));
            checked.await?;
        }
        let mut whole = PackageCheck::of(check.id);
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
        let stored = self.book.transact(move |work| {
            Box::pin(async move {
                whole.store(work).await?;
                queue::end_check(work, check).await
            })
        });
        stored.await?;
        Ok(true)
    }

    /// What the rows of a package are about, read in steps between which others write.
    async fn subjects(&self, id: i64) -> Result<Subjects> {
        let registry = self.book.registry;
        let mut subjects = Subjects::default();
        loop {
            let step = self.book.transact(move |work| {
                Box::pin(async move {
                    let further = subjects.step(work, registry, id).await?;
                    Ok((subjects, further))
                })
            });
            let (stepped, further) = step.await?;
            subjects = stepped;
            if !further {
                return Ok(subjects);
            }
        }
    }

    pub(crate) async fn known_columns(&self, package: &OpenPackage) -> Result<KnownColumns> {
        let mapping = Mapping::read(self.book.registry, package.mapping.as_ref());
        let known_columns = known_columns(&self.book, mapping.unwrap_or_default()).await?;
        Ok(known_columns.with_dialects(&self.exchange))
    }

    async fn rows(
        &self,
        package: Arc<OpenPackage>,
        file: Arc<InputFile>,
        intake: Arc<RowWriter>,
    ) -> Result<()> {
        let mut record_ids = self.earlier_record_ids(&package).await?;
        if let Some(most) = self.at_once(&package).await? {
            match count_rows(Arc::clone(&file)).await? {
                Err(why) => return self.broken(package, why).await,
                Ok(rows) if rows <= most => {
                    let rest = ReadAhead::of(Vec::new(), start_reading(Arc::clone(&file), 0));
                    return self.whole(package, file, intake, rest, record_ids).await;
                }
                Ok(_) => {}
            }
        }
        let mut rest = ReadAhead::of(Vec::new(), start_reading(Arc::clone(&file), package.done));
        // Of a package that goes on, only the rest would be small.
        let together = match package.done > 0 || package.replaces.is_some() {
            true => 0,
            false => TOGETHER,
        };
        let (mut first, mut rows) = (Vec::new(), 0);
        while rows <= together {
            match rest.next().await? {
                ReadEvent::Rows(piece) => {
                    rows += piece.len();
                    first.push(ReadEvent::Rows(piece));
                }
                ReadEvent::Broken(why) => return self.broken(package, why).await,
                end @ ReadEvent::End(_) => {
                    first.push(end);
                    let all = ReadAhead::of(first, rest.reading);
                    return self.whole(package, file, intake, all, record_ids).await;
                }
            }
        }
        rest.first.extend(first);
        loop {
            record_ids = match rest.next().await? {
                ReadEvent::Rows(piece) => {
                    match self
                        .piece(&package, &file, &intake, piece, record_ids)
                        .await?
                    {
                        Some(record_ids) => record_ids,
                        None => return Ok(()),
                    }
                }
                ReadEvent::Broken(why) => return self.broken(package, why).await,
                ReadEvent::End(unknown) => {
                    return self.end(package, &intake, unknown, &record_ids).await;
                }
            };
        }
    }

    /// A piece in a transaction of its own; none when another worker has the package.
    async fn piece(
        &self,
        package: &Arc<OpenPackage>,
        file: &Arc<InputFile>,
        intake: &Arc<RowWriter>,
        mut piece: Vec<FileRow>,
        mut record_ids: RecordIds,
    ) -> Result<Option<RecordIds>> {
        let (package, file, intake) = (Arc::clone(package), Arc::clone(file), Arc::clone(intake));
        let worker = self.worker.clone();
        let written = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, package.id, &worker).await? {
                    return Ok(None);
                }
                if piece.first().is_some_and(|row| row.position == 1) {
                    queue::store_summary(work, &package, file.summary()).await?;
                }
                put_back(work, &package, &mut piece).await?;
                let rows = intake.write(work, &piece, &mut record_ids).await?;
                store_outcomes(work, &package, rows, &[]).await?;
                Ok(Some(record_ids))
            })
        });
        written.await
    }

    /// The file breaks off: nothing of it stays that was not written before.
    async fn broken(&self, package: Arc<OpenPackage>, why: FileFault) -> Result<()> {
        let worker = self.worker.clone();
        let failed = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, package.id, &worker).await? {
                    return Ok(());
                }
                let end = ReadEnd::Failed(why.code, why.message);
                queue::end(work, &package, end, &Subjects::default()).await
            })
        });
        failed.await
    }

    /// A package in one transaction: its rows, unknown columns, what the former package brought and this one does not
    /// have.
    async fn whole(
        &self,
        package: Arc<OpenPackage>,
        file: Arc<InputFile>,
        intake: Arc<RowWriter>,
        mut rest: ReadAhead,
        mut record_ids: RecordIds,
    ) -> Result<()> {
        let (worker, registry) = (self.worker.clone(), self.book.registry);
        let written = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, package.id, &worker).await? {
                    return Ok(());
                }
                if package.done == 0 {
                    queue::store_summary(work, &package, file.summary()).await?;
                }
                let unknown = loop {
                    match rest.next().await? {
                        ReadEvent::Rows(mut piece) => {
                            put_back(work, &package, &mut piece).await?;
                            let rows = intake.write(work, &piece, &mut record_ids).await?;
                            store_outcomes(work, &package, rows, &[]).await?;
                            work.project_so_far().await?;
                        }
                        ReadEvent::End(unknown) => break unknown,
                        // It was whole a moment ago.
                        ReadEvent::Broken(why) => return Err(Error::internal(why.message)),
                    }
                };
                note_unknown_columns(work, &package, unknown).await?;
                let mut after = Some(0);
                while let Some(from) = after {
                    after = take_back(work, &package, intake.caller(), &record_ids, from).await?;
                    work.project_so_far().await?;
                }
                let mut subjects = Subjects::default();
                while subjects.step(work, registry, package.id).await? {}
                note_unknown_values(work, &package, &subjects.unknown).await?;
                queue::end(work, &package, ReadEnd::Whole, &subjects).await?;
                for animals in subjects.parts() {
                    submitted(work, package.id, &animals).await?;
                }
                Ok(())
            })
        });
        written.await
    }

    /// The end of a package that was written in pieces.
    async fn end(
        &self,
        package: Arc<OpenPackage>,
        intake: &Arc<RowWriter>,
        unknown: Vec<UnknownColumn>,
        record_ids: &RecordIds,
    ) -> Result<()> {
        let subjects = self.subjects(package.id).await?;
        let goes_on = self.submitted(package.id, &subjects).await?
            && self.take_back(&package, intake, record_ids).await?;
        if !goes_on {
            return Ok(());
        }
        let worker = self.worker.clone();
        let ended = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, package.id, &worker).await? {
                    return Ok(());
                }
                note_unknown_columns(work, &package, unknown).await?;
                note_unknown_values(work, &package, &subjects.unknown).await?;
                queue::end(work, &package, ReadEnd::Whole, &subjects).await
            })
        });
        ended.await
    }

    /// Rows that a package may have to be one transaction with what it replaces; none if that is too large, and for a
    /// package that goes on, since it was.
    async fn at_once(&self, package: &OpenPackage) -> Result<Option<usize>> {
        let Some(former) = package.replaces.filter(|_| package.done == 0) else {
            return Ok(None);
        };
        let most = self.replacing.unwrap_or(usize::MAX);
        let former = self
            .book
            .transact(move |work| Box::pin(async move { queue::package(work, former).await }));
        let rows = former.await?.map_or(0, |former| former.rows);
        let fits = usize::try_from(rows).is_ok_and(|rows| rows <= most);
        Ok(fits.then_some(most))
    }

    /// Takes back what the former package brought, in parts between which others write; false when another worker has
    /// the package.
    async fn take_back(
        &self,
        package: &Arc<OpenPackage>,
        intake: &Arc<RowWriter>,
        record_ids: &RecordIds,
    ) -> Result<bool> {
        let mut after = Some(0);
        while let Some(from) = after {
            let (package, intake, record_ids) =
                (Arc::clone(package), Arc::clone(intake), record_ids.clone());
            let worker = self.worker.clone();
            let step = self.book.transact(move |work| {
                Box::pin(async move {
                    if !queue::holds(work, package.id, &worker).await? {
                        return Ok((false, None));
                    }
                    let last =
                        take_back(work, &package, intake.caller(), &record_ids, from).await?;
                    Ok((true, last))
                })
            });
            let (holds, last) = step.await?;
            if !holds {
                return Ok(false);
            }
            after = last;
        }
        Ok(true)
    }

    /// The animals of a large package were submitted, in parts between which others write; false when another worker
    /// has the package.
    async fn submitted(&self, id: i64, subjects: &Subjects) -> Result<bool> {
        for animals in subjects.parts() {
            let worker = self.worker.clone();
            let submitted = self.book.transact(move |work| {
                Box::pin(async move {
                    if !queue::holds(work, id, &worker).await? {
                        return Ok(false);
                    }
                    submitted(work, id, &animals).await?;
                    Ok(true)
                })
            });
            if !submitted.await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Records that the rows of a reading that was broken off were.
    async fn earlier_record_ids(&self, package: &Arc<OpenPackage>) -> Result<RecordIds> {
        let (id, done) = (package.id, package.done);
        if done == 0 {
            return Ok(RecordIds::new());
        }
        let registry = self.book.registry;
        let record_ids = self.book.transact(move |work| {
            Box::pin(async move { read_record_ids(work, registry, id, done).await })
        });
        record_ids.await
    }
}

/// What is known of columns and values: what the sender states, and what the Association decided.
pub(crate) async fn known_columns(book: &Book, mapping: Mapping) -> Result<KnownColumns> {
    book.transact(move |work| Box::pin(async move { KnownColumns::load(work, mapping).await }))
        .await
}
