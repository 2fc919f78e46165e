//! The exchange: a small state machine per request, because some operations need more than one call (RULES 5.15,
//! 5.18, 5.19).

use super::stream::{Budgets, End, Head, StreamSetup, StreamTranslator, task_event, write_error_event};
use crate::engine::{Notice, Options, code};
use crate::entity::{
    A2aError, TaskState, is_without_config_id, next_page_token, task_id_slot, task_state,
};
use crate::json::{Out, without_bom};
use crate::protocol::{ErrorCode, Operation, Version, is_transport_status};
use crate::translate::{Translator, no_equivalent};
use crate::wire::jsonrpc::{self, Answer, Refusal, Request};

/// How many pages of push configs are fetched for a client that cannot page (DESIGN "Sans-IO bridge").
const MAX_PAGES: usize = 10;

/// What the gateway knows about an exchange before it starts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The agent's version.
    pub agent: Version,
    /// The client's version.
    pub client: Version,
    /// The client's `Accept` admits event streams and not JSON.
    pub client_wants_events_only: bool,
    /// The translation's options.
    pub options: Options,
    /// End streams at interrupted states (peer profile `LEGACY_FINAL=interrupted`).
    pub interrupted_is_final: bool,
    /// Largest event in bytes.
    pub max_event_bytes: usize,
    /// Limits of streams.
    pub budgets: Budgets,
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
    /// `text/event-stream` instead of JSON.
    pub is_events: bool,
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
    translator: Translator,
    notices: Vec<Notice>,
    state: State,
    stream: Option<Box<StreamTranslator>>,
    /// What GetTask answered, to be given to the stream that follows.
    task_answer: Option<Vec<u8>>,
    /// The error that stands if a second look does not help.
    refused: Option<A2aError>,
    pages: Vec<Vec<u8>>,
    tokens: Vec<Vec<u8>>,
}

