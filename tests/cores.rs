//! Linear code scheduled for cores other than CP2: random regions on random cores, also on two of which one is better, and how the
//! interval of a loop follows the latencies. That schedules are right is the checker's affair.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "schedules/better.rs"]
mod better;
#[path = "schedules/core.rs"]
mod core;
#[path = "oracle/random/dice.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod dice;
#[path = "schedules/generate.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod generate;

use self::better::{Gain, Outcome};
use self::core::{Refusal, judge, random, regions};
use cp2_asm::check::check;
use cp2_isa::{Core, CoreNumbers};
use std::collections::BTreeMap;

/// Schedules the regions of a random program on a random core; returns their number and what was refused, or what is wrong.
fn schedule(number: u64) -> Result<(u64, Option<Refusal>), String> {
    let core = random(number);
    let wrong = |what: String| Err(format!("program {number} on {:?}: {what}", core.numbers()));
    let text = generate::program_with(number, core.extensions());
    match regions(core, &text) {
        Ok(made) => {
            for scheduled in &made {
                if let Err(faults) = check(&core, &scheduled.region, &scheduled.bundles) {
                    return wrong(faults[0].to_string());
                }
                let mut bundles = scheduled.bundles.iter();
                if let Some(placed) = bundles.find(|p| p.bundle.check(&core).is_err()) {
                    return wrong(format!("{} is no bundle of this core", placed.bundle));
                }
            }
            Ok((made.len() as u64, None))
        }
        Err(refused) => match judge(core, &text, &refused) {
            Ok(refusal) => Ok((0, Some(refusal))),
            Err(what) => wrong(what),
        },
    }
}

#[test]
fn random_regions_are_right_on_random_cores_or_refused_for_a_reason() {
    let numbers: Vec<u64> = cp2_tests::program_numbers(250).collect();
    let each = |first: usize, step: usize| -> Vec<Result<(u64, Option<Refusal>), String>> {
        numbers.iter().skip(first).step_by(step).map(|&n| schedule(n)).collect()
    };
    let (mut made, mut refused) = (0, BTreeMap::<Refusal, u64>::new());
    for result in cp2_tests::on_all_cores(each).into_iter().flatten() {
        let (schedules, refusal) = result.unwrap_or_else(|problem| panic!("{problem}"));
        made += schedules;
        refusal.into_iter().for_each(|why| *refused.entry(why).or_default() += 1);
    }
    println!("{made} schedules, refused: {refused:?}");
    let n = numbers.len() as u64;
    assert!(made * 2 > n, "{made} schedules, refused: {refused:?}");
    let anywhere = refused.iter().filter(|(why, _)| matches!(why, Refusal::Anywhere(_)));
    let anywhere: u64 = anywhere.map(|(_, n)| n).sum();
    assert!(anywhere * 20 <= n, "refused although the core is large: {refused:?}");
}

#[test]
fn a_better_core_or_a_further_promise_makes_no_block_longer() {
    let numbers: Vec<u64> = cp2_tests::program_numbers(300).collect();
    let each = |first: usize, step: usize| -> Vec<Result<(Gain, Outcome), String>> {
        numbers.iter().skip(first).step_by(step).map(|&n| better::compare(n)).collect()
    };
    let mut outcomes = BTreeMap::<(Gain, Outcome), usize>::new();
    let mut longer = Vec::new();
    for result in cp2_tests::on_all_cores(each).into_iter().flatten() {
        match result {
            Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
            Err(what) => longer.push(what),
        }
    }
    println!("{outcomes:?}");
    assert!(longer.is_empty(), "{} longer: {}", longer.len(), longer[0]);
    let count = |of: Outcome| -> usize {
        outcomes.iter().filter(|((_, outcome), _)| *outcome == of).map(|(_, n)| n).sum()
    };
    let (compared, not_taken) = (count(Outcome::NotLonger), count(Outcome::NotTaken));
    assert!(compared * 2 > numbers.len(), "{outcomes:?}");
    assert!(not_taken * 50 <= numbers.len(), "{outcomes:?}");
}

/// Returns the interval of the only loop of a region, and its recurrence bound.
fn interval(core: Core, lines: &str) -> (i64, i64) {
    let text = format!(".linear\n.scratch g15\n{lines}\n.endlinear\n stopi 0\n");
    let made = regions(core, &text).unwrap();
    let block = made[0].report.blocks.iter().find(|b| b.ii.is_some()).unwrap();
    (block.ii.unwrap(), block.recurrence_bound.cycles)
}

fn with_arithmetic(latency: u32) -> Core {
    Core::new(CoreNumbers { arithmetic_latency: latency, ..*Core::CP2.numbers() }).unwrap()
}

#[test]
fn a_sum_takes_the_latency_of_the_sum() {
    for latency in [2, 4, 8, 12] {
        let sum = ".loop 40\n lwo %x, (r0)+1\n psadd f1, f1, %x\n.endloop";
        let expected = i64::from(latency);
        assert_eq!(interval(with_arithmetic(latency), sum), (expected, expected));
    }
}

#[test]
fn axpy_in_place_waits_for_load_product_and_store() {
    // Sets that may meet: the next load waits for the store. Load 3, product and sum in one, store 1.
    let axpy =
        ".loop 40\n lwo %x, (r0)+1\n lwo %y, (r1)\n psmadd %y, %x, f0\n swo %y, (r1)+1\n.endloop";
    for latency in [4, 8, 12] {
        let (found, bound) = interval(with_arithmetic(latency), axpy);
        // The load of x, which may meet the store; that of y is its own iteration's.
        assert_eq!((found, bound), (3 + i64::from(latency) + 1, 3 + i64::from(latency) + 1));
        // Apart, the three accesses are all that counts.
        let apart = format!(".disjoint r0, r1\n{axpy}");
        assert_eq!(interval(with_arithmetic(latency), &apart).0, 3);
    }
}
