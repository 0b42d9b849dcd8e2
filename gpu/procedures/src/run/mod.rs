//! Runs of NPB classes on devices, verified, and beside each what the estimation method says with parameters that are measured
//! in the same call.

mod gradients;
mod multigrid;
mod transforms;

use crate::cg::{NamedMatrix, ProductFormat};
use crate::choices::DeviceChoices;
use crate::report::GpuReport;
use crate::timing::median;
use cp2_gpu::{Gpu, GpuError};
use cp2_kernels::sparse::matrices::CgClass;
use cp2_procedures::multigrid::npb::Class as MgClass;
use cp2_procedures::spatial::npb::Class as FtClass;

pub use gradients::{require_class, run_matrix};

/// Procedure with its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GpuProblem {
    /// Multigrid.
    Mg(MgClass),
    /// Conjugate gradients.
    Cg(CgClass),
    /// Fourier transforms of three dimensions.
    Ft(FtClass),
}

/// Choices of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuRunPlan {
    /// Whether MG runs by kernels of two and three operators; on one device only.
    pub is_fused: bool,
    /// Bytes of the memory of a device that FT may take, for its pages; without it the array stays on the device.
    pub pages: Option<u64>,
    /// Format in which sparse matrices are packed.
    pub format: ProductFormat,
    /// Runs of which the median is taken.
    pub runs: usize,
}

/// Tolerances of NPB for MG, CG and FT.
const TOLERANCE: [f64; 3] = [1e-8, 1e-10, 1e-12];

impl GpuProblem {
    /// Returns the procedure of a name with the class of a letter.
    ///
    /// # Errors
    /// There is no such class; the error is the letters of those that there are, none if there is no such procedure.
    pub fn named(procedure: &str, class: &str) -> Result<Self, String> {
        let known: Vec<(&str, Self)> = match procedure {
            "mg" => MgClass::NPB.iter().map(|&c| (c.name(), Self::Mg(c))).collect(),
            "cg" => CgClass::NPB.iter().map(|&(name, c)| (name, Self::Cg(c))).collect(),
            "ft" => FtClass::NPB.iter().map(|&c| (c.name(), Self::Ft(c))).collect(),
            _ => Vec::new(),
        };
        let found = known.iter().find(|(name, _)| *name == class).map(|found| found.1);
        found.ok_or_else(|| known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
    }

    /// Searches the shapes of work-groups for this problem on a device.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn search(self, gpu: &Gpu, format: ProductFormat) -> Result<DeviceChoices, GpuError> {
        match self {
            Self::Mg(class) => DeviceChoices::search_grids(gpu, class.points()),
            Self::Cg(class) => {
                require_class(std::slice::from_ref(gpu), class)?;
                DeviceChoices::search_product(gpu, &NamedMatrix::of_class(class), format)
            }
            Self::Ft(class) => DeviceChoices::search_lines(gpu, class.sizes().0),
        }
    }

    /// Runs the problem on devices that were opened together.
    ///
    /// # Errors
    /// A device is lost or has no room, or there are too many devices.
    pub fn run(
        self,
        gpus: &[Gpu],
        plan: GpuRunPlan,
        choices: &DeviceChoices,
    ) -> Result<GpuReport, GpuError> {
        match self {
            Self::Mg(class) if gpus.len() == 1 => {
                multigrid::multigrid(&gpus[0], class, plan, choices)
            }
            Self::Mg(class) => multigrid::multigrid_parts(gpus, class, plan, choices),
            Self::Cg(class) => gradients::gradients(gpus, class, plan, choices),
            Self::Ft(class) => match plan.pages {
                None => transforms::transforms(gpus, class, plan, choices),
                Some(memory) => transforms::pages(gpus, class, (plan, memory), choices),
            },
        }
    }
}

/// Runs several times; the first run, which builds the kernels, does not count. Returns the last value with the median of the
/// seconds.
fn repeated<T>(
    runs: usize,
    run: &mut dyn FnMut() -> Result<(T, f64), GpuError>,
) -> Result<(T, f64), GpuError> {
    let (mut last, _) = run()?;
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let (value, time) = run()?;
        last = value;
        times.push(time);
    }
    Ok((last, median(&mut times)))
}

/// Adds the bytes of the arrays of the device that has the most.
fn add_memory(report: &mut GpuReport, gpus: &[Gpu]) {
    let most = gpus.iter().map(Gpu::held).max().unwrap_or(0);
    report.add("memory", most as f64 / f64::from(1 << 30), "GiB", "of arrays on a device, at most");
}

/// Pairs of doubles for the copy rate beside a problem of so many doubles.
fn copied(doubles: usize) -> usize {
    (doubles / 2).clamp(1 << 16, 1 << 26)
}
