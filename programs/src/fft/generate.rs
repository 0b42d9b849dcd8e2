//! Generator of the short FFT kernels: bundles in their final order, software-pipelined by
//! construction. How the kernels are called and checked is in `fft`.
//!
//! N = R1 * R2 points are transformed in two passes over local memory. Pass 1 makes, for every
//! j < R2, the R1-point transform of x[R2 k + j]; pass 2 makes, for every p < R1, the R2-point
//! transform of the p-th results, with the twiddle factors of the whole transform folded into its
//! butterflies. A *phase* works on 32 registers; two register sets alternate: while one computes,
//! the other stores its results and loads its next points. A phase of S substages is 16 S
//! butterflies in 16 S bundles, so a vector costs N/2 log2 N bundles, the butterfly bound.

use std::collections::VecDeque;
use std::fmt::Write as _;

const LATENCY: i32 = 8;
const LOAD_LATENCY: i32 = 3;
/// Registers of one phase; the other set is the upper half of the file.
const SET: usize = 32;
/// Butterflies of one substage of a phase.
const SUBSTAGE: usize = SET / 2;
/// Full turn of the coefficient angle.
const TURN: i64 = 65536;

/// The two radices of a length.
pub(crate) fn radices(points: usize) -> Option<(usize, usize)> {
    match points {
        64 => Some((8, 8)),
        128 => Some((8, 16)),
        256 => Some((16, 16)),
        _ => None,
    }
}

/// A pointer into local memory with its own address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Load,
    Store,
}

/// An exchange operation before its address step is known.
#[derive(Clone, Debug)]
enum Exchange {
    /// Text that is final.
    Text(String),
    /// Two words between registers `reg`, `reg + 1` and word `offset` of vector `vector`, counted
    /// from the vector of the segment.
    Memory { stream: Stream, reg: usize, vector: i64, offset: i64 },
}

#[derive(Clone, Debug, Default)]
struct Line {
    arith: String,
    exch: Option<Exchange>,
    /// Reads a register whose next value is under way, on purpose.
    reads_old: bool,
}

/// A pair of registers to load or store.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    /// First register within the set.
    reg: usize,
    /// Word within the vector.
    offset: i64,
    /// Load: first cycle of the phase that uses it. Store: first cycle, counted from the start of
    /// the phase, at which the results have landed.
    cycle: i32,
}

/// Work of one phase, registers counted within its set.
#[derive(Clone, Debug)]
struct Phase {
    butterflies: Vec<Butterfly>,
    /// Moves to RIND and RSTEP: cycle (negative: in the phase before), operation.
    moves: Vec<(i32, String)>,
    loads: Vec<Transfer>,
    stores: Vec<Transfer>,
}

#[derive(Clone, Debug)]
enum Butterfly {
    /// `cbutterfly D, S`.
    Coefficient { d: usize, s: usize },
    /// `caddsub D, S, T, Q`.
    Sum { d: usize, s: usize, t: usize, q: usize, reads_old: bool },
}

fn bit_reversed(value: usize, count: usize) -> usize {
    let bits = count.trailing_zeros();
    if bits == 0 { 0 } else { value.reverse_bits() >> (usize::BITS - bits) }
}

/// One pass over a vector.
#[derive(Clone, Copy, Debug)]
struct Pass {
    radix: usize,
    /// Transforms of `radix` points in a vector.
    groups: usize,
    /// Pass 2: the twiddle factors of group p start at p / (groups * 2^s) turns.
    twiddled: bool,
}

/// Where the general registers hold the angles.
struct Constants {
    /// Angle and the register that holds it.
    known: Vec<(i64, String)>,
}

