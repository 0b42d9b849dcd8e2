//! The place at which a program stands: the function of MPI that it has called, and where; else its instruction.

use cp2_k64::elf::Symbolizer;
use cp2_k64::machine::Processor;
use cp2_system::Board;

/// Most bytes of a text of the program.
const MOST_TEXT: usize = 256;

/// Returns the text at a physical address, up to its zero byte or to [`MOST_TEXT`] bytes.
pub(crate) fn text_at(processor: &mut Processor, place: u32) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while text.len() < MOST_TEXT
        && processor.core.copy_bytes(u64::from(place) + text.len() as u64, &mut byte)
        && byte[0] != 0
    {
        text.extend(byte);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns function and line of an address, or the address itself if the program has no symbols.
pub(crate) fn place_of(elf: &[u8], address: u64) -> String {
    match Symbolizer::read(elf).describe(address) {
        known if known.is_empty() => format!("{address:#x}"),
        known => known,
    }
}

/// Returns the last call of the program to its MPI, such as `MPI_Recv at exchange+0x40`; `None` if it has made none.
pub(crate) fn last_call(processor: &mut Processor, elf: &[u8]) -> Option<String> {
    let note = Board::of_mut(processor)?.messages()?.note()?;
    let mut words = [0; 8];
    if !processor.core.copy_bytes(note.into(), &mut words) {
        return None;
    }
    let word =
        |at: usize| u32::from_be_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]);
    let (name, caller) = (word(0), word(4));
    // The instruction behind the delay slot of the call; addresses of the kernel's segment are sign-extended.
    let caller = (caller as i32 as u64).wrapping_sub(8);
    let name = text_at(processor, name);
    (!name.is_empty()).then(|| format!("{name} at {}", place_of(elf, caller)))
}
