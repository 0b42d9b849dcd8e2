//! Plans of workloads that no formula knows, such as those of files: from a run on the emulator, pass by pass, come the
//! bytes that pages move and the operations and cycles of kernels.

use super::kernel::{Kernel, OwnCount};
use crate::inputs::{BY_HAND, Inputs, LabError};
use crate::key::EstimateKey;
use crate::plan::{PartKind, Perf, Plan, PlanLoop, PlanPart};
use crate::recorded::Subject;
use cp2_isa::SECTIONS;
use cp2_session::cost::Cost;
use cp2_session::cost::passes::DataPass;

/// Keys that change the estimate of a counted workload; what it does is in its file.
const KEYS: [EstimateKey; 7] = [
    EstimateKey::Coprocessors,
    EstimateKey::Clock,
    EstimateKey::Bandwidth,
    EstimateKey::BandwidthClock,
    EstimateKey::MemoryClock,
    EstimateKey::Perf,
    EstimateKey::Measured,
];

/// A workload that was run on the emulator, for an estimate of it: the bytes that its pages move, and the operations
/// and cycles of its kernels. No formula of the dissertation `[D]` is needed.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedWorkload {
    /// Name of the workload; with its variant, if it has several.
    pub name: String,
    /// Cost of the run: its passes, and the machine on which it ran.
    pub cost: Cost,
}

impl CountedWorkload {
    /// Runs the variant of a workload that takes the fewest cycles on its machine; the results have to be right.
    ///
    /// # Errors
    /// No variant can be run, a run does not come to its end or has wrong results, or the workload runs on CP2 alone.
    pub fn new(subject: &Subject) -> Result<Self, LabError> {
        let (subject, _) = subject.best()?;
        Ok(Self { name: subject.name(), cost: subject.cost()? })
    }

    /// Returns the name of the machine on which the run was counted.
    pub fn machine(&self) -> &str {
        self.cost.config.name()
    }

    /// Whether the procedure counts its work by itself, in floating-point operations or others. If not, the operations of the fuller
    /// slot are counted.
    fn counts_work(&self) -> bool {
        self.cost.operations > 0
    }

    /// Whether kernels do floating-point operations. If not, their rates are those of the fuller slot.
    fn has_flops(&self) -> bool {
        self.cost.passes.iter().any(|pass| pass.counts.flops > 0)
    }

    /// Returns the operations of the whole workload, all sections together.
    pub(crate) fn operations(&self) -> f64 {
        match self.counts_work() {
            true => self.cost.operations as f64,
            false => self.cost.passes.iter().map(issued).sum(),
        }
    }

    /// Makes the plan of the workload on the system in `inputs`: a loop for each pass, an iteration for each page.
    ///
    /// # Errors
    /// A number of the work was set that its file gives, or the rate of the kernels is not known.
    pub(crate) fn plan(&self, inputs: &Inputs) -> Result<Plan, LabError> {
        let by_hand = |(key, given): &(EstimateKey, &crate::inputs::InputNumber)| {
            given.origin == BY_HAND && !KEYS.contains(key)
        };
        if let Some((key, _)) = inputs.all().find(by_hand) {
            let taken = KEYS.map(|key| key.to_string()).join(", ");
            return LabError::of(format!(
                "{}: {key} does not change its estimate, for what it does is in its file; it takes {taken}",
                self.name
            ));
        }
        let passes = self.cost.passes.iter();
        let loops = passes.map(|pass| self.loop_of(pass, inputs)).collect::<Result<_, _>>()?;
        let (machine, pages) = (self.machine(), self.cost.pages);
        let plural = if pages == 1 { "" } else { "s" };
        let mut notes = vec![format!(
            "bytes, operations and cycles of kernels were counted in a run on {machine}; the first \
             and the last page, descriptors and the host are left out"
        )];
        if !self.has_flops() {
            notes.push(
                "the kernels do no floating-point operations: their rates are those of the fuller slot"
                    .to_owned(),
            );
        }
        Ok(Plan {
            procedure: self.name.clone(),
            what: format!("{pages} page{plural}, as counted on {machine}"),
            base: "an operation of the kernels, as counted".to_owned(),
            operations: self.operations(),
            counting: match (self.counts_work(), self.has_flops()) {
                (true, true) => "floating-point ones that the kernels did".to_owned(),
                (true, false) => "those by which the procedure counts its work".to_owned(),
                (false, _) => "those of the fuller slot".to_owned(),
            },
            loops,
            quantities: Vec::new(),
            notes,
        })
    }

    /// Returns the loop over the pages of a pass.
    fn loop_of(&self, pass: &DataPass, inputs: &Inputs) -> Result<PlanLoop, LabError> {
        let (bw, k) = (inputs.bandwidth()?, inputs.require(EstimateKey::Coprocessors)?);
        let pages = pass.pages.max(1) as f64;
        // A single page, or one for which CP2 waits each time, has nothing to go on beside.
        let overlaps =
            pass.pages > pass.times && (pass.moved.load_bytes > 0 || pass.moved.prepare_bytes == 0);
        let moved = |what, name: &str, bytes: u64, overlaps: bool| {
            let part = PlanPart::overlapped(what, name, bytes as f64 / pages, bw);
            let part = if overlaps { part } else { part.alone() };
            (bytes > 0).then_some(part)
        };
        let perf = self.perf(pass, inputs)?;
        let kernel = (pass.counts.cycles > 0).then(|| {
            let amount = operations(pass) / pages;
            let part = PlanPart::overlapped(PartKind::Kernel, pass.name(), amount, k * perf.mops);
            if overlaps { part } else { part.alone() }
        });
        let parts = [
            moved(PartKind::Load, "before a page", pass.moved.prepare_bytes, false),
            moved(PartKind::Load, "of the next page", pass.moved.load_bytes, overlaps),
            kernel,
            moved(PartKind::Store, "results", pass.moved.store_bytes, overlaps),
        ];
        Ok(PlanLoop {
            name: format!("pages of {}", pass.name()),
            iterations: pages,
            parts: parts.into_iter().flatten().collect(),
            perf,
            sides: None,
        })
    }

    /// Returns the rate of the kernels of a pass on one coprocessor.
    fn perf(&self, pass: &DataPass, inputs: &Inputs) -> Result<Perf, LabError> {
        let name = pass.name();
        if pass.counts.cycles == 0 {
            let origin = "no kernel runs".to_owned();
            return Ok(Perf { kernel: name, mops: 0.0, origin });
        }
        let of_one = operations(pass) / SECTIONS as f64;
        let kernel = Kernel {
            name: &name,
            operations: of_one,
            published: None,
            peak: of_one / pass.counts.slot_operations.max(1) as f64,
            gpu: None,
            own: OwnCount::Run(pass.counts.cycles as f64, self.machine()),
        };
        kernel.perf(inputs)
    }
}

/// Returns the operations of the kernels of a pass, all sections together: floating-point ones, or those of the fuller
/// slot if there are none.
fn operations(pass: &DataPass) -> f64 {
    if pass.counts.flops > 0 { pass.counts.flops as f64 } else { issued(pass) }
}

/// Returns the operations of the fuller slot of a pass, all sections together.
fn issued(pass: &DataPass) -> f64 {
    SECTIONS as f64 * pass.counts.slot_operations as f64
}
