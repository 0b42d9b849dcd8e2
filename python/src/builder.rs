//! The part of `cp2.Kernel` that Rust's generators of kernels share with it: the text of linear code with the steps of its
//! addresses, and the table of operations.

use crate::errors::usage;
use crate::values::to_python;
use cp2_isa::doc::{OperandInfo, form, operands};
use cp2_isa::{AddressForm, Arith, Effects, Exch, OperandKind, Row, Unit};
use cp2_kernels::linear_text::LinearText;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Linear code under construction.
#[pyclass(name = "_LinearText", module = "cp2")]
#[derive(Default)]
pub(crate) struct LinearTextObject {
    text: LinearText,
    depth: usize,
}

#[pymethods]
impl LinearTextObject {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a line.
    fn line(&mut self, text: &str) {
        self.text.line(text);
    }

    /// Adds an access at a displacement in words from where the set is at the begin of the block: operation with its
    /// predicate, registers before the address, and what stands behind it.
    fn access(
        &mut self,
        op: &str,
        registers: &str,
        set: usize,
        displacement: i64,
        rest: &str,
    ) -> PyResult<()> {
        self.text.access_with(op, registers, checked(set)?, near(displacement)?, rest);
        Ok(())
    }

    /// Leaves a set at a displacement from where it is at the begin of the block.
    fn leave_at(&mut self, set: usize, displacement: i64) -> PyResult<()> {
        self.text.leave_at(checked(set)?, near(displacement)?);
        Ok(())
    }

    /// Begins a loop with this text behind `.loop`.
    fn begin_loop(&mut self, text: &str, passes: usize) {
        self.depth += 1;
        self.text.begin_loop_of(text, passes);
    }

    /// Ends the innermost loop.
    fn end_loop(&mut self) -> PyResult<()> {
        self.depth = self.depth.checked_sub(1).ok_or_else(|| usage("no loop is open"))?;
        self.text.end_loop();
        Ok(())
    }

    /// Returns the lines.
    fn text(&self) -> String {
        self.text.text()
    }
}

fn checked(set: usize) -> PyResult<usize> {
    match set {
        0..16 => Ok(set),
        _ => Err(usage(format!("address set {set}: they are 0 to 15")).into()),
    }
}

/// Returns a displacement that no sum of steps takes out of 64 bits.
fn near(displacement: i64) -> PyResult<i64> {
    match displacement {
        -0x10_0000..=0x10_0000 => Ok(displacement),
        _ => {
            Err(usage(format!("displacement {displacement}: from -1048576 to 1048576 words"))
                .into())
        }
    }
}

/// Returns the word for a kind of operand, which is the name of its type in `operations.py`. There is none for what stands
/// in the mnemonic of a comparison, and for bundles, which linear code does not have.
const fn kind(of: OperandKind) -> Option<&'static str> {
    Some(match of {
        OperandKind::Fpr(_) => "register",
        OperandKind::FprPair(_) | OperandKind::FprPermute(_) => "pair",
        OperandKind::FprHalf(..) => "half",
        OperandKind::Signed(_) | OperandKind::Unsigned(_) => "number",
        OperandKind::Creg => "conditions",
        OperandKind::Gpr(_) => "general",
        OperandKind::WordAddress => "word",
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => "set",
        OperandKind::Address(AddressForm::Offset) => "place",
        OperandKind::Address(AddressForm::PlusN) => "forward",
        OperandKind::Address(AddressForm::MinusN) => "backward",
        OperandKind::SectionAddress | OperandKind::SharedAddress => "offset",
        OperandKind::MoveReg(..) => "movable",
        OperandKind::SetReg => "settable",
        OperandKind::GprOrIreg => "countable",
        OperandKind::SharedWord => "shared_word",
        OperandKind::Section(_, 4) => "sections",
        OperandKind::Section(..) => "section",
        OperandKind::Select(_) => "selector",
        OperandKind::Cc(_) | OperandKind::Condition | OperandKind::Format | OperandKind::Target => {
            return None;
        }
    })
}

/// Whether linear code can have an operation of a unit: the others need an order that the scheduler does not keep.
const fn is_linear(unit: Unit) -> bool {
    !matches!(unit, Unit::Loop | Unit::Jump | Unit::Stop | Unit::Sync | Unit::Dma | Unit::Nop)
}

/// Returns an operation as an object of JSON; `None` if no method can have it.
fn operation(row: &Row) -> Option<Value> {
    // The immediate of `seti` may be an address.
    let is_word = |kind| row.name == Exch::Seti.row().name && kind == "number";
    let kinds = row.operands.iter().map(|operand| kind(operand.kind));
    let kinds: Option<Vec<&str>> =
        kinds.map(|kind| kind.map(|kind| if is_word(kind) { "word" } else { kind })).collect();
    let operand = |(kind, info): (&str, OperandInfo)| json!({ "kind": kind, "name": info.name, "read": info.is_read, "written": info.is_written });
    let operands: Vec<Value> = kinds?.into_iter().zip(operands(row)).map(operand).collect();
    // The assembler chooses between the variants by the register.
    let one = |text: &str| match row.unit {
        Unit::Permute => {
            [("psprmsgn0", "psprmsgn"), ("(D of f0..f31, next)", "(D, next)"), (" (f0..f32)", "")]
                .iter()
                .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
        }
        _ => text.to_owned(),
    };
    Some(json!({
        "name": one(row.name),
        "form": one(&form(row)),
        "meaning": one(row.doc),
        "extension": row.extension.names(),
        "predicated": row.effects.contains(Effects::PREDICATED),
        "operands": operands,
    }))
}

/// Returns the operations of linear code with their operands. Comparisons have a method of their own.
#[pyfunction]
pub(crate) fn _operations(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let exchange = Exch::ALL.iter().filter(|op| **op != Exch::Psprmsgn1).map(|op| op.row());
    let rows = Arith::ALL.iter().map(|op| op.row()).chain(exchange);
    let rows = rows.filter(|row| is_linear(row.unit) && !row.operands.is_empty());
    to_python(py, &Value::Array(rows.filter_map(operation).collect()))
}
