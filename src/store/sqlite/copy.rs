//! Backups of a SQLite book: one file, copied while the book is served, and put back.

use crate::versions::incarnation;
use crate::{failed, refused};
use model::error::{Error, Result};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// How often the progress of a copy is reported.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// How long a copy waits for a writer.
const WAIT: Duration = Duration::from_secs(20);

/// A backup, or a book that was made of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupInfo {
    /// Bytes of the file.
    pub bytes: u64,
    /// The last place in commit order in the copy.
    pub seq: i64,
    pub incarnation: String,
}

/// Copies the book at a URL to a file that does not exist yet, and verifies the copy. `report` is
/// called with the number of bytes written, and the approximate number of all bytes.
///
/// # Errors
/// [`Error::Unavailable`] when the book cannot be read or the copy is not sound,
/// [`Error::Invalid`] when the file is there.
pub async fn back_up(url: &str, to: &Path, mut report: impl FnMut(u64, u64) + Send) -> Result<BackupInfo> {
    let options = of_url(url)?;
    there(options.get_filename())?;
    if to.exists() {
        return Err(taken(to));
    }
    housed(to)?;
    let partial = partial_file(to);
    let copied = async {
        let mut conn = options.busy_timeout(WAIT).connect().await.map_err(refused)?;
        let bytes = number(&mut conn, "PRAGMA page_count").await? * number(&mut conn, "PRAGMA page_size").await?;
        let bytes = u64::try_from(bytes).unwrap_or_default();
        // Not the backup API: that begins anew whenever another process writes, and so may never
        // end while the book is served. This reads one state of the book in one transaction, which
        // blocks no writer, and leaves out free pages.
        let into = sqlx::query("VACUUM INTO ?").bind(path_text(&partial)?);
        let mut copying = std::pin::pin!(into.execute(&mut conn));
        loop {
            match tokio::time::timeout(REPORT_INTERVAL, &mut copying).await {
                Ok(done) => break done.map(|_| ()).map_err(failed)?,
                Err(_) => {
                    report(tokio::fs::metadata(&partial).await.map_or(0, |m| m.len()), bytes);
                }
            }
        }
        let copied = sound(&partial).await?;
        sync(&partial).await?;
        // Unlike a rename, a second name never takes the place of a file.
        match tokio::fs::hard_link(&partial, to).await {
            Ok(()) => {}
            Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => return Err(taken(to)),
            Err(why) => return Err(unreadable(to, &why)),
        }
        Ok(copied)
    };
    let copied = copied.await;
    let _ = tokio::fs::remove_file(&partial).await;
    let copied = copied?;
    sync_folder(to).await?;
    Ok(copied)
}

/// Replaces the book at a URL by a backup, with a new incarnation. An existing book is replaced
/// only with `force`, and never while a process has it open.
///
/// # Errors
/// [`Error::Unavailable`] when the backup is not sound or the book is open,
/// [`Error::Invalid`] when the book is there.
pub async fn restore(url: &str, from: &Path, force: bool) -> Result<BackupInfo> {
    let options = of_url(url)?;
    let target = options.get_filename().to_path_buf();
    there(from)?;
    let log = with_end(from, "-wal");
    if log.metadata().is_ok_and(|m| m.len() > 0) {
        return Err(Error::Unavailable(format!("{}: this is a book with a log, not a backup", from.display())));
    }
    sound(from).await?;
    let lock = if target.exists() {
        if !force {
            let message = format!("{} is there already; --force puts the backup in its place", target.display());
            return Err(Error::invalid("FILE", "is-there", message));
        }
        alone(&options).await?
    } else {
        None
    };
    housed(&target)?;
    let partial = partial_file(&target);
    let restored = async {
        tokio::fs::copy(from, &partial).await.map_err(|why| unreadable(from, &why))?;
        let mut conn = SqliteConnectOptions::new().filename(&partial).connect().await.map_err(refused)?;
        let another = format!(
            "INSERT INTO exchange_state (name, value) VALUES ('{}', '{}') \
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            incarnation::INCARNATION,
            incarnation::random()
        );
        let another = sqlx::query(AssertSqlSafe(another));
        another.execute(&mut conn).await.map_err(failed)?;
        conn.close().await.map_err(failed)?;
        let restored = sound(&partial).await?;
        sync(&partial).await?;
        // What a log of the book before says is not about this one.
        for end in ["-wal", "-shm"] {
            let _ = tokio::fs::remove_file(with_end(&target, end)).await;
        }
        tokio::fs::rename(&partial, &target).await.map_err(|why| unreadable(&target, &why))?;
        Ok(restored)
    };
    let restored = restored.await;
    let _ = tokio::fs::remove_file(&partial).await;
    drop(lock);
    let restored = restored?;
    sync_folder(&target).await?;
    Ok(restored)
}

