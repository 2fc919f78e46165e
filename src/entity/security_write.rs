//! What is not a renaming in security schemes and requirements.

use super::security::{
    OAUTH_FLOWS, OAUTH2, SCHEME_TYPES, SECURITY_SCHEME, SchemeType, oauth_flows, oauth2, security_scheme,
};
use crate::engine::{Entity, Fail, Field, Kind, Rec, Row, Slot, Writer, code, read};
use crate::json::{Scanner, Span, elements, members, unescape, unique_members};
use crate::protocol::Dialect::{J3, P1};

/// Writes a scheme's members: by `type` in J3, as one member in R3 and P1, both in a hybrid card.
///
/// # Errors
/// [`Fail::dropped`], with a notice, for a type that neither version knows (RULES 7.22).
pub(super) fn write_scheme(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    let Some((scheme, rec)) = scheme_of(w, rec)? else {
        w.notice_here(code::SECURITY_SCHEME_UNKNOWN);
        return Err(Fail::dropped());
    };
    if w.cx.to != J3 {
        return v1_0_member(w, rec, scheme);
    }
    w.out.string_member("type", scheme.j3_type);
    w.rows(rec, scheme.entity)?;
    if w.cx.options.embed {
        return w.embedded(|w| v1_0_member(w, rec, scheme));
    }
    Ok(())
}

/// What the scheme for a further flow is called.
fn split_name(name: &str, flow: &str) -> String {
    format!("{name}#{flow}")
}

/// The flows of a scheme, as slots, if v1.0 has no place for all of them and the caller wants them split.
fn flows_to_split(w: &mut Writer<'_>, scheme: Rec) -> Option<(Rec, Vec<u32>)> {
    if !w.cx.options.oauth_split || w.cx.to == J3 {
        return None;
    }
    let (found, oauth2) = scheme_of(w, scheme).ok()??;
    let flows = w.slot(oauth2, oauth2::FLOWS).as_record().filter(|_| found.slot == security_scheme::OAUTH2)?;
    let present: Vec<u32> = (0..oauth_flows::FLOW).filter(|slot| w.has(flows, *slot)).collect();
    (present.len() > 1).then_some((oauth2, present))
}

/// Finds the schemes of a card that are to be split, for its requirements (RULES 7.17).
pub(super) fn find_splits(w: &mut Writer<'_>, schemes: Slot) {
    for (key, value) in w.map_entries(schemes) {
        let Some(rec) = value.as_record() else { continue };
        if let Some((_, flows)) = flows_to_split(w, rec) {
            let name = unescape(key.of(w.input)).into_owned();
            let further = flows.iter().skip(1).filter_map(|slot| OAUTH_FLOWS.fields.get(*slot as usize));
            w.split_schemes.push((name, further.map(|field| field.name).collect()));
        }
    }
}

