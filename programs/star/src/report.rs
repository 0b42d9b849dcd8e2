//! Reports of runs, as text and as JSON.

use crate::cp2::Cp2Work;
use crate::graph::ReadingLedger;
use crate::language::{CheckedProgram, Variable};
use crate::machine::{ElementaryCounts, ElementaryOperation, LibraryForm};
use crate::run::{RunOutcome, StarValue};
use crate::values::{ColumnMeaning, Dimensions};
use cp2_document::{Field, ValueKind, document, object, schema as fields_schema, tagged, whole};
use serde_json::Value;

/// A run as reports tell it: program, graph, counts, outputs.
#[derive(Clone, Debug)]
pub struct StarReport {
    name: String,
    dimensions: Dimensions,
    form: LibraryForm,
    ledger: Option<ReadingLedger>,
    statements: u64,
    counts: ElementaryCounts,
    outputs: Vec<ReportedOutput>,
    work: Option<Cp2Work>,
    machine: Option<MachineWork>,
    device: Option<DeviceWork>,
}

/// The work of a whole machine, CP2 with its channel and system memory, that carried out a program by kernels of whole passes.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineWork {
    /// Name of the machine.
    pub machine: String,
    /// Cycles from the first command of the host to the end.
    pub cycles: u64,
    /// Microseconds of these cycles at the clock of the machine.
    pub microseconds: f64,
    /// Kernels that ran.
    pub kernels: u64,
    /// Cycles in which a kernel ran.
    pub kernel_cycles: u64,
    /// Cycles in which the channel moved data.
    pub channel_cycles: u64,
    /// Cycles in which CP2 had nothing to do but wait for work of the host between passes.
    pub host_cycles: u64,
    /// Fewest cycles that the kernels of passes could take.
    pub least_cycles: u64,
    /// Whether the table of weights stayed in local memory; else a pass loads the band of its vertex.
    pub weights_stay: bool,
}

/// The work of a device of OpenCL on which a program ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceWork {
    /// Name of the device.
    pub device: String,
    /// Kernels that were launched.
    pub launches: u64,
    /// Times that the host waited for a result.
    pub reads: u64,
}

impl StarReport {
    /// Creates the report of a run of a program called `name`, with the ledger of its graph if it has one.
    pub fn new(
        (name, program): (&str, &CheckedProgram),
        (dimensions, form): (Dimensions, LibraryForm),
        ledger: Option<ReadingLedger>,
        outcome: &RunOutcome,
    ) -> Self {
        let outputs = program.outputs().zip(&outcome.outputs).map(|((_, variable), (_, value))| {
            ReportedOutput { variable: variable.clone(), value: value.clone(), dimensions }
        });
        Self {
            name: name.to_owned(),
            dimensions,
            form,
            ledger,
            statements: outcome.statements,
            counts: outcome.counts,
            outputs: outputs.collect(),
            work: None,
            machine: None,
            device: None,
        }
    }

    /// Returns the report with the work of CP2, on which the program ran.
    #[must_use]
    pub fn on_cp2(self, work: Cp2Work) -> Self {
        Self { work: Some(work), ..self }
    }

    /// Returns the report with the work of a whole machine, on which the program ran.
    #[must_use]
    pub fn on_machine(self, work: MachineWork) -> Self {
        Self { machine: Some(work), ..self }
    }

    /// Returns the report with the work of a device, on which the program ran.
    #[must_use]
    pub fn on_device(self, work: DeviceWork) -> Self {
        Self { device: Some(work), ..self }
    }
}

