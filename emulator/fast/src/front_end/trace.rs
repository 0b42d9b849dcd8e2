//! Selection of the bundles of a block that goes on where the flow changes: through jumps, and through loops and calls that
//! it can do as a whole. The flow is followed by the rules of the machine, bundle by bundle; a loop whose count stands in a
//! register is followed as often as the register tells when the block is made, and the block takes the count for granted.
//! Of a loop with many turns the first and the last ones are followed, and one that stands for those between.

use super::region::{
    BlockRegion, BlockStart, ChannelUse, CodeSource, Depth, Ending, LONGEST_PASS, Target,
    changes_mode, settled,
};
use super::rolls::{OwnLoop, Rolls};
use cp2_isa::rules::flow::{
    self, ActiveLoop, Body, Decision, FlowPosition, FlowRequest, LoopEntry,
};
use cp2_isa::{Bundle, BundleAddress, CountOperand, Effects, Exch, RegFile, Resource};

/// General registers that a trace may take for granted when it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Granted<'a> {
    /// Values of the registers, if any may be taken for granted.
    pub(crate) values: Option<&'a [u64; 16]>,
    /// Register that the bundle before the trace has written.
    pub(crate) written: Option<u8>,
}

/// Knowledge about a general register at a bundle of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The register holds what it held at the beginning.
    Entry,
    Value(u64),
    Unknown,
}

/// Place in a trace at which a block may end.
#[derive(Clone, Debug)]
struct Stop {
    bundles: usize,
    ending: Ending,
    counts: usize,
    rolled: usize,
    depth: Depth,
    is_turn: bool,
}

/// Position of the trace in the flow of control.
struct FlowState {
    pc: BundleAddress,
    position: FlowPosition,
    /// Loops that the trace has begun and that are not over.
    loops: Vec<OwnLoop>,
    /// Return addresses of the calls that the trace has begun and that are not over.
    calls: Vec<BundleAddress>,
    /// Whether the loop around the trace goes back or is over behind the next bundle.
    is_last: bool,
    /// Ending of the block behind its next bundle, the delay slot of a change of the flow outside of what the trace has
    /// begun.
    change: Option<Ending>,
}

/// Trace under construction.
struct Trace<'a> {
    place: &'a BlockStart,
    program: CodeSource<'a>,
    granted: Granted<'a>,
    most: usize,
    bundles: Vec<(BundleAddress, Option<Bundle>)>,
    flow: FlowState,
    registers: [Known; 16],
    /// Register that the last bundle has written, and what was known of it before.
    written: Option<(u8, Known)>,
    /// Registers whose values at the beginning were the counts of loops.
    counts: Vec<u8>,
    rolls: Rolls,
    depth: Depth,
    stop: Stop,
}

impl BlockStart {
    /// Returns the region of the bundles from the place on, at most `most` of them, through changes of the flow; `None` if
    /// these are no more than those of [`BlockStart::region`].
    pub(crate) fn trace(
        &self,
        program: CodeSource<'_>,
        most: usize,
        granted: Granted<'_>,
    ) -> Option<BlockRegion> {
        let whole = self.followed(program, most, (granted, false));
        if whole.as_ref().is_some_and(|region| region.is_turn) {
            return whole;
        }
        let cycles = |region: &Option<BlockRegion>| region.as_ref().map_or(0, BlockRegion::cycles);
        let rolled = self.followed(program, most, (granted, true));
        if cycles(&rolled) > cycles(&whole) { rolled } else { whole }
    }

    /// Returns the region of [`BlockStart::trace`], in which turns of loops may be taken only once or not.
    fn followed(
        &self,
        program: CodeSource<'_>,
        most: usize,
        (granted, may_roll): (Granted<'_>, bool),
    ) -> Option<BlockRegion> {
        let plain = self.region(program, most);
        let position = match self.nullified {
            Some(to) => FlowPosition::Nullified(to),
            None if self.follows_exit => FlowPosition::LoopExit,
            None => FlowPosition::Plain,
        };
        let mut trace = Trace {
            place: self,
            program,
            granted,
            most,
            bundles: Vec::new(),
            registers: [Known::Entry; 16],
            written: granted.written.map(|register| (register, Known::Unknown)),
            counts: Vec::new(),
            rolls: Rolls::new(may_roll),
            depth: Depth::default(),
            stop: Stop {
                bundles: 0,
                ending: Ending::Plain(self.pc),
                counts: 0,
                rolled: 0,
                depth: Depth::default(),
                is_turn: false,
            },
            flow: FlowState {
                pc: self.pc,
                position,
                loops: Vec::new(),
                calls: Vec::new(),
                is_last: false,
                change: None,
            },
        };
        while trace.step().is_some() {}
        let Trace { mut bundles, mut counts, rolls, stop, .. } = trace;
        let mut rolled = rolls.done;
        let goes_further = stop.bundles > plain.bundles.len() || stop.is_turn && !plain.is_turn;
        if !goes_further {
            return None;
        }
        bundles.truncate(stop.bundles);
        rolled.truncate(stop.rolled);
        counts.truncate(stop.counts);
        counts.sort_unstable();
        counts.dedup();
        let Stop { ending, depth, is_turn, .. } = stop;
        Some(BlockRegion { bundles, ending, counts, depth, is_turn, times: 1, rolled })
    }
}

impl Trace<'_> {
    /// Whether nothing that the trace has begun is under way.
    fn is_closed(&self) -> bool {
        self.flow.loops.is_empty() && self.flow.calls.is_empty()
    }

