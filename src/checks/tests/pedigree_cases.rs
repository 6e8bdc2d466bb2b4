//! Parents and what is inherited.

use super::world::{BULL, CALF, COW, FATHER, GRANDFATHER, MOTHER, SECOND, World};
use crate::window::*;
use crate::{Day, Visibility};

const ANIMALS: &str = "animals";

cases! { CASES:
    "pedigree-cycle" (ANIMALS, MOTHER, "father") =>
        |w| parents(w, GRANDFATHER).mother = Some(COW),
        |w| parents(w, GRANDFATHER).mother = Some(GRANDFATHER);
    "self-parent" (ANIMALS, COW, "mother") =>
        |w| w.cow().passport.mother = Some(COW), |w| w.cow().passport.mother = None;
    "self-parent" (ANIMALS, COW, "mother") =>
        |w| w.cow().passport.mother = Some(FATHER),
        |w| (w.cow().passport.mother, w.cow().passport.father) = (None, None);
    "parent-wrong-sex" (ANIMALS, COW, "father") =>
        |w| w.cow().passport.father = Some(MOTHER), |w| w.cow().passport.father = Some(4_711);
    "parent-younger" (ANIMALS, COW, "mother") =>
        |w| w.kin(MOTHER).birth = Some(Day::of(2021, 9, 1)),
        |w| w.kin(MOTHER).birth = Some(Day::of(2021, 8, 31));
    "parent-age-implausible" (ANIMALS, COW, "mother") =>
        |w| w.kin(MOTHER).birth = Some(Day::of(2020, 2, 2)),
        |w| w.kin(MOTHER).birth = Some(Day::of(2020, 2, 1));
    "parent-age-implausible" (ANIMALS, COW, "father") =>
        |w| w.kin(FATHER).birth = Some(Day::of(2001, 8, 31)),
        |w| (w.kin(FATHER).birth, w.kin(FATHER).semen) = (Some(Day::of(2001, 8, 31)), true);
    "siblings-too-close" (ANIMALS, SECOND, "birthDate") => |w| apart(w, 269), |w| apart(w, 270);
    "siblings-too-close" (ANIMALS, SECOND, "birthDate") => |w| apart(w, 4), |w| apart(w, 3);
    "father-disposed-before" (ANIMALS, COW, "father") => |w| gone(w, 306), |w| gone(w, 305);
    "father-disposed-before" (ANIMALS, COW, "father") =>
        |w| gone(w, 900), |w| { gone(w, 900); w.kin(FATHER).semen = true };
    "no-parents" (ANIMALS, MOTHER, "father") =>
        |w| w.animal(MOTHER).passport.father = None,
        |w| {
            let p = &mut w.animal(MOTHER).passport;
            p.father = None;
            p.pedigree_text.mother.name = Some("Mother".to_owned())
        };
    "pedigree-text-mismatch" (ANIMALS, COW, "pedigreeText.fatherId") =>
        |w| w.cow().passport.pedigree_text.father.number = text("960000000099"),
        |w| w.cow().passport.pedigree_text.father.number = text(" 0096 0000000010");
    "pedigree-text-mismatch" (ANIMALS, COW, "pedigreeText.motherId") =>
        |w| w.cow().passport.pedigree_text.mother.name = text("Somebody"),
        |w| w.cow().passport.pedigree_text.mother.name = text("NAME 11");
    "pedigree-text-mismatch" (ANIMALS, COW, "pedigreeText.motherFatherId") =>
        |w| w.cow().passport.pedigree_text.mothers_father = text("960000000010"),
        |w| w.cow().passport.pedigree_text.mothers_father = text("960000000012");
    // The parents are of 100 and of 96 %.
    "blood-vs-parents" (ANIMALS, COW, "bloodPercent") =>
        |w| w.cow().passport.blood = Some(85.4),
        |w| w.cow().passport.blood = Some(85.5),
        worse |w| w.cow().passport.blood = Some(72.9);
    "inbreeding-mismatch" (ANIMALS, COW, "inbreeding") =>
        |w| w.cow().passport.inbreeding = Some(3.2), |w| w.cow().passport.inbreeding = Some(3.0);
    "high-inbreeding" (ANIMALS, COW, "inbreeding") =>
        |w| w.cow().passport.computed_inbreeding = Some(25.1),
        |w| w.cow().passport.computed_inbreeding = Some(25.0);
    "dna-parentage-excluded" (ANIMALS, COW, "mother") =>
        |w| w.cow().passport.mother_excluded = true,
        |w| (w.cow().passport.mother_excluded, w.cow().passport.mother) = (true, None);
    "birth-without-dam-calving" (ANIMALS, SECOND, "mother") =>
        |w| w.kin(SECOND).birth = Some(Day::of(2024, 9, 24)),
        |w| w.kin(SECOND).birth = Some(Day::of(2024, 9, 23));
    "birth-without-dam-calving" (ANIMALS, SECOND, "mother") =>
        |w| w.kin(SECOND).birth = Some(Day::of(2024, 12, 24)),
        |w| (w.kin(SECOND).birth, w.kin(SECOND).embryo) = (Some(Day::of(2024, 12, 24)), true);
    "father-vs-insemination" (ANIMALS, SECOND, "father") =>
        |w| w.kin(SECOND).father = Some(FATHER),
        |w| { w.kin(SECOND).father = Some(FATHER); w.cow().services[1].bull = None };
    "father-vs-insemination" (ANIMALS, SECOND, "father") =>
        |w| w.cow().services[1].bull = Some(FATHER),
        |w| {
            w.cow().services[1].bull = Some(FATHER);
            w.cow().services[1].day = Day::of(2024, 9, 20).plus(-306)
        };
    "haplotype-conflict" (ANIMALS, COW, "haplotypes") =>
        |w| tested(w, COW, Copies::Homozygous, true),
        |w| {
            tested(w, COW, Copies::Homozygous, true);
            w.cow().passport.state = State::Dead;
            w.cow().passport.disposal = Some(Day::of(2025, 6, 30))
        };
    "haplotype-conflict" (ANIMALS, COW, "haplotypes") =>
        |w| {
            tested(w, COW, Copies::Carrier, false);
            tested(w, FATHER, Copies::Free, false);
            tested(w, MOTHER, Copies::Free, false)
        },
        |w| { tested(w, COW, Copies::Carrier, false); tested(w, FATHER, Copies::Free, false) };
    "haplotype-conflict" (ANIMALS, COW, "haplotypes") =>
        |w| { tested(w, COW, Copies::Free, false); tested(w, FATHER, Copies::Homozygous, false) },
        |w| { tested(w, COW, Copies::Free, false); tested(w, FATHER, Copies::Carrier, false) };
    "coat-vs-parents" (ANIMALS, COW, "coatColor") =>
        |w| { w.cow().passport.coat = Some(Coat::Red); red(w, Copies::Free) },
        |w| { w.cow().passport.coat = Some(Coat::Red); red(w, Copies::Carrier) };
    "coat-vs-parents" (ANIMALS, COW, "coatColor") =>
        |w| [FATHER, MOTHER].iter().for_each(|id| w.kin(*id).coat = Some(Coat::Red)),
        |w| w.kin(FATHER).coat = Some(Coat::Red);
    "pedigree-depth-low" (ANIMALS, COW, "category") =>
        |w| w.cow().passport.pedigree_depth = Some(2.9),
        |w| w.cow().passport.pedigree_depth = Some(3.0);
}

