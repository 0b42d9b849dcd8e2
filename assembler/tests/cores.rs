//! Limits of cores other than CP2 in the assembler and the linter, each with its neighbour that is
//! still allowed.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_asm::{
    Assembled, Image, Options, Sources, assemble_regions, disassemble, hex, object_file,
};
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_lint as lint;

fn small() -> Core {
    let numbers = CoreNumbers {
        fprs: 16,
        local_memory_words: 1024,
        instruction_memory_bundles: 64,
        loop_stack: 2,
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).unwrap()
}

fn assemble(core: Core, text: &str) -> Result<Assembled, Vec<(&'static str, String)>> {
    let mut sources = Sources::default();
    let root = sources.add("text.s", text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core, ..Options::default() };
    assemble_regions(&mut sources, &[root], &mut none, options)
        .map_err(|all| all.into_iter().map(|d| (d.code, d.message)).collect())
}

/// Returns the first complaint about a text on the small core, which CP2 has no complaint about.
fn refused(text: &str) -> (&'static str, String) {
    assert!(assemble(Core::CP2, text).is_ok(), "{text}");
    assemble(small(), text).unwrap_err().remove(0)
}

#[test]
fn instruction_memory_ends_where_that_of_the_core_does() {
    assert!(assemble(small(), ".rept 64\n nop\n.endr\n").is_ok());
    let (code, message) = refused(".rept 65\n nop\n.endr\n");
    assert_eq!(code, "C0413");
    assert!(message.contains("has 64 bundles"), "{message}");
}

#[test]
fn local_memory_ends_where_that_of_the_core_does() {
    assert!(assemble(small(), " nop\n.lmem all\n .zero 1024\n").is_ok());
    let (code, message) = refused(" nop\n.lmem all\n .zero 1025\n");
    assert_eq!(code, "C0414");
    assert!(message.contains("has 1024 words"), "{message}");
}

#[test]
fn registers_end_where_those_of_the_core_do() {
    assert!(assemble(small(), " psadd f15, f1, f2\n").is_ok());
    refused(" psadd f16, f1, f2\n");
    assert!(assemble(small(), ".linear\n psadd f15, f1, f2\n.endlinear\n").is_ok());
    refused(".linear\n psadd f16, f1, f2\n.endlinear\n");
}

#[test]
fn loops_nest_as_deep_as_the_stack_of_the_core() {
    let nest = |depth: usize| {
        let body = " lwo %x, (r0)+1\n psadd f1, f1, %x\n";
        format!(
            ".linear\n{}{body}{}.endlinear\n",
            ".loop 3\n".repeat(depth),
            ".endloop\n".repeat(depth)
        )
    };
    assert!(assemble(small(), &nest(2)).is_ok());
    let (_, message) = refused(&nest(3));
    assert!(message.contains("more than 2 loops"), "{message}");
}

#[test]
fn the_linter_counts_the_loops_of_the_core() {
    let text = " doi 2, a\n nop\n doi 2, b\n nop\n doi 2, c\n nop\n nop\nc: nop\n nop\n nop\nb: nop\n nop\n nop\na: nop\n nop\n stopi 0\n";
    let image = assemble(Core::CP2, text).unwrap().image;
    let codes = |core: Core| -> Vec<String> {
        let options = lint::Options { core, undefined: false };
        lint::lint_for(&image, &options).iter().map(|f| f.message.clone()).collect()
    };
    let deep = |found: &[String]| found.iter().any(|text| text.contains("the stack holds 2"));
    assert!(deep(&codes(small())), "{:?}", codes(small()));
    assert!(!codes(Core::CP2).iter().any(|text| text.contains("the stack holds")));
}

fn with(change: impl FnOnce(&mut CoreNumbers)) -> Core {
    let mut numbers = *Core::CP2.numbers();
    change(&mut numbers);
    Core::new(numbers).unwrap()
}

fn image(core: Core, text: &str) -> Image {
    assemble(core, text).unwrap().image
}

