//! The grammar of directives and of macro arguments.

use super::allowed::{allowed, quoted};
use super::ast::{
    Allowed, DataForm, Directive, Expansion, Expr, Linear, Operand, Parameter, Placement, Register,
    Word,
};
use super::choice::{choice, comma, required_name};
use super::cursor::{Cursor, Parsed};
use super::declaration;
use super::expr::{blanks, expr, mark, name, token};
use super::statement::{annotations, end_of_line, labels, register};
use nom::combinator::opt;
use nom::multi::{separated_list0, separated_list1};
use nom::sequence::preceded;
use nom::{Input as _, Parser};
use std::ops::Range;

/// Names of all directives.
pub(crate) const DIRECTIVES: [&str; 36] = [
    "equ",
    "macro",
    "endm",
    "rept",
    "endr",
    "if",
    "else",
    "endif",
    "include",
    "kernel",
    "code",
    "lmem",
    "org",
    "align",
    "quad",
    "complex",
    "pair",
    "zero",
    "bundle",
    "global",
    "live",
    "arg",
    "array",
    "dmabank",
    "allow",
    "endallow",
    "requires",
    "linear",
    "endlinear",
    "loop",
    "endloop",
    "disjoint",
    "even",
    "keep",
    "scratch",
    "assign",
];

/// Returns the directive of a line, without its dot, where it stands, and whether no label stands before it.
pub(crate) fn keyword(code: &str) -> Option<(&str, usize, bool)> {
    let (rest, labels) = labels(Cursor::new(code)).ok()?;
    let name = rest.text.strip_prefix('.')?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    Some((&name[..end], rest.offset, labels.is_empty()))
}

/// Reads the arguments of the directive `which`, to the end of the line; `None` if there is no such directive.
pub(crate) fn directive<'a>(which: &str, i: Cursor<'a>) -> Option<Parsed<'a, Directive>> {
    let parser = |i| -> Parsed<'a, Directive> {
        let (i, ()) = blanks(i)?;
        let (rest, d) = match which {
            "macro" | "rept" | "if" | "endm" | "endr" | "else" | "endif" | "include" => {
                expansion(which, i).map(|(rest, d)| (rest, Directive::Expansion(d)))?
            }
            "loop" | "endloop" | "disjoint" | "even" | "keep" | "scratch" | "assign" => {
                linear(which, i).map(|(rest, d)| (rest, Directive::Linear(d)))?
            }
            _ => placement(which, i).map(|(rest, d)| (rest, Directive::Placement(d)))?,
        };
        end_of_line(rest)?;
        Ok((rest, d))
    };
    DIRECTIVES.contains(&which).then(|| parser(i))
}

fn expansion<'a>(which: &str, i: Cursor<'a>) -> Parsed<'a, Expansion> {
    match which {
        "macro" => macro_head(i),
        "rept" => rept(i),
        "if" => expr.map(Expansion::If).parse(i),
        "include" => string.map(Expansion::Include).parse(i),
        _ => Ok((i, Expansion::Divider)),
    }
}

fn placement<'a>(which: &str, i: Cursor<'a>) -> Parsed<'a, Placement> {
    let data = |form| exprs.map(move |all| Placement::Data(form, all));
    match which {
        "equ" => equ(i),
        "kernel" => required_name(i, "the kernel's name").map(|(r, w)| (r, Placement::Kernel(w))),
        "code" => Ok((i, Placement::Code)),
        "lmem" => choice.map(Placement::Lmem).parse(i),
        "org" => expr.map(Placement::Org).parse(i),
        "align" => expr.map(Placement::Align).parse(i),
        "quad" => data(DataForm::Quad).parse(i),
        "complex" => data(DataForm::Complex).parse(i),
        "pair" => data(DataForm::Pair).parse(i),
        "zero" => expr.map(Placement::Zero).parse(i),
        "bundle" => {
            let upper = opt(preceded(mark(","), expr));
            let line = (expr, upper, annotations);
            line.map(|(low, upper, a)| Placement::Bundle(low, upper, a)).parse(i)
        }
        "global" => names_list(i, "a symbol").map(|(r, w)| (r, Placement::Global(w))),
        "live" => separated_list0(mark(","), live_range).map(Placement::Live).parse(i),
        "arg" => declaration::argument(i),
        "array" => declaration::array(i),
        "dmabank" => choice.map(Placement::Dmabank).parse(i),
        "allow" => allowed_list(i).map(|(rest, codes)| (rest, Placement::Allow(codes))),
        "endallow" => Ok((i, Placement::Endallow)),
        "requires" => extensions(i).map(|(r, w)| (r, Placement::Requires(w))),
        "linear" => opt(token(name).map(Cursor::word)).map(Placement::Linear).parse(i),
        "endlinear" => Ok((i, Placement::Endlinear)),
        _ => unreachable_directive(i),
    }
}

fn linear<'a>(which: &str, i: Cursor<'a>) -> Parsed<'a, Linear> {
    match which {
        "loop" => loop_head(i),
        "disjoint" => choices.map(Linear::Disjoint).parse(i),
        "even" => choices.map(Linear::Even).parse(i),
        "keep" => separated_list0(mark(","), live_range).map(Linear::Keep).parse(i),
        "scratch" => choices.map(Linear::Scratch).parse(i),
        "assign" => {
            let (rest, which) = choice(i)?;
            choice(comma(rest)?).map(|(rest, to)| (rest, Linear::Assign(which, to)))
        }
        _ => Ok((i, Linear::Endloop)),
    }
}

