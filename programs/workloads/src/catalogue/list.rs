//! The list of all workloads, for people and as JSON.

use super::{ranges, workloads};
use crate::workload::with_extensions;
use cp2_asm::interface::Interface;
use cp2_document::width::{ColumnSide, TextTable, wrapped};
use cp2_document::{Field, ValueKind, object, schema};
use cp2_isa::Core;
use cp2_session::arrays::{interface_json, interface_schema};
use cp2_session::error::KernelError;
use cp2_session::load::interfaces;
use cp2_session::workload::{
    About, ArraySpec, Bound, OptionKind, Platform, Reference, Workload, WorkloadOption,
};
use serde_json::{Value, json};

/// A name with the workloads that have it: a kernel, a procedure, or both.
struct Entry {
    kernel: Option<Details>,
    procedure: Option<Details>,
}

/// Details of a workload on one platform.
struct Details {
    about: About,
    options: Vec<WorkloadOption>,
    bound: Bound,
    tag: &'static str,
    interface: Option<Interface>,
}

impl Entry {
    fn any(&self) -> Option<&Details> {
        self.kernel.as_ref().or(self.procedure.as_ref())
    }

    fn text(&self, of: fn(&Details) -> &str) -> Value {
        self.any().map(of).into()
    }

    /// Returns whether the workload runs on a machine: `none`, `optional` or `required`.
    fn machine(&self) -> &'static str {
        match (&self.kernel, &self.procedure) {
            (Some(_), Some(_)) => "optional",
            (Some(_), None) => "none",
            (None, _) => "required",
        }
    }
}

fn details(core: &Core, workload: &dyn Workload) -> Result<Details, KernelError> {
    let (about, options, tag) = (workload.about(), workload.option_list(), workload.tag());
    // A procedure has no text, nor has a kernel whose code is made for its input.
    let able = with_extensions(core, &workload.needs());
    let interface = match workload.source(&able) {
        Ok(text) => interfaces(&able, &text)?.remove(&about.name),
        Err(_) => None,
    };
    Ok(Details { about, options, bound: workload.bound(core)?, tag, interface })
}

fn entries(core: &Core) -> Result<Vec<Entry>, KernelError> {
    let mut entries = Vec::new();
    for kernel in workloads(Platform::Cp2) {
        entries.push(Entry { kernel: Some(details(core, kernel.as_ref())?), procedure: None });
    }
    for procedure in workloads(Platform::Machine) {
        let details = details(core, procedure.as_ref())?;
        let is_same =
            |e: &&mut Entry| e.kernel.as_ref().is_some_and(|k| k.about.name == details.about.name);
        match entries.iter_mut().find(is_same) {
            Some(entry) => entry.procedure = Some(details),
            None => entries.push(Entry { kernel: None, procedure: Some(details) }),
        }
    }
    Ok(entries)
}

/// Returns the kind of values that an option takes, as the list names it.
fn kind(form: &OptionKind) -> &'static str {
    match form {
        OptionKind::Switch => "switch",
        OptionKind::Number { .. } => "integer",
        OptionKind::Choice(_) => "choice",
        OptionKind::Engine => "engine",
        OptionKind::Read(_) => "array to read (.npy)",
        OptionKind::Numbers(_) => "numbers with commas between, or array to read (.npy)",
        OptionKind::ReadMatrix => "matrix to read (Matrix Market)",
        OptionKind::ReadText => "text to read",
        OptionKind::Write(_) => "array to write (.npy)",
        OptionKind::WriteJson => "JSON to write",
    }
}

fn limits(option: &WorkloadOption) -> Option<(&'static str, Option<u64>, u64, u64)> {
    match option.form {
        OptionKind::Number { unit, default, least, most } => Some((unit, default, least, most)),
        _ => None,
    }
}

/// Returns the array of an option that takes exactly one.
fn single(option: &WorkloadOption) -> Option<&ArraySpec> {
    match &option.form {
        OptionKind::Write(arrays) if arrays.len() == 1 => arrays.first(),
        OptionKind::Numbers(numbers) => Some(&numbers.array),
        OptionKind::Read(arrays) if arrays.len() == 1 => arrays.first(),
        _ => None,
    }
}

