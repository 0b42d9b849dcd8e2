//! Short FFTs of many vectors, 64 to 16384 points in single precision: the kernels, and the host code that deals
//! vectors to the sections, runs a kernel batch by batch and collects the results.

mod generate;
pub mod in_place;
pub mod strided;

pub use generate::SINGLE_LENGTHS;

use cp2_emu::{Cp2, Stats};
use cp2_isa::{BundleAddress, Core, SECTIONS};
use cp2_reference::fft::by_definition;
use cp2_session::error::KernelError;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::{complex, machine_with, word};
use cp2_session::numbers::{self, ErrorMeasure};
use cp2_session::{Environment, random};
use num_complex::{Complex32, Complex64};

/// Lengths, in points, of the vectors for which there is a kernel and that fit the local memory of CP2. A vector lies
/// in one section, one complex point to a word.
pub const LENGTHS: [usize; 8] = [64, 128, 256, 512, 1024, 2048, 4096, 8192];
/// Longest length, in points, for which there is a kernel: its vectors fit only a local memory larger than that of CP2.
pub const LONGEST: usize = 16384;

/// Options of FFTs of many vectors by [`run`] and [`run_in_parts`]: direction, scaling, and how the kernel is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the transform is the inverse one (bit I of register CONTROL): exp(+2 pi i j k / N), not divided by N.
    pub inverse: bool,
    /// Whether the host multiplies the results by 1/N after CP2 has computed them.
    pub scale: bool,
    /// Most vectors that one run of the kernel transforms in each section, at most [`largest_batch`]; 0 for
    /// [`largest_batch`] itself.
    pub batch: usize,
    /// Whether the kernel of [`single_source`] is used, which keeps one vector of each section in the registers. It
    /// exists for [`SINGLE_LENGTHS`]; `batch` is then 0 or 1.
    pub is_single: bool,
    /// Whether NaN and infinities in the input are let through; [`check_against_definition`] then leaves out the
    /// vectors that hold one.
    pub takes_any: bool,
    /// Engine, core, limit of cycles and recorder with which the kernel is run.
    pub execution: Execution,
}

/// Results and cost of FFTs of many vectors on CP2 alone, by [`run`] or [`run_in_parts`].
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Results, vector by vector in the order of the input, each in the natural order of its points; empty after
    /// [`run_in_parts`].
    pub output: Vec<Complex32>,
    /// Number of complex points of a vector.
    pub points: usize,
    /// Number of vectors that were transformed.
    pub vectors: usize,
    /// Size and counts of each run of the kernel, in order; at most the first [`KEPT_RUNS`].
    pub runs: Vec<BatchRun>,
    /// Number of runs of the kernel after the first [`KEPT_RUNS`].
    pub further_runs: u64,
    /// Kernel cycles of all runs after the first [`KEPT_RUNS`].
    pub further_cycles: u64,
}

/// Most runs of the kernel of which a [`Report`] keeps the counts one by one.
pub const KEPT_RUNS: usize = 1000;

/// Input of [`run_in_parts`]: vectors that the caller gives, or random ones.
#[derive(Clone, Copy, Debug)]
pub enum InputVectors<'a> {
    /// Points of the given vectors, vector after vector.
    Given(&'a [Complex32]),
    /// Random vectors, which are made as they are needed; both parts of a point are uniform in [-1, 1).
    Random {
        /// Seed of the random numbers; the same seed gives the same vectors.
        seed: u64,
        /// Number of vectors that are made.
        vectors: usize,
    },
}

/// Size and counts of one run of the kernel, which transforms a batch of vectors in each section.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRun {
    /// Vectors that the run transformed in each section; some of the last run may be padding of zeros.
    pub vectors_per_section: usize,
    /// Counts of the run of the kernel: cycles by cause, operations and accesses to local memory; moving vectors in and
    /// out takes no part in them.
    pub stats: Stats,
}

impl BatchRun {
    /// Returns the cycles of the run divided by its vectors in each section.
    pub fn cycles_per_vector(&self) -> f64 {
        self.stats.cycles as f64 / self.vectors_per_section as f64
    }
}

impl Report {
    /// Returns the kernel cycles of all runs; moving data in and out is not counted.
    pub fn cycles(&self) -> u64 {
        self.runs.iter().map(|r| r.stats.cycles).sum::<u64>() + self.further_cycles
    }

    fn add(&mut self, run: BatchRun) {
        if self.runs.len() < KEPT_RUNS {
            self.runs.push(run);
        } else {
            self.further_runs += 1;
            self.further_cycles += run.stats.cycles;
        }
    }
}

/// Returns the number of radix-2 butterflies of an FFT of `points` points, a power of two: points / 2 * log2(points). A
/// section does at most one in a cycle, so the number is also the fewest cycles for one vector in each section.
pub fn butterflies(points: usize) -> usize {
    points / 2 * points.trailing_zeros() as usize
}

