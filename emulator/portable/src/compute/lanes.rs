//! Words of all sections as lanes, and two float units on them: one that only computes, and one that proves
//! of every step that nothing but Inexact was raised.

use cp2_emu::arith::{FloatUnit, Rounding};
use cp2_emu::state::Quad;
use cp2_isa::SECTIONS;

/// Makes an array of an expression for each section. Used in place of `array::from_fn`, because what runs on lanes has to be
/// inlined: it is compiled for more than one kind of native machine.
macro_rules! each {
    ($s:ident => $e:expr) => {
        [
            {
                let $s = 0;
                $e
            },
            {
                let $s = 1;
                $e
            },
            {
                let $s = 2;
                $e
            },
            {
                let $s = 3;
                $e
            },
        ]
    };
}
pub(crate) use each;

/// Halves of the words of all sections as they lie in memory: what is the same for all of them is then one operation on a
/// vector, whatever the width of the native machine's.
pub(crate) type Lanes = [f32; 2 * SECTIONS];

/// Place of the upper half of a word among [`Lanes`]: the lower one comes first, unless the native machine writes numbers the
/// other way round.
const HI: usize = 1 - (u16::from_be(1) & 1) as usize;
const LO: usize = 1 - HI;

/// Returns the halves of a register.
#[inline(always)]
pub(crate) fn lanes(quad: &Quad) -> &Lanes {
    pulp::bytemuck::cast_ref(quad)
}

/// Half of the word of every section.
pub(crate) type Half = [f32; SECTIONS];

/// Word of every section, as its halves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    hi: Half,
    lo: Half,
}

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;

impl Word {
    #[inline(always)]
    pub(crate) fn of(quad: &Quad) -> Self {
        let x = lanes(quad);
        Self { hi: each!(s => x[2 * s + HI]), lo: each!(s => x[2 * s + LO]) }
    }

    /// Creates a word that is the same in every section.
    #[inline(always)]
    pub(crate) fn splat(word: u64) -> Self {
        let (hi, lo) = (f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32));
        Self { hi: [hi; SECTIONS], lo: [lo; SECTIONS] }
    }

    /// Writes the word to a register.
    #[inline(always)]
    pub(crate) fn write(self, to: &mut Quad) {
        let x: &mut Lanes = pulp::bytemuck::cast_mut(to);
        for s in 0..SECTIONS {
            (x[2 * s + HI], x[2 * s + LO]) = (self.hi[s], self.lo[s]);
        }
    }

    pub(crate) fn quad(self) -> Quad {
        let mut quad = Quad::default();
        self.write(&mut quad);
        quad
    }
}

/// Marks of lanes, each of which is 0 or 1. Each mark is a comparison of its own, because the compiler would mix the lanes of
/// larger sums of bits.
#[derive(Clone, Copy)]
pub(crate) struct Marks([u32; 2 * SECTIONS]);

impl Marks {
    pub(crate) const NONE: Self = Self([0; 2 * SECTIONS]);

    /// Marks numbers other than zero whose magnitude is below that of `least`.
    #[inline(always)]
    pub(crate) fn below(mut self, quad: &Quad, least: u32) -> Self {
        for (mark, x) in self.0.iter_mut().zip(lanes(quad)) {
            let magnitude = x.to_bits() & !SIGN;
            *mark |= u32::from(magnitude.wrapping_sub(1) < least - 1);
        }
        self
    }

    /// Marks infinities and NaN.
    #[inline(always)]
    pub(crate) fn special(mut self, quad: &Quad) -> Self {
        for (mark, x) in self.0.iter_mut().zip(lanes(quad)) {
            *mark |= u32::from(x.to_bits() & !SIGN >= INFINITY);
        }
        self
    }

    /// Whether anything is marked.
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.0 != Self::NONE.0
    }
}

/// Unit that computes with the arithmetic of the native machine. The results are those of CP2 where nothing but Inexact is
/// raised and rounding is to nearest, which the caller ensures.
pub(crate) struct Plain;

impl FloatUnit for Plain {
    type Half = Half;
    type Word = Word;

    #[inline(always)]
    fn hi(word: Word) -> Half {
        word.hi
    }

    #[inline(always)]
    fn lo(word: Word) -> Half {
        word.lo
    }

    #[inline(always)]
    fn join(hi: Half, lo: Half) -> Word {
        Word { hi, lo }
    }

    #[inline(always)]
    fn constant(bits: u32) -> Half {
        [f32::from_bits(bits); SECTIONS]
    }

