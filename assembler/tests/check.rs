//! The checker's own idea of the machine where two rules meet: schedules of a few operations, put
//! together by hand, each beside one that is wrong by one bundle.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_asm::check::check;
use cp2_asm::linear::Region;
use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_asm::{Options, Sources, assemble_regions};
use cp2_isa::{Bundle, Core, CoreNumbers, Extensions};

const EMPTY: ScheduledBundle =
    ScheduledBundle { bundle: Bundle::NOP, arith: SlotOrigin::Nothing, exch: SlotOrigin::Nothing };

/// Returns CP2 with extensions of memory and addresses.
fn extended() -> Core {
    let extensions = Extensions::SECTION_ADDRESSING
        | Extensions::SECTION_COUNTERS
        | Extensions::SHARED_MEMORY
        | Extensions::WORD_ACCESS;
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap()
}

/// Returns a region and, for each of its operations, the bundle that the schedule has it in, alone.
fn operations(core: Core, lines: &str) -> (Region, Vec<ScheduledBundle>) {
    let mut sources = Sources::default();
    let root = sources.add("test.s", format!(".linear\n{lines}\n.endlinear\n stopi 0\n"));
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core, ..Options::default() };
    let made = assemble_regions(&mut sources, &[root], &mut none, options);
    let made = made.unwrap_or_else(|all| panic!("{lines}: {}", all[0].message));
    let scheduled = made.regions.into_iter().next().unwrap();
    let alone = |op: usize| {
        let source = SlotOrigin::Op(op);
        let is = |placed: &&ScheduledBundle| placed.arith == source || placed.exch == source;
        let whole = scheduled.bundles.iter().find(is).unwrap();
        let mut placed = EMPTY;
        placed.bundle.cc = whole.bundle.cc;
        if whole.arith == source {
            (placed.bundle.arith, placed.arith) = (whole.bundle.arith, source);
        } else {
            (placed.bundle.exch, placed.exch) = (whole.bundle.exch, source);
        }
        placed
    };
    let all = (0..scheduled.region.ops.len()).map(alone).collect();
    (scheduled.region, all)
}

/// Whether operations in these bundles of CP2, counted from 0, do what the lines say.
fn is_right(lines: &str, cycles: &[usize]) -> bool {
    is_right_on(Core::CP2, lines, cycles)
}

fn is_right_on(core: Core, lines: &str, cycles: &[usize]) -> bool {
    let (region, all) = operations(core, lines);
    assert_eq!(all.len(), cycles.len());
    let mut bundles = vec![EMPTY; cycles.iter().max().unwrap() + 9];
    for (placed, &cycle) in all.iter().zip(cycles) {
        let bundle = &mut bundles[cycle];
        bundle.bundle.cc |= placed.bundle.cc;
        if placed.exch == SlotOrigin::Nothing {
            (bundle.bundle.arith, bundle.arith) = (placed.bundle.arith, placed.arith);
        } else {
            (bundle.bundle.exch, bundle.exch) = (placed.bundle.exch, placed.exch);
        }
    }
    check(&core, &region, &bundles).is_ok()
}

/// Whether the last operation may not be before the ones that it is told to be behind. All have time to land.
fn is_bound(lines: &str, behind: usize) -> bool {
    let n = lines.lines().count();
    let mut order: Vec<usize> = (0..n).collect();
    let place = |order: &[usize]| order.iter().map(|&at| 10 * at).collect::<Vec<_>>();
    assert!(is_right_on(extended(), lines, &place(&order)), "{lines}");
    order[n - 1 - behind..].rotate_right(1);
    let mut cycles = vec![0; n];
    order.iter().enumerate().for_each(|(at, &op)| cycles[op] = at);
    !is_right_on(extended(), lines, &place(&cycles))
}

/// Holds that a load stays behind a store to word 20, and not behind one to word 21: the checker knows the address.
fn loads_word_20(setup: &str, load: &str) {
    for (word, meets) in [(20, true), (21, false), (0, false)] {
        assert_eq!(is_bound(&format!("{setup}\nswi f1, {word}\n{load}"), 1), meets, "{setup}");
    }
}

