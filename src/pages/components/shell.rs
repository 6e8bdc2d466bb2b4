//! The frame of every page: head, navigation, account, language.

use crate::Shared;
use crate::book::query::written;
use crate::calls::Answer;
use crate::components::{assets, notice};
use crate::visitor::{ORGANIZATION, Visitor, accounts};
use crate::words::{LANGUAGE, text};
use axum::http::{Method, header};
use maud::{DOCTYPE, Markup, html};
use model::display::{heading, title};
use model::face::Face;
use model::messages::Language;
use model::messages::labels;
use model::record::time;
use model::record::zone::{TimeZone, clock, instant, zone};
use model::registry::{Collection, Feature, Field};
use serde_json::Value;

/// Address of the search of all pages.
pub(crate) const FIND: &str = "/find";
/// Address of the first steps.
pub(crate) const HELP: &str = "/help";
/// How many characters the title of a window may have.
const TITLE: usize = 70;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Shell<'v> {
    pub(crate) pages: &'v Shared,
    pub(crate) visitor: &'v Visitor,
}

impl<'v> Shell<'v> {
    pub(crate) fn new(pages: &'v Shared, visitor: &'v Visitor) -> Self {
        Self { pages, visitor }
    }

    pub(crate) fn language(&self) -> Language {
        self.visitor.language
    }

    pub(crate) fn text(&self, name: &str) -> String {
        text(self.language(), name)
    }

