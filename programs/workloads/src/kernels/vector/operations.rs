//! The operations on vectors, and the reductions over the sections, as workloads: random numbers.

use crate::workload::options;
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Counted, Finished, ReportField, TypedWorkload, untyped};
use cp2_isa::{Core, SECTIONS};
use cp2_kernels::vector::{
    OPERATIONS, VectorOperation, longest, over_sections, reference, run, section_max_source,
    section_sum_source, source,
};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, Workload,
    WorkloadOption, largest,
};
use cp2_session::{npy, random};
use std::sync::Arc;

/// Returns the operations, and the reductions over the sections, as workloads.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Workload>> {
    let operations = OPERATIONS.into_iter().map(|op| untyped(op));
    operations.chain(OverSections::ALL.into_iter().map(|over| untyped(over)))
}

/// Elements of the vectors; fewer where local memory has no room for them.
const ELEMENTS: usize = 16384;
/// The scalar of operations that take one.
pub(super) const A: f32 = 0.5;

fn reference_to(is: &'static str, reason: &'static str, unit: &'static str) -> Reference {
    Reference { is: is.into(), measure: "deviation", tolerance: 1.0, unit, reason, hint: "" }
}

/// Returns two vectors of random numbers.
pub(super) fn vectors(core: &Core, seed: u64) -> (Vec<f32>, Vec<f32>) {
    random::complex(seed, ELEMENTS.min(longest(core))).iter().map(|z| (z.re, z.im)).unzip()
}

/// Returns the distance of a number from the exact one, in units of the error that rounding allows.
fn share(found: f32, (exact, limit): (f64, f64)) -> f64 {
    let difference = (f64::from(found) - exact).abs();
    if difference == 0.0 { 0.0 } else { difference / limit }
}

/// Returns the largest distance of the results of an operation from the exact ones, in units of the error that rounding
/// allows.
pub(super) fn distance(
    operation: VectorOperation,
    a: f32,
    (x, y): (&[f32], &[f32]),
    results: &[f32],
) -> f64 {
    let exact = reference(operation, a, x, y);
    if results.len() != exact.len() {
        return f64::INFINITY;
    }
    largest(results.iter().zip(exact).map(|(&found, exact)| share(found, exact)))
}

pub(super) fn passed_below_one(distance: f64) -> Deviation {
    Deviation::new(distance, distance <= 1.0)
}

/// The scalar and the vectors.
type Vectors = (f32, Vec<f32>, Vec<f32>);

/// Returns the arrays that an operation takes.
fn arrays(operation: VectorOperation) -> Vec<ArraySpec> {
    let mut arrays = vec![ArraySpec::float32("x", &["n"])];
    if operation.reads_y() {
        arrays.push(ArraySpec::float32("y", &["n"]));
    }
    if operation.takes_scalar() {
        arrays.push(ArraySpec::float32("a", &["1"]).optional());
    }
    arrays
}

impl TypedWorkload for VectorOperation {
    type Input = Vectors;
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::variants(*self)
    }

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: self.description().into(),
            family: "vectors",
            platform: Platform::Cp2,
            input: "vectors".to_owned(),
            output: if self.is_reduction() { "a number" } else { "a vector" }.to_owned(),
            order: "ascending, in beats of four elements to the sections in turn",
            permuted: None,
            reference: reference_to(
                "the operation in double precision",
                "a product and a sum round by half a unit in the last place each; a term of a sum once more in each addition on its way; maxima are exact",
                "rounding, term by term",
            ),
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let size = if self.is_reduction() { "1" } else { "n" };
        let output = options::output(ArraySpec::float32("y", &[size]));
        vec![options::inputs(arrays(*self)), output, options::seed().replaced_by(&["input"])]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        let cycles = self.bound_of_four_words() as f64 / 4.0;
        Ok(Bound::new("word", cycles, "the fuller slot"))
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Ok(source(*self))
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let values = &request.values;
        let Some(x) = values.floats("input", "x") else {
            let (x, y) = vectors(&request.core(), values.number("seed").unwrap_or(1));
            return Ok((A, x, y));
        };
        // A vector that the operation does not read is filled with zeros.
        let y = values.floats("input", "y").unwrap_or_else(|| vec![0.0; x.len()]);
        let a = values.floats("input", "a").and_then(|a| a.first().copied()).unwrap_or(A);
        Ok((a, x, y))
    }

    fn run(
        &self,
        request: &Request,
        (a, x, y): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let outcome = run(*self, *a, x, y, &request.execution())?;
        Ok(Trial {
            work: format!("vectors of {} numbers", x.len()),
            cycles: outcome.cycles,
            units: (outcome.words as u64, "word"),
            results: outcome.value.map_or(outcome.y, |value| vec![value]),
        })
    }

    fn check(&self, _: &Request, (a, x, y): &Self::Input, trial: &Trial) -> Deviation {
        passed_below_one(distance(*self, *a, (x, y), &trial.results))
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let results = &finished.outcome.results;
        Some(npy::Array::from_floats(vec![results.len()], results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}

/// A reduction of one value of each section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OverSections {
    Sum,
    Maximum,
}

impl OverSections {
    const ALL: [Self; 2] = [Self::Sum, Self::Maximum];

    const fn name(self) -> &'static str {
        match self {
            Self::Sum => "section_sum",
            Self::Maximum => "section_max",
        }
    }

    fn chain(self, core: &Core) -> Bound {
        let latencies = core.latencies();
        // The chain: an address, a load, eight exchanges, `mtfpr`; at the end `psprmsgn`, a store and `stop`.
        let both = 1 + latencies.load + 7 + latencies.to_fpr + latencies.permute + 2;
        let between = match self {
            // The sum takes `psprmsgn` and `qsdot`.
            Self::Sum => latencies.permute + latencies.arithmetic,
            // The maximum takes two comparisons and two copies.
            Self::Maximum => 2 * latencies.condition + 2 * latencies.arithmetic,
        };
        Bound::new("value", f64::from(both + between), "chain of dependences")
    }
}

