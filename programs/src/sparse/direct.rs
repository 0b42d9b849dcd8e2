//! Code made for one matrix: the addresses of the vector are immediates, the order of the values
//! is that of the operations, the result registers are chosen by row group. Bundles in their
//! final order; the host procedure that loads and runs them page by page is here too.

use super::pages::{longest_vector, page_words};
use super::placement::{LANES, Placement};
use super::run::{Machine, Product, SPREAD, pair};
use super::{Csr, Layout, SparseError};
use crate::engine::Execution;
use cp2_isa::Core;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How the code uses a core.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    core: Core,
    /// Registers with partial sums, `f0` and up: half of all.
    sums: usize,
    /// Pairs in the ring of value words and in that of vector words, a quarter of all registers each,
    /// behind the sums.
    pairs: usize,
    /// Distance from an arithmetic operation and from a load to a reader.
    arithmetic: usize,
    load: usize,
    /// Bundles that a page may have: most of instruction memory.
    code: usize,
}

impl Plan {
    fn new(core: &Core) -> Self {
        let pairs = core.fprs() / 8;
        let latencies = core.latencies();
        Self {
            core: *core,
            sums: 4 * pairs,
            pairs,
            arithmetic: latencies.arithmetic as usize,
            load: latencies.load as usize,
            code: core.iram_bundles() - core.iram_bundles() / 28,
        }
    }

    /// Value words that are kept loaded or under way.
    fn ahead(&self) -> usize {
        2 * self.load
    }

    /// Register of a word of values, in the order of their use.
    fn value(&self, word: usize) -> usize {
        self.sums + word % (2 * self.pairs)
    }

    /// First register of a column of the vector.
    fn column(&self, column: usize) -> usize {
        self.sums + 2 * self.pairs + column % self.pairs * 2
    }
}

/// Eight values that meet one word of the vector.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    /// Word of the pair, 0 or 1.
    word: usize,
    /// Row group, counted within the slab.
    group: usize,
    lanes: [f32; LANES],
}

/// All blocks of a slab at two neighbouring words of the vector.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    /// Even address.
    address: usize,
    blocks: Vec<Block>,
}

/// One page: code and data.
#[derive(Clone, Debug, PartialEq)]
struct Page {
    /// The text of the kernel.
    text: String,
    /// Its bundles.
    bundles: usize,
    /// Value words in the order of their use.
    values: Vec<[f32; LANES]>,
    /// Operations `psmadd`.
    multiplications: usize,
    /// Loads of the vector.
    columns: usize,
    slab: usize,
}

/// A matrix as code.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct {
    /// Rows of the matrix.
    pub(super) rows: usize,
    /// Entries of the matrix.
    pub(super) nonzeros: usize,
    /// Where rows and the vector are.
    pub(super) placement: Placement,
    /// The pages in the order of their runs.
    pages: Vec<Page>,
    plan: Plan,
}

impl Direct {
    /// Makes the code for a matrix on a core.
    pub fn new(core: &Core, matrix: &Csr, layout: Layout) -> Result<Self, SparseError> {
        let plan = Plan::new(core);
        let sums = plan.sums;
        let placement = Placement::new(matrix, layout, 1, 2);
        let capacity = page_words(core, placement.words()).saturating_sub(sums + 2);
        if capacity < 2 * sums {
            let limit = longest_vector(core, 3 * sums + 2);
            return Err(SparseError::TooLong { words: placement.words(), limit });
        }
        let mut direct = Self {
            rows: matrix.rows(),
            nonzeros: matrix.nonzeros(),
            placement,
            pages: Vec::new(),
            plan,
        };
        for slab in 0..placement.groups().div_ceil(sums) {
            let columns = columns_of(matrix, &placement, slab, sums);
            let mut rest = &columns[..];
            while !rest.is_empty() {
                let mut count = fitting(rest, capacity);
                let mut page = direct.page(slab, &rest[..count]);
                while page.bundles > plan.code && count > 1 {
                    count = count.div_ceil(2);
                    page = direct.page(slab, &rest[..count]);
                }
                direct.pages.push(page);
                rest = &rest[count..];
            }
        }
        Ok(direct)
    }