/// Opens a book exclusively; fails while another process has it open. None if there is no book in the file.
async fn alone(options: &SqliteConnectOptions) -> Result<Option<SqliteConnection>> {
    let options = options.clone().busy_timeout(Duration::ZERO);
    let Ok(mut conn) = options.connect().await else { return Ok(None) };
    let mode = sqlx::query("PRAGMA journal_mode = DELETE");
    let mode = mode.fetch_one(&mut conn).await;
    let open = || {
        let why = "Another process has the book open: stop the server first.";
        Error::Unavailable(why.to_owned())
    };
    match mode {
        Ok(row) if row.try_get::<String, _>(0).ok().as_deref() == Some("delete") => {}
        Ok(_) => return Err(open()),
        Err(sqlx::Error::Database(fault)) if fault.message().contains("locked") => {
            return Err(open());
        }
        Err(_) => return Ok(None),
    }
    sqlx::query("BEGIN EXCLUSIVE").execute(&mut conn).await.map_err(|_| open())?;
    Ok(Some(conn))
}

/// What a file holds, when it is a whole book.
async fn sound(file: &Path) -> Result<BackupInfo> {
    let unsound = |why: String| Error::Unavailable(format!("{}: {why}", file.display()));
    // No other process has it, so that no files need be created beside it.
    let options = SqliteConnectOptions::new().filename(file);
    let options = options.read_only(true).immutable(true);
    let mut conn = (options.connect().await).map_err(|why| unsound(why.to_string()))?;
    let checked = sqlx::query("PRAGMA integrity_check(1)");
    let checked = checked.fetch_one(&mut conn).await.and_then(|row| row.try_get::<String, _>(0));
    match checked.map_err(|why| unsound(why.to_string()))?.as_str() {
        "ok" => {}
        fault => return Err(unsound(fault.to_owned())),
    }
    let no_book = |_| unsound("this is no herd book".to_owned());
    let seq = number(&mut conn, "SELECT seq FROM book_sequence WHERE id = 1").await.map_err(no_book)?;
    let life = "SELECT coalesce((SELECT value FROM exchange_state WHERE name = 'incarnation'), '')";
    let life = sqlx::query(life).fetch_one(&mut conn).await.and_then(|row| row.try_get::<String, _>(0));
    let incarnation = life.map_err(|why| unsound(why.to_string()))?;
    conn.close().await.map_err(failed)?;
    Ok(BackupInfo { bytes: file.metadata().map_err(|why| unreadable(file, &why))?.len(), seq, incarnation })
}

async fn number(conn: &mut SqliteConnection, sql: &'static str) -> Result<i64> {
    let row = sqlx::query(sql).fetch_one(conn).await.map_err(failed)?;
    row.try_get(0).map_err(failed)
}

fn of_url(url: &str) -> Result<SqliteConnectOptions> {
    SqliteConnectOptions::from_str(url).map_err(refused)
}

/// A name of its own in the folder of a file.
fn partial_file(file: &Path) -> PathBuf {
    with_end(file, &format!(".{}.partial", uuid::Uuid::new_v4()))
}

fn with_end(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn path_text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::invalid("FILE", "not-utf8", "the name must be UTF-8"))
}

fn there(file: &Path) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    Err(Error::Unavailable(format!("{}: there is no such file", file.display())))
}

/// The folder of a file must exist.
fn housed(file: &Path) -> Result<()> {
    match folder_of(file).filter(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Error::Unavailable(format!("{}: there is no folder {}", file.display(), folder.display()))),
    }
}

/// None where it is the working folder.
fn folder_of(file: &Path) -> Option<&Path> {
    file.parent().filter(|folder| !folder.as_os_str().is_empty())
}

fn taken(file: &Path) -> Error {
    let message = format!("{} is there already", file.display());
    Error::invalid("FILE", "is-there", message)
}

fn unreadable(file: &Path, why: &std::io::Error) -> Error {
    Error::Unavailable(format!("{}: {why}", file.display()))
}

/// Waits until a file is on the disk.
async fn sync(file: &Path) -> Result<()> {
    let synced = async { tokio::fs::File::open(file).await?.sync_all().await };
    synced.await.map_err(|why| unreadable(file, &why))
}

/// Waits until the name of a file is on the disk.
async fn sync_folder(file: &Path) -> Result<()> {
    if cfg!(unix) {
        sync(folder_of(file).unwrap_or(Path::new("."))).await?;
    }
    Ok(())
}
