//! Checks of runs against the promises of linear code, what its author says of values that the schedule relies on.
//! [`Watch`] checks at every bundle, [`EntryPromises`] only the registers with which a kernel is called. The promises
//! stand in the image of the program.

use cp2_asm::image::{Image, SourcePosition};
use cp2_asm::linear::{ABSOLUTE, OWN, PLACES, place_name};
use cp2_asm::promises::{CountPromise, Promises, SetPromise};
use cp2_emu::State;
use cp2_emu::trace::{Observer, PastCycle, Wants};
use cp2_isa::{
    Access, Address, BundleAddress, Core, Exch, Halves, Inst, RegFile, Resource, WordAddress,
    decode,
};
use std::fmt;
use std::ops::{ControlFlow, Range};

/// A promise of linear code, a statement of its author about values that the schedule relies on, that a run has broken:
/// its source position, and what is true instead. Made by [`Watch`] and [`EntryPromises`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Source position of the promise, as `file:line:column`; `None` if the image does not tell it.
    pub place: Option<String>,
    /// Name of the region of linear code that relies on the promise.
    pub region: String,
    /// Address of the bundle that was to be issued when the break was found; of the kernel that is called, if it is
    /// found before the kernel starts.
    pub address: BundleAddress,
    /// Message that tells the promise and what is true instead, with the values.
    pub message: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Broken {
    fn new(
        files: &[String],
        promises: &Promises,
        place: Option<SourcePosition>,
        what: (BundleAddress, String),
    ) -> Self {
        let text = |p: SourcePosition| {
            let file = files.get(p.file as usize).map_or("?", String::as_str);
            format!("{file}:{}:{}", p.line, p.column)
        };
        let (address, message) = what;
        Self { place: place.map(text), region: promises.name.clone(), address, message }
    }
}

/// Returns the way in which a count in a register breaks its promise, if it does.
fn broken_count(promise: &CountPromise, region: &str, gpr_values: &[u64; 16]) -> Option<String> {
    let CountPromise { gpr, min, multiple, .. } = *promise;
    let count = gpr_values[usize::from(gpr)] as u32;
    let of = format!("g{gpr} = {count} counts this loop of region `{region}`");
    if count < min {
        // A count of 1 needs no promise.
        let promised =
            if min == 1 { String::from("a count is") } else { format!("`min={min}` promises") };
        return Some(format!("{of}, and {promised} at least {min}"));
    }
    (!count.is_multiple_of(multiple))
        .then(|| format!("{of}, and `multiple={multiple}` promises a multiple of {multiple}"))
}

/// Returns the way in which an address breaks the promise that it is even, if it does.
fn broken_even(
    promise: &SetPromise,
    region: &str,
    addresses: &[WordAddress; 16],
) -> Option<String> {
    let address = |&set: &u8| (set, addresses[usize::from(set)]);
    let (set, address) = promise.sets.iter().map(address).find(|(_, a)| a.0 % 2 == 1)?;
    Some(format!(
        "a{set} = {address} is odd where region `{region}` begins, and `.even r{set}` promises that it is even"
    ))
}

/// Words that the operations of a region have reached, for each address set and immediate addresses.
#[derive(Clone, Debug)]
struct Reached {
    words: Vec<Vec<bool>>,
    /// Lowest and highest word.
    range: Vec<Option<(WordAddress, WordAddress)>>,
    /// A number that differs where the words do.
    fingerprint: u64,
}

impl Reached {
    fn new(words: usize) -> Self {
        let sets = PLACES;
        Self { words: vec![vec![false; words]; sets], range: vec![None; sets], fingerprint: 0 }
    }

    fn clear(&mut self) {
        self.fingerprint = 0;
        for (words, range) in self.words.iter_mut().zip(&mut self.range) {
            if let Some((low, high)) = range.take() {
                words[low.index()..=high.index()].fill(false);
            }
        }
    }

    fn add(&mut self, set: u8, word: WordAddress) {
        let set = usize::from(set);
        if let Some(place) = self.words[set].get_mut(word.index()).filter(|place| !**place) {
            *place = true;
            // The sum of mixed pairs does not depend on their order.
            let pair = (set as u64) << 32 | u64::from(word.0);
            let mixed = (pair + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            self.fingerprint = self.fingerprint.wrapping_add(mixed ^ mixed >> 32);
            let (low, high) = self.range[set].unwrap_or((word, word));
            self.range[set] = Some((low.min(word), high.max(word)));
        }
    }

    fn contains(&self, set: u8, word: WordAddress) -> bool {
        self.words[usize::from(set)].get(word.index()).copied().unwrap_or(false)
    }
}

/// A watch over a run, an observer of its engine, that ends the run where a promise of linear code is broken: about the
/// count of a loop when the count is taken, about even addresses where a region begins, and about address sets that
/// never meet in a word whenever a word is accessed.
#[derive(Debug)]
pub struct Watch<'a> {
    image: &'a Image,
    core: Core,
    /// The access of each bundle of a region: set and words.
    accesses: Vec<Option<Inst<Exch>>>,
    /// The region that the run is in.
    inside: Option<usize>,
    reached: Reached,
    broken: Option<Broken>,
}

