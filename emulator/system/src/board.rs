//! The surroundings of the control processor: CP2 with its channel and memory on an engine, beside the devices.
//!
//! Memory is kept twice: the pages that the processor has used are in its own memory, all of it is in the machine's.
//! While the channel works, pages that the processor has written are copied to the machine before time passes, and
//! pages that the channel has written are taken from the processor behind it. So both see the same bytes whenever
//! the processor looks at the channel or at CP2; between two such looks it may see what the channel moves up to
//! [`LOOK`] cycles late.

use crate::breakpoints::Breakpoints;
use crate::messages::{self, MessageUnit};
use crate::view;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::DmaRegister;
use cp2_emu::machine::{Action, Key};
use cp2_emu::memory::{PIECE, SystemMemory};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Engine, Goal, Machine, MachineConfig};
use cp2_isa::bits::status;
use cp2_isa::{BundleAddress, BundleBits, Bytes, Cycle, Exch, MemoryAddress, decode};
use cp2_k64::devices::{self, Devices};
use cp2_k64::machine::Processor;
use cp2_k64::memory::{Allowed, Memory, PAGE, PageBytes};
use cp2_k64::outside::{Halt, Outside, Push, Question};
use std::any::Any;

/// Cycles between two looks of the processor for interrupts at most, while CP2 or the channel works. `[own]`
const LOOK: u64 = 128;

/// Interrupt lines, as bits of Cause.IP. `[own]`
mod line {
    /// Line of the channel: it has a cause that is not masked.
    pub(super) const DMA: u8 = 1 << 2;
    /// Line of CP2: a kernel has stopped, and STOPCODE was not read since.
    pub(super) const CP2: u8 = 1 << 3;
}

/// Numbers of the registers of CP2 (`[L]`).
mod register {
    pub(super) const COMM: u8 = 1;
    pub(super) const CONTROL: u8 = 2;
    pub(super) const STATUS: u8 = 3;
    pub(super) const INSTRUCTION: u8 = 4;
    pub(super) const STOPCODE: u8 = 5;
    /// Number of the register for the upper word of a bundle, on cores with more FPRs.
    pub(super) const UPPER: u8 = 6;
}

/// The surroundings of the control processor (the MIPS64 that drives CP2): CP2 with its DMA channel and system memory,
/// the devices, and the engine that runs CP2.
pub struct Board {
    machine: Machine,
    engine: Box<dyn Engine>,
    devices: Devices,
    /// Size of memory.
    size: Bytes,
    register_cycles: u64,
    condition: Condition,
    breakpoints: Breakpoints,
}

/// State of the board itself that changes in a run.
#[derive(Clone)]
struct Condition {
    /// Upper word of the bundle that goes to the FIFO next.
    upper: u64,
    /// Cycles that accesses of the processor took since [`Outside::take_stall`] was called last.
    stall: u64,
    has_stopped: bool,
    n_kernels: u64,
    fault: Option<String>,
    /// Bundle of CP2 that made the fault, if it is one of instruction memory.
    fault_at: Option<BundleAddress>,
    /// Cycle from which on the fault is there for the processor.
    fault_from: u64,
    /// Latest cycle whose state outside the processor has asked for: a fault of a later one is not there yet.
    seen_to: u64,
    /// Whether a bundle with `start_dma` was stored in instruction memory, so that a kernel may let the channel go on.
    may_release: bool,
    /// Whether memory may hold marks of written pages that are of no use, and are to be cleared before time passes.
    is_marked: bool,
    /// Message unit, if there are other processors.
    messages: Option<MessageUnit>,
}

/// State of a board, kept so that it can be put back.
struct BoardSnapshot {
    machine: Machine,
    devices: devices::DevicesSnapshot,
    condition: Condition,
}

impl Board {
    /// Creates the board of the machine that a machine file describes, as it is after reset. `engine` runs CP2;
    /// `devices` are console, exit register and boot memory. System memory behind its first 256 MiB lies at the higher
    /// addresses at which the control processor sees it.
    #[must_use]
    pub fn new(config: &MachineConfig, engine: Box<dyn Engine>, devices: Devices) -> Self {
        let mut machine = Machine::new(config);
        let size = machine.memory.size();
        if size.0 > devices::LOWER_END {
            let end = size.0 + devices::UPPER - devices::LOWER_END;
            machine.memory = SystemMemory::new(Bytes(end));
        }
        machine.memory.keep_written();
        Self {
            machine,
            engine,
            devices,
            size,
            register_cycles: config.value(Key::HostRegister).into(),
            condition: Condition {
                upper: 0,
                stall: 0,
                has_stopped: false,
                n_kernels: 0,
                fault: None,
                fault_at: None,
                fault_from: 0,
                seen_to: 0,
                may_release: false,
                is_marked: true,
                messages: None,
            },
            breakpoints: Breakpoints::default(),
        }
    }

