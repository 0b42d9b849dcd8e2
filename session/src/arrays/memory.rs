//! Arrays in system memory, where elements lie one behind the other, big-endian, as the DMA channel moves them.

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
            Err(Problem::new(transfer, "system memory has no sections; leave the layout out"))
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

/// Returns the address at which a load puts an array into system memory, and the bytes to be written there, converted
/// as the transfer asks. Nothing is written.
///
/// # Errors
/// The transfer has a name in place of an address, or a layout over sections; an element does not fit the type that is
/// asked for; or the array reaches beyond system memory.
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

/// Reads the array that a transfer asks for out of system memory, as it is now. A call before a run, whose result is
/// dropped, finds the errors that a call after the run would have, except for those of elements.
///
/// # Errors
/// The transfer has a name in place of an address, or a layout over sections; does not tell type and shape; or reaches
/// beyond system memory; or an element does not fit the type that is asked for.
pub fn store(machine: &Machine, transfer: &FileTransfer) -> Result<Array, Problem> {
    let wrong = |message: String| Problem::new(transfer, message);
    let address = address(transfer)?;
    let (Some(kind), Some(shape)) = (transfer.kind, &transfer.shape) else {
        let names: Vec<_> = NumberType::all().map(NumberType::name).collect();
        return Err(wrong(format!(
            "give its type and shape, such as :complex64:shape=4x256; the types are {}",
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
