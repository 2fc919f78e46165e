//! The JSON-RPC 2.0 envelope (RULES 0.12, 8, 9).

use crate::engine::{Doc, Key, Slot, known_key};
use crate::entity::{A2aError, Shape, params_shape, translate_data};
use crate::json::{Out, Scanner, Span, SyntaxError, integral, members, text, unescape};
use crate::protocol::{Dialect, ErrorCode, Operation, Version};

/// The dialect of JSON-RPC bodies of a version.
pub fn dialect(version: Version) -> Dialect {
    match version {
        Version::V0_3 => Dialect::J3,
        Version::V1_0 => Dialect::P1,
    }
}

/// A client's request, read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The id's token as it was sent; `null` if there was none.
    pub id: Vec<u8>,
    /// The method's text.
    pub method: String,
    /// What the method means, if either version knows it.
    pub operation: Option<(Operation, Version)>,
    /// The params: a record or a span of the [`Doc`] they were read into, absent if there were none.
    pub params: Slot,
    /// Where the params lie in the body.
    pub params_span: Option<Span>,
}

/// A request that cannot be understood: the id as far as it is known, and the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The id's token for the answer.
    pub id: Vec<u8>,
    /// Why.
    pub error: A2aError,
}

const NULL: &[u8] = b"null";

/// The text for a body that is not JSON.
pub fn parse_error(error: SyntaxError) -> A2aError {
    A2aError::new(ErrorCode::PARSE_ERROR, format!("Invalid JSON: {error}"))
}

fn invalid_request(id: &[u8], why: &str) -> Refusal {
    Refusal {
        id: id.to_vec(),
        error: A2aError::new(ErrorCode::INVALID_REQUEST, format!("Invalid JSON-RPC Request: {why}")),
    }
}

/// Reads a request. `body` is without byte order mark. Params of a known method are read into `doc`
/// in the method's dialect; in one pass if the method comes before them, as nearly all clients send it.
///
/// # Errors
/// −32700 for what is not JSON, −32600 for what is not a JSON-RPC request, with the id to answer with.
pub fn read_request(body: &[u8], doc: &mut Doc) -> Result<Request, Refusal> {
    doc.clear();
    let parse = |e| Refusal { id: NULL.to_vec(), error: parse_error(e) };
    let mut scanner = Scanner::new(body).map_err(parse)?;
    if scanner.peek() != b'{' {
        let batch = scanner.peek() == b'[';
        scanner.value().and_then(|_| scanner.end()).map_err(parse)?;
        return Err(invalid_request(NULL, if batch { "batches are not supported" } else { "an object was expected" }));
    }
    let mut seen = Envelope::default();
    scan_request(&mut scanner, doc, &mut seen).map_err(parse)?;
    let id = id_token(body, seen.id).ok_or_else(|| invalid_request(NULL, "id must be a string, an integer or null"))?;
    if !seen.jsonrpc.is_some_and(|span| span.of(body) == b"\"2.0\"" || text(body, span).as_deref() == Some("2.0")) {
        return Err(invalid_request(id, "jsonrpc must be \"2.0\""));
    }
    let Some(method) = seen.method.and_then(|span| text(body, span)) else {
        return Err(invalid_request(id, "method must be a string"));
    };
    let operation = seen.operation;
    let params_span = match &seen.params {
        Params::None => None,
        Params::Read(_, span) | Params::Unread(span) => Some(*span).filter(|s| s.of(body) != NULL),
    };
    let params = match (operation, seen.params) {
        (Some((operation, version)), Params::Unread(span)) if span.of(body).starts_with(b"{") => {
            let mut again = Scanner::resume(body, span);
            params_shape(operation).read(doc, &mut again, dialect(version)).map_err(parse)?
        }
        (_, Params::Unread(span)) if span.of(body) == NULL => Slot::ABSENT,
        (_, Params::Unread(span)) => Slot::span(span),
        (_, Params::Read(slot, _)) => slot,
        (_, Params::None) => Slot::ABSENT,
    };
    Ok(Request { id: id.to_vec(), method: method.into_owned(), operation, params, params_span })
}

#[derive(Default)]
struct Envelope {
    jsonrpc: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    operation: Option<(Operation, Version)>,
    params: Params,
}

#[derive(Default)]
enum Params {
    #[default]
    None,
    /// Read with the method's table; where they lie.
    Read(Slot, Span),
    /// They came before the method, or the method is unknown.
    Unread(Span),
}