/// Returns the most vectors of `points` points that one run of the kernel can transform in each section of a
/// core: one half of local memory holds the input, the other the output. It is 1 for the kernels that work in place, of
/// 4096 points and more, and 0 if no vector fits or `points` is 0.
pub fn largest_batch(core: &Core, points: usize) -> usize {
    match is_in_place(points) {
        true => usize::from(core.lmem_words() >= points),
        false => (core.lmem_words() / 2).checked_div(points).unwrap_or(0),
    }
}

/// Points of the shortest kernel that works in place, on one vector.
const IN_PLACE: usize = 4096;

/// Whether the kernel for vectors of `points` points leaves its results in the place of the points in local memory, in
/// the order of [`place`]: so do those of 4096 points and more. The others leave them elsewhere in local memory.
pub fn is_in_place(points: usize) -> bool {
    points >= IN_PLACE
}

/// Returns the word of local memory, counted from 0 at the begin of its vector, where the kernel for `points` points
/// leaves result `k`. For kernels in place the bits of `k` between the lowest and the highest are reversed, which one
/// bit-reversed walk of the DMA undoes; else the word is `k`.
pub fn place(points: usize, k: usize) -> usize {
    if !is_in_place(points) {
        return k;
    }
    let bits = points.trailing_zeros();
    let inner = ((k >> 1) & (points / 4 - 1)).reverse_bits() >> (usize::BITS - (bits - 2));
    (k & 1) | (inner << 1) | (k & (points / 2))
}

/// Returns the word address of the results when the points lie at word 0, as [`run`] has them.
fn output_address(core: &Core, points: usize) -> usize {
    if is_in_place(points) { 0 } else { core.lmem_words() / 2 }
}

/// Returns the assembly text of the kernel that transforms any number of vectors of `points` points in each section of
/// a core. The kernel takes in `g0` the word address of the input, in `g1` that of the output, and in `g2` the number
/// of vectors less 1.
///
/// # Errors
/// No kernel has this length, or the core has too few registers for it.
pub fn source(core: &Core, points: usize) -> Result<String, KernelError> {
    generate::kernel(core, points)?.ok_or_else(|| length_error(points))
}

/// Returns the assembly text of the kernel for vectors of `points` points as a routine with the label `name`, which
/// another kernel calls with the arguments in the same registers as for [`source`].
///
/// # Errors
/// No kernel has this length, or the core has too few registers for it.
pub fn routine(core: &Core, points: usize, name: &str) -> Result<String, KernelError> {
    generate::batch_routine(core, points, name)?.ok_or_else(|| length_error(points))
}

fn length_error(points: usize) -> KernelError {
    KernelError::Length {
        points,
        allowed: "64, 128, 256, 512, 1024, 2048, 4096, 8192 or 16384".to_owned(),
    }
}

/// Returns the assembly text of the kernel that transforms one vector in each section and keeps it in the registers,
/// for a length of [`SINGLE_LENGTHS`] and a core.
///
/// # Errors
/// No such kernel has this length, or the core has too few registers or too long latencies for it.
pub fn single_source(core: &Core, points: usize) -> Result<String, KernelError> {
    match SINGLE_LENGTHS.contains(&points) {
        true => generate::single(core, points),
        false => {
            Err(KernelError::Length { points, allowed: "64, 128 and 256 in the registers".into() })
        }
    }
}

impl Options {
    /// Returns the name of the kernel's file, and the text of the kernel.
    fn kernel(&self, points: usize) -> Result<(String, String), KernelError> {
        let core = &self.execution.core;
        if !self.is_single {
            let name = format!("fft{points}");
            let made = self.execution.environment.text(core, &name, || source(core, points))?;
            return Ok((name + ".s", made));
        }
        Ok((format!("fft{points}_single.s"), single_source(core, points)?))
    }
}

/// Returns [`largest_batch`] of a core for vectors of `points` points, which is at least 1.
///
/// # Errors
/// Local memory has too few words for one vector.
pub fn fitting_batch(core: &Core, points: usize) -> Result<usize, KernelError> {
    let needed = if is_in_place(points) { points } else { 2 * points };
    let name = format!("fft{points}");
    KernelError::require(&name, "words of local memory", needed, core.lmem_words())?;
    Ok(largest_batch(core, points))
}

/// Number of vectors in each section with which `cp2 bench` counts the cycles of a kernel for vectors so short that as
/// many fit local memory.
pub const COUNTED_BATCH: usize = 16;

