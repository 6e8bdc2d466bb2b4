//! What may be done with a record: moves of its states, and actions. Each that the declaration offers to the visitor has a
//! form of its own, or, where something ends, the way to a page that asks first ([`super::ask`]); the REST face decides.

pub(super) use crate::components::reply::NEXT;

use super::form::choices::fitting;
use super::form::form_sheet::Choices;
use super::form::form_values::{NOW, stored_text, typed};
use super::rights::Rights;
use crate::calls::Fault;
use crate::components::input::{Input, is_single};
use crate::components::set_fields::groups;
use crate::components::shell::Shell;
use crate::visitor::{ORGANIZATION, accounts};
use crate::words::{Form, text_of};
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::record::time;
use model::registry::{Collection, Field, Kind, Move, Mover, Reading, RowMoves, Set, States, Who, Writer};
use serde_json::Value;

const DAY: i64 = 86_400_000;

/// The field of a form that says which move it is, as its address does.
pub(super) const STEP: &str = "_step";

/// What the button of a move sends in the field that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sends {
    Word(&'static str),
    /// The present time.
    Now,
    /// Nothing, which empties the field.
    Nothing,
    /// What the visitor says: a day, or a related record.
    Input,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    c: &'static Collection,
    states: &'static States,
    step: &'static Move,
    field: &'static Field,
    sends: Sends,
}

fn state(states: &States, doc: &Value) -> String {
    match &states.reading {
        Reading::Times(none, stamps) => {
            let filled = stamps.iter().rev().find(|(_, path)| !at(doc, path).is_null());
            filled.map_or(*none, |(state, _)| *state).to_owned()
        }
        Reading::Value => match at(doc, states.path) {
            Value::String(word) => word.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        },
    }
}

fn id_of(value: &Value) -> Option<i64> {
    value.get("id").unwrap_or(value).as_i64()
}

/// As whom the visitor may make a move of a record; none: the visitor may not.
fn mover_of(one: &'static Move, shell: &Shell<'_>, doc: &Value) -> Option<&'static Mover> {
    let visitor = shell.visitor;
    let role = visitor.text_at("role").unwrap_or_default();
    let association = visitor.is_association();
    let can = visitor.capabilities();
    let is = |mover: &Mover| match mover.who {
        Who::System => false,
        Who::Admin => role == "admin",
        Who::Association => association,
        Who::Farm(capability) => !association && can.contains(&capability),
        Who::Party(capability, path) => {
            let party = id_of(at(doc, path));
            let own = party.is_some() && party == visitor.organization();
            !association && can.contains(&capability) && own
        }
    };
    let in_time = |mover: &Mover| {
        let Some((days, since)) = mover.within else {
            return true;
        };
        let since = at(doc, since).as_str().and_then(time::parse);
        let now = shell.pages.site.clock.now();
        since.is_none_or(|since| now.saturating_sub(since) <= days.saturating_mul(DAY))
    };
    let unlike = one.unlike.is_none_or(|path| {
        let person = id_of(at(doc, path));
        person.is_none() || person != visitor.user.as_ref().and_then(id_of)
    });
    let own = |path: &str| at(doc, path).as_str();
    let fits = one.when.iter().all(|(path, words)| own(path).is_some_and(|word| words.contains(&word)));
    // Farms read users of their own alone.
    let by_others = one
        .recorded
        .is_none_or(|(user, side)| at(doc, side) != "association" && (association || !at(doc, user).is_object()));
    one.movers.iter().find(|mover| unlike && fits && by_others && is(mover) && in_time(mover))
}

/// The field without which a move is none, though a form of it may leave it empty: the day, or the other record.
pub(super) fn lacking(
    shell: &Shell<'_>,
    c: &'static Collection,
    (states, step): (&'static States, &'static Move),
    form: &Form,
) -> Option<&'static Field> {
    let offer = Offer::of(c, states, step, step.from.first()?)?;
    let own = Some(offer.field).filter(|_| offer.sends == Sends::Input);
    let day = offer.day_of_row(shell).and_then(|path| c.field(path));
    own.or(day).filter(|field| form.get(&field.path).is_none())
}

