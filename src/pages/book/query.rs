//! The address of a list: the parameters of the REST face, and two of the page: `q` searches, `columns` chooses the
//! columns, empty parameters count as absent. Chosen columns are those of the next visit, too: the browser keeps them in
//! a cookie of the list.

use super::columns::Column;
use super::conditions::{self, Node};
use crate::words::{Form, LANGUAGE};
use model::display::called;
use model::messages::Language;
use model::registry::{Collection, Field, Kind, Registry, Wording};
use std::collections::BTreeSet;

/// Rows of a page, and what they may be; the last is the most.
const LIMIT: u64 = 25;
pub(crate) const LIMITS: [u64; 4] = [10, 25, 50, 100];
/// Parameters of lists that the page passes on as they are.
const PASSED: [&str; 2] = ["sort", "page"];
/// The place of the search within the condition, behind what a visitor composes.
const SEARCH: &str = "where[and][900]";

/// What the names of the controls that compose a condition begin with.
pub(crate) const CONTROLS: &str = "c.";
/// The parameter and the cookie of the columns. The cookie has colons between their paths.
pub(crate) const COLUMNS: &str = "columns";
/// Bytes of the cookie: browsers take 4,096 with its name.
const COOKIE_MAX: usize = 3_000;
/// Lifetime of the cookie, seconds.
const STORED: u32 = 365 * 24 * 60 * 60;

#[derive(Debug, Clone)]
pub(crate) struct Query {
    registry: &'static Registry,
    form: Form,
    /// The condition; none where the REST face says what is wrong with it.
    nodes: Option<Vec<Node>>,
    /// Columns were chosen, or, with none, taken back.
    chooses: bool,
    /// Columns of an earlier visit.
    cookie: String,
}

impl Query {
    /// Of the query of an address, and of the cookie of the list.
    pub(crate) fn read(registry: &'static Registry, mut form: Form, cookie: Option<&str>) -> Self {
        let chooses = form.has(COLUMNS);
        form.0.retain(|(name, value)| !(value.trim().is_empty() || name.starts_with(CONTROLS)));
        for (_, value) in form.0.iter_mut().filter(|(name, _)| name == "limit") {
            *value = bounded(value).to_string();
        }
        let states = |(name, _): &&(String, String)| name == "where" || name.starts_with("where[");
        let stated: Vec<(String, String)> = form.0.iter().filter(states).cloned().collect();
        let nodes = conditions::read(&written(&stated));
        let query = Self { registry, form, nodes: None, chooses, cookie: cookie.unwrap_or_default().to_owned() };
        match nodes {
            Some(nodes) => query.of(nodes),
            None => query,
        }
    }

    /// This query with another condition.
    pub(crate) fn of(mut self, nodes: Vec<Node>) -> Self {
        self.form.0.retain(|(name, _)| !name.starts_with("where"));
        self.form.0.extend(conditions::parameters(&nodes));
        self.nodes = Some(nodes);
        self
    }

    /// The parts of the condition.
    pub(crate) fn nodes(&self) -> &[Node] {
        self.nodes.as_deref().unwrap_or_default()
    }

    /// The cookie that keeps the chosen columns for this list; none where none were chosen.
    pub(crate) fn cookie(&self, c: &'static Collection) -> Option<String> {
        if !self.chooses {
            return None;
        }
        let paths = Some(self.chosen_paths(c).replace(',', ":")).filter(|all| all.len() <= COOKIE_MAX);
        let paths = paths.unwrap_or_default();
        let age = if paths.is_empty() { 0 } else { STORED };
        Some(format!("{COLUMNS}={paths}; Path=/book/{}; Max-Age={age}; SameSite=Lax; HttpOnly", c.slug))
    }

    pub(crate) fn search(&self) -> Option<&str> {
        self.form.get("q").map(str::trim)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.form.get(name)
    }

    /// The columns: the chosen ones, else the usual ones.
    pub(crate) fn columns(&self, c: &'static Collection, language: Language) -> Vec<Column> {
        let chosen = self.chosen(c);
        match chosen.is_empty() {
            true => self.usual(c, language).into_iter().map(Column::of).collect(),
            false => chosen,
        }
    }

