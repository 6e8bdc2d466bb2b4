//! What waits for somebody, and what came lately: rows of collections by their declarations.

use crate::book::query::populate_names;
use crate::book::{self, columns};
use crate::components::notice::Notice;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, row_head, said_once, shared};
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::{Form, text_of};
use axum::body::Bytes;
use axum::http::Method;
use maud::{Markup, html};
use model::display::at;
use model::messages::{self, labels};
use model::record::time;
use model::registry::{Assignee, Collection, Feature, Field, News, Waiting, Wording};
use serde_json::{Value, json};

/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Days of what came lately.
const NEWS: i64 = 30;
/// Columns of a queue.
const COLUMNS: usize = 4;
/// The order of a queue.
pub(super) const QUEUED: &str = "createdAt";
/// Rows of a queue that the start page shows.
const SHOWN: usize = 5;
/// Rows of a queue that can be taken at once.
const TAKEN: usize = 20;

/// Takes rows of a queue.
pub(crate) const PATH: &str = "/work/{slug}/take";

/// Rows of a collection that wait for the visitor, or that came lately.
pub(super) struct Queue {
    c: &'static Collection,
    /// The condition of the rows.
    query: String,
    order: String,
    /// The only state of its rows, where they have but one.
    state: Option<&'static str>,
    /// Fields that are shown whatever columns the table has.
    shows: Vec<&'static str>,
}

/// The queues of the visitor.
pub(super) fn waiting(shell: &Shell<'_>, association: bool) -> Vec<Queue> {
    let query = |c: &Collection, one: &Waiting| {
        let states: Vec<String> = (one.states.iter().enumerate())
            .map(|(place, state)| format!("where[{}][in][{place}]={state}", one.path))
            .collect();
        // Unlike `not_in`, this finds rows without a state too.
        let idle = c.ui.idle.iter().flat_map(|idle| {
            (idle.states.iter().enumerate())
                .map(move |(place, state)| format!("where[and][{place}][{}][not_equals]={state}", idle.path))
        });
        // What was sent back waits for those who sent it.
        let ours = one.assignee == Assignee::Association;
        let sent_back = c.field(one.path).filter(|_| ours).and_then(|field| match field.wording {
            Wording::SentBack(state, remark) => Some((state, remark)),
            _ => None,
        });
        let place = c.ui.idle.map_or(0, |idle| idle.states.len());
        let not_back = sent_back.map(|(state, remark)| {
            let any = |number: u8| format!("where[and][{place}][or][{number}]");
            format!("{}[{}][not_equals]={state}&{}[{remark}][exists]=false", any(0), one.path, any(1))
        });
        let filled = one.filled.map(|path| format!("where[{path}][exists]=true"));
        let states = states.into_iter().chain(idle).chain(not_back).chain(filled).collect::<Vec<_>>().join("&");
        match one.assignee {
            Assignee::Association => association.then_some(states),
            Assignee::Party(path) => {
                let own = shell.visitor.organization().filter(|_| !association)?;
                let decides = one.decides.map(|path| format!("where[{path}][equals]={own}&")).unwrap_or_default();
                Some(format!("where[{path}][equals]={own}&{decides}{states}"))
            }
        }
    };
    let queue = |c: &'static Collection, one: &Waiting| {
        let state = match one.states {
            [state] => Some(*state),
            _ => None,
        };
        let shows = one.filled.into_iter().collect();
        Some(Queue { c, query: query(c, one)?, order: QUEUED.to_owned(), state, shows })
    };
    // Findings are counted by check ([`findings`](super::findings)).
    let all = shell.pages.site.registry.iter().filter(|c| !c.is(Feature::Findings));
    all.flat_map(|c| c.ui.waiting.iter().filter_map(move |one| queue(c, one))).collect()
}

/// What came to the organisation of the visitor.
pub(super) fn news(shell: &Shell<'_>, association: bool) -> Vec<Queue> {
    let Some(own) = shell.visitor.organization().filter(|_| !association) else {
        return Vec::new();
    };
    let since = |path: &str, days: i64| {
        let first = time::to_iso(shell.pages.site.clock.now().saturating_sub(days.saturating_mul(DAY)));
        format!("&where[{path}][greater_than_equal]={}", first.get(..10).unwrap_or_default())
    };
    let query = |news: &News| {
        let of = news.of.iter().flat_map(|(path, words)| {
            (words.iter().enumerate()).map(move |(place, word)| format!("&where[{path}][in][{place}]={word}"))
        });
        let filled = news.filled.map(|path| format!("&where[{path}][exists]=true"));
        let happened = news.happened.map(|(path, days)| since(path, days));
        let rest: String = of.chain(filled).chain(happened).collect();
        format!("where[{}][equals]={own}{}{rest}", news.party, since(news.at, NEWS))
    };
    let queue = |c: &'static Collection, news: &News| {
        let state = match news.of {
            [(_, [state])] => Some(*state),
            _ => None,
        };
        Queue { c, query: query(news), order: format!("-{}", news.at), state, shows: news.shows.to_vec() }
    };
    let all = shell.pages.site.registry.iter();
    all.flat_map(|c| c.ui.news.iter().map(move |news| (c, news))).map(|(c, news)| queue(c, news)).collect()
}

