//! `/book/<slug>/grid`: events of one day for many animals, a row each. The animals are proposed by the declaration
//! ([`Grid`](model::registry::Grid)), at one place or of the whole farm; further ones are named in rows of their own.
//! Rows that are left empty are not sent, the others are all stored in one transaction, or none.

mod sheet;

use self::sheet::{GridSheet, Line};
use super::choices;
use super::form_rows::{self, Row};
use super::form_sheet::ANYWAY;
use super::form_values::{UNKNOWN, bodies, record_label, resolved, typed, unnamed};
use crate::book::query::written;
use crate::book::rights::Rights;
use crate::book::{in_force, own_collection, passing};
use crate::calls::{Answer, Fault};
use crate::components::input::{id_of, value_of};
use crate::components::notice::Notice;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::StatusCode;
use model::display::{at, called};
use model::record::time::{self, DAY_MS};
use model::registry::{Collection, Field, Roster};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The list of rows in the form.
const ROWS: &str = "rows";
/// The member of a row with the animal that was proposed for it.
const OF: &str = "of";
/// The button that shows the rows of another place or day, and stores nothing.
const SHOW: &str = "show";
/// The animals that were chosen, by their ids with commas.
pub(in crate::book) const ONLY: &str = "only";
const PAGE: &str = "page";
/// How many pages there are.
const PAGES: &str = "pages";
/// Animals that a page proposes.
const PROPOSED: usize = 90;
/// Rows of a page: so many are checked before they are stored.
const MOST: usize = 100;
/// Empty rows for further animals.
const EMPTY: usize = 5;
/// Rows for whose texts records to choose from are looked up.
const LOOKED_UP: usize = 10;

/// A collection whose events are entered in a grid.
struct GridPage<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    day: &'static Field,
    animal: &'static Field,
    animals: &'static Collection,
    roster: Roster,
    /// The relation of the animals to the place where they stand.
    place: &'static Field,
    /// Whether each chosen animal gets a record.
    each: bool,
    cells: Vec<&'static Field>,
    same: Vec<&'static Field>,
}

/// What stands above the rows.
#[derive(Debug, Default)]
struct Head {
    /// The texts of the day, of the place, and of what the rows share, by path.
    texts: BTreeMap<&'static str, String>,
    /// The chosen animals; none: all that come into question.
    only: Vec<i64>,
    page: u64,
}

impl Head {
    fn only(&self) -> String {
        self.only.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
    }
}

impl<'s> GridPage<'s> {
    async fn of(shell: &'s Shell<'s>, slug: &str) -> Result<Self, Stop> {
        let c = own_collection(shell, slug)?;
        let parts = || {
            let how = c.ui.grid?;
            let animal = c.field(c.animal?)?;
            let animals = shell.pages.site.registry.get(animal.target()?)?;
            let roster = animals.ui.roster?;
            let fields = |paths: &[&str]| paths.iter().filter_map(|path| c.field(path)).collect();
            Some(Self {
                shell,
                c,
                day: c.field(c.happens?)?,
                animal,
                animals,
                roster,
                place: animals.field(roster.place)?,
                each: how.each,
                cells: fields(how.cells),
                same: fields(how.same),
            })
        };
        let grid = parts().ok_or_else(|| Stop::missing(shell))?;
        match Rights::of(shell, c, None).await.may("create") {
            true => Ok(grid),
            false => Err(Stop::missing(shell)),
        }
    }

    /// The fields above the rows, with their collections.
    fn above(&self) -> Vec<(&'static Collection, &'static Field)> {
        let same = self.same.iter().map(|field| (self.c, *field));
        [(self.c, self.day), (self.animals, self.place)].into_iter().chain(same).collect()
    }

    fn head(&self, form: &Form) -> Head {
        let text = |field: &'static Field| (field.path.as_str(), typed(field, form.all(&field.path)));
        Head {
            texts: self.above().into_iter().map(|(_, field)| text(field)).collect(),
            only: form.all(ONLY).flat_map(|ids| ids.split(',')).filter_map(|id| id.trim().parse().ok()).collect(),
            page: form.get(PAGE).and_then(|page| page.parse().ok()).unwrap_or(1),
        }
    }

    /// The address of a page with the same head.
    fn address(&self, head: &Head, page: u64) -> String {
        let texts = head.texts.iter().filter(|(_, text)| !text.is_empty());
        let mut query: Vec<(String, String)> = texts.map(|(path, text)| ((*path).to_owned(), text.clone())).collect();
        if !head.only.is_empty() {
            query.push((ONLY.to_owned(), head.only()));
        }
        if page > 1 {
            query.push((PAGE.to_owned(), page.to_string()));
        }
        format!("/book/{}/grid?{}", self.c.slug, written(&query))
    }

