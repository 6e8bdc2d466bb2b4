//! `herdbook follow`: mirrors a data set of any ADE server into a SQLite file.

use super::serve::signalled;
use super::{Exit, Stop, announce};
use clap::{Args, ValueEnum};
use feed_client::{Applied, Counts, Follower, Level, Mirror, Patience, SignIn};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::error::{Error, Result};
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Where the password of `--email` is.
const PASSWORD: &str = "HERDBOOK_PASSWORD";
/// How often progress is printed where there is no terminal.
const LINES: Duration = Duration::from_secs(10);
/// Attempts for a page with `--once`.
const ATTEMPTS: u32 = 8;
/// Violations that are printed one by one.
const VIOLATIONS_MAX: u64 = 20;

const HELP: &str = "\
The file holds the tables documents (type, location, source, modified, deleted, body), state \
and violations. Each page is stored together with the position after it, so that a run can be \
stopped at any moment and the next one continues there. If the server demands a new start, \
documents that it no longer sends are removed at the end of that reading, in one step.

Each page is checked: its form and order, and that no resource goes back to an older state or \
comes twice. Faults are printed, stored in the table violations, and set the exit status to 3.

Exit status: 0 current, or stopped by a signal; 1 an error; 2 wrong flags; 3 current, with \
violations in this run.";

/// Flags of `follow`.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(super) struct Options {
    /// Address of the server, of its ADE interface or of its list of data sets.
    url: String,
    /// Name of the data set.
    #[arg(long, default_value = "everything", value_name = "NAME")]
    set: String,
    /// SQLite file to write to; created if it does not exist.
    #[arg(long, value_name = "FILE")]
    into: PathBuf,
    /// Token to send as `Bearer`, or a whole Authorization value such as `users API-Key …`.
    #[arg(long, env = "HERDBOOK_TOKEN", hide_env_values = true, conflicts_with = "email")]
    token: Option<String>,
    /// Account to sign in with; its password is read from `HERDBOOK_PASSWORD`.
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// Stop when the file is current, instead of waiting for changes.
    #[arg(long)]
    once: bool,
    /// Read from the beginning; the present documents stay in the file until that is done.
    #[arg(long)]
    anew: bool,
    /// Resource types to store, separated by commas (default: all).
    #[arg(long, value_delimiter = ',', value_name = "TYPES")]
    types: Vec<String>,
    /// Location to store, `<scheme>/<id>` (default: all).
    #[arg(long, value_name = "SCHEME/ID")]
    location: Option<String>,
    /// Rules that the server is checked against.
    #[arg(long, value_enum, default_value_t = Profile::Auto)]
    profile: Profile,
    /// Resources per page (default: as many as the server allows).
    #[arg(long, value_name = "NUMBER")]
    page: Option<usize>,
    /// Seconds between two requests when there is nothing new; longer if the server says so.
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    interval: u64,
}

/// Rules that a server is checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// The rules of Herdbook Hub if the server describes itself as one, otherwise those of the standard.
    Auto,
    /// The rules of ADE 1.5.
    Standard,
    /// The rules of ADE 1.5 and the additional ones of Herdbook Hub.
    Herdbook,
}

pub(super) async fn follow(options: &Options) -> Result<ExitCode> {
    let mut stop: Stop = signalled()?;
    let chosen = chosen(options, std::env::var(PASSWORD).ok())?;
    let patience = chosen.patience;
    let mut follower = tokio::select! {
        follower = Follower::open(chosen) => follower.map_err(fault)?,
        () = &mut stop => return Ok(Exit::Done.into()),
    };
    if options.anew {
        follower.begin_anew().await.map_err(fault)?;
    }
    let mirror = follower.mirror().clone();
    let mut printer = ProgressPrinter::new(&options.set);
    let ended = tokio::select! {
        ended = pages(&mut follower, (options.once, patience), &mut printer) => ended,
        () = &mut stop => Ok("stopped"),
    };
    printer.bar.finish_and_clear();
    let counts = mirror.counts().await.map_err(fault);
    mirror.close().await;
    let event = ended?;
    printer.announce(event, &counts?);
    Ok(match printer.violations {
        0 => Exit::Done.into(),
        _ => Exit::Findings.into(),
    })
}

fn chosen(options: &Options, password: Option<String>) -> Result<feed_client::Options> {
    let mut chosen = feed_client::Options::new(&options.url, &options.set, &options.into);
    chosen.sign_in = match (&options.token, &options.email) {
        (Some(token), _) => SignIn::Token(token.clone()),
        (None, None) => SignIn::Nobody,
        (None, Some(email)) => SignIn::Password {
            email: email.clone(),
            password: password.ok_or_else(|| {
                let why = format!("must be set to the password of {email}");
                Error::invalid(PASSWORD, "missing", why)
            })?,
        },
    };
    chosen.level = match options.profile {
        Profile::Auto => Level::Auto,
        Profile::Standard => Level::Standard,
        Profile::Herdbook => Level::Herdbook,
    };
    chosen.types.clone_from(&options.types);
    chosen.location.clone_from(&options.location);
    chosen.page = options.page;
    chosen.interval = Duration::from_secs(options.interval);
    chosen.patience = Patience { attempts: options.once.then_some(ATTEMPTS), ..Patience::default() };
    Ok(chosen)
}

