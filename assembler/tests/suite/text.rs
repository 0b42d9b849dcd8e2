//! The `.hex` format and the disassembler.

use crate::harness::{image, run};
use crate::objects::images;
use cp2_asm::{assemble_str, disassemble, hex};
use cp2_isa::{BundleAddress, Core};
use proptest::prelude::*;

fn places(failure: &cp2_asm::AssemblyError) -> Vec<String> {
    let place = |d: &cp2_asm::Diagnostic| {
        let place = d.span.as_ref().map(|s| cp2_asm::render::place(s, &failure.sources));
        format!("{} {}", place.unwrap_or_default(), d.code)
    };
    failure.diagnostics.iter().map(place).collect()
}

#[test]
fn hex_is_one_bundle_a_line() {
    let text = "; a program\n\n0000000010200064\n  0000000004000003   # stop\n# end\n";
    let image = hex::read_str("p.hex", text, &Core::CP2).unwrap();
    let kernel = &image.kernels[0];
    assert_eq!((kernel.name.as_str(), kernel.start), ("main", BundleAddress(0)));
    assert_eq!(kernel.words, [0x1020_0064, 0x0400_0003]);
    let places: Vec<_> = image.lines.values().map(|p| (p.line, p.column)).collect();
    assert_eq!(places, [(3, 1), (4, 3)]);
    assert_eq!((image.files, image.symbols.len()), (vec!["p.hex".to_owned()], 1));
}

#[test]
fn hex_that_is_written_is_read() {
    let image = image(".kernel a\nstopi 1\n.kernel b\n.org 4\nstopi 2\nnop\n");
    let text = hex::write(&image);
    let back = hex::read_str("b.hex", &text, &Core::CP2).unwrap();
    assert_eq!(back.kernels[0].words, [0x0400_0001, 0, 0, 0, 0x0400_0002, 0]);
    insta::assert_snapshot!(text);
}

#[test]
fn error_lines_of_hex() {
    let text = "0000000004000003\n000000000400000\n; fine\n 00000000g4000003\n00000000040000030\n0x00000000000000\n";
    let failure = hex::read_str("p.hex", text, &Core::CP2).unwrap_err();
    assert_eq!(
        places(&failure),
        ["p.hex:2:1 C0111", "p.hex:4:2 C0111", "p.hex:5:1 C0111", "p.hex:6:1 C0111"]
    );
    insta::assert_snapshot!(failure.to_string());
}

#[test]
fn error_hex_with_too_many_bundles() {
    let failure =
        hex::read_str("p.hex", &"0000000000000000\n".repeat(8193), &Core::CP2).unwrap_err();
    assert_eq!(places(&failure), ["p.hex:8193:1 C0413"]);
}

#[test]
fn error_hex_without_bundles() {
    let failure = hex::read_str("p.hex", "; nothing\n", &Core::CP2).unwrap_err();
    assert_eq!(places(&failure), ["p.hex:1:1 C0411"]);
}

#[test]
fn a_listing_shows_labels_targets_and_data() {
    let text = "\
.equ n, 8
.kernel fft
.live f0, f2
start: seti a0, buffer
    doi n, end
    if(cc3) cadd f1, f2, f3 | ldo f4, (r0)+2 @allow(C0501)
end: nop
    nop
    jumpi start
    nop
    .bundle 0x0000000001800fff
    .bundle 0xff00000000000000 @allow(C0310)
.kernel second
.org 32
.dmabank both
    jumpi fft
    nop
.lmem all
.org 100
buffer: .quad 1, 2
    .zero 20
.global tail
tail: .complex 1.5, -2.5
.lmem 1
.org 7
nowhere:
";
    insta::assert_snapshot!(disassemble(&image(text), &Core::CP2));
}

#[test]
fn a_listing_assembles_to_the_same_image() {
    let text = "\
.equ n, -8
.kernel a
first: jumpi second
    sync @allow(C0450)
second:
    nop @allow(C0501)
.dmabank 1
    .bundle 0xffffffffffffffff @allow(C0310)
last:
.lmem 3
x: .quad 1, 2, 3
.zero 9
y: .pair 1, 2
.global x, second
; file: b.s
second: .equ other, 5
.kernel b
    nop
";
    let image = image(text);
    let listing = disassemble(&image, &Core::CP2);
    let again = run(&listing);
    let again = again.image.unwrap_or_else(|| panic!("{listing}"));
    assert_eq!(
        (&again.kernels, &again.data, &again.hints),
        (&image.kernels, &image.data, &image.hints)
    );
    for symbol in image.symbols.iter().filter(|s| s.name != "second") {
        assert!(again.symbols.contains(symbol), "{symbol:?}\n{listing}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn listings_of_random_images_assemble_to_the_same_words(image in images()) {
        let listing = disassemble(&image, &Core::CP2);
        match assemble_str("listing.s", &listing) {
            Ok(again) => {
                prop_assert_eq!(&again.kernels, &image.kernels);
                prop_assert_eq!(&again.data, &image.data);
            }
            Err(failure) => prop_assert!(false, "{}\n{}", listing, failure),
        }
    }

    #[test]
    fn hex_of_any_text_is_read_or_refused(text in "[0-9a-fA-F;# \n]{0,200}|\\PC{0,60}") {
        if let Err(failure) = hex::read_str("x.hex", &text, &Core::CP2) {
            prop_assert!(!failure.to_string().is_empty());
        }
    }
}
