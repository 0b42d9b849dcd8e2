//! Programs in recordings. A program is kept in a recording with its texts when it is loaded, and all programs of a
//! recording are read again as one image, so that a recording alone tells labels, source lines and their texts.

use crate::error::KernelError;
use cp2_asm::Sources;
use cp2_asm::image::{Image, Kernel, SourcePosition, Symbol, SymbolKind};
use cp2_asm::object_file::{self, ObjectError};
use cp2_isa::{BundleAddress, BundleBits, Cycle};
use cp2_recording::{CodePeriod, LoadedProgram, Recorder, Recording, RecordingError};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Keeps a program in the recording that `recorder` writes, as loaded in the present cycle, with the texts of its
/// source files.
///
/// # Errors
/// [`KernelError::Object`] if the image has a symbol or a size that no object can hold.
pub fn keep(recorder: &Recorder, image: &Image, sources: &Sources) -> Result<(), KernelError> {
    recorder.program(&to_recorded(image, sources)?);
    Ok(())
}

/// Returns a program as recordings keep it.
pub(crate) fn to_recorded(image: &Image, sources: &Sources) -> Result<LoadedProgram, ObjectError> {
    let text = |name: &String| Some((name.clone(), sources.text_of(name)?.to_owned()));
    let sources = image.files.iter().filter_map(text).collect();
    Ok(LoadedProgram { object: object_file::write(image)?, sources })
}

/// The programs that a recording keeps, joined into one image, which gives names and source lines to the addresses of
/// the recording. Made by [`of`].
#[derive(Debug, Default)]
pub struct RecordedPrograms {
    /// Image of all kernels that are in instruction memory at the end of the recording, with names, symbols and source
    /// lines.
    pub image: Image,
    /// Texts of the source files that the recording keeps.
    pub sources: Sources,
}

/// The reason why the programs of a recording cannot be read.
#[derive(Debug)]
pub enum RecordedProgramError {
    /// The recording is damaged, so that its programs cannot be read from it.
    Recording(RecordingError),
    /// A program in the recording is damaged: it is kept as an object, which cannot be read.
    Object(ObjectError),
}

