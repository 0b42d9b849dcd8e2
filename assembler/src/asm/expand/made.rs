//! Lines that are made: the iterations of a repetition, the bodies of macros, and how many of them
//! there may be.

use super::{Expander, Then};
use crate::asm::context::Context;
use crate::asm::line::{Frame, Line, Replacement};
use std::rc::Rc;

/// Macro calls, repetitions and included files that may be open at once.
const MAX_DEPTH: usize = 64;

/// Bytes of text that expansion may make in all; a line counts as [`LINE_COST`] more, about what the
/// assembler keeps of it.
pub(super) const BUDGET: usize = 16 << 20;
const LINE_COST: usize = 128;

/// A repetition, and how much of it has been done.
pub(super) struct Repetition {
    pub(super) line: Rc<Line>,
    pub(super) body: Vec<Rc<Line>>,
    pub(super) name: Option<String>,
    pub(super) count: i128,
    pub(super) done: i128,
}

impl Expander<'_> {
    pub(super) fn rept(&mut self, cx: &mut Context, repetition: Repetition) {
        let count = repetition.count;
        if count < 0 {
            cx.set_incomplete();
            let message = format!("`.rept {count}`: the count is negative");
            return cx.reporter.report(repetition.line.whole().error("C0420", message));
        }
        self.iterate(cx, repetition);
    }

    /// Begins the next iteration, if one is left.
    pub(super) fn iterate(&mut self, cx: &mut Context, mut repetition: Repetition) {
        if repetition.done == repetition.count || self.budget == 0 {
            return;
        }
        let k = repetition.done;
        repetition.done += 1;
        let frame = Rc::new(Frame::Rept(repetition.name.clone(), k as u64));
        let lookup = |wanted: &str| {
            (Some(wanted) == repetition.name.as_deref()).then(|| Replacement::Made(k.to_string()))
        };
        let line = repetition.line.clone();
        if let Some(lines) = self.derived(cx, &line, &repetition.body, &frame, &lookup) {
            self.begin_run(cx, lines, Then::Iterate(repetition));
        }
    }

    /// Returns the lines of a body with the names replaced, unless too much is open.
    pub(super) fn derived(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        body: &[Rc<Line>],
        frame: &Rc<Frame>,
        lookup: &dyn Fn(&str) -> Option<Replacement>,
    ) -> Option<Vec<Rc<Line>>> {
        if !self.may_enter(cx, line) {
            return None;
        }
        let mut made = Vec::with_capacity(body.len());
        self.spend(cx, line, LINE_COST);
        for part in body {
            let derived = part.derive(frame, lookup);
            self.spend(cx, line, derived.text.len() + LINE_COST);
            made.push(Rc::new(derived));
        }
        Some(made)
    }

    fn spend(&mut self, cx: &mut Context, line: &Line, cost: usize) {
        if self.budget > 0 && self.budget <= cost {
            cx.set_incomplete();
            let message = format!("the program grows beyond {} MiB of text here", BUDGET >> 20);
            cx.reporter.report(
                line.whole().error("C0406", message).help("look for a repetition that runs away"),
            );
        }
        self.budget = self.budget.saturating_sub(cost);
    }

    /// Whether one more level may be opened; otherwise the expansion ends with an error.
    pub(super) fn may_enter(&mut self, cx: &mut Context, line: &Line) -> bool {
        // The run of the file itself is not counted.
        if self.runs.len() <= MAX_DEPTH {
            return true;
        }
        cx.set_incomplete();
        self.budget = 0;
        let message =
            format!("more than {MAX_DEPTH} macro calls, repetitions or files are open here");
        let help = "a macro that calls itself needs an `.if` that ends it";
        cx.reporter.report(line.whole().error("C0405", message).help(help));
        false
    }
}