/// The field of a record that is the day of the rows which the moves of a state make.
fn day_of_row(shell: &Shell<'_>, c: &'static Collection, state: &str) -> Option<&'static str> {
    let (moves, of, _) = row_moves(shell, c, state)?;
    let same = moves.same.iter().find(|(_, path)| Some(*path) == of.happens);
    same.map(|(path, _)| *path)
}

/// The rows that the moves of a state make: how, their collection, and their relation to the record.
pub(super) fn row_moves(
    shell: &Shell<'_>,
    c: &'static Collection,
    state: &str,
) -> Option<(&'static RowMoves, &'static Collection, &'static str)> {
    let mut entries = c.ui.card?.page.entries.iter();
    let (name, moves) = entries.find_map(|entry| Some((entry.join, entry.moves.filter(|one| one.state == state)?)))?;
    let join = c.joins.iter().find(|join| join.name == name)?;
    let [record] = join.on else {
        return None;
    };
    Some((moves, shell.pages.site.registry.get(join.collection)?, *record))
}

/// The row as which a move is sent: where people fill fields of it, and the record still is in a state before the move.
pub(super) async fn row_of(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    (states, step): (&'static States, &'static Move),
) -> Option<(&'static RowMoves, &'static Collection, &'static str)> {
    let row = row_moves(shell, c, states.path).filter(|(moves, ..)| !moves.fields_for(step.to).is_empty())?;
    let answer = shell.get(&format!("/api/{}/{id}?depth=0&joins=false&select[{}]=true", c.slug, states.path)).await;
    step.from.contains(&state(states, &answer.body).as_str()).then_some(row)
}

/// The row that a move of people made; deleting it takes the move back.
pub(super) async fn made(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    (states, step): (&'static States, &'static Move),
) -> Option<(&'static Collection, i64)> {
    let (_, of, path) = row_moves(shell, c, states.path).filter(|_| step.grave)?;
    let latest = "sort=-id&limit=1&depth=0&joins=false&select[id]=true";
    let answer = shell.get(&format!("/api/{}?where[{path}][equals]={id}&{latest}", of.slug)).await;
    Some((of, at(answer.docs().first()?, "id").as_i64()?))
}

/// Whether a record is the account of the visitor or, to the Association, itself: nobody blocks, admits or merges
/// oneself by a button.
fn is_oneself(shell: &Shell<'_>, c: &Collection, doc: &Value) -> bool {
    let (visitor, id) = (shell.visitor, id_of(doc));
    let of_account = accounts(shell.pages.site.registry).and_then(|users| users.field(ORGANIZATION)?.target());
    let is_association = of_account == Some(c.slug) && visitor.is_association() && id == visitor.organization();
    id.is_some() && (is_association || c.auth && id == visitor.user.as_ref().and_then(id_of))
}

/// The moves of a record that are offered to the visitor.
pub(super) fn offers(shell: &Shell<'_>, c: &'static Collection, doc: &Value, rights: &Rights) -> Vec<Offer> {
    let mut all = possible(shell, c, doc);
    all.retain(|offer| rights.may_write(&offer.field.path, "update"));
    all
}

