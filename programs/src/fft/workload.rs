//! The FFT kernels as workloads: vectors from an array or at random, dealt to the sections.

use super::{
    BatchRun, CHECKED_VECTORS, COUNTED_BATCH, Check as Distance, LENGTHS, Options, Report,
    butterflies, check_against_definition, fitting_batch, is_in_place, largest_batch,
    run_with_progress, source, strided,
};
use crate::bench::{Counted, Row};
use crate::document::{self, Field, Kind};
use crate::engine::Execution;
use crate::error::KernelError;
use crate::npy::ComplexMatrix;
use crate::random;
use crate::workload::{
    About, Array, Bound, Check, Family, Finished, Flag, Place, Reference, ReportField, Request,
    Workload, boxed, counts,
};
use cp2_isa::{Core, SECTIONS};
use serde_json::json;
use std::fmt::Write as _;

/// The kernels.
pub const FAMILY: Family = Family {
    workloads: || LENGTHS.into_iter().map(|points| boxed(Fft { points })).collect(),
    counted,
};

/// A transform of so many points.
struct Fft {
    points: usize,
}

/// What transforms are compared with, on CP2 alone and on machines.
pub(crate) const REFERENCE: Reference = Reference {
    is: "the transform in double precision",
    measure: "relative RMS error",
    tolerance: Distance::LIMIT,
    unit: "",
    reason: "single precision rounds by 6e-8, and log2 N roundings in a row add up like the root of their number",
    hint: "",
};

/// The vectors of `--input`, or random ones.
pub(crate) fn vectors(request: &Request, points: usize) -> ComplexMatrix {
    let values = &request.values;
    if let Some(matrix) = values.array("input") {
        return matrix.clone();
    }
    let [rows, seed] = ["vectors", "seed"].map(|name| values.number(name).unwrap_or(1));
    let values = random::complex(seed, rows as usize * points);
    ComplexMatrix { rows: rows as usize, columns: points, is_vector: false, values }
}

const RUN_FIELDS: &[Field<BatchRun>] = &[
    Field::new(
        "vectors_per_section",
        Kind::Integer,
        "vectors",
        "in each section, zeros that fill up the last run included",
        |r| r.vectors_per_section.into(),
    ),
    Field::new("cycles_per_vector", Kind::Number, "cycles", "for a vector of each section", |r| {
        r.cycles_per_vector().into()
    }),
    Field::new("stats", Kind::Defined("stats"), "", "what the run counted", |r| r.stats.to_json()),
];

const FIELDS: &[ReportField<Fft>] = &[
    Field::new("kernel", Kind::Name, "", "the kernel", |f| f.name().into()),
    Field::new("points", Kind::Integer, "points", "of a vector", |f| f.outcome.points.into()),
    Field::new("vectors", Kind::Integer, "vectors", "that were transformed", |f| {
        f.outcome.vectors.into()
    }),
    Field::new(
        "cycles",
        Kind::Integer,
        "cycles",
        "of all runs of the kernel; moving data is not counted",
        |f| f.outcome.cycles().into(),
    ),
    Field::new(
        "butterfly_bound",
        Kind::Integer,
        "cycles",
        "fewest for a vector of each section: one butterfly a cycle",
        |f| butterflies(f.outcome.points).into(),
    ),
    Field::new("checked_vectors", Kind::Integer, "vectors", "that were compared", |f| {
        f.check.vectors.into()
    }),
    Field::or_null(
        "relative_rms_error",
        Kind::Number,
        "",
        "against the transform in double precision; null where it is no number",
        |f| json!(f.check.distance),
    ),
    Field::new(
        "runs",
        Kind::Objects(|| document::schema(RUN_FIELDS, &[])),
        "",
        "each run of the kernel",
        |f| f.outcome.runs.iter().map(|run| document::object(RUN_FIELDS, run)).collect(),
    ),
];

impl Workload for Fft {
    type Input = ComplexMatrix;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-kernel-1";

    fn about(&self) -> About {
        let Self { points } = self;
        About {
            name: format!("fft{points}"),
            summary: "FFT, forward and inverse",
            family: "fft",
            place: Place::Cp2,
            input: format!("complex64 (vectors, {points})"),
            output: format!("complex64 (vectors, {points})"),
            order: match is_in_place(*points) {
                true => {
                    "ascending; in local memory the bits of k between the lowest and the highest are reversed"
                }
                false => "ascending",
            },
            reference: Reference {
                hint: "values so large that sums overflow, or so small that CP2 reads them as zero (below 1.2e-38), do this",
                ..REFERENCE
            },
        }
    }

