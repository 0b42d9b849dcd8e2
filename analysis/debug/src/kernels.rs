//! Runs of kernels in a recorded run, and the arrays that they have.

use crate::arrays::{KernelRun, NamedArray, SizedArray};
use crate::debugger::Debugger;
use crate::error::DebugError;
use cp2_asm::interface::DeclaredArray;
use cp2_emu::stats::Cause;
use cp2_isa::Cycle;
use cp2_recording::{CountedCondition, MatchChoice};

impl Debugger {
    /// Returns the arrays of the kernel that runs, or of the one that ran last; each with its name, and the reason if its sizes are not
    /// those of an array.
    ///
    /// # Errors
    /// The recording is damaged, or a search in it was ended.
    pub(crate) fn arrays(&mut self) -> Result<Vec<NamedArray>, DebugError> {
        let here = self.cycle();
        if let Some(known) = self.kernel_run().filter(|r| (r.first..=r.last).contains(&here)) {
            return Ok(known.arrays.clone());
        }
        let found = self.find_kernel_run(here);
        self.run_mut().recording.seek(here)?;
        let found = found?;
        let arrays = found.as_ref().map_or(Vec::new(), |run| run.arrays.clone());
        self.keep_kernel_run(found);
        Ok(arrays)
    }

    /// Finds the run of a kernel that a cycle belongs to, or the one before it. The recording may be in another cycle then.
    fn find_kernel_run(&mut self, here: Cycle) -> Result<Option<KernelRun>, DebugError> {
        let [begin, _] = self.ends();
        let (recording, history) = self.parts();
        let runs = history.cycle(recording, here)?.is_some_and(|cycle| cycle.cause.is_some());
        let mut last = runs.then_some(here);
        if last.is_none() {
            for cause in [Cause::Both, Cause::Arithmetic, Cause::Exchange, Cause::Empty] {
                let mut condition = CountedCondition::Cause(Some(cause));
                let from = last.map_or(begin, |last| last + 1);
                let found = recording.find_time(from..here, MatchChoice::Last, &mut condition)?;
                last = found.or(last);
            }
        }
        let Some(last) = last else { return Ok(None) };
        let mut idle = CountedCondition::Cause(None);
        let before = recording.find_time(begin..last, MatchChoice::Last, &mut idle)?;
        let first = before.map_or(begin, |before| before + 1);
        let address = history.cycle(recording, first)?.and_then(|cycle| cycle.address);
        let last = last.max(here);
        let mut run = KernelRun { first, last, arrays: Vec::new() };
        let Some(address) = address else { return Ok(Some(run)) };
        self.run_mut().recording.seek(first)?;
        let Some(image) = self.image_in(first) else { return Ok(Some(run)) };
        let kernel = image.kernel_at(address).map(|kernel| kernel.name.as_str());
        let Some(interface) = kernel.and_then(|name| image.interfaces.get(name)) else {
            return Ok(Some(run));
        };
        let sized = |array: &DeclaredArray| {
            (array.name.clone(), SizedArray::new(array, interface, self.state(), self.core()))
        };
        run.arrays = interface.arrays.iter().map(sized).collect();
        Ok(Some(run))
    }

    /// Returns the array with a name.
    ///
    /// # Errors
    /// The kernel declares none of this name, its sizes are none, or the recording is damaged.
    pub(crate) fn array(&mut self, name: &str) -> Result<SizedArray, DebugError> {
        let arrays = self.arrays()?;
        match arrays.iter().find(|(known, _)| known == name) {
            Some((_, array)) => array.clone().map_err(DebugError::Refused),
            None => {
                let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
                let known = match names.is_empty() {
                    true => "no kernel that has run before this cycle declares arrays".to_owned(),
                    false => format!("the arrays here are {}", names.join(", ")),
                };
                Err(DebugError::Refused(format!("`{name}` is no register, word or array; {known}")))
            }
        }
    }
}
