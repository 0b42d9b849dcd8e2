//! The scheduler beside a solver, with a store of schedules, on a large block, and how far apart it puts
//! two operations. Small loops whose bounds are known by hand, and what is refused, are in
//! `tests/files/schedule/`; their whole schedules are goldens of `suite/schedules.rs`.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "shared/crowded.rs"]
mod crowded;

use cp2_asm::check::check;
use cp2_asm::sched::{
    Answer, BlockReport, Interrupt, KnownSchedules, Obstacle, Store, answers, schedule_as,
    schedule_until,
};
use cp2_asm::{Options, Scheduled, Sources, assemble_or_parts, assemble_regions, linear_regions};
use cp2_isa::Core;
use crowded::crowded;
use std::collections::BTreeMap;

fn schedule(lines: &str) -> Scheduled {
    let text = format!(".linear\n.scratch g15\n{lines}\n.endlinear\n stopi 0\n");
    let mut regions = linear_regions("test.s", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(regions.len(), 1);
    regions.remove(0)
}

const SCALE: &str = "lwo %x, (r0)+1\n psmul %y, %x, f0\n swo %y, (r1)+1\n";

/// Conflicts that are enough for the loops of these tests.
const CONFLICTS: u64 = 20_000;

fn answer(scheduled: &Scheduled) -> Answer {
    let Scheduled { region, report, .. } = scheduled;
    let mut all =
        answers(&Core::CP2, region, report, (&KnownSchedules::default(), CONFLICTS)).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn the_solver_agrees_that_the_bound_is_met() {
    for lines in [
        format!(".disjoint r0, r1\n.loop g2, min=12\n{SCALE}.endloop"),
        format!(".loop 40\n{SCALE}.endloop"),
    ] {
        let scheduled = schedule(&lines);
        let ii = scheduled.report.blocks.iter().find_map(|b| b.ii).unwrap();
        let answer = answer(&scheduled);
        assert_eq!((answer.ii, answer.least, answer.better.is_none()), (ii, ii, true));
        // Two loads and stores an iteration, or a load that waits for the store of the iteration before.
        match answer.obstacles.as_slice() {
            [Obstacle::Slot { exchange: true, operations }] => {
                assert_eq!((operations.len() as i64, ii), (2, 2));
            }
            [Obstacle::Recurrence { operations, cycles }] => {
                assert_eq!((operations.as_slice(), *cycles), (&[0, 1, 2][..], ii));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_recurrence_that_forbids_less_is_named() {
    let scheduled = schedule(".loop 40\npsmul f1, f1, f0\npsadd f1, f1, f2\n.endloop");
    let answer = answer(&scheduled);
    assert_eq!(answer.ii, answer.least);
    let [Obstacle::Recurrence { operations, cycles }] = answer.obstacles.as_slice() else {
        panic!("{:?}", answer.obstacles)
    };
    assert_eq!((operations.as_slice(), *cycles), (&[0, 1][..], answer.ii));
}

#[test]
fn a_better_schedule_passes_the_checker_and_takes_the_cycles_that_it_says() {
    let mut n_better = 0;
    for groups in [9, 16, 23, 30] {
        let body = crowded(groups);
        let scheduled = schedule(&format!(".disjoint r0, r1, r2\n.loop 6\n{body}.endloop"));
        let answer = answer(&scheduled);
        assert!(answer.least <= answer.ii, "{answer:?}");
        let Some(better) = answer.better else { continue };
        n_better += 1;
        let region = &scheduled.region;
        let (bundles, report) = schedule_as(&Core::CP2, region, &[better]).unwrap();
        assert_eq!(check(&Core::CP2, region, &bundles), Ok(()));
        let (cycles, before) =
            (report.cost.cycles(&[0; 16]), scheduled.report.cost.cycles(&[0; 16]));
        assert!(cycles < before, "{cycles}, before {before}");
        let block = report.blocks.iter().find(|b| b.ii.is_some()).unwrap();
        assert_eq!(block.ii, Some(answer.ii));
    }
    assert!(n_better > 0);
}

#[test]
fn the_same_question_has_the_same_answer() {
    let body = crowded(23);
    let scheduled = schedule(&format!(".disjoint r0, r1, r2\n.loop 6\n{body}.endloop"));
    let told = || format!("{:?}", answer(&scheduled));
    assert_eq!(told(), told());
}

#[test]
fn a_schedule_of_another_region_is_not_taken_over() {
    let mut n_refused = 0;
    for groups in [9, 16, 23, 30] {
        let body = crowded(groups);
        let lines = |last: &str| format!(".disjoint r0, r1, r2\n.loop 6\n{body}{last}.endloop");
        let Some(better) = answer(&schedule(&lines(""))).better else { continue };
        let other = schedule(&lines("swo %f0, (r2)+1\n"));
        let (bundles, report) = schedule_as(&Core::CP2, &other.region, &[better]).unwrap();
        assert_eq!((bundles, report), (other.bundles, other.report));
        n_refused += 1;
    }
    assert!(n_refused > 0);
}

#[test]
fn schedules_are_broken_off_and_nothing_of_them_is_kept() {
    let text = format!(
        ".linear\n.scratch g15\n.loop g2\n{}.endloop\n.endlinear\n stopi 0\n",
        SCALE.repeat(40)
    );
    let assembled = |store: &mut Kept, interrupt: &Interrupt| {
        let mut sources = Sources::default();
        let root = sources.add("test.s", text.as_str());
        let mut none = |_: &str, _: &str| Err(String::new());
        let interrupt = interrupt.clone();
        let options = Options { store: Some(store), interrupt, ..Options::default() };
        assemble_regions(&mut sources, &[root], &mut none, options)
    };
    let (mut store, interrupt) = (Kept::default(), Interrupt::new());
    interrupt.raise();
    let errors = assembled(&mut store, &interrupt).unwrap_err();
    assert_eq!((errors.len(), errors[0].code), (1, ""));
    assert!(errors[0].message.contains("broken off"), "{}", errors[0].message);
    assert_eq!(store.n_puts, 0);
    let region = &assembled(&mut store, &Interrupt::new()).unwrap().regions[0].region;
    assert_eq!(store.n_puts, 1);
    let known = KnownSchedules::default();
    assert!(schedule_until(&Core::CP2, region, &known, &interrupt).is_err());
}

#[test]
fn an_error_leaves_the_schedules_of_other_regions() {
    let region = |name: &str| {
        format!(".linear\n.loop 40\n{}.endloop\n.endlinear\n", SCALE.replace("psmul", name))
    };
    let text = format!(
        " .kernel k\n nop\n{} psmull f1, f2, f3\n{}{} stopi 0\n",
        region("psmul"),
        region("psmull"),
        region("psmul")
    );
    let mut sources = Sources::default();
    let root = sources.add("test.s", text.as_str());
    let mut none = |_: &str, _: &str| Err(String::new());
    let failed =
        assemble_or_parts(&mut sources, &[root], &mut none, Options::default()).unwrap_err();
    assert_eq!(failed.diagnostics.len(), 2, "{:?}", failed.diagnostics);
    let whole = schedule(&format!(".loop 40\n{SCALE}.endloop"));
    assert_eq!(failed.regions.len(), 2);
    assert!(failed.regions.iter().all(|region| {
        region.report.blocks.iter().map(|b| b.ii).eq(whole.report.blocks.iter().map(|b| b.ii))
    }));
    assert!(!failed.is_placed, "the region with an error has no bundles");
    let first = failed.image.lines.iter().next().unwrap();
    assert_eq!((first.0.0, first.1.line), (0, 2));
}

#[test]
fn a_loop_at_its_bound_is_never_open() {
    let body: String = (0..20).map(|_| SCALE).collect();
    let body = body.replace("%x", "%a").replace("%y", "%b");
    let scheduled = schedule(&format!(".disjoint r0, r1\n.loop 40\n{body}.endloop"));
    let block = scheduled.report.blocks.iter().find(|b| b.ii.is_some()).unwrap();
    assert_eq!(block.ii, Some(block.resource_bound));
    let answer = answer(&scheduled);
    assert_eq!((answer.ii, answer.least), (block.resource_bound, block.resource_bound));
}

#[test]
fn a_large_block_is_scheduled_near_its_bound() {
    let body: String = (0..100)
        .map(|k| format!(" lwo %x{k}, (r0)+1\n psmul %y{k}, %x{k}, f0\n psadd %z{k}, %y{k}, f1\n swo %z{k}, (r1)+1\n"))
        .collect();
    let scheduled = schedule(&format!(".disjoint r0, r1\n{body}"));
    let block = &scheduled.report.blocks[0];
    assert_eq!(block.resource_bound, 200);
    assert!(block.bundles <= 230, "{} bundles", block.bundles);
}

/// Schedules in memory, and how often one was put there.
#[derive(Default)]
struct Kept {
    entries: BTreeMap<String, Vec<u8>>,
    n_puts: usize,
}

impl Store for Kept {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.entries.get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.entries.insert(key.to_owned(), entry.to_vec());
        self.n_puts += 1;
    }
}

/// Returns the only region of a program of several sources, scheduled with a store.
fn schedule_program(store: &mut Kept, texts: &[&str]) -> Scheduled {
    let mut sources = Sources::default();
    let roots: Vec<u32> = texts.iter().map(|&text| sources.add("test.s", text)).collect();
    let mut none = |_: &str, _: &str| Err(String::new());
    let options = Options { store: Some(store), ..Options::default() };
    let assembled = assemble_regions(&mut sources, &roots, &mut none, options).unwrap();
    assembled.regions.into_iter().next().unwrap()
}

/// Returns the only region of a text, scheduled with a store.
fn schedule_with(store: &mut Kept, text: &str) -> Scheduled {
    schedule_program(store, &[text])
}

fn scale_with(count: &str) -> String {
    format!(
        ".linear\n.disjoint r0, r1\n.scratch g15\n.loop {count}\n{SCALE}.endloop\n.endlinear\n stopi 0\n"
    )
}

#[test]
fn a_kept_schedule_is_that_of_its_region() {
    let store = &mut Kept::default();
    let text = scale_with("g2, min=12");
    let made = schedule_with(store, &text);
    assert_eq!(store.n_puts, 1);
    // Elsewhere in a file it is the same, but for the places.
    let before = "; a line\n nop\n";
    let moved = schedule_with(store, &format!("{before}{text}"));
    assert_eq!(store.n_puts, 1);
    assert_eq!((&moved.bundles, moved.start), (&made.bundles, made.start.plus(1)));
    for (there, here) in moved.report.blocks.iter().zip(&made.report.blocks) {
        let start = |block: &BlockReport| block.span.clone().map(|span| span.range.start);
        assert_eq!(start(there), start(here).map(|at| at + before.len()));
    }
    assert_eq!(moved.report.cost, made.report.cost);
    // Whatever a schedule depends on is in the key.
    let others = [
        scale_with("g3, min=12"),
        scale_with("g2, min=13"),
        text.replace("r0, r1", "r0, r2"),
        text.replace("psmul", "psadd"),
        text.replace("%y, %x, f0", "%y, %x, f1"),
        text.replace("g15", "g14"),
        text.replace(".scratch", ".keep f9\n.scratch"),
        text.replace(".scratch", ".even r0\n.scratch"),
    ];
    for (n, other) in others.iter().enumerate() {
        let kept = schedule_with(store, other);
        assert_eq!(store.n_puts, n + 2, "{other}");
        let alone = linear_regions("test.s", other).unwrap();
        assert_eq!((&kept.bundles, &kept.report), (&alone[0].bundles, &alone[0].report));
    }
}

#[test]
fn a_schedule_is_kept_whichever_source_of_a_program_its_region_is_in() {
    let text = scale_with("g2, min=12");
    let before = ["; nothing\n", ".equ step, 2\n", "; a source\n; without code\n"];
    for n in 0..=before.len() {
        let program: Vec<&str> = before[..n].iter().copied().chain([text.as_str()]).collect();
        let store = &mut Kept::default();
        let made = schedule_program(store, &program);
        let kept = schedule_program(store, &program);
        assert_eq!(store.n_puts, 1, "kept and found again behind {n} sources");
        assert_eq!((&kept.bundles, &kept.report), (&made.bundles, &made.report));
        let found = kept.report.blocks.iter().find(|block| block.ii.is_some()).unwrap();
        assert_eq!(found.span.clone().map(|span| span.file), Some(n as u32));
        // It is the schedule of the same text alone.
        let alone = schedule_with(store, &text);
        assert_eq!((store.n_puts, alone.bundles), (1, made.bundles));
    }
}

#[test]
fn a_kept_schedule_that_is_wrong_is_made_anew() {
    let store = &mut Kept::default();
    let text = scale_with("g2, min=12");
    let made = schedule_with(store, &text);
    let (key, right) = store.entries.clone().pop_first().unwrap();
    let mut stored: serde_json::Value = serde_json::from_slice(&right).unwrap();
    let n = made.bundles.len();
    let mut wrong =
        ["", "{}", "null", "[1, 2", "\u{ff}"].map(|text| text.as_bytes().to_vec()).to_vec();
    wrong.push(right[..right.len() / 2].to_vec());
    for at in 0..n - 1 {
        stored["bundles"].as_array_mut().unwrap().swap(at, at + 1);
        wrong.push(stored.to_string().into_bytes());
        stored["bundles"].as_array_mut().unwrap().swap(at, at + 1);
    }
    stored["bundles"][0] = serde_json::json!([u64::MAX, 99, 99]);
    wrong.push(stored.to_string().into_bytes());
    for entry in wrong {
        store.entries.insert(key.clone(), entry.clone());
        let found = schedule_with(store, &text);
        // Two empty bundles may change places.
        if entry != right && store.entries[&key] != right {
            let faults = cp2_asm::check::check(&Core::CP2, &found.region, &found.bundles);
            assert_eq!(faults, Ok(()), "{}", entry.escape_ascii());
        } else {
            assert_eq!((&found.bundles, &found.report), (&made.bundles, &made.report));
        }
    }
    assert!(store.n_puts > n / 2);
}

/// Returns the number of bundles between the bundle of one operation and that of another.
fn between(scheduled: &Scheduled, first: &str, second: &str) -> i64 {
    let at = |name: &str| {
        let texts = scheduled.bundles.iter().map(|placed| placed.bundle.to_string());
        texts.enumerate().find(|(_, text)| text.contains(name)).unwrap().0 as i64
    };
    at(second) - at(first)
}

#[test]
fn the_angle_is_stepped_before_a_move_beside_it() {
    // The old angle is read in a bundle before the step.
    let before = schedule("move g1, rind\n getcoeff f1");
    assert_eq!(between(&before, "move", "getcoeff"), 1);
    // The stepped one may be read beside it.
    let after = schedule("getcoeff f1\n move g1, rind");
    assert_eq!(between(&after, "getcoeff", "move"), 0);
    // A `move` to the angle is seen by the next step only.
    let set = schedule("move rind, g1\n getcoeff f1");
    assert_eq!(between(&set, "move", "getcoeff"), 1);
}

#[test]
fn a_condition_code_set_by_mtc_takes_7_to_mfc() {
    let scheduled = schedule("mtc f1, fccr\n mfc f2, fccr");
    assert_eq!(between(&scheduled, "mtc", "mfc"), 7);
}
