//! The emitted bundles on a machine with the exposed latencies, compared at every operation with
//! the sequential meaning.

use super::ScheduleFault;
use super::describe::{describe, difference};
use super::machine::{Change, Effect, Machine, Start};
use super::operation::{Execution, Reader, Who};
use super::sequential::{Meaning, Turn};
use super::short::Cuts;
use super::source::{halves, is_optional, is_widened, name_of};
use super::value::{Nodes, Part};
use cp2_ir::linear::{LinearInst, Reg, Region};
use cp2_ir::linear::{ScheduledBundle, SlotOrigin};
use cp2_isa::rules::flow::{
    ActiveLoop, Decision, FlowPosition, FlowRequest, LoopEntry, begun, decision, loop_count,
    next_address, next_position,
};
use cp2_isa::{BundleAddress, Core, CountOperand, Exch, Inst, Unit};
use std::collections::BTreeSet;

/// Faults after which a run ends.
const ENOUGH: usize = 8;

/// The input of a run: bundles, and the region that they are to mean.
struct Input<'a> {
    region: &'a Region,
    bundles: &'a [ScheduledBundle],
    cuts: &'a Cuts,
    meaning: &'a Meaning,
}

struct Runner<'a> {
    input: Input<'a>,
    nodes: &'a mut Nodes,
    machine: Machine,
    turns: Vec<usize>,
    /// Execution of the half of a bundle at hand.
    execution: Execution,
    loops: Vec<ActiveLoop>,
    /// Index of the bundle at hand, as addresses of the region count.
    pc: BundleAddress,
    position: FlowPosition,
    /// The sequential run was cut off, and the bundles have got there.
    cut_off: bool,
    faults: Vec<ScheduleFault>,
}

/// Runs the bundles from a start and tells where they do something else than the region.
pub(super) fn run(
    core: &Core,
    region: &Region,
    (bundles, cuts): (&[ScheduledBundle], &Cuts),
    start: &Start,
    meaning: &Meaning,
    nodes: &mut Nodes,
) -> Vec<ScheduleFault> {
    let machine = Machine::new(core, region, start, nodes);
    let mut runner = Runner {
        nodes,
        machine,
        turns: vec![0; region.ops.len()],
        execution: Execution::default(),
        loops: Vec::new(),
        pc: BundleAddress::default(),
        position: FlowPosition::Plain,
        cut_off: false,
        faults: Vec::new(),
        input: Input { region, bundles, cuts, meaning },
    };
    let most = 64 * (meaning.n_executions + bundles.len()) + 4096;
    for _ in 0..most {
        if runner.pc.index() >= bundles.len() || runner.cut_off || runner.faults.len() >= ENOUGH {
            if !runner.cut_off && runner.faults.is_empty() {
                runner.end();
            }
            return runner.faults;
        }
        runner.cycle();
    }
    runner.say(None, format!("the region has not ended after {most} cycles"));
    runner.faults
}