impl Constants {
    /// Deals registers to the angles: general registers from g3 on, then index registers. The
    /// angles that are left over are set where they are needed. Also returns the operations that
    /// fill the registers.
    fn new(angles: impl Iterator<Item = i64>) -> (Self, Vec<String>) {
        let mut known: Vec<(i64, String)> = Vec::new();
        let mut setup = Vec::new();
        for angle in angles {
            if known.iter().any(|(a, _)| *a == angle) {
                continue;
            }
            let value = angle.rem_euclid(TURN);
            match known.len() {
                n @ 0..12 => {
                    setup.push(format!("seti g{}, {value:#06x}", n + 3));
                    known.push((angle, format!("g{}", n + 3)));
                }
                n @ 12..28 => {
                    setup.push(format!("seti g15, {value:#06x}"));
                    setup.push(format!("move i{}, g15", n - 12));
                    known.push((angle, format!("i{}", n - 12)));
                }
                _ => break,
            }
        }
        (Self { known }, setup)
    }

    fn register(&self, angle: i64) -> Option<&str> {
        self.known.iter().find(|(a, _)| *a == angle).map(|(_, r)| r.as_str())
    }
}

fn step(substage: usize) -> i64 {
    -(TURN >> substage)
}

impl Pass {
    fn substages(self) -> usize {
        self.radix.trailing_zeros() as usize
    }

    /// Groups that one phase works on.
    fn groups_per_phase(self) -> usize {
        SET / self.radix
    }

    fn phases(self) -> usize {
        self.groups / self.groups_per_phase()
    }

    fn cycles(self) -> usize {
        SUBSTAGE * self.substages()
    }

    /// First angle of a group in a substage.
    fn base(self, group: usize, substage: usize) -> i64 {
        if self.twiddled { -(TURN * group as i64) / (self.groups << substage) as i64 } else { 0 }
    }

    /// Every angle that RIND and RSTEP are set to; the steps first.
    fn angles(self) -> impl Iterator<Item = i64> {
        let steps = (1..=self.substages()).map(step);
        let groups = if self.twiddled { self.groups } else { 1 };
        let bases =
            (1..=self.substages()).flat_map(move |s| (0..groups).map(move |g| self.base(g, s)));
        steps.chain(bases)
    }

    fn phase(self, index: usize, constants: &Constants) -> Phase {
        let mut builder = PhaseBuilder::new(self, index);
        builder.load();
        let first = if self.twiddled { 1 } else { 2 };
        if !self.twiddled {
            builder.sums();
        }
        for substage in first..=self.substages() {
            builder.substage(substage, constants);
        }
        builder.store();
        builder.phase
    }
}

struct PhaseBuilder {
    pass: Pass,
    first_group: usize,
    /// Register of each position of each group of the phase.
    registers: Vec<Vec<usize>>,
    /// Cycle at which a register was last written.
    written: [i32; SET],
    /// Cycle at which a register is first read.
    first_use: [Option<i32>; SET],
    phase: Phase,
}

impl PhaseBuilder {
    fn new(pass: Pass, index: usize) -> Self {
        let groups = pass.groups_per_phase();
        // Groups come in pairs (even, odd) whose members share the pairs of registers that double
        // loads (pass 1) and double loads and stores (pass 2) move.
        let register = |g: usize, position: usize| {
            let pair = (g / 2) * pass.radix;
            2 * (pair + position) + g % 2
        };
        Self {
            pass,
            first_group: index * groups,
            registers: (0..groups)
                .map(|g| (0..pass.radix).map(|i| register(g, i)).collect())
                .collect(),
            written: [i32::MIN; SET],
            first_use: [None; SET],
            phase: Phase {
                butterflies: Vec::new(),
                moves: Vec::new(),
                loads: Vec::new(),
                stores: Vec::new(),
            },
        }
    }

    fn now(&self) -> i32 {
        self.phase.butterflies.len() as i32
    }

