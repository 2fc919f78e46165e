//! What lasts from one call to the next.

use super::{DROPPED, REFUSED};
use crate::bridge::{Budgets, End, StreamSetup, StreamTranslator};
use crate::engine::{Context, Level, Mode, Notice, Options};
use crate::entity::{A2aError, Shape};
use crate::json::{Out, validate};
use crate::protocol::{Dialect, Operation, Peer, Version};
use crate::translate::{AnswerKind, Outcome, Translator};
use crate::wire::jsonrpc;
use std::cell::Cell;

thread_local! {
    static STATE: Cell<Option<Box<State>>> = const { Cell::new(None) };
}

/// Runs one call. The state is taken out for its duration, so a call that traps leaves none and the next one starts
/// with a new one.
pub(super) fn with<T>(call: impl FnOnce(&mut State) -> T) -> T {
    STATE.with(|place| {
        let mut state = place.take().unwrap_or_default();
        let done = call(&mut state);
        place.set(Some(state));
        done
    })
}

/// Where the last result is.
#[derive(Clone, Copy, Default)]
enum Last {
    /// In the translator.
    #[default]
    Translation,
    /// In the stream of this number.
    Stream(u32),
    /// Among the texts beside: errors, notices.
    Text,
}

#[derive(Default)]
pub(super) struct State {
    /// As long as the longest input so far; a call says how much of it counts.
    input: Vec<u8>,
    translator: Translator,
    streams: Vec<Option<Box<StreamTranslator>>>,
    text: Out,
    last: Last,
    shapes: Vec<(String, Shape)>,
    options: Options,
}

fn version(number: u32) -> Option<Version> {
    Version::ALL.get(number as usize).copied()
}

fn dialect(number: u32) -> Option<Dialect> {
    Dialect::ALL.get(number as usize).copied()
}

impl State {
    pub fn room(&mut self, len: usize) -> *mut u8 {
        if self.input.len() < len {
            self.input.resize(len, 0);
        }
        self.input.as_mut_ptr()
    }

    pub fn input(&self, len: usize) -> &[u8] {
        self.input.get(..len).unwrap_or(&self.input)
    }

    pub fn result(&self) -> &[u8] {
        match self.last {
            Last::Translation => &self.translator.out.bytes,
            Last::Stream(stream) => self.open(stream).map_or(&[], StreamTranslator::peek_output),
            Last::Text => &self.text.bytes,
        }
    }

    pub fn notices(&self) -> &[Notice] {
        match self.last {
            Last::Stream(stream) => self.open(stream).map_or(&[], StreamTranslator::notices),
            _ => &self.translator.notices,
        }
    }

    fn open(&self, stream: u32) -> Option<&StreamTranslator> {
        self.streams.get(stream as usize)?.as_deref()
    }

    pub fn write_notices(&mut self) {
        let mut text = std::mem::take(&mut self.text);
        text.bytes.clear();
        text.raw(b"[");
        for notice in self.notices() {
            text.separate();
            text.raw(b"{\"code\":");
            text.string(notice.code.0);
            text.raw(b",\"path\":");
            text.string(&notice.path);
            text.raw(b",\"outputPath\":");
            text.string(&notice.output_path);
            text.raw(if notice.level() == Level::Info { b",\"level\":\"info\"}" } else { b",\"level\":\"warning\"}" });
        }
        text.raw(b"]");
        self.text = text;
        self.last = Last::Text;
    }

    /// Makes `write`'s text the result of a call that was refused.
    fn refuse(&mut self, write: impl FnOnce(&mut Out)) -> i32 {
        self.text.bytes.clear();
        write(&mut self.text);
        self.last = Last::Text;
        REFUSED
    }

    pub fn shape_number(&mut self, name: String, shape: Shape) -> i32 {
        let known = self.shapes.iter().position(|(known, _)| *known == name);
        let number = known.unwrap_or_else(|| {
            self.shapes.push((name, shape));
            self.shapes.len() - 1
        });
        number as i32
    }

    pub fn request(&mut self, len: usize, from: u32) -> i32 {
        let Some(from) = version(from) else { return self.refuse(|_| {}) };
        let input = self.input.get(..len).unwrap_or_default();
        match self.translator.request(input, from, &self.options) {
            Ok(operation) => {
                self.last = Last::Translation;
                Operation::ALL.iter().position(|o| *o == operation).map_or(REFUSED, |index| index as i32)
            }
            Err(refusal) => {
                let error = jsonrpc::error_for(&refusal.error, from.other(), from);
                self.refuse(|out| jsonrpc::write_error(out, &refusal.id, &error))
            }
        }
    }

