//! Control flow: what may stand where, and which bundle issues next.

use super::exchange::exchange_code;
use super::machine::{Machine, STAGE_1};
use super::rules::Rule;
use super::status::Effect;
use cp2_emu::State;
use cp2_emu::state::ActiveLoop;
use cp2_isa::BundleAddress;
use cp2_isa::control;

const RET: u64 = 0x03;
const ENDDO: u64 = 0x04;
const SYNC: u64 = 0x05;
const STOPI: u64 = 0x08;
const STOP: u64 = 0x09;
const RUNI: u64 = 0x0a;
const RUN: u64 = 0x0b;
const DOI: u64 = 0x24;
const DO: u64 = 0x25;
const CALLI: u64 = 0x26;
const CALL: u64 = 0x27;
const JUMPI: u64 = 0x28;
const JUMP: u64 = 0x29;

const CALL_OVERFLOW: u64 = 1 << 23;
const CALL_UNDERFLOW: u64 = 1 << 24;
const LOOP_OVERFLOW: u64 = 1 << 25;
const LOOP_UNDERFLOW: u64 = 1 << 26;

/// Reason why a bundle has no meaning. Where several reasons hold, any may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaningless {
    Undefined,
    PastEnd,
    RunInKernel,
    ControlInSlot,
    ControlAtLoopEnd,
    SlotAtLoopEnd,
    EndBeforeStart,
    NotNested,
    TargetOutside,
}

impl Meaningless {
    pub(crate) const ALL: [Self; 9] = [
        Self::Undefined,
        Self::PastEnd,
        Self::RunInKernel,
        Self::ControlInSlot,
        Self::ControlAtLoopEnd,
        Self::SlotAtLoopEnd,
        Self::EndBeforeStart,
        Self::NotNested,
        Self::TargetOutside,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Undefined => "undefined bundle",
            Self::PastEnd => "flow past the last bundle",
            Self::RunInKernel => "run in a kernel",
            Self::ControlInSlot => "control operation in a delay slot",
            Self::ControlAtLoopEnd => "control operation at a loop's end",
            Self::SlotAtLoopEnd => "jump before a loop's end",
            Self::EndBeforeStart => "loop end before its start",
            Self::NotNested => "loop end behind that of the loop around it",
            Self::TargetOutside => "jump target outside",
        }
    }
}

/// State of the control flow: which bundle issues next, and why.
pub(super) struct Flow {
    /// Address of the bundle at hand.
    pub(super) pc: u32,
    /// Address of the bundle that issues after the one at hand.
    pub(super) next: u32,
    pub(super) loops: Vec<ActiveLoop>,
    pub(super) calls: Vec<u16>,
    /// Cycles for which `sync` still holds the issue.
    pub(super) hold: u32,
    /// Address to which the flow goes behind the next bundle, if that is nullified.
    pub(super) nullified: Option<u32>,
    /// Address to which the flow goes behind the next bundle, if that is a delay slot.
    after_slot: Option<u32>,
    /// Whether the bundle at hand stands at the end of a loop.
    at_end: bool,
    /// Whether the bundle before the one at hand stood at the end of a loop, so that this one is at `end` + 1.
    behind_end: bool,
    /// Whether the loop whose end was reached last has left the stack.
    over: bool,
    /// Cycle of the last operation that changed a stack.
    stack_changed: i64,
}

impl Flow {
    pub(super) fn new(state: &State, address: u16) -> Self {
        Self {
            pc: address.into(),
            next: address.into(),
            loops: state.loops.clone(),
            calls: state.calls.iter().map(|to| to.0).collect(),
            hold: 0,
            nullified: None,
            after_slot: None,
            at_end: false,
            behind_end: false,
            over: false,
            stack_changed: i64::MIN,
        }
    }
}

fn op2(word: u64) -> u64 {
    exchange_code(word)
}

fn imm13(word: u64) -> u32 {
    (word & 0x1fff) as u32
}

fn gs(word: u64) -> usize {
    (word >> 13 & 15) as usize
}

