//! The way from descriptor to descriptor: asked for, taken from memory, and which one comes next.

use super::{Current, Dma, State};
use crate::dma::descriptor::{Descriptor, DescriptorAction, Jump, JumpKind, NextDescriptor};
use crate::dma::fault::DmaFaultKind;
use crate::dma::ports::Ports;
use crate::dma::registers::{DmaRegister, cause, config, ctrl};
use crate::dma::walk::half_register;
use crate::memory::{BEAT_BYTES, Burst, Direction};
use cp2_isa::Cycle;

/// Number of bytes of a descriptor.
const DESCRIPTOR_BYTES: u32 = 64;

impl Dma {
    /// Turns to the descriptor of CURDSC, which memory is asked for in `cycle`.
    pub(super) fn turn_to_next(&mut self, cycle: Cycle) {
        let number = self.register(DmaRegister::Curdsc);
        let table =
            self.register(DmaRegister::Baseaddr).wrapping_add(self.register(DmaRegister::Daddr));
        let address = table.wrapping_add(number.wrapping_mul(DESCRIPTOR_BYTES)).into();
        self.current = Current { number, address };
        self.state = State::Starting(cycle);
        if let Some(log) = &mut self.log {
            log.turn_to(number, address, self.now);
        }
    }

    /// Asks memory for the current descriptor.
    pub(super) fn ask(&mut self, cycle: Cycle) {
        let mut address = self.current.address;
        let mut left = DESCRIPTOR_BYTES / BEAT_BYTES;
        let mut last = cycle;
        while left > 0 {
            let direction = Direction::Get;
            let t = self.port.begin(&Burst { address, beats: left, direction, since: cycle });
            last = self.port.due(&t, t.beats - 1);
            self.port.complete(&t, last);
            left -= t.beats;
            address = address.channel_add(t.beats * BEAT_BYTES);
        }
        self.state = State::Fetching(last.max(cycle));
    }

    pub(super) fn limit(&self) -> Option<u32> {
        let checked = self.register(DmaRegister::Config) & config::CHECK_LIMIT != 0;
        checked.then(|| self.register(DmaRegister::Addrlim))
    }

    /// Takes the words of the current descriptor.
    pub(super) fn take(&mut self, cycle: Cycle, ports: &mut Ports<'_>) {
        let address = self.current.address;
        let mut beats = (0..DESCRIPTOR_BYTES).step_by(BEAT_BYTES as usize);
        if let Some(limit) = self.limit()
            && let Some(refused) = beats.find(|&beat| address.channel_add(beat).0 >= limit.into())
        {
            let address = address.channel_add(refused);
            return self.refuse(cycle, DmaFaultKind::AddressLimit(address, limit));
        }
        let mut bytes = [0; DESCRIPTOR_BYTES as usize];
        if let Err(e) = ports.memory.fetch(address, &mut bytes) {
            return self.refuse(cycle, DmaFaultKind::OutsideMemory(e));
        }
        let mut words = [0; 8];
        for (word, part) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = part.iter().fold(0, |w, &b| w << 8 | u64::from(b));
        }
        let descriptor = Descriptor::decode(&words);
        self.stats.n_descriptors += 1;
        if let Some(log) = &mut self.log {
            log.fetched(words);
        }
        if !descriptor.valid {
            return self.refuse(cycle, DmaFaultKind::Invalid);
        }
        if matches!(descriptor.action, DescriptorAction::Copy(_)) && !self.timing.memory_to_memory {
            return self.refuse(cycle, DmaFaultKind::CopyAbsent);
        }
        if descriptor.action.is_of_words() && !self.timing.words {
            return self.refuse(cycle, DmaFaultKind::WordsAbsent);
        }
        let ready = cycle + u64::from(self.timing.set_up_cycles);
        self.state = State::SettingUp(ready, Box::new(descriptor));
    }

    /// Goes to the next descriptor or stops.
    pub(super) fn finish(&mut self, descriptor: &Descriptor, cycle: Cycle, ports: &Ports<'_>) {
        let index = |n: u8| half_register(ports.ireg, n) as u8;
        let current = self.register(DmaRegister::Curdsc);
        let next = match &descriptor.action {
            DescriptorAction::Jump(jump) => jump_target(jump, current, index(jump.index)),
            DescriptorAction::Get(t) => after(t.next, current, index),
            DescriptorAction::Put(t) => after(t.next, current, index),
            DescriptorAction::Copy(t) => after(t.next, current, index),
            DescriptorAction::GetWords(t) => after(t.next, current, index),
            DescriptorAction::PutWords(t) => after(t.next, current, index),
            DescriptorAction::Gather(t) => after(t.next, current, index),
        };
        self.registers[DmaRegister::Curdsc as usize] = next;
        let causes = &mut self.registers[DmaRegister::Intcause as usize];
        if descriptor.interrupt {
            *causes |= cause::DESCRIPTOR;
        }
        if self.register(DmaRegister::Ctrl) & ctrl::STOP != 0 {
            self.registers[DmaRegister::Ctrl as usize] &= !ctrl::STOP;
            self.registers[DmaRegister::Intcause as usize] |= cause::STOPPED;
            self.rest();
        } else if descriptor.stop {
            self.rest();
        } else {
            self.turn_to_next(cycle);
        }
    }
}

/// Returns the number of the descriptor after a transfer.
fn after(next: NextDescriptor, current: u32, index: impl Fn(u8) -> u8) -> u32 {
    match next {
        NextDescriptor::By(by) => current.wrapping_add_signed(by.into()),
        NextDescriptor::Index(n) => current.wrapping_add_signed((index(n) as i8).into()),
    }
}

/// Returns the number of the descriptor that a jump chooses.
fn jump_target(jump: &Jump, current: u32, index: u8) -> u32 {
    let signed = i32::from(index as i8);
    match &jump.kind {
        JumpKind::Relative => current.wrapping_add_signed(signed),
        JumpKind::Table(entries) => {
            current.wrapping_add(u32::from(entries[usize::from(index & 15)]))
        }
        JumpKind::Absolute => u32::from(index),
        JumpKind::Compare { value, equal, other } => {
            let by = if signed as u32 == *value { *equal } else { *other };
            current.wrapping_add_signed(by.into())
        }
    }
}
