//! Operands and results of an arithmetic operation, as values of a block.

use crate::ir::builder::Builder;
use crate::ir::instruction::Value;

/// Operands of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) d: Value,
    pub(crate) s: Value,
    pub(crate) t: Value,
    pub(crate) s_next: Value,
    pub(crate) t_next: Value,
    /// Coefficient: real part in both halves; imaginary part, in the high half negated.
    pub(crate) coefficient: Option<[Value; 2]>,
}

/// Results of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Results {
    pub(crate) d: Option<Value>,
    pub(crate) s: Option<Value>,
    pub(crate) q: Option<Value>,
    /// Masks of whole words for cc1 and cc1 + 1.
    pub(crate) conditions: Option<[Value; 2]>,
}

impl Results {
    pub(crate) fn d(d: Value) -> Self {
        Self { d: Some(d), ..Self::default() }
    }

    pub(crate) fn q(q: Value) -> Self {
        Self { q: Some(q), ..Self::default() }
    }

    pub(crate) fn ds((d, s): (Value, Value)) -> Self {
        Self { d: Some(d), s: Some(s), ..Self::default() }
    }

    pub(crate) fn dq((d, q): (Value, Value)) -> Self {
        Self { d: Some(d), q: Some(q), ..Self::default() }
    }
}

/// Lowering of operations to steps, in one rounding mode of CONTROL.
pub(crate) struct Lowering<'a> {
    pub(crate) b: &'a mut Builder,
    pub(crate) rounding: u8,
}
