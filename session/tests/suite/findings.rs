//! What a checked run is found fault with, in words: the place, the value and where it came from, the first cycle.

use crate::check::{Program, first, tell};
use crate::leaps::WAIT;
use cp2_isa::{Core, CoreNumbers, Extensions, RunCycle, Storage};

/// Returns a program with an array `y` at words of which it has no data, an array `x` with data, and a table of no array.
fn arrays(body: &str) -> String {
    format!(
        " .array y, out, uint64, 8, at=300\n .array x, inout, uint64, 6\n clear f1, f2\n{WAIT}{body} stopi 0\n .lmem all\n\
         table: .zero 10\nx: .zero 6\n"
    )
}

/// Bundles that store into all of `y`, so that no result is undefined.
const FILL: &str = " seti a9, 300\n doi 8, fill\n nop\nfill: | swo f1, (r9)+1\n nop\n";

#[test]
fn stores_stay_in_arrays_and_data() {
    let stored = |words: &str| {
        let stores: String = words.split(' ').map(|word| format!(" swi f1, {word}\n")).collect();
        tell(&arrays(&format!("{FILL}{stores}")))
    };
    assert_eq!(stored("300 307 0 9 10 15").codes(), [""; 0]);
    for (word, near) in [
        ("299", "1 word before the start of y"),
        ("290", "10 words before the start of y"),
        ("308", "1 word after the end of y"),
        ("8191", "7884 words after the end of y"),
        ("16", "1 word after the end of x"),
        ("20", "5 words after the end of x"),
        ("150", "135 words after the end of x"),
        ("160", "140 words before the start of y"),
    ] {
        let told = stored(word);
        assert_eq!(told.codes(), ["C0806"]);
        assert_eq!(
            told.message(),
            format!(
                "`swi f1, {word}` stores into word {word} ({near}), which is neither an array nor data of the program"
            )
        );
    }
}

#[test]
fn a_word_is_named_by_its_element_or_its_label() {
    let stored = |word: usize| {
        let told = tell(&arrays(&format!("{FILL} swi f9, {word}\n")));
        let of_store = told.findings.iter().find(|finding| finding.code == "C0801").unwrap();
        assert_eq!(of_store.origin.as_deref(), Some("nothing has written f9"));
        let element = of_store.element.as_ref().map(|e| (e.index.clone(), e.word));
        (of_store.message.clone(), element)
    };
    for (word, name, element) in [
        (0, "table", None),
        (9, "table + 9", None),
        (12, "x[2]", Some((vec![2], 12))),
        (307, "y[7]", Some((vec![7], 307))),
    ] {
        let message = format!(
            "`swi f9, {word}` stores f9, undefined in every section, into word {word} ({name})"
        );
        assert_eq!(stored(word), (message, element));
    }
}

#[test]
fn a_word_that_is_given_may_be_loaded_and_stored_to() {
    let text = |word: usize| {
        arrays(&format!("{FILL} lwi f3, {word}\n nop\n nop\n swi f3, 0\n swi f1, {word}\n"))
    };
    let given = [((Storage::Lmem, 400), None), ((Storage::Lmem, 401), Some(2))];
    let told = |word| Program::of(&text(word)).given(&given).both().0;
    assert_eq!(told(400).codes(), [""; 0]);
    assert_eq!(told(402).codes(), ["C0801", "C0806"]);
    // A word of one section belongs to the program, and is undefined in the others.
    let one = told(401);
    assert_eq!(
        one.message(),
        "`swi f3, 0` stores f3, undefined in sections 0, 1, 3, into word 0 (table)"
    );
}

/// Returns a core with the extensions whose operations checks have rules for.
fn extended() -> Core {
    let extensions =
        Extensions::SECTION_ADDRESSING | Extensions::WORD_ACCESS | Extensions::SHARED_MEMORY;
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap()
}

