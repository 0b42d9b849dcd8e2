//! Requests of an editor: what each answers, and how the run moves after the answer.

use super::line::threads;
use super::{LaunchWishes, Session};
use crate::console::{Console, ConsoleAnswer};
use crate::debugger::{Debugger, FAULT_WORD, RunStop, StepUnit, TimeDirection};
use crate::error::DebugError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;

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
        "supportsExceptionInfoRequest": true,
    })
}

impl Session<'_, '_> {
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
            "threads" => Ok(threads()),
            "stackTrace" => self.frames(arguments),
            "scopes" => Ok(self.scopes()),
            "exceptionInfo" => self.exception(),
            "setVariable" | "setExpression" => {
                Err("a recorded run cannot be changed; run the program with other data".to_owned())
            }
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
        self.line.set_busy(true);
        let line = Arc::clone(&self.line);
        let opened = (self.open)(&wishes, &move || line.is_ending());
        self.line.set_busy(false);
        let mut debugger = Debugger::new(opened?).map_err(|e| e.to_string())?;
        let line = Arc::clone(&self.line);
        debugger.run_mut().recording.on_progress(move |_| match line.is_interrupted() {
            false => ControlFlow::Continue(()),
            true => ControlFlow::Break(()),
        });
        self.debugger = Some(debugger);
        Ok(json!({}))
    }

    /// Answers what the run stands at: a fault.
    fn exception(&mut self) -> Answered {
        let debugger = self.debugger()?;
        let place = debugger.place().map_err(|e| e.to_string())?;
        if place.cause != FAULT_WORD {
            return Err("the run stands at no fault".to_owned());
        }
        let (_, told) = debugger.outcome().map_err(|e| e.to_string())?;
        Ok(json!({ "exceptionId": "fault", "description": told, "breakMode": "always" }))
    }

    fn evaluate(&mut self, arguments: &Value) -> Answered {
        let text = arguments["expression"].as_str().unwrap_or_default().trim().to_owned();
        self.debugger()?;
        let answer = |text: String| json!({ "result": text, "variablesReference": 0 });
        let is_command = arguments["context"] == "repl" && Console::is_command(&text);
        if !is_command {
            if let Some(array) = self.whole_array(&text)? {
                return Ok(array);
            }
            let values = self.debugger()?.evaluated(&text).map_err(|e| e.to_string())?;
            return Ok(match &values[..] {
                [value] => answer(value.text.clone()),
                _ => {
                    let all: Vec<&str> = values.iter().map(|value| &*value.text).collect();
                    answer(all.join(", "))
                }
            });
        }
        match self.command(&text)? {
            ConsoleAnswer::Text(text) => Ok(answer(text)),
            ConsoleAnswer::Moved(text) => {
                self.next_move = Some(Move::Stay);
                Ok(answer(text))
            }
            ConsoleAnswer::Quit => Err("the editor ends the session".to_owned()),
        }
    }

    /// Does a command of the console, which may search.
    fn command(&mut self, text: &str) -> Result<ConsoleAnswer, String> {
        self.line.set_busy(true);
        self.screen().map_err(|e| e.to_string())?;
        loop {
            let Self { debugger: Some(debugger), console, .. } = self else {
                return Err("nothing has been launched yet".to_owned());
            };
            let answer = console.command(debugger, text);
            if answer.is_err() && self.line.is_interrupted() {
                if self.interrupted().map_err(|e| e.to_string())? {
                    return Err("the search was ended; the run stands where it did".to_owned());
                }
                continue;
            }
            self.line.set_busy(false);
            return answer.map_err(|e| e.to_string());
        }
    }
}
