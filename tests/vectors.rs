//! Runs every golden vector: value, error code and the exact set of notices.
//!
//! The folder is `$A2A_VECTORS`, by default the committed copy. Adding a vector needs no code.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use a2a_compat::bridge::{End, StreamSetup, StreamTranslator};
use a2a_compat::engine::{Context, Level, Mode, Notice, Options, Signatures};
use a2a_compat::entity::{A2aError, event_shape, params_shape, shape_named, translate_data};
use a2a_compat::gateway::headers;
use a2a_compat::protocol::{Binding, Dialect, ErrorCode, Operation, Peer, Version};
use a2a_compat::wire::client::{read_answer, reading_shape};
use a2a_compat::wire::rest::{self, PeerError};
use a2a_compat::wire::sse::{Item, Reader};
use a2a_compat::wire::{jsonrpc, server};
use a2a_compat::{Outcome, Translator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What a translation came to, in the vectors' terms.
struct Got {
    expected: Value,
    warnings: BTreeSet<String>,
}

struct Vector<'a> {
    name: &'a str,
    entity: &'a str,
    entry: &'a Map<String, Value>,
}

impl Vector<'_> {
    fn get(&self, key: &str) -> &Value {
        self.entry.get(key).unwrap_or(&Value::Null)
    }

    fn input(&self) -> &Value {
        self.get("input")
    }

    /// (from, to) as versions.
    fn versions(&self) -> (Version, Version) {
        match self.get("direction").as_str() {
            Some("to_v1") => (Version::V0_3, Version::V1_0),
            Some("to_v0_3") => (Version::V1_0, Version::V0_3),
            other => panic!("{}: direction {other:?}", self.name),
        }
    }

    fn mode(&self) -> Mode {
        match self.get("mode").as_str() {
            Some("request") => Mode::Request,
            Some("result") => Mode::Result,
            other => panic!("{}: mode {other:?}", self.name),
        }
    }

    fn operation(&self, op: &str) -> Operation {
        match op {
            "send" => Operation::SendMessage,
            "stream" => Operation::SendStreamingMessage,
            "get" => Operation::GetTask,
            "cancel" => Operation::CancelTask,
            "subscribe" => Operation::SubscribeToTask,
            "push_set" => Operation::CreateTaskPushNotificationConfig,
            "push_get" => Operation::GetTaskPushNotificationConfig,
            "push_list" => Operation::ListTaskPushNotificationConfigs,
            "push_delete" => Operation::DeleteTaskPushNotificationConfig,
            "extended_card" => Operation::GetExtendedAgentCard,
            "list" => Operation::ListTasks,
            other => panic!("{}: op {other}", self.name),
        }
    }
}

fn codes(notices: &[Notice]) -> BTreeSet<String> {
    notices.iter().filter(|n| n.level() == Level::Warning).map(|n| n.code.0.to_owned()).collect()
}

fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|e| panic!("not JSON: {e}: {}", String::from_utf8_lossy(bytes)))
}

fn error(code: ErrorCode) -> Value {
    json!({"error": {"code": code.0}})
}

