//! Files and their rows: a file is written together with its row or not at all, is readable by
//! callers who may read the row, and is removed with it. Must not know HTTP.

use super::access::{Decision, Gate};
use super::columns::{column, columns};
use super::handling::Handling;
use super::{Book, Item, Outcome, SurveyResult, handling, is_dry_run};
use files::{Fault, Focus, Folder, ReceivedFile, StoredFile, name};
use model::error::{Error, Result};
use model::messages::Sentence;
use model::query::{Cmp, Filter};
use model::record::Value;
use model::registry::{BookReader, Collection, ID, Lookup, Principal, Upload, Verb};
use model::said;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

/// Keys that are looked up in one statement.
const KEYS: usize = 500;
/// The name under which the book stores the name of its part of the folder.
const SETTING: &str = "files";
/// The message for a file whose content is not what its type says.
const PROBLEM: &str = "There was a problem while uploading the file.";

/// A file that a caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The key of its content in the folder.
    pub key: String,
    /// The requested smaller picture.
    pub size: Option<&'static str>,
    /// Media type.
    pub mime: String,
}

/// Slots of what describes the content of a file.
pub(super) struct Slots {
    pub(super) filename: usize,
    pub(super) url: usize,
    pub(super) thumbnail: usize,
    pub(super) key: usize,
    pub(super) sizes: Vec<SizeSlots>,
}

/// The slots of a smaller picture.
pub(super) struct SizeSlots {
    name: &'static str,
    pub(super) filename: usize,
    pub(super) url: usize,
    pub(super) mime: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    bytes: usize,
}

impl Slots {
    pub(super) fn of(c: &Collection) -> Option<Self> {
        let upload = c.upload.as_ref()?;
        let size = |name: &'static str| {
            let at = |field: &str| c.at(&format!("sizes.{name}.{field}"));
            SizeSlots {
                name,
                filename: at("filename"),
                url: at("url"),
                mime: at("mimeType"),
                width: at("width"),
                height: at("height"),
                bytes: at("filesize"),
            }
        };
        Some(Self {
            filename: c.at("filename"),
            url: c.at("url"),
            thumbnail: c.at("thumbnailURL"),
            key: c.at("fileKey"),
            sizes: upload.sizes.iter().map(|s| size(s.name)).collect(),
        })
    }

    fn pictures(&self, stored_file: &StoredFile) -> Vec<(usize, Value)> {
        let whole = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        let made = stored_file.picture.iter().flat_map(|p| &p.sizes);
        let mut values = Vec::new();
        for size in &self.sizes {
            let made = made.clone().find(|made| made.size == size.name);
            values.extend([
                (size.width, Value::from(made.map(|m| i64::from(m.width)))),
                (size.height, Value::from(made.map(|m| i64::from(m.height)))),
                (size.mime, made.map_or(Value::Null, |m| m.mime.into())),
                (size.bytes, made.map_or(Value::Null, |m| whole(m.bytes))),
            ]);
        }
        values
    }
}

/// What a row says of a file that has its place.
fn described(c: &Collection, stored_file: &StoredFile) -> Vec<(usize, Value)> {
    let Some(slots) = Slots::of(c) else { return Vec::new() };
    let side = |pixels: Option<u32>| Value::from(pixels.map(i64::from));
    let picture = stored_file.picture.as_ref();
    let mut values = vec![
        (slots.key, stored_file.key.as_str().into()),
        (slots.filename, stored_file.name.as_str().into()),
        (c.at("mimeType"), stored_file.mime.as_str().into()),
        (c.at("filesize"), Value::Int(i64::try_from(stored_file.bytes).unwrap_or(i64::MAX))),
        (c.at("sha256"), stored_file.sha256.as_str().into()),
        (c.at("width"), side(picture.map(|p| p.width))),
        (c.at("height"), side(picture.map(|p| p.height))),
    ];
    values.extend(slots.pictures(stored_file));
    values
}

