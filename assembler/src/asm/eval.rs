//! Values of expressions. Where symbols get their values is in `symbols`.

use crate::parse::Fault;
use crate::parse::ast::{Binary, Expr, Node, NodeOp, Unary};
use crate::suggest::{did_you_mean, nearest};
use std::borrow::Cow;
use std::ops::Range;

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// An integer that fits in 64 bits, signed or unsigned.
    Int(i128),
    /// A float; a literal also in single precision, so that it is rounded once.
    Float(f64, Option<f32>),
}

/// The value of a symbol at the moment.
#[derive(Debug)]
pub(crate) enum Lookup {
    Value(Value),
    /// Not defined, or not yet.
    Unknown,
    /// In error, and the error has been reported.
    Silent,
}

/// The reason why there is no value.
#[derive(Debug, PartialEq)]
pub(crate) enum Trouble {
    /// The expression is wrong.
    Fault(Fault),
    /// A symbol has no value.
    Unknown(String, Range<usize>),
    /// An error that has been reported already.
    Silent,
}

/// Smallest and largest integers.
const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = u64::MAX as i128;

const FUNCTIONS: [&str; 7] = ["abs", "bitrev", "f32", "log2", "max", "min", "or"];

impl Value {
    /// Returns the value in single precision, rounded to nearest.
    pub(crate) fn single(self) -> f32 {
        match self {
            Self::Int(v) => v as f32,
            Self::Float(_, Some(single)) => single,
            Self::Float(wide, None) => wide as f32,
        }
    }

    fn wide(self) -> f64 {
        match self {
            Self::Int(v) => v as f64,
            Self::Float(wide, _) => wide,
        }
    }
}

/// Returns the value of an expression whose statement stands at the address `dot`.
pub(crate) fn evaluate(
    expr: &Expr,
    dot: i128,
    lookup: &mut dyn FnMut(&str) -> Lookup,
) -> Result<Value, Trouble> {
    let mut stack: Vec<Value> = Vec::new();
    for node in &expr.nodes {
        let value = match &node.op {
            NodeOp::Int(v) => Value::Int(*v),
            NodeOp::Float(text) => float(text),
            NodeOp::Dot => Value::Int(dot),
            NodeOp::Symbol(name) => match lookup(name) {
                Lookup::Value(v) => v,
                Lookup::Unknown => return Err(Trouble::Unknown(name.clone(), node.at.clone())),
                Lookup::Silent => return Err(Trouble::Silent),
            },
            NodeOp::Unary(op) => unary(*op, pop(&mut stack)?, node)?,
            NodeOp::Binary(op) => {
                let right = pop(&mut stack)?;
                binary(*op, pop(&mut stack)?, right, node)?
            }
            NodeOp::Call(name, count) => {
                let from = stack.len().saturating_sub(*count);
                let arguments = stack.split_off(from);
                call(name, &arguments, node)?
            }
        };
        stack.push(value);
    }
    pop(&mut stack)
}

/// Takes the last value from the stack. The parser writes as many operands as operators need, so the stack is never empty
/// here.
fn pop(stack: &mut Vec<Value>) -> Result<Value, Trouble> {
    stack.pop().ok_or(Trouble::Silent)
}

fn fault(code: &'static str, node: &Node, message: impl Into<Cow<'static, str>>) -> Trouble {
    Trouble::Fault(Fault::new(code, node.at.clone(), message))
}

fn float(text: &str) -> Value {
    Value::Float(text.parse().unwrap_or(f64::NAN), text.parse().ok())
}

/// Returns the value if it fits in 64 bits.
fn fit(value: Option<i128>, node: &Node) -> Result<Value, Trouble> {
    match value {
        Some(v) if (LEAST..=MOST).contains(&v) => Ok(Value::Int(v)),
        _ => {
            let fault = Fault::new("C0204", node.at.clone(), "the result does not fit in 64 bits");
            Err(Trouble::Fault(fault.help("values lie between -2^63 and 2^64 - 1")))
        }
    }
}

/// Returns the value as an integer.
pub(crate) fn integer(value: Value, at: &Range<usize>) -> Result<i128, Trouble> {
    match value {
        Value::Int(v) => Ok(v),
        Value::Float(..) => {
            let fault = Fault::new("C0207", at.clone(), "a float where an integer is needed");
            Err(Trouble::Fault(fault.help("`f32(x)` gives the bits of x in single precision")))
        }
    }
}

fn unary(op: Unary, value: Value, node: &Node) -> Result<Value, Trouble> {
    match (op, value) {
        (Unary::Plus, v) => Ok(v),
        (Unary::Minus, Value::Int(v)) => fit(Some(-v), node),
        (Unary::Minus, Value::Float(wide, single)) => Ok(Value::Float(-wide, single.map(|s| -s))),
        (Unary::Complement, v) => match integer(v, &node.at)? {
            v if v > i128::from(i64::MAX) => Ok(Value::Int(MOST - v)),
            v => Ok(Value::Int(!v)),
        },
        (Unary::Not, v) => Ok(Value::Int(i128::from(integer(v, &node.at)? == 0))),
    }
}

