//! Turns of the inner loops of a trace that are taken only once: the first ones, until all that was under way has landed, and the
//! last ones are taken one by one, and a few turns stand for all those between.

use super::region::{LONGEST_PASS, RolledTurns, UNROLLED};
use cp2_isa::rules::flow::ActiveLoop;

/// Number of cycles of turns, at least, for which it is worth having them only once.
const WORTH_ROLLING: usize = UNROLLED;
/// Number of cycles of turns, at least, of which more are made at once.
const WORTH_UNROLLING: usize = 16 * UNROLLED;

/// Loop that a trace has begun.
pub(super) struct OwnLoop {
    pub(super) active: ActiveLoop,
    /// Number of turns that the loop has in all.
    pub(super) turns: u32,
    /// First bundle of the loop's body, by its number in the trace.
    pub(super) first: usize,
}

/// Turns of a loop of the trace that are being taken only once.
struct Rolling {
    /// Number of loops of the trace that are under way, the rolled one included.
    depth: usize,
    /// First bundle, by its number in the trace.
    first: usize,
    times: u32,
    /// Count of the loop behind the bundles that stand for all these turns.
    until: u32,
    /// Count of the loop behind all these turns.
    rest: u32,
}

/// Turns that a trace takes only once.
pub(super) struct Rolls {
    /// Whether turns may be taken only once.
    pub(super) are_allowed: bool,
    at_hand: Option<Rolling>,
    /// Turns that were taken only once so far, in the order of issue.
    pub(super) done: Vec<RolledTurns>,
    /// Number of cycles of turns that the trace does not have one by one.
    more_cycles: usize,
}

impl Rolling {
    /// Returns the turns of a loop that are worth being taken only once, where a turn of so many bundles begins at this place.
    /// The last turns, which take `settled` cycles, are taken one by one.
    fn new(
        active: &ActiveLoop,
        turn: usize,
        (depth, first): (usize, usize),
        settled: usize,
    ) -> Option<Self> {
        let left = active.count as usize * turn;
        let once = if left >= WORTH_UNROLLING { UNROLLED } else { UNROLLED / 2 };
        let (once, last) = (once.div_ceil(turn) as u32, settled.div_ceil(turn) as u32);
        let times = active.count.saturating_sub(last) / once;
        let is_worth_it = times >= 2 && (times * once) as usize * turn >= WORTH_ROLLING;
        let (until, rest) = (active.count.saturating_sub(once), active.count - times * once);
        is_worth_it.then_some(Self { depth, first, times, until, rest })
    }
}

impl Rolls {
    /// Creates the turns of a trace that has not begun.
    pub(super) fn new(are_allowed: bool) -> Self {
        Self { are_allowed, at_hand: None, done: Vec::new(), more_cycles: 0 }
    }

    /// Begins to take many turns of the innermost loop only once, or ends that, where a turn of it begins. The place tells how
    /// many loops of the trace are under way, and how many bundles the trace has. `None` if the turns would take too long.
    pub(super) fn begin_turn(
        &mut self,
        own: &mut OwnLoop,
        (depth, bundles): (usize, usize),
        settled: usize,
    ) -> Option<()> {
        if !self.are_allowed {
            return Some(());
        }
        if let Some(rolling) = &self.at_hand {
            if (rolling.depth, rolling.until) != (depth, own.active.count) {
                return Some(());
            }
            let Rolling { first, times, rest, .. } = *rolling;
            own.active.count = rest;
            self.at_hand = None;
            self.done.push(RolledTurns { first, end: bundles, times });
            self.more_cycles += (times as usize - 1) * (bundles - first);
            return (bundles + self.more_cycles <= LONGEST_PASS).then_some(());
        }
        // The turns are all alike from the second one on: what is known of registers is the same where each begins.
        let taken = (own.turns - own.active.count) as usize;
        if taken > 0 && bundles - own.first >= settled {
            let turn = (bundles - own.first).div_ceil(taken);
            self.at_hand = Rolling::new(&own.active, turn, (depth, bundles), settled);
        }
        Some(())
    }
}
