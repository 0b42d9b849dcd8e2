//! FFTs of many vectors in system memory, 64 to 65536 points: options, report and the check of the
//! input. How pages are cut is in `short` and `long`.

use super::session::Host;
use super::timeline::{KernelCounts, Timeline};
use super::{long, short};
use crate::error::KernelError;
use crate::fft;
use cp2_emu::MachineConfig;
use cp2_emu::dma::DmaStats;
use cp2_emu::machine::{Key, Rows, dma_rate};
use cp2_emu::memory::Direction;
use cp2_isa::SECTIONS;
use num_complex::Complex32;
use serde_json::{Value, json};

pub use super::long::{Scheme, Split};

/// Lengths that the procedures transform.
pub const LENGTHS: [usize; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// Longest length that one section holds.
pub const LONGEST_SHORT: usize = 4096;

/// How to transform.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The inverse transform.
    pub inverse: bool,
    /// Multiply the result by 1/N, on the host, which takes no time here.
    pub scale: bool,
    /// Pages of a long transform.
    pub scheme: Scheme,
    /// Cycles that a kernel counts as running at least, for each vector of a section, by its
    /// length: what the procedure would cost with other kernels. `|_| 0` for the kernels as they are.
    pub least_cycles: fn(usize) -> u64,
    /// Limit of cycles for the whole procedure.
    pub max_cycles: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inverse: false,
            scale: false,
            scheme: Scheme::default(),
            least_cycles: |_| 0,
            max_cycles: 10_000_000_000,
        }
    }
}

/// Cycles of a vector in the kernels of \[D\] table B.2; 0 for lengths that it does not have.
pub fn published_cycles(points: usize) -> u64 {
    match points {
        64 => 247,
        128 => 579,
        256 => 1218,
        _ => 0,
    }
}

/// What a transform did and cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The transforms, vector by vector.
    pub output: Vec<Complex32>,
    /// Points of a vector.
    pub points: usize,
    /// Vectors; the last pages may have more, filled with zeros.
    pub vectors: usize,
    /// Pages.
    pub pages: usize,
    /// Who was busy when.
    pub timeline: Timeline,
    /// Counts of the kernels.
    pub kernels: KernelCounts,
    /// Counts of the channel.
    pub dma: DmaStats,
    /// The machine.
    pub config: MachineConfig,
}

/// Operations of a vector, as \[D\] counts them: 5 N log2 N.
pub fn operations(points: usize) -> u64 {
    5 * points as u64 * u64::from(points.trailing_zeros())
}

impl Report {
    fn mops(&self, cycles: f64) -> f64 {
        let clock = f64::from(self.config.value(Key::CpuClock));
        (operations(self.points) * self.vectors as u64) as f64 * clock / cycles
    }

    /// Cycles from the first command of the host to the end.
    pub fn cycles(&self) -> u64 {
        self.timeline.cycles()
    }

    /// Rate by the counting of \[D\], 10^6 operations per second.
    pub fn rate_mops(&self) -> f64 {
        self.mops(self.cycles() as f64)
    }

    /// The most that the method allows: computing at one butterfly per cycle and section, beside
    /// moving what was moved, coefficients included, at the rates of long rows.
    pub fn bound_mops(&self) -> f64 {
        let clock = f64::from(self.config.value(Key::CpuClock));
        let cycles = |direction, bytes: u64| {
            let total_bytes = 1 << 17;
            let rows = Rows { direction, row_bytes: 1024, pitch_bytes: 1024, total_bytes };
            dma_rate(&self.config, &rows).map_or(0.0, |rate| bytes as f64 * clock / rate)
        };
        let transfer =
            cycles(Direction::Get, self.dma.bytes_get) + cycles(Direction::Put, self.dma.bytes_put);
        let per_section = (self.vectors as f64) / SECTIONS as f64;
        let compute = fft::butterflies(self.points) as f64 * per_section;
        self.mops(transfer.max(compute))
    }

    /// The counts as JSON, with the machine and, if asked for, the timeline.
    pub fn to_json(&self, with_timeline: bool) -> Value {
        let mut object = json!({
            "schema": "cp2-procedure-1",
            "points": self.points,
            "vectors": self.vectors,
            "pages": self.pages,
            "cycles": self.cycles(),
            "kernel_runs": self.kernels.runs,
            "kernel_cycles": self.kernels.cycles,
            "rate_mops": self.rate_mops(),
            "bound_mops": self.bound_mops(),
            "overlap_percent": self.timeline.overlap_percent(),
            "dma": self.dma.to_json(),
            "machine": self.config.to_json(),
        });
        if with_timeline {
            object["timeline"] = self.timeline.to_json();
        }
        object
    }
}

/// Transforms vectors of `points` points that lie one after the other in `input`, on a machine.
/// `progress` is told how many pages of how many are computed.
pub fn run(
    config: MachineConfig,
    points: usize,
    input: &[Complex32],
    options: &Options,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, KernelError> {
    if !LENGTHS.contains(&points) {
        let allowed = "the powers of two from 64 to 65536".to_owned();
        return Err(KernelError::Length { points, allowed });
    }
    fft::check(points, input)?;
    let vectors = input.len() / points;
    let mut host = Host::new(config.clone(), options.max_cycles);
    host.set_inverse(options.inverse);
    let (address, pages) = if points <= LONGEST_SHORT {
        short::run(&mut host, points, input, options, progress)?
    } else {
        long::run(&mut host, points, input, options, progress)?
    };
    let mut output = host.read(address, input.len())?;
    if options.scale {
        let factor = 1.0 / points as f32;
        output.iter_mut().for_each(|x| *x *= factor);
    }
    Ok(Report {
        output,
        points,
        vectors,
        pages,
        timeline: host.timeline().clone(),
        kernels: host.kernels(),
        dma: host.machine().dma.stats().clone(),
        config,
    })
}
