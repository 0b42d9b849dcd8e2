//! C0507 to C0513, and marks of deliberate use.

use crate::kit::*;
use cp2_asm::image::{Image, Kernel, Symbol, SymbolKind};
use cp2_isa::{Arith, BundleAddress, Exch, encode};

/// Returns the program with every bundle under `.dmabank`.
fn with_dma(parts: &[Part], banks: u8) -> Image {
    let mut image = image(parts);
    let n = image.kernels[0].words.len() as u16;
    image.hints.dma_banks = (0..n).map(|address| (BundleAddress(address), banks)).collect();
    image
}

fn set_a(n: i32, value: i32) -> Part {
    exch(Exch::Seti, &[16 + n, value])
}

fn set_m(n: i32, value: i32) -> Part {
    exch(Exch::Seti, &[48 + n, value])
}

/// Creates `lwo f1, (rN)+step`.
fn step_load(n: i32, step: i32) -> Part {
    exch(Exch::Lwo, &[1, n + 16 * step])
}

#[test]
fn immediate_address_in_the_bank_of_the_dma() {
    let read = |word: i32| [exch(Exch::Lwi, &[1, word]), stop()];
    expect_image(&with_dma(&read(4095), 1), &[("C0507", 0)]);
    expect_image(&with_dma(&read(4096), 1), &[]);
    expect_image(&with_dma(&read(4096), 2), &[("C0507", 0)]);
    expect_image(&with_dma(&read(4095), 2), &[]);
    expect_image(&with_dma(&[exch(Exch::Sdi, &[2, 0]), stop()], 1), &[("C0507", 0)]);
}

#[test]
fn no_mark_no_finding() {
    silent(&[load(1), store(2), stop()]);
    expect_image(&with_dma(&[load(1), stop()], 0), &[]);
}

#[test]
fn unknown_address_is_silent_unless_both_banks_are_taken() {
    let program = [step_load(3, 1), stop()];
    expect_image(&with_dma(&program, 1), &[]);
    expect_image(&with_dma(&program, 2), &[]);
    expect_image(&with_dma(&program, 3), &[("C0507", 0)]);
    expect_image(&with_dma(&[add(1, 2), stop()], 3), &[]);
}

#[test]
fn address_from_seti_and_steps() {
    let program = [
        exch(Exch::Clr, &[2]),
        set_a(2, 4094),
        step_load(2, 1),
        step_load(2, 1),
        step_load(2, 1),
        stop(),
    ];
    let found: Vec<BundleAddress> = findings(&with_dma(&program, 2))
        .iter()
        .filter(|f| f.code == "C0507")
        .map(|f| f.address)
        .collect();
    assert_eq!(found, [BundleAddress(4)]);
}

#[test]
fn address_through_a_general_register() {
    let program =
        |word: i32| [set_g(5, word), exch(Exch::Move, &[3 * 16 + 2, 5]), step_load(2, 0), stop()];
    expect_image(&with_dma(&program(5000), 2), &[("C0507", 2)]);
    expect_image(&with_dma(&program(500), 2), &[]);
}

#[test]
fn loop_reaches_the_other_bank() {
    // From 0, `n` words in steps of 64.
    let program = |n: i32| {
        [exch(Exch::Clr, &[2]), doi(n, 4), step_load(2, 64), nops(1), nops(1), nops(1), stop()]
    };
    expect_image(&with_dma(&program(64), 2), &[]);
    expect_image(&with_dma(&program(65), 2), &[("C0507", 2)]);
}

#[test]
fn loop_of_unknown_count_is_silent() {
    let program = [exch(Exch::Clr, &[2]), do_g(1, 4), step_load(2, 64), nops(3), stop()];
    expect_image(&with_dma(&program, 2), &[]);
    // Even in bank 0: after some iterations the address is anywhere.
    expect_image(&with_dma(&program, 1), &[]);
}

#[test]
fn circular_buffer_stays_in_its_bank() {
    let program =
        |base: i32| [set_a(2, base), set_m(2, 255), do_g(1, 5), step_load(2, 1), nops(3), stop()];
    expect_image(&with_dma(&program(0), 1), &[("C0507", 3)]);
    expect_image(&with_dma(&program(0), 2), &[]);
    expect_image(&with_dma(&program(4096), 2), &[("C0507", 3)]);
}

