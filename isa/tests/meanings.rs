//! What the crate says of operands and accesses, each against a second way to tell it.

use cp2_isa::{
    Access, AccessMode, AddressForm, Arith, Core, Exch, Extensions, Halves, Inst, MoveReg,
    OperandFormat, OperandKind, RegFile, Resource, Row, SECTIONS, SHARED_WORDS, SectionMask,
    SharedWords, Unit, WordAddress, Words, WordsFrom,
};
use proptest::prelude::*;

/// Returns every operation of the exchange half, all of its operands with this bit pattern in as many bits as they have.
fn exchange(pattern: i32) -> impl Iterator<Item = Inst<Exch>> {
    let with = move |&op: &Exch| {
        let value = |kind: OperandKind| (kind.range().start() | pattern) & kind.range().end();
        Inst::new(op, &op.row().operands.iter().map(|o| value(o.kind)).collect::<Vec<_>>())
    };
    Exch::ALL.iter().map(with)
}

fn accesses(inst: &Inst<Exch>) -> Vec<Access> {
    let mut found = Vec::new();
    inst.footprint(0, &mut |access| found.push(access));
    found
}

fn has(row: &Row, is: impl Fn(OperandKind) -> bool) -> bool {
    row.operands.iter().any(|operand| is(operand.kind))
}

#[test]
fn an_operand_takes_as_many_values_as_its_bits_tell() {
    let arithmetic = Arith::ALL.iter().map(|op| op.row());
    for row in arithmetic.chain(Exch::ALL.iter().map(|op| op.row())) {
        for operand in row.operands {
            // Some bits of such a register are in the opcode.
            if matches!(operand.kind, OperandKind::FprPermute(_)) {
                continue;
            }
            let (low, high) = operand.kind.range().into_inner();
            let values = i64::from(high) - i64::from(low) + 1;
            assert_eq!(values, 1i64 << operand.kind.mask().count_ones(), "{operand:?}");
            for value in [low, high] {
                assert_eq!(operand.kind.decode(operand.kind.encode(value)), value, "{operand:?}");
            }
        }
    }
}

/// Formats whose name begins with p compare both halves; formats whose name ends with w compare integers.
#[test]
fn the_four_formats_differ_as_their_names_do() {
    for value in 0..4 {
        let (name, format) = (cp2_isa::format_name(value), OperandFormat::from_value(value.into()));
        assert_eq!(format.is_pairwise(), name.starts_with('p'), "{name}");
        assert_eq!(format.is_integer(), name.ends_with('w'), "{name}");
    }
}

/// A pairwise comparison reads both halves of its operands, another one the low halves.
#[test]
fn a_comparison_reads_the_halves_that_its_format_has() {
    let row = Arith::C.row();
    let at = row.operands.iter().position(|o| o.kind == OperandKind::Format);
    let mut values = vec![0; row.operands.len()];
    for format in 0..4 {
        values[at.unwrap_or(0)] = format;
        let expected =
            if OperandFormat::from_value(format).is_pairwise() { Halves::BOTH } else { Halves::LO };
        let inst = Inst::new(Arith::C, &values);
        let mut read = Vec::new();
        inst.footprint(0, &mut |access| match access.resource {
            Resource::Fpr(_, halves) if access.used().is_some() => read.push(halves),
            _ => {}
        });
        assert_eq!(read, [expected; 2], "{format}");
    }
}

/// A load uses words of memory and changes none, a store changes some; nothing else touches them.
#[test]
fn loads_use_memory_and_stores_change_it() {
    for inst in exchange(0) {
        let row = inst.op.row();
        let of_memory: Vec<_> = accesses(&inst)
            .into_iter()
            .filter(|a| matches!(a.resource, Resource::Memory(_) | Resource::Shared))
            .collect();
        let is_used = of_memory.iter().any(|a| a.used().is_some());
        let is_changed = of_memory.iter().any(|a| a.changed().is_some());
        assert_eq!(
            (is_used, is_changed),
            (row.unit == Unit::Load, row.unit == Unit::Store),
            "{row:?}"
        );
    }
}

/// Part of a word of memory changes where half of it is stored, all of it where whole words are.
#[test]
fn a_store_of_half_a_word_leaves_the_other_half() {
    for inst in exchange(1).filter(|inst| inst.op.row().unit == Unit::Store) {
        let is_word = |access: &Access| matches!(access.resource, Resource::Memory(_));
        let Some(access) = inst.memory_access() else { continue };
        for stored in accesses(&inst).into_iter().filter(is_word) {
            let expected =
                if access.half.is_some() { AccessMode::Update } else { AccessMode::Define };
            assert_eq!(stored.mode, expected, "{inst:?}");
        }
    }
}

