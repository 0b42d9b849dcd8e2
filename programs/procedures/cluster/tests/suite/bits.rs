//! Values and times of several processors beside those of one, and of runs that go on from a checkpoint.

use super::kit::{level, problem, run, vm9};
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::{self, LevelArray, MultigridProblem, OperatorForm};
use cp2_session::execution::Execution;

/// Checks that u and r of all levels are the same bits on so many processors as on one.
fn check_bits(class: Class, all: &[usize]) {
    let one = problem(class, 1, "vm9-torus");
    let alone = run(&one);
    for &processes in all {
        let several = problem(class, processes, "vm9-torus");
        let found = run(&several);
        let levels = (1..=class.points().trailing_zeros()).map(|k| 1usize << k);
        for points in levels {
            for array in [LevelArray::U, LevelArray::R] {
                let expected = level(&one, &alone, array, points);
                let values = level(&several, &found, array, points);
                let pairs = values.iter().zip(&expected);
                let differ = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
                assert_eq!(differ, 0, "{class}, {processes}, {array:?} of {points} points");
            }
        }
        assert!(
            found.residual(&several) == alone.ranks[0].residual,
            "{class}, {processes}: another residual"
        );
        // The squares are added block by block.
        let deviation = found.norm() / alone.norm() - 1.0;
        assert!(deviation.abs() < 1e-12, "{class}, {processes}: {deviation}");
        // NPB's own norm is of double precision.
        let of_npb = found.norm() / class.norm() - 1.0;
        assert!(of_npb.abs() < 1e-5, "{class}, {processes}: {of_npb}");
        assert_eq!(found.ranks[0].largest, alone.ranks[0].largest);
    }
}

#[test]
fn one_processor_takes_the_time_of_the_single_processor_procedure() {
    for class in [Class::S, Class::W] {
        let execution = Execution::default();
        let plain = Some(OperatorForm::Plain);
        let single = MultigridProblem::new(&execution.environment, class, plain, true);
        let single = multigrid::run(vm9(), &single, &execution, &mut |_, _| {}).unwrap();
        let found = run(&problem(class, 1, "vm9-torus"));
        assert_eq!(found.end().0, single.cost.timeline.cycles() * 84, "{class}");
        assert_eq!(found.ranks[0].residual, single.residual);
        assert_eq!(found.norm(), single.norm);
        assert!(found.messages.is_empty());
        assert!(found.ranks[0].cost == Some(single.cost), "{class}: another cost");
    }
}

#[test]
fn class_s_has_the_same_bits_on_2_to_16_processors() {
    check_bits(Class::S, &[2, 4, 8, 16]);
}

#[test]
fn class_w_has_the_same_bits_on_2_to_16_processors() {
    check_bits(Class::W, &[2, 4, 8, 16]);
}
