//! The pages for people as a way of reading: which of them a caller gets, which records a list links to, and that no
//! page, form, card or preview has a word of a record that the model hides from the caller. In this [`super::world`] a
//! text tells the row and the field that it is of, so that it is recognised wherever it stands.

use super::oracle::{Caller, Facts, at};
use super::rules::{self, Class, LINES};
use super::{ABSENT, Matrix, escaped, fields, world};
use crate::pages::{BROWSER, assert_sound};
use crate::rest::stage::{Answer, request};
use axum::body::Body;
use model::registry::{Feature, Kind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Pages that name no record; `/account` needs one.
const PLACES: [&str; 13] = [
    "/",
    "/book",
    "/evaluation",
    "/account",
    "/api-docs",
    "/api-docs?q=animals",
    "/exchange",
    "/find?q=1",
    "/help",
    "/partners",
    "/partners/farm?in=curl",
    "/sign-in",
    "/forgotten-password",
];

/// Where a text may have come from: collection, row, class of the field.
type Origins = BTreeMap<String, Vec<(&'static str, i64, Class)>>;

impl Matrix<'_> {
    /// All pages of every caller.
    pub(super) async fn pages(&mut self) {
        let origins = self.origins();
        assert!(origins.len() > 1_000, "{} texts", origins.len());
        for (turn, caller) in self.callers.clone().iter().enumerate() {
            self.places(caller, &origins).await;
            for line in LINES {
                self.list(caller, line.slug, &origins).await;
                self.records(caller, (line.slug, turn), &origins).await;
                self.new_form(caller, line.slug, &origins).await;
            }
            self.links(caller, &origins).await;
            self.preview(caller).await;
        }
    }

    /// The texts of all rows that tell where they are from.
    fn origins(&self) -> Origins {
        let mut all = Origins::new();
        let mut note = |value: &Value, from| {
            // The log names people in texts of its own.
            let text = value.as_str().unwrap_or_default();
            for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
                let both =
                    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic());
                if both {
                    all.entry(word.to_owned()).or_default().push(from);
                }
            }
        };
        for line in LINES {
            for field in fields(self.collection(line.slug)) {
                let class = rules::class(line.slug, &field.path);
                for (id, row) in self.facts.rows(line.slug) {
                    let (value, from) = (at(row, &field.path), (line.slug, *id, class));
                    match &field.kind {
                        Kind::Text(_) => note(value, from),
                        Kind::Rows(subs) => {
                            let rows = value.as_array().into_iter().flatten();
                            for row in rows {
                                subs.iter().for_each(|sub| note(&row[&sub.path], from));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        all
    }

    async fn page(&self, who: &str, method: &str, path: &str, body: Body) -> Answer {
        let mut headers = BROWSER.to_vec();
        if method == "POST" {
            headers.push(("content-type", "multipart/form-data; boundary=cow"));
        }
        if let Some(token) = self.tokens.get(who) {
            headers.push(("authorization", token.as_str()));
        }
        self.stage.ask(request(method, path, &headers, body)).await
    }

    /// A page: its status, and that it has nothing that is hidden. A stranger is sent to the sign-in in place of 403.
    async fn visited(&mut self, caller: &Caller, path: &str, status: u16, origins: &Origins) -> Answer {
        let answer = self.page(caller.name, "GET", path, Body::empty()).await;
        let case = format!("{:?} {path}", caller.name);
        let expected = match status {
            403 if caller.user.is_none() => 303,
            other => other,
        };
        self.same("page", 1, &case, &expected, &answer.status);
        if answer.status == 303 {
            let to_sign_in = answer.header("location").starts_with("/sign-in?next=");
            self.same("page", 1, &case, &true, &to_sign_in);
        } else if !answer.header("content-type").contains("pdf") {
            assert_sound(&answer, &case);
        }
        self.shows(caller, &case, &answer.text, origins);
        answer
    }

    /// Every word that tells where it is from must be of a field that the caller sees.
    fn shows(&mut self, caller: &Caller, case: &str, text: &str, origins: &Origins) {
        // `%20position` in an address is no text of row 20.
        let mut parts = text.split('%');
        let first = parts.next().into_iter();
        let others = parts.map(|part| part.get(2..).unwrap_or_default());
        let text = first.chain(others).collect::<Vec<_>>().join(" ");
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let ancestors = self.ancestors(caller, case);
        let animals = self.facts.rows("animals");
        let identity = |word: &str, (slug, id, _): &(&'static str, i64, Class)| {
            let row = animals.get(id).filter(|_| *slug == "animals" && ancestors.contains(id));
            let texts = ["identNumber", "name"].into_iter().filter_map(|path| row?[path].as_str());
            texts.into_iter().any(|text| text.contains(word))
        };
        let mut known = 0;
        let hidden: Vec<String> = (words.into_iter())
            .filter_map(|word| Some((word, origins.get(word)?)))
            .inspect(|_| known += 1)
            .filter(|(word, from)| {
                let open = |from| self.is_open(caller, from) || identity(word, from);
                !from.iter().any(open)
            })
            .map(|(word, from)| format!("{word} of {from:?}"))
            .collect();
        self.same("words of pages", known.max(1), case, &Vec::new(), &hidden);
    }

    /// The animals whose identity the page of an animal tells to those who see its parents: ten generations.
    fn ancestors(&self, caller: &Caller, case: &str) -> BTreeSet<i64> {
        let rows = self.facts.rows("animals");
        let id = case.split_once("animals/").map(|(_, rest)| rest);
        let id = id.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        let animal = id.and_then(|id| id.parse::<i64>().ok());
        let seen = |id: &i64| {
            rows.get(id).is_some_and(|row| {
                self.facts.reads(caller, "animals", row) && self.facts.sees(caller, "animals", row, Class::C)
            })
        };
        let mut all = BTreeSet::new();
        let mut level: Vec<i64> = animal.into_iter().filter(seen).collect();
        for _ in 0..10 {
            let parents = level.iter().filter_map(|id| rows.get(id));
            let parents = parents.flat_map(|row| [row["father"].as_i64(), row["mother"].as_i64()]);
            level = parents.flatten().collect();
            all.extend(&level);
        }
        all
    }

    fn is_open(&self, caller: &Caller, (slug, id, class): &(&'static str, i64, Class)) -> bool {
        let row = &self.facts.rows(slug)[id];
        self.facts.reads(caller, slug, row) && self.facts.sees(caller, slug, row, *class)
    }

    async fn places(&mut self, caller: &Caller, origins: &Origins) {
        for path in PLACES {
            let open = !["/account", "/exchange"].contains(&path) || caller.user.is_some();
            // Who is signed in has no use for the sign-in.
            if path == "/sign-in" && caller.user.is_some() {
                continue;
            }
            let answer = self.page(caller.name, "GET", path, Body::empty()).await;
            let case = format!("{:?} {path}", caller.name);
            let expected: &[u16] = match (path, open) {
                // Signed-in callers see what concerns them, as far as it concerns them at all.
                ("/exchange", true) => &[200, 403],
                // One find is opened at once.
                ("/find?q=1", _) => &[200, 303],
                (_, true) => &[200],
                (_, false) => &[303],
            };
            let fits = expected.contains(&answer.status);
            self.same("page", 1, &format!("{case} {}", answer.status), &true, &fits);
            self.shows(caller, &case, &answer.text, origins);
        }
    }

    /// A list with all columns links to the rows that the caller reads.
    async fn list(&mut self, caller: &Caller, slug: &'static str, origins: &Origins) {
        let columns: Vec<&str> = fields(self.collection(slug)).map(|f| f.path.as_str()).collect();
        let path = format!("/book/{slug}?limit=100&columns={}", columns.join(","));
        let denied = Facts::denied(caller, slug);
        let answer = self.visited(caller, &path, if denied { 403 } else { 200 }, origins).await;
        if denied {
            return;
        }
        // The animal that a row is about may stand before the record.
        let link = format!("<a href=\"/book/{slug}/");
        let heads = answer.text.split("<th scope=\"row\">").skip(1);
        let linked: BTreeSet<i64> = heads
            .filter_map(|rest| {
                rest.split("</th>").next()?.rsplit(link.as_str()).next()?.split('"').next()?.parse().ok()
            })
            .collect();
        let expected = self.ids(caller, slug, |_| true);
        let case = format!("{:?} {path}", caller.name);
        self.same("rows of pages", expected.len().max(1), &case, &expected, &linked);
        if self.collection(slug).is(Feature::Findings) {
            self.visited(caller, &format!("/book/{slug}/correct"), 200, origins).await;
        }
    }

    /// The page of a record, its form, and its card.
    async fn records(&mut self, caller: &Caller, (slug, turn): (&'static str, usize), origins: &Origins) {
        let denied = Facts::denied(caller, slug);
        // Each card has ancestors of its own.
        let all_of_them = self.collection(slug).ui.card.is_some();
        let all: Vec<i64> = self.facts.rows(slug).keys().copied().chain([ABSENT]).collect();
        for id in all {
            let mine = turn + usize::try_from(id).unwrap();
            if id != ABSENT && !all_of_them && !mine.is_multiple_of(self.every) {
                continue;
            }
            let row = self.facts.row(slug, id);
            let reads = row.is_some_and(|row| self.facts.reads(caller, slug, row));
            let status = match (denied, reads) {
                (true, _) => 403,
                (false, true) => 200,
                (false, false) => 404,
            };
            let path = format!("/book/{slug}/{id}");
            let tabs = self.collection(slug).ui.card.map_or(&[][..], |card| card.page.tabs);
            let shown = match tabs.get(mine % (tabs.len() + 1)) {
                Some(tab) => format!("?tab={}", tab.tab.word()),
                None if tabs.is_empty() => String::new(),
                None => "?print".to_owned(),
            };
            self.visited(caller, &format!("{path}{shown}"), status, origins).await;
            if all_of_them {
                self.card(caller, (slug, id, status), origins).await;
            }
            // The form is offered to those whom the API lets write.
            let rights = self.rights(caller, &format!("/api/{slug}/access/{id}")).await;
            let may = reads && rights.get("update").is_some_and(|may| *may != Value::Bool(false));
            let status = match (caller.user, may) {
                (None, _) => 403,
                (_, true) => 200,
                (_, false) => 404,
            };
            self.visited(caller, &format!("{path}/edit"), status, origins).await;
        }
    }

    async fn rights(&self, caller: &Caller, path: &str) -> Value {
        let answer = self.ask(caller.name, "POST", path, "{}").await;
        if answer.status == 200 { answer.json() } else { Value::Null }
    }

    async fn new_form(&mut self, caller: &Caller, slug: &'static str, origins: &Origins) {
        let rights = self.rights(caller, &format!("/api/{slug}/access")).await;
        let may = rights.get("create").is_some_and(|may| *may != Value::Bool(false));
        let status = match (caller.user, may) {
            (None, _) => 403,
            (_, true) => 200,
            (_, false) => 404,
        };
        self.visited(caller, &format!("/book/{slug}/new"), status, origins).await;
        if self.collection(slug).ui.grid.is_some() {
            self.visited(caller, &format!("/book/{slug}/grid"), status, origins).await;
        }
        if self.collection(slug).ui.roster.is_some() {
            let path = format!("/book/{slug}/choices?q=id");
            let answer = self.page(caller.name, "GET", &path, Body::empty()).await;
            let case = format!("{:?} {path}", caller.name);
            self.same("page", 1, &case, &(if caller.user.is_none() { 303 } else { 200 }), &answer.status);
            self.shows(caller, &case, &answer.text, origins);
        }
    }

    /// The card for print: for whoever reads the record, with nothing else.
    async fn card(&mut self, caller: &Caller, (slug, id, status): (&str, i64, u16), origins: &Origins) {
        let answer = self.get(caller.name, &format!("/api/{slug}/{id}/card")).await;
        let case = format!("{:?} card of {slug}/{id}", caller.name);
        self.same("card", 1, &case, &status, &answer.status);
        if answer.status == 200 {
            let document = lopdf::Document::load_mem(&answer.bytes).unwrap();
            let pages: Vec<u32> = document.get_pages().keys().copied().collect();
            let text = document.extract_text(&pages).unwrap();
            self.shows(caller, &case, &text, origins);
        }
    }

    /// View links that open nothing say the same to everybody.
    async fn links(&mut self, caller: &Caller, origins: &Origins) {
        for path in ["/share/none", &format!("/share/{}/1", "0".repeat(64))] {
            self.visited(caller, path, 404, origins).await;
        }
    }

    /// A preview tells of a number that is hidden what it tells of one that is not in the book.
    async fn preview(&mut self, caller: &Caller) {
        let number = |id: i64| self.facts.rows("animals")[&id]["identNumber"].clone();
        let hidden = (self.facts.rows("animals").iter())
            .filter(|(_, row)| !self.facts.reads(caller, "animals", row))
            .map(|(id, _)| number(*id).as_str().unwrap().to_owned());
        let hidden: Vec<String> = hidden.collect();
        let preview_of = async |m: &Self, number: &str| {
            let table = format!("identNumber,date,milkYield\n{number},2025-03-01,30\n");
            let body = format!(
                "--cow\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nproductivity\r\n\
                 --cow\r\nContent-Disposition: form-data; name=\"file\"; filename=\"t.csv\"\r\n\
                 Content-Type: text/csv\r\n\r\n{table}\r\n--cow--\r\n"
            );
            let packages = m.registry.with_feature(Feature::Packages).unwrap();
            let path = format!("/book/{}/preview", packages.slug);
            let answer = m.page(caller.name, "POST", &path, body.into()).await;
            let text = answer.text.replace(number, "N").replace(&escaped(number), "N");
            (answer.status, text)
        };
        let unknown = preview_of(self, "99none").await;
        let case = format!("{:?} preview", caller.name);
        if caller.user.is_none() {
            self.same("preview", 1, &case, &303, &unknown.0);
            return;
        }
        // The Association has no organisation that a package would be of.
        let allowed_status = [200, 400, 403].contains(&unknown.0);
        self.same("preview", 1, &case, &true, &allowed_status);
        for number in hidden {
            let case = format!("{case} of {number}");
            let found = preview_of(self, &number).await;
            self.same("preview", 1, &case, &unknown, &found);
        }
    }
}

#[test]
fn texts_of_the_world_tell_where_they_are_from() {
    assert_eq!(world::text_of("altIds.earTag", 7, 40), "7altIdsearTag");
    assert_eq!(world::text_of("altIds.earTag", 7, 3), "7al");
}
