//! What of an image no file test shows: kernels, kinds of symbols, marks, lines, sizes. What the language
//! means, feature by feature, is in `tests/files/language/`.

use crate::harness::{bundles, image};
use cp2_asm::assemble_str;
use cp2_asm::image::SymbolKind;
use cp2_isa::{Arith, BundleAddress, Core, Exch};

#[test]
fn a_byte_order_mark_and_carriage_returns_do_not_matter() {
    assert_eq!(bundles("\u{feff}nop\r\nnop\r\n"), ["nop", "nop"]);
}

#[test]
fn very_long_expressions_and_chains_are_no_danger() {
    let sum = format!(".equ x, {}0\nnop\n", "1 + ".repeat(100_000));
    assert_eq!(image(&sum).symbol("x"), Some(100_000));
    let signs = format!(".equ x, {}1\nnop\n", "-".repeat(100_000));
    assert_eq!(image(&signs).symbol("x"), Some(1));
    let mut chain: String = (0..5000).map(|i| format!(".equ x_{}, x_{i} + 1\n", i + 1)).collect();
    chain = format!(".equ x_0, 0\n{chain}nop\n");
    assert_eq!(image(&chain).symbol("x_5000"), Some(5000));
}

#[test]
fn a_label_is_a_new_one_in_every_call_of_a_macro() {
    let image = image(".macro m\nskip\\@: nop\n.endm\n m\n m\n");
    let labels: Vec<_> = image.symbols.iter().filter(|s| s.name.starts_with("skip")).collect();
    assert_eq!(labels.len(), 2);
    assert_ne!(labels[0].name, labels[1].name);
}

#[test]
fn kernels_follow_each_other() {
    let image =
        image(".kernel a\nnop\n.kernel b\nback: nop\njumpi back\nnop\n.kernel c\n.org 100\nnop\n");
    let kernels: Vec<_> =
        image.kernels.iter().map(|k| (k.name.as_str(), k.start.0, k.words.len())).collect();
    assert_eq!(kernels, [("a", 0, 1), ("b", 1, 3), ("c", 100, 1)]);
    assert_eq!(image.symbol("c"), Some(100));
    assert_eq!(image.kernels[1].words[1], 0x1400_0001);
    assert!(image.symbols.iter().filter(|s| s.name.len() == 1).all(|s| s.global));
}

#[test]
fn memories_can_be_filled_to_the_last_word() {
    let image = image(".rept 8192\nnop\n.endr\n.lmem 0\n.zero 8192\n.lmem 3\n.zero 8192\n");
    assert_eq!(image.kernels[0].words.len(), 8192);
    assert_eq!(image.data.iter().map(|c| c.words.len()).collect::<Vec<_>>(), [8192, 8192]);
}

#[test]
fn symbols_tell_what_they_count() {
    let image = image(".equ k, 3\nstart: nop\n.global k, start\n.lmem all\nbuffer: .zero 4\n");
    let list: Vec<_> = image.symbols.iter().map(|s| (s.name.as_str(), s.kind, s.global)).collect();
    let expected = [
        ("buffer", SymbolKind::Word, false),
        ("k", SymbolKind::Constant, true),
        ("start", SymbolKind::Bundle, true),
        ("main", SymbolKind::Bundle, true),
    ];
    assert_eq!(list, expected);
}

#[test]
fn hints_for_the_linter() {
    let text = "\
.live f9
.live f0, f2-f4
.kernel a
    nop @allow(C0501, C0502)
.allow C0503 C0504
    nop @allow(C0501)
.allow C0505
    nop
.endallow
.endallow
.dmabank 1
    nop
.dmabank both
    nop
.kernel b
.live
    nop
.dmabank none
    nop
";
    let hints = image(text).hints;
    let codes = |address: u16| {
        hints.allowed.get(&BundleAddress(address)).map(|c| c.join(" ")).unwrap_or_default()
    };
    assert_eq!(codes(0), "C0501 C0502");
    assert_eq!(codes(1), "C0501 C0503 C0504");
    assert_eq!(codes(2), "C0503 C0504 C0505");
    assert_eq!(codes(3), "");
    assert_eq!(hints.live_out["a"], [0, 2, 3, 4, 9]);
    assert_eq!(hints.live_out["b"], Vec::<u8>::new());
    let banks: Vec<_> = hints.dma_banks.into_iter().map(|(at, banks)| (at.0, banks)).collect();
    assert_eq!(banks, [(3, 2), (4, 3), (6, 0)]);
}

