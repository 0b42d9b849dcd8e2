//! Memory that translated code works on: a copy of the registers, in one piece that code addresses from one base. How a
//! machine is copied in and out is in `runtime::transfer`, who may run code on it in `runtime::executor`. Addresses of memory
//! are numbers here: nobody but translated code follows them.

use cp2_emu::state::Quad;
use cp2_isa::{Core, Storage};
use std::mem::offset_of;

/// 256-bit value, aligned for one move of the native machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Vector(pub(crate) Quad);

/// Number of floating-point registers of the core with the most of them.
pub(crate) const FPRS: usize = Core::WIDEST.fprs();
/// Number of banks of local memory that a core has at most.
pub(crate) const BANKS_MOST: usize = 8;
/// Number of counters for each bank, which take turns: an access need not wait until the one before is counted.
pub(crate) const BANK_TURNS: usize = 4;
/// Number of values under way that a block can take over. In each cycle of the longest latency each half of a bundle issues
/// at most two results, each with a mask.
pub(crate) const PENDING: usize = 8 * cp2_isa::MAX_LATENCY as usize;
/// Number of parts of local memory, at most, for which an address set has pointers of their own.
pub(crate) const PARTS: usize = 16;
/// Number of pointers that a block has at most.
pub(crate) const MOST_POINTERS: usize = 16 * PARTS;
/// Number of values that a block can put aside.
pub(crate) const SPILLS: usize = 512;

/// Registers and counters that translated code changes. A checkpoint saves them besides local memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Live {
    pub(crate) fpr: [Vector; FPRS],
    /// Condition codes as masks of whole lanes.
    pub(crate) cc: [Vector; 8],
    pub(crate) gpr: [u64; 16],
    pub(crate) ireg: [u64; 16],
    pub(crate) a: [u32; 16],
    pub(crate) n: [u32; 16],
    pub(crate) m: [u32; 16],
    /// Values of general registers before the writes of the last two cycles, the last first.
    pub(crate) gpr_old: [u64; 2],
    pub(crate) rind: u32,
    pub(crate) rstep: u32,
    pub(crate) rmask: u32,
    /// Counts of memory operations whose place only the run knows, by turn and bank.
    pub(crate) banks: [[u64; BANKS_MOST]; BANK_TURNS],
    /// Flops of predicated operations, per section.
    pub(crate) flops: Vector,
    /// Section addresses, in a lane of each section; 0 on cores without them.
    pub(crate) sa: [Vector; 16],
    /// Shared addresses, the same in all lanes; 0 on cores without shared memory.
    pub(crate) qa: [Vector; 16],
}

/// Numbers of registers that a core has, of the kinds of which not all cores have the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Present {
    fpr: usize,
    sa: usize,
    qa: usize,
}

impl Present {
    /// Returns the numbers of registers of a core.
    pub(crate) fn of_core(core: &Core) -> Self {
        let count = |storage: Storage| (storage.info().count)(core);
        Self { fpr: count(Storage::Fpr), sa: count(Storage::SectionA), qa: count(Storage::SharedA) }
    }
}

impl Live {
    /// Copies from another context the registers that the core has: most cores have far less than there is place for.
    pub(crate) fn take(&mut self, from: &Self, present: Present) {
        let Self { fpr, cc, gpr, ireg, a, n, m, gpr_old, rind, rstep, rmask, banks, flops, sa, qa } =
            from;
        self.fpr[..present.fpr].copy_from_slice(&fpr[..present.fpr]);
        self.sa[..present.sa].copy_from_slice(&sa[..present.sa]);
        self.qa[..present.qa].copy_from_slice(&qa[..present.qa]);
        (self.cc, self.gpr, self.ireg, self.gpr_old) = (*cc, *gpr, *ireg, *gpr_old);
        (self.a, self.n, self.m) = (*a, *n, *m);
        (self.rind, self.rstep, self.rmask) = (*rind, *rstep, *rmask);
        (self.banks, self.flops) = (*banks, *flops);
    }

