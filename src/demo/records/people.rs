//! Organisations, herds, people, technicians and the grant of farm 1.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::rows::{Sink, add, row, row_with};
use super::tables::Tables;
use crate::Account;
use crate::simulation::herd::World;
use crate::simulation::names::Names;

/// Who holds the ancestors of the bulls and the bulls themselves.
pub(crate) const AI_STATION: i64 = 4;
/// Analyses the milk.
pub(crate) const LABORATORY: i64 = 5;
/// Buys what leaves the book.
pub(crate) const OUTSIDE_BUYER: i64 = 7;
/// The Association.
pub(crate) const ASSOCIATION: i64 = 1;
const PARTNER: i64 = 6;
/// Technicians of a farm.
const TECHNICIANS: i64 = 2;

/// Organisations that are no farms: id, name, short name, activities.
const SERVICES: &str = "\
1 | Ассоциация голштинского скота | Ассоциация | association registrar
4 | Племпредприятие «Северное» | Северное | aiStation
5 | Лаборатория качества молока | Лаборатория | laboratory
6 | Консультационная служба «Агроаналитика» | Агроаналитика |
7 | Покупатель вне книги | Покупатель |";

/// Id of the organisation that owns a farm.
pub(crate) fn organization(farm: usize) -> i64 {
    let farm = farm as i64;
    if farm < 2 { farm + 2 } else { farm + 6 }
}

/// Region and district of a farm.
pub(crate) fn place(tables: &Tables, farm: usize) -> Option<(i64, i64)> {
    let places = tables.districts();
    // A step that visits many regions before it repeats a district.
    let (district, region) = *places.get(farm * 5 % places.len().max(1))?;
    Some((region, district))
}

/// Id of the herd of cows or, where it is apart, of young stock.
pub(crate) fn herd(world: &World, farm: usize, with_cows: bool) -> i64 {
    let before: i64 = world.farms.iter().take(farm).map(|farm| 1 + i64::from(farm.two_herds)).sum();
    let apart = world.farms.get(farm).is_some_and(|farm| farm.two_herds);
    before + 1 + i64::from(apart && !with_cows)
}

/// Id of one of the technicians of a farm.
pub(crate) fn technician(farm: usize, which: i64) -> i64 {
    farm as i64 * TECHNICIANS + which.rem_euclid(TECHNICIANS) + 1
}

/// The people who sign in, in the order of the rows of `users`.
pub(crate) fn accounts() -> Vec<Account> {
    [
        ("association", ASSOCIATION, "admin", "head"),
        ("farm1", organization(0), "farmer", "head"),
        ("farm2", organization(1), "farmer", "head"),
        ("viewer1", organization(0), "farmer", "viewer"),
        ("partner", PARTNER, "service", "head"),
    ]
    .into_iter()
    .map(|(name, organization, role, org_role)| Account {
        email: format!("{name}@demo.herdbook"),
        organization,
        role,
        org_role,
    })
    .collect()
}

pub(crate) fn rows(world: &World, tables: &Tables, sink: Sink<'_>) -> ControlFlow<()> {
    let names = Names::load();
    organizations(world, tables, &names, sink)?;
    for (account, id) in accounts().into_iter().zip(1_i64..) {
        let user = json!({
            "email": account.email,
            "lastName": nth(&names.families, id as usize),
            "firstName": nth(&names.persons, id as usize),
            "role": account.role,
            "organization": account.organization,
            "orgRole": account.org_role,
            "confirmed": true,
            "acceptedPolicy": true,
        });
        sink(row("users", id, user))?;
    }
    herds(world, sink)?;
    for id in 1..=world.farms.len() as i64 * TECHNICIANS {
        let family = nth(&names.families, id as usize * 5);
        let first = nth(&names.persons, id as usize);
        let technician = json!({
            "fullName": format!("{family} {first}"),
            "certificateNumber": format!("ТО-{id:05}"),
            "organization": organization((id - 1) as usize / TECHNICIANS as usize),
        });
        sink(row("technicians", id, technician))?;
    }
    let grant = json!({
        "grantee": PARTNER,
        "scopes": ["origin", "production", "evaluation"],
        "note": "Доступ консультанта к стаду",
    });
    let owner = json!({"owner": organization(0)});
    sink(row_with("access-grants", 1, grant, owner))
}