    /// Returns the board with a message unit: it is one of several processors.
    #[must_use]
    pub fn with_messages(mut self, unit: MessageUnit) -> Self {
        self.condition.messages = Some(unit);
        self
    }

    /// Returns the message unit, for changes; `None` for a board that is alone.
    pub const fn messages(&mut self) -> Option<&mut MessageUnit> {
        self.condition.messages.as_mut()
    }

    /// Returns the bundle of a lower word and the upper one that was written before it.
    fn bits(&self, low: u64) -> BundleBits {
        BundleBits::from(self.condition.upper) << 64 | BundleBits::from(low)
    }

    /// Returns the breakpoints in code of CP2, at which CP2 stops, for changes.
    pub fn breakpoints(&mut self) -> &mut Breakpoints {
        &mut self.breakpoints
    }

    /// Ends the run: tells the engine that the machine goes on no further ([`Engine::release`]), so that a recording,
    /// for example, is completed.
    pub fn release(&mut self) {
        self.engine.release(&mut self.machine);
    }

    /// Returns the board that surrounds a control processor; `None` if the processor has other surroundings.
    #[must_use]
    pub fn of(processor: &Processor) -> Option<&Self> {
        let outside: &dyn Any = &*processor.core.privileged.as_ref()?.outside;
        outside.downcast_ref()
    }

    /// Returns the board that surrounds a control processor, for changes; `None` if the processor has other
    /// surroundings.
    pub fn of_mut(processor: &mut Processor) -> Option<&mut Self> {
        let outside: &mut dyn Any = &mut *processor.core.privileged.as_mut()?.outside;
        outside.downcast_mut()
    }

    /// Returns the machine: CP2, its channel and system memory. Pages that the processor has written may still be in
    /// the processor's own memory.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the bundle of instruction memory whose fault ended the run, or at which the kernel stands that runs; `None`
    /// if there is neither.
    #[must_use]
    pub fn current_bundle(&self) -> Option<BundleAddress> {
        let cp2 = &self.machine.cp2;
        self.condition.fault_at.or_else(|| cp2.is_running().then_some(cp2.state.pc))
    }

    /// Whether all `bytes` bytes from a physical address on are memory that the processor and the channel share: neither
    /// devices nor beyond the end.
    #[must_use]
    pub fn is_memory(&self, address: MemoryAddress, bytes: Bytes) -> bool {
        let Some(last) = address.0.checked_add(bytes.0.saturating_sub(1)) else { return false };
        // Memory is in two parts at most.
        let is_in_a_part = (address.0 < devices::LOWER_END) == (last < devices::LOWER_END);
        is_in_a_part && [address.0, last].iter().all(|at| devices::is_memory(*at, self.size.0))
    }

    /// Takes what the processor has written to the machine's memory, which has all bytes then.
    pub(crate) fn take_memory(&mut self, memory: &mut Memory) {
        memory.take_written(|address, bytes| {
            // What the processor can write lies in memory.
            let _ = self.machine.memory.write(MemoryAddress(address), bytes);
        });
    }

    /// Returns the number of kernels of CP2 that have ended since reset.
    #[must_use]
    pub fn n_kernels(&self) -> u64 {
        self.condition.n_kernels
    }

    /// Returns a text for people: what CP2 and the channel do at the moment, and their registers.
    #[must_use]
    pub fn describe(&self) -> String {
        let cp2 = view::cp2(&self.machine, self.condition.n_kernels);
        format!("CP2: {cp2}DMA channel: {}", view::dma(&self.machine))
    }

    /// Writes out the bytes that the console device still holds.
    pub fn flush(&mut self) {
        self.devices.flush();
    }

    /// Lets time pass to a cycle, or with `until_event` at most until a kernel or the channel stops.
    fn advance_to(&mut self, cycle: u64, until_event: bool) {
        let end = Cycle(cycle);
        let is_held =
            |board: &Self| board.condition.fault.is_some() || board.breakpoints.is_stopped();
        while self.machine.cycle() < end && !is_held(self) {
            let (ran, moved) = (self.machine.cp2.is_running(), self.is_moving());
            let is_watching = self.breakpoints.is_watching();
            let goal = if is_watching { self.machine.cycle() + 1 } else { end };
            let goal = Goal { until_still: until_event && moved, ..Goal::cycle(goal) };
            if let Err(fault) = self.engine.advance(&mut self.machine, goal, &mut NoObserver) {
                self.condition.fault = Some(format!("CP2: {fault}"));
                self.condition.fault_at = fault.address;
                // The bundle would have been done in the cycle that comes next.
                self.condition.fault_from = self.machine.cycle().0 + 1;
            }
            if let Some(fault) = self.machine.dma.fault() {
                self.condition.fault = Some(format!("the DMA channel: {fault}"));
                self.condition.fault_from = self.machine.cycle().0;
            }
            let cp2 = &self.machine.cp2;
            // A kernel of one bundle begins and ends in one cycle.
            let has_ended = !cp2.is_running() && (ran || cp2.cause().is_some());
            self.condition.has_stopped |= has_ended;
            self.condition.n_kernels += u64::from(has_ended);
            if self.breakpoints.is_hit(&self.machine.cp2, self.condition.n_kernels) {
                return;
            }
            if until_event && (has_ended || moved && !self.is_moving()) {
                return;
            }
        }
    }

