//! Lifetimes of registers among bundles: which writes a bundle reads, where a value is read last, how many registers hold values. Time counts: a
//! read before a result has landed is one of the value before. Hardware loops go back; jumps are not followed.

use crate::analysis::AnalysedProgram;
use cp2_asm::image::Kernel;
use cp2_isa::rules::flow::Body;
use cp2_isa::{
    Access, AccessMode, Bundle, BundleAddress, Core, Effects, Halves, Resource, Unit, decode,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

/// Register by its letters, with its number.
type Lettered<'a> = (&'a str, u8);

/// Whether a register by its letters has a resource.
fn is_of(resource: Resource, (letters, number): (&str, u8)) -> bool {
    match resource {
        Resource::Fpr(n, _) => letters == "f" && n == number,
        Resource::Gpr(n) => letters == "g" && n == number,
        Resource::Ireg(n) => letters == "i" && n == number,
        Resource::A(n) => ["a", "r"].contains(&letters) && n == number,
        Resource::N(n) => letters == "n" && n == number,
        Resource::M(n) => letters == "m" && n == number,
        Resource::Fccr(n) => letters == "cc" && n == number,
        _ => false,
    }
}

/// A kernel with the accesses of its bundles, and where its hardware loops go back.
pub(crate) struct KernelFlow {
    core: Core,
    start: BundleAddress,
    bundles: BTreeMap<BundleAddress, (Bundle, Vec<Access>)>,
    /// First bundles of loops, by the address of the last ones.
    back: BTreeMap<BundleAddress, Vec<BundleAddress>>,
    /// Whether control goes elsewhere than to the next bundle or to the begin of a loop.
    has_jumps: bool,
}

/// A place to which a value has come: the bundle, the bundles since it was written, and the bundles for which it stays behind another write.
type Reached = (BundleAddress, u32, Option<u32>);

impl KernelFlow {
    pub(crate) fn of(program: &AnalysedProgram, kernel: &Kernel) -> Self {
        let core = program.core;
        let (mut bundles, mut has_jumps) = (BTreeMap::new(), false);
        let mut back: BTreeMap<BundleAddress, Vec<BundleAddress>> = BTreeMap::new();
        for (address, word) in kernel.bundles() {
            let Ok(bundle) = decode(word, &core) else { continue };
            let mut accesses = Vec::new();
            bundle.footprint(&mut |access| accesses.push(access));
            match bundle.exch.hardware_loop() {
                Some((_, end)) => {
                    let body = Body::behind(address, end);
                    if body.start <= body.last() {
                        back.entry(body.last()).or_default().push(body.start);
                    }
                }
                None => has_jumps |= bundle.exch.op.row().effects.intersects(Effects::CONTROL),
            }
            bundles.insert(address, (bundle, accesses));
        }
        // The stop at the end goes nowhere.
        let last = bundles.iter().rev().take(2);
        let stops = last.filter(|(_, (bundle, _))| bundle.exch.op.row().name.starts_with("stop"));
        let n_control = |(bundle, _): &&(Bundle, Vec<Access>)| {
            bundle.exch.op.row().effects.intersects(Effects::CONTROL)
                && bundle.exch.hardware_loop().is_none()
        };
        has_jumps &= bundles.values().filter(n_control).count() > stops.count();
        Self { core, start: kernel.start, bundles, back, has_jumps }
    }

    fn accesses(&self, at: BundleAddress) -> &[Access] {
        self.bundles.get(&at).map_or(&[], |(_, all)| all)
    }

    fn written(&self, at: BundleAddress, register: Lettered<'_>) -> Option<&Access> {
        let is = |a: &&Access| is_of(a.resource, register) && a.mode != AccessMode::Use;
        self.accesses(at).iter().find(is)
    }

    fn read(&self, at: BundleAddress, register: Lettered<'_>) -> Option<&Access> {
        let is = |a: &&Access| is_of(a.resource, register) && a.mode == AccessMode::Use;
        self.accesses(at).iter().find(is)
    }

