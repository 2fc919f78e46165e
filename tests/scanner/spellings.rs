//! Key spellings, escapes, duplicates and white space change nothing: of duplicate keys the last wins, camelCase wins
//! over snake_case, `null` counts as absent, and what is wrong with a superseded value is nobody's concern (RULES 0.1,
//! 0.2, 0.4, 0.13). Judge: serde_json's value of the plain text, translated.

use super::corpus::{Sample, operation, samples};
use super::random::{Random, generate};
use a2a_compat::engine::{Context, Level, Mode, Options};
use a2a_compat::entity::Shape;
use a2a_compat::protocol::{Dialect, Operation, Version};
use a2a_compat::{Outcome, Translator};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Keys whose values are copied as they are: nothing inside them is a field.
const OPAQUE: [&str; 6] = ["metadata", "params", "header", "signatures", "security", "securityRequirements"];
/// Keys of objects whose own keys are names somebody chose.
const MAPS: [&str; 4] = ["securitySchemes", "scopes", "schemes", "scheme"];

/// Keys that are read as other names of a field: they have no snake_case spelling of their own.
const ALIASES: [&str; 3] = ["supportsExtendedAgentCard", "fileWithBytes", "fileWithUri"];

/// Where in a text an object stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Its keys are fields.
    Fields,
    /// Its keys are names, its values are objects with fields.
    Names,
    /// Nobody looks inside.
    Opaque,
    /// A JSON-RPC request or answer.
    Envelope,
}

struct Scrambler<'a> {
    r: &'a mut Random,
    out: String,
}

impl Scrambler<'_> {
    fn space(&mut self) {
        while self.r.one_in(4) {
            let space = self.r.pick(&[" ", "\n", "\t", "\r", "  "]);
            self.out.push_str(space);
        }
    }

    /// `text` as a JSON string, with or without escapes that need not be.
    fn string(&mut self, text: &str) {
        let eager = self.r.one_in(4);
        self.out.push('"');
        for c in text.chars() {
            if (eager && self.r.one_in(3)) || c < ' ' || matches!(c, '"' | '\\') {
                match c {
                    '"' | '\\' | '/' if self.r.one_in(2) => self.out.extend(['\\', c]),
                    _ => {
                        for unit in c.encode_utf16(&mut [0; 2]) {
                            if self.r.one_in(2) {
                                write!(self.out, "\\u{unit:04x}").unwrap();
                            } else {
                                write!(self.out, "\\u{unit:04X}").unwrap();
                            }
                        }
                    }
                }
            } else {
                self.out.push(c);
            }
        }
        self.out.push('"');
    }

    fn value(&mut self, value: &Value, place: Place) {
        self.space();
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.out.push(',');
                    }
                    self.value(item, place);
                }
                self.out.push(']');
            }
            Value::Object(members) => self.object(members, place),
            other => self.out.push_str(&other.to_string()),
        }
        self.space();
    }

    fn object(&mut self, members: &serde_json::Map<String, Value>, place: Place) {
        let mut entries: Vec<(&String, &Value)> = members.iter().collect();
        if matches!(place, Place::Fields | Place::Envelope) {
            for i in (1..entries.len()).rev() {
                entries.swap(i, self.r.below(i + 1));
            }
        }
        self.out.push('{');
        for (key, value) in entries {
            let within = match (place, key.as_str()) {
                (Place::Opaque, _) => Place::Opaque,
                (Place::Envelope, "params" | "result") => Place::Fields,
                (Place::Envelope, _) => Place::Opaque,
                (Place::Names, _) => Place::Fields,
                (_, key) if OPAQUE.contains(&key) => Place::Opaque,
                // v0.3 REST has one level more; elsewhere there are no fields inside.
                (_, "data") => Place::Opaque,
                (_, key) if MAPS.contains(&key) => Place::Names,
                _ => Place::Fields,
            };
            if place == Place::Fields {
                self.field(key, value, within);
            } else {
                if self.r.one_in(6) {
                    self.superseded(key);
                }
                self.member(key, value, within);
            }
        }
        if place == Place::Fields && self.r.one_in(5) {
            self.superseded("nobody_knowsThis");
        }
        self.out.push('}');
    }

    /// A field and what it supersedes, in any order that leaves it the winner.
    fn field(&mut self, key: &str, value: &Value, within: Place) {
        let snake = snake_case(key);
        let snake = (snake != key && !ALIASES.contains(&key)).then_some(snake);
        match (self.r.below(8), snake) {
            (0, Some(snake)) => self.member(&snake, value, within),
            (1, Some(snake)) if !value.is_null() => {
                self.superseded(&snake);
                self.member(key, value, within);
            }
            (2, Some(snake)) if !value.is_null() => {
                self.member(key, value, within);
                self.superseded(&snake);
            }
            (3, Some(snake)) => {
                self.superseded(key);
                self.superseded(&snake);
                self.member(&snake, value, within);
                self.member(key, &Value::Null, within);
            }
            (4, _) if !value.is_null() => {
                self.superseded(key);
                self.member(key, &Value::Null, within);
                self.member(key, value, within);
            }
            (5, _) => {
                self.superseded(key);
                self.superseded(key);
                self.member(key, value, within);
            }
            _ => self.member(key, value, within),
        }
    }

    fn member(&mut self, key: &str, value: &Value, within: Place) {
        self.comma();
        self.string(key);
        self.space();
        self.out.push(':');
        self.value(value, within);
    }

    /// A member that does not count: any valid value, of whatever type. Without lone surrogates, which the judge
    /// does not read.
    fn superseded(&mut self, key: &str) {
        self.comma();
        self.string(key);
        self.out.push(':');
        loop {
            let mut value = String::new();
            generate(self.r, 2, 1_000_000, &mut value);
            if serde_json::from_str::<Value>(&value).is_ok() {
                return self.out.push_str(&value);
            }
        }
    }

    fn comma(&mut self) {
        if !self.out.trim_end().ends_with('{') {
            self.out.push(',');
        }
        self.space();
    }
}

