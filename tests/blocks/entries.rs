//! The fast engine against the reference engine on loops that are entered with other results under way
//! than their iterations leave: operations right before a loop, predicates, few registers that are read
//! while something is under way to them, runs that stop within the first iteration. The machine is
//! compared at every stop, with what is under way then. Loops over memory are compared in
//! `loops`.

use cp2_emu::cp2::seam::{InFlight, Landing};
use cp2_emu::state::status;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Difference, End};
use cp2_fast::{Fast, NativeIsa};
use cp2_isa::{BundleAddress, SECTIONS};
use cp2_tests::{SplitMix64, at_random};
use std::fmt::Write as _;

/// Kind of a random program: its registers, how busy its bundles are, its predicates.
struct Style {
    /// FPRs that are written. Of few, what is under way is often read.
    registers: u64,
    /// Cases of eight in which a bundle does something.
    busy: u64,
    /// Number of operations of which one is predicated.
    predicated: u64,
}

fn arithmetic(s: &mut SplitMix64, style: &Style) -> String {
    if s.below(8) >= style.busy {
        return "nop".to_owned();
    }
    let first = s.below(style.registers);
    let f = |n: u64| (first + n) % style.registers;
    let (d, a, b, q) = (f(0), f(1 + s.below(4)), f(5 + s.below(2)), f(7 + s.below(2)));
    let predicate = if s.one_in(style.predicated) { s.of(&["if(cc1) ", "if(cc2) "]) } else { "" };
    let [x, y] = [0; 2].map(|_| 48 + s.below(8));
    // Sums and products of registers that nobody writes, so that numbers stay ordinary.
    match s.below(13) {
        0 => format!("{predicate}caddsub f{d}, f{x}, f{y}, f{q}"),
        1 | 2 => format!("{predicate}psmul f{d}, f{x}, f{y}"),
        3 => format!("{predicate}cmul f{d}, f{x}, f{y}"),
        4 => format!("{predicate}add f{d}, f{x}, f{y}"),
        5 => format!("{predicate}and f{d}, f{a}, f{b}"),
        6 | 7 => format!("{predicate}copy f{d}, f{a}"),
        8 => format!("{predicate}swaphl f{d}, f{a}"),
        9 => format!("{predicate}psneg f{d}, f{a}"),
        10 | 11 => format!("{predicate}c.lt.ps cc{}, f{x}, f{b}", s.below(3)),
        _ => format!("{predicate}psabs f{d}, f{a}"),
    }
}

fn exchange(s: &mut SplitMix64, style: &Style) -> String {
    if s.below(8) >= style.busy {
        return "nop".to_owned();
    }
    let (f, pair) = (s.below(style.registers), 2 * s.below(style.registers.min(32) / 2));
    let set = s.below(2);
    match s.below(10) {
        0 => format!("lwo f{f}, (r{set})+{}", s.below(3)),
        1 => format!("ldo f{pair}, (r{set})+{}", s.below(3)),
        2 => format!("swo f{f}, (r{set})-{}", s.below(3)),
        3 => format!("psprmsgn0 f{pair}, f{}, 0, 1, 2, -3", s.below(style.registers - 1)),
        4 | 5 => format!("seti g3, {}", s.below(1 << 16)),
        6 => format!("mtfpr f{f}, g3, s{}", s.below(4)),
        7 => format!("mffpr g3, f{f}, s{}", s.below(4)),
        _ => format!("lwi f{f}, {}", s.below(8192)),
    }
}

fn bundles(
    s: &mut SplitMix64,
    style: &Style,
    text: &mut String,
    count: u64,
    label_of_last_but_one: &str,
) {
    for k in 0..count {
        let label = if k + 2 == count { label_of_last_but_one } else { "" };
        let _ = writeln!(text, "{label:<8}{} | {}", arithmetic(s, style), exchange(s, style));
    }
}

/// Returns a kernel with a loop in another, which enters it again and again. The loops may end one behind the other.
fn source(s: &mut SplitMix64) -> String {
    let style = Style {
        registers: [10, 20, 40][s.below(3) as usize],
        busy: 1 + s.below(7),
        predicated: [2, 20, u64::MAX][s.below(3) as usize],
    };
    let mut text = String::from("        .kernel entries\n        | seti a0, 4000\n");
    let _ = writeln!(text, "        | seti a1, {}", [100, 4090, 8000][s.below(3) as usize]);
    let _ = writeln!(text, "        | doi {}, outer", 2 + s.below(6));
    let before = s.below(12);
    bundles(s, &style, &mut text, before, "");
    let _ = writeln!(text, "        {} | doi {}, inner", arithmetic(s, &style), 1 + s.below(12));
    let body = if s.one_in(3) { 3 + s.below(12) } else { 16 + s.below(30) };
    if s.one_in(3) {
        bundles(s, &style, &mut text, body, "inner:");
        let _ = writeln!(text, "outer:  {} | nop", arithmetic(s, &style));
        // The last bundle of the inner loop is the last but one of the outer one.
        let end = text.rfind("outer:").unwrap_or_default();
        let last = text[..end].trim_end().rfind('\n').map_or(0, |k| k + 1);
        text.replace_range(end..end + 6, "      ");
        text.replace_range(last..last + 6, "outer:");
    } else {
        bundles(s, &style, &mut text, body, "inner:");
        let after = 2 + s.below(8);
        bundles(s, &style, &mut text, after, "outer:");
    }
    text.push_str("        | sync\n        | stopi 0\n");
    text
}

