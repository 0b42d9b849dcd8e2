//! The order of the operations of code made for one matrix: one bundle after the other, each with the product and the
//! load, or the operation that merges, whose turn it is.

use super::super::placement::LANES;
use super::plan::{Column, Merging, Plan, ValueGroup};
use cp2_isa::SECTIONS;

/// Columns that are looked at for blocks to merge.
const WINDOW: usize = 32;

/// Fewest blocks that are merged.
const LEAST_MERGED: usize = 3;

/// Returns the condition code that tells of a section.
const fn code_of(section: usize) -> usize {
    section + 1
}

/// An element on its way to a merged register.
#[derive(Clone, Copy, Debug)]
struct Source {
    section: usize,
    column: usize,
    word: usize,
}

/// Blocks of one group on their way into one product.
#[derive(Clone, Debug, Default)]
struct Merge {
    register: usize,
    group: usize,
    lanes: [f32; LANES],
    /// Elements that are not on their way yet.
    sources: Vec<Source>,
    is_begun: bool,
    /// Cycle from which the register can be read, once no source is left.
    ready: usize,
}

/// The sums of rows, in registers: sum p of group g is number g + p * groups.
struct Sums {
    /// Row groups.
    groups: usize,
    /// Partial sums of a row group.
    partial: usize,
    /// Cycle from which each sum can be read.
    ready: Vec<usize>,
}

/// The cycles from which what was loaded can be read.
#[derive(Default)]
struct Loaded {
    /// Cycle of each column of the vector.
    columns: Vec<usize>,
    /// Cycle of each pair of values.
    values: Vec<usize>,
}

/// Lays operations into cycles, one after the other.
pub(super) struct Coder<'a> {
    plan: Plan,
    columns: &'a [Column],
    sums: Sums,
    pub lines: Vec<(String, String)>,
    /// Blocks that are left in each column.
    left: Vec<Vec<ValueGroup>>,
    loaded: Loaded,
    pub values: Vec<[f32; LANES]>,
    /// Number of operations that merge.
    pub merges: usize,
    /// Multiplications: blocks of all columns, less what merging saves.
    total: usize,
    /// Elements of each column that are still to be merged.
    held: Vec<usize>,
    merging: Vec<Merge>,
    /// Registers for merging that are free.
    free: Vec<usize>,
}

impl<'a> Coder<'a> {
    pub(super) fn new(plan: Plan, columns: &'a [Column], groups: usize) -> Self {
        let partial = (plan.sums / 2 / groups).clamp(1, plan.arithmetic);
        let left: Vec<Vec<ValueGroup>> = columns.iter().map(|c| c.blocks.clone()).collect();
        Self {
            plan,
            columns,
            sums: Sums { groups, partial, ready: vec![0; groups * partial] },
            lines: Vec::new(),
            total: left.iter().map(Vec::len).sum(),
            held: vec![0; left.len()],
            merging: Vec::new(),
            free: plan.merging_registers().collect(),
            merges: 0,
            left,
            loaded: Loaded::default(),
            values: Vec::new(),
        }
    }

    fn line(&mut self, arithmetic: Option<String>, exchange: Option<String>) {
        let or_nop = |text: Option<String>| text.unwrap_or_else(|| "nop".to_owned());
        self.lines.push((or_nop(arithmetic), or_nop(exchange)));
    }

    /// Loads earlier sums into the first partial sums, and writes 0 into the others. Sum p of group g is register
    /// g + p * groups.
    pub(super) fn begin(&mut self, results: usize, values: usize) {
        let mut exchange = vec![format!("seti a0, {values}")];
        for g in (0..self.sums.groups).step_by(2) {
            let single = g + 1 == self.sums.groups;
            let operation = if single { "lwi" } else { "ldi" };
            exchange.push(format!("{operation} f{g}, {}", results + g));
        }
        let others = (self.sums.groups..self.sums.groups * self.sums.partial).collect::<Vec<_>>();
        // The register behind the sums: fewer than half are taken if there is more than one each.
        let spare = self.sums.groups * self.sums.partial;
        let mut arithmetic: Vec<Option<String>> = others
            .chunks(2)
            .map(|two| format!("clear f{}, f{}", two[0], two.get(1).copied().unwrap_or(spare)))
            .map(Some)
            .collect();
        let [loaded, cleared] = [exchange.len(), arithmetic.len().max(exchange.len())];
        if self.plan.merging != Merging::None {
            self.name_sections(&mut arithmetic);
        }
        let n_lines = arithmetic.len().max(exchange.len());
        arithmetic.resize(n_lines, None);
        let mut exchange = exchange.into_iter();
        for arithmetic in arithmetic {
            self.line(arithmetic, exchange.next());
        }
        let groups = self.sums.groups;
        for (i, ready) in self.sums.ready.iter_mut().enumerate() {
            *ready =
                if i < groups { loaded + self.plan.load } else { cleared + self.plan.arithmetic };
        }
    }

