//! Every printed number of the source work comes out, or says why not.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_lab::expected::{Verdict, page, rows};

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
const KNOWN: [&str; 12] = [
    "(2.9) FFT of 512^3, elements of 16 bytes",
    "(2.24) SpMV class C, 4 GPUs, all of (2.21)",
    "table 2.2 MG class C, 4 GPU: theory",
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
