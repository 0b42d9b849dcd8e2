//! Speculation on the scalar registers: what a block takes for granted of them when it begins. A block that takes nothing for
//! granted fits always; one that does is faster.

use crate::abi::context::{Live, MOST_POINTERS};
use crate::analysis::pointer::{Apart, Pointer};
use cp2_isa::{Core, control};
use serde::{Deserialize, Serialize};

/// A scalar register whose value a block may take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Scalar {
    Gpr(u8),
    Ireg(u8),
    /// The step of an address set.
    N(u8),
    Rind,
    Rstep,
    Rmask,
}

impl Scalar {
    /// Whether there is such a register.
    fn is_sound(self) -> bool {
        match self {
            Self::Gpr(k) | Self::Ireg(k) | Self::N(k) => k < 16,
            Self::Rind | Self::Rstep | Self::Rmask => true,
        }
    }

    /// Returns the register of the angle, or of its step, by the number of the control register.
    pub(crate) fn angle(number: u8) -> Self {
        if number == control::RIND { Self::Rind } else { Self::Rstep }
    }

    /// Returns the value of the register.
    pub(crate) fn value(self, live: &Live) -> u64 {
        match self {
            Self::Gpr(k) => live.gpr[usize::from(k)],
            Self::Ireg(k) => live.ireg[usize::from(k)],
            Self::N(k) => live.n[usize::from(k)].into(),
            Self::Rind => live.rind.into(),
            Self::Rstep => live.rstep.into(),
            Self::Rmask => live.rmask.into(),
        }
    }
}

/// Kinds of values that a translation may take for granted, each kind with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Speculation {
    /// No values.
    Nothing,
    /// Ranges of address sets, and their steps.
    Addresses,
    /// Angles and general registers, besides ranges and steps of address sets.
    Scalars,
    /// Distances of pointers that reach the same words, besides all others.
    Distances,
}

/// Number of versions of a place that take angles and general registers for granted.
const SCALAR_VERSIONS: usize = 4;
/// Number of versions of a place that take something for granted.
const BOLD_VERSIONS: usize = 8;

impl Speculation {
    /// Returns what the next version of a place takes for granted, if there are so many already. Only the first one takes
    /// distances for granted: where they change, a version for each would be one too many.
    pub(crate) fn of_version(n: usize) -> Self {
        match n {
            0 => Self::Distances,
            1..SCALAR_VERSIONS => Self::Scalars,
            SCALAR_VERSIONS..BOLD_VERSIONS => Self::Addresses,
            _ => Self::Nothing,
        }
    }
}

/// Guards of a block: what it takes for granted when it begins.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Guards {
    pub(crate) scalars: Vec<(Scalar, u64)>,
    pub(crate) pointers: Vec<Pointer>,
    /// Distances of pointers.
    pub(crate) apart: Vec<Apart>,
}

impl Guards {
    /// Whether the guards can be those of a block on a core.
    pub(crate) fn is_sound(&self, core: &Core) -> bool {
        self.pointers.len() <= MOST_POINTERS
            && self.scalars.iter().all(|(scalar, _)| scalar.is_sound())
            && self.pointers.iter().all(|pointer| pointer.is_sound(core))
            && self.apart.iter().all(|pair| pair.is_sound(self.pointers.len()))
    }

    /// Whether two pointers, by number, are known to reach different words.
    pub(crate) fn are_apart(&self, a: usize, b: usize) -> bool {
        let mut pairs = self.apart.iter().filter(|pair| pair.exact_distance().is_none());
        pairs.any(|p| [(p.one, p.other), (p.other, p.one)].contains(&(a, b)))
    }

    /// Returns a pointer with a lower number from which the distance to a pointer is known, and that distance, in words modulo
    /// the size of local memory: the pointer itself if none is known.
    pub(crate) fn root(&self, number: usize) -> (usize, i32) {
        let before = |number| {
            let mut pairs = self.apart.iter().filter(move |pair| pair.other == number);
            pairs.find_map(|pair| Some((pair.one, pair.exact_distance()?)))
        };
        let (mut root, mut distance) = (number, 0);
        while let Some((one, further)) = before(root).filter(|&(one, _)| one < root) {
            (root, distance) = (one, distance + further);
        }
        (root, distance)
    }

    /// Whether all guards hold for these registers.
    pub(crate) fn hold(&self, live: &Live) -> bool {
        self.scalars.iter().all(|&(scalar, value)| scalar.value(live) == value)
            && self.pointers.iter().all(|pointer| pointer.allows(pointer.address(&live.a)))
            && self.apart.iter().all(|pair| pair.holds(&self.pointers, &live.a))
    }

    /// Returns the number of passes of a block that repeats that may follow each other, if all guards hold now: what is taken
    /// for granted of scalars recurs, and how address sets step is known.
    pub(crate) fn passes(&self, live: &Live) -> u64 {
        let inside = self.pointers.iter().map(|pointer| pointer.passes(pointer.address(&live.a)));
        let apart = self.apart.iter().map(|pair| pair.passes(&self.pointers, &live.a));
        inside.chain(apart).min().unwrap_or(u64::MAX)
    }
}
