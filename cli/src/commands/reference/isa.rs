//! `cp2 isa`: the reference page of all operations, or one operation.

use crate::args::Isa;
use crate::input::machine;
use crate::process::exit::{Exit, Outcome, bad_input};
use crate::storage::files;
use cp2_document::{Field, ValueKind, document, object, schema, tagged, whole};
use cp2_isa::doc::{Latency, OperandInfo, entry, exceptions, form, latencies, matching, operands};
use cp2_isa::{Arith, Core, Effects, Example, Exch, Row, Slot};
use serde_json::Value;

/// Tag of the report.
const TAG: &str = "cp2-isa-1";

/// Operation on a core.
struct Operation {
    row: &'static Row,
    core: Core,
}

/// Operations that a report lists.
struct Listing(Vec<Operation>);

impl Operation {
    fn has(&self, effect: Effects) -> Value {
        self.row.effects.contains(effect).into()
    }
}

fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Value {
    all.into_iter().collect::<Vec<_>>().into()
}

const LISTING: &[Field<Listing>] = &[Field::new(
    "operations",
    ValueKind::Objects(|| schema(OPERATION, &[])),
    "",
    "operations, those of the arithmetic half first",
    |listing| listing.0.iter().map(|operation| object(OPERATION, operation)).collect(),
)];

const OPERATION: &[Field<Operation>] = &[
    Field::new("name", ValueKind::Text, "", "mnemonic", |o| o.row.name.into()),
    Field::new("form", ValueKind::Text, "", "how it is written", |o| form(o.row).into()),
    Field::new("half", ValueKind::Text, "", "half of the bundle: arithmetic or exchange", |o| {
        match o.row.slot {
            Slot::Arithmetic => "arithmetic".into(),
            Slot::Exchange => "exchange".into(),
        }
    }),
    Field::new("opcode", ValueKind::Integer, "", "opcode in its half", |o| o.row.code.into()),
    Field::new("meaning", ValueKind::Text, "", "what it does", |o| o.row.doc.into()),
    Field::new(
        "operands",
        ValueKind::Objects(|| schema(OPERAND, &[])),
        "",
        "operands in the order of the text",
        |o| operands(o.row).iter().map(|operand| object(OPERAND, operand)).collect(),
    ),
    Field::new("obeys_predicate", ValueKind::Flag, "", "whether it obeys the predicate", |o| {
        o.has(Effects::PREDICATED)
    }),
    Field::new("sets_cause", ValueKind::Flag, "", "whether it replaces FCSR.cause", |o| {
        o.has(Effects::FLAGS)
    }),
    Field::new(
        "exceptions",
        ValueKind::Texts,
        "",
        "exceptions that it can raise, of I U O Z V E",
        |o| texts(exceptions(o.row.raises).split_whitespace()),
    ),
    Field::new(
        "latencies",
        ValueKind::Objects(|| schema(LATENCY, &[])),
        "",
        "when its results are seen first",
        |o| latencies(o.row, &o.core).iter().map(|latency| object(LATENCY, latency)).collect(),
    ),
    Field::new("flops", ValueKind::Integer, "", "float operations in an enabled section", |o| {
        o.row.flops.into()
    }),
    Field::new("extensions", ValueKind::Texts, "", "extensions without which it is refused", |o| {
        texts(o.row.extension.names().split(", ").filter(|name| !name.is_empty()))
    }),
    Field::new("sources", ValueKind::Texts, "", "documents and sections that tell of it", |o| {
        o.row.sources.iter().map(ToString::to_string).collect()
    }),
    Field::or_null(
        "example",
        ValueKind::Object(|| schema(EXAMPLE, &[])),
        "",
        "a worked example, which a test runs",
        |o| o.row.example().map_or(Value::Null, |example| object(EXAMPLE, &example)),
    ),
];

const OPERAND: &[Field<OperandInfo>] = &[
    Field::new("name", ValueKind::Text, "", "how the form calls it", |o| o.name.as_str().into()),
    Field::new("bits", ValueKind::Text, "", "bits of the bundle that hold it", |o| {
        o.bits.as_str().into()
    }),
    Field::new("meaning", ValueKind::Text, "", "what it is", |o| o.meaning.into()),
    Field::new("is_read", ValueKind::Flag, "", "whether it is read", |o| o.is_read.into()),
    Field::new("is_written", ValueKind::Flag, "", "whether it is written", |o| o.is_written.into()),
];

const LATENCY: &[Field<Latency>] = &[
    Field::new("result", ValueKind::Text, "", "the result", |l| l.result.into()),
    Field::new("reader", ValueKind::Text, "", "who reads it", |l| l.reader.into()),
    Field::new(
        "bundles",
        ValueKind::Integer,
        "bundles",
        "from the operation to the first bundle that sees the result; 0 is its own",
        |l| l.bundles.into(),
    ),
];

const EXAMPLE: &[Field<Example>] = &[
    Field::new("note", ValueKind::Text, "", "what it shows; empty where the values say it", |e| {
        e.note.into()
    }),
    Field::new("before", ValueKind::Texts, "", "registers and words before", |e| {
        texts(e.before.iter().copied())
    }),
    Field::new("lines", ValueKind::Texts, "", "source", |e| {
        texts(e.lines.iter().map(String::as_str))
    }),
    Field::new("after", ValueKind::Texts, "", "registers and words after", |e| {
        texts(e.after.iter().copied())
    }),
];

/// Returns the JSON Schema of the report.
pub(super) fn isa_schema() -> Value {
    whole("Report of `cp2 isa --json`", &[tagged(TAG, LISTING, &[])])
}

pub(crate) fn isa(arguments: &Isa) -> Outcome {
    let core = machine::core(&arguments.core)?;
    let rows = match &arguments.operation {
        Some(name) => named(name)?,
        None if !arguments.json => {
            files::print(cp2_isa::doc::isa_page(&core).as_bytes())?;
            return Ok(Exit::Success);
        }
        None => all().collect(),
    };
    if arguments.json {
        let listing = Listing(rows.into_iter().map(|row| Operation { row, core }).collect());
        files::print_json(&document(TAG, LISTING, &listing))?;
    } else {
        files::print(entries(&rows, &core).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Returns all operations.
fn all() -> impl Iterator<Item = &'static Row> {
    Arith::ALL.iter().map(|op| op.row()).chain(Exch::ALL.iter().map(|op| op.row()))
}

/// Returns all mnemonics, `psprmsgn` without a digit too.
pub(super) fn mnemonics() -> impl Iterator<Item = &'static str> {
    all().map(|row| row.name).chain(["psprmsgn"])
}

/// Returns the entries of some operations, one behind the other.
pub(super) fn entries(rows: &[&'static Row], core: &Core) -> String {
    rows.iter().map(|row| entry(row, core)).collect::<Vec<_>>().join("\n")
}

fn named(name: &str) -> Outcome<Vec<&'static Row>> {
    let rows = matching(name);
    if rows.is_empty() {
        let near = cp2_asm::nearest(name, mnemonics());
        let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(bad_input(format!(
            "there is no operation `{name}`; {hint}`cp2 isa` lists all operations"
        )));
    }
    Ok(rows)
}
