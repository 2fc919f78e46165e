//! The exchange: a small state machine per request, because some operations need more than one call (RULES 5.15,
//! 5.18, 5.19).

use super::stream::{Budgets, End, Head, StreamSetup, StreamTranslator, task_event};
use crate::engine::{Context, Mode, Notice, Options, Slot, code};
use crate::entity::{
    A2aError, Shape, TaskState, is_without_config_id, names_task, next_page_token, result_shape, task_id_slot,
    task_state,
};
use crate::json::{Out, Span, without_bom};
use crate::protocol::{Binding, Dialect, ErrorCode, Operation, Peer, Version, is_transport_status, media_type};
use crate::translate::{Translator, error_of, no_equivalent};
use crate::wire::client::{read_answer, reading_shape};
use crate::wire::rest::PeerError;
use crate::wire::server::{self, write_error_event};
use crate::wire::sse::{begin_event, end_event};

/// How many pages of push configs are fetched for a client that cannot page (DESIGN "Sans-IO bridge").
const MAX_PAGES: usize = 10;

/// What the gateway knows about an exchange before it starts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What the agent speaks.
    pub agent: Peer,
    /// What the client speaks.
    pub client: Peer,
    /// The client's `Accept` admits event streams and not JSON.
    pub client_wants_events_only: bool,
    /// The client encodes `fileWithBytes` twice, and expects it so.
    pub client_doubles_bytes: bool,
    /// The agent does.
    pub agent_doubles_bytes: bool,
    /// The translation's options.
    pub options: Options,
    /// End streams at interrupted states (peer profile `LEGACY_FINAL=interrupted`).
    pub interrupted_is_final: bool,
    /// Largest event in bytes.
    pub max_event_bytes: usize,
    /// Limits of streams.
    pub budgets: Budgets,
}

/// What the client asks.
#[derive(Clone, Copy)]
pub struct Asked<'r> {
    /// The operation.
    pub operation: Operation,
    /// The text that its params are in.
    pub input: &'r [u8],
    /// The params as they were read with the operation's table in the client's dialect.
    pub params: Slot,
    /// Where they lie.
    pub params_span: Option<Span>,
    /// The JSON-RPC id token; for HTTP+JSON clients one to ask JSON-RPC agents with.
    pub id: &'r [u8],
}

/// A call to the agent: an operation, whatever carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is asked.
    pub operation: Operation,
    /// Its params as JSON text in the agent's version; `None` if there are none.
    pub params: Option<Vec<u8>>,
}

/// The client's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// `text/event-stream`, `application/json` or `application/a2a+json`.
    pub content_type: &'static str,
    /// The body.
    pub body: Vec<u8>,
    /// The agent's error, if that is what the client gets.
    pub agent_error: Option<ErrorCode>,
}

/// What to do next.
pub enum Step {
    /// Ask the agent, then call [`Exchange::answered`].
    Call(Call),
    /// Read the agent's stream and hand it to [`Exchange::push`], [`Exchange::start_anyway`] or [`Exchange::finish`]:
    /// what the client's response is to be is not known yet.
    Peek,
    /// Answer the client; nothing more is needed of the agent.
    Reply(Reply),
    /// Answer the client with a stream; the rest of the agent's goes into the translator.
    Stream(Box<StreamTranslator>),
}

