//! The exchange operations: what each reads, and what it does to registers, memory and flow. The
//! cycle in which a register write is seen is the pipeline's business.

use super::fault::FaultKind;
use super::flow::{self, Request};
use super::pipeline::{Landing, Part, Pipeline};
use crate::state::{Quad, State, status};
use cp2_isa::rules::address::stepped;
use cp2_isa::{AddressForm, Core, Exch, Inst, Kind, MoveReg, RegFile, SECTIONS, control};

/// What an exchange operation has read at its issue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    /// Value of the scalar source.
    pub(super) scalar: u64,
    /// Values of the FPR and, for a pair, of the next one.
    pub(super) quads: [Quad; 2],
}

/// Where and when an exchange operation executes.
pub(super) struct Context<'a> {
    pub(super) state: &'a mut State,
    pub(super) pipeline: &'a mut Pipeline,
    pub(super) core: &'a Core,
    pub(super) cycle: u64,
    pub(super) issue: Issue,
    /// State of the DMA channel as `check_dma` reads it.
    pub(super) dma_state: u64,
}

/// What an exchange operation sees of its own bundle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issue {
    /// Address of the bundle.
    pub(super) pc: u16,
    /// Address of the bundle that issues next: PC as `move` reads it.
    pub(super) next_pc: u16,
    /// Sections that the predicate enables.
    pub(super) enabled: u8,
    /// STATUS as `move` reads it, with the flags that the bundle itself raises.
    pub(super) status: u64,
    /// RIND as `move` reads it, behind the step of the bundle itself.
    pub(super) rind: u16,
}

