//! Source of a nest for the assembler: address sets that step through packed arrays, a linear region with the loops.

use super::mapping::{Mapping, PackedAccess};
use cp2_nest::{ValueOperator, ValueTree};
use std::fmt::Write;

/// Words of local memory after which addresses begin anew.
const AROUND: usize = 8192;

/// Source of a nest, with the work of its loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cp2Source {
    /// Text for the assembler.
    pub text: String,
    /// Numbers of the pool: constants of the text, and scalars by their number.
    pub pool: Vec<PoolNumber>,
    /// Words of local memory that arrays take in each section.
    pub words: usize,
    /// Operations of the arithmetic and of the exchange slot in all turns.
    pub operations: [u64; 2],
}

/// A number that registers keep through all loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolNumber {
    /// Constant of the text, by its bits.
    Constant(u32),
    /// Scalar with this number.
    Scalar(usize),
}

struct SourceWriter<'w> {
    mapping: &'w Mapping<'w>,
    text: String,
    pool: Vec<PoolNumber>,
    /// Values so far, for names of registers.
    values: usize,
    /// Turns of the loops around the line.
    turns: u64,
    operations: [u64; 2],
}

/// Returns the source of a nest.
pub fn cp2_source(mapping: &Mapping<'_>) -> Cp2Source {
    let mut pool = Vec::new();
    collect(&mapping.statement.value, &mut pool);
    let mut writer = SourceWriter {
        mapping,
        text: String::new(),
        pool,
        values: 0,
        turns: 1,
        operations: [0; 2],
    };
    writer.head();
    writer.level(0);
    writer.tail();
    let words = mapping.packed.iter().map(|packed| packed.words).sum::<usize>();
    let words = words + writer.pool.len();
    let SourceWriter { text, pool, operations, .. } = writer;
    Cp2Source { text, pool, words, operations }
}

/// Collects the numbers of a value.
fn collect(value: &ValueTree, pool: &mut Vec<PoolNumber>) {
    let mut add = |number| {
        if !pool.contains(&number) {
            pool.push(number);
        }
    };
    match value {
        ValueTree::Number(number, _) => add(PoolNumber::Constant((*number as f32).to_bits())),
        ValueTree::Scalar(number) => add(PoolNumber::Scalar(*number)),
        ValueTree::Negated(inner) => collect(inner, pool),
        ValueTree::Binary(_, left, right) => {
            collect(left, pool);
            collect(right, pool);
        }
        ValueTree::Call(_, _, values) => values.iter().for_each(|value| collect(value, pool)),
        ValueTree::Whole(_) | ValueTree::Element(_) => {}
    }
}

