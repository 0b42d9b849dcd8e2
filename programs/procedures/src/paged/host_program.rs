//! All that the host of a procedure does as data, from which a program for the control processor is written: arrays as
//! pages have them, transfers, bundles that call kernels.

use super::run::ReadyProcedure;
use super::stream::BEAT;
use super::system::PlacedSystemArray;
use super::{Edge, PagedProcedure, wrong};
use crate::host::pages::{Command, PageStep, linked_steps};
use cp2_asm::image::Image;
use cp2_asm::interface::Packing;
use cp2_emu::MachineConfig;
use cp2_emu::dma::{Descriptor, DescriptorAction, MemoryWalk};
use cp2_isa::{BundleAddress, BundleBits, Bytes, MemoryAddress};
use cp2_session::Program;
use cp2_session::arrays::kernel_at;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// A host's program as data: what it has in system memory, sends to instruction memory, and does page by page.
#[derive(Clone, Debug)]
pub struct HostProgram {
    /// Places in system memory, one behind the other: those of the arrays of the procedure, in their order, and then
    /// constants.
    pub places: Vec<HostPlace>,
    /// Bundles of instruction memory: address of the first, and all of them.
    pub code: Vec<(BundleAddress, Vec<u64>)>,
    /// Passes in their order.
    pub passes: Vec<HostPass>,
}

/// A place in system memory.
#[derive(Clone, Debug)]
pub struct HostPlace {
    /// Size of the place.
    pub bytes: Bytes,
    /// Content before the first page.
    pub content: PlaceContent,
}

/// Content of a place in system memory before the first page.
#[derive(Clone, Debug)]
pub enum PlaceContent {
    /// The array of the procedure with the number of the place, in this form.
    Array(SystemForm),
    /// Words of 64 bits, such as data of the kernels' program.
    Words(Vec<u64>),
}

/// The form of an array in system memory, as pages have it: with elements around it, and gaps between its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemForm {
    /// Axes in their order; the last one varies fastest.
    pub axes: Vec<SystemAxis>,
    /// Packing of elements of 32 bits in words; those of 64 bits fill a word.
    pub packing: Packing,
    /// Whether an element has 32 bits, else 64.
    pub is_half: bool,
    /// Values of elements around the array.
    pub edge: Option<Edge>,
}

/// An axis of an array in system memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemAxis {
    /// Number of elements of the array along the axis.
    pub size: usize,
    /// Number of elements around it: before the first one, and behind the last one.
    pub margin: [usize; 2],
    /// Bytes from an element to the next one.
    pub step: i64,
}

impl SystemForm {
    /// Returns the bytes of an element in a plain array, one element behind the other.
    pub fn element_bytes(&self) -> i64 {
        if self.is_half { 4 } else { 8 }
    }

    /// Whether the array lies as a plain one, with nothing between or around its elements.
    pub fn is_plain(&self) -> bool {
        let mut dense = self.element_bytes();
        self.axes.iter().rev().all(|axis| {
            let is_dense = axis.margin == [0, 0] && axis.step == dense;
            dense *= axis.size as i64;
            is_dense
        })
    }
}

/// A pass of a host's program: a queue of transfers for the channel, and the steps in which the host goes through it.
#[derive(Clone, Debug)]
pub struct HostPass {
    /// Name of the pass, for comments.
    pub name: String,
    /// Steps in their order.
    pub steps: Vec<HostStep>,
}

/// A step of a pass. The channel does the transfers while the host makes the calls; the step ends when both are done.
#[derive(Clone, Debug)]
pub struct HostStep {
    /// Words that tell the page whose calls are made; `None` if the step only moves data.
    pub page: Option<String>,
    /// Transfers, the first of which waits until the host releases the channel, unless it is the first of the pass.
    pub transfers: Vec<HostTransfer>,
    /// Commands to CP2, in this order.
    pub commands: Vec<HostCommand>,
}

/// A transfer between a place in system memory and local memory.
#[derive(Clone, Debug)]
pub struct HostTransfer {
    /// Number of the place, and the bytes from its begin to where the transfer begins; `None` for a transfer that moves
    /// nothing.
    pub place: Option<(usize, u64)>,
    /// The transfer; its base in system memory is no address of a program.
    pub descriptor: Descriptor,
}

/// Command of a host to CP2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// Transforms are inverse ones from now on, or no longer.
    SetInverse(bool),
    /// A kernel runs until it stops: its name, and the bundles that make the call, which the host sends.
    Run(String, Vec<u64>),
}