impl fmt::Display for RecordedProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(e) => e.fmt(f),
            Self::Object(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for RecordedProgramError {}

impl From<RecordingError> for RecordedProgramError {
    fn from(e: RecordingError) -> Self {
        Self::Recording(e)
    }
}

impl From<ObjectError> for RecordedProgramError {
    fn from(e: ObjectError) -> Self {
        Self::Object(e)
    }
}

/// The programs of a recording in the cycles in which instruction memory holds them. Made by [`by_code`].
#[derive(Debug)]
pub struct CodeNames {
    /// Ranges of cycles, counted from reset, in the order of time.
    pub cycles: Vec<Range<Cycle>>,
    /// Programs whose names and lines are right in these cycles.
    pub programs: RecordedPrograms,
    /// Bundles of instruction memory in these cycles, whenever a kernel runs.
    pub bundles: Arc<[BundleBits]>,
}

/// Returns the programs of a recording as one image, in which each kernel has its own bundle addresses. The recording
/// stays in its current cycle. If several kernels had the same bundle addresses, the one that was loaded last is
/// returned; bundles that were loaded without being kept belong to no kernel. In cycles before a kernel was loaded its
/// addresses may have been those of others; [`throughout`] and [`by_code`] tell cycles apart.
///
/// # Errors
/// The recording, or a program in it, is damaged.
pub fn of(recording: &mut Recording) -> Result<RecordedPrograms, RecordedProgramError> {
    let (here, end) = (recording.cycle(), *recording.cycles().end());
    let kept = Kept::read(recording)?;
    recording.seek(end)?;
    let iram = recording.state().iram.clone();
    recording.seek(here)?;
    Ok(kept.named(&[&iram]))
}

/// Returns the kernels of a recording whose names and lines are right in all cycles of a range: in none of these cycles
/// can a kernel have run other bundles at their addresses. The recording stays in its current cycle.
///
/// # Errors
/// The recording, or a program in it, is damaged.
pub fn throughout(
    recording: &mut Recording,
    range: Range<Cycle>,
) -> Result<RecordedPrograms, RecordedProgramError> {
    let kept = Kept::read(recording)?;
    let periods = recording.code_periods()?;
    let meets = |period: &&CodePeriod| {
        let Range { start, end } = &period.cycles;
        // The last cycle is one behind the run.
        *start < range.end && (range.start < *end || start == end)
    };
    let mut contents: Vec<&[BundleBits]> =
        periods.iter().filter(meets).map(|period| &period.bundles[..]).collect();
    if contents.is_empty() {
        contents.extend(periods.last().map(|period| &period.bundles[..]));
    }
    Ok(kept.named(&contents))
}

/// Returns the programs of a recording for all its cycles, which are told apart by what instruction memory holds in them.
/// The recording stays in its current cycle.
///
/// # Errors
/// The recording, or a program in it, is damaged.
pub fn by_code(recording: &mut Recording) -> Result<Vec<CodeNames>, RecordedProgramError> {
    let kept = Kept::read(recording)?;
    let mut all: Vec<CodeNames> = Vec::new();
    for CodePeriod { cycles, bundles } in recording.code_periods()?.iter() {
        match all.iter_mut().find(|names| Arc::ptr_eq(&names.bundles, bundles)) {
            Some(names) => names.cycles.push(cycles.clone()),
            None => all.push(CodeNames {
                cycles: vec![cycles.clone()],
                programs: kept.named(&[bundles]),
                bundles: bundles.clone(),
            }),
        }
    }
    Ok(all)
}

/// Programs that a recording keeps, in the order of loading, with the texts of their files.
struct Kept(Vec<(Image, Vec<(String, String)>)>);

impl Kept {
    fn read(recording: &mut Recording) -> Result<Self, RecordedProgramError> {
        let programs = recording.programs()?;
        let core = *recording.core();
        let read = |program: LoadedProgram| {
            Ok((object_file::read(&program.object, &core)?, program.sources))
        };
        programs
            .into_iter()
            .map(read)
            .collect::<Result<_, ObjectError>>()
            .map(Self)
            .map_err(Into::into)
    }

    /// Returns the kernels that are in one of some contents of instruction memory, while nothing else is in their place in
    /// any other.
    fn named(&self, contents: &[&[BundleBits]]) -> RecordedPrograms {
        let mut all = RecordedPrograms::default();
        for (image, sources) in self.0.iter().rev() {
            let is_there =
                |k: &Kernel, held: &[BundleBits]| held.get(k.range()) == Some(&k.words[..]);
            // Nothing was loaded there.
            let is_blank = |k: &Kernel, held: &[BundleBits]| {
                held.get(k.range()).is_some_and(|there| there.iter().all(|bits| *bits == 0))
            };
            let is_right = |k: &Kernel| {
                contents.iter().any(|held| is_there(k, held))
                    && contents.iter().all(|held| is_there(k, held) || is_blank(k, held))
            };
            let is_new = |k: &Kernel| all.image.kernels.iter().all(|other| !k.overlaps(other));
            let kernels: Vec<Kernel> =
                image.kernels.iter().filter(|k| is_right(k) && is_new(k)).cloned().collect();
            if kernels.is_empty() {
                continue;
            }
            for (name, text) in sources {
                if all.sources.text_of(name).is_none() {
                    all.sources.add(name, text);
                }
            }
            add(&mut all.image, image, kernels);
        }
        all.image.kernels.sort_by_key(|kernel| kernel.start);
        all.image.promises.sort_by_key(|promises| promises.start);
        all
    }
}

/// Adds some kernels of an image to another one, with what is known of their bundles.
fn add(all: &mut Image, image: &Image, kernels: Vec<Kernel>) {
    let is_in = |at: BundleAddress| kernels.iter().any(|k| k.range().contains(&at.index()));
    let first = all.files.len() as u32;
    all.files.extend(image.files.iter().cloned());
    let moved = |(at, place): (&BundleAddress, &SourcePosition)| {
        let place = SourcePosition { file: place.file + first, ..*place };
        is_in(*at).then_some((*at, place))
    };
    all.lines.extend(image.lines.iter().filter_map(moved));
    all.exchange_lines.extend(image.exchange_lines.iter().filter_map(moved));
    let listed = |(at, places): (&BundleAddress, &Vec<SourcePosition>)| {
        let places = places.iter().map(|p| SourcePosition { file: p.file + first, ..*p });
        is_in(*at).then(|| (*at, places.collect()))
    };
    all.calls.extend(image.calls.iter().filter_map(listed));
    all.merged_lines.extend(image.merged_lines.iter().filter_map(listed));
    let is_named = |symbol: &&Symbol| match symbol.kind {
        SymbolKind::Bundle => usize::try_from(symbol.value)
            .is_ok_and(|at| kernels.iter().any(|k| k.range().contains(&at))),
        SymbolKind::Word | SymbolKind::Constant => !all.symbols.contains(symbol),
    };
    let symbols: Vec<Symbol> = image.symbols.iter().filter(is_named).cloned().collect();
    all.symbols.extend(symbols);
    let hints = &image.hints;
    let allowed = hints.allowed.iter().filter(|(at, _)| is_in(**at));
    all.hints.allowed.extend(allowed.map(|(at, codes)| (*at, codes.clone())));
    let banks = hints.dma_banks.iter().filter(|(at, _)| is_in(**at));
    all.hints.dma_banks.extend(banks.map(|(at, banks)| (*at, *banks)));
    all.promises.extend(image.promises.iter().filter(|p| is_in(p.start)).cloned());
    for mut kernel in kernels {
        if let Some(fprs) = hints.live_out.get(&kernel.name) {
            all.hints.live_out.insert(kernel.name.clone(), fprs.clone());
        }
        if let Some(interface) = image.interfaces.get(&kernel.name) {
            all.interfaces.insert(kernel.name.clone(), interface.clone());
        }
        // Names are those of single images, in which they are unique.
        while all.kernels.iter().any(|other| other.name == kernel.name) {
            kernel.name.push('\'');
        }
        all.kernels.push(kernel);
    }
}
