//! Verdicts of the solver about the intervals of small random loops, held against brute force: every way to give the
//! operations rows of an interval, by the rules of the machine as its manual states them, without the scheduler's graphs.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_asm::check::check;
use cp2_asm::sched::{KnownSchedules, answers, schedule_as};
use cp2_asm::{Options, Scheduled, Sources, assemble_regions};
use cp2_isa::{Core, CoreNumbers};

/// Random numbers, the same ones in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) % limit
    }
}

/// An operation of a loop, as the rules see it.
#[derive(Clone, Debug, Default)]
struct Operation {
    text: String,
    is_exchange: bool,
    /// Bundles after which its result is seen.
    latency: i64,
    /// Operations of the same iteration whose values it reads.
    reads: Vec<usize>,
    /// Sums that it reads, and sum that it writes.
    sums_read: Vec<usize>,
    sum_written: Option<usize>,
}

/// A loop of up to six operations: loads, arithmetic on values and on two sums that go from iteration to iteration, stores.
fn random_loop(dice: &mut Dice, [load, arithmetic]: [i64; 2]) -> Vec<Operation> {
    let mut all: Vec<Operation> = Vec::new();
    let count = 3 + dice.below(4) as usize;
    for k in 0..count {
        let values: Vec<usize> =
            (0..k).filter(|&v| all[v].latency > 0 && all[v].sum_written.is_none()).collect();
        let pick = |dice: &mut Dice| match values.as_slice() {
            [] => ("f9".to_owned(), None),
            some => {
                let value = some[dice.below(some.len() as u64) as usize];
                (format!("%v{value}"), Some(value))
            }
        };
        let sum = dice.below(2) as usize;
        let (first, a) = pick(dice);
        let (second, b) = pick(dice);
        let mut operation = Operation { latency: arithmetic, ..Operation::default() };
        match dice.below(8) {
            0 | 1 => {
                operation.text = format!("lwo %v{k}, (r{})+1", dice.below(3));
                (operation.is_exchange, operation.latency) = (true, load);
            }
            2 => {
                operation.text = format!("swo {first}, (r3)+1");
                (operation.is_exchange, operation.latency) = (true, 0);
                operation.reads.extend(a);
            }
            3 | 4 => {
                let other = format!("f{}", 1 - sum);
                let is_crossed = dice.below(2) == 0;
                let second = if is_crossed { other } else { first };
                operation.text = format!("psadd f{sum}, f{sum}, {second}");
                operation.reads.extend(a.filter(|_| !is_crossed));
                operation.sums_read = if is_crossed { vec![0, 1] } else { vec![sum] };
                operation.sum_written = Some(sum);
            }
            5 | 6 => {
                operation.text = format!("psmul %v{k}, f{sum}, {first}");
                operation.reads.extend(a);
                operation.sums_read.push(sum);
            }
            _ => {
                operation.text = format!("pssub %v{k}, {first}, {second}");
                operation.reads.extend(a.into_iter().chain(b));
            }
        }
        all.push(operation);
    }
    all
}

/// A bound of two times: `to`, `iterations` later, is at least `cycles` after `from`.
type Bound = (usize, usize, i64, i64);

/// Returns what the machine demands: a value is read when it has landed, a sum before the next one lands.
fn bounds(all: &[Operation]) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for (k, operation) in all.iter().enumerate() {
        bounds.extend(operation.reads.iter().map(|&from| (from, k, all[from].latency, 0)));
    }
    for sum in 0..2 {
        let writers: Vec<usize> =
            (0..all.len()).filter(|&k| all[k].sum_written == Some(sum)).collect();
        let (Some(&first), Some(&last)) = (writers.first(), writers.last()) else { continue };
        for (k, _) in all.iter().enumerate().filter(|(_, o)| o.sums_read.contains(&sum)) {
            let latency = all[last].latency;
            match writers.iter().rev().find(|&&w| w < k) {
                Some(&before) => bounds.push((before, k, latency, 0)),
                None => bounds.push((last, k, latency, 1)),
            }
            // The next sum is not there yet when this one is read: it lands a cycle later at least.
            match writers.iter().find(|&&w| w >= k) {
                Some(&next) if next == k => {}
                Some(&next) => bounds.push((k, next, 1 - latency, 0)),
                None => bounds.push((k, first, 1 - latency, 1)),
            }
        }
        for pair in writers.windows(2) {
            bounds.push((pair[0], pair[1], 1, 0));
        }
        bounds.push((last, first, 1, 1));
    }
    bounds
}

