//! Names of words in the cycles of a recording: each run of a kernel has arrays of its own.

use super::{SizedArray, WordNames};
use crate::history::History;
use cp2_emu::stats::Cause;
use cp2_ir::image::Image;
use cp2_isa::{Core, Cycle, Section};
use cp2_recording::{CountedCondition, MatchChoice, Recording, RecordingError};
use std::ops::Range;
use std::sync::Arc;

/// Most runs of kernels whose arrays are looked for to name words.
const MOST_RUNS: usize = 32;

/// The name of an array with its sizes, or with the sentence that says why it has none.
pub type NamedArray = (String, Result<SizedArray, String>);

/// A run of a kernel in a recording: its cycles, its arrays, and the names of words by them.
#[derive(Clone, Debug)]
pub struct KernelWords {
    /// Cycles of the run, the end excluded.
    pub cycles: Range<Cycle>,
    /// Latest cycle that is known to have no later run before it.
    latest: Cycle,
    /// Arrays that the kernel declares.
    pub arrays: Vec<NamedArray>,
    /// Names of words while the kernel runs.
    pub names: Arc<WordNames>,
}

impl KernelWords {
    /// Finds the run of a kernel that a cycle belongs to, or the one before it; `None` if no kernel ran before. `image_in` tells
    /// the program that is in instruction memory in a cycle. The recording stays in its cycle.
    ///
    /// # Errors
    /// The recording is damaged, or the search was ended.
    pub fn find<'a>(
        recording: &mut Recording,
        history: &mut History,
        here: Cycle,
        image_in: &dyn Fn(Cycle) -> Option<&'a Image>,
    ) -> Result<Option<Self>, RecordingError> {
        let before = recording.cycle();
        let found = search(recording, history, here, image_in);
        recording.seek(before)?;
        found
    }

    /// Returns whether the arrays are those of a cycle: it belongs to the run, or is behind it and no other run is known.
    pub fn has(&self, cycle: Cycle) -> bool {
        (self.cycles.start..=self.latest).contains(&cycle)
    }
}

fn search<'a>(
    recording: &mut Recording,
    history: &mut History,
    here: Cycle,
    image_in: &dyn Fn(Cycle) -> Option<&'a Image>,
) -> Result<Option<KernelWords>, RecordingError> {
    let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
    let mut idle = CountedCondition::Cause(None);
    let is_running = history.cycle(recording, here)?.is_some_and(|cycle| cycle.cause.is_some());
    let mut last = is_running.then_some(here);
    let behind = match is_running {
        true => recording.find_time(here..end, MatchChoice::First, &mut idle)?.unwrap_or(end),
        false => {
            for cause in [Cause::Both, Cause::Arithmetic, Cause::Exchange, Cause::Empty] {
                let mut condition = CountedCondition::Cause(Some(cause));
                let from = last.map_or(begin, |last| last + 1);
                let found = recording.find_time(from..here, MatchChoice::Last, &mut condition)?;
                last = found.or(last);
            }
            last.map_or(begin, |last| last + 1)
        }
    };
    let Some(last) = last else { return Ok(None) };
    let before = recording.find_time(begin..last, MatchChoice::Last, &mut idle)?;
    let first = before.map_or(begin, |before| before + 1);
    let latest = here.max(Cycle(behind.0.saturating_sub(1)));
    let core = *recording.core();
    let mut found =
        KernelWords { cycles: first..behind, latest, arrays: Vec::new(), names: Arc::default() };
    let Some(image) = image_in(first) else { return Ok(Some(found)) };
    let address = history.cycle(recording, first)?.and_then(|cycle| cycle.address);
    let kernel = address.and_then(|address| image.kernel_at(address));
    if let Some(interface) = kernel.and_then(|kernel| image.interfaces.get(&kernel.name)) {
        recording.seek(first)?;
        let state = recording.state();
        let sized = interface
            .arrays
            .iter()
            .map(|array| (array.name.clone(), SizedArray::new(array, interface, state, &core)));
        found.arrays = sized.collect();
    }
    found.names = Arc::new(match found.arrays.is_empty() {
        true => WordNames::of(image, &core),
        false => {
            let arrays = found.arrays.iter().filter_map(|(_, array)| array.clone().ok());
            WordNames::of_kernel(image, &core, arrays.collect())
        }
    });
    Ok(Some(found))
}

/// The names of words in some cycles of a recording: those of the runs of kernels that these cycles belong to, and elsewhere
/// those that the program gives by itself.
#[derive(Clone, Debug, Default)]
pub struct WordsInTime {
    runs: Vec<KernelWords>,
    elsewhere: WordNames,
}

impl WordsInTime {
    /// Returns the names that a program gives by itself, the same in all cycles.
    pub fn of(image: &Image, core: &Core) -> Self {
        Self { runs: Vec::new(), elsewhere: WordNames::of(image, core) }
    }

    /// Finds the runs of kernels that some cycles belong to, at most 32 of them.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn find<'a>(
        &mut self,
        recording: &mut Recording,
        history: &mut History,
        cycles: impl IntoIterator<Item = Cycle>,
        image_in: &dyn Fn(Cycle) -> Option<&'a Image>,
    ) -> Result<(), RecordingError> {
        for cycle in cycles {
            if self.runs.len() < MOST_RUNS && !self.runs.iter().any(|run| run.has(cycle)) {
                self.runs.extend(KernelWords::find(recording, history, cycle, image_in)?);
            }
        }
        Ok(())
    }

    /// Returns the names in a cycle.
    pub fn names(&self, cycle: Cycle) -> &WordNames {
        let run = self.runs.iter().find(|run| run.cycles.contains(&cycle));
        run.map_or(&self.elsewhere, |run| &run.names)
    }

    /// Returns the name of neighbouring words in a cycle, in one section or in all; `None` if they have none.
    pub fn name(
        &self,
        cycle: Cycle,
        words: Range<usize>,
        section: Option<Section>,
    ) -> Option<String> {
        self.names(cycle).name(words, section)
    }
}
