//! A stream on its way from the agent to the client (DESIGN "Streaming contract", PEERS "End of stream").

use crate::engine::{Context, Mode, Notice, Options, Slot};
use crate::entity::{A2aError, EventFacts, Payload, Shape, TaskState, event_facts, result_shape};
use crate::json::{Out, validate};
use crate::protocol::{Dialect, ErrorCode, Operation, Peer, Version};
use crate::translate::{Translator, error_of};
use crate::wire::client::{read_answer, read_event, reading_shape};
use crate::wire::rest::PeerError;
use crate::wire::server::{self, write_error_event};
use crate::wire::sse::{Item, Reader, begin_event, end_event, write_comment};

/// How long an interrupted status waits for what decides its `final`, in milliseconds.
pub const HOLD_MS: u64 = 150;

/// Limits of a stream; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// Longest silence of the agent in milliseconds.
    pub idle_ms: Option<u64>,
    /// Longest life of the stream in milliseconds; the loop arms this timer once, at the start.
    pub life_ms: Option<u64>,
    /// Most bytes that the agent may send.
    pub bytes: Option<u64>,
}

/// What a stream is for.
#[derive(Clone, Debug)]
pub struct StreamSetup {
    /// The operation the client asked for.
    pub operation: Operation,
    /// What the agent speaks.
    pub agent: Peer,
    /// What the client speaks.
    pub client: Peer,
    /// The client's JSON-RPC id token.
    pub id: Vec<u8>,
    /// An early error goes out as an event: `tasks/resubscribe`, and clients that accept nothing else.
    pub errors_as_events: bool,
    /// End at an interrupted status at once (peer profile `LEGACY_FINAL=interrupted`).
    pub interrupted_is_final: bool,
    /// The translation's options.
    pub options: Options,
    /// Largest event in bytes.
    pub max_event_bytes: usize,
    /// The stream's limits.
    pub budgets: Budgets,
}

/// How a stream from the agent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The agent closed it.
    Closed,
    /// The connection broke.
    Broken,
    /// Its life is over ([`Budgets::life_ms`]).
    Life,
}

/// What the client's response is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// Not known before something comes.
    Undecided,
    /// An event stream.
    Stream,
    /// The stream began with this error, and the client takes a plain answer.
    Error(PeerError),
    /// A v0.3 agent's stream began with an update: v1.0 wants this task first (RULES 5.15). Ask for it and call
    /// [`StreamTranslator::give_task`].
    NeedsTask(String),
}

/// Translates a stream event by event. Sans-IO: bytes in, bytes out, and a timer the loop arms.
pub struct StreamTranslator {
    setup: StreamSetup,
    shape: Shape,
    reader: Reader,
    translator: Translator,
    head: Head,
    /// The data and fields of an interrupted status whose `final` is not decided.
    held: Option<(Vec<u8>, Vec<u8>)>,
    /// Data and fields of the first events, and whether they are errors, while the task before them is asked for.
    waiting: Vec<(Vec<u8>, Vec<u8>, bool)>,
    drop_leading_task: bool,
    first_event: bool,
    ended: bool,
    /// Milliseconds waited since the last chunk.
    waited: u64,
    armed: u64,
    received: u64,
    /// Every loss so far, once per code.
    notices: Vec<Notice>,
}

impl StreamTranslator {
    /// A translator at the beginning of a stream.
    pub fn new(setup: StreamSetup) -> StreamTranslator {
        StreamTranslator {
            reader: Reader::new(setup.max_event_bytes),
            shape: reading_shape(setup.agent, setup.client, setup.operation),
            setup,
            translator: Translator::default(),
            head: Head::Undecided,
            held: None,
            waiting: Vec::new(),
            drop_leading_task: false,
            first_event: true,
            ended: false,
            waited: 0,
            armed: 0,
            received: 0,
            notices: Vec::new(),
        }
    }

    /// What the stream is for.
    pub fn setup(&self) -> &StreamSetup {
        &self.setup
    }

