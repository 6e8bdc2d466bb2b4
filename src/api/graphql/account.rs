//! Signing in and what belongs to it, by the functions of the REST face. Must not know any single collection.

use super::call::{Call, Job, OperationAnswer, parsed};
use super::fault::Fault;
use super::field_selection::children;
use super::model::Verb;
use crate::layers::request_facts;
use crate::{Refusal, sign_in};
use model::error::Error;

use axum::body::to_bytes;
use axum::http::header;
use axum::response::Response;
use model::query::qs::{Choice, Select, SelectTree};
use model::registry::Collection;
use ops::View;
use serde_json::Value as Json;

pub(super) async fn run(call: &Call, c: &'static Collection, job: Job<'_, '_>) -> Result<OperationAnswer, Fault> {
    let (app, who, args) = (&call.app, &call.who, job.args);
    let view = || call.view(children(job.picks, "user"));
    let yes = |_: ()| OperationAnswer::from(Json::Bool(true));
    match job.verb {
        Verb::Me => {
            let view = view()?;
            let me = sign_in::myself(app, c, who, Ok(view)).await?;
            done(me).await
        }
        Verb::Initialized => {
            let some = sign_in::initialized(&app.book, c).await?;
            Ok(Json::Bool(some).into())
        }
        Verb::Login => {
            (app.limits.count_address_attempt(request_facts::address())).map_err(Refusal::from)?;
            done(sign_in::signed(app, c, args, view()?).await?).await
        }
        Verb::Logout => {
            let all = args.get("allSessions") == Some(&Json::Bool(true));
            let mut ended = done(sign_in::ended(app, c, who, Ok(all)).await?).await?;
            // The dialect has a text here.
            ended.document = Json::from("true");
            Ok(ended)
        }
        Verb::Refresh => {
            let renewed = sign_in::renewed(app, c, who, Ok(token_view())).await?;
            done(renewed).await
        }
        Verb::Forgot => Ok(yes(sign_in::forget(app, c, args).await?)),
        Verb::Reset => done(sign_in::renew(app, c, args, view()?).await?).await,
        Verb::Unlock => Ok(yes(sign_in::open(app, c, who, args).await?)),
        Verb::Verify => {
            let token = args.get("token").and_then(Json::as_str).unwrap_or_default();
            Ok(yes(sign_in::proved(app, c, who, token.to_owned()).await?))
        }
        _ => Err(Error::internal("the operation is not about signing in").into()),
    }
}

fn token_view() -> View {
    let fields = ["email", "role", "collection"].map(|name| (name.to_owned(), Choice::Whole));
    View { select: Some(Select::Include(SelectTree::from_iter(fields))), ..View::default() }
}

/// What the REST face would have answered.
async fn done(response: Response) -> Result<OperationAnswer, Fault> {
    let cookies = response.headers().get_all(header::SET_COOKIE).into_iter();
    let cookies = cookies.filter_map(|cookie| cookie.to_str().ok());
    let cookies = cookies.map(str::to_owned).collect();
    let body = to_bytes(response.into_body(), usize::MAX).await;
    let document = parsed(&body.map_err(Error::internal)?)?;
    Ok(OperationAnswer { document, cookies, rows: None })
}
