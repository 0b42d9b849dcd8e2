//! Parts that procedures share as workloads: inputs, rows of the JSON report, lines of the text. Each procedure has a
//! [`Cost`], and rates with which its own is compared.

use crate::workload::{Finished, ReportField, TypedWorkload, text};
use cp2_document::{Field, ValueKind};
use cp2_evidence::bounds::RateBounds;
use cp2_evidence::comparison::RateComparison;
use cp2_isa::Bytes;
use cp2_procedures::host::Procedure;
use cp2_session::cost::timeline::Timeline;
use cp2_session::cost::{ChosenPlan, Cost, RowBound};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::npy::ComplexMatrix;
use cp2_session::numbers::{Flushed, is_lost};
use cp2_session::random;
use cp2_session::sparse::Csr;
use cp2_session::workload::{Bound, Deviation, Request};
use serde_json::{Value, json};

/// Quantities on which the bound of a procedure rests.
const BOUND: &str = "the larger of one butterfly or product a cycle and section, and the bytes moved at the rates of long rows";

/// Returns the error for the text of a procedure, which has none.
pub(super) fn no_source(name: &str) -> KernelError {
    RequestError::Procedure(name.to_owned()).into()
}

/// Returns the vectors of `--input`, or random ones. Vectors that memory cannot hold are refused before they are made.
pub(super) fn vectors(request: &Request, points: usize) -> Result<ComplexMatrix, KernelError> {
    let size = request.machine()?.memory_size();
    let vectors = request.values.number("vectors").unwrap_or(1);
    let needed = Bytes(vectors.saturating_mul(Bytes::of_words(points).0));
    if let Some(matrix) = request.values.array("input") {
        return Ok(matrix.clone());
    }
    if needed > size {
        return Err(KernelError::Memory { needed, size });
    }
    let most = MOST_NUMBERS / points;
    if vectors > most as u64 {
        let limit = format!("at most {most} for {points} points; give more vectors with --input");
        return Err(KernelError::Parameter {
            what: "number of random vectors",
            value: vectors as usize,
            limit,
        });
    }
    let (rows, seed) = (vectors as usize, request.values.number("seed").unwrap_or(1));
    let values = random::complex(seed, rows * points);
    Ok(ComplexMatrix { rows, columns: points, is_vector: false, values })
}

/// Most numbers of random data in system memory, 512 MiB: the native machine keeps them and the
/// results.
const MOST_NUMBERS: usize = 1 << 26;

/// Returns the bound of a procedure whose rates were published.
pub(super) const fn bound(source: Option<&'static str>) -> Bound {
    Bound { unit: "vector", cycles: None, rests_on: BOUND, published: None, source, sides: None }
}

/// Result and cost of a procedure, with the rates to which its own is compared.
pub(super) struct Compared<R> {
    pub(super) report: R,
    /// Comparison with the published rates; `None` on a core for which nothing was published, and where only counts are
    /// wanted.
    pub(super) comparison: Option<RateComparison>,
}

impl<R: AsRef<Cost>> AsRef<Cost> for Compared<R> {
    fn as_ref(&self) -> &Cost {
        self.report.as_ref()
    }
}

impl<R: AsRef<Cost>> Compared<R> {
    /// Compares the rate of a procedure with published ones, unless only counts are wanted.
    pub(super) fn new(
        report: R,
        procedure: Procedure,
        request: &Request,
    ) -> Result<Self, KernelError> {
        let cost = report.as_ref();
        let comparison = match request.counts_only {
            true => None,
            false => RateComparison::new(
                &request.execution(),
                &cost.config,
                procedure,
                cost.vectors,
                cost.rate_mops(),
            )?,
        };
        Ok(Self { report, comparison })
    }

    fn cost(&self) -> &Cost {
        self.as_ref()
    }

    /// Returns the last lines of a report: the rate by this counting, its bounds, both ratios, and the assumptions.
    pub(super) fn rates(&self, counting: &str) -> String {
        let cost = self.cost();
        let rate = cost.rate_mops();
        let none = "same model: nothing published for this core\n".to_owned();
        format!(
            "{rate:.0} MOPS at {counting}; overlap {:.1} %\n{}\n{}{}{}",
            cost.timeline.overlap_percent(),
            RateBounds::of(cost).text(rate),
            self.comparison.map_or(none, |c| c.text()),
            cost.plan.text(cost.cycles()),
            text::assumptions(&cost.config)
        )
    }
}

/// Returns the rows of pages, cycles, and runs of kernels.
pub(super) fn count_rows<W>() -> [ReportField<W>; 4]
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    [
        Field::new("pages", ValueKind::Integer, "pages", "that went through local memory", |f| {
            f.outcome.as_ref().pages.into()
        }),
        Field::new(
            "cycles",
            ValueKind::Integer,
            "cycles",
            "of CP2, from the first command of the host to the end",
            |f| f.outcome.as_ref().cycles().into(),
        ),
        Field::new("kernel_runs", ValueKind::Integer, "runs", "of kernels", |f| {
            f.outcome.as_ref().kernels.runs.into()
        }),
        Field::new("kernel_cycles", ValueKind::Integer, "cycles", "of all runs of kernels", |f| {
            f.outcome.as_ref().kernels.cycles.into()
        }),
    ]
}

/// Returns the rows of the rate, by this counting, and of its bounds.
pub(super) fn rate_rows<W>(counting: &'static str) -> [ReportField<W>; 2]
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    [
        Field::new("rate_mops", ValueKind::Number, "10^6 operations per second", counting, |f| {
            f.outcome.as_ref().rate_mops().into()
        }),
        Field::new(
            "bounds_mops",
            ValueKind::Object(RateBounds::schema),
            "",
            "the most that the method allows, by the rates at which data are moved",
            |f| RateBounds::of(f.outcome.as_ref()).to_json(),
        ),
    ]
}

