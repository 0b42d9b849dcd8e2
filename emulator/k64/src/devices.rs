//! Parts of a machine beside processor and CP2: the addresses of memory, the console, the exit register, and the boot memory
//! that leads from reset to a program. `[own]`

use crate::memory::{Allowed, Memory, PAGE, PageBytes};
use crate::outside::{Halt, Outside};
use std::io::Write;

/// Address of the UART: a store of a byte prints it. The board malta has its UART at this address.
pub const UART: u64 = 0x1800_03f8;
/// Line status of the UART: offset of the register, and its constant value, which says that everything is sent.
const LINE_STATUS: (u64, u64) = (5, 0x60);
/// Address of the exit register: a store ends the run with the value as exit code.
pub const EXIT: u64 = 0x1800_0400;
/// Address of the boot memory.
const BOOT: u64 = 0x1fc0_0000;
/// End of the lower part of memory; the rest begins at [`UPPER`].
pub const LOWER_END: u64 = 0x1000_0000;
/// Address of the upper part of memory, which follows that below [`LOWER_END`].
pub const UPPER: u64 = 0x2000_0000;

/// Whether a machine with so many bytes has memory at an address.
#[must_use]
pub fn is_memory(address: u64, size: u64) -> bool {
    address < size.min(LOWER_END) || address >= UPPER && address - (UPPER - LOWER_END) < size
}

/// Devices of a machine that have addresses: console, exit register, boot memory.
pub struct Devices {
    console: Box<dyn Write>,
    entry: u64,
    now: Present,
    /// Number of bytes printed by the run that has come farthest: a run that goes back and repeats prints nothing twice.
    n_shown: u64,
}

/// State of the devices that changes in a run: exit code, and number of bytes printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    code: Option<u8>,
    n_printed: u64,
}

impl Devices {
    /// Creates the devices of a machine that begins with the instruction at `entry`.
    #[must_use]
    pub fn new(entry: u64, console: Box<dyn Write>) -> Self {
        Self { console, entry, now: Present::default(), n_shown: 0 }
    }

    /// Returns the state that changes in a run, for [`Devices::put_back`].
    #[must_use]
    pub fn present(&self) -> Present {
        self.now
    }

    /// Restores the state that [`Devices::present`] returned.
    pub fn put_back(&mut self, present: Present) {
        self.now = present;
    }

    fn print(&mut self, byte: u8) {
        self.now.n_printed += 1;
        if self.now.n_printed > self.n_shown {
            self.n_shown = self.now.n_printed;
            // The reader of the output sees when it fails.
            let _ = self.console.write_all(&[byte]);
        }
    }

    /// Returns the page of the boot memory at an address.
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

    /// Loads from a device; `None` if no device is at the address.
    #[must_use]
    pub fn load(&self, address: u64) -> Option<u64> {
        match address.checked_sub(UART) {
            Some(offset) if offset == LINE_STATUS.0 => Some(LINE_STATUS.1),
            Some(0..=7) => Some(0),
            _ if address == EXIT => Some(0),
            _ => None,
        }
    }

    /// Stores to a device; `None` if no device is at the address.
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

    /// Returns the exit code, once it was written.
    #[must_use]
    pub fn halt(&self) -> Option<Halt> {
        self.now.code.map(Halt::Exit)
    }

    /// Flushes the console.
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

/// A machine with memory and these devices alone, without CP2.
pub struct Plain {
    devices: Devices,
    size: u64,
}

impl Plain {
    /// Creates a machine with so many bytes of memory.
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
