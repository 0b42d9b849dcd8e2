//! The exchange operations: what each reads, and what it does to registers, memory and flow. The
//! cycle in which a register write is seen is the pipeline's business.

use super::access::{MovedHalves, largest, own_addresses, step_sections, step_shared};
use super::fault::FaultKind;
use super::flow::{self, FlowRequest};
use super::pipeline::{Landing, Pipeline, sections};
use crate::state::{Quad, State, status};
use cp2_isa::rules::{address, flow as rules};
use cp2_isa::{
    Address, BundleAddress, Core, CountOperand, Cycle, Effects, Exch, FprTransfer, Halves, Inst,
    MemoryAccess, MoveReg, Permutation, PermutedWord, RegFile, SECTIONS, Section, StorageCell,
    Unit, WordAddress, control,
};

/// The values that an exchange operation has read at its issue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    /// Value of the scalar source.
    pub(super) scalar: u64,
    /// Values of the FPR and, for a pair, of the next one.
    pub(super) quads: [Quad; 2],
}

/// The place and the cycle in which an exchange operation executes.
pub(super) struct Context<'a> {
    pub(super) state: &'a mut State,
    pub(super) pipeline: &'a mut Pipeline,
    pub(super) core: &'a Core,
    pub(super) cycle: Cycle,
    pub(super) issue: Issue,
    /// State of the DMA channel as `check_dma` reads it.
    pub(super) dma_state: u64,
}

/// The parts of its own bundle that an exchange operation sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issue {
    /// Address of the bundle.
    pub(super) pc: BundleAddress,
    /// Address of the bundle that issues next: PC as `move` reads it.
    pub(super) next_pc: BundleAddress,
    /// Sections that the predicate enables.
    pub(super) enabled: u8,
    /// STATUS as `move` reads it, with the flags that the bundle itself raises.
    pub(super) status: u64,
    /// RIND as `move` reads it, behind the step of the bundle itself.
    pub(super) rind: u16,
}

/// The effects of an exchange operation, for statistics, trace and flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) request: FlowRequest,
    /// First word of the access to local memory; that of section 0 where each section has a word of its own.
    pub(super) word: Option<WordAddress>,
    /// First words of the access of the sections, where each section has a word of its own.
    pub(super) own: Option<[WordAddress; SECTIONS]>,
    /// Values written: to FPRs or to memory, in order.
    pub(super) quads: [Quad; 2],
    /// Value written to a scalar register.
    pub(super) scalar: u64,
    pub(super) stop: bool,
    pub(super) sync: bool,
    pub(super) start_dma: bool,
}

const ALL: u8 = 0xf;

