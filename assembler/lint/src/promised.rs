//! C0514: promises of linear code that the values in a run show to be broken, as `cp2 run --check` would: sets that
//! reach one word, odd addresses, counts. What is not known breaks nothing.

use super::finding::Finding;
use super::program::Program;
use super::values::Values;
use cp2_ir::image::SourcePosition;
use cp2_ir::linear::{ABSOLUTE, OWN, place_name};
use cp2_ir::promises::Promises;
use cp2_isa::{Address, BundleAddress, Exch, Inst, Step, WordAddress};
use std::collections::BTreeMap;

/// Findings, one for each promise, and for each two sets of one.
pub(super) type PromiseFindings = BTreeMap<Which, Finding>;

/// Region, kind of the promise, its number, and the sets that meet.
pub(super) type Which = (usize, u8, usize, [u8; 2]);

const DISJOINT: u8 = 0;
const EVEN: u8 = 1;
const COUNT: u8 = 2;

/// The regions of an image that promise something.
pub(super) struct Regions<'a> {
    program: &'a Program<'a>,
    /// By bundle, the region that the bundle belongs to.
    at: Vec<Option<usize>>,
    /// By region, the sets that the region steps by their Nn nowhere.
    linear: Vec<u16>,
}

impl<'a> Regions<'a> {
    /// Returns the promises of an image.
    pub(super) fn of(program: &'a Program<'a>) -> Self {
        let mut at = Vec::new();
        let mut linear = Vec::new();
        for (k, region) in program.image.promises.iter().enumerate() {
            let bundles = (region.start.0..region.end.0).map(BundleAddress);
            let mut by_n = 0_u16;
            for address in bundles {
                if at.len() <= address.index() {
                    at.resize(address.index() + 1, None);
                }
                at[address.index()] = Some(k);
                let stepped = program.get(address).and_then(|d| d.bundle.exch.address());
                if let Some(Address::Set { set, step }) = stepped
                    && !matches!(step, Step::Offset(_))
                {
                    by_n |= 1 << set;
                }
            }
            linear.push(!by_n);
        }
        Self { program, at, linear }
    }

    fn region(&self, pc: BundleAddress) -> Option<(usize, &'a Promises)> {
        let k = self.at.get(pc.index()).copied().flatten()?;
        Some((k, &self.program.image.promises[k]))
    }
}

/// The progress of a run in the region that it is in.
pub(super) struct Watch<'a> {
    regions: &'a Regions<'a>,
    inside: Option<usize>,
    /// The bundle that first reached a word through a set.
    reached: BTreeMap<(u8, WordAddress), BundleAddress>,
}

impl<'a> Watch<'a> {
    /// Creates a watch over a run that is about to begin.
    pub(super) fn new(regions: &'a Regions<'a>) -> Self {
        Self { regions, inside: None, reached: BTreeMap::new() }
    }

    /// Looks at the bundle that is executed next, and lets `values` know what a region takes for granted.
    pub(super) fn observe(
        &mut self,
        pc: BundleAddress,
        values: &mut Values,
        found: &mut PromiseFindings,
    ) {
        let Some((k, promises)) = self.regions.region(pc) else {
            self.inside = None;
            return;
        };
        if self.inside != Some(k) || pc == promises.start {
            self.reached.clear();
            self.even((k, promises), values, found);
            let even = promises.even.iter().flat_map(|p| p.sets.iter().copied());
            values.promised(self.regions.linear[k], even);
        }
        self.inside = Some(k);
        self.counts((k, promises), pc, values, found);
        if let Some(decoded) = self.regions.program.get(pc) {
            self.access((k, promises), pc, (&decoded.bundle.exch, values), found);
        }
    }

    fn even(
        &self,
        (k, promises): (usize, &Promises),
        values: &Values,
        found: &mut PromiseFindings,
    ) {
        for (n, promise) in promises.even.iter().enumerate() {
            let odd = promise.sets.iter().filter(|&&set| set < ABSOLUTE);
            for &set in odd.filter(|&&set| values.set(set).is_odd() == Some(true)) {
                let value = values.set(set).get().map_or(String::new(), |v| format!(", {v},"));
                let message = format!(
                    "a{set}{value} is odd where region `{}` begins, and `.even r{set}`{} promises that it is even",
                    promises.name,
                    line(promise.place)
                );
                let finding = Finding::new("C0514", promises.start, message)
                    .label("this region accesses two words at once from there")
                    .help("begin at an even address, or leave out the promise");
                found.entry((k, EVEN, n, [set; 2])).or_insert(finding);
            }
        }
    }

    fn counts(
        &self,
        (k, promises): (usize, &Promises),
        pc: BundleAddress,
        values: &Values,
        found: &mut PromiseFindings,
    ) {
        for (n, promise) in promises.counts.iter().enumerate().filter(|(_, p)| p.at == pc) {
            let Some(count) = values.gpr(promise.gpr).map(|value| value as u32) else { continue };
            let broken = if count < promise.min {
                format!("min={}", promise.min)
            } else if !count.is_multiple_of(promise.multiple.max(1)) {
                format!("multiple={}", promise.multiple)
            } else {
                continue;
            };
            let gpr = promise.gpr;
            let message = format!(
                "g{gpr} is {count} where region `{}` counts by it, and its loop{} promises `{broken}`",
                promises.name,
                line(promise.place)
            );
            let finding = Finding::new("C0514", promises.start, message)
                .label("the loop would run another number of times, up to 4294967296")
                .help("begin with a count that keeps the promise, or promise less");
            found.entry((k, COUNT, n, [gpr; 2])).or_insert(finding);
        }
    }

    fn access(
        &mut self,
        (k, promises): (usize, &Promises),
        pc: BundleAddress,
        (inst, values): (&Inst<Exch>, &Values),
        found: &mut PromiseFindings,
    ) {
        let Some(access) = inst.memory_access() else { return };
        let Some(address) = values.address(inst).and_then(|bits| bits.get()) else { return };
        let set = match access.address {
            Address::Word(_) => ABSOLUTE,
            Address::Set { set, .. } => set,
            Address::Sections { .. } | Address::Fpr { .. } => OWN,
        };
        let first = access.first_word(&self.regions.program.core, WordAddress(address));
        for word in (0..access.words.into()).map(|k| first.plus(k)) {
            self.reached.entry((set, word)).or_insert(pc);
            for (n, promise) in promises.disjoint.iter().enumerate() {
                let others = promise.sets.iter().filter(|_| promise.sets.contains(&set));
                for &other in others.filter(|&&other| other != set) {
                    let Some(&at) = self.reached.get(&(other, word)) else { continue };
                    let list: Vec<_> = promise.sets.iter().map(|&s| place_name(s)).collect();
                    let sets = [set.min(other), set.max(other)];
                    let message = format!(
                        "{} and {} both reach word {word} in region `{}`, and `.disjoint {}`{} promises that they \
                         never do",
                        place_name(sets[0]),
                        place_name(sets[1]),
                        promises.name,
                        list.join(", "),
                        line(promise.place)
                    );
                    let finding = Finding::new("C0514", pc, message)
                        .label(format!("`{inst}` reaches word {word}"))
                        .related(at, format!("{} has reached it here", place_name(other)))
                        .help("keep the words apart, or leave one of the sets out of the promise");
                    found.entry((k, DISJOINT, n, sets)).or_insert(finding);
                }
            }
        }
    }
}

/// Returns the place of a promise as a part of a sentence.
fn line(place: Option<SourcePosition>) -> String {
    place.map_or(String::new(), |place| format!(" in line {}", place.line))
}
