//! FFTs of many vectors in system memory, 64 to 65536 points: options, report and the check of the
//! input. How pages are cut is in `short` and `long`.

pub mod long;
pub(crate) mod short;

use crate::host::{Host, Procedure, pages};
use cp2_emu::MachineConfig;
use cp2_isa::SECTIONS;
use cp2_kernels::fft;
use cp2_reference::fft::by_halves;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::numbers;
use num_complex::{Complex32, Complex64};

pub use long::{Scheme, Split};

/// Lengths of the transforms, in points.
pub const LENGTHS: [usize; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// Options of a transform.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the inverse transform is made.
    pub inverse: bool,
    /// Whether the result is multiplied by 1/N, on the host, which takes no time here.
    pub scale: bool,
    /// Use of local memory by a long transform.
    pub scheme: Scheme,
    /// Whether NaN and infinities in the input are let through; vectors that hold one are not checked.
    pub takes_any: bool,
    /// Engine, limit of cycles, recorder and keeper with which the machine is run.
    pub execution: Execution,
}

/// Results and cost of transforms.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Points of a vector.
    pub points: usize,
    /// The transforms, vector by vector.
    pub output: Vec<Complex32>,
    /// Cost of the transforms.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Transforms vectors of `points` points that lie one after the other in `input`, on a machine.
/// `progress` is told how many pages of how many are computed.
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

/// Transforms as [`run`] does, on the machine of a host that has done nothing yet, or nothing since its reset; engine and
/// limit are those of the host.
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
    let (address, pages) = if short::is_possible(host.config().core(), points) {
        short::run(host, points, input, progress)?
    } else {
        long::run(host, points, input, (options.scheme, options.inverse), progress)?
    };
    let mut output = host.read(address, input.len())?;
    if options.scale {
        let factor = 1.0 / points as f32;
        output.iter_mut().for_each(|x| *x *= factor);
    }
    let least = (fft::butterflies(points) * vectors) as f64 / SECTIONS as f64;
    let operations = Procedure::Transform { points }.operations() * vectors as u64;
    Ok(Report { points, output, cost: host.cost(operations, (vectors, pages), least) })
}

/// Returns the transforms in double precision, by halves, of the numbers as CP2 reads them: sum over j of `x[j] exp(-2 pi i j
/// k / N)`, or exp(+...) for the inverse, for each vector of `points`, a power of two.
pub fn reference(points: usize, input: &[Complex32], inverse: bool) -> Vec<Complex64> {
    let sign = if inverse { 1.0 } else { -1.0 };
    let wide = |x: &Complex32| numbers::read_complex(*x);
    let vectors = input.chunks(points.max(1));
    vectors.flat_map(|v| by_halves(v.iter().map(wide).collect(), sign)).collect()
}