/// Returns codes and messages of the findings of a text that is assembled for a core and meant for another.
fn findings(made_for: Core, meant_for: Core, text: &str) -> Vec<(&'static str, String)> {
    let options = lint::Options { core: meant_for, undefined: true };
    let found = lint::lint_for(&image(made_for, text), &options);
    found.into_iter().map(|f| (f.code, format!("{}; {}; {}", f.message, f.label, f.help))).collect()
}

fn text_of(found: &[(&'static str, String)], code: &str) -> Option<String> {
    found.iter().find(|(c, _)| *c == code).map(|(_, text)| text.clone())
}

#[test]
fn directives_name_registers_of_the_core() {
    assert!(assemble(small(), ".kernel k\n .live f15\n stopi 0\n").is_ok());
    let (code, message) = refused(".kernel k\n .live f16\n stopi 0\n");
    assert_eq!(code, "C0304");
    assert!(message.contains("f0 to f15"), "{message}");
}

#[test]
fn hex_has_as_many_bundles_as_the_core() {
    let text = |n: usize| "0000000000000000\n".repeat(n);
    assert!(hex::read_str("p.hex", &text(64), &small()).is_ok());
    let failure = hex::read_str("p.hex", &text(65), &small()).unwrap_err();
    assert!(failure.diagnostics[0].message.contains("64 bundles"), "{failure}");
    assert!(hex::read_str("p.hex", &text(65), &Core::CP2).is_ok());
}

#[test]
fn objects_fit_the_memories_of_the_core() {
    let object = |text: &str| object_file::write(&image(Core::CP2, text)).unwrap();
    let full = object(".rept 64\n nop\n.endr\n.lmem all\n.org 1023\n .quad 1\n");
    assert!(object_file::read(&full, &small()).is_ok());
    for text in [".rept 65\n nop\n.endr\n", " nop\n.lmem all\n.org 1024\n .quad 1\n"] {
        assert!(object_file::read(&object(text), &Core::CP2).is_ok());
        assert!(object_file::read(&object(text), &small()).is_err(), "{text}");
    }
}

#[test]
fn objects_name_banks_and_registers_of_the_core() {
    let four = with(|n| n.banks = 4);
    let object =
        object_file::write(&image(four, ".kernel k\n .live f20\n.dmabank 3\n stopi 0\n")).unwrap();
    let back = object_file::read(&object, &four).unwrap();
    assert_eq!(back.hints.dma_banks.values().copied().collect::<Vec<u8>>(), [8]);
    assert!(object_file::read(&object, &Core::CP2).is_err());
    assert!(object_file::read(&object, &with(|n| (n.banks, n.fprs) = (4, 20))).is_err());
    assert!(object_file::read(&object, &with(|n| (n.banks, n.fprs) = (4, 21))).is_ok());
}

#[test]
fn a_listing_shows_what_the_core_has() {
    let text = disassemble(&image(Core::CP2, " copy f15, f1\n copy f16, f1\n"), &small());
    assert!(text.contains("copy f15, f1") && !text.contains("copy f16, f1 "), "{text}");
    assert!(text.contains("@allow(C0310)"), "{text}");
    let four = with(|n| n.banks = 4);
    let source = ".kernel k\n.dmabank 2\n nop\n.dmabank all\n stopi 0\n";
    let text = disassemble(&image(four, source), &four);
    assert!(text.contains(".dmabank 2") && text.contains(".dmabank all"), "{text}");
    assert_eq!(image(four, &text).hints, image(four, source).hints);
}

#[test]
fn banks_are_those_of_the_core() {
    let four = with(|n| n.banks = 4);
    assert!(assemble(four, ".dmabank 3\n stopi 0\n").is_ok());
    assert!(assemble(four, ".dmabank 4\n stopi 0\n").is_err());
    assert!(assemble(Core::CP2, ".dmabank 2\n stopi 0\n").is_err());
    // Word 2048 is the first of the second of four banks, and in the first of two.
    let at =
        |word: u32, bank: u32| format!(".kernel k\n.dmabank {bank}\n swi f1, {word}\n stopi 0\n");
    let clash = |core: Core, text: &str| text_of(&findings(core, core, text), "C0507");
    assert!(clash(four, &at(2048, 1)).is_some_and(|t| t.contains("word 2048 of bank 1")));
    assert!(clash(four, &at(2047, 1)).is_none());
    assert!(clash(Core::CP2, &at(2048, 1)).is_none());
    assert!(clash(Core::CP2, &at(2048, 0)).is_some());
    // An address that is stepped round the end of a small memory comes to its first bank.
    let round = ".kernel k\n clr r1\n seti a1, 1023\n.dmabank 0\n lwo f1, (r1)+1\n swo f2, (r1)\n stopi 0\n";
    let tiny = with(|n| n.local_memory_words = 1024);
    assert!(clash(tiny, round).is_some_and(|t| t.contains("word 0 of bank 0")));
    assert!(clash(Core::CP2, round).is_some_and(|t| t.contains("word 1023 of bank 0")));
}

/// Where a section's own address points only the run knows: in one free bank perhaps, in none if both are taken.
#[test]
fn section_addresses_may_be_in_any_bank() {
    let core = with(|n| n.extensions = cp2_isa::Extensions::SECTION_ADDRESSING);
    let at = |line: &str, banks: &str| {
        let text = format!(".kernel k\n mtsa r3, f1.lo\n.dmabank {banks}\n {line}\n stopi 0\n");
        text_of(&findings(core, core, &text), "C0507")
    };
    for line in ["lwsa f2, (r3)", "sdsa f2, (r3)+2", "lwfa f2, f1.hi"] {
        assert!(at(line, "0").is_none() && at(line, "1").is_none(), "{line}");
        assert!(at(line, "both").is_some_and(|text| text.contains("local memory")), "{line}");
    }
    assert!(at("setsa r3, g1", "both").is_none(), "nothing is accessed");
}

#[test]
fn jumps_through_registers_stay_in_the_memory_of_the_core() {
    let text = " seti g1, 100\n jump g1\n nop\n.org 100\n seti m1, 0\n lwo f1, (r1)-1\n stopi 0\n";
    let told = |core: Core| text_of(&findings(Core::CP2, core, text), "C0520");
    assert!(told(Core::CP2).is_some_and(|t| !t.contains("may")), "the run comes to bundle 100");
    assert!(told(with(|n| n.instruction_memory_bundles = 101)).is_none_or(|t| t.contains("may")));
}

#[test]
fn texts_print_the_numbers_of_the_core() {
    let small = with(|n| n.local_memory_words = 1024);
    let wide = " seti g1, 0x400\n move a1, g1\n move g2, a1\n stopi 0\n";
    let told = |core: Core, text: &str, code: &str| text_of(&findings(core, core, text), code);
    assert!(
        told(small, wide, "C0524").is_some_and(|t| t.contains("here 10") && t.contains("1024"))
    );
    assert!(told(Core::CP2, wide, "C0524").is_none());
    let back = " clr r1\n seti m1, 0\n lwo f1, (r1)-2\n stopi 0\n";
    assert!(told(small, back, "C0520").is_some_and(|t| t.contains("modulo 1024")));
    assert!(told(Core::CP2, back, "C0520").is_some_and(|t| t.contains("modulo 8192")));
}

/// The distance at which an arithmetic result and a load meet, and who wins.
#[test]
fn collisions_are_where_the_latencies_of_the_core_put_them() {
    let slow = with(|n| (n.arithmetic_latency, n.load_latency) = (12, 6));
    let text = |gap: usize| format!(" copy f1, f2\n{} lwi f1, 9\n stopi 0\n", " nop\n".repeat(gap));
    let code = |core: Core, gap| {
        let found = findings(core, core, &text(gap));
        found.iter().map(|(code, _)| *code).find(|code| matches!(*code, "C0502" | "C0503"))
    };
    assert_eq!((code(slow, 5), code(slow, 4), code(slow, 6)), (Some("C0502"), Some("C0503"), None));
    assert_eq!((code(Core::CP2, 4), code(Core::CP2, 5)), (Some("C0502"), None));
    let message = text_of(&findings(slow, slow, &text(5)), "C0502").unwrap();
    assert!(
        message.contains("arithmetic result stays") && message.contains("5 bundles on"),
        "{message}"
    );
    // A permutation that is slower than a load loses nothing to it.
    let slow = with(|n| n.psprmsgn_latency = 5);
    let text = " psprmsgn0 f1, f4, 0, 1, 2, 3\n nop\n lwi f1, 9\n stopi 0\n";
    let message = text_of(&findings(slow, slow, text), "C0502").unwrap();
    assert!(message.contains("the older, permuted result stays"), "{message}");
}

fn with_fprs(fprs: u32) -> Core {
    Core::new(CoreNumbers { fprs, ..*Core::CP2.numbers() }).unwrap()
}

/// Words that a core has no meaning for are kept where that is meant, and the object is one that the core reads.
#[test]
fn objects_with_words_that_are_kept_as_undefined_are_those_of_the_core() {
    let of_an_extension = " .bundle 0x000000001c62bfff @allow(C0310)\n stopi 0\n";
    let of_f128 = " .bundle 0x0500000000000000, 2 @allow(C0310)\n stopi 0\n";
    for (core, text) in [(Core::CP2, of_an_extension), (with_fprs(128), of_f128)] {
        let image = image(core, text);
        let object = object_file::write(&image).unwrap();
        assert_eq!(object_file::read(&object, &core).unwrap(), image, "{text}");
    }
}

/// Bundles of two words as text, `.hex` and objects, and what machines without such registers say.
#[test]
fn bundles_that_name_more_registers_have_two_words() {
    let text = " add f200, f100, f1 | lwi f64, 5\n nop\n psadd f1, f2, f3\n stopi 0\n";
    let [large, middle] = [256, 128].map(with_fprs);
    let image = assemble(large, text).unwrap().image;
    assert_eq!(image.kernels[0].words[0] >> 64, 0b01_00_00_01_11);
    assert_eq!(image.requires, Extensions::MORE_FPRS);
    assert_eq!(image.last_fpr(), Some(200));

    let again = assemble(large, &disassemble(&image, &large)).unwrap().image;
    assert_eq!(again.kernels[0].words, image.kernels[0].words);
    let digits = hex::write(&image);
    assert_eq!(digits.lines().map(str::len).collect::<Vec<_>>(), [32, 16, 16, 16]);
    let read = hex::read_str("k.hex", &digits, &large).unwrap();
    assert_eq!(read.kernels[0].words, image.kernels[0].words);
    let refused = hex::read_str("k.hex", &digits, &Core::CP2).unwrap_err().to_string();
    assert!(refused.contains("32 digits, a bundle of two words, which `--enable"), "{refused}");

    let object = object_file::write(&image).unwrap();
    assert_eq!(object_file::read(&object, &large).unwrap(), image);
    let refused = |core| object_file::read(&object, &core).unwrap_err().to_string();
    assert_eq!(
        refused(Core::CP2),
        "the object needs more-fprs, which this machine does not have; `--enable more-fprs=128` [C0460]"
    );
    assert_eq!(
        refused(middle),
        "the object uses f200, and this machine has f0 to f127; `--enable more-fprs=256` [C0460]"
    );
    // What names f0 to f63 is as on CP2.
    let plain = " add f20, f10, f1 | lwi f63, 5\n stopi 0\n";
    let [wide, usual] = [large, Core::CP2].map(|core| assemble(core, plain).unwrap().image);
    assert_eq!(object_file::write(&wide).unwrap(), object_file::write(&usual).unwrap());
}
