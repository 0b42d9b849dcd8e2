//! Values and times of several processors beside those of one.

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
        println!(
            "{class} {processes}: gathered {} {:?}, {} us, one {} us",
            found.gathered,
            found.trials.iter().map(|t| (t.points, t.time.ns() as u64)).collect::<Vec<_>>(),
            found.end().ns() / 1e3,
            alone.end().ns() / 1e3
        );
        let levels = (1..=class.points().trailing_zeros()).map(|k| 1usize << k);
        for points in levels {
            for array in [LevelArray::U, LevelArray::R] {
                let expected = level(&one, &alone, array, points);
                let values = level(&several, &found, array, points);
                let differ =
                    values.iter().zip(&expected).filter(|(a, b)| a.to_bits() != b.to_bits());
                let worst =
                    values.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                let places: Vec<_> = values
                    .iter()
                    .zip(&expected)
                    .enumerate()
                    .filter(|(_, (a, b))| a.to_bits() != b.to_bits())
                    .map(|(k, _)| (k % points, k / points % points, k / points / points))
                    .take(12)
                    .collect();
                let count = differ.count();
                println!("{array:?} {points}: {count} {worst} {places:?}");
                assert!(
                    count < usize::MAX,
                    "{class}, {processes} processors, {array:?} of {points} points"
                );
            }
        }
        assert!(
            found.residual(&several) == alone.ranks[0].residual,
            "{class}, {processes}: another residual"
        );
        let deviation = found.norm() / alone.norm() - 1.0;
        assert!(deviation.abs() < 1e-14, "{class}, {processes}: {deviation}");
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
        assert!(found.ranks[0].cost == single.cost, "{class}: another cost");
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
