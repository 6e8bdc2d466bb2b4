//! Names of indexes and constraints, made of table and columns, and short enough for PostgreSQL,
//! which would cut longer ones silently.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Longest identifier of PostgreSQL, in bytes.
pub(super) const LONGEST: usize = 63;

/// Name of the plain index over these columns: `animals_owner_state_idx`.
pub fn index_name(table: &str, columns: &[impl AsRef<str>]) -> String {
    name(table, columns, "idx")
}

/// Name of the unique index over these columns: `animals_uuid_key`. PostgreSQL names it when a
/// statement breaks the rule ([`Fault::Unique`](crate::Fault::Unique)).
pub fn unique_name(table: &str, columns: &[impl AsRef<str>]) -> String {
    name(table, columns, "key")
}

/// Name of the foreign key of a column: `animals_owner_fkey`.
pub(super) fn foreign_key_name(table: &str, column: &str) -> String {
    name(table, &[column], "fkey")
}

/// Name of the trigram index of a column: `animals_name_trgm`.
pub(super) fn trigram_name(table: &str, column: &str) -> String {
    name(table, &[column], "trgm")
}

fn name(table: &str, columns: &[impl AsRef<str>], suffix: &str) -> String {
    let mut stem = table.to_owned();
    for column in columns {
        stem.push('_');
        stem.push_str(column.as_ref());
    }
    let full = format!("{stem}_{suffix}");
    if full.len() <= LONGEST {
        return full;
    }
    let mut tail = String::from("_");
    for byte in Sha256::digest(full.as_bytes()).iter().take(4) {
        // Writing to a String cannot fail.
        let _ = write!(tail, "{byte:02x}");
    }
    tail.push('_');
    tail.push_str(suffix);
    let mut end = LONGEST - tail.len();
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    stem.truncate(end);
    stem + &tail
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Identifiers in quotes, with commas between them.
pub(super) fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|n| quoted(n)).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let column = "a".repeat(60);
        let one = index_name("animals", &[&column, "x"]);
        let other = index_name("animals", &[&column, "y"]);
        assert_eq!((one.len(), other.len()), (LONGEST, LONGEST));
        assert_ne!(one, other);
        assert!(one.ends_with("_idx"), "{one}");
        assert_eq!(one, index_name("animals", &[&column, "x"]));
        assert_ne!(one.trim_end_matches("idx"), unique_name("animals", &[&column, "x"]).trim_end_matches("key"));
        assert!(unique_name(&"ä".repeat(40), &["id"]).len() <= LONGEST);
    }

    #[test]
    fn short_names_are_plain() {
        assert_eq!(index_name("animals", &["owner", "state"]), "animals_owner_state_idx");
        assert_eq!(quoted("or\"der"), "\"or\"\"der\"");
    }
}
