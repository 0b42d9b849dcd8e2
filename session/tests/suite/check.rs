//! Checked runs in two ways: with leaps over the turns of loops in which nothing can be found, and a look at every cycle.

use cp2_asm::image::Image;
use cp2_emu::cp2::Fault;
use cp2_emu::trace::{Observer, Wants};
use cp2_emu::{End, Engine, Goal, Machine, Pause, ReferenceEngine, RunResult};
use cp2_isa::{BundleAddress, Core, RunCycle, Storage};
use cp2_session::arrays::{ArrayRequest, Ready, prepare};
use cp2_session::sanitizer::{Finding, Sanitizer};
use cp2_session::{Environment, load};

/// Limit of cycles of a run.
const LIMIT: u64 = 1_000_000;

/// Word or register that is given before a run, and the one section that has it if not all do.
pub(crate) type Given = ((Storage, usize), Option<usize>);

/// Program with the words and registers that are given to its runs.
#[derive(Debug)]
pub(crate) struct Program {
    image: std::sync::Arc<Image>,
    machine: Machine,
    ready: Ready,
    given: Vec<Given>,
}

/// Findings of a checked run, and its end.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) findings: Vec<Finding>,
    pub(crate) allowed: u64,
    /// Promise that was broken, and the bundle at which the run ended for it.
    pub(crate) broken: Option<(String, BundleAddress)>,
    pub(crate) run: RunResult,
}

impl Told {
    /// Returns the codes of the findings.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.findings.iter().map(|finding| finding.code).collect()
    }

    /// Returns the message of the only finding.
    pub(crate) fn message(&self) -> &str {
        let [finding] = &self.findings[..] else { panic!("{:?}", self.findings) };
        &finding.message
    }
}

/// Reference engine that counts the cycles in which nobody looks.
#[derive(Debug, Default)]
struct Counting {
    unseen: u64,
}

impl Engine for Counting {
    fn name(&self) -> &'static str {
        ReferenceEngine.name()
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        let before = machine.cycle();
        let pause = ReferenceEngine.run_kernel_to(machine, goal, observer);
        if !observer.wants().contains(Wants::CYCLES) {
            self.unseen += machine.cycle() - before;
        }
        pause
    }
}

impl Program {
    /// Assembles a program for a core and loads it after a reset, with its arrays where labels and registers say.
    pub(crate) fn new(core: &Core, text: &str) -> Self {
        let assembled = Environment::new().assemble(core, "t.s", text);
        let image = assembled.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut cp2 = load::cp2(core);
        load::load(&image, &mut cp2);
        let request = ArrayRequest { is_set: true, ..ArrayRequest::default() };
        let ready = prepare(&mut cp2, &image, BundleAddress(0), &request).unwrap();
        Self { image, machine: Machine::alone(cp2), ready, given: Vec::new() }
    }

    /// Assembles and loads a program of CP2.
    pub(crate) fn of(text: &str) -> Self {
        Self::new(&Core::CP2, text)
    }

    /// Gives words and registers to the runs.
    pub(crate) fn given(self, given: &[Given]) -> Self {
        Self { given: given.to_vec(), ..self }
    }

    /// Creates the check of a run.
    fn sanitizer(&self) -> Sanitizer<'_> {
        let mut sanitizer = Sanitizer::new(&self.image, self.machine.cp2.core());
        sanitizer.take(&self.ready);
        self.given.iter().for_each(|&(place, section)| sanitizer.give(place, section, None));
        sanitizer
    }

    /// Checks a run with leaps; returns the number of cycles that it went through unseen as well.
    pub(crate) fn leaping(&self) -> (Told, u64) {
        let (mut sanitizer, mut machine) = (self.sanitizer(), self.machine.clone());
        let mut engine = Counting::default();
        let run = sanitizer.run(&mut engine, &mut machine, (BundleAddress(0), LIMIT));
        (told(&sanitizer, run), engine.unseen)
    }

    /// Checks a run in every cycle.
    pub(crate) fn stepping(&self) -> Told {
        let (mut sanitizer, mut machine) = (self.sanitizer(), self.machine.clone());
        machine.start_kernel(BundleAddress(0));
        let mut end = None;
        if sanitizer.begin(&machine.cp2.state) {
            end = ReferenceEngine.advance_kernel(&mut machine, LIMIT, &mut sanitizer);
        }
        let run = machine.finish_kernel(end.unwrap_or(End::Interrupted));
        sanitizer.end(&run.end);
        told(&sanitizer, run)
    }

    /// Checks a run in both ways, which tell the same; returns what they tell, and the number of cycles that were leapt.
    pub(crate) fn both(&self) -> (Told, u64) {
        let (leaping, unseen) = self.leaping();
        assert_eq!(leaping, self.stepping());
        (leaping, unseen)
    }
}

/// Collects the findings of a check that is over.
fn told(sanitizer: &Sanitizer<'_>, run: RunResult) -> Told {
    let broken = sanitizer.broken().map(|broken| (broken.to_string(), broken.address));
    let findings = sanitizer.findings();
    assert_eq!(sanitizer.is_clean(), broken.is_none() && findings.is_empty());
    Told { findings, allowed: sanitizer.allowed(), broken, run }
}

/// Returns what a check of every cycle and one with leaps tell of a program of CP2 to which nothing is given.
pub(crate) fn tell(text: &str) -> Told {
    Program::of(text).both().0
}

/// Returns the cycle of a run in which the first finding happened.
pub(crate) fn first(told: &Told) -> RunCycle {
    told.findings[0].cycle
}