#[test]
fn of_arithmetic_and_a_load_that_land_together_the_arithmetic_result_stays() {
    // Written last, the load should stay: from distance 6 on it does.
    let load_last = "copy f1, f2\n lwi f1, 9\n copy f3, f1";
    assert!(!is_right(load_last, &[0, 5, 8]));
    assert!(is_right(load_last, &[0, 6, 9]));
    // Written first, it should not: up to distance 5 it does not.
    let load_first = "lwi f1, 9\n copy f1, f2\n copy f3, f1";
    assert!(is_right(load_first, &[5, 0, 8]));
    assert!(!is_right(load_first, &[6, 0, 9]));
}

#[test]
fn against_mtfpr_the_later_issued_result_stays() {
    let last = "copy f1, f2\n mtfpr f1, g1, all\n copy f3, f1";
    assert!(!is_right(last, &[0, 4, 8]));
    assert!(is_right(last, &[0, 5, 8]));
    let first = "mtfpr f1, g1, all\n copy f1, f2\n copy f3, f1";
    assert!(is_right(first, &[4, 0, 8]));
    assert!(!is_right(first, &[5, 0, 8]));
}

#[test]
fn an_operation_on_a_half_defends_that_half() {
    let lines = "lwi f1, 9\n recip f1.lo, f2.lo\n copy f3, f1";
    assert!(is_right(lines, &[5, 0, 8]));
    assert!(!is_right(lines, &[6, 0, 9]));
}

#[test]
fn a_permutation_sees_a_load_that_loses() {
    let lines = "lwi f1, 9\n psprmsgn0 f4, f1, 0, 1, 2, 3\n copy f1, f2\n copy f3, f1";
    assert!(is_right(lines, &[5, 7, 0, 8]));
    assert!(!is_right(lines, &[5, 8, 0, 9]));
}

#[test]
fn mfc_sees_a_condition_code_when_it_has_landed() {
    let lines = "mtc f1, fccr\n mfc f2, fccr";
    assert!(is_right(lines, &[0, 7]));
    assert!(!is_right(lines, &[0, 6]));
    assert!(!is_right(lines, &[0, 1]));
}

#[test]
fn a_move_from_the_angle_sees_the_step_beside_it() {
    assert!(is_right("getcoeff f1\n move g1, rind", &[0, 0]));
    assert!(!is_right("move g1, rind\n getcoeff f1", &[0, 0]));
    assert!(is_right("move g1, rind\n getcoeff f1", &[0, 1]));
    // A `move` to it wins over the step.
    assert!(is_right("getcoeff f1\n move rind, g1", &[0, 0]));
    assert!(!is_right("move rind, g1\n getcoeff f1", &[0, 0]));
}

