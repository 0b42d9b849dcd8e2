//! A nest from its text to threads, locality and code, with all that can be wrong with it as diagnostics.

use crate::code::{
    CodeDialect, CodePart, CodeRefusal, OuterLoop, ThreadScan, phased_code, scan_threads,
    thread_code,
};
use crate::limits::outside_elements;
use crate::locality::{NestLocality, ThreadAxes, axis_orders};
use crate::reason::{DependentPair, dependent_pair};
use crate::sample::sample_parameters;
use crate::threads::{NestAnalysis, StatementMaps, StorageRule, ThreadFailure, ThreadPlan};
use crate::verify::{ThreadCheck, check_threads};
use cp2_asm::codes::caret;
use cp2_asm::diagnostic::{Diagnostic, Span};
use cp2_nest::{Nest, PhasedNest};

/// Rules that a user may ask for, beside that which keeps storage.
const OFFERS: [StorageRule; 2] = [StorageRule::Expanded, StorageRule::Reduced];

/// Failure to study a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyFailure {
    /// The text has mistakes.
    Refused(Vec<Diagnostic>),
    /// The analysis is wrong, or the library of sets gives no answer: a bug.
    Internal(String),
}

/// The study of a nest: threads, checks, locality, and reasons.
pub struct NestStudy<'n> {
    /// Nest with its dependences.
    pub analysis: NestAnalysis<'n>,
    /// Dependences that threads honour.
    pub rule: StorageRule,
    /// Threads.
    pub plan: ThreadPlan,
    /// Checks by enumeration, the largest last.
    pub checks: Vec<ThreadCheck>,
    /// Locality for all orders of the axes, the best first; none of a nest with one thread.
    pub orders: Vec<NestLocality>,
    /// Instances that depend on each other, of a nest with one thread.
    pub reason: Option<DependentPair>,
    /// Rules with which there would be more dimensions.
    pub offers: Vec<(StorageRule, ThreadPlan)>,
}

fn error(code: &'static str, at: &std::ops::Range<usize>, message: String) -> Diagnostic {
    Diagnostic::error(code, Span { file: 0, range: at.clone() }, message).label(caret(code))
}

/// Refuses elements outside of their arrays.
fn check_elements(analysis: &NestAnalysis<'_>) -> Result<(), StudyFailure> {
    let nest = analysis.nest;
    let found = outside_elements(nest, &analysis.sets, analysis.library());
    let found = found.map_err(|error| StudyFailure::Internal(error.to_string()))?;
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
            error("C1121", &access.at, message).help(help).related(declared, "declared here"),
        );
    }
    // Each element is told once, whatever reads and writes it.
    problems.dedup_by(|a, b| a.span == b.span);
    if problems.is_empty() { Ok(()) } else { Err(StudyFailure::Refused(problems)) }
}

impl<'n> NestStudy<'n> {
    /// Studies a nest whose text is the first of its sources. `parameters` are values for the last check; small ones are
    /// found besides.
    ///
    /// # Errors
    /// The text has a mistake that the analysis finds, or the analysis fails.
    pub fn new(
        nest: &'n Nest,
        library: &'n dyn crate::sets::SetLibrary,
        rule: StorageRule,
        threads: Option<&[&str]>,
    ) -> Result<Self, StudyFailure> {
        let internal = |error: crate::sets::SetError| StudyFailure::Internal(error.to_string());
        let analysis = NestAnalysis::new(nest, library).map_err(internal)?;
        check_elements(&analysis)?;
        let plan = analysis.threads(rule).map_err(|failure| failed(nest, failure))?;
        let samples = sample_parameters(nest);
        let mut checks = Vec::new();
        for sample in &samples {
            let check = check_threads(&analysis, &plan.maps, rule, sample);
            checks.push(check.map_err(StudyFailure::Internal)?);
        }
        let largest = samples.last().cloned().unwrap_or_default();
        let axes = match threads {
            Some(names) => ThreadAxes::of_loops(nest, names),
            None => (!plan.is_sequential()).then(|| ThreadAxes::of_plan(nest, &plan)),
        };
        let orders = match (&axes, threads) {
            (Some(axes), Some(_)) => {
                vec![NestLocality::new(&analysis, axes.clone(), &largest).map_err(internal)?]
            }
            (Some(axes), None) => axis_orders(&analysis, axes, &largest).map_err(internal)?,
            (None, _) => Vec::new(),
        };
        let reason = if plan.is_sequential() { dependent_pair(nest, &largest) } else { None };
        let mut offers = Vec::new();
        let is_free = |other: &StorageRule| *other != rule && !other.is_forbidden(nest);
        for other in OFFERS.into_iter().filter(is_free) {
            let offered = analysis.threads(other).map_err(|failure| failed(nest, failure))?;
            if offered.dimensions > plan.dimensions {
                offers.push((other, offered));
            }
        }
        Ok(Self { analysis, rule, plan, checks, orders, reason, offers })
    }