impl<'a> Watch<'a> {
    /// Creates a watch over a run that is about to begin, of the program `image` on a CP2 with the core `core`.
    pub fn new(image: &'a Image, core: &Core) -> Self {
        let mut accesses = vec![None; core.iram_bundles()];
        for promises in image.promises.iter().filter(|p| !p.disjoint.is_empty()) {
            for address in (promises.start.0..promises.end.0).map(BundleAddress) {
                let bundle = image.word(address).and_then(|word| decode(word, core).ok());
                let inst = bundle.map(|b| b.exch).filter(|i| i.memory_access().is_some());
                if let Some(place) = accesses.get_mut(address.index()) {
                    *place = inst;
                }
            }
        }
        let reached = Reached::new(core.lmem_words());
        Self { image, core: *core, accesses, inside: None, reached, broken: None }
    }

    /// Returns the promise that was broken; `None` if none was.
    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// Checks the promises at the bundle that issues next, at the program counter of `state`. Returns
    /// [`ControlFlow::Break`] if a promise is broken, now or before; [`Watch::broken`] tells which.
    pub fn observe(&mut self, state: &State) -> ControlFlow<()> {
        let found = self.find(state);
        self.broken = self.broken.take().or(found);
        if self.broken.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns a number that tells what has been noted of the region that the run is in.
    pub(crate) fn fingerprint(&self) -> u64 {
        let inside = self.inside.map_or(0, |k| k as u64 + 1);
        self.reached.fingerprint.wrapping_add(inside)
    }

    /// Whether bundles are all in one region, whose begin is not among them, or in none.
    pub(crate) fn is_one_region(&self, first: BundleAddress, last: BundleAddress) -> bool {
        let region = |at| self.image.promises.iter().position(|p| p.holds(at));
        let of_first = region(first);
        let mut bundles = (first.0..=last.0).map(BundleAddress);
        let begins = |at| self.image.promises.iter().any(|p| p.start == at);
        bundles.all(|at| region(at) == of_first && !begins(at))
    }

    /// Notes words that are accessed in the region that the run is in, each with its set. False where two sets meet
    /// that never should: those before it have been noted then.
    pub(crate) fn note_accesses(&mut self, words: impl Iterator<Item = (u8, WordAddress)>) -> bool {
        let Some(promises) = self.inside.map(|k| &self.image.promises[k]) else { return true };
        if promises.disjoint.is_empty() {
            return true;
        }
        for (set, word) in words {
            let promised = promises.disjoint.iter().filter(|p| p.sets.contains(&set));
            let mut others = promised.flat_map(|p| &p.sets).filter(|other| **other != set);
            if others.any(|&other| self.reached.contains(other, word)) {
                return false;
            }
            self.reached.add(set, word);
        }
        true
    }

    fn find(&mut self, state: &State) -> Option<Broken> {
        let pc = state.pc;
        let known = self.inside.filter(|&k| self.image.promises[k].holds(pc));
        let inside = known.or_else(|| self.image.promises.iter().position(|p| p.holds(pc)));
        let entered =
            inside.filter(|&k| self.inside != inside || self.image.promises[k].start == pc);
        self.inside = inside;
        let promises = &self.image.promises[inside?];
        let broken =
            |place, message| Broken::new(&self.image.files, promises, place, (pc, message));
        if entered.is_some() {
            self.reached.clear();
            let mut even = promises.even.iter();
            let found =
                even.find_map(|p| Some((p.place, broken_even(p, &promises.name, &state.a)?)));
            if let Some((place, message)) = found {
                return Some(broken(place, message));
            }
        }
        let mut counts = promises.counts.iter().filter(|p| p.at == pc);
        let found =
            counts.find_map(|p| Some((p.place, broken_count(p, &promises.name, &state.gpr)?)));
        if let Some((place, message)) = found {
            return Some(broken(place, message));
        }
        let (place, message) = self.access(promises, state)?;
        Some(Broken::new(&self.image.files, promises, place, (pc, message)))
    }

    /// Notes what a bundle accesses, and returns a promise that it breaks.
    fn access(
        &mut self,
        promises: &Promises,
        state: &State,
    ) -> Option<(Option<SourcePosition>, String)> {
        let access = self.accesses.get(state.pc.index())?.as_ref()?.memory_access()?;
        let own = |set: u8| state.sa.get(usize::from(set)).map_or(vec![], |all| all.to_vec());
        let (set, first) = match access.address {
            Address::Word(word) => (ABSOLUTE, vec![word]),
            Address::Set { set, .. } => (set, vec![state.a[usize::from(set)]]),
            Address::Sections { set, .. } => (OWN, own(set)),
            Address::Fpr { register, half } => {
                let shift = if half == Halves::HI { 32 } else { 0 };
                let values = state.fpr[register as usize].iter();
                (OWN, values.map(|value| WordAddress((value >> shift) as u16)).collect())
            }
        };
        let word =
            |at: u16| access.first_word(&self.core, WordAddress(at & self.core.address_mask()));
        let words: Vec<_> = first
            .into_iter()
            .map(|at| word(at.0))
            .flat_map(|first| (0..access.words.into()).map(move |k| first.plus(k)))
            .collect();
        for &word in &words {
            self.reached.add(set, word);
        }
        promises.disjoint.iter().filter(|p| p.sets.contains(&set)).find_map(|promise| {
            let others = promise.sets.iter().filter(|&&other| other != set);
            let mut pairs = others.flat_map(|&other| words.iter().map(move |&word| (other, word)));
            let (other, word) = pairs.find(|&(other, word)| self.reached.contains(other, word))?;
            Some((promise.place, self.meeting(promises, promise, (set, other, word))))
        })
    }

    fn meeting(&self, of: &Promises, promise: &SetPromise, met: (u8, u8, WordAddress)) -> String {
        let (set, other, word) = met;
        let (low, high) = (set.min(other), set.max(other));
        let range = |set: u8| match self.reached.range[usize::from(set)] {
            Some((first, last)) if first < last => {
                format!("{} has accessed words {first} to {last}", place_name(set))
            }
            Some((only, _)) => format!("{} to word {only}", place_name(set)),
            None => place_name(set),
        };
        let sets: Vec<String> = promise.sets.iter().map(|&s| place_name(s)).collect();
        format!(
            "{} and {} both access word {word} in region `{}`, but `.disjoint {}` promises that they never do; \
             so far {}, {}",
            place_name(low),
            place_name(high),
            of.name,
            sets.join(", "),
            range(low),
            range(high)
        )
    }
}

impl Observer for Watch<'_> {
    fn wants(&self) -> Wants {
        Wants::CYCLES
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        self.observe(cycle.state)
    }
}

