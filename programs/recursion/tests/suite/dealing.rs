//! Lane efficiency against the table of the page.

use super::{numbers, table};
use cp2_recursion::tasks::Queens;
use cp2_recursion::{Dealing, hand_over, joint_work, lane_work};

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
        let percent = |efficiency: f64| format!("{:.1}", 100.0 * efficiency);
        for ((name, dealing), expected) in Dealing::ALL.into_iter().zip(&row[4..]) {
            let work = lane_work(&task, &handed.contexts, (4, dealing)).unwrap();
            assert_eq!(percent(work.efficiency()), *expected, "{row:?} {name}");
        }
        let joint = joint_work(&task, &handed.contexts, (4, 1)).unwrap();
        assert_eq!(percent(joint.efficiency()), row[7], "{row:?} common depth");
    }
}

#[test]
fn every_context_is_in_one_share() {
    for (lanes, contexts) in [(1, 0), (4, 3), (4, 8), (5, 13), (32, 613), (7, 1)] {
        for dealing in [Dealing::Block, Dealing::Cyclic] {
            let mut seen = vec![0; contexts];
            for lane in 0..lanes {
                let share = dealing.share((lane, lanes), contexts).unwrap();
                (share.first..share.end).step_by(share.step).for_each(|at| seen[at] += 1);
            }
            assert_eq!(seen, vec![1; contexts], "{lanes} {contexts} {dealing:?}");
        }
        assert_eq!(Dealing::Queue.share((0, lanes), contexts), None);
    }
}
