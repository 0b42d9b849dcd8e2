//! Operations that compute the count of a loop's kernel. Where they are placed is in `region`.

use super::ScheduleError;
use super::region::{LONGEST_DOI, Walker};
use super::search::BlockSchedule;
use super::search::shape::{Passes, Shape};
use cp2_ir::linear::{LinearInst, Loop, Op, Reg};
use cp2_isa::{Arith, Exch, Inst, RegFile};

/// Greatest number that `seti` sets.
const LONGEST_SETI: i64 = 0xffff;
/// Greatest immediate of `subi`.
const LONGEST_SUBI: i64 = 2047;

impl Walker<'_> {
    /// Returns the operations that put the count of the kernel into the scratch register.
    pub(super) fn setup(
        &mut self,
        of: &Loop,
        found: &BlockSchedule,
    ) -> Result<Vec<usize>, ScheduleError> {
        let Shape::Pipelined { passes, .. } = found.shape else { return Ok(Vec::new()) };
        match passes {
            Passes::Fixed(n) => self.set_count(of, n),
            Passes::Register { less: 0, .. } if found.allocation.unroll == 1 => Ok(Vec::new()),
            Passes::Register { gpr, less } => {
                self.reduce_count(of, gpr, less, found.allocation.unroll)
            }
        }
    }

    pub(super) fn set_count(&mut self, of: &Loop, count: i64) -> Result<Vec<usize>, ScheduleError> {
        if count <= LONGEST_DOI {
            return Ok(Vec::new());
        }
        if count > LONGEST_SETI {
            let message =
                format!("the loop's kernel would run {count} times; the most is {LONGEST_SETI}");
            let help = "put the count into a general register, or nest two loops";
            return Err(ScheduleError::new("C0606", of.span.clone(), message, help));
        }
        let scratch = i32::from(self.need_scratch(of, "its count is above 1023")?);
        let register = (RegFile::Gpr.seti_code().unwrap_or(0) as i32) << 4 | scratch;
        Ok(vec![self.made(LinearInst::Exch(Inst::new(Exch::Seti, &[register, count as i32])))])
    }

    fn reduce_count(
        &mut self,
        of: &Loop,
        gpr: u8,
        less: i64,
        unroll: i64,
    ) -> Result<Vec<usize>, ScheduleError> {
        let scratch = self.need_scratch(of, "its count is in a register")?;
        if less > LONGEST_SUBI {
            let message = format!("{less} iterations of the loop would be under way at once");
            return Err(ScheduleError::new("C0606", of.span.clone(), message, "split the body"));
        }
        let first = self.region_registers();
        let [a, b, c] = [0, 1, 2].map(|k| Reg::from_virtual(first + k).0 as i32);
        let all = 4;
        let mut setup =
            vec![self.made(LinearInst::Exch(Inst::new(Exch::Mtfpr, &[a, i32::from(gpr), all])))];
        setup.push(self.made(LinearInst::Arith(Inst::new(Arith::Subi, &[b, a, less as i32]))));
        let mut last = b;
        if unroll > 1 {
            let shift = -(unroll.trailing_zeros() as i32);
            setup.push(self.made(LinearInst::Arith(Inst::new(Arith::Lshifti, &[c, b, shift]))));
            last = c;
        }
        setup.push(
            self.made(LinearInst::Exch(Inst::new(Exch::Mffpr, &[i32::from(scratch), last, 0]))),
        );
        Ok(setup)
    }

    /// Returns an index from which on virtual registers are not used by the region.
    fn region_registers(&self) -> usize {
        self.work.region.names.len() + 3 * self.work.ops.len()
    }

    fn made(&mut self, code: LinearInst) -> usize {
        self.work.ops.push(Op { cc: 0, code, span: None });
        self.work.ops.len() - 1
    }

    fn need_scratch(&self, of: &Loop, why: &str) -> Result<u8, ScheduleError> {
        self.work.region.scratch.first().copied().ok_or_else(|| {
            let message = format!("this loop needs a general register for the scheduler: {why}");
            let help = "name one that the kernel does not use: `.scratch g15`";
            ScheduleError::new("C0607", of.span.clone(), message, help)
        })
    }
}
