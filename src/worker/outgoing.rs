//! Requests to agents and reading what they answer.

use super::to_headers;
use crate::gateway::io::{BodyError, Chunk, Fetch, FetchError, ResponseHead};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use std::time::Duration;
use worker::{
    AbortController, ByteStream, Delay, Env, Method, Request, RequestInit, RequestRedirect, Response, ResponseBody,
};

/// The agent's responses: the one at hand, and one that is read beside it.
#[derive(Default)]
pub(super) struct Upstream {
    response: Option<Response>,
    stream: Option<ByteStream>,
    beside: Option<Response>,
}

impl Upstream {
    /// Sends a request and waits for the response's headers.
    pub async fn send(&mut self, fetch: Fetch, env: &Env) -> Result<ResponseHead, FetchError> {
        let beside = fetch.beside;
        if !beside {
            self.drop_response();
        }
        let controller = AbortController::default();
        let signal = controller.signal();
        let sent = Box::pin(send(&fetch, env, signal));
        let time = Delay::from(Duration::from_millis(fetch.timeout_ms));
        let response = match select(sent, time).await {
            Either::Left((Ok(response), _)) => response,
            Either::Left((Err(error), _)) => return Err(FetchError::Unreachable(reason(&error))),
            Either::Right(_) => {
                controller.abort();
                return Err(FetchError::Timeout);
            }
        };
        let head = ResponseHead { status: response.status_code(), headers: response.headers().entries().collect() };
        if beside {
            self.beside = Some(response);
        } else {
            self.response = Some(response);
        }
        Ok(head)
    }

    /// The whole body of the response at hand, or of the one beside it.
    pub async fn read_whole(&mut self, most: usize, within: u64) -> Result<Vec<u8>, BodyError> {
        let Some(mut response) = self.beside.take().or_else(|| self.response.take()) else {
            return Err(BodyError::Broken);
        };
        match response.stream() {
            Ok(mut body) => read_limited(&mut body, most, within).await,
            // No body at all.
            Err(_) => Ok(Vec::new()),
        }
    }

    /// The next bytes of the response at hand, for at most `within` milliseconds.
    pub async fn read_chunk(&mut self, within: Option<u64>) -> Chunk {
        if self.stream.is_none() {
            self.stream = self.response.take().and_then(|mut response| response.stream().ok());
        }
        let Some(stream) = &mut self.stream else { return Chunk::Closed };
        let next = stream.next();
        let came = match within {
            None => next.await,
            Some(ms) => match select(next, Delay::from(Duration::from_millis(ms))).await {
                Either::Left((came, _)) => came,
                Either::Right(_) => return Chunk::Woke,
            },
        };
        match came {
            Some(Ok(bytes)) => Chunk::Bytes(bytes),
            Some(Err(_)) => Chunk::Broken,
            None => Chunk::Closed,
        }
    }

    /// The body of the response at hand, as it is.
    pub fn take_body(&mut self) -> Option<ResponseBody> {
        self.response.take().map(|response| response.into_parts().1)
    }

    /// Cancels what has not been read.
    pub fn drop_response(&mut self) {
        self.stream = None;
        if let Some(mut response) = self.response.take() {
            // Dropping its stream cancels the body.
            drop(response.stream());
        }
    }
}

async fn send(fetch: &Fetch, env: &Env, signal: worker::AbortSignal) -> worker::Result<Response> {
    let mut init = RequestInit::new();
    init.with_method(Method::from(fetch.method.to_owned()))
        .with_headers(to_headers(&fetch.headers)?)
        .with_redirect(RequestRedirect::Manual);
    if let Some(body) = &fetch.body {
        init.with_body(Some(worker::js_sys::Uint8Array::from(body.as_slice()).into()));
    }
    let request = Request::new_with_init(&fetch.url, &init)?;
    match &fetch.binding {
        Some(name) => env.service(name)?.fetch_request(request).await,
        None => worker::Fetch::Request(request).send_with_signal(&signal).await,
    }
}

/// The runtime's words, without what it adds about itself.
fn reason(error: &worker::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("Error: ").to_owned()
}

/// Reads a body of at most `most` bytes, for at most `within` milliseconds.
pub(super) async fn read_limited(body: &mut ByteStream, most: usize, within: u64) -> Result<Vec<u8>, BodyError> {
    let read = Box::pin(read_all(body, most));
    match select(read, Delay::from(Duration::from_millis(within))).await {
        Either::Left((read, _)) => read,
        Either::Right(_) => Err(BodyError::Timeout),
    }
}

async fn read_all(body: &mut ByteStream, most: usize) -> Result<Vec<u8>, BodyError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        let mut chunk = chunk.map_err(|_| BodyError::Broken)?;
        if bytes.len() + chunk.len() > most {
            return Err(BodyError::TooLarge);
        }
        if bytes.is_empty() {
            bytes = chunk;
        } else {
            bytes.append(&mut chunk);
        }
    }
    Ok(bytes)
}
