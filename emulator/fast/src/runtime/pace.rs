//! Back-off of translated code that has left a machine to the portable engine: it is tried again at once if it got far, else
//! after ever longer stretches.

use cp2_isa::Cycle;

/// Number of cycles, at most, that the portable engine goes on before translated code is tried again.
const LONGEST: u64 = 1 << 10;
/// Number of cycles that a stretch of translated code has to last to be worth another one soon.
const WORTH: u64 = 64;

/// Stretch of translated code, and how it stopped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TranslatedSpan {
    /// Number of cycles that translated code did.
    pub(crate) cycles: u64,
    /// Number of cycles that have to pass on the portable engine, because translated code took them back.
    pub(crate) again: u64,
    /// Cycle before which the last epoch would have had to end, if there is one.
    pub(crate) met: Option<Cycle>,
    /// Whether the flow stands inside of a change, behind which blocks can begin.
    pub(crate) is_inside: bool,
}

/// Back-off after stretches of translated code: how long the portable engine goes on, and what translated code did so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    wait: u64,
    /// Number of cycles that translated code did so far.
    pub(crate) translated: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { wait: 1, translated: 0 }
    }
}

impl Pace {
    /// Takes note of a stretch; returns for how many cycles the portable engine goes on.
    pub(crate) fn after(&mut self, stretch: &TranslatedSpan) -> u64 {
        self.translated += stretch.cycles;
        if stretch.is_inside {
            return 1;
        }
        self.wait = if stretch.cycles >= WORTH { 1 } else { (self.wait * 2).min(LONGEST) };
        self.wait.max(stretch.again)
    }
}
