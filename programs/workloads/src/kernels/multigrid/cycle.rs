//! The kernels of a V-cycle, in instruction memory together, as one workload: on a block of each level in each section. The
//! kernels are in `sized`.

use super::blocks::REFERENCE;
use crate::workload::options;
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Finished, ReportField, TypedWorkload};
use cp2_isa::Core;
use cp2_kernels::multigrid::sized::{CYCLE, Resident, source};
use cp2_kernels::multigrid::{
    Check as Distance, GridBlock, GridKernel, error_of, generated, sized,
};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::workload::{
    About, Bound, Deviation, Listener, Platform, Request, WorkloadOption, largest,
};

/// The fine blocks of the levels, from the finest to the coarsest one that is computed on.
const LEVELS: [GridBlock; 5] = [
    GridBlock::new(32, 8, 8),
    GridBlock::new(16, 8, 8),
    GridBlock::new(8, 8, 8),
    GridBlock::new(4, 4, 4),
    GridBlock::new(2, 2, 2),
];

/// Returns the kernels that run on each level, with their blocks. The transfers are between a level and the next coarser one,
/// so the coarsest has none; the norm is that of the finest.
fn runs() -> impl Iterator<Item = (GridKernel, GridBlock)> {
    let on = |fine: GridBlock, kernel: GridKernel| match kernel {
        GridKernel::Proj => (fine.n1 > 2).then_some(fine),
        GridKernel::Interp | GridKernel::Interp0 => (fine.n1 > 2).then_some(fine.halved()),
        GridKernel::Norm => (fine == LEVELS[0]).then_some(fine),
        _ => Some(fine),
    };
    LEVELS.into_iter().flat_map(move |fine| {
        CYCLE.into_iter().filter_map(move |kernel| Some((kernel, on(fine, kernel)?)))
    })
}

/// The workload of all kernels of a V-cycle.
pub(super) struct Cycle;

/// Runs all kernels of a V-cycle; returns the cycles of all runs, the bundles of the kernels, and the largest error of each
/// run against the definition.
fn run_all(seed: u64, on: &Execution) -> Result<(u64, usize, Vec<f32>), KernelError> {
    let mut resident = Resident::new(&sized::cycle(), on)?;
    let (mut cycles, mut distances) = (0, Vec::new());
    for (kernel, block) in runs() {
        let (operator, operands) = (kernel.operator(), generated(kernel, block, seed));
        let report = resident.run(kernel, block, &operator, [&operands[0], &operands[1]])?;
        cycles += report.stats.cycles;
        distances.push(error_of(kernel, block, &operator, &operands, &report.output) as f32);
    }
    Ok((cycles, resident.bundles, distances))
}

impl TypedWorkload for Cycle {
    type Input = ();
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;

    fn about(&self) -> About {
        About {
            name: "multigrid_cycle".to_owned(),
            summary: "multigrid: the kernels of a V-cycle in instruction memory together".into(),
            family: "multigrid",
            platform: Platform::Cp2,
            input: format!("blocks within {}", LEVELS[0]),
            output: "blocks of every level".to_owned(),
            order: "x fastest, then y, then z",
            permuted: None,
            reference: REFERENCE,
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        vec![options::seed()]
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        let mut cycles = 0;
        for kernel in CYCLE {
            let slots = cp2_kernels::multigrid::operations(core, kernel, kernel.usual_block())?;
            cycles += slots.into_iter().max().unwrap_or(0);
        }
        Ok(Bound::new("finest level", cycles as f64, "operations of the fuller slot"))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        source(core, &sized::cycle())
    }

    fn inputs(&self, _: &Request) -> Result<(), KernelError> {
        Ok(())
    }

    fn run(&self, request: &Request, (): &(), _: &mut dyn Listener) -> Result<Trial, KernelError> {
        let seed = request.values.number("seed").unwrap_or(1);
        let (cycles, bundles, results) = run_all(seed, &request.execution())?;
        let sizes: Vec<_> = LEVELS.iter().map(ToString::to_string).collect();
        Ok(Trial {
            work: format!(
                "{} kernels, {bundles} bundles together, on blocks of {} in each section",
                CYCLE.len(),
                sizes.join(", ")
            ),
            cycles,
            units: (runs().count() as u64, "call"),
            results,
        })
    }

    fn check(&self, _: &Request, (): &(), trial: &Trial) -> Deviation {
        let distance = largest(trial.results.iter().map(|&x| f64::from(x))) / Distance::LIMIT;
        Deviation::new(distance, distance <= 1.0)
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}

/// Counts a kernel for run-time sizes, at the size of the published counts.
pub(super) fn row(name: &str, kernel: GridKernel, on: &Execution) -> Result<CountRow, KernelError> {
    let (block, operator) = (kernel.usual_block(), kernel.operator());
    let operands = generated(kernel, block, 1);
    let mut resident = Resident::new(&[(kernel, block)], on)?;
    let report = resident.run(kernel, block, &operator, [&operands[0], &operands[1]])?;
    let error = error_of(kernel, block, &operator, &operands, &report.output);
    let bound = TypedWorkload::bound(&kernel, &on.core)?;
    let parameters = format!("{block} in the call, {} bundles", resident.bundles);
    let row = CountRow::new(name.to_owned(), parameters, (1, report.stats.cycles), &bound);
    Ok(row.checked(error < Distance::LIMIT))
}