const ARRAY: &[Field<ArraySpec>] = &[
    Field::new("name", ValueKind::Text, "", "of NAME=FILE", |a| a.name.as_ref().into()),
    Field::new("element", ValueKind::Text, "", "type of the elements", |a| a.kind.name().into()),
    Field::new("shape", ValueKind::Texts, "", "names or numbers of its dimensions", |a| {
        json!(a.shape)
    }),
    Field::new("optional", ValueKind::Flag, "", "whether it may be absent", |a| {
        a.is_optional.into()
    }),
];

const OPTION: &[Field<WorkloadOption>] = &[
    Field::new("name", ValueKind::Text, "", "without the dashes", |f| f.name.into()),
    Field::new("kind", ValueKind::Text, "", "what it takes", |f| kind(&f.form).into()),
    Field::optional("unit", ValueKind::Text, "", "of a number", |f| limits(f).map(|l| l.0).into()),
    Field::or_null(
        "default",
        ValueKind::Integer,
        "that of the option",
        "null if the workload decides",
        |f| limits(f).and_then(|l| l.1).into(),
    ),
    Field::optional("least", ValueKind::Integer, "that of the option", "least value", |f| {
        limits(f).map(|l| l.2).into()
    }),
    Field::optional("most", ValueKind::Integer, "that of the option", "largest value", |f| {
        limits(f).map(|l| l.3).into()
    }),
    Field::optional("words", ValueKind::Texts, "", "of a choice, the default first", |f| {
        match f.form {
            OptionKind::Choice(words) => json!(words),
            _ => Value::Null,
        }
    }),
    Field::optional("element", ValueKind::Text, "", "type of the elements of an array", |f| {
        single(f).map(|array| array.kind.name()).into()
    }),
    Field::optional("shape", ValueKind::Texts, "", "names or numbers of its dimensions", |f| {
        single(f).map_or(Value::Null, |array| json!(array.shape))
    }),
    Field::optional(
        "arrays",
        ValueKind::Objects(|| schema(ARRAY, &[])),
        "",
        "several arrays, each by its name",
        |f| match &f.form {
            OptionKind::Read(arrays) if arrays.len() > 1 => {
                arrays.iter().map(|array| object(ARRAY, array)).collect()
            }
            _ => Value::Null,
        },
    ),
    Field::new("replaced_by", ValueKind::Texts, "", "refused where all of these are given", |f| {
        json!(f.replaced_by)
    }),
    Field::new("description", ValueKind::Text, "", "what it does", |f| f.help.into()),
];

const REFERENCE: &[Field<Reference>] = &[
    Field::new("is", ValueKind::Text, "", "what results are compared with", |r| {
        r.is.as_ref().into()
    }),
    Field::new("measure", ValueKind::Text, "", "how the distance is measured", |r| {
        r.measure.into()
    }),
    Field::new(
        "tolerance",
        ValueKind::Number,
        "that of the measure",
        "the largest distance",
        |r| r.tolerance.into(),
    ),
    Field::new("unit", ValueKind::Text, "", "of the distance; empty if it is relative", |r| {
        r.unit.into()
    }),
    Field::new("reason", ValueKind::Text, "", "why so much", |r| r.reason.into()),
];

const BOUND: &[Field<Bound>] = &[
    Field::new("unit", ValueKind::Text, "", "a unit of work, done in each section", |b| {
        b.unit.into()
    }),
    Field::or_null(
        "cycles",
        ValueKind::Number,
        "cycles",
        "fewest of a unit; null if the input decides",
        |b| b.cycles.into(),
    ),
    Field::new("rests_on", ValueKind::Text, "", "what makes the bound", |b| b.rests_on.into()),
    Field::or_null(
        "published",
        ValueKind::Integer,
        "cycles",
        "of a unit in the published kernel",
        |b| b.published.into(),
    ),
    Field::or_null("source", ValueKind::Text, "", "where published figures stand", |b| {
        b.source.into()
    }),
    Field::or_null("sides", ValueKind::Text, "", "which ours and which published kernel", |b| {
        b.sides.into()
    }),
];

