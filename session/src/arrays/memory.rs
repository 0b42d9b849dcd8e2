//! Arrays in system memory: elements one behind the other, big-endian, as the DMA finds them.

use super::transfer::{ArrayTarget, FileTransfer};
use super::{Problem, convert};
use crate::npy::{Array, NumberType};
use cp2_emu::Machine;
use cp2_isa::MemoryAddress;

/// Returns the address of a transfer; system memory has no names.
fn address(transfer: &FileTransfer) -> Result<MemoryAddress, Problem> {
    let of_sections = transfer.spread.is_some() || transfer.packing.is_some();
    match &transfer.target {
        _ if of_sections => {
            Err(Problem::new(transfer, "system memory has no sections; leave the layout away"))
        }
        ArrayTarget::Address(address) => Ok(MemoryAddress(*address)),
        ArrayTarget::Name(name) => Err(Problem::new(
            transfer,
            format!(
                "system memory has no label `{name}`; write the address of a byte: 0x1000=FILE.npy"
            ),
        )),
    }
}

/// Returns the address and the bytes of an array for system memory.
///
/// # Errors
/// The transfer is not for an address, an element does not fit its type, or the array reaches beyond the memory.
pub fn load(
    machine: &Machine,
    transfer: &FileTransfer,
    array: &Array,
) -> Result<(MemoryAddress, Vec<u8>), Problem> {
    let wrong = |message: String| Problem::new(transfer, message);
    let address = address(transfer)?;
    let kind = transfer.converted.unwrap_or(array.kind);
    let array =
        convert(array, kind, transfer.takes_nan).map_err(|unfit| wrong(unfit.to_string()))?;
    let bytes = array.bytes().to_vec();
    machine.memory.check(address, bytes.len()).map_err(|e| wrong(e.to_string()))?;
    Ok((address, bytes))
}

/// Returns the array that a transfer takes from system memory. A call before a run tells whether the transfer is possible.
///
/// # Errors
/// The transfer does not say type and shape, or reaches beyond the memory.
pub fn store(machine: &Machine, transfer: &FileTransfer) -> Result<Array, Problem> {
    let wrong = |message: String| Problem::new(transfer, message);
    let address = address(transfer)?;
    let (Some(kind), Some(shape)) = (transfer.kind, &transfer.shape) else {
        let names: Vec<_> = NumberType::all().map(NumberType::name).collect();
        return Err(wrong(format!(
            "say what lies there, such as :complex64:shape=4x256; the types are {}",
            names.join(", ")
        )));
    };
    let size = shape.iter().try_fold(kind.bytes(), |size, n| size.checked_mul(*n));
    let size = size.unwrap_or(usize::MAX);
    machine.memory.check(address, size).map_err(|e| wrong(e.to_string()))?;
    let mut bytes = vec![0; size];
    machine.memory.read(address, &mut bytes).map_err(|e| wrong(e.to_string()))?;
    let array = Array::from_bytes(kind, shape.clone(), bytes);
    let kind = transfer.converted.unwrap_or(kind);
    convert(&array, kind, transfer.takes_nan).map_err(|unfit| wrong(unfit.to_string()))
}