impl Machine<'_> {
    /// Refuses a bundle that the flow of control gives no meaning.
    pub(super) fn check_flow(&self, word: u64) -> Result<(), Meaningless> {
        let op = op2(word);
        let has_slot = matches!(op, RET | CALLI | CALL | JUMPI | JUMP);
        let is_loop = matches!(op, DOI | DO);
        if !has_slot && !is_loop && !matches!(op, ENDDO | SYNC | STOPI | STOP | RUNI | RUN) {
            return Ok(());
        }
        let pc = self.flow.pc;
        let innermost = self.flow.loops.last().map(|l| u32::from(l.end.0));
        let at_end = innermost.is_some_and(|end| pc == end || pc == end + 1);
        let reasons = [
            (matches!(op, RUNI | RUN), Meaningless::RunInKernel),
            // The bundle before this one is still what `at_end` speaks of.
            (self.flow.at_end || at_end, Meaningless::ControlAtLoopEnd),
            (self.flow.after_slot.is_some(), Meaningless::ControlInSlot),
            (has_slot && innermost == Some(pc + 1), Meaningless::SlotAtLoopEnd),
            (is_loop && imm13(word) < pc + 1, Meaningless::EndBeforeStart),
            (is_loop && self.ends_outer_body(pc, imm13(word)), Meaningless::NotNested),
            (has_slot && self.target(word) >= self.times.bundles, Meaningless::TargetOutside),
            // The body has one bundle more.
            (
                is_loop && u64::from(imm13(word)) + 1 >= self.times.bundles,
                Meaningless::TargetOutside,
            ),
        ];
        match reasons.into_iter().find(|&(refused, _)| refused) {
            Some((_, reason)) => Err(reason),
            None => Ok(()),
        }
    }

    /// Returns the address to which a `jump` or `call` of the bundle at hand goes.
    fn target(&self, word: u64) -> u64 {
        let gpr = &self.scalars.gpr[gs(word)];
        match op2(word) {
            JUMP => gpr.start_of(self.cycle + STAGE_1),
            CALL => gpr.start_of(self.cycle),
            _ => imm13(word).into(),
        }
    }

    /// Decides for the bundle at hand, in its issue cycle and so before its stage 1: where the flow goes, and whether a loop
    /// goes round. A taken delay slot decides nothing.
    pub(super) fn decide(&mut self) {
        let pc = self.flow.pc;
        let slot_of = self.flow.after_slot.take();
        self.flow.behind_end = self.flow.at_end;
        let at_end =
            self.flow.loops.last().is_some_and(|innermost| u32::from(innermost.end.0) == pc);
        self.counted.met.note(Rule::SlotAtEnd, at_end && slot_of.is_some());
        self.flow.at_end = at_end && slot_of.is_none();
        if self.flow.at_end {
            self.end_iteration();
        }
        self.flow.next = slot_of.unwrap_or(pc + 1);
    }

    /// Whether a loop that starts at `pc`, in the body of the innermost one, ends behind it.
    fn ends_outer_body(&self, pc: u32, end: u32) -> bool {
        self.flow.loops.last().is_some_and(|outer| {
            let (first, last) = (u32::from(outer.start.0), u32::from(outer.end.0));
            first <= pc && pc <= last && last <= end
        })
    }

    /// Ends an iteration: the innermost loop goes round or ends.
    fn end_iteration(&mut self) {
        let Some(innermost) = self.flow.loops.last_mut() else {
            return;
        };
        self.flow.over = innermost.count <= 1;
        if self.flow.over {
            self.flow.loops.pop();
        } else {
            innermost.count -= 1;
            self.flow.after_slot = Some(innermost.start.0.into());
        }
    }

    /// Executes the control operation of the bundle at hand; returns the stop code if the machine stops.
    pub(super) fn control_operation(&mut self, word: u64) -> Option<u64> {
        let op = op2(word);
        if matches!(op, RET | ENDDO | DOI | DO | CALLI | CALL) {
            self.flow.stack_changed = self.cycle;
        }
        match op {
            RET => match self.flow.calls.pop() {
                Some(address) => self.flow.after_slot = Some(address.into()),
                None => self.set_status(CALL_UNDERFLOW),
            },
            ENDDO => self.leave_loop(),
            SYNC => self.flow.hold = self.times.sync_hold,
            STOPI | STOP => return Some(self.stop(word)),
            DOI | DO => self.begin_loop(word),
            CALLI | CALL => {
                self.flow.after_slot = Some(self.target(word) as u32);
                self.begin_call();
            }
            JUMPI | JUMP => self.flow.after_slot = Some(self.target(word) as u32),
            _ => {}
        }
        None
    }

    fn stop(&mut self, word: u64) -> u64 {
        let code = match op2(word) {
            STOPI => imm13(word).into(),
            // Two cycles before stage 1.
            _ => self.read_early(word, self.cycle - 1),
        };
        let write = self.exchange_write(STAGE_1, 0, code);
        self.scalars.control[usize::from(control::STOPCODE)].push(write);
        code
    }

    /// Reads a GPR as it is at the start of `cycle`, before what `jump` would see.
    fn read_early(&mut self, word: u64, cycle: i64) -> u64 {
        let gpr = &self.scalars.gpr[gs(word)];
        self.counted.met.note(Rule::OldGpr, gpr.is_pending(cycle));
        gpr.start_of(cycle)
    }

    fn begin_loop(&mut self, word: u64) {
        let count = match op2(word) {
            DOI => (word >> 13 & 0x3ff) as u32,
            _ => self.read_early(word, self.cycle) as u32,
        };
        let end = imm13(word);
        if count == 0 {
            self.flow.nullified = Some(end + 2);
            self.counted.met.note(Rule::ZeroCountFull, self.flow.loops.len() == self.times.loops);
            return;
        }
        if self.flow.loops.len() == self.times.loops {
            self.flow.loops.pop();
            self.set_status(LOOP_OVERFLOW);
        }
        let start = self.flow.pc as u16 + 1;
        self.flow.loops.push(ActiveLoop {
            count,
            start: BundleAddress(start),
            end: BundleAddress(end as u16),
        });
    }

    fn leave_loop(&mut self) {
        if self.flow.loops.pop().is_none() {
            self.set_status(LOOP_UNDERFLOW);
        }
    }

    fn begin_call(&mut self) {
        if self.flow.calls.len() == self.times.calls {
            self.flow.calls.pop();
            self.set_status(CALL_OVERFLOW);
        }
        self.flow.calls.push(self.flow.pc as u16 + 2);
    }

    fn set_status(&mut self, bit: u64) {
        self.change_status(STAGE_1, Effect::Set(bit));
    }

    /// Reads PC, LC and LA of the innermost loop, PSP or LSP, as a `move` of the bundle at hand does.
    pub(super) fn read_flow(&mut self, number: u8) -> u64 {
        let flow = &self.flow;
        if number == control::PC {
            self.counted.met.note(Rule::PcElsewhere, flow.next != flow.pc + 1);
        } else {
            self.counted.met.note(Rule::StackReadBehind, flow.stack_changed == self.cycle - 1);
        }
        if matches!(number, control::LC | control::LA | control::LSP) {
            self.counted.met.note(Rule::LoopReadAtEnd, flow.at_end);
            self.counted.met.note(Rule::LoopReadBehindEnd, flow.behind_end);
        }
        let innermost = flow.loops.last().copied().unwrap_or_default();
        match number {
            control::PC => flow.next.into(),
            control::PSP => flow.calls.len() as u64,
            control::LC => innermost.count.into(),
            control::LA => u64::from(innermost.end) | u64::from(innermost.start) << 16,
            _ => flow.loops.len() as u64,
        }
    }

    /// Changes LC or LA of the innermost loop, if there is one, by a `move`; the rest keeps its value.
    pub(super) fn write_flow(&mut self, number: u8, value: u64) {
        let (pc, at_end, behind_end) = (self.flow.pc, self.flow.at_end, self.flow.behind_end);
        if !matches!(number, control::LC | control::LA) {
            return self.counted.met.note(Rule::FlowReadOnly, true);
        }
        let Some(innermost) = self.flow.loops.last_mut() else {
            return self.counted.met.note(Rule::NoLoopWritten, true);
        };
        let over = self.flow.over;
        self.counted.met.note(Rule::LoopWrittenBeforeEnd, u32::from(innermost.end.0) == pc + 1);
        self.counted.met.note(Rule::LoopWrittenAtEnd, at_end && !over);
        self.counted.met.note(Rule::LoopAroundWritten, (at_end || behind_end) && over);
        if number == control::LC {
            innermost.count = value as u32;
        } else {
            innermost.end = BundleAddress((value & 0x1fff) as u16);
            innermost.start = BundleAddress((value >> 16 & 0x1fff) as u16);
        }
    }
}
