//! Checked runs of values that are undefined in part: in some sections, in some quarters; what of them goes through shared
//! memory, addresses and counts.

use crate::check::{Given, Program, Told};
use crate::leaps::WAIT;
use cp2_isa::{Core, CoreNumbers, Extensions, SECTIONS, Storage};

/// Returns a core with the extensions whose operations check sections apart.
fn core() -> Core {
    let extensions =
        Extensions::SECTION_ADDRESSING | Extensions::SECTION_COUNTERS | Extensions::SHARED_MEMORY;
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap()
}

/// Checks a program in which f5 has been written in all sections but for one.
fn without(section: usize, text: &str) -> Told {
    let others = (0..SECTIONS).filter(|s| *s != section);
    let given: Vec<Given> = others.map(|s| ((Storage::Fpr, 5), Some(s))).collect();
    Program::new(&core(), text).given(&given).both().0
}

#[test]
fn a_word_of_an_array_is_named_by_the_element_of_the_section() {
    let text = " .array w, inout, uint64, 4*4, layout=blocks\n | swi f5, 1\n stopi 0\n .lmem all\nw: .zero 4\n";
    for section in 0..SECTIONS {
        let (told, index) = (without(section, text), 4 * section + 1);
        assert_eq!(
            told.findings[0].message,
            format!(
                "`swi f5, 1` stores f5, undefined in section {section}, into word 1 (w[{index}])"
            )
        );
        let element = told.findings[0].element.as_ref().unwrap();
        assert_eq!((&element.index[..], element.section), (&[index][..], Some(section)));
    }
}

/// Only one section has an odd address.
#[test]
fn an_odd_address_of_a_section_is_told_with_its_element() {
    for section in 0..SECTIONS {
        let text = format!(
            " .array w, in, uint64, 4*4, layout=blocks\n clear f1, f2\n seti g1, 3\n nop\n{WAIT} mtfpr f1, g1, s{section}\n\
             {WAIT} mtsa r3, f1.lo\n nop\n | ldsa f2, (r3)+2\n stopi 0\n .lmem all\nw: .zero 4\n"
        );
        let told = Program::new(&core(), &text).both().0;
        assert_eq!(told.codes(), ["C0807"]);
        assert_eq!(
            told.message(),
            format!(
                "`ldsa f2, (r3)+2` moves two words at the odd address 3; they begin at word 2 (w[{}])",
                4 * section + 2
            )
        );
    }
}

/// One section has an undefined address; the load executes in one section.
#[test]
fn an_address_of_a_section_counts_where_the_section_executes() {
    for (undefined, executing, half) in (0..SECTIONS)
        .flat_map(|a| (0..SECTIONS).flat_map(move |b| ["lo", "hi"].map(move |half| (a, b, half))))
    {
        let text = format!(
            " section f7\n clear f1, f2\n{WAIT} addi f2, f1, {executing}\n{WAIT} c.eq.w cc1, f7, f2\n{WAIT} mtsa r3, f5.{half}\n\
             nop\n if(cc1) | mlwsa f3, (r3)+0\n stopi 0\n .lmem all\nw: .zero 4\n"
        );
        let told = without(undefined, &text);
        let expected = if undefined == executing { vec!["C0803"] } else { vec![] };
        assert_eq!(told.codes(), expected, "{undefined} {executing} {half}");
    }
}

/// Bits 15:0 of g2 are written, or bits 31:16, or none.
#[test]
fn an_address_is_the_low_quarter_of_a_general_register_and_a_count_the_low_half() {
    let told = |quarters: &[u32], behind: &str| {
        let quarters: String = quarters.iter().map(|q| format!(" li{q} f5, 2\n{WAIT}")).collect();
        let text = format!(
            "{quarters} | mffpr g2, f5, s0\n nop\n nop\n nop\n{behind} stop g2\n .lmem all\nw: .zero 9\n"
        );
        Program::new(&core(), &text).both().0.codes()
    };
    let address = " setsa r3, g2\n nop\n | lwsa f1, (r3)+0\n";
    assert_eq!(told(&[0], address), ["C0805"]);
    assert_eq!(told(&[1], address), ["C0803", "C0805"]);
    let set = " move a1, g2\n nop\n | lwo f1, (r1)+0\n";
    assert_eq!(told(&[0], set), ["C0805"]);
    assert_eq!(told(&[1], set), ["C0803", "C0805"]);
    // A count that is undefined is told once, and defined from there on.
    let count = " do g2, last\n nop\nlast: nop\n nop\n";
    assert_eq!(told(&[0], count), ["C0804"]);
    assert_eq!(told(&[], ""), ["C0805"]);
}

