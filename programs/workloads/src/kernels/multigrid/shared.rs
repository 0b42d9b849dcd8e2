//! Operators on a grid of 8 x 8 x 8 points that stays in shared memory, as workloads: u and v from arrays or at random.

use crate::workload::options;
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Counted, Finished, ReportField, TypedWorkload};
use cp2_isa::Core;
use cp2_kernels::multigrid::{OperatorSequence, SHARED_POINTS as N, run_shared, shared_error};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::{
    About, ArraySpec, Bound, Deviation, Listener, Platform, Reference, Request, WorkloadOption,
};
use cp2_session::{npy, random};

/// Returns both sequences of operators in shared memory, to be counted.
pub(super) fn counted() -> [Counted; 2] {
    OperatorSequence::ALL.map(|sequence| {
        let count = move |name: &str, on: &Execution| row(name, sequence, on);
        Counted::new(sequence.name().to_owned(), count).needing(NEEDED)
    })
}

fn row(name: &str, sequence: OperatorSequence, on: &Execution) -> Result<CountRow, KernelError> {
    let [u, v] = generated(1);
    let run = run_shared(sequence, [&u, &v], on)?;
    let parameters = format!("8x8x8 points, {} bundles", run.bundles);
    let bound = TypedWorkload::bound(&sequence, &on.core)?;
    let row = CountRow::new(name.to_owned(), parameters, (1, run.cycles), &bound);
    Ok(row.checked(shared_error(sequence, [&u, &v], [&run.u, &run.r]) <= 1.0))
}

/// Returns random u and v.
fn generated(seed: u64) -> [Vec<f32>; 2] {
    let (u, v) = random::complex(seed, N * N * N).iter().map(|z| (z.re, z.im)).unzip();
    [u, v]
}

/// The extension that the sequences need.
const NEEDED: &str = "shared-memory";

impl TypedWorkload for OperatorSequence {
    type Input = [Vec<f32>; 2];
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;
    const NEEDS: Option<&'static str> = Some(NEEDED);

    fn about(&self) -> About {
        About {
            name: self.name().to_owned(),
            summary: match self {
                Self::Smoother => {
                    "multigrid: residual, smoother, residual of 8x8x8 points in shared memory; needs --enable shared-memory"
                }
                Self::Cycle => {
                    "multigrid: V-cycle of 8x8x8 and 4x4x4 points in shared memory; needs --enable shared-memory"
                }
            }.into(),
            family: "multigrid",
            platform: Platform::Cp2,
            input: "float32 (8, 8, 8), u and v".to_owned(),
            output: "float32 (8, 8, 8), the residual of the new u".to_owned(),
            order: "x fastest, then y, then z",
            permuted: None,
            reference: Reference {
                is: "the operators in double precision".into(),
                measure: "deviation",
                tolerance: 1.0,
                unit: "rounding of the operators",
                reason: "an operator rounds at most 16 times, each time by at most 2^-24 of the sum of the magnitudes",
                hint: "",
            },
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        let array = |name| ArraySpec::float32(name, &["8", "8", "8"]);
        let inputs = options::inputs(vec![array("u"), array("v")]);
        vec![inputs, options::output(array("r")), options::seed().replaced_by(&["input"])]
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(Bound::new("sequence", self.least_cycles() as f64, "operations of the arithmetic slot"))
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Ok(self.kernel_text())
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        let given = |name| request.values.floats("input", name);
        if let (Some(u), Some(v)) = (given("u"), given("v")) {
            return Ok([u, v]);
        }
        let seed = request.values.number("seed").unwrap_or(1);
        Ok(generated(seed))
    }

    fn run(
        &self,
        request: &Request,
        [u, v]: &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let run = run_shared(*self, [u, v], &request.execution())?;
        Ok(Trial {
            work: format!("{}, {} bundles", self.title(), run.bundles),
            cycles: run.cycles,
            units: (1, "sequence"),
            results: [run.u, run.r].concat(),
        })
    }

    fn check(&self, _: &Request, [u, v]: &Self::Input, trial: &Trial) -> Deviation {
        let (new_u, r) = trial.results.split_at(N * N * N);
        let distance = shared_error(*self, [u, v], [new_u, r]);
        Deviation::new(distance, distance <= 1.0)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let (_, r) = finished.outcome.results.split_at(N * N * N);
        Some(npy::Array::from_floats(vec![N; 3], r))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}