fn prepared(number: u64) -> (String, Cp2) {
    let mut s = SplitMix64(number);
    let text = source(&mut s);
    let core = at_random::core(&mut s);
    let mut cp2 = at_random::on_core(&core, &cp2_tests::machine(&text));
    let unusual = [u64::MAX, 20_000, 4000][s.below(3) as usize];
    for word in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()).flatten() {
        let near_one = s.bits() & 0x803f_ffff_803f_ffff | 0x3f80_0000_3f80_0000;
        *word = if s.one_in(unusual) { s.bits() } else { near_one };
    }
    if !s.one_in(4) {
        cp2.state.fcsr = [1 << 2; 4];
        cp2.state.status |= 1 << status::FPE_SHIFT;
    }
    (text, cp2)
}

/// Lists what is under way: results of a cycle in some order, each condition code on its own, and of the values the sections
/// that are written.
pub(crate) fn under_way(cp2: &Cp2) -> Vec<String> {
    let mut all = Vec::new();
    for InFlight { visible, enabled, landing } in cp2.flight().landings {
        for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
            match &landing {
                Landing::Fpr { reg, halves, value, from_load } => {
                    all.push(format!(
                        "{visible} {s}: f{reg} {halves:?} {:x} {from_load}",
                        value[s]
                    ));
                }
                Landing::Conditions { first, count, value } => {
                    for (cc, holds) in (*first..first + count).zip(value[s]).filter(|x| x.0 > 0) {
                        all.push(format!("{visible} {s}: cc{cc} {holds}"));
                    }
                }
                Landing::Exceptions(flags) => all.push(format!("{visible} {s}: {:?}", flags[s])),
                other => all.push(format!("{visible} {s}: {other:?}")),
            }
        }
    }
    all.sort();
    all
}

/// Runs a program three times on one engine, so that the second run finds translated code. Returns how many bundles and
/// cycles there were and how many cycles were translated.
fn compare(number: u64) -> [u64; 3] {
    let (text, cp2) = prepared(number);
    let (mut bundles, mut cycles, mut translated) = (0, 0, 0);
    for native_isa in [NativeIsa::Avx2, NativeIsa::Avx512] {
        let mut s = SplitMix64(number);
        let mut fast = Fast::with_native(Some(native_isa), cp2.clone());
        let piece = [60, 1000, 100_000][s.below(3) as usize];
        for run in 0..3 {
            let mut reference = cp2.clone();
            fast.replace_machine(cp2.clone());
            let core = cp2.core().changes();
            fast.start(BundleAddress(0));
            reference.start(BundleAddress(0));
            let mut until = 0;
            loop {
                until += 1 + s.below(piece);
                let [end, expected] = [
                    fast.advance(until, &mut NoObserver),
                    reference.advance(until, &mut NoObserver),
                ];
                assert_eq!(
                    end, expected,
                    "program {number}, run {run}, {native_isa:?}, {core:?}\n{text}"
                );
                let place = format!(
                    "program {number}, run {run}, {native_isa:?}, {until}, {core:?}\n{text}"
                );
                let (a, b) = (fast.cp2(), &reference);
                assert_eq!(Difference::first(&b.state, &a.state), None, "{place}");
                assert_eq!(under_way(a), under_way(b), "{place}");
                assert_eq!(a.stats(), b.stats(), "{place}");
                match end {
                    Some(End::Stopped(_)) => break,
                    Some(_) => panic!("{end:?}, {place}"),
                    None => {}
                }
            }
            bundles += reference.stats().bundles();
            cycles += reference.stats().cycles;
            translated += fast.translated_cycles();
        }
    }
    [bundles, cycles, translated]
}

#[test]
fn loops_are_entered_alike() {
    let numbers = cp2_tests::program_numbers(400);
    let [bundles, cycles, translated] = cp2_tests::sum_over(&numbers, compare);
    let n = numbers.count();
    println!("{n} programs, {bundles} bundles, {cycles} cycles, translated {translated}");
    assert!(!cp2_fast::is_supported() || translated > cycles / 2, "{translated} of {cycles}");
}

/// Register that is written before a loop and at the end of its body, and read at its beginning.
struct Course {
    before: &'static str,
    in_loop: &'static str,
    reads: &'static str,
    /// Third bundle of the body: a result of its own that lands early.
    own: &'static str,
}

