//! The byte boundary of the npm package: bytes in a reusable input buffer, bytes out where they lie.
//!
//! JavaScript asks for room with [`input`], writes its bytes there and calls one of the operations with their length.
//! The result lies at [`result_ptr`], [`result_len`] bytes long, until the next call: read in place or copied, as the
//! caller likes. Memory may have grown in any call, so views are made after it. Numbers stand for names:
//!
//! | number | meaning |
//! |---|---|
//! | version | 0 is v0.3, 1 is v1.0 |
//! | dialect | 0 is J3, 1 is R3, 2 is P1: the columns of the entity tables |
//! | operation, shape | as [`operation`] and [`shape`] give them for a name |
//! | mode | 0 is a request, 1 a result: whose fault malformed input is |
//!
//! A number that is none of these counts as [`REFUSED`]. If an operation traps, the next call begins afresh; streams
//! that were open are gone.

mod state;

use crate::bridge::End;
use crate::entity::shape_named;
use crate::protocol::Operation;
use state::{State, with};
use wasm_bindgen::prelude::wasm_bindgen;

/// The call could not be done: the result is the error, or nothing if a number was wrong.
pub const REFUSED: i32 = -1;

/// The value has no place in the target's version and is to be left out (RULES 7.22).
pub const DROPPED: i32 = 1;

/// Room for `len` input bytes: where to write them. Valid until the next call.
#[wasm_bindgen]
pub fn input(len: usize) -> *mut u8 {
    with(|state| state.room(len))
}

/// Where the last result lies.
#[wasm_bindgen]
pub fn result_ptr() -> *const u8 {
    with(|state| state.result().as_ptr())
}

/// How many bytes the last result has.
#[wasm_bindgen]
pub fn result_len() -> usize {
    with(|state| state.result().len())
}

/// How many losses the last call has to report; of a stream, all so far, once per code.
#[wasm_bindgen]
pub fn notice_count() -> usize {
    with(|state| state.notices().len())
}

/// Makes those losses the result, as JSON: `[{"code", "path", "outputPath", "level"}]`. Call it when the result has
/// been taken.
#[wasm_bindgen]
pub fn notices() {
    with(State::write_notices);
}

/// The number of the operation whose name, or JSON-RPC method in either version, is in the input; [`REFUSED`] for
/// other names.
#[wasm_bindgen]
pub fn operation(len: usize) -> i32 {
    with(|state| {
        let Ok(name) = std::str::from_utf8(state.input(len)) else { return REFUSED };
        let method = Operation::from_json_rpc(name).map(|(operation, _)| operation);
        Operation::ALL
            .iter()
            .position(|operation| operation.as_str() == name || Some(*operation) == method)
            .map_or(REFUSED, |index| index as i32)
    })
}

/// The number of the shape whose name is in the input (`part`, `task`, `agent_card` …); [`REFUSED`] for other names.
#[wasm_bindgen]
pub fn shape(len: usize) -> i32 {
    with(|state| {
        let name = std::str::from_utf8(state.input(len)).ok();
        let Some((name, shape)) = name.and_then(|name| Some((name.to_owned(), shape_named(name)?))) else {
            return REFUSED;
        };
        state.shape_number(name, shape)
    })
}

/// Translates the JSON-RPC request in the input from version `from` to the other. Gives its operation; or [`REFUSED`],
/// and the result is the answer for the client.
#[wasm_bindgen]
pub fn request(len: usize, from: u32) -> i32 {
    with(|state| state.request(len, from))
}

/// Translates an agent's JSON-RPC answer from version `from` to the other; the id is the agent's. 0 for a result;
/// [`REFUSED`] for an error, which is the result then, in the shape of the other version.
#[wasm_bindgen]
pub fn answer(len: usize, operation: u32, from: u32) -> i32 {
    with(|state| state.answer(len, operation, from))
}

/// Translates one object. 0, [`DROPPED`], or [`REFUSED`] with `{"code", "message"}` as the result.
#[wasm_bindgen]
pub fn object(len: usize, shape: u32, from: u32, to: u32, mode: u32) -> i32 {
    with(|state| state.object(len, shape, from, to, mode))
}

/// Opens the translation of a stream of JSON-RPC server-sent events from version `from` to the other. The input is the
/// JSON text of the client's id, `max_event_bytes` the size at which an event is refused. Gives the stream's number,
/// to be closed with [`stream_free`].
#[wasm_bindgen]
pub fn stream(len: usize, operation: u32, from: u32, max_event_bytes: usize) -> i32 {
    with(|state| state.open_stream(len, operation, from, max_event_bytes))
}

/// Gives a stream the next bytes from the agent; the result is what is ready for the client. 0, or 1 once the client's
/// stream is over and the agent's should be cancelled.
#[wasm_bindgen]
pub fn stream_push(stream: u32, len: usize) -> i32 {
    with(|state| state.push(stream, len))
}

/// Milliseconds after which [`stream_woke`] is due if nothing has come by then; −1 for never. Ask after each push.
#[wasm_bindgen]
pub fn stream_wake_after(stream: u32) -> i32 {
    with(|state| state.wake_after(stream))
}

/// The time of [`stream_wake_after`] has passed; result and value as for [`stream_push`].
#[wasm_bindgen]
pub fn stream_woke(stream: u32) -> i32 {
    with(|state| state.woke(stream))
}

/// The agent's stream has ended: properly, or `broken` off. Result and value as for [`stream_push`].
#[wasm_bindgen]
pub fn stream_finish(stream: u32, broken: bool) -> i32 {
    with(|state| state.finish(stream, if broken { End::Broken } else { End::Closed }))
}

/// Forgets a stream. Its number may be given out again.
#[wasm_bindgen]
pub fn stream_free(stream: u32) {
    with(|state| state.free(stream));
}
