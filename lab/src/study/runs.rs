//! Runs of a study, remembered by program and by the machine as the program sees it.

use super::machines::MachineSet;
use crate::inputs::LabError;
use crate::recorded::Subject;
use cp2_emu::MachineConfig;
use cp2_recording::Counts;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use cp2_session::workload::Workload;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most programs that the threads of a study hold.
const PROGRAMS: usize = 1024;

/// End of the ranges of all uncertain numbers of a machine, those that are assumptions or fits, at which a study is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RangeEnd {
    /// Numbers as the machine file has them.
    Usual,
    /// Ends at which memory and host are fastest.
    Fast,
    /// Ends at which memory and host are slowest.
    Slow,
}

/// All that a run depends on: workload and variant, machine as the program sees it, ends of uncertain numbers, and whether events
/// are counted.
type RunKey = (usize, usize, usize, RangeEnd, bool);

/// Question of a study: a workload by its number, a machine by its number, and the ends of uncertain numbers.
pub(super) type Question = (usize, usize, RangeEnd);

/// Run of a variant of a workload.
#[derive(Clone, Debug)]
pub(super) struct KeptRun {
    pub(super) cycles: u64,
    pub(super) us: f64,
    /// Counts of events, if they were asked for.
    pub(super) counts: Option<Counts>,
}

/// Program for a workload, with what it needs and asks about.
struct Program {
    subject: Subject,
    workload: Arc<dyn Workload>,
}

/// Workloads of a study with their runs.
pub(super) struct Runs<'a> {
    set: &'a MachineSet,
    programs: Vec<Vec<Program>>,
    /// Settings of the machine at its fast and slow ends.
    ends: [Vec<String>; 2],
    known: BTreeMap<RunKey, Result<KeptRun, String>>,
    environment: Environment,
    threads: NonZeroUsize,
    shelf: Arc<Shelf>,
}

impl<'a> Runs<'a> {
    /// Creates the runs of subjects on the machines of a set; none has run yet. Runs keep schedules in the store of `environment`.
    pub(super) fn new(
        set: &'a MachineSet,
        subjects: &[Subject],
        (environment, threads): (&Environment, NonZeroUsize),
    ) -> Self {
        let of_one = |subject: &Subject| {
            let variants = subject.workload.variants();
            let all =
                if variants.is_empty() { vec![Arc::clone(&subject.workload)] } else { variants };
            let program = |workload| Program { subject: subject.clone(), workload };
            all.into_iter().map(program).collect()
        };
        let programs = subjects.iter().map(of_one).collect();
        let ends = super::spread::ends(set.config(0));
        let (known, shelf) = (BTreeMap::new(), Arc::new(Shelf::holding(PROGRAMS)));
        let environment = environment.clone();
        Self { set, programs, ends, known, environment, threads, shelf }
    }

    /// Returns the number of runs that were made.
    pub(super) fn made(&self) -> usize {
        self.known.len()
    }

    /// Returns the runs that answer a question: of each variant that the machine allows.
    fn keys(&self, (work, machine, end): Question, counts: bool) -> Vec<RunKey> {
        let config = self.set.config(machine);
        let allowed = self.programs[work].iter().enumerate().filter(|(_, program)| {
            let Program { subject, workload } = program;
            workload.needs().iter().all(|switch| config.has(switch))
                && subject.values.check(&workload.about().name, &workload.option_list()).is_ok()
        });
        let key = |(variant, program): (usize, &Program)| {
            let needs = MachineSet::flags(&program.workload.needs());
            let asks = program.workload.asks().map(|asks| [asks, &needs].concat());
            (work, variant, self.set.seen(machine, asks.as_deref()), end, counts)
        };
        allowed.map(key).collect()
    }

    /// Returns how many runs questions need that were not made. `counts` says whether their events are counted.
    pub(super) fn missing(&self, questions: &[Question], counts: bool) -> usize {
        self.unknown(questions, counts).len()
    }

