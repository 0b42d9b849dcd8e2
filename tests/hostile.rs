//! Inputs that nobody meant: files of every kind that cp2 reads, mutated or made up, all from seeds. Whatever
//! comes in, nothing panics, errors have the codes and places that are promised, what was accepted can be
//! worked with, and memory stays within a limit that is counted. The command line has the same test in
//! `cli/src/args/hostile.rs`.
//!
//! `CP2_PROGRAMS=100000 CP2_BEGIN=1 cargo test --release -p cp2-tests --test hostile -- --nocapture` runs more
//! of each kind; `CP2_KIND=npy` runs one kind only.

#[path = "hostile/generate.rs"]
mod generate;
#[path = "hostile/kinds.rs"]
mod kinds;
#[path = "hostile/mutate.rs"]
mod mutate;
#[path = "hostile/recordings.rs"]
mod recordings;
#[path = "hostile/seeds.rs"]
mod seeds;

use cap::Cap;
use cp2_tests::{Sequence, add, on_all_cores, program_numbers};
use kinds::{KINDS, Kind, Verdict};
use std::alloc::System;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Counts what is allocated.
#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

/// Most bytes that are allocated at a time, all threads together.
const MOST: usize = 512 << 20;

/// Inputs of each kind without `CP2_PROGRAMS`.
const USUAL: u64 = 400;

/// Inputs that were accepted, refused with an error, and empty of meaning from the start: no text.
type Counts = [u64; 3];

/// The input of a number: a real file, a mutated one, or one from a grammar.
fn input(kind: &Kind, seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut sequence =
        Sequence(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ kind.name.len() as u64);
    if sequence.one_in(3) {
        (kind.generate)(&mut sequence)
    } else {
        mutate::mutated(&mut sequence, seeds, kind.words)
    }
}

/// Reads an input; the error is a report for people.
fn judged(kind: &Kind, seeds: &[Vec<u8>], number: u64) -> Result<Counts, String> {
    let bytes = input(kind, seeds, number);
    let verdict = catch_unwind(AssertUnwindSafe(|| (kind.read)(&bytes)));
    let complaint = match verdict {
        Ok(Ok(_)) if ALLOCATED.max_allocated() > MOST => {
            format!("{} bytes were allocated", ALLOCATED.max_allocated())
        }
        Ok(Ok(Verdict::Accepted)) => return Ok([1, 0, 0]),
        Ok(Ok(Verdict::Refused)) => return Ok([0, 1, 0]),
        Ok(Ok(Verdict::NoText)) => return Ok([0, 0, 1]),
        Ok(Err(complaint)) => complaint,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("a panic: {}", text.unwrap_or("without a message"))
        }
    };
    let shown = String::from_utf8_lossy(&bytes);
    let shown: String = shown.chars().take(4000).collect();
    let n = bytes.len();
    Err(format!("== {} {number}: {complaint}\n{shown}\n({n} bytes)", kind.name))
}

#[test]
fn no_input_is_met_with_a_panic() {
    let wanted = std::env::var("CP2_KIND").ok();
    let mut reports = Vec::new();
    for kind in KINDS.iter().filter(|kind| wanted.as_deref().is_none_or(|name| name == kind.name)) {
        let seeds = (kind.seeds)();
        assert!(!seeds.is_empty(), "{}: no seeds", kind.name);
        for seed in &seeds {
            let verdict = (kind.read)(seed);
            let is_text = !matches!(verdict, Ok(Verdict::NoText));
            assert!(verdict.is_ok() && is_text, "{}: a real file: {verdict:?}", kind.name);
        }
        let numbers = program_numbers(USUAL / kind.slower);
        let numbers = numbers.start..numbers.start + (numbers.end - numbers.start).max(1);
        let parts = on_all_cores(|first, step| {
            let mine = numbers.clone().skip(first).step_by(step);
            mine.fold(([0; 3], Vec::new()), |(sum, mut wrong), number| {
                let counts = judged(kind, &seeds, number);
                let counts = counts.unwrap_or_else(|report| {
                    wrong.push(report);
                    [0; 3]
                });
                (add(sum, counts), wrong)
            })
        });
        let (counts, wrong): (Vec<Counts>, Vec<Vec<String>>) = parts.into_iter().unzip();
        let [accepted, refused, no_text] = counts.into_iter().fold([0; 3], add);
        reports.extend(wrong.into_iter().flatten());
        println!(
            "{:<12} {:>8} inputs: {accepted} accepted, {refused} refused, {no_text} no text",
            kind.name,
            accepted + refused + no_text
        );
        assert!(refused > 0, "{}: nothing was refused", kind.name);
    }
    let first: Vec<_> = reports.iter().take(8).cloned().collect();
    assert!(reports.is_empty(), "{} inputs, the first:\n{}", reports.len(), first.join("\n"));
}