impl Exchange {
    /// Starts the exchange for a request that was read from `body` into `translator`'s doc.
    ///
    /// # Errors
    /// What the client is to be answered: the agent's version has no such operation, or the params are malformed.
    pub fn start(
        mut setup: Setup,
        body: &[u8],
        request: &Request,
        operation: Operation,
        mut translator: Translator,
    ) -> Result<(Exchange, Step), Refusal> {
        let body = without_bom(body);
        let refuse = |error: A2aError| Refusal { id: request.id.clone(), error };
        if operation.json_rpc_name(setup.agent).is_none() {
            return Err(refuse(no_equivalent(operation)));
        }
        let task_id = task_id_slot(operation)
            .and_then(|slot| request.params.as_record().map(|rec| translator.doc.slot(rec + slot)))
            .and_then(|slot| slot.as_span())
            .map(|span| span.of(body).to_vec())
            .unwrap_or_default();
        let without_config_id = operation == Operation::GetTaskPushNotificationConfig
            && is_without_config_id(&translator.doc, request.params);
        let has_params = operation != Operation::GetExtendedAgentCard || setup.options.tenant.is_some();
        translator.out.bytes.clear();
        translator.notices.clear();
        let params = if has_params {
            translator
                .params(body, request, operation, setup.client, setup.agent, &setup.options)
                .map_err(refuse)?;
            Some(std::mem::take(&mut translator.out.bytes))
        } else {
            None
        };
        let notices = std::mem::take(&mut translator.notices);
        // RULES 5.7: the v0.3 agent takes 0 as unlimited.
        setup.options.without_history = setup.client == Version::V1_0
            && notices.iter().any(|notice| notice.code == code::HISTORY_LENGTH_ZERO);
        let task_first = operation == Operation::SubscribeToTask
            && (setup.client, setup.agent) == (Version::V1_0, Version::V0_3);
        let mut exchange = Exchange {
            setup,
            operation,
            id: request.id.clone(),
            params,
            task_id,
            without_config_id,
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

    /// The client's id token.
    pub fn id(&self) -> &[u8] {
        &self.id
    }

    /// The version of the client.
    pub fn client(&self) -> Version {
        self.setup.client
    }

    fn own_call(&mut self) -> Step {
        if self.operation == Operation::ListTaskPushNotificationConfigs && self.setup.client == Version::V0_3 {
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
        if let Some(tenant) = self.setup.options.tenant.as_ref().filter(|_| self.setup.agent == Version::V1_0) {
            out.name("tenant");
            out.string(tenant);
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
                let error = self.own_error(A2aError::new(ErrorCode::INTERNAL_ERROR, reason));
                let kept = if is_transport_status(status) { status } else { 200 };
                Step::Reply(self.error_reply(&error, kept, None))
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
        let answer = match jsonrpc::read_answer(text, operation, self.setup.agent, &mut self.translator.doc) {
            Err(_) if !(200..300).contains(&status) => Err(status_error(status)),
            answer => answer,
        };
        match self.state {
            State::Asked => self.own_answer(status, text, answer),
            State::TaskBeforeSubscribe => self.task_before_subscribe(status, text, answer),
            State::TaskAfterRefusal => self.task_after_refusal(text, answer),
            State::TaskBeforeUpdate => match self.stream.take() {
                Some(mut stream) => {
                    stream.give_task(text);
                    self.decide(stream)
                }
                None => self.fail(A2aError::new(ErrorCode::INTERNAL_ERROR, "The agent's stream is gone")),
            },
            State::AnyConfig => self.any_config(text, answer),
            State::Pages => self.page(status, text, answer),
        }
    }

    fn own_answer(&mut self, status: u16, text: &[u8], answer: Result<Answer, A2aError>) -> Step {
        if self.operation.is_streaming() {
            return match answer {
                Ok(Answer::Result(_)) => self.one_event(text),
                Ok(Answer::Error(error)) => self.early_error(self.shaped(&error), status, Some(error.code)),
                Err(error) => self.early_error(self.own_error(error), status, None),
            };
        }
        if let Ok(Answer::Error(error)) = &answer
            && self.without_config_id
            && error.code == ErrorCode::TASK_NOT_FOUND
        {
            self.refused = Some(self.shaped(error));
            self.state = State::AnyConfig;
            let key = match self.setup.agent {
                Version::V0_3 => "id",
                Version::V1_0 => "taskId",
            };
            return Step::Call(Call {
                operation: Operation::ListTaskPushNotificationConfigs,
                params: Some(self.task_params(key, &[])),
            });
        }
        self.reply(status, text, self.operation, answer)
    }

    /// Translates an answer for the client.
    fn reply(&mut self, status: u16, text: &[u8], operation: Operation, answer: Result<Answer, A2aError>) -> Step {
        let agent_error = match &answer {
            Ok(Answer::Error(error)) => Some(error.code),
            _ => None,
        };
        self.translator.out.bytes.clear();
        self.translator.notices.clear();
        let versions = (self.setup.agent, self.setup.client);
        let written =
            self.translator.append_answer(text, answer, operation, versions, &self.id, &self.setup.options);
        self.notices.append(&mut self.translator.notices);
        let kept = if is_transport_status(status) { status } else { 200 };
        match written {
            Ok(()) => Step::Reply(Reply {
                status: 200,
                is_events: false,
                body: std::mem::take(&mut self.translator.out.bytes),
                agent_error: None,
            }),
            Err(error) => Step::Reply(self.error_reply(&error, kept, agent_error)),
        }
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
            from: self.setup.agent,
            to: self.setup.client,
            id: self.id.clone(),
            // A resubscription's early error may yet turn out to be a finished task.
            errors_as_events: !resubscribe
                && wants_error_events(self.operation, self.setup.client, self.setup.client_wants_events_only),
            interrupted_is_final: self.setup.interrupted_is_final,
            options: self.setup.options.clone(),
            max_event_bytes: self.setup.max_event_bytes,
            budgets: self.setup.budgets,
        }));
        if let Some(task) = self.task_answer.take() {
            stream.give_task(&task);
        }
        stream
    }

    fn events(&mut self) -> Step {
        let stream = self.new_stream();
        self.decide(stream)
    }

    fn is_v0_3_resubscribe(&self) -> bool {
        self.operation == Operation::SubscribeToTask && self.setup.client == Version::V0_3
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
                let code = error.code;
                self.early_error(error, 200, Some(code))
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

    /// A stream that failed before its first event. `error` is in the client's shape.
    fn early_error(&mut self, error: A2aError, status: u16, agent_error: Option<ErrorCode>) -> Step {
        if self.is_v0_3_resubscribe()
            && self.setup.agent == Version::V1_0
            && error.code == ErrorCode::UNSUPPORTED_OPERATION
            && self.state == State::Asked
        {
            self.refused = Some(error);
            self.state = State::TaskAfterRefusal;
            return self.get_task();
        }
        Step::Reply(self.error_reply(&error, status, agent_error))
    }

    // ---- second calls

    /// RULES 5.15: v1.0 refuses to subscribe to a finished task, and its streams begin with the task.
    fn task_before_subscribe(&mut self, status: u16, text: &[u8], answer: Result<Answer, A2aError>) -> Step {
        let Ok(Answer::Result(slot)) = answer else {
            return self.reply(status, text, Operation::GetTask, answer);
        };
        let state = task_state(&self.translator.doc, text, slot, jsonrpc::dialect(self.setup.agent));
        if state == TaskState::Terminal {
            return self.fail(A2aError::new(
                ErrorCode::UNSUPPORTED_OPERATION,
                "The task is finished: there is nothing to subscribe to",
            ));
        }
        self.task_answer = Some(text.to_vec());
        self.state = State::Asked;
        self.own_call()
    }

    /// RULES 5.15: a v0.3 client that resubscribes to a finished task gets it as the only event.
    fn task_after_refusal(&mut self, text: &[u8], answer: Result<Answer, A2aError>) -> Step {
        if let Ok(Answer::Result(slot)) = answer
            && task_state(&self.translator.doc, text, slot, jsonrpc::dialect(self.setup.agent)) == TaskState::Terminal
        {
            let stream = self.new_stream();
            if let Ok(event) = task_event(text, stream.setup(), &mut self.translator, &mut self.notices) {
                let mut out = Out::default();
                crate::wire::sse::begin_event(&mut out, false, b"");
                out.raw(&event);
                crate::wire::sse::end_event(&mut out);
                return Step::Reply(Reply { status: 200, is_events: true, body: out.bytes, agent_error: None });
            }
        }
        let error = self.refused.take().unwrap_or_else(|| status_error(500));
        Step::Reply(self.error_reply(&error, 200, Some(error.code)))
    }

    /// RULES 5.18: the agent invented the config's id; any of the task's configs will do.
    fn any_config(&mut self, text: &[u8], answer: Result<Answer, A2aError>) -> Step {
        if let Ok(Answer::Result(slot)) = answer {
            let first = match slot.as_record() {
                Some(rec) => self.translator.doc.slot(rec),
                None => slot,
            };
            if let Some((first, count)) = first.as_run()
                && count > 0
            {
                let config = self.translator.doc.slot(first);
                return self.reply(200, text, Operation::GetTaskPushNotificationConfig, Ok(Answer::Result(config)));
            }
        }
        let error = self.refused.take().unwrap_or_else(|| status_error(500));
        Step::Reply(self.error_reply(&error, 200, Some(error.code)))
    }

    /// RULES 5.19: v0.3 clients cannot page, so the bridge does.
    fn page(&mut self, status: u16, text: &[u8], answer: Result<Answer, A2aError>) -> Step {
        let Ok(Answer::Result(slot)) = answer else {
            return self.reply(status, text, self.operation, answer);
        };
        let token = next_page_token(&self.translator.doc, text, slot).map(|span| span.of(text).to_vec());
        self.translator.out.bytes.clear();
        self.translator.notices.clear();
        let versions = (self.setup.agent, self.setup.client);
        if let Err(error) = self.translator.result(text, self.operation, slot, versions, &self.setup.options) {
            return self.fail(error);
        }
        let page = self.translator.out.bytes.get(1..self.translator.out.bytes.len().saturating_sub(1));
        self.pages.push(page.unwrap_or(&[]).to_vec());
        let next = token.filter(|token| self.pages.len() < MAX_PAGES && !self.tokens.contains(token));
        if let Some(token) = next {
            self.translator.notices.retain(|notice| notice.code != code::NEXT_PAGE_TOKEN_DROPPED);
            self.notices.append(&mut self.translator.notices);
            let params = self.task_params("taskId", &[("pageToken", &token)]);
            self.tokens.push(token);
            return Step::Call(Call { operation: self.operation, params: Some(params) });
        }
        self.notices.append(&mut self.translator.notices);
        let mut out = Out::default();
        jsonrpc::open_result(&mut out, &self.id);
        out.raw(b"[");
        for page in self.pages.iter().filter(|page| !page.is_empty()) {
            out.separate();
            out.raw(page);
        }
        out.raw(b"]");
        jsonrpc::close(&mut out);
        Step::Reply(Reply { status: 200, is_events: false, body: out.bytes, agent_error: None })
    }

    // ---- errors

    fn shaped(&self, error: &A2aError) -> A2aError {
        jsonrpc::error_for(error, self.setup.agent, self.setup.client)
    }

    fn own_error(&self, error: A2aError) -> A2aError {
        self.shaped(&error)
    }

    fn fail(&self, error: A2aError) -> Step {
        Step::Reply(self.error_reply(&self.own_error(error), 200, None))
    }

    fn error_reply(&self, error: &A2aError, status: u16, agent_error: Option<ErrorCode>) -> Reply {
        let status = if is_transport_status(status) { status } else { 200 };
        error_reply(&self.id, error, self.operation, &self.setup, status, agent_error)
    }
}

/// An error as this client reads it: JSON, or an event where the client accepts nothing else (PEERS "Error before a
/// stream", RULES 10.4). `error` is in the client's shape.
fn error_reply(
    id: &[u8],
    error: &A2aError,
    operation: Operation,
    setup: &Setup,
    status: u16,
    agent_error: Option<ErrorCode>,
) -> Reply {
    let is_events = wants_error_events(operation, setup.client, setup.client_wants_events_only)
        && !is_transport_status(status);
    let mut out = Out::default();
    if is_events {
        write_error_event(&mut out, id, error, b"");
    } else {
        jsonrpc::write_error(&mut out, id, error);
    }
    Reply { status, is_events, body: out.bytes, agent_error }
}

/// Whether an error before the first event goes out as an event: always for `tasks/resubscribe`, otherwise only for
/// v0.3 streams whose client accepts nothing else.
pub fn wants_error_events(operation: Operation, client: Version, events_only: bool) -> bool {
    client == Version::V0_3 && operation.is_streaming() && (operation == Operation::SubscribeToTask || events_only)
}

/// The error for an answer that is no JSON-RPC and has an HTTP status that says why.
fn status_error(status: u16) -> A2aError {
    let code = if is_transport_status(status) || status == 502 {
        ErrorCode::INTERNAL_ERROR
    } else {
        ErrorCode::INVALID_AGENT_RESPONSE
    };
    A2aError::new(code, format!("The agent answered with HTTP status {status} and no JSON-RPC body"))
}
