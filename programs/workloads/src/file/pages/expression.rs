//! Whole-numbered expressions of the page schemes of workload files, and ranges of them: numbers, names of loops, sizes of
//! arrays, `+ - * / // %`, `min`, `max`, parentheses.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, multispace0};
use nom::combinator::{all_consuming, opt, recognize, verify};
use nom::multi::many0;
use nom::sequence::{delimited, pair, preceded, separated_pair};
use nom::{IResult, Parser};
use std::ops::Range;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Number(i64),
    /// The number of a turn of a loop, or of a section.
    Name(String),
    /// The number of elements of an array along an axis.
    Size(String, usize),
    Binary(Box<Self>, Operator, Box<Self>),
}

/// An operator of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    /// Division without a remainder.
    Divide,
    /// Division, rounded down.
    Floor,
    Remainder,
    Least,
    Most,
}

/// Numbers of names: of turns of loops, and of a section.
pub(super) type Names<'a> = &'a dyn Fn(&str) -> Option<i64>;

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The text is none; the message says where.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        whole(sum, text)
    }

    /// Calls `each` for every name in the expression.
    pub(super) fn names(&self, each: &mut dyn FnMut(&Self)) {
        match self {
            Self::Number(_) => {}
            Self::Name(_) | Self::Size(..) => each(self),
            Self::Binary(a, _, b) => {
                a.names(each);
                b.names(each);
            }
        }
    }

    /// Replaces sizes of arrays by numbers.
    pub(super) fn with_sizes(self, size: &dyn Fn(&str, usize) -> Option<i64>) -> Self {
        match self {
            Self::Size(name, axis) => match size(&name, axis) {
                Some(number) => Self::Number(number),
                None => Self::Size(name, axis),
            },
            Self::Binary(a, operator, b) => {
                let [a, b] = [a, b].map(|of| Box::new(of.with_sizes(size)));
                Self::Binary(a, operator, b)
            }
            other => other,
        }
    }

    /// Returns the value of the expression.
    ///
    /// # Errors
    /// A name has no number, or a division is not possible; the message says which.
    pub(super) fn value(&self, names: Names<'_>) -> Result<i64, String> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Name(name) => names(name).ok_or_else(|| format!("there is no loop `{name}`")),
            Self::Size(name, axis) => Err(format!("{name}.shape[{axis}] is not known")),
            Self::Binary(a, operator, b) => {
                let (a, b) = (a.value(names)?, b.value(names)?);
                operator.of(a, b)
            }
        }
    }
}

impl Operator {
    fn of(self, a: i64, b: i64) -> Result<i64, String> {
        let found = match self {
            Self::Divide if b != 0 && a % b != 0 => {
                return Err(format!("{a} / {b} leaves a remainder; `//` rounds down"));
            }
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide | Self::Floor => a.checked_div_euclid(b),
            Self::Remainder => a.checked_rem_euclid(b),
            Self::Least => Some(a.min(b)),
            Self::Most => Some(a.max(b)),
        };
        found.ok_or_else(|| match (self, b) {
            (Self::Divide | Self::Floor | Self::Remainder, 0) => format!("{a} is divided by 0"),
            _ => "a number is beyond 64 bits".to_owned(),
        })
    }
}

/// The range of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AxisRange {
    /// All indices of the axis.
    Whole,
    /// From one index up to, but not, another.
    Between(Expression, Expression),
    /// Indices from one on: the first, and how many.
    From(Expression, Expression),
    /// A single index.
    One(Expression),
}

