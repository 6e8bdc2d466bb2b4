//! `herdbook verify`: whether a signed package is as it was signed (docs/packages.md).

use super::{Exit, announce, open};
use clap::Args;
use config::Settings;
use model::canonical::canonical;
use model::error::{Error, Result};
use secure::ed25519::{ALGORITHM, PublicKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The form of statements that this program knows.
const FORMAT: &str = "herdbook-package-1";
/// Bytes of the first line; a statement has about a thousand.
const HEAD_MAX: u64 = 1 << 20;
/// Bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// Flags of `verify`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The signed package, as `GET /api/data-submissions/<id>/signed` answers it.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Public keys as JSON Web Keys, as `/.well-known/herdbook-keys.json` of the service answers them; without it, the
    /// keys of the configured book. Get the keys from the service itself, not with the package.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// What a file says, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Verdict {
    statement: Value,
    /// In words, with a code each.
    faults: Vec<(&'static str, String)>,
}

pub(super) async fn verify(options: &Options, settings: &Settings) -> Result<ExitCode> {
    let keys = match &options.key {
        Some(file) => keys_of(file)?,
        None => {
            let opened = open(settings, settings.passing_ring()?).await?;
            let keys = opened.book.signing_keys().await;
            opened.book.store.close().await;
            keys?
        }
    };
    let file = File::open(&options.file).map_err(|why| unreadable(&options.file, &why))?;
    let verdict = judge(BufReader::new(file), &keys).map_err(|why| unreadable(&options.file, &why))?;
    for (_, message) in &verdict.faults {
        eprintln!("{message}");
    }
    let valid = verdict.faults.is_empty();
    announce(&verdict.report());
    Ok(if valid { Exit::Done } else { Exit::Findings }.into())
}

impl Verdict {
    /// The line of the command: nothing of a statement that nobody signed.
    fn report(&self) -> Value {
        if !self.faults.is_empty() {
            let faults: Vec<Value> =
                (self.faults.iter()).map(|(code, message)| json!({"code": code, "message": message})).collect();
            return json!({"event": "verified", "valid": false, "faults": faults});
        }
        let of = |name: &str| self.statement.get(name).cloned().unwrap_or_default();
        json!({
            "event": "verified", "valid": true, "package": of("package"), "organization": of("organization"),
            "kind": of("kind"), "dataset": of("dataset"), "period": of("period"), "rows": of("rows"),
            "sha256": of("sha256"), "signedAt": of("signedAt"), "signer": of("signer"),
            "service": of("service"), "key": of("key"),
        })
    }
}

fn unreadable(file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::Malformed(format!("{}: {why}", file.display()).into())
}

fn keys_of(file: &Path) -> Result<Vec<PublicKey>> {
    let text = std::fs::read_to_string(file).map_err(|why| unreadable(file, &why))?;
    let keys: Value = serde_json::from_str(&text).map_err(|why| unreadable(file, &why))?;
    let keys = PublicKey::all_of(&keys);
    match keys.is_empty() {
        true => Err(unreadable(file, &"no Ed25519 key is in it")),
        false => Ok(keys),
    }
}

/// Judges a file, which is read once, piece by piece.
pub(super) fn judge(mut file: impl BufRead, keys: &[PublicKey]) -> std::io::Result<Verdict> {
    let mut first = Vec::new();
    (&mut file).take(HEAD_MAX).read_until(b'\n', &mut first)?;
    let head = match head(&first) {
        Ok(head) => head,
        Err(why) => {
            let fault = ("head", format!("The first line is no signed statement: {why}."));
            return Ok(Verdict { statement: Value::Null, faults: vec![fault] });
        }
    };
    let mut faults = Vec::new();
    let member = |value: &Value, name: &str| value.get(name).cloned().unwrap_or_default();
    let (signature, statement) = (member(&head, "signature"), member(&head, "statement"));
    let key_id = member(&signature, "key");
    let key = keys.iter().find(|key| key_id == key.id().as_str());
    let value = member(&signature, "value");
    let text = canonical(&statement).unwrap_or_default();
    match key {
        None => {
            let message = format!("The key {key_id} is not among the given ones.");
            faults.push(("key", message));
        }
        Some(key) if !key.verifies(&text, value.as_str().unwrap_or_default()) => {
            let message = "The signature does not fit the statement: one of them was changed.";
            faults.push(("signature", message.to_owned()));
        }
        Some(_) => {}
    }
    let same = |name: &str| member(&statement, name) == member(&signature, name);
    if !(same("key") && same("algorithm") && member(&statement, "algorithm") == ALGORITHM) {
        let message = "Statement and signature name different keys or algorithms.";
        faults.push(("algorithm", message.to_owned()));
    }
    let format = member(&statement, "format");
    if format != FORMAT {
        let message = format!("The form of the statement, {format}, is not known.");
        faults.push(("format", message));
    }
    let (rows, hash) = digest(file)?;
    let signed = member(&statement, "rows");
    if signed.as_u64() != Some(rows) {
        let message = format!("The file has {rows} rows, {signed} were signed.");
        faults.push(("count", message));
    }
    let signed = member(&statement, "sha256");
    if signed != hash.as_str() {
        let message = format!(
            "The rows were changed: their SHA-256 is {hash}, {} was signed. Which row it is cannot be told, since rows are \
             hashed together; the service tells it.",
            signed.as_str().unwrap_or("none")
        );
        faults.push(("hash", message));
    }
    Ok(Verdict { statement, faults })
}

/// The first line. Its only form is the canonical one, so that no byte of it can be changed.
fn head(line: &[u8]) -> Result<Value, &'static str> {
    let line = line.strip_suffix(b"\n").ok_or("it has no end")?;
    let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8")?;
    let head: Value = serde_json::from_str(line).map_err(|_| "it is not JSON")?;
    match canonical(&head) {
        Ok(form) if form == line => Ok(head),
        _ => Err("it is not in canonical form"),
    }
}

