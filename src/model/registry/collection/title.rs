//! How people call a record where it stands alone: in headings, links, sheets and letters (docs/pages.md, *Names*).
//! [`crate::display::title`] writes it. Must not know any language.

use crate::registry::{Collection, Kind};

/// What makes the title of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Title {
    /// Texts that are its name. A record with a name is called by it alone.
    pub names: Vec<&'static str>,
    /// Its name for readers of English, where it is filled.
    pub english: Option<&'static str>,
    /// The relation to what it is about.
    pub of: Option<&'static str>,
    /// Its number among those of what it is about. The Russian word behind it is masculine: `3-й отёл`.
    pub ordinal: Option<&'static str>,
    /// A choice or a relation that says what it is; none: its collection does.
    pub kind: Option<&'static str>,
    /// What tells it from others: its day.
    pub rest: Vec<&'static str>,
}

impl Title {
    /// The fields of its name.
    pub fn naming(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied().chain(self.english)
    }
    /// All its fields.
    pub fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.naming().chain(self.of).chain(self.ordinal).chain(self.kind).chain(self.rest.iter().copied())
    }
}

impl Collection {
    /// Records are called by these texts, in this order.
    pub fn named(mut self, paths: &[&'static str]) -> Self {
        self.ui.title = Some(Title { names: paths.to_vec(), ..Title::default() });
        self
    }
    /// Readers of English call records by this text, where it is filled.
    pub fn named_in_english(mut self, path: &'static str) -> Self {
        self.ui.title = Some(Title { english: Some(path), ..self.title() });
        self
    }
    /// Records have no name; this field says what they are.
    pub fn kind_of(mut self, kind: &'static str) -> Self {
        self.ui.title = Some(Title { kind: Some(kind), names: Vec::new(), ..self.title() });
        self
    }
    /// Records of what they are about have numbers.
    pub fn ordinal(mut self, path: &'static str) -> Self {
        self.ui.title = Some(Title { ordinal: Some(path), names: Vec::new(), ..self.title() });
        self
    }
    /// Records have no name; these fields tell them from others.
    pub fn told_by(mut self, rest: &[&'static str]) -> Self {
        self.ui.title = Some(Title { rest: rest.to_vec(), names: Vec::new(), ..self.title() });
        self
    }

    /// The fields of its title, and those that say what they mean.
    pub fn title_paths(&self) -> Vec<&'static str> {
        let mut paths: Vec<&'static str> = self.title().paths().collect();
        let about: Vec<&'static str> = (paths.iter())
            .filter_map(|path| self.field(path))
            .flat_map(|field| field.explained_by().into_iter().flatten())
            .collect();
        paths.extend(about);
        paths
    }

    /// The fields by which people call its records.
    pub fn called_by(&self) -> Vec<&'static str> {
        let mut paths: Vec<&'static str> = self.label_field().into_iter().collect();
        // A number, as that of a calving, calls nothing.
        let is_text =
            |path: &&str| self.field(path).is_some_and(|field| !matches!(field.kind, Kind::Int | Kind::Number));
        for path in self.name_paths().into_iter().filter(is_text) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// What makes the title of its records: as the declaration says; else their name; else what they are about, and
    /// when they happened or were made.
    pub fn title(&self) -> Title {
        if let Some(title) = &self.ui.title {
            return title.clone();
        }
        let of = self.animal.filter(|path| *path != "id");
        let rest = vec![self.happens.unwrap_or("createdAt")];
        Title { names: self.called_by(), of, rest, ..Title::default() }
    }
}
