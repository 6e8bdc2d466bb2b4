//! Our validator says what a general one says with the official schemas: for valid documents and
//! mutations of them, over all declarations, verdict, places and kinds of faults are the same.

use std::collections::BTreeSet;

use crate::support::generate::Dice;
use ade::schema::{Section, Standard};
use ade::{FaultCode, validate};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, JsonType, ValidationError, Validator};
use serde_json::{Value, json};

const SEED: u64 = 1_5_1;

/// Place and kind of each fault.
type Faults = BTreeSet<(String, FaultCode)>;

fn ours(schema: &str, document: &Value) -> Faults {
    validate(schema, document)
        .into_iter()
        .map(|fault| match fault.code {
            FaultCode::NotObject => (fault.pointer, FaultCode::WrongType),
            code => (fault.pointer, code),
        })
        .collect()
}

fn theirs(validator: &Validator, document: &Value) -> Faults {
    let mut faults = Faults::new();
    for error in validator.iter_errors(document) {
        collect(&error, &mut faults);
    }
    // A text that is no text is not in the code list either: once is enough.
    let mistyped: BTreeSet<String> =
        faults.iter().filter(|(_, code)| *code == FaultCode::WrongType).map(|(at, _)| at.clone()).collect();
    faults.retain(|(at, code)| *code != FaultCode::NotInEnum || !mistyped.contains(at));
    faults
}

fn collect(error: &ValidationError<'_>, faults: &mut Faults) {
    let at = error.instance_path().to_string();
    let code = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().expect("a name").replace('~', "~0").replace('/', "~1");
            faults.insert((format!("{at}/{name}"), FaultCode::Missing));
            return;
        }
        // Null or something: what is wrong with the something.
        ValidationErrorKind::AnyOf { context } => {
            for inner in context.iter().flatten().filter(|inner| !wants_null(inner)) {
                collect(inner, faults);
            }
            return;
        }
        // The geometries: the case the document names is the one to look at.
        ValidationErrorKind::OneOfNotValid { context } => {
            let tag = format!("{at}/type");
            let cases = context.iter().map(|errors| {
                let mut found = Faults::new();
                errors.iter().for_each(|error| collect(error, &mut found));
                found
            });
            let cases: Vec<Faults> = cases.collect();
            let named = cases.iter().find(|found| !found.iter().any(|(place, _)| *place == tag));
            match (named, cases.first()) {
                (Some(named), _) => faults.extend(named.iter().cloned()),
                (None, Some(any)) => faults.extend(any.iter().filter(|(place, _)| *place == tag).cloned()),
                (None, None) => panic!("no cases"),
            }
            return;
        }
        ValidationErrorKind::Type { .. } => FaultCode::WrongType,
        ValidationErrorKind::Enum { .. } => FaultCode::NotInEnum,
        ValidationErrorKind::Format { .. } => FaultCode::BadFormat,
        ValidationErrorKind::Minimum { .. } => FaultCode::BelowMinimum,
        ValidationErrorKind::Pattern { .. } => FaultCode::Pattern,
        ValidationErrorKind::MaxLength { .. } => FaultCode::TooLong,
        ValidationErrorKind::MinItems { .. } => FaultCode::TooFew,
        other => panic!("{other:?}"),
    };
    faults.insert((at, code));
}

fn wants_null(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::Type { kind: TypeKind::Single(JsonType::Null) })
}

#[test]
fn verdicts_places_and_kinds_agree_with_a_general_validator() {
    let Some(folder) = crate::support::official() else {
        return;
    };
    let mut bundle = crate::support::read(&folder.join("ade-1.5.bundle.json"));
    let seed = std::env::var("HERDBOOK_ADE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    println!("seed {seed} (HERDBOOK_ADE_SEED)");
    let mut dice = Dice(seed);
    let (mut documents, mut invalid) = (0, 0);
    for one in Standard::get().declarations() {
        let (originals, mutations) = match one.section {
            Section::Resource => (3, 12),
            Section::Type | Section::Collection => (2, 4),
            Section::Enum => (1, 1),
        };
        bundle.as_object_mut().expect("an object").insert("$ref".into(), json!(format!("#/$defs/{}", one.name)));
        let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
        let validator = options.build(&bundle).expect("a schema");
        for _ in 0..originals {
            let document = crate::support::generate::valid(one, &mut dice);
            assert_eq!(theirs(&validator, &document), Faults::new(), "{}: {document}", one.name);
            assert_eq!(ours(one.name, &document), Faults::new(), "{}: {document}", one.name);
            documents += 1;
            for _ in 0..mutations {
                let mut document = document.clone();
                let times = if dice.below(5) == 0 { 3 } else { 1 };
                (0..times).for_each(|_| crate::support::generate::mutate(&mut document, &mut dice));
                let found = ours(one.name, &document);
                assert_eq!(found, theirs(&validator, &document), "{}: {document}", one.name);
                assert_eq!(found.is_empty(), validator.is_valid(&document), "{}: {document}", one.name);
                documents += 1;
                invalid += usize::from(!found.is_empty());
            }
        }
    }
    println!("{documents} documents, {invalid} of them invalid");
    assert!(documents > 4_000, "only {documents} documents");
    assert!(invalid * 2 > documents, "only {invalid} of {documents} documents were invalid");
    assert!(invalid < documents, "no mutation was valid");
}
