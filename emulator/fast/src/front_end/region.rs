//! Selection of the bundles of a block: a straight run, up to a change of the flow, to the end of a loop's body, or to a
//! bundle that has to be left to the portable engine. A bundle that asks the DMA channel is a block of its own, one that lets
//! the channel go on is the last of a block: so the channel can be where the block begins or ends.

use cp2_isa::rules::flow::{self, ActiveLoop, Body, FlowPosition};
use cp2_isa::{
    Arith, Bundle, BundleAddress, BundleBits, Core, CountOperand, Effects, Exch, Inst, MoveReg,
    RegFile, control, decode,
};
use serde::{Deserialize, Serialize};

/// Number of bundles that a block has at most.
pub(crate) const LONGEST: usize = 600;

/// Number of bundles to which a short turn is unrolled.
pub(crate) const UNROLLED: usize = 32;

/// Number of bundles to which a short turn is unrolled that cannot be repeated within one call of its code.
pub(crate) const LONG_TURNS: usize = 8 * UNROLLED;

/// Number of cycles of a pass that does turns of inner loops one behind the other in a loop of its own, at most.
pub(crate) const LONGEST_PASS: usize = 16384;

/// Least number of cycles within which everything lands that is under way on a core.
const SETTLED: u32 = 16;

/// Returns the number of cycles, 16 at least, within which everything lands that is under way on a core.
pub(crate) fn settled(core: &Core) -> u32 {
    core.latencies().longest().max(SETTLED)
}

/// Extent of a block: how far it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Extent {
    /// To the next change of the flow.
    Straight,
    /// Bodies of the innermost loop, this number of them one behind the other.
    Turns(usize),
    /// Through jumps, and through loops and calls that the block can do as a whole; of short turns this number at most.
    Through(usize),
}

/// Distance of landmarks in bundles: places at multiples of it are landmarks.
const LANDMARKS: usize = 256;

/// Ending of a block: what happens behind its last bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ending {
    /// The flow goes straight on, at this address.
    Plain(BundleAddress),
    /// The innermost loop decides.
    Loop,
    /// A loop starts behind the `do` at `pc`.
    Do { pc: BundleAddress, end: BundleAddress, count: CountOperand },
    /// A jump, its delay slot included.
    Jump(Target),
    /// A call from `pc`, its delay slot included.
    Call { pc: BundleAddress, to: Target },
    /// A return, its delay slot included.
    Return,
    /// The innermost loop is forgotten by the `enddo` at this address.
    Forget(BundleAddress),
}

impl Ending {
    /// Whether the registers that the ending reads are there.
    pub(crate) fn is_sound(&self) -> bool {
        let number = match *self {
            Self::Do { count: CountOperand::Gpr(number), .. } => number,
            Self::Jump(Target::Gpr(number)) | Self::Call { to: Target::Gpr(number), .. } => number,
            _ => 0,
        };
        number < 16
    }
}

/// Target of a jump or a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Target {
    Immediate(BundleAddress),
    Gpr(u8),
}

/// Use of the DMA channel by a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ChannelUse {
    /// `check_dma` asks what the channel does.
    Asks,
    /// `start_dma` lets the channel go on.
    Releases,
}

impl ChannelUse {
    /// Returns the use of the channel by an operation, if it has one.
    pub(crate) fn of(op: Exch) -> Option<Self> {
        match op {
            Exch::CheckDma => Some(Self::Asks),
            Exch::StartDma => Some(Self::Releases),
            _ => None,
        }
    }
}

/// Program from which translations are made: instruction memory and the core to which it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeSource<'a> {
    pub(crate) core: &'a Core,
    pub(crate) iram: &'a [BundleBits],
}

/// Place at which a block is to begin, and the loop around it, which tells how far it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct BlockStart {
    pub(crate) pc: BundleAddress,
    /// Address of the last bundle before the innermost loop decides, if it still can.
    pub(crate) last: Option<BundleAddress>,
    /// Body of the innermost loop.
    pub(crate) innermost: Option<Body>,
    /// Whether the first bundle is the last of a loop that is over.
    pub(crate) follows_exit: bool,
    /// Address at which the flow goes on behind the first bundle, if that is nullified.
    pub(crate) nullified: Option<BundleAddress>,
}

