//! What every engine promises behind the one interface: where it pauses, what observers see, and that
//! engines can take turns on one machine.

use cp2_emu::cp2::FifoEntry;
use cp2_emu::stats::Cause;
use cp2_emu::trace::{Event, NoObserver, Observer, PastCycle, Wants, WrittenValue};
use cp2_emu::{Cp2, End, Engine, Goal, Machine, Pause, ReferenceEngine, State};
use cp2_isa::{
    Bank, Banks, Bundle, BundleAddress, Cycle, Exch, Inst, RunCycle, Section, Storage, StorageCell,
    encode,
};
use cp2_session::Environment;
use cp2_session::engine::Engine as Kind;
use cp2_tests::machine;
use std::ops::ControlFlow;

/// A loop of loads and sums, long enough to be translated.
const SUMS: &str = "
    seti n0, 1
    doi 600, e
    lwnp f1, (r0)+n0
    psadd f2, f2, f1
e:  nop
    psmul f3, f2, f1
    stopi 9
";

fn engines() -> [Box<dyn Engine>; 3] {
    Kind::ALL.map(|kind| Environment::new().engine(kind))
}

fn sums() -> Machine {
    let mut cp2 = machine(SUMS);
    for (k, quad) in cp2.state.lmem.iter_mut().enumerate() {
        *quad = [(k as u64) << 40 | 0x3f80_0000; 4];
    }
    Machine::alone(cp2)
}

/// Notes cycles and operations, and stops behind a cycle.
#[derive(Default)]
struct Notes {
    cycles: Vec<(Cycle, Option<Cause>, Banks)>,
    operations: Vec<u64>,
    last: Cycle,
}