    /// Whether a bundle has a register.
    pub(crate) fn has(&self, at: BundleAddress, register: Lettered<'_>) -> bool {
        self.written(at, register).or_else(|| self.read(at, register)).is_some()
    }

    /// Returns the bundles from a write on behind which an operation of a unit reads it.
    fn lands(&self, write: &Access, reader: Unit) -> u32 {
        self.core.latencies().distance(write.unit, write.resource, reader).max(1)
    }

    fn behind(&self, at: BundleAddress) -> impl Iterator<Item = BundleAddress> {
        let next = BundleAddress(at.0.saturating_add(1));
        let next = self.bundles.contains_key(&next).then_some(next);
        next.into_iter().chain(self.back.get(&at).into_iter().flatten().copied())
    }

    fn before(&self, at: BundleAddress) -> impl Iterator<Item = BundleAddress> {
        let last = at.0.checked_sub(1).map(BundleAddress);
        let ends = self.back.iter().filter(move |(_, begins)| begins.contains(&at));
        let last = last.filter(|last| self.bundles.contains_key(last));
        last.into_iter().chain(ends.map(|(end, _)| *end))
    }

    /// Returns the bundles that may have written what a bundle reads, the nearest first, and whether the value may be older than all of them.
    fn writers(&self, at: BundleAddress, register: Lettered<'_>) -> (Vec<BundleAddress>, bool) {
        let reader = self.read(at, register).map_or(Unit::Arithmetic, |access| access.unit);
        let (mut found, mut is_older) = (Vec::new(), false);
        let mut seen = BTreeSet::new();
        // Bundles before this one as near as no result lands are told from those farther away.
        let longest = self.core.latencies().longest() + 1;
        let mut waiting: VecDeque<(BundleAddress, u32)> = VecDeque::from([(at, 0)]);
        while let Some((here, distance)) = waiting.pop_front() {
            let write = self.written(here, register).filter(|_| distance > 0);
            if write.is_some_and(|write| self.lands(write, reader) <= distance) {
                if !found.contains(&here) {
                    found.push(here);
                }
                continue;
            }
            let mut is_first = true;
            for before in self.before(here) {
                is_first = false;
                let next = (before, (distance + 1).min(longest));
                if seen.insert(next) {
                    waiting.push_back(next);
                }
            }
            is_older |= is_first || here == self.start;
        }
        (found, is_older)
    }

    /// Returns the bundles that read what a bundle writes.
    fn readers(&self, at: BundleAddress, register: Lettered<'_>) -> BTreeSet<BundleAddress> {
        let mut found = BTreeSet::new();
        let Some(write) = self.written(at, register) else { return found };
        let longest = self.core.latencies().longest() + 1;
        let mut seen: BTreeSet<Reached> = BTreeSet::new();
        let mut waiting: VecDeque<Reached> = self.behind(at).map(|next| (next, 1, None)).collect();
        while let Some((here, age, left)) = waiting.pop_front() {
            let is_there = |read: &&Access| self.lands(write, read.unit) <= age;
            if self.read(here, register).filter(is_there).is_some() {
                found.insert(here);
            }
            let again =
                self.written(here, register).map(|write| self.lands(write, Unit::Arithmetic));
            // Another write takes the place of the value when it lands.
            let left = match (left, again) {
                (Some(0 | 1), _) => continue,
                (Some(left), _) => Some(left - 1),
                (None, Some(lands)) if age > 0 => Some(lands.saturating_sub(1)),
                (None, _) => None,
            };
            if left == Some(0) {
                continue;
            }
            for next in self.behind(here) {
                let reached = (next, (age + 1).min(longest), left);
                if seen.insert(reached) {
                    waiting.push_back(reached);
                }
            }
        }
        found
    }

    fn place(&self, program: &AnalysedProgram, at: BundleAddress) -> String {
        let line = program.image.lines.get(&at);
        let line = line.map_or(String::new(), |place| format!(" (line {})", place.line));
        format!("bundle {}{line}", at.0 - self.start.0)
    }

