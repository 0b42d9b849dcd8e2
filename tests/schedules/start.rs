//! Random states that keep what a region promises, and the comparison of two states after it.

use super::generate::BY_N;
use crate::dice::Dice;
use crate::sequential::{self, Broken};
use cp2_asm::linear::{Block, Region, TripCount};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Difference, End, State};
use cp2_fast::Fast;
use cp2_isa::{Bundle, BundleAddress, BundleBits, Core, Exch, Inst, SECTIONS, WordAddress, encode};

/// Operations after which a sequential run is given up.
pub(crate) const LIMIT: u64 = 200_000;

/// Two moderate floats, so that results seldom overflow and stay distinct.
fn pair(dice: &mut Dice) -> u64 {
    let bits = dice.bits();
    let float = |bits: u32| (bits & 0x807f_ffff) | (124 + (bits >> 24 & 3)) << 23;
    u64::from(float(bits as u32)) | u64::from(float((bits >> 32) as u32)) << 32
}

/// A random state and the state after the sequential run, or why none was found.
pub(crate) fn start(
    core: &Core,
    region: &Region,
    dice: &mut Dice,
) -> Result<(State, State), Broken> {
    let mut last = Broken::Long;
    for _ in 0..20 {
        let before = random_state(core, region, dice);
        let mut after = before.clone();
        match sequential::run(core, region, &mut after, LIMIT) {
            Ok(()) => return Ok((before, after)),
            Err(broken) => last = broken,
        }
    }
    Err(last)
}

fn random_state(core: &Core, region: &Region, dice: &mut Dice) -> State {
    let mut state = State::new(core);
    for quad in state.fpr.iter_mut().chain(state.lmem.iter_mut()) {
        *quad = std::array::from_fn(|_| pair(dice));
    }
    state.gpr = std::array::from_fn(|_| dice.bits());
    state.ireg = std::array::from_fn(|_| dice.bits());
    state.n = std::array::from_fn(|_| dice.between(1, 4) as u16);
    state.m[usize::from(BY_N)] = dice.pick(&[core.address_mask(), core.address_mask(), 0x3f, 0]);
    state.fccr = std::array::from_fn(|_| dice.bits() as u8 | 1);
    state.rind = dice.bits() as u16;
    state.rstep = dice.bits() as u16 | 1;
    state.rmask = dice.pick(&[0xffff, 0x3fff, 0xff00]);
    state.control = dice.bits() & 0x8003;
    addresses(region, dice, &mut state);
    counts(&region.blocks, dice, &mut state);
    state
}

/// Sets that may meet are often near each other, the others a 16th of the memory apart.
fn addresses(region: &Region, dice: &mut Dice, state: &mut State) {
    let words = state.lmem.len();
    for k in 0..16u8 {
        let near = (0..k).find(|&j| !region.are_disjoint(j, k) && dice.percent(40));
        let promised = (0..16).any(|j| region.are_disjoint(j, k));
        let base = match near {
            Some(j) if !promised => state.a[usize::from(j)].index() + dice.below(9),
            _ => words / 16 * usize::from(k) + words / 128 + dice.below(words / 128),
        };
        let odd = if region.even.contains(&k) { !1 } else { !0 };
        state.a[usize::from(k)] = WordAddress((base % words) as u16 & odd);
    }
}

fn counts(blocks: &[Block], dice: &mut Dice, state: &mut State) {
    for block in blocks {
        let Block::Loop(inner) = block else { continue };
        if let TripCount::Register { gpr, min, multiple, .. } = inner.count {
            let step = multiple.max(1);
            let count = min.div_ceil(step) * step + step * dice.below(6) as u32;
            state.gpr[usize::from(gpr)] = dice.bits() << 32 | u64::from(count);
        }
        counts(&inner.body, dice, state);
    }
}

/// A machine in this state that holds bundles and then `stopi 0`, if they are not too many.
fn holding(core: &Core, words: &[BundleBits], before: &State) -> Option<Cp2> {
    const STOP: BundleBits = 0x08 << 23;
    let mut cp2 = Cp2::new(*core);
    cp2.state = before.clone();
    *cp2.state.iram.get_mut(words.len())? = STOP;
    cp2.state.iram[..words.len()].copy_from_slice(words);
    Some(cp2)
}

/// Runs bundles on the fast engine alone; gives the state behind them, `None` if they do not get to their end.
pub(crate) fn run_fast(
    core: &Core,
    words: &[BundleBits],
    before: &State,
    limit: u64,
) -> Option<State> {
    let mut fast = Fast::new(holding(core, words, before)?);
    let run = fast.run_untraced(BundleAddress(0), limit);
    matches!(run.end, End::Stopped(_)).then(|| fast.cp2().state.clone())
}

/// Runs bundles on both engines; gives the state and the cycles of the bundles, `None` if they do not get to their end, or
/// where the engines differ.
pub(crate) fn run_words(
    core: &Core,
    words: &[BundleBits],
    before: &State,
    limit: u64,
) -> Result<Option<(State, u64)>, String> {
    let Some(mut cp2) = holding(core, words, before) else { return Ok(None) };
    let mut fast = Fast::new(cp2.clone());
    let (run, again) =
        (cp2.run_untraced(BundleAddress(0), limit), fast.run_untraced(BundleAddress(0), limit));
    if let Some(difference) = Difference::first(&cp2.state, &fast.cp2().state) {
        return Err(difference.to_string());
    }
    if again != run {
        return Err(format!("{again:?} instead of {run:?}"));
    }
    let is_over = matches!(run.end, End::Stopped(_));
    Ok(is_over.then_some((cp2.state, run.stats.cycles - 1)))
}

