//! Enums whose variants have names: `DropsLastItem` is `drops-last-item` in tables and on the command line.

macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$own:meta])* $name:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type {
            $($(#[$own])* $name,)*
        }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            #[must_use]
            pub fn name(self) -> String {
                $crate::named::name(&format!("{self:?}"))
            }

            #[must_use]
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}
pub(crate) use named;

pub(crate) fn name(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
