//! The FFTs of vectors in system memory as workloads. The procedures themselves are in `fft`.

use super::common::{
    Compared, bound, chosen_plan_row, comparison_rows, count_rows, machine_rows, no_source,
    overlap_row, rate_rows, transform_error_row, vectors,
};
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use crate::workload::{options, text};
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_kernels::fft::{self, CHECKED_VECTORS};
use cp2_procedures::fft::{LENGTHS, Options, Report, reference, run};
use cp2_procedures::host::Procedure;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::npy::{self, ComplexMatrix};
use cp2_session::numbers::{ErrorMeasure, Flushed, is_finite};
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Request, WorkloadOption,
};

/// The family of the FFTs in system memory. Their cycles depend on the machine, so none is counted.
pub(crate) const FAMILY: Family = Family {
    workloads: || LENGTHS.into_iter().map(|points| untyped(Transform { points })).collect(),
    counted: Vec::new,
};

/// The procedure for transforms of a given number of points.
struct Transform {
    points: usize,
}

impl TypedWorkload for Transform {
    type Input = ComplexMatrix;
    type Outcome = Compared<Report>;
    const SCHEMA: &'static str = "cp2-procedure-2";
    const ASKS: Option<&'static [Key]> = Some(&[]);

    fn about(&self) -> About {
        let Self { points } = self;
        About {
            name: format!("fft{points}"),
            summary: "FFT, forward and inverse".into(),
            family: "fft",
            platform: Platform::Machine,
            input: format!("complex64 (vectors, {points})"),
            output: format!("complex64 (vectors, {points})"),
            order: "ascending, in the place of the input",
            permuted: None,
            reference: crate::kernels::fft::REFERENCE,
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let array = || ArraySpec::complex64("vectors", self.points);
        let mut options = vec![options::input(array()), options::output(array())];
        options.extend(options::transform());
        options.push(options::non_finite());
        // The memory of the machine limits the number of vectors further.
        options.push(options::vectors());
        options.push(options::seed().replaced_by(&["input"]));
        options
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(bound(Some("[D] tables 3.1, 3.2 and B.5, rates")))
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
        listener: &mut dyn Listener,
    ) -> Result<Compared<Report>, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        let config = request.machine()?.clone();
        let report = run(config, self.points, &input.values, &options(request), show)?;
        Compared::new(report, Procedure::Transform { points: self.points }, request)
    }

    fn check(
        &self,
        request: &Request,
        input: &ComplexMatrix,
        outcome: &Self::Outcome,
    ) -> Deviation {
        let (points, options) = (self.points, options(request));
        let factor = if options.scale { 1.0 / points as f64 } else { 1.0 };
        let results = outcome.report.output.chunks(points);
        let pairs = input.values.chunks(points).zip(results).take(CHECKED_VECTORS);
        let (mut distance, mut vectors) = (ErrorMeasure::default(), 0);
        for (x, result) in pairs.filter(|(x, _)| x.iter().all(is_finite)) {
            let inverse = options.inverse;
            let made = || reference(points, x, inverse);
            let exact = request.environment.reference(("by halves", inverse), x, made);
            distance.add(result, &exact, factor);
            vectors += 1;
        }
        let flushed = Flushed { results: distance.lost(), ..Flushed::of_complex(&input.values) };
        let distance = distance.relative(fft::lost(points) * factor);
        Deviation { distance, vectors, is_passed: distance < fft::Check::LIMIT, flushed }
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("points", ValueKind::Integer, "points", "of a vector", |f| {
                f.outcome.report.points.into()
            }),
            Field::new("vectors", ValueKind::Integer, "vectors", "that were transformed", |f| {
                f.outcome.report.cost.vectors.into()
            }),
        ];
        fields.extend(count_rows());
        fields.extend(rate_rows("at 5 N log2 N"));
        fields.extend(comparison_rows());
        fields.push(overlap_row());
        fields.push(chosen_plan_row());
        fields.extend(machine_rows());
        fields.push(transform_error_row());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { outcome, check, .. } = finished;
        let cost = &outcome.report.cost;
        format!(
            "{} on {}: {} {}\n\
             relative RMS error {:.2e} against the transform in double precision; {} checked\n{}",
            finished.name(),
            cost.config.name(),
            text::vectors(cost.vectors),
            outcome.report.cost.done(),
            check.distance,
            text::vectors(check.vectors),
            outcome.rates("5 N log2 N")
        )
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let ComplexMatrix { rows, columns, is_vector, .. } = finished.input;
        let values = finished.outcome.report.output.clone();
        Some(npy::Array::from(ComplexMatrix { rows, columns, is_vector, values }))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.report.cost)
    }
}

fn options(request: &Request) -> Options {
    Options {
        inverse: request.values.has("inverse"),
        scale: request.values.has("scale"),
        takes_any: request.values.has("non-finite"),
        execution: request.execution(),
        ..Options::default()
    }
}
