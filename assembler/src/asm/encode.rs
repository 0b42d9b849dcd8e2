//! Second pass over bundles: operations and their operands to words, or to errors.

use super::line::{Line, Loc};
use super::{Assembler, Item, Site, Target};
use crate::ast::{
    BundleLine, Expr, NodeOp, Number, Operand, Operation, Prefix, Register, Step, Unary, Word,
};
use crate::image::SymbolKind;
use crate::names;
use crate::operation::{Choice, find, operand_text, usage};
use cp2_isa::{
    AddressForm, Bundle, Exch, Inst, Kind, MAX_OPERANDS, MoveReg, RegFile, Row, Undefined,
};

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
                    places.0 = site.line.loc(bundle.at.clone());
                    places.1 = exchange.map(|at| site.line.loc(at.clone()));
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

    fn operation(
        &mut self,
        site: &Site,
        operation: &Operation,
        side: Side,
        bundle: &mut Bundle,
    ) -> Option<()> {
        let choice = self.choose(site, operation)?;
        let mut checked = Bundle::NOP;
        match (choice, side) {
            (Choice::Nop, _) => return Some(()),
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
        match checked.check(self.extensions) {
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
                Some(Operand::Register(r)) if r.prefix == Prefix::F => {
                    self.register_number(site, r)?
                }
                _ => 0,
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
            self.report(d.help(format!("it is written `{}`", usage(&operation.name.text, wanted))));
            return None;
        }
        let mut good = true;
        for (k, (wanted, given)) in wanted.iter().zip(&operation.operands).enumerate() {
            match self.operand(site, row, wanted.kind, given, k) {
                Some(v) => values[head.len() + k] = v,
                None => good = false,
            }
        }
        good.then_some(values)
    }

    fn operand(
        &mut self,
        site: &Site,
        row: &'static Row,
        kind: Kind,
        given: &Operand,
        k: usize,
    ) -> Option<i32> {
        match (kind, given) {
            (Kind::AddressSet, Operand::Register(r)) if is(r, Prefix::R) => {
                self.register_number(site, r)
            }
            (Kind::Address(form), Operand::Address { set, step, at }) => {
                let loc = site.line.loc(at.clone());
                self.address(site, row, form, (set, step), &loc)
            }
            (Kind::Fpr(_) | Kind::FprPair(_), Operand::Register(r)) if is(r, Prefix::F) => {
                self.register_number(site, r)
            }
            (Kind::FprPermute(_), Operand::Register(r)) if is(r, Prefix::F) => {
                let number = self.register_number(site, r)?;
                self.in_range(site, row, kind, i128::from(number), &given.at())
            }
            (
                Kind::FprHalf(..),
                Operand::Register(Register { prefix: Prefix::F, half: Some(half), .. }),
            ) => {
                let Operand::Register(r) = given else { return None };
                Some(self.register_number(site, r)? * 2 + half)
            }
            (Kind::Cc(_), Operand::Register(r)) if is(r, Prefix::Cc) => {
                self.register_number(site, r)
            }
            (Kind::Gpr(_), Operand::Register(r)) if is(r, Prefix::G) => {
                self.register_number(site, r)
            }
            (Kind::Creg, Operand::Named(w)) if w.text == "fcsr" => Some(0),
            (Kind::Creg, Operand::Named(w)) if w.text == "fccr" => Some(1),
            (Kind::MoveReg(..), _) => match self.move_register(site, given)? {
                Some(reg) => Some(reg.packed()),
                None => self.wrong_kind(site, row, kind, given, k),
            },
            (Kind::SetReg, Operand::Register(_)) => {
                let reg = self.move_register(site, given)?;
                match reg.and_then(|r| Some((r.file.seti_code()?, r.number))) {
                    Some((file, number)) => Some(i32::from(file) * 16 + i32::from(number)),
                    None => self.wrong_kind(site, row, kind, given, k),
                }
            }
            (Kind::GprOrIreg, Operand::Register(r)) if is(r, Prefix::G) => {
                self.register_number(site, r)
            }
            (Kind::GprOrIreg, Operand::Register(r)) if is(r, Prefix::I) => {
                Some(16 + self.register_number(site, r)?)
            }
            (Kind::Section(4), Operand::Named(w)) if w.text == "all" => Some(4),
            (Kind::Section(_), Operand::Register(r)) if is(r, Prefix::S) => {
                self.register_number(site, r)
            }
            (Kind::Select(_), Operand::Expr(e)) => self.select(site, row, kind, e),
            (Kind::Target | Kind::WordAddress, Operand::Expr(e)) => {
                self.check_memory(site, row, kind, e);
                let v = self.integer(site, e)?;
                self.in_range(site, row, kind, v, &e.at)
            }
            (Kind::Signed(_) | Kind::Unsigned(_), Operand::Expr(e)) => {
                let v = self.integer(site, e)?;
                self.in_range(site, row, kind, v, &e.at)
            }
            _ => self.wrong_kind(site, row, kind, given, k),
        }
    }

    fn wrong_kind(
        &mut self,
        site: &Site,
        row: &Row,
        kind: Kind,
        given: &Operand,
        k: usize,
    ) -> Option<i32> {
        let message = format!(
            "operand {} of `{}` is {}, not {}",
            k + 1,
            row.name,
            operand_text(kind),
            given_text(given)
        );
        let d = site
            .line
            .loc(given.at())
            .error("C0303", message)
            .label(format!("must be {}", operand_text(kind)));
        let shape =
            row.operands.iter().filter(|o| !matches!(o.kind, Kind::Condition | Kind::Format));
        let shape: Vec<_> = shape.copied().collect();
        self.report(d.help(format!("it is written `{}`", usage(row.name, &shape))));
        None
    }

    fn in_range(
        &mut self,
        site: &Site,
        row: &Row,
        kind: Kind,
        value: i128,
        at: &std::ops::Range<usize>,
    ) -> Option<i32> {
        let range = match kind {
            Kind::Address(AddressForm::Offset) => -4096..=4095,
            Kind::Select(_) => 0..=3,
            _ => kind.range(),
        };
        if let Ok(v) = i32::try_from(value)
            && range.contains(&v)
        {
            return Some(v);
        }
        let (least, most) = (range.start(), range.end());
        let message =
            format!("{value} is out of range: `{}` takes {least} to {most} here", row.name);
        let d = site.line.loc(at.clone()).error("C0305", message);
        self.report(d.label(format!("must be from {least} to {most}")));
        None
    }

    /// The number of a register, or `None` after the error has been reported.
    pub(super) fn register_number(&mut self, site: &Site, register: &Register) -> Option<i32> {
        let number = match &register.number {
            Number::Literal(n) => i128::from(*n),
            Number::Computed(e) => self.integer(site, e)?,
        };
        let (name, count) =
            (names::prefix_name(register.prefix), names::prefix_count(register.prefix));
        if (0..i128::from(count)).contains(&number) {
            return Some(number as i32);
        }
        let message =
            format!("there is no register {name}{number}: they are {name}0 to {name}{}", count - 1);
        self.report(site.line.loc(register.at.clone()).error("C0304", message));
        None
    }

    /// The register of a `move` or `seti`; the inner `None` if the operand is no such register.
    #[expect(clippy::option_option, reason = "an error that has been reported is not a wrong kind")]
    fn move_register(&mut self, site: &Site, given: &Operand) -> Option<Option<MoveReg>> {
        let (file, number) = match given {
            Operand::Named(w) => match names::control_number(&w.text) {
                Some(number) => (RegFile::Control, number),
                None => return Some(None),
            },
            Operand::Register(r) if r.half.is_none() => {
                let file = match r.prefix {
                    Prefix::G => RegFile::Gpr,
                    Prefix::A => RegFile::A,
                    Prefix::N => RegFile::N,
                    Prefix::M => RegFile::M,
                    Prefix::I => RegFile::Ireg,
                    Prefix::F | Prefix::R | Prefix::Cc | Prefix::S => return Some(None),
                };
                (file, self.register_number(site, r)? as u8)
            }
            _ => return Some(None),
        };
        Some(Some(MoveReg { file, number }))
    }

    fn address(
        &mut self,
        site: &Site,
        row: &'static Row,
        form: AddressForm,
        (set, step): (&Register, &Step),
        loc: &Loc,
    ) -> Option<i32> {
        if !is(set, Prefix::R) {
            let d = site.line.loc(set.at.clone()).error("C0303", "an address set `rK` stands here");
            self.report(d);
            return None;
        }
        let number = self.register_number(site, set)?;
        match (form, step) {
            (AddressForm::Offset, Step::None) => Some(number),
            (AddressForm::Offset, Step::Offset(e)) => {
                let offset = self.integer(site, e)?;
                let offset = self.in_range(site, row, Kind::Address(form), offset, &e.at)?;
                Some(number + 16 * offset)
            }
            (AddressForm::PlusN, Step::Register(false, n))
            | (AddressForm::MinusN, Step::Register(true, n))
                if is(n, Prefix::N) =>
            {
                let step = self.register_number(site, n)?;
                if step == number {
                    return Some(number);
                }
                let message = format!(
                    "`(r{number})` steps by n{step}; an address steps by its own n{number}"
                );
                self.report(site.line.loc(n.at.clone()).error("C0307", message));
                None
            }
            _ => {
                let written = match form {
                    AddressForm::Offset => {
                        format!("`{}` steps by a number: `(r{number})+1`", row.name)
                    }
                    AddressForm::PlusN => {
                        format!("`{}` steps by `(r{number})+n{number}`", row.name)
                    }
                    AddressForm::MinusN => {
                        format!("`{}` steps by `(r{number})-n{number}`", row.name)
                    }
                };
                let mut d = loc.error("C0303", format!("the address has another step: {written}"));
                if let Some(other) = sibling(row.name, step) {
                    d = d.help(format!("the operation with this step is `{other}`"));
                }
                self.report(d);
                None
            }
        }
    }

    /// Selector of `psprmsgn`: a leading minus flips the sign, of word 0 too.
    fn select(&mut self, site: &Site, row: &Row, kind: Kind, e: &Expr) -> Option<i32> {
        let mut word = e.clone();
        let negative = word.nodes.last().is_some_and(|n| n.op == NodeOp::Unary(Unary::Minus));
        if negative {
            word.nodes.pop();
        }
        let v = self.integer(site, &word)?;
        let v = self.in_range(site, row, kind, v, &e.at)?;
        Some(v + if negative { 4 } else { 0 })
    }

    /// Refuses the label of one memory where an address of the other is meant.
    fn check_memory(&mut self, site: &Site, row: &Row, kind: Kind, e: &Expr) {
        let [node] = e.nodes.as_slice() else { return };
        let NodeOp::Symbol(name) = &node.op else { return };
        let Some(index) = self.symbols.find(site.unit, name) else { return };
        let entry = &self.symbols.entries[index];
        let (wanted, has) = match (kind, entry.kind) {
            (Kind::Target, SymbolKind::Word) => ("a bundle", "a word of local memory"),
            (Kind::WordAddress, SymbolKind::Bundle) => ("a word of local memory", "a bundle"),
            _ => return,
        };
        let message =
            format!("`{}` takes the address of {wanted}; `{name}` is that of {has}", row.name);
        let d = site.line.loc(e.at.clone()).error("C0312", message);
        let d = d.related(entry.loc.span.clone(), format!("`{name}` is defined here"));
        self.report(d.help(format!("if that is meant, write `{name}+0`")));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Alone,
}

/// Whether a register is a whole one with this prefix.
fn is(register: &Register, prefix: Prefix) -> bool {
    register.prefix == prefix && register.half.is_none()
}

/// The memory operation that differs only in how the address steps.
fn sibling(name: &str, step: &Step) -> Option<String> {
    let stems = ["updaddr", "lw", "sw", "ld", "sd"];
    let stem = stems.into_iter().find(|s| name.starts_with(s))?;
    let suffix = match step {
        Step::Register(false, _) => "np",
        Step::Register(true, _) => "nm",
        _ if stem == "updaddr" => "",
        _ => "o",
    };
    Some(format!("{stem}{suffix}"))
}

/// What an operand that was given is called.
fn given_text(given: &Operand) -> String {
    match given {
        Operand::Register(Register { half: Some(_), .. }) => "half of a register".into(),
        Operand::Register(r) => format!("a register {}N", names::prefix_name(r.prefix)),
        Operand::Named(Word { text, .. }) => format!("`{text}`"),
        Operand::Address { .. } => "an address `(rK)`".into(),
        Operand::Expr(_) => "a number".into(),
    }
}

fn undefined_code(undefined: &Undefined) -> &'static str {
    match undefined {
        Undefined::Operand(_, Kind::FprPair(_) | Kind::FprPermute(_), _) => "C0308",
        Undefined::SameDestinations(..) => "C0309",
        Undefined::ComparePastLast => "C0311",
        Undefined::Operand(..) => "C0303",
        Undefined::Opcode(..) | Undefined::Extension(..) => "C0301",
    }
}
