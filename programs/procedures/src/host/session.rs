//! The host of a procedure: the machine that it drives, the kernels on it, and the record of what was done. Its calls,
//! one for each thing that a control processor does, are in `calls`; data in system memory, which take no time, in
//! `memory`. The order in which a procedure makes the calls is in `pages` and the procedures.

mod calls;
mod memory;
mod saving;

pub(crate) use memory::ARRAY_ALIGNMENT;

use super::programs::Programs;
use super::replay::{HostState, Replay};
use cp2_asm::image::Image;
use cp2_emu::machine::Key;
use cp2_emu::{Engine, Machine, MachineConfig};
use cp2_isa::{Bundle, BundleAddress, BundleBits, Exch, MemoryAddress, encode};
use cp2_recording::StepLevel;
use cp2_session::cost::passes::{DataPass, Ledger};
use cp2_session::cost::timeline::{DmaActivity, HostActivity, KernelCounts, Timeline};
use cp2_session::cost::{ChosenPlan, KnownRates, Traffic};
use cp2_session::engine::Engine as Kind;
use cp2_session::error::{ChannelError, KernelError};
use cp2_session::execution::Execution;
use cp2_session::{Environment, load};
use std::hash::Hasher as _;
use std::sync::Arc;
use twox_hash::XxHash64;

/// Call of a kernel by a host, for [`Host::start_kernel`] or as a command of a page: the kernel, its arguments, and the
/// fewest cycles for which it counts as running.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Address of the kernel's first bundle.
    pub entry: BundleAddress,
    /// Values of `g0`, `g1` and on, in this order; at most 16.
    pub arguments: Vec<u16>,
    /// Fewest cycles for which the kernel counts as running, so that a short stub can stand for a kernel of which only
    /// the number of cycles is known; 0 for the kernel's own cycles.
    pub least_cycles: u64,
    /// Encoded bundles that the host sends before the arguments, such as those that set further registers; usually none.
    pub setup: Vec<BundleBits>,
}

impl Call {
    /// Creates the call of a kernel with these values of `g0`, `g1` and on.
    pub fn new(entry: BundleAddress, arguments: Vec<u16>) -> Self {
        Self { entry, arguments, least_cycles: 0, setup: Vec::new() }
    }

    /// Returns the encoded bundles that make the call, in their order: those of `setup`, those that set the arguments, and
    /// the one that runs the kernel.
    pub fn bundles(&self) -> Vec<BundleBits> {
        let values = self.arguments.iter().enumerate();
        let set = values.map(|(k, &value)| command(Exch::Seti, &[k as i32, value.into()]));
        let run = command(Exch::Runi, &[self.entry.0.into()]);
        self.setup.iter().copied().chain(set).chain([run]).collect()
    }
}

/// Returns the bundle of one operation of the exchange slot, with these operands.
fn command(op: Exch, values: &[i32]) -> BundleBits {
    let mut bundle = Bundle::NOP;
    bundle.exch.op = op;
    bundle.exch.values[..values.len()].copy_from_slice(values);
    encode(&bundle)
}

/// Descriptors in system memory that the channel goes through at one start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// Address of the first descriptor.
    at: MemoryAddress,
    /// Activity of the channel in each descriptor.
    activities: Arc<[DmaActivity]>,
    /// Traffic of all descriptors.
    traffic: Arc<Traffic>,
}

impl Queue {
    /// Returns the address of a descriptor.
    pub(crate) fn descriptor(&self, number: usize) -> MemoryAddress {
        self.at + memory::DESCRIPTOR * number
    }

    /// Returns the number of descriptors.
    pub(crate) fn len(&self) -> usize {
        self.activities.len()
    }

    /// Returns the traffic of the queue.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }
}

/// Host of a procedure with the simulated machine that it drives: CP2, its DMA channel and system memory. Its methods
/// are what a control processor does; each advances the machine by the cycles that it takes, if any, and the host
/// records what CP2, channel and host did in these cycles.
#[derive(Debug)]
pub struct Host {
    config: MachineConfig,
    machine: Machine,
    engine: Box<dyn Engine>,
    /// Whether the engine steps cycle by cycle, as the reference engine does, so that its results check those of the engine
    /// by events.
    by_cycles: bool,
    pub(super) programs: Programs,
    state: HostState,
    /// First address of free system memory.
    free: MemoryAddress,
    /// The queue that is started next, or was started last.
    queue: Queue,
    /// Traffic of the queues that were started.
    traffic: Traffic,
    /// Most cycles that one wait may take.
    limit: u64,
    /// Counter of the calls so far, if a keeper wants it.
    replay: Option<Replay>,
    /// Plan of the procedure that uses the host.
    plan: ChosenPlan,
}

/// Tells the engine and the keeper that the run is over.
impl Drop for Host {
    fn drop(&mut self) {
        self.engine.release(&mut self.machine);
        if let Some(replay) = &self.replay {
            replay.end_host();
        }
    }
}

