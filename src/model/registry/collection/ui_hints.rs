//! What pages and cards for print show of a collection (docs/pages.md): the columns of its table, which rows wait for
//! somebody, charts, and the card. Must not know how they are made.

use super::work_lists::{self, WorkLists};
use crate::registry::fits::{self, Fits};
use crate::registry::waiting::{Assignee, Idle, News, Waiting};
use crate::registry::{Collection, Field, Join, Kind, Title};

/// What a chart of a herd shows of the events of each month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// How many there were.
    Count,
    /// The mean of their numbers.
    Mean,
}

/// A chart of a number of events: month by month for a herd, and over another number for one animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chart {
    /// The number that is drawn.
    pub value: &'static str,
    /// What is drawn of it for a herd.
    pub measure: Measure,
    /// How it is drawn for one animal; none: only for herds.
    pub curves: Option<Curves>,
    /// Whether equal steps are equal factors, as for counts of cells.
    pub log: bool,
    /// The herd's events that count: those with this value of a field.
    pub only: Option<(&'static str, &'static str)>,
}

/// Curves of the events of one animal: a line for each value of `by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curves {
    /// The number on the axis below.
    pub at: &'static str,
    /// The whole number whose values have lines of their own.
    pub by: &'static str,
}

/// Events stand on the line of time of their animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    /// The choice whose values have lines of their own.
    pub lanes: Option<&'static str>,
}

/// Rows open animals of their owner to others, until they are revoked or expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opens {
    /// The relation to the opened animals; where it may be empty, an empty one opens all animals of the owner.
    pub animals: &'static str,
    /// Fields that tell to whom, and what.
    pub summary: &'static [&'static str],
}

/// Fields of rows that open animals: the owner, when it was revoked, when it expires.
pub const OPENING: [&str; 3] = ["owner", "revokedAt", "expiresAt"];

/// Rows on the card of a record: those of a list of it, or the latest of a related list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardTable {
    /// The list, or the join.
    pub of: &'static str,
    /// Its columns; those without a value are left out.
    pub columns: &'static [&'static str],
    /// The most rows; earlier ones are left out.
    pub most: usize,
}

/// The card of a record: one sheet of paper with its ancestors, and a page with tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// How the record and its ancestors are called; the first in large letters.
    pub names: &'static [&'static str],
    /// Values of the record; empty ones are left out.
    pub values: &'static [&'static str],
    /// Values of an ancestor.
    pub ancestors: &'static [&'static str],
    /// Tables below the pedigree.
    pub tables: &'static [CardTable],
    pub page: &'static CardPage,
}

/// The page of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardPage {
    /// The picture of the record.
    pub photo: &'static str,
    /// Numbers below its name.
    pub numbers: &'static [&'static str],
    /// What stands in its head: the state of today. A path into a list is that of its last row that has the value.
    pub chips: &'static [&'static str],
    /// Days of the first tab that tell nothing once they are past.
    pub lasting: &'static [&'static str],
    /// A value that is one of a row of a list: the value, the list, the member of the row, and the one that names the row.
    pub of_row: [&'static str; 4],
    /// Values of a relative.
    pub relatives: &'static [&'static str],
    /// What people enter from it, as long as the field has this value.
    pub entries: &'static [CardEntry],
    pub entries_while: (&'static str, &'static str),
    /// Members of lists that have the number of a record, as list, member and collection: pages add its name.
    pub numbered: &'static [(&'static str, &'static str, &'static str)],
    /// Lists whose rows stand side by side, the latest first: their lines, and the most columns before a fold.
    pub lists: &'static [CardTable],
    pub tabs: &'static [CardTab],
}

/// Rows of a join that people enter from a card: of records with a value `only`, folded for those with one of `seldom`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardEntry {
    pub join: &'static str,
    pub only: Option<(&'static str, &'static str)>,
    pub seldom: Option<(&'static str, &'static str)>,
    /// The moves of the record that make such rows: people choose one of them while it stands.
    pub moves: Option<&'static RowMoves>,
}

