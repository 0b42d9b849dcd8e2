//! Entries of the host FIFO, which the control processor sends and CP2 takes while no kernel runs.

use super::Cp2;
use crate::cp2::fault::{Fault, FaultKind};
use crate::cp2::fifo::FifoEntry;
use crate::cp2::flow;
use cp2_isa::rules::times;
use cp2_isa::{Bundle, BundleAddress, BundleBits, Effects, Exch, decode};

impl Cp2 {
    /// Takes one entry of the host FIFO while no kernel runs. A `jump` of the cycle before sets PC
    /// at the end of this one: too late for the place of a store, soon enough for a read of PC.
    pub(super) fn take(
        &mut self,
        entry: FifoEntry,
        jump: Option<BundleAddress>,
    ) -> Result<(), Fault> {
        match entry {
            FifoEntry::Store(word) => {
                let pc = self.state.pc;
                let Some(place) = self.state.iram.get_mut(pc.index()) else {
                    return Err(self.fault(None, word, self.ran_past_end()));
                };
                *place = word;
                self.state.pc = pc.plus(1);
            }
            FifoEntry::Execute(word) => {
                let pc = jump.unwrap_or(self.state.pc);
                self.execute_from_host(word, pc).map_err(|kind| self.fault(None, word, kind))?;
            }
        }
        Ok(())
    }

    fn execute_from_host(&mut self, word: BundleBits, pc: BundleAddress) -> Result<(), FaultKind> {
        let mut bundle = decode(word, &self.core).map_err(FaultKind::Undefined)?;
        let run_distance = self.core.latencies().gpr_to_stop;
        let register = bundle.exch.gpr().unwrap_or_default();
        let gpr = |d| self.pipeline.gpr(self.cycle, register, d, &self.state);
        let row = bundle.exch.op.row();
        let jump = match bundle.exch.op {
            Exch::Runi | Exch::Jumpi => bundle.exch.target(),
            Exch::Run => Some(flow::target(&self.core, gpr(run_distance))?),
            Exch::Jump => Some(flow::target(&self.core, gpr(1))?),
            Exch::Sync => None,
            _ if row.effects.contains(Effects::CONTROL) => {
                return Err(FaultKind::ControlFromHost(row.name));
            }
            _ => None,
        };
        let run = matches!(bundle.exch.op, Exch::Runi | Exch::Run);
        if jump.is_some() {
            bundle.exch = Bundle::NOP.exch;
        }
        self.execute(&bundle, pc, pc)?;
        match jump {
            Some(address) if run => {
                self.sequencer.start_at =
                    Some((self.cycle + u64::from(times::RUN_TO_KERNEL), address));
            }
            _ => self.sequencer.jump_to = jump,
        }
        Ok(())
    }
}
