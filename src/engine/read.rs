//! The reader: one pass over the text, slots out. It validates JSON and nothing else; what a value must be is
//! checked when it is written, so the faults of a superseded duplicate are nobody's concern (RULES 0.13).

use super::doc::{Doc, Rec, Slot};
use super::table::{Entity, Key, Kind};
use crate::json::{Scanner, SyntaxError, unescape};
use crate::protocol::Dialect;

type Read<T> = Result<T, SyntaxError>;

/// Reads one value as `kind` says. Values of another JSON type are kept as spans, for the writer to refuse.
#[inline(never)]
pub fn read(doc: &mut Doc, scanner: &mut Scanner<'_>, kind: Kind, dialect: Dialect) -> Read<Slot> {
    read_here(doc, scanner, kind, dialect)
}

#[inline(always)]
fn read_here(doc: &mut Doc, scanner: &mut Scanner<'_>, kind: Kind, dialect: Dialect) -> Read<Slot> {
    let first = scanner.peek();
    match kind {
        Kind::Rec(entity) if first == b'{' => record(doc, scanner, entity, dialect).map(Slot::record),
        Kind::List(entity) if first == b'[' => list(doc, scanner, entity, dialect),
        Kind::Map(entity) if first == b'{' => map(doc, scanner, entity, dialect),
        Kind::Value => scanner.value_here().map(Slot::span),
        _ => {
            let span = scanner.value_here()?;
            Ok(if first == b'n' { Slot::ABSENT } else { Slot::span(span) })
        }
    }
}

fn record(doc: &mut Doc, scanner: &mut Scanner<'_>, entity: &'static Entity, dialect: Dialect) -> Read<Rec> {
    let keys = entity.keys(dialect);
    let rec = doc.allocate(keys.len());
    let aliases = doc.by_alias.len();
    scanner.open()?;
    if scanner.peek() == b'}' {
        scanner.close();
        return Ok(rec);
    }
    // Senders write members in the table's order more often than not: look behind the last hit first.
    let mut guess = 0usize;
    loop {
        match known_key(scanner, keys, guess) {
            Some(index) => {
                guess = index + 1;
                let kind = entity.field(index as u32).kind(dialect);
                let slot = read_here(doc, scanner, kind, dialect)?;
                doc.set(rec + index as u32, slot);
            }
            None => other_spelling(doc, scanner, entity, dialect, rec)?,
        }
        match scanner.peek() {
            b',' => scanner.advance(),
            b'}' => {
                scanner.close();
                if doc.by_alias.len() > aliases {
                    settle(doc, aliases);
                }
                return Ok(rec);
            }
            _ => return scanner.unexpected("a comma or a closing brace was expected"),
        }
    }
}

/// Passes `"key":` if that is next and the key is in the table, written as it is there; says where it is. Looks behind
/// `guess` first.
#[inline(always)]
pub(crate) fn known_key(scanner: &mut Scanner<'_>, keys: &'static [Key], guess: usize) -> Option<usize> {
    if scanner.peek() != b'"' {
        return None;
    }
    let text = scanner.rest(1);
    let word = u64::from_le_bytes(*text.first_chunk()?);
    let (before, behind) = keys.split_at_checked(guess)?;
    let mut hit = (guess..).zip(behind).find_map(|(index, key)| Some((index, key.begins(text, word)?)));
    if hit.is_none() {
        hit = before.iter().enumerate().find_map(|(index, key)| Some((index, key.begins(text, word)?)));
    }
    let (index, count) = hit?;
    scanner.skip(1 + count);
    Some(index)
}

/// At the end of a record: values under another spelling stand where the main spelling gave none, or `null`, which
/// counts as absent (RULES 0.1, 0.4).
#[inline(never)]
fn settle(doc: &mut Doc, aliases: usize) {
    while doc.by_alias.len() > aliases {
        let Some((place, slot)) = doc.by_alias.pop() else { return };
        if doc.slot(place).is_absent() {
            doc.set(place, slot);
        }
    }
}

