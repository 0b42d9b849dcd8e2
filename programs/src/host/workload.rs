//! The FFTs of vectors in system memory as workloads, and what they share with convolutions. The
//! procedures themselves are in `fft`.

use super::bounds::Bounds;
use super::comparison::{Compared, Comparison};
use super::fft::{LENGTHS, Options, Report, reference, run};
use super::measured::Procedure;
use super::timeline::Timeline;
use crate::document::{Field, Kind};
use crate::error::KernelError;
use crate::fft::{self, CHECKED_VECTORS, relative_rms_error};
use crate::npy::{self, ComplexMatrix};
use crate::workload::{
    About, Array, Bound, Check, Family, Finished, Flag, Place, ReportField, Request, Workload,
    boxed, text,
};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use num_complex::Complex64;
use serde_json::{Value, json};

/// The procedures. Their cycles depend on the machine, so none is counted.
pub const FAMILY: Family = Family {
    workloads: || LENGTHS.into_iter().map(|points| boxed(Transform { points })).collect(),
    counted: Vec::new,
};

/// Transforms of so many points.
struct Transform {
    points: usize,
}

/// What bounds a procedure.
pub(super) const BOUND: &str = "the larger of one butterfly or product a cycle and section, and the bytes moved at the rates of long rows";

/// Why a procedure has no text.
pub(super) fn no_source(name: &str) -> KernelError {
    KernelError::Array(format!(
        "{name} is no kernel but a procedure, which runs kernels on a whole machine: `cp2 kernels run {name} --machine vm7`"
    ))
}

/// The vectors of `--input`, or random ones. Those that memory cannot hold are refused before they are
/// made.
pub(super) fn vectors(request: &Request, points: usize) -> Result<ComplexMatrix, KernelError> {
    let size = u64::from(request.machine()?.value(Key::MemorySize)) << 20;
    let vectors = request.values.number("vectors").unwrap_or(1);
    let needed = vectors.saturating_mul(8 * points as u64);
    if !request.values.has("input") && needed > size {
        return Err(KernelError::Memory { needed, size });
    }
    Ok(fft::vectors(request, points))
}

/// The timeline for a JSON report, if it was asked for.
pub(super) fn timeline_json(request: &Request, timeline: &Timeline) -> Value {
    if request.values.has("timeline") { timeline.to_json() } else { Value::Null }
}

/// How many vectors of `rows` are done when so many pages of all are.
pub(super) fn vectors_done(rows: usize, pages: usize, all: usize) -> usize {
    rows * pages / all.max(1)
}

const FIELDS: &[ReportField<Transform>] = &[
    Field::new("points", Kind::Integer, "points", "of a vector", |f| {
        f.outcome.report.points.into()
    }),
    Field::new("vectors", Kind::Integer, "vectors", "that were transformed", |f| {
        f.outcome.report.vectors.into()
    }),
    Field::new("pages", Kind::Integer, "pages", "that went through local memory", |f| {
        f.outcome.report.pages.into()
    }),
    Field::new(
        "cycles",
        Kind::Integer,
        "cycles",
        "of CP2, from the first command of the host to the end",
        |f| f.outcome.report.cycles().into(),
    ),
    Field::new("kernel_runs", Kind::Integer, "runs", "of kernels", |f| {
        f.outcome.report.kernels.runs.into()
    }),
    Field::new("kernel_cycles", Kind::Integer, "cycles", "of all runs of kernels", |f| {
        f.outcome.report.kernels.cycles.into()
    }),
    Field::new("rate_mops", Kind::Number, "10^6 operations per second", "at 5 N log2 N", |f| {
        f.outcome.report.rate_mops().into()
    }),
    Field::new(
        "bounds_mops",
        Kind::Object(Bounds::schema),
        "",
        "the most that the method allows, by the rates at which data are moved",
        |f| f.outcome.report.bounds().to_json(),
    ),
    Field::or_null(
        "same_model",
        Kind::Object(Comparison::same_model_schema),
        "",
        "this beside the published procedure, both simulated; null on another core",
        |f| f.outcome.same_model_json(),
    ),
    Field::or_null(
        "measured",
        Kind::Object(Comparison::measured_schema),
        "",
        "this beside the measured rate, if there is one; null on a machine that was changed",
        |f| f.outcome.measured_json(),
    ),
    Field::new(
        "overlap_percent",
        Kind::Number,
        "percent",
        "of the shorter of computing and moving data that the other hides",
        |f| f.outcome.report.timeline.overlap_percent().into(),
    ),
    Field::new("dma", Kind::Defined("dma_stats"), "", "counts of the channel", |f| {
        f.outcome.report.dma.to_json()
    }),
    Field::new("machine", Kind::Defined("machine"), "", "the machine", |f| {
        f.outcome.report.config.to_json()
    }),
    Field::optional("timeline", Kind::Defined("timeline"), "", "with `--timeline`", |f| {
        timeline_json(&f.request, &f.outcome.report.timeline)
    }),
    Field::new("procedure", Kind::Name, "", "the procedure", |f| f.name().into()),
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
];

