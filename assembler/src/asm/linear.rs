//! Linear regions: collects the lines between `.linear` and `.endlinear`, checks them, has them
//! scheduled and checked, and places the bundles.

use super::encode::Side;
use super::line::{Line, Loc, Spot};
use super::{Assembler, Scheduled, Site};
use crate::ast::{Expr, Operand, Prefix, Register, Word};
use crate::check;
use crate::diagnostic::{Diagnostic, Severity};
use crate::linear::{ABSOLUTE, Block, Code, Count, Loop, Op, PHYSICAL, Reg, Region};
use crate::parse::{self, Cursor, Directive};
use crate::sched::{self, Placed, Source, Trouble, stored};
use cp2_isa::{Bundle, Exch, Inst, Kind, MoveReg, RegFile, Resource, Unit, control};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// A region that is being read.
#[derive(Debug)]
pub(super) struct Draft {
    region: Region,
    numbers: HashMap<String, usize>,
    /// Blocks of the region, then of each loop that is open.
    blocks: Vec<Vec<Block>>,
    open: Vec<(Count, Loc)>,
    places: Vec<Spot>,
    /// Where each `.disjoint` was written.
    disjoint: Vec<Loc>,
    /// Where the region begins.
    head: Spot,
    /// Some line was in error: what has been read is not scheduled.
    broken: bool,
    /// Diagnostics when the region began.
    diagnostics: usize,
}

/// Lints about what a schedule does on purpose; the checker has proved it right.
const DELIBERATE: [&str; 3] = ["C0501", "C0502", "C0503"];

impl Draft {
    fn push(&mut self, op: Op, spot: Spot) {
        let index = self.region.ops.len();
        self.region.ops.push(op);
        self.places.push(spot);
        if let Some(blocks) = self.blocks.last_mut() {
            match blocks.last_mut() {
                Some(Block::Straight(range)) => range.end = index + 1,
                _ => blocks.push(Block::Straight(index..index + 1)),
            }
        }
    }
}

