//! Pages of the published convolutions, L = N = P/2. Vectors lie in memory with their zeros; the
//! transform of the filter is made before. The bytes of each pass are those that the theory of \[D\]
//! table B.4 needs on VM7, see `specs/notes/2026-11-22-host-calibration.md`.

use super::transforms::places;
use super::{Factors, Reading};
use cp2_emu::dma::{Descriptor, LocalWalk, MemoryWalk, Pattern};
use cp2_isa::{Bytes, MemoryAddress, SECTIONS, WordAddress};
use cp2_procedures::fft::long::Split;
use cp2_procedures::host::pages::{BANK_WORDS, Page};
use cp2_procedures::host::walks::{rows_of, run_of};
use cp2_procedures::host::{Host, pages};
use cp2_session::error::KernelError;

/// Convolves `units` pages of whole vectors, or `units` vectors in passes.
pub(super) fn run(
    host: &mut Host,
    transform: usize,
    units: usize,
    reading: &Reading,
) -> Result<(), KernelError> {
    if transform > BANK_WORDS {
        return passes(host, transform, units, reading);
    }
    let words = reading.page_words.max(transform);
    let page_words = words * SECTIONS;
    let mut array = || host.allocate(Bytes::of_words(units * page_words));
    let (input, output) = (array()?, array()?);
    let page = |k: usize| {
        let at = |array: MemoryAddress| run_of(array.plus_words(k * page_words), page_words);
        let walk = LocalWalk::linear(places(k)[0], words as u16 / 2);
        let vectors = words / transform;
        let mut commands = reading.transforms(transform, vectors, true, false);
        commands.extend(reading.transforms(transform, vectors, false, false));
        let share = Pattern::dealt(words as u16 / 2);
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(at(input)?, walk, share)],
            commands,
            unload: vec![Descriptor::put(at(output)?, walk, 0)],
        })
    };
    let pages = (0..units).map(page).collect::<Result<Vec<_>, KernelError>>()?;
    if transform < BANK_WORDS {
        return pages::run(host, &pages, &mut |_| {});
    }
    // Vector and filter fill local memory, so that nothing is moved beside the kernels.
    pages.into_iter().try_for_each(|page| pages::run(host, &[page], &mut |_| {}))
}

/// Vectors of N1 rows of N2 in system memory, cut into blocks of columns and into runs.
struct Passes {
    split: Split,
    /// Words of a page in a section.
    words: usize,
    /// Address of the vectors; then of what lies between the passes; then of the transform of the filter, or of
    /// factors.
    input: MemoryAddress,
    middle: MemoryAddress,
    table: MemoryAddress,
}

impl Passes {
    fn columns(
        &self,
        array: MemoryAddress,
        vector: usize,
        block: usize,
    ) -> Result<MemoryWalk, KernelError> {
        let Split { n1, n2 } = self.split;
        let columns = SECTIONS * self.words / n1;
        rows_of(array.plus_words(vector * n1 * n2 + block * columns), columns, n2, n1)
    }

    fn run(
        &self,
        array: MemoryAddress,
        vector: usize,
        page: usize,
    ) -> Result<MemoryWalk, KernelError> {
        let page_words = SECTIONS * self.words;
        let first = vector * self.split.n1 * self.split.n2 + page * page_words;
        run_of(array.plus_words(first), page_words)
    }

    /// Returns the descriptor that loads the page of the table that goes with a page of a vector.
    fn load_table(&self, page: usize, place: WordAddress) -> Result<Descriptor, KernelError> {
        let beats = self.words as u16 / 2;
        let walk = LocalWalk::linear(place, beats);
        Ok(Descriptor::get(self.run(self.table, 0, page)?, walk, Pattern::dealt(beats)))
    }
}

/// Convolves vectors in passes: columns forward, times factors; rows forward, times the filter, inverse; columns
/// inverse, times factors.
fn passes(
    host: &mut Host,
    points: usize,
    vectors: usize,
    reading: &Reading,
) -> Result<(), KernelError> {
    let (split, words) = (Split::required(points)?, reading.pass_words);
    let mut array = |n: usize| host.allocate(Bytes::of_words(n * points));
    let passes =
        Passes { split, words, input: array(vectors)?, middle: array(vectors)?, table: array(1)? };
    let Split { n1, n2 } = split;
    let n_pages = points / (SECTIONS * words);
    let beats = (words / 2) as u16;
    let has_factors = match reading.factors {
        Factors::OfBlocks => n_pages > 1,
        Factors::Streamed => true,
        Factors::Resident => false,
    };
    let columns = |from: MemoryAddress, k: usize| {
        let (vector, block) = (k / n_pages, k % n_pages);
        let [place, factors] = places(k);
        let local = LocalWalk::interleaved(place, beats);
        let from = passes.columns(from, vector, block)?;
        let mut load = vec![Descriptor::get(from, local, Pattern::dealt(1))];
        if has_factors {
            load.push(passes.load_table(block, factors)?);
        }
        let to = passes.columns(passes.middle, vector, block)?;
        Ok::<_, KernelError>(Page {
            prepare: Vec::new(),
            load,
            commands: reading.transforms(n1, words / n1, true, true),
            unload: vec![Descriptor::put(to, LocalWalk::linear(place, beats), 1)],
        })
    };
    let rows = |k: usize| {
        let (vector, group) = (k / n_pages, k % n_pages);
        let [place, filter] = places(k);
        let (walk, share) = (LocalWalk::linear(place, beats), Pattern::dealt(beats));
        let memory = passes.run(passes.middle, vector, group)?;
        let mut commands = reading.transforms(n2, words / n2, true, true);
        commands.extend(reading.transforms(n2, words / n2, false, true));
        Ok(Page {
            prepare: Vec::new(),
            load: vec![Descriptor::get(memory, walk, share), passes.load_table(group, filter)?],
            commands,
            unload: vec![Descriptor::put(memory, walk, 0)],
        })
    };
    let all = 0..n_pages * vectors;
    let first: Result<Vec<_>, _> = all.clone().map(|k| columns(passes.input, k)).collect();
    pages::run(host, &first?, &mut |_| {})?;
    let second: Result<Vec<_>, KernelError> = all.clone().map(rows).collect();
    pages::run(host, &second?, &mut |_| {})?;
    let third: Result<Vec<_>, _> = all.map(|k| columns(passes.middle, k)).collect();
    pages::run(host, &third?, &mut |_| {})
}
