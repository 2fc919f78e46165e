//! Webhooks: registered through the gateway, delivered through it.

use super::{Answer, Got, addresses_of, agent, card, error, get, post, result, run};
use a2a_compat::gateway::io::{Fetch, RequestHead};
use a2a_compat::gateway::{Config, Gateway, RelayKey, RelayKeys, Runtime, relay_token};
use a2a_compat::protocol::Version;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const HOOK: &str = "https://client.test/hook?x=1";

fn relaying(more: &[(&str, &str)]) -> Rc<Gateway> {
    relaying_in(more, Runtime::Worker)
}

fn relaying_in(more: &[(&str, &str)], runtime: Runtime) -> Rc<Gateway> {
    let vars = [("UPSTREAM_URL", "https://agent.test"), ("PUBLIC_URL", "https://gateway.test/a2a"), ("RELAY_KEY", KEY)];
    let vars: BTreeMap<_, _> =
        vars.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Gateway::new(Config::from_vars(&vars, &BTreeSet::new(), runtime))
}

fn both() -> Value {
    let mut card = card("1.0", "JSONRPC");
    card["supportedInterfaces"] = json!([
        {"url": "https://agent.test/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": "https://agent.test/legacy", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
    ]);
    card
}

fn set(url: &str) -> Value {
    json!({"taskId": "t", "pushNotificationConfig": {"id": "c", "url": url, "token": "tok"}})
}

fn call(method: &str, params: Value) -> (RequestHead, Vec<u8>) {
    post(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn sealed_in(url: &str) -> &str {
    url.strip_prefix("https://gateway.test/a2a/relay/").unwrap_or_else(|| panic!("{url} is no relay's"))
}

fn keys(key: u8) -> RelayKeys {
    RelayKeys { current: RelayKey([key; 32]), previous: None }
}

fn opened(url: &str) -> (Version, String) {
    relay_token::open(&keys(1), None, sealed_in(url)).unwrap()
}

/// Registers over both methods and says what URL the agent got.
fn registered(
    gateway: &Rc<Gateway>,
    card: Value,
    method: &'static str,
    params: Value,
    url_at: &'static str,
) -> (Got, String) {
    let seen = RefCell::new(String::new());
    let (got, _) = run(
        gateway,
        0,
        call(method, params),
        agent(card, |_, params| {
            *seen.borrow_mut() = params.pointer(url_at).and_then(Value::as_str).unwrap_or("none").to_owned();
            result(params.clone())
        }),
    );
    (got, seen.into_inner())
}

#[test]
fn a_webhook_of_the_other_version_is_sealed_and_the_client_sees_its_own() {
    let (got, url) =
        registered(&relaying(&[]), card("1.0", "JSONRPC"), "tasks/pushNotificationConfig/set", set(HOOK), "/url");
    assert_eq!(opened(&url), (Version::V0_3, HOOK.to_owned()));
    assert_eq!(got.json()["result"], set(HOOK));
    let config = json!({"taskId": "t", "id": "c", "url": HOOK, "token": "tok"});
    let (got, url) = registered(
        &relaying(&[]),
        card("0.3", "JSONRPC"),
        "CreateTaskPushNotificationConfig",
        config.clone(),
        "/pushNotificationConfig/url",
    );
    assert_eq!(opened(&url), (Version::V1_0, HOOK.to_owned()));
    assert_eq!(got.json()["result"], config);
}

#[test]
fn an_agent_of_both_versions_gets_the_gateways_url_in_the_clients_own_version() {
    // Which version such an agent posts in is not known; what it was sent is otherwise untouched.
    let mut params = set(HOOK);
    params["vendor"] = json!({"n": 1.5});
    let (got, url) = registered(
        &relaying(&[]),
        both(),
        "tasks/pushNotificationConfig/set",
        params.clone(),
        "/pushNotificationConfig/url",
    );
    assert_eq!(opened(&url), (Version::V0_3, HOOK.to_owned()));
    assert_eq!(got.json()["result"], params);
    let config = json!({"taskId": "t", "id": "c", "url": HOOK});
    let (got, url) = registered(&relaying(&[]), both(), "CreateTaskPushNotificationConfig", config.clone(), "/url");
    assert_eq!(opened(&url), (Version::V1_0, HOOK.to_owned()));
    assert_eq!(got.json()["result"], config);
}

#[test]
fn an_agent_of_the_clients_version_alone_gets_the_clients_url() {
    let (got, url) = registered(
        &relaying(&[]),
        card("0.3", "JSONRPC"),
        "tasks/pushNotificationConfig/set",
        set("http://10.0.0.1/"),
        "/pushNotificationConfig/url",
    );
    assert_eq!(url, "http://10.0.0.1/");
    assert_eq!(got.json()["result"], set("http://10.0.0.1/"));
}

#[test]
fn a_webhook_inside_a_send_is_sealed_too() {
    let message =
        json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "x"}]});
    let params = json!({"message": message, "configuration": {"pushNotificationConfig": {"url": HOOK}}});
    for method in ["message/send", "message/stream"] {
        let place = "/configuration/taskPushNotificationConfig/url";
        let (_, url) = registered(&relaying(&[]), card("1.0", "JSONRPC"), method, params.clone(), place);
        assert_eq!(opened(&url), (Version::V0_3, HOOK.to_owned()), "{method}");
    }
    let params = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]},
        "configuration": {"taskPushNotificationConfig": {"url": HOOK}},
    });
    let (_, url) = registered(
        &relaying(&[]),
        card("0.3", "JSONRPC"),
        "SendMessage",
        params.clone(),
        "/configuration/pushNotificationConfig/url",
    );
    assert_eq!(opened(&url), (Version::V1_0, HOOK.to_owned()));
    let (_, url) =
        registered(&relaying(&[]), both(), "SendMessage", params, "/configuration/taskPushNotificationConfig/url");
    assert_eq!(opened(&url), (Version::V1_0, HOOK.to_owned()));
}