const COURSES: [Course; 5] = [
    Course {
        before: "psmul f1, f48, f49 | nop",
        in_loop: "pssub f1, f50, f51 | nop",
        reads: "nop | swo f1, (r0)+1",
        own: "nop",
    },
    Course {
        before: "nop | lwi f1, 70",
        in_loop: "nop | lwi f1, 71",
        reads: "nop | psprmsgn0 f6, f1, 0, 1, 0, 1",
        own: "nop",
    },
    Course {
        before: "psmul f1, f48, f49 | nop",
        in_loop: "pssub f1, f50, f51 | nop",
        reads: "copy f6, f1 | nop",
        own: "nop | lwi f1, 72",
    },
    Course {
        before: "c.lt.ps cc1, f48, f49 | nop",
        in_loop: "c.lt.ps cc1, f49, f48 | nop",
        reads: "if(cc1) copy f6, f52 | nop",
        own: "nop",
    },
    Course {
        before: "nop",
        in_loop: "if(cc1) psmul f1, f50, f51 | nop",
        reads: "nop | swo f1, (r0)+1",
        own: "c.lt.ps cc1, f49, f48 | nop",
    },
];

/// Returns a kernel with a loop that is entered three times: `gap` bundles behind a write of a register that it reads in
/// bundle `read` and writes in the last bundle but `distance`.
fn meeting(course: &Course, gap: usize, distance: usize, read: usize) -> String {
    const LENGTH: usize = 36;
    let mut body = vec!["nop | nop".to_owned(); LENGTH];
    body[2] = course.own.to_owned();
    body[read] = course.reads.to_owned();
    // Flags of each iteration supersede those of the one before; what was read gets to memory.
    body[12] = "psmul f10, f53, f54 | nop".to_owned();
    body[16] = "nop | sdo f6, (r0)+2".to_owned();
    body[LENGTH - 1 - distance] = course.in_loop.to_owned();
    body[LENGTH - 2].insert_str(0, "inner:  ");
    let gap = "        nop | nop\n".repeat(gap);
    // An iteration that enters the loop begins at an odd address, so that the two words behind the one
    // that it may have stored do not overwrite that.
    format!(
        "        .kernel meeting
        | seti a0, 101
        | doi 3, outer
        {}
{gap}        | doi 4, inner
        {}
{}outer:  | nop
        | nop
        | sync
        | stopi 0
",
        course.before,
        body.join("\n        "),
        "        nop | nop\n".repeat(12)
    )
}

/// Returns a kernel with a loop that is entered three times, whose body is so short that what is under way at its entry lands
/// in a later iteration.
fn meeting_soon(length: usize, gap: usize, write: usize, read: usize) -> String {
    let mut body = vec!["nop | nop".to_owned(); length];
    body[write] = "nop | lwi f1, 71".to_owned();
    body[read] = "nop | swo f1, (r0)+1".to_owned();
    body[length - 2].insert_str(0, "inner:  ");
    format!(
        "        .kernel meeting
        | seti a0, 101
        | doi 3, outer
        psmul f1, f48, f49 | nop
{}        | doi {}, inner
        {}
{}outer:  | nop
        | nop
        | sync
        | stopi 0
",
        "        nop | nop\n".repeat(gap),
        32 / length - 1,
        body.join("\n        "),
        "        nop | nop\n".repeat(12)
    )
}

#[test]
fn a_register_is_read_while_results_are_under_way_to_it() {
    let long = COURSES
        .iter()
        .flat_map(|course| (0..9).map(move |gap| (course, gap)))
        .flat_map(|(course, gap)| (0..9).map(move |distance| (course, gap, distance)))
        .flat_map(|(course, gap, distance)| {
            [0, 1, 3, 5, 7].map(|read| meeting(course, gap, distance, read))
        });
    let all: Vec<String> = long.collect();
    assert_eq!(run_alike(&all), if cp2_fast::is_supported() { all.len() } else { 0 });
}

#[test]
fn a_register_is_read_in_iterations_shorter_than_what_is_under_way() {
    let places = |length: usize| (0..length).flat_map(move |a| (0..length).map(move |b| (a, b)));
    let short =
        (3..9).flat_map(|length| (0..9).map(move |gap| (length, gap))).flat_map(|(length, gap)| {
            let both = places(length).filter(|(write, read)| write != read);
            both.map(move |(write, read)| meeting_soon(length, gap, write, read))
        });
    run_alike(&short.collect::<Vec<_>>());
}

/// Compares the engines on programs; returns how many of them were translated for the better part.
fn run_alike(all: &[String]) -> usize {
    let parts = cp2_tests::on_all_cores(|first, step| {
        let runs = all.iter().skip(first).step_by(step).map(|text| {
            let mut cp2 = cp2_tests::machine(text);
            for (k, quad) in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()).enumerate() {
                let float = u64::from((1.0 + k as f32 / 65536.0).to_bits());
                *quad = [float << 32 | float; 4];
            }
            cp2.state.fcsr = [1 << 2; 4];
            cp2.state.status |= 1 << status::FPE_SHIFT;
            let mut reference = cp2.clone();
            let expected = reference.run_untraced(BundleAddress(0), 10_000);
            let mut fast = Fast::new(cp2);
            assert_eq!(fast.run_untraced(BundleAddress(0), 10_000), expected, "{text}");
            assert_eq!(Difference::first(&reference.state, &fast.cp2().state), None, "{text}");
            fast.translated_cycles() * 2 > expected.stats.cycles
        });
        runs.filter(|&is_translated| is_translated).count()
    });
    parts.into_iter().sum()
}
