//! The only place where translated code is run, and the whole argument why that is safe.
//!
//! An [`Executor`] owns all memory that translated code writes but local memory: the context with the
//! registers, the entries of the undo log, the notes of accesses, the operands kept for flags, a copy of shared memory. Local
//! memory it is lent for each call. A block of code ([`MachineCode`]) carries a contract: what was taken for
//! granted when it was made. [`Executor::run`] runs a block only if its contract is kept. What code may
//! do, and why that stays in bounds:
//!
//! 1. *Instructions.* They are those that the native machine has: [`Executor::fit`] compares the instruction set
//!    of the code with the executor's, which [`NativeIsa::detect`] found or which is less than that.
//! 2. *The function itself.* `back_end` makes whole functions of the System V convention, which keep the
//!    callee's registers and MXCSR, push and pop in pairs, jump only to their own start or to that of a part that is run
//!    several times, by a count that is in the code, and work wherever they stand. Nobody else makes a [`MachineCode`], and memory with code never changes; a block that is moved to
//!    another memory while none runs has another address then, for which a [`Fit`] has to be found anew. But those of `runtime::kept` were made by
//!    the `back_end` of an earlier process, with the contract beside them. That they are what was made there rests on
//!    two things. A digest of key, contracts and code tells damage; the key names core and instruction set. And the store
//!    ([`Store`](super::kept::Store)) gives only what the same build of the program has put there, for layouts and rules
//!    are those of the build. This file cannot find out whether somebody else has put an entry there: a store in which
//!    others can write is outside of this argument, and code from it can do anything. So only a caller that
//!    can answer for its store gives one ([`Translator::keeping`](super::coupled::Translator::keeping)).
//! 3. *The context.* Displacements are those of `abi::context`, from the layout of the type itself, with
//!    numbers of registers and values that `lowering` and `back_end` hold against the lengths of its arrays.
//! 4. *Local memory at places that never change.* They are below the number of words that the contract
//!    names; `run` is lent a slice of just so many.
//! 5. *Local memory at places that the run computes.* They are in address registers. Those are below the
//!    number of words when they are loaded (`check`, without which nothing fits), and code reduces what it
//!    writes there; the same is true of steps and modes. So it is of section addresses, and of addresses in
//!    FPRs, which are reduced where they are used. The table of reversed addresses has one entry for
//!    each address and one more.
//! 6. *Local memory through pointers.* They are reduced when they are set, but what is added to them is not, neither by an
//!    access nor by a turn of a part that is run several times, whose accesses in all turns the guards know. So
//!    the guards of the contract have to hold, for all passes. [`Executor::fit`] finds that they hold and gives a
//!    [`Fit`], [`Executor::admit`] for how many passes and gives an [`Admission`]. Both tell the state of the
//!    registers that they were found for, and `run` refuses others: whatever changes scalar registers or runs
//!    code begins a new state.
//! 7. *Undo log, notes, kept operands.* The contract tells how many a pass makes; `run` asserts that there
//!    is room behind those in use, which it counts itself.
//! 8. *Tables.* They are static; that of coefficients has an entry for each value of 16 bits, that of
//!    functions all rows of `abi::tables`, whose places `lowering` masks.
//! 9. *Shared memory.* `lowering` reduces every address to words below its size, which is that of every core,
//!    and the copy has as many words.
//! 10. *Nobody else meanwhile.* `run` has the executor and local memory for itself by `&mut`, and what code
//!     wrote is plain numbers, valid whatever they are.

use crate::abi::context::{Context, FPRS, Live, PENDING, Present, Vector, mxcsr};
use crate::abi::tables;
use crate::abi::undo_entry::UndoEntry;
use crate::analysis::contract::Contract;
use crate::back_end::code::MachineCode;
use crate::back_end::encoding::NativeIsa;
use crate::front_end::region::LONGEST;
use cp2_emu::state::Quad;
use cp2_isa::{Core, SECTIONS, SHARED_WORDS, Storage};

/// Number of stores that an epoch can take back at most.
const ENTRIES: usize = 6144;
/// Number of vectors of operands that can be kept.
const OPERANDS: usize = 8192;

/// Number of a state of the scalar registers; no state is ever found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateId(u64);

/// Sizes of the memories of a core.
#[derive(Debug)]
pub(crate) struct Sizes {
    /// Number of words of shared memory.
    n_shared: usize,
    /// Number of words of local memory.
    lmem_words: usize,
    /// Highest value of an address register.
    address_mask: u32,
}

/// Numbers of entries of the undo log and of notes in use.
#[derive(Debug)]
pub(crate) struct Used {
    n_undo: usize,
    n_notes: usize,
}

/// Executor of translated code, with everything that code works on but local memory.
#[derive(Debug)]
pub(crate) struct Executor {
    native_isa: NativeIsa,
    context: Box<Context>,
    undo: Box<[UndoEntry]>,
    notes: Vec<u32>,
    operands: Box<[Vector]>,
    /// Copy of shared memory, as large as any core has it.
    shared: Box<[u64]>,
    sizes: Sizes,
    /// Numbers of registers that the core has.
    present: Present,
    used: Used,
    /// Address of local memory in the latest call.
    lmem: u64,
    state: StateId,
    /// Whether address registers are known to be in local memory.
    is_checked: bool,
}