/// Numbers of loops and calls that are under way at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Depth {
    pub(crate) loops: usize,
    pub(crate) calls: usize,
}

/// Turns of an inner loop that a region has only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RolledTurns {
    /// First of the bundles that stand for all turns, by its number in the region.
    pub(crate) first: usize,
    /// Number of the bundle behind the last one of them.
    pub(crate) end: usize,
    /// Number of times that the bundles issue, one time behind the other.
    pub(crate) times: u32,
}

/// Region: the bundles of a block, in the order of issue.
#[derive(Clone, Debug)]
pub(crate) struct BlockRegion {
    /// Bundles with their addresses; `None` in place of a bundle that is nullified.
    pub(crate) bundles: Vec<(BundleAddress, Option<Bundle>)>,
    pub(crate) ending: Ending,
    /// General registers whose values, when the region began, were the counts of loops.
    pub(crate) counts: Vec<u8>,
    /// Greatest numbers of loops and calls that are under way on the way through the region.
    pub(crate) depth: Depth,
    /// Whether another turn of the region begins behind it, unless the loop around it is over.
    pub(crate) is_turn: bool,
    /// Number of turns that the region has.
    pub(crate) times: usize,
    /// Turns of inner loops that the region has only once, in the order of issue.
    pub(crate) rolled: Vec<RolledTurns>,
}

impl Default for BlockRegion {
    fn default() -> Self {
        Self {
            bundles: Vec::new(),
            ending: Ending::Plain(BundleAddress::default()),
            counts: Vec::new(),
            depth: Depth::default(),
            is_turn: false,
            times: 1,
            rolled: Vec::new(),
        }
    }
}

impl BlockRegion {
    /// Returns the use of the channel by the region, which is that of its last bundle.
    pub(crate) fn channel_use(&self) -> Option<ChannelUse> {
        let last = self.bundles.last().and_then(|(_, bundle)| bundle.as_ref());
        last.and_then(|bundle| ChannelUse::of(bundle.exch.op))
    }

    /// Whether a bundle may make another translation necessary, in a way that only the run tells.
    pub(crate) fn changes_mode(&self) -> bool {
        self.bundles.iter().filter_map(|(_, bundle)| bundle.as_ref()).any(|b| changes_mode(&b.exch))
    }

    /// Returns about how many cycles the region takes: one for each bundle that issues.
    pub(crate) fn cycles(&self) -> usize {
        let more = |turns: &RolledTurns| (turns.times as usize - 1) * (turns.end - turns.first);
        self.bundles.len() + self.rolled.iter().map(more).sum::<usize>()
    }

    /// Returns a region of one turn repeated so many times; `None` if that cannot be done.
    pub(crate) fn repeated(mut self, times: usize) -> Option<Self> {
        let is_plain = self.rolled.is_empty() && self.channel_use().is_none();
        if !self.is_turn || !is_plain || self.changes_mode() {
            return None;
        }
        let turn = self.bundles.clone();
        (1..times).for_each(|_| self.bundles.extend_from_slice(&turn));
        Some(Self { times, ..self })
    }

    /// Returns the address that issues behind bundle `k`; `None` if only the run knows it, in the delay slot of a jump to a
    /// register and on the way back of a loop.
    pub(crate) fn next_address(&self, k: usize, place: &BlockStart) -> Option<BundleAddress> {
        let &(pc, _) = self.bundles.get(k)?;
        if let Some(&(next, _)) = self.bundles.get(k + 1) {
            return Some(next);
        }
        match self.ending {
            Ending::Jump(to) | Ending::Call { to, .. } => match to {
                Target::Immediate(to) => Some(to),
                Target::Gpr(_) => None,
            },
            Ending::Return => None,
            Ending::Loop if place.end().is_some_and(|end| pc == end.plus(1)) => None,
            _ => Some(pc.plus(1)),
        }
    }
}

impl BlockStart {
    /// Creates the place of a bundle, given the loop around it.
    pub(crate) fn new(
        pc: BundleAddress,
        innermost: Option<&ActiveLoop>,
        follows_exit: bool,
    ) -> Self {
        Self {
            pc,
            last: innermost.filter(|l| l.end >= pc).map(|l| l.body().last()),
            innermost: innermost.map(ActiveLoop::body),
            follows_exit,
            nullified: None,
        }
    }

