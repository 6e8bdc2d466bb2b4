//! Standard lactation curves: what a day of lactation gives, as an installation states it (docs/derived.md, *Standard
//! curves*).

/// First line of their file.
const HEAD: [&str; 5] = ["parity", "day", "milk", "fat", "protein"];
/// A curve reaches to this day at least: the end of the standard lactation.
const LEAST_DAYS: i64 = 305;
/// Later days are those of no lactation.
const MOST_DAYS: i64 = 2_000;
/// Most milk of a day, kg.
const MOST_MILK: f64 = 150.0;
/// Most fat or protein in milk: a greater share comes of per cent in place of kilograms.
const MOST_CONTENT: f64 = 0.1;

/// Kilograms by days in milk: straight lines between the days that are stated, from day 0 on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve(Vec<(i64, f64)>);

/// The curves of one parity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParityCurves {
    pub milk: Curve,
    pub fat: Curve,
    pub protein: Curve,
    /// Another one with other curves.
    pub mark: u64,
}

/// The curves of an installation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StandardCurves {
    first: ParityCurves,
    second: ParityCurves,
    later: ParityCurves,
}

impl Curve {
    /// Kilograms at a time in days; behind the last day those of it.
    #[must_use]
    pub fn at(&self, day: f64) -> f64 {
        for pair in self.0.windows(2) {
            if let [(from, one), (to, other)] = *pair
                && day < to as f64
            {
                return one + (other - one) * (day - from as f64) / (to - from) as f64;
            }
        }
        self.0.last().map_or(0.0, |(_, kg)| *kg)
    }

    /// Kilograms of all days up to a time.
    #[must_use]
    pub fn sum(&self, until: f64) -> f64 {
        let mut sum = 0.0;
        for pair in self.0.windows(2) {
            if let [(from, one), (to, _)] = *pair {
                let end = until.min(to as f64);
                if end > from as f64 {
                    sum += (end - from as f64) * (one + self.at(end)) / 2.0;
                }
            }
        }
        let (last, kg) = self.0.last().copied().unwrap_or_default();
        sum + (until - last as f64).max(0.0) * kg
    }
}

impl StandardCurves {
    /// The curves of a parity; those of 3 hold for all later ones.
    #[must_use]
    pub fn of(&self, parity: i64) -> &ParityCurves {
        match parity {
            ..=1 => &self.first,
            2 => &self.second,
            _ => &self.later,
        }
    }

    /// Reads them: a line for each day of a parity, with kilograms of a day.
    ///
    /// # Errors
    /// What is wrong, by lines.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        let mut curves = Self::default();
        let mut lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
        if lines.next().is_none_or(|(_, head)| cells(head) != HEAD) {
            faults.push(format!("line 1: must be {}", HEAD.join(",")));
        }
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            if let Err(fault) = curves.add(&cells(line)) {
                faults.push(format!("line {at}: {fault}"));
            }
        }
        for (parity, group) in [(1, &mut curves.first), (2, &mut curves.second), (3, &mut curves.later)] {
            let days = || group.milk.0.iter().map(|(day, _)| *day);
            if days().next() != Some(0) || days().next_back().is_none_or(|last| last < LEAST_DAYS) {
                faults.push(format!("parity {parity}: must go from day 0 to day {LEAST_DAYS} at least"));
            }
            group.mark = group.marked();
        }
        if faults.is_empty() { Ok(curves) } else { Err(faults) }
    }

    fn add(&mut self, cells: &[&str]) -> Result<(), String> {
        let [parity, day, milk, fat, protein] = cells else {
            return Err(format!("must have {} values", HEAD.len()));
        };
        let group = match *parity {
            "1" => &mut self.first,
            "2" => &mut self.second,
            "3" => &mut self.later,
            _ => return Err("parity: must be 1, 2 or 3".to_owned()),
        };
        let before = group.milk.0.last().map_or(-1, |(day, _)| *day);
        let day: Option<i64> = day.parse().ok().filter(|day| (0..=MOST_DAYS).contains(day));
        let day = day.ok_or_else(|| format!("day: must be a whole number from 0 to {MOST_DAYS}"))?;
        if day <= before {
            return Err(format!("day: must come after day {before} of this parity"));
        }
        let number = |name: &str, text: &str, most: f64| {
            let kg: Option<f64> = text.parse().ok().filter(|kg| *kg > 0.0 && *kg <= most);
            kg.ok_or_else(|| format!("{name}: must be kilograms above 0, at most {most:.2}"))
        };
        let milk = number("milk", milk, MOST_MILK)?;
        let fat = number("fat", fat, milk * MOST_CONTENT)?;
        let protein = number("protein", protein, milk * MOST_CONTENT)?;
        group.milk.0.push((day, milk));
        group.fat.0.push((day, fat));
        group.protein.0.push((day, protein));
        Ok(())
    }
}

