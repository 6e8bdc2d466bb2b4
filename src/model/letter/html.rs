//! An email as HTML: its plain text, escaped, in paragraphs, with links that can be followed.

use crate::face::Color;

/// The text as a page. What is in it stays text: only addresses of the web become links.
pub(super) fn page(language: &str, subject: &str, text: &str, color: Option<Color>) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\"><title>{}</title></head>\n<body>\n",
        escaped(subject)
    );
    for paragraph in text.trim_end().split("\n\n") {
        let lines: Vec<String> = paragraph.lines().map(|text| line(text, color)).collect();
        out.push_str("<p>");
        out.push_str(&lines.join("<br>\n"));
        out.push_str("</p>\n");
    }
    out.push_str("</body></html>\n");
    out
}

fn line(line: &str, color: Option<Color>) -> String {
    let words: Vec<String> = line.split(' ').map(|text| word(text, color)).collect();
    words.join(" ")
}

fn word(word: &str, color: Option<Color>) -> String {
    let text = escaped(word);
    match word.starts_with("https://") || word.starts_with("http://") {
        true => {
            let style = color.map(|color| format!("style=\"color:{}\" ", color.css())).unwrap_or_default();
            format!("<a {style}href=\"{text}\">{text}</a>")
        }
        false => text,
    }
}

/// Text without meaning for HTML, in elements and in attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