impl Runner<'_> {
    fn say(&mut self, op: Option<usize>, message: String) {
        self.faults.push(ScheduleFault::at(self.input.region, self.pc.index(), op, message));
    }

    fn cycle(&mut self) {
        self.machine.land(self.nodes);
        if let FlowPosition::Nullified(to) = self.position {
            (self.pc, self.position) = (to, FlowPosition::Plain);
            self.machine.cycle += 1;
            return;
        }
        let placed = &self.input.bundles[self.pc.index()];
        // The arithmetic half raises flags and steps the angle before the exchange half reads; its
        // results are on their way for long after that. Section addresses that it writes are for later
        // bundles.
        let mut execution = std::mem::take(&mut self.execution);
        let mut late = Vec::new();
        for half in halves(placed) {
            execution.clear();
            self.half(placed, half, &mut execution);
            if matches!(half.1, LinearInst::Arith(_)) {
                let is_late = |effect: &mut Effect| matches!(effect, Effect::SectionA(..));
                late.extend(execution.effects.extract_if(.., is_late));
            }
            execution.happen(&mut self.machine, self.nodes);
        }
        late.into_iter().for_each(|effect| self.machine.apply(effect, self.nodes));
        self.execution = execution;
        let hold = match placed.bundle.exch.op.row().unit {
            Unit::Sync => u64::from(self.machine.core.latencies().sync),
            _ => 1,
        };
        self.follow_flow(placed);
        self.machine.cycle += hold;
    }

    /// Reads one half, compares it with the meaning and tells what it will do.
    fn half(
        &mut self,
        placed: &ScheduledBundle,
        (source, code): (SlotOrigin, LinearInst),
        execution: &mut Execution,
    ) {
        let who = match source {
            SlotOrigin::Nothing => return,
            SlotOrigin::Op(op) => Who::Op(op as u32, self.turns[op] as u32),
            SlotOrigin::Made => Who::Made,
        };
        let mut reader = Reader {
            machine: &self.machine,
            nodes: self.nodes,
            who,
            cc: placed.bundle.cc,
            next: &|reg| reg + 1,
        };
        reader.execute(&code, execution);
        if execution.unknown {
            self.say(None, format!("a schedule never adds `{}`", code.row().name));
        }
        if let SlotOrigin::Op(op) = source {
            self.compare(op, &code, execution);
            self.turns[op] += 1;
        }
    }

    fn compare(&mut self, op: usize, code: &LinearInst, execution: &Execution) {
        let meaning = self.input.meaning;
        let Some(turn) = meaning.turns[op].get(self.turns[op]) else {
            if !meaning.complete {
                self.cut_off = true;
            } else if !is_optional(code) {
                let n = meaning.turns[op].len();
                let message =
                    format!("{} executes more than {n} times", name_of(self.input.region, op));
                self.say(Some(op), message);
            }
            return;
        };
        self.compare_operands(op, &turn, execution);
        if is_widened(&self.input.region.ops[op].code, code) {
            return;
        }
        if let (Some(expected), Some(found)) = (turn.address, execution.address)
            && expected != found
        {
            let message = format!(
                "{} in turn {} accesses word {found} instead of {expected}",
                name_of(self.input.region, op),
                self.turns[op]
            );
            self.say(Some(op), message);
            return;
        }
        if let Some((expected, found)) = self.differs(turn.loaded, &execution.loaded) {
            let what =
                format!("{} in turn {} loads", name_of(self.input.region, op), self.turns[op]);
            self.say(Some(op), format!("{what} {}", self.both(expected, found)));
        }
    }

    fn compare_operands(&mut self, op: usize, turn: &Turn<'_>, execution: &Execution) {
        let mut pairs = turn.operands.iter().copied().zip(&execution.operands).enumerate();
        let wrong = pairs.find(|&(_, (e, f))| !self.nodes.agree(e, f.part));
        let Some((k, (expected, found))) = wrong else { return };
        let register = match (self.input.meaning.turns[op].regs[k], found.reg) {
            (Some(reg), Some(at)) if reg != at => {
                format!("{} (in f{at})", self.input.region.register_name(Reg(reg)))
            }
            (Some(reg), _) => self.input.region.register_name(Reg(reg)),
            (None, _) => "an operand".into(),
        };
        let late = difference(self.nodes, expected, found.part);
        let late = late.map_or(String::new(), |late| format!(" {late}"));
        let message = format!(
            "{} in turn {} reads {register}{late}: {}",
            name_of(self.input.region, op),
            self.turns[op],
            self.both(expected, found.part)
        );
        self.say(Some(op), message);
    }

    fn differs(&self, expected: &[Part], found: &[Part]) -> Option<(Part, Part)> {
        let pairs = expected.iter().copied().zip(found.iter().copied());
        pairs.into_iter().find(|&(e, f)| !self.nodes.agree(e, f))
    }

    fn both(&self, expected: Part, found: Part) -> String {
        format!(
            "expected {}, found {}",
            describe(self.input.region, self.nodes, expected),
            describe(self.input.region, self.nodes, found)
        )
    }

    /// Follows the flow from a bundle to the next one: loops are all the control that a region has.
    fn follow_flow(&mut self, placed: &ScheduledBundle) {
        let decision = decision(self.loops.last(), self.pc, self.position);
        match (decision, self.loops.last_mut()) {
            (Decision::Back { left, .. }, Some(innermost)) => innermost.count = left,
            (Decision::Leave, _) => drop(self.loops.pop()),
            _ => {}
        }
        let request = self.begin_loop(&placed.bundle.exch);
        let next = next_address(self.pc, self.position);
        (self.pc, self.position) = (next, next_position(decision, request));
    }

    /// Begins the hardware loop of a bundle, if that does, with the iterations left out that are.
    fn begin_loop(&mut self, inst: &Inst<Exch>) -> FlowRequest {
        let Some((count, end)) = inst.hardware_loop() else { return FlowRequest::None };
        let count = match count {
            CountOperand::Immediate(count) => count,
            CountOperand::Gpr(gpr) => {
                let distance = self.machine.core.latencies().gpr_to_loop;
                loop_count(self.machine.late_gpr(gpr, distance).value)
            }
        };
        match begun(self.pc, count, end) {
            LoopEntry::Nothing(to) => FlowRequest::Skip(to),
            LoopEntry::Loop(new) => {
                let left_out = self.input.cuts.passes(self.pc.index());
                self.loops.push(ActiveLoop { count: count.saturating_sub(left_out).max(1), ..new });
                FlowRequest::None
            }
        }
    }

    // ---- the end of the region

    fn end(&mut self) {
        self.machine.land(self.nodes);
        if self.pc.index() > self.input.bundles.len()
            || !self.loops.is_empty()
            || !matches!(self.position, FlowPosition::Plain | FlowPosition::LoopExit)
        {
            return self.say(None, "the flow leaves the region within a loop".into());
        }
        self.landed();
        self.machine.drain(self.nodes);
        self.executed();
        self.registers();
        self.scalars();
        self.memory();
    }

    /// Tells of results that have not landed where the region ends: the bundle behind the region has to see all that the
    /// region writes.
    fn landed(&mut self) {
        let late = self.machine.unlanded().next().map(|change| match change {
            Change::Fpr { reg, .. } => format!("f{reg}"),
            Change::Condition { number, .. } => format!("cc{number}"),
            Change::Fcsr { .. } | Change::Raise(_) => "fcsr".into(),
        });
        if let Some(register) = late {
            self.say(None, format!("the region ends before a result lands in {register}"));
        }
        let is_wanted = |gpr: &u8| !self.input.region.scratch.contains(gpr);
        let early = self.machine.fresh_gprs().find(is_wanted);
        if let Some(gpr) = early {
            let distance = self.machine.latest_gpr();
            let message =
                format!("the region ends less than {distance} bundles after a write to g{gpr}");
            self.say(None, message);
        }
    }

    fn executed(&mut self) {
        for op in 0..self.input.region.ops.len() {
            let (expected, found) = (self.input.meaning.turns[op].len(), self.turns[op]);
            if found < expected && !is_optional(&self.input.region.ops[op].code) {
                let name = name_of(self.input.region, op);
                let message = format!("{name} executes {found} times instead of {expected}");
                self.say(Some(op), message);
            }
        }
    }

    fn registers(&mut self) {
        for reg in super::named_fprs(self.input.region) {
            let n = usize::from(reg);
            let (expected, found) = (self.input.meaning.end.fpr[n], self.machine.fpr[n]);
            if let Some((expected, found)) = self.differs(&expected, &found) {
                let message = format!("at the end f{reg}: {}", self.both(expected, found));
                self.say(None, message);
            }
        }
        for cc in 1..8 {
            let (expected, found) =
                (self.input.meaning.end.flags.conditions[cc], self.machine.flags.conditions[cc]);
            if !self.nodes.agree(expected, found) {
                let message = format!("at the end cc{cc}: {}", self.both(expected, found));
                self.say(None, message);
            }
        }
        if self.input.meaning.end.flags.fcsr != self.machine.flags.fcsr
            || self.input.meaning.end.flags.status != self.machine.flags.status
        {
            self.say(None, "at the end other flags are set in fcsr".into());
        }
    }

    fn scalars(&mut self) {
        let (e, f) = (&self.input.meaning.end, &self.machine);
        let mut wrong = Vec::new();
        let mut compare = |name: &str, k: usize, expected: u64, found: u64| {
            if expected != found {
                wrong.push(format!("at the end {name}{k} is {found:#x} instead of {expected:#x}"));
            }
        };
        for k in 0..16 {
            if !self.input.region.scratch.contains(&(k as u8)) {
                compare("g", k, e.scalars.gpr[k].value, f.scalars.gpr[k].value);
            }
            compare("i", k, e.scalars.ireg[k].value, f.scalars.ireg[k].value);
            compare("a", k, e.scalars.a[k].into(), f.scalars.a[k].into());
            compare("n", k, e.scalars.n[k].into(), f.scalars.n[k].into());
            compare("m", k, e.scalars.m[k].into(), f.scalars.m[k].into());
            compare("shared address ", k, e.scalars.qa[k].into(), f.scalars.qa[k].into());
            for (expected, found) in e.scalars.sa[k].into_iter().zip(f.scalars.sa[k]) {
                compare("section address ", k, expected.into(), found.into());
            }
        }
        for (k, (expected, found)) in e.scalars.control.iter().zip(&f.scalars.control).enumerate() {
            compare("control register ", k, expected.value, found.value);
        }
        if e.events != f.events {
            wrong.push("accesses that the control processor can see come in another order".into());
        }
        wrong.into_iter().for_each(|message| self.say(None, message));
    }

    fn memory(&mut self) {
        let (e, f) = (&self.input.meaning.end, &self.machine);
        for word in
            e.local.shared.keys().chain(f.local.shared.keys()).copied().collect::<BTreeSet<_>>()
        {
            let expected = self.input.meaning.end.shared_word(word, self.nodes);
            let found = self.machine.shared_word(word, self.nodes);
            if let Some((expected, found)) = self.differs(&expected, &found) {
                let both = self.both(expected, found);
                return self.say(None, format!("at the end shared word {word}: {both}"));
            }
        }
        let mut stored = self.input.meaning.end.local.stored.clone();
        stored.join(&self.machine.local.stored);
        for word in stored.iter() {
            let expected = self.input.meaning.end.word(word, self.nodes);
            let found = self.machine.word(word, self.nodes);
            if let Some((expected, found)) = self.differs(&expected, &found) {
                let message = format!("at the end word {word}: {}", self.both(expected, found));
                return self.say(None, message);
            }
        }
    }
}
