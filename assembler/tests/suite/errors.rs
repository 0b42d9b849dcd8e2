//! Error tests: each case gives exactly these diagnostics at exactly these places. How they read
//! is in one golden text for each group (`INSTA_UPDATE=always cargo test` blesses them).

use crate::harness::run;

fn check(text: &str, expected: &[&str]) {
    let outcome = run(text);
    assert_eq!(outcome.places(), expected, "{text}\n{}", outcome.rendered());
}

/// A group of cases: `name text [diagnostics]`.
macro_rules! cases {
    ($group:ident, $($name:ident $text:literal [$($expected:literal),*];)*) => {
        mod $group {
            $(#[test]
            fn $name() {
                super::check($text, &[$($expected),*]);
            })*

            #[test]
            fn golden_text() {
                let cases = [$((stringify!($name), $text)),*];
                let show = |(name, text): &(&str, &str)| {
                    format!("=== {name}\n{}", crate::harness::run(text).rendered())
                };
                let all: Vec<_> = cases.iter().map(show).collect();
                insta::assert_snapshot!(all.join("\n"));
            }
        }
    };
}

cases! { syntax,
    two_operations_without_a_bar " cadd f1, f2, f3 ldo f4, (r0)+2\n" ["1:18 C0101"];
    operand_missing_after_comma " cadd f1, f2,\n" ["1:14 C0101"];
    open_parenthesis " addi f1, f2, (1 + 2\n" ["1:21 C0101"];
    bar_inside_parentheses " addi f1, f2, (1 | 2)\n" ["1:18 C0101"];
    strange_character " cadd f1, f2, \u{fc}3\n" ["1:15 C0101"];
    line_begins_with_a_digit "1: nop\n" ["1:1 C0101"];
    half_that_is_neither " recip f1.hi, f2.mid\n" ["1:18 C0101"];
    open_brace " copy f{1, f2\n" ["1:10 C0101"];
    predicate_of_a_register " if(f3) nop\n" ["1:5 C0101"];
    predicate_without_parentheses " if cc3 nop\n" ["1:5 C0101"];
    hexadecimal_without_digits " addi f1, f2, 0x\n" ["1:15 C0102"];
    binary_with_a_two " addi f1, f2, 0b12\n" ["1:15 C0102"];
    number_glued_to_a_name " addi f1, f2, 12ab\n" ["1:15 C0102"];
    number_of_65_bits ".equ x, 0x1_0000_0000_0000_0000\n nop\n" ["1:9 C0102"];
    quote_left_open ".include \"x\n nop\n" ["1:10 C0103"];
    empty_file_name ".include \"\"\n nop\n" ["1:10 C0103"];
    bar_alone " |\n" ["1:2 C0105"];
    predicate_alone " if(cc1)\n" ["1:2 C0105"];
    predicate_behind_the_bar " nop | if(cc1) psprmsgn f0, f2, 0, 1, 2, 3\n" ["1:8 C0106"];
    second_bar " nop | nop | nop\n" ["1:12 C0107"];
    backslash_outside_a_macro " copy f\\x, f2\n" ["1:8 C0108"];
    brackets_too_deep ".equ x, ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1\n nop\n" ["1:73 C0109"];
    unknown_annotation " nop @expect(C0501)\n" ["1:6 C0110"];
    annotation_without_codes " nop @allow\n" ["1:6 C0110"];
    byte_order_mark_is_no_column "\u{feff} foo\r\n" ["1:2 C0301"];
    columns_count_characters "; \u{44f}\n nop ; \u{44f}\n.equ x, 1 ! 2\n" ["3:11 C0101"];
    several_lines_at_once " cadd f1\n nop\n foo f1\n addi f1, f2, 1 +\n" ["1:2 C0302", "3:2 C0301", "4:18 C0101"];
}