#[test]
fn bit_reversed_steps() {
    // Mode 0: 0, then rev(0 + rev(4096)) = 4096.
    let program = [
        set_a(2, 0),
        set_m(2, 0),
        exch(Exch::Seti, &[32 + 2, 4096]),
        exch(Exch::Lwnp, &[1, 2]),
        exch(Exch::Lwnp, &[3, 2]),
        stop(),
    ];
    expect_image(&with_dma(&program, 2), &[("C0507", 4)]);
    expect_image(&with_dma(&program, 1), &[("C0507", 3)]);
}

#[test]
fn negative_steps() {
    let program = [
        exch(Exch::Clr, &[2]),
        set_a(2, 4096),
        exch(Exch::Lwnm, &[1, 2]),
        exch(Exch::Lwnm, &[3, 2]),
        stop(),
    ];
    expect_image(&with_dma(&program, 1), &[("C0507", 3)]);
    let all_ones = [
        exch(Exch::Clr, &[2]),
        set_a(2, 4096),
        exch(Exch::Seti, &[32 + 2, 0x1fff]),
        exch(Exch::Lwnp, &[1, 2]),
        exch(Exch::Lwnp, &[3, 2]),
        stop(),
    ];
    expect_image(&with_dma(&all_ones, 1), &[("C0507", 4)]);
}

#[test]
fn a_predicate_needs_an_operation() {
    expect(&[when(1, &load(1)), stop()], &[("C0508", 0)]);
    expect(&[when(1, &nops(1)), stop()], &[("C0508", 0)]);
    silent(&[when(1, &add(1, 2)), stop()]);
    silent(&[when(1, &both(&add(1, 2), &load(3))), stop()]);
    silent(&[when(1, &exch(Exch::Psprmsgn0, &[4, 8, 0, 1, 2, 3])), stop()]);
}

#[test]
fn unreachable_code() {
    expect(&[stop(), load(1), load(2)], &[("C0509", 1)]);
    expect(&[jumpi(4), nops(1), add(1, 2), add(3, 4), stop()], &[("C0509", 2)]);
    let found = findings(&image(&[stop(), nops(3), load(1), nops(1), load(2), nops(2)]));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "these 3 bundles are never reached");
}

#[test]
fn padding_is_not_unreachable_code() {
    silent(&[stop(), nops(5)]);
}

#[test]
fn jump_through_a_register_may_reach_everything() {
    silent(&[exch(Exch::Jump, &[1]), nops(1), load(1), stop()]);
}

#[test]
fn exported_labels_and_kernels_are_entries() {
    let mut exported = image(&[stop(), load(1), stop()]);
    let symbol = Symbol { name: "there".into(), value: 1, kind: SymbolKind::Bundle, global: true };
    exported.symbols.push(symbol.clone());
    expect_image(&exported, &[]);
    exported.symbols[0].global = false;
    expect_image(&exported, &[("C0509", 1)]);
    let word = |part: Part| encode(&part[0]);
    let kernel = |name: &str, start, words| Kernel { name: name.into(), start, words };
    let two = Image {
        kernels: vec![
            kernel("a", BundleAddress(0), vec![word(stop())]),
            kernel("b", BundleAddress(5), vec![word(load(1)), word(stop())]),
        ],
        ..Image::default()
    };
    expect_image(&two, &[]);
}

#[test]
fn call_from_kernel_to_kernel() {
    let words = |parts: &[Part]| parts.iter().flatten().map(encode).collect::<Vec<_>>();
    let program = |n: usize| Image {
        kernels: vec![
            Kernel {
                name: "a".into(),
                start: BundleAddress(10),
                words: words(&[calli(40), nops(1), add(2, 1), stop()]),
            },
            Kernel {
                name: "b".into(),
                start: BundleAddress(40),
                words: words(&[load(1), nops(n), ret(), nops(1)]),
            },
        ],
        ..Image::default()
    };
    silent(&[stop()]);
    expect_image(&program(0), &[]);
    let mut early = program(0);
    early.kernels[1].words = words(&[ret(), load(1)]);
    expect_image(&early, &[("C0501", 12)]);
}

