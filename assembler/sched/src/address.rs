//! Address sets that step by constants: where each access lies, seen from the start of the block,
//! and which accesses may meet. The steps of the scheduled code are computed in `emit`.

use super::Work;
use super::graph::Edge;
use cp2_ir::linear::{ABSOLUTE, Block, LinearInst, Loop, OWN, PLACES, Region, TripCount};
use cp2_isa::{AddressForm, Core, Effects, Exch, OperandKind, RegFile, Unit};

/// Number of address sets.
pub(super) const SETS: usize = 16;

/// The limit of local memory up to which `inverse` finds enough bits, which suffices for every core; the words of a local
/// memory are a power of two.
const _: () = assert!(Core::WIDEST.lmem_words() <= 1 << 24);

/// A set that a block only steps by constants.
#[derive(Clone, Debug, Default)]
pub(super) struct LinearSet {
    /// Words that the whole block adds to the address.
    pub(super) step: i64,
    /// Memory operations through the set, counted within the block, and where the address then is.
    pub(super) accesses: Vec<(usize, i64)>,
    /// Whether the address is even where each run of the block begins.
    pub(super) even: bool,
}

/// The linear sets of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    sets: [Option<LinearSet>; SETS],
}

/// The way in which an operation touches an address set.
enum Use {
    /// Steps by a constant; true: the operation also reaches memory.
    Constant(bool, i64),
    Other,
}

/// Returns the address sets that an operation touches.
fn uses(code: &LinearInst) -> Vec<(u8, Use)> {
    let row = code.row();
    let mut found = Vec::new();
    for (operand, &value) in row.operands.iter().zip(code.values()) {
        let file = |file: u8, n: i32| match RegFile::from_code(file) {
            Some(RegFile::A | RegFile::N | RegFile::M) => Some((n & 15) as u8),
            _ => None,
        };
        match operand.kind {
            OperandKind::Address(AddressForm::Offset) => {
                let memory = row.unit != Unit::Scalar;
                found.push(((value & 15) as u8, Use::Constant(memory, i64::from(value >> 4))));
            }
            OperandKind::Address(_) => found.push(((value & 15) as u8, Use::Other)),
            OperandKind::AddressSet => found.push(((value & 15) as u8, Use::Other)),
            OperandKind::MoveReg(..) => {
                found.extend(file((value >> 4) as u8, value).map(|n| (n, Use::Other)));
            }
            OperandKind::SetReg if value >> 4 != 0 => found.push(((value & 15) as u8, Use::Other)),
            _ => {}
        }
    }
    found
}

/// Whether the operation is an `updaddr` by a constant.
fn is_constant_step(code: &LinearInst) -> bool {
    matches!(code, LinearInst::Exch(inst) if inst.op == Exch::Updaddr)
}

impl Sets {
    /// Returns the sets that the operations `ops` step by constants only and through which they reach memory.
    pub(super) fn of(work: &Work<'_>, ops: &[usize]) -> Self {
        let mut sets: [Option<LinearSet>; SETS] = Default::default();
        for (n, set) in sets.iter_mut().enumerate() {
            *set = Some(LinearSet { even: work.even >> n & 1 == 1, ..LinearSet::default() });
        }
        for (index, &op) in ops.iter().enumerate() {
            for (n, how) in uses(&work.ops[op].code) {
                let slot = &mut sets[usize::from(n)];
                match (how, slot.as_mut()) {
                    (Use::Constant(memory, step), Some(set)) => {
                        if memory {
                            set.accesses.push((index, set.step));
                        }
                        set.step += step;
                    }
                    _ => *slot = None,
                }
            }
        }
        for set in &mut sets {
            if set.as_ref().is_some_and(|s| s.accesses.is_empty()) {
                *set = None;
            }
        }
        Self { sets }
    }

    /// Gives the accesses new numbers: `index` is by the old one.
    fn renumber(&mut self, index: &[usize]) {
        for set in self.sets.iter_mut().flatten() {
            for (op, _) in &mut set.accesses {
                *op = index[*op];
            }
        }
    }

    /// Returns the operations `ops` without the address steps that the accesses take over, and without those that have become
    /// nothing.
    pub(super) fn absorb(&mut self, work: &Work<'_>, ops: &[usize]) -> Vec<usize> {
        let mut left = Vec::new();
        let mut index = Vec::new();
        for &op in ops {
            index.push(left.len());
            let code = &work.ops[op].code;
            let linear = |n: i32| self.is_linear((n & 15) as u8);
            let gone = is_constant_step(code) && linear(code.values()[0]);
            if !gone && code.row().unit != Unit::Nop {
                left.push(op);
            }
        }
        self.renumber(&index);
        left
    }

