//! The error types of the crate. Each is one sentence for the person who caused it: what is wrong, where, and what would be
//! accepted.

use std::fmt;

macro_rules! sentence {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub String);
        impl $name {
            /// An error whose message is this sentence.
            pub fn new(sentence: impl Into<String>) -> Self {
                Self(sentence.into())
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::error::Error for $name {}
    )*};
}

sentence! {
    /// A game spec that names no game: an unknown parameter, a size out of range.
    BadParams,
    /// A text that is not a position of the game.
    BadPosition,
    /// A text that is not a legal move in the position, with the reason.
    IllegalMove,
    /// A text of rules that cannot be read, or whose examples break the rules.
    BadRulesText,
    /// A record that is damaged or does not replay.
    BadRecord,
}
