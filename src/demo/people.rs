//! Organisations, herds, people, technicians and the grant of farm 1.

use std::ops::ControlFlow;

use super::Account;
use super::fields::{Fields, Sink};
use super::herd::World;
use super::tables::Tables;

/// Who holds the ancestors of the bulls and the bulls themselves.
pub(super) const AI_STATION: i64 = 4;
/// Analyses the milk.
pub(super) const LABORATORY: i64 = 5;
/// Buys what leaves the book.
pub(super) const OUTSIDE_BUYER: i64 = 7;
/// The Association.
pub(super) const ASSOCIATION: i64 = 1;
const PARTNER: i64 = 6;
/// Technicians of a farm.
const TECHNICIANS: i64 = 2;

const FAMILY_NAMES: [&str; 12] = [
    "Иванова",
    "Смирнова",
    "Кузнецова",
    "Попова",
    "Соколова",
    "Лебедева",
    "Козлова",
    "Новикова",
    "Морозова",
    "Петрова",
    "Волкова",
    "Соловьёва",
];
const FIRST_NAMES: [&str; 6] = ["Анна", "Мария", "Елена", "Ольга", "Наталья", "Ирина"];
const FARM_NAMES: [&str; 20] = [
    "Заря",
    "Рассвет",
    "Нива",
    "Родина",
    "Луч",
    "Восход",
    "Дружба",
    "Победа",
    "Колос",
    "Искра",
    "Маяк",
    "Прогресс",
    "Урожай",
    "Труд",
    "Новый путь",
    "Авангард",
    "Память",
    "Мир",
    "Русь",
    "Простор",
];

/// Id of the organisation that owns a farm.
pub(super) fn organization(farm: usize) -> i64 {
    let farm = farm as i64;
    if farm < 2 { farm + 2 } else { farm + 6 }
}

/// Region and district of a farm.
pub(super) fn place(tables: &Tables, farm: usize) -> Option<(i64, i64)> {
    let places = tables.districts();
    // A step that visits many regions before it repeats a district.
    let (district, region) = *places.get(farm * 5 % places.len().max(1))?;
    Some((region, district))
}

/// Id of the herd of cows or, where it is apart, of young stock.
pub(super) fn herd(world: &World, farm: usize, with_cows: bool) -> i64 {
    let before: i64 = world
        .farms
        .iter()
        .take(farm)
        .map(|farm| 1 + i64::from(farm.two_herds))
        .sum();
    let apart = world.farms.get(farm).is_some_and(|farm| farm.two_herds);
    before + 1 + i64::from(apart && !with_cows)
}

/// Id of one of the technicians of a farm.
pub(super) fn technician(farm: usize, which: i64) -> i64 {
    farm as i64 * TECHNICIANS + which.rem_euclid(TECHNICIANS) + 1
}