    /// Writes condition codes that name the sections: code s + 1 is section s. Registers of values are free yet.
    fn name_sections(&self, arithmetic: &mut Vec<Option<String>>) {
        let [section, zero, spare] = [0, 1, 2].map(|k| self.plan.value(k));
        let number = |s: usize| if s == 0 { zero } else { self.plan.value(1 + s) };
        let wait = |lines: &mut Vec<Option<String>>, from: usize, distance: usize| {
            let until = lines.len().max(from + distance);
            lines.resize(until, None);
        };
        arithmetic.push(Some(format!("section f{section}")));
        arithmetic.push(Some(format!("clear f{zero}, f{spare}")));
        let first = arithmetic.len();
        wait(arithmetic, first - 1, self.plan.arithmetic);
        for s in 1..SECTIONS {
            arithmetic.push(Some(format!("addi f{}, f{zero}, {s}", number(s))));
        }
        let last = arithmetic.len();
        wait(arithmetic, last - 1, self.plan.arithmetic);
        for s in 0..SECTIONS {
            let code = code_of(s);
            arithmetic.push(Some(format!("c.eq.w cc{code}, f{section}, f{}", number(s))));
        }
        let last = arithmetic.len();
        wait(arithmetic, last - 1, self.plan.condition);
    }

    pub(super) fn multiply(&mut self) {
        while self.values.len() < self.total {
            let merges = self.plan.merging != Merging::None && !self.wants_load();
            if merges && self.merge() {
                continue;
            }
            let arithmetic = self.next_product(None);
            if merges && arithmetic.is_none() && self.merge_alone() {
                continue;
            }
            let exchange = self.next_load();
            self.line(arithmetic, exchange);
        }
    }

    /// Returns a product whose elements, sum and values are there; a merged one first. If `only` is a section, returns one
    /// that has values in this section alone.
    fn next_product(&mut self, only: Option<usize>) -> Option<String> {
        let now = self.lines.len();
        let k = self.values.len();
        if self.loaded.values.get(k / 2).is_none_or(|&at| at > now) {
            return None;
        }
        if only.is_none()
            && let Some(product) = self.merged_product()
        {
            return Some(product);
        }
        for i in 0..self.loaded.columns.len() {
            if self.loaded.columns[i] > now {
                break;
            }
            let found = self.left[i].iter().enumerate().find_map(|(b, block)| {
                let fits = only.is_none() || block.section() == only;
                let sum = fits.then(|| self.free_sum(block.group)).flatten();
                sum.map(|sum| (b, sum))
            });
            if let Some((b, sum)) = found {
                let block = self.left[i].remove(b);
                let x = self.plan.column(i) + block.word;
                return Some(self.product(sum, x, block.lanes));
            }
        }
        None
    }

    /// Returns the partial sum of a group that can be read: of several the one that could be read first.
    fn free_sum(&self, group: usize) -> Option<usize> {
        let sums = (0..self.sums.partial).map(|p| group + p * self.sums.groups);
        sums.min_by_key(|&s| self.sums.ready[s]).filter(|&s| self.sums.ready[s] <= self.lines.len())
    }

    fn product(&mut self, sum: usize, x: usize, lanes: [f32; LANES]) -> String {
        let value = self.plan.value(self.values.len());
        self.sums.ready[sum] = self.lines.len() + self.plan.arithmetic;
        self.values.push(lanes);
        format!("psmadd f{sum}, f{value}, f{x}")
    }

