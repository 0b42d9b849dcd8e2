//! A text as the assembler, the scheduler, the linter and the readers of other languages see it: findings and schedules, made in
//! threads of their own, so that the server answers meanwhile.

mod files;
mod trials;

pub(crate) use files::{FilesRead, OpenTexts, stamp};
pub(crate) use trials::{RegionHints, Trials, Tried, try_promises};

use crate::language::TextLanguage;
use crate::machine_file;
use cp2_asm::diagnostic::{Diagnostic, Sources, Span};
use cp2_asm::image::{Image, SourcePosition};
use cp2_asm::sched::Interrupt;
use cp2_asm::{Scheduled, without_comment};
use cp2_isa::{BundleAddress, Core};
use cp2_nest::read_nest;
use cp2_session::store::MemoryStore;
use cp2_session::{Environment, Program, ProgramParts};
use cp2_star::language::{check, parse};
use cp2_workloads::file::{Surroundings, WorkloadFile};
use crossbeam_channel::{Receiver, Sender};
use files::FilesAround;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

/// Number of the document among its sources.
const DOCUMENT: u32 = 0;

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
    /// Texts that are open in the editor.
    pub(crate) open: OpenTexts,
    /// Flag that is raised when nobody wants to know the result any more.
    pub(crate) interrupt: Interrupt,
}

/// A scheduled region of the text.
#[derive(Clone, Debug)]
pub(crate) struct AnalysedRegion {
    pub(crate) scheduled: Arc<Scheduled>,
    /// Hints for each innermost loop; `None` while promises are being tried.
    pub(crate) hints: Option<RegionHints>,
}

/// Findings and schedules of one version of a text.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) serial: u64,
    pub(crate) text: Arc<str>,
    /// Bytes at which lines of the text begin.
    line_starts: Vec<usize>,
    /// Texts to which places refer; the document has number 0.
    pub(crate) sources: Sources,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) regions: Vec<AnalysedRegion>,
    /// The program, or what of it is known in spite of errors.
    pub(crate) image: Image,
    /// Whether every bundle has its place.
    pub(crate) is_placed: bool,
    /// Whether the text is a program, without an error.
    pub(crate) is_whole: bool,
    /// Files that the text depends on.
    pub(crate) files: FilesRead,
}

impl Analysis {
    /// Returns the line, from 0, that a place is in, if it is in the document.
    pub(crate) fn line_of(&self, span: Option<&Span>) -> Option<usize> {
        let span = span.filter(|span| span.file == DOCUMENT)?;
        Some(self.line_starts.partition_point(|&begin| begin <= span.range.start).saturating_sub(1))
    }

    /// Returns the lines of a region, from 0: from `.linear` to `.endlinear`.
    pub(crate) fn lines_of(&self, scheduled: &Scheduled) -> Option<RangeInclusive<usize>> {
        let begin = self.line_of(scheduled.region.span.as_ref())?;
        let mut rest = self.text.split('\n').enumerate().skip(begin);
        let is_end = |line: &str| line.split_whitespace().any(|word| word == ".endlinear");
        let end = rest.find(|(_, line)| is_end(without_comment(line)))?.0;
        Some(begin..=end)
    }

    /// Returns the region that has a line, from 0.
    pub(crate) fn region_at(&self, line: usize) -> Option<&AnalysedRegion> {
        let has = |region: &&AnalysedRegion| {
            self.lines_of(&region.scheduled).is_some_and(|lines| lines.contains(&line))
        };
        self.regions.iter().find(has)
    }

    /// Returns the addresses of the bundles that a line, from 0, of the document wrote itself.
    pub(crate) fn bundles_of(&self, line: usize) -> impl Iterator<Item = BundleAddress> {
        let own = self.image.files.iter().position(|file| file == self.sources.name(DOCUMENT));
        let is_here = move |place: &SourcePosition| {
            own == Some(place.file as usize) && place.line as usize == line + 1
        };
        self.image.lines.iter().filter(move |(_, place)| is_here(place)).map(|(at, _)| *at)
    }
}

