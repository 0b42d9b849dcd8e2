//! The costs of two runs, line by line: the bundles of both that are the same, added up by the lines that pay
//! for them, and those that only one has.

use super::Alignment;
use crate::attribution::{AttributedCost, SourceLineId};
use crate::program::NamedProgram;
use cp2_emu::Profile;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_ir::image::Kernel;
use cp2_isa::BundleAddress;
use std::collections::{BTreeMap, BTreeSet};

/// A row of a comparison of runs A and B: a part of both programs (a source line, an innermost hardware loop or a
/// label), and its cost in each run in cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostRow {
    /// Name of the part in program A and in B; `None` for a run that spends no cycle on it.
    pub names: [Option<String>; 2],
    /// Cost of the part in run A and in B: cycles by cause, floating-point operations.
    pub costs: [BundleCost; 2],
    /// Number of operations of the part that issued in run A and in B.
    pub issues: [u64; 2],
    /// Number of bundles of the part that took cycles and that only program A has, then that only B has.
    pub own: [u32; 2],
}

/// The main reason why a part of a program takes more or fewer cycles in run B than in run A, as [`CostRow::because`]
/// finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceReason {
    /// Code: the part has bundles that only one of the programs has.
    Code,
    /// The bundles that both programs have issued more or less often.
    Passes,
    /// Holds by `sync` or `stop`, cycles in which nothing issues, were longer or shorter.
    Holds,
    /// Hardware loops with a count of 0 skipped more or fewer bundles.
    Skips,
    /// No difference: the runs take the same number of cycles.
    Nothing,
}

impl DifferenceReason {
    /// Returns the word for the reason in JSON reports, such as `passes`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Passes => "passes",
            Self::Holds => "holds",
            Self::Skips => "skips",
            Self::Nothing => "nothing",
        }
    }

    /// Returns a few words for people that tell the reason.
    pub fn description(self) -> &'static str {
        match self {
            Self::Code => "bundles that only one program has",
            Self::Passes => "the same bundles, issued more or less often",
            Self::Holds => "holds by sync or stop that are longer or shorter",
            Self::Skips => "skipped by loops without iterations",
            Self::Nothing => "the same",
        }
    }
}

impl CostRow {
    /// Returns the number of cycles of the part in run A (`run` = 0) or B (`run` = 1).
    pub fn cycles(&self, run: usize) -> u64 {
        self.costs[run].cycles()
    }

    /// Returns the cycles of the part in run B less those in run A: positive if B takes more.
    pub fn difference(&self) -> i64 {
        self.cycles(1) as i64 - self.cycles(0) as i64
    }

    /// Returns the number of operations of the part that issued in run B less that in run A: positive if more issued in
    /// B.
    pub fn more_issues(&self) -> i64 {
        self.issues[1] as i64 - self.issues[0] as i64
    }

    /// Returns the cycles of the part with one cause in run B less those in run A: positive if B has more.
    pub fn by_cause(&self, cause: Cause) -> i64 {
        let [a, b] = self.costs.map(|cost| cost.causes[cause as usize] as i64);
        b - a
    }

    /// Returns the reason that accounts for most of the difference in cycles between the runs.
    pub fn because(&self) -> DifferenceReason {
        let by = |cause| self.by_cause(cause).abs();
        let issued: i64 = Cause::ALL[..4].iter().map(|&cause| self.by_cause(cause)).sum();
        let (held, skipped) = (by(Cause::SyncHold), by(Cause::Nullified));
        if issued == 0 && held == 0 && skipped == 0 {
            DifferenceReason::Nothing
        } else if held >= issued.abs().max(skipped) {
            DifferenceReason::Holds
        } else if skipped > issued.abs() {
            DifferenceReason::Skips
        } else if self.own != [0, 0] {
            DifferenceReason::Code
        } else {
            DifferenceReason::Passes
        }
    }

    fn add(&mut self, run: usize, name: String, cost: &AttributedCost, is_own: bool) {
        self.costs[run].add(&cost.cost, 1);
        self.issues[run] += cost.issues;
        self.own[run] += u32::from(is_own);
        self.names[run].get_or_insert(name);
    }
}

/// The kinds of parts into which a program is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    Lines,
    Loops,
    Labels,
}

impl Parts {
    /// Returns the parts that a bundle is in: those of its slots, where it is in two lines.
    fn of(self, program: &NamedProgram<'_>, address: BundleAddress) -> Vec<String> {
        match self {
            Self::Lines => {
                let lines = program.attribution.lines(address).into_iter();
                lines.map(|line| named(program, line, address)).collect()
            }
            Self::Labels => {
                let label = program.places.site(address).label;
                vec![label.map_or("(no label)".to_owned(), str::to_owned)]
            }
            Self::Loops => vec![match program.places.loops(address).last() {
                None => "(in no loop)".to_owned(),
                Some(at) => format!("loop at {}", program.places.loop_text(at)),
            }],
        }
    }