    fn merged_product(&mut self) -> Option<String> {
        let now = self.lines.len();
        let is_ready = |m: &Merge| m.sources.is_empty() && m.ready <= now;
        let at =
            self.merging.iter().position(|m| is_ready(m) && self.free_sum(m.group).is_some())?;
        let merge = self.merging.remove(at);
        self.free.push(merge.register);
        let sum = self.free_sum(merge.group)?;
        Some(self.product(sum, merge.register, merge.lanes))
    }

    /// Whether values or the vector come before merging.
    fn wants_load(&self) -> bool {
        let ahead = (2 * self.loaded.values.len()).saturating_sub(self.values.len());
        ahead < self.plan.ahead() && self.has_room_for_values() || self.has_room_for_column()
    }

    /// Adds a bundle with an operation that merges, if there is one. But for the first of a merge the operation obeys a
    /// predicate, and so does the multiplication beside it: one of a block with values in that section alone.
    fn merge(&mut self) -> bool {
        for m in 0..self.merging.len() {
            if !self.merging[m].is_begun {
                continue;
            }
            for k in 0..self.merging[m].sources.len() {
                let section = self.merging[m].sources[k].section;
                if let Some(product) = self.next_product(Some(section)) {
                    let exchange = self.merge_element(m, k);
                    let code = code_of(section);
                    self.line(Some(format!("if(cc{code}) {product}")), Some(exchange));
                    return true;
                }
            }
        }
        if let Some(merge) = self.new_merge() {
            self.merging.push(merge);
            let exchange = self.merge_element(self.merging.len() - 1, 0);
            // Behind the operation that begins the merge: its register is not free for the product.
            let arithmetic = self.next_product(None);
            self.line(arithmetic, Some(exchange));
            return true;
        }
        false
    }

    /// Adds an operation that merges with no multiplication beside it, if there is one.
    fn merge_alone(&mut self) -> bool {
        let is_waiting = |m: &Merge| m.is_begun && !m.sources.is_empty();
        let Some(m) = self.merging.iter().position(is_waiting) else { return false };
        let code = code_of(self.merging[m].sources[0].section);
        let exchange = self.merge_element(m, 0);
        self.line(Some(format!("if(cc{code})")), Some(exchange));
        true
    }

    /// Takes an element of a merge to its register.
    fn merge_element(&mut self, m: usize, k: usize) -> String {
        let merge = &mut self.merging[m];
        let source = merge.sources.remove(k);
        let (first, register) = (!merge.is_begun, merge.register);
        merge.is_begun = true;
        self.merges += 1;
        let now = self.lines.len();
        if self.plan.merging == Merging::Permuted {
            merge.ready = now + self.plan.permute;
            self.held[source.column] -= 1;
            let from = self.plan.column(source.column);
            let words = if source.word == 0 { "0, 1, 0, 1" } else { "2, 3, 2, 3" };
            return format!("psprmsgn f{register}, f{from}, {words}");
        }
        merge.ready = now + self.plan.load;
        let address = self.columns[source.column].address + source.word;
        format!("{} f{register}, {address}", if first { "lwi" } else { "clwi" })
    }

