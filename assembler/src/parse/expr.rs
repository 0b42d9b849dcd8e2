//! The grammar of names, numbers and expressions.

use super::ast::{Binary, Expr, Node, NodeOp, Unary};
use super::cursor::{Cursor, Fault, Parsed, Refused};
use crate::names;
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{map, not, opt, peek, recognize, value};
use nom::sequence::{preceded, terminated};

/// Brackets that may be open at once.
const MAX_DEPTH: u16 = 64;

/// Reads blanks, none needed.
pub(super) fn blanks(i: Cursor<'_>) -> Parsed<'_, ()> {
    let rest = i.text.trim_start_matches([' ', '\t']);
    Ok((i.skip(i.text.len() - rest.len()), ()))
}

/// Reads what `inner` reads, and blanks after it.
pub(super) fn token<'a, T>(
    inner: impl Parser<Cursor<'a>, Output = T, Error = Refused>,
) -> impl Parser<Cursor<'a>, Output = T, Error = Refused> {
    terminated(inner, blanks)
}

/// Reads a punctuation mark, and blanks after it.
pub(super) fn mark<'a>(
    text: &'static str,
) -> impl Parser<Cursor<'a>, Output = Cursor<'a>, Error = Refused> {
    token(tag(text))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads a name; no blanks after it.
pub(super) fn name(i: Cursor<'_>) -> Parsed<'_, Cursor<'_>> {
    let word = i.leading_word();
    match word.text.bytes().next() {
        Some(first) if !first.is_ascii_digit() => Ok((i.skip(word.text.len()), word)),
        _ => Err(nom::Err::Error(Refused::Absent(i.offset))),
    }
}

/// Enters a bracket.
pub(super) fn enter(i: Cursor<'_>) -> Result<Cursor<'_>, nom::Err<Refused>> {
    if i.depth >= MAX_DEPTH {
        let message = format!("more than {MAX_DEPTH} brackets are open here");
        return Err(Fault::new("C0109", i.token(), message).fatal());
    }
    Ok(Cursor { depth: i.depth + 1, ..i })
}

/// Reads the mark that closes what [`enter`] entered.
pub(super) fn release<'a>(
    i: Cursor<'a>,
    close: &'static str,
) -> Result<Cursor<'a>, nom::Err<Refused>> {
    match mark(close).parse(i) {
        Ok((rest, _)) => Ok(Cursor { depth: rest.depth - 1, ..rest }),
        Err(nom::Err::Error(_)) if i.text.starts_with('|') => {
            let fault = Fault::new("C0101", i.token(), "`|` inside brackets");
            Err(fault.help("`|` separates the slots; bitwise or is `or(a, b)`").fatal())
        }
        Err(_) => Err(i.expected(&format!("`{close}`"))),
    }
}

/// Reads an expression, and blanks after it.
pub(crate) fn expr(i: Cursor<'_>) -> Parsed<'_, Expr> {
    // Most are one literal, and those of a whole program are kept.
    let mut nodes = Vec::with_capacity(1);
    let (rest, end) = climb(i, 0, &mut nodes)?;
    Ok((rest, Expr { nodes, at: i.offset..end }))
}

/// Reads operators that bind at least as strongly as `least`, and gives the end of the last operand.
fn climb<'a>(i: Cursor<'a>, least: u8, nodes: &mut Vec<Node>) -> Parsed<'a, usize> {
    let (mut rest, mut end) = unary(i, nodes)?;
    while let Ok((next, (op, strength))) = token(operator).parse(rest)
        && strength >= least
    {
        (rest, end) = climb(next, strength + 1, nodes)?;
        nodes.push(Node { op: NodeOp::Binary(op), at: i.offset..end });
    }
    Ok((rest, end))
}

fn operator(i: Cursor<'_>) -> Parsed<'_, (Binary, u8)> {
    // Most expressions end here, and none of the alternatives need be tried.
    peek(one_of("<>=!^&+-*/%")).parse(i)?;
    alt((
        value((Binary::Shl, 4), tag("<<")),
        value((Binary::Shr, 4), tag(">>")),
        value((Binary::Le, 1), tag("<=")),
        value((Binary::Ge, 1), tag(">=")),
        value((Binary::Eq, 1), tag("==")),
        value((Binary::Ne, 1), tag("!=")),
        value((Binary::Lt, 1), tag("<")),
        value((Binary::Gt, 1), tag(">")),
        value((Binary::Xor, 2), tag("^")),
        value((Binary::And, 3), tag("&")),
        value((Binary::Add, 5), tag("+")),
        value((Binary::Sub, 5), tag("-")),
        value((Binary::Mul, 6), tag("*")),
        value((Binary::Div, 6), tag("/")),
        value((Binary::Rem, 6), tag("%")),
    ))
    .parse(i)
}

fn prefix(i: Cursor<'_>) -> Parsed<'_, (Unary, usize)> {
    let signs = alt((
        value(Unary::Plus, tag("+")),
        value(Unary::Minus, tag("-")),
        value(Unary::Complement, tag("~")),
        value(Unary::Not, terminated(tag("!"), not(tag("=")))),
    ));
    map(token(signs), |op| (op, i.offset)).parse(i)
}

fn unary<'a>(mut i: Cursor<'a>, nodes: &mut Vec<Node>) -> Parsed<'a, usize> {
    let mut prefixes = Vec::new();
    while let Ok((after, prefix)) = prefix(i) {
        prefixes.push(prefix);
        i = after;
    }
    let (rest, end) = primary(i, nodes)?;
    for (op, start) in prefixes.into_iter().rev() {
        nodes.push(Node { op: NodeOp::Unary(op), at: start..end });
    }
    Ok((rest, end))
}

