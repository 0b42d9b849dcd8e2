//! Instructions that cannot be done, and files that are no programs: what is said of them.

mod common;

use common::{fixture, process, run};
use cp2_k64::elf::{ElfProgram, Symbolizer};
use cp2_k64::exception::{AccessKind, Exception};
use cp2_k64::user::ProcessEnd;

/// Runs a case of `programs/faults.s`; returns its exception, whether in a delay slot, and its place.
fn fault(case: usize) -> (Exception, bool, String) {
    let arguments: Vec<&str> = std::iter::repeat_n("x", case).collect();
    let (end, _, process) = run("faults.elf", &arguments, None);
    let ProcessEnd::Exception { exception, is_delayed } = end else {
        panic!("case {case}: {end:?}")
    };
    (exception, is_delayed, Symbolizer::read(&fixture("faults.elf")).describe(process.core.pc))
}

#[test]
fn every_fault_is_told_with_symbol_and_line() {
    let (exception, is_delayed, place) = fault(1);
    assert_eq!((exception, is_delayed), (Exception::Reserved(0xec00_0000), false));
    assert!(place.starts_with("table+0x10"), "{place}");
    let (exception, _, place) = fault(2);
    assert_eq!(place, "table+0x20 (./faults.s:20)");
    assert!(
        matches!(exception, Exception::Unaligned { access: AccessKind::Load, address } if address % 4 == 1)
    );
    assert_eq!(fault(3).0, Exception::Unmapped { address: 0, access: AccessKind::Load });
    let (exception, _, place) = fault(4);
    assert!(
        matches!(exception, Exception::Protected { access: AccessKind::Store, .. }),
        "{exception}"
    );
    assert!(place.contains("faults.s:41"), "{place}");
    assert_eq!(fault(5).0, Exception::Trap(7));
    assert_eq!(fault(7).0, Exception::Overflow);
    assert_eq!(fault(8).0, Exception::Coprocessor(0));
    assert!(matches!(fault(9).0, Exception::Protected { access: AccessKind::Fetch, .. }));
}

#[test]
fn a_trap_has_a_code_of_10_bits() {
    let mut bytes = fixture("faults.elf");
    let is_trap = |word: &[u8]| word[0] >> 2 == 0 && word[2..] == [0x01, 0xf4];
    let at = bytes.chunks_exact(4).position(is_trap).expect("`teq` with code 7") * 4;
    bytes[at + 2..at + 4].copy_from_slice(&(0x2a7 << 6 | 0x34_u16).to_be_bytes());
    let program = ElfProgram::read(&bytes).expect("a program");
    let (mut process, _) = process(&program, &["x"; 5], None).expect("a process");
    let ProcessEnd::Exception { exception, .. } = process.run(1_000_000) else { panic!("no trap") };
    assert_eq!(exception, Exception::Trap(0x2a7));
}

#[test]
fn a_fault_in_a_delay_slot_has_the_place_of_its_branch() {
    let (exception, is_delayed, place) = fault(6);
    assert!(matches!(exception, Exception::Unaligned { access: AccessKind::Load, .. }));
    assert!(is_delayed);
    assert!(place.contains("faults.s:30"), "{place}");
}

#[test]
fn files_that_are_no_programs() {
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fixture("faults.elf");
        change(&mut bytes);
        ElfProgram::read(&bytes).expect_err("refused").to_string()
    };
    assert_eq!(refused(&|b| b[0] = 0), "no ELF file");
    assert!(refused(&|b| b[5] = 1).contains("for another processor"));
    let turned = |b: &mut Vec<u8>| {
        b[5] = 1;
        b.swap(18, 19);
    };
    assert!(refused(&turned).contains("not mips64el"));
    // As one of 32 bits its fields lie elsewhere.
    assert!(!refused(&|b| b[4] = 1).is_empty());
    assert!(refused(&|b| b[19] = 62).contains("machine 62"));
    assert!(refused(&|b| b[17] = 3).contains("-static"));
    assert!(!refused(&|b| b.truncate(100)).is_empty());
    // The flags, from byte 48 on.
    assert!(refused(&|b| b[48] = 0xa0).contains("release 6"));
    assert!(refused(&|b| b[48] |= 4).contains("MIPS16"));
    assert!(refused(&|b| b[50] |= 4).contains("-mnan=legacy"));
    // Byte 7 of the flags of the ABI, which begin at 0xb8 here.
    let mut words = fixture("words.elf");
    words[0xb8 + 7] = 1;
    assert!(ElfProgram::read(&words).expect_err("refused").to_string().contains("-mfp64"));
}

#[test]
fn a_program_of_32_bits_is_none_for_linux() {
    let program = ElfProgram::read(&fixture("words.elf")).expect("a program");
    let refused = process(&program, &["words"], None).err();
    assert_eq!(
        refused.map(|e| e.to_string()).unwrap_or_default(),
        "a 32-bit ELF file; compile with -mabi=64"
    );
}

#[test]
fn no_file_of_any_length_or_content_panics() {
    let whole = fixture("faults.elf");
    for length in 0..whole.len().min(600) {
        let _ = ElfProgram::read(&whole[..length]);
    }
    for at in 0..0x200 {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            if let Ok(program) = ElfProgram::read(&bytes) {
                let _ = Symbolizer::read(&bytes).describe(program.entry);
            }
        }
    }
}