impl Assembler<'_> {
    pub(super) fn not_in_linear(&mut self, loc: &Loc, what: &str) {
        let d = loc.error("C0601", format!("{what} cannot stand in linear code"));
        self.report(
            d.help("the scheduler orders the operations; end the region with `.endlinear` first"),
        );
        self.break_linear();
    }

    fn break_linear(&mut self) {
        if let Some(draft) = &mut self.linear {
            draft.broken = true;
        }
    }

    pub(super) fn begin_linear(&mut self, line: &Rc<Line>, name: Option<Word>) {
        let head = Spot::whole(line);
        let kernel = self.layout.current_kernel().map(|k| self.layout.kernels[k].name.clone());
        let name = name.map(|w| w.text).or(kernel).unwrap_or_else(|| "main".to_owned());
        let region = Region { name, span: Some(head.loc().span), ..Region::default() };
        self.linear = Some(Box::new(Draft {
            region,
            numbers: HashMap::new(),
            blocks: vec![Vec::new()],
            open: Vec::new(),
            places: Vec::new(),
            disjoint: Vec::new(),
            head,
            broken: false,
            diagnostics: self.diagnostics.len(),
        }));
    }

    /// Reports a region that the file leaves open.
    pub(super) fn unclosed_linear(&mut self) {
        if let Some(draft) = self.linear.take() {
            let d = draft.head.error("C0608", "`.linear` is never closed");
            self.report(d.help("end it with `.endlinear`"));
        }
    }

    /// The number of a virtual register, which its first use defines.
    pub(super) fn virtual_register(
        &mut self,
        site: &Site,
        register: &Register,
        name: String,
    ) -> Option<i32> {
        let Some(draft) = &mut self.linear else {
            let message = format!("`%{name}`: virtual registers exist in linear code only");
            let d = site.line.loc(register.at.clone()).error("C0602", message);
            self.report(
                d.help("write f0 to f63, or put the lines between `.linear` and `.endlinear`"),
            );
            return None;
        };
        let next = draft.numbers.len();
        let index = *draft.numbers.entry(name.clone()).or_insert(next);
        if index == next {
            draft.region.names.push(name);
        }
        Some(Reg::from_virtual(index).0 as i32)
    }

    /// Notes that an operation takes two registers as neighbours, and gives the first.
    pub(super) fn linear_pair(&mut self, loc: &Loc, first: i32, second: i32) -> Option<i32> {
        let (a, b) = (Reg(first as u32), Reg(second as u32));
        if a.physical().is_some() && b.physical().is_some() && second == first + 1 {
            return Some(first);
        }
        let refused = match &mut self.linear {
            Some(draft) if a.physical().is_none() && b.physical().is_none() => {
                let region = &mut draft.region;
                let clash = match region.next.get(&a) {
                    Some(&other) => (other != b).then_some((a, other)),
                    None => region.next.iter().find(|(_, n)| **n == b).map(|(&p, _)| (p, b)),
                };
                match clash {
                    None if follows(region, b, a) => Some("they would go round in a circle".into()),
                    None => {
                        region.next.insert(a, b);
                        None
                    }
                    Some((x, y)) => {
                        let (x, y) = (region.register_name(x), region.register_name(y));
                        Some(format!("`{x}` is followed by `{y}` elsewhere"))
                    }
                }
            }
            _ => Some("two neighbours are fN and fN+1, or two virtual registers".into()),
        };
        match refused {
            None => Some(first),
            Some(why) => {
                let d = loc.error("C0604", format!("these cannot be neighbours: {why}"));
                self.report(d.help("copy a value into a register of its own pair"));
                None
            }
        }
    }

    /// One operation of a region.
    pub(super) fn linear_line(&mut self, line: &Rc<Line>, rest: Cursor<'_>) {
        let whole = rest.offset..rest.offset + rest.text.len();
        let parsed = match parse::bundle(rest) {
            Ok((_, bundle)) => bundle,
            Err(e) => {
                self.break_linear();
                return self.report_fault(line, parse::fault(e));
            }
        };
        if let Some(bar) = parsed.bar {
            let d = line.loc(bar).error("C0601", "a `|` in linear code");
            self.report(d.help("one operation a line; the scheduler puts them together"));
            return self.break_linear();
        }
        if let Some(word) = parsed.allowed.first() {
            let d = line.loc(word.at.clone()).error("C0601", "an `@allow` in linear code");
            self.report(d.help("the linter has nothing to say about scheduled bundles"));
            return self.break_linear();
        }
        let site = self.site(line);
        let cc = match &parsed.predicate {
            Some(register) => self.register_number(&site, register),
            None => Some(0),
        };
        let mut bundle = Bundle::NOP;
        let read = parsed.left.as_ref().map(|o| self.operation(&site, o, Side::Alone, &mut bundle));
        let (Some(cc), Some(Some(()))) = (cc, read) else { return self.break_linear() };
        let code = match (bundle.arith == Bundle::NOP.arith, bundle.exch == Bundle::NOP.exch) {
            (true, true) => return,
            (false, _) => Code::Arith(bundle.arith),
            _ => Code::Exch(bundle.exch),
        };
        let loc = line.loc(whole.clone());
        if let Some(what) = refused(&code) {
            return self.not_in_linear(&loc, &what);
        }
        let span = Some(loc.diagnose("C0601", Severity::Error, "").span).flatten();
        if let Some(draft) = &mut self.linear {
            draft.push(Op { cc: cc as u8, code, span }, Spot::new(line, whole));
        }
    }

    pub(super) fn linear_directive(
        &mut self,
        line: &Rc<Line>,
        at: Range<usize>,
        directive: &Directive,
    ) {
        if self.linear.is_none() {
            let d = line.loc(at).error("C0608", "this directive belongs into linear code");
            return self.report(d.help("it stands between `.linear` and `.endlinear`"));
        }
        let done = match directive {
            Directive::Loop(count, promises) => self.begin_loop(line, count, promises),
            Directive::Endloop => self.end_loop(line, at),
            Directive::Disjoint(sets) => self.address_sets(line, sets, true).map(|sets| {
                if let Some(draft) = &mut self.linear {
                    draft.region.disjoint.push(sets);
                    draft.disjoint.push(line.whole());
                }
            }),
            Directive::Even(sets) => self.address_sets(line, sets, false).map(|sets| {
                self.with_region(|region| region.even.extend(sets));
            }),
            Directive::Keep(ranges) => self.register_ranges(line, ranges).map(|kept| {
                self.with_region(|region| region.kept.extend(kept));
            }),
            Directive::Scratch(registers) => {
                let all: Option<Vec<u8>> =
                    registers.iter().map(|r| self.listed(line, r, Prefix::G)).collect();
                all.map(|all| self.with_region(|region| region.scratch.extend(all)))
            }
            Directive::Assign(which, to) => self.assign(line, which, to),
            _ => Some(()),
        };
        if done.is_none() {
            self.break_linear();
        }
    }

    fn with_region(&mut self, change: impl FnOnce(&mut Region)) {
        if let Some(draft) = &mut self.linear {
            change(&mut draft.region);
        }
    }

    fn listed(&mut self, line: &Rc<Line>, operand: &Operand, prefix: Prefix) -> Option<u8> {
        if let Operand::Register(register) = operand
            && register.prefix == prefix
            && register.half.is_none()
        {
            let site = self.site(line);
            return self.register_number(&site, register).map(|n| n as u8);
        }
        let name = crate::names::prefix_name(prefix);
        let message = format!("registers {name}N are listed here");
        self.report(line.loc(operand.at()).error("C0418", message));
        None
    }

    fn address_sets(&mut self, line: &Rc<Line>, sets: &[Operand], abs: bool) -> Option<Vec<u8>> {
        let one = |set: &Operand| match set {
            Operand::Named(w) if abs && w.text == "abs" => Some(ABSOLUTE),
            other => self.listed(line, other, Prefix::R),
        };
        sets.iter().map(one).collect()
    }

    fn assign(&mut self, line: &Rc<Line>, which: &Operand, to: &Operand) -> Option<()> {
        let to = self.listed(line, to, Prefix::F)?;
        let site = self.site(line);
        match which {
            Operand::Register(r) if r.prefix == Prefix::Virtual && r.half.is_none() => {
                let number = self.register_number(&site, r)?;
                let index = Reg(number as u32).virtual_index()?;
                self.with_region(|region| {
                    region.assigned.insert(index, to);
                });
                Some(())
            }
            other => {
                let message = "`.assign %name, fN` puts a virtual register into a physical one";
                self.report(line.loc(other.at()).error("C0418", message));
                None
            }
        }
    }

    fn begin_loop(
        &mut self,
        line: &Rc<Line>,
        count: &Operand,
        promises: &[(Word, Expr)],
    ) -> Option<()> {
        let mut known = self.loop_count(line, count, promises);
        let depth = self.core.loop_depth();
        if self.linear.as_ref().is_some_and(|draft| draft.open.len() >= depth) {
            let message = format!("more than {depth} loops in one another");
            let d = line.whole().error("C0606", message);
            self.report(d.help("the machine's loop stack holds no more; unroll one of them"));
            known = None;
        }
        if let Some(draft) = &mut self.linear {
            // A loop in error still ends with its `.endloop`.
            draft.open.push((known.unwrap_or(Count::Fixed(1)), line.whole()));
            draft.blocks.push(Vec::new());
        }
        known.map(|_| ())
    }

    fn loop_count(
        &mut self,
        line: &Rc<Line>,
        count: &Operand,
        promises: &[(Word, Expr)],
    ) -> Option<Count> {
        let gpr = match count {
            Operand::Expr(e) => {
                let value = self.decided(line, e)?;
                if let Some((word, _)) = promises.first() {
                    let d =
                        line.loc(word.at.clone()).error("C0606", "a promise about a fixed count");
                    self.report(d.help("only a count in a register needs one"));
                    return None;
                }
                return match u32::try_from(value) {
                    Ok(n @ 1..) => Some(Count::Fixed(n)),
                    _ => {
                        let message = format!("a loop runs {value} times");
                        let d = line.loc(e.at.clone()).error("C0606", message);
                        self.report(d.help("a fixed count is 1 to 4294967295"));
                        None
                    }
                };
            }
            other => self.listed(line, other, Prefix::G)?,
        };
        let (mut min, mut multiple) = (1, 1);
        for (k, (word, expr)) in promises.iter().enumerate() {
            let value = self.decided(line, expr)?;
            if promises[..k].iter().any(|(earlier, _)| earlier.text == word.text) {
                let message = format!("`{}` is promised twice", word.text);
                self.report(line.loc(word.at.clone()).error("C0606", message));
                return None;
            }
            let place = match word.text.as_str() {
                "min" => &mut min,
                "multiple" => &mut multiple,
                _ => {
                    let message = format!("`{}` is no promise about a loop", word.text);
                    let d = line.loc(word.at.clone()).error("C0606", message);
                    self.report(d.help("they are `min=N` and `multiple=N`"));
                    return None;
                }
            };
            let Ok(n @ 1..) = u32::try_from(value) else {
                let message = format!("`{}={value}` is out of range", word.text);
                let d = line.loc(expr.at.clone()).error("C0606", message);
                self.report(d.help("it is 1 to 4294967295"));
                return None;
            };
            *place = n;
        }
        // A multiple of M that is at least 1 is at least M.
        Some(Count::Register { gpr, min: min.max(multiple), multiple })
    }

    fn end_loop(&mut self, line: &Rc<Line>, at: Range<usize>) -> Option<()> {
        let draft = self.linear.as_mut()?;
        let (Some((count, loc)), Some(body)) = (draft.open.pop(), draft.blocks.pop()) else {
            let d = line.loc(at).error("C0608", "`.endloop`, and no `.loop` is open");
            self.report(d);
            return None;
        };
        if body.is_empty() {
            self.report(loc.error("C0608", "a loop without an operation"));
            return None;
        }
        let span = Some(loc.span.clone());
        let made = Loop { count, body, span };
        let blame = written_in(&draft.region, &made).map(|op| draft.places[op].clone());
        if let Some(outer) = draft.blocks.last_mut() {
            outer.push(Block::Loop(made));
        }
        if let Some(place) = blame {
            let d = place.error("C0606", "this changes the register that counts the loop");
            self.report(d.related(loc.span.clone(), "the loop").help("copy the count first"));
            return None;
        }
        Some(())
    }

    /// Schedules the region and places its bundles.
    pub(super) fn end_linear(&mut self, line: &Rc<Line>, at: Range<usize>) {
        let Some(mut draft) = self.linear.take() else {
            let d = line.loc(at).error("C0608", "`.endlinear`, and no region is open");
            return self.report(d);
        };
        if let Some((_, loc)) = draft.open.pop() {
            self.report(
                loc.error("C0608", "`.loop` is never closed").help("end it with `.endloop`"),
            );
            return;
        }
        draft.region.blocks = draft.blocks.pop().unwrap_or_default();
        let reported = &self.diagnostics[draft.diagnostics.min(self.diagnostics.len())..];
        if draft.broken || super::any_error(reported) {
            // Nothing is placed, so what follows would be reported for no reason of its own.
            self.units[self.unit].incomplete = true;
            return;
        }
        if let Some(d) = undefined_read(&draft) {
            return self.report(d);
        }
        if draft.region.ops.is_empty() {
            return self.report(draft.head.error("C0608", "a region without an operation"));
        }
        if let Some(d) = scratch_in_use(&draft) {
            return self.report(d);
        }
        let key = self.store.as_ref().map(|_| stored::key(&self.core, &draft.region));
        if let Some((bundles, report)) = self.known_schedule(&draft.region, key.as_deref()) {
            return self.place_region(line, *draft, bundles, report);
        }
        match sched::schedule(&self.core, &draft.region) {
            Ok((bundles, report)) => match check::check(&self.core, &draft.region, &bundles) {
                Ok(()) => {
                    self.keep_schedule(&draft.region, key.as_deref(), &bundles, &report);
                    self.place_region(line, *draft, bundles, report);
                }
                Err(faults) => self.refuted(&draft, &faults),
            },
            Err(trouble) => self.report_sched(&draft, trouble),
        }
    }

    /// The schedule that was made of this region before, if it was kept and is right.
    fn known_schedule(
        &mut self,
        region: &Region,
        key: Option<&str>,
    ) -> Option<(Vec<Placed>, sched::Report)> {
        let entry = self.store.as_mut()?.get(key?)?;
        let (bundles, report) = stored::read(&self.core, region, &entry)?;
        check::check_again(&self.core, region, &bundles).ok()?;
        Some((bundles, report))
    }

    fn keep_schedule(
        &mut self,
        region: &Region,
        key: Option<&str>,
        bundles: &[Placed],
        report: &sched::Report,
    ) {
        if let (Some(store), Some(key)) = (&mut self.store, key)
            && let Some(entry) = stored::write(&self.core, region, bundles, report)
        {
            store.put(key, &entry);
        }
    }

    /// Refuses regions that begin while something is under way that they need or would meet.
    pub(super) fn check_region_starts(&mut self) {
        let mut found = Vec::new();
        for scheduled in &self.scheduled {
            let start = usize::from(scheduled.start);
            let before: Vec<Bundle> = (start.saturating_sub(sched::reach(&self.core))..start)
                .filter_map(|address| self.layout.word(address))
                .filter_map(|word| cp2_isa::decode(word, &self.core).ok())
                .collect();
            let wait = sched::wait_before(&self.core, &before, &scheduled.bundles);
            if wait > 0 {
                let message = format!(
                    "linear code begins {wait} bundles too early: results that it meets are under way"
                );
                let span = scheduled.region.span.clone();
                let d = Diagnostic::new("C0611", Severity::Error, span, message);
                found.push(
                    d.help(format!("put {wait} times `nop`, or other work, before `.linear`")),
                );
            }
        }
        for d in found {
            self.report(d);
        }
    }

    /// The checker has found the schedule wrong: the scheduler has a bug, or a promise of the region
    /// contradicts its operations.
    fn refuted(&mut self, draft: &Draft, faults: &[check::Fault]) {
        self.units[self.unit].incomplete = true;
        if let Some(place) = faults[0].promise.and_then(|list| draft.disjoint.get(list)) {
            let message = format!("this promise cannot hold: {}", faults[0].message);
            let d = place.error("C0610", message);
            return self.report(d.help("leave out the sets that reach words of others"));
        }
        let message = format!("the schedule of this region is wrong, {}", faults[0]);
        let mut d = draft.head.error("C0609", message);
        d.notes.extend(faults.iter().skip(1).take(9).map(check::Fault::to_string));
        self.report(d.help("this is a bug of the scheduler; please report it with the source"));
    }

    fn report_sched(&mut self, draft: &Draft, trouble: Trouble) {
        let found =
            draft.region.ops.iter().position(|op| op.span.is_some() && op.span == trouble.span);
        let spot = found.map_or(&draft.head, |op| &draft.places[op]);
        let mut d = spot.error(trouble.code, trouble.message);
        if let (None, Some(span)) = (found, trouble.span) {
            d.span = Some(span);
        }
        for (span, text) in trouble.related {
            if let Some(span) = span {
                d = d.related(span, text);
            }
        }
        if !trouble.help.is_empty() {
            d = d.help(trouble.help);
        }
        self.units[self.unit].incomplete = true;
        self.report(d);
    }

    fn place_region(
        &mut self,
        line: &Rc<Line>,
        draft: Draft,
        bundles: Vec<Placed>,
        report: sched::Report,
    ) {
        let mut first = None;
        for placed in &bundles {
            let Some(target) = self.place_bundle(line, 0..line.text.len()) else { return };
            let Some(address) = target.address else { return };
            let start = *first.get_or_insert(address);
            let mut bundle = placed.bundle;
            if matches!(bundle.exch.op, Exch::Do | Exch::Doi) {
                bundle.exch.values[1] += i32::from(start);
            }
            self.set_bundle(target, Some(cp2_isa::encode(&bundle)));
            self.bundle_hints(target, DELIBERATE.map(str::to_owned).to_vec());
            let place = |source| match source {
                Source::Op(op) => Some(draft.places[op].clone()),
                _ => None,
            };
            let (arith, exch) = (place(placed.arith), place(placed.exch));
            let whole = arith.or(exch.clone()).unwrap_or_else(|| draft.head.clone());
            self.bundles.insert(address, (whole, exch));
        }
        if let Some(start) = first {
            self.scheduled.push(Scheduled { region: draft.region, bundles, report, start });
        }
    }
}

