//! Convolutions of 4096 points: a vector fills a bank. The first bank takes the vectors and their
//! transforms; the other the filter, which the products overwrite, and the results.

use super::{Job, Outcome, allocate, product};
use crate::fft::short::in_order;
use crate::host::pages::{self, BANK_WORDS, Command, Page, bank};
use crate::host::walks::{BURST_BEATS, clear, get_all, rows_of, run_of};
use crate::host::{Call, Host};
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{BundleAddress, Core, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::fft;
use cp2_recording::StepLevel;
use cp2_session::error::KernelError;

const HALF: usize = BANK_WORDS / 2;

/// A convolution in which a vector of each section fills a bank.
struct InPlace {
    core: Core,
    /// Words of a vector that are loaded.
    taken: usize,
    /// Words of a result that are unloaded.
    given: usize,
    /// Address of the input.
    input: MemoryAddress,
    /// Address of the results.
    output: MemoryAddress,
    /// Address of the transform of the filter.
    filter: MemoryAddress,
    /// Address of a burst of zeros.
    zeros: MemoryAddress,
    /// Address of the kernel that transforms.
    transform: BundleAddress,
    /// Address of the kernel that multiplies.
    product: BundleAddress,
}

/// Convolves in pages: three for each group of four vectors, one for each kernel, with transfers of their own.
pub(super) fn run(
    host: &mut Host,
    job: &Job<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, KernelError> {
    let [taken, given] = [job.points, job.results()].map(|n| n.next_multiple_of(2 * BURST_BEATS));
    let n_groups = job.vectors().div_ceil(SECTIONS);
    let taps = job.write_filter(host, BANK_WORDS)?;
    let name = format!("convolution{BANK_WORDS}.s");
    let core = *host.config().core();
    let text = || Ok(fft::source(&core, BANK_WORDS)? + &product::sorting(&core));
    let [transform, product] = host.install_all(&name, text)?[..] else {
        return Err(KernelError::Internal("the text does not have two kernels"));
    };
    let all = InPlace {
        core,
        taken,
        given,
        input: job.write_input(host, taken, n_groups * SECTIONS)?,
        output: allocate(host, n_groups * SECTIONS * given)?,
        filter: allocate(host, SECTIONS * BANK_WORDS)?,
        zeros: allocate(host, 2 * BURST_BEATS)?,
        transform,
        product,
    };
    host.begin_step(StepLevel::Stage, || "filter".to_owned());
    pages::run(host, &[all.filter_page(taps)?], &mut |_| {})?;
    host.end_step(StepLevel::Stage);
    let mut pages = Vec::with_capacity(3 * n_groups);
    for group in 0..n_groups {
        pages.push(all.forward(group)?);
        pages.push(all.products()?);
        pages.push(all.inverse(group)?);
    }
    host.begin_step(StepLevel::Stage, || "transform, product, transform back".to_owned());
    pages::run(host, &pages, &mut |done| progress(done, 3 * n_groups))?;
    host.end_step(StepLevel::Stage);
    Ok(Outcome { address: all.output, pitch: given, pages: n_groups })
}

impl InPlace {
    fn transform(&self, number: usize) -> Command {
        let bank = bank(&self.core, number) as u16;
        let arguments = vec![bank, bank, 0];
        Command::Run(Call::new(self.transform, arguments))
    }

    /// Returns the page that transforms the filter and brings it into order; every section unloads the same words.
    fn filter_page(&self, taps: MemoryAddress) -> Result<Page, KernelError> {
        Ok(Page {
            prepare: Vec::new(),
            load: vec![get_all(taps, BANK_WORDS, WordAddress(0))?],
            commands: vec![self.transform(0)],
            unload: vec![Descriptor::put(
                run_of(self.filter, SECTIONS * BANK_WORDS)?,
                in_order(&self.core, BANK_WORDS, WordAddress::default(), BANK_WORDS),
                0,
            )],
        })
    }

    fn forward(&self, group: usize) -> Result<Page, KernelError> {
        let from = self.input.plus_words(group * SECTIONS * self.taken);
        let beats = self.taken as u16 / 2;
        let memory = run_of(from, SECTIONS * self.taken)?;
        let local = LocalWalk::linear(WordAddress::default(), beats);
        let mut load = vec![Descriptor::get(memory, local, Pattern::dealt(beats))];
        if self.taken < BANK_WORDS {
            let rest = (BANK_WORDS - self.taken) as u16 / 2;
            load.push(clear(
                self.zeros,
                LocalWalk::linear(WordAddress::from_index(self.taken), rest),
            )?);
        }
        let commands = vec![Command::SetInverse(false), self.transform(0)];
        Ok(Page { prepare: Vec::new(), load, commands, unload: Vec::new() })
    }

    /// Returns the page that multiplies the transforms in the first bank and puts the products in the place of the filter. No
    /// vector is loaded meanwhile.
    fn products(&self) -> Result<Page, KernelError> {
        let second = bank(&self.core, 1);
        let half = |k: usize| {
            let arguments = vec![(k * HALF) as u16, (second + k * HALF) as u16];
            Command::Run(Call::new(self.product, arguments))
        };
        Ok(Page {
            prepare: Vec::new(),
            load: vec![get_all(self.filter, BANK_WORDS, WordAddress::from_index(second))?],
            commands: vec![half(0), half(1)],
            unload: Vec::new(),
        })
    }

    fn inverse(&self, group: usize) -> Result<Page, KernelError> {
        let to = self.output.plus_words(group * SECTIONS * self.given);
        let mut unload = Vec::new();
        for half in 0..self.given.div_ceil(HALF) {
            let words = (self.given - half * HALF).min(HALF);
            let memory = rows_of(to.plus_words(half * HALF), words, self.given, SECTIONS)?;
            let from = WordAddress::from_index(bank(&self.core, 1) + half * HALF);
            let local = in_order(&self.core, BANK_WORDS, from, words);
            unload.push(Descriptor::put(memory, local, 0));
        }
        let commands = vec![Command::SetInverse(true), self.transform(1)];
        Ok(Page { prepare: Vec::new(), load: Vec::new(), commands, unload })
    }
}
