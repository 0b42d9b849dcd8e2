//! Parts that the workloads with a sparse matrix in system memory share: `--form`, and rows and lines of reports on a matrix
//! and its form.

use crate::workload::text;
use cp2_document::{Field, ValueKind};
use cp2_evidence::measured::NamedRate;
use cp2_procedures::sparse::{ProductPlan, Statistics};
use cp2_session::cost::Cost;
use cp2_session::workload::WorkloadOption;
use serde_json::Value;

/// Returns the option `--form`.
pub(crate) fn form_option(forms: &'static [&'static str]) -> WorkloadOption {
    let help = "Form of a sparse matrix: sliced, Sliced CSR; sorted, the same with its rows sorted by length; blocks, blocks of 16 rows \
                and more; best, the form with the fewest predicted cycles";
    WorkloadOption::choice("form", forms, help)
}

/// Returns the last lines of a report: the rate, its bounds, the measured rate, and the assumptions.
pub(crate) fn rates(cost: &Cost, counting: &str, measured: Option<NamedRate>) -> String {
    let rate = cost.rate_mops();
    format!(
        "{rate:.1} MOPS {counting}; overlap {:.1} %\n{}\n{}{}",
        cost.timeline.overlap_percent(),
        cost.row_bound().text(rate),
        measured.map_or(String::new(), |known| known.text(rate)),
        text::assumptions(&cost.config)
    )
}

/// The rows of a report on the form of a matrix and its predicted cycles.
pub(crate) const PLAN: &[Field<ProductPlan>] = &[
    Field::new("form", ValueKind::Text, "", "of the matrix", |p| p.form.name().into()),
    Field::new("description", ValueKind::Text, "", "the form with its sizes", |p| {
        p.form.to_string().into()
    }),
    Field::new("columns", ValueKind::Integer, "columns", "of a block at most", |p| p.width.into()),
    Field::new(
        "predicted_cycles",
        ValueKind::Integer,
        "cycles",
        "of CP2 for the product; the form is the one with the fewest",
        |p| p.cycles.into(),
    ),
];

/// Returns the schema of [`PLAN`].
pub(crate) fn plan_schema() -> Value {
    cp2_document::schema(PLAN, &[])
}

/// Returns a line with the form of a matrix, its predicted cycles, its elements and the share of entries among them.
pub(crate) fn plan_text(plan: &ProductPlan, statistics: &Statistics) -> String {
    let blocks = match statistics.blocks {
        1 => String::new(),
        n => format!(" in {n} blocks of {} columns", plan.width),
    };
    format!(
        "{}{blocks}, predicted {} cycles; {} elements of which {:.1} % are entries, {:.1} bytes moved for an entry\n",
        plan.form,
        plan.cycles,
        statistics.elements,
        statistics.filled_percent(),
        statistics.bytes as f64 / statistics.nonzeros.max(1) as f64
    )
}

/// The rows of a report on the sizes of a matrix.
pub(crate) const STATISTICS: &[Field<Statistics>] = &[
    Field::new("rows", ValueKind::Integer, "rows", "of the matrix", |s| s.shape[0].into()),
    Field::new("columns", ValueKind::Integer, "columns", "of the matrix", |s| s.shape[1].into()),
    Field::new("nonzeros", ValueKind::Integer, "entries", "of the matrix", |s| s.nonzeros.into()),
    Field::new(
        "zeros",
        ValueKind::Integer,
        "entries",
        "of the matrix that are 0: what a file gives is kept as its pattern and counted",
        |s| s.zeros.into(),
    ),
    Field::new(
        "elements",
        ValueKind::Integer,
        "elements",
        "entries and the zeros that they are padded with",
        |s| s.elements.into(),
    ),
    Field::new("bytes", ValueKind::Integer, "bytes", "of the matrix that a product moves", |s| {
        s.bytes.into()
    }),
    Field::new("blocks", ValueKind::Integer, "blocks", "of columns", |s| s.blocks.into()),
];

/// Returns the schema of [`STATISTICS`].
pub(crate) fn statistics_schema() -> Value {
    cp2_document::schema(STATISTICS, &[])
}

/// Returns rows, columns and entries of a matrix, as text.
pub(crate) fn statistics_text(statistics: &Statistics) -> String {
    let [rows, columns] = statistics.shape;
    let zeros = match statistics.zeros {
        0 => String::new(),
        zeros => format!(" of which {zeros} are 0"),
    };
    format!("{rows} x {columns}, {} entries{zeros}", statistics.nonzeros)
}
