//! Rows of a report, made from a study and the text of its nest.

use crate::dependence::DependenceKind;
use crate::locality::{ArrayLayout, NestLocality, OccurrenceLocality};
use crate::reason::DependentPair;
use crate::study::NestStudy;
use crate::threads::{StorageRule, ThreadPlan, ThreadStep};
use crate::verify::ThreadCheck;
use cp2_asm::diagnostic::{Sources, Span};
use cp2_nest::Nest;

/// The report of a nest: threads, checks and sharing of arrays.
#[derive(Clone, Debug)]
pub struct NestReport {
    pub(super) name: String,
    pub(super) rule: StorageRule,
    pub(super) step: ThreadStep,
    /// Dimensions of the independent instances, and of the threads.
    pub(super) room: usize,
    pub(super) dimensions: usize,
    pub(super) statements: Vec<StatementRow>,
    pub(super) dependences: Vec<DependenceRow>,
    pub(super) reason: Option<ReasonRow>,
    pub(super) sharing: Option<SharingRows>,
    pub(super) checks: Vec<CheckRow>,
    /// Rules with which there would be more threads, and the threads of the last assignment.
    pub(super) offers: Vec<(StorageRule, String)>,
    /// Index of a loop that stays sequential, and the parts that have threads in each of its iterations.
    pub(super) phases: Option<(String, Vec<NestReport>)>,
}

/// Row of a statement.
#[derive(Clone, Debug)]
pub(super) struct StatementRow {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) threads: Vec<String>,
}

/// Dependence that leaves one thread.
#[derive(Clone, Debug)]
pub(super) struct ReasonRow {
    pub(super) text: String,
    pub(super) picture: Option<String>,
}

/// Sharing of arrays with the best order of axes.
#[derive(Clone, Debug)]
pub(super) struct SharingRows {
    pub(super) axes: Vec<String>,
    pub(super) occurrences: Vec<OccurrenceRow>,
    pub(super) arrays: Vec<ArrayRow>,
}

/// Row of an occurrence of an array.
#[derive(Clone, Debug)]
pub(super) struct OccurrenceRow {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) is_write: bool,
    pub(super) array: String,
    pub(super) one: OccurrenceLocality,
}

/// Row of an array.
#[derive(Clone, Debug)]
pub(super) struct ArrayRow {
    pub(super) name: String,
    pub(super) layout: ArrayLayout,
}

/// Row of a dependence.
#[derive(Clone, Debug)]
pub(super) struct DependenceRow {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) array: String,
    pub(super) kind: DependenceKind,
    pub(super) parts: usize,
}

/// Row of the check by enumeration.
#[derive(Clone, Debug)]
pub(super) struct CheckRow {
    pub(super) parameters: Vec<String>,
    pub(super) check: ThreadCheck,
}

/// Returns the name of a step.
pub(super) fn step_name(step: ThreadStep) -> &'static str {
    match step {
        ThreadStep::OneToOne => "one-to-one",
        ThreadStep::Fallback => "chosen-indices",
        ThreadStep::Demanded => "demanded",
        ThreadStep::Sequential => "sequential",
    }
}

/// Returns the name of a rule.
pub(super) fn rule_name(rule: StorageRule) -> &'static str {
    match rule {
        StorageRule::Kept => "kept",
        StorageRule::Expanded => "expanded",
        StorageRule::Reduced => "reduced",
    }
}

/// A study with the text of its nest, from which rows are made.
struct ReportMaker<'m> {
    study: &'m NestStudy<'m>,
    sources: &'m Sources,
}

