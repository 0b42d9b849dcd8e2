//! Short FFTs of many vectors: the kernels, and the part of the host that deals vectors to the
//! sections, runs a kernel batch by batch and collects the results.

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

/// Lengths that have a kernel and fit the local memory of CP2.
pub const LENGTHS: [usize; 8] = [64, 128, 256, 512, 1024, 2048, 4096, 8192];
/// Length that has a kernel and fits a local memory larger than that of CP2.
pub const LONGEST: usize = 16384;

/// Options of a transform of many vectors: direction, scaling, and how the kernel is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the transform is the inverse one (CONTROL.I).
    pub inverse: bool,
    /// Whether the result is multiplied by 1/N, on the host.
    pub scale: bool,
    /// Vectors that one run of the kernel transforms in each section, at most; 0 for as many as
    /// one bank of local memory holds.
    pub batch: usize,
    /// Whether the transform is done by the kernel that keeps one vector in the registers, which there is for
    /// [`SINGLE_LENGTHS`]; the batch is 1 then.
    pub is_single: bool,
    /// Whether NaN and infinities in the input are let through; vectors that hold one are not checked.
    pub takes_any: bool,
    /// Way in which the kernel is run: engine, core, limit of cycles.
    pub execution: Execution,
}

/// Results and cost of a transform of many vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Points of the transforms, vector by vector.
    pub output: Vec<Complex32>,
    /// Number of complex points of a vector.
    pub points: usize,
    /// Number of vectors that were transformed.
    pub vectors: usize,
    /// Counts of each run of the kernel, of the first [`KEPT_RUNS`].
    pub runs: Vec<BatchRun>,
    /// Number of runs beyond the first [`KEPT_RUNS`].
    pub further_runs: u64,
    /// Kernel cycles of the runs beyond the first [`KEPT_RUNS`].
    pub further_cycles: u64,
}

/// Runs of which a report keeps the counts.
pub const KEPT_RUNS: usize = 1000;

/// The vectors that are transformed: given, or made at random.
#[derive(Clone, Copy, Debug)]
pub enum InputVectors<'a> {
    /// Vectors that are given, one after the other.
    Given(&'a [Complex32]),
    /// Random vectors, which are made when they are needed.
    Random {
        /// Seed of the random sequence.
        seed: u64,
        /// Number of vectors.
        vectors: usize,
    },
}

/// Size and counts of one run of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRun {
    /// Vectors in each section; the last run may fill some with zeros.
    pub vectors_per_section: usize,
    /// Counts of the run of the kernel, moving data in and out left aside.
    pub stats: Stats,
}

