//! The state machine of the channel, by events: it knows the cycle in which it does something next
//! and does nothing before. How beats follow each other is in `stream.rs`, what a beat moves in
//! `transfer.rs`.

use super::accesses::{Accesses, Words};
use super::beside::{Beside, InStep, Nothing};
use super::descriptor::{Action, Descriptor, Jump, JumpKind, Next};
use super::fault::{DmaFault, DmaFaultKind};
use super::history::{History, Stretch};
use super::log::{Beat, Log, Visit};
use super::moving::Moving;
use super::ports::Ports;
use super::registers::{Register, RegisterError, cause, config, ctrl, status};
use super::stats::{ChannelCause, DmaStats};
use super::stream::{Counts, Ending, Stream};
use super::transfer::Transfer;
use super::walk::half_register;
use crate::memory::{BEAT_BYTES, Burst, Channel, ChannelTiming, Direction};
use cp2_isa::machine::{Key, MachineConfig};
use cp2_isa::{Banks, Core, Cycle};
use serde::{Deserialize, Serialize};

/// Bytes of a descriptor.
const DESCRIPTOR_BYTES: u32 = 64;

/// What the channel itself costs, and what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaTiming {
    /// Cycles from the start to the request of the first descriptor.
    pub start_cycles: u32,
    /// Cycles from the last word of a descriptor to its first request, or to its jump.
    pub set_up_cycles: u32,
    /// Bytes of which memory addresses and steps are multiples.
    pub alignment_bytes: u32,
    /// Whether there are transfers from memory to memory.
    pub memory_to_memory: bool,
    /// Whether there are transfers of 32-bit words.
    pub words: bool,
}

impl DmaTiming {
    /// A channel that costs next to nothing and can do everything.
    pub(crate) const IDEAL: Self = Self {
        start_cycles: 1,
        set_up_cycles: 0,
        alignment_bytes: 4,
        memory_to_memory: true,
        words: true,
    };
}

impl From<&MachineConfig> for DmaTiming {
    fn from(config: &MachineConfig) -> Self {
        Self {
            start_cycles: config.value(Key::DmaStart),
            set_up_cycles: config.value(Key::DmaSetUp),
            alignment_bytes: config.value(Key::Alignment),
            memory_to_memory: config.value(Key::MemoryToMemory) == 1,
            words: config.value(Key::DmaWords) == 1,
        }
    }
}

/// The descriptor that the channel turned to last. What is written to the registers later changes neither
/// (\[L\]).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Current {
    number: u32,
    address: u32,
}

/// The DMA channel of one CP2.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dma {
    #[serde(skip)]
    core: Core,
    timing: DmaTiming,
    channel: Channel,
    registers: [u32; 10],
    current: Current,
    state: State,
    stats: DmaStats,
    fault: Option<DmaFault>,
    /// What the channel has done, kept if somebody asked for it; checkpoints leave it out.
    #[serde(skip)]
    history: Option<History>,
    /// Visits of descriptors and their beats, kept if somebody asked for them; checkpoints leave them out.
    #[serde(skip)]
    log: Option<Box<Log>>,
    /// Cycles before this one are over and counted.
    now: Cycle,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum State {
    Idle,
    /// Will ask for a descriptor in this cycle.
    Starting(Cycle),
    /// The last word of the descriptor comes in this cycle.
    Fetching(Cycle),
    /// Will begin its transfer in this cycle.
    SettingUp(Cycle, Box<Descriptor>),
    /// Waits for `start_dma` before or after the data.
    Waiting(Box<Descriptor>, Place),
    /// Moves data.
    Moving(Box<Moving>),
}

/// What else ends the way of the channel.
#[derive(Clone, Copy, Debug)]
enum Halt {
    /// Nothing.
    Never,
    /// It becomes idle or begins to wait.
    Still,
    /// `check_dma` would no longer read this.
    Answer(u64),
}