fn run(vector: &Vector<'_>, options: &Options) -> Option<Got> {
    let (from, to) = vector.versions();
    let (j_from, j_to) = (jsonrpc::dialect(from), jsonrpc::dialect(to));
    let mut translator = Translator::default();
    if let Some(shape) = match vector.entity {
        "request_params" => Some(params_shape(vector.operation(vector.get("op").as_str().unwrap()))),
        entity => shape_named(entity),
    } {
        let input = serde_json::to_vec(vector.input()).unwrap();
        let cx = Context { from: j_from, to: j_to, mode: vector.mode(), root: "", options };
        let expected = match translator.value(&input, shape, cx) {
            Ok(Outcome::Written) => json!({"ok": parse(&translator.out.bytes)}),
            Ok(Outcome::Dropped) => json!({"dropped": true}),
            Err(e) => error(e.code),
        };
        return Some(Got { expected, warnings: codes(&translator.notices) });
    }
    let none = BTreeSet::new();
    let ok = |value: Value, warnings| Some(Got { expected: json!({"ok": value}), warnings });
    match vector.entity {
        "version" => {
            let header = vector.input()["A2A-Version"].as_str().unwrap();
            ok(json!({"version": Version::negotiate(header).map(Version::as_str)}), none)
        }
        "headers" => {
            let client: Vec<(String, String)> = vector.input()["headers"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned()))
                .collect();
            let sent = headers::to_upstream(&client, to, true).unwrap();
            // The hop count is the gateway's own, the vectors are about the client's headers.
            let sent: Map<String, Value> = sent
                .into_iter()
                .filter(|(name, _)| name != "a2a-compat-hops")
                .map(|(name, value)| (name, Value::String(value)))
                .collect();
            ok(json!({"headers": sent}), none)
        }
        "error_jsonrpc" => {
            let input = vector.input();
            let code = ErrorCode(input["code"].as_i64().unwrap() as i32);
            let data = input.get("data").map(|d| serde_json::to_vec(d).unwrap());
            let data = translate_data(code, data.as_deref(), from, to, false);
            let mut out = json!({"code": code.0, "message": input["message"]});
            if let Some(data) = data {
                out["data"] = parse(&data);
            }
            ok(out, none)
        }
        "push_webhook" => {
            let input = serde_json::to_vec(&vector.input()["body"]).unwrap();
            let cx = Context { from: j_from, to: j_to, mode: Mode::Result, root: "", options };
            let expected = match translator.value(&input, event_shape(), cx) {
                Ok(_) => {
                    let media_type = match to {
                        Version::V0_3 => "application/json",
                        Version::V1_0 => "application/a2a+json",
                    };
                    json!({"ok": {"content_type": media_type, "body": parse(&translator.out.bytes)}})
                }
                Err(e) => error(e.code),
            };
            Some(Got { expected, warnings: codes(&translator.notices) })
        }
        "jsonrpc_request" => {
            let body = match vector.input().get("text") {
                Some(text) => text.as_str().unwrap().as_bytes().to_vec(),
                None => serde_json::to_vec(&vector.input()["body"]).unwrap(),
            };
            let value = match translator.request(&body, from, options) {
                Ok(operation) => {
                    let mut value = json!({"jsonrpc": parse(&translator.out.bytes)});
                    let warnings = codes(&translator.notices);
                    rest_half(&body, from, to, operation, options, &warnings, &mut value);
                    return ok(value, warnings);
                }
                Err(refusal) => {
                    let mut out = a2a_compat::json::Out::default();
                    jsonrpc::write_error(&mut out, &refusal.id, &jsonrpc::error_for(&refusal.error, to, from));
                    json!({"error_response": parse(&out.bytes)})
                }
            };
            ok(value, codes(&translator.notices))
        }
        "jsonrpc_response" => {
            let input = vector.input();
            let mut options = options.clone();
            options.without_history = input["request"]["historyLength"] == 0;
            let operation = vector.operation(input["op"].as_str().unwrap());
            let body = serde_json::to_vec(&input["body"]).unwrap();
            translator.answer(&body, operation, (from, to), None, &options);
            ok(parse(&translator.out.bytes), codes(&translator.notices))
        }
        "sse" => {
            let text = vector.input()["text"].as_str().unwrap().as_bytes();
            // Whole, and cut into single bytes.
            let (whole, warnings) = stream(text, text.len(), from, to, vector, options);
            let (split, _) = stream(text, 1, from, to, vector, options);
            assert_eq!(whole, split, "{}: another result when the bytes come one at a time", vector.name);
            ok(json!({"events": whole}), warnings)
        }
        "rest_request" => {
            let input = vector.input();
            let query: Vec<(String, String)> = input["query"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned()))
                .collect();
            let body = input.get("body").map(|b| serde_json::to_vec(b).unwrap()).unwrap_or_default();
            let method = input["method"].as_str().unwrap();
            let read = rest_request(method, input["path"].as_str().unwrap(), &query, &body, from, to, options);
            let (value, warnings) = match read {
                Ok((call, params, warnings)) => {
                    let mut value = json!({"rest": call});
                    if to == Version::V1_0 {
                        value["params"] = params;
                    }
                    (value, warnings)
                }
                Err(error) => {
                    let (status, body) = rest::write_error(from, &error);
                    (json!({"error_response": {"status": status, "body": parse(&body)}}), BTreeSet::new())
                }
            };
            ok(value, warnings)
        }
        "rest_response" => {
            let input = vector.input();
            let operation = vector.operation(input["op"].as_str().unwrap());
            let (agent, client) = (Peer::new(from, Binding::HttpJson), Peer::new(to, Binding::HttpJson));
            let body = input.get("body").map(|b| serde_json::to_vec(b).unwrap()).unwrap_or_default();
            let status = input["status"].as_u64().unwrap() as u16;
            let shape = reading_shape(agent, client, operation);
            let done = read_answer(agent, operation, shape, status, &body, &mut translator.doc)
                .and_then(|slot| translator.append_result(&body, shape, slot, (agent, client), b"", options));
            let (status, body) = match done {
                Ok(()) => (server::success(client, operation).0, translator.out.bytes),
                Err(error) => rest::write_error(to, &error),
            };
            ok(json!({"status": status, "body": parse(&body)}), codes(&translator.notices))
        }
        "error_rest" => {
            let input = vector.input();
            let operation = input["op"].as_str().map_or(Operation::GetTask, |op| vector.operation(op));
            let body = serde_json::to_vec(&input["body"]).unwrap();
            let error = rest::read_error(from, operation, input["status"].as_u64().unwrap() as u16, &body);
            let (status, body) = rest::write_error(to, &error);
            ok(json!({"status": status, "body": parse(&body)}), none)
        }
        _ => None,
    }
}