impl ParityCurves {
    /// The hash of all values (FNV-1a).
    fn marked(&self) -> u64 {
        let values = [&self.milk, &self.fat, &self.protein].into_iter().flat_map(|curve| &curve.0);
        let bytes = values.flat_map(|(day, kg)| [day.to_le_bytes(), kg.to_le_bytes()]).flatten();
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Values between commas, semicolons or tabs.
fn cells(line: &str) -> Vec<&str> {
    line.split([',', ';', '\t']).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::StandardCurves;

    /// A file whose curves are the same line for all parities.
    fn file() -> String {
        let lines = (1..=3).flat_map(|parity| {
            [(0, 20.0), (50, 30.0), (305, 10.0)]
                .map(|(day, kg)| format!("{parity};{day};{kg};{};{}\n", kg / 25.0, kg * 3.0 / 100.0))
        });
        format!("parity;day;milk;fat;protein\n{}", lines.collect::<String>())
    }

    #[test]
    fn days_between_those_stated_lie_on_a_line() {
        let curves = StandardCurves::read(&file()).unwrap();
        let milk = &curves.of(2).milk;
        assert_eq!([0.0, 25.0, 50.0, 305.0, 400.0].map(|day| milk.at(day)), [20.0, 25.0, 30.0, 10.0, 10.0]);
        // 25 days of 22.5 kg, 50 of 25, 255 of 20, and 10 of the last.
        assert_eq!([0.0, 25.0, 50.0, 305.0, 315.0].map(|day| milk.sum(day)), [0.0, 562.5, 1250.0, 6350.0, 6450.0]);
        let middles: f64 = (0..320).map(|day| milk.at(f64::from(day) + 0.5)).sum();
        assert!((milk.sum(320.0) - middles).abs() < 1e-9);
    }

    #[test]
    fn curves_are_of_the_first_the_second_and_all_later_parities() {
        let text = file().replace("1;0;20", "1;0;19").replace("3;0;20", "3;0;21");
        let curves = StandardCurves::read(&text).unwrap();
        assert_eq!([0, 1, 2, 3, 9].map(|parity| curves.of(parity).milk.at(0.0)), [19.0, 19.0, 20.0, 21.0, 21.0]);
        let marks = [1, 2, 3, 9].map(|parity| curves.of(parity).mark);
        assert!(marks[0] != marks[1] && marks[1] != marks[2] && marks[2] == marks[3]);
        assert_eq!(StandardCurves::read(&file()).unwrap().of(2).mark, marks[1]);
    }

    #[test]
    fn commas_tabs_and_a_byte_order_mark_are_read() {
        let plain = StandardCurves::read(&file());
        for other in [file().replace(';', ","), file().replace(';', "\t"), format!("\u{feff}{}\n\n", file())] {
            assert_eq!(StandardCurves::read(&other), plain);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_by_its_line() {
        let changed = [
            ("parity;day", "lactation;day", "line 1: must be parity,day,milk,fat,protein"),
            ("1;0;20;0.8;0.6", "1;0;20;0.8", "line 2: must have 5 values"),
            ("1;0;20;", "4;0;20;", "line 2: parity: must be 1, 2 or 3"),
            ("1;50;", "1;50.5;", "line 3: day: must be a whole number from 0 to 2000"),
            ("1;50;", "1;0;", "line 3: day: must come after day 0 of this parity"),
            ("1;50;30;", "1;50;0;", "line 3: milk: must be kilograms above 0, at most 150.00"),
            ("1;50;30;", "1;50;NaN;", "line 3: milk: must be kilograms above 0, at most 150.00"),
            ("1;50;30;1.2;", "1;50;30;4.0;", "line 3: fat: must be kilograms above 0, at most 3.00"),
            ("1;50;30;1.2;0.9", "1;50;30;1.2;", "line 3: protein: must be kilograms above 0, at most 3.00"),
            ("2;305;", "2;304;", "parity 2: must go from day 0 to day 305 at least"),
            ("3;0;", "3;1;", "parity 3: must go from day 0 to day 305 at least"),
        ];
        for (from, to, fault) in changed {
            let text = file().replacen(from, to, 1);
            assert_ne!(text, file(), "{from}");
            let faults = StandardCurves::read(&text).unwrap_err();
            assert!(faults.iter().any(|found| found == fault), "{faults:?}, not {fault}");
        }
        assert_eq!(StandardCurves::read("").unwrap_err().len(), 4);
    }
}