/// A name of a list that begins anew after its end.
fn nth(names: &[&'static str], at: usize) -> &'static str {
    let name = names.get(at % names.len().max(1));
    name.copied().unwrap_or_default()
}

fn organizations(world: &World, tables: &Tables, names: &Names, sink: Sink<'_>) -> ControlFlow<()> {
    let mut all = BTreeMap::new();
    for line in SERVICES.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [id, name, short, activities] = cells[..] {
            let id: i64 = id.parse().unwrap_or_default();
            let activities: Vec<&str> = activities.split_whitespace().collect();
            let service = json!({
                "name": name,
                "shortName": short,
                "type": if id == OUTSIDE_BUYER { "farm" } else { "service" },
                "activities": (!activities.is_empty()).then_some(activities),
            });
            all.insert(id, service);
        }
    }
    for index in 0..world.farms.len() {
        all.insert(organization(index), farm(index, tables, names));
    }
    for (id, mut fields) in all {
        let contact = json!({"inn": inn(id), "email": format!("office{id}@demo.herdbook")});
        add(&mut fields, contact);
        let outside = id == OUTSIDE_BUYER;
        let presence = if outside { "referenced" } else { "registered" };
        sink(row_with("organizations", id, fields, json!({"presence": presence})))?;
    }
    ControlFlow::Continue(())
}

fn farm(farm: usize, tables: &Tables, names: &Names) -> Value {
    let word = nth(&names.farms, farm);
    let short = match farm / names.farms.len().max(1) {
        0 => word.to_owned(),
        round => format!("{word}-{}", round + 1),
    };
    let place = place(tables, farm);
    let region = place.and_then(|(region, _)| tables.name("regions", region));
    let district = place.and_then(|(_, district)| tables.name("districts", district));
    let both = region.zip(district);
    json!({
        "name": format!("Племзавод «{short}»"),
        "shortName": short,
        "type": "farm",
        "activities": ["breedingPlant"],
        "region": region,
        "address": both.map(|(region, district)| format!("{region}, {district}")),
        "phone": format!("+7 900 {:07}", 1_000_000 + farm),
        "membership": "member",
    })
}

fn herds(world: &World, sink: Sink<'_>) -> ControlFlow<()> {
    for (index, farm) in world.farms.iter().enumerate() {
        let kinds: &[(bool, &str, &str)] = if farm.two_herds {
            &[(true, "K1", "Молочный комплекс"), (false, "M1", "Молодняк")]
        } else {
            &[(true, "K1", "Основное стадо")]
        };
        for (with_cows, code, name) in kinds {
            let recording = |value: &'static str| with_cows.then_some(value);
            let fields = json!({
                "name": name,
                "code": code,
                "organization": organization(index),
                "holdingNumber": format!("96{:06}{code}", index + 1),
                "milkingsPerDay": recording("two"),
                "recordingInterval": with_cows.then_some(30),
                "recordingProtocol": recording("A-OfficialMRORepresentative"),
                "recordingScheme": recording("AllMilkingsAtTestday"),
                "samplingScheme": recording("ProportionalSizeSamplingOfAllMilkings"),
            });
            sink(row("herds", herd(world, index, *with_cows), fields))?;
        }
    }
    ControlFlow::Continue(())
}

/// An invented taxpayer number of ten digits with a correct check digit.
fn inn(id: i64) -> String {
    let stem = 960_000_000 + id;
    let weights = [8, 6, 4, 9, 5, 3, 10, 4, 2];
    let mut rest = stem;
    let mut sum = 0;
    for weight in weights {
        sum += weight * (rest % 10);
        rest /= 10;
    }
    format!("{stem}{}", sum % 11 % 10)
}

#[cfg(test)]
mod tests {
    use super::inn;

    #[test]
    fn taxpayer_numbers_have_their_check_digit() {
        for id in 1..50 {
            let digits: Vec<u32> = inn(id).chars().map(|c| c.to_digit(10).unwrap()).collect();
            let weights = [2, 4, 10, 3, 5, 9, 4, 6, 8];
            let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
            assert_eq!((digits.len(), sum % 11 % 10), (10, digits[9]));
        }
    }
}
