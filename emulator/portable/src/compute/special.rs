//! Bundles that are more than data: flow of control, `stop`, control registers, the channel, `sync`, `mfc`, `mtc`.

use crate::decode::{DecodedProgram, Exchange};
use crate::hot::Hot;
use crate::ring::ALL;
use crate::{exchange, straight};
use cp2_emu::Cp2;
use cp2_emu::arith::{Flags, Rounding};
use cp2_emu::cp2::FaultKind;
use cp2_emu::cp2::seam::{self, Landing};
use cp2_emu::state::{Quad, State, status};
use cp2_isa::rules::flags;
use cp2_isa::rules::flow::{self as rules, FlowRequest};
use cp2_isa::{
    Arith, BundleAddress, CountOperand, Creg, Exch, Inst, MoveReg, RegFile, Unit, control,
};
use pulp::Arch;

/// Executes the bundle at PC, which was decoded. On an error nothing has changed.
pub(crate) fn execute(
    arch: Arch,
    hot: &mut Hot,
    code: &DecodedProgram,
    cp2: &mut Cp2,
) -> Result<(), FaultKind> {
    let pc = cp2.state.pc;
    let bundle = code.bundle(pc.index());
    let position = hot.flow.position;
    let state = &mut cp2.state;
    let inst = &bundle.exch;
    seam::check_place(inst.op.row(), pc, position, state.loops.last())?;
    let flow = Jump::of(hot, pc, inst, state)?;
    hot.land_due(state, code);
    hot.land();
    let next = rules::next_address(pc, position);
    let decision = seam::decide(state, pc, position);
    match bundle.arith.op {
        Arith::Mfc => move_from_control(hot, code, state, pc.index()),
        Arith::Mtc => move_to_control(hot, code, pc.index()),
        Arith::Nop => {}
        _ => straight::arithmetic(arch, hot, code, state, pc.index()),
    }
    let request = flow.begin(hot, pc, state);
    let step = &code.steps[pc.index()];
    if step.exchange == Exchange::Special {
        effects(hot, inst, cp2, next);
    }
    exchange::execute(hot, code, &mut cp2.state, step, pc.index());
    hot.flow.cycle += 1;
    hot.counts.issued(pc.index(), 1, 1);
    hot.flow.position = rules::next_position(decision, request);
    cp2.state.pc = next;
    Ok(())
}

/// Change of the flow of control that a bundle asks for.
#[derive(Clone, Copy, Debug)]
enum Jump {
    None,
    Loop(u32, BundleAddress),
    Leave,
    Call(BundleAddress),
    To(BundleAddress),
    Return,
}

impl Jump {
    /// Returns the change of flow that an operation asks for, or the reason why it is refused.
    fn of(
        hot: &Hot,
        pc: BundleAddress,
        inst: &Inst<Exch>,
        state: &State,
    ) -> Result<Self, FaultKind> {
        let distance = match inst.op.row().unit {
            Unit::Loop => hot.core.latencies().gpr_to_loop,
            _ => 1,
        };
        let gpr = || hot.gpr(inst.gpr().unwrap_or_default(), distance, state);
        if let Some((count, end)) = inst.hardware_loop() {
            seam::check_loop(&hot.core, pc, end, state.loops.last())?;
            let count = match count {
                CountOperand::Immediate(count) => count,
                CountOperand::Gpr(_) => rules::loop_count(gpr()),
            };
            return Ok(Self::Loop(count, end));
        }
        let target = || match inst.target() {
            Some(target) => Ok(target),
            None => seam::target(&hot.core, gpr()),
        };
        Ok(match inst.op {
            Exch::Calli | Exch::Call => Self::Call(target()?),
            Exch::Jumpi | Exch::Jump => Self::To(target()?),
            Exch::Ret => Self::Return,
            Exch::Enddo => Self::Leave,
            Exch::Run | Exch::Runi => return Err(FaultKind::RunInKernel),
            _ => Self::None,
        })
    }

    fn begin(self, hot: &Hot, pc: BundleAddress, state: &mut State) -> FlowRequest {
        match self {
            Self::None => FlowRequest::None,
            Self::Loop(count, end) => seam::start_loop(&hot.core, state, pc, count, end),
            Self::Call(to) => seam::call(&hot.core, state, pc, to),
            Self::To(to) => FlowRequest::Jump(to),
            Self::Return => seam::ret(state),
            Self::Leave => {
                seam::leave_loop(state);
                FlowRequest::None
            }
        }
    }
}

