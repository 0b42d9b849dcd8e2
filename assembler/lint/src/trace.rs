//! A run of each kernel with the register values that can be told, to learn which banks its memory
//! accesses reach and how often its loops go. CP2 has no conditional jump, so there is one path;
//! a loop whose count is not known, or that takes too long, is passed once with everything
//! forgotten that it writes.

use super::program::{Control, Program};
use super::promised::{self, Regions, Watch};
use super::values::{Values, Written};
use cp2_isa::rules::flow::{
    ActiveLoop, Decision, FlowPosition, LoopEntry, begun, decision, loop_count, return_address,
    target,
};
use cp2_isa::{Bank, BundleAddress, Exch, Inst, WordAddress, control};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bundles that one activation of a loop may take before it is passed in one go.
const LOOP_STEPS: usize = 20_000;
/// Bundles of all runs, after which every loop is passed in one go.
const MANY_STEPS: usize = 1_000_000;
/// Bundles of all runs, after which nothing more is learnt.
const MOST_STEPS: usize = 2_000_000;

/// The number of iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// At least.
    pub(super) min: u32,
    /// At most, if that can be told.
    pub(super) max: Option<u32>,
}

impl Count {
    const UNKNOWN: Self = Self { min: 0, max: None };

    fn of(count: Option<u32>) -> Self {
        Self { min: count.unwrap_or(0), max: count }
    }

    fn or(self, other: Self) -> Self {
        let max = self.max.zip(other.max).map(|(a, b)| a.max(b));
        Self { min: self.min.min(other.min), max }
    }
}

/// The numbers of iterations of the loops of an image.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Counts of `do` with a GPR, by address.
    seen: BTreeMap<BundleAddress, Count>,
    /// A bundle writes LC, so that no upper limit holds.
    writes_lc: bool,
}

impl Counts {
    /// Returns the count of the loop that begins at a `do` or `doi`.
    pub(super) fn of(&self, program: &Program<'_>, address: BundleAddress) -> Count {
        let count = match program.get(address).map(|decoded| decoded.control) {
            Some(Control::Do { count: Some(n), .. }) => Count::of(Some(n)),
            _ => self.seen.get(&address).copied().unwrap_or(Count::UNKNOWN),
        };
        // Loops of linear code go at least once, as they promise; what breaks that is told on its own.
        let is_promised = count.max != Some(0) && program.is_count_promised(address);
        let min = if is_promised { count.min.max(1) } else { count.min };
        Count { min, max: count.max.filter(|_| !self.writes_lc) }
    }
}

/// The knowledge that the runs of an image give.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Counts of loops.
    pub(super) counts: Counts,
    /// For each memory access the banks that it certainly reaches, each with one address there if
    /// that is known.
    pub(super) banks: BTreeMap<BundleAddress, BTreeMap<Bank, Option<WordAddress>>>,
    /// Accesses of two words that certainly have an odd address, the first one if it is known.
    pub(super) odd: BTreeMap<BundleAddress, Option<WordAddress>>,
    /// Promises of linear code that are certainly broken.
    pub(super) broken: promised::PromiseFindings,
    /// Values that `Values::decisive` returned at each bundle, if that was asked for.
    decisive: BTreeMap<BundleAddress, Seen>,
    /// Whether some run came to a place where the flow could not be followed.
    lost: bool,
    /// Bundles at which a run was given up, and whose values no loop around them changes.
    settled: BTreeSet<BundleAddress>,
    /// Whether some run was given up at another bundle than those of `settled`.
    astray: bool,
}

/// Values that an operand had.
#[derive(Debug, Default)]
struct Seen {
    known: BTreeSet<u64>,
    unknown: bool,
}

/// Values of one operand that are kept apart.
const MOST_VALUES: usize = 64;

impl Trace {
    /// Returns the first decisive value of a bundle that is `bad`; nothing within if the value only may be bad.
    pub(super) fn bad_value(
        &self,
        at: BundleAddress,
        bad: impl Fn(u64) -> bool,
    ) -> Option<Option<u64>> {
        let Some(seen) = self.decisive.get(&at) else { return Some(None) };
        let certain = seen.known.iter().copied().find(|&value| bad(value));
        let is_all = !self.lost || !self.astray && self.settled.contains(&at);
        (certain.is_some() || seen.unknown || !is_all).then_some(certain)
    }
}

struct Active {
    /// The address of the `do` of the loop.
    at: BundleAddress,
    flow: ActiveLoop,
    since: usize,
    general: bool,
}

enum Pending {
    Goto(BundleAddress),
    Leave(BundleAddress),
}