const LEDGER: &[Field<ReadingLedger>] = &[
    Field::new("vertices", ValueKind::Integer, "", "Vertices of the graph.", |l| l.vertices.into()),
    Field::new("arcs", ValueKind::Integer, "", "Arcs of the graph.", |l| l.arcs.into()),
    Field::new(
        "arcs_read",
        ValueKind::Integer,
        "",
        "Arcs in the text, or arcs that were drawn.",
        |l| l.arcs_read.into(),
    ),
    Field::or_null(
        "arcs_announced",
        ValueKind::Integer,
        "",
        "Arcs that the text announces.",
        |l| l.arcs_announced.into(),
    ),
    Field::new("loops_dropped", ValueKind::Integer, "", "Arcs from a vertex to itself.", |l| {
        l.loops_dropped.into()
    }),
    Field::new(
        "arcs_merged",
        ValueKind::Integer,
        "",
        "Arcs between the same vertices as another one; the least weight stays.",
        |l| l.arcs_merged.into(),
    ),
    Field::new(
        "arcs_mirrored",
        ValueKind::Integer,
        "",
        "Mirror images, of symmetric matrices.",
        |l| l.arcs_mirrored.into(),
    ),
    Field::new(
        "weights_invented",
        ValueKind::Integer,
        "",
        "Arcs without a weight, which got 1.",
        |l| l.weights_invented.into(),
    ),
    Field::or_null(
        "renumbered_from",
        ValueKind::Integer,
        "",
        "Greatest number of a vertex in the text, if they were numbered anew.",
        |l| l.renumbered_from.into(),
    ),
];

type OperationCount = (ElementaryOperation, u64);

const COUNT: &[Field<OperationCount>] = &[
    Field::new("operation", ValueKind::Text, "", "Name of the elementary operation.", |c| {
        c.0.name().into()
    }),
    Field::new("count", ValueKind::Integer, "", "How often it was carried out.", |c| c.1.into()),
];

const WORK: &[Field<Cp2Work>] = &[
    Field::new("kernels", ValueKind::Integer, "", "Kernels that ran.", |w| w.kernels.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", "Cycles of all kernels.", |w| {
        w.cycles.into()
    }),
    Field::new(
        "moved_words",
        ValueKind::Integer,
        "words",
        "Words of a section that went between local and system memory.",
        |w| w.moved_words.into(),
    ),
];

