//! Lane efficiency against the exact table of the reference.

use cp2_recursion::tasks::Queens;
use cp2_recursion::{Dealing, hand_over, lane_work};

/// Board and queens, depth, contexts, nodes of the host, and the efficiency of each way of dealing out, per cent.
type Row = (u32, u32, usize, usize, u64, [f64; 4]);

const TABLE: [Row; 6] = [
    (8, 8, 2, 42, 9, [85.2, 95.0, 96.8, 48.9]),
    (8, 8, 3, 140, 51, [86.9, 98.7, 98.3, 52.3]),
    (8, 6, 1, 9, 1, [61.5, 60.3, 87.6, 42.5]),
    (8, 6, 2, 59, 10, [83.0, 83.5, 98.8, 46.9]),
    (9, 7, 2, 75, 11, [84.9, 96.3, 98.3, 43.8]),
    (10, 10, 3, 364, 83, [87.9, 99.5, 99.5, 44.6]),
];

#[test]
fn lanes_are_used_as_the_table_says() {
    for (board, queens, depth, contexts, host, expected) in TABLE {
        let task = Queens::new(board, queens).unwrap();
        let handed = hand_over(&task, depth).unwrap();
        assert_eq!((handed.contexts.len(), handed.host_calls), (contexts, host));
        for (dealing, expected) in Dealing::ALL.into_iter().zip(expected) {
            let work = lane_work(&task, &handed.contexts, (4, dealing)).unwrap();
            let found = (1000.0 * work.efficiency()).round() / 10.0;
            assert_eq!(found, expected, "{queens} on {board}, depth {depth}, {dealing:?}");
        }
    }
}
