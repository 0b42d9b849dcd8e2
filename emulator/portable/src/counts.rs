//! Counts of a stretch: bundles by where straight runs of them begin and end, so that to count a bundle costs nothing.

use crate::decode::DecodedProgram;
use cp2_emu::Cp2;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, SECTIONS};

/// Number of bits in a word of a set of bundles.
const BITS: usize = u64::BITS as usize;

/// Counts of a bundle beside its issues.
#[derive(Clone, Copy, Debug, Default)]
struct ExtraCounts {
    /// Number of operations that the predicate of the bundle kept from executing, per section.
    missing: [u64; SECTIONS],
    nullified: u64,
    held: u64,
}

/// Counts of a stretch, since they were last given to a machine.
#[derive(Debug)]
pub(crate) struct Counts {
    /// Number of runs that begin at a bundle, less that of those that end before it.
    edges: Vec<i64>,
    beside: Vec<ExtraCounts>,
    /// Set of the bundles at which something was counted, a bit each.
    touched: Vec<u64>,
    /// Number of accesses of each bank.
    pub(crate) banks: [u64; 256],
    pub(crate) collisions: [u64; SECTIONS],
    /// Bundle that issued last.
    pub(crate) latest: usize,
}

impl Counts {
    /// Creates counts of zero, for so many bundles.
    pub(crate) fn new(bundles: usize) -> Self {
        Self {
            edges: vec![0; bundles + 1],
            beside: vec![ExtraCounts::default(); bundles + 1],
            touched: vec![0; bundles / BITS + 1],
            banks: [0; 256],
            collisions: [0; SECTIONS],
            latest: 0,
        }
    }

    /// Counts that `n` bundles from `first` on issued so many times; with `n` 0 nothing is counted.
    #[inline(always)]
    pub(crate) fn issued(&mut self, first: usize, n: usize, times: u64) {
        if n == 0 {
            return;
        }
        self.edges[first] += times as i64;
        self.edges[first + n] -= times as i64;
        self.touch(first);
        self.touch(first + n);
        self.latest = first + n - 1;
    }

    #[inline(always)]
    fn touch(&mut self, at: usize) {
        self.touched[at / BITS] |= 1 << (at % BITS);
    }

    /// Returns the first bundle from one on at which something was counted.
    fn next_touched(&self, from: usize) -> Option<usize> {
        let word = from / BITS;
        let rest = self.touched.get(word)? >> (from % BITS);
        if rest != 0 {
            return Some(from + rest.trailing_zeros() as usize);
        }
        let behind = word + 1 + self.touched[word + 1..].iter().position(|&bits| bits != 0)?;
        Some(behind * BITS + self.touched[behind].trailing_zeros() as usize)
    }

    /// Counts that the operation of a bundle executes in these sections only.
    pub(crate) fn masked(&mut self, at: usize, enabled: u8) {
        for (s, missing) in self.beside[at].missing.iter_mut().enumerate() {
            *missing += u64::from(enabled >> s & 1 == 0);
        }
        self.touch(at);
    }

    /// Counts that a bundle was nullified.
    pub(crate) fn nullified(&mut self, at: usize) {
        self.beside[at].nullified += 1;
        self.latest = at;
        self.touch(at);
    }

    /// Counts that the issue was held for so many cycles behind the bundle that issued last.
    pub(crate) fn held(&mut self, cycles: u64) {
        self.beside[self.latest].held += cycles;
        self.touch(self.latest);
    }

    /// Returns the number of accesses of all banks.
    pub(crate) fn accesses(&self) -> u64 {
        self.banks.iter().sum()
    }

    /// Forgets what was counted.
    pub(crate) fn clear(&mut self) {
        let mut next = self.next_touched(0);
        while let Some(at) = next {
            (self.edges[at], self.beside[at]) = (0, ExtraCounts::default());
            next = self.next_touched(at + 1);
        }
        self.touched.fill(0);
        self.banks = [0; 256];
        self.collisions = [0; SECTIONS];
    }

    /// Adds what was counted to a machine, so many times, and forgets it.
    pub(crate) fn give(&mut self, cp2: &mut Cp2, code: &DecodedProgram, times: u64) {
        let mut issues = 0;
        let mut next = self.next_touched(0);
        let is_nothing = next.is_none();
        while let Some(at) = next {
            issues += self.edges[at];
            let beside = self.beside[at];
            let [issued, nullified, held] =
                [issues as u64, beside.nullified, beside.held].map(|count| count * times);
            if issued + nullified + held > 0 {
                let missing = beside.missing.map(|count| count * times);
                count_bundle(cp2, code, at, [issued, nullified, held], missing);
            }
            next = if issues > 0 { Some(at + 1) } else { self.next_touched(at + 1) };
        }
        // Cycles that another engine counts next belong to the bundle that issued last.
        if !is_nothing && let Some(profile) = cp2.profile_mut() {
            profile.add(&[(BundleAddress::from_index(self.latest), BundleCost::default())], 1);
        }
        let stats = cp2.stats_mut();
        for (total, new) in stats.bank_accesses.iter_mut().zip(self.banks) {
            *total += new * times;
        }
        for (total, new) in stats.collisions.iter_mut().zip(self.collisions) {
            *total += new * times;
        }
        self.clear();
    }
}

/// Adds the cycles of one bundle: those in which it issued, was nullified, and held the issue.
fn count_bundle(
    cp2: &mut Cp2,
    code: &DecodedProgram,
    at: usize,
    [issued, nullified, held]: [u64; 3],
    missing: [u64; SECTIONS],
) {
    let bundle = code.bundle(at);
    let cause = Cause::of_bundle(bundle);
    let flops = u64::from(bundle.arith.op.row().flops);
    let mut cost = BundleCost::default();
    cost.causes[cause as usize] = issued;
    cost.causes[Cause::Nullified as usize] = nullified;
    cost.causes[Cause::SyncHold as usize] = held;
    let stats = cp2.stats_mut();
    stats.cycles += issued + nullified + held;
    for (total, new) in stats.causes.iter_mut().zip(cost.causes) {
        *total += new;
    }
    if issued > 0 {
        stats.arithmetic[bundle.arith.op as usize] += issued;
        stats.exchange[bundle.exch.op as usize] += issued;
        for (total, missing) in stats.flops.iter_mut().zip(missing) {
            *total += flops * (issued - missing);
            cost.flops += flops * (issued - missing);
        }
    }
    if let Some(profile) = cp2.profile_mut() {
        profile.add(&[(BundleAddress::from_index(at), cost)], 1);
    }
}
