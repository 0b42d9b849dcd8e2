//! The engine's host FIFO against a model of its own, cycle by cycle: worked examples and random scripts.

mod host;
mod mailbox;
mod model;
mod script;

use cp2_emu::Cp2;
use cp2_emu::cp2::FifoEntry;
use cp2_emu::state::status;
use cp2_emu::trace::NoObserver;
use cp2_isa::{BundleAddress, BundleBits};
use cp2_tests::SplitMix64;
use model::{BUNDLES, DEPTH, Entry, Event, Model, Simple};

/// Model and engine side by side.
struct Pair {
    model: Model,
    engine: Cp2,
    /// Bundles of the model when they were looked at last, and their words: to encode takes longest.
    words: Vec<(Simple, BundleBits)>,
}

fn pushed(entry: Entry) -> FifoEntry {
    match entry {
        Entry::Execute(bundle) => FifoEntry::Execute(bundle.word()),
        Entry::Store(bundle) => FifoEntry::Store(bundle.word()),
    }
}

/// Returns how many entries the engine's FIFO holds: its depth less the number that it still takes.
fn length(engine: &Cp2) -> usize {
    let mut fifo = engine.fifo.clone();
    let more = (0..).take_while(|_| fifo.push(FifoEntry::Execute(0)).is_ok()).count();
    DEPTH - more
}

impl Pair {
    fn new(model: Model) -> Self {
        let mut engine = Cp2::default();
        for (word, bundle) in engine.state.iram.iter_mut().zip(&model.iram) {
            *word = bundle.word();
        }
        engine.state.gpr = std::array::from_fn(|g| model.settled(g).0);
        let words = model.iram.iter().map(|&bundle| (bundle, bundle.word())).collect();
        Self { model, engine, words }
    }

    fn push(&mut self, entry: Entry) -> bool {
        let room = self.model.push(entry);
        assert_eq!(self.engine.fifo.push(pushed(entry)).is_ok(), room, "room for {entry:?}");
        room
    }

    /// Steps both sides by one cycle; fails with the first thing that differs.
    fn step(&mut self) -> Result<Event, String> {
        let event = self.model.step();
        self.engine.step(&mut NoObserver).map_err(|fault| format!("{fault:?}"))?;
        let (model, engine) = (&self.model, &self.engine);
        let bits = engine.status();
        let seen = [
            ("entries", length(engine) as u64, model.fifo.len() as u64),
            ("FE", bits >> 2 & 1, model.empty.into()),
            ("FF", bits >> 1 & 1, (model.fifo.len() == DEPTH).into()),
            ("RUN", bits & status::RUN, model.running.into()),
        ];
        for (what, engine, model) in seen {
            if engine != model {
                return Err(format!(
                    "{event:?}: {what} is {engine} on the engine, {model} on the model"
                ));
            }
        }
        if !model.is_starting() && engine.state.pc != BundleAddress(model.pc) {
            return Err(format!(
                "{event:?}: PC is {} on the engine, {} on the model",
                engine.state.pc, model.pc
            ));
        }
        for (known, &bundle) in self.words.iter_mut().zip(&model.iram) {
            if known.0 != bundle {
                *known = (bundle, bundle.word());
            }
        }
        let differs = |k: &usize| engine.state.iram[*k] != self.words[*k].1;
        match (0..BUNDLES).find(differs) {
            Some(k) => {
                Err(format!("{event:?}: bundle {k} differs, {:?} on the model", model.iram[k]))
            }
            None => Ok(event),
        }
    }

    /// Compares the registers of both sides when nothing is under way.
    fn registers(&self) -> Result<(), String> {
        for g in 0..16 {
            let (value, open) = self.model.settled(g);
            let engine = self.engine.state.gpr[g];
            if (engine ^ value) & !open != 0 {
                return Err(format!("g{g} is {engine:x} on the engine, {value:x} on the model"));
            }
        }
        let (engine, model) = (self.engine.state.stopcode, self.model.stopcode);
        if engine == model {
            Ok(())
        } else {
            Err(format!("stop code {engine}, {model} on the model"))
        }
    }
}

/// A history of pushes, and the cycles in which FE falls and in which entries are taken.
struct Example {
    name: &'static str,
    kernel: &'static [Simple],
    /// Entries with the cycle before which the host pushes them.
    pushes: Vec<(u64, Entry)>,
    fell: &'static [u64],
    taken: &'static [u64],
}

const NOP: Entry = Entry::Execute(Simple::Nop);
const KERNEL: u16 = 500;

/// A kernel whose `stopi` issues in cycle 10 if the `run` is taken in cycle 1.
const STOPS_IN_10: [Simple; 8] = {
    let mut kernel = [Simple::Nop; 8];
    kernel[7] = Simple::Stopi(9);
    kernel
};