/// Moves of a record that make rows of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct RowMoves {
    /// The field of the record whose moves they are.
    pub state: &'static str,
    /// The field of the row that says what happened.
    pub kind: &'static str,
    /// What happened, by the state.
    pub kinds: &'static [(&'static str, &'static str)],
    /// Kinds without a move of the record, which have the form of the row.
    pub others: &'static [&'static str],
    /// Fields of the record that are fields of the row, too.
    pub same: &'static [(&'static str, &'static str)],
    /// What people fill of the row alone, by the state. Such a move is sent as the row.
    pub asks: &'static [(&'static str, &'static [&'static str])],
}

impl RowMoves {
    /// What happened where a record moves to a state.
    pub fn kind_for(&self, state: &str) -> Option<&'static str> {
        self.kinds.iter().find(|(own, _)| *own == state).map(|(_, kind)| *kind)
    }
    /// What people fill of the row alone with the move to a state.
    pub fn fields_for(&self, state: &str) -> &'static [&'static str] {
        self.asks.iter().find(|(own, _)| *own == state).map_or(&[][..], |(_, fields)| *fields)
    }
}

/// A part of the page of a card, which is read alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardTab {
    pub tab: Tab,
    /// Fields, lists and groups. What no tab has stands on the first one, behind a fold.
    pub values: &'static [&'static str],
    /// Related lists.
    pub joins: &'static [&'static str],
}

/// What a tab is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Overview,
    Pedigree,
    Production,
    Reproduction,
    Health,
    Evaluation,
    Documents,
    History,
}

impl Tab {
    /// As addresses and texts have it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Pedigree => "pedigree",
            Self::Production => "production",
            Self::Reproduction => "reproduction",
            Self::Health => "health",
            Self::Evaluation => "evaluation",
            Self::Documents => "documents",
            Self::History => "history",
        }
    }
}

impl CardTab {
    /// One value of a tab, as if it had no other.
    pub fn of(path: &'static &'static str) -> Self {
        Self { tab: Tab::Overview, values: std::slice::from_ref(path), joins: &[] }
    }

    /// Whether a field stands on it.
    pub fn has(&self, path: &str) -> bool {
        let within = |own: &&str| path.strip_prefix(*own).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.values.iter().any(within)
    }
}

/// Where the rows of a table of a card come from.
#[derive(Debug, Clone, Copy)]
pub enum CardRows<'c> {
    /// A list of the record.
    List(&'c Field, &'c [Field]),
    /// A related list.
    Join(&'c Join),
}

/// How pages tell records apart that people choose from, and which of them they propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roster {
    /// Fields that tell them apart, besides what they are called.
    pub apart: &'static [&'static str],
    /// The relation to the place where they stand.
    pub place: &'static str,
    /// The order of a list of them at one place, in the dialect.
    pub order: &'static str,
    /// Fields beside each of them where events are entered.
    pub beside: &'static [&'static str],
}

/// Events of one day are entered in a grid, a row for each animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The fields of a row.
    pub cells: &'static [&'static str],
    /// Fields that the rows share, besides the day.
    pub same: &'static [&'static str],
    /// The animals that are proposed: conditions of the dialect, as path, operator and value.
    pub among: &'static [(&'static str, &'static str, &'static str)],
    /// A day of the animals, and the setting with the number of days for which they are not proposed from then on.
    pub rests: Option<(&'static str, &'static str)>,
    /// Whether each of some chosen animals gets one, though nothing is its own.
    pub each: bool,
}