    /// The columns of the declaration; where the rows are those of one owner, perhaps others.
    fn usual(&self, c: &'static Collection, language: Language) -> Vec<&'static Field> {
        let mut owners = c.access.subjects.iter();
        let is_of_one = owners.any(|path| self.get(&format!("where[{path}][equals]")).is_some());
        match c.ui.own_columns {
            own if is_of_one && !own.is_empty() => own.iter().filter_map(|path| c.field(path)).collect(),
            _ => super::columns::usual(c, language),
        }
    }

    /// The paths of the columns that were chosen, in this visit or an earlier one.
    pub(crate) fn chosen_paths(&self, c: &'static Collection) -> String {
        let chosen = self.chosen(c);
        chosen.iter().map(|column| column.path.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The address of the list for this query without its page, where the columns are said shortly: those of the
    /// declaration as none.
    pub(crate) fn address(&self, c: &'static Collection) -> String {
        let usual = |language| {
            let paths = self.usual(c, language).into_iter().map(|field| field.path.as_str());
            paths.collect::<Vec<_>>().join(",")
        };
        let chosen = if self.chooses { self.chosen_paths(c) } else { String::new() };
        let chosen = if Language::ALL.into_iter().any(|language| chosen == usual(language)) { "" } else { &chosen };
        let back = self.chooses && chosen.is_empty() && !self.cookie.is_empty();
        let query = self.with(&[("page", ""), (COLUMNS, chosen)]);
        format!("/book/{}?{query}{}", c.slug, if back { "&columns=" } else { "" })
    }

    /// Rows of a page.
    pub(crate) fn limit(&self) -> u64 {
        self.get("limit").map_or(LIMIT, bounded)
    }

    /// The columns of the address, else those of an earlier visit.
    fn chosen(&self, c: &'static Collection) -> Vec<Column> {
        let chosen = self.form.all(COLUMNS).flat_map(|all| all.split(','));
        let cookie = self.cookie.split(':').filter(|_| !self.chooses);
        let mut taken = BTreeSet::new();
        (chosen.chain(cookie))
            .filter_map(|path| Column::at(self.registry, c, path.trim()))
            .filter(|column| taken.insert(column.path.clone()))
            .collect()
    }

    /// The condition, for the REST face: that of the address, and the search.
    pub(crate) fn condition(&self, c: &'static Collection) -> Vec<(String, String)> {
        let own = self.form.0.iter().filter(|(name, _)| name == "where" || name.starts_with("where["));
        let mut all: Vec<(String, String)> = own.cloned().collect();
        if let Some(text) = self.search() {
            for (place, path) in searched(c).into_iter().enumerate() {
                all.push((format!("{SEARCH}[or][{place}][{path}][contains]"), text.to_owned()));
            }
        }
        all
    }

    /// The query of the REST face for so many rows, with what heads them, these columns and these further fields.
    pub(crate) fn rows(&self, c: &'static Collection, columns: &[Column], more: &[&str], limit: u64) -> String {
        let mut all = self.condition(c);
        all.extend(self.passed());
        all.extend(self.default_order(c));
        all.push(("limit".to_owned(), limit.to_string()));
        all.push(("depth".to_owned(), "1".to_owned()));
        all.push(("joins".to_owned(), "false".to_owned()));
        let names = super::columns::heads(c).into_iter().chain(c.title().names);
        // The path of a field stands with its collection.
        let about = columns.iter().flat_map(|column| column.field.explained_by()).flatten();
        all.extend(selected(columns, &names.chain(about).chain(more.iter().copied()).collect::<Vec<_>>()));
        written(&all)
    }

    /// The query of the REST face for all rows as a file, which has related records by their names; for people in a
    /// language.
    pub(crate) fn file(
        &self,
        c: &'static Collection,
        columns: &[Column],
        (form, language): (&str, Option<Language>),
    ) -> String {
        let mut all = self.condition(c);
        all.extend(self.passed().into_iter().filter(|(name, _)| name == "sort"));
        all.extend(self.default_order(c));
        let columns =
            columns.iter().map(|column| column.related.map_or_else(|| column.clone(), |(own, _)| Column::of(own)));
        let columns: Vec<Column> = columns.collect();
        // For people names stand in place of keys, and the path of a field with its collection.
        let names = columns.iter().flat_map(|column| match &column.field.wording {
            Wording::WordsOr(_, _) | Wording::PathIn(_) if language.is_some() => column.field.explained_by(),
            _ => [None; 2],
        });
        let names = names.flatten();
        all.extend(selected(&columns, &names.collect::<Vec<_>>()));
        all.push(("depth".to_owned(), "1".to_owned()));
        all.push(("format".to_owned(), form.to_owned()));
        if let Some(language) = language {
            let rest = [("headers", "labels"), (LANGUAGE, language.word())];
            all.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        written(&all)
    }

    /// The query of this page with some parameters changed; an empty one is left out.
    pub(crate) fn with(&self, changes: &[(&str, &str)]) -> String {
        let unchanged = self.form.0.iter().filter(|(name, _)| !changes.iter().any(|(own, _)| own == name));
        let new = changes.iter().filter(|(_, value)| !value.is_empty());
        let new = new.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let all: Vec<(String, String)> = unchanged.cloned().chain(new).collect();
        written(&all)
    }

    /// What chooses the rows: the condition, the search and their order.
    pub(crate) fn search_parameters(&self) -> impl Iterator<Item = &(String, String)> {
        let chooses = |name: &str| name == "q" || name == "sort" || name.starts_with("where");
        self.form.0.iter().filter(move |(name, _)| chooses(name))
    }

    /// This query for the rows that fulfil a further condition; none where it asks for the like already.
    pub(crate) fn narrowed(&self, name: &str, value: &str) -> Option<String> {
        self.get(name).is_none().then(|| self.with(&[(name, value), ("page", "")]))
    }

    /// How the rows are sorted.
    pub(crate) fn order(&self, c: &'static Collection) -> String {
        let order = self.default_order(c).map(|(_, order)| order);
        order.unwrap_or_else(|| self.get("sort").unwrap_or(c.sort).to_owned())
    }

    /// Events come the latest first, unless another order is chosen.
    fn default_order(&self, c: &'static Collection) -> Option<(String, String)> {
        let happens = c.happens.filter(|_| self.get("sort").is_none())?;
        Some(("sort".to_owned(), format!("-{happens}")))
    }

    fn passed(&self) -> Vec<(String, String)> {
        let own = self.form.0.iter().filter(|(name, _)| PASSED.contains(&name.as_str()));
        own.cloned().collect()
    }
}

/// So many rows as a page may have: never all.
fn bounded(limit: &str) -> u64 {
    let [.., most] = LIMITS;
    match limit.trim().parse::<u64>() {
        Ok(number) if 0 < number && number < most => number,
        Ok(_) => most,
        Err(_) => LIMIT,
    }
}

/// Which fields the answer has. A name that is given twice would be a list, and a whole list has its members.
fn selected(columns: &[Column], more: &[&str]) -> Vec<(String, String)> {
    let own = columns.iter().map(|column| column.path.as_str());
    let paths: BTreeSet<&str> = own.chain(more.iter().copied()).collect();
    let is_in_whole =
        |path: &str| path.match_indices('.').any(|(dot, _)| path.get(..dot).is_some_and(|head| paths.contains(head)));
    let paths = paths.iter().filter(|path| !is_in_whole(path));
    paths.map(|path| (format!("select[{}]", path.replace('.', "][")), "true".to_owned())).collect()
}

pub(crate) fn searched(c: &'static Collection) -> Vec<&'static str> {
    let text = |path: &&'static str| {
        c.field(path).is_some_and(|f| matches!(f.kind, Kind::Text(_) | Kind::LongText | Kind::Email))
    };
    let mut all: Vec<&'static str> = Vec::new();
    let paths = c.trigram.iter().copied().chain(called(c));
    for path in paths.chain(c.naming.known_as.iter().copied()).filter(text) {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// Shows related records of some collections by what makes their titles, and nothing else of them. Files stay whole: pages
/// show their pictures.
pub(crate) fn populate_names<'f>(registry: &'static Registry, fields: impl Iterator<Item = &'f Field>) -> String {
    let members = |field: &'f Field| match &field.kind {
        Kind::Rows(members) => members.as_slice(),
        _ => std::slice::from_ref(field),
    };
    let targets: BTreeSet<&str> = fields.flat_map(members).filter_map(Field::target).collect();
    let targets = targets.into_iter().filter_map(|slug| registry.get(slug));
    targets
        .filter(|c| c.upload.is_none())
        .flat_map(|c| c.title_paths().into_iter().map(move |path| (c.slug, path)))
        .map(|(slug, path)| format!("&populate[{slug}][{}]=true", path.replace('.', "][")))
        .collect()
}

/// The request for what makes the title of a record.
pub(crate) fn titled(registry: &'static Registry, c: &'static Collection, id: i64) -> String {
    let title = c.title_paths();
    let select: String = title.iter().map(|path| format!("&select[{}]=true", path.replace('.', "]["))).collect();
    let names = populate_names(registry, title.iter().filter_map(|path| c.field(path)));
    format!("/api/{}/{id}?depth=1&joins=false{select}{names}", c.slug)
}

/// The query for what makes the titles of the records with these values of a field.
pub(crate) fn titles_by(c: &Collection, path: &str, values: &[String]) -> String {
    let mut shown: BTreeSet<&str> = c.title_paths().into_iter().collect();
    shown.insert(path);
    let most = values.len().to_string();
    let named = values.iter().enumerate();
    let mut query: Vec<(String, String)> =
        named.map(|(place, value)| (format!("where[{path}][in][{place}]"), value.clone())).collect();
    query.extend(shown.iter().map(|path| (format!("select[{}]", path.replace('.', "][")), "true".to_owned())));
    let rest = [("depth", "0"), ("joins", "false"), ("pagination", "false"), ("limit", &most)];
    query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
    written(&query)
}

/// Parameters as the query of an address.
pub(crate) fn written(all: &[(String, String)]) -> String {
    let mut out = url::form_urlencoded::Serializer::new(String::new());
    out.extend_pairs(all);
    out.finish()
}