/// The mailbox is seen when COMM is written to STATUS.COMMCP2, and a `move` of COMM changes it.
#[test]
fn a_move_to_the_mailbox_changes_it() {
    let packed = |register: MoveReg| register.packed();
    let values = [packed(MoveReg::COMM), packed(MoveReg { file: RegFile::Gpr, number: 1 })];
    for values in [values, [values[1], values[0]]] {
        let found = accesses(&Inst::new(Exch::Move, &values));
        let is_changed = found.iter().any(|a| a.changed() == Some(Resource::Mailbox));
        assert!(is_changed, "{values:?}");
    }
    let latencies = Core::CP2.latencies();
    let distance = latencies.distance(Unit::Scalar, Resource::Mailbox, Unit::Scalar);
    assert_eq!(distance, latencies.comm_to_status);
}

/// A `move` writes the control register that it names first and reads the one that it names second.
#[test]
fn a_move_tells_the_control_registers_on_both_sides() {
    let registers: Vec<MoveReg> = (0..128).filter_map(MoveReg::from_packed).collect();
    let control = |reg: MoveReg| (reg.file == RegFile::Control).then_some(reg.number);
    for (&to, &from) in registers.iter().flat_map(|to| registers.iter().map(move |from| (to, from)))
    {
        let inst = Inst::new(Exch::Move, &[to.packed(), from.packed()]);
        assert_eq!((inst.control_written(), inst.control_read()), (control(to), control(from)));
    }
}

/// The angle that an arithmetic operation steps is seen beside it, one that a `move` writes by the next bundle.
#[test]
fn the_angle_is_seen_at_once_where_it_is_stepped() {
    let angle = Resource::Control(cp2_isa::control::RIND);
    let distance = |from, to| Core::CP2.latencies().distance(from, angle, to);
    assert_eq!(distance(Unit::Arithmetic, Unit::Scalar), 0);
    assert_eq!(distance(Unit::Scalar, Unit::Scalar), distance(Unit::Scalar, Unit::Arithmetic));
    assert!(distance(Unit::Scalar, Unit::Scalar) > 0);
}

/// Flags of STATUS that `mtc` raises take as long as the condition codes that it writes.
#[test]
fn flags_follow_the_conditions_that_are_written_with_them() {
    let distance = |resource| Core::CP2.latencies().distance(Unit::Creg, resource, Unit::Scalar);
    assert_eq!(distance(Resource::Fpe), distance(Resource::Fccr(1)));
}

/// An operand that names a set of addresses accesses the registers of that set.
#[test]
fn an_address_set_is_accessed_by_what_names_it() {
    for (inst, set) in [0, 5, 15].into_iter().flat_map(|k| exchange(k).map(move |i| (i, k as u8))) {
        let found = accesses(&inst);
        let touches = |resource| found.iter().any(|a| a.resource == resource);
        for kind in inst.op.row().operands.iter().map(|o| o.kind) {
            let register = match kind {
                OperandKind::AddressSet | OperandKind::Address(_) => Resource::A(set),
                OperandKind::SectionSet(_) | OperandKind::SectionAddress => Resource::SectionA(set),
                OperandKind::SharedSet | OperandKind::SharedAddress => Resource::SharedA(set),
                _ => continue,
            };
            assert!(touches(register), "{inst:?} does not touch {register:?}");
            if kind == OperandKind::Address(AddressForm::PlusN) {
                assert!(touches(Resource::N(set)), "{inst:?} steps without Nn");
            }
        }
    }
}

/// An access of 32 bits moves the half of a register that it names; no other moves half a register.
#[test]
fn an_access_moves_the_half_that_it_names() {
    for inst in exchange(1) {
        let Some(access) = inst.memory_access() else { continue };
        let names_half = inst.op.row().extension == Extensions::WORD_ACCESS
            && has(inst.op.row(), |kind| matches!(kind, OperandKind::FprHalf(..)));
        assert_eq!(access.half.is_some(), names_half, "{inst:?}");
        assert_eq!(access.is_store, inst.op.row().unit == Unit::Store, "{inst:?}");
    }
}

/// `mtsa` alone writes the addresses that sections have of their own.
#[test]
fn section_addresses_are_written_by_one_operation() {
    for inst in exchange(1) {
        let is_told = inst.section_addresses().is_some();
        assert_eq!(is_told, inst.op == Exch::Mtsa, "{inst:?}");
    }
}

/// Four sections get words that follow each other, counted around the end of shared memory, or all the same one.
#[test]
fn shared_words_lie_side_by_side_or_are_one() {
    for inst in exchange(0) {
        let Some(access) = inst.shared_access() else { continue };
        for first in [0, 7, SHARED_WORDS as u16 - 2] {
            let places = access.places(WordAddress(first));
            let expected: [u16; SECTIONS] = match access.words {
                SharedWords::Four => {
                    std::array::from_fn(|s| (first + s as u16) % SHARED_WORDS as u16)
                }
                _ => [first; SECTIONS],
            };
            assert_eq!(places.map(|word| word.0), expected, "{inst:?}");
        }
    }
}

