//! Convolutions of many vectors with one filter, in system memory, by transforms: options, report, the check of the
//! input and the choice of a scheme. The pages of the schemes are in their own files; the reference is in `reference`.

mod in_place;
mod passes;
mod plan;
mod product;
pub mod reference;
pub mod round_trip;
mod short;

pub use reference::{Check, check, reference};

use crate::host::{Host, Procedure};
use cp2_emu::MachineConfig;
use cp2_isa::{Bytes, MemoryAddress};
use cp2_kernels::fft;
use cp2_session::cost::Cost;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::Execution;
use cp2_session::numbers;
use num_complex::Complex32;
use plan::ConvolutionPlan;

/// Most points of a result: N + L - 1 for vectors of N points and a filter of L points.
pub const LONGEST: usize = 65536;
/// Points of the shortest transform; shorter results are filled with zeros.
const SHORTEST: usize = 64;

/// Use of local memory by a convolution. In all schemes arrays go through local memory in pages, each the data that lie
/// in one part of it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Transforms of 64 to 1024 points: a page is 1024 words of whole vectors in each section. Each bank holds a page
    /// and the transform of the filter.
    Banks,
    /// Transforms of 64 to 2048 points: a page is 2048 words in each section, a quarter of local memory. Pages go
    /// through two quarters in turn; the third is for the data between two kernels, the fourth for the transform of the
    /// filter.
    Places,
    /// Transforms of 4096 points: a vector fills the bank of a section. One bank is for the input, the other for the
    /// filter and the result.
    InPlace,
    /// Transforms of N1 N2 = 4096 to 65536 points, in three passes over memory: columns of N1 points, rows of N2 points
    /// there and back, columns back.
    Passes,
}

impl Scheme {
    /// Returns the name of the scheme in reports, such as `banks`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Banks => "banks",
            Self::Places => "places",
            Self::InPlace => "in place",
            Self::Passes => "passes",
        }
    }
}

/// Returns the number of points of the transforms that convolve vectors of `points` points with a filter of `taps`
/// points: the smallest power of two, at least 64, that is not less than `points + taps - 1`.
///
/// # Errors
/// `points` or `taps` is 0, or `points + taps - 1` is more than [`LONGEST`].
pub fn transform_points(points: usize, taps: usize) -> Result<usize, KernelError> {
    for (what, value) in [("length of the vectors", points), ("length of the filter", taps)] {
        if value == 0 || value > LONGEST {
            let limit = format!("from 1 to {LONGEST}");
            return Err(KernelError::Parameter { what, value, limit });
        }
    }
    let output = points + taps - 1;
    if output > LONGEST {
        let limit = format!("at most {LONGEST}: vectors of {points} and a filter of {taps} points");
        return Err(KernelError::Parameter { what: "length of the result", value: output, limit });
    }
    Ok(output.next_power_of_two().max(SHORTEST))
}

/// Results and cost of convolutions of many vectors with one filter by [`run`] on CP2 with its DMA channel and system
/// memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Results, in the order of the vectors, each of `points + taps - 1` points.
    pub output: Vec<Complex32>,
    /// Number of points of an input vector.
    pub points: usize,
    /// Number of points of the filter.
    pub taps: usize,
    /// Number of points of the transforms.
    pub transform: usize,
    /// Use of local memory.
    pub scheme: Scheme,
    /// Cost of the whole run: its cycles, transfers, operations and activities.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// A convolution to be done: the input of the schemes.
struct Job<'a> {
    plan: ConvolutionPlan,
    /// The filter times 1/P, so that nothing else scales: exact, P being a power of two.
    filter: Vec<Complex32>,
    points: usize,
    input: &'a [Complex32],
}

impl<'a> Job<'a> {
    fn new(
        plan: ConvolutionPlan,
        filter: &[Complex32],
        points: usize,
        input: &'a [Complex32],
    ) -> Self {
        let scale = 1.0 / plan.transform as f32;
        Self { plan, filter: filter.iter().map(|h| h * scale).collect(), points, input }
    }

