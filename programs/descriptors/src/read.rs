//! A chain from TOML: which keys there are and what they mean (`specs/src/chain.md`).

use crate::sentence::Unit;
use crate::{Chain, ChainSource, DescriptorSpans, register_limit};
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_emu::dma::limit;
use cp2_emu::dma::{
    Copy, Descriptor, DescriptorAction, Gather, Get, GetWords, Jump, JumpKind, LocalStride,
    LocalWalk, MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride,
};
use cp2_isa::{NumberRange, SECTIONS, WordAddress};
use cp2_toml::{FieldReader, Table, TomlValue};
use toml::de::DeValue;

/// Limit of the 16-bit numbers of a descriptor: words of local memory, counts of them, numbers of beats.
const HALF: NumberRange = NumberRange::bits(16);
const INDEX_REGISTERS: i64 = 16;

/// The keys that every descriptor has.
const COMMON: [&str; 5] = ["kind", "valid", "interrupt", "stop", "sync"];
const KINDS: [(&str, &[&str]); 7] = [
    ("get", &["memory", "local", "pattern", "single_words", "next"]),
    ("put", &["memory", "local", "flow", "mask", "row_end_mask", "next"]),
    ("copy", &["from", "to", "next"]),
    ("get_words", &["memory", "local", "pattern", "next"]),
    ("put_words", &["memory", "local", "flow", "next"]),
    ("gather", &["list", "base", "local", "pattern", "next"]),
    ("jump", &["target", "index"]),
];
const MEMORY_KEYS: [&str; 5] = ["base", "index", "burst", "x", "y"];
const LOCAL_KEYS: [&str; 4] = ["base", "index", "x", "y"];
const WALK: &str = "a table { base = ..., burst = ..., x = { step = ..., count = ... }, y = ... }";
const LOCAL: &str = "a table { base = ..., x = { step = ..., count = ... }, y = ... }";
const HALF_REGISTER: &str = "half of an index register: \"i0.high\", \"i0.low\" to \"i15.low\"";
const PATTERN: &str = "\"broadcast\", \"interleaved\", { dealt = BEATS }, { only = SECTION }, or a list of four { base, inner, run, outer }";
const TARGET: &str = "\"relative\", \"absolute\", { table = [16 steps] } or { value = ..., equal = STEP, other = STEP }";

/// Reads a chain from the text of a TOML file (`specs/src/chain.md`). `file` is the number of the text in `sources`.
///
/// # Errors
/// The text is not TOML, or has keys or values that a chain does not take: a diagnostic for each problem, in the order
/// of the text.
pub fn read(sources: &Sources, file: u32) -> Result<ChainSource, Vec<Diagnostic>> {
    cp2_toml::read(sources, file, document_of)
}

fn document_of(reader: &mut FieldReader, top: &Table<'_>) -> ChainSource {
    reader.only(top, "a file of descriptors", &["registers", "index", "descriptor"]);
    let mut source = ChainSource { chain: Chain::default(), places: Vec::new() };
    if let Some(value) = top.get("registers") {
        registers(reader, value, &mut source.chain);
    }
    if let Some(value) = top.get("index") {
        halves(reader, value, &mut source.chain);
    }
    let Some(value) = reader.required(top, "descriptor", "a chain has at least one [[descriptor]]")
    else {
        return source;
    };
    match value.get_ref() {
        DeValue::Array(entries) if !entries.is_empty() => {
            for entry in entries.iter() {
                let (descriptor, place) = descriptor(reader, entry);
                source.chain.descriptors.push(descriptor);
                source.places.push(place);
            }
        }
        _ => reader.refuse_value(value, "descriptor", "tables that begin with [[descriptor]]"),
    }
    source
}

