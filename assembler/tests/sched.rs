//! What the scheduler reaches and what it reports, on small loops whose bounds are known by hand. That
//! schedules are right is the checker's affair, which runs on every one of them.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_asm::sched::{BlockReport, Exact, Store, exact_intervals};
use cp2_asm::{Options, Scheduled, Sources, assemble_regions, linear_regions};
use cp2_isa::Core;
use std::collections::BTreeMap;

fn schedule(lines: &str) -> Scheduled {
    let text = format!(".linear\n.scratch g15\n{lines}\n.endlinear\n stopi 0\n");
    let mut regions = linear_regions("test.s", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(regions.len(), 1);
    regions.remove(0)
}

fn loops(scheduled: &Scheduled) -> Vec<&BlockReport> {
    scheduled.report.blocks.iter().filter(|b| b.ii.is_some()).collect()
}

fn interval(lines: &str) -> i64 {
    loops(&schedule(lines))[0].ii.unwrap()
}

fn refused(lines: &str) -> String {
    let text = format!(".linear\n{lines}\n.endlinear\n stopi 0\n");
    linear_regions("test.s", &text).unwrap_err().to_string()
}

const SCALE: &str = "lwo %x, (r0)+1\n psmul %y, %x, f0\n swo %y, (r1)+1\n";

#[test]
fn a_stream_runs_at_its_resource_bound() {
    let scheduled = schedule(&format!(".disjoint r0, r1\n.loop g2, min=12\n{SCALE}.endloop"));
    let block = loops(&scheduled)[0];
    assert_eq!((block.ii, block.resource_bound, block.recurrence_bound.cycles), (Some(2), 2, 1));
    assert_eq!(scheduled.report.cost.to_string(), "22 + 2*g2");
    // Load 3, product 8, store 1: twelve cycles, six intervals.
    assert_eq!(block.stages, 6);
}

#[test]
fn sets_that_may_meet_keep_their_order() {
    // Load, product, store, and the next load behind the store: 3 + 8 + 1.
    assert_eq!(interval(&format!(".loop 40\n{SCALE}.endloop")), 12);
}

#[test]
fn one_set_knows_its_own_distances() {
    let one = ".loop 40\n lwo %x, (r0)\n psmul %y, %x, f0\n swo %y, (r0)+1\n .endloop";
    assert_eq!(interval(one), 2);
    // The store reaches what the load two iterations later needs: 12 cycles in two iterations.
    let two = ".loop 40\n lwo %x, (r0)+2\n psmul %y, %x, f0\n swo %y, (r0)-1\n .endloop";
    assert_eq!(interval(two), 6);
}

#[test]
fn an_accumulator_costs_its_latency() {
    let sum = |n: usize| {
        let clear: String = (0..n).map(|k| format!("copy %s{k}, f0\n")).collect();
        let add: String =
            (0..n).map(|k| format!("lwo %x{k}, (r0)+1\n psmadd %s{k}, %x{k}, %x{k}\n")).collect();
        let use_: String = (0..n).map(|k| format!("swo %s{k}, (r1)+1\n")).collect();
        schedule(&format!("{clear}.loop 64\n{add}.endloop\n{use_}"))
    };
    for (n, ii) in [(1, 8), (4, 8), (8, 8), (12, 12)] {
        assert_eq!(loops(&sum(n))[0].ii, Some(ii), "{n} sums");
    }
}

#[test]
fn registers_are_renamed_where_the_count_allows() {
    // Loaded values live for ten cycles at an interval of 3.
    let body = "ldo %x0:%x1, (r0)+2\n ldo %y0:%y1, (r1)\n psmadd %y0, %x0, f0\n\
                psmadd %y1, %x1, f0\n sdo %y0:%y1, (r1)+2\n .endloop";
    let with = |promise: &str| {
        schedule(&format!(".disjoint r0, r1\n.even r0, r1\n.loop g2, {promise}\n{body}"))
    };
    let renamed = with("min=16, multiple=4");
    assert_eq!((loops(&renamed)[0].ii, loops(&renamed)[0].unroll), (Some(3), 4));
    let plain = with("min=16");
    assert_eq!(loops(&plain)[0].unroll, 1);
    assert!(loops(&plain)[0].ii >= Some(10));
}

#[test]
fn a_small_count_is_obeyed() {
    // Nothing is promised: no two iterations may overlap.
    let scheduled = schedule(&format!(".disjoint r0, r1\n.loop g2\n{SCALE}.endloop"));
    assert_eq!(loops(&scheduled)[0].minimum_trips, 1);
    for n in 1..8 {
        let scheduled = schedule(&format!(".disjoint r0, r1\n.loop {n}\n{SCALE}.endloop"));
        assert!(scheduled.report.cost.cycles(&[0; 16]) <= 12 * n + 12, "{n}");
    }
}

#[test]
fn nests_of_any_shape_are_scheduled() {
    for (head, tail) in [
        (".loop 3\n.loop 4\n.loop 5\n", ".endloop\n.endloop\n.endloop\n"),
        (".loop 3\nlwo %a, (r3)+1\n.loop 4\n", ".endloop\nswo %a, (r4)+1\n.endloop\n"),
        (".loop g3\n.loop 4\n", ".endloop\n.endloop\n"),
        (".loop 2000\n.loop 4\n", ".endloop\nupdaddr (r0)+1\n.endloop\n"),
    ] {
        let scheduled = schedule(&format!("{head}{SCALE}{tail}"));
        assert_eq!(loops(&scheduled).len(), 1, "{head}");
    }
}

#[test]
fn the_solver_agrees_that_the_bound_is_met() {
    for lines in [
        format!(".disjoint r0, r1\n.loop g2, min=12\n{SCALE}.endloop"),
        format!(".loop 40\n{SCALE}.endloop"),
    ] {
        let Scheduled { region, report, .. } = schedule(&lines);
        let ii = report.blocks.iter().find_map(|b| b.ii).unwrap();
        assert_eq!(exact_intervals(&Core::CP2, &region, &report).unwrap(), [Exact::Least(ii)]);
    }
}

#[test]
fn the_solver_finds_less_where_less_is_possible() {
    let mut scheduled = schedule(&format!(".disjoint r0, r1\n.loop 40\n{SCALE}.endloop"));
    // As if the heuristic had done badly.
    for block in scheduled.report.blocks.iter_mut().filter(|b| b.ii.is_some()) {
        block.ii = Some(9);
    }
    let least = exact_intervals(&Core::CP2, &scheduled.region, &scheduled.report).unwrap();
    assert_eq!(least, [Exact::Least(2)]);
}

#[test]
fn what_does_not_fit_is_told_with_its_line() {
    let loads: String = (0..40).map(|k| format!(" lwi %a{k}, {k}\n")).collect();
    let crossed: String = (0..40).map(|k| format!(" cadd %b{k}, %a{k}, %a{}\n", 39 - k)).collect();
    let stores: String = (0..40).map(|k| format!(" swi %b{k}, {}\n", 100 + k)).collect();
    let text = refused(&format!(".keep f0-f60\n{loads}{crossed}{stores}"));
    assert!(text.contains("[C0605]") && text.contains("test.s:"), "{text}");
    assert!(refused(".loop 70000\n.loop 2\n lwo %x, (r0)+1\n.endloop\n.endloop").contains("[C060"));
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

#[test]
fn right_regions_are_not_refused() {
    for lines in [
        // A virtual register beside the last physical ones.
        " copy %a, f1\n cbutterfly %a, f62\n copy f3, %a",
        // Two names of one register keep their order.
        ".assign %x, f5\n lwi %x, 0\n psadd f6, f5, f5\n swi f6, 1",
        ".assign %x, f5\n.assign %y, f5\n lwi %x, 0\n lwi %y, 1\n psadd %z, %x, %y\n swi %z, 2",
        // Around the memory and back to the same word.
        " lwo %y, (r0)+4095\n updaddr (r0)+4095\n updaddr (r0)+2\n swo f1, (r0)\n psadd f9, %y, %y",
        // The predicate has no bypass.
        " mtc f1, fccr\n if(cc3) mfc f2, fccr",
    ] {
        schedule(lines);
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let nest = ".loop 2\n".repeat(16) + " inci f1, 1\n" + &".endloop\n".repeat(16);
    let chain: String = (0..64).map(|k| format!(" ldo %a{k}:%a{}, (r0)+2\n", k + 1)).collect();
    let chain = chain + ".loop 3\n psadd f1, %a0, %a0\n.endloop";
    for (lines, code) in [
        (nest.as_str(), "C0606"),
        (&chain, "C0605"),
        (" start_dma", "C0601"),
        (" mfc f1, fcsr", "C0601"),
        (".scratch g2\n.loop g2, min=9\n psadd f1, f2, f3\n.endloop", "C0607"),
        (".scratch g4\n seti g4, 7", "C0607"),
        (".loop 3, min=4\n psadd f1, f2, f3\n.endloop", "C0606"),
        ("", "C0608"),
    ] {
        let text = refused(lines);
        assert!(text.contains(code), "{lines}\n{text}");
    }
    let early = "    lwi f2, 0\n.linear\n    psadd f1, f2, f2\n.endlinear\n    stopi 0\n";
    let text = linear_regions("test.s", early).unwrap_err().to_string();
    assert!(text.contains("C0611") && text.contains("put 2 times `nop`"), "{text}");
}

#[test]
fn promises_far_apart_are_checked() {
    schedule(".loop g2, min=5000, multiple=4096\n psadd f1, f2, f3\n.endloop");
}

/// Schedules in memory, and how often one was put there.
#[derive(Default)]
struct Kept {
    entries: BTreeMap<String, String>,
    n_puts: usize,
}

impl Store for Kept {
    fn get(&mut self, key: &str) -> Option<String> {
        self.entries.get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &str) {
        self.entries.insert(key.to_owned(), entry.to_owned());
        self.n_puts += 1;
    }
}

/// The only region of a text, scheduled with a store.
fn schedule_with(store: &mut Kept, text: &str) -> Scheduled {
    let mut sources = Sources::default();
    let root = sources.add("test.s", text);
    let mut none = |_: &str, _: &str| Err(String::new());
    let options = Options { store: Some(store), ..Options::default() };
    let assembled = assemble_regions(&mut sources, &[root], &mut none, options).unwrap();
    assembled.regions.into_iter().next().unwrap()
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
    assert_eq!((&moved.bundles, moved.start), (&made.bundles, made.start + 1));
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
fn a_kept_schedule_that_is_wrong_is_made_anew() {
    let store = &mut Kept::default();
    let text = scale_with("g2, min=12");
    let made = schedule_with(store, &text);
    let (key, right) = store.entries.clone().pop_first().unwrap();
    let mut stored: serde_json::Value = serde_json::from_str(&right).unwrap();
    let n = made.bundles.len();
    let mut wrong: Vec<String> = ["", "{}", "null", "[1, 2"].map(str::to_owned).to_vec();
    wrong.push(right[..right.len() / 2].to_owned());
    for at in 0..n - 1 {
        stored["bundles"].as_array_mut().unwrap().swap(at, at + 1);
        wrong.push(stored.to_string());
        stored["bundles"].as_array_mut().unwrap().swap(at, at + 1);
    }
    stored["bundles"][0] = serde_json::json!([u64::MAX, 99, 99]);
    wrong.push(stored.to_string());
    for entry in wrong {
        store.entries.insert(key.clone(), entry.clone());
        let found = schedule_with(store, &text);
        // Two empty bundles may change places.
        if entry != right && store.entries[&key] != right {
            let faults = cp2_asm::check::check(&Core::CP2, &found.region, &found.bundles);
            assert_eq!(faults, Ok(()), "{entry}");
        } else {
            assert_eq!((&found.bundles, &found.report), (&made.bundles, &made.report));
        }
    }
    assert!(store.n_puts > n / 2);
}

/// Bundles between the bundle of one operation and that of another.
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
