//! Closures on a device against Warshall's algorithm and petgraph.

use super::{Random, device};
use cp2_gpu_star::closure::{DeviceClosure, PivotBlock};
use cp2_gpu_star::sequential::{BitMatrix, PetGraph};

/// Closes a table in the three ways of the device.
fn closed(table: &BitMatrix) -> [BitMatrix; 3] {
    let mut on_device = DeviceClosure::new(&device(), table).unwrap();
    on_device.close().unwrap();
    let each = on_device.store().unwrap();
    let [by_32, by_64] = [PivotBlock::P32, PivotBlock::P64].map(|block| {
        on_device.load(table).unwrap();
        on_device.close_by_blocks(block).unwrap();
        on_device.store().unwrap()
    });
    [each, by_32, by_64]
}

#[test]
fn closures_are_those_of_warshall_and_of_petgraph() {
    let mut random = Random(7);
    for (n, arcs) in [
        (1, 1),
        (6, 8),
        (31, 40),
        (33, 60),
        (64, 70),
        (65, 100),
        (100, 90),
        (129, 400),
        (300, 330),
        (600, 700),
    ] {
        let graph = random.graph(n, arcs, 1);
        let table = BitMatrix::of(&graph);
        let mut expected = table.clone();
        expected.close();
        assert!(PetGraph::of(&graph).closure() == expected, "petgraph, n = {n}");
        let mut by_blocks = table.clone();
        by_blocks.close_by_blocks();
        assert!(by_blocks == expected, "blocks of the processor, n = {n}");
        for (found, form) in closed(&table).iter().zip(["each pivot", "32 pivots", "64 pivots"]) {
            assert!(*found == expected, "{form}, n = {n}");
        }
    }
}

/// A single cycle, in an order in which most pivots add something.
#[test]
fn a_cycle_is_closed_to_ones_only() {
    let n = 150;
    let mut table = BitMatrix::zeros(n);
    (0..n).for_each(|at| table.set(at * 7 % n, (at + 1) * 7 % n));
    for found in closed(&table) {
        assert_eq!(found.ones(), (n * n) as u64);
    }
}

#[test]
fn the_worked_example_is_closed() {
    let rows = ["001000", "101000", "010001", "011000", "001000", "000110"];
    let mut table = BitMatrix::zeros(6);
    for (i, row) in rows.iter().enumerate() {
        (0..6).filter(|&j| row.as_bytes()[j] == b'1').for_each(|j| table.set(i, j));
    }
    for found in closed(&table) {
        assert_eq!(found.ones(), 36);
    }
}

#[test]
fn inserted_arcs_keep_a_closure_closed() {
    let mut random = Random(8);
    for n in [1, 20, 64, 65, 200, 600] {
        let mut arcs = Vec::new();
        let mut closure = BitMatrix::zeros(n);
        let mut on_device = DeviceClosure::new(&device(), &closure).unwrap();
        let mut plain = BitMatrix::zeros(n);
        // Self-loops are arcs like others here, and arcs come twice.
        (0..n + 20).for_each(|_| arcs.push((random.below(n), random.below(n))));
        let there = on_device.arcs(&arcs).unwrap();
        for (at, &(tail, head)) in arcs.iter().enumerate() {
            closure.insert(tail, head);
            on_device.insert(&there, at).unwrap();
            plain.set(tail, head);
            if at % 8 == 0 || at + 1 == arcs.len() {
                let mut expected = plain.clone();
                expected.close();
                assert!(closure == expected, "n = {n}, arc {at}");
                assert!(on_device.store().unwrap() == expected, "n = {n}, arc {at}");
            }
        }
    }
}
