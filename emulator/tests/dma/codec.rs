//! The bits of descriptors.

use cp2_emu::dma::{
    Copy, Descriptor, DescriptorAction, Gather, Get, GetWords, Jump, JumpKind, LocalStride,
    LocalWalk, MemoryWalk, NextDescriptor, Pattern, Put, PutWords, Stride,
};
use cp2_isa::{MemoryAddress, WordAddress};
use proptest::prelude::*;

fn stride() -> impl Strategy<Value = Stride> {
    (-0x20_0000i32..0x20_0000, 0u32..0x10_0000)
        .prop_map(|(step, count)| Stride { step: step * 4, count })
}

fn memory() -> impl Strategy<Value = MemoryWalk> {
    (any::<u32>(), proptest::option::of(0u8..32), 0u8..64, stride(), stride()).prop_map(
        |(base, index, burst, x, y)| MemoryWalk {
            base: MemoryAddress::from(base & !3),
            index,
            burst,
            x,
            y,
        },
    )
}

fn local() -> impl Strategy<Value = LocalWalk> {
    let stride = || {
        (any::<u16>(), any::<u16>(), any::<bool>())
            .prop_map(|(step, count, reversed)| LocalStride { step, count, reversed })
    };
    (any::<u16>(), proptest::option::of(0u8..32), stride(), stride())
        .prop_map(|(base, index, x, y)| LocalWalk { base: WordAddress(base), index, x, y })
}

