//! Vectors in segments of equal length, each of which has a sum of its own: so that sums over all segments do not depend on how
//! these are dealt out to processes. Pages take as many segments as a bank holds.

use super::kernels::{VectorKernel, WORDS};
use super::vectors::Work;
use crate::host::pages::{BANK_WORDS, Command, Page, bank};
use crate::host::walks::{get_all, get_dealt, put_dealt};
use crate::host::{Call, Host};
use cp2_isa::{BundleAddress, Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_session::error::KernelError;

/// Bytes of one word of each section.
const QUAD: Bytes = Bytes::of_words(SECTIONS);
/// Words of each section of a segment are a multiple of this: whole bursts, and passes of the kernels.
const STEP: usize = 2 * WORDS;
/// Elements in a word of each section.
const ELEMENTS: usize = 2 * SECTIONS;

/// Returns the elements of a segment that holds so many elements.
pub(super) const fn segment_elements(elements: usize) -> usize {
    elements.div_ceil(ELEMENTS).next_multiple_of(STEP) * ELEMENTS
}

/// Segments of a process: sizes and addresses that all its vectors share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    /// Number of segments of the process.
    count: usize,
    /// Words of a segment in each section.
    words: usize,
    /// Most segments in a page.
    most: usize,
    /// Words from the begin of a bank of local memory to that of the other one; 0 if all pages lie in one place.
    bank_words: usize,
    /// Address from which kernels take their scalar.
    scalar: MemoryAddress,
    /// Address of the sums that kernels leave, one for each segment.
    sums: MemoryAddress,
    /// Addresses of the kernels' first bundles.
    entries: [BundleAddress; VectorKernel::ALL.len()],
}

impl Segments {
    pub(super) fn new(
        host: &mut Host,
        (count, elements): (usize, usize),
        entries: [BundleAddress; VectorKernel::ALL.len()],
    ) -> Result<Self, KernelError> {
        let words = elements / ELEMENTS;
        // Four arrays and a sum for each segment, and the scalar.
        let most = (BANK_WORDS - 2) / (4 * words + 2);
        if most == 0 {
            let limit = format!("{}, a bank of local memory", (BANK_WORDS - 4) / 4 * ELEMENTS);
            let what = "elements of a segment";
            return Err(KernelError::Parameter { what, value: elements, limit });
        }
        let (sums, scalar) = (host.allocate(QUAD * (2 * count))?, host.allocate(QUAD)?);
        let bank_words = bank(host.config().core(), 1);
        Ok(Self { count, words, most, bank_words, scalar, sums, entries })
    }

    /// Returns the fewest cycles of a kernel on all segments.
    pub(super) fn least_cycles(&self, kernel: VectorKernel) -> f64 {
        kernel.cycles() * (self.words * self.count) as f64
    }

    /// Writes the scalar for the kernels that follow; takes no time.
    pub(super) fn set_scalar(&self, host: &mut Host, scalar: f32) -> Result<(), KernelError> {
        host.write_floats(self.scalar, &[scalar; 4])
    }

    /// Returns the sum over the segments that the last kernel left: neighbours are added first, then pairs of them, and so on.
    pub(super) fn sum(&self, host: &Host) -> Result<f64, KernelError> {
        let mut sums = Vec::with_capacity(self.count);
        for segment in 0..self.count {
            let sum = host.read_floats(self.sums + QUAD * (2 * segment), 1)?;
            sums.push(sum.first().copied().map_or(0.0, f64::from));
        }
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        Ok(sums.first().copied().unwrap_or_default())
    }

    /// Returns the pages of a kernel; `first` is the number of the first one in the run. With `still`, nothing is loaded
    /// before CP2 has done the page before.
    pub(super) fn work(
        &self,
        first: usize,
        work: Work<'_>,
        still: bool,
    ) -> Result<Vec<Page>, KernelError> {
        let parts = (0..self.count).step_by(self.most).enumerate();
        parts.map(|(k, segment)| self.page(first + k, segment, work, still)).collect()
    }

    fn page(
        &self,
        number: usize,
        segment: usize,
        Work { kernel, from, to }: Work<'_>,
        still: bool,
    ) -> Result<Page, KernelError> {
        let (count, at) = ((self.count - segment).min(self.most), segment * self.words);
        let words = count * self.words;
        let base = number % 2 * self.bank_words;
        let array = |k: usize| base + k * words;
        let (scalar, sums) = (array(4), array(4) + 2);
        let word = WordAddress::from_index;
        let mut load = vec![get_all(self.scalar, 2, word(scalar))?];
        for (k, address) in from.iter().enumerate() {
            load.push(get_dealt(*address + QUAD * at, words, word(array(k)))?);
        }
        let mut unload = Vec::new();
        if kernel.has_sum() {
            unload.push(put_dealt(word(sums), 2 * count, self.sums + QUAD * (2 * segment))?);
        }
        for &(k, address) in to {
            unload.push(put_dealt(word(array(k)), words, address + QUAD * at)?);
        }
        let call = |(first, words, sum): (usize, usize, usize)| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| array(k) + first);
            let arguments = [a, b, c, d, scalar, sum, words / WORDS].map(|n| n as u16);
            Command::Run(Call::new(self.entries[kernel as usize], arguments.to_vec()))
        };
        let commands = match kernel.has_sum() {
            true => (0..count).map(|k| call((k * self.words, self.words, sums + 2 * k))).collect(),
            false => vec![call((0, words, sums))],
        };
        // Where one page lies in local memory, it is loaded while CP2 stands still.
        let (prepare, load) =
            if still || self.bank_words == 0 { (load, Vec::new()) } else { (Vec::new(), load) };
        Ok(Page { prepare, load, commands, unload })
    }

    /// Returns the pages that copy a vector; `first` is the number of the first one in the run.
    pub(super) fn copy(
        &self,
        first: usize,
        from: MemoryAddress,
        to: &[MemoryAddress],
    ) -> Result<Vec<Page>, KernelError> {
        let parts = (0..self.count).step_by(self.most).enumerate();
        let page = |(k, segment): (usize, usize)| {
            let words = (self.count - segment).min(self.most) * self.words;
            let at = segment * self.words;
            let place = WordAddress::from_index((first + k) % 2 * self.bank_words);
            let unload = to.iter().map(|to| put_dealt(place, words, *to + QUAD * at));
            let unload = unload.collect::<Result<_, KernelError>>()?;
            let load = vec![get_dealt(from + QUAD * at, words, place)?];
            let (prepare, load) =
                if self.bank_words == 0 { (load, Vec::new()) } else { (Vec::new(), load) };
            Ok(Page { prepare, load, commands: Vec::new(), unload })
        };
        parts.map(page).collect()
    }
}