impl OverSections {
    /// Returns the largest distance of the results from the exact one, in units of the error that rounding allows.
    fn distance(self, values: &[f32; SECTIONS], results: &[f32]) -> f64 {
        let wide = values.map(f64::from);
        let magnitudes: f64 = wide.iter().map(|v| v.abs()).sum();
        let exact = match self {
            Self::Maximum => (wide.iter().copied().fold(f64::MIN, f64::max), 0.0),
            Self::Sum => (wide.iter().sum(), magnitudes * 3.0 / 8_388_608.0),
        };
        largest(results.iter().map(|&found| share(found, exact)))
    }
}

impl TypedWorkload for OverSections {
    type Input = [f32; SECTIONS];
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: match self {
                Self::Sum => "sum of one value of each section, into all of them",
                Self::Maximum => "largest of one value of each section, into all of them",
            }
            .into(),
            family: "vectors",
            platform: Platform::Cp2,
            input: "a value in each section".to_owned(),
            output: "a value in each section".to_owned(),
            order: "the same value everywhere",
            permuted: None,
            reference: reference_to(
                "the reduction in double precision",
                "three sums round by half a unit in the last place of the sum of the magnitudes; the maximum is exact",
                "rounding of three sums",
            ),
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let array = |name| ArraySpec::float32(name, &["4"]);
        let seed = options::seed().replaced_by(&["input"]);
        vec![options::input(array("x")), options::output(array("y")), seed]
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        Ok(self.chain(core))
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Ok(match self {
            Self::Sum => section_sum_source(),
            Self::Maximum => section_max_source(),
        })
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let given = request.values.floats("input", "x");
        let Some(Ok(values)) = given.map(<[f32; SECTIONS]>::try_from) else {
            let z = random::complex(request.values.number("seed").unwrap_or(1), 2);
            return Ok([z[0].re, z[0].im, z[1].re, z[1].im]);
        };
        Ok(values)
    }

    fn run(
        &self,
        request: &Request,
        values: &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let on = request.execution();
        let (found, cycles) = over_sections(*self == Self::Maximum, *values, &on)?;
        Ok(Trial {
            work: "one value of each section".to_owned(),
            cycles,
            units: (1, "value"),
            results: found.to_vec(),
        })
    }

    fn check(&self, _: &Request, values: &Self::Input, trial: &Trial) -> Deviation {
        passed_below_one(self.distance(values, &trial.results))
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        Some(npy::Array::from_floats(vec![SECTIONS], &finished.outcome.results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}

/// Returns every operation on vectors, and the reductions over the sections, to be counted.
pub(super) fn counted() -> impl Iterator<Item = Counted> {
    let operations = OPERATIONS.into_iter().map(|operation| {
        Counted::new(operation.name().to_owned(), move |name, on| row(name, operation, on))
    });
    let reductions = OverSections::ALL.into_iter().map(|over| {
        Counted::new(over.name().to_owned(), move |name, on| row_over_sections(name, over, on))
    });
    operations.chain(reductions)
}

fn row(name: &str, operation: VectorOperation, on: &Execution) -> Result<CountRow, KernelError> {
    let (x, y) = vectors(&on.core, 1);
    let outcome = run(operation, A, &x, &y, on)?;
    let counted = (outcome.words as u64, outcome.cycles);
    let results = outcome.value.map_or(outcome.y, |value| vec![value]);
    let bound = TypedWorkload::bound(&operation, &on.core)?;
    let row = CountRow::new(name.to_owned(), format!("{} elements", x.len()), counted, &bound);
    Ok(row.checked(distance(operation, A, (&x, &y), &results) <= 1.0))
}

fn row_over_sections(
    name: &str,
    over: OverSections,
    on: &Execution,
) -> Result<CountRow, KernelError> {
    let values = [1.0, 2.0, 3.0, 4.0];
    let (results, cycles) = over_sections(over == OverSections::Maximum, values, on)?;
    let parameters = "one value of each section".to_owned();
    let row = CountRow::new(name.to_owned(), parameters, (1, cycles), &over.chain(&on.core));
    Ok(row.checked(over.distance(&values, &results) <= 1.0))
}