    /// Whether the channel moves by itself.
    fn is_moving(&self) -> bool {
        self.machine.dma.next_event().is_some()
    }

    /// Lets time pass, with the same bytes in the memories of processor and machine before and behind.
    fn advance_shared(&mut self, memory: &mut Memory, cycle: u64, until_event: bool) {
        // A channel that waits may be released meanwhile.
        if !self.machine.dma.is_busy() {
            return self.advance_to(cycle, until_event);
        }
        let machine = &mut self.machine;
        memory.take_written(|address, bytes| {
            // What the processor can write lies in memory.
            let _ =
                machine.act(Action::WriteMemory(MemoryAddress(address), bytes.as_slice().into()));
        });
        let before = machine.dma.stats().bytes_put;
        if self.condition.is_marked {
            machine.memory.take_written();
        }
        self.advance_to(cycle, until_event);
        self.condition.is_marked = true;
        if self.machine.dma.stats().bytes_put == before {
            return;
        }
        self.condition.is_marked = false;
        for (piece, pages) in self.machine.memory.take_written() {
            let first = (piece * PIECE) as u64;
            let written = (0..16).filter(|page| pages >> page & 1 != 0);
            written.for_each(|page| memory.remove(first + page * PAGE));
        }
    }
}

impl Outside for Board {
    fn page(&mut self, address: u64) -> Option<(Box<PageBytes>, Allowed)> {
        if !devices::is_memory(address, self.size.0) {
            return self.devices.page(address);
        }
        let mut bytes = Box::new([0; PAGE as usize]);
        self.machine.memory.read(MemoryAddress(address), bytes.as_mut_slice()).ok()?;
        Some((bytes, Allowed::ALL))
    }

    fn load(&mut self, address: u64, bytes: usize) -> Option<u64> {
        if let Some(unit) = self.condition.messages.as_ref().filter(|_| is_of_messages(address)) {
            self.condition.stall += self.register_cycles;
            return unit.load(address, bytes).map(u64::from);
        }
        let Some(register) = channel_register(address, bytes) else {
            return self.devices.load(address);
        };
        self.condition.stall += self.register_cycles;
        let value = self.machine.dma.register(register);
        self.machine.act(Action::ReadRegister(register)).ok()?;
        Some(value.into())
    }

    fn store(&mut self, address: u64, bytes: usize, value: u64) -> Option<()> {
        if let Some(unit) = self.condition.messages.as_mut().filter(|_| is_of_messages(address)) {
            self.condition.stall += self.register_cycles;
            return unit.store(address, bytes, value as u32);
        }
        let Some(register) = channel_register(address, bytes) else {
            return self.devices.store(address, value);
        };
        self.condition.stall += self.register_cycles;
        // A write of a read-only register does nothing (`[L]`).
        let _ = self.machine.act(Action::WriteRegister(register, value as u32));
        Some(())
    }

    fn advance(&mut self, memory: &mut Memory, cycle: u64) {
        if self.machine.cycle() < Cycle(cycle) {
            self.advance_shared(memory, cycle, false);
        }
        self.condition.seen_to = self.condition.seen_to.max(cycle);
    }

    fn wait(&mut self, memory: &mut Memory, limit: u64) -> u64 {
        if self.machine.cycle() < Cycle(limit) {
            self.advance_shared(memory, limit, true);
        }
        let cycle = self.machine.cycle().0;
        self.condition.seen_to = cycle.max(self.condition.fault_from);
        cycle
    }

    fn wait_for_answer(
        &mut self,
        memory: &mut Memory,
        question: Question,
        bits: u64,
        limit: u64,
    ) -> Option<u64> {
        const OF_KERNELS: u64 = status::RUN | status::FIFO_FULL | status::FIFO_EMPTY;
        let is_steady = match question {
            // While a kernel runs, the FIFO stays as it is. A channel that the kernel lets go on may fail.
            Question::Coprocessor(register::STATUS) => {
                let is_quiet = !self.machine.dma.is_waiting() || !self.condition.may_release;
                self.machine.cp2.is_running() && bits & !OF_KERNELS == 0 && is_quiet
            }
            // Each read of a run that is kept stands in its recording.
            Question::Device(address) if !self.machine.keeps_acts() => {
                channel_register(address, 4) == Some(DmaRegister::Status) && self.is_moving()
            }
            _ => false,
        };
        if !is_steady || self.condition.fault.is_some() || self.breakpoints.is_watching() {
            return None;
        }
        if self.machine.cycle() < Cycle(limit) {
            self.advance_shared(memory, limit, true);
        }
        Some(self.machine.cycle().0)
    }

