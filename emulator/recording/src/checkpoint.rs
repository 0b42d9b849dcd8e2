//! Checkpoints of long runs: the whole state of a machine between two cycles, its memories included, as the bytes of a
//! file from which the run can go on. The state of its host is part of it, as bytes that mean nothing here.

use crate::file::packing::{longest_packed, packed, unpacked};
use crate::file::page::{self, Packer, PageId, Shadow, Space};
use cp2_emu::Machine;
use cp2_emu::machine::MachineSnapshot;
use cp2_emu::memory::PAGE;
use cp2_isa::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;

/// First bytes of a checkpoint. The line end and the byte behind are lost where a file is copied as text.
const MAGIC: [u8; 8] = *b"CP2CHK\n\x1a";
/// Version of the format.
const VERSION: u32 = 4;
/// Number of bytes of a checkpoint (the state of a machine in a file) before its content: 8 bytes that identify the
/// format, 4 of its version, 4 of the checksum.
pub const HEAD: usize = 16;
/// Number of bytes before a packed page: space, number, length.
const PAGE_HEAD: usize = 9;

/// Identity of a long run: program, machine, inputs and version of cp2. The caller makes it; a checkpoint contains that
/// of its run, and only a run with the same identity goes on from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// Version of cp2 that does the run.
    pub cp2: String,
    /// Name of the program (of the procedure) that runs.
    pub program: String,
    /// Machine of the run, as the text of a machine file.
    pub machine: String,
    /// Digest of the inputs and options of the run.
    pub inputs: u64,
}

/// Largest number of bytes that an origin is packed to: it names a machine file, a program and a version.
const LONGEST_ORIGIN: u64 = 1 << 20;

/// Returns whether the bytes of a file begin as a checkpoint (the state of a machine in a file) does, of any version of
/// the format. Nothing else is checked.
pub fn is_checkpoint(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns an upper limit for the number of bytes of a checkpoint of a machine with `memory` bytes of system memory, so
/// that longer files need not be read.
pub fn longest(memory: Bytes) -> u64 {
    const OTHER_MEMORIES: u64 = 16 << 20;
    let pages = memory.0.saturating_add(OTHER_MEMORIES);
    let with_heads = pages.saturating_add(pages / PAGE as u64 * PAGE_HEAD as u64);
    with_heads.saturating_add(longest_packed(memory.0)).saturating_add(longest_packed(0))
}

/// Reason why a run cannot go on from the bytes of a file ([`read`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// The file is not a checkpoint.
    NotACheckpoint,
    /// The checkpoint has this version of the format, and not the one that is read here.
    Version(u32),
    /// The checkpoint is damaged: its checksum is wrong, or its content is not a state of the machine.
    Damaged,
    /// The checkpoint belongs to another run: what differs ("procedure", for example), its value in the checkpoint, and
    /// its value in the run that was to go on. Both values are empty for machines and inputs.
    Other(&'static str, String, String),
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACheckpoint => f.write_str("not a checkpoint of cp2"),
            Self::Version(version) => write!(
                f,
                "this checkpoint has version {version} of the format, and this cp2 reads version {VERSION}; continue with the cp2 that wrote it, or run from the beginning"
            ),
            Self::Damaged => f.write_str(
                "this checkpoint is damaged: its bytes have changed, or describe a state that no run reaches; copy it again, or run from the beginning",
            ),
            Self::Other(what, its, ours) => {
                write!(f, "this checkpoint is of another {what}")?;
                if !its.is_empty() {
                    write!(f, ", {its} and not {ours}")?;
                }
                f.write_str("; continue with the same, or run from the beginning")
            }
        }
    }
}

impl std::error::Error for CheckpointError {}

