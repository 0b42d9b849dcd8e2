//! Operands of operations: from what is written to the packed values of the instruction table.

use super::Resolver;
use crate::asm::line::Loc;
use crate::image::SymbolKind;
use crate::names;
use crate::operation::{operand_text, usage};
use crate::parse::ast::{
    Address, Expr, NodeOp, Operand, Prefix, Register, StepSyntax, Unary, Word,
};
use cp2_isa::{AddressForm, Core, MoveReg, OperandKind, RegFile, Row};
use std::ops::Range;

/// An operation where it is used.
#[derive(Clone, Copy)]
pub(super) struct Usage<'a> {
    /// Name of the operation as written.
    pub(super) name: &'a str,
    pub(super) row: &'static Row,
}

/// Returns the number of words of the smallest larger local memory that has an address.
fn larger_memory(address: i128) -> Option<usize> {
    let sizes = [Core::CP2.lmem_words() * 2, Core::WIDEST.lmem_words()];
    sizes.into_iter().find(|&words| (0..words as i128).contains(&address))
}

/// Returns what gives a value that is out of range: a machine with more local memory, or the operation that takes the value from
/// a register.
fn remedy(to: &Usage<'_>, kind: OperandKind, value: i128, most: i32) -> Option<String> {
    if kind == OperandKind::WordAddress {
        let words = larger_memory(value)?;
        return Some(format!("`--enable larger-local-memory={words}` gives a machine that has it"));
    }
    let is_count = to.name == "doi" && value > i128::from(most);
    is_count
        .then(|| format!("`do gK, LABEL` takes the count from a general register: {value} in gK"))
}