    fn next_look(&self, now: u64) -> Option<u64> {
        let is_working = self.is_moving() || !self.machine.cp2.is_done();
        is_working.then_some(now + LOOK)
    }

    fn interrupts(&self) -> u8 {
        let dma = if self.machine.dma.interrupt() { line::DMA } else { 0 };
        dma | if self.condition.has_stopped { line::CP2 } else { 0 }
    }

    fn halt(&self) -> Option<Halt> {
        let breakpoint = self.breakpoints.is_stopped().then_some(Halt::Breakpoint);
        let is_there = self.condition.seen_to >= self.condition.fault_from;
        let fault = || self.condition.fault.clone().filter(|_| is_there).map(Halt::Fault);
        let is_asked = |unit: &MessageUnit| unit.request().map(|_| Halt::Request);
        let request = || self.condition.messages.as_ref().and_then(is_asked);
        breakpoint.or_else(fault).or_else(request).or_else(|| self.devices.halt())
    }

    fn snapshot(&self) -> Option<Box<dyn Any + Send>> {
        Some(Box::new(BoardSnapshot {
            machine: self.machine.clone(),
            devices: self.devices.snapshot(),
            condition: self.condition.clone(),
        }))
    }

    fn restore(&mut self, kept: &dyn Any) {
        let Some(kept) = kept.downcast_ref::<BoardSnapshot>() else { return };
        self.machine = kept.machine.clone();
        self.devices.restore(kept.devices);
        self.condition = kept.condition.clone();
        self.breakpoints.continue_run();
    }

    fn take_stall(&mut self) -> u64 {
        std::mem::take(&mut self.condition.stall)
    }

    fn has_coprocessor(&self) -> bool {
        true
    }

    fn coprocessor_register(&mut self, number: u8) -> Option<u64> {
        let cp2 = &self.machine.cp2;
        let value = match number {
            register::COMM => {
                let value = cp2.state.comm;
                self.machine.act(Action::ReadComm).ok()?;
                value
            }
            register::CONTROL => cp2.state.control,
            register::STATUS => cp2.status(),
            register::INSTRUCTION => {
                cp2.state.iram.get(cp2.state.pc.index()).map_or(0, |&bits| bits as u64)
            }
            register::UPPER if cp2.core().has_wide_bundles() => self.condition.upper,
            register::STOPCODE => {
                self.condition.has_stopped = false;
                cp2.state.stopcode
            }
            _ => return None,
        };
        self.condition.stall += self.register_cycles;
        Some(value)
    }

    fn set_coprocessor_register(&mut self, number: u8, value: u64) -> Option<()> {
        match number {
            register::COMM => self.machine.act(Action::WriteComm(value)).ok()?,
            register::CONTROL => self.machine.act(Action::WriteControl(value)).ok()?,
            // The others are for reading (`[L]`).
            register::STATUS..=register::STOPCODE => {}
            register::UPPER if self.machine.cp2.core().has_wide_bundles() => {
                self.condition.upper = value;
            }
            _ => return None,
        }
        self.condition.stall += self.register_cycles;
        Some(())
    }

    fn push(&mut self, push: Push) -> bool {
        let entry = match push {
            Push::Execute(word) => FifoEntry::Execute(self.bits(word)),
            Push::Store(word) => {
                let bits = self.bits(word);
                // What cannot be decoded fails before it does anything.
                let bundle = decode(bits, self.machine.cp2.core());
                self.condition.may_release |= bundle.is_ok_and(|b| b.exch.op == Exch::StartDma);
                FifoEntry::Store(bits)
            }
        };
        let is_taken = self.machine.act(Action::Send(entry)).is_ok();
        if is_taken {
            self.condition.upper = 0;
        }
        is_taken
    }

    fn is_full(&self) -> bool {
        self.machine.cp2.fifo.is_full()
    }
}

/// Returns the register of the channel at an address; its registers take accesses of 32 bits.
fn channel_register(address: u64, bytes: usize) -> Option<DmaRegister> {
    let offset = address.checked_sub(DmaRegister::BLOCK.into())?;
    DmaRegister::at(u32::try_from(offset).ok()?).ok().filter(|_| bytes == 4)
}

fn is_of_messages(address: u64) -> bool {
    messages::REGISTERS.contains(&address)
}
