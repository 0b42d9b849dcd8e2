//! The elementary functions and argument reductions, computed a second time from the reference text
//! alone: exact integers, one general rounding, and tables made anew from the rule that yields them.
//! Nothing here comes from the engine; only the names of the operations are shared.

mod evaluate;
mod functions;
mod number;
mod reduction;
pub(crate) mod table;

use cp2_isa::Arith;
use number::{Operand, flags};
pub(crate) use number::{Rounding, flags as flag};

/// Operands of an operation in one section.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operands {
    /// Old value of D, of which the functions keep a half.
    pub(crate) d: u64,
    pub(crate) s: u64,
    /// Bit 1: the function writes D.hi; bit 0: it reads S.hi.
    pub(crate) selector: u8,
    pub(crate) rounding: Rounding,
}

/// Results of an operation in one section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Computed {
    pub(crate) d: u64,
    pub(crate) q: u64,
    /// Flags that were raised: I U O Z V E, from bit 0.
    pub(crate) flags: u8,
}

/// A result and the flags that it raises.
type Flagged = (u32, u8);

fn halves(word: u64) -> [u32; 2] {
    [(word >> 32) as u32, word as u32]
}

fn join([hi, lo]: [u32; 2]) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Returns the flags that are reported: if V is raised, only V and E stay.
fn reported(raised: u8) -> u8 {
    if raised & flags::V == 0 { raised } else { raised & (flags::V | flags::E) }
}

/// Executes one of 70..75, 78..7b; `None` for every other operation.
pub(crate) fn execute(op: Arith, with: &Operands) -> Option<Computed> {
    use Arith::*;
    let computed = match op {
        Recip => function(functions::recip, true, with),
        Sinc => function(functions::sinc, true, with),
        Atanc => function(functions::atanc, false, with),
        Log2c => function(functions::log2c, false, with),
        Exp2 => function(functions::exp2, false, with),
        Rsqrt => function(functions::rsqrt, false, with),
        Rrcossin => {
            let x = Operand::of(with.s as u32);
            let (cos, sin) = (reduction::cosine(x, with.rounding), reduction::sine(x));
            Computed { d: join([cos.0, sin.0]), q: 0, flags: x.raised | cos.1 | sin.1 }
        }
        Rrsin => pairwise(reduction::sine, with),
        Rrcos => pairwise(|x| reduction::cosine(x, with.rounding), with),
        Rrlog2 => {
            let pair = halves(with.s).map(Operand::of);
            let split = pair.map(reduction::split);
            Computed {
                d: join(split.map(|(significand, _)| significand)),
                q: join(split.map(|(_, exponent)| exponent)),
                flags: pair[0].raised | pair[1].raised,
            }
        }
        _ => return None,
    };
    Some(Computed { flags: reported(computed.flags), ..computed })
}

/// Computes a function of one half; `both` says whether the other half is looked at, too.
fn function(f: impl Fn(Operand) -> Flagged, both: bool, with: &Operands) -> Computed {
    let pair = halves(with.s).map(Operand::of);
    let from_hi = with.selector & 1 == 1;
    let (x, other) = if from_hi { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
    let (bits, raised) = f(x);
    let mut d = halves(with.d);
    d[usize::from(with.selector & 2 == 0)] = bits;
    let beside = if both { other.raised } else { 0 };
    Computed { d: join(d), q: 0, flags: x.raised | raised | beside }
}

fn pairwise(f: impl Fn(Operand) -> Flagged, with: &Operands) -> Computed {
    let pair = halves(with.s).map(Operand::of);
    let [hi, lo] = pair.map(f);
    let flags = pair[0].raised | pair[1].raised | hi.1 | lo.1;
    Computed { d: join([hi.0, lo.0]), q: 0, flags }
}
