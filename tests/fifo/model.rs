//! The host FIFO by the words of the reference (timing, Host FIFO), for bundles simple enough that nothing
//! else matters: a queue, the bit FE, and who may issue in a cycle.

use cp2_isa::{Bundle, Exch, Inst, MoveReg, RegFile, control, encode};
use std::collections::VecDeque;

/// Entries that the FIFO holds.
pub(crate) const DEPTH: usize = 4;
/// Addresses of the model's instruction memory.
pub(crate) const BUNDLES: usize = 1000;
/// Cycles from a `sync` or `stop` to the next issue.
const REST: u64 = 7;
/// Cycles from a `run` to the first bundle of the kernel.
const START: u64 = 2;
/// A jump sets PC at the end of the cycle this long after its issue.
const JUMP: u64 = 1;

/// STATUS: RUN, FE.
const RUNNING: u64 = 1;
const EMPTY: u64 = 1 << 2;

/// A bundle, from the FIFO or of a kernel. Registers by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simple {
    Nop,
    Seti(u8, u16),
    /// `move` from the second GPR to the first.
    Copy(u8, u8),
    ReadStatus(u8),
    Jumpi(u16),
    Jump(u8),
    Runi(u16),
    Run(u8),
    Sync,
    Stopi(u16),
    Stop(u8),
}

impl Simple {
    pub(crate) fn word(self) -> cp2_isa::BundleBits {
        let register = |file, number| MoveReg { file, number }.packed();
        let gpr = |number| register(RegFile::Gpr, number);
        let exch = match self {
            Self::Nop => Bundle::NOP.exch,
            Self::Seti(g, value) => Inst::new(Exch::Seti, &[g.into(), value.into()]),
            Self::Copy(to, from) => Inst::new(Exch::Move, &[gpr(to), gpr(from)]),
            Self::ReadStatus(g) => {
                Inst::new(Exch::Move, &[gpr(g), register(RegFile::Control, control::STATUS)])
            }
            Self::Jumpi(to) => Inst::new(Exch::Jumpi, &[to.into()]),
            Self::Jump(g) => Inst::new(Exch::Jump, &[g.into()]),
            Self::Runi(at) => Inst::new(Exch::Runi, &[at.into()]),
            Self::Run(g) => Inst::new(Exch::Run, &[g.into()]),
            Self::Sync => Inst::new(Exch::Sync, &[]),
            Self::Stopi(code) => Inst::new(Exch::Stopi, &[code.into()]),
            Self::Stop(g) => Inst::new(Exch::Stop, &[g.into()]),
        };
        encode(&Bundle { exch, ..Bundle::NOP })
    }
}

/// An entry of the FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Bundle to execute, pushed by `dmtc2`.
    Execute(Simple),
    /// Bundle to store, pushed by `ldc2`.
    Store(Simple),
}

/// Write of a GPR: the cycle of its issue and its value.
#[derive(Clone, Copy, Debug)]
struct Write {
    issued: u64,
    value: u64,
    /// Bits of the value that the text does not settle.
    open: u64,
}

/// Event of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Held,
    Kernel,
    /// FE fell, and nothing was taken.
    Fell,
    Taken(Entry),
    Idle,
}

/// Model of the host FIFO and of what it reaches.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) cycle: u64,
    pub(crate) fifo: VecDeque<Entry>,
    /// Whether FE is set.
    pub(crate) empty: bool,
    pub(crate) running: bool,
    pub(crate) pc: u16,
    pub(crate) iram: Vec<Simple>,
    pub(crate) stopcode: u64,
    gpr: [Vec<Write>; 16],
    /// First cycle in which something may issue after a `sync` or `stop`.
    rested: u64,
    /// First cycle and address of a kernel to come.
    start: Option<(u64, u16)>,
    /// Cycle at whose end a jump sets PC, and what to.
    jump: Option<(u64, u16)>,
}

impl Model {
    pub(crate) fn new(iram: Vec<Simple>, gpr: [u64; 16]) -> Self {
        Self {
            // So that what stood there at the start is never too young.
            cycle: 10,
            fifo: VecDeque::new(),
            empty: true,
            running: false,
            pc: 0,
            iram,
            stopcode: 0,
            gpr: gpr.map(|value| vec![Write { issued: 0, value, open: 0 }]),
            rested: 0,
            start: None,
            jump: None,
        }
    }

