//! Registers that keep one place for longer than a block: physical ones, `.assign`ed ones, and
//! virtual ones that live across blocks or iterations.

use super::shortage::list;
use super::{ScheduleError, Work};
use cp2_ir::linear::{Block, Reg, Region};
use cp2_isa::{Core, FprSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The places of long-lived registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixed {
    places: BTreeMap<usize, u8>,
    /// Places that are taken, with the blocks, in program order, in which they are, and by whom.
    intervals: Vec<Taken>,
    /// Physical registers that the region names, or must not touch.
    named: FprSet,
}

/// Registers side by side, taken by virtual ones.
#[derive(Clone, Debug)]
struct Taken {
    places: FprSet,
    life: Range<usize>,
    /// Virtual registers by index, in the order of their places.
    chain: Vec<usize>,
}

impl Taken {
    fn meets(&self, life: &Range<usize>) -> bool {
        self.life.start < life.end && life.start < self.life.end
    }
}

/// A block without loops inside, in program order.
pub(super) struct Leaf {
    pub(super) ops: Range<usize>,
    /// Some loop is around the block.
    in_loop: bool,
    /// The leaves of the outermost loop around the block, or the block itself.
    pub(super) nest: Range<usize>,
}

/// Returns the leaves of a region.
pub(super) fn leaves(region: &Region) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(&region.blocks, false, &mut found);
    let mut next = 0;
    for block in &region.blocks {
        let first = next;
        next += count(block);
        for leaf in &mut found[first..next] {
            leaf.nest = first..next;
        }
    }
    found
}

fn count(block: &Block) -> usize {
    match block {
        Block::Straight(_) => 1,
        Block::Loop(l) => l.body.iter().map(count).sum(),
    }
}

fn collect(blocks: &[Block], in_loop: bool, found: &mut Vec<Leaf>) {
    for block in blocks {
        match block {
            Block::Straight(ops) => {
                found.push(Leaf { ops: ops.clone(), in_loop, nest: 0..0 });
            }
            Block::Loop(l) => collect(&l.body, true, found),
        }
    }
}

impl Fixed {
    /// Finds the long-lived registers of a region and gives them places.
    pub(super) fn of(core: &Core, region: &Region, leaves: &[Leaf]) -> Result<Self, ScheduleError> {
        let mut fixed = Self::default();
        // A register that is named holds its value behind the region, even if nothing uses it there.
        for &register in region.kept.iter().chain(region.assigned.values()) {
            fixed.named |= FprSet::one(register);
        }
        let mut seen: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut long: BTreeSet<usize> = region.assigned.keys().copied().collect();
        for (index, leaf) in leaves.iter().enumerate() {
            let mut begun = BTreeSet::new();
            for op in &region.ops[leaf.ops.clone()] {
                for access in region.fpr_accesses(op) {
                    let Some(v) = access.reg.virtual_index() else {
                        fixed.named |= FprSet::one(access.reg.0 as u8);
                        continue;
                    };
                    seen.entry(v).or_default().insert(index);
                    if leaf.in_loop && (access.read || access.keeps) && !begun.contains(&v) {
                        long.insert(v);
                    }
                }
                let writes = region.fpr_accesses(op).into_iter().filter(|a| a.write);
                begun.extend(writes.filter_map(|a| a.reg.virtual_index()));
            }
        }
        long.extend(seen.iter().filter(|(_, blocks)| blocks.len() > 1).map(|(&v, _)| v));
        let lives = seen.iter().map(|(&v, blocks)| (v, life(blocks, leaves))).collect();
        fixed.place_chains(core, region, &lives, &long)?;
        Ok(fixed)
    }

    fn place_chains(
        &mut self,
        core: &Core,
        region: &Region,
        lives: &BTreeMap<usize, Range<usize>>,
        long: &BTreeSet<usize>,
    ) -> Result<(), ScheduleError> {
        let mut chains = chains(region, lives);
        chains.retain(|chain| chain.iter().any(|v| long.contains(v)));
        let assigned = |chain: &Vec<usize>| chain.iter().any(|v| region.assigned.contains_key(v));
        chains.sort_by_key(|c| (!assigned(c), usize::MAX - c.len()));
        for chain in chains {
            let starts = chain.iter().map(|v| lives[v].start);
            let ends = chain.iter().map(|v| lives[v].end);
            let life = starts.min().unwrap_or(0)..ends.max().unwrap_or(0);
            let first = self.find(core, region, &chain, &life)?;
            let mut mask = FprSet::EMPTY;
            for (k, &v) in chain.iter().enumerate() {
                self.places.insert(v, first + k as u8);
                mask |= FprSet::one(first + k as u8);
            }
            self.intervals.push(Taken { places: mask, life, chain });
        }
        Ok(())
    }

