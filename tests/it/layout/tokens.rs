//! A source file as the compiler's tokens, so that comments and texts are never mistaken for code.
//!
//! Finds paths and comparisons, and does not depend on the rules that judge them. Not seen: paths inside texts, as
//! in `#[serde(with = "…")]`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file under `src/`.
pub(crate) struct Source {
    /// From the root of the repository, for messages: `src/store/sql.rs`.
    pub(crate) file: String,
    pub(crate) text: String,
    /// Without anything under `cfg(test)`; empty for a file of tests.
    tokens: Vec<TokenTree>,
}

/// Something found in a file, with its line.
pub(crate) struct Occurrence {
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// A sentence about a fault, as far as it stands in the code as one text.
pub(crate) struct Sentence {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The names of its values, where it is written with `said!`.
    pub(crate) values: Option<BTreeSet<String>>,
}

/// Functions that take a sentence; with the type before them where others have the same name.
const SENTENCE_TAKERS: [(&str, &str); 12] = [
    ("Issue", "error"),
    ("Issue", "additional"),
    ("Error", "invalid"),
    ("Fault", "new"),
    ("Excess", "new"),
    ("", "fault"),
    ("", "plain"),
    ("", "named"),
    ("", "bad"),
    ("", "shape"),
    ("", "unread"),
    ("", "refused"),
];
/// Names that sentences are bound to before they are used.
const NAMED: [&str; 3] = ["message", "detail", "why"];

/// A path in the code; `use a::{b, c::d}` gives two.
pub(crate) struct Written {
    /// The number of inline modules of the file around it.
    pub(crate) depth: usize,
    /// Whether it comes after `use`.
    pub(crate) used: bool,
    pub(crate) segments: Vec<String>,
}

impl Source {
    /// Reads the file at `path`, which lies below `root`, the folder `src`.
    pub(crate) fn read(root: &Path, path: &Path) -> Self {
        let relative = path.strip_prefix(root).expect("a file below the root");
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::new(&format!("src/{}", relative.to_str().expect("a readable name")), &text)
    }

    pub(crate) fn new(file: &str, text: &str) -> Self {
        let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut segments = file.trim_end_matches(".rs").split('/');
        // Test days are a subject of the book.
        let is_test = |name: &str| name.ends_with("_tests") && name != "milk_tests";
        let of_tests = segments.any(|name| name == "tests" || is_test(name));
        Self {
            file: file.to_owned(),
            text: text.to_owned(),
            tokens: match of_tests {
                true => Vec::new(),
                false => without_tests(stream),
            },
        }
    }

    /// Whether there is nothing but tests in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The crate it belongs to, or `main`.
    pub(crate) fn crate_name(&self) -> &str {
        let name = self.file.split('/').nth(1).unwrap_or_default();
        name.trim_end_matches(".rs")
    }

    /// Texts beside `==` or `!=`, and texts that are patterns.
    pub(crate) fn compared_texts(&self) -> Vec<Occurrence> {
        let mut found = Vec::new();
        compared(&self.tokens, &mut found);
        found
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect_texts(&self.tokens, &mut found);
        found
    }

    /// Sentences about faults.
    pub(crate) fn said(&self) -> Vec<Sentence> {
        let mut found = Vec::new();
        collect_said(&self.tokens, &mut found);
        found
    }

    /// All paths of more than one segment, and single names after `use`.
    pub(crate) fn paths(&self) -> Vec<Written> {
        let mut paths = Vec::new();
        collect_paths(&self.tokens, 0, &mut paths);
        paths
    }
}

/// The tokens, with groups preserved as such, without items under `#[cfg(test)]`.
fn without_tests(stream: TokenStream) -> Vec<TokenTree> {
    let mut product = Vec::new();
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let for_tests = |next: &TokenTree| next.to_string().replace(' ', "") == "[cfg(test)]";
        if is_punct(&token, '#') && tokens.peek().is_some_and(for_tests) {
            // The item ends with its first block or semicolon.
            tokens.find(|token| is_punct(token, ';') || is_block(token));
        } else {
            product.push(token);
        }
    }
    product
}

fn collect_texts(tokens: &[TokenTree], found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_texts(&without_tests(group.stream()), found),
            token => found.extend(text_of(token)),
        }
    }
}

