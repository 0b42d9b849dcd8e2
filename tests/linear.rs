//! Scheduled linear code against its sequential meaning: random regions are assembled, their
//! schedules checked and run on both engines, and the states compared.

#[path = "oracle/random/dice.rs"]
mod dice;
mod schedules;
mod sequential;

use cp2_asm::check::check;
use cp2_asm::linear_regions;
use cp2_isa::{Core, encode};
use dice::Dice;
use schedules::core::{is_anywhere, judge, random, regions};
use schedules::generate::{program, program_with};
use schedules::start::{difference, run_words, start};
use schedules::text;
use std::ops::Range;

/// Returns the numbers of the programs that are compared.
fn numbers() -> Range<u64> {
    cp2_tests::program_numbers(400)
}

/// Counts of programs by what became of them, and of their loops.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    compared: u64,
    /// Number of runs of schedules on random states.
    runs: u64,
    /// Number of compared programs that were on cores other than CP2.
    elsewhere: u64,
    /// Number of programs that were refused on CP2: no registers, or a promise that cannot hold.
    refused: u64,
    /// Number of programs that another core, too small or too slow for them, refused.
    refused_elsewhere: u64,
    /// Number of programs for which no state was found that keeps the promises.
    no_state: u64,
    /// Numbers of innermost loops; of those whose iterations overlap; of those whose kernels hold several.
    loops: u64,
    pipelined: u64,
    unrolled: u64,
    /// Numbers of double loads and of `psprmsgn` that the scheduler made.
    exchanged: [u64; 2],
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.compared += other.compared;
        self.runs += other.runs;
        self.elsewhere += other.elsewhere;
        self.refused += other.refused;
        self.refused_elsewhere += other.refused_elsewhere;
        self.no_state += other.no_state;
        self.loops += other.loops;
        self.pipelined += other.pipelined;
        self.unrolled += other.unrolled;
        self.exchanged = [0, 1].map(|k| self.exchanged[k] + other.exchanged[k]);
    }
}

/// Returns the core on which a program runs: for every other program one at random.
fn core_of(number: u64) -> Core {
    if number.is_multiple_of(2) { Core::CP2 } else { random(number) }
}

/// Compares one program from some states.
fn compare(number: u64, text: &str) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let core = core_of(number);
    let is_other = core != Core::CP2;
    let scheduled = match regions(core, text) {
        Ok(regions) => match regions.into_iter().next() {
            Some(scheduled) => scheduled,
            None => return Ok(tally),
        },
        Err(refused) if is_other => {
            tally.refused_elsewhere =
                judge(core, text, &refused).map(|_| 1).map_err(|why| format!("refused: {why}"))?;
            return Ok(tally);
        }
        Err(refused) if refused.iter().all(is_anywhere) => {
            tally.refused = 1;
            return Ok(tally);
        }
        Err(refused) => {
            let all: Vec<_> =
                refused.iter().map(|d| format!("[{}] {}", d.code, d.message)).collect();
            return Err(format!("does not assemble: {}", all.join("\n")));
        }
    };
    let (region, bundles) = (&scheduled.region, &scheduled.bundles);
    if let Err(faults) = check(&core, region, bundles) {
        let faults: Vec<String> = faults.iter().take(3).map(ToString::to_string).collect();
        return Err(format!("checker: {}", faults.join("\n")));
    }
    let words: Vec<_> = bundles.iter().map(|placed| encode(&placed.bundle)).collect();
    for seed in 0..2 {
        let Ok((before, after)) = start(&core, region, &mut Dice::new(number << 8 | seed)) else {
            tally.no_state = 1;
            continue;
        };
        let run = run_words(&core, &words, &before, 1_000_000);
        let run = run.map_err(|difference| format!("fast engine: {difference}"))?;
        let Some((found, n_cycles)) = run else {
            return Err("the schedule does not come to its end".into());
        };
        if let Some(difference) = difference(region, &after, &found) {
            return Err(format!("engine: {difference}"));
        }
        let counts = before.gpr.map(|gpr| gpr & 0xffff_ffff);
        let predicted = scheduled.report.cost.cycles(&counts);
        if predicted != n_cycles as i64 {
            return Err(format!("cost: {predicted} cycles reported, {n_cycles} run"));
        }
        tally.runs += 1;
    }
    for block in &scheduled.report.blocks {
        tally.exchanged = [0, 1].map(|k| tally.exchanged[k] + block.exchanged[k] as u64);
        tally.loops += u64::from(block.ii.is_some());
        tally.pipelined += u64::from(block.ii.is_some() && block.stages > 1);
        tally.unrolled += u64::from(block.ii.is_some() && block.unroll > 1);
    }
    tally.compared = u64::from(tally.runs > 0);
    tally.elsewhere = u64::from(tally.runs > 0 && is_other);
    Ok(tally)
}

