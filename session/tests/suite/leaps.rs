//! Checks with leaps over the turns of hardware loops beside the same checks in every cycle: they tell the same, and what is
//! leapt is most of a long loop.

use crate::check::{Program, tell};
use std::fmt::Write as _;

/// Empty bundles until everything has landed.
pub(crate) const WAIT: &str = " nop\n nop\n nop\n nop\n nop\n nop\n nop\n";

/// Source of numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    /// Returns the name of a register of a file, one of the first few.
    fn register(&mut self, file: char, count: u64) -> String {
        format!("{file}{}", self.below(count))
    }

    fn fpr(&mut self) -> String {
        self.register('f', 8)
    }
}

/// Operations whose result does not depend on values of undefined registers: `D`, `S`, `T` are registers.
const ARITHMETIC: [&str; 12] = [
    "psadd D, S, T",
    "psmul D, S, T",
    "cmadd D, S, T",
    "copy D, S",
    "swaphl D, S",
    "join32 D, S",
    "li0 D, 5",
    "li3 D, 5",
    "lshifti D, S, 16",
    "xor D, S, S",
    "if(cc1) copy D, S",
    "c.lt.w cc2, S, T",
];

/// Operations of the exchange half: `A` and `B` stand for the numbers of address sets, `F` an FPR, `G` and
/// `H` general registers, `W` a word, `O` a small step.
const EXCHANGE: [&str; 26] = [
    "lwo F, (rA)+O",
    "lwo F, (rA)+1",
    "lwo F, (rA)+1",
    "ldo F, (rA)+2",
    "lwnp F, (rA)+nA",
    "lwnm F, (rA)-nA",
    "lwi F, W",
    "swo F, (rA)+1",
    "swo F, (rA)+1",
    "swo F, (rA)+O",
    "sdo F, (rA)+2",
    "swnp F, (rA)+nA",
    "swi F, W",
    "updaddr (rA)+O",
    "updaddrnp (rA)+nA",
    "clr rA",
    "seti aA, W",
    "seti nA, 3",
    "seti G, 20",
    "move aA, aB",
    "move aA, G",
    "move G, aA",
    "move nA, G",
    "move G, H",
    "mtfpr F, G, all",
    "psprmsgn F, F, 0, 1, 2, 3",
];

/// Returns an operation with random operands in place of its capitals.
fn operation(random: &mut Random, all: &[&str]) -> String {
    let mut text = String::new();
    let set = random.below(4);
    for letter in random.of(all).chars() {
        text += &match letter {
            'A' => set.to_string(),
            'B' => random.below(4).to_string(),
            'D' | 'S' | 'T' | 'F' => random.fpr(),
            'G' | 'H' => random.register('g', 4),
            'W' => random.below(120).to_string(),
            'O' => random.below(3).to_string(),
            other => other.to_string(),
        };
    }
    text
}

fn bundle(random: &mut Random) -> String {
    let arithmetic = match random.below(3) {
        0 => operation(random, &ARITHMETIC),
        _ => "nop".to_owned(),
    };
    match random.below(3) {
        0 => format!("{arithmetic} | nop"),
        _ => format!("{arithmetic} | {}", operation(random, &EXCHANGE)),
    }
}

/// Returns a program with a loop in a loop: some registers are set before, all of them count behind. Of the words, 0 to 39 and
/// 80 to 119 are written, those between are an array that the kernel is to write, and those from 120 on belong to nothing.
fn program(random: &mut Random) -> String {
    let mut text = String::from(" .array y, out, uint64, 40\n section f7\n clear f1, f2\n");
    for set in 0..4 {
        let _ = writeln!(text, " seti a{set}, {}", 2 * random.below(50));
    }
    let _ = writeln!(text, " clear f{}, f4\n seti g{}, 9", random.below(4), random.below(3));
    let _ = writeln!(text, " nop\n nop\n nop\n c.lt.w cc1, f7, f2\n{WAIT} doi 2, outer");
    (0..random.below(3)).for_each(|_| text += &format!(" {}\n", bundle(random)));
    let (turns, length) = (30 + random.below(30), random.below(5));
    let _ = writeln!(text, " doi {turns}, inner");
    (0..length).for_each(|_| text += &format!(" {}\n", bundle(random)));
    let _ =
        writeln!(text, "inner: {}\n {}\nouter: nop\n nop\n{WAIT}", bundle(random), bundle(random));
    for k in 0..8 {
        let _ = writeln!(text, " | swi f{k}, {}", 90 + k);
    }
    for k in 0..4 {
        let _ = writeln!(text, " | lwo f{}, (r{k})+1\n move i{k}, g{k}\n move a{k}, g{k}", 8 + k);
        let _ = writeln!(text, " nop\n | lwo f{}, (r{k})+0", 12 + k);
    }
    text +=
        " if(cc2) copy f1, f0\n nop\n stop g3\n .lmem all\nx: .zero 40\ny: .zero 40\nz: .zero 40\n";
    text
}

