//! Architectural state of CP2: registers and memories, as a program or the host can see them. What
//! is under way in the pipeline lives in `cp2::pipeline`.

use crate::instructions::Instructions;
use aligned_vec::{ABox, ConstAlign, avec};
use cp2_isa::{
    BundleAddress, BundleBits, Core, FPRS, SECTIONS, Section, Storage, StorageCell, WordAddress,
    control,
};
use serde::{Deserialize, Serialize};

use cp2_isa::bits::moved_to_control;

pub use cp2_isa::bits::{CONTROL_INVERSE, CONTROL_MASK, status};
pub use cp2_isa::rules::flags::FCSR_MASK;
pub use cp2_isa::rules::flow::ActiveLoop;
pub use cp2_isa::rules::rounding::MASK as CONTROL_ROUNDING;

/// Bytes of a line of the native machine's caches.
const LINE: usize = 64;

/// A word of 64 bits for each section: position s belongs to section s.
pub type Quad = [u64; SECTIONS];

/// State of one CP2: the contents of its registers and memories between two cycles. The lengths of the slices are the
/// sizes of its core. Results of operations that are still in flight are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Floating-point registers: position n holds register `fn` of each section.
    pub fpr: Box<[Quad]>,
    /// Local memory: position k holds the word at address k in each section. The slice begins at a line of the native
    /// machine's caches, of which two such positions fill one.
    #[serde(skip, default = "no_words")]
    pub lmem: ABox<[Quad], ConstAlign<LINE>>,
    /// Instruction memory: position k holds the encoded bundle at bundle address k. All sections execute the same
    /// bundles.
    #[serde(skip)]
    pub iram: Instructions,
    /// General registers g0 to g15, 64 bits each, which the sections share.
    pub gpr: [u64; 16],
    /// Address registers A: position k is the word address in local memory of address set `rk`.
    pub a: [WordAddress; 16],
    /// Step registers N: position k is the step in words that is added to address A of set `rk`, in as many bits as an
    /// address of local memory has.
    pub n: [u16; 16],
    /// Mode registers M: position k tells how the address of set `rk` steps (linear, bit-reversed or circular, see
    /// [`StepMode`](cp2_isa::rules::address::StepMode)).
    pub m: [u16; 16],
    /// Section addresses: position k holds, for each section, its own word address of set k. Empty on a core without
    /// the extension for addresses of sections.
    pub sa: Box<[[WordAddress; SECTIONS]]>,
    /// Shared memory: position k is the 64-bit word at address k, which all sections can access. Empty on a core
    /// without the extension for shared memory.
    pub shared: Box<[u64]>,
    /// Shared addresses: position k is the word address in shared memory of set k. Empty on a core without the
    /// extension for shared memory.
    pub qa: Box<[WordAddress]>,
    /// Index registers i0 to i15, 64 bits each, which the sections share. Descriptors of the DMA channel can take
    /// addresses and other numbers from their 32-bit halves.
    pub ireg: [u64; 16],
    /// Condition codes of each section: bit k is `cck`; bit 0 is always 1.
    pub fccr: [u8; SECTIONS],
    /// Floating-point status register FCSR of each section: the flags raised since they were cleared from bit 2 on, the
    /// flags of the latest operation (cause) from bit 12 on.
    pub fcsr: [u32; SECTIONS],
    /// Mailbox register COMM, 64 bits, between kernel and control processor.
    pub comm: u64,
    /// Register CONTROL, 32 bits: rounding mode, direction of Fourier transforms, requests to stop and to reset.
    pub control: u64,
    /// Stored bits of register STATUS. Its bits RUN, FF and FE follow the machine and are added by
    /// [`Cp2::status`](crate::Cp2::status).
    pub status: u64,
    /// Register RIND: angle of the next Fourier coefficient, in units of 1/65536 of a full turn.
    pub rind: u16,
    /// Register RSTEP: step that is added to RIND after each Fourier coefficient, in units of 1/65536 of a full turn.
    pub rstep: u16,
    /// Register RMASK: the bits of RIND that a step changes (1) or leaves as they are (0).
    pub rmask: u16,
    /// Register STOPCODE: the number that the latest `stop` gave to the host.
    pub stopcode: u64,
    /// Register PC: address of the bundle that issues next.
    pub pc: BundleAddress,
    /// Loop stack: the active hardware loops, the innermost one last.
    pub loops: Vec<ActiveLoop>,
    /// Call stack: the bundle addresses to which calls return, that of the latest call last.
    pub calls: Vec<BundleAddress>,
}

