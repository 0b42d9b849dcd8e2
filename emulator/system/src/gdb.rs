//! A debugger for programs of the control processor: gdb's remote protocol, by the crate `gdbstub`. The connection is
//! the caller's, who takes none from other machines.

mod monitor;
mod registers;

use crate::Board;
use cp2_k64::exception::Exception;
use cp2_k64::machine::{End, Processor};
use cp2_k64::registers::{HI, LO};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, SwBreakpoint, SwBreakpointOps,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::{Target, TargetError, TargetResult};
use registers::{All, CP2_GENERAL, CP2_NAMES, Mips64, number};
use std::any::Any;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::net::TcpStream;

/// Cycles between two looks at whether gdb wants something.
const SLICE: u64 = 1 << 20;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program ended with this code.
    Exit(u8),
    /// gdb ended it.
    Killed,
    /// gdb left; the program stands where it stood.
    Detached,
}

/// Lets gdb debug a program until one of them ends.
///
/// # Errors
/// What is wrong with the connection.
pub fn serve(processor: &mut Processor, connection: TcpStream) -> Result<Ended, String> {
    let mut session = Session { processor, breakpoints: BTreeSet::new(), is_step: false };
    let reason = GdbStub::new(connection).run_blocking::<Loop<'_>>(&mut session);
    session.processor.set_breakpoints(BTreeSet::new());
    match reason {
        Ok(DisconnectReason::TargetExited(code)) => Ok(Ended::Exit(code)),
        Ok(DisconnectReason::Kill) => Ok(Ended::Killed),
        Ok(DisconnectReason::Disconnect | DisconnectReason::TargetTerminated(_)) => {
            Ok(Ended::Detached)
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The board of a processor, if it has one.
fn board(processor: &Processor) -> Option<&Board> {
    let outside: &dyn Any = &*processor.core.privileged.as_ref()?.outside;
    outside.downcast_ref()
}

struct Session<'a> {
    processor: &'a mut Processor,
    breakpoints: BTreeSet<u64>,
    is_step: bool,
}

impl Session<'_> {
    /// What gdb is told of the end of a run.
    fn reason(end: &End) -> SingleThreadStopReason<u64> {
        use SingleThreadStopReason as S;
        match end {
            End::Exit(code) => S::Exited(*code),
            End::Breakpoint => S::SwBreak(()),
            End::Exception { exception, .. } => S::Signal(match exception {
                Exception::Reserved(_) | Exception::Coprocessor(_) => Signal::SIGILL,
                Exception::Break(_) | Exception::Trap(_) => Signal::SIGTRAP,
                Exception::Overflow | Exception::Float(_) => Signal::SIGFPE,
                Exception::Syscall => Signal::SIGSYS,
                Exception::Address { .. } => Signal::SIGBUS,
                _ => Signal::SIGSEGV,
            }),
            End::Fault(_) => S::Signal(Signal::SIGABRT),
            End::Limit | End::Hang => S::Signal(Signal::SIGSTOP),
        }
    }

    fn change_breakpoints(&mut self) {
        self.processor.set_breakpoints(self.breakpoints.clone());
    }
}

impl Target for Session<'_> {
    type Arch = Mips64;
    type Error = &'static str;

    fn base_ops(&mut self) -> BaseOps<'_, Mips64, &'static str> {
        BaseOps::SingleThread(self)
    }
    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }
    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for Session<'_> {
    fn read_registers(&mut self, all: &mut All) -> TargetResult<(), Self> {
        let core = &mut self.processor.core;
        all.0[..32].copy_from_slice(core.registers.general());
        all.0[number::FLOAT..number::FCSR].copy_from_slice(core.registers.float());
        all.0[number::LO] = core.registers[LO];
        all.0[number::HI] = core.registers[HI];
        all.0[number::PC] = core.pc;
        all.0[number::FCSR] = core.fcsr().into();
        all.0[number::FIR] = 0;
        if let Some(privileged) = &core.privileged {
            all.0[number::STATUS] = privileged.cp0.status().into();
            all.0[number::CAUSE] = privileged.cp0.cause().into();
            all.0[number::BAD_VADDR] = privileged.cp0.bad_address;
        }
        if let Some(board) = board(self.processor) {
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

    /// Those of coprocessor 0 and CP2 stay as they are.
    fn write_registers(&mut self, all: &All) -> TargetResult<(), Self> {
        let core = &mut self.processor.core;
        for i in 1..32u8 {
            core.registers[i] = all.0[usize::from(i)];
        }
        for i in 0..32u8 {
            core.registers[cp2_k64::registers::FPR + i] = all.0[number::FLOAT + usize::from(i)];
        }
        core.registers[LO] = all.0[number::LO];
        core.registers[HI] = all.0[number::HI];
        core.pc = all.0[number::PC];
        core.set_fcsr(all.0[number::FCSR] as u32).map_err(|_| TargetError::NonFatal)
    }

    fn read_addrs(&mut self, address: u64, bytes: &mut [u8]) -> TargetResult<usize, Self> {
        let read = self.processor.core.read_bytes(address, bytes);
        read.map(|()| bytes.len()).map_err(|_| TargetError::NonFatal)
    }

    fn write_addrs(&mut self, address: u64, bytes: &[u8]) -> TargetResult<(), Self> {
        self.processor.core.write_bytes(address, bytes).map_err(|_| TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadResume for Session<'_> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), &'static str> {
        self.is_step = false;
        Ok(())
    }
    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Session<'_> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), &'static str> {
        self.is_step = true;
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

impl MonitorCmd for Session<'_> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), &'static str> {
        let text = String::from_utf8_lossy(command);
        for line in monitor::answer(&text, self.processor).lines() {
            outputln!(out, "{line}");
        }
        Ok(())
    }
}

/// The loop of a session; it is named after the life of the processor.
struct Loop<'a>(PhantomData<&'a ()>);

impl<'a> BlockingEventLoop for Loop<'a> {
    type Target = Session<'a>;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u64>;

    fn wait_for_stop_reason(
        session: &mut Session<'a>,
        connection: &mut TcpStream,
    ) -> Result<
        Event<SingleThreadStopReason<u64>>,
        WaitForStopReasonError<&'static str, std::io::Error>,
    > {
        // The first instruction is done even if it has a breakpoint, where the program stands.
        let stopped = session.processor.step();
        if session.is_step || stopped.is_some() {
            let done = SingleThreadStopReason::DoneStep;
            let reason = stopped.map_or(done, |end| Session::reason(&end));
            return Ok(Event::TargetStopped(reason));
        }
        loop {
            let until = session.processor.core.cycle() + SLICE;
            match session.processor.run(until) {
                End::Limit => {}
                end => return Ok(Event::TargetStopped(Session::reason(&end))),
            }
            if ConnectionExt::peek(connection)
                .map_err(WaitForStopReasonError::Connection)?
                .is_some()
            {
                let byte = ConnectionExt::read(connection);
                return byte.map(Event::IncomingData).map_err(WaitForStopReasonError::Connection);
            }
        }
    }

    fn on_interrupt(
        _: &mut Session<'a>,
    ) -> Result<Option<SingleThreadStopReason<u64>>, &'static str> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}
