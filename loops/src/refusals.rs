//! What the analysis refuses: elements outside of their arrays, values that nothing wrote, nests that never run.

use crate::limits::{outside_elements, unset_elements};
use crate::reason::DependentPair;
use crate::sets::{PointSet, SetError};
use crate::threads::{NestAnalysis, ThreadFailure};
use cp2_asm::codes::caret;
use cp2_asm::diagnostic::{Diagnostic, Span};
use cp2_nest::Nest;

/// Failure to study a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyFailure {
    /// The text has mistakes.
    Refused(Vec<Diagnostic>),
    /// The analysis is wrong, or the library of sets gives no answer: a bug.
    Internal(String),
}

fn error_at(code: &'static str, at: &std::ops::Range<usize>, message: String) -> Diagnostic {
    Diagnostic::error(code, Span { file: 0, range: at.clone() }, message).label(caret(code))
}

/// Refuses elements outside of their arrays.
fn check_elements(analysis: &NestAnalysis<'_>) -> Result<(), StudyFailure> {
    let nest = analysis.nest;
    let found = outside_elements(nest, &analysis.sets, analysis.library());
    let found = found.map_err(|error| failed(nest, error.into()))?;
    let mut problems = Vec::new();
    for one in found {
        let access = &nest.statements[one.statement].accesses[one.access];
        let form = &access.subscripts[one.subscript];
        let instance =
            cp2_nest::NestInstance { statement: one.statement, indices: one.indices.clone() };
        let index = nest.form_value(form, &instance, &one.parameters).unwrap_or_default();
        let array = &nest.arrays[access.array];
        let size = &array.sizes[one.subscript];
        let named = nest.parameters.iter().zip(&one.parameters);
        let parameters = named.map(|(name, value)| format!("{} = {value}", name.name));
        let all: Vec<_> = [DependentPair::indices_text(nest, &instance)]
            .into_iter()
            .filter(|text| !text.is_empty())
            .chain(parameters)
            .collect();
        let message = format!(
            "`{}` has the index {index} at {}, outside of 0 to {} - 1",
            nest.access_text(access),
            all.join(", "),
            nest.form_text(size),
        );
        let help = "make the array larger, the loop shorter, or say by `#pragma loops assume(...)` which parameters there are";
        let declared = Span { file: 0, range: array.name.at.clone() };
        problems.push(
            error_at("C1121", &access.at, message).help(help).related(declared, "declared here"),
        );
    }
    // Each element is told once, whatever reads and writes it.
    problems.dedup_by(|a, b| a.span == b.span);
    if problems.is_empty() { Ok(()) } else { Err(StudyFailure::Refused(problems)) }
}

/// Refuses variables that are read before they are written.
fn check_unset(analysis: &NestAnalysis<'_>) -> Result<(), StudyFailure> {
    let nest = analysis.nest;
    let found = unset_elements(analysis).map_err(|error| failed(nest, error.into()))?;
    let problem = |one: crate::limits::OutsideElement| {
        let access = &nest.statements[one.statement].accesses[one.access];
        let array = &nest.arrays[access.array];
        let instance = cp2_nest::NestInstance { statement: one.statement, indices: one.indices };
        let named = nest.parameters.iter().zip(&one.parameters);
        let parameters = named.map(|(name, value)| format!("{} = {value}", name.name));
        let mut all: Vec<_> =
            [DependentPair::indices_text(nest, &instance)].into_iter().chain(parameters).collect();
        all.retain(|text| !text.is_empty());
        let place = if all.is_empty() { String::new() } else { format!(" at {}", all.join(", ")) };
        let message =
            format!("`{}` has no value{place}: nothing has written it", nest.access_text(access));
        let help = "give it a value where it is declared; one that is declared in a loop is new in each iteration";
        let declared = Span { file: 0, range: array.name.at.clone() };
        error_at("C1108", &access.at, message)
            .label("read before it is written")
            .help(help)
            .related(declared, "declared here")
    };
    let problems: Vec<_> = found.into_iter().map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(StudyFailure::Refused(problems)) }
}

/// Refuses conditions that no parameters fulfil, sizes that are below 0 for all of them, and nests without instances.
fn check_possible(analysis: &NestAnalysis<'_>) -> Result<(), StudyFailure> {
    let (nest, sets) = (analysis.nest, &analysis.sets);
    let is_empty = |set: &PointSet| -> Result<bool, StudyFailure> {
        let simple = analysis.library().simplified(set);
        Ok(simple.map_err(|error: SetError| failed(nest, error.into()))?.parts.is_empty())
    };
    let refused = |problem: Diagnostic| Err(StudyFailure::Refused(vec![problem]));
    let Some(first) = nest.statements.first() else { return Ok(()) };
    if is_empty(&sets.context)? {
        let at = nest.parameters.first().map_or(&first.at, |one| &one.at);
        let message = "no values of the parameters fulfil `#pragma loops assume(...)`";
        return refused(
            error_at("C1112", at, message.to_owned())
                .label("excluded by the conditions")
                .help("take one of the conditions away"),
        );
    }
    for array in &nest.arrays {
        for size in array.sizes.iter().filter(|_| array.local.as_ref().is_none_or(Vec::is_empty)) {
            let mut possible = sets.context.clone();
            possible.add_row(&crate::domain::row(nest, &[], size), false);
            if is_empty(&possible)? {
                let message =
                    format!("`{}` has the size {}, below 0", array.name.name, nest.form_text(size));
                return refused(
                    error_at("C1105", &array.name.at, message).help("give a size of 0 or more"),
                );
            }
        }
    }
    for domain in &sets.domains {
        if !is_empty(&sets.in_context(domain))? {
            return Ok(());
        }
    }
    let at = first.loops.first().map_or(&first.at, |number| &nest.loops[*number].name.at);
    let message = "no assignment of the nest runs, whatever the parameters are";
    refused(
        error_at("C1107", at, message.to_owned())
            .label("never runs")
            .help("check the bounds and conditions"),
    )
}

/// Refuses what the analysis finds wrong with a nest.
pub(crate) fn check_all(analysis: &NestAnalysis<'_>) -> Result<(), StudyFailure> {
    check_possible(analysis)?;
    check_elements(analysis)?;
    check_unset(analysis)
}

/// Returns the failure of a study that a failure to find threads is.
pub(crate) fn failed(nest: &Nest, failure: ThreadFailure) -> StudyFailure {
    match failure {
        ThreadFailure::Sets(error) if error.is_too_large() => {
            let at = nest.statements.first().map_or(0..0, |one| one.at.clone());
            let message = "coefficients of this nest become too large for its threads to be found";
            let help = "take smaller numbers in indices, bounds and conditions";
            StudyFailure::Refused(vec![error_at("C1113", &at, message.to_owned()).help(help)])
        }
        ThreadFailure::Sets(error) => StudyFailure::Internal(error.to_string()),
        ThreadFailure::Demand(refusal) => {
            let demanded = &nest.statements[refusal.statement].demanded;
            let at = demanded.as_ref().map_or(0..0, |(_, at)| at.clone());
            let problem = error_at("C1122", &at, refusal.reason)
                .help("leave the pragma away to see the maps that are found");
            StudyFailure::Refused(vec![problem])
        }
    }
}
