//! The Debug Adapter Protocol: messages of an editor, answered one after the other. While a search runs, `pause` and the requests that end
//! the session end it, new breakpoints take part in it, and everything else is refused at once.

mod breakpoints;
mod line;
mod requests;
mod shown;
mod stops;
mod views;
mod wire;

use crate::console::Console;
use crate::debugger::{DebuggedRun, Debugger};
use cp2_isa::Cycle;
use line::{EditorLine, Request};
use requests::Move;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use views::ArrayViews;
use wire::read;

/// Wishes of an editor for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchWishes {
    /// Recording or program; empty if the editor names none.
    pub program: String,
    /// Words of the command line behind it, such as `--machine`, `vm9`.
    pub arguments: Vec<String>,
}

/// Function that opens what an editor asks to debug; its error is a sentence. While it works it asks the other function whether the editor
/// has ended the session, and then ends itself.
pub type LaunchOpener<'a> =
    dyn FnMut(&LaunchWishes, &dyn Fn() -> bool) -> Result<DebuggedRun, String> + 'a;

/// Numbers of the breakpoints that an editor has set, of each source file, of functions and of data.
#[derive(Default)]
struct SetNumbers {
    of_source: BTreeMap<String, Vec<u32>>,
    of_functions: Vec<u32>,
    of_data: Vec<u32>,
}

/// Knowledge of an editor about the end of the run. Editors close their session at the event `exited`, so it comes when somebody goes on from the
/// end, or ends the session.
#[derive(Default)]
struct ToldEnd {
    /// Cycle at which the run stood when the editor was told of its end.
    at: Option<Cycle>,
    /// Whether the editor has been told that the session is over.
    is_over: bool,
}

/// Session with an editor.
struct Session<'a, 'o> {
    open: &'a mut LaunchOpener<'o>,
    line: Arc<EditorLine>,
    requests: Receiver<io::Result<Request>>,
    /// Requests that came in the middle of a search and are answered behind it.
    waiting: VecDeque<io::Result<Request>>,
    debugger: Option<Debugger>,
    console: Console,
    set: SetNumbers,
    views: ArrayViews,
    /// Whether lines of the editor begin with 1.
    lines_from_one: bool,
    stops_on_entry: bool,
    end: ToldEnd,
    /// Move that follows the answer to the request at hand.
    next_move: Option<Move>,
}

/// Speaks the protocol until the editor ends the session or is gone.
///
/// # Errors
/// A message cannot be read as one of the protocol, which the editor is told as well, or the streams fail.
pub fn serve(
    from: impl BufRead + Send + 'static,
    to: impl Write + Send + 'static,
    open: &mut LaunchOpener<'_>,
) -> io::Result<()> {
    let line = Arc::new(EditorLine::new(to));
    let mut session = Session {
        open,
        requests: listen(from, Arc::clone(&line)),
        line,
        waiting: VecDeque::new(),
        debugger: None,
        console: Console::default(),
        set: SetNumbers::default(),
        views: ArrayViews::default(),
        lines_from_one: true,
        stops_on_entry: true,
        end: ToldEnd::default(),
        next_move: None,
    };
    while let Some(request) = session.next_request() {
        match request {
            Ok(request) => {
                if session.message(request)?.is_break() {
                    break;
                }
            }
            Err(error) => {
                session.line.output("stderr", &format!("the session ends: {error}"))?;
                session.line.event("terminated", &json!({}))?;
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Reads messages in a thread of its own, which ends with the stream or at an error.
fn listen(
    mut from: impl BufRead + Send + 'static,
    line: Arc<EditorLine>,
) -> Receiver<io::Result<Request>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        loop {
            let request = match read(&mut from) {
                Ok(Some(Ok(message))) => line.receive(message),
                // What was meant is not known, so there is no request to answer.
                Ok(Some(Err(sentence))) => line.output("stderr", &sentence).map(|()| None),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            let Some(request) = request.transpose() else { continue };
            let is_last = request.is_err();
            if is_last {
                line.end();
                line.interrupt();
            }
            if sender.send(request).is_err() || is_last {
                return;
            }
        }
        // Nobody is left to whom a search could tell anything.
        line.end();
        line.interrupt();
    });
    receiver
}

impl Session<'_, '_> {
    /// Returns the next request; `None` once the editor is gone.
    fn next_request(&mut self) -> Option<io::Result<Request>> {
        self.waiting.pop_front().or_else(|| self.requests.recv().ok())
    }

    /// Answers a message; `Break` ends the session.
    fn message(&mut self, mut request: Request) -> io::Result<ControlFlow<()>> {
        if request.message["type"] != "request" {
            return Ok(ControlFlow::Continue(()));
        }
        self.line.take(&mut request);
        if request.message["seq"].as_u64().is_none()
            || request.message["command"].as_str().is_none()
        {
            let sentence = "a request has to have `seq`, a whole number, and `command`, a text";
            self.line.response(&request.message, Err(sentence))?;
            return Ok(ControlFlow::Continue(()));
        }
        let command = request.command().to_owned();
        let answer = self.request(&command, &request.message["arguments"]);
        // A run that a command of the console has moved stands already.
        if self.next_move.is_some_and(|next| next != Move::Stay) && answer.is_ok() {
            self.line.set_busy(true);
        }
        match answer {
            Ok(body) => self.line.response(&request.message, Ok(body))?,
            Err(sentence) => {
                self.next_move = None;
                self.line.response(&request.message, Err(&sentence))?;
                return Ok(ControlFlow::Continue(()));
            }
        }
        self.after(&command)
    }

    /// Does what follows the answer to a request.
    fn after(&mut self, command: &str) -> io::Result<ControlFlow<()>> {
        match command {
            "launch" => self.line.event("initialized", &json!({}))?,
            "configurationDone" => self.configured()?,
            "disconnect" | "terminate" => {
                self.over()?;
                return Ok(ControlFlow::Break(()));
            }
            _ => {}
        }
        match self.next_move.take() {
            Some(Move::Stay) => self.moved()?,
            Some(next) => self.moves(next)?,
            None => {}
        }
        Ok(ControlFlow::Continue(()))
    }
}