#[test]
fn get_and_list_show_everybodys_own_url() {
    let seal = |version, url: &str| {
        let token = relay_token::seal(&keys(1), [3; 12], None, version, url).unwrap();
        format!("https://earlier.test/relay/{token}")
    };
    let foreign = format!(
        "https://gateway.test/a2a/relay/{}",
        relay_token::seal(&keys(2), [3; 12], None, Version::V0_3, HOOK).unwrap()
    );
    let configs = json!({"configs": [
        {"taskId": "t", "id": "a", "url": seal(Version::V0_3, "https://a.test/")},
        {"taskId": "t", "id": "b", "url": seal(Version::V1_0, "https://b.test/")},
        {"taskId": "t", "id": "c", "url": "https://direct.test/"},
        {"taskId": "t", "id": "d", "url": foreign},
    ]});
    let shown = |client: Value| {
        let urls = client.as_array().unwrap().iter().map(|config| {
            config.pointer("/pushNotificationConfig/url").unwrap_or(&config["url"]).as_str().unwrap().to_owned()
        });
        assert_eq!(
            urls.collect::<Vec<_>>(),
            ["https://a.test/", "https://b.test/", "https://direct.test/", foreign.as_str()]
        );
    };
    let answer = || {
        let configs = configs.clone();
        agent(card("1.0", "JSONRPC"), move |_, _| result(configs.clone()))
    };
    let (got, _) = run(&relaying(&[]), 0, call("tasks/pushNotificationConfig/list", json!({"id": "t"})), answer());
    shown(got.json()["result"].clone());
    let (got, _) = run(&relaying(&[]), 0, call("ListTaskPushNotificationConfigs", json!({"taskId": "t"})), answer());
    shown(got.json()["result"]["configs"].clone());
    let one = configs["configs"][0].clone();
    let (got, _) = run(
        &relaying(&[]),
        0,
        call("GetTaskPushNotificationConfig", json!({"taskId": "t", "id": "a"})),
        agent(card("1.0", "JSONRPC"), move |_, _| result(one.clone())),
    );
    assert_eq!(got.json()["result"]["url"], "https://a.test/");
}