/// Returns the rows of the comparison with published and measured rates.
pub(super) fn comparison_rows<W, R>() -> [ReportField<W>; 2]
where
    W: TypedWorkload<Outcome = Compared<R>>,
    R: AsRef<Cost>,
{
    [
        Field::or_null(
            "same_model",
            ValueKind::Object(RateComparison::same_model_schema),
            "",
            "this beside the published procedure, both simulated; null on another core",
            |f| f.outcome.comparison.map_or(Value::Null, |c| c.same_model_json()),
        ),
        Field::or_null(
            "measured",
            ValueKind::Object(RateComparison::measured_schema),
            "",
            "this beside the measured rate, if there is one; null on a machine that was changed",
            |f| f.outcome.comparison.map_or(Value::Null, |c| c.measured_json()),
        ),
    ]
}

/// Returns the rows of the measured rate of a named procedure, from these tables, and of the error of the model against it.
pub(super) fn known_rows<W: TypedWorkload>(
    tables: &'static str,
    of: [fn(&Finished<W>) -> Value; 2],
) -> [ReportField<W>; 2] {
    let [mops, error] = of;
    [
        Field::or_null(
            "measured_mops",
            ValueKind::Number,
            "10^6 operations per second",
            tables,
            mops,
        ),
        Field::or_null(
            "model_error_percent",
            ValueKind::Number,
            "percent",
            "by which the published scheme with the published counts of kernels, simulated, is above that; null where these are not known",
            error,
        ),
    ]
}

/// Returns the row of the distance that the check measures, in this unit.
pub(super) fn distance_row<W: TypedWorkload>(
    name: &'static str,
    unit: &'static str,
    what: &'static str,
) -> ReportField<W> {
    Field::or_null(name, ValueKind::Number, unit, what, |f| json!(f.check.distance))
}

/// Returns the row of the distance of transforms from double precision.
pub(super) fn transform_error_row<W: TypedWorkload>() -> ReportField<W> {
    let what = "against the transform in double precision; null where it is not a number";
    distance_row("relative_rms_error", "", what)
}

/// Returns the row of the distance of a matrix times a vector from double precision.
pub(super) fn product_error_row<W: TypedWorkload>() -> ReportField<W> {
    let what = "largest from the product in double precision; null where it is not a number";
    distance_row("deviation", "the rounding of each row's sum", what)
}

/// Compares a matrix times a vector with double precision.
pub(super) fn check_product(matrix: &Csr, x: &[f32], y: &[f32]) -> Deviation {
    let distance = matrix.deviation(x, y);
    let results = matrix.product(x).iter().filter(|(sum, _)| is_lost(*sum)).count() as u64;
    let flushed = Flushed { results, ..Flushed::of_inputs(matrix.values()) };
    Deviation { flushed, ..Deviation::new(distance, distance <= 1.0) }
}

/// Returns the rows of pages, cycles and runs of kernels, of the rate by this counting, and of its bounds.
pub(super) fn done_rows<W>(counting: &'static str) -> Vec<ReportField<W>>
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    let mut rows = Vec::from(count_rows());
    rows.extend(rate_rows(counting));
    rows.extend([row_bound_row(), overlap_row()]);
    rows
}

/// Returns the row of the bound at the rates of the rows in which words moved.
pub(super) fn row_bound_row<W>() -> ReportField<W>
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    Field::new(
        "row_bound",
        ValueKind::Object(RowBound::schema),
        "",
        "the larger of the kernels and of what was moved, at the rates of the rows in which it moved",
        |f| f.outcome.as_ref().row_bound().to_json(),
    )
}

/// Returns the row of the overlap of computing and moving data.
pub(super) fn overlap_row<W>() -> ReportField<W>
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    Field::new(
        "overlap_percent",
        ValueKind::Number,
        "percent",
        "of the shorter of computing and moving data that the other hides",
        |f| f.outcome.as_ref().timeline.overlap_percent().into(),
    )
}

/// Returns the rows of the machine, of the activities in it, and of the check.
pub(super) fn machine_rows<W>() -> [ReportField<W>; 5]
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    [
        Field::new("dma", ValueKind::Defined("dma_stats"), "", "counts of the channel", |f| {
            f.outcome.as_ref().dma.to_json()
        }),
        Field::new("machine", ValueKind::Defined("machine"), "", "the machine", |f| {
            f.outcome.as_ref().config.to_json()
        }),
        Field::optional("timeline", ValueKind::Defined("timeline"), "", "with `--timeline`", |f| {
            timeline_json(&f.request, &f.outcome.as_ref().timeline)
        }),
        Field::new("procedure", ValueKind::Name, "", "the procedure", |f| f.name().into()),
        Field::new("checked_vectors", ValueKind::Integer, "vectors", "that were compared", |f| {
            f.check.vectors.into()
        }),
    ]
}

/// Returns the row of the plan of a procedure that knows several.
pub(super) fn chosen_plan_row<W>() -> ReportField<W>
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    let what = "how the machine was used, and the other plans that it was chosen from";
    Field::new("chosen_plan", ValueKind::Object(ChosenPlan::schema), "", what, |f| {
        f.outcome.as_ref().plan.to_json()
    })
}

/// Returns the timeline for a JSON report, if it was asked for.
fn timeline_json(request: &Request, timeline: &Timeline) -> Value {
    if request.values.has("timeline") { timeline.to_json() } else { Value::Null }
}
