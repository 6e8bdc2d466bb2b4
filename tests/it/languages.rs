//! What is wrong is reported in the language of the reader (docs/errors.md, *Language*): messages in Russian where the
//! request prefers it, everything else as in English, and without such a preference nothing differs at all.

use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::{Value, json};

/// Members that are sentences.
const SENTENCES: [&str; 3] = ["message", "title", "detail"];

async fn ask_in(w: &World<'_>, who: &str, (method, path): (&str, &str), accept: &str, body: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("accept-language", accept)];
    // Without a preference there is no such header.
    let headers = &headers[..if accept.is_empty() { 1 } else { 2 }];
    w.send(who, method, path, headers, body.to_owned()).await
}

/// The body without sentences, and without ids that are drawn.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let compared = members.iter().filter(|(name, value)| {
                let drawn = name.as_str() == "id" && value.is_string();
                !drawn && !SENTENCES.contains(&name.as_str())
            });
            compared.map(|(name, value)| (name.clone(), bare(value))).collect()
        }
        Value::Array(list) => list.iter().map(bare).collect(),
        other => other.clone(),
    }
}

/// The sentences of a body, in order.
fn sentences(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str().filter(|_| SENTENCES.contains(&name.as_str())) {
                    Some(text) => all.push(text.to_owned()),
                    None => sentences(value, all),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| sentences(value, all)),
        _ => {}
    }
}

fn said(answer: &Answer) -> Vec<String> {
    let mut all = Vec::new();
    sentences(&answer.json(), &mut all);
    all
}

fn varies(answer: &Answer) -> bool {
    let values = answer.headers.get_all("vary").iter();
    let mut names = values.flat_map(|value| value.to_str().unwrap().split(','));
    names.any(|name| name.trim().eq_ignore_ascii_case("accept-language"))
}

/// Asks in both languages, compares everything but the sentences, and gives the Russian ones. `languages`: what
/// `Content-Language` says.
async fn russian_sentences(w: &World<'_>, who: &str, asks: (&str, &str), body: &str, languages: &str) -> Vec<String> {
    let english = ask_in(w, who, asks, "", body).await;
    assert_eq!(english.header("content-language"), "", "{asks:?}");
    assert!(!varies(&english), "{asks:?}");
    for accept in ["en", "de, en;q=0.5", "en-GB, ru;q=0.9"] {
        let other = ask_in(w, who, asks, accept, body).await;
        assert_eq!(other.header("content-language"), "", "{asks:?} {accept}");
        assert_eq!((other.status, said(&other)), (english.status, said(&english)));
        assert!(!varies(&other), "{asks:?}");
    }
    let russian = ask_in(w, who, asks, "ru-RU, ru;q=0.9, en;q=0.8", body).await;
    assert_eq!(russian.status, english.status, "{asks:?}");
    assert_eq!(bare(&russian.json()), bare(&english.json()), "{asks:?}");
    assert_eq!(russian.header("content-language"), languages, "{asks:?}: {}", russian.text);
    assert!(varies(&russian), "{asks:?}");
    let (before, after) = (said(&english), said(&russian));
    assert_eq!(before.len(), after.len(), "{asks:?}");
    after
}

