//! Checks of parents and of what is inherited.

use crate::check::{Check, Rule};
use crate::day::{Day, exact};
use crate::finding::Visibility;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{AncestorText, Animal, Coat, Context, Copies, Passport, State};

/// Days between the recorded day of a birth and that of its calving that still count as one.
const BIRTH_DAYS: i64 = 3;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("pedigree-cycle", Rule::Book(super::cycles::pedigree_cycle))
        .refuses()
        .means("An animal is among its own ancestors, however many generations back. Reported for every animal of the circle.")
        .says("The animal is its own ancestor.", "Животное — предок самого себя."),
    Check::fix("self-parent", Rule::Animal(self_parent))
        .row()
        .refuses()
        .means("The animal is its own parent, or one animal is both father and mother.")
        .says("The animal is its own parent, or both parents are one animal.", "Животное указано своим родителем, или оба родителя — одно животное."),
    Check::fix("parent-wrong-sex", Rule::Animal(parent_wrong_sex))
        .row()
        .refuses()
        .means("The father is female or the mother is male.")
        .says("{parent} has the wrong sex for this parent.", "Пол {parent} не подходит этому родителю."),
    Check::fix("parent-younger", Rule::Animal(parent_younger))
        .row()
        .refuses()
        .means("A parent is not older than the animal.")
        .says("{parent} is born on {born}, not before the animal ({birth}).", "{parent}: дата рождения {born}, не раньше животного ({birth})."),
    Check::fix("parent-age-implausible", Rule::Animal(parent_age_implausible))
        .row()
        .limits(&[Key::ParentAgeMinMonths, Key::ParentAgeMaxYears])
        .means("A parent was younger than *parentAgeMinMonths* or older than *parentAgeMaxYears* at the birth. A bull whose semen is kept has no highest age: frozen semen outlives him.")
        .says("{parent} was {months} {months:month/months} old at the birth.", "{parent}: возраст при рождении потомка {months} мес."),
    Check::fix("siblings-too-close", Rule::Animal(siblings_too_close))
        .limits(&[Key::GestationMinDays, Key::DuplicateDays])
        .means("Two animals of one mother are born less than *gestationMinDays* apart. Births within *duplicateDays* are one calving; calves of embryos are left out. Reported for the younger one.")
        .says("{other}, of the same mother, is born {days} {days:day/days} before.", "{other} от той же матери рождён(а) за {days} {days:день/дня/дней} до этого."),
    Check::note("father-disposed-before", Rule::Animal(father_disposed_before))
        .row()
        .limits(&[Key::GestFixMax])
        .means("The father died or was slaughtered more than *gestFixMax* days before the birth. Bulls whose semen is kept are left out.")
        .says("The father {parent} left on {left}, before the conception.", "Отец {parent} выбыл {left}, до зачатия."),
    Check::note("no-parents", Rule::Animal(no_parents))
        .row()
        .means("Neither parent is known, as an animal of the book or by the pedigree text. Archived ancestors need none.")
        .says("Both parents are unknown.", "Оба родителя неизвестны."),
    Check::fix("pedigree-text-mismatch", Rule::Animal(pedigree_text_mismatch))
        .row()
        .means("The pedigree text names another father, mother, father's father or mother's father than the parents of the book are. Numbers are compared without spaces, signs and leading zeros, with every number of the relative; names only where the text has no number.")
        .says("The pedigree text says {text}, the book has {parent}.", "В тексте родословной {text}, в книге {parent}."),
    Check::both("blood-vs-parents", Rule::Animal(blood_vs_parents))
        .row()
        .limits(&[Key::BloodNote, Key::BloodFix])
        .means("The share of blood is more than *bloodNote* away from the mean of the parents; beyond *bloodFix* it must be corrected.")
        .says("The share of blood is {blood} %, the mean of the parents {mean} %.", "Кровность {blood} %, среднее родителей {mean} %."),
    Check::note("inbreeding-mismatch", Rule::Animal(inbreeding_mismatch))
        .limits(&[Key::InbreedingTolerance])
        .means("The kept inbreeding is more than *inbreedingTolerance* away from the one that the pedigree of today gives.")
        .says("Inbreeding is kept as {kept} %, the pedigree gives {computed} %.", "Инбридинг записан {kept} %, по родословной {computed} %."),
    Check::fix("high-inbreeding", Rule::Animal(high_inbreeding))
        .row()
        .limits(&[Key::InbreedingHigh])
        .means("Inbreeding is above *inbreedingHigh*.")
        .says("Inbreeding is {inbreeding} %, allowed are {limit} %.", "Инбридинг {inbreeding} %, допустимо {limit} %."),
    Check::fix("dna-parentage-excluded", Rule::Animal(dna_parentage_excluded))
        .row()
        .means("A DNA test excluded a parent that is still recorded.")
        .says("A DNA test excluded this parent.", "ДНК-тест исключил этого родителя."),
    Check::note("birth-without-dam-calving", Rule::Animal(birth_without_dam_calving))
        .means("The mother has calvings, but none within 3 days of the birth. Calves of embryos are left out.")
        .says("The mother {parent} has no calving at the birth ({birth}).", "У матери {parent} нет отёла на дату рождения ({birth})."),
    Check::note("father-vs-insemination", Rule::Animal(father_vs_insemination))
        .limits(&[Key::GestFixMin, Key::GestFixMax])
        .means("The mother was served *gestFixMin* to *gestFixMax* days before the birth, but never by the recorded father. Calves of embryos, and mothers served by a bull that is known by name only, are left out.")
        .says("The mother was served by another bull than the father {parent} ({services} {services:service fits/services fit}).", "Мать осеменяли не отцом {parent} (подходящих осеменений: {services})."),
    Check::fix("haplotype-conflict", Rule::Animal(haplotype_conflict))
        .row()
        .means("A living animal has two copies of a lethal haplotype; or the result contradicts the parents: a copy from two free parents, two copies from a free one, none from a parent with two.")
        .says("The haplotype result does not fit: {english}.", "Результат по гаплотипу противоречив: {russian}."),
    Check::note("coat-vs-parents", Rule::Animal(coat_vs_parents))
        .row()
        .means("Red is recessive: a red animal has no parent that was tested free of red, and two red parents have no black calf.")
        .says("The coat does not fit: {english}.", "Масть противоречива: {russian}."),
    Check::note("pedigree-depth-low", Rule::Animal(pedigree_depth_low))
        .row()
        .limits(&[Key::DepthMin])
        .means("The category of the book asks for a whole pedigree, and fewer than *depthMin* generations are known.")
        .says("{depth} generations are known, the category asks for {limit}.", "Известно поколений: {depth}, категория требует {limit}."),
];

