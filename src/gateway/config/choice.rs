//! Settings with a fixed list of values.

use super::error::{ConfigError, shown};

/// A setting that takes one of a few words. The first is the default.
pub(super) trait Choice: Copy + 'static {
    /// Every word with its value.
    const WORDS: &'static [(&'static str, Self)];
}

/// Makes the enum, its words and its default from one list.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $(#[$first_doc:meta])* $first:ident = $first_word:literal,
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub enum $name {
            $(#[$first_doc])* #[default] $first,
            $($(#[$variant_doc])* $variant,)*
        }

        impl $crate::gateway::config::choice::Choice for $name {
            const WORDS: &'static [(&'static str, Self)] =
                &[($first_word, $name::$first), $(($word, $name::$variant),)*];
        }
    };
}
pub(super) use choice;

/// The value for a word; the error lists the words there are.
pub(super) fn choose<T: Choice>(variable: &str, word: &str) -> Result<T, ConfigError> {
    T::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = T::WORDS.iter().map(|(known, _)| *known).collect();
        ConfigError::new(
            variable,
            format!("is {}, which it does not take", shown(word)),
            format!("set it to one of {}, or leave it out", words.join(", ")),
        )
    })
}

impl Choice for bool {
    const WORDS: &'static [(&'static str, bool)] = &[("false", false), ("true", true)];
}
