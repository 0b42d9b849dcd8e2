//! Phases laid over each other: while one register set computes, the other stores and loads. What
//! a phase does is in `phase`; addresses and text are in `text`.

use super::phase::{Butterfly, Phase, SET, SUBSTAGE, Timing, Transfer};
use std::collections::VecDeque;

/// A pointer into local memory with its own address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Load,
    Store,
    /// Loads of the factors of the results.
    Table,
}

/// An exchange operation before its address step is known.
#[derive(Clone, Debug)]
pub(super) enum Exchange {
    /// Text that is final.
    Text(String),
    /// `words` words between registers from `reg` on and word `offset` of unit `unit`, counted from
    /// the unit of the segment.
    Memory { stream: Stream, reg: usize, words: usize, unit: i64, offset: i64 },
    /// Slot kept free for the call of a part that is shared.
    Call,
    /// Slot kept free for the return from a part that is shared.
    Return,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) arith: String,
    pub(super) exch: Option<Exchange>,
    /// Whether the line reads a register whose next value is under way, on purpose.
    pub(super) reads_old: bool,
    /// Work that the line belongs to.
    pub(super) work: Work,
}

/// Work of a line within its pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Work {
    /// The first points are loaded, or the last results stored.
    #[default]
    Edge,
    /// Substage of the phase, from 1, and its butterfly on the registers of the phase, from 1; 0 where it waits.
    Butterfly { substage: usize, number: usize },
    /// The results are multiplied by factors.
    Factors,
}

/// Returns the work of each butterfly of a phase of so many substages.
fn works(butterflies: &[Butterfly], substages: usize) -> Vec<Work> {
    let mut done = 0;
    let work = |b: &Butterfly| {
        let (substage, number) = (done / SUBSTAGE + 1, done % SUBSTAGE + 1);
        match b {
            Butterfly::Product { .. } => Work::Factors,
            Butterfly::Wait if substage > substages => Work::Factors,
            Butterfly::Wait => Work::Butterfly { substage, number: 0 },
            Butterfly::Coefficient { .. } | Butterfly::Sum { .. } => {
                done += 1;
                Work::Butterfly { substage, number }
            }
        }
    };
    butterflies.iter().map(work).collect()
}

/// Cycles of a phase that are kept free: from `ret` + 2 to `call` + 1 the bundles stand for
/// themselves; those from `call` + 2 to `ret` + 1 of the next phase may be shared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) ret: usize,
    pub(super) call: usize,
}

/// Bundles in a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    pub(super) lines: Vec<Line>,
    /// Line at which each phase starts.
    pub(super) starts: Vec<usize>,
}

impl Segment {
    fn push(&mut self, phase: Vec<Line>) {
        self.starts.push(self.lines.len());
        self.lines.extend(phase);
    }
}

/// The bundles of a pass: before the loop over the units, in it, and after it.
pub(super) struct Segments {
    pub(super) head: Segment,
    pub(super) body: Segment,
    pub(super) tail: Segment,
}