/// Prepares one run of the kernel for `points` points: returns a CP2 with the kernel in instruction memory, `vectors`
/// random vectors in every section (the same ones in each) and the arguments in the registers, and the address of the
/// kernel's first bundle.
///
/// # Errors
/// No kernel has this length, or the core has too few registers for it.
pub fn loaded(
    core: &Core,
    points: usize,
    vectors: usize,
) -> Result<(Cp2, BundleAddress), KernelError> {
    let (mut cp2, entry) =
        machine_with(&Environment::new(), core, &format!("fft{points}.s"), &source(core, points)?)?;
    let numbers = random::complex(1, vectors * points);
    for (quad, x) in cp2.state.lmem.iter_mut().zip(numbers) {
        *quad = [word(x); SECTIONS];
    }
    cp2.state.gpr[..3].copy_from_slice(&[
        0,
        output_address(core, points) as u64,
        vectors as u64 - 1,
    ]);
    Ok((cp2, entry))
}

/// Transforms the vectors of `points` points that lie one after the other in `input`, on CP2 alone.
///
/// # Errors
/// The input is no whole number of vectors or has numbers that are not finite (see [`check`]), the kernel does not take
/// the length or the options, or a run does not end.
pub fn run(points: usize, input: &[Complex32], options: &Options) -> Result<Report, KernelError> {
    let mut output = Vec::with_capacity(input.len());
    let report = run_in_parts(points, InputVectors::Given(input), options, &mut |_, results| {
        output.extend_from_slice(results);
        Ok(())
    })?;
    Ok(Report { output, ..report })
}

/// Function that [`run_in_parts`] calls after every run of the kernel: with the vectors that the run took, and with
/// their transforms, both vector after vector. An error that it returns ends the whole transform.
pub type TransformSink<'a> = dyn FnMut(&[Complex32], &[Complex32]) -> Result<(), KernelError> + 'a;

/// Transforms vectors of `points` points run by run of the kernel, on CP2 alone, and hands the vectors and results of
/// each run to `part`. The report has no output, so many vectors need no more memory than few.
///
/// Vector v goes to section v mod 4. In every run the input lies in the first half of local memory and the output in
/// the second; kernels in place have both at word 0.
///
/// # Errors
/// The kernel does not take the vectors or the options, a run does not end, or `part` returns an error.
pub fn run_in_parts(
    points: usize,
    vectors: InputVectors<'_>,
    options: &Options,
    part: &mut TransformSink<'_>,
) -> Result<Report, KernelError> {
    let core = &options.execution.core;
    let (name, text) = options.kernel(points)?;
    let vectors_of = |input: &[Complex32]| input.len() / points;
    let all = match vectors {
        InputVectors::Given(input) => {
            check(points, input, options.takes_any)?;
            vectors_of(input)
        }
        InputVectors::Random { vectors, .. } => vectors,
    };
    let (mut cp2, entry) = KernelRunner::with(&name, &text, &options.execution)?;
    if options.inverse {
        cp2.state().control |= cp2_emu::state::CONTROL_INVERSE;
    }
    let largest = if options.is_single { 1 } else { fitting_batch(core, points)? };
    let batch = if options.batch == 0 { largest } else { options.batch };
    if batch > largest {
        return Err(KernelError::Batch { batch, largest });
    }
    let mut report = Report {
        output: Vec::new(),
        points,
        vectors: all,
        runs: Vec::new(),
        further_runs: 0,
        further_cycles: 0,
    };
    let factor = if options.scale { 1.0 / points as f32 } else { 1.0 };
    let output = output_address(core, points);
    let mut transform = |input: &[Complex32]| {
        let mut results = Vec::with_capacity(input.len());
        report.add(run_batch(&mut cp2, entry, (points, output), input)?);
        collect(cp2.cp2(), (points, output), vectors_of(input), &mut results);
        if options.scale {
            results.iter_mut().for_each(|x| *x *= factor);
        }
        part(input, &results)
    };
    let most = SECTIONS * batch;
    match vectors {
        InputVectors::Given(input) => input.chunks(points * most).try_for_each(&mut transform)?,
        InputVectors::Random { seed, .. } => {
            let mut sequence = random::SplitMix64::new(seed);
            let starts = (0..all).step_by(most);
            let mut parts = starts.map(|start| sequence.complex(points * most.min(all - start)));
            parts.try_for_each(|input| transform(&input))?;
        }
    }
    Ok(report)
}

/// Refuses input that cannot be transformed.
///
/// # Errors
/// The input is empty or no whole number of vectors of `points` points, or has a number that is not finite although
/// `takes_any` is not set.
pub fn check(points: usize, input: &[Complex32], takes_any: bool) -> Result<(), KernelError> {
    if input.is_empty() || !input.len().is_multiple_of(points) {
        return Err(KernelError::Size { values: input.len(), points });
    }
    if takes_any { Ok(()) } else { KernelError::require_finite(points, input) }
}

