//! Reading packages beside requests, and checking them: rows enter the book in pieces (docs/packages.md, *Reading*).

use crate::Schemes;
use crate::files::file_fault::FileFault;
use crate::files::input_file::{InputFile, RowWriter};
use crate::files::read_ahead::{ReadAhead, ReadEvent, count_rows, start_reading};
use crate::files::sheet::FileRow;
use crate::meanings::known_columns::KnownColumns;
use crate::packages::mended_cells::restore_mended_cells;
use crate::packages::outcomes::store_outcomes;
use crate::packages::pending::{UnknownColumn, note_unknown_columns, note_unknown_values};
use crate::packages::piece::{RecordIds, read_record_ids};
use crate::packages::queue::{self, OpenPackage, ReadEnd, Step};
use crate::packages::replacement::take_back;
use crate::packages::subjects::Subjects;
use domain::collections::check_animals;
use domain::collections::packages::{Mapping, PACKAGE_JOB, PackageCheck, submitted};
use exchange::Exchange;
use model::error::{Error, Result};
use model::registry::{Caller, Principal};
use ops::Book;
use ops::jobs::{Job, Lease};
use sheets::Source;
use std::sync::Arc;
use std::time::Duration;

/// Rows up to which a package is one transaction.
const TOGETHER: usize = 2_000;
/// How long a process may say nothing before another one goes on with its package, milliseconds.
const LEASE: i64 = 30_000;
/// How often a process says that it still works on a package.
const BEAT: Duration = Duration::from_secs(10);

/// Reads packages of a book.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(crate) book: Arc<Book>,
    pub(crate) schemes: Arc<Schemes>,
    pub(crate) exchange: Exchange,
    replacing: Option<usize>,
}

impl Job for Reader {
    const KIND: &'static str = PACKAGE_JOB;

    fn lease(&self) -> i64 {
        LEASE
    }

    async fn run(&self, _book: &Book, lease: Lease) -> Result<()> {
        // Whoever is killed while it reads leaves it to others soon, however long a step takes.
        tokio::select! {
            done = self.step(&lease) => done,
            lost = self.beat(&lease) => lost,
        }
    }
}

impl Reader {
    pub fn new(book: Arc<Book>, schemes: Arc<Schemes>, exchange: Exchange) -> Self {
        Self { book, schemes, exchange, replacing: None }
    }

    /// With the rows up to which packages that replace others are one transaction; any number unless this is said.
    pub fn replacing_together(mut self, rows: usize) -> Self {
        self.replacing = Some(rows);
        self
    }

    /// Reads a package, or checks it.
    async fn step(&self, lease: &Lease) -> Result<()> {
        let (id, of) = (lease.id(), lease.clone());
        let step = self.book.transact(move |work| {
            Box::pin(async move {
                let step = queue::begin(work, id).await?;
                if matches!(step, Step::None) {
                    of.finish(work.tx()).await?;
                }
                Ok(step)
            })
        });
        match step.await? {
            // What fails again and again must not keep others waiting.
            Step::Read(_) if lease.is_hopeless() => {
                tracing::error!(package = id, "a package could not be read");
                let message = "The file could not be read because of a fault of this server, which is in its log: tell whoever runs it.";
                self.fail(lease, FileFault::new("internal", message)).await
            }
            Step::Read(package) => self.read(package, lease).await,
            Step::Check => self.check(lease).await,
            Step::None => Ok(()),
        }
    }

    /// Renews a lease, until it is lost.
    async fn beat(&self, lease: &Lease) -> Result<()> {
        loop {
            tokio::time::sleep(BEAT).await;
            let lease = lease.clone();
            let renewed = (self.book.store).write(move |tx| Box::pin(async move { lease.renew(tx).await }));
            if !renewed.await? {
                return Ok(());
            }
        }
    }

    /// The file is not read, or breaks off: nothing of it stays that was not written before.
    async fn fail(&self, lease: &Lease, why: FileFault) -> Result<()> {
        let lease = lease.clone();
        let failed = self.book.transact(move |work| {
            Box::pin(async move {
                let is_leased = queue::holds(work, &lease).await?;
                let Some(package) = queue::package(work, lease.id()).await?.filter(|_| is_leased) else {
                    return Ok(());
                };
                let none = Subjects::default();
                let end = ReadEnd::Failed(why.code, why.message);
                queue::end(work, &lease, &package, end, &none).await
            })
        });
        failed.await
    }

