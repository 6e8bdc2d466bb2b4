//! `herdbook serve`: serves the book on the network until it is stopped.

mod logs;
pub(super) mod mailer;
pub(super) mod process;
mod traffic;
mod webhooks;

use super::connections;
use super::work_letters::write_letters;
use super::{OpenBook, announce, open};
use api::{AppState, numbers_router, router};
use clap::Args;
use config::Settings;
use domain::collections::{RefreshPass, overdue, refresh_step, remind};
use domain::derive::day_of;
use model::error::{Error, Result};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How often what was counted is folded.
const UPKEEP: Duration = Duration::from_secs(5);

/// How often the queue of dependent documents is read without a wake-up in this process.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// How often is looked whether parents changed: one small statement, on SQLite none.
const LOOK_AT_LINKS: Duration = Duration::from_secs(2);

/// How often things are looked for that change with time alone.
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// How long the file of a book is looked through for damage at the start.
const LOOKING: Duration = Duration::from_secs(60);

/// How long the book may take to close.
const CLOSING: Duration = Duration::from_secs(10);

/// Flags of `serve`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Address or name, and port, to listen on.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Folder of mapping files that add to the built-in ones or replace parts of them.
    #[arg(long, value_name = "FOLDER")]
    mappings: Option<String>,
}

/// Completes when the server is to stop.
pub type Stop = futures_util::future::BoxFuture<'static, ()>;

pub(super) async fn serve(_options: &Options, settings: Settings) -> Result<()> {
    outlive_hang_ups()?;
    let keys = settings.ring()?;
    let OpenBook { book, exchange } = open(&settings, keys).await?;
    if !exchange.projector().is_current(&book.store).await? {
        book.store.close().await;
        return Err(Error::Unavailable(
            "The exchange documents were made with other mapping files: run herdbook reproject.".to_owned(),
        ));
    }
    if settings.limits.trusted_proxies == 0 && settings.mail.branding.url.starts_with("https:") {
        tracing::warn!(
            "server.url is https, so a proxy stands before this server, but \
             limits.trusted_proxies is 0: the limits of signing in count all that comes \
             through it as one address; set it to the number of proxies"
        );
    }
    let stop = signalled()?;
    let mut settings = settings;
    let bound = Bound::to(&mut settings).await?;
    let hub = Arc::new(AppState::new(book, exchange, settings));
    run(hub, bound, stop, |_| ()).await
}

/// A place that is listened on.
pub(super) struct Bound {
    listener: TcpListener,
    /// For the numbers alone.
    metrics: Option<TcpListener>,
    url: String,
}

impl Bound {
    /// Binds the address of the settings, and writes the bound address into them: with port 0, or a
    /// name, only the system knows it, and emails link to it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it cannot be listened on.
    pub(super) async fn to(settings: &mut Settings) -> Result<Self> {
        let listen = settings.listen;
        let listener = TcpListener::bind(listen).await;
        let listener = listener.map_err(|fault| refused(listen, &fault))?;
        let address = (listener.local_addr()).map_err(|fault| refused(listen, &fault))?;
        let url = &mut settings.mail.branding.url;
        if url.is_empty() {
            // All addresses of the machine are none to go to.
            *url = match address.ip().is_unspecified() {
                true => format!("http://localhost:{}", address.port()),
                false => format!("http://{address}"),
            };
        }
        let metrics = match settings.metrics.listen {
            None => None,
            Some(listen) => {
                let listener = TcpListener::bind(listen).await;
                Some(listener.map_err(|fault| refused(listen, &fault))?)
            }
        };
        let url = format!("http://{address}");
        if !address.ip().is_loopback() && settings.exchange_url.is_empty() && settings.server_url.is_empty() {
            tracing::warn!(
                "server.url is not set, so links use the address of each connection: set it to the \
                 public address of the service"
            );
        }
        Ok(Self { listener, metrics, url })
    }
}

/// Why an address cannot be listened on.
pub(super) fn refused(listen: SocketAddr, fault: &std::io::Error) -> Error {
    let why = match fault.kind() {
        std::io::ErrorKind::AddrInUse => "another program uses this address",
        std::io::ErrorKind::AddrNotAvailable => "this machine has no such address",
        std::io::ErrorKind::PermissionDenied => "this port needs special rights",
        _ => return Error::Unavailable(format!("listen: {listen}: {fault}")),
    };
    Error::Unavailable(format!("listen: {listen}: {why}; choose another with --listen or HERDBOOK_LISTEN"))
}

