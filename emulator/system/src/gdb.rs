//! A debugger for programs of the control processor: gdb's remote protocol, by the crate `gdbstub`. The caller opens the
//! connection, and takes none from other machines.
//!
//! The session and its loop are here. `wire` has the packets on the connection, `target` the answers to gdb, `registers` the
//! numbers of registers in gdb, `monitor` the commands that gdb lacks, and `code` the places of CP2's bundles in their
//! sources.

mod code;
mod monitor;
mod registers;
mod target;
mod wire;

use crate::Board;
use code::Code;
pub use code::{ReadLines, SourceLine};
use cp2_k64::exception::Exception;
use cp2_k64::machine::{BackResult, MachineEnd as RunEnd, Processor};
use cp2_k64::memory::{WatchHit, WatchedAccess, Watchpoint};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use wire::End;

/// Cycles between two looks at whether gdb has sent something.
const SLICE: u64 = 1 << 20;
/// Cycles that an instruction may wait for what is outside before a step gives up, about.
const LONGEST_STEP: u64 = 1 << 22;

/// Reason why a session with gdb ended ([`serve`]); these are all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The program of the control processor ended with this exit code.
    Exit(u8),
    /// gdb has asked to end the program (`kill`).
    Killed,
    /// gdb has left the session (`detach`); the program is where it was and can go on.
    Detached,
}

/// Lets gdb, at the other end of `connection`, debug the program of a control processor until the program ends or gdb
/// leaves. gdb can go back in time if the processor has a history. `read_lines` reads the source lines of the CP2
/// programs that the user names with `monitor source`.
///
/// # Errors
/// The connection fails; the text says how.
pub fn serve(
    processor: &mut Processor,
    connection: TcpStream,
    read_lines: ReadLines<'_>,
) -> Result<SessionEnd, String> {
    let can_go_back = processor.has_history();
    let mut session = Session {
        processor,
        breakpoints: BTreeSet::new(),
        watchpoints: Vec::new(),
        wanted: Wanted::Continue,
        can_go_back,
        code: Code::new(read_lines),
    };
    let reason = End::new(connection).and_then(|end| session.talk(&end));
    session.detach();
    match reason {
        Ok(DisconnectReason::TargetExited(code)) => Ok(SessionEnd::Exit(code)),
        Ok(DisconnectReason::Kill) => Ok(SessionEnd::Killed),
        Ok(DisconnectReason::Disconnect | DisconnectReason::TargetTerminated(_)) => {
            Ok(SessionEnd::Detached)
        }
        Err(e) => Err(match e.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
                "gdb closed the connection without `detach` or `kill`".to_owned()
            }
            _ => format!("the connection: {e}"),
        }),
    }
}

/// Answers another gdb that the program is being debugged already, because one debugger at a time can do so.
///
/// # Errors
/// The answer cannot be sent, or the other gdb sends nothing for a second.
pub fn refuse(mut connection: TcpStream) -> io::Result<()> {
    const WAITS: Duration = Duration::from_secs(1);
    connection.set_read_timeout(Some(WAITS))?;
    connection.set_write_timeout(Some(WAITS))?;
    // The debugger begins with a packet, and reads the answer to that.
    let mut bytes = [0; 256];
    let _ = io::Read::read(&mut connection, &mut bytes)?;
    let text = b"E.another gdb debugs this program; only one gdb can at a time";
    let answer = [b"+", &wire::packet(text)[..]].concat();
    io::Write::write_all(&mut connection, &answer)?;
    connection.shutdown(Shutdown::Write)?;
    // The reply of the debugger is read, for the connection would else end before the debugger has read the answer.
    while io::Read::read(&mut connection, &mut bytes)? > 0 {}
    Ok(())
}

/// Request of gdb that was made last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Continue,
    Step,
    ContinueBack,
    StepBack,
}

struct Session<'a> {
    processor: &'a mut Processor,
    breakpoints: BTreeSet<u64>,
    /// Watchpoints, each as often as gdb has set it.
    watchpoints: Vec<Watchpoint>,
    wanted: Wanted,
    can_go_back: bool,
    code: Code<'a>,
}