    /// Whether a row becomes a record.
    fn counts(&self, head: &Head, line: &Line) -> bool {
        line.is_filled() || (self.each && line.is_proposed && !head.only.is_empty())
    }

    /// The place that is named: all of the farm where none is.
    async fn place_of(&self, head: &Head) -> Result<Option<i64>, Fault> {
        let path = self.place.path.as_str();
        let text = head.texts.get(path).map_or("", |text| text.trim());
        if text.is_empty() {
            return Ok(None);
        }
        let target = self.place.target().unwrap_or_default();
        let id = resolved(self.shell, target, BTreeSet::from([text.to_owned()])).await.remove(text);
        id.unwrap_or_else(|| Err(UNKNOWN.into())).map(Some).map_err(|why| Fault {
            path: path.to_owned(),
            message: unnamed(self.shell, target, &why, text),
            record: None,
        })
    }

    /// The animals that come into question, in no order. To the Association, those of a place.
    async fn proposed(&self, head: &Head, place: Option<i64>) -> Answer {
        let mut query: Vec<(String, String)> = self.shell.own(self.animals).into_iter().collect();
        let among = self.c.ui.grid.map_or(&[][..], |grid| grid.among);
        for (number, (path, operator, value)) in among.iter().enumerate() {
            query.push((format!("where[and][{number}][{path}][{operator}]"), (*value).to_owned()));
        }
        if let Some((path, day)) = self.rested(head).await {
            let key = |place: u8, test: &str| format!("where[and][{}][or][{place}][{path}][{test}]", among.len());
            query.push((key(0, "exists"), "false".to_owned()));
            query.push((key(1, "less_than_equal"), day));
        }
        if !head.only.is_empty() {
            query.push(("where[id][in]".to_owned(), head.only()));
        }
        query.extend(place.map(|id| (format!("where[{}][equals]", self.place.path), id.to_string())));
        // A record that became part of another one has no events of its own.
        query.extend(self.animals.merged.map(|into| (format!("where[{into}][exists]"), "false".to_owned())));
        let shown = called(self.animals).into_iter().chain(self.roster.beside.iter().copied());
        let shown = shown.chain(self.roster.order.split(','));
        let shown: BTreeSet<&str> = shown.collect();
        query.extend(shown.iter().map(|path| (format!("select[{}]", path.replace('.', "][")), "true".to_owned())));
        let rest = [("depth", "0"), ("joins", "false"), ("limit", "0"), ("pagination", "false")];
        query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
        self.shell.get(&format!("/api/{}?{}", self.animals.slug, written(&query))).await
    }

    /// The day of the animals that may not be later than this one, if they are to be proposed.
    async fn rested(&self, head: &Head) -> Option<(&'static str, String)> {
        let (path, setting) = self.c.ui.grid?.rests?;
        let day = value_of(self.day, &[head.texts.get(self.day.path.as_str())?.as_str()]);
        let day = time::parse(day.as_str()?)?;
        let days = format!("{:.0}", in_force::limit(self.shell, setting).await?.ceil()).parse::<i64>().ok()?;
        let last = time::to_iso(day.saturating_sub(days.saturating_mul(DAY_MS)));
        Some((path, last.get(..10)?.to_owned()))
    }

    /// The events of these animals that are in the book for that day, by animal.
    async fn entered(&self, head: &Head, animals: impl Iterator<Item = i64>) -> BTreeMap<i64, Value> {
        let ids: Vec<String> = animals.map(|id| id.to_string()).collect();
        let day = head.texts.get(self.day.path.as_str()).map(|text| value_of(self.day, &[text.as_str()]));
        let day = day.as_ref().and_then(Value::as_str).filter(|day| day.len() == 10 && !ids.is_empty());
        let Some(day) = day else {
            return BTreeMap::new();
        };
        let (animal, path) = (&self.animal.path, &self.day.path);
        let most = ids.len().saturating_mul(4).to_string();
        let mut query = vec![
            (format!("where[{animal}][in]"), ids.join(",")),
            (format!("where[{path}][greater_than_equal]"), day.to_owned()),
            (format!("where[{path}][less_than_equal]"), format!("{day}T23:59:59.999Z")),
        ];
        let rest = [("depth", "0"), ("joins", "false"), ("limit", &most), ("pagination", "false")];
        query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let answer = self.shell.find(&format!("/api/{}", self.c.slug), &written(&query)).await;
        let events = answer.docs().iter().filter_map(|doc| Some((at(doc, animal).as_i64()?, doc.clone())));
        events.collect()
    }

