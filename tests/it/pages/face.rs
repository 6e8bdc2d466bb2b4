//! The face of an installation on its pages: name, emblem, colours, contacts, legal texts.

use crate::pages::BROWSER;
use crate::rest::stage::Stage;
use std::fs;

#[tokio::test]
async fn pages_show_the_face_of_the_installation() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let emblem = put("emblem.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    put("privacy.en.txt", "Privacy\n\nWe store <little>.\n");
    put("privacy.ru.txt", "Персональные данные\n\nМы храним мало.\n");
    let texts = folder.path().display().to_string();
    let stage = Stage::with(&[
        ("face.name", "Herd Book of Alpha"),
        ("face.emblem", &emblem),
        ("face.color", "#123456"),
        ("face.contacts", "Tel. 1"),
        ("face.footer", "Alpha <Ltd>"),
        ("face.texts", &texts),
    ])
    .await;
    let get = async |path: &str| stage.send("GET", path, &BROWSER).await;
    let start = get("/sign-in").await;
    start.has(&["Herd Book of Alpha</title>", "Tel. 1", "Alpha &lt;Ltd&gt;", "<a href=\"/legal/privacy\">Privacy</a>"]);
    let address = |begin: &str| {
        let (_, rest) = start.text.split_once(begin).unwrap_or_else(|| panic!("{begin}: {}", start.text));
        format!("{}{}", begin.split_once('"').unwrap().1, rest.split('"').next().unwrap())
    };
    let css = get(&address("href=\"/pages/face.css")).await;
    assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
    assert!(css.text.contains("--mark:#123456"), "{}", css.text);
    let emblem = get(&address("class=\"emblem\" src=\"/pages/emblem").replace("emblem\" src=\"", "")).await;
    assert_eq!((emblem.status, emblem.header("content-type")), (200, "image/svg+xml"));
    assert!(emblem.header("content-security-policy").contains("sandbox"));
    get("/legal/privacy").await.has(&["<h1>Privacy</h1>", "We store &lt;little&gt;."]);
    let russian = [BROWSER[0], ("accept-language", "ru")];
    stage.send("GET", "/legal/privacy", &russian).await.has(&["Мы храним мало."]);
    assert_eq!(get("/legal/other").await.status, 404);
    // The service keeps its name for programs.
    holds!(stage.get("/").await.json(), {"service": "herdbook"});
}
