//! A run of one variant of a workload file on CP2 alone: program, arguments and arrays as a user of `cp2 run` gives them.

use super::{Code, Variant, WorkloadFile};
use crate::catalogue;
use cp2_asm::interface::{ArrayDirection, Interface};
use cp2_emu::{End, Stats};
use cp2_isa::{BundleAddress, Core};
use cp2_session::arrays::{Problem, kernel_at};
use cp2_session::error::KernelError;
use cp2_session::npy::Array;
use cp2_session::workload::{Platform, Request};
use cp2_session::{Cancellation, EntryError, Environment, Error, Form, Program, Run, Setup};

/// The outcome of a run of a kernel: its counts, and its arrays.
pub(super) struct KernelRun {
    pub(super) stats: Stats,
    /// Arrays after the run that the kernel writes, by name, in the order in which the kernel declares them.
    pub(super) results: Vec<(String, Array)>,
}

impl WorkloadFile {
    /// Makes the program of a variant for a core; returns it with the bundle at which it starts.
    pub(super) fn program(
        &self,
        environment: &Environment,
        core: &Core,
        variant: &Variant,
    ) -> Result<(Program, BundleAddress), KernelError> {
        let key = format!("{} {} {:016x}", self.path, variant.name, self.digest);
        let program = match &variant.code {
            Code::File { name, bytes, form, includes } => {
                let mut include = |from: &str, path: &str| includes.find(from, path);
                Program::shelved(environment, core, &key, (name, bytes, *form), &mut include)?
            }
            Code::Shipped(name) => {
                let text = self.shipped_source(name, core)?;
                let none = &mut |_: &str, _: &str| Err("no files can be included here".to_owned());
                let file = format!("{name}.s");
                let source = (file.as_str(), text.as_bytes(), Form::Source);
                Program::shelved(environment, core, &key, source, none)?
            }
        };
        let shipped = match &variant.code {
            Code::Shipped(name) => Some(name.as_str()),
            Code::File { .. } => None,
        };
        let own = variant.entry.as_deref();
        // A shipped kernel may have another name in its text than in the list.
        let entry = match shipped.filter(|_| own.is_none()) {
            Some(name) => program.entry(Some(name)).or_else(|_| program.entry(None)),
            None => program.entry(own),
        };
        let place = format!("variant {}, entry", variant.name);
        let entry = entry.map_err(|error| self.no_entry(&place, &error))?;
        Ok((program, entry))
    }

    /// Returns the error that a program has no kernel or label of the name that the file gives at a place.
    pub(super) fn no_entry(&self, place: &str, error: &EntryError) -> KernelError {
        let kernels = &error.kernels;
        let near = cp2_asm::nearest(&error.place, kernels.iter().map(String::as_str));
        let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let all = kernels.join(", ");
        let name = &error.place;
        let message = format!("no kernel or label is called `{name}`; the kernels are {all}{help}");
        self.wrong(place, message)
    }

    /// Returns the text of a kernel that comes with the program.
    pub(super) fn shipped_source(&self, name: &str, core: &Core) -> Result<String, KernelError> {
        match catalogue::find(Platform::Cp2, name) {
            Some(kernel) => kernel.source(core),
            None => Err(KernelError::Internal("a shipped kernel is missing")),
        }
    }

    /// Runs a variant to its end.
    pub(super) fn run_kernel(
        &self,
        variant: &Variant,
        request: &Request,
    ) -> Result<KernelRun, KernelError> {
        let (core, execution) = (request.core(), request.execution());
        let (program, entry) = self.program(&request.environment, &core, variant)?;
        let (_, interface) = kernel_at(program.image(), entry);
        let setup = Setup {
            core,
            entry: Some(entry),
            engine: execution.engine,
            max_cycles: execution.limit(),
            recorder: request.recorder.clone(),
            ..Setup::default()
        };
        let setup = self.given(setup, variant, &interface)?;
        let prepared = program.prepare(&setup).map_err(|e| self.refused(e))?;
        let mut run =
            Run::new(&request.environment, prepared, &setup).map_err(|e| self.refused(e))?;
        let cancellation = Cancellation::default();
        let end = run.to_end(&cancellation, &mut |_| {});
        let outcome = run.finish(end);
        if !matches!(outcome.end, End::Stopped(_)) {
            return Err(KernelError::Run(Box::new(outcome.end)));
        }
        let names = outcome.arrays.stores.iter().map(|array| array.transfer.target.to_string());
        let names: Vec<String> = names.collect();
        let arrays = outcome.arrays().map_err(|e| self.refused(e))?;
        Ok(KernelRun { stats: outcome.stats, results: names.into_iter().zip(arrays).collect() })
    }

