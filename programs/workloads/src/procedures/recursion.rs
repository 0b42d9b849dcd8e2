//! Recursive searches on a whole machine as workloads: contexts in system memory.

use crate::kernels::recursion::{
    Searched, TaskKind, about, bound, check, chosen, fields, plan_options, text, wishes,
};
use crate::procedures::common::{done_rows, machine_rows, no_source};
use crate::procedures::sparse::report::rates;
use crate::workload::{Family, Finished, ReportField, TypedWorkload, untyped};
use cp2_isa::Core;
use cp2_kernels::recursion::Transfers;
use cp2_procedures::recursion::{Moves, solve};
use cp2_recursion::tasks::AnyTask;
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::workload::{About, Bound, Deviation, Listener, Platform, Request, WorkloadOption};

/// The family of recursive searches. Their cycles depend on the machine, so they are not counted.
pub(crate) const FAMILY: Family = Family {
    workloads: || TaskKind::ALL.map(|kind| untyped(SearchProcedure(kind))).to_vec(),
    counted: Vec::new,
};

/// A search on a whole machine.
#[derive(Clone, Copy, Debug)]
struct SearchProcedure(TaskKind);

/// A search that has ended, and its cost.
#[derive(Debug)]
struct SearchRun {
    searched: Searched,
    cost: Cost,
}

impl AsRef<Searched> for SearchRun {
    fn as_ref(&self) -> &Searched {
        &self.searched
    }
}

impl AsRef<Cost> for SearchRun {
    fn as_ref(&self) -> &Cost {
        &self.cost
    }
}

/// Text for the counting of operations.
const COUNTING: &str = "where a node is one";

impl TypedWorkload for SearchProcedure {
    type Input = AnyTask;
    type Outcome = SearchRun;
    const SCHEMA: &'static str = "cp2-search-1";

    fn about(&self) -> About {
        about(self.0, Platform::Machine)
    }

    fn needs(&self) -> Option<&'static str> {
        self.0.needs()
    }

    fn options(&self) -> Vec<WorkloadOption> {
        self.0.options().into_iter().chain(plan_options()).collect()
    }

    fn bound(&self, _: &Core) -> Result<Bound, KernelError> {
        Ok(bound())
    }

    fn source(&self, _: &Core) -> Result<String, KernelError> {
        Err(no_source(self.0.name()))
    }

    fn inputs(&self, request: &Request) -> Result<AnyTask, KernelError> {
        self.0.task(&request.values)
    }

    fn run(
        &self,
        request: &Request,
        task: &AnyTask,
        listener: &mut dyn Listener,
    ) -> Result<SearchRun, KernelError> {
        let machine = request.machine()?.clone();
        let execution = request.execution();
        let moves = Moves::new(machine.clone(), &execution)?;
        let of = (&execution, machine.core(), &moves as &dyn Transfers);
        let (search, on) = chosen(task, wishes(&request.values), of)?;
        let (outcome, right, cost) = solve(machine.clone(), &search, &on, listener)?;
        let of = (task, &request.values, &search);
        let searched = Searched::new(of, outcome, (cost.cycles(), right))?;
        Ok(SearchRun { searched, cost })
    }

    fn check(&self, _: &Request, _: &AnyTask, run: &SearchRun) -> Deviation {
        check(&run.searched)
    }

    fn cost<'a>(&self, finished: &'a Finished<Self>) -> Option<&'a Cost> {
        Some(&finished.outcome.cost)
    }

    fn fields() -> Vec<ReportField<Self>> {
        let mut all = fields();
        all.extend(done_rows(COUNTING));
        all.extend(machine_rows());
        all
    }

    fn text(&self, finished: &Finished<Self>) -> String {
        let report = text(finished);
        // Without contexts the lanes have made no node, so that there is no rate of theirs.
        match finished.outcome.searched.outcome.contexts {
            0 => report,
            _ => report + &rates(&finished.outcome.cost, COUNTING, None),
        }
    }
}