/// The end of a run: the state when everything has landed, and what of that the bundle right behind the
/// last one does not see yet.
pub(crate) struct Behind {
    pub(crate) state: State,
    pub(crate) unseen: Option<String>,
}

/// Runs bundles and lets no time pass behind them; `None` if they do not get to their end.
pub(crate) fn behind(
    core: &Core,
    region: &Region,
    words: &[BundleBits],
    before: &State,
    limit: u64,
) -> Option<Behind> {
    let mut cp2 = holding(core, words, before)?;
    cp2.start(BundleAddress(0));
    let end = cp2.advance(limit, &mut NoObserver)?;
    let state = &cp2.state;
    let (fpr, fccr, fcsr) = (state.fpr.clone(), state.fccr, state.fcsr);
    if !matches!(cp2.finish(end).end, End::Stopped(_)) {
        return None;
    }
    let state = cp2.state;
    let flags = |fcsr: [u32; SECTIONS]| fcsr.map(|word| word & 0xfc);
    let late = (0..fpr.len()).find(|&n| fpr[n] != state.fpr[n]).map(|n| format!("f{n}"));
    let late = late.or_else(|| (fccr != state.fccr).then(|| "condition codes".into()));
    let late = late.or_else(|| (flags(fcsr) != flags(state.fcsr)).then(|| "flags".into()));
    let late = late.or_else(|| (state.loops != before.loops).then(|| "the loop stack".into()));
    let unseen = late.or_else(|| stale_gpr(core, region, words, before, &state));
    Some(Behind { state, unseen })
}

/// Returns a general register of which `stop` right behind the bundles sees an older value.
fn stale_gpr(
    core: &Core,
    region: &Region,
    words: &[BundleBits],
    before: &State,
    after: &State,
) -> Option<String> {
    let kept = (0..16u8).filter(|gpr| !region.scratch.contains(gpr));
    let mut written = kept.filter(|&gpr| region.ops.iter().any(|op| op.writes_gpr(gpr)));
    let stale = written.find(|&gpr| {
        let mut cp2 = holding(core, words, before).expect("room");
        let mut stop = Bundle::NOP;
        stop.exch = Inst::new(Exch::Stop, &[gpr.into()]);
        cp2.state.iram[words.len()] = encode(&stop);
        let run = cp2.run_untraced(BundleAddress(0), u64::MAX);
        run.end != End::Stopped(after.gpr[usize::from(gpr)])
    });
    stale.map(|gpr| format!("g{gpr}"))
}

/// The FPRs that a region names; the others hold anything after it.
pub(crate) fn named(region: &Region) -> Vec<u8> {
    let accesses = region.ops.iter().flat_map(|op| region.fpr_accesses(op));
    let mut named: Vec<u8> = accesses.filter_map(|access| access.reg.physical()).collect();
    named.extend(region.assigned.values());
    named.extend(&region.kept);
    named.sort_unstable();
    named.dedup();
    named
}

/// Returns the first difference of two states after a region; FCSR.cause may differ.
pub(crate) fn difference(region: &Region, expected: &State, found: &State) -> Option<String> {
    for n in named(region) {
        for s in 0..SECTIONS {
            let (e, f) = (expected.fpr[usize::from(n)][s], found.fpr[usize::from(n)][s]);
            if e != f {
                return Some(format!("f{n} of section {s} is {f:016x} instead of {e:016x}"));
            }
        }
    }
    if let Some(word) = (0..expected.lmem.len()).find(|&w| expected.lmem[w] != found.lmem[w]) {
        let (e, f) = (expected.lmem[word], found.lmem[word]);
        return Some(format!("word {word} is {f:016x?} instead of {e:016x?}"));
    }
    let used = |k: &usize| !region.scratch.contains(&(*k as u8));
    if let Some(k) = (0..16).filter(used).find(|&k| expected.gpr[k] != found.gpr[k]) {
        let (e, f) = (expected.gpr[k], found.gpr[k]);
        return Some(format!("g{k} is {f:#x} instead of {e:#x}"));
    }
    let flags = |state: &State| state.fcsr.map(|word| word & 0xfc);
    let others =
        |s: &State| format!("a {:?} n {:?} m {:?} i {:x?} sa {:?}", s.a, s.n, s.m, s.ireg, s.sa);
    let controls = |s: &State| {
        format!(
            "fccr {:x?} rind {:x} rstep {:x} rmask {:x} control {:x} status {:x} flags {:x?}",
            s.fccr,
            s.rind,
            s.rstep,
            s.rmask,
            s.control,
            s.status,
            flags(s)
        )
    };
    [(others(expected), others(found)), (controls(expected), controls(found))]
        .into_iter()
        .find(|(e, f)| e != f)
        .map(|(e, f)| format!("\n  {f}\ninstead of\n  {e}"))
}