fn registers(reader: &mut FieldReader, value: &TomlValue<'_>, chain: &mut Chain) {
    let Some(table) = reader.table(value, "registers", "a table of registers") else { return };
    let names = Chain::REGISTERS.map(|register| register.name().to_ascii_lowercase());
    let known = names.each_ref().map(String::as_str);
    reader.only(&table, "the table of registers", &known);
    for (name, register) in known.iter().zip(Chain::REGISTERS) {
        if let Some(value) = table.get(name) {
            let number = reader.number(value, &table.name(name), register_limit(register));
            chain.registers.push((register, number as u32));
        }
    }
}

fn halves(reader: &mut FieldReader, value: &TomlValue<'_>, chain: &mut Chain) {
    let Some(table) = reader.table(value, "index", "a table of index registers") else { return };
    let names: Vec<String> = (0..INDEX_REGISTERS).map(|n| format!("i{n}")).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    reader.only(&table, "the table of index registers", &known);
    for (n, name) in (0..).zip(&names) {
        let takes = "a table { high = ..., low = ... }; write i2.high = 64";
        let Some(value) = table.get(name) else { continue };
        let Some(halves) = reader.table(value, &table.name(name), takes) else { continue };
        reader.only(&halves, "an index register", &["high", "low"]);
        for (k, half) in (0..).zip(["high", "low"]) {
            if let Some(value) = halves.get(half) {
                let number = reader.number(value, &halves.name(half), NumberRange::bits(32));
                chain.halves.push((2 * n + k, number as u32));
            }
        }
    }
}

fn descriptor(reader: &mut FieldReader, value: &TomlValue<'_>) -> (Descriptor, DescriptorSpans) {
    let whole = reader.span(value.span());
    let mut place = DescriptorSpans { whole, fields: Vec::new() };
    let jump = Jump { kind: JumpKind::Relative, index: 0 };
    let mut made = Descriptor::new(DescriptorAction::Jump(jump));
    let DeValue::Table(entries) = value.get_ref() else {
        reader.refuse_value(value, "descriptor", "a table");
        return (made, place);
    };
    let table = Table::new(entries, value.span(), "");
    let names = KINDS.map(|(name, _)| format!("\"{name}\"")).join(", ");
    let Some(kind) = reader.required(&table, "kind", &format!("one of {names}")) else {
        return (made, place);
    };
    note(reader, &mut place, "kind", Some(kind));
    let Some(name) = reader.text(kind, "kind", &names) else { return (made, place) };
    let Some((name, keys)) = KINDS.into_iter().find(|(known, _)| *known == name) else {
        reader.refuse_value(kind, "kind", &names);
        return (made, place);
    };
    let known: Vec<&str> = COMMON.into_iter().chain(keys.iter().copied()).collect();
    reader.only(&table, &format!("a {name}"), &known);
    made.action = match name {
        "get" => DescriptorAction::Get(get(reader, &table, &mut place)),
        "put" => DescriptorAction::Put(put(reader, &table, &mut place)),
        "copy" => DescriptorAction::Copy(copy(reader, &table, &mut place)),
        "get_words" => DescriptorAction::GetWords(get_words(reader, &table, &mut place)),
        "put_words" => DescriptorAction::PutWords(put_words(reader, &table, &mut place)),
        "gather" => DescriptorAction::Gather(gather(reader, &table, &mut place)),
        _ => DescriptorAction::Jump(self::jump(reader, &table)),
    };
    note(reader, &mut place, "valid", table.get("valid"));
    made.valid = reader.flag_or(&table, "valid", true);
    made.interrupt = reader.flag_or(&table, "interrupt", false);
    made.stop = reader.flag_or(&table, "stop", false);
    note(reader, &mut place, "sync", table.get("sync"));
    (made.sync_before, made.sync_after) = sync(reader, &table);
    (made, place)
}

/// Notes the place of a field, if the text has the field.
fn note(
    reader: &FieldReader,
    place: &mut DescriptorSpans,
    field: &'static str,
    value: Option<&TomlValue<'_>>,
) {
    if let Some(value) = value {
        place.fields.push((field, reader.span(value.span())));
    }
}

