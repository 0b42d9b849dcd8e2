//! The text of operators on the grid of 8 x 8 x 8 points in shared memory: residual and smoother, and how its points get
//! there and back.

use super::layout::{COLUMNS, GROUP, N, R, ROWS, U, column, weights};
use cp2_isa::SECTIONS;
use std::fmt::Write as _;

/// An operator on the fine grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FineOperator {
    /// r = v - A u into shared memory.
    Residual,
    /// u + S r.
    Smoother,
    /// r = v - A u into local memory.
    Last,
}

pub(super) fn region(out: &mut String, write: impl FnOnce(&mut String)) {
    out.push_str(".linear\n");
    write(out);
    out.push_str(".endlinear\n");
}

/// Brings u and v from rows into columns, and u into its grid.
pub(super) fn begin(out: &mut String) {
    for array in [U, R] {
        for half in 0..2 {
            region(out, |out| {
                (0..N / 2).for_each(|y| to_columns(out, array, half * N / 2 + y));
            });
        }
    }
}

/// Brings u and r back into rows.
pub(super) fn end(out: &mut String) {
    for array in [U, R] {
        region(out, |out| {
            (0..N).for_each(|y| to_rows(out, array, y));
        });
    }
}

/// Writes an operator on all rows.
pub(super) fn step(out: &mut String, step: FineOperator) {
    for group in 0..N / GROUP {
        region(out, |out| operator(out, step, group * GROUP));
    }
}

/// Puts a register into a column, and the copies at its ends, for which another one is taken.
pub(super) fn write_column(out: &mut String, register: &str, turned: &str, at: usize) {
    let _ = writeln!(out, "        sqi     {register}, {}", at + 1);
    let _ = writeln!(out, "        swaphl  {turned}, {register}");
    let _ = writeln!(out, "        sqsi    {turned}, {at}, s3");
    let _ = writeln!(out, "        sqsi    {turned}, {}, s0", at + 1 + SECTIONS);
}

/// Puts a register into a column of a grid.
pub(super) fn put_point(out: &mut String, register: &str, grid: usize, (x, y): (usize, usize)) {
    write_column(out, register, &format!("%turned{x}_{y}"), column(grid, x, y));
}

/// Brings a row of both planes into columns; those of u go to shared memory too.
fn to_columns(out: &mut String, array: usize, y: usize) {
    for x in (0..N).step_by(4) {
        let at = ROWS[array] + (y * N + x) / 2;
        let _ = writeln!(out, "        ldi     %a{x}_{y}:%b{x}_{y}, {at}");
        let _ = writeln!(out, "        ldi     %c{x}_{y}:%d{x}_{y}, {}", at + N * N / 2);
        for (x, (first, second)) in [(x, ("a", "c")), (x + 2, ("b", "d"))] {
            let of = x / 4 * 4;
            let (even, odd) = (format!("%p{x}_{y}"), format!("%p{}_{y}", x + 1));
            let _ =
                writeln!(out, "        mtrans  {even}, %{first}{of}_{y}, %{second}{of}_{y}, {odd}");
            let _ = writeln!(out, "        sdi     {even}:{odd}, {}", COLUMNS[array] + y * N + x);
            if array == U {
                put_point(out, &even, U, (x, y));
                put_point(out, &odd, U, (x + 1, y));
            }
        }
    }
}

/// Brings columns back into a row of both planes.
fn to_rows(out: &mut String, array: usize, y: usize) {
    for x in (0..N).step_by(4) {
        for x in [x, x + 2] {
            let at = COLUMNS[array] + y * N + x;
            let _ = writeln!(out, "        ldi     %p{x}_{y}:%q{x}_{y}, {at}");
            let _ = writeln!(out, "        mtrans  %a{x}_{y}, %p{x}_{y}, %q{x}_{y}, %b{x}_{y}");
        }
        let at = ROWS[array] + (y * N + x) / 2;
        let _ = writeln!(out, "        sdi     %a{x}_{y}:%a{}_{y}, {at}", x + 2);
        let _ = writeln!(out, "        sdi     %b{x}_{y}:%b{}_{y}, {}", x + 2, at + N * N / 2);
    }
}

