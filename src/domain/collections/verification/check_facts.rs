//! The checks of the book and their thresholds, as facts (docs/design/collections.md, *Checks*):
//! which codes there are, how grave each is, and between which limits a threshold may be set. The
//! checks themselves are elsewhere; settings and thresholds of the Association refer here.

use std::sync::OnceLock;

/// How grave a check's finding is unless the Association grades it otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// Must be corrected.
    Fix,
    /// Reported as a note.
    Note,
    /// Reported as a note, and must be corrected beyond a second limit.
    Both,
}

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Group of checks.
    pub group: &'static str,
    /// Stable code, kebab-case.
    pub code: &'static str,
    /// How grave.
    pub grade: Grade,
    /// Whether it refuses a single write too.
    pub refuses: bool,
}

/// One adjustable limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Key in `check-thresholds`.
    pub key: &'static str,
    /// Built-in value, in the unit of the check.
    pub default: f64,
    /// Lowest allowed value.
    pub min: f64,
    /// Highest allowed value.
    pub max: f64,
}

/// `group: code grade…`; `F` fix, `N` note, `NF` both, `!` refuses the write.
const CHECKS: &str = "\
passport: no-birth-date F, birth-in-future F!, no-breed N, blood-out-of-range F!, duplicate-ear-tag N, \
inventory-number-shared N, ident-shared F, rfid-invalid F, international-id-mismatch N, animal-duplicate N, \
improver-sum F!
pedigree: pedigree-cycle F!, self-parent F!, parent-wrong-sex F, parent-younger F!, \
parent-age-implausible F, siblings-too-close F, father-disposed-before N, no-parents N, pedigree-text-mismatch F, \
blood-vs-parents NF, inbreeding-mismatch N, high-inbreeding F, dna-parentage-excluded F, \
birth-without-dam-calving N, father-vs-insemination N, haplotype-conflict F, coat-vs-parents N, pedigree-depth-low N
reproduction: afc-too-young F, afc-too-old N, duplicate-first-calving F, duplicate-calving-number F, \
calving-order F, calving-interval-short F, calving-interval-long N, calving-number-gap N, duplicate-event F, \
insemination-too-soon F, pregnancy-check-before-insemination F, bull-born-later F, calf-birth-vs-calving N, \
twins-mismatch N, milk-test-outside-lactation N, gestation-implausible NF, calf-count-mismatch F, \
hard-calving-no-care N, birth-weight-implausible N, insemination-too-young NF, services-too-close N, \
service-while-pregnant F, bull-too-young F, bull-unknown N, mating-inbreeding N, mating-carriers N, \
technician-inactive N
production: milk-implausible F, fat-implausible F, protein-implausible F, bull-own-production F, \
eval-vs-book-divergence N, eval-source-unnamed N, eval-fat-kg-mismatch F, eval-protein-kg-mismatch F, \
fat-kg-mismatch N, age-group-vs-sex F, production-before-calving F, test-milk-range F, test-fat-range F, \
test-protein-range F, fat-protein-ratio N, lactose-range N, cells-range NF, urea-range N, test-deviation N, test-gap N, \
official-test-in-withdrawal N, visit-implausible N, daily-vs-visits N, weight-implausible N, gain-implausible N
evaluation: exterior-out-of-window N, exterior-first-max N, eval-out-of-range N, eval-base-unknown F, grade-vs-score N
lifecycle: too-old-alive F, disposal-vs-state F, state-vs-disposal N, event-in-future F!, event-before-birth F!, \
event-after-leaving F, event-vs-sex F!, movement-sequence F, movement-gap N, movement-unconfirmed N, \
disposal-reason-implausible N, health-event-unfit N
herd: units-mixed F, milk-test-source-mixed N, index-base-mixed N, event-year-gap N, \
birth-date-clustered N, values-rounded N, outlier-vs-herd N, no-milk-tests-year N, ident-core-shared N, \
herd-test-coverage N, tests-copied N, row-outside-period F, row-foreign-animal F!, unit-suspect N";

/// `key default`, and the range where it is not a quarter to four times the default.
const THRESHOLDS: &str = "\
duplicateDays 3, parentAgeMinMonths 19 10 36, parentAgeMaxYears 20 10 40, gestationMinDays 270 200 300, \
bloodNote 12.5 1 50, bloodFix 25 5 100, inbreedingTolerance 1 .1 20, inbreedingHigh 25 5 100, depthMin 3, \
afcMin 19 12 30, afcMax 48 30 96, calvingIntervalMax 730, voluntaryWaitDays 20 5 90, dimMin 5, dimMax 730, \
gestNoteMin 265, gestNoteMax 295, gestFixMin 240, gestFixMax 305, calvesMax 4, birthWeightMin 15, \
birthWeightMax 75, serviceNoteDays 330, serviceFixDays 240, repeatServiceDays 5, bullMinMonths 10, \
matingInbreeding 6.25, milkMin 500 0 5000, milkMax 25000 10000 60000, fatMin 2 0 4, fatMax 6.5 4 12, \
proteinMin 2 0 3, proteinMax 5 3 10, testMilkMin 3, testMilkMax 99.9, testFatMin 1.5, testFatMax 9, \
testProteinMin 1, testProteinMax 7, ratioMin .7, ratioMax 2, lactoseMin 3, lactoseMax 6, cellsNote 1000, \
cellsMax 9999, ureaMin 3, ureaMax 80, deviationLow .6, deviationHigh 1.5, testGapMin 22, testGapMax 37, \
visitMaxKg 40, visitMaxSeconds 2400, visitGapMinutes 60, dailyTolerance 10, weightMin 350, weightMax 1200, \
gainMin -1500, gainMax 2500, exteriorDimMin 5, exteriorDimMax 365, firstScoreMax 89, evalSdMax 6, \
gradeEliteRecord 80, gradeElite 70, gradeFirst 60, gradeSecond 50, ageMaxYears 25 15 40, moveGapDays 7, \
confirmDays 14, herdUnitsFactor 100 10 10000, herdJan1Share 5 1 50, herdFirstOfMonthShare 20 5 90, \
herdRoundedShare 25 5 90, herdOutlierFactor 3 1.5 20, herdMin 20 5 500, coverageMin 80, meanShift 20, copiedShare 30";

