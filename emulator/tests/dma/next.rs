//! Which descriptor follows: jumps, index half-registers, when the choice is made and when the address of
//! the next one is fixed.

use crate::kit::{Bench, MEMORY, TABLE, arrived, beat};
use cp2_emu::dma::{
    Descriptor, DescriptorAction, DmaRegister, JumpKind, NextDescriptor, cause, ctrl,
};

/// Returns the number of the descriptor to which the channel goes from descriptor `at` with `i0` = `index` in both halves.
fn target(at: u32, descriptor: Descriptor, index: u32) -> u32 {
    let mut table = vec![beat(0); at as usize];
    table.push(descriptor.stopping());
    let mut bench = Bench::new(&table);
    bench.ireg[0] = u64::from(index) << 32 | u64::from(index);
    bench.dma.write(DmaRegister::Curdsc, at).expect("writable");
    bench.run();
    assert_eq!(bench.dma.fault(), None);
    bench.dma.read(DmaRegister::Curdsc)
}

#[test]
fn jumps_choose_the_next_descriptor() {
    let relative = || Descriptor::jump(JumpKind::Relative, 1);
    assert_eq!(target(5, relative(), 3), 8);
    assert_eq!(target(5, relative(), 0xfe), 3);
    assert_eq!(target(5, relative(), 0x1201), 6, "only the low byte counts");
    let table = || Descriptor::jump(JumpKind::Table(std::array::from_fn(|k| 100 + k as u16)), 0);
    assert_eq!(target(5, table(), 0), 105);
    assert_eq!(target(5, table(), 0x3f), 120, "only the low 4 bits count");
    let absolute = || Descriptor::jump(JumpKind::Absolute, 0);
    assert_eq!(target(5, absolute(), 9), 9);
    assert_eq!(target(5, absolute(), 0xff), 255);
    assert_eq!(target(5, absolute(), 0x12fe), 254, "the low byte, unsigned");
    assert_eq!(target(5, absolute(), 0x127f), 127);
    let compare = |value| Descriptor::jump(JumpKind::Compare { value, equal: -2, other: 7 }, 0);
    assert_eq!(target(5, compare(4), 4), 3);
    assert_eq!(target(5, compare(4), 5), 12);
    assert_eq!(target(5, compare(!0), 0xff), 3, "the index is extended");
    assert_eq!(target(5, compare(0xff), 0xff), 12);
    assert_eq!(target(5, compare(0x7f), 0x127f), 3, "only the low byte counts");
}

#[test]
fn transfers_name_the_next_descriptor_too() {
    let with = |next| {
        let mut d = beat(0);
        if let DescriptorAction::Get(get) = &mut d.action {
            get.next = next;
        }
        d
    };
    assert_eq!(target(5, with(NextDescriptor::By(-5)), 0), 0);
    assert_eq!(target(5, with(NextDescriptor::By(255)), 0), 260);
    assert_eq!(target(5, with(NextDescriptor::Index(1)), 0xff), 4);
}

#[test]
fn a_table_with_a_loop_is_left_through_an_index_register() {
    // 0: a beat, 1: back to 0 while i3's low half is 1.
    let compare = JumpKind::Compare { value: 1, equal: -1, other: 1 };
    let table = [beat(64), Descriptor::jump(compare, 7), beat(128).stopping()];
    let mut bench = Bench::new(&table).fill();
    bench.ireg[3] = 1;
    bench.start();
    bench.advance(3000, |_| None);
    assert!(bench.dma.is_busy());
    assert!(bench.dma.stats().n_descriptors > 20);
    bench.ireg[3] = 0;
    bench.advance(6000, |_| None);
    assert_eq!((bench.dma.check(), arrived(&bench)), (0, Some(128)));
}

#[test]
fn entries_of_a_table_are_unsigned_and_the_last_is_the_end_of_word_4() {
    let entry = |k: usize, value: u64| {
        let mut words = [0; 8];
        words[0] = 1 << 63 | 1 << 61 | 3 << 57 | 1 << 55;
        words[1 + k / 4] = value << (48 - 16 * (k % 4));
        let mut bench = Bench::with_words(&[words]);
        bench.ireg[0] = (k as u64) << 32;
        bench.run();
        bench.dma.read(DmaRegister::Curdsc)
    };
    assert_eq!(entry(0, 0xffff), 65535);
    assert_eq!(entry(0, 0x7fff), 32767);
    assert_eq!(entry(15, 0x1234), 0x1234);
    assert_eq!(entry(14, 0x1234), 0x1234);
}

#[test]
fn the_number_of_the_descriptor_wraps_around() {
    let jump = || Descriptor::jump(JumpKind::Relative, 1);
    assert_eq!(target(0, jump(), 0xff), !0);
    assert_eq!(target(1, jump(), 0xff), 0);
}

