//! Programs on a device of OpenCL.

use super::{Job, Ran, Work};
use crate::args::star::{StarBackendChoice, StarRun};
use crate::process::exit::{Failure, Outcome, bad_input, usage};
use cp2_gpu::{Gpu, GpuChoice, GpuError};
use cp2_gpu_star::backend::GpuBackend;
use cp2_gpu_star::error::StarGpuError;
use cp2_star::machine::StarMachine;
use cp2_star::report::DeviceWork;
use cp2_star::run::RunObserver;

/// Refuses a number of a device beside a machine that is on none.
pub(super) fn check(run: &StarRun) -> Outcome<()> {
    match run.device {
        Some(number) if run.backend != StarBackendChoice::Gpu => Err(usage(format!(
            "--device {number}: only programs with --backend gpu run on a device"
        ))),
        _ => Ok(()),
    }
}

/// Runs a program on the device of a number.
pub(super) fn run(
    job: &Job<'_>,
    number: usize,
    observer: Option<&mut dyn RunObserver>,
) -> Outcome<(Ran, Work)> {
    let opened = Gpu::open(&GpuChoice { numbers: vec![number], parts: 1 })?;
    let gpu = opened.into_iter().next().ok_or(GpuError::NoDevice)?;
    let backend = GpuBackend::new(&gpu)?;
    backend.check_memory(job.program.memory_bits(job.rows, job.request.weight_bits))?;
    let mut machine = StarMachine::new(backend, job.rows, job.form);
    let outcome = job.run(&mut machine, observer);
    if let Some(fault) = machine.backend().fault() {
        return Err(fault.into());
    }
    let work = machine.backend().work();
    let device = gpu.info().name.clone();
    let work = DeviceWork { device, launches: work.launches, reads: work.reads };
    Ok((outcome, Work::Device(work)))
}

impl From<StarGpuError> for Failure {
    fn from(error: StarGpuError) -> Self {
        bad_input(error)
    }
}