/// The people who sign in, in the order of the rows of `users`.
pub(super) fn accounts() -> Vec<Account> {
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

pub(super) fn rows(world: &World, tables: &Tables, sink: Sink<'_>) -> ControlFlow<()> {
    organizations(world, tables, sink)?;
    users(sink)?;
    herds(world, sink)?;
    technicians(world, sink)?;
    let grant = Fields::new()
        .set("grantee", PARTNER)
        .set("scopes", vec!["origin", "production", "evaluation"])
        .set("note", "Доступ консультанта к стаду");
    let owner = Fields::new().set("owner", organization(0));
    sink(grant.row_with("access-grants", 1, owner))
}

fn organizations(world: &World, tables: &Tables, sink: Sink<'_>) -> ControlFlow<()> {
    let services: [(i64, &str, &str, &[&str]); 5] = [
        (
            ASSOCIATION,
            "Ассоциация голштинского скота",
            "Ассоциация",
            &["association", "registrar"],
        ),
        (
            AI_STATION,
            "Племпредприятие «Северное»",
            "Северное",
            &["aiStation"],
        ),
        (
            LABORATORY,
            "Лаборатория качества молока",
            "Лаборатория",
            &["laboratory"],
        ),
        (
            PARTNER,
            "Консультационная служба «Агроаналитика»",
            "Агроаналитика",
            &[],
        ),
        (OUTSIDE_BUYER, "Покупатель вне книги", "Покупатель", &[]),
    ];
    let count = organization(world.farms.len() - 1).max(OUTSIDE_BUYER);
    for id in 1..=count {
        let service = services.iter().find(|service| service.0 == id);
        let fields = match service {
            Some((_, name, short, activities)) => {
                let kind = if id == OUTSIDE_BUYER {
                    "farm"
                } else {
                    "service"
                };
                let fields = Fields::new()
                    .set("name", *name)
                    .set("shortName", *short)
                    .set("type", kind);
                if activities.is_empty() {
                    fields
                } else {
                    fields.set("activities", activities.to_vec())
                }
            }
            None => farm(farm_of(id), tables),
        };
        let presence = if id == OUTSIDE_BUYER {
            "referenced"
        } else {
            "registered"
        };
        let fields = fields
            .set("inn", inn(id))
            .set("email", format!("office{id}@demo.herdbook"));
        sink(fields.row_with("organizations", id, Fields::new().set("presence", presence)))?;
    }
    ControlFlow::Continue(())
}

fn farm_of(organization: i64) -> usize {
    let farm = if organization < AI_STATION {
        organization - 2
    } else {
        organization - 6
    };
    usize::try_from(farm).unwrap_or(0)
}

fn farm(farm: usize, tables: &Tables) -> Fields {
    let word = FARM_NAMES
        .get(farm % FARM_NAMES.len())
        .copied()
        .unwrap_or_default();
    let name = match farm / FARM_NAMES.len() {
        0 => format!("Племзавод «{word}»"),
        round => format!("Племзавод «{word}-{}»", round + 1),
    };
    let place = place(tables, farm);
    let region = place.and_then(|(region, _)| tables.name("regions", region));
    let district = place.and_then(|(_, district)| tables.name("districts", district));
    Fields::new()
        .set("name", name.clone())
        .set(
            "shortName",
            name.trim_start_matches("Племзавод ")
                .trim_matches(['«', '»']),
        )
        .set("type", "farm")
        .set("activities", vec!["breedingPlant"])
        .maybe("region", region)
        .maybe(
            "address",
            region
                .zip(district)
                .map(|(region, district)| format!("{region}, {district}")),
        )
        .set("phone", format!("+7 900 {:07}", 1_000_000 + farm))
        .set("membership", "member")
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

fn users(sink: Sink<'_>) -> ControlFlow<()> {
    for (account, id) in accounts().into_iter().zip(1_i64..) {
        let index = id as usize;
        let user = Fields::new()
            .set("email", account.email)
            .set(
                "lastName",
                FAMILY_NAMES.get(index).copied().unwrap_or_default(),
            )
            .set(
                "firstName",
                FIRST_NAMES.get(index).copied().unwrap_or_default(),
            )
            .set("role", account.role)
            .set("organization", account.organization)
            .set("orgRole", account.org_role)
            .set("confirmed", true)
            .set("acceptedPolicy", true);
        sink(user.row("users", id))?;
    }
    ControlFlow::Continue(())
}

fn herds(world: &World, sink: Sink<'_>) -> ControlFlow<()> {
    for (index, farm) in world.farms.iter().enumerate() {
        let kinds: &[(bool, &str, &str)] = if farm.two_herds {
            &[(true, "K1", "Молочный комплекс"), (false, "M1", "Молодняк")]
        } else {
            &[(true, "K1", "Основное стадо")]
        };
        for (with_cows, code, name) in kinds {
            let mut fields = Fields::new()
                .set("name", *name)
                .set("code", *code)
                .set("organization", organization(index))
                .set("holdingNumber", format!("96{:06}{code}", index + 1));
            if *with_cows {
                fields = fields
                    .set("milkingsPerDay", "two")
                    .set("recordingInterval", 30)
                    .set("recordingProtocol", "A-OfficialMRORepresentative")
                    .set("recordingScheme", "AllMilkingsAtTestday")
                    .set("samplingScheme", "ProportionalSizeSamplingOfAllMilkings");
            }
            sink(fields.row("herds", herd(world, index, *with_cows)))?;
        }
    }
    ControlFlow::Continue(())
}

fn technicians(world: &World, sink: Sink<'_>) -> ControlFlow<()> {
    for farm in 0..world.farms.len() {
        for which in 0..TECHNICIANS {
            let id = technician(farm, which);
            let pick = id as usize;
            let family = FAMILY_NAMES
                .get(pick * 5 % FAMILY_NAMES.len())
                .copied()
                .unwrap_or_default();
            let first = FIRST_NAMES
                .get(pick % FIRST_NAMES.len())
                .copied()
                .unwrap_or_default();
            let fields = Fields::new()
                .set("fullName", format!("{family} {first}"))
                .set("certificateNumber", format!("ТО-{id:05}"))
                .set("organization", organization(farm));
            sink(fields.row("technicians", id))?;
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::inn;

    #[test]
    fn taxpayer_numbers_have_their_check_digit() {
        for id in 1..50 {
            let digits: Vec<u32> = inn(id).chars().map(|c| c.to_digit(10).unwrap()).collect();
            let weights = [2, 4, 10, 3, 5, 9, 4, 6, 8];
            let sum: u32 = digits
                .iter()
                .zip(weights)
                .map(|(digit, weight)| digit * weight)
                .sum();
            assert_eq!((digits.len(), sum % 11 % 10), (10, digits[9]));
        }
    }
}
