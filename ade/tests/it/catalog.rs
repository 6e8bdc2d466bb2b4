//! The catalogue is whole and leads where it should.

use ade::catalog::{Catalog, Filter, Verb};
use ade::schema::Standard;

#[test]
fn the_embedded_file_has_no_faults() {
    assert_eq!(Catalog::get().faults(), Vec::<String>::new());
    assert_eq!(Catalog::get().collections().len(), 73);
}

#[test]
fn all_resources_and_second_names_exist() {
    for one in Catalog::get().collections() {
        assert!(Standard::get().resource(&one.resource).is_some(), "{}: {}", one.name, one.resource);
        assert!(!one.verbs.is_empty(), "{}", one.name);
        for filter in &one.required {
            assert!(one.filters.contains(filter), "{}", one.name);
        }
        assert!(one.may_add.iter().all(|filter| !one.filters.contains(filter)), "{}", one.name);
        if let Some(same) = &one.same_as {
            let other = Catalog::get().collection(same).unwrap_or_else(|| panic!("{}: {same}", one.name));
            assert_eq!(other.resource, one.resource);
            assert_eq!(other.same_as, None);
        }
        for declared in [&one.declared.post, &one.declared.answer].into_iter().flatten() {
            assert!(Standard::get().declaration(declared).is_some(), "{}: {declared}", one.name);
        }
    }
}

#[test]
fn irregularities_speak_of_things_that_exist() {
    for one in Catalog::get().irregularities() {
        for subject in one.subject.split(", ").filter(|subject| subject.starts_with("icar")) {
            assert!(Standard::get().declaration(subject).is_some(), "{subject}");
        }
        assert!(one.reading.ends_with('.') || one.reading.ends_with(')'), "{}", one.reading);
    }
}

#[test]
fn older_spellings_lead_to_the_collection() {
    for (old, new) in [
        ("lactation-status", "lactation-status-observations"),
        ("repro-status", "repro-status-observations"),
        ("dry-offs", "drying-offs"),
        ("do-not-breed", "do-not-breeds"),
        ("repro-embyro-flushings", "repro-embryo-flushings"),
    ] {
        assert_eq!(Catalog::get().collection(old).map(|one| one.name.as_str()), Some(new));
    }
    assert_eq!(Catalog::get().collection("Births"), None);
}

#[test]
fn batch_names_lead_to_the_collection() {
    for (batch, name) in [
        ("births", "births"),
        ("embryo-flushings", "repro-embryo-flushings"),
        ("medicine-inventory-transactions", "medicine-transaction"),
        ("medicine-transactions", "medicine-inventory-transactions"),
        ("feed-transactions", "feed-transactions"),
        ("dry-offs", "drying-offs"),
    ] {
        assert_eq!(Catalog::get().batch(batch).map(|one| one.name.as_str()), Some(name), "{batch}");
    }
    assert_eq!(Catalog::get().batch("breeding-values"), None);
    assert_eq!(Catalog::get().batch("type-classifications"), None);
}

#[test]
fn entries_tell_paths_verbs_and_parameters() {
    let weights = Catalog::get().collection("weights").expect("a collection");
    assert_eq!(weights.path(), "/locations/{location-scheme}/{location-id}/weights");
    assert_eq!(weights.batch_path().as_deref(), Some("/batches/locations/{location-scheme}/{location-id}/weights"));
    assert!(weights.allows(Verb::Post) && !weights.allows(Verb::Delete));
    let parameters: Vec<_> = weights.parameters().collect();
    assert_eq!(parameters, ["meta-modified-from", "meta-modified-to", "animal-scheme", "animal-id"]);
    let metrics = Catalog::get().collection("observation-summary-metrics").expect("a collection");
    assert_eq!(metrics.required, [Filter::Duration]);
    let locations = Catalog::get().collection("locations").expect("a collection");
    assert_eq!((locations.path().as_str(), locations.batch_path()), ("/locations", None));
    let names: Vec<_> =
        Catalog::get().of_resource("icarGroupFeedingEventResource").map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["group-feeding", "group-feedings"]);
}

/// The animal filter on these can match nothing; a server has to know.
#[test]
fn only_three_resources_take_an_animal_but_have_none() {
    let mut without: Vec<_> = Catalog::get()
        .collections()
        .iter()
        .filter(|one| one.filters.contains(&Filter::Animal))
        .filter(|one| Standard::get().resolve_path(&one.resource, "animal").is_none())
        .map(|one| one.resource.as_str())
        .collect();
    without.sort_unstable();
    assert_eq!(
        without,
        ["icarMedicineTransactionResource", "icarReproEmbryoFlushingEventResource", "icarTestDayResource"]
    );
}

#[test]
fn members_that_answer_filters_exist_and_every_filter_is_answered() {
    let (catalog, standard) = (Catalog::get(), Standard::get());
    let has = |resource: &str, member: &str| standard.resolve_path(resource, member).is_some();
    for answer in catalog.answers() {
        for member in &answer.members {
            let mut all = catalog.collections().iter();
            assert!(all.any(|c| has(&c.resource, member)), "{member}");
        }
        if let Some(codes) = &answer.codes {
            let values = standard.enum_values(codes).expect("an enumeration");
            for now in answer.older.values() {
                assert!(values.contains(&now.as_str()), "{now}");
            }
        }
    }
    for one in catalog.collections() {
        for filter in one.all_filters() {
            // Every collection has the filters for times of change and the animal; resources that
            // they cannot match are stated as irregular.
            if [Filter::Modified, Filter::Animal].contains(&filter) {
                continue;
            }
            if filter == Filter::Dates && has(&one.resource, "eventDateTime") {
                continue;
            }
            let names = filter.parameters().iter().copied();
            let names = names.filter(|name| !(filter.is_pair() && name.ends_with("-scheme")));
            for parameter in names {
                let answer = catalog.answer(parameter).expect(parameter);
                let answered = answer.members.iter().any(|m| has(&one.resource, m));
                assert!(answered, "{}: {parameter}", one.name);
            }
        }
    }
}