/// Work of the exchange slots of one phase besides its own moves.
struct Exchanges<'a> {
    /// Phase whose results are stored, and its unit.
    stores: Option<(&'a Phase, i64)>,
    /// Phase whose points are loaded, and its unit.
    loads: Option<(&'a Phase, i64)>,
    /// Unit of this phase.
    unit: i64,
    /// Moves of the next phase that lie in this one.
    next: Option<&'a Phase>,
    /// Operations that may go anywhere in order.
    extras: VecDeque<String>,
}

fn memory(stream: Stream, set: usize, t: &Transfer, unit: i64) -> Exchange {
    Exchange::Memory { stream, reg: set * SET + t.reg, words: t.words, unit, offset: t.offset }
}

/// Returns the bundles of a phase that computes in register set `set`, or why they are too few.
fn phase_lines(
    phase: &Phase,
    set: usize,
    shared: Option<Shared>,
    timing: Timing,
    mut work: Exchanges<'_>,
) -> Result<Vec<Line>, &'static str> {
    let cycles = phase.butterflies.len() as i32;
    let other = 1 - set;
    let works = works(&phase.butterflies, phase.substages);
    let with_work = |(b, work)| Line { work, ..arithmetic(b, set) };
    let mut lines: Vec<Line> = phase.butterflies.iter().zip(works).map(with_work).collect();
    if let Some(Shared { ret, call }) = shared {
        lines[ret].exch = Some(Exchange::Return);
        lines[call].exch = Some(Exchange::Call);
    }
    let ahead = work.next.iter().flat_map(|n| &n.moves).map(|(c, op)| (c + cycles, op));
    for (cycle, op) in phase.moves.iter().map(|(c, op)| (*c, op)).chain(ahead) {
        if (0..cycles).contains(&cycle) {
            let line = &mut lines[cycle as usize];
            if line.exch.is_some() {
                return Err("two operations need one exchange slot");
            }
            line.exch = Some(Exchange::Text(op.clone()));
        }
    }
    let mut stores: VecDeque<Transfer> =
        work.stores.map(|(p, _)| p.stores.iter().copied().collect()).unwrap_or_default();
    let mut loads: VecDeque<Transfer> =
        work.loads.map(|(p, _)| p.loads.iter().copied().collect()).unwrap_or_default();
    let mut table: VecDeque<Transfer> = phase.table.iter().copied().collect();
    // A factor occupies its register until the load behind it lands: when that is issued, all of its
    // products, one in each bundle, must have been read by the time it is seen.
    let after = |t: &Transfer| (t.cycle + t.words as i32 - timing.load).max(0);
    let release = |l: &Transfer| phase.table.iter().find(|t| t.reg == l.reg).map_or(0, after);
    for (now, line) in lines.iter_mut().enumerate().filter(|(_, l)| l.exch.is_none()) {
        let now = now as i32;
        // The phases before and after this one are as long as this one.
        let store = stores.front().filter(|s| s.cycle - cycles <= now).copied();
        let free = |l: &Transfer| stores.iter().all(|s| !s.shares_a_register_with(l));
        let factor = table.front().filter(|l| free(l)).copied();
        let load = loads.front().filter(|l| free(l) && release(l) <= now).copied();
        line.exch = if let Some(op) = work.extras.pop_front() {
            Some(Exchange::Text(op))
        } else if let (Some(s), Some((_, unit))) = (store, work.stores) {
            stores.pop_front();
            Some(memory(Stream::Store, other, &s, unit))
        } else if let Some(t) = factor {
            table.pop_front();
            if now + timing.load > t.cycle {
                return Err("a factor comes too late for its product");
            }
            Some(memory(Stream::Table, other, &t, work.unit))
        } else if let (Some(l), Some((_, unit))) = (load, work.loads) {
            loads.pop_front();
            if now + timing.load > l.cycle + cycles {
                return Err("a load comes too late for its butterfly");
            }
            Some(memory(Stream::Load, other, &l, unit))
        } else {
            None
        };
    }
    if stores.is_empty() && loads.is_empty() && table.is_empty() && work.extras.is_empty() {
        Ok(lines)
    } else {
        Err("no exchange slot is left for a load or a store")
    }
}

fn arithmetic(b: &Butterfly, set: usize) -> Line {
    let (base, other) = (set * SET, (1 - set) * SET);
    match *b {
        Butterfly::Wait => Line::default(),
        Butterfly::Product { d } => {
            let arith = format!("cmul f{}, f{}, f{}", base + d, base + d, other + d);
            Line { arith, reads_old: true, ..Line::default() }
        }
        Butterfly::Coefficient { d, s } => {
            Line { arith: format!("cbutterfly f{}, f{}", base + d, base + s), ..Line::default() }
        }
        Butterfly::Sum { d, s, t, q, reads_old } => Line {
            arith: format!("caddsub f{}, f{}, f{}, f{}", base + d, base + s, base + t, base + q),
            reads_old,
            ..Line::default()
        },
    }
}

