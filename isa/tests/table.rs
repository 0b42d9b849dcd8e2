//! Properties of the whole table: encodings are disjoint, and what is encoded decodes.

use cp2_isa::{
    Arith, Bundle, BundleBits, Core, Document, Effects, Exch, Extensions, Inst, OperandKind, Row,
    Slot, Undefined, Unit, decode, encode, extensions_of, fields,
};
use proptest::prelude::*;
use proptest::strategy::Union;

fn all_rows() -> Vec<&'static Row> {
    Arith::ALL.iter().map(|o| o.row()).chain(Exch::ALL.iter().map(|o| o.row())).collect()
}

fn defined_value(kind: OperandKind) -> BoxedStrategy<i32> {
    kind.range().prop_filter("defined", move |&v| kind.is_defined(&Core::WIDEST, v)).boxed()
}

fn operands(row: &'static Row) -> BoxedStrategy<Vec<i32>> {
    row.operands.iter().map(|o| defined_value(o.kind)).collect::<Vec<_>>().boxed()
}

fn arith() -> impl Strategy<Value = Inst<Arith>> {
    Union::new(
        Arith::ALL
            .iter()
            .map(|&op| operands(op.row()).prop_map(move |v| Inst::new(op, &v)).boxed()),
    )
}

fn exch() -> impl Strategy<Value = Inst<Exch>> {
    Union::new(
        Exch::ALL.iter().map(|&op| operands(op.row()).prop_map(move |v| Inst::new(op, &v)).boxed()),
    )
}

fn bundle() -> impl Strategy<Value = Bundle> {
    (0u8..8, arith(), exch())
        .prop_map(|(cc, arith, exch)| Bundle { cc, arith, exch })
        .prop_filter("defined", |b| b.check(&Core::WIDEST).is_ok())
}

#[test]
fn no_two_operations_share_an_opcode_or_a_name() {
    for slot in [cp2_isa::Slot::Arithmetic, cp2_isa::Slot::Exchange] {
        let rows: Vec<_> = all_rows().into_iter().filter(|r| r.slot == slot).collect();
        for (i, a) in rows.iter().enumerate() {
            for b in &rows[i + 1..] {
                assert_ne!(a.code, b.code, "{} and {}", a.name, b.name);
                assert_ne!(a.name, b.name);
            }
        }
    }
    let shared: Vec<_> = Arith::ALL
        .iter()
        .filter(|a| Exch::from_name(a.row().name).is_some())
        .map(|a| a.row().name)
        .collect();
    assert_eq!(shared, ["nop"], "a mnemonic must tell its slot");
}

#[test]
fn fields_of_an_operation_do_not_overlap() {
    for row in all_rows() {
        let (opcode, allowed) = match row.slot {
            cp2_isa::Slot::Arithmetic => {
                (fields::OP.mask(), 0xff << 64 | BundleBits::from(u64::MAX << 32))
            }
            cp2_isa::Slot::Exchange => {
                (fields::OP2.mask() | fields::OP2_HIGH.mask(), 0xf << 72 | ((1 << 29) - 1))
            }
        };
        // The format of a word access stands in its opcode.
        let format = fields::WORD_REGISTER.mask() | fields::WORD_MEMORY.mask();
        let has_format = row.slot == Slot::Exchange && row.code >= 0x60;
        let mut used = opcode & !(if has_format { format } else { 0 }) | fields::CC.mask();
        for operand in row.operands {
            let mask = operand.kind.mask();
            assert_eq!(mask & used, 0, "{}: {:?} overlaps", row.name, operand.kind);
            assert_eq!(mask & !allowed, 0, "{}: {:?} leaves its slot", row.name, operand.kind);
            used |= mask;
        }
    }
}