struct AbstractRun<'a> {
    program: &'a Program<'a>,
    values: Values,
    loops: Vec<Active>,
    calls: Vec<BundleAddress>,
    jumps: usize,
    written: &'a mut HashMap<BundleAddress, Written>,
    trace: &'a mut Trace,
    steps: &'a mut usize,
    decisive: bool,
    watch: Watch<'a>,
}

/// The flow is no longer known; what comes after was not seen.
struct Lost;

/// Runs every entry of the program; `decisive` asks for values of operands too.
pub(super) fn trace(program: &Program<'_>, decisive: bool) -> Trace {
    let mut trace = Trace::default();
    trace.counts.writes_lc = program
        .bundles()
        .any(|(_, decoded)| decoded.bundle.exch.control_written() == Some(control::LC));
    let (mut written, mut steps, mut lost) = (HashMap::new(), 0, false);
    let regions = Regions::of(program);
    for entry in program.entries() {
        let settled = trace.settled.len();
        let mut values = Values::unknown(&program.core);
        program.interface(entry).into_iter().for_each(|declared| values.declared(declared));
        let run = AbstractRun {
            program,
            values,
            watch: Watch::new(&regions),
            loops: Vec::new(),
            calls: Vec::new(),
            jumps: 0,
            written: &mut written,
            trace: &mut trace,
            steps: &mut steps,
            decisive,
        };
        let given_up = run.run(entry).is_err();
        lost |= given_up;
        trace.astray |= given_up && trace.settled.len() == settled;
    }
    if lost {
        trace.counts.seen.clear();
    }
    trace.lost = lost;
    trace
}

