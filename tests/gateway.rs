//! The gateway without a network: a flow's steps are carried out by the test, which plays the agent.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use a2a_compat::bridge::End;
use a2a_compat::gateway::io::{Body, BodyError, Chunk, Event, Fetch, FetchError, RequestHead, ResponseHead, Step};
use a2a_compat::gateway::{Config, Gateway, Runtime};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::rc::Rc;

#[path = "gateway/relay.rs"]
mod relay;

/// What the agent answers to a request.
enum Answer {
    Json(u16, Value),
    /// An event stream, chunk by chunk.
    Events(Vec<&'static str>),
    Unreachable,
}

/// What the client got.
struct Got {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
    log: Value,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

fn gateway(vars: &[(&str, &str)]) -> Rc<Gateway> {
    let vars: BTreeMap<_, _> = vars.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Gateway::new(Config::from_vars(&vars, &BTreeSet::new(), Runtime::Worker))
}

/// What names lead to, where the gateway has to look.
fn addresses_of(host: &str) -> Vec<IpAddr> {
    match host {
        "client.test" => vec!["93.184.216.34".parse().unwrap(), "2606:2800:220:1::1".parse().unwrap()],
        "rebound.test" => vec!["93.184.216.34".parse().unwrap(), "10.0.0.1".parse().unwrap()],
        _ => Vec::new(),
    }
}

fn card(version: &str, binding: &str) -> Value {
    json!({
        "name": "Agent", "description": "d", "version": "1", "capabilities": {"streaming": true},
        "defaultInputModes": [], "defaultOutputModes": [], "skills": [],
        "supportedInterfaces": [{"url": "https://agent.test/a2a", "protocolBinding": binding, "protocolVersion": version}],
    })
}

fn post(body: Value) -> (RequestHead, Vec<u8>) {
    let head = RequestHead {
        method: "POST".into(),
        origin: "https://gateway.test".into(),
        path: "/jsonrpc".into(),
        query: String::new(),
        headers: vec![("content-type".into(), "application/json".into())],
    };
    (head, body.to_string().into_bytes())
}

fn get(path: &str, version: &str) -> (RequestHead, Vec<u8>) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let head = RequestHead {
        method: "GET".into(),
        origin: "https://gateway.test".into(),
        path: path.into(),
        query: query.into(),
        headers: vec![("a2a-version".into(), version.into())],
    };
    (head, Vec::new())
}

/// Carries out one request; `agent` answers what the gateway asks. Returns what the client got and what was asked.
fn run(
    gateway: &Rc<Gateway>,
    now_ms: u64,
    (head, body): (RequestHead, Vec<u8>),
    mut agent: impl FnMut(&Fetch) -> Answer,
) -> (Got, Vec<Fetch>) {
    let mut flow = gateway.handle(head, now_ms);
    let mut asked = Vec::new();
    let mut whole: Result<Vec<u8>, BodyError> = Err(BodyError::Broken);
    let mut chunks: VecDeque<&'static str> = VecDeque::new();
    let mut event = Event::Start;
    loop {
        event = match flow.next(event).expect("a step") {
            Step::ReadBody(..) => Event::Body(Ok(body.clone())),
            Step::Fetch(fetch) => {
                let answer = agent(&fetch);
                asked.push(fetch);
                let json =
                    |status| ResponseHead { status, headers: vec![("content-type".into(), "application/json".into())] };
                Event::Response(match answer {
                    Answer::Json(status, value) => {
                        whole = Ok(value.to_string().into_bytes());
                        Ok(json(status))
                    }
                    Answer::Events(events) => {
                        chunks = events.into();
                        let headers = vec![("content-type".into(), "text/event-stream".into())];
                        Ok(ResponseHead { status: 200, headers })
                    }
                    Answer::Unreachable => Err(FetchError::Unreachable("connection refused".into())),
                })
            }
            Step::ReadResponse(..) => Event::Body(std::mem::replace(&mut whole, Err(BodyError::Broken))),
            Step::ReadChunk(_) => {
                Event::Chunk(chunks.pop_front().map_or(Chunk::Closed, |c| Chunk::Bytes(c.as_bytes().to_vec())))
            }
            Step::DropResponse | Step::CachePut(_) => Event::Done,
            Step::Random(count) => Event::Random(vec![7; count]),
            Step::Resolve(host) => Event::Resolved(addresses_of(&host)),
            Step::CacheGet(_) => Event::Cached(None, Vec::new()),
            Step::Finish(finish) => {
                let body = match finish.body {
                    Body::Bytes(bytes) => bytes,
                    Body::Pipe => whole.unwrap_or_default(),
                    Body::Translate(mut stream) => {
                        for chunk in chunks {
                            stream.push(chunk.as_bytes());
                        }
                        stream.finish(End::Closed);
                        stream.output()
                    }
                };
                let got = Got {
                    status: finish.head.status,
                    headers: finish.head.headers,
                    body: String::from_utf8(body).unwrap(),
                    log: serde_json::from_str(&finish.log.line(now_ms + 5, &[])).unwrap(),
                };
                return (got, asked);
            }
        };
    }
}

/// An agent with this card, and an answer for each JSON-RPC call.
fn agent(card: Value, mut answer: impl FnMut(&str, &Value) -> Answer) -> impl FnMut(&Fetch) -> Answer {
    move |fetch| {
        if fetch.method == "GET" && fetch.url.ends_with("/.well-known/agent-card.json") {
            return Answer::Json(200, card.clone());
        }
        let body: Value = serde_json::from_slice(fetch.body.as_deref().unwrap_or(b"null")).unwrap();
        answer(body["method"].as_str().unwrap_or_default(), &body["params"])
    }
}

fn result(value: Value) -> Answer {
    Answer::Json(200, json!({"jsonrpc": "2.0", "id": 1, "result": value}))
}

fn error(code: i32) -> Answer {
    Answer::Json(200, json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m"}}))
}

fn upstream() -> Rc<Gateway> {
    gateway(&[("UPSTREAM_URL", "https://agent.test")])
}

fn config(id: &str) -> Value {
    json!({"taskId": "t", "id": id, "url": "https://h.test"})
}

#[test]
fn all_pages_of_push_configs_are_collected_for_a_client_that_cannot_page() {
    let list = post(
        json!({"jsonrpc": "2.0", "id": "x", "method": "tasks/pushNotificationConfig/list", "params": {"id": "t"}}),
    );
    let (got, asked) = run(
        &upstream(),
        0,
        list,
        agent(card("1.0", "JSONRPC"), |method, params| {
            assert_eq!(method, "ListTaskPushNotificationConfigs");
            assert_eq!(params["taskId"], "t");
            match params["pageToken"].as_str() {
                None => result(json!({"configs": [config("a"), config("b")], "nextPageToken": "p2"})),
                Some("p2") => result(json!({"configs": [], "nextPageToken": "p3"})),
                Some("p3") => result(json!({"configs": [config("c")]})),
                other => panic!("{other:?}"),
            }
        }),
    );
    let ids: Vec<Value> =
        got.json()["result"].as_array().unwrap().iter().map(|c| c["pushNotificationConfig"]["id"].clone()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(got.json()["id"], "x");
    assert_eq!(asked.len(), 4);
    assert_eq!(got.header("a2a-compat-notices"), None);
}

#[test]
fn an_agent_whose_pages_never_end_is_left_after_ten_or_at_a_repeated_token() {
    for (repeat, calls) in [(false, 10), (true, 2)] {
        let list = post(
            json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/pushNotificationConfig/list", "params": {"id": "t"}}),
        );
        let mut page = 0;
        let (got, asked) = run(
            &upstream(),
            0,
            list,
            agent(card("1.0", "JSONRPC"), |_, _| {
                page += 1;
                let token = if repeat { "same".to_owned() } else { format!("p{page}") };
                result(json!({"configs": [config(&page.to_string())], "nextPageToken": token}))
            }),
        );
        assert_eq!(asked.len(), 1 + calls);
        assert_eq!(got.json()["result"].as_array().unwrap().len(), calls);
        assert_eq!(got.header("a2a-compat-notices"), Some("next_page_token_dropped"));
    }
}

#[test]
fn a_push_config_without_id_that_is_not_found_is_looked_for_among_all() {
    let get = || {
        post(json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/pushNotificationConfig/get", "params": {"id": "t"}}))
    };
    let (got, _) = run(
        &upstream(),
        0,
        get(),
        agent(card("1.0", "JSONRPC"), |method, params| match method {
            "GetTaskPushNotificationConfig" => {
                assert_eq!(params["id"], "t");
                error(-32001)
            }
            _ => result(json!({"configs": [config("invented")]})),
        }),
    );
    assert_eq!(got.json()["result"]["pushNotificationConfig"]["id"], "invented");
    let (got, _) = run(
        &upstream(),
        0,
        get(),
        agent(card("1.0", "JSONRPC"), |method, _| match method {
            "GetTaskPushNotificationConfig" => error(-32001),
            _ => result(json!({})),
        }),
    );
    assert_eq!(got.json()["error"]["code"], -32001);
}

#[test]
fn a_webhook_that_would_have_to_be_relayed_is_refused_and_nothing_is_sent() {
    let message =
        json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "x"}]});
    let push = json!({"url": "https://h.test"});
    for (method, params) in [
        ("message/send", json!({"message": message, "configuration": {"pushNotificationConfig": push}})),
        ("message/stream", json!({"message": message, "configuration": {"pushNotificationConfig": push}})),
        ("tasks/pushNotificationConfig/set", json!({"taskId": "t", "pushNotificationConfig": push})),
    ] {
        let call = post(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let (got, asked) = run(&upstream(), 0, call, agent(card("1.0", "JSONRPC"), |_, _| panic!("it was sent")));
        assert_eq!(got.json()["error"]["code"], -32003, "{method}");
        assert_eq!(asked.len(), 1);
    }
}

#[test]
fn a_gateway_that_is_pointed_at_itself_ends() {
    let (mut head, body) = get("/.well-known/agent-card.json", "1.0");
    head.headers.push(("a2a-compat-hops".into(), "3".into()));
    let mut hops = Vec::new();
    run(&upstream(), 0, (head, body), |fetch| {
        hops.push(fetch.headers.iter().find(|(n, _)| n == "a2a-compat-hops").unwrap().1.clone());
        Answer::Json(200, card("1.0", "JSONRPC"))
    });
    assert_eq!(hops, ["4"]);
    let (mut head, body) = get("/.well-known/agent-card.json", "1.0");
    head.headers.push(("a2a-compat-hops".into(), "4".into()));
    let (got, _) = run(&upstream(), 0, (head, body), |_| panic!("a fifth gateway"));
    assert_eq!(got.status, 508);
}

#[test]
fn a_card_is_fetched_once_served_stale_and_kept_when_the_agent_is_gone() {
    let gateway = upstream();
    let asks = |now_ms: u64, answer: fn() -> Answer| {
        let (got, asked) = run(&gateway, now_ms, get("/.well-known/agent-card.json", "1.0"), |_| answer());
        (got.status, asked.len())
    };
    let good = || Answer::Json(200, card("1.0", "JSONRPC"));
    assert_eq!(asks(0, good), (200, 1));
    assert_eq!(asks(299_999, good), (200, 0));
    assert_eq!(asks(300_000, good), (200, 0), "stale: served, and fetched behind the response");
    assert_eq!(asks(3_000_000, || Answer::Unreachable), (200, 1), "too old to be served before a try");
    let fresh = upstream();
    let (got, _) = run(&fresh, 0, get("/.well-known/agent-card.json", "1.0"), |_| Answer::Unreachable);
    assert_eq!(got.status, 502);
    assert!(got.body.contains("connection refused"), "{}", got.body);
}

#[test]
fn list_tasks_goes_between_the_bindings_of_v1_0_with_everything_it_has() {
    let tasks = json!({"tasks": [], "nextPageToken": "", "pageSize": 5, "totalSize": 0, "new": [1.0]});
    let path = "/tasks?pageSize=5&status=TASK_STATE_WORKING&includeArtifacts=true&contextId=a%26b";
    let (got, asked) = run(
        &upstream(),
        0,
        get(path, "1.0"),
        agent(card("1.0", "JSONRPC"), |method, params| {
            assert_eq!(method, "ListTasks");
            assert_eq!(
                *params,
                json!({"pageSize": 5, "status": "TASK_STATE_WORKING", "includeArtifacts": true, "contextId": "a&b"})
            );
            result(json!({"tasks": [], "nextPageToken": "", "pageSize": 5, "totalSize": 0, "new": [1.0]}))
        }),
    );
    assert_eq!((got.status, got.json()), (200, tasks.clone()));
    assert_eq!(asked.len(), 2);
    let list =
        post(json!({"jsonrpc": "2.0", "id": 9, "method": "ListTasks", "params": {"pageSize": 5, "contextId": "a&b"}}));
    let (got, asked) =
        run(&upstream(), 0, list, agent(card("1.0", "HTTP+JSON"), |_, _| Answer::Json(200, tasks.clone())));
    assert_eq!(asked[1].url, "https://agent.test/a2a/tasks?pageSize=5&contextId=a%26b");
    assert_eq!(got.json(), json!({"jsonrpc": "2.0", "id": 9, "result": tasks}));
}

#[test]
fn a_subscription_by_get_is_repeated_by_post_where_the_agent_wants_that() {
    let call = post(json!({"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": "t"}}));
    let (got, asked) = run(&upstream(), 0, call, |fetch| match (fetch.method, fetch.url.as_str()) {
        ("GET", url) if url.ends_with("agent-card.json") => Answer::Json(200, card("1.0", "HTTP+JSON")),
        ("GET", _) => Answer::Json(405, json!({})),
        _ => Answer::Events(vec![
            "data: {\"task\":{\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}\n\n",
        ]),
    });
    let methods: Vec<&str> = asked.iter().map(|fetch| fetch.method).collect();
    assert_eq!(methods, ["GET", "GET", "POST"]);
    assert!(got.body.contains("\"result\":{\"task\":{\"id\":\"t\""), "{}", got.body);
}