cases! { symbols,
    undefined_label " jumpi lop\n nop\nloop: stopi 0\n" ["1:8 C0201"];
    undefined_label_once_per_file " jumpi x\n nop\n jumpi x\n nop\n" ["1:8 C0201"];
    label_twice "a: nop\na: nop\n" ["2:1 C0202"];
    label_and_constant ".equ a, 1\na: nop\n" ["2:1 C0202"];
    label_and_kernel ".kernel a\na: nop\n" ["2:1 C0202"];
    global_in_two_files ".global a\na: nop\n; file: b.s\n.global a\n.kernel b\na: nop\n" ["b.s:3:1 C0202"];
    register_as_label "f3: nop\n" ["1:1 C0203"];
    register_beyond_the_last_as_constant ".equ n64, 1\n nop\n" ["1:6 C0203"];
    control_register_as_constant ".equ status, 1\n nop\n" ["1:6 C0203"];
    local_label_of_another_file " jumpi a\n nop\n; file: b.s\n.kernel b\na: nop\n" ["1:8 C0201"];
    product_overflows ".equ x, 0x7fffffffffffffff * 4\n nop\n" ["1:9 C0204"];
    shift_overflows ".equ x, 1 << 63 << 1\n nop\n" ["1:9 C0204"];
    division_by_zero ".equ x, 1 / (2 - 2)\n nop\n" ["1:9 C0205"];
    remainder_by_zero ".equ x, 1 % 0\n nop\n" ["1:9 C0205"];
    circle_of_two ".equ a, b\n.equ b, a\n nop\n" ["1:6 C0206"];
    circle_of_one ".equ a, a + 1\n nop\n" ["1:6 C0206"];
    division_by_a_later_zero ".equ a, b\n.equ b, 1 / c\n.equ c, 0\n nop\n" ["2:9 C0205"];
    float_operand " addi f1, f2, 1.5\n" ["1:15 C0207"];
    register_in_an_expression " addi f1, f2, 1 + g3\n" ["1:19 C0207"];
    float_with_a_bit_operator ".equ x, 1.5 & 1\n nop\n" ["1:9 C0207"];
    unknown_function ".equ x, sin(1)\n nop\n" ["1:9 C0208"];
    misspelled_function ".equ x, bitrv(1, 3)\n nop\n" ["1:9 C0208"];
    bitrev_of_one_argument ".equ x, bitrev(1)\n nop\n" ["1:9 C0209"];
    bitrev_of_too_many_bits ".equ x, bitrev(8, 3)\n nop\n" ["1:9 C0209"];
    logarithm_of_zero ".equ x, log2(0)\n nop\n" ["1:9 C0209"];
    negative_shift ".equ x, 1 << -1\n nop\n" ["1:9 C0209"];
    count_of_a_later_symbol ".rept n\n nop\n.endr\n.equ n, 2\n" ["1:7 C0210"];
    condition_on_a_later_label ".if end > 4\n nop\n.endif\nend: nop\n" ["1:5 C0210"];
    exported_and_never_defined ".global a\n nop\n" ["1:9 C0211"];
    local_hides_global "a: nop\n; file: b.s\n.global a\n.kernel b\na: nop\n" ["1:1 C0212"];
    error_in_a_constant_is_told_once ".equ a, 1/0\n addi f1, f2, a\n addi f1, f2, a\n" ["1:9 C0205"];
    constant_with_bad_syntax_counts_as_defined ".equ a, 1 +\n addi f1, f2, a\n" ["1:12 C0101"];
}

