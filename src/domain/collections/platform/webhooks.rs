//! Webhooks: which addresses get a message when a data set changed, and the result of each attempt.
//! Access to both collections follows the rules of all others (docs/design/access.md, *The twelve
//! rules*).

use crate::collections::FieldSet;
use crate::collections::access::by_key;
use crate::collections::dictionaries::lookups::{by_id, related, written};
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::Value;
use model::registry::notify::{self, delivered_by, outbox_fields};
use model::registry::{
    Access, BookReader, Capability, Collection, Decl, Draft, Feature, KeyFields, Rule, Verb, boolean, fields, instant,
    int, password, relation, select, text, text_n,
};
use model::said;
use std::collections::BTreeMap;

/// Webhooks of an organisation, and of the Association.
const MOST: usize = 50;
/// What begins the name of the data set of a set of animals.
const SET: &str = "set-";

/// The registrations.
pub(crate) fn webhooks() -> Collection {
    let access = Access::read(Rule::Farm).write(Rule::Own(Capability::Data)).subjects(&["organization"]);
    Collection::new("webhooks", access, fields()).stock(notify::ORGANIZATION, notify::CREATED_BY)
        .hooks(Behaviour)
        .told_by(&["url"])
        .feature(Feature::Webhooks)
        .action(
            "ping",
            notify::PINGS,
            "Sends a test message at once, in a separate attempt.",
        )
        .action(
            "rotate",
            "secret",
            "Creates a new signing key and returns it once. For a time (`webhooks.overlap`) messages are signed with the former key too.",
        )
        .logged(Verb::Create, "webhook-created")
        .logged_change(&["url"], "webhook-changed")
        .logged_change(&["enabled"], "webhook-switched")
        .logged_change(&["secretRotatedAt"], "webhook-rotated")
        .logged(Verb::Delete, "webhook-deleted")
        .subject("none", Some("dataset"), &["organization"])
        .doc("Addresses that receive a message when a data set changed. The message is signed and has no data; the receiver reads the feed.")
}

fn fields() -> Vec<Decl> {
    let mut fields: Vec<Decl> = fields![
        relation(notify::ORGANIZATION, "organizations").session().once().cascade()
            => "Organisation whose location the messages are about: the caller's. Empty: all locations; only the Association may leave it empty.",
        text_n(notify::URL, 2_000).required()
            => "Address to which messages are sent: https, port 443 or a port from 1024, no user or password, no address of a private network.",
        text_n(notify::DATASET, 40).required().once()
            => "The data set of the exchange: its name, `everything`, or `set-<id>` of a set of animals.",
        boolean(notify::ENABLED).default(true)
            => "Whether messages are sent. When it is switched on again, it receives a message about the changes that it missed.",
        text("description") => "Remark.",
        password("secret").signing(KeyFields {current: notify::SECRET, former: notify::FORMER, since: notify::ROTATED_AT})
            => "Signing key, `whsec_` and base64 of 32 bytes; returned once, when it is created.",
        relation(notify::CREATED_BY, "users").server()
            => "User who registered the webhook. It stops when this user may no longer read the data set.",
        instant(notify::ROTATED_AT).server() => "When the signing key was exchanged.",
        int(notify::DELIVERED).server().default(0)
            => "Last position in commit order that the receiver acknowledged.",
        instant(notify::DELIVERED_AT).server() => "When the receiver acknowledged it.",
        int(notify::FAILURES).server().default(0) => "Number of failed attempts since the last success.",
        instant(notify::DISABLED_AT).server() => "When it was switched off.",
        select(notify::DISABLED_REASON, notify::REASONS).server()
            => "Why: a user stopped it; the receiver answered 410; no attempt succeeded for too long; the user who registered it lost the right to read; the API key with which it was registered was revoked.",
    ];
    fields.extend(outbox_fields());
    fields.push(by_key::opened_with());
    fields
}

/// The log of deliveries.
pub(crate) fn webhook_deliveries() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization"]);
    let fields = fields![
        delivered_by("webhooks") => "The webhook.",
        relation("organization", "organizations").through("webhook.organization")
            => "Organisation that the webhook belongs to.",
        instant("at").required().indexed() => "When the attempt ended.",
        select("event", "changed|ping") => "Kind of the message: a change, or a test.",
        text_n("message", 80) => "`webhook-id` of the message, the same for all attempts.",
        int("sequence") => "Position in commit order that was reported.",
        int("attempt") => "Number of the attempt since the last success.",
        select("outcome", "delivered|failed") => "Whether the receiver acknowledged the message.",
        int("status") => "Status of the answer; empty: there was none.",
        int("duration") => "How long it took, ms.",
        text("error") => "Description of the error.",
    ];
    Collection::new("webhook-deliveries", access, fields)
        .singular("Webhook Delivery")
        .feature(Feature::WebhookDeliveries)
        .log()
        .told_by(&["at"])
        .sort("-at")
        .index(&["webhook", "at"])
        .doc("Attempts to send messages to webhooks; the last ones of each webhook are stored (`webhooks.log`).")
}

