//! The order in which ranks are emulated, which changes nothing.

use super::kit::{Case, topology};
use cp2_cluster::{ClusterOptions, Tick};

#[test]
fn threads_order_and_window_change_no_byte() {
    for (name, grid) in [("mpi_ring.elf", [2, 2, 2]), ("mpi_stencil.elf", [2, 1, 2])] {
        let run = |options| {
            let ranks = grid.iter().product();
            let topology = topology("vm9-chips", grid);
            Case { topology, options, ..Case::new(name, ranks) }.finish()
        };
        let plain = run(ClusterOptions::default());
        let others = [
            ClusterOptions { threads: 2, ..ClusterOptions::default() },
            ClusterOptions { threads: 7, ..ClusterOptions::default() },
            ClusterOptions { order: vec![3, 1, 2, 0], ..ClusterOptions::default() },
            ClusterOptions { window: Some(Tick(4321)), ..ClusterOptions::default() },
        ];
        for options in others {
            let told = format!("{name} {options:?}");
            assert_eq!(run(options), plain, "{told}");
        }
    }
}
