//! The part of one process in the FFT of an array of three dimensions whose planes are dealt out. The process transforms its
//! slab along x and y, gives each other process the rows of that one's share of y, and transforms the rows that come along
//! z. What goes between processes is the caller's.

use super::plan::{DataPass, Order, PassKind, Sizes};
use super::transform::{Work, install};
use crate::host::device_driven;
use crate::host::pages::{self, BANK_WORDS, Chain, Group};
use crate::host::{Host, operations};
use cp2_emu::MachineConfig;
use cp2_emu::dma::Descriptor;
use cp2_isa::{Bytes, Cycle, MemoryAddress, SECTIONS};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use num_complex::Complex32;

/// Name of the procedure in checkpoints.
const PROCEDURE: &str = "part of a three-dimensional FFT";

/// Description of the part of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlabOutline {
    /// Sizes of the whole array.
    pub sizes: Sizes,
    /// Number of processes, a power of two that divides the points along y and z.
    pub processes: usize,
    /// Whether the transform is the inverse one.
    pub inverse: bool,
}

impl SlabOutline {
    /// Refuses sizes that no pass transforms, and numbers of processes that leave no planes or rows.
    ///
    /// # Errors
    /// The number of points along an axis, or the number of processes.
    pub fn check(&self) -> Result<(), KernelError> {
        self.sizes.check()?;
        let [_, y, z] = self.sizes.0;
        let most = y.min(z);
        if self.processes.is_power_of_two() && self.processes <= most {
            return Ok(());
        }
        let limit = format!("a power of two up to {most}, the points along y or z");
        Err(KernelError::Parameter { what: "number of processors", value: self.processes, limit })
    }

    /// Returns the sizes of the slab of planes of a process.
    pub fn slab(&self) -> Sizes {
        let [x, y, z] = self.sizes.0;
        Sizes([x, y, z / self.processes])
    }

    /// Returns the sizes of the share of a process after the exchange: a part of the rows of all planes.
    pub fn share(&self) -> Sizes {
        let [x, y, z] = self.sizes.0;
        Sizes([x, y / self.processes, z])
    }

    /// Returns the words that go from a process to another one.
    pub fn block(&self) -> usize {
        self.slab().points() / self.processes
    }

    /// Returns the passes along x and y, in the order of axes of one processor.
    fn first_passes(&self) -> Vec<DataPass> {
        let natural = |kind| DataPass { kind, from: Order::Natural, to: Order::Natural };
        let [x, y, z] = self.slab().0;
        if x * y <= BANK_WORDS && z.is_multiple_of(SECTIONS) {
            vec![natural(PassKind::Planes(1))]
        } else {
            vec![natural(PassKind::Rows), natural(PassKind::Columns(1))]
        }
    }
}

/// Work of a part that [`SlabPart::run_chain`] does.
#[derive(Debug)]
enum SlabChain {
    /// A pass over the slab or over the share.
    Pass { work: Work, is_last: bool },
    /// Copies of the caller.
    Copies(Chain),
}

/// Part of one process: a machine with its slab and its share, and the passes over them.
#[derive(Debug)]
pub struct SlabPart {
    host: Host,
    outline: SlabOutline,
    slab: MemoryAddress,
    share: MemoryAddress,
    chains: Vec<SlabChain>,
    pages: usize,
}

impl SlabPart {
    /// Creates the machine of a process with the configuration `config`, and its arrays.
    ///
    /// # Errors
    /// The outline is refused, the memory of the machine does not hold the arrays, or its core cannot run the kernels.
    pub fn new(
        config: MachineConfig,
        execution: &Execution,
        outline: SlabOutline,
    ) -> Result<Self, KernelError> {
        outline.check()?;
        pages::check(config.core())?;
        let mut host = Host::new(config, execution);
        host.set_inverse(outline.inverse);
        let bytes = Bytes::of_words(outline.slab().points());
        let slab = host.allocate(bytes)?;
        // One process transforms in place, as without any others.
        let share = if outline.processes == 1 { slab } else { host.allocate(bytes)? };
        let pass = |pass: DataPass| {
            let sizes =
                if pass.kind == PassKind::Columns(2) { outline.share() } else { outline.slab() };
            Work::plain(pass, &sizes)
        };
        let last =
            DataPass { kind: PassKind::Columns(2), from: Order::Natural, to: Order::Natural };
        let first = outline.first_passes().into_iter().map(|of| (pass(of), false));
        let works: Vec<_> = first.chain([(pass(last), true)]).collect();
        let pages = works.iter().map(|(work, is_last)| {
            let sizes = if *is_last { outline.share() } else { outline.slab() };
            work.pass.n_pages(&sizes, work.words)
        });
        let pages = pages.sum();
        let chain = |(work, is_last)| SlabChain::Pass { work, is_last };
        let chains = works.into_iter().map(chain).collect();
        Ok(Self { host, outline, slab, share, chains, pages })
    }

