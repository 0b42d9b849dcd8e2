//! Transitive closure of matrices that local memory does not hold: pages of columns pass through it, once for each block of 32 pivots.
//! The columns of the pivots are closed among themselves, unions of them are made as tables, and the bits of a column at the pivots
//! choose one union of each table.

use super::layout::SliceLayout;
use super::pivots::{PivotPlace, pair};
use crate::linear_text::{LinearText, around};
use cp2_isa::{Core, SECTIONS};
use cp2_session::error::KernelError;
use std::fmt::Write as _;
use std::ops::Range;

/// Pivots of a block: those whose bits lie in one half of a word.
const BLOCK: usize = 32;
/// Most words of a column that registers hold at once; longer columns are gone through in parts.
const PART: usize = 8;
/// Most tables: each takes an address set of its own.
const MOST_TABLES: usize = 8;
/// Fewest pages, so that a page has left local memory before it comes back.
const FEWEST_PAGES: usize = 3;
/// Columns that could be computed in the time that the host takes between two pages.
const TURN_COLUMNS: usize = 16;
/// Register of the bit of a pivot.
const MASK: &str = "f60";
/// Register of zeros.
const ZERO: &str = "f61";
/// Register of the bits of a pivot's column.
const BITS: &str = "f62";

/// A table of unions of the columns of neighbouring pivots.
#[derive(Clone, Copy, Debug)]
struct UnionTable {
    /// First pivot of the block in it, and how many there are.
    first: usize,
    pivots: usize,
    /// Address of the union of none, behind which the others lie.
    address: usize,
}

/// The way of a matrix through local memory, and the kernels for it. Columns are those of [`SliceLayout`]; behind the last one there are
/// columns of zeros up to a whole number of pages.
#[derive(Clone, Debug)]
pub struct PagedClosure {
    layout: SliceLayout,
    page: usize,
    tables: Vec<UnionTable>,
}

/// Returns the numbers of pivots of so many tables, as even as can be.
fn widths(tables: usize) -> impl Iterator<Item = usize> {
    (0..tables).map(move |at| BLOCK / tables + usize::from(at < BLOCK % tables))
}

impl PagedClosure {
    /// Plans the closure of a matrix of so many rows for a core: as few tables as leave room for two pages and the pivots.
    ///
    /// # Errors
    /// Local memory does not hold them: the number of rows, and the most that it would hold.
    pub fn new(layout: SliceLayout, core: &Core) -> Result<Self, KernelError> {
        if let Some(plan) = Self::plan(layout, core) {
            return Ok(plan);
        }
        let holds = |rows: &usize| Self::plan(SliceLayout::new(*rows), core).is_some();
        let step = 2 * 64 * SECTIONS;
        let most = (0..layout.rows()).rev().filter(|n| n.is_multiple_of(step)).find(holds);
        let limit = format!(
            "at most {}, for which local memory holds two pages, {BLOCK} pivots and tables of their unions; close fewer vertices, or a \
             core with more local memory",
            most.unwrap_or(0)
        );
        Err(KernelError::Parameter { what: "number of rows", value: layout.rows(), limit })
    }

    fn plan(layout: SliceLayout, core: &Core) -> Option<Self> {
        (BLOCK / 8..=MOST_TABLES).find_map(|tables| Self::with_tables(layout, core, tables))
    }

    /// Returns the plan with so many tables; `None` if local memory does not hold it, or only with pages that are too short for the
    /// time that the host takes between two of them.
    fn with_tables(layout: SliceLayout, core: &Core, tables: usize) -> Option<Self> {
        let w = layout.words();
        let unions: usize = widths(tables).map(|pivots| 1 << pivots).sum();
        let fixed = BLOCK * w + BLOCK + unions * w.next_power_of_two();
        let room = core.lmem_words().checked_sub(fixed)? / (2 * w + 1);
        let least = if tables < MOST_TABLES { 2 * BLOCK } else { BLOCK };
        let wanted = layout.rows().div_ceil(FEWEST_PAGES).next_multiple_of(BLOCK);
        let most = (room / BLOCK * BLOCK).min(wanted);
        if most < least.min(wanted) {
            return None;
        }
        // The columns that fill the last page are moved for nothing, and turning a page takes as long as some columns do.
        let cost = |page: &usize| layout.rows().div_ceil(*page) * (page + TURN_COLUMNS);
        let pages = (BLOCK..=most).step_by(BLOCK).filter(|&page| page >= least.min(wanted));
        let page = pages.min_by_key(cost)?;
        let mut plan = Self { layout, page, tables: Vec::new() };
        let (mut first, mut address) = (0, plan.tables_address());
        for pivots in widths(tables) {
            plan.tables.push(UnionTable { first, pivots, address });
            first += pivots;
            address += plan.stride() << pivots;
        }
        Some(plan)
    }

