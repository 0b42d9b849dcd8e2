//! Checkpoints: the state with which an epoch began.

use crate::hot::{Flow, Hot};
use cp2_emu::state::{ActiveLoop, State};
use cp2_isa::{BundleAddress, Core, SECTIONS, WordAddress};

/// Registers of a machine that the engine works on in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    gpr: [u64; 16],
    a: [WordAddress; 16],
    n: [u16; 16],
    m: [u16; 16],
    sa: Box<[[WordAddress; SECTIONS]]>,
    shared: Box<[u64]>,
    qa: Box<[WordAddress]>,
    ireg: [u64; 16],
    fcsr: [u32; SECTIONS],
    comm: u64,
    control: u64,
    status: u64,
    rind: u16,
    rstep: u16,
    rmask: u16,
    pc: BundleAddress,
    loops: Vec<ActiveLoop>,
    calls: Vec<BundleAddress>,
}

impl Registers {
    /// Copies the registers of a machine.
    pub(crate) fn of(state: &State) -> Self {
        let State { gpr, a, n, m, ireg, fcsr, comm, control, status, .. } = *state;
        let State { rind, rstep, rmask, pc, .. } = *state;
        let (loops, calls) = (state.loops.clone(), state.calls.clone());
        let (sa, shared, qa) = (state.sa.clone(), state.shared.clone(), state.qa.clone());
        Self {
            gpr,
            a,
            n,
            m,
            sa,
            shared,
            qa,
            ireg,
            fcsr,
            comm,
            control,
            status,
            rind,
            rstep,
            rmask,
            pc,
            loops,
            calls,
        }
    }

    fn restore(self, state: &mut State) {
        let Self { gpr, a, n, m, ireg, fcsr, comm, control, status, .. } = self;
        (state.gpr, state.a, state.n, state.m, state.ireg) = (gpr, a, n, m, ireg);
        (state.fcsr, state.comm, state.control, state.status) = (fcsr, comm, control, status);
        (state.rind, state.rstep, state.rmask, state.pc) =
            (self.rind, self.rstep, self.rmask, self.pc);
        (state.loops, state.calls) = (self.loops, self.calls);
        (state.sa, state.shared, state.qa) = (self.sa, self.shared, self.qa);
    }
}

/// State of a machine at the begin of an epoch, but for local memory, which `notes` keeps.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    flow: Box<Flow>,
    registers: Option<Registers>,
    latest: usize,
}

impl Checkpoint {
    /// Creates an empty checkpoint for machines with a core.
    pub(crate) fn new(core: &Core) -> Self {
        Self { flow: Box::new(Flow::new(core)), registers: None, latest: 0 }
    }

    /// Keeps the state of the engine and of the machine.
    pub(crate) fn take(&mut self, hot: &Hot, state: &State) {
        self.flow.copy(&hot.flow, hot.core.fprs());
        self.registers = Some(Registers::of(state));
        self.latest = hot.counts.latest;
    }

    /// Takes the epoch back: restores the state that was kept, and local memory.
    pub(crate) fn restore(&mut self, hot: &mut Hot, state: &mut State) {
        hot.flow.copy(&self.flow, hot.core.fprs());
        if let Some(registers) = self.registers.take() {
            registers.restore(state);
        }
        hot.notes.take_back(&mut state.lmem);
        hot.counts.clear();
        hot.counts.latest = self.latest;
    }
}
