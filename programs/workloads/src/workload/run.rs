//! Workloads without their types: each is run from its options to its report. The workloads are in their own files.

use super::{Finished, ReportField, TypedWorkload, text};
use cp2_document::width::wrapped;
use cp2_document::{Field, ValueKind};
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_isa::machine::Switch;
use cp2_recording::checkpoint::RunIdentity;
use cp2_session::cost::Cost;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::numbers::Flushed;
use cp2_session::workload::{
    About, ArraySpec, Bound, CheckVerdict, Deviation, Listener, OptionKind, Platform, Reference,
    Request, Tally, Workload, WorkloadOption, WorkloadOutcome,
};
use cp2_session::{npy, recorded};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns a workload without its types.
pub(crate) fn untyped(workload: impl TypedWorkload) -> Arc<dyn Workload> {
    Arc::new(Untyped(workload))
}

/// A workload whose types are hidden.
struct Untyped<W>(W);

impl<W: TypedWorkload> Workload for Untyped<W> {
    fn about(&self) -> About {
        self.0.about()
    }

    fn needs(&self) -> Vec<Switch> {
        self.0.needs().map_or_else(Vec::new, switches)
    }

    fn asks(&self) -> Option<&'static [Key]> {
        W::ASKS
    }

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        self.0.variants()
    }

    fn option_list(&self) -> Vec<WorkloadOption> {
        let mut options = self.0.options();
        options.extend(WorkloadOption::execution());
        if self.0.about().platform == Platform::Machine {
            options.extend(WorkloadOption::timeline());
        }
        options
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        self.0.bound(core)
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        self.0.source(core)
    }

    fn execute(
        &self,
        request: Request,
        listener: &mut dyn Listener,
    ) -> Result<WorkloadOutcome, KernelError> {
        let finished = finish(&self.0, request, listener)?;
        let (check, wants) = (finished.check, |option| finished.request.values.has(option));
        if wants("output")
            && let Some(output) = self.0.output(&finished)
        {
            listener.whole(&output)?;
        }
        let timeline = self.0.timeline(&finished);
        let mut text = self.0.text(&finished) + &text::flushed(check.flushed);
        if let Some(changes) = changed_core(&finished.request) {
            text += &format!("on a core with {}\n", changes.join(", "));
        }
        if let Some(timeline) = timeline.filter(|_| finished.request.values.has("timeline")) {
            text += &timeline.to_text();
        }
        Ok(WorkloadOutcome {
            text: wrapped(&text),
            json: cp2_document::document(W::SCHEMA, &fields::<W>(), &finished),
            timeline: timeline.filter(|_| wants("timeline-json")).map(|t| t.to_json()),
            cost: self.0.cost(&finished).cloned(),
            verdict: verdict(&finished.about, &check),
        })
    }

    fn tally(&self, request: Request) -> Result<Tally, KernelError> {
        let request = Request { counts_only: true, ..request };
        let finished = finish(&self.0, request, &mut |_: usize, _: usize| {})?;
        let cost = self.0.cost(&finished).cloned();
        let counted = || cp2_document::value(&W::fields(), "cycles", &finished)?.as_u64();
        let cycles = cost.as_ref().map(Cost::cycles).or_else(counted);
        let missing = KernelError::Internal("a workload counts no cycles");
        let verdict = verdict(&finished.about, &finished.check);
        Ok(Tally { cycles: cycles.ok_or(missing)?, cost, verdict })
    }

    fn tag(&self) -> &'static str {
        W::SCHEMA
    }

    fn schema(&self, names: &[String]) -> Value {
        cp2_document::tagged(W::SCHEMA, &fields::<W>(), names)
    }
}

