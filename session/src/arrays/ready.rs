//! Arrays and arguments of a run: those that a user asked for, and where they lie in a machine that is ready.

use super::placed::PlacedArray;
use super::transfer::FileTransfer;
use super::{Problem, convert};
use crate::npy::Array as Values;
use cp2_asm::image::Image;
use cp2_asm::interface::{ArgumentRegister, ArrayDirection, Interface};
use cp2_emu::state::Quad;
use cp2_isa::BundleAddress;

/// The arrays and arguments that a user gives for a run and wants from it, with the values of the arrays to load.
/// [`prepare`](super::prepare) sets them in a machine.
#[derive(Clone, Debug, Default)]
pub struct ArrayRequest {
    /// Arguments: the name of an argument of the kernel or of a register, and the text of its value.
    pub arguments: Vec<(String, String)>,
    /// Arrays to load before the run: each transfer with its values, which come from a file or from the caller.
    pub loads: Vec<(FileTransfer, Values)>,
    /// Arrays that are wanted after the run: where each lies, and the type that it is to have.
    pub stores: Vec<FileTransfer>,
    /// Whether registers and memory have been set in another way, such as from a state file, so that the kernel's
    /// arguments and arrays may be missing here.
    pub is_set: bool,
}

/// An array that can be taken out of local memory after a run, because the user asked for it before
/// ([`ArrayRequest::stores`]); [`Ready`] lists them.
#[derive(Clone, Debug)]
pub struct StoredArray {
    /// The transfer by which the user asked for the array: its name or address, and the type that it is to have.
    pub transfer: FileTransfer,
    /// Words of local memory in which the array lies, and the layout of its elements.
    pub placed: PlacedArray,
}

impl StoredArray {
    /// Returns the array as it lies in local memory `lmem`, converted to the type that the user asked for.
    ///
    /// # Errors
    /// Copies of an element that should be equal differ, or the type has no value for an element.
    pub fn take(&self, lmem: &[Quad]) -> Result<Values, Problem> {
        let wrong = |message| Problem::new(&self.transfer, message);
        let array = self.placed.take(lmem).map_err(wrong)?;
        let kind = self.transfer.converted.unwrap_or(array.kind);
        convert(&array, kind, self.transfer.takes_nan).map_err(|unfit| wrong(unfit.to_string()))
    }
}

/// An array that a kernel declares, at its words of local memory in one run; [`Ready`] lists them.
#[derive(Clone, Debug)]
pub struct LaidArray {
    /// Name by which the kernel declares the array.
    pub name: String,
    /// Direction of the array: whether the caller gives it, the kernel writes it, or both.
    pub direction: ArrayDirection,
    /// Words of local memory in which the array lies, and the layout of its elements.
    pub placed: PlacedArray,
}

/// The outcome of setting arguments and arrays in a machine before a run: the registers and words that were set, and
/// the arrays that can be taken after the run. Made by [`prepare`](super::prepare).
#[derive(Clone, Debug, Default)]
pub struct Ready {
    /// Arrays that are wanted after the run, in the order in which they were asked for.
    pub stores: Vec<StoredArray>,
    /// Arrays that the kernel declares and of which size and first word are known.
    pub laid: Vec<LaidArray>,
    /// Whether `laid` has all arrays that the kernel declares.
    pub is_all_laid: bool,
    /// Words of local memory into which arrays were loaded.
    pub loaded: Vec<PlacedArray>,
    /// Registers that were set: to arguments, and to the addresses of arrays that the kernel takes in registers.
    pub registers: Vec<ArgumentRegister>,
}

/// Returns the name of the kernel in which a bundle lies, and the arguments and arrays that the kernel declares. The
/// name is `None` and the interface empty if the bundle lies in no kernel.
pub fn kernel_at(image: &Image, address: BundleAddress) -> (Option<&str>, Interface) {
    let name = image.kernel_at(address).map(|kernel| kernel.name.as_str());
    let interface = name.and_then(|name| image.interfaces.get(name)).cloned();
    (name, interface.unwrap_or_default())
}

/// Returns the note for a user who gives nothing to a kernel that declares arguments or arrays: it runs on registers
/// and memory as after reset. `entry` is the bundle at which the run starts. `None` if the kernel there declares
/// nothing.
pub fn nothing_given(image: &Image, entry: BundleAddress) -> Option<String> {
    let (kernel, interface) = kernel_at(image, entry);
    let arguments = interface.arguments.iter().map(|argument| argument.name.as_str());
    let arrays = interface.arrays.iter().map(|array| array.name.as_str());
    let names: Vec<&str> = arguments.chain(arrays).collect();
    let kernel = kernel.filter(|_| !names.is_empty())?;
    Some(format!(
        "`{kernel}` declares {}, but none is given: registers and memory are as after reset; --interface \
         lists what it takes",
        names.join(", ")
    ))
}