impl BatchRun {
    /// Returns the cycles per vector of one section.
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

/// Returns the number of butterflies of an FFT of `points` points, a power of two: points / 2 * log2(points). A section does
/// one in a cycle at most, so this is the fewest cycles of a vector.
pub fn butterflies(points: usize) -> usize {
    points / 2 * points.trailing_zeros() as usize
}

/// Returns the most vectors that one run can transform in each section: one half of local memory holds the input, the other
/// the output; in place there is one. 0 where not even one fits.
pub fn largest_batch(core: &Core, points: usize) -> usize {
    match is_in_place(points) {
        true => usize::from(core.lmem_words() >= points),
        false => core.lmem_words() / 2 / points,
    }
}

/// Points of the shortest kernel that works in place, on one vector.
const IN_PLACE: usize = 4096;

/// Whether a kernel leaves its results in the place of the points, in the order of [`place`].
pub fn is_in_place(points: usize) -> bool {
    points >= IN_PLACE
}

/// Returns the word of result `k` within its vector. In place the bits of `k` between the lowest and the highest are
/// reversed, which one bit-reversed walk of the DMA undoes; else results are in order.
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

/// Returns the assembly text of the kernel for a length.
///
/// # Errors
/// There is no such kernel, or what the core has too little of for it.
pub fn source(core: &Core, points: usize) -> Result<String, KernelError> {
    generate::kernel(core, points)?.ok_or_else(|| length_error(points))
}

/// Returns the text of the kernel for a length as a routine of this name, which a kernel calls.
///
/// # Errors
/// As [`source`].
pub fn routine(core: &Core, points: usize, name: &str) -> Result<String, KernelError> {
    generate::batch_routine(core, points, name)?.ok_or_else(|| length_error(points))
}

fn length_error(points: usize) -> KernelError {
    KernelError::Length {
        points,
        allowed: "64, 128, 256, 512, 1024, 2048, 4096, 8192 or 16384".to_owned(),
    }
}

/// Returns the assembly text of the kernel for one vector in each section, of one of the [`SINGLE_LENGTHS`].
///
/// # Errors
/// There is no such kernel, or what the core has too little of for it.
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

/// Returns [`largest_batch`] of a core that has room for a vector.
pub fn fitting_batch(core: &Core, points: usize) -> Result<usize, KernelError> {
    let needed = if is_in_place(points) { points } else { 2 * points };
    let name = format!("fft{points}");
    KernelError::require(&name, "words of local memory", needed, core.lmem_words())?;
    Ok(largest_batch(core, points))
}

/// Vectors in each section at which the kernels are counted, where so many fit.
pub const COUNTED_BATCH: usize = 16;

/// Returns a machine with a kernel, `vectors` random vectors in every section, the same in each, and the registers set for
/// one run of the kernel; and the address where the kernel begins.
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

/// Transforms vectors of `points` points that lie one after the other in `input`.
pub fn run(points: usize, input: &[Complex32], options: &Options) -> Result<Report, KernelError> {
    let mut output = Vec::with_capacity(input.len());
    let report = run_in_parts(points, InputVectors::Given(input), options, &mut |_, results| {
        output.extend_from_slice(results);
        Ok(())
    })?;
    Ok(Report { output, ..report })
}

/// Gets vectors and their transforms, run by run of the kernel.
pub type TransformSink<'a> = dyn FnMut(&[Complex32], &[Complex32]) -> Result<(), KernelError> + 'a;

/// Transforms vectors of `points` points run by run of the kernel, and hands each part to `part`; the report
/// has no output. So many vectors need no more memory than few.
///
/// Vector v goes to section v mod 4. In every run the input lies in the first half of local memory
/// and the output in the second.
///
/// # Errors
/// Vectors or options that the kernel does not take, a run that does not end, and errors of `part`.
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

/// Refuses what is not a whole number of vectors, or not finite unless `takes_any`.
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

/// Returns the transform by its definition, in double precision, of the numbers as CP2 reads them: sum over j of `x[j] exp(-2
/// pi i j k / N)`, or exp(+...) for the inverse.
pub fn reference(input: &[Complex32], inverse: bool) -> Vec<Complex64> {
    let read: Vec<_> = input.iter().map(|x| numbers::read_complex(*x)).collect();
    by_definition(&read, if inverse { 1.0 } else { -1.0 })
}

/// Returns the root mean square of the difference, relative to that of the reference; 0 for no difference.
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

/// Result of the comparison of transforms with the definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Vectors that were compared, from the first on.
    pub vectors: usize,
    /// Relative RMS error over all vectors that were compared; what flushing explains is no error.
    pub relative_rms_error: f64,
    /// Numbers in the results of these vectors that the reference gives as denormals.
    pub lost: u64,
}

impl Check {
    /// Largest relative RMS error that rounding explains: single precision has 6e-8, and log2 N
    /// roundings in a row add up like the root of their number.
    pub const LIMIT: f64 = 3e-7;

    /// Whether the error is within rounding.
    pub fn is_passed(&self) -> bool {
        self.relative_rms_error < Self::LIMIT
    }
}

/// Vectors that [`check_against_definition`] compares at most: the definition costs N^2.
pub const CHECKED_VECTORS: usize = 64;

/// Returns the error that flushing between two operations explains, for a number of a transform. Each of the log2 N stages
/// makes a number of two products and two sums in each part, which lose less than the smallest normal number each. The N /
/// 2^s numbers of stage s reach a result.
pub fn lost(points: usize) -> f64 {
    8.0 * points as f64 * f64::from(f32::MIN_POSITIVE)
}

/// Compares the first vectors of a result with the transform in double precision; of those that hold
/// numbers that are not finite nothing is asked.
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
