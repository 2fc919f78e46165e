//! Whatever the bytes are: no panic, and what comes out is JSON. Streams come out the same however their bytes are
//! split.

use super::corpus::{shapes, texts};
use super::oracle::is_json;
use super::random::{Random, mutate};
use a2a_compat::bridge::{End, StreamSetup, StreamTranslator};
use a2a_compat::engine::{Context, Mode, Options, Signatures};
use a2a_compat::json::{Out, validate};
use a2a_compat::protocol::{Dialect, Operation, Peer, Version};
use a2a_compat::wire::jsonrpc;
use a2a_compat::wire::sse::{Item, Reader};
use a2a_compat::{AnswerKind, Outcome, Translator};

const DIALECTS: [(Dialect, Dialect); 9] = {
    use Dialect::{J3, P1, R3};
    [(J3, P1), (P1, J3), (R3, P1), (P1, R3), (J3, R3), (R3, J3), (J3, J3), (P1, P1), (R3, R3)]
};
const VERSIONS: [(Version, Version); 4] = {
    use Version::{V0_3, V1_0};
    [(V0_3, V1_0), (V1_0, V0_3), (V0_3, V0_3), (V1_0, V1_0)]
};

fn options(r: &mut Random) -> Options {
    Options {
        embed: r.one_in(3),
        signatures: if r.one_in(2) { Signatures::Copy } else { Signatures::Strip },
        tenant: r.one_in(3).then(|| "te\"nant\u{1}".to_owned()),
        without_history: r.one_in(3),
        stream_final: r.one_in(3).then_some(true),
        report_unknown: r.one_in(2),
        ..Options::default()
    }
}

/// A text that mutation has not spoilt as a whole once in a while: pieces of it may be anything.
fn input(texts: &[Vec<u8>], r: &mut Random) -> Vec<u8> {
    let (text, other) = (&texts[r.below(texts.len())], &texts[r.below(texts.len())]);
    if r.one_in(4) { text.clone() } else { mutate(text, other, r) }
}

#[test]
fn any_bytes_as_any_object_give_json_or_an_error() {
    let (texts, shapes) = (texts(), shapes());
    let mut r = Random(6);
    let mut translator = Translator::default();
    let mut written = 0;
    for _ in 0..1_000 {
        let text = input(&texts, &mut r);
        let options = options(&mut r);
        let valid = is_json(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text));
        for (name, shape) in &shapes {
            let (from, to) = r.pick(&DIALECTS);
            let mode = if r.one_in(2) { Mode::Request } else { Mode::Result };
            let outcome = translator.value(&text, *shape, Context { from, to, mode, root: "", options: &options });
            let shown = || format!("{name} {from:?} to {to:?}: {}", String::from_utf8_lossy(&text));
            if outcome == Ok(Outcome::Written) {
                assert!(valid, "not JSON, but accepted: {}", shown());
                assert!(validate(&translator.out.bytes).is_ok(), "not JSON: {:?} {}", translator.out.bytes, shown());
                written += 1;
            }
            for notice in &translator.notices {
                assert!(!notice.code.0.is_empty() && notice.path.len() <= text.len() + 200, "{}", shown());
            }
        }
    }
    assert!(written > 1_500, "only {written} were written");
}

#[test]
fn any_bytes_as_a_request_or_an_answer_are_answered_in_json() {
    let texts = texts();
    let mut r = Random(7);
    let mut translator = Translator::default();
    let (mut requests, mut results) = (0, 0);
    for _ in 0..12_000 {
        let text = input(&texts, &mut r);
        let options = options(&mut r);
        let (from, to) = r.pick(&VERSIONS);
        let bytes = match translator.request(&text, from, &options) {
            Ok(_) => {
                requests += 1;
                std::mem::take(&mut translator.out.bytes)
            }
            Err(refusal) => {
                let mut out = Out::default();
                jsonrpc::write_error(&mut out, &refusal.id, &jsonrpc::error_for(&refusal.error, to, from));
                out.bytes
            }
        };
        assert!(is_json(&bytes), "{} for {}", String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&text));
        let operation = r.pick(Operation::ALL);
        let id = r.one_in(2).then_some(&b"\"i\""[..]);
        let kind = translator.answer(&text, operation, (from, to), id, &options);
        results += usize::from(kind == AnswerKind::Result);
        let bytes = &translator.out.bytes;
        assert!(is_json(bytes), "{} for {}", String::from_utf8_lossy(bytes), String::from_utf8_lossy(&text));
    }
    assert!(requests > 40 && results > 200, "{requests} requests, {results} results");
}

