//! Real payloads: the inputs and results of the golden vectors.

use a2a_compat::entity::{Shape, event_shape, params_shape, shape_named};
use a2a_compat::protocol::Operation;
use serde_json::Value;
use std::path::Path;

/// What the shapes are called in the vectors.
#[rustfmt::skip]
const SHAPES: [&str; 17] = [
    "part", "message", "artifact", "task", "task_status", "status_update", "artifact_update", "stream_response",
    "send_message_response", "send_message_configuration", "push_notification_config", "list_push_configs_response",
    "agent_card", "agent_capabilities", "agent_skill", "security_scheme", "security_requirement",
];

/// Every shape a text can have at its root, with a name for messages.
pub fn shapes() -> Vec<(String, Shape)> {
    let named = SHAPES.iter().map(|name| ((*name).to_owned(), shape_named(name).unwrap()));
    let params = Operation::ALL.iter().map(|operation| (format!("params of {operation}"), params_shape(*operation)));
    named.chain(params).chain([("event".to_owned(), event_shape())]).collect()
}

/// One vector's texts.
pub struct Sample {
    pub entity: String,
    /// Whether the input is v0.3.
    pub from_v0_3: bool,
    /// The shape of the input, where a shape says it all.
    pub shape: Option<Shape>,
    pub input: Value,
}

/// All vectors.
pub fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "json"));
    files.sort();
    let mut samples = Vec::new();
    for file in files {
        let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for vector in vectors {
            let entity = vector["entity"].as_str().unwrap().to_owned();
            let shape = match vector["op"].as_str() {
                Some(op) => Some(params_shape(operation(op))),
                None => shape_named(&entity),
            };
            let from_v0_3 = vector["direction"] == "to_v1";
            samples.push(Sample { entity, from_v0_3, shape, input: vector["input"].clone() });
        }
    }
    samples
}

/// The texts inside the vectors: bodies where there is an envelope of the vectors' own, streams as they are.
pub fn texts() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for sample in samples() {
        let input = &sample.input;
        match (input.get("text").and_then(Value::as_str), input.get("body")) {
            (Some(text), _) if ["sse", "jsonrpc_request"].contains(&sample.entity.as_str()) => texts.push(text.into()),
            (_, Some(body)) => texts.push(serde_json::to_vec(body).unwrap()),
            _ => texts.push(serde_json::to_vec(input).unwrap()),
        }
    }
    texts
}

/// An operation by its name in the vectors.
pub fn operation(op: &str) -> Operation {
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
        other => panic!("operation {other}"),
    }
}