impl AxisRange {
    /// Reads a range: `:`, `a : b`, `a : +n` or `a`.
    ///
    /// # Errors
    /// The text is none; the message says where.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        whole(range, text)
    }

    /// Returns the expressions of the range.
    pub(super) fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Whole => Vec::new(),
            Self::Between(a, b) | Self::From(a, b) => vec![a, b],
            Self::One(a) => vec![a],
        }
    }

    /// Replaces sizes of arrays by numbers.
    pub(super) fn with_sizes(self, size: &dyn Fn(&str, usize) -> Option<i64>) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Between(a, b) => Self::Between(a.with_sizes(size), b.with_sizes(size)),
            Self::From(a, b) => Self::From(a.with_sizes(size), b.with_sizes(size)),
            Self::One(a) => Self::One(a.with_sizes(size)),
        }
    }

    /// Returns the indices of the range for an axis of this size.
    ///
    /// # Errors
    /// The errors are those of [`Expression::value`].
    pub(super) fn indices(&self, size: usize, names: Names<'_>) -> Result<Range<i64>, String> {
        Ok(match self {
            Self::Whole => 0..size as i64,
            Self::Between(a, b) => a.value(names)?..b.value(names)?,
            Self::From(a, b) => {
                let begin = a.value(names)?;
                begin..Operator::Add.of(begin, b.value(names)?)?
            }
            Self::One(a) => {
                let begin = a.value(names)?;
                begin..Operator::Add.of(begin, 1)?
            }
        })
    }
}

/// Deepest nesting of parentheses.
const DEEPEST: usize = 50;
/// Most bytes of a text, which bounds the depth of what has no parentheses.
const LONGEST: usize = 1000;

fn whole<T>(parser: impl Fn(&str) -> IResult<&str, T>, text: &str) -> Result<T, String> {
    if text.matches('(').count() > DEEPEST {
        return Err(format!("it has more than {DEEPEST} parentheses"));
    }
    if text.len() > LONGEST {
        return Err(format!("it has {} bytes, and at most {LONGEST} are read", text.len()));
    }
    match all_consuming(parser).parse(text) {
        Ok((_, found)) => Ok(found),
        Err(nom::Err::Error(e) | nom::Err::Failure(e)) if e.input.is_empty() => {
            Err("it ends where a number or a name is missing".to_owned())
        }
        Err(nom::Err::Error(e) | nom::Err::Failure(e)) => {
            Err(format!("it is not understood from `{}` on", e.input))
        }
        Err(nom::Err::Incomplete(_)) => Err("it is not whole".to_owned()),
    }
}

/// Parser of a symbol with blanks around it.
fn symbol<'a>(
    text: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = nom::error::Error<&'a str>> {
    delimited(multispace0, tag(text), multispace0)
}

fn range(text: &str) -> IResult<&str, AxisRange> {
    let between = separated_pair(sum, symbol(":"), pair(opt(symbol("+")), sum));
    let between = between.map(|(begin, (plus, end))| match plus {
        Some(_) => AxisRange::From(begin, end),
        None => AxisRange::Between(begin, end),
    });
    let all = symbol(":").map(|_| AxisRange::Whole);
    alt((all, between, sum.map(AxisRange::One))).parse(text)
}

/// Joins operands of operators of one rank, from left to right.
fn joined(first: Expression, rest: Vec<(Operator, Expression)>) -> Expression {
    let join = |a, (operator, b)| Expression::Binary(Box::new(a), operator, Box::new(b));
    rest.into_iter().fold(first, join)
}

fn sum(text: &str) -> IResult<&str, Expression> {
    let add = symbol("+").map(|_| Operator::Add);
    let subtract = symbol("-").map(|_| Operator::Subtract);
    let (text, first) = product(text)?;
    let (text, rest) = many0(pair(alt((add, subtract)), product)).parse(text)?;
    Ok((text, joined(first, rest)))
}

fn product(text: &str) -> IResult<&str, Expression> {
    let operators = (
        symbol("*").map(|_| Operator::Multiply),
        symbol("//").map(|_| Operator::Floor),
        symbol("/").map(|_| Operator::Divide),
        symbol("%").map(|_| Operator::Remainder),
    );
    let (text, first) = factor(text)?;
    let (text, rest) = many0(pair(alt(operators), factor)).parse(text)?;
    Ok((text, joined(first, rest)))
}

