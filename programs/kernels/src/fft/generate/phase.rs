//! One phase: the butterflies on 32 registers, and what it loads, stores and sets. Which words a
//! phase works on is in `plan`, how phases overlap in `schedule`.

use super::angles::{Constants, base, immediate, step};
use cp2_isa::Latencies;

/// Registers of one phase; the other set is the upper half of the file.
pub(super) const SET: usize = 32;
/// Butterflies of one substage of a phase.
pub(super) const SUBSTAGE: usize = SET / 2;

/// Distances in bundles that a pass is laid out by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// From an arithmetic operation to the first reader of its result.
    pub(super) arithmetic: i32,
    /// From a load to the first butterfly that sees it.
    pub(super) load: i32,
    /// From the start of a phase to that of the next.
    pub(super) cycles: usize,
}

impl Timing {
    pub(super) fn new(latencies: &Latencies, cycles: usize) -> Self {
        let [arithmetic, load] = [latencies.arithmetic, latencies.load].map(|n| n as i32);
        Self { arithmetic, load, cycles }
    }
}

/// Transform of `radix` points within a phase.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Word of each point, counted from the unit of the loop.
    pub(super) loads: Vec<i64>,
    /// Word of each result.
    pub(super) stores: Vec<i64>,
    /// The twiddle factors start at p / (of * 2^substage) turns.
    pub(super) p: i64,
}

/// Results that lie in neighbouring words of a double store. Double loads move the same point of two groups. A group that
/// fills the registers goes word by word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Equal results of two groups.
    Groups,
    /// Two results of one group.
    Results,
    /// No pairs of results: double loads move two points of a group that fills the registers, results go word by word.
    Points,
}

/// Work that a phase has to do, before it is laid into bundles.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) radix: usize,
    /// Transforms of the phase, `SET / radix` of them.
    pub(super) groups: Vec<Group>,
    /// Denominator of the groups' p; none for a pass without twiddle factors.
    pub(super) of: Option<i64>,
    pub(super) pairs: Pairs,
    /// Whether each result is multiplied by a word of a table, which lies as the results lie.
    pub(super) has_table: bool,
}

impl Shape {
    pub(super) fn substages(&self) -> usize {
        self.radix.trailing_zeros() as usize
    }

    /// Returns the number of bundles of a phase that never waits.
    pub(super) fn cycles(&self) -> usize {
        SUBSTAGE * self.substages() + if self.has_table { SET } else { 0 }
    }

    /// Returns every angle that RIND and RSTEP are set to; the steps first.
    pub(super) fn angles(&self) -> Vec<i64> {
        let steps = (1..=self.substages()).map(step);
        let bases = (1..=self.substages()).flat_map(|s| {
            self.groups.iter().map(move |g| self.of.map_or(0, |of| base(g.p, of, s)))
        });
        steps.chain(bases).collect()
    }
}

/// Words to load or store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    /// First register within the set.
    pub(super) reg: usize,
    /// Registers: 1 or 2.
    pub(super) words: usize,
    /// Word, counted from the unit of the loop.
    pub(super) offset: i64,
    /// Load: first cycle of the phase that uses it. Store: first cycle, counted from the start of
    /// the phase, at which the results have landed.
    pub(super) cycle: i32,
}

impl Transfer {
    pub(super) fn shares_a_register_with(&self, other: &Self) -> bool {
        self.reg < other.reg + other.words && other.reg < self.reg + self.words
    }
}

/// Work of one phase, registers counted within its set.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    /// Substages of butterflies, before the products.
    pub(super) substages: usize,
    pub(super) butterflies: Vec<Butterfly>,
    /// Moves to RIND and RSTEP: cycle (negative: in the phase before), operation.
    pub(super) moves: Vec<(i32, String)>,
    pub(super) loads: Vec<Transfer>,
    pub(super) stores: Vec<Transfer>,
    /// Factors of the results, loaded into the registers of the other set that have the results'
    /// numbers; `cycle` is that of the first multiplication.
    pub(super) table: Vec<Transfer>,
}

#[derive(Clone, Debug)]
pub(super) enum Butterfly {
    /// `cbutterfly D, S`.
    Coefficient { d: usize, s: usize },
    /// `caddsub D, S, T, Q`.
    Sum { d: usize, s: usize, t: usize, q: usize, reads_old: bool },
    /// `cmul D, D, T`, T the register of the other set with the same number.
    Product { d: usize },
    /// Bundle without a butterfly: an operand, or the next phase, is not there yet.
    Wait,
}

/// Source of the angles that have no register of their own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Angles {
    /// Angles are set two bundles before their use, through g15.
    OnTheSpot,
    /// Angles are set in these cycles of the phase, through g7 and up: one cycle for each angle but the first, then the one
    /// of the first angle of the next phase.
    Window(&'static [i32]),
}

