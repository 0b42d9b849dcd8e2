//! `cp2 run --check`: what a checked run is told, and what it found.

use crate::exit::{Exit, Outcome, complain};
use cp2_asm::image::Image;
use cp2_emu::{End, Run};
use cp2_isa::{Core, Storage};
use cp2_session::arrays::Ready;
use cp2_session::promises::Broken;
use cp2_session::sanitizer::{BROKEN_PROMISE, Finding, Sanitizer};
use serde_json::{Value, json};

/// A check of a run that is about to begin: of a program, with the arrays and arguments that were given, and a state
/// that was read.
pub(super) fn begin<'a>(
    (image, core): (&'a Image, &Core),
    ready: &Ready,
    init: Option<&Value>,
) -> Sanitizer<'a> {
    let mut sanitizer = Sanitizer::new(image, core);
    sanitizer.take(ready);
    for key in init.and_then(Value::as_object).into_iter().flat_map(|object| object.keys()) {
        // What stands in a state is all of its kind: a dump leaves words of zeros out.
        if let Some(storage) = Storage::from_key(key) {
            sanitizer.give_all(storage);
        } else if let Some(register) = Storage::from_name(key) {
            sanitizer.give(register, None, None);
        }
    }
    sanitizer
}

/// What a check found.
pub(super) struct Found {
    broken: Option<Broken>,
    findings: Vec<Finding>,
    allowed: u64,
}

impl Found {
    /// Ends the check of a run that has ended so.
    pub(super) fn new(sanitizer: &mut Sanitizer<'_>, end: &End) -> Self {
        sanitizer.end(end);
        Self {
            broken: sanitizer.broken().cloned(),
            findings: sanitizer.findings(),
            allowed: sanitizer.allowed(),
        }
    }

    /// Whether nothing was found.
    pub(super) fn is_clean(&self) -> bool {
        self.broken.is_none() && self.findings.is_empty()
    }

    /// Says what was found; whether a promise was broken.
    pub(super) fn tell(&self) -> Outcome<bool> {
        for finding in &self.findings {
            complain(format!("cp2: error: {finding}"));
        }
        if let Some(broken) = &self.broken {
            complain(format!("cp2: error: {broken} [{BROKEN_PROMISE}]"));
        }
        if !self.findings.is_empty() {
            let n = self.findings.len();
            let places = if n == 1 { "place" } else { "places" };
            let allowed = match self.allowed {
                0 => String::new(),
                n => format!("; {n} times something that the source allows"),
            };
            complain(format!("cp2: the check found {n} {places}{allowed}"));
        }
        Ok(self.broken.is_some())
    }

    /// Reports a run that was broken off because of a promise.
    pub(super) fn broken(&self, json: bool, run: &Run) -> Outcome {
        if let Some(broken) = self.broken.as_ref().filter(|_| json) {
            crate::commands::print_json(&json!({
                "schema": "cp2-run-1",
                "end": {
                    "kind": "broken_promise",
                    "place": broken.place,
                    "region": broken.region,
                    "address": broken.address.0,
                    "message": broken.message,
                },
                "stats": run.stats.to_json(),
                "check": self.to_json(),
            }))?;
        }
        Ok(Exit::Check)
    }

    /// The findings as JSON.
    pub(super) fn to_json(&self) -> Value {
        let findings: Vec<Value> = self.findings.iter().map(Finding::to_json).collect();
        json!({ "findings": findings, "allowed": self.allowed })
    }
}
