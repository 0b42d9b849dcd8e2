//! The fast engine: runs translated blocks as long as it can, takes them back when something unusual
//! happened, and leaves to the reference engine whatever blocks do not know.

use super::dispatch::Dispatcher;
use super::pace::Pace;
use super::transfer;
use crate::back_end::encoding::Host;
use cp2_emu::trace::{Observer, Off};
use cp2_emu::{Cp2, End, Run};
use cp2_isa::BundleAddress;

/// One CP2 with the results of the reference engine, faster.
///
/// Between calls the machine in [`Fast::cp2`] is complete: registers, memories, what is under way,
/// counts. It may be looked at and changed there, instruction memory too.
///
/// Where the host lacks AVX2 or BMI1, or a run is traced, everything runs on the reference engine.
#[derive(Debug)]
pub struct Fast {
    /// The machine.
    pub cp2: Cp2,
    dispatcher: Option<Dispatcher>,
    pace: Pace,
}

impl Default for Fast {
    fn default() -> Self {
        Self::new(Cp2::default())
    }
}

/// Whether this host can run translated code.
pub fn is_supported() -> bool {
    Host::detect().is_some()
}

impl Fast {
    /// Takes over a machine.
    pub fn new(cp2: Cp2) -> Self {
        Self::on(Host::detect(), cp2)
    }

    /// Takes over a machine and runs it with what `host` names, or with what this host has if that is
    /// less.
    pub fn on(host: Option<Host>, cp2: Cp2) -> Self {
        let host = host.min(Host::detect());
        let dispatcher = host.map(|host| Dispatcher::new(host, cp2.core()));
        Self { cp2, dispatcher, pace: Pace::default() }
    }

    /// Takes over a machine and runs it without translated code, as on a host that lacks what it
    /// needs.
    pub fn portable(cp2: Cp2) -> Self {
        Self::on(None, cp2)
    }

    /// Cycles of the current or the last run that translated code did.
    pub fn translated_cycles(&self) -> u64 {
        self.pace.translated
    }

    /// Starts a kernel: its first bundle issues in the next cycle.
    pub fn start(&mut self, address: BundleAddress) {
        self.cp2.start(address);
        self.pace = Pace::default();
    }

    /// Runs a kernel from `address` to its end, at most `limit` cycles, and lets everything that
    /// was issued complete. The same as [`Cp2::run`].
    pub fn run(&mut self, address: BundleAddress, limit: u64, observer: &mut dyn Observer) -> Run {
        self.start(address);
        let end = self.advance(limit, observer).unwrap_or(End::CycleLimit(limit));
        self.cp2.finish(end)
    }

    /// Runs a kernel without a trace.
    pub fn run_untraced(&mut self, address: BundleAddress, limit: u64) -> Run {
        self.run(address, limit, &mut Off)
    }

    /// Goes on with the kernel until its run has lasted `until` cycles, or tells why it ended
    /// before. The same as [`Cp2::advance`].
    pub fn advance(&mut self, until: u64, observer: &mut dyn Observer) -> Option<End> {
        let Some(dispatcher) = self.dispatcher.as_mut().filter(|_| observer.wants().is_empty())
        else {
            return self.cp2.advance(until, observer);
        };
        dispatcher.refresh(&self.cp2);
        loop {
            let done = self.cp2.stats().cycles;
            if !self.cp2.is_running() || done >= until {
                return self.cp2.advance(until, observer);
            }
            let stretch = dispatcher.run(&mut self.cp2, (until, u64::MAX), |_, _| Ok(()));
            let on = self.cp2.stats().cycles + self.pace.after(&stretch);
            if let Some(end) = self.cp2.advance(until.min(on), observer) {
                return Some(end);
            }
        }
    }

    /// Ends a run: lets everything that was issued complete. The same as [`Cp2::finish`].
    pub fn finish(&mut self, end: End) -> Run {
        self.cp2.finish(end)
    }
}

impl Fast {
    /// Whether translated code could take over now; for tests and reports.
    pub fn can_translate(&self) -> bool {
        self.dispatcher.is_some() && transfer::is_plain(&self.cp2.flight())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_isa::{Arith, Bundle, Exch, encode};

    fn arith(op: Arith, values: &[i32]) -> u64 {
        let mut bundle = Bundle::NOP;
        bundle.arith.op = op;
        bundle.arith.values[..values.len()].copy_from_slice(values);
        encode(&bundle)
    }

    fn exch(op: Exch, values: &[i32]) -> u64 {
        let mut bundle = Bundle::NOP;
        bundle.exch.op = op;
        bundle.exch.values[..values.len()].copy_from_slice(values);
        encode(&bundle)
    }

    /// A kernel that jumps to one bundle after the other, each the begin of a block of its own.
    #[test]
    fn a_run_that_never_comes_back_does_not_fill_the_memory() {
        let mut cp2 = Cp2::default();
        let nop = encode(&Bundle::NOP);
        cp2.state.iram.fill(nop);
        cp2.state.iram[0] = arith(Arith::Add, &[1, 1, 2]);
        cp2.state.iram[12] = exch(Exch::Mffpr, &[1, 1, 0]);
        cp2.state.iram[16] = exch(Exch::Jump, &[1]);
        cp2.state.iram[8000] = exch(Exch::Jumpi, &[0]);
        cp2.state.fpr[1] = [5000; 4];
        cp2.state.fpr[2] = [1; 4];
        let mut fast = Fast::new(cp2);
        fast.start(BundleAddress(0));
        assert_eq!(fast.advance(4_400_000, &mut Off), None);
        assert!(fast.cp2.state.fpr[1][0] > 7200, "{}", fast.cp2.state.fpr[1][0]);
        let blocks = fast.dispatcher.map_or(0, |dispatcher| dispatcher.n_blocks());
        assert!(blocks <= super::super::cache::MOST + 1, "{blocks}");
    }
}
