//! Slots of the fields that hooks work on: resolved once per collection, so that no row
//! costs a look-up by name. A name that is not declared stops whoever asks for the slots, and so the
//! tests of every hook; it is never read as empty. The crate `ingest` uses them too.

/// Fields of a collection that code works on.
pub trait FieldSet {
    /// Their paths, for a look-up that reads them all.
    const PATHS: &'static [&'static str];
}

/// Declares a struct of slots of one collection; a field whose path is its name stands alone:
/// `slots!(Rows of "weighings" { animal, date, number: "lactationNumber" });`.
#[macro_export]
macro_rules! slots {
    ($(#[$doc:meta])* $name:ident of $slug:literal { $($field:ident $(: $path:literal)?),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $(pub(crate) $field: usize,)*
        }

        impl $crate::collections::FieldSet for $name {
            const PATHS: &'static [&'static str] = &[$($crate::slots!(@path $field $($path)?)),*];
        }

        impl $name {
            /// The slots.
            pub(crate) fn get() -> &'static Self {
                static SLOTS: std::sync::OnceLock<$name> = std::sync::OnceLock::new();
                SLOTS.get_or_init(|| {
                    let registry = $crate::collections::registry().ok();
                    let collection = registry.and_then(|r| r.get($slug));
                    let at = |path: &str| {
                        let slot = collection.and_then(|c| c.slot(path));
                        assert!(slot.is_some(), "{} has no {path}", $slug);
                        slot.unwrap_or(usize::MAX)
                    };
                    Self { $($field: at($crate::slots!(@path $field $($path)?)),)* }
                })
            }
        }
    };
    (@path $field:ident $path:literal) => { $path };
    (@path $field:ident) => { stringify!($field) };
}
pub(super) use slots;