fn snake_case(camel: &str) -> String {
    let mut snake = String::new();
    for c in camel.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// What a translation came to: the value or the error's code, and the losses.
fn translated(text: &[u8], shape: Shape, from: Dialect, to: Dialect, mode: Mode) -> (Value, BTreeSet<&'static str>) {
    let mut translator = Translator::default();
    let options = Options::default();
    let value = match translator.value(text, shape, Context { from, to, mode, root: "", options: &options }) {
        Ok(Outcome::Written) => serde_json::from_slice(&translator.out.bytes)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&translator.out.bytes))),
        Ok(Outcome::Dropped) => Value::String("dropped".to_owned()),
        Err(error) => Value::from(error.code.0),
    };
    let losses = translator.notices.iter().filter(|n| n.level() == Level::Warning).map(|n| n.code.0).collect();
    (value, losses)
}

/// Dialects that read a sample's text.
fn readers(sample: &Sample) -> &'static [Dialect] {
    if sample.from_v0_3 { &[Dialect::J3, Dialect::R3] } else { &[Dialect::P1] }
}

#[test]
fn another_spelling_of_the_same_object_is_translated_to_the_same_value() {
    let mut r = Random(4);
    let mut compared = 0;
    for sample in samples() {
        let Some(shape) = sample.shape else { continue };
        let plain = serde_json::to_vec(&sample.input).unwrap();
        // Requirements are objects whose keys are names.
        let place = match sample.entity.as_str() {
            "security_requirement" => Place::Opaque,
            _ => Place::Fields,
        };
        for round in 0..10 {
            let mut scrambler = Scrambler { r: &mut r, out: String::new() };
            scrambler.value(&sample.input, place);
            let text = scrambler.out;
            for from in readers(&sample) {
                for to in Dialect::ALL {
                    let mode = if round % 2 == 0 { Mode::Request } else { Mode::Result };
                    let expected = translated(&plain, shape, *from, to, mode);
                    let found = translated(text.as_bytes(), shape, *from, to, mode);
                    assert_eq!(
                        found,
                        expected,
                        "{} {from:?} to {to:?}\n{text}\n{}",
                        sample.entity,
                        String::from_utf8_lossy(&plain)
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 15_000, "only {compared} translations were compared");
}

/// A request translated: its operation or the refusal's id and code, then the text.
fn request(text: &[u8], from: Version) -> String {
    let mut translator = Translator::default();
    match translator.request(text, from, &Options::default()) {
        Ok(operation) => format!("{operation} {}", serde_json::from_slice::<Value>(&translator.out.bytes).unwrap()),
        Err(refusal) => format!("{} for {}", refusal.error.code.0, String::from_utf8_lossy(&refusal.id)),
    }
}

fn answer(text: &[u8], operation: Operation, versions: (Version, Version)) -> Value {
    let mut translator = Translator::default();
    translator.answer(text, operation, versions, None, &Options::default());
    serde_json::from_slice(&translator.out.bytes).unwrap()
}

/// The message of an error says at which byte: that may differ.
fn without_message(mut answer: Value) -> Value {
    if let Some(error) = answer.get_mut("error").and_then(Value::as_object_mut) {
        error.remove("message");
    }
    answer
}

#[test]
fn another_spelling_of_the_same_envelope_is_the_same_request_or_answer() {
    let mut r = Random(5);
    let mut compared = 0;
    for sample in samples() {
        let Some(body) = sample.input.get("body").filter(|body| body.is_object()) else { continue };
        let (from, to) = match sample.from_v0_3 {
            true => (Version::V0_3, Version::V1_0),
            false => (Version::V1_0, Version::V0_3),
        };
        let plain = serde_json::to_vec(body).unwrap();
        for _ in 0..60 {
            let mut scrambler = Scrambler { r: &mut r, out: String::new() };
            scrambler.value(body, Place::Envelope);
            let text = scrambler.out;
            match sample.entity.as_str() {
                "jsonrpc_request" => assert_eq!(request(text.as_bytes(), from), request(&plain, from), "{text}"),
                "jsonrpc_response" => {
                    let operation = operation(sample.input["op"].as_str().unwrap());
                    let found = answer(text.as_bytes(), operation, (from, to));
                    let expected = answer(&plain, operation, (from, to));
                    assert_eq!(without_message(found), without_message(expected), "{text}");
                }
                _ => continue,
            }
            compared += 1;
        }
    }
    assert!(compared > 3_000, "only {compared} envelopes were compared");
}