#[test]
fn a_url_that_must_not_be_posted_to_is_refused_by_name_and_nothing_is_sent() {
    for (url, why) in [
        ("http://127.0.0.1:9/", "not public"),
        ("http://0x7f.1/", "not public"),
        ("https://user:pw@client.test/", "user name or password"),
        ("https://gateway.test/anything", "this gateway itself"),
        ("ftp://client.test/", "neither an http nor an https"),
        ("", "no absolute URL"),
    ] {
        let (got, asked) = run(
            &relaying(&[]),
            0,
            call("tasks/pushNotificationConfig/set", set(url)),
            agent(card("1.0", "JSONRPC"), |_, _| panic!("{url} was sent")),
        );
        let error = got.json()["error"].clone();
        assert_eq!((error["code"].as_i64(), asked.len()), (Some(-32602), 1), "{url}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("params.pushNotificationConfig.url") && message.contains(why), "{message}");
    }
    let params = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]},
        "configuration": {"taskPushNotificationConfig": {"url": "http://localhost/"}},
    });
    let (got, _) = run(
        &relaying(&[]),
        0,
        call("SendMessage", params),
        agent(card("0.3", "JSONRPC"), |_, _| panic!("it was sent")),
    );
    let message = got.json()["error"]["message"].to_string();
    assert!(message.contains("params.configuration.taskPushNotificationConfig.url leads to"), "{message}");
    let development = relaying(&[("RELAY_ALLOW_PRIVATE", "true")]);
    let (_, url) = registered(
        &development,
        card("1.0", "JSONRPC"),
        "tasks/pushNotificationConfig/set",
        set("http://127.0.0.1:9/"),
        "/url",
    );
    assert_eq!(opened(&url).1, "http://127.0.0.1:9/");
}

#[test]
fn outside_workers_a_name_must_lead_to_public_addresses_only() {
    let gateway = relaying_in(&[], Runtime::Server { resolves_names: true });
    let place = "/url";
    let (_, url) = registered(&gateway, card("1.0", "JSONRPC"), "tasks/pushNotificationConfig/set", set(HOOK), place);
    assert_eq!(opened(&url).1, HOOK);
    for (url, why) in [("https://rebound.test/", "not public"), ("https://nowhere.test/", "cannot be found")] {
        let (got, _) =
            registered(&gateway, card("1.0", "JSONRPC"), "tasks/pushNotificationConfig/set", set(url), place);
        assert!(got.json()["error"]["message"].as_str().unwrap().contains(why), "{}", got.body);
    }
    let token = relay_token::seal(&keys(1), [3; 12], None, Version::V0_3, HOOK).unwrap();
    let (_, posted) = deliver(&gateway, &token, &[], event_v1(), |_| Answer::Json(200, json!({})));
    assert_eq!(posted[0].addresses, addresses_of("client.test"));
    let token = relay_token::seal(&keys(1), [3; 12], None, Version::V0_3, "https://rebound.test/").unwrap();
    let (got, posted) = deliver(&gateway, &token, &[], event_v1(), |_| panic!("it was sent"));
    assert_eq!((got.status, posted.len()), (403, 0));
}

// ---- deliveries

fn event_v1() -> Value {
    json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}})
}

fn event_v03() -> Value {
    json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "completed"}, "final": true})
}

fn deliver(
    gateway: &Rc<Gateway>,
    token: &str,
    headers: &[(&str, &str)],
    body: Value,
    receiver: impl FnMut(&Fetch) -> Answer,
) -> (Got, Vec<Fetch>) {
    deliver_text(gateway, &format!("/relay/{token}"), headers, body.to_string().into_bytes(), receiver)
}

