//! The embedded notation is whole: no faults, all names resolve, paths lead where they should.

use ade::schema::{Body, PathKind, Section, Standard};

#[test]
fn the_embedded_files_have_no_faults() {
    assert_eq!(Standard::get().faults(), Vec::<String>::new());
}

#[test]
fn all_sections_are_complete() {
    let count = |section| Standard::get().declarations().iter().filter(|one| one.section == section).count();
    assert_eq!(count(Section::Resource), 79);
    assert_eq!(count(Section::Enum), 73);
    // 82 files, the geometry, and the two collection bodies that have no base.
    assert_eq!(count(Section::Type), 85);
    assert_eq!(count(Section::Collection), 66);
}

#[test]
fn every_resource_resolves_and_has_members() {
    for name in Standard::get().resources() {
        let one = Standard::get().resource(name).expect("found by its own name");
        assert_eq!(one.name, name);
        assert!(!Standard::get().members(name).expect("an object").is_empty(), "{name}");
    }
}

#[test]
fn misspellings_of_the_catalogue_are_accepted() {
    for (wrong, right) in [
        ("icarReproInsemonationEventResource", "icarReproInseminationEventResource"),
        ("icarTestDayResultResource", "icarTestDayResultEventResource"),
    ] {
        assert_eq!(Standard::get().resource(wrong).map(|one| one.name), Some(right));
    }
    assert_eq!(Standard::get().resource("icarAnimalGenderType"), None);
}

#[test]
fn no_code_list_repeats_a_code() {
    for one in Standard::get().declarations() {
        if let Body::Codes(codes) = &one.body {
            let mut once = codes.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), codes.len(), "{}", one.name);
        }
    }
}

#[test]
fn code_lists_are_found_by_name() {
    let codes = Standard::get().enum_values("icarAnimalGenderType").expect("a code list");
    assert!(codes.contains(&"Freemartin"));
    let families = Standard::get().enum_values("icarProductFamilyType").expect("a code list");
    assert!(families.contains(&"Seed and Plant Material"));
    assert_eq!(Standard::get().enum_values("icarWeightEventResource"), None);
}

#[test]
fn required_members_include_inherited_ones() {
    let of = |name| Standard::get().required_members(name).expect("an object");
    assert_eq!(of("icarWeightEventResource"), ["resourceType", "animal"]);
    assert_eq!(of("icarGroupFeedingEventResource"), ["resourceType", "groupMethod", "eventDateTime", "location"]);
    assert_eq!(of("icarTypeClassificationEventResource"), ["resourceType", "animal", "score", "traitScored"]);
}

#[test]
fn paths_step_through_types_and_arrays() {
    let find = |path| Standard::get().resolve_path("icarTestDayResultEventResource", path);
    let value = find("milkCharacteristics[].value").expect("a member");
    assert_eq!((value.kind, value.required, value.repeated, value.array), (PathKind::Text, true, true, false));
    let loose = find("milkCharacteristics.value").expect("a member");
    assert_eq!(loose, value);
    let whole = find("milkCharacteristics").expect("a member");
    assert_eq!(
        (whole.kind, whole.array, whole.repeated),
        (PathKind::Object("icarMilkCharacteristicsType"), true, false)
    );
    let element = find("milkCharacteristics[]").expect("an element");
    assert_eq!((element.array, element.repeated), (false, true));
    let unit = find("milkWeight24Hours.unitCode").expect("a member");
    assert_eq!((unit.kind, unit.required), (PathKind::Enum { name: "", codes: &["KGM"] }, true));
    for nowhere in ["", "milk", "milkWeight24Hours.unit", "milkWeight24Hours[]", "animal.id.x", "animal..id", "meta."] {
        assert_eq!(find(nowhere), None, "{nowhere}");
    }
}

#[test]
fn paths_tell_codes_nulls_and_official_spellings() {
    let find = |resource, path| Standard::get().resolve_path(resource, path).expect("a member");
    match find("icarMovementDeathEventResource", "disposalMethod").kind {
        PathKind::Enum { name, codes } => {
            assert_eq!(name, "icarDeathDisposalMethodType");
            assert!(codes.contains(&"Cremation"));
        }
        other => panic!("{other:?}"),
    }
    assert!(find("icarReproParturitionEventResource", "progenyDetails[].birthWeight").nullable);
    assert!(!find("icarReproParturitionEventResource", "progenyDetails[].birthWeight.measurement").nullable);
    let recommended = find("icarFeedRecommendationResource", "recommendationDateTime");
    assert_eq!((recommended.path.as_str(), recommended.kind), ("recommendationDateTime ", PathKind::DateTime));
    assert_eq!(find("icarTypeClassificationEventResource", "score").kind, PathKind::Any);
    assert_eq!(find("icarHealthStatusObservedEventResource", "meta.modified").kind, PathKind::DateTime);
}
