//! The rights of a caller, written a second time from the text of docs/design/access.md over plain JSON rows.

use super::rules::{Cap, Class, EVENTS, LINES, Line, Rule, class};
use crate::rest::stage::NOW;
use serde_json::Value;
use std::collections::BTreeMap;

/// Class of a caller (docs/design/access.md, *Callers*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Anonymous,
    Farm,
    Association,
}

/// A caller.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) admin: bool,
    pub(super) user: Option<i64>,
    /// *my*
    pub(super) my: Option<i64>,
    pub(super) caps: Vec<Cap>,
    pub(super) viewer: bool,
}

/// All rows of the book, by collection and id, with all their fields.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts(pub(super) BTreeMap<&'static str, BTreeMap<i64, Value>>);

/// The line of a collection.
pub(super) fn rules(slug: &str) -> &'static Line {
    LINES.iter().find(|l| l.slug == slug).expect(slug)
}

/// The value at a dotted path.
pub(super) fn at<'v>(row: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(row, |place, step| &place[step])
}

impl Caller {
    fn association(&self) -> bool {
        self.kind == Kind::Association
    }
    fn signed(&self) -> bool {
        self.kind != Kind::Anonymous
    }
    fn can(&self, cap: Cap) -> bool {
        self.association() || self.caps.contains(&cap)
    }
    fn is_my(&self, organization: &Value) -> bool {
        self.my.is_some() && organization.as_i64() == self.my
    }
    fn is_me(&self, user: &Value) -> bool {
        self.user.is_some() && user.as_i64() == self.user
    }
}

/// live: revokedAt empty, expiresAt empty or ahead.
fn live(row: &Value) -> bool {
    let end = row["expiresAt"].as_str();
    let ahead = |end: &str| end.parse::<jiff::Timestamp>().unwrap().as_millisecond() > NOW;
    row["revokedAt"].is_null() && end.is_none_or(ahead)
}

fn has(list: &Value, word: &str) -> bool {
    list.as_array().is_some_and(|all| all.iter().any(|w| w == word))
}

impl Facts {
    pub(super) fn rows(&self, slug: &str) -> &BTreeMap<i64, Value> {
        self.0.get(slug).expect(slug)
    }

    pub(super) fn row(&self, slug: &str, id: i64) -> Option<&Value> {
        self.rows(slug).get(&id)
    }

    /// The animal of a row; an animal is its own.
    fn animal<'f>(&'f self, slug: &str, row: &'f Value) -> Option<&'f Value> {
        if slug == "animals" {
            return Some(row);
        }
        self.row("animals", row["animal"].as_i64()?)
    }

    // Owners, grants and cards

    fn own(caller: &Caller, a: &Value) -> bool {
        caller.is_my(&a["owner"])
    }
    fn past(caller: &Caller, a: &Value) -> bool {
        let all = a["pastOwners"].as_array();
        all.is_some_and(|all| all.iter().any(|o| caller.is_my(o)))
    }
    fn public(a: &Value) -> bool {
        a["publicVisible"] == true
    }
    fn card(a: &Value) -> bool {
        Self::public(a) && a["publicDetails"] == true
    }
    fn about(row: &Value, a: &Value) -> bool {
        row["owner"] == a["owner"] && (row["animal"].is_null() || row["animal"] == a["id"])
    }
    fn grant(&self, caller: &Caller, a: &Value, scope: &str) -> bool {
        self.rows("access-grants").values().any(|g| {
            let scoped = scope == "any" || has(&g["scopes"], scope);
            live(g) && caller.is_my(&g["grantee"]) && Self::about(g, a) && scoped
        })
    }
    fn consent(&self, caller: &Caller, a: &Value, purposes: &[&str]) -> bool {
        self.rows("genotype-consents").values().any(|c| {
            let purpose =
                purposes.iter().any(|p| has(&c["purposes"], p) && (*p == "publication" || caller.is_my(&c["grantee"])));
            live(c) && Self::about(c, a) && purpose
        })
    }

    /// my or me among S.
    fn subject(caller: &Caller, line: &Line, row: &Value) -> bool {
        line.subjects.iter().any(|path| {
            let value = at(row, path);
            let users = ["author", "actor", "requester", "user"];
            if users.contains(path) { caller.is_me(value) } else { caller.is_my(value) }
        })
    }

    // Rules (docs/design/access.md, *The twelve rules*)

    /// Refused for reading, regardless of the row.
    pub(super) fn denied(caller: &Caller, slug: &str) -> bool {
        match rules(slug).read {
            Rule::Any | Rule::Book | Rule::Event(_, true) | Rule::Open(..) => false,
            Rule::Assoc => !caller.association(),
            Rule::Admin => !caller.admin,
            Rule::None | Rule::Own(_) => true,
            Rule::Signed | Rule::SelfRow | Rule::Author | Rule::Farm | Rule::Event(_, false) => !caller.signed(),
        }
    }

