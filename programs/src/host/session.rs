//! The host's side of a machine, one call for each thing that a control processor does: commands,
//! waits, its own work. All of them take time, which the timeline records. In what order a
//! procedure makes the calls is in `pages` and the procedures.

use super::passes::{Ledger, Pass};
use super::replay::{Books, Replay};
use super::timeline::{Cp2Activity, DmaActivity, HostActivity, KernelCounts, Timeline};
use super::traffic::Traffic;
use crate::engine::{Engine as Kind, Execution};
use crate::error::KernelError;
use crate::promises::AtEntry;
use crate::{load, recorded};
use cp2_asm::image::Image;
use cp2_emu::dma::{self, Descriptor, DmaStats, Phase, Register, ctrl};
use cp2_emu::machine::{Action, Key};
use cp2_emu::state::CONTROL_INVERSE;
use cp2_emu::trace::Off;
use cp2_emu::{End, Engine, Goal, Machine, MachineConfig, State};
use cp2_isa::{Bundle, BundleAddress, Cycle, Exch, encode};
use cp2_recording::Recorder;
use num_complex::Complex32;
use std::fmt::Display;
use std::sync::Arc;

/// Arrays begin at multiples of this: a row of the memory of the machines that exist.
const ARRAY_ALIGNMENT: u64 = 8192;
/// Complex numbers that are converted at once.
const PART: usize = 4096;
/// Bytes of a descriptor.
const DESCRIPTOR_BYTES: u64 = 64;

/// A call of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Address of its first bundle.
    pub entry: BundleAddress,
    /// `g0`, `g1`, ..., at most 16 values of 16 bits.
    pub arguments: Vec<u16>,
    /// The kernel counts as running for at least so many cycles, which lets a stub stand for a
    /// kernel of which only the count is known. 0 for the kernel's own.
    pub least_cycles: u64,
}

/// Descriptors in system memory that the channel goes through at one start.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    at: u32,
    /// Direction of each descriptor.
    activities: Arc<[DmaActivity]>,
    traffic: Arc<Traffic>,
}

/// A machine as its host sees it.
#[derive(Debug)]
pub struct Host {
    config: MachineConfig,
    machine: Machine,
    engine: Box<dyn Engine>,
    /// The reference engine goes cycle by cycle, so that its results check those by events.
    by_cycles: bool,
    /// Kernels that were assembled, by name.
    images: Vec<(String, Arc<Image>)>,
    /// What keeps them, if the run is recorded.
    recorder: Option<&'static Recorder>,
    /// What the callers of the installed kernels have to keep.
    promises: AtEntry,
    timeline: Timeline,
    kernels: KernelCounts,
    /// Names of the installed kernels.
    names: Vec<(BundleAddress, String)>,
    /// What the page scheme went through so far.
    ledger: Ledger,
    /// DMA counts at the start of the timeline.
    before: DmaStats,
    /// Free system memory begins here.
    free: u64,
    /// The queue that is started next, or was last.
    queue: Queue,
    /// What the queues moved that were started.
    traffic: Traffic,
    least_cycles: u64,
    /// The kernel counts as running until this cycle.
    busy_until: Cycle,
    is_kernel_counted: bool,
    /// Cycles that one wait may take, and the cycle in which the latest began.
    limit: u64,
    wait_since: Cycle,
    /// The calls so far, if something keeps them.
    replay: Option<Replay>,
}

/// A complex number in system memory.
fn bytes_of(x: Complex32) -> [u8; 8] {
    (u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())).to_be_bytes()
}

fn complex_of(bytes: [u8; 8]) -> Complex32 {
    let bits = u64::from_be_bytes(bytes);
    Complex32::new(f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))
}

/// What records the runs is told that this one is over.
impl Drop for Host {
    fn drop(&mut self) {
        self.engine.leave(&mut self.machine);
    }
}

fn channel<E: Display>(e: E) -> KernelError {
    KernelError::Channel(format!("{e}"))
}