/// Whether `last` comes after `first` in a row of neighbours.
fn follows(region: &Region, first: Reg, last: Reg) -> bool {
    let mut at = Some(first);
    while let Some(reg) = at {
        if reg == last {
            return true;
        }
        at = region.next.get(&reg).copied();
    }
    false
}

/// An operation of a loop that writes the register with the loop's count.
fn written_in(region: &Region, of: &Loop) -> Option<usize> {
    let Count::Register { gpr, .. } = of.count else { return None };
    let mut ops = Vec::new();
    collect(&of.body, &mut ops);
    ops.into_iter().find(|&op| region.ops[op].writes_gpr(gpr))
}

fn collect(blocks: &[Block], ops: &mut Vec<usize>) {
    for block in blocks {
        match block {
            Block::Straight(range) => ops.extend(range.clone()),
            Block::Loop(l) => collect(&l.body, ops),
        }
    }
}

/// A read of a virtual register that nothing before has written.
fn undefined_read(draft: &Draft) -> Option<Diagnostic> {
    let mut known: BTreeSet<Reg> = BTreeSet::new();
    for (op, spot) in draft.region.ops.iter().zip(&draft.places) {
        let accesses = draft.region.fpr_accesses(op);
        let part = |reg: Reg| accesses.iter().any(|a| a.reg == reg && a.write && is_part(op));
        let missing = accesses.iter().find(|a| {
            a.read
                && !a.keeps
                && a.reg.physical().is_none()
                && !known.contains(&a.reg)
                && !part(a.reg)
        });
        if let Some(access) = missing {
            let name = draft.region.register_name(access.reg);
            let d = spot.error("C0603", format!("`{name}` has no value here"));
            return Some(d.help("virtual registers have none at the start of the region"));
        }
        known.extend(accesses.iter().filter(|a| a.write).map(|a| a.reg));
    }
    None
}

