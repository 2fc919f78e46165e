//! Streams. The first byte chooses the stream, the second the length of the pieces.
#![no_main]

use a2a_compat::bridge::{End, Head, StreamSetup, StreamTranslator};
use a2a_compat::engine::Options;
use a2a_compat::json::validate;
use a2a_compat::protocol::{Binding, Operation, Peer, Version};
use a2a_compat::wire::sse::{Item, Reader};
use libfuzzer_sys::fuzz_target;

fn run<'a>(setup: &StreamSetup, chunks: impl Iterator<Item = &'a [u8]>, end: End) -> Vec<u8> {
    let mut translator = StreamTranslator::new(setup.clone());
    for chunk in chunks {
        translator.push(chunk);
    }
    if matches!(translator.head(), Head::NeedsTask(_)) {
        translator.give_task(200, br#"{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}}"#);
    }
    translator.finish(end);
    assert!(translator.is_ended());
    translator.output()
}

fuzz_target!(|input: &[u8]| {
    let [choice, piece, stream @ ..] = input else { return };
    let (from, to) = match choice & 1 {
        0 => (Version::V0_3, Version::V1_0),
        _ => (Version::V1_0, Version::V0_3),
    };
    let binding = if choice & 16 != 0 { Binding::HttpJson } else { Binding::JsonRpc };
    let setup = StreamSetup {
        operation: if choice & 2 != 0 { Operation::SubscribeToTask } else { Operation::SendStreamingMessage },
        agent: Peer::new(from, binding),
        client: Peer::new(to, if choice & 128 != 0 { Binding::HttpJson } else { binding }),
        id: b"1".to_vec(),
        errors_as_events: choice & 4 == 0,
        interrupted_is_final: choice & 8 != 0,
        options: Options { report_unknown: choice & 32 != 0, ..Options::default() },
        max_event_bytes: if choice & 32 != 0 { 300 } else { 1 << 20 },
        budgets: Default::default(),
    };
    let end = if choice & 64 != 0 { End::Broken } else { End::Closed };
    let whole = run(&setup, std::iter::once(stream), end);
    let split = run(&setup, stream.chunks(usize::from(*piece).max(1)), end);
    assert_eq!(whole, split, "another result in pieces of {piece}");
    let read = Reader::new(usize::MAX).push(&whole, |item| {
        if let Item::Event(event) = item {
            assert!(!event.multi_line && (event.data.is_empty() || validate(event.data).is_ok()));
        }
        true
    });
    assert!(read.is_ok());
});
