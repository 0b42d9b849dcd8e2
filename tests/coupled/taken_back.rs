//! Kernels whose epochs are taken back after the channel has moved words near those that they store, and kernels that work in
//! one bank and then in the other. Random kernels are compared in `coupled`.

use super::{LIMIT, compare, get, machine, put};
use cp2_emu::Engine as _;
use cp2_emu::dma::{Descriptor, LocalStride, LocalWalk, MemoryWalk, Pattern};
use cp2_emu::trace::NoObserver;
use cp2_fast::Translator;
use cp2_isa::{Core, MemoryAddress, WordAddress};
use cp2_session::load;

/// Returns a kernel with a loop that stores two words in each pass of 20 bundles, `step` words from pass to pass.
fn scattered(begin: u16, step: i32, circular: bool) -> String {
    let mode = if circular { "        | seti m0, 4095\n" } else { "" };
    format!(
        "        .kernel scattered
        | seti a0, {begin}
{mode}        | doi 180, last
        psadd f8, f8, f20 | nop
{}        | lwo f6, (r0)+0
        psmul f9, f6, f21 | sdo f8, (r0){step:+}
last:   | nop
        | nop
        | sync
        | stopi 3
",
        "        | nop\n".repeat(15)
    )
}

/// Returns a get whose words are known one by one, because its walk is reversed: `count` pairs of words, every 512 words from
/// `at` on.
fn reversed(at: u16, count: u16) -> Descriptor {
    let memory = MemoryWalk::rows(MemoryAddress(0), count.into(), 0, 1).expect("a row");
    let x = LocalStride { step: 8, count, reversed: true };
    let local = LocalWalk { x, ..LocalWalk::linear(WordAddress(at), 1) };
    Descriptor::get(memory, local, [Pattern::ALL; 4])
}

#[test]
fn what_the_channel_writes_between_stored_words_stays() {
    for (begin, step) in [(0, 16), (1, 16), (3200, -16), (4095 - 3200, 16), (4096, 20), (2, 18)] {
        for circular in [false, true] {
            let text = scattered(begin, step, circular);
            let low = if step < 0 { 3200 - 16 * 180 } else { begin & !1 };
            for between in [4, 6, 10, 12, 14] {
                // The last ones reach words that are stored; the first two do not.
                for last in [get(low, 200), put(low + 64, 100)] {
                    let table = [
                        get(low + between, 1),
                        reversed(low + between, 8),
                        get(low + 5 * step.unsigned_abs() as u16 + between, 1),
                        last.stopping(),
                    ];
                    let (cp2, entry) = load::machine_with(
                        &cp2_session::Environment::new(),
                        &Core::CP2,
                        "scattered.s",
                        &text,
                    )
                    .expect("a kernel");
                    let (machine, _) = compare(machine(cp2, &table), entry);
                    assert!(machine.dma.stats().bytes_get > 0, "{text}");
                }
            }
        }
    }
}

/// Two sets that step together through a loop, called from different places in turn, with places
/// that never change and a circular set beside them.
const PLACES: &str = "\
        .kernel places
        | seti m2, 63
        | seti g1, 60
        | do g1, last
        psadd f5, f6, f20 | ldo f8, (r0)+2
        psadd f7, f8, f20 | swo f6, (r2)+3
        | swi f5, 77
        | lwi f12, 5000
        psmul f9, f8, f21 | lwo f6, (r0)+0
        | sdo f8, (r1)+4
        | nop
        | swo f7, (r1)-2
        | nop
        | nop
        | nop
        | nop
        | nop
        | nop
        | nop
last:   | nop
        | nop
        | sync
        | stopi 3
";

