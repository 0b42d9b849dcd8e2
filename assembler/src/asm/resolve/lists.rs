//! Lists of registers in directives.

use crate::asm::context::Context;
use crate::asm::symbols::Site;
use crate::names;
use crate::parse::ast::{Operand, Prefix, Register};

/// Returns the FPRs of a list with ranges, or `None` after the error has been reported.
pub(crate) fn register_ranges(
    cx: &mut Context,
    site: &Site,
    ranges: &[(Register, Option<Register>)],
) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for (first, last) in ranges {
        let from = fpr(cx, site, first)?;
        let to = match last {
            Some(last) => fpr(cx, site, last)?,
            None => from,
        };
        if to < from {
            let at = first.at.start..last.as_ref().map_or(first.at.end, |l| l.at.end);
            let message = format!("the range goes down, from f{from} to f{to}");
            cx.reporter.report(site.line.loc(at).error("C0418", message));
            return None;
        }
        all.extend(from..=to);
    }
    Some(all)
}

fn fpr(cx: &mut Context, site: &Site, register: &Register) -> Option<u8> {
    if register.prefix != Prefix::F || register.half.is_some() {
        let prefix = names::prefix_name(register.prefix);
        let last = cx.core.fprs() - 1;
        let message = format!("this list takes registers f0 to f{last}, not {prefix}N");
        let d = site.line.loc(register.at.clone()).error("C0418", message);
        cx.reporter.report(d.help("for example `f0, f2-f5`"));
        return None;
    }
    super::Resolver::new(cx, site, None).register_number(register).map(|n| n as u8)
}

/// Returns the number of a whole register with this prefix, or `None` after the error has been reported.
pub(crate) fn listed(
    cx: &mut Context,
    site: &Site,
    operand: &Operand,
    prefix: Prefix,
) -> Option<u8> {
    if let Operand::Register(register) = operand
        && register.prefix == prefix
        && register.half.is_none()
    {
        return super::Resolver::new(cx, site, None).register_number(register).map(|n| n as u8);
    }
    let name = names::prefix_name(prefix);
    let message = format!("this list takes registers {name}N");
    cx.reporter.report(site.line.loc(operand.at()).error("C0418", message));
    None
}
