//! What is wrong with the configuration, in one sentence.

use std::fmt;

/// A variable that is wrong or missing. `Display` is the sentence to show to the operator: it names the variable, what
/// is wrong and what to do. It never contains a secret, nor a URL (which may contain one).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    variable: String,
    problem: String,
    remedy: String,
}

impl ConfigError {
    /// `problem` continues the variable's name ("is not a number"), `remedy` is an imperative ("set it to …").
    pub(super) fn new(
        variable: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ConfigError {
        ConfigError { variable: variable.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// The variable at fault; inside JSON with its path, `AGENTS.billing.offer`.
    pub fn variable(&self) -> &str {
        &self.variable
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}; {}.", self.variable, self.problem, self.remedy)
    }
}

impl std::error::Error for ConfigError {}

/// A harmless value for a message: quoted, escaped and at most 60 characters of it.
pub(super) fn shown(value: &str) -> String {
    const MOST: usize = 60;
    let mut start: String = value.chars().take(MOST).collect();
    if start.len() < value.len() {
        start.push('…');
    }
    format!("{start:?}")
}