pub(super) fn bit_reversed(value: usize, count: usize) -> usize {
    let bits = count.trailing_zeros();
    if bits == 0 { 0 } else { value.reverse_bits() >> (usize::BITS - bits) }
}

/// Returns the work of a phase, or why that does not fit into the cycles of the phase.
pub(super) fn build(
    shape: &Shape,
    constants: &Constants,
    angles: Angles,
    timing: Timing,
) -> Result<Phase, &'static str> {
    let mut builder = Builder::new(shape, constants, angles, timing);
    builder.load();
    let first = if shape.of.is_some() { 1 } else { 2 };
    if shape.of.is_none() {
        builder.transposing_sums();
    }
    for substage in first..=shape.substages() {
        builder.substage(substage);
    }
    builder.deadlines();
    if shape.has_table {
        builder.products();
    }
    builder.store();
    if builder.phase.butterflies.len() > timing.cycles {
        return Err("butterflies wait for their operands");
    }
    builder.phase.butterflies.resize(timing.cycles, Butterfly::Wait);
    match builder.is_angle_late {
        true => Err("an angle is set too late"),
        false => Ok(builder.phase),
    }
}

struct Builder<'a> {
    shape: &'a Shape,
    constants: &'a Constants,
    angles: Angles,
    timing: Timing,
    /// Number of first angles of groups that were set so far.
    bases: usize,
    /// Whether an angle was loaded into its register after its use.
    is_angle_late: bool,
    /// Register of each position of each group of the phase.
    registers: Vec<Vec<usize>>,
    /// Cycle at which a register was last written.
    written: [i32; SET],
    /// Cycle at which a register is first read.
    first_use: [Option<i32>; SET],
    phase: Phase,
}

impl<'a> Builder<'a> {
    fn new(shape: &'a Shape, constants: &'a Constants, angles: Angles, timing: Timing) -> Self {
        // Groups come in pairs (even, odd) whose members share the pairs of registers that double
        // loads and double stores move. A group that fills the set is alone; points that are
        // neighbours are half a set of positions apart in it.
        let half = shape.radix / 2;
        let register = |g: usize, position: usize| match (shape.groups.len(), shape.pairs) {
            (1, Pairs::Points) => 2 * (position % half) + position / half,
            (1, _) => position,
            _ => 2 * ((g / 2) * shape.radix + position) + g % 2,
        };
        Self {
            shape,
            constants,
            angles,
            timing,
            bases: 0,
            is_angle_late: false,
            registers: (0..shape.groups.len())
                .map(|g| (0..shape.radix).map(|i| register(g, i)).collect())
                .collect(),
            written: [i32::MIN; SET],
            first_use: [None; SET],
            phase: Phase {
                substages: shape.substages(),
                butterflies: Vec::new(),
                moves: Vec::new(),
                loads: Vec::new(),
                stores: Vec::new(),
                table: Vec::new(),
            },
        }
    }

    fn now(&self) -> i32 {
        self.phase.butterflies.len() as i32
    }

    /// Plans the loads; `cycle` is filled in by the first use.
    fn load(&mut self) {
        let Shape { radix, ref groups, pairs, .. } = *self.shape;
        let alone = groups.len() == 1;
        let step = if pairs == Pairs::Points { 2 } else { 1 };
        for g in (0..groups.len()).step_by(2) {
            for k in (0..radix).step_by(step) {
                let slot = match pairs {
                    Pairs::Groups | Pairs::Points => bit_reversed(k, radix),
                    // The first substage reads slots a and a + R/2 and writes slot a for the even
                    // group, a + R/2 for the odd one.
                    Pairs::Results => {
                        bit_reversed(k, radix) / 2 + if k >= radix / 2 { radix / 2 } else { 0 }
                    }
                };
                let offset = groups[g].loads[k];
                let neighbour = match pairs {
                    Pairs::Points => Some(groups[g].loads[k + 1]),
                    _ => groups.get(g + 1).map(|group| group.loads[k]),
                };
                assert!(neighbour.is_none_or(|word| word == offset + 1), "neighbours");
                let words = if alone && pairs != Pairs::Points { 1 } else { 2 };
                let reg = self.registers[g][slot];
                self.phase.loads.push(Transfer { reg, words, offset, cycle: 0 });
            }
        }
    }

    /// Waits until results in these registers have landed.
    fn wait_for(&mut self, registers: impl IntoIterator<Item = usize>) {
        let landed = |r: usize| self.written[r].saturating_add(self.timing.arithmetic);
        let ready = registers.into_iter().map(landed).max().unwrap_or(0);
        while self.now() < ready {
            self.phase.butterflies.push(Butterfly::Wait);
        }
    }

    /// Notes what the operation that follows reads and writes. What it reads has landed, but for the
    /// first sums, which read what a neighbour has under way.
    fn touch(&mut self, read: &[usize], write: &[usize]) {
        if !self.in_sums() {
            self.wait_for(read.iter().copied());
        }
        let now = self.now();
        for &r in read {
            self.first_use[r].get_or_insert(now);
        }
        for &r in write {
            self.written[r] = now;
        }
    }

