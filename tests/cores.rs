//! Linear code scheduled for cores other than CP2: random regions on random cores, and how the
//! interval of a loop follows the latencies. That schedules are right is the checker's affair.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "oracle/dice.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod dice;
#[path = "schedules/generate.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod generate;

use cp2_asm::check::check;
use cp2_asm::{Diagnostic, Options, Scheduled, Sources, assemble_regions};
use cp2_isa::{Core, CoreNumbers};
use dice::Dice;

/// The regions of a text, scheduled for a core.
fn regions(core: Core, text: &str) -> Result<Vec<Scheduled>, Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let root = sources.add("text.s", text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core, ..Options::default() };
    Ok(assemble_regions(&mut sources, &[root], &mut none, options)?.regions)
}

fn random_core(dice: &mut Dice) -> Core {
    let mut number = |low, high| dice.between(low, high) as u32;
    let numbers = CoreNumbers {
        fprs: number(16, 64),
        local_memory_words: 1024 << number(0, 3),
        arithmetic_latency: number(2, 12),
        load_latency: number(2, 6),
        psprmsgn_latency: number(1, 6),
        mtfpr_latency: number(1, 6),
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).unwrap()
}

/// How many regions were scheduled and how many were refused, or what is wrong.
fn schedule(number: u64) -> Result<[u64; 2], String> {
    let core = random_core(&mut Dice::new(number));
    let wrong = |what: String| Err(format!("program {number} on {:?}: {what}", core.numbers()));
    match regions(core, &generate::program(number)) {
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
            Ok([made.len() as u64, 0])
        }
        Err(refused) => {
            // Too few registers, no schedule, and registers that this core does not have; C0609 is a
            // schedule that the checker has refuted.
            let proper = |d: &Diagnostic| {
                (d.code.starts_with("C06") && d.code != "C0609") || d.code.starts_with("C03")
            };
            match refused.iter().find(|d| !proper(d)) {
                Some(d) => wrong(format!("{}: {}", d.code, d.message)),
                None => Ok([0, 1]),
            }
        }
    }
}

#[test]
fn random_regions_are_right_on_random_cores_or_refused() {
    let numbers: Vec<u64> = cp2_tests::program_numbers(400).collect();
    let each = |first: usize, step: usize| -> Vec<Result<[u64; 2], String>> {
        numbers.iter().skip(first).step_by(step).map(|&n| schedule(n)).collect()
    };
    let (mut made, mut refused) = (0, 0);
    for result in cp2_tests::on_all_cores(each).into_iter().flatten() {
        let [a, b] = result.unwrap_or_else(|problem| panic!("{problem}"));
        (made, refused) = (made + a, refused + b);
    }
    println!("{made} schedules, {refused} regions refused");
    assert!(made * 2 > numbers.len() as u64, "{made} schedules, {refused} refused");
}

/// The interval of the only loop of a region, and its recurrence bound.
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