/// How many rows a queue has, and the first of them; none where there are none.
pub(super) async fn section(shell: &Shell<'_>, queue: &Queue) -> Option<(u64, Markup)> {
    let Queue { c, query, order, state, shows } = queue;
    let c = *c;
    let columns = columns::others(c, &columns::of(c));
    let shown = shows.iter().filter_map(|path| c.field(path));
    let taken = c.ui.assigned.filter(|_| order == QUEUED && shell.visitor.is_association());
    // Whose rows they are is the Association's to read.
    let is_owner = |path: &str| !shell.visitor.is_association() && c.access.subjects == [path];
    let own = columns.into_iter().filter(|field| !shows.contains(&field.path.as_str()) && !is_owner(&field.path));
    let mut columns: Vec<&'static Field> = own.take(COLUMNS.saturating_sub(shows.len())).chain(shown).collect();
    columns.extend(c.ui.assigned.and_then(|path| c.field(path)));
    let most = if taken.is_some() { TAKEN } else { SHOWN };
    let names = populate_names(shell.pages.site.registry, columns.iter().copied());
    let path = format!("/api/{}?{query}&sort={order}&limit={most}&depth=1&joins=false{names}", c.slug);
    let answer = shell.get(&path).await;
    let total = answer.number("totalDocs");
    if total == 0 {
        return None;
    }
    let rows: Vec<&Value> = answer.docs().iter().collect();
    let once = shared(&columns, &rows);
    columns.retain(|field| !once.iter().any(|one| one.path == field.path));
    let language = shell.language();
    // What came may be answered for some days.
    let ways = match order == QUEUED {
        true => Vec::new(),
        false => book::in_time(shell, c, &rows, Some("/")).await,
    };
    let address = format!("/book/{}?{query}&sort={order}", c.slug);
    let title = state.and_then(|state| messages::known(language, &format!("page-queue-{}-{state}", c.slug)));
    let title = title.unwrap_or_else(|| labels::collections(language, c.slug));
    let table = html! {
        (said_once(shell, c, &once, &rows))
        section class="wide" tabindex="0" aria-label=(title) { table class="list" {
            thead { tr {
                @if taken.is_some() { th scope="col" { (shell.text("page-queue-choose")) } }
                th scope="col" { (labels::collection(language, c.slug)) }
                @for field in &columns { th scope="col" { (labels::field(language, c.slug, &field.path)) } }
                @if order == QUEUED { th scope="col" { (shell.text("page-since")) } }
            } }
            tbody { @for (place, doc) in answer.docs().iter().enumerate() {
                @let ways = ways.get(place).and_then(Option::as_ref);
                (row(shell, c, (&columns, order), (doc, ways), taken.is_some()))
            } }
        } }
    };
    let section = html! {
        section class="queue" {
            h3 { a href=(address) { (title) } " " span class="count" { (total) } }
            @match taken {
                Some(path) => {
                    (by_assignee(shell, path, &address))
                    form method="post" action=(format!("/work/{}/take", c.slug)) {
                        (table)
                        button class="second" type="submit" { (shell.text("page-queue-take")) }
                    }
                }
                None => (table),
            }
        }
    };
    Some((total, section))
}

/// The ways to the rows of a queue that the visitor is responsible for, and to those for which nobody is.
fn by_assignee(shell: &Shell<'_>, path: &str, address: &str) -> Markup {
    let own = shell.visitor.user.as_ref().map(|user| at(user, "id").to_string()).unwrap_or_default();
    html! {
        ul class="ways" {
            li { a href=(format!("{address}&where[{path}][equals]={own}")) { (shell.text("page-queue-mine")) } }
            li { a href=(format!("{address}&where[{path}][exists]=false")) { (shell.text("page-queue-nobody")) } }
        }
    }
}

/// `POST /work/<slug>/take`: the visitor becomes responsible for the chosen rows.
pub(crate) async fn take(Visit(pages, visitor, slug): Visit<String>, body: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let found = pages.site.registry.get(&slug).filter(|_| visitor.is_association());
    let found = found.and_then(|c| Some((c, c.ui.assigned?)));
    let (Some((c, path)), Some(user)) = (found, &visitor.user) else {
        return Err(Stop::missing(&shell));
    };
    let form = Form::read(&body);
    let ids = form.all("id").filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).take(TAKEN).enumerate();
    let ids: Vec<String> = ids.map(|(place, id)| format!("where[id][in][{place}]={id}")).collect();
    if !ids.is_empty() {
        let body = path.rsplit('.').fold(at(user, "id").clone(), |value, step| json!({step: value}));
        let answer = shell.send(Method::PATCH, &format!("/api/{}?{}&depth=0", c.slug, ids.join("&")), &body).await;
        if !answer.is_good() {
            return Err(Stop::refused(&shell, &answer));
        }
    }
    Ok(Notice::Pressed("page-queue-take").see(c, "/"))
}

fn row(
    shell: &Shell<'_>,
    c: &'static Collection,
    (columns, order): (&[&'static Field], &str),
    (doc, ways): (&Value, Option<&Markup>),
    taken: bool,
) -> Markup {
    let (id, language) = (at(doc, "id"), shell.language());
    html! {
        tr {
            @if taken {
                td data-head=(shell.text("page-queue-choose")) {
                    input type="checkbox" name="id" value=(id) aria-label=(shell.title(c, doc));
                }
            }
            th scope="row" {
                a href=(format!("/book/{}/{id}", c.slug)) { (row_head(shell, c, doc)) }
                @if let Some(ways) = ways { p { (ways) } }
            }
            @for field in columns {
                td data-head=(labels::field(language, c.slug, &field.path)) { (cell_of(shell, c, field, doc)) }
            }
            @if order == QUEUED { td data-head=(shell.text("page-since")) { (age(shell, at(doc, QUEUED))) } }
        }
    }
}

/// How long a row waits, in days.
fn age(shell: &Shell<'_>, created: &Value) -> Markup {
    let Some(iso) = created.as_str() else {
        return html! {};
    };
    let waited = time::parse(iso).map(|at| shell.pages.site.clock.now().saturating_sub(at));
    let days = waited.unwrap_or(0).max(0) / DAY;
    let text = text_of(shell.language(), "page-age", "days", &days.to_string());
    html! { time datetime=(iso) { (text) } }
}