    /// Returns the maps with the axes in the order that suits memory best: neighbouring threads of a device along the first, the
    /// innermost loop of C along the last.
    pub fn best_maps(&self, dialect: CodeDialect) -> StatementMaps {
        let Some(best) = self.orders.first() else { return self.plan.maps.clone() };
        let mut order = best.axes.order.clone();
        if dialect == CodeDialect::C {
            order.reverse();
        }
        let ordered =
            |forms: &Vec<_>| order.iter().filter_map(|axis| forms.get(*axis).cloned()).collect();
        self.plan.maps.iter().map(ordered).collect()
    }

    /// Returns the code of a thread.
    ///
    /// # Errors
    /// The nest has one thread, needs storage of its own, or the library of sets gives no answer.
    pub fn scan(&self, dialect: CodeDialect) -> Result<ThreadScan, CodeRefusal> {
        if self.plan.is_sequential() {
            return Err(CodeRefusal::Sequential);
        }
        match self.rule {
            StorageRule::Kept => Ok(scan_threads(&self.analysis, &self.best_maps(dialect))?),
            StorageRule::Expanded => Err(CodeRefusal::Lacks(
                "code with a copy of storage for each iteration is not written; declare the variable within the loop, so that each iteration has one"
                    .to_owned(),
            )),
            StorageRule::Reduced => Err(CodeRefusal::Lacks(
                "code with partial sums is not written; give each part of the sum an element of its own, and add them up in a second nest"
                    .to_owned(),
            )),
        }
    }

    /// Returns the code of all threads in a language.
    ///
    /// # Errors
    /// As for [`Self::scan`], or the language lacks what the nest needs.
    pub fn code(&self, dialect: CodeDialect) -> Result<String, CodeRefusal> {
        thread_code(self.analysis.nest, &self.scan(dialect)?, dialect)
    }
}

/// Returns the code of parts that run one after the other in each iteration of a loop of a nest.
///
/// # Errors
/// A part has one thread, or the language lacks something.
pub fn code_of_phases(
    phased: &PhasedNest,
    whole: &Nest,
    studies: &[NestStudy<'_>],
    dialect: CodeDialect,
) -> Result<String, CodeRefusal> {
    let scans = studies.iter().map(|study| study.scan(dialect));
    let scans = scans.collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> =
        phased.phases.iter().zip(&scans).map(|(nest, scan)| CodePart { nest, scan }).collect();
    phased_code(OuterLoop { nest: whole, number: phased.outer }, &parts, dialect)
}

fn failed(nest: &Nest, failure: ThreadFailure) -> StudyFailure {
    match failure {
        ThreadFailure::Sets(error) => StudyFailure::Internal(error.to_string()),
        ThreadFailure::Demand(refusal) => {
            let demanded = &nest.statements[refusal.statement].demanded;
            let at = demanded.as_ref().map_or(0..0, |(_, at)| at.clone());
            let problem = error("C1122", &at, refusal.reason)
                .help("leave the pragma away to see the maps that are found");
            StudyFailure::Refused(vec![problem])
        }
    }
}
