//! The rows that are measured: a herd of bulls and their daughters, and test days of each.
//! Every row follows from its number alone, so that any server gets the same ones.

use jiff::{ToSpan, civil};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Fathers of the cows; they come first.
pub(crate) const BULLS: u64 = 50;
/// Days between the first and the last possible test.
const DAYS: u64 = 1_460;
const NAMES: [&str; 12] =
    ["Bella", "Daisy", "Flora", "Greta", "Hazel", "Iris", "Juno", "Linda", "Olga", "Rosa", "Tilda", "Wanda"];

/// The number of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) animals: u64,
    pub(crate) tests: u64,
}

fn chance(stream: u64, row: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(row);
    rng.set_stream(stream);
    rng
}

fn below(rng: &mut ChaCha8Rng, end: u64) -> u64 {
    rng.next_u64() % end
}

/// A bull, by a number below [`BULLS`].
pub(crate) fn bull(row: u64, owner: i64) -> Value {
    json!({
        "identNumber": (960_900_000_000 + row).to_string(),
        "name": format!("Bull {row}"),
        "sex": "male",
        "birthDate": format!("2008-01-{:02}", 1 + row % 28),
        "owner": owner,
    })
}

/// A cow, by its number from [`BULLS`] on, and the id of its father.
pub(crate) fn cow(row: u64, father: i64, owner: i64) -> Value {
    let rng = &mut chance(1, row);
    let name = NAMES[usize::try_from(below(rng, NAMES.len() as u64)).unwrap()];
    let (year, month, day) = (2012 + below(rng, 8), 1 + below(rng, 12), 1 + below(rng, 28));
    json!({
        "identNumber": (960_900_000_000 + row).to_string(),
        "name": format!("{name} {row}"),
        "sex": "female",
        "birthDate": format!("{year}-{month:02}-{day:02}"),
        "father": father,
        "owner": owner,
    })
}

/// A test day of an animal: its `n`th, of so many.
pub(crate) fn test(row: u64, animal: i64, n: u64, of: u64) -> Value {
    let rng = &mut chance(2, row);
    // Each animal has a day of its own in each of its stretches, so that no day comes twice.
    let stretch = (DAYS / of.max(1)).max(1);
    let day = (n * stretch + below(rng, stretch)) % DAYS;
    let day = i64::try_from(day).unwrap().days();
    let date = civil::date(2021, 1, 1).checked_add(day).unwrap();
    let tenth = |whole: u64| whole as f64 / 10.0;
    let source = ["lab", "owner", "import", "api"][usize::try_from(n % 4).unwrap()];
    json!({
        "animal": animal,
        "date": date.to_string(),
        "milkYield": tenth(150 + below(rng, 350)),
        "fatPercent": tenth(30 + below(rng, 25)),
        "proteinPercent": tenth(28 + below(rng, 12)),
        "somaticCells": 30 + below(rng, 400),
        "source": source,
    })
}