impl Session<'_> {
    /// Returns the reason that gdb is told for the end of a run.
    fn reason(end: &RunEnd) -> SingleThreadStopReason<u64> {
        use SingleThreadStopReason as S;
        match end {
            RunEnd::Exit(code) => S::Exited(*code),
            RunEnd::Breakpoint => S::SwBreak(()),
            RunEnd::Watchpoint(hit) => watched(*hit),
            RunEnd::Exception { exception, .. } => S::Signal(match exception {
                Exception::Reserved(_) | Exception::Coprocessor(_) => Signal::SIGILL,
                Exception::Break(_) | Exception::Trap(_) => Signal::SIGTRAP,
                Exception::Overflow | Exception::Float(_) => Signal::SIGFPE,
                Exception::Syscall => Signal::SIGSYS,
                Exception::Unaligned { .. } | Exception::Forbidden { .. } => Signal::SIGBUS,
                _ => Signal::SIGSEGV,
            }),
            RunEnd::Fault(_) => S::Signal(Signal::SIGABRT),
            RunEnd::Limit | RunEnd::Hang => S::Signal(Signal::SIGSTOP),
            RunEnd::Outside => S::Signal(Signal::SIGTRAP),
        }
    }

    /// Answers gdb until the session ends. A packet that means nothing gets an error as answer, and nothing else changes.
    fn talk(&mut self, end: &End) -> io::Result<DisconnectReason> {
        loop {
            let error = match GdbStub::new(end.clone()).run_blocking::<Loop<'_>>(self) {
                Ok(reason) => return Ok(reason),
                Err(error) => error,
            };
            if error.is_connection_error() {
                let error = error.into_connection_error();
                return Err(error.map_or_else(|| ErrorKind::Other.into(), |(error, _)| error));
            }
            end.begin_anew()?;
        }
    }

    fn change_breakpoints(&mut self) {
        self.processor.set_breakpoints(self.breakpoints.clone());
    }

    /// Removes the breakpoints of the session, and lets CP2 go on.
    fn detach(&mut self) {
        self.processor.set_breakpoints(BTreeSet::new());
        self.processor.set_watchpoints(Vec::new());
        if let Some(board) = Board::of_mut(self.processor) {
            board.breakpoints().clear();
            board.breakpoints().continue_run();
        }
    }

    /// Does one instruction, however long it waits for what is outside, and returns what ended the run, if something did.
    fn step(&mut self) -> Option<RunEnd> {
        if let Some(board) = Board::of_mut(self.processor) {
            board.breakpoints().continue_run();
        }
        let (before, cycle) = (self.processor.position(), self.processor.core.cycle());
        loop {
            let end = self.processor.step();
            let is_done = self.processor.position() != before;
            if end.is_some() || is_done || self.processor.core.cycle() > cycle + LONGEST_STEP {
                return end;
            }
        }
    }

    /// Goes back as gdb has asked; breakpoints of CP2 are without effect on the way.
    fn go_back(&mut self) -> SingleThreadStopReason<u64> {
        let turn_off = |session: &mut Self, is_off| {
            if let Some(board) = Board::of_mut(session.processor) {
                board.breakpoints().turn_off(is_off);
            }
        };
        turn_off(self, true);
        let is_step = self.wanted == Wanted::StepBack;
        let back = if is_step { self.processor.step_back() } else { self.processor.run_back() };
        turn_off(self, false);
        match back {
            BackResult::Begin => {
                SingleThreadStopReason::ReplayLog { tid: None, pos: ReplayLogPosition::Begin }
            }
            BackResult::Watchpoint(hit) => watched(hit),
            BackResult::Reached if is_step => SingleThreadStopReason::DoneStep,
            BackResult::Reached => SingleThreadStopReason::SwBreak(()),
        }
    }
}

/// Returns the reason that gdb is told for an access that a watchpoint has.
fn watched(hit: WatchHit) -> SingleThreadStopReason<u64> {
    let kind = match hit.accesses {
        WatchedAccess::Store => WatchKind::Write,
        WatchedAccess::Load => WatchKind::Read,
        WatchedAccess::Any => WatchKind::ReadWrite,
    };
    SingleThreadStopReason::Watch { tid: (), kind, addr: hit.address }
}

/// Loop of a session, with the lifetime of the processor.
struct Loop<'a>(PhantomData<&'a ()>);

impl<'a> BlockingEventLoop for Loop<'a> {
    type Target = Session<'a>;
    type Connection = End;
    type StopReason = SingleThreadStopReason<u64>;

    fn wait_for_stop_reason(
        session: &mut Session<'a>,
        connection: &mut End,
    ) -> Result<
        Event<SingleThreadStopReason<u64>>,
        WaitForStopReasonError<&'static str, std::io::Error>,
    > {
        if matches!(session.wanted, Wanted::StepBack | Wanted::ContinueBack) {
            return Ok(Event::TargetStopped(session.go_back()));
        }
        // The first instruction is done even if it has a breakpoint, where the program stands.
        let stopped = session.step();
        if session.wanted == Wanted::Step || stopped.is_some() {
            let done = SingleThreadStopReason::DoneStep;
            let reason = stopped.map_or(done, |end| Session::reason(&end));
            return Ok(Event::TargetStopped(reason));
        }
        loop {
            let until = session.processor.core.cycle() + SLICE;
            match session.processor.run(until) {
                RunEnd::Limit => {}
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