#[test]
fn the_log_line_says_who_spoke_what_and_nothing_of_the_content() {
    let call = post(
        json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "secret", "metadata": {}, "historyLength": 0}}),
    );
    let task = json!({"id": "secret", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}});
    let (got, _) = run(&upstream(), 1_000, call, agent(card("1.0", "JSONRPC"), |_, _| result(task.clone())));
    assert_eq!(
        got.log,
        json!({
            "time": "1970-01-01T00:00:01.000Z", "operation": "GetTask",
            "clientVersion": "0.3", "clientBinding": "JSONRPC", "upstreamVersion": "1.0", "upstreamBinding": "JSONRPC",
            "status": 200, "notices": ["history_length_zero"], "ms": 5,
        })
    );
    assert_eq!(got.header("a2a-compat-notices"), Some("history_length_zero"));
}

fn send(configuration: Value) -> (RequestHead, Vec<u8>) {
    let message =
        json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "x"}]});
    post(
        json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message, "configuration": configuration}}),
    )
}

#[test]
fn an_object_that_is_no_card_is_an_error_and_nothing_is_called() {
    for card in [json!({}), json!({"name": "n"}), json!({"name": "n", "url": 7})] {
        let (got, asked) = run(&upstream(), 0, send(json!({})), |_| Answer::Json(200, card.clone()));
        assert!(got.json()["error"]["message"].as_str().unwrap().contains("is not a card"), "{}", got.body);
        assert_eq!(asked.len(), 1);
    }
}

