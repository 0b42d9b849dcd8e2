//! Inputs that nobody meant: files of every kind that cp2 reads, mutated or made up, all from seeds. Whatever
//! comes in, nothing panics, errors have the codes and places that are promised, what was accepted can be
//! worked with, and memory stays within a limit that is counted. The command line has the same test in
//! `cli/src/args/hostile.rs`; libFuzzer chooses inputs of the same kinds in `tests/fuzz/`.
//!
//! `CP2_INPUTS=1000000 cargo test --release -p cp2-tests --test hostile -- --nocapture` runs so many inputs, shared among the
//! kinds, `CP2_PROGRAMS=100000 CP2_BEGIN=1` so many of each kind, fewer of those that take longer; `CP2_KIND=npy` runs one
//! kind only.

use cap::Cap;
use cp2_tests::hostile::kinds::{KINDS, Kind, Verdict};
use cp2_tests::hostile::{found, input};
use cp2_tests::{add, on_all_cores, program_numbers};
use std::alloc::System;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Allocator that counts what is allocated.
#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

/// Most bytes that are allocated at a time, all threads together.
const MOST: usize = 512 << 20;

/// Inputs of each kind without `CP2_PROGRAMS`.
const USUAL: u64 = 400;

/// Inputs by how a command ends on them: accepted, refused with an error, refused before because they are no text, and with
/// a bug of cp2.
type Counts = [u64; 4];

/// Reads an input; the error is a report for people.
fn judged(kind: &Kind, name: &str, bytes: &[u8]) -> Result<Counts, String> {
    let verdict = catch_unwind(AssertUnwindSafe(|| (kind.read)(bytes)));
    let complaint = match verdict {
        Ok(Ok(_)) if ALLOCATED.max_allocated() > MOST => {
            format!("{} bytes were allocated", ALLOCATED.max_allocated())
        }
        Ok(Ok(Verdict::Accepted)) => return Ok([1, 0, 0, 0]),
        Ok(Ok(Verdict::Refused)) => return Ok([0, 1, 0, 0]),
        Ok(Ok(Verdict::NoText)) => return Ok([0, 0, 1, 0]),
        Ok(Err(complaint)) => complaint,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("a panic: {}", text.unwrap_or("without a message"))
        }
    };
    let shown = String::from_utf8_lossy(bytes);
    let shown: String = shown.chars().take(4000).collect();
    let n = bytes.len();
    Err(format!("== {} {name}: {complaint}\n{shown}\n({n} bytes)", kind.name))
}

/// Returns the numbers of the inputs of a kind.
///
/// # Panics
/// If `CP2_INPUTS` is not a number.
fn numbers(kind: &Kind) -> Range<u64> {
    let Ok(total) = std::env::var("CP2_INPUTS") else {
        let numbers = program_numbers(USUAL);
        let n = (numbers.end - numbers.start) / kind.slower;
        return numbers.start..numbers.start + n.max(1);
    };
    let total: f64 = total.parse().unwrap_or_else(|_| panic!("CP2_INPUTS is no number: {total}"));
    let weights: f64 = KINDS.iter().map(|kind| 1.0 / kind.slower as f64).sum();
    let begin = program_numbers(0).start;
    begin..begin + (total / weights / kind.slower as f64).ceil() as u64
}

/// Reads every input of a kind; returns the counts, and reports of what is wrong.
fn run(kind: &Kind) -> (Counts, Vec<String>) {
    let seeds = (kind.seeds)();
    assert!(!seeds.is_empty(), "{}: no seeds", kind.name);
    for seed in &seeds {
        let verdict = (kind.read)(seed);
        let is_text = !matches!(verdict, Ok(Verdict::NoText));
        assert!(verdict.is_ok() && is_text, "{}: a real file: {verdict:?}", kind.name);
    }
    let sum = |(counts, mut wrong): (Counts, Vec<String>), judged: Result<Counts, String>| {
        let here = judged.unwrap_or_else(|report| {
            wrong.push(report);
            [0, 0, 0, 1]
        });
        (add(counts, here), wrong)
    };
    let known = found(kind).into_iter().map(|(name, bytes)| judged(kind, &name, &bytes));
    let known = known.fold(([0; 4], Vec::new()), sum);
    let numbers = numbers(kind);
    let parts = on_all_cores(|first, step| {
        let mine = numbers.clone().skip(first).step_by(step);
        let all = mine.map(|n| judged(kind, &n.to_string(), &input(kind, &seeds, n)));
        all.fold(([0; 4], Vec::new()), sum)
    });
    parts.into_iter().fold(known, |(counts, mut reports), (more, wrong)| {
        reports.extend(wrong);
        (add(counts, more), reports)
    })
}

fn line(name: &str, [accepted, refused, no_text, wrong]: Counts, since: Instant) {
    println!(
        "{name:<12} {:>8} inputs: {accepted} accepted (exit 0, 4 or 5), {refused} refused (exit 2 or 3), \
         {no_text} no text (exit 3), {wrong} wrong (exit 70); {:.1} s",
        accepted + refused + no_text + wrong,
        since.elapsed().as_secs_f64()
    );
}

#[test]
fn no_input_is_met_with_a_panic() {
    let wanted = std::env::var("CP2_KIND").ok();
    let is_wanted = |kind: &&Kind| wanted.as_deref().is_none_or(|name| name == kind.name);
    let (begin, mut total, mut reports) = (Instant::now(), [0; 4], Vec::new());
    for kind in KINDS.iter().filter(is_wanted) {
        let since = Instant::now();
        let (counts, wrong) = run(kind);
        line(kind.name, counts, since);
        assert!(counts[1] > 0, "{}: nothing was refused", kind.name);
        total = add(total, counts);
        reports.extend(wrong);
    }
    line("all", total, begin);
    assert!(total[0] > 0, "there is no kind {}", wanted.unwrap_or_default());
    let first: Vec<_> = reports.iter().take(8).cloned().collect();
    assert!(reports.is_empty(), "{} inputs, the first:\n{}", reports.len(), first.join("\n"));
}
