//! Contents of memory and registers before a chain runs.

use crate::{Chain, DESCRIPTOR_BYTES};
use cp2_emu::Machine;
use cp2_emu::dma::DmaRegister;
use cp2_isa::{Bytes, MemoryAddress};

/// Alignment of tables that nobody placed, bytes.
const ALIGNMENT: u64 = 4096;

/// Bytes that [`load`] puts at an address of system memory before a chain runs, such as the contents of a file.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Name of the source of the bytes in messages, such as that of the file.
    pub name: String,
    /// Address of the first byte.
    pub address: MemoryAddress,
    /// The bytes, the first at the lowest address.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// Returns the address of the last byte of the piece.
    fn last(&self) -> MemoryAddress {
        MemoryAddress(self.address.0.saturating_add(self.bytes.len() as u64).saturating_sub(1))
    }

    fn meets(&self, other: &Self) -> bool {
        let is_empty = self.bytes.is_empty() || other.bytes.is_empty();
        !is_empty && self.address.max(other.address) <= self.last().min(other.last())
    }
}

/// Returns the address in system memory of a table of this number of descriptors that the chain does not place itself:
/// the highest multiple of 4096 bytes from which on the table fits below the end of memory and below 4 GiB. `memory` is
/// the size of system memory. A table that does not fit at all gets address 0.
pub fn default_table(memory: Bytes, descriptors: usize) -> u32 {
    let end = memory.0.min(1 << 32);
    let begin = end.saturating_sub(descriptors as u64 * DESCRIPTOR_BYTES);
    (begin / ALIGNMENT * ALIGNMENT) as u32
}

/// Puts a chain and the pieces into a machine after reset: the table of descriptors and the bytes into system memory,
/// the values of the chain into the registers of the DMA channel and the index registers. Returns the address of the
/// table, which is [`default_table`] if the chain does not tell it.
///
/// # Errors
/// A descriptor cannot be encoded, a piece or the table lies outside memory, or two of them overlap: a sentence for
/// each problem. Then the machine is unchanged.
pub fn load(machine: &mut Machine, chain: &Chain, pieces: &[Piece]) -> Result<u32, Vec<String>> {
    let size = machine.memory.size();
    let given = chain.table();
    let table = given.unwrap_or_else(|| default_table(size, chain.descriptors.len()));
    let mut words = Vec::new();
    let mut problems = Vec::new();
    for (number, descriptor) in chain.descriptors.iter().enumerate() {
        match descriptor.encode() {
            Ok(encoded) => words.extend(encoded),
            Err(e) => problems.push(format!("descriptor {number}: {e}")),
        }
    }
    let mut all = vec![Piece {
        name: "the table of descriptors".to_owned(),
        address: table.into(),
        bytes: words.iter().flat_map(|word| word.to_be_bytes()).collect(),
    }];
    all.extend(pieces.iter().cloned());
    for (k, piece) in all.iter().enumerate() {
        if let Err(e) = machine.memory.check(piece.address, piece.bytes.len()) {
            problems.push(format!("{}: {e}", piece.name));
        }
        for other in all[..k].iter().filter(|other| other.meets(piece)) {
            problems.push(format!(
                "{} ({} to {}) and {} ({} to {}) overlap; move one of them",
                piece.name,
                piece.address,
                piece.last(),
                other.name,
                other.address,
                other.last(),
            ));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    for piece in &all {
        // Checked above.
        let _ = machine.memory.write(piece.address, &piece.bytes);
    }
    if given.is_none() {
        set(machine, DmaRegister::Baseaddr, table);
    }
    for (register, value) in &chain.registers {
        set(machine, *register, *value);
    }
    for (half, value) in &chain.halves {
        let register = &mut machine.cp2.state.ireg[usize::from(half / 2)];
        let shift = if half.is_multiple_of(2) { 32 } else { 0 };
        *register = *register & !(0xffff_ffff << shift) | u64::from(*value) << shift;
    }
    Ok(table)
}

fn set(machine: &mut Machine, register: DmaRegister, value: u32) {
    // A chain sets registers that can be written.
    let _ = machine.dma.write(register, value);
}