/// What an exchange operation has done, for statistics, trace and flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) request: Request,
    /// First word of the local memory access.
    pub(super) word: Option<u16>,
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
    fn gpr(&self, number: i32, distance: u32) -> u64 {
        self.pipeline.gpr(self.cycle, number as u8, distance, self.state)
    }

    /// Reads every operand, before anything of the bundle takes effect.
    pub(super) fn read(&self, inst: &Inst<Exch>) -> Read {
        let v = &inst.values;
        let fpr = |n: i32| self.state.fpr[n as usize];
        let scalar = |scalar| Read { scalar, ..Read::default() };
        match inst.op {
            Exch::Move => scalar(self.move_source(v[1])),
            Exch::Mtfpr => scalar(self.gpr_or_ireg(v[1])),
            Exch::CheckDma => scalar(self.dma_state),
            Exch::Do | Exch::Call => scalar(self.gpr(v[0], self.core.latencies().gpr_to_loop)),
            Exch::Jump => scalar(self.gpr(v[0], 1)),
            Exch::Stop => scalar(self.gpr(v[0], self.core.latencies().gpr_to_stop)),
            Exch::Mffpr => scalar(fpr(v[1])[v[2] as usize]),
            Exch::Swi | Exch::Swo | Exch::Swnp | Exch::Swnm => {
                Read { quads: [fpr(v[0]), Quad::default()], scalar: 0 }
            }
            Exch::Sdi | Exch::Sdo | Exch::Sdnp | Exch::Sdnm => {
                Read { quads: [fpr(v[0]), fpr(v[0] + 1)], scalar: 0 }
            }
            Exch::Psprmsgn0 | Exch::Psprmsgn1 => {
                let bypassed = |n: i32| self.pipeline.bypassed(self.cycle, n as u8, self.state);
                Read { quads: [bypassed(v[1]), bypassed(v[1] + 1)], scalar: 0 }
            }
            _ => Read::default(),
        }
    }

    /// Executes the operation, but for its flow, which asked for this.
    pub(super) fn execute(&mut self, inst: &Inst<Exch>, read: Read, request: Request) -> Done {
        let v = &inst.values;
        let mut done = Done {
            request,
            word: None,
            quads: read.quads,
            scalar: read.scalar,
            stop: false,
            sync: false,
            start_dma: false,
        };
        match inst.op {
            Exch::Nop => {}
            Exch::Move => self.move_scalar([v[0], v[1]], read.scalar),
            Exch::Clr => self.clear(v[0]),
            Exch::Seti => done.scalar = self.set_immediate(v[0], v[1] as u64),
            Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm => {
                self.access(inst);
            }
            Exch::Lwi | Exch::Lwo | Exch::Lwnp | Exch::Lwnm => self.load(inst, 1, &mut done),
            Exch::Ldi | Exch::Ldo | Exch::Ldnp | Exch::Ldnm => self.load(inst, 2, &mut done),
            Exch::Swi | Exch::Swo | Exch::Swnp | Exch::Swnm => self.store(inst, 1, &mut done),
            Exch::Sdi | Exch::Sdo | Exch::Sdnp | Exch::Sdnm => self.store(inst, 2, &mut done),
            Exch::Mtfpr => self.move_to_fpr(v[0], v[2], &mut done),
            Exch::Mffpr => self.set_gpr_or_ireg(v[0], read.scalar),
            Exch::CheckDma => self.set_gpr(v[0] as u8, read.scalar),
            Exch::StartDma => done.start_dma = true,
            Exch::Psprmsgn0 | Exch::Psprmsgn1 => self.permute(v, &mut done),
            Exch::Stopi => self.stop(v[0] as u64, &mut done),
            Exch::Stop => self.stop(read.scalar, &mut done),
            Exch::Sync => done.sync = true,
            Exch::Runi
            | Exch::Run
            | Exch::Doi
            | Exch::Do
            | Exch::Calli
            | Exch::Call
            | Exch::Jumpi
            | Exch::Jump
            | Exch::Ret
            | Exch::Enddo => {}
        }
        done
    }

    /// What the operation does to loops and calls, and where it sends the flow. On an error nothing
    /// has changed.
    pub(super) fn flow(&mut self, inst: &Inst<Exch>, scalar: u64) -> Result<Request, FaultKind> {
        let (v, pc) = (&inst.values, self.issue.pc);
        Ok(match inst.op {
            Exch::Doi | Exch::Do => {
                let end = v[1] as u16;
                flow::check_loop(self.core, pc, end, self.state.loops.last())?;
                let count = if inst.op == Exch::Doi { v[0] as u32 } else { scalar as u32 };
                flow::start_loop(self.core, self.state, pc, count, end)
            }
            Exch::Calli => flow::call(self.core, self.state, pc, v[0] as u16),
            Exch::Call => {
                let to = flow::target(self.core, scalar)?;
                flow::call(self.core, self.state, pc, to)
            }
            Exch::Jumpi => Request::Jump(v[0] as u16),
            Exch::Jump => Request::Jump(flow::target(self.core, scalar)?),
            Exch::Ret => flow::ret(self.state),
            Exch::Enddo => {
                flow::leave_loop(self.state);
                Request::None
            }
            Exch::Runi | Exch::Run => return Err(FaultKind::RunInKernel),
            _ => Request::None,
        })
    }

    fn stop(&mut self, code: u64, done: &mut Done) {
        self.state.stopcode = code;
        done.scalar = code;
        done.stop = true;
    }

    fn move_source(&self, packed: i32) -> u64 {
        let Some(MoveReg { file, number }) = MoveReg::from_packed(packed) else { return 0 };
        let n = usize::from(number);
        match file {
            RegFile::Gpr => self.state.gpr[n],
            RegFile::Ireg => self.state.ireg[n],
            RegFile::A => u64::from(self.state.a[n]),
            RegFile::N => u64::from(self.state.n[n]),
            RegFile::M => u64::from(self.state.m[n]),
            RegFile::Control => match number {
                control::PC => self.issue.next_pc.into(),
                control::STATUS => self.issue.status,
                control::RIND => self.issue.rind.into(),
                _ => self.state.control_register(number),
            },
        }
    }

    fn move_scalar(&mut self, [to, from]: [i32; 2], value: u64) {
        const COMM: MoveReg = MoveReg { file: RegFile::Control, number: control::COMM };
        let Some(to) = MoveReg::from_packed(to) else { return };
        if MoveReg::from_packed(from) == Some(COMM) {
            self.plan_mailbox(status::COMM_K64, 0);
        }
        self.set_register(to, value);
        match to {
            COMM => self.plan_mailbox(0, status::COMM_CP2),
            MoveReg { file: RegFile::Control, number: control::STATUS } => {
                self.pipeline.overrule_status_flags(self.cycle);
            }
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
            RegFile::A => self.state.a[n] = narrow,
            RegFile::N => self.state.n[n] = narrow,
            RegFile::M => self.state.m[n] = narrow,
            RegFile::Control => self.state.set_control_register(reg.number, value),
        }
    }

    fn set_gpr(&mut self, number: u8, value: u64) {
        let register = &mut self.state.gpr[usize::from(number)];
        self.pipeline.log_scalar(self.cycle, number, *register);
        *register = value;
    }

    fn gpr_or_ireg(&self, packed: i32) -> u64 {
        let n = packed as usize;
        if n < 16 { self.state.gpr[n] } else { self.state.ireg[n - 16] }
    }

    fn set_gpr_or_ireg(&mut self, packed: i32, value: u64) {
        if packed < 16 {
            self.set_gpr(packed as u8, value);
        } else {
            self.state.ireg[packed as usize - 16] = value;
        }
    }

    fn set_immediate(&mut self, packed: i32, value: u64) -> u64 {
        let file = RegFile::from_seti((packed >> 4) as u8);
        self.set_register(MoveReg { file, number: (packed & 15) as u8 }, value);
        value
    }

    fn clear(&mut self, set: i32) {
        let k = set as usize;
        (self.state.a[k], self.state.n[k], self.state.m[k]) = (0, 1, self.core.address_mask());
    }

    /// The word address that the operation accesses; An steps.
    fn access(&mut self, inst: &Inst<Exch>) -> u16 {
        let operands = inst.op.row().operands;
        for (operand, &value) in operands.iter().zip(&inst.values) {
            match operand.kind {
                Kind::WordAddress => return value as u16,
                Kind::Address(form) => {
                    let k = (value & 15) as usize;
                    let step = match form {
                        AddressForm::Offset => value >> 4,
                        AddressForm::PlusN => i32::from(self.state.n[k]),
                        AddressForm::MinusN => -i32::from(self.state.n[k]),
                    };
                    let address = self.state.a[k];
                    self.state.a[k] = stepped(self.core, address, step, self.state.m[k]);
                    return address;
                }
                _ => {}
            }
        }
        0
    }

    fn load(&mut self, inst: &Inst<Exch>, words: u16, done: &mut Done) {
        let address = self.access(inst) & !(words - 1);
        let visible = self.cycle + u64::from(self.core.latencies().load);
        for k in 0..words {
            let value = self.state.lmem[usize::from(address + k)];
            let reg = inst.values[0] as u8 + k as u8;
            let landing = Landing::Fpr { reg, part: Part::Whole, value, from_load: true };
            self.pipeline.plan(visible, ALL, landing);
            done.quads[usize::from(k)] = value;
        }
        done.word = Some(address);
    }

    fn store(&mut self, inst: &Inst<Exch>, words: u16, done: &mut Done) {
        let address = self.access(inst) & !(words - 1);
        for k in 0..words {
            self.state.lmem[usize::from(address + k)] = done.quads[usize::from(k)];
        }
        done.word = Some(address);
    }

    fn move_to_fpr(&mut self, reg: i32, section: i32, done: &mut Done) {
        let enabled = if section == 4 { ALL } else { 1 << section };
        done.quads[0] = [done.scalar; SECTIONS];
        let visible = self.cycle + u64::from(self.core.latencies().to_fpr);
        let landing = Landing::Fpr {
            reg: reg as u8,
            part: Part::Whole,
            value: done.quads[0],
            from_load: false,
        };
        self.pipeline.plan(visible, enabled, landing);
    }

    fn permute(&mut self, v: &[i32], done: &mut Done) {
        let sources = done.quads;
        let visible = self.cycle + u64::from(self.core.latencies().permute);
        for k in 0..2 {
            let word = |s: usize, select: i32| {
                let register = sources[(select >> 1 & 1) as usize][s];
                let half = (register >> (32 * (select & 1))) as u32;
                u64::from(half ^ if select & 4 != 0 { 1 << 31 } else { 0 })
            };
            let value =
                std::array::from_fn(|s| word(s, v[2 + 2 * k]) | word(s, v[3 + 2 * k]) << 32);
            let reg = v[0] as u8 + k as u8;
            let landing = Landing::Fpr { reg, part: Part::Whole, value, from_load: false };
            self.pipeline.plan(visible, self.issue.enabled, landing);
            done.quads[k] = value;
        }
    }
}
