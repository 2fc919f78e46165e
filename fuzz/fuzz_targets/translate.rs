//! Every shape, request and answer, in all pairs of dialects. The first two bytes choose.
#![no_main]

use a2a_compat::engine::{Context, Mode, Options, Signatures};
use a2a_compat::entity::{Shape, event_shape, params_shape, shape_named};
use a2a_compat::json::{Out, validate, without_bom};
use a2a_compat::protocol::{Dialect, Operation, Version};
use a2a_compat::wire::jsonrpc;
use a2a_compat::{Outcome, Translator};
use libfuzzer_sys::fuzz_target;

const SHAPES: [&str; 17] = [
    "part",
    "message",
    "artifact",
    "task",
    "task_status",
    "status_update",
    "artifact_update",
    "stream_response",
    "send_message_response",
    "send_message_configuration",
    "push_notification_config",
    "list_push_configs_response",
    "agent_card",
    "agent_capabilities",
    "agent_skill",
    "security_scheme",
    "security_requirement",
];

fn shape(choice: usize) -> Shape {
    let named = SHAPES.get(choice).and_then(|name| shape_named(name));
    named.or_else(|| Operation::ALL.get(choice - SHAPES.len()).map(|o| params_shape(*o))).unwrap_or(event_shape())
}

fuzz_target!(|input: &[u8]| {
    let [what, how, text @ ..] = input else { return };
    let (what, how) = (usize::from(*what), usize::from(*how));
    let options = Options {
        embed: how & 1 != 0,
        signatures: if how & 2 != 0 { Signatures::Copy } else { Signatures::Strip },
        tenant: (how & 4 != 0).then(|| "t\"".to_owned()),
        without_history: how & 8 != 0,
        report_unknown: how & 16 != 0,
        ..Options::default()
    };
    let valid = validate(without_bom(text)).is_ok();
    let mut translator = Translator::default();
    let (from, to) = match what / 29 {
        0 | 1 => (Version::V0_3, Version::V1_0),
        _ => (Version::V1_0, Version::V0_3),
    };
    match what % 29 {
        28 if how & 32 != 0 => match translator.request(text, from, &options) {
            Ok(_) => assert!(valid && validate(&translator.out.bytes).is_ok()),
            Err(refusal) => {
                let mut out = Out::default();
                jsonrpc::write_error(&mut out, &refusal.id, &jsonrpc::error_for(&refusal.error, to, from));
                assert!(validate(&out.bytes).is_ok());
            }
        },
        28 => {
            let operation = Operation::ALL[how % Operation::ALL.len()];
            translator.answer(text, operation, (from, to), None, &options);
            assert!(validate(&translator.out.bytes).is_ok());
        }
        choice => {
            let (from, to) = (Dialect::ALL[how / 32 % 3], Dialect::ALL[what / 29 % 3]);
            let mode = if how & 128 != 0 { Mode::Request } else { Mode::Result };
            let outcome =
                translator.value(text, shape(choice), Context { from, to, mode, root: "", options: &options });
            if outcome == Ok(Outcome::Written) {
                assert!(valid, "read what is not JSON");
                assert!(validate(&translator.out.bytes).is_ok(), "wrote what is not JSON");
            }
        }
    }
});