impl Workload for Transform {
    type Input = ComplexMatrix;
    type Outcome = Compared<Report>;
    const SCHEMA: &'static str = "cp2-procedure-2";

    fn about(&self) -> About {
        let Self { points } = self;
        About {
            name: format!("fft{points}"),
            summary: "FFT, forward and inverse",
            family: "fft",
            place: Place::Machine,
            input: format!("complex64 (vectors, {points})"),
            output: format!("complex64 (vectors, {points})"),
            order: "ascending, in the place of the input",
            permuted: None,
            reference: fft::REFERENCE,
        }
    }

    fn flags(&self) -> Vec<Flag> {
        let array = || Array::complex64("vectors", self.points);
        let mut flags = vec![Flag::input(array()), Flag::output(array())];
        flags.extend(Flag::transform());
        // What memory holds is the limit.
        flags.push(Flag::vectors(1));
        flags.push(Flag::seed().replaced_by(&["input"]));
        flags
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        let source = Some("[D] tables 3.1, 3.2 and B.5, rates");
        Ok(Bound {
            unit: "vector",
            cycles: None,
            rests_on: BOUND,
            published: None,
            source,
            sides: None,
        })
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source(&self.about().name))
    }

    fn inputs(&self, request: &Request) -> Result<ComplexMatrix, KernelError> {
        vectors(request, self.points)
    }

    fn run(
        &self,
        request: &Request,
        input: &ComplexMatrix,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Compared<Report>, KernelError> {
        let show = &mut |pages, all| progress(vectors_done(input.rows, pages, all), input.rows);
        let config = request.machine()?.clone();
        let report = run(config, self.points, &input.values, &options(request), show)?;
        let procedure = Procedure::Transform { points: self.points };
        let (vectors, mops) = (report.vectors, report.rate_mops());
        let comparison = Comparison::new(&report.config, procedure, vectors, mops)?;
        Ok(Compared { report, comparison })
    }

    fn check(&self, request: &Request, input: &ComplexMatrix, outcome: &Self::Outcome) -> Check {
        let report = &outcome.report;
        let options = options(request);
        let vectors = report.vectors.min(CHECKED_VECTORS);
        let values = vectors * report.points;
        let factor = if options.scale { 1.0 / report.points as f64 } else { 1.0 };
        let exact = reference(report.points, &input.values[..values], options.inverse);
        let exact: Vec<Complex64> = exact.into_iter().map(|z| z * factor).collect();
        let distance = relative_rms_error(&report.output[..values], &exact);
        Check { distance, vectors, is_passed: distance < fft::Check::LIMIT }
    }

    fn fields() -> &'static [ReportField<Self>] {
        FIELDS
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome, check, .. } = finished;
        let report = &outcome.report;
        let rate = report.rate_mops();
        format!(
            "{} on {}: {} vectors in {} pages, {} cycles, {:.1} us\n\
             relative RMS error {:.2e} against the transform in double precision ({} vectors checked)\n\
             {rate:.0} MOPS at 5 N log2 N; overlap {:.1} %\n{}\n{}{}",
            finished.name(),
            report.config.name(),
            report.vectors,
            report.pages,
            report.cycles(),
            report.operations() as f64 / rate,
            check.distance,
            check.vectors,
            report.timeline.overlap_percent(),
            report.bounds().text(rate),
            outcome.text(),
            text::assumptions(&report.config)
        )
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let ComplexMatrix { rows, columns, is_vector, .. } = finished.input;
        let values = finished.outcome.report.output.clone();
        Some(npy::Array::from(ComplexMatrix { rows, columns, is_vector, values }))
    }

    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        Some(&finished.outcome.report.timeline)
    }
}

fn options(request: &Request) -> Options {
    Options {
        inverse: request.values.has("inverse"),
        scale: request.values.has("scale"),
        execution: request.execution(),
        ..Options::default()
    }
}