/// Lines that make a register of these 16-bit parts, the low one first.
fn constant(parts: [u16; 4]) -> String {
    let line = |(k, part): (usize, u16)| format!("li{k} %x, {part}");
    parts.into_iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_address_that_constants_make_is_known() {
    loads_word_20("seti a3, 20", "lwo f2, (r3)+0");
    loads_word_20("seti a3, 0\nseti n3, 20\nlwnp f5, (r3)+n3", "lwo f2, (r3)+0");
    let through = |x: [u16; 4], rest: &str| format!("{}\n{rest}", constant(x));
    let x = [20, 0, 0, 0];
    loads_word_20(&through(x, "mffpr g4, %x, s0\nmove a3, g4"), "lwo f2, (r3)+0");
    loads_word_20(
        &through(x, "mffpr g4, %x, s2\nmove rind, g4\nmove g5, rind\nmove a3, g5"),
        "lwo f2, (r3)+0",
    );
    // Addresses have 13 bits.
    loads_word_20(&through([8212, 0, 0, 0], "mffpr g4, %x, s0\nmove a3, g4"), "lwo f2, (r3)+0");
}

#[test]
fn a_section_address_that_constants_make_is_known() {
    loads_word_20("seti g4, 20\nsetsa r3, g4", "lwsa f2, (r3)+0");
    loads_word_20("seti g4, 8212\nsetsa r3, g4", "lwsa f2, (r3)+0");
    for operation in ["mtsa", "amtsa"] {
        for word in [20, 8212] {
            let low = format!("li0 %x, {word}\n{operation} r3, %x.lo");
            loads_word_20(&low, "lwsa f2, (r3)+0");
            let high = format!("li2 %x, {word}\n{operation} r3, %x.hi");
            loads_word_20(&high, "lwsa f2, (r3)+0");
        }
    }
    // A store goes where a load would come from.
    assert!(is_bound("seti g4, 20\nsetsa r3, g4\nswsa f1, (r3)+0\nlwi f2, 20", 1));
    assert!(!is_bound("seti g4, 20\nsetsa r3, g4\nswsa f1, (r3)+0\nlwi f2, 21", 1));
}

#[test]
fn the_largest_of_known_numbers_is_known() {
    let rest = "mxfpr g4, %x.lo\nmove a3, g4";
    loads_word_20(&format!("{}\n{rest}", constant([20, 0, 9, 7])), "lwo f2, (r3)+0");
    let high = "mxfpr g4, %x.hi\nmove a3, g4";
    loads_word_20(&format!("{}\n{high}", constant([9, 7, 20, 0])), "lwo f2, (r3)+0");
    let apart = "seti g5, 20\nseti g6, 9\nmtfpr %x, g6, s0\nmtfpr %x, g5, s1\nmtfpr %x, g6, s3";
    loads_word_20(&format!("{}\n{apart}\n{rest}", constant([0; 4])), "lwo f2, (r3)+0");
}

#[test]
fn a_section_number_in_shared_memory_is_known() {
    let setup = "section %x\nsqsi %x, 3, s2\nlqbi %y, 3\nmtsa r3, %y.lo";
    for (word, meets) in [(2, true), (3, false)] {
        assert_eq!(is_bound(&format!("{setup}\nswi f1, {word}\nlwsa f2, (r3)+0"), 1), meets);
    }
}

#[test]
fn accesses_to_shared_memory_that_meet_stay_in_order() {
    let qa = "seti g4, 40\nsetq r3, g4\nlqbo f9, (r3)+4";
    for (lines, meets) in [
        ("sqi f1, 0\nlqbi f2, 2", true),
        ("sqi f1, 0\nlqbi f2, 4", false),
        ("sqsi f1, 3, s1\nlqi f2, 0", true),
        ("sqsi f1, 4, s1\nlqi f2, 0", false),
        ("sqsi f1, 44, s1\nlqbo f2, (r3)+0", true),
        ("sqsi f1, 40, s1\nlqbo f2, (r3)+0", false),
    ] {
        let lines = if lines.contains("r3") { format!("{qa}\n{lines}") } else { lines.to_owned() };
        assert_eq!(is_bound(&lines, 1), meets, "{lines}");
    }
}

#[test]
fn an_access_at_an_address_out_of_data_may_meet_stores_nearby() {
    const STORES: usize = 12;
    let stores = ["swo f1, (r0)+1"; STORES].join("\n");
    for (setup, load) in [
        ("mffpr g4, f4, s0\nmove a3, g4", "lwo f2, (r3)+0"),
        ("mtsa r3, f4.lo", "lwsa f2, (r3)+0"),
        ("setsa r3, g4", "lwsa f2, (r3)+0"),
    ] {
        assert!(is_bound(&format!("{setup}\n{stores}\n{load}"), STORES), "{setup}");
    }
    // Where a predicate decides which sections step, the order of two steps shows.
    assert!(is_bound("if(cc1) amtsa r3, f4.lo\nif(cc1) amtsa r3, f5.lo", 1));
}

#[test]
fn of_a_register_that_names_a_half_one_bit_counts() {
    let lines = |second: u16| format!("seti g4, 5\nlhgnp f2.lo, (r3)+n3, g4\nseti g4, {second}");
    for (second, is_bound_to) in [(7, false), (4, true)] {
        assert_eq!(is_bound(&lines(second), 1), is_bound_to);
    }
}
