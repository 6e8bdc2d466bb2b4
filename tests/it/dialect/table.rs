//! Reads the table of cases into requests and their expectations. The grammar is at the head of `cases.txt`.

/// One numbered case.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) number: u32,
    pub(super) title: String,
    /// Settings that differ from the defaults.
    pub(super) settings: Vec<(String, String)>,
    /// The missing feature that the case waits for. The case runs all the same, so that the mark is not forgotten.
    pub(super) missing: Option<String>,
    pub(super) steps: Vec<Step>,
}

/// One step of a case.
#[derive(Debug)]
pub(super) enum Step {
    /// A value that is in the book, set by any way of writing: collection, id, field, JSON.
    Stored(String, i64, String, String),
    Request(Box<Request>),
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) caller: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    /// A file by its name, sent beside the body.
    pub(super) file: Option<String>,
    pub(super) body: String,
    pub(super) expected: Vec<String>,
}

impl Case {
    /// Whether it may leave the book as it was.
    pub(super) fn reads(&self) -> bool {
        self.settings.is_empty()
            && self.steps.iter().all(|step| match step {
                Step::Stored(..) => false,
                Step::Request(r) => r.method == "GET" || overridden(r),
            })
    }
}

fn overridden(request: &Request) -> bool {
    request.headers.iter().any(|(name, _)| name.ends_with("Method-Override"))
}

/// Reads the table.
pub(super) fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in logical(text) {
        if let Some(head) = line.strip_prefix("== ") {
            let (number, title) = head.split_once(' ').expect("== number title");
            cases.push(Case {
                number: number.parse().expect("a number"),
                title: title.trim().to_owned(),
                settings: Vec::new(),
                missing: None,
                steps: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().expect("a case before the first request");
        if let Some(setting) = line.strip_prefix("with ") {
            let (key, value) = setting.split_once(" = ").expect("with key = value");
            case.settings.push((key.to_owned(), value.to_owned()));
        } else if let Some(why) = line.strip_prefix("missing ") {
            case.missing = Some(why.to_owned());
        } else if let Some(stored) = line.strip_prefix("stored ") {
            case.steps.push(stored_value(stored));
        } else {
            case.steps.push(Step::Request(Box::new(request(&line))));
        }
    }
    cases
}

/// Lines without comments, each with the indented ones that go on with it.
fn logical(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(';') && !line.trim().is_empty()) {
        match lines.last_mut() {
            Some(last) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.trim().to_owned()),
        }
    }
    lines
}

fn stored_value(text: &str) -> Step {
    let (place, value) = text.split_once(" = ").expect("stored … = value");
    let words: Vec<&str> = place.split(' ').collect();
    let [collection, id, field] = words[..] else {
        panic!("stored collection id field = value: {text}");
    };
    let id = id.parse().expect("an id");
    Step::Stored(collection.to_owned(), id, field.to_owned(), value.to_owned())
}

fn request(line: &str) -> Request {
    let (request, expected) = line.split_once(" -> ").unwrap_or_else(|| panic!("no arrow: {line}"));
    let mut words = request.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (caller, method, path, rest) = (word(), word(), word(), word());
    let mut rest = rest.trim();
    let mut headers = Vec::new();
    // A header is distinguished from a JSON list by its colon.
    while let Some((header, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let Some((name, value)) = header.split_once(": ").filter(|(name, _)| !name.contains('"')) else {
            break;
        };
        headers.push((name.to_owned(), ranges(value)));
        rest = behind.trim();
    }
    let mut file = None;
    if let Some((name, behind)) = rest.strip_prefix("file(").and_then(|rest| rest.split_once(')')) {
        file = Some(name.to_owned());
        rest = behind.trim();
    }
    let path = match path.strip_prefix('W') {
        Some(query) => format!("/api/animals?where{query}"),
        None => path,
    };
    Request {
        caller,
        method,
        path: ranges(&path),
        headers,
        file,
        body: ranges(rest),
        expected: expected.split(" ; ").map(|e| e.trim().to_owned()).collect(),
    }
}

/// `«1..9»` as `1,2,…,9`, `«x*9»` as nine `x`, `«nl*2»` as two line ends.
fn ranges(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('«') {
        out.push_str(before);
        match behind.split_once('»').and_then(|(inner, after)| Some((repeated(inner)?, after))) {
            Some((all, after)) => {
                out.push_str(&all);
                rest = after;
            }
            None => {
                out.push('«');
                rest = behind;
            }
        }
    }
    out + rest
}

fn repeated(inner: &str) -> Option<String> {
    if let Some((from, to)) = inner.split_once("..") {
        let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
        let all: Vec<String> = (from..=to).map(|n| n.to_string()).collect();
        return Some(all.join(","));
    }
    let (text, times) = inner.rsplit_once('*')?;
    let text = if text == "nl" { "\n" } else { text };
    Some(text.repeat(times.parse().ok()?))
}