    #[inline(always)]
    fn flipped(x: Half) -> Half {
        each!(s => f32::from_bits(x[s].to_bits() ^ SIGN))
    }

    #[inline(always)]
    fn add(&mut self, a: Half, b: Half) -> Half {
        each!(s => a[s] + b[s])
    }

    #[inline(always)]
    fn sub(&mut self, a: Half, b: Half) -> Half {
        each!(s => a[s] - b[s])
    }

    #[inline(always)]
    fn mul(&mut self, a: Half, b: Half) -> Half {
        each!(s => a[s] * b[s])
    }

    #[inline(always)]
    fn neg(&mut self, x: Half) -> Half {
        Self::flipped(x)
    }

    #[inline(always)]
    fn abs(&mut self, x: Half) -> Half {
        each!(s => f32::from_bits(x[s].to_bits() & !SIGN))
    }

    #[inline(always)]
    fn copysign(&mut self, x: Half, y: Half) -> Half {
        each!(s => f32::from_bits(x[s].to_bits() & !SIGN | y[s].to_bits() & SIGN))
    }

    #[inline(always)]
    fn canonicalize(&mut self, x: Half) -> Half {
        x
    }
}

/// Unit that computes with the arithmetic of the native machine in any rounding mode, and proves its steps. The unit notes
/// sections in which a step may have raised more than Inexact, whose results mean nothing, and sections in which a step was
/// inexact.
pub(crate) struct Watched {
    rounding: Rounding,
    /// Marks of sections, 0 or 1: wide ones, so that those of all sections are a vector of the native machine.
    unusual: [u32; SECTIONS],
    inexact: [u32; SECTIONS],
}

/// Whether a number is zero or normal.
#[inline(always)]
fn is_plain(x: f32) -> bool {
    let magnitude = x.to_bits() & !SIGN;
    // Without a branch, so that it is the same for all sections.
    (magnitude == 0) | (magnitude.wrapping_sub(MIN_NORMAL) < INFINITY - MIN_NORMAL)
}

impl Watched {
    pub(crate) fn new(rounding: Rounding) -> Self {
        Self { rounding, unusual: [0; SECTIONS], inexact: [0; SECTIONS] }
    }

    /// Whether a step may have raised more than Inexact in a section.
    pub(crate) fn is_unusual(&self, s: usize) -> bool {
        self.unusual[s] != 0
    }

    /// Whether a step was inexact in a section.
    pub(crate) fn is_inexact(&self, s: usize) -> bool {
        self.inexact[s] != 0
    }

    /// Returns the sums to nearest, in all sections at once.
    #[inline(always)]
    fn nearest_sums(&mut self, a: Half, b: Half) -> Half {
        let nearest: Half = each!(s => a[s] + b[s]);
        // What the sums lack, exactly (Knuth).
        let part: Half = each!(s => nearest[s] - a[s]);
        let rest: Half = each!(s => (a[s] - (nearest[s] - part[s])) + (b[s] - part[s]));
        for s in 0..SECTIONS {
            let is_known = rest[s].to_bits() & INFINITY != INFINITY;
            let is_usual = is_plain(a[s]) & is_plain(b[s]) & is_plain(nearest[s]) & is_known;
            self.unusual[s] |= u32::from(!is_usual);
            self.inexact[s] |= u32::from(rest[s] != 0.0);
        }
        nearest
    }

    /// Returns the products to nearest, in all sections at once.
    #[inline(always)]
    fn nearest_products(&mut self, a: Half, b: Half) -> Half {
        let nearest: Half = each!(s => a[s] * b[s]);
        // 48 bits fit into a double.
        let exact = each!(s => f64::from(a[s]) * f64::from(b[s]));
        for s in 0..SECTIONS {
            let magnitude = nearest[s].to_bits() & !SIGN;
            // At the least normal number rounding may have hidden an underflow.
            let is_large = magnitude.wrapping_sub(MIN_NORMAL + 1) < INFINITY - MIN_NORMAL - 1;
            let is_safe = is_large | (a[s] == 0.0) | (b[s] == 0.0);
            self.unusual[s] |= u32::from(!(is_plain(a[s]) & is_plain(b[s]) & is_safe));
            self.inexact[s] |= u32::from(exact[s] != f64::from(nearest[s]));
        }
        nearest
    }