/// Two observers of the same run as one: each is told the events and cycles that it wants. The run is broken off if
/// either asks for it.
#[derive(Debug)]
pub struct ObserverPair<'a, A: ?Sized, B: ?Sized>(pub &'a mut A, pub &'a mut B);

impl<A: Observer + ?Sized, B: Observer + ?Sized> Observer for ObserverPair<'_, A, B> {
    fn wants(&self) -> Wants {
        self.0.wants() | self.1.wants()
    }

    fn operation(&mut self, event: &cp2_emu::trace::Event) {
        if self.0.wants().contains(Wants::OPERATIONS) {
            self.0.operation(event);
        }
        if self.1.wants().contains(Wants::OPERATIONS) {
            self.1.operation(event);
        }
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let wants = |o: Wants| o.contains(Wants::CYCLES);
        let first =
            if wants(self.0.wants()) { self.0.cycle(cycle) } else { ControlFlow::Continue(()) };
        let second =
            if wants(self.1.wants()) { self.1.cycle(cycle) } else { ControlFlow::Continue(()) };
        if first.is_break() { first } else { second }
    }
}

/// The origin of the value of an address register when a kernel reaches a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The register itself.
    Address,
    /// A general register that was moved to the address register.
    General(u8),
}

/// The promises of a program's linear code (statements of its author about values that the schedule relies on) that the
/// caller of a kernel has to keep, because they are about registers that the kernel does not write before the promise
/// has to hold, or about addresses that are copied from such registers. [`EntryPromises::broken`] checks them when a
/// kernel is called.
#[derive(Clone, Debug, Default)]
pub struct EntryPromises {
    files: Vec<String>,
    promises: Vec<Promises>,
    counts: Vec<EntryCount>,
    even: Vec<EntryEven>,
}

