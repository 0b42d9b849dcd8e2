//! Pointwise products of complex arrays in local memory: a modulo-scheduled loop that keeps every exchange slot busy.
//! Products that an FFT kernel computes on its results are in `fft::strided`.

use cp2_isa::{Core, SECTIONS};
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::{complex, word};
use cp2_session::numbers::{ErrorMeasure, is_finite, read_complex};
use num_complex::Complex32;
use std::fmt::Write as _;

/// Pointwise product that a kernel computes from arrays x and y into array z, for every word i of the local memory of
/// each section. A word holds one complex number in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// z\[i\] = x\[i\] y\[i\].
    Plain,
    /// z\[i\] = x\[i\] conj(y\[i\]).
    Conjugate,
    /// z\[i\] = x\[i\] c, where c is the complex number in the first word of y.
    Scale,
}

/// Operation of one pair of words: cycle after the first one of the pair, whether the operation is arithmetic, and the text
/// of the operation from the first register of the pair and the name of the multiplication.
type TimedOperation = (usize, bool, fn(usize, &str) -> String);

/// Returns the first cycle from `cycle` on in which an operation that every pair has may lie; `slot` is the place of the
/// operation's slot within the cycles of a pair.
fn next(cycle: usize, slot: usize, period: usize) -> usize {
    cycle + (slot + period - cycle % period) % period
}

impl Product {
    /// All products, in the order in which lists of kernels show them.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Conjugate, Self::Scale];

