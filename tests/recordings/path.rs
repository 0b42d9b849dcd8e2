//! Critical paths of random runs and of straight code, held against what explains single operations, and against a
//! model of the earliest cycles.

use crate::{opened, played};
use cp2_analysis::history::{History, Issued};
use cp2_analysis::path::{CriticalPath, PathEdge, PathKind, PathReach};
use cp2_analysis::program::{NamedProgram, of_memory};
use cp2_analysis::stall::{self, ConstraintKind};
use cp2_emu::machine::MachineConfig;
use cp2_isa::{Core, Slot};
use cp2_recording::{Header, Recorder, Recording, RecordingInMemory};
use cp2_session::{Cancellation, Environment, Prepared, Program, Run, Setup};
use cp2_tests::SplitMix64;

/// Returns the path of a recording with the edges that were walked.
fn path_of(recording: &mut Recording, reach: PathReach) -> (CriticalPath, Vec<PathEdge>) {
    let image = of_memory(&recording.state().iram);
    let program = NamedProgram::new(&image, recording.core());
    let mut edges = Vec::new();
    let path = CriticalPath::with_edges(recording, &program, reach, &mut |edge| {
        edges.push(edge.clone());
    });
    (path.expect("a path"), edges)
}

/// Whether an edge is a result that the explanation of its later operation knows, too.
fn is_explained(recording: &mut Recording, history: &mut History, edge: &PathEdge) -> bool {
    let (Some(to), Some(from)) = (&edge.to, &edge.from) else { return false };
    let image = of_memory(&recording.state().iram);
    let program = NamedProgram::new(&image, recording.core());
    let why = stall::why(recording, history, &program, to.cycle, 0).expect("a cycle");
    let is_from = |issued: &Issued| (issued.cycle, issued.slot) == (from.cycle, from.slot);
    let stories = why.slots.iter().filter(|story| story.slot == to.slot);
    stories.flat_map(|story| &story.constraints).any(|constraint| {
        constraint.ready == to.cycle
            && match &constraint.kind {
                ConstraintKind::Operand(_, giver) | ConstraintKind::Order(_, giver) => {
                    is_from(giver)
                        // Another one gave the operand in another section in the same cycle.
                        || giver.cycle >= from.cycle
                }
                ConstraintKind::Beat(..) | ConstraintKind::Reader(..) => false,
            }
    })
}

#[test]
fn a_path_has_all_cycles_of_a_random_run_once() {
    for seed in cp2_tests::program_numbers(24) {
        let (mut recording, ..) = played(seed);
        let (begin, end) = recording.cycles().into_inner();
        let (path, edges) = path_of(&mut recording, PathReach::EveryCycle);
        assert_eq!(path.total().cycles, end - begin, "seed {seed}: {path:#?}");
        let (short, _) = path_of(&mut recording, PathReach::UnequalPieces);
        assert_eq!(short.total(), path.total(), "seed {seed}");
        assert_eq!(short.kinds, path.kinds, "seed {seed}");
        for pair in edges.windows(2) {
            assert!(pair[1].cycles.end <= pair[0].cycles.start, "seed {seed}: {pair:?}");
        }
        let of_places: u64 = path.places.iter().map(|place| place.sum.cycles).sum();
        assert!(of_places <= path.total().cycles);
    }
}

#[test]
fn results_on_a_path_are_those_that_explain_its_operations() {
    let mut checked = 0;
    for seed in cp2_tests::program_numbers(8) {
        let (mut recording, ..) = played(seed);
        let (_, edges) = path_of(&mut recording, PathReach::EveryCycle);
        let mut history = History::default();
        let is_result = |edge: &&PathEdge| {
            matches!(edge.kind, PathKind::Arithmetic | PathKind::Load | PathKind::Permute)
        };
        for edge in edges.iter().filter(is_result).take(40) {
            checked += 1;
            assert!(is_explained(&mut recording, &mut history, edge), "seed {seed}: {edge:#?}");
        }
    }
    assert!(checked > 20, "{checked} results");
}