    /// Returns the parts that the core has, to be compared.
    fn parts(&self, present: Present) -> impl PartialEq + '_ {
        let Self { fpr, cc, gpr, ireg, a, n, m, gpr_old, rind, rstep, rmask, banks, flops, sa, qa } =
            self;
        let vectors = (&fpr[..present.fpr], &sa[..present.sa], &qa[..present.qa], cc, flops);
        (vectors, (gpr, ireg, gpr_old), (a, n, m), (rind, rstep, rmask), banks)
    }

    /// Whether the parts that the core has are the same as in another context.
    pub(crate) fn is_same(&self, other: &Self, present: Present) -> bool {
        self.parts(present) == other.parts(present)
    }

    /// Registers and counters that are all zero.
    pub(crate) const ZERO: Self = {
        const NOTHING: Vector = Vector([0; 4]);
        Self {
            fpr: [NOTHING; FPRS],
            cc: [NOTHING; 8],
            gpr: [0; 16],
            ireg: [0; 16],
            a: [0; 16],
            n: [0; 16],
            m: [0; 16],
            gpr_old: [0; 2],
            rind: 0,
            rstep: 0,
            rmask: 0,
            banks: [[0; BANKS_MOST]; BANK_TURNS],
            flops: NOTHING,
            sa: [NOTHING; 16],
            qa: [NOTHING; 16],
        }
    };
}

/// Context of translated code: everything that it sees.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Context {
    /// Values put aside, the first one last: what is used most stands near the registers.
    pub(crate) spills: [Vector; SPILLS],
    pub(crate) live: Live,
    /// Address of local memory.
    pub(crate) lmem: u64,
    /// Address in the undo log at which the next overwritten word is kept.
    pub(crate) undo: u64,
    /// Address at which the next access to local memory is noted, in blocks that note accesses.
    pub(crate) notes: u64,
    /// Address of shared memory.
    pub(crate) shared: u64,
    /// Address at which operands of the last operations with flags are kept.
    pub(crate) tail: u64,
    /// Address of the table of coefficients: pairs by angle.
    pub(crate) coefficients: u64,
    /// Address of the table of addresses with their bits reversed.
    pub(crate) reversed: u64,
    /// Address of the table with the rows of elementary functions.
    pub(crate) functions: u64,
    /// Value that `check_dma` reads.
    pub(crate) answer: u64,
    /// Number of passes through the block that are left.
    pub(crate) passes: u64,
    /// Number of times that the part of the block at hand is still run.
    pub(crate) times: u64,
    /// MXCSR with which translated code begins: its rounding mode and flush mode, no exception raised.
    pub(crate) mxcsr: u32,
    /// MXCSR at the end of translated code, with the exceptions that it raised.
    pub(crate) raised: u32,
    /// MXCSR of the native machine outside of translated code.
    pub(crate) native_mxcsr: u32,
    /// Pointers that have no register of the native machine, by their number in the block.
    pub(crate) pointers: [u64; MOST_POINTERS],
    /// Old values of general registers within a block, by cycle modulo 4.
    pub(crate) gpr_scratch: [u64; 4],
    /// Vectors of which scalar code reads one lane.
    pub(crate) lanes: [Vector; 2],
    /// Values under way; only the first ones are in use.
    pub(crate) pending: [Vector; PENDING],
}

impl Context {
    /// Creates a context of zeros, without any memory.
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            spills: [Vector::default(); SPILLS],
            live: Live::ZERO,
            lmem: 0,
            undo: 0,
            notes: 0,
            shared: 0,
            tail: 0,
            coefficients: 0,
            reversed: 0,
            functions: 0,
            answer: 0,
            passes: 0,
            times: 0,
            mxcsr: 0,
            raised: 0,
            native_mxcsr: 0,
            pointers: [0; MOST_POINTERS],
            gpr_scratch: [0; 4],
            lanes: [Vector::default(); 2],
            pending: [Vector::default(); PENDING],
        })
    }
}

macro_rules! offsets {
    ($($name:ident = $field:expr;)*) => { $(pub(crate) const $name: i32 = $field as i32;)* };
}