impl AbstractRun<'_> {
    fn run(mut self, entry: BundleAddress) -> Result<(), Lost> {
        let mut pc = entry;
        let mut pending = None;
        loop {
            *self.steps += 1;
            if *self.steps > MOST_STEPS {
                return Err(Lost);
            }
            let program = self.program;
            let decoded = program.get(pc).ok_or(Lost)?;
            self.watch.observe(pc, &mut self.values, &mut self.trace.broken);
            self.access(pc);
            if self.decisive {
                self.observe(pc, &decoded.bundle.exch);
            }
            self.values.execute(&decoded.bundle);
            match pending.take() {
                Some(Pending::Goto(to)) if decoded.control == Control::None => {
                    pc = to;
                    continue;
                }
                Some(Pending::Goto(_)) => return Err(Lost),
                Some(Pending::Leave(at)) => self.forget(at),
                None => {}
            }
            match self.control(pc, decoded.control)? {
                Some((to, after)) => (pc, pending) = (to, after),
                None => return Ok(()),
            }
        }
    }

    /// Returns the address where the run goes on, and what happens after that bundle; nothing if it ends.
    fn control(
        &mut self,
        pc: BundleAddress,
        control: Control,
    ) -> Result<Option<(BundleAddress, Option<Pending>)>, Lost> {
        let next = pc.plus(1);
        if self.changes_loops(pc) {
            self.revisit(pc);
            return Err(Lost);
        }
        if let Some(after) = self.decide(pc) {
            return Ok(Some((next, after)));
        }
        let core = &self.program.core;
        let operand = || self.values.operand(&self.program.get(pc)?.bundle.exch);
        let goto = |to: Option<BundleAddress>| {
            let to = to.or_else(|| operand().and_then(|value| target(core, value))).ok_or(Lost)?;
            Ok(Some((next, Some(Pending::Goto(to)))))
        };
        match control {
            Control::None | Control::Sync => Ok(Some((next, None))),
            Control::Jump(to) => {
                let after = goto(to)?;
                self.jumps += usize::from(self.loops.is_empty() && self.calls.is_empty());
                // More jumps outside loops and procedures than there are places are an endless loop.
                let most = self.program.core.iram_bundles() / 2;
                if self.jumps > most { Err(Lost) } else { Ok(after) }
            }
            Control::Call(to) => {
                let after = goto(to)?;
                self.calls.push(return_address(pc));
                if self.calls.len() > self.program.core.call_depth() {
                    Err(Lost)
                } else {
                    Ok(after)
                }
            }
            Control::Ret => Ok(self.calls.pop().map(|to| (next, Some(Pending::Goto(to))))),
            Control::Do { count, end } => {
                let count = count.or_else(|| operand().map(loop_count));
                Ok(Some((self.enter(pc, end, count)?, None)))
            }
            Control::Enddo => {
                self.loops.pop();
                Ok(Some((next, None)))
            }
            Control::Stop => Ok(None),
            Control::Run => Err(Lost),
        }
    }

    /// Whether the bundle changes the loops by a `move` to LA or LC, which are not followed.
    fn changes_loops(&self, pc: BundleAddress) -> bool {
        let written = self.program.get(pc).and_then(|d| d.bundle.exch.control_written());
        matches!(written, Some(control::LA | control::LC))
    }

    /// Begins a loop and tells where the run goes on.
    fn enter(
        &mut self,
        at: BundleAddress,
        end: BundleAddress,
        count: Option<u32>,
    ) -> Result<BundleAddress, Lost> {
        let seen = Count::of(count);
        self.trace.counts.seen.entry(at).and_modify(|old| *old = old.or(seen)).or_insert(seen);
        // A loop whose count is not known is passed once.
        let flow = match begun(at, count.unwrap_or(1), end) {
            LoopEntry::Nothing(to) => return Ok(to),
            LoopEntry::Loop(flow) => flow,
        };
        if self.loops.len() >= self.program.core.loop_depth() {
            return Err(Lost);
        }
        if count.is_none() {
            self.forget(at);
        }
        self.loops.push(Active { at, flow, since: *self.steps, general: count.is_none() });
        Ok(flow.start)
    }

    /// Decides how the innermost loop goes on behind the bundle that has issued; `None` unless the bundle is its end.
    fn decide(&mut self, pc: BundleAddress) -> Option<Option<Pending>> {
        let steps = *self.steps;
        let top = self.loops.last_mut()?;
        let at = top.at;
        let is_long = steps > MANY_STEPS || steps - top.since > LOOP_STEPS;
        if top.flow.end == pc && top.flow.count > 1 && is_long {
            (top.flow.count, top.general) = (2, true);
            self.forget(at);
        }
        let top = self.loops.last_mut()?;
        let general = top.general;
        match decision(Some(&top.flow), pc, FlowPosition::Plain) {
            Decision::None => None,
            Decision::Back { start, left } => {
                top.flow.count = left;
                Some(Some(Pending::Goto(start)))
            }
            Decision::Leave => {
                self.loops.pop();
                Some(general.then_some(Pending::Leave(at)))
            }
        }
    }

    /// Forgets what the body of a loop writes.
    fn forget(&mut self, at: BundleAddress) {
        let written = match self.written.get(&at) {
            Some(written) => *written,
            None => {
                let written = written_by(self.program, at);
                self.written.insert(at, written);
                written
            }
        };
        self.values.forget(&written);
    }

    fn observe(&mut self, pc: BundleAddress, exch: &Inst<Exch>) {
        let Some(value) = self.values.decisive(exch) else { return };
        let seen = self.trace.decisive.entry(pc).or_default();
        match value {
            Some(value) if seen.known.len() < MOST_VALUES => {
                seen.known.insert(value);
            }
            Some(value) if seen.known.contains(&value) => {}
            _ => seen.unknown = true,
        }
    }

    /// Looks at the values of a bundle once more, as they are in any iteration of the loops around it.
    fn revisit(&mut self, pc: BundleAddress) {
        let around: Vec<BundleAddress> = self.loops.iter().map(|active| active.at).collect();
        around.into_iter().for_each(|at| self.forget(at));
        if let Some(decoded) = self.program.get(pc).filter(|_| self.decisive) {
            self.observe(pc, &decoded.bundle.exch);
            self.trace.settled.insert(pc);
        }
    }

    fn access(&mut self, pc: BundleAddress) {
        let Some(decoded) = self.program.get(pc) else { return };
        let exch = &decoded.bundle.exch;
        let Some(address) = self.values.address(exch) else { return };
        let is_double = exch.memory_access().is_some_and(|access| access.words == 2);
        if is_double && address.is_odd() == Some(true) {
            let word = address.get().map(WordAddress);
            self.trace.odd.entry(pc).and_modify(|known| *known = known.or(word)).or_insert(word);
        }
        if let Some(bank) = address.bank(&self.program.core) {
            self.trace
                .banks
                .entry(pc)
                .or_default()
                .entry(bank)
                .or_insert(address.get().map(WordAddress));
        }
    }
}

/// Returns the registers that the body of a loop writes; all, if the flow leaves the body.
fn written_by(program: &Program<'_>, at: BundleAddress) -> Written {
    let Some(body) = program.body(at) else { return Written::ALL };
    let mut written = Written::default();
    for address in body.addresses() {
        match program.get(address) {
            Some(decoded) if !decoded.control.has_delay_slot() => written.add(&decoded.bundle),
            _ => return Written::ALL,
        }
    }
    written
}
