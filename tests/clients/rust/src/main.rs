//! A client that is generated from the server's own description: reads and writes a milk test.

#[allow(dead_code, unused_imports)]
mod generated;

use generated::{HttpClient, LoginUserRequest, MilkTestsCreate};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let url = std::env::args().nth(1).ok_or("the address of a server")?;
    let stranger = HttpClient::new().with_base_url(&url);
    let account = LoginUserRequest {
        email: "farm1@demo.herdbook".to_owned(),
        password: "demo-herdbook".to_owned(),
        code: None,
    };
    let signed_in = stranger.login_user(Some(0), account).await?;
    let client = HttpClient::new()
        .with_base_url(&url)
        .with_api_key(&signed_in.token);
    let user = serde_json::to_value(&signed_in.user)?;
    let conditions = serde_json::json!({
        "owner": {"equals": user["organization"]},
        "sex": {"equals": "female"},
        "state": {"equals": "alive"},
        "birthDate": {"less_than": "2023-01-01"},
    });
    let none = None::<String>;
    let cows = client
        .find_animals(
            Some(conditions.to_string()), none.clone(), Some(1), None, None, Some(0), None, None, None, none.clone(), None, None, None, None, None,
        )
        .await?;
    let cow = cows.docs.first().ok_or("a farm without cows")?.id;
    let mut new = MilkTestsCreate::new(cow, "2026-04-10".to_owned());
    new.milk_yield = Some(Some(26.5));
    let written = client
        .create_test_day_milking(Some(0), None, None, None, None, none.clone(), new)
        .await?;
    let test = written.doc.id.to_string();
    let read = client
        .find_one_test_day_milking(&test, Some(0), None, None, None)
        .await?;
    assert_eq!(read.milk_yield, Some(Some(26.5)));
    let gone = client
        .delete_test_day_milking(&test, Some(0), None, None, None)
        .await?;
    assert_eq!(gone.doc.id, written.doc.id);
    println!(
        "openapi-to-rust: {} cows found, a milk test written, read and deleted",
        cows.total_docs
    );
    Ok(())
}