/// Whether operations in these rows of an interval have whole numbers of intervals before them that meet all bounds.
fn has_stages(bounds: &[Bound], rows: &[i64], ii: i64) -> bool {
    let mut stages = vec![0_i64; rows.len()];
    for _ in 0..=rows.len() {
        let mut changed = false;
        for &(from, to, cycles, iterations) in bounds {
            let least = rows[from] + cycles - rows[to];
            let least = stages[from] - iterations + (least + ii - 1).div_euclid(ii);
            if stages[to] < least {
                stages[to] = least;
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

/// Whether some rows from operation `next` on make a schedule.
fn exists(all: &[Operation], bounds: &[Bound], rows: &mut Vec<i64>, ii: i64) -> bool {
    let next = rows.len();
    if next == all.len() {
        return has_stages(bounds, rows, ii);
    }
    let last = if next == 0 { 1 } else { ii };
    (0..last).any(|row| {
        let taken = |k: usize| rows[k] == row && all[k].is_exchange == all[next].is_exchange;
        if (0..next).any(taken) {
            return false;
        }
        rows.push(row);
        let found = exists(all, bounds, rows, ii);
        rows.pop();
        found
    })
}

fn scheduled(core: Core, all: &[Operation]) -> Option<Scheduled> {
    let lines: Vec<&str> = all.iter().map(|o| o.text.as_str()).collect();
    let text = format!(
        ".linear\n.scratch g15\n.disjoint r0, r1, r2, r3\n.loop g2, min=64, multiple=16\n{}\n.endloop\n.endlinear\n stopi 0\n",
        lines.join("\n")
    );
    let mut sources = Sources::default();
    let root = sources.add("random.s", text);
    let mut none = |_: &str, _: &str| Err(String::new());
    let options = Options { core, ..Options::default() };
    let made = assemble_regions(&mut sources, &[root], &mut none, options).unwrap();
    made.regions.into_iter().next()
}

#[test]
fn small_loops_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut n_final, mut n_above, mut n_better) = (0, 0, 0);
    let n_loops = 200;
    for number in 0..n_loops {
        let latencies = [2 + dice.below(2) as i64, 2 + dice.below(4) as i64];
        let [load, arithmetic] = latencies.map(|n| n as u32);
        let numbers = *Core::CP2.numbers();
        let numbers = CoreNumbers { load_latency: load, arithmetic_latency: arithmetic, ..numbers };
        let core = Core::new(numbers).unwrap();
        let all = random_loop(&mut dice, latencies);
        let bounds = bounds(&all);
        let least = (1..).find(|&ii| exists(&all, &bounds, &mut Vec::new(), ii)).unwrap();
        let Scheduled { region, report, .. } = scheduled(core, &all).unwrap();
        let known = KnownSchedules::default();
        let answer = answers(&core, &region, &report, (&known, 4_000)).unwrap().remove(0);
        let told = format!("loop {number} {numbers:?}: {all:#?}\n{answer:?}");
        assert!(
            answer.least <= least,
            "no schedule below {}, but one of {least}: {told}",
            answer.least
        );
        assert!(
            answer.ii >= least,
            "a schedule of {}, and the least is {least}: {told}",
            answer.ii
        );
        if let Some(better) = answer.better {
            n_better += 1;
            let (bundles, new) = schedule_as(&core, &region, &[better]).unwrap();
            assert_eq!(check(&core, &region, &bundles), Ok(()), "{told}");
            let ii = new.blocks.iter().find_map(|block| block.ii);
            assert_eq!(ii, Some(answer.ii), "{told}");
        }
        n_final += u64::from(answer.least == answer.ii);
        let block = report.blocks.iter().find(|block| block.ii.is_some()).unwrap();
        n_above += u64::from(least > block.resource_bound.max(block.recurrence_bound.cycles));
    }
    println!("{n_final} of {n_loops} final, {n_above} above their bounds, {n_better} better");
    assert!(n_final * 10 >= n_loops * 9, "{n_final} of {n_loops} verdicts are final");
    assert!(n_above > 0, "no loop is above its bounds, so nothing is proved by search");
}