fn deliver_text(
    gateway: &Rc<Gateway>,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
    receiver: impl FnMut(&Fetch) -> Answer,
) -> (Got, Vec<Fetch>) {
    let (mut head, _) = get(path, "1.0");
    head.method = "POST".into();
    head.headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    run(gateway, 0, (head, body), receiver)
}

fn token(version: Version) -> String {
    relay_token::seal(&keys(1), [9; 12], None, version, HOOK).unwrap()
}

#[test]
fn a_delivery_arrives_in_the_receivers_version_whatever_was_posted() {
    for (version, expected, content_type) in
        [(Version::V0_3, event_v03(), "application/json"), (Version::V1_0, event_v1(), "application/a2a+json")]
    {
        for posted in [event_v03(), event_v1()] {
            let headers = [
                ("content-type", "application/json"),
                ("X-A2A-Notification-Token", "tok"),
                ("Authorization", "Bearer b"),
                ("Cookie", "c=1"),
                ("X-Other", "x"),
                ("User-Agent", "agent"),
            ];
            let (got, sent) = deliver(&relaying(&[]), &token(version), &headers, posted, |_| {
                Answer::Json(201, json!({"private": 1}))
            });
            assert_eq!((got.status, got.body.as_str(), sent.len()), (201, "", 1));
            let mut names: Vec<_> =
                sent[0].headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            names.sort_unstable();
            assert_eq!(
                names,
                [
                    ("a2a-compat-hops", "1"),
                    ("a2a-version", version.as_str()),
                    ("authorization", "Bearer b"),
                    ("content-type", content_type),
                    ("x-a2a-notification-token", "tok"),
                ]
            );
            assert_eq!((sent[0].method, sent[0].url.as_str()), ("POST", HOOK));
            assert_eq!(serde_json::from_slice::<Value>(sent[0].body.as_ref().unwrap()).unwrap(), expected);
        }
    }
}

#[test]
fn what_is_in_the_receivers_version_already_goes_byte_for_byte() {
    let body = br#" {"id":"t","status":{"state":"working"},"vendor":1e400} "#.to_vec();
    let path = format!("/relay/{}", token(Version::V0_3));
    let (_, sent) = deliver_text(&relaying(&[]), &path, &[], body.clone(), |_| Answer::Json(200, json!({})));
    assert_eq!(sent[0].body.as_ref().unwrap(), &body);
}

#[test]
fn the_receivers_refusal_is_the_agents_answer() {
    for status in [400, 401, 404, 410, 429, 500, 503] {
        let (got, _) =
            deliver(&relaying(&[]), &token(Version::V0_3), &[], event_v1(), |_| Answer::Json(status, json!({})));
        assert_eq!((got.status, got.body.as_str()), (status, ""));
    }
    let (got, _) = deliver(&relaying(&[]), &token(Version::V0_3), &[], event_v1(), |_| Answer::Json(302, json!({})));
    assert_eq!(got.status, 502);
    let (got, _) = deliver(&relaying(&[]), &token(Version::V0_3), &[], event_v1(), |_| Answer::Unreachable);
    assert_eq!(got.status, 502);
    assert!(!got.body.contains("client.test"), "the client's URL is not the agent's to see: {}", got.body);
}

#[test]
fn what_was_not_sealed_for_here_goes_nowhere_and_into_no_log() {
    let good = token(Version::V0_3);
    let other_key = relay_token::seal(&keys(2), [9; 12], None, Version::V0_3, HOOK).unwrap();
    let other_agent = relay_token::seal(&keys(1), [9; 12], Some("billing"), Version::V0_3, HOOK).unwrap();
    let cut = &good[..good.len() - 1];
    let (tampered, oversized) = (good.replacen("1a", "1b", 1), format!("{good}{}", "A".repeat(10_000)));
    for token in [other_key.as_str(), &other_agent, cut, &tampered, &oversized, "x", "1a.", "%00", "..%2f"] {
        let (got, sent) = deliver(&relaying(&[]), token, &[], event_v1(), |_| panic!("{token:.80} was delivered"));
        assert_eq!((got.status, sent.len()), (404, 0), "{token:.80}");
        assert!(!got.log.to_string().contains(token), "{}", got.log);
        assert!(!got.body.contains(token), "{}", got.body);
    }
    let (got, _) = deliver(&relaying(&[]), &good, &[], event_v1(), |_| Answer::Json(200, json!({})));
    assert_eq!((got.log["operation"].as_str(), got.log["status"].as_i64()), (Some("relay"), Some(200)));
    assert!(!got.log.to_string().contains(&good) && !got.log.to_string().contains("client.test"), "{}", got.log);
}

