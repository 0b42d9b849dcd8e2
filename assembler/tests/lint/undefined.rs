//! C0520 to C0538: each rule with what is certain, what may be, and its neighbour that is neither.

use crate::kit::*;
use cp2_isa::{Arith, BundleAddress, Exch, MoveReg, RegFile, control};
use cp2_lint::{Finding, Options, lint_for};

fn found(parts: &[Part]) -> Vec<Finding> {
    let options = Options { undefined: true, ..Options::default() };
    let mut all = lint_for(&image(parts), &options);
    all.retain(|finding| finding.code >= "C0520");
    all
}

#[track_caller]
fn open(parts: &[Part], expected: &[(&str, u16)]) {
    let all = found(parts);
    let short: Vec<_> = all.iter().map(|f| (f.code, f.address.0)).collect();
    assert_eq!(short, expected, "{all:#?}");
}

/// Returns the message of the only finding.
#[track_caller]
fn message(parts: &[Part]) -> String {
    let all = found(parts);
    assert_eq!(all.len(), 1, "{all:#?}");
    all[0].message.clone()
}

fn packed(file: RegFile, number: u8) -> i32 {
    MoveReg { file, number }.packed()
}

fn creg(number: u8) -> i32 {
    packed(RegFile::Control, number)
}

fn mov(to: i32, from: i32) -> Part {
    exch(Exch::Move, &[to, from])
}

fn set(file: i32, number: i32, value: i32) -> Part {
    exch(Exch::Seti, &[16 * file + number, value])
}

/// Creates `lwo f1, (r1)+by`.
fn step(by: i32) -> Part {
    exch(Exch::Lwo, &[1, 1 + 16 * by])
}

#[test]
fn negative_steps_of_reversed_sets() {
    let with_mode = |mode: i32, by: i32| [set(3, 1, mode), step(by), stop()];
    open(&with_mode(0, -1), &[("C0520", 1)]);
    open(&with_mode(0, 1), &[]);
    open(&with_mode(0x1fff, -1), &[]);
    open(&with_mode(7, -1), &[]);
    assert!(message(&with_mode(0, -1)).ends_with("which is bit-reversed"));
    // Nothing is known of the mode at the start.
    assert!(message(&[step(-1), stop()]).contains("may be bit-reversed"));
    // So the first step of each set is told; all of those that are known to be reversed are.
    let other = exch(Exch::Lwo, &[1, 2 - 16]);
    open(&[step(-1), step(-1), other, stop()], &[("C0520", 0), ("C0520", 2)]);
    open(&[set(3, 1, 0), step(-1), step(-1), stop()], &[("C0520", 1), ("C0520", 2)]);
    open(&[exch(Exch::Clr, &[1]), step(-1), stop()], &[]);
    open(&[set(3, 1, 0), exch(Exch::Updaddr, &[1 - 16]), stop()], &[("C0520", 1)]);
    open(&[set(3, 1, 0), exch(Exch::Lwnm, &[1, 1]), stop()], &[]);
}

fn mtc(to: i32) -> Part {
    arith(Arith::Mtc, &[1, to])
}

fn read_status() -> Part {
    mov(1, MoveReg::STATUS.packed())
}

#[test]
fn status_behind_a_mtc_to_fccr() {
    let program = |n: usize| [mtc(1), nops(n), read_status(), stop()];
    open(&program(5), &[]);
    open(&program(6), &[("C0521", 7)]);
    open(&program(60), &[("C0521", 61)]);
    // Replaced in both by a `mtc` to fcsr that has landed.
    open(&[mtc(1), mtc(0), nops(5), read_status(), stop()], &[("C0521", 7)]);
    open(&[mtc(1), mtc(0), nops(6), read_status(), stop()], &[]);
    open(&[mtc(0), nops(9), read_status(), stop()], &[]);
}

