//! Workloads without their types: how each is run from its options to its report. What they do is in
//! their own files.

use super::flags::Form;
use super::{About, Bound, Check, Finished, Flag, Place, Reference, Request, Workload};
use crate::document;
use crate::error::KernelError;
use crate::npy::ComplexMatrix;
use cp2_isa::Core;
use serde_json::Value;

/// What a run gives its caller to print and to write.
#[derive(Clone, Debug)]
pub struct Done {
    /// The report for people.
    pub text: String,
    /// The report as JSON.
    pub json: Value,
    /// The array of `--output`.
    pub output: Option<ComplexMatrix>,
    /// The document of `--timeline-json`.
    pub timeline: Option<Value>,
    /// Why the check failed, if it did.
    pub complaint: Option<String>,
}

/// A workload of any kind.
pub trait Runnable: Send + Sync {
    /// What it is.
    fn about(&self) -> About;

    /// All options that it takes.
    fn flags(&self) -> Vec<Flag>;

    /// The least that it can cost on a core; see [`Workload::bound`].
    ///
    /// # Errors
    /// It could not be worked out.
    fn bound(&self, core: &Core) -> Result<Bound, KernelError>;

    /// Its assembly text for a core.
    ///
    /// # Errors
    /// There is none, and why.
    fn source(&self, core: &Core) -> Result<String, KernelError>;

    /// Runs it from inputs to report. `progress` is told how many vectors of how many are done.
    ///
    /// # Errors
    /// What is wrong with the inputs, or keeps it from its end; a failed check is no error.
    fn execute(
        &self,
        request: Request,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Done, KernelError>;

    /// Tag of the schema of its JSON report.
    fn tag(&self) -> &'static str;

    /// The schema of its JSON report, shared with workloads of these names.
    fn schema(&self, names: &[String]) -> Value;
}

/// A workload without its types.
pub(crate) fn boxed(workload: impl Workload) -> Box<dyn Runnable> {
    Box::new(workload)
}

impl<W: Workload> Runnable for W {
    fn about(&self) -> About {
        Workload::about(self)
    }

    fn flags(&self) -> Vec<Flag> {
        let mut flags = Workload::flags(self);
        flags.extend(Flag::execution());
        if Workload::about(self).place == Place::Machine {
            flags.extend(Flag::timeline());
        }
        flags
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        Workload::bound(self, core)
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        Workload::source(self, core)
    }

    fn execute(
        &self,
        request: Request,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Done, KernelError> {
        let about = Workload::about(self);
        check_shapes(&about.name, &Workload::flags(self), &request)?;
        let input = self.inputs(&request)?;
        let outcome = self.run(&request, &input, progress)?;
        let check = self.check(&request, &input, &outcome);
        let finished = Finished { about, request, input, outcome, check };
        let timeline = self.timeline(&finished);
        let mut text = self.text(&finished);
        if let Some(timeline) = timeline.filter(|_| finished.request.values.has("timeline")) {
            text += &timeline.to_text();
        }
        let wants = |flag| finished.request.values.has(flag);
        Ok(Done {
            text,
            json: document::document(W::SCHEMA, &W::fields(), &finished),
            output: if wants("output") { self.output(&finished) } else { None },
            timeline: timeline.filter(|_| wants("timeline-json")).map(|t| t.to_json()),
            complaint: complaint(&finished.about, &check),
        })
    }

    fn tag(&self) -> &'static str {
        W::SCHEMA
    }

    fn schema(&self, names: &[String]) -> Value {
        document::tagged(W::SCHEMA, &W::fields(), names)
    }
}

/// Refuses arrays that have not the shape that the workload takes.
fn check_shapes(name: &str, flags: &[Flag], request: &Request) -> Result<(), KernelError> {
    for flag in flags {
        if let (Form::Read(takes), Some(array)) = (&flag.form, request.values.array(flag.name))
            && !takes.fits([array.rows, array.columns])
        {
            let (shape, takes) = ([array.rows, array.columns], format!("{name} takes {takes}"));
            return Err(KernelError::Shape { flag: flag.name, shape, takes });
        }
    }
    Ok(())
}

/// What is said of a result that fails the check.
fn complaint(about: &About, check: &Check) -> Option<String> {
    let Reference { is, measure, tolerance, unit, hint, .. } = about.reference;
    let unit = if unit.is_empty() { String::new() } else { format!(" times {unit}") };
    let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
    let distance = check.distance;
    (!check.is_passed).then(|| {
        format!(
            "the result differs from {is}: {measure} {distance:.2e}, the limit is {tolerance:e}{unit}{hint}"
        )
    })
}