fn channel(error: impl Into<ChannelError>) -> KernelError {
    KernelError::Channel(error.into())
}

impl Host {
    /// Creates a host of a machine with the configuration `config`, after reset or as the checkpoint of the keeper of
    /// `on`, if it has one, tells. The limit of cycles of `on` applies to each wait of the host.
    pub fn new(config: MachineConfig, on: &Execution) -> Self {
        let mut machine = Machine::new(&config);
        let (replay, state) = Replay::begin(on.keeper.clone(), &mut machine);
        machine.dma.keep_history();
        let state = state.unwrap_or_else(|| HostState::new(&machine));
        Self {
            config,
            machine,
            engine: on.build(),
            // A recorder works with the engine that goes by events.
            by_cycles: on.engine == Kind::Reference && on.recorder.is_none(),
            programs: Programs::new(&on.environment, on.recorder.clone()),
            state,
            free: MemoryAddress::FIRST,
            queue: Queue::default(),
            traffic: Traffic::default(),
            limit: on.limit(),
            replay,
            plan: ChosenPlan::default(),
        }
    }

    /// Creates a host of a machine like this one after reset, with the same limit of cycles, for the trial of a plan; the trial
    /// is not recorded, and no keeper stops it.
    pub(crate) fn trial(&self) -> Self {
        let on = self.environment().execution(*self.config.core());
        Self::new(self.config.clone(), &Execution { max_cycles: Some(self.limit), ..on })
    }

    /// Notes the plan of the procedure, for its cost.
    pub(crate) fn set_plan(&mut self, plan: ChosenPlan) {
        self.plan = plan;
    }

    /// Returns the plan of the procedure.
    pub(crate) fn plan(&self) -> &ChosenPlan {
        &self.plan
    }

    /// Whether this call was done before the checkpoint from which the run goes on. Every call that changes the machine or
    /// takes time asks once, with its arguments, and does nothing if it was.
    fn is_past(
        &mut self,
        name: &str,
        arguments: impl FnOnce(&mut XxHash64),
    ) -> Result<bool, KernelError> {
        let Some(replay) = &mut self.replay else { return Ok(false) };
        replay.skip_or_checkpoint(&self.machine, (name, arguments), || self.state.clone())
    }

    /// Replaces the machine by one after reset, with empty system memory, and forgets timeline, counts and passes.
    /// Kernels that were assembled and translated before are still known, which saves work and changes no result.
    pub fn reset(&mut self) {
        self.engine.release(&mut self.machine);
        let mut machine = Machine::new(&self.config);
        machine.dma.keep_history();
        self.state = HostState::new(&machine);
        self.machine = machine;
        self.programs.forget_names();
        (self.queue, self.traffic) = (Queue::default(), Traffic::default());
        self.free = MemoryAddress::FIRST;
    }

    /// Returns the machine that the host drives, in its present state.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the configuration of the machine that the host drives.
    pub fn config(&self) -> &MachineConfig {
        &self.config
    }

    /// Returns the timeline since the reset: what CP2, the channel and the host did in each cycle.
    ///
    /// # Panics
    /// Some cycle of the machine has no recorded activity.
    pub fn timeline(&self) -> &Timeline {
        let complete =
            self.state.timeline.is_complete(&self.state.before, self.machine.dma.stats());
        assert!(complete, "a cycle without an activity");
        &self.state.timeline
    }

    /// Returns the counts of all runs of kernels since the reset, added up.
    pub fn kernels(&self) -> KernelCounts {
        self.state.kernels
    }

    /// Returns the data passes since the reset, in each of which the arrays of the procedure went through local memory
    /// once, page by page, with what it moved and computed; passes that are alike are counted together in one element.
    pub fn passes(&self) -> &[DataPass] {
        &self.state.ledger.passes
    }

    /// Returns the ledger, unless the ledger of the checkpoint already has what is entered now.
    fn open_ledger(&mut self) -> Option<&mut Ledger> {
        let is_entered = self.replay.as_ref().is_some_and(Replay::is_in_state);
        (!is_entered).then_some(&mut self.state.ledger)
    }

    /// Tells `progress` how far a procedure is, unless the run was that far before the checkpoint from which it goes on.
    pub(crate) fn tell(&self, done: usize, progress: &mut dyn FnMut(usize)) {
        if !self.replay.as_ref().is_some_and(Replay::is_in_state) {
            progress(done);
        }
    }

    /// Begins passes, of which only the traffic is known so far.
    pub(crate) fn begin_passes(&mut self, passes: &[DataPass]) {
        self.open_ledger().into_iter().for_each(|ledger| ledger.begin(passes));
    }

