//! Part (RULES 1): a union by `kind` in J3, by member in R3 and P1.

use crate::engine::{Code, Fail, Field, Kind, Rec, Rule, Slot, Writer, code, entity, field};
use crate::json::{Span, member, members, unescape};
use crate::protocol::Dialect::{J3, P1, R3};

entity!(
    /// The file of a v0.3 file part.
    pub FILE, file, "FilePart" {
        BYTES = field("bytes", Kind::Bytes).key_in(R3, "fileWithBytes").aliases(&["fileWithBytes", "bytes"]).rule(Rule::Present),
        URI = field("uri", Kind::Str).key_in(R3, "fileWithUri").aliases(&["fileWithUri", "uri"]).rule(Rule::Present),
        MIME_TYPE = field("mimeType", Kind::Str),
        NAME = field("name", Kind::Str),
    }
);

entity!(
    /// The data of a v0.3 REST data part: one level deeper than elsewhere.
    pub R3_DATA, r3_data, "DataPart" {
        DATA = field("data", Kind::Struct),
    }
);

entity!(
    /// A part of a message or an artifact.
    pub PART, part, "part" {
        KIND = field("kind", Kind::Str).not_in(R3, None).not_in(P1, None),
        TEXT = field("text", Kind::Str).rule(Rule::Present),
        RAW = field("raw", Kind::Bytes).rule(Rule::Present).v1_0_only(),
        URL = field("url", Kind::Str).rule(Rule::Present).v1_0_only(),
        DATA = field("data", Kind::Value).kind_in(J3, Kind::Struct).kind_in(R3, Kind::Rec(&R3_DATA)),
        FILE = field("file", Kind::Rec(&FILE)).v0_3_only(),
        METADATA = field("metadata", Kind::Struct).rule(Rule::Present),
        FILENAME = field("filename", Kind::Str).v1_0_only(),
        MEDIA_TYPE = field("mediaType", Kind::Str).v1_0_only(),
        /// The discriminator of A2A v0.2.
        V0_2_TYPE = field("type", Kind::Str).not_in(R3, None).not_in(P1, None),
    } by write
);

/// The metadata key that marks a data part whose value was wrapped (RULES 1.5).
const WRAP_FLAG: &str = "data_part_compat";

/// A part's content, whatever dialect it came from.
enum Content {
    Text,
    /// Bytes or a URI: the record that holds them and the slots in it.
    File {
        rec: Rec,
        bytes: Option<&'static Field>,
        name: u32,
        media_type: u32,
        content: u32,
    },
    Data(Span),
}

fn content(w: &mut Writer<'_>, rec: Rec) -> Result<Content, Fail> {
    match w.cx.from {
        J3 => match w.raw(rec, part::KIND) {
            b"\"text\"" => Ok(Content::Text),
            b"\"file\"" => v0_3_file(w, rec),
            b"\"data\"" => j3_data(w, rec),
            _ => j3_by_other_means(w, rec),
        },
        R3 => {
            let present = [part::TEXT, part::FILE, part::DATA].map(|slot| w.has(rec, slot));
            match present {
                [true, false, false] => Ok(Content::Text),
                [false, true, false] => v0_3_file(w, rec),
                [false, false, true] => {
                    let data = w.slot(rec, part::DATA).as_record().map(|d| w.slot(d, r3_data::DATA));
                    object(w, data.unwrap_or_default())
                }
                _ => exactly_one(w),
            }
        }
        P1 => {
            let present = [part::TEXT, part::RAW, part::URL, part::DATA].map(|slot| w.has(rec, slot));
            let file = |bytes, content| Content::File {
                rec,
                bytes,
                name: part::FILENAME,
                media_type: part::MEDIA_TYPE,
                content,
            };
            match present {
                [true, false, false, false] => Ok(Content::Text),
                [false, true, false, false] => Ok(file(Some(PART.field(part::RAW)), part::RAW)),
                [false, false, true, false] => Ok(file(None, part::URL)),
                [false, false, false, true] => Ok(Content::Data(w.slot(rec, part::DATA).as_span().unwrap_or_default())),
                _ => exactly_one(w),
            }
        }
    }
}

#[cold]
fn exactly_one(w: &Writer<'_>) -> Result<Content, Fail> {
    let members = if w.cx.from == P1 { "text, raw, url or data" } else { "text, file or data" };
    w.fail_here("part", &format!("must have exactly one of {members}"))
}