    /// Returns the body of the innermost loop.
    fn innermost(&self) -> Option<Body> {
        self.flow.loops.last().map(|own| own.active.body()).or(self.place.innermost)
    }

    /// Notes that the block may end here.
    fn may_stop(&mut self, ending: Ending, is_turn: bool) {
        self.stop = Stop {
            bundles: self.bundles.len(),
            ending,
            counts: self.counts.len(),
            rolled: self.rolls.done.len(),
            depth: self.depth,
            is_turn,
        };
    }

    /// Takes one more bundle; `None` if the trace is over.
    fn step(&mut self) -> Option<()> {
        if self.is_closed() && self.flow.position == FlowPosition::Plain && !self.flow.is_last {
            self.may_stop(Ending::Plain(self.flow.pc), false);
        }
        self.roll()?;
        if self.bundles.len() >= self.most {
            return None;
        }
        let pc = self.flow.pc;
        if let FlowPosition::Nullified(to) = self.flow.position {
            self.program.iram.get(pc.index())?;
            self.bundles.push((pc, None));
            (self.flow.pc, self.flow.position, self.written) = (to, FlowPosition::Plain, None);
            return Some(());
        }
        let bundle = self.program.bundle(pc)?;
        let op = bundle.exch.op;
        if ChannelUse::of(op).is_some() || changes_mode(&bundle.exch) {
            return None;
        }
        let row = op.row();
        let position = if self.flow.is_last { FlowPosition::LoopExit } else { self.flow.position };
        if flow::misplaced(row, pc, position, self.innermost()).is_some() {
            return None;
        }
        let next = flow::next_address(pc, self.flow.position);
        let decision = self.decision();
        let was_last = std::mem::replace(&mut self.flow.is_last, false);
        self.bundles.push((pc, Some(bundle)));
        let is_control = row.effects.contains(Effects::CONTROL);
        let request = if is_control { self.control(&bundle)? } else { FlowRequest::None };
        self.note_registers(&bundle);
        if was_last {
            let is_turn = self.place.innermost.is_some_and(|body| body.start == self.place.pc);
            self.may_stop(Ending::Loop, is_turn && self.recurs());
            return None;
        }
        self.end_change(next)?;
        self.flow.position = flow::next_position(self.decide(decision)?, request);
        self.flow.pc = next;
        self.begin_change(op, request);
        Some(())
    }

    /// Returns what the innermost loop decides when the bundle at hand issues; `None` if only the run knows, as it does of
    /// the loop around the trace.
    fn decision(&self) -> Option<Decision> {
        match self.flow.loops.last() {
            Some(own) => Some(flow::decision(Some(&own.active), self.flow.pc, self.flow.position)),
            None => {
                let around = self.place.innermost.map(|Body { start, end }| ActiveLoop {
                    count: 1,
                    start,
                    end,
                });
                let decision = flow::decision(around.as_ref(), self.flow.pc, self.flow.position);
                (decision == Decision::None).then_some(decision)
            }
        }
    }

    /// Does what the innermost loop has decided and returns it; `None` if nobody knows what follows.
    fn decide(&mut self, decision: Option<Decision>) -> Option<Decision> {
        match decision {
            // If loops end one behind the other, the run tells where to stop before the end.
            None if self.place.may_end_loop() && self.flow.calls.is_empty() => {
                self.flow.is_last = true;
            }
            None => return None,
            Some(Decision::Back { left, .. }) => {
                let own = self.flow.loops.last_mut();
                own.into_iter().for_each(|own| own.active.count = left);
            }
            Some(Decision::Leave) => _ = self.flow.loops.pop(),
            Some(Decision::None) => {}
        }
        Some(decision.unwrap_or(Decision::None))
    }

    /// Returns what a bundle that controls the flow asks for; `None` if it cannot be followed.
    fn control(&mut self, bundle: &Bundle) -> Option<FlowRequest> {
        let (pc, op) = (self.flow.pc, bundle.exch.op);
        if let Some((count, end)) = bundle.exch.hardware_loop() {
            return self.begin_loop((pc, end), count);
        }
        let immediate =
            bundle.exch.target().filter(|&to| flow::target(self.program.core, to.into()).is_some());
        match op {
            Exch::Sync => Some(FlowRequest::None),
            Exch::Enddo => self.flow.loops.pop().map(|_| FlowRequest::None),
            Exch::Jumpi => immediate.map(FlowRequest::Jump),
            Exch::Calli => {
                let to = immediate?;
                self.flow.calls.push(flow::return_address(pc));
                self.depth.calls = self.depth.calls.max(self.flow.calls.len());
                Some(FlowRequest::Jump(to))
            }
            Exch::Ret => self.flow.calls.pop().map(FlowRequest::Jump),
            _ => None,
        }
    }

