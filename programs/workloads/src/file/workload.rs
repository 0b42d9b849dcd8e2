//! A workload file as a workload on CP2 alone, whole or one of its variants.

use super::kernel::KernelRun;
use super::machine::MachineRun;
use super::machine_report::{self, MachineReport};
use super::report::{self, Report, VariantRun};
use super::results::Results;
use super::{Code, Variant, WorkloadFile};
use cp2_document::width::wrapped;
use cp2_emu::machine::Key;
use cp2_isa::Core;
use cp2_isa::machine::Switch;
use cp2_session::error::{KernelError, RequestError};
use cp2_session::npy::{Array, shape_text};
use cp2_session::workload::{
    About, BestVariant, Bound, Listener, Platform, Reference, Request, Tally, TriedVariant,
    Workload, WorkloadOption, WorkloadOutcome, best_variant,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// The workload of a file, with all variants or one of them.
pub(super) struct OfFile {
    file: Arc<WorkloadFile>,
    platform: Platform,
    /// Number of the variant, if it is one; `None` for the best of all.
    variant: Option<usize>,
}

impl OfFile {
    pub(super) fn new(file: Arc<WorkloadFile>, platform: Platform) -> Self {
        // A file with one variant is that variant.
        let variant = (file.variants.len() == 1).then_some(0);
        Self { file, platform, variant }
    }

    /// Returns the variants that this workload can be: one, or all of the file.
    fn choices(&self) -> &[Variant] {
        match self.variant {
            Some(k) => &self.file.variants[k..=k],
            None => &self.file.variants,
        }
    }

    /// Returns the number of the variant that runs a request, and all that were considered.
    pub(super) fn chosen(
        &self,
        request: &Request,
    ) -> Result<(usize, Vec<TriedVariant>), KernelError> {
        if let Some(k) = self.variant {
            return Ok((k, Vec::new()));
        }
        let whole: Arc<dyn Workload> = Arc::new(Self { file: Arc::clone(&self.file), ..*self });
        let best = best_variant(&whole, request)?;
        let name = best.name();
        let BestVariant { tried, .. } = best;
        let place = tried.iter().position(|tried| Some(&tried.name) == name.as_ref());
        Ok((place.unwrap_or(0), tried))
    }

    /// Refuses a core that lacks an extension that a variant needs.
    pub(super) fn check_extensions(
        &self,
        variant: &Variant,
        request: &Request,
    ) -> Result<(), KernelError> {
        let core = request.core();
        let lacking = |switch: &&Switch| match &request.machine {
            Some(machine) => !machine.has(switch),
            None => !switch.is_on_core(&core),
        };
        let lacking: Vec<Switch> = variant.needs.iter().filter(lacking).copied().collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let name = format!("{}, variant {}", self.file.name, variant.name);
        Err(RequestError::lacking(&name, &report::names(&lacking)).into())
    }

    /// Runs a variant to its report.
    fn report(
        &self,
        (k, tried): (usize, Vec<TriedVariant>),
        request: &Request,
    ) -> Result<Report, KernelError> {
        let variant = &self.file.variants[k];
        self.check_extensions(variant, request)?;
        let KernelRun { stats, results } = self.file.run_kernel(variant, request)?;
        Ok(Report { run: self.variant_run((variant, tried), results, request), stats })
    }

    /// Runs a variant on a machine to its report.
    fn machine_report(
        &self,
        (k, tried): (usize, Vec<TriedVariant>),
        request: &Request,
        listener: &mut dyn Listener,
    ) -> Result<MachineReport, KernelError> {
        let variant = &self.file.variants[k];
        self.check_extensions(variant, request)?;
        let MachineRun { results, cost, places } =
            self.file.run_pages(variant, request, listener)?;
        let run = self.variant_run((variant, tried), results, request);
        Ok(MachineReport { run, cost, places, has_timeline: request.values.has("timeline") })
    }

    /// Compares the results of a variant with what the file expects.
    fn variant_run(
        &self,
        (variant, tried): (&Variant, Vec<TriedVariant>),
        results: Vec<(String, Array)>,
        request: &Request,
    ) -> VariantRun {
        VariantRun {
            workload: self.file.name.clone(),
            variant: variant.name.clone(),
            tried: tried.into_iter().map(|tried| self.short(tried)).collect(),
            results: Results::of(&self.file, variant, results, request.counts_only),
            core: request.core().changes(),
        }
    }

    /// Returns what was tried with the name of the variant alone.
    fn short(&self, tried: TriedVariant) -> TriedVariant {
        let name = tried.name.strip_prefix(&format!("{}:", self.file.name));
        TriedVariant { name: name.unwrap_or(&tried.name).to_owned(), ..tried }
    }

    /// Returns the names and shapes of the arrays with values, as text.
    fn input(&self) -> String {
        let arrays = self.file.arrays.iter().filter_map(|array| {
            let values = array.values.as_ref()?;
            Some(format!("{} {} {}", array.name, values.kind, shape_text(&values.shape)))
        });
        arrays.collect::<Vec<_>>().join(", ")
    }
}

impl Workload for OfFile {
    fn about(&self) -> About {
        let WorkloadFile { name, summary, arrays, variants, .. } = &*self.file;
        let expected = arrays.iter().filter_map(|array| array.expected.as_ref());
        let paths: Vec<&str> = expected.map(|expected| expected.path.as_str()).collect();
        let is = match (paths.is_empty(), &self.file.command) {
            (false, None) => paths.join(", "),
            (false, Some(_)) => format!("{}, and the command of the file", paths.join(", ")),
            (true, Some(_)) => "the command of the file".to_owned(),
            (true, None) => "nothing".to_owned(),
        };
        let name = match self.variant {
            Some(k) if variants.len() > 1 => format!("{name}:{}", variants[k].name),
            _ => name.clone(),
        };
        About {
            name,
            summary: summary.clone().into(),
            family: "files",
            platform: self.platform,
            input: self.input(),
            output: "as the kernel declares".to_owned(),
            order: "as the kernel declares",
            permuted: None,
            reference: Reference {
                is: is.into(),
                measure: "elements beyond atol + rtol |expected|",
                tolerance: f64::MIN_POSITIVE,
                unit: "",
                reason: "as the file says",
                hint: "",
            },
        }
    }

    fn needs(&self) -> Vec<Switch> {
        let fewest = self.choices().iter().min_by_key(|variant| variant.needs.len());
        fewest.map_or_else(Vec::new, |variant| variant.needs.clone())
    }

    /// A kernel of the user's may write CONTROL, and its pages may move by words. A shipped kernel may ask more.
    fn asks(&self) -> Option<&'static [Key]> {
        let mut choices = self.choices().iter();
        let is_own = choices.all(|variant| matches!(variant.code, Code::File { .. }));
        is_own.then_some(&[Key::FftDirection, Key::DmaWords])
    }

    fn variants(&self) -> Vec<Arc<dyn Workload>> {
        if self.variant.is_some() {
            return Vec::new();
        }
        let one = |k| -> Arc<dyn Workload> {
            let file = Arc::clone(&self.file);
            Arc::new(Self { file, platform: self.platform, variant: Some(k) })
        };
        (0..self.file.variants.len()).map(one).collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.file.files.iter().map(PathBuf::from).collect()
    }

    fn digest(&self) -> u64 {
        self.file.digest
    }

    fn option_list(&self) -> Vec<WorkloadOption> {
        let mut options = Vec::new();
        let results = self.file.results();
        if !results.is_empty() {
            options.push(crate::workload::options::outputs(results));
        }
        options.extend(WorkloadOption::execution());
        if self.platform == Platform::Machine {
            options.extend(WorkloadOption::timeline());
        }
        options
    }

    fn bound(&self, core: &Core) -> Result<Bound, KernelError> {
        if self.platform == Platform::Machine {
            let rests_on = "the larger of the operations of the fuller slot, and of the bytes that \
                            were moved at the rates of the rows that moved";
            return Ok(Bound { cycles: None, ..Bound::new("run", 0.0, rests_on) });
        }
        let request = Request { core: *core, ..Request::default() };
        let (k, _) = self.chosen(&request)?;
        let run = self.file.run_kernel(&self.file.variants[k], &request)?;
        let (cycles, _) = report::bound(&run.stats);
        Ok(Bound::new("run", cycles as f64, "operations of the fuller slot"))
    }

    fn source(&self, core: &Core) -> Result<String, KernelError> {
        let mut all = String::new();
        for variant in self.choices() {
            if self.choices().len() > 1 {
                all += &format!("; variant {}\n", variant.name);
            }
            all += &match &variant.code {
                Code::Shipped(name) => self.file.shipped_source(name, core)?,
                Code::File { name, bytes, .. } => match String::from_utf8(bytes.clone()) {
                    Ok(text) => text,
                    Err(_) => return Err(RequestError::NoSource(name.clone()).into()),
                },
            };
        }
        Ok(all)
    }

    fn execute(
        &self,
        request: Request,
        listener: &mut dyn Listener,
    ) -> Result<WorkloadOutcome, KernelError> {
        let chosen = self.chosen(&request)?;
        let give = |results: &Results, listener: &mut dyn Listener| {
            let wanted = results.arrays.iter().filter(|_| request.values.has("output"));
            wanted.into_iter().try_for_each(|result| listener.named(&result.name, &result.array))
        };
        if self.platform == Platform::Machine {
            let report = self.machine_report(chosen, &request, listener)?;
            give(&report.run.results, listener)?;
            let timeline = request.values.has("timeline-json");
            return Ok(WorkloadOutcome {
                text: wrapped(&report.text()),
                json: report.to_json(),
                timeline: timeline.then(|| report.cost.timeline.to_json()),
                verdict: report.run.results.verdict(),
                cost: Some(report.cost),
            });
        }
        let report = self.report(chosen, &request)?;
        give(&report.run.results, listener)?;
        Ok(WorkloadOutcome {
            text: wrapped(&report.text()),
            json: report.to_json(),
            timeline: None,
            cost: None,
            verdict: report.run.results.verdict(),
        })
    }

    fn tally(&self, request: Request) -> Result<Tally, KernelError> {
        let request = Request { counts_only: true, ..request };
        let chosen = self.chosen(&request)?;
        if self.platform == Platform::Machine {
            let report = self.machine_report(chosen, &request, &mut |_: usize, _: usize| {})?;
            let verdict = report.run.results.verdict();
            return Ok(Tally { cycles: report.cost.cycles(), cost: Some(report.cost), verdict });
        }
        let report = self.report(chosen, &request)?;
        let verdict = report.run.results.verdict();
        Ok(Tally { cycles: report.stats.cycles, cost: None, verdict })
    }

    fn tag(&self) -> &'static str {
        match self.platform {
            Platform::Machine => machine_report::TAG,
            Platform::Cp2 => report::TAG,
        }
    }

    fn schema(&self, _: &[String]) -> Value {
        match self.platform {
            Platform::Machine => machine_report::report_schema(),
            Platform::Cp2 => report::report_schema(),
        }
    }
}