static REQUEST_KEYS: [Key; 4] = [Key::new("jsonrpc"), Key::new("id"), Key::new("method"), Key::new("params")];
static ANSWER_KEYS: [Key; 4] = [Key::new("jsonrpc"), Key::new("id"), Key::new("result"), Key::new("error")];
// Places in both tables.
const JSONRPC: usize = 0;
const ID: usize = 1;
// Places in one of them.
const METHOD: usize = 2;
const PARAMS: usize = 3;
const RESULT: usize = 2;
const ERROR: usize = 3;

fn scan_request(scanner: &mut Scanner<'_>, doc: &mut Doc, seen: &mut Envelope) -> Result<(), SyntaxError> {
    each_member(scanner, &REQUEST_KEYS, |scanner, key| {
        match key {
            Some(JSONRPC) => seen.jsonrpc = Some(scanner.value()?),
            Some(ID) => seen.id = Some(scanner.value()?),
            Some(METHOD) => {
                let method = scanner.value()?;
                seen.method = Some(method);
                seen.operation = text(scanner.input(), method).and_then(|method| Operation::from_json_rpc(&method));
                // A second method behind the params: they were read as the first one's.
                if let Params::Read(_, span) = seen.params {
                    seen.params = Params::Unread(span);
                }
            }
            Some(PARAMS) => {
                seen.params = match seen.operation {
                    Some((operation, version)) if scanner.peek() == b'{' => {
                        let start = scanner.offset();
                        let slot = params_shape(operation).read(doc, scanner, dialect(version))?;
                        Params::Read(slot, Span { start, end: scanner.offset() })
                    }
                    _ => Params::Unread(scanner.value()?),
                };
            }
            _ => {
                scanner.value()?;
            }
        }
        Ok(())
    })?;
    scanner.end()
}

/// Passes the object that is next, calling `visit` at each value with its key's place in `keys`, if it is there.
fn each_member(
    scanner: &mut Scanner<'_>,
    keys: &'static [Key],
    mut visit: impl FnMut(&mut Scanner<'_>, Option<usize>) -> Result<(), SyntaxError>,
) -> Result<(), SyntaxError> {
    scanner.open()?;
    if scanner.peek() == b'}' {
        scanner.close();
        return Ok(());
    }
    let mut guess = 0;
    loop {
        let place = match known_key(scanner, keys, guess) {
            Some(place) => Some(place),
            None => other_spelling(scanner, keys)?,
        };
        guess = place.map_or(guess, |place| place + 1);
        visit(scanner, place)?;
        match scanner.peek() {
            b',' => scanner.advance(),
            b'}' => {
                scanner.close();
                return Ok(());
            }
            _ => return scanner.unexpected("a comma or a closing brace was expected"),
        }
    }
}

/// A key with escapes, with white space behind it, or unknown.
fn other_spelling(scanner: &mut Scanner<'_>, keys: &'static [Key]) -> Result<Option<usize>, SyntaxError> {
    let name = unescape(scanner.key()?.of(scanner.input()));
    Ok(keys.iter().position(|key| key.text() == name.as_bytes()))
}

/// The id as it is echoed: a string, an integer, `null`; `None` for anything else (RULES 0.12).
fn id_token(input: &[u8], id: Option<Span>) -> Option<&[u8]> {
    let Some(span) = id else { return Some(NULL) };
    let token = span.of(input);
    match token.first() {
        Some(b'"') => Some(token),
        Some(b'-' | b'0'..=b'9') if !token.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) => Some(token),
        _ if token == NULL => Some(token),
        _ => None,
    }
}

/// Writes the beginning of a request, up to where the params' value comes. `method` is one of our names, so nothing in
/// it needs an escape. Close it with [`close`].
pub fn open_request(out: &mut Out, id: &[u8], method: &str, with_params: bool) {
    out.text("{\"jsonrpc\":\"2.0\",\"id\":");
    out.raw(id);
    out.text(",\"method\":\"");
    out.text(method);
    out.text(if with_params { "\",\"params\":" } else { "\"" });
}

/// Writes the beginning of a successful answer, up to where the result's value comes.
pub fn open_result(out: &mut Out, id: &[u8]) {
    out.text("{\"jsonrpc\":\"2.0\",\"id\":");
    out.raw(id);
    out.text(",\"result\":");
}

/// Closes an envelope.
pub fn close(out: &mut Out) {
    out.text("}");
}