    /// Plans the loads; `cycle` is filled in by the first use.
    fn load(&mut self) {
        let Pass { radix, groups, .. } = self.pass;
        for pair in 0..self.registers.len() / 2 {
            for k in 0..radix {
                let slot = if self.pass.twiddled {
                    bit_reversed(k, radix)
                } else {
                    // The first substage reads slots a and a + R/2 and writes slot a for the even
                    // group, a + R/2 for the odd one.
                    bit_reversed(k, radix) / 2 + if k >= radix / 2 { radix / 2 } else { 0 }
                };
                let offset = groups * k + self.first_group + 2 * pair;
                self.phase.loads.push(Transfer {
                    reg: 2 * (pair * radix + slot),
                    offset: offset as i64,
                    cycle: 0,
                });
            }
        }
    }

    fn touch(&mut self, read: &[usize], write: &[usize]) {
        let now = self.now();
        for &r in read {
            assert!(
                self.written[r] == i32::MIN || now >= self.written[r] + LATENCY || self.in_sums()
            );
            self.first_use[r].get_or_insert(now);
        }
        for &r in write {
            self.written[r] = now;
        }
    }

    fn in_sums(&self) -> bool {
        !self.pass.twiddled && self.phase.butterflies.len() < SUBSTAGE
    }

    /// The first substage of pass 1: sums and differences, which also turn the pairs (j, j + 1) of
    /// the loads into the pairs (p, p + 1) of the stores.
    fn sums(&mut self) {
        let radix = self.pass.radix;
        for pair in 0..self.registers.len() / 2 {
            let base = 2 * pair * radix;
            for a in 0..radix / 2 {
                for odd in 0..2 {
                    let (s, t) = (base + 2 * a + odd, base + radix + 2 * a + odd);
                    let d = base + 2 * (odd * radix / 2 + a);
                    self.touch(&[s, t], &[d, d + 1]);
                    self.phase.butterflies.push(Butterfly::Sum {
                        d,
                        s,
                        t,
                        q: d + 1,
                        reads_old: odd == 1,
                    });
                }
            }
            for odd in 0..2 {
                self.registers[2 * pair + odd] =
                    (0..radix).map(|i| base + odd * radix + i).collect();
            }
        }
    }

    fn substage(&mut self, substage: usize, constants: &Constants) {
        let half = 1 << (substage - 1);
        let lead = if self.pass.twiddled { 2 } else { 1 };
        self.set("rstep", step(substage), lead, constants);
        let mut count = 0;
        for group in 0..self.registers.len() {
            if self.pass.twiddled {
                let base = self.pass.base(self.first_group + group, substage);
                self.set("rind", base, 1, constants);
                count = 0;
            }
            for block in 0..self.pass.radix / (2 * half) {
                for m in 0..half {
                    let upper = 2 * half * block + m;
                    self.butterfly(group, upper, upper + half, count / half % 2 == 1);
                    count += 1;
                }
            }
        }
    }

    /// Sets a control register to an angle, `lead` bundles before the next butterfly. RSTEP is set
    /// one bundle before RIND: the butterfly in that bundle still steps by the old value, and the
    /// step of the next one is overridden.
    fn set(&mut self, name: &str, angle: i64, lead: i32, constants: &Constants) {
        let cycle = self.now() - lead;
        let register = match constants.register(angle) {
            Some(register) => register,
            None => {
                let value = angle.rem_euclid(TURN);
                self.phase.moves.push((cycle - 2, format!("seti g15, {value:#06x}")));
                "g15"
            }
        };
        self.phase.moves.push((cycle, format!("move {name}, {register}")));
    }

    /// A butterfly on two positions; `negated` when RIND is half a turn ahead, so that sum and
    /// difference change places.
    fn butterfly(&mut self, group: usize, upper: usize, lower: usize, negated: bool) {
        let (d, s) = (self.registers[group][upper], self.registers[group][lower]);
        self.touch(&[d, s], &[d, s]);
        self.phase.butterflies.push(Butterfly::Coefficient { d, s });
        if negated {
            self.registers[group].swap(upper, lower);
        }
    }