fn binary(op: Binary, left: Value, right: Value, node: &Node) -> Result<Value, Trouble> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        return of_integers(op, a, b, node);
    }
    let (a, b) = (left.wide(), right.wide());
    let truth = |t: bool| Ok(Value::Int(i128::from(t)));
    match op {
        Binary::Add => Ok(Value::Float(a + b, None)),
        Binary::Sub => Ok(Value::Float(a - b, None)),
        Binary::Mul => Ok(Value::Float(a * b, None)),
        Binary::Div => Ok(Value::Float(a / b, None)),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::Lt => truth(a < b),
        Binary::Le => truth(a <= b),
        Binary::Gt => truth(a > b),
        Binary::Ge => truth(a >= b),
        Binary::Rem | Binary::Shl | Binary::Shr | Binary::And | Binary::Xor => {
            Err(fault("C0207", node, "this operator works on integers only"))
        }
    }
}

fn of_integers(op: Binary, a: i128, b: i128, node: &Node) -> Result<Value, Trouble> {
    let truth = |t: bool| Some(i128::from(t));
    let result = match op {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div | Binary::Rem if b == 0 => {
            return Err(fault("C0205", node, "division by zero"));
        }
        Binary::Div => a.checked_div(b),
        Binary::Rem => a.checked_rem(b),
        Binary::Shl | Binary::Shr if !(0..64).contains(&b) => {
            return Err(fault(
                "C0209",
                node,
                format!("a shift by {b} bits; it must be from 0 to 63"),
            ));
        }
        Binary::Shl => a.checked_mul(1 << b),
        Binary::Shr => Some(a >> b),
        Binary::And => Some(a & b),
        Binary::Xor => Some(a ^ b),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::Lt => truth(a < b),
        Binary::Le => truth(a <= b),
        Binary::Gt => truth(a > b),
        Binary::Ge => truth(a >= b),
    };
    fit(result, node)
}

fn call(name: &str, arguments: &[Value], node: &Node) -> Result<Value, Trouble> {
    let ints = || -> Result<Vec<i128>, Trouble> {
        arguments.iter().map(|&v| integer(v, &node.at)).collect()
    };
    match (name, arguments.len()) {
        ("f32", 1) => Ok(Value::Int(i128::from(single_bits(arguments[0])))),
        ("min", 1..) => Ok(Value::Int(ints()?.into_iter().fold(MOST, i128::min))),
        ("max", 1..) => Ok(Value::Int(ints()?.into_iter().fold(LEAST, i128::max))),
        ("or", 1..) => fit(Some(ints()?.into_iter().fold(0, |a, b| a | b)), node),
        ("abs", 1) => fit(Some(ints()?[0].abs()), node),
        ("log2", 1) => match ints()?[0] {
            v if v > 0 => Ok(Value::Int(i128::from(v.ilog2()))),
            v => Err(fault("C0209", node, format!("log2 of {v}, which is not positive"))),
        },
        ("bitrev", 2) => {
            let ints = ints()?;
            bitrev(ints[0], ints[1], node)
        }
        (known, count) if FUNCTIONS.contains(&known) => {
            let message = format!("`{known}` with {count} arguments; it takes {}", arity(known));
            Err(fault("C0209", node, message))
        }
        _ => {
            let fault =
                Fault::new("C0208", node.at.clone(), format!("there is no function `{name}`"));
            let help = match nearest(name, FUNCTIONS) {
                Some(near) => did_you_mean(near),
                None => format!("the functions are {}", FUNCTIONS.join(", ")),
            };
            Err(Trouble::Fault(fault.help(help)))
        }
    }
}

/// Returns the bits of a value in single precision; NaN is the machine's default one.
pub(crate) fn single_bits(value: Value) -> u32 {
    let single = value.single();
    if single.is_nan() { 0x7fff_ffff } else { single.to_bits() }
}

fn arity(function: &str) -> &'static str {
    match function {
        "bitrev" => "two: the number and how many bits to reverse",
        "abs" | "f32" | "log2" => "one",
        _ => "one or more",
    }
}

fn bitrev(value: i128, bits: i128, node: &Node) -> Result<Value, Trouble> {
    if !(0..=64).contains(&bits) {
        let message = format!("bitrev of {bits} bits; it reverses 0 to 64");
        return Err(fault("C0209", node, message));
    }
    if value < 0 || value >> bits != 0 {
        return Err(fault(
            "C0209",
            node,
            format!("bitrev of {value}, which does not fit in {bits} bits"),
        ));
    }
    let reversed = if bits == 0 { 0 } else { (value as u64).reverse_bits() >> (64 - bits) };
    Ok(Value::Int(i128::from(reversed)))
}