    /// Begins a part of a pass.
    pub(crate) fn begin_part(&mut self) {
        let now = (self.machine.cycle(), self.state.kernels);
        self.open_ledger().into_iter().for_each(|ledger| ledger.begin_part(now));
    }

    /// Ends a part of the pass of this number, in which the kernels at these addresses were called.
    pub(crate) fn end_part(&mut self, pass: usize, calls: impl Iterator<Item = BundleAddress>) {
        let now = (self.machine.cycle(), self.state.kernels);
        let name = |entry| self.programs.name(entry).to_owned();
        let names: Vec<String> = calls.map(name).collect();
        self.open_ledger().into_iter().for_each(|ledger| ledger.end_part(pass, now, &names));
    }

    /// Ends the passes.
    pub(crate) fn end_passes(&mut self) {
        self.open_ledger().into_iter().for_each(Ledger::end);
    }

    /// Assembles the text of a kernel, sends it to instruction memory bundle by bundle, during which CP2 is idle, and
    /// returns the address of its first bundle. `text` is called only if no program with this name is known yet, so the
    /// name has to tell all on which the text depends.
    ///
    /// # Errors
    /// `text` returns an error, the text has one, or the program does not fit instruction memory.
    pub fn install(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<BundleAddress, KernelError> {
        Ok(self.install_all(name, text)?.first().copied().unwrap_or_default())
    }

    /// Assembles the text of several kernels and sends them to instruction memory as [`Self::install`] does; returns
    /// the addresses of their first bundles, in the order of the text.
    ///
    /// # Errors
    /// The errors are those of [`Self::install`].
    pub fn install_all(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Vec<BundleAddress>, KernelError> {
        let image = self.assemble(name, text)?;
        self.send_bundles(&image)?;
        Ok(image.kernels.iter().map(|k| k.start).collect())
    }

    /// Assembles the text of a kernel and sends it to instruction memory as [`Self::install`] does, for a name that tells all on which
    /// the text depends beside the core: no text is made where the program is kept from an earlier run.
    pub(crate) fn install_named(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<BundleAddress, KernelError> {
        let image = self.assemble_named(name, text)?;
        self.send_bundles(&image)?;
        Ok(image.kernels.first().map(|kernel| kernel.start).unwrap_or_default())
    }

    /// Returns the environment in which the host assembles programs, which keeps them from run to run.
    pub fn environment(&self) -> &Environment {
        self.programs.environment()
    }

    /// Returns the rates of rows on this machine.
    pub(crate) fn rates(&self) -> KnownRates {
        KnownRates::new(self.programs.environment(), &self.config)
    }

    /// Assembles the text of kernels, which takes no cycles; [`Self::send_bundles`] sends the program to CP2. `text` is
    /// called only if no program with this name is known yet.
    ///
    /// # Errors
    /// `text` returns an error, or the text has one.
    pub fn assemble(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        self.programs.assemble(self.config.core(), name, text)
    }

    /// Assembles the text of kernels as [`Self::assemble`] does, for a name that tells all on which the text depends beside
    /// the core, whoever asks. No text is made where the program is kept from an earlier run, unless the run is recorded.
    pub(crate) fn assemble_named(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        self.programs.assemble_named(self.config.core(), name, text)
    }

    /// Returns the cycles in which an assembled program is sent to instruction memory.
    pub(crate) fn sending_cycles(&self, image: &Image) -> u64 {
        // The upper word of a bundle, if there is one, goes before the lower one, in as many cycles.
        let words = image.kernels.iter().flat_map(|k| &k.words);
        let writes: u64 = words.map(|word| 1 + u64::from(word >> 64 != 0)).sum();
        writes * u64::from(self.config.value(Key::HostBundle))
    }

    /// Sends the kernels of an assembled program to instruction memory, bundle by bundle, during which CP2 is idle. The
    /// cycles are recorded as commands.
    ///
    /// # Errors
    /// The machine refuses the bundles or has a fault.
    pub fn send_bundles(&mut self, image: &Arc<Image>) -> Result<(), KernelError> {
        let words = |digest: &mut XxHash64| {
            for &word in image.kernels.iter().flat_map(|k| &k.words) {
                digest.write_u64(word as u64);
                if word >> 64 != 0 {
                    digest.write_u64((word >> 64) as u64);
                }
            }
        };
        if !self.is_past("send_bundles", words)? {
            let is_own_step = !self.is_in_step(StepLevel::Stage);
            if is_own_step {
                self.begin_step(StepLevel::Stage, || "send kernels".to_owned());
            }
            let cycles = self.sending_cycles(image);
            self.spend_until(self.machine.cycle() + cycles, HostActivity::Command)?;
            for action in load::actions(image) {
                self.machine.act(action).map_err(channel)?;
            }
            if is_own_step {
                self.end_step(StepLevel::Stage);
            }
        }
        self.programs.install(image, self.config.core());
        Ok(())
    }
}