/// Every load and store of shared memory is told as one, and nothing else is.
#[test]
fn what_moves_shared_words_is_told() {
    for inst in exchange(0) {
        let row = inst.op.row();
        let moves = matches!(row.unit, Unit::Load | Unit::Store);
        let is_shared = moves && row.extension == Extensions::SHARED_MEMORY;
        let access = inst.shared_access();
        assert_eq!(access.is_some(), is_shared, "{inst:?}");
        let of_one = has(row, |kind| matches!(kind, OperandKind::Section(..)));
        if let Some(access) = access {
            assert_eq!(matches!(access.words, SharedWords::Of(_)), of_one, "{inst:?}");
            assert_eq!(access.is_store, row.unit == Unit::Store, "{inst:?}");
        }
    }
}

/// A word of a permutation is one of four by its two low bits, and flipped by the third.
#[test]
fn permuted_words_are_numbered_in_order() {
    for op in Exch::ALL.iter().filter(|op| op.row().unit == Unit::Permute) {
        for value in 0..8 {
            let first = *op.row().operands[0].kind.range().start();
            let inst = Inst::new(*op, &[first, 2, value, value, value, value]);
            for word in inst.permutation().into_iter().flat_map(|p| p.words) {
                assert_eq!((word.number(), word.is_flipped), (value & 3, value > 3), "{value}");
                assert_eq!(word.half, Halves::named(value), "{value}");
            }
        }
    }
}

/// Pairwise comparisons set two condition codes, others one, and the footprint has these.
#[test]
fn a_comparison_sets_a_code_for_each_half_that_it_compares() {
    let row = Arith::C.row();
    for format in 0..4 {
        let value = |kind| if kind == OperandKind::Format { format } else { 2 };
        let values: Vec<i32> = row.operands.iter().map(|o| value(o.kind)).collect();
        let inst = Inst::new(Arith::C, &values);
        let mut set = 0;
        inst.footprint(0, &mut |access| {
            set += u8::from(
                matches!(access.resource, Resource::Fccr(_)) && access.changed().is_some(),
            );
        });
        let told = inst.comparison().map(|comparison| comparison.codes());
        let expected = if OperandFormat::from_value(format).is_pairwise() { 2 } else { 1 };
        assert_eq!((told, set), (Some(expected), expected), "{format}");
    }
}

#[test]
fn a_file_that_seti_reaches_is_found_by_its_code() {
    for code in 0..4 {
        assert_eq!(RegFile::from_seti(code).seti_code(), Some(code));
    }
    assert_eq!([RegFile::Control, RegFile::Ireg].map(RegFile::seti_code), [None; 2]);
}

#[test]
fn halves_mask_their_bits() {
    let masks = [Halves::empty(), Halves::LO, Halves::HI, Halves::BOTH].map(Halves::mask);
    assert_eq!(masks, [0, 0xffff_ffff, 0xffff_ffff_0000_0000, u64::MAX]);
}

/// The mask that a mask covers has no section that this one lacks.
#[test]
fn a_mask_covers_its_parts() {
    for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
        let mask = |bits: u8| SectionMask::from_bits(bits);
        assert_eq!(mask(a).covers(mask(b)), b & !a == 0, "{a:04b} {b:04b}");
    }
}

proptest! {
    #[test]
    fn words_may_meet_if_a_word_is_in_both(a in 0u16..8, b in 0u16..8, n in 1u8..5, m in 1u8..5) {
        let words = |from, count| Words { from: WordsFrom::Word(WordAddress(from)), count };
        let common = (a..a + u16::from(n)).any(|word| (b..b + u16::from(m)).contains(&word));
        prop_assert_eq!(words(a, n).may_meet(words(b, m)), common);
    }
}

/// A bundle needs the extensions of both its halves, which may be the same one.
#[test]
fn a_bundle_needs_what_either_half_needs() {
    let all: Vec<Inst<Exch>> = exchange(1).collect();
    for op in Arith::ALL {
        let arith = Inst::new(*op, &vec![1; op.row().operands.len()]);
        for exch in &all {
            let (needs, more) = (op.row().extension, exch.op.row().extension);
            let word = cp2_isa::encode(&cp2_isa::Bundle { cc: 0, arith, exch: *exch });
            // Operands that no core has make a bundle that is none.
            if cp2_isa::decode(word, &Core::WIDEST).is_ok() {
                let found = cp2_isa::extensions_of(word).difference(Extensions::MORE_FPRS);
                let expected = needs.union(more).difference(Extensions::MORE_FPRS);
                assert_eq!(found, expected, "{op:?} {:?}", exch.op);
            }
        }
    }
}