    /// Reads from the REST face as the visitor.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.pages.calls.get(self.visitor, path).await
    }

    /// Reads by a query that is too long for an address.
    pub(crate) async fn find(&self, path: &str, query: &str) -> Answer {
        self.pages.calls.find(self.visitor, path, query).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, body).await
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        self.pages.calls.json(self.visitor, method, path, body).await
    }

    /// The time zone of the visitor's organisation; without one, that of the installation.
    fn zone(&self) -> TimeZone {
        let own = self.visitor.text_at("organization.timeZone").and_then(zone);
        own.unwrap_or_else(|| self.pages.site.zone.clone())
    }

    /// What the clock there shows at an instant.
    pub(crate) fn clock(&self, at: i64) -> String {
        time::to_iso(clock(&self.zone(), at))
    }

    /// The instant at which it shows this; a time without an offset, which is refused, where it does so twice or never.
    pub(crate) fn instant(&self, shown: i64) -> String {
        let at = instant(&self.zone(), shown).map(time::to_iso);
        at.unwrap_or_else(|| time::to_iso(shown).trim_end_matches('Z').to_owned())
    }

    /// The present day of that clock, as forms write it.
    pub(crate) fn today(&self) -> String {
        let mut day = self.clock(self.pages.site.clock.now());
        day.truncate(10);
        day
    }

    /// The address of this service: as configured, else as the visitor's browser calls it.
    pub(crate) fn here(&self) -> String {
        if !self.pages.site.url.is_empty() {
            return self.pages.site.url.clone();
        }
        let host = self.visitor.forwarded.get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok());
        format!("http://{}", host.unwrap_or("localhost"))
    }

    /// Address of the page of a record; none where the visitor cannot go there.
    pub(crate) fn record(&self, c: &Collection, id: &Value) -> Option<String> {
        match &self.visitor.link {
            None => Some(format!("/book/{}/{id}", c.slug)),
            Some(token) => c.lineage.is_some().then(|| format!("/share/{token}/{id}")),
        }
    }

    /// The condition of the rows of the visitor's organisation, as a parameter; none for the Association, and where rows
    /// have no organisation.
    pub(crate) fn own(&self, c: &'static Collection) -> Option<(String, String)> {
        let organization = self.visitor.organization()?;
        let users = accounts(self.pages.site.registry)?;
        let organizations = users.field(ORGANIZATION)?.target()?;
        let mut subjects = c.access.subjects.iter();
        let path = subjects.find(|path| c.field(path).and_then(Field::target) == Some(organizations));
        let path = path.filter(|_| !self.visitor.is_association())?;
        Some((format!("where[{path}][equals]"), organization.to_string()))
    }

    /// Address of the list of a collection: that of the own rows for those who have some.
    pub(crate) fn list(&self, c: &'static Collection) -> String {
        let list = format!("/book/{}", c.slug);
        match self.own(c) {
            Some(own) => format!("{list}?{}", written(&[own])),
            None => list,
        }
    }

    /// The same as the navigation opens it: of what has a card, what is there.
    fn present(&self, c: &'static Collection) -> String {
        let (list, there) = (self.list(c), c.ui.card.map(|card| card.page.entries_while));
        match there.filter(|_| self.own(c).is_some()) {
            Some((path, value)) => {
                format!("{list}&{}", written(&[(format!("where[{path}][equals]"), value.to_owned())]))
            }
            None => list,
        }
    }

    /// Collections that have an entry of their own in the navigation.
    fn entries(&self) -> impl Iterator<Item = &'static Collection> {
        let own = |c: &&Collection| c.lineage.is_some() || c.is(Feature::Packages) || c.is(Feature::Requests);
        self.pages.site.registry.iter().filter(own)
    }

    /// How a record is called where it stands alone.
    pub(crate) fn title(&self, c: &Collection, doc: &Value) -> String {
        title(self.pages.site.registry, self.language(), c, doc)
    }

    /// The same, with what it is.
    pub(crate) fn heading(&self, c: &Collection, doc: &Value) -> String {
        heading(self.pages.site.registry, self.language(), c, doc)
    }

    /// A whole document.
    pub(crate) fn document(&self, title: &str, body: &Markup) -> String {
        let service = &self.pages.site.service;
        let language = self.language();
        let page = html! {
            (DOCTYPE)
            html lang=(language.word()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (short(format!("{title} · {service}"))) }
                    link rel="stylesheet" href=(assets::style());
                    (assets::of_face(&self.pages.site.face))
                    script src=(assets::script()) defer {}
                }
                body {
                    a class="skip" href="#main" { (self.text("page-skip")) }
                    header class="top" {
                        (brand(&self.pages.site.face))
                        @if self.visitor.link.is_none() { nav aria-label=(self.text("page-navigation")) {
                            ul {
                                @if self.visitor.user.is_some() {
                                    @for c in self.entries() {
                                        (self.entry(&self.present(c), &labels::collections(language, c.slug)))
                                    }
                                }
                                (self.entry("/book", &self.text("page-book")))
                            }
                        } }
                        @if self.visitor.link.is_none() {
                            form class="find" method="get" action=(FIND) role="search" aria-label=(self.text("page-find-any")) {
                                label class="aside" for="find" { (self.text("page-find-any")) }
                                input id="find" name="q" type="search" placeholder=(self.text("page-find-any"));
                                button class="second" type="submit" { (self.text("page-find")) }
                            }
                        }
                        div class="account" {
                            @match &self.visitor.user {
                                Some(_) => {
                                    a href="/account" { (self.visitor.name()) }
                                    form method="post" action="/sign-out" {
                                        button class="link" type="submit" { (self.text("page-sign-out")) }
                                    }
                                }
                                None if self.visitor.link.is_some() => span {},
                                None => a href="/sign-in" { (self.text("page-sign-in")) }
                            }
                            (self.languages())
                        }
                    }
                    main id="main" tabindex="-1" { (notice::markup(self.pages.site.registry, self.visitor)) (body) }
                    (foot(&self.pages.site.face, language))
                }
            }
        };
        page.into_string()
    }

    fn entry(&self, address: &str, label: &str) -> Markup {
        let bare = |address: &'_ str| address.split('?').next().unwrap_or_default().to_owned();
        let (path, entry) = (bare(&self.visitor.address), bare(address));
        let own = path == entry || (entry != "/book" && path.starts_with(&format!("{entry}/")));
        html! { li { a href=(address) aria-current=[own.then_some("page")] { (label) } } }
    }

    fn languages(&self) -> Markup {
        html! {
            form method="post" action="/language" class="languages" aria-label=(self.text("page-language")) {
                input type="hidden" name="next" value=(self.visitor.address);
                @for language in Language::ALL.into_iter().filter(|one| *one != self.language()) {
                    button class="link" type="submit" name=(LANGUAGE) value=(language.word()) lang=(language.word()) {
                        (text(language, "page-language-name"))
                    }
                }
            }
        }
    }
}

/// A title of a window, cut where it is too long for one; the heading of the page has all of it.
fn short(title: String) -> String {
    if title.chars().count() <= TITLE {
        return title;
    }
    title.chars().take(TITLE - 1).chain(['…']).collect()
}

/// The name with the emblem, in the head line.
fn brand(face: &Face) -> Markup {
    html! { a class="brand" href="/" {
        @if let Some(address) = assets::emblem_address(face) { img class="emblem" src=(address) alt=""; " " }
        (face.name)
    } }
}

/// Contacts, legal texts, and the ways to first steps and to the API.
fn foot(face: &Face, language: Language) -> Markup {
    html! {
        footer {
            @for line in &face.foot { p { (line) } }
            p {
                @for (name, text) in face.texts_in(language) { a href={ "/legal/" (name) } { (text.title) } " · " }
                a href=(HELP) { (text(language, "page-steps")) } " · "
                a href="/api-docs" { "API" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TITLE, short};

    #[test]
    fn titles_of_windows_are_cut_where_they_are_too_long() {
        let fits = "ё".repeat(TITLE);
        assert_eq!(short(fits.clone()), fits);
        let cut = short(format!("Отёл {fits}"));
        assert_eq!(cut.chars().count(), TITLE);
        assert!(cut.starts_with("Отёл ё") && cut.ends_with("ё…"), "{cut}");
    }
}
