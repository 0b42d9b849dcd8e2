//! Vectors in system memory that go through pages: which of them are loaded where, and which are stored.

use super::kernels::{VectorKernel, WORDS};
use crate::host::pages::{BANK_WORDS, Command, Page, bank};
use crate::host::walks::{get_all, get_dealt, put_dealt};
use crate::host::{Call, Host};
use crate::sparse::Renewal;
use cp2_emu::dma::Descriptor;
use cp2_isa::{BundleAddress, Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_session::error::KernelError;

/// Bytes of one word of each section.
const QUAD: Bytes = Bytes::of_words(SECTIONS);
/// Words of each section of vectors are a multiple of this: whole bursts, and passes of the kernels.
const STEP: usize = 2 * WORDS;
/// Most words of each section of an array in a page: four arrays, the scalar and the sum in a bank.
const MOST: usize = (BANK_WORDS / 4 - 1) / STEP * STEP;

/// Sizes and addresses that all vectors of a problem share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors {
    /// Words of a vector in each section.
    words: usize,
    /// Words from the begin of a bank of local memory to that of the other one; 0 if all pages lie in one place.
    bank_words: usize,
    /// Address from which kernels take their scalar.
    scalar: MemoryAddress,
    /// Address of the sums that kernels leave, one for each page.
    sums: MemoryAddress,
    /// Addresses of the kernels' first bundles.
    entries: [BundleAddress; VectorKernel::ALL.len()],
}

/// A kernel on vectors: addresses of the arrays that are loaded, in the order of its arrays, and of those that are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'a> {
    pub(super) kernel: VectorKernel,
    pub(super) from: &'a [MemoryAddress],
    /// Number of the array and address to which it is stored.
    pub(super) to: &'a [(usize, MemoryAddress)],
}

impl Vectors {
    /// Returns the words in each section of a vector with this number of elements.
    fn words_of(elements: usize) -> usize {
        elements.div_ceil(2 * SECTIONS).next_multiple_of(STEP)
    }

    /// Returns the bytes of system memory that a vector with this number of elements takes.
    pub(super) fn bytes(elements: usize) -> Bytes {
        QUAD * Self::words_of(elements)
    }

    pub(super) fn new(
        host: &mut Host,
        elements: usize,
        entries: [BundleAddress; VectorKernel::ALL.len()],
    ) -> Result<Self, KernelError> {
        let words = Self::words_of(elements);
        let sums = host.allocate(QUAD * (2 * words.div_ceil(MOST)))?;
        let bank_words = bank(host.config().core(), 1);
        Ok(Self { words, bank_words, scalar: host.allocate(QUAD)?, sums, entries })
    }

    /// Returns the number of pages of a vector.
    pub(super) fn pages(&self) -> usize {
        self.words.div_ceil(MOST)
    }

    /// Returns the fewest cycles of a kernel on whole vectors.
    pub(super) fn least_cycles(&self, kernel: VectorKernel) -> f64 {
        kernel.cycles() * self.words as f64
    }

    /// Returns the number of words of a whole vector, of all sections.
    pub(super) fn all_words(&self) -> usize {
        self.words * SECTIONS
    }

    /// Returns the renewal that makes the direction from the residual at an address where all sections load it.
    pub(super) fn renewal(&self, residual: MemoryAddress) -> Renewal {
        let entry = self.entries[VectorKernel::Direction as usize];
        Renewal { entry, other: residual, multiple: self.scalar }
    }

    /// Writes the scalar for the kernels that follow; takes no time.
    pub(super) fn set_scalar(&self, host: &mut Host, scalar: f32) -> Result<(), KernelError> {
        host.write_floats(self.scalar, &[scalar; 4])
    }

    /// Returns the total of the sums that the pages of the last kernel left.
    pub(super) fn sum(&self, host: &Host) -> Result<f32, KernelError> {
        let mut sum = 0.0;
        for page in 0..self.pages() {
            sum += host.read_floats(self.sums + QUAD * (2 * page), 1)?[0];
        }
        Ok(sum)
    }

    /// Returns the pages of a kernel; `first` is the number of the first one in the run. With `still`, nothing is loaded
    /// before CP2 has done the page before.
    pub(super) fn work(
        &self,
        first: usize,
        work: Work<'_>,
        still: bool,
    ) -> Result<Vec<Page>, KernelError> {
        let chunks = (0..self.words).step_by(MOST).enumerate();
        chunks.map(|(k, at)| self.page(first + k, (k, at), work, still)).collect()
    }

    fn page(
        &self,
        number: usize,
        (chunk, at): (usize, usize),
        Work { kernel, from, to }: Work<'_>,
        still: bool,
    ) -> Result<Page, KernelError> {
        let words = (self.words - at).min(MOST);
        let base = number % 2 * self.bank_words;
        let array = |k: usize| base + k * words;
        let (scalar, sum) = (array(4), array(4) + 2);
        let word = WordAddress::from_index;
        let mut load = vec![get_all(self.scalar, 2, word(scalar))?];
        for (k, address) in from.iter().enumerate() {
            load.push(get_dealt(*address + QUAD * at, words, word(array(k)))?);
        }
        let mut unload = vec![put_dealt(word(sum), 2, self.sums + QUAD * (2 * chunk))?];
        for &(k, address) in to {
            unload.push(put_dealt(word(array(k)), words, address + QUAD * at)?);
        }
        let arguments = [array(0), array(1), array(2), array(3), scalar, sum, words / WORDS];
        let entry = self.entries[kernel as usize];
        let call = Call::new(entry, arguments.map(|n| n as u16).to_vec());
        let (prepare, load) = self.parted(load, still);
        Ok(Page { prepare, load, commands: vec![Command::Run(call)], unload })
    }

    /// Parts the transfers that load a page into those for which CP2 stands still, all of them if `still` is set or if no
    /// other page lies in local memory, and those beside the page before.
    fn parted(&self, load: Vec<Descriptor>, still: bool) -> (Vec<Descriptor>, Vec<Descriptor>) {
        if still || self.bank_words == 0 { (load, Vec::new()) } else { (Vec::new(), load) }
    }

    /// Returns the pages that copy a vector; `first` is the number of the first one in the run.
    pub(super) fn copy(
        &self,
        first: usize,
        from: MemoryAddress,
        to: &[MemoryAddress],
    ) -> Result<Vec<Page>, KernelError> {
        let chunks = (0..self.words).step_by(MOST).enumerate();
        let page = |(k, at): (usize, usize)| {
            let (words, place) = ((self.words - at).min(MOST), (first + k) % 2 * self.bank_words);
            let place = WordAddress::from_index(place);
            let unload = to.iter().map(|to| put_dealt(place, words, *to + QUAD * at));
            let load = vec![get_dealt(from + QUAD * at, words, place)?];
            let (prepare, load) = self.parted(load, false);
            Ok(Page {
                prepare,
                load,
                commands: Vec::new(),
                unload: unload.collect::<Result<_, KernelError>>()?,
            })
        };
        chunks.map(page).collect()
    }
}