    /// Pushes an entry as the host does before a cycle; returns whether there is room.
    pub(crate) fn push(&mut self, entry: Entry) -> bool {
        let room = self.fifo.len() < DEPTH;
        if room {
            self.fifo.push_back(entry);
        }
        room
    }

    /// Whether a `run` has been taken and its kernel has not begun.
    pub(crate) fn is_starting(&self) -> bool {
        self.start.is_some()
    }

    /// Returns the value of a GPR when all is done, and the bits of it that are open.
    pub(crate) fn settled(&self, g: usize) -> (u64, u64) {
        self.gpr[g].last().map_or((0, 0), |w| (w.value, w.open))
    }

    /// Passes one cycle.
    pub(crate) fn step(&mut self) -> Event {
        if let Some((_, address)) = self.start.take_if(|(at, _)| *at == self.cycle) {
            (self.running, self.pc) = (true, address);
        }
        let event = self.advance();
        if let Some((_, address)) = self.jump.take_if(|(at, _)| *at == self.cycle) {
            self.pc = address;
        }
        self.cycle += 1;
        event
    }

    fn advance(&mut self) -> Event {
        if self.cycle < self.rested {
            return Event::Held;
        }
        if self.running {
            let bundle = self.iram[usize::from(self.pc)];
            self.pc += 1;
            self.issue(bundle);
            return Event::Kernel;
        }
        if self.fifo.is_empty() {
            return Event::Idle;
        }
        if self.empty {
            self.empty = false;
            return Event::Fell;
        }
        self.take()
    }

    fn take(&mut self) -> Event {
        let Some(entry) = self.fifo.pop_front() else {
            return Event::Idle;
        };
        self.empty = self.fifo.is_empty();
        match entry {
            Entry::Execute(bundle) => self.issue(bundle),
            Entry::Store(bundle) => {
                self.iram[usize::from(self.pc)] = bundle;
                self.pc += 1;
            }
        }
        Event::Taken(entry)
    }

    /// Reads a GPR as an operation does that reads it at a distance.
    fn read(&self, g: u8, distance: u64) -> u64 {
        let old_enough = |w: &&Write| w.issued + distance <= self.cycle;
        let last = self.gpr[usize::from(g)].iter().rev().find(old_enough);
        last.map_or(0, |w| w.value)
    }

    fn write(&mut self, g: u8, value: u64, open: u64) {
        self.gpr[usize::from(g)].push(Write { issued: self.cycle, value, open });
    }

    fn issue(&mut self, bundle: Simple) {
        match bundle {
            Simple::Nop => {}
            Simple::Seti(g, value) => self.write(g, value.into(), 0),
            Simple::Copy(to, from) => self.write(to, self.read(from, 1), 0),
            Simple::ReadStatus(g) => self.read_status(g),
            Simple::Jumpi(to) => self.jump = Some((self.cycle + JUMP, to)),
            Simple::Jump(g) => self.jump = Some((self.cycle + JUMP, self.read(g, 1) as u16)),
            Simple::Runi(at) => self.start = Some((self.cycle + START, at)),
            Simple::Run(g) => self.start = Some((self.cycle + START, self.read(g, 3) as u16)),
            Simple::Sync => self.rested = self.cycle + REST,
            Simple::Stopi(code) => self.stop(code.into()),
            Simple::Stop(g) => self.stop(self.read(g, 3)),
        }
    }

    fn stop(&mut self, code: u64) {
        self.stopcode = code;
        self.running = false;
        self.rested = self.cycle + REST;
    }

    /// Reads STATUS into a GPR. FF may change between the issue and stage 1; while no kernel runs, RUN and FE may, too.
    fn read_status(&mut self, g: u8) {
        let bit = |set, bit| if set { bit } else { 0 };
        let value = bit(self.running, RUNNING) | bit(self.empty, EMPTY);
        self.write(g, value, if self.running { 2 } else { 7 });
    }
}
