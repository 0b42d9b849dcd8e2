//! Architectural state of CP2: registers and memories, as a program or the host can see them. What
//! is under way in the pipeline lives in `cp2::pipeline`.

use aligned_vec::{ABox, ConstAlign, avec};
use cp2_isa::rules::rounding;
use cp2_isa::{Core, SECTIONS, control};

pub use cp2_isa::rules::flags::FCSR_MASK;
pub use cp2_isa::rules::flow::Loop;
pub use cp2_isa::rules::rounding::MASK as CONTROL_ROUNDING;

/// Bytes of a line of the host's caches.
const LINE: usize = 64;

/// One 64-bit value in every section.
pub type Quad = [u64; SECTIONS];

/// Registers and memories of one CP2; the lengths of its slices are the sizes of its core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Floating-point registers, by number, then section.
    pub fpr: Box<[Quad]>,
    /// Local memory, by word address, then section; two words begin where a line of the host's caches
    /// does.
    pub lmem: ABox<[Quad], ConstAlign<LINE>>,
    /// Instruction memory.
    pub iram: Box<[u64]>,
    /// General registers.
    pub gpr: [u64; 16],
    /// Addresses, as wide as local memory needs them.
    pub a: [u16; 16],
    /// Address steps, as wide.
    pub n: [u16; 16],
    /// Address modes, as wide.
    pub m: [u16; 16],
    /// Index registers.
    pub ireg: [u64; 16],
    /// Condition codes per section; bit 0 is always 1.
    pub fccr: [u8; SECTIONS],
    /// Flags and cause per section.
    pub fcsr: [u32; SECTIONS],
    /// Mailbox.
    pub comm: u64,
    /// CONTROL.
    pub control: u64,
    /// STATUS but for the bits that follow the machine (RUN, FF, FE).
    pub status: u64,
    /// Angle of the next coefficient.
    pub rind: u16,
    /// Step of the angle.
    pub rstep: u16,
    /// Bits of the angle that step.
    pub rmask: u16,
    /// Code of the last stop.
    pub stopcode: u64,
    /// Address of the next bundle.
    pub pc: u16,
    /// Active loops, the innermost last.
    pub loops: Vec<Loop>,
    /// Return addresses, the latest last.
    pub calls: Vec<u16>,
}

/// Bits of STATUS.
pub mod status {
    /// CP2 runs.
    pub const RUN: u64 = 1;
    /// The host FIFO is full.
    pub const FIFO_FULL: u64 = 1 << 1;
    /// The host FIFO is empty.
    pub const FIFO_EMPTY: u64 = 1 << 2;
    /// CP2 wrote COMM and the host has not read it.
    pub const COMM_CP2: u64 = 1 << 3;
    /// The host wrote COMM and CP2 has not read it.
    pub const COMM_K64: u64 = 1 << 4;
    pub use cp2_isa::rules::flags::{FPE, FPE_SHIFT};
    /// Call stack overflow.
    pub const CALL_OVERFLOW: u64 = 1 << 23;
    /// Call stack underflow.
    pub const CALL_UNDERFLOW: u64 = 1 << 24;
    /// Loop stack overflow.
    pub const LOOP_OVERFLOW: u64 = 1 << 25;
    /// Loop stack underflow.
    pub const LOOP_UNDERFLOW: u64 = 1 << 26;
    /// Bits that are sticky: a `move` to STATUS writes these and no others.
    pub const STICKY: u64 = FPE | 0xf << 23;
    /// Bits that [`super::State::status`] holds.
    pub const STORED: u64 = STICKY | COMM_CP2 | COMM_K64;
}

/// The I bit of CONTROL: coefficients of the inverse transform.
pub const CONTROL_INVERSE: u64 = 1 << 15;
/// The bits of CONTROL that exist: reset, stop, I, rounding mode.
pub const CONTROL_MASK: u64 = 3 << 30 | CONTROL_INVERSE | CONTROL_ROUNDING;

impl Default for State {
    fn default() -> Self {
        Self::new(&Core::CP2)
    }
}

impl State {
    /// The state of a core after reset.
    pub fn new(core: &Core) -> Self {
        Self {
            fpr: vec![[0; SECTIONS]; core.fprs()].into_boxed_slice(),
            lmem: avec![[LINE]| [0; SECTIONS]; core.lmem_words()].into_boxed_slice(),
            iram: vec![0; core.iram_bundles()].into_boxed_slice(),
            gpr: [0; 16],
            a: [0; 16],
            n: [1; 16],
            m: [core.address_mask(); 16],
            ireg: [0; 16],
            fccr: [1; SECTIONS],
            fcsr: [0; SECTIONS],
            comm: 0,
            control: 0,
            status: 0,
            rind: 0,
            rstep: 0,
            rmask: 0xffff,
            stopcode: 0,
            pc: 0,
            loops: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// Control register `number` as `move` reads it, but for STATUS, which depends on the machine
    /// around the state, PC, which depends on the flow, and RIND, which depends on the bundle.
    pub(crate) fn control_register(&self, number: u8) -> u64 {
        let innermost = self.loops.last().copied().unwrap_or_default();
        match number {
            control::COMM => self.comm,
            control::CONTROL => self.control,
            control::PSP => self.calls.len() as u64,
            control::LC => u64::from(innermost.count),
            control::LA => innermost.la(),
            control::LSP => self.loops.len() as u64,
            control::RSTEP => u64::from(self.rstep),
            control::RMASK => u64::from(self.rmask),
            control::STOPCODE => self.stopcode,
            _ => 0,
        }
    }

    /// Writes control register `number` as `move` does. PC, PSP and LSP ignore it; STOPCODE is no
    /// destination.
    pub(crate) fn set_control_register(&mut self, number: u8, value: u64) {
        match number {
            control::COMM => self.comm = value,
            control::CONTROL => self.control = rounding::moved(self.control, value),
            control::STATUS => {
                self.status = self.status & !status::STICKY | value & status::STICKY;
            }
            control::LC => {
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.count = value as u32;
                }
            }
            control::LA => {
                if let Some(innermost) = self.loops.last_mut() {
                    *innermost = innermost.with_la(value);
                }
            }
            control::RIND => self.rind = value as u16,
            control::RSTEP => self.rstep = value as u16,
            control::RMASK => self.rmask = value as u16,
            _ => {}
        }
    }
}
