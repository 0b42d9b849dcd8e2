//! Resolution: what has been placed, with a value for every name and expression, each fit for its
//! field. Registers are in `registers`, other operands in `operands`.

pub(crate) mod lists;
mod operands;
mod registers;

pub(crate) use registers::Virtuals;

use super::context::Context;
use super::eval::single_bits;
use super::line::Line;
use super::place::item::{Item, Target};
use super::place::layout::Slot;
use super::symbols::Site;
use crate::linear::LinearInst;
use crate::operation::{Choice, advice, find, usage as written_as};
use crate::parse::ast::{BundleLine, DataForm, Expr, Operand, Prefix};
use crate::parse::ast::{Operation as WrittenOperation, Register};
use cp2_isa::{BundleBits, Exch, Inst, MAX_OPERANDS, Row};
use operands::Usage;
use std::ops::Range;
use std::rc::Rc;

/// An item that only has to be packed into words.
pub(crate) enum Resolved {
    /// A bundle as it was written.
    Bundle { line: Rc<Line>, bundle: Bundle, target: Target },
    /// A bundle given as a number, and where that stands.
    Raw { line: Rc<Line>, at: Range<usize>, word: BundleBits, target: Target },
    /// A bundle of the scheduler.
    Scheduled { bundle: Box<cp2_isa::Bundle>, target: Target },
    /// The fields of words of data; `None` for those in error.
    Data { form: DataForm, fields: Vec<Option<u64>>, slot: Slot },
}

/// A bundle; `None` where something is in error, which has been reported.
pub(crate) struct Bundle {
    pub(crate) cc: Option<u8>,
    pub(crate) operations: Vec<Option<Operation>>,
}

/// An operation with values for its operands; `nop` of either slot is no code.
pub(crate) struct Operation {
    pub(crate) code: Option<LinearInst>,
    pub(crate) at: Range<usize>,
}

/// The side of a line on which an operation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Before the `|`.
    Left,
    /// After the `|`.
    Right,
    /// There is none.
    Alone,
}

/// Returns the values of an item; `None` if there are none, after the error has been reported.
pub(crate) fn resolve(cx: &mut Context, item: Item) -> Option<Resolved> {
    match item {
        Item::Bundle { site, bundle, target } => {
            let bundle = Resolver::new(cx, &site, None).bundle(&bundle);
            Some(Resolved::Bundle { line: site.line, bundle, target })
        }
        Item::Raw { site, low, upper, target } => {
            let mut word = BundleBits::from(cx.integer(&site, &low)? as u64);
            let mut at = low.at;
            if let Some(upper) = upper {
                word |= BundleBits::from(cx.integer(&site, &upper)? as u64) << 64;
                at.end = upper.at.end;
            }
            Some(Resolved::Raw { line: site.line, at, word, target })
        }
        Item::Scheduled { bundle, target } => Some(Resolved::Scheduled { bundle, target }),
        Item::Data { site, form, exprs, slot } => {
            let fields = exprs.iter().map(|e| field(cx, &site, form, e)).collect();
            Some(Resolved::Data { form, fields, slot: slot? })
        }
    }
}