#[test]
fn the_next_descriptor_is_chosen_behind_the_sync_after() {
    let mut indexed = beat(64);
    if let DescriptorAction::Get(get) = &mut indexed.action {
        get.next = NextDescriptor::Index(0);
    }
    for descriptor in [indexed, Descriptor::jump(JumpKind::Relative, 0)] {
        let mut bench = Bench::new(&[descriptor.synced().synced_after().stopping()]);
        bench.ireg[0] = 1 << 32;
        bench.start();
        for (n, index) in [(1000, 2u64), (2000, 3)] {
            bench.advance(n, |_| None);
            assert_eq!(bench.dma.check(), 0b11, "a jump waits as a transfer does");
            bench.ireg[0] = index << 32;
            bench.release();
        }
        assert_eq!((bench.dma.check(), bench.dma.read(DmaRegister::Curdsc)), (0, 3));
    }
}

#[test]
fn a_start_fixes_which_descriptor_is_fetched() {
    // Every write before the words come, and its neighbour before the start.
    let table = [beat(64), beat(128), beat(192).stopping()];
    for (register, value, from_then) in [
        (DmaRegister::Curdsc, 2, 192),
        (DmaRegister::Baseaddr, TABLE + 128, 192),
        (DmaRegister::Daddr, 128, 192),
    ] {
        for delay in [0, 1, 2, 3, 10, 20] {
            let mut bench = Bench::new(&table).fill();
            bench.start();
            bench.advance(delay, |_| None);
            bench.write(register, value);
            bench.advance(35, |_| None);
            assert_eq!(bench.dma.stats().n_descriptors, 1);
            assert_eq!(bench.dma.check(), 0b101);
            bench.advance(45, |_| None);
            assert_eq!(arrived(&bench), Some(64), "{register:?} after {delay} cycles");
        }
        let mut bench = Bench::new(&table).fill();
        bench.write(register, value);
        bench.run();
        assert_eq!(arrived(&bench), Some(from_then), "{register:?}");
    }
}

#[test]
fn the_number_as_it_is_at_the_end_is_what_the_jump_starts_from() {
    let by = |step| {
        let mut d = beat(64);
        if let DescriptorAction::Get(get) = &mut d.action {
            get.next = NextDescriptor::By(step);
        }
        d.stopping()
    };
    for (step, number, next) in [(1, 1, 2), (2, 5, 7), (1, 0, 1)] {
        let mut bench = Bench::new(&[by(step), beat(128).stopping()]).fill();
        bench.start();
        bench.write(DmaRegister::Curdsc, number);
        bench.advance(1000, |_| None);
        assert_eq!(arrived(&bench), Some(64));
        assert_eq!((bench.dma.check(), bench.dma.read(DmaRegister::Curdsc)), (0, next));
    }
}

#[test]
fn the_end_of_a_descriptor_fixes_the_next_one() {
    let table = || [beat(64).synced_after(), beat(128).stopping(), beat(192).stopping()];
    for is_before in [true, false] {
        let mut bench = Bench::new(&table()).fill();
        bench.start();
        bench.advance(1000, |_| None);
        if is_before {
            bench.write(DmaRegister::Daddr, 64);
            bench.release();
        } else {
            bench.release();
            bench.write(DmaRegister::Daddr, 64);
        }
        bench.advance(2000, |_| None);
        assert_eq!(arrived(&bench), Some(if is_before { 192 } else { 128 }));
    }
}

#[test]
fn a_refusal_names_the_descriptor_that_was_fetched() {
    let mut bench = Bench::new(&[beat(MEMORY as u32), beat(64).stopping()]);
    bench.start();
    bench.write(DmaRegister::Curdsc, 1);
    bench.advance(1000, |_| None);
    assert_eq!(bench.dma.fault().map(|f| f.descriptor), Some(0));
    assert_eq!(bench.dma.read(DmaRegister::Curdsc), 1);
}

#[test]
fn the_end_of_a_descriptor_has_an_order() {
    // Stop bit and CTRL, without interrupt and with it: causes, CTRL at the end.
    for (interrupt, stop, value, expected) in [
        (true, true, 3, (cause::DESCRIPTOR | cause::STOPPED, 0)),
        (true, true, 1, (cause::DESCRIPTOR, 0)),
        (false, true, 3, (cause::STOPPED, 0)),
        (false, true, 1, (0, 0)),
        (true, false, 3, (cause::DESCRIPTOR | cause::STOPPED, 0)),
    ] {
        let mut descriptor = beat(64);
        (descriptor.interrupt, descriptor.stop) = (interrupt, stop);
        let mut bench = Bench::new(&[descriptor]).fill();
        bench.write(DmaRegister::Ctrl, value);
        bench.advance(1000, |_| None);
        let causes = bench.dma.read(DmaRegister::Intcause);
        assert_eq!((causes, bench.dma.read(DmaRegister::Ctrl)), expected);
        assert_eq!((bench.dma.check(), bench.dma.read(DmaRegister::Curdsc)), (0, 1));
    }
    // One that is not valid ends without a cause, and what was asked of CTRL stays asked.
    let mut bench = Bench::with_words(&[[0; 8]]);
    bench.write(DmaRegister::Ctrl, ctrl::START | ctrl::STOP);
    bench.advance(1000, |_| None);
    assert_eq!((bench.dma.check(), bench.dma.read(DmaRegister::Curdsc)), (0, 0));
    assert_eq!(bench.dma.read(DmaRegister::Intcause), 0);
    assert_eq!(bench.dma.read(DmaRegister::Ctrl), ctrl::STOP);
}