/// Evidence that a block fits the registers as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    state: StateId,
    /// Address of the block's first instruction.
    code: usize,
}

/// Evidence that a block may be run for so many passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    fit: Fit,
    passes: u64,
}

impl Admission {
    pub(crate) fn passes(self) -> u64 {
        self.passes
    }
}

/// Whether a contract can be kept on a core: a pass has room for what it writes, and the registers that it names are there.
pub(crate) fn can_be_kept(contract: &Contract, core: &Core) -> bool {
    let Contract { lmem_words, guards, undos, notes, tail_slots, repeats: _, coefficients: _ } =
        contract;
    *lmem_words == core.lmem_words()
        && *undos <= ENTRIES
        && *notes <= SECTIONS * LONGEST
        && *tail_slots <= OPERANDS
        && guards.is_sound(core)
}

/// Registers that decide on no address.
pub(crate) struct VectorRegisters<'a> {
    pub(crate) fpr: &'a mut [Vector; FPRS],
    pub(crate) cc: &'a mut [Vector; 8],
    pub(crate) pending: &'a mut [Vector; PENDING],
}

fn address<T>(memory: &mut [T]) -> u64 {
    memory.as_mut_ptr().expose_provenance() as u64
}

fn table<T>(memory: &'static [T]) -> u64 {
    memory.as_ptr().expose_provenance() as u64
}

impl Executor {
    /// Creates an executor for what the native machine has, or for less.
    pub(crate) fn new(native_isa: NativeIsa) -> Self {
        let mut context = Context::new();
        context.functions = table(tables::functions());
        Self {
            native_isa,
            context,
            undo: vec![UndoEntry::default(); ENTRIES].into_boxed_slice(),
            notes: Vec::new(),
            operands: vec![Vector::default(); OPERANDS].into_boxed_slice(),
            shared: vec![0; SHARED_WORDS].into_boxed_slice(),
            present: Present::default(),
            lmem: 0,
            state: StateId(0),
            is_checked: false,
            sizes: Sizes { n_shared: 0, lmem_words: 0, address_mask: 0 },
            used: Used { n_undo: 0, n_notes: 0 },
        }
    }

    /// Turns to a core and a rounding mode of CONTROL; registers are to be loaded next.
    pub(crate) fn turn_to(&mut self, core: &Core, control: u64) {
        (self.sizes.lmem_words, self.sizes.address_mask) =
            (core.lmem_words(), core.address_mask().into());
        self.sizes.n_shared = (Storage::Shared.info().count)(core);
        self.present = Present::of_core(core);
        self.context.reversed = table(tables::reversed(core));
        self.context.mxcsr = mxcsr::of_rounding(control);
        self.change();
        self.is_checked = false;
    }

    /// Makes room for this many notes.
    pub(crate) fn reserve_notes(&mut self, notes: usize) {
        self.notes.resize(notes.max(self.notes.len()), 0);
    }

    fn change(&mut self) {
        self.state.0 += 1;
    }

    /// Returns about how often code was run: the number of states that there were.
    #[cfg(test)]
    pub(crate) fn n_states(&self) -> u64 {
        self.state.0
    }

    /// Returns the registers.
    pub(crate) fn live(&self) -> &Live {
        &self.context.live
    }

    /// Returns the numbers of registers that the core has.
    pub(crate) fn present(&self) -> Present {
        self.present
    }

    /// Sets what `check_dma` reads from now on.
    pub(crate) fn set_answer(&mut self, answer: u64) {
        self.context.answer = answer;
    }

    /// Returns shared memory; nothing on a core without it.
    pub(crate) fn shared(&self) -> &[u64] {
        &self.shared[..self.sizes.n_shared]
    }

    /// Returns shared memory, to be loaded.
    pub(crate) fn shared_mut(&mut self) -> &mut [u64] {
        &mut self.shared[..self.sizes.n_shared]
    }

    /// Returns the values under way.
    pub(crate) fn pending(&self) -> &[Vector; PENDING] {
        &self.context.pending
    }

    /// Returns all registers and the values under way, to be loaded. [`Executor::check`] has to follow.
    pub(crate) fn load(&mut self) -> (&mut Live, &mut [Vector; PENDING]) {
        self.change();
        self.is_checked = false;
        let Context { live, pending, .. } = &mut *self.context;
        (live, pending)
    }

    /// Finds out whether address registers are in local memory, without which nothing is run.
    pub(crate) fn check(&mut self) -> bool {
        let Live { a, n, m, sa, qa, .. } = &self.context.live;
        let [own, shared] = [sa, qa].map(|all| all.iter().flat_map(|sections| sections.0));
        self.is_checked = [a, n, m].into_iter().flatten().all(|&x| x <= self.sizes.address_mask)
            && own.into_iter().all(|x| x <= self.sizes.address_mask.into())
            && shared.into_iter().all(|x| x < SHARED_WORDS as u64);
        self.is_checked
    }

