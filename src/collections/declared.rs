//! The declarations as a whole.

use super::{build, registry};
use crate::registry::{Kind, Writer};

#[test]
fn the_declarations_have_no_faults() {
    assert_eq!(build().map(|_| ()), Ok(()));
    assert_eq!(registry().unwrap().iter().count(), 31);
}

#[test]
fn the_declarations_are_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("registry", registry().unwrap().dump()));
}

#[test]
fn every_field_says_what_it_means() {
    for c in registry().unwrap().iter() {
        assert!(!c.doc.is_empty(), "{}", c.slug);
        for f in &c.fields {
            let subs: &[_] = match &f.kind {
                Kind::Rows(subs) => subs,
                _ => &[],
            };
            let stamp = f.writer == Writer::Server && f.path.ends_with("At");
            for f in std::iter::once(f).chain(subs) {
                assert!(stamp || !f.doc.is_empty(), "{}.{}", c.slug, f.path);
            }
        }
    }
}
