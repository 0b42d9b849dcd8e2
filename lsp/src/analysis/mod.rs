//! A text as the assembler, the scheduler, the linter and the readers of other languages see it: findings and schedules, made in
//! threads of their own, so that the server answers meanwhile.

mod files;
mod program;
mod roots;
mod trials;

pub(crate) use files::{FilesRead, OpenTexts, stamp};
pub(crate) use program::{AnalysedProgram, AnalysedRegion};
pub(crate) use roots::Inclusions;
pub(crate) use trials::{RegionHints, Trials, Tried, try_promises};

use crate::language::TextLanguage;
use crate::machine_file;
use cp2_asm::Scheduled;
use cp2_asm::cases::{TestComment, TextCase, machine_of};
use cp2_asm::diagnostic::Sources;
use cp2_asm::sched::Interrupt;
use cp2_isa::Core;
use cp2_nest::read_nest;
use cp2_session::store::MemoryStore;
use cp2_session::{Environment, Program, ProgramParts};
use cp2_star::language::{check, parse};
use cp2_workloads::file::{Surroundings, WorkloadFile};
use crossbeam_channel::{Receiver, Sender};
use files::FilesAround;
use program::AnalysedText;
use roots::{certain, is_part};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text to be analysed.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Name of the document in the protocol.
    pub(crate) uri: String,
    /// Path of its file, if it has one: the texts that it includes are looked for beside it.
    pub(crate) path: Option<PathBuf>,
    pub(crate) version: i32,
    /// Number of the job, by which its result is known.
    pub(crate) serial: u64,
    pub(crate) text: Arc<str>,
    /// Path of an open text that includes this one, if one is known to.
    pub(crate) root: Option<PathBuf>,
    /// Texts that are open in the editor.
    pub(crate) open: OpenTexts,
    /// Flag that is raised when nobody wants to know the result any more.
    pub(crate) interrupt: Interrupt,
}

/// Findings and schedules of one version of a text.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) serial: u64,
    pub(crate) text: Arc<str>,
    /// The program that the text makes or is a part of; several where the text is a file test of several cases.
    pub(crate) programs: Vec<AnalysedProgram>,
    /// Path of the text that includes this one, if that is how it was analysed.
    pub(crate) root: Option<PathBuf>,
    /// Whether all programs are without an error.
    pub(crate) is_whole: bool,
    /// Files that the text depends on.
    pub(crate) files: FilesRead,
}

impl Analysis {
    /// Returns the program that tells of a line, from 0.
    pub(crate) fn program_at(&self, line: usize) -> Option<&AnalysedProgram> {
        self.programs.iter().find(|program| program.has_line(line))
    }

    /// Returns the regions of all programs, in order.
    pub(crate) fn regions(&self) -> impl Iterator<Item = &AnalysedRegion> {
        self.programs.iter().flat_map(|program| &program.regions)
    }

    /// Returns the regions of all programs, in order, to be changed.
    pub(crate) fn regions_mut(&mut self) -> impl Iterator<Item = &mut AnalysedRegion> {
        self.programs.iter_mut().flat_map(|program| &mut program.regions)
    }
}

/// Analyses texts until the sender of jobs is gone. Jobs that nobody waits for any more are passed over. Several threads share the
/// jobs, so that a long schedule of one text keeps no other one waiting.
pub(crate) fn work(
    (environment, inclusions): (&Environment, &Inclusions),
    core: Core,
    jobs: &Receiver<Job>,
    (results, trials): (&Sender<Analysis>, &Sender<Trials>),
) {
    while let Ok(job) = jobs.recv() {
        if job.interrupt.is_raised() {
            continue;
        }
        let interrupt = job.interrupt.clone();
        let environment = environment.clone().with_interrupt(&interrupt);
        let mut analysis = analyse((&environment, inclusions), &core, job);
        for program in &mut analysis.programs {
            let core = program.core;
            for region in &mut program.regions {
                region.hints = environment.known_hints(&core, &region.scheduled.region);
            }
        }
        if interrupt.is_raised() {
            continue;
        }
        let is_tried = analysis.regions().all(|region| region.hints.is_some());
        let of = |program: &AnalysedProgram| {
            let core = program.core;
            let of_region = move |region: &AnalysedRegion| (core, Arc::clone(&region.scheduled));
            program.regions.iter().map(of_region).collect::<Vec<_>>()
        };
        let regions = analysis.programs.iter().flat_map(of).collect();
        let (uri, serial) = (analysis.uri.clone(), analysis.serial);
        let wanted = Trials { uri, serial, regions, interrupt };
        if results.send(analysis).is_err() || !is_tried && trials.send(wanted).is_err() {
            return;
        }
    }
}

