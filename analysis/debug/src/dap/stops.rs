//! Moves of a run and their ends, which an editor is told; what comes in the middle of a search.

use super::Session;
use super::line::THREAD;
use super::requests::Move;
use crate::debugger::{Debugger, RunStop, StopReason, TimeDirection};
use cp2_isa::Cycle;
use serde_json::json;
use std::io;

impl Session<'_, '_> {
    /// Begins the run, as the launch has asked for.
    pub(super) fn configured(&mut self) -> io::Result<()> {
        if self.stops_on_entry {
            return self.stopped("entry", "the run begins here", &[]);
        }
        self.moves(Move::GoOn(TimeDirection::Forward))
    }

    /// Moves as a request asks whose answer has gone out, and tells where the run stands then.
    pub(super) fn moves(&mut self, next: Move) -> io::Result<()> {
        self.line.set_busy(true);
        self.screen()?;
        loop {
            let Some(debugger) = &mut self.debugger else { return Ok(()) };
            let here = debugger.cycle();
            match next.apply(debugger) {
                Ok(RunStop { reason: StopReason::End, .. })
                    if self.end.at == Some(here) && matches!(next, Move::GoOn(_)) =>
                {
                    self.line.set_busy(false);
                    return self.over();
                }
                Ok(stop) => return self.stopped_at(&stop),
                Err(_) if self.line.is_interrupted() => {
                    if self.interrupted()? {
                        return Ok(());
                    }
                }
                Err(error) => {
                    self.line.output("stderr", &error.to_string())?;
                    return self.stopped("pause", &error.to_string(), &[]);
                }
            }
        }
    }

    /// Tells where a command of the console has moved the run. It stands, so that no request is refused meanwhile.
    pub(super) fn moved(&mut self) -> io::Result<()> {
        let Some(debugger) = &mut self.debugger else { return Ok(()) };
        match Move::Stay.apply(debugger) {
            Ok(stop) => self.stopped_at(&stop),
            // A request that would interrupt a search has come.
            Err(_) => self.stopped("step", "a command of the console has moved the run", &[]),
        }
    }

    /// Answers what was read before the search began and waits.
    pub(super) fn screen(&mut self) -> io::Result<()> {
        let read: Vec<_> = self.waiting.drain(..).chain(self.requests.try_iter()).collect();
        for request in read {
            match request {
                Ok(request) => {
                    let left = self.line.screen(request)?;
                    self.waiting.extend(left.map(Ok));
                }
                Err(error) => self.waiting.push_back(Err(error)),
            }
        }
        Ok(())
    }

    /// Deals with the requests that have interrupted a search; returns whether it is over, and goes on else.
    pub(super) fn interrupted(&mut self) -> io::Result<bool> {
        while self.line.is_interrupted() {
            // It has been counted before it could be taken from here, or the editor is gone.
            match self.next_request() {
                None => return Ok(true),
                Some(Err(error)) => {
                    self.waiting.push_front(Err(error));
                    return Ok(true);
                }
                Some(Ok(mut request)) if request.command() == "pause" => {
                    self.line.take(&mut request);
                    self.line.response(&request.message, Ok(json!({})))?;
                    self.stopped(
                        "pause",
                        "the search was ended; the run stands where it did",
                        &[],
                    )?;
                    return Ok(true);
                }
                Some(Ok(request)) if request.is_setting() => {
                    let _ = self.message(request)?;
                }
                Some(Ok(request)) => {
                    self.line.set_busy(false);
                    self.waiting.push_front(Ok(request));
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn stopped_at(&mut self, stop: &RunStop) -> io::Result<()> {
        let place = stop.place.text();
        match &stop.reason {
            StopReason::Step => self.stopped("step", &place, &[]),
            StopReason::Breakpoints(_) => self.stopped("breakpoint", &place, &stop.hit),
            StopReason::Written(number, write) => {
                let value = match self.debugger() {
                    Ok(debugger) => debugger.written_text(*number, write.value),
                    Err(_) => format!("{:#x}", write.value),
                };
                let told = format!("{value} written in cycle {}", write.cycle);
                self.stopped("data breakpoint", &told, &stop.hit)
            }
            StopReason::Begin => self.stopped("entry", "the run begins here", &[]),
            StopReason::End => {
                self.tell_end(stop.place.cycle)?;
                self.stopped("end", "the run ends here", &[])
            }
            StopReason::Fault(told) => {
                self.tell_end(stop.place.cycle)?;
                self.stopped("exception", told, &[])
            }
            StopReason::Cut(told) => {
                self.tell_end(stop.place.cycle)?;
                self.stopped("end", told, &[])
            }
        }
    }

    /// Returns the exit code of the run, and a sentence about its end.
    fn outcome(&mut self) -> (i64, String) {
        let outcome = self.debugger.as_mut().map(Debugger::outcome);
        match outcome {
            Some(Ok(outcome)) => outcome,
            Some(Err(error)) => (1, error.to_string()),
            None => (0, String::new()),
        }
    }

    /// Tells once how the run ended. The session goes on, for the run can be gone back in.
    fn tell_end(&mut self, at: Cycle) -> io::Result<()> {
        if self.end.at.replace(at).is_some() {
            return Ok(());
        }
        let (code, told) = self.outcome();
        self.line.output(if code == 0 { "console" } else { "stderr" }, &told)
    }

    /// Tells once that the session is over, with the exit code of a run that has been gone to its end.
    pub(super) fn over(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.end.is_over, true) {
            return Ok(());
        }
        if self.end.at.is_some() {
            let (code, _) = self.outcome();
            self.line.event("exited", &json!({ "exitCode": code }))?;
        }
        self.line.event("terminated", &json!({}))
    }

    fn stopped(&mut self, reason: &str, told: &str, numbers: &[u32]) -> io::Result<()> {
        let mut body = json!({
            "reason": reason,
            "description": told,
            "text": told,
            "threadId": THREAD,
            "allThreadsStopped": true,
        });
        if !numbers.is_empty() {
            body["hitBreakpointIds"] = json!(numbers);
        }
        self.line.stopped(&body)
    }
}
