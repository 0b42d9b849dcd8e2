//! Properties over random bundles and random text.

use cp2_asm::assemble_str;
use cp2_isa::{Arith, Bundle, Core, Exch, Inst, OperandKind, Row, encode};
use proptest::prelude::*;
use proptest::strategy::Union;

fn defined_value(kind: OperandKind) -> BoxedStrategy<i32> {
    kind.range().prop_filter("defined", move |&v| kind.is_defined(&Core::CP2, v)).boxed()
}

fn operands(row: &'static Row) -> BoxedStrategy<Vec<i32>> {
    row.operands.iter().map(|o| defined_value(o.kind)).collect::<Vec<_>>().boxed()
}

fn arith() -> impl Strategy<Value = Inst<Arith>> {
    let one = |&op: &Arith| operands(op.row()).prop_map(move |v| Inst::new(op, &v)).boxed();
    Union::new(Arith::ALL.iter().filter(|op| op.row().extension.is_empty()).map(one))
}

fn exch() -> impl Strategy<Value = Inst<Exch>> {
    let one = |&op: &Exch| operands(op.row()).prop_map(move |v| Inst::new(op, &v)).boxed();
    Union::new(Exch::ALL.iter().filter(|op| op.row().extension.is_empty()).map(one))
}

fn bundle() -> impl Strategy<Value = Bundle> {
    (0u8..8, arith(), exch())
        .prop_map(|(cc, arith, exch)| Bundle { cc, arith, exch })
        .prop_filter("defined", |b| b.check(&Core::CP2).is_ok())
}

/// Lifts the rules of control flow, which random bundles break.
const LIFTED: &str = ".allow C0450 C0451 C0452 C0453 C0454 C0455\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn printed_bundles_assemble_to_the_same_words(bundles in prop::collection::vec(bundle(), 1..16)) {
        let lines: String = bundles.iter().map(|b| format!("{b}\n")).collect();
        match assemble_str("random.s", &format!("{LIFTED}{lines}.endallow\n")) {
            Ok(image) => {
                let words: Vec<_> = bundles.iter().map(encode).collect();
                prop_assert_eq!(&image.kernels[0].words, &words, "{}", lines);
            }
            Err(failure) => prop_assert!(false, "{}", failure),
        }
    }

    #[test]
    fn any_line_is_assembled_or_refused(text in "\\PC{0,80}") {
        if let Err(failure) = assemble_str("random.s", &text) {
            prop_assert!(failure.to_string().starts_with("random.s:"), "{}", failure);
        }
    }

    #[test]
    fn any_words_of_the_language_are_assembled_or_refused(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..60),
    ) {
        if let Err(failure) = assemble_str("random.s", &words.concat()) {
            prop_assert!(failure.diagnostics.iter().all(|d| d.span.is_some()));
            prop_assert!(failure.to_string().starts_with("random.s:"), "{}", failure);
        }
    }
}

const WORDS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\n",
    " ",
    "nop",
    "cadd f1, f2, f3",
    "ldo f4, (r0)+2",
    "|",
    "if(cc3) ",
    "a",
    "b",
    ": ",
    ", ",
    "1",
    "0x",
    "2.5",
    "(",
    ")",
    "{",
    "}",
    "+",
    "-",
    "<<",
    "\\a",
    "\\@",
    "\\()",
    "\"",
    ";",
    "//",
    "#",
    ".",
    ".equ a, ",
    ".equ b, a",
    ".macro m a, b=1\n",
    ".endm\n",
    "m ",
    ".rept 3, a\n",
    ".rept 2\n",
    ".endr\n",
    ".if a\n",
    ".if 1\n",
    ".else\n",
    ".endif\n",
    ".include \"x\"",
    ".kernel a",
    ".kernel b\n",
    ".org ",
    ".lmem all\n",
    ".lmem 2\n",
    ".code\n",
    ".quad ",
    ".complex ",
    ".pair 1, 2\n",
    ".zero 3\n",
    ".align 4\n",
    ".global a\n",
    ".live f1-f3\n",
    ".dmabank both\n",
    ".allow C0501\n",
    ".endallow\n",
    "@allow(C0501)",
    ".bundle 0x",
    "doi 3, a\n",
    "jumpi a\n",
    "psprmsgn f",
    "f{",
    "r",
    "bitrev(",
    "max",
    "\u{e9}",
    "\t",
    "C0310",
];
