//! Kernels that wait for the channel with `check_dma`, cycle for cycle as on the reference engine.

use cp2_emu::dma::{Descriptor, DmaRegister, LocalWalk, MemoryWalk, Pattern, config, ctrl};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Difference, Engine, Goal, Machine, MachineConfig, Pause, ReferenceEngine};
use cp2_fast::Translator;
use cp2_isa::{Bundle, BundleAddress, BundleBits, Exch, Inst, MemoryAddress, WordAddress, encode};
use cp2_portable::Portable;

const TABLE: u32 = 0;
const LIMIT: u64 = 30_000;

fn engines() -> [Box<dyn Engine>; 2] {
    [Box::new(Portable::default()), Box::new(Translator::default())]
}

fn exchange(op: Exch, values: &[i32]) -> BundleBits {
    encode(&Bundle { exch: Inst::new(op, values), ..Bundle::NOP })
}

/// Returns a kernel that asks the channel again and again, and adds to an address of its own if `counts`, so that no two
/// turns are the same.
fn asking(counts: bool) -> Vec<BundleBits> {
    let nop = encode(&Bundle::NOP);
    let step = if counts { exchange(Exch::Updaddr, &[1 << 4]) } else { nop };
    let (ask, again) = (exchange(Exch::CheckDma, &[3]), exchange(Exch::Jumpi, &[0]));
    vec![ask, step, exchange(Exch::Move, &[5, 3]), nop, again, nop]
}

/// Bundles of the body in [`releasing`].
const BODY: usize = 8;

/// Returns a kernel with a loop whose body has a `start_dma` at one place, a `check_dma` at another one, and works on local
/// memory.
fn releasing(release: usize, ask: usize) -> Vec<BundleBits> {
    let nop = encode(&Bundle::NOP);
    let mut words = vec![exchange(Exch::Doi, &[60, BODY as i32 - 1])];
    words.extend((0..BODY).map(|k| match k {
        k if k == release => exchange(Exch::StartDma, &[]),
        k if k == ask => exchange(Exch::CheckDma, &[3]),
        1 => exchange(Exch::Swi, &[2, 2049]),
        3 => exchange(Exch::Move, &[5, 3]),
        5 => exchange(Exch::Lwi, &[4, 1]),
        _ => nop,
    }));
    words.extend([exchange(Exch::Jumpi, &[0]), exchange(Exch::Seti, &[6, 1])]);
    words
}

/// Returns a kernel with a `check_dma` and a `start_dma` in delay slots, and at either place of loops of two bundles.
fn in_odd_places() -> Vec<BundleBits> {
    let nop = encode(&Bundle::NOP);
    let (ask, release) = (exchange(Exch::CheckDma, &[3]), exchange(Exch::StartDma, &[]));
    vec![
        exchange(Exch::Jumpi, &[3]),
        ask,
        nop,
        exchange(Exch::Doi, &[40, 4]),
        ask,
        exchange(Exch::Move, &[5, 3]),
        exchange(Exch::Doi, &[9, 7]),
        nop,
        ask,
        exchange(Exch::Jumpi, &[0]),
        release,
    ]
}

/// Returns a kernel that goes round without a question to the channel.
fn going_round() -> Vec<BundleBits> {
    let nop = encode(&Bundle::NOP);
    vec![nop, exchange(Exch::Jumpi, &[0]), nop]
}

/// Returns a machine with this kernel, whose channel moves `beats` beats and waits, twice.
fn machine(words: &[BundleBits], beats: u16, is_profiled: bool) -> Machine {
    let config = MachineConfig::preset("vm7").expect("a preset");
    let mut machine = Machine::new(&config);
    machine.cp2 = Cp2::new(*config.core());
    if is_profiled {
        machine.cp2.keep_profile();
    }
    machine.cp2.state.iram[..words.len()].copy_from_slice(words);
    let get = |at: u16| {
        let memory = MemoryWalk::rows(MemoryAddress(0), beats.into(), 0, 1).expect("a row");
        Descriptor::get(memory, LocalWalk::linear(WordAddress(at), beats), [Pattern::ALL; 4])
    };
    for (k, descriptor) in [get(0), get(2048).synced(), get(4096).stopping()].iter().enumerate() {
        let words = descriptor.encode().expect("fields that fit");
        machine
            .memory
            .write_words(MemoryAddress(u64::from(TABLE) + 64 * k as u64), &words)
            .expect("memory");
    }
    machine.write_register(DmaRegister::Baseaddr, TABLE).expect("a register");
    machine.write_register(DmaRegister::Ctrl, ctrl::START).expect("a register");
    machine.start_kernel(BundleAddress(0));
    machine
}

fn assert_alike(found: &Machine, expected: &Machine, place: &str) {
    assert_eq!(Difference::first(&expected.cp2.state, &found.cp2.state), None, "{place}");
    assert_eq!(found.cycle(), expected.cycle(), "{place}");
    assert_eq!(found.cp2.stats(), expected.cp2.stats(), "{place}");
    assert_eq!(found.cp2.profile(), expected.cp2.profile(), "{place}");
    assert_eq!(found.dma.stats(), expected.dma.stats(), "{place}");
    assert_eq!(found.dma.next_event(), expected.dma.next_event(), "{place}");
    assert_eq!(found.dma.check(), expected.dma.check(), "{place}");
    assert!(found.memory == expected.memory, "{place}");
}

