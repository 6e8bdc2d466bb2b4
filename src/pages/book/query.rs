//! The address of a list: the parameters of the REST face, and three of the page: `q` searches, `columns` chooses the
//! columns, empty parameters count as absent. Chosen columns are those of the next visit, too: the browser keeps them in
//! a cookie of the list.

use crate::words::Form;
use model::display::called;
use model::registry::{Collection, Field, Kind, Registry, Wording};
use std::collections::BTreeSet;

/// Rows of a page.
pub(crate) const LIMIT: u64 = 25;
/// Parameters of lists that the page passes on as they are.
const PASSED: [&str; 3] = ["sort", "page", "limit"];

/// The parameter and the cookie of the columns. The cookie has colons between their paths.
pub(crate) const COLUMNS: &str = "columns";
/// Bytes of the cookie: browsers take 4,096 with its name.
const COOKIE_MAX: usize = 3_000;
/// Lifetime of the cookie, seconds.
const STORED: u32 = 365 * 24 * 60 * 60;

#[derive(Debug)]
pub(crate) struct Query {
    form: Form,
    /// Columns were chosen, or, with none, taken back.
    chooses: bool,
    /// Columns of an earlier visit.
    cookie: String,
}

impl Query {
    /// Of the query of an address, and of the cookie of the list.
    pub(crate) fn read(mut form: Form, cookie: Option<&str>) -> Self {
        let chooses = form.has(COLUMNS);
        form.0.retain(|(_, value)| !value.trim().is_empty());
        Self { form, chooses, cookie: cookie.unwrap_or_default().to_owned() }
    }

    /// The cookie that keeps the chosen columns for this list; none where none were chosen.
    pub(crate) fn cookie(&self, c: &'static Collection) -> Option<String> {
        if !self.chooses {
            return None;
        }
        let paths: Vec<&str> = self.chosen_fields(c).iter().map(|f| f.path.as_str()).collect();
        let paths = Some(paths.join(":")).filter(|all| all.len() <= COOKIE_MAX);
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

    /// The columns: the chosen ones, else those of the declaration.
    pub(crate) fn columns(&self, c: &'static Collection) -> Vec<&'static Field> {
        let chosen_fields = self.chosen_fields(c);
        match chosen_fields.is_empty() {
            true => super::columns::of(c),
            false => chosen_fields,
        }
    }

    /// The columns of the address, else those of an earlier visit.
    fn chosen_fields(&self, c: &'static Collection) -> Vec<&'static Field> {
        let chosen = self.form.all(COLUMNS).flat_map(|all| all.split(','));
        let cookie = self.cookie.split(':').filter(|_| !self.chooses);
        let mut taken = BTreeSet::new();
        (chosen.chain(cookie))
            .filter_map(|path| c.field(path.trim()))
            .filter(|field| super::columns::is_shown(field) && taken.insert(field.path.as_str()))
            .collect()
    }

    /// The condition, for the REST face: that of the address, and the search.
    fn condition(&self, c: &'static Collection) -> Vec<(String, String)> {
        let own = self.form.0.iter().filter(|(name, _)| name.starts_with("where["));
        let mut all: Vec<(String, String)> = own.cloned().collect();
        if let Some(text) = self.search() {
            for (place, path) in searched(c).into_iter().enumerate() {
                all.push((format!("where[and][9][or][{place}][{path}][contains]"), text.to_owned()));
            }
        }
        all
    }

    /// The query of the REST face for the rows that the page shows.
    pub(crate) fn rows(&self, c: &'static Collection, columns: &[&'static Field]) -> String {
        let mut all = self.condition(c);
        all.extend(self.passed());
        all.extend(self.default_order(c));
        if self.get("limit").is_none() {
            all.push(("limit".to_owned(), LIMIT.to_string()));
        }
        all.push(("depth".to_owned(), "1".to_owned()));
        all.push(("joins".to_owned(), "false".to_owned()));
        let names = super::columns::heads(c);
        // The path of a field stands with its collection.
        let about = columns.iter().flat_map(|field| match field.wording {
            Wording::PathIn(about) | Wording::PathInSet(about) => [Some(about), None],
            Wording::ValueIn(about, path) => [Some(about), Some(path)],
            _ => [None; 2],
        });
        let about = about.flatten();
        let columns = columns.iter().map(|field| field.path.as_str()).chain(about);
        // A name that is given twice would be a list.
        let paths: BTreeSet<&str> = names.into_iter().chain(columns).collect();
        for path in paths {
            let path = path.replace('.', "][");
            all.push((format!("select[{path}]"), "true".to_owned()));
        }
        written(&all)
    }

    /// The query of the REST face for all rows as a file.
    pub(crate) fn file(
        &self,
        c: &'static Collection,
        columns: &[&'static Field],
        (form, for_people): (&str, bool),
    ) -> String {
        let mut all = self.condition(c);
        all.extend(self.passed().into_iter().filter(|(name, _)| name == "sort"));
        all.extend(self.default_order(c));
        for field in columns {
            let path = field.path.replace('.', "][");
            all.push((format!("select[{path}]"), "true".to_owned()));
        }
        all.push(("depth".to_owned(), "1".to_owned()));
        all.push(("format".to_owned(), form.to_owned()));
        if for_people {
            all.push(("headers".to_owned(), "labels".to_owned()));
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

    /// Parameters that a form with these fields does not send, as (name, value).
    pub(crate) fn others<'q>(&'q self, fields: &'q BTreeSet<String>) -> impl Iterator<Item = &'q (String, String)> {
        let first = ["q", "page", COLUMNS];
        self.form.0.iter().filter(move |(name, _)| !fields.contains(name) && !first.contains(&name.as_str()))
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
        .flat_map(|c| c.title().paths().map(|path| (c.slug, path)).collect::<Vec<_>>())
        .map(|(slug, path)| format!("&populate[{slug}][{}]=true", path.replace('.', "][")))
        .collect()
}

/// The request for what makes the title of a record.
pub(crate) fn titled(registry: &'static Registry, c: &'static Collection, id: i64) -> String {
    let title = c.title();
    let select: String = title.paths().map(|path| format!("&select[{}]=true", path.replace('.', "]["))).collect();
    let names = populate_names(registry, title.paths().filter_map(|path| c.field(path)));
    format!("/api/{}/{id}?depth=1&joins=false{select}{names}", c.slug)
}

/// Parameters as the query of an address.
pub(crate) fn written(all: &[(String, String)]) -> String {
    let mut out = url::form_urlencoded::Serializer::new(String::new());
    out.extend_pairs(all);
    out.finish()
}