/// Runs a workload to its outcome, compared with the reference.
fn finish<W: TypedWorkload>(
    workload: &W,
    request: Request,
    listener: &mut dyn Listener,
) -> Result<Finished<W>, KernelError> {
    let about = TypedWorkload::about(workload);
    check_extension(workload, &about, &request)?;
    check_shapes(&about.name, &TypedWorkload::options(workload), &request)?;
    let input = workload.inputs(&request)?;
    keep_source(workload, &request)?;
    if let (Some(keeper), Some(machine)) = (&request.keeper, &request.machine) {
        keeper.begin(RunIdentity {
            cp2: env!("CARGO_PKG_VERSION").to_owned(),
            program: about.name.clone(),
            machine: machine.dump(),
            inputs: request.values.digest(),
        });
    }
    let outcome = workload.run(&request, &input, listener)?;
    let check = workload.check(&request, &input, &outcome);
    Ok(Finished { about, request, input, outcome, check })
}

/// Keeps the text of a kernel that runs on CP2 alone in the recording; a host keeps the programs that it sends itself.
fn keep_source<W: TypedWorkload>(workload: &W, request: &Request) -> Result<(), KernelError> {
    let (Some(recorder), None) = (&request.recorder, &request.machine) else { return Ok(()) };
    let (core, name) = (request.core(), format!("{}.s", workload.about().name));
    let text = match TypedWorkload::source(workload, &core) {
        // A program that is made for its input is kept where it is made.
        Err(KernelError::Request(RequestError::NoText(_))) => return Ok(()),
        text => text?,
    };
    let (image, sources) = request.environment.assemble_with_sources(&core, &name, &text)?;
    recorded::keep(recorder, &image, &sources)
}

const FLUSHED: &[Field<Flushed>] = &[
    Field::new("inputs", ValueKind::Integer, "numbers", "of the input", |f| f.inputs.into()),
    Field::new(
        "results",
        ValueKind::Integer,
        "numbers",
        "of the results that were compared: denormals by the reference",
        |f| f.results.into(),
    ),
];

/// Returns the rows of a workload's report, followed by those that every workload has.
fn fields<W: TypedWorkload>() -> Vec<ReportField<W>> {
    let mut fields = W::fields();
    fields.push(Field::new(
        "flushed",
        ValueKind::Object(|| cp2_document::schema(FLUSHED, &[])),
        "",
        "denormal numbers, which CP2 reads and gives as zero; the reference does the same",
        |f| cp2_document::object(FLUSHED, &f.check.flushed),
    ));
    fields.push(Field::optional(
        "core",
        ValueKind::Texts,
        "",
        "numbers of the core of a kernel that are not those of CP2, a line each",
        |f| json!(changed_core(&f.request)),
    ));
    fields
}

/// Returns the changes of the core on which a kernel ran, a line each; `None` for a procedure, whose machine tells them.
fn changed_core(request: &Request) -> Option<Vec<String>> {
    let is_alone = request.machine.is_none();
    Some(request.core.changes()).filter(|changes| is_alone && !changes.is_empty())
}

/// Refuses a core that lacks an extension that a kernel needs; a procedure itself refuses a machine that lacks one.
fn check_extension<W: TypedWorkload>(
    workload: &W,
    about: &About,
    request: &Request,
) -> Result<(), KernelError> {
    let needs = workload.needs().filter(|_| about.platform == Platform::Cp2);
    let Some(needed) = needs else { return Ok(()) };
    let (core, switches) = (request.core(), switches(needed));
    if with_extensions(&core, &switches) == core {
        return Ok(());
    }
    let in_file: Vec<_> = switches.iter().filter_map(Switch::in_file).collect();
    let advice = format!(
        ", or on a --machine whose file has {}; `cp2 kernels list` tells which do without it, alone or by --machine vm7",
        in_file.join(", ")
    );
    let (workload, needed) = (about.name.clone(), needed.to_owned());
    Err(RequestError::Extension { workload, needed, on: "this core".to_owned(), advice }.into())
}

/// Returns the extensions that a workload names, with commas between. If one of the names were wrong, the workload would run
/// on no core.
pub(crate) fn switches(names: &'static str) -> Vec<Switch> {
    Switch::list(names).unwrap_or_default()
}

