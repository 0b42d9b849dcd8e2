//! The checker of schedules: it accepts good schedules, written by hand, and finds what was changed
//! in them. The engine tells which changes matter.

use super::core::regions;
use super::generate::program;
use super::mutate::{Mutant, mutants};
use super::start::{difference, run_fast, run_words, start};
use super::text::{region, schedule};
use crate::dice::Dice;
use cp2_asm::check::check;
use cp2_asm::linear::Region;
use cp2_asm::sched::ScheduledBundle;
use cp2_emu::State;
use cp2_isa::{BundleBits, Core, CoreNumbers, Extensions, encode};

const CP2: Core = Core::CP2;

/// Random states that a schedule is run from.
const STATES: u64 = 6;

struct Example {
    name: &'static str,
    region: &'static str,
    bundles: &'static str,
}

/// A software-pipelined loop, two bundles an iteration, six stages.
const SCALE: Example = Example {
    name: "scale",
    region: ".linear
        .disjoint r0, r1
        .loop 16
        lwo   %x, (r0)+1
        psmul %y, %x, f0
        swo   %y, (r1)+1
        .endloop
        .endlinear",
    bundles: "
        - 0: lwo f9, (r0)+1
        - -: nop
        - 0: lwo f9, (r0)+1
        1 -: psmul f10, f9, f0
        - 0: lwo f9, (r0)+1
        1 -: psmul f10, f9, f0
        - 0: lwo f9, (r0)+1
        1 -: psmul f10, f9, f0
        - 0: lwo f9, (r0)+1
        1 m: psmul f10, f9, f0 | doi 11, 10
        - 0: lwo f9, (r0)+1
        1 2: psmul f10, f9, f0 | swo f10, (r1)+1
        - -: nop
        1 2: psmul f10, f9, f0 | swo f10, (r1)+1
        - -: nop
        - 2: swo f10, (r1)+1
        - -: nop
        - 2: swo f10, (r1)+1
        - -: nop
        - 2: swo f10, (r1)+1
        - -: nop
        - 2: swo f10, (r1)+1",
};

/// Pairs and an accumulator.
const DOT: Example = Example {
    name: "dot",
    region: ".linear
        .even r0
        .loop 10
        ldo    %a:%b, (r0)+2
        psmadd f0, %a, %b
        .endloop
        .endlinear",
    bundles: "
        - m: doi 10, 7
        - 0: ldo f10, (r0)+2
        2 * - -: nop
        1 -: psmadd f0, f10, f11
        4 * - -: nop
        3 * - -: nop",
};

/// A predicate, a half, and a load that may meet the store before it.
const STRAIGHT: Example = Example {
    name: "straight",
    region: ".linear
        ldo   %a:%b, (r0)+2
        c.lt.s cc1, %a, f1
        if(cc1) psadd %a, %a, f1
        recip %a.lo, %b.hi
        swo   %a, (r0)+1
        lwo   %c, (r1)+0
        psadd f2, %c, %b
        .endlinear",
    bundles: "
        - 0: ldo f20, (r0)+2
        2 * - -: nop
        1 -: c.lt.s cc1, f20, f1
        6 * - -: nop
        2 -: if(cc1) psadd f20, f20, f1
        3 -: recip f20.lo, f21.hi
        7 * - -: nop
        - 4: swo f20, (r0)+1
        - 5: lwo f22, (r1)+0
        2 * - -: nop
        6 -: psadd f2, f22, f21
        7 * - -: nop",
};

/// A count in a register: the kernel counts one less.
const COUNTED: Example = Example {
    name: "counted",
    region: ".linear
        .scratch g15
        .loop g2, min=2
        lwo   %x, (r0)+1
        psadd f0, f0, %x
        .endloop
        .endlinear",
    bundles: "
        - m: mtfpr f30, g2, all
        2 * - -: nop
        m -: subi f30, f30, 1
        2 * - -: nop
        - 0: lwo f10, (r0)+1
        4 * - -: nop
        - m: mffpr g15, f30, s0
        - -: nop
        - m: do g15, 20
        - 0: lwo f10, (r0)+1
        1 -: psadd f0, f0, f10
        7 * - -: nop
        1 -: psadd f0, f0, f10
        7 * - -: nop",
};

const EXAMPLES: [Example; 4] = [SCALE, DOT, STRAIGHT, COUNTED];

/// Whether some state tells the two schedules apart.
fn differ(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
    states: &[(State, State)],
) -> bool {
    let words = words(bundles);
    states.iter().any(|(before, after)| {
        let run = run_words(core, &words, before, 200_000);
        run.expect("engines that agree")
            .is_none_or(|(found, _)| difference(region, after, &found).is_some())
    })
}

