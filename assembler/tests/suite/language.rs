//! What the language means, feature by feature.

use crate::harness::{bundles, image, run, value};
use cp2_asm::assemble_str;
use cp2_asm::image::SymbolKind;

#[test]
fn operations_go_to_their_slot() {
    assert_eq!(bundles("lwi f1, 3\ncneg f1, f2\nnop\n"), ["| lwi f1, 3", "cneg f1, f2", "nop"]);
    assert_eq!(bundles("| lwi f1, 3\ncneg f1, f2 |\n"), ["| lwi f1, 3", "cneg f1, f2"]);
    assert_eq!(
        bundles("nop | lwi f1, 3\ncneg f1, f2 | nop\nnop | nop\n"),
        ["| lwi f1, 3", "cneg f1, f2", "nop"]
    );
    assert_eq!(bundles("if(cc3) cneg f1, f2 | lwi f1, 3\n"), ["if(cc3) cneg f1, f2 | lwi f1, 3"]);
}

#[test]
fn blanks_and_comments_do_not_matter() {
    let text = "# first\n\n  start :  if ( cc{1+2} )  cadd f1,f2 ,f3|ldo f4,( r0 )+ 2 ; last\n\tnop // both\n# // ;\n";
    assert_eq!(bundles(text), ["if(cc3) cadd f1, f2, f3 | ldo f4, (r0)+2", "nop"]);
    assert_eq!(bundles("\u{feff}nop\r\nnop\r\n"), ["nop", "nop"]);
}

#[test]
fn every_form_of_operand() {
    let forms = [
        "c.ge.ps cc5, f1, f2",
        "li3 f1, 0xffff",
        "mfc f1, fccr",
        "mtc f1, fcsr",
        "recip f1.hi, f2.lo",
        "qsdot f0, f2, f4, 1",
        "rrlog2 f1, f2, f3",
        "lshifti f1, f2, -32",
        "| move lc, g3",
        "| move i4, m15",
        "| seti n7, 65535",
        "| clr r15",
        "| lwo f1, (r2)-4096",
        "| sdnp f62, (r3)+n3",
        "| lwnm f1, (r4)-n4",
        "| updaddr (r5)+4095",
        "| swi f1, 8191",
        "| check_dma g15",
        "| mtfpr f1, i9, all",
        "| mffpr g1, f2, s3",
        "| psprmsgn0 f30, f2, -0, 1, -2, 3",
        "| psprmsgn1 f62, f2, 3, -3, 0, -1",
        "| stop g4",
        "| do g4, 100 @allow(C0450)",
    ];
    let printed: Vec<_> = forms.iter().map(|f| f.trim_end_matches(" @allow(C0450)")).collect();
    assert_eq!(bundles(&forms.join("\n")), printed);
}

#[test]
fn psprmsgn_is_told_by_its_destination() {
    let text = "psprmsgn f31, f2, 0, 1, 2, 3\npsprmsgn f{30+2}, f2, 0, 1, 2, 3\n";
    assert_eq!(
        bundles(text),
        ["| psprmsgn0 f31, f2, 0, 1, 2, 3", "| psprmsgn1 f32, f2, 0, 1, 2, 3"]
    );
}

#[test]
fn register_numbers_can_be_computed() {
    let text = ".equ k, 3\ncadd f{2*k+1}, f{k}, f{0}\nlwnp f1, (r{k})+n{1+2}\nmove a{k}, g{k-1}\nrecip f{k}.hi, f1.lo\n";
    let expected = ["cadd f7, f3, f0", "| lwnp f1, (r3)+n3", "| move a3, g2", "recip f3.hi, f1.lo"];
    assert_eq!(bundles(text), expected);
}

#[test]
fn an_address_without_a_step_stays() {
    assert_eq!(bundles("lwo f1, (r2)\n"), ["| lwo f1, (r2)+0"]);
    assert_eq!(
        bundles("lwo f1, (r2)-2+1\nlwo f1, (r2) - 2*3\n"),
        ["| lwo f1, (r2)-1", "| lwo f1, (r2)-6"]
    );
}