impl Observer for Notes {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        self.operations.push(event.cycle.0);
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        self.cycles.push((cycle.number, cycle.cause, cycle.banks));
        if cycle.number == self.last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_cp2_alone_runs_on_every_engine_as_by_itself() {
    let mut plain: Cp2 = sums().cp2;
    let expected = plain.run_untraced(BundleAddress(0), 100_000);
    for mut engine in engines() {
        let mut machine = sums();
        let run = engine.run_kernel(&mut machine, BundleAddress(0), 100_000, &mut NoObserver);
        assert_eq!(run, expected, "{}", engine.name());
        assert_eq!(machine.cp2.state, plain.state, "{}", engine.name());
        assert_eq!(machine.cycle(), plain.cycle());
    }
}

#[test]
fn engines_take_turns_on_one_machine() {
    let (mut alone, mut shared) = (sums(), sums());
    let expected =
        ReferenceEngine.run_kernel(&mut alone, BundleAddress(0), 100_000, &mut NoObserver);
    let mut engines = engines();
    shared.start_kernel(BundleAddress(0));
    let mut until = 0;
    let end = loop {
        until += 1 + until / 3;
        let engine = &mut engines[until as usize % 3];
        if let Some(end) = engine.advance_kernel(&mut shared, until, &mut NoObserver) {
            break end;
        }
        assert_eq!(shared.cp2.stats().cycles, until);
    };
    assert_eq!(shared.finish_kernel(end), expected);
    assert_eq!(shared.cp2.state, alone.cp2.state);
}

#[test]
fn every_cycle_is_told_once_with_its_cause() {
    for mut engine in engines() {
        let mut machine = sums();
        assert_eq!(
            engine.advance(&mut machine, Goal::cycle(Cycle(7)), &mut NoObserver),
            Ok(Pause::Cycle)
        );
        let mut notes = Notes { last: Cycle::NEVER, ..Notes::default() };
        assert_eq!(
            engine.advance(&mut machine, Goal::cycle(Cycle(10)), &mut notes),
            Ok(Pause::Cycle)
        );
        machine.start_kernel(BundleAddress(0));
        while machine.cp2.is_running() {
            engine.advance_kernel(&mut machine, u64::MAX, &mut notes);
        }
        let stats = machine.cp2.stats();
        let numbers = notes.cycles.iter().map(|c| c.0);
        assert!(numbers.eq(Cycle(7).until(Cycle(10) + stats.cycles)), "{}", engine.name());
        assert_eq!(notes.cycles[0].1, None);
        for cause in Cause::ALL {
            let told = notes.cycles.iter().filter(|c| c.1 == Some(cause)).count();
            assert_eq!(told as u64, stats.causes[cause as usize], "{cause:?}");
        }
        let in_bank = |bank| notes.cycles.iter().filter(|c| c.2.contains(bank)).count() as u64;
        assert_eq!(stats.bank_accesses, [in_bank(Bank(0)), in_bank(Bank(1))]);
        assert!(notes.operations.is_sorted() && notes.operations.len() > 1800);
    }
}

#[test]
fn an_observer_pauses_behind_the_cycle_that_it_wants() {
    let mut reference = sums();
    let expected =
        ReferenceEngine.run_kernel(&mut reference, BundleAddress(0), 100_000, &mut NoObserver);
    for mut engine in engines() {
        let mut machine = sums();
        machine.start_kernel(BundleAddress(0));
        let mut notes = Notes { last: Cycle(801), ..Notes::default() };
        let goal = Goal::cycle(Cycle(1000));
        assert_eq!(engine.advance(&mut machine, goal, &mut notes), Ok(Pause::Observer));
        assert_eq!((machine.cycle(), notes.cycles.len()), (Cycle(802), 802));
        assert_eq!(engine.advance(&mut machine, goal, &mut NoObserver), Ok(Pause::Cycle));
        assert_eq!(machine.cycle(), Cycle(1000));
        assert_eq!(
            engine.advance_kernel(&mut machine, 900, &mut NoObserver),
            None,
            "it is there already"
        );
        let end = engine.advance_kernel(&mut machine, u64::MAX, &mut NoObserver);
        assert_eq!(end, Some(End::Stopped(9)));
        assert_eq!(machine.finish_kernel(End::Stopped(9)), expected);
        assert_eq!(machine.cp2.state, reference.cp2.state);
    }
}

#[test]
fn an_engine_pauses_where_a_host_sees_something_change() {
    let run = encode(&Bundle { exch: Inst::new(Exch::Runi, &[0]), ..Bundle::NOP });
    for mut engine in engines() {
        let mut machine = sums();
        let mut pauses = Vec::new();
        machine.cp2.fifo.push(FifoEntry::Execute(run)).expect("room");
        while machine.cycle() < Cycle(5000) {
            let pause = engine.advance(&mut machine, Goal::cycle(Cycle(5000)), &mut NoObserver);
            pauses.push((machine.cycle().0, pause.expect("no fault")));
        }
        let run = machine.cp2.stats().cycles;
        // FE falls in cycle 0, the entry is taken in 1, the first bundle issues in 3; a `stop` holds
        // the issue for 7 cycles, its own among them.
        let mut expected = vec![(1, Pause::Host), (2, Pause::Host), (3, Pause::Host)];
        expected.extend([(4, Pause::Kernel), (3 + run, Pause::Kernel)]);
        expected.extend((1..7).map(|k| (3 + run + k, Pause::Host)));
        expected.push((5000, Pause::Cycle));
        assert_eq!(pauses, expected, "{}", engine.name());
        assert_eq!(
            engine.advance(&mut machine, Goal::still(Cycle(9000)), &mut NoObserver),
            Ok(Pause::Still)
        );
        assert_eq!(machine.cycle(), Cycle(5000), "a channel that is still is not waited for");
    }
}

#[test]
fn a_fault_leaves_the_bundle_undone_on_every_engine() {
    for mut engine in engines() {
        let mut machine = Machine::alone(machine("nop\n seti g1, 5\n ret"));
        machine.cp2.state.iram[3] = u64::MAX.into();
        let run = engine.run_kernel(&mut machine, BundleAddress(0), 100, &mut NoObserver);
        let End::Fault(fault) = run.end else { panic!("{run:?}") };
        assert_eq!(
            (fault.address, fault.cycle, run.stats.cycles),
            (Some(BundleAddress(3)), RunCycle(3), 3)
        );
        assert_eq!((machine.cp2.state.pc, machine.cp2.state.gpr[1]), (BundleAddress(3), 5));
    }
}

/// Registers of address sets, values that do not fit them, and registers that several operations write.
const SCALARS: &str = "
    seti g1, 40000
    move n3, g1
    move a2, g1
    clr r3
    clr r2
    move i4, g1
    seti m1, 77
    mtfpr f2, g1, s1
    move status, g1
    nop
    mffpr g3, f2, s1
    mffpr i2, f2, s1
    check_dma g5
    updaddrnp (r0)+n0
    lwnp f3, (r0)+n0
    stopi 4
";

/// Compares what operations tell of registers that the sections share with what is there behind them.
#[derive(Default)]
struct Shared {
    told: Vec<(StorageCell, u64)>,
    before: Option<State>,
    seen: usize,
}

impl Observer for Shared {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        let kinds = [Storage::Gpr, Storage::Ireg, Storage::A, Storage::N, Storage::M];
        for (storage, number) in kinds.into_iter().flat_map(|kind| (0..8).map(move |k| (kind, k))) {
            let written = event.written.iter().flatten();
            let told = written.filter(|w| w.destination.is(storage, number));
            let place = StorageCell { storage, number, section: Section::FIRST };
            self.told.extend(told.map(|w| (place, w.value[0])));
        }
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        let told = std::mem::take(&mut self.told);
        self.seen += told.len();
        for &(place, value) in &told {
            assert_eq!(cycle.state.get(place), Some(value), "{place:?} in cycle {}", cycle.number);
        }
        // An address that steps is no result of its operation.
        for storage in [Storage::Gpr, Storage::Ireg, Storage::N, Storage::M] {
            for number in 0..8 {
                let place = StorageCell { storage, number, section: Section::FIRST };
                let before = self.before.as_ref().and_then(|state| state.get(place));
                let is_new = before.is_some() && before != cycle.state.get(place);
                let is_told = told.iter().any(|(there, _)| *there == place);
                assert!(is_told || !is_new, "{place:?} in cycle {}", cycle.number);
            }
        }
        self.before = Some(cycle.state.clone());
        ControlFlow::Continue(())
    }
}