    /// Whether the set is one of these sets.
    pub(super) fn is_linear(&self, n: u8) -> bool {
        self.get(n).is_some()
    }

    /// Returns the set with this number, if it is one of these sets.
    pub(super) fn get(&self, n: u8) -> Option<&LinearSet> {
        self.sets.get(usize::from(n))?.as_ref()
    }

    /// Returns all sets with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u8, &LinearSet)> {
        self.sets.iter().enumerate().filter_map(|(n, s)| Some((n as u8, s.as_ref()?)))
    }
}

/// Returns the sets of which the address is even again after the operations `ops`, run `count` times, if it was before.
pub(super) fn parity_kept(work: &Work<'_>, ops: &[usize], count: Option<&TripCount>) -> u16 {
    let mut odd = 0_u16;
    let mut lost = 0_u16;
    for &op in ops {
        for (n, how) in uses(&work.ops[op].code) {
            match how {
                Use::Constant(_, step) => odd ^= ((step & 1) as u16) << n,
                Use::Other => lost |= 1 << n,
            }
        }
    }
    let times_even = match count {
        None => false,
        Some(TripCount::Fixed(n)) => n % 2 == 0,
        Some(TripCount::Register { multiple, .. }) => multiple % 2 == 0,
    };
    !lost & if times_even { u16::MAX } else { !odd }
}

/// A memory operation.
pub(super) struct Memory {
    pub(super) op: usize,
    pub(super) set: u8,
    pub(super) store: bool,
    /// For a linear set or an immediate address: first and last word that the operation may touch, and how these words move
    /// from iteration to iteration.
    words: Option<(i64, i64, i64)>,
}

impl Memory {
    /// Creates a load of one word through a linear set.
    pub(super) fn word(op: usize, set: u8, at: i64) -> Self {
        Self { op, set, store: false, words: Some((at, at, 0)) }
    }

    /// Whether two accesses of one iteration may reach a word in common.
    pub(super) fn may_meet(&self, other: &Self, work: &Work<'_>) -> bool {
        if work.region.are_disjoint(self.set, other.set) {
            return false;
        }
        match (self.words, other.words) {
            (Some(a), Some(b)) if self.set == other.set => meeting(&work.core, a, b, 0) == Some(0),
            _ => true,
        }
    }
}

/// Returns the memory operations of a block.
pub(super) fn memory(work: &Work<'_>, ops: &[usize], sets: &Sets, is_loop: bool) -> Vec<Memory> {
    let mut found = Vec::new();
    let mut places = vec![0; ops.len()];
    for &(op, at) in sets.iter().flat_map(|(_, set)| &set.accesses) {
        places[op] = at;
    }
    for (op, &id) in ops.iter().enumerate() {
        let code = &work.ops[id].code;
        let row = code.row();
        if !matches!(row.unit, Unit::Load | Unit::Store) {
            continue;
        }
        let double = row.effects.contains(Effects::DOUBLE);
        let store = row.unit == Unit::Store;
        for (operand, &value) in row.operands.iter().zip(code.values()) {
            let (set, words) = match operand.kind {
                OperandKind::WordAddress => {
                    (ABSOLUTE, Some(span(i64::from(value), true, double, 0)))
                }
                OperandKind::Address(_) => {
                    let n = (value & 15) as u8;
                    // An address that counts 32-bit words does not tell words.
                    let of_words = sets.get(n).filter(|_| !code.counts_halves());
                    let place = of_words.map(|set| {
                        span(places[op], set.even, double, if is_loop { set.step } else { 0 })
                    });
                    (n, place)
                }
                // Those of one access are apart from each other only as far as is promised.
                OperandKind::SectionAddress => (OWN, None),
                OperandKind::FprHalf(..) if !store && !operand.write => (OWN, None),
                _ => continue,
            };
            found.push(Memory { op, set, store, words });
        }
    }
    found
}

/// Returns the words of an access at `at`: a double access takes the pair that `at` lies in.
fn span(at: i64, even: bool, double: bool, step: i64) -> (i64, i64, i64) {
    match (double, even) {
        (false, _) => (at, at, step),
        (true, true) => (at & !1, at | 1, step),
        (true, false) => (at - 1, at + 1, step),
    }
}

/// Most pairs of accesses of a block that may meet.
pub(super) const MOST_MEETINGS: usize = 1_000_000;

