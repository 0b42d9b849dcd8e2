//! The convolution of vectors in system memory as a workload.

mod circular;

use crate::procedures::common::{
    Compared, bound, chosen_plan_row, comparison_rows, count_rows, distance_row, machine_rows,
    no_source, overlap_row, rate_rows, vectors,
};
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use crate::workload::{options, text};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_procedures::convolution::{
    Check as Distance, Options, Report, check, run, transform_points,
};
use cp2_procedures::host::Procedure;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::npy::{self, ComplexMatrix};
use cp2_session::random;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
};
use num_complex::Complex32;

/// The family of the convolutions: the procedure, whose cycles depend on the machine, so that it is not counted, and kernels
/// for CP2 alone.
pub(crate) const FAMILY: Family = Family {
    workloads: || circular::all().chain([untyped(Convolution)]).collect(),
    counted: circular::counted,
};

struct Convolution;

/// Points of a random vector.
const RANDOM_POINTS: usize = 1024;

impl TypedWorkload for Convolution {
    /// The vectors, and the filter.
    type Input = (ComplexMatrix, Vec<Complex32>);
    type Outcome = Compared<Report>;
    const SCHEMA: &'static str = "cp2-convolution-2";
    const ASKS: Option<&'static [Key]> = Some(&[Key::FftDirection]);

    fn about(&self) -> About {
        About {
            name: "convolution".to_owned(),
            summary: "convolution of vectors with a filter, by FFT".into(),
            family: "convolution",
            platform: Platform::Machine,
            input: "complex64 (vectors, points)".to_owned(),
            output: "complex64 (vectors, points + taps - 1)".to_owned(),
            order: "ascending",
            permuted: None,
            reference: Reference {
                is: "the convolution in double precision".into(),
                measure: "relative error",
                tolerance: Distance::LIMIT,
                unit: "",
                reason: "three transforms of at most 3e-7 each, by the root of the sum of their squares",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        // Lengths for which there is no transform are refused where both lengths are known.
        let any = u32::MAX as usize;
        let points = "Points of the random vectors of a convolution; 1024 if absent";
        let taps =
            "Points of the random filter of a convolution; as many as a vector has if absent";
        vec![
            options::input(ArraySpec::complex64("vectors", "points")),
            options::filter(),
            options::output(ArraySpec::complex64("vectors", "points + taps - 1")),
            options::non_finite(),
            options::vectors(),
            WorkloadOption::number("points", "points", None, any, points).replaced_by(&["input"]),
            WorkloadOption::number("taps", "points", None, any, taps).replaced_by(&["filter"]),
            options::seed().replaced_by(&["input", "filter"]),
        ]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(bound(Some("[D] table B.4, rates")))
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source("convolution"))
    }

    /// Returns vectors and filter; lengths are checked before random data are made.
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
        listener: &mut dyn Listener,
    ) -> Result<Compared<Report>, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        let config = request.machine()?.clone();
        let takes_any = request.values.has("non-finite");
        let options = Options { takes_any, execution: request.execution() };
        let report = run(config, filter, input.columns, &input.values, &options, show)?;
        let procedure = Procedure::Convolution { transform: report.transform };
        let mut compared = Compared::new(report, procedure, request)?;
        let report = &compared.report;
        if (2 * report.points, 2 * report.taps) != (report.transform, report.transform) {
            // The measured procedure has vectors and filters of half the transform.
            compared.comparison.iter_mut().for_each(|c| c.measured = None);
        }
        Ok(compared)
    }

    fn check(
        &self,
        _: &Request,
        (input, filter): &Self::Input,
        outcome: &Self::Outcome,
    ) -> Deviation {
        let distance = check(&outcome.report, filter, &input.values);
        Deviation {
            distance: distance.relative_error,
            vectors: distance.vectors,
            is_passed: distance.is_passed(),
            flushed: distance.flushed,
        }
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("points", ValueKind::Integer, "points", "of a vector", |f| {
                f.outcome.report.points.into()
            }),
            Field::new("taps", ValueKind::Integer, "points", "of the filter", |f| {
                f.outcome.report.taps.into()
            }),
            Field::new(
                "transform_points",
                ValueKind::Integer,
                "points",
                "of the transforms",
                |f| f.outcome.report.transform.into(),
            ),
            Field::new("scheme", ValueKind::Text, "", "how local memory was used", |f| {
                f.outcome.report.scheme.name().into()
            }),
            Field::new("vectors", ValueKind::Integer, "vectors", "that were convolved", |f| {
                f.outcome.report.cost.vectors.into()
            }),
        ];
        fields.extend(count_rows());
        fields.push(Field::new(
            "operations",
            ValueKind::Integer,
            "operations",
            "of two transforms of each vector",
            |f| f.outcome.report.cost.operations.into(),
        ));
        fields.extend(rate_rows("at 10 P log2 P"));
        fields.extend(comparison_rows());
        fields.push(overlap_row());
        fields.push(chosen_plan_row());
        fields.extend(machine_rows());
        let what = "largest of a vector, against the convolution in double precision; null where it is not a number";
        fields.push(distance_row("relative_error", "", what));
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome, check, .. } = finished;
        let report = &outcome.report;
        format!(
            "convolution on {}: {} of {} points with {}, by FFTs of {} ({}), {}\n\
             relative error {:.2e} against the convolution in double precision; {} checked\n{}",
            report.cost.config.name(),
            text::vectors(report.cost.vectors),
            report.points,
            report.taps,
            report.transform,
            report.scheme.name(),
            outcome.report.cost.done(),
            check.distance,
            text::vectors(check.vectors),
            outcome.rates("10 P log2 P")
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

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.report.cost)
    }
}
