//! What a block takes for granted of the scalar registers when it begins. A block that takes nothing
//! for granted fits always; one that does is faster.

use crate::abi::context::Live;
use crate::analysis::pointer::{Apart, Pointer};

/// A scalar register whose value a block may take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Its value.
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

/// Which values a translation may take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speculation {
    /// None.
    Nothing,
    /// Ranges of address sets, and their steps.
    Addresses,
    /// Angles and general registers besides.
    Scalars,
}

/// What a block takes for granted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards {
    pub(crate) scalars: Vec<(Scalar, u64)>,
    pub(crate) pointers: Vec<Pointer>,
    pub(crate) apart: Vec<Apart>,
}

impl Guards {
    /// Whether what two pointers reach is known to be different words.
    pub(crate) fn are_apart(&self, a: &Pointer, b: &Pointer) -> bool {
        let is_pair =
            |p: &Apart| [(p.below, p.above), (p.above, p.below)].contains(&(a.set, b.set));
        a.bank() != b.bank() || self.apart.iter().any(is_pair)
    }

    /// Whether all of it is so.
    pub(crate) fn hold(&self, live: &Live) -> bool {
        self.scalars.iter().all(|&(scalar, value)| scalar.value(live) == value)
            && self.addresses(live).all(|(pointer, address)| pointer.allows(address))
            && self.apart.iter().all(|pair| pair.holds(&live.a))
    }

    /// How the numbers of the banks differ that pointers are in now and that they were in when the
    /// block was translated, which changes nothing of its code if it is the same for all.
    pub(crate) fn moved(&self, live: &Live) -> usize {
        let moved = |p: &Pointer| p.bank_displacement(p.displacement(live.a[usize::from(p.set)]));
        self.pointers.first().map_or(0, moved)
    }

    /// The pointers and their addresses, as they would be in the banks of the translation.
    fn addresses<'a>(&'a self, live: &'a Live) -> impl Iterator<Item = (&'a Pointer, u32)> {
        let displacement = |p: &Pointer| p.displacement(live.a[usize::from(p.set)]);
        let change = self.pointers.first().map_or(0, displacement);
        self.pointers.iter().map(move |p| (p, live.a[usize::from(p.set)] ^ change))
    }

    /// How many passes of a block that repeats may follow each other, if all of it is so now: what is
    /// taken for granted of scalars recurs, and how address sets step is known.
    pub(crate) fn passes(&self, live: &Live) -> u64 {
        let inside = self.addresses(live).map(|(pointer, address)| pointer.passes(address));
        let apart = self.apart.iter().map(|pair| pair.passes(&live.a));
        inside.chain(apart).min().unwrap_or(u64::MAX)
    }
}