/// What the agent did.
pub enum AgentAnswer {
    /// It answered with a body that is not an event stream.
    Body {
        /// HTTP status.
        status: u16,
        /// The whole body.
        body: Vec<u8>,
    },
    /// It answered with an event stream.
    Events,
    /// It did not answer: HTTP status for the client's side (502, 504 …) and why.
    Failed {
        /// 502 unreachable, 504 too slow.
        status: u16,
        /// One sentence.
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The client's own operation has been asked.
    Asked,
    /// A subscription asks for the task first.
    TaskBeforeSubscribe,
    /// A resubscription was refused: is the task finished?
    TaskAfterRefusal,
    /// A stream began with an update: the task is to go first.
    TaskBeforeUpdate,
    /// A config without id was not found: is there any?
    AnyConfig,
    /// Pages of configs are being collected.
    Pages,
}

/// One client request on its way.
pub struct Exchange {
    setup: Setup,
    operation: Operation,
    id: Vec<u8>,
    /// The params in the agent's version, for the call that is made after another.
    params: Option<Vec<u8>>,
    /// The task's id as a JSON string.
    task_id: Vec<u8>,
    without_config_id: bool,
    /// The params are about a task, which an agent may not know.
    names_task: bool,
    translator: Translator,
    notices: Vec<Notice>,
    state: State,
    stream: Option<Box<StreamTranslator>>,
    /// What GetTask answered, to be given to the stream that follows.
    task_answer: Option<(u16, Vec<u8>)>,
    /// The error that stands if a second look does not help.
    refused: Option<PeerError>,
    pages: Vec<Vec<u8>>,
    tokens: Vec<Vec<u8>>,
}

impl Exchange {
    /// Starts the exchange for a request: its params were read from `input` into `translator`'s doc.
    ///
    /// # Errors
    /// What the client is to be answered: the agent's version has no such operation, or the params are malformed.
    pub fn start(mut setup: Setup, asked: Asked<'_>, mut translator: Translator) -> Result<(Exchange, Step), A2aError> {
        let Asked { operation, input, params, params_span, id } = asked;
        if operation.json_rpc_name(setup.agent.version).is_none() {
            return Err(no_equivalent(operation));
        }
        let task_id = task_id_slot(operation)
            .and_then(|slot| params.as_record().map(|rec| translator.doc.slot(rec + slot)))
            .and_then(|slot| slot.as_span())
            .map(|span| span.of(input).to_vec())
            .unwrap_or_default();
        let without_config_id =
            operation == Operation::GetTaskPushNotificationConfig && is_without_config_id(&translator.doc, params);
        let names_task = names_task(&translator.doc, operation, params);
        let has_params = operation != Operation::GetExtendedAgentCard || setup.options.tenant.is_some();
        translator.out.bytes.clear();
        translator.notices.clear();
        setup.options.r3_read_double = setup.client_doubles_bytes;
        setup.options.r3_write_double = setup.agent_doubles_bytes;
        let dialects = (setup.client.dialect(), setup.agent.dialect());
        let agent_params = if !has_params {
            None
        } else if dialects.0 == dialects.1 {
            // One dialect over two bindings: what is not understood must not be lost.
            if !params.is_absent() && params.as_record().is_none() {
                return Err(A2aError::new(ErrorCode::INVALID_PARAMS, "params must be an object"));
            }
            Some(with_tenant(input, params_span, setup.options.tenant.as_deref()))
        } else {
            let root = if setup.client.binding == Binding::JsonRpc { "params" } else { "" };
            translator.params(input, params, operation, dialects, root, &setup.options)?;
            Some(std::mem::take(&mut translator.out.bytes))
        };
        setup.options.r3_read_double = setup.agent_doubles_bytes;
        setup.options.r3_write_double = setup.client_doubles_bytes;
        let notices = std::mem::take(&mut translator.notices);
        // RULES 5.7: the v0.3 agent takes 0 as unlimited.
        setup.options.without_history = setup.client.version == Version::V1_0
            && notices.iter().any(|notice| notice.code == code::HISTORY_LENGTH_ZERO);
        let task_first = operation == Operation::SubscribeToTask
            && (setup.client.version, setup.agent.version) == (Version::V1_0, Version::V0_3);
        let mut exchange = Exchange {
            setup,
            operation,
            id: id.to_vec(),
            params: agent_params,
            task_id,
            without_config_id,
            names_task,
            translator,
            notices,
            state: State::Asked,
            stream: None,
            task_answer: None,
            refused: None,
            pages: Vec::new(),
            tokens: Vec::new(),
        };
        let step = if task_first {
            exchange.state = State::TaskBeforeSubscribe;
            exchange.get_task()
        } else {
            exchange.own_call()
        };
        Ok((exchange, step))
    }

