//! Sizes of arrays in terms of the arguments: expressions in postfix order.

use std::fmt;

/// The size of one axis of a declared array: an expression over the arguments of the kernel. Its terms are kept in
/// postfix order, so that no input makes evaluation deep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent(Vec<Term>);

/// A term of an [`Extent`] in postfix order: an operand, or an operator for the two values before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A plain number, an operand of the expression.
    Number(i64),
    /// The value of the kernel's argument of this name, an operand of the expression.
    Argument(String),
    /// An operator of the expression, which replaces the last two values by its result.
    Operator(ExtentOperator),
}

/// An operator between two parts of an [`Extent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentOperator {
    /// Addition of two sizes, `+`.
    Add,
    /// Subtraction of two sizes, `-`.
    Subtract,
    /// Multiplication of two sizes, `*`.
    Multiply,
    /// Division of two sizes, `/`, rounded toward zero.
    Divide,
}

impl ExtentOperator {
    const ALL: [(Self, &str); 4] =
        [(Self::Add, "+"), (Self::Subtract, "-"), (Self::Multiply, "*"), (Self::Divide, "/")];

    fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, sign)| sign)
    }

    const fn binds(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
        }
    }

    fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide => a.checked_div(b),
        }
    }

    /// Computes the value of two numbers that are written, so that it can be written too, as a sign and the digits of an
    /// `i64`; `None` if it cannot.
    fn fold(self, a: i64, b: i64) -> Option<i64> {
        self.apply(a, b).filter(|value| *value != i64::MIN)
    }
}

/// Most steps of an expression.
const LONGEST: usize = 64;

impl Extent {
    /// The largest size of an axis that is a plain number: 2^24.
    pub const LARGEST: i64 = 1 << 24;

    /// Creates an extent that is a fixed number of elements.
    pub fn number(value: i64) -> Self {
        Self(vec![Term::Number(value)])
    }

    /// Creates an extent that is the value of the argument `name`.
    pub fn argument(name: &str) -> Self {
        Self(vec![Term::Argument(name.to_owned())])
    }

    /// Joins two extents to `self operator other`; two plain numbers are computed at once. Returns `None` if that
    /// result does not fit into an `i64` (the least of which is excluded too), at a division by 0 of plain numbers, or
    /// if the expression would have more than 64 terms.
    pub fn joined(self, operator: ExtentOperator, other: Self) -> Option<Self> {
        if let ([Term::Number(a)], [Term::Number(b)]) = (&self.0[..], &other.0[..]) {
            return operator.fold(*a, *b).map(Self::number);
        }
        let mut terms = self.0;
        terms.extend(other.0);
        terms.push(Term::Operator(operator));
        (terms.len() <= LONGEST).then_some(Self(terms))
    }

    /// Returns true if the extent can be the size of an axis: an expression, or a plain number from 1 to
    /// [`Extent::LARGEST`].
    pub fn is_size(&self) -> bool {
        match self.0[..] {
            [Term::Number(n)] => (1..=Self::LARGEST).contains(&n),
            _ => true,
        }
    }

    /// Returns the names of the arguments in the expression, each once, in the order in which they first stand there.
    pub fn arguments(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for term in &self.0 {
            if let Term::Argument(name) = term
                && !all.contains(&name.as_str())
            {
                all.push(name);
            }
        }
        all
    }

    /// Returns the value of the expression, given a function that returns the value of an argument by name. Returns
    /// `None` if an argument has no value, at a division by 0, or if a result does not fit into an `i64`.
    pub fn value(&self, argument: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let mut stack: Vec<i64> = Vec::new();
        for term in &self.0 {
            let value = match term {
                Term::Number(n) => *n,
                Term::Argument(name) => argument(name)?,
                Term::Operator(operator) => {
                    let b = stack.pop()?;
                    operator.apply(stack.pop()?, b)?
                }
            };
            stack.push(value);
        }
        stack.pop()
    }

    /// Solves the expression for its only argument for which the function `argument` returns no value: returns its
    /// name, and the value with which the extent is `wanted`. Returns `None` if there is no such value, or if none or
    /// several arguments have no value. The extent is taken for a straight line over the argument: of `n*n` no value is
    /// found.
    pub fn solved(
        &self,
        wanted: i64,
        argument: &dyn Fn(&str) -> Option<i64>,
    ) -> Option<(&str, i64)> {
        let all = self.near(wanted, argument);
        all.into_iter().find(|(.., value)| *value == wanted).map(|(name, x, _)| (name, x))
    }

    /// Returns the values of the extent that are next to `wanted`, a size that the extent cannot have: up to two
    /// entries, the next below first, then the next above. An entry has the name of the only argument for which the
    /// function `argument` returns no value, a value for it, and the extent with that value. The list is empty if none
    /// or several arguments have no value.
    pub fn around(
        &self,
        wanted: i64,
        argument: &dyn Fn(&str) -> Option<i64>,
    ) -> Vec<(&str, i64, i64)> {
        let all = self.near(wanted, argument);
        let below =
            all.iter().filter(|(.., value)| *value < wanted).max_by_key(|(.., value)| *value);
        let above =
            all.iter().filter(|(.., value)| *value > wanted).min_by_key(|(.., value)| *value);
        below.into_iter().chain(above).copied().collect()
    }