    /// Returns the shapes of the arrays that a variant has on CP2 alone, all at once, by the names that its kernel declares.
    ///
    /// # Errors
    /// An argument or an array is missing or does not fit.
    pub(super) fn shapes(
        &self,
        variant: &Variant,
        program: &Program,
        entry: BundleAddress,
    ) -> Result<Vec<(String, Vec<usize>)>, KernelError> {
        let (_, interface) = kernel_at(program.image(), entry);
        let setup = Setup { core: *program.core(), entry: Some(entry), ..Setup::default() };
        let setup = self.given(setup, variant, &interface)?;
        let prepared = program.prepare(&setup).map_err(|e| self.refused(e))?;
        let laid = prepared.arrays.laid.into_iter();
        Ok(laid.map(|laid| (laid.name, laid.placed.shape)).collect())
    }

    /// Returns the setup of a run with the arguments and arrays of the file that a variant takes.
    fn given(
        &self,
        mut setup: Setup,
        variant: &Variant,
        interface: &Interface,
    ) -> Result<Setup, KernelError> {
        for (name, value) in self.arguments.iter().chain(&variant.arguments) {
            setup = setup.argument(name, value);
        }
        let of_variant = self.arrays.iter().filter(|array| array.is_for(&variant.name));
        for array in of_variant.clone() {
            if let Some(values) = &array.values {
                setup = setup.load(&array.name, values.clone()).map_err(|e| self.refused(e))?;
            }
        }
        let is_written = |name: &str| {
            let declared = interface.arrays.iter().find(|array| array.name == name);
            declared.is_some_and(|array| array.direction != ArrayDirection::In)
        };
        let declared = interface.arrays.iter().map(|array| array.name.as_str());
        let others = of_variant.filter(|array| array.expected.is_some());
        let others = others.map(|array| array.name.as_str()).filter(|name| !is_written(name));
        for name in declared.filter(|name| is_written(name)).chain(others) {
            let shape = self.array(name).and_then(|array| array.own_shape());
            let sizes = shape.map(|shape| shape.iter().map(usize::to_string).collect::<Vec<_>>());
            let place = sizes.map(|sizes| format!("{name}:shape={}", sizes.join("x")));
            let place = place.as_deref().unwrap_or(name);
            setup = setup.store(place).map_err(|e| self.refused(e))?;
        }
        Ok(setup)
    }

    /// Returns the error of a run that cannot begin or whose results cannot be taken. Arguments and arrays are named as
    /// they are in the file.
    fn refused(&self, error: Error) -> KernelError {
        match error {
            Error::Array(Problem { place, message }) => {
                let (name, _) = place.split_once('=').unwrap_or((&place, ""));
                // Places are named as options of the command line.
                let key = match name.rsplit_once(' ') {
                    Some(("--arg", name)) => format!("arguments.{name}"),
                    Some((_, name)) => format!("array.{name}"),
                    None => name.to_owned(),
                };
                let message = with_type(&message.replace("--arg ", "[arguments] "));
                // What a user of `cp2 run` would do.
                let message = match message.split_once("; give --load") {
                    Some((what, _)) => format!("{what}; give it values in [{key}]"),
                    None => message,
                };
                KernelError::Array(Problem { place: format!("{}: {key}", self.path), message })
            }
            Error::Program(error) => KernelError::Program(Box::new(error)),
            Error::Entry(error) => KernelError::Entry(error),
            Error::Kernel(error) => error,
            Error::Promise(broken) => KernelError::Promise(broken),
            Error::End(end) => KernelError::Run(end),
            _ => KernelError::Internal("a run of a workload file was refused"),
        }
    }
}

/// Returns a message with the key `type` of an array in place of the option `:as=` of a command line.
fn with_type(message: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once("`:as=") {
        let (kind, behind) = behind.split_once('`').unwrap_or((behind, ""));
        text += &format!("{before}`type = \"{kind}\"`");
        rest = behind;
    }
    text + rest
}
