//! Cycle and halves of the bundles that a text writes itself, and the interval of its hardware loops.

use super::lines::LineMap;
use super::recurrence::bound;
use super::{LineHints, halves};
use crate::analysis::AnalysedProgram;
use cp2_asm::diagnostic::Severity;
use cp2_asm::image::Kernel;
use cp2_isa::rules::flow::Body;
use cp2_isa::{Arith, Bundle, BundleAddress, Core, Effects, Exch, decode};
use std::collections::BTreeMap;

/// A kernel with its bundles, their lines in the document, from 0, and its hardware loops.
struct WrittenKernel {
    core: Core,
    start: BundleAddress,
    bundles: BTreeMap<BundleAddress, Bundle>,
    lines: BTreeMap<BundleAddress, usize>,
    loops: Vec<Body>,
    /// Bundles with jumps, hardware loops, and waits.
    turns: Vec<BundleAddress>,
    /// Line of the document, from 0, behind those of the kernels before it.
    begin: usize,
}

/// Lines of an analysed text, from 0, on which errors make the bundles behind them uncertain; `None` if all are.
fn uncertain(program: &AnalysedProgram) -> Option<Vec<usize>> {
    let errors = program.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let line = |d: &cp2_asm::diagnostic::Diagnostic| {
        program.line_of(d.span.as_ref().filter(|_| d.left_out == 0))
    };
    let lines: Option<Vec<usize>> = errors.map(line).collect();
    if !program.is_placed {
        return lines;
    }
    // What is wrong in a region leaves open how many bundles it has; elsewhere each bundle has its place.
    Some(lines?.into_iter().filter(|line| is_in_region(program.text.text(), *line)).collect())
}

/// Whether a line of a text, from 0, is in a region of linear code.
fn is_in_region(text: &str, line: usize) -> bool {
    let lines: Vec<&str> = text.lines().take(line + 1).collect();
    let begins = |line: &&str| line.trim_start().starts_with(".linear");
    let ends = |line: &&str| line.trim_start().starts_with(".endlinear");
    let last = lines.iter().rev().find(|line| begins(line) || ends(line));
    last.is_some_and(begins)
}

/// Enters cycle and halves of the bundles that the document writes itself.
pub(super) fn of_bundles(program: &AnalysedProgram, map: &LineMap, hints: &mut LineHints) {
    let Some(uncertain) = uncertain(program) else { return };
    let mut begin = 0;
    for kernel in &program.image.kernels {
        let lines =
            kernel.range().filter_map(|at| program.image.lines.get(&BundleAddress(at as u16)));
        let lines = lines.filter(|place| program.is_own_place(place));
        let behind = lines.map(|place| place.line as usize).max();
        let kernel = WrittenKernel::of(program, (kernel, begin));
        begin = begin.max(behind.unwrap_or(0));
        let Some(kernel) = kernel else { continue };
        let is_known = |lines: std::ops::Range<usize>| {
            !map.has_changed(&lines) && !uncertain.iter().any(|line| lines.contains(line))
        };
        kernel.enter(map, &is_known, hints);
    }
}

impl WrittenKernel {
    fn of(program: &AnalysedProgram, (kernel, begin): (&Kernel, usize)) -> Option<Self> {
        let image = &program.image;
        let of_scheduler = |address: BundleAddress| {
            program.regions.iter().any(|region| {
                let start = region.scheduled.start.index();
                (start..start + region.scheduled.bundles.len()).contains(&address.index())
            })
        };
        let (mut bundles, mut lines, mut loops) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut turns = Vec::new();
        for (address, word) in kernel.bundles() {
            let Ok(bundle) = decode(word, &program.core) else { continue };
            if let Some((_, end)) = bundle.exch.hardware_loop() {
                loops.push(Body::behind(address, end));
            }
            if bundle.exch.op.row().effects.intersects(Effects::CONTROL) {
                turns.push(address);
            }
            bundles.insert(address, bundle);
            let place = image.lines.get(&address).filter(|place| program.is_own_place(place));
            let line = place.map(|place| place.line.saturating_sub(1) as usize);
            let is_told = |line: &usize| !of_scheduler(address) && program.has_line(*line);
            lines.extend(line.filter(is_told).map(|line| (address, line)));
        }
        Some(Self { core: program.core, start: kernel.start, bundles, lines, loops, turns, begin })
    }

