//! The command line.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::options::{Auth, Bounds, Options, Profile, Progress, Quiet};
use crate::report::{Report, html, json, junit, sarif, terminal};
use crate::requirements::{Class, Requirements};

/// Tests any ICAR ADE 1.5 server by its URL: read-only and polite by default.
#[derive(Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Exit code: 0 everything binding passed, 1 something failed, 2 could not test."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

/// Each with arguments of its own.
#[derive(Subcommand)]
enum Command {
    /// Lists the requirements, with how each is tested.
    Requirements(RequirementsArgs),
    /// Checks documents, batches, pages and feeds before they are sent.
    Check(crate::offline::Args),
    /// Serves made-up documents rightly and awkwardly, and judges the clients that read them.
    ServeAwkward(crate::awkward::Args),
}

impl Command {
    fn run(self) -> ExitCode {
        match self {
            Self::Requirements(args) => requirements(&args),
            Self::Check(args) => crate::offline::run(args),
            Self::ServeAwkward(args) => crate::awkward::run(args),
        }
    }
}

#[derive(Args)]
struct RequirementsArgs {
    /// Only these classes.
    #[arg(long, value_delimiter = ',')]
    classes: Vec<Class>,
    /// The spots that the standard leaves open, and the readings that are accepted.
    #[arg(long)]
    readings: bool,
    /// Only how many there are of each class and level.
    #[arg(long)]
    counts: bool,
}

#[derive(Args)]
struct RunArgs {
    /// Where the standard's paths live (`https://host/ade/v1`), or the host.
    #[arg(required = true)]
    url: Option<String>,
    /// Token for `Authorization: Bearer`.
    #[arg(long, env = "ADE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Sign in by address and password.
    #[arg(long, num_args = 2, value_names = ["EMAIL", "PASSWORD"], conflicts_with = "token")]
    login: Vec<String>,
    /// A header of your own, for instance `X-Api-Key: …`; repeatable.
    #[arg(long, conflicts_with_all = ["token", "login"])]
    header: Vec<String>,
    /// Path where accounts sign in, if it is none of the usual ones.
    #[arg(long)]
    login_path: Option<String>,
    /// Token of a second account with other rights.
    #[arg(long, env = "ADE_OTHER_TOKEN", hide_env_values = true)]
    other_token: Option<String>,
    /// A second account with other rights, by address and password.
    #[arg(long, num_args = 2, value_names = ["EMAIL", "PASSWORD"], conflicts_with = "other_token")]
    other_login: Vec<String>,
    /// The location to look at, `scheme/id`; otherwise the one with most animals.
    #[arg(long)]
    location: Option<String>,
    /// Classes of requirements, separated by commas.
    #[arg(long, value_delimiter = ',', ignore_case = true)]
    classes: Vec<Class>,
    /// What the server is held to.
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// Send documents too, with each member and each code of each type that is taken, and take them back.
    #[arg(long)]
    allow_writes: bool,
    /// Documents of one type that are sent to see what comes back (class round-trip), at most.
    #[arg(long, default_value_t = Bounds::default().probes)]
    probes: usize,
    /// Requests per second at most, for instance `5/s`; `none` for no bound.
    #[arg(long, default_value = "5/s", value_parser = rate)]
    rate: Rate,
    /// Longest time for a request, in seconds.
    #[arg(long, default_value_t = 30)]
    timeout: u64,
    /// Pages of a collection that are read at most.
    #[arg(long, default_value_t = Bounds::default().pages)]
    pages: usize,
    /// Reports to write, `json=FILE`, `junit=FILE`, `sarif=FILE`, `html=FILE`.
    #[arg(long, num_args = 1.., value_parser = target)]
    report: Vec<Target>,
    /// No progress on standard error.
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy)]
struct Rate(Option<f64>);

fn rate(text: &str) -> Result<Rate, String> {
    if text == "none" {
        return Ok(Rate(None));
    }
    let (number, unit) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        _ => return Err(format!("{unit} is neither s nor min")),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(Rate(Some(number / seconds))),
        _ => Err(format!("{number} is no number of requests")),
    }
}

/// A report to write: how, and where.
#[derive(Clone)]
struct Target {
    render: fn(&Report) -> Result<String, String>,
    file: PathBuf,
}

fn target(text: &str) -> Result<Target, String> {
    let (form, file) = text.split_once('=').ok_or("write it as json=FILE")?;
    let render: fn(&Report) -> Result<String, String> = match form {
        "json" => json::render,
        "junit" => |report: &Report| Ok(junit::render(report)),
        "sarif" => sarif::render,
        "html" => |report: &Report| Ok(html::render(report)),
        other => return Err(format!("{other} is none of json, junit, sarif, html")),
    };
    let file = file.into();
    Ok(Target { render, file })
}

