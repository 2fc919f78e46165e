//! One exchange, sans-IO: a client's request in, calls to the agent out, the client's answer out.

mod exchange;
mod stream;

pub use exchange::{
    AgentAnswer, Asked, Call, Exchange, Reply, Setup, Step, error_reply, wants_error_events, with_tenant,
};
pub use stream::{Budgets, End, HOLD_MS, Head, StreamSetup, StreamTranslator};