impl SourceWriter<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a text does not fail.
        let _ = writeln!(self.text, "        {line}");
    }

    fn arithmetic(&mut self, line: &str) {
        self.operations[0] += self.turns;
        self.line(line);
    }

    fn exchange(&mut self, line: &str) {
        self.operations[1] += self.turns;
        self.line(line);
    }

    fn head(&mut self) {
        let mapping = self.mapping;
        let name = &mapping.nest.name;
        self.text +=
            &format!("; {name}, made from a loop nest: {} threads side by side\n", mapping.threads);
        self.line(&format!(".kernel {name}"));
        for (set, packed) in mapping.packed.iter().enumerate() {
            let direction = match (set, self.mapping.reads_target()) {
                (0, true) => "inout",
                (0, false) => "out",
                _ => "in",
            };
            let (count, layout) = match packed.has_lanes {
                true => (packed.words * super::LANES, "layout=interleaved/2"),
                false => (packed.words, "layout=all, pack=both"),
            };
            self.line(&format!(".array  p{set}, {direction}, float32, {count}, {layout}"));
        }
        if !self.pool.is_empty() {
            let count = self.pool.len();
            self.line(&format!(".array  pool, in, float32, {count}, layout=all, pack=both"));
        }
        for set in 0..mapping.packed.len() {
            self.line(&format!("seti    a{set}, p{set}"));
        }
        let pool = mapping.packed.len();
        if !self.pool.is_empty() {
            self.line(&format!("seti    a{pool}, pool"));
        }
        self.line(".linear");
        let count = pool + usize::from(!self.pool.is_empty());
        if count > 1 {
            let sets: Vec<_> = (0..count).map(|set| format!("r{set}")).collect();
            self.line(&format!(".disjoint {}", sets.join(", ")));
        }
        self.line(".scratch g10, g11, g12, g13, g14, g15");
        for number in 0..self.pool.len() {
            self.exchange(&format!("lwo     %k{number}, (r{pool})+1"));
        }
    }

    fn tail(&mut self) {
        self.line(".endlinear");
        self.line("stopi   0");
        self.text.push('\n');
        self.line(".lmem   all");
        for (set, packed) in self.mapping.packed.iter().enumerate() {
            self.text += &format!("p{set}:     .zero   {}\n", packed.words);
        }
        if !self.pool.is_empty() {
            self.text += &format!("pool:   .zero   {}\n", self.pool.len());
        }
    }

    /// Returns the number of loops around the place where an occurrence is loaded.
    fn depth(packed: &PackedAccess) -> usize {
        packed.levels.last().map_or(0, |level| level + 1)
    }

    /// Writes the loops from a level on.
    fn level(&mut self, level: usize) {
        self.loads(level);
        match self.mapping.levels.get(level) {
            None => self.computation(),
            Some(of) => {
                let count = of.count;
                if count > 1 {
                    self.line(&format!(".loop   {count}"));
                }
                self.turns *= count as u64;
                self.level(level + 1);
                self.rewinds(level, -1);
                self.turns /= count as u64;
                if count > 1 {
                    self.line(".endloop");
                }
                // The last turn has gone back too; what stands behind it comes next.
                self.rewinds(level, 1);
            }
        }
        self.stores(level);
    }

    /// Writes the loads of occurrences that the loops around tell.
    fn loads(&mut self, depth: usize) {
        let mapping = self.mapping;
        for (set, packed) in mapping.packed.iter().enumerate() {
            if Self::depth(packed) != depth {
                continue;
            }
            if set > 0 {
                if !packed.has_lanes {
                    self.exchange(&format!("lwo     %a{set}, (r{set})+1"));
                    continue;
                }
                for group in 0..mapping.together {
                    self.exchange(&format!("lwo     %a{set}_{group}, (r{set})+1"));
                }
            } else if self.mapping.reads_target() {
                for group in 0..mapping.together {
                    self.exchange(&format!("lwo     %t{group}, (r0)+1"));
                }
                self.exchange(&format!("updaddr (r0)-{}", mapping.together));
            } else if mapping.begins_as_zero {
                for group in (0..mapping.together).step_by(2) {
                    let next = if group + 1 < mapping.together {
                        format!("%t{}", group + 1)
                    } else {
                        "%unused".to_owned()
                    };
                    self.arithmetic(&format!("clear   %t{group}, {next}"));
                }
            }
        }
    }

    fn stores(&mut self, depth: usize) {
        if Self::depth(&self.mapping.packed[0]) == depth {
            for group in 0..self.mapping.together {
                self.exchange(&format!("swo     %t{group}, (r0)+1"));
            }
        }
    }

    /// Writes what takes address sets back (-1) at the end of a turn of a level that does not change them, or forth (1) behind
    /// its last one.
    fn rewinds(&mut self, level: usize, sign: i64) {
        let mapping = self.mapping;
        for (set, packed) in mapping.packed.iter().enumerate() {
            if packed.levels.contains(&level) || mapping.levels[level].count == 1 {
                continue;
            }
            let inner: Vec<_> = packed.levels.iter().filter(|own| **own > level).collect();
            if inner.is_empty() {
                continue;
            }
            let turns = inner.iter().map(|own| mapping.levels[**own].count).product::<usize>();
            // Groups that are computed together stand behind each other.
            let together = if packed.has_lanes { mapping.together } else { 1 };
            let distance = (turns * together % AROUND) as i64 * sign;
            let step = match distance {
                0 => continue,
                -4096..=4095 => distance,
                _ => distance - sign * AROUND as i64,
            };
            let step = format!("{step:+}");
            self.exchange(&format!("updaddr (r{set}){step}"));
        }
    }

    /// Writes what a step computes.
    fn computation(&mut self) {
        let statement = self.mapping.statement;
        for group in 0..self.mapping.together {
            match (&statement.value, statement.update) {
                (ValueTree::Binary(_, _, right), Some(operator)) => {
                    self.update(group, operator, right);
                }
                (value, _) => {
                    let from = self.value(value, group, Some(format!("%t{group}")));
                    if from != format!("%t{group}") {
                        self.arithmetic(&format!("copy    %t{group}, {from}"));
                    }
                }
            }
        }
    }

    fn update(&mut self, group: usize, operator: ValueOperator, right: &ValueTree) {
        let fused = match operator {
            ValueOperator::Add => Some("psmadd"),
            ValueOperator::Subtract => Some("psmsub"),
            ValueOperator::Multiply | ValueOperator::Divide => None,
        };
        if let (Some(mnemonic), ValueTree::Binary(ValueOperator::Multiply, a, b)) = (fused, right) {
            let (a, b) = (self.value(a, group, None), self.value(b, group, None));
            return self.arithmetic(&format!("{mnemonic}  %t{group}, {a}, {b}"));
        }
        let right = self.value(right, group, None);
        let mnemonic = mnemonic(operator);
        self.arithmetic(&format!("{mnemonic}   %t{group}, %t{group}, {right}"));
    }

    /// Writes the operations of a value; returns the register that has it, `into` if it is given and something is computed.
    fn value(&mut self, value: &ValueTree, group: usize, into: Option<String>) -> String {
        let line = match value {
            ValueTree::Number(number, _) => {
                return self.constant(PoolNumber::Constant((*number as f32).to_bits()));
            }
            ValueTree::Scalar(number) => return self.constant(PoolNumber::Scalar(*number)),
            ValueTree::Element(access) => return self.element(*access, group),
            ValueTree::Whole(_) => return String::new(),
            ValueTree::Negated(inner) => ("psneg", self.value(inner, group, None)),
            ValueTree::Call(_, _, values) => {
                let values: Vec<_> =
                    values.iter().map(|value| self.value(value, group, None)).collect();
                ("psabs", values.join(", "))
            }
            ValueTree::Binary(operator, left, right) => {
                let left = self.value(left, group, None);
                let right = self.value(right, group, None);
                (mnemonic(*operator), format!("{left}, {right}"))
            }
        };
        self.values += 1;
        let register = into.unwrap_or_else(|| format!("%v{}", self.values));
        self.arithmetic(&format!("{}   {register}, {}", line.0, line.1));
        register
    }

    fn constant(&self, number: PoolNumber) -> String {
        let place = self.pool.iter().position(|known| *known == number).unwrap_or_default();
        format!("%k{place}")
    }

    /// Returns the register of an element.
    fn element(&self, access: usize, group: usize) -> String {
        let mapping = self.mapping;
        let used = &mapping.statement.accesses[access];
        let is_same = |packed: &PackedAccess| {
            let other = &mapping.statement.accesses[packed.access];
            other.array == used.array && other.subscripts == used.subscripts
        };
        let set = mapping.packed.iter().position(is_same).unwrap_or_default();
        match (set, mapping.packed[set].has_lanes) {
            (0, _) => format!("%t{group}"),
            (_, true) => format!("%a{set}_{group}"),
            (_, false) => format!("%a{set}"),
        }
    }
}

fn mnemonic(operator: ValueOperator) -> &'static str {
    match operator {
        ValueOperator::Add => "psadd",
        ValueOperator::Subtract => "pssub",
        ValueOperator::Multiply | ValueOperator::Divide => "psmul",
    }
}
