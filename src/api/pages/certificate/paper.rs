//! The certificate for print: one page from the stored snapshot, with the address of its check and
//! the same as a QR code. Nothing of it is read from the book of today but whether it was revoked.

use super::words::{Words, in_language, path};
use crate::pages::frame::{framed, printable};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use model::display;
use model::face::{Emblem, Face};
use model::messages::Language;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::Value;
use std::fmt::Write as _;

const STYLE: &str = include_str!("certificate.css");
/// White modules around a QR code.
const QUIET: i32 = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Paper<'p> {
    pub(crate) face: &'p Face,
    /// The address of the service without a slash at the end; empty: it is not configured.
    pub(crate) url: &'p str,
    pub(crate) code: &'p str,
    /// Why and when it was revoked, if it was.
    pub(crate) revoked: Option<(&'p str, &'p str)>,
    pub(crate) snapshot: &'p Value,
}

impl Paper<'_> {
    pub(crate) fn into_response_in(self, language: Language) -> Response {
        printable(self.page(language))
    }

    fn page(self, language: Language) -> String {
        let w = |name| language.phrase(name);
        let snapshot = in_language(self.snapshot, language);
        let of = |name: &str| snapshot.get(name).unwrap_or(&Value::Null);
        let number = of("number").as_str().unwrap_or_default();
        let title = w(of("form").as_str().unwrap_or("certificate"));
        let animal = of("animal");
        let title = format!("{title} {number}");
        let content = html! {
            header {
                div {
                    p class="quiet" { (emblem(self.face)) (self.face.name) }
                    h1 { (title) }
                    p { (w("issuedAt")) ": " (display::with_days(language, of("issuedAt").as_str().unwrap_or_default())) }
                }
                (self.check(number, language))
            }
            @if let Some((at, reason)) = self.revoked {
                p class="bad" { (w("revoked")) " " (at) ". " (reason) }
            }
            h2 { (w("animal")) }
            table class="pairs" { tbody {
                (pairs(animal, language))
                (pair("owner", of("owner"), language))
                (pair("breeder", of("breeder"), language))
            } }
            (list("improvers", animal.get("improvers"), &["breed", "share"], language))
            (object("altIds", animal.get("altIds"), language))
            (pedigree(of("pedigree"), language))
            (object("parents", Some(of("parents")), language))
            (list("parentage", Some(of("parentage")), &TESTS, language))
            (object("index", Some(of("index")), language))
            (list("lactations", Some(of("lactations")), &LACTATIONS, language))
            (object("exterior", Some(of("exterior")), language))
            (self.signature(language))
        };
        framed(language, &title, &html! { style { (PreEscaped(STYLE)) } }, &content)
    }

    /// The address of the check, without the code and with it; with it only where anybody reaches it.
    pub(super) fn address(self, number: &str) -> (String, Option<String>) {
        let number = utf8_percent_encode(number, NON_ALPHANUMERIC).to_string().replace("%2D", "-");
        let address = format!("{}/certificate/{number}", self.url);
        let code = utf8_percent_encode(self.code, NON_ALPHANUMERIC);
        let whole = (!self.url.is_empty()).then(|| format!("{address}?k={code}"));
        (address, whole)
    }

    /// Who answers for it, with room for a hand and a seal.
    fn signature(self, language: Language) -> Markup {
        let w = |name| language.phrase(name);
        html! {
            section class="sign" {
                div { p class="quiet" { (w("issuer")) } p { (self.face.issuer) } }
                div class="hand" { p class="quiet" { (w("signatory")) } p { (self.face.signatory) } }
                p class="seal quiet" { (w("seal")) }
            }
        }
    }

    fn check(self, number: &str, language: Language) -> Markup {
        let (address, whole) = self.address(number);
        let picture = whole.and_then(|whole| picture(&whole));
        html! {
            div class="check" {
                @if let Some(picture) = picture { (PreEscaped(picture)) }
                p class="quiet" {
                    (language.phrase("check-at")) " " span class="mono" { (address) } " "
                    (language.phrase("code-is")) " " b class="mono" { (self.code) }
                }
            }
        }
    }
}

