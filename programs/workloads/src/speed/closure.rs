//! The closure whose speed is measured.

use cp2_emu::Cp2;
use cp2_isa::{BundleAddress, Core};
use cp2_kernels::star;
use cp2_session::error::KernelError;
use cp2_session::{Environment, load};

/// Creates a machine with a random matrix of bits of 256 vertices, and the kernel that closes it pivot by pivot.
pub(super) fn loaded() -> Result<(Cp2, BundleAddress), KernelError> {
    let source = star::ClosureForm::OnePivot.source(star::SliceLayout::new(256));
    let (mut cp2, entry) =
        load::machine_with(&Environment::new(), &Core::CP2, "closure.s", &source)?;
    super::fill(&mut cp2, |x| x);
    Ok((cp2, entry))
}