    /// Address of the results of a page.
    fn results(&self) -> usize {
        self.placement.words()
    }

    fn values(&self) -> usize {
        self.results() + self.plan.sums
    }

    fn page(&self, slab: usize, columns: &[Column]) -> Page {
        let groups = (self.placement.groups() - slab * self.plan.sums).min(self.plan.sums);
        let mut coder = Coder::new(self.plan, columns, groups);
        coder.begin(self.results(), self.values());
        coder.multiply();
        coder.finish(self.results());
        let mut text = String::from("        .kernel spmv_direct\n");
        for (arithmetic, exchange) in &coder.lines {
            let _ = writeln!(text, "        {arithmetic} | {exchange}");
        }
        text.push_str("        stopi 0\n");
        Page {
            text,
            bundles: coder.lines.len() + 1,
            multiplications: coder.values.len(),
            columns: columns.len(),
            values: coder.values,
            slab,
        }
    }

    /// The texts of the kernels, page by page.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(|p| p.text.as_str())
    }

    /// Operations `psmadd` of all pages.
    pub fn multiplications(&self) -> usize {
        self.pages.iter().map(|p| p.multiplications).sum()
    }

    /// Bundles of all pages.
    pub fn bundles(&self) -> usize {
        self.pages.iter().map(|p| p.bundles).sum()
    }

    /// Fewest cycles: an arithmetic operation for each block, or half an exchange operation for its
    /// values and one for each two neighbouring words of the vector that are used.
    pub fn bound(&self) -> usize {
        self.pages
            .iter()
            .map(|p| p.multiplications.max(p.multiplications.div_ceil(2) + p.columns))
            .sum()
    }

    /// Bytes of values and code.
    pub fn bytes(&self) -> usize {
        4 * LANES * self.multiplications() + 8 * self.bundles()
    }
}

/// How many columns one page holds.
fn fitting(columns: &[Column], capacity: usize) -> usize {
    let mut words = 0;
    let fits = columns.iter().take_while(|c| {
        words += c.blocks.len();
        words <= capacity
    });
    fits.count().max(1)
}

/// The blocks of a slab by address. A column has at most two blocks for each group.
fn columns_of(matrix: &Csr, placement: &Placement, slab: usize, sums: usize) -> Vec<Column> {
    let mut blocks: BTreeMap<(usize, usize), [f32; LANES]> = BTreeMap::new();
    for group in 0..sums {
        for lane in 0..LANES {
            let Some(row) = placement.row(slab * sums + group, lane) else { continue };
            for &(column, value) in matrix.row(row) {
                let key = (placement.address(lane, column), group);
                blocks.entry(key).or_insert([0.0; LANES])[lane] = value;
            }
        }
    }
    let mut columns: Vec<Column> = Vec::new();
    for ((address, group), lanes) in blocks {
        let block = Block { word: address % 2, group, lanes };
        match columns.last_mut() {
            Some(column) if column.address == address & !1 => column.blocks.push(block),
            _ => columns.push(Column { address: address & !1, blocks: vec![block] }),
        }
    }
    columns
}

/// Lays operations into cycles, one after the other.
struct Coder<'a> {
    plan: Plan,
    columns: &'a [Column],
    groups: usize,
    /// Partial sums of a row group.
    partial: usize,
    lines: Vec<(String, String)>,
    /// Cycle from which each sum can be read.
    ready: Vec<usize>,
    /// Blocks that are left in each column.
    left: Vec<Vec<Block>>,
    /// Cycle from which each loaded column, and each loaded pair of values, can be read.
    columns_at: Vec<usize>,
    values_at: Vec<usize>,
    values: Vec<[f32; LANES]>,
    /// Blocks of all columns.
    total: usize,
}