/// Returns what stays of a failure while lines are taken away: who found it, and the code of an error.
fn kind_of(why: &str) -> String {
    let code = why.find("C0").and_then(|at| why.get(at..at + 5)).unwrap_or_default();
    format!("{} {code}", why.split(':').next().unwrap_or_default())
}

/// Returns the program without the lines that the failure does not need.
fn minimal(number: u64, text: &str, kind: &str) -> String {
    let fails = |lines: &[&str]| {
        let text = lines.join("\n") + "\n";
        compare(number, &text).is_err_and(|why| kind_of(&why) == kind)
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = lines.len();
    while at > 0 {
        at -= 1;
        let mut fewer = lines.clone();
        let removed = fewer.remove(at);
        if removed == ".endloop" {
            // The loop goes with its begin, its body stays.
            let begin = (0..at).rev().find(|&k| lines[k].starts_with(".loop"));
            begin.map(|begin| fewer.remove(begin));
        }
        if fails(&fewer) {
            lines = fewer;
            at = lines.len();
        }
    }
    lines.join("\n")
}

fn compare_programs(first: usize, step: usize) -> (Tally, Vec<String>) {
    let (mut sum, mut failures) = (Tally::default(), Vec::new());
    for number in numbers().skip(first).step_by(step) {
        let text = program_with(number, core_of(number).extensions());
        match compare(number, &text) {
            Ok(tally) => sum.add(&tally),
            Err(why) => {
                let text = minimal(number, &text, &kind_of(&why));
                let why = compare(number, &text).err().unwrap_or(why);
                failures.push(format!("program {number}: {why}\n{text}\n"));
            }
        }
        if failures.len() >= 5 {
            break;
        }
    }
    (sum, failures)
}

#[test]
fn schedules_do_what_the_sequential_meaning_says() {
    let results = cp2_tests::on_all_cores(compare_programs);
    let (mut sum, mut failures) = (Tally::default(), Vec::new());
    for (tally, texts) in results {
        sum.add(&tally);
        failures.extend(texts);
    }
    println!("{sum:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let n = numbers().count() as u64;
    assert!(sum.elsewhere * 5 >= n, "too few run on other cores: {sum:?}");
    assert!(sum.refused * 50 <= n, "{} of {n} programs were refused", sum.refused);
    assert!(sum.pipelined * 3 >= sum.loops, "too few loops are pipelined: {sum:?}");
    assert!(sum.exchanged.iter().all(|&k| k > 0), "nothing was exchanged: {sum:?}");
    assert!(sum.no_state * 10 <= n, "{} of {n} programs had no start", sum.no_state);
}

#[test]
fn the_front_end_reads_what_a_second_reader_reads() {
    let mut n_read = 0;
    for number in numbers().take(60) {
        let program = program(number);
        let Ok(mut regions) = linear_regions("random.s", &program) else { continue };
        let mut front = regions.remove(0).region;
        let second = text::region(&program);
        (front.name, front.span) = (String::new(), None);
        front.ops.iter_mut().for_each(|op| op.span = None);
        assert_eq!(front.ops, second.ops, "{program}");
        assert_eq!(front.disjoint, second.disjoint, "{program}");
        assert_eq!((front.even, front.kept), (second.even, second.kept), "{program}");
        assert_eq!(front.next, second.next, "{program}");
        n_read += 1;
    }
    assert!(n_read > 30, "only {n_read} programs were read");
}
