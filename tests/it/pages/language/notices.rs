//! What was done is reported once, at the top of the page that follows, in the language of its reader.

use crate::pages::filled::Filled;
use crate::pages::{BROWSER, assert_sound, linked, page, send};
use crate::rest::stage::Answer;
use crate::rest::world::World;

/// The page after a form, in a language, with the cookies that a browser sends then.
async fn follows(w: &World<'_>, who: &str, sent: &Answer, language: &str) -> Answer {
    assert_eq!(sent.status, 303, "{}", sent.text);
    let cookie = sent.header("set-cookie").split(';').next().unwrap();
    let headers = [BROWSER[0], ("accept-language", language), ("cookie", cookie)];
    w.send(who, "GET", sent.header("location"), &headers, "").await
}

/// The page says it first, and ends it.
fn assert_notice(page: &Answer, notice: &str) {
    assert_sound(page, notice);
    let (_, main) = page.text.split_once("<main id=\"main\" tabindex=\"-1\">").unwrap();
    let wanted = format!("<p class=\"done\" role=\"status\">{notice}</p>");
    assert!(main.starts_with(&wanted), "{notice}: {main}");
    let cookie = page.header("set-cookie");
    assert!(cookie.starts_with("done=; ") && cookie.contains("Max-Age=0"), "{cookie}");
}

#[test_with(World::each)]
async fn what_was_done_is_told_at_the_top_of_the_next_page(w: &World<'_>) {
    let list = "/book/milk-tests";
    let test = [("animal", "[2]"), ("date", "2024-03-01"), ("milkYield", "30"), ("anyway", "yes")];
    let assert_next = async |sent: &Answer, language: &str, text: &str| {
        assert_notice(&follows(w, "alpha", sent, language).await, text);
    };
    let made = send(w, "alpha", &format!("{list}/new"), &test).await;
    assert_next(&made, "ru", "Запись добавлена: Animal 2 960000000002, контрольное доение, 01.03.2024").await;
    assert_next(&made, "en", "Added: Test day of Animal 2 960000000002, 2024-03-01").await;
    let path = crate::pages::goes(&made).to_owned();
    let saved = send(w, "alpha", &format!("{path}/edit"), &[("milkYield", "31")]).await;
    assert_next(&saved, "ru", "Запись сохранена: Animal 2 960000000002, контрольное доение, 01.03.2024").await;
    let gone = send(w, "alpha", &format!("{path}/delete"), &[]).await;
    assert_next(&gone, "ru", "Запись удалена: Контрольное доение").await;
    // The form of the next one names the record, too.
    let more = test.into_iter().chain([("again", "yes")]).collect::<Vec<_>>();
    let next = send(w, "alpha", &format!("{list}/new"), &more).await;
    assert_next(&next, "en", "Added: Test day of Animal 2 960000000002, 2024-03-01").await;
    // A move, by its button and by the page that asks.
    let path = "/book/animals/2";
    let ask = linked(w, "alpha", path, "Record the death").await;
    let form = Filled::of(&ask, "Record the death");
    let dead = send(w, "alpha", path, &form.pairs()).await;
    // With the way to undo it.
    let movement = w.list("movements", "").await[0]["id"].clone();
    let undo = format!("<a href=\"/book/movements/{movement}/delete\">Отменить</a>");
    assert_next(&dead, "ru", &format!("Падёж записан – Animal 2 960000000002 {undo}")).await;
    let form = Filled::of(&page(w, "alpha", path).await, "Take it back into the herd");
    let back = send(w, "alpha", path, &form.pairs()).await;
    assert_next(&back, "en", "The animal was taken back into the herd – Animal 2 960000000002").await;
    // An action.
    let hook = made!(w, "alpha", "webhooks", {"url": "https://partner.example/hook", "dataset": "animals"});
    let answer = page(w, "alpha", &format!("/book/webhooks/{hook}")).await;
    let form = Filled::of(&answer, "Send a test");
    let acted = send(w, "alpha", &form.action, &form.pairs()).await;
    assert_next(&acted, "ru", "Проверочное сообщение отправлено – Веб-хук, https://partner.example/hook").await;
    // A refusal is not shown as done, and words that no page wrote are none.
    let refused = send(w, "alpha", &format!("{list}/new"), &[("milkYield", "x")]).await;
    assert_eq!((refused.status, refused.header("set-cookie")), (400, ""));
    for word in "done=moved/animals/state/nope done=<b> done=acted/animals/x done=saved/x \
        done= other=saved/animals done=saved/none:2 done=made/animals/x:2 done=made/animals/x:2:movements/1"
        .split(' ')
    {
        let headers = [BROWSER[0], BROWSER[1], ("cookie", word)];
        let answer = w.send("alpha", "GET", path, &headers, "").await;
        assert!(answer.status == 200 && !answer.text.contains("class=\"done\""), "{word}: {}", answer.text);
    }
}