/// Writes an error answer; the error's data must be in the shape of the client's version.
pub fn write_error(out: &mut Out, id: &[u8], error: &A2aError) {
    out.text("{\"jsonrpc\":\"2.0\",\"id\":");
    out.raw(id);
    out.text(",\"error\":{\"code\":");
    out.text(&error.code.0.to_string());
    out.text(",\"message\":");
    error.write_message(out);
    if let Some(data) = &error.data {
        out.text(",\"data\":");
        out.raw(data);
    }
    out.text("}}");
}

/// The error with its data in the shape of the version `to`. Errors of our own have none: `from` is then irrelevant,
/// and v1.0 clients get the code's `ErrorInfo` (RULES E.2).
pub fn error_for(error: &A2aError, from: Version, to: Version) -> A2aError {
    let from = if error.data.is_none() { Version::V0_3 } else { from };
    A2aError {
        code: error.code,
        message: error.message.clone(),
        message_token: error.message_token.clone(),
        data: translate_data(error.code, error.data.as_deref(), from, to, false),
    }
}

/// An agent's answer, read.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The result; absent if it was missing or `null`.
    Result(Slot),
    /// The error, its data in the agent's shape.
    Error(A2aError),
}

/// Reads an agent's answer to `operation`, its result with `shape` into `doc`. For streaming operations that is one
/// event.
///
/// # Errors
/// The text is not JSON, or not a JSON-RPC answer: −32006.
pub fn read_answer(
    body: &[u8],
    operation: Operation,
    shape: Shape,
    version: Version,
    doc: &mut Doc,
) -> Result<Answer, A2aError> {
    doc.clear();
    let invalid = |why: String| A2aError::new(ErrorCode::INVALID_AGENT_RESPONSE, format!("The agent's answer {why}"));
    let syntax = |e: SyntaxError| invalid(format!("is not JSON: {e}"));
    let mut scanner = Scanner::new(body).map_err(syntax)?;
    if scanner.peek() != b'{' {
        scanner.value().and_then(|_| scanner.end()).map_err(syntax)?;
        return Err(invalid("is not a JSON-RPC response object".to_owned()));
    }
    let (mut result, mut error) = (None, None);
    each_member(&mut scanner, &ANSWER_KEYS, |scanner, key| {
        match key {
            Some(RESULT) => result = Some(shape.read(doc, scanner, dialect(version))?),
            Some(ERROR) => error = Some(scanner.value()?).filter(|s| s.of(scanner.input()) != NULL),
            Some(ID) => doc.id = Some(scanner.value()?),
            _ => {
                scanner.value()?;
            }
        }
        Ok(())
    })
    .and_then(|()| scanner.end())
    .map_err(|e| {
        doc.id = None;
        syntax(e)
    })?;
    if let Some(error) = error {
        return read_error(body, error)
            .map(Answer::Error)
            .ok_or_else(|| invalid("has an error that is not a JSON-RPC error".to_owned()));
    }
    match result {
        Some(slot) => Ok(Answer::Result(slot)),
        None if operation == Operation::DeleteTaskPushNotificationConfig => Ok(Answer::Result(Slot::ABSENT)),
        None => Err(invalid("has neither result nor error".to_owned())),
    }
}

/// A string that has escapes, as it is.
pub fn escaped(body: &[u8], value: Span) -> Option<Vec<u8>> {
    let raw = value.of(body);
    (raw.starts_with(b"\"") && raw.contains(&b'\\')).then(|| raw.to_vec())
}

/// Reads a JSON-RPC error object: an integral code, a message, any data. `None` if it is not one.
pub fn read_error(body: &[u8], span: Span) -> Option<A2aError> {
    let (mut code, mut message, mut token, mut data) = (None, String::new(), None, None);
    for (key, value) in members(body, span) {
        match unescape(key.of(body)).as_ref() {
            "code" => code = integral(value.of(body)).and_then(|code| i32::try_from(code).ok()),
            "message" => {
                message = text(body, value).unwrap_or_default().into_owned();
                token = escaped(body, value);
            }
            "data" => data = Some(value).filter(|v| v.of(body) != NULL),
            _ => {}
        }
    }
    Some(A2aError { code: ErrorCode(code?), message, message_token: token, data: data.map(|d| d.of(body).to_vec()) })
}

/// The id token of the answer that was read into `doc` from `body`; `null` if it had none.
pub fn id_read<'a>(doc: &Doc, body: &'a [u8]) -> &'a [u8] {
    id_token(body, doc.id).unwrap_or(NULL)
}
