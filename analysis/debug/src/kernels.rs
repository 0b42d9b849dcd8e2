//! Runs of kernels in a recorded run, and the arrays that they have.

use crate::debugger::Debugger;
use crate::error::DebugError;
use cp2_analysis::arrays::{NamedArray, SizedArray, WordNames};
use std::sync::Arc;

impl Debugger {
    /// Returns the arrays of the kernel that runs, or of the one that ran last; each with its name, and the reason if its sizes are not
    /// those of an array.
    ///
    /// # Errors
    /// The recording is damaged, or a search in it was ended.
    pub(crate) fn arrays(&mut self) -> Result<Vec<NamedArray>, DebugError> {
        let here = self.cycle();
        if let Some(known) = self.kernel_run().filter(|run| run.has(here)) {
            return Ok(known.arrays.clone());
        }
        let found = self.find_kernel_run(here)?;
        let arrays = found.as_ref().map_or(Vec::new(), |run| run.arrays.clone());
        self.keep_kernel_run(found);
        Ok(arrays)
    }

    /// Returns the names of words of local memory: those of the kernel that runs or ran last, else those that the program gives
    /// by itself, as also where the recording is damaged.
    pub(crate) fn word_names(&mut self) -> Arc<WordNames> {
        let is_known = self.arrays().is_ok();
        match self.kernel_run().filter(|_| is_known) {
            Some(run) => run.names.clone(),
            None => {
                let image = self.image_in(self.cycle());
                image.map(|image| Arc::new(WordNames::of(image, self.core()))).unwrap_or_default()
            }
        }
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