offsets! {
    FPR = offset_of!(Context, live) + offset_of!(Live, fpr);
    CC = offset_of!(Context, live) + offset_of!(Live, cc);
    GPR = offset_of!(Context, live) + offset_of!(Live, gpr);
    IREG = offset_of!(Context, live) + offset_of!(Live, ireg);
    A = offset_of!(Context, live) + offset_of!(Live, a);
    N = offset_of!(Context, live) + offset_of!(Live, n);
    M = offset_of!(Context, live) + offset_of!(Live, m);
    GPR_OLD = offset_of!(Context, live) + offset_of!(Live, gpr_old);
    RIND = offset_of!(Context, live) + offset_of!(Live, rind);
    RSTEP = offset_of!(Context, live) + offset_of!(Live, rstep);
    RMASK = offset_of!(Context, live) + offset_of!(Live, rmask);
    BANKS = offset_of!(Context, live) + offset_of!(Live, banks);
    FLOPS = offset_of!(Context, live) + offset_of!(Live, flops);
    SA = offset_of!(Context, live) + offset_of!(Live, sa);
    QA = offset_of!(Context, live) + offset_of!(Live, qa);
    LMEM = offset_of!(Context, lmem);
    UNDO = offset_of!(Context, undo);
    NOTED = offset_of!(Context, notes);
    SHARED = offset_of!(Context, shared);
    TAIL = offset_of!(Context, tail);
    COEFFICIENT = offset_of!(Context, coefficients);
    REVERSED = offset_of!(Context, reversed);
    FUNCTIONS = offset_of!(Context, functions);
    ANSWER = offset_of!(Context, answer);
    PASSES = offset_of!(Context, passes);
    TIMES = offset_of!(Context, times);
    MXCSR = offset_of!(Context, mxcsr);
    RAISED = offset_of!(Context, raised);
    NATIVE_MXCSR = offset_of!(Context, native_mxcsr);
    POINTERS = offset_of!(Context, pointers);
    GPR_SCRATCH = offset_of!(Context, gpr_scratch);
    LANES = offset_of!(Context, lanes);
    MORE_LANES = offset_of!(Context, lanes) + size_of::<Vector>();
    PEND = offset_of!(Context, pending);
    SPILL = offset_of!(Context, spills);
}

/// Distance in bytes between the beginning of the context and the place from which translated code addresses it. It brings
/// the registers, the first values put aside and the first ones under way within reach of the short displacements of vector
/// instructions, 128 vectors either way.
pub(crate) const BIAS: i32 = FPR + 32 * 54;

/// Returns the displacement in the context of a value put aside, by its number.
pub(crate) fn spill_at(number: u32) -> i32 {
    vector_at(SPILL, SPILLS - 1 - number as usize)
}

/// Returns the number of the value put aside at a displacement in the context; `None` if there is none.
pub(crate) fn spill_number(place: i32) -> Option<u32> {
    let number = (place - SPILL) / 32;
    (SPILL..vector_at(SPILL, SPILLS)).contains(&place).then(|| SPILLS as u32 - 1 - number as u32)
}

/// Returns the displacement in the context of a pointer that has no register, by the pointer's number in the block.
pub(crate) fn pointer_at(number: usize) -> i32 {
    assert!(
        number < MOST_POINTERS,
        "the parts of a set have gaps between them, so there are at most {PARTS}"
    );
    POINTERS + 8 * number as i32
}

/// Returns the displacement of value `k` of an array of vectors that begins at `base`.
pub(crate) fn vector_at(base: i32, k: usize) -> i32 {
    base + 32 * k as i32
}

/// Bits of MXCSR.
pub(crate) mod mxcsr {
    /// Exceptions but Inexact: invalid, denormal operand, divide by zero, overflow, underflow.
    pub(crate) const UNUSUAL: u32 = 0x1f;
    /// Exception Inexact.
    pub(crate) const INEXACT: u32 = 0x20;
    /// Masks of all exceptions: none traps.
    const MASKED: u32 = 0x1f80;
    /// Flush mode: a tiny result becomes zero and raises underflow, an exact one too.
    const FLUSH: u32 = 0x8000;

    /// Returns the MXCSR with which translated code runs, for a rounding mode of CONTROL.
    pub(crate) fn of_rounding(mode: u64) -> u32 {
        // The processor counts nearest, down, up, zero.
        let rounding = [0, 3, 2, 1][(mode & 3) as usize];
        MASKED | FLUSH | rounding << 13
    }
}