fn primary<'a>(i: Cursor<'a>, nodes: &mut Vec<Node>) -> Parsed<'a, usize> {
    let mut push = |op, rest: Cursor<'a>| {
        nodes.push(Node { op, at: i.until(&rest) });
        let (after, ()) = blanks(rest)?;
        Ok((after, rest.offset))
    };
    match i.text.chars().next() {
        Some(c) if c.is_ascii_digit() => {
            let (rest, op) = number(i)?;
            push(op, rest)
        }
        Some('(') => {
            let (inner, ()) = blanks(enter(i)?.skip(1))?;
            let (rest, _) = climb(inner, 0, nodes)?;
            let end = rest.offset + 1;
            Ok((release(rest, ")")?, end))
        }
        Some('.') if !i.text[1..].starts_with(is_word) => push(NodeOp::Dot, i.skip(1)),
        Some(c) if is_word(c) => {
            let (rest, word) = name(i)?;
            if rest.text.starts_with('(') {
                return call(i, rest, word, nodes);
            }
            refuse_register(word, rest)?;
            let text = word.text.to_owned();
            match word.text {
                "inf" | "nan" => push(NodeOp::Float(text), rest),
                _ => push(NodeOp::Symbol(text), rest),
            }
        }
        _ => Err(i.expected("an expression")),
    }
}

fn refuse_register(word: Cursor<'_>, rest: Cursor<'_>) -> Result<(), nom::Err<Refused>> {
    let computed = rest.text.starts_with('{') && names::prefix(word.text).is_some();
    if computed || names::is_named_register(word.text) || names::numbered(word.text).is_some() {
        let message = format!("`{}` is a register; a number is needed here", word.text);
        return Err(Fault::new("C0207", word.bytes(), message).fatal());
    }
    Ok(())
}

/// Reads `name(argument, ...)`, after the name.
fn call<'a>(
    start: Cursor<'a>,
    open: Cursor<'a>,
    function: Cursor<'a>,
    nodes: &mut Vec<Node>,
) -> Parsed<'a, usize> {
    let (mut rest, ()) = blanks(enter(open)?.skip(1))?;
    let mut count = 0;
    if !rest.text.starts_with(')') {
        loop {
            (rest, _) = climb(rest, 0, nodes)?;
            count += 1;
            match mark(",").parse(rest) {
                Ok((next, _)) => rest = next,
                Err(_) => break,
            }
        }
    }
    let end = rest.offset + 1;
    let rest = release(rest, ")")?;
    nodes.push(Node { op: NodeOp::Call(function.text.to_owned(), count), at: start.offset..end });
    Ok((rest, end))
}

fn number(i: Cursor<'_>) -> Parsed<'_, NodeOp> {
    let (rest, op) = alt((radix("0x", 16), radix("0b", 2), float, decimal)).parse(i)?;
    if rest.text.starts_with(is_word) {
        return Err(malformed(i).fatal());
    }
    Ok((rest, op))
}

fn malformed(i: Cursor<'_>) -> Fault {
    Fault::new("C0102", i.token(), format!("{} is not a number", i.found())).help(
        "numbers are decimal, `0x` hexadecimal, `0b` binary, or floats such as `1.5e-3`; `_` may \
         separate digits",
    )
}

fn radix<'a>(
    prefix: &'static str,
    radix: u32,
) -> impl Parser<Cursor<'a>, Output = NodeOp, Error = Refused> {
    move |i: Cursor<'a>| {
        let (rest, digits) = preceded(tag_no_case(prefix), take_while(is_word)).parse(i)?;
        Ok((rest, NodeOp::Int(integer(i, digits.text, radix)?)))
    }
}

fn decimal(i: Cursor<'_>) -> Parsed<'_, NodeOp> {
    let (rest, digits) = take_while1(is_word).parse(i)?;
    Ok((rest, NodeOp::Int(integer(i, digits.text, 10)?)))
}

fn integer(i: Cursor<'_>, digits: &str, radix: u32) -> Result<i128, nom::Err<Refused>> {
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(malformed(i).fatal());
    }
    match u64::from_str_radix(&digits, radix) {
        Ok(v) => Ok(i128::from(v)),
        Err(_) => {
            let message = format!("{} does not fit in 64 bits", i.found());
            Err(Fault::new("C0102", i.token(), message).fatal())
        }
    }
}

fn float(i: Cursor<'_>) -> Parsed<'_, NodeOp> {
    let exponent = || (one_of("eE"), opt(one_of("+-")), digit1);
    let fraction = || (char('.'), digit1);
    let text =
        alt((recognize((digit1, fraction(), opt(exponent()))), recognize((digit1, exponent()))));
    map(text, |t: Cursor<'_>| NodeOp::Float(t.text.to_owned())).parse(i)
}

impl Cursor<'_> {
    /// Returns the rest after `bytes` more bytes.
    pub(super) fn skip(self, bytes: usize) -> Self {
        nom::Input::take_from(&self, bytes)
    }
}