#[test]
fn every_row_counts_flops_only_with_flags() {
    for row in all_rows() {
        if row.flops > 0 {
            assert!(row.effects.contains(cp2_isa::Effects::FLAGS), "{}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn decode_gives_back_what_was_encoded(b in bundle()) {
        prop_assert_eq!(decode(encode(&b), &Core::WIDEST), Ok(b));
    }

    #[test]
    fn a_decoded_word_encodes_to_itself_but_for_unused_bits(low: u64, upper in 0u16..4096) {
        let word = BundleBits::from(upper) << 64 | BundleBits::from(low);
        if let Ok(b) = decode(word, &Core::WIDEST) {
            let canonical = encode(&b);
            prop_assert_eq!(decode(canonical, &Core::WIDEST), Ok(b));
            let mut used = fields::OP.mask() | fields::OP2.mask() | fields::OP2_HIGH.mask();
            used |= fields::CC.mask();
            b.arith.op.row().operands.iter().for_each(|o| used |= o.kind.mask());
            b.exch.op.row().operands.iter().for_each(|o| used |= o.kind.mask());
            prop_assert_eq!(canonical, word & used);
        }
    }
}

/// The worked example of the page of the extension.
#[test]
fn high_bits_of_registers_stand_in_the_upper_word() {
    let bundle = |registers: [i32; 4], to, from| Bundle {
        arith: Inst::new(Arith::Caddsub, &registers),
        exch: Inst::new(Exch::permutation_to(to).expect("reached"), &[to, from, 0, 1, 2, 3]),
        ..Bundle::NOP
    };
    let wide = bundle([65, 130, 195, 4], 97, 192);
    let bits = encode(&wide);
    // fd 1, fs 2, ft 3, fq 0, ft2 3, fd2 1.
    assert_eq!(bits >> 64, 0b01_11_00_11_10_01);
    assert_eq!(bits as u64, encode(&bundle([1, 2, 3, 4], 33, 0)) as u64);
    assert_eq!(decode(bits, &Core::WIDEST), Ok(wide));
    assert!(decode(bits, &Core::CP2).is_err());
    assert_eq!(extensions_of(bits), Extensions::MORE_FPRS);
    assert_eq!(extensions_of(encode(&bundle([1, 2, 3, 4], 33, 0))), Extensions::empty());
}

#[test]
fn every_row_names_sections_that_there_are() {
    for row in all_rows() {
        let first = row.sources.first().expect(row.name);
        assert_eq!(first.document, Document::Isa, "{}", row.name);
        let table = match row.slot {
            Slot::Arithmetic => "3",
            Slot::Exchange => "5",
        };
        assert!(first.sections.contains(&table), "{}: its own row is in section {table}", row.name);
        for source in row.sources {
            let places: Vec<_> = source
                .sections
                .iter()
                .map(|section| source.document.sections().iter().position(|known| known == section))
                .collect();
            assert!(places.iter().all(Option::is_some), "{}: {source}", row.name);
            assert!(places.is_sorted_by(|a, b| a < b), "{}: {source}", row.name);
        }
        let documents: Vec<Document> = row.sources.iter().map(|source| source.document).collect();
        assert!(documents.is_sorted(), "{}: {documents:?}", row.name);
    }
}

/// A row names a section if the rules of that section are about its operation, and only then.
#[test]
fn rows_name_the_rules_that_they_obey() {
    let names = |row: &Row, document, section| {
        let mut sources = row.sources.iter().filter(|source| source.document == document);
        sources.any(|source| source.sections.contains(&section))
    };
    for row in all_rows() {
        let is = |effect| row.effects.contains(effect);
        let arithmetic = row.slot == Slot::Arithmetic && row.unit != Unit::Nop;
        let elementary = names(row, Document::Isa, "4.4");
        let flags = is(Effects::FLAGS) && !elementary;
        assert_eq!(names(row, Document::Isa, "4.1"), flags, "{}", row.name);
        assert_eq!(names(row, Document::Isa, "4.2"), arithmetic && !elementary, "{}", row.name);
        assert_eq!(names(row, Document::Isa, "4.3"), is(Effects::COEFFICIENT), "{}", row.name);
        assert_eq!(names(row, Document::Elementary, "1"), elementary, "{}", row.name);
        assert_eq!(
            names(row, Document::Timing, "Control"),
            is(Effects::CONTROL) || is_register(row)
        );
    }
}

/// Whether the operation is a `move`, which reaches registers of the flow.
fn is_register(row: &Row) -> bool {
    row.operands.iter().any(|o| matches!(o.kind, OperandKind::MoveReg(..)))
}

/// Returns a bundle with one operation, whose operands are these.
fn alone(row: &'static Row, values: &[i32]) -> Bundle {
    match (Arith::from_name(row.name), Exch::from_name(row.name)) {
        (Some(op), _) if row.slot == Slot::Arithmetic => {
            Bundle { arith: Inst::new(op, values), ..Bundle::NOP }
        }
        (_, Some(op)) => Bundle { exch: Inst::new(op, values), ..Bundle::NOP },
        _ => unreachable!("a row is of one half"),
    }
}

/// Returns the least values that the operation takes, FPRs all different.
fn operands_of(row: &'static Row) -> Vec<i32> {
    let one = |(k, operand): (usize, &cp2_isa::Operand)| match operand.kind {
        OperandKind::Fpr(_) | OperandKind::FprPair(_) => 2 * k as i32,
        kind => {
            kind.range().find(|&v| v >= 0 && kind.is_defined(&Core::WIDEST, v)).expect("a value")
        }
    };
    row.operands.iter().enumerate().map(one).collect()
}

/// Returns the core of CP2 with every extension but more FPRs.
fn extended() -> Core {
    let extensions = Extensions::all() - Extensions::MORE_FPRS;
    Core::new(cp2_isa::CoreNumbers { extensions, ..*Core::CP2.numbers() }).expect("a core")
}

/// `ldo`, `ldsa`, `mldsa`, `cldi`, `mvmadd`, `qsdot`, `psprmsgn` and all others of their kind.
#[test]
fn two_registers_from_the_last_one_on_are_undefined() {
    let mut names = Vec::new();
    for core in [extended(), Core::WIDEST] {
        let last = core.fprs() as i32 - 1;
        for row in all_rows() {
            for (k, operand) in row.operands.iter().enumerate() {
                if !matches!(operand.kind, OperandKind::FprPair(_)) {
                    continue;
                }
                let mut values = operands_of(row);
                values[k] = last - 1;
                assert_eq!(alone(row, &values).check(&core), Ok(()), "{}", row.name);
                values[k] = last;
                let refused = Err(Undefined::Beyond(row.name, operand.kind, last, last - 1));
                assert_eq!(alone(row, &values).check(&core), refused);
                assert_eq!(decode(encode(&alone(row, &values)), &core).map(|_| ()), refused);
                names.push(row.name);
            }
        }
    }
    for name in ["ldsa", "sdsa", "mldsa", "msdsa", "cldi", "cldnm", "csdi", "csdnm", "ldo"] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn bits_that_no_field_takes_are_ignored() {
    let core = extended();
    for row in all_rows() {
        let bundle = alone(row, &operands_of(row));
        let word = encode(&bundle);
        let (own, opcode) = match row.slot {
            Slot::Arithmetic => (BundleBits::from(u64::MAX << 32), fields::OP.mask()),
            Slot::Exchange => ((1 << 29) - 1, fields::OP2.mask()),
        };
        let used = row.operands.iter().fold(opcode, |used, operand| used | operand.kind.mask());
        let unused = own & !used & !fields::OP2_HIGH.mask();
        assert_eq!(decode(word, &core), Ok(bundle), "{}", row.name);
        for bit in (0..64).map(|bit| 1 << bit).filter(|bit| unused & bit != 0).chain([unused]) {
            assert_eq!(decode(word | bit, &core), Ok(bundle), "{}: {bit:#x}", row.name);
        }
    }
}
