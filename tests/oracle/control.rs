//! The control registers as the exchange half reads and writes them, and what that does to STATUS.

use super::machine::{COMM_WRITE, Machine, STAGE_1};
use super::rules::Rule;
use super::status::Effect;
use cp2_isa::control;

/// STATUS: CP2 wrote COMM.
const COMM_CP2: u64 = 1 << 3;
/// STATUS: the host wrote COMM.
const COMM_K64: u64 = 1 << 4;

impl Machine<'_> {
    pub(super) fn read_control(&mut self, number: u64) -> u64 {
        let cycle = self.cycle + STAGE_1;
        match number as u8 {
            control::STATUS => self.read_status(),
            control::COMM => {
                self.change_status(COMM_WRITE, Effect::Clear(COMM_K64));
                self.read(&self.scalars.control[usize::from(control::COMM)])
            }
            control::RIND => {
                // The arithmetic half of the bundle has stepped it.
                let history = &self.scalars.control[usize::from(control::RIND)];
                self.counted
                    .met
                    .note(Rule::RindStepped, history.within(cycle) != history.start_of(cycle));
                history.within(cycle)
            }
            control::PC | control::PSP | control::LC | control::LA | control::LSP => {
                self.read_flow(number as u8)
            }
            number => self.read(&self.scalars.control[usize::from(number)]),
        }
    }

    pub(super) fn write_control(&mut self, number: u64, value: u64) {
        let (keep, put) = match number as u8 {
            control::STATUS => return self.change_status(STAGE_1, Effect::Move(value)),
            control::COMM => {
                self.change_status(COMM_WRITE, Effect::Set(COMM_CP2));
                (0, value)
            }
            control::CONTROL => {
                // The direction of an FFT is the kernel's only with its extension.
                let bits = if self.times.has_direction { 1 << 15 | 3 } else { 3 };
                (!bits, value & bits)
            }
            control::RIND => {
                let history = &self.scalars.control[usize::from(control::RIND)];
                self.counted.met.note(Rule::RindWritten, history.is_pending(self.cycle + STAGE_1));
                (0, value & 0xffff)
            }
            control::RSTEP | control::RMASK => (0, value & 0xffff),
            _ => return self.write_flow(number as u8, value),
        };
        self.scalars.control[number as usize].push(self.exchange_write(STAGE_1, keep, put));
    }

    /// Adds an event of the exchange half to STATUS, `delay` cycles after the issue.
    pub(super) fn change_status(&mut self, delay: i64, effect: Effect) {
        self.flags.status.push(self.cycle + delay, self.order(1), effect);
    }
}
