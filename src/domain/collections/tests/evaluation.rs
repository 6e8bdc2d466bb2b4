//! Evaluations and what animals show of them.

use super::{Farm, TODAY, day, farm, fault, faults, fields};
use model::record::Value;
use model::registry::Command;

fn run(animal: i64, on: i64, ipc: f64) -> Command {
    Command::Create(fields! { "animal": animal, "evaluatedAt": day(on), "ipc": ipc })
}

fn current(farm: &Farm, ids: &[i64]) -> Vec<bool> {
    let of = |id: &i64| farm.book.get("animal-evaluations", *id, "isCurrent");
    ids.iter().map(|id| of(id) == Value::Bool(true)).collect()
}

fn expert() -> Farm {
    let mut farm = farm();
    farm.book.association(1);
    farm
}

#[test]
fn a_set_leaves_one_current_row_per_animal_as_single_writes_would() {
    let mut farm = expert();
    let [a, b] = [farm.cows[0], farm.cows[1]];
    let set = vec![run(a, TODAY - 9, 1.0), run(b, TODAY - 8, 2.0), run(a, TODAY - 99, 3.0)];
    let ids = farm.book.write("animal-evaluations", set).unwrap();
    assert_eq!(current(&farm, &ids), [true, true, false]);
    assert_eq!(farm.of(a, "ipc"), Value::Num(1.0));
    assert_eq!(farm.of(b, "ipcRank"), Value::Num(2.0));

    let back = vec![Command::Delete(ids[0]), Command::Delete(ids[1])];
    farm.book.write("animal-evaluations", back).unwrap();
    assert_eq!(current(&farm, &ids[2..]), [true]);
    assert_eq!(farm.of(a, "ipc"), Value::Num(3.0));
    assert_eq!(farm.of(b, "ipc"), Value::Null);
    assert_eq!(farm.of(b, "ipcRank"), Value::Num(-1_000_000.0));
}

#[test]
fn a_row_that_moves_leaves_the_latest_behind_and_replaces_where_it_comes() {
    let mut farm = expert();
    let [a, b] = [farm.cows[0], farm.cows[1]];
    let set = vec![run(a, TODAY - 30, 1.0), run(a, TODAY - 20, 2.0), run(a, TODAY - 10, 3.0), run(b, TODAY - 1, 4.0)];
    let ids = farm.book.write("animal-evaluations", set).unwrap();
    assert_eq!(current(&farm, &ids), [false, false, true, true]);
    let moved = fields! { "animal": b };
    farm.book.update("animal-evaluations", ids[2], moved).unwrap();
    assert_eq!(current(&farm, &ids), [false, true, false, true]);
    assert_eq!(farm.of(a, "ipc"), Value::Num(2.0));
    assert_eq!(farm.of(b, "ipc"), Value::Num(4.0));
}

#[test]
fn many_rows_ask_no_more_than_one() {
    let mut look_ups = Vec::new();
    for count in [1, 3] {
        let mut farm = expert();
        let cows = farm.cows.clone();
        farm.book.look_ups.clear();
        farm.book.amended.clear();
        let rows = cows.iter().take(count);
        let set = rows.map(|cow| run(*cow, TODAY - 3, 5.0)).collect();
        farm.book.write("animal-evaluations", set).unwrap();
        let set = (cows.iter().take(count))
            .map(|cow| {
                Command::Create(fields! {
                    "animal": *cow, "assessedAt": day(TODAY - 4), "udderQuality": 80.0,
                })
            })
            .collect();
        farm.book.write("animal-exteriors", set).unwrap();
        look_ups.push((farm.book.look_ups.clone(), farm.book.amended.clone()));
    }
    assert_eq!(look_ups[0], look_ups[1]);
}

#[test]
fn days_are_not_ahead_and_only_breeding_values_precede_birth() {
    let mut farm = expert();
    let cow = farm.cows[0];
    let late = fields! { "animal": cow, "evaluatedAt": day(TODAY + 1) };
    let refused = farm.book.create("animal-evaluations", late);
    assert_eq!(faults(refused), fault("evaluatedAt", "event-in-future"));
    let embryo = fields! { "animal": cow, "evaluatedAt": day(TODAY - 2_001) };
    assert_eq!(faults(farm.book.create("animal-evaluations", embryo)), []);
    let unborn = fields! { "animal": cow, "assessedAt": day(TODAY - 2_001), "height": 5 };
    let refused = farm.book.create("animal-exteriors", unborn);
    assert_eq!(faults(refused), fault("assessedAt", "event-before-birth"));
}
