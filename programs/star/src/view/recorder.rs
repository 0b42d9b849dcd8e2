//! What is kept of a run for pictures of it.

use crate::language::CheckedProgram;
use crate::run::{RunEvent, RunObserver, StarValue};

/// Most bits that are kept of all steps together, so that a page stays small.
const MOST_BITS: usize = 24 << 20;

/// An observer that keeps the first steps of a run.
#[derive(Clone, Debug)]
pub struct StepRecorder {
    most: usize,
    bits: usize,
    is_full: bool,
    /// Values of the variables before the first step, by number.
    pub(super) first: Vec<StarValue>,
    pub(super) steps: Vec<RunEvent>,
}

impl StepRecorder {
    /// Creates a recorder of at most `most` steps.
    pub fn new(most: usize) -> Self {
        Self { most, bits: 0, is_full: false, first: Vec::new(), steps: Vec::new() }
    }

    /// Returns the steps that were kept.
    pub fn steps(&self) -> &[RunEvent] {
        &self.steps
    }

    /// Whether the run went on behind the last step that was kept.
    pub fn is_cut(&self) -> bool {
        self.is_full
    }

    /// Returns the name of a variable with the procedure that has it.
    pub(super) fn name(program: &CheckedProgram, slot: usize) -> String {
        let variable = &program.variables[slot];
        match variable.procedure.as_str() {
            "" | "main" => variable.name.clone(),
            procedure => format!("{procedure}.{}", variable.name),
        }
    }
}

impl RunObserver for StepRecorder {
    fn is_watching(&self) -> bool {
        !self.is_full
    }

    fn begin(&mut self, values: Vec<StarValue>) {
        self.bits += values.iter().map(StarValue::bits).sum::<usize>();
        self.first = values;
    }

    fn observe(&mut self, event: RunEvent) {
        let bits: usize =
            event.changes.iter().chain(&event.begun).map(|(_, value)| value.bits()).sum();
        if self.steps.len() >= self.most || self.bits + bits > MOST_BITS {
            self.is_full = true;
            return;
        }
        self.bits += bits;
        self.steps.push(event);
    }
}
