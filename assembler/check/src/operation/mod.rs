//! What an operation does to the machine with symbolic contents: the parts it looks at, what it
//! writes and how long that takes. Moves, loads and constants are followed through; results of
//! other operations are named after the execution that made them.

mod arithmetic;
mod exchange;

use crate::machine::{Change, Effect, Machine};
use crate::value::{Mask, Node, Nodes, Part, Value};
use cp2_ir::linear::LinearInst;
use cp2_isa::{Arith, Effects, Latencies, SECTIONS, WordAddress};

/// The origin of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// An operation of the region, for the time given, from 0.
    Op(u32, u32),
    /// An operation that the scheduler made.
    Made,
}

/// A part of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The FPR, if the operand is in one.
    pub(super) reg: Option<u32>,
    pub(super) part: Part,
}

/// The operands and the results of an execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Execution {
    /// Operands of the execution, in a fixed order.
    pub(super) operands: Vec<Operand>,
    /// First word of the access to local memory.
    pub(super) address: Option<WordAddress>,
    /// First word of the access of each section, where each section has an address of its own.
    pub(super) own: Option<[WordAddress; SECTIONS]>,
    /// Parts that the execution loaded.
    pub(super) loaded: Vec<Part>,
    /// Writes with their distances.
    pub(super) changes: Vec<(u32, Option<Mask>, Change)>,
    pub(super) effects: Vec<Effect>,
    /// The checker does not know what the operation would do.
    pub(super) unknown: bool,
}

impl Execution {
    /// Forgets everything, for the next execution.
    pub(super) fn clear(&mut self) {
        let Self { operands, address, own, loaded, changes, effects, unknown } = self;
        operands.clear();
        loaded.clear();
        changes.clear();
        effects.clear();
        (*address, *own, *unknown) = (None, None, false);
    }

    /// Lets everything happen that the execution does.
    pub(super) fn happen(&self, machine: &mut Machine, nodes: &mut Nodes) {
        for &(distance, mask, change) in &self.changes {
            machine.plan(distance, mask, change);
        }
        for &effect in &self.effects {
            machine.apply(effect, nodes);
        }
    }
}

/// An operation about to execute.
pub(super) struct Reader<'a> {
    pub(super) machine: &'a Machine,
    pub(super) nodes: &'a mut Nodes,
    pub(super) who: Who,
    pub(super) cc: u8,
    /// The register after a given one, where an operation takes two.
    pub(super) next: &'a dyn Fn(u32) -> u32,
}

impl Reader<'_> {
    /// Reads everything and tells what will happen.
    pub(super) fn execute(&mut self, code: &LinearInst, out: &mut Execution) {
        match code {
            LinearInst::Arith(inst) if inst.op == Arith::Nop => {}
            LinearInst::Arith(inst) => self.arithmetic(inst, out),
            LinearInst::Exch(inst) => self.exchange(inst, out),
        }
    }

    fn latencies(&self) -> &Latencies {
        self.machine.core.latencies()
    }

    fn fpr(&self, reg: i32) -> Value {
        self.machine.fpr[reg as usize]
    }

    fn mask(&self, effects: Effects) -> Option<Mask> {
        let obeys = self.cc != 0 && effects.contains(Effects::PREDICATED);
        obeys.then(|| Mask::Condition(self.machine.flags.conditions[usize::from(self.cc)]))
    }

    fn read_parts(&self, reg: i32, parts: std::ops::Range<usize>, out: &mut Execution) {
        let value = self.fpr(reg);
        let operands = value[parts].iter().map(|&part| Operand { reg: Some(reg as u32), part });
        out.operands.extend(operands);
    }

    fn look_at(&mut self, bits: u64, out: &mut Execution) {
        let value = self.nodes.word(bits);
        out.operands.extend(value.map(|part| Operand { reg: None, part }));
    }

    fn look_at_control(&mut self, number: u8, out: &mut Execution) {
        let bits = self.machine.scalars.control[usize::from(number)].value as u16;
        let part = self.nodes.number(Node::Bits(bits));
        out.operands.push(Operand { reg: None, part });
    }
}

/// Words that data-dependent addresses of one set reach.
pub(super) const WINDOW: u64 = 48;
