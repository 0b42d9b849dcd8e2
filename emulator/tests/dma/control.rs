//! Registers, synchronisation, jumps, interrupts, refusals and the cycles that the channel counts.

use crate::kit::{self, Bench, TABLE, arrived, beat};
use cp2_emu::dma::{
    Accesses, ChannelCause, Descriptor, DescriptorAction, Dma, DmaFaultKind, DmaRegister,
    DmaTiming, LocalWalk, MemoryWalk, Pattern, Ports, RegisterError, Stride, cause, config, ctrl,
    status,
};
use cp2_isa::{Cycle, MemoryAddress, WordAddress};

#[test]
fn registers_keep_the_bits_that_they_have() {
    let mut bench = Bench::new(&[]);
    let dma = &mut bench.dma;
    for register in DmaRegister::ALL {
        let reset = if register == DmaRegister::Addrlim { !0 } else { 0 };
        // The bench has written the base of its table.
        let expected = if register == DmaRegister::Baseaddr { TABLE } else { reset };
        assert_eq!(dma.read(register), expected, "{register:?} after reset");
    }
    assert_eq!(dma.write(DmaRegister::Ctrl, !1), Ok(()));
    assert_eq!((dma.read(DmaRegister::Ctrl), dma.check()), (ctrl::STOP, 0));
    for (register, kept) in [
        (DmaRegister::Daddr, !7),
        (DmaRegister::Curdsc, !0),
        (DmaRegister::Addrlim, !7),
        (DmaRegister::Intmask, 7),
        (DmaRegister::Baseaddr, !7),
        (DmaRegister::Config, 3),
    ] {
        assert_eq!(dma.write(register, !0), Ok(()));
        assert_eq!(dma.read(register), kept, "{register:?}");
    }
    for register in [DmaRegister::Status, DmaRegister::Int, DmaRegister::Intcause] {
        assert_eq!(dma.write(register, 1), Err(RegisterError::ReadOnly(register)));
    }
    for register in DmaRegister::ALL {
        assert_eq!(DmaRegister::at(register.offset()), Ok(register));
    }
    assert_eq!(DmaRegister::Curdsc.offset(), 0x10);
    assert_eq!(DmaRegister::Config.offset(), 0x1010);
    let error = DmaRegister::at(0x14).unwrap_err();
    assert!(error.to_string().contains("no DMA register at offset 0x14"), "{error}");
}

#[test]
fn a_descriptor_waits_for_start_dma_before_and_after_its_data() {
    let mut bench = Bench::new(&[beat(64).synced().synced_after().stopping()]).fill();
    bench.release();
    assert_eq!(bench.dma.check(), 0, "a release of an idle channel is nothing");
    bench.start();
    assert_eq!(bench.dma.check(), 1);
    assert_eq!(bench.dma.read(DmaRegister::Ctrl), 0, "start clears itself");
    bench.advance(1000, |_| None);
    assert_eq!(bench.dma.check(), 0b11);
    assert_eq!(bench.dma.read(DmaRegister::Status), status::BUSY | status::WAITING);
    assert_eq!((bench.dma.next_event(), arrived(&bench)), (None, None));
    bench.release();
    assert_eq!(bench.dma.check(), 0b101, "moves data");
    bench.release();
    bench.advance(2000, |_| None);
    assert_eq!((bench.dma.check(), arrived(&bench)), (0b11, Some(64)));
    bench.release();
    assert_eq!((bench.dma.check(), bench.dma.read(DmaRegister::Status)), (0, 0));
    assert_eq!(bench.dma.read(DmaRegister::Curdsc), 1);
}

#[test]
fn no_register_but_a_start_ends_a_wait() {
    let mut bench = Bench::new(&[beat(64).synced().stopping()]).fill();
    bench.start();
    bench.advance(1000, |_| None);
    for register in DmaRegister::ALL.into_iter().filter(|r| !r.is_read_only()) {
        let value = if register == DmaRegister::Ctrl { !ctrl::START } else { !0 };
        bench.write(register, value);
        assert_eq!(bench.dma.check(), 0b11, "{register:?}");
    }
    bench.advance(2000, |_| None);
    assert_eq!((bench.dma.check(), arrived(&bench)), (0b11, None));
}

