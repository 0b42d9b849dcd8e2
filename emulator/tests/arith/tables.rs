//! The tables of the elementary functions by the rule that yields them: per row the best quadratic, by
//! Chebyshev interpolation, its coefficients rounded one after the other. [L] 4.4

use cp2_emu::arith::tables::{
    ATANC, EXP2, FunctionTable, LOG2C, RECIP, SINC, SQRT, SQRT2, TableRow,
};
use std::f64::consts::{FRAC_PI_2, LN_2, PI};
use std::fmt::Write as _;

/// Points of the interpolation, and places at which the extremes are looked for.
const NODES: usize = 12;
const PLACES: usize = 513;

struct Definition {
    name: &'static str,
    formula: &'static str,
    function: fn(f64) -> f64,
    table: &'static FunctionTable,
    sum: u32,
}

const DEFINITIONS: [Definition; 7] = [
    Definition {
        name: "RECIP",
        formula: "1 / (1 + t)",
        function: |t| 1.0 / (1.0 + t),
        table: &RECIP,
        sum: 0xee27_d271,
    },
    Definition {
        name: "SQRT",
        formula: "sqrt(1 + t)",
        function: |t| (1.0 + t).sqrt(),
        table: &SQRT,
        sum: 0x3ae6_9bf7,
    },
    Definition {
        name: "SQRT2",
        formula: "sqrt(2 + 2 t)",
        function: |t| (2.0 + 2.0 * t).sqrt(),
        table: &SQRT2,
        sum: 0xf920_7061,
    },
    Definition {
        name: "LOG2C",
        formula: "log2(1 + t) / t",
        function: |t| t.ln_1p() / LN_2 / t,
        table: &LOG2C,
        sum: 0x6750_feed,
    },
    Definition {
        name: "EXP2",
        formula: "2^t",
        function: f64::exp2,
        table: &EXP2,
        sum: 0xfe75_2c2e,
    },
    Definition {
        name: "SINC",
        formula: "sin(pi t / 2) / t",
        function: |t| (FRAC_PI_2 * t).sin() / t,
        table: &SINC,
        sum: 0xf71a_9dd6,
    },
    Definition {
        name: "ATANC",
        formula: "2 atan(t) / (pi t)",
        function: |t| 2.0 * t.atan() / (PI * t),
        table: &ATANC,
        sum: 0xb8e2_278b,
    },
];

/// Returns the coefficients of the Chebyshev expansion in `2 h - 1` of a function of h in [0, 1].
fn chebyshev(f: impl Fn(f64) -> f64) -> [f64; NODES] {
    let angle = |j: usize| PI * (j as f64 + 0.5) / NODES as f64;
    let samples: [f64; NODES] = std::array::from_fn(|j| f((1.0 + angle(j).cos()) / 2.0));
    std::array::from_fn(|k| {
        let terms = samples.iter().enumerate().map(|(j, y)| y * (k as f64 * angle(j)).cos());
        let weight = if k == 0 { 1.0 } else { 2.0 };
        terms.sum::<f64>() * weight / NODES as f64
    })
}

/// Returns the value of the expansion at `x = 2 h - 1` (Clenshaw).
fn expansion(b: &[f64; NODES], x: f64) -> f64 {
    let (mut next, mut after) = (0.0, 0.0);
    for &coefficient in b[1..].iter().rev() {
        (next, after) = (coefficient + 2.0 * x * next - after, next);
    }
    b[0] + x * next - after
}

fn rounded(v: f64) -> f64 {
    (v + 0.5).floor()
}