cases! { operands,
    unknown_operation " frobnicate f1\n" ["1:2 C0301"];
    capital_letters " CADD f1, f2, f3\n" ["1:2 C0301"];
    unknown_relation " c.lo.s cc1, f1, f2\n" ["1:2 C0301"];
    comparison_without_format " c.lt cc1, f1, f2\n" ["1:2 C0301"];
    register_for_a_condition_code " c.lt.s f1, f2, f3\n" ["1:9 C0303"];
    too_few_operands " cmul f1, f2\n" ["1:2 C0302"];
    too_many_operands " cneg f1, f2, f3\n" ["1:2 C0302"];
    operand_of_an_operation_without " ret f1\n" ["1:2 C0302"];
    operand_of_nop " nop f1 | nop\n" ["1:2 C0302"];
    number_for_a_register " cadd f1, 2, f3\n" ["1:11 C0303"];
    gpr_for_an_fpr " cadd f1, g2, f3\n" ["1:11 C0303"];
    every_operand_is_told " cadd 1, g2, (r3)\n" ["1:7 C0303", "1:10 C0303", "1:14 C0303"];
    whole_register_for_a_half " recip f1, f2.lo\n" ["1:8 C0303"];
    half_for_a_whole_register " cadd f1.hi, f2, f3\n" ["1:7 C0303"];
    all_sections_for_one " mffpr g0, f1, all\n" ["1:16 C0303"];
    move_of_an_fpr " move f1, g0\n" ["1:7 C0303"];
    move_of_fcsr " move fcsr, g0\n" ["1:7 C0303"];
    seti_of_a_control_register " seti lc, 3\n" ["1:7 C0303"];
    mfc_of_a_number " mfc f1, 2\n" ["1:10 C0303"];
    offset_where_the_step_is_n " lwo f1, (r2)+n2\n" ["1:10 C0303"];
    n_where_the_step_is_an_offset " lwnp f1, (r2)+4\n" ["1:11 C0303"];
    n_with_the_wrong_sign " lwnm f1, (r2)+n2\n" ["1:11 C0303"];
    fpr_as_address_set " lwo f1, (f2)+4\n" ["1:11 C0303"];
    clr_of_an_address_register " clr a1\n" ["1:6 C0303"];
    fpr_after_the_last " cadd f1, f2, f64\n" ["1:15 C0304"];
    computed_fpr_after_the_last " cadd f1, f2, f{60+4}\n" ["1:15 C0304"];
    negative_register " cadd f1, f2, f{1-2}\n" ["1:15 C0304"];
    gpr_after_the_last " stop g16\n" ["1:7 C0304"];
    condition_code_after_the_last " if(cc8) nop\n" ["1:5 C0304"];
    section_after_the_last " mtfpr f1, g0, s4\n" ["1:16 C0304"];
    addend_too_large " addi f1, f2, 2048\n" ["1:15 C0305"];
    addend_too_small " addi f1, f2, -2049\n" ["1:15 C0305"];
    count_of_doi_too_large " doi 1024, last\n nop\nlast: nop\n nop\n" ["1:6 C0305"];
    negative_half_word " li0 f1, -1\n" ["1:10 C0305"];
    address_after_the_last_bundle " jumpi 8192\n nop\n" ["1:8 C0305"];
    address_after_the_last_word " lwi f1, 8192\n" ["1:10 C0305"];
    offset_too_large " lwo f1, (r0)+4096\n" ["1:14 C0305"];
    permutation_into_the_wrong_half " psprmsgn0 f40, f2, 0, 1, 2, 3\n" ["1:12 C0305"];
    selector_after_the_last " psprmsgn f0, f2, 0, 1, 2, 4\n" ["1:28 C0305"];
    mode_of_qsdot " qsdot f0, f2, f4, 2\n" ["1:20 C0305"];
    exchange_before_the_bar " lwi f1, 0 | nop\n" ["1:2 C0306"];
    arithmetic_after_the_bar " | cadd f1, f2, f3\n" ["1:4 C0306"];
    both_on_the_wrong_side " lwi f1, 0 | cadd f1, f2, f3\n" ["1:2 C0306", "1:14 C0306"];
    step_of_another_set " ldnp f2, (r1)+n2\n" ["1:16 C0307"];
    computed_step_of_another_set " ldnp f2, (r{1})+n{1+1}\n" ["1:18 C0307"];
    pair_after_the_last_load " ldi f63, 0\n" ["1:2 C0308"];
    pair_after_the_last_matrix " mvmadd f1, f63, f2\n" ["1:2 C0308"];
    pair_after_the_last_permutation " psprmsgn f63, f2, 0, 1, 2, 3\n" ["1:2 C0308"];
    same_destinations " caddsub f1, f2, f3, f1\n" ["1:2 C0309"];
    same_destinations_of_clear " clear f1, f1\n" ["1:2 C0309"];
    raw_bundle_without_meaning " .bundle 0x00000000_0d800000\n .bundle 0xff << 56\n" ["2:10 C0310"];
    raw_bundle_of_a_creg_that_is_none " .bundle 0x0e00000200000000\n" ["1:10 C0310"];
    raw_bundle_of_a_section_that_is_none " .bundle 0x0000000018000005\n" ["1:10 C0310"];
    pairwise_comparison_into_the_last " c.eq.pw cc7, f1, f2\n" ["1:2 C0311"];
    bundle_label_as_word " lwi f1, here\nhere: nop\n" ["1:10 C0312"];
    word_label_as_bundle " jumpi data\n nop\n.lmem all\ndata: .quad 1\n" ["1:8 C0312"];
}

