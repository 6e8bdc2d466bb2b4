//! `herdbook import` of a folder of files by collection (docs/import.md): the flags, the progress, the result. A folder
//! that `export` wrote is `transfer`'s.

use crate::bench_runs::measured;
use crate::progress::{Unit, progress};
use crate::{Exit, OpenBook, announce, open};
use api::sign_in::account;
use clap::{Args, ValueEnum};
use config::Settings;
use ingest::{Conflict, FolderOptions, ImportSummary, import_folder};
use model::error::{Error, Result};
use model::registry::{Caller, Principal};
use ops::Book;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Flags of the import of files by collection.
#[derive(Debug, Clone, Args)]
pub struct RowOptions {
    /// Check every row and write nothing: all of it is one transaction that is undone.
    #[arg(long)]
    pub dry_run: bool,
    /// What becomes of a row that the book has with other values.
    #[arg(long, value_enum, default_value_t = OnConflict::Update, value_name = "WHAT")]
    pub on_conflict: OnConflict,
    /// File for the rows that were refused; beside it stands `<FILE>.journal` until the import is done.
    #[arg(long, value_name = "FILE", default_value = "import-report.csv")]
    pub report: PathBuf,
    /// Leave out columns that the book does not know, instead of refusing the folder.
    #[arg(long)]
    pub skip_unknown: bool,
    /// Encoding of CSV files without a mark of their own.
    #[arg(long, value_enum, default_value_t = Encoding::Utf8, value_name = "NAME")]
    pub encoding: Encoding,
    /// Email address of the user of the Association in whose name the rows are written; without it
    /// the logs name nobody.
    #[arg(long = "as", value_name = "EMAIL")]
    pub user: Option<String>,
}

impl Default for RowOptions {
    fn default() -> Self {
        Self {
            dry_run: false,
            on_conflict: OnConflict::default(),
            report: PathBuf::from("import-report.csv"),
            skip_unknown: false,
            encoding: Encoding::default(),
            user: None,
        }
    }
}

impl RowOptions {
    /// Whether any flag was given that a whole book does not take.
    pub(crate) fn given(&self) -> bool {
        self.dry_run
            || self.skip_unknown
            || self.user.is_some()
            || self.on_conflict != OnConflict::default()
            || self.encoding != Encoding::default()
    }
}

/// What becomes of a row that the book has with other values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OnConflict {
    /// The values of the file are written.
    #[default]
    Update,
    /// The row of the book stays as it is.
    Skip,
    /// The row of the file is refused.
    Refuse,
}

impl From<OnConflict> for Conflict {
    fn from(what: OnConflict) -> Self {
        match what {
            OnConflict::Update => Self::Update,
            OnConflict::Skip => Self::Skip,
            OnConflict::Refuse => Self::Refuse,
        }
    }
}

/// How the texts of CSV files are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    #[value(name = "utf-8")]
    Utf8,
    /// Windows-1251, as Russian programs write it.
    #[value(name = "windows-1251")]
    Windows1251,
}

impl From<Encoding> for sheets::Encoding {
    fn from(what: Encoding) -> Self {
        match what {
            Encoding::Utf8 => Self::Utf8,
            Encoding::Windows1251 => Self::Windows1251,
        }
    }
}

/// The command, on a folder without a whole book.
pub(crate) async fn import(folder: &Path, options: &RowOptions, settings: &Settings) -> Result<ExitCode> {
    let opened = open(settings, settings.passing_ring()?).await?;
    let began = Instant::now();
    let done = match opened.book.store.begin_load().await {
        Ok(()) => import_rows(&opened, folder, options).await,
        Err(error) => Err(error),
    };
    if let Ok(done) = &done
        && !options.dry_run
    {
        let rows = ("rows", done.total().all());
        measured(&opened.book, "load", rows, began.elapsed()).await;
    }
    opened.book.store.close().await;
    let done = done?;
    let total = done.total();
    let mut line = json!({
        "event": if options.dry_run { "import-checked" } else { "rows-imported" },
        "folder": folder.display().to_string(), "rows": total.all(),
    });
    let collections = done.collections.iter();
    let collections: Map<String, Json> =
        collections.map(|(slug, counts)| ((*slug).to_owned(), counts.json())).collect();
    if let (Some(line), Json::Object(total)) = (line.as_object_mut(), total.json()) {
        line.extend(total);
        line.insert("collections".to_owned(), collections.into());
        if !done.ignored.is_empty() {
            line.insert("ignored".to_owned(), json!(done.ignored));
        }
        line.insert("report".to_owned(), json!(options.report.display().to_string()));
    }
    announce(&line);
    Ok(match total.refused {
        0 => Exit::Done.into(),
        _ => Exit::Findings.into(),
    })
}

/// Imports a folder of files by collection.
///
/// # Errors
/// [`Error::Invalid`] with every file and column that the book does not know, before anything is
/// written; [`Error::Malformed`] for files that cannot be read; those of the database. What was
/// committed stays, and the same call goes on from there.
pub async fn import_rows(opened: &OpenBook, folder: &Path, options: &RowOptions) -> Result<ImportSummary> {
    let caller = caller(&opened.book, options.user.as_deref()).await?;
    let how = FolderOptions {
        dry_run: options.dry_run,
        conflict: options.on_conflict.into(),
        report: options.report.clone(),
        skip_unknown: options.skip_unknown,
        encoding: options.encoding.into(),
        user: options.user.clone(),
    };
    let bar = progress(0, Unit::Rows);
    let watched = bar.clone();
    let watch = |rows| -> ingest::Watch {
        watched.set_length(rows);
        Arc::new(move |rows, earlier| {
            watched.inc(rows);
            if earlier {
                watched.reset_eta();
            }
        })
    };
    let of = (opened.book.as_ref(), &opened.exchange);
    let done = import_folder(of, folder, &how, caller, watch).await;
    bar.finish_and_clear();
    done
}

/// In whose name rows are written: the Association.
async fn caller(book: &Book, email: Option<&str>) -> Result<Principal> {
    let Some(email) = email else {
        return Ok(Principal { caller: Caller::Association, admin: true, ..Principal::anonymous() });
    };
    let accounts = book.registry.iter().find(|c| c.auth);
    let accounts = accounts.ok_or_else(|| Error::internal("no collection of accounts"))?;
    let email = email.trim().to_lowercase();
    let user = account::by_email(book, accounts, &email).await?;
    let unknown = || {
        let message = format!("no account has the address {email}");
        Error::invalid("--as", "not-found", message)
    };
    let caller = book.account(user.ok_or_else(unknown)?.id).await?;
    if caller.caller != Caller::Association {
        let message = format!("{email} is no user of the Association");
        return Err(Error::invalid("--as", "forbidden", message));
    }
    Ok(caller)
}