/// Reasons for which an operation issues in its cycle and not earlier: both where they come together.
struct Wait {
    cycle: u64,
    /// Whether the slot had another operation in the cycle before.
    is_slot: bool,
    /// Whether an operand is first seen in the cycle.
    is_result: bool,
}

/// Straight code: operations of the arithmetic slot, each with the cycle in which it can issue at the earliest.
struct Straight {
    text: String,
    waits: Vec<Wait>,
}

/// Makes random sums of earlier sums, each as early as latency and slot allow.
fn straight(s: &mut SplitMix64, latency: u64) -> Straight {
    let n = 5 + s.below(40) as usize;
    let (mut text, mut waits) = ("        .kernel straight\n".to_owned(), Vec::<Wait>::new());
    let mut now = 0;
    for k in 0..n {
        let mut ready = 0;
        let mut operand = || {
            // Registers 0 and 1 have no operation before.
            let of = s.below(k as u64 + 2);
            if of >= 2 {
                ready = ready.max(waits[of as usize - 2].cycle + latency);
            }
            of
        };
        let (a, b) = (operand(), operand());
        let cycle: u64 = if k == 0 { 0 } else { ready.max(now + 1) };
        for _ in now + 1..cycle {
            text += "        | nop\n";
        }
        let stop = if k + 1 == n { " | stopi 0" } else { "" };
        text += &format!("        psadd f{}, f{a}, f{b}{stop}\n", k + 2);
        let is_result = k > 0 && ready == cycle;
        waits.push(Wait { cycle, is_slot: k > 0 && now + 1 == cycle, is_result });
        now = cycle;
    }
    Straight { text, waits }
}

fn recorded(core: &Core, text: &str) -> Recording {
    let program = Program::from_source(&Environment::new(), core, "straight.s", text);
    let program = program.expect("a program");
    let entry = program.entry(None).expect("an entry");
    let config: Option<&MachineConfig> = None;
    let prepared = Prepared::new(&program, config, entry, None);
    let header = Header {
        cp2: String::new(),
        command: String::new(),
        machine: None,
        core: *core.numbers(),
        inputs: Vec::new(),
    };
    let tape = RecordingInMemory::default();
    let recorder = Recorder::new(Box::new(tape.clone()), &header).expect("a recorder");
    let setup = Setup { recorder: Some(recorder.clone()), ..Setup::default() };
    let mut run = Run::new(&Environment::new(), prepared, &setup).expect("a run");
    let end = run.to_end(&Cancellation::default(), &mut |_| {});
    run.finish(end);
    recorder.finish().expect("a recording");
    opened(tape.take())
}

/// Each operation stands as early as its results and its slot allow, so nothing on the path is where the program put
/// it, and every edge is one that the model knows.
#[test]
fn straight_code_has_the_path_of_a_model() {
    let mut s = SplitMix64(45);
    for _ in 0..cp2_tests::program_numbers(40).count() {
        let core = Core::CP2;
        let latency = u64::from(core.latencies().arithmetic);
        let Straight { text, waits } = straight(&mut s, latency);
        let mut recording = recorded(&core, &text);
        let (path, edges) = path_of(&mut recording, PathReach::EveryCycle);
        assert_eq!(path.total().cycles, recording.cycles().end().0, "{text}");
        assert!(!path.kinds.contains_key(&PathKind::Placement), "{path:#?}\n{text}");
        for edge in &edges {
            let Some(to) = edge.to.as_ref().filter(|to| to.slot == Slot::Arithmetic) else {
                continue;
            };
            let known = waits.iter().find(|wait| wait.cycle == to.cycle.0).expect("a cycle");
            let length = edge.cycles.end - edge.cycles.start;
            match edge.kind {
                PathKind::Arithmetic => {
                    assert!(known.is_result && length == latency, "{edge:#?}\n{text}");
                }
                PathKind::ArithmeticSlot => {
                    assert!(known.is_slot && length == 1, "{edge:#?}\n{text}");
                }
                other => panic!("{other:?}: {edge:#?}\n{text}"),
            }
        }
    }
}