/// Everything from the arguments to the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Some(command) => command.run(),
        None => start(cli.run),
    }
}

fn pair(login: Vec<String>) -> Option<Auth> {
    let mut parts = login.into_iter();
    Some(Auth::Login { email: parts.next()?, password: parts.next()? })
}

fn options(args: RunArgs) -> Result<Options, String> {
    let mut options = Options::new(args.url.unwrap_or_default());
    let mut headers = Vec::new();
    for header in args.header {
        let (name, value) =
            header.split_once(':').ok_or_else(|| format!("--header {header}: write it as NAME: VALUE"))?;
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    options.auth = match (args.token, pair(args.login)) {
        (_, Some(login)) => login,
        _ if !headers.is_empty() => Auth::Headers(headers),
        (Some(token), None) => Auth::Token(token),
        (None, None) => Auth::None,
    };
    options.other = pair(args.other_login).or(args.other_token.map(Auth::Token)).unwrap_or_default();
    if let Some(location) = args.location {
        let (scheme, id) =
            location.split_once('/').ok_or_else(|| format!("--location {location}: write it as scheme/id"))?;
        options.location = Some((scheme.to_owned(), id.to_owned()));
    }
    options.login_path = args.login_path;
    options.classes = args.classes;
    options.profile = args.profile;
    options.allow_writes = args.allow_writes;
    options.rate = args.rate.0;
    options.timeout = Duration::from_secs(args.timeout.max(1));
    options.bounds.pages = args.pages.max(1);
    options.bounds.probes = args.probes;
    Ok(options)
}

fn start(mut args: RunArgs) -> ExitCode {
    let targets = std::mem::take(&mut args.report);
    let quiet = args.quiet;
    let options = match options(args) {
        Ok(options) => options,
        Err(why) => return refuse(&why),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(why) => return refuse(&why.to_string()),
    };
    let bar = Bar::default();
    let progress: &dyn Progress = if quiet { &Quiet } else { &bar };
    let report = runtime.block_on(crate::run(options, progress));
    bar.end();
    print!("{}", terminal::render(&report));
    for target in &targets {
        if let Err(why) = write(target, &report) {
            return refuse(&format!("{}: {why}", target.file.display()));
        }
    }
    ExitCode::from(report.exit_code())
}

fn write(target: &Target, report: &Report) -> Result<(), String> {
    let text = (target.render)(report)?;
    fs::write(&target.file, text).map_err(|why| why.to_string())
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("ade-conformance: {why}");
    ExitCode::from(2)
}

fn requirements(args: &RequirementsArgs) -> ExitCode {
    let all = Requirements::get();
    if args.readings {
        for reading in all.readings() {
            println!("{}\n  {}", reading.subject, reading.open);
            for accepted in &reading.accepted {
                println!("  - {accepted}");
            }
        }
        return ExitCode::SUCCESS;
    }
    if args.counts {
        print!("{}", all.counts());
        return ExitCode::SUCCESS;
    }
    for one in all.all() {
        if !args.classes.is_empty() && !args.classes.contains(&one.class) {
            continue;
        }
        println!("{:<32} {:<8} {}", one.id, one.level, one.title);
        println!("{:<32} {}", "", one.clause);
        match (&one.test, &one.untested) {
            (Some(test), _) => println!("{:<32} {test}", ""),
            (None, Some(why)) => println!("{:<32} not tested: {why}", ""),
            (None, None) => {}
        }
    }
    if args.classes.is_empty() {
        print!("\n{}", all.counts());
    }
    ExitCode::SUCCESS
}

/// A bar on standard error.
#[derive(Default)]
struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    fn end(&self) {
        if let Ok(mut bar) = self.0.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, steps: Option<u64>) {
        self.end();
        let (bar, style) = match steps {
            Some(steps) => (ProgressBar::new(steps), "{prefix:22} {bar:30} {pos}/{len} {wide_msg}"),
            None => (ProgressBar::new_spinner(), "{prefix:22} {spinner} {wide_msg}"),
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        if let Ok(mut slot) = self.0.lock() {
            *slot = Some(bar);
        }
    }

    fn step(&self, what: &str) {
        if let Ok(slot) = self.0.lock()
            && let Some(bar) = slot.as_ref()
        {
            bar.inc(1);
            bar.set_message(what.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
        assert_eq!(rate("5/s").unwrap().0, Some(5.0));
        assert_eq!(rate("30/min").unwrap().0, Some(0.5));
        assert_eq!(rate("none").unwrap().0, None);
        assert!(rate("0").is_err() && rate("5/h").is_err());
        assert!(target("pdf=x").is_err());
    }
}
