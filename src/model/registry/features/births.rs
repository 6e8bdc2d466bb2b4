//! Fields of calvings, and of what is told of their calves, by which the calves become records of the book.

/// What happened, and its word for a calving.
pub const KIND: &str = "eventType";
pub const CALVING: &str = "calving";
/// The service that led to it, and whether that was a transfer of an embryo.
pub const SERVICE: &str = "insemination";
pub const TRANSFER: &str = "embryoTransfer";
/// Days from the service to the birth of a living calf (defaults of the checks `gestFixMin`, `gestFixMax`).
pub const GESTATION: std::ops::RangeInclusive<i64> = 240..=305;
/// Calves that are in the book.
pub const LISTED: &str = "calves";
/// The calves one by one.
pub const EACH: &str = "progeny";
/// Members of that list: the sex, what became of the calf, its tag, its name, the calf in the book.
pub const MEMBERS: [&str; 5] = ["sex", "birthStatus", "tag", "name", "animal"];
/// The word of a calf that lives.
pub const ALIVE: &str = "alive";
/// The numbers of living calves, each with the sex.
pub const COUNTS: [(&str, &str); 2] = [("female", "liveHeifers"), ("male", "liveBulls")];
/// How many calves there are, and its words for more than one.
pub const RESULT: &str = "result";
pub const NUMBERS: [(&str, usize); 2] = [("twins", 2), ("triplets", 3)];
/// Of a service: when the calving is expected.
pub const EXPECTED: &str = "expectedCalving";
/// Of a service by an embryo: its genetic father and mother.
pub const PARENTS: [&str; 2] = ["embryo.sire", "embryo.donor"];

/// Fields of a calf that is a record of the book.
pub mod calf {
    pub const NAME: &str = "name";
    pub const TAG: &str = "altIds.earTag";
    pub const BORN: &str = "birthDate";
    /// The farm of its birth.
    pub const FARM: &str = "birthPlace.farm";
    pub const BREED: &str = "breed";
}