#[test]
fn flags_that_overtake_a_mtc_to_fcsr() {
    let program = |before: usize| [mtc(0), nops(before), add(1, 2), nops(9), read_status(), stop()];
    for before in 0..6 {
        open(&program(before), &[("C0522", 11 + before as u16)]);
    }
    open(&program(6), &[]);
    // Before the landing both have the flags.
    open(&[mtc(0), add(1, 2), nops(4), read_status(), stop()], &[]);
    // `copy` raises none.
    open(&[mtc(0), arith(Arith::Copy, &[1, 2]), nops(9), read_status(), stop()], &[]);
    // Around a loop.
    let around =
        |count: i32| [doi(count, 11), add(1, 2), nops(7), read_status(), mtc(0), nops(2), stop()];
    open(&around(2), &[("C0522", 9)]);
    open(&around(1), &[]);
}

#[test]
fn index_registers_in_the_next_bundle() {
    let index = packed(RegFile::Ireg, 2);
    for write in [mov(index, 1), exch(Exch::Mffpr, &[16 + 2, 1, 0])] {
        for read in [mov(3, index), exch(Exch::Mtfpr, &[1, 16 + 2, 4])] {
            open(&[write.clone(), read.clone(), stop()], &[("C0523", 1)]);
            open(&[write.clone(), nops(1), read, stop()], &[]);
        }
    }
    open(&[mov(packed(RegFile::Ireg, 1), 1), mov(3, index), stop()], &[]);
}

#[test]
fn address_registers_in_the_next_bundle() {
    let address = packed(RegFile::A, 1);
    let program = |value: i32| [set_g(1, value), mov(address, 1), mov(2, address), stop()];
    open(&program(0x1fff), &[]);
    open(&program(0x2000), &[("C0524", 2)]);
    assert!(message(&program(0x2000)).contains("0x2000"));
    let unknown = [mov(address, 1), mov(2, address), stop()];
    assert!(message(&unknown).contains("may exceed"));
    open(&[mov(address, 1), nops(1), mov(2, address), stop()], &[]);
    open(&[mov(address, packed(RegFile::N, 1)), mov(2, address), stop()], &[]);
    open(&[set(1, 1, 0x2000), mov(2, address), stop()], &[("C0524", 1)]);
    open(&[set(1, 1, 0x1fff), mov(2, address), stop()], &[]);
    // An address computation takes 13 bits.
    open(&[mov(address, 1), step(1), stop()], &[]);
}

/// Creates `depth` loops in each other, `gap` bundles before the last.
fn nested(depth: usize, gap: usize) -> Vec<Part> {
    let start = depth + gap;
    let mut parts: Vec<Part> = Vec::new();
    for k in 0..depth {
        if k + 1 == depth {
            parts.push(nops(gap));
        }
        parts.push(doi(2, (start + depth - 1 - k) as i32));
    }
    parts.extend([nops(depth + 1), stop()]);
    parts
}

#[test]
fn sixteen_loops() {
    open(&nested(15, 0), &[]);
    open(&nested(16, 0), &[("C0525", 15)]);
    open(&nested(16, 1), &[("C0525", 16)]);
    // From three bundles on both set LOE.
    open(&nested(16, 2), &[]);
}

#[test]
fn control_in_nullified_bundles() {
    let acting = [sync(), exch(Exch::StartDma, &[]), doi(0, 3)];
    for part in acting {
        let program = |count: i32| [doi(count, 4), part.clone(), nops(5), stop()];
        assert!(message(&program(0)).contains("is nullified"), "{:#?}", found(&program(0)));
        open(&program(2), &[]);
    }
    open(&[doi(0, 3), enddo(), nops(4), stop()], &[("C0526", 1)]);
    open(&[doi(0, 4), doi(2, 2), nops(5), stop()], &[]);
    open(&[doi(0, 3), load(1), nops(4), stop()], &[]);
    let may = found(&[do_g(1, 3), sync(), nops(4), stop()]);
    assert!(may.iter().any(|f| f.code == "C0526" && f.message.contains("may be nullified")));
}

