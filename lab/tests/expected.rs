//! Every printed number of the source work comes out, or says why not.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_lab::expected::{Verdict, rows};
use cp2_lab::statements::statements;
use cp2_lab::validation::page;

#[test]
fn printed_numbers_come_out_or_have_a_remark() {
    let mut silent = Vec::new();
    for row in rows().unwrap() {
        let (ours, verdict) = row.compare().unwrap();
        if verdict == Verdict::Differs && row.remark.is_empty() {
            silent.push(format!("{} {}: {} printed, {ours}", row.source, row.what, row.printed));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Numbers that the formulas do not give with the inputs of the source.
const KNOWN: [&str; 20] = [
    "(2.9) FFT of 512^3, elements of 16 bytes",
    "2.1.3 gain over FFTW, table 2.1: elements of 16 bytes",
    "(2.24) SpMV class C, 4 GPUs, all of (2.21)",
    "table 2.2 MG class C, 4 GPU: theory",
    "table A.3 FT class S: data",
    "table A.3 FT class W: data",
    "table A.3 FT class A: data",
    "table A.3 FT class B: data",
    "table A.3 FT class C: data",
    "table A.3 FT class D: data",
    "table A.3 FT class E: data",
    "table B.4 convolution, L = N = 8192, VM9: efficiency",
    "table B.4 convolution, L = N = 16384, VM9: efficiency",
    "table B.4 convolution, L = N = 32768, VM9: efficiency",
    "table 3.5 MG class W: gain of VM9 over VM7",
    "table 3.7 SpMV S: gain of VM9 over VM7",
    "table 3.7 SpMV 256x256: gain of VM9 over VM7",
    "table 3.7 SpMV 512x512: gain of VM9 over VM7",
    "table 3.7 SpMV 4096x2048: gain of VM9 over VM7",
    "(3.11) MG class C on 8 VM9: exchange",
];

/// The findings that are known, and no others.
#[test]
fn what_differs_is_what_is_known_to() {
    let rows = rows().unwrap();
    let differs = rows.iter().filter(|row| row.compare().unwrap().1 == Verdict::Differs);
    let found: Vec<_> = differs.map(|row| format!("{} {}", row.source, row.what)).collect();
    assert_eq!(found, KNOWN);
}

#[test]
fn the_page_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/src/validation.md");
    let there = std::fs::read_to_string(path).unwrap();
    assert!(there == page().unwrap(), "cp2 estimate --validation > specs/src/validation.md");
}

/// The page tells of figures that may be read in several ways, and of statements in words.
#[test]
fn readings_and_statements_are_told_with_their_numbers() {
    let page = page().unwrap();
    let readings: Vec<_> =
        rows().unwrap().into_iter().filter(|row| row.source == "(3.11)").collect();
    assert_eq!(readings.len(), 5, "the formula and four readings");
    for reading in &readings[1..] {
        let (ours, verdict) = reading.compare().unwrap();
        assert_eq!(verdict, Verdict::Same, "{}", reading.what);
        assert!((ours - 4.0 * readings[0].ours().unwrap()).abs() < 1e-12, "{}", reading.what);
    }
    for part in [
        "in all 7 classes (S, W, A, B, C, D, E)",
        "| 16 bytes for an element | 0.002517 | same |",
        "2.57 with the printed rate, which is more than 2.5; 1.29 with the 16 bytes",
        "(2.8) is 8.9 times; (2.3), with the logarithm of one axis of 512 in place of two, 17.8 times",
        "(2.23) is 29.2 times",
        "0.71 on 4, 0.48 on 8",
        "336 GB/s over 384 bits are 7 transfers of 48 bytes in a ns",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert_eq!(statements().unwrap().len(), 5);
}
