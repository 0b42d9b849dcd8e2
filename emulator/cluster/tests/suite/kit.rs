//! Topologies of the tests, and exchanges of faces between the processors of a grid.

use cp2_asm::diagnostic::Sources;
use cp2_cluster::{Endpoint, MessageError, Topology, TopologyFile, shipped};

/// Reads a topology file; all that is wrong in it as one text.
pub(crate) fn read(text: &str) -> Result<TopologyFile, String> {
    let mut sources = Sources::default();
    let file = sources.add("t.toml", text);
    TopologyFile::read(&sources, file).map_err(|problems| {
        problems.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("\n")
    })
}

/// Returns a topology that comes with the program, for a grid of processors.
pub(crate) fn shipped_topology(name: &str, grid: [usize; 3]) -> Topology {
    read(shipped::text(name).unwrap()).unwrap().topology(grid).unwrap()
}

/// Returns the number of the neighbour along an axis, on the side behind (`up`) or before.
pub(crate) fn neighbour(rank: usize, grid: [usize; 3], axis: usize, up: bool) -> usize {
    let step: usize = grid[..axis].iter().product();
    let (count, at) = (grid[axis], rank / step % grid[axis]);
    let next = if up { at + 1 } else { at + count - 1 } % count;
    rank - at * step + next * step
}

/// Exchanges the pair of faces of each cut axis, axis by axis, without packing. `faces` are the bytes of a face along each axis.
pub(crate) async fn exchange(
    endpoint: &mut Endpoint,
    grid: [usize; 3],
    faces: [usize; 3],
) -> Result<u64, MessageError> {
    let rank = endpoint.rank();
    let mut sum = 0;
    for axis in (0..3).filter(|&axis| grid[axis] > 1) {
        let sides = [false, true].map(|up| neighbour(rank, grid, axis, up));
        for (side, to) in sides.into_iter().enumerate() {
            endpoint.send(to, (2 * axis + side) as u32, vec![rank as u8 + 1; faces[axis]])?;
        }
        // The face of the other side of the neighbour comes from there.
        for (side, from) in sides.into_iter().enumerate() {
            let face = endpoint.recv(from, (2 * axis + 1 - side) as u32).await?;
            sum += face.bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
        }
    }
    Ok(sum)
}
