//! A run of one variant of a workload file on a machine, page by page.

use super::{Variant, WorkloadFile};
use cp2_procedures::paged::{self, PagedProcedure};
use cp2_recording::checkpoint::RunIdentity;
use cp2_session::arrays::Problem;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::npy::Array;
use cp2_session::workload::{Listener, Request};
use std::ops::Range;

/// The outcome of a run on a machine.
pub(super) struct MachineRun {
    /// Arrays after the run that kernels write, by name.
    pub(super) results: Vec<(String, Array)>,
    pub(super) cost: Cost,
    /// Places in local memory.
    pub(super) places: Vec<LocalPlace>,
}

/// A place of an array, or of the program's own data, in local memory.
pub(super) struct LocalPlace {
    /// Name of the array; `None` for data of the program.
    pub(super) name: Option<String>,
    /// Number of the buffer.
    pub(super) buffer: usize,
    pub(super) words: Range<usize>,
}

impl WorkloadFile {
    /// Runs a variant on the machine of a request to its end.
    pub(super) fn run_pages(
        &self,
        variant: &Variant,
        request: &Request,
        listener: &mut dyn Listener,
    ) -> Result<MachineRun, KernelError> {
        let (machine, core) = (request.machine()?, request.core());
        let (program, entry) = self.program(&request.environment, &core, variant)?;
        let procedure = self.procedure(variant, &program, entry)?;
        if let Some(keeper) = &request.keeper {
            keeper.begin(RunIdentity {
                cp2: env!("CARGO_PKG_VERSION").to_owned(),
                program: format!("{}, variant {}", self.name, variant.name),
                machine: machine.dump(),
                inputs: request.values.digest() ^ self.digest,
            });
        }
        let progress = &mut |done, all| listener.progress(done, all);
        let execution = request.execution();
        let run = paged::run(machine.clone(), &program, &procedure, &execution, progress);
        let run = run.map_err(|e| self.placed(e))?;
        let PagedProcedure { arrays, locals, .. } = &procedure;
        let name = |k: usize| arrays[k].name.clone();
        let results = run.arrays.into_iter().map(|(k, array)| (name(k), array)).collect();
        let place = |(local, buffer, words): (Option<usize>, usize, Range<usize>)| LocalPlace {
            name: local.map(|local| locals[local].name.clone()),
            buffer,
            words,
        };
        let places = run.places.into_iter().map(place).collect();
        Ok(MachineRun { results, cost: run.cost, places })
    }

    /// Returns an error with the name of the file before its place.
    pub(super) fn placed(&self, error: KernelError) -> KernelError {
        match error {
            KernelError::Array(Problem { place, message }) => {
                KernelError::Array(Problem { place: format!("{}: {place}", self.path), message })
            }
            other => other,
        }
    }
}
