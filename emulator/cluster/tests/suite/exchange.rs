//! One exchange of faces of class C on 8 VM9: formula (3.9) and the rows of `multiprocessor.md` 5, within one packet for each axis.

use super::kit::{exchange, shipped_topology};
use cp2_cluster::{ClusterOptions, MessageError, MessageOverheads, Tick, Topology, run};

const GRID: [usize; 3] = [2, 2, 2];
/// Bytes of a face of a block of 256 x 256 x 256 points, without edges.
const FACE: usize = 256 * 256 * 4;

/// Returns the milliseconds of one exchange, without latency and overheads, along the given axes.
fn milliseconds(topology: &Topology, axes: [bool; 3]) -> f64 {
    let bare = topology.clone().with_latency(Tick(1)).with_overheads(MessageOverheads::default());
    // Axes that are left out exchange nothing and take no time worth naming.
    let faces = axes.map(|counts| if counts { FACE } else { 0 });
    let start = |mut endpoint: cp2_cluster::Endpoint| async move {
        exchange(&mut endpoint, GRID, faces).await
    };
    run::<_, MessageError, _>(&bare, &ClusterOptions::default(), start).unwrap().end().ms()
}

/// Checks the time of each axis and of all: each is that of so many faces one after the other on a link of this rate.
fn check(name: &str, faces_mb_s: [(f64, f64); 3], printed: f64) {
    let topology = shipped_topology(name, GRID);
    let mut sum = 0.0;
    for (axis, (faces, rate)) in faces_mb_s.into_iter().enumerate() {
        // Headers of shipped links are 16 bytes for 256, those of the formula none.
        let headers = if name == "formula" { 1.0 } else { 272.0 / 256.0 };
        let expected = faces * FACE as f64 * headers / rate / 1e3;
        let found = milliseconds(&topology, [0, 1, 2].map(|one| one == axis));
        let packet = 272.0 / rate / 1e3;
        assert!(
            (found - expected).abs() <= 3.0 * packet,
            "{name}, axis {axis}: {found}, {expected}"
        );
        sum += expected / headers;
    }
    assert!((sum - printed).abs() < 0.001, "{name}: {sum}");
    let all = milliseconds(&topology, [true; 3]);
    let headers = if name == "formula" { 1.0 } else { 272.0 / 256.0 };
    assert!((all - sum * headers).abs() < 0.003, "{name}: {all}");
}

#[test]
fn one_exchange_takes_the_time_of_the_formula() {
    check("formula", [(1.0, 1250.0); 3], 0.629);
    check("vm9-torus", [(1.0, 1250.0); 3], 0.629);
}

#[test]
fn both_faces_go_over_one_port() {
    check("vm9-ports", [(2.0, 1250.0); 3], 1.258);
}

#[test]
fn two_cores_share_the_ports_of_their_chip() {
    check("vm9-chips", [(2.0, 2500.0), (4.0, 1250.0), (4.0, 1250.0)], 1.887);
}
