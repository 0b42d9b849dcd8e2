//! A nest from its text to threads, locality and code, with all that can be wrong with it as diagnostics.

use crate::code::{
    CodeDialect, CodePart, CodeRefusal, OuterLoop, ThreadScan, phased_code, scan_threads,
    thread_code,
};
use crate::limits::example;
use crate::locality::{NestLocality, ThreadAxes, axis_orders};
use crate::reason::{DependentPair, dependent_pair};
use crate::refusals::{StudyFailure, check_all, failed};
use crate::sample::{runs, sample_parameters};
use crate::threads::{NestAnalysis, StatementMaps, StorageRule, ThreadPlan, ThreadStep};
use crate::verify::{ThreadCheck, check_threads};
use cp2_nest::{Nest, PhasedNest};

/// Rules that a user may ask for, beside that which keeps storage.
const OFFERS: [StorageRule; 2] = [StorageRule::Expanded, StorageRule::Reduced];

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
        let internal = |error: crate::sets::SetError| failed(nest, error.into());
        let analysis = NestAnalysis::new(nest, library).map_err(internal)?;
        check_all(&analysis)?;
        let mut plan = analysis.threads(rule).map_err(|failure| failed(nest, failure))?;
        let samples = samples(&analysis).map_err(internal)?;
        let checked = |plan: &ThreadPlan| {
            let all =
                samples.iter().map(|sample| check_threads(&analysis, &plan.maps, rule, sample));
            all.collect::<Result<Vec<_>, _>>().map_err(StudyFailure::Internal)
        };
        let mut checks = checked(&plan)?;
        let is_demanded = plan.step == ThreadStep::Demanded;
        if !is_demanded
            && checks.iter().any(|one| one.most > 1)
            && checks.iter().all(|one| one.threads == 1)
        {
            plan = plan.in_one_thread();
            checks = checked(&plan)?;
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

/// Checks a nest whose text is the first of its sources, without a search for the best order of axes.
///
/// # Errors
/// The text has a mistake that the analysis finds, or the analysis fails.
pub fn check_nest(
    nest: &Nest,
    library: &dyn crate::sets::SetLibrary,
    rule: StorageRule,
) -> Result<(), StudyFailure> {
    let analysis = NestAnalysis::new(nest, library).map_err(|error| failed(nest, error.into()))?;
    check_all(&analysis)?;
    analysis.threads(rule).map(|_| ()).map_err(|failure| failed(nest, failure))
}

/// Returns small parameters for which the nest runs; where none is very small, those of the first instance of an assignment.
fn samples(analysis: &NestAnalysis<'_>) -> Result<Vec<Vec<i64>>, crate::sets::SetError> {
    let nest = analysis.nest;
    let mut found = sample_parameters(nest);
    if !found.is_empty() {
        return Ok(found);
    }
    for domain in &analysis.sets.domains {
        let Some(point) = example(&analysis.sets.in_context(domain), analysis.library())? else {
            continue;
        };
        let parameters = point[..nest.parameters.len()].to_vec();
        if !found.contains(&parameters) && runs(nest, &parameters) {
            found.push(parameters);
        }
    }
    Ok(found)
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