/// Writes an operator on the rows from `y` on.
fn operator(out: &mut String, step: FineOperator, y: usize) {
    let of = if step == FineOperator::Smoother { weights::S } else { weights::A };
    for k in 0..3 {
        let _ = writeln!(out, "        lwi     %w{k}, {}", of + k);
    }
    // The columns before the first and behind the last are those at the other end.
    for x in [N - 1, 0, 1] {
        around(out, step, x, y);
    }
    for x in 0..N {
        (0..GROUP).for_each(|row| point(out, step, x, (y, row)));
        if (2..N - 1).contains(&(x + 2)) {
            around(out, step, x + 2, y);
        }
    }
}

/// Writes what the columns of a plane across x contribute: of each row its points, the sum of the four beside them and that
/// of the four at the corners.
fn around(out: &mut String, step: FineOperator, x: usize, y: usize) {
    let grid = if step == FineOperator::Smoother { R } else { U };
    for row in 0..GROUP + 2 {
        let at = column(grid, x, y + N - 1 + row);
        let _ = writeln!(out, "        lqi     %below{x}_{row}, {at}");
        let _ = writeln!(out, "        lqi     %at{x}_{row}, {}", at + 1);
        let _ = writeln!(out, "        lqi     %above{x}_{row}, {}", at + 2);
        let _ = writeln!(out, "        psadd   %z{x}_{row}, %below{x}_{row}, %above{x}_{row}");
    }
    for row in 1..=GROUP {
        let (before, after) = (row - 1, row + 1);
        let _ = writeln!(out, "        psadd   %near{x}_{row}, %at{x}_{before}, %at{x}_{after}");
        let _ = writeln!(out, "        psadd   %near{x}_{row}, %near{x}_{row}, %z{x}_{row}");
        let _ = writeln!(out, "        psadd   %far{x}_{row}, %z{x}_{before}, %z{x}_{after}");
    }
}

/// Writes the points of a column in one row.
fn point(out: &mut String, step: FineOperator, x: usize, (y, row): (usize, usize)) {
    let (before, after, of) = ((x + N - 1) % N, (x + 1) % N, row + 1);
    let array = if step == FineOperator::Smoother { U } else { R };
    let (place, add) = (
        COLUMNS[array] + (y + row) * N + x,
        if step == FineOperator::Smoother { "psmadd" } else { "psmsub" },
    );
    let (r, t) = (format!("%r{x}_{of}"), format!("%t{x}_{of}"));
    let mut line = |text: String| {
        let _ = writeln!(out, "        {text}");
    };
    line(format!("lwi     {r}, {place}"));
    line(format!("{add}  {r}, %at{x}_{of}, %w0"));
    // Weight 0 is that of the faces of A, and of the corners of S.
    if step == FineOperator::Smoother {
        line(format!("psadd   %c{x}_{of}, %at{before}_{of}, %at{after}_{of}"));
        line(format!("psadd   %c{x}_{of}, %c{x}_{of}, %near{x}_{of}"));
        line(format!("{add}  {r}, %c{x}_{of}, %w1"));
    } else {
        line(format!("psadd   %c{x}_{of}, %far{before}_{of}, %far{after}_{of}"));
        line(format!("{add}  {r}, %c{x}_{of}, %w2"));
    }
    line(format!("psadd   {t}, %near{before}_{of}, %near{after}_{of}"));
    line(format!("psadd   {t}, {t}, %far{x}_{of}"));
    line(format!("{add}  {r}, {t}, %w{}", if step == FineOperator::Smoother { 2 } else { 1 }));
    if step != FineOperator::Residual {
        line(format!("swi     {r}, {place}"));
    }
    if step != FineOperator::Last {
        put_point(out, &r, array, (x, y + row));
    }
}