const MACHINE: &[Field<MachineWork>] = &[
    Field::new("machine", ValueKind::Text, "", "Name of the machine.", |w| {
        w.machine.clone().into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "From the first command to the end.", |w| {
        w.cycles.into()
    }),
    Field::new("us", ValueKind::Number, "us", "The same at the machine's clock.", |w| {
        w.microseconds.into()
    }),
    Field::new("kernels", ValueKind::Integer, "", "Kernels that ran.", |w| w.kernels.into()),
    Field::new("kernel_cycles", ValueKind::Integer, "cycles", "With a running kernel.", |w| {
        w.kernel_cycles.into()
    }),
    Field::new("channel_cycles", ValueKind::Integer, "cycles", "In which data moved.", |w| {
        w.channel_cycles.into()
    }),
    Field::new(
        "host_cycles",
        ValueKind::Integer,
        "cycles",
        "In which CP2 waited for work of the host between passes.",
        |w| w.host_cycles.into(),
    ),
    Field::new(
        "least_cycles",
        ValueKind::Integer,
        "cycles",
        "Fewest that the kernels of passes could take.",
        |w| w.least_cycles.into(),
    ),
    Field::new(
        "weights_stay",
        ValueKind::Flag,
        "",
        "Whether the table of weights stayed in local memory.",
        |w| w.weights_stay.into(),
    ),
];

const DEVICE: &[Field<DeviceWork>] = &[
    Field::new("device", ValueKind::Text, "", "Name of the device.", |w| w.device.clone().into()),
    Field::new("launches", ValueKind::Integer, "", "Kernels that were launched.", |w| {
        w.launches.into()
    }),
    Field::new("reads", ValueKind::Integer, "", "Times that the host waited for a result.", |w| {
        w.reads.into()
    }),
];

/// An output with its variable and its value.
#[derive(Clone, Debug)]
struct ReportedOutput {
    variable: Variable,
    value: StarValue,
    dimensions: Dimensions,
}

const OUTPUT: &[Field<ReportedOutput>] = &[
    Field::new("name", ValueKind::Text, "", "Name of the output.", |o| {
        o.variable.name.clone().into()
    }),
    Field::new("type", ValueKind::Text, "", "Type of the output.", |o| {
        o.variable.kind.to_string().into()
    }),
    Field::or_null("number", ValueKind::Integer, "", "Value of an int.", |o| match &o.value {
        StarValue::Int(number) => (*number).into(),
        _ => Value::Null,
    }),
    Field::or_null(
        "ones",
        ValueKind::Integer,
        "",
        "Number of ones of a slice, word or table.",
        |o| ones(&o.value).map_or(Value::Null, Value::from),
    ),
    Field::or_null(
        "lines",
        ValueKind::Texts,
        "",
        "The value as lines of comma-separated text, if it has at most 4096 bits.",
        |o| match o.value.bits() <= 4096 {
            true => o.dimensions.csv(&o.variable, &o.value).lines().collect::<Vec<_>>().into(),
            false => Value::Null,
        },
    ),
];

const REPORT: &[Field<StarReport>] = &[
    Field::new("program", ValueKind::Text, "", "Name of the program.", |r| r.name.clone().into()),
    Field::new("rows", ValueKind::Integer, "", "Number of rows, n.", |r| r.dimensions.rows.into()),
    Field::new("weight_bits", ValueKind::Integer, "bits", "Bits of a weight, h.", |r| {
        r.dimensions.weight_bits.into()
    }),
    Field::new("form", ValueKind::Text, "", "Form of the library: plain or cheap.", |r| {
        form(r.form).into()
    }),
    Field::or_null(
        "graph",
        ValueKind::Object(|| fields_schema(LEDGER, &[])),
        "",
        "The graph, and what reading it has changed.",
        |r| r.ledger.as_ref().map_or(Value::Null, |ledger| object(LEDGER, ledger)),
    ),
    Field::new("statements", ValueKind::Integer, "", "Statements that were carried out.", |r| {
        r.statements.into()
    }),
    Field::new(
        "operations",
        ValueKind::Integer,
        "",
        "Elementary operations, all kinds but barriers.",
        |r| r.counts.total().into(),
    ),
    Field::new(
        "critical",
        ValueKind::Integer,
        "",
        "Operations with a result over all rows.",
        |r| r.counts.of(ElementaryOperation::is_critical).into(),
    ),
    Field::new(
        "logic",
        ValueKind::Integer,
        "",
        "Bitwise operations of whole slices or words.",
        |r| r.counts.of(ElementaryOperation::is_logic).into(),
    ),
    Field::new(
        "counts",
        ValueKind::Objects(|| fields_schema(COUNT, &[])),
        "",
        "Kinds of elementary operations that were carried out.",
        |r| r.counts.iter().map(|count| object(COUNT, &count)).collect::<Vec<_>>().into(),
    ),
    Field::or_null(
        "cp2",
        ValueKind::Object(|| fields_schema(WORK, &[])),
        "",
        "The work of CP2, if the program ran there.",
        |r| r.work.as_ref().map_or(Value::Null, |work| object(WORK, work)),
    ),
    Field::or_null(
        "whole_machine",
        ValueKind::Object(|| fields_schema(MACHINE, &[])),
        "",
        "The work of a whole machine, if the program ran there.",
        |r| r.machine.as_ref().map_or(Value::Null, |work| object(MACHINE, work)),
    ),
    Field::or_null(
        "gpu",
        ValueKind::Object(|| fields_schema(DEVICE, &[])),
        "",
        "The work of a device of OpenCL, if the program ran there.",
        |r| r.device.as_ref().map_or(Value::Null, |work| object(DEVICE, work)),
    ),
    Field::new(
        "outputs",
        ValueKind::Objects(|| fields_schema(OUTPUT, &[])),
        "",
        "Outputs of the program.",
        |r| r.outputs.iter().map(|output| object(OUTPUT, output)).collect::<Vec<_>>().into(),
    ),
];

const TAG: &str = "cp2-star-1";

/// Returns the report as JSON.
pub fn to_json(report: &StarReport) -> Value {
    document(TAG, REPORT, report)
}

/// Returns the JSON Schema of reports.
pub fn schema() -> Value {
    whole("Report of `cp2 star PROGRAM --json`", &[tagged(TAG, REPORT, &[])])
}

fn form(form: LibraryForm) -> &'static str {
    match form {
        LibraryForm::Plain => "plain",
        LibraryForm::Cheap => "cheap",
    }
}