#[test]
fn a_kernel_that_asks_again_and_again_is_in_every_cycle_where_it_should_be() {
    for (counts, beats, piece) in [
        (false, 300, 7),
        (false, 900, 1000),
        (false, 700, 1001),
        (false, 40, LIMIT),
        (true, 300, 500),
    ] {
        for (mut engine, is_profiled) in engines().into_iter().zip([true, false]) {
            let mut expected = machine(&asking(counts), beats, is_profiled);
            let mut found = expected.clone();
            let mut until = 0;
            while until < LIMIT.min(600 * piece) {
                until += piece;
                assert_eq!(
                    ReferenceEngine.advance_kernel(&mut expected, until, &mut NoObserver),
                    None
                );
                assert_eq!(engine.advance_kernel(&mut found, until, &mut NoObserver), None);
                let place = format!("{}, {counts}, {beats} beats, cycle {until}", engine.name());
                assert_alike(&found, &expected, &place);
            }
        }
    }
}

#[test]
fn a_kernel_that_releases_and_asks_anywhere_is_in_every_cycle_where_it_should_be() {
    let places = (0..BODY).flat_map(|k| [3, 7].map(|n| releasing(k, (k + n) % BODY)));
    for (kernel, words) in places.chain([in_odd_places()]).enumerate() {
        for piece in [13, 1000, 20_000] {
            for (mut engine, is_profiled) in engines().into_iter().zip([true, false]) {
                let mut expected = machine(&words, 150, is_profiled);
                let mut found = expected.clone();
                let mut until = 0;
                while until < 20_000.min(300 * piece) {
                    until += piece;
                    assert_eq!(
                        ReferenceEngine.advance_kernel(&mut expected, until, &mut NoObserver),
                        None
                    );
                    assert_eq!(engine.advance_kernel(&mut found, until, &mut NoObserver), None);
                    let place = format!("{}, kernel {kernel}, cycle {until}", engine.name());
                    assert_alike(&found, &expected, &place);
                }
                assert!(
                    found.dma.stats().bytes_get == 3 * 150 * 16 || piece == 13,
                    "kernel {kernel}"
                );
            }
        }
    }
}

/// The channel is in the cycle of the kernel wherever an engine may stop, behind a `check_dma` too.
#[test]
fn a_run_that_may_end_anywhere_leaves_the_channel_in_the_cycle_of_the_kernel() {
    let places = (0..BODY).flat_map(|k| [1, 3, 7].map(|n| releasing(k, (k + n) % BODY)));
    for (kernel, words) in places.chain([in_odd_places(), asking(false)]).enumerate() {
        for enough in [7, 256, 300, 411, 1000] {
            let mut engine = Translator::default();
            let mut expected = machine(&words, 150, false);
            let mut found = expected.clone();
            while found.cycle().0 < 20_000.min(30 * enough) {
                let now = found.cycle();
                let goal = Goal { enough: now + enough, ..Goal::cycle(now + LIMIT) };
                assert_eq!(engine.advance(&mut found, goal, &mut NoObserver), Ok(Pause::Cycle));
                let there = Goal::cycle(found.cycle());
                assert_eq!(
                    ReferenceEngine.advance(&mut expected, there, &mut NoObserver),
                    Ok(Pause::Cycle)
                );
                let place = format!("kernel {kernel}, behind {enough} at {now:?}");
                assert_alike(&found, &expected, &place);
            }
        }
    }
}

/// Goes on with both machines until the channel is still, and compares them.
fn still(expected: &mut Machine, found: &mut Machine, engine: &mut dyn Engine) {
    let goal = Goal::still(expected.cycle() + LIMIT);
    assert_eq!(ReferenceEngine.advance(expected, goal, &mut NoObserver), Ok(Pause::Still));
    assert_eq!(engine.advance(found, goal, &mut NoObserver), Ok(Pause::Still));
    assert_alike(found, expected, engine.name());
}

#[test]
fn waiting_for_a_channel_ends_in_the_cycle_in_which_it_is_still() {
    for (mut engine, is_profiled) in engines().into_iter().zip([true, false]) {
        let mut expected = machine(&asking(false), 700, is_profiled);
        let mut found = expected.clone();
        still(&mut expected, &mut found, &mut *engine);
        assert!(found.dma.is_waiting());
    }
}

#[test]
fn waiting_for_a_channel_that_is_refused_a_beat_ends_behind_that_cycle() {
    for words in [going_round(), asking(false), asking(true)] {
        for (mut engine, is_profiled) in engines().into_iter().zip([true, false]) {
            let mut expected = machine(&words, 700, is_profiled);
            expected.write_register(DmaRegister::Addrlim, 0x1000).expect("a register");
            expected.write_register(DmaRegister::Config, config::CHECK_LIMIT).expect("a register");
            let mut found = expected.clone();
            still(&mut expected, &mut found, &mut *engine);
            assert!(found.dma.fault().is_some() && found.dma.stats().bytes_get > 0);
        }
    }
}