#[test]
fn operators_bind_as_written_in_the_book() {
    for (text, expected) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("-7 / 2", -3),
        ("-7 % 4", -3),
        ("1 << 4 + 1", 32),
        ("-16 >> 2", -4),
        ("6 & 3 ^ 8", 10),
        ("1 + 1 == 2", 1),
        ("3 < 2", 0),
        ("!0 + !5", 1),
        ("~0 & 0xff", 255),
        ("- - 3", 3),
        ("1_000 + 0x1_0 + 0b1_1", 1019),
        ("~0xffff_ffff_ffff_ffff", 0),
        ("0xffffffffffffffff - 0xfffffffffffffffe", 1),
        ("0X1F + 0B11", 34),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions() {
    for (text, expected) in [
        ("bitrev(1, 13)", 4096),
        ("bitrev(0b1101, 4)", 0b1011),
        ("bitrev(0, 0)", 0),
        ("log2(1024)", 10),
        ("log2(1023)", 9),
        ("min(3, -1, 2)", -1),
        ("max(3, -1, 2)", 3),
        ("or(1, 2, 0x10)", 0x13),
        ("abs(-5)", 5),
        ("f32(1.5)", 0x3fc0_0000),
        ("f32(-0.0)", 0x8000_0000),
        ("f32(3)", 0x4040_0000),
        ("f32(1.5 * 2 + 1)", 0x4080_0000),
        ("f32(inf)", 0x7f80_0000),
        ("f32(nan)", 0x7fff_ffff),
        ("f32(1e-3)", i64::from(1e-3f32.to_bits())),
        ("1.5 < 2", 1),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn a_literal_is_rounded_once() {
    // Twice rounded, through double precision, it would be 1.0.
    let text = "1.00000005960464477540";
    assert_eq!(value(&format!("f32({text})")), i64::from(text.parse::<f32>().unwrap().to_bits()));
    assert_eq!(value("f32(1.00000005960464477540)"), 0x3f80_0001);
}

#[test]
fn a_dot_is_the_address_of_the_statement() {
    let text = "nop\njumpi .+2\nnop\nnop\n.equ here, .\n.lmem all\n.org 9\n.quad .\nafter: .quad . - after\n";
    let image = image(text);
    assert_eq!(image.kernels[0].words[1], 0x1400_0003);
    assert_eq!(image.symbol("here"), Some(4));
    assert_eq!(image.data[0].words, [9, 0]);
}

#[test]
fn symbols_may_come_later() {
    let image = image(".equ a, b * 2\n.equ b, end + 1\njumpi end\nnop\nend: stopi a\n");
    assert_eq!((image.symbol("a"), image.symbol("b")), (Some(6), Some(3)));
    assert_eq!(image.kernels[0].words[2] & 0x1fff, 6);
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
fn macros_substitute_arguments() {
    let text = "\
.macro bf x, y=9, k
    cbutterfly f\\x, f\\y
skip\\@:
    psadd f\\k, f\\x, f{\\y+1}
.endm
    bf 1, 2, 3
    bf 4, , 6
";
    let expected =
        ["cbutterfly f1, f2", "psadd f3, f1, f3", "cbutterfly f4, f9", "psadd f6, f4, f10"];
    assert_eq!(bundles(text), expected);
    let labels: Vec<_> =
        image(text).symbols.into_iter().filter(|s| s.name.starts_with("skip")).collect();
    assert_eq!(labels.len(), 2);
    assert_ne!(labels[0].name, labels[1].name);
}

#[test]
fn macro_arguments_keep_their_commas_in_brackets() {
    let text = ".macro m a, b\naddi f1, f2, \\a + \\b\n.endm\nm max(1, 2), f32(0.0)\n";
    assert_eq!(bundles(text), ["addi f1, f2, 2"]);
}

#[test]
fn macros_may_call_themselves_and_define_macros() {
    let text = "\
.macro count n
.if \\n > 0
    li0 f1, \\n
    count \\n - 1
.endif
.endm
.macro make name, reg
.macro \\name
    copy f\\reg, f0
.endm
.endm
    count 3
    make three, 3
    three
";
    let expected = ["li0 f1, 0x0003", "li0 f1, 0x0002", "li0 f1, 0x0001", "copy f3, f0"];
    assert_eq!(bundles(text), expected);
}

#[test]
fn repetitions_nest_and_name_their_iteration() {
    let text = "\
.rept 2, i
.rept 2, j
l\\i\\()_\\j: copy f{2*\\i+\\j}, f\\i
.endr
.endr
.rept 0
    bogus
.endr
";
    let expected = ["copy f0, f0", "copy f1, f0", "copy f2, f1", "copy f3, f1"];
    assert_eq!(bundles(text), expected);
    assert_eq!(image(text).symbol("l1_0"), Some(2));
}

#[test]
fn conditions_choose_lines() {
    let text = "\
.equ n, 5
.if n > 3
    li0 f1, 1
.if n == 5
    li0 f1, 2
.else
    bogus
.endif
.else
    also bogus
.rept nonsense
.endr
.endif
.if 0
    bogus
.else
    li0 f1, 3
.endif
";
    assert_eq!(bundles(text), ["li0 f1, 0x0001", "li0 f1, 0x0002", "li0 f1, 0x0003"]);
}

#[test]
fn kernels_follow_each_other() {
    let image =
        image(".kernel a\nnop\n.kernel b\nback: nop\njumpi back\nnop\n.kernel c\n.org 100\nnop\n");
    let kernels: Vec<_> =
        image.kernels.iter().map(|k| (k.name.as_str(), k.start, k.words.len())).collect();
    assert_eq!(kernels, [("a", 0, 1), ("b", 1, 3), ("c", 100, 1)]);
    assert_eq!(image.symbol("c"), Some(100));
    assert_eq!(image.kernels[1].words[1], 0x1400_0001);
    assert!(image.symbols.iter().filter(|s| s.name.len() == 1).all(|s| s.global));
}

#[test]
fn bundles_before_any_kernel_make_main() {
    let image = image(".org 16\nnop\nnop\n");
    assert_eq!((image.kernels[0].name.as_str(), image.kernels[0].start), ("main", 16));
    assert_eq!(image.symbol("main"), Some(16));
}

#[test]
fn org_and_align_fill_a_kernel_with_nops() {
    let image = image("stopi 1\n.org 3\nstopi 2\n.align 4\nstopi 3\n.align 4\n");
    let kernel = &image.kernels[0];
    assert_eq!(kernel.words.len(), 5);
    assert_eq!(kernel.words[1..3], [0, 0]);
    assert_eq!(kernel.words[4], 0x0400_0003);
}

#[test]
fn a_kernel_can_be_interrupted_by_data() {
    let image = image("nop\n.lmem 2\nt: .quad 7\n.code\nlwi f1, t\n.lmem 2\n.quad 8\n");
    assert_eq!(image.kernels[0].words.len(), 2);
    assert_eq!(image.data.len(), 1);
    assert_eq!((image.data[0].section, &image.data[0].words), (Some(2), &vec![7, 8]));
}

#[test]
fn data_of_every_form() {
    let text = "\
nop
.lmem all
    .quad 1, -1, 0xffffffffffffffff, f32(1.0) << 32
    .complex 1.5, -0.25, inf, 0, nan, -1e10
    .pair -1, 1, 0xffffffff, 0x80000000
    .zero 2
.align 16
tail: .quad 5
.lmem s1
.org 20
    .quad 6
";
    let image = image(text);
    let complex = |re: f32, im: f32| u64::from(re.to_bits()) << 32 | u64::from(im.to_bits());
    let mut words = vec![1, u64::MAX, u64::MAX, 0x3f80_0000_0000_0000];
    words.extend([complex(1.5, -0.25), complex(f32::INFINITY, 0.0)]);
    words.push(0x7fff_ffff_0000_0000 | u64::from((-1e10f32).to_bits()));
    words.extend([0xffff_ffff_0000_0001, 0xffff_ffff_8000_0000, 0, 0]);
    assert_eq!(
        (image.data[0].section, image.data[0].start, &image.data[0].words),
        (None, 0, &words)
    );
    assert_eq!((image.data[1].start, &image.data[1].words), (16, &vec![5]));
    assert_eq!((image.data[2].section, image.data[2].start), (Some(1), 20));
    assert_eq!(image.symbol("tail"), Some(16));
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
    let codes = |address: u16| hints.allowed.get(&address).map(|c| c.join(" ")).unwrap_or_default();
    assert_eq!(codes(0), "C0501 C0502");
    assert_eq!(codes(1), "C0501 C0503 C0504");
    assert_eq!(codes(2), "C0503 C0504 C0505");
    assert_eq!(codes(3), "");
    assert_eq!(hints.live_out["a"], [0, 2, 3, 4, 9]);
    assert_eq!(hints.live_out["b"], Vec::<u8>::new());
    let banks: Vec<_> = hints.dma_banks.into_iter().collect();
    assert_eq!(banks, [(3, 2), (4, 3), (6, 0)]);
}

#[test]
fn lines_lead_to_the_source_and_into_macros() {
    let image =
        image("nop\n.macro m\n  copy f1, f2\n.endm\nx: m\n  if(cc1) copy f3, f4\n.org 5\nnop\n");
    let places: Vec<_> = image.lines.iter().map(|(a, p)| (*a, p.line, p.column)).collect();
    assert_eq!(places, [(0, 1, 1), (1, 3, 3), (2, 6, 3), (5, 8, 1)]);
    assert_eq!(image.files, ["main.s"]);
}

#[test]
fn raw_bundles_keep_their_bits() {
    let text = ".bundle 0x0000000001800fff\n.bundle 0xff00000000000000 @allow(C0310)\nx: .bundle or(1 << 56, 0) @allow(C0310)\n";
    let image = image(text);
    assert_eq!(image.kernels[0].words, [0x0180_0fff, 0xff << 56, 1 << 56]);
    assert_eq!(image.hints.allowed[&1], ["C0310"]);
}

#[test]
fn rules_of_control_flow_can_be_lifted_for_tests_of_the_machine() {
    let text = "jumpi 0\nsync @allow(C0450)\n.allow C0455\nruni 0\n.endallow\n";
    assert!(run(text).image.is_some());
}

#[test]
fn loops_that_touch_the_rules_are_accepted() {
    let nested = "doi 4, o\ndoi 4, i\nnop\ni: nop\no: nop\nnop\nstopi 0\n";
    let shortest = "doi 4, e\ne: nop\nnop\nsync\nstopi 0\n";
    let early_jump = "doi 4, e\nenddo\njumpi out\nnop\ne: nop\nnop\nout: stopi 0\n";
    let one_after_another = "doi 4, a\na: nop\nnop\ndoi 4, b\nb: nop\nnop\nstopi 0\n";
    for text in [nested, shortest, early_jump, one_after_another] {
        assert_eq!(run(text).places(), Vec::<String>::new(), "{text}");
    }
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
