//! The one JSON line that is logged per request.

use crate::protocol::{Binding, Version};
use serde_json::{Map, Value};

/// What a request's log line says. It has no place for bodies, credentials or relay tokens: texts are names out of the
/// configuration and out of this crate.
#[derive(Clone, Debug)]
pub struct LogEntry<'a> {
    /// When the request arrived, in milliseconds since 1970.
    pub time_ms: u64,
    /// The agent's name; `None` for the agent at the root, or if the request is for none.
    pub agent: Option<&'a str>,
    /// The operation, or what else the request was for (`card`, `health`); `None` if that is not known.
    pub operation: Option<&'static str>,
    /// What the client speaks; `None` if that is not known.
    pub client: (Option<Version>, Option<Binding>),
    /// What the agent was asked in; `None` if it was not asked.
    pub upstream: Option<(Version, Binding)>,
    /// HTTP status of the response.
    pub status: u16,
    /// Codes of notices; repetitions are left out.
    pub notices: &'a [&'static str],
    /// What else an operator should know, such as that the agent's card states the wrong version.
    pub remarks: &'a [&'static str],
    /// How long it took until the response was complete, in milliseconds.
    pub duration_ms: u64,
}

impl LogEntry<'_> {
    /// The line, without a line break. Members that have nothing to say are left out, the order is fixed.
    pub fn to_json(&self) -> String {
        let mut line = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                line.insert(name.to_owned(), value);
            }
        };
        put("time", Some(rfc3339(self.time_ms).into()));
        put("agent", self.agent.map(Value::from));
        put("operation", self.operation.map(Value::from));
        put("clientVersion", self.client.0.map(|version| version.as_str().into()));
        put("clientBinding", self.client.1.map(|binding| binding.as_str().into()));
        put("upstreamVersion", self.upstream.map(|(version, _)| version.as_str().into()));
        put("upstreamBinding", self.upstream.map(|(_, binding)| binding.as_str().into()));
        put("status", Some(self.status.into()));
        put("notices", once(self.notices));
        put("remarks", once(self.remarks));
        put("ms", Some(self.duration_ms.into()));
        Value::Object(line).to_string()
    }
}

/// Each word once, in the order of first appearance; `None` for none.
fn once(words: &[&'static str]) -> Option<Value> {
    let mut kept: Vec<&str> = Vec::new();
    for word in words {
        if !kept.contains(word) {
            kept.push(word);
        }
    }
    (!kept.is_empty()).then(|| Value::from(kept))
}

/// Milliseconds since 1970 as `2026-05-04T03:02:01.000Z`.
fn rfc3339(time_ms: u64) -> String {
    let (days, ms) = (time_ms / 86_400_000, time_ms % 86_400_000);
    // Days to a date in the proleptic Gregorian calendar, counted in eras of 400 years that begin on 1 March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_everything_that_is_known_in_a_fixed_order() {
        let entry = LogEntry {
            time_ms: 1_777_863_721_004,
            agent: Some("billing"),
            operation: Some("SendMessage"),
            client: (Some(Version::V0_3), Some(Binding::JsonRpc)),
            upstream: Some((Version::V1_0, Binding::HttpJson)),
            status: 200,
            notices: &["metadata_dropped", "enum_unknown", "metadata_dropped"],
            remarks: &["wrong_version_in_card"],
            duration_ms: 17,
        };
        assert_eq!(
            entry.to_json(),
            concat!(
                r#"{"time":"2026-05-04T03:02:01.004Z","agent":"billing","operation":"SendMessage","#,
                r#""clientVersion":"0.3","clientBinding":"JSONRPC","#,
                r#""upstreamVersion":"1.0","upstreamBinding":"HTTP+JSON","status":200,"#,
                r#""notices":["metadata_dropped","enum_unknown"],"remarks":["wrong_version_in_card"],"ms":17}"#
            )
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let entry = LogEntry {
            time_ms: 0,
            agent: None,
            operation: None,
            client: (None, None),
            upstream: None,
            status: 404,
            notices: &[],
            remarks: &[],
            duration_ms: 0,
        };
        assert_eq!(entry.to_json(), r#"{"time":"1970-01-01T00:00:00.000Z","status":404,"ms":0}"#);
    }

    #[test]
    fn times_are_right_around_leap_days_and_year_ends() {
        for (ms, text) in [
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (1_735_689_600_000, "2025-01-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
        }
    }
}