slots!(Slots of "webhooks" {
    organization, url, dataset, enabled, created_by: "createdBy", failures, disabled_at: "disabledAt",
    reason: "disabledReason", host, due, failing: "failingSince", again, pings, worker, leased: "leasedUntil",
});

slots!(
    /// Slots of `saved-searches` that show whose set of animals it is.
    Sets of "saved-searches" { organization, offered: "adeSet" }
);

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        let opening = [notify::URL, notify::ENABLED, "secret"];
        by_key::mark(collection, context.caller(), drafts, &opening);
        let s = Slots::get();
        let user = context.caller().user;
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            if user.is_some() {
                draft.new.set(s.created_by, user);
            }
        }
        Ok(())
    }
    check(context, drafts) {
        known_sets(context, drafts).await?;
        places(context, drafts);
        switches(context.now(), drafts);
        not_too_many(context, drafts).await
    }
});

/// The data set must exist; a set of animals must be of the location of the webhook. Others are
/// answered like one that does not exist.
async fn known_sets(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let (s, sets) = (Slots::get(), Sets::get());
    let number = |draft: &Draft| -> Option<i64> {
        let name = draft.new.get(s.dataset).text()?;
        let digits = name.strip_prefix(SET)?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    };
    let numbers: Vec<i64> = written(drafts).filter_map(|d| number(d)).collect();
    let offered = by_id(context, "saved-searches", numbers, Sets::PATHS).await?;
    for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
        let Some(name) = draft.new.get(s.dataset).text().filter(|n| !n.is_empty()) else {
            continue;
        };
        let mine = draft.new.get(s.organization).int();
        let is_offered = match number(draft) {
            Some(id) => offered.get(&id).is_some_and(|set| {
                let owner = set.get(sets.organization).int();
                set.get(sets.offered).truth() && owner.is_some() && (mine.is_none() || owner == mine)
            }),
            None => context.offers(name),
        };
        if !is_offered {
            let message = "There is no data set of this name.";
            draft.fault("dataset", "no-such-dataset", message);
        }
    }
    Ok(())
}

/// The form of addresses, at once. Where names lead to is judged at every delivery.
fn places(context: &dyn BookReader, drafts: &mut [Draft]) {
    let s = Slots::get();
    let policy = context.outward();
    for draft in written(drafts).filter(|d| d.changes(s.url)) {
        let Some(url) = draft.new.get(s.url).text().filter(|url| !url.is_empty()) else {
            continue;
        };
        match policy.url(url) {
            Ok(place) => {
                draft.new.set(s.host, place.host);
                // Another receiver has not failed yet.
                draft.new.set(s.failures, 0);
                draft.new.set(s.failing, 0);
                draft.new.set(s.due, 0);
                // A message that is under way goes to the former receiver, and does not count.
                draft.new.set(s.worker, Value::Null);
                draft.new.set(s.leased, 0);
            }
            Err(why) => {
                let message = said!("The address {why}.", why = why.sentence());
                draft.fault("url", why.code(), message);
            }
        }
    }
}

/// What follows from switching on and off, and from asking for a test.
fn switches(now: i64, drafts: &mut [Draft]) {
    let s = Slots::get();
    for draft in written(drafts) {
        let on = draft.new.get(s.enabled).truth();
        let was = draft.old.as_ref().map(|old| old.get(s.enabled).truth());
        match (was, on) {
            (Some(false), true) => {
                // Distinguishes this time from every other one.
                draft.new.set(s.again, now);
                draft.new.set(s.failures, 0);
                draft.new.set(s.failing, 0);
                draft.new.set(s.due, 0);
                draft.new.set(s.disabled_at, Value::Null);
                draft.new.set(s.reason, Value::Null);
            }
            (Some(true) | None, false) if draft.new.get(s.reason).is_null() => {
                draft.new.set(s.disabled_at, Value::Time(now));
                draft.new.set(s.reason, notify::STOPPED);
            }
            _ => {}
        }
        if draft.verb == Verb::Update && draft.sent.contains(s.pings) {
            if on {
                let before = draft.old.as_ref().and_then(|old| old.get(s.pings).int());
                draft.new.set(s.pings, before.unwrap_or(0).saturating_add(1));
            } else {
                let message = "The webhook is switched off.";
                draft.fault("enabled", "disabled", message);
            }
        }
    }
}

async fn not_too_many(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let made: Vec<i64> =
        written(drafts).filter(|d| d.verb == Verb::Create).filter_map(|d| d.new.get(s.organization).int()).collect();
    let mut count: BTreeMap<i64, usize> = BTreeMap::new();
    for row in related(context, "webhooks", "organization", made, &["organization"]).await? {
        if let Some(organization) = row.get(s.organization).int() {
            *count.entry(organization).or_default() += 1;
        }
    }
    for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
        let Some(organization) = draft.new.get(s.organization).int() else {
            continue;
        };
        let count = count.entry(organization).or_default();
        *count += 1;
        if *count > MOST {
            let message = said!("An organisation has at most {limit} webhooks.", limit = MOST);
            draft.fault("organization", "too-many", message);
        }
    }
    Ok(())
}