/// Returns the environment of all analyses: regions that did not change are not scheduled again.
pub(crate) fn environment() -> Environment {
    Environment::with_store(Box::new(MemoryStore::default()))
}

fn analyse(
    (environment, inclusions): (&Environment, &Inclusions),
    core: &Core,
    job: Job,
) -> Analysis {
    let language = TextLanguage::of(&job.uri, &job.text);
    let name = job.path.as_deref().map(|path| path.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let around = FilesAround::new(&name, &job.open);
    let text = AnalysedText::new(&job.text);
    let mut root = None;
    let programs = match language {
        TextLanguage::Assembly => {
            let texts =
                Texts { environment, core, job: &job, name: &name, around: &around, text: &text };
            match texts.included(inclusions) {
                Some((path, program)) => {
                    root = Some(path);
                    vec![program]
                }
                None => texts.programs(),
            }
        }
        _ => {
            let found = of_other(language, &job, &name, &around);
            vec![AnalysedProgram::of_findings(core, &text, found)]
        }
    };
    let is_error = |d: &cp2_asm::Diagnostic| d.severity == cp2_asm::Severity::Error;
    let is_whole =
        |program: &AnalysedProgram| program.is_placed && !program.diagnostics.iter().any(is_error);
    let Job { uri, version, serial, text, .. } = job;
    let (is_whole, files) = (programs.iter().all(is_whole), around.files_read());
    Analysis { uri, version, serial, text, programs, root, is_whole, files }
}

/// Returns the findings of a text of another language than assembly, with the texts that they point into.
fn of_other(
    language: TextLanguage,
    job: &Job,
    name: &str,
    around: &FilesAround,
) -> (Sources, Vec<cp2_asm::Diagnostic>) {
    let mut sources = Sources::default();
    sources.add(name, &*job.text);
    let diagnostics = match language {
        TextLanguage::Star => match parse(&sources, 0) {
            Ok(tree) => check(&tree, 0).err().unwrap_or_default(),
            Err(diagnostics) => diagnostics,
        },
        TextLanguage::Machine => machine_file::findings(&sources),
        TextLanguage::Workload => {
            let around: Arc<dyn Surroundings> = Arc::new(around.clone());
            match WorkloadFile::open(name, &job.text, &around) {
                Ok(_) => Vec::new(),
                Err(refusal) => return (refusal.sources, refusal.diagnostics),
            }
        }
        TextLanguage::Nest => read_nest(&sources, 0).err().unwrap_or_default(),
        TextLanguage::Assembly | TextLanguage::Other => Vec::new(),
    };
    (sources, diagnostics)
}

/// An assembly text with its surroundings.
struct Texts<'a> {
    environment: &'a Environment,
    core: &'a Core,
    job: &'a Job,
    /// Name of the text: the path of its file.
    name: &'a str,
    around: &'a FilesAround,
    text: &'a AnalysedText,
}

