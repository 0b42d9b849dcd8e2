//! When translated code is tried again after it has left a machine to the portable engine: at once if it
//! got far, else after ever longer stretches.

use cp2_isa::Cycle;

/// Most cycles that the portable engine goes on before translated code is tried again.
const LONGEST: u64 = 1 << 10;
/// Cycles that a stretch of translated code has to last to be worth another one soon.
const WORTH: u64 = 64;

/// How translated code stopped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stretch {
    /// Cycles that it did.
    pub(crate) cycles: u64,
    /// Cycles that have to pass on the portable engine, because translated code took them back.
    pub(crate) again: u64,
    /// The cycle before which the last epoch would have had to end.
    pub(crate) met: Option<Cycle>,
}

/// How long the portable engine goes on after a stretch, and what translated code did so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    wait: u64,
    /// Cycles that translated code did.
    pub(crate) translated: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { wait: 1, translated: 0 }
    }
}

impl Pace {
    /// Takes note of a stretch; tells for how many cycles the portable engine goes on.
    pub(crate) fn after(&mut self, stretch: &Stretch) -> u64 {
        self.translated += stretch.cycles;
        self.wait = if stretch.cycles >= WORTH { 1 } else { (self.wait * 2).min(LONGEST) };
        self.wait.max(stretch.again)
    }
}
