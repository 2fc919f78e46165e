//! One exchange, sans-IO: a client's request in, calls to the agent out, the client's answer out.

mod stream;

pub use stream::{Budgets, End, HOLD_MS, Head, StreamSetup, StreamTranslator, task_event, write_error_event};