impl Host {
    /// A machine after reset. The limit of cycles is that of each wait.
    pub fn new(config: MachineConfig, on: Execution) -> Self {
        let mut machine = Machine::new(&config);
        let (replay, books) = Replay::begin(on.keeper, &mut machine);
        machine.dma.keep_history();
        let host = Self {
            timeline: Timeline::new(machine.cycle()),
            before: machine.dma.stats().clone(),
            config,
            machine,
            engine: on.build(),
            // A recorder goes with the engine, by events.
            by_cycles: on.engine == Kind::Reference && on.recorder.is_none(),
            recorder: on.recorder,
            images: Vec::new(),
            promises: AtEntry::default(),
            kernels: KernelCounts::default(),
            names: Vec::new(),
            ledger: Ledger::default(),
            free: 0,
            queue: Queue::default(),
            traffic: Traffic::default(),
            least_cycles: 0,
            busy_until: Cycle::RESET,
            is_kernel_counted: true,
            limit: on.max_cycles,
            wait_since: Cycle::RESET,
            replay,
        };
        match books {
            Some(books) => host.with_books(books),
            None => host,
        }
    }

    /// The books of a checkpoint; what follows from the calls alone is made by them.
    fn with_books(mut self, books: Books) -> Self {
        let Books {
            timeline,
            kernels,
            before,
            ledger,
            least_cycles,
            busy_until,
            is_kernel_counted,
            wait_since,
        } = books;
        (self.timeline, self.kernels, self.before) = (timeline, kernels, before);
        (self.ledger, self.least_cycles) = (ledger, least_cycles);
        (self.busy_until, self.wait_since) = (busy_until, wait_since);
        self.is_kernel_counted = is_kernel_counted;
        self
    }

    /// Whether this call was done before the checkpoint that the run goes on from. Every call that changes
    /// the machine or takes time asks once, and does nothing if it was.
    fn is_past(&mut self) -> Result<bool, KernelError> {
        let Some(replay) = &mut self.replay else { return Ok(false) };
        replay.look(&self.machine, || Books {
            timeline: self.timeline.clone(),
            kernels: self.kernels,
            before: self.before.clone(),
            ledger: self.ledger.clone(),
            least_cycles: self.least_cycles,
            busy_until: self.busy_until,
            is_kernel_counted: self.is_kernel_counted,
            wait_since: self.wait_since,
        })
    }