    /// The rows of a page: the proposed animals with what was typed for them, further rows that were typed, empty ones.
    async fn sheet(&self, head: Head, mut lines: Vec<Line>, mut faults: Vec<Fault>) -> Result<GridSheet, Stop> {
        let place = self.place_of(&head).await;
        let somewhere = !head.only.is_empty() || matches!(place, Ok(Some(_)));
        let nowhere = self.shell.own(self.animals).is_none() && !somewhere;
        let answer = match place {
            Ok(place) if !nowhere => Some(self.proposed(&head, place).await),
            Ok(_) => None,
            Err(fault) => {
                faults.push(fault);
                None
            }
        };
        if let Some(answer) = answer.as_ref().filter(|answer| !answer.is_good()) {
            return Err(Stop::refused(self.shell, answer));
        }
        let mut docs: Vec<&Value> = answer.iter().flat_map(Answer::docs).collect();
        // The API sorts texts by bytes.
        docs.sort_by_cached_key(|doc| {
            let texts = self.roster.order.split(',').map(|path| at(doc, path).as_str().unwrap_or_default());
            texts.map(|text| (text.is_empty(), by_value(text))).collect::<Vec<_>>()
        });
        let pages = u64::try_from(docs.len().div_ceil(PROPOSED)).unwrap_or(u64::MAX).max(1);
        let unfit = answer.as_ref().map_or(0, |_| head.only.len().saturating_sub(docs.len()));
        let before = usize::try_from(head.page.saturating_sub(1)).unwrap_or(usize::MAX).saturating_mul(PROPOSED);
        let docs = docs.into_iter().skip(before).take(PROPOSED);
        let ids = docs.clone().filter_map(|doc| at(doc, "id").as_i64());
        let mut entered = self.entered(&head, ids).await;
        let mut all = Vec::new();
        for doc in docs {
            let id = at(doc, "id").as_i64();
            let own = lines.iter().position(|line| line.is_proposed && id.is_some() && id_of(&line.animal) == id);
            let line = own.map(|place| lines.remove(place)).unwrap_or_default();
            all.push(Line {
                animal: record_label(self.shell, self.animals, doc),
                is_proposed: true,
                entered: id.and_then(|id| entered.remove(&id)),
                doc: Some(doc.clone()),
                ..line
            });
        }
        // Those of another page or place only where something was typed.
        all.extend(lines.into_iter().filter(Line::is_filled));
        let room = MOST.saturating_sub(all.len()).min(EMPTY);
        all.extend(std::iter::repeat_with(Line::default).take(room));
        Ok(GridSheet { head, pages, lines: all, faults, nowhere, unfit, refused: None })
    }

    /// The documents of the filled rows, and what is wrong with their texts.
    async fn read(&self, head: &Head, lines: &mut [Line]) -> Vec<(usize, Map<String, Value>)> {
        let filled: Vec<usize> =
            lines.iter().enumerate().filter(|(_, line)| self.counts(head, line)).map(|(place, _)| place).collect();
        let row = |line: &Line| {
            let mut row: Row = line.cells.clone();
            row.insert(self.animal.path.clone(), vec![line.animal.clone()]);
            let same = self.same.iter().chain([&self.day]);
            let same = same.filter_map(|field| Some((field, head.texts.get(field.path.as_str())?)));
            row.extend(same.map(|(field, text)| (field.path.clone(), vec![text.clone()])));
            row
        };
        let rows: Vec<Row> = filled.iter().filter_map(|place| lines.get(*place)).map(row).collect();
        let fields: Vec<&'static Field> =
            [self.day, self.animal].into_iter().chain(self.cells.iter().chain(&self.same).copied()).collect();
        let bodies = bodies(self.shell, &fields, &rows).await;
        // They share their receiver.
        let unfit = match bodies.first() {
            Some((body, _)) => choices::unfit_receiver(self.shell, self.c, (body, &Value::Null)).await,
            None => None,
        };
        let ids = bodies.iter().filter_map(|(body, _)| body.get(&self.animal.path)?.as_i64());
        let entered = self.entered(head, ids).await;
        let mut named = BTreeSet::new();
        let mut out = Vec::new();
        for (place, (body, faults)) in filled.into_iter().zip(bodies) {
            let Some(line) = lines.get_mut(place) else { continue };
            line.faults.extend(faults.into_iter().chain(unfit.clone()));
            let id = body.get(&self.animal.path).and_then(Value::as_i64);
            if id.is_some_and(|id| !named.insert(id) || entered.contains_key(&id)) {
                line.faults.push(self.fault(&self.animal.path, "page-grid-entered"));
            }
            out.push((place, body));
        }
        out
    }