/// The call that the target binding would be asked with, and the params in the target's dialect.
#[allow(clippy::type_complexity)]
fn rest_request(
    method: &str,
    path: &str,
    query: &[(String, String)],
    body: &[u8],
    from: Version,
    to: Version,
    options: &Options,
) -> Result<(Value, Value, BTreeSet<String>), PeerError> {
    let status = |status, error: A2aError| PeerError { status: Some(status), ..PeerError::from(error) };
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let parsed = rest::parse(&segments).map_err(|_| A2aError::new(ErrorCode::INVALID_PARAMS, "id"))?;
    let missing = || status(404, A2aError::new(ErrorCode::METHOD_NOT_FOUND, "no such route"));
    let mut parsed = parsed.ok_or_else(missing)?;
    if from == Version::V0_3 {
        parsed.prefix = None;
    }
    let operation = rest::operation(from, method, &parsed.resource).ok_or_else(missing)?;
    if operation == Operation::ListTasks && from == Version::V0_3 {
        return Err(status(501, A2aError::new(ErrorCode::UNSUPPORTED_OPERATION, "none")));
    }
    let params = rest::read_request(&rest::RestRequest { version: from, path: &parsed, query, body }, operation)?;
    let (dialect, target) = (Dialect::of(from, Binding::HttpJson), Dialect::of(to, Binding::HttpJson));
    let (params, warnings) = translated_params(&params, operation, dialect, target, options)?;
    let call = encoded(to, operation, &params)?;
    Ok((call, parse(&params), warnings))
}

fn translated_params(
    params: &[u8],
    operation: Operation,
    from: Dialect,
    to: Dialect,
    options: &Options,
) -> Result<(Vec<u8>, BTreeSet<String>), A2aError> {
    let mut translator = Translator::default();
    let cx = Context { from, to, mode: Mode::Request, root: "", options };
    translator.value(params, params_shape(operation), cx)?;
    Ok((translator.out.bytes, codes(&translator.notices)))
}