#[test_with(World::each)]
async fn rest_tells_faults_in_russian(w: &World<'_>) {
    let create = ("POST", "/api/milk-tests");
    let found =
        russian_sentences(w, "alpha", create, r#"{"animal":2,"date":"2025-07-10","milkYield":30,"urea":"x"}"#, "ru")
            .await;
    assert_eq!(found, ["Укажите число.", "Неверно заполнено поле: «Мочевина, мг/100 мл»"]);
    let found = russian_sentences(w, "alpha", create, r#"{"animal":2,"milkYield":30,"fatPercent":40}"#, "ru").await;
    assert_eq!(
        found,
        [
            "Это поле обязательно.",
            "40 больше наибольшего допустимого значения 25.",
            "Неверно заполнены поля: «Дата контрольного доения», «МДЖ, %»",
        ]
    );
    for (who, asks, body, wanted) in table![
        "alpha", ("GET", "/api/milk-tests/999999"), "", "Не найдено";
        "", ("POST", "/api/herds"), r#"{"name":"A"}"#, "У вас нет права на это действие.";
        "alpha", ("GET", "/api/animals?where[nope][equals]=1"), "", "По этому полю нельзя отбирать: nope";
        "alpha", ("GET", "/api/nothing"), "", "Адрес не найден: \"/api/nothing\"";
        "alpha", ("POST", "/api/herds"), "[1", "Неверный JSON";
        "",
        ("POST", "/api/users/login"),
        r#"{"email":"alpha@demo.herdbook","password":"nonsense"}"#,
        "Неверный адрес электронной почты или пароль.";
        "alpha", ("PATCH", "/api/herds"), "{}", "Не указано условие 'where': какие записи изменить.";
    ] {
        let english_too = if body == "[1" { "ru, en" } else { "ru" };
        let found = russian_sentences(w, who, asks, body, english_too).await;
        assert!(found.iter().any(|text| text == wanted), "{asks:?}: {found:?}");
    }
    // Members of lists have their number.
    let body = json!({"animal": 2, "date": "2024-02-01", "progeny": [{"sex": "female"}, {"sex": "?"}]});
    let found = russian_sentences(w, "alpha", ("POST", "/api/calvings"), &body.to_string(), "ru").await;
    assert_eq!(found, ["Такого значения нет в списке.", "Неверно заполнено поле: «Пол телёнка» (2)"]);
    // Rows of one answer.
    let body = r#"[{"name":"A"},{"name":""}]"#;
    let answer = ask_in(w, "alpha", ("POST", "/api/herds"), "ru", body).await;
    assert_eq!((answer.status, answer.header("content-language")), (207, "ru"));
    assert!(answer.text.contains("Это поле обязательно."), "{}", answer.text);
}

#[test_with(World::each)]
async fn graphql_tells_faults_in_russian(w: &World<'_>) {
    let post = ("POST", "/api/graphql");
    let query = |text: &str| json!({"query": text}).to_string();
    let create = query(r#"mutation{createHerd(data:{name:""}){id}}"#);
    let found = russian_sentences(w, "alpha", post, &create, "ru").await;
    assert_eq!(found, ["Это поле обязательно.", "Неверно заполнено поле: «Название»"]);
    let found = russian_sentences(w, "alpha", post, &query("{a{...a}} fragment a on Query{...a}"), "ru").await;
    assert_eq!(found, ["Фрагмент \"a\" включает сам себя."]);
    let found = russian_sentences(w, "alpha", ("POST", "/api/graphql"), "[]", "ru").await;
    assert!(!found.is_empty());
    let unknown = query("{Nothing{id}}");
    let found = russian_sentences(w, "alpha", post, &unknown, "ru").await;
    assert_eq!(found, ["В типе \"Query\" нет поля \"Nothing\"."]);
    // A syntax error of a query names its place. English draws it, as ever.
    for (text, wanted) in table![
        "{Nothing{id}", "Это не GraphQL: ошибка в строке 1, столбец 13.";
        "{a}\nquery Q {b", "Это не GraphQL: ошибка в строке 2, столбец 11.";
        "{a} query Q {b}", "В запросе несколько операций";
        "query Q {a} query Q {b}", "Операция Q описана дважды";
        "fragment F on Query {a}", "В запросе нет операции";
    ] {
        let found = russian_sentences(w, "alpha", post, &query(text), "ru").await;
        assert_eq!(found, [wanted], "{text}");
    }
    let drawn = said(&ask_in(w, "alpha", post, "", &query("{Nothing{id}")).await);
    assert!(drawn[0].starts_with(" --> 1:13\n  |\n1 | {Nothing{id}\n"), "{drawn:?}");
}

#[test_with(World::each)]
async fn the_exchange_tells_faults_in_russian(w: &World<'_>) {
    for (who, asks, body, languages, wanted) in table![
        "",
        ("GET", "/ade/v1/locations"),
        "",
        "ru",
        [
            "Вход не выполнен",
            "Войдите и отправьте токен в заголовке Authorization.",
        ];
        "alpha",
        ("GET", "/ade/v1/nothing/at/all/here/now"),
        "",
        "ru",
        [
            "Нет такого адреса",
            "По адресу /ade/v1/nothing/at/all/here/now ничего нет.",
        ];
        "alpha",
        ("GET", "/ade/v1/datasets/weights/changes?limit=0"),
        "",
        "ru",
        [
            "Значение не принято",
            "limit: должен быть целым числом от 1.",
        ];
        "alpha",
        ("GET", "/ade/v1/datasets/nothing/changes"),
        "",
        "ru",
        ["Нет такого раздела", "Набора данных nothing нет."];
    ] {
        let found = russian_sentences(w, who, asks, body, languages).await;
        assert_eq!(found, wanted, "{asks:?}");
    }
    // What the validator of the standard says is English, beside the meaning of its code.
    let push = ("POST", "/ade/v1/datasets/weights/resources");
    let found = russian_sentences(w, "alpha", push, "[{}]", "ru, en").await;
    assert!(found.iter().any(|text| text.starts_with("Не хватает ") && text.ends_with(')')), "{found:?}");
}

#[test_with(World::each)]
async fn what_succeeds_has_no_language_and_caches_keep_it_for_all(w: &World<'_>) {
    let path = ("GET", "/api/animals?limit=2");
    let first = ask_in(w, "alpha", path, "", "").await;
    for accept in ["ru", "en", ""] {
        let second = ask_in(w, "alpha", path, accept, "").await;
        assert_eq!((second.status, &second.text), (200, &first.text));
        assert_eq!(second.header("etag"), first.header("etag"));
        assert_eq!(second.header("content-language"), "");
        assert!(!varies(&second));
    }
    // An error in between is made anew for each reader.
    for (accept, wanted) in [("ru", "Не найдено"), ("", "Not Found"), ("ru", "Не найдено")] {
        let answer = ask_in(w, "alpha", ("GET", "/api/animals/999999"), accept, "").await;
        assert!(answer.text.contains(wanted), "{accept}: {}", answer.text);
    }
    let query = "/api/graphql?query=%7BAnimal(id:999999)%7Bid%7D%7D";
    for (accept, languages) in [("ru", "ru"), ("", ""), ("ru", "ru")] {
        let answer = ask_in(w, "alpha", ("GET", query), accept, "").await;
        let wanted = if answer.text.contains("errors") { languages } else { "" };
        assert_eq!(answer.header("content-language"), wanted, "{}", answer.text);
    }
}