#[test]
fn a_key_can_be_changed_without_losing_webhooks() {
    let new = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";
    let rotated = relaying(&[("RELAY_KEY", new), ("RELAY_KEY_PREVIOUS", KEY)]);
    let (got, _) = deliver(&rotated, &token(Version::V0_3), &[], event_v1(), |_| Answer::Json(200, json!({})));
    assert_eq!(got.status, 200);
    let (got, _) =
        deliver(&relaying(&[("RELAY_KEY", new)]), &token(Version::V0_3), &[], event_v1(), |_| panic!("sent"));
    assert_eq!(got.status, 404);
}

#[test]
fn what_is_no_notification_is_not_forwarded() {
    let relay = || format!("/relay/{}", token(Version::V0_3));
    for body in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"x":1}"#,
        "null",
        r#"{"statusUpdate":{},"task":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        let (got, _) =
            deliver_text(&relaying(&[]), &relay(), &[], body.as_bytes().to_vec(), |_| panic!("{body} was sent"));
        assert_eq!(got.status, 400, "{body}: {}", got.body);
    }
    let text = [("content-type", "text/plain")];
    let (got, _) = deliver_text(&relaying(&[]), &relay(), &text, b"{}".to_vec(), |_| panic!("it was sent"));
    assert_eq!(got.status, 415);
    let hops = [("a2a-compat-hops", "4")];
    let (got, _) = deliver(&relaying(&[]), &token(Version::V0_3), &hops, event_v1(), |_| panic!("it was sent"));
    assert_eq!(got.status, 508);
}

#[test]
fn without_a_key_there_is_no_relay() {
    let (got, _) = deliver(&super::upstream(), &token(Version::V0_3), &[], event_v1(), |_| panic!("it was sent"));
    assert_eq!(got.status, 404);
}

// ---- PUSH_TASK_SNAPSHOT

#[test]
fn a_receiver_of_tasks_gets_the_task_that_the_gateway_asks_for() {
    let own = [("PUSH_TASK_SNAPSHOT", "true"), ("UPSTREAM_HEADERS", r#"{"Authorization": "Bearer operator"}"#)];
    let task = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}});
    let headers = [("authorization", "Bearer receiver"), ("x-a2a-notification-token", "tok")];
    let (got, sent) =
        deliver(&relaying(&own), &token(Version::V0_3), &headers, event_v1(), |fetch| match fetch.url.as_str() {
            HOOK => Answer::Json(204, json!({})),
            "https://agent.test/a2a" => {
                let body: Value = serde_json::from_slice(fetch.body.as_ref().unwrap()).unwrap();
                assert_eq!((&body["method"], &body["params"]), (&json!("GetTask"), &json!({"id": "t"})));
                let sent = |name: &str| fetch.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
                assert_eq!(sent("authorization"), Some("Bearer operator"));
                assert_eq!(sent("x-a2a-notification-token"), None);
                result(task.clone())
            }
            _ => Answer::Json(200, card("1.0", "JSONRPC")),
        });
    assert_eq!(got.status, 204);
    let posted: Value = serde_json::from_slice(sent.last().unwrap().body.as_ref().unwrap()).unwrap();
    assert_eq!(posted, json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "working"}}));
    let (got, sent) = deliver(&relaying(&own), &token(Version::V0_3), &[], event_v1(), |fetch| {
        assert_ne!(fetch.url, HOOK);
        if fetch.body.is_some() { error(-32001) } else { Answer::Json(200, card("1.0", "JSONRPC")) }
    });
    assert_eq!((got.status, sent.len()), (502, 2));
}