/// The emblem within the page, which asks for nothing.
fn emblem(face: &Face) -> Markup {
    let address = |emblem: &Emblem| format!("data:{};base64,{}", emblem.kind, STANDARD.encode(&emblem.bytes));
    html! {
        @if let Some(emblem) = &face.emblem { img class="emblem" src=(address(emblem)) alt=""; " " }
    }
}

pub(super) const TESTS: [&str; 7] =
    ["test", "date", "laboratory", "method", "verdict", "certificateNumber", "certificateDate"];
pub(super) const LACTATIONS: [&str; 10] = [
    "number",
    "calvingDate",
    "dd",
    "milkYield",
    "fatKg",
    "proteinKg",
    "milk305",
    "fat305",
    "protein305",
    "yieldMethod",
];

/// A QR code as SVG: one path of dark squares.
fn picture(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let size = code.size();
    let whole = size + 2 * QUIET;
    let mut squares = String::new();
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            // Writing into a String cannot fail.
            let _ = write!(squares, "M{} {}h1v1h-1z", x + QUIET, y + QUIET);
        }
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"qr\" role=\"img\" viewBox=\"0 0 {whole} {whole}\" \
         shape-rendering=\"crispEdges\"><rect width=\"{whole}\" height=\"{whole}\" fill=\"#fff\"/>\
         <path d=\"{squares}\" fill=\"#000\"/></svg>"
    ))
}

/// A value that is no list and no object.
pub(super) fn plain(name: &str, value: &Value, language: Language) -> Option<String> {
    match value {
        Value::String(text) => Some(display::with_days(language, &language.valued(name, text))),
        Value::Number(number) => Some(display::number(language, &number.to_string())),
        _ => None,
    }
}

fn pair(name: &str, value: &Value, language: Language) -> Markup {
    html! {
        @if let Some(value) = plain(name, value, language) {
            tr { th scope="row" { (language.phrase(name)) } td { (value) } }
        }
    }
}

fn pairs(object: &Value, language: Language) -> Markup {
    let members = object.as_object();
    html! { @for (name, value) in members.into_iter().flatten() { (pair(name, value, language)) } }
}

fn object(title: &str, object: Option<&Value>, language: Language) -> Markup {
    html! {
        @if let Some(object) = object.filter(|object| object.is_object()) {
            section {
                h2 { (language.phrase(title)) }
                table class="pairs" { tbody { (pairs(object, language)) } }
            }
        }
    }
}

/// Rows as a table, in which columns without a value are left out.
fn list(title: &str, rows: Option<&Value>, columns: &[&str], language: Language) -> Markup {
    let rows = rows.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let used = columns.iter().filter(|name| rows.iter().any(|row| row.get(**name).is_some()));
    let used: Vec<&str> = used.copied().collect();
    html! {
        @if !rows.is_empty() {
            section {
                h2 { (language.phrase(title)) }
                table {
                    thead { tr { @for name in &used { th scope="col" { (language.phrase(name)) } } } }
                    tbody { @for row in rows { tr { @for name in &used {
                        td { (row.get(*name).and_then(|value| plain(name, value, language)).unwrap_or_default()) }
                    } } } }
                }
            }
        }
    }
}

fn pedigree(rows: &Value, language: Language) -> Markup {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    let w = |name| language.phrase(name);
    html! {
        @if !rows.is_empty() {
            section {
                h2 { (w("pedigree")) }
                table {
                    thead { tr { @for name in ["place", "identNumber", "name", "breed", "birthYear", "lactation", "index"] {
                        th scope="col" { (w(name)) }
                    } } }
                    tbody { @for row in rows { tr {
                        th scope="row" { (path(row.get("place").and_then(Value::as_u64).unwrap_or(0), language)) }
                        @for name in ["identNumber", "name", "breed", "birthYear"] {
                            td { (row.get(name).and_then(Value::as_str).unwrap_or_default()) }
                        }
                        td { (best(row.get("lactation"), language)) }
                        td { (inner(row, "/index/value", language)) }
                    } } }
                }
            }
        }
    }
}