    fn flags(&self) -> Vec<Flag> {
        let batch = "Vectors per section in one run of the kernel; as many as fit if absent";
        let array = || Array::complex64("vectors", self.points);
        let mut flags = vec![Flag::input(array()), Flag::output(array())];
        flags.extend(Flag::transform());
        flags.push(Flag::number(
            "batch",
            "vectors",
            None,
            largest_batch(&Core::WIDEST, self.points),
            batch,
        ));
        flags.push(Flag::vectors(self.points));
        flags.push(Flag::seed().replaced_by(&["input"]));
        flags
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        let published = match self.points {
            64 => Some(247),
            128 => Some(579),
            256 => Some(1218),
            _ => None,
        };
        let source = published.map(|_| "[D] table B.2");
        let bound = Bound::new("vector", butterflies(self.points) as f64, "butterflies");
        Ok(Bound { published, source, ..bound })
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        source(core, self.points)
    }

    fn inputs(&self, request: &Request) -> Result<ComplexMatrix, KernelError> {
        Ok(vectors(request, self.points))
    }

    fn run(
        &self,
        request: &Request,
        input: &ComplexMatrix,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Report, KernelError> {
        let show = &mut |done| progress(done, input.rows);
        run_with_progress(self.points, &input.values, &options(request), show)
    }

    fn check(&self, request: &Request, input: &ComplexMatrix, report: &Report) -> Check {
        let distance = check_against_definition(report, &input.values, &options(request));
        Check {
            distance: distance.relative_rms_error,
            vectors: report.vectors.min(CHECKED_VECTORS),
            is_passed: distance.is_passed(),
        }
    }

    fn fields() -> &'static [ReportField<Self>] {
        FIELDS
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome: report, check, .. } = finished;
        let bound = butterflies(report.points);
        let mut text = format!(
            "{}: {} vectors of {} points in {} kernel cycles\n\
             relative RMS error {:.2e} against the transform in double precision ({} vectors checked)\n",
            finished.name(),
            report.vectors,
            report.points,
            report.cycles(),
            check.distance,
            check.vectors
        );
        for (i, run) in report.runs.iter().enumerate() {
            let cycles = run.cycles_per_vector();
            let _ = writeln!(
                text,
                "run {}: {} vectors in each of 4 sections, {cycles:.1} cycles per vector; bound {bound}, {:.1} %",
                i + 1,
                run.vectors_per_section,
                100.0 * bound as f64 / cycles
            );
        }
        if let Some(run) = report.runs.first() {
            text += "the first run:\n";
            text += &counts(&run.stats);
        }
        text
    }

    fn output(&self, finished: &Finished<Self>) -> Option<ComplexMatrix> {
        let ComplexMatrix { rows, columns, is_vector, .. } = finished.input;
        let values = finished.outcome.output.clone();
        Some(ComplexMatrix { rows, columns, is_vector, values })
    }
}

fn options(request: &Request) -> Options {
    let values = &request.values;
    Options {
        inverse: values.has("inverse"),
        scale: values.has("scale"),
        batch: values.number("batch").unwrap_or(0) as usize,
        execution: request.execution(),
    }
}

/// Every length, then the strided kernels.
fn counted() -> Vec<Counted> {
    let whole = LENGTHS
        .into_iter()
        .map(|points| Counted::new(format!("fft{points}"), move |name, on| row(name, points, on)));
    whole.chain(strided::counted()).collect()
}

fn row(name: &str, points: usize, execution: Execution) -> Result<Row, KernelError> {
    let batch = COUNTED_BATCH.min(fitting_batch(&execution.core, points)?);
    let input = random::complex(1, points * batch * SECTIONS);
    let options = Options { execution, ..Options::default() };
    let report = super::run(points, &input, &options)?;
    let bound = Workload::bound(&Fft { points }, &execution.core)?;
    let counted = (batch as u64, report.cycles());
    let row = Row::new(name.to_owned(), format!("{points} points"), counted, &bound);
    Ok(row.checked(check_against_definition(&report, &input, &options).is_passed()))
}
