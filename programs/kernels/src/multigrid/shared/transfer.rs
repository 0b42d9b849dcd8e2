//! The text of what a V-cycle needs beside the operators on the fine grid: projection, the smoother of 0 on the coarse grid,
//! interpolation. Fine point 2c + 1 lies on coarse point c along every axis, so along z the coarse planes 0 and 2 belong to
//! section 1, planes 1 and 3 to section 3; the two others compute the planes between them, which nobody reads.

use super::layout::{COARSE, COLUMN, COLUMNS, Coarse, N, R, U, coarse, column, weights};
use super::text::{put_point, region, write_column};
use std::fmt::Write as _;

/// Writes projection, smoother and interpolation, each as a region.
pub(super) fn coarse_correction(out: &mut String) {
    region(out, project);
    region(out, smooth);
    region(out, interpolate);
}

/// Loads words of constants into registers.
fn load(out: &mut String, first: usize, names: &[&str]) {
    for (k, name) in names.iter().enumerate() {
        let _ = writeln!(out, "        lwi     %{name}, {}", first + k);
    }
}

fn columns() -> impl Iterator<Item = (usize, usize)> {
    (0..COARSE * COARSE).map(|i| (i % COARSE, i / COARSE))
}

/// Writes P r: (1, 2, 1) along y, along x, then along z.
fn project(out: &mut String) {
    load(out, weights::P, &["two", "ends", "mid"]);
    for y in 0..COARSE {
        for x in 0..N {
            for row in [2 * y, 2 * y + 1, 2 * y + 2] {
                let _ = writeln!(out, "        lqi     %p{x}_{y}_{row}, {}", column(R, x, row) + 1);
            }
            let [before, at, after] =
                [2 * y, 2 * y + 1, 2 * y + 2].map(|row| format!("%p{x}_{y}_{row}"));
            let _ = writeln!(out, "        psadd   %y{x}_{y}, {before}, {after}");
            let _ = writeln!(out, "        psmadd  %y{x}_{y}, {at}, %two");
        }
        for x in 0..COARSE {
            let [before, at, after] = [2 * x, 2 * x + 1, (2 * x + 2) % N];
            let _ = writeln!(out, "        psadd   %x{x}_{y}, %y{before}_{y}, %y{after}_{y}");
            let _ = writeln!(out, "        psmadd  %x{x}_{y}, %y{at}_{y}, %two");
            let turned = format!("%turned{x}_{y}");
            write_column(out, &format!("%x{x}_{y}"), &turned, coarse(Coarse::Sums, x, y));
        }
    }
    for (x, y) in columns() {
        let (from, to) = (coarse(Coarse::Sums, x, y), coarse(Coarse::Residual, x, y));
        let _ = writeln!(out, "        lqi     %below{x}_{y}, {from}");
        let _ = writeln!(out, "        lqi     %above{x}_{y}, {}", from + 2);
        let _ = writeln!(out, "        psadd   %z{x}_{y}, %below{x}_{y}, %above{x}_{y}");
        let _ = writeln!(out, "        psmul   %r{x}_{y}, %x{x}_{y}, %mid");
        let _ = writeln!(out, "        psmadd  %r{x}_{y}, %z{x}_{y}, %ends");
        let _ = writeln!(out, "        sqi     %r{x}_{y}, {to}");
        for section in [0, 1] {
            let end = to + COLUMN - 2 + section;
            let _ = writeln!(out, "        sqsi    %r{x}_{y}, {end}, s{section}");
        }
    }
}

/// Writes S r on the coarse grid.
fn smooth(out: &mut String) {
    load(out, weights::S, &["w0", "w1", "w2"]);
    for x in [COARSE - 1, 0, 1] {
        around(out, x);
    }
    for x in 0..COARSE {
        (0..COARSE).for_each(|y| point(out, x, y));
        if x + 2 < COARSE - 1 {
            around(out, x + 2);
        }
    }
}

/// Writes what all rows of a plane across x contribute, as on the fine grid.
fn around(out: &mut String, x: usize) {
    for y in 0..COARSE {
        let at = coarse(Coarse::Residual, x, y);
        let _ = writeln!(out, "        lqi     %at{x}_{y}, {at}");
        let _ = writeln!(out, "        lqi     %next{x}_{y}, {}", at + 2);
        let _ = writeln!(out, "        swaphl  %z{x}_{y}, %next{x}_{y}");
        let _ = writeln!(out, "        psadd   %z{x}_{y}, %z{x}_{y}, %next{x}_{y}");
    }
    for y in 0..COARSE {
        let (before, after) = ((y + COARSE - 1) % COARSE, (y + 1) % COARSE);
        let _ = writeln!(out, "        psadd   %near{x}_{y}, %at{x}_{before}, %at{x}_{after}");
        let _ = writeln!(out, "        psadd   %near{x}_{y}, %near{x}_{y}, %z{x}_{y}");
        let _ = writeln!(out, "        psadd   %far{x}_{y}, %z{x}_{before}, %z{x}_{after}");
    }
}