fn inner(row: &Value, place: &str, language: Language) -> String {
    let value = row.pointer(place).filter(|value| value.is_number());
    let text = value.map(Value::to_string).unwrap_or_default();
    display::number(language, &text)
}

/// `2: 9100 kg`, in words of the page.
fn best(lactation: Option<&Value>, language: Language) -> Markup {
    let with_name = |name: &str| {
        let value = lactation.and_then(|one| one.get(name)).filter(|value| value.is_number());
        value.map(|value| {
            let value = display::number(language, &value.to_string());
            format!("{}: {value}", language.phrase(name))
        })
    };
    let milk = with_name("milk305").or_else(|| with_name("milkYield"));
    let parts = [with_name("number"), milk, with_name("fat305"), with_name("protein305")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    html! { (parts.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paper<'p>(url: &'p str, face: &'p Face, snapshot: &'p Value) -> Paper<'p> {
        Paper { face, url, code: "ACDE2346", revoked: Some(("2026-03-01", &face.name)), snapshot }
    }

    fn face(text: &str) -> Face {
        let text = text.to_owned();
        Face { name: text.clone(), issuer: text.clone(), signatory: text, ..Face::default() }
    }

    #[test]
    fn all_values_are_escaped() {
        let evil = "<script>alert(\"1\")</script>&";
        let snapshot = json!({
            "form": evil, "number": evil, "issuedAt": evil, "owner": evil, "breeder": evil,
            "animal": {"name": evil, "altIds": {"earTag": evil}, "improvers": [{"breed": evil}]},
            "pedigree": [{"place": 2, "name": evil}], "parents": {"father": evil},
            "parentage": [{"laboratory": evil}], "index": {"center": evil}, "exterior": {"finalClass": evil},
        });
        for language in [Language::English, Language::Russian] {
            let page = paper("https://herdbook.example", &face(evil), &snapshot).page(language);
            assert!(!page.contains("<script"), "{page}");
            assert!(page.matches("&lt;script&gt;").count() >= 16, "{page}");
        }
    }

    #[test]
    fn the_address_of_the_check_stands_on_it_and_in_its_picture() {
        let snapshot = json!({"form": "pedigreeCertificate", "number": "RU-2026-0001"});
        let page = paper("https://herdbook.example", &face("x"), &snapshot).page(Language::English);
        assert!(page.contains("https://herdbook.example/certificate/RU-2026-0001"));
        assert!(page.contains("<svg") && page.contains("ACDE2346"));
        let page = paper("", &face("x"), &snapshot).page(Language::English);
        assert!(!page.contains("<svg"), "no picture of an address that nobody reaches");
        assert!(page.contains("/certificate/RU-2026-0001"));
    }

    #[test]
    fn the_paper_says_who_answers_for_it_and_has_room_for_a_seal() {
        let emblem = Some(Emblem { kind: "image/svg+xml", bytes: b"<svg/>".as_slice().into() });
        let face = Face { issuer: "Ltd.".to_owned(), signatory: "Head A. B.".to_owned(), emblem, ..face("Book") };
        let snapshot = json!({"form": "pedigreeCertificate", "number": "1", "exterior": {"finalClass": "VG"}});
        let page = paper("", &face, &snapshot).page(Language::Russian);
        for text in [
            "Кем выдано",
            "Ltd.",
            "Head A. B.",
            "Место печати",
            "VG, очень хорошо",
            "data:image/svg+xml;base64,PHN2Zy8+",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }

    #[test]
    fn the_picture_has_all_dark_modules() {
        let text = "https://herdbook.example/certificate/RU-2026-0001?k=ACDE2346";
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).unwrap();
        let size = code.size();
        let dark = (0..size * size).filter(|n| code.get_module(n % size, n / size)).count();
        assert_eq!(picture(text).unwrap().matches("h1v1h-1z").count(), dark);
    }
}