    fn unknown(&self, questions: &[Question], counts: bool) -> Vec<RunKey> {
        let keys = questions.iter().flat_map(|&question| self.keys(question, counts));
        let mut keys: Vec<RunKey> = keys.filter(|key| !self.known.contains_key(key)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Makes the runs that questions need, on several threads. `counts` says whether their events are counted.
    pub(super) fn answer(
        &mut self,
        questions: &[Question],
        counts: bool,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<(), LabError> {
        let keys = self.unknown(questions, counts);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (before, all) = (self.made() as u64, (self.made() + keys.len()) as u64);
        let work = || {
            let environment = self.environment.reusing(&self.shelf);
            let mut found = Vec::new();
            while let Some(key) = keys.get(next.fetch_add(1, Ordering::Relaxed)) {
                found.push((*key, self.run(&environment, *key)));
                progress(before + done.fetch_add(1, Ordering::Relaxed) as u64 + 1, all);
            }
            found
        };
        let found: Vec<_> = std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..self.threads.get().min(keys.len())).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for of_thread in found {
            let of_thread = of_thread
                .map_err(|_| LabError::new("a run made the program panic; this is a bug of cp2"))?;
            self.known.extend(of_thread);
        }
        Ok(())
    }

    fn run(&self, environment: &Environment, key: RunKey) -> Result<KeptRun, String> {
        let (work, variant, machine, end, counts) = key;
        let Program { subject, workload } = &self.programs[work][variant];
        let config = self.machine(machine, end)?;
        let core = *config.core();
        let (workload, environment) = (Arc::clone(workload), environment.clone());
        let subject = Subject { workload, environment, ..subject.with_machine(Some(config), core) };
        measured(&subject, counts)
    }

    /// Returns a machine with its uncertain numbers at the ends of their ranges.
    fn machine(&self, machine: usize, end: RangeEnd) -> Result<MachineConfig, String> {
        let mut config = self.set.config(machine).clone();
        let settings = match end {
            RangeEnd::Usual => return Ok(config),
            RangeEnd::Fast => &self.ends[0],
            RangeEnd::Slow => &self.ends[1],
        };
        // What the extensions set is theirs.
        let base = self.set.config(0);
        for setting in settings {
            let name = setting.split('=').next().unwrap_or_default();
            let key = cp2_emu::machine::Key::ALL.into_iter().find(|key| key.to_string() == name);
            if key.is_some_and(|key| config.value(key) == base.value(key)) {
                config.apply_set(setting).map_err(|e| e.to_string())?;
            }
        }
        Ok(config)
    }

    /// Returns the run of the variant with the fewest cycles, and the variant's name.
    ///
    /// # Errors
    /// No variant runs there: the reason that the first gives.
    pub(super) fn best(
        &self,
        question: Question,
        counts: bool,
    ) -> Result<(&KeptRun, String), String> {
        let mut problem = "no variant is allowed on this machine".to_owned();
        let mut best: Option<(&KeptRun, usize)> = None;
        for key in self.keys(question, counts).iter().rev() {
            match self.known.get(key) {
                Some(Ok(run)) if best.is_none_or(|(other, _)| run.cycles <= other.cycles) => {
                    best = Some((run, key.1));
                }
                Some(Err(why)) => problem.clone_from(why),
                Some(Ok(_)) => {}
                None => problem = "it was not run".to_owned(),
            }
        }
        let name = |variant: usize| self.programs[question.0][variant].workload.about().name;
        best.map(|(run, variant)| (run, name(variant))).ok_or(problem)
    }
}

/// Runs a subject as it is, without its variants.
pub(super) fn measured(subject: &Subject, counts: bool) -> Result<KeptRun, String> {
    let wrong = |complaint: Option<String>| complaint.map_or(Ok(()), Err);
    if counts {
        let mut recorded = subject.record().map_err(|e| e.to_string())?;
        wrong(recorded.outcome.verdict.complaint.clone())?;
        let summary = recorded.recording.summary().map_err(|e| e.to_string())?;
        let cost = recorded.outcome.cost.as_ref().ok_or("it runs on CP2 alone")?;
        let (cycles, us) = (cost.cycles(), cost.microseconds());
        return Ok(KeptRun { cycles, us, counts: Some(summary.total()) });
    }
    let tally = subject.workload.tally(subject.request()).map_err(|e| e.to_string())?;
    wrong(tally.verdict.complaint)?;
    let cost = tally.cost.ok_or("it runs on CP2 alone")?;
    Ok(KeptRun { cycles: cost.cycles(), us: cost.microseconds(), counts: None })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_session::workload::OptionValue;

    /// Workloads that tell what they ask about, with options that keep them small.
    fn works() -> [(&'static str, Vec<(&'static str, OptionValue)>); 6] {
        let number = |name, n| vec![(name, OptionValue::Number(n))];
        let small = || vec![("class", OptionValue::Choice("S".to_owned()))];
        [
            ("fft64", number("vectors", 4)),
            ("resid", number("grid", 8)),
            ("spmv", number("rows", 32)),
            ("convolution", [number("points", 32), number("vectors", 4)].concat()),
            ("cg", small()),
            ("mg", small()),
        ]
    }

    /// Remembered results are those of real runs, on machines that differ in whatever a program does not ask about.
    #[test]
    fn remembered_runs_are_those_of_the_machines_themselves() {
        let base = MachineConfig::preset("vm9").unwrap();
        let all = cp2_isa::machine::TOGGLES.map(|toggle| match toggle.size() {
            Some((_, least)) => format!("{}={}", toggle.name, least.next_multiple_of(128)),
            None => toggle.name.to_owned(),
        });
        let set = MachineSet::new(&base, &crate::key::switches(&all.join(",")).unwrap()).unwrap();
        let subjects: Vec<_> = works()
            .iter()
            .map(|(name, options)| Subject::procedure(name, base.clone(), options).unwrap())
            .collect();
        let environment = Environment::new();
        let mut runs = Runs::new(&set, &subjects, (&environment, NonZeroUsize::new(2).unwrap()));
        let mut random = fastrand::Rng::with_seed(44);
        let machines: Vec<usize> = (0..6).map(|_| random.usize(..set.count())).collect();
        // The solver and the benchmark take long.
        let most = |work: usize| if work < 4 { 6 } else { 2 };
        let works = 0..subjects.len();
        let questions: Vec<Question> = works
            .flat_map(|work| {
                machines.iter().take(most(work)).map(move |&m| (work, m, RangeEnd::Usual))
            })
            .collect();
        runs.answer(&questions, false, &|_, _| {}).unwrap();
        assert_eq!(runs.missing(&questions, false), 0);
        let alone = environment.reusing(&Arc::new(Shelf::default()));
        for question in questions {
            let (work, machine, _) = question;
            let config = set.config(machine).clone();
            let core = *config.core();
            let real = Subject {
                environment: alone.clone(),
                ..subjects[work].with_machine(Some(config), core)
            };
            let (best, choice) = real.best().unwrap();
            let cycles = best.cost().unwrap().cycles();
            let (kept, variant) = runs.best(question, false).unwrap();
            assert_eq!(
                (kept.cycles, &variant),
                (cycles, &choice.name().unwrap_or(best.name())),
                "{}",
                set.name(machine)
            );
        }
    }
}