    /// Returns the name of the kernel: `cmul`, `chmul` or `cscale`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "cmul",
            Self::Conjugate => "chmul",
            Self::Scale => "cscale",
        }
    }

    /// Returns the number of cycles in which the kernel's loop finishes two words in each section: 3, or 2 for
    /// [`Self::Scale`]. The exchange operations of two words, their double loads and their double store, fill as many
    /// slots.
    pub fn cycles_per_pair(self) -> usize {
        if self == Self::Scale { 2 } else { 3 }
    }

    /// Returns the number of pairs of words in the loop; the number of all pairs is a multiple of it.
    fn unroll(self) -> usize {
        if self == Self::Scale { 8 } else { 4 }
    }

    /// Returns the number of registers of a pair.
    fn registers(self) -> usize {
        if self == Self::Scale { 4 } else { 8 }
    }

    /// Returns the number of words in each section that one pass of the kernel's loop multiplies: 8, or 16 for
    /// [`Self::Scale`]. The kernel takes only multiples of it.
    pub fn granule(self) -> usize {
        2 * self.unroll()
    }

    /// Returns the fewest words in each section that the kernel takes on a core: those of the prologue and the epilogue
    /// of its pipelined loop, without a pass of the loop itself.
    pub fn fewest(self, core: &Core) -> usize {
        self.granule() * (self.stages(core) - 1)
    }

    /// Returns the operations of a pair of words: loads as early as can be; products when the loads have landed; the store in
    /// the exchange slot that loads leave, when the products have.
    fn steps(self, core: &Core) -> Vec<TimedOperation> {
        let latencies = core.latencies();
        let [arithmetic, load] = [latencies.arithmetic, latencies.load].map(|n| n as usize);
        let period = self.cycles_per_pair();
        // Both loads take a slot but for `cscale`, whose factor stays.
        let loads = period - 1;
        let first = loads - 1 + load;
        let store = next(first + 1 + arithmetic, loads, period);
        match self {
            Self::Scale => vec![
                (0, false, |r, _| format!("ldo f{r}, (r0)+2")),
                (first, true, |r, _| format!("cmul f{}, f{r}, f32", r + 2)),
                (first + 1, true, |r, _| format!("cmul f{}, f{}, f32", r + 3, r + 1)),
                (store, false, |r, _| format!("sdo f{}, (r2)+2", r + 2)),
            ],
            _ => vec![
                (0, false, |r, _| format!("ldo f{r}, (r0)+2")),
                (1, false, |r, _| format!("ldo f{}, (r1)+2", r + 2)),
                (first, true, |r, op| format!("{op} f{}, f{r}, f{}", r + 4, r + 2)),
                (first + 1, true, |r, op| format!("{op} f{}, f{}, f{}", r + 5, r + 1, r + 3)),
                (store, false, |r, _| format!("sdo f{}, (r2)+2", r + 4)),
            ],
        }
    }

    /// Returns the number of registers that the text names, `f32` of `cscale` among them.
    fn all_registers(self) -> usize {
        self.unroll() * self.registers() + usize::from(self == Self::Scale)
    }

    /// Returns the number of loop bodies from the first operation of a pair to behind its last.
    fn stages(self, core: &Core) -> usize {
        let last = self.steps(core).iter().map(|s| s.0).max().unwrap_or(0);
        let period = self.cycles_per_pair();
        (last + 1 - period).div_ceil(self.unroll() * period) + 1
    }

    /// Returns the assembly text of the kernel for a core. The kernel takes in `g0`, `g1` and `g2` the word addresses
    /// of x, y and z, which are even, except that y of `cscale` may be odd; z may be x or y. In `g3` it takes the value
    /// that [`Self::count`] returns.
    ///
    /// # Errors
    /// The core has too few floating-point registers.
    pub fn source(self, core: &Core) -> Result<String, KernelError> {
        let registers = "floating-point registers";
        KernelError::require(self.name(), registers, self.all_registers(), core.fprs())?;
        let stages = self.stages(core);
        let steps = self.steps(core);
        let body = self.unroll() * self.cycles_per_pair();
        let rest = (stages - 1) * body;
        let name = self.name();
        let mut text = format!(
            "; {name}; generated by programs/kernels/src/cmul.rs.
; g0, g1, g2 word addresses of x, y and z; g3 number of words / {} - {}.
        .kernel {name}
        .arg    turns, g3
{}        | move a0, g0
        | move a1, g1
        | move a2, g2
",
            self.granule(),
            stages - 1,
            self.declared(stages - 1)
        );
        if self == Self::Scale {
            text += "        | lwo f32, (r1)+0\n";
        }
        self.lines(&mut text, &steps, 0..rest, |_| true);
        text += "        | do g3, last\n";
        let end = rest + body - 2;
        self.lines(&mut text, &steps, rest..end, |_| true);
        text += "last:\n";
        self.lines(&mut text, &steps, end..rest + body, |_| true);
        let begun = rest / self.cycles_per_pair() + self.unroll();
        self.lines(&mut text, &steps, rest + body..2 * rest + body, |pair| pair < begun);
        text += "        | stopi 0\n";
        Ok(text)
    }

    /// Writes the bundles of `cycles`, with the operations of the pairs that `is_done` names.
    fn lines(
        self,
        text: &mut String,
        steps: &[TimedOperation],
        cycles: std::ops::Range<usize>,
        is_done: impl Fn(usize) -> bool,
    ) {
        let period = self.cycles_per_pair();
        let operation = if self == Self::Conjugate { "chmul" } else { "cmul" };
        for cycle in cycles {
            let slot = |is_arithmetic: bool| {
                steps.iter().find_map(|&(at, arithmetic, op)| {
                    let since = cycle.checked_sub(at)?;
                    let pair = since / period;
                    let hit = since % period == 0 && arithmetic == is_arithmetic && is_done(pair);
                    hit.then(|| op(self.registers() * (pair % self.unroll()), operation))
                })
            };
            let _ = match (slot(true), slot(false)) {
                (None, None) => writeln!(text, "        nop"),
                (Some(a), None) => writeln!(text, "        {a}"),
                (None, Some(x)) => writeln!(text, "        | {x}"),
                (Some(a), Some(x)) => writeln!(text, "        {a} | {x}"),
            };
        }
    }

    /// Returns the arrays that the kernel takes and gives, where `beyond` granules go beyond the turns of the loop.
    fn declared(self, beyond: usize) -> String {
        let array = |name: &str, direction: &str, size: &str, register: &str| {
            format!("        .array  {name}, {direction}, complex64, {size}, at={register}\n")
        };
        let size = format!("4, {}*(turns + {beyond}), layout=blocks", self.granule());
        let y = if self == Self::Scale { "1" } else { &size };
        array("x", "in", &size, "g0") + &array("y", "in", y, "g1") + &array("z", "out", &size, "g2")
    }

    /// Returns the argument of the kernel in `g3`, the number of passes of its loop between prologue and epilogue, for
    /// `words` words in each section: `words / granule - fewest / granule`.
    ///
    /// # Errors
    /// `words` is no multiple of [`Self::granule`], is less than [`Self::fewest`], or is more than local memory has.
    pub fn count(self, core: &Core, words: usize) -> Result<usize, KernelError> {
        let granule = self.granule();
        let (fewest, most) = (self.fewest(core), core.lmem_words());
        if !words.is_multiple_of(granule) || words < fewest || words > most {
            let limit = format!("a multiple of {granule} from {fewest} to {most}");
            return Err(KernelError::Parameter { what: "number of words", value: words, limit });
        }
        Ok(words / granule - (self.stages(core) - 1))
    }

    /// Returns the fewest cycles that the kernel can take for one word in each section: half of
    /// [`Self::cycles_per_pair`].
    pub fn bound(self) -> f64 {
        self.cycles_per_pair() as f64 / 2.0
    }
}

