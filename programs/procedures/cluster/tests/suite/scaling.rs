//! The rows of the study are those that the program finds now.

use crate::kit::SHELF;
use cp2_asm::diagnostic::Sources;
use cp2_cluster::{TopologyFile, shipped};
use cp2_cluster_procedures::{ProcessGrid, ScalingCase, ScalingRow, scaling_row};
use cp2_emu::MachineConfig;
use cp2_procedures::multigrid::npb::Class;
use cp2_session::execution::Execution;

/// Returns the case of a row of class S.
fn case(row: &ScalingRow) -> ScalingCase {
    let mut sources = Sources::default();
    let file = sources.add(row.topology.as_str(), shipped::text(&row.topology).unwrap());
    let grid = ProcessGrid::new(row.processors, Class::S.points()).unwrap();
    ScalingCase {
        class: Class::S,
        grid,
        name: row.topology.clone(),
        topology: TopologyFile::read(&sources, file).unwrap().topology(grid.counts).unwrap(),
        latency_us: row.latency_us,
        config: MachineConfig::preset(&row.machine).unwrap(),
    }
}

#[test]
fn rows_of_class_s_are_found_again() {
    let rows = include_str!("../../data/scaling.jsonl").lines();
    let rows = rows.map(|line| serde_json::from_str::<ScalingRow>(line).unwrap());
    let is_taken = |row: &ScalingRow| row.class == "S" && row.latency_us.is_none_or(|us| us == 1.0);
    let rows: Vec<_> = rows.filter(is_taken).collect();
    assert!(rows.len() > 20, "{} rows", rows.len());
    for row in rows {
        let case = case(&row);
        let execution = Execution::on(*case.config.core());
        assert_eq!(scaling_row(&case, (2, &SHELF), &execution).unwrap(), row);
    }
}