#[test]
fn lines_lead_to_the_source_and_into_macros() {
    let image =
        image("nop\n.macro m\n  copy f1, f2\n.endm\nx: m\n  if(cc1) copy f3, f4\n.org 5\nnop\n");
    let places: Vec<_> = image.lines.iter().map(|(a, p)| (a.0, p.line, p.column)).collect();
    assert_eq!(places, [(0, 1, 1), (1, 3, 3), (2, 6, 3), (5, 8, 1)]);
    assert_eq!(image.files, ["main.s"]);
}

/// A loop that is pipelined in another one, and one that is not pipelined.
const LOOPS: &str = "\
.kernel k
.linear
 .disjoint r0, r1
 .scratch g14, g15
 .loop g4
 .loop g5, min=8
 lwo %x, (r0)+1
 psadd %y, %x, %x
 swo %y, (r1)+1
 .endloop
 .endloop
 .loop g6
 lwo %z, (r0)+1
 swo %z, (r1)+1
 .endloop
.endlinear
 stopi 0
";

#[test]
fn scheduled_loops_have_the_lines_of_their_heads() {
    let image = image(LOOPS);
    let places = cp2_asm::sites::BundleNames::new(&image, &Core::CP2);
    let mut named: Vec<(String, usize)> = Vec::new();
    for (address, word) in image.kernels[0].bundles() {
        let bundle = cp2_isa::decode(word, &Core::CP2).unwrap();
        if bundle.exch.hardware_loop().is_some() {
            named.push((places.loop_text(address), places.loops(address).count()));
        }
    }
    // Each with how many hardware loops around it.
    named.dedup();
    let expected = [("main.s:5", 0), ("main.s:6", 1), ("main.s:12", 0)];
    assert_eq!(named, expected.map(|(name, around)| (name.to_owned(), around)));
}

#[test]
fn slots_and_empty_bundles_of_linear_code_have_lines_of_their_own() {
    let image = image(LOOPS);
    let line = |place: &cp2_asm::image::SourcePosition| place.line;
    let mut shared = 0;
    for (&address, place) in &image.lines {
        let bundle = cp2_isa::decode(image.word(address).unwrap(), &Core::CP2).unwrap();
        let exchange = image.exchange_lines.get(&address).map_or(place.line, line);
        assert_ne!(place.line, 2, "{address}: {bundle} at the line of .linear");
        if bundle.arith.op == Arith::Psadd {
            assert_eq!(place.line, 8, "{address}: {bundle}");
        }
        match bundle.exch.op {
            Exch::Lwo => assert!([7, 13].contains(&exchange), "{address}: {bundle}"),
            Exch::Swo => assert!([9, 14].contains(&exchange), "{address}: {bundle}"),
            _ => {}
        }
        shared += usize::from(exchange != place.line);
    }
    assert!(shared > 0 && shared == image.exchange_lines.len());
    let object = cp2_asm::object_file::write(&image).unwrap();
    assert_eq!(cp2_asm::object_file::read(&object, &Core::CP2).unwrap(), image);
}

#[test]
fn raw_bundles_keep_their_bits() {
    let text = ".bundle 0x0000000001800fff\n.bundle 0xff00000000000000 @allow(C0310)\nx: .bundle or(1 << 56, 0) @allow(C0310)\n";
    let image = image(text);
    assert_eq!(image.kernels[0].words, [0x0180_0fff, 0xff << 56, 1 << 56]);
    assert_eq!(image.hints.allowed[&BundleAddress(1)][..], ["C0310"]);
}

#[test]
fn assembling_a_string_gives_an_image_or_a_failure_that_prints_itself() {
    assert_eq!(assemble_str("x.s", "nop\n").unwrap().kernels.len(), 1);
    let failure = assemble_str("x.s", "cadd f1\n").unwrap_err();
    assert!(
        failure
            .to_string()
            .starts_with("x.s:1:1: error: `cadd` takes 3 operands, 1 given [C0302]\n")
    );
}

#[test]
fn nothing_at_all_is_an_empty_image() {
    let image = image("; nothing\n");
    assert!(image.kernels.is_empty() && image.data.is_empty() && image.symbols.is_empty());
}