    /// Returns the place of the columns.
    pub fn layout(&self) -> SliceLayout {
        self.layout
    }

    /// Returns the number of columns of a page.
    pub fn page_columns(&self) -> usize {
        self.page
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> usize {
        self.layout.rows().div_ceil(self.page).max(FEWEST_PAGES)
    }

    /// Returns the number of blocks of pivots.
    pub fn blocks(&self) -> usize {
        self.layout.rows().div_ceil(BLOCK)
    }

    /// Returns the columns of the pivots of a block.
    pub fn pivots(&self, block: usize) -> Range<usize> {
        block * BLOCK..(block + 1) * BLOCK
    }

    /// Returns the address in local memory of the first or the second page.
    pub fn page_address(&self, slot: usize) -> usize {
        slot % 2 * self.page * self.layout.words()
    }

    /// Returns the address in local memory of the columns of a block's pivots.
    pub fn pivots_address(&self) -> usize {
        2 * self.page * self.layout.words()
    }

    /// Address of the bits of the pivots' columns at the pivots, a word for each.
    fn pivot_bits(&self) -> usize {
        self.pivots_address() + BLOCK * self.layout.words()
    }

    /// Address of the bits of a page's columns at the pivots, a word for each.
    fn page_bits(&self) -> usize {
        self.pivot_bits() + BLOCK
    }

    fn tables_address(&self) -> usize {
        self.page_bits() + self.page
    }

    /// Returns how many words lie between two unions of a table.
    fn stride(&self) -> usize {
        self.layout.words().next_power_of_two()
    }

    /// Returns the words of a column that are gone through together, one part after the other.
    fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let w = self.layout.words();
        (0..w).step_by(PART).map(move |first| first..(first + PART).min(w))
    }

    /// Returns the fewest cycles for a column of a page: the fuller slot of the loops that gather its bits and take the unions.
    pub fn column_bound(&self) -> usize {
        let tables = self.tables.len();
        let part = |words: Range<usize>| {
            let w = words.len();
            (tables * (w + 2)).max(w + 1 + tables * (w / 2 + 3))
        };
        4 + self.parts().map(part).sum::<usize>()
    }

    /// Returns the fewest cycles for a column and a pivot, without what the pivots take by themselves.
    pub fn pivot_bound(&self) -> f64 {
        self.column_bound() as f64 / BLOCK as f64
    }

    /// Returns the fewest cycles of what a block's pivots take by themselves: the fuller slot of the loops that close them, and of those
    /// that make the tables.
    pub fn block_bound(&self) -> usize {
        let w = self.layout.words();
        let unions: usize = self.tables.iter().map(|table| (1 << table.pivots) - 1).sum();
        BLOCK * BLOCK * (w + 3) + unions * w + 4 * BLOCK
    }

    /// Returns the side of a block's pivots, which tells the kernels to take, and the word of a column in which their bits lie.
    pub fn side(&self, block: usize) -> (usize, usize) {
        let (section, word, bit) = self.layout.place(block * BLOCK);
        (2 * section + usize::from(bit > 0), word)
    }

    /// Returns the text of the kernels: the one that prepares a block, the one that takes a page through, and then, for each side, the
    /// routine that gathers bits, in the order of sections, low halves first. The first takes in `g0` the address of the word with the
    /// bits of the first pivot's column. The second takes in `g0` the address of the page, in `g1` that of the word with the bits of its
    /// first column. Both take in `g3` the address of the routine for the side.
    pub fn source(&self) -> String {
        let mut out = format!(
            "; closure of {n} x {n} bits by pages of {} columns; generated by programs/kernels/src/star/paged.rs.\n",
            self.page,
            n = self.layout.rows(),
        );
        self.block_kernel(&mut out);
        self.page_kernel(&mut out);
        for place in PivotPlace::sides() {
            gather(&mut out, place, self.layout.words());
        }
        self.close(&mut out);
        self.write_tables(&mut out);
        self.take_unions(&mut out);
        out
    }