    /// Plans the stores, and the deadlines of the loads.
    fn store(&mut self) {
        let Pass { radix, groups, twiddled } = self.pass;
        for group in 0..self.registers.len() {
            let absolute = self.first_group + group;
            let pairs: Vec<(usize, usize, usize)> = if twiddled {
                if group % 2 == 1 {
                    continue;
                }
                (0..radix)
                    .map(|q| {
                        (
                            self.registers[group][q],
                            self.registers[group + 1][q],
                            groups * q + absolute,
                        )
                    })
                    .collect()
            } else {
                let r = &self.registers[group];
                (0..radix).step_by(2).map(|p| (r[p], r[p + 1], radix * absolute + p)).collect()
            };
            for (first, second, offset) in pairs {
                assert!(first % 2 == 0 && second == first + 1, "a store needs an even pair");
                let cycle = self.written[first].max(self.written[second]) + LATENCY;
                self.phase.stores.push(Transfer { reg: first, offset: offset as i64, cycle });
            }
        }
        for load in &mut self.phase.loads {
            let uses = [self.first_use[load.reg], self.first_use[load.reg + 1]];
            load.cycle = uses.into_iter().flatten().min().unwrap_or(0);
        }
        self.phase.loads.sort_by_key(|l| l.cycle);
        self.phase.stores.sort_by_key(|s| s.cycle);
    }
}