    /// Returns the registers that decide on no address, and so not on what fits.
    pub(crate) fn vectors(&mut self) -> VectorRegisters<'_> {
        let Context { live: Live { fpr, cc, .. }, pending, .. } = &mut *self.context;
        VectorRegisters { fpr, cc, pending }
    }

    /// Forgets the undo log and the notes.
    pub(crate) fn begin_epoch(&mut self) {
        (self.used.n_undo, self.used.n_notes) = (0, 0);
    }

    /// Returns the number of entries of the undo log in use.
    pub(crate) fn n_undo(&self) -> usize {
        self.used.n_undo
    }

    /// Returns the number of stores that the undo log still takes.
    pub(crate) fn undo_room(&self) -> usize {
        ENTRIES - self.used.n_undo
    }

    /// Returns what stores have overwritten, from one entry to another: the first word in local memory, and the words.
    pub(crate) fn overwritten(
        &self,
        entries: std::ops::Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (usize, &[Quad])> {
        self.undo[entries].iter().map(|entry| {
            let words = if entry.place & 1 == 1 { 1 } else { 2 };
            let first = (entry.place - self.lmem) as usize / size_of::<Quad>();
            (first, &entry.words[..words])
        })
    }

    /// Returns the byte offsets of the accesses that code has noted.
    pub(crate) fn notes(&self) -> &[u32] {
        &self.notes[..self.used.n_notes]
    }

    /// Returns the number of vectors of operands that can be kept.
    pub(crate) fn operand_places(&self) -> usize {
        self.operands.len()
    }

    /// Returns operands that code has kept.
    pub(crate) fn operands(&self, places: std::ops::Range<usize>) -> &[Vector] {
        &self.operands[places]
    }

    /// Moves operands to another place.
    pub(crate) fn move_operands(&mut self, from: std::ops::Range<usize>, to: usize) {
        self.operands.copy_within(from, to);
    }

    /// Returns the evidence that a block fits the registers as they are; `None` if it does not.
    #[inline]
    pub(crate) fn fit(&self, code: &MachineCode) -> Option<Fit> {
        let contract = code.contract();
        let is_known = self.is_checked
            && contract.lmem_words == self.sizes.lmem_words
            && code.native_isa() <= self.native_isa
            && contract.guards.hold(&self.context.live);
        is_known.then(|| Fit { state: self.state, code: code.first() })
    }

    /// Admits a block that fits for so many passes at most, at least one.
    #[inline]
    pub(crate) fn admit(&self, code: &MachineCode, fit: Fit, most: u64) -> Admission {
        let contract = code.contract();
        let passes = if contract.repeats {
            let room = self.undo_room().checked_div(contract.undos).map_or(u64::MAX, |n| n as u64);
            most.min(room).max(1).min(contract.guards.passes(&self.context.live))
        } else {
            1
        };
        Admission { fit, passes }
    }

    /// Runs a block as admitted on local memory, and lets it keep operands from this place on. Returns the exceptions of the
    /// native machine that the block raised.
    ///
    /// # Panics
    /// If the block was admitted for other registers, or there is no room for what it writes.
    #[allow(unsafe_code, reason = "machine code is called through a raw pointer")]
    pub(crate) fn run(
        &mut self,
        code: &MachineCode,
        Admission { fit, passes }: Admission,
        lmem: &mut [Quad],
        first: usize,
    ) -> u32 {
        let contract = code.contract();
        let (n_undo, n_notes) =
            (contract.undos * passes as usize, contract.notes * passes as usize);
        assert!(fit == Fit { state: self.state, code: code.first() }, "a block that does not fit");
        assert!(lmem.len() == contract.lmem_words, "a block for another local memory");
        assert!(
            n_undo <= self.undo.len() - self.used.n_undo
                && n_notes <= self.notes.len() - self.used.n_notes
                && first + contract.tail_slots <= self.operands.len(),
            "no room for what a block writes"
        );
        self.change();
        let context = &mut *self.context;
        self.lmem = address(lmem);
        context.lmem = self.lmem;
        context.undo = address(&mut self.undo[self.used.n_undo..]);
        context.notes = address(&mut self.notes[self.used.n_notes..]);
        context.tail = address(&mut self.operands[first..]);
        context.shared = address(&mut self.shared);
        if let Some(inverse) = contract.coefficients {
            context.coefficients = table(tables::coefficients(inverse));
        }
        context.passes = passes;
        (self.used.n_undo, self.used.n_notes) =
            (self.used.n_undo + n_undo, self.used.n_notes + n_notes);
        // SAFETY: `code` is a whole function of this type for this native machine; see the header of this file for
        // what it reads and writes, all of which is checked above, owned by `self`, lent, or static.
        unsafe {
            let first = std::ptr::with_exposed_provenance::<u8>(code.first());
            let entry =
                std::mem::transmute::<*const u8, unsafe extern "sysv64" fn(*mut Context)>(first);
            entry(context);
        }
        context.raised
    }
}

/// Returns the native machine's counter of time stamps; 0 where the processor is no x86-64.
pub(crate) fn time_stamp() -> u64 {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "the counter is read by an instruction")]
    // SAFETY: every x86-64 processor has the instruction, which touches no memory.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}