/// Returns the core with these extensions of CP2 switched on; the unchanged core if no core can have these extensions
/// beside its own sizes and latencies.
pub fn with_extensions(core: &Core, switches: &[Switch]) -> Core {
    let numbers = switches.iter().fold(*core.numbers(), |numbers, switch| switch.on_core(numbers));
    Core::new(numbers).unwrap_or(*core)
}

/// Refuses arrays whose shape is not that which the workload takes.
fn check_shapes(
    name: &str,
    options: &[WorkloadOption],
    request: &Request,
) -> Result<(), KernelError> {
    for option in options {
        let arrays = match &option.form {
            OptionKind::Read(arrays) => &arrays[..],
            OptionKind::Numbers(numbers) => std::slice::from_ref(&numbers.array),
            _ => continue,
        };
        if let (Some(array), [takes, ..]) = (request.values.array(option.name), arrays)
            && !takes.fits(&[array.rows, array.columns])
        {
            let shape = npy::shape_text(&[array.rows, array.columns]);
            let takes = format!("{name} takes {takes}");
            return Err(KernelError::Shape { option: option.name, shape, takes });
        }
        check_named(name, option, arrays, request)?;
    }
    Ok(())
}

/// Refuses named arrays if one has a wrong shape, is missing, or has a size that contradicts another one.
fn check_named(
    name: &str,
    option: &WorkloadOption,
    arrays: &[ArraySpec],
    request: &Request,
) -> Result<(), KernelError> {
    let given = |takes: &ArraySpec| request.values.named(option.name, &takes.name);
    if arrays.iter().all(|takes| given(takes).is_none()) {
        return Ok(());
    }
    let mut sizes: Vec<(&str, &str, usize)> = Vec::new();
    for takes in arrays {
        let wrong = |shape: &[usize], takes: String| {
            let shape = npy::shape_text(shape);
            Err(KernelError::Shape { option: option.name, shape, takes })
        };
        let Some(array) = given(takes) else {
            if takes.is_optional {
                continue;
            }
            let all = arrays.iter().map(|takes| takes.name.to_string()).collect();
            let (workload, missing) = (name.to_owned(), takes.name.to_string());
            return Err(RequestError::MissingArray { workload, takes: all, missing }.into());
        };
        if !takes.fits(&array.shape) {
            return wrong(&array.shape, format!("{name} takes {} of {takes}", takes.name));
        }
        for (axis, size) in takes.shape.iter().zip(&array.shape) {
            match sizes.iter().find(|(known, ..)| known == axis) {
                Some((_, other, known)) if known != size && axis.parse::<usize>().is_err() => {
                    let takes =
                        format!("{axis} is {size} in {} and {known} in {other}", takes.name);
                    return wrong(&array.shape, takes);
                }
                _ => sizes.push((axis, &takes.name, *size)),
            }
        }
        if let Some(at) = (0..array.len()).find(|&at| !array.value(at).is_finite()) {
            let (value, index) = (array.value(at).to_string(), array.index(at));
            return Err(
                RequestError::NotFinite { array: takes.name.to_string(), value, index }.into()
            );
        }
    }
    Ok(())
}

/// Returns what the comparison of a result with the reference tells.
fn verdict(about: &About, check: &Deviation) -> CheckVerdict {
    let Reference { is, measure, tolerance, unit, hint, .. } = &about.reference;
    let unit = if unit.is_empty() { String::new() } else { format!(" times {unit}") };
    let hint = if hint.is_empty() { String::new() } else { format!("; {hint}") };
    let distance = check.distance;
    let complaint = (!check.is_passed).then(|| {
        format!(
            "the result differs from {is}: {measure} {distance:.2e}, the limit is {tolerance:e}{unit}{hint}"
        )
    });
    CheckVerdict { is_checked: true, complaint }
}