/// One to six events out of the corpus, some mutated, in any framing.
fn event_stream(texts: &[Vec<u8>], r: &mut Random) -> Vec<u8> {
    let mut stream = if r.one_in(8) { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    for _ in 0..=r.below(6) {
        let end = r.pick(&[&b"\n"[..], b"\r\n", b"\r"]);
        match r.below(6) {
            0 => stream.extend_from_slice(b": comment"),
            1 => stream.extend_from_slice(b"id: 7"),
            2 => stream.extend_from_slice(b"event: error"),
            _ => {}
        }
        stream.extend_from_slice(end);
        let text = input(texts, r);
        if text.starts_with(b"data") {
            stream.extend_from_slice(&text);
        } else {
            // A line break inside the text goes on as another data line, or breaks the event.
            for line in text.split(|byte| *byte == b'\n') {
                stream.extend_from_slice(if r.one_in(9) { b"data:" } else { b"data: " });
                stream.extend_from_slice(line);
                stream.extend_from_slice(end);
            }
        }
        if !r.one_in(10) {
            stream.extend_from_slice(end);
        }
    }
    stream
}

fn setup(operation: Operation, (from, to): (Version, Version)) -> StreamSetup {
    StreamSetup {
        operation,
        agent: Peer::json_rpc(from),
        client: Peer::json_rpc(to),
        id: b"\"i\"".to_vec(),
        errors_as_events: true,
        interrupted_is_final: false,
        options: Options::default(),
        max_event_bytes: 1 << 20,
        budgets: Default::default(),
    }
}

fn run<'a>(setup: &StreamSetup, chunks: impl Iterator<Item = &'a [u8]>, end: End) -> Vec<u8> {
    let mut translator = StreamTranslator::new(setup.clone());
    let mut out = Vec::new();
    for chunk in chunks {
        translator.push(chunk);
        translator.take_output(&mut out);
    }
    translator.finish(end);
    translator.take_output(&mut out);
    assert!(translator.is_ended());
    assert!(is_json(translator.crash_event().strip_prefix(b"event: error\ndata: ").unwrap()));
    out
}

/// `stream` in pieces of random length, of one byte often.
fn pieces<'a>(stream: &'a [u8], r: &mut Random) -> Vec<&'a [u8]> {
    let mut rest = stream;
    let mut pieces = Vec::new();
    let longest = r.pick(&[1, 3, 40, 400]);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((1 + r.below(longest)).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[test]
fn any_stream_comes_out_the_same_in_any_split_and_every_event_is_json() {
    let texts = texts();
    let mut r = Random(8);
    let mut events = 0;
    for _ in 0..3_000 {
        let stream = event_stream(&texts, &mut r);
        let operation = r.pick(&[Operation::SubscribeToTask, Operation::SendStreamingMessage]);
        let setup = StreamSetup {
            interrupted_is_final: r.one_in(4),
            options: options(&mut r),
            max_event_bytes: r.pick(&[200, 2_000, 1 << 20]),
            ..setup(operation, r.pick(&VERSIONS[..2]))
        };
        let end = r.pick(&[End::Closed, End::Broken]);
        let whole = run(&setup, std::iter::once(&stream[..]), end);
        let split = run(&setup, pieces(&stream, &mut r).into_iter(), end);
        assert_eq!(
            String::from_utf8_lossy(&split),
            String::from_utf8_lossy(&whole),
            "{:?}",
            String::from_utf8_lossy(&stream)
        );
        Reader::new(usize::MAX)
            .push(&whole, |item| {
                if let Item::Event(event) = item {
                    assert!(event.data.is_empty() || (is_json(event.data) && !event.multi_line), "{event:?}");
                    events += 1;
                }
                true
            })
            .unwrap();
    }
    assert!(events > 2_000, "only {events} events");
}

#[test]
fn what_an_agent_prints_over_several_lines_comes_out_on_one() {
    let stream = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"m\",\ndata: \"data\":[{\ndata: \"@type\":\"t\"}]}}\n\n";
    let setup = setup(Operation::SubscribeToTask, (Version::V1_0, Version::V0_3));
    let out = run(&setup, std::iter::once(&stream[..]), End::Closed);
    assert_eq!(
        String::from_utf8_lossy(&out),
        "event: error\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"i\",\"error\":{\"code\":-32001,\"message\":\"m\",\"data\":[{ \"@type\":\"t\"}]}}\n\n"
    );
}

#[test]
fn a_line_break_inside_a_string_is_not_json_although_events_have_several_lines() {
    let stream = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"a\ndata: b\"}}\n\n";
    let setup = setup(Operation::SubscribeToTask, (Version::V0_3, Version::V1_0));
    let out = run(&setup, std::iter::once(&stream[..]), End::Closed);
    assert!(String::from_utf8_lossy(&out).contains("control character in a string"), "{out:?}");
}
