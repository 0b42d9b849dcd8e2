//! `resid` on two groups of rows in one pass as workloads: as CP2 is, and with accesses of 32 bits. Operands, reference and
//! report are those of `resid`.

use super::blocks::trial_of;
use crate::workload::trial::{self, Trial};
use crate::workload::{CountRow, Counted, Finished, ReportField, TypedWorkload};
use cp2_isa::{Core, SECTIONS};
use cp2_kernels::multigrid::{
    Check as Distance, GridBlock, GridKernel, Paired, error_of, generated,
};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::npy;
use cp2_session::workload::{About, Bound, Deviation, Listener, Request, Workload, WorkloadOption};
use std::sync::Arc;

/// The kernel whose operands, reference and report the paired one has.
const KERNEL: GridKernel = GridKernel::Resid;

/// Returns one of the two paired kernels, to be counted.
pub(super) fn counted<const HALVES: bool>() -> Counted {
    let counted = Counted::new(Paired::<HALVES>::NAME.to_owned(), row::<HALVES>);
    match <Paired<HALVES> as TypedWorkload>::NEEDS {
        Some(extension) => counted.needing(extension),
        None => counted,
    }
}

/// Counts a paired kernel at the size of the published kernels.
fn row<const HALVES: bool>(name: &str, on: &Execution) -> Result<CountRow, KernelError> {
    let (block, operator) = (KERNEL.usual_block(), KERNEL.operator());
    let operands = generated(KERNEL, block, 1);
    let report = Paired::<HALVES>::run(block, &operator, [&operands[0], &operands[1]], on)?;
    let error = error_of(KERNEL, block, &operator, &operands, &report.output);
    let counted = (1, report.stats.cycles);
    let bound = TypedWorkload::bound(&Paired::<HALVES>, &on.core)?;
    let row = CountRow::new(name.to_owned(), block.to_string(), counted, &bound);
    Ok(row.checked(error < Distance::LIMIT))
}

impl<const HALVES: bool> TypedWorkload for Paired<HALVES> {
    type Input = <GridKernel as TypedWorkload>::Input;
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;
    const NEEDS: Option<&'static str> = if HALVES { Some("word-access") } else { None };

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        super::residuals()
    }

    fn about(&self) -> About {
        let name = Self::NAME.to_owned();
        About { name, summary: Self::DESCRIPTION.into(), ..TypedWorkload::about(&KERNEL) }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        TypedWorkload::options(&KERNEL)
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        let operations = Self::operations(core, KERNEL.usual_block())?;
        let fuller = operations.into_iter().max().unwrap_or(0);
        Ok(Bound { cycles: Some(fuller as f64), ..TypedWorkload::bound(&KERNEL, core)? })
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        Self::source(core, KERNEL.usual_block())
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        TypedWorkload::inputs(&KERNEL, request)
    }

    fn run(
        &self,
        request: &Request,
        (block, [faced, plain]): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let (block, on) = (*block, request.execution());
        let report = Self::run(block, &KERNEL.operator(), [faced, plain], &on)?;
        Ok(trial_of(report, block))
    }

    fn check(&self, request: &Request, input: &Self::Input, trial: &Trial) -> Deviation {
        TypedWorkload::check(&KERNEL, request, input, trial)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let GridBlock { n1, n2, n3 } = finished.input.0;
        let shape = vec![SECTIONS, n3, n2, n1];
        Some(npy::Array::from_floats(shape, &finished.outcome.results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}
