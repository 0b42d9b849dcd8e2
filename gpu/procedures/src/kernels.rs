//! Texts of the kernels, and kernels that are built once for a device and the numbers that they are made for.

use cp2_gpu::{Gpu, GpuError, GpuKernel};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Text that the texts of all kernels begin with.
const COMMON: &str = include_str!("../kernels/common.cl");

/// File of kernels: its name and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelText(pub &'static str, &'static str);

/// Operators of MG within a level.
pub const STENCIL: KernelText = KernelText("stencil", include_str!("../kernels/stencil.cl"));
/// Projection and interpolation of MG.
pub const TRANSFER: KernelText = KernelText("transfer", include_str!("../kernels/transfer.cl"));
/// Exchanges of devices that share a grid.
pub const FACES: KernelText = KernelText("faces", include_str!("../kernels/faces.cl"));
/// Two and three operators of MG in one.
pub const FUSED: KernelText = KernelText("fused", include_str!("../kernels/fused.cl"));
/// Products of sparse matrices, and operations on vectors.
pub const SPARSE: KernelText = KernelText("sparse", include_str!("../kernels/sparse.cl"));
/// Rates of the second cache.
pub const CACHE: KernelText = KernelText("cache", include_str!("../kernels/cache.cl"));
/// Fourier transforms of lines.
pub const FOURIER: KernelText = KernelText("fourier", include_str!("../kernels/fourier.cl"));
/// Checksum of FT.
pub const CHECKSUM: KernelText = KernelText("checksum", include_str!("../kernels/checksum.cl"));
/// Sums, copies and fillings of vectors.
pub const NORM: KernelText = KernelText("norm", include_str!("../kernels/norm.cl"));

/// Numbers that a text is built for, by their names in it.
pub type Defined = Vec<(&'static str, i64)>;

/// Kernels by their text, their name in it and the numbers that they are built for.
type KernelsByKey = BTreeMap<(KernelText, &'static str, Defined), Rc<GpuKernel>>;

/// Kernels of a device, each built when it is first asked for. Devices that were opened together share them.
pub struct BuiltKernels {
    /// Device that the kernels are for.
    pub gpu: Gpu,
    built: Rc<RefCell<KernelsByKey>>,
}

impl BuiltKernels {
    /// Returns kernels of a device, none of them built.
    pub fn new(gpu: Gpu) -> Self {
        Self { gpu, built: Rc::default() }
    }

    /// Returns the same kernels for another device that was opened together with this one.
    #[must_use]
    pub fn on(&self, gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), built: Rc::clone(&self.built) }
    }

    /// Returns the kernel `name` of a text, built for these numbers.
    ///
    /// # Errors
    /// The text does not compile on the device.
    pub fn get(
        &self,
        text: KernelText,
        name: &'static str,
        defined: &[(&'static str, usize)],
    ) -> Result<Rc<GpuKernel>, GpuError> {
        let defined: Defined = defined.iter().map(|&(name, value)| (name, value as i64)).collect();
        let key = (text, name, defined);
        if let Some(kernel) = self.built.borrow().get(&key) {
            return Ok(Rc::clone(kernel));
        }
        let whole = format!("{COMMON}#line 1 \"{}.cl\"\n{}", text.0, text.1);
        let kernel = Rc::new(self.gpu.program(&whole, &key.2)?.kernel(name)?);
        self.built.borrow_mut().insert(key, Rc::clone(&kernel));
        Ok(kernel)
    }
}
