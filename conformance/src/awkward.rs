//! `ade-conformance serve-awkward`: a server that is right and awkward, for a partner's client; it
//! reports afterwards what the client did wrong.

use faulty_server::{ASSOCIATION, Disturb, FARM, Mode, PASSWORD, Server, Verdict, judge};
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// How the server is to be, and for how long.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090")]
    pub listen: SocketAddr,
    /// Stop after that time, e.g. 60s or 5m; on Ctrl-C otherwise
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// How it is awkward; by default all of these
    #[arg(long, value_name = "MODE", value_delimiter = ',', value_parser = mode)]
    pub modes: Vec<Mode>,
    /// Disturb nothing: no 429, no broken pages, no new beginnings, no changes
    #[arg(long)]
    pub calm: bool,
    /// Where to write the report: json=FILE
    #[arg(long, value_name = "json=FILE", value_parser = report)]
    pub report: Option<PathBuf>,
}

fn mode(name: &str) -> Result<Mode, String> {
    Mode::of_name(name).ok_or_else(|| {
        let all: Vec<String> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        format!("there are {}", all.join(", "))
    })
}

fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| "a number with s, m or h".to_owned())?;
    let unit = match text.get(digits.len()..) {
        Some("" | "s") => 1,
        Some("m") => 60,
        Some("h") => 3_600,
        _ => return Err("a number with s, m or h".to_owned()),
    };
    Ok(Duration::from_secs(number.saturating_mul(unit)))
}

fn report(text: &str) -> Result<PathBuf, String> {
    let path = text.strip_prefix("json=").filter(|path| !path.is_empty());
    path.map(PathBuf::from).ok_or_else(|| "json=FILE".to_owned())
}

/// The server by default: small pages, members and times that clients may not expect, no description
/// of itself, and every disturbance within the first pages.
#[must_use]
pub fn options(modes: &[Mode], calm: bool) -> faulty_server::Options {
    let usual = [
        Mode::TinyPages,
        Mode::ExtraMembers,
        Mode::MemberOrder,
        Mode::OtherOffsets,
        Mode::HeaderCase,
        Mode::NoWellKnown,
    ];
    let disturb = Disturb {
        retry_after: 2,
        cut_changes: 4,
        cut_lists: 4,
        full_sync_after: 10,
        poll_interval: Some(2),
        change_every: 5,
    };
    faulty_server::Options {
        modes: if modes.is_empty() { usual.to_vec() } else { modes.to_vec() },
        busy_every: (!calm).then_some(9),
        disturb: if calm { Disturb::default() } else { disturb },
        ..faulty_server::Options::default()
    }
}

/// Runs the server and reports. 0: the clients did nothing wrong (hints may be given), 1: they did,
/// 2: no client came, or the server could not run.
#[must_use]
pub fn run(args: Args) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let served = runtime.and_then(|runtime| runtime.block_on(serve(&args)));
    match served {
        Ok(code) => ExitCode::from(code),
        Err(why) => {
            let _ = writeln!(io::stderr(), "ade-conformance: {why}");
            ExitCode::from(2)
        }
    }
}

async fn serve(args: &Args) -> io::Result<u8> {
    let mut options = options(&args.modes, args.calm);
    options.listen = args.listen;
    let server = Server::start(options).await?;
    let mut err = io::stderr();
    let ready = json!({"event": "ready", "url": server.url(), "accounts": [ASSOCIATION, FARM],
        "password": PASSWORD, "tokens": {ASSOCIATION: faulty_server::session(ASSOCIATION),
            FARM: faulty_server::session(FARM)}});
    writeln!(io::stdout(), "{ready}")?;
    writeln!(err, "Let your client read {}/ade/v1, then press Ctrl-C.", server.url())?;
    match args.time {
        Some(time) => tokio::select! {
            () = tokio::time::sleep(time) => {}
            stopped = tokio::signal::ctrl_c() => stopped?,
        },
        None => tokio::signal::ctrl_c().await?,
    }
    let log = server.exchanges();
    let verdicts = judge(&log);
    if let Some(path) = &args.report {
        std::fs::write(path, format!("{:#}\n", as_json(&verdicts, log.len())))?;
    }
    write!(err, "{}", as_text(&verdicts, log.len()))?;
    Ok(code(&verdicts, log.len()))
}

/// The exit code for what was found.
#[must_use]
pub fn code(verdicts: &[Verdict], requests: usize) -> u8 {
    match verdicts.iter().any(|one| !one.conduct.is_hint()) {
        _ if requests == 0 => 2,
        wrong => u8::from(wrong),
    }
}

/// The report for programs.
#[must_use]
pub fn as_json(verdicts: &[Verdict], requests: usize) -> Value {
    let shown = verdicts.iter().map(|one| {
        json!({"conduct": one.conduct.name(), "hint": one.conduct.is_hint(), "account": one.account,
            "count": one.count, "first": one.first, "mend": one.conduct.words()})
    });
    json!({"requests": requests, "passed": code(verdicts, requests) == 0, "verdicts": shown.collect::<Vec<Value>>()})
}

/// The report for people.
#[must_use]
pub fn as_text(verdicts: &[Verdict], requests: usize) -> String {
    let mut out = format!("\nRequests: {requests}\n");
    for one in verdicts {
        let weight = if one.conduct.is_hint() { "hint " } else { "WRONG" };
        let account = if one.account.is_empty() { "a stranger" } else { &one.account };
        let often = match one.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        out.push_str(&format!(
            "{weight} {} ({often}, {account})\n      first: {}\n      mend:  {}\n",
            one.conduct.name(),
            one.first,
            one.conduct.words()
        ));
    }
    out.push_str(match code(verdicts, requests) {
        0 => "The client did nothing wrong.\n",
        2 => "No client came.\n",
        _ => "The client loses data or breaks rules: see above.\n",
    });
    out
}
