//! A run of a procedure whose page scheme is data.

use super::kernels::Kernels;
use super::plan::Plan;
use super::system::PlacedSystemArray;
use super::{ArrayPart, PagedPass, PagedProcedure, wrong};
use crate::host::Host;
use crate::host::pages::{self, Chain, Group, Page};
use crate::host::walks::{get_all, run_of};
use cp2_asm::image::Image;
use cp2_emu::MachineConfig;
use cp2_emu::dma::{Descriptor, LocalWalk, Pattern};
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_recording::StepLevel;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use cp2_session::npy::Array;
use cp2_session::{Program, load};
use std::ops::Range;
use std::sync::Arc;

/// The outcome of a run of a procedure whose page scheme is data.
#[derive(Clone, Debug)]
pub struct PagedRun {
    /// Arrays that are wanted, with their numbers.
    pub arrays: Vec<(usize, Array)>,
    /// Cost of the run: its cycles, transfers, operations and activities. Programs are sent to instruction memory in
    /// it; the arrays are in system memory before.
    pub cost: Cost,
    /// Places in local memory: local array (`None` for the program's own data), number of the buffer, words.
    pub places: Vec<(Option<usize>, usize, Range<usize>)>,
}

/// Runs a procedure on a simulated machine (CP2, its DMA channel and system memory) with the configuration `config`.
/// `progress` is called with the number of pages done so far and of all.
///
/// # Errors
/// A part of a page does not fit its kernel, local memory or the channel, a page does not find what it reads, system
/// memory does not hold the arrays, or a kernel or a transfer does not end.
pub fn run(
    config: MachineConfig,
    program: &Program,
    procedure: &PagedProcedure,
    execution: &Execution,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<PagedRun, KernelError> {
    let ready = ReadyProcedure::new(config, program, procedure, execution)?;
    let ReadyProcedure { mut host, plan, placed, passes } = ready;
    if let Some(recorder) = &execution.recorder {
        program.keep_in(recorder).map_err(|e| KernelError::Program(Box::new(e)))?;
    }
    host.send_bundles(&Arc::new(Image { data: Vec::new(), ..program.image().clone() }))?;
    let pages = passes.iter().map(Vec::len).sum();
    go_through(&mut host, procedure, passes, progress)?;
    let wanted = procedure.arrays.iter().zip(&placed).enumerate();
    let wanted = wanted.filter(|(_, (array, _))| array.is_wanted);
    let arrays = wanted.map(|(k, (array, placed))| Ok((k, placed.read(&host, array)?)));
    let arrays = arrays.collect::<Result<_, KernelError>>()?;
    let counts = host.kernels();
    let cost = host.cost(counts.flops, (1, pages), counts.slot_operations as f64);
    let places = plan.rooms.iter().map(|r| (r.local, r.buffer, r.words.clone())).collect();
    Ok(PagedRun { arrays, cost, places })
}

/// A procedure before the first command of its host: arrays are in system memory, and transfers and calls of all pages are
/// known.
pub(super) struct ReadyProcedure<'a> {
    pub(super) host: Host,
    pub(super) plan: Plan<'a>,
    /// Arrays of the procedure at their places.
    pub(super) placed: Vec<PlacedSystemArray>,
    /// Pages of each pass. The first one also loads data of the program, and constants of calls.
    pub(super) passes: Vec<Vec<Page>>,
}

impl<'a> ReadyProcedure<'a> {
    pub(super) fn new(
        config: MachineConfig,
        program: &Program,
        procedure: &'a PagedProcedure,
        execution: &Execution,
    ) -> Result<Self, KernelError> {
        check(procedure)?;
        let mut kernels = Kernels::new(procedure, program)?;
        let image = program.image();
        let plan = Plan::new(procedure, &mut kernels, image, config.core())?;
        let mut host = Host::new(config, execution);
        let placed = place_arrays(&mut host, procedure, &kernels, &plan)?;
        let mut passes = plan.pages(&kernels, &placed)?;
        if let Some(first) = passes.first_mut().and_then(|pages| pages.first_mut()) {
            let mut data = of_program(&mut host, image)?;
            if let Some(at) = kernels.constants_at {
                let mut words = kernels.constants.clone();
                words.resize(words.len().next_multiple_of(2), 0);
                data.push(to_all(&mut host, &words, at)?);
            }
            first.load.splice(0..0, data);
        }
        Ok(Self { host, plan, placed, passes })
    }
}

/// Refuses what no page can have.
fn check(procedure: &PagedProcedure) -> Result<(), KernelError> {
    for array in &procedure.arrays {
        if array.shape.is_empty() || array.shape.contains(&0) {
            return Err(wrong(format!("array {}", array.name), "it has no elements"));
        }
    }
    match procedure.passes.iter().find(|pass| pass.pages.is_empty()) {
        Some(pass) => Err(wrong(&pass.name, "it has no pages")),
        None => Ok(()),
    }
}

