//! Transforms of two and three dimensions as workloads, and lines that their reports share with NPB FT.

use crate::procedures::common::{
    count_rows, machine_rows, no_source, rate_rows, transform_error_row,
};
use crate::workload::options;
use crate::workload::{Finished, ReportField, TypedWorkload, text};
use cp2_document::{Field, ValueKind};
use cp2_evidence::bounds::RateBounds;
use cp2_isa::{Bytes, Core};
use cp2_kernels::fft;
use cp2_procedures::host::device_driven;
use cp2_procedures::spatial::{Options, Report, Sizes, run};
use cp2_reference::spatial::transform;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::numbers::{ErrorMeasure, Flushed, read_complex};
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Request, WorkloadOption,
};
use cp2_session::{npy, random};
use num_complex::{Complex32, Complex64};
use serde_json::json;

pub(super) const BOUND: Bound = Bound {
    unit: "transform",
    cycles: None,
    rests_on: "the larger of butterflies and products, and of the bytes moved at the rates of long rows",
    published: None,
    source: None,
    sides: None,
};

/// The procedure for transforms of arrays of two or three dimensions.
pub(super) struct Transform {
    pub(super) dimensions: usize,
}

/// An array of up to three dimensions.
pub(super) struct Field3 {
    sizes: Sizes,
    values: Vec<Complex32>,
}

/// Points along an axis of a random array.
const POINTS: u64 = 64;

/// Options for the sizes of random arrays, of the first axis first.
pub(super) const SIZES: [&str; 3] = ["n3", "n2", "n1"];

impl Transform {
    fn axes(&self) -> &'static [&'static str] {
        &SIZES[SIZES.len() - self.dimensions..]
    }

    fn array(&self, name: &'static str) -> ArraySpec {
        let shape = self.axes().iter().map(|&axis| axis.to_owned()).collect();
        ArraySpec { name: name.into(), kind: npy::NumberType::Complex64, shape, is_optional: false }
    }

    /// Returns the sizes of a shape, whose last axis is contiguous.
    fn sizes(shape: &[usize]) -> Sizes {
        let mut sizes = [1; 3];
        for (size, &points) in sizes.iter_mut().zip(shape.iter().rev()) {
            *size = points;
        }
        Sizes(sizes)
    }

    fn shape(&self, sizes: &Sizes) -> Vec<usize> {
        sizes.0[..self.dimensions].iter().rev().copied().collect()
    }
}

fn options(request: &Request) -> Options {
    let has = |name| request.values.has(name);
    Options { inverse: has("inverse"), scale: has("scale"), execution: request.execution() }
}

/// Returns a line with the bound at the rates of the rows that move, and the share of it that was reached.
pub(super) fn rows_text(cost: &Cost) -> String {
    let share = 100.0 * cost.bound_cycles() / cost.cycles() as f64;
    let mops = cost.row_bound().mops;
    format!("bound {mops:.0} MOPS at the rates of the rows that move: {share:.1} %\n")
}

/// Returns the rows of the cycles in which CP2 waits for the channel, and of the bound at the rates of the rows that move.
pub(super) fn paging_rows<W>() -> [ReportField<W>; 2]
where
    W: TypedWorkload<Outcome: AsRef<Cost>>,
{
    [
        Field::new(
            "waiting_cycles",
            ValueKind::Integer,
            "cycles",
            "of the kernels, in which CP2 waits for the channel",
            |f| device_driven::waiting(f.outcome.as_ref()).into(),
        ),
        Field::new(
            "bound_cycles",
            ValueKind::Number,
            "cycles",
            "fewest: of the words that move at the rates of their rows, or of butterflies and products",
            |f| f.outcome.as_ref().bound_cycles().into(),
        ),
    ]
}

impl TypedWorkload for Transform {
    type Input = Field3;
    type Outcome = Report;
    const SCHEMA: &'static str = "cp2-spatial-fft-1";