fn encoded(version: Version, operation: Operation, params: &[u8]) -> Result<Value, A2aError> {
    let call = rest::encode_call(version, operation, Some(params), Default::default())?;
    let (path, query) = call.target.split_once('?').unwrap_or((&call.target, ""));
    let query: Map<String, Value> = url::form_urlencoded::parse(query.as_bytes())
        .map(|(k, v)| (k.into_owned(), Value::String(v.into_owned())))
        .collect();
    let mut value = json!({"method": call.method, "path": path, "query": query});
    if let Some((body, _)) = call.body {
        value["body"] = parse(&body);
    }
    Ok(value)
}

/// What the same JSON-RPC request is over the target's HTTP+JSON binding.
fn rest_half(
    body: &[u8],
    from: Version,
    to: Version,
    operation: Operation,
    options: &Options,
    warnings: &BTreeSet<String>,
    value: &mut Value,
) {
    let params = parse(body).get("params").map_or(b"{}".to_vec(), |p| serde_json::to_vec(p).unwrap());
    let (dialect, target) = (jsonrpc::dialect(from), Dialect::of(to, Binding::HttpJson));
    let done = translated_params(&params, operation, dialect, target, options)
        .and_then(|(params, more)| Ok((encoded(to, operation, &params)?, more)));
    match done {
        Ok((call, more)) => {
            value["rest"] = call;
            let more: Vec<String> = more.difference(warnings).cloned().collect();
            if !more.is_empty() {
                value["rest_warnings"] = json!(more);
            }
        }
        Err(error) => {
            let id = parse(body)["id"].clone();
            value["rest_error_response"] = json!({"jsonrpc": "2.0", "id": id, "error": {"code": error.code.0}});
        }
    }
}

fn stream(
    text: &[u8],
    chunk: usize,
    from: Version,
    to: Version,
    vector: &Vector<'_>,
    options: &Options,
) -> (Vec<Value>, BTreeSet<String>) {
    let binding = match vector.input()["binding"].as_str() {
        Some("jsonrpc") => Binding::JsonRpc,
        Some("rest") => Binding::HttpJson,
        other => panic!("{}: binding {other:?}", vector.name),
    };
    let mut translator = StreamTranslator::new(StreamSetup {
        operation: Operation::SubscribeToTask,
        agent: Peer::new(from, binding),
        client: Peer::new(to, binding),
        id: serde_json::to_vec(&vector.input()["id"]).unwrap(),
        errors_as_events: true,
        interrupted_is_final: false,
        options: options.clone(),
        max_event_bytes: 1 << 20,
        budgets: Default::default(),
    });
    for chunk in text.chunks(chunk) {
        translator.push(chunk);
    }
    translator.finish(End::Closed);
    let mut events = Vec::new();
    Reader::new(1 << 20)
        .push(&translator.output(), |item| {
            if let Item::Event(event) = item {
                let name = if event.name.is_empty() { "message" } else { std::str::from_utf8(event.name).unwrap() };
                assert!(!event.multi_line, "one data line an event");
                events.push(json!({"event": name, "data": parse(event.data)}));
            }
            true
        })
        .unwrap();
    (events, codes(translator.notices()))
}

/// Compares as the vectors' README says: errors by code, `text` is one of many serialisations.
fn normalise(entity: &str, expected: &Value) -> Value {
    let mut expected = expected.clone();
    if let Some(code) = expected.pointer("/error/code").cloned() {
        return json!({"error": {"code": code}});
    }
    if let Some(ok) = expected.get_mut("ok").and_then(Value::as_object_mut)
        && ["jsonrpc_request", "sse"].contains(&entity)
    {
        for key in ["text", "jsonrpc_warnings"] {
            ok.remove(key);
        }
    }
    let is_own_error = expected.pointer("/ok/error_response").is_some()
        || expected.pointer("/ok/error").is_some()
        || expected.pointer("/ok/events").is_some()
        || expected.pointer("/ok/rest_error_response").is_some()
        || entity == "rest_response";
    if is_own_error {
        strip_messages(&mut expected);
    }
    expected
}

/// The text of an error is ours to word; its code and data are not.
fn strip_messages(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.contains_key("code") {
                map.remove("message");
            }
            map.values_mut().for_each(strip_messages);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_messages),
        _ => {}
    }
}