/// What the exchange slots of one phase have to do besides its own moves.
struct Exchanges<'a> {
    /// Phase whose results are stored, and its vector.
    stores: Option<(&'a Phase, i64)>,
    /// Phase whose points are loaded, and its vector.
    loads: Option<(&'a Phase, i64)>,
    /// Moves of the next phase that lie in this one.
    next: Option<&'a Phase>,
    /// Operations that may go anywhere in order.
    extras: VecDeque<String>,
}

fn memory(stream: Stream, reg: usize, vector: i64, offset: i64) -> Exchange {
    Exchange::Memory { stream, reg, vector, offset }
}

/// The bundles of a phase that computes in register set `set`.
fn phase_lines(phase: &Phase, set: usize, mut work: Exchanges<'_>) -> Vec<Line> {
    let cycles = phase.butterflies.len() as i32;
    let (own, other) = (set * SET, (1 - set) * SET);
    let mut lines: Vec<Line> = phase.butterflies.iter().map(|b| arithmetic(b, own)).collect();
    let ahead = work.next.iter().flat_map(|n| &n.moves).map(|(c, op)| (c + cycles, op));
    for (cycle, op) in phase.moves.iter().map(|(c, op)| (*c, op)).chain(ahead) {
        if (0..cycles).contains(&cycle) {
            let line = &mut lines[cycle as usize];
            assert!(line.exch.is_none(), "two operations in one exchange slot");
            line.exch = Some(Exchange::Text(op.clone()));
        }
    }
    let mut stores: VecDeque<Transfer> =
        work.stores.map(|(p, _)| p.stores.iter().copied().collect()).unwrap_or_default();
    let mut loads: VecDeque<Transfer> =
        work.loads.map(|(p, _)| p.loads.iter().copied().collect()).unwrap_or_default();
    for (now, line) in lines.iter_mut().enumerate().filter(|(_, l)| l.exch.is_none()) {
        let now = now as i32;
        // The phases before and after this one are as long as this one.
        let store = stores.front().filter(|s| s.cycle - cycles <= now).copied();
        let free = |l: &Transfer| stores.iter().all(|s| s.reg != l.reg);
        let load = loads.front().filter(|l| free(l)).copied();
        line.exch = if let Some(op) = work.extras.pop_front() {
            Some(Exchange::Text(op))
        } else if let (Some(s), Some((_, vector))) = (store, work.stores) {
            stores.pop_front();
            Some(memory(Stream::Store, other + s.reg, vector, s.offset))
        } else if let (Some(l), Some((_, vector))) = (load, work.loads) {
            loads.pop_front();
            assert!(now + LOAD_LATENCY <= l.cycle + cycles, "a load comes too late");
            Some(memory(Stream::Load, other + l.reg, vector, l.offset))
        } else {
            None
        };
    }
    assert!(
        stores.is_empty() && loads.is_empty() && work.extras.is_empty(),
        "no exchange slot left"
    );
    lines
}

fn arithmetic(b: &Butterfly, base: usize) -> Line {
    match *b {
        Butterfly::Coefficient { d, s } => {
            Line { arith: format!("cbutterfly f{}, f{}", base + d, base + s), ..Line::default() }
        }
        Butterfly::Sum { d, s, t, q, reads_old } => Line {
            arith: format!("caddsub f{}, f{}, f{}, f{}", base + d, base + s, base + t, base + q),
            exch: None,
            reads_old,
        },
    }
}

/// The bundles of a pass: before the loop over the vectors, in it, and after it.
struct Segments {
    head: Vec<Line>,
    body: Vec<Line>,
    tail: Vec<Line>,
}

/// Loads of the first phase, as early as the exchange slot allows.
fn prologue(phase: &Phase, before: Vec<String>) -> Vec<Line> {
    let text = |op: String| Line { exch: Some(Exchange::Text(op)), ..Line::default() };
    let mut lines: Vec<Line> = before.into_iter().map(text).collect();
    let mut start = 0;
    for load in &phase.loads {
        start = start.max(lines.len() as i32 + LOAD_LATENCY - load.cycle);
        let exch = Some(memory(Stream::Load, load.reg, 0, load.offset));
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
        let exch = Some(memory(Stream::Store, set * SET + store.reg, 0, store.offset));
        lines.push(Line { exch, ..Line::default() });
    }
    lines
}

/// The bundles of a pass. `setup` is put into free exchange slots: what has room there into the
/// first phase of the first vector, the rest into the last phase of the last vector.
fn segments(
    pass: Pass,
    constants: &Constants,
    before: Vec<String>,
    mut setup: Vec<String>,
) -> Segments {
    let phases: Vec<Phase> = (0..pass.phases()).map(|f| pass.phase(f, constants)).collect();
    let last = phases.len() - 1;
    let work = |f: usize, vector: i64, stores: bool, loads: bool| {
        let previous =
            (&phases[if f == 0 { last } else { f - 1 }], if f == 0 { vector - 1 } else { vector });
        let next = (&phases[(f + 1) % phases.len()], if f == last { vector + 1 } else { vector });
        Exchanges {
            stores: stores.then_some(previous),
            loads: loads.then_some(next),
            next: loads.then_some(next.0),
            extras: VecDeque::new(),
        }
    };
    let mut head = prologue(&phases[0], before);
    let room = pass.cycles() - phases[0].loads.len() - phases[0].moves.len() - 1;
    let late = setup.split_off(room.min(setup.len()));
    let first = Exchanges { extras: setup.into(), ..work(0, 0, false, true) };
    head.extend(phase_lines(&phases[0], 0, first));
    let mut body = Vec::new();
    let mut tail = Vec::new();
    for (f, phase) in phases.iter().enumerate().skip(1) {
        body.extend(phase_lines(phase, f % 2, work(f, 0, true, true)));
        let extras = if f == last { late.clone().into() } else { VecDeque::new() };
        let work = Exchanges { extras, ..work(f, 0, true, f < last) };
        tail.extend(phase_lines(phase, f % 2, work));
    }
    body.extend(phase_lines(&phases[0], 0, work(0, 1, true, true)));
    tail.extend(epilogue(&phases[last], last % 2));
    Segments { head, body, tail }
}

/// Word, within a run over vectors of `points` words, of the first access of a stream.
fn first_access(lines: &[Line], stream: Stream, points: i64) -> Option<i64> {
    lines.iter().find_map(|line| access(line, stream, points))
}

fn access(line: &Line, wanted: Stream, points: i64) -> Option<i64> {
    match line.exch {
        Some(Exchange::Memory { stream, vector, offset, .. }) if stream == wanted => {
            Some(vector * points + offset)
        }
        _ => None,
    }
}

/// Writes the lines, each memory access stepping to the next one of its stream; `after` is the word
/// that follows the last access.
fn print(out: &mut String, lines: &[Line], points: i64, sets: [usize; 2], after: [Option<i64>; 2]) {
    for (i, line) in lines.iter().enumerate() {
        let exch = match &line.exch {
            None => String::new(),
            Some(Exchange::Text(text)) => text.clone(),
            Some(Exchange::Memory { stream, reg, vector, offset }) => {
                let k = *stream as usize;
                let here = vector * points + offset;
                let next =
                    first_access(&lines[i + 1..], *stream, points).or(after[k]).unwrap_or(here);
                let name = ["ldo", "sdo"][k];
                format!("{name} f{reg}, (r{}){:+}", sets[k], next - here)
            }
        };
        let mark = if line.reads_old { "  @allow(C0501)" } else { "" };
        let _ = match (line.arith.as_str(), exch.as_str()) {
            ("", "") => writeln!(out, "        nop"),
            ("", exch) => writeln!(out, "        | {exch}"),
            (arith, "") => writeln!(out, "        {arith}{mark}"),
            (arith, exch) => writeln!(out, "        {arith} | {exch}{mark}"),
        };
    }
}

fn print_pass(out: &mut String, name: &str, s: &Segments, points: i64, sets: [usize; 2]) {
    let firsts = |lines: &[Line]| {
        [Stream::Load, Stream::Store].map(|stream| first_access(lines, stream, points))
    };
    let body = firsts(&s.body);
    let next_body = body.map(|w| w.map(|w| w + points));
    for (tail, next) in firsts(&s.tail).into_iter().zip(body) {
        assert!(tail.is_none() || tail == next, "loop and tail must go on at the same word");
    }
    print(out, &s.head, points, sets, body);
    let _ = writeln!(out, "        | do g2, {name}_end");
    let (most, rest) = s.body.split_at(s.body.len() - 2);
    let after_most = [Stream::Load, Stream::Store]
        .map(|stream| first_access(rest, stream, points))
        .into_iter()
        .zip(next_body)
        .map(|(rest, next)| rest.or(next))
        .collect::<Vec<_>>();
    print(out, most, points, sets, [after_most[0], after_most[1]]);
    let _ = writeln!(out, "{name}_end:");
    print(out, rest, points, sets, next_body);
    print(out, &s.tail, points, sets, [None; 2]);
}

/// The assembly text of the kernel for vectors of `points` points.
pub(crate) fn kernel(points: usize) -> Option<String> {
    let (r1, r2) = radices(points)?;
    let first = Pass { radix: r1, groups: r2, twiddled: false };
    let second = Pass { radix: r2, groups: r1, twiddled: true };
    let (constants, fill) = Constants::new(first.angles().chain(second.angles()));
    let mut setup: Vec<String> =
        ["seti g15, 0xffff", "move rmask, g15", "seti g15, 0", "move rind, g15", "move a1, g1"]
            .map(str::to_owned)
            .into();
    setup.extend(fill);
    setup.extend(["move a2, g1", "move a3, g1"].map(str::to_owned));
    let pass1 = segments(first, &constants, vec!["move a0, g0".to_owned()], setup);
    let pass2 = segments(second, &constants, Vec::new(), Vec::new());
    let mut out = header(points, r1, r2);
    print_pass(&mut out, "pass1", &pass1, points as i64, [0, 1]);
    print_pass(&mut out, "pass2", &pass2, points as i64, [2, 3]);
    out.push_str("        | stopi 0\n");
    Some(out)
}

fn header(points: usize, r1: usize, r2: usize) -> String {
    format!(
        "; FFT of vectors of {points} points, {r1} x {r2}; generated by programs/src/fft/generate.rs.
; g0 word address of the input, g1 of the output (they must not overlap), g2 number of vectors - 1.
; A vector is {points} words (hi = real part); vector v starts {points} v words after the first.
; CONTROL.I selects the inverse transform, which is not scaled.
        .kernel fft{points}
"
    )
}