/// Refuses a directive that no match knows. [`DIRECTIVES`] and the matches above are held together by a test.
fn unreachable_directive(i: Cursor<'_>) -> Parsed<'_, Placement> {
    Err(i.expected("a directive"))
}

fn equ(i: Cursor<'_>) -> Parsed<'_, Placement> {
    let (rest, word) = required_name(i, "the symbol's name")?;
    let (rest, value) = expr(comma(rest)?)?;
    Ok((rest, Placement::Equ(word, value)))
}

fn rept(i: Cursor<'_>) -> Parsed<'_, Expansion> {
    let (rest, count) = expr(i)?;
    if rest.text.is_empty() {
        return Ok((rest, Expansion::Rept(count, None)));
    }
    let (rest, word) = required_name(comma(rest)?, "the name of the iteration")?;
    Ok((rest, Expansion::Rept(count, Some(word))))
}

fn exprs(i: Cursor<'_>) -> Parsed<'_, Vec<Expr>> {
    separated_list1(mark(","), expr).parse(i)
}

/// Reads names of extensions of the architecture, which have hyphens, with commas between them.
fn extensions(i: Cursor<'_>) -> Parsed<'_, Vec<Word>> {
    separated_list1(mark(","), token(extension)).parse(i)
}

fn extension(i: Cursor<'_>) -> Parsed<'_, Word> {
    let end = i.text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    match end.unwrap_or(i.text.len()) {
        0 => Err(i.expected("an extension such as `word-access`")),
        length => Ok((i.skip(length), i.take(length).word())),
    }
}

/// Reads names with commas or blanks between them; `what` says in an error what was expected.
fn names_list<'a>(i: Cursor<'a>, what: &str) -> Parsed<'a, Vec<Word>> {
    let (mut rest, first) = required_name(i, what)?;
    let mut all = vec![first];
    while !rest.text.is_empty() {
        let (next, _) = opt(mark(",")).parse(rest)?;
        let (next, word) = required_name(next, what)?;
        all.push(word);
        rest = next;
    }
    Ok((rest, all))
}

/// Reads codes with commas or blanks between them, each with its reason.
fn allowed_list(i: Cursor<'_>) -> Parsed<'_, Vec<Allowed>> {
    let mut rest = i;
    let mut all = Vec::new();
    loop {
        let Ok((after, code)) = allowed(rest) else {
            return Err(rest.expected("a code such as `C0501`"));
        };
        all.push(code);
        if after.text.is_empty() {
            return Ok((after, all));
        }
        (rest, _) = opt(mark(",")).parse(after)?;
    }
}

fn live_range(i: Cursor<'_>) -> Parsed<'_, (Register, Option<Register>)> {
    let one = |i| token(register).parse(i);
    let (rest, first) = one(i)?;
    match mark("-").parse(rest) {
        Ok((after, _)) => match one(after) {
            Ok((rest, last)) => Ok((rest, (first, Some(last)))),
            Err(_) => Err(after.expected("the last register of the range")),
        },
        Err(_) => Ok((rest, (first, None))),
    }
}

/// Reads the count of a loop and what is said of it.
fn loop_head(i: Cursor<'_>) -> Parsed<'_, Linear> {
    let (mut rest, count) = choice(i)?;
    let mut promises = Vec::new();
    while let Ok((after, _)) = mark(",").parse(rest) {
        let (after, word) = required_name(after, "`min=`, `multiple=` or `expected=`")?;
        let Ok((after, _)) = mark("=").parse(after) else {
            return Err(after.expected("`=`"));
        };
        let (after, value) = expr(after)?;
        promises.push((word, value));
        rest = after;
    }
    Ok((rest, Linear::Loop(count, promises)))
}

/// Reads one or more choices with commas between them.
fn choices(i: Cursor<'_>) -> Parsed<'_, Vec<Operand>> {
    separated_list1(mark(","), choice).parse(i)
}

fn string(i: Cursor<'_>) -> Parsed<'_, Word> {
    if !i.text.starts_with('"') {
        return Err(i.expected("a file name in quotes"));
    }
    quoted(i, "file name")
}

fn macro_head(i: Cursor<'_>) -> Parsed<'_, Expansion> {
    let (mut rest, word) = required_name(i, "the macro's name")?;
    let mut parameters = Vec::new();
    while !rest.text.is_empty() {
        if !parameters.is_empty() {
            (rest, _) = opt(mark(",")).parse(rest)?;
        }
        let (after, parameter) = required_name(rest, "a parameter's name")?;
        let (after, default) = match mark("=").parse(after) {
            Ok((value, _)) => {
                let at = argument_end(value.text);
                let text = value.text[..at].trim_end().to_owned();
                (value.skip(at), Some(text))
            }
            Err(_) => (after, None),
        };
        parameters.push(Parameter { name: parameter, default });
        rest = after;
    }
    Ok((rest, Expansion::Macro(word, parameters)))
}

/// Returns the end of the first argument of a list: a comma outside brackets and quotes.
fn argument_end(text: &str) -> usize {
    let (mut depth, mut quoted) = (0i32, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '{' if !quoted => depth += 1,
            ')' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => return i,
            _ => {}
        }
    }
    text.len()
}

/// Returns the arguments of a macro call, as bytes of the line, blanks around them left out.
pub(crate) fn macro_arguments(i: Cursor<'_>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    if i.text.trim().is_empty() {
        return all;
    }
    loop {
        let end = start + argument_end(&i.text[start..]);
        let text = &i.text[start..end];
        let left = start + text.len() - text.trim_start().len();
        let right = (start + text.trim_end().len()).max(left);
        all.push(i.offset + left..i.offset + right);
        if end == i.text.len() {
            return all;
        }
        start = end + 1;
    }
}