cases! { directives,
    unknown_directive ".repeat 3\n nop\n" ["1:1 C0401"];
    misspelled_constant_counts_as_defined ".eqv size, 3\n addi f1, f2, size\n" ["1:1 C0401"];
    endr_alone " nop\n.endr\n" ["2:1 C0402"];
    else_alone " nop\n.else\n nop\n" ["2:1 C0402"];
    endm_ends_rept ".rept 2\n nop\n.endm\n" ["3:1 C0402"];
    else_twice ".if 1\n nop\n.else\n.else\n.endif\n" ["4:1 C0402"];
    endallow_alone " nop\n.endallow\n" ["2:1 C0402"];
    rept_left_open " nop\n.rept 2\n nop\n" ["2:1 C0403"];
    if_left_open_inside_rept ".rept 1\n.if 1\n nop\n.endr\n" ["2:1 C0403"];
    allow_left_open ".allow C0501\n nop\n" ["1:1 C0403"];
    label_before_endr ".rept 1\n nop\na: .endr\n" ["3:4 C0101"];
    macro_named_as_an_operation ".macro nop\n.endm\n cadd f1, f2, f3\n" ["1:8 C0404"];
    macro_twice ".macro m\n.endm\n.macro m\n.endm\n nop\n" ["3:8 C0404"];
    parameter_twice ".macro m a, a\n.endm\n nop\n" ["1:13 C0404"];
    macro_without_end ".macro m\n m\n.endm\n m\n nop\n" ["4:2 C0405"];
    endless_repetition ".rept 1 << 40\n.endr\n nop\n" ["1:1 C0406"];
    text_that_doubles ".macro m a\n.if 1\n m \\a\\()\\a\\()\\a\\()\\a\n.endif\n.endm\n m xxxxxxxxxxxxxxxxxxxx\n" ["6:2 C0406"];
    argument_missing ".macro m a, b\n.endm\n m 1\n nop\n" ["3:2 C0407"];
    argument_too_many ".macro m a, b=1\n.endm\n m 1, 2, 3\n nop\n" ["3:2 C0407"];
    include_missing ".include \"none.inc\"\n nop\n" ["1:10 C0408"];
    no_complaints_about_what_a_missing_include_may_define ".include \"none.inc\"\n addi f1, f2, size\n" ["1:10 C0408"];
    include_of_itself ".include \"a.inc\"\n nop\n; file: a.inc\n.include \"b.inc\"\n; file: b.inc\n.include \"a.inc\"\n" ["b.inc:1:10 C0409"];
    error_in_an_included_file ".include \"a.inc\"\n nop\n; file: a.inc\n\n cadd f1\n" ["a.inc:2:2 C0302"];
    kernel_twice ".kernel a\n nop\n.kernel a\n nop\n" ["3:9 C0410"];
    kernel_twice_in_two_files ".kernel a\n nop\n; file: b.s\n.kernel a\n nop\n" ["b.s:1:9 C0410"];
    main_twice_without_a_name " nop\n; file: b.s\n nop\n" ["b.s:1:2 C0410"];
    kernel_without_bundles ".kernel a\n" ["1:9 C0411"];
    bundle_among_data " nop\n.lmem all\n nop\n" ["3:2 C0412"];
    data_among_bundles " nop\n .quad 1\n" ["2:2 C0412"];
    zero_among_bundles " .zero 4\n nop\n" ["1:2 C0412"];
    one_bundle_too_many ".org 8191\n nop\n nop\n nop\n" ["3:2 C0413"];
    one_word_too_many " nop\n.lmem 1\n.org 8191\n .quad 1, 2\n .quad 3, 4\n" ["4:2 C0414"];
    very_many_words " nop\n.lmem 1\n .zero 0xffffffff\n" ["3:2 C0414"];
    kernels_overlap ".kernel a\n.org 4\n nop\n nop\n.kernel b\n.org 2\n nop\n nop\n nop\n" ["1:9 C0415"];
    data_overlap " nop\n.lmem 0\n .quad 1, 2\n.org 1\n .quad 3\n" ["5:2 C0416"];
    data_of_all_overlap_data_of_one " nop\n.lmem 3\n .quad 1\n.lmem all\n .quad 1\n" ["5:2 C0416"];
    org_goes_back ".org 5\n nop\n.org 4\n nop\n" ["3:1 C0417"];
    section_of_lmem " nop\n.lmem 4\n" ["2:7 C0418"];
    lmem_of_a_register " nop\n.lmem f3\n" ["2:7 C0418"];
    dmabank_of_two ".dmabank 2\n nop\n" ["1:10 C0418"];
    live_of_a_gpr ".live f0, g1\n nop\n" ["1:11 C0418"];
    live_range_goes_down ".live f5-f2\n nop\n" ["1:7 C0418"];
    live_after_the_last ".live f60-f64\n nop\n" ["1:11 C0304"];
    complex_without_imaginary_part " nop\n.lmem all\n .complex 1, 2, 3\n" ["3:17 C0418"];
    allow_of_an_error " nop @allow(C0305)\n" ["1:13 C0419"];
    allow_of_no_code ".allow hazards\n nop\n.endallow\n" ["1:8 C0419"];
    address_out_of_memory ".org 8192\n nop\n" ["1:6 C0420"];
    negative_address ".org -1\n nop\n" ["1:6 C0420"];
    alignment_of_zero ".align 0\n nop\n" ["1:8 C0420"];
    alignment_out_of_memory " nop\n.align 8192\n nop\n" ["2:8 C0420"];
    negative_count ".rept -1\n.endr\n nop\n" ["1:1 C0420"];
    pair_of_33_bits " nop\n.lmem all\n .pair 1 << 32, 0\n" ["3:8 C0420"];
}