    /// Returns the lifetime of a register around a bundle: of the value that it writes, or else of the one that it reads; and how many FPRs hold
    /// values there.
    pub(crate) fn life(
        &self,
        program: &AnalysedProgram,
        at: BundleAddress,
        register: Lettered<'_>,
    ) -> String {
        let place = |at: BundleAddress| self.place(program, at);
        let writes_here = self.written(at, register).is_some();
        let (writers, is_older) = match writes_here {
            true => (vec![at], false),
            false => self.writers(at, register),
        };
        let mut text = String::from("\n\n");
        for (number, writer) in writers.iter().enumerate() {
            let Some(write) = self.written(*writer, register) else { continue };
            let lands = self.lands(write, Unit::Arithmetic);
            let turn = if *writer >= at && !writes_here { " of the turn before" } else { "" };
            let plural = if lands == 1 { "" } else { "s" };
            let lead = if number == 0 { "written" } else { " or" };
            let _ = write!(
                text,
                "{lead} in {}{turn}, can be read {lands} bundle{plural} later",
                place(*writer)
            );
        }
        match (writers.is_empty(), is_older) {
            (true, _) => text += "its value is older than the kernel",
            (false, true) => text += ", or older than the kernel",
            (false, false) => {}
        }
        let mut readers: BTreeSet<BundleAddress> =
            writers.iter().flat_map(|writer| self.readers(*writer, register)).collect();
        if !writes_here {
            readers.insert(at);
        }
        let begin = writers.first().copied().unwrap_or(self.start);
        let turns = readers.range(..=begin).next_back().filter(|_| !writers.is_empty());
        let ahead =
            readers.range(begin..).next_back().filter(|last| **last > begin || writers.is_empty());
        text += &match (ahead, turns) {
            (Some(last), None) => format!("; last read in {}", place(*last)),
            (None, Some(last)) => format!("; last read in {} of the next turn", place(*last)),
            (Some(ahead), Some(last)) => {
                format!(
                    "; last read in {}, and in {} of the next turn",
                    place(*ahead),
                    place(*last)
                )
            }
            (None, None) if self.has_jumps => {
                "; not read behind that, jumps not followed".to_owned()
            }
            (None, None) => "; not read behind that".to_owned(),
        };
        let next = self.bundles.range(BundleAddress(begin.0.saturating_add(1))..);
        let mut next = next.map(|(at, _)| *at).filter(|at| self.written(*at, register).is_some());
        if let Some(next) = next.next() {
            let _ = write!(text, "; written again in {}", place(next));
        }
        let (alive, all) = (self.alive(at), self.core.fprs());
        let _ = write!(text, "\n\n{alive} of {all} FPRs hold a value here that is read later");
        text
    }

    /// Returns the number of FPRs that hold a value before a bundle which is read there or later: behind it, or in a further turn of a
    /// hardware loop around it.
    fn alive(&self, at: BundleAddress) -> usize {
        // Bits of low and high halves, by the number of the register.
        type Live = [Halves; 256];
        let halves = |all: &[Access], is_use: bool| {
            let mut found: Live = [Halves::empty(); 256];
            for access in all {
                if let Resource::Fpr(number, halves) = access.resource
                    && match access.mode {
                        AccessMode::Use => is_use,
                        AccessMode::Define => !is_use,
                        _ => false,
                    }
                {
                    found[usize::from(number)] |= halves;
                }
            }
            found
        };
        let mut live: BTreeMap<BundleAddress, Live> = BTreeMap::new();
        loop {
            let mut has_changed = false;
            for (address, (_, accesses)) in self.bundles.iter().rev() {
                let mut now: Live = [Halves::empty(); 256];
                for live in self.behind(*address).filter_map(|next| live.get(&next)) {
                    now.iter_mut().zip(live).for_each(|(now, live)| *now |= *live);
                }
                let (used, defined) = (halves(accesses, true), halves(accesses, false));
                for ((now, used), defined) in now.iter_mut().zip(used).zip(defined) {
                    *now = (*now - defined) | used;
                }
                has_changed |= live.insert(*address, now) != Some(now);
            }
            if !has_changed {
                break;
            }
        }
        live.get(&at).map_or(0, |live| live.iter().filter(|halves| !halves.is_empty()).count())
    }
}