    fn block_kernel(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "        .kernel star_closure_block
        move    a6, g0
        seti    a7, {bits}
        seti    g2, {BLOCK}
        call    g3
        nop
        calli   first
        nop
        seti    a1, {pivots}
        seti    a5, {bits}
        doi     {BLOCK}, closed
        calli   close
        nop
closed: nop
        nop
        calli   tables
        nop
        stopi   0",
            bits = self.pivot_bits(),
            pivots = self.pivots_address(),
        );
    }

    fn page_kernel(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "        .kernel star_closure_page
        move    a6, g1
        seti    a7, {bits}
        seti    g2, {page}
        call    g3
        nop
        calli   take
        nop
        stopi   0",
            bits = self.page_bits(),
            page = self.page,
        );
    }

    /// Writes the pass of a pivot over the columns of its block: those that have its bit take its column.
    fn close(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "first:\n.linear\n        clear   {MASK}, {ZERO}\n        li0     {MASK}, 1\n.endlinear\n        ret\n        nop\nclose:"
        );
        let w = self.layout.words();
        for part in self.parts() {
            let is_last = part.end == w;
            let _ = writeln!(
                out,
                "        seti    a0, {}\n        seti    a7, {}\n.linear\n        .even   r0, r1\n        .disjoint r0, r7\n        .keep   {MASK}, {ZERO}",
                self.pivots_address() + part.start,
                self.pivot_bits(),
            );
            let mut code = LinearText::default();
            for word in part.clone().step_by(2) {
                code.access("ld", pair("f", word - part.start), 1, word as i64);
            }
            if is_last {
                code.access("lw", BITS, 5, 0);
                code.leave_at(5, 1);
            }
            code.leave_at(1, if is_last { w as i64 } else { 0 });
            code.begin_loop(BLOCK);
            for word in (0..part.len()).step_by(2) {
                code.access("ld", pair("%t", word), 0, word as i64);
            }
            code.access("lw", "%bits", 7, 0);
            code.line(format!("and %bit, %bits, {MASK}"));
            code.line(format!("c.ne.w cc1, %bit, {ZERO}"));
            for word in 0..part.len() {
                code.line(format!("if(cc1) or %t{word}, %t{word}, f{word}"));
            }
            for word in (0..part.len()).step_by(2) {
                code.access("sd", pair("%t", word), 0, word as i64);
            }
            if is_last {
                code.line(format!("if(cc1) or %bits, %bits, {BITS}"));
                code.access("sw", "%bits", 7, 0);
            }
            code.leave_at(0, w as i64);
            code.leave_at(7, 1);
            code.end_loop();
            if is_last {
                code.line(format!("lshifti %next, {MASK}, 1"));
                code.line(format!("copy {MASK}, %next"));
            }
            *out += &code.text();
            *out += ".endlinear\n";
        }
        *out += "        ret\n        nop\n";
    }

    /// Writes what makes the tables: the union of none, and for each pivot all unions that are there with its column.
    fn write_tables(&self, out: &mut String) {
        let w = self.layout.words();
        *out += "tables:\n";
        let mut routines = Vec::new();
        for part in self.parts() {
            for table in &self.tables {
                let at = table.address + part.start;
                let name = format!("none_{}", part.len());
                let _ =
                    writeln!(out, "        seti    a3, {at}\n        calli   {name}\n        nop");
                for pivot in 0..table.pivots {
                    let column = self.pivots_address() + (table.first + pivot) * w + part.start;
                    let _ = writeln!(
                        out,
                        "        seti    a1, {column}\n        seti    a2, {at}\n        seti    a3, {}\n        calli   unions_{}_{pivot}\n        nop",
                        at + (self.stride() << pivot),
                        part.len(),
                    );
                }
            }
            if !routines.contains(&part.len()) {
                routines.push(part.len());
            }
        }
        *out += "        ret\n        nop\n";
        let pivots = self.tables.iter().map(|table| table.pivots).max().unwrap_or(0);
        for words in routines {
            let mut code = LinearText::default();
            code.line("clear %zero, %none");
            (0..words).for_each(|word| code.access("sw", "%zero", 3, word as i64));
            let _ = writeln!(
                out,
                "none_{words}:\n.linear\n{}.endlinear\n        ret\n        nop",
                code.text()
            );
            (0..pivots).for_each(|pivot| self.unions(out, words, pivot));
        }
    }

    /// Writes what adds a pivot to a table: `r1` has the address of its column, `r2` that of the table, `r3` that of the end of the
    /// unions that are there.
    fn unions(&self, out: &mut String, words: usize, pivot: usize) {
        let stride = self.stride() as i64;
        let _ = writeln!(
            out,
            "unions_{words}_{pivot}:\n.linear\n        .even   r1, r2, r3\n        .disjoint r1, r2, r3"
        );
        let mut code = LinearText::default();
        for word in (0..words).step_by(2) {
            code.access("ld", pair("%c", word), 1, word as i64);
        }
        code.begin_loop(1 << pivot);
        for word in (0..words).step_by(2) {
            code.access("ld", pair("%t", word), 2, word as i64);
        }
        for word in 0..words {
            code.line(format!("or %u{word}, %t{word}, %c{word}"));
        }
        for word in (0..words).step_by(2) {
            code.access("sd", pair("%u", word), 3, word as i64);
        }
        code.leave_at(2, stride);
        code.leave_at(3, stride);
        code.end_loop();
        let _ = writeln!(out, "{}.endlinear\n        ret\n        nop", code.text());
    }

    /// Writes what lets each column of a page take the unions that its bits choose.
    fn take_unions(&self, out: &mut String) {
        let w = self.layout.words();
        *out += "take:\n";
        for part in self.parts() {
            let _ = writeln!(
                out,
                "        move    a0, g0\n        seti    a7, {}\n.linear\n        .even   r0\n        .disjoint r0, r7",
                self.page_bits(),
            );
            let mut code = LinearText::default();
            self.masks(&mut code);
            code.begin_loop(self.page);
            code.access("lw", "%bits", 7, 0);
            for word in (0..part.len()).step_by(2) {
                code.access("ld", pair("%t", word), 0, (part.start + word) as i64);
            }
            for (at, table) in self.tables.iter().enumerate() {
                self.choose(&mut code, (at, table), &part);
                for word in 0..part.len() {
                    code.line(format!("or %t{word}, %t{word}, %u{at}_{word}"));
                }
            }
            for word in (0..part.len()).step_by(2) {
                code.access("sd", pair("%t", word), 0, (part.start + word) as i64);
            }
            code.leave_at(0, w as i64);
            code.leave_at(7, 1);
            code.end_loop();
            *out += &code.text();
            *out += ".endlinear\n";
        }
        *out += "        ret\n        nop\n";
    }

    /// Writes the masks of the bits of the tables, by their number, at the place that an address has them.
    fn masks(&self, code: &mut LinearText) {
        let mut widths: Vec<usize> = self.tables.iter().map(|table| table.pivots).collect();
        widths.dedup();
        for width in widths {
            code.line(format!("clear %mask{width}, %none{width}"));
            code.line(format!("li0 %mask{width}, {}", ((1 << width) - 1) * self.stride()));
        }
    }

    /// Writes the address of the union of a table, and its loads.
    fn choose(
        &self,
        code: &mut LinearText,
        (at, table): (usize, &UnionTable),
        part: &Range<usize>,
    ) {
        let set = 8 + at;
        let shift = self.stride().trailing_zeros() as i64 - table.first as i64;
        code.line(format!("lshifti %b{at}, %bits, {shift}"));
        code.line(format!("and %a{at}, %b{at}, %mask{}", table.pivots));
        code.line(format!("mffpr g{}, %a{at}, s0", 4 + at));
        code.line(format!("move a{set}, g{}", 4 + at));
        code.line(format!("updaddr (r{set}){:+}", around((table.address + part.start) as i64)));
        for word in (0..part.len()).step_by(2) {
            let registers = format!("%u{at}_{word}:%u{at}_{}", word + 1);
            code.access("ld", registers, set, word as i64);
        }
    }
}

/// Writes what brings the bits of columns at the pivots to all sections, one word for each column: `r6` goes through the words that have
/// them, `r7` through the results, and `g2` counts the columns.
fn gather(out: &mut String, place: PivotPlace, words: usize) {
    let mut code = LinearText::default();
    code.begin_loop_of_multiple("g2", BLOCK);
    code.access("lw", "%word", 6, 0);
    if place.is_high {
        code.line("swaphl %half, %word");
    }
    let bits = if place.is_high { "%half" } else { "%word" };
    code.line(format!("mffpr g4, {bits}, s{}", place.section));
    code.line("mtfpr %bits, g4, all");
    code.access("sw", "%bits", 7, 0);
    code.leave_at(6, words as i64);
    code.leave_at(7, 1);
    code.end_loop();
    let _ = writeln!(
        out,
        "        .kernel star_closure_gather_{}\n.linear\n        .disjoint r6, r7\n        .scratch g15\n{}.endlinear\n        ret\n        nop",
        place.side(),
        code.text()
    );
}
