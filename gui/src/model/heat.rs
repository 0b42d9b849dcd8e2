//! The cost in cycles of every bundle and source line of a program, as far as it is counted already.

use crate::model::program::{LineId, Program};
use cp2_analysis::attribution::AttributedCost;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, Cycle};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The costs of the bundles of a run, cycles by cause and floating-point operations, by bundle address, in the cycles
/// of the run that are counted so far. The thread that owns the recording counts on while the run is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    costs: Vec<BundleCost>,
    /// Cycles that are counted, from the first cycle of the run on; the end is excluded.
    pub covered: Range<Cycle>,
    /// Most cycles of a bundle.
    hottest: u64,
    total: u64,
}

impl Heat {
    /// Creates the costs of a run whose first cycle is `begin`; nothing is counted yet.
    pub fn from(begin: Cycle) -> Self {
        Self { covered: begin..begin, ..Self::default() }
    }

    /// Adds the costs that the bundles have in further cycles, from the end of those that are counted up to `until`,
    /// which is excluded. `costs` is indexed by bundle address.
    pub fn add(&mut self, costs: &[BundleCost], until: Cycle) {
        if self.costs.len() < costs.len() {
            self.costs.resize(costs.len(), BundleCost::default());
        }
        for (total, new) in self.costs.iter_mut().zip(costs) {
            total.add(new, 1);
        }
        self.covered.end = until;
        self.hottest = self.costs.iter().map(BundleCost::cycles).max().unwrap_or(0);
        self.total = self.costs.iter().map(BundleCost::cycles).sum();
    }

    /// Returns the cost of a bundle in the cycles that are counted, cycles by cause and floating-point operations; all
    /// 0 for an address without a bundle.
    pub fn bundle(&self, address: BundleAddress) -> BundleCost {
        self.costs.get(address.index()).copied().unwrap_or_default()
    }

    /// Returns the number of counted cycles of all bundles together.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of counted cycles of the bundle that has most; 0 if nothing is counted.
    pub fn hottest(&self) -> u64 {
        self.hottest
    }

    /// Attributes the costs to source lines, and returns the cost of each line in the cycles that are counted: cycles
    /// of a slot go to the line of its operation, and those of an empty bundle to the line of the operation behind it
    /// that waits for an operand. Costs of bundles without a known line are left out.
    pub fn lines(&self, program: &Program) -> BTreeMap<LineId, AttributedCost> {
        let mut all: BTreeMap<LineId, AttributedCost> = BTreeMap::new();
        let costs = (0..).map(BundleAddress).zip(&self.costs);
        for (address, cost) in costs.filter(|(_, cost)| cost.cycles() > 0) {
            for (line, cost) in program.attribution.cost_by_line(address, cost) {
                let Some((file, line)) = line else { continue };
                all.entry((file as usize, line)).or_default().add(&cost);
            }
        }
        all
    }

    /// Returns the cost of each stage that notes of the source name, in the order of the first bundles; bundles that none
    /// names are a stage without a name. All together they have all counted cycles of bundles.
    pub fn stages(&self, program: &Program) -> Vec<StageCost> {
        let mut all: Vec<StageCost> = Vec::new();
        let mut number_of = HashMap::new();
        let costs = (0..).map(BundleAddress).zip(&self.costs);
        for (first, cost) in costs.filter(|(_, cost)| cost.cycles() > 0) {
            let line = program.attribution.payer(first);
            let name = line.and_then(|line| program.stages.stage(line));
            let number = *number_of.entry(name).or_insert(all.len());
            if number == all.len() {
                let name = name.map(str::to_owned);
                all.push(StageCost { name, first, cost: AttributedCost::default() });
            }
            all[number].cost.add(&AttributedCost::of(cost));
        }
        all
    }
}

/// The cost of a stage, with its name and its first bundle that cost something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageCost {
    /// Name of the stage in the notes of the source; `None` for bundles that none names.
    pub name: Option<String>,
    /// Address of its first bundle that took a cycle.
    pub first: BundleAddress,
    /// Cycles by cause, and operations that issued.
    pub cost: AttributedCost,
}

/// Returns the cause, what a cycle was for, that most cycles of a cost have; the first one of [`Cause::ALL`] if several
/// have as many.
pub fn main_cause(cost: &BundleCost) -> Cause {
    let most = Cause::ALL.into_iter().rev().max_by_key(|&cause| cost.causes[cause as usize]);
    most.unwrap_or(Cause::Empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(both: u64, empty: u64) -> BundleCost {
        let mut cost = BundleCost::default();
        cost.causes[Cause::Both as usize] = both;
        cost.causes[Cause::Empty as usize] = empty;
        cost
    }

    #[test]
    fn parts_of_a_run_add_up() {
        let mut heat = Heat::default();
        heat.add(&[cost(3, 0), cost(1, 4)], Cycle(8));
        heat.add(&[cost(1, 0), cost(0, 2)], Cycle(11));
        assert_eq!(heat.covered, Cycle::RESET..Cycle(11));
        assert_eq!((heat.total(), heat.hottest()), (11, 7));
        assert_eq!(heat.bundle(BundleAddress(0)), cost(4, 0));
        assert_eq!(heat.bundle(BundleAddress(9)), BundleCost::default());
        assert_eq!(main_cause(&heat.bundle(BundleAddress(1))), Cause::Empty);
        assert_eq!(main_cause(&BundleCost::default()), Cause::Both);
    }
}