fn parents(w: &mut World, id: i64) -> &mut Parents {
    w.book.parents.iter_mut().find(|row| row.animal == id).unwrap()
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The second calf is born so many days after the first one.
fn apart(w: &mut World, days: i64) {
    let birth = w.kin(CALF).birth.unwrap();
    w.kin(SECOND).birth = Some(birth.plus(days));
}

/// The father died so many days before the birth.
fn gone(w: &mut World, days: i64) {
    let left = Day::of(2021, 9, 1).plus(-days);
    (w.kin(FATHER).state, w.kin(FATHER).disposal) = (State::Dead, Some(left));
}

fn tested(w: &mut World, id: i64, copies: Copies, lethal: bool) {
    let haplotype = Haplotype { kind: 5, copies, lethal, red: false };
    w.animal(id).passport.haplotypes.push(haplotype);
    w.kin(id).haplotypes.push(haplotype);
}

fn red(w: &mut World, copies: Copies) {
    w.kin(MOTHER).haplotypes.push(Haplotype { kind: 9, copies, lethal: false, red: true });
}

#[test]
fn circles_that_share_animals_are_found_whole() {
    let mut w = World::sound();
    let row = |animal, father, mother| Parents { animal, father: Some(father), mother: Some(mother) };
    // 1 and 2, 1 and 3 over 2; 4 and 5 only lead there, 6 comes from there.
    w.book.parents = vec![row(1, 2, 3), row(2, 1, 90), row(3, 2, 91), row(4, 1, 5), row(5, 3, 92), row(91, 93, 94)];
    let circular: Vec<i64> = w.of("pedigree-cycle").iter().map(|f| f.place.row).collect();
    assert_eq!(circular, [1, 2, 3]);
}

#[test]
fn a_circle_is_read_in_the_pedigree_as_far_as_it_is_shown() {
    for (size, visibility) in [(10, Visibility::Identity), (11, Visibility::Card)] {
        let mut w = World::sound();
        let row = |animal: i64| Parents { animal, father: Some(animal % size + 1), mother: None };
        w.book.parents = (1..=size).map(row).collect();
        let findings = w.of("pedigree-cycle");
        assert!(!findings.is_empty());
        let mut others = findings.iter().flat_map(|finding| &finding.others);
        assert!(others.all(|(_, of)| *of == visibility), "{size}: {findings:?}");
    }
}

#[test]
fn the_age_of_an_old_bull_says_that_he_has_no_semen() {
    let ages = [
        (FATHER, Day::of(2020, 2, 2), Visibility::Identity),
        (FATHER, Day::of(1995, 1, 1), Visibility::Row),
        (MOTHER, Day::of(1995, 1, 1), Visibility::Identity),
    ];
    for (parent, born, visibility) in ages {
        let mut w = World::sound();
        w.kin(parent).birth = Some(born);
        let findings = w.of("parent-age-implausible");
        let of_cow = findings.iter().find(|finding| finding.place.row == COW);
        assert_eq!(of_cow.unwrap().others, [(parent, visibility)], "{born:?}");
    }
}

#[test]
fn a_bull_is_nobodys_mother() {
    let mut w = World::sound();
    w.cow().passport.mother = Some(BULL);
    let at: Vec<&str> = w.of("parent-wrong-sex").iter().map(|f| f.place.path).collect();
    assert_eq!(at, ["mother"]);
}