#[test]
fn every_shared_register_that_is_written_is_told_with_its_value() {
    let mut machine = Machine::alone(machine(SCALARS));
    let mut shared = Shared::default();
    let run = ReferenceEngine.run_kernel(&mut machine, BundleAddress(0), 1000, &mut shared);
    assert!(matches!(run.end, End::Stopped(4)), "{run:?}");
    // Two `clr` of three, eight others of one, and one that steps alone.
    assert_eq!(shared.seen, 2 * 3 + 9);
}

const LOOP_REGISTERS: &str = "
.kernel main
    seti g1, 3
    nop
    nop
    move lc, g1
    move la, g1
    doi 5, last
    move lc, g1
    nop
last:
    nop
    nop
    stopi 0
";

/// Values of LC and LA as operations tell them.
#[derive(Default)]
struct Loops(Vec<u64>);

impl Observer for Loops {
    fn wants(&self) -> Wants {
        Wants::all()
    }

    fn operation(&mut self, event: &Event) {
        let is_loop = |w: &&WrittenValue| w.destination.is(Storage::Loops, 0);
        self.0.extend(event.written.iter().flatten().filter(is_loop).map(|w| w.value[0]));
    }
}

/// Without a loop a move to a loop register writes nothing, and 0 is told, which is there.
#[test]
fn what_is_moved_to_loop_registers_is_told_with_and_without_a_loop() {
    let mut machine = Machine::alone(machine(LOOP_REGISTERS));
    let mut told = Loops::default();
    // The loop never ends: its count is written in every iteration.
    ReferenceEngine.run_kernel(&mut machine, BundleAddress(0), 60, &mut told);
    assert_eq!(told.0[..4], [0, 0, 3, 3]);
}