/// The security schemes of a card: the map's entries, and those that further flows become (RULES 7.17).
pub(super) fn security_schemes(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if row.slot.is_absent() || w.is_empty(row.slot) {
        return Ok(());
    }
    if !w.cx.options.oauth_split || w.cx.to == J3 || row.slot.as_run().is_none() {
        w.out.key(row.key.quoted());
        return w.value(row.field, Kind::Map(&SECURITY_SCHEME), row.slot);
    }
    let mut entries: Vec<(String, Slot)> = Vec::new();
    for (key, value) in w.map_entries(row.slot) {
        let name = unescape(key.of(w.input)).into_owned();
        let split = value.as_record().and_then(|rec| flows_to_split(w, rec));
        let Some((scheme, flows)) = split else {
            entries.push((name, value));
            continue;
        };
        let all = w.slot(scheme, oauth2::FLOWS).as_record().unwrap_or_default();
        for (i, slot) in flows.into_iter().enumerate() {
            let Some(flow) = OAUTH_FLOWS.fields.get(slot as usize) else { continue };
            let own = w.doc.allocate(OAUTH_FLOWS.fields.len());
            w.doc.set(own + slot, w.slot(all, slot));
            let oauth2 = w.doc.allocate(OAUTH2.fields.len());
            for field in 0..OAUTH2.fields.len() as u32 {
                let value = if field == oauth2::FLOWS { Slot::record(own) } else { w.slot(scheme, field) };
                w.doc.set(oauth2 + field, value);
            }
            let entry = w.doc.allocate(SECURITY_SCHEME.fields.len());
            w.doc.set(entry + security_scheme::OAUTH2, Slot::record(oauth2));
            let name = if i == 0 { name.clone() } else { split_name(&name, flow.name) };
            entries.push((name, Slot::record(entry)));
        }
    }
    w.out.key(row.key.quoted());
    w.out.raw(b"{");
    w.within(row.field, |w| {
        for (name, value) in entries {
            let mark = w.out.bytes.len();
            w.out.name(&name);
            let written = match value.as_record() {
                Some(rec) => w.object(rec, &SECURITY_SCHEME),
                None => w.fail_named(&name, "must be an object"),
            };
            match written {
                Err(fail) if fail.is_dropped() => w.out.bytes.truncate(mark),
                other => other?,
            }
        }
        Ok(())
    })?;
    w.out.raw(b"}");
    Ok(())
}

fn v1_0_member(w: &mut Writer<'_>, rec: Rec, scheme: &'static SchemeType) -> Result<(), Fail> {
    w.out.name(scheme.entity.name);
    w.object(rec, scheme.entity)
}

/// The type of the scheme and a record of the type's own table. The v1.0 member wins (RULES 7.6).
fn scheme_of(w: &mut Writer<'_>, rec: Rec) -> Result<Option<(&'static SchemeType, Rec)>, Fail> {
    for scheme in &SCHEME_TYPES {
        if let Some(member) = w.slot(rec, scheme.slot).as_record() {
            return Ok(Some((scheme, member)));
        }
    }
    if let Some((case, value)) = in_memory(w, w.slot(rec, security_scheme::SCHEME)) {
        let Some(scheme) = SCHEME_TYPES.iter().find(|s| s.entity.name == case) else { return Ok(None) };
        return Ok(record_at(w, value, scheme.entity).map(|member| (scheme, member)));
    }
    let j3_type = w.string(rec, security_scheme::TYPE);
    let Some(scheme) = SCHEME_TYPES.iter().find(|s| s.j3_type == j3_type) else { return Ok(None) };
    // In J3 the type's members lie side by side in the entry itself.
    let member = w.doc.allocate(scheme.entity.fields.len());
    for (i, field) in scheme.entity.fields.iter().enumerate() {
        let from = SECURITY_SCHEME.fields.iter().position(|f| f.key(J3) == field.key(J3));
        if let Some(from) = from {
            let slot = w.slot(rec, from as u32);
            w.doc.set(member + i as u32, slot);
        }
    }
    Ok(Some((scheme, member)))
}

/// `{$case, value}`, a proto union as `@a2a-js/sdk` 1.3.0 agents hold it in memory and serve it (RULES 7.22).
fn in_memory(w: &Writer<'_>, slot: Slot) -> Option<(String, Span)> {
    let span = slot.as_span()?;
    let (mut case, mut value) = (None, None);
    for (key, member) in members(w.input, span) {
        match unescape(key.of(w.input)).as_ref() {
            "$case" => case = w.text_of(Slot::span(member)),
            "value" => value = Some(member),
            _ => {}
        }
    }
    Some((case?, value?))
}

/// Reads a record out of a value that was kept as a span.
fn record_at(w: &mut Writer<'_>, span: Span, entity: &'static Entity) -> Option<Rec> {
    let mut scanner = Scanner::resume(w.input, span);
    read(w.doc, &mut scanner, Kind::Rec(entity), w.cx.from).ok()?.as_record()
}

