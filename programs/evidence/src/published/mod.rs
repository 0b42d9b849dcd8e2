//! Simulation of the procedures that the source \[D\] published, with its kernels, as time only: the pages, transfers
//! and calls of \[D\] 3.1 with a stub in the place of each kernel, which counts as running for as long as the published
//! kernel took. No results are computed. Pages are in `transforms` and `convolutions`, cycles of kernels in `kernels`,
//! those of multigrid in `multigrid`.

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
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// Assumption on how often the published procedures call a kernel for a page, the vectors that one part of local memory
/// holds at once. \[D\] does not tell it; a [`Reading`] has one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// A call for every four vectors, one in each section.
    PerFour,
    /// A call for all vectors of a page.
    PerPage,
}

/// Assumption on which published convolutions compute their pointwise products, with the transform of the filter or
/// with twiddle factors, in kernels of their own. Elsewhere the products are a part of the kernel of the transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductReading {
    /// Convolutions of whole vectors have kernels for products; those in passes do not.
    WholeVectors,
    /// All convolutions have kernels for products.
    Everywhere,
    /// No convolution has kernels for products: the kernels of transforms take longer instead.
    Nowhere,
}

/// Assumption on how the published convolutions in passes bring twiddle factors to local memory. A convolution in
/// passes is one whose vectors are too long for a half of local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// Factors are loaded with every page, but not for 8192 points, where a page is a whole vector and all pages have
    /// the same factors.
    OfBlocks,
    /// Factors are loaded with every page, for 8192 points too.
    Streamed,
    /// Factors stay in local memory and are not loaded; the model gives them no room.
    Resident,
}

/// Assumptions on the procedures of the published source \[D\] where \[D\] does not tell how they work. The default has
/// the assumptions that fit the measured rates best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Number of words in a section that a page (what one part of local memory holds at once) has if vectors are short
    /// enough to be in local memory as a whole; a page has at least one vector in each section.
    pub page_words: usize,
    /// Number of words in a section that a page has if vectors are too long for local memory and go through it in
    /// several passes, a part of the vector in each page.
    pub pass_words: usize,
    /// Assumption on how often a kernel is called for a page.
    pub calls: Calls,
    /// Assumption on which convolutions compute products in kernels of their own.
    pub products: ProductReading,
    /// Assumption on how convolutions in passes bring twiddle factors to local memory.
    pub factors: Factors,
    /// Cycles that a kernel takes for each word of a section, one complex element, of a pointwise product, in
    /// hundredths.
    pub product_hundredths: u32,
}

/// Default of [`Reading::product_hundredths`]: cycles that a kernel takes for each word of a section of a pointwise
/// product, in hundredths; 188 is 1.88 cycles. The number was fitted to the measured rates, together with the cycles
/// that the host takes around calls and pages; see `specs/notes/2026-11-22-host-calibration.md`.
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
        let call =
            |least_cycles| Command::Run(Call { least_cycles, ..Call::new(STUB_AT, vec![0; 3]) });
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
    on: &Execution,
    config: &MachineConfig,
    procedure: Procedure,
    units: usize,
    reading: &Reading,
) -> Result<u64, KernelError> {
    let mut host = Host::new(config.clone(), &on.unrecorded(*config.core()));
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

/// Returns the cycles of CP2 that the published scheme with the published kernels takes for this number of vectors, by
/// simulation under the assumptions `reading`. Sending the kernels to CP2 and transforming the filter of a convolution
/// beforehand do not count. Of many vectors only some are simulated, since each further page takes as long as the one
/// before; so the result may be no whole number. The environment and the limit of cycles are those of `on`.
///
/// # Errors
/// No procedure has this length, or the machine cannot run it.
pub fn cycles(
    on: &Execution,
    config: &MachineConfig,
    procedure: Procedure,
    vectors: usize,
    reading: &Reading,
) -> Result<f64, KernelError> {
    let units = vectors.div_ceil(reading.unit_vectors(procedure.transform()));
    let [few, many] = STEADY;
    if units <= many {
        return Ok(simulate(on, config, procedure, units, reading)? as f64);
    }
    let [first, last] = [few, many].map(|n| simulate(on, config, procedure, n, reading));
    let (first, last) = (first? as f64, last? as f64);
    Ok(last + (last - first) / (many - few) as f64 * (units - many) as f64)
}

/// Returns the rate of the published scheme with the published kernels for this number of vectors, in 10^6 operations
/// per second, by the cycles that [`cycles`] returns for the same `on`.
///
/// # Errors
/// No procedure has this length, or the machine cannot run it.
pub fn rate_mops(
    on: &Execution,
    config: &MachineConfig,
    procedure: Procedure,
    vectors: usize,
    reading: &Reading,
) -> Result<f64, KernelError> {
    let operations = procedure.operations() as f64 * vectors as f64;
    let clock = f64::from(config.value(Key::CpuClock));
    Ok(operations * clock / cycles(on, config, procedure, vectors, reading)?)
}
