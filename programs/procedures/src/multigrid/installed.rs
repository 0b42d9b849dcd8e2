//! The contents of instruction memory at one time: kernels for one operator each, and kernels for several operators in one
//! go.

use super::down::{Down, DownGrids};
use super::fused::Fused;
use super::levels::Task;
use super::operator::Resident;
use crate::host::Host;
use crate::host::device_driven::{shared_source, source_of_stages};
use crate::host::pages::bank;
use cp2_asm::image::Image;
use cp2_emu::machine::Key;
use cp2_isa::{Bytes, Core, MemoryAddress};
use cp2_kernels::multigrid::columns::Columns;
use cp2_kernels::multigrid::fused::{InterpolationMode, LeastCycles};
use cp2_kernels::multigrid::sized::{Frames, source, spaced_source};
use cp2_kernels::multigrid::staged::{Records, StagedKernel};
use cp2_kernels::multigrid::{GridBlock, GridKernel, Operator, Paired, down, fused, operations};
use cp2_session::Environment;
use cp2_session::error::KernelError;
use num_complex::Complex32;
use std::sync::Arc;

/// Kernels that do several operators in one go, in columns of a given size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// Interpolation, residual and smoother.
    Fused(Columns, InterpolationMode),
    /// Residual and projection.
    Down(Columns),
    /// Projection alone.
    Proj(Columns),
}

impl Joined {
    fn name(self) -> String {
        match self {
            Self::Fused(columns, InterpolationMode::Add) => format!("fused {columns}"),
            Self::Fused(columns, InterpolationMode::Replace) => format!("fused anew {columns}"),
            Self::Down(columns) => format!("down {columns}"),
            Self::Proj(columns) => format!("proj {columns}"),
        }
    }

    /// Returns the text of the kernels by which CP2 turns pages, followed by the routines of their stages.
    fn source(self, records: Records) -> String {
        let kernels = |of: &[StagedKernel]| {
            of.iter().map(|kernel| source_of_stages(records, kernel)).collect::<String>()
        };
        match self {
            Self::Fused(columns, mode) => {
                kernels(&fused::sequences()) + &fused::Layout { columns, records }.routines(mode)
            }
            Self::Down(columns) => {
                kernels(&down::sequences()) + &down::Layout { columns, records }.routines()
            }
            Self::Proj(columns) => {
                kernels(&down::proj_sequences()) + &down::Layout { columns, records }.proj_routine()
            }
        }
    }
}

impl Joined {
    /// Returns the number of stages whose fewest cycles are known.
    const fn stages(self) -> usize {
        match self {
            Self::Fused(..) => 4,
            Self::Down(_) | Self::Proj(_) => 2,
        }
    }

    fn least_cycles(self, records: Records) -> Vec<usize> {
        match self {
            Self::Fused(columns, mode) => {
                fused::Layout { columns, records }.least_cycles(mode).0.to_vec()
            }
            Self::Down(columns) | Self::Proj(columns) => {
                down::Layout { columns, records }.least_cycles().to_vec()
            }
        }
    }
}

/// Kernels of the caller that stand in instruction memory behind those of the operators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelRoutines {
    /// Name that tells all on which the text depends; empty if there is none.
    pub name: String,
    /// Assembly text of the kernels.
    pub text: String,
}

/// The kernels in instruction memory, and their program.
#[derive(Debug)]
pub(super) struct Installed {
    pub(super) core: Core,
    pub(super) residents: Vec<Resident>,
    pub(super) fused: Option<Fused>,
    pub(super) down: Option<Down>,
    pub(super) proj: Option<Down>,
    pub(super) image: Arc<Image>,
}

/// Writes words to memory, filled up to whole beats; returns their address and number.
fn write_words(
    host: &mut Host,
    mut words: Vec<u64>,
) -> Result<(MemoryAddress, usize), KernelError> {
    words.resize(words.len().next_multiple_of(2), 0);
    let address = host.allocate(Bytes::of_words(words.len()))?;
    let halves = |&word: &u64| {
        Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
    };
    host.write(address, &words.iter().map(halves).collect::<Vec<_>>())?;
    Ok((address, words.len()))
}