fn run_batch(
    cp2: &mut KernelRunner,
    entry: BundleAddress,
    (points, output): (usize, usize),
    vectors: &[Complex32],
) -> Result<BatchRun, KernelError> {
    let per_section = (vectors.len() / points).div_ceil(SECTIONS);
    let lmem = &mut cp2.state().lmem;
    lmem[..per_section * points].fill([0; SECTIONS]);
    for (v, vector) in vectors.chunks(points).enumerate() {
        let start = v / SECTIONS * points;
        for (quad, x) in lmem[start..].iter_mut().zip(vector) {
            quad[v % SECTIONS] = word(*x);
        }
    }
    let stats = cp2.call(entry, &[0, output, per_section - 1])?;
    Ok(BatchRun { vectors_per_section: per_section, stats })
}

fn collect(cp2: &Cp2, (points, from): (usize, usize), vectors: usize, output: &mut Vec<Complex32>) {
    for v in 0..vectors {
        let start = from + v / SECTIONS * points;
        let result = |k| complex(cp2.state.lmem[start + place(points, k)][v % SECTIONS]);
        output.extend((0..points).map(result));
    }
}

/// Returns the transform of one vector by its definition, in double precision, of the numbers as CP2 reads them
/// (denormals as zeros), in time N^2 for its N points: result k is the sum over j of `x[j] exp(-2 pi i j k / N)`, or
/// exp(+...) for the inverse, which is not divided by N.
pub fn reference(input: &[Complex32], inverse: bool) -> Vec<Complex64> {
    let read: Vec<_> = input.iter().map(|x| numbers::read_complex(*x)).collect();
    by_definition(&read, if inverse { 1.0 } else { -1.0 })
}

/// Returns the root of the mean square of the differences between results and their reference, relative to that of the
/// reference; 0 if there is no difference.
pub fn relative_rms_error(output: &[Complex32], reference: &[Complex64]) -> f64 {
    let square = |z: Complex64| z.norm_sqr();
    let difference: f64 = output
        .iter()
        .zip(reference)
        .map(|(a, b)| square(Complex64::new(a.re.into(), a.im.into()) - b))
        .sum();
    if difference == 0.0 {
        return 0.0;
    }
    (difference / reference.iter().copied().map(square).sum::<f64>()).sqrt()
}

/// Result of the comparison of transforms with their definition in double precision, by [`check_against_definition`]:
/// the error over all compared vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Number of vectors that were compared with the definition.
    pub vectors: usize,
    /// Root of the mean square of the errors of all compared vectors, relative to that of the reference. Errors that
    /// flushing of denormals to zero explains are left out.
    pub relative_rms_error: f64,
    /// Number of real and imaginary parts in the reference of the compared vectors that are denormal in single
    /// precision, which CP2 flushes to zero.
    pub lost: u64,
}

impl Check {
    /// Limit of the relative RMS error: a check passes if the error is less. The roundings of single precision are off
    /// by 6e-8 at most, and log2 N of them in a row add up like the root of their number, to 2.4e-7 for 65536 points.
    pub const LIMIT: f64 = 3e-7;

    /// Whether the error is less than [`Self::LIMIT`].
    pub fn is_passed(&self) -> bool {
        self.relative_rms_error < Self::LIMIT
    }
}

/// Most vectors that [`check_against_definition`] compares: the definition costs N^2 operations for a vector.
pub const CHECKED_VECTORS: usize = 64;

/// Returns the largest absolute error of one number of a transform of `points` points that flushing of denormals
/// between two operations explains. Each of the log2 N stages makes a number of two products and two sums in each part,
/// which lose less than the smallest normal number each. The N / 2^s numbers of stage s reach a result.
pub fn lost(points: usize) -> f64 {
    8.0 * points as f64 * f64::from(f32::MIN_POSITIVE)
}

/// Compares the first [`CHECKED_VECTORS`] transforms of a report with [`reference`](fn@reference) of `input`, which has
/// the vectors that the report transformed with these options, and returns the error over all of them. Vectors with
/// numbers that are not finite are left out.
pub fn check_against_definition(report: &Report, input: &[Complex32], options: &Options) -> Check {
    let points = report.points;
    let factor = if options.scale { 1.0 / points as f64 } else { 1.0 };
    let (mut distance, mut vectors) = (ErrorMeasure::default(), 0);
    let pairs = input.chunks(points).zip(report.output.chunks(points)).take(CHECKED_VECTORS);
    for (x, result) in pairs.filter(|(x, _)| x.iter().all(numbers::is_finite)) {
        let inverse = options.inverse;
        let made = || reference(x, inverse);
        let exact = options.execution.environment.reference(("definition", inverse), x, made);
        distance.add(result, &exact, factor);
        vectors += 1;
    }
    let relative_rms_error = distance.relative(lost(points) * factor);
    Check { vectors, relative_rms_error, lost: distance.lost() }
}