    /// The stream's limits.
    pub fn budgets(&self) -> Budgets {
        self.setup.budgets
    }

    /// What the client's response is to be, as far as it is known.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Decides for a stream although nothing has come: the headers have waited long enough.
    pub fn start_anyway(&mut self) {
        if self.head == Head::Undecided {
            self.head = Head::Stream;
        }
    }

    /// Whether the client's stream is over, whatever the agent goes on to send: the loop cancels the agent's.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Moves what is ready for the client into `to`.
    pub fn take_output(&mut self, to: &mut Vec<u8>) {
        to.append(&mut self.translator.out.bytes);
    }

    /// What is ready for the client, and forgets it.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.translator.out.bytes)
    }

    /// The output in place, for callers that copy it themselves; [`StreamTranslator::clear_output`] forgets it.
    pub fn peek_output(&self) -> &[u8] {
        &self.translator.out.bytes
    }

    /// Forgets the output but keeps its memory.
    pub fn clear_output(&mut self) {
        self.translator.out.bytes.clear();
    }

    /// Every loss so far, once per code.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Takes bytes from the agent.
    pub fn push(&mut self, chunk: &[u8]) {
        if self.ended {
            return;
        }
        self.waited = 0;
        self.received += chunk.len() as u64;
        if self.setup.budgets.bytes.is_some_and(|most| self.received > most) {
            let most = self.setup.budgets.bytes.unwrap_or_default();
            return self.end_with(&format!("The stream is longer than {most} bytes (STREAM_MAX_BYTES)"));
        }
        let mut reader = std::mem::replace(&mut self.reader, Reader::new(0));
        let read = reader.push(chunk, |item| {
            match item {
                Item::Comment(comment) => self.comment(comment),
                Item::Event(event) => {
                    let plain = !event.multi_line;
                    self.event(event.data, event.fields, event.name == b"error", plain);
                }
            }
            !self.ended
        });
        self.reader = reader;
        if let Err(too_long) = read {
            let limit = too_long.limit;
            self.end_with(&format!("The agent sent an event longer than {limit} bytes (MAX_EVENT_BYTES)"));
        }
    }

    /// How long the loop may wait for the agent, in milliseconds, before it calls [`StreamTranslator::woke`].
    pub fn wake_after(&mut self) -> Option<u64> {
        let hold = self.held.is_some().then(|| HOLD_MS.saturating_sub(self.waited));
        let idle = self.setup.budgets.idle_ms.map(|idle| idle.saturating_sub(self.waited));
        let wake = match (hold, idle) {
            (Some(hold), Some(idle)) => Some(hold.min(idle)),
            (hold, idle) => hold.or(idle),
        };
        self.armed = wake.unwrap_or_default();
        wake
    }

    /// The timer of [`StreamTranslator::wake_after`] has run out before anything came.
    pub fn woke(&mut self) {
        self.waited += self.armed;
        if self.waited >= HOLD_MS {
            self.release(false);
        }
        if let Some(idle) = self.setup.budgets.idle_ms
            && self.waited >= idle
        {
            self.end_with(&format!("The agent was silent for {} seconds (STREAM_IDLE_SECONDS)", seconds(idle)));
        }
    }

    /// The agent's stream is over.
    pub fn finish(&mut self, end: End) {
        if self.ended {
            return;
        }
        match end {
            End::Closed if !self.reader.is_inside_event() => {
                self.release(true);
                if !self.ended && self.is_without_event() {
                    self.end_with("The agent closed the stream without an event");
                }
                self.ended = true;
            }
            End::Closed | End::Broken => self.end_with("The agent's stream broke off"),
            End::Life => {
                let life = self.setup.budgets.life_ms.unwrap_or_default();
                self.end_with(&format!("The stream is older than {} seconds (STREAM_MAX_SECONDS)", seconds(life)));
            }
        }
    }

    /// The answer to GetTask that [`Head::NeedsTask`] or a subscription asked for. A task in it becomes the next event;
    /// anything else is left out.
    pub fn give_task(&mut self, status: u16, answer: &[u8]) {
        if matches!(self.head, Head::NeedsTask(_)) {
            self.head = Head::Undecided;
        }
        if let Ok(text) = task_event(status, answer, &self.setup, &mut self.translator, &mut self.notices) {
            let out = &mut self.translator.out;
            begin_event(out, false, b"");
            out.raw(&text);
            end_event(out);
            self.head = Head::Stream;
            self.drop_leading_task = true;
        }
        for (data, fields, is_error) in std::mem::take(&mut self.waiting) {
            self.first_event = false;
            self.event(&data, &fields, is_error, false);
        }
    }

    /// Comments make a stream, but not an answer.
    fn is_without_event(&self) -> bool {
        self.first_event
    }

    fn comment(&mut self, comment: &[u8]) {
        write_comment(&mut self.translator.out, comment);
        self.start_anyway();
    }

    fn event(&mut self, data: &[u8], fields: &[u8], is_error: bool, plain: bool) {
        if data.is_empty() {
            self.translator.out.raw(fields);
            self.translator.out.raw(b"\n");
            return;
        }
        if !self.waiting.is_empty() {
            self.waiting.push((data.to_vec(), fields.to_vec(), is_error));
            return;
        }
        self.release(false);
        if self.ended {
            return;
        }
        // Line breaks may stand between tokens only: whether they do is seen before they are gone.
        let flattened;
        let data = if plain || validate(data).is_err() {
            data
        } else {
            flattened = flat(data);
            &flattened
        };
        let (agent, client) = (self.setup.agent, self.setup.client);
        let read = read_event(agent, self.setup.operation, self.shape, is_error, data, &mut self.translator.doc);
        let facts = match &read {
            Ok(slot) if agent.version != client.version => {
                event_facts(&self.translator.doc, data, *slot, agent.dialect())
            }
            _ => None,
        };
        let first = std::mem::take(&mut self.first_event);
        if let Some(facts) = &facts {
            if first && facts.payload == Payload::Task && self.drop_leading_task {
                return;
            }
            if first && self.wants_task(facts) {
                let task_id = facts.task_id(data);
                if !task_id.is_empty() {
                    self.waiting.push((data.to_vec(), fields.to_vec(), is_error));
                    self.head = Head::NeedsTask(task_id);
                    return;
                }
            }
            if client.version == Version::V0_3
                && facts.payload == Payload::StatusUpdate
                && facts.state == TaskState::Interrupted
            {
                self.held = Some((data.to_vec(), fields.to_vec()));
                self.start_anyway();
                if self.setup.interrupted_is_final {
                    self.release(true);
                    self.ended = true;
                }
                return;
            }
        }
        self.write(data, fields, read, None);
        // RULES 4.2: `final` ends a v0.3 stream, v1.0 says it by closing.
        if client.version == Version::V1_0 && facts.is_some_and(|f| f.is_final) {
            self.ended = true;
        }
    }

    fn wants_task(&self, facts: &EventFacts) -> bool {
        self.setup.operation == Operation::SendStreamingMessage
            && self.setup.agent.version == Version::V0_3
            && self.setup.client.version == Version::V1_0
            && matches!(facts.payload, Payload::StatusUpdate | Payload::ArtifactUpdate)
    }

    /// Writes the held status, now that its `final` is known.
    fn release(&mut self, is_final: bool) {
        let Some((data, fields)) = self.held.take() else { return };
        let (agent, operation) = (self.setup.agent, self.setup.operation);
        let read = read_event(agent, operation, self.shape, false, &data, &mut self.translator.doc);
        self.write(&data, &fields, read, Some(is_final));
    }

    fn write(&mut self, data: &[u8], fields: &[u8], read: Result<Slot, PeerError>, is_final: Option<bool>) {
        let mark = self.translator.out.bytes.len();
        begin_event(&mut self.translator.out, false, fields);
        self.setup.options.stream_final = is_final;
        self.translator.notices.clear();
        let peers = (self.setup.agent, self.setup.client);
        let written = match read {
            Ok(slot) => {
                self.translator.append_result(data, self.shape, slot, peers, &self.setup.id, &self.setup.options)
            }
            Err(error) => Err(error),
        };
        keep_notices(&mut self.translator.notices, &mut self.notices);
        match written {
            Ok(()) => {
                end_event(&mut self.translator.out);
                self.head = Head::Stream;
            }
            Err(error) => {
                self.translator.out.bytes.truncate(mark);
                self.error(error, fields);
            }
        }
    }

    /// Ends the stream with an error of our own.
    fn end_with(&mut self, message: &str) {
        self.release(false);
        if !self.ended {
            self.error(A2aError::new(ErrorCode::INTERNAL_ERROR, message).into(), b"");
        }
    }

    /// Ends the stream with an error.
    fn error(&mut self, error: PeerError, fields: &[u8]) {
        self.ended = true;
        if self.head == Head::Undecided && !self.setup.errors_as_events {
            self.head = Head::Error(error);
            return;
        }
        self.head = Head::Stream;
        write_error_event(&mut self.translator.out, self.setup.client, &self.setup.id, &error, fields);
    }

    /// The text of an error event for this stream, for when nothing of it can be asked any more.
    pub fn crash_event(&self) -> Vec<u8> {
        let error = A2aError::new(ErrorCode::INTERNAL_ERROR, "Internal error");
        let mut out = Out::default();
        write_error_event(&mut out, self.setup.client, &self.setup.id, &error.into(), b"");
        out.bytes
    }
}