fn factor(text: &str) -> IResult<&str, Expression> {
    let digits = take_while1(|c: char| c.is_ascii_digit());
    let number = digits.map_opt(|text: &str| text.parse().ok()).map(Expression::Number);
    let negative = preceded(symbol("-"), factor).map(|of| {
        let zero = Box::new(Expression::Number(0));
        Expression::Binary(zero, Operator::Subtract, Box::new(of))
    });
    let within = delimited(symbol("("), sum, symbol(")"));
    let parser = alt((
        number,
        negative,
        within,
        function,
        size,
        name.map(|n: &str| Expression::Name(n.to_owned())),
    ));
    delimited(multispace0, parser, multispace0).parse(text)
}

/// Parser of `min(a, b)` and `max(a, b)`.
fn function(text: &str) -> IResult<&str, Expression> {
    let least = tag("min").map(|_| Operator::Least);
    let most = tag("max").map(|_| Operator::Most);
    let operands = delimited(symbol("("), separated_pair(sum, symbol(","), sum), symbol(")"));
    let (text, (operator, (a, b))) = pair(alt((least, most)), operands).parse(text)?;
    Ok((text, Expression::Binary(Box::new(a), operator, Box::new(b))))
}

/// Parser of `NAME.shape[AXIS]`.
fn size(text: &str) -> IResult<&str, Expression> {
    let digits = take_while1(|c: char| c.is_ascii_digit());
    let axis = digits.map_opt(|text: &str| text.parse().ok());
    let axis = delimited((tag(".shape"), char('[')), axis, char(']'));
    let (text, (name, axis)) = pair(name, axis).parse(text)?;
    Ok((text, Expression::Size(name.to_owned(), axis)))
}

fn name(text: &str) -> IResult<&str, &str> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let first =
        verify(take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_'), move |t: &str| {
            t.starts_with(is_first)
        });
    recognize(pair(first, take_while(|c: char| c.is_ascii_alphanumeric() || c == '_'))).parse(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    fn value(text: &str) -> Result<i64, String> {
        let names = |name: &str| match name {
            "k" => Some(7),
            "section" => Some(2),
            _ => None,
        };
        let sizes = |name: &str, axis: usize| (name == "x" && axis == 1).then_some(96);
        Expression::read(text)?.with_sizes(&sizes).value(&names)
    }

    #[test]
    fn expressions_have_the_usual_ranks() {
        for (text, expected) in [
            ("2 + 3*k - 1", 22),
            ("-k + 1", -6),
            ("8*(4*k + section) - 1", 239),
            ("100 // k % 5", 4),
            ("x.shape[1]/32 + 0", 3),
            ("min(k, 3) + max( k , 3 )", 10),
            (" 10 - 2 - 3 ", 5),
            ("-7 // 2", -4),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_told() {
        for (text, expected) in [
            ("2 +", "from `+` on"),
            ("2 + $", "from `+ $` on"),
            ("k j", "from `j` on"),
            ("", "it ends where"),
            ("100 / k", "100 / 7 leaves a remainder; `//` rounds down"),
            ("k % (section - 2)", "7 is divided by 0"),
            ("9223372036854775807 + k", "beyond 64 bits"),
            ("99999999999999999999", "from `99999999999999999999` on"),
            ("i + 1", "there is no loop `i`"),
            ("y.shape[0]", "y.shape[0] is not known"),
        ] {
            let told = value(text).unwrap_err();
            assert!(told.contains(expected), "{text}: {told}");
        }
        assert!(value(&"(".repeat(100_000)).is_err_and(|e| e.contains("parentheses")));
    }

    #[test]
    fn ranges_are_those_of_python_and_lengths() {
        let indices = |text: &str| {
            let names = |name: &str| (name == "k").then_some(3);
            AxisRange::read(text).unwrap().indices(64, &names).unwrap()
        };
        assert_eq!(indices(":"), 0..64);
        assert_eq!(indices("8*k - 1 : 8*k + 9"), 23..33);
        assert_eq!(indices("8*k-1:+10"), 23..33);
        assert_eq!(indices("k"), 3..4);
        assert!(AxisRange::read("1 : 2 : 3").is_err());
        assert!(AxisRange::read("1 :").is_err());
    }
}