/// The focal point of smaller pictures, as sent or from the row.
fn focus(c: &Collection, body: &[(usize, Value)], stored: Focus) -> Focus {
    let sent = |path: &str| {
        let slot = c.at(path);
        let value = body.iter().find(|(at, _)| *at == slot);
        value.and_then(|(_, value)| value.num())
    };
    Focus { x: sent("focalX").unwrap_or(stored.x), y: sent("focalY").unwrap_or(stored.y) }
}

/// The refusal of a file, as an error of the book.
pub fn file_fault(fault: Fault) -> Error {
    match fault {
        Fault::NotTaken(mime) => {
            let message = said!("Invalid MIME type: {mime}.", mime = kind(mime));
            Error::invalid("file", "wrong-file-type", message)
        }
        Fault::TooLarge => Error::TooLarge,
        Fault::Broken => Error::Malformed(PROBLEM.into()),
        Fault::Full => Error::Full,
        Fault::Folder(why) => Error::internal(why),
    }
}

/// A kind of file that people try; most have no other name than that of programs.
fn kind(mime: String) -> Sentence {
    let russian = match mime.as_str() {
        "application/zip" => "ZIP-архив",
        "application/vnd.rar" => "RAR-архив",
        "application/x-7z-compressed" => "7z-архив",
        "text/html" => "веб-страница",
        "application/octet-stream" => "неизвестный",
        "application/x-executable" => "программа",
        own => own,
    };
    let russian = russian.to_owned();
    Sentence::written(mime, russian)
}

/// The collection whose rows the files sent with a body become.
pub fn files_of(book: &Book, c: &'static Collection) -> Option<(&'static Collection, Upload)> {
    let target = if let Some(relation) = c.file { book.registry.get(c.field(relation)?.target()?)? } else { c };
    Some((target, target.upload?))
}

/// Goes on handling a request in a task of its own.
async fn handled_by<F: Future>(handling: Option<Arc<Handling>>, job: F) -> F::Output {
    if let Some(handling) = handling { handling.around(job).await } else { job.await }
}

/// An outcome with the ignored parts.
fn noted(handling: Option<Arc<Handling>>, outcome: Outcome) -> Result<Outcome> {
    let outcomes = [outcome];
    if let Some(handling) = handling {
        handling.note_of(&outcomes);
    }
    let [outcome] = outcomes;
    Ok(outcome)
}

impl Book {
    /// With a folder for files: its part of `dir`, which several books may share. The name of the
    /// part is stored in the book, so that a copy of the book finds it.
    pub async fn with_files(mut self, dir: &Path) -> Result<Self> {
        let part = match self.files_part().await? {
            Some(part) => part,
            None => {
                let part = uuid::Uuid::new_v4().simple().to_string();
                let row = [SETTING.into(), part.into()];
                // Another process may have been faster.
                let sql = Sql::insert("book_settings (name, value)", [Ty::Text; 2], [row])
                    .and(" ON CONFLICT (name) DO NOTHING");
                self.store.run(vec![sql]).await?;
                let part = self.files_part().await?;
                part.ok_or_else(|| Error::internal("a setting that was just written cannot be read"))?
            }
        };
        self.files = Some(Folder::new(dir, &part));
        Ok(self)
    }

    /// With the number of bytes that must stay free where files are stored, and in another place,
    /// for an upload to be accepted.
    #[must_use]
    pub fn with_floor(mut self, floor: u64, beside: Option<PathBuf>) -> Self {
        self.files = (self.files.take()).map(|files| files.with_floor(floor, beside));
        self
    }

