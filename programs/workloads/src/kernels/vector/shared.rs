//! The reductions of vectors on a machine with shared memory, as workloads: partial results of the sections
//! meet there, and not in general registers.

use super::operations::{A, distance, passed_below_one, vectors};
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Counted, Finished, ReportField, TypedWorkload, untyped};
use cp2_isa::Core;
pub(super) use cp2_kernels::vector::source::{SectionPath, text};
use cp2_kernels::vector::{OPERATIONS, VectorOperation, run_shared};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::npy;
use cp2_session::workload::{About, Bound, Deviation, Listener, Request, Workload, WorkloadOption};
use std::sync::Arc;

/// The extension that all reductions in shared memory need.
const NEEDED: &str = "shared-memory";

/// A reduction of vectors in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared(pub(super) VectorOperation);

impl Shared {
    /// Returns all reductions.
    fn all() -> impl Iterator<Item = Self> {
        OPERATIONS.into_iter().filter(|operation| operation.is_reduction()).map(Self)
    }
}

/// Returns all reductions in shared memory, as workloads.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Workload>> {
    Shared::all().map(untyped)
}

/// Returns all reductions in shared memory, to be counted.
pub(super) fn counted() -> impl Iterator<Item = Counted> {
    Shared::all().map(|Shared(operation)| {
        let name = format!("{}_shared", operation.name());
        Counted::new(name, move |name, on| row(name, operation, on)).needing(NEEDED)
    })
}

fn row(name: &str, operation: VectorOperation, on: &Execution) -> Result<CountRow, KernelError> {
    let (x, y) = vectors(&on.core, 1);
    let outcome = run_shared(operation, A, &x, &y, on)?;
    let results: Vec<f32> = outcome.value.into_iter().collect();
    let counted = (outcome.words as u64, outcome.cycles);
    let bound = TypedWorkload::bound(&operation, &on.core)?;
    let row = CountRow::new(name.to_owned(), format!("{} elements", x.len()), counted, &bound);
    Ok(row.checked(distance(operation, A, (&x, &y), &results) <= 1.0))
}

impl TypedWorkload for Shared {
    type Input = <VectorOperation as TypedWorkload>::Input;
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;
    const NEEDS: Option<&'static str> = Some(NEEDED);

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::variants(self.0)
    }

    fn about(&self) -> About {
        let about = TypedWorkload::about(&self.0);
        let summary = match self.0 {
            VectorOperation::Dot => "scalar product of x and y; needs --enable shared-memory",
            VectorOperation::SumOfSquares => {
                "sum of the squares of x; needs --enable shared-memory"
            }
            _ => "largest magnitude in x; needs --enable shared-memory",
        };
        About { name: format!("{}_shared", self.0.name()), summary: summary.into(), ..about }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        TypedWorkload::options(&self.0)
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        TypedWorkload::bound(&self.0, core)
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Ok(text(self.0, SectionPath::Shared))
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        TypedWorkload::inputs(&self.0, request)
    }

    fn run(
        &self,
        request: &Request,
        (a, x, y): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let outcome = run_shared(self.0, *a, x, y, &request.execution())?;
        Ok(Trial {
            work: format!("vectors of {} numbers", x.len()),
            cycles: outcome.cycles,
            units: (outcome.words as u64, "word"),
            results: outcome.value.into_iter().collect(),
        })
    }

    fn check(&self, _: &Request, (a, x, y): &Self::Input, trial: &Trial) -> Deviation {
        passed_below_one(distance(self.0, *a, (x, y), &trial.results))
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
