//! What two runs cost, line by line: the bundles of both that are the same, added up by the line that they come
//! from, and those that only one has.

use super::Alignment;
use crate::program::Program;
use cp2_emu::Profile;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_ir::places::short;
use cp2_isa::BundleAddress;
use std::collections::BTreeMap;

/// A part of both programs and its cycles in both runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What it is called in A and in B; `None` where it has no part in the program.
    pub names: [Option<String>; 2],
    /// What it cost in A and in B.
    pub costs: [BundleCost; 2],
    /// Bundles of it that only A has, and that only B has.
    pub own: [u32; 2],
}

/// What most of a difference comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// The part is in one program only, or has more bundles there.
    Code,
    /// Its bundles issued more or less often.
    Passes,
    /// `sync` or `stop` held for longer or shorter.
    Holds,
    /// Loops without iterations.
    Skips,
    /// Nothing: the cycles are the same.
    Nothing,
}

impl Because {
    /// Key in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Passes => "passes",
            Self::Holds => "holds",
            Self::Skips => "skips",
            Self::Nothing => "nothing",
        }
    }

    /// A few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Code => "bundles that only one of the programs has",
            Self::Passes => "the same bundles, issued more or less often",
            Self::Holds => "held by sync or stop for longer or shorter",
            Self::Skips => "skipped by loops without iterations",
            Self::Nothing => "the same",
        }
    }
}

impl Row {
    /// Its cycles in run A (0) or B (1).
    pub fn cycles(&self, run: usize) -> u64 {
        self.costs[run].cycles()
    }

    /// Cycles that B takes more.
    pub fn difference(&self) -> i64 {
        self.cycles(1) as i64 - self.cycles(0) as i64
    }

    /// Cycles that B takes more, by cause.
    pub fn by_cause(&self, cause: Cause) -> i64 {
        let [a, b] = self.costs.map(|cost| cost.causes[cause as usize] as i64);
        b - a
    }

    /// What most of the difference comes from.
    pub fn because(&self) -> Because {
        let by = |cause| self.by_cause(cause).abs();
        let issued: i64 = Cause::ALL[..4].iter().map(|&cause| self.by_cause(cause)).sum();
        let (held, skipped) = (by(Cause::SyncHold), by(Cause::Nullified));
        if issued == 0 && held == 0 && skipped == 0 {
            Because::Nothing
        } else if held >= issued.abs().max(skipped) {
            Because::Holds
        } else if skipped > issued.abs() {
            Because::Skips
        } else if self.own != [0, 0] {
            Because::Code
        } else {
            Because::Passes
        }
    }

    fn add(&mut self, run: usize, name: Option<String>, cost: &BundleCost, is_own: bool) {
        self.costs[run].add(cost, 1);
        self.own[run] += u32::from(is_own);
        if self.names[run].is_none() {
            self.names[run] = name;
        }
    }
}

/// The costs of both.
pub(super) struct Costs<'a> {
    programs: [&'a Program<'a>; 2],
    alignment: &'a Alignment,
    profiles: [&'a Profile; 2],
}

impl<'a> Costs<'a> {
    pub(super) fn new(
        programs: [&'a Program<'a>; 2],
        alignment: &'a Alignment,
        profiles: [&'a Profile; 2],
    ) -> Self {
        Self { programs, alignment, profiles }
    }

    /// Adds up by what a bundle is a part of. A part of B is that of A which most of its bundles have their
    /// partners in, or which is called the same.
    fn rows(&self, part: impl Fn(&Program<'_>, BundleAddress) -> String) -> Vec<Row> {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        let [a, b] = self.programs;
        // The part of A that most bundles of a part of B have their partners in.
        let mut partners: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        let all = |k: usize| (0..).map(BundleAddress).zip(self.profiles[k].bundles());
        for (address, _) in all(1) {
            if let Some(partner) = self.alignment.to_a(address) {
                let count = partners.entry(part(b, address)).or_default();
                *count.entry(part(a, partner)).or_default() += 1;
            }
        }
        for (address, cost) in all(0).filter(|(_, cost)| cost.cycles() > 0) {
            let name = part(a, address);
            let is_own = self.alignment.to_b(address).is_none();
            rows.entry(name.clone()).or_default().add(0, Some(name), cost, is_own);
        }
        for (address, cost) in all(1).filter(|(_, cost)| cost.cycles() > 0) {
            let name = part(b, address);
            let most = partners.get(&name).and_then(|counts| {
                counts.iter().max_by_key(|(_, n)| **n).map(|(name, _)| name.clone())
            });
            let is_own = self.alignment.to_a(address).is_none();
            let key = most.unwrap_or_else(|| name.clone());
            rows.entry(key).or_default().add(1, Some(name), cost, is_own);
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.difference().unsigned_abs()));
        rows
    }

    pub(super) fn lines(&self) -> Vec<Row> {
        self.rows(|program, address| {
            let site = program.places.site(address);
            match site.file {
                Some(file) => format!("{}:{}", short(file), site.line),
                None => format!("bundle {address}"),
            }
        })
    }

    pub(super) fn labels(&self) -> Vec<Row> {
        self.rows(|program, address| {
            let site = program.places.site(address);
            site.label.map_or("(no label)".to_owned(), str::to_owned)
        })
    }

    pub(super) fn loops(&self) -> Vec<Row> {
        self.rows(|program, address| match program.places.loops(address).last() {
            None => "(in no loop)".to_owned(),
            Some(at) => {
                let site = program.places.site(at);
                let line = site.line_text();
                let place = if line.is_empty() { format!("bundle {at}") } else { line };
                format!("loop at {place}")
            }
        })
    }
}