#[test]
fn neighbours_of_enddo_and_stop() {
    let before =
        |part: Part, gap: usize| [doi(2, 6), nops(1), part, nops(gap), enddo(), nops(4), stop()];
    for number in [control::LC, control::LA] {
        open(&before(mov(1, creg(number)), 0), &[("C0527", 3)]);
        open(&before(mov(1, creg(number)), 1), &[]);
    }
    open(&before(mov(1, creg(control::LSP)), 0), &[]);
    open(&[doi(2, 4), enddo(), nops(4), stop()], &[("C0527", 1)]);
    open(&[doi(2, 4), nops(1), enddo(), nops(4), stop()], &[]);
    open(&[mov(1, creg(control::STOPCODE)), stop()], &[("C0527", 1)]);
    open(&[mov(1, creg(control::STOPCODE)), nops(1), stop()], &[]);
    let lue = [mov(MoveReg::STATUS.packed(), 1), enddo(), stop()];
    open(&lue, &[("C0530", 0), ("C0527", 1)]);
}

#[test]
fn counts_of_more_than_32_bits() {
    assert!(message(&[do_g(1, 2), nops(3), stop()]).contains("may be 0"));
    open(&[set_g(1, 3), nops(1), do_g(1, 4), nops(3), stop()], &[]);
    open(&[doi(3, 2), nops(3), stop()], &[]);
}

#[test]
fn moves_to_control_and_status() {
    let to = |number: u8| mov(creg(number), 1);
    let with = |value: i32| [set_g(1, value), to(control::CONTROL), stop()];
    open(&with(3), &[]);
    open(&with(4), &[("C0529", 1)]);
    assert!(message(&[to(control::CONTROL), stop()]).contains("may set"));
    open(&[set_g(1, 0), to(control::STATUS), stop()], &[("C0530", 1)]);
    open(&[to(control::RIND), to(control::COMM), stop()], &[]);
}

#[test]
fn moves_to_lc_and_la() {
    let (lc, la) = (creg(control::LC), creg(control::LA));
    open(&[mov(lc, 1), stop()], &[("C0531", 0)]);
    open(&[mov(la, 1), stop()], &[("C0531", 0)]);
    let inside = |to: i32, value: i32| [set_g(1, value), doi(4, 3), mov(to, 1), nops(2), stop()];
    open(&inside(lc, 1), &[]);
    open(&inside(lc, 0), &[("C0532", 2)]);
    open(&inside(la, 0x1fff), &[]);
    open(&inside(la, 0x2000), &[("C0531", 2)]);
    // The body changes what is moved, behind the `move`.
    let later = [set_g(1, 1), doi(4, 4), mov(lc, 1), set_g(1, 0), nops(2), stop()];
    assert_eq!(message(&later), "`move` to lc, perhaps of 0");
    // A procedure may be called from a loop.
    let called = [calli(4), nops(1), stop(), nops(1), mov(lc, 1), ret(), nops(1)];
    assert!(message(&called).contains("may be active"));
}

#[test]
fn words_and_places_that_are_refused() {
    open(&[jumpi(2), stop(), stop()], &[("C0533", 1)]);
    open(&[exch(Exch::Runi, &[1])], &[("C0537", 0)]);
    let word = |word| {
        let mut image = image(&[nops(1), stop()]);
        image.kernels[0].words[0] = word;
        let options = Options { undefined: true, ..Options::default() };
        let codes: Vec<_> = lint_for(&image, &options).iter().map(|f| f.code).collect();
        codes
    };
    // `swap64 f1, f1`, `mffpr` from section 4, an opcode that nothing has.
    assert_eq!(word(0x06 << 56 | 1 << 50 | 1 << 44), ["C0511", "C0534"]);
    assert_eq!(word(0x31 << 23 | 4), ["C0511"]);
    assert_eq!(word(0x01 << 56), ["C0511"]);
    assert_eq!(word(0x30 << 23 | 7), ["C0511", "C0536"]);
}

#[test]
fn marks_silence_them() {
    let mut marked = image(&[step(-1), stop()]);
    let options = Options { undefined: true, ..Options::default() };
    assert_eq!(lint_for(&marked, &options).len(), 1);
    marked.hints.allowed.insert(BundleAddress(0), vec!["C0520".into()].into());
    assert_eq!(lint_for(&marked, &options), []);
}