impl ReportMaker<'_> {
    fn nest(&self) -> &Nest {
        self.study.analysis.nest
    }

    fn line(&self, at: &std::ops::Range<usize>) -> u32 {
        self.sources.line_column(&Span { file: 0, range: at.clone() }).0
    }

    fn statements(&self) -> Vec<StatementRow> {
        let row = |(of, forms): (&cp2_nest::NestStatement, &Vec<cp2_nest::AffineForm>)| {
            let text = self.sources.text(0).get(of.at.clone()).unwrap_or_default();
            StatementRow {
                line: self.line(&of.at),
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
                threads: forms.iter().map(|form| self.nest().form_text(form)).collect(),
            }
        };
        self.nest().statements.iter().zip(&self.study.plan.maps).map(row).collect()
    }

    fn dependences(&self) -> Vec<DependenceRow> {
        let row = |one: &crate::dependence::Dependence| DependenceRow {
            from: self.line(&self.nest().statements[one.source].at),
            to: self.line(&self.nest().statements[one.sink].at),
            array: self.nest().arrays[one.array].name.name.clone(),
            kind: one.kind,
            parts: one.pairs.parts.len(),
        };
        self.study.analysis.dependences.iter().map(row).collect()
    }

    fn sharing(&self, locality: &NestLocality) -> SharingRows {
        let nest = self.nest();
        let occurrence = |one: &OccurrenceLocality| {
            let access = &nest.statements[one.statement].accesses[one.access];
            OccurrenceRow {
                line: self.line(&access.at),
                text: nest.access_text(access),
                is_write: access.is_write,
                array: nest.arrays[access.array].name.name.clone(),
                one: one.clone(),
            }
        };
        let array = |(array, layout): (&usize, &ArrayLayout)| ArrayRow {
            name: nest.arrays[*array].name.name.clone(),
            layout: layout.clone(),
        };
        SharingRows {
            axes: locality.axes.names.clone(),
            occurrences: locality.occurrences.iter().map(occurrence).collect(),
            arrays: locality.layouts.iter().map(array).collect(),
        }
    }

    fn check(&self, check: &ThreadCheck) -> CheckRow {
        let parameters = self.nest().parameters.iter().zip(&check.parameters);
        let parameters = parameters.map(|(name, value)| format!("{} = {value}", name.name));
        CheckRow { parameters: parameters.collect(), check: check.clone() }
    }

    /// Returns why the nest has one thread.
    fn reason(&self, pair: &DependentPair) -> ReasonRow {
        let nest = self.nest();
        let (source, sink) = (&pair.source, &pair.sink);
        let (does, did) = match pair.kind {
            DependenceKind::Flow => ("reads", "wrote"),
            DependenceKind::Anti => ("writes", "read before"),
            DependenceKind::Output => ("writes", "wrote before"),
        };
        let text = format!(
            "line {} at {} {does} {}, which line {} at {} {did}",
            self.line(&nest.statements[sink.statement].at),
            DependentPair::indices_text(nest, sink),
            pair.element_text(nest),
            self.line(&nest.statements[source.statement].at),
            DependentPair::indices_text(nest, source),
        );
        ReasonRow { text, picture: pair.picture(nest) }
    }
}

impl NestReport {
    /// Makes the report of a study. The text of the nest is the first of `sources`.
    pub fn new(study: &NestStudy<'_>, sources: &Sources) -> Self {
        let maker = ReportMaker { study, sources };
        let map = |plan: &ThreadPlan| {
            let forms = plan.maps.last().into_iter().flatten();
            forms.map(|form| maker.nest().form_text(form)).collect::<Vec<_>>().join(", ")
        };
        Self {
            name: maker.nest().name.clone(),
            rule: study.rule,
            step: study.plan.step,
            room: study.plan.space.dimensions,
            dimensions: study.plan.dimensions,
            statements: maker.statements(),
            dependences: maker.dependences(),
            reason: study.reason.as_ref().map(|pair| maker.reason(pair)),
            sharing: study.orders.first().map(|best| maker.sharing(best)),
            checks: study.checks.iter().map(|check| maker.check(check)).collect(),
            offers: study.offers.iter().map(|(rule, plan)| (*rule, map(plan))).collect(),
            phases: None,
        }
    }

    /// Returns the report with those of the parts that have threads in each iteration of a loop.
    #[must_use]
    pub fn with_phases(mut self, index: &str, phases: Vec<Self>) -> Self {
        self.phases = Some((index.to_owned(), phases));
        self
    }
}