cases! { macros,
    error_in_the_body_is_shown_at_the_call ".macro m x\n addi f1, f2, \\x + 1\n.endm\n nop\n m 2047\n" ["5:2 C0305"];
    error_in_an_argument_is_shown_there ".macro m x\n addi f1, f2, \\x\n.endm\n m 5000\n" ["4:4 C0305"];
    two_calls_with_one_mistake_are_one_error ".macro m\n foo f1\n.endm\n m\n m\n" ["4:2 C0301"];
    macro_in_a_macro ".macro inner r\n copy f\\r, f64\n.endm\n.macro outer r\n nop\n inner \\r\n.endm\n outer 3\n" ["8:2 C0304"];
    argument_through_two_macros ".macro inner v\n addi f1, f2, \\v\n.endm\n.macro outer v\n inner \\v\n.endm\n outer 9999\n" ["7:8 C0305"];
    repetition_names_the_iteration ".rept 4, k\n copy f{61+\\k}, f1\n.endr\n" ["2:7 C0304"];
    label_in_a_repetition ".rept 2\nx: nop\n.endr\n" ["2:1 C0202"];
    default_that_is_wrong ".macro m r=f64\n copy f1, \\r\n.endm\n m\n" ["4:2 C0304"];
    macro_of_another_file ".macro m\n nop\n.endm\n m\n; file: b.s\n.kernel b\n m\n" ["b.s:2:2 C0301"];
}