    fn in_sums(&self) -> bool {
        self.shape.of.is_none() && self.phase.butterflies.len() < SUBSTAGE
    }

    /// Plans the first substage of a pass without twiddle factors: sums and differences, which also turn the pairs of groups
    /// of the loads into the pairs of results of the stores.
    fn transposing_sums(&mut self) {
        let radix = self.shape.radix;
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

    fn substage(&mut self, substage: usize) {
        let half = 1 << (substage - 1);
        let lead = if self.shape.of.is_some() { 2 } else { 1 };
        self.set("rstep", step(substage), lead);
        let mut count = 0;
        for group in 0..self.registers.len() {
            // Whole turns bring RIND back to the angle that an equal group starts with.
            let is_back = group > 0
                && self.shape.groups[group].p == self.shape.groups[group - 1].p
                && (self.shape.radix / 2).is_multiple_of(1 << substage);
            if let Some(of) = self.shape.of.filter(|_| !is_back) {
                self.set("rind", base(self.shape.groups[group].p, of, substage), 1);
                self.bases += 1;
            }
            if self.shape.of.is_some() {
                count = 0;
            }
            for block in 0..self.shape.radix / (2 * half) {
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
    fn set(&mut self, name: &str, angle: i64, lead: i32) {
        let cycle = self.now() - lead;
        let register = match (self.constants.register(angle), self.angles) {
            (_, Angles::Window(cycles)) if name == "rind" => {
                let register = format!("g{}", 7 + self.bases);
                let at = match self.bases {
                    0 => cycles[cycles.len() - 1] - self.timing.cycles as i32,
                    n => cycles[n - 1],
                };
                self.is_angle_late |= at >= cycle;
                self.phase.moves.push((at, format!("seti {register}, {}", immediate(angle))));
                register
            }
            (Some(register), _) => register.to_owned(),
            (None, _) => {
                self.phase.moves.push((cycle - 2, format!("seti g15, {}", immediate(angle))));
                "g15".to_owned()
            }
        };
        self.phase.moves.push((cycle, format!("move {name}, {register}")));
    }

    /// Plans a butterfly on two positions; `negated` when RIND is half a turn ahead, so that sum and difference change
    /// places.
    fn butterfly(&mut self, group: usize, upper: usize, lower: usize, negated: bool) {
        let (d, s) = (self.registers[group][upper], self.registers[group][lower]);
        self.touch(&[d, s], &[d, s]);
        self.phase.butterflies.push(Butterfly::Coefficient { d, s });
        if negated {
            self.registers[group].swap(upper, lower);
        }
    }

    /// Multiplies the results by the table, in the order in which the next phase needs the
    /// registers that hold the factors.
    fn products(&mut self) {
        for load in self.phase.loads.clone() {
            let Transfer { reg, words, .. } = load;
            self.wait_for(reg..reg + words);
            self.phase.table.push(Transfer { cycle: self.now(), ..load });
            for d in reg..reg + words {
                self.touch(&[d], &[d]);
                self.phase.butterflies.push(Butterfly::Product { d });
            }
        }
    }

    /// Sets the cycle at which each load is needed, and puts the loads into the order of these cycles.
    fn deadlines(&mut self) {
        for load in &mut self.phase.loads {
            let uses = (load.reg..load.reg + load.words).filter_map(|r| self.first_use[r]);
            load.cycle = uses.min().unwrap_or(0);
        }
        self.phase.loads.sort_by_key(|l| l.cycle);
    }

    /// Plans the stores, and gives the factors the words of the results.
    fn store(&mut self) {
        let Shape { radix, groups, pairs, .. } = self.shape;
        let alone = groups.len() == 1;
        for (g, group) in groups.iter().enumerate() {
            let own = &self.registers[g];
            for q in 0..*radix {
                let (first, offset) = (own[q], group.stores[q]);
                let (second, next) = match pairs {
                    _ if alone => (first, offset),
                    Pairs::Results if q % 2 == 0 => (own[q + 1], group.stores[q + 1]),
                    Pairs::Groups if g % 2 == 0 => {
                        (self.registers[g + 1][q], groups[g + 1].stores[q])
                    }
                    _ => continue,
                };
                assert!(
                    alone || first % 2 == 0 && second == first + 1 && next == offset + 1,
                    "a double store needs neighbours"
                );
                let cycle = self.written[first].max(self.written[second]) + self.timing.arithmetic;
                let words = if alone { 1 } else { 2 };
                self.phase.stores.push(Transfer { reg: first, words, offset, cycle });
            }
        }
        for factor in &mut self.phase.table {
            let result = self.phase.stores.iter().find(|s| s.reg == factor.reg);
            factor.offset = result.map_or(0, |s| s.offset);
        }
        self.phase.stores.sort_by_key(|s| s.cycle);
    }
}
