//! Lane efficiency against the table of the page.

use super::{numbers, table};
use cp2_recursion::tasks::Queens;
use cp2_recursion::{Dealing, hand_over, lane_work};

#[test]
fn lanes_are_used_as_the_table_says() {
    let rows = table("K, N");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let task = numbers::<u32>(row[0]);
        let task = Queens::new(task[0], task[1]).unwrap();
        let handed = hand_over(&task, row[1].parse().unwrap()).unwrap();
        let (contexts, calls) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        assert_eq!((handed.contexts.len(), handed.host_calls), (contexts, calls));
        for (dealing, expected) in Dealing::ALL.into_iter().zip(&row[4..]) {
            let work = lane_work(&task, &handed.contexts, (4, dealing)).unwrap();
            assert_eq!(
                format!("{:.1}", 100.0 * work.efficiency()),
                *expected,
                "{row:?} {dealing:?}"
            );
        }
    }
}