#[test]
fn a_stop_that_was_asked_for_can_be_taken_back() {
    for (is_taken_back, reached) in [(false, 64), (true, 128)] {
        let mut bench = Bench::new(&[beat(64).synced(), beat(128).stopping()]).fill();
        bench.start();
        bench.advance(500, |_| None);
        bench.write(DmaRegister::Ctrl, ctrl::STOP);
        if is_taken_back {
            bench.write(DmaRegister::Ctrl, 0);
        }
        bench.release();
        bench.advance(1000, |_| None);
        assert_eq!((bench.dma.check(), arrived(&bench)), (0, Some(reached)));
        let causes = if is_taken_back { 0 } else { cause::STOPPED };
        assert_eq!(bench.dma.read(DmaRegister::Intcause), causes);
    }
}

#[test]
fn the_first_byte_of_a_beat_decides_whether_it_is_below_the_limit() {
    let single = |descriptor: Descriptor| {
        let mut d = descriptor;
        if let DescriptorAction::Get(get) = &mut d.action {
            get.single_words = true;
            get.sections = [Pattern { base: 0, inner: 0, run: 1, outer: 1 }; 4];
        }
        d
    };
    for (limit, is_moved) in [(0x1000, false), (0x1008, true), (0x1010, true)] {
        for descriptor in [beat(0x1000), single(beat(0x1000))] {
            let mut bench = Bench::new(&[]).fill();
            let words = descriptor.stopping().encode().expect("fields that fit");
            bench.memory.write_words(MemoryAddress(0), &words).expect("memory");
            bench.write(DmaRegister::Baseaddr, 0);
            bench.write(DmaRegister::Addrlim, limit);
            bench.write(DmaRegister::Config, config::CHECK_LIMIT);
            bench.run();
            assert_eq!(bench.dma.fault().is_none(), is_moved, "limit {limit:#x}");
            assert_eq!(bench.dma.stats().bytes_get, if is_moved { 16 } else { 0 });
        }
    }
}

#[test]
fn interrupt_causes_are_kept_until_a_read_that_clears() {
    let mut bench = Bench::new(&[beat(0).interrupting(), beat(16).stopping()]);
    bench.run();
    assert_eq!(bench.dma.read(DmaRegister::Intcause), cause::DESCRIPTOR);
    assert!(!bench.dma.interrupt(), "masked");
    bench.dma.write(DmaRegister::Intmask, cause::DESCRIPTOR).expect("writable");
    assert!(bench.dma.interrupt());
    assert_eq!(bench.dma.read(DmaRegister::Int), cause::DESCRIPTOR);
    assert_eq!(bench.dma.read(DmaRegister::Int), cause::DESCRIPTOR, "not cleared");
    bench.dma.write(DmaRegister::Config, config::CLEAR_ON_READ).expect("writable");
    assert_eq!(bench.dma.read(DmaRegister::Intcause), cause::DESCRIPTOR);
    assert_eq!(bench.dma.read(DmaRegister::Int), cause::DESCRIPTOR);
    assert_eq!(bench.dma.read(DmaRegister::Int), 0);
    assert!(!bench.dma.interrupt());
}

#[test]
fn ctrl_stops_after_the_current_descriptor() {
    let mut bench = Bench::new(&[beat(64).synced(), beat(128)]).fill();
    bench.start();
    bench.advance(500, |_| None);
    bench.dma.write(DmaRegister::Ctrl, ctrl::STOP).expect("writable");
    bench.release();
    bench.advance(1000, |_| None);
    assert_eq!((bench.dma.check(), arrived(&bench)), (0, Some(64)));
    assert_eq!(bench.dma.read(DmaRegister::Intcause), cause::STOPPED);
    assert_eq!((bench.dma.read(DmaRegister::Ctrl), bench.dma.read(DmaRegister::Curdsc)), (0, 1));
}

#[test]
fn accesses_at_the_limit_are_refused_when_config_asks() {
    let mut table = [beat(0x100), beat(0x110)];
    table[1].stop = true;
    for (checked, expected) in [(false, None), (true, Some(0x100))] {
        let mut bench = Bench::new(&table).fill();
        // The table itself has to lie below the limit.
        let words: Vec<u64> = table.iter().flat_map(|d| d.encode().unwrap()).collect();
        bench.memory.write_words(MemoryAddress(0), &words).expect("memory");
        bench.dma.write(DmaRegister::Baseaddr, 0).expect("writable");
        bench.dma.write(DmaRegister::Addrlim, 0x110).expect("writable");
        bench.dma.write(DmaRegister::Config, u32::from(checked)).expect("writable");
        bench.run();
        let fault = bench.dma.fault().map(|f| (f.descriptor, f.kind));
        assert_eq!(
            fault,
            checked.then_some((1, DmaFaultKind::AddressLimit(MemoryAddress(0x110), 0x110)))
        );
        assert_eq!(bench.dma.read(DmaRegister::Intcause), if checked { cause::ADDRESS } else { 0 });
        assert_eq!(arrived(&bench), Some(expected.unwrap_or(0x110)));
        assert_eq!(bench.dma.check(), 0);
    }
    let mut bench = Bench::new(&table);
    bench.dma.write(DmaRegister::Addrlim, TABLE).expect("writable");
    bench.dma.write(DmaRegister::Config, config::CHECK_LIMIT).expect("writable");
    bench.run();
    assert!(bench.dma.fault().is_some(), "the fetch is checked too");
    assert_eq!(bench.dma.stats().n_descriptors, 0);
}