    pub(super) fn reads(&self, caller: &Caller, slug: &str, row: &Value) -> bool {
        !Self::denied(caller, slug) && self.opened(caller, slug, row)
    }

    fn opened(&self, caller: &Caller, slug: &str, row: &Value) -> bool {
        let line = rules(slug);
        let subject = Self::subject(caller, line, row);
        match line.read {
            Rule::Any | Rule::Signed | Rule::Assoc | Rule::Admin => true,
            Rule::None | Rule::Own(_) => false,
            Rule::SelfRow => {
                let team = caller.can(Cap::Team) && caller.is_my(&row["organization"]);
                caller.is_me(&row["id"]) || caller.association() || team
            }
            // "author = me; rows with scope=organization: read by its members and the Association"
            Rule::Author => {
                let members = caller.association() || caller.is_my(&row["organization"]);
                caller.is_me(&row["author"]) || row["scope"] == "organization" && members
            }
            _ if caller.association() => true,
            Rule::Book => {
                let granted = self.grant(caller, row, "any");
                Self::public(row) || Self::own(caller, row) || Self::past(caller, row) || granted
            }
            Rule::Event(scope, card) => {
                let a = self.animal(slug, row);
                let about = a.is_some_and(|a| {
                    let card = card && Self::card(a) && card_opens(slug, row);
                    Self::own(caller, a) || self.grant(caller, a, scope) || card
                });
                (subject || about) && self.further(caller, slug, row, a, subject)
            }
            Rule::Farm => subject,
            Rule::Open(path, flag) => {
                at(row, path).as_str().unwrap_or_default() == flag && (!flag.is_empty() || at(row, path).is_null())
                    || subject
            }
        }
    }

    /// Sentences of single collections that narrow EVENT.
    fn further(&self, caller: &Caller, slug: &str, row: &Value, a: Option<&Value>, subject: bool) -> bool {
        let sees = |class| a.is_some_and(|a| self.sees(caller, "animals", a, class));
        match slug {
            // "Drafts: own only."
            "animal-evaluations" if row["release"] == "awaited" => false,
            "events" if row["status"] == "draft" => a.is_some_and(|a| Self::own(caller, a)),
            // "genotypeReport also needs class g"; its own organisation has it by S.
            "documents" if row["type"] == "genotypeReport" => subject || sees(Class::G),
            // "What a farm's profile makes of its animals is read by the farm and the Association alone."
            "index-values" => row["organization"].is_null() || caller.is_my(&row["organization"]),
            // "only paths of visible classes"
            "animal-revisions" => {
                let path = row["path"].as_str().unwrap_or_default();
                let of = match row["collection"].as_str() {
                    Some("animals") => class("animals", path),
                    other => panic!("revisions of {other:?} are not part of this world"),
                };
                sees(of)
            }
            _ => true,
        }
    }

    // Classes (docs/design/access.md, *Classes of fields*)

    /// Whether the caller, who reads the row, sees fields of the class on it.
    pub(super) fn sees(&self, caller: &Caller, slug: &str, row: &Value, class: Class) -> bool {
        if class == Class::R || caller.association() {
            return true;
        }
        let owned = slug == "animals" && Self::own(caller, row);
        match class {
            Class::R => true,
            Class::Signed => caller.signed(),
            Class::Private => Self::subject(caller, rules(slug), row),
            Class::C => owned || Self::past(caller, row) || Self::card(row) || self.grant(caller, row, "origin"),
            Class::P => owned || Self::card(row) || self.grant(caller, row, "production"),
            Class::E => owned || Self::card(row) || self.grant(caller, row, "evaluation"),
            Class::G => {
                let given = ["research", "evaluation", "exchange"];
                let published = Self::card(row) && self.consent(caller, row, &["publication"]);
                owned || self.consent(caller, row, &given) || published
            }
            Class::O => owned,
        }
    }

    /// Whether callers of this class never see fields of the class, on any row.
    pub(super) fn never(caller: &Caller, slug: &str, class: Class) -> bool {
        let closed = [Class::O, Class::Private, Class::Signed];
        // Rows of nobody are the Association's.
        let nobodys = class == Class::Private && rules(slug).subjects.is_empty();
        Self::denied(caller, slug) || !caller.signed() && closed.contains(&class) || nobodys && !caller.association()
    }

    // Writing