fn sync(reader: &mut FieldReader, table: &Table<'_>) -> (bool, bool) {
    const TAKES: &str = "\"before\", \"after\" or \"both\"";
    let Some(value) = table.get("sync") else { return (false, false) };
    match reader.text(value, "sync", TAKES) {
        Some("before") => (true, false),
        Some("after") => (false, true),
        Some("both") => (true, true),
        Some(_) => {
            reader.refuse_value(value, "sync", TAKES);
            (false, false)
        }
        None => (false, false),
    }
}

fn get(reader: &mut FieldReader, table: &Table<'_>, place: &mut DescriptorSpans) -> Get {
    Get {
        memory: memory(reader, table, "memory", place),
        local: local(reader, table),
        single_words: reader.flag_or(table, "single_words", false),
        sections: pattern(reader, table, Unit::Beats),
        next: next(reader, table),
    }
}

fn put(reader: &mut FieldReader, table: &Table<'_>, place: &mut DescriptorSpans) -> Put {
    Put {
        memory: memory(reader, table, "memory", place),
        local: local(reader, table),
        flow: reader.number_or(table, "flow", limit::FLOW, 0) as u8,
        mask: reader.number_or(table, "mask", limit::MASK, 0) as u8,
        row_end_mask: reader.number_or(table, "row_end_mask", limit::MASK, 0) as u8,
        next: next(reader, table),
    }
}

fn copy(reader: &mut FieldReader, table: &Table<'_>, place: &mut DescriptorSpans) -> Copy {
    Copy {
        from: memory(reader, table, "from", place),
        to: memory(reader, table, "to", place),
        next: next(reader, table),
    }
}

fn get_words(reader: &mut FieldReader, table: &Table<'_>, place: &mut DescriptorSpans) -> GetWords {
    GetWords {
        memory: memory(reader, table, "memory", place),
        local: local(reader, table),
        sections: pattern(reader, table, Unit::Words),
        next: next(reader, table),
    }
}

fn put_words(reader: &mut FieldReader, table: &Table<'_>, place: &mut DescriptorSpans) -> PutWords {
    PutWords {
        memory: memory(reader, table, "memory", place),
        local: local(reader, table),
        flow: reader.number_or(table, "flow", limit::FLOW, 0) as u8,
        next: next(reader, table),
    }
}

fn gather(reader: &mut FieldReader, table: &Table<'_>, place: &mut DescriptorSpans) -> Gather {
    Gather {
        list: memory(reader, table, "list", place),
        base: table.get("base").map(|value| half_register(reader, value, "base")),
        local: local(reader, table),
        sections: pattern(reader, table, Unit::Words),
        next: next(reader, table),
    }
}

fn memory(
    reader: &mut FieldReader,
    table: &Table<'_>,
    key: &'static str,
    place: &mut DescriptorSpans,
) -> MemoryWalk {
    let Some(value) = reader.required(table, key, WALK) else { return MemoryWalk::default() };
    note(reader, place, key, Some(value));
    let Some(walk) = reader.table(value, key, WALK) else { return MemoryWalk::default() };
    reader.only(&walk, "a walk through memory", &MEMORY_KEYS);
    let base = reader.required(&walk, "base", "address of the first byte");
    note(reader, place, "memory base", base);
    let base = base.map_or(0, |v| reader.number(v, &walk.name("base"), limit::MEMORY_BASE));
    let mut stride = |key, field| {
        let Some(value) = walk.get(key) else { return Stride::default() };
        let name = walk.name(key);
        let takes = "a table { step = ..., count = ... }";
        let Some(part) = reader.table(value, &name, takes) else { return Stride::default() };
        reader.only(&part, "a step through memory", &["step", "count"]);
        note(reader, place, field, part.get("step"));
        Stride {
            step: reader.number_or(&part, "step", limit::MEMORY_STEP, 0) as i32,
            count: reader.number_or(&part, "count", limit::MEMORY_COUNT, 1) as u32,
        }
    };
    let (x, y) = (stride("x", "memory step x"), stride("y", "memory step y"));
    MemoryWalk {
        base: (base as u32).into(),
        index: walk.get("index").map(|value| half_register(reader, value, &walk.name("index"))),
        burst: reader.number_or(&walk, "burst", limit::BURST, 1) as u8,
        x,
        y,
    }
}

