//! From claims to callers (docs/design/access.md, *Callers*).

use super::fixture::{Fixture, NOW, books, insert, run, user};
use crate::{ResolvedCaller, SignInState};
use model::record::Value;
use model::registry::{Caller, Capability};
use secure::session::Claims;
use serde_json::json;
use store::Sql;
use store::statement_log::read as statements;
use test_support::table;

fn claims(id: i64, sid: &str) -> Claims {
    Claims {
        id,
        collection: "users".to_owned(),
        email: String::new(),
        role: "admin".to_owned(),
        sid: sid.to_owned(),
        iat: 0,
        exp: i64::MAX,
    }
}

async fn resolve(f: &Fixture, id: i64) -> ResolvedCaller {
    f.book.principal(Some(&claims(id, "s1"))).await.unwrap()
}

async fn change(f: &Fixture, sql: &str) {
    run(&f.book, vec![Sql::new(sql)]).await;
}

fn sorted(caller: &ResolvedCaller) -> Vec<Capability> {
    caller.principal.capabilities.iter().copied().collect()
}

#[test_each(books())]
async fn roles_make_classes(f: Fixture) {
    let admin = insert("users", 9, user("admin", None));
    run(&f.book, admin).await;
    for (id, caller, organization, admin) in
        [(1, Caller::Association, None, false), (2, Caller::Farm, Some(1), false), (9, Caller::Association, None, true)]
    {
        let ResolvedCaller { principal, sign_in_state, .. } = resolve(&f, id).await;
        assert_eq!(sign_in_state, SignInState::SignedIn);
        assert_eq!((principal.caller, principal.user), (caller, Some(id)));
        assert_eq!((principal.organization, principal.admin), (organization, admin));
        assert_eq!(principal.session.as_deref(), Some("s1"));
        assert_eq!(principal.capabilities.len(), 6);
    }
}

#[test_each(books())]
async fn whoever_is_not_signed_in_is_anonymous(f: Fixture) {
    change(&f, "UPDATE users SET blocked_at = created_at WHERE id = 3").await;
    for (claims, sign_in_state) in table![
        None, SignInState::Unknown;
        Some(claims(2, "other")), SignInState::Ended;
        Some(claims(77, "s1")), SignInState::Ended;
        Some(Claims { collection: "herds".to_owned(),..claims(2, "s1") }), SignInState::Ended;
        Some(claims(3, "s1")), SignInState::Blocked;
    ] {
        let caller = f.book.principal(claims.as_ref()).await.unwrap();
        assert_eq!(caller.sign_in_state, sign_in_state);
        assert_eq!(caller.principal.caller, Caller::Anonymous);
        assert_eq!(caller.principal.user, None);
    }
}

#[test_each(books())]
async fn a_session_ends_with_its_time_and_not_with_its_token(f: Fixture) {
    let end = |at: i64| {
        let until = model::record::time::to_iso(at);
        format!("UPDATE \"users\" SET \"sessions\" = '[{{\"id\":\"s1\",\"expiresAt\":\"{until}\"}}]'")
    };
    for (at, sign_in_state) in
        [(NOW + 1, SignInState::SignedIn), (NOW, SignInState::Ended), (NOW - 1, SignInState::Ended)]
    {
        change(&f, &end(at)).await;
        assert_eq!(resolve(&f, 2).await.sign_in_state, sign_in_state, "{}", at - NOW);
    }
    change(&f, "UPDATE \"users\" SET \"sessions\" = '[{\"id\":\"s1\"}]'").await;
    assert_eq!(resolve(&f, 2).await.sign_in_state, SignInState::Ended);
}

#[tokio::test]
async fn capabilities_follow_role_and_membership() {
    use Capability::{Data, Org, Submit, Team};
    for f in books().await {
        change(&f, "UPDATE organizations SET membership = 'suspended'").await;
        assert_eq!(sorted(&resolve(&f, 2).await), [Data, Team, Org]);
        assert_eq!(resolve(&f, 1).await.principal.capabilities.len(), 6);
        change(&f, "UPDATE users SET org_role = 'operator'").await;
        assert_eq!(sorted(&resolve(&f, 2).await), [Data]);
        change(&f, "UPDATE organizations SET membership = 'member'").await;
        assert_eq!(sorted(&resolve(&f, 2).await), [Data, Submit]);
        change(&f, "UPDATE users SET org_role = 'viewer'").await;
        assert_eq!(sorted(&resolve(&f, 2).await), []);
    }
}

#[test_each(books())]
async fn a_merged_organization_is_the_one_it_became(f: Fixture) {
    change(&f, "UPDATE organizations SET merged_into = 2 WHERE id = 1").await;
    assert_eq!(resolve(&f, 2).await.principal.organization, Some(2));
    change(&f, "UPDATE organizations SET merged_into = 1 WHERE id = 2").await;
    assert_eq!(resolve(&f, 2).await.principal.organization, None, "in a circle");
}

#[tokio::test]
async fn grants_are_those_to_the_own_organization() {
    let grant = |id, grantee, revoked: Option<i64>| {
        let revoked = revoked.map_or(Value::Null, Value::Time);
        let fields = vec![
            ("owner", Value::Int(1)),
            ("grantee", Value::Int(grantee)),
            ("animal", Value::Int(id)),
            ("scopes", Value::json(json!(["production"]))),
            ("expiresAt", Value::Time(NOW + 5)),
            ("revokedAt", revoked),
        ];
        insert("access-grants", id, fields)
    };
    for f in books().await {
        let all = [grant(1, 2, None), grant(2, 2, Some(NOW)), grant(3, 1, None)];
        run(&f.book, all.concat()).await;
        let grants = resolve(&f, 3).await.principal.grants.clone();
        assert_eq!(grants.len(), 1);
        assert_eq!((grants[0].owner, grants[0].animal), (1, Some(1)));
        assert_eq!(grants[0].scopes, ["production"]);
        assert_eq!(grants[0].expires, Some(NOW + 5));
    }
}

#[test_each(books())]
async fn callers_are_remembered_until_rights_move(f: Fixture) {
    resolve(&f, 2).await;
    statements();
    resolve(&f, 2).await;
    assert_eq!(statements(), [""; 0]);
    change(&f, "UPDATE users SET organization = 2 WHERE id = 2").await;
    assert_eq!(resolve(&f, 2).await.principal.organization, Some(2));
    assert_eq!(statements().len(), 3, "user, organisation, grants");
}
