//! Limits and budgets: one place that knows them.

use super::error::ConfigError;
use super::value::Vars;

/// How much and how long the gateway takes part. Times are milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// `MAX_BODY_BYTES`: the longest body that is read, of a client or of an agent, in bytes.
    pub max_body_bytes: usize,
    /// `MAX_EVENT_BYTES`: the longest event of a translated stream, in bytes.
    pub max_event_bytes: usize,
    /// `UPSTREAM_TIMEOUT_SECONDS`: how long to wait for an agent's response headers.
    pub upstream_timeout_ms: u64,
    /// `CARD_TTL_SECONDS`: how long an agent's card is trusted; 0 reads it for every request.
    pub card_ttl_ms: u64,
    /// `STREAM_IDLE_SECONDS`: how long a stream may be silent.
    pub stream_idle_ms: Option<u64>,
    /// `STREAM_MAX_SECONDS`: how long a stream may last.
    pub stream_max_ms: Option<u64>,
    /// `STREAM_MAX_BYTES`: how many bytes an agent may send in one stream.
    pub stream_max_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_body_bytes: 10 << 20,
            max_event_bytes: 4 << 20,
            upstream_timeout_ms: 300_000,
            card_ttl_ms: 300_000,
            stream_idle_ms: None,
            stream_max_ms: None,
            stream_max_bytes: None,
        }
    }
}

impl Limits {
    /// The variables, else the defaults.
    pub(super) fn from_vars(vars: Vars<'_>) -> Result<Limits, ConfigError> {
        // What is held in memory at once: more than this does not fit beside its translation in a 32-bit address space.
        const MOST_HELD: u64 = 1 << 30;
        let held = |name, default| -> Result<usize, ConfigError> {
            Ok(vars.bytes(name, MOST_HELD)?.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(default))
        };
        let default = Limits::default();
        Ok(Limits {
            max_body_bytes: held("MAX_BODY_BYTES", default.max_body_bytes)?,
            max_event_bytes: held("MAX_EVENT_BYTES", default.max_event_bytes)?,
            upstream_timeout_ms: vars
                .milliseconds("UPSTREAM_TIMEOUT_SECONDS", 1)?
                .unwrap_or(default.upstream_timeout_ms),
            card_ttl_ms: vars.milliseconds("CARD_TTL_SECONDS", 0)?.unwrap_or(default.card_ttl_ms),
            stream_idle_ms: vars.milliseconds("STREAM_IDLE_SECONDS", 1)?,
            stream_max_ms: vars.milliseconds("STREAM_MAX_SECONDS", 1)?,
            stream_max_bytes: vars.bytes("STREAM_MAX_BYTES", u64::MAX)?,
        })
    }
}