    fn begin_loop(
        &mut self,
        (pc, end): (BundleAddress, BundleAddress),
        count: CountOperand,
    ) -> Option<FlowRequest> {
        let place = BlockStart { innermost: self.innermost(), ..*self.place };
        if !place.allows_loop(self.program.core, pc, end) {
            return None;
        }
        if self.is_closed() {
            self.may_stop(Ending::Do { pc, end, count }, false);
        }
        let count = match count {
            CountOperand::Immediate(count) => count,
            CountOperand::Gpr(register) => flow::loop_count(self.count_in(register)?),
        };
        // A body has two bundles at least; what cannot fit is not followed any further.
        let most = if self.rolls.are_allowed { LONGEST_PASS } else { self.most };
        if count as usize > most / 2 {
            return None;
        }
        Some(match flow::begun(pc, count, end) {
            LoopEntry::Nothing(to) => FlowRequest::Skip(to),
            LoopEntry::Loop(new) => {
                let first = self.bundles.len() + 1;
                self.flow.loops.push(OwnLoop { active: new, turns: count, first });
                self.depth.loops = self.depth.loops.max(self.flow.loops.len());
                FlowRequest::None
            }
        })
    }

    /// Lets many turns of the innermost loop be taken only once, where a turn begins. `None` if the turns would take too long.
    fn roll(&mut self) -> Option<()> {
        let (depth, bundles) = (self.flow.loops.len(), self.bundles.len());
        let Some(own) = self.flow.loops.last_mut() else { return Some(()) };
        let begins = self.flow.position == FlowPosition::Plain && self.flow.pc == own.active.start;
        if !begins {
            return Some(());
        }
        self.rolls.begin_turn(own, (depth, bundles), settled(self.program.core) as usize)
    }

    /// Returns the value of a general register as `do` sees it: what the bundle before has written is not seen.
    fn count_in(&mut self, register: u8) -> Option<u64> {
        let now = self.registers[usize::from(register & 15)];
        let seen = match self.written {
            Some((written, before)) if written == register => before,
            _ => now,
        };
        match seen {
            Known::Value(value) => Some(value),
            Known::Entry => {
                let value = self.granted.values?[usize::from(register & 15)];
                self.counts.push(register);
                Some(value)
            }
            Known::Unknown => None,
        }
    }

    fn note_registers(&mut self, bundle: &Bundle) {
        self.written = None;
        let exch = &bundle.exch;
        let set = exch.set_immediate().filter(|(reg, _)| reg.file == RegFile::Gpr);
        let mut written = None;
        exch.footprint(bundle.cc, &mut |access| {
            if let Some(Resource::Gpr(number)) = access.changed() {
                written = Some(number);
            }
        });
        if let Some(number) = written {
            let place = &mut self.registers[usize::from(number & 15)];
            self.written = Some((number, *place));
            *place = set.map_or(Known::Unknown, |(_, value)| Known::Value(value.into()));
        }
    }

    /// Whether the registers that were counts hold the same at the end, also for a loop in the first bundle.
    fn recurs(&self) -> bool {
        let first = self.bundles.first().and_then(|(_, bundle)| bundle.as_ref());
        let counts_first = first.and_then(|bundle| bundle.exch.hardware_loop()).is_some();
        let is_same = |&register: &u8| {
            let at = usize::from(register & 15);
            match self.registers[at] {
                Known::Entry => true,
                Known::Value(value) => self.granted.values.is_some_and(|all| all[at] == value),
                Known::Unknown => false,
            }
        };
        self.counts.iter().all(is_same) && !(counts_first && self.written.is_some())
    }

    /// Notes that the block may end behind the delay slot of a change of the flow outside of what the trace has begun, if the
    /// slot has been taken. `None` if the trace does not go on there.
    fn end_change(&mut self, next: BundleAddress) -> Option<()> {
        let Some(ending) = self.flow.change.take() else { return Some(()) };
        let is_jump = matches!(ending, Ending::Jump(_));
        let is_turn = is_jump && next == self.place.pc && !self.place.follows_exit;
        self.may_stop(ending, is_turn && self.recurs());
        // The trace does not go where it has been.
        let been = || self.bundles.iter().any(|&(pc, _)| pc == next);
        (!is_jump || !been()).then_some(())
    }

    fn begin_change(&mut self, op: Exch, request: FlowRequest) {
        let FlowRequest::Jump(to) = request else { return };
        let to = Target::Immediate(to);
        let pc = self.bundles.last().map_or(self.place.pc, |&(pc, _)| pc);
        self.flow.change = match op {
            Exch::Jumpi if self.is_closed() => Some(Ending::Jump(to)),
            Exch::Calli if self.flow.loops.is_empty() && self.flow.calls.len() == 1 => {
                Some(Ending::Call { pc, to })
            }
            _ => None,
        };
    }
}
