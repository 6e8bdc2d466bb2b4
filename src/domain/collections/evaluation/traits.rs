//! The traits that animals are evaluated for, as tables: breeding values (`TRAITS`), linear traits
//! (`LIN`) and composites (`CMP`). Fields of evaluations, of exteriors and of the views on animals
//! are all made from them.

use model::registry::{Decl, Field, int, number};

/// A trait with a breeding value.
pub(crate) struct Trait {
    /// Its name in `<key>Forecast`, `<key>R`.
    pub(crate) key: &'static str,
    /// The group of an animal that shows it.
    pub(crate) group: &'static str,
    /// Meaning and unit of its breeding value.
    pub(crate) doc: &'static str,
}

const fn breeding(key: &'static str, group: &'static str, doc: &'static str) -> Trait {
    Trait { key, group, doc }
}

/// All traits with breeding values, in the order of their fields.
pub(crate) const TRAITS: [Trait; 16] = [
    breeding("milk", "production", "Breeding value for milk, kg."),
    breeding("fatPercent", "production", "Breeding value for fat content, %."),
    breeding("proteinPercent", "production", "Breeding value for protein content, %."),
    breeding("fatKg", "production", "Breeding value for fat, kg."),
    breeding("proteinKg", "production", "Breeding value for protein, kg."),
    breeding("productionIndex", "production", "Index of the production traits."),
    breeding("fertility", "reproduction", "Breeding value for fertility of daughters, %."),
    breeding("conception", "semen", "Breeding value for conception to the bull's semen, %."),
    breeding("productiveLongevity", "health", "Breeding value for productive life, months."),
    breeding("udderHealth", "health", "Breeding value for udder health, on the scale of the base."),
    breeding("calfMortality", "health", "Breeding value for loss of calves, %; less is better."),
    breeding("calvingEase", "health", "Breeding value for ease of calving, on the scale of the base."),
    breeding("easeSire", "calvingRoles", "Breeding value for ease of calving as sire of the calf, %."),
    breeding("easeMgs", "calvingRoles", "Breeding value for ease of calving as maternal grandsire, %."),
    breeding("stillbirthSire", "calvingRoles", "Breeding value for stillbirth as sire of the calf, %."),
    breeding("stillbirthMgs", "calvingRoles", "Breeding value for stillbirth as maternal grandsire, %."),
];

/// Linear traits of type with what a low and a high score mean.
pub const LINEAR: [(&str, &str); 18] = [
    ("height", "Stature: short to tall."),
    ("chestWidth", "Width of the chest: narrow to wide."),
    ("bodyDepth", "Depth of the body: shallow to deep."),
    ("bodyType", "Angularity: coarse to angular."),
    ("rumpAngle", "Angle of the rump: high to low pins."),
    ("rumpWidth", "Width of the rump: narrow to wide."),
    ("rearLegsRear", "Rear legs from behind: toes out to parallel."),
    ("rearLegsSide", "Rear legs from the side: straight to sickled."),
    ("hoofAngle", "Angle of the hoof: low to steep."),
    ("frontLegs", "Orientation of the front feet: toes out to straight."),
    ("movement", "Locomotion: uneven to even and long."),
    ("foreUdder", "Attachment of the fore udder: loose to strong."),
    ("frontTeatPlacement", "Placement of the front teats: wide to close."),
    ("teatLength", "Length of the teats: short to long."),
    ("udderDepth", "Depth of the udder: below to above the hock."),
    ("rearUdder", "Height of the rear udder: low to high."),
    ("centralLigament", "Central ligament: weak to strong."),
    ("rearTeatPlacement", "Placement of the rear teats: wide to close."),
];

/// Composites of linear traits.
pub(crate) const COMPOSITES: [(&str, &str); 3] = [
    ("bodyComposite", "Composite of the body, deviation from the base."),
    ("udderComposite", "Composite of the udder, deviation from the base."),
    ("legsComposite", "Composite of feet and legs, deviation from the base."),
];

/// `r n 0..100`, regardless of its name.
pub(crate) fn reliability(name: &str) -> Field {
    number(name).range(0.0, 100.0).doc("Reliability of that value, %.")
}

/// Breeding values and indexes are closer to 0 than this, in any unit: the rank of animals that
/// have none lies below.
pub(crate) const FARTHEST_VALUE: f64 = 999_999.0;

/// A breeding value or an index.
pub(crate) fn value(name: &str) -> Field {
    number(name).range(-FARTHEST_VALUE, FARTHEST_VALUE)
}

/// `LIN i 1..9`: scores of linear traits.
pub(crate) fn scores() -> impl Iterator<Item = Field> {
    LINEAR.iter().map(|(key, doc)| int(key).range(1.0, 9.0).doc(doc))
}

/// `LIN n −3..3`: breeding values of linear traits, in standard deviations.
pub(crate) fn deviations() -> impl Iterator<Item = Field> {
    LINEAR.iter().map(|(key, doc)| number(key).range(-3.0, 3.0).doc(doc))
}

/// `CMP n −3..3`
pub(crate) fn composites() -> impl Iterator<Item = Field> {
    COMPOSITES.iter().map(|(key, doc)| number(key).range(-3.0, 3.0).doc(doc))
}

/// `<k>Forecast n, <k>R n 0..100` per trait.
pub(super) fn forecasts() -> impl Iterator<Item = Decl> {
    TRAITS.iter().flat_map(|t| {
        let forecast = value(&format!("{}Forecast", t.key)).doc(t.doc);
        [forecast.into(), reliability(&format!("{}R", t.key)).into()]
    })
}
