//! Kernels that are built for a device when they are first asked for.

use cp2_gpu::{Gpu, GpuError, GpuKernel, GpuProgram};
use std::collections::BTreeMap;

/// Text that the texts of all kernels begin with.
const COMMON: &str = include_str!("../kernels/common.cl");

/// A text of kernels, with its name in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KernelText(&'static str, &'static str);

pub(crate) const ELEMENTARY: KernelText =
    KernelText("elementary", include_str!("../kernels/elementary.cl"));
pub(crate) const LIBRARY: KernelText = KernelText("library", include_str!("../kernels/library.cl"));
pub(crate) const CLOSURE: KernelText = KernelText("closure", include_str!("../kernels/closure.cl"));
pub(crate) const PATHS: KernelText = KernelText("paths", include_str!("../kernels/paths.cl"));

/// Builds a text with numbers for names in it.
pub(crate) fn program(
    gpu: &Gpu,
    text: KernelText,
    defined: &[(&str, i64)],
) -> Result<GpuProgram, GpuError> {
    let whole = format!("{COMMON}#line 1 \"{}.cl\"\n{}", text.0, text.1);
    gpu.program(&whole, defined)
}

/// Kernels of a text by name.
pub(crate) struct Kernels {
    program: GpuProgram,
    built: BTreeMap<&'static str, GpuKernel>,
}

impl Kernels {
    pub(crate) fn new(gpu: &Gpu, text: KernelText) -> Result<Self, GpuError> {
        Ok(Self { program: program(gpu, text, &[])?, built: BTreeMap::new() })
    }

    pub(crate) fn get(&mut self, name: &'static str) -> Result<&GpuKernel, GpuError> {
        if !self.built.contains_key(name) {
            let kernel = self.program.kernel(name)?;
            self.built.insert(name, kernel);
        }
        // The kernel has just been put there.
        self.built.get(name).ok_or(GpuError::Call { call: "making a kernel", error: name.into() })
    }
}