#[test]
fn without_a_way_to_ask_for_the_task_the_registration_is_refused() {
    let mut secured = card("1.0", "JSONRPC");
    secured["securitySchemes"] = json!({"b": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}});
    secured["securityRequirements"] = json!([{"schemes": {"b": {"list": []}}}]);
    secured["capabilities"]["pushNotifications"] = json!(true);
    let snapshots = relaying(&[("PUSH_TASK_SNAPSHOT", "true")]);
    let (got, _) = run(
        &snapshots,
        0,
        call("tasks/pushNotificationConfig/set", set(HOOK)),
        agent(secured.clone(), |_, _| panic!("sent")),
    );
    assert_eq!(got.json()["error"]["code"], -32003, "{}", got.body);
    let flag = |gateway: &Rc<Gateway>, version| {
        let (got, _) =
            run(gateway, 0, get("/.well-known/agent-card.json", version), |_| Answer::Json(200, secured.clone()));
        got.json()["capabilities"]["pushNotifications"].clone()
    };
    assert_eq!((flag(&snapshots, "0.3"), flag(&snapshots, "1.0")), (json!(false), json!(true)));
    assert_eq!((flag(&relaying(&[]), "0.3"), flag(&super::upstream(), "0.3")), (json!(true), json!(false)));
    let (_, url) = registered(
        &relaying(&[("PUSH_TASK_SNAPSHOT", "true")]),
        card("1.0", "JSONRPC"),
        "tasks/pushNotificationConfig/set",
        set(HOOK),
        "/url",
    );
    assert_eq!(opened(&url).0, Version::V0_3);
}

#[test]
fn a_relay_in_front_of_a_relay_delivers_through_both() {
    let named = |name: &str| relaying(&[("PUBLIC_URL", name)]);
    let (outer, inner) = (named("https://outer.test"), named("https://inner.test"));
    // A v0.3 client, an outer gateway before a v1.0 "agent", which is a gateway before a v0.3 agent.
    let given = RefCell::new(String::new());
    let (got, _) = run(
        &outer,
        0,
        call("tasks/pushNotificationConfig/set", set(HOOK)),
        agent(card("1.0", "JSONRPC"), |method, params| {
            let (got, _) = run(
                &inner,
                0,
                call(method, params.clone()),
                agent(card("0.3", "JSONRPC"), |_, params| {
                    *given.borrow_mut() = params["pushNotificationConfig"]["url"].as_str().unwrap().to_owned();
                    result(params.clone())
                }),
            );
            Answer::Json(got.status, got.json())
        }),
    );
    assert_eq!(got.json()["result"], set(HOOK));
    let path = |url: &str| url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap();
    let first = given.into_inner();
    assert!(first.starts_with("https://inner.test/relay/1b."), "{first}");
    let delivered = RefCell::new(Value::Null);
    let (got, _) = deliver_text(&inner, &path(&first), &[], event_v03().to_string().into_bytes(), |fetch| {
        assert!(fetch.url.starts_with("https://outer.test/relay/1a."), "{}", fetch.url);
        let headers: Vec<_> = fetch.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let (got, _) = deliver_text(&outer, &path(&fetch.url), &headers, fetch.body.clone().unwrap(), |fetch| {
            assert_eq!(fetch.url, HOOK);
            assert!(fetch.headers.contains(&("a2a-compat-hops".to_owned(), "2".to_owned())));
            *delivered.borrow_mut() = serde_json::from_slice(fetch.body.as_ref().unwrap()).unwrap();
            Answer::Json(200, json!({}))
        });
        Answer::Json(got.status, json!({}))
    });
    assert_eq!((got.status, delivered.into_inner()), (200, event_v03()));
}