#[test]
fn leaps_tell_what_a_look_at_every_cycle_tells() {
    let mut random = Random(1);
    let (mut cycles, mut unseen, mut leapt) = (0, 0, 0);
    for _ in 0..400 {
        let program = Program::of(&program(&mut random));
        let (told, over) = program.both();
        cycles += told.run.stats.cycles;
        unseen += over;
        leapt += u32::from(over > 0);
    }
    assert!(leapt > 100 && 4 * unseen > cycles, "{leapt} programs, {unseen} cycles of {cycles}");
}

/// Returns a program with a loop of so many turns: what comes before, its four bundles, and what comes behind.
fn looped(before: &str, turns: u32, body: [&str; 4], behind: &str) -> String {
    let [first, second, last, end] = body;
    format!(
        "{before}{WAIT} doi {turns}, last\n {first}\n {second}\nlast: {last}\n {end}\n{WAIT}{behind} stopi 0\n"
    )
}

/// Data of words 0 to 239, of which 100 to 139 are `y`.
const DATA: &str = " .lmem all\nx: .zero 100\ny: .zero 40\nz: .zero 100\n";

/// Results of two turns are under way where a turn begins, so the 4th is the first that begins as the one before: it and all behind
/// it are passed over, but for the last.
#[test]
fn a_long_loop_is_passed_over_but_for_its_first_turns_and_its_last() {
    let sum = |turns| {
        let before = " seti a0, 0\n clear f2, f4\n";
        let body = ["psadd f4, f4, f2 | lwo f2, (r0)+1", "nop", "nop", "nop"];
        Program::of(&(looped(before, turns, body, " swi f4, 0\n") + DATA)).both()
    };
    let (told, unseen) = sum(100);
    assert_eq!((told.codes(), told.run.stats.cycles), (vec![], 419));
    assert_eq!(unseen, 4 * 96);
    // From 32 cycles on it is worth it.
    assert_eq!([12, 11].map(|turns| sum(turns).1), [4 * 8, 0]);
}

/// The store of an undefined register into words 100 to 139 is allowed; who loads them goes on with what nothing has written.
#[test]
fn turns_count_that_load_what_is_undefined() {
    let before = " seti a0, 60\n seti a1, y\n clear f2, f3\n doi 40, fill\n nop\n\
                  fill: | swo f9, (r1)+1 @allow(C0801 \"they are for later\")\n nop\n";
    let body = ["copy f3, f2 | lwo f2, (r0)+1", "nop", "nop", "nop"];
    let told = |turns| tell(&(looped(before, turns, body, " swi f3, 0\n") + DATA));
    // The copy is of the word that the turn before has loaded.
    for (turns, codes) in
        [(41, vec![]), (42, vec!["C0801"]), (81, vec!["C0801"]), (82, vec![]), (140, vec![])]
    {
        let told = told(turns);
        assert_eq!((told.codes(), told.allowed), (codes, 40), "{turns}");
    }
    assert_eq!(told(50).findings[0].origin.as_deref(), Some("nothing has written f9"));
}

/// A counter comes to 30 in the middle of the turns: there, and only there, a register that nothing has written gets a value.
#[test]
fn turns_count_in_which_predicates_depend_on_values() {
    let before = format!(" clear f1, f7\n{WAIT} addi f6, f1, 30\n{WAIT} c.eq.w cc1, f6, f7\n");
    let body = ["inci f7, 1", "c.eq.w cc1, f6, f7", "if(cc1) copy f5, f1", "nop"];
    let told = |turns| tell(&(looped(&before, turns, body, " swi f5, 0\n") + DATA));
    assert_eq!(told(20).codes(), ["C0801"]);
    assert_eq!(told(200).codes(), [""; 0]);
}

