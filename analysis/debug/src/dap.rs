//! The Debug Adapter Protocol: messages of an editor, answered one after the other. What is asked for while a search runs waits, but
//! `pause` and the requests that end the session end the search.

mod breakpoints;
mod requests;
mod shown;
mod wire;

use crate::console::Console;
use crate::debugger::{DebuggedRun, Debugger, RunStop, StopReason, TimeDirection};
use requests::Move;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use wire::{Output, read};

/// Wishes of an editor for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchWishes {
    /// Recording or program; empty if the editor names none.
    pub program: String,
    /// Words of the command line behind it, such as `--machine`, `vm9`.
    pub arguments: Vec<String>,
}

/// Function that opens what an editor asks to debug; its error is a sentence.
type Open<'a> = &'a mut dyn FnMut(&LaunchWishes) -> Result<DebuggedRun, String>;

/// Session with an editor.
struct Session<'a> {
    open: Open<'a>,
    output: Output<'a>,
    debugger: Option<Debugger>,
    console: Console,
    /// Number of requests that end a search and have been read but not answered yet.
    interrupts: Arc<AtomicUsize>,
    /// Numbers of the breakpoints of each source file, of functions (empty name) and of data.
    of_source: BTreeMap<String, Vec<u32>>,
    of_functions: Vec<u32>,
    of_data: Vec<u32>,
    /// Whether lines of the editor begin with 1.
    lines_from_one: bool,
    stops_on_entry: bool,
    /// Move that follows the answer to the request at hand.
    next_move: Option<Move>,
}

/// Number of the only thread: the run.
const THREAD: u32 = 1;

/// Requests that end a search.
const INTERRUPTING: [&str; 3] = ["pause", "disconnect", "terminate"];

/// Speaks the protocol until the editor ends the session or is gone.
///
/// # Errors
/// A message cannot be read as one of the protocol, or the streams fail.
pub fn serve(
    from: impl BufRead + Send + 'static,
    to: &mut dyn Write,
    open: &mut dyn FnMut(&LaunchWishes) -> Result<DebuggedRun, String>,
) -> io::Result<()> {
    let interrupts = Arc::new(AtomicUsize::new(0));
    let messages = listen(from, Arc::clone(&interrupts));
    let mut session = Session {
        open,
        output: Output::new(to),
        debugger: None,
        console: Console::default(),
        interrupts,
        of_source: BTreeMap::new(),
        of_functions: Vec::new(),
        of_data: Vec::new(),
        lines_from_one: true,
        stops_on_entry: true,
        next_move: None,
    };
    for message in messages {
        if session.message(&message?)?.is_break() {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads messages in a thread of its own, which ends with the stream or at an error.
fn listen(
    mut from: impl BufRead + Send + 'static,
    interrupts: Arc<AtomicUsize>,
) -> Receiver<io::Result<Value>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        loop {
            let message = match read(&mut from) {
                Ok(Some(message)) => Ok(message),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            let command = message.as_ref().ok().and_then(|message| message["command"].as_str());
            if command.is_some_and(|command| INTERRUPTING.contains(&command)) {
                interrupts.fetch_add(1, Ordering::SeqCst);
            }
            let is_last = message.is_err();
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
        // Nobody is left to whom a search could tell anything.
        interrupts.fetch_add(1, Ordering::SeqCst);
    });
    receiver
}

impl Session<'_> {
    /// Answers a message; `Break` ends the session.
    fn message(&mut self, message: &Value) -> io::Result<ControlFlow<()>> {
        if message["type"] != "request" {
            return Ok(ControlFlow::Continue(()));
        }
        let command = message["command"].as_str().unwrap_or_default();
        if INTERRUPTING.contains(&command) {
            self.interrupts.fetch_sub(1, Ordering::SeqCst);
        }
        match self.request(command, &message["arguments"]) {
            Ok(body) => self.output.response(message, Ok(body))?,
            Err(sentence) => {
                self.output.response(message, Err(&sentence))?;
                return Ok(ControlFlow::Continue(()));
            }
        }
        self.after(command)
    }

    /// Does what follows the answer to a request.
    fn after(&mut self, command: &str) -> io::Result<ControlFlow<()>> {
        match command {
            "launch" => self.output.event("initialized", &json!({}))?,
            "configurationDone" => self.configured()?,
            "disconnect" | "terminate" => {
                self.output.event("terminated", &json!({}))?;
                return Ok(ControlFlow::Break(()));
            }
            _ => {}
        }
        if let Some(next) = self.next_move.take() {
            self.moves(next)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn configured(&mut self) -> io::Result<()> {
        if self.stops_on_entry {
            return self.stopped("entry", "the run begins here", &[]);
        }
        self.moves(Move::GoOn(TimeDirection::Forward))
    }

    /// Moves as a request asks whose answer has gone out, and tells where the run stands then.
    fn moves(&mut self, next: Move) -> io::Result<()> {
        let Some(debugger) = &mut self.debugger else { return Ok(()) };
        match next.apply(debugger) {
            Ok(stop) => self.stopped_at(&stop),
            Err(_) if self.interrupts.load(Ordering::SeqCst) > 0 => {
                self.stopped("pause", "the search was ended; the run stands where it did", &[])
            }
            Err(error) => {
                let text = format!("{error}\n");
                self.output.event("output", &json!({ "category": "stderr", "output": text }))?;
                self.stopped("pause", &error.to_string(), &[])
            }
        }
    }

    fn stopped_at(&mut self, stop: &RunStop) -> io::Result<()> {
        match &stop.reason {
            StopReason::Step => self.stopped("step", &stop.place.text(), &[]),
            StopReason::Breakpoints(numbers) => {
                self.stopped("breakpoint", &stop.place.text(), numbers)
            }
            StopReason::Written(number, write) => {
                let value = match self.debugger() {
                    Ok(debugger) => debugger.written_text(*number, write.value),
                    Err(_) => format!("{:#x}", write.value),
                };
                let told = format!("{value} written in cycle {}", write.cycle);
                self.stopped("data breakpoint", &told, &[*number])
            }
            StopReason::Begin => self.stopped("entry", "the run begins here", &[]),
            StopReason::End => self.stopped("end", "the run ends here", &[]),
        }
    }

    fn stopped(&mut self, reason: &str, told: &str, numbers: &[u32]) -> io::Result<()> {
        let mut body = json!({
            "reason": reason,
            "description": told,
            "threadId": THREAD,
            "allThreadsStopped": true,
        });
        if !numbers.is_empty() {
            body["hitBreakpointIds"] = json!(numbers);
        }
        self.output.event("stopped", &body)
    }
}