/// Serves, reports readiness and the address, and after `stop` lets running requests end and closes the book.
///
/// # Errors
/// When emails cannot be sent as configured.
pub(super) async fn run(hub: Arc<AppState>, bound: Bound, stop: Stop, on_ready: impl FnOnce(&str)) -> Result<()> {
    let Bound { listener, metrics, url } = bound;
    let mail = mailer::mailer(&hub.settings.mail)?;
    let (tell, mut ended) = watch::channel(false);
    let rules = connections::rules(&hub.settings.limits, process::files());
    let ending = async move {
        // An error means that the sender is gone, which is the end as well.
        let _ = ended.wait_for(|stopped| *stopped).await;
    };
    let counts = Arc::clone(&hub.connected);
    let server = connections::serve(listener, router(Arc::clone(&hub)), rules, counts, ending);
    let mut server = tokio::spawn(server);
    let metrics = tokio::spawn(serve_metrics(Arc::clone(&hub), metrics));
    let mut tasks = JoinSet::new();
    super::jobs::start(&mut tasks, &hub, mail);
    tasks.spawn(super::jobs::try_waiting(Arc::clone(&hub)));
    tasks.spawn(super::check::check_runs::ask_each_night(Arc::clone(&hub)));
    tasks.spawn(webhooks::send(Arc::clone(&hub)));
    tasks.spawn(fold(Arc::clone(&hub)));
    tasks.spawn(render_dependants(Arc::clone(&hub)));
    tasks.spawn(look_at(Arc::clone(&hub)));
    tasks.spawn(refresh_views(Arc::clone(&hub)));
    tasks.spawn(hold_pedigrees(Arc::clone(&hub)));
    let what = "deleting old batches and full syncs";
    tasks.spawn(every(HOUR, Arc::clone(&hub), what, super::jobs::forget));
    let what = "deleting animals archived for 30 days";
    tasks.spawn(every(HOUR, Arc::clone(&hub), what, logs::purge));
    let what = "removing uploaded files without a record";
    tasks.spawn(every(HOUR, Arc::clone(&hub), what, sweep_files));
    let what = "deleting old tombstones";
    let drop_daily = super::maintenance::tombstones::drop_daily;
    tasks.spawn(every(DAY, Arc::clone(&hub), what, drop_daily));
    let logs = tokio::spawn(logs::keep(Arc::clone(&hub)));
    let traffic = tokio::spawn(traffic::keep(Arc::clone(&hub)));
    // First, so that a program that waits for the line finds everything else printed.
    on_ready(&url);
    announce(&json!({
        "event": "ready", "url": url,
        "service": hub.settings.service, "version": env!("CARGO_PKG_VERSION"),
    }));
    tokio::select! {
        () = stop => {}
        ended = &mut server => tracing::error!(?ended, "the server stopped unexpectedly"),
    }
    let _ = tell.send(true);
    hub.closing.send_replace(true);
    if !server.is_finished() && tokio::time::timeout(hub.settings.drain_time, &mut server).await.is_err() {
        tracing::warn!("requests still ran at the end of the drain time");
        server.abort();
    }
    metrics.abort();
    tasks.abort_all();
    logs::end(&hub, logs).await;
    traffic::end(&hub, traffic).await;
    // A reader that never ends must not keep the process running.
    let closed = tokio::time::timeout(CLOSING, hub.book.store.close()).await;
    if closed.is_err() {
        tracing::warn!("the database was not closed in time");
    }
    announce(&json!({"event": "stopped"}));
    Ok(())
}

/// Serves the metrics at an address of their own until the process ends, so that the shutdown can be watched too.
async fn serve_metrics(hub: Arc<AppState>, listener: Option<TcpListener>) {
    let Some(listener) = listener else { return };
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "metrics are served");
    }
    let rules = connections::few(&hub.settings.limits);
    let never = std::future::pending();
    connections::serve(listener, numbers_router(hub), rules, Arc::default(), never).await;
}

/// Works off the queue of documents whose related records changed: at start what an earlier process left, then whenever
/// something is queued here, and now and then what other processes queued.
async fn render_dependants(hub: Arc<AppState>) {
    loop {
        match hub.exchange.projector().work_off(&hub.book).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "documents that depend on changed records could not be rendered; trying again later")
            }
        }
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(LOOK_AGAIN, hub.exchange.projector().queued()).await;
    }
}

/// Looks once at what a start can find wrong: a book that is ahead of the clock, and a damaged file.
async fn look_at(hub: Arc<AppState>) {
    let store = &hub.book.store;
    match store.ahead(hub.book.clock.now()).await {
        Ok(None) => {}
        Ok(Some(ahead)) => tracing::warn!(
            seconds = ahead / 1000,
            "the last change of the book is later than the clock of this machine: all changes get its time until the \
             clock catches up (docs/operations.md, A clock that was wrong)"
        ),
        Err(error) => tracing::warn!(%error, "the time of the book could not be read"),
    }
    if let Err(error) = store.check_integrity(LOOKING).await {
        tracing::error!(%error, "the book could not be looked through for damage");
    }
}