/// A loop of linear code whose two address sets come towards each other.
#[test]
fn a_promise_that_breaks_far_on_is_found_where_it_breaks() {
    let program = |turns: u32| {
        Program::of(&format!(
            " seti a0, 0\n seti a1, 701\n seti g2, {turns}\n clear f2, f3\n{WAIT}.linear\n.scratch g15\n.disjoint r0, r1\n\
             .loop g2, min=4\n lwo %x, (r0)+1\n psadd %y, %x, %x\n psmul %y, %y, %y\n swo %y, (r1)-1\n.endloop\n\
             .endlinear\n stopi 0\n .lmem all\nx: .zero 702\n"
        ))
    };
    let (told, unseen) = program(340).both();
    assert_eq!((told.broken, told.findings), (None, vec![]));
    assert!(10 * unseen > 9 * told.run.stats.cycles, "{unseen}");
    let (told, unseen) = program(400).both();
    let (message, _) = told.broken.unwrap();
    assert!(message.contains("r0 and r1 both access word 35"), "{message}");
    assert!(10 * unseen > 9 * told.run.stats.cycles, "{unseen} {}", told.run.stats.cycles);
}

/// A quarter of all zeros decides `and`, one of ones does not: in turns 41 to 48 the undefined operand comes through.
#[test]
fn turns_count_in_which_a_mask_hides_nothing() {
    let data = " .lmem all\nx: .zero 40\n .quad -1, -1, -1, -1, -1, -1, -1, -1\nz: .zero 100\n";
    let body = ["and f3, f1, f2 | lwo f2, (r0)+1", "nop", "| swo f3, (r1)+1", "nop"];
    let told = tell(
        &(looped(" seti a1, z\n clear f2, f3\n", 90, body, "")
            .replace(" seti a1", " seti a0, x\n seti a1")
            + data),
    );
    assert_eq!((told.codes(), told.findings[0].count), (vec!["C0801"], 8));
}

/// A register that is written gets what is undefined where a predicate holds, from some turn on.
#[test]
fn turns_count_in_which_a_predicate_begins_to_hold() {
    let before = format!(
        " clear f1, f7\n clear f5, f8\n{WAIT} addi f6, f1, 30\n{WAIT} c.lt.w cc1, f6, f7\n"
    );
    let body = ["inci f7, 1", "c.lt.w cc1, f6, f7", "if(cc1) copy f5, f9", "| swi f5, 3"];
    let told = tell(&(looped(&before, 200, body, "") + DATA));
    assert_eq!((told.codes(), told.findings[0].count), (vec!["C0801"], 134));
}

/// A register that a turn makes undefined gets a value in all sections, until the predicate fails; the undefined value lands
/// before the predicated bundle issues, or behind.
#[test]
fn turns_count_in_which_a_predicate_holds_no_more() {
    let before =
        format!(" clear f1, f7\n{WAIT} addi f6, f1, 30\n{WAIT} c.lt.w cc1, f7, f6\n{WAIT}");
    for wait in [WAIT, ""] {
        let first =
            format!("inci f7, 1\n c.lt.w cc1, f7, f6\n{WAIT} copy f5, f9\n nop\n{wait} nop");
        let second = format!("if(cc1) copy f5, f1\n nop\n{WAIT}");
        let body = [first.as_str(), &second, "| swi f5, 3", "nop"];
        let told = tell(&(looped(&before, 200, body, "") + DATA));
        assert_eq!((told.codes(), told.findings[0].count), (vec!["C0801"], 170));
    }
}

/// The first bundle behind a leap is the one that breaks the promise.
#[test]
fn a_promise_that_the_first_bundle_of_a_turn_breaks_is_found_there() {
    for turns in 350..356 {
        let told = tell(&format!(
            " seti a0, 0\n seti a1, 700\n seti g2, {turns}\n clear f2, f3\n{WAIT}.linear\n.scratch g15\n.disjoint r0, r1\n\
             .loop g2, min=4\n lwo %x, (r0)+1\n psadd %y, %x, %x\n psmul %y, %y, %y\n swo %y, (r1)-1\n.endloop\n\
             .endlinear\n stopi 0\n .lmem all\nx: .zero 701\n"
        ));
        assert_eq!(told.broken.is_some(), turns > 350, "{turns}");
    }
}

