//! Turns of an inner loop that a block does one behind the other in a loop of its own: the steps of one turn, or of a few, are
//! made once and hold for all. What differs from turn to turn stands in the context where a turn begins, or is a pointer that
//! each turn takes further.

use super::address::TurnSteps;
use super::block::{BlockTranslator, RegisterValues, standing_under_way};
use super::translate::Refused;
use crate::analysis::counts::Counts;
use crate::analysis::pointer::SoFar;
use crate::front_end::region::{BlockRegion, BlockStart, RolledTurns};
use crate::front_end::shape::PipelineState;
use cp2_emu::Stats;

/// Registers that a turn changes, so that nothing can be known of them where a turn begins.
#[derive(Clone, Default)]
struct Changing {
    /// Scalar registers, by their numbers among all.
    scalars: Vec<usize>,
    /// Address sets, one bit each.
    sets: u16,
}

impl Changing {
    /// Adds registers and sets. Returns whether one of them is new.
    fn grow(&mut self, scalars: Vec<usize>, sets: u16) -> bool {
        let before = (self.scalars.len(), self.sets);
        self.scalars.extend(scalars);
        self.scalars.sort_unstable();
        self.scalars.dedup();
        self.sets |= sets;
        before != (self.scalars.len(), self.sets)
    }
}

impl BlockTranslator {
    /// Makes the steps of turns that the region has only once. What a turn changes is found by making them again until nothing
    /// is taken for granted that the turn does not leave as it was.
    pub(super) fn roll(
        self,
        turns: &RolledTurns,
        region: &BlockRegion,
        place: &BlockStart,
    ) -> Result<Self, Refused> {
        let refused = Refused(turns.first);
        // Accesses are noted by their cycles, and the block's first cycles tell what may be under way where it begins.
        let is_settled = self.time >= self.needs.entry_uses.settled() as usize;
        if self.environment.notes || !is_settled {
            return Err(refused);
        }
        let mut changing = Changing::default();
        loop {
            let mut turn = self.clone();
            turn.addresses.settle(&mut turn.b, changing.sets);
            let shape = turn.end_part(1, Vec::new(), 0);
            turn.scalars.forget(&changing.scalars);
            turn.addresses.begin_turn();
            let start = turn.clone();
            turn.counted.stats = Stats::new(&turn.core);
            turn.counted.costs = Vec::new();
            turn.issue(turns.first..turns.end, region, place)?;
            turn.addresses.settle(&mut turn.b, changing.sets);
            let scalars = turn.scalars.changed_since(&start.scalars);
            let steps = turn.addresses.turn_since(&start.addresses);
            if scalars.is_empty() && steps.kept == 0 {
                return turn.take_turns(turns.times, (start, shape), &steps).ok_or(refused);
            }
            if !changing.grow(scalars, steps.kept) {
                return Err(refused);
            }
        }
    }

    /// Ends a part that is run so many times, which takes `further` cycles more than once through it, and takes pointers further
    /// by these steps: everything goes to where the next part looks for it. Returns the results under way.
    fn end_part(&mut self, times: u32, steps: Vec<(usize, i32)>, further: usize) -> PipelineState {
        self.settle_scalars(&PipelineState::default());
        let shape = self.put_registers();
        self.needs.undos_before += std::mem::take(&mut self.needs.undos) as usize * times as usize;
        self.needs.first_flagged = self.needs.flagged.len();
        // Old values of general registers are asked for within two cycles, and a block does not end so soon.
        self.gpr_writes.clear();
        self.b.end_part(times, steps);
        self.time += further;
        self.under_way = standing_under_way(&mut self.b, &shape, self.time);
        self.now = RegisterValues::standing(&mut self.b);
        self.entry = self.now.clone();
        shape
    }

    /// Ends the turn at hand, which began as `start` with results under way of this shape, as one of `times` turns. `None` if
    /// turns are not all alike.
    fn take_turns(
        mut self,
        times: u32,
        (start, shape): (Self, PipelineState),
        TurnSteps { steps, .. }: &TurnSteps,
    ) -> Option<Self> {
        let cycles = self.time - start.time;
        let is_noted = self.counted.footprint.noted.len() > start.counted.footprint.noted.len();
        if is_noted || self.addresses.modes != start.addresses.modes {
            return None;
        }
        let mut stepped = Vec::new();
        for (number, pointer) in self.addresses.pointers.iter_mut().enumerate() {
            let before = start.addresses.pointers.get(number);
            let before = before.map_or(SoFar::default(), |pointer| pointer.so_far());
            let step = steps[usize::from(pointer.set)];
            pointer.repeat(before, times, step)?;
            stepped.extend((step != 0).then_some((number, step)));
        }
        self.addresses.take_turns(steps, times - 1);
        let counts = Counts::from(std::mem::replace(&mut self.counted.stats, start.counted.stats));
        counts.add_to(&mut self.counted.stats, times.into());
        let costs = std::mem::replace(&mut self.counted.costs, start.counted.costs);
        self.counted.costs.extend(costs.into_iter().map(|(pc, cost)| (pc, cost * times.into())));
        let is_same = self.end_part(times, stepped, cycles * (times as usize - 1)) == shape;
        is_same.then_some(self)
    }
}
