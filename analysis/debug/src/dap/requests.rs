//! Requests of an editor: what each answers, and how the run moves after the answer.

use super::{LaunchWishes, Session, THREAD};
use crate::console::ConsoleAnswer;
use crate::debugger::{Debugger, RunStop, StepUnit, TimeDirection};
use crate::error::DebugError;
use cp2_analysis::location::Location;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Answer to a request, or the sentence that refuses it.
pub(super) type Answered = Result<Value, String>;

/// Move of a run that follows the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// To the next breakpoint.
    GoOn(TimeDirection),
    /// A step.
    Step(StepUnit, TimeDirection),
    /// Nowhere: a command of the console has moved the run already.
    Stay,
}

impl Move {
    /// Moves a run.
    pub(super) fn apply(self, debugger: &mut Debugger) -> Result<RunStop, DebugError> {
        match self {
            Self::GoOn(direction) => debugger.run_to_stop(direction),
            Self::Step(unit, direction) => debugger.step(unit, direction),
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
        _ => return None,
    })
}

/// Returns a value of a launch, which has to be of its type; `None` where there is none.
fn launch_value<T: DeserializeOwned>(
    arguments: &Value,
    name: &str,
    wanted: &str,
) -> Result<Option<T>, String> {
    let value = arguments[name].clone();
    serde_json::from_value(value).map_err(|_| format!("`{name}` of the launch has to be {wanted}"))
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
            "configurationDone" => self.debugger().map(|_| json!({})),
            // A run stands whenever a request is taken: a search that `pause` ends tells so itself.
            "pause" => self.debugger().map(|_| json!({})),
            "setExceptionBreakpoints" | "disconnect" | "terminate" => Ok(json!({})),
            "threads" => Ok(json!({ "threads": [{ "id": THREAD, "name": "CP2" }] })),
            "stackTrace" => self.frames(arguments),
            "scopes" => Ok(self.scopes()),
            "variables" => self.variables(arguments),
            "source" => self.source(arguments),
            "evaluate" => self.evaluate(arguments),
            _ => match asked_move(command, arguments) {
                Some(asked) => self.prepare(asked),
                None => Err(format!("`{command}` is no request that this debugger knows")),
            },
        }
    }

    /// Answers a request whose move follows.
    fn prepare(&mut self, asked: Move) -> Answered {
        let debugger = self.debugger()?;
        if let Move::Step(StepUnit::Iteration, _) = asked {
            debugger.active_loop().map_err(|e| e.to_string())?;
        }
        self.next_move = Some(asked);
        let is_search = matches!(asked, Move::GoOn(_));
        Ok(if is_search { json!({ "allThreadsContinued": true }) } else { json!({}) })
    }

    /// Returns the debugger.
    pub(super) fn debugger(&mut self) -> Result<&mut Debugger, String> {
        self.debugger.as_mut().ok_or_else(|| "nothing has been launched yet".to_owned())
    }

    fn launch(&mut self, arguments: &Value) -> Answered {
        let wishes = LaunchWishes {
            program: launch_value(arguments, "program", "a text")?.unwrap_or_default(),
            arguments: launch_value(arguments, "args", "a list of texts")?.unwrap_or_default(),
        };
        let stops = launch_value(arguments, "stopOnEntry", "true or false")?;
        self.stops_on_entry = stops.unwrap_or(true);
        if launch_value(arguments, "noDebug", "true or false")? == Some(true) {
            return Err("a run without the debugger is one of `cp2 run`".to_owned());
        }
        let mut debugger = Debugger::new((self.open)(&wishes)?).map_err(|e| e.to_string())?;
        let interrupts = Arc::clone(&self.interrupts);
        debugger.run_mut().recording.on_progress(move |_| {
            match interrupts.load(Ordering::SeqCst) {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
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