/// The parents that are known with their rows.
fn parents<'a>(passport: &Passport, context: &'a Context) -> impl Iterator<Item = (&'static str, &'a Passport)> {
    let of = [("father", passport.father), ("mother", passport.mother)];
    of.into_iter().filter_map(|(path, id)| Some((path, context.kin(id)?)))
}

fn self_parent(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    let own = Some(passport.id);
    if passport.father == own {
        reporter.report(animal.at("father"), []);
    }
    if passport.mother == own || (passport.mother.is_some() && passport.mother == passport.father) {
        reporter.report(animal.at("mother"), []);
    }
}

fn parent_wrong_sex(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    for (path, parent) in parents(&animal.passport, context) {
        if parent.male != (path == "father") {
            reporter
                .resting_on([(parent.id, Visibility::Identity)])
                .report(animal.at(path), [("parent", parent.called().into())]);
        }
    }
}

fn parent_younger(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    for (path, parent) in parents(&animal.passport, context) {
        let births = parent.birth.zip(animal.passport.birth);
        if let Some((born, birth)) = births.filter(|(born, birth)| born >= birth) {
            let values = [("parent", parent.called().into()), ("born", born.into()), ("birth", birth.into())];
            reporter.resting_on([(parent.id, Visibility::Identity)]).report(animal.at(path), values);
        }
    }
}

