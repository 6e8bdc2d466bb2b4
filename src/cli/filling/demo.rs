//! `herdbook demo`: makes a demonstration book, if there is none yet, and serves it. It needs nothing but this binary.

use super::generate::{PASSWORD, Size, fill, yesterday};
use super::underway;
use crate::{open, serve};
use api::AppState;
use clap::Args;
use config::{MailTransport, Secret, Settings};
use model::clock::Clock;
use model::error::{Error, Result};
use model::face::LegalText;
use model::messages::{Language, text};
use secure::keys::random_secret;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Durability, Store};
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

/// Flags of `demo`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// Folder for the book and its secret.
    #[arg(long, default_value = "herdbook-demo", value_name = "FOLDER")]
    dir: PathBuf,
    /// Address or name, and port, to listen on.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
}

pub(crate) async fn demo(options: &Options, mut settings: Settings) -> Result<()> {
    serve::outlive_hang_ups()?;
    let dir = &options.dir;
    // A taken address is reported before the work, not after it.
    let listen = settings.listen;
    std::net::TcpListener::bind(listen).map_err(|fault| serve::refused(listen, &fault))?;
    std::fs::create_dir_all(dir).map_err(|e| io(dir, &e))?;
    settings.secret = secret(dir)?;
    settings.previous_secret = Secret::default();
    settings.durability = Durability::Normal;
    settings.media = dir.join("media");
    settings.mail.transport = MailTransport::File(dir.join("mail"));
    show(&mut settings);
    let book = dir.join("book.db");
    if book.exists() {
        eprintln!("Using the book in {}.", dir.display());
        // An older program may have made it.
        migrate(&settings, &book).await?;
    } else {
        eprintln!("Making a book of about {} animals in {}.", options.size.animals, dir.display());
        make(options, &settings, &book).await?;
    }
    settings.database_url = url(&book);
    let opened = open(&settings, settings.ring()?).await?;
    if !opened.exchange.projector().is_current(&opened.book.store).await? {
        eprintln!("The mapping files changed: rendering all exchange documents again.");
        crate::maintenance::reproject::all(&opened).await?;
    }
    let stop = serve::signalled()?;
    let bound = serve::Bound::to(&mut settings).await?;
    let hub = Arc::new(AppState::new(opened.book, opened.exchange, settings));
    serve::run(hub, bound, stop, tour).await
}

/// How the installation shows itself, in both languages, where the settings name none: its Association issues
/// certificates, and not the program.
fn show(settings: &mut Settings) {
    let face = &mut settings.face;
    if face.name != settings.service {
        return;
    }
    let said = |language, name: &str| text(language, name, &BTreeMap::new());
    let both = |name: &str| [Language::Russian, Language::English].map(|language| said(language, name)).join(" · ");
    face.name = both("demo-book");
    if face.issuer == settings.service {
        face.issuer = both("demo-association");
    }
    if face.signatory.is_empty() {
        face.signatory = both("demo-signatory");
    }
    if face.foot.is_empty() {
        face.foot = vec![face.issuer.clone(), "association@demo.herdbook".to_owned(), both("demo-note")];
    }
    if face.texts.is_empty() {
        let about = |language| LegalText {
            title: said(language, "demo-text"),
            paragraphs: vec![said(language, "demo-text.whole")],
        };
        face.texts.insert("demonstration".to_owned(), Language::ALL.map(about));
    }
    settings.mail.branding.service.clone_from(&face.name);
    settings.mail.branding.foot.clone_from(&face.foot);
}

/// Fills a new book under another name, and renames it when it is complete. A program that is
/// stopped meanwhile leaves no half-filled book.
async fn make(options: &Options, settings: &Settings, book: &Path) -> Result<()> {
    let draft = book.with_file_name("book.part.db");
    for end in ["", "-wal", "-shm"] {
        let file = draft.with_file_name(format!("book.part.db{end}"));
        if file.exists() {
            std::fs::remove_file(&file).map_err(|e| io(&file, &e))?;
        }
    }
    let mut settings = settings.clone();
    settings.database_url = url(&draft);
    migrate(&settings, &draft).await?;
    let opened = open(&settings, settings.ring()?).await?;
    let last_day = options.size.last_day.unwrap_or(yesterday(opened.book.clock.now())?);
    let size = Size { last_day: Some(last_day), ..options.size.clone() };
    let mut filled = fill(&opened, &size, PASSWORD).await.map(drop);
    let app = Arc::new(AppState::new(opened.book, opened.exchange, settings));
    if filled.is_ok() {
        filled = underway::begin(&app, last_day).with_subscriber(NoSubscriber::new()).await;
    }
    app.book.store.close().await;
    filled?;
    // What is still in the log would not move with the file.
    let log = draft.with_file_name("book.part.db-wal");
    if log.exists() {
        let why = format!("{}: the database was not closed", log.display());
        return Err(Error::Unavailable(why));
    }
    std::fs::rename(&draft, book).map_err(|e| io(book, &e))
}

/// Brings a book up to date, or begins it.
async fn migrate(settings: &Settings, book: &Path) -> Result<()> {
    let (url, clock) = (url(book), Clock::system());
    let store = Store::open(url.reveal(), settings.durability, clock, true).await?;
    store.close().await;
    Ok(())
}

/// A secret of this book's own, made once.
fn secret(dir: &Path) -> Result<Secret> {
    let path = dir.join("secret");
    match std::fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => Ok(Secret::new(text.trim())),
        _ => {
            let made = random_secret();
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create(true).truncate(true);
            #[cfg(unix)]
            {
                use std::os::unix::fs::OpenOptionsExt;
                options.mode(0o600);
            }
            let mut file = options.open(&path).map_err(|e| io(&path, &e))?;
            std::io::Write::write_all(&mut file, made.as_bytes()).map_err(|e| io(&path, &e))?;
            Ok(Secret::new(made))
        }
    }
}

fn url(path: &Path) -> Secret {
    Secret::new(format!("sqlite:{}", path.display()))
}

fn io(path: &Path, error: &std::io::Error) -> Error {
    Error::Unavailable(format!("{}: {error}", path.display()))
}

/// What to try, with the address that was really taken.
fn tour(url: &str) {
    eprintln!(
        r#"
Accounts, password {PASSWORD}:
  association@demo.herdbook   the Association, sees everything
  farm1@demo.herdbook         head of farm 1
  farm2@demo.herdbook         head of farm 2
  viewer1@demo.herdbook       viewer of farm 1
  partner@demo.herdbook       an organisation with a grant from farm 1

Sign in, keep the token:
  TOKEN=$(curl -s {url}/api/users/login -H 'Content-Type: application/json' -d '{{"email":"farm1@demo.herdbook","password":"{PASSWORD}"}}' | sed 's/.*"token":"\([^"]*\)".*/\1/')

REST, three cows as anybody sees them:
  curl -sg '{url}/api/animals?limit=3&depth=0&where[sex][equals]=female'

ADE by locations, and a page of test-day results of farm 1:
  curl -s -H "Authorization: JWT $TOKEN" {url}/ade/v1/locations
  curl -s -H "Authorization: JWT $TOKEN" '{url}/ade/v1/locations/org.herdbook.orgid/2/test-day-results?pageSize=2'

ADE by sets, the beginning of the feed of everything:
  curl -s -H "Authorization: JWT $TOKEN" '{url}/ade/v1/datasets/everything/changes?limit=2'
"#
    );
}