/// Encodes a machine with its memories, the identity of its run and the state of its host as the bytes of a checkpoint,
/// from which [`read`] lets the run go on. The bytes of `host` mean nothing here.
///
/// # Errors
/// The state cannot be encoded, because one of its parts is longer than the format allows.
pub fn write(machine: &Machine, origin: &RunIdentity, host: &[u8]) -> io::Result<Vec<u8>> {
    let snapshot = packed(&machine.snapshot(), 0)?;
    let parts = [packed(origin, 0)?, snapshot, packed(&host, machine.memory.size().0)?];
    let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &[0; 4]].concat();
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    let mut packer = Packer::default();
    let mut add = |id: PageId, content: &[u8]| {
        let space = match id.space {
            Space::Local => 0,
            Space::Instructions => 1,
            Space::System => 2,
        };
        let begin = bytes.len();
        bytes.resize(begin + PAGE_HEAD, 0);
        packer.pack(content, &mut bytes);
        let length = (bytes.len() - begin - PAGE_HEAD) as u32;
        bytes[begin] = space;
        bytes[begin + 1..begin + 5].copy_from_slice(&id.number.to_le_bytes());
        bytes[begin + 5..begin + PAGE_HEAD].copy_from_slice(&length.to_le_bytes());
    };
    Shadow::default().changed(&machine.cp2.state, &mut add);
    for (piece, content) in machine.memory.pieces() {
        for (k, content) in content.chunks_exact(PAGE).enumerate() {
            if !page::is_zero(content) {
                let number = (piece * (crate::system::PAGES) + k) as u32;
                add(PageId { space: Space::System, number }, content);
            }
        }
    }
    let checksum = crc32fast::hash(&bytes[HEAD..]);
    bytes[12..HEAD].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Splits bytes into the first `N` and the rest.
fn split<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), CheckpointError> {
    let (first, rest) = bytes.split_first_chunk::<N>().ok_or(CheckpointError::Damaged)?;
    Ok((*first, rest))
}

/// Splits bytes into the first part, which stands behind its length, and the rest.
fn part(bytes: &[u8]) -> Result<(&[u8], &[u8]), CheckpointError> {
    let (length, behind) = split::<8>(bytes)?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok();
    length.and_then(|length| behind.split_at_checked(length)).ok_or(CheckpointError::Damaged)
}

/// Sets a machine, which is as after reset, to the state of a checkpoint, and returns the state of the host. `origin`
/// is the identity of the run that is to go on.
///
/// # Errors
/// The bytes are not a checkpoint, are damaged, or belong to another run. The machine is in an undefined state then.
pub fn read(
    bytes: &[u8],
    machine: &mut Machine,
    origin: &RunIdentity,
) -> Result<Vec<u8>, CheckpointError> {
    let damaged = CheckpointError::Damaged;
    let content = check(bytes)?;
    let what = "a checkpoint";
    let (its_origin, content) = part(content)?;
    if its_origin.len() as u64 > LONGEST_ORIGIN {
        return Err(damaged);
    }
    let its_origin: RunIdentity = unpacked(its_origin, 0, what).map_err(|_| damaged.clone())?;
    its_origin.check(origin)?;
    let (snapshot, content) = part(content)?;
    let snapshot: MachineSnapshot<'_> = unpacked(snapshot, 0, what).map_err(|_| damaged.clone())?;
    machine.restore(snapshot).map_err(|_| damaged.clone())?;
    let (host, mut pages) = part(content)?;
    let host = unpacked(host, machine.memory.size().0, what).map_err(|_| damaged.clone())?;
    let mut room = [0; PAGE];
    while !pages.is_empty() {
        let (space, behind) = split::<1>(pages)?;
        let (number, behind) = split::<4>(behind)?;
        let (length, behind) = split::<4>(behind)?;
        let (number, length) = (u32::from_le_bytes(number), u32::from_le_bytes(length));
        let packed = behind.get(..length as usize).ok_or(damaged.clone())?;
        pages = &behind[length as usize..];
        let content = page::unpack(packed, &mut room).map_err(|_| damaged.clone())?;
        let space = match space {
            [0] => Space::Local,
            [1] => Space::Instructions,
            [2] => Space::System,
            _ => return Err(damaged),
        };
        let id = PageId { space, number };
        if space != Space::System {
            if !page::pages_of(&machine.cp2.state).any(|known| known == id) {
                return Err(damaged);
            }
            page::restore(&mut machine.cp2.state, id, content);
            continue;
        }
        let address = page::address(number);
        let there = machine.memory.available(address, PAGE);
        machine.memory.write(address, &content[..there]).map_err(|_| damaged.clone())?;
    }
    Ok(host)
}

