//! Lowering of an arithmetic operation: the choice of what makes its steps.

use super::operands::{Lowering, Operands, Results};
use cp2_isa::{Arith, Inst};

impl Lowering<'_> {
    /// Makes the steps of an operation; `None` if it has to be left to the portable engine.
    pub(crate) fn lower(&mut self, inst: &Inst<Arith>, x: &Operands) -> Option<Results> {
        use Arith as A;
        let Operands { d, s, t, .. } = *x;
        Some(match inst.op {
            A::Nop => Results::default(),
            A::Copy => Results::d(s),
            A::Swap64 => Results::ds((s, d)),
            A::C => self.compare(inst.comparison()?, s, t),
            _ => {
                return self
                    .lower_float(inst, x)
                    .or_else(|| self.lower_integer(inst, x))
                    .or_else(|| self.lower_elementary(inst, x));
            }
        })
    }
}