/// Reads pages to the end, or for ever; the event that ends it.
async fn pages(
    follower: &mut Follower,
    (once, patience): (bool, Patience),
    printer: &mut ProgressPrinter,
) -> Result<&'static str> {
    let mut failed = 0;
    let mut was_current = false;
    loop {
        let applied = match follower.attempt().await {
            Ok(applied) => applied,
            Err(feed_client::Error::Later { why, after }) => {
                failed += 1;
                let Some(wait) = patience.wait(failed, after) else {
                    return Err(Error::Unavailable(format!("{why}; tried {failed} times")));
                };
                printer.say(&format!("{why}; again in {:.1} s", wait.as_secs_f64()));
                sleep(wait).await;
                continue;
            }
            Err(error) => return Err(fault(error)),
        };
        failed = 0;
        printer.page(&applied);
        if applied.current {
            if once {
                return Ok("current");
            }
            if !was_current {
                was_current = true;
                printer.announce("current", &counts(follower.mirror()).await?);
            }
            sleep(applied.pause).await;
        }
    }
}

async fn counts(mirror: &Mirror) -> Result<Counts> {
    mirror.counts().await.map_err(fault)
}

fn fault(error: feed_client::Error) -> Error {
    Error::Unavailable(error.to_string())
}

/// What is printed while it runs.
struct ProgressPrinter {
    set: String,
    bar: ProgressBar,
    /// Whether lines are printed instead of a bar.
    plain: bool,
    last: Instant,
    resources: usize,
    violations: u64,
}

impl ProgressPrinter {
    fn new(set: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = "{spinner} {pos} resources, {per_sec}, {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self {
            set: set.to_owned(),
            bar,
            plain: !std::io::stderr().is_terminal(),
            last: Instant::now(),
            resources: 0,
            violations: 0,
        }
    }

    fn say(&self, line: &str) {
        if self.plain {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }

    fn page(&mut self, applied: &Applied) {
        self.resources += applied.resources;
        self.bar.inc(u64::try_from(applied.resources).unwrap_or(0));
        self.bar.set_message(if applied.current { "current" } else { "reading" });
        if applied.anew {
            self.say("The server demands a new start: reading from the beginning.");
        }
        if applied.removed > 0 {
            self.say(&format!("{} documents no longer exist and were removed.", applied.removed));
        }
        for violation in &applied.violations {
            self.violations += 1;
            if self.violations <= VIOLATIONS_MAX {
                self.say(&format!("violation: {violation}"));
            } else if self.violations == VIOLATIONS_MAX + 1 {
                self.say("Further violations are in the file.");
            }
        }
        if self.plain && !applied.current && self.last.elapsed() >= LINES {
            self.last = Instant::now();
            self.say(&format!("{} resources", self.resources));
        }
    }

    fn announce(&self, event: &str, counts: &Counts) {
        announce(&json!({
            "event": event, "set": self.set, "documents": counts.documents,
            "deleted": counts.deleted, "pages": counts.pages, "resources": counts.resources,
            "violations": counts.violations,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn read(words: &[&str]) -> Options {
        let words = ["follow", "http://x", "--into", "f.db"].iter().chain(words);
        Line::try_parse_from(words).unwrap().options
    }

    #[test]
    fn who_signs_in_brings_a_password() {
        let options = read(&["--email", "a@b.example"]);
        let error = chosen(&options, None).unwrap_err();
        assert!(super::super::explain(&error).starts_with("HERDBOOK_PASSWORD: must be set"));
        let with = chosen(&options, Some("p".to_owned())).unwrap();
        assert!(matches!(with.sign_in, SignIn::Password { password, .. } if password == "p"));
        let token = chosen(&read(&["--token", "t"]), None).unwrap();
        assert!(matches!(token.sign_in, SignIn::Token(token) if token == "t"));
    }

    #[test]
    fn only_once_gives_up() {
        let patience = |words: &[&str]| chosen(&read(words), None).unwrap().patience.attempts;
        assert_eq!(patience(&["--once"]), Some(ATTEMPTS));
        assert_eq!(patience(&[]), None);
    }

    #[test]
    fn types_are_divided_by_commas() {
        let options = chosen(&read(&["--types", "a,b", "--types", "c"]), None).unwrap();
        assert_eq!(options.types, ["a", "b", "c"]);
    }
}