/// What pages show.
#[derive(Debug, Clone, Default)]
pub struct UiHints {
    /// Columns of the table; none: pages choose them.
    pub columns: Vec<&'static str>,
    /// Those of the rows of one owner; none: the same.
    pub own_columns: &'static [&'static str],
    /// Rows that wait for somebody.
    pub waiting: Vec<Waiting>,
    /// Rows that came lately.
    pub news: Vec<News>,
    /// Rows of these that wait for nobody nevertheless.
    pub idle: Option<Idle>,
    /// The relation to the user who is responsible for a row that waits.
    pub assigned: Option<&'static str>,
    /// Its events stand on the line of time of their animal.
    pub timeline: Option<Timeline>,
    /// Charts on the pages of animals and of herds.
    pub charts: Vec<Chart>,
    /// Fields besides its name by which the search of all pages finds its records; none: it finds none of them.
    pub sought: Option<&'static [&'static str]>,
    /// Its records open animals to others.
    pub opens: Option<Opens>,
    /// What makes the title of a record; none: pages choose it.
    pub title: Option<Title>,
    /// The card, where records descend from each other.
    pub card: Option<&'static Card>,
    /// Fields by which its rows may be counted.
    pub counts_by: &'static [&'static str],
    /// Something is to be done of its records.
    pub work_lists: Option<&'static WorkLists>,
    /// How its records are told apart where people choose from them.
    pub roster: Option<Roster>,
    /// Its events are entered in a grid.
    pub grid: Option<Grid>,
    /// Which related records fit a record of a kind.
    pub fits: Option<&'static Fits>,
    /// How far a record is that works: the numbers of what is done, and of all.
    pub progress: Option<(&'static str, &'static str)>,
}