fn parent_age_implausible(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let (least, most) = (reporter.limit(Key::ParentAgeMinMonths), reporter.limit(Key::ParentAgeMaxYears) * 12.0);
    for (path, parent) in parents(&animal.passport, context) {
        // One that is not older at all is another check's.
        let births = parent.birth.zip(animal.passport.birth).filter(|(born, birth)| born < birth);
        let Some(months) = births.map(|(born, birth)| birth.months_since(born)) else {
            continue;
        };
        if months < least || (months > most && !(parent.male && parent.semen)) {
            let values = [("parent", parent.called().into()), ("months", months.into())];
            // Of an old bull the finding also reveals that no semen of his is stored.
            let visibility = match parent.male && months > most {
                true => Visibility::Row,
                false => Visibility::Identity,
            };
            reporter.resting_on([(parent.id, visibility)]).report(animal.at(path), values);
        }
    }
}

/// The children that she carried herself, by their births.
fn children<'a>(mother: &Animal, context: &'a Context) -> Vec<(Day, &'a Passport)> {
    let children = mother.children.iter().filter_map(|id| context.kin(Some(*id)));
    let born = children.filter(|child| !child.embryo).filter_map(|child| Some((child.birth?, child)));
    let mut children: Vec<(Day, &Passport)> = born.collect();
    children.sort_by_key(|(birth, child)| (*birth, child.id));
    children
}

fn siblings_too_close(mother: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let (one, gestation) = (reporter.days(Key::DuplicateDays), reporter.limit(Key::GestationMinDays));
    // The first and the latest child of the calving before.
    let mut before: Option<(Day, &Passport)> = None;
    let mut of_calving: Option<Day> = None;
    for (birth, child) in children(mother, context) {
        if of_calving.is_some_and(|first| birth.since(first) <= one) {
            continue;
        }
        if let Some((day, other)) = before {
            let days = birth.since(day);
            if exact(days) < gestation {
                let values = [("other", other.called().into()), ("days", days.into())];
                let others = [(other.id, Visibility::Card), (mother.passport.id, Visibility::Row)];
                reporter.resting_on(others).report(child.at("birthDate"), values);
            }
        }
        before = Some((birth, child));
        of_calving = Some(birth);
    }
}

fn father_disposed_before(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let most = reporter.days(Key::GestFixMax);
    let Some(father) = context.kin(animal.passport.father).filter(|father| !father.semen) else {
        return;
    };
    let gone = matches!(father.state, State::Culled | State::Dead);
    let days = father.disposal.filter(|_| gone).zip(animal.passport.birth);
    if let Some((left, _)) = days.filter(|(left, birth)| birth.since(*left) > most) {
        let values = [("parent", father.called().into()), ("left", left.into())];
        reporter.resting_on([(father.id, Visibility::Card)]).report(animal.at("father"), values);
    }
}

fn no_parents(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    let text = [&passport.pedigree_text.father, &passport.pedigree_text.mother];
    let has_text = text.iter().any(|one| one.number.is_some() || one.name.is_some());
    let has_parents = passport.father.is_some() || passport.mother.is_some() || has_text;
    if !has_parents && !passport.archived {
        reporter.report(animal.at("father"), []);
    }
}