/// Of g2 the bits 31:0 are written, which are the count; those above are handed to the host.
#[test]
fn a_count_whose_low_half_is_written_defines_nothing_above_it() {
    let text = format!(
        " clear f5, f6\n{WAIT} li0 f9, 3\n{WAIT} li1 f9, 0\n{WAIT} | mffpr g2, f9, s0\n nop\n nop\n nop\n do g2, last\n nop\n\
         last: nop\n nop\n stop g2\n"
    );
    assert_eq!(Program::of(&text).both().0.codes(), ["C0805"]);
}

#[test]
fn shared_memory_keeps_what_is_undefined_of_each_section_if_that_is_allowed() {
    let text = |allow: &str| {
        format!(
            " | sqi f5, 16{allow}\n nop\n | lqi f6, 16\n nop\n nop\n nop\n | swi f6, 0\n stopi 0\n .lmem all\nw: .zero 4\n"
        )
    };
    for section in 0..SECTIONS {
        let told = without(section, &text(" @allow(C0801 \"it is for later\")"));
        assert_eq!((told.codes(), told.allowed), (vec!["C0801"], 1));
        assert_eq!(
            told.message(),
            format!("`swi f6, 0` stores f6, undefined in section {section}, into word 0 (w)")
        );
        assert_eq!(told.findings[0].origin.as_deref(), Some("nothing has written f5"));
        let told = without(section, &text(""));
        assert_eq!((told.codes(), told.allowed), (vec!["C0801"], 0));
        assert!(told.message().starts_with("`sqi f5, 16` stores f5"), "{}", told.message());
    }
    let all = Program::new(&core(), &text("")).given(&[((Storage::Fpr, 5), None)]).both().0;
    assert_eq!(all.codes(), [""; 0]);
}

/// The copy of what is undefined issues first. The load lands before it, in the same cycle, or behind it.
#[test]
fn of_results_that_land_in_one_cycle_the_arithmetic_one_stays() {
    let told = |between: usize| {
        let between = " nop\n".repeat(between);
        let text = format!(
            " copy f1, f9\n{between} | lwi f1, 0\n{WAIT} | swi f1, 0\n stopi 0\n .lmem all\nw: .zero 4\n"
        );
        Program::of(&text).both().0.codes()
    };
    assert_eq!(told(3), ["C0801"]);
    assert_eq!(told(4), ["C0801"]);
    assert_eq!(told(5), [""; 0]);
}

/// The kernel fills six of the ten words that are kept at the label of its array.
#[test]
fn space_behind_an_array_is_not_for_stores_up_to_the_next_label() {
    for (word, codes) in
        [(0, vec![]), (5, vec![]), (6, vec!["C0806"]), (9, vec!["C0806"]), (10, vec![])]
    {
        let text = format!(
            " .array x, inout, uint64, 6\n clear f1, f2\n{WAIT} | swi f1, {word}\n stopi 0\n .lmem all\nx: .zero 10\nz: .zero 4\n"
        );
        assert_eq!(Program::of(&text).both().0.codes(), codes, "{word}");
    }
}

/// The scheduler makes several bundles of the store, in the loop and behind it.
#[test]
fn what_a_scheduler_made_of_one_line_is_one_finding() {
    let text = " seti a0, 0\n seti a1, 40\n seti g2, 12\n clear f2, f3\n .linear\n .scratch g15\n\
                .disjoint r0, r1\n .loop g2, min=8\n\
                lwo %x, (r0)+1\n psadd %y, %x, f9\n psmul %y, %y, f9\n swo %y, (r1)+1\n .endloop\n .endlinear\n stopi 0\n\
                .lmem all\nx: .zero 80\n";
    let told = Program::of(text).both().0;
    assert_eq!((told.codes(), told.findings[0].count), (vec!["C0801"], 12));
    assert_eq!(told.findings[0].place.as_deref(), Some("t.s:12:2"));
}

/// The line that is repeated is one place with two bundles; of the arrays, which the bundle that stops is told of, each is one
/// finding.
#[test]
fn results_of_one_place_are_one_finding_and_each_array_is_another() {
    let array = |name: &str| format!(" .array {name}, out, uint64, 3\n");
    let text = format!(
        "{}{} .rept 2\n | move comm, g2\n .endr\n nop\n stopi 0\n .lmem all\nx: .zero 3\ny: .zero 3\n",
        array("x"),
        array("y")
    );
    let told = Program::of(&text).both().0;
    let all = told.findings.iter().map(|f| {
        let element = f.element.as_ref();
        (f.code, f.count, element.map(|element| element.array.as_str()))
    });
    let expected = [("C0805", 2, None), ("C0805", 3, Some("x")), ("C0805", 3, Some("y"))];
    assert_eq!(all.collect::<Vec<_>>(), expected);
}
