//! The texts of the product by a matrix in Sliced CSR on a core with the extension section addressing, one for each way
//! in which an address gets from a register of columns to a load. The code that runs the texts is in `sections`.

use super::sliced::{GROUP, check_height};
use cp2_isa::SECTIONS;
use cp2_session::sparse::SparseError;
use std::fmt::Write as _;

/// Address sets that carry columns in turn, from `r8` on.
const CARRIERS: usize = 8;

/// Fewest units of four columns in a part of a slice, so that passes can overlap.
pub(super) const LEAST_UNITS: usize = 2;

/// Fewest passes of the kernel that turns the vector; each takes four elements.
pub(super) const LEAST_TURNS: usize = 6;

/// Way in which the column number of a matrix element, which is the address of an element of the vector in local
/// memory, gets from a floating-point register to the load of that element, on a core whose sections have addresses of
/// their own (extension section addressing). Each way has a kernel of its own, made by [`source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathering {
    /// An operation in the exchange slot writes the column number to an address register, as the published source \[D\]
    /// proposes.
    Exchange,
    /// An operation in the arithmetic slot writes the column number to an address register, except for one in four,
    /// which the exchange slot takes, so that both slots are equally full.
    Arithmetic,
    /// The load takes its address from the floating-point register. Column numbers have 16 bits, so one word has those
    /// of four elements.
    Register,
}

impl Gathering {
    /// All ways of gathering that there are kernels for.
    pub const ALL: [Self; 3] = [Self::Exchange, Self::Arithmetic, Self::Register];

    /// Returns the number of rows of a slice (32, 64 or 128) with which the product by a matrix with sorted rows of
    /// about fifty entries takes fewest cycles. Taller slices have fewer beginnings and ends, and more padding.
    pub const fn height(self) -> usize {
        match self {
            Self::Exchange => 64,
            Self::Arithmetic => 128,
            Self::Register => 32,
        }
    }

    /// Returns the words of columns for four elements in each section.
    pub(super) const fn column_words(self) -> usize {
        match self {
            Self::Exchange | Self::Arithmetic => 2,
            Self::Register => 1,
        }
    }

    /// Returns the fewest cycles for a hundred `psmadd` of the kernel, each of which multiplies two matrix elements in
    /// every section: the number of operations of the fuller slot. For each `psmadd` the exchange slot has two loads of
    /// vector elements, half a load of values and half of columns (a quarter of short ones), and two address writes
    /// where they issue there. The arithmetic slot has the `psmadd`, the `join32` before it, half a `split16` where
    /// columns are short, and the other address writes.
    pub const fn bound(self) -> usize {
        match self {
            Self::Exchange => 500,
            Self::Arithmetic => 350,
            Self::Register => 275,
        }
    }
}

/// Returns three numbers of cycles of the kernel of [`Gathering::Register`] for slices of `height` rows: those that
/// each run takes once, those that each part of a slice adds, and those that each unit adds, a group of four elements
/// of every row. They are as the scheduler finds them on a core with the latencies of the unmodified one. Heights other
/// than 16, 32 and 64 count as 128.
pub fn register_cycles(height: usize) -> [usize; 3] {
    match height {
        16 => [12, 70, 22],
        32 => [12, 80, 44],
        64 => [12, 100, 88],
        _ => [12, 130, 176],
    }
}

/// Assembly text of the kernel `turn`, which copies a vector in local memory with the halves of each word exchanged, so
/// that every element is in the low half of some word. The kernel takes in `g0` the word address of the vector, two
/// elements in a word, in `g1` that of the copy, and in `g2` the number of passes, at least 6, each of four elements.
pub const TURN: &str = "
        .kernel turn
        move    a0, g0
        move    a1, g1
.linear
        .scratch g15
        .even r0, r1
        .disjoint r0, r1
        .loop   g2, min=6
        ldo     %x0:%x1, (r0)+2
        swaphl  %y0, %x0
        swaphl  %y1, %x1
        sdo     %y0:%y1, (r1)+2
        .endloop
.endlinear
        stopi 0
";

/// Returns the assembly text of the kernel that multiplies a page (the part of the matrix that lies in local memory at
/// once) of slices of `height` rows by a vector, for a way of gathering the vector's elements.
///
/// The kernel takes in `g0` the word address of the values, in `g1` of the columns, in `g2` of the results, in `g3` of
/// the counters, and in `g4` the number of parts of slices in the page. A column is the address of a word that has the
/// element of the vector in its low half. A counter is the number of groups of four elements in each row of a part, at
/// least 2; an unused word follows it. Results, two rows in a word, are read, added to, and written back.
///
/// # Errors
/// `height` is none of [`HEIGHTS`](super::HEIGHTS).
pub fn source(height: usize, gathering: Gathering) -> Result<String, SparseError> {
    check_height(height)?;
    let rows = height / SECTIONS;
    let mut out = format!(
        "; Product by a matrix in slices of {height} rows with section addressing; generated by
; programs/kernels/src/sparse/sections_kernel.rs.
        .requires section-addressing
        .kernel spmv_sections{height}
"
    );
    for (set, register) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3)] {
        let _ = writeln!(out, "        move    a{set}, g{register}");
    }
    out.push_str(".linear\n        .scratch g14, g15\n        .even r1, r2, r3, r4\n");
    out.push_str("        .disjoint r4, sections          ; the vector is read only\n");
    out.push_str("        clear   %zero, %none\n");
    out.push_str("        .loop   g4, min=1\n");
    part(&mut out, rows, gathering);
    out.push_str("        .endloop\n.endlinear\n        stopi 0\n");
    Ok(out)
}

