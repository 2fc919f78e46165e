//! What is not a renaming in agent cards: interfaces, security, the extended card's flag, hybrids, signatures.

use super::card::{AGENT_CAPABILITIES, AGENT_CARD, capabilities, card, interface, v0_3_interface};
use super::security_write::{find_splits, write_requirements};
use crate::engine::{Fail, Field, Interface, Rec, Row, Signatures, Slot, Writer, code};
use crate::protocol::Dialect::{J3, P1, R3};
use crate::protocol::{ErrorCode, ProtocolVersion, Version, is_legacy};

fn row(slot: u32) -> &'static Field {
    AGENT_CARD.field(slot)
}

pub(super) fn write_card(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    let interfaces = match &w.cx.options.card {
        Some(given) => given.interfaces.clone(),
        None => interfaces(w, rec)?,
    };
    extended_card_flag(w, rec);
    find_splits(w, w.slot(rec, card::SECURITY_SCHEMES));
    if w.cx.to == P1 {
        w.rows(rec, &AGENT_CARD)?;
        supported_interfaces(w, &interfaces);
    } else {
        v0_3_interfaces(w, &interfaces)?;
        w.rows(rec, &AGENT_CARD)?;
        supports_extended_card(w, rec)?;
        if w.cx.options.embed {
            supported_interfaces(w, &interfaces);
        }
    }
    signatures(w, rec)
}

fn is_v1_0(w: &Writer<'_>, rec: Rec) -> bool {
    w.cx.from == P1 || !w.is_empty(w.slot(rec, card::SUPPORTED_INTERFACES))
}

/// Where the agent is, in v1.0's terms (RULES 7.1–7.3).
fn interfaces(w: &mut Writer<'_>, rec: Rec) -> Result<Vec<Interface>, Fail> {
    let mut list: Vec<Interface> = Vec::new();
    if is_v1_0(w, rec) {
        let field = row(card::SUPPORTED_INTERFACES);
        let slot = w.slot(rec, card::SUPPORTED_INTERFACES);
        if !slot.is_absent() && slot.as_run().is_none() {
            return w.fail(field, "must be an array");
        }
        for item in w.list_items(slot) {
            let Some(i) = item.as_record() else { return w.fail(field, "must hold objects") };
            list.push(Interface {
                url: w.string(i, interface::URL),
                binding: w.string(i, interface::PROTOCOL_BINDING),
                version: w.string(i, interface::PROTOCOL_VERSION),
                tenant: w.string(i, interface::TENANT),
            });
        }
        return Ok(list);
    }
    let version = v0_3_version(w, rec);
    let mut add = |url: String, transport: String| {
        let binding = if transport.is_empty() { "JSONRPC".to_owned() } else { transport };
        if !list.iter().any(|i| i.url == url && i.binding == binding) {
            list.push(Interface { url, binding, version: version.clone(), tenant: String::new() });
        }
    };
    add(w.string(rec, card::URL), w.string(rec, card::PREFERRED_TRANSPORT));
    for item in w.list_items(w.slot(rec, card::ADDITIONAL_INTERFACES)) {
        let Some(i) = item.as_record() else {
            return w.fail(row(card::ADDITIONAL_INTERFACES), "must hold objects");
        };
        add(w.string(i, v0_3_interface::URL), w.string(i, v0_3_interface::TRANSPORT));
    }
    if !w.has(rec, card::URL) {
        w.notice(code::REQUIRED_MISSING, row(card::URL));
    }
    Ok(list)
}

/// Major.Minor of a v0.3 card (RULES 7.2).
fn v0_3_version(w: &mut Writer<'_>, rec: Rec) -> String {
    let text = w.string(rec, card::PROTOCOL_VERSION);
    match ProtocolVersion::parse(&text) {
        Some(version) => version.to_string(),
        None => {
            if !text.is_empty() {
                w.notice(code::PROTOCOL_VERSION_INVALID, row(card::PROTOCOL_VERSION));
            }
            Version::V0_3.as_str().to_owned()
        }
    }
}

fn supported_interfaces(w: &mut Writer<'_>, interfaces: &[Interface]) {
    w.out.name("supportedInterfaces");
    w.out.raw(b"[");
    for i in interfaces {
        w.out.separate();
        w.out.raw(b"{");
        w.out.string_member("url", &i.url);
        w.out.string_member("protocolBinding", &i.binding);
        w.out.string_member("protocolVersion", &i.version);
        if !i.tenant.is_empty() {
            w.out.string_member("tenant", &i.tenant);
        }
        w.out.raw(b"}");
    }
    w.out.raw(b"]");
}

/// RULES 7.3.
fn v0_3_interfaces(w: &mut Writer<'_>, interfaces: &[Interface]) -> Result<(), Fail> {
    let legacy: Vec<&Interface> = interfaces.iter().filter(|i| is_legacy(&i.version)).collect();
    let Some(primary) = legacy.first() else {
        return Err(Fail::new(
            ErrorCode::VERSION_NOT_SUPPORTED,
            "the card has no interface with a protocol version in [0.3, 1.0)".to_owned(),
        ));
    };
    if !w.cx.options.embed && legacy.iter().any(|i| !i.tenant.is_empty()) {
        w.notice(code::TENANT_DROPPED, row(card::SUPPORTED_INTERFACES));
    }
    let or = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    let members = [
        ("protocolVersion", or(&primary.version, Version::V0_3.as_str())),
        ("url", primary.url.clone()),
        ("preferredTransport", or(&primary.binding, "JSONRPC")),
    ];
    for (name, text) in members {
        w.out.string_member(name, &text);
    }
    if legacy.len() > 1 {
        w.out.name("additionalInterfaces");
        w.out.raw(b"[");
        for i in legacy {
            w.out.separate();
            w.out.raw(b"{");
            w.out.string_member("url", &i.url);
            w.out.string_member("transport", &or(&i.binding, "JSONRPC"));
            w.out.raw(b"}");
        }
        w.out.raw(b"]");
    }
    Ok(())
}