/// Executes the exchange operations that `exchange` does not, but for the flow of control.
fn effects(hot: &mut Hot, inst: &Inst<Exch>, cp2: &mut Cp2, next: BundleAddress) {
    match inst.op {
        Exch::Move => {
            let Some((to, from)) = inst.moved() else { return };
            let value = read(from, cp2, next);
            if from == MoveReg::COMM {
                plan_mailbox(hot, status::COMM_K64, 0);
            }
            write(hot, to, value, &mut cp2.state);
            match to {
                MoveReg::COMM => plan_mailbox(hot, 0, status::COMM_CP2),
                // It lands with what is first seen in the next cycle, and is the later one.
                MoveReg::STATUS => {
                    let next = hot.flow.cycle + 1;
                    hot.flow.rare.retain(|result| {
                        result.visible.0 != next
                            || !matches!(result.landing, Landing::StatusFlags(_))
                    });
                }
                _ => {}
            }
        }
        Exch::Seti => {
            if let Some((to, value)) = inst.set_immediate() {
                write(hot, to, value.into(), &mut cp2.state);
            }
        }
        Exch::CheckDma => {
            let (file, number) = (RegFile::Gpr, inst.gpr().unwrap_or_default());
            exchange::set(hot, &mut cp2.state, MoveReg { file, number }, cp2.dma_state);
        }
        Exch::StartDma => cp2.dma_released = true,
        Exch::Sync => hot.flow.hold = u64::from(hot.core.latencies().sync) - 1,
        Exch::Stopi => stop(hot, cp2, inst.values[0] as u64),
        Exch::Stop => {
            let distance = hot.core.latencies().gpr_to_stop;
            let code = hot.gpr(inst.gpr().unwrap_or_default(), distance, &cp2.state);
            stop(hot, cp2, code);
        }
        _ => {}
    }
}

/// Ends the kernel.
fn stop(hot: &mut Hot, cp2: &mut Cp2, code: u64) {
    cp2.state.stopcode = code;
    cp2.end_kernel();
    hot.flow.hold = u64::from(hot.core.latencies().sync) - 1;
}

fn read(from: MoveReg, cp2: &Cp2, next: BundleAddress) -> u64 {
    match (from.file, from.number) {
        (RegFile::Control, control::PC) => next.into(),
        (RegFile::Control, control::STATUS) => cp2.status(),
        // It has been stepped by the other half.
        (RegFile::Control, control::RIND) => cp2.state.rind.into(),
        (RegFile::Control, number) => cp2.state.control_register(number),
        _ => exchange::get(&cp2.state, from),
    }
}

fn write(hot: &mut Hot, to: MoveReg, value: u64, state: &mut State) {
    if to.file == RegFile::Control {
        state.set_control_register(&hot.core, to.number, value);
        hot.flow.exactness.rounding = Rounding::of(state.control);
        hot.look_for_news(state);
    } else {
        exchange::set(hot, state, to, value);
    }
}

/// Plans the changes of STATUS by an access of COMM, which the host and later bundles see.
fn plan_mailbox(hot: &mut Hot, clear: u64, set: u64) {
    let visible = hot.flow.cycle + u64::from(hot.core.latencies().comm_to_status);
    hot.plan_rare(visible, 1, Landing::Mailbox { clear, set });
}

/// Executes `mfc`, which reads the register without what is under way.
fn move_from_control(hot: &mut Hot, code: &DecodedProgram, state: &mut State, at: usize) {
    let (step, inst) = (&code.steps[at], &code.bundle(at).arith);
    let flow = &mut hot.flow;
    flow.deferred.flush_until(flow.cycle + 1, &mut state.fcsr, code);
    let value: Quad = match inst.creg() {
        Some(Creg::Fccr) => std::array::from_fn(|s| u64::from(flow.codes >> (8 * s) & 0xff)),
        _ => state.fcsr.map(u64::from),
    };
    let enabled = masked(hot, step.arithmetic.code, at);
    hot.plan(step, enabled, &value, None);
}

/// Returns the sections that a condition code enables, and counts those in which the operation does not execute.
fn masked(hot: &mut Hot, code: u8, at: usize) -> u8 {
    let enabled = hot.enabled(code);
    if enabled != ALL {
        hot.counts.masked(at, enabled);
    }
    enabled
}

/// Executes `mtc`.
fn move_to_control(hot: &mut Hot, code: &DecodedProgram, at: usize) {
    let (step, inst) = (&code.steps[at], &code.bundle(at).arith);
    let enabled = masked(hot, step.arithmetic.code, at);
    let written = hot.flow.fpr[usize::from(step.arithmetic.d)];
    let value: Quad = std::array::from_fn(|s| if enabled >> s & 1 == 1 { written[s] } else { 0 });
    let fccr = inst.creg() == Some(Creg::Fccr);
    let visible = hot.flow.cycle + hot.distances.condition;
    hot.plan_rare(visible, enabled, Landing::Creg { fccr, value });
    if !fccr {
        let sticky = value.iter().fold(Flags::empty(), |all, &v| all | flags::sticky(v));
        hot.plan_rare(visible, 1, Landing::StatusFlags(sticky));
        hot.flow.exactness.exact_until = hot.flow.exactness.exact_until.max(visible);
        (hot.flow.exactness.fresh, hot.flow.exactness.is_usual) = (ALL, false);
    }
}