/// Returns a word of data or a half of one.
fn field(cx: &mut Context, site: &Site, form: DataForm, expr: &Expr) -> Option<u64> {
    match form {
        DataForm::Quad => Some(cx.integer(site, expr)? as u64),
        DataForm::Complex => Some(u64::from(single_bits(cx.value(site, expr)?))),
        DataForm::Pair => {
            let value = cx.integer(site, expr)?;
            if (i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(&value) {
                return Some(u64::from(value as u32));
            }
            let message = format!("{value} does not fit in 32 bits");
            cx.reporter.report(site.line.loc(expr.at.clone()).error("C0420", message));
            None
        }
    }
}

/// Finds values where a line stands. With the virtual registers of a region in linear code.
pub(crate) struct Resolver<'a> {
    cx: &'a mut Context,
    site: &'a Site,
    virtuals: Option<&'a mut Virtuals>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        cx: &'a mut Context,
        site: &'a Site,
        virtuals: Option<&'a mut Virtuals>,
    ) -> Self {
        Self { cx, site, virtuals }
    }

    fn integer(&mut self, expr: &Expr) -> Option<i128> {
        self.cx.integer(self.site, expr)
    }

    fn bundle(&mut self, line: &BundleLine) -> Bundle {
        let cc = match &line.predicate {
            Some(register) => self.register_number(register).map(|cc| cc as u8),
            None => Some(0),
        };
        let before = if line.bar.is_some() { Side::Left } else { Side::Alone };
        let sides = [(&line.left, before), (&line.right, Side::Right)];
        let operation = |(written, side): (&Option<WrittenOperation>, Side)| {
            written.as_ref().map(|written| self.operation(written, side))
        };
        Bundle { cc, operations: sides.into_iter().filter_map(operation).collect() }
    }

    /// Returns the operation that is written, with its values; `None` after the error has been reported.
    pub(crate) fn operation(
        &mut self,
        written: &WrittenOperation,
        side: Side,
    ) -> Option<Operation> {
        let code = match (self.choose(written)?, side) {
            (Choice::Nop, _) => {
                self.operands(written, cp2_isa::Arith::Nop.row(), &[])?;
                None
            }
            (Choice::Arith(op, head), Side::Left | Side::Alone) => {
                let values = self.operands(written, op.row(), &head)?;
                Some(LinearInst::Arith(Inst { op, values }))
            }
            (Choice::Exch(op), Side::Right | Side::Alone) => {
                let values = self.operands(written, op.row(), &[])?;
                Some(LinearInst::Exch(Inst { op, values }))
            }
            (choice, _) => {
                self.wrong_side(written, matches!(choice, Choice::Arith(..)));
                return None;
            }
        };
        Some(Operation { code, at: written.at.clone() })
    }

    fn wrong_side(&mut self, written: &WrittenOperation, is_arithmetic: bool) {
        let name = &written.name.text;
        let (slot, place) = if is_arithmetic {
            ("an arithmetic operation", "before")
        } else {
            ("an exchange operation", "after")
        };
        let message = format!("`{name}` is {slot} on the wrong side of `|`");
        let d = self.site.line.loc(written.name.at.clone()).error("C0306", message);
        let help = format!("write it {place} the `|`: `arithmetic | exchange`");
        self.cx.reporter.report(d.help(help));
    }

    /// Returns the operation that a mnemonic means; `psprmsgn` is told by its destination.
    fn choose(&mut self, written: &WrittenOperation) -> Option<Choice> {
        if written.name.text == "psprmsgn" {
            let first: Option<&Register> = match written.operands.first() {
                Some(Operand::Register(r)) => Some(r),
                Some(Operand::Pair(pair)) => Some(&pair.0),
                _ => None,
            };
            let first = match first.filter(|r| r.prefix == Prefix::F) {
                Some(r) => self.register_number(r)?,
                None => 0,
            };
            // What neither of them reaches is told of the operand.
            let op = Exch::permutation_to(first).unwrap_or(Exch::Psprmsgn1);
            return Some(Choice::Exch(op));
        }
        let name = &written.name.text;
        match find(name) {
            Ok(choice) => Some(choice),
            Err((message, help)) => {
                let loc = self.site.line.loc(written.name.at.clone());
                let mut d = loc.error("C0301", message);
                let macros = || self.cx.symbols.macros(self.site.unit);
                let advice = || help.or_else(|| advice(name, macros()));
                d.help = self.cx.reporter.advice(&loc.span, advice);
                self.cx.reporter.report(d);
                None
            }
        }
    }

    /// Returns the values of all operands of a row; `head` are those that the mnemonic has told.
    fn operands(
        &mut self,
        written: &WrittenOperation,
        row: &'static Row,
        head: &[i32],
    ) -> Option<[i32; MAX_OPERANDS]> {
        let mut values = [0; MAX_OPERANDS];
        values[..head.len()].copy_from_slice(head);
        let wanted = &row.operands[head.len()..];
        let name = &written.name.text;
        if wanted.len() != written.operands.len() {
            let plural = if wanted.len() == 1 { "" } else { "s" };
            let message = format!(
                "`{name}` takes {} operand{plural}, {} given",
                wanted.len(),
                written.operands.len()
            );
            let d = self.site.line.loc(written.at.clone()).error("C0302", message);
            let help = format!("it is written `{}`", written_as(name, wanted));
            self.cx.reporter.report(d.help(help));
            return None;
        }
        let usage = Usage { name, row };
        let mut good = true;
        for (k, (wanted, given)) in wanted.iter().zip(&written.operands).enumerate() {
            match self.operand(&usage, wanted.kind, given, k) {
                Some(v) => values[head.len() + k] = v,
                None => good = false,
            }
        }
        good.then_some(values)
    }
}
