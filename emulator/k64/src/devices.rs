//! Devices of the bare machine beside processor and CP2: the addresses of memory, the console, the exit register, and
//! the boot memory that leads from reset to a program. All addresses are physical. No source documents them: they are
//! choices of this emulator.

use crate::memory::{Allowed, Memory, PAGE, PageBytes};
use crate::outside::{Halt, Outside};
use std::io::{Read, Write};

/// Physical address of the UART, the console: a store there prints the lowest byte of the value. The board malta has
/// its UART at this address.
pub const UART: u64 = 0x1800_03f8;
/// Offset of the UART's line status.
const LINE_STATUS: u64 = 5;
/// Bits of the line status: everything is sent, always; a byte can be read.
const IS_SENT: u64 = 0x60;
const HAS_BYTE: u64 = 1;
/// Physical address of the exit register: a store there ends the run with the lowest byte of the value as exit code.
pub const EXIT: u64 = 0x1800_0400;
/// Address of the boot memory.
const BOOT: u64 = 0x1fc0_0000;
/// Physical address behind the lower part of memory, 256 MiB: memory that is larger goes on at [`UPPER`]; devices lie
/// between.
pub const LOWER_END: u64 = 0x1000_0000;
/// Physical address at which the upper part of memory begins. Byte [`LOWER_END`] of memory, counted from 0, lies here,
/// and those behind it follow.
pub const UPPER: u64 = 0x2000_0000;

/// Whether a machine with `size` bytes of memory has memory, and not a device or nothing, at the physical address
/// `address`.
#[must_use]
pub fn is_memory(address: u64, size: u64) -> bool {
    address < size.min(LOWER_END) || address >= UPPER && address - (UPPER - LOWER_END) < size
}

/// The devices of a bare machine that have physical addresses: console, exit register and boot memory, with the state
/// that changes in a run.
pub struct Devices {
    console: Box<dyn Write + Send>,
    input: Option<Box<dyn Read + Send>>,
    /// Bytes that were read from the input so far: a run that goes back and repeats reads them again.
    received: Vec<u8>,
    entry: u64,
    now: DevicesSnapshot,
    /// Number of bytes printed by the run that has come farthest: a run that goes back and repeats prints nothing
    /// twice.
    n_shown: u64,
}

/// State of [`Devices`] that changes in a run, kept so that a run can go back: the exit code, if one was written, and
/// the numbers of bytes that were printed and read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DevicesSnapshot {
    code: Option<u8>,
    n_printed: u64,
    n_received: usize,
    /// Whether the program has been told of the end of the input.
    is_input_over: bool,
}

impl Devices {
    /// Creates the devices of a machine. After reset the boot memory jumps to `entry`, the virtual address of the
    /// program's first instruction; what the program prints goes to `console`.
    #[must_use]
    pub fn new(entry: u64, console: Box<dyn Write + Send>) -> Self {
        let now = DevicesSnapshot::default();
        Self { console, input: None, received: Vec::new(), entry, now, n_shown: 0 }
    }

    /// Lets the program read bytes from the UART: the next byte of `input` each time, which it waits for if there is
    /// none yet, and a 0 at the end. Without this there is nothing to read.
    #[must_use]
    pub fn with_input(self, input: Box<dyn Read + Send>) -> Self {
        Self { input: Some(input), ..self }
    }

    /// Returns the next byte of the input; 0 at its end and behind it.
    fn receive(&mut self) -> u8 {
        let Some(input) = &mut self.input else { return 0 };
        if self.now.n_received == self.received.len() {
            let mut byte = [0];
            // The program has printed what it wants to be answered.
            let _ = self.console.flush();
            match input.read_exact(&mut byte) {
                Ok(()) => self.received.extend(byte),
                Err(_) => {
                    self.now.is_input_over = true;
                    return 0;
                }
            }
        }
        let byte = self.received[self.now.n_received];
        self.now.n_received += 1;
        byte
    }

    /// Returns a copy of the state that changes in a run, for [`Devices::restore`].
    #[must_use]
    pub fn snapshot(&self) -> DevicesSnapshot {
        self.now
    }

    /// Restores a state that [`Devices::snapshot`] returned earlier. Bytes that were printed stay printed, and the run
    /// that repeats them does not print them again.
    pub fn restore(&mut self, snapshot: DevicesSnapshot) {
        self.now = snapshot;
    }