/// v0.3 knows three places for a key (RULES 7.15).
pub(super) fn api_key_location(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let location = w.text_of(row.slot).unwrap_or_default();
    w.out.key(row.key.quoted());
    if ["header", "query", "cookie"].contains(&location.as_str()) {
        w.out.string(&location);
    } else {
        if !w.cx.options.embed {
            w.notice(code::API_KEY_LOCATION_COERCED, row.field);
        }
        w.out.raw(b"\"header\"");
    }
    Ok(())
}

/// RULES 7.18, 7.21.
pub(super) fn flows_or_empty(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    w.out.key(row.key.quoted());
    if row.slot.is_absent() {
        w.out.raw(b"{}");
        return Ok(());
    }
    w.value(row.field, Kind::Rec(&OAUTH_FLOWS), row.slot)
}

/// RULES 7.20.
pub(super) fn pkce_required(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if !w.boolean(row.field, row.slot)? {
        return Ok(());
    }
    if w.cx.to == P1 {
        w.out.key(row.key.quoted());
        w.out.raw(b"true");
    } else if !w.cx.options.embed {
        w.notice(code::PKCE_REQUIRED_DROPPED, row.field);
    }
    Ok(())
}

/// All flows of v0.3, one of v1.0 (RULES 7.17, 7.19).
pub(super) fn write_flows(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    if let Some((case, value)) = in_memory(w, w.slot(rec, oauth_flows::FLOW))
        && let Some(index) = OAUTH_FLOWS.fields.iter().position(|f| f.name == case)
        && let Some(field) = OAUTH_FLOWS.fields.get(index)
        && let Kind::Rec(entity) = field.kind(w.cx.from)
        && let Some(flow) = record_at(w, value, entity)
    {
        w.doc.set(rec + index as u32, Slot::record(flow));
    }
    let present: Vec<u32> = (0..oauth_flows::FLOW).filter(|slot| w.has(rec, *slot)).collect();
    let v0_3 = w.cx.to.version() == crate::protocol::Version::V0_3;
    let mut written = 0;
    for slot in present {
        if v0_3 && slot == oauth_flows::DEVICE_CODE {
            if !w.cx.options.embed {
                notice_flow(w, code::OAUTH_DEVICE_CODE_DROPPED, slot);
            }
            continue;
        }
        if !v0_3 && written > 0 {
            w.notice_here(code::OAUTH_FLOWS_TRUNCATED);
            break;
        }
        w.one(rec, &OAUTH_FLOWS, slot)?;
        written += 1;
    }
    Ok(())
}

fn notice_flow(w: &mut Writer<'_>, code: crate::engine::Code, slot: u32) {
    if let Some(field) = OAUTH_FLOWS.fields.get(slot as usize) {
        w.notice(code, field);
    }
}

/// One security requirement, in any shape.
#[derive(Clone, Copy)]
pub struct Requirement(pub Span);

impl Requirement {
    /// The object whose members are the schemes' names.
    fn entries(self, w: &Writer<'_>) -> Span {
        let wrapped = members(w.input, self.0)
            .filter(|(key, value)| unescape(key.of(w.input)) == "schemes" && value.of(w.input).starts_with(b"{"))
            .last();
        match wrapped {
            Some((_, schemes)) => schemes,
            None if w.cx.from == J3 => self.0,
            None => Span::default(),
        }
    }

    /// The same requirement with each combination of the schemes that its own were split into (RULES 7.17).
    fn alternatives(self, w: &Writer<'_>) -> Vec<Vec<(String, String)>> {
        let mut all: Vec<Vec<(String, String)>> = vec![Vec::new()];
        if w.cx.to == J3 || w.split_schemes.is_empty() {
            return all;
        }
        for (key, _) in members(w.input, self.entries(w)) {
            let name = unescape(key.of(w.input)).into_owned();
            let Some((_, flows)) = w.split_schemes.iter().find(|(split, _)| *split == name) else { continue };
            let before = all.clone();
            for flow in flows {
                all.extend(before.iter().map(|chosen| {
                    let mut chosen = chosen.clone();
                    chosen.push((name.clone(), split_name(&name, flow)));
                    chosen
                }));
            }
        }
        all
    }