    async fn files_part(&self) -> Result<Option<String>> {
        let sql = Sql::new("SELECT value FROM book_settings WHERE name = ").with(Ty::Text, SETTING);
        let rows = self.store.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.text(0)).map(str::to_owned))
    }

    /// The folder in which files are stored.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the book was opened without.
    pub fn files(&self) -> Result<&Folder> {
        self.files.as_ref().ok_or_else(|| Error::Unavailable("there is no folder for files".to_owned()))
    }

    /// Refuses callers who could not write any row of a collection, before the body of a write is read.
    pub fn may_try(&self, caller: &Principal, c: &'static Collection, verb: Verb) -> Result<()> {
        let gate = Gate { registry: self.registry, principal: caller, now: self.clock.now(), sizes: None };
        if gate.may_try(c, verb) { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// Writes a row with a file that arrived: into the row itself where rows are files,
    /// else into a row of its own that this one names. All of it or nothing.
    ///
    /// # Errors
    /// What the row is refused for; [`Error::TooLarge`], [`Error::Malformed`], and
    /// [`Error::Invalid`] on `file`, for the file. Nothing is left of it then.
    pub async fn write_file(
        self: &Arc<Self>,
        caller: Arc<Principal>,
        c: &'static Collection,
        mut item: Item,
        received: ReceivedFile,
    ) -> Result<Outcome> {
        handling::handled(std::slice::from_mut(&mut item));
        let handling = handling::current();
        let Some((target, _)) = files_of(self, c) else {
            return Err(Error::internal(format!("{} takes no files", c.slug)));
        };
        let Some(upload) = &target.upload else {
            return Err(Error::internal(format!("{} keeps no files", target.slug)));
        };
        let mut around = Focus::default();
        if target.slug == c.slug {
            around = focus(c, &item.body, around);
        }
        let folder = self.files()?.clone();
        let stored_file = folder.keep(received, upload, around).await.map_err(file_fault)?;
        let book = Arc::clone(self);
        // In a separate task, since a caller who goes away must not separate the file from its row.
        let dry = is_dry_run();
        let job = async move {
            let key = stored_file.key.clone();
            let written = book.with_its_row(caller, c, target, item, stored_file, around).await;
            // When the fate of the row is unknown, the sweep finds out.
            let unsure = matches!(written, Err(Error::Internal(_) | Error::Unavailable(_)));
            if (written.is_err() && !unsure) || dry {
                folder.remove(vec![key]).await;
            }
            written
        };
        let written = tokio::spawn(handled_by(handling.clone(), job));
        let (outcome, surveyed) = written.await.map_err(Error::internal)??;
        handling::surveyed(surveyed);
        noted(handling, outcome)
    }

    async fn with_its_row(
        &self,
        caller: Arc<Principal>,
        c: &'static Collection,
        target: &'static Collection,
        mut item: Item,
        stored_file: StoredFile,
        around: Focus,
    ) -> Result<(Outcome, SurveyResult)> {
        let mut values = described(target, &stored_file);
        if stored_file.picture.is_some() {
            values.push((target.at("focalX"), Value::Num(around.x)));
            values.push((target.at("focalY"), Value::Num(around.y)));
        }
        self.transact(move |work| {
            Box::pin(async move {
                match c.file {
                    None => item.server.extend(values),
                    Some(relation) => {
                        let file = Item::create(Vec::new()).with_server(values);
                        if let Outcome::Done(change, _) = one(work.write(target, &caller, vec![file]).await?)? {
                            item.server.push((c.at(relation), Value::Int(change.id)));
                        }
                    }
                }
                let outcome = one(work.write(c, &caller, vec![item]).await?)?;
                work.set_caller(&caller);
                let surveyed = work.survey_outcomes(c, std::slice::from_ref(&outcome)).await?;
                Ok((outcome, surveyed))
            })
        })
        .await
    }

    /// Draws the smaller pictures anew before an update that moves the focal point; the
    /// key that the update is to begin from, and what it has to write besides.
    pub async fn refocus(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
        body: &[(usize, Value)],
    ) -> Result<Option<RedrawnPictures>> {
        let (x, y) = (c.at("focalX"), c.at("focalY"));
        let Some(upload) = &c.upload else { return Ok(None) };
        if !body.iter().any(|(slot, _)| *slot == x || *slot == y) {
            return Ok(None);
        }
        let columns = ["fileKey", "focalX", "focalY"];
        let rows = self.select_files(caller, c, &columns, Filter::eq(ID, id)).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let stored = Focus { x: row.num(1).unwrap_or(50.0), y: row.num(2).unwrap_or(50.0) };
        let around = focus(c, body, stored);
        let Some(key) = row.text(0).filter(|_| around != stored) else { return Ok(None) };
        // The write reports values that are out of range.
        let percent = 0.0..=100.0;
        if !percent.contains(&around.x) || !percent.contains(&around.y) {
            return Ok(None);
        }
        let stored_file = self.files()?.refocus(key, upload, around).await.map_err(file_fault)?;
        Ok(stored_file.map(|stored_file| RedrawnPictures { from: key.to_owned(), stored_file }))
    }

    /// Writes an update with pictures that were drawn anew.
    pub async fn write_refocused(
        self: &Arc<Self>,
        caller: Arc<Principal>,
        c: &'static Collection,
        mut item: Item,
        drawn: RedrawnPictures,
    ) -> Result<Outcome> {
        handling::handled(std::slice::from_mut(&mut item));
        let handling = handling::current();
        let book = Arc::clone(self);
        let folder = self.files()?.clone();
        let dry = is_dry_run();
        let job = async move {
            let key = drawn.stored_file.key.clone();
            let job = book.transact(move |work| {
                Box::pin(async move {
                    // Another write may have replaced the file meanwhile; its pictures are right.
                    let taken = match (Slots::of(c), item.id) {
                        (Some(slots), Some(id)) => {
                            let rows = work.find(c.slug, Lookup::by_ids("id", [id]).fields(&["fileKey"])).await?;
                            let now = rows.first().and_then(|row| row.get(slots.key).text());
                            let same = now == Some(drawn.from.as_str());
                            if same {
                                item.server.push((slots.key, drawn.stored_file.key.as_str().into()));
                                item.server.extend(slots.pictures(&drawn.stored_file));
                            }
                            same
                        }
                        _ => false,
                    };
                    let outcome = one(work.write(c, &caller, vec![item]).await?)?;
                    Ok((outcome, taken))
                })
            });
            let written = job.await;
            let unsure = matches!(written, Err(Error::Internal(_) | Error::Unavailable(_)));
            let taken = matches!(written, Ok((_, true)));
            if (!taken && !unsure) || dry {
                folder.remove(vec![key]).await;
            }
            written.map(|(outcome, _)| outcome)
        };
        let written = tokio::spawn(handled_by(handling.clone(), job));
        noted(handling, written.await.map_err(Error::internal)??)
    }

    /// The file of a name, or its smaller picture, that the caller may read. Where an address
    /// does not say which row is meant, rows of the caller come before those of others.
    ///
    /// # Errors
    /// [`Error::NotFound`] when no row has this file, [`Error::Forbidden`] when the caller may
    /// read none of its rows.
    pub async fn file(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        (filename, id): (&str, Option<i64>),
    ) -> Result<Readable> {
        let slots = Slots::of(c).ok_or(Error::NotFound)?;
        // No file has such a name, and databases differ in what they make of it.
        if filename.chars().any(char::is_control) {
            return Err(Error::NotFound);
        }
        let condition = |slot: usize| Filter::Cmp(slot, Cmp::Eq(filename.into()));
        let sizes = slots.sizes.iter().map(|size| condition(size.filename));
        let filter = Filter::or(std::iter::once(condition(slots.filename)).chain(sizes));
        let filter = Filter::and([filter].into_iter().chain(id.map(|id| Filter::eq(ID, id))));
        let mut columns = vec!["fileKey".to_owned(), "filename".into(), "mimeType".into()];
        for size in &slots.sizes {
            columns.push(format!("sizes.{}.filename", size.name));
            columns.push(format!("sizes.{}.mimeType", size.name));
        }
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let rows = self.select_files(caller, c, &columns, filter).await?;
        let row = rows.first().ok_or(Error::NotFound)?;
        let text = |at: usize| row.text(at).map(str::to_owned);
        let key = text(0).ok_or(Error::NotFound)?;
        let mut variant = (None, text(2));
        if row.text(1) != Some(filename) {
            for (place, size) in slots.sizes.iter().enumerate() {
                if row.text(3 + 2 * place) == Some(filename) {
                    variant = (Some(size.name), text(4 + 2 * place));
                }
            }
        }
        let (size, mime) = variant;
        Ok(Readable { key, size, mime: mime.ok_or(Error::NotFound)? })
    }

    /// Columns of the rows that the caller may read.
    async fn select_files(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        columns: &[&str],
        filter: Filter,
    ) -> Result<Vec<store::Row>> {
        let gate = Gate { registry: self.registry, principal: caller, now: self.clock.now(), sizes: None };
        let readable = match gate.read(c) {
            Decision::Deny => return Err(Error::forbidden()),
            Decision::Rows(filter) => filter,
        };
        let mut sql = Sql::new("SELECT a.");
        sql.each(", a.", columns, |sql, path| sql.name(column(c, path)));
        sql.push(" FROM ").name(&c.table).push(" a WHERE ");
        let mut scan = Scan::new(self.store.dialect());
        let filter = Filter::and([filter, readable]);
        condition(&mut scan, &mut sql, c, "a", &filter);
        sql.push(" ORDER BY CASE WHEN ");
        let own = gate.subject(c, &c.access.subjects);
        condition(&mut scan, &mut sql, c, "a", &own);
        sql.push(" THEN 0 ELSE 1 END, a.\"id\" LIMIT 1");
        self.store.rows(sql).await
    }

    /// Removes content that no row names and that is too old to be under way; answers how
    /// many files. Several processes may do so at once.
    pub async fn sweep_files(&self) -> Result<usize> {
        let Some(folder) = &self.files else { return Ok(0) };
        let mut removed = folder.clear_arriving().await.map_err(file_fault)?;
        for shelf in folder.shelves().await.map_err(file_fault)? {
            let old = folder.old(shelf).await.map_err(file_fault)?;
            for keys in old.chunks(KEYS) {
                let mut unused = keys.to_vec();
                for c in self.registry.iter().filter(|c| c.upload.is_some()) {
                    let used = self.stored_keys(c, keys).await?;
                    unused.retain(|key| !used.contains(key));
                }
                removed += unused.len();
                folder.remove(unused).await;
            }
        }
        Ok(removed)
    }

    async fn stored_keys(&self, c: &Collection, keys: &[String]) -> Result<Vec<String>> {
        let mut sql = columns(c, &["fileKey"]);
        sql.push(" WHERE ").name(column(c, "fileKey")).push(" IN ");
        sql.bind_list(Ty::Text, keys.iter().map(|key| Value::from(key.as_str())));
        let rows = self.store.rows(sql.one_off()).await?;
        Ok((rows.iter()).filter_map(|row| row.text(0).map(str::to_owned)).collect())
    }
}

/// Pictures that were drawn anew, and the key of the file that they were drawn of.
#[derive(Debug)]
pub struct RedrawnPictures {
    from: String,
    stored_file: StoredFile,
}

/// The only outcome; a refusal undoes the transaction.
fn one(outcomes: Vec<Outcome>) -> Result<Outcome> {
    match outcomes.into_iter().next() {
        Some(Outcome::Refused(error)) => Err(error),
        Some(outcome) => Ok(outcome),
        None => Err(Error::internal("the write has no result")),
    }
}

/// The part of the naming that needs no book: names that a file may get, in order.
pub(super) fn candidates(name: &str, from: usize, to: usize) -> Vec<String> {
    (from..to).map(|n| name::numbered(name, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::messages::Language;

    #[test]
    fn a_kind_of_file_has_a_name_for_people() {
        for (mime, russian) in [
            ("application/zip", "Недопустимый тип файла: ZIP-архив."),
            ("video/quicktime", "Недопустимый тип файла: video/quicktime."),
        ] {
            let said = said!("Invalid MIME type: {mime}.", mime = kind(mime.to_owned()));
            assert_eq!(said.in_language(Language::Russian).as_deref(), Some(russian));
            assert_eq!(said.english(), format!("Invalid MIME type: {mime}."));
        }
    }
}