    fn print(&mut self, byte: u8) {
        self.now.n_printed += 1;
        if self.now.n_printed > self.n_shown {
            self.n_shown = self.now.n_printed;
            // The reader of the output sees when it fails.
            let _ = self.console.write_all(&[byte]);
        }
    }

    /// Returns the bytes of the boot memory's page and the accesses that it allows (loads and fetches), if `address` is
    /// the physical address of that page; `None` for all other addresses.
    #[must_use]
    pub fn page(&self, address: u64) -> Option<(Box<PageBytes>, Allowed)> {
        if address != BOOT {
            return None;
        }
        let mut page = Box::new([0; PAGE as usize]);
        for (place, word) in page.as_chunks_mut().0.iter_mut().zip(boot(self.entry)) {
            *place = word.to_be_bytes();
        }
        Some((page, Allowed { read: true, write: false, execute: true }))
    }

    /// Returns the value that a load from a physical address reads from a device: the next byte of the input from the
    /// UART, 0x60 from its line status (everything is sent) and 1 more before the end of the input, 0 from its other
    /// registers and from the exit register; `None` if no device is at the address.
    pub fn load(&mut self, address: u64) -> Option<u64> {
        match address.checked_sub(UART) {
            Some(0) => Some(self.receive().into()),
            Some(LINE_STATUS) => {
                let has_byte = self.input.is_some() && !self.now.is_input_over;
                Some(IS_SENT | if has_byte { HAS_BYTE } else { 0 })
            }
            Some(0..=7) => Some(0),
            _ if address == EXIT => Some(0),
            _ => None,
        }
    }

    /// Stores `value` to the device at a physical address: prints its lowest byte, or ends the run with it as exit
    /// code; other registers of the UART ignore it. The result is `None` if no device is at the address.
    pub fn store(&mut self, address: u64, value: u64) -> Option<()> {
        match address.checked_sub(UART) {
            Some(0) => self.print(value as u8),
            Some(1..=7) => {}
            _ if address == EXIT => {
                self.now.code = Some(value as u8);
                let _ = self.console.flush();
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the end of the run with the exit code that the program wrote; `None` as long as it wrote none.
    #[must_use]
    pub fn halt(&self) -> Option<Halt> {
        self.now.code.map(Halt::Exit)
    }

    /// Flushes the console; an error of the writer is ignored.
    pub fn flush(&mut self) {
        let _ = self.console.flush();
    }
}

/// Returns the program that runs after reset: a jump to `entry` by register 26, which is the kernel's own.
fn boot(entry: u64) -> [u32; 8] {
    const K0: u32 = 26;
    let part = |shift: u32| (entry >> shift & 0xffff) as u32;
    let lui = |value: u32| 0x3c00_0000 | K0 << 16 | value;
    let ori = |value: u32| 0x3400_0000 | K0 << 21 | K0 << 16 | value;
    let dsll = K0 << 16 | K0 << 11 | 16 << 6 | 0x38;
    let jr = K0 << 21 | 8;
    [lui(part(48)), ori(part(32)), dsll, ori(part(16)), dsll, ori(part(0)), jr, 0]
}

/// Surroundings of a core that consist of memory and [`Devices`] alone, without CP2: the smallest bare machine, an
/// implementation of [`Outside`].
pub struct Plain {
    devices: Devices,
    size: u64,
}

impl Plain {
    /// Creates the surroundings of a core: these devices, and `size` bytes of memory, all zeros.
    #[must_use]
    pub fn new(devices: Devices, size: u64) -> Self {
        Self { devices, size }
    }
}

impl Outside for Plain {
    fn page(&mut self, address: u64) -> Option<(Box<PageBytes>, Allowed)> {
        let memory =
            || is_memory(address, self.size).then(|| (Box::new([0; PAGE as usize]), Allowed::ALL));
        self.devices.page(address).or_else(memory)
    }
    fn load(&mut self, address: u64, _bytes: usize) -> Option<u64> {
        self.devices.load(address)
    }
    fn store(&mut self, address: u64, _bytes: usize, value: u64) -> Option<()> {
        self.devices.store(address, value)
    }
    fn advance(&mut self, _memory: &mut Memory, _cycle: u64) {}
    fn next_look(&self, _now: u64) -> Option<u64> {
        None
    }
    fn interrupts(&self) -> u8 {
        0
    }
    fn halt(&self) -> Option<Halt> {
        self.devices.halt()
    }
}