/// Whether bundles leave another state than expected on the fast engine, for loops that take long; both engines are
/// compared on the changes of all others.
fn differ_on_fast(
    core: &Core,
    region: &Region,
    bundles: &[ScheduledBundle],
    states: &[(State, State)],
) -> bool {
    let words = words(bundles);
    states.iter().any(|(before, after)| {
        run_fast(core, &words, before, 200_000)
            .is_none_or(|found| difference(region, after, &found).is_some())
    })
}

fn words(bundles: &[ScheduledBundle]) -> Vec<BundleBits> {
    bundles.iter().map(|placed| encode(&placed.bundle)).collect()
}

fn states(core: &Core, region: &Region) -> Vec<(State, State)> {
    let dice = |seed| start(core, region, &mut Dice::new(seed));
    (0..STATES).map(|seed| dice(seed).expect("a start that keeps the promises")).collect()
}

#[test]
fn good_schedules_pass_and_do_what_the_sequential_meaning_says() {
    for example in &EXAMPLES {
        let (region, bundles) = (region(example.region), schedule(example.bundles));
        assert_eq!(check(&CP2, &region, &bundles), Ok(()), "{}", example.name);
        assert!(!differ(&CP2, &region, &bundles, &states(&CP2, &region)), "{}", example.name);
    }
}

/// Verdicts of the checker and of the engine on changed schedules.
#[derive(Default)]
struct Verdicts {
    /// Changes that matter and are found.
    found: usize,
    /// Changes that matter and pass.
    missed: Vec<String>,
    /// Changes that make no difference in the states tried: found, passed.
    harmless: [usize; 2],
}

impl Verdicts {
    fn judge(
        &mut self,
        (name, core): (&str, &Core),
        region: &Region,
        mutant: &Mutant,
        states: &[(State, State)],
    ) {
        let matters = differ(core, region, &mutant.bundles, states);
        self.add((name, core), region, mutant, matters);
    }

    /// Adds a change of which is known whether it matters.
    fn add(
        &mut self,
        (name, core): (&str, &Core),
        region: &Region,
        mutant: &Mutant,
        matters: bool,
    ) {
        let found = check(core, region, &mutant.bundles).is_err();
        match (matters, found) {
            (true, true) => self.found += 1,
            (true, false) => self.missed.push(format!("{name}: {}", mutant.what)),
            (false, found) => self.harmless[usize::from(!found)] += 1,
        }
    }
}

impl std::fmt::Display for Verdicts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (found, missed, [n_strict, n_passed]) = (self.found, self.missed.len(), self.harmless);
        write!(f, "changes that matter: {found} found, {missed} missed; ")?;
        write!(f, "others: {n_strict} found, {n_passed} passed")?;
        self.missed.iter().try_for_each(|missed| write!(f, "\n{missed}"))
    }
}

#[test]
fn changes_that_matter_are_found() {
    let mut verdicts = Verdicts::default();
    for example in &EXAMPLES {
        let (region, bundles) = (region(example.region), schedule(example.bundles));
        let states = states(&CP2, &region);
        for mutant in mutants(&CP2, &bundles) {
            verdicts.judge((example.name, &CP2), &region, &mutant, &states);
        }
    }
    println!("{verdicts}");
    assert!(verdicts.found > 400 && verdicts.missed.is_empty(), "{verdicts}");
}

#[test]
fn changes_of_made_schedules_are_found() {
    const MUTANTS: usize = 12;
    let mut verdicts = Verdicts::default();
    for number in cp2_tests::program_numbers(30) {
        let Ok(made) = cp2_asm::linear_regions("random.s", &program(number)) else { continue };
        let mut dice = Dice::new(number);
        for scheduled in &made {
            let region = &scheduled.region;
            let starts: Vec<_> =
                (0..3).filter_map(|_| start(&CP2, region, &mut dice).ok()).collect();
            let all = mutants(&CP2, &scheduled.bundles);
            for _ in 0..MUTANTS {
                let mutant = &all[dice.below(all.len())];
                verdicts.judge((&format!("program {number}"), &CP2), region, mutant, &starts);
            }
        }
    }
    println!("{verdicts}");
    // The engine tries other addresses and counts than the checker, so it may know better.
    assert!(verdicts.missed.len() * 200 <= verdicts.found, "{verdicts}");
}

/// A loop that is too long to be followed whole, and code behind it.
const LONG: &str = ".linear
    .disjoint r0, r1
    .scratch g15
    .loop 3001
    lwo %x, (r0)+3
    lwo %y, (r0)-3
    psmul %z, %x, f0
    psmadd f1, %z, %y
    swo %z, (r1)+1
    copy %w, %y
    psadd %v, %w, f1
    swo %v, (r1)-1
    .endloop
    lwo %t, (r0)+0
    psadd f2, %t, f1
    .endlinear\n";