    /// Returns the parts that pay for the cost of a bundle, each with its cost.
    fn cost_by_part(
        self,
        program: &NamedProgram<'_>,
        address: BundleAddress,
        cost: &BundleCost,
    ) -> Vec<(String, AttributedCost)> {
        match self {
            Self::Lines => {
                let costs = program.attribution.cost_by_line(address, cost).into_iter();
                costs.map(|(line, cost)| (named(program, line, address), cost)).collect()
            }
            _ => self
                .of(program, address)
                .into_iter()
                .map(|p| (p, AttributedCost::of(cost)))
                .collect(),
        }
    }
}

impl Parts {
    /// Returns the operations of each part of a program.
    fn operations(self, program: &NamedProgram<'_>) -> BTreeMap<String, BTreeSet<&'static str>> {
        let mut all: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
        let addresses = program.image.kernels.iter().flat_map(Kernel::bundles);
        for (address, _) in addresses {
            let Some(bundle) = program.bundle(address) else { continue };
            let names = self.of(program, address);
            let slots = [bundle.arith.op.row().name, bundle.exch.op.row().name];
            // Two lines have a slot each.
            for (k, name) in names.iter().enumerate() {
                let own = all.entry(name.clone()).or_default();
                own.extend(
                    slots
                        .iter()
                        .enumerate()
                        .filter(|(slot, _)| names.len() < 2 || *slot == k)
                        .map(|(_, op)| op),
                );
            }
        }
        all
    }

    /// Whether two programs have the same parts, each with some of the same operations: they are made of one text,
    /// for other cores perhaps.
    fn are_the_same(self, a: &NamedProgram<'_>, b: &NamedProgram<'_>) -> bool {
        let [a, b] = [a, b].map(|program| self.operations(program));
        a.len() == b.len()
            && a.iter().all(|(name, ops)| b.get(name).is_some_and(|other| !ops.is_disjoint(other)))
    }
}

/// Returns the name of a line, or of a bundle of no line.
fn named(program: &NamedProgram<'_>, line: Option<SourceLineId>, address: BundleAddress) -> String {
    line.map_or_else(|| format!("bundle {address}"), |line| program.line_text(line))
}

/// The programs of both runs with their profiles, from which costs are added up.
pub(super) struct Costs<'a> {
    programs: [&'a NamedProgram<'a>; 2],
    alignment: &'a Alignment,
    profiles: [&'a Profile; 2],
}

impl<'a> Costs<'a> {
    pub(super) fn new(
        programs: [&'a NamedProgram<'a>; 2],
        alignment: &'a Alignment,
        profiles: [&'a Profile; 2],
    ) -> Self {
        Self { programs, alignment, profiles }
    }

    /// Adds up the costs by the parts of the programs. A part of B is that of A with the same name where both programs are
    /// made of one text, else that in which most of its bundles have their partners.
    fn rows(&self, parts: Parts) -> Vec<CostRow> {
        let mut rows: BTreeMap<String, CostRow> = BTreeMap::new();
        let [a, b] = self.programs;
        let is_same_text = parts.are_the_same(a, b);
        // The part of A that most bundles of a part of B have their partners in.
        let mut partners: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        let all = |k: usize| (0..).map(BundleAddress).zip(self.profiles[k].bundles());
        for (address, _) in all(1) {
            if let Some(partner) = self.alignment.to_a(address) {
                for (of_b, of_a) in parts.of(b, address).into_iter().zip(parts.of(a, partner)) {
                    *partners.entry(of_b).or_default().entry(of_a).or_default() += 1;
                }
            }
        }
        for (address, cost) in all(0).filter(|(_, cost)| cost.cycles() > 0) {
            let is_own = self.alignment.to_b(address).is_none();
            for (name, cost) in parts.cost_by_part(a, address, cost) {
                rows.entry(name.clone()).or_default().add(0, name, &cost, is_own);
            }
        }
        for (address, cost) in all(1).filter(|(_, cost)| cost.cycles() > 0) {
            let is_own = self.alignment.to_a(address).is_none();
            for (name, cost) in parts.cost_by_part(b, address, cost) {
                let most = partners.get(&name).and_then(|counts| {
                    counts.iter().max_by_key(|(_, n)| **n).map(|(name, _)| name.clone())
                });
                let key = most.filter(|_| !is_same_text).unwrap_or_else(|| name.clone());
                rows.entry(key).or_default().add(1, name, &cost, is_own);
            }
        }
        let mut rows: Vec<CostRow> = rows.into_values().collect();
        let size =
            |row: &CostRow| (row.difference().unsigned_abs(), row.more_issues().unsigned_abs());
        rows.sort_by_key(|row| std::cmp::Reverse(size(row)));
        rows
    }

    pub(super) fn lines(&self) -> Vec<CostRow> {
        self.rows(Parts::Lines)
    }

    pub(super) fn labels(&self) -> Vec<CostRow> {
        self.rows(Parts::Labels)
    }

    pub(super) fn loops(&self) -> Vec<CostRow> {
        self.rows(Parts::Loops)
    }

    /// Returns the cycles of bundles that two lines share, in both runs.
    pub(super) fn shared(&self) -> [u64; 2] {
        [0, 1].map(|k| self.programs[k].attribution.shared(self.profiles[k]))
    }
}