    async fn read(&self, package: Arc<OpenPackage>, lease: &Lease) -> Result<()> {
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
            return self.fail(lease, why).await;
        }
        let source = match &package.file {
            Some(key) => self.book.files()?.place_of(key).map(Source::Path),
            None => None,
        };
        let Some(source) = source else {
            return self.fail(lease, refused("no-file", "The package has no file.")).await;
        };
        let known_columns = self.known_columns(&package).await?;
        let registry = self.book.registry;
        let (of, exchange) = (Arc::clone(&package), self.exchange.clone());
        let now = self.book.clock.now();
        let opening = tokio::task::spawn_blocking(move || {
            let mut file = InputFile::open(registry, &exchange, source, known_columns, of.dataset.as_deref())?;
            // Of a package that goes on, the first rows were read as was decided then.
            file.decide_notations(of.sheets.as_ref().filter(|_| of.done > 0), now);
            Ok::<_, FileFault>(file)
        });
        let file = match opening.await.map_err(Error::internal)? {
            Ok(file) => Arc::new(file),
            Err(why) => return self.fail(lease, why).await,
        };
        let intake = Arc::new(RowWriter::new(
            (&self.exchange, &self.schemes),
            registry,
            caller,
            package.organization,
            Some(package.id),
            &file,
        ));
        self.rows(package, lease, file, intake).await
    }

    /// Runs the checks over the animals of a package that was read, and over the package as a whole.
    async fn check(&self, lease: &Lease) -> Result<()> {
        let (id, lease) = (lease.id(), lease.clone());
        for animals in self.subjects(id).await?.parts() {
            self.book.transact(move |work| Box::pin(async move { check_animals(work, &animals).await })).await?;
        }
        let mut whole = PackageCheck::of(id);
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
                if !lease.renew(work.tx()).await? {
                    return Ok(());
                }
                whole.store(work).await?;
                queue::end_check(work, &lease).await
            })
        });
        stored.await
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
        lease: &Lease,
        file: Arc<InputFile>,
        intake: Arc<RowWriter>,
    ) -> Result<()> {
        let mut record_ids = self.earlier_record_ids(&package).await?;
        if let Some(most) = self.at_once(&package).await? {
            match count_rows(Arc::clone(&file)).await? {
                Err(why) => return self.fail(lease, why).await,
                Ok(rows) if rows <= most => {
                    let rest = ReadAhead::of(Vec::new(), start_reading(Arc::clone(&file), 0));
                    return self.whole(package, lease, file, intake, rest, record_ids).await;
                }
                Ok(_) => {}
            }
        }
        let mut rest = ReadAhead::of(Vec::new(), start_reading(Arc::clone(&file), package.done));
        // Of a package that goes on, only the rest would be small.
        let together = if package.done > 0 || package.replaces.is_some() { 0 } else { TOGETHER };
        let (mut first, mut rows) = (Vec::new(), 0);
        while rows <= together {
            match rest.next().await? {
                ReadEvent::Rows(piece) => {
                    rows += piece.len();
                    first.push(ReadEvent::Rows(piece));
                }
                ReadEvent::Broken(why) => return self.fail(lease, why).await,
                end @ ReadEvent::End(_) => {
                    first.push(end);
                    let all = ReadAhead::of(first, rest.reading);
                    return self.whole(package, lease, file, intake, all, record_ids).await;
                }
            }
        }
        rest.first.extend(first);
        loop {
            record_ids = match rest.next().await? {
                ReadEvent::Rows(piece) => {
                    match self.piece((&package, lease), &file, &intake, piece, record_ids).await? {
                        Some(record_ids) => record_ids,
                        None => return Ok(()),
                    }
                }
                ReadEvent::Broken(why) => return self.fail(lease, why).await,
                ReadEvent::End(unknown) => {
                    return self.end(package, lease, &intake, unknown, &record_ids).await;
                }
            };
        }
    }

    /// A piece in a transaction of its own; none when another worker has the package.
    async fn piece(
        &self,
        (package, lease): (&Arc<OpenPackage>, &Lease),
        file: &Arc<InputFile>,
        intake: &Arc<RowWriter>,
        mut piece: Vec<FileRow>,
        mut record_ids: RecordIds,
    ) -> Result<Option<RecordIds>> {
        let (package, file, intake) = (Arc::clone(package), Arc::clone(file), Arc::clone(intake));
        let mut lease = lease.clone();
        let written = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, &lease).await? {
                    return Ok(None);
                }
                lease.advance(work.tx()).await?;
                if piece.first().is_some_and(|row| row.position == 1) {
                    queue::store_summary(work, &package, file.summary()).await?;
                }
                if package.reread {
                    restore_mended_cells(work, package.id, &mut piece).await?;
                }
                let rows = intake.write(work, &piece, &mut record_ids).await?;
                store_outcomes(work, &package, rows, &[]).await?;
                Ok(Some(record_ids))
            })
        });
        written.await
    }

    /// A package in one transaction: its rows, unknown columns, what the former package brought and this one does not
    /// have.
    async fn whole(
        &self,
        package: Arc<OpenPackage>,
        lease: &Lease,
        file: Arc<InputFile>,
        intake: Arc<RowWriter>,
        mut rest: ReadAhead,
        mut record_ids: RecordIds,
    ) -> Result<()> {
        let (lease, registry) = (lease.clone(), self.book.registry);
        let written = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, &lease).await? {
                    return Ok(());
                }
                if package.done == 0 {
                    queue::store_summary(work, &package, file.summary()).await?;
                }
                let unknown = loop {
                    match rest.next().await? {
                        ReadEvent::Rows(mut piece) => {
                            if package.reread {
                                restore_mended_cells(work, package.id, &mut piece).await?;
                            }
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
                queue::end(work, &lease, &package, ReadEnd::Whole, &subjects).await?;
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
        lease: &Lease,
        intake: &Arc<RowWriter>,
        unknown: Vec<UnknownColumn>,
        record_ids: &RecordIds,
    ) -> Result<()> {
        let subjects = self.subjects(package.id).await?;
        let goes_on =
            self.submitted(lease, &subjects).await? && self.take_back((&package, lease), intake, record_ids).await?;
        if !goes_on {
            return Ok(());
        }
        let lease = lease.clone();
        let ended = self.book.transact(move |work| {
            Box::pin(async move {
                if !queue::holds(work, &lease).await? {
                    return Ok(());
                }
                note_unknown_columns(work, &package, unknown).await?;
                note_unknown_values(work, &package, &subjects.unknown).await?;
                queue::end(work, &lease, &package, ReadEnd::Whole, &subjects).await
            })
        });
        ended.await
    }

    /// Rows that a package may have to be one transaction with what it replaces; none if that is too large, and for a
    /// package that goes on, since it was.
    async fn at_once(&self, package: &OpenPackage) -> Result<Option<usize>> {
        let Some(former) = package.replaces.filter(|_| package.done == 0) else { return Ok(None) };
        let most = self.replacing.unwrap_or(usize::MAX);
        let former = self.book.transact(move |work| Box::pin(async move { queue::package(work, former).await }));
        let rows = former.await?.map_or(0, |former| former.rows);
        Ok(usize::try_from(rows).is_ok_and(|rows| rows <= most).then_some(most))
    }

    /// Takes back what the former package brought, in parts between which others write; false when another worker has
    /// the package.
    async fn take_back(
        &self,
        (package, lease): (&Arc<OpenPackage>, &Lease),
        intake: &Arc<RowWriter>,
        record_ids: &RecordIds,
    ) -> Result<bool> {
        let mut after = Some(0);
        while let Some(from) = after {
            let (package, intake, record_ids) = (Arc::clone(package), Arc::clone(intake), record_ids.clone());
            let lease = lease.clone();
            let step = self.book.transact(move |work| {
                Box::pin(async move {
                    if !queue::holds(work, &lease).await? {
                        return Ok((false, None));
                    }
                    let last = take_back(work, &package, intake.caller(), &record_ids, from).await?;
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
    async fn submitted(&self, lease: &Lease, subjects: &Subjects) -> Result<bool> {
        for animals in subjects.parts() {
            let lease = lease.clone();
            let submitted = self.book.transact(move |work| {
                Box::pin(async move {
                    if !queue::holds(work, &lease).await? {
                        return Ok(false);
                    }
                    submitted(work, lease.id(), &animals).await?;
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
        let record_ids =
            self.book.transact(move |work| Box::pin(async move { read_record_ids(work, registry, id, done).await }));
        record_ids.await
    }
}

/// What is known of columns and values: what the sender states, and what the Association decided.
pub(crate) async fn known_columns(book: &Book, mapping: Mapping) -> Result<KnownColumns> {
    book.transact(move |work| Box::pin(async move { KnownColumns::load(work, mapping).await })).await
}