impl Resolver<'_> {
    fn loc(&self, at: &Range<usize>) -> Loc {
        self.site.line.loc(at.clone())
    }

    /// Returns the packed value of the operand number `k`, or `None` after the error has been reported.
    pub(super) fn operand(
        &mut self,
        to: &Usage<'_>,
        kind: OperandKind,
        given: &Operand,
        k: usize,
    ) -> Option<i32> {
        match given {
            Operand::Register(r) => {
                if let Some(base) = base(kind, r) {
                    return self.register_operand(to, kind, r, base);
                }
            }
            Operand::Pair(pair) => {
                let (first, second) = &**pair;
                if let (OperandKind::FprPair(_) | OperandKind::FprPermute(_), Some(_), Some(_)) =
                    (kind, base(kind, first), base(kind, second))
                {
                    return self.pair(to, kind, first, second);
                }
            }
            Operand::Named(word) => {
                if let Some(value) = named(kind, &word.text) {
                    return Some(value);
                }
            }
            Operand::Address(address) => match kind {
                OperandKind::Address(form) => return self.address(to, kind, form, address),
                OperandKind::SectionAddress | OperandKind::SharedAddress => {
                    return self.address(to, kind, AddressForm::Offset, address);
                }
                _ => {}
            },
            Operand::Expr(e) => match kind {
                OperandKind::Select(_) => return self.select(to, e),
                OperandKind::Target
                | OperandKind::WordAddress
                | OperandKind::SharedWord
                | OperandKind::Signed(_)
                | OperandKind::Unsigned(_) => {
                    self.check_memory(to, kind, e);
                    let value = self.integer(e)?;
                    return self.in_range(to, kind, value, &e.at);
                }
                _ => {}
            },
        }
        self.wrong_kind(to, kind, given, k)
    }

    fn register_operand(
        &mut self,
        to: &Usage<'_>,
        kind: OperandKind,
        register: &Register,
        base: i32,
    ) -> Option<i32> {
        let number = self.register_number(register)?;
        if register.prefix == Prefix::Virtual
            && matches!(kind, OperandKind::FprPair(_) | OperandKind::FprPermute(_))
        {
            let d = self
                .loc(&register.at)
                .error("C0303", format!("`{}` takes two registers here, not one", to.name));
            self.cx
                .reporter
                .report(d.help("name both, the one with the lower number first: `%a:%b`"));
            return None;
        }
        match (kind, register.half) {
            (OperandKind::FprHalf(..), Some(half)) => Some(number * 2 + i32::from(half)),
            (OperandKind::FprPermute(_), _) => {
                self.in_range(to, kind, i128::from(number), &register.at)
            }
            _ => Some(base + number),
        }
    }

    /// Returns the packed value of two registers that an operation takes together: the number of the first.
    fn pair(
        &mut self,
        to: &Usage<'_>,
        kind: OperandKind,
        first: &Register,
        second: &Register,
    ) -> Option<i32> {
        let (a, b) = (self.register_number(first)?, self.register_number(second)?);
        let loc = self.loc(&(first.at.start..second.at.end));
        let first_number = self.neighbours(&loc, a, b)?;
        match first.prefix {
            Prefix::Virtual => Some(first_number),
            _ => self.in_range(to, kind, i128::from(first_number), &first.at),
        }
    }

    fn wrong_kind(
        &mut self,
        to: &Usage<'_>,
        kind: OperandKind,
        given: &Operand,
        k: usize,
    ) -> Option<i32> {
        let (wanted, name) = (operand_text(kind), to.name);
        let message =
            format!("operand {} of `{name}` is {wanted}, not {}", k + 1, given_text(given));
        let in_mnemonic = |kind| matches!(kind, OperandKind::Condition | OperandKind::Format);
        let shape: Vec<_> =
            to.row.operands.iter().filter(|o| !in_mnemonic(o.kind)).copied().collect();
        let d = self.loc(&given.at()).error("C0303", message).label(format!("must be {wanted}"));
        self.cx.reporter.report(d.help(format!("it is written `{}`", usage(name, &shape))));
        None
    }

    fn in_range(
        &mut self,
        to: &Usage<'_>,
        kind: OperandKind,
        value: i128,
        at: &Range<usize>,
    ) -> Option<i32> {
        let range = match kind {
            OperandKind::Address(AddressForm::Offset) | OperandKind::SectionAddress => -4096..=4095,
            OperandKind::SharedAddress => -1024..=1023,
            OperandKind::Select(_) => 0..=3,
            // More than CP2 has is an extension.
            OperandKind::WordAddress => {
                0..=self.cx.core.address_mask().max(Core::CP2.address_mask()).into()
            }
            // Every other 32 registers are those of the other opcode.
            OperandKind::FprPermute(base) => {
                let first = base + (value.clamp(0, u8::MAX.into()) as i32 & !63);
                first..=first + 31
            }
            _ => kind.range(),
        };
        if let Ok(v) = i32::try_from(value)
            && range.contains(&v)
        {
            return Some(v);
        }
        let (least, most) = (range.start(), range.end());
        let message =
            format!("{value} is out of range: `{}` takes {least} to {most} here", to.name);
        let d = self.loc(at).error("C0305", message);
        let mut d = d.label(format!("must be from {least} to {most}"));
        d.help = remedy(to, kind, value, *most);
        self.cx.reporter.report(d);
        None
    }

    fn address(
        &mut self,
        to: &Usage<'_>,
        kind: OperandKind,
        form: AddressForm,
        Address { set, step, at }: &Address,
    ) -> Option<i32> {
        if !is(set, Prefix::R) {
            self.cx
                .reporter
                .report(self.loc(&set.at).error("C0303", "expected an address set `rK`"));
            return None;
        }
        let number = self.register_number(set)?;
        match (form, step) {
            (AddressForm::Offset, StepSyntax::None) => Some(number),
            (AddressForm::Offset, StepSyntax::Offset(e)) => {
                let offset = self.integer(e)?;
                let offset = self.in_range(to, kind, offset, &e.at)?;
                Some(number + 16 * offset)
            }
            (AddressForm::PlusN, StepSyntax::Register(false, n))
            | (AddressForm::MinusN, StepSyntax::Register(true, n))
                if is(n, Prefix::N) =>
            {
                self.own_step(number, n)
            }
            _ => {
                self.wrong_step(to, form, (number, step), &self.loc(at));
                None
            }
        }
    }

    /// Refuses a step by the Nn of another set.
    fn own_step(&mut self, number: i32, n: &Register) -> Option<i32> {
        let step = self.register_number(n)?;
        if step == number {
            return Some(number);
        }
        let message =
            format!("`(r{number})` steps by n{step}; an address steps by its own n{number}");
        self.cx.reporter.report(self.loc(&n.at).error("C0307", message));
        None
    }

    fn wrong_step(
        &mut self,
        to: &Usage<'_>,
        form: AddressForm,
        (n, step): (i32, &StepSyntax),
        loc: &Loc,
    ) {
        let written = match form {
            AddressForm::Offset => format!("a number: `(r{n})+1`"),
            AddressForm::PlusN => format!("n{n}: `(r{n})+n{n}`"),
            AddressForm::MinusN => format!("-n{n}: `(r{n})-n{n}`"),
        };
        let message = format!("the address has another step: `{}` steps by {written}", to.name);
        let mut d = loc.error("C0303", message);
        if let Some(other) = sibling(to.name, step) {
            d = d.help(format!("the operation with this step is `{other}`"));
        }
        self.cx.reporter.report(d);
    }

    /// Returns the selector of `psprmsgn`: a leading minus flips the sign, of word 0 too.
    fn select(&mut self, to: &Usage<'_>, e: &Expr) -> Option<i32> {
        let mut word = e.clone();
        let negative = word.nodes.last().is_some_and(|n| n.op == NodeOp::Unary(Unary::Minus));
        if negative {
            word.nodes.pop();
        }
        let v = self.integer(&word)?;
        let v = self.in_range(to, OperandKind::Select(0), v, &e.at)?;
        Some(v + if negative { 4 } else { 0 })
    }

    /// Refuses the label of one memory where an address of the other is meant.
    fn check_memory(&mut self, to: &Usage<'_>, kind: OperandKind, e: &Expr) {
        let [node] = e.nodes.as_slice() else { return };
        let NodeOp::Symbol(name) = &node.op else { return };
        let Some(index) = self.cx.symbols.find(self.site.unit, name) else { return };
        let entry = &self.cx.symbols.entries[index];
        let (wanted, has) = match (kind, entry.kind) {
            (OperandKind::Target, SymbolKind::Word) => ("a bundle", "a word of local memory"),
            (OperandKind::WordAddress, SymbolKind::Bundle) => {
                ("a word of local memory", "a bundle")
            }
            _ => return,
        };
        let message =
            format!("`{}` takes the address of {wanted}; `{name}` is that of {has}", to.name);
        let d = self.loc(&e.at).error("C0312", message);
        let d = d.related(entry.loc.span.clone(), format!("`{name}` is defined here"));
        self.cx.reporter.report(d.help(format!("if that is meant, write `{name}+0`")));
    }
}