/// A J3 part whose kind is missing, spelt with escapes, or wrong (RULES 1.12).
#[cold]
fn j3_by_other_means(w: &mut Writer<'_>, rec: Rec) -> Result<Content, Fail> {
    if w.has(rec, part::KIND) {
        return match w.string(rec, part::KIND).as_str() {
            "text" => Ok(Content::Text),
            "file" => v0_3_file(w, rec),
            "data" => j3_data(w, rec),
            _ => w.fail_named("kind", "must be \"text\", \"file\" or \"data\""),
        };
    }
    if w.has(rec, part::V0_2_TYPE) {
        return w.fail_named("type", "is A2A v0.2: use \"kind\"");
    }
    match [part::TEXT, part::FILE, part::DATA].map(|slot| w.has(rec, slot)) {
        [true, false, false] => Ok(Content::Text),
        [false, true, false] => v0_3_file(w, rec),
        [false, false, true] => j3_data(w, rec),
        _ => w.fail_named("kind", "is required: \"text\", \"file\" or \"data\""),
    }
}

fn v0_3_file(w: &mut Writer<'_>, rec: Rec) -> Result<Content, Fail> {
    let file_row = PART.field(part::FILE);
    let Some(rec) = w.slot(rec, part::FILE).as_record() else { return w.fail(file_row, "must be an object") };
    let (has_bytes, has_uri) = (w.has(rec, file::BYTES), w.has(rec, file::URI));
    if w.doc.keep_unknown {
        w.within(file_row, |w| {
            w.report_unknown(rec);
            Ok(())
        })?;
    }
    let content = |bytes, content| Content::File { rec, bytes, name: file::NAME, media_type: file::MIME_TYPE, content };
    match (has_bytes, has_uri) {
        (false, false) => w.fail(file_row, "needs bytes or uri"),
        (true, has_uri) => {
            if has_uri {
                w.within(file_row, |w| {
                    w.notice(code::FILE_URI_DROPPED, FILE.field(file::URI));
                    Ok(())
                })?;
            }
            Ok(content(Some(FILE.field(file::BYTES)), file::BYTES))
        }
        (false, true) => Ok(content(None, file::URI)),
    }
}

fn j3_data(w: &mut Writer<'_>, rec: Rec) -> Result<Content, Fail> {
    object(w, w.slot(rec, part::DATA))
}

fn object(w: &mut Writer<'_>, data: Slot) -> Result<Content, Fail> {
    match data.as_span_of(w.input, b'{') {
        Some(span) => Ok(Content::Data(span)),
        None => w.fail_named("data", "must be an object"),
    }
}

fn write(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    let content = content(w, rec)?;
    match w.cx.to {
        J3 => to_v0_3(w, rec, content, true),
        R3 => to_v0_3(w, rec, content, false),
        P1 => to_p1(w, rec, content),
    }
}

fn to_p1(w: &mut Writer<'_>, rec: Rec, content: Content) -> Result<(), Fail> {
    match content {
        Content::Text => {
            text(w, rec)?;
            w.one(rec, &PART, part::METADATA)
        }
        Content::File { rec: file, bytes, name, media_type, content } => {
            file_content(w, file, bytes, content, "raw", "url")?;
            w.one(rec, &PART, part::METADATA)?;
            optional_string(w, file, name, "filename")?;
            optional_string(w, file, media_type, "mediaType")
        }
        Content::Data(span) => match unwrapped(w, rec, span) {
            Some(value) => {
                w.out.name("data");
                w.out.span(w.input, value);
                metadata_without_flag(w, rec)
            }
            None => {
                w.out.key(b",\"data\":");
                w.out.span(w.input, span);
                w.one(rec, &PART, part::METADATA)
            }
        },
    }
}

fn to_v0_3(w: &mut Writer<'_>, rec: Rec, content: Content, with_kind: bool) -> Result<(), Fail> {
    match content {
        Content::Text => {
            if with_kind {
                w.out.key(b",\"kind\":\"text\"");
            }
            dropped(w, rec, "text/plain");
            text(w, rec)?;
            v0_3_metadata(w, rec)
        }
        Content::File { rec: file, bytes, name, media_type, content } => {
            let (bytes_key, uri_key) = if with_kind { ("bytes", "uri") } else { ("fileWithBytes", "fileWithUri") };
            w.out.key(if with_kind { b",\"kind\":\"file\",\"file\":{" } else { b",\"file\":{" });
            file_content(w, file, bytes, content, bytes_key, uri_key)?;
            optional_string(w, file, media_type, "mimeType")?;
            if is_strict(w) {
                if !w.is_empty(w.slot(file, name)) {
                    w.notice(code::REST_FILE_NAME_DROPPED, PART.field(part::FILENAME));
                }
            } else {
                optional_string(w, file, name, "name")?;
            }
            w.out.raw(b"}");
            v0_3_metadata(w, rec)
        }
        Content::Data(span) => {
            dropped(w, rec, "application/json");
            w.out.key(if with_kind { b",\"kind\":\"data\",\"data\":" } else { b",\"data\":{\"data\":" });
            let wrap = !span.of(w.input).starts_with(b"{");
            if wrap {
                w.out.raw(b"{\"value\":");
            }
            w.out.span(w.input, span);
            if wrap {
                w.out.raw(b"}");
            }
            if !with_kind {
                w.out.raw(b"}");
            }
            if wrap {
                w.notice(code::DATA_PART_WRAPPED, PART.field(part::DATA));
                if is_strict(w) {
                    w.notice(code::REST_PART_METADATA_DROPPED, PART.field(part::METADATA));
                    return Ok(());
                }
                metadata_with_flag(w, rec)
            } else {
                v0_3_metadata(w, rec)
            }
        }
    }
}