/// Takes the first N entries of a list, which gets shorter by them.
fn first<T: Copy, const N: usize>(rest: &mut &[T]) -> Result<[T; N], KernelError> {
    let missing = || KernelError::Internal("an image lacks a kernel");
    let (&entries, behind) = rest.split_first_chunk().ok_or_else(missing)?;
    *rest = behind;
    Ok(entries)
}

/// Returns the operations that the fuller slot has to issue, for a frame of each kernel, then for the stages of those in one
/// go. They follow from the names, so the environment keeps them.
fn least_cycles(
    environment: &Environment,
    core: &Core,
    names: &str,
    frames: Frames<'_>,
    joined: &[(Joined, Records)],
) -> Result<Vec<usize>, KernelError> {
    let key = format!("least cycles {:?}\n{names}", core.numbers());
    let count = frames.len() + joined.iter().map(|(joined, _)| joined.stages()).sum::<usize>();
    let cycles = environment.numbers_of(&key, count, || {
        let mut cycles = Vec::new();
        for &(kernel, frame) in frames {
            cycles.push(operations(core, kernel, frame)?.into_iter().max().unwrap_or(0));
        }
        cycles.extend(joined.iter().flat_map(|&(joined, records)| joined.least_cycles(records)));
        Ok::<_, KernelError>(cycles.into_iter().map(|cycles| cycles as f64).collect())
    })?;
    Ok(cycles.into_iter().map(|cycles| cycles as usize).collect())
}

/// Returns kernels that do several operators in one go, each with the places of its records in the local memory of a core.
fn placed(core: &Core, joined: &[Joined]) -> Result<Vec<(Joined, Records)>, KernelError> {
    let needed = if joined.is_empty() { 0 } else { Records::WORDS };
    KernelError::require("joined operators", "words of local memory", needed, core.lmem_words())?;
    let place = |&joined: &Joined| Records::of(core).map(|records| (joined, records));
    Ok(joined.iter().filter_map(place).collect())
}

impl Installed {
    /// Returns the number of bundles of the program.
    pub(super) fn bundles(&self) -> usize {
        self.image.kernels.iter().map(|kernel| kernel.words.len()).sum()
    }

    /// Whether the program has the kernels of a task.
    pub(super) fn has(&self, task: &Task) -> bool {
        match task {
            Task::One(kernel, _) => self.residents.iter().any(|of| of.kernel == *kernel),
            Task::Fused(_) => self.fused.is_some(),
            Task::Down(DownGrids { u: Some(_), .. }, _) => self.down.is_some(),
            Task::Down(..) => self.proj.is_some(),
        }
    }

    /// Assembles `resid_paired` for blocks of one size and writes its constants to memory.
    ///
    /// # Errors
    /// The kernel takes no such blocks or does not fit instruction memory, or system memory does not hold the constants.
    pub(super) fn paired(host: &mut Host, block: GridBlock) -> Result<Self, KernelError> {
        type Kernel = Paired<false>;
        let core = *host.config().core();
        let text = || Kernel::source(&core, block);
        let image = host.assemble_named(&format!("{} {block}", Kernel::NAME), text)?;
        let constants = Kernel::constants(&GridKernel::Resid.operator());
        let least = Kernel::operations(&core, block)?;
        let installed = Self::of_one(host, (GridKernel::Resid, block), image, (&constants, least))?;
        let whole = |resident| Resident { is_whole: true, ..resident };
        Ok(Self { residents: installed.residents.into_iter().map(whole).collect(), ..installed })
    }