    /// Returns the first register of a place for a chain.
    fn find(
        &self,
        core: &Core,
        region: &Region,
        chain: &[usize],
        life: &Range<usize>,
    ) -> Result<u8, ScheduleError> {
        let fprs = core.fprs();
        if chain.len() > fprs {
            let name = region.register_name(Reg::from_virtual(chain[0]));
            let message = format!(
                "{} registers in a row from `{name}` on are needed; there are {fprs}",
                chain.len()
            );
            return Err(ScheduleError::region(region, "C0605", message));
        }
        let wanted = chain
            .iter()
            .enumerate()
            .find_map(|(k, v)| region.assigned.get(v).map(|&f| (i32::from(f) - k as i32, *v)));
        if let Some((first, v)) = wanted {
            let last = first + chain.len() as i32;
            let agrees = |(k, v): (usize, &usize)| {
                region.assigned.get(v).is_none_or(|&f| i32::from(f) == first + k as i32)
            };
            if first < 0 || last > fprs as i32 || !chain.iter().enumerate().all(agrees) {
                let name = region.register_name(Reg::from_virtual(v));
                let message = format!(
                    "`{name}` cannot be both where `.assign` puts it and beside its neighbours"
                );
                return Err(ScheduleError::region(region, "C0604", message));
            }
            self.check_neighbours(region, chain, first, life)?;
            return Ok(first as u8);
        }
        let taken = self.reserved(life);
        let is_free = |first: usize| !(first..first + chain.len()).any(|k| taken.contains(k as u8));
        let mut places = 0..=fprs - chain.len();
        places.find(|&first| is_free(first)).map(|first| first as u8).ok_or_else(|| {
            let name = region.register_name(Reg::from_virtual(chain[0]));
            let wanted = match chain.len() {
                1 => "a register".to_owned(),
                n => format!("{n} registers in a row"),
            };
            let message = format!(
                "`{name}` lives across loops and needs {wanted}: {} of {fprs} are in use",
                taken.count()
            );
            self.explained(region, life, ScheduleError::region(region, "C0605", message))
        })
    }

    /// Checks that a register that is beside one of `.assign` has its place for itself.
    fn check_neighbours(
        &self,
        region: &Region,
        chain: &[usize],
        first: i32,
        life: &Range<usize>,
    ) -> Result<(), ScheduleError> {
        let taken = self.reserved(life);
        let mut places = chain.iter().zip(first..);
        let meets = |(v, place): &(&usize, i32)| {
            !region.assigned.contains_key(v) && taken.contains(*place as u8)
        };
        let Some((&v, place)) = places.find(meets) else { return Ok(()) };
        let name = region.register_name(Reg::from_virtual(v));
        let message = format!(
            "`{name}` has to be f{place}, beside a register of `.assign`, and f{place} is taken: the region \
             names it or keeps it"
        );
        let mut trouble = ScheduleError::region(region, "C0604", message);
        trouble.help = format!("assign other registers, or use `{name}` in place of f{place}");
        Err(trouble)
    }

    /// Returns the registers that are taken in some of the leaves.
    pub(super) fn reserved(&self, life: &Range<usize>) -> FprSet {
        let in_use = self.intervals.iter().filter(|taken| taken.meets(life));
        in_use.fold(self.named, |mask, taken| mask | taken.places)
    }

    /// Adds to a shortage of registers in some leaves which registers are not free there, and who has them.
    pub(super) fn explained(
        &self,
        region: &Region,
        life: &Range<usize>,
        mut trouble: ScheduleError,
    ) -> ScheduleError {
        if trouble.code != "C0605" {
            return trouble;
        }
        let in_use = self.intervals.iter().filter(|taken| taken.meets(life));
        let name = |&v: &usize| {
            let place = self.places.get(&v).map_or(String::new(), |f| format!(" (f{f})"));
            format!("`{}`{place}", region.register_name(Reg::from_virtual(v)))
        };
        let long: Vec<String> = in_use.flat_map(|taken| taken.chain.iter().map(name)).collect();
        if !long.is_empty() {
            let text = format!("kept from loop to loop are {}", list(&long));
            trouble.related.push((None, text));
        }
        let named = ranges(self.named);
        if !named.is_empty() {
            let text = format!("the region names or keeps {}", list(&named));
            trouble.related.push((None, text));
        }
        trouble
    }

    /// Returns the place of a register, if it has one of its own.
    pub(super) fn place(&self, reg: Reg) -> Option<u8> {
        reg.physical().or_else(|| self.places.get(&reg.virtual_index()?).copied())
    }
}

/// Returns the registers of a set, those in a row as `f0-f3`.
fn ranges(set: FprSet) -> Vec<String> {
    let mut rows: Vec<(u8, u8)> = Vec::new();
    for n in (0..=u8::MAX).filter(|&n| set.contains(n)) {
        match rows.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => rows.push((n, n)),
        }
    }
    let text = |(first, last)| {
        if first == last { format!("f{first}") } else { format!("f{first}-f{last}") }
    };
    rows.into_iter().map(text).collect()
}

/// Returns the leaves from the first to the last use, with all leaves of the loops around them.
fn life(blocks: &BTreeSet<usize>, leaves: &[Leaf]) -> Range<usize> {
    let starts = blocks.iter().map(|&b| leaves[b].nest.start);
    let ends = blocks.iter().map(|&b| leaves[b].nest.end);
    starts.min().unwrap_or(0)..ends.max().unwrap_or(0)
}

/// Returns virtual registers in the order in which they must follow one another; most stand alone.
fn chains(region: &Region, lives: &BTreeMap<usize, Range<usize>>) -> Vec<Vec<usize>> {
    let next = |v: usize| region.next.get(&Reg::from_virtual(v)).and_then(|r| r.virtual_index());
    let followers: BTreeSet<usize> = lives.keys().filter_map(|&v| next(v)).collect();
    let mut chains = Vec::new();
    for &v in lives.keys().filter(|v| !followers.contains(v)) {
        let mut chain = vec![v];
        while let Some(after) = next(chain[chain.len() - 1]).filter(|a| !chain.contains(a)) {
            chain.push(after);
        }
        chains.push(chain);
    }
    chains
}

impl Work<'_> {
    /// Whether a register has a place of its own.
    pub(super) fn is_fixed(&self, reg: Reg) -> bool {
        self.fixed_register(reg).is_some()
    }

    /// Returns the number of the register to which `reg` is fixed, if it is.
    pub(super) fn fixed_register(&self, reg: Reg) -> Option<u8> {
        self.fixed.place(reg)
    }
}