    /// Takes blocks of one group with values in different sections for a merge, if as many are at hand as pay. Conditional
    /// loads take them from columns that are not loaded yet, so that what is loaded serves the products beside them.
    fn new_merge(&mut self) -> Option<Merge> {
        let (now, loaded) = (self.lines.len(), self.loaded.columns.len());
        let register = self.free.last().copied()?;
        let columns: Vec<usize> = match self.plan.merging {
            Merging::Loaded => (loaded..self.left.len())
                .take(WINDOW)
                .chain((0..loaded).rev().take(WINDOW))
                .collect(),
            _ => (0..loaded)
                .rev()
                .take(self.plan.columns())
                .filter(|&i| self.loaded.columns[i] <= now)
                .collect(),
        };
        let mut found = vec![[None; SECTIONS]; self.sums.groups];
        for &i in &columns {
            for (b, block) in self.left[i].iter().enumerate() {
                if let Some(section) = block.section() {
                    found[block.group][section].get_or_insert((i, b));
                }
            }
        }
        let count = |of: &[Option<(usize, usize)>; SECTIONS]| of.iter().flatten().count();
        let group = (0..self.sums.groups).max_by_key(|&g| count(&found[g]))?;
        if count(&found[group]) < LEAST_MERGED {
            return None;
        }
        let mut merge = Merge { register, group, ..Merge::default() };
        // Those of a column from the last to the first, so that places stay what they are.
        let mut blocks: Vec<(usize, usize)> = found[group].iter().flatten().copied().collect();
        blocks.sort_by_key(|&(i, b)| (i, std::cmp::Reverse(b)));
        for (column, b) in blocks {
            let block = self.left[column].remove(b);
            let section = block.section()?;
            merge.lanes[2 * section..][..2].copy_from_slice(&block.lanes[2 * section..][..2]);
            merge.sources.push(Source { section, column, word: block.word });
            if self.plan.merging == Merging::Permuted {
                self.held[column] += 1;
            }
        }
        self.total -= merge.sources.len() - 1;
        self.free.pop();
        Some(merge)
    }

    /// Returns the next load: values if few are loaded, else the vector, else values.
    fn next_load(&mut self) -> Option<String> {
        let ahead =
            2 * self.loaded.values.len() - self.values.len().min(2 * self.loaded.values.len());
        if ahead < self.plan.ahead() {
            self.load_values().or_else(|| self.load_column())
        } else {
            self.load_column().or_else(|| self.load_values())
        }
    }

    fn has_room_for_values(&self) -> bool {
        let (pair, pairs) = (self.loaded.values.len(), self.plan.pairs);
        // A pair is free when both words of the one that was there have been used.
        let is_free = pair < pairs || self.values.len() >= 2 * (pair - pairs + 1);
        2 * pair < self.total && is_free
    }

    fn load_values(&mut self) -> Option<String> {
        let pair = self.loaded.values.len();
        self.has_room_for_values().then(|| {
            self.loaded.values.push(self.lines.len() + self.plan.load);
            format!("ldo f{}, (r0)+2", self.plan.value(2 * pair))
        })
    }

    fn has_room_for_column(&self) -> bool {
        let (i, pairs) = (self.loaded.columns.len(), self.plan.columns());
        i < self.columns.len()
            && (i < pairs || self.left[i - pairs].is_empty() && self.held[i - pairs] == 0)
    }

    fn load_column(&mut self) -> Option<String> {
        if !self.has_room_for_column() {
            return None;
        }
        let i = self.loaded.columns.len();
        let column = &self.columns[i];
        self.loaded.columns.push(self.lines.len() + self.plan.load);
        let register = self.plan.column(i);
        let uses = |word: usize| column.blocks.iter().any(|b| b.word == word);
        Some(match (uses(0), uses(1)) {
            (true, true) => format!("ldi f{register}, {}", column.address),
            (true, false) => format!("lwi f{register}, {}", column.address),
            _ => format!("lwi f{}, {}", register + 1, column.address + 1),
        })
    }

    /// Adds the partial sums and stores the results.
    pub(super) fn finish(&mut self, results: usize) {
        let mut left = self.sums.partial;
        while left > 1 {
            let half = left / 2;
            for s in 0..half * self.sums.groups {
                let other = s + (left - half) * self.sums.groups;
                self.wait(self.sums.ready[s].max(self.sums.ready[other]));
                self.sums.ready[s] = self.lines.len() + self.plan.arithmetic;
                self.line(Some(format!("psadd f{s}, f{s}, f{other}")), None);
            }
            left -= half;
        }
        for g in (0..self.sums.groups).step_by(2) {
            let next = (g + 1).min(self.sums.groups - 1);
            let operation = if next == g { "swi" } else { "sdi" };
            self.wait(self.sums.ready[g].max(self.sums.ready[next]));
            self.line(None, Some(format!("{operation} f{g}, {}", results + g)));
        }
    }

    fn wait(&mut self, cycle: usize) {
        while self.lines.len() < cycle {
            self.line(None, None);
        }
    }
}
