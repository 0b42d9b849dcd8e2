//! Requests of gdb that a session answers: registers, memory, going on and back, breakpoints, `monitor`.

use super::registers::{All, CP2_GENERAL, CP2_NAMES, Mips64, description, number};
use super::{Session, Wanted};
use cp2_k64::core::Cpu;
use cp2_k64::exception::WatchedAccess;
use cp2_k64::memory::Watchpoint;
use cp2_k64::registers::{HI, LO};
use gdbstub::common::Signal;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
    SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::host_io::HostIoOps;
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};

impl Target for Session<'_> {
    type Arch = Mips64;
    type Error = &'static str;

    fn base_ops(&mut self) -> BaseOps<'_, Mips64, &'static str> {
        BaseOps::SingleThread(self)
    }
    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }
    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
    fn support_host_io(&mut self) -> Option<HostIoOps<'_, Self>> {
        self.guest.maps().is_some().then_some(self)
    }
    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl TargetDescriptionXmlOverride for Session<'_> {
    fn target_description_xml(
        &self,
        _annex: &[u8],
        offset: u64,
        length: usize,
        bytes: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let text = description(self.guest.board().is_some()).as_bytes();
        let rest = usize::try_from(offset).ok().and_then(|at| text.get(at..)).unwrap_or_default();
        let n = rest.len().min(length).min(bytes.len());
        bytes[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

impl SingleThreadBase for Session<'_> {
    fn read_registers(&mut self, all: &mut All) -> TargetResult<(), Self> {
        let core = self.guest.core();
        all.0[..32].copy_from_slice(core.registers.general());
        all.0[number::FLOAT..number::FCSR].copy_from_slice(core.registers.float());
        all.0[number::LO] = core.registers[LO];
        all.0[number::HI] = core.registers[HI];
        all.0[number::PC] = core.pc;
        all.0[number::FCSR] = core.fcsr().into();
        all.0[number::FIR] = Cpu::FIR.into();
        if let Some(privileged) = &core.privileged {
            all.0[number::STATUS] = privileged.cp0.status().into();
            all.0[number::CAUSE] = privileged.cp0.cause().into();
            all.0[number::BAD_VADDR] = privileged.cp0.bad_address;
        }
        all.1 = self.guest.board().is_some();
        if let Some(board) = self.guest.board() {
            let cp2 = &board.machine().cp2;
            let state = &cp2.state;
            let pc = state.pc.0.into();
            let values = [state.comm, state.control, cp2.status(), state.stopcode, pc];
            let (own, general) = all.0[number::CP2..].split_at_mut(CP2_NAMES.len());
            own.copy_from_slice(&values);
            general[..CP2_GENERAL].copy_from_slice(&state.gpr);
        }
        Ok(())
    }

    /// Writes the registers of the core; those of coprocessor 0 and CP2 stay as they are.
    fn write_registers(&mut self, all: &All) -> TargetResult<(), Self> {
        let core = self.guest.core();
        for i in 1..32u8 {
            core.registers[i] = all.0[usize::from(i)];
        }
        for i in 0..32u8 {
            core.registers[cp2_k64::registers::FPR + i] = all.0[number::FLOAT + usize::from(i)];
        }
        core.registers[LO] = all.0[number::LO];
        core.registers[HI] = all.0[number::HI];
        core.pc = all.0[number::PC];
        let set = core.set_fcsr(all.0[number::FCSR] as u32);
        self.guest.note_change();
        set.map_err(|_| TargetError::NonFatal)
    }

    fn read_addrs(&mut self, address: u64, bytes: &mut [u8]) -> TargetResult<usize, Self> {
        let read = self.guest.core().read_bytes(address, bytes);
        read.map(|()| bytes.len()).map_err(|_| TargetError::NonFatal)
    }

    fn write_addrs(&mut self, address: u64, bytes: &[u8]) -> TargetResult<(), Self> {
        let written = self.guest.core().write_bytes(address, bytes);
        self.guest.note_change();
        written.map_err(|_| TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadResume for Session<'_> {
    fn resume(&mut self, signal: Option<Signal>) -> Result<(), &'static str> {
        if let Some(signal) = signal {
            self.guest.have_signal(signal);
        }
        self.wanted = Wanted::Continue;
        Ok(())
    }
    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        self.guest.can_go_back().then_some(self)
    }
    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        self.guest.can_go_back().then_some(self)
    }
    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Session<'_> {
    fn step(&mut self, signal: Option<Signal>) -> Result<(), &'static str> {
        if let Some(signal) = signal {
            self.guest.have_signal(signal);
        }
        self.wanted = Wanted::Step;
        Ok(())
    }
}

impl ReverseCont<()> for Session<'_> {
    fn reverse_cont(&mut self) -> Result<(), &'static str> {
        self.wanted = Wanted::ContinueBack;
        Ok(())
    }
}

impl ReverseStep<()> for Session<'_> {
    fn reverse_step(&mut self, (): ()) -> Result<(), &'static str> {
        self.wanted = Wanted::StepBack;
        Ok(())
    }
}

impl Breakpoints for Session<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }
    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }
    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Session<'_> {
    fn add_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        self.breakpoints.insert(address);
        self.change_breakpoints();
        Ok(true)
    }
    fn remove_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        let was_there = self.breakpoints.remove(&address);
        self.change_breakpoints();
        Ok(was_there)
    }
}

impl HwBreakpoint for Session<'_> {
    fn add_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }
    fn remove_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

/// Returns a watchpoint as gdb names it.
fn watchpoint(address: u64, bytes: u64, kind: WatchKind) -> Watchpoint {
    let accesses = match kind {
        WatchKind::Write => WatchedAccess::Store,
        WatchKind::Read => WatchedAccess::Load,
        WatchKind::ReadWrite => WatchedAccess::Any,
    };
    Watchpoint { address, bytes, accesses }
}

impl HwWatchpoint for Session<'_> {
    fn add_hw_watchpoint(
        &mut self,
        address: u64,
        bytes: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        self.watchpoints.push(watchpoint(address, bytes, kind));
        self.change_watchpoints();
        Ok(true)
    }
    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        bytes: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let removed = watchpoint(address, bytes, kind);
        let Some(at) = self.watchpoints.iter().position(|point| *point == removed) else {
            return Ok(false);
        };
        self.watchpoints.remove(at);
        self.change_watchpoints();
        Ok(true)
    }
}

impl MonitorCmd for Session<'_> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), &'static str> {
        let text = String::from_utf8_lossy(command);
        for line in self.guest.answer(&text).lines() {
            outputln!(out, "{line}");
        }
        Ok(())
    }
}
