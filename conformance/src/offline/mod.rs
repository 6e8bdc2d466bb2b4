//! Checks documents before they are sent: `ade-conformance check FILE…`. Knows the standard and the
//! texts at hand; asks no server.

mod form;
mod hint;
mod json;
mod show;
mod text;
mod xml;

pub use form::Form;
pub(crate) use hint::plain;
use serde::Serialize;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

/// Files longer than this are not read.
const LONGEST: u64 = 1 << 30;

/// How the findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// A line each, as compilers write them.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// What is to be checked, and how.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Documents, batches, collections, feeds and pushes in JSON or XML, or a document a line
    /// (NDJSON); - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The type of resources that do not name theirs, e.g. icarWeightEventResource
    #[arg(long = "type", value_name = "RESOURCE")]
    pub resource: Option<String>,
    /// Say with each finding how to mend it
    #[arg(long)]
    pub fix_hints: bool,
    /// How to write the findings
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// A receiver that follows the standard refuses it.
    Error,
    /// Legal, and probably not intended.
    Warning,
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The file, as it was named; `-` for standard input.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Characters, from 1.
    pub column: usize,
    /// JSON pointer (RFC 6901) to the value, or to where a missing one should be. In XML, to the
    /// value in the JSON that the text is converted to; in NDJSON, within the document of the line.
    pub pointer: String,
    /// How bad it is.
    pub severity: Weight,
    /// Its kind, a stable word.
    pub code: &'static str,
    /// For people.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// The file, as it was named.
    pub file: String,
    /// What it was taken for; absent when it could not be read.
    pub form: Option<Form>,
    /// How many resources it has.
    pub resources: usize,
    /// What is wrong, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Checked {
    /// How many findings are of that weight.
    #[must_use]
    pub fn count(&self, weight: Weight) -> usize {
        let of = self.findings.iter().filter(|one| one.severity == weight);
        of.count()
    }
}

/// Something wrong at a place of the text, before lines are counted.
pub(crate) struct Fault {
    pub(crate) offset: usize,
    pub(crate) pointer: String,
    pub(crate) weight: Weight,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    /// An error in the text as a whole.
    fn error(offset: usize, code: &'static str, message: impl Into<String>) -> Self {
        Self { offset, pointer: String::new(), weight: Weight::Error, code, message: message.into(), hint: None }
    }

    /// The same at a value.
    fn at(mut self, pointer: String) -> Self {
        self.pointer = pointer;
        self
    }

    /// The same with a hint how to mend it.
    fn hint(mut self, words: impl Into<String>) -> Self {
        self.hint = Some(words.into());
        self
    }
}

/// Checks a text. `resource` is the type of resources that do not name theirs.
#[must_use]
pub fn check(file: &str, bytes: &[u8], resource: Option<&str>) -> Checked {
    let mut checked = Checked { file: file.to_owned(), form: None, resources: 0, findings: Vec::new() };
    let mut faults = Vec::new();
    let (text, skipped) = match text::decode(bytes) {
        Ok(decoded) => decoded,
        Err(fault) => {
            let text = String::from_utf8_lossy(bytes.get(..fault.offset).unwrap_or_default());
            checked.findings = text::placed(file, &text, vec![fault]);
            return checked;
        }
    };
    let xml = text.trim_start().starts_with('<');
    if skipped && !xml {
        let message = "JSON must not begin with a byte order mark (RFC 8259, 8.1).";
        let fault = Fault::error(0, "byte-order-mark", message);
        faults.push(Fault { weight: Weight::Warning, ..fault.hint("Save the file as UTF-8 without a mark.") });
    }
    (checked.form, checked.resources) = match xml {
        true => xml::check(text, resource, &mut faults),
        false => json::check(text, resource, &mut faults),
    };
    faults.sort_by_key(|fault| fault.offset);
    checked.findings = text::placed(file, text, faults);
    checked
}

fn read(file: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let source: Box<dyn io::Read> = match file {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(std::fs::File::open(path)?),
    };
    let read = source.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if read as u64 > LONGEST {
        return Err(io::Error::other("the file is longer than 1 GiB"));
    }
    Ok(bytes)
}

/// Checks the files and writes what was found. 0: nothing is wrong (warnings may be), 1: something
/// is, 2: a file could not be read, or the type is none of the standard.
#[must_use]
pub fn run(args: Args) -> ExitCode {
    if let Some(name) = &args.resource
        && ade::schema::Standard::get().resource(name).is_none()
    {
        let near = hint::nearest(name, ade::schema::Standard::get().resources());
        let near = near.map_or_else(String::new, |near| format!(" Is {near} meant?"));
        let _ = writeln!(io::stderr(), "ade-conformance: {name} is no type of the standard.{near}");
        return ExitCode::from(2);
    }
    let mut all = Vec::new();
    let mut unread = false;
    for file in &args.files {
        match read(file) {
            Ok(bytes) => all.push(check(file, &bytes, args.resource.as_deref())),
            Err(why) => {
                unread = true;
                let _ = writeln!(io::stderr(), "ade-conformance: {file}: {why}");
            }
        }
    }
    if !args.fix_hints {
        for one in all.iter_mut().flat_map(|file| &mut file.findings) {
            one.hint = None;
        }
    }
    let shown = match args.format {
        Format::Text => show::text(&all),
        Format::Json => show::json(&all),
    };
    // A reader that closes the pipe needs no more output.
    let _ = io::stdout().lock().write_all(shown.as_bytes());
    let bad = all.iter().any(|file| file.count(Weight::Error) > 0);
    ExitCode::from(if unread { 2 } else { u8::from(bad) })
}
