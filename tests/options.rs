//! What the options of a translation change.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use a2a_compat::engine::{Mode, Options};
use a2a_compat::entity::shape_named;
use a2a_compat::protocol::Dialect::{self, J3, P1, R3};
use a2a_compat::translate;
use serde_json::{Value, json};

fn run(entity: &str, input: &Value, from: Dialect, to: Dialect, options: &Options) -> (Value, Vec<&'static str>) {
    let input = serde_json::to_vec(input).unwrap();
    let made = translate(&input, shape_named(entity).unwrap(), from, to, Mode::Result, options).unwrap();
    (serde_json::from_slice(&made.bytes).unwrap(), made.notices.iter().map(|n| n.code.0).collect())
}

fn card() -> Value {
    json!({
        "name": "n", "description": "d", "version": "1", "url": "https://a.test", "protocolVersion": "0.3",
        "iconUrl": "https://a.test/i.png", "capabilities": {},
        "defaultInputModes": [], "defaultOutputModes": [],
        "skills": [{"id": "s", "name": "S", "description": "d", "tags": [], "security": [{"o": ["w"]}]}],
        "securitySchemes": {
            "o": {"type": "oauth2", "flows": {
                "implicit": {"authorizationUrl": "https://as.test/i", "scopes": {"r": "Read"}},
                "clientCredentials": {"tokenUrl": "https://as.test/t", "scopes": {"r": "Read"}},
            }},
            "k": {"type": "apiKey", "in": "header", "name": "X"},
        },
        "security": [{"o": ["r"], "k": []}, {"k": []}],
    })
}

#[test]
fn oauth_flows_can_become_schemes_of_their_own() {
    let options = Options { oauth_split: true, ..Options::default() };
    let (made, notices) = run("agent_card", &card(), J3, P1, &options);
    assert_eq!(notices, Vec::<&str>::new());
    let flows = |name: &str| made["securitySchemes"][name]["oauth2SecurityScheme"]["flows"].clone();
    assert_eq!(flows("o"), json!({"clientCredentials": {"tokenUrl": "https://as.test/t", "scopes": {"r": "Read"}}}));
    assert_eq!(
        flows("o#implicit"),
        json!({"implicit": {"authorizationUrl": "https://as.test/i", "scopes": {"r": "Read"}}})
    );
    assert_eq!(
        made["securityRequirements"],
        json!([
            {"schemes": {"o": {"list": ["r"]}, "k": {}}},
            {"schemes": {"o#implicit": {"list": ["r"]}, "k": {}}},
            {"schemes": {"k": {}}},
        ])
    );
    assert_eq!(
        made["skills"][0]["securityRequirements"],
        json!([{"schemes": {"o": {"list": ["w"]}}}, {"schemes": {"o#implicit": {"list": ["w"]}}}])
    );
}

#[test]
fn without_the_option_one_flow_is_kept_and_the_loss_is_said() {
    let (made, notices) = run("agent_card", &card(), J3, P1, &Options::default());
    assert_eq!(notices, ["oauth_flows_truncated"]);
    assert_eq!(made["securitySchemes"].as_object().unwrap().len(), 2);
}

#[test]
fn a_v0_3_card_goes_to_v0_3_rest_with_all_its_flows() {
    let (made, _) = run("agent_card", &card(), J3, R3, &Options::default());
    let flows = &made["securitySchemes"]["o"]["oauth2SecurityScheme"]["flows"];
    assert_eq!(flows.as_object().unwrap().len(), 2);
    assert_eq!(made["security"][0], json!({"schemes": {"o": {"list": ["r"]}, "k": {}}}));
}

#[test]
fn the_strict_proto_gets_no_part_metadata_no_file_name_and_no_icon() {
    let options = Options { r3_strict030: true, ..Options::default() };
    let message = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [
        {"text": "t", "metadata": {"a": 1}}, {"raw": "AQI=", "filename": "f"}, {"data": [1]},
    ]});
    let (made, notices) = run("message", &message, P1, R3, &options);
    assert_eq!(
        made["content"],
        json!([{"text": "t"}, {"file": {"fileWithBytes": "AQI="}}, {"data": {"data": {"value": [1]}}}])
    );
    assert_eq!(
        notices,
        ["rest_part_metadata_dropped", "rest_file_name_dropped", "data_part_wrapped", "rest_part_metadata_dropped"]
    );
    let (made, notices) = run("agent_card", &card(), J3, R3, &options);
    assert_eq!(made.get("iconUrl"), None);
    assert!(notices.contains(&"rest_icon_url_dropped"));
}

#[test]
fn bytes_that_a_peer_encodes_twice_are_decoded_once_and_back() {
    let twice = json!({"file": {"fileWithBytes": "QVFJRA=="}});
    let read = Options { r3_read_double: true, ..Options::default() };
    assert_eq!(run("part", &twice, R3, P1, &read).0, json!({"raw": "AQID"}));
    let write = Options { r3_write_double: true, ..Options::default() };
    assert_eq!(run("part", &json!({"raw": "AQID"}), P1, R3, &write).0, twice);
    assert_eq!(run("part", &json!({"raw": "AQID"}), P1, J3, &write).0["file"]["bytes"], "AQID");
}

#[test]
fn between_the_dialects_of_v0_3_nothing_goes_through_v1_0() {
    let event = json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "working"}, "final": true});
    let (made, notices) = run("stream_response", &event, J3, R3, &Options::default());
    assert_eq!(made["statusUpdate"]["final"], true);
    assert!(notices.is_empty());
    assert_eq!(run("stream_response", &made, R3, J3, &Options::default()).0, event);
    let config = json!({"taskId": "t", "pushNotificationConfig": {"id": "c", "url": "u", "authentication": {"schemes": ["A", "B"]}}});
    let (made, _) = run("push_notification_config", &config, J3, R3, &Options::default());
    assert_eq!(made["pushNotificationConfig"]["authentication"]["schemes"], json!(["A", "B"]));
    assert_eq!(run("push_notification_config", &made, R3, J3, &Options::default()).0, config);
}

#[test]
fn members_that_nobody_knows_are_reported_where_asked() {
    let options = Options { report_unknown: true, ..Options::default() };
    let message = json!({"kind": "message", "messageId": "m", "role": "user", "colour": 1, "parts": [
        {"kind": "file", "file": {"uri": "u", "size": 2}},
    ]});
    let input = serde_json::to_vec(&message).unwrap();
    let made = translate(&input, shape_named("message").unwrap(), J3, P1, Mode::Request, &options).unwrap();
    let mut paths: Vec<&str> = made.notices.iter().map(|n| n.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["colour", "parts[0].file.size"]);
}