/// v0.3's flag counts where v1.0's is absent (RULES 7.6, 7.8): it is put where the capabilities' table looks for it.
fn extended_card_flag(w: &mut Writer<'_>, rec: Rec) {
    let flag = w.slot(rec, card::SUPPORTS_EXTENDED_CARD);
    if flag.is_absent() || (w.cx.from == R3 && flag.as_span().is_some_and(|s| s.of(w.input) == b"false")) {
        return;
    }
    let slot = w.slot(rec, card::CAPABILITIES);
    let inner = match slot.as_record() {
        Some(inner) => inner,
        None if slot.is_absent() => {
            w.notice(code::REQUIRED_MISSING, row(card::CAPABILITIES));
            let inner = w.doc.allocate(AGENT_CAPABILITIES.fields.len());
            w.doc.set(rec + card::CAPABILITIES, Slot::record(inner));
            inner
        }
        None => return,
    };
    if !w.has(inner, capabilities::EXTENDED_AGENT_CARD) {
        w.doc.set(inner + capabilities::EXTENDED_AGENT_CARD, flag);
    }
}

fn supports_extended_card(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    let Some(inner) = w.slot(rec, card::CAPABILITIES).as_record() else { return Ok(()) };
    let flag = w.slot(inner, capabilities::EXTENDED_AGENT_CARD);
    if flag.is_absent() {
        return Ok(());
    }
    let value = w.boolean(row(card::SUPPORTS_EXTENDED_CARD), flag)?;
    if value || w.cx.to == J3 {
        w.out.name("supportsAuthenticatedExtendedCard");
        w.out.boolean(value);
    }
    Ok(())
}

/// RULES 7.23.
fn signatures(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    let slot = w.slot(rec, card::SIGNATURES);
    if w.is_empty(slot) {
        return Ok(());
    }
    if w.cx.options.signatures == Signatures::Copy && !w.cx.options.embed {
        let Some(span) = slot.as_span() else { return Ok(()) };
        w.out.name("signatures");
        w.out.span(w.input, span);
    } else {
        w.notice(code::CARD_SIGNATURES_STRIPPED, row(card::SIGNATURES));
    }
    Ok(())
}

pub(super) fn write_capabilities(w: &mut Writer<'_>, rec: Rec) -> Result<(), Fail> {
    w.rows(rec, &AGENT_CAPABILITIES)?;
    if w.cx.to == J3 && w.cx.options.embed {
        return w.embedded(|w| w.one(rec, &AGENT_CAPABILITIES, capabilities::EXTENDED_AGENT_CARD));
    }
    Ok(())
}

/// The v0.3.0 proto has no icon (RULES 1.15).
pub(super) fn icon_url(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if w.is_empty(row.slot) {
        return Ok(());
    }
    if w.cx.options.r3_strict030 {
        w.notice(code::REST_ICON_URL_DROPPED, row.field);
        return Ok(());
    }
    w.member(row.field, row.key, row.slot)
}

pub(super) fn streaming(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    capability(w, row, None)
}

pub(super) fn push_notifications(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let forced = w.cx.options.card.as_ref().is_some_and(|c| c.without_push_notifications);
    capability(w, row, forced.then_some(false))
}

/// Capabilities have presence in J3 and P1, none in R3 (RULES 7.9, REST.md).
fn capability(w: &mut Writer<'_>, row: Row, forced: Option<bool>) -> Result<(), Fail> {
    if row.slot.is_absent() {
        return Ok(());
    }
    let said = w.boolean(row.field, row.slot)?;
    let value = forced.unwrap_or(said);
    if !value && (w.cx.from == R3 || w.cx.to == R3) {
        return Ok(());
    }
    w.out.key(row.key.quoted());
    w.out.boolean(value);
    Ok(())
}

pub(super) fn state_transition_history(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if row.slot.is_absent() {
        return Ok(());
    }
    let value = w.boolean(row.field, row.slot)?;
    if w.cx.to == J3 && w.cx.from == J3 {
        w.out.key(row.key.quoted());
        w.out.boolean(value);
    } else if value && w.cx.from != P1 {
        w.notice(code::STATE_TRANSITION_HISTORY_DROPPED, row.field);
    }
    Ok(())
}

// `security` and `securityRequirements` are the first two slots of the card's and the skills' tables. The v1.0 list
// wins (RULES 7.6).

pub(super) fn security(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    if w.cx.to == P1 {
        return Ok(());
    }
    let (slot, field) = requirements(w, row.rec, row);
    write_requirements(w, slot, field, "security")
}

pub(super) fn security_requirements(w: &mut Writer<'_>, row: Row) -> Result<(), Fail> {
    let (slot, field) = requirements(w, row.rec, row);
    if w.cx.to == P1 {
        return write_requirements(w, slot, field, "securityRequirements");
    }
    if w.cx.options.embed {
        return w.embedded(|w| write_requirements(w, slot, field, "securityRequirements"));
    }
    Ok(())
}

fn requirements(w: &Writer<'_>, rec: Rec, row: Row) -> (Slot, &'static Field) {
    let v1_0 = w.slot(rec, card::SECURITY_REQUIREMENTS);
    let slot = if v1_0.is_absent() { w.slot(rec, card::SECURITY) } else { v1_0 };
    (slot, row.field)
}
