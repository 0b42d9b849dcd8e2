//! What is refused.

use super::kit::problem;
use cp2_cluster_procedures::{ProcessGrid, run_multigrid};
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;

fn refused(change: impl Fn(&mut cp2_cluster_procedures::ClusterMgProblem)) -> String {
    let mut of = problem(Class::S, 4, "vm9-torus");
    change(&mut of);
    run_multigrid(&of, &Execution::on(*of.setup.config.core())).unwrap_err().to_string()
}

#[test]
fn numbers_of_processors_are_powers_of_two_that_leave_blocks() {
    let of = |processes, points| ProcessGrid::new(processes, points).unwrap_err().to_string();
    assert_eq!(
        of(6, 32),
        "6 processors: the grid is halved axis by axis, so it takes a power of two; the nearest are 4 and 8"
    );
    assert_eq!(
        of(0, 32),
        "0 processors: the grid is halved axis by axis, so it takes a power of two; the nearest are 1 and 2"
    );
    assert_eq!(
        of(512, 32),
        "512 processors: blocks of a grid of 32 points along an axis would be too small to be projected; it takes 256 at most"
    );
    assert_eq!(ProcessGrid::new(16, 32).unwrap().counts, [2, 2, 4]);
    assert_eq!(ProcessGrid::new(1, 32).unwrap().counts, [1; 3]);
}

#[test]
fn a_machine_that_does_not_serve_is_refused() {
    assert_eq!(
        refused(|of| of.setup.config.apply_set("cpu.clock_mhz=990").unwrap()),
        "cpu.clock_mhz is 990: its period is no whole number of ticks of 1/84 ns, in which the network counts; 200, 600, 700, 800, 1000 and 1200 are"
    );
    let small = refused(|of| {
        *of = problem(Class::W, 4, "vm9-torus");
        of.setup.config.apply_set("memory.size_mib=1").unwrap();
    });
    assert!(small.starts_with("rank 0: ") && small.contains("memory"), "{small}");
    assert_eq!(
        refused(|of| of.gathered = Some(32)),
        "a level of 32 points along an axis cannot be gathered; with these processors it takes 4, 8, 16"
    );
    assert_eq!(
        refused(|of| of.grid = ProcessGrid { counts: [1, 1, 2] }),
        "the topology is of 4 ranks, and 2 were asked for"
    );
}

#[test]
fn the_schema_of_the_report_is_current() {
    let schema = format!("{:#}\n", cp2_cluster_procedures::ClusterMgReport::schema());
    assert!(
        schema == include_str!("../../schemas/cluster.schema.json"),
        "`cargo xtask bless cluster` makes it anew"
    );
}
