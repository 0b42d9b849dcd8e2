//! The property that a better core, or a promise more, makes no schedule longer: straight code and loops at random, for
//! cores at random.

use cp2_asm::{Options, Sources, assemble_regions};
use cp2_isa::{Core, CoreNumbers};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Returns the cycles of the only region of these lines on a core: of straight code without what is under way behind it.
fn cycles(core: Core, promises: &str, count: Option<u32>, body: &str) -> i64 {
    let looped = count.map(|n| format!(".loop {n}\n{body}.endloop\n"));
    let lines = looped.as_deref().unwrap_or(body);
    let text = format!(".linear\n.scratch g15\n{promises}{lines}.endlinear\n stopi 0\n");
    let mut sources = Sources::default();
    let root = sources.add("case.s", &text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core, ..Options::default() };
    let made = assemble_regions(&mut sources, &[root], &mut none, options);
    let report = &made.unwrap_or_else(|all| panic!("{text}{}", all[0].message)).regions[0].report;
    let cost = if count.is_some() { &report.cost } else { &report.blocks[0].cost };
    cost.cycles(&[0; 16])
}

/// Returns a body: each operation loads, computes from values before it, or stores one of them.
fn body(operations: &[(u8, usize, usize)]) -> String {
    let mut text = String::from("lwo %v0, (r0)+1\n");
    let mut n_values = 1;
    for &(kind, first, second) in operations {
        let value = |k: usize| format!("%v{}", k % n_values);
        let line = match kind {
            0..3 => format!("lwo %v{n_values}, (r0)+1\n"),
            3 => format!("swo {}, (r1)+1\n", value(first)),
            4 | 5 => format!("psadd %v{n_values}, {}, {}\n", value(first), value(second)),
            _ => format!("psmul %v{n_values}, {}, f0\n", value(first)),
        };
        n_values += usize::from(kind != 3);
        text += &line;
    }
    // The arithmetic slot is the fuller one, so that the `doi` of a loop finds a place.
    let moves = (0..operations.len() + 4).map(|k| format!("copy %w{k}, %v{}\n", k % n_values));
    text + "swo %v0, (r1)+1\n" + &moves.collect::<String>()
}

prop_compose! {
    fn core()(arithmetic_latency in 4..13_u32, load_latency in 2..5_u32) -> Core {
        Core::new(CoreNumbers { arithmetic_latency, load_latency, ..*Core::CP2.numbers() }).unwrap()
    }
}

/// Returns a core whose latencies of loads and of arithmetic are longer by so much.
fn slower(core: Core, loads: u32, arithmetic: u32) -> Core {
    let mut numbers = *core.numbers();
    numbers.load_latency += loads;
    numbers.arithmetic_latency += arithmetic;
    Core::new(numbers).unwrap()
}

fn operations() -> impl Strategy<Value = Vec<(u8, usize, usize)>> {
    proptest::collection::vec((0..8_u8, any::<usize>(), any::<usize>()), 2..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default() })]

    #[test]
    fn a_faster_core_makes_no_schedule_longer(
        core in core(),
        loads in any::<bool>(),
        count in proptest::option::of(2..40_u32),
        operations in operations(),
    ) {
        let body = body(&operations);
        let is_arithmetic = !loads && core.numbers().arithmetic_latency < 8;
        let worse = slower(core, u32::from(!is_arithmetic), u32::from(is_arithmetic));
        let promise = ".disjoint r0, r1\n";
        let (here, there) = (cycles(core, promise, count, &body), cycles(worse, promise, count, &body));
        prop_assert!(here <= there, "{here}, {there} on a slower core\n{body}");
    }

    #[test]
    fn a_promise_makes_no_schedule_longer(
        core in core(),
        count in proptest::option::of(2..40_u32),
        operations in operations(),
    ) {
        let body = body(&operations);
        let some = ["", ".even r0\n", ".disjoint r0, r1\n"].map(|p| cycles(core, p, count, &body));
        let all = cycles(core, ".disjoint r0, r1\n.even r0\n", count, &body);
        prop_assert!(some[1].max(some[2]) <= some[0], "{some:?}, without, even, disjoint\n{body}");
        prop_assert!(all <= some[1].min(some[2]), "{all} with both, {some:?}\n{body}");
    }
}