    /// Every loss so far.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Whether the agent's stream is still needed while another call is made.
    pub fn holds_stream(&self) -> bool {
        self.stream.is_some()
    }

    fn own_call(&mut self) -> Step {
        // v0.3 JSON-RPC has no pages.
        if self.operation == Operation::ListTaskPushNotificationConfigs
            && self.setup.client.dialect() == Dialect::J3
            && self.setup.agent.dialect() != Dialect::J3
        {
            self.state = State::Pages;
        }
        Step::Call(Call { operation: self.operation, params: self.params.clone() })
    }

    fn get_task(&self) -> Step {
        Step::Call(Call { operation: Operation::GetTask, params: Some(self.task_params("id", &[])) })
    }

    /// Params that name the task: `key` is what the operation calls it; `more` are further members, values as JSON.
    fn task_params(&self, key: &str, more: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Out::default();
        out.raw(b"{");
        out.name(key);
        out.raw(&self.task_id);
        for (name, value) in more {
            out.name(name);
            out.raw(value);
        }
        if let Some(tenant) = self.setup.options.tenant.as_ref().filter(|_| self.setup.agent.version == Version::V1_0) {
            out.string_member("tenant", tenant);
        }
        out.raw(b"}");
        out.bytes
    }

    /// Takes what the agent did with the last call.
    pub fn answered(&mut self, answer: AgentAnswer) -> Step {
        match answer {
            AgentAnswer::Body { status, body } => self.body(status, body),
            AgentAnswer::Events if self.operation.is_streaming() && self.state == State::Asked => self.events(),
            AgentAnswer::Events => self.fail(A2aError::new(
                ErrorCode::INVALID_AGENT_RESPONSE,
                "The agent answered with an event stream where one answer was expected",
            )),
            AgentAnswer::Failed { status, reason } => {
                let error = PeerError::from(A2aError::new(ErrorCode::INTERNAL_ERROR, reason));
                let error = match self.setup.client.binding {
                    Binding::JsonRpc => error.with_status(status),
                    Binding::HttpJson => PeerError { status: Some(status), ..error },
                };
                self.error(error, None)
            }
        }
    }

    fn body(&mut self, status: u16, body: Vec<u8>) -> Step {
        let operation = match self.state {
            State::TaskBeforeSubscribe | State::TaskAfterRefusal | State::TaskBeforeUpdate => Operation::GetTask,
            State::AnyConfig => Operation::ListTaskPushNotificationConfigs,
            State::Asked | State::Pages => self.operation,
        };
        let text = without_bom(&body);
        let shape = match self.state {
            State::Asked => reading_shape(self.setup.agent, self.setup.client, operation),
            _ => result_shape(operation),
        };
        // A send to a task is refused like GetTask where the task is not known (RULES E.4).
        let refused = match (self.setup.agent.binding, status) {
            (Binding::HttpJson, 404) if self.names_task => Operation::GetTask,
            _ => operation,
        };
        let answer = read_answer(self.setup.agent, refused, shape, status, text, &mut self.translator.doc);
        match self.state {
            State::Asked => self.own_answer(text, shape, answer),
            State::TaskBeforeSubscribe => self.task_before_subscribe(status, text, answer),
            State::TaskAfterRefusal => self.task_after_refusal(status, text, answer),
            State::TaskBeforeUpdate => match self.stream.take() {
                Some(mut stream) => {
                    stream.give_task(status, text);
                    self.decide(stream)
                }
                None => self.fail(A2aError::new(ErrorCode::INTERNAL_ERROR, "The agent's stream is gone")),
            },
            State::AnyConfig => self.any_config(text, answer),
            State::Pages => self.page(text, answer),
        }
    }