/// The data of an event for the task in an agent's answer to GetTask, for a stream with `setup`.
///
/// # Errors
/// The answer is an error, or no task.
pub fn task_event(
    status: u16,
    answer: &[u8],
    setup: &StreamSetup,
    translator: &mut Translator,
    notices: &mut Vec<Notice>,
) -> Result<Vec<u8>, PeerError> {
    let ready = std::mem::take(&mut translator.out);
    translator.notices.clear();
    let (agent, client) = (setup.agent, setup.client);
    let shape = result_shape(Operation::GetTask);
    let slot = read_answer(agent, Operation::GetTask, shape, status, answer, &mut translator.doc);
    // Everywhere but in J3 an event says what it is: {"task": …}.
    let wrapped = client.dialect() != Dialect::J3;
    let options = &setup.options;
    let cx = Context { from: agent.dialect(), to: client.dialect(), mode: Mode::Result, root: "result", options };
    server::open_result(&mut translator.out, client, &setup.id);
    translator.out.text(if wrapped { "{\"task\":" } else { "" });
    let written = slot.and_then(|slot| {
        translator
            .write(crate::json::without_bom(answer), shape, slot, cx)
            .map_err(|fail| error_of(fail, ErrorCode::INTERNAL_ERROR).into())
    });
    translator.out.text(if wrapped { "}" } else { "" });
    server::close_result(&mut translator.out, client);
    keep_notices(&mut translator.notices, notices);
    let text = std::mem::replace(&mut translator.out, ready).bytes;
    written.map(|()| text)
}

fn keep_notices(from: &mut Vec<Notice>, to: &mut Vec<Notice>) {
    for notice in from.drain(..) {
        if !to.iter().any(|known| known.code == notice.code) {
            to.push(notice);
        }
    }
}

/// Data without line breaks: between the tokens of valid JSON they mean no more than blanks (RULES 10.1).
fn flat(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data.iter_mut().filter(|b| matches!(**b, b'\n' | b'\r')).for_each(|b| *b = b' ');
    data
}

/// Milliseconds as seconds: `2`, `0.05`.
fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn seconds_have_no_more_digits_than_they_need() {
        for (ms, text) in [(0, "0"), (50, "0.05"), (2000, "2"), (10_000, "10"), (1234, "1.234")] {
            assert_eq!(super::seconds(ms), text);
        }
    }
}
