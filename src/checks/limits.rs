//! The thresholds of the checks: their keys, built-in values, ranges and units, and the values of a run.

/// One adjustable limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Key in `check-thresholds`.
    pub key: &'static str,
    /// Built-in value.
    pub default: f64,
    /// Lowest allowed value.
    pub min: f64,
    /// Highest allowed value.
    pub max: f64,
    /// Unit of the values.
    pub unit: &'static str,
    /// What it limits.
    pub meaning: &'static str,
}

/// `Name "key" = built-in value in lowest, highest, "unit": "meaning";`
macro_rules! thresholds {
    ($($name:ident $key:literal = $default:literal in $min:literal, $max:literal, $unit:literal: $meaning:literal;)*) => {
        /// A threshold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Key {
            $(#[doc = $meaning] $name,)*
        }

        impl Key {
            /// Every threshold.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What is declared of it.
            #[must_use]
            pub const fn fact(self) -> Threshold {
                match self {
                    $(Self::$name => Threshold {
                        key: $key, default: $default, min: $min, max: $max, unit: $unit, meaning: $meaning,
                    },)*
                }
            }
        }
    };
}

thresholds! {
    DuplicateDays "duplicateDays" = 3.0 in 1.0, 15.0, "days": "Days within which births or records count as one.";
    ParentAgeMinMonths "parentAgeMinMonths" = 19.0 in 10.0, 36.0, "months": "Lowest age of a parent at birth.";
    ParentAgeMaxYears "parentAgeMaxYears" = 20.0 in 10.0, 40.0, "years": "Highest age of a parent at birth.";
    GestationMinDays "gestationMinDays" = 270.0 in 200.0, 300.0, "days": "Shortest gestation.";
    BloodNote "bloodNote" = 12.5 in 1.0, 50.0, "%": "Deviation of blood from the parents, noted.";
    BloodFix "bloodFix" = 25.0 in 5.0, 100.0, "%": "Deviation of blood from the parents, to be fixed.";
    InbreedingTolerance "inbreedingTolerance" = 1.0 in 0.1, 20.0, "%": "Difference between kept and computed inbreeding.";
    InbreedingHigh "inbreedingHigh" = 25.0 in 5.0, 100.0, "%": "Highest inbreeding.";
    DepthMin "depthMin" = 3.0 in 1.0, 10.0, "generations": "Known generations that a category asks for.";
    AfcMin "afcMin" = 19.0 in 12.0, 30.0, "months": "Lowest age at first calving.";
    AfcMax "afcMax" = 48.0 in 30.0, 96.0, "months": "Highest age at first calving.";
    CalvingIntervalMax "calvingIntervalMax" = 730.0 in 365.0, 1500.0, "days": "Longest calving interval.";
    VoluntaryWaitDays "voluntaryWaitDays" = 20.0 in 5.0, 90.0, "days": "Days after calving without service.";
    DimMin "dimMin" = 5.0 in 1.0, 20.0, "days": "First day in milk of a test.";
    DimMax "dimMax" = 730.0 in 300.0, 1500.0, "days": "Last day in milk of a test.";
    GestNoteMin "gestNoteMin" = 265.0 in 240.0, 280.0, "days": "Shortest usual gestation.";
    GestNoteMax "gestNoteMax" = 295.0 in 280.0, 320.0, "days": "Longest usual gestation.";
    GestFixMin "gestFixMin" = 240.0 in 200.0, 270.0, "days": "Shortest possible gestation.";
    GestFixMax "gestFixMax" = 305.0 in 290.0, 350.0, "days": "Longest possible gestation.";
    CalvesMax "calvesMax" = 4.0 in 1.0, 8.0, "calves": "Most calves of a calving.";
    BirthWeightMin "birthWeightMin" = 15.0 in 5.0, 40.0, "kg": "Lowest weight at birth.";
    BirthWeightMax "birthWeightMax" = 75.0 in 50.0, 120.0, "kg": "Highest weight at birth.";
    ServiceNoteDays "serviceNoteDays" = 330.0 in 240.0, 600.0, "days": "Usual age at first service.";
    ServiceFixDays "serviceFixDays" = 240.0 in 150.0, 400.0, "days": "Lowest age at first service.";
    RepeatServiceDays "repeatServiceDays" = 5.0 in 1.0, 20.0, "days": "Days between services.";
    BullMinMonths "bullMinMonths" = 10.0 in 6.0, 24.0, "months": "Lowest age of a bull in use.";
    MatingInbreeding "matingInbreeding" = 6.25 in 1.0, 25.0, "%": "Highest expected inbreeding of a calf.";
    MilkMin "milkMin" = 500.0 in 0.0, 5000.0, "kg": "Lowest milk of a lactation.";
    MilkMax "milkMax" = 25_000.0 in 10_000.0, 60_000.0, "kg": "Highest milk of a lactation.";
    FatMin "fatMin" = 2.0 in 0.0, 4.0, "%": "Lowest fat of a lactation.";
    FatMax "fatMax" = 6.5 in 4.0, 12.0, "%": "Highest fat of a lactation.";
    ProteinMin "proteinMin" = 2.0 in 0.0, 3.0, "%": "Lowest protein of a lactation.";
    ProteinMax "proteinMax" = 5.0 in 3.0, 10.0, "%": "Highest protein of a lactation.";
    TestMilkMin "testMilkMin" = 3.0 in 0.5, 10.0, "kg": "Lowest milk of a test day.";
    TestMilkMax "testMilkMax" = 99.9 in 60.0, 150.0, "kg": "Highest milk of a test day.";
    TestFatMin "testFatMin" = 1.5 in 0.5, 3.0, "%": "Lowest fat of a test day.";
    TestFatMax "testFatMax" = 9.0 in 6.0, 15.0, "%": "Highest fat of a test day.";
    TestProteinMin "testProteinMin" = 1.0 in 0.5, 2.5, "%": "Lowest protein of a test day.";
    TestProteinMax "testProteinMax" = 7.0 in 5.0, 10.0, "%": "Highest protein of a test day.";
    RatioMin "ratioMin" = 0.7 in 0.3, 1.0, "fat to protein": "Lowest fat to protein.";
    RatioMax "ratioMax" = 2.0 in 1.2, 5.0, "fat to protein": "Highest fat to protein.";
    LactoseMin "lactoseMin" = 3.0 in 1.0, 4.5, "%": "Lowest lactose.";
    LactoseMax "lactoseMax" = 6.0 in 5.0, 10.0, "%": "Highest lactose.";
    CellsNote "cellsNote" = 1000.0 in 200.0, 4000.0, "1000/ml": "Somatic cells, noted.";
    CellsMax "cellsMax" = 9999.0 in 2000.0, 30_000.0, "1000/ml": "Somatic cells, to be fixed.";
    UreaMin "ureaMin" = 3.0 in 1.0, 10.0, "mg/100 ml": "Lowest urea.";
    UreaMax "ureaMax" = 80.0 in 40.0, 200.0, "mg/100 ml": "Highest urea.";
    DeviationLow "deviationLow" = 0.6 in 0.1, 0.9, "times": "Lowest milk against the neighbouring tests.";
    DeviationHigh "deviationHigh" = 1.5 in 1.1, 5.0, "times": "Highest milk against the neighbouring tests.";
    TestGapMin "testGapMin" = 22.0 in 5.0, 30.0, "days": "Shortest gap between tests.";
    TestGapMax "testGapMax" = 37.0 in 30.0, 120.0, "days": "Longest gap between tests.";
    VisitMaxKg "visitMaxKg" = 40.0 in 20.0, 100.0, "kg": "Most milk of a visit.";
    VisitMaxSeconds "visitMaxSeconds" = 2400.0 in 600.0, 7200.0, "s": "Longest milking of a visit.";
    VisitGapMinutes "visitGapMinutes" = 60.0 in 10.0, 240.0, "min": "Shortest gap between visits.";
    DailyTolerance "dailyTolerance" = 10.0 in 1.0, 50.0, "%": "Difference between daily milk and visits.";
    WeightMin "weightMin" = 350.0 in 200.0, 500.0, "kg": "Lowest weight of an adult.";
    WeightMax "weightMax" = 1200.0 in 800.0, 2000.0, "kg": "Highest weight of an adult.";
    GainMin "gainMin" = -1500.0 in -5000.0, -500.0, "g/day": "Lowest daily gain.";
    GainMax "gainMax" = 2500.0 in 1000.0, 10_000.0, "g/day": "Highest daily gain.";
    ExteriorDimMin "exteriorDimMin" = 5.0 in 1.0, 30.0, "days": "First day in milk of a classification.";
    ExteriorDimMax "exteriorDimMax" = 365.0 in 150.0, 1000.0, "days": "Last day in milk of a classification.";
    FirstScoreMax "firstScoreMax" = 89.0 in 80.0, 100.0, "points": "Highest final score in first lactation.";
    EvalSdMax "evalSdMax" = 6.0 in 2.0, 20.0, "deviations": "Standard deviations from the mean of the base.";
    GradeEliteRecord "gradeEliteRecord" = 80.0 in 70.0, 100.0, "points": "Points of elite record.";
    GradeElite "gradeElite" = 70.0 in 60.0, 100.0, "points": "Points of elite.";
    GradeFirst "gradeFirst" = 60.0 in 50.0, 100.0, "points": "Points of class one.";
    GradeSecond "gradeSecond" = 50.0 in 30.0, 100.0, "points": "Points of class two.";
    AgeMaxYears "ageMaxYears" = 25.0 in 15.0, 40.0, "years": "Highest age of an animal alive.";
    MoveGapDays "moveGapDays" = 7.0 in 1.0, 30.0, "days": "Days between leaving and coming back.";
    ConfirmDays "confirmDays" = 14.0 in 3.0, 60.0, "days": "Days to confirm a movement.";
    HerdUnitsFactor "herdUnitsFactor" = 100.0 in 10.0, 10_000.0, "times": "Factor between units.";
    HerdJan1Share "herdJan1Share" = 5.0 in 1.0, 50.0, "%": "Births on 1 January.";
    HerdFirstOfMonthShare "herdFirstOfMonthShare" = 20.0 in 5.0, 90.0, "%": "Births on the first of a month.";
    HerdRoundedShare "herdRoundedShare" = 25.0 in 5.0, 90.0, "%": "Rounded values.";
    HerdOutlierFactor "herdOutlierFactor" = 3.0 in 1.5, 20.0, "times": "Milk against the median of the herd.";
    HerdMin "herdMin" = 20.0 in 5.0, 500.0, "animals": "Animals from which a herd is looked at.";
    CoverageMin "coverageMin" = 80.0 in 20.0, 100.0, "%": "Cows in milk that a test day covers.";
    MeanShift "meanShift" = 20.0 in 5.0, 80.0, "%": "Change of the herd's mean from one test day to the next.";
    CopiedShare "copiedShare" = 30.0 in 10.0, 100.0, "%": "Tests that repeat the former one.";
}

