//! The convolution of vectors in system memory as a workload.

use super::{Check as Distance, Report, check, run, transform_points};
use crate::document::{Field, Kind};
use crate::error::KernelError;
use crate::host::bounds::Bounds;
use crate::host::comparison::{Compared, Comparison};
use crate::host::measured::Procedure;
use crate::host::timeline::Timeline;
use crate::host::workload::{BOUND, no_source, timeline_json, vectors, vectors_done};
use crate::npy::{self, ComplexMatrix};
use crate::random;
use crate::workload::{
    About, Array, Bound, Check, Family, Finished, Flag, Place, Reference, ReportField, Request,
    Workload, boxed, text,
};
use cp2_isa::Core;
use num_complex::Complex32;
use serde_json::json;

/// The procedure. Its cycles depend on the machine, so it is not counted.
pub const FAMILY: Family = Family { workloads: || vec![boxed(Convolution)], counted: Vec::new };

struct Convolution;

/// Points of a random vector.
const RANDOM_POINTS: usize = 1024;

const FIELDS: &[ReportField<Convolution>] = &[
    Field::new("points", Kind::Integer, "points", "of a vector", |f| {
        f.outcome.report.points.into()
    }),
    Field::new("taps", Kind::Integer, "points", "of the filter", |f| f.outcome.report.taps.into()),
    Field::new("transform_points", Kind::Integer, "points", "of the transforms", |f| {
        f.outcome.report.transform.into()
    }),
    Field::new("scheme", Kind::Text, "", "how local memory was used", |f| {
        f.outcome.report.scheme().name().into()
    }),
    Field::new("vectors", Kind::Integer, "vectors", "that were convolved", |f| {
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
    Field::new(
        "operations",
        Kind::Integer,
        "operations",
        "of two transforms of each vector",
        |f| f.outcome.report.operations().into(),
    ),
    Field::new("rate_mops", Kind::Number, "10^6 operations per second", "at 10 P log2 P", |f| {
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
        "relative_error",
        Kind::Number,
        "",
        "largest of a vector, against the convolution in double precision; null where it is no number",
        |f| json!(f.check.distance),
    ),
];

impl Workload for Convolution {
    /// The vectors, and the filter.
    type Input = (ComplexMatrix, Vec<Complex32>);
    type Outcome = Compared<Report>;
    const SCHEMA: &'static str = "cp2-convolution-2";

    fn about(&self) -> About {
        About {
            name: "convolution".to_owned(),
            summary: "convolution of vectors with a filter, by FFT",
            family: "convolution",
            place: Place::Machine,
            input: "complex64 (vectors, points)".to_owned(),
            output: "complex64 (vectors, points + taps - 1)".to_owned(),
            order: "ascending",
            permuted: None,
            reference: Reference {
                is: "the convolution in double precision",
                measure: "relative error",
                tolerance: Distance::LIMIT,
                unit: "",
                reason: "three transforms of at most 3e-7 each, by the root of the sum of their squares",
                hint: "",
            },
        }
    }

    fn flags(&self) -> Vec<Flag> {
        // Lengths that no transform holds are refused where both are known.
        let any = u32::MAX as usize;
        let points = "Points of the random vectors of a convolution; 1024 if absent";
        let taps =
            "Points of the random filter of a convolution; as many as a vector has if absent";
        vec![
            Flag::input(Array::complex64("vectors", "points")),
            Flag::filter(),
            Flag::output(Array::complex64("vectors", "points + taps - 1")),
            Flag::vectors(1),
            Flag::number("points", "points", None, any, points).replaced_by(&["input"]),
            Flag::number("taps", "points", None, any, taps).replaced_by(&["filter"]),
            Flag::seed().replaced_by(&["input", "filter"]),
        ]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        let source = Some("[D] table B.4, rates");
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
        Err(no_source("convolution"))
    }

    /// Vectors and filter; lengths are checked before random data are made.
    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let values = &request.values;
        let number = |name| values.number(name).map(|n| n as usize);
        let points = match values.array("input") {
            Some(matrix) => matrix.columns,
            None => number("points").unwrap_or(RANDOM_POINTS),
        };
        let taps = match values.array("filter") {
            Some(filter) => filter.values.len(),
            None => number("taps").unwrap_or(points),
        };
        transform_points(points, taps)?;
        let filter = match values.array("filter") {
            Some(filter) => filter.values.clone(),
            None => random::complex(values.number("seed").unwrap_or(1).wrapping_add(1), taps),
        };
        Ok((vectors(request, points)?, filter))
    }

    fn run(
        &self,
        request: &Request,
        (input, filter): &Self::Input,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Compared<Report>, KernelError> {
        let show = &mut |pages, all| progress(vectors_done(input.rows, pages, all), input.rows);
        let (config, on) = (request.machine()?.clone(), request.execution());
        let report = run(config, filter, input.columns, &input.values, on, show)?;
        let procedure = Procedure::Convolution { transform: report.transform };
        let (vectors, mops) = (report.vectors, report.rate_mops());
        let mut comparison = Comparison::new(&report.config, procedure, vectors, mops)?;
        if (2 * report.points, 2 * report.taps) != (report.transform, report.transform) {
            // What was measured has vectors and filters of half the transform.
            comparison.iter_mut().for_each(|c| c.measured = None);
        }
        Ok(Compared { report, comparison })
    }

    fn check(&self, _: &Request, (input, filter): &Self::Input, outcome: &Self::Outcome) -> Check {
        let distance = check(&outcome.report, filter, &input.values);
        Check {
            distance: distance.relative_error,
            vectors: distance.vectors,
            is_passed: distance.is_passed(),
        }
    }

    fn fields() -> &'static [ReportField<Self>] {
        FIELDS
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome, check, .. } = finished;
        let report = &outcome.report;
        let rate = report.rate_mops();
        format!(
            "convolution on {}: {} vectors of {} points with {}, by FFTs of {} ({}), in {} pages, {} cycles, {:.1} us\n\
             relative error {:.2e} against the convolution in double precision ({} vectors checked)\n\
             {rate:.0} MOPS at 10 P log2 P; overlap {:.1} %\n{}\n{}{}",
            report.config.name(),
            report.vectors,
            report.points,
            report.taps,
            report.transform,
            report.scheme().name(),
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
        let ((input, _), report) = (&finished.input, &finished.outcome.report);
        let columns = report.points + report.taps - 1;
        let ComplexMatrix { rows, is_vector, .. } = *input;
        Some(npy::Array::from(ComplexMatrix {
            rows,
            columns,
            is_vector,
            values: report.output.clone(),
        }))
    }

    fn timeline<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Timeline> {
        Some(&finished.outcome.report.timeline)
    }
}
