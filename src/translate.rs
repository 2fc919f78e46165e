//! The translate functions: one object, one JSON-RPC request, one JSON-RPC answer.

use crate::engine::{Context, Doc, Fail, Failure, Mode, Notices, Options, Slot, Writer};
use crate::entity::{A2aError, Shape, params_shape, result_shape};
use crate::json::{Out, Scanner, without_bom};
use crate::protocol::{Binding, Dialect, ErrorCode, Operation, Peer, Version};
use crate::wire::client::read_answer;
use crate::wire::jsonrpc::{self, Refusal};
use crate::wire::rest::PeerError;
use crate::wire::server;

/// Translates, reusing its memory from one text to the next.
#[derive(Default)]
pub struct Translator {
    /// What was read.
    pub doc: Doc,
    /// What was written by the last call.
    pub out: Out,
    /// What the last call had to drop, default or coerce.
    pub notices: Notices,
}

/// A translated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    /// The JSON text in the target's dialect.
    pub bytes: Vec<u8>,
    /// What was lost.
    pub notices: Notices,
}

/// What a translation of one value came to, where it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was written.
    Written,
    /// It has no place in the target and is to be left out (RULES 7.22).
    Dropped,
}

/// Translates one object: bytes in, bytes and notices out.
///
/// # Errors
/// Input that is not JSON, or not what `shape` says in the dialect `from`: the code of `mode` (RULES 0.14), with a
/// message that begins with the field's path. [`Fail::dropped`] becomes −32603 here.
///
/// ```
/// use a2a_compat::{engine::{Mode, Options}, entity::shape_named, protocol::Dialect, translate};
/// let part = br#"{"kind":"file","file":{"bytes":"AQI=","mimeType":"image/png"}}"#;
/// let shape = shape_named("part").unwrap();
/// let v1 = translate(part, shape, Dialect::J3, Dialect::P1, Mode::Request, &Options::default()).unwrap();
/// assert_eq!(v1.bytes, br#"{"raw":"AQI=","mediaType":"image/png"}"#);
/// ```
pub fn translate(
    input: &[u8],
    shape: Shape,
    from: Dialect,
    to: Dialect,
    mode: Mode,
    options: &Options,
) -> Result<Translated, A2aError> {
    let mut translator = Translator::default();
    match translator.value(input, shape, Context { from, to, mode, root: "", options })? {
        Outcome::Written => Ok(Translated { bytes: translator.out.bytes, notices: translator.notices }),
        Outcome::Dropped => {
            Err(A2aError::new(ErrorCode::INTERNAL_ERROR, "the value has no place in the target's version"))
        }
    }
}

impl Translator {
    /// Forgets the last text and makes room for the next.
    pub fn start(&mut self, input: &[u8], options: &Options) {
        self.doc.clear();
        self.doc.keep_unknown = options.report_unknown;
        self.out.bytes.clear();
        self.out.bytes.reserve(input.len() + input.len() / 8 + 256);
        self.notices.clear();
    }

    /// Translates one value; the text is in `self.out`.
    ///
    /// # Errors
    /// As [`translate`].
    pub fn value(&mut self, input: &[u8], shape: Shape, cx: Context<'_>) -> Result<Outcome, A2aError> {
        let input = without_bom(input);
        self.start(input, cx.options);
        let syntax = |e| match cx.mode {
            Mode::Request => jsonrpc::parse_error(e),
            Mode::Result => A2aError::new(ErrorCode::INVALID_AGENT_RESPONSE, format!("Invalid JSON: {e}")),
        };
        let mut scanner = Scanner::new(input).map_err(syntax)?;
        let slot = shape.read(&mut self.doc, &mut scanner, cx.from).map_err(syntax)?;
        scanner.end().map_err(syntax)?;
        match self.write(input, shape, slot, cx) {
            Ok(()) => Ok(Outcome::Written),
            Err(fail) => match fail.into_failure() {
                Failure::Dropped => Ok(Outcome::Dropped),
                Failure::Error { code, message } => Err(A2aError::new(code, message)),
            },
        }
    }

    /// Appends a value that was read to `self.out`.
    ///
    /// # Errors
    /// [`Fail`].
    #[inline]
    pub fn write(&mut self, input: &[u8], shape: Shape, slot: Slot, cx: Context<'_>) -> Result<(), Fail> {
        shape.write(&mut Writer::new(&mut self.doc, input, &mut self.out, &mut self.notices, cx), slot)
    }