    /// Rounds a result as the mode does: `nearest` is the number nearest to the exact result, which is larger by something of
    /// the sign of `rest`.
    #[inline(always)]
    fn rounded(&self, nearest: f32, rest: f64) -> f32 {
        let towards_zero = (nearest > 0.0 && rest < 0.0) || (nearest < 0.0 && rest > 0.0);
        let bits = nearest.to_bits();
        let moved = match self.rounding {
            Rounding::Nearest => bits,
            Rounding::Zero if towards_zero => bits - 1,
            Rounding::Up if rest > 0.0 => {
                if towards_zero {
                    bits - 1
                } else {
                    bits + 1
                }
            }
            Rounding::Down if rest < 0.0 => {
                if towards_zero {
                    bits - 1
                } else {
                    bits + 1
                }
            }
            _ => bits,
        };
        f32::from_bits(moved)
    }

    #[inline(always)]
    fn sum(&mut self, s: usize, a: f32, b: f32) -> f32 {
        let nearest = a + b;
        // What the sum lacks, exactly (Knuth).
        let part = nearest - a;
        let rest = (a - (nearest - part)) + (b - part);
        let result = if nearest == 0.0 && self.rounding == Rounding::Down {
            f32::from_bits((a.to_bits() | b.to_bits()) & SIGN)
        } else {
            self.rounded(nearest, f64::from(rest))
        };
        // Beside the largest number a step of it may overflow although the sum does not.
        let is_known = rest.is_finite();
        let is_safe = is_plain(nearest) && is_plain(result) && is_known;
        self.unusual[s] |= u32::from(!(is_plain(a) && is_plain(b) && is_safe));
        self.inexact[s] |= u32::from(rest != 0.0);
        result
    }

    #[inline(always)]
    fn product(&mut self, s: usize, a: f32, b: f32) -> f32 {
        // 48 bits fit into a double.
        let (exact, nearest) = (f64::from(a) * f64::from(b), a * b);
        let rest = exact - f64::from(nearest);
        let result = self.rounded(nearest, rest);
        // At the least normal number rounding may have hidden an underflow.
        let large = |x: f32| x.to_bits() & !SIGN > MIN_NORMAL && is_plain(x);
        let zero = a == 0.0 || b == 0.0;
        let is_safe = zero || large(nearest) && large(result);
        self.unusual[s] |= u32::from(!(is_plain(a) && is_plain(b) && is_safe));
        self.inexact[s] |= u32::from(rest != 0.0);
        result
    }

    /// Notes operands on whose signs an operation is not exact: those that are neither zero nor normal.
    fn look_at(&mut self, x: Half) {
        for (unusual, x) in self.unusual.iter_mut().zip(x) {
            *unusual |= u32::from(!is_plain(x));
        }
    }
}

impl FloatUnit for Watched {
    type Half = Half;
    type Word = Word;

    #[inline(always)]
    fn hi(word: Word) -> Half {
        word.hi
    }

    #[inline(always)]
    fn lo(word: Word) -> Half {
        word.lo
    }

    #[inline(always)]
    fn join(hi: Half, lo: Half) -> Word {
        Word { hi, lo }
    }

    #[inline(always)]
    fn constant(bits: u32) -> Half {
        Plain::constant(bits)
    }

    #[inline(always)]
    fn flipped(x: Half) -> Half {
        Plain::flipped(x)
    }

    #[inline(always)]
    fn add(&mut self, a: Half, b: Half) -> Half {
        if self.rounding == Rounding::Nearest {
            return self.nearest_sums(a, b);
        }
        each!(s => self.sum(s, a[s], b[s]))
    }

    #[inline(always)]
    fn sub(&mut self, a: Half, b: Half) -> Half {
        self.add(a, Plain::flipped(b))
    }

    #[inline(always)]
    fn mul(&mut self, a: Half, b: Half) -> Half {
        if self.rounding == Rounding::Nearest {
            return self.nearest_products(a, b);
        }
        each!(s => self.product(s, a[s], b[s]))
    }

    #[inline(always)]
    fn neg(&mut self, x: Half) -> Half {
        self.look_at(x);
        Plain.neg(x)
    }

    #[inline(always)]
    fn abs(&mut self, x: Half) -> Half {
        self.look_at(x);
        Plain.abs(x)
    }

    #[inline(always)]
    fn copysign(&mut self, x: Half, y: Half) -> Half {
        self.look_at(x);
        self.look_at(y);
        Plain.copysign(x, y)
    }

    #[inline(always)]
    fn canonicalize(&mut self, x: Half) -> Half {
        self.look_at(x);
        x
    }
}
