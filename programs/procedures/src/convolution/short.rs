//! Convolutions of 64 to 2048 points by pages: sections hold whole vectors, and the transform of the
//! filter stays in local memory.

use super::{Job, Outcome, Scheme, allocate, product, round_trip};
use crate::host::pages::{self, BANK_WORDS, Command, Page, in_banks, in_quarters};
use crate::host::walks::{BURST_BEATS, clear, run_of};
use crate::host::{Call, Host};
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, Pattern};
use cp2_isa::{BundleAddress, Core, Extensions, MemoryAddress, SECTIONS, WordAddress};
use cp2_kernels::fft;
use cp2_recording::StepLevel;
use cp2_session::error::KernelError;

/// Places in local memory that a page uses.
#[derive(Clone, Copy)]
struct Places {
    /// Words that are loaded and unloaded.
    data: WordAddress,
    /// Results of the forward transform.
    middle: WordAddress,
    /// Transform of the filter.
    filter: WordAddress,
}

impl Scheme {
    /// Returns the words of a page in a section.
    pub(super) fn words(self) -> usize {
        if self == Self::Places { BANK_WORDS / 2 } else { BANK_WORDS / 4 }
    }

    fn places(self, core: &Core, page: usize) -> Places {
        let (words, bank) = (self.words(), page % 2 * BANK_WORDS);
        let [data, middle, filter] = match self {
            Self::Places => [page % 2 * words, 2 * words, 3 * words],
            _ => [0, words, 2 * words].map(|word| bank + word),
        }
        .map(|word| WordAddress::from_index(in_quarters(core, word)));
        Places { data, middle, filter }
    }
}

/// A convolution in which sections hold whole vectors.
struct Short {
    core: Core,
    scheme: Scheme,
    /// Points of the transforms.
    points: usize,
    /// Vectors of a page in each section.
    vectors: usize,
    /// Words of a vector that are loaded.
    taken: usize,
    /// Words of a result that are unloaded.
    given: usize,
    /// Address of the input.
    input: MemoryAddress,
    /// Address of the results.
    output: MemoryAddress,
    /// Address of a burst of zeros.
    zeros: MemoryAddress,
    /// Address of the kernel that transforms.
    transform: BundleAddress,
    /// Address of the kernel that multiplies, or of the one that does all of a page.
    second: BundleAddress,
    /// Whether one kernel does all of a page: the core lets a kernel change the direction.
    in_one_call: bool,
}

/// Convolves in pages of whole vectors.
pub(super) fn run(
    host: &mut Host,
    job: &Job<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, KernelError> {
    let points = job.plan.transform;
    let core = *host.config().core();
    let scheme = job.plan.scheme;
    let vectors = scheme.words() / points;
    // The words of a page that are moved are whole bursts.
    let granule = (2 * BURST_BEATS / vectors).max(2);
    let [taken, given] = [job.points, job.results()].map(|n| n.next_multiple_of(granule));
    let n_pages = job.vectors().div_ceil(SECTIONS * vectors);
    let rows = n_pages * SECTIONS * vectors;
    let filter = job.write_filter(host, points)?;
    let name = format!("convolution{points}.s");
    let in_one_call = core.extensions().contains(Extensions::FFT_DIRECTION);
    let text = || match in_one_call {
        true => round_trip::source(&core, points, scheme.words()),
        false => Ok(fft::source(&core, points)? + &product::shared(&core, points, scheme.words())),
    };
    let [transform, second] = host.install_all(&name, text)?[..] else {
        return Err(KernelError::Internal("the text does not have two kernels"));
    };
    let short = Short {
        core,
        scheme,
        points,
        vectors,
        taken,
        given,
        input: job.write_input(host, taken, rows)?,
        output: allocate(host, rows * given)?,
        zeros: allocate(host, 2 * BURST_BEATS)?,
        transform,
        second,
        in_one_call,
    };
    let filter_page = in_banks(&core, vec![short.filter_page(filter, n_pages)?]);
    host.begin_step(StepLevel::Stage, || "filter".to_owned());
    pages::run(host, &filter_page, &mut |_| {})?;
    host.end_step(StepLevel::Stage);
    let pages = (0..n_pages).map(|k| short.page(k)).collect::<Result<Vec<_>, _>>()?;
    pages::run(host, &in_banks(&core, pages), &mut |done| progress(done, n_pages))?;
    Ok(Outcome { address: short.output, pitch: given, pages: n_pages })
}

impl Short {
    fn call(&self, from: WordAddress, to: WordAddress, vectors: usize) -> Command {
        let arguments = vec![from.0, to.0, vectors as u16 - 1];
        Command::Run(Call::new(self.transform, arguments))
    }

    /// Returns the page that transforms the filter in all sections, into each place in which one of `n_pages` pages looks for
    /// it.
    fn filter_page(&self, filter: MemoryAddress, n_pages: usize) -> Result<Page, KernelError> {
        let [first, second] = [0, 1].map(|k| self.scheme.places(&self.core, k));
        let memory = run_of(filter, self.points)?;
        let local = LocalWalk::linear(first.data, self.points as u16 / 2);
        let mut commands = vec![self.call(first.data, first.filter, 1)];
        if second.filter != first.filter && n_pages > 1 {
            commands.push(self.call(first.data, second.filter, 1));
        }
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, local, [Pattern::ALL; SECTIONS])],
            commands,
            unload: Vec::new(),
        })
    }

    /// Returns the walk over the first `words` words of every vector of a section.
    fn walk(&self, base: WordAddress, words: usize) -> LocalWalk {
        let stride = |step: usize, count: usize| LocalStride {
            step: step as u16,
            count: count as u16,
            reversed: false,
        };
        let (x, y) = (stride(2, words / 2), stride(self.points, self.vectors));
        LocalWalk { base, index: None, x, y }
    }

    /// Returns the commands of a page: the transform, the product with the filter, and the transform back.
    fn commands(&self, Places { data, middle, filter }: Places) -> Vec<Command> {
        let second = |arguments| Command::Run(Call::new(self.second, arguments));
        if self.in_one_call {
            return vec![second(vec![data.0, middle.0, self.vectors as u16 - 1, filter.0])];
        }
        vec![
            Command::SetInverse(false),
            self.call(data, middle, self.vectors),
            second(vec![middle.0, filter.0]),
            Command::SetInverse(true),
            self.call(middle, data, self.vectors),
        ]
    }

    fn page(&self, k: usize) -> Result<Page, KernelError> {
        let Places { data, .. } = self.scheme.places(&self.core, k);
        let rows = SECTIONS * self.vectors;
        let from = run_of(self.input.plus_words(k * rows * self.taken), rows * self.taken)?;
        let share = Pattern::dealt((self.vectors * self.taken / 2) as u16);
        let mut load = vec![Descriptor::get(from, self.walk(data, self.taken), share)];
        if self.taken < self.points {
            let rest = self.walk(data.plus(self.taken as u16), self.points - self.taken);
            load.push(clear(self.zeros, rest)?);
        }
        let commands = self.commands(self.scheme.places(&self.core, k));
        let to = run_of(self.output.plus_words(k * rows * self.given), rows * self.given)?;
        let unload = vec![Descriptor::put(to, self.walk(data, self.given), 0)];
        Ok(Page { prepare: Vec::new(), load, commands, unload })
    }
}
