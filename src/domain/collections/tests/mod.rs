//! The hooks against a book in memory.

mod animals;
mod evaluation;
mod events;
mod indexes;
mod labels;
mod lactations;
mod memory;
mod movements;
mod package_sets;
mod people;
mod survey;

use crate::derive::instant_of;
use memory::{Book, Fields};
use model::error::{Error, Issue};
use model::record::Value;

/// The day of every test: day 20 000 after 1970.
const TODAY: i64 = 20_000;

fn day(day: i64) -> Value {
    Value::Time(instant_of(day))
}

/// Fields of a write: `fields!{ "name": "Bella", "owner": 1 }`.
macro_rules! fields {
    ($($path:literal : $value:expr),* $(,)?) => {
        vec![$(($path.to_owned(), model::record::Value::from($value))),*]
    };
}
use fields;

/// A book with two registered farms, a referenced organisation, a herd of the first farm,
/// and three cows of it.
struct Farm {
    book: Book,
    mine: i64,
    other: i64,
    outside: i64,
    herd: i64,
    cows: Vec<i64>,
}

/// The user that heads the first farm.
const HEAD: i64 = 901;

fn farm() -> Farm {
    let mut book = Book::new(instant_of(TODAY) + 3_600_000);
    let organization = |book: &mut Book, name: &str, presence: &str| {
        let fields = fields! { "name": name, "presence": presence };
        book.create("organizations", fields).unwrap()
    };
    let mine = organization(&mut book, "Mine", "registered");
    let other = organization(&mut book, "Other", "registered");
    let outside = organization(&mut book, "Outside", "referenced");
    let herd = fields! { "name": "One", "organization": mine };
    let herd = book.create("herds", herd).unwrap();
    let mut farm = Farm { book, mine, other, outside, herd, cows: vec![] };
    for number in 0..3 {
        let cow = farm.animal(&format!("10000{number}"), "female", TODAY - 2_000);
        farm.cows.push(cow);
    }
    farm.book.farm(farm.mine, HEAD);
    farm
}

impl Farm {
    fn animal(&mut self, ident: &str, sex: &str, born: i64) -> i64 {
        self.try_animal(fields! {
            "identNumber": ident,
            "sex": sex,
            "birthDate": day(born),
        })
        .unwrap()
    }

    fn try_animal(&mut self, mut fields: Fields) -> Result<i64, Error> {
        fields.extend(fields! { "owner": self.mine, "herd": self.herd });
        self.book.create("animals", fields)
    }

    fn of(&self, animal: i64, path: &str) -> Value {
        self.book.get("animals", animal, path)
    }
}

/// Codes and paths of what a write was refused for.
fn faults<T>(result: Result<T, Error>) -> Vec<(String, String)> {
    let listed = |issues: Vec<Issue>| {
        let pair = |i: Issue| (i.path, i.code.into_owned());
        issues.into_iter().map(pair).collect()
    };
    match result {
        Ok(_) => vec![],
        Err(Error::Invalid(issues) | Error::Forbidden(issues)) => listed(issues),
        Err(other) => panic!("{other}"),
    }
}

fn fault(path: &str, code: &str) -> Vec<(String, String)> {
    vec![(path.to_owned(), code.to_owned())]
}