fn pedigree_text_mismatch(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let (passport, text) = (&animal.passport, &animal.passport.pedigree_text);
    let (father, mother) = (context.kin(passport.father), context.kin(passport.mother));
    let of = |parent: Option<&Passport>| context.kin(parent.and_then(|parent| parent.father));
    let number = |number: &Option<String>| AncestorText { number: number.clone(), name: None };
    let lines = [
        ("pedigreeText.fatherId", None, father, text.father.clone()),
        ("pedigreeText.motherId", None, mother, text.mother.clone()),
        ("pedigreeText.fatherFatherId", father, of(father), number(&text.fathers_father)),
        ("pedigreeText.motherFatherId", mother, of(mother), number(&text.mothers_father)),
    ];
    for (path, between, relative, ancestor) in lines {
        let Some(relative) = relative else { continue };
        if let Some(text) = other_than(&ancestor, relative) {
            let values = [("text", text.into()), ("parent", relative.called().into())];
            let others = between.into_iter().chain([relative]);
            reporter.resting_on(others.map(|other| (other.id, Visibility::Card))).report(animal.at(path), values);
        }
    }
}

/// What the text says, where it is somebody else.
fn other_than<'a>(ancestor: &'a AncestorText, relative: &Passport) -> Option<&'a str> {
    if let Some(number) = ancestor.number.as_deref() {
        let wanted = bare(number);
        let mut own = std::iter::once(&relative.number).chain(&relative.other_numbers);
        return (!wanted.is_empty() && !own.any(|own| bare(own) == wanted)).then_some(number);
    }
    let name = ancestor.name.as_deref().filter(|_| !relative.names.is_empty())?;
    let same = |own: &String| own.trim().to_lowercase() == name.trim().to_lowercase();
    (!relative.names.iter().any(same)).then_some(name)
}

/// A number without spaces, signs and leading zeros.
fn bare(number: &str) -> String {
    let bare: String = number.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    bare.trim_start_matches('0').to_owned()
}

fn blood_vs_parents(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let of = |id| context.kin(id).and_then(|parent| Some((parent.id, parent.blood?)));
    let parents = of(animal.passport.father).zip(of(animal.passport.mother));
    let Some(((sire, father), (dam, mother))) = parents else {
        return;
    };
    let Some(blood) = animal.passport.blood else {
        return;
    };
    let mean = f64::midpoint(father, mother);
    let off = (blood - mean).abs();
    if off > reporter.limit(Key::BloodNote) {
        let beyond = off > reporter.limit(Key::BloodFix);
        let others = [(sire, Visibility::Card), (dam, Visibility::Card)];
        let values = [("blood", blood.into()), ("mean", mean.into())];
        reporter.resting_on(others).grave(beyond, animal.at("bloodPercent"), values);
    }
}

fn inbreeding_mismatch(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let both = animal.passport.inbreeding.zip(animal.passport.computed_inbreeding);
    let most = reporter.limit(Key::InbreedingTolerance);
    if let Some((stored, computed)) = both.filter(|(stored, computed)| (stored - computed).abs() > most) {
        let values = [("kept", stored.into()), ("computed", computed.into())];
        reporter.report(animal.at("inbreeding"), values);
    }
}

fn high_inbreeding(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::InbreedingHigh);
    let inbreeding = animal.passport.computed_inbreeding.or(animal.passport.inbreeding);
    if let Some(inbreeding) = inbreeding.filter(|inbreeding| *inbreeding > limit) {
        let values = [("inbreeding", inbreeding.into()), ("limit", limit.into())];
        reporter.report(animal.at("inbreeding"), values);
    }
}

fn dna_parentage_excluded(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    if passport.father_excluded && passport.father.is_some() {
        reporter.report(animal.at("father"), []);
    }
    if passport.mother_excluded && passport.mother.is_some() {
        reporter.report(animal.at("mother"), []);
    }
}

fn birth_without_dam_calving(mother: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    if mother.births().next().is_none() {
        return;
    }
    for (birth, child) in children(mother, context) {
        let near = |day: Day| day.since(birth).abs() <= BIRTH_DAYS;
        if !mother.births().any(|calving| near(calving.day)) {
            let values = [("parent", mother.passport.called().into()), ("birth", birth.into())];
            reporter.resting_on([(mother.passport.id, Visibility::Events)]).report(child.at("mother"), values);
        }
    }
}