/// The moves that the state of a record allows to the visitor.
fn possible(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> Vec<Offer> {
    if is_oneself(shell, c, doc) {
        return Vec::new();
    }
    let all = c.states.iter().flat_map(|states| {
        let now = state(states, doc);
        let own = states.made_by_people();
        let own = own.filter(|one| one.from.contains(&now.as_str()) && one.to != now);
        let offers = own.filter_map(|step| Offer::of(c, states, step, &now));
        offers.collect::<Vec<_>>()
    });
    all.filter(|offer| mover_of(offer.step, shell, doc).is_some()).collect()
}

/// The ways to what the visitor may do with each of these rows for some days alone, with the last of them.
pub(crate) async fn in_time(
    shell: &Shell<'_>,
    c: &'static Collection,
    docs: &[&Value],
    next: Option<&str>,
) -> Vec<Option<Markup>> {
    let of_row = |doc: &Value| {
        let mut offers = possible(shell, c, doc);
        offers.retain(|offer| offer.is_grave() && offer.until(shell, doc).is_some());
        offers
    };
    let mut all: Vec<Vec<Offer>> = docs.iter().map(|doc| of_row(doc)).collect();
    if all.iter().any(|offers| !offers.is_empty()) {
        // What a row alone decides, the move says.
        let rights = Rights::of(shell, c, None).await;
        for offers in &mut all {
            offers.retain(|offer| rights.may_write(&offer.field.path, "update"));
        }
    }
    let ways = all.iter().zip(docs).map(|(offers, doc)| {
        (!offers.is_empty()).then(|| html! { @for offer in offers { (offer.way(shell, doc, next)) } })
    });
    ways.collect()
}

/// What may be done with a record, each as a form of its own with the fields that it needs.
pub(super) fn markup(shell: &Shell<'_>, c: &'static Collection, doc: &Value, rights: &Rights) -> Markup {
    let id = at(doc, "id");
    let moves = forms(shell, c, doc, rights, None);
    html! {
        @if rights.may("update") && !(moves.is_empty() && c.actions.is_empty()) {
            section class="moves" {
                h2 { (shell.text("page-moves")) }
                @for one in moves { (one) }
                @for action in &c.actions {
                    form method="post" action=(format!("/book/{}/{id}/act/{}", c.slug, action.name)) {
                        button class="second" type="submit" { (labels::action(shell.language(), c.slug, action.name)) }
                    }
                }
            }
        }
    }
}

/// The moves of a record that are offered to the visitor, and the page that follows them, if it is not that of the
/// record. The main one is the first of the first machine that ends nothing.
pub(super) fn forms(
    shell: &Shell<'_>,
    c: &'static Collection,
    doc: &Value,
    rights: &Rights,
    next: Option<&str>,
) -> Vec<Markup> {
    let offers = offers(shell, c, doc, rights);
    let machine = offers.first().map(|offer| offer.states.path);
    let main = offers.iter().position(|offer| !offer.is_grave() && Some(offer.states.path) == machine);
    let form = |(place, offer): (usize, &Offer)| match offer.is_grave() {
        true => offer.way(shell, doc, next),
        false => {
            let class = (main != Some(place)).then_some("second");
            offer.form(shell, doc, rights, (next, class))
        }
    };
    offers.iter().enumerate().map(form).collect()
}

impl Offer {
    fn of(c: &'static Collection, states: &'static States, step: &'static Move, now: &str) -> Option<Self> {
        let (path, sends) = match &states.reading {
            Reading::Value => (states.path, Sends::Word(step.to)),
            Reading::Times(_, stamps) => {
                let stamp = |state: &str| stamps.iter().find(|(own, _)| *own == state);
                match (stamp(step.to), stamp(now)) {
                    (Some((_, path)), _) => (*path, Sends::Now),
                    // Back to where no stamp is.
                    (None, Some((_, path))) => (*path, Sends::Nothing),
                    (None, None) => return None,
                }
            }
        };
        let field = c.field(path)?;
        let sends = match (sends, &field.kind) {
            (Sends::Now, Kind::Instant) => Sends::Now,
            (Sends::Now, _) => Sends::Input,
            (other, _) => other,
        };
        Some(Self { c, states, step, field, sends })
    }

    /// Whether the visitor must confirm it.
    pub(super) fn is_grave(&self) -> bool {
        self.step.grave
    }

    /// Whether it is a move of the state of this field.
    pub(super) fn is_of(&self, path: &str) -> bool {
        self.states.path == path
    }

    /// What it is called within the record: its field and its state.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.states.path, self.step.to)
    }

    pub(super) fn label(&self, shell: &Shell<'_>) -> String {
        let (c, path, to) = (self.c, self.states.path, self.step.to);
        let label = labels::step(shell.language(), c.slug, path, to);
        label.unwrap_or_else(|| labels::field(shell.language(), c.slug, path))
    }

    /// The last day on which the visitor may make it, where there is one.
    fn until(&self, shell: &Shell<'_>, doc: &Value) -> Option<String> {
        let (days, since) = mover_of(self.step, shell, doc)?.within?;
        let since = time::parse(at(doc, since).as_str()?)?;
        let mut day = shell.clock(since.saturating_add(days.saturating_mul(DAY)));
        day.truncate(10);
        Some(day)
    }

    pub(super) fn consequence(&self, shell: &Shell<'_>) -> Option<String> {
        let (c, path, to) = (self.c, self.states.path, self.step.to);
        labels::consequence(shell.language(), c.slug, path, to, &mut |_| {})
    }

    /// The fields that the visitor fills with it. What the server fills, or sets with it, is not among them.
    pub(super) fn fields_to_fill(&self, rights: &Rights) -> Vec<&'static Field> {
        let set = |path: &str| self.step.sets.iter().any(|(own, how)| *own == path && !matches!(how, Set::MeIfEmpty));
        let own = (self.sends == Sends::Input).then_some(self.field);
        let needs = self.step.needs.iter().chain(self.step.asks);
        let needs = needs.filter_map(|path| self.c.field(path)).filter(|field| {
            let written = field.writer != Writer::Server && rights.may_write(&field.path, "update");
            is_single(field) && written && !set(&field.path)
        });
        own.into_iter().chain(needs).collect()
    }

    /// The fields that the visitor fills of the row that it makes.
    pub(super) fn row_fields(&self, shell: &Shell<'_>) -> Vec<(&'static Collection, &'static Field)> {
        let row = row_moves(shell, self.c, self.states.path);
        let fields = row.map(|(moves, of, _)| {
            let fields = moves.fields_for(self.step.to).iter().filter_map(|path| of.field(path));
            fields.map(|field| (of, field)).collect()
        });
        fields.unwrap_or_default()
    }

    /// The field of the record that is the day of the row that the move makes.
    pub(super) fn day_of_row(&self, shell: &Shell<'_>) -> Option<&'static str> {
        day_of_row(shell, self.c, self.states.path).filter(|_| self.step.grave)
    }

    /// The condition of the related records that are offered for a field, as parameters that go on; none: no record is.
    pub(super) fn condition(&self, doc: &Value, field: &Field) -> Option<String> {
        let apart = self.step.apart.iter().find(|(path, _)| *path == field.path);
        let other = apart.and_then(|(_, path)| id_of(at(doc, path)));
        let other = other.map(|id| format!("&where[id][not_equals]={id}")).unwrap_or_default();
        let fits = self.c.ui.fits.filter(|fits| fits.kind == self.states.path);
        Some(other + &fitting(self.c, fits.map_or("", |_| self.step.to), field, None)?)
    }

    /// Whether a field must be filled.
    fn must(&self, shell: &Shell<'_>, field: &Field) -> bool {
        let own = self.sends == Sends::Input && field.path == self.field.path;
        own || self.step.needs.contains(&field.path.as_str()) || self.day_of_row(shell) == Some(field.path.as_str())
    }

    /// These fields as they are filled: with what was sent, else with what the record has, and today. `choices` has the
    /// records of related collections that are few.
    pub(super) fn inputs(
        &self,
        shell: &Shell<'_>,
        (doc, rights): (&Value, &Rights),
        (given, faults): (Option<&Form>, &[Fault]),
        choices: Option<&Choices>,
    ) -> Markup {
        let scope = format!("{}-{}-", at(doc, "id"), self.step.to);
        let text = |field: &'static Field| match given {
            Some(form) => typed(field, form.all(&field.path)),
            None => match (&field.kind, at(doc, &field.path)) {
                (Kind::Day, Value::Null) => shell.today(),
                (_, value) => stored_text(shell, field, value),
            },
        };
        let messages = |path: &str| -> Vec<&str> {
            let own = faults.iter().filter(|fault| fault.path == path);
            own.map(|fault| fault.message.as_str()).collect()
        };
        let own = self.fields_to_fill(rights).into_iter().map(|field| (self.c, field));
        let kind = row_moves(shell, self.c, self.states.path).and_then(|(moves, ..)| moves.kind_for(self.step.to));
        html! {
            @for (c, field) in own.chain(self.row_fields(shell)) {
                (Input {
                    c,
                    field,
                    kind: kind.unwrap_or_default(),
                    scope: &scope,
                    name: &field.path,
                    value: &text(field),
                    groups: &groups(shell, field, doc),
                    choices: choices.and_then(|all| all.of(field)).map(Vec::as_slice),
                    faults: &messages(&field.path),
                    required: self.must(shell, field),
                }.markup(shell))
            }
        }
    }

    pub(super) fn button(&self, shell: &Shell<'_>, class: Option<&str>) -> Markup {
        let value = match self.sends {
            Sends::Word(word) => Some(word),
            Sends::Now => Some(NOW),
            Sends::Nothing => Some(""),
            Sends::Input => None,
        };
        let name = value.map(|_| self.field.path.as_str());
        html! {
            input type="hidden" name=(STEP) value=(self.name());
            button class=[class] type="submit" name=[name] value=[value] { (self.label(shell)) }
        }
    }

    fn form(
        &self,
        shell: &Shell<'_>,
        doc: &Value,
        rights: &Rights,
        (next, class): (Option<&str>, Option<&str>),
    ) -> Markup {
        html! {
            form method="post" action=(format!("/book/{}/{}", self.c.slug, at(doc, "id"))) {
                @if let Some(next) = next { input type="hidden" name=(NEXT) value=(next); }
                (self.inputs(shell, (doc, rights), (None, &[]), None))
                (self.button(shell, class))
            }
        }
    }

    /// The page that asks before it is made.
    pub(super) fn address(&self, id: i64, next: Option<&str>) -> String {
        let next = next.map(|next| {
            let query = super::query::written(&[(NEXT.to_owned(), next.to_owned())]);
            format!("?{query}")
        });
        format!("/book/{}/{id}/move/{}{}", self.c.slug, self.name(), next.unwrap_or_default())
    }

    fn way(&self, shell: &Shell<'_>, doc: &Value, next: Option<&str>) -> Markup {
        let address = self.address(at(doc, "id").as_i64().unwrap_or_default(), next);
        html! {
            a class="button grave" href=(address) { (self.label(shell)) }
            @if let Some(day) = self.until(shell, doc) { " " (text_of(shell.language(), "page-until", "date", &day)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::{Access, Rule, States, day, instant, moves, relation, select};

    fn collection() -> Collection {
        let fields = vec![
            select("kind", "a|b").default("a").into(),
            instant("stoppedAt").into(),
            day("issuedAt").into(),
            relation("into", "things").into(),
        ];
        let by = |one: Move| one.by(Who::Association);
        let all = [
            moves![States::of("kind"); by(Move::new(&["a"], "b"))],
            moves![States::times("on", &[("off", "stoppedAt")]);
                by(Move::new(&["on"], "off")), by(Move::new(&["off"], "on"))],
            moves![States::times("draft", &[("issued", "issuedAt")]); by(Move::new(&["draft"], "issued"))],
            moves![States::times("apart", &[("merged", "into")]); by(Move::new(&["apart"], "merged"))],
        ];
        let c = Collection::new("things", Access::read(Rule::Any), fields);
        all.into_iter().fold(c, Collection::states)
    }

    #[test]
    fn buttons_send_what_their_fields_take() {
        let c: &'static Collection = Box::leak(Box::new(collection()));
        let mut sends = Vec::new();
        for states in &c.states {
            for step in states.made_by_people() {
                let offer = Offer::of(c, states, step, step.from[0]).unwrap();
                sends.push((offer.field.path.as_str(), step.to, offer.sends));
            }
        }
        assert_eq!(
            sends,
            [
                ("kind", "b", Sends::Word("b")),
                ("stoppedAt", "off", Sends::Now),
                ("stoppedAt", "on", Sends::Nothing),
                ("issuedAt", "issued", Sends::Input),
                ("into", "merged", Sends::Input),
            ]
        );
    }
}
