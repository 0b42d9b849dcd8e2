//! Elementary operations against those of the native machine.

use super::{Random, on_device};
use cp2_gpu_star::backend::{GpuBackend, folds};
use cp2_star::machine::{BitTable, BitVector, HostBackend, Logic, StarBackend};

/// Numbers of positions around those at which another word, or another fold, begins.
const LENGTHS: [usize; 16] =
    [1, 2, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096, 4097, 8200, 262_144, 262_145, 300_001];

fn slices(gpu: &mut GpuBackend, a: &BitVector, b: &BitVector) {
    let (x, y) = (gpu.load(a), gpu.load(b));
    for logic in [Logic::And, Logic::Or, Logic::Xor] {
        let found = gpu.logic(logic, &x, &y);
        assert_eq!(gpu.store(&found), HostBackend.logic(logic, a, b));
    }
    let not = gpu.not(&x);
    assert_eq!(gpu.store(&not), HostBackend.not(a));
    for (here, there) in [(a, &x), (&HostBackend.not(a), &not)] {
        assert_eq!(gpu.some(there), HostBackend.some(here));
        assert_eq!(gpu.find(there), HostBackend.find(here));
        assert_eq!(gpu.number(there), HostBackend.number(here));
    }
    let (mut stepped, mut expected) = (x.clone(), a.clone());
    for _ in 0..3 {
        assert_eq!(gpu.step(&mut stepped), HostBackend.step(&mut expected));
        assert_eq!(gpu.store(&stepped), expected);
    }
    gpu.keep_first(&mut stepped);
    HostBackend.keep_first(&mut expected);
    assert_eq!(gpu.store(&stepped), expected);
    assert_eq!(gpu.store(&x), *a, "an operand changed");
}

fn positions(gpu: &mut GpuBackend, random: &mut Random, a: &BitVector, b: &BitVector) {
    let (x, y) = (gpu.load(a), gpu.load(b));
    let length = a.len();
    let sum = gpu.logic(Logic::Xor, &x, &y);
    let here = HostBackend.logic(Logic::Xor, a, b);
    for position in [1, length, random.below(length) + 1] {
        assert_eq!(gpu.bit(&sum, position), here.get(position));
        let (mut there, mut expected) = (sum.clone(), here.clone());
        for bit in [true, false] {
            gpu.put_bit(&mut there, position, bit);
            HostBackend.put_bit(&mut expected, position, bit);
            assert_eq!(gpu.store(&there), expected);
        }
    }
    for position in [0, 1, length, random.below(length + 1)] {
        let mask = gpu.mask(length, position);
        assert_eq!(gpu.store(&mask), HostBackend.mask(length, position));
    }
    let from = random.below(length) + 1;
    for (from, size) in [(1, length), (length, 1), (from, random.below(length - from + 1) + 1)] {
        let part = gpu.trim(&x, from, size);
        let expected = HostBackend.trim(a, from, size);
        assert_eq!(gpu.store(&part), expected, "{from} {size} of {length}");
        let (mut there, mut replaced) = (y.clone(), b.clone());
        gpu.replace(&mut there, from, &part);
        HostBackend.replace(&mut replaced, from, &expected);
        assert_eq!(gpu.store(&there), replaced, "{from} {size} of {length}");
    }
    for (a, b, x, y) in [(a, b, &x, &y), (b, a, &y, &x), (a, a, &x, &x)] {
        let (sum, fits) = gpu.add(x, y);
        assert_eq!((gpu.store(&sum), fits), HostBackend.add(a, b));
        assert_eq!(gpu.less(x, y), HostBackend.less(a, b));
    }
}

#[test]
fn operations_are_those_of_the_native_machine() {
    on_device(|gpu| {
        let mut random = Random(1);
        for length in LENGTHS {
            for _ in 0..if length > 10_000 { 1 } else { 3 } {
                let (a, b) = (random.bits(length), random.bits(length));
                slices(gpu, &a, &b);
                positions(gpu, &mut random, &a, &b);
            }
            let (zeros, last) = (BitVector::zeros(length), {
                let mut last = BitVector::zeros(length);
                last.put(length, true);
                last
            });
            slices(gpu, &zeros, &last);
            slices(gpu, &last, &zeros);
        }
    });
}

#[test]
fn rows_and_columns_are_those_of_the_native_machine() {
    on_device(|gpu| {
        let mut random = Random(2);
        for (rows, width) in [(1, 1), (64, 64), (65, 63), (130, 200), (1000, 65), (63, 129)] {
            let mut here = BitTable::zeros(rows, width);
            (1..=width).for_each(|column| here.put_column(column, random.bits(rows)));
            let mut there = gpu.load_table(&here);
            let (before, kept) = (here.clone(), there.clone());
            for _ in 0..4 {
                let (row, column) = (random.below(rows) + 1, random.below(width) + 1);
                let found = gpu.row(&there, row);
                assert_eq!(gpu.store(&found), HostBackend.row(&here, row));
                let found = gpu.column(&there, column);
                assert_eq!(gpu.store(&found), HostBackend.column(&here, column));
                let (slice, word) = (random.bits(rows), random.bits(width));
                let (on_slice, on_word) = (gpu.load(&slice), gpu.load(&word));
                gpu.put_column(&mut there, column, &on_slice);
                HostBackend.put_column(&mut here, column, &slice);
                gpu.put_row(&mut there, row, &on_word);
                HostBackend.put_row(&mut here, row, &word);
                assert!(gpu.store_table(&there) == here, "{rows} x {width}");
            }
            assert!(gpu.store_table(&kept) == before, "a copy changed with its table");
            let zeros = gpu.new_table(rows, width);
            assert!(gpu.store_table(&zeros) == BitTable::zeros(rows, width));
        }
    });
}

/// Section 6 of the description of the machine: how often a slice is folded until one word is left.
#[test]
fn slices_are_folded_as_often_as_base_64_asks() {
    let of = |rows: usize| folds(rows.div_ceil(64));
    assert_eq!(
        [1, 64, 65, 4096, 4097, 262_144, 262_145, 16_777_216].map(of),
        [0, 0, 1, 1, 2, 2, 3, 3]
    );
}