/// Returns the most words in each section that [`run`] multiplies in one run of a kernel, a quarter of the words of
/// local memory: x and y share half of local memory, and z takes the place of x.
pub const fn largest(core: &Core) -> usize {
    core.lmem_words() / 4
}

/// Multiplies two arrays on CP2 alone, in as many runs of the kernel as they need, and returns the products and the
/// kernel cycles of all runs. Element i goes to section i mod 4. For [`Product::Scale`] the first element of `y` is the
/// factor, and the others do not count.
///
/// # Errors
/// An array is empty, the arrays have different lengths (except for [`Product::Scale`]), the core has too few
/// registers, or a run of the kernel does not end.
pub fn run(
    product: Product,
    x: &[Complex32],
    y: &[Complex32],
    on: &Execution,
) -> Result<(Vec<Complex32>, u64), KernelError> {
    let (mut cp2, entry) = KernelRunner::with(product.name(), &product.source(&on.core)?, on)?;
    if x.is_empty() || y.is_empty() || product != Product::Scale && x.len() != y.len() {
        return Err(KernelError::Size { values: y.len(), points: x.len() });
    }
    let (core, largest) = (&on.core, largest(&on.core));
    let (mut output, mut cycles) = (Vec::with_capacity(x.len()), 0);
    for (page, part) in x.chunks(SECTIONS * largest).enumerate() {
        let words = part.len().div_ceil(SECTIONS).max(product.fewest(core));
        let words = words.next_multiple_of(product.granule());
        let lmem = &mut cp2.state().lmem;
        lmem.fill([0; SECTIONS]);
        for (i, &value) in part.iter().enumerate() {
            lmem[i / SECTIONS][i % SECTIONS] = word(value);
            let factor = y.get(page * SECTIONS * largest + i).map_or(0, |&y| word(y));
            lmem[largest + i / SECTIONS][i % SECTIONS] = factor;
        }
        if product == Product::Scale {
            lmem[largest] = [word(y[0]); SECTIONS];
        }
        cycles += cp2.call(entry, &[0, largest, 0, product.count(core, words)?])?.cycles;
        let lmem = &cp2.state().lmem;
        output.extend((0..part.len()).map(|i| complex(lmem[i / SECTIONS][i % SECTIONS])));
    }
    Ok((output, cycles))
}

/// Compares the results `output` of a product, elements of `x` and `y` in order, with products in double precision of
/// the same numbers as CP2 reads them (denormals as zeros). Returns the sums of the squares of the errors and of the
/// exact products, for [`relative_rms_error`]. Elements are left out where a factor is not finite.
pub fn distance(
    product: Product,
    x: &[Complex32],
    y: &[Complex32],
    output: &[Complex32],
) -> ErrorMeasure {
    let mut distance = ErrorMeasure::default();
    for (i, (&x, result)) in x.iter().zip(output).enumerate() {
        let y = if product == Product::Scale { y[0] } else { y[i] };
        if !(is_finite(&x) && is_finite(&y)) {
            continue;
        }
        let (x, y) = (read_complex(x), read_complex(y));
        let exact = if product == Product::Conjugate { x * y.conj() } else { x * y };
        distance.add(std::slice::from_ref(result), &[exact], 1.0);
    }
    distance
}

/// Returns the root of the mean square of the errors of products that [`distance`] measured, relative to that of the
/// exact products. The part that flushing of denormals to zero explains is left out: each part of a complex result has
/// two products and a sum, which may lose less than the smallest normal number each.
pub fn relative_rms_error(distance: &ErrorMeasure) -> f64 {
    distance.relative(8.0 * f64::from(f32::MIN_POSITIVE))
}