/// Analyses texts until the sender of jobs is gone. Jobs that nobody waits for any more are passed over. Several threads share the
/// jobs, so that a long schedule of one text keeps no other one waiting.
pub(crate) fn work(
    environment: &Environment,
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
        let mut analysis = analyse(&environment, &core, job);
        for region in &mut analysis.regions {
            region.hints = environment.known_hints(&core, &region.scheduled.region);
        }
        if interrupt.is_raised() {
            continue;
        }
        let is_tried = analysis.regions.iter().all(|region| region.hints.is_some());
        let scheduled = analysis.regions.iter().map(|region| Arc::clone(&region.scheduled));
        let (uri, serial) = (analysis.uri.clone(), analysis.serial);
        let wanted = Trials { uri, serial, regions: scheduled.collect(), interrupt };
        if results.send(analysis).is_err() || !is_tried && trials.send(wanted).is_err() {
            return;
        }
    }
}

/// Returns the environment of all analyses: regions that did not change are not scheduled again.
pub(crate) fn environment() -> Environment {
    Environment::with_store(Box::new(MemoryStore::default()))
}

fn analyse(environment: &Environment, core: &Core, job: Job) -> Analysis {
    let language = TextLanguage::of(&job.uri, &job.text);
    let name = job.path.as_deref().map(|path| path.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let around = FilesAround::new(&name, &job.open);
    let mut sources = Sources::default();
    sources.add(name.as_str(), &*job.text);
    let diagnostics = match language {
        TextLanguage::Assembly => return of_assembly(environment, core, job, &name, &around),
        TextLanguage::Star => match parse(&sources, 0) {
            Ok(tree) => check(&tree, 0).err().unwrap_or_default(),
            Err(diagnostics) => diagnostics,
        },
        TextLanguage::Machine => machine_file::findings(&sources),
        TextLanguage::Workload => {
            let around: Arc<dyn Surroundings> = Arc::new(around.clone());
            match WorkloadFile::open(&name, &job.text, &around) {
                Ok(_) => Vec::new(),
                Err(refusal) => {
                    sources = refusal.sources;
                    refusal.diagnostics
                }
            }
        }
        TextLanguage::Nest => read_nest(&sources, 0).err().unwrap_or_default(),
        TextLanguage::Other => Vec::new(),
    };
    Analysis { sources, diagnostics, files: around.files_read(), ..nothing(job) }
}

/// Returns the analysis of a job of whose text nothing is known.
fn nothing(job: Job) -> Analysis {
    let Job { uri, version, serial, text, .. } = job;
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    Analysis {
        line_starts: std::iter::once(0).chain(ends).collect(),
        uri,
        version,
        serial,
        text,
        sources: Sources::default(),
        diagnostics: Vec::new(),
        regions: Vec::new(),
        image: Image::default(),
        is_placed: false,
        is_whole: false,
        files: FilesRead::new(),
    }
}

fn of_assembly(
    environment: &Environment,
    core: &Core,
    job: Job,
    name: &str,
    around: &FilesAround,
) -> Analysis {
    let loader = &mut |from: &str, included: &str| around.text(from, included);
    let texts = vec![(name.to_owned(), job.text.to_string())];
    let regions = |all: &[Scheduled]| {
        let region = |scheduled: &Scheduled| AnalysedRegion {
            scheduled: Arc::new(scheduled.clone()),
            hints: None,
        };
        all.iter().map(region).collect()
    };
    match Program::or_parts(environment, core, texts, loader) {
        Ok(program) => {
            let mut diagnostics = program.warnings().to_vec();
            let options = cp2_lint::Options { core: *core, undefined: false };
            let (image, sources) = (program.image(), program.sources());
            let findings = cp2_lint::lint_for(image, &options);
            let expansions = program.expansions();
            diagnostics.extend(cp2_lint::diagnostics(&findings, image, sources, expansions));
            Analysis {
                sources: sources.clone(),
                diagnostics,
                regions: regions(program.regions()),
                image: image.clone(),
                is_placed: true,
                is_whole: true,
                files: around.files_read(),
                ..nothing(job)
            }
        }
        Err(parts) => {
            let ProgramParts { refusal, image, regions: scheduled, is_placed } = *parts;
            Analysis {
                sources: refusal.sources,
                diagnostics: refusal.diagnostics,
                regions: regions(&scheduled),
                image,
                is_placed,
                files: around.files_read(),
                ..nothing(job)
            }
        }
    }
}
