//! Surroundings of a core for tests: memory that somebody else changes too, a device whose registers tell the cycle, a line
//! for interrupts, and the devices of a machine.

use cp2_k64::devices::{Devices, DevicesSnapshot};
use cp2_k64::memory::{Allowed, Memory, PAGE, PageBytes};
use cp2_k64::outside::{Halt, Outside};
use std::any::Any;
use std::collections::BTreeMap;

/// Bytes of memory, from address 0 on.
pub(crate) const SIZE: u64 = 4 << 20;
/// Address of the device.
pub(crate) const DEVICE: u64 = 0x1800_0800;
/// Address of the page that is changed from outside.
pub(crate) const SHARED: u64 = 0x0012_3000;

/// Part of the surroundings that changes in a run.
#[derive(Clone)]
struct BoardState {
    pages: BTreeMap<u64, Box<PageBytes>>,
    cycle: u64,
    /// Cycle of the next change from outside.
    change_at: u64,
    is_up: bool,
    n_accesses: u64,
    stall: u64,
}

struct BoardSnapshot(BoardState, DevicesSnapshot);

pub(crate) struct TestBoard {
    devices: Devices,
    /// Cycles between two changes from outside.
    period: u64,
    state: BoardState,
}

impl TestBoard {
    pub(crate) fn new(devices: Devices, period: u64) -> Self {
        let state = BoardState {
            pages: BTreeMap::new(),
            cycle: 0,
            change_at: period,
            is_up: false,
            n_accesses: 0,
            stall: 0,
        };
        Self { devices, period, state }
    }

    /// Returns the pages, and numbers that tell the rest.
    pub(crate) fn seen(&self) -> (&BTreeMap<u64, Box<PageBytes>>, [u64; 5]) {
        let BoardState { pages, cycle, change_at, is_up, n_accesses, stall } = &self.state;
        (pages, [*cycle, *change_at, u64::from(*is_up), *n_accesses, *stall])
    }

    fn bytes(&mut self, address: u64) -> &mut PageBytes {
        self.state.pages.entry(address).or_insert_with(|| Box::new([0; PAGE as usize]))
    }
}

impl Outside for TestBoard {
    fn page(&mut self, address: u64) -> Option<(Box<PageBytes>, Allowed)> {
        if address < SIZE {
            return Some((Box::new(*self.bytes(address)), Allowed::ALL));
        }
        self.devices.page(address)
    }

    fn load(&mut self, address: u64, bytes: usize) -> Option<u64> {
        if address & !63 != DEVICE {
            return self.devices.load(address);
        }
        self.state.n_accesses += 1;
        self.state.stall += 3;
        let value = (self.state.cycle ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some(value >> (64 - 8 * bytes))
    }

    fn store(&mut self, address: u64, _bytes: usize, value: u64) -> Option<()> {
        if address & !63 != DEVICE {
            return self.devices.store(address, value);
        }
        self.state.n_accesses += 1;
        self.state.stall += 1;
        self.state.is_up = false;
        Some(())
    }

    fn advance(&mut self, memory: &mut Memory, cycle: u64) {
        self.state.cycle = self.state.cycle.max(cycle);
        if cycle < self.state.change_at {
            return;
        }
        self.state.change_at = cycle + self.period;
        self.state.is_up |= cycle.is_multiple_of(3);
        memory.take_written(|address, bytes| *self.bytes(address) = *bytes);
        let at = (cycle % PAGE) as usize;
        self.bytes(SHARED)[at] = self.bytes(SHARED)[at].wrapping_add(cycle as u8 | 1);
        memory.remove(SHARED);
    }

    fn next_look(&self, now: u64) -> Option<u64> {
        Some(now + 32 + self.period / 2)
    }

    fn interrupts(&self) -> u8 {
        if self.state.is_up { 1 << 2 } else { 0 }
    }

    fn halt(&self) -> Option<Halt> {
        self.devices.halt()
    }

    fn take_stall(&mut self) -> u64 {
        std::mem::take(&mut self.state.stall)
    }

    fn snapshot(&self) -> Option<Box<dyn Any + Send>> {
        Some(Box::new(BoardSnapshot(self.state.clone(), self.devices.snapshot())))
    }

    fn restore(&mut self, kept: &dyn Any) {
        let Some(BoardSnapshot(state, devices)) = kept.downcast_ref() else { return };
        self.state = state.clone();
        self.devices.restore(*devices);
    }
}
