//! The declarations as a whole.

use crate::collections::{Switches, build, registry, registry_with};
use model::registry::{Kind, Writer};

#[test]
fn the_declarations_have_no_faults() {
    for gradings_write in [false, true] {
        let built = build(Switches { gradings_write });
        assert_eq!(built.map(|_| ()), Ok(()));
    }
}

#[test]
fn switches_change_rules_and_nothing_else() {
    let dump = |switches| registry_with(switches).unwrap().dump();
    let (off, on) = (dump(Switches::default()), dump(Switches { gradings_write: true }));
    assert_eq!(off.lines().count(), on.lines().count());
    let changed: Vec<_> = (off.lines().zip(on.lines())).filter(|(off, on)| off != on).collect();
    let read = "  R EVENT(evaluation) · ";
    let (off, on) =
        (format!("{read}C NOBODY · U NOBODY · D NOBODY"), format!("{read}C OWN(DATA) · U OWN(DATA) · D OWN(DATA)"));
    assert_eq!(changed, [(off.as_str(), on.as_str())]);
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
