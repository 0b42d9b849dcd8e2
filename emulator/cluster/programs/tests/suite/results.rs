//! What programs print, which does not depend on the number of ranks where the program says so.

use super::kit::{Case, topology};

#[test]
fn multigrid_has_the_norm_of_npb_on_any_number_of_ranks() {
    // The norm that NPB publishes for class S is 0.5307707005734e-04.
    let expected = "begin norm 2.4705294220065e-02 largest 1\nend norm 5.3077070057349e-05 largest 0.0011217668764698097\n";
    for grid in [[1, 1, 1], [1, 1, 2], [1, 2, 2], [2, 2, 2]] {
        let ranks = grid.iter().product();
        let case = Case { topology: topology("vm9-torus", grid), ..Case::new("mpi_mg.elf", ranks) };
        assert_eq!(case.finish().1, expected, "{grid:?}");
    }
}

#[test]
fn the_plate_is_the_same_on_any_number_of_ranks() {
    let (_, one) = Case::new("mpi_stencil.elf", 1).finish();
    assert!(one.starts_with("largest change 0.308420181\nrow  0   3150.00000000\n"), "{one}");
    assert_eq!(one.lines().count(), 9);
    for ranks in [2, 3, 5, 8] {
        assert_eq!(Case::new("mpi_stencil.elf", ranks).finish().1, one, "{ranks} ranks");
    }
}

#[test]
fn a_rank_prints_before_what_follows_from_its_messages() {
    let (_, text) = Case::new("mpi_ring.elf", 4).finish();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "around 4 ranks: 6, from rank 3 with tag 7");
    assert_eq!(lines.last(), Some(&"time went on for all: 1"));
    for rank in 0..4 {
        assert!(lines.contains(&format!("rank {rank} has seen 600").as_str()), "{text}");
    }
}

#[test]
fn every_rank_has_a_whole_board() {
    let (run, text) = Case::new("mpi_boards.elf", 4).finish();
    for (rank, end) in run.ends.iter().enumerate() {
        assert_eq!(end.kernels, 5, "rank {rank}: each step, and once at the end");
        // 256 numbers and the factor into local memory, the numbers out of it, five times.
        assert_eq!(end.moved, 5 * (1024 + 16 + 1024), "rank {rank}");
    }
    assert_eq!(text.lines().count(), 4, "{text}");
    // A message goes from local memory of one CP2 to that of the next one.
    let (_, alone) = Case::new("mpi_boards.elf", 1).finish();
    assert_ne!(text.lines().next(), alone.lines().next());
}

#[test]
fn all_calls_answer_on_any_power_of_two_of_ranks() {
    for ranks in [1, 2, 4] {
        let (run, text) = Case::new("mpi_calls.elf", ranks).finish();
        assert_eq!(run.code(), 0);
        let line = format!("{}: ", ranks - 1);
        assert!(text.contains("begun 1\nrequests\n") && text.contains(&line), "{text}");
        assert!(text.contains("[42] [   42] [42   ] [00042] [+42] [ 42] [007] [    -007]\n"));
        assert!(text.contains("|4.94e-324|4.940656458e-324|"), "{text}");
    }
}

#[test]
fn the_first_exit_code_that_is_not_0_is_that_of_the_run() {
    let (run, text) = Case::new("mpi_wrong.elf", 19).finish();
    assert_eq!(run.code(), 5);
    assert_eq!(run.ends.iter().map(|end| end.code).max(), Some(18));
    assert_eq!(text.lines().count(), 19);
}

#[test]
fn the_schema_of_the_report_is_current() {
    let schema = format!("{:#}\n", cp2_cluster_programs::ClusterProgramReport::schema());
    assert!(
        schema == include_str!("../../schemas/cluster-program.schema.json"),
        "`cargo xtask bless cluster` makes it anew"
    );
}