impl<'a> Coder<'a> {
    fn new(plan: Plan, columns: &'a [Column], groups: usize) -> Self {
        let partial = (plan.sums / 2 / groups).clamp(1, plan.arithmetic);
        let left: Vec<Vec<Block>> = columns.iter().map(|c| c.blocks.clone()).collect();
        Self {
            plan,
            columns,
            groups,
            partial,
            lines: Vec::new(),
            ready: vec![0; groups * partial],
            total: left.iter().map(Vec::len).sum(),
            left,
            columns_at: Vec::new(),
            values_at: Vec::new(),
            values: Vec::new(),
        }
    }

    fn line(&mut self, arithmetic: Option<String>, exchange: Option<String>) {
        let or_nop = |text: Option<String>| text.unwrap_or_else(|| "nop".to_owned());
        self.lines.push((or_nop(arithmetic), or_nop(exchange)));
    }

    /// The sums of before into the first partial sums, 0 into the others. Sum p of group g is
    /// register g + p * groups.
    fn begin(&mut self, results: usize, values: usize) {
        let mut exchange = vec![format!("seti a0, {values}")];
        for g in (0..self.groups).step_by(2) {
            let single = g + 1 == self.groups;
            let operation = if single { "lwi" } else { "ldi" };
            exchange.push(format!("{operation} f{g}, {}", results + g));
        }
        let others = (self.groups..self.groups * self.partial).collect::<Vec<_>>();
        // The register behind the sums: fewer than half are taken if there is more than one each.
        let spare = self.groups * self.partial;
        let mut arithmetic = others
            .chunks(2)
            .map(|two| format!("clear f{}, f{}", two[0], two.get(1).copied().unwrap_or(spare)));
        for load in exchange {
            let clear = arithmetic.next();
            self.line(clear, Some(load));
        }
        let rest: Vec<String> = arithmetic.collect();
        let loaded = self.lines.len() + self.plan.load;
        let cleared = self.lines.len() + rest.len() + self.plan.arithmetic;
        for clear in rest {
            self.line(Some(clear), None);
        }
        let groups = self.groups;
        for (i, ready) in self.ready.iter_mut().enumerate() {
            *ready = if i < groups { loaded } else { cleared };
        }
    }

    fn multiply(&mut self) {
        while self.values.len() < self.total {
            let arithmetic = self.next_product();
            let exchange = self.next_load();
            self.line(arithmetic, exchange);
        }
    }

    /// The first block whose word of the vector and sum are there, if its values are too.
    fn next_product(&mut self) -> Option<String> {
        let now = self.lines.len();
        let k = self.values.len();
        if self.values_at.get(k / 2).is_none_or(|&at| at > now) {
            return None;
        }
        for i in 0..self.columns_at.len() {
            if self.columns_at[i] > now {
                break;
            }
            let found = self.left[i].iter().enumerate().find_map(|(b, block)| {
                let sums = (0..self.partial).map(|p| block.group + p * self.groups);
                sums.min_by_key(|&s| self.ready[s])
                    .filter(|&s| self.ready[s] <= now)
                    .map(|s| (b, s))
            });
            if let Some((b, sum)) = found {
                let block = self.left[i].remove(b);
                self.ready[sum] = now + self.plan.arithmetic;
                self.values.push(block.lanes);
                let value = self.plan.value(k);
                let x = self.plan.column(i) + block.word;
                return Some(format!("psmadd f{sum}, f{value}, f{x}"));
            }
        }
        None
    }

    /// Values if few are loaded, else the vector, else values.
    fn next_load(&mut self) -> Option<String> {
        let ahead = 2 * self.values_at.len() - self.values.len().min(2 * self.values_at.len());
        if ahead < self.plan.ahead() {
            self.load_values().or_else(|| self.load_column())
        } else {
            self.load_column().or_else(|| self.load_values())
        }
    }