    /// Writes the constants of a kernel that is alone in instruction memory to memory. `least` is how many operations each slot
    /// has to issue for a block of the frame's size.
    fn of_one(
        host: &mut Host,
        (kernel, frame): (GridKernel, GridBlock),
        image: Arc<Image>,
        (constants, least): (&[u64], [usize; 2]),
    ) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let entry = image.kernels.first().map(|kernel| kernel.start);
        let resident = Resident {
            kernel,
            frame,
            entry: entry.ok_or(KernelError::Internal("an image lacks a kernel"))?,
            constants: write_words(host, constants.to_vec())?,
            least_cycles: least.into_iter().max().unwrap_or(0),
            bank_words: bank(&core, 1),
            by_words: host.config().value(Key::DmaWords) == 1,
            is_whole: false,
        };
        let residents = vec![resident];
        Ok(Self { core, residents, fused: None, down: None, proj: None, image })
    }

    /// Assembles a kernel with its accesses apart and writes its constants to memory.
    ///
    /// # Errors
    /// The kernel does not fit instruction memory, or system memory does not hold the constants.
    pub(super) fn spaced(
        host: &mut Host,
        kernel: GridKernel,
        frame: GridBlock,
    ) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let text = || spaced_source(&core, kernel, frame);
        let image = host.assemble_named(&format!("{} {frame} apart", kernel.name()), text)?;
        let constants = kernel.constants(&kernel.operator());
        let least = operations(&core, kernel, frame)?;
        Self::of_one(host, (kernel, frame), image, (&constants, least))
    }

    /// Assembles the kernels and writes their constants to memory.
    ///
    /// # Errors
    /// Kernels that do not fit instruction memory, or a system memory that does not hold their constants.
    pub(super) fn new(
        host: &mut Host,
        frames: Frames<'_>,
        joined: &[Joined],
        weights: impl Fn(GridKernel) -> Operator,
    ) -> Result<Self, KernelError> {
        Self::with_routines(host, (frames, joined), weights, &KernelRoutines::default())
    }

    /// Assembles the kernels and routines behind them, and writes the constants of the kernels to memory.
    ///
    /// # Errors
    /// Kernels and routines that do not fit instruction memory, or a system memory that does not hold the constants.
    pub(super) fn with_routines(
        host: &mut Host,
        (frames, joined): (Frames<'_>, &[Joined]),
        weights: impl Fn(GridKernel) -> Operator,
        routines: &KernelRoutines,
    ) -> Result<Self, KernelError> {
        let core = *host.config().core();
        let joined = placed(&core, joined)?;
        let of_one = frames.iter().map(|(kernel, frame)| format!("{} {frame}", kernel.name()));
        let names = of_one.chain(joined.iter().map(|(joined, _)| joined.name()));
        let routines_name = Some(routines.name.clone()).filter(|name| !name.is_empty());
        let names: Vec<_> = names.chain(routines_name).collect();
        let in_one_go = || {
            let shared = if joined.is_empty() { String::new() } else { shared_source() };
            let of_joined = joined.iter().map(|&(joined, records)| joined.source(records));
            of_joined.collect::<String>() + &shared
        };
        let names = names.join(", ");
        let text = || Ok(source(&core, frames)? + &in_one_go() + &routines.text);
        let image = host.assemble_named(&names, text)?;
        let least_cycles = least_cycles(host.environment(), &core, &names, frames, &joined)?;
        let (of_frames, mut least_cycles) = least_cycles.split_at(frames.len());
        let entries: Vec<_> = image.kernels.iter().map(|kernel| kernel.start).collect();
        let by_words = host.config().value(Key::DmaWords) == 1;
        let mut residents = Vec::new();
        for ((&(kernel, frame), &entry), &least_cycles) in
            frames.iter().zip(&entries).zip(of_frames)
        {
            let constants = write_words(host, kernel.constants(&weights(kernel)))?;
            let bank_words = bank(&core, 1);
            residents.push(Resident {
                kernel,
                frame,
                entry,
                constants,
                least_cycles,
                bank_words,
                by_words,
                is_whole: false,
            });
        }
        let mut installed = Self { core, residents, fused: None, down: None, proj: None, image };
        let (smoother, mut rest) = (weights(GridKernel::Smooth), &entries[frames.len()..]);
        for (joined, records) in joined {
            match joined {
                Joined::Fused(columns, mode) => {
                    let constants = write_words(host, fused::constants(&smoother))?;
                    let (layout, entries) = (fused::Layout { columns, records }, first(&mut rest)?);
                    let least_cycles = LeastCycles(first(&mut least_cycles)?);
                    installed.fused =
                        Some(Fused { layout, mode, entries, constants, least_cycles });
                }
                Joined::Down(columns) | Joined::Proj(columns) => {
                    let constants = write_words(host, down::constants())?;
                    let (layout, entries) = (down::Layout { columns, records }, first(&mut rest)?);
                    let is_down = matches!(joined, Joined::Down(_));
                    let place = if is_down { &mut installed.down } else { &mut installed.proj };
                    let least_cycles = first(&mut least_cycles)?;
                    *place = Some(Down { layout, entries, constants, least_cycles });
                }
            }
        }
        Ok(installed)
    }
}