    /// Whether a rule for writing allows the caller to write the stored row.
    pub(super) fn writes(&self, caller: &Caller, slug: &str, rule: Rule, row: &Value) -> bool {
        match rule {
            Rule::Any => true,
            Rule::Signed => caller.signed() && !caller.viewer,
            Rule::Assoc => caller.association(),
            Rule::Admin => caller.admin,
            Rule::None | Rule::Book | Rule::Event(..) | Rule::Open(..) => false,
            // Keys: every user of the account.
            Rule::Farm => caller.association() || caller.is_me(&row["user"]),
            Rule::SelfRow => {
                let team = caller.can(Cap::Team) && caller.is_my(&row["organization"]);
                caller.is_me(&row["id"]) || caller.admin || team && !caller.association()
            }
            // "Shared with its organisation (to write: only while nobody is its author)"
            Rule::Author => {
                let members = caller.association() || caller.is_my(&row["organization"]);
                let nobodys = row["author"].is_null() && row["scope"] == "organization";
                caller.is_me(&row["author"]) || nobodys && members && caller.can(Cap::Data)
            }
            Rule::Own(cap) => caller.association() || caller.can(cap) && self.write_subject(caller, slug, row),
        }
    }

    /// my ∈ S→. `|path`: only where those before are empty. `?path`: while referenced.
    fn write_subject(&self, caller: &Caller, slug: &str, row: &Value) -> bool {
        let mut filled = false;
        rules(slug).writers.iter().any(|path| {
            if let Some(path) = path.strip_prefix('?') {
                return row["presence"] == "referenced" && caller.is_my(&row[path]);
            }
            let last = path.strip_prefix('|');
            if last.is_some() && filled {
                return false;
            }
            let value = match last.unwrap_or(path) {
                "animal.owner" => self.animal(slug, row).map_or(&Value::Null, |a| &a["owner"]),
                path => &row[path],
            };
            filled |= !value.is_null();
            caller.is_my(value)
        })
    }

    /// The exceptions that the U, D lines add in brackets.
    pub(super) fn excepted(caller: &Caller, slug: &str, update: bool, row: &Value) -> bool {
        let farm = caller.kind == Kind::Farm && !caller.viewer;
        match (slug, update) {
            // "U ASSOC (seller confirmation, buyer objection for 30 days, recorder note)"
            ("movements", true) => {
                let objects = row["confirmation"] == "none" && caller.is_my(&row["to"]);
                farm && (caller.is_my(&row["from"]) || objects || caller.is_me(&row["recordedBy"]))
            }
            // "D ADMIN, recorder for 30 days"; the rows of this world are of today. What both confirmed goes with both,
            // and a dispute stays part of the book.
            ("movements", false) => {
                let alone = match row["confirmation"].as_str() {
                    Some("confirmed") => row["released"] == true,
                    other => other != Some("objected") || caller.kind != Kind::Farm,
                };
                !caller.viewer && caller.is_me(&row["recordedBy"]) && alone
            }
            // "U ASSOC (owner ...)"
            ("data-submissions" | "verification-requests", true) => farm && caller.is_my(&row["organization"]),
            // "rows with scope=organization: ... deleted also by its head"
            ("saved-searches", false) => {
                let shared = row["scope"] == "organization" && caller.is_my(&row["organization"]);
                shared && caller.kind == Kind::Farm && caller.caps.contains(&Cap::Team)
            }
            _ => false,
        }
    }

    /// "A verified event ...; only the Association deletes it": others get this refusal on `id`.
    pub(super) fn is_verified_for(caller: &Caller, slug: &str, update: bool, row: &Value) -> bool {
        let verified = EVENTS.contains(&slug) && row["verification"] == "verified";
        !update && verified && !caller.association()
    }

    /// "Only admins create and revoke keys of other users.": others of the Association get this refusal on `user`.
    pub(super) fn of_another(caller: &Caller, slug: &str, row: &Value) -> bool {
        slug == "api-keys" && !caller.admin && !caller.is_me(&row["user"])
    }

    /// "What a run computed is not changed": all get this refusal on `id`.
    pub(super) fn is_computed(slug: &str, row: &Value) -> bool {
        slug == "animal-evaluations" && !row["run"].is_null()
    }

    /// Whether the operation on the stored row is allowed.
    pub(super) fn may(&self, caller: &Caller, slug: &str, update: bool, row: &Value) -> bool {
        let line = rules(slug);
        let rule = if update { line.update } else { line.delete };
        self.writes(caller, slug, rule, row) || Self::excepted(caller, slug, update, row)
    }
}

/// "card branch only when approved"
fn card_opens(slug: &str, row: &Value) -> bool {
    slug != "animal-gallery" || row["moderation"] == "approved"
}