    fn own_answer(&mut self, text: &[u8], shape: Shape, answer: Result<Slot, PeerError>) -> Step {
        if self.operation.is_streaming() {
            return match answer {
                Ok(_) => self.one_event(text),
                Err(error) => {
                    let code = error.error.code;
                    self.early_error(error, Some(code))
                }
            };
        }
        if let Err(error) = &answer
            && self.without_config_id
            && error.error.code == ErrorCode::TASK_NOT_FOUND
        {
            self.refused = Some(error.clone());
            self.state = State::AnyConfig;
            let key = match self.setup.agent.version {
                Version::V0_3 => "id",
                Version::V1_0 => "taskId",
            };
            return Step::Call(Call {
                operation: Operation::ListTaskPushNotificationConfigs,
                params: Some(self.task_params(key, &[])),
            });
        }
        self.reply(text, shape, answer)
    }

    /// Translates an answer for the client.
    fn reply(&mut self, text: &[u8], shape: Shape, answer: Result<Slot, PeerError>) -> Step {
        let agent_error = answer.as_ref().err().map(|error| error.error.code);
        self.translator.out.bytes.clear();
        self.translator.notices.clear();
        let peers = (self.setup.agent, self.setup.client);
        let written = answer
            .and_then(|slot| self.translator.append_result(text, shape, slot, peers, &self.id, &self.setup.options));
        self.notices.append(&mut self.translator.notices);
        match written {
            Ok(()) => {
                let body = std::mem::take(&mut self.translator.out.bytes);
                self.success(body)
            }
            Err(error) => self.error(error, agent_error),
        }
    }

    fn success(&self, body: Vec<u8>) -> Step {
        let (status, content_type) = server::success(self.setup.client, self.operation);
        let body = if status == 204 { Vec::new() } else { body };
        Step::Reply(Reply { status, content_type, body, agent_error: None })
    }

    /// A streaming operation that was answered with one result: a stream of one event.
    fn one_event(&mut self, text: &[u8]) -> Step {
        let mut stream = self.new_stream();
        let line: Vec<u8> = text.iter().map(|b| if matches!(b, b'\n' | b'\r') { b' ' } else { *b }).collect();
        stream.push(b"data: ");
        stream.push(&line);
        stream.push(b"\n\n");
        stream.finish(End::Closed);
        self.decide(stream)
    }

    fn new_stream(&mut self) -> Box<StreamTranslator> {
        let resubscribe = self.is_v0_3_resubscribe();
        let mut stream = Box::new(StreamTranslator::new(StreamSetup {
            operation: self.operation,
            agent: self.setup.agent,
            client: self.setup.client,
            id: self.id.clone(),
            // A resubscription's early error may yet turn out to be a finished task.
            errors_as_events: !resubscribe
                && wants_error_events(self.operation, self.setup.client, self.setup.client_wants_events_only),
            interrupted_is_final: self.setup.interrupted_is_final,
            options: self.setup.options.clone(),
            max_event_bytes: self.setup.max_event_bytes,
            budgets: self.setup.budgets,
        }));
        if let Some((status, task)) = self.task_answer.take() {
            stream.give_task(status, &task);
        }
        stream
    }

    fn events(&mut self) -> Step {
        let stream = self.new_stream();
        self.decide(stream)
    }

    fn is_v0_3_resubscribe(&self) -> bool {
        self.operation == Operation::SubscribeToTask && self.setup.client.version == Version::V0_3
    }

    // ---- peeking at a stream

    /// Bytes of the agent's stream, while the client's response is undecided.
    pub fn push(&mut self, chunk: &[u8]) -> Step {
        self.with_stream(|stream| stream.push(chunk))
    }

    /// The response's headers have waited long enough (DESIGN: at latest 2 s after the agent's).
    pub fn start_anyway(&mut self) -> Step {
        self.with_stream(StreamTranslator::start_anyway)
    }

    /// The agent's stream is over before the client's response was decided.
    pub fn finish(&mut self, end: End) -> Step {
        self.with_stream(|stream| stream.finish(end))
    }

    fn with_stream(&mut self, act: impl FnOnce(&mut StreamTranslator)) -> Step {
        match self.stream.take() {
            Some(mut stream) => {
                act(&mut stream);
                self.decide(stream)
            }
            None => self.fail(A2aError::new(ErrorCode::INTERNAL_ERROR, "The agent's stream is gone")),
        }
    }