#[test]
fn changes_of_long_loops_are_found() {
    for text in [
        LONG.to_owned(),
        LONG.replace(".loop 3001", ".loop 40\n .loop 81")
            .replace(".endloop", ".endloop\n psadd f3, f3, f1\n .endloop"),
    ] {
        let made = cp2_asm::linear_regions("long.s", &text).expect("a schedule");
        let (region, bundles) = (&made[0].region, &made[0].bundles);
        let starts: Vec<_> = (0..2)
            .map(|seed| start(&CP2, region, &mut Dice::new(seed)).expect("a start"))
            .collect();
        assert!(!differ(&CP2, region, bundles, &starts));
        let mut verdicts = Verdicts::default();
        for mutant in mutants(&CP2, bundles) {
            let matters = differ_on_fast(&CP2, region, &mutant.bundles, &starts);
            verdicts.add(("long", &CP2), region, &mutant, matters);
        }
        println!("{verdicts}");
        assert!(verdicts.found > 200 && verdicts.missed.is_empty(), "{verdicts}");
    }
}

/// Loads and stores under predicates: merged in sections, behind comparisons, in a pipelined loop.
const CONDITIONAL: &str = ".linear
    .disjoint r0, r1
    .scratch g15
    ldo %a:%b, (r2)+0
    copy %kept, f1
    .loop 12
    lwo %x, (r0)+1
    c.lt.s cc1, %x, f0
    if(cc1) clwo %x, (r0)+0
    if(cc2) cldo %a:%b, (r2)+2
    psprmsgn %u:%v, %a:%b, 0, 1, 2, 3
    psmadd %kept, %x, %u
    if(cc1) cswo %v, (r1)+0
    lwo %y, (r1)+1
    if(cc1) psadd f2, f2, %y
    .endloop
    if(cc1) csdo %u:%v, (r2)+0
    if(cc3) clwo f3, (r2)+1
    psadd f3, f3, %kept
    .endlinear\n";

#[test]
fn changes_of_conditional_schedules_are_found() {
    let extensions = Extensions::CONDITIONAL_MEMORY;
    let core = Core::new(CoreNumbers { extensions, ..*CP2.numbers() }).expect("a core");
    let made = regions(core, CONDITIONAL).expect("a schedule");
    let (region, bundles) = (&made[0].region, &made[0].bundles);
    assert!(made[0].report.blocks.iter().any(|block| block.stages > 1), "iterations overlap");
    let starts = states(&core, region);
    assert!(!differ(&core, region, bundles, &starts));
    let mut verdicts = Verdicts::default();
    for mutant in mutants(&core, bundles) {
        verdicts.judge(("conditional", &core), region, &mutant, &starts);
    }
    println!("{verdicts}");
    assert!(verdicts.found > 300 && verdicts.missed.is_empty(), "{verdicts}");
}

#[test]
fn a_long_loop_that_breaks_a_promise_late_is_refused() {
    // Both sets go through all of memory.
    let text = LONG.replace("(r1)-1", "(r1)+1").replace("(r0)-3", "(r0)+2");
    let failure = cp2_asm::linear_regions("late.s", &text).expect_err("r0 and r1 meet");
    assert_eq!(failure.diagnostics[0].code, "C0610", "{failure}");
}

#[test]
fn a_promise_that_is_missing_is_missed() {
    let text = SCALE.region.replace(".disjoint r0, r1", "");
    let faults =
        check(&CP2, &region(&text), &schedule(SCALE.bundles)).expect_err("r0 and r1 may meet");
    assert!(faults[0].message.contains("`lwo`"), "{}", faults[0]);
}

#[test]
fn faults_say_what_was_read_instead() {
    let region = region(DOT.region);
    let early = DOT.bundles.replace("f0, f10, f11", "f0, f10, f10");
    let faults = check(&CP2, &region, &schedule(&early)).expect_err("a register is wrong");
    let text = faults[0].to_string();
    assert!(text.starts_with("bundle 4: operation 1 (`psmadd`) in turn 0 reads %b"), "{text}");
    // Two bundles an iteration fewer, and the sum has not landed when it is added to.
    let short = DOT
        .bundles
        .replace("doi 10, 7", "doi 10, 5")
        .replace("        4 * - -: nop", "        2 * - -: nop");
    let faults = check(&CP2, &region, &schedule(&short)).expect_err("the sum is late");
    let text = faults[0].to_string();
    assert!(text.starts_with("bundle 4: operation 1 (`psmadd`) in turn 1 reads f0:"), "{text}");
}
