//! Transforms of arrays of up to three dimensions in system memory, pass by pass.

use super::evolve;
use super::plan::{DataPass, Order, Sizes, passes};
use crate::host::device_driven::{self, Routine};
use crate::host::pages::{self, BANK_WORDS};
use crate::host::{Host, operations};
use cp2_emu::MachineConfig;
use cp2_isa::{BundleAddress, Bytes, Core, SECTIONS};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use num_complex::Complex32;
use std::fmt;

/// Options of the FFT of an array by [`run`]: direction, scaling, and the engine and limits of the run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the transform is the inverse one, which is not divided by the number of points unless [`Self::scale`] is
    /// set.
    pub inverse: bool,
    /// Whether the host divides the results by the number of points, which takes no cycles of the model.
    pub scale: bool,
    /// Engine, limit of cycles, recorder and checkpoint keeper with which the machine is run.
    pub execution: Execution,
}

/// Result and cost of the FFT of an array of up to three dimensions by [`run`] on CP2 with its DMA channel and system
/// memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Elements of the transform in the natural order, x fastest.
    pub output: Vec<Complex32>,
    /// Number of passes over system memory in which the array was transformed; in each all elements go through local
    /// memory once.
    pub passes: usize,
    /// Cost of the whole run: its cycles, transfers, operations and activities.
    pub cost: Cost,
}

impl AsRef<Cost> for Report {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Work of a kernel on the pages of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) pass: DataPass,
    /// Words of a page in each section.
    pub(super) words: usize,
    /// Whether elements are multiplied by factors before the transform.
    pub(super) evolves: bool,
}

/// Writes all that the text of the kernel depends on beside the sizes of the array: the kind of the pass and the words of a
/// page.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let evolved = if self.evolves { "evolved " } else { "" };
        write!(f, "{evolved}{} {}", self.pass.kind, self.words)
    }
}

impl Work {
    /// Creates the work of a pass with the largest pages.
    pub(super) fn plain(pass: DataPass, sizes: &Sizes) -> Self {
        Self { pass, words: pass.words(sizes, BANK_WORDS), evolves: false }
    }

    /// Returns the text of the kernel of this name, and of its routines.
    fn source(&self, core: &Core, name: &str, sizes: &Sizes) -> Result<String, KernelError> {
        let (mut steps, mut routines) = (Vec::new(), String::new());
        for (i, (transform, vectors)) in self.pass.transforms(sizes, self.words).iter().enumerate()
        {
            if self.evolves {
                let routine = format!("{name}_evolve{i}");
                routines += &evolve::routine(&routine, transform.points, *vectors);
                steps.push(Routine { label: routine, count: 0 });
            }
            let routine = format!("{name}_fft{i}");
            routines += &transform.routine(core, &routine)?;
            let count = vectors / transform.vectors_per_unit() - 1;
            steps.push(Routine { label: routine, count });
        }
        Ok(device_driven::source(core, name, &steps) + &routines)
    }
}

/// Sends the kernels to instruction memory and returns their addresses.
pub(super) fn install(
    host: &mut Host,
    sizes: &Sizes,
    works: &[Work],
) -> Result<Vec<BundleAddress>, KernelError> {
    let core = *host.config().core();
    let [x, y, z] = sizes.0;
    let passes: Vec<_> = works.iter().map(Work::to_string).collect();
    host.install_all(&format!("fft {x}x{y}x{z} ({})", passes.join(", ")), || {
        let text = |(i, work): (usize, &Work)| work.source(&core, &format!("pass{i}"), sizes);
        works.iter().enumerate().map(text).collect()
    })
}

/// Transforms an array of these sizes along all axes on a simulated machine (CP2, its DMA channel and system memory)
/// with the configuration `config`; `input` has its elements, x fastest. `progress` is called with the number of words
/// of one section's local memory that went through pages so far, and that go through pages in the whole run, where a
/// page is the data that lie in one part of local memory at once.
///
/// # Errors
/// No pass transforms these sizes (see [`Sizes::check`]), the memory of the machine does not hold the array, or a
/// kernel or a transfer does not end.
pub fn run(
    config: MachineConfig,
    sizes: &Sizes,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    sizes.check()?;
    if input.len() != sizes.points() {
        let limit = format!("{}, the number of points", sizes.points());
        let what = "number of input values";
        return Err(KernelError::Parameter { what, value: input.len(), limit });
    }
    pages::check(config.core())?;
    let mut host = Host::new(config, &options.execution);
    let array = host.allocate(Bytes::of_words(sizes.points()))?;
    host.write(array, input)?;
    host.set_inverse(options.inverse);
    let works: Vec<_> = passes(sizes).into_iter().map(|pass| Work::plain(pass, sizes)).collect();
    // An array that lies in another order between the passes has a place of its own.
    let is_swapped = works.iter().any(|work| work.pass.from != work.pass.to);
    let bytes = Bytes::of_words(sizes.points());
    let other = if is_swapped { host.allocate(bytes)? } else { array };
    let place = |order| if order == Order::Natural { array } else { other };
    let all: usize = works.iter().map(|work| work.pass.n_pages(sizes, work.words)).sum();
    let (mut done, all_words) = (0, works.len() * sizes.points() / SECTIONS);
    for work in &works {
        let &Work { pass, words, .. } = work;
        // The kernels of all passes of long rows and columns do not fit into instruction memory at once.
        let entry = install(&mut host, sizes, &[*work])?.first().copied().unwrap_or_default();
        let places = [pass.from, pass.to].map(place);
        let pages = pass.pages(host.config().core(), sizes, words, places)?;
        let show = &mut |of_pass| progress(done + of_pass * words, all_words);
        device_driven::run(&mut host, entry, &pages, show)?;
        done += pages.len() * words;
    }
    let mut output = host.read(array, sizes.points())?;
    if options.scale {
        let factor = 1.0 / sizes.points() as f32;
        output.iter_mut().for_each(|x| *x *= factor);
    }
    let (operations, least) = (operations(sizes.points()), least_cycles(sizes));
    let cost = host.cost(operations, (1, all), least);
    Ok(Report { output, passes: works.len(), cost })
}

/// Returns the butterflies of a transform in each section.
pub(super) fn least_cycles(sizes: &Sizes) -> f64 {
    let points = sizes.points();
    (points / 2 * points.trailing_zeros() as usize) as f64 / SECTIONS as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_session::Environment;

    #[test]
    fn the_kernel_of_every_pass_fits_instruction_memory() {
        let sizes = Sizes([256; 3]);
        for pass in passes(&sizes) {
            let text = Work::plain(pass, &sizes).source(&Core::CP2, "pass", &sizes).unwrap();
            assert!(Environment::new().assemble(&Core::CP2, "pass", &text).is_ok(), "{pass:?}");
        }
    }
}