/// The promise about a count, by its place in `EntryPromises::promises`.
#[derive(Clone, Copy, Debug)]
struct EntryCount {
    /// First bundle of the kernel.
    kernel: BundleAddress,
    region: usize,
    promise: usize,
}

/// The promise that a set is even.
#[derive(Clone, Copy, Debug)]
struct EntryEven {
    kernel: BundleAddress,
    region: usize,
    promise: usize,
    set: u8,
    origin: Origin,
}

impl EntryPromises {
    /// Finds those promises of the program `image` that the caller of one of its kernels has to keep.
    pub fn of(image: &Image, core: &Core) -> Self {
        let (files, promises) = (image.files.clone(), image.promises.clone());
        let mut found = Self { files, promises, ..Self::default() };
        for kernel in &image.kernels {
            let end = kernel.start.plus(kernel.words.len() as u16);
            let regions = image.promises.iter().enumerate();
            for (region, promises) in
                regions.filter(|(_, p)| (kernel.start..end).contains(&p.start))
            {
                let at = (kernel.start, region);
                found.region(at, promises, |until| before(image, core, kernel.start.0..until.0));
            }
        }
        found
    }

    fn region(
        &mut self,
        (kernel, region): (BundleAddress, usize),
        promises: &Promises,
        before: impl Fn(BundleAddress) -> Before,
    ) {
        for (promise, count) in promises.counts.iter().enumerate() {
            if !before(count.at).written[usize::from(count.gpr)] {
                self.counts.push(EntryCount { kernel, region, promise });
            }
        }
        let origins = before(promises.start).origins;
        for (promise, even) in promises.even.iter().enumerate() {
            for &set in &even.sets {
                if let Some(origin) = origins[usize::from(set)] {
                    self.even.push(EntryEven { kernel, region, promise, set, origin });
                }
            }
        }
    }

    /// Returns the first promise that is broken if the kernel whose first bundle is `entry` is called with these
    /// registers: `gpr` are the general registers, `a` the addresses of the 16 address sets. `None` if all are kept.
    pub fn broken(
        &self,
        entry: BundleAddress,
        gpr: &[u64; 16],
        a: &[WordAddress; 16],
    ) -> Option<Broken> {
        let count = |e: &EntryCount| {
            let of = &self.promises[e.region];
            let promise = &of.counts[e.promise];
            let message = broken_count(promise, &of.name, gpr)?;
            Some(Broken::new(&self.files, of, promise.place, (entry, message)))
        };
        let even = |e: &EntryEven| {
            let of = &self.promises[e.region];
            let place = of.even[e.promise].place;
            let mut addresses = *a;
            if let Origin::General(register) = e.origin {
                addresses[usize::from(e.set)] = WordAddress(gpr[usize::from(register)] as u16);
            }
            let promise = SetPromise { sets: vec![e.set], place };
            let message = broken_even(&promise, &of.name, &addresses)?;
            Some(Broken::new(&self.files, of, place, (entry, message)))
        };
        let counts = self.counts.iter().filter(|e| e.kernel == entry).find_map(count);
        counts.or_else(|| self.even.iter().filter(|e| e.kernel == entry).find_map(even))
    }
}

/// State in which bundles leave the registers that a caller has set.
struct Before {
    /// Whether each general register is written.
    written: [bool; 16],
    /// Origin of the value of each address register, if the value is still a caller's.
    origins: [Option<Origin>; 16],
}

/// Follows bundles in the order of their addresses, whether the flow takes them or not: what none of them writes is as
/// it was.
fn before(image: &Image, core: &Core, bundles: Range<u16>) -> Before {
    let mut found = Before { written: [false; 16], origins: [Some(Origin::Address); 16] };
    let words = bundles.filter_map(|address| image.word(BundleAddress(address)));
    for bundle in words.filter_map(|word| decode(word, core).ok()) {
        let moved = bundle.exch.moved().filter(|(to, from)| {
            let is_callers = from.file == RegFile::Gpr && !found.written[usize::from(from.number)];
            to.file == RegFile::A && is_callers
        });
        bundle.footprint(&mut |access: Access| match access.changed() {
            Some(Resource::Gpr(n)) => found.written[usize::from(n)] = true,
            Some(Resource::A(n)) => found.origins[usize::from(n)] = None,
            _ => {}
        });
        if let Some((to, from)) = moved {
            found.origins[usize::from(to.number)] = Some(Origin::General(from.number));
        }
    }
    found
}

#[cfg(test)]
mod tests;
