//! A debugger for programs of the control processor: gdb's remote protocol, by the crate `gdbstub`. The caller opens the
//! connection, and takes none from other machines.
//!
//! The session and its loop are here. `guest` is what is debugged: `bare` a program on the bare machine, `process` a Linux
//! program. `wire` has the packets on the connection, `target` the answers to gdb, `registers` the
//! numbers of registers in gdb, `files` the files that gdb reads, `monitor` the commands that gdb lacks, and `code` the
//! places of CP2's bundles in their sources.

mod bare;
mod code;
mod files;
mod guest;
mod monitor;
mod process;
mod registers;
mod target;
mod wire;

use bare::BareGuest;
use code::Code;
pub use code::{ReadLines, SourceLine};
use cp2_k64::machine::Processor;
use cp2_k64::memory::Watchpoint;
use cp2_k64::user::Process;
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub};
use guest::{DebugGuest, StopReason};
use process::ProcessGuest;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use wire::End;

/// Reason why a session with gdb ended ([`serve`], [`serve_process`]); these are all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The program of the control processor ended with this exit code.
    Exit(u8),
    /// The signal of Linux with this number ended the program.
    Signal(u8),
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
    processor.ask_each_time(true);
    let end = debug(&mut BareGuest { processor, code: Code::new(read_lines) }, connection);
    processor.ask_each_time(false);
    end
}

/// Lets gdb, at the other end of `connection`, debug a Linux process until it ends or gdb leaves. gdb cannot go back in
/// time.
///
/// # Errors
/// The connection fails; the text says how.
pub fn serve_process(process: &mut Process, connection: TcpStream) -> Result<SessionEnd, String> {
    process.begin_debugging();
    debug(&mut ProcessGuest { process }, connection)
}

fn debug(guest: &mut dyn DebugGuest, connection: TcpStream) -> Result<SessionEnd, String> {
    let mut session = Session {
        guest,
        breakpoints: BTreeSet::new(),
        watchpoints: Vec::new(),
        wanted: Wanted::Continue,
        opened: None,
    };
    let reason = End::new(connection).and_then(|end| session.talk(&end));
    session.guest.end_debugging();
    match reason {
        Ok(DisconnectReason::TargetExited(code)) => Ok(SessionEnd::Exit(code)),
        Ok(DisconnectReason::Kill) => Ok(SessionEnd::Killed),
        Ok(DisconnectReason::TargetTerminated(signal)) => {
            Ok(SessionEnd::Signal(process::of_gdb(signal).unwrap_or_default()))
        }
        Ok(DisconnectReason::Disconnect) => Ok(SessionEnd::Detached),
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
    guest: &'a mut dyn DebugGuest,
    breakpoints: BTreeSet<u64>,
    /// Watchpoints, each as often as gdb has set it.
    watchpoints: Vec<Watchpoint>,
    wanted: Wanted,
    /// Content of the file that gdb has open.
    opened: Option<Vec<u8>>,
}

impl Session<'_> {
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
        self.guest.set_breakpoints(self.breakpoints.clone());
    }

    fn change_watchpoints(&mut self) {
        self.guest.set_watchpoints(self.watchpoints.clone());
    }
}

/// Loop of a session, with the lifetime of what is debugged.
struct Loop<'a>(PhantomData<&'a ()>);

impl<'a> BlockingEventLoop for Loop<'a> {
    type Target = Session<'a>;
    type Connection = End;
    type StopReason = StopReason;

    fn wait_for_stop_reason(
        session: &mut Session<'a>,
        connection: &mut End,
    ) -> Result<Event<StopReason>, WaitForStopReasonError<&'static str, std::io::Error>> {
        if matches!(session.wanted, Wanted::StepBack | Wanted::ContinueBack) {
            let is_step = session.wanted == Wanted::StepBack;
            return Ok(Event::TargetStopped(session.guest.go_back(is_step)));
        }
        // The first instruction is done even if it has a breakpoint, where the program stands.
        let stopped = session.guest.step();
        if session.wanted == Wanted::Step || stopped.is_some() {
            return Ok(Event::TargetStopped(stopped.unwrap_or(StopReason::DoneStep)));
        }
        loop {
            if let Some(reason) = session.guest.run() {
                return Ok(Event::TargetStopped(reason));
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

    fn on_interrupt(_: &mut Session<'a>) -> Result<Option<StopReason>, &'static str> {
        Ok(Some(StopReason::Signal(Signal::SIGINT)))
    }
}
