//! What cannot be done is told with numbers and what to do.

use super::{Random, device};
use cp2_gpu_star::backend::GpuBackend;
use cp2_gpu_star::closure::DeviceClosure;
use cp2_gpu_star::paths::{DevicePaths, DeviceReach};
use cp2_gpu_star::sequential::BitMatrix;
use cp2_star::graph::Graph;
use cp2_star::machine::StarBackend;

#[test]
fn a_table_that_is_too_large_is_refused_with_the_numbers() {
    let mut gpu = GpuBackend::with_limit(&device(), 1000).unwrap();
    let table = gpu.new_table(200, 40);
    let fault = gpu.fault().unwrap().to_string();
    assert!(fault.starts_with("a table of 200 rows and 40 columns takes 1280 bytes"), "{fault}");
    assert!(fault.contains(" has 1000 for it; take a smaller graph or fewer bits"), "{fault}");
    // What follows is an error as well, and nothing is made up.
    assert_eq!(gpu.store_table(&table).columns().len(), 40);
    assert!(gpu.fault().unwrap().to_string().contains("an operation before it failed"));
}

#[test]
fn values_that_do_not_fit_together_are_refused_and_free_ones_make_room() {
    let mut gpu = GpuBackend::with_limit(&device(), 1000).unwrap();
    let first = gpu.new_table(64, 60);
    let other = gpu.filled(64 * 70, true);
    let fault = gpu.fault().unwrap().to_string();
    assert!(fault.contains("a value beside") && fault.contains("takes 560 bytes"), "{fault}");
    drop((first, other));
    let again = gpu.filled(64 * 70, true);
    assert_eq!(gpu.number(&again), 64 * 70);
    assert_eq!(gpu.fault(), None);
}

#[test]
fn a_program_is_refused_before_it_runs() {
    let gpu = GpuBackend::with_limit(&device(), 1 << 20).unwrap();
    assert!(gpu.check_memory(Some(8 << 20)).is_ok());
    let refused = gpu.check_memory(Some((8 << 20) + 1)).unwrap_err().to_string();
    assert!(
        refused.contains("takes 1048577 bytes") && refused.contains("has 1048576"),
        "{refused}"
    );
    assert!(gpu.check_memory(None).is_err());
}

#[test]
fn more_rows_than_a_work_group_has_are_refused() {
    let graph = Graph::new(1 << 20, Vec::new());
    let refused = DeviceReach::new(&device(), &graph).err().unwrap().to_string();
    assert!(refused.starts_with("1048576 rows, and one work-group of "), "{refused}");
    let graph = Graph::new(60_000, Vec::new());
    let refused = DevicePaths::new(&device(), &graph, 64).err().unwrap().to_string();
    assert!(refused.contains("the weights of 60000 vertices of 64 bits takes 28815"), "{refused}");
}

#[test]
fn vertices_that_are_not_there_are_named() {
    let graph = Random(12).graph(9, 20, 5);
    let mut paths = DevicePaths::new(&device(), &graph, 8).unwrap();
    for vertex in [0, 10] {
        let refused = paths.run(vertex).unwrap_err().to_string();
        assert!(refused.contains(&format!("vertex {vertex} is not there, there are 1 to 9")));
    }
    let closure = DeviceClosure::new(&device(), &BitMatrix::zeros(9)).unwrap();
    let refused = closure.arcs(&[(0, 9)]).err().unwrap().to_string();
    assert!(refused.contains("an arc from 0 to 9 of 9 vertices"), "{refused}");
}