/// Numbers by value: `1.0` and `1`, `1e2` and `100` are the same; anything wider stays its token.
fn by_value(value: &Value) -> Value {
    match value {
        Value::Number(n) => match n.as_f64() {
            Some(f) if f.abs() < 9e15 => json!(f),
            _ => Value::String(format!("number {n}")),
        },
        Value::Array(items) => items.iter().map(by_value).collect(),
        Value::Object(map) => {
            let sorted: BTreeMap<_, _> = map.iter().map(|(k, v)| (k.clone(), by_value(v))).collect();
            json!(sorted)
        }
        other => other.clone(),
    }
}

#[test]
fn every_vector_has_its_value_its_error_and_its_notices() {
    let folder = std::env::var_os("A2A_VECTORS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"), PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let (mut passed, mut failures) = (0, Vec::new());
    for file in files {
        let text = std::fs::read(&file).unwrap();
        let entries: Vec<Map<String, Value>> = serde_json::from_slice(&text).unwrap();
        for entry in &entries {
            let vector =
                Vector { name: entry["name"].as_str().unwrap(), entity: entry["entity"].as_str().unwrap(), entry };
            let options = Options { embed: entry.get("embed") == Some(&Value::Bool(true)), ..Options::default() };
            let mut cases = vec![(entry["expected"].clone(), entry["warnings"].clone(), options.clone())];
            if let Some(copied) = vector.get("alternatives").get("copySignatures") {
                let options = Options { signatures: Signatures::Copy, ..options };
                cases.push((copied.clone(), json!([]), options));
            }
            for (expected, warnings, options) in cases {
                let Some(got) = run(&vector, &options) else {
                    failures.push(format!("{} {}: entity {} is not known", file.display(), vector.name, vector.entity));
                    continue;
                };
                let jsonrpc_warnings = expected.pointer("/ok/jsonrpc_warnings").cloned().unwrap_or(json!([]));
                let warnings: BTreeSet<String> = [&warnings, &jsonrpc_warnings]
                    .iter()
                    .flat_map(|list| list.as_array().unwrap())
                    .map(|w| w.as_str().unwrap().to_owned())
                    .collect();
                let want = by_value(&normalise(vector.entity, &expected));
                let have = by_value(&normalise(vector.entity, &got.expected));
                if want == have && warnings == got.warnings {
                    passed += 1;
                } else {
                    failures.push(format!(
                        "{} {} {}\n  want {want} {warnings:?}\n  have {have} {:?}",
                        file.file_name().unwrap().to_string_lossy(),
                        vector.name,
                        vector.get("direction"),
                        got.warnings
                    ));
                }
            }
        }
    }
    println!("{passed} vectors as expected, {} not", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(passed > 600, "only {passed} vectors were run");
}

#[test]
fn big_numbers_odd_tokens_and_key_order_survive_byte_for_byte() {
    let data = r#"{"z":12345678901234567890,"a":1e400,"m":1.0,"e":"\u00e9\/","d":1,"d":2}"#;
    let input = format!(r#"{{"kind":"data","data":{data},"metadata":{data}}}"#);
    let cx =
        Context { from: Dialect::J3, to: Dialect::P1, mode: Mode::Request, root: "", options: &Options::default() };
    let mut translator = Translator::default();
    translator.value(input.as_bytes(), shape_named("part").unwrap(), cx).unwrap();
    assert_eq!(String::from_utf8(translator.out.bytes).unwrap(), format!(r#"{{"data":{data},"metadata":{data}}}"#));
}

#[test]
fn errors_name_the_field_in_the_callers_terms() {
    let text = br#"{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"messageId":"m","role":"user",
        "parts":[{"kind":"text","text":"a"},{"kind":"text","text":"b"},{"kind":"file","file":{}}]}}}"#;
    let refusal = Translator::default().request(text, Version::V0_3, &Options::default()).unwrap_err();
    assert_eq!(refusal.id, b"7");
    assert_eq!(
        refusal.error,
        A2aError::new(ErrorCode::INVALID_PARAMS, "params.message.parts[2].file needs bytes or uri")
    );
}
