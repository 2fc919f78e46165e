//! Server-sent events (WHATWG HTML §9.2, RULES 10.1): an incremental reader and the writer.

use crate::json::Out;

/// Something complete that the reader found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A comment line, colon included, line end not.
    Comment(&'a [u8]),
    /// An event, or `id:` and `retry:` fields without one.
    Event(Event<'a>),
}

/// An event as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event:` field; empty if there was none.
    pub name: &'a [u8],
    /// The `id:` and `retry:` lines as they were, each ended by LF.
    pub fields: &'a [u8],
    /// The `data:` lines, joined by LF; empty if there was none.
    pub data: &'a [u8],
    /// Whether `data` came in more than one line, so that it may hold line breaks between tokens.
    pub multi_line: bool,
}

/// One event is longer than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// Reads events from chunks that may be split anywhere. Keeps at most one event.
pub struct Reader {
    limit: usize,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    name: Vec<u8>,
    fields: Vec<u8>,
    data: Vec<u8>,
    data_lines: u32,
    /// The last chunk ended in CR: an LF that follows belongs to it.
    after_cr: bool,
    /// No line has been read yet: a byte order mark may come.
    first: bool,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Reader {
    /// A reader that allows events of at most `limit` bytes.
    pub fn new(limit: usize) -> Reader {
        Reader {
            limit,
            line: Vec::new(),
            name: Vec::new(),
            fields: Vec::new(),
            data: Vec::new(),
            data_lines: 0,
            after_cr: false,
            first: true,
        }
    }

    /// Takes a chunk and hands everything that is complete to `sink`, which says whether to go on. What follows in the
    /// chunk after it said no is forgotten.
    ///
    /// # Errors
    /// An event longer than the limit.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(Item<'_>) -> bool) -> Result<(), TooLong> {
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        loop {
            let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else {
                return self.keep(rest);
            };
            let (line, after) = rest.split_at(end);
            // The usual event, whole in one chunk: no copy.
            if let Some(after) = after.strip_prefix(b"\n\n")
                && self.is_between_events()
                && let Some(data) = line.strip_prefix(b"data:")
            {
                self.check(line.len())?;
                rest = after;
                let data = data.strip_prefix(b" ").unwrap_or(data);
                let event = Event { name: b"", fields: b"", data, multi_line: false };
                if !data.is_empty() && !sink(Item::Event(event)) {
                    return Ok(());
                }
                continue;
            }
            let go_on = if self.line.is_empty() {
                self.check(line.len())?;
                self.line_end(line, &mut sink)?
            } else {
                self.keep(line)?;
                let mut whole = std::mem::take(&mut self.line);
                let go_on = self.line_end(&whole, &mut sink);
                whole.clear();
                self.line = whole;
                go_on?
            };
            if !go_on {
                return Ok(());
            }
            rest = match after {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    return Ok(());
                }
                [_, rest @ ..] => rest,
                [] => return Ok(()),
            };
        }
    }

    /// Whether an event or a line is incomplete: what came of it is to be discarded at the end of the stream.
    pub fn is_inside_event(&self) -> bool {
        !self.line.is_empty() || self.data_lines > 0
    }

    fn is_between_events(&self) -> bool {
        self.line.is_empty() && self.data_lines == 0 && self.name.is_empty() && self.fields.is_empty() && !self.first
    }

    fn check(&self, more: usize) -> Result<(), TooLong> {
        let held = self.line.len() + self.data.len() + self.fields.len() + self.name.len();
        if held + more > self.limit { Err(TooLong { limit: self.limit }) } else { Ok(()) }
    }

    fn keep(&mut self, part: &[u8]) -> Result<(), TooLong> {
        self.check(part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn line_end(&mut self, line: &[u8], sink: &mut impl FnMut(Item<'_>) -> bool) -> Result<bool, TooLong> {
        let line = if std::mem::take(&mut self.first) { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        if line.is_empty() {
            return Ok(self.dispatch(sink));
        }
        if line.first() == Some(&b':') {
            return Ok(sink(Item::Comment(line)));
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.data_lines > 0 {
                    self.data.push(b'\n');
                }
                self.data_lines += 1;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            b"id" | b"retry" => {
                self.fields.extend_from_slice(line);
                self.fields.push(b'\n');
            }
            _ => {}
        }
        self.check(0)?;
        Ok(true)
    }

    fn dispatch(&mut self, sink: &mut impl FnMut(Item<'_>) -> bool) -> bool {
        let go_on = if self.data.is_empty() && self.fields.is_empty() {
            true // an event without data is none (RULES 10.7)
        } else {
            sink(Item::Event(Event {
                name: &self.name,
                fields: &self.fields,
                data: &self.data,
                multi_line: self.data_lines > 1,
            }))
        };
        self.name.clear();
        self.fields.clear();
        self.data.clear();
        self.data_lines = 0;
        go_on
    }
}

/// Writes a comment line and the blank line that makes readers see it at once.
pub fn write_comment(out: &mut Out, comment: &[u8]) {
    out.raw(comment);
    out.raw(b"\n\n");
}

/// Begins an event: `event: error` for errors, the fields that are passed on, and `data: `. End it with [`end_event`].
pub fn begin_event(out: &mut Out, is_error: bool, fields: &[u8]) {
    if is_error {
        out.raw(b"event: error\n");
    }
    out.raw(fields);
    out.raw(b"data: ");
}

/// Ends an event.
pub fn end_event(out: &mut Out) {
    out.raw(b"\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]], limit: usize) -> Result<Vec<String>, TooLong> {
        let mut reader = Reader::new(limit);
        let mut seen = Vec::new();
        for chunk in chunks {
            reader.push(chunk, |item| {
                seen.push(match item {
                    Item::Comment(c) => String::from_utf8_lossy(c).into_owned(),
                    Item::Event(e) => format!(
                        "{}|{}|{}|{}",
                        String::from_utf8_lossy(e.name),
                        String::from_utf8_lossy(e.fields),
                        String::from_utf8_lossy(e.data),
                        e.multi_line
                    ),
                });
                true
            })?;
        }
        Ok(seen)
    }

    const TEXT: &str = "\u{feff}data: {\"a\":1}\n\n:hb\r\ndata:x\rdata: y\r\n\r\nevent: error\nid: 3\nretry:5\ndata\ndata:z\n\nid: 4\n\nnonsense: 1\n\ndata:\n\ndata: last\n\ndata: cut off";

    #[test]
    fn reads_any_line_end_and_any_split() {
        let whole = read(&[TEXT.as_bytes()], 1000).unwrap();
        assert_eq!(
            whole,
            [
                "||{\"a\":1}|false",
                ":hb",
                "||x\ny|true",
                "error|id: 3\nretry:5\n|\nz|true",
                "|id: 4\n||false",
                "||last|false"
            ]
        );
        for at in 0..TEXT.len() {
            let (a, b) = TEXT.as_bytes().split_at(at);
            assert_eq!(read(&[a, b], 1000).unwrap(), whole, "split at {at}");
        }
        let bytes: Vec<&[u8]> = TEXT.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes, 1000).unwrap(), whole);
    }

    #[test]
    fn hands_out_an_event_as_soon_as_its_blank_line_came() {
        assert_eq!(read(&[b"data: 1\r", b"\r"], 100).unwrap(), ["||1|false"]);
        assert_eq!(read(&[b"data: 1\r\r\ndata: 2\r\n\r\n"], 100).unwrap(), ["||1|false", "||2|false"]);
    }

    #[test]
    fn refuses_events_over_the_limit_and_keeps_no_more() {
        assert_eq!(read(&[b"data: 12345678\n\n"], 20).unwrap(), ["||12345678|false"]);
        assert!(read(&[b"data: 123456789012345678901\n\n"], 20).is_err());
        assert!(read(&[b"data: 12345678901", b"2345678901"], 20).is_err());
        assert!(read(&[b"data: 1234567890\n", b"data: 1234567890\n"], 20).is_err());
        // The same limit however the bytes are split, and for the first event as for the next.
        for len in [14, 15] {
            let event = format!("data: {}\n\n", "1".repeat(len));
            let stream = [&b"data: 0\n\n"[..], event.as_bytes()].concat();
            for split in 0..stream.len() {
                let (a, b) = stream.split_at(split);
                assert_eq!(read(&[a, b], 20).is_ok(), len == 14, "{len} split at {split}");
            }
        }
    }
}