/// An operation or a loop that uses a register of `.scratch`.
fn scratch_in_use(draft: &Draft) -> Option<Diagnostic> {
    let scratch = &draft.region.scratch;
    if let Some(&g) = draft.region.promises().keys().find(|g| scratch.contains(g)) {
        let d = draft
            .head
            .error("C0607", format!("g{g} is a scratch register, and a loop counts by it"));
        return Some(d.help("name another one in `.scratch`"));
    }
    for (op, spot) in draft.region.ops.iter().zip(&draft.places) {
        let used = op.resources().into_iter().find_map(|a| match a.resource {
            Resource::Gpr(g) => scratch.contains(&g).then_some(g),
            _ => None,
        });
        if let Some(g) = used {
            let d = spot.error("C0607", format!("g{g} is a scratch register, and this uses it"));
            return Some(d.help("name another one in `.scratch`"));
        }
    }
    None
}

/// Whether an operation changes a part of its destination, so that it may be the first.
fn is_part(op: &Op) -> bool {
    let name = op.code.row().name;
    ["li0", "li1", "li2", "li3", "qsdot", "join8", "join16", "join32"].contains(&name)
}

/// What keeps an operation out of linear code.
fn refused(code: &Code) -> Option<String> {
    let row = code.row();
    if matches!(row.unit, Unit::Loop | Unit::Jump | Unit::Stop | Unit::Sync | Unit::Dma) {
        return Some(format!("`{}`", row.name));
    }
    for (operand, &value) in row.operands.iter().zip(code.values()) {
        if let (Kind::MoveReg(..), Some(reg)) = (operand.kind, MoveReg::from_packed(value))
            && reg.file == RegFile::Control
            && ![control::RIND, control::RSTEP, control::RMASK].contains(&reg.number)
        {
            let name = cp2_isa::control_name(reg.number);
            return Some(format!("`{}` to or from `{name}`", row.name));
        }
        if operand.kind == Kind::Creg && value == 0 {
            return Some(format!("`{}` of fcsr, whose flags come in no order,", row.name));
        }
    }
    None
}