/// Runs the channel, which stops at descriptor 0; returns why.
fn refusal(bench: &mut Bench) -> String {
    bench.run();
    assert_eq!(bench.dma.check(), 0);
    assert_eq!(bench.dma.stats().bytes_get, 0);
    bench.dma.fault().expect("a fault").to_string()
}

#[test]
fn descriptors_without_a_meaning_stop_the_channel_and_say_why() {
    let text = refusal(&mut Bench::with_words(&[[0; 8]]));
    assert!(text.contains("descriptor 0") && text.contains("not valid"), "{text}");
    let text = refusal(&mut Bench::new(&[beat(20)]));
    assert!(text.contains("memory base is 20") && text.contains("16 bytes"), "{text}");
    let text = refusal(&mut Bench::new(&[beat(0x4000_0000)]));
    assert!(text.contains("0x40000000") && text.contains("outside system memory"), "{text}");
    let walk = |n| MemoryWalk::rows(MemoryAddress(0), n, 0, 1).expect("a row");
    let text = refusal(&mut Bench::new(&[Descriptor::copy(walk(3), walk(4))]));
    assert!(text.contains("source has 3 beats and the destination 4"), "{text}");
}

#[test]
fn steps_are_aligned_too_and_machines_differ_in_what_they_can() {
    for (x, y, expected) in [(24, 32, "memory step x is 24"), (32, -8, "memory step y is -8")] {
        let memory = MemoryWalk {
            x: Stride { step: x, count: 2 },
            y: Stride { step: y, count: 2 },
            ..MemoryWalk::rows(MemoryAddress(0), 1, 0, 1).expect("a row")
        };
        let get = Descriptor::get(memory, LocalWalk::linear(WordAddress(0), 4), [Pattern::ALL; 4]);
        let put = Descriptor::put(memory, LocalWalk::linear(WordAddress(0), 4), 0);
        for descriptor in [get, put] {
            let text = refusal(&mut Bench::new(&[descriptor]));
            assert!(text.contains(expected), "{text}");
        }
    }
    let walk = |from| MemoryWalk::rows(from, 2, 0, 1).expect("a row");
    let mut bench =
        Bench::new(&[
            Descriptor::copy(walk(MemoryAddress(0)), walk(MemoryAddress(0x100))).stopping()
        ]);
    let without = DmaTiming { memory_to_memory: false, ..kit::timing() };
    bench.dma = Dma::new(cp2_isa::Core::CP2, without, kit::channel());
    bench.dma.write(DmaRegister::Baseaddr, TABLE).expect("writable");
    let text = refusal(&mut bench);
    assert!(text.contains("memory to memory"), "{text}");
}

#[test]
fn the_limit_holds_for_every_kind_of_transfer_and_what_has_moved_stays() {
    const LIMIT: u32 = TABLE + 0x8000;
    let walk = |from| MemoryWalk::rows(from, 4, 0, 1).expect("a row");
    let (below, across) = (walk(MemoryAddress(0x100)), walk(MemoryAddress::from(LIMIT - 32)));
    let local = LocalWalk::linear(WordAddress(0), 4);
    for (descriptor, moved) in [
        (Descriptor::get(across, local, [Pattern::ALL; 4]), [2, 0]),
        (Descriptor::put(across, local, 0), [0, 2]),
        // A row of memory ends at the limit, so a transaction does.
        (Descriptor::copy(across, below), [2, 2]),
        (Descriptor::copy(below, across), [4, 2]),
    ] {
        let mut bench = Bench::new(&[descriptor.stopping()]).fill();
        bench.dma.write(DmaRegister::Addrlim, LIMIT).expect("writable");
        bench.dma.write(DmaRegister::Config, config::CHECK_LIMIT).expect("writable");
        bench.run();
        let fault = bench.dma.fault().map(|f| f.kind);
        assert_eq!(fault, Some(DmaFaultKind::AddressLimit(LIMIT.into(), LIMIT)));
        assert_eq!(bench.dma.read(DmaRegister::Intcause), cause::ADDRESS);
        let stats = bench.dma.stats();
        assert_eq!([stats.bytes_get, stats.bytes_put], moved.map(|beats| 16 * beats));
    }
}

