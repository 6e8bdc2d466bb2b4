//! What may stand in a cell, in words.

use model::registry::{Field, Kind};

/// Values of a choice that are told.
const OPTIONS: usize = 12;

/// What may stand in a cell of a field.
pub(crate) fn expected(field: &Field) -> String {
    let (least, most) = field.bounds();
    let bounded = least.is_finite() && most.is_finite();
    match &field.kind {
        Kind::Int if bounded => format!("A whole number from {least} to {most}."),
        Kind::Int => "A whole number.".to_owned(),
        Kind::Number if bounded => format!("A number from {least} to {most}."),
        Kind::Number => "A number.".to_owned(),
        Kind::Day => "A day: 31.12.2025 or 2025-12-31.".to_owned(),
        Kind::Instant => "A day with a time: 31.12.2025 06:30.".to_owned(),
        Kind::Bool => "Yes or no.".to_owned(),
        Kind::Select(values) | Kind::Selects(values) => {
            let more = if values.len() > OPTIONS { ", …" } else { "" };
            let told: Vec<&str> = values.iter().take(OPTIONS).map(String::as_str).collect();
            format!("One of {}{more}.", told.join(", "))
        }
        Kind::Relation(target) | Kind::Relations(target) => {
            format!("A number, code or name that {target} has.")
        }
        Kind::Text(most) => format!("A text of at most {most} characters."),
        Kind::LongText | Kind::Email | Kind::Password | Kind::Texts(_) => String::new(),
        Kind::Rows(_) | Kind::Json => "JSON.".to_owned(),
    }
}