/// A bundle with the same registers equal and small numbers, for the checks of physical ones.
pub(super) fn with_small_registers(bundle: &Bundle) -> Bundle {
    let mut named = Vec::new();
    let mut collect = |reg: Reg| {
        named.extend(reg.physical());
        reg
    };
    Code::Arith(bundle.arith).with_registers(&mut collect);
    Code::Exch(bundle.exch).with_registers(&mut collect);
    let mut free = (0..PHYSICAL as u8 / 2)
        .map(|k| 2 * k)
        .filter(|n| !named.iter().any(|&p| (*n..=n + 1).contains(&p) || p + 1 == *n));
    let mut seen: Vec<(Reg, Reg)> = Vec::new();
    let mut small = |reg: Reg| {
        if reg.physical().is_some() {
            return reg;
        }
        if let Some((_, to)) = seen.iter().find(|(r, _)| *r == reg) {
            return *to;
        }
        let to = free.next().map_or(reg, |n| Reg(u32::from(n)));
        seen.push((reg, to));
        to
    };
    let arith = Code::Arith(bundle.arith).with_registers(&mut small);
    let exch = Code::Exch(bundle.exch).with_registers(&mut small);
    let (Code::Arith(arith), Code::Exch(mut exch)) = (arith, exch) else { return *bundle };
    if exch.op == Exch::Psprmsgn1 && exch.values[0] < 32 {
        exch = Inst { op: Exch::Psprmsgn0, ..exch };
    }
    Bundle { arith, exch, ..*bundle }
}
