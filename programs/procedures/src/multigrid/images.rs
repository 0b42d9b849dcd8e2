//! The programs of kernels that take turns in instruction memory during V-cycles, and which of them a task needs.

use super::form::{OperatorForm, weights};
use super::installed::{Installed, Joined};
use super::levels::{Levels, Task};
use super::npb::Class;
use crate::host::Host;
use cp2_kernels::multigrid::columns::Columns;
use cp2_kernels::multigrid::fused::InterpolationMode;
use cp2_kernels::multigrid::sized::cycle;
use cp2_kernels::multigrid::{GridBlock, GridKernel};
use cp2_session::error::KernelError;
use std::ops::Range;

/// Most points along an axis of grids on which operators are done one by one beside those in one go.
const SMALL: usize = 16;

/// Returns the kernels for one operator each, with their frames.
pub(super) fn frames() -> Vec<(GridKernel, GridBlock)> {
    let mut frames = cycle();
    frames.retain(|&(kernel, _)| kernel != GridKernel::Norm);
    frames
}

/// Returns the kernels for one operator each that stand beside those in one go, with their frames. Frames are no longer than
/// these grids need, except for projections, so that all kernels fit instruction memory.
fn small_frames() -> Vec<(GridKernel, GridBlock)> {
    let mut frames = frames();
    frames.retain(|&(kernel, _)| kernel != GridKernel::Interp);
    for (kernel, frame) in &mut frames {
        match kernel {
            GridKernel::Proj => {}
            GridKernel::Interp0 => frame.n1 = SMALL / 2,
            // The kernel smooths only grids of two points along an axis.
            GridKernel::Smooth0 => frame.n1 = 4,
            _ => frame.n1 = SMALL,
        }
    }
    frames
}

/// Kernels of one program: those for one operator each with their frames, and those for several in one go.
#[derive(Clone, Debug, Default)]
struct KernelSet {
    frames: Vec<(GridKernel, GridBlock)>,
    joined: Vec<Joined>,
}

impl KernelSet {
    fn install(&self, host: &mut Host, class: Class) -> Result<Installed, KernelError> {
        Installed::new(host, &self.frames, &self.joined, |kernel| weights(kernel, class))
    }

    /// Returns a set for each kernel.
    fn parted(&self) -> impl Iterator<Item = Self> + '_ {
        let of_frame = |&frame| Self { frames: vec![frame], joined: Vec::new() };
        let of_joined = |&joined| Self { frames: Vec::new(), joined: vec![joined] };
        self.frames.iter().map(of_frame).chain(self.joined.iter().map(of_joined))
    }

    fn add(&mut self, other: Self) {
        self.frames.extend(other.frames);
        self.joined.extend(other.joined);
    }
}

/// Sets of kernels for the grids below the finest one, and for the finest; the same for both if the former is empty.
#[derive(Clone, Debug)]
struct KernelSets {
    below: Vec<KernelSet>,
    finest: Vec<KernelSet>,
}

impl KernelSets {
    /// Returns the fewest sets that the kernels of a form usually fit.
    fn usual(form: OperatorForm, levels: &Levels) -> Self {
        let Some(columns) = form.columns() else {
            let all = KernelSet { frames: frames(), joined: Vec::new() };
            return Self { below: Vec::new(), finest: vec![all] };
        };
        let finest = vec![Joined::Fused(columns, InterpolationMode::Add), Joined::Down(columns)];
        let is_joined = |task: &Task| matches!(task, Task::Fused(_));
        if !levels.below().iter().any(is_joined) {
            let all = KernelSet { frames: small_frames(), joined: finest };
            return Self { below: Vec::new(), finest: vec![all] };
        }
        let below = vec![
            Joined::Fused(Columns::SQUARE, InterpolationMode::Replace),
            Joined::Proj(Columns::WIDE),
        ];
        let below = KernelSet { frames: small_frames(), joined: below };
        let finest = KernelSet { frames: Vec::new(), joined: finest };
        Self { below: vec![below], finest: vec![finest] }
    }

    /// Returns the same kernels in sets that the instruction memory of a host holds, for which few bundles are sent.
    fn packed(&self, host: &mut Host, class: Class, levels: &Levels) -> Result<Self, KernelError> {
        let cycles = class.iterations();
        let below = vec![levels.below(); cycles];
        let finest = (0..cycles).map(|k| levels.on_finest(k == cycles - 1));
        let finest: Vec<_> = [levels.descent(false)].into_iter().chain(finest).collect();
        if self.below.is_empty() {
            // All tasks follow each other: on the finest grid, below it, on it again, and so on.
            let behind = below.into_iter().chain([Vec::new()]);
            let all = finest.into_iter().zip(behind).flat_map(|(finest, below)| [finest, below]);
            let all = all.flatten().collect();
            let finest = packed(host, class, &self.finest, &[all])?;
            return Ok(Self { below: Vec::new(), finest });
        }
        let below = packed(host, class, &self.below, &below)?;
        Ok(Self { below, finest: packed(host, class, &self.finest, &finest)? })
    }
}