    /// Translates a whole JSON-RPC request to the other version; the text is in `self.out`. The method's name says
    /// which version it is.
    ///
    /// # Errors
    /// What the client is to be answered: not JSON, not JSON-RPC, unknown method, an operation the other version
    /// does not have, malformed params.
    pub fn request(&mut self, input: &[u8], from: Version, options: &Options) -> Result<Operation, Refusal> {
        let input = without_bom(input);
        self.start(input, options);
        let request = jsonrpc::read_request(input, &mut self.doc)?;
        let refuse = |error: A2aError| Refusal { id: request.id.clone(), error };
        let Some((operation, _)) = request.operation.filter(|(_, version)| *version == from) else {
            return Err(refuse(A2aError::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("Method not found: {}", request.method),
            )));
        };
        let to = from.other();
        let Some(method) = operation.json_rpc_name(to) else {
            return Err(refuse(no_equivalent(operation)));
        };
        let with_params = operation != Operation::GetExtendedAgentCard || options.tenant.is_some();
        jsonrpc::open_request(&mut self.out, &request.id, method, with_params);
        if with_params {
            let dialects = (jsonrpc::dialect(from), jsonrpc::dialect(to));
            self.params(input, request.params, operation, dialects, "params", options).map_err(refuse)?;
        }
        jsonrpc::close(&mut self.out);
        Ok(operation)
    }

    /// Appends params that were read into `self.doc` from `input`, in the dialect of `to`.
    ///
    /// # Errors
    /// −32602 for malformed params.
    pub fn params(
        &mut self,
        input: &[u8],
        params: Slot,
        operation: Operation,
        (from, to): (Dialect, Dialect),
        root: &'static str,
        options: &Options,
    ) -> Result<(), A2aError> {
        let slot = if params.is_absent() && operation == Operation::GetExtendedAgentCard {
            empty_record(&mut self.doc, operation)
        } else {
            params
        };
        let cx = Context { from, to, mode: Mode::Request, root, options };
        self.write(input, params_shape(operation), slot, cx).map_err(|fail| error_of(fail, ErrorCode::INVALID_PARAMS))
    }

    /// Translates an agent's JSON-RPC answer to `operation`, or one event of its stream; the text is in `self.out`.
    /// `id` is the client's id token; without it the agent's is echoed. What is wrong with the answer is said in an
    /// error answer.
    pub fn answer(
        &mut self,
        input: &[u8],
        operation: Operation,
        (from, to): (Version, Version),
        id: Option<&[u8]>,
        options: &Options,
    ) -> AnswerKind {
        let input = without_bom(input);
        self.start(input, options);
        let (agent, client) = (Peer::json_rpc(from), Peer::json_rpc(to));
        let shape = result_shape(operation);
        let read = read_answer(agent, operation, shape, 200, input, &mut self.doc);
        let echoed = id.unwrap_or_else(|| jsonrpc::id_read(&self.doc, input));
        let done = read.and_then(|slot| self.append_result(input, shape, slot, (agent, client), echoed, options));
        match done {
            Ok(()) => AnswerKind::Result,
            Err(error) => {
                self.out.bytes.clear();
                jsonrpc::write_error(&mut self.out, echoed, &error.for_json_rpc(to));
                AnswerKind::Error
            }
        }
    }

    /// Appends a result that was read into `self.doc` to `self.out`, in the client's envelope if its binding has one.
    ///
    /// # Errors
    /// What is wrong with the result: −32603 for malformed members, −32006 where there is no payload. Nothing is
    /// appended then.
    #[inline]
    pub fn append_result(
        &mut self,
        input: &[u8],
        shape: Shape,
        slot: Slot,
        (agent, client): (Peer, Peer),
        id: &[u8],
        options: &Options,
    ) -> Result<(), PeerError> {
        let mark = self.out.bytes.len();
        server::open_result(&mut self.out, client, id);
        let root = if client.binding == Binding::JsonRpc { "result" } else { "" };
        let to = match client.dialect() {
            Dialect::R3 if options.card_in_j3 && options.card.is_some() => Dialect::J3,
            dialect => dialect,
        };
        let cx = Context { from: agent.dialect(), to, mode: Mode::Result, root, options };
        match self.write(input, shape, slot, cx) {
            Ok(()) => {
                server::close_result(&mut self.out, client);
                Ok(())
            }
            Err(fail) => {
                self.out.bytes.truncate(mark);
                Err(error_of(fail, ErrorCode::INTERNAL_ERROR).into())
            }
        }
    }
}

/// What an answer turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A result.
    Result,
    /// An error, the agent's or about what the agent sent.
    Error,
}

fn empty_record(doc: &mut Doc, operation: Operation) -> Slot {
    let fields = crate::entity::params_entity(operation).fields.len();
    Slot::record(doc.allocate(fields))
}

/// The error in a [`Fail`]; `code` for a value that would be left out of a list.
pub(crate) fn error_of(fail: Fail, code: ErrorCode) -> A2aError {
    match fail.into_failure() {
        Failure::Error { code, message } => A2aError::new(code, message),
        Failure::Dropped => A2aError::new(code, "the value has no place in the target's version"),
    }
}

/// The error for an operation that only one version has (RULES 5.16).
pub(crate) fn no_equivalent(operation: Operation) -> A2aError {
    A2aError::new(
        ErrorCode::UNSUPPORTED_OPERATION,
        format!("{} has no equivalent in A2A v0.3, which the agent speaks", operation.as_str()),
    )
}
