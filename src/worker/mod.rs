//! The Cloudflare entry: IO and nothing else. What happens to a request is decided by [`crate::gateway`].

mod cache;
mod outgoing;
mod stream;
mod vars;

use crate::gateway::io::{Body, Event, Finish, Head, Headers, RequestHead, Step};
use crate::gateway::{Flow, Gateway};
use outgoing::{Upstream, read_limited};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{Env, Error, Request, Response, ResponseBuilder, Result, console_log};

thread_local! {
    /// One gateway an instance: it remembers the agents' cards.
    static GATEWAY: RefCell<Option<Rc<Gateway>>> = const { RefCell::new(None) };
}

#[wasm_bindgen]
unsafe extern "C" {
    /// Tells the JavaScript entry that this instance is dead.
    #[wasm_bindgen(js_namespace = globalThis, js_name = a2aCompatCrashed)]
    fn crashed();
}

/// Runs inside the dying instance, which can make one call only.
fn on_abort() {
    crashed();
}

#[wasm_bindgen(start, private)]
fn start() {
    // Where it happened, never what: a message may hold a client's data.
    std::panic::set_hook(Box::new(|info| {
        if let Some(at) = info.location() {
            worker::console_error!("panic at {}:{}", at.file(), at.line());
        }
    }));
}

/// Answers one request. The JavaScript entry (js/worker.mjs) calls it.
///
/// # Errors
/// The runtime's own, for example a response that it does not take.
#[wasm_bindgen]
pub async fn fetch(request: worker::web_sys::Request, env: JsValue, context: JsValue) -> Result<JsValue, JsValue> {
    wasm_bindgen::handler::set_on_abort(on_abort);
    #[cfg(feature = "test-hooks")]
    test_hook(&request);
    let env: Env = env.unchecked_into();
    answer(Request::from(request), env, context.unchecked_into()).await.map_err(JsValue::from)
}

/// Crashes on purpose, in test builds only.
#[cfg(feature = "test-hooks")]
#[allow(clippy::panic)]
fn test_hook(request: &worker::web_sys::Request) {
    match request.headers().get("x-a2a-compat-test").ok().flatten().as_deref() {
        Some("panic") => panic!("a panic on purpose"),
        Some("trap") => core::arch::wasm32::unreachable(),
        _ => {}
    }
}

fn now_ms() -> u64 {
    worker::Date::now().as_millis()
}

async fn answer(mut request: Request, env: Env, context: worker::worker_sys::Context) -> Result<JsValue> {
    let gateway =
        GATEWAY.with_borrow_mut(|known| known.get_or_insert_with(|| Gateway::new(vars::config(&env))).clone());
    let url = request.url()?;
    let head = RequestHead {
        method: request.method().to_string(),
        origin: url.origin().ascii_serialization(),
        path: url.path().to_owned(),
        query: url.query().unwrap_or_default().to_owned(),
        headers: request.headers().entries().collect(),
    };
    let without_body = head.method == "HEAD";
    let flow = gateway.handle(head, now_ms());
    let (mut finish, upstream) = run(flow, Some(&mut request), &env).await?;
    if let Some(background) = finish.background.take() {
        let work = async move {
            let _ = run(background, None, &env).await;
            Ok(JsValue::UNDEFINED)
        };
        context.wait_until(&wasm_bindgen_futures::future_to_promise(work))?;
    }
    respond(finish, upstream, without_body)
}

/// Carries out a flow's steps until it has an answer.
async fn run(mut flow: Flow, mut request: Option<&mut Request>, env: &Env) -> Result<(Finish, Upstream)> {
    let mut upstream = Upstream::default();
    let mut event = Event::Start;
    loop {
        let Some(step) = flow.next(event) else {
            return Err(Error::RustError("the flow of a request stopped without an answer".to_owned()));
        };
        event = match step {
            Step::ReadBody(most, within) => Event::Body(match request.as_mut().map(|request| request.stream()) {
                Some(Ok(mut body)) => read_limited(&mut body, most, within).await,
                _ => Ok(Vec::new()),
            }),
            Step::Fetch(fetch) => Event::Response(upstream.send(fetch, env).await),
            Step::ReadResponse(most, within) => Event::Body(upstream.read_whole(most, within).await),
            Step::ReadChunk(within) => Event::Chunk(upstream.read_chunk(within).await),
            Step::DropResponse => {
                upstream.drop_response();
                Event::Done
            }
            Step::Random(count) => {
                let mut bytes = vec![0; count];
                getrandom::fill(&mut bytes).map_err(|error| Error::RustError(error.to_string()))?;
                Event::Random(bytes)
            }
            // Workers reach public addresses only and cannot look names up.
            Step::Resolve(_) => Event::Resolved(Vec::new()),
            Step::CacheGet(key) => match cache::get(&key).await {
                Ok(Some((head, body))) => Event::Cached(Some(head), body),
                _ => Event::Cached(None, Vec::new()),
            },
            Step::CachePut(entry) => {
                // Without the cache everything works, only slower.
                let _ = cache::put(entry).await;
                Event::Done
            }
            Step::Finish(finish) => return Ok((finish, upstream)),
        };
    }
}

fn respond(finish: Finish, mut upstream: Upstream, without_body: bool) -> Result<JsValue> {
    let Finish { head, body, log, background: _ } = finish;
    let builder = builder(&head)?;
    match body {
        Body::Bytes(bytes) => {
            upstream.drop_response();
            console_log!("{}", log.line(now_ms(), &[]));
            let empty = without_body || matches!(head.status, 204 | 304);
            js(if empty { builder.empty() } else { builder.fixed(bytes) })
        }
        Body::Pipe => {
            console_log!("{}", log.line(now_ms(), &[]));
            js(match upstream.take_body() {
                Some(body) if !matches!(head.status, 204 | 304) => builder.body(body),
                _ => builder.empty(),
            })
        }
        Body::Translate(translator) => {
            let crash_event = String::from_utf8_lossy(&translator.crash_event()).into_owned();
            let stream = stream::translated(upstream, translator, log);
            let response = js(builder.from_stream(stream)?)?;
            // The entry ends the stream with this event if the instance crashes.
            worker::js_sys::Reflect::set(&response, &"errorEvent".into(), &crash_event.into())?;
            Ok(response)
        }
    }
}

fn builder(head: &Head) -> Result<ResponseBuilder> {
    Ok(ResponseBuilder::new().with_status(head.status).with_headers(to_headers(&head.headers)?))
}

fn to_headers(list: &Headers) -> Result<worker::Headers> {
    let headers = worker::Headers::new();
    for (name, value) in list {
        headers.append(name, value)?;
    }
    Ok(headers)
}

fn js(response: Response) -> Result<JsValue> {
    Ok(worker::web_sys::Response::from(response).into())
}
