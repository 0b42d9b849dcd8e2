//! The one interface through which a host changes a machine: actions that are kept can be done again.

use super::action::{Act, Action, ActionError};
use super::coupled::Machine;
use crate::cp2::End;
use cp2_isa::SECTIONS;

impl Machine {
    /// Does an action of the host on the machine, between two cycles, and keeps it if actions are kept
    /// ([`Machine::keep_acts`]). If it is refused, nothing has changed.
    ///
    /// # Errors
    /// The FIFO is full, a DMA register cannot be written, or the bytes, words or bundles do not lie in their memory;
    /// see [`ActionError`].
    pub fn act(&mut self, action: Action) -> Result<(), ActionError> {
        let cycle = self.cycle();
        match &action {
            Action::Send(entry) => self.cp2.fifo.push(*entry).map_err(|_| ActionError::FifoFull)?,
            Action::WriteRegister(register, value) => {
                self.dma.write(*register, *value).map_err(ActionError::Register)?;
            }
            Action::ReadRegister(register) => drop(self.dma.read(*register)),
            Action::WriteMemory(address, bytes) => {
                self.memory.write(*address, bytes).map_err(ActionError::Memory)?;
            }
            Action::WriteBundles(first, words) => {
                let iram = &mut self.cp2.state.iram;
                let (first, size) = (first.index(), iram.len());
                let end = first + words.len();
                let refused = || ActionError::Bundles(end, size);
                iram.get_mut(first..end).ok_or_else(refused)?.copy_from_slice(words);
            }
            Action::WriteWords(first, section, words) => {
                let lmem = &mut self.cp2.state.lmem;
                let (first, size) = (first.index(), lmem.len());
                let end = first + words.len();
                let quads = lmem.get_mut(first..end).ok_or(ActionError::Words(end, size))?;
                for (quad, &word) in quads.iter_mut().zip(words) {
                    match section.map(usize::from) {
                        Some(s) => quad[s % SECTIONS] = word,
                        None => *quad = [word; SECTIONS],
                    }
                }
            }
            Action::WriteControl(value) => self.cp2.state.control = *value,
            Action::WriteComm(value) => self.cp2.write_comm(*value),
            Action::ReadComm => drop(self.cp2.read_comm()),
            Action::Start(address) => self.cp2.start(*address),
            Action::Finish => drop(self.finish_now(End::Interrupted)),
        }
        self.note(cycle, action);
        Ok(())
    }

    /// Begins to keep every action of the host on the machine (such as a write to memory or to a register, or the start
    /// of a kernel) with its cycle; [`Machine::take_acts`] returns them.
    pub fn keep_acts(&mut self) {
        self.acts.get_or_insert_default();
    }

    /// Whether every action of the host is kept ([`Machine::keep_acts`]).
    pub fn keeps_acts(&self) -> bool {
        self.acts.is_some()
    }

    /// Returns the actions of the host on the machine since [`Machine::keep_acts`] or the last call, with their cycles,
    /// in the order of time, and forgets them; empty if none are kept.
    pub fn take_acts(&mut self) -> Vec<Act> {
        self.acts.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cp2::{Cp2, FifoEntry};
    use crate::dma::DmaRegister;
    use crate::machine::MachineConfig;
    use cp2_isa::MemoryAddress;
    use cp2_isa::{BundleAddress, Cycle, WordAddress};

    fn machine() -> Machine {
        Machine::new(&MachineConfig::preset("vm7").unwrap())
    }

    #[test]
    fn what_a_host_does_is_kept_and_does_the_same_again() {
        let (mut machine, mut again) = (machine(), machine());
        machine.act(Action::WriteControl(4)).unwrap();
        machine.keep_acts();
        machine.act(Action::WriteBundles(BundleAddress(7), [1, 2].into())).unwrap();
        machine.act(Action::WriteWords(WordAddress(8190), Some(2), [3, 4].into())).unwrap();
        machine.act(Action::WriteWords(WordAddress(5), None, [6].into())).unwrap();
        machine.act(Action::WriteMemory(MemoryAddress(100), [9; 3].into())).unwrap();
        machine.write_register(DmaRegister::Baseaddr, 0x100).unwrap();
        machine.start_kernel(BundleAddress(20));
        machine.finish_kernel(End::Interrupted);
        let acts = machine.take_acts();
        assert_eq!(acts.len(), 7);
        assert!(acts[4].cycle > Cycle::RESET, "an access takes its cycles");
        again.act(Action::WriteControl(4)).unwrap();
        for act in acts {
            // A kernel that has been started is ended in the same cycle.
            if act.cycle > again.cycle() {
                again.advance_idle(act.cycle, false);
            }
            again.act(act.action).unwrap();
        }
        assert_eq!(again.cycle(), machine.cycle());
        assert!(again.cp2.state == machine.cp2.state && again.memory == machine.memory);
        assert_eq!(again.dma.register(DmaRegister::Baseaddr), 0x100);
    }

    #[test]
    fn what_is_refused_changes_nothing_and_is_not_kept() {
        let mut machine = machine();
        machine.keep_acts();
        let told = |machine: &mut Machine, action| machine.act(action).unwrap_err().to_string();
        let bundles = Action::WriteBundles(BundleAddress(8191), [0; 2].into());
        assert_eq!(
            told(&mut machine, bundles),
            "bundles before address 8193 are outside instruction memory, which has 8192"
        );
        let words = Action::WriteWords(WordAddress(8191), None, [0; 2].into());
        assert_eq!(
            told(&mut machine, words),
            "words before address 8193 are outside local memory, which has 8192"
        );
        let register = Action::WriteRegister(DmaRegister::Status, 0);
        assert_eq!(told(&mut machine, register), "DMA register STATUS is read-only");
        let mut alone = Machine::alone(Cp2::default());
        let memory = Action::WriteMemory(MemoryAddress::FIRST, [0].into());
        assert!(told(&mut alone, memory).contains("outside system memory"));
        for _ in 0..4 {
            machine.act(Action::Send(FifoEntry::Execute(0))).unwrap();
        }
        let full = Action::Send(FifoEntry::Execute(0));
        assert_eq!(told(&mut machine, full), "the host FIFO is full");
        assert_eq!(machine.take_acts().len(), 4);
    }
}