impl Halt {
    fn when(until_still: bool) -> Self {
        if until_still { Self::Still } else { Self::Never }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Place {
    Before,
    After,
}

/// A descriptor whose time has come.
enum Prepared {
    Refused(DmaFaultKind),
    /// It moves nothing.
    NoData(Box<Descriptor>),
    Data(Box<Moving>),
}

impl Dma {
    /// The channel of a core after reset.
    pub fn new(core: Core, timing: DmaTiming, channel: ChannelTiming) -> Self {
        let mut registers = [0; 10];
        registers[Register::Addrlim as usize] = !0;
        Self {
            core,
            timing,
            channel: Channel::new(channel),
            registers,
            current: Current::default(),
            state: State::Idle,
            stats: DmaStats::default(),
            fault: None,
            history: None,
            log: None,
            now: Cycle::RESET,
        }
    }

    /// Whether another channel is of a core and a memory with the same sizes and times.
    pub(crate) fn is_built_like(&self, other: &Self) -> bool {
        self.timing == other.timing && self.channel.is_built_like(&other.channel)
    }

    /// Takes over the core of a channel that is built alike, which is not kept with one.
    pub(crate) fn take_core(&mut self, other: &Self) {
        self.core = other.core;
    }

    /// From now on keeps what every cycle was for, until [`Dma::take_history`] takes it.
    pub fn keep_history(&mut self) {
        self.history.get_or_insert_default();
    }

    /// What the cycles since the last call were for, in order.
    pub fn take_history(&mut self) -> impl Iterator<Item = Stretch> + '_ {
        self.history.iter_mut().flat_map(History::drain)
    }

    /// From now on keeps what every descriptor and every beat did, until [`Dma::take_visits`] and
    /// [`Dma::take_beats`] take it. Beats then move one by one, in the same cycles.
    pub fn keep_log(&mut self) {
        if self.log.is_some() {
            return;
        }
        let mut log = Box::<Log>::default();
        if self.is_busy() {
            log.turn_to(self.current.number, self.current.address, self.now);
        }
        self.log = Some(log);
    }

    /// Goes on with the log of another channel, which has come to where this one is: for one that was restored
    /// from a checkpoint.
    pub fn move_log(&mut self, from: &mut Self) {
        self.log = from.log.take();
    }

    /// Keeps no log any more.
    pub fn end_log(&mut self) {
        self.log = None;
    }

    /// The beats since the last call, in the order of time; none if no log is kept.
    pub fn take_beats(&mut self) -> Vec<Beat> {
        self.log.as_mut().map(|log| log.take_beats()).unwrap_or_default()
    }

    /// The descriptors since the last call that the channel is done with, in the order of time.
    pub fn take_visits(&mut self) -> Vec<Visit> {
        self.log.as_mut().map(|log| log.take_visits()).unwrap_or_default()
    }

    /// The descriptor under way, if a log is kept.
    pub fn visit(&self) -> Option<&Visit> {
        self.log.as_ref().and_then(|log| log.under_way())
    }

    /// The current cycle: those before it are over and counted.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// What it is doing.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The channel to memory, with its counts.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Counts since reset.
    pub fn stats(&self) -> &DmaStats {
        &self.stats
    }

    /// Why the channel stopped before the end of its descriptors; a start forgets it.
    pub fn fault(&self) -> Option<&DmaFault> {
        self.fault.as_ref()
    }

    /// Whether the channel works on descriptors.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// Whether it waits for `start_dma`.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting(..))
    }

    /// What `check_dma` reads: bit 0 busy, 1 waits for sync, 2 moving data.
    pub fn check(&self) -> u64 {
        let moving = matches!(self.state, State::Moving(_));
        u64::from(self.is_busy()) | u64::from(self.is_waiting()) << 1 | u64::from(moving) << 2
    }

    /// Whether the interrupt line is up.
    pub fn interrupt(&self) -> bool {
        self.register(Register::Intcause) & self.register(Register::Intmask) != 0
    }

    /// A register's value, without the effects of a read.
    pub fn register(&self, register: Register) -> u32 {
        match register {
            Register::Status => {
                let bit = |on, bit| if on { bit } else { 0 };
                bit(self.is_busy(), status::BUSY) | bit(self.is_waiting(), status::WAITING)
            }
            Register::Int => self.registers[Register::Intcause as usize],
            _ => self.registers[register as usize],
        }
    }