    /// Writes the requirement: `{name: [scopes]}` in J3, `{schemes: {name: {list: [scopes]}}}` otherwise (RULES 7.14).
    ///
    /// # Errors
    /// Anything but an object of string lists.
    pub fn write(self, w: &mut Writer<'_>) -> Result<(), Fail> {
        self.write_renamed(w, &[])
    }

    /// [`Requirement::write`], with these schemes under other names.
    fn write_renamed(self, w: &mut Writer<'_>, renamed: &[(String, String)]) -> Result<(), Fail> {
        let input = w.input;
        if !self.0.of(input).starts_with(b"{") {
            return w.fail_here("securityRequirement", "must be an object");
        }
        let entries = self.entries(w);
        let j3 = w.cx.to == J3;
        w.out.raw(b"{");
        let mark = w.out.bytes.len();
        if !j3 {
            w.out.raw(b"\"schemes\":{");
        }
        let mut any = false;
        for (key, value) in unique_members(input, entries) {
            any = true;
            let name = unescape(key.of(input));
            match renamed.iter().find(|(from, _)| *from == name) {
                Some((_, to)) => w.out.name(to),
                None => w.out.name_from(input, key),
            }
            let scopes = w.at_name(key, |w| scopes(w, value))?;
            let empty = scopes.is_none_or(|s| elements(input, s).next().is_none());
            match (scopes.filter(|_| !empty), j3) {
                (Some(scopes), true) => w.out.span(input, scopes),
                (None, true) => w.out.raw(b"[]"),
                (Some(scopes), false) => {
                    w.out.raw(b"{\"list\":");
                    w.out.span(input, scopes);
                    w.out.raw(b"}");
                }
                (None, false) => w.out.raw(b"{}"),
            }
        }
        if !j3 {
            w.out.raw(b"}");
            if !any {
                w.out.bytes.truncate(mark);
            }
        }
        w.out.raw(b"}");
        Ok(())
    }
}

/// The list of scopes in a requirement's value: `[…]`, `{list: […]}`, `{}` or nothing.
fn scopes(w: &Writer<'_>, value: Span) -> Result<Option<Span>, Fail> {
    let list = match value.of(w.input).first() {
        Some(b'[') => Some(value),
        Some(b'n') => None,
        Some(b'{') => members(w.input, value)
            .filter(|(key, v)| unescape(key.of(w.input)) == "list" && v.of(w.input) != b"null")
            .last()
            .map(|(_, v)| v),
        _ => return w.fail_here("securityRequirement", "must list its scopes"),
    };
    let strings = |span: Span| {
        span.of(w.input).starts_with(b"[") && elements(w.input, span).all(|s| s.of(w.input).starts_with(b"\""))
    };
    if list.is_some_and(|span| !strings(span)) {
        return w.fail_here("securityRequirement", "must list its scopes as strings");
    }
    Ok(list)
}

/// Writes a list of requirements that was kept as a span: nothing if it is empty.
pub(super) fn write_requirements(w: &mut Writer<'_>, slot: Slot, field: &'static Field, key: &str) -> Result<(), Fail> {
    if w.is_empty(slot) {
        return Ok(());
    }
    let input = w.input;
    let Some(span) = slot.as_span().filter(|s| s.of(input).starts_with(b"[")) else {
        return w.fail(field, "must be an array");
    };
    w.out.name(key);
    w.out.raw(b"[");
    w.within(field, |w| {
        for (i, item) in elements(input, span).enumerate() {
            for renamed in Requirement(item).alternatives(w) {
                w.out.separate();
                w.at_index(i as u32, |w| Requirement(item).write_renamed(w, &renamed))?;
            }
        }
        Ok(())
    })?;
    w.out.raw(b"]");
    Ok(())
}
