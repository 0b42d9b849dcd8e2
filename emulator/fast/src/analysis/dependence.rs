//! Dependences between the steps of a block that reach the same places, so that a load can wait for its use and a store need
//! not wait for its turn. The order of steps is decided in `back_end`.

use crate::abi::context::{LANES, MORE_LANES};
use crate::analysis::speculation::Guards;
use crate::ir::instruction::{Base, Home, Ins};
use crate::known::SmallKeyMap;
use iced_x86::Register;

/// Place to which a store goes, and the first step at which it may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    pub(crate) home: Home,
    pub(crate) earliest: u32,
}

/// Order that the accesses of a block have to keep.
#[derive(Debug, Default)]
pub(crate) struct Dependences {
    /// Registers that hold a place in local memory all through the block.
    pointers: Vec<Register>,
    /// Pairs of registers in `pointers` that reach different words.
    apart: Vec<(Register, Register)>,
    /// Registers of pointers, each with the one from which its distance is known, and that distance in bytes.
    roots: Vec<(Register, Register, i32)>,
    /// Ones in the bits of displacements in local memory.
    mask: i32,
    /// Store of each step that is one and may be done before its turn.
    stores: Vec<Option<Store>>,
}

impl Dependences {
    pub(crate) fn new(ins: &[Ins], guards: &Guards) -> Self {
        // RSI points to local memory all the time, and an access through it may be anywhere there.
        let mut order = Self { pointers: vec![Register::RSI], ..Self::default() };
        for (k, a) in guards.pointers.iter().enumerate() {
            order.pointers.extend(a.register);
            order.mask = (32 * a.mask + 31) as i32;
            let (root, distance) = guards.root(k);
            if let (Some(x), Some(root)) = (a.register, guards.pointers[root].register) {
                order.roots.push((x, root, 32 * distance));
            }
            for (j, b) in guards.pointers.iter().enumerate() {
                if let (Some(x), Some(y)) = (a.register, b.register)
                    && guards.are_apart(k, j)
                {
                    order.apart.push((x, y));
                }
            }
        }
        order.place_stores(ins);
        order
    }

    fn place_stores(&mut self, ins: &[Ins]) {
        self.stores = vec![None; ins.len()];
        // For each place, for each base, and for anything at all: the step behind the last access of it.
        let mut places: SmallKeyMap<(Register, i32), u32> = SmallKeyMap::default();
        let mut bases: Vec<(Register, u32)> = Vec::new();
        let mut unknown = 0;
        for (k, step) in ins.iter().enumerate() {
            let k = k as u32;
            let access = match *step {
                Ins::Load { base, displacement, .. } => Some((base, displacement, false)),
                Ins::Store { base, displacement, .. } => Some((base, displacement, true)),
                Ins::Keep { from: (base, displacement), .. } => Some((base, displacement, false)),
                // A gather reads anywhere in local memory.
                Ins::Gather { base: Register::RSI, .. } => Some((Base::Word, 0, false)),
                _ => None,
            };
            match access {
                // The lanes that scalar code reads have to be there in their turn.
                Some((Base::Context, LANES | MORE_LANES, true)) => {}
                Some((Base::Context, displacement, true)) => {
                    let home = Home::Context(displacement);
                    self.stores[k as usize] = Some(Store { home, earliest: 0 });
                }
                Some((Base::At(base), displacement, is_store)) if self.is_stable(base) => {
                    if is_store {
                        let place = self.rooted(base, displacement);
                        let same = places.get(&place).copied().unwrap_or(0);
                        let others = bases.iter().filter(|&&(b, _)| !self.is_apart(b, base));
                        let others = others.filter(|&&(b, _)| self.rooted(b, 0).0 != place.0);
                        let others = others.map(|&(_, k)| k).max();
                        let earliest = unknown.max(same).max(others.unwrap_or(0));
                        let home = Home::Memory(base, displacement);
                        self.stores[k as usize] = Some(Store { home, earliest });
                    }
                    places.insert(self.rooted(base, displacement), k + 1);
                    bases.retain(|&(b, _)| b != base);
                    bases.push((base, k + 1));
                }
                Some((Base::Word | Base::At(_), ..)) => unknown = k + 1,
                _ => {}
            }
        }
    }

    /// Whether a register holds a pointer all through the block.
    pub(crate) fn is_stable(&self, register: Register) -> bool {
        self.pointers.contains(&register)
    }

    /// Returns the store of a step, if it may be done before its turn.
    pub(crate) fn store(&self, step: u32) -> Option<Store> {
        self.stores.get(step as usize).copied().flatten()
    }

    fn is_apart(&self, a: Register, b: Register) -> bool {
        self.apart.contains(&(a, b))
    }

    /// Whether two places may have a word in common.
    pub(crate) fn overlap(&self, a: Home, b: Home) -> bool {
        match (a, b) {
            (Home::Memory(x, i), Home::Memory(y, j)) => {
                let (one, other) = (self.rooted(x, i), self.rooted(y, j));
                if one.0 == other.0 { one == other } else { !self.is_apart(x, y) }
            }
            _ => a == b,
        }
    }

    /// Returns a place as one of the pointer from which the distance of its pointer is known.
    fn rooted(&self, register: Register, displacement: i32) -> (Register, i32) {
        match self.roots.iter().find(|&&(pointer, ..)| pointer == register) {
            Some(&(_, root, distance)) => (root, (displacement + distance) & self.mask),
            None => (register, displacement),
        }
    }
}
