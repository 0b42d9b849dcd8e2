//! `resid` on two groups of rows in one pass: as CP2 is, and with accesses of 32 bits. The
//! generator is `paired`; operands, results and report are those of `resid`.

use super::layout::word;
use super::{
    GridBlock, GridKernel, OperandMap, Operator, Report, called, check_block, check_operands,
    paired, put_operands, text_of,
};
use cp2_isa::{Core, Extensions};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::machine_with;

/// Kernel that `Paired` is made like.
const KERNEL: GridKernel = GridKernel::Resid;

/// Kernel `resid` on two groups of rows in one pass; with `HALVES` the kernel loads halves of words.
#[derive(Clone, Copy, Debug)]
pub struct Paired<const HALVES: bool>;

impl<const HALVES: bool> Paired<HALVES> {
    /// Name of the kernel, as `cp2 kernels` takes it.
    pub const NAME: &'static str = if HALVES { "resid_word_access" } else { "resid_paired" };

    /// Text of one line that tells what the kernel computes.
    pub const DESCRIPTION: &'static str = if HALVES {
        "multigrid: residual of a block, two groups of rows in one pass, row ends two in a word; needs --enable word-access"
    } else {
        "multigrid: residual of a block, two groups of rows in one pass of the loop"
    };

    /// Returns the constants of `resid`, the last of them with its halves exchanged, and a word of zeros.
    fn constants(operator: &Operator) -> Vec<u64> {
        let [c0, _, c2, _] = operator.0.map(|c| c as f32);
        let mut words = KERNEL.constants(operator);
        words.extend([word(c0, c2), 0]);
        words
    }

    /// Refuses blocks that the kernel does not take.
    fn check_block(core: &Core, block: GridBlock) -> Result<(), KernelError> {
        check_block(core, KERNEL, block)?;
        let refuse = |allowed: String| {
            let given = format!("a block of {block} points");
            Err(KernelError::Block { kernel: Self::NAME, given, allowed })
        };
        if block.n1 < 8 || block.n1 > 32 || !block.n2.is_multiple_of(paired::TOGETHER) {
            return refuse(format!("n1 from 8 to 32, n2 a multiple of {}", paired::TOGETHER));
        }
        let needed = OperandMap::new(KERNEL, block).constants + Self::constants(&Operator::A).len();
        if needed > core.bank_words() {
            return refuse(format!("what fits a bank of {} words", core.bank_words()));
        }
        Ok(())
    }

    /// Returns the assembly text for a size of block.
    ///
    /// # Errors
    /// The kernel does not take such blocks, or the core lacks the extension.
    pub fn source(core: &Core, block: GridBlock) -> Result<String, KernelError> {
        if HALVES && !core.extensions().contains(Extensions::WORD_ACCESS) {
            return Err(RequestError::lacking(Self::NAME, "word-access").into());
        }
        Self::check_block(core, block)?;
        let weights = Self::constants(&Operator::A).len();
        let lines = paired::lines(block, HALVES);
        Ok(text_of([Self::DESCRIPTION, Self::NAME], KERNEL, block, weights, &lines))
    }

    /// Returns the numbers of operations that the arithmetic and the exchange slot issue for a block.
    ///
    /// # Errors
    /// The kernel does not take such blocks.
    pub fn operations(core: &Core, block: GridBlock) -> Result<[usize; 2], KernelError> {
        Self::check_block(core, block)?;
        Ok(paired::lines(block, HALVES).operations())
    }

    /// Runs the kernel on four blocks, as [`super::run`] does.
    ///
    /// # Errors
    /// The kernel does not take the blocks or the weights, or does not come to its end.
    pub fn run(
        block: GridBlock,
        operator: &Operator,
        [faced, plain]: [&[f32]; 2],
        on: &Execution,
    ) -> Result<Report, KernelError> {
        let text = Self::source(&on.core, block)?;
        check_operands(KERNEL, block, operator, faced, plain)?;
        let (mut cp2, entry) =
            machine_with(&on.environment, &on.core, &format!("{}.s", Self::NAME), &text)?;
        put_operands(&mut cp2, KERNEL, block, &Self::constants(operator), [faced, plain]);
        called(KERNEL, block, KernelRunner::new(cp2, on), entry)
    }
}