    /// Returns the number of passes before the exchange; they are the first chains, and the pass behind it is the next one.
    pub fn first_passes(&self) -> usize {
        self.outline.first_passes().len()
    }

    /// Returns the host, which the caller's own steps use.
    pub fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    /// Returns the cycle of the machine.
    pub fn cycle(&self) -> Cycle {
        self.host.machine().cycle()
    }

    /// Returns the address of the slab, x fastest, then y, then z.
    pub const fn slab(&self) -> MemoryAddress {
        self.slab
    }

    /// Returns the address of the share, x fastest, then y, then z. The block of each process is one run of it.
    pub const fn share(&self) -> MemoryAddress {
        self.share
    }

    /// Writes the planes of the slab, which takes no cycles.
    ///
    /// # Errors
    /// The points are not those of the slab.
    pub fn write(&mut self, planes: &[Complex32]) -> Result<(), KernelError> {
        if planes.len() != self.outline.slab().points() {
            return Err(KernelError::Internal("a slab of another number of points"));
        }
        self.host.write(self.slab, planes)
    }

    /// Returns the points of the share.
    ///
    /// # Errors
    /// The array reaches beyond memory.
    pub fn output(&self) -> Result<Vec<Complex32>, KernelError> {
        self.host.read(self.share, self.outline.share().points())
    }

    /// Adds a chain of the caller's transfers, which need no kernel; returns its number.
    ///
    /// # Errors
    /// Memory does not hold the queue of the transfers.
    pub fn add_copies(&mut self, tail: Vec<Descriptor>) -> Result<usize, KernelError> {
        let group = Group { tail, ..Group::default() };
        let chain = Chain::new(&mut self.host, &[group])?;
        self.chains.push(SlabChain::Copies(chain));
        Ok(self.chains.len() - 1)
    }

    /// Runs a chain: a pass, with its kernel sent to instruction memory before, or copies that were added.
    ///
    /// # Errors
    /// A kernel or a transfer has a fault, or does not end.
    pub fn run_chain(&mut self, number: usize) -> Result<(), KernelError> {
        let missing = KernelError::Internal("no such chain");
        let (work, is_last) = match self.chains.get(number).ok_or(missing)? {
            SlabChain::Copies(chain) => return chain.run(&mut self.host, &mut |_| {}),
            SlabChain::Pass { work, is_last } => (*work, *is_last),
        };
        let (sizes, at) = match is_last {
            true => (self.outline.share(), self.share),
            false => (self.outline.slab(), self.slab),
        };
        let entries = install(&mut self.host, &sizes, &[work])?;
        let entry = entries.first().copied().unwrap_or_default();
        let core = *self.host.config().core();
        let pages = work.pass.pages(&core, &sizes, work.words, [at, at])?;
        device_driven::run(&mut self.host, entry, &pages, &mut |_| {})
    }

    /// Returns the machine with its memories, and what is known of its run, as bytes: between two chains.
    ///
    /// # Errors
    /// The machine is larger than the format allows.
    pub fn save(&mut self) -> Result<Vec<u8>, KernelError> {
        self.host.save(PROCEDURE)
    }

    /// Goes on from what a part of the same outline, with the same chains of the caller, has [saved](Self::save). Every pass
    /// sends its kernel itself.
    ///
    /// # Errors
    /// The bytes are damaged, or of another machine.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), KernelError> {
        self.host.restore(PROCEDURE, saved, None)
    }

    /// Returns the cost of what the process did so far; the operations are its share of those of the transform.
    pub fn cost(&self) -> Cost {
        let (points, processes) = (self.outline.sizes.points(), self.outline.processes);
        let least = super::transform::least_cycles(&self.outline.sizes) / processes as f64;
        self.host.cost(operations(points) / processes as u64, (1, self.pages), least)
    }
}