    fn about(&self) -> About {
        let axes = self.axes().join(", ");
        About {
            name: format!("fft{}d", self.dimensions),
            summary: if self.dimensions == 2 {
                "FFT of two dimensions, forward and inverse"
            } else {
                "FFT of three dimensions, forward and inverse"
            }
            .into(),
            family: "fft",
            platform: Platform::Machine,
            input: format!("complex64 ({axes})"),
            output: format!("complex64 ({axes})"),
            order: "ascending along every axis",
            permuted: None,
            reference: crate::kernels::fft::REFERENCE,
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let mut options =
            vec![options::inputs(vec![self.array("x")]), options::output(self.array("y"))];
        options.extend(options::transform());
        let help = "Points along this axis of a random array, a power of two from 8 to 256, along the last axis (n1) from 32; 64 if absent";
        options.extend(self.axes().iter().map(|&axis| {
            WorkloadOption::number(axis, "points", None, 256, help).replaced_by(&["input"])
        }));
        options.push(options::seed().replaced_by(&["input"]));
        options
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(BOUND)
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source(&self.about().name))
    }

    fn inputs(&self, request: &Request) -> Result<Field3, KernelError> {
        let values = &request.values;
        let number = |&axis: &&str| values.number(axis).unwrap_or(POINTS) as usize;
        let (matrix, array) = (values.array("input"), values.named("input", "x"));
        let sizes = match (matrix, array) {
            (Some(matrix), _) => Self::sizes(&[matrix.rows, matrix.columns]),
            (None, Some(array)) => Self::sizes(&array.shape),
            (None, None) => Self::sizes(&self.axes().iter().map(number).collect::<Vec<_>>()),
        };
        sizes.check()?;
        let size = request.machine()?.memory_size();
        let needed = Bytes::of_words(sizes.points());
        if needed > size {
            return Err(KernelError::Memory { needed, size });
        }
        let values = match (matrix, array) {
            (Some(matrix), _) => matrix.values.clone(),
            (None, Some(array)) => array.to_complex(),
            (None, None) => random::complex(values.number("seed").unwrap_or(1), sizes.points()),
        };
        Ok(Field3 { sizes, values })
    }

    fn run(
        &self,
        request: &Request,
        input: &Field3,
        listener: &mut dyn Listener,
    ) -> Result<Report, KernelError> {
        let show = &mut |pages, all| listener.progress(pages, all);
        run(request.machine()?.clone(), &input.sizes, &input.values, &options(request), show)
    }

    fn check(&self, request: &Request, input: &Field3, outcome: &Report) -> Deviation {
        let options = options(request);
        let mut exact: Vec<Complex64> = input.values.iter().map(|x| read_complex(*x)).collect();
        transform(input.sizes.0, &mut exact, options.inverse);
        let points = input.sizes.points();
        let factor = if options.scale { 1.0 / points as f64 } else { 1.0 };
        let mut distance = ErrorMeasure::default();
        distance.add(&outcome.output, &exact, factor);
        let flushed = Flushed { results: distance.lost(), ..Flushed::of_complex(&input.values) };
        let distance = distance.relative(fft::lost(points) * factor);
        Deviation { distance, vectors: 1, is_passed: distance < fft::Check::LIMIT, flushed }
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let shape = self.shape(&finished.input.sizes);
        Some(npy::Array::from_complex(shape, &finished.outcome.output))
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut fields: Vec<ReportField<Self>> = vec![
            Field::new("points", ValueKind::Numbers, "points", "along x, y and z", |f| {
                json!(f.input.sizes.0)
            }),
            Field::new("passes", ValueKind::Integer, "passes", "over memory", |f| {
                f.outcome.passes.into()
            }),
        ];
        fields.extend(count_rows());
        fields.extend(rate_rows("at 5 N log2 N"));
        fields.extend(paging_rows());
        fields.extend(machine_rows());
        fields.push(transform_error_row());
        fields
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let Finished { input, outcome, check, .. } = finished;
        let cost = &outcome.cost;
        let rate = cost.rate_mops();
        format!(
            "{} on {}: {} points {} passes over memory, {}\n\
             relative RMS error {:.2e} against the transform in double precision\n\
             {rate:.0} MOPS at 5 N log2 N; CP2 turns the pages and waits for the channel in {} cycles\n{}\n{}{}",
            finished.name(),
            cost.config.name(),
            self.shape(&input.sizes).iter().map(usize::to_string).collect::<Vec<_>>().join("x"),
            outcome.passes,
            cost.done(),
            check.distance,
            device_driven::waiting(cost),
            RateBounds::of(cost).text(rate),
            rows_text(cost),
            text::assumptions(&cost.config),
        )
    }
}