/// Loads of the first phase, as early as the exchange slot allows.
fn prologue(phase: &Phase, timing: Timing, before: Vec<String>) -> Vec<Line> {
    let text = |op: String| Line { exch: Some(Exchange::Text(op)), ..Line::default() };
    let mut lines: Vec<Line> = before.into_iter().map(text).collect();
    let mut start = 0;
    for load in &phase.loads {
        start = start.max(lines.len() as i32 + timing.load - load.cycle);
        let exch = Some(memory(Stream::Load, 0, load, 0));
        lines.push(Line { exch, ..Line::default() });
    }
    let mut early: Vec<_> = phase.moves.iter().filter(|(c, _)| *c < 0).collect();
    early.sort_by_key(|(c, _)| *c);
    lines.extend(early.into_iter().map(|(_, op)| text(op.clone())));
    while (lines.len() as i32) < start {
        lines.push(Line::default());
    }
    lines
}

/// Stores of the last phase, each as soon as its results have landed.
fn epilogue(phase: &Phase, set: usize) -> Vec<Line> {
    let cycles = phase.butterflies.len() as i32;
    let mut lines = Vec::new();
    for store in &phase.stores {
        while (lines.len() as i32) < store.cycle - cycles {
            lines.push(Line::default());
        }
        let exch = Some(memory(Stream::Store, set, store, 0));
        lines.push(Line { exch, ..Line::default() });
    }
    lines
}

/// Returns the bundles of a pass whose phases work on one unit of the loop. `setup` is put into free exchange slots: what has
/// room there into the first phase of the first unit, the rest into the last phase of the last unit.
///
/// # Errors
/// Why the phases are too short.
pub(super) fn segments(
    phases: &[Phase],
    timing: Timing,
    shared: Option<Shared>,
    before: Vec<String>,
    mut setup: Vec<String>,
) -> Result<Segments, &'static str> {
    let last = phases.len() - 1;
    assert!(last % 2 == 1, "the register sets alternate");
    let work = |f: usize, unit: i64, stores: bool, loads: bool| {
        let previous =
            (&phases[if f == 0 { last } else { f - 1 }], if f == 0 { unit - 1 } else { unit });
        let next = (&phases[(f + 1) % phases.len()], if f == last { unit + 1 } else { unit });
        Exchanges {
            stores: stores.then_some(previous),
            loads: loads.then_some(next),
            unit,
            next: loads.then_some(next.0),
            extras: VecDeque::new(),
        }
    };
    let mut head = Segment { lines: prologue(&phases[0], timing, before), starts: Vec::new() };
    let taken = phases[0].loads.len() + phases[0].moves.len() + 1 + shared.map_or(0, |_| 2);
    let room = phases[0].butterflies.len().saturating_sub(taken);
    let late = setup.split_off(room.min(setup.len()));
    let first = Exchanges { extras: setup.into(), ..work(0, 0, false, true) };
    head.push(phase_lines(&phases[0], 0, shared, timing, first)?);
    let mut body = Segment::default();
    let mut tail = Segment::default();
    for (f, phase) in phases.iter().enumerate().skip(1) {
        body.push(phase_lines(phase, f % 2, shared, timing, work(f, 0, true, true))?);
        let extras = if f == last { late.clone().into() } else { VecDeque::new() };
        let work = Exchanges { extras, ..work(f, 0, true, f < last) };
        tail.push(phase_lines(phase, f % 2, shared, timing, work)?);
    }
    body.push(phase_lines(&phases[0], 0, shared, timing, work(0, 1, true, true))?);
    tail.lines.extend(epilogue(&phases[last], last % 2));
    Ok(Segments { head, body, tail })
}
