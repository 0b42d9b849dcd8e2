//! Costs of every bundle and line of a program, as far as they are known already.

use crate::model::program::{LineId, Program};
use cp2_analysis::attribution::AttributedCost;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, Cycle};
use std::collections::BTreeMap;
use std::ops::Range;

/// Costs of bundles by address, for the cycles that were gone through so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    costs: Vec<BundleCost>,
    /// Range of the cycles that are counted.
    pub covered: Range<Cycle>,
    /// Most cycles of a bundle.
    hottest: u64,
    total: u64,
}

impl Heat {
    /// Creates the costs of a run that begins in a cycle; nothing is counted yet.
    pub fn from(begin: Cycle) -> Self {
        Self { covered: begin..begin, ..Self::default() }
    }

    /// Adds the costs of the cycles behind those that are counted.
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

    /// Returns the cost of a bundle.
    pub fn bundle(&self, address: BundleAddress) -> BundleCost {
        self.costs.get(address.index()).copied().unwrap_or_default()
    }

    /// Returns the cycles of all bundles.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the most cycles of a bundle.
    pub fn hottest(&self) -> u64 {
        self.hottest
    }

    /// Charges the costs to source lines: each slot to the line of its operation, an empty bundle to what waits.
    pub fn lines(&self, program: &Program) -> BTreeMap<LineId, AttributedCost> {
        let mut all: BTreeMap<LineId, AttributedCost> = BTreeMap::new();
        let costs = (0..).map(BundleAddress).zip(&self.costs);
        for (address, cost) in costs.filter(|(_, cost)| cost.cycles() > 0) {
            for (line, charge) in program.charges.charged(address, cost) {
                let Some((file, line)) = line else { continue };
                all.entry((file as usize, line)).or_default().add(&charge);
            }
        }
        all
    }
}

/// Returns the cause that most cycles of a cost have.
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