fn point(out: &mut String, x: usize, y: usize) {
    let (before, after) = ((x + COARSE - 1) % COARSE, (x + 1) % COARSE);
    let [u, c, t] = ["u", "c", "t"].map(|name| format!("%{name}{x}_{y}"));
    let to = coarse(Coarse::Correction, x, y);
    for text in [
        format!("psmul   {u}, %at{x}_{y}, %w0"),
        format!("psadd   {c}, %at{before}_{y}, %at{after}_{y}"),
        format!("psadd   {c}, {c}, %near{x}_{y}"),
        format!("psmadd  {u}, {c}, %w1"),
        format!("psadd   {t}, %near{before}_{y}, %near{after}_{y}"),
        format!("psadd   {t}, {t}, %far{x}_{y}"),
        format!("psmadd  {u}, {t}, %w2"),
        format!("sqsi    {u}, {to}, s1"),
        format!("sqsi    {u}, {}, s3", to + 1),
    ] {
        let _ = writeln!(out, "        {text}");
    }
}

/// Writes u + Q z. Along z first: every section takes the coarse planes that its own lie on or between by weights of its own.
fn interpolate(out: &mut String) {
    load(out, weights::Z, &["even", "odd", "turned"]);
    load(out, weights::Q, &["half", "quarter"]);
    (0..COARSE).for_each(|x| along_z(out, x, COARSE - 1));
    for y in 0..COARSE {
        if y + 1 < COARSE {
            (0..COARSE).for_each(|x| along_z(out, x, y));
        }
        (0..COARSE).for_each(|x| fine_points(out, x, y));
    }
}

/// Writes the coarse column at the planes of each section, and its sum with the one before it along x.
fn along_z(out: &mut String, x: usize, y: usize) {
    let from = coarse(Coarse::Correction, x, y);
    let [a, b, g] = ["a", "b", "g"].map(|name| format!("%{name}{x}_{y}"));
    for text in [
        format!("lqbi    {a}, {from}"),
        format!("lqbi    {b}, {}", from + 1),
        format!("psmul   {g}, {a}, %even"),
        format!("psmadd  {g}, {b}, %odd"),
        format!("swaphl  {b}, {b}"),
        format!("psmadd  {g}, {b}, %turned"),
    ] {
        let _ = writeln!(out, "        {text}");
    }
    if x == COARSE - 1 {
        for x in 0..COARSE {
            let before = (x + COARSE - 1) % COARSE;
            let _ = writeln!(out, "        psadd   %s{x}_{y}, %g{before}_{y}, %g{x}_{y}");
        }
    }
}

/// Writes the four fine columns that belong to a coarse one.
fn fine_points(out: &mut String, x: usize, y: usize) {
    let before = (y + COARSE - 1) % COARSE;
    let name = |name: &str| format!("%{name}{x}_{y}");
    let [n, q] = ["n", "q"].map(name);
    let _ = writeln!(out, "        psadd   {n}, %g{x}_{before}, %g{x}_{y}");
    let _ = writeln!(out, "        psadd   {q}, %s{x}_{before}, %s{x}_{y}");
    let between = [(&q, "%quarter"), (&n, "%half")];
    let on = [(&name("s"), "%half"), (&name("g"), "")];
    for (row, terms) in [(2 * y, between), (2 * y + 1, on)] {
        let at = COLUMNS[U] + row * N + 2 * x;
        let pair = [0, 1].map(|side| format!("%u{}_{row}", 2 * x + side));
        let _ = writeln!(out, "        ldi     {}:{}, {at}", pair[0], pair[1]);
        for (u, (term, weight)) in pair.iter().zip(terms) {
            let _ = match weight {
                "" => writeln!(out, "        psadd   {u}, {u}, {term}"),
                _ => writeln!(out, "        psmadd  {u}, {term}, {weight}"),
            };
        }
        let _ = writeln!(out, "        sdi     {}:{}, {at}", pair[0], pair[1]);
        for (side, u) in pair.iter().enumerate() {
            put_point(out, u, U, (2 * x + side, row));
        }
    }
}