fn local(reader: &mut FieldReader, table: &Table<'_>) -> LocalWalk {
    let Some(value) = reader.required(table, "local", LOCAL) else { return LocalWalk::default() };
    let Some(walk) = reader.table(value, "local", LOCAL) else { return LocalWalk::default() };
    reader.only(&walk, "a walk through local memory", &LOCAL_KEYS);
    let base = reader.required(&walk, "base", "address of the first word");
    let base = base.map_or(0, |v| reader.number(v, &walk.name("base"), HALF));
    let mut stride = |key| {
        let Some(value) = walk.get(key) else { return LocalStride::default() };
        let takes = "a table { step = ..., count = ..., reversed = ... }";
        let Some(part) = reader.table(value, &walk.name(key), takes) else {
            return LocalStride::default();
        };
        reader.only(&part, "a step through local memory", &["step", "count", "reversed"]);
        // Addresses wrap around, so a step back is one of 16 bits too.
        let step = NumberRange::between(-0x8000, HALF.high);
        LocalStride {
            step: reader.number_or(&part, "step", step, 0) as u16,
            count: reader.number_or(&part, "count", HALF, 1) as u16,
            reversed: reader.flag_or(&part, "reversed", false),
        }
    };
    let (x, y) = (stride("x"), stride("y"));
    let index = walk.get("index").map(|value| half_register(reader, value, &walk.name("index")));
    LocalWalk { base: WordAddress(base as u16), index, x, y }
}

/// Reads the name of a half-register as its number: `i2.high` is 4.
fn half_register(reader: &mut FieldReader, value: &TomlValue<'_>, name: &str) -> u8 {
    let Some(text) = reader.text(value, name, HALF_REGISTER) else { return 0 };
    let (register, half) = text.split_once('.').unwrap_or((text, ""));
    let number = register.strip_prefix('i').and_then(|digits| digits.parse::<u8>().ok());
    match (number, half) {
        (Some(n), "high") if i64::from(n) < INDEX_REGISTERS => 2 * n,
        (Some(n), "low") if i64::from(n) < INDEX_REGISTERS => 2 * n + 1,
        _ => {
            reader.refuse_value(value, name, HALF_REGISTER);
            0
        }
    }
}

fn next(reader: &mut FieldReader, table: &Table<'_>) -> NextDescriptor {
    match table.get("next").map(|value| (value, value.get_ref())) {
        None => NextDescriptor::By(1),
        Some((value, DeValue::Integer(_))) => {
            NextDescriptor::By(reader.number(value, "next", limit::NEXT) as i16)
        }
        Some((value, _)) => NextDescriptor::Index(half_register(reader, value, "next")),
    }
}

