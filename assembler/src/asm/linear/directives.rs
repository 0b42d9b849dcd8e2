//! Directives of linear code: loops with their counts, and what is promised about registers.

use super::draft::Draft;
use crate::asm::context::Context;
use crate::asm::resolve::Resolver;
use crate::asm::resolve::lists::{listed, register_ranges};
use crate::asm::symbols::Site;
use crate::linear::{ABSOLUTE, OWN, Reg, TripCount, place_name};
use crate::parse::ast::{Expr, Linear, Operand, Prefix, Word};
use std::ops::Range;

impl Draft {
    /// Does what a directive says.
    pub(crate) fn directive(
        &mut self,
        cx: &mut Context,
        site: &Site,
        at: Range<usize>,
        directive: &Linear,
    ) {
        let line = &site.line;
        let done = match directive {
            Linear::Loop(count, promises) => {
                let count = loop_count(cx, site, count, promises);
                self.begin_loop(cx, line, count)
            }
            Linear::Endloop => self.end_loop(cx, &line.loc(at)),
            Linear::Disjoint(sets) => apart(cx, site, sets).map(|sets| {
                self.virtuals.region.disjoint.push(sets);
                self.disjoint.push(line.whole());
            }),
            Linear::Even(sets) => address_sets(cx, site, sets, false).map(|sets| {
                self.even.extend(sets.iter().map(|_| line.whole()));
                self.virtuals.region.even.extend(sets);
            }),
            Linear::Keep(ranges) => {
                register_ranges(cx, site, ranges).map(|kept| self.virtuals.region.kept.extend(kept))
            }
            Linear::Scratch(registers) => {
                let all = registers.iter().map(|r| listed(cx, site, r, Prefix::G));
                let all: Option<Vec<u8>> = all.collect();
                all.map(|all| self.virtuals.region.scratch.extend(all))
            }
            Linear::Assign(which, to) => self.assign(cx, site, which, to),
        };
        if done.is_none() {
            self.set_broken();
        }
    }

    fn assign(
        &mut self,
        cx: &mut Context,
        site: &Site,
        which: &Operand,
        to: &Operand,
    ) -> Option<()> {
        let to = listed(cx, site, to, Prefix::F)?;
        match which {
            Operand::Register(r) if r.prefix == Prefix::Virtual && r.half.is_none() => {
                let mut resolver = Resolver::new(cx, site, Some(&mut self.virtuals));
                let number = resolver.register_number(r)?;
                let index = Reg(number as u32).virtual_index()?;
                let name = site.line.loc(r.at.clone());
                self.assigned.entry(index).or_insert(name);
                let region = &mut self.virtuals.region;
                let first = *region.assigned.entry(index).or_insert(to);
                if first == to {
                    return Some(());
                }
                let name = &region.names[index];
                let message = format!("`%{name}` is f{first} already, and cannot be f{to} as well");
                let d = site.line.loc(r.at.clone()).error("C0418", message);
                cx.reporter.report(d.help("leave out one of the two `.assign`"));
                None
            }
            other => {
                let message = "`.assign %name, fN` puts a virtual register into a physical one";
                cx.reporter.report(site.line.loc(other.at()).error("C0418", message));
                None
            }
        }
    }
}

fn address_sets(cx: &mut Context, site: &Site, sets: &[Operand], abs: bool) -> Option<Vec<u8>> {
    let one = |set: &Operand| match set {
        Operand::Named(w) if abs && w.text == "abs" => Some(ABSOLUTE),
        Operand::Named(w) if abs && w.text == "sections" => Some(OWN),
        other => listed(cx, site, other, Prefix::R),
    };
    sets.iter().map(one).collect()
}

/// Returns the sets of a `.disjoint`: at least two, each once; `None` after the error has been reported.
fn apart(cx: &mut Context, site: &Site, sets: &[Operand]) -> Option<Vec<u8>> {
    let found = address_sets(cx, site, sets, true)?;
    let again = (1..found.len()).find(|&k| found[..k].contains(&found[k]));
    let (at, message) = match (again, sets) {
        (Some(k), _) => {
            let name = place_name(found[k]);
            (sets[k].at(), format!("{name} is named twice, and always reaches its own words"))
        }
        (None, [one]) => (one.at(), "a promise about one set alone".to_owned()),
        _ => return Some(found),
    };
    let d = site.line.loc(at).error("C0418", message);
    cx.reporter.report(d.help("name two or more different sets that never reach the same word"));
    None
}

fn loop_count(
    cx: &mut Context,
    site: &Site,
    count: &Operand,
    promises: &[(Word, Expr)],
) -> Option<TripCount> {
    match count {
        Operand::Expr(e) => fixed_count(cx, site, e, promises),
        other => {
            let gpr = listed(cx, site, other, Prefix::G)?;
            promised_count(cx, site, gpr, promises)
        }
    }
}

fn fixed_count(
    cx: &mut Context,
    site: &Site,
    count: &Expr,
    promises: &[(Word, Expr)],
) -> Option<TripCount> {
    let value = cx.decided(site, count)?;
    if let Some((word, _)) = promises.first() {
        let d = site.line.loc(word.at.clone()).error("C0606", "a promise about a fixed count");
        cx.reporter.report(d.help("only a count in a register needs one"));
        return None;
    }
    match u32::try_from(value) {
        Ok(n @ 1..) => Some(TripCount::Fixed(n)),
        _ => {
            let message = format!("the count of a loop is {value}");
            let d = site.line.loc(count.at.clone()).error("C0606", message);
            cx.reporter.report(d.help("a fixed count must be from 1 to 4294967295"));
            None
        }
    }
}

fn promised_count(
    cx: &mut Context,
    site: &Site,
    gpr: u8,
    promises: &[(Word, Expr)],
) -> Option<TripCount> {
    let (mut min, mut multiple, mut expected) = (1, 1, None);
    for (k, (word, expr)) in promises.iter().enumerate() {
        let value = cx.decided(site, expr)?;
        let loc = site.line.loc(word.at.clone());
        if promises[..k].iter().any(|(earlier, _)| earlier.text == word.text) {
            let message = format!("`{}` stands here twice", word.text);
            cx.reporter.report(loc.error("C0606", message));
            return None;
        }
        let place = match word.text.as_str() {
            "min" => &mut min,
            "multiple" => &mut multiple,
            "expected" => expected.insert(1),
            _ => {
                let message = format!("`{}` is not a promise about a loop", word.text);
                let d = loc.error("C0606", message);
                cx.reporter.report(d.help(
                    "the promises are `min=N` and `multiple=N`; `expected=N` is the usual count",
                ));
                return None;
            }
        };
        let Ok(n @ 1..) = u32::try_from(value) else {
            let message = format!("`{}={value}` is out of range", word.text);
            let d = site.line.loc(expr.at.clone()).error("C0606", message);
            cx.reporter.report(d.help("it must be from 1 to 4294967295"));
            return None;
        };
        *place = n;
    }
    // A multiple of M that is at least 1 is at least M.
    let min = min.max(multiple);
    if let Some(n) = expected.filter(|&n| n < min) {
        let at = promises.iter().find(|(word, _)| word.text == "expected");
        let at = at.map_or(site.line.loc(0..0), |(_, expr)| site.line.loc(expr.at.clone()));
        let message = format!("`expected={n}` is below the least count, which is {min}");
        cx.reporter.report(at.error("C0606", message).help(format!("it must be at least {min}")));
        return None;
    }
    Some(TripCount::Register { gpr, min, multiple, expected })
}
