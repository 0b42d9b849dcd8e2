//! Starts that keep the promises of a region: they are found as long as memory has room for them, and
//! sets without a promise meet in some of them.

use super::core::regions;
use cp2_asm::Scheduled;
use cp2_asm::check::check;
use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_isa::{Core, CoreNumbers, Extensions};

/// Creates a core of 1024 words with section addressing.
fn core() -> Core {
    let extensions = Extensions::SECTION_ADDRESSING;
    let numbers = CoreNumbers { local_memory_words: 1024, extensions, ..*Core::CP2.numbers() };
    Core::new(numbers).expect("numbers within their limits")
}

/// Schedules the only region of these lines, or returns the code of the first error.
fn scheduled(lines: &str) -> Result<Scheduled, &'static str> {
    let made = regions(core(), &format!(".linear\n.scratch g15\n{lines}\n.endlinear\n"));
    made.map(|mut all| all.remove(0)).map_err(|all| all[0].code)
}

#[test]
fn sets_that_are_promised_apart_may_fill_the_memory() {
    let refusal = |count: u32| {
        scheduled(&format!(
            ".disjoint r0, r1, r2, r3
            .loop {count}
            lwo %x, (r0)+1
            lwo %y, (r1)+1
            swo %x, (r2)+1
            swo %y, (r3)+1
            .endloop"
        ))
        .err()
    };
    for count in [16, 100, 200, 240] {
        assert_eq!(refusal(count), None, "four times {count} words");
    }
    assert_eq!(refusal(257), Some("C0610"));
}

/// Returns a schedule whose operations have the numbers of another order.
fn renumbered(
    bundles: &[ScheduledBundle],
    number: impl Fn(usize) -> usize,
) -> Vec<ScheduledBundle> {
    let other = |source: SlotOrigin| match source {
        SlotOrigin::Op(op) => SlotOrigin::Op(number(op)),
        source => source,
    };
    let one =
        |p: &ScheduledBundle| ScheduledBundle { arith: other(p.arith), exch: other(p.exch), ..*p };
    bundles.iter().map(one).collect()
}

#[test]
fn loads_of_the_sections_stay_behind_stores_that_they_may_meet() {
    const STORES: usize = 8;
    let stores = ["swo f1, (r0)+1"; STORES].join("\n");
    let (load, sum) = ("lwsa %x, (r3)+0", "psadd f2, %x, f1");
    let before = scheduled(&format!("{load}\n{stores}\n{sum}")).expect("a schedule");
    // The load has moved from before the stores to behind them, or the other way.
    let behind = |op: usize| match op {
        0 => STORES,
        1..=STORES => op - 1,
        op => op,
    };
    let bundles = renumbered(&before.bundles, behind);
    let judged = |promise: &str| {
        let region = scheduled(&format!("{promise}\n{stores}\n{load}\n{sum}")).expect("a schedule");
        check(&core(), &region.region, &bundles)
    };
    assert_eq!(judged(".disjoint r0, sections"), Ok(()));
    let faults = judged("").expect_err("the stores and the load may meet");
    assert!(faults[0].message.contains("`lwsa`"), "{}", faults[0]);
}