/// Every check, group by group.
pub fn checks() -> &'static [Check] {
    static ALL: OnceLock<Vec<Check>> = OnceLock::new();
    ALL.get_or_init(|| CHECKS.lines().flat_map(group).collect())
}

/// The check of a code.
pub fn check(code: &str) -> Option<&'static Check> {
    checks().iter().find(|c| c.code == code)
}

/// Every threshold.
pub fn thresholds() -> &'static [Threshold] {
    static ALL: OnceLock<Vec<Threshold>> = OnceLock::new();
    ALL.get_or_init(|| THRESHOLDS.split(',').filter_map(threshold).collect())
}

/// The threshold of a key.
pub fn threshold_of(key: &str) -> Option<&'static Threshold> {
    thresholds().iter().find(|t| t.key == key)
}

/// All of it as a page, `docs/model/checks.md`.
pub fn page() -> String {
    let mut out = String::from(
        "# Checks\n\nThe checks of the book with their groups, printed from `src/domain/collections/verification/check_facts.rs` as \
         [the other pages](README.md) are. A finding is to be fixed, or a note. [Check settings](check-settings.md) \
         switch a check off or grade it otherwise.\n\n\
         | Group | Check | Finding | Refuses a single write |\n|---|---|---|---|\n",
    );
    for check in checks() {
        let finding = match check.grade {
            Grade::Fix => "fix",
            Grade::Note => "note",
            Grade::Both => "note, fix beyond a second limit",
        };
        let refuses = if check.refuses { "yes" } else { "" };
        let (group, code) = (check.group, check.code);
        out.push_str(&format!("| {group} | `{code}` | {finding} | {refuses} |\n"));
    }
    out.push_str(
        "\n## Thresholds\n\nThe limits of checks. [Check thresholds](check-thresholds.md) change them within their \
         range.\n\n| Threshold | Built in | Lowest | Highest |\n|---|---|---|---|\n",
    );
    for t in thresholds() {
        let (key, default, min, max) = (t.key, t.default, t.min, t.max);
        out.push_str(&format!("| `{key}` | {default} | {min} | {max} |\n"));
    }
    out
}

fn group(line: &'static str) -> Vec<Check> {
    let (group, list) = line.split_once(':').unwrap_or(("", line));
    let one = |entry: &'static str| {
        let (code, grade) = entry.trim().split_once(' ')?;
        let letters = grade.trim_end_matches('!');
        Some(Check {
            group,
            code,
            grade: match letters {
                "F" => Grade::Fix,
                "N" => Grade::Note,
                _ => Grade::Both,
            },
            refuses: grade.len() > letters.len(),
        })
    };
    list.split(',').filter_map(one).collect()
}

fn threshold(entry: &'static str) -> Option<Threshold> {
    let mut words = entry.split_whitespace();
    let key = words.next()?;
    let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
    let default = number()?;
    let ends = (default / 4.0, default * 4.0);
    Some(Threshold {
        key,
        default,
        min: number().unwrap_or(ends.0.min(ends.1)),
        max: number().unwrap_or(ends.0.max(ends.1)),
    })
}

#[cfg(test)]
mod tests {
    use super::{Grade, check, checks, threshold_of, thresholds};
    use std::collections::BTreeSet;

    #[test]
    fn every_code_and_key_stands_once_and_is_readable() {
        let codes: BTreeSet<_> = checks().iter().map(|c| c.code).collect();
        assert_eq!(codes.len(), checks().len());
        let keys: BTreeSet<_> = thresholds().iter().map(|t| t.key).collect();
        assert_eq!(keys.len(), thresholds().len());
        for c in checks() {
            assert!(
                c.code.len() <= 40 && c.code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                "{}",
                c.code
            );
        }
        for t in thresholds() {
            assert!(t.min <= t.default && t.default <= t.max, "{}", t.key);
        }
    }

    #[test]
    fn the_facts_are_those_of_the_model() {
        // How many there are in each group.
        let of = |group: &str| checks().iter().filter(|c| c.group == group).count();
        let groups = [
            "passport",
            "pedigree",
            "reproduction",
            "production",
            "evaluation",
            "lifecycle",
            "herd",
        ];
        assert_eq!(groups.map(of), [11, 18, 27, 25, 5, 12, 14]);
        assert_eq!(checks().iter().filter(|c| c.refuses).count(), 10);
        let blood = check("blood-vs-parents").unwrap();
        assert_eq!((blood.grade, blood.refuses), (Grade::Both, false));
        let milk = threshold_of("milkMax").unwrap();
        assert_eq!(
            (milk.default, milk.min, milk.max),
            (25_000.0, 10_000.0, 60_000.0)
        );
        let gain = threshold_of("gainMin").unwrap();
        assert_eq!(
            (gain.default, gain.min, gain.max),
            (-1_500.0, -6_000.0, -375.0)
        );
        let tolerance = threshold_of("inbreedingTolerance").unwrap();
        assert_eq!(
            (tolerance.default, tolerance.min, tolerance.max),
            (1.0, 0.1, 20.0)
        );
    }
}