    fn fault(&self, path: &str, sentence: &str) -> Fault {
        Fault { path: path.to_owned(), message: self.shell.text(sentence), record: None }
    }

    /// Sends the documents, to be checked only or to be stored, and puts what is said of each beside its row.
    async fn send(&self, docs: &[(usize, Map<String, Value>)], lines: &mut [Line], only: &str) -> Answer {
        let body: Vec<Value> = docs.iter().map(|(_, doc)| Value::Object(doc.clone())).collect();
        let path = format!("/api/{}?depth=0&together=true{only}", self.c.slug);
        let answer = self.shell.post(&path, &Value::Array(body)).await;
        let results = answer.body.get("results").and_then(Value::as_array).into_iter().flatten();
        for ((place, _), result) in docs.iter().zip(results) {
            let Some(line) = lines.get_mut(*place) else { continue };
            let status = result.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
            let status = status.and_then(|status| StatusCode::from_u16(status).ok());
            let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let one = Answer { status, body: result.clone(), cookies: Vec::new(), is_closed: false };
            line.faults.extend(one.findings(self.c.slug, self.shell.language()));
            // Nothing is wrong with a row that was refused for others.
            if !one.is_good() && status != StatusCode::FAILED_DEPENDENCY {
                let issues = one.issues();
                let whole = issues.is_empty().then(|| one.message().to_owned());
                let whole = whole.map(|message| Fault { path: String::new(), message, record: None });
                line.faults.extend(issues.into_iter().chain(whole));
            }
        }
        answer
    }

    /// What is said of every row in a field above them is said there, once.
    fn lift(&self, lines: &mut [Line], filled: usize) -> Vec<Fault> {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        let above: Vec<&str> = self.above().iter().map(|(_, field)| field.path.as_str()).collect();
        let shared = |fault: &Fault| above.contains(&fault.path.as_str());
        for fault in lines.iter().flat_map(|line| &line.faults).filter(|fault| shared(fault)) {
            let count = counts.entry((fault.path.clone(), fault.message.clone())).or_default();
            *count = count.saturating_add(1);
        }
        counts.retain(|_, count| *count == filled);
        for line in lines.iter_mut() {
            line.faults.retain(|fault| !counts.contains_key(&(fault.path.clone(), fault.message.clone())));
        }
        counts.into_keys().map(|(path, message)| Fault { path, message, record: None }).collect()
    }

    /// The address of the rows that are left when these are stored; none after the last page.
    fn rest(&self, mut head: Head, pages: u64, docs: &[(usize, Map<String, Value>)]) -> Option<String> {
        if head.page >= pages {
            return None;
        }
        if !self.each || head.only.is_empty() {
            return Some(self.address(&head, head.page.saturating_add(1)));
        }
        // Those that left come into question no more, so that the next ones stand on the first page.
        let stored = docs.iter().filter_map(|(_, doc)| doc.get(&self.animal.path)?.as_i64());
        let stored: BTreeSet<i64> = stored.collect();
        head.only.retain(|id| !stored.contains(id));
        (!head.only.is_empty()).then(|| self.address(&head, 1))
    }

    fn whole(&self, answer: &Answer) -> (StatusCode, String) {
        let why = match answer.body.get("results") {
            Some(_) => self.shell.text("page-faults"),
            None => answer.message().to_owned(),
        };
        (answer.status, why)
    }

    /// The form once more, with what is wrong with it.
    async fn refused(&self, head: Head, mut lines: Vec<Line>, (status, why): (StatusCode, String)) -> Page {
        let filled = lines.iter().filter(|line| self.counts(&head, line)).count();
        let faults = self.lift(&mut lines, filled);
        let asks = |line: &&mut Line| line.faults.iter().any(|fault| !fault.path.is_empty());
        for line in lines.iter_mut().filter(asks).take(LOOKED_UP) {
            let cells = self.cells.iter().map(|field| {
                let texts = line.cells.get(&field.path).map_or("", |texts| texts.first().map_or("", String::as_str));
                (field.path.clone(), *field, texts.to_owned())
            });
            let animal = (self.animal.path.clone(), self.animal, line.animal.clone());
            let animal = (!line.is_proposed).then_some(animal);
            let controls = animal.into_iter().chain(cells).collect();
            line.meant = choices::for_faults(self.shell, self.c, controls, &mut line.faults).await;
        }
        let mut sheet = self.sheet(head, lines, faults).await?;
        sheet.refused = Some((status, why));
        sheet.response(self).await
    }
}

