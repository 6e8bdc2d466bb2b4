//! The content of documents, beyond their schema.

use serde_json::Value;

use crate::client::Exchange;
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::Visit;

/// Members that begin and end a period, beside each other.
const PERIODS: [(&str, &str); 8] = [
    ("beginDate", "endDate"),
    ("startDate", "endDate"),
    ("dateFrom", "dateTo"),
    ("startDateTime", "endDateTime"),
    ("eventDateTime", "eventEndDateTime"),
    ("eventDateTime", "endDateTime"),
    ("reportStartDateTime", "reportEndDateTime"),
    ("validFrom", "validTo"),
];

pub(super) async fn documents(v: &Visit<'_>, t: &mut Tally<'_>) {
    let own = own(v);
    for (entry, page) in v.read_so_far() {
        let e = &page.exchange;
        for one in &page.members {
            if entry.scoped
                && let Some((scheme, id)) = document::identifier(one, "/location")
            {
                let fine = own.is_empty() || own.contains(&(scheme.clone(), id.clone()));
                require!(t, "read.location-own", fine, Some(e),
                    "{} at the location of the path", document::name(one); found "{scheme}/{id}");
            }
            identifiers(t, e, one);
            sense(t, e, one);
            if entry.name == "service-sires"
                && let Some(gender) = document::text(one, "/gender")
            {
                let fine = gender.starts_with("Male") || gender == "Unknown";
                require!(t, "read.service-sires", fine, Some(e), "{} male", document::name(one); found "{gender}");
            }
        }
    }
}

/// All identifiers of the location that is tested.
fn own(v: &Visit<'_>) -> Vec<(String, String)> {
    let Some(place) = &v.place else {
        return Vec::new();
    };
    let mut all = vec![(place.scheme.clone(), place.id.clone())];
    let listed = v.locations.iter().flat_map(|page| &page.members);
    for one in listed {
        let names = document::names(one);
        if all.iter().any(|own| names.contains(own)) {
            all.extend(names);
        }
    }
    all
}

fn identifiers(t: &mut Tally<'_>, e: &Exchange, one: &Value) {
    document::walk(one, &mut |at, value| {
        let Some(members) = value.as_object() else {
            return;
        };
        let (Some(scheme), Some(id)) =
            (members.get("scheme").and_then(Value::as_str), members.get("id").and_then(Value::as_str))
        else {
            return;
        };
        let fine = !scheme.trim().is_empty() && !id.trim().is_empty();
        require!(t, "read.identifiers", fine, Some(e), "scheme and number at {at}"; found "{value}");
        let form = scheme.contains('.') && !scheme.contains(char::is_whitespace);
        require!(t, "read.scheme-form", form || !fine, Some(e),
            "a reversed domain name at {at}/scheme"; found "{scheme}");
    });
}

fn sense(t: &mut Tally<'_>, e: &Exchange, one: &Value) {
    if let (Some(event), Some(now)) = (document::time(one, "/eventDateTime"), e.date()) {
        let fine = event <= now + 86_400_000_000_000;
        require!(t, "read.event-times", fine, Some(e), "{} in the past", document::name(one);
            found "{}", document::text(one, "/eventDateTime").unwrap_or_default());
    }
    document::walk(one, &mut |at, value| {
        let Some(members) = value.as_object().filter(|_| at != "/meta") else {
            return;
        };
        for (begin, end) in PERIODS {
            let time = |name: &str| {
                let text = members.get(name)?.as_str()?;
                crate::clock::instant(text).or_else(|| crate::clock::instant(&format!("{text}T00:00:00Z")))
            };
            if let (Some(a), Some(b)) = (time(begin), time(end)) {
                require!(t, "read.periods", a <= b, Some(e),
                    "{begin} not after {end} of {}", document::name(one);
                    found "{:?} and {:?}", members.get(begin), members.get(end));
            }
        }
    });
    let number = |name: &str| one.get(name).and_then(Value::as_u64);
    if let (Some(live), Some(total)) = (number("liveProgeny"), number("totalProgeny")) {
        require!(t, "read.progeny", live <= total, Some(e),
            "liveProgeny at most totalProgeny of {}", document::name(one); found "{live} of {total}");
    }
}

pub(super) async fn self_links(v: &Visit<'_>, t: &mut Tally<'_>) {
    let mut followed = 0;
    for (_, page) in v.read_so_far() {
        for one in &page.members {
            let Some(link) = document::text(one, "/@self") else {
                continue;
            };
            let url = v.link(&page.exchange, link).filter(|u| v.ours(u));
            let Some(url) = url.filter(|_| followed < 3) else {
                continue;
            };
            followed += 1;
            let exchange = v.client.get(&url).await;
            let same = exchange.json().is_some_and(|came| document::key(came) == document::key(one));
            let fine = exchange.status == 200 && same;
            require!(t, "read.self", fine, Some(&exchange),
                "{} at its @self", document::name(one); found "status {}", exchange.status);
            break;
        }
    }
    t.none_offered("@self is not sent");
}