    pub fn answer(&mut self, len: usize, operation: u32, from: u32) -> i32 {
        let (Some(operation), Some(from)) = (Operation::ALL.get(operation as usize), version(from)) else {
            return self.refuse(|_| {});
        };
        let input = self.input.get(..len).unwrap_or_default();
        self.last = Last::Translation;
        match self.translator.answer(input, *operation, (from, from.other()), None, &self.options) {
            AnswerKind::Result => 0,
            AnswerKind::Error => REFUSED,
        }
    }

    pub fn object(&mut self, len: usize, shape: u32, from: u32, to: u32, mode: u32) -> i32 {
        let mode = match mode {
            0 => Some(Mode::Request),
            1 => Some(Mode::Result),
            _ => None,
        };
        let (Some((_, shape)), Some(from), Some(to), Some(mode)) =
            (self.shapes.get(shape as usize), dialect(from), dialect(to), mode)
        else {
            return self.refuse(|_| {});
        };
        let input = self.input.get(..len).unwrap_or_default();
        let cx = Context { from, to, mode, root: "", options: &self.options };
        match self.translator.value(input, *shape, cx) {
            Ok(outcome) => {
                self.last = Last::Translation;
                if outcome == Outcome::Dropped { DROPPED } else { 0 }
            }
            Err(error) => self.refuse(|out| write_error(out, &error)),
        }
    }

    pub fn open_stream(&mut self, len: usize, operation: u32, from: u32, max_event_bytes: usize) -> i32 {
        let id = self.input(len);
        let (Some(operation), Some(from), Ok(_)) =
            (Operation::ALL.get(operation as usize), version(from), validate(id))
        else {
            return self.refuse(|_| {});
        };
        let stream = Box::new(StreamTranslator::new(StreamSetup {
            operation: *operation,
            agent: Peer::json_rpc(from),
            client: Peer::json_rpc(from.other()),
            id: id.to_vec(),
            errors_as_events: true,
            interrupted_is_final: false,
            options: self.options.clone(),
            max_event_bytes,
            budgets: Budgets::default(),
        }));
        match self.streams.iter().position(Option::is_none) {
            Some(free) => {
                if let Some(place) = self.streams.get_mut(free) {
                    *place = Some(stream);
                }
                free as i32
            }
            None => {
                self.streams.push(Some(stream));
                self.streams.len() as i32 - 1
            }
        }
    }

    /// Lets a stream take a step after its last output was read.
    fn step(&mut self, stream: u32, step: impl FnOnce(&mut StreamTranslator, &[u8])) -> i32 {
        let Some(translator) = self.streams.get_mut(stream as usize).and_then(Option::as_deref_mut) else {
            return self.refuse(|_| {});
        };
        translator.clear_output();
        step(translator, &self.input);
        self.last = Last::Stream(stream);
        i32::from(translator.is_ended())
    }

    pub fn push(&mut self, stream: u32, len: usize) -> i32 {
        self.step(stream, |translator, input| translator.push(input.get(..len).unwrap_or_default()))
    }

    pub fn woke(&mut self, stream: u32) -> i32 {
        self.step(stream, |translator, _| translator.woke())
    }

    pub fn finish(&mut self, stream: u32, end: End) -> i32 {
        self.step(stream, |translator, _| translator.finish(end))
    }

    pub fn wake_after(&mut self, stream: u32) -> i32 {
        let translator = self.streams.get_mut(stream as usize).and_then(Option::as_deref_mut);
        translator.and_then(StreamTranslator::wake_after).and_then(|ms| i32::try_from(ms).ok()).unwrap_or(-1)
    }

    pub fn free(&mut self, stream: u32) {
        if let Some(place) = self.streams.get_mut(stream as usize) {
            *place = None;
        }
    }
}

fn write_error(out: &mut Out, error: &A2aError) {
    out.raw(b"{\"code\":");
    out.text(&error.code.0.to_string());
    out.raw(b",\"message\":");
    out.string(&error.message);
    out.raw(b"}");
}
