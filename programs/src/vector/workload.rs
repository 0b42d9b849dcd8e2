//! The operations on vectors, and the reductions over the sections, as workloads: random numbers.

use super::{
    OPERATIONS, Operation, over_sections, reference, reference_value, run, section_max_source,
    section_sum_source, source,
};
use crate::bench::Row;
use crate::engine::Execution;
use crate::error::KernelError;
use crate::random;
use crate::workload::trial::{self, Trial};
use crate::workload::{
    About, Bound, Check, Family, Finished, Flag, Place, Reference, ReportField, Request, Workload,
    boxed, largest,
};
use cp2_isa::SECTIONS;

/// The kernels.
pub const FAMILY: Family = Family {
    workloads: || {
        let operations = OPERATIONS.into_iter().map(|op| boxed(op));
        let reductions = OverSections::ALL.into_iter().map(|over| boxed(over));
        operations.chain(reductions).collect()
    },
    rows,
};

/// Elements of the vectors.
const ELEMENTS: usize = 16384;
/// The scalar.
const A: f32 = 0.5;

fn reference_to(is: &'static str, reason: &'static str, unit: &'static str) -> Reference {
    Reference { is, measure: "deviation", tolerance: 1.0, unit, reason, hint: "" }
}

/// Two vectors of random numbers.
fn vectors(seed: u64) -> (Vec<f32>, Vec<f32>) {
    random::complex(seed, ELEMENTS).iter().map(|z| (z.re, z.im)).unzip()
}

/// The distance of a number from the exact one, in units of what rounding allows.
fn share(found: f32, (exact, limit): (f64, f64)) -> f64 {
    let difference = (f64::from(found) - exact).abs();
    if difference == 0.0 { 0.0 } else { difference / limit }
}

fn passed_below_one(distance: f64) -> Check {
    Check { distance, vectors: 0, is_passed: distance <= 1.0 }
}

impl Workload for Operation {
    type Input = (Vec<f32>, Vec<f32>);
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: self.description(),
            family: "vectors",
            place: Place::Cp2,
            input: "vectors".to_owned(),
            output: if self.is_reduction() { "a number" } else { "a vector" }.to_owned(),
            order: "ascending, in beats of four elements to the sections in turn",
            reference: reference_to(
                "the operation in double precision",
                "a product and a sum round by half a unit in the last place each; a term of a sum once more in each addition on its way; maxima are exact",
                "rounding, term by term",
            ),
        }
    }

    fn flags(&self) -> Vec<Flag> {
        vec![Flag::seed()]
    }

    fn bound(&self) -> Result<Bound, KernelError> {
        let cycles = self.bound_of_four_words() as f64 / 4.0;
        Ok(Bound::new("word", cycles, "the fuller slot"))
    }

    fn source(&self) -> Result<String, KernelError> {
        Ok(source(*self))
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        Ok(vectors(request.values.number("seed").unwrap_or(1)))
    }

    fn run(
        &self,
        request: &Request,
        (x, y): &Self::Input,
        _: &mut dyn FnMut(usize, usize),
    ) -> Result<Trial, KernelError> {
        let outcome = run(*self, A, x, y, request.values.execution())?;
        Ok(Trial {
            work: format!("vectors of {} numbers", x.len()),
            cycles: outcome.cycles,
            units: (outcome.words as u64, "word"),
            results: outcome.value.map_or(outcome.y, |value| vec![value]),
        })
    }

    fn check(&self, _: &Request, (x, y): &Self::Input, trial: &Trial) -> Check {
        let exact = match self.is_reduction() {
            true => vec![reference_value(*self, x, y)],
            false => reference(*self, A, x, y),
        };
        let shares = trial.results.iter().zip(exact).map(|(&found, exact)| share(found, exact));
        passed_below_one(largest(shares))
    }

    fn fields() -> &'static [ReportField<Self>] {
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

    const fn chain(self) -> Bound {
        let cycles = match self {
            // Address 1, load 3, eight exchanges 7, `mtfpr` 3, `psprmsgn` 3, `qsdot` 8, `psprmsgn` 3,
            // store and `stop` 2.
            Self::Sum => 30.0,
            // Address 1, load 3, eight exchanges 7, `mtfpr` 3, two comparisons 14, two copies 16,
            // `psprmsgn` 3, store and `stop` 2.
            Self::Maximum => 49.0,
        };
        Bound::new("value", cycles, "chain of dependences")
    }
}

impl Workload for OverSections {
    type Input = [f32; SECTIONS];
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: match self {
                Self::Sum => "sum of one value of each section, into all of them",
                Self::Maximum => "largest of one value of each section, into all of them",
            },
            family: "vectors",
            place: Place::Cp2,
            input: "a value in each section".to_owned(),
            output: "a value in each section".to_owned(),
            order: "the same value everywhere",
            reference: reference_to(
                "the reduction in double precision",
                "three sums round by half a unit in the last place of the sum of the magnitudes; the maximum is exact",
                "rounding of three sums",
            ),
        }
    }

    fn flags(&self) -> Vec<Flag> {
        vec![Flag::seed()]
    }

    fn bound(&self) -> Result<Bound, KernelError> {
        Ok(self.chain())
    }

    fn source(&self) -> Result<String, KernelError> {
        Ok(match self {
            Self::Sum => section_sum_source(),
            Self::Maximum => section_max_source(),
        })
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let z = random::complex(request.values.number("seed").unwrap_or(1), 2);
        Ok([z[0].re, z[0].im, z[1].re, z[1].im])
    }

    fn run(
        &self,
        request: &Request,
        values: &Self::Input,
        _: &mut dyn FnMut(usize, usize),
    ) -> Result<Trial, KernelError> {
        let on = request.values.execution();
        let (found, cycles) = over_sections(*self == Self::Maximum, *values, on)?;
        Ok(Trial {
            work: "one value of each section".to_owned(),
            cycles,
            units: (1, "value"),
            results: found.to_vec(),
        })
    }

    fn check(&self, _: &Request, values: &Self::Input, trial: &Trial) -> Check {
        let wide = values.map(f64::from);
        let magnitudes: f64 = wide.iter().map(|v| v.abs()).sum();
        let exact = match self {
            Self::Maximum => (wide.iter().copied().fold(f64::MIN, f64::max), 0.0),
            Self::Sum => (wide.iter().sum(), magnitudes * 3.0 / 8_388_608.0),
        };
        passed_below_one(largest(trial.results.iter().map(|&found| share(found, exact))))
    }

    fn fields() -> &'static [ReportField<Self>] {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}

/// Every operation on vectors of 16384 elements, and the reductions over the sections.
fn rows() -> Result<Vec<Row>, KernelError> {
    let ((x, y), on) = (vectors(1), Execution::default());
    let mut rows = Vec::new();
    for operation in OPERATIONS {
        let outcome = run(operation, A, &x, &y, on)?;
        let (name, parameters) = (operation.name().to_owned(), format!("{ELEMENTS} elements"));
        let counted = (outcome.words as u64, outcome.cycles);
        rows.push(Row::new(name, parameters, counted, &operation.bound()?));
    }
    for over in OverSections::ALL {
        let maximum = over == OverSections::Maximum;
        let (_, cycles) = over_sections(maximum, [1.0, 2.0, 3.0, 4.0], on)?;
        let parameters = "one value of each section".to_owned();
        rows.push(Row::new(over.name().to_owned(), parameters, (1, cycles), &over.chain()));
    }
    Ok(rows)
}