fn next() -> impl Strategy<Value = NextDescriptor> {
    prop_oneof![
        (-256i16..256).prop_map(NextDescriptor::By),
        (0u8..32).prop_map(NextDescriptor::Index)
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    any::<[u16; 4]>().prop_map(|[base, inner, run, outer]| Pattern { base, inner, run, outer })
}

fn action() -> impl Strategy<Value = DescriptorAction> {
    let get = (memory(), local(), any::<bool>(), proptest::array::uniform4(pattern()), next())
        .prop_map(|(memory, local, single_words, sections, next)| {
            DescriptorAction::Get(Get { memory, local, single_words, sections, next })
        });
    let put = (memory(), local(), 0u8..5, 0u8..16, 0u8..16, next()).prop_map(
        |(memory, local, flow, mask, row_end_mask, next)| {
            DescriptorAction::Put(Put { memory, local, flow, mask, row_end_mask, next })
        },
    );
    let copy = (memory(), memory(), next())
        .prop_map(|(from, to, next)| DescriptorAction::Copy(Copy { from, to, next }));
    let get_words = (memory(), local(), proptest::array::uniform4(pattern()), next()).prop_map(
        |(memory, local, sections, next)| {
            DescriptorAction::GetWords(GetWords { memory, local, sections, next })
        },
    );
    let put_words = (memory(), local(), 0u8..5, next()).prop_map(|(memory, local, flow, next)| {
        DescriptorAction::PutWords(PutWords { memory, local, flow, next })
    });
    let base = proptest::option::of(0u8..32);
    let gather = (memory(), base, local(), proptest::array::uniform4(pattern()), next()).prop_map(
        |(list, base, local, sections, next)| {
            DescriptorAction::Gather(Gather { list, base, local, sections, next })
        },
    );
    let kind = prop_oneof![
        Just(JumpKind::Relative),
        any::<[u16; 16]>().prop_map(JumpKind::Table),
        Just(JumpKind::Absolute),
        (any::<u32>(), any::<i16>(), any::<i16>())
            .prop_map(|(value, equal, other)| JumpKind::Compare { value, equal, other }),
    ];
    let jump =
        (kind, 0u8..32).prop_map(|(kind, index)| DescriptorAction::Jump(Jump { kind, index }));
    prop_oneof![get, put, copy, get_words, put_words, gather, jump]
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(flags in any::<[bool; 5]>(), action in action()) {
        let [valid, interrupt, stop, sync_before, sync_after] = flags;
        let descriptor = Descriptor { valid, interrupt, stop, sync_before, sync_after, action };
        let words = descriptor.encode().unwrap();
        prop_assert_eq!(Descriptor::decode(&words), descriptor);
    }

    #[test]
    fn all_words_decode_and_what_they_mean_survives(words in any::<[u64; 8]>()) {
        let descriptor = Descriptor::decode(&words);
        let again = descriptor.encode().unwrap();
        prop_assert_eq!(Descriptor::decode(&again), descriptor);
    }
}

/// Every field at its place, by hand.
#[test]
fn fields_stand_where_the_specification_says() {
    let memory = MemoryWalk {
        base: MemoryAddress(0x1234_5678),
        index: Some(5),
        burst: 0x2a,
        x: Stride { step: -4, count: 0x5_4321 },
        y: Stride { step: 0x12_3458, count: 0x6_789a },
    };
    let local = LocalWalk {
        base: WordAddress(0x1111),
        index: None,
        x: LocalStride { step: 0x2222, count: 0x3333, reversed: true },
        y: LocalStride { step: 0x4444, count: 0x5555, reversed: false },
    };
    let sections = [0u16, 1, 2, 3].map(|s| Pattern { base: s, inner: 0xa, run: 0xb, outer: 0xc });
    let mut get = Descriptor::get(memory, local, sections).stopping().synced();
    if let DescriptorAction::Get(g) = &mut get.action {
        (g.single_words, g.next) = (true, NextDescriptor::By(-1));
    }
    let words = get.encode().unwrap();
    let sy = 0x12_3458u64 >> 2;
    assert_eq!(
        words[0],
        1 << 63 | 1 << 61 | 1 << 60 | 2 << 57 | 0x1ff << 47 | 0x2a << 41 | 1 << 32 | 0x1234_5678
    );
    assert_eq!(words[1], 0x3f_ffff << 42 | 5 << 34 | 0x5_4321 << 12 | sy >> 10);
    assert_eq!(words[2], 0x6_789a << 44 | (sy & 0x3ff) << 34 | 0x1111_2222);
    assert_eq!(words[3], 0x3333_4444_5555_0000 | 1 << 15 | 1 << 13);
    assert_eq!(words[6], 0x0002_000a_000b_000c);
    let put =
        Put { memory, local, flow: 3, mask: 1, row_end_mask: 8, next: NextDescriptor::Index(17) };
    let words =
        Descriptor::new(DescriptorAction::Put(put)).interrupting().synced_after().encode().unwrap();
    assert_eq!(
        words[0],
        1 << 63 | 1 << 62 | 1 << 59 | 1 << 56 | 17 << 47 | 0x2a << 41 | 3 << 32 | 0x1234_5678
    );
    assert_eq!(words[4], 1 << 60 | 1 << 59);
    let compare = JumpKind::Compare { value: 7, equal: -1, other: 2 };
    let words = Descriptor::jump(compare, 9).encode().unwrap();
    assert_eq!(words[0], 1 << 63 | 3 << 57 | 3 << 55 | 9 << 49 | 7);
    assert_eq!(words[1], 0xffff_0002 << 32);
    let table = JumpKind::Table(std::array::from_fn(|k| k as u16));
    let words = Descriptor::jump(table, 0).encode().unwrap();
    assert_eq!(
        words[1..5],
        [
            0x0000_0001_0002_0003,
            0x0004_0005_0006_0007,
            0x0008_0009_000a_000b,
            0x000c_000d_000e_000f
        ]
    );
}

#[test]
fn words_and_gathers_are_told_by_bits_that_nothing_else_has() {
    let (memory, local) = (MemoryWalk::default(), LocalWalk::default());
    let (sections, next) = ([Pattern::ALL_WORDS; 4], NextDescriptor::By(0));
    let word = |action| Descriptor::new(action).encode().unwrap()[0];
    let plain = 1 << 63 | 1 << 41 | 1 << 40;
    let get = GetWords { memory, local, sections, next };
    assert_eq!(word(DescriptorAction::GetWords(get)), plain | 2 << 57);
    let put = PutWords { memory, local, flow: 3, next };
    assert_eq!(word(DescriptorAction::PutWords(put)), plain | 3 << 32);
    let gather =
        |base| DescriptorAction::Gather(Gather { list: memory, base, local, sections, next });
    assert_eq!(word(gather(None)), plain | 2 << 57 | 1 << 39 | 1 << 33);
    assert_eq!(word(gather(Some(21))), plain | 2 << 57 | 21 << 34 | 1 << 33);
}

#[test]
fn values_that_do_not_fit_are_named() {
    let refused = |change: &dyn Fn(&mut Get)| {
        let mut get = Get {
            memory: MemoryWalk::default(),
            local: LocalWalk::default(),
            single_words: false,
            sections: [Pattern::ALL; 4],
            next: NextDescriptor::By(1),
        };
        change(&mut get);
        Descriptor::new(DescriptorAction::Get(get)).encode().unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|g| g.memory.burst = 64),
        "beats per burst is 64; a descriptor takes 0 to 63"
    );
    assert_eq!(
        refused(&|g| g.memory.x.step = 6),
        "memory step x is 6; a descriptor takes multiples of 4 from -8388608 to 8388604"
    );
    assert_eq!(
        refused(&|g| g.memory.y.count = 1 << 20),
        "memory count y is 1048576; a descriptor takes 0 to 1048575"
    );
    assert_eq!(
        refused(&|g| g.next = NextDescriptor::By(256)),
        "step to the next descriptor is 256; a descriptor takes -256 to 255"
    );
    assert!(
        refused(&|g| g.local.index = Some(32))
            .contains("half-register of the local base is 32; a descriptor takes 0 to 31")
    );
    assert!(refused(&|g| g.memory.base = MemoryAddress(2)).contains("multiples of 4"));
}