/// Writes one part of a slice: partial sums from and to local memory, the units between.
fn part(out: &mut String, rows: usize, gathering: Gathering) {
    let _ = writeln!(out, "        lwo     %counter, (r5)+2");
    let _ = writeln!(out, "        mffpr   g5, %counter, s0");
    begin_sums(out, rows);
    let _ = writeln!(out, "        .loop   g5, min={LEAST_UNITS}");
    unit(out, rows, gathering);
    out.push_str("        .endloop\n");
    end_sums(out, rows);
}

/// Begins the partial sums with the results of two rows in a word: each result is put into the high half of a register, with
/// 0 beside it.
pub(super) fn begin_sums(out: &mut String, rows: usize) {
    for r in (0..rows).step_by(4) {
        let _ = writeln!(out, "        ldo     %old{r}:%old{}, (r3)+2", r + 2);
    }
    for r in (0..rows).step_by(2) {
        let _ = writeln!(out, "        mtrans  %sum{r}, %old{r}, %zero, %sum{}", r + 1);
    }
}

/// Ends the sums: adds the halves of two sums, and stores the results in one word.
pub(super) fn end_sums(out: &mut String, rows: usize) {
    for r in (0..rows).step_by(2) {
        let _ = writeln!(out, "        mtrans  %high{r}, %sum{r}, %sum{}, %low{r}", r + 1);
        let _ = writeln!(out, "        psadd   %new{r}, %high{r}, %low{r}");
    }
    for r in (0..rows).step_by(4) {
        let _ = writeln!(out, "        sdo     %new{r}:%new{}, (r4)+2", r + 2);
    }
}

/// Writes the products of four elements of each row of a section. A row is multiplied behind the loads of the next: the
/// scheduler takes operations in their order, and then fewer iterations are under way.
fn unit(out: &mut String, rows: usize, gathering: Gathering) {
    let mut carrier = 0;
    for row in 0..=rows {
        if row < rows {
            gather(out, row, gathering, &mut carrier);
        }
        if row > 0 {
            multiply(out, row - 1);
        }
    }
}

/// Loads four values, four columns and the elements that these name.
fn gather(out: &mut String, row: usize, gathering: Gathering, carrier: &mut usize) {
    let words = words(row);
    let _ = writeln!(out, "        ldo     %value{}:%value{}, (r1)+2", words[0], words[1]);
    if gathering != Gathering::Register {
        let _ = writeln!(out, "        ldo     %column{}:%column{}, (r2)+2", words[0], words[1]);
    } else {
        if row.is_multiple_of(2) {
            let _ = writeln!(out, "        ldo     %column{row}:%column{}, (r2)+2", row + 1);
        }
        short_elements(out, row);
        return;
    }
    for w in words {
        for (half, element) in [("hi", "first"), ("lo", "second")] {
            let set = 8 + *carrier % CARRIERS;
            // One address write of four has its place in the exchange slot.
            let op = match gathering {
                Gathering::Arithmetic if *carrier % 4 != 3 => "amtsa",
                _ => "mtsa",
            };
            *carrier += 1;
            let _ = writeln!(out, "        {op:7} r{set}, %column{w}.{half}");
            let _ = writeln!(out, "        lwsa    %{element}{w}, (r{set})");
        }
    }
}

/// Loads the elements that four columns of 16 bits name, the first in the highest bits.
pub(super) fn short_elements(out: &mut String, row: usize) {
    let _ = writeln!(out, "        split16 %upper{row}, %column{row}");
    for (w, half) in words(row).into_iter().zip(["hi", "lo"]) {
        let _ = writeln!(out, "        lwfa    %first{w}, %upper{row}.{half}");
        let _ = writeln!(out, "        lwfa    %second{w}, %column{row}.{half}");
    }
}

/// Adds four products to the sum of a row.
pub(super) fn multiply(out: &mut String, row: usize) {
    for w in words(row) {
        let _ = writeln!(out, "        join32  %second{w}, %first{w}");
        let _ = writeln!(out, "        psmadd  %sum{row}, %value{w}, %second{w}");
    }
}

/// Returns the numbers of the two words of values of a row.
pub(super) const fn words(row: usize) -> [usize; 2] {
    [GROUP / 2 * row, GROUP / 2 * row + 1]
}