#[test]
fn a_copy_turns_at_the_end_of_a_burst_of_either_walk() {
    for (source, destination, transactions) in [(4, 4, 2), (4, 2, 4), (2, 4, 4), (1, 4, 8)] {
        let walk = |base, burst: u8| MemoryWalk {
            burst,
            x: Stride { step: 16 * i32::from(burst), count: 4 / u32::from(burst) },
            ..MemoryWalk::rows(base, 1, 0, 1).expect("a row")
        };
        let copy = Descriptor::copy(
            walk(MemoryAddress(0), source),
            walk(MemoryAddress(0x1000), destination),
        );
        let mut bench = Bench::new(&[copy.stopping()]).fill();
        bench.run();
        // One more for the descriptor.
        assert_eq!(bench.dma.port().n_transactions(), 1 + transactions, "{source}, {destination}");
    }
}

#[test]
fn every_cycle_of_the_channel_has_its_cause() {
    let mut bench = Bench::new(&[beat(64).synced().stopping()]).fill();
    bench.advance(10, |_| None);
    bench.start();
    bench.advance(110, |_| None);
    bench.release();
    let mut asked = Vec::new();
    bench.advance(200, |cycle| {
        asked.push(cycle);
        (asked.len() <= 3).then_some(0)
    });
    let cycles = |c: ChannelCause| bench.dma.stats().causes[c as usize];
    // 2 to start; 10 + 5 + 4 beats for the descriptor; 3 to set up; the wait; 15 + 1 for the beat.
    assert_eq!(cycles(ChannelCause::SetUp), 2 + 3);
    assert_eq!(cycles(ChannelCause::Fetch), 19);
    assert_eq!(cycles(ChannelCause::Sync), 100 - 2 - 19 - 3);
    assert_eq!(cycles(ChannelCause::Memory), 16);
    assert_eq!((cycles(ChannelCause::Beat), cycles(ChannelCause::Conflict)), (1, 3));
    assert_eq!(asked, [126, 127, 128, 129]);
    assert_eq!(bench.dma.stats().cycles(), 200);
    bench.advance(150, |_| None);
    assert_eq!(bench.dma.stats().cycles(), 200, "time does not go back");
}

/// The beat before a refused one moves as late as it does if nothing is refused, and the cycle of the refusal is over as any
/// other.
#[test]
fn a_channel_that_is_refused_a_beat_is_still_behind_that_cycle() {
    let bench = || {
        let memory = MemoryWalk::rows(MemoryAddress(0), 64, 0, 1).expect("a row");
        let local = LocalWalk::linear(WordAddress(0), 64);
        let descriptor = Descriptor::get(memory, local, [Pattern::ALL; 4]).stopping();
        let mut bench = Bench::new(&[]).fill();
        let words = descriptor.encode().expect("fields that fit");
        bench.memory.write_words(MemoryAddress(0), &words).expect("memory");
        bench.write(DmaRegister::Baseaddr, 0);
        bench.write(DmaRegister::Addrlim, 0x100);
        bench.write(DmaRegister::Config, config::CHECK_LIMIT);
        bench.start();
        bench
    };
    let [mut stepped, mut alone, mut behind, mut asked] = [(); 4].map(|()| bench());
    let mut cycle = 0;
    while stepped.dma.next_event().is_some() {
        cycle += 1;
        stepped.advance(cycle, |_| None);
    }
    assert!(stepped.dma.fault().is_some() && stepped.dma.stats().bytes_get == 0x100);
    let end = Cycle(5000);
    let mut ends = Vec::new();
    for (k, bench) in [&mut alone, &mut behind, &mut asked].into_iter().enumerate() {
        bench.advance(cycle - 10, |_| None);
        let Bench { dma, memory, lmem, ireg } = bench;
        let mut ports = Ports { memory, lmem, ireg };
        let mut accesses = Accesses::default();
        accesses.start(dma.now(), end);
        match k {
            0 => assert_eq!(dma.advance_alone(end, &mut ports, true), dma.now()),
            1 => assert!(!dma.follow(end, &mut ports, &accesses, true)),
            _ => assert_eq!(dma.advance_unchanged(end, &mut ports), dma.now()),
        }
        ends.push(dma.now());
    }
    assert_eq!(ends, [Cycle(cycle); 3]);
    for bench in [&alone, &behind, &asked] {
        assert_eq!(bench.dma.stats(), stepped.dma.stats());
        assert_eq!(bench.dma.fault(), stepped.dma.fault());
    }
}
