//! What a farm and the Association wrote to each other about a record of both, and where they write more. Must not know
//! which collection it is.

use crate::book::rights::Rights;
use crate::components::shell::Shell;
use crate::components::value::instant;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::Collection;
use model::registry::review::comment;
use serde_json::Value;

/// The text of the button.
pub(super) const BUTTON: &str = "page-comment-send";

/// Nothing for records that have no comments.
pub(in crate::book) fn comment_list(shell: &Shell<'_>, c: &'static Collection, doc: &Value, rights: &Rights) -> Markup {
    if c.field(comment::LIST).is_none() {
        return html! {};
    }
    let all = at(doc, comment::LIST).as_array().map_or(&[][..], Vec::as_slice);
    let writes = shell.visitor.user.is_some() && rights.may_write(comment::LIST, "update");
    let label = labels::field(shell.language(), c.slug, comment::LIST);
    html! {
        @if writes || !all.is_empty() {
            section id=(comment::LIST) {
                h2 { (label) " " span class="count" { (all.len()) } }
                @for one in all { (written(shell, c, one)) }
                @if writes {
                    form method="post" action={ "/book/" (c.slug) "/" (at(doc, "id")) "/comment" } {
                        div class="field" {
                            label for="comment" { (labels::field(shell.language(), c.slug, &path(comment::TEXT))) }
                            textarea id="comment" name=(comment::TEXT) rows="3" required {}
                        }
                        button type="submit" { (shell.text(BUTTON)) }
                    }
                }
            }
        }
    }
}

fn path(member: &str) -> String {
    format!("{}.{member}", comment::LIST)
}

fn written(shell: &Shell<'_>, c: &'static Collection, one: &Value) -> Markup {
    let text = |member: &str| at(one, member).as_str().unwrap_or_default();
    html! {
        p class="note" {
            (labels::option(shell.language(), c.slug, &path(comment::ROLE), text(comment::ROLE)))
            ", " (instant(shell, text(comment::AT)))
        }
        p { (text(comment::TEXT)) }
    }
}
