//! The line to an editor, which two threads share: one reads requests, the other one answers them. While a search runs, the reader
//! answers at once what comes.

use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Requests that end a search.
const INTERRUPTING: [&str; 3] = ["pause", "disconnect", "terminate"];
/// Requests that end the session.
const ENDING: [&str; 2] = ["disconnect", "terminate"];
/// Requests that interrupt a search, which goes on then with other breakpoints.
const SETTING: [&str; 3] = ["setBreakpoints", "setFunctionBreakpoints", "setDataBreakpoints"];
/// Sentence that refuses what cannot be answered in the middle of a search.
const BUSY: &str = "the run is being searched for its next stop; pause it to look at it";
/// Number of the only thread: the run.
pub(super) const THREAD: u32 = 1;

/// Request of an editor.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) message: Value,
    /// Whether it was counted as one that interrupts a search.
    is_counted: bool,
}

impl Request {
    /// Returns the command of the request.
    pub(super) fn command(&self) -> &str {
        self.message["command"].as_str().unwrap_or_default()
    }

    /// Whether the request sets breakpoints.
    pub(super) fn is_setting(&self) -> bool {
        SETTING.contains(&self.command())
    }
}

/// Stream to the editor, with the number of the last message.
struct LineState {
    to: Box<dyn Write + Send>,
    number: u64,
    /// Whether a search runs.
    is_busy: bool,
}

impl LineState {
    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.number += 1;
        message["seq"] = json!(self.number);
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.to.flush()
    }

    fn respond(&mut self, request: &Value, answer: Result<Value, &str>) -> io::Result<()> {
        let mut message = json!({
            "type": "response",
            "request_seq": request["seq"].as_u64().unwrap_or(0),
            "command": request["command"].as_str().unwrap_or_default(),
            "success": answer.is_ok(),
        });
        match answer {
            Ok(body) => message["body"] = body,
            Err(sentence) => {
                message["message"] = json!(sentence);
                message["body"] =
                    json!({ "error": { "id": 1, "format": sentence, "showUser": true } });
            }
        }
        self.send(message)
    }
}

/// Line to an editor.
pub(super) struct EditorLine {
    state: Mutex<LineState>,
    /// Number of requests that interrupt a search and have not been taken yet.
    interrupts: AtomicUsize,
    /// Whether the editor has asked for the end of the session, or is gone.
    is_ending: AtomicBool,
}

impl EditorLine {
    pub(super) fn new(to: impl Write + Send + 'static) -> Self {
        let state = LineState { to: Box::new(to), number: 0, is_busy: false };
        Self {
            state: Mutex::new(state),
            interrupts: AtomicUsize::new(0),
            is_ending: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message that has been read: answers it if a search runs and it cannot wait, else returns it.
    pub(super) fn receive(&self, message: Value) -> io::Result<Option<Request>> {
        let mut state = self.state();
        let mut request = Request { message, is_counted: false };
        let is_setting = state.is_busy && request.is_setting();
        if is_setting || INTERRUPTING.contains(&request.command()) {
            request.is_counted = true;
            if ENDING.contains(&request.command()) {
                self.end();
            }
            self.interrupt();
            return Ok(Some(request));
        }
        if !state.is_busy || request.message["type"] != "request" {
            return Ok(Some(request));
        }
        let answer = match request.command() {
            "threads" => Ok(threads()),
            _ => Err(BUSY),
        };
        state.respond(&request.message, answer)?;
        Ok(None)
    }

    /// Takes a request again that was read before the search began.
    pub(super) fn screen(&self, request: Request) -> io::Result<Option<Request>> {
        match request.is_counted {
            true => Ok(Some(request)),
            false => self.receive(request.message),
        }
    }

    /// Takes note that the session is to end.
    pub(super) fn end(&self) {
        self.is_ending.store(true, Ordering::SeqCst);
    }

    /// Whether the session is to end.
    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::SeqCst)
    }

    /// Interrupts a search.
    pub(super) fn interrupt(&self) {
        self.interrupts.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether a search has to end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupts.load(Ordering::SeqCst) > 0
    }

    /// Takes note that a request is answered now.
    pub(super) fn take(&self, request: &mut Request) {
        if std::mem::take(&mut request.is_counted) {
            self.interrupts.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Sets whether a search runs.
    pub(super) fn set_busy(&self, is_busy: bool) {
        self.state().is_busy = is_busy;
    }

    /// Sends the answer to a request: its body, or the sentence that refuses it.
    pub(super) fn response(&self, request: &Value, answer: Result<Value, &str>) -> io::Result<()> {
        self.state().respond(request, answer)
    }

    /// Sends an event.
    pub(super) fn event(&self, name: &str, body: &Value) -> io::Result<()> {
        self.state().send(json!({ "type": "event", "event": name, "body": body }))
    }

    /// Sends the event that the run stands; from here on requests are answered in turn.
    pub(super) fn stopped(&self, body: &Value) -> io::Result<()> {
        let mut state = self.state();
        state.is_busy = false;
        state.send(json!({ "type": "event", "event": "stopped", "body": body }))
    }

    /// Sends a text for the debug console.
    pub(super) fn output(&self, category: &str, text: &str) -> io::Result<()> {
        self.event("output", &json!({ "category": category, "output": format!("{text}\n") }))
    }
}

/// Returns the threads of the run: one.
pub(super) fn threads() -> Value {
    json!({ "threads": [{ "id": THREAD, "name": "CP2" }] })
}