    /// A read by the host.
    pub fn read(&mut self, register: Register) -> u32 {
        let value = self.register(register);
        if register == Register::Int && self.register(Register::Config) & config::CLEAR_ON_READ != 0
        {
            self.registers[Register::Intcause as usize] = 0;
        }
        value
    }

    /// A write by the host in the current cycle. A start leaves whatever is under way (\[L\]).
    pub fn write(&mut self, register: Register, value: u32) -> Result<(), RegisterError> {
        if register.is_read_only() {
            return Err(RegisterError::ReadOnly(register));
        }
        self.registers[register as usize] = value & register.writable();
        if register == Register::Ctrl && value & ctrl::START != 0 {
            self.registers[Register::Ctrl as usize] &= !ctrl::START;
            self.fault = None;
            self.turn_to_next(self.now + u64::from(self.timing.start_cycles));
        }
        Ok(())
    }

    /// `start_dma`: releases a descriptor that waits, from the current cycle on. It is not kept for
    /// one that waits later (\[L\]).
    pub fn release(&mut self, ports: &mut Ports<'_>) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Waiting(d, Place::Before) => match self.prepare(d, self.now, ports, None) {
                Ok(prepared) => self.begin(prepared, self.now, ports),
                // There is no kernel ahead.
                Err(d) => self.state = State::Waiting(d, Place::Before),
            },
            State::Waiting(d, Place::After) => self.finish(&d, self.now, ports),
            other => self.state = other,
        }
    }

    /// The cycle in which the channel does something next, if nothing from outside happens; `None`
    /// while it is idle or waits for `start_dma`.
    pub fn next_event(&self) -> Option<Cycle> {
        match &self.state {
            State::Idle | State::Waiting(..) => None,
            State::Starting(cycle) | State::Fetching(cycle) | State::SettingUp(cycle, _) => {
                Some(*cycle)
            }
            State::Moving(moving) => Some(moving.next),
        }
    }

    /// Does everything that is due before cycle `until`. `kernel_bank` tells which bank of local
    /// memory a kernel accesses in a cycle before `until`; it is asked only for cycles in which a
    /// beat is due.
    ///
    /// An engine that goes cycle by cycle calls this after every cycle; one that runs ahead calls
    /// it with its own cycle before it reads or writes what the channel also reaches, and at the
    /// latest at [`Dma::next_event`].
    pub fn advance_to(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        kernel_banks: &mut impl FnMut(Cycle) -> Banks,
    ) {
        self.go(until, ports, &mut InStep(kernel_banks), Halt::Never);
    }

    /// Does everything that is due before cycle `until`, behind a kernel that is there already and
    /// has done these accesses in the cycles between. True if the channel has come that far; it
    /// stops before the cycle in which it would meet the kernel: reach a word that the kernel has
    /// accessed, or read an index register. With `until_still` it also stops behind the cycle in
    /// which it becomes idle or begins to wait.
    pub fn follow(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        mut kernel: &Accesses,
        until_still: bool,
    ) -> bool {
        self.go(until, ports, &mut kernel, Halt::when(until_still)) && self.now >= until
    }

    /// Does everything that is due before cycle `until`, while no kernel runs; with `until_still` it
    /// stops behind the cycle in which it becomes idle or begins to wait. Returns the cycle that it
    /// has come to.
    pub fn advance_alone(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        until_still: bool,
    ) -> Cycle {
        self.go(until, ports, &mut Nothing, Halt::when(until_still));
        self.now
    }

    /// Does everything that is due before cycle `until`, beside a kernel that accesses no memory and asks
    /// with `check_dma`: it stops behind the cycle in which the answer changes. Returns the cycle that it
    /// has come to, the first one with another answer or `until`.
    pub fn advance_unchanged(&mut self, until: Cycle, ports: &mut Ports<'_>) -> Cycle {
        self.go(until, ports, &mut Nothing, Halt::Answer(self.check()));
        self.now
    }

    /// Goes on to cycle `until`, or until it would meet the kernel, which gives false, or behind
    /// the cycle in which it halts.
    fn go(
        &mut self,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
        halt: Halt,
    ) -> bool {
        // Of a transfer under way it is enough to ask once.
        let mut is_first = true;
        while let Some(cycle) = self.next_event()
            && cycle < until
        {
            self.pass(cycle);
            if std::mem::take(&mut is_first)
                && let (State::Moving(moving), Some(words)) = (&self.state, beside.ahead())
                && moving.would_meet(words)
            {
                return false;
            }
            if !self.act(cycle, until, ports, beside) {
                return false;
            }
            if self.halts(halt) {
                self.pass(self.now.max(cycle + 1));
                return true;
            }
        }
        if !self.halts(halt) {
            self.pass(until);
        }
        true
    }

    fn halts(&self, halt: Halt) -> bool {
        match halt {
            Halt::Never => false,
            Halt::Still => self.next_event().is_none(),
            Halt::Answer(answer) => self.check() != answer,
        }
    }

    fn count(&mut self, cause: ChannelCause, cycles: u64) {
        self.stats.count(cause, cycles);
        if let Some(history) = &mut self.history {
            history.add(cause, self.current.number, cycles);
        }
        if let Some(log) = &mut self.log {
            log.count(cause, cycles);
        }
    }

    /// Counts the cycles before `cycle`, in which nothing happened.
    pub(crate) fn pass(&mut self, cycle: Cycle) {
        let cause = match self.state {
            State::Idle => ChannelCause::Idle,
            State::Starting(_) | State::SettingUp(..) => ChannelCause::SetUp,
            State::Fetching(_) => ChannelCause::Fetch,
            State::Waiting(..) => ChannelCause::Sync,
            State::Moving(_) => ChannelCause::Memory,
        };
        let Some(cycles) = cycle.checked_since(self.now) else { return };
        self.count(cause, cycles);
        self.now = cycle;
    }

    /// Does what is due in `cycle`; nothing, and gives false, if it is the begin of a transfer that concerns a kernel which
    /// is ahead.
    fn act(
        &mut self,
        cycle: Cycle,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) -> bool {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => {}
            State::Waiting(descriptor, place) => self.state = State::Waiting(descriptor, place),
            State::Starting(_) => self.ask(cycle),
            State::Fetching(_) => self.take(cycle, ports),
            State::SettingUp(_, descriptor) if descriptor.sync_before => {
                self.wait(descriptor, Place::Before);
            }
            State::SettingUp(ready, descriptor) => {
                match self.prepare(descriptor, cycle, ports, beside.ahead()) {
                    Ok(prepared) => self.begin(prepared, cycle, ports),
                    Err(descriptor) => {
                        self.state = State::SettingUp(ready, descriptor);
                        return false;
                    }
                }
            }
            State::Moving(moving) => self.stream(moving, until, ports, beside),
        }
        true
    }

    /// From now on waits for `start_dma`.
    fn wait(&mut self, descriptor: Box<Descriptor>, place: Place) {
        if let Some(log) = &mut self.log {
            log.waits(place == Place::After, self.now);
        }
        self.state = State::Waiting(descriptor, place);
    }

    /// Turns to the descriptor of CURDSC, which memory is asked for in `cycle`.
    fn turn_to_next(&mut self, cycle: Cycle) {
        let number = self.register(Register::Curdsc);
        let table = self.register(Register::Baseaddr).wrapping_add(self.register(Register::Daddr));
        let address = table.wrapping_add(number.wrapping_mul(DESCRIPTOR_BYTES));
        self.current = Current { number, address };
        self.state = State::Starting(cycle);
        if let Some(log) = &mut self.log {
            log.turn_to(number, address, self.now);
        }
    }

    /// Asks memory for the current descriptor.
    fn ask(&mut self, cycle: Cycle) {
        let mut address = self.current.address;
        let mut left = DESCRIPTOR_BYTES / BEAT_BYTES;
        let mut last = cycle;
        while left > 0 {
            let direction = Direction::Get;
            let t = self.channel.begin(&Burst { address, beats: left, direction, since: cycle });
            last = self.channel.due(&t, t.beats - 1);
            self.channel.complete(&t, last);
            left -= t.beats;
            address = address.wrapping_add(t.beats * BEAT_BYTES);
        }
        self.state = State::Fetching(last.max(cycle));
    }

    fn limit(&self) -> Option<u32> {
        let checked = self.register(Register::Config) & config::CHECK_LIMIT != 0;
        checked.then(|| self.register(Register::Addrlim))
    }

    /// Takes the words of the current descriptor.
    fn take(&mut self, cycle: Cycle, ports: &mut Ports<'_>) {
        let address = self.current.address;
        let mut beats = (0..DESCRIPTOR_BYTES).step_by(BEAT_BYTES as usize);
        if let Some(limit) = self.limit()
            && let Some(refused) = beats.find(|&beat| address.wrapping_add(beat) >= limit)
        {
            let address = address.wrapping_add(refused);
            return self.refuse(cycle, DmaFaultKind::AddressLimit(address, limit));
        }
        let mut bytes = [0; DESCRIPTOR_BYTES as usize];
        if let Err(e) = ports.memory.fetch(address.into(), &mut bytes) {
            return self.refuse(cycle, DmaFaultKind::OutsideMemory(e));
        }
        let mut words = [0; 8];
        for (word, part) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = part.iter().fold(0, |w, &b| w << 8 | u64::from(b));
        }
        let descriptor = Descriptor::decode(&words);
        self.stats.n_descriptors += 1;
        if let Some(log) = &mut self.log {
            log.fetched(words);
        }
        if !descriptor.valid {
            return self.refuse(cycle, DmaFaultKind::Invalid);
        }
        if matches!(descriptor.action, Action::Copy(_)) && !self.timing.memory_to_memory {
            return self.refuse(cycle, DmaFaultKind::CopyAbsent);
        }
        if descriptor.action.is_of_words() && !self.timing.words {
            return self.refuse(cycle, DmaFaultKind::WordsAbsent);
        }
        let ready = cycle + u64::from(self.timing.set_up_cycles);
        self.state = State::SettingUp(ready, Box::new(descriptor));
    }

    /// Stops the channel. Refused accesses are an interrupt cause; a bad descriptor is none.
    fn refuse(&mut self, cycle: Cycle, kind: DmaFaultKind) {
        if matches!(kind, DmaFaultKind::AddressLimit(..) | DmaFaultKind::OutsideMemory(_)) {
            self.registers[Register::Intcause as usize] |= cause::ADDRESS;
        }
        let descriptor = self.current.number;
        self.fault = Some(DmaFault { cycle, descriptor, kind });
        self.rest();
    }

    /// Leaves the descriptor and does nothing more.
    fn rest(&mut self) {
        if let Some(log) = &mut self.log {
            log.leave(self.now);
        }
        self.state = State::Idle;
    }

    /// Prepares the transfer of a descriptor that need not wait any longer. It is given back if it concerns a kernel that is
    /// ahead and has accessed these words.
    fn prepare(
        &self,
        descriptor: Box<Descriptor>,
        cycle: Cycle,
        ports: &Ports<'_>,
        ahead: Option<&Words>,
    ) -> Result<Prepared, Box<Descriptor>> {
        if ahead.is_some() && descriptor.reads_index() {
            return Err(descriptor);
        }
        let alignment = self.timing.alignment_bytes;
        match Transfer::new(&self.core, &descriptor.action, ports.ireg, alignment) {
            Err(kind) => Ok(Prepared::Refused(kind)),
            Ok(None) => Ok(Prepared::NoData(descriptor)),
            Ok(Some(transfer)) => {
                let moving = Box::new(Moving::new(&self.core, descriptor, transfer, cycle));
                match ahead {
                    Some(words) if moving.would_meet(words) => Err(moving.descriptor),
                    _ => Ok(Prepared::Data(moving)),
                }
            }
        }
    }

    /// Begins what is prepared, in `cycle`.
    fn begin(&mut self, prepared: Prepared, cycle: Cycle, ports: &Ports<'_>) {
        match prepared {
            Prepared::Refused(kind) => self.refuse(cycle, kind),
            Prepared::NoData(descriptor) => self.end_of_data(descriptor, cycle, ports),
            Prepared::Data(mut moving) => {
                if moving.request(&mut self.channel, cycle) {
                    self.state = State::Moving(moving);
                } else {
                    self.end_of_data(moving.descriptor, cycle, ports);
                }
            }
        }
    }

    /// Moves the beats that are due before `until`.
    fn stream(
        &mut self,
        mut moving: Box<Moving>,
        until: Cycle,
        ports: &mut Ports<'_>,
        beside: &mut impl Beside,
    ) {
        let (begin, limit) = (self.now, self.limit());
        let mut stream = Stream {
            core: &self.core,
            channel: &mut self.channel,
            log: self.log.as_deref_mut(),
            limit,
            until,
            now: begin,
            counts: Counts::default(),
        };
        let ending = stream.go(&mut moving, ports, beside);
        let Stream { now, counts, .. } = stream;
        self.now = now;
        self.count(ChannelCause::Beat, counts.beats);
        self.count(ChannelCause::Conflict, counts.conflicts);
        let waited = now - begin - counts.beats - counts.conflicts;
        self.count(ChannelCause::Memory, waited);
        let [get, put] = counts.bytes;
        self.stats.bytes_get += get;
        self.stats.bytes_put += put;
        if let Some(log) = &mut self.log {
            log.add_bytes(counts.bytes);
        }
        match ending {
            Ending::Later => self.state = State::Moving(moving),
            Ending::Moved => self.end_of_data(moving.descriptor, now, ports),
            Ending::Refused(kind) => {
                self.refuse(now, kind);
                self.pass(now + 1);
            }
        }
    }

    /// All data have moved before `cycle`.
    fn end_of_data(&mut self, descriptor: Box<Descriptor>, cycle: Cycle, ports: &Ports<'_>) {
        if descriptor.sync_after {
            self.wait(descriptor, Place::After);
        } else {
            self.finish(&descriptor, cycle, ports);
        }
    }

    /// Goes to the next descriptor or stops.
    fn finish(&mut self, descriptor: &Descriptor, cycle: Cycle, ports: &Ports<'_>) {
        let index = |n: u8| half_register(ports.ireg, n) as u8;
        let current = self.register(Register::Curdsc);
        let next = match &descriptor.action {
            Action::Jump(jump) => jump_target(jump, current, index(jump.index)),
            Action::Get(t) => after(t.next, current, index),
            Action::Put(t) => after(t.next, current, index),
            Action::Copy(t) => after(t.next, current, index),
            Action::GetWords(t) => after(t.next, current, index),
            Action::PutWords(t) => after(t.next, current, index),
            Action::Gather(t) => after(t.next, current, index),
        };
        self.registers[Register::Curdsc as usize] = next;
        let causes = &mut self.registers[Register::Intcause as usize];
        if descriptor.interrupt {
            *causes |= cause::DESCRIPTOR;
        }
        if self.register(Register::Ctrl) & ctrl::STOP != 0 {
            self.registers[Register::Ctrl as usize] &= !ctrl::STOP;
            self.registers[Register::Intcause as usize] |= cause::STOPPED;
            self.rest();
        } else if descriptor.stop {
            self.rest();
        } else {
            self.turn_to_next(cycle);
        }
    }
}

/// The descriptor after a transfer.
fn after(next: Next, current: u32, index: impl Fn(u8) -> u8) -> u32 {
    match next {
        Next::By(by) => current.wrapping_add_signed(by.into()),
        Next::Index(n) => current.wrapping_add_signed((index(n) as i8).into()),
    }
}

/// The descriptor that a jump chooses.
fn jump_target(jump: &Jump, current: u32, index: u8) -> u32 {
    let signed = i32::from(index as i8);
    match &jump.kind {
        JumpKind::Relative => current.wrapping_add_signed(signed),
        JumpKind::Table(entries) => {
            current.wrapping_add(u32::from(entries[usize::from(index & 15)]))
        }
        JumpKind::Absolute => u32::from(index),
        JumpKind::Compare { value, equal, other } => {
            let by = if signed as u32 == *value { *equal } else { *other };
            current.wrapping_add_signed(by.into())
        }
    }
}