/// Lines and SHA-256 of the rest. What follows the last end of line is a row too many.
fn digest(mut file: impl Read) -> std::io::Result<(u64, String)> {
    let (mut sum, mut rows, mut whole) = (Sha256::new(), 0_u64, true);
    let mut piece = vec![0; PIECE];
    loop {
        let read = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(why) => return Err(why),
        };
        let read = piece.get(..read).unwrap_or_default();
        sum.update(read);
        let ends = read.iter().filter(|b| **b == b'\n').count();
        rows += u64::try_from(ends).unwrap_or(0);
        whole = read.ends_with(b"\n");
    }
    rows += u64::from(!whole);
    let hash = sum.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok((rows, hash))
}

#[cfg(test)]
mod tests {
    use super::{FORMAT, Verdict, judge};
    use model::canonical::canonical;
    use secure::ed25519::{ALGORITHM, PublicKey, SigningPair};
    use secure::keys::{KeyRing, random_secret};
    use serde_json::{Value, json};
    use sha2::{Digest as _, Sha256};

    const ROWS: &str = "{\"collection\":\"calvings\",\"fields\":{\"number\":1},\"id\":1}\n\
                        {\"collection\":\"calvings\",\"fields\":{\"number\":2},\"id\":2}\n";

    fn pair() -> SigningPair {
        let ring = KeyRing::new(&random_secret(), None).unwrap();
        SigningPair::new(&ring).unwrap().0
    }

    fn statement(pair: &SigningPair, rows: &str) -> Value {
        let sum = Sha256::digest(rows);
        let hash: String = sum.iter().map(|b| format!("{b:02x}")).collect();
        json!({
            "format": FORMAT, "package": "000001", "rows": rows.lines().count(), "sha256": hash,
            "key": pair.public().id(), "algorithm": ALGORITHM,
        })
    }

    fn file(pair: &SigningPair, statement: &Value, rows: &str) -> String {
        let value = pair.sign(&canonical(statement).unwrap());
        let signature = json!({"key": pair.public().id(), "algorithm": ALGORITHM, "value": value});
        let head = json!({"signature": signature, "statement": statement});
        format!("{}\n{rows}", canonical(&head).unwrap())
    }

    fn codes(verdict: &Verdict) -> Vec<&'static str> {
        verdict.faults.iter().map(|(code, _)| *code).collect()
    }

    fn judged(file: &[u8], keys: &[PublicKey]) -> Vec<&'static str> {
        codes(&judge(file, keys).unwrap())
    }

    #[test]
    fn a_file_as_it_was_signed_is_valid() {
        let pair = pair();
        let text = file(&pair, &statement(&pair, ROWS), ROWS);
        let keys = [self::pair().public(), pair.public()];
        let verdict = judge(text.as_bytes(), &keys).unwrap();
        assert_eq!(codes(&verdict), Vec::<&str>::new());
        let report = verdict.report();
        assert_eq!((&report["package"], &report["rows"]), (&json!("000001"), &json!(2)));
    }

    /// A changed byte is found, wherever it stands.
    #[test]
    fn no_byte_can_be_changed() {
        let pair = pair();
        let text = file(&pair, &statement(&pair, ROWS), ROWS);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(!judged(&bytes, &[pair.public()]).is_empty(), "byte {at}");
        }
        for end in 0..text.len() {
            let cut = &text.as_bytes()[..end];
            assert!(!judged(cut, &[pair.public()]).is_empty(), "{end} bytes");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let pair = pair();
        let keys = [pair.public()];
        let good = statement(&pair, ROWS);
        let whole = file(&pair, &good, ROWS);
        let with = |name: &str, value: Value| {
            let mut other = good.clone();
            other[name] = value;
            other
        };
        let mut cases = vec![
            (whole.replace("\"number\":2", "\"number\":3"), vec!["hash"]),
            (format!("{whole}x\n"), vec!["count", "hash"]),
            (format!("{whole}x"), vec!["count", "hash"]),
            (whole.replace("000001", "000002"), vec!["signature"]),
            (whole.replace("{\"sig", "{ \"sig"), vec!["head"]),
            (String::new(), vec!["head"]),
            ("\u{1}\n".to_owned(), vec!["head"]),
            (file(&pair, &with("format", json!("x")), ROWS), vec!["format"]),
            (file(&pair, &with("algorithm", json!("none")), ROWS), vec!["algorithm"]),
            (file(&pair, &with("rows", json!(3)), ROWS), vec!["count"]),
        ];
        let other = self::pair();
        cases.push((file(&other, &statement(&other, ROWS), ROWS), vec!["key"]));
        for (text, expected) in cases {
            assert_eq!(judged(text.as_bytes(), &keys), expected, "{text}");
        }
        // One who has no key and keeps its name.
        let forged = file(&other, &good, ROWS).replace(&other.public().id(), &pair.public().id());
        assert_eq!(judged(forged.as_bytes(), &keys), ["signature"]);
    }
}