/// Allocates the arrays in system memory and writes their values.
pub(super) fn place_arrays(
    host: &mut Host,
    procedure: &PagedProcedure,
    kernels: &Kernels<'_>,
    plan: &Plan<'_>,
) -> Result<Vec<PlacedSystemArray>, KernelError> {
    let mut all = Vec::new();
    for (number, array) in procedure.arrays.iter().enumerate() {
        let is_of = |local: usize| procedure.locals[local].array == Some(number);
        let stays = plan.stays.all.iter().filter(|stay| is_of(stay.local));
        if array.edge.is_some() && stays.clone().any(|stay| stay.is_stored) {
            let message = "`edge` goes with arrays that no page stores, for what is beyond the edges \
                           would not follow";
            return Err(wrong(format!("array {}", array.name), message));
        }
        let mut layouts = kernels.uses.iter().enumerate().filter(|(local, _)| is_of(*local));
        let layouts: Vec<_> = layouts.by_ref().filter_map(|(_, of)| of.as_ref()).collect();
        let layout = layouts.first().map(|of| of.layout).unwrap_or_default();
        if let Some(other) = layouts.iter().find(|of| of.layout.packing != layout.packing) {
            let message = format!(
                "one kernel takes it as {layout}, another as {}: in system memory it has one form",
                other.layout
            );
            return Err(wrong(format!("array {}", array.name), message));
        }
        let parts = stays.map(|stay| &stay.part).collect::<Vec<&ArrayPart>>();
        let placed = PlacedSystemArray::new(host, array, &layout, &parts)?;
        if let Some(values) = &array.values {
            placed.write(host, array, values)?;
        }
        all.push(placed);
    }
    Ok(all)
}

/// Returns the transfers that bring the program's own data to local memory; zeros are there after a reset.
fn of_program(host: &mut Host, image: &Image) -> Result<Vec<Descriptor>, KernelError> {
    let mut cp2 = load::cp2(host.config().core());
    load::load(image, &mut cp2);
    let mut all = Vec::new();
    for chunk in image.data.iter().filter(|chunk| chunk.words.iter().any(|word| *word != 0)) {
        // Beats are pairs of words, the first of which has an even address.
        let first = chunk.start.index() / 2 * 2;
        let end = (chunk.start.index() + chunk.words.len()).next_multiple_of(2);
        let quads = &cp2.state.lmem[first..end];
        let of_section = |s: usize| quads.iter().map(move |quad| quad[s]);
        if quads.iter().all(|quad| quad.iter().all(|word| *word == quad[0])) {
            all.push(to_all(host, &of_section(0).collect::<Vec<_>>(), first)?);
            continue;
        }
        let words: Vec<u64> = (0..SECTIONS).flat_map(of_section).collect();
        let at = host.allocate(Bytes::of_words(words.len()))?;
        host.write_words(at, &words)?;
        let beats = quads.len() as u16 / 2;
        let local = LocalWalk::linear(WordAddress::from_index(first), beats);
        all.push(Descriptor::get(run_of(at, words.len())?, local, Pattern::dealt(beats)));
    }
    Ok(all)
}

/// Writes words, an even number, to system memory, and returns the transfer that brings them to word `first` of every
/// section.
fn to_all(host: &mut Host, words: &[u64], first: usize) -> Result<Descriptor, KernelError> {
    let at = host.allocate(Bytes::of_words(words.len()))?;
    host.write_words(at, words)?;
    get_all(at, words.len(), WordAddress::from_index(first))
}

/// Goes through the pages of all passes, in each as its host works. `progress` is told pages.
fn go_through(
    host: &mut Host,
    procedure: &PagedProcedure,
    passes: Vec<Vec<Page>>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), KernelError> {
    let all = passes.iter().map(Vec::len).sum();
    let mut before = 0;
    let mut rest = procedure.passes.iter().zip(passes).peekable();
    while let Some((pass, pages)) = rest.next() {
        let mut count = pages.len();
        if pass.turns_between {
            host.begin_step(StepLevel::Stage, || pass.name.clone());
            pages::run(host, &pages, &mut |done| progress(before + done, all))?;
            host.end_step(StepLevel::Stage);
        } else {
            // Passes between whose pages the host does nothing are one chain.
            let group = |pass: &PagedPass, pages| Group {
                name: pass.name.clone(),
                pages,
                ..Group::default()
            };
            let mut groups = vec![group(pass, pages)];
            while let Some((pass, pages)) = rest.next_if(|(next, _)| !next.turns_between) {
                count += pages.len();
                groups.push(group(pass, pages));
            }
            let chain = Chain::new(host, &groups)?;
            let predicted = chain.predicted_cycles.max(1);
            chain.run(host, &mut |done| progress(before + done * count / predicted, all))?;
        }
        before += count;
    }
    Ok(())
}
