//! Requests of an editor: what each answers, and how the run moves after the answer.

use super::{LaunchWishes, Session, THREAD};
use crate::console::ConsoleAnswer;
use crate::debugger::{Debugger, RunStop, StepUnit, TimeDirection};
use crate::error::DebugError;
use cp2_analysis::location::Location;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// ConsoleAnswer to a request, or the sentence that refuses it.
pub(super) type Answered = Result<Value, String>;

/// Move of a run that follows the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// To the next breakpoint.
    GoOn(TimeDirection),
    /// A step.
    Step(StepUnit, TimeDirection),
    /// To the begin of the run.
    Restart,
    /// Nowhere: the run has moved already, or was asked to stop.
    Stay,
}

impl Move {
    /// Moves a run.
    pub(super) fn apply(self, debugger: &mut Debugger) -> Result<RunStop, DebugError> {
        match self {
            Self::GoOn(direction) => debugger.run_to_stop(direction),
            Self::Step(unit, direction) => debugger.step(unit, direction),
            Self::Restart => {
                let [begin, _] = debugger.ends();
                debugger.go_to(begin)
            }
            Self::Stay => {
                let here = debugger.cycle();
                debugger.go_to(here)
            }
        }
    }
}

/// Returns the move that a request asks for; `None` for a request that moves nothing.
fn asked_move(command: &str, arguments: &Value) -> Option<Move> {
    use TimeDirection::{Back, Forward};
    let unit = match arguments["granularity"] == "instruction" {
        true => StepUnit::Bundle,
        false => StepUnit::Operation,
    };
    Some(match command {
        "continue" => Move::GoOn(Forward),
        "reverseContinue" => Move::GoOn(Back),
        "next" => Move::Step(unit, Forward),
        "stepIn" => Move::Step(StepUnit::Bundle, Forward),
        "stepOut" => Move::Step(StepUnit::Iteration, Forward),
        "stepBack" => Move::Step(unit, Back),
        "restart" => Move::Restart,
        "pause" => Move::Stay,
        _ => return None,
    })
}

/// Returns the capabilities of the adapter beyond those that every adapter has.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsDataBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
    })
}

impl Session<'_> {
    /// Answers a request.
    pub(super) fn request(&mut self, command: &str, arguments: &Value) -> Answered {
        match command {
            "initialize" => {
                self.lines_from_one = arguments["linesStartAt1"] != false;
                Ok(capabilities())
            }
            "launch" => self.launch(arguments),
            "attach" => Err("a run is launched; there is none to attach to".to_owned()),
            "setBreakpoints" => self.set_lines(arguments),
            "setFunctionBreakpoints" => self.set_functions(arguments),
            "setDataBreakpoints" => self.set_data(arguments),
            "dataBreakpointInfo" => self.data_information(arguments),
            "setExceptionBreakpoints" | "configurationDone" | "disconnect" | "terminate" => {
                Ok(json!({}))
            }
            "threads" => Ok(json!({ "threads": [{ "id": THREAD, "name": "CP2" }] })),
            "stackTrace" => self.frames(arguments),
            "scopes" => Ok(self.scopes()),
            "variables" => self.variables(arguments),
            "source" => self.source(arguments),
            "evaluate" => self.evaluate(arguments),
            "stepOut" if self.debugger()?.state().loops.is_empty() => {
                Err("no hardware loop is active here; step by bundles".to_owned())
            }
            "continue" | "reverseContinue" | "next" | "stepIn" | "stepOut" | "stepBack"
            | "pause" | "restart" => {
                self.debugger()?;
                self.next_move = asked_move(command, arguments);
                let is_search = command == "continue" || command == "reverseContinue";
                Ok(if is_search { json!({ "allThreadsContinued": true }) } else { json!({}) })
            }
            _ => Err(format!("`{command}` is no request that this debugger knows")),
        }
    }

    /// Returns the debugger.
    pub(super) fn debugger(&mut self) -> Result<&mut Debugger, String> {
        self.debugger.as_mut().ok_or_else(|| "nothing has been launched yet".to_owned())
    }

    fn launch(&mut self, arguments: &Value) -> Answered {
        let words = arguments["args"].as_array().into_iter().flatten();
        let wishes = LaunchWishes {
            program: arguments["program"].as_str().unwrap_or_default().to_owned(),
            arguments: words.filter_map(Value::as_str).map(str::to_owned).collect(),
        };
        self.stops_on_entry = arguments["stopOnEntry"] != false;
        let mut debugger = Debugger::new((self.open)(&wishes)?).map_err(|e| e.to_string())?;
        let interrupt = Arc::clone(&self.interrupt);
        debugger.run_mut().recording.on_progress(move |_| {
            match interrupt.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        self.debugger = Some(debugger);
        Ok(json!({}))
    }

    fn evaluate(&mut self, arguments: &Value) -> Answered {
        let text = arguments["expression"].as_str().unwrap_or_default().trim().to_owned();
        self.debugger()?;
        let Self { debugger: Some(debugger), console, .. } = self else {
            return Err("nothing has been launched yet".to_owned());
        };
        if let Ok(location) = text.parse::<Location>() {
            let value = debugger.value(location).map_err(|e| e.to_string())?;
            return Ok(json!({ "result": value, "variablesReference": 0 }));
        }
        if arguments["context"] != "repl" {
            return Err(format!("`{text}` is neither a register nor a word, such as f12.s2"));
        }
        match console.command(debugger, &text).map_err(|e| e.to_string())? {
            ConsoleAnswer::Text(text) => Ok(json!({ "result": text, "variablesReference": 0 })),
            ConsoleAnswer::Moved(text) => {
                self.next_move = Some(Move::Stay);
                Ok(json!({ "result": text, "variablesReference": 0 }))
            }
            ConsoleAnswer::Quit => Err("the editor ends the session".to_owned()),
        }
    }
}
