//! Conjugate gradients in system memory.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_kernels::sparse::matrices::{self, CgClass};
use cp2_procedures::cg::{CgProblem, DirectionMethod, Report, SolverLimits, run};
use cp2_procedures::sparse::ProductPlan;
use cp2_session::KernelError;
use cp2_session::sparse::{Csr, market};

fn solve(name: &str, matrix: &Csr, problem: &CgProblem) -> Result<Report, KernelError> {
    let config = MachineConfig::preset(name).unwrap();
    let plan = ProductPlan::best(&config, matrix, |form| form == "sliced").unwrap();
    let on = sharing().execution(*config.core());
    run(config, matrix, problem, (&plan, None), &on, &mut |_, _| {})
}

/// The direction is the same bits where each section makes all of it; short vectors are faster so.
#[test]
fn fused_steps_are_plain_ones_in_fewer_cycles() {
    for matrix in [matrices::five_point(12, 11).unwrap(), tridiagonal(13_000)] {
        let config = MachineConfig::preset("vm9").unwrap();
        let plan = ProductPlan::best(&config, &matrix, |form| form == "sliced").unwrap();
        let problem = system(vec![1.0; matrix.rows()], 1e-5, 12);
        let solved = |steps| {
            let on = sharing().execution(*config.core());
            let of = (&plan, Some(steps));
            run(config.clone(), &matrix, &problem, of, &on, &mut |_, _| {}).unwrap()
        };
        let [plain, fused] = [DirectionMethod::Plain, DirectionMethod::Fused].map(solved);
        assert_eq!((plain.method, fused.method), (DirectionMethod::Plain, DirectionMethod::Fused));
        assert_eq!((&plain.x, &plain.residuals), (&fused.x, &fused.residuals));
        let is_faster = fused.cost.cycles() < plain.cost.cycles();
        assert!(is_faster || matrix.rows() > 1000);
    }
}

/// Returns a matrix with 4 on the diagonal and -1 beside it.
fn tridiagonal(n: usize) -> Csr {
    let entries: Vec<_> = (0..n)
        .flat_map(|row| {
            let beside = (row + 1 < n).then_some([(row, row + 1, -1.0), (row + 1, row, -1.0)]);
            [(row, row, 4.0)].into_iter().chain(beside.into_iter().flatten())
        })
        .collect();
    Csr::from_entries(n, n, &entries).unwrap()
}

fn system(b: Vec<f32>, tolerance: f64, steps: usize) -> CgProblem {
    CgProblem::System { b, limits: SolverLimits { tolerance, steps } }
}

/// Five outer iterations of class S of 15; the whole class takes 120 million cycles.
#[test]
fn zeta_of_class_s_converges_to_that_of_npb() {
    let class = CgClass { iterations: 5, ..matrices::CLASS_S };
    let matrix = matrices::npb_cg(matrices::CLASS_S).unwrap();
    let report = solve("vm7", &matrix, &CgProblem::Class(class)).unwrap();
    assert_eq!((report.steps, report.zetas.len(), report.residuals.len()), (125, 5, 5));
    let errors: Vec<f64> = report.zetas.iter().map(|z| (z - class.zeta).abs()).collect();
    // The power method comes nearer with every iteration, by 8 times at last: what is left behind the fifth is its
    // own, not of rounding, which is a thousandth of that.
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    assert!(errors[4] < 2.5e-5, "{errors:?}");
    // x is all ones at first, of norm 37, and has norm 1 from then on.
    assert!(report.residuals[0] < 1e-4 && report.residuals[1..].iter().all(|&r| r < 5e-6));
}

#[test]
fn a_small_poisson_problem_is_solved() {
    let matrix = matrices::five_point(12, 11).unwrap();
    let x: Vec<f32> = (0..matrix.rows()).map(|i| (i % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = matrix.product(&x).iter().map(|(sum, _)| *sum as f32).collect();
    let [one, other] =
        ["vm7", "vm9"].map(|name| solve(name, &matrix, &system(b.clone(), 1e-6, 200)).unwrap());
    assert_eq!(one.x, other.x, "what is computed does not depend on clocks");
    let worst = one.x.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-4, "{worst}");
    assert_eq!(one.residuals.len(), one.steps + 1);
    assert_eq!(one.residuals[0], 1.0);
    assert!(*one.residuals.last().unwrap() <= 1e-6);
    assert!(one.steps < 80, "{} steps", one.steps);
}

#[test]
fn vectors_longer_than_a_page_and_a_matrix_in_blocks_of_columns() {
    let n = 13_000;
    let matrix = tridiagonal(n);
    let report = solve("vm9", &matrix, &system(vec![1.0; n], 1e-5, 30)).unwrap();
    assert!(report.statistics.blocks > 1);
    assert!(*report.residuals.last().unwrap() <= 1e-5);
    // In the middle 4 x - 2 x = 1.
    assert!((report.x[n / 2] - 0.5).abs() < 1e-4, "{}", report.x[n / 2]);
}

#[test]
fn steps_end_at_their_limit_and_a_zero_right_side_takes_none() {
    let matrix = matrices::five_point(8, 8).unwrap();
    let report = solve("vm7", &matrix, &system(vec![1.0; 64], 1e-6, 3)).unwrap();
    assert_eq!((report.steps, report.residuals.len()), (3, 4));
    let report = solve("vm7", &matrix, &system(vec![0.0; 64], 1e-6, 3)).unwrap();
    assert_eq!((report.steps, report.x), (0, vec![0.0; 64]));
}

fn refused(matrix: &Csr) -> String {
    let b = vec![1.0; matrix.rows()];
    solve("vm7", matrix, &system(b, 1e-5, 10)).unwrap_err().to_string()
}

#[test]
fn a_right_side_of_another_length_is_refused() {
    for elements in [0, 7, 9] {
        let problem = system(vec![1.0; elements], 1e-5, 10);
        assert_eq!(
            solve("vm7", &tridiagonal(8), &problem).unwrap_err().to_string(),
            format!(
                "the vector has {elements} elements and the matrix 8 columns; both must be equal"
            )
        );
    }
}

#[test]
fn matrices_for_which_it_is_no_method_are_told() {
    let text = |kind: &str, rest: &str| {
        market::read(&format!("%%MatrixMarket matrix coordinate real {kind}\n{rest}")).unwrap()
    };
    let indefinite = text("symmetric", "2 2 2\n1 1 1\n2 2 -3\n");
    assert_eq!(
        refused(&indefinite),
        "the matrix is not positive definite: p.Ap is -2e0 in step 1; conjugate gradients need a positive definite one"
    );
    let singular = text("symmetric", "2 2 3\n1 1 1\n2 1 -1\n2 2 1\n");
    assert!(refused(&singular).contains("p.Ap is 0e0 in step 1"), "{}", refused(&singular));
    assert_eq!(
        refused(&text("general", "2 2 3\n1 1 1\n2 2 1\n1 2 0.5\n")),
        "the matrix is not symmetric: entry (1, 2) is 0.5 and (2, 1) is 0; conjugate gradients need a symmetric one"
    );
    assert_eq!(
        refused(&text("general", "2 3 1\n1 1 1\n")),
        "the matrix is 2 x 3; conjugate gradients need a square one"
    );
}