impl Texts<'_> {
    /// Returns the programs that the text makes by itself.
    fn programs(&self) -> Vec<AnalysedProgram> {
        if let Some(cases) = TextCase::of_test(self.name, &self.job.text) {
            let comments = TestComment::all(&self.job.text);
            let of = |(number, case)| self.of_case(case, number == 0, &comments);
            return cases.iter().enumerate().map(of).collect();
        }
        let texts = vec![(self.name.to_owned(), self.job.text.to_string())];
        let mut program = self.assembled(self.core, texts, None);
        if is_part(self.job.path.as_deref()) {
            // Where its bundles stand is not known, nor what its names mean.
            program.diagnostics = certain(program.diagnostics);
            (program.image, program.is_placed) = (cp2_asm::Image::default(), false);
        }
        vec![program]
    }

    /// Returns the program of a text that includes this one, with the path of that text; `None` if none is known to.
    fn included(&self, inclusions: &Inclusions) -> Option<(PathBuf, AnalysedProgram)> {
        let path = self.job.path.as_deref()?;
        let open = |path: &Path| self.job.open.get(path).cloned();
        let root = self.job.root.clone().or_else(|| inclusions.root_of(path, &open))?;
        let (name, text) = self.around.text("", &root.to_string_lossy()).ok()?;
        // A file test is for itself: what its cases include is a matter of each.
        if root == path || TextCase::of_test(&name, &text).is_some() {
            return None;
        }
        let mut program = self.assembled(self.core, vec![(name, text)], None);
        program.own = (0..)
            .zip(program.sources.names())
            .skip(1)
            .filter(|(_, name)| Path::new(name) == path)
            .map(|(file, _)| file)
            .collect();
        let is_included = !program.own.is_empty();
        let is_own =
            |d: &cp2_asm::Diagnostic| d.span.as_ref().is_some_and(|span| program.is_own(span));
        let is_error = |d: &cp2_asm::Diagnostic| d.severity == cp2_asm::Severity::Error;
        let (told, elsewhere): (Vec<_>, Vec<_>) =
            program.diagnostics.iter().cloned().partition(is_own);
        if elsewhere.iter().any(is_error) {
            // Where bundles stand is not known then.
            (program.image, program.is_placed) = (cp2_asm::Image::default(), false);
        }
        program.diagnostics = told;
        is_included.then_some((root, program))
    }

    fn of_case(
        &self,
        case: &TextCase<'_>,
        is_first: bool,
        comments: &[TestComment<'_>],
    ) -> AnalysedProgram {
        let here = |c: &&TestComment<'_>| c.keyword == "machine" && case.has_line(c.line);
        // What is wrong with the comment is told by the test.
        let machine = comments.iter().rfind(here).and_then(|c| machine_of(c.text).ok());
        let core = machine.map_or(*self.core, |(config, _)| *config.core());
        let mut program = self.assembled(&core, case.roots(), Some(case));
        program.lines = vec![case.shared.clone(), case.lines.clone()];
        program.told_elsewhere = if is_first { 0..0 } else { case.shared.clone() };
        let is_own = |name: &str| case.part(name).is_some();
        program.own = (0..)
            .zip(program.sources.names())
            .filter(|(_, name)| is_own(name))
            .map(|(k, _)| k)
            .collect();
        program
    }

    /// Returns the program that texts make together; the first is taken to be the document.
    fn assembled(
        &self,
        core: &Core,
        texts: Vec<(String, String)>,
        case: Option<&TextCase<'_>>,
    ) -> AnalysedProgram {
        let loader = &mut |from: &str, included: &str| {
            let part = case.and_then(|case| case.part(included));
            part.cloned().map_or_else(|| self.around.text(from, included), Ok)
        };
        let regions = |all: &[Scheduled]| {
            let region = |scheduled: &Scheduled| AnalysedRegion {
                scheduled: Arc::new(scheduled.clone()),
                hints: None,
            };
            all.iter().map(region).collect()
        };
        let of = |sources, diagnostics| {
            AnalysedProgram::of_findings(core, self.text, (sources, diagnostics))
        };
        match Program::or_parts(self.environment, core, texts, loader) {
            Ok(program) => {
                let mut diagnostics = program.warnings().to_vec();
                let options = cp2_lint::Options { core: *core, undefined: false };
                let (image, sources) = (program.image(), program.sources());
                let findings = cp2_lint::lint_for(image, &options);
                let expansions = program.expansions();
                diagnostics.extend(cp2_lint::diagnostics(&findings, image, sources, expansions));
                AnalysedProgram {
                    regions: regions(program.regions()),
                    image: image.clone(),
                    is_placed: true,
                    ..of(sources.clone(), diagnostics)
                }
            }
            Err(parts) => {
                let ProgramParts { refusal, image, regions: scheduled, is_placed } = *parts;
                AnalysedProgram {
                    regions: regions(&scheduled),
                    image,
                    is_placed,
                    ..of(refusal.sources, refusal.diagnostics)
                }
            }
        }
    }
}