    /// Returns values of the only argument that has none, for which the extent is near `wanted`: the argument, its value, and
    /// the value of the extent.
    fn near(&self, wanted: i64, argument: &dyn Fn(&str) -> Option<i64>) -> Vec<(&str, i64, i64)> {
        let mut open = self.arguments().into_iter().filter(|name| argument(name).is_none());
        let (Some(name), None) = (open.next(), open.next()) else { return Vec::new() };
        let at =
            |x: i64| self.value(&|other| if other == name { Some(x) } else { argument(other) });
        // Shapes are straight lines; a quotient is one from far away.
        const FAR: i64 = 1 << 24;
        let (Some(zero), Some(far)) = (at(0), at(FAR)) else { return Vec::new() };
        let slope = i128::from(far) - i128::from(zero);
        if slope == 0 {
            return Vec::new();
        }
        let x = (i128::from(wanted) - i128::from(zero)) * i128::from(FAR) / slope;
        let near = [x, x + 1, x - 1].into_iter().filter_map(|x| i64::try_from(x).ok());
        near.filter_map(|x| Some((name, x, at(x)?))).collect()
    }

    /// Returns the terms in postfix order with commas between them, such as `8,n,*`: the form in object files.
    pub fn to_postfix(&self) -> String {
        let terms = self.0.iter().map(|term| match term {
            Term::Number(n) => n.to_string(),
            Term::Argument(name) => name.clone(),
            Term::Operator(operator) => operator.sign().to_owned(),
        });
        terms.collect::<Vec<_>>().join(",")
    }

    /// Reads an extent from the form that [`Extent::to_postfix`] writes. `is_argument` returns true for the names that
    /// are arguments. Operators between plain numbers are computed. Returns `None` for a malformed text.
    pub fn from_postfix(text: &str, is_argument: impl Fn(&str) -> bool) -> Option<Self> {
        let mut stack: Vec<Self> = Vec::new();
        for word in text.split(',') {
            let operator =
                ExtentOperator::ALL.iter().find(|(_, sign)| *sign == word).map(|(op, _)| *op);
            let next = match (operator, word.parse()) {
                (Some(operator), _) => {
                    let b = stack.pop()?;
                    stack.pop()?.joined(operator, b)?
                }
                (None, Ok(n)) if n != i64::MIN => Self::number(n),
                (None, Err(_)) if is_argument(word) => Self::argument(word),
                _ => return None,
            };
            (stack.len() < LONGEST).then(|| stack.push(next))?;
        }
        let whole = stack.pop()?;
        stack.is_empty().then_some(whole)
    }
}

impl fmt::Display for Extent {
    /// Writes the extent as people and the assembler write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack: Vec<(String, u8)> = Vec::new();
        for term in &self.0 {
            let text = match term {
                Term::Number(n) if *n < 0 => (n.to_string(), 0),
                Term::Number(n) => (n.to_string(), 3),
                Term::Argument(name) => (name.clone(), 3),
                Term::Operator(operator) => {
                    let (b, a) = (stack.pop().unwrap_or_default(), stack.pop().unwrap_or_default());
                    let binds = operator.binds();
                    let side = |(text, strength): (String, u8), least: u8| {
                        if strength < least { format!("({text})") } else { text }
                    };
                    let sign = operator.sign();
                    (format!("{}{sign}{}", side(a, binds), side(b, binds + 1)), binds)
                }
            };
            stack.push(text);
        }
        f.write_str(&stack.pop().unwrap_or_default().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Extent {
        Extent::from_postfix(text, |name| ["n", "taps"].contains(&name)).expect(text)
    }

    #[test]
    fn extents_are_computed_printed_and_read_again() {
        let with = |n, taps| move |name: &str| Some(if name == "n" { n } else { taps });
        for (text, shown, value) in [
            ("8,n,*", "8*n", 40),
            ("n,taps,+,1,-", "n+taps-1", 7),
            ("n,taps,1,-,-", "n-(taps-1)", 3),
            ("n,taps,+,2,*", "(n+taps)*2", 16),
            ("n,2,/", "n/2", 2),
            ("-3,n,*", "(-3)*n", -15),
        ] {
            let extent = read(text);
            assert_eq!(extent.to_string(), shown);
            assert_eq!(extent.to_postfix(), text);
            assert_eq!(extent.value(&with(5, 3)), Some(value), "{shown}");
        }
        for text in ["", "+", "n,+", "n,n", "n,1,+,+", "x", "n,,+"] {
            assert!(Extent::from_postfix(text, |name| name == "n").is_none(), "{text}");
        }
    }

    #[test]
    fn the_one_open_argument_is_found_from_a_size() {
        let taps = |name: &str| (name == "taps").then_some(16);
        assert_eq!(read("8,n,*").solved(4096, &taps), Some(("n", 512)));
        assert_eq!(read("8,n,*").solved(4097, &taps), None);
        assert_eq!(read("n,taps,+,1,-").solved(1015, &taps), Some(("n", 1000)));
        assert_eq!(read("n,taps,+").solved(5, &|_| None), None);
        assert_eq!(read("taps").solved(5, &taps), None);
        let near = [("8,n,*", 4097), ("8,n,*,7,+", 2), ("taps", 5)];
        let [product, sum, known] = near.map(|(text, _)| read(text));
        assert_eq!(product.around(near[0].1, &taps), [("n", 512, 4096), ("n", 513, 4104)]);
        assert_eq!(sum.around(near[1].1, &taps), [("n", -1, -1), ("n", 0, 7)]);
        assert_eq!(known.around(near[2].1, &taps), []);
        let quarter = read("n,4,/");
        let (name, n) = quarter.solved(25, &taps).expect("a quotient");
        assert_eq!((name, n / 4), ("n", 25));
    }

    #[test]
    fn what_does_not_fit_has_no_value() {
        let large = |_: &str| Some(i64::MAX);
        assert_eq!(read("n,n,*").value(&large), None);
        assert_eq!(read("n,0,/").value(&large), None);
        let two = Extent::number(3).joined(ExtentOperator::Multiply, Extent::number(4));
        assert_eq!(two, Some(Extent::number(12)));
    }
}
