use super::*;

const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

fn sources(file: &str, variables: &[(&str, &str)], flags: &[(&'static str, &str)]) -> Sources {
    Sources {
        file: Some(file.to_owned()),
        variables: (variables.iter()).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        flags: flags.iter().map(|(k, v)| (*k, (*v).to_owned())).collect(),
    }
}

fn faults(result: Result<Settings>) -> Vec<(String, String)> {
    match result {
        Err(Error::Invalid(issues)) => {
            (issues.into_iter()).map(|issue| (issue.path, issue.code.into_owned())).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_defaults_stand_when_nothing_is_said() {
    let settings = Settings::load(&Sources::default()).unwrap();
    assert_eq!(settings.service, "herdbook");
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.body_limit, 10 * 1024 * 1024);
    assert_eq!((settings.depth, settings.limit), (1, 10));
    assert_eq!((settings.lock_failures, settings.lock_time), (5, 600));
    assert_eq!(settings.exchange_prefix, "org.herdbook");
    assert_eq!(settings.mappings, None);
}

#[test]
fn flags_stand_above_variables_above_the_file() {
    let file = "listen = '127.0.0.1:1'\n[rest]\ndepth = 2\nlimit = 20\n";
    let variables = [("HERDBOOK_LISTEN", "127.0.0.1:2"), ("HERDBOOK_REST_DEPTH", "3")];
    let flags = [("listen", "127.0.0.1:3")];
    let settings = Settings::load(&sources(file, &variables, &flags)).unwrap();
    assert_eq!(settings.listen.port(), 3);
    assert_eq!(settings.depth, 3);
    assert_eq!(settings.limit, 20);
}

#[test]
fn all_faults_are_reported_at_once() {
    let file = "listn = 'x'\nlisten = 'here'\n[rest]\ndepth = 11\ndeep = 1\n[other]\na = 1\n";
    let variables = [
        ("HERDBOOK_SECURITY_COOKIE_SECURE", "maybe"),
        ("HERDBOOK_TRUSTED_ORIGINS", "https://a.example, b.example"),
        ("HERDBOOK_DATABASE_DURABILITY", "some"),
    ];
    let faults = faults(Settings::load(&sources(file, &variables, &[])));
    let expected = [
        ("listn", "unknown-key"),
        ("other", "unknown-key"),
        ("rest.deep", "unknown-key"),
        ("listen", "not-an-address"),
        ("database.durability", "not-a-choice"),
        ("trusted_origins", "not-an-origin"),
        ("security.cookie_secure", "not-a-flag"),
        ("rest.depth", "not-a-number"),
    ];
    let expected = expected.map(|(path, code)| (path.to_owned(), code.to_owned()));
    assert_eq!(faults, expected);
}

#[test]
fn variables_of_an_orchestrator_are_passed_over() {
    let variables = [("HERDBOOK_PORT", "tcp://10.0.0.1:80")];
    assert!(Settings::load(&sources("", &variables, &[])).is_ok());
}

#[test]
fn origins_come_as_a_list_or_with_commas_and_lose_their_slash() {
    let listed = "trusted_origins = ['https://a.example/', 'http://localhost:3000']";
    let variables = [("HERDBOOK_TRUSTED_ORIGINS", "https://a.example/,http://localhost:3000")];
    for sources in [sources(listed, &[], &[]), sources("", &variables, &[])] {
        let settings = Settings::load(&sources).unwrap();
        let expected = ["https://a.example", "http://localhost:3000"];
        assert_eq!(settings.trusted_origins, expected);
    }
}

#[test]
fn a_file_that_is_not_toml_is_refused() {
    let broken = Settings::load(&sources("listen = ", &[], &[]));
    assert!(matches!(broken, Err(Error::Malformed(_))));
}

#[test]
fn secrets_are_refused_by_name_and_never_shown() {
    let variables = [("HERDBOOK_SECURITY_SECRET", "changeme"), ("HERDBOOK_SECURITY_PREVIOUS_SECRET", "short")];
    let settings = Settings::load(&sources("", &variables, &[])).unwrap();
    assert!(!format!("{settings:?}").contains("changeme"));
    let Err(Error::Invalid(issues)) = settings.ring() else {
        panic!("the secrets were taken");
    };
    let pairs: Vec<_> = (issues.iter()).map(|issue| (issue.path.as_str(), issue.code.as_ref())).collect();
    let expected = [("security.secret", "well-known"), ("security.previous_secret", "too-short")];
    assert_eq!(pairs, expected);
    let missing = Settings::load(&Sources::default()).unwrap().ring();
    assert!(matches!(missing, Err(Error::Invalid(i)) if i[0].code == "required"));
    let good = sources("", &[("HERDBOOK_SECURITY_SECRET", SECRET)], &[]);
    assert!(Settings::load(&good).unwrap().ring().is_ok());
}

#[test]
fn the_example_says_the_defaults() {
    let example = Settings::example();
    let live: String = (example.lines())
        .map(|line| match line.strip_prefix("# ") {
            Some(pair) if KEYS.iter().any(|k| is_pair(pair, k.name)) => format!("{pair}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let loaded = Settings::load(&sources(&live, &[], &[])).unwrap();
    let default = Settings::load(&Sources::default()).unwrap();
    assert_eq!(format!("{loaded:?}"), format!("{default:?}"));
    for key in KEYS {
        assert!(example.contains(key.doc), "{}", key.name);
    }
}

fn is_pair(line: &str, key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap();
    line.starts_with(&format!("{name} = "))
}

#[test]
fn a_flag_without_a_key_is_refused() {
    let faults = faults(Settings::load(&sources("", &[], &[("mappings", "own")])));
    assert_eq!(faults, [("mappings".to_owned(), "unknown-key".to_owned())]);
}

#[test]
fn a_name_stands_for_its_address() {
    let settings = Settings::load(&sources("listen = 'localhost:0'", &[], &[])).unwrap();
    assert!(settings.listen.ip().is_loopback());
}

#[test]
fn standard_curves_are_read_and_refused_with_the_settings() {
    let curves = |file: &str| sources("", &[("HERDBOOK_BOOK_STANDARD_CURVES", file)], &[]);
    let root = env!("CARGO_MANIFEST_DIR");
    let settings = Settings::load(&curves(&format!("{root}/../../tests/it/facts/curves.csv"))).unwrap();
    let milk = settings.standard_curves.map(|curves| [1, 2, 3].map(|parity| curves.of(parity).milk.at(30.0)));
    assert_eq!(milk, Some([37.5, 30.0, 51.0]));
    let key = "book.standard_curves".to_owned();
    assert_eq!(faults(Settings::load(&curves("no such file"))), [(key.clone(), "no-file".to_owned())]);
    let others = faults(Settings::load(&curves(&format!("{root}/Cargo.toml"))));
    assert!(others.len() > 4 && others.iter().all(|fault| *fault == (key.clone(), "not-curves".to_owned())));
}

#[test]
fn the_face_is_read_with_its_files_and_faint_colours_are_refused() {
    let folder = std::env::temp_dir().join(format!("herdbook-face-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    put("emblem.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    put("broken.png", "\u{89}PNG");
    put("privacy.en.txt", "Privacy\n\nWe keep little.\n\nAsk us.\n");
    put("privacy.ru.txt", "\u{feff}Персональные данные\r\n\r\nМы храним мало.\r\n");
    let at = |name: &str| folder.join(name).display().to_string();
    let file = format!(
        "[face]\nname = 'Книга'\nemblem = '{}'\ncolor = '#123456'\ndark_color = '#abcdef'\ncontacts = ['A, b', 'c']\n\
         footer = 'd'\ntexts = '{}'\nsignatory = 'Head A.'\n",
        at("emblem.svg"),
        folder.display()
    );
    let settings = Settings::load(&sources(&file, &[], &[])).unwrap();
    let face = &settings.face;
    assert_eq!((face.name.as_str(), face.issuer.as_str()), ("Книга", "Книга"));
    assert_eq!(face.foot, ["A, b", "c", "d"]);
    assert_eq!(face.emblem.as_ref().unwrap().kind, "image/svg+xml");
    let titles: Vec<_> = model::messages::Language::ALL
        .map(|language| face.texts_in(language).map(|(name, text)| (name.to_owned(), text.clone())).collect::<Vec<_>>())
        .concat();
    let texts: Vec<_> =
        titles.iter().map(|(name, text)| (name.as_str(), text.title.as_str(), text.paragraphs.len())).collect();
    assert_eq!(texts, [("privacy", "Privacy", 2), ("privacy", "Персональные данные", 1)]);
    assert_eq!(settings.mail.branding.service, "Книга");
    assert_eq!(Settings::load(&Sources::default()).unwrap().face.name, "herdbook");
    std::fs::remove_file(folder.join("privacy.ru.txt")).unwrap();
    let file = format!(
        "[face]\nemblem = '{}'\ncolor = '#ffcc00'\ndark_color = 'blue'\ntexts = '{}'\n",
        at("broken.png"),
        folder.display()
    );
    let expected = [
        ("face.emblem", "not-a-picture"),
        ("face.color", "too-faint"),
        ("face.dark_color", "not-a-color"),
        ("face.texts", "no-text"),
    ];
    let expected = expected.map(|(path, code)| (path.to_owned(), code.to_owned()));
    assert_eq!(faults(Settings::load(&sources(&file, &[], &[]))), expected);
    // A small file of many pixels.
    let mut png = Vec::new();
    let mut writer = png::Encoder::new(&mut png, 2_001, 1).write_header().unwrap();
    writer.write_image_data(&[0; 2_001]).unwrap();
    writer.finish().unwrap();
    std::fs::write(folder.join("wide.png"), png).unwrap();
    let wide = faults(Settings::load(&sources(&format!("[face]\nemblem = '{}'\n", at("wide.png")), &[], &[])));
    assert_eq!(wide, [("face.emblem".to_owned(), "not-a-picture".to_owned())]);
    std::fs::remove_dir_all(folder).unwrap();
}