impl Key {
    /// The threshold of a key.
    #[must_use]
    pub fn of(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.fact().key == key)
    }
}

/// The values of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds(Vec<f64>);

impl Default for Thresholds {
    fn default() -> Self {
        Self(Key::ALL.iter().map(|key| key.fact().default).collect())
    }
}

impl Thresholds {
    /// The built-in values with what the rows of `check-thresholds` say instead; a value outside its range counts as
    /// the end of the range, an unknown key as nothing.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let mut all = Self::default();
        for (key, value) in rows {
            if let Some(key) = Key::of(key) {
                all.set(key, value);
            }
        }
        all
    }

    pub fn set(&mut self, key: Key, value: f64) {
        let fact = key.fact();
        if let Some(slot) = self.0.get_mut(key as usize).filter(|_| !value.is_nan()) {
            *slot = value.clamp(fact.min, fact.max);
        }
    }

    /// The value of a threshold.
    #[must_use]
    pub fn get(&self, key: Key) -> f64 {
        self.0.get(key as usize).copied().unwrap_or(key.fact().default)
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Thresholds};
    use std::collections::BTreeSet;

    #[test]
    fn every_key_stands_once_and_its_value_within_its_range() {
        let keys: BTreeSet<_> = Key::ALL.iter().map(|key| key.fact().key).collect();
        assert_eq!(keys.len(), Key::ALL.len());
        for (at, key) in Key::ALL.iter().enumerate() {
            let fact = key.fact();
            assert!(fact.min <= fact.default && fact.default <= fact.max, "{}", fact.key);
            assert_eq!(*key as usize, at);
            assert_eq!(Key::of(fact.key), Some(*key));
        }
    }

    #[test]
    fn the_facts_are_those_of_the_model() {
        let of = |key: Key| (key.fact().default, key.fact().min, key.fact().max);
        assert_eq!(of(Key::MilkMax), (25_000.0, 10_000.0, 60_000.0));
        assert_eq!(of(Key::GainMin), (-1_500.0, -5_000.0, -500.0));
        assert_eq!(of(Key::GestFixMax), (305.0, 290.0, 350.0));
        assert_eq!(of(Key::InbreedingTolerance), (1.0, 0.1, 20.0));
        assert_eq!(of(Key::DimMin), (5.0, 1.0, 20.0));
        assert_eq!(Key::ALL.len(), 79);
    }

    #[test]
    fn rows_replace_built_in_values_within_their_range() {
        let rows = [("milkMax", 30_000.0), ("fatMin", -1.0), ("nothing", 3.0), ("fatMax", f64::NAN)];
        let values = Thresholds::from_rows(rows);
        assert_eq!(values.get(Key::MilkMax), 30_000.0);
        assert_eq!(values.get(Key::FatMin), 0.0);
        assert_eq!(values.get(Key::FatMax), 6.5);
        assert_eq!(values.get(Key::AfcMin), 19.0);
    }
}