/// Returns the content of a file whose version and checksum are right.
fn check(bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    let Some(behind) = bytes.strip_prefix(&MAGIC) else {
        return Err(CheckpointError::NotACheckpoint);
    };
    let (version, behind) = split::<4>(behind)?;
    let version = u32::from_le_bytes(version);
    if version != VERSION {
        return Err(CheckpointError::Version(version));
    }
    let (checksum, content) = split::<4>(behind)?;
    if crc32fast::hash(content) != u32::from_le_bytes(checksum) {
        return Err(CheckpointError::Damaged);
    }
    Ok(content)
}

impl RunIdentity {
    fn check(&self, run: &Self) -> Result<(), CheckpointError> {
        let other = |what, its: &str, ours: &str| {
            Err(CheckpointError::Other(what, its.to_owned(), ours.to_owned()))
        };
        if self.cp2 != run.cp2 {
            return other("version of cp2", &self.cp2, &run.cp2);
        }
        if self.program != run.program {
            return other("procedure", &self.program, &run.program);
        }
        if self.machine != run.machine {
            return other("machine", "", "");
        }
        if self.inputs != run.inputs {
            return other("run, with other inputs or options", "", "");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::MachineConfig;
    use cp2_isa::MemoryAddress;

    fn origin() -> RunIdentity {
        let [cp2, program, machine] = ["1", "fft3d", "vm7"].map(str::to_owned);
        RunIdentity { cp2, program, machine, inputs: 7 }
    }

    fn machine() -> Machine {
        let mut machine = Machine::new(&MachineConfig::preset("vm7").unwrap());
        machine.cp2.state.lmem[5] = [1, 2, 3, 4];
        machine.cp2.state.iram[8191] = 9;
        machine.memory.write(MemoryAddress(123_456), &[1, 2, 3]).unwrap();
        machine
    }

    #[test]
    fn a_machine_comes_back_whole() {
        let machine = machine();
        let bytes = write(&machine, &origin(), b"host").unwrap();
        let mut again = Machine::new(&MachineConfig::preset("vm7").unwrap());
        assert_eq!(read(&bytes, &mut again, &origin()).unwrap(), b"host");
        assert_eq!(again.cp2.state, machine.cp2.state);
        assert_eq!(
            again.memory.word(MemoryAddress(123_456)),
            machine.memory.word(MemoryAddress(123_456))
        );
        assert_eq!(write(&again, &origin(), b"host").unwrap(), bytes);
    }

    #[test]
    fn what_is_damaged_or_of_another_run_is_refused_with_a_sentence() {
        let bytes = write(&machine(), &origin(), b"host").unwrap();
        let mut room = Machine::new(&MachineConfig::preset("vm7").unwrap());
        let mut refused = |bytes: &[u8], origin: RunIdentity| {
            read(bytes, &mut room, &origin).unwrap_err().to_string()
        };
        for at in [12, 16, 40, bytes.len() - 1] {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1;
            assert!(refused(&wrong, origin()).contains("is damaged"), "{at}");
        }
        assert!(refused(&bytes[..bytes.len() - 1], origin()).contains("is damaged"));
        assert!(refused(b"CP2REC", origin()).contains("not a checkpoint"));
        let mut newer = bytes.clone();
        let after = VERSION + 1;
        newer[8..12].copy_from_slice(&after.to_le_bytes());
        assert!(refused(&newer, origin()).contains(&format!("has version {after}")));
        let others = [
            (
                RunIdentity { cp2: "2".to_owned(), ..origin() },
                "another version of cp2, 1 and not 2",
            ),
            (RunIdentity { program: "mg".to_owned(), ..origin() }, "procedure, fft3d and not mg"),
            (RunIdentity { machine: "vm9".to_owned(), ..origin() }, "of another machine"),
            (RunIdentity { inputs: 8, ..origin() }, "with other inputs or options"),
        ];
        for (other, sentence) in others {
            let message = refused(&bytes, other);
            assert!(message.contains(sentence), "{message}");
        }
    }
}
