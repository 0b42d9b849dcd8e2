//! FFTs of many vectors in system memory, 64 to 65536 points: options, report and the check of the input. The division
//! into pages is in `short` and `long`, the choice between them in `plan`.

pub mod long;
mod plan;
pub(crate) mod short;

use crate::host::{Host, Procedure, pages};
use cp2_emu::MachineConfig;
use cp2_isa::SECTIONS;
use cp2_kernels::fft;
use cp2_reference::fft::by_halves;
use cp2_session::cost::{ChosenPlan, Cost};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::numbers;
use num_complex::{Complex32, Complex64};

pub use long::{Scheme, Split};
pub use plan::TransformPlan;

/// Numbers of points of the vectors that [`run`] transforms, ascending.
pub const LENGTHS: [usize; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// Options of FFTs of many vectors by [`run`]: direction, scaling, use of local memory, and the engine and limits of
/// the run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the transform is the inverse one: exp(+2 pi i j k / N), not divided by N unless [`Self::scale`] is set.
    pub inverse: bool,
    /// Whether the host multiplies the results by 1/N, which takes no cycles of the model.
    pub scale: bool,
    /// Plan of the transform; `None` takes the one with the fewest predicted cycles.
    pub plan: Option<TransformPlan>,
    /// Whether NaN and infinities in the input are let through; vectors that hold one are then not checked.
    pub takes_any: bool,
    /// Engine, limit of cycles, recorder and checkpoint keeper with which the machine is run.
    pub execution: Execution,
}

/// Results and cost of FFTs of many vectors by [`run`] on CP2 with its DMA channel and system memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Number of points of a vector.
    pub points: usize,
    /// Results, vector by vector in the order of the input, each in the natural order of its points.
    pub output: Vec<Complex32>,
    /// Cost of the whole run: its cycles, transfers, operations and activities.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Transforms vectors of `points` points that lie one after the other in `input`, on a simulated machine (CP2, its DMA
/// channel and system memory) with the configuration `config`. `progress` is called with the number of pages computed
/// so far and of all pages, where a page is the data that lie in one part of local memory at once.
///
/// # Errors
/// `points` is none of [`LENGTHS`], the input is no whole number of vectors or has numbers that are not finite although
/// `takes_any` is not set, local memory is too small, system memory does not hold the arrays, or a run takes longer
/// than the limit of cycles.
pub fn run(
    config: MachineConfig,
    points: usize,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    let mut host = Host::new(config, &options.execution);
    run_on(&mut host, points, input, options, progress)
}

/// Transforms vectors as [`run`] does, on the machine of a host that has done nothing since its creation or reset.
/// Engine and limit of cycles are those of the host, not of `options`.
///
/// # Errors
/// The errors are those of [`run`].
pub fn run_on(
    host: &mut Host,
    points: usize,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    if !LENGTHS.contains(&points) {
        let allowed = "the powers of two from 64 to 65536".to_owned();
        return Err(KernelError::Length { points, allowed });
    }
    fft::check(points, input, options.takes_any)?;
    pages::check(host.config().core())?;
    let vectors = input.len() / points;
    host.set_inverse(options.inverse);
    let (plan, chosen) = match options.plan {
        Some(plan) => (plan, ChosenPlan::only(plan.to_string())),
        None => TransformPlan::choose(host, points, vectors)?,
    };
    host.set_plan(chosen);
    let (address, pages) = plan.run(host, (points, options.inverse), input, progress)?;
    let mut output = host.read(address, input.len())?;
    if options.scale {
        let factor = 1.0 / points as f32;
        output.iter_mut().for_each(|x| *x *= factor);
    }
    let least = (fft::butterflies(points) * vectors) as f64 / SECTIONS as f64;
    let operations = Procedure::Transform { points }.operations() * vectors as u64;
    Ok(Report { points, output, cost: host.cost(operations, (vectors, pages), least) })
}

/// Returns the transforms of the vectors of `points` points (a power of two) in `input`, in double precision and by the
/// fast algorithm, of the numbers as CP2 reads them (denormals as zeros): result k is the sum over j of
/// `x[j] exp(-2 pi i j k / N)`, or exp(+...) for the inverse, which is not divided by N.
pub fn reference(points: usize, input: &[Complex32], inverse: bool) -> Vec<Complex64> {
    let sign = if inverse { 1.0 } else { -1.0 };
    let wide = |x: &Complex32| numbers::read_complex(*x);
    let vectors = input.chunks(points.max(1));
    vectors.flat_map(|v| by_halves(v.iter().map(wide).collect(), sign)).collect()
}