/// Returns row `i`, and how near to a tie a rounded value came.
fn row(f: fn(f64) -> f64, i: usize) -> (TableRow, f64) {
    let b = chebyshev(|h| 2f64.powi(26) * f((i as f64 + h) / 128.0));
    let (a1, a2) = (2.0 * b[1] - 8.0 * b[2], 8.0 * b[2]);
    let c1 = rounded(a1 / 8.0);
    // What the rounding of c1 leaves out is made good here.
    let exact_c2 = (a2 + a1 - 8.0 * c1) / 4.0;
    let c2 = rounded(exact_c2);
    let rests = (0..PLACES).map(|k| {
        let h = k as f64 / (PLACES - 1) as f64;
        expansion(&b, 2.0 * h - 1.0) - 8.0 * c1 * h - 4.0 * c2 * h * h
    });
    let (low, high) =
        rests.fold((f64::MAX, f64::MIN), |(low, high), rest| (low.min(rest), high.max(rest)));
    let middle = (low + high) / 2.0;
    let from_tie = |v: f64| ((v - v.floor()) - 0.5).abs();
    let margin = from_tie(a1 / 8.0).min(from_tie(exact_c2)).min(from_tie(middle));
    ([rounded(middle), c1, c2].map(|c| c as i32), margin)
}

fn crc32(bytes: impl Iterator<Item = u8>) -> u32 {
    !bytes.fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(byte), |s, _| s >> 1 ^ if s & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[test]
fn every_row_follows_the_rule() {
    for d in &DEFINITIONS {
        for (i, stored) in d.table.iter().enumerate() {
            let (made, margin) = row(d.function, i);
            assert_eq!(*stored, made, "{} row {i}", d.name);
            // Far above what double precision loses, so every native machine finds the same integers.
            assert!(margin > 0.00025, "{} row {i}: {margin}", d.name);
        }
    }
}

#[test]
fn the_tables_have_their_sums() {
    assert_eq!(crc32(b"123456789".iter().copied()), 0xcbf4_3926, "the sum itself");
    for d in &DEFINITIONS {
        let bytes = d.table.iter().flatten().flat_map(|c| c.to_le_bytes());
        assert_eq!(crc32(bytes), d.sum, "{}", d.name);
    }
}

#[test]
fn the_integers_have_their_widths() {
    for d in &DEFINITIONS {
        for [c0, c1, c2] in d.table {
            assert!((0..1 << 27).contains(c0) && (-1 << 17..1 << 17).contains(c1), "{}", d.name);
            assert!((-1 << 10..1 << 10).contains(c2), "{}", d.name);
        }
    }
}

/// At every argument but 0 the values of a table lie in [1/2, 1), or all of them in [1, 2): the fast engine relies on it.
#[test]
fn the_values_of_a_table_have_one_exponent() {
    for d in &DEFINITIONS {
        let from_half = matches!(d.name, "RECIP" | "ATANC");
        let range = if from_half { 1 << 57..1 << 58 } else { 1 << 58..1 << 59 };
        for (i, row) in d.table.iter().enumerate() {
            let [c0, c1, c2] = row.map(i64::from);
            for u in i64::from(i == 0)..1 << 17 {
                let value = (c0 << 32) + ((c1 * u) << 18) + c2 * u * u;
                assert!(range.contains(&value), "{} row {i}, {u}", d.name);
            }
        }
    }
}

/// Returns the source of the tables.
fn source() -> String {
    let mut text = include_str!("../../src/arith/tables.rs")
        .split_inclusive("pub type FunctionTable = [TableRow; 128];\n")
        .next()
        .expect("the types")
        .to_owned();
    for d in &DEFINITIONS {
        let _ = writeln!(
            text,
            "\n/// Table of {} for t from 0 to below 1, as rows of [`TableRow`].\n#[rustfmt::skip]",
            d.formula
        );
        let _ = writeln!(text, "pub static {}: FunctionTable = [", d.name);
        let rows: Vec<String> = (0..128).map(|i| format!("{:?},", row(d.function, i).0)).collect();
        for line in rows.chunks(3) {
            let _ = writeln!(text, "    {}", line.join(" "));
        }
        text.push_str("];\n");
    }
    text
}

/// The source of the tables is what the rule gives. With `CP2_BLESS` set, the file is written instead.
#[test]
fn the_source_is_what_the_rule_gives() {
    let made = source();
    if std::env::var_os("CP2_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/arith/tables.rs");
        std::fs::write(path, &made).expect("a writable source");
        return;
    }
    assert_eq!(include_str!("../../src/arith/tables.rs"), made);
}
