//! What the Association sets about checks: switched off or graded otherwise, and other
//! thresholds (docs/design/collections.md, *Checks*). A threshold has a row only while it differs
//! from the built-in value.

use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::platform::check_runs::{SETTINGS, queue_checks};
use crate::collections::slots::slots;
use checks::{Check, Grade, Group, Key, Threshold, check};
use model::error::Result;
use model::record::Record;
use model::registry::{
    Access, BookReader, BuiltIn, BuiltInValue, Change, Collection, Command, Draft, Field, HookContext, Rule, Setting,
    Verb, boolean, fields, long_text, number, relation, select, text_n,
};
use model::said;

/// How long a run waits for further settings, milliseconds.
const SETTLING: i64 = 60_000;

/// `check-settings`
pub(crate) fn check_settings() -> Collection {
    let fields = fields![
        text_n("code", 40).required().unique().indexed().words(checks::checks().map(|check| check.code)) => "Code of the check.",
        boolean("enabled").default(true) => "Whether the check runs.",
        select("severity", "fix|note") => "Severity of its findings; empty: as built in.",
        long_text("note") => "Remark.",
        updated_by(),
    ];
    Collection::new("check-settings", access(), fields)
        .hooks(Settings)
        .built_in(BuiltIn {
            key: "code",
            value: "severity",
            enabled: Some("enabled"),
            used: ("check-thresholds", "key"),
            all: built_in_checks,
        })
        .doc("Checks that the Association switched off or whose severity it changed.")
}

/// `check-thresholds`
pub(crate) fn check_thresholds() -> Collection {
    let fields = fields![
        text_n("key", 40).required().unique().indexed().words(Key::ALL.iter().map(|key| key.fact().key)) => "Key of the threshold.",
        number("value").range(-1_000_000.0, 1_000_000.0).required()
            => "Value instead of the built-in one, in the unit of its check.",
        long_text("note") => "Remark.",
        updated_by(),
    ];
    Collection::new("check-thresholds", access(), fields)
        .hooks(Thresholds)
        .built_in(BuiltIn {
            key: "key",
            value: "value",
            enabled: None,
            used: ("check-settings", "code"),
            all: built_in_thresholds,
        })
        .doc("Thresholds of checks that differ from the built-in ones.")
}

fn built_in_checks() -> Vec<Setting> {
    let setting = |(group, check): (Group, &'static Check)| Setting {
        word: check.code,
        subject: group.name(),
        built_in: BuiltInValue::Word(match check.grade {
            Grade::Fix => "fix",
            Grade::Note => "note",
            Grade::Both => "both",
        }),
        used: check.limits.iter().map(|key| key.fact().key).collect(),
    };
    checks::groups().map(setting).collect()
}

/// By the subject of the first check that uses them.
fn built_in_thresholds() -> Vec<Setting> {
    let setting = |(group, key): (Group, Key)| {
        let Threshold { key: word, default, min, max, unit, .. } = key.fact();
        let users = checks::checks().filter(|check| check.limits.contains(&key));
        Setting {
            word,
            subject: group.name(),
            built_in: BuiltInValue::Number(default, [min, max], unit),
            used: users.map(|check| check.code).collect(),
        }
    };
    let keys = checks::groups().flat_map(|(group, check)| check.limits.iter().map(move |key| (group, *key)));
    // What no single check has is about herds as a whole.
    let keys = keys.chain(Key::ALL.iter().map(|key| (Group::Herd, *key)));
    let mut all: Vec<Setting> = Vec::new();
    for setting in keys.map(setting) {
        if !all.iter().any(|one| one.word == setting.word) {
            all.push(setting);
        }
    }
    all
}

fn access() -> Access {
    Access::read(Rule::Signed).write(Rule::Assoc)
}

fn updated_by() -> Field {
    relation("updatedBy", "users").server().doc("User who last changed it.")
}

slots!(SettingSlots of "check-settings" { code, updated_by: "updatedBy" });
slots!(ThresholdSlots of "check-thresholds" { key, value, updated_by: "updatedBy" });

hooks!(Settings {
    check(collection, context, drafts) {
        let s = SettingSlots::get();
        for draft in written(drafts) {
            let code = draft.new.get(s.code).text();
            if code.is_some_and(|code| check(code).is_none()) {
                let message = "There is no check of this code.";
                draft.fault("code", "no-such-check", message);
            }
            signed(collection, context, draft, s.updated_by);
        }
        Ok(())
    }
    effects(context, changes) {
        queue_run(context, changes).await
    }
});

hooks!(Thresholds {
    check(collection, context, drafts) {
        for draft in written(drafts) {
            within(draft);
            signed(collection, context, draft, ThresholdSlots::get().updated_by);
        }
        Ok(())
    }
    effects(collection, context, changes) {
        queue_run(context, changes).await?;
        let needless = |change: &&Change| change.new.as_ref().is_some_and(built_in);
        let gone: Vec<Command> = (changes.iter().filter(needless))
            .map(|change| Command::Delete(change.id))
            .collect();
        context.write(collection.slug, gone).await.map(drop)
    }
});

/// The findings follow in a run of their own, a little later: more may be set meanwhile.
async fn queue_run(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let due = context.now() + SETTLING;
    queue_checks(context, SETTINGS, due).await
}

fn fact_of(key: &str) -> Option<Threshold> {
    Key::of(key).map(Key::fact)
}

fn built_in(row: &Record) -> bool {
    let s = ThresholdSlots::get();
    let fact = row.get(s.key).text().and_then(fact_of);
    fact.is_some_and(|fact| row.get(s.value).num() == Some(fact.default))
}

fn within(draft: &mut Draft) {
    let s = ThresholdSlots::get();
    let Some(key) = draft.new.get(s.key).text() else {
        return;
    };
    let Some(fact) = fact_of(key) else {
        let message = "There is no threshold of this key.";
        draft.fault("key", "no-such-threshold", message);
        return;
    };
    let Some(value) = draft.new.get(s.value).num() else {
        return;
    };
    if !(fact.min..=fact.max).contains(&value) {
        let message = said!("Allowed are {min} to {max}.", min = fact.min, max = fact.max);
        draft.fault("value", "outside-range", message);
    } else if draft.verb == Verb::Create && built_in(&draft.new) {
        let message = "This is the built-in value; it needs no row.";
        draft.fault("value", "built-in", message);
    }
}

/// The user who wrote it, when anything was written.
fn signed(collection: &Collection, context: &dyn BookReader, draft: &mut Draft, slot: usize) {
    let changed = (0..collection.width()).any(|s| draft.changes(s));
    if let Some(user) = context.caller().user.filter(|_| changed) {
        draft.new.set(slot, user);
    }
}