impl Context<'_> {
    /// Reads the general register that a control operation names, as one that sees writes after `distance` cycles.
    fn gpr(&self, inst: &Inst<Exch>, distance: u32) -> u64 {
        let number = inst.gpr().unwrap_or_default();
        self.pipeline.gpr(self.cycle, number, distance, self.state)
    }

    /// Reads every operand, before anything of the bundle takes effect.
    pub(super) fn read(&self, inst: &Inst<Exch>) -> Read {
        let unit = inst.op.row().unit;
        let scalar = match unit {
            Unit::Scalar if matches!(inst.op, Exch::Setsa | Exch::Setq) => self.gpr(inst, 1),
            Unit::Scalar => inst.moved().map_or(0, |(_, from)| self.register(from)),
            Unit::ToFpr => inst.fpr_transfer().map_or(0, |t| self.register(t.scalar)),
            Unit::FromFpr => match inst.largest() {
                Some((_, register, half)) => largest(&self.state.fpr[register as usize], half),
                None => inst.fpr_transfer().map_or(0, |t| self.section_of_fpr(&t)),
            },
            Unit::Dma => self.dma_state,
            Unit::Loop => self.gpr(inst, self.core.latencies().gpr_to_loop),
            Unit::Stop => self.gpr(inst, self.core.latencies().gpr_to_stop),
            Unit::Jump => self.gpr(inst, 1),
            _ => 0,
        };
        let quads = match unit {
            Unit::Store => self.stored(inst),
            Unit::Permute => self.permuted(inst),
            _ => None,
        };
        Read { scalar, quads: quads.unwrap_or_default() }
    }

    /// Returns the FPRs that a store takes.
    fn stored(&self, inst: &Inst<Exch>) -> Option<[Quad; 2]> {
        let fpr = |n: i32| self.state.fpr[n as usize];
        if let Some(access) = inst.shared_access() {
            return Some([fpr(access.register), Quad::default()]);
        }
        let MemoryAccess { register, words, .. } = inst.memory_access()?;
        Some([fpr(register), if words == 2 { fpr(register + 1) } else { Quad::default() }])
    }

    /// Returns the FPRs that a permutation takes.
    fn permuted(&self, inst: &Inst<Exch>) -> Option<[Quad; 2]> {
        let Permutation { from, .. } = inst.permutation()?;
        let bypassed = |n: i32| self.pipeline.bypassed(self.cycle, n as u8, self.state);
        Some([bypassed(from), bypassed(from + 1)])
    }

    fn section_of_fpr(&self, transfer: &FprTransfer) -> u64 {
        let section = transfer.section.unwrap_or_default();
        self.state.fpr[transfer.register as usize][section.index()]
    }

    /// Executes an exchange operation, but for its effect on the flow, which was done before and has asked for `request`.
    pub(super) fn execute(&mut self, inst: &Inst<Exch>, read: Read, request: FlowRequest) -> Done {
        use Exch::*;
        let mut done = Done {
            request,
            word: None,
            own: None,
            quads: read.quads,
            scalar: read.scalar,
            stop: false,
            sync: false,
            start_dma: false,
        };
        match inst.op {
            Nop => {}
            Move => self.move_scalar(inst, read.scalar),
            Clr => self.clear(inst),
            Seti => self.set_immediate(inst, &mut done),
            Updaddr | Updaddrnp | Updaddrnm => {
                self.access(inst.address());
            }
            Lwi | Lwo | Lwnp | Lwnm | Ldi | Ldo | Ldnp | Ldnm | Swi | Swo | Swnp | Swnm | Sdi
            | Sdo | Sdnp | Sdnm | Lhi | Lho | Lhnp | Lhnm | Shi | Sho | Shnp | Shnm | Lhgnp
            | Lhgnm | Shgnp | Shgnm | Lh32np | Lh32nm | Sh32np | Sh32nm | Clwi | Clwo | Clwnp
            | Clwnm | Cldi | Cldo | Cldnp | Cldnm | Cswi | Cswo | Cswnp | Cswnm | Csdi | Csdo
            | Csdnp | Csdnm | Lwsa | Ldsa | Swsa | Sdsa | Mlwsa | Mldsa | Mswsa | Msdsa | Lwfa => {
                self.memory(inst, &mut done);
            }
            Setsa => {
                let address = WordAddress(read.scalar as u16 & self.core.address_mask());
                self.state.sa[usize::from(inst.values[0] as u8)] = [address; SECTIONS];
            }
            Mtsa => {
                if let Some((set, register, half)) = inst.section_addresses() {
                    self.state.sa[usize::from(set)] = self.own_addresses(register, half);
                }
            }
            Setq => {
                let address = address::shared_word(read.scalar as i32);
                self.state.qa[usize::from(inst.values[0] as u8)] = address;
            }
            Lqi | Lqo | Lqbi | Lqbo | Sqi | Sqo | Sqsi | Sqso => {
                self.shared_memory(inst, &mut done);
            }
            Mtfpr => self.move_to_fpr(inst, &mut done),
            Mffpr => self.move_from_fpr(inst, read.scalar),
            CheckDma | Mxfpr => {
                self.set_gpr(inst.gpr().unwrap_or_default(), read.scalar);
            }
            StartDma => done.start_dma = true,
            Psprmsgn0 | Psprmsgn1 => self.permute(inst, &mut done),
            Stopi => self.stop(inst.values[0] as u64, &mut done),
            Stop => self.stop(read.scalar, &mut done),
            Sync => done.sync = true,
            Runi | Run | Doi | Do | Calli | Call | Jumpi | Jump | Ret | Enddo => {}
        }
        done
    }

    /// Does the effects of an operation on loops and calls, and returns where it sends the flow. On an error nothing has
    /// changed.
    pub(super) fn flow(
        &mut self,
        inst: &Inst<Exch>,
        scalar: u64,
    ) -> Result<FlowRequest, FaultKind> {
        let pc = self.issue.pc;
        if let Some((count, end)) = inst.hardware_loop() {
            flow::check_loop(self.core, pc, end, self.state.loops.last())?;
            let count = match count {
                CountOperand::Immediate(count) => count,
                CountOperand::Gpr(_) => rules::loop_count(scalar),
            };
            return Ok(flow::start_loop(self.core, self.state, pc, count, end));
        }
        // Immediate targets are bundles of the core, or the word would not have been decoded.
        let target = || match inst.target() {
            Some(target) => Ok(target),
            None => flow::target(self.core, scalar),
        };
        Ok(match inst.op {
            Exch::Calli | Exch::Call => {
                let to = target()?;
                flow::call(self.core, self.state, pc, to)
            }
            Exch::Jumpi | Exch::Jump => FlowRequest::Jump(target()?),
            Exch::Ret => flow::ret(self.state),
            Exch::Enddo => {
                flow::leave_loop(self.state);
                FlowRequest::None
            }
            Exch::Runi | Exch::Run => return Err(FaultKind::RunInKernel),
            _ => FlowRequest::None,
        })
    }

    fn stop(&mut self, code: u64, done: &mut Done) {
        self.state.stopcode = code;
        done.scalar = code;
        done.stop = true;
    }

    /// Returns a register as `move` and `mtfpr` read it.
    fn register(&self, MoveReg { file, number }: MoveReg) -> u64 {
        match file.storage() {
            Some(storage) => self.state.at(StorageCell {
                storage,
                number: number.into(),
                section: Section::FIRST,
            }),
            None => match number {
                control::PC => self.issue.next_pc.into(),
                control::STATUS => self.issue.status,
                control::RIND => self.issue.rind.into(),
                _ => self.state.control_register(number),
            },
        }
    }

    fn move_scalar(&mut self, inst: &Inst<Exch>, value: u64) {
        let Some((to, from)) = inst.moved() else { return };
        if from == MoveReg::COMM {
            self.plan_mailbox(status::COMM_K64, 0);
        }
        self.set_register(to, value);
        match to {
            MoveReg::COMM => self.plan_mailbox(0, status::COMM_CP2),
            MoveReg::STATUS => self.pipeline.overrule_status_flags(self.cycle),
            _ => {}
        }
    }

    /// Plans what the host and later bundles see of an access of COMM.
    fn plan_mailbox(&mut self, clear: u64, set: u64) {
        let visible = self.cycle + u64::from(self.core.latencies().comm_to_status);
        self.pipeline.plan_status(visible, Landing::Mailbox { clear, set });
    }

    fn set_register(&mut self, reg: MoveReg, value: u64) {
        let n = usize::from(reg.number);
        let narrow = value as u16 & self.core.address_mask();
        match reg.file {
            RegFile::Gpr => self.set_gpr(reg.number, value),
            RegFile::Ireg => self.state.ireg[n] = value,
            RegFile::A => self.state.a[n] = WordAddress(narrow),
            RegFile::N => self.state.n[n] = narrow,
            RegFile::M => self.state.m[n] = narrow,
            RegFile::Control => {
                self.state.set_control_register(self.core, reg.number, value);
            }
        }
    }

    fn set_gpr(&mut self, number: u8, value: u64) {
        let register = &mut self.state.gpr[usize::from(number)];
        self.pipeline.log_scalar(self.cycle, number, *register);
        *register = value;
    }

    fn set_immediate(&mut self, inst: &Inst<Exch>, done: &mut Done) {
        let Some((reg, value)) = inst.set_immediate() else { return };
        self.set_register(reg, value.into());
        done.scalar = value.into();
    }

    fn clear(&mut self, inst: &Inst<Exch>) {
        let k = usize::from(inst.cleared_set().unwrap_or_default());
        self.state.a[k] = WordAddress::default();
        (self.state.n[k], self.state.m[k]) = (1, self.core.address_mask());
    }

    /// Returns the addresses in a half of an FPR, one of each section.
    pub(super) fn own_addresses(&self, register: i32, half: Halves) -> [WordAddress; SECTIONS] {
        own_addresses(self.core, &self.state.fpr[register as usize], half)
    }

    /// Returns the word addresses that an operation accesses, one of each section, where each section has its own. The
    /// addresses of a set step in the enabled sections.
    fn own(&mut self, address: Address, enabled: u8) -> Option<[WordAddress; SECTIONS]> {
        match address {
            Address::Sections { set, offset } => {
                let addresses = &mut self.state.sa[usize::from(set)];
                Some(step_sections(self.core, addresses, offset, enabled))
            }
            Address::Fpr { register, half } => Some(self.own_addresses(register, half)),
            Address::Word(_) | Address::Set { .. } => None,
        }
    }

    /// Returns the word address that an operation accesses, and steps An.
    fn access(&mut self, address: Option<Address>) -> WordAddress {
        match address {
            Some(Address::Word(word)) => word,
            Some(Address::Set { set, step }) => {
                let k = usize::from(set);
                let before = self.state.a[k];
                let words = address::words(step, self.state.n[k]);
                self.state.a[k] = address::stepped(self.core, before, words, self.state.m[k]);
                before
            }
            Some(Address::Sections { .. } | Address::Fpr { .. }) | None => WordAddress::default(),
        }
    }

    /// Executes a load or a store.
    fn memory(&mut self, inst: &Inst<Exch>, done: &mut Done) {
        let Some(access) = inst.memory_access() else { return };
        let predicated = inst.op.row().effects.contains(Effects::PREDICATED);
        let enabled = if predicated { self.issue.enabled } else { ALL };
        if let Some(own) = self.own(access.address, enabled) {
            let words = u16::from(access.words);
            let own = own.map(|at| address::first_word(at, words));
            return self.own_memory(&access, own, enabled, done);
        }
        let at = self.access(Some(access.address));
        let first = access.first_word(self.core, at);
        let moved = MovedHalves::by(&access, at, |n| self.state.gpr[usize::from(n)]);
        for k in 0..u16::from(access.words) {
            let (word, quad) = (first.plus(k).index(), &mut done.quads[usize::from(k)]);
            let stored = &mut self.state.lmem[word];
            if access.is_store {
                sections(enabled).for_each(|s| stored[s] = moved.stored(quad[s], stored[s]));
                *quad = *stored;
            } else {
                *quad = stored.map(|word| moved.loaded(word));
                let reg = access.register as u8 + k as u8;
                let value = *quad;
                self.land_loaded(reg, moved.register, value, enabled);
            }
        }
        done.word = Some(first);
    }

    /// Executes a load or a store of whole words, from an own address on in each section. Disabled sections store nothing,
    /// and load 0.
    fn own_memory(
        &mut self,
        access: &MemoryAccess,
        own: [WordAddress; SECTIONS],
        enabled: u8,
        done: &mut Done,
    ) {
        for k in 0..u16::from(access.words) {
            let (words, quad) =
                (own.map(|word| word.plus(k).index()), &mut done.quads[usize::from(k)]);
            if access.is_store {
                sections(enabled).for_each(|s| self.state.lmem[words[s]][s] = quad[s]);
                *quad = std::array::from_fn(|s| self.state.lmem[words[s]][s]);
            } else {
                *quad = Quad::default();
                sections(enabled).for_each(|s| quad[s] = self.state.lmem[words[s]][s]);
                let reg = access.register as u8 + k as u8;
                self.land_loaded(reg, Halves::BOTH, *quad, ALL);
            }
        }
        (done.word, done.own) = (Some(own[0]), Some(own));
    }

    /// Executes a load from shared memory, or a store to it.
    fn shared_memory(&mut self, inst: &Inst<Exch>, done: &mut Done) {
        let Some(access) = inst.shared_access() else { return };
        let first = step_shared(&mut self.state.qa, access.address);
        let places = access.places(first).map(WordAddress::index);
        let quad = &mut done.quads[0];
        if access.is_store {
            for section in access.sections().iter().map(Section::index) {
                self.state.shared[places[section]] = quad[section];
            }
        } else {
            *quad = places.map(|place| self.state.shared[place]);
            let value = *quad;
            self.land_loaded(access.register as u8, Halves::BOTH, value, ALL);
        }
    }

    /// Plans the write of what a load has read.
    fn land_loaded(&mut self, reg: u8, halves: Halves, value: Quad, enabled: u8) {
        let landing = Landing::Fpr { reg, halves, value, from_load: true };
        let distance = self.core.latencies().load;
        self.pipeline.plan(self.cycle + u64::from(distance), enabled, landing);
    }

    /// Plans the write of an FPR in the enabled sections.
    fn plan_fpr(&mut self, reg: u8, value: Quad, distance: u32, enabled: u8) {
        let landing = Landing::Fpr { reg, halves: Halves::BOTH, value, from_load: false };
        self.pipeline.plan(self.cycle + u64::from(distance), enabled, landing);
    }

    fn move_to_fpr(&mut self, inst: &Inst<Exch>, done: &mut Done) {
        let Some(FprTransfer { register, section, .. }) = inst.fpr_transfer() else { return };
        let enabled = section.map_or(ALL, |section| 1 << section.index());
        done.quads[0] = [done.scalar; SECTIONS];
        let distance = self.core.latencies().to_fpr;
        self.plan_fpr(register as u8, done.quads[0], distance, enabled);
    }

    fn move_from_fpr(&mut self, inst: &Inst<Exch>, value: u64) {
        if let Some(transfer) = inst.fpr_transfer() {
            self.set_register(transfer.scalar, value);
        }
    }

    fn permute(&mut self, inst: &Inst<Exch>, done: &mut Done) {
        let Some(permutation) = inst.permutation() else { return };
        let sources = done.quads;
        let word = |s: usize, word: PermutedWord| {
            let register = sources[word.register][s];
            let high = word.half == Halves::HI;
            let half = (if high { register >> 32 } else { register }) as u32;
            u64::from(half ^ if word.is_flipped { 1 << 31 } else { 0 })
        };
        for (k, &[lo, hi]) in permutation.words.as_chunks::<2>().0.iter().enumerate() {
            let value = std::array::from_fn(|s| word(s, lo) | word(s, hi) << 32);
            let distance = self.core.latencies().permute;
            let reg = permutation.to as u8 + k as u8;
            self.plan_fpr(reg, value, distance, self.issue.enabled);
            done.quads[k] = value;
        }
    }
}
