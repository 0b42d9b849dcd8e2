//! The kernel `resid` on two groups of rows in one pass of its loop: for CP2 as it is, and with accesses of 32 bits.
//! The generator of its linear code is `paired`; operands, results and report are those of `resid`.

use super::layout::word;
use super::{
    GridBlock, GridKernel, OperandMap, Operator, Report, called, check_block, check_operands,
    page_words, paired, put_operands, text_of,
};
use cp2_isa::{Core, Extensions};
use cp2_session::error::{KernelError, RequestError};
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::machine_with;

/// Kernel that `Paired` is made like.
const KERNEL: GridKernel = GridKernel::Resid;

/// Variant of the kernel [`GridKernel::Resid`], the residual of a block of a grid, whose loop computes two groups of
/// four rows in one pass; with `HALVES` the kernel loads single halves of words, which needs the extension
/// `word-access`.
#[derive(Clone, Copy, Debug)]
pub struct Paired<const HALVES: bool>;

impl<const HALVES: bool> Paired<HALVES> {
    /// Name of the variant, as `cp2 kernels` takes it.
    pub const NAME: &'static str = if HALVES { "resid_word_access" } else { "resid_paired" };

    /// Description of what the variant computes, in one line, for lists of kernels.
    pub const DESCRIPTION: &'static str = if HALVES {
        "multigrid: residual of a block, two groups of rows in one pass, row ends two in a word; needs --enable word-access"
    } else {
        "multigrid: residual of a block, two groups of rows in one pass of the loop"
    };

    /// Returns the constants of `resid` for the weights of an operator, the last of them with its halves exchanged, and a word of
    /// zeros: words of local memory of each section.
    pub fn constants(operator: &Operator) -> Vec<u64> {
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
        let page = page_words(core);
        if needed > page {
            return refuse(format!("what fits {page} words of local memory"));
        }
        Ok(())
    }

    /// Returns the assembly text of the variant for blocks of the size `block`. Its arguments are those of `resid`,
    /// which [`source`](super::source) tells.
    ///
    /// # Errors
    /// The variant does not take such blocks, or the core lacks the extension.
    pub fn source(core: &Core, block: GridBlock) -> Result<String, KernelError> {
        if HALVES && !core.extensions().contains(Extensions::WORD_ACCESS) {
            return Err(RequestError::lacking(Self::NAME, "word-access").into());
        }
        Self::check_block(core, block)?;
        let weights = Self::constants(&Operator::A).len();
        let lines = paired::lines(block, HALVES);
        Ok(text_of([Self::DESCRIPTION, Self::NAME], KERNEL, block, weights, &lines))
    }

    /// Returns the numbers of operations that the arithmetic slot and then the exchange slot issue when the variant
    /// runs once on a block of the size `block` in each section.
    ///
    /// # Errors
    /// The variant does not take such blocks.
    pub fn operations(core: &Core, block: GridBlock) -> Result<[usize; 2], KernelError> {
        Self::check_block(core, block)?;
        Ok(paired::lines(block, HALVES).operations())
    }

    /// Runs the variant with the weights of an operator on four blocks, one in each section, as [`super::run`] runs
    /// `resid`. The operands are the points of the four blocks of u with faces, which are the layers of points around a
    /// block, and of the four blocks of v without.
    ///
    /// # Errors
    /// The variant does not take the blocks or the weights, or the run does not end.
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
