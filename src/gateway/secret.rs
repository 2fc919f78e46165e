//! Secrets: never shown, compared in constant time.

use std::fmt;
use subtle::ConstantTimeEq;

/// A token or key that an operator set. `Debug` does not show it and there is no `Display`.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps the text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// Whether `candidate`, which a caller sent, is the secret. The time taken depends on the lengths, not on where
    /// the texts first differ.
    ///
    /// ```
    /// use a2a_compat::gateway::Secret;
    /// let token = Secret::new("correct horse");
    /// assert!(token.matches("correct horse"));
    /// assert!(!token.matches("correct house"));
    /// ```
    pub fn matches(&self, candidate: &str) -> bool {
        self.0.as_bytes().ct_eq(candidate.as_bytes()).into()
    }

    /// The text, for the one place that needs it (a signer, a header that is sent).
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_matches() {
        let secret = Secret::new("s3cret");
        assert!(secret.matches("s3cret"));
        for other in ["", "s3cre", "s3cret ", "S3cret", "s3creu", "s3crets3cret"] {
            assert!(!secret.matches(other), "{other:?}");
        }
    }

    #[test]
    fn a_secret_is_not_shown_by_debug() {
        assert!(!format!("{:?}", Secret::new("s3cret")).contains("s3cret"));
    }
}