impl HostProgram {
    /// Makes the program of the host for a procedure on a machine with the configuration `config`. No kernel is run.
    ///
    /// # Errors
    /// The errors are those of [`run`](super::run::run) before the first page; or bundles have more than 64 bits.
    pub fn new(
        config: MachineConfig,
        program: &Program,
        procedure: &PagedProcedure,
    ) -> Result<Self, KernelError> {
        let execution = Execution::default();
        let ReadyProcedure { host, placed, passes, .. } =
            ReadyProcedure::new(config, program, procedure, &execution)?;
        let (mut places, mut begins) = (Vec::new(), Vec::new());
        for (placed, array) in placed.iter().zip(&procedure.arrays) {
            begins.push(placed.base);
            let content = PlaceContent::Array(placed.form(&array.shape, array.edge));
            places.push(HostPlace { bytes: placed.bytes, content });
        }
        let behind = placed.last().map_or(MemoryAddress::FIRST, |last| last.base + last.bytes);
        let first = passes.first().and_then(|pages| pages.first());
        for constants in first.iter().flat_map(|page| &page.load).filter_map(memory_walk) {
            if constants.base >= behind {
                let bytes = Bytes(BEAT as u64 * constants.beats());
                let words = host.read_words(constants.base, (bytes.0 / 8) as usize)?;
                begins.push(constants.base);
                places.push(HostPlace { bytes, content: PlaceContent::Words(words) });
            }
        }
        let image = program.image();
        let mut all = Vec::new();
        for (of_pass, pages) in procedure.passes.iter().zip(&passes) {
            let step = |step: PageStep| {
                let commands = step.kernel.map_or(&[][..], |page| &pages[page].commands);
                let page = step.kernel.map(|page| of_pass.pages[page].name.clone());
                let transfers = step.transfers.into_iter().map(|of| transfer(of, &begins));
                let commands = commands.iter().map(|command| host_command(command, image));
                let commands = commands.collect::<Result<_, _>>()?;
                Ok(HostStep { page, transfers: transfers.collect(), commands })
            };
            let steps = linked_steps(pages).into_iter().map(step);
            let steps = steps.collect::<Result<_, KernelError>>()?;
            all.push(HostPass { name: of_pass.name.clone(), steps });
        }
        let code = image.kernels.iter().map(|k| Ok((k.start, narrow(&k.words)?)));
        Ok(Self { places, code: code.collect::<Result<_, KernelError>>()?, passes: all })
    }
}

impl PlacedSystemArray {
    /// Returns the form of the array.
    fn form(&self, shape: &[usize], edge: Option<Edge>) -> SystemForm {
        let axes = shape.iter().zip(&self.margins).zip(&self.steps);
        let axes = axes.map(|((&size, &margin), &step)| SystemAxis { size, margin, step });
        let Self { packing, is_half, .. } = *self;
        SystemForm { axes: axes.collect(), packing, is_half, edge }
    }
}

/// Returns the walk of a transfer through system memory; `None` for a descriptor that moves nothing.
fn memory_walk(descriptor: &Descriptor) -> Option<&MemoryWalk> {
    match &descriptor.action {
        DescriptorAction::Get(get) => Some(&get.memory),
        DescriptorAction::Put(put) => Some(&put.memory),
        DescriptorAction::GetWords(get) => Some(&get.memory),
        DescriptorAction::PutWords(put) => Some(&put.memory),
        _ => None,
    }
}

/// Returns a transfer with the place in which it begins; places begin at `begins`.
fn transfer(descriptor: Descriptor, begins: &[MemoryAddress]) -> HostTransfer {
    let place = memory_walk(&descriptor).and_then(|walk| {
        let place = begins.iter().rposition(|begin| *begin <= walk.base)?;
        Some((place, walk.base.0 - begins[place].0))
    });
    HostTransfer { place, descriptor }
}

/// Returns a command of a page as the host tells it to CP2.
fn host_command(command: &Command, image: &Image) -> Result<HostCommand, KernelError> {
    match command {
        Command::SetInverse(inverse) => Ok(HostCommand::SetInverse(*inverse)),
        Command::Run(call) => {
            let name = kernel_at(image, call.entry).0.unwrap_or("the program").to_owned();
            Ok(HostCommand::Run(name, narrow(&call.bundles())?))
        }
        Command::DeviceDriven(_) => {
            Err(KernelError::Internal("pages of a file are turned by the host"))
        }
    }
}

/// Returns bundles as words of 64 bits.
fn narrow(bundles: &[BundleBits]) -> Result<Vec<u64>, KernelError> {
    let all = bundles.iter().map(|&bundle| u64::try_from(bundle));
    all.collect::<Result<_, _>>().map_err(|_| {
        let message = "bundles of this machine have more than 64 bits, which the control processor \
                       cannot send; leave out the extension that makes them so wide";
        wrong("the program", message)
    })
}