fn collect_said(tokens: &[TokenTree], found: &mut Vec<Sentence>) {
    for (at, token) in tokens.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map(|at| &tokens[at]);
        match token {
            TokenTree::Group(group) => {
                let inner = without_tests(group.stream());
                let macro_of = before(2).filter(|_| before(1).is_some_and(|t| is_punct(t, '!')));
                let called = before(1).map(ToString::to_string).unwrap_or_default();
                let of = before(4).filter(|_| before(2).is_some_and(|t| is_punct(t, ':')));
                let of = of.map(ToString::to_string).unwrap_or_default();
                let is_named = |(owner, name): &(&str, &str)| *name == called && (owner.is_empty() || *owner == of);
                if macro_of.is_some_and(|name| is_word(name, "said")) {
                    found.extend(written(&inner));
                } else if SENTENCE_TAKERS.iter().any(is_named) {
                    let sentences = inner.iter().filter(|token| is_sentence(token));
                    found.extend(sentences.map(plain));
                }
                collect_said(&inner, found);
            }
            token if is_sentence(token) => {
                let name = before(2).map(ToString::to_string).unwrap_or_default();
                let bound = before(1).is_some_and(|t| is_punct(t, '='))
                    && NAMED.contains(&name.as_str())
                    && before(3).is_some_and(|t| is_word(t, "let"));
                found.extend(bound.then(|| plain(token)));
            }
            _ => {}
        }
    }
}

/// What stands in `said!(…)`.
fn written(inner: &[TokenTree]) -> Option<Sentence> {
    let first = inner.first()?;
    let mut values = BTreeSet::new();
    for part in inner.split(|token| is_punct(token, ',')).skip(1) {
        if let [name, sign, ..] = part
            && is_punct(sign, '=')
        {
            values.insert(name.to_string());
        }
    }
    Some(Sentence { values: Some(values), ..plain(first) })
}

fn plain(token: &TokenTree) -> Sentence {
    Sentence { line: token.span().start().line, text: text_of(token).unwrap_or_default(), values: None }
}

/// Whether it is a text of several words, and no format of one.
fn is_sentence(token: &TokenTree) -> bool {
    text_of(token).is_some_and(|text| text.trim().contains(' '))
}

/// The text of a literal.
fn text_of(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else {
        return None;
    };
    let literal = literal.to_string();
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => while letters.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some('n')) => {
                letters.next();
                out.push('\n');
            }
            ('\\', Some(_)) => out.extend(letters.next()),
            _ => out.push(letter),
        }
    }
    Some(out)
}

fn collect_paths(tokens: &[TokenTree], depth: usize, paths: &mut Vec<Written>) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(group) => {
                // `mod name { … }` lies one `super` further down.
                let inside_module = at >= 3 && is_word(&tokens[at - 3], "mod");
                collect_paths(&without_tests(group.stream()), depth + usize::from(inside_module), paths);
            }
            TokenTree::Ident(_) => {
                let used = at >= 2 && is_word(&tokens[at - 2], "use");
                let (found, length) = path(&tokens[at - 1..]);
                at += length - 1;
                let whole = found.into_iter().filter(|segments| used || segments.len() > 1);
                paths.extend(whole.map(|segments| Written { depth, used, segments }));
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The path that begins with the first token, a name, branched where it has braces; and how many tokens it takes.
fn path(tokens: &[TokenTree]) -> (Vec<Vec<String>>, usize) {
    let mut segments = vec![tokens[0].to_string()];
    let mut length = 1;
    while let [first, second, next, ..] = &tokens[length..]
        && is_punct(first, ':')
        && is_punct(second, ':')
    {
        match next {
            TokenTree::Ident(name) => {
                segments.push(name.to_string());
                length += 3;
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let branches = inner.split(|token| is_punct(token, ','));
                let named = branches.filter(|branch| matches!(branch.first(), Some(TokenTree::Ident(_))));
                let whole = named.flat_map(|branch| path(branch).0);
                let whole = whole.map(|rest| segments.iter().cloned().chain(rest).collect());
                return (whole.collect(), length + 3);
            }
            // `::<T>` and `::*`
            _ => break,
        }
    }
    (vec![segments], length)
}

fn compared(tokens: &[TokenTree], found: &mut Vec<Occurrence>) {
    let signs = |at: Option<usize>, signs: &[&str]| {
        let pair: String = tokens.iter().skip(at.unwrap_or(tokens.len())).take(2).map(ToString::to_string).collect();
        signs.iter().any(|sign| pair.starts_with(sign))
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => compared(&without_tests(group.stream()), found),
            TokenTree::Literal(literal) => {
                let before = signs(at.checked_sub(2), &["==", "!="]) || signs(at.checked_sub(1), &["|"]);
                let after = signs(Some(at + 1), &["==", "!=", "=>", "|"]);
                let text = literal.to_string();
                if let (true, Some(text)) =
                    (before || after, text.strip_prefix('"').and_then(|text| text.strip_suffix('"')))
                {
                    found.push(Occurrence { line: literal.span().start().line, what: text.to_owned() });
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}