/// Whether a register is a whole one with this prefix.
fn is(register: &Register, prefix: Prefix) -> bool {
    register.prefix == prefix && register.half.is_none()
}

/// Returns the packed value of register 0, if the operand can be a register of this prefix.
fn base(kind: OperandKind, register: &Register) -> Option<i32> {
    let file = |file: RegFile| Some(MoveReg { file, number: 0 }.packed());
    match (kind, register.prefix, register.half.is_some()) {
        (OperandKind::FprHalf(..), Prefix::F | Prefix::Virtual, true) => Some(0),
        (_, _, true) => None,
        (
            OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_),
            Prefix::F | Prefix::Virtual,
            _,
        ) => Some(0),
        (OperandKind::Cc(_), Prefix::Cc, _) => Some(0),
        (
            OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet,
            Prefix::R,
            _,
        ) => Some(0),
        (OperandKind::Section(..), Prefix::S, _) => Some(0),
        (OperandKind::Gpr(_) | OperandKind::GprOrIreg, Prefix::G, _) => Some(0),
        (OperandKind::GprOrIreg, Prefix::I, _) => Some(16),
        (OperandKind::SetReg, prefix, _) => match prefix {
            Prefix::G => Some(0),
            Prefix::A => Some(16),
            Prefix::N => Some(32),
            Prefix::M => Some(48),
            _ => None,
        },
        (OperandKind::MoveReg(..), prefix, _) => match prefix {
            Prefix::G => file(RegFile::Gpr),
            Prefix::A => file(RegFile::A),
            Prefix::N => file(RegFile::N),
            Prefix::M => file(RegFile::M),
            Prefix::I => file(RegFile::Ireg),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the packed value of a register without a number.
fn named(kind: OperandKind, name: &str) -> Option<i32> {
    match (kind, name) {
        (OperandKind::Creg, "fcsr") => Some(0),
        (OperandKind::Creg, "fccr") => Some(1),
        (OperandKind::Section(_, 4), "all") => Some(4),
        (OperandKind::MoveReg(..), _) => {
            let number = names::control_number(name)?;
            Some(MoveReg { file: RegFile::Control, number }.packed())
        }
        _ => None,
    }
}

/// Returns the name of the memory operation that differs only in how the address steps.
fn sibling(name: &str, step: &StepSyntax) -> Option<String> {
    let stems = ["updaddr", "lw", "sw", "ld", "sd"];
    let stem = stems.into_iter().find(|s| name.starts_with(s))?;
    let suffix = match step {
        StepSyntax::Register(false, _) => "np",
        StepSyntax::Register(true, _) => "nm",
        _ if stem == "updaddr" => "",
        _ => "o",
    };
    Some(format!("{stem}{suffix}"))
}

/// Returns the name in messages of an operand that was given.
fn given_text(given: &Operand) -> String {
    match given {
        Operand::Register(Register { half: Some(_), .. }) => "half of a register".into(),
        Operand::Register(r) => format!("a register {}N", names::prefix_name(r.prefix)),
        Operand::Pair(..) => "two registers".into(),
        Operand::Named(Word { text, .. }) => format!("`{text}`"),
        Operand::Address(_) => "an address `(rK)`".into(),
        Operand::Expr(_) => "a number".into(),
    }
}
