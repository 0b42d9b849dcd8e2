//! Loops that the checker follows to their end, and those of which it follows a part: the right count
//! is accepted, and what is wrong by one pass or behind the loop is found.

use super::core::regions;
use cp2_asm::Scheduled;
use cp2_asm::check::check;
use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_isa::{Bundle, Core, Exch};

const CP2: Core = Core::CP2;

/// Schedules the only region of these lines.
fn scheduled(lines: &str) -> Scheduled {
    let text = format!(".linear\n.scratch g15\n{lines}\n.endlinear\n");
    let made = regions(CP2, &text);
    made.unwrap_or_else(|all| panic!("{lines}\n{}", all[0].message)).remove(0)
}

/// Returns a schedule with the count of its only hardware loop changed.
fn counted(bundles: &[ScheduledBundle], by: i32) -> Vec<ScheduledBundle> {
    let mut changed = bundles.to_vec();
    let is_count = |p: &&mut ScheduledBundle| matches!(p.bundle.exch.op, Exch::Doi | Exch::Seti);
    let mut counts = changed.iter_mut().filter(is_count);
    let inst = &mut counts.next().expect("a count").bundle.exch;
    inst.values[usize::from(inst.op == Exch::Seti)] += by;
    assert!(counts.next().is_none(), "one loop");
    changed
}

/// Returns a schedule without its last arithmetic operation.
fn without_last(bundles: &[ScheduledBundle]) -> Vec<ScheduledBundle> {
    let mut changed = bundles.to_vec();
    let last = changed.iter_mut().rev().find(|p| matches!(p.arith, SlotOrigin::Op(_)));
    let last = last.expect("an operation");
    (last.bundle.arith, last.arith) = (Bundle::NOP.arith, SlotOrigin::Nothing);
    changed
}

/// Checks that the schedule of these lines is right and that nothing else is: a pass more or fewer, nor
/// anything missing behind the loop.
fn is_exact(lines: &str) -> Scheduled {
    let made = scheduled(lines);
    let (region, bundles) = (&made.region, &made.bundles);
    assert_eq!(check(&CP2, region, bundles), Ok(()), "{lines}");
    for by in [-2, -1, 1, 2] {
        assert!(check(&CP2, region, &counted(bundles, by)).is_err(), "{by} passes: {lines}");
    }
    assert!(check(&CP2, region, &without_last(bundles)).is_err(), "{lines}");
    made
}

/// Returns the lines of a loop of products and sums, and of an operation behind it.
fn streams(count: u32) -> String {
    format!(
        ".disjoint r0, r1
        .loop {count}
        lwo %x, (r0)+0
        psmul %y, %x, f0
        psadd %z, %y, %x
        psmul %u, %z, f0
        psadd %v, %u, %y
        swo %v, (r1)+0
        psadd f1, f1, %v
        .endloop
        psmul f2, f1, f0"
    )
}

#[test]
fn a_loop_is_followed_whole_if_it_is_short() {
    // More cycles than a bound on the bundles alone would allow.
    is_exact(&streams(300));
    is_exact(".loop 2500\nlwo %x, (r0)+1\npsadd f1, f1, %x\n.endloop\npsmul f2, f1, f0");
}

#[test]
fn a_wrong_count_is_found_however_long_the_loop() {
    // The second has more executions than any run follows.
    for count in [8_000, 60_001] {
        is_exact(&streams(count));
    }
}

#[test]
fn iterations_that_share_a_pass_are_counted_as_iterations() {
    let mut n_unrolled = 0;
    for count in [12_000, 12_001] {
        let made = is_exact(&streams(count).replace("psadd f1, f1, %v", ""));
        n_unrolled += made.report.blocks.iter().filter(|block| block.unroll > 1).count();
    }
    assert!(n_unrolled > 0, "no pass holds several iterations");
}
