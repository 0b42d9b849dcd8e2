//! The promises that loops lack: those of small loops are known by hand, others are compared with schedules that have them.

use cp2_asm::sched::{Hint, LoopHints, TrialBudget, hints};
use cp2_asm::{Scheduled, linear_regions};
use cp2_isa::Core;

const SCALE: &str = "lwo %x, (r0)+1\n psmul %y, %x, f0\n swo %y, (r1)+1\n";

fn schedule(lines: &str) -> Scheduled {
    let text = format!(".linear\n.scratch g15\n{lines}\n.endlinear\n stopi 0\n");
    let mut regions = linear_regions("test.s", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(regions.len(), 1);
    regions.remove(0)
}

/// Returns the promises that the only loop of a region misses, with the bound and the interval that each would give.
fn missing(lines: &str) -> Vec<(String, i64, Option<i64>)> {
    let Scheduled { region, report, .. } = schedule(lines);
    let found = hints(&Core::CP2, &region, &report, &TrialBudget::default()).unwrap();
    let written = |hint: &Hint| {
        let all: Vec<String> = hint.promises.iter().map(ToString::to_string).collect();
        (all.join(" and "), hint.bound, hint.ii)
    };
    assert_eq!(found.len(), 1);
    assert!(found[0].is_complete);
    found[0].hints.iter().map(written).collect()
}

#[test]
fn a_missing_multiple_is_found() {
    // A chain of results that one iteration of the kernel cannot hold: %x lives longer than the interval.
    let chain = "lwo %x, (r0)+1\n psmul %y, %x, f0\n psadd %z, %y, %x\n swo %z, (r1)+1\n";
    let body =
        |promises: &str| format!(".disjoint r0, r1\n.loop g2, min=64{promises}\n{chain}.endloop");
    let Scheduled { report, .. } = schedule(&body(""));
    let block = report.blocks.iter().find(|b| b.ii.is_some()).unwrap();
    // The registers that come back too late are no recurrence.
    assert_eq!((block.recurrence_bound.cycles, block.resource_bound), (1, 2));
    let told = missing(&body(""));
    assert_eq!(told.len(), 1, "{told:?}");
    let (promise, bound, ii) = &told[0];
    assert_eq!((promise.as_str(), *bound), ("multiple=8", 2), "{told:?}");
    // What is told holds, and half of it does not do.
    let with = |multiple: u32| {
        let Scheduled { report, .. } = schedule(&body(&format!(", multiple={multiple}")));
        report.blocks.iter().find_map(|b| b.ii)
    };
    assert_eq!(with(8), *ii);
    assert!(with(4) > *ii);
    assert_eq!(missing(&body(", multiple=8")), []);
}

#[test]
fn missing_promises_about_memory_are_found_without_those_that_do_not_help() {
    // r0 and r2 are only read: what counts is that both are apart from r1.
    let body = "lwo %x, (r0)+1\n lwo %w, (r2)+1\n psmul %y, %x, %w\n swo %y, (r1)+1\n";
    let told = missing(&format!(".loop 40\n{body}.endloop"));
    assert_eq!(told, [(".disjoint r0, r1 and .disjoint r1, r2".to_owned(), 3, Some(3))]);
    let told = missing(&format!(".disjoint r0, r1, r2\n.loop 40\n{body}.endloop"));
    assert_eq!(told, []);
}

#[test]
fn promises_about_memory_and_count_are_tried_together() {
    let told = missing(&format!(".loop g2\n{SCALE}.endloop"));
    let (promises, bound, ii) = told.last().unwrap();
    assert!(promises.contains("min=") && promises.contains(".disjoint r0, r1"), "{told:?}");
    assert_eq!((*bound, *ii), (2, Some(2)), "{told:?}");
}

#[test]
fn a_count_that_fills_no_pipeline_is_told() {
    let told = missing(&format!(".disjoint r0, r1\n.loop g2, min=2\n{SCALE}.endloop"));
    let (promises, bound, ii) = told.last().unwrap();
    assert_eq!((*bound, *ii), (2, Some(2)), "{told:?}");
    let promises = promises.replace(" and ", ", ").replace("min=2,", "");
    assert!(promises.contains("min="), "{told:?}");
    let kept = format!(".disjoint r0, r1\n.loop g2, {promises}\n{SCALE}.endloop");
    assert_eq!(schedule(&kept).report.blocks.iter().find_map(|b| b.ii), Some(2), "{kept}");
}

#[test]
fn of_a_large_body_the_interval_is_told_as_far_as_the_work_goes() {
    let body: String = (0..70)
        .map(|k| format!(" lwo %x{k}, (r0)+1\n psmul %y{k}, %x{k}, f0\n psadd %z{k}, %y{k}, f1\n swo %z{k}, (r1)+1\n"))
        .collect();
    let text = format!(".loop 4\n{body}.endloop");
    let told = missing(&text);
    assert_eq!(told, [(".disjoint r0, r1".to_owned(), 140, Some(140))]);
    let Scheduled { region, report, .. } = schedule(&text);
    let budget = TrialBudget { operations: 1000, ..TrialBudget::default() };
    let LoopHints { hints, is_complete } =
        &hints(&Core::CP2, &region, &report, &budget).unwrap()[0];
    assert!(!is_complete);
    assert_eq!((hints[0].bound, hints[0].ii), (140, None), "the bound alone");
}

#[test]
fn promises_are_found_that_lower_the_interval_and_not_the_bound() {
    let mut n_found = 0;
    for seed in 0..300_u64 {
        // A sequence of operations on few registers, addresses and sets, by a simple generator.
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut body = String::from(" lwo %v0, (r0)+1\n");
        for k in 1..4 + next(5) {
            let old = next(k);
            body += &match next(4) {
                0 => format!(" lwo %v{k}, (r{})+1\n", next(3)),
                1 => format!(" swo %v{old}, (r{})+1\n psadd %v{k}, %v{old}, f1\n", next(3)),
                2 => format!(" psmul %v{k}, %v{old}, f0\n"),
                _ => format!(" psadd %v{k}, %v{old}, %v{}\n", next(k)),
            };
        }
        let looped = |promises: &str| format!("{promises}.loop 40\n{body}.endloop");
        let interval = |text: &str| {
            let Scheduled { report, .. } = schedule(text);
            let block = report.blocks.into_iter().find(|b| b.ii.is_some()).unwrap();
            (block.ii.unwrap(), block.resource_bound.max(block.recurrence_bound.cycles))
        };
        let (ii, bound) = interval(&looped(""));
        let (least, _) = interval(&looped(".disjoint r0, r1, r2\n.even r0, r1, r2\n"));
        let told = missing(&looped(""));
        let best = told.iter().filter_map(|(_, _, ii)| *ii).min();
        // Fewer promises may give a shorter interval: schedules are compared by all of their cycles.
        assert!(best.unwrap_or(ii) <= least.min(ii), "{}{told:?}", looped(""));
        for (promises, with, told) in &told {
            let lines = promises.replace(" and ", "\n") + "\n";
            assert_eq!(Some(interval(&looped(&lines)).0), *told, "{lines}{body}");
            n_found += usize::from(*with == bound);
        }
    }
    assert!(n_found > 0, "no body has a bound that the promises do not lower");
}

/// Returns a body of more operations than are scheduled again and again: groups whose values depend on one another.
fn large_body() -> String {
    let group = |k: usize| {
        let old = if k == 0 { "f1".to_owned() } else { format!("%z{}", k - 1) };
        format!(
            " lwo %x{k}, (r0)+1\n psmul %y{k}, %x{k}, f0\n psadd %z{k}, %y{k}, {old}\n swo %y{k}, (r1)+1\n"
        )
    };
    (0..80).map(group).collect()
}

/// Returns the interval of a loop of a large body, and the cycles of the body as straight code.
fn loop_and_straight(count: &str) -> (i64, i64) {
    let body = large_body();
    let looped = schedule(&format!(".disjoint r0, r1\n.loop {count}\n{body}.endloop"));
    let straight = schedule(&format!(".disjoint r0, r1\n{body}"));
    let ii = looped.report.blocks.iter().find_map(|b| b.ii).unwrap();
    (ii, straight.report.blocks[0].cost.cycles(&[0; 16]))
}

#[test]
fn a_loop_takes_no_more_cycles_than_its_straight_code() {
    for count in ["g2", "g2, min=2", "g2, multiple=2"] {
        let (ii, straight) = loop_and_straight(count);
        assert!(ii <= straight, "{count}: {ii}, {straight} as straight code");
    }
}

#[test]
fn of_a_large_body_the_least_count_is_told() {
    let (ii, _) = loop_and_straight("g2");
    let body = large_body();
    let told = missing(&format!(".disjoint r0, r1\n.loop g2\n{body}.endloop"));
    assert_eq!(told, [("min=4".to_owned(), 160, Some(208))]);
    // One iteration at a time; what is told holds.
    assert_eq!((ii, loop_and_straight("g2, min=4").0), (644, 208));
}