cases! { structure,
    jump_in_a_delay_slot " jumpi a\n jumpi a\n nop\na: stopi 0\n" ["2:2 C0450"];
    stop_after_ret " ret\n stopi 0\n" ["2:2 C0450"];
    sync_after_call " call g1\n nop | sync\n stopi 0\n" ["2:8 C0450"];
    loop_after_calli " calli a\n doi 2, a\n nop\na: nop\n nop\n stopi 0\n" ["2:2 C0450"];
    jump_at_the_end " doi 2, a\n nop\na: jumpi b\n nop\nb: stopi 0\n" ["3:4 C0451"];
    enddo_at_the_end " doi 2, a\n nop\na: enddo\n nop\n stopi 0\n" ["3:4 C0451"];
    stop_after_the_end " do g1, a\n nop\na: nop\n stopi 0\n" ["4:2 C0451"];
    jump_before_the_end " doi 2, a\n enddo\n jumpi b\na: nop\n nop\nb: stopi 0\n" ["3:2 C0452"];
    both_loops_end_together " doi 2, a\n doi 2, a\n nop\na: nop\n nop\n stopi 0\n" ["2:2 C0453"];
    inner_loop_ends_later " doi 2, a\n doi 2, b\n nop\na: nop\n nop\nb: nop\n nop\n stopi 0\n" ["2:2 C0453"];
    loop_begins_at_the_end_of_another " doi 2, a\n nop\na: doi 2, b\n nop\nb: nop\n nop\n stopi 0\n" ["3:4 C0451"];
    loop_ends_at_itself "a: doi 2, a\n nop\n nop\n stopi 0\n" ["1:4 C0454"];
    loop_ends_before " nop\na: nop\n doi 2, a\n nop\n nop\n stopi 0\n" ["3:2 C0454"];
    runi_in_a_kernel " runi 0\n stopi 0\n" ["1:2 C0455"];
    run_in_a_kernel " nop | run g1\n stopi 0\n" ["1:8 C0455"];
    raw_words_obey_the_rules_too " .bundle 0x0000000001800000\n .bundle 0x0000000001800000\n nop\n" ["2:2 C0450"];
}

#[test]
fn a_hundred_errors_are_shown_and_the_rest_counted() {
    let text: String = (0..150).map(|i| format!(" cadd f1, f2, f{}\n", 100 + i)).collect();
    let outcome = run(&text);
    assert_eq!(outcome.diagnostics.len(), 100);
    let last = &outcome.diagnostics[99];
    assert_eq!(last.notes, ["50 more errors are not shown"]);
}

#[test]
fn a_chain_of_later_definitions_ends_somewhere() {
    let chain: String = (0..300).map(|i| format!(".equ x_{i}, x_{} + 1\n", i + 1)).collect();
    let outcome = run(&format!("{chain}.equ x_300, 0\n nop\n"));
    assert_eq!(outcome.places(), ["201:6 C0206"]);
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let outcome = run(" cadd f1, f2\n jumpi lop\n nop\nloop: stopi 0\n");
    for d in &outcome.diagnostics {
        let plain = cp2_asm::render::render(d, &outcome.sources, cp2_asm::render::Style::Plain);
        let color = cp2_asm::render::render(d, &outcome.sources, cp2_asm::render::Style::Color);
        assert_ne!(plain, color);
        let mut stripped = String::new();
        let mut escape = false;
        for c in color.chars() {
            match c {
                '\u{1b}' => escape = true,
                'm' if escape => escape = false,
                c if !escape => stripped.push(c),
                _ => {}
            }
        }
        assert_eq!(stripped, plain);
    }
}

#[test]
fn the_first_line_of_a_diagnostic_is_place_severity_message_and_code() {
    let text = run(" cadd f1, f2\n").rendered();
    assert_eq!(
        text.lines().next(),
        Some("main.s:1:2: error: `cadd` takes 3 operands, 2 given [C0302]")
    );
    let text = run("a: nop\n; file: b.s\n.global a\n.kernel b\na: nop\n").rendered();
    assert!(text.starts_with("main.s:1:1: warning: "), "{text}");
}
