//! The results of a run of a workload file, compared with what the file expects.

use super::arrays::FileArray;
use super::{CommandVerdict, Variant, WorkloadFile};
use cp2_session::arrays::{ArrayDifference, Tolerance, compare};
use cp2_session::npy::{Array, NumberType};
use cp2_session::workload::{ArraySpec, CheckVerdict};
use serde_json::Value;

/// An array that a run gave, and how it compares with the expected one.
#[derive(Clone, Debug)]
pub(super) struct ResultArray {
    pub(super) name: String,
    pub(super) array: Array,
    /// Comparison with the expected array; `None` if the file expects none.
    pub(super) check: Option<ResultCheck>,
}

/// The comparison of a result with the expected array.
#[derive(Clone, Debug)]
pub(super) struct ResultCheck {
    /// Path of the file with the expected array.
    pub(super) path: String,
    pub(super) tolerance: Tolerance,
    /// Largest distance of an element from the expected one; infinite if the shapes differ.
    pub(super) distance: f64,
    /// Difference beyond the tolerance; `None` if there is none.
    pub(super) difference: Option<ArrayDifference>,
}

/// The results of a run, and what a program said that checks them.
#[derive(Clone, Debug)]
pub(super) struct Results {
    pub(super) arrays: Vec<ResultArray>,
    /// CheckVerdict of the program that checks the results; `None` if the file names none, or only counts are wanted.
    pub(super) command: Option<CommandVerdict>,
}

impl Results {
    /// Compares what a run of a variant gave with what the file expects. The program that checks results is started
    /// unless only counts are wanted.
    pub(super) fn of(
        file: &WorkloadFile,
        variant: &Variant,
        results: Vec<(String, Array)>,
        counts_only: bool,
    ) -> Self {
        let arrays: Vec<ResultArray> =
            results.into_iter().map(|(name, array)| compared(file, variant, name, array)).collect();
        let command = file.command.as_ref().filter(|_| !counts_only).map(|command| {
            let is_result = |name: &String| arrays.iter().any(|result| result.name == *name);
            let of_variant = file.arrays.iter().filter(|array| array.is_for(&variant.name));
            let inputs = of_variant.filter(|array| !is_result(&array.name));
            let inputs = inputs.filter_map(|a| Some((a.name.clone(), a.values.clone()?)));
            let results = arrays.iter().map(|result| (result.name.clone(), result.array.clone()));
            let all: Vec<_> = results.chain(inputs).collect();
            file.surroundings.run(&file.path, command, &all)
        });
        Self { arrays, command }
    }

    /// Returns whether the program that checks the results finds them right, as a JSON value; null if there is none or it was
    /// not run.
    pub(super) fn command_json(&self) -> Value {
        match &self.command {
            Some(CommandVerdict::Right) => true.into(),
            Some(CommandVerdict::Wrong(_)) => false.into(),
            Some(CommandVerdict::NotStarted(_) | CommandVerdict::NotRun) | None => Value::Null,
        }
    }

    /// Whether something compared the results: expected arrays, or the program that checks them.
    fn is_checked(&self) -> bool {
        self.arrays.iter().any(|result| result.check.is_some())
            || matches!(self.command, Some(CommandVerdict::Right | CommandVerdict::Wrong(_)))
    }

    /// Returns what came of the check of the results.
    pub(super) fn verdict(&self) -> CheckVerdict {
        CheckVerdict { is_checked: self.is_checked(), complaint: self.complaint() }
    }

    /// Returns the message that says what is wrong with the results, or why a check could not be made; `None` if nothing is
    /// wrong.
    fn complaint(&self) -> Option<String> {
        let of_array = |result: &ResultArray| {
            let ResultCheck { path, tolerance, difference, .. } = result.check.as_ref()?;
            let difference = difference.as_ref()?;
            let Tolerance { absolute, relative } = tolerance;
            let name = &result.name;
            Some(format!("{name}: {difference} ({path}, atol {absolute:e}, rtol {relative:e})"))
        };
        let mut all: Vec<String> = self.arrays.iter().filter_map(of_array).collect();
        match &self.command {
            Some(CommandVerdict::Wrong(message)) => all.push(format!("check.command: {message}")),
            Some(CommandVerdict::NotStarted(message)) => all.push(format!(
                "check.command: {message}, so that it checked nothing; install the program, or correct the command"
            )),
            Some(CommandVerdict::Right | CommandVerdict::NotRun) | None => {}
        }
        (!all.is_empty()).then(|| all.join("\n"))
    }
}

impl WorkloadFile {
    /// Returns the arrays that may be results of a run: those that the file expects, which are not optional, those to
    /// which it gives no values, and those that its kernels write.
    pub(super) fn results(&self) -> Vec<ArraySpec> {
        let is_written = |name: &str| {
            self.declared.arrays.iter().any(|(known, is_written)| *is_written && known == name)
        };
        let of_file = self.arrays.iter().filter(|array| {
            array.expected.is_some() || array.values.is_none() || is_written(&array.name)
        });
        let spec = |array: &FileArray| {
            let told = array.expected.as_ref().map(|expected| &expected.array);
            let kind = told.or(array.values.as_ref()).map_or(NumberType::Float32, |a| a.kind);
            let shape = array.shape().unwrap_or_default().iter().map(ToString::to_string).collect();
            let (name, is_optional) = (array.name.clone().into(), array.expected.is_none());
            ArraySpec { name, kind, shape, is_optional }
        };
        let mut all: Vec<ArraySpec> = of_file.map(spec).collect();
        // Without passes, what a kernel writes is a result even if the file does not have it.
        let others = self.declared.arrays.iter().filter(|(name, is_written)| {
            *is_written && self.passes.is_empty() && self.array(name).is_none()
        });
        all.extend(others.map(|(name, _)| ArraySpec {
            name: name.clone().into(),
            kind: NumberType::Float32,
            shape: Vec::new(),
            is_optional: true,
        }));
        all
    }
}

/// Compares one result with the expected array, if the file has one.
fn compared(file: &WorkloadFile, variant: &Variant, name: String, array: Array) -> ResultArray {
    let own = file.array(&name).filter(|array| array.is_for(&variant.name));
    let expected = own.and_then(|array| array.expected.as_ref());
    let check = expected.map(|expected| {
        let distance = match compare(&array, &expected.array, Tolerance::default()) {
            None => 0.0,
            Some(ArrayDifference::Shape(..)) => f64::INFINITY,
            Some(ArrayDifference::Elements { distance, .. }) => distance,
        };
        ResultCheck {
            path: expected.path.clone(),
            tolerance: expected.tolerance,
            distance,
            difference: compare(&array, &expected.array, expected.tolerance),
        }
    });
    ResultArray { name, array, check }
}
