//! One exchange, sans-IO: a client's request in, calls to the agent out, the client's answer out.

mod exchange;
mod stream;

pub use exchange::{AgentAnswer, Call, Exchange, Reply, Setup, Step, wants_error_events};
pub use stream::{Budgets, End, HOLD_MS, Head, StreamSetup, StreamTranslator, task_event, write_error_event};