#[test]
fn a_loop_in_the_other_bank_counts_and_conflicts_there() {
    let places = [(256, 1024), (4352, 5120), (256, 5120), (4352, 1024), (4000, 2000), (8000, 6000)];
    for first in places {
        let mut conflicts = Vec::new();
        for at in [1500, 5600] {
            let (cp2, entry) = load::machine_with(
                &cp2_session::Environment::new(),
                &Core::CP2,
                "places.s",
                PLACES,
            )
            .expect("a kernel");
            let mut machine = machine(cp2, &[get(at, 300), put(at + 100, 150).stopping()]);
            for second in [first, (first.0 ^ 4096, first.1 ^ 4096), places[2], first] {
                let a = &mut machine.cp2.state.a;
                (a[0], a[1], a[2]) =
                    (WordAddress(second.0), WordAddress(second.1), WordAddress(3000));
                (machine, _) = compare(machine, entry);
            }
            conflicts.push(machine.dma.stats().bank_conflicts());
        }
        assert!(conflicts.iter().all(|&n| n > 0), "{first:?}: {conflicts:?}");
    }
}

/// Returns a kernel with a loop of 180 passes of 20 bundles whose set 0 reaches three planes, 2048 words from each other,
/// stores in the middle one, and goes `step` words on from pass to pass. Set 1 stores so far behind it.
fn planes(begin: u16, step: i32, behind: u16) -> String {
    format!(
        "        .kernel planes
        | seti a0, {begin}
        | seti a1, {}
        | doi 180, last
        psadd f8, f6, f7 | lwo f6, (r0)+2040
        psadd f9, f14, f12 | ldo f12, (r0)+8
        psmul f10, f8, f20 | lwo f7, (r0)+2045
        | ldo f14, (r0)+3
        | lwo f6, (r0)-2046
{}        | sdo f8, (r0){:+}
        | swo f10, (r1){step:+}
last:   | nop
        | nop
        | sync
        | stopi 3
",
        (begin + behind) % 8192,
        "        | nop\n".repeat(12),
        step - 2050
    )
}

#[test]
fn planes_that_cross_from_bank_to_bank_run_alike() {
    // A plane crosses in the middle of the passes, or none does.
    for (begin, step) in [(1700, 4), (1701, 2), (7400, 6), (2300, -4), (3, 3), (6200, 4)] {
        for behind in [500, 2050, 4096 + 300] {
            let text = planes(begin, step, behind);
            let (cp2, entry) =
                load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "planes.s", &text)
                    .expect("a kernel");
            // Beside all that is stored and loaded, and then in the midst of it.
            let at = |word: u16| ((begin + word) % 8192) & !1;
            let free = if step < 0 { 520 } else { 1600 };
            let table = [
                get(at(free), 200),
                put(at(free + 4096), 200),
                get(at(free + 2048), 200),
                put(at(2048), 100).stopping(),
            ];
            let before = machine(cp2, &table);
            let (machine, _) = compare(before.clone(), entry);
            assert!(machine.dma.stats().bank_conflicts() > 0, "{text}");
            let cycles = machine.cp2.stats().cycles;
            let (mut fast, mut machine) = (Translator::default(), before);
            machine.start_kernel(entry);
            assert!(fast.advance_kernel(&mut machine, LIMIT, &mut NoObserver).is_some());
            let translated = fast.translated_cycles();
            assert!(
                !cp2_fast::is_supported() || translated > cycles / 2,
                "{translated} of {cycles}: {text}"
            );
        }
    }
}

/// Sums of the two words at the very begin or end of a bank, which the channel changes on the way: a
/// kernel that is ahead has to be known to have read them.
#[test]
fn words_at_the_ends_of_banks_are_known_to_be_read() {
    for (begin, step) in [(1, -1), (0, 1), (4095, -1), (4094, 1), (4097, -1), (8191, -1)] {
        let text = format!(
            "        .kernel ends
        | seti a0, {begin}
        | doi 300, last
        psadd f8, f8, f6 | lwo f6, (r0){step:+}
        psadd f9, f9, f7 | lwo f7, (r0){:+}
{}last:   | nop
        | nop
        | sync
        | stopi 3
",
            -step,
            "        | nop\n".repeat(16)
        );
        let (cp2, entry) =
            load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "ends.s", &text)
                .expect("a kernel");
        let table = [get(begin & !1, 1), get(begin & !1, 1).stopping()];
        let (machine, translated) = compare(machine(cp2, &table), entry);
        assert_eq!(machine.dma.stats().bytes_get, 32, "{text}");
        assert!(!cp2_fast::is_supported() || translated > 1000, "{translated}");
    }
}
