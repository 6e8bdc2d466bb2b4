//! Challenges for authenticators: stored in a table until they are answered, so that each is
//! answered once, by any process. They take no place in commit order.

use model::error::Result;
use model::record::Value;
use secure::token::digest;
use store::{Sql, Tx, Ty};

/// How long a challenge waits for its answer, milliseconds.
const WAITS: i64 = 5 * 60_000;
/// Challenges that wait at a time; the oldest give way.
const MOST: i64 = 20_000;

/// A challenge as it was sent out.
#[derive(Debug)]
pub struct Challenge {
    pub text: String,
    /// Its user and purpose.
    pub whose: String,
    /// The state that the check of the answer needs.
    pub state: String,
}

/// Stores a challenge until it is answered, or ends.
pub async fn pose(tx: &mut Tx, challenge: Challenge, now: i64) -> Result<()> {
    let until = |before: i64| Sql::new("DELETE FROM sign_in_challenges WHERE until <= ").with(Ty::Int, before);
    tx.run(until(now)).await?;
    let most = Sql::new("SELECT until FROM sign_in_challenges ORDER BY until DESC LIMIT 1 OFFSET ");
    let most = tx.rows(most.with(Ty::Int, MOST)).await?;
    if let Some(before) = most.first().and_then(|row| row.int(0)) {
        tx.run(until(before)).await?;
    }
    let text = Value::from(digest(&challenge.text));
    let until = now.saturating_add(WAITS);
    let row = [text, challenge.whose.into(), challenge.state.into(), until.into()];
    let into = "sign_in_challenges (challenge, whose, state, until)";
    tx.run(Sql::insert(into, [Ty::Text, Ty::Text, Ty::Text, Ty::Int], [row])).await?;
    Ok(())
}

/// The state of a challenge, which is used up; none when it was not sent, was sent for something else, or is too old.
pub async fn take(tx: &mut Tx, text: &str, whose: &str, now: i64) -> Result<Option<String>> {
    let mut sql = Sql::new("SELECT state FROM sign_in_challenges WHERE challenge = ");
    sql.bind(Ty::Text, digest(text)).push(" AND whose = ").bind(Ty::Text, whose).push(" AND until > ");
    sql.bind(Ty::Int, now);
    let rows = tx.rows(sql).await?;
    let Some(state) = rows.first().and_then(|row| row.text(0)) else { return Ok(None) };
    let used = Sql::new("DELETE FROM sign_in_challenges WHERE challenge = ");
    tx.run(used.with(Ty::Text, digest(text))).await?;
    Ok(Some(state.to_owned()))
}
