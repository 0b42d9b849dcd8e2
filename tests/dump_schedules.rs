//! Prints the schedules of all kernels and of random regions, with their reports: two versions of the
//! scheduler that print the same make the same schedules.
//!
//! `cargo run --release -p cp2-tests --example schedules > FILE`; `CP2_PROGRAMS` random regions from
//! number `CP2_BEGIN` on.

#[path = "oracle/random/dice.rs"]
mod dice;
#[path = "schedules/generate.rs"]
mod generate;

use cp2_asm::{Scheduled, linear_regions};
use cp2_isa::encode;
use cp2_session::workload::Platform;
use cp2_workloads::catalogue::workloads;
use std::fmt::Write as _;

/// Returns, as text, regions with their bundles and where their halves come from, or why there are none.
fn dump(name: &str, text: &str) -> String {
    let mut out = format!("# {name}\n");
    match linear_regions("text.s", text) {
        Ok(regions) => regions.iter().for_each(|scheduled| dump_region(&mut out, scheduled)),
        Err(failure) => {
            let _ = writeln!(out, "{failure}");
        }
    }
    out
}

fn dump_region(out: &mut String, scheduled: &Scheduled) {
    let _ = writeln!(out, "{:?}", scheduled.report);
    for placed in &scheduled.bundles {
        let word = encode(&placed.bundle);
        let _ = writeln!(out, "{word:016x} {:?} {:?} {}", placed.arith, placed.exch, placed.bundle);
    }
}

fn main() {
    let (mut n_regions, mut n_refused) = (0_u64, 0_u64);
    let mut print = |text: &str| {
        n_regions += text.lines().filter(|line| line.starts_with("RegionReport {")).count() as u64;
        n_refused += u64::from(text.contains("error["));
        print!("{text}");
    };
    for kernel in workloads(Platform::Cp2) {
        // Code that is made for each matrix has no text of its own.
        if let Ok(source) = kernel.source(&cp2_isa::Core::CP2) {
            print(&dump(&kernel.about().name, &source));
        }
    }
    let numbers: Vec<u64> = cp2_tests::program_numbers(3000).collect();
    let each = |first: usize, step: usize| -> Vec<String> {
        let mine = numbers.iter().skip(first).step_by(step);
        mine.map(|&n| dump(&format!("random {n}"), &generate::program(n))).collect()
    };
    let parts = cp2_tests::on_all_cores(each);
    for k in 0..numbers.len() {
        print(&parts[k % parts.len()][k / parts.len()]);
    }
    eprintln!("{n_regions} schedules, {n_refused} sources refused");
}