    /// Convolves by the plan.
    fn run(
        &self,
        host: &mut Host,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Outcome, KernelError> {
        match self.plan.scheme {
            Scheme::Banks | Scheme::Places => short::run(host, self, progress),
            Scheme::InPlace => in_place::run(host, self, progress),
            Scheme::Passes => passes::run(host, self, progress),
        }
    }

    fn vectors(&self) -> usize {
        self.input.len() / self.points
    }

    /// Returns the points of a result.
    fn results(&self) -> usize {
        self.points + self.filter.len() - 1
    }

    /// Writes the filter to memory, filled with zeros up to `words`, and returns its address.
    fn write_filter(&self, host: &mut Host, words: usize) -> Result<MemoryAddress, KernelError> {
        write_rows(host, &self.filter, self.filter.len(), words, 1)
    }

    /// Writes the vectors to memory, each filled with zeros up to `pitch` words, and vectors of zeros up to `rows` in all;
    /// returns the address.
    fn write_input(
        &self,
        host: &mut Host,
        pitch: usize,
        rows: usize,
    ) -> Result<MemoryAddress, KernelError> {
        write_rows(host, self.input, self.points, pitch, rows)
    }
}

fn write_rows(
    host: &mut Host,
    values: &[Complex32],
    points: usize,
    pitch: usize,
    rows: usize,
) -> Result<MemoryAddress, KernelError> {
    let address = host.allocate(Bytes::of_words(rows * pitch))?;
    if points == pitch {
        host.write(address, values)?;
    } else {
        for (k, row) in values.chunks(points).enumerate() {
            host.write(address.plus_words(k * pitch), row)?;
        }
    }
    Ok(address)
}

/// Allocates system memory for `words` words.
fn allocate(host: &mut Host, words: usize) -> Result<MemoryAddress, KernelError> {
    host.allocate(Bytes::of_words(words))
}

/// Place of the results of a convolution, and its number of pages.
struct Outcome {
    /// Address of the first result.
    address: MemoryAddress,
    /// Words from a result to the next.
    pitch: usize,
    /// Number of pages.
    pages: usize,
}

/// Options of convolutions by [`run`]: whether numbers that are not finite are let through, and the engine and limits
/// of the run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether NaN and infinities in the vectors and the filter are let through; [`check`] then leaves out the vectors
    /// that they reach.
    pub takes_any: bool,
    /// Engine, limit of cycles, recorder and checkpoint keeper with which the machine is run.
    pub execution: Execution,
}

/// Convolves vectors of `points` points that lie one after the other in `input` with `filter`, on a simulated machine
/// (CP2, its DMA channel and system memory) with the configuration `config`: result n of a vector x is the sum over k
/// of `filter[k] x[n - k]`. `progress` is called with the number of pages computed so far and of all pages, where a
/// page is the data that lie in one part of local memory at once.
///
/// # Errors
/// There are no vectors or no filter, a result has more than [`LONGEST`] points, a number is not finite although
/// `takes_any` is not set, memory does not hold the arrays, or a run takes longer than the limit of cycles.
pub fn run(
    config: MachineConfig,
    filter: &[Complex32],
    points: usize,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    let least = transform_points(points, filter.len())?;
    fft::check(points, input, options.takes_any)?;
    crate::host::pages::check(config.core())?;
    let odd = filter.iter().position(|h| !numbers::is_finite(h));
    if let Some(i) = odd.filter(|_| !options.takes_any) {
        let value = filter[i].to_string();
        return Err(RequestError::Filter { element: i, value }.into());
    }
    let mut host = Host::new(config, &options.execution);
    let work = plan::Work { vectors: input.len() / points, points, taps: filter.len() };
    let (plan, chosen) = ConvolutionPlan::choose(&host, least, work)?;
    host.set_plan(chosen);
    let job = Job::new(plan, filter, points, input);
    let outcome = job.run(&mut host, progress)?;
    let mut output = Vec::with_capacity(job.vectors() * job.results());
    for vector in 0..job.vectors() {
        let address = outcome.address.plus_words(vector * outcome.pitch);
        output.extend(host.read(address, job.results())?);
    }
    let (vectors, transform) = (job.vectors(), plan.transform);
    let operations = Procedure::Convolution { transform }.operations() * vectors as u64;
    let least = plan.least_compute_cycles() * vectors as f64;
    let cost = host.cost(operations, (vectors, outcome.pages), least);
    Ok(Report { output, points, taps: job.filter.len(), transform, scheme: plan.scheme, cost })
}