fn pattern(reader: &mut FieldReader, table: &Table<'_>, unit: Unit) -> [Pattern; SECTIONS] {
    let all = unit.broadcast();
    let means = format!("which section takes which beat: {PATTERN}");
    let Some(value) = reader.required(table, "pattern", &means) else { return all };
    match value.get_ref() {
        DeValue::String(word) if word == "broadcast" => all,
        DeValue::String(word) if word == "interleaved" => unit.dealt(1),
        DeValue::Array(items) if items.len() == SECTIONS => {
            let mut patterns = all;
            for (pattern, item) in patterns.iter_mut().zip(items.iter()) {
                *pattern = one_pattern(reader, item);
            }
            patterns
        }
        DeValue::Table(entries) => {
            let short = Table::new(entries, value.span(), "pattern.");
            reader.only(&short, "a pattern of all sections", &["dealt", "only"]);
            match (short.get("dealt"), short.get("only")) {
                (Some(beats), None) => {
                    let limit = NumberRange::between(1, HALF.high);
                    unit.dealt(reader.number(beats, "pattern.dealt", limit) as u16)
                }
                (None, Some(section)) => {
                    let limit = NumberRange::between(0, SECTIONS as i64 - 1);
                    unit.only(reader.number(section, "pattern.only", limit) as usize)
                }
                _ => {
                    reader.refuse_value(value, "pattern", PATTERN);
                    all
                }
            }
        }
        _ => {
            reader.refuse_value(value, "pattern", PATTERN);
            all
        }
    }
}

/// Reads the pattern that names the beats that one section takes.
fn one_pattern(reader: &mut FieldReader, value: &TomlValue<'_>) -> Pattern {
    let takes = "a table { base = ..., inner = ..., run = ..., outer = ... }";
    let Some(table) = reader.table(value, "pattern", takes) else { return Pattern::ALL };
    reader.only(&table, "the pattern of a section", &["base", "inner", "run", "outer"]);
    let mut part = |key, means| {
        let value = reader.required(&table, key, means);
        value.map_or(0, |v| reader.number(v, &table.name(key), HALF) as u16)
    };
    Pattern {
        base: part("base", "number of the first word that the section takes"),
        inner: part("inner", "distance of numbers in a run"),
        run: part("run", "numbers in a run"),
        outer: part("outer", "distance of runs"),
    }
}

fn jump(reader: &mut FieldReader, table: &Table<'_>) -> Jump {
    let index = reader.required(table, "index", HALF_REGISTER);
    let index = index.map_or(0, |value| half_register(reader, value, "index"));
    let target = reader.required(table, "target", TARGET);
    let kind = target.map_or(JumpKind::Relative, |value| jump_kind(reader, value));
    Jump { kind, index }
}

fn jump_kind(reader: &mut FieldReader, value: &TomlValue<'_>) -> JumpKind {
    let step = NumberRange::between(i16::MIN.into(), i16::MAX.into());
    match value.get_ref() {
        DeValue::String(word) if word == "relative" => return JumpKind::Relative,
        DeValue::String(word) if word == "absolute" => return JumpKind::Absolute,
        DeValue::Table(entries) => {
            let table = Table::new(entries, value.span(), "target.");
            if let Some(list) = table.get("table") {
                reader.only(&table, "a jump by a table", &["table"]);
                return JumpKind::Table(steps(reader, list));
            }
            reader.only(&table, "a jump that compares", &["value", "equal", "other"]);
            let mut part = |key, limit, means| {
                let value = reader.required(&table, key, means);
                value.map_or(0, |v| reader.number(v, &table.name(key), limit))
            };
            // The index is extended with its sign to 32 bits; so may the value be written.
            let number = NumberRange::between(i32::MIN.into(), u32::MAX.into());
            return JumpKind::Compare {
                value: part("value", number, "what the index is compared with") as u32,
                equal: part("equal", step, "step to the next descriptor if equal") as i16,
                other: part("other", step, "step to the next descriptor if not") as i16,
            };
        }
        _ => reader.refuse_value(value, "target", TARGET),
    }
    JumpKind::Relative
}

fn steps(reader: &mut FieldReader, list: &TomlValue<'_>) -> [u16; 16] {
    let mut entries = [0; 16];
    match list.get_ref() {
        DeValue::Array(items) if items.len() == entries.len() => {
            for (entry, item) in entries.iter_mut().zip(items.iter()) {
                *entry = reader.number(item, "target.table", HALF) as u16;
            }
        }
        _ => reader.refuse_value(list, "target.table", "a list of 16 steps, 0 to 65535"),
    }
    entries
}