/// Returns an empty local memory, for states that are kept without it.
fn no_words() -> ABox<[Quad], ConstAlign<LINE>> {
    avec![[LINE]| [0; SECTIONS]; 0].into_boxed_slice()
}

impl Default for State {
    fn default() -> Self {
        Self::new(&Core::CP2)
    }
}

impl State {
    /// Returns the registers and memories of a core as they are after reset.
    pub fn new(core: &Core) -> Self {
        let mut state = Self::zero(core);
        for storage in Storage::ALL {
            let reset = (storage.info().reset)(core);
            if reset != 0 {
                for place in state.cells(storage) {
                    state.set_stored(place, reset);
                }
            }
        }
        state
    }

    fn zero(core: &Core) -> Self {
        Self {
            fpr: vec![[0; SECTIONS]; core.fprs()].into_boxed_slice(),
            lmem: avec![[LINE]| [0; SECTIONS]; core.lmem_words()].into_boxed_slice(),
            iram: Instructions::new(core.iram_bundles()),
            gpr: [0; 16],
            a: [WordAddress::default(); 16],
            n: [0; 16],
            m: [0; 16],
            sa: vec![Default::default(); (Storage::SectionA.info().count)(core)].into_boxed_slice(),
            shared: vec![0; (Storage::Shared.info().count)(core)].into_boxed_slice(),
            qa: vec![Default::default(); (Storage::SharedA.info().count)(core)].into_boxed_slice(),
            ireg: [0; 16],
            fccr: [0; SECTIONS],
            fcsr: [0; SECTIONS],
            comm: 0,
            control: 0,
            status: 0,
            rind: 0,
            rstep: 0,
            rmask: 0,
            stopcode: 0,
            pc: BundleAddress::default(),
            loops: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// Returns the number of registers or words of a kind (a [`Storage`], such as FPRs or local memory); in one
    /// section, where each section has its own. For a stack it is the number of entries in use.
    pub fn count(&self, storage: Storage) -> usize {
        match storage {
            Storage::Fpr => self.fpr.len(),
            Storage::Lmem => self.lmem.len(),
            Storage::Iram => self.iram.len(),
            Storage::IramUpper if self.fpr.len() > FPRS => self.iram.len(),
            Storage::IramUpper => 0,
            Storage::SectionA => self.sa.len(),
            Storage::Shared => self.shared.len(),
            Storage::SharedA => self.qa.len(),
            Storage::Loops => self.loops.len(),
            Storage::Calls => self.calls.len(),
            Storage::Gpr | Storage::A | Storage::N | Storage::M | Storage::Ireg => 16,
            Storage::Control
            | Storage::Rind
            | Storage::Rstep
            | Storage::Rmask
            | Storage::Status
            | Storage::Stopcode
            | Storage::Fccr
            | Storage::Fcsr
            | Storage::Comm
            | Storage::Pc => 1,
        }
    }

    /// Returns all registers or words of a kind, one for each section where each section has its own, in the order of
    /// numbers, then of sections.
    pub fn cells(&self, storage: Storage) -> impl Iterator<Item = StorageCell> + use<> {
        let layout = storage.info().layout;
        let numbers = 0..self.count(storage);
        numbers.flat_map(move |number| {
            layout.own_sections().map(move |section| StorageCell { storage, number, section })
        })
    }

    /// Returns whether this state has the register, or the word of a memory, that `place` names by its kind, number and
    /// section.
    pub fn has(&self, place: StorageCell) -> bool {
        place.number < self.count(place.storage)
            && place.section.index() < place.storage.info().layout.sections()
    }

    /// Returns the value of a register or word; `None` if this state has no such register or word.
    pub fn get(&self, place: StorageCell) -> Option<u64> {
        self.has(place).then(|| self.at(place))
    }

    /// Writes a value to a register or word and returns true; writes nothing and returns false if this state has no
    /// such register or word. Bits of the value that the register does not have on this core are dropped; bits that are
    /// always 1 stay 1.
    pub fn set(&mut self, core: &Core, place: StorageCell, value: u64) -> bool {
        let exists = self.has(place);
        if exists {
            self.set_stored(place, place.storage.fitted(core, value));
        }
        exists
    }

    /// Returns the value of a register or word that exists.
    pub(crate) fn at(&self, StorageCell { storage, number: k, section }: StorageCell) -> u64 {
        let s = section.index();
        // All fields, without `..`: one that no kind of the table shows does not compile.
        #[rustfmt::skip]
        let Self {
            fpr, lmem, iram, gpr, a, n, m, sa, shared, qa, ireg, fccr, fcsr,
            comm, control, status, rind, rstep, rmask, stopcode, pc, loops, calls,
        } = self;
        match storage {
            Storage::Fpr => fpr[k][s],
            Storage::Lmem => lmem[k][s],
            Storage::Iram => iram[k] as u64,
            Storage::IramUpper => (iram[k] >> 64) as u64,
            Storage::Gpr => gpr[k],
            Storage::A => a[k].into(),
            Storage::N => n[k].into(),
            Storage::M => m[k].into(),
            Storage::SectionA => sa[k][s].into(),
            Storage::Shared => shared[k],
            Storage::SharedA => qa[k].into(),
            Storage::Ireg => ireg[k],
            Storage::Fccr => fccr[s].into(),
            Storage::Fcsr => fcsr[s].into(),
            Storage::Comm => *comm,
            Storage::Control => *control,
            Storage::Status => *status,
            Storage::Rind => (*rind).into(),
            Storage::Rstep => (*rstep).into(),
            Storage::Rmask => (*rmask).into(),
            Storage::Stopcode => *stopcode,
            Storage::Pc => (*pc).into(),
            Storage::Loops => loops[k].packed(),
            Storage::Calls => calls[k].into(),
        }
    }

    fn set_stored(&mut self, StorageCell { storage, number: k, section }: StorageCell, value: u64) {
        let s = section.index();
        match storage {
            Storage::Fpr => self.fpr[k][s] = value,
            Storage::Lmem => self.lmem[k][s] = value,
            Storage::Iram => {
                self.iram[k] = self.iram[k] >> 64 << 64 | BundleBits::from(value);
            }
            Storage::IramUpper => {
                let low = self.iram[k] as u64;
                self.iram[k] = BundleBits::from(value) << 64 | BundleBits::from(low);
            }
            Storage::Gpr => self.gpr[k] = value,
            Storage::A => self.a[k] = WordAddress(value as u16),
            Storage::N => self.n[k] = value as u16,
            Storage::M => self.m[k] = value as u16,
            Storage::Shared => self.shared[k] = value,
            Storage::SharedA => self.qa[k] = WordAddress(value as u16),
            Storage::SectionA => self.sa[k][s] = WordAddress(value as u16),
            Storage::Ireg => self.ireg[k] = value,
            Storage::Fccr => self.fccr[s] = value as u8,
            Storage::Fcsr => self.fcsr[s] = value as u32,
            Storage::Comm => self.comm = value,
            Storage::Control => self.control = value,
            Storage::Status => self.status = value,
            Storage::Rind => self.rind = value as u16,
            Storage::Rstep => self.rstep = value as u16,
            Storage::Rmask => self.rmask = value as u16,
            Storage::Stopcode => self.stopcode = value,
            Storage::Pc => self.pc = BundleAddress(value as u16),
            Storage::Loops => self.loops[k] = ActiveLoop::from_packed(value),
            Storage::Calls => self.calls[k] = BundleAddress(value as u16),
        }
    }

    /// Returns the value of a control register as `move` reads it, given its number in the encoding of operations; 0
    /// for a number that no register has. LC and LA (count and addresses of a loop) are those of the innermost hardware
    /// loop, 0 without one. Not for STATUS, PC and RIND, whose values for `move` depend on the machine, the flow and
    /// the bundle.
    pub fn control_register(&self, number: u8) -> u64 {
        let innermost = self.loops.last().copied().unwrap_or_default();
        match number {
            control::PSP => self.calls.len() as u64,
            control::LC => u64::from(innermost.count),
            control::LA => innermost.la(),
            control::LSP => self.loops.len() as u64,
            _ => Storage::of_control(number).map_or(0, |storage| {
                self.at(StorageCell { storage, number: 0, section: Section::FIRST })
            }),
        }
    }

    /// Writes the control register with this number in the encoding as `move` does: only the bits that `move` can write
    /// change. LC and LA change the innermost hardware loop, if there is one. A write of PC, PSP, LSP, STOPCODE or of a
    /// number that no register has is ignored.
    pub fn set_control_register(&mut self, core: &Core, number: u8, value: u64) {
        match number {
            control::COMM => self.comm = value,
            control::CONTROL => {
                let moved = moved_to_control(core);
                self.control = self.control & !moved | value & moved;
            }
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
