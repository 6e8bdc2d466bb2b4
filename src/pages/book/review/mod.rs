//! The review on the page of a record whose declaration has one (docs/pages.md, *Packages*): what the checks found, and
//! the rows as they were sent with what is wrong beside each cell. The farm and the Association see the same. Must not
//! know which collection it is.

mod comment;
mod comments;
mod findings;
mod mended;
mod questions;
mod rows;
mod sample;
mod tell;
mod templates;

pub(super) use comment::comment;
pub(super) use comments::comment_list;
pub(super) use mended::mend;
pub(super) use questions::questions;
pub(super) use sample::sample;
pub(super) use tell::tell;
pub(super) use templates::templates;

use self::questions::Answers;
use super::rights::Rights;
use crate::components::shell::Shell;
use crate::components::value::unread_columns;
use crate::words::{Form, text_of};
use maud::{Markup, html};
use model::display::at;
use model::messages::stored;
use model::registry::review::{package, sent_row};
use model::registry::{Collection, Feature};
use serde_json::Value;

/// A record that is reviewed, with the collections of its rows and findings.
#[derive(Debug, Clone, Copy)]
struct ReviewedPackage<'r> {
    shell: &'r Shell<'r>,
    c: &'static Collection,
    id: i64,
    doc: &'r Value,
    sent_rows: &'static Collection,
    findings: &'static Collection,
    /// What was typed into its rows, and refused.
    typed: Option<&'r Form>,
}

impl<'r> ReviewedPackage<'r> {
    fn of(shell: &'r Shell<'r>, c: &'static Collection, id: i64, doc: &'r Value) -> Option<Self> {
        let registry = shell.pages.site.registry;
        c.is(Feature::Packages).then_some(Self {
            shell,
            c,
            id,
            doc,
            sent_rows: registry.with_feature(Feature::SentRows)?,
            findings: registry.with_feature(Feature::Findings)?,
            typed: None,
        })
    }

    fn address(&self) -> String {
        format!("/book/{}/{}", self.c.slug, self.id)
    }

    fn animals(&self) -> Vec<i64> {
        let all = at(self.doc, package::ANIMALS).as_array();
        let id = |one: &Value| one.get("id").unwrap_or(one).as_i64();
        all.into_iter().flatten().filter_map(id).collect()
    }

    /// The address of the page with some parameters changed, at a place of it.
    fn with(&self, query: &Form, changes: &[(&str, &str)], place: &str) -> String {
        let changed = |name: &str| changes.iter().any(|(own, _)| *own == name);
        let unchanged = query.0.iter().filter(|(name, _)| !changed(name)).cloned();
        let new = changes.iter().filter(|(_, value)| !value.is_empty());
        let new = new.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let all: Vec<(String, String)> = unchanged.chain(new).collect();
        format!("{}?{}#{place}", self.address(), super::query::written(&all))
    }

    /// Ways to the pages before and behind one.
    fn pages(&self, query: &Form, (name, place): (&str, &str), (number, of): (u64, u64)) -> Markup {
        let link = |page: u64, text: &str, rel: &str| {
            let address = self.with(query, &[(name, &page.to_string())], place);
            html! { a rel=(rel) href=(address) { (self.shell.text(text)) } }
        };
        html! {
            @if of > 1 {
                nav class="pages" aria-label={ (self.shell.text("page-pages")) ": " (self.shell.text(&format!("page-review-{place}"))) } {
                    @if number > 1 { (link(number.saturating_sub(1), "page-previous", "prev")) }
                    span { (number) " / " (of) }
                    @if number < of { (link(number.saturating_add(1), "page-next", "next")) }
                }
            }
        }
    }
}

/// There is nothing to review yet.
fn reading(of: ReviewedPackage<'_>) -> Markup {
    html! {
        section id="reading" {
            p role="status" {
                (of.shell.text("page-review-reading")) " "
                a href=(of.address()) { (of.shell.text("page-review-again")) }
            }
        }
    }
}