/// Returns the order of loads and stores that may meet; `None` if there are too many of them.
pub(super) fn memory_edges(
    work: &Work<'_>,
    ops: &[usize],
    sets: &Sets,
    is_loop: bool,
) -> Option<Vec<Edge>> {
    let all = memory(work, ops, sets, is_loop);
    let apart = Apart::of(&work.region);
    let mut edges = Vec::new();
    for a in &all {
        for b in &all {
            if !a.store && !b.store || apart.contains(a.set, b.set) {
                continue;
            }
            let latency = i64::from(a.store);
            let least = i64::from(a.op >= b.op);
            if !is_loop && least == 1 {
                continue;
            }
            let distance = match (a.words, b.words) {
                (Some(x), Some(y)) if a.set == b.set => meeting(&work.core, x, y, least),
                _ => Some(least),
            };
            if let Some(distance) = distance.filter(|&d| is_loop || d == 0) {
                edges.push(Edge { from: a.op, to: b.op, latency, distance });
            }
        }
        if edges.len() > MOST_MEETINGS {
            return None;
        }
    }
    Some(edges)
}

/// Number of iterations of a loop, more than any schedule has under way at once.
const MOST_UNDER_WAY: i64 = 64;

/// The pairs of address sets that never meet, as bits.
struct Apart([u32; PLACES]);

impl Apart {
    fn of(region: &Region) -> Self {
        let from = |a: u8| (0..PLACES as u8).filter(move |&b| region.are_disjoint(a, b));
        Self(std::array::from_fn(|a| from(a as u8).fold(0, |mask, b| mask | 1 << b)))
    }

    fn contains(&self, a: u8, b: u8) -> bool {
        self.0[usize::from(a)] >> b & 1 == 1
    }
}

/// Returns the least number of iterations, from `least` on, after which an access to the words `b` meets one to the words
/// `a`; both move by the same step. Addresses count modulo the memory.
fn meeting(core: &Core, a: (i64, i64, i64), b: (i64, i64, i64), least: i64) -> Option<i64> {
    let words = core.lmem_words() as i64;
    let (step, behind) = (b.2, b.0 - a.0);
    // They meet if `b` begins from so many words before `a` begins to so many behind.
    let meets = (b.0 - b.1)..=(a.1 - a.0);
    // Beyond this many iterations the addresses have gone once around the memory, and no two are under way at once.
    let most = if step == 0 { 0 } else { (words / step.abs() + 1).max(MOST_UNDER_WAY) };
    let iterations = meets.filter_map(|apart| arrival(words, step, apart - behind, least));
    iterations.min().filter(|&k| k <= least + most)
}

/// Returns the least `k` from `least` on with `k * step` = `way` modulo the words of a memory.
fn arrival(words: i64, step: i64, way: i64, least: i64) -> Option<i64> {
    let (step, way) = (step.rem_euclid(words), (way - least * step).rem_euclid(words));
    if step == 0 {
        return (way == 0).then_some(least);
    }
    // Both are divided by the power of two in the step; what is left of it is odd.
    let twos = step.trailing_zeros();
    let (odd, modulus) = (step >> twos, words >> twos);
    if way & ((1 << twos) - 1) != 0 {
        return None;
    }
    Some(least + (way >> twos) * inverse(words, odd) % modulus)
}

/// Returns the number whose product with an odd one is 1 modulo the words of a memory.
fn inverse(words: i64, odd: i64) -> i64 {
    // Each step of Newton's doubles the bits that are right; the first three are.
    (0..3).fold(odd, |x, _| (x * (2 - odd * x)).rem_euclid(words))
}

/// Whether there is no loop in a loop.
fn is_innermost(of: &Loop) -> bool {
    matches!(of.body.as_slice(), [Block::Straight(_)])
}

impl Work<'_> {
    /// Returns the sets that are even at the start of each leaf, in program order.
    pub(super) fn evens(&self, region: &Region) -> Vec<u16> {
        let mut evens = Vec::new();
        self.even_blocks(&region.blocks, self.even, &mut evens);
        evens
    }

    fn even_blocks(&self, blocks: &[Block], mut even: u16, evens: &mut Vec<u16>) {
        for block in blocks {
            let odd = self.odd(block, None);
            match block {
                Block::Straight(_) => evens.push(even),
                Block::Loop(l) => self.even_blocks(&l.body, even & !odd, evens),
            }
            even &= !odd;
        }
    }

    /// Returns the sets whose parity a block may change.
    fn odd(&self, block: &Block, count: Option<&TripCount>) -> u16 {
        match block {
            Block::Straight(range) => {
                let ops: Vec<usize> = range.clone().collect();
                !parity_kept(self, &ops, count)
            }
            Block::Loop(l) => {
                let innermost = is_innermost(l);
                let count = innermost.then_some(&l.count);
                l.body.iter().fold(0, |mask, b| mask | self.odd(b, count))
            }
        }
    }
}