/// The key by which people order numbers of animals: digits by their value, before other letters.
fn by_value(text: &str) -> Vec<(bool, usize, Vec<u8>)> {
    let runs = text.as_bytes().chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
    let runs = runs.map(|run| match run.first().is_some_and(u8::is_ascii_digit) {
        true => {
            let digits: Vec<u8> = run.iter().copied().skip_while(|digit| *digit == b'0').collect();
            (false, digits.len(), digits)
        }
        false => (true, 0, run.to_vec()),
    });
    runs.collect()
}

/// The rows that were sent.
fn sent(grid: &GridPage<'_>, form: &Form) -> Vec<Line> {
    let line = |mut row: Row| {
        let text = |texts: Option<Vec<String>>| texts.unwrap_or_default().concat();
        let proposed = row.remove(OF);
        let typed = row.remove(&grid.animal.path);
        let is_proposed = proposed.is_some();
        row.retain(|path, _| grid.cells.iter().any(|field| field.path == *path));
        Line { animal: text(proposed.or(typed)), is_proposed, cells: row, ..Line::default() }
    };
    form_rows::from_form(ROWS, form).into_iter().map(line).collect()
}

/// `GET /book/<slug>/grid`; parameters fill what stands above the rows.
pub(crate) async fn grid(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let grid = GridPage::of(&shell, &slug).await?;
    let mut head = grid.head(&visitor.query());
    let day = head.texts.entry(&grid.day.path).or_default();
    if day.is_empty() {
        *day = shell.today();
    }
    let sheet = grid.sheet(head, Vec::new(), Vec::new()).await?;
    sheet.response(&grid).await
}

/// `POST /book/<slug>/grid`
pub(crate) async fn enter(Visit(pages, visitor, slug): Visit<String>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let grid = GridPage::of(&shell, &slug).await?;
    let form = Form::read(&bytes);
    let head = grid.head(&form);
    let mut lines = sent(&grid, &form);
    if form.has(SHOW) {
        let sheet = grid.sheet(head, lines, Vec::new()).await?;
        return sheet.response(&grid).await;
    }
    let filled = lines.iter().filter(|line| grid.counts(&head, line)).count();
    let refuse = |sentence: &str| (StatusCode::BAD_REQUEST, shell.text(sentence));
    if filled == 0 || filled > MOST {
        let why = if filled == 0 { "page-grid-empty" } else { "page-grid-too-many" };
        return grid.refused(head, lines, refuse(why)).await;
    }
    let docs = grid.read(&head, &mut lines).await;
    let is_faulty = |lines: &[Line]| lines.iter().any(|line| !line.faults.is_empty());
    if is_faulty(&lines) {
        return grid.refused(head, lines, refuse("page-faults")).await;
    }
    if form.get(ANYWAY).is_none() {
        let tried = grid.send(&docs, &mut lines, "&validate=only").await;
        if !tried.is_good() {
            return grid.refused(head, lines, grid.whole(&tried)).await;
        }
        let results = tried.body.get("results").and_then(Value::as_array).into_iter().flatten();
        let new: Vec<&Value> = results.filter_map(|result| result.get("doc")).collect();
        let passes = passing::of_rows(&shell, grid.c, &new).await;
        let found = is_faulty(&lines).then(|| shell.text("page-findings-asked"));
        let why: Vec<String> = passes.into_iter().chain(found).collect();
        if !why.is_empty() {
            return grid.refused(head, lines, (StatusCode::OK, why.join(" "))).await;
        }
    }
    let answer = grid.send(&docs, &mut lines, "").await;
    if !answer.is_good() {
        return grid.refused(head, lines, grid.whole(&answer)).await;
    }
    let pages = form.get(PAGES).and_then(|pages| pages.parse().ok()).unwrap_or(1);
    let way = grid.rest(head, pages, &docs).unwrap_or_else(|| shell.list(grid.c));
    Ok(Notice::Entered(filled).see(grid.c, &way))
}