#[test]
fn flow_runs_out() {
    expect(&[load(1)], &[("C0510", 0)]);
    expect(&[jumpi(100), nops(1)], &[("C0510", 1)]);
    silent(&[load(1), stop()]);
    silent(&[jumpi(0), nops(1)]);
}

#[test]
fn undefined_word() {
    let mut broken = image(&[nops(1), stop()]);
    broken.kernels[0].words[0] = 0x01 << 56;
    expect_image(&broken, &[("C0511", 0)]);
    let mut behind = image(&[stop(), nops(1)]);
    behind.kernels[0].words[1] = 0x01 << 56;
    expect_image(&behind, &[("C0509", 1)]);
}

#[test]
fn odd_pair_address() {
    expect(&[exch(Exch::Ldi, &[2, 5]), stop()], &[("C0512", 0)]);
    expect(&[exch(Exch::Sdi, &[2, 5]), stop()], &[("C0512", 0)]);
    silent(&[exch(Exch::Ldi, &[2, 4]), stop()]);
    silent(&[exch(Exch::Lwi, &[2, 5]), stop()]);
}

#[test]
fn move_to_a_read_only_register() {
    expect(&[exch(Exch::Move, &[2 * 16 + 7, 1]), stop()], &[("C0513", 0)]);
    silent(&[exch(Exch::Move, &[2 * 16 + 8, 1]), stop()]);
    silent(&[exch(Exch::Move, &[1, 2 * 16 + 7]), stop()]);
    // g7 is no control register.
    silent(&[exch(Exch::Move, &[7, 1]), stop()]);
}

#[test]
fn marks_silence_at_the_place_of_the_report() {
    let marked = |address: u16, code: &str| {
        let mut image = image(&[load(1), add(2, 1), stop()]);
        image.hints.allowed.insert(BundleAddress(address), vec![code.to_owned()].into());
        image
    };
    expect_image(&marked(1, "C0501"), &[]);
    expect_image(&marked(0, "C0501"), &[("C0501", 1)]);
    expect_image(&marked(1, "C0502"), &[("C0501", 1)]);
}

#[test]
fn a_mark_silences_one_bundle_only() {
    let mut image = image(&[load(1), add(2, 1), store(1), stop()]);
    expect_image(&image, &[("C0501", 1), ("C0501", 2)]);
    image.hints.allowed.insert(BundleAddress(2), vec!["C0501".into(), "C0504".into()].into());
    expect_image(&image, &[("C0501", 1)]);
}

#[test]
fn changed_loop_bounds_are_not_followed() {
    // `move la, g1` makes anything possible.
    let program =
        [doi(2, 3), exch(Exch::Move, &[2 * 16 + 6, 1]), nops(2), nops(1), stop(), load(1)];
    silent(&program);
    // `move lc, g1` makes more than two iterations possible.
    let lc =
        |first: Part| [nops(1), doi(1, 4), arith(Arith::Psadd, &[1, 1, 1]), first, nops(2), stop()];
    silent(&lc(nops(1)));
    expect(&lc(exch(Exch::Move, &[2 * 16 + 5, 1])), &[("C0501", 2)]);
}

#[test]
fn garbage_does_not_disturb() {
    // Any word anywhere; what is found does not matter here.
    let mut seed = 1u64;
    for _ in 0..200 {
        let words = (0..64).map(|_| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // Favour control operations.
            let op2 =
                [0x24u64, 0x25, 0x26, 0x28, 0x03, 0x04, 0x05, 0x10][(seed >> 60) as usize & 7];
            u128::from(op2 << 23 | (seed >> 20) & 0x007f_e03f)
        });
        let kernel = Kernel { name: "k".into(), start: BundleAddress(0), words: words.collect() };
        let image = Image { kernels: vec![kernel], ..Image::default() };
        let found = findings(&image);
        assert!(found.iter().all(|f| f.address < BundleAddress(64)));
    }
    let beyond = Kernel { name: "k".into(), start: BundleAddress(8190), words: vec![0; 5] };
    let image = Image { kernels: vec![beyond], ..Image::default() };
    expect_image(&image, &[("C0510", 8191)]);
}