    /// Returns the innermost hardware loop in whose body a bundle is.
    fn around(&self, address: BundleAddress) -> Option<&Body> {
        let around = self
            .loops
            .iter()
            .filter(|body| body.start <= address && address.0 <= body.end.0.saturating_add(1));
        around.max_by_key(|body| body.start)
    }

    /// Whether control goes elsewhere than to the next bundle, or waits, before an address, so that cycles are not counted on.
    fn has_turned(&self, address: BundleAddress) -> bool {
        self.turns.iter().any(|turn| *turn < address)
    }

    /// Whether each bundle in the body of a hardware loop takes one cycle of a turn.
    fn is_straight(&self, body: &Body) -> bool {
        let last = body.end.0.saturating_add(1);
        !self.turns.iter().any(|turn| body.start <= *turn && turn.0 <= last)
    }

    fn enter(
        &self,
        map: &LineMap,
        is_known: &dyn Fn(std::ops::Range<usize>) -> bool,
        hints: &mut LineHints,
    ) {
        let line_of = |address: u16| self.lines.get(&BundleAddress(address)).copied();
        for (&address, &line) in &self.lines {
            let Some(bundle) = self.bundles.get(&address) else { continue };
            let body = self.around(address);
            let own = bundle.exch.hardware_loop().map(|(_, end)| Body::behind(address, end));
            // The last bundle of a loop tells how long it is.
            let ends =
                body.into_iter().chain(&own).map(|body| line_of(body.end.0.saturating_add(1)));
            let Some(last) = ends.collect::<Option<Vec<_>>>() else { continue };
            let last = last.into_iter().max().unwrap_or(line).max(line);
            let Some(line) = map.later_line(line).filter(|_| is_known(self.begin..last + 1)) else {
                continue;
            };
            hints.bundle(line, &self.text(address, bundle, (body, own)));
        }
    }

    /// Returns what is told of a bundle, with the bodies around it and of its own loop.
    fn text(
        &self,
        address: BundleAddress,
        bundle: &Bundle,
        (body, own): (Option<&Body>, Option<Body>),
    ) -> String {
        let number = address.0 - self.start.0;
        let time = match body {
            Some(body) if self.is_straight(body) => {
                format!("cycle {} of {}", address.0 - body.start.0, length(body))
            }
            Some(_) => format!("bundle {number}"),
            None if self.has_turned(address) => format!("bundle {number}"),
            None => format!("cycle {number}"),
        };
        let arithmetic = bundle.arith.op != Arith::Nop;
        let exchange = bundle.exch.op != Exch::Nop;
        let mut text = match halves(arithmetic, exchange) {
            "" => time,
            halves => format!("{time}, {halves}"),
        };
        // The end of a loop that is written wrong may stand before its begin.
        if let Some(body) = own.filter(|body| body.start <= body.last()) {
            let inside = self.bundles.range(body.start..=body.last());
            let count = |is: fn(&Bundle) -> bool| inside.clone().filter(|(_, b)| is(b)).count();
            let slots = count(|b| b.arith.op != Arith::Nop).max(count(|b| b.exch.op != Exch::Nop));
            let bundles: Vec<Bundle> = inside.map(|(_, bundle)| *bundle).collect();
            text += &match self.is_straight(&body) {
                true => {
                    let bound = bound(&bundles, &self.core);
                    let bound = bound.map_or(String::new(), |n| format!(", {n} by dependences"));
                    format!("; interval {}, at least {slots} by slots{bound}", length(&body))
                }
                false => format!("; {} bundles, at least {slots} cycles by slots", length(&body)),
            };
        }
        text
    }
}

/// Returns the bundles of the body of a hardware loop.
fn length(body: &Body) -> u16 {
    body.end.0.saturating_add(2).saturating_sub(body.start.0)
}
