//! The kernels in which sections tell each other by shared memory, as workloads: on a machine with that extension.

use super::{Operands, Results, StarKernel, row};
use crate::workload::{Counted, Finished, ReportField, TypedWorkload};
use cp2_isa::Core;
use cp2_kernels::star::{OverRows, SearchForm, SectionExchange};
use cp2_session::error::KernelError;
use cp2_session::workload::{About, Bound, Deviation, Listener, Request, Workload, WorkloadOption};
use std::sync::Arc;

/// The extension that the kernels need.
const NEEDED: &str = "shared-memory";

/// A kernel that needs shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared(pub(super) StarKernel);

/// Returns all of them.
pub(super) fn all() -> impl Iterator<Item = Shared> {
    let searches = [false, true].map(|is_max| StarKernel::Search(SearchForm::Shared, is_max));
    let others = OverRows::ALL.map(|kernel| StarKernel::OverRows(kernel, SectionExchange::Shared));
    searches.into_iter().chain(others).map(Shared)
}

/// Returns a kernel to be counted.
pub(super) fn counted(Shared(kernel): Shared) -> Counted {
    Counted::new(kernel.name().to_owned(), move |name, on| row(name, kernel, on)).needing(NEEDED)
}

impl TypedWorkload for Shared {
    type Input = Operands;
    type Outcome = Results;
    const SCHEMA: &'static str = <StarKernel as TypedWorkload>::SCHEMA;
    const NEEDS: Option<&'static str> = Some(NEEDED);

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        TypedWorkload::variants(&self.0)
    }

    fn about(&self) -> About {
        let about = TypedWorkload::about(&self.0);
        About {
            summary: format!("{}; needs --enable shared-memory", about.summary).into(),
            ..about
        }
    }

    fn options(&self) -> Vec<WorkloadOption> {
        TypedWorkload::options(&self.0)
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        TypedWorkload::bound(&self.0, core)
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        TypedWorkload::source(&self.0, core)
    }

    fn inputs(&self, request: &Request) -> Result<Operands, KernelError> {
        TypedWorkload::inputs(&self.0, request)
    }

    fn run(
        &self,
        request: &Request,
        input: &Operands,
        listener: &mut dyn Listener,
    ) -> Result<Results, KernelError> {
        TypedWorkload::run(&self.0, request, input, listener)
    }

    fn check(&self, request: &Request, input: &Operands, results: &Results) -> Deviation {
        TypedWorkload::check(&self.0, request, input, results)
    }

    fn fields() -> Vec<ReportField<Self>> {
        super::fields()
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        super::text_of(self.0, finished)
    }
}