/// Each turn has a predicated result where something is undefined, and moves a value of an FPR to a general register: none of
/// the two hides the other. In turn 30 the predicate holds, and f5 gets a value.
#[test]
fn turns_count_that_depend_on_values_in_two_ways() {
    let before = format!(" clear f1, f7\n{WAIT} addi f6, f1, 30\n{WAIT} c.eq.w cc1, f6, f7\n");
    let body =
        ["inci f7, 1 | mffpr g5, f1, s0", "c.eq.w cc1, f6, f7", "if(cc1) copy f5, f1", "nop"];
    let told = |turns| tell(&(looped(&before, turns, body, " swi f5, 0\n") + DATA));
    assert_eq!(told(20).codes(), ["C0801"]);
    assert_eq!(told(200).codes(), [""; 0]);
}

/// An address goes from one set to another in each turn. Words 100 to 139 hold what nothing has written.
#[test]
fn addresses_that_a_turn_copies_are_followed() {
    let before = " seti a0, 60\n seti a1, y\n clear f2, f3\n doi 40, fill\n nop\n\
                  fill: | swo f9, (r1)+1 @allow(C0801 \"they are for later\")\n nop\n";
    let body = ["| move a1, a0", "copy f3, f2 | lwo f2, (r1)+1\n nop", "| updaddr (r0)+1", "nop"];
    for (turns, codes) in [(41, vec![]), (42, vec!["C0801"]), (81, vec!["C0801"]), (82, vec![])] {
        let (told, unseen) =
            Program::of(&(looped(before, turns, body, " swi f3, 0\n") + DATA)).both();
        assert_eq!(told.codes(), codes, "{turns}");
        assert!(unseen > 100, "{turns}: {unseen}");
    }
}

/// The second of three turns is the only one that can be passed over.
#[test]
fn one_turn_is_passed_over_if_it_is_long_enough() {
    let unseen = |turns, bundles: usize| {
        let rest = vec!["nop"; bundles - 3].join("\n ");
        Program::of(&looped("", turns, ["nop", &rest, "nop", "nop"], "")).both().1
    };
    assert_eq!([3, 2].map(|turns| unseen(turns, 32)), [32, 0]);
    assert_eq!(unseen(3, 31), 0);
}

/// The predicate is defined, and both condition codes were written before: nothing is undefined that values could decide.
#[test]
fn predicated_comparisons_of_what_is_written_are_passed_over() {
    let before = format!(
        " clear f1, f2\n{WAIT} c.eq.w cc1, f1, f2\n{WAIT} c.lt.w cc4, f1, f2\n{WAIT}{WAIT}"
    );
    let body = ["if(cc1) c.lt.w cc4, f1, f2", "nop", "nop", "nop"];
    let (told, unseen) = Program::of(&looped(&before, 100, body, "")).both();
    assert_eq!(told.codes(), [""; 0]);
    assert!(10 * unseen > 6 * told.run.stats.cycles, "{unseen} of {}", told.run.stats.cycles);
}

/// Every turn of the outer loop loads word 300 and copies what the turn before has loaded. The inner loop stores to four words,
/// two of them in turns that are passed over; word 300 is one of them from the third turn on. So the fourth turn is another
/// than the third, although all registers come back.
#[test]
fn what_turns_inside_define_makes_another_turn_of_the_loop_around_them() {
    let text = format!(
        " seti a1, 400\n seti a2, 400\n seti a3, 300\n seti a5, 0\n clear f1, f2\n{WAIT} doi 8, outer\n copy f6, f5 | lwi f5, 300\n\
         {WAIT} | move a5, a1\n | move a1, a2\n | move a2, a3\n nop\n doi 4, inner\n | swo f1, (r5)+1\n{WAIT}{WAIT}{WAIT}\
         inner: nop\n nop\n | seti a5, 0\nouter: nop\n nop\n{WAIT} | swi f6, 0\n stopi 0\n"
    );
    let (told, unseen) = Program::of(&text).both();
    assert_eq!(told.codes(), [""; 0]);
    assert!(unseen > 0, "{unseen}");
}
