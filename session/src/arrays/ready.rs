//! Arrays and arguments of a run, which it is given and has to give: those that were asked for, and where they lie.

use super::placed::PlacedArray;
use super::transfer::FileTransfer;
use super::{Problem, convert};
use crate::npy::Array as Values;
use cp2_asm::image::Image;
use cp2_asm::interface::{ArgumentRegister, ArrayDirection, Interface};
use cp2_emu::state::Quad;
use cp2_isa::BundleAddress;

/// The arrays and arguments that a user gives for a run.
#[derive(Clone, Debug, Default)]
pub struct ArrayRequest {
    /// Names of arguments or registers, each with the text of its value.
    pub arguments: Vec<(String, String)>,
    /// Arrays to load before the run, with the values that were read from their files.
    pub loads: Vec<(FileTransfer, Values)>,
    /// Arrays that are wanted after the run, with the files that they are to go to.
    pub stores: Vec<FileTransfer>,
    /// Whether registers and memory have been set otherwise, so that nothing need be given here.
    pub is_set: bool,
}

/// An array that can be taken after the run.
#[derive(Clone, Debug)]
pub struct StoredArray {
    /// The transfer that the user asked for.
    pub transfer: FileTransfer,
    /// Place of the array in local memory, and how its elements lie there.
    pub placed: PlacedArray,
}

impl StoredArray {
    /// Returns the array, in the type that the file is to have.
    ///
    /// # Errors
    /// Copies that should be equal differ, or an element has no equal in that type.
    pub fn take(&self, lmem: &[Quad]) -> Result<Values, Problem> {
        let wrong = |message| Problem::new(&self.transfer, message);
        let array = self.placed.take(lmem).map_err(wrong)?;
        let kind = self.transfer.converted.unwrap_or(array.kind);
        convert(&array, kind, self.transfer.takes_nan).map_err(|unfit| wrong(unfit.to_string()))
    }
}

/// An array that a kernel declares, at its place in a run.
#[derive(Clone, Debug)]
pub struct Laid {
    /// Name by which the kernel declares the array.
    pub name: String,
    /// Whether the caller or the kernel writes the array.
    pub direction: ArrayDirection,
    /// Place of the array in local memory, and how its elements lie there.
    pub placed: PlacedArray,
}

/// Arrays and registers of a machine that is ready for a run: those that were set, and those that can be taken after the run.
#[derive(Clone, Debug, Default)]
pub struct Ready {
    /// The arrays that are wanted, in the order in which they were asked for.
    pub stores: Vec<StoredArray>,
    /// The arrays that the kernel declares and whose places are known.
    pub laid: Vec<Laid>,
    /// Whether `laid` has all arrays that the kernel declares.
    pub is_all_laid: bool,
    /// Places into which arrays were loaded.
    pub loaded: Vec<PlacedArray>,
    /// Registers that were set to arguments of the kernel.
    pub registers: Vec<ArgumentRegister>,
}

/// Returns the kernel that a bundle belongs to, and what the kernel declares.
pub fn kernel_at(image: &Image, address: BundleAddress) -> (Option<&str>, Interface) {
    let name = image.kernel_at(address).map(|kernel| kernel.name.as_str());
    let interface = name.and_then(|name| image.interfaces.get(name)).cloned();
    (name, interface.unwrap_or_default())
}

/// Returns the note about a kernel that declares arguments or arrays and is given none.
pub fn nothing_given(image: &Image, entry: BundleAddress) -> Option<String> {
    let (kernel, interface) = kernel_at(image, entry);
    let arguments = interface.arguments.iter().map(|argument| argument.name.as_str());
    let arrays = interface.arrays.iter().map(|array| array.name.as_str());
    let names: Vec<&str> = arguments.chain(arrays).collect();
    let kernel = kernel.filter(|_| !names.is_empty())?;
    Some(format!(
        "`{kernel}` declares {}, and nothing is given: registers and memory are as after reset; --interface \
         tells what it takes",
        names.join(", ")
    ))
}