    fn end(&self) -> Option<BundleAddress> {
        self.innermost.map(|body| body.end)
    }

    /// Returns the number of bundles to the next landmark: a multiple of [`LANDMARKS`], or where the body of the innermost
    /// loop begins again; 0 at a landmark.
    pub(crate) fn bundles_to_landmark(&self) -> usize {
        let pc = self.pc.index();
        if self.innermost.is_some_and(|body| body.start == self.pc) {
            return 0;
        }
        let next = pc.next_multiple_of(LANDMARKS);
        let turn = self.innermost.map(|body| body.after().index()).filter(|&after| after > pc);
        turn.map_or(next, |after| next.min(after)) - pc
    }

    /// Whether the machine lets a control operation stand here.
    fn allows(&self, pc: BundleAddress, op: Exch) -> bool {
        let begins = self.follows_exit && pc == self.pc;
        let position = if begins { FlowPosition::LoopExit } else { FlowPosition::Plain };
        flow::misplaced(op.row(), pc, position, self.innermost).is_none()
    }

    /// Whether the machine starts a loop with its `do` at `pc`.
    pub(super) fn allows_loop(&self, core: &Core, pc: BundleAddress, end: BundleAddress) -> bool {
        let body = Body::behind(pc, end);
        body.is_possible()
            && flow::target(core, body.last().into()).is_some()
            && self.innermost.is_none_or(|outer| outer.nests(pc, body))
    }

    /// Returns the region of the bundles from the place on, at most `most` of them.
    pub(crate) fn region(&self, program: CodeSource<'_>, most: usize) -> BlockRegion {
        let mut bundles = Vec::new();
        let most = most.min(LONGEST);
        let mut pc = self.pc;
        if let Some(to) = self.nullified {
            let (bundles, ending) = (vec![(pc, None)], Ending::Plain(to));
            return BlockRegion { bundles, ending, ..BlockRegion::default() };
        }
        let ending = loop {
            // The bundle at a loop's end and the next one stay together.
            let needed = if self.end() == Some(pc) && self.last > Some(pc) { 2 } else { 1 };
            if bundles.len() + needed > most {
                break Ending::Plain(pc);
            }
            let Some(bundle) = program.bundle(pc) else { break Ending::Plain(pc) };
            if bundle.exch.op.row().effects.contains(Effects::CONTROL) {
                match self.control(program, pc, &bundle, most - bundles.len()) {
                    None => break Ending::Plain(pc),
                    Some(RegionStep::On) => bundles.push((pc, Some(bundle))),
                    Some(RegionStep::End(ending, slot)) => {
                        bundles.push((pc, Some(bundle)));
                        bundles.extend(slot.map(|slot| (pc.plus(1), Some(slot))));
                        break ending;
                    }
                }
            } else {
                let channel_use = ChannelUse::of(bundle.exch.op);
                if channel_use == Some(ChannelUse::Asks) && !bundles.is_empty() {
                    break Ending::Plain(pc);
                }
                let ends = channel_use.is_some() || changes_mode(&bundle.exch);
                if ends && self.last.is_some_and(|last| last == pc.plus(1)) {
                    break Ending::Plain(pc);
                }
                bundles.push((pc, Some(bundle)));
                if self.last == Some(pc) {
                    break Ending::Loop;
                }
                if ends {
                    break Ending::Plain(pc.plus(1));
                }
            }
            pc = pc.plus(1);
        };
        let is_turn = ending == Ending::Loop
            && self.may_end_loop()
            && self.innermost.is_some_and(|body| body.start == self.pc);
        self.whole(BlockRegion { bundles, ending, is_turn, ..BlockRegion::default() })
    }

    /// Whether the innermost loop may go back or be over behind a block from here.
    pub(crate) fn may_end_loop(&self) -> bool {
        self.last.is_some() && self.last == self.innermost.map(|body| body.last())
    }

    /// Takes the bundle at a loop's end out again if the one after it could not be taken.
    fn whole(&self, mut region: BlockRegion) -> BlockRegion {
        if let (Ending::Plain(next), Some(end)) = (region.ending, self.end())
            && next == end.plus(1)
            && self.last == Some(next)
            && region.bundles.pop().is_some()
        {
            region.ending = Ending::Plain(end);
        }
        region
    }