/// Returns the kernels of these sets in sets that fit instruction memory: of all ways the one for which the fewest bundles are
/// sent in these sequences of tasks, each of which finds other kernels in instruction memory. More memory allows more ways, so
/// it never costs more bundles.
fn packed(
    host: &mut Host,
    class: Class,
    sets: &[KernelSet],
    sequences: &[Vec<Task>],
) -> Result<Vec<KernelSet>, KernelError> {
    let room = host.config().core().numbers().instruction_memory_bundles as usize;
    let kernels: Vec<_> = sets.iter().flat_map(KernelSet::parted).collect();
    let programs = kernels.iter().map(|kernel| kernel.install(host, class));
    let programs = programs.collect::<Result<Vec<_>, _>>()?;
    let bundles: Vec<_> = programs.iter().map(Installed::bundles).collect();
    let needs = |task: &Task| programs.iter().position(|program| program.has(task));
    let order = |tasks: &Vec<Task>| tasks.iter().filter_map(needs).collect::<Vec<_>>();
    let orders: Vec<_> = sequences.iter().map(order).collect();
    let sent = |way: &Vec<usize>| -> usize {
        orders.iter().map(|order| bundles_sent(&bundles, way, order)).sum()
    };
    let best = ways(&bundles, room).into_iter().min_by_key(sent).unwrap_or_default();
    let mut packed = vec![KernelSet::default(); best.iter().max().map_or(0, |last| last + 1)];
    for (kernel, set) in kernels.into_iter().zip(best) {
        packed[set].add(kernel);
    }
    Ok(packed)
}

/// Returns all ways to deal kernels to sets of at most `room` bundles: the set of each kernel.
fn ways(bundles: &[usize], room: usize) -> Vec<Vec<usize>> {
    let taken = |way: &[usize], set| -> usize {
        way.iter().zip(bundles).filter(|(of, _)| **of == set).map(|(_, bundles)| bundles).sum()
    };
    bundles.iter().fold(vec![Vec::new()], |ways, bundles| {
        let with = |way: Vec<usize>| {
            let sets = 0..=way.iter().max().map_or(0, |last| last + 1);
            let fits = sets.filter(|&set| taken(&way, set) + bundles <= room).collect::<Vec<_>>();
            fits.into_iter().map(move |set| [&way[..], &[set]].concat())
        };
        ways.into_iter().flat_map(with).collect()
    })
}

/// Returns the bundles that are sent when kernels are used in this order: those of a whole set at first, and each time that the
/// kernel before is in another one.
fn bundles_sent(bundles: &[usize], sets: &[usize], order: &[usize]) -> usize {
    let of_set = |set| -> usize {
        bundles.iter().zip(sets).filter(|(_, of)| **of == set).map(|(bundles, _)| bundles).sum()
    };
    let runs = order.chunk_by(|&kernel, &next| sets[kernel] == sets[next]);
    runs.filter_map(|run| run.first()).map(|&kernel| of_set(sets[kernel])).sum()
}

/// Programs of kernels that take turns in instruction memory.
pub(super) struct Images {
    all: Vec<Installed>,
    /// Numbers of those for grids below the finest one.
    below: Range<usize>,
    /// Numbers of those for the finest grid.
    finest: Range<usize>,
    /// Sentence on what instruction memory lacks for the usual, fewer programs; `None` if it holds them.
    lack: Option<String>,
}

impl Images {
    /// Assembles the kernels of a form: in the fewest programs that they usually fit, or in as many as instruction memory needs.
    ///
    /// # Errors
    /// A kernel does not fit instruction memory, or system memory does not hold the constants.
    pub(super) fn new(
        host: &mut Host,
        (class, form): (Class, OperatorForm),
        levels: &Levels,
    ) -> Result<Self, KernelError> {
        let sets = KernelSets::usual(form, levels);
        match Self::of(host, class, &sets) {
            Err(lack) if lack.is_lack_of_resources() => {
                let sets = sets.packed(host, class, levels)?;
                Ok(Self { lack: Some(lack.to_string()), ..Self::of(host, class, &sets)? })
            }
            images => images,
        }
    }

    fn of(host: &mut Host, class: Class, sets: &KernelSets) -> Result<Self, KernelError> {
        let all = sets.below.iter().chain(&sets.finest);
        let all = all.map(|set| set.install(host, class)).collect::<Result<Vec<_>, _>>()?;
        let finest = sets.below.len()..all.len();
        let below = if sets.below.is_empty() { finest.clone() } else { 0..sets.below.len() };
        Ok(Self { all, below, finest, lack: None })
    }

    /// Returns the program of this number.
    pub(super) fn get(&self, number: usize) -> &Installed {
        &self.all[number]
    }

    /// Returns what instruction memory lacks for the fewer programs that the kernels usually fit; `None` if they fit.
    pub(super) fn lack(&self) -> Option<&str> {
        self.lack.as_deref()
    }

    /// Returns the name of the way in which the kernels share instruction memory.
    pub(super) fn name(&self) -> String {
        match self.all.len() {
            1 => "all kernels together".to_owned(),
            programs => format!("kernels in {programs} programs that take turns"),
        }
    }

    /// Returns tasks on grids below the finest one with the numbers of their programs.
    pub(super) fn below(&self, tasks: Vec<Task>) -> Result<Vec<(usize, Task)>, KernelError> {
        self.numbered(&self.below, tasks)
    }

    /// Returns tasks on the finest grid with the numbers of their programs.
    pub(super) fn on_finest(&self, tasks: Vec<Task>) -> Result<Vec<(usize, Task)>, KernelError> {
        self.numbered(&self.finest, tasks)
    }

    fn numbered(
        &self,
        among: &Range<usize>,
        tasks: Vec<Task>,
    ) -> Result<Vec<(usize, Task)>, KernelError> {
        let number = |task: Task| {
            let found = among.clone().find(|&image| self.all[image].has(&task));
            let missing = KernelError::Internal("an operation of a program is not installed");
            Ok((found.ok_or(missing)?, task))
        };
        tasks.into_iter().map(number).collect()
    }
}
