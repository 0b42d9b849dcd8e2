//! The published procedures with the published kernels, as time only: the pages, transfers and calls
//! of \[D\] 3.1 with a stub in the place of each kernel, which counts as running for as long as the
//! kernel took. Results mean nothing. Pages are in `transforms` and `convolutions`, counts in
//! `kernels`, those of multigrid in `multigrid`.

mod convolutions;
mod kernels;
pub mod multigrid;
mod sparse;
mod transforms;

pub use kernels::{
    FFT_4096_CYCLES, PublishedCycles, bound_with_published, count, fft_cycles, product_count,
    transform_count,
};
pub use sparse::product_mops;

use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::{BundleAddress, SECTIONS};
use cp2_procedures::host::pages::{BANK_WORDS, Command};
use cp2_procedures::host::{Call, Host, Procedure};
use cp2_session::Environment;
use cp2_session::error::KernelError;

/// Number of calls of a kernel for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Call for four vectors, one in each section.
    PerFour,
    /// Call for a page.
    PerPage,
}

/// Convolutions in which products with the transform of the filter or with factors are kernels of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductReading {
    /// Convolutions of whole vectors, and not those in passes.
    WholeVectors,
    /// All convolutions.
    Everywhere,
    /// No convolutions: products lengthen transforms.
    Nowhere,
}

/// Loading of the factors of convolutions in passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// Factors come with every page but for 8192 points, where a page is a vector and all have the same.
    OfBlocks,
    /// Factors come with every page.
    Streamed,
    /// Factors stay in local memory, in no room of their own.
    Resident,
}

/// Reading of \[D\] where it does not tell how procedures work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Words of a page of whole vectors in a section; a vector if that has more.
    pub page_words: usize,
    /// Words of a page of a pass in a section.
    pub pass_words: usize,
    /// Number of calls of kernels.
    pub calls: Calls,
    /// Convolutions in which products are kernels of their own.
    pub products: ProductReading,
    /// Loading of factors.
    pub factors: Factors,
    /// Hundredths of a cycle that a product takes for a word.
    pub product_hundredths: u32,
}

/// Hundredths of a cycle that a product takes for a word, fitted with the costs of the host; see
/// `specs/notes/2026-11-22-host-calibration.md`.
pub const PRODUCT_HUNDREDTHS: u32 = 188;

impl Default for Reading {
    fn default() -> Self {
        Self {
            page_words: BANK_WORDS / 2,
            pass_words: BANK_WORDS / 2,
            calls: Calls::PerFour,
            products: ProductReading::WholeVectors,
            factors: Factors::OfBlocks,
            product_hundredths: PRODUCT_HUNDREDTHS,
        }
    }
}

impl Reading {
    /// Returns the runs of a kernel on `vectors` vectors of each section, one after the other.
    fn runs(&self, cycles: u64, vectors: usize) -> Vec<Command> {
        // Two places, a count and the place of a table or of the stride.
        let call = |least_cycles| {
            Command::Run(Call { entry: STUB_AT, arguments: vec![0; 3], least_cycles })
        };
        match self.calls {
            Calls::PerFour => (0..vectors).map(|_| call(cycles)).collect(),
            Calls::PerPage => vec![call(cycles * vectors as u64)],
        }
    }

    /// Returns the cycles of a product of a vector.
    fn product_cycles(&self, points: usize) -> u64 {
        points as u64 * u64::from(self.product_hundredths) / 100
    }

    /// Returns the transforms of `vectors` vectors of each section, and products behind them if `has_product`.
    fn transforms(
        &self,
        points: usize,
        vectors: usize,
        has_product: bool,
        in_passes: bool,
    ) -> Vec<Command> {
        let product = if has_product { self.product_cycles(points) } else { 0 };
        let is_own = match self.products {
            ProductReading::WholeVectors => !in_passes,
            ProductReading::Everywhere => true,
            ProductReading::Nowhere => false,
        };
        if !has_product || !is_own {
            return self.runs(fft_cycles(points) + product, vectors);
        }
        let mut commands = self.runs(fft_cycles(points), vectors);
        commands.extend(self.runs(product, vectors));
        commands
    }

    /// Returns the number of vectors that go through local memory, or are transformed, at once: those in the sections
    /// together for whole vectors, one in passes.
    fn unit_vectors(&self, points: usize) -> usize {
        if points > BANK_WORDS { 1 } else { SECTIONS * (self.page_words / points).max(1) }
    }
}

/// Address of the stub: the first bundle.
const STUB_AT: BundleAddress = BundleAddress(0);
/// A kernel that does nothing, but for some cycles in which the host can see that it runs.
const STUB: &str = "        .kernel stub\n        nop\n        nop\n        nop\n        stopi 0\n";

/// Units that are simulated, beyond which every further one takes as long as the last.
const STEADY: [usize; 2] = [3, 6];

/// Returns the cycles of `units` pages of whole vectors, or of `units` vectors in passes.
fn simulate(
    environment: &Environment,
    config: &MachineConfig,
    procedure: Procedure,
    units: usize,
    reading: &Reading,
) -> Result<u64, KernelError> {
    let mut host = Host::new(config.clone(), &environment.execution(*config.core()));
    host.install("stub.s", || Ok(STUB.to_owned()))?;
    let installed = host.timeline().cycles();
    match procedure {
        Procedure::Transform { points } => transforms::run(&mut host, points, units, reading)?,
        Procedure::Convolution { transform } => {
            convolutions::run(&mut host, transform, units, reading)?;
        }
    }
    Ok(host.timeline().cycles() - installed)
}

/// Returns the cycles that the published scheme with the published kernels takes for `vectors` vectors, kernels installed
/// before and the filter of convolutions transformed before. Many vectors are not all simulated: a further page or vector
/// takes as long as the one before.
///
/// # Errors
/// A length that no procedure has, and a machine that cannot run it.
pub fn cycles(
    environment: &Environment,
    config: &MachineConfig,
    procedure: Procedure,
    vectors: usize,
    reading: &Reading,
) -> Result<f64, KernelError> {
    let units = vectors.div_ceil(reading.unit_vectors(procedure.transform()));
    let [few, many] = STEADY;
    if units <= many {
        return Ok(simulate(environment, config, procedure, units, reading)? as f64);
    }
    let [first, last] = [few, many].map(|n| simulate(environment, config, procedure, n, reading));
    let (first, last) = (first? as f64, last? as f64);
    Ok(last + (last - first) / (many - few) as f64 * (units - many) as f64)
}

/// Returns the rate of the published scheme with the published kernels, 10^6 operations per second, as [`cycles`] simulates
/// it.
///
/// # Errors
/// Those of [`cycles`].
pub fn rate_mops(
    environment: &Environment,
    config: &MachineConfig,
    procedure: Procedure,
    vectors: usize,
    reading: &Reading,
) -> Result<f64, KernelError> {
    let operations = procedure.operations() as f64 * vectors as f64;
    let clock = f64::from(config.value(Key::CpuClock));
    Ok(operations * clock / cycles(environment, config, procedure, vectors, reading)?)
}
