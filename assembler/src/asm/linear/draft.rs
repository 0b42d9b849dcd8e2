//! A region that is being read: its operations, loops and virtual registers.

use super::rules;
use crate::asm::context::Context;
use crate::asm::encode;
use crate::asm::line::{Line, Loc, Spot};
use crate::asm::report::Mark;
use crate::asm::resolve::{Resolver, Side, Virtuals};
use crate::asm::symbols::Site;
use crate::linear::{Block, Loop, Op, Region, TripCount};
use crate::parse::Fault;
use crate::parse::ast::BundleLine;
use cp2_isa::{Arith, Row};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Most operations of a block: those between two loop directives are scheduled as a whole.
const MOST_OPERATIONS: usize = 4096;

/// A region that is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(super) virtuals: Virtuals,
    /// Blocks of the region, then of each loop that is open.
    blocks: Vec<Vec<Block>>,
    open: Vec<(TripCount, Loc)>,
    /// Place in which each operation was written.
    pub(super) places: Vec<Spot>,
    /// Place in which each `.loop` was written, in the order of the text.
    pub(super) loops: Vec<Spot>,
    /// Place in which each `.disjoint` was written.
    pub(super) disjoint: Vec<Loc>,
    /// Place in which each set of an `.even` was written.
    pub(super) even: Vec<Loc>,
    /// Place in which the first `.assign` of each virtual register names it, by its index.
    pub(super) assigned: BTreeMap<usize, Loc>,
    /// Place in which the region begins.
    pub(super) head: Spot,
    /// Some line was in error: what has been read is not scheduled.
    broken: bool,
    /// Whether it has been said that a block is too large.
    is_large: bool,
    /// Mark of the reports that were made before the region.
    begun: Mark,
}

impl Draft {
    pub(crate) fn new(cx: &Context, line: &Rc<Line>, name: String) -> Self {
        let head = Spot::whole(line);
        let region = Region { name, span: Some(head.loc().span), ..Region::default() };
        Self {
            virtuals: Virtuals::new(region),
            blocks: vec![Vec::new()],
            open: Vec::new(),
            places: Vec::new(),
            loops: Vec::new(),
            disjoint: Vec::new(),
            even: Vec::new(),
            assigned: BTreeMap::new(),
            head,
            broken: false,
            is_large: false,
            begun: cx.reporter.now(),
        }
    }

    pub(super) fn region(&self) -> &Region {
        &self.virtuals.region
    }

    pub(super) fn set_broken(&mut self) {
        self.broken = true;
    }

    /// Refuses what linear code cannot have.
    pub(crate) fn refuse(&mut self, cx: &mut Context, loc: &Loc, what: &str) {
        let d = loc.error("C0601", format!("{what} cannot be used in linear code"));
        cx.reporter.report(
            d.help("the scheduler orders the operations; end the region with `.endlinear` first"),
        );
        self.set_broken();
    }

    /// Reports a region that the file leaves open.
    pub(crate) fn unclosed(&self, cx: &mut Context) {
        let d = self.head.error("C0608", "`.linear` is never closed");
        cx.reporter.report(d.help("end it with `.endlinear`"));
    }

    /// Adds an operation of the region.
    pub(crate) fn line(
        &mut self,
        cx: &mut Context,
        site: &Site,
        at: Range<usize>,
        parsed: Result<Box<BundleLine>, Fault>,
    ) {
        let line = &site.line;
        let parsed = match parsed {
            Ok(bundle) => bundle,
            Err(fault) => {
                self.set_broken();
                return cx.reporter.fault(line, fault);
            }
        };
        if let Some(bar) = parsed.bar {
            let d = line.loc(bar).error("C0601", "`|` cannot be used in linear code");
            cx.reporter
                .report(d.help("write one operation on each line; the scheduler pairs them"));
            return self.set_broken();
        }
        if let Some(allowed) = parsed.allowed.first() {
            let d = line
                .loc(allowed.code.at.clone())
                .error("C0601", "`@allow` cannot be used in linear code");
            let help =
                "`.allow CODE` before `.linear` and `.endallow` behind the region mark its bundles";
            cx.reporter.report(d.help(help));
            return self.set_broken();
        }
        if self.operation(cx, site, at, &parsed).is_none() {
            self.set_broken();
        }
    }