fn examples() -> Vec<Example> {
    let run = Entry::Execute(Simple::Runi(KERNEL));
    let sync = Entry::Execute(Simple::Sync);
    let example = |name, pushes: &[(u64, Entry)], fell, taken| Example {
        name,
        kernel: &STOPS_IN_10,
        pushes: pushes.to_vec(),
        fell,
        taken,
    };
    vec![
        example("idle", &[(0, NOP), (0, NOP), (3, NOP)], &[0, 3], &[1, 2, 4]),
        example(
            "pushed before the last is taken",
            &[(0, NOP), (0, NOP), (2, NOP)],
            &[0],
            &[1, 2, 3],
        ),
        example(
            "pushed while a kernel runs",
            &[(0, run), (5, NOP), (6, NOP)],
            &[0, 17],
            &[1, 18, 19],
        ),
        // The entry behind `run` is still taken, the third is left.
        example("left by run", &[(0, run), (0, NOP), (0, NOP)], &[0], &[1, 2, 17]),
        example("pushed in the last cycle of the rest", &[(0, run), (16, NOP)], &[0, 17], &[1, 18]),
        example("pushed after the rest", &[(0, run), (18, NOP)], &[0, 18], &[1, 19]),
        // CP2 does not run yet in the cycle behind `run`.
        example("FE falls behind run", &[(0, run), (2, NOP)], &[0, 2], &[1, 17]),
        example("sync with more behind it", &[(0, sync), (0, NOP)], &[0], &[1, 8]),
        example("sync with none behind it", &[(0, sync), (3, NOP)], &[0, 8], &[1, 9]),
    ]
}

impl Example {
    fn model(&self) -> Model {
        let mut iram = vec![Simple::Nop; BUNDLES];
        iram[usize::from(KERNEL)..][..self.kernel.len()].copy_from_slice(self.kernel);
        Model::new(iram, [0; 16])
    }

    fn pushes_before(&self, cycle: u64) -> impl Iterator<Item = Entry> + '_ {
        self.pushes.iter().filter(move |p| p.0 == cycle).map(|p| p.1)
    }

    /// Holds the events of cycles 0, 1, ... against what is expected.
    fn check(&self, events: &[Event]) {
        let cycles = |wanted: fn(&Event) -> bool| -> Vec<u64> {
            (0..).zip(events).filter(|(_, e)| wanted(e)).map(|(cycle, _)| cycle).collect()
        };
        assert_eq!(cycles(|e| *e == Event::Fell), self.fell, "{}", self.name);
        assert_eq!(cycles(|e| matches!(e, Event::Taken(_))), self.taken, "{}", self.name);
    }
}

#[test]
fn the_model_gives_the_worked_examples() {
    for example in examples() {
        let mut model = example.model();
        let events: Vec<Event> = (0..30)
            .map(|cycle| {
                example.pushes_before(cycle).for_each(|entry| assert!(model.push(entry)));
                model.step()
            })
            .collect();
        example.check(&events);
    }
}

#[test]
fn the_engine_gives_the_worked_examples() {
    for example in examples() {
        let mut pair = Pair::new(example.model());
        let mut events = Vec::new();
        for cycle in 0..30 {
            example.pushes_before(cycle).for_each(|entry| assert!(pair.push(entry)));
            match pair.step() {
                Ok(event) => events.push(event),
                Err(difference) => panic!("{}, cycle {cycle}: {difference}", example.name),
            }
        }
        example.check(&events);
    }
}

/// Names of the cases that the random scripts have to reach.
const REACHED: [&str; 12] = [
    "entries executed",
    "words stored",
    "kernel bundles",
    "cycles of rest",
    "falls of FE",
    "cycles with a full FIFO",
    "falls of FE right after a rest",
    "entries taken right after a rest",
    "entries taken behind run",
    "falls of FE behind run",
    "words stored right behind a jump",
    "kernels with entries left in the FIFO",
];

/// Runs one script on model and engine; returns how often each case of `REACHED` was reached.
fn compare(number: u64) -> [u64; REACHED.len()] {
    let mut s = SplitMix64(number);
    let script = script::script(&mut s);
    let mut pair = Pair::new(Model::new(script.iram, script.gpr));
    let mut reached = [0; REACHED.len()];
    let mut waiting = script.entries.into_iter().peekable();
    let mut last = Event::Idle;
    let mut log = Vec::new();
    let mut quiet = 0;
    while quiet < 20 {
        if s.one_in(script.pace) {
            for _ in 0..=s.below(5) {
                if let Some(&entry) = waiting.peek()
                    && pair.push(entry)
                {
                    waiting.next();
                }
            }
        }
        let starting = pair.model.is_starting();
        let was_running = pair.model.running;
        let event = pair.step().unwrap_or_else(|difference| {
            panic!(
                "script {number}, {difference}, after {:#?}",
                &log[log.len().saturating_sub(12)..]
            )
        });
        let running = pair.model.running;
        for (count, met) in reached.iter_mut().zip([
            matches!(event, Event::Taken(Entry::Execute(_))),
            matches!(event, Event::Taken(Entry::Store(_))),
            event == Event::Kernel,
            event == Event::Held,
            event == Event::Fell,
            pair.model.fifo.len() == DEPTH,
            event == Event::Fell && last == Event::Held,
            matches!(event, Event::Taken(_)) && last == Event::Held,
            matches!(event, Event::Taken(_)) && starting,
            event == Event::Fell && starting,
            matches!(event, Event::Taken(Entry::Store(_)))
                && matches!(last, Event::Taken(Entry::Execute(Simple::Jump(_) | Simple::Jumpi(_)))),
            running && !was_running && !pair.model.empty,
        ]) {
            *count += u64::from(met);
        }
        let still = event == Event::Idle && waiting.peek().is_none();
        quiet = if still { quiet + 1 } else { 0 };
        log.push(format!("{}: {event:?}", pair.model.cycle - 1));
        last = event;
    }
    pair.registers().unwrap_or_else(|difference| panic!("script {number}: {difference}"));
    reached
}

#[test]
fn engine_and_model_agree_on_random_scripts() {
    let reached = cp2_tests::sum_over(&cp2_tests::program_numbers(2000), compare);
    for (what, n) in REACHED.into_iter().zip(reached) {
        println!("{n:8} {what}");
        assert!(n >= 100, "{n} {what}");
    }
}