    fn decide(&mut self, stream: Box<StreamTranslator>) -> Step {
        match stream.head().clone() {
            Head::Undecided => {
                self.stream = Some(stream);
                Step::Peek
            }
            Head::Stream => Step::Stream(stream),
            Head::Error(error) => {
                let code = error.error.code;
                self.early_error(error, Some(code))
            }
            Head::NeedsTask(task_id) => {
                self.stream = Some(stream);
                self.state = State::TaskBeforeUpdate;
                let mut token = Out::default();
                token.string(&task_id);
                self.task_id = token.bytes;
                self.get_task()
            }
        }
    }

    /// A stream that failed before its first event.
    fn early_error(&mut self, error: PeerError, agent_error: Option<ErrorCode>) -> Step {
        if self.is_v0_3_resubscribe()
            && self.setup.agent.version == Version::V1_0
            && error.error.code == ErrorCode::UNSUPPORTED_OPERATION
            && self.state == State::Asked
        {
            self.refused = Some(error);
            self.state = State::TaskAfterRefusal;
            return self.get_task();
        }
        self.error(error, agent_error)
    }

    // ---- second calls

    fn state_of(&self, text: &[u8], task: Slot) -> TaskState {
        task_state(&self.translator.doc, text, task, self.setup.agent.dialect())
    }

    /// RULES 5.15: v1.0 refuses to subscribe to a finished task, and its streams begin with the task.
    fn task_before_subscribe(&mut self, status: u16, text: &[u8], answer: Result<Slot, PeerError>) -> Step {
        let slot = match answer {
            Ok(slot) => slot,
            Err(error) => {
                let code = error.error.code;
                return self.error(error, Some(code));
            }
        };
        if self.state_of(text, slot) == TaskState::Terminal {
            return self.fail(A2aError::new(
                ErrorCode::UNSUPPORTED_OPERATION,
                "The task is finished: there is nothing to subscribe to",
            ));
        }
        self.task_answer = Some((status, text.to_vec()));
        self.state = State::Asked;
        self.own_call()
    }

    /// RULES 5.15: a v0.3 client that resubscribes to a finished task gets it as the only event.
    fn task_after_refusal(&mut self, status: u16, text: &[u8], answer: Result<Slot, PeerError>) -> Step {
        if let Ok(slot) = answer
            && self.state_of(text, slot) == TaskState::Terminal
        {
            let stream = self.new_stream();
            if let Ok(event) = task_event(status, text, stream.setup(), &mut self.translator, &mut self.notices) {
                let mut out = Out::default();
                begin_event(&mut out, false, b"");
                out.raw(&event);
                end_event(&mut out);
                return Step::Reply(Reply {
                    status: 200,
                    content_type: media_type::EVENT_STREAM,
                    body: out.bytes,
                    agent_error: None,
                });
            }
        }
        self.refuse()
    }

    /// The error that a second look did not help.
    fn refuse(&mut self) -> Step {
        match self.refused.take() {
            Some(error) => {
                let code = error.error.code;
                self.error(error, Some(code))
            }
            None => self.fail(A2aError::new(ErrorCode::INTERNAL_ERROR, "Internal error")),
        }
    }

    /// RULES 5.18: the agent invented the config's id; any of the task's configs will do.
    fn any_config(&mut self, text: &[u8], answer: Result<Slot, PeerError>) -> Step {
        if let Ok(slot) = answer {
            let first = match slot.as_record() {
                Some(rec) => self.translator.doc.slot(rec),
                None => slot,
            };
            if let Some((first, count)) = first.as_run()
                && count > 0
            {
                let config = self.translator.doc.slot(first);
                return self.reply(text, result_shape(Operation::GetTaskPushNotificationConfig), Ok(config));
            }
        }
        self.refuse()
    }

