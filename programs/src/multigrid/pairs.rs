//! `resid` on two groups of rows in one pass as workloads: as CP2 is, and with accesses of 32 bits. The
//! generator is `paired`; operands, reference and report are those of `resid`.

use super::check::{error_of, generated};
use super::layout::word;
use super::{
    Block, Check as Distance, Kernel, Map, Operator, Report, called, check_block, check_operands,
    paired, put_operands, text_of,
};
use crate::workload::trial::{self, Trial};
use crate::workload::{
    About, Bound, Check, Counted, Finished, Flag, Listener, ReportField, Request, Row, Workload,
};
use cp2_isa::{Core, Extensions, SECTIONS};
use cp2_session::engine::{Execution, Processor};
use cp2_session::error::KernelError;
use cp2_session::load::machine_with;
use cp2_session::npy;

/// The kernel that this one is made like.
const KERNEL: Kernel = Kernel::Resid;

/// `resid` on two groups of rows in one pass; with `HALVES` it loads halves of words.
#[derive(Clone, Copy, Debug)]
pub struct Paired<const HALVES: bool>;

impl<const HALVES: bool> Paired<HALVES> {
    /// The name, as `cp2 kernels` takes it.
    pub const NAME: &'static str = if HALVES { "resid_word_access" } else { "resid_paired" };

    const DESCRIPTION: &'static str = if HALVES {
        "multigrid: residual of a block, two groups of rows in one pass, row ends two in a word; needs --enable word-access"
    } else {
        "multigrid: residual of a block, two groups of rows in one pass of the loop"
    };

    /// The constants of `resid`, and the last with its halves exchanged.
    fn constants(operator: &Operator) -> Vec<u64> {
        let [c0, _, c2, _] = operator.0.map(|c| c as f32);
        let mut words = KERNEL.constants(operator);
        words.extend([word(c0, c2), 0]);
        words
    }

    /// Refuses blocks that are not for it.
    fn check_block(core: &Core, block: Block) -> Result<(), KernelError> {
        check_block(core, KERNEL, block)?;
        let refuse = |allowed: String| {
            let given = format!("a block of {block} points");
            Err(KernelError::Block { kernel: Self::NAME, given, allowed })
        };
        if block.n1 < 8 || block.n1 > 32 || !block.n2.is_multiple_of(paired::TOGETHER) {
            return refuse(format!("n1 from 8 to 32, n2 a multiple of {}", paired::TOGETHER));
        }
        let needed = Map::new(KERNEL, block).constants + Self::constants(&Operator::A).len();
        if needed > core.bank_words() {
            return refuse(format!("what fits a bank of {} words", core.bank_words()));
        }
        Ok(())
    }

    /// The assembly text for a size of block.
    ///
    /// # Errors
    /// It is not for such blocks, or the core lacks the extension.
    pub fn source(core: &Core, block: Block) -> Result<String, KernelError> {
        if HALVES && !core.extensions().contains(Extensions::WORD_ACCESS) {
            return Err(KernelError::Array(format!(
                "{} needs the extension word-access, which the core has not; run it with --enable word-access",
                Self::NAME
            )));
        }
        Self::check_block(core, block)?;
        let weights = Self::constants(&Operator::A).len();
        let lines = paired::lines(block, HALVES);
        Ok(text_of([Self::DESCRIPTION, Self::NAME], KERNEL, block, weights, &lines))
    }

    /// Operations that the arithmetic and the exchange slot issue for a block.
    ///
    /// # Errors
    /// It is not for such blocks.
    pub fn operations(core: &Core, block: Block) -> Result<[usize; 2], KernelError> {
        Self::check_block(core, block)?;
        Ok(paired::lines(block, HALVES).operations())
    }

    /// Runs it on four blocks, as [`super::run`] does.
    ///
    /// # Errors
    /// The blocks or the weights are not for it, or what keeps it from its end.
    pub fn run(
        block: Block,
        operator: &Operator,
        [faced, plain]: [&[f32]; 2],
        on: Execution,
    ) -> Result<Report, KernelError> {
        let text = Self::source(&on.core, block)?;
        check_operands(KERNEL, block, operator, faced, plain)?;
        let (mut cp2, entry) = machine_with(&on.core, &format!("{}.s", Self::NAME), &text)?;
        put_operands(&mut cp2, KERNEL, block, &Self::constants(operator), [faced, plain]);
        called(KERNEL, block, Processor::new(cp2, on), entry)
    }

    /// What is counted of it.
    pub(super) fn counted() -> Counted {
        let counted = Counted::new(Self::NAME.to_owned(), Self::row);
        match <Self as Workload>::NEEDS {
            Some(extension) => counted.needing(extension),
            None => counted,
        }
    }

    /// The count at the size of the published kernels.
    fn row(name: &str, on: Execution) -> Result<Row, KernelError> {
        let (block, operator) = (KERNEL.usual_block(), KERNEL.operator());
        let operands = generated(KERNEL, block, 1);
        let report = Self::run(block, &operator, [&operands[0], &operands[1]], on)?;
        let error = error_of(KERNEL, block, &operator, &operands, &report.output);
        let counted = (1, report.stats.cycles);
        let bound = Workload::bound(&Self, &on.core)?;
        let row = Row::new(name.to_owned(), block.to_string(), counted, &bound);
        Ok(row.checked(error < Distance::LIMIT))
    }
}

impl<const HALVES: bool> Workload for Paired<HALVES> {
    type Input = <Kernel as Workload>::Input;
    type Outcome = Trial;
    const SCHEMA: &'static str = trial::SCHEMA;
    const NEEDS: Option<&'static str> = if HALVES { Some("word-access") } else { None };

    fn about(&self) -> About {
        let name = Self::NAME.to_owned();
        About { name, summary: Self::DESCRIPTION, ..Workload::about(&KERNEL) }
    }

    fn flags(&self) -> Vec<Flag> {
        Workload::flags(&KERNEL)
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        let operations = Self::operations(core, KERNEL.usual_block())?;
        let fuller = operations.into_iter().max().unwrap_or(0);
        Ok(Bound { cycles: Some(fuller as f64), ..Workload::bound(&KERNEL, core)? })
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        Self::source(core, KERNEL.usual_block())
    }

    fn inputs(&self, request: &Request) -> Result<Self::Input, KernelError> {
        Workload::inputs(&KERNEL, request)
    }

    fn run(
        &self,
        request: &Request,
        (block, [faced, plain]): &Self::Input,
        _: &mut dyn Listener,
    ) -> Result<Trial, KernelError> {
        let (block, on) = (*block, request.execution());
        let report = Self::run(block, &KERNEL.operator(), [faced, plain], on)?;
        Ok(report.trial(block))
    }

    fn check(&self, request: &Request, input: &Self::Input, trial: &Trial) -> Check {
        Workload::check(&KERNEL, request, input, trial)
    }

    fn output(&self, finished: &Finished<Self>) -> Option<npy::Array> {
        let Block { n1, n2, n3 } = finished.input.0;
        let shape = vec![SECTIONS, n3, n2, n1];
        Some(npy::Array::from_floats(shape, &finished.outcome.results))
    }

    fn fields() -> Vec<ReportField<Self>> {
        trial::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        trial::text(finished)
    }
}