/// The v0.3.0 proto has no part metadata and no file names; strict parsers refuse them (RULES 1.15).
fn is_strict(w: &Writer<'_>) -> bool {
    w.cx.to == R3 && w.cx.options.r3_strict030
}

fn v0_3_metadata(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    if is_strict(w) {
        if w.has(rec, part::METADATA) {
            w.notice(code::REST_PART_METADATA_DROPPED, PART.field(part::METADATA));
        }
        return Ok(());
    }
    w.one(rec, &PART, part::METADATA)
}

fn text(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    w.out.key(b",\"text\":");
    w.value(PART.field(part::TEXT), Kind::Str, w.slot(rec, part::TEXT))
}

fn file_content(
    w: &mut Writer<'_>,
    file: Rec,
    bytes: Option<&'static Field>,
    content: u32,
    bytes_key: &str,
    uri_key: &str,
) -> Result<(), Fail> {
    let slot = w.slot(file, content);
    let v0_3 = w.cx.from != P1;
    let (uri_row, file_row) = (FILE.field(file::URI), PART.field(part::FILE));
    w.out.name(if bytes.is_some() { bytes_key } else { uri_key });
    let write = |w: &mut Writer<'_>| match bytes {
        Some(field) => w.value(field, Kind::Bytes, slot),
        None => w.value(if v0_3 { uri_row } else { PART.field(part::URL) }, Kind::Str, slot),
    };
    if v0_3 { w.within(file_row, write) } else { write(w) }
}

fn optional_string(w: &mut Writer<'_>, rec: Rec, slot: u32, key: &'static str) -> Result<(), Fail> {
    let value = w.slot(rec, slot);
    if value.is_absent() || w.raw(rec, slot) == b"\"\"" {
        return Ok(());
    }
    let field = if w.cx.from == P1 { PART.field(slot) } else { FILE.field(slot) };
    w.out.name(key);
    w.value(field, Kind::Str, value)
}

/// `mediaType` and `filename` of text and data parts have no place in v0.3 (RULES 1.7).
fn dropped(w: &mut Writer<'_>, rec: Rec, default_type: &str) {
    let mut drop = |slot: u32, default: &str, code: Code| {
        let value = w.slot(rec, slot);
        if !w.is_empty(value) && w.text_of(value).as_deref() != Some(default) {
            w.notice(code, PART.field(slot));
        }
    };
    drop(part::MEDIA_TYPE, default_type, code::PART_MEDIA_TYPE_DROPPED);
    drop(part::FILENAME, "", code::PART_FILENAME_DROPPED);
}

/// The value inside a wrapped data part: the flag is `true` and `value` is the only member (RULES 1.6).
fn unwrapped(w: &Writer<'_>, rec: Rec, data: Span) -> Option<Span> {
    let metadata = w.slot(rec, part::METADATA).as_span()?;
    if member(w.input, metadata, WRAP_FLAG)?.of(w.input) != b"true" {
        return None;
    }
    let mut value = None;
    for (key, inner) in members(w.input, data) {
        if unescape(key.of(w.input)) != "value" {
            return None;
        }
        value = Some(inner);
    }
    value
}

/// Writes the metadata without the flag; nothing if nothing else is in it.
fn metadata_without_flag(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    metadata_edited(w, rec, false)
}

fn metadata_with_flag(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    metadata_edited(w, rec, true)
}

fn metadata_edited(w: &mut Writer<'_>, rec: Rec, flag: bool) -> Result<(), Fail> {
    let metadata = w.slot(rec, part::METADATA).as_span();
    if let Some(span) = metadata
        && !span.of(w.input).starts_with(b"{")
    {
        return w.fail_named("metadata", "must be an object");
    }
    let input = w.input;
    let mark = w.out.bytes.len();
    w.out.key(b",\"metadata\":");
    w.out.raw(b"{");
    w.out.members(input, metadata.unwrap_or_default(), |name| name != WRAP_FLAG);
    if flag {
        w.out.name(WRAP_FLAG);
        w.out.boolean(true);
    }
    if w.out.bytes.ends_with(b"{") {
        w.out.bytes.truncate(mark);
    } else {
        w.out.raw(b"}");
    }
    Ok(())
}