    fn operation(
        &mut self,
        cx: &mut Context,
        site: &Site,
        at: Range<usize>,
        parsed: &BundleLine,
    ) -> Option<()> {
        let line = &site.line;
        let mut resolver = Resolver::new(cx, site, Some(&mut self.virtuals));
        let cc = match &parsed.predicate {
            Some(register) => resolver.register_number(register),
            None => Some(0),
        };
        let operation = resolver.operation(parsed.left.as_ref()?, Side::Alone)?;
        let row = operation.code.map_or(Arith::Nop.row(), |code| code.row());
        if let (Some(predicate), Some(cc)) = (&parsed.predicate, cc) {
            self.obeyed(cx, &line.loc(predicate.at.clone()), cc as u8, row);
        }
        let code = match operation.code {
            Some(code) => code,
            None => return cc.map(|_| ()),
        };
        encode::check(cx, line, &operation.at, &code.with_small_registers())?;
        let cc = cc? as u8;
        let loc = line.loc(at.clone());
        if let Some(what) = rules::refused(&code) {
            self.refuse(cx, &loc, &what);
            return None;
        }
        if self.is_too_large(cx, &loc) {
            return None;
        }
        let op = Op { cc, code, span: Some(loc.outermost()) };
        self.push(op, Spot::new(line, at));
        Some(())
    }

    /// Refuses a predicate that the operation behind it does not obey: no bundle could hold it.
    fn obeyed(&mut self, cx: &mut Context, loc: &Loc, cc: u8, row: &'static Row) {
        if cc == 0 || row.obeys(cc) {
            return;
        }
        let message = format!("`if(cc{cc})` before `{}`, which does not obey it", row.name);
        let d = loc.error("C0508", message).label("this would be executed in every section");
        cx.reporter.report(d.help(rules::predicate_help(&cx.core, row)));
        self.set_broken();
    }

    /// Whether the block at hand takes no more operations; said once.
    fn is_too_large(&mut self, cx: &mut Context, loc: &Loc) -> bool {
        let length = match self.blocks.last().and_then(|blocks| blocks.last()) {
            Some(Block::Straight(range)) => range.len(),
            _ => 0,
        };
        if length < MOST_OPERATIONS {
            return false;
        }
        if !std::mem::replace(&mut self.is_large, true) {
            let message =
                format!("more than {MOST_OPERATIONS} operations between two loop directives");
            let d = loc.error("C0612", message);
            cx.reporter.report(d.help("write what repeats as a `.loop`, or end the region before"));
        }
        true
    }

    fn push(&mut self, op: Op, spot: Spot) {
        let index = self.region().ops.len();
        self.virtuals.region.ops.push(op);
        self.places.push(spot);
        if let Some(blocks) = self.blocks.last_mut() {
            match blocks.last_mut() {
                Some(Block::Straight(range)) => range.end = index + 1,
                _ => blocks.push(Block::Straight(index..index + 1)),
            }
        }
    }

    /// Begins a loop; one in error still ends with its `.endloop`.
    pub(super) fn begin_loop(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        count: Option<TripCount>,
    ) -> Option<()> {
        let mut known = count;
        let depth = cx.core.loop_depth();
        if self.open.len() >= depth {
            let message = format!("more than {depth} loops in one another");
            let d = line.whole().error("C0606", message);
            cx.reporter
                .report(d.help("the machine's loop stack holds no more; unroll one of them"));
            known = None;
        }
        self.loops.push(Spot::whole(line));
        self.open.push((known.unwrap_or(TripCount::Fixed(1)), line.whole()));
        self.blocks.push(Vec::new());
        known.map(|_| ())
    }

    pub(super) fn end_loop(&mut self, cx: &mut Context, loc: &Loc) -> Option<()> {
        let (Some((count, head)), Some(body)) = (self.open.pop(), self.blocks.pop()) else {
            cx.reporter.report(loc.error("C0608", "`.endloop` without an open `.loop`"));
            return None;
        };
        if body.is_empty() {
            cx.reporter.report(head.error("C0608", "a loop without an operation"));
            return None;
        }
        let made = Loop { count, body, span: Some(head.span.clone()) };
        let blame = rules::written_in(self.region(), &made).map(|op| self.places[op].clone());
        if let Some(outer) = self.blocks.last_mut() {
            outer.push(Block::Loop(made));
        }
        if let Some(place) = blame {
            let d = place.error("C0606", "this changes the register that counts the loop");
            cx.reporter.report(d.related(head.span, "the loop").help("copy the count first"));
            return None;
        }
        Some(())
    }

    /// Ends the region; `None` if it cannot be scheduled, after the error has been reported.
    pub(super) fn close(&mut self, cx: &mut Context) -> Option<()> {
        if let Some((_, loc)) = self.open.pop() {
            let d = loc.error("C0608", "`.loop` is never closed");
            cx.reporter.report(d.help("end it with `.endloop`"));
            return None;
        }
        self.virtuals.region.blocks = self.blocks.pop().unwrap_or_default();
        if self.broken || cx.reporter.any_error_since(self.begun) {
            // Nothing is placed, so what follows would be reported for no reason of its own.
            cx.set_incomplete();
            return None;
        }
        let unused = || rules::assigned_in_vain(self.region(), &self.assigned);
        if let Some(d) = rules::broken(self.region(), &self.head, &self.places).or_else(unused) {
            cx.reporter.report(d);
            return None;
        }
        Some(())
    }
}