fn father_vs_insemination(mother: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let (least, most) = (reporter.days(Key::GestFixMin), reporter.days(Key::GestFixMax));
    for (birth, child) in children(mother, context) {
        let Some(father) = child.father else { continue };
        let fits = |from: Day, to: Day| birth.since(to) <= most && birth.since(from) >= least;
        // A run with the bull fits if any of its days does.
        let fitting = mother
            .services
            .iter()
            .filter(|service| fits(service.day, service.end.unwrap_or(service.day)) && !service.embryo);
        let bulls: Vec<Option<i64>> = fitting.map(|service| service.bull).collect();
        let other = !bulls.is_empty() && bulls.iter().all(|bull| bull.is_some_and(|bull| bull != father));
        if let Some(father) = context.kin(Some(father)).filter(|_| other) {
            let values = [("parent", father.called().into()), ("services", bulls.len().into())];
            let others = [(father.id, Visibility::Identity), (mother.passport.id, Visibility::Events)];
            reporter.resting_on(others).report(child.at("father"), values);
        }
    }
}

fn haplotype_conflict(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    use Copies::{Carrier, Free, Homozygous};
    let passport = &animal.passport;
    let (father, mother) = (context.kin(passport.father), context.kin(passport.mother));
    for haplotype in &passport.haplotypes {
        let of = |parent: Option<&Passport>| parent.and_then(|parent| parent.copies(haplotype.kind));
        let parents = [of(father), of(mother)];
        let has = |copies| parents.contains(&Some(copies));
        let alone = haplotype.copies == Homozygous && haplotype.lethal && passport.state == State::Alive;
        let words = match haplotype.copies {
            _ if alone => ("two copies are lethal, and the animal lives", "две копии летальны, а животное живо"),
            Homozygous if has(Free) => ("two copies, but a parent is free", "две копии, а родитель свободен"),
            Carrier if parents == [Some(Free); 2] => {
                ("a copy, but both parents are free", "есть копия, а оба родителя свободны")
            }
            Free if has(Homozygous) => ("no copy, but a parent has two", "копии нет, а у родителя две"),
            _ => continue,
        };
        let others = [father, mother].into_iter().flatten().filter(|_| !alone);
        let others = others.map(|parent| (parent.id, Visibility::Card));
        let values = [("english", words.0.into()), ("russian", words.1.into())];
        reporter.resting_on(others).report(animal.at("haplotypes"), values);
    }
}

fn coat_vs_parents(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    let parents: Vec<&Passport> = parents(passport, context).map(|(_, parent)| parent).collect();
    let free = |parent: &&Passport| parent.haplotypes.iter().any(|h| h.red && h.copies == Copies::Free);
    let red = |parent: &&Passport| parent.coat == Some(Coat::Red);
    let words = match passport.coat {
        Some(Coat::Red) if parents.iter().any(free) => (
            "it is red, and a parent was tested free of red",
            "животное красное, а родитель проверен и свободен от красной масти",
        ),
        Some(Coat::Black) if parents.iter().filter(|parent| red(parent)).count() == 2 => {
            ("it is black, and both parents are red", "животное чёрное, а оба родителя красные")
        }
        _ => return,
    };
    let others = parents.iter().map(|parent| (parent.id, Visibility::Card));
    let values = [("english", words.0.into()), ("russian", words.1.into())];
    reporter.resting_on(others).report(animal.at("coatColor"), values);
}

fn pedigree_depth_low(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::DepthMin);
    let needed = animal.passport.needs_pedigree && !animal.passport.archived;
    let depth = animal.passport.pedigree_depth.filter(|_| needed);
    if let Some(depth) = depth.filter(|depth| *depth < limit) {
        let values = [("depth", depth.into()), ("limit", limit.into())];
        reporter.report(animal.at("category"), values);
    }
}