#[test]
fn a_stream_of_comments_only_ends_with_an_error_event() {
    let call = post(json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/resubscribe", "params": {"id": "t"}}));
    let (got, _) =
        run(&upstream(), 0, call, agent(card("1.0", "JSONRPC"), |_, _| Answer::Events(vec![": hi\n\n", ": ho\n\n"])));
    assert!(got.body.starts_with(": hi\n\n: ho\n\nevent: error\ndata: {"), "{}", got.body);
}

#[test]
fn a_value_of_the_wrong_type_is_no_empty_value() {
    for (configuration, field) in [
        (json!([]), "params.configuration"),
        (json!(""), "params.configuration"),
        (json!({"acceptedOutputModes": {}}), "params.configuration.acceptedOutputModes"),
        (json!({"acceptedOutputModes": ""}), "params.configuration.acceptedOutputModes"),
    ] {
        let (got, asked) =
            run(&upstream(), 0, send(configuration), agent(card("1.0", "JSONRPC"), |_, _| panic!("sent")));
        let error = &got.json()["error"];
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().starts_with(field), "{error}");
        assert_eq!(asked.len(), 1);
    }
}

#[test]
fn an_agents_words_are_passed_on_as_they_were_written() {
    let message = r#""a\u0041\/\u00e9\ud800""#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32603,"message":{message}}}}}"#);
    let mut flow = upstream().handle(send(json!({})).0, 0);
    let mut event = Event::Start;
    let mut fetched = 0;
    loop {
        event = match flow.next(event).unwrap() {
            Step::ReadBody(..) => Event::Body(Ok(send(json!({})).1)),
            Step::Fetch(_) => {
                fetched += 1;
                Event::Response(Ok(ResponseHead { status: 200, headers: Vec::new() }))
            }
            Step::ReadResponse(..) if fetched == 1 => Event::Body(Ok(card("1.0", "JSONRPC").to_string().into_bytes())),
            Step::ReadResponse(..) => Event::Body(Ok(body.clone().into_bytes())),
            Step::CacheGet(_) => Event::Cached(None, Vec::new()),
            Step::Finish(finish) => {
                let Body::Bytes(bytes) = finish.body else { panic!("bytes") };
                let text = String::from_utf8(bytes).unwrap();
                assert!(text.contains(message), "{text}");
                return;
            }
            _ => Event::Done,
        };
    }
}

#[test]
fn an_unknown_route_is_not_found_in_either_version() {
    for (version, expected) in [("1.0", json!("NOT_FOUND")), ("0.3", Value::Null)] {
        let (got, _) = run(&upstream(), 0, get("/nothing/here/at/all", version), |_| panic!("asked"));
        assert_eq!(got.status, 404);
        assert_eq!(got.json()["error"]["status"], expected);
    }
}

#[test]
fn what_is_no_object_is_no_result_between_the_bindings_of_a_version_either() {
    let call = post(json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t"}}));
    let (got, _) = run(&upstream(), 0, call, agent(card("1.0", "HTTP+JSON"), |_, _| Answer::Json(200, json!(5))));
    assert_eq!(got.json()["error"]["code"], -32006);
}
