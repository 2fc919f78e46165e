//! What a gateway asks of its loop, and what the loop answers. The loop does IO and decides nothing.

use super::flow::Flow;
use super::log::LogEntry;
use crate::bridge::StreamTranslator;
use crate::protocol::{Binding, Operation, Version};
use std::net::IpAddr;

/// Names and values in order.
pub type Headers = Vec<(String, String)>;

/// A client's request, without its body.
#[derive(Clone, Debug)]
pub struct RequestHead {
    /// `GET`, `POST` …
    pub method: String,
    /// Scheme, host and port: `https://gateway.example.org`.
    pub origin: String,
    /// The path, still encoded, with its leading slash.
    pub path: String,
    /// What follows the `?`; empty without one.
    pub query: String,
    /// The headers.
    pub headers: Headers,
}

/// A request to an agent. Redirects are not to be followed.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// `GET`, `POST` …
    pub method: &'static str,
    /// Where.
    pub url: String,
    /// The service binding to use instead of the network.
    pub binding: Option<String>,
    /// The headers.
    pub headers: Headers,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
    /// How long to wait for the response's headers, in milliseconds.
    pub timeout_ms: u64,
    /// Where the host was found to be ([`Step::Resolve`]): the connection is to go to one of these and nowhere else.
    /// Empty where the loop may look for itself.
    pub addresses: Vec<IpAddr>,
    /// The agent's last response is still being read: this one is read beside it, whole, by the next
    /// [`Step::ReadResponse`].
    pub beside: bool,
}

/// An agent's response, without its body.
#[derive(Clone, Debug)]
pub struct ResponseHead {
    /// HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: Headers,
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No response headers within the time limit.
    Timeout,
    /// No connection, or it broke; the loop's own words.
    Unreachable(String),
}

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is longer than allowed.
    TooLarge,
    /// The connection broke.
    Broken,
    /// It did not come whole in time.
    Timeout,
}

/// What came of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Bytes.
    Bytes(Vec<u8>),
    /// The agent closed it.
    Closed,
    /// The connection broke.
    Broken,
    /// The time to wait is over.
    Woke,
}

/// The client's response, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: Headers,
}

/// What the loop is to do next.
pub enum Step {
    /// Read the client's body, at most so many bytes and milliseconds: [`Event::Body`].
    ReadBody(usize, u64),
    /// Send a request: [`Event::Response`].
    Fetch(Fetch),
    /// Read the body of the agent's response, at most so many bytes and milliseconds: [`Event::Body`].
    ReadResponse(usize, u64),
    /// Read the next bytes of the agent's response, for at most so many milliseconds: [`Event::Chunk`].
    ReadChunk(Option<u64>),
    /// Cancel the agent's response without reading on: [`Event::Done`].
    DropResponse,
    /// Draw so many random bytes, fit for a cipher's nonce: [`Event::Random`].
    Random(usize),
    /// Find the addresses of a host: [`Event::Resolved`]. Workers, which cannot reach private networks, are never
    /// asked.
    Resolve(String),
    /// Look this key (a URL that nobody serves) up in the cache that the runtime's instances share, if it has one:
    /// [`Event::Cached`].
    CacheGet(String),
    /// Put this under a key of that cache: [`Event::Done`].
    CachePut(CacheEntry),
    /// Answer the client; the exchange is over.
    Finish(Finish),
}

/// What the loop did.
pub enum Event {
    /// The first one.
    Start,
    /// A body was read.
    Body(Result<Vec<u8>, BodyError>),
    /// A response began.
    Response(Result<ResponseHead, FetchError>),
    /// Something came of a stream, or did not.
    Chunk(Chunk),
    /// Random bytes.
    Random(Vec<u8>),
    /// The addresses of a host; empty if it has none or cannot be found.
    Resolved(Vec<IpAddr>),
    /// What the cache had.
    Cached(Option<ResponseHead>, Vec<u8>),
    /// It is done.
    Done,
}

/// Something for the shared cache.
pub struct CacheEntry {
    /// A URL that nobody serves.
    pub key: String,
    /// Headers to keep with it.
    pub headers: Headers,
    /// The body.
    pub body: Vec<u8>,
    /// How long it is of use, in milliseconds.
    pub ttl_ms: u64,
}

/// How the client is answered.
pub struct Finish {
    /// Status and headers.
    pub head: Head,
    /// The body.
    pub body: Body,
    /// The log line, to be written when the body is complete.
    pub log: RequestLog,
    /// Work that the client does not wait for; what it finishes with is nobody's.
    pub background: Option<Flow>,
}

/// The body of the client's response.
pub enum Body {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The agent's, untouched.
    Pipe,
    /// The agent's through a translator, whose output so far goes first.
    Translate(Box<StreamTranslator>),
}

/// What is to be logged of a request.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    /// When the request arrived, in milliseconds since 1970.
    pub time_ms: u64,
    /// The agent's name.
    pub agent: Option<String>,
    /// The operation, or what else it was for.
    pub operation: Option<&'static str>,
    /// What the client speaks.
    pub client: (Option<Version>, Option<Binding>),
    /// What the agent was asked in.
    pub upstream: Option<(Version, Binding)>,
    /// HTTP status.
    pub status: u16,
    /// Codes of notices.
    pub notices: Vec<&'static str>,
    /// What else an operator should know.
    pub remarks: Vec<&'static str>,
}

impl RequestLog {
    /// Notes what the request is for.
    pub fn set_operation(&mut self, operation: Operation) {
        self.operation = Some(operation.as_str());
    }

    /// The line, when the response was complete at `now_ms` and a stream had these further notices.
    pub fn line(&self, now_ms: u64, stream_notices: &[crate::engine::Notice]) -> String {
        let mut notices = self.notices.clone();
        notices.extend(stream_notices.iter().map(|notice| notice.code.0));
        LogEntry {
            time_ms: self.time_ms,
            agent: self.agent.as_deref(),
            operation: self.operation,
            client: self.client,
            upstream: self.upstream,
            status: self.status,
            notices: &notices,
            remarks: &self.remarks,
            duration_ms: now_ms.saturating_sub(self.time_ms),
        }
        .to_json()
    }
}
