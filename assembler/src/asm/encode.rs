//! Second pass over bundles: operations and their operands to words, or to errors.

use super::line::{Line, Spot};
use super::operands::Usage;
use super::{Assembler, Item, Site, Target, linear};
use crate::ast::{BundleLine, Operand, Operation, Prefix};
use crate::operation::{Choice, find, usage as written_as};
use cp2_isa::{Bundle, Exch, Inst, Kind, MAX_OPERANDS, Row, Undefined};

impl Assembler<'_> {
    /// Computes the words of what the first pass has placed.
    pub(super) fn encode_item(&mut self, item: Item) {
        match item {
            Item::Bundle { site, bundle, target } => {
                let word = self.bundle_word(&site, &bundle);
                let exchange = bundle.right.as_ref().or(bundle.left.as_ref()).map(|o| &o.at);
                self.set_bundle(target, word);
                if let Some(address) = target.address
                    && let Some(places) = self.bundles.get_mut(&address)
                {
                    places.0 = Spot::new(&site.line, bundle.at.clone());
                    places.1 = exchange.map(|at| Spot::new(&site.line, at.clone()));
                }
            }
            Item::Raw { site, word, target } => self.encode_raw(&site, &word, target),
            Item::Data { site, form, exprs, slot } => self.encode_data(&site, form, &exprs, slot),
        }
    }

    pub(super) fn set_bundle(&mut self, target: Target, word: Option<u64>) {
        if let (Some(address), Some(word)) = (target.address, word) {
            self.layout.set_bundle(target.kernel, address, word);
        }
    }

    fn bundle_word(&mut self, site: &Site, line: &BundleLine) -> Option<u64> {
        let cc = match &line.predicate {
            Some(register) => self.register_number(site, register),
            None => Some(0),
        };
        let mut bundle = Bundle::NOP;
        let mut good = true;
        let sides = [(&line.left, line.bar.is_some(), false), (&line.right, false, true)];
        for (operation, before_bar, after_bar) in sides {
            let Some(operation) = operation else { continue };
            let side = if before_bar {
                Side::Left
            } else if after_bar {
                Side::Right
            } else {
                Side::Alone
            };
            good &= self.operation(site, operation, side, &mut bundle).is_some();
        }
        let cc = cc?;
        bundle.cc = cc as u8;
        good.then(|| cp2_isa::encode(&bundle))
    }

    pub(super) fn operation(
        &mut self,
        site: &Site,
        operation: &Operation,
        side: Side,
        bundle: &mut Bundle,
    ) -> Option<()> {
        let choice = self.choose(site, operation)?;
        let mut checked = Bundle::NOP;
        match (choice, side) {
            (Choice::Nop, _) => {
                self.operands(site, operation, cp2_isa::Arith::Nop.row(), &[])?;
                return Some(());
            }
            (Choice::Arith(op, head), Side::Left | Side::Alone) => {
                let values = self.operands(site, operation, op.row(), &head)?;
                bundle.arith = Inst { op, values };
                checked.arith = bundle.arith;
            }
            (Choice::Exch(op), Side::Right | Side::Alone) => {
                let values = self.operands(site, operation, op.row(), &[])?;
                bundle.exch = Inst { op, values };
                checked.exch = bundle.exch;
            }
            (choice, _) => {
                self.wrong_side(&site.line, operation, matches!(choice, Choice::Arith(..)));
                return None;
            }
        }
        if self.linear.is_some() {
            checked = linear::with_small_registers(&checked);
        }
        match checked.check(&self.core) {
            Ok(()) => Some(()),
            Err(undefined) => {
                let loc = site.line.loc(operation.at.clone());
                self.report(loc.error(undefined_code(&undefined), undefined.to_string()));
                None
            }
        }
    }

    fn wrong_side(&mut self, line: &Line, operation: &Operation, is_arithmetic: bool) {
        let name = &operation.name.text;
        let (slot, place) = if is_arithmetic {
            ("an arithmetic operation", "before")
        } else {
            ("an exchange operation", "after")
        };
        let message = format!("`{name}` is {slot} and stands on the wrong side of `|`");
        let d = line.loc(operation.name.at.clone()).error("C0306", message);
        self.report(d.help(format!("write it {place} the `|`: `arithmetic | exchange`")));
    }

    /// The operation that a mnemonic means; `psprmsgn` is told by its destination.
    fn choose(&mut self, site: &Site, operation: &Operation) -> Option<Choice> {
        if operation.name.text == "psprmsgn" {
            let first = match operation.operands.first() {
                Some(Operand::Register(r)) => Some(r),
                Some(Operand::Pair(pair)) => Some(&pair.0),
                _ => None,
            };
            let first = match first.filter(|r| r.prefix == Prefix::F) {
                Some(r) => self.register_number(site, r)?,
                None => 0,
            };
            let op = if first < 32 { Exch::Psprmsgn0 } else { Exch::Psprmsgn1 };
            return Some(Choice::Exch(op));
        }
        let macros = self.units[site.unit].macros.keys().map(String::as_str);
        match find(&operation.name.text, macros) {
            Ok(choice) => Some(choice),
            Err((message, help)) => {
                let mut d = site.line.loc(operation.name.at.clone()).error("C0301", message);
                d.help = help;
                self.report(d);
                None
            }
        }
    }

    /// Values of all operands of a row; `head` are those that the mnemonic has told.
    fn operands(
        &mut self,
        site: &Site,
        operation: &Operation,
        row: &'static Row,
        head: &[i32],
    ) -> Option<[i32; MAX_OPERANDS]> {
        let mut values = [0; MAX_OPERANDS];
        values[..head.len()].copy_from_slice(head);
        let wanted = &row.operands[head.len()..];
        if wanted.len() != operation.operands.len() {
            let plural = if wanted.len() == 1 { "" } else { "s" };
            let message = format!(
                "`{}` takes {} operand{plural}, {} given",
                operation.name.text,
                wanted.len(),
                operation.operands.len()
            );
            let d = site.line.loc(operation.at.clone()).error("C0302", message);
            self.report(
                d.help(format!("it is written `{}`", written_as(&operation.name.text, wanted))),
            );
            return None;
        }
        let usage = Usage { site, name: &operation.name.text, row };
        let mut good = true;
        for (k, (wanted, given)) in wanted.iter().zip(&operation.operands).enumerate() {
            match self.operand(&usage, wanted.kind, given, k) {
                Some(v) => values[head.len() + k] = v,
                None => good = false,
            }
        }
        good.then_some(values)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Alone,
}

fn undefined_code(undefined: &Undefined) -> &'static str {
    match undefined {
        Undefined::Beyond(_, Kind::FprPair(_) | Kind::FprPermute(_), ..) => "C0308",
        Undefined::SameDestinations(..) => "C0309",
        Undefined::ComparePastLast => "C0311",
        Undefined::StopcodeWritten => "C0313",
        Undefined::Operand(..) | Undefined::Beyond(..) => "C0303",
        Undefined::Opcode(..) | Undefined::Extension(..) => "C0301",
    }
}