    fn control(
        &self,
        program: CodeSource<'_>,
        pc: BundleAddress,
        bundle: &Bundle,
        room: usize,
    ) -> Option<RegionStep> {
        let op = bundle.exch.op;
        if !self.allows(pc, op) {
            return None;
        }
        let gpr = bundle.exch.values[0] as u8;
        let first = pc == self.pc;
        if op == Exch::Sync {
            return Some(RegionStep::On);
        }
        if let Some((count, end)) = bundle.exch.hardware_loop() {
            let step = RegionStep::End(Ending::Do { pc, end, count }, None);
            return self.allows_loop(program.core, pc, end).then_some(step);
        }
        let immediate = bundle.exch.target().map(Target::Immediate);
        let ending = match op {
            Exch::Enddo => return Some(RegionStep::End(Ending::Forget(pc), None)),
            Exch::Jumpi => Ending::Jump(immediate?),
            Exch::Calli => Ending::Call { pc, to: immediate? },
            Exch::Jump if first => Ending::Jump(Target::Gpr(gpr)),
            Exch::Call if first => Ending::Call { pc, to: Target::Gpr(gpr) },
            Exch::Ret if first => Ending::Return,
            _ => return None,
        };
        let slot = program.bundle(pc.plus(1)).filter(|slot| {
            let op = slot.exch.op;
            !op.row().effects.contains(Effects::CONTROL) && ChannelUse::of(op).is_none()
        });
        match slot {
            Some(slot) if room >= 2 => Some(RegionStep::End(ending, Some(slot))),
            _ => None,
        }
    }
}

enum RegionStep {
    On,
    End(Ending, Option<Bundle>),
}

impl CodeSource<'_> {
    /// Returns the bundle at an address, if this engine may execute it.
    pub(super) fn bundle(&self, pc: BundleAddress) -> Option<Bundle> {
        let bundle = decode(*self.iram.get(pc.index())?, self.core).ok()?;
        let known = !matches!(bundle.arith.op, Arith::Mfc | Arith::Mtc);
        (known && is_translated(&bundle.exch)).then_some(bundle)
    }
}

/// Whether blocks can read or write a register: of the control registers RIND, RSTEP and RMASK, and PC to be read.
fn is_plain(reg: MoveReg, write: bool) -> bool {
    reg.file != RegFile::Control
        || matches!(reg.number, control::RIND | control::RSTEP | control::RMASK)
        || !write && reg.number == control::PC
}

fn is_translated(inst: &Inst<Exch>) -> bool {
    match inst.op {
        Exch::Move => {
            inst.moved().is_some_and(|(to, from)| is_plain(to, true) && is_plain(from, false))
        }
        Exch::Stop | Exch::Stopi | Exch::Run | Exch::Runi => false,
        _ => true,
    }
}

/// Whether blocks behind the operation may need another translation, in a way that only the run
/// tells.
pub(crate) fn changes_mode(inst: &Inst<Exch>) -> bool {
    inst.moved().is_some_and(|(to, _)| to.file == RegFile::M)
        || inst.control_written() == Some(control::RMASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landmarks_are_multiples_and_where_a_body_begins_again() {
        let place = |pc: usize, body: Option<Body>| BlockStart {
            pc: BundleAddress::from_index(pc),
            last: body.map(|body| body.last()),
            innermost: body,
            follows_exit: false,
            nullified: None,
        };
        let [start, end] = [LANDMARKS + 5, LANDMARKS + 40].map(BundleAddress::from_index);
        let body = Body { start, end };
        let to = |pc, body| place(pc, body).bundles_to_landmark();
        assert_eq!([0, 1, LANDMARKS].map(|pc| to(pc, None)), [0, LANDMARKS - 1, 0]);
        // Behind the bundle that decides on the loop stands its first one, or what follows it.
        let behind = body.last().index() + 1;
        assert_eq!(to(start.index(), Some(body)), 0);
        assert_eq!(to(start.index() + 1, Some(body)), behind - start.index() - 1);
        assert_eq!(to(body.last().index(), Some(body)), 1);
    }
}