    /// RULES 5.19: v0.3 clients cannot page, so the bridge does.
    fn page(&mut self, text: &[u8], answer: Result<Slot, PeerError>) -> Step {
        let shape = result_shape(self.operation);
        let slot = match answer {
            Ok(slot) => slot,
            Err(error) => return self.reply(text, shape, Err(error)),
        };
        let token = next_page_token(&self.translator.doc, text, slot).map(|span| span.of(text).to_vec());
        self.translator.out.bytes.clear();
        self.translator.notices.clear();
        let cx = Context {
            from: self.setup.agent.dialect(),
            to: self.setup.client.dialect(),
            mode: Mode::Result,
            root: "result",
            options: &self.setup.options,
        };
        if let Err(fail) = self.translator.write(text, shape, slot, cx) {
            return self.fail(error_of(fail, ErrorCode::INTERNAL_ERROR));
        }
        let page = self.translator.out.bytes.get(1..self.translator.out.bytes.len().saturating_sub(1));
        self.pages.push(page.unwrap_or(&[]).to_vec());
        let next = token.filter(|token| self.pages.len() < MAX_PAGES && !self.tokens.contains(token));
        if let Some(token) = next {
            self.translator.notices.retain(|notice| notice.code != code::NEXT_PAGE_TOKEN_DROPPED);
            self.notices.append(&mut self.translator.notices);
            let key = if self.setup.agent.version == Version::V1_0 { "taskId" } else { "id" };
            let params = self.task_params(key, &[("pageToken", &token)]);
            self.tokens.push(token);
            return Step::Call(Call { operation: self.operation, params: Some(params) });
        }
        self.notices.append(&mut self.translator.notices);
        let mut out = Out::default();
        server::open_result(&mut out, self.setup.client, &self.id);
        out.raw(b"[");
        for page in self.pages.iter().filter(|page| !page.is_empty()) {
            out.separate();
            out.raw(page);
        }
        out.raw(b"]");
        server::close_result(&mut out, self.setup.client);
        self.success(out.bytes)
    }

    // ---- errors

    fn fail(&self, error: A2aError) -> Step {
        self.error(error.into(), None)
    }

    fn error(&self, error: PeerError, agent_error: Option<ErrorCode>) -> Step {
        let as_event = wants_error_events(self.operation, self.setup.client, self.setup.client_wants_events_only);
        Step::Reply(Reply { agent_error, ..error_reply(self.setup.client, &self.id, &error, as_event) })
    }
}

/// An error as this client reads it: plain, or an event where it accepts nothing else (PEERS "Error before a stream",
/// RULES 10.4). Conditions of the transport are always plain.
pub fn error_reply(client: Peer, id: &[u8], error: &PeerError, as_event: bool) -> Reply {
    let (status, body) = server::error_answer(client, id, error);
    if as_event && !is_transport_status(status) {
        let mut out = Out::default();
        write_error_event(&mut out, client, id, error, b"");
        return Reply { status: 200, content_type: media_type::EVENT_STREAM, body: out.bytes, agent_error: None };
    }
    Reply { status, content_type: media_type::JSON, body, agent_error: None }
}

/// Whether an error before the first event goes out as an event: always for `tasks/resubscribe`, otherwise only for
/// v0.3 JSON-RPC streams whose client accepts nothing else. Over HTTP+JSON the SDKs see the status (RULES 10.4).
pub fn wants_error_events(operation: Operation, client: Peer, events_only: bool) -> bool {
    client.version == Version::V0_3
        && client.binding == Binding::JsonRpc
        && operation.is_streaming()
        && (operation == Operation::SubscribeToTask || events_only)
}

/// The params as they are, but with the interface's tenant (RULES 5.12).
pub fn with_tenant(input: &[u8], params: Option<Span>, tenant: Option<&str>) -> Vec<u8> {
    let Some(tenant) = tenant.filter(|tenant| !tenant.is_empty()) else {
        return params.map_or_else(|| b"{}".to_vec(), |span| span.of(input).to_vec());
    };
    let mut out = Out::default();
    out.raw(b"{");
    out.members(input, params.unwrap_or_default(), |name| name != "tenant");
    out.string_member("tenant", tenant);
    out.raw(b"}");
    out.bytes
}
