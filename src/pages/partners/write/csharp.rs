//! C# 11 or later (.NET 8), as the statements of a program.

use super::json::Literals;
use super::{Writer, camel, quoted};
use crate::partners::call::variable::{KEY, TOKEN};
use crate::partners::call::{Call, Piece, Place, pieces};

pub(super) const WRITER: Writer = Writer {
    word: "csharp",
    name: "C#",
    head,
    call,
};

/// A body is JSON in a raw text, in which variables stand in double braces.
const LITERALS: Literals = Literals {
    text: |all| format!("\"{}\"", joined(all, ["{{", "}}"])),
    name: quoted,
    words: ["true", "false", "null"],
    // Braces that touch would end a variable.
    inner: " ",
};

const ASK: &str = r#"
async Task<JsonNode?> Ask(string method, string path, string? body = null)
{
    var request = new HttpRequestMessage(new HttpMethod(method), hub + path);
    if (authorization != "") request.Headers.TryAddWithoutValidation("Authorization", authorization);
    if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
    var response = await http.SendAsync(request);
    var text = await response.Content.ReadAsStringAsync();
    Console.WriteLine($"{(int)response.StatusCode}\n{text[..Math.Min(300, text.Length)]}");
    return text == "" ? null : JsonNode.Parse(text);
}
"#;

fn joined(all: &[Piece<'_>], [open, close]: [&str; 2]) -> String {
    let parts = all.iter().map(|piece| match piece {
        Piece::Text(text) => (*text).to_owned(),
        Piece::Variable(name) => format!("{open}{}{close}", camel(name)),
    });
    parts.collect()
}

fn head(variables: &[(&str, String)]) -> String {
    let mut lines = vec![
        "using System.Text;".to_owned(),
        "using System.Text.Json.Nodes;".to_owned(),
        String::new(),
    ];
    let given = variables.iter();
    lines.extend(given.map(|(name, value)| format!("var {} = {};", camel(name), quoted(value))));
    lines.push(format!("string {TOKEN}, {KEY};"));
    lines.push("JsonNode? answer;".to_owned());
    lines.push("var http = new HttpClient();".to_owned());
    format!("{}\n{ASK}", lines.join("\n"))
}

fn call(call: &Call) -> String {
    let all = pieces(&call.address);
    let variables = all.iter().any(|one| matches!(one, Piece::Variable(_)));
    let before = if variables { "$" } else { "" };
    let address = format!("{before}{}", quoted(&joined(&all, ["{", "}"])));
    let body = call.body.as_ref().map_or(String::new(), |body| {
        format!(", $$\"\"\"\n{}\n\"\"\"", LITERALS.value(body, 0))
    });
    let mut out = format!("await Ask({}, {address}{body});", quoted(call.method));
    if let Some(capture) = &call.capture {
        let place: String = match capture.place {
            Place::Members(names) => {
                let names = names.iter().map(|name| format!("![{}]", quoted(name)));
                names.collect()
            }
            Place::Last(name) => format!("!.AsArray()[^1]![{}]", quoted(name)),
        };
        let before = match capture.before {
            "" => String::new(),
            before => format!("{} + ", quoted(before)),
        };
        let name = camel(capture.variable);
        out = format!("answer = {out}\n{name} = {before}answer{place}!.GetValue<string>();");
        if capture.visible {
            out.push_str(&format!("\nConsole.WriteLine({name});"));
        }
    }
    out
}
