//! What a block knows of scalar registers while it is translated: their values as far as they follow
//! from immediates or are taken for granted. Values that are known need no code until somebody asks.

use crate::abi::context::Live;
use crate::analysis::speculation::{Scalar, Speculation};

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    /// It holds what it held when the block began.
    Entry,
    /// It has this value; whether that stands where the register is kept, too.
    Known(u64, Kept),
    /// Only where the register is kept.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
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

/// The scalar registers of a block.
#[derive(Debug)]
pub(crate) struct Constants {
    facts: [Fact; N_SCALARS],
    /// Registers when the block begins, and what of them may be taken for granted.
    start: [u64; N_SCALARS],
    speculation: Speculation,
    /// What was taken for granted.
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

    /// The value, if it follows from what the block did.
    pub(crate) fn known(&self, scalar: Scalar) -> Option<u64> {
        match self.facts[index(scalar)] {
            Fact::Known(value, _) => Some(value),
            _ => None,
        }
    }

    /// The value, taken for granted if need be and allowed.
    pub(crate) fn granted(&mut self, scalar: Scalar) -> Option<u64> {
        let needed = match scalar {
            Scalar::N(_) => Speculation::Addresses,
            _ => Speculation::Scalars,
        };
        let k = index(scalar);
        let bold = self.speculation == needed || self.speculation == Speculation::Scalars;
        if self.facts[k] == Fact::Entry && bold {
            self.facts[k] = Fact::Known(self.start[k], Kept::Yes);
            self.guards.push((scalar, self.start[k]));
        }
        self.known(scalar)
    }

    /// The register gets a value that nobody has stored yet.
    pub(crate) fn set(&mut self, scalar: Scalar, value: u64) {
        self.facts[index(scalar)] = Fact::Known(value, Kept::No);
    }

    /// The register gets a value that only the run knows.
    pub(crate) fn lose(&mut self, scalar: Scalar) {
        self.facts[index(scalar)] = Fact::Lost;
    }

    /// The value that still has to be stored where the register is kept; it counts as stored then.
    pub(crate) fn unkept(&mut self, scalar: Scalar) -> Option<u64> {
        let fact = &mut self.facts[index(scalar)];
        match *fact {
            Fact::Known(value, Kept::No) => {
                *fact = Fact::Known(value, Kept::Yes);
                Some(value)
            }
            _ => None,
        }
    }

    /// Whether everything that was taken for granted is so at the end, too.
    pub(crate) fn recurs(&self) -> bool {
        self.guards.iter().all(|&(scalar, value)| {
            matches!(self.facts[index(scalar)], Fact::Known(now, _) if now == value)
        })
    }
}