#[test]
fn a_register_is_told_by_its_name() {
    let never = |name: &str| Some(format!("nothing has written {name}"));
    let address = |operation: &str, name: &str| {
        format!("`{operation}` takes its address from {name}, which is undefined")
    };
    let flow = |operation: &str, name: &str| {
        format!(
            "`{operation}` uses {name}, which is undefined, as a count, as a bundle address or as a control register"
        )
    };
    let out = |operation: &str, name: &str| {
        format!("`{operation}` returns {name}, which is undefined, to the host")
    };
    let predicate = "cc3 decides which sections execute, but is undefined in every section";
    let shared = "the shared address of r3";
    let own = "the section addresses of r3";
    for (bundle, code, message, register) in [
        ("lqbo f1, (r3)+1", "C0803", address("lqbo f1, (r3)+1", shared), shared),
        ("lwsa f1, (r3)+1", "C0803", address("lwsa f1, (r3)+1", own), own),
        ("lwfa f1, f5.lo", "C0803", address("lwfa f1, f5.lo", "f5"), "f5"),
        ("lwo f1, (r3)+1", "C0803", address("lwo f1, (r3)+1", "a3"), "a3"),
        ("lhgnp f1.lo, (r9)+n9, g2", "C0803", address("lhgnp f1.lo, (r9)+n9, g2", "g2"), "g2"),
        ("do g2, end", "C0804", flow("do g2, 4", "g2"), "g2"),
        ("move lc, i4", "C0804", flow("move lc, i4", "the loop registers"), "i4"),
        ("move control, g2", "C0804", flow("move control, g2", "control"), "g2"),
        ("move comm, g2", "C0805", out("move comm, g2", "comm"), "g2"),
        ("move status, rstep", "C0805", out("move status, rstep", "status"), "rstep"),
        ("stop g2", "C0805", out("stop g2", "g2"), "g2"),
        ("if(cc3) clear f1, f2", "C0802", predicate.to_owned(), "cc3"),
    ] {
        let text = format!(" seti a9, 0\n nop\n {bundle}\n nop\nend: nop\n nop\n stopi 0\n");
        let told = Program::new(&extended(), &text).both().0;
        assert_eq!(told.codes(), [code], "{bundle}");
        assert_eq!(told.message(), message);
        assert_eq!(told.findings[0].origin, never(register), "{bundle}");
        assert_eq!(first(&told), RunCycle(2), "{bundle}");
    }
}

#[test]
fn two_words_at_an_odd_address_begin_at_the_even_one_before() {
    for (odd, even) in [(7, "6 (x + 6)"), (1, "0 (x)")] {
        let text =
            format!(" seti a3, {odd}\n nop\n | ldo f2, (r3)+2\n stopi 0\n .lmem all\nx: .zero 8\n");
        let told = tell(&text);
        assert_eq!(told.codes(), ["C0807"]);
        assert_eq!(
            told.message(),
            format!(
                "`ldo f2, (r3)+2` moves two words at the odd address {odd}; they begin at word {even}"
            )
        );
    }
}

/// The store is bundle 11 and issues first in cycle 11, once in each of 12 turns.
#[test]
fn a_finding_has_its_first_cycle_and_its_count() {
    let text = format!(
        " .array y, out, uint64, 12\n seti a1, y\n clear f1, f2\n{WAIT} doi 12, last\n nop\nlast: | swo f9, (r1)+1\n nop\n\
         {WAIT} swi f1, 0\n stopi 0\n .lmem all\ny: .zero 12\n"
    );
    let told = tell(&text);
    assert_eq!(told.codes(), ["C0801"]);
    assert_eq!((first(&told), told.findings[0].count), (RunCycle(11), 12));
    assert_eq!(told.findings[0].place.as_deref(), Some("t.s:13:7"));
    assert_eq!(
        told.findings[0].to_string(),
        "t.s:13:7: `swo f9, (r1)+1` stores f9, undefined in every section, into word 0 (y[0]) [C0801], 12 times; \
         nothing has written f9"
    );
}
