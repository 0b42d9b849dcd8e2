//! Registers: their numbers, and in linear code the virtual ones, which their first use defines.

use super::Resolver;
use crate::asm::line::Loc;
use crate::linear::{Reg, Region};
use crate::names;
use crate::parse::ast::{Number, Prefix, Register};
use std::collections::HashMap;

/// The virtual registers of a region.
#[derive(Debug)]
pub(crate) struct Virtuals {
    /// Region of the registers; it holds their names, and which follow each other.
    pub(crate) region: Region,
    numbers: HashMap<String, usize>,
}

impl Virtuals {
    pub(crate) fn new(region: Region) -> Self {
        Self { region, numbers: HashMap::new() }
    }

    /// Returns the number of a name.
    fn number(&mut self, name: String) -> Reg {
        let next = self.numbers.len();
        let index = *self.numbers.entry(name.clone()).or_insert(next);
        if index == next {
            self.region.names.push(name);
        }
        Reg::from_virtual(index)
    }

    /// Makes two registers neighbours in the whole region, or says why they cannot be.
    fn join(&mut self, a: Reg, b: Reg) -> Result<(), String> {
        let region = &mut self.region;
        let clash = match region.next.get(&a) {
            Some(&other) => (other != b).then_some((a, other)),
            None => region.next.iter().find(|(_, n)| **n == b).map(|(&p, _)| (p, b)),
        };
        if let Some((x, y)) = clash {
            let (x, y) = (region.register_name(x), region.register_name(y));
            return Err(format!("`{x}` is followed by `{y}` elsewhere"));
        }
        if follows(region, b, a) {
            return Err("the neighbours would form a circle".into());
        }
        region.next.insert(a, b);
        Ok(())
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

impl Resolver<'_> {
    /// Returns the number of a register, or `None` after the error has been reported.
    pub(crate) fn register_number(&mut self, register: &Register) -> Option<i32> {
        let number = match &register.number {
            Number::Literal(n) => i128::from(*n),
            Number::Computed(e) => self.integer(e)?,
            Number::Named(named) => {
                let (name, index) = &**named;
                let index = match index {
                    Some(e) => self.integer(e)?.to_string(),
                    None => String::new(),
                };
                return self.virtual_register(register, format!("{name}{index}"));
            }
        };
        let count = names::prefix_count(register.prefix, &self.cx.core);
        if (0..i128::from(count)).contains(&number) {
            return Some(number as i32);
        }
        let (name, last) = (names::prefix_name(register.prefix), count - 1);
        let message =
            format!("there is no register {name}{number}: they are {name}0 to {name}{last}");
        let mut d = self.site.line.loc(register.at.clone()).error("C0304", message);
        if register.prefix == Prefix::F && (count.into()..=u8::MAX.into()).contains(&number) {
            let fprs = if number < 128 { 128 } else { 256 };
            d = d.help(format!("`--enable more-fprs={fprs}` gives a machine that has it"));
        }
        self.cx.reporter.report(d);
        None
    }

    fn virtual_register(&mut self, register: &Register, name: String) -> Option<i32> {
        if let Some(virtuals) = &mut self.virtuals {
            return Some(virtuals.number(name).0 as i32);
        }
        let message = format!("`%{name}`: virtual registers exist in linear code only");
        let d = self.site.line.loc(register.at.clone()).error("C0602", message);
        self.cx.reporter.report(d.help(
            "write a register such as f0, or put the lines between `.linear` and `.endlinear`",
        ));
        None
    }

    /// Notes that an operation takes two registers as neighbours, and gives the first.
    pub(super) fn neighbours(&mut self, loc: &Loc, first: i32, second: i32) -> Option<i32> {
        let (a, b) = (Reg(first as u32), Reg(second as u32));
        let joined = match (a.physical(), b.physical(), &mut self.virtuals) {
            (Some(_), Some(_), _) if second == first + 1 => Ok(()),
            (None, None, Some(virtuals)) => virtuals.join(a, b),
            _ => Err("two neighbours are fN and fN+1, or two virtual registers".into()),
        };
        match joined {
            Ok(()) => Some(first),
            Err(why) => {
                let d = loc.error("C0604", format!("these cannot be neighbours: {why}"));
                self.cx.reporter.report(d.help("copy a value into a register of its own pair"));
                None
            }
        }
    }
}