/// What the sender must know before all else: that the file cannot be read, why, and what to do; else why the package was
/// sent back, what became of its rows, the questions about its columns, and which of them are not read.
pub(super) fn first(shell: &Shell<'_>, c: &Collection, doc: &Value, rights: &Rights) -> Markup {
    if !c.is(Feature::Packages) {
        return html! {};
    }
    if !is_unread(doc) {
        let address = format!("/book/{}/{}", c.slug, at(doc, "id"));
        let answers = Answers { address: &address, path: package::MAPPING, stated: at(doc, package::MAPPING) };
        let may = shell.visitor.user.is_some() && rights.may_write(package::MAPPING, "update");
        let sheets = at(doc, package::SHEETS);
        let [new, _] = package::OPEN;
        let remark = at(doc, package::REMARK).as_str().filter(|_| at(doc, package::STATUS) == new);
        return html! {
            @if let Some(remark) = remark {
                p id="sent-back" class="fault" role="alert" { (shell.text("page-review-sent-back")) ": " (remark) }
            }
            (summary(shell, &address, doc))
            (questions(shell, sheets, may.then_some(answers)))
            (unread_columns(shell, sheets))
        };
    }
    let text = |path: &str| at(doc, path).as_str().unwrap_or_default();
    let (message, code) = (text(package::UNREAD_MESSAGE), text(package::UNREAD_CODE));
    html! {
        div id="unread" class="fault" role="alert" {
            h2 { (shell.text("page-review-unread")) }
            p { (stored(shell.language(), message, code)) }
            p { (shell.text("page-review-unread-then")) }
        }
    }
}

/// What became of the file, in a sentence: its rows, how many the book has, what is to be done about the others.
fn summary(shell: &Shell<'_>, address: &str, doc: &Value) -> Markup {
    let rows = |word: &str| at(doc, &format!("{}.{word}", package::COUNTS)).as_u64().unwrap_or(0);
    let of_sheets = |list: &str| {
        let sheets = at(doc, package::SHEETS).as_array().into_iter().flatten();
        sheets.filter_map(|sheet| at(sheet, list).as_array()).map(Vec::len).sum::<usize>().to_string()
    };
    let said =
        |name: &str, value: String| text_of(shell.language(), &format!("page-review-sum-{name}"), "count", &value);
    let taken = package::TAKEN.iter().map(|word| rows(word)).sum::<u64>();
    let parts = [
        ("taken", taken.to_string()),
        ("held", rows("held").to_string()),
        ("skipped", rows("skipped").to_string()),
        ("unread", of_sheets("unread")),
        ("questions", of_sheets("questions")),
    ];
    let parts = parts.into_iter().filter(|(name, count)| *name == "taken" || count != "0");
    html! {
        @if at(doc, package::READING) == package::READ {
            p id="summary" { strong {
                (said("rows", rows("rows").to_string())) ":"
                @for (place, (name, count)) in parts.enumerate() {
                    @if place > 0 { "," } " "
                    @let way = (name == "held").then(|| format!("{address}?state=held#rows"));
                    @match way {
                        Some(way) => a href=(way) { (said(name, count)) },
                        None => (said(name, count)),
                    }
                }
                "."
            } }
        }
    }
}

fn is_unread(doc: &Value) -> bool {
    at(doc, package::READING) == package::UNREAD
}

/// Whether the visitor may correct rows of a record: these come first.
pub(super) fn is_to_correct(
    shell: &Shell<'_>,
    c: &'static Collection,
    (id, doc): (i64, &Value),
    rights: &Rights,
) -> bool {
    ReviewedPackage::of(shell, c, id, doc).is_some_and(|of| rows::waiting(of, rights).is_some())
}

/// The review; nothing for records that have none.
pub(super) async fn markup(
    shell: &Shell<'_>,
    c: &'static Collection,
    (id, doc): (i64, &Value),
    rights: &Rights,
    typed: Option<&Form>,
) -> Markup {
    let Some(of) = ReviewedPackage::of(shell, c, id, doc) else {
        return html! {};
    };
    let of = ReviewedPackage { typed, ..of };
    let reads = |word: &&str| at(doc, package::READING) == *word;
    if package::IS_READING.iter().any(reads) {
        return reading(of);
    }
    // Nothing was checked. Of a long file the first rows may be in the book.
    if is_unread(doc) {
        let states = of.sent_rows.options(sent_row::STATE);
        let any = states.iter().any(|word| {
            let count = at(doc, &format!("{}.{word}", package::COUNTS));
            count.as_u64().is_some_and(|count| count > 0)
        });
        return match any {
            true => rows::markup(of, rights).await,
            false => html! {},
        };
    }
    let (findings, rows) = futures_util::join!(findings::markup(of, rights), rows::markup(of, rights));
    match rows::waiting(of, rights) {
        Some(_) => html! { (rows) (findings) (sample::form(of)) },
        None => html! { (findings) (rows) (sample::form(of)) },
    }
}
