//! Values of scalar registers that a block knows while it is translated, as far as they follow from immediates or are taken
//! for granted. A known value needs no code until somebody asks for it.

use crate::abi::context::Live;
use crate::analysis::speculation::{Scalar, Speculation};

/// Knowledge about a scalar register during translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    /// The register holds what it held when the block began.
    Entry,
    /// The register has this value; the second field tells whether the value is also stored where the register is kept.
    Known(u64, IsPreserved),
    /// The value stands only where the register is kept, and is not known.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IsPreserved {
    Yes,
    No,
}

const N_SCALARS: usize = 51;

fn index(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Gpr(k) => usize::from(k & 15),
        Scalar::N(k) => 16 + usize::from(k & 15),
        Scalar::Ireg(k) => 32 + usize::from(k & 15),
        Scalar::Rind => 48,
        Scalar::Rstep => 49,
        Scalar::Rmask => 50,
    }
}

/// Scalar registers of a block, with what is known of each.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    facts: [Fact; N_SCALARS],
    /// Values of the registers when the block begins; `speculation` tells which of them may be taken for granted.
    start: [u64; N_SCALARS],
    pub(crate) speculation: Speculation,
    /// Registers and their values that were taken for granted.
    pub(crate) guards: Vec<(Scalar, u64)>,
}

impl Constants {
    pub(crate) fn new(live: &Live, speculation: Speculation) -> Self {
        let mut start = [0; N_SCALARS];
        let all = (0..16).flat_map(|k| [Scalar::Gpr(k), Scalar::Ireg(k), Scalar::N(k)]);
        for scalar in all.chain([Scalar::Rind, Scalar::Rstep, Scalar::Rmask]) {
            start[index(scalar)] = scalar.value(live);
        }
        Self { facts: [Fact::Entry; N_SCALARS], start, speculation, guards: Vec::new() }
    }

    /// Returns the value of a register, if it is known by now.
    pub(crate) fn known(&self, scalar: Scalar) -> Option<u64> {
        match self.facts[index(scalar)] {
            Fact::Known(value, _) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of a register, taken for granted if need be and allowed.
    pub(crate) fn granted(&mut self, scalar: Scalar) -> Option<u64> {
        let needed = match scalar {
            Scalar::N(_) => Speculation::Addresses,
            _ => Speculation::Scalars,
        };
        let k = index(scalar);
        if self.facts[k] == Fact::Entry && self.speculation >= needed {
            self.facts[k] = Fact::Known(self.start[k], IsPreserved::Yes);
            self.guards.push((scalar, self.start[k]));
        }
        self.known(scalar)
    }

    /// Gives a register a value that no code has stored yet.
    pub(crate) fn set(&mut self, scalar: Scalar, value: u64) {
        self.facts[index(scalar)] = Fact::Known(value, IsPreserved::No);
    }

    /// Gives a register a value that only the run knows.
    pub(crate) fn lose(&mut self, scalar: Scalar) {
        self.facts[index(scalar)] = Fact::Lost;
    }

    /// Returns the value of a register that still has to be stored where the register is kept; it counts as stored then.
    pub(crate) fn unkept(&mut self, scalar: Scalar) -> Option<u64> {
        let fact = &mut self.facts[index(scalar)];
        match *fact {
            Fact::Known(value, IsPreserved::No) => {
                *fact = Fact::Known(value, IsPreserved::Yes);
                Some(value)
            }
            _ => None,
        }
    }

    /// Returns the registers, by their numbers here, of which it does not go without saying that they hold where a turn of a
    /// loop ends what is known of them where it began, with `start`.
    pub(crate) fn changed_since(&self, start: &Self) -> Vec<usize> {
        let holds = |k: &usize| match (start.facts[*k], self.facts[*k]) {
            (Fact::Lost, _) | (Fact::Entry, Fact::Entry) => true,
            (Fact::Entry, Fact::Known(value, IsPreserved::Yes)) => value == self.start[*k],
            (Fact::Known(then, _), Fact::Known(now, _)) => then == now,
            _ => false,
        };
        (0..N_SCALARS).filter(|k| !holds(k)).collect()
    }

    /// Forgets what is known of registers, by their numbers here. All that no code has stored has to be stored before.
    pub(crate) fn forget(&mut self, registers: &[usize]) {
        registers.iter().for_each(|&k| self.facts[k] = Fact::Lost);
    }

    /// Whether everything that was taken for granted is so at the end, too.
    pub(crate) fn recurs(&self) -> bool {
        self.guards.iter().all(|&(scalar, value)| {
            matches!(self.facts[index(scalar)], Fact::Known(now, _) if now == value)
        })
    }
}
