//! The ways of writing: by id, in bulk, and what errors reveal about rows that a body names. Empty changes show
//! which callers are allowed without changing the book; deletions that are allowed come last.

use super::oracle::{Caller, Facts, Kind as Who, at, rules};
use super::rules::{LINES, Rule, WHOLE_BOOK};
use super::{ABSENT, Matrix, compared, fields};
use crate::rest::world::{FORBIDDEN, NOT_FOUND};
use model::registry::Kind;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Matrix<'_> {
    pub(super) async fn write(&mut self) {
        for (turn, caller) in self.callers.clone().iter().enumerate() {
            for line in LINES {
                self.absent(caller, line.slug).await;
                self.refused(caller, line.slug, turn).await;
                self.bulk_delete(caller, line.slug).await;
            }
        }
        for caller in self.callers.clone() {
            for line in LINES {
                self.naming(&caller, line.slug).await;
                self.creating(&caller, line.slug).await;
            }
        }
        // Creations that succeeded are rows as well.
        self.learn().await;
        for (turn, caller) in self.callers.clone().iter().enumerate() {
            for line in LINES {
                self.bulk_update(caller, line.slug).await;
                self.let_in(caller, line.slug, turn).await;
            }
        }
        self.deletions().await;
    }

    /// Absent under a rule that holds without looking at a row is 404, else 403 (docs/dialect.md, *403 or 404*).
    async fn absent(&mut self, caller: &Caller, slug: &'static str) {
        for (method, update) in [("PATCH", true), ("DELETE", false)] {
            let path = format!("/api/{slug}/{ABSENT}");
            let answer = self.ask(caller.name, method, &path, "{}").await;
            let line = rules(slug);
            let free = match if update { line.update } else { line.delete } {
                Rule::Author => false,
                rule => self.facts.writes(caller, slug, rule, &json!({})),
            };
            let expected = if free { NOT_FOUND } else { FORBIDDEN };
            let case = format!("{:?} {method} {path}", caller.name);
            self.same("absent", 1, &case, &expected, &answer.parts());
        }
    }

    /// Rows that the caller may not write: 403, as for rows that are not there.
    async fn refused(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        let rows = self.facts.rows(slug).clone();
        for (method, update) in [("PATCH", true), ("DELETE", false)] {
            for (id, row) in &rows {
                let skipped = !(turn + usize::try_from(*id).unwrap()).is_multiple_of(self.every);
                if skipped || self.facts.may(caller, slug, update, row) {
                    continue;
                }
                let path = format!("/api/{slug}/{id}");
                let answer = self.ask(caller.name, method, &path, "{}").await;
                let case = format!("{:?} {method} {path}", caller.name);
                self.same("refused", 1, &case, &FORBIDDEN, &answer.parts());
            }
        }
    }

    /// Bulk deletion of rows that the caller may not delete touches none, and is answered as for absent ones.
    async fn bulk_delete(&mut self, caller: &Caller, slug: &'static str) {
        let rows = self.facts.rows(slug);
        let closed = rows.iter().filter(|(_, row)| {
            let may = self.facts.may(caller, slug, false, row);
            !(may && self.facts.reads(caller, slug, row))
        });
        let closed: Vec<String> = closed.map(|(id, _)| id.to_string()).collect();
        let count = closed.len();
        if count == 0 {
            return;
        }
        self.nothing_done(caller, slug, "DELETE", &closed.join(","), count).await;
    }

    async fn nothing_done(&mut self, caller: &Caller, slug: &str, method: &str, ids: &str, count: usize) {
        let path = |ids: &str| format!("/api/{slug}?depth=0&where[id][in]={ids}");
        let none = self.ask(caller.name, method, &path(&ABSENT.to_string()), "{}").await;
        let answer = self.ask(caller.name, method, &path(ids), "{}").await;
        let case = format!("{:?} {method} {}", caller.name, path(ids));
        self.same("bulk", count, &case, &compared(&none), &compared(&answer));
        if answer.status != 403 {
            let done = answer.json();
            let expected = (200, json!([]), json!([]));
            let got = (answer.status, done["docs"].clone(), done["errors"].clone());
            self.same("bulk", count, &case, &expected, &got);
        }
    }

    /// A bulk change touches the rows that the caller reads and may write, no other.
    async fn bulk_update(&mut self, caller: &Caller, slug: &'static str) {
        let rows = self.facts.rows(slug);
        let open = |(id, row): (&i64, &Value)| {
            let may = self.facts.may(caller, slug, true, row);
            (may && self.facts.reads(caller, slug, row)).then_some(*id)
        };
        let open: BTreeSet<i64> = rows.iter().filter_map(open).collect();
        let closed: Vec<String> = rows.keys().filter(|id| !open.contains(id)).map(i64::to_string).collect();
        let (count, all) = (rows.len(), rows.keys().map(i64::to_string).collect::<Vec<_>>());
        if !closed.is_empty() {
            let ids = closed.join(",");
            self.nothing_done(caller, slug, "PATCH", &ids, closed.len()).await;
        }
        if open.is_empty() {
            return;
        }
        let path = format!("/api/{slug}?depth=0&where[id][in]={}", all.join(","));
        let answer = self.ask(caller.name, "PATCH", &path, "{}").await;
        let done = answer.json();
        let ids = |list: &Value| -> BTreeSet<i64> {
            let all = list.as_array().cloned().unwrap_or_default();
            all.iter().filter_map(|d| d["id"].as_i64()).collect()
        };
        let touched: BTreeSet<i64> = &ids(&done["docs"]) | &ids(&done["errors"]);
        let case = format!("{:?} PATCH {path}", caller.name);
        self.same("bulk", count, &case, &open, &touched);
    }

    /// Rows that the caller may write: an empty change is accepted, regardless of the checks.
    async fn let_in(&mut self, caller: &Caller, slug: &'static str, turn: usize) {
        let rows = self.facts.rows(slug).clone();
        for (id, row) in &rows {
            let skipped = !(turn + usize::try_from(*id).unwrap()).is_multiple_of(self.every);
            if skipped || !self.facts.may(caller, slug, true, row) {
                continue;
            }
            let path = format!("/api/{slug}/{id}?depth=0");
            let answer = self.ask(caller.name, "PATCH", &path, "{}").await;
            let case = format!("{:?} PATCH {path}: {}", caller.name, answer.text);
            if Facts::of_another(caller, slug, row) || Facts::is_computed(slug, row) {
                self.same("let in", 1, &case, &403, &answer.status);
                continue;
            }
            let got = matches!(answer.status, 200 | 400);
            self.same("let in", 1, &case, &true, &got);
        }
    }

    /// A body that names a row which the caller does not read is answered like one that names no row.
    async fn naming(&mut self, caller: &Caller, slug: &'static str) {
        for field in fields(self.collection(slug)) {
            let Kind::Relation(to) = &field.kind else {
                continue;
            };
            if WHOLE_BOOK.contains(&(slug, field.path.as_str())) {
                continue;
            }
            let hidden: Vec<i64> = (self.facts.rows(to).iter())
                .filter(|(_, row)| !self.facts.reads(caller, to, row))
                .map(|(id, _)| *id)
                .take(2)
                .collect();
            if hidden.is_empty() {
                continue;
            }
            let absent = self.named(caller, slug, &field.path, ABSENT).await;
            for id in hidden {
                let named = self.named(caller, slug, &field.path, id).await;
                let case = format!("{:?} POST {slug} {{{}: {id}}}", caller.name, field.path);
                self.same("error text", 1, &case, &absent, &named);
            }
        }
    }

    /// The answer to a body that names a row: its status, whether the row was stored, and its text.
    async fn named(&self, caller: &Caller, slug: &str, path: &str, id: i64) -> (u16, bool, String) {
        let mut body = json!({});
        let mut place = &mut body;
        for step in path.split('.') {
            place = &mut place[step];
        }
        *place = id.into();
        let answer = self.ask(caller.name, "POST", &format!("/api/{slug}?depth=0"), &body.to_string()).await;
        if answer.status != 201 {
            return (answer.status, false, answer.text.replace(&format!("relationships: {id} "), ""));
        }
        // Fields that the server fills itself ("~") are ignored, whatever they name.
        (201, *at(&answer.json()["doc"], path) == id, String::new())
    }

    /// An empty body shows who may try to create: 403 for all others.
    async fn creating(&mut self, caller: &Caller, slug: &'static str) {
        let may = match rules(slug).create {
            // "author" and "owner" come from the session: who makes a row is its subject.
            Rule::Author => caller.kind != Who::Anonymous,
            // The owner of the row is not stated yet: a missing required field ("!") is bad content, 400.
            Rule::Own(cap) => caller.kind == Who::Association || caller.caps.contains(&cap),
            Rule::Farm => caller.kind != Who::Anonymous,
            rule => self.facts.writes(caller, slug, rule, &Value::Null),
        };
        let answer = self.ask(caller.name, "POST", &format!("/api/{slug}?depth=0"), "{}").await;
        let case = format!("{:?} POST {slug} {{}}: {}", caller.name, answer.text);
        self.same("create", 1, &case, &may, &(answer.status != 403));
        self.about(caller, slug).await;
    }

    /// Rows about an animal are written by its present owner (docs/design/access.md, *The twelve rules*).
    async fn about(&mut self, caller: &Caller, slug: &'static str) {
        let line = rules(slug);
        let Rule::Own(_) = line.create else { return };
        if line.writers != ["animal.owner"] {
            return;
        }
        let animals: Vec<i64> = self.facts.rows("animals").keys().copied().collect();
        for id in animals {
            let may = self.facts.writes(caller, slug, line.create, &json!({"animal": id}));
            let body = json!({"animal": id, "note": 5}).to_string();
            let path = format!("/api/{slug}?depth=0");
            let answer = self.ask(caller.name, "POST", &path, &body).await;
            let case = format!("{:?} POST {slug} {{animal: {id}}}: {}", caller.name, answer.text);
            self.same("create", 1, &case, &may, &(answer.status == 400));
        }
    }

    /// Of the callers that may delete a row the first one succeeds, unless the book keeps it.
    async fn deletions(&mut self) {
        let last = ["documents", "media", "animals", "herds", "users", "organizations"];
        let first = LINES.iter().map(|l| l.slug).filter(|s| !last.contains(s));
        let order: Vec<&'static str> = first.chain(last).collect();
        let mut callers = self.callers.clone();
        // Callers with the fewest rights go first.
        callers.sort_by_key(|c| (c.kind == Who::Association, c.admin));
        for slug in order {
            self.learn().await;
            self.delete(&callers, slug).await;
        }
    }

    async fn delete(&mut self, callers: &[Caller], slug: &'static str) {
        let ids: Vec<i64> = self.facts.rows(slug).keys().copied().collect();
        for id in ids {
            // As it is now: the creations and the deletions before may have changed it.
            let path = format!("/api/{slug}/{id}?depth=0");
            let now = self.get("admin", &path).await;
            if now.status != 200 {
                continue;
            }
            let row = now.json();
            for caller in callers {
                if slug == "users" && caller.admin || !self.facts.may(caller, slug, false, &row) {
                    continue;
                }
                let answer = self.ask(caller.name, "DELETE", &path, "").await;
                let case = format!("{:?} DELETE {path}: {}", caller.name, answer.text);
                if Facts::is_verified_for(caller, slug, false, &row) {
                    self.same("delete", 1, &case, &403, &answer.status);
                    continue;
                }
                self.same("delete", 1, &case, &true, &matches!(answer.status, 200 | 400));
                if answer.status == 200 {
                    break;
                }
            }
        }
    }
}
