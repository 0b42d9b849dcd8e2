//! Differences between the channel and the model library (`specs/src/dma.md` says why): the channel does what is said there.

use crate::kit::{Bench, MEMORY, arrived, beat, channel, timing};
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Dma, DmaFaultKind, DmaRegister, DmaTiming, LocalWalk, MemoryWalk,
    NextDescriptor, Pattern, Put, RegisterError, cause, config, status,
};
use cp2_isa::{MemoryAddress, WordAddress};

/// Returns a bench whose table is at `base`, below the limit that it checks.
fn limited(base: u32, limit: u32, table: &[Descriptor]) -> Bench {
    let mut bench = Bench::new(&[]).fill();
    let words: Vec<_> = table.iter().map(|d| d.encode().expect("fields that fit")).collect();
    bench.memory.write_words(base.into(), words.as_flattened()).expect("memory");
    bench.write(DmaRegister::Baseaddr, base);
    bench.write(DmaRegister::Addrlim, limit);
    bench.write(DmaRegister::Config, config::CHECK_LIMIT);
    bench
}

#[test]
fn the_mask_of_the_row_end_is_of_the_place_for_all_sections() {
    let put = Put {
        memory: MemoryWalk::rows(MemoryAddress(0), 32, 0, 1).expect("a row"),
        local: LocalWalk::linear(WordAddress(0), 4),
        flow: 1,
        mask: 0,
        row_end_mask: 0b1000,
        next: NextDescriptor::By(1),
    };
    for (flow, cut) in [(1, [12, 13, 14, 15]), (2, [9, 11, 13, 15])] {
        let mut bench =
            Bench::new(&[
                Descriptor::new(DescriptorAction::Put(Put { flow, ..put.clone() })).stopping()
            ])
            .fill();
        bench.run();
        // The second word of a beat: the last 32 bits stay what they were, or come with the others.
        let word = |beat: u64| bench.memory.word(MemoryAddress(16 * beat + 8)).expect("memory");
        let is_cut = |beat: &u64| word(*beat) as u32 == (2 * *beat as u32 + 1) ^ 0xffff;
        assert_eq!((0..16).filter(is_cut).collect::<Vec<_>>(), cut, "flow {flow}");
    }
}

#[test]
fn a_refusal_of_the_last_beat_ends_all_too() {
    for (limit, moved) in [(0x1030, 3), (0x1038, 4)] {
        let four = MemoryWalk::rows(MemoryAddress(0x1000), 4, 0, 1).expect("a row");
        let get =
            Descriptor::get(four, LocalWalk::linear(WordAddress(0x100), 4), [Pattern::ALL; 4]);
        let mut bench = limited(0, limit, &[get, beat(0x200).stopping()]);
        bench.run();
        let is_refused = limit == 0x1030;
        assert_eq!(arrived(&bench), (!is_refused).then_some(0x200));
        let causes = if is_refused { cause::ADDRESS } else { 0 };
        assert_eq!(bench.dma.read(DmaRegister::Intcause), causes);
        assert_eq!(bench.dma.read(DmaRegister::Status), 0);
        assert_eq!(bench.dma.read(DmaRegister::Curdsc), if is_refused { 0 } else { 2 });
        let come = (0..8).filter(|k| bench.lmem[0x100 + k][0] >> 63 == 0).count();
        assert_eq!(come, 2 * moved);
    }
}

#[test]
fn a_descriptor_across_the_limit_is_not_executed() {
    for limit in [0x1008, 0x1010, 0x1028, 0x1030, 0x1038] {
        let mut bench = limited(0x1000, limit, &[beat(0x200).stopping()]);
        bench.run();
        // The first byte of the last of its four beats is at 0x1030.
        let is_whole = limit == 0x1038;
        assert_eq!(arrived(&bench), is_whole.then_some(0x200), "limit {limit:#x}");
        assert_eq!(
            bench.dma.read(DmaRegister::Intcause),
            if is_whole { 0 } else { cause::ADDRESS }
        );
        assert_eq!(bench.dma.stats().n_descriptors, u64::from(is_whole));
    }
    // One at the end of all addresses, of which only a beat in its midst is at the limit.
    let mut bench = limited(0, 0xffff_ffe0, &[]);
    bench.write(DmaRegister::Baseaddr, 0xffff_ffd0);
    bench.run();
    let kind = bench.dma.fault().map(|f| f.kind);
    assert_eq!(kind, Some(DmaFaultKind::AddressLimit(MemoryAddress(0xffff_ffe0), 0xffff_ffe0)));
}

#[test]
fn a_start_of_a_channel_that_waits_begins_anew_and_does_not_wait() {
    let mut bench = Bench::new(&[beat(64).synced().stopping(), beat(128).stopping()]).fill();
    bench.start();
    bench.advance(1000, |_| None);
    assert_eq!(bench.dma.read(DmaRegister::Status), status::BUSY | status::WAITING);
    bench.write(DmaRegister::Curdsc, 1);
    assert_eq!(bench.dma.read(DmaRegister::Status), status::BUSY | status::WAITING);
    bench.start();
    assert_eq!((bench.dma.read(DmaRegister::Status), bench.dma.check()), (status::BUSY, 1));
    bench.advance(2000, |_| None);
    assert_eq!((bench.dma.check(), arrived(&bench)), (0, Some(128)));
}

#[test]
fn an_access_outside_memory_stops_the_channel_with_the_cause_of_a_refusal() {
    for (base, causes) in [(MEMORY as u32 - 16, 0), (MEMORY as u32, cause::ADDRESS)] {
        let mut bench = Bench::new(&[beat(base), beat(64).stopping()]);
        bench.run();
        assert_eq!(bench.dma.read(DmaRegister::Intcause), causes);
        assert_eq!(bench.dma.stats().n_descriptors, if causes == 0 { 2 } else { 1 });
    }
}

#[test]
fn addresses_are_multiples_of_what_the_machine_says() {
    for (alignment_bytes, base, is_taken) in
        [(16, 0x40, true), (16, 0x44, false), (8, 0x48, true), (4, 0x44, true)]
    {
        let mut bench = Bench::new(&[beat(base).stopping()]).fill();
        bench.dma =
            Dma::new(cp2_isa::Core::CP2, DmaTiming { alignment_bytes, ..timing() }, channel());
        bench.write(DmaRegister::Baseaddr, crate::kit::TABLE);
        bench.run();
        assert_eq!(bench.dma.fault().is_none(), is_taken, "{alignment_bytes}, {base:#x}");
        assert_eq!(bench.dma.stats().bytes_get, if is_taken { 16 } else { 0 });
        assert_eq!(bench.dma.read(DmaRegister::Intcause), 0);
    }
}

#[test]
fn offsets_without_a_register_and_writes_of_read_only_ones_are_reported() {
    for offset in [0x14, 0x30, 0x34, 2, 0x1014, 0x1020, 0x2000] {
        assert_eq!(DmaRegister::at(offset), Err(RegisterError::NoSuchOffset(offset)));
    }
    assert_eq!(DmaRegister::at(0x10), Ok(DmaRegister::Curdsc));
    let mut bench = Bench::new(&[beat(64).interrupting().stopping()]);
    bench.run();
    for register in [DmaRegister::Status, DmaRegister::Int, DmaRegister::Intcause] {
        let before = DmaRegister::ALL.map(|r| bench.dma.register(r));
        assert_eq!(bench.dma.write(register, !0), Err(RegisterError::ReadOnly(register)));
        assert_eq!(DmaRegister::ALL.map(|r| bench.dma.register(r)), before);
    }
}
