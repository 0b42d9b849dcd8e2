//! NPB MG, CG and FT on the devices that there are; PoCL makes one of the processor. Without any device a test fails with the
//! sentence that says what to install.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod formats;
mod refusals;
mod runs;

use cp2_gpu::{Gpu, GpuChoice, GpuInfo};

/// Opens `count` devices: as many as there are by themselves, else parts of the first.
fn devices(count: usize) -> Vec<Gpu> {
    let all = GpuInfo::all().unwrap_or_else(|e| panic!("{e}")).len();
    let choice = if all >= count {
        GpuChoice { numbers: (0..count).collect(), parts: 1 }
    } else {
        GpuChoice { numbers: vec![0], parts: count }
    };
    Gpu::open(&choice).unwrap_or_else(|e| panic!("{e}"))
}
