//! Writes the kernels as first inputs of the target `engines`, which fuzzing gets much further from than
//! from nothing: `cargo run --features seeds --bin seeds corpus/engines`.

use cp2_isa::Core;
use cp2_programs::catalogue::workloads;
use cp2_programs::load::machine_with;
use cp2_programs::workload::Place;
use std::error::Error;
use std::path::PathBuf;

/// First words of an input: nearest rounding with and without inexact results before, another rounding
/// mode, a mask of sets.
const HEADS: [u64; 4] = [4, 0, 5, 0xffff_0004];
/// Bundles that the target reads.
const BUNDLES: usize = 512;

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: seeds FOLDER")?.into();
    std::fs::create_dir_all(&folder)?;
    for kernel in workloads(Place::Cp2) {
        let name = kernel.about().name;
        // Code that is made for each matrix has no text of its own.
        let Ok(source) = kernel.source(&Core::CP2) else { continue };
        let (cp2, _) = machine_with(&Core::CP2, &name, &source)?;
        let iram = &cp2.state.iram;
        let used = iram.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        for head in HEADS {
            let bundles = iram[..used.min(BUNDLES)].iter().map(|&bits| bits as u64);
            let words = std::iter::once(head).chain(bundles);
            let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            std::fs::write(folder.join(format!("{name}-{head:x}")), bytes)?;
        }
    }
    Ok(())
}
