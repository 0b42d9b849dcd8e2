//! The part of `cp2.Kernel` that Rust's generators of kernels share with it: the text of linear code with the steps of its
//! addresses, and the table of operations.

use crate::errors::usage;
use crate::values::to_python;
use cp2_isa::doc::{form, operands};
use cp2_isa::{Arith, OperandKind};
use cp2_kernels::linear_text::LinearText;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Operations that access local memory through an address set.
const ACCESSES: [&str; 4] = ["lw", "sw", "ld", "sd"];

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

    /// Adds an access at a displacement in words from where the set is at the begin of the block.
    fn access(&mut self, op: &str, registers: &str, set: usize, displacement: i64) -> PyResult<()> {
        let op = ACCESSES.into_iter().find(|known| *known == op);
        let op = op.ok_or_else(|| usage("an access is lw, sw, ld or sd"))?;
        self.text.access(op, registers, checked(set)?, near(displacement)?);
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

/// Returns the word for the kind of an operand that linear code from Python can name.
const fn kind(of: OperandKind) -> Option<&'static str> {
    match of {
        OperandKind::Fpr(_) => Some("register"),
        OperandKind::FprPair(_) => Some("pair"),
        OperandKind::FprHalf(..) => Some("half"),
        OperandKind::Signed(_) | OperandKind::Unsigned(_) => Some("number"),
        _ => None,
    }
}

/// Returns the arithmetic operations whose operands are registers and numbers, with their operands.
#[pyfunction]
pub(crate) fn _operations(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let rows = Arith::ALL.iter().map(|op| op.row()).filter(|row| !row.operands.is_empty());
    let all = rows.filter_map(|row| {
        let kinds: Option<Vec<&str>> = row.operands.iter().map(|o| kind(o.kind)).collect();
        let operand = |(kind, info): (&str, cp2_isa::doc::OperandInfo)| {
            json!({ "kind": kind, "name": info.name, "read": info.is_read, "written": info.is_written })
        };
        let operands: Vec<Value> = kinds?.into_iter().zip(operands(row)).map(operand).collect();
        Some(json!({
            "name": row.name,
            "form": form(row),
            "meaning": row.doc,
            "extension": row.extension.names(),
            "operands": operands,
        }))
    });
    to_python(py, &Value::Array(all.collect()))
}
