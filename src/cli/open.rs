//! Opening the book that the settings name.

use config::Settings;
use domain::collections::{self, Switches};
use exchange::Exchange;
use mapping::Mappings;
use model::clock::Clock;
use model::error::{Error, Result};
use model::record::zone::USUAL;
use model::registry::{Registry, Rules};
use ops::{Book, Stock};
use secure::keys::KeyRing;
use secure::password::{PasswordCost, Passwords};
use std::path::Path;
use std::sync::Arc;
use store::{Store, schema};

/// A book with its exchange side.
#[derive(Debug)]
pub struct OpenBook {
    pub book: Arc<Book>,
    /// Its documents.
    pub exchange: Exchange,
}

/// The declarations under the switches of the settings.
pub fn registry(settings: &Settings) -> Result<&'static Registry> {
    collections::registry_with(Switches { gradings_write: settings.gradings_write })
}

/// Compiles the mapping files that the settings name.
///
/// # Errors
/// [`Error::Invalid`] with every fault in every file.
pub fn exchange(settings: &Settings) -> Result<Exchange> {
    let registry = registry(settings)?;
    let names = mapping::Settings {
        prefix: settings.exchange_prefix.clone(),
        source: settings.exchange_source.clone(),
        zone: settings.time_zone.iana_name().unwrap_or(USUAL).to_owned(),
    };
    let mappings = Mappings::build(registry, &names, settings.mappings.as_deref()).map_err(Error::Invalid)?;
    Ok(Exchange::new(registry, mappings, &names))
}

fn embedded(url: &str) -> Option<&Path> {
    let file = url.strip_prefix("sqlite:")?.trim_start_matches("//");
    let (file, _) = file.split_once('?').unwrap_or((file, ""));
    Some(Path::new(file))
}

/// How much organisations may store by the settings.
pub fn stock(settings: &Settings) -> Stock {
    let some = |most: u64| i64::try_from(most).ok().filter(|most| *most > 0);
    Stock {
        storage: some(settings.limits.storage),
        files: some(settings.limits.files),
        records: some(settings.limits.records),
    }
}

/// How values are derived by the settings.
pub fn rules(settings: &Settings) -> Rules {
    Rules {
        longest_gap: settings.longest_gap,
        curves: settings.standard_curves,
        opening_abortion: settings.opening_abortion,
    }
}

/// Rows of a list that are looked through without an index, by the settings.
pub fn list_rows(settings: &Settings) -> u64 {
    Some(settings.limits.list_rows).filter(|rows| *rows > 0).unwrap_or(u64::MAX)
}

/// Opens a migrated book.
///
/// # Errors
/// [`Error::Unavailable`] when the database is not there, not up to date, of a newer program,
/// or has other tables than this program; [`Error::Malformed`] when filling it broke off.
pub async fn open(settings: &Settings, keys: KeyRing) -> Result<OpenBook> {
    let registry = registry(settings)?;
    let exchange = exchange(settings)?;
    let clock = Clock::system();
    let url = settings.database_url.reveal();
    let embedded = embedded(url);
    if let Some(file) = embedded {
        super::serve::process::keep_book_private(file);
    }
    let store = Store::open(url, settings.durability, clock.clone(), false).await?;
    if let Err(error) = own(&store, registry).await {
        store.close().await;
        return Err(error);
    }
    let passwords = tokio::task::spawn_blocking(|| Passwords::new(PasswordCost::default()));
    let passwords = passwords.await.map_err(Error::internal)?;
    let passwords = Arc::new(passwords.map_err(Error::internal)?);
    let projection = Arc::new(exchange.projector().clone());
    let mut book = Book::new(registry, store, clock, projection, passwords, Arc::new(keys));
    book.service = Arc::from(settings.service.as_str());
    book.address = Arc::from(settings.server_url.as_str());
    book.rules = rules(settings);
    book.list_rows = list_rows(settings);
    let book = book.with_password_checks(settings.password_checks);
    let book = book.with_outward(settings.webhooks.policy.clone());
    let book = book.in_zone(settings.time_zone.clone());
    let book = book.with_files(&settings.media).await?;
    // The embedded book shares its disk with others.
    let database_folder = embedded.map(|file| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new(".")).to_owned()
    });
    let book = book.with_floor(settings.limits.free_disk, database_folder);
    let book = book.with_stock(stock(settings));
    exchange.projector().begin(&book).await?;
    Ok(OpenBook { book: Arc::new(book), exchange })
}

/// Whether the tables are those of this program, and were filled to the end.
pub(super) async fn own(store: &Store, registry: &Registry) -> Result<()> {
    store.migrations().await?.served(store)?;
    exchange::whole(store).await?;
    schema::refuse_missing(store, registry).await
}

/// A password from the first line of standard input; never from an argument, which other
/// users of the machine could read.
///
/// # Errors
/// [`Error::Invalid`] when it is shorter than `min` characters.
pub fn ask_password(input: &mut dyn std::io::BufRead, min: usize) -> Result<String> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(Error::internal)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.chars().count() < min {
        let message = format!("must have at least {min} characters (read from standard input)");
        return Err(Error::invalid("password", "too-short", message));
    }
    Ok(password.to_owned())
}

#[cfg(test)]
mod tests {
    use super::ask_password;

    #[test]
    fn a_password_is_one_line_and_long_enough() {
        let read = |text: &str| ask_password(&mut text.as_bytes(), 8);
        assert_eq!(read("long enough \r\nmore").unwrap(), "long enough ");
        assert!(read("short\n").is_err());
        assert!(read("").is_err());
    }
}