/// Holds the pedigrees of the book in memory, as long as somebody asks about them. Half a processor reads and computes;
/// it rests much longer than it works, also where parents change all the time.
async fn hold_pedigrees(hub: Arc<AppState>) {
    loop {
        let began = Instant::now();
        let rest = match api::read_pedigrees(&hub).await {
            Ok(true) => LOOK_AT_LINKS,
            Ok(false) => {
                tracing::info!("the pedigrees of the book need more memory than cache.pedigrees");
                DAY
            }
            Err(error) => {
                tracing::warn!(%error, "the pedigrees of the book could not be read; the next question has them read again");
                LOOK_AGAIN
            }
        };
        tokio::time::sleep(rest.max(4 * began.elapsed())).await;
    }
}

/// Updates the views that change with time alone, marks overdue assignments, and reminds of those that are due soon.
async fn refresh_views(hub: Arc<AppState>) {
    let mut tick = tokio::time::interval(HOUR);
    let mut computed = None;
    loop {
        tick.tick().await;
        for (done, failure) in [
            (mark_overdue(&hub).await, "overdue assignments could not be marked"),
            (remind_farms(&hub).await, "farms could not be reminded of assignments"),
            (write_letters(&hub.book).await, "emails about work lists could not be written"),
        ] {
            if let Err(error) = done {
                tracing::warn!(%error, "{failure}");
            }
        }
        // What depends on the calendar changes once a day.
        let day = day_of(hub.book.clock.now());
        if computed == Some(day) {
            continue;
        }
        computed = match age_all(&hub).await {
            Ok(()) => Some(day),
            Err(error) => {
                tracing::warn!(%error, "fields that depend on the date could not be updated; the next try is in an hour");
                None
            }
        };
    }
}

async fn age_all(hub: &AppState) -> Result<()> {
    let mut at = Some(RefreshPass::default());
    while let Some(step) = at {
        let aged = (hub.book).transact(move |work| Box::pin(async move { refresh_step(work, step).await }));
        at = aged.await?;
    }
    Ok(())
}

async fn mark_overdue(hub: &AppState) -> Result<()> {
    let step = || hub.book.transact(|work| Box::pin(async move { overdue(work).await }));
    while step().await? {}
    Ok(())
}

/// Reminds farms of open assignments, the closest due dates first: a later reminder takes the place of an earlier one
/// that was missed.
async fn remind_farms(hub: &AppState) -> Result<()> {
    let mut reminders = hub.settings.mail.reminders.clone();
    reminders.sort_unstable();
    for days in reminders {
        let step = || hub.book.transact(move |work| Box::pin(async move { remind(work, days).await }));
        while step().await? {}
    }
    Ok(())
}

/// Does something at each turn of a period. What fails is tried again at the next.
async fn every<F: Future<Output = Result<()>>>(
    period: Duration,
    hub: Arc<AppState>,
    what: &'static str,
    task: fn(Arc<AppState>) -> F,
) {
    let mut tick = tokio::time::interval(period);
    loop {
        tick.tick().await;
        if let Err(error) = task(Arc::clone(&hub)).await {
            tracing::warn!(%error, "{what} failed; it is tried again later");
        }
    }
}

/// Removes what processes that were stopped left of uploads.
async fn sweep_files(hub: Arc<AppState>) -> Result<()> {
    match hub.book.sweep_files().await? {
        0 => {}
        removed => tracing::info!(removed, "uploaded files without a record were removed"),
    }
    Ok(())
}

async fn fold(hub: Arc<AppState>) {
    let mut tick = tokio::time::interval(UPKEEP);
    loop {
        tick.tick().await;
        hub.metrics.upkeep();
    }
}

/// A hang-up ends no server, neither that of the terminal that started it nor one that is
/// meant as "read your files again": nothing is read again, and the log says so. From the
/// first moment on, since the usual answer to it is to end at once.
pub(super) fn outlive_hang_ups() -> Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut hung_up = signal(SignalKind::hangup()).map_err(Error::internal)?;
        tokio::spawn(async move {
            while hung_up.recv().await.is_some() {
                tracing::warn!(
                    "SIGHUP changes nothing: the log goes to standard error, and the \
                     configuration is read at the start; stop with SIGTERM and start again"
                );
            }
        });
    }
    Ok(())
}

/// SIGTERM, or the interrupt of a terminal.
pub(super) fn signalled() -> Result<Stop> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut term = signal(SignalKind::terminate()).map_err(Error::internal)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::internal)?;
        Ok(Box::pin(async move {
            tokio::select! {
                _ = term.recv() => {}
                _ = interrupt.recv() => {}
            }
        }))
    }
    #[cfg(not(unix))]
    Ok(Box::pin(async {
        let _ = tokio::signal::ctrl_c().await;
    }))
}