    fn load_values(&mut self) -> Option<String> {
        let pair = self.values_at.len();
        // A pair is free when both words of the one that was there have been used.
        let pairs = self.plan.pairs;
        let is_free = pair < pairs || self.values.len() >= 2 * (pair - pairs + 1);
        (2 * pair < self.total && is_free).then(|| {
            self.values_at.push(self.lines.len() + self.plan.load);
            format!("ldo f{}, (r0)+2", self.plan.value(2 * pair))
        })
    }

    fn load_column(&mut self) -> Option<String> {
        let i = self.columns_at.len();
        let column = self.columns.get(i)?;
        let pairs = self.plan.pairs;
        if i >= pairs && !self.left[i - pairs].is_empty() {
            return None;
        }
        self.columns_at.push(self.lines.len() + self.plan.load);
        let register = self.plan.column(i);
        let uses = |word: usize| column.blocks.iter().any(|b| b.word == word);
        Some(match (uses(0), uses(1)) {
            (true, true) => format!("ldi f{register}, {}", column.address),
            (true, false) => format!("lwi f{register}, {}", column.address),
            _ => format!("lwi f{}, {}", register + 1, column.address + 1),
        })
    }

    /// Adds the partial sums and stores the results.
    fn finish(&mut self, results: usize) {
        let mut left = self.partial;
        while left > 1 {
            let half = left / 2;
            for s in 0..half * self.groups {
                let other = s + (left - half) * self.groups;
                self.wait(self.ready[s].max(self.ready[other]));
                self.ready[s] = self.lines.len() + self.plan.arithmetic;
                self.line(Some(format!("psadd f{s}, f{s}, f{other}")), None);
            }
            left -= half;
        }
        for g in (0..self.groups).step_by(2) {
            let next = (g + 1).min(self.groups - 1);
            let operation = if next == g { "swi" } else { "sdi" };
            self.wait(self.ready[g].max(self.ready[next]));
            self.line(None, Some(format!("{operation} f{g}, {}", results + g)));
        }
    }

    fn wait(&mut self, cycle: usize) {
        while self.lines.len() < cycle {
            self.line(None, None);
        }
    }
}

/// Multiplies a matrix by `x`. Runs of all pages and spreading the vector are counted; loading
/// code is told apart ([`Product::loaded_bundles`]).
pub fn multiply(matrix: &Direct, x: &[f32], on: Execution) -> Result<Product, SparseError> {
    let idle = format!("        .kernel idle\n        stopi 0\n{SPREAD}");
    let on = Execution { core: matrix.plan.core, ..on };
    let mut machine = Machine::new("spread.s", &idle, on)?;
    let mut product = Product::new(matrix.rows);
    product.multiplications = matrix.multiplications() as u64;
    product.nonzeros = matrix.nonzeros;
    product.bytes = matrix.bytes();
    product.loaded_bundles = matrix.bundles();
    product.spread_cycles = matrix.placement.prepare(x, &mut machine)?;
    for page in &matrix.pages {
        machine.replace("spmv_direct.s", &page.text)?;
        let groups = page.slab * matrix.plan.sums..(page.slab + 1) * matrix.plan.sums;
        let lmem = machine.lmem();
        for (quad, group) in lmem[matrix.results()..].iter_mut().zip(groups.clone()) {
            *quad = matrix.placement.results(&product.y, group);
        }
        for (quad, v) in lmem[matrix.values()..].iter_mut().zip(&page.values) {
            *quad = std::array::from_fn(|s| pair(v[2 * s].to_bits(), v[2 * s + 1].to_bits()));
        }
        product.add_run(&machine.run(0, &[])?);
        for (quad, group) in machine.lmem()[matrix.results()..].iter().zip(groups) {
            matrix.placement.collect(quad, group, &mut product.y);
        }
    }
    Ok(product)
}
