//! The grammar of labels, operands and bundles.

use super::allowed::allowed;
use super::ast::{
    Address, Allowed, BundleLine, Expr, Number, Operand, Operation, Prefix, Register, StepSyntax,
    Word,
};
use super::cursor::{Cursor, Fault, Parsed, Refused};
use super::expr::{blanks, enter, expr, mark, name, release, token};
use crate::names;
use nom::Parser;
use nom::bytes::complete::take_while1;
use nom::combinator::{opt, peek};
use nom::multi::{separated_list0, separated_list1};
use nom::sequence::terminated;

/// Reads labels before a statement, and blanks after them.
pub(crate) fn labels(i: Cursor<'_>) -> Parsed<'_, Vec<Word>> {
    let (mut i, ()) = blanks(i)?;
    let mut labels = Vec::new();
    while let Ok((after, label)) = terminated(token(name), mark(":")).parse(i) {
        labels.push(label.word());
        i = after;
    }
    Ok((i, labels))
}

/// Reads a register such as `f3`, `f{2*k}`, `f3.hi`; no blanks after it.
pub(super) fn register(i: Cursor<'_>) -> Parsed<'_, Register> {
    let not_one = || nom::Err::Error(Refused::Absent(i.offset));
    if i.text.starts_with('%') {
        return virtual_register(i);
    }
    let (rest, word) = name(i)?;
    // `f32(...)` is a function.
    if rest.text.starts_with('(') {
        return Err(not_one());
    }
    let (rest, prefix, number) = if let Some((prefix, number)) = names::numbered(word.text) {
        (rest, prefix, Number::Literal(number))
    } else if let (Some(prefix), true) = (names::prefix(word.text), rest.text.starts_with('{')) {
        let (after, number) = braces(rest)?;
        (after, prefix, Number::Computed(Box::new(number)))
    } else {
        return Err(not_one());
    };
    let (rest, half) = half(rest)?;
    Ok((rest, Register { prefix, number, half, at: i.until(&rest) }))
}

/// Reads an expression in braces.
fn braces(i: Cursor<'_>) -> Parsed<'_, Expr> {
    let (inner, ()) = blanks(enter(i)?.skip(1))?;
    let (after, number) = expr(inner)?;
    if !after.text.starts_with('}') {
        return Err(after.expected("`}`"));
    }
    Ok((Cursor { depth: i.depth, ..after.skip(1) }, number))
}

/// Reads `%name`, `%name{2*k}`, `%name.hi`.
fn virtual_register(i: Cursor<'_>) -> Parsed<'_, Register> {
    let start = i.skip(1);
    let text = start.leading_word().text;
    if text.is_empty() {
        return Err(start.expected("the name of a virtual register"));
    }
    let rest = start.skip(text.len());
    let (rest, number) = match rest.text.starts_with('{') {
        true => braces(rest).map(|(rest, number)| (rest, Some(number)))?,
        false => (rest, None),
    };
    let number = Number::Named(Box::new((text.to_owned(), number)));
    let (rest, half) = half(rest)?;
    Ok((rest, Register { prefix: Prefix::Virtual, number, half, at: i.until(&rest) }))
}

fn half(i: Cursor<'_>) -> Parsed<'_, Option<u8>> {
    if !i.text.starts_with('.') {
        return Ok((i, None));
    }
    match opt(name).parse(i.skip(1))? {
        (rest, Some(w)) if w.text == "hi" => Ok((rest, Some(1))),
        (rest, Some(w)) if w.text == "lo" => Ok((rest, Some(0))),
        _ => Err(i.skip(1).expected("`hi` or `lo`")),
    }
}

/// Reads `(rK)` and its step, once it is clear that a register stands in the parentheses.
fn address(i: Cursor<'_>) -> Parsed<'_, Address> {
    let (inner, _) = mark("(").parse(i)?;
    let (rest, set) = token(register).parse(inner)?;
    let close = rest;
    let rest = release(Cursor { depth: i.depth + 1, ..rest }, ")")?;
    let end = close.offset + 1;
    let Some(sign) = rest.text.chars().next().filter(|c| "+-".contains(*c)) else {
        return Ok((rest, Address { set, step: StepSyntax::None, at: i.offset..end }));
    };
    let (after_sign, ()) = blanks(rest.skip(1))?;
    if let Ok((after, step)) = register(after_sign) {
        let at = i.until(&after);
        let (after, ()) = blanks(after)?;
        let step = StepSyntax::Register(sign == '-', step);
        return Ok((after, Address { set, step, at }));
    }
    let (after, offset) = expr(rest)?;
    let at = i.offset..offset.at.end;
    Ok((after, Address { set, step: StepSyntax::Offset(offset), at }))
}

fn operand(i: Cursor<'_>) -> Parsed<'_, Operand> {
    if i.text.is_empty() || i.text.starts_with(['|', ',']) {
        return Err(i.expected("an operand"));
    }
    if i.text.starts_with('(') && peek((mark("("), register)).parse(i).is_ok() {
        let (rest, address) = address(i)?;
        return Ok((rest, Operand::Address(Box::new(address))));
    }
    match token(register).parse(i) {
        Ok((rest, first)) => {
            let Ok((after, _)) = mark(":").parse(rest) else {
                return Ok((rest, Operand::Register(first)));
            };
            return match token(register).parse(after) {
                Ok((rest, second)) => Ok((rest, Operand::Pair(Box::new((first, second))))),
                Err(_) => Err(after.expected("the register after `:`")),
            };
        }
        Err(nom::Err::Error(_)) => {}
        Err(e) => return Err(e),
    }
    if let Ok((rest, word)) = token(name).parse(i)
        && names::is_named_register(word.text)
    {
        return Ok((rest, Operand::Named(word.word())));
    }
    let (rest, e) = expr(i)?;
    Ok((rest, Operand::Expr(e)))
}

fn mnemonic(i: Cursor<'_>) -> Parsed<'_, Word> {
    let (_, _) = peek(name).parse(i)?;
    let (rest, text) =
        take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.').parse(i)?;
    Ok((rest, text.word()))
}

/// Reads an operation, if one stands here, and blanks after it.
fn operation(i: Cursor<'_>) -> Parsed<'_, Option<Operation>> {
    if i.text.is_empty() || i.text.starts_with(['|', '@']) {
        return Ok((i, None));
    }
    let Ok((rest, name)) = mnemonic(i) else {
        return Err(i.expected("an operation"));
    };
    if name.text == "if" {
        let message = "`if(...)` in the middle of a bundle";
        let help = "write the predicate before both slots: `if(cc3) cadd ... | ldo ...`";
        return Err(Fault::new("C0106", name.at, message).help(help).fatal());
    }
    let (rest, ()) = blanks(rest)?;
    let (rest, operands) = operands(rest)?;
    let end = operands.last().map_or(name.at.end, |o| o.at().end);
    Ok((rest, Some(Operation { at: name.at.start..end, name, operands })))
}

fn operands(i: Cursor<'_>) -> Parsed<'_, Vec<Operand>> {
    if i.text.is_empty() || i.text.starts_with(['|', '@']) {
        return Ok((i, Vec::new()));
    }
    let (rest, all) = separated_list1(mark(","), operand).parse(i)?;
    if rest.text.is_empty() || rest.text.starts_with(['|', '@']) {
        return Ok((rest, all));
    }
    let fault = Fault::new(
        "C0101",
        rest.token(),
        format!("expected `,`, `|` or the end of the line, found {}", rest.found()),
    );
    let one_slot = rest.text.starts_with(|c: char| c.is_ascii_alphabetic());
    Err(if one_slot { fault.help("`|` separates the two operations of a bundle") } else { fault }
        .fatal())
}

/// Reads `if(ccN)`, if it stands here, and blanks after it.
fn predicate(i: Cursor<'_>) -> Parsed<'_, Option<Register>> {
    match token(name).parse(i) {
        Ok((rest, word)) if word.text == "if" => {
            let Ok((rest, _)) = mark("(").parse(rest) else {
                return Err(rest.expected("`(ccN)` after `if`"));
            };
            match token(register).parse(rest) {
                Ok((after, cc)) if cc.prefix == super::ast::Prefix::Cc && cc.half.is_none() => {
                    let Ok((after, _)) = mark(")").parse(after) else {
                        return Err(after.expected("`)`"));
                    };
                    Ok((after, Some(cc)))
                }
                Err(e @ nom::Err::Failure(_)) => Err(e),
                _ => Err(rest.expected("a condition code, `cc0` to `cc7`")),
            }
        }
        _ => Ok((i, None)),
    }
}

/// Reads `@allow(CODE, ...)`, any number of times.
pub(super) fn annotations(i: Cursor<'_>) -> Parsed<'_, Vec<Allowed>> {
    let mut rest = i;
    let mut codes = Vec::new();
    while rest.text.starts_with('@') {
        let what = Fault::new("C0110", rest.token(), "the only annotation is `@allow(CODE, ...)`");
        let (after, word) = opt(token(name)).parse(rest.skip(1))?;
        let open = mark("(").parse(after);
        let (Some("allow"), Ok((inner, _))) = (word.map(|w| w.text), open) else {
            return Err(what.fatal());
        };
        let (after, mut list) = separated_list0(mark(","), allowed).parse(inner)?;
        let Ok((after, _)) = mark(")").parse(after) else {
            return Err(after.expected("a code such as `C0501`, or `)`"));
        };
        if list.is_empty() {
            return Err(after.expected("a code such as `C0501` in `@allow(...)`"));
        }
        codes.append(&mut list);
        rest = after;
    }
    Ok((rest, codes))
}

/// Reads a bundle, to the end of the line.
pub(crate) fn bundle(i: Cursor<'_>) -> Parsed<'_, BundleLine> {
    let (start, ()) = blanks(i)?;
    let (rest, predicate) = predicate(start)?;
    let (rest, left) = operation(rest)?;
    let (rest, bar, right) = match mark("|").parse(rest) {
        Ok((after, _)) => {
            let (end, right) = operation(after)?;
            (end, Some(rest.offset..rest.offset + 1), right)
        }
        Err(_) => (rest, None, None),
    };
    if rest.text.starts_with('|') {
        let fault = Fault::new("C0107", rest.token(), "a second `|` in one bundle");
        return Err(fault.help("a bundle has two slots: `arithmetic | exchange`").fatal());
    }
    let end = rest.offset;
    if left.is_none() && right.is_none() {
        let fault = Fault::new(
            "C0105",
            start.offset..end.max(start.offset + 1),
            "a bundle without an operation",
        );
        return Err(fault.help("write `nop` for a bundle that does nothing").fatal());
    }
    let (rest, allowed) = annotations(rest)?;
    end_of_line(rest)?;
    let end = right.as_ref().or(left.as_ref()).map_or(end, |o| o.at.end);
    Ok((rest, BundleLine { predicate, left, bar, right, allowed, at: start.offset..end }))
}

/// Refuses anything that is left.
pub(super) fn end_of_line(i: Cursor<'_>) -> Result<(), nom::Err<Refused>> {
    if i.text.is_empty() { Ok(()) } else { Err(i.expected("the end of the line")) }
}