fn ones(value: &StarValue) -> Option<usize> {
    match value {
        StarValue::Bits(bits) => Some(bits.positions().count()),
        StarValue::Table(table) => {
            Some(table.columns().iter().map(|c| c.positions().count()).sum())
        }
        _ => None,
    }
}

/// Most rows of a table that are printed in a report.
const PRINTED: usize = 16;

/// Returns the report as text: graph, operations, outputs.
pub fn to_text(report: &StarReport) -> String {
    let Dimensions { rows, weight_bits } = report.dimensions;
    let mut text = format!("{}: {rows} rows, weights of {weight_bits} bits\n", report.name);
    if let Some(ledger) = &report.ledger {
        text += &ledger.to_string();
    }
    let statements = report.statements;
    text += &format!("{statements} statements, {} library\n", form(report.form));
    text += &counts_text(&report.counts);
    if let Some(Cp2Work { kernels, cycles, moved_words }) = report.work {
        text += &format!(
            "on CP2: {kernels} kernels, {cycles} cycles; {moved_words} words of a section moved between the memories\n"
        );
    }
    if let Some(work) = &report.machine {
        text += &machine_text(work);
    }
    if let Some(DeviceWork { device, launches, reads }) = &report.device {
        text += &format!(
            "on {device}: {launches} kernels launched, {reads} results waited for by the host\n"
        );
    }
    for output in &report.outputs {
        text += &output_text(output);
    }
    text
}

fn machine_text(work: &MachineWork) -> String {
    let weights = match work.weights_stay {
        true => "the weights stay in local memory",
        false => "the weights come by pages of columns",
    };
    format!(
        "on {}: {} cycles, {:.1} us; {} kernels in {} cycles, at least {}; data moved in {}, CP2 waited for the host's own work in {}\n\
         {weights}; distances, parents and passes are those of the program\n",
        work.machine,
        work.cycles,
        work.microseconds,
        work.kernels,
        work.kernel_cycles,
        work.least_cycles,
        work.channel_cycles,
        work.host_cycles,
    )
}

fn counts_text(counts: &ElementaryCounts) -> String {
    let critical = counts.of(ElementaryOperation::is_critical);
    let mut text =
        format!("{} elementary operations, {critical} of them over all rows\n", counts.total());
    for (operation, count) in counts.iter() {
        text += &format!("{count:>12}  {}\n", operation.name());
    }
    text
}

fn output_text(output: &ReportedOutput) -> String {
    let ReportedOutput { variable, value, dimensions } = output;
    let head = format!("{}: {}", variable.name, variable.kind);
    let ones = ones(value).unwrap_or(0);
    let csv = || dimensions.csv(variable, value);
    let is_field = ColumnMeaning::of(&variable.kind) == ColumnMeaning::Field;
    match value {
        StarValue::Int(_) | StarValue::Bool(_) => format!("{head} = {}", csv()),
        StarValue::Bits(bits) if bits.len() <= 96 => format!("{head} = {bits}\n"),
        StarValue::Table(table) if is_field && table.rows() <= 2 * PRINTED => {
            format!("{head} = {}\n", csv().trim_end().replace('\n', " "))
        }
        StarValue::Table(table) if table.rows() <= PRINTED && table.width() <= 8 * PRINTED => {
            let lines = csv()
                .lines()
                .map(|line| format!("    {}\n", line.replace(',', " ")))
                .collect::<String>();
            format!("{head} =\n{lines}")
        }
        _ => format!("{head}, {ones} ones\n"),
    }
}