impl Collection {
    /// The columns of its table on pages.
    pub fn columns(mut self, paths: &[&'static str]) -> Self {
        self.ui.columns = paths.to_vec();
        self
    }
    /// The columns of the rows of one owner, who need not be named in each.
    pub fn own_columns(mut self, paths: &'static [&'static str]) -> Self {
        self.ui.own_columns = paths;
        self
    }
    /// Rows in these states wait for somebody.
    pub fn waits(mut self, assignee: Assignee, path: &'static str, states: &'static [&'static str]) -> Self {
        self.ui.waiting.push(Waiting { assignee, path, states, filled: None, decides: None });
        self
    }
    /// Rows in this state wait for an organisation if a field of them is filled, which says why.
    pub fn waits_if(
        mut self,
        party: &'static str,
        (path, states): (&'static str, &'static [&'static str]),
        filled: &'static str,
    ) -> Self {
        let assignee = Assignee::Party(party);
        self.ui.waiting.push(Waiting { assignee, path, states, filled: Some(filled), decides: None });
        self
    }
    /// Rows in these states wait for an organisation as long as a path of them leads to it, too.
    pub fn waits_while(
        mut self,
        (party, decides): (&'static str, &'static str),
        path: &'static str,
        states: &'static [&'static str],
    ) -> Self {
        let assignee = Assignee::Party(party);
        self.ui.waiting.push(Waiting { assignee, path, states, filled: None, decides: Some(decides) });
        self
    }
    /// Rows came to an organisation.
    pub fn news(mut self, news: News) -> Self {
        self.ui.news.push(news);
        self
    }
    /// Rows in these states wait for nobody.
    pub fn idle(mut self, path: &'static str, states: &'static [&'static str]) -> Self {
        self.ui.idle = Some(Idle { path, states });
        self
    }
}

impl Collection {
    /// Its events stand on the line of time of their animal, those of each value of this choice on one of their own.
    pub fn timeline(mut self, lanes: Option<&'static str>) -> Self {
        self.ui.timeline = Some(Timeline { lanes });
        self
    }
    /// Somebody is responsible for rows that wait: the user that this relation names.
    pub fn assigned(mut self, path: &'static str) -> Self {
        self.ui.assigned = Some(path);
        self
    }
    /// The search of all pages finds its records by what people call them, and by these fields.
    pub fn sought(mut self, paths: &'static [&'static str]) -> Self {
        self.ui.sought = Some(paths);
        self
    }
    /// Its records open the animals of this relation to others, with [`OPENING`]; these fields tell to whom, and what.
    pub fn opens_animals(mut self, animals: &'static str, summary: &'static [&'static str]) -> Self {
        self.ui.opens = Some(Opens { animals, summary });
        self
    }
    /// A chart on the page of the animal that the events are about, and of its herd.
    pub fn chart(mut self, value: &'static str, at: &'static str, by: &'static str) -> Self {
        let curves = Some(Curves { at, by });
        self.ui.charts.push(Chart { value, measure: Measure::Mean, curves, log: false, only: None });
        self
    }
    /// The same, over an axis on which equal steps are equal factors.
    pub fn log_chart(self, value: &'static str, at: &'static str, by: &'static str) -> Self {
        let mut c = self.chart(value, at, by);
        c.ui.charts.iter_mut().filter(|chart| chart.value == value).for_each(|chart| chart.log = true);
        c
    }
    /// A chart of a herd only: how many events there were in each month. Each event has this number, whose mean says
    /// nothing. Where `only` names a field and its value, the events that have it count.
    pub fn counted(mut self, each: &'static str, only: Option<(&'static str, &'static str)>) -> Self {
        self.ui.charts.push(Chart { value: each, measure: Measure::Count, curves: None, log: false, only });
        self
    }
    /// Charts of a herd only: the means of these numbers, of the events that have the value of `only`.
    pub fn monthly(mut self, values: &[&'static str], only: Option<(&'static str, &'static str)>) -> Self {
        let chart = |value: &&'static str| Chart { value, measure: Measure::Mean, curves: None, log: false, only };
        self.ui.charts.extend(values.iter().map(chart));
        self
    }
    /// Its rows may be counted by these fields, which whoever reads the row reads.
    pub fn counts_by(mut self, paths: &'static [&'static str]) -> Self {
        self.ui.counts_by = paths;
        self
    }
    /// Its records work, and say how far they are: these numbers are what is done, and all.
    pub fn progress(mut self, done: &'static str, total: &'static str) -> Self {
        self.ui.progress = Some((done, total));
        self
    }
    /// How its records are told apart where people choose from them.
    pub fn roster(mut self, roster: Roster) -> Self {
        self.ui.roster = Some(roster);
        self
    }
    /// Its events are entered in a grid.
    pub fn grid(mut self, grid: Grid) -> Self {
        self.ui.grid = Some(grid);
        self
    }
    /// Which related records fit a record of a kind.
    pub fn fits(mut self, fits: &'static Fits) -> Self {
        self.ui.fits = Some(fits);
        self
    }
    /// Records have a card for print.
    pub fn card(mut self, card: &'static Card) -> Self {
        self.ui.card = Some(card);
        self
    }
    /// Where the rows of a table of a card come from.
    pub fn card_rows(&self, table: &CardTable) -> Option<CardRows<'_>> {
        if let Some(join) = self.joins.iter().find(|join| join.name == table.of) {
            return Some(CardRows::Join(join));
        }
        let field = self.field(table.of)?;
        match &field.kind {
            Kind::Rows(members) => Some(CardRows::List(field, members)),
            _ => None,
        }
    }
}

/// Every fault in what a declaration says of a card; `find` finds collections by their slugs.
fn check_card<'r>(
    c: &Collection,
    card: &Card,
    find: &dyn Fn(&str) -> Option<&'r Collection>,
    fault: &mut dyn FnMut(&str, &'static str, String),
) {
    if c.lineage.is_none() {
        fault("", "no-such-field", "a card has a pedigree, and records descend from none".to_owned());
    }
    let page = card.page;
    let own = card.names.iter().chain(card.values).chain(card.ancestors);
    let of_page = page.numbers.iter().chain(page.relatives).chain([&page.photo, &page.entries_while.0]);
    let only = page.entries.iter().flat_map(|entry| entry.only.iter().chain(&entry.seldom)).map(|(path, _)| path);
    let [value, list, member, name] = page.of_row;
    for path in own.chain(of_page).chain(only).chain(page.lasting).chain([&value]) {
        if c.slot(path).is_none() {
            fault(path, "no-such-field", "stands on the card".to_owned());
        }
    }
    // Tabs may name a group, chips a member of a list.
    let stands = |path: &str| {
        let within = |f: &Field, path: &str| f.path == path || f.path.starts_with(&format!("{path}."));
        let member = |f: &Field| matches!(&f.kind, Kind::Rows(members) if members.iter().any(|one| format!("{}.{}", f.path, one.path) == path));
        c.fields.iter().any(|f| within(f, path) || member(f))
    };
    let values = page.tabs.iter().flat_map(|tab| tab.values);
    let members = [member, name].map(|member| format!("{list}.{member}"));
    let members = members.iter().map(String::as_str);
    for path in page.chips.iter().chain(values).copied().chain(members).filter(|path| !stands(path)) {
        fault(path, "no-such-field", "stands on the card".to_owned());
    }
    let joins = page.tabs.iter().flat_map(|tab| tab.joins).chain(page.entries.iter().map(|entry| &entry.join));
    for name in joins.filter(|name| !c.joins.iter().any(|join| join.name == **name)) {
        fault(name, "no-such-join", "stands on the card".to_owned());
    }
    for (list, member, target) in page.numbered {
        let known = c.field(list).is_some_and(|field| match &field.kind {
            Kind::Rows(members) => members.iter().any(|one| one.path == *member),
            _ => false,
        });
        if !known || find(target).is_none_or(|target| target.label_field().is_none()) {
            fault(list, "no-such-field", format!("{member} is no number of a record"));
        }
    }
    for entry in page.entries {
        let Some(moves) = entry.moves else { continue };
        if !c.states.iter().any(|states| states.path == moves.state) {
            fault(moves.state, "no-such-state", "has no moves".to_owned());
        }
        let of = c.joins.iter().find(|join| join.name == entry.join).and_then(|join| find(join.collection));
        let filled = moves.asks.iter().flat_map(|(_, fields)| *fields);
        for path in moves.same.iter().map(|(_, path)| path).chain(filled.clone()).chain([&moves.kind]) {
            if of.is_none_or(|of| of.slot(path).is_none()) {
                fault(path, "no-such-field", "is no field of the row of a move".to_owned());
            }
        }
        let is_kind = |kind: &str| of.is_some_and(|of| of.options(moves.kind).iter().any(|option| option == kind));
        for kind in moves.kinds.iter().map(|(_, kind)| kind).chain(moves.others).filter(|kind| !is_kind(kind)) {
            fault(moves.kind, "no-such-option", format!("{kind} is no word of it"));
        }
        for path in filled.filter(|path| c.slot(path).is_some()) {
            fault(path, "doubtful-field", "is a field of the record and of the row of a move".to_owned());
        }
    }
    for join in c.joins.iter().filter(|join| !page.tabs.iter().any(|tab| tab.joins.contains(&join.name))) {
        fault(join.name, "no-such-field", "stands on no tab of the card".to_owned());
    }
    for table in card.tables.iter().chain(page.lists) {
        let has_field = |path: &str| match c.card_rows(table) {
            Some(CardRows::List(_, members)) => members.iter().any(|one| one.path == path),
            Some(CardRows::Join(join)) => {
                find(join.collection).is_some_and(|of| of.happens.is_some() && of.slot(path).is_some())
            }
            None => false,
        };
        for path in table.columns.iter().filter(|path| !has_field(path)) {
            let path = format!("{}.{path}", table.of);
            fault(&path, "no-such-field", "is no column of rows that the card may show".to_owned());
        }
    }
}

/// Every fault in what a declaration says of how its records are chosen and entered.
fn check_entry<'r>(
    c: &Collection,
    find: &dyn Fn(&str) -> Option<&'r Collection>,
    fault: &mut dyn FnMut(&str, &'static str, String),
) {
    let roster = c.ui.roster.iter().flat_map(|roster| {
        roster.apart.iter().chain(roster.beside).copied().chain([roster.place]).chain(roster.order.split(','))
    });
    let grid = c.ui.grid.iter().flat_map(|grid| grid.cells.iter().chain(grid.same).copied());
    for path in roster.chain(grid) {
        if c.slot(path).is_none() {
            fault(path, "no-such-field", "is a field of pages".to_owned());
        }
    }
    let animals = c.animal.and_then(|path| find(c.field(path)?.target()?));
    if let Some(fits) = c.ui.fits {
        fits::check(c, fits, find, fault);
    }
    let rests = c.ui.grid.iter().filter_map(|grid| grid.rests).map(|(path, _)| path);
    let among = c.ui.grid.iter().flat_map(|grid| grid.among).map(|(path, ..)| *path);
    for path in among.chain(rests) {
        if animals.is_none_or(|of| of.ui.roster.is_none() || of.slot(path).is_none()) {
            fault(path, "no-such-field", "is no field of animals that a grid proposes".to_owned());
        }
    }
}

/// Every fault in what a declaration says of pages; `find` finds collections by their slugs.
pub(crate) fn check<'r>(
    c: &Collection,
    find: &dyn Fn(&str) -> Option<&'r Collection>,
    fault: &mut dyn FnMut(&str, &'static str, String),
) {
    if let Some(card) = c.ui.card {
        check_card(c, card, find, fault);
    }
    check_entry(c, find, fault);
    let ui = &c.ui;
    if let Some(lists) = ui.work_lists {
        work_lists::check(c, lists, find, fault);
    }
    let opens = ui.opens.iter().flat_map(|opens| {
        let own = std::iter::once(opens.animals).chain(OPENING);
        own.chain(opens.summary.iter().copied())
    });
    let sought = ui.sought.iter().copied().flatten();
    let columns = ui.columns.iter().chain(ui.own_columns).chain(sought).copied();
    let news = ui.news.iter().flat_map(|news| {
        let happened = news.happened.map(|(path, _)| path);
        let own = [Some(news.party), Some(news.at), happened, news.filled].into_iter().flatten();
        own.chain(news.shows.iter().copied())
    });
    let news = news.chain(ui.waiting.iter().filter_map(|waiting| waiting.filled));
    let own = columns.chain(opens).chain(ui.assigned).chain(news);
    for path in own.chain(c.title().paths()).chain(ui.counts_by.iter().copied()) {
        if c.slot(path).is_none() {
            fault(path, "no-such-field", "is a field of pages".to_owned());
        }
    }
    if let Some(path) = ui.timeline.and_then(|timeline| timeline.lanes)
        && c.options(path).is_empty()
    {
        fault(path, "no-such-field", "is no choice of lines".to_owned());
    }
    let typed = c.fields.iter();
    let typed = typed.filter_map(|field| Some((field.path.as_str(), field.typed?)));
    let of_charts = ui.charts.iter().filter_map(|chart| chart.only);
    let of_waiting = ui.waiting.iter().map(|of| (of.path, of.states));
    let of_news = ui.news.iter().flat_map(|news| news.of.iter().copied());
    let states = of_waiting.chain(ui.idle.map(|of| (of.path, of.states))).chain(of_news);
    let states = states.flat_map(|(path, words)| words.iter().map(move |word| (path, *word)));
    for (path, word) in typed.chain(of_charts).chain(states) {
        if !c.options(path).iter().any(|option| option == word) {
            fault(path, "no-such-option", format!("{word} is no word of it"));
        }
    }
    let measured = ui.charts.iter().flat_map(|chart| {
        let curves = chart.curves.iter().flat_map(|curves| [curves.at, curves.by]);
        curves.chain([chart.value])
    });
    let progress = ui.progress.iter().flat_map(|(done, total)| [*done, *total]);
    for path in measured.chain(progress) {
        let kind = c.field(path).map(|f| &f.kind);
        if !matches!(kind, Some(Kind::Int | Kind::Number)) {
            fault(path, "no-such-field", "is no number of a chart".to_owned());
        }
    }
    for waiting in &c.ui.waiting {
        if let Assignee::Party(path) = waiting.assignee
            && c.field(path).and_then(Field::target).is_none()
        {
            fault(path, "no-such-relation", "names nobody who does it".to_owned());
        }
        if let Some(path) = waiting.decides
            && path.split_once('.').and_then(|(head, tail)| find(c.field(head)?.target()?)?.field(tail)).is_none()
        {
            fault(path, "no-such-relation", "leads to nobody".to_owned());
        }
    }
}