/// A member whose key is not in the table as it stands: escaped, snake_case, an alias, unknown, or with white space
/// behind it.
#[inline(never)]
fn other_spelling(
    doc: &mut Doc,
    scanner: &mut Scanner<'_>,
    entity: &'static Entity,
    dialect: Dialect,
    rec: Rec,
) -> Read<()> {
    let key = scanner.key()?;
    let text = unescape(key.of(scanner.input()));
    let keys = entity.keys(dialect);
    let named = |name: &str| keys.iter().position(|key| !name.is_empty() && key.text() == name.as_bytes());
    let snake = || named(&text.contains('_').then(|| camel_case(&text))?);
    let alias = || {
        entity.fields.iter().position(|f| {
            f.aliases.iter().any(|a| *a == text) && f.keys.get(dialect as usize).is_some_and(|k| !k.is_empty())
        })
    };
    let main = named(&text);
    let Some(index) = main.or_else(snake).or_else(alias) else {
        scanner.value()?;
        if doc.keep_unknown {
            doc.unknown.push((rec, key));
        }
        return Ok(());
    };
    let slot = read(doc, scanner, entity.field(index as u32).kind(dialect), dialect)?;
    let place = rec + index as u32;
    if main.is_some() {
        doc.set(place, slot);
        return Ok(());
    }
    // Of several the last one counts. Records around this one have lower slots.
    let mut own = doc.by_alias.iter_mut().rev().take_while(|(other, _)| *other >= rec);
    match own.find(|(other, _)| *other == place) {
        Some(entry) => entry.1 = slot,
        None => doc.by_alias.push((place, slot)),
    }
    Ok(())
}

fn camel_case(snake: &str) -> String {
    let mut camel = String::with_capacity(snake.len());
    let mut upper = false;
    for c in snake.chars() {
        if c == '_' {
            upper = !camel.is_empty();
        } else if upper {
            camel.push(c.to_ascii_uppercase());
            upper = false;
        } else {
            camel.push(c);
        }
    }
    camel
}

fn list(doc: &mut Doc, scanner: &mut Scanner<'_>, entity: &'static Entity, dialect: Dialect) -> Read<Slot> {
    scanner.open()?;
    let mark = doc.stack.len();
    if scanner.peek() == b']' {
        scanner.close();
        return Ok(close_run(doc, mark));
    }
    loop {
        let slot = entry(doc, scanner, entity, dialect)?;
        doc.stack.push(slot);
        match scanner.peek() {
            b',' => scanner.advance(),
            b']' => {
                scanner.close();
                return Ok(close_run(doc, mark));
            }
            _ => return scanner.unexpected("a comma or a closing bracket was expected"),
        }
    }
}

fn map(doc: &mut Doc, scanner: &mut Scanner<'_>, entity: &'static Entity, dialect: Dialect) -> Read<Slot> {
    scanner.open()?;
    let mark = doc.stack.len();
    if scanner.peek() == b'}' {
        scanner.close();
        return Ok(close_run(doc, mark));
    }
    loop {
        let key = scanner.key()?;
        let slot = entry(doc, scanner, entity, dialect)?;
        doc.stack.push(Slot::span(key));
        doc.stack.push(slot);
        match scanner.peek() {
            b',' => scanner.advance(),
            b'}' => {
                scanner.close();
                return Ok(close_run(doc, mark));
            }
            _ => return scanner.unexpected("a comma or a closing brace was expected"),
        }
    }
}

/// An element of a list, or a value of a map; what is no object is kept as it is.
#[inline(always)]
fn entry(doc: &mut Doc, scanner: &mut Scanner<'_>, entity: &'static Entity, dialect: Dialect) -> Read<Slot> {
    if scanner.peek() == b'{' {
        record(doc, scanner, entity, dialect).map(Slot::record)
    } else {
        scanner.value().map(Slot::span)
    }
}

fn close_run(doc: &mut Doc, mark: usize) -> Slot {
    let first = doc.slots.len() as u32;
    doc.slots.extend(doc.stack.drain(mark..));
    Slot::run(first, doc.slots.len() as u32 - first)
}