    /// Begins anew with the machine as after reset. Kernels that were assembled and translated
    /// before are still known, which saves work and changes no result.
    pub fn reset(&mut self) {
        self.engine.leave(&mut self.machine);
        let mut machine = Machine::new(&self.config);
        machine.dma.keep_history();
        self.timeline = Timeline::new(machine.cycle());
        self.before = machine.dma.stats().clone();
        self.machine = machine;
        self.kernels = KernelCounts::default();
        self.names.clear();
        self.ledger = Ledger::default();
        (self.queue, self.traffic) = (Queue::default(), Traffic::default());
        self.free = 0;
        (self.busy_until, self.wait_since) = (Cycle::RESET, Cycle::RESET);
        self.least_cycles = 0;
        self.is_kernel_counted = true;
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Its description.
    pub fn config(&self) -> &MachineConfig {
        &self.config
    }

    /// What was done so far, complete and asserted.
    pub fn timeline(&self) -> &Timeline {
        let complete = self.timeline.is_complete(&self.before, self.machine.dma.stats());
        assert!(complete, "a cycle without an activity");
        &self.timeline
    }

    /// Counts of the kernels so far.
    pub fn kernels(&self) -> KernelCounts {
        self.kernels
    }

    /// What the page scheme went through so far: passes that are alike stand together.
    pub fn passes(&self) -> &[Pass] {
        &self.ledger.passes
    }

    /// The ledger, unless what is entered now was in the books of the checkpoint already.
    fn open_ledger(&mut self) -> Option<&mut Ledger> {
        let is_entered = self.replay.as_ref().is_some_and(Replay::is_in_books);
        (!is_entered).then_some(&mut self.ledger)
    }

    /// Begins passes, of which is known so far what they move.
    pub(super) fn begin_passes(&mut self, passes: &[Pass]) {
        self.open_ledger().into_iter().for_each(|ledger| ledger.begin(passes));
    }

    /// Begins a part of a pass.
    pub(super) fn begin_part(&mut self) {
        let now = (self.machine.cycle(), self.kernels);
        self.open_ledger().into_iter().for_each(|ledger| ledger.begin_part(now));
    }

    /// Ends a part of a pass, by number, in which kernels were called at these addresses.
    pub(super) fn end_part(&mut self, pass: usize, calls: impl Iterator<Item = BundleAddress>) {
        let now = (self.machine.cycle(), self.kernels);
        let name = |entry: BundleAddress| {
            let known = self.names.iter().find(|(start, _)| *start == entry);
            known.map_or("", |(_, name)| name).to_owned()
        };
        let names: Vec<String> = calls.map(name).collect();
        self.open_ledger().into_iter().for_each(|ledger| ledger.end_part(pass, now, &names));
    }

    /// Ends the passes.
    pub(super) fn end_passes(&mut self) {
        self.open_ledger().into_iter().for_each(Ledger::end);
    }

    /// Assembles the text of a kernel and sends it to instruction memory, a bundle after the other,
    /// while CP2 is idle. Tells its address. The text is made if none of this name is known yet: a
    /// name tells all that the text depends on.
    pub fn install(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<BundleAddress, KernelError> {
        Ok(self.install_all(name, text)?.first().copied().unwrap_or_default())
    }

    /// The same for a text of several kernels; tells their addresses.
    pub fn install_all(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Vec<BundleAddress>, KernelError> {
        let image = self.assemble(name, text)?;
        self.send_bundles(&image)?;
        Ok(image.kernels.iter().map(|k| k.start).collect())
    }

    /// Assembles the text of kernels, which takes no time; [`Self::send_bundles`] sends them.
    pub fn assemble(
        &mut self,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        if let Some((_, image)) = self.images.iter().find(|(known, _)| known == name) {
            return Ok(image.clone());
        }
        let core = self.config.core();
        let (image, sources) = load::assemble_with_sources(core, name, &text()?)?;
        if let Some(recorder) = self.recorder {
            recorded::keep(recorder, &image, &sources)?;
        }
        let image = Arc::new(image);
        self.images.push((name.to_owned(), image.clone()));
        Ok(image)
    }

    /// Sends kernels to instruction memory, a bundle after the other, while CP2 is idle.
    pub fn send_bundles(&mut self, image: &Image) -> Result<(), KernelError> {
        if !self.is_past()? {
            for _ in image.kernels.iter().flat_map(|k| &k.words) {
                self.pass(Key::HostBundle, HostActivity::Command)?;
            }
            for action in load::actions(image) {
                self.machine.act(action).map_err(channel)?;
            }
        }
        self.promises = AtEntry::of(image, self.config.core());
        self.names = image.kernels.iter().map(|k| (k.start, k.name.clone())).collect();
        Ok(())
    }

    /// Writes CONTROL of CP2 to choose between the forward and the inverse transform. CP2 is idle.
    pub fn change_direction(&mut self, inverse: bool) -> Result<(), KernelError> {
        if self.is_past()? {
            return Ok(());
        }
        self.pass(Key::HostRegister, HostActivity::Command)?;
        self.write_inverse(inverse);
        Ok(())
    }

    /// Chooses between the forward and the inverse transform; takes no time.
    pub fn set_inverse(&mut self, inverse: bool) {
        if !self.replay.as_mut().is_some_and(Replay::count) {
            self.write_inverse(inverse);
        }
    }

    fn write_inverse(&mut self, inverse: bool) {
        let control = self.machine.cp2.state.control & !CONTROL_INVERSE;
        let control = control | if inverse { CONTROL_INVERSE } else { 0 };
        // Nothing refuses it.
        let _ = self.machine.act(Action::WriteControl(control));
    }

    /// An array of system memory, by the address of its first byte.
    pub fn allocate(&mut self, bytes: u64) -> Result<u32, KernelError> {
        let address = self.free.next_multiple_of(ARRAY_ALIGNMENT);
        let size = self.machine.memory.size();
        match address.checked_add(bytes) {
            Some(end) if end <= size => {
                self.free = end;
                Ok(address as u32)
            }
            _ => Err(KernelError::Memory { needed: address.saturating_add(bytes), size }),
        }
    }

    /// The first byte of system memory that nothing was allocated from; see [`Host::free_from`].
    pub fn allocated(&self) -> u64 {
        self.free
    }

    /// Gives back what was allocated since [`Host::allocated`] told this.
    pub fn free_from(&mut self, mark: u64) {
        self.free = self.free.min(mark);
    }

    /// Writes complex numbers to system memory; takes no time.
    pub fn write(&mut self, address: u32, values: &[Complex32]) -> Result<(), KernelError> {
        let mut address = u64::from(address);
        self.machine.memory.check(address, values.len() * 8).map_err(channel)?;
        if self.is_past()? {
            return Ok(());
        }
        for values in values.chunks(PART) {
            let bytes: Box<[u8]> = values.iter().flat_map(|&x| bytes_of(x)).collect();
            let n = bytes.len() as u64;
            self.machine.act(Action::WriteMemory(address, bytes)).map_err(channel)?;
            address += n;
        }
        Ok(())
    }

    /// Reads complex numbers from system memory; takes no time.
    pub fn read(&self, address: u32, count: usize) -> Result<Vec<Complex32>, KernelError> {
        self.machine.memory.check(address.into(), count * 8).map_err(channel)?;
        if let Some(words) = self.replay.as_ref().and_then(Replay::read_before) {
            return Ok(words.into_iter().map(complex_of).collect());
        }
        let mut values = Vec::with_capacity(count);
        let mut bytes = vec![0; count.min(PART) * 8];
        while values.len() < count {
            let part = &mut bytes[..(count - values.len()).min(PART) * 8];
            let at = u64::from(address) + 8 * values.len() as u64;
            self.machine.memory.read(at, part).map_err(channel)?;
            values.extend(part.as_chunks().0.iter().copied().map(complex_of));
        }
        if let Some(replay) = &self.replay {
            replay.keep(values.iter().map(|&x| bytes_of(x)));
        }
        Ok(values)
    }

    /// Writes words of 64 bits to system memory; takes no time.
    pub fn write_words(&mut self, address: u32, words: &[u64]) -> Result<(), KernelError> {
        let mut address = u64::from(address);
        self.machine.memory.check(address, words.len() * 8).map_err(channel)?;
        if self.is_past()? {
            return Ok(());
        }
        for words in words.chunks(PART) {
            let bytes: Box<[u8]> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            let n = bytes.len() as u64;
            self.machine.act(Action::WriteMemory(address, bytes)).map_err(channel)?;
            address += n;
        }
        Ok(())
    }

    /// Writes floats to system memory, two in a word, the last one beside a zero; takes no time.
    pub fn write_floats(&mut self, address: u32, values: &[f32]) -> Result<(), KernelError> {
        let two = |x: &[f32]| Complex32::new(x[0], x.get(1).copied().unwrap_or(0.0));
        self.write(address, &values.chunks(2).map(two).collect::<Vec<_>>())
    }

    /// Reads floats from system memory; takes no time.
    pub fn read_floats(&self, address: u32, count: usize) -> Result<Vec<f32>, KernelError> {
        let pairs = self.read(address, count.div_ceil(2))?;
        Ok(pairs.iter().flat_map(|pair| [pair.re, pair.im]).take(count).collect())
    }

    /// Writes the queue of the channel to system memory, which takes no time; `start_queue` starts
    /// it. A queue replaces the one before it.
    pub fn set_queue(&mut self, descriptors: &[Descriptor]) -> Result<(), KernelError> {
        self.queue = self.write_queue(descriptors)?;
        Ok(())
    }

    /// Writes a queue to system memory for later; see [`Host::choose_queue`].
    pub(super) fn write_queue(&mut self, descriptors: &[Descriptor]) -> Result<Queue, KernelError> {
        let at = self.allocate(descriptors.len() as u64 * DESCRIPTOR_BYTES)?;
        let activity = |d: &Descriptor| match d.action {
            dma::Action::Get(_) | dma::Action::GetWords(_) | dma::Action::Gather(_) => {
                DmaActivity::Load
            }
            dma::Action::Put(_) | dma::Action::PutWords(_) | dma::Action::Copy(_) => {
                DmaActivity::Unload
            }
            dma::Action::Jump(_) => DmaActivity::SetUp,
        };
        let activities = descriptors.iter().map(activity).collect();
        let queue = Queue { at, activities, traffic: Arc::new(Traffic::of(descriptors)) };
        if self.is_past()? {
            return Ok(queue);
        }
        let mut address = u64::from(at);
        for part in descriptors.chunks(PART) {
            let words = part.iter().map(Descriptor::encode).collect::<Result<Vec<_>, _>>();
            let words = words.map_err(channel)?;
            let bytes: Box<[u8]> = words.iter().flatten().flat_map(|w| w.to_be_bytes()).collect();
            let n = bytes.len() as u64;
            self.machine.act(Action::WriteMemory(address, bytes)).map_err(channel)?;
            address += n;
        }
        Ok(queue)
    }

    /// Makes a queue that was written before the one that `start_queue` starts.
    pub(super) fn choose_queue(&mut self, queue: &Queue) {
        self.queue = queue.clone();
    }

    /// What the queues moved that were started.
    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Starts the channel at the first descriptor of the queue.
    pub fn start_queue(&mut self) -> Result<(), KernelError> {
        self.traffic.add(&self.queue.traffic);
        if self.is_past()? {
            return Ok(());
        }
        let writes = [
            (Register::Baseaddr, self.queue.at),
            (Register::Daddr, 0),
            (Register::Curdsc, 0),
            (Register::Ctrl, ctrl::START),
        ];
        for (register, value) in writes {
            self.pass(Key::HostRegister, HostActivity::Command)?;
            self.machine.act(Action::WriteRegister(register, value)).map_err(channel)?;
        }
        Ok(())
    }

    /// Lets the channel go on that waits for `start_dma`: a bundle through the FIFO. CP2 is idle.
    pub fn release_dma(&mut self) -> Result<(), KernelError> {
        if self.is_past()? {
            return Ok(());
        }
        self.send(Exch::StartDma, &[])
    }

    /// Starts a kernel: bundles through the FIFO set its arguments and run it. CP2 is idle.
    ///
    /// # Errors
    /// Arguments that break a promise of the kernel.
    pub fn start_kernel(&mut self, call: &Call) -> Result<(), KernelError> {
        if self.is_past()? {
            return Ok(());
        }
        let State { mut gpr, a, .. } = self.machine.cp2.state;
        for (register, &value) in gpr.iter_mut().zip(&call.arguments) {
            *register = value.into();
        }
        if let Some(broken) = self.promises.broken(call.entry, &gpr, &a) {
            return Err(KernelError::Promise(Box::new(broken)));
        }
        self.pass(Key::HostCall, HostActivity::Program)?;
        for (register, &value) in call.arguments.iter().enumerate() {
            self.send(Exch::Seti, &[register as i32, value.into()])?;
        }
        self.send(Exch::Runi, &[call.entry.0.into()])?;
        self.least_cycles = call.least_cycles;
        self.is_kernel_counted = false;
        Ok(())
    }

    fn send(&mut self, op: Exch, values: &[i32]) -> Result<(), KernelError> {
        let mut bundle = Bundle::NOP;
        bundle.exch.op = op;
        bundle.exch.values[..values.len()].copy_from_slice(values);
        let entry = cp2_emu::cp2::FifoEntry::Execute(encode(&bundle));
        self.pass(Key::HostBundle, HostActivity::Command)?;
        while self.machine.act(Action::Send(entry)).is_err() {
            let next = self.machine.cycle() + 1;
            self.pass_to(next, HostActivity::Command)?;
        }
        Ok(())
    }

    /// Reads CP2's STATUS until no kernel runs.
    pub fn wait_for_cp2(&mut self) -> Result<(), KernelError> {
        if self.is_past()? {
            return Ok(());
        }
        self.poll(Key::HostStatus, HostActivity::WaitCp2, |host| {
            let machine = host.machine();
            Ok(machine.cp2.is_done() && machine.cycle() >= host.busy_until)
        })
    }

    /// Reads the channel's STATUS until it is idle or waits for `start_dma`. While a release is in the
    /// FIFO the channel still waits for that one, which does not count.
    pub fn wait_for_dma(&mut self) -> Result<(), KernelError> {
        if self.is_past()? {
            return Ok(());
        }
        self.poll(Key::HostRegister, HostActivity::WaitDma, |host| {
            let Machine { cp2, dma, .. } = host.machine();
            match dma.fault() {
                Some(fault) => Err(channel(fault)),
                None => Ok(cp2.fifo.is_empty() && (!dma.is_busy() || dma.is_waiting())),
            }
        })
    }

    /// Reads a status, which takes the cycles of `key`, and again after one more cycle, until it
    /// is as wanted. Readings that cannot find it so are passed over.
    fn poll(
        &mut self,
        key: Key,
        activity: HostActivity,
        is_done: impl Fn(&Self) -> Result<bool, KernelError>,
    ) -> Result<(), KernelError> {
        self.wait_since = self.machine.cycle();
        let period = 1 + u64::from(self.config.value(key));
        self.pass(key, activity)?;
        while !is_done(self)? {
            let first = self.machine.cycle();
            loop {
                self.advance(Cycle::NEVER, activity)?;
                if !matches!(is_done(self), Ok(false)) {
                    break;
                }
            }
            let passed = self.machine.cycle() - first;
            self.pass_to(first + passed.next_multiple_of(period), activity)?;
        }
        Ok(())
    }

    /// The host's own work between two pages.
    pub fn turn_page(&mut self) -> Result<(), KernelError> {
        if self.is_past()? {
            return Ok(());
        }
        self.pass(Key::HostPage, HostActivity::Program)
    }

    fn pass(&mut self, key: Key, activity: HostActivity) -> Result<(), KernelError> {
        let cycles = u64::from(self.config.value(key));
        self.pass_to(self.machine.cycle() + cycles, activity)
    }

    fn pass_to(&mut self, cycle: Cycle, activity: HostActivity) -> Result<(), KernelError> {
        while self.machine.cycle() < cycle {
            self.advance(cycle, activity)?;
        }
        Ok(())
    }

    /// One cycle of everything or more, to cycle `limit` at most. What waits may look for does not
    /// change before the end.
    fn advance(&mut self, limit: Cycle, host: HostActivity) -> Result<(), KernelError> {
        let cycle = self.machine.cycle();
        let mut limit = limit;
        if matches!(host, HostActivity::WaitCp2 | HostActivity::WaitDma) {
            let last = self.wait_since.saturating_add(self.limit);
            if cycle >= last {
                return Err(match host {
                    HostActivity::WaitDma => KernelError::ChannelLimit(self.limit),
                    _ => KernelError::Run(Box::new(End::CycleLimit(self.limit))),
                });
            }
            limit = limit.min(last);
        }
        if cycle < self.busy_until {
            limit = limit.min(self.busy_until);
        }
        let ran = self.machine.cp2.is_running();
        let until_still = host == HostActivity::WaitDma && self.dma_is_moving();
        let stepped = if self.by_cycles {
            self.machine.step(&mut Off)
        } else {
            let goal = Goal { until_still, ..Goal::cycle(limit) };
            self.engine.advance(&mut self.machine, goal, &mut Off).map(|_| ())
        };
        if let Err(fault) = stepped {
            return Err(KernelError::Run(Box::new(End::Fault(fault))));
        }
        let now = self.machine.cycle();
        let runs = self.machine.cp2.is_running();
        // A kernel of one bundle begins and ends in one cycle.
        let is_one = !ran && !runs && !self.is_kernel_counted && self.machine.cp2.is_done();
        if !ran && runs || is_one {
            self.busy_until = now - 1 + self.least_cycles;
        }
        if (ran && !runs || is_one) && !self.is_kernel_counted {
            self.kernels.add(self.machine.cp2.stats());
            self.is_kernel_counted = true;
        }
        let computes = ran || runs || is_one || cycle < self.busy_until;
        let cp2 = if computes { Cp2Activity::Kernel } else { Cp2Activity::Idle };
        for stretch in self.machine.dma.take_history() {
            let queued = self.queue.activities.get(stretch.descriptor as usize);
            let dma = match stretch.phase {
                Phase::Idle => DmaActivity::Idle,
                Phase::SetUp => DmaActivity::SetUp,
                Phase::Sync => DmaActivity::Sync,
                Phase::Data => queued.copied().unwrap_or(DmaActivity::SetUp),
            };
            self.timeline.record(cp2, dma, host, stretch.cycles);
        }
        Ok(())
    }

    fn dma_is_moving(&self) -> bool {
        self.machine.dma.next_event().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kernels that ran, their cycles, and those of the timeline, of a call that counts as so long at least.
    fn called(bundles: &str, least_cycles: u64, engine: Kind) -> [u64; 3] {
        let config = MachineConfig::preset("vm7").unwrap();
        let on = Execution { engine, ..Execution::default() };
        let mut host = Host::new(config, on);
        let entry = host.install("few.s", || Ok(format!(".kernel few\n{bundles}"))).unwrap();
        for _ in 0..2 {
            let call = Call { entry, arguments: vec![7], least_cycles };
            host.start_kernel(&call).unwrap();
            host.wait_for_cp2().unwrap();
        }
        let kernels = host.kernels();
        [kernels.runs, kernels.cycles, host.timeline().cp2.cycles(Cp2Activity::Kernel)]
    }

    #[test]
    fn a_kernel_of_one_bundle_is_counted_as_the_others() {
        for engine in Kind::ALL {
            assert_eq!(called("nop\nstopi 0\n", 0, engine), [2, 4, 4], "{engine:?}");
            assert_eq!(called("stopi 0\n", 0, engine), [2, 2, 2], "{engine:?}");
            assert_eq!(called("nop\nstopi 0\n", 100, engine), [2, 4, 200], "{engine:?}");
            assert_eq!(called("stopi 0\n", 100, engine), [2, 2, 200], "{engine:?}");
        }
    }

    #[test]
    fn an_array_that_reaches_past_the_end_of_memory_changes_nothing() {
        let mut config = MachineConfig::preset("vm7").unwrap();
        config.apply_set("memory.size_mib=1").unwrap();
        let mut host = Host::new(config, Execution::default());
        let end = 1 << 20;
        // Several parts, of which the last one does not fit.
        let values: Vec<_> = (0..3 * PART).map(|k| Complex32::new(k as f32, -1.0)).collect();
        let address = end - values.len() as u32 * 8 + 8;
        let error = host.write(address, &values).unwrap_err().to_string();
        assert!(error.contains("98304 bytes at address 0xe8008"), "{error}");
        assert_eq!(host.machine().memory.word(address.into()), Ok(0));
        assert!(host.read(address, values.len()).is_err());
        host.write(address - 8, &values).unwrap();
        assert_eq!(host.read(address - 8, values.len()).unwrap(), values);
    }
}