const DETAILS: &[Field<Details>] = &[
    Field::new("report", ValueKind::Text, "", "tag of the schema of its JSON report", |d| {
        d.tag.into()
    }),
    Field::new("input", ValueKind::Text, "", "what it takes", |d| d.about.input.as_str().into()),
    Field::new("output", ValueKind::Text, "", "what it gives", |d| d.about.output.as_str().into()),
    Field::new("order", ValueKind::Text, "", "how the results lie", |d| d.about.order.into()),
    Field::or_null("permuted", ValueKind::Text, "", "what lies otherwise in local memory", |d| {
        d.about.permuted.into()
    }),
    Field::new("options", ValueKind::Objects(|| schema(OPTION, &[])), "", "that it takes", |d| {
        d.options.iter().map(|option| object(OPTION, option)).collect()
    }),
    Field::optional(
        "interface",
        ValueKind::Object(interface_schema),
        "",
        "what the kernel declares: arguments in registers, arrays in local memory",
        |d| d.interface.as_ref().map_or(Value::Null, interface_json),
    ),
    Field::new(
        "reference",
        ValueKind::Object(|| schema(REFERENCE, &[])),
        "",
        "and tolerance",
        |d| object(REFERENCE, &d.about.reference),
    ),
    Field::new(
        "bound",
        ValueKind::Object(|| schema(BOUND, &[])),
        "",
        "and published figure",
        |d| object(BOUND, &d.bound),
    ),
];

const ENTRY: &[Field<Entry>] = &[
    Field::new("name", ValueKind::Text, "", "of the workload", |e| e.text(|d| &d.about.name)),
    Field::new("description", ValueKind::Text, "", "one line", |e| e.text(|d| &d.about.summary)),
    Field::new("family", ValueKind::Text, "", "that it belongs to", |e| e.text(|d| d.about.family)),
    Field::new("input", ValueKind::Text, "", "what it takes", |e| e.text(|d| &d.about.input)),
    Field::new("machine", ValueKind::Text, "", "`none`, `optional` or `required`", |e| {
        e.machine().into()
    }),
    Field::or_null("kernel", ValueKind::Object(|| schema(DETAILS, &[])), "", "on CP2 alone", |e| {
        e.kernel.as_ref().map(|d| object(DETAILS, d)).into()
    }),
    Field::or_null(
        "procedure",
        ValueKind::Object(|| schema(DETAILS, &[])),
        "",
        "on a machine",
        |e| e.procedure.as_ref().map(|d| object(DETAILS, d)).into(),
    ),
];

const LIST: &[Field<[Entry]>] = &[Field::new(
    "kernels",
    ValueKind::Objects(|| schema(ENTRY, &[])),
    "",
    "kernels, then procedures that are not kernels",
    |entries| entries.iter().map(|entry| object(ENTRY, entry)).collect(),
)];

const SCHEMA: &str = "cp2-kernels-1";

/// Space at which no line is broken.
const UNBROKEN: &str = "\u{a0}";

/// Returns the list of all workloads as a JSON object, which [`list_schema`] describes, with their lower bounds on a
/// core in cycles of a unit of work.
///
/// # Errors
/// Returns an error if the bound of a workload cannot be computed for the core.
pub fn list(core: &Core) -> Result<Value, KernelError> {
    Ok(cp2_document::document(SCHEMA, LIST, &entries(core)?[..]))
}

/// Returns the JSON Schema of the list of workloads that [`list`] returns.
pub fn list_schema() -> Value {
    cp2_document::whole(
        "List of `cp2 kernels list --json`",
        &[cp2_document::tagged(SCHEMA, LIST, &[])],
    )
}

/// Returns the list of all workloads as text for people: a table with a heading and a row for each name, which has the
/// summary and the input and is broken into lines of at most 80 columns; below it a paragraph that names the
/// procedures. The text ends with a newline.
pub fn list_text() -> String {
    let mut table = TextTable::new(&[("name", ColumnSide::Left)], "what it does [input]");
    let mut names = Vec::new();
    for platform in [Platform::Cp2, Platform::Machine] {
        for about in workloads(platform).iter().map(|workload| workload.about()) {
            let needs = if platform == Platform::Machine { "; needs --machine" } else { "" };
            if !names.contains(&about.name) {
                let permuted = about.permuted.map_or_else(String::new, |p| format!("; {p}"));
                let input = about.input.replace(' ', UNBROKEN);
                let what = format!("{}{permuted}{needs} [{input}]", about.summary);
                table.row(vec![about.name.clone()], what);
                names.push(about.name);
            }
        }
    }
    let procedures = ranges(Platform::Machine);
    let last = format!("with --machine: {procedures} on arrays in system memory, page by page\n");
    table.text().replace(UNBROKEN, " ") + &wrapped(&last)
}
