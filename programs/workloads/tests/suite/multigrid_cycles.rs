//! Multigrid on machines: the operators on grids of many sizes against their definition, NPB MG against
//! V-cycles on plain arrays and in its cycles.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_kernels::multigrid::{GridKernel, KERNELS, Operator};
use cp2_procedures::multigrid::npb::{Class, right_side};
use cp2_procedures::multigrid::reference::{Solved, applied, solve};
use cp2_procedures::multigrid::{MultigridProblem, OperatorForm, Report, apply, outer_points, run};
use cp2_session::error::KernelError;
use cp2_session::{Engine, Execution, random};

fn solved(
    machine: &str,
    settings: &[&str],
    form: Option<OperatorForm>,
    engine: Engine,
) -> Result<Report, KernelError> {
    let mut config = MachineConfig::preset(machine).unwrap();
    settings.iter().for_each(|setting| config.apply_set(setting).unwrap());
    let execution = Execution { engine, ..sharing().execution(*config.core()) };
    let problem = MultigridProblem::new(&sharing(), Class::S, form, true);
    run(config, &problem, &execution, &mut |done, all| assert!(done <= all))
}

#[test]
fn a_solution_is_that_of_plain_arrays_whatever_the_machine() {
    let n = Class::S.points();
    let exact: Solved<f32> =
        solve(&right_side(&sharing(), n), n, Operator::S_SMALL, Class::S.iterations());
    let scale = exact.u.iter().fold(0f32, |most, u| most.max(u.abs()));
    let limit = 1e-6 * Operator::A.magnitude() as f32 * scale;
    let machines: [(&str, &[&str], OperatorForm); 6] = [
        ("vm7", &[], OperatorForm::Fused),
        ("vm9", &["core.arithmetic_latency=4", "core.load_latency=5"], OperatorForm::Plain),
        ("vm7", &["core.local_memory_words=16384"], OperatorForm::Fused),
        ("vm7", &["core.local_memory_words=4096"], OperatorForm::Plain),
        ("vm7", &["core.instruction_memory_bundles=4096"], OperatorForm::Fused),
        ("vm9", &["core.instruction_memory_bundles=4096", "core.banks=4"], OperatorForm::Plain),
    ];
    let mut residuals = Vec::new();
    for (machine, settings, form) in machines {
        let report = solved(machine, settings, Some(form), Engine::Fast).unwrap();
        assert_eq!(report.form, form);
        let distance = |of: &[f32], exact: &[f32]| {
            of.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max)
        };
        assert!(distance(&report.residual, &exact.r) < limit, "{machine} {settings:?}");
        assert!(distance(&report.solution.unwrap(), &exact.u) < limit, "{machine} {settings:?}");
        let deviation = report.norm / Class::S.norm() - 1.0;
        assert!(deviation.abs() < 1e-4, "{machine} {settings:?}: {deviation:e}");
        residuals.push(report.residual);
    }
    // Who moves the data, and when, changes no bit, nor do kernels in one go: the order of sums is the same.
    assert!(residuals.iter().all(|residual| *residual == residuals[0]));
}

#[test]
fn both_engines_take_the_same_cycles() {
    let cycles = [OperatorForm::Plain, OperatorForm::Fused].map(|form| {
        let quick = solved("vm7", &[], Some(form), Engine::Fast).unwrap();
        let slow = solved("vm7", &[], Some(form), Engine::Reference).unwrap();
        assert_eq!(quick, slow);
        quick.cost.cycles()
    });
    assert_eq!(cycles, [1_832_637, 1_287_749]);
}

#[test]
fn a_form_that_was_asked_for_is_refused_where_it_is_not_possible() {
    let small = &["core.local_memory_words=4096"][..];
    let refused =
        |form, settings| solved("vm7", settings, Some(form), Engine::Fast).unwrap_err().to_string();
    let needs = "mg, fused needs 8192 words of local memory; this core has 4096";
    assert_eq!(refused(OperatorForm::Fused, small), needs);
    let grid = "a grid of 32 points along an axis in columns of 64x16 points";
    assert!(refused(OperatorForm::Wide, &[]).contains(grid));
    assert_eq!(solved("vm7", small, None, Engine::Fast).unwrap().form, OperatorForm::Plain);
}

/// Whether a kernel works on a grid of n points along an axis, by what the specification says of it.
fn takes(kernel: GridKernel, n: usize) -> bool {
    let most = if kernel == GridKernel::Smooth0 { 64 } else { 32 };
    let step = if n <= most { 2 } else { 4 };
    let step = if kernel == GridKernel::Proj { 2 * step } else { step };
    n.is_multiple_of(step)
}

fn numbers(seed: u64, count: usize) -> Vec<f32> {
    random::complex(seed, count).into_iter().map(|z| z.re).collect()
}

#[test]
fn operators_work_on_grids_of_many_sizes() {
    let operators =
        |kernel: &GridKernel| kernel.special() == *kernel && *kernel != GridKernel::Norm;
    for kernel in KERNELS.into_iter().filter(operators) {
        for n in [4, 5, 6, 8, 10, 12, 14, 20, 24, 28, 30, 32, 34, 36, 40] {
            let config = MachineConfig::preset("vm9").unwrap();
            let on = sharing().execution(*config.core());
            let outer = outer_points(kernel, n);
            let (faced, plain) = (numbers(n as u64, n.pow(3)), numbers(1, outer.pow(3)));
            let done = apply(config, kernel, (n, &faced, &plain), &on, &mut |_, _| {});
            let Ok(done) = done else {
                assert!(!takes(kernel, n), "{} refuses {n}", kernel.name());
                continue;
            };
            assert!(takes(kernel, n), "{} takes {n}", kernel.name());
            let exact: Vec<f64> = applied(kernel, n, &faced, &plain);
            let pairs = done.output.iter().zip(&exact);
            let far = pairs.map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max);
            let limit = 1e-6 * (kernel.operator().magnitude() + 1.0);
            assert!(far < limit, "{} on {n} points: {far:e}", kernel.name());
        }
    }
}
