//! A source file as the compiler's tokens, so that comments and texts are never mistaken for code.
//!
//! Finds paths and comparisons; knows nothing of the rules they are held against. Not seen: paths inside texts, as
//! in `#[serde(with = "…")]`.

use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file under `src/`.
pub(crate) struct Source {
    /// From the root of the repository, for messages: `src/store/sql.rs`.
    pub(crate) file: String,
    /// The module directly below the root of the library that the file belongs to, or `lib` or `main`.
    pub(crate) module: String,
    pub(crate) text: String,
    /// How many times `super` leads from the file's own module to the root.
    depth: usize,
    /// Without anything under `cfg(test)`; empty for a file of tests.
    tokens: Vec<TokenTree>,
}

/// Something found in a file, with the line it stands on.
pub(crate) struct Found {
    pub(crate) line: usize,
    /// The module, crate or text.
    pub(crate) what: String,
}

/// A path in the code; `use a::{b, c::d}` gives two.
struct Written {
    line: usize,
    /// How many times `super` leads from where it stands to the root.
    depth: usize,
    segments: Vec<String>,
}

impl Source {
    /// Reads the file at `path`, which lies below `root`, the folder `src`.
    pub(crate) fn read(root: &Path, path: &Path) -> Self {
        let relative = path.strip_prefix(root).expect("a file below the root");
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::new(
            &format!("src/{}", relative.to_str().expect("a readable name")),
            &text,
        )
    }

    pub(crate) fn new(file: &str, text: &str) -> Self {
        let path = file
            .trim_start_matches("src/")
            .trim_end_matches(".rs")
            .trim_end_matches("/mod");
        let segments: Vec<_> = path.split('/').collect();
        let of_tests = segments
            .iter()
            .any(|segment| *segment == "tests" || segment.ends_with("_tests"));
        let stream: TokenStream = text
            .parse()
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        Self {
            file: file.to_owned(),
            module: segments[0].to_owned(),
            text: text.to_owned(),
            depth: if matches!(path, "lib" | "main") {
                0
            } else {
                segments.len()
            },
            tokens: if of_tests {
                Vec::new()
            } else {
                without_tests(stream)
            },
        }
    }

    /// The modules and items named from the root of the library, by `crate::…` or by as many `super::` as lead there.
    pub(crate) fn imports(&self) -> Vec<Found> {
        let from_root = |path: Written| {
            let ups = path
                .segments
                .iter()
                .take_while(|segment| *segment == "super")
                .count();
            let skip = match path.segments.first()?.as_str() {
                "crate" => 1,
                "super" if ups >= path.depth => ups,
                _ => return None,
            };
            let mut rest = path.segments.into_iter().skip(skip);
            Some(Found {
                line: path.line,
                what: rest.next()?,
            })
        };
        self.paths().into_iter().filter_map(from_root).collect()
    }

    /// The paths that begin with another name than `crate` and its kind: that name, perhaps a crate's.
    pub(crate) fn outer_paths(&self) -> Vec<Found> {
        let named = |path: Written| {
            let mut segments = path.segments.into_iter();
            Some(Found {
                line: path.line,
                what: segments.next()?,
            })
        };
        self.paths().into_iter().filter_map(named).collect()
    }

    /// Texts beside `==` or `!=`, and texts that are patterns.
    pub(crate) fn compared_texts(&self) -> Vec<Found> {
        let mut found = Vec::new();
        compared(&self.tokens, &mut found);
        found
    }

    fn paths(&self) -> Vec<Written> {
        let mut paths = Vec::new();
        collect_paths(&self.tokens, self.depth, &mut paths);
        paths
    }
}

/// The tokens, groups kept as such, without items under `#[cfg(test)]`.
fn without_tests(stream: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let for_tests = |next: &TokenTree| next.to_string().replace(' ', "") == "[cfg(test)]";
        if is_punct(&token, '#') && tokens.peek().is_some_and(for_tests) {
            // The item ends with its first block or semicolon.
            tokens.find(|token| is_punct(token, ';') || is_block(token));
        } else {
            kept.push(token);
        }
    }
    kept
}

/// All paths of more than one segment, and single names after `use`.
fn collect_paths(tokens: &[TokenTree], depth: usize, paths: &mut Vec<Written>) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(group) => {
                // `mod name { … }` lies one `super` further down.
                let inside_module = at >= 3 && is_word(&tokens[at - 3], "mod");
                collect_paths(
                    &without_tests(group.stream()),
                    depth + usize::from(inside_module),
                    paths,
                );
            }
            TokenTree::Ident(_) => {
                let used = at >= 2 && is_word(&tokens[at - 2], "use");
                let (found, length) = path(&tokens[at - 1..]);
                at += length - 1;
                let whole = found
                    .into_iter()
                    .filter(|(_, segments)| used || segments.len() > 1);
                paths.extend(whole.map(|(line, segments)| Written {
                    line,
                    depth,
                    segments,
                }));
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The path that begins with the first token, a name, branched where it has braces; and how many tokens it takes.
fn path(tokens: &[TokenTree]) -> (Vec<(usize, Vec<String>)>, usize) {
    let mut segments = vec![tokens[0].to_string()];
    let mut line = tokens[0].span().start().line;
    let mut length = 1;
    while let [first, second, next, ..] = &tokens[length..]
        && is_punct(first, ':')
        && is_punct(second, ':')
    {
        match next {
            TokenTree::Ident(name) => {
                segments.push(name.to_string());
                line = name.span().start().line;
                length += 3;
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let branches = inner.split(|token| is_punct(token, ','));
                let named =
                    branches.filter(|branch| matches!(branch.first(), Some(TokenTree::Ident(_))));
                let whole = named.flat_map(|branch| path(branch).0).map(|(line, rest)| {
                    let segments = segments.iter().cloned().chain(rest).collect();
                    (line, segments)
                });
                return (whole.collect(), length + 3);
            }
            // `::<T>` and `::*`
            _ => break,
        }
    }
    (vec![(line, segments)], length)
}

fn compared(tokens: &[TokenTree], found: &mut Vec<Found>) {
    let signs = |at: Option<usize>, signs: &[&str]| {
        let pair: String = tokens
            .iter()
            .skip(at.unwrap_or(tokens.len()))
            .take(2)
            .map(ToString::to_string)
            .collect();
        signs.iter().any(|sign| pair.starts_with(sign))
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => compared(&without_tests(group.stream()), found),
            TokenTree::Literal(literal) => {
                let before =
                    signs(at.checked_sub(2), &["==", "!="]) || signs(at.checked_sub(1), &["|"]);
                let after = signs(Some(at + 1), &["==", "!=", "=>", "|"]);
                let text = literal.to_string();
                if let (true, Some(text)) = (
                    before || after,
                    text.strip_prefix('"')
                        .and_then(|text| text.strip_suffix('"')),
                ) {
                    found.push(Found {
                        line: literal.span().start().line,
                        what: text.to_owned(),
                    });
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
