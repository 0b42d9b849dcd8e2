//! The library as programs embed it: the example, two environments side by side, threads, cancellation, errors and their
//! kinds.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_asm::sched::Store;
use cp2_emu::End;
use cp2_isa::Core;
use cp2_session::npy::Array;
use cp2_session::{
    Cancellation, Environment, Error, ErrorKind, Form, Outcome, Prepared, Program, ProgramError,
    Run, Setup,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[allow(unreachable_pub, reason = "the example is a program of its own; here its `main` is called")]
#[path = "../../examples/embed.rs"]
mod embed;

/// Runs until somebody stops it.
const ENDLESS: &str = ".kernel k\nagain: jumpi again\n nop\n stopi 0\n";

const AXPY: &str = include_str!("../../examples/axpy.s");

fn program(text: &str) -> Program {
    Program::from_source(&Environment::new(), &Core::CP2, "t.s", text).unwrap()
}

fn run(text: &str, setup: &Setup) -> Outcome {
    program(text).run(&Environment::new(), setup).unwrap()
}

#[test]
fn the_example_runs() {
    embed::main().unwrap();
}

/// Entries in memory.
#[derive(Clone, Default)]
struct Entries(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Store for Entries {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.0.lock().unwrap().insert(key.to_owned(), entry.to_vec());
    }
}

#[test]
fn two_environments_know_nothing_of_each_other() {
    let stores = [Entries::default(), Entries::default()];
    let [one, other] = stores.clone().map(|store| Environment::with_store(Box::new(store)));
    Program::from_source(&one, &Core::CP2, "axpy.s", AXPY).unwrap();
    let count = |store: &Entries| store.0.lock().unwrap().len();
    assert!(count(&stores[0]) > 0, "the schedule is kept");
    assert_eq!(count(&stores[1]), 0);
    // What a clone shares it does not share with another environment.
    *one.shared::<Mutex<u32>>().lock().unwrap() = 7;
    assert_eq!(*one.clone().shared::<Mutex<u32>>().lock().unwrap(), 7);
    assert_eq!(*other.shared::<Mutex<u32>>().lock().unwrap(), 0);
}

/// A store that panics, as a thread of an embedding program may.
struct Panics;

impl Store for Panics {
    fn get(&mut self, _: &str) -> Option<Vec<u8>> {
        panic!("a store fails")
    }

    fn put(&mut self, _: &str, _: &[u8]) {}
}

#[test]
fn a_panic_in_a_thread_leaves_the_environment_usable() {
    let environment = Environment::with_store(Box::new(Panics));
    let clone = environment.clone();
    let assemble = move || Program::from_source(&clone, &Core::CP2, "axpy.s", AXPY).is_ok();
    assert!(std::thread::spawn(assemble).join().is_err());
    // The lock that the thread held is not lost for others: what asks the store of nothing runs.
    let plain = Program::from_source(&environment, &Core::CP2, "k.s", ".kernel k\n stopi 3\n");
    let outcome = plain.unwrap().run(&Environment::new(), &Setup::default()).unwrap();
    assert_eq!(outcome.stopped().unwrap(), 3);
}

#[test]
fn what_may_go_to_another_thread() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Environment>();
    is_sync::<Environment>();
    is_send::<Program>();
    is_sync::<Program>();
    is_send::<Setup>();
    is_sync::<Setup>();
    is_send::<Prepared<'static>>();
    is_sync::<Prepared<'static>>();
    is_sync::<Outcome>();
    is_sync::<Error>();
    is_send::<Run<'static>>();
    is_send::<Outcome>();
    is_send::<Error>();
    is_sync::<Cancellation>();
}

#[test]
fn a_run_ends_when_another_thread_cancels_it() {
    let program = program(ENDLESS);
    let setup = Setup { max_cycles: u64::MAX, ..Setup::default() };
    let mut run = program.start(&Environment::new(), &setup).unwrap();
    let (cancellation, mut told) = (Cancellation::default(), Vec::new());
    let end = std::thread::scope(|scope| {
        let other = cancellation.clone();
        let (begun, wait) = std::sync::mpsc::channel();
        scope.spawn(move || {
            wait.recv().unwrap();
            other.cancel();
        });
        run.to_end(&cancellation, &mut |cycles| {
            told.push(cycles);
            let _ = begun.send(());
        })
    });
    assert_eq!(end, End::Interrupted);
    assert!(told.is_sorted() && told.last() == Some(&run.cycles()));
    let outcome = run.finish(end);
    assert_eq!(outcome.stopped().unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn steps_and_one_go_give_the_same() {
    let twelve = include_str!("../../examples/twelve.s");
    let whole = run(twelve, &Setup::default());
    let program = program(twelve);
    let mut run = program.start(&Environment::new(), &Setup::default()).unwrap();
    let end = loop {
        if let Some(end) = run.advance(run.cycles() + 1, None) {
            break end;
        }
    };
    let steps = run.finish(end);
    assert_eq!((&whole.end, &whole.stats), (&steps.end, &steps.stats));
    assert_eq!(whole.state(), steps.state());
}

#[test]
fn errors_have_kinds() {
    let environment = Environment::new();
    let wrong = Program::from_source(&environment, &Core::CP2, "t.s", ".kernel k\n wrong\n");
    let Err(ProgramError::Refused(refusal)) = wrong else { panic!("it assembles") };
    assert_eq!(refusal.errors(), 1);
    let empty = Program::from_source(&environment, &Core::CP2, "t.s", "").unwrap_err();
    assert!(matches!(&empty, ProgramError::Empty { name } if name == "t.s"));
    assert_eq!(Error::from(empty).kind(), ErrorKind::Input);
    let bytes = ("t.s", vec![b'a', 0xff], Form::Source);
    let text = Program::from_bytes(&environment, &Core::CP2, bytes, &mut |_, _| Err(String::new()));
    assert!(matches!(text, Err(ProgramError::NotText { byte: 1, .. })));
    let entry = program(".kernel k\n stopi 0\n").entry(Some("nowhere")).unwrap_err();
    assert_eq!(entry.kernels, ["k"]);
    let limit = run(ENDLESS, &Setup { max_cycles: 100, ..Setup::default() });
    assert_eq!(limit.stopped().unwrap_err().kind(), ErrorKind::Limit);
    let fault = run(".kernel k\n nop\n", &Setup::default()).stopped().unwrap_err();
    assert_eq!(fault.kind(), ErrorKind::Guest);
    let digits = "0000000000000000\n";
    let hex = Program::from_hex(&Core::CP2, "t.hex", digits).unwrap();
    let checked = Setup { is_checked: true, ..Setup::default() };
    let unchecked = hex.run(&environment, &checked).unwrap_err();
    assert!(matches!(unchecked, Error::NoPromises) && unchecked.kind() == ErrorKind::Usage);
    let lacking = program(include_str!("../../examples/matvec/matvec.s"))
        .run(&environment, &Setup::default())
        .unwrap_err();
    assert_eq!(lacking.kind(), ErrorKind::Input);
    let array = Array::from_floats(vec![1], &[1.0]);
    assert!(Setup::default().load("x:sideways", array).is_err());
    let codes: Vec<u8> = ErrorKind::ALL.map(ErrorKind::exit_code).into();
    assert_eq!(codes, [1, 2, 3, 4, 5, 130, 70]);
}

const MATVEC: &str = include_str!("../../examples/matvec/matvec.s");

/// Returns a setup with a matrix and a vector to multiply, on CP2 alone or on a machine.
fn with_arrays(machine: Option<&str>) -> Setup {
    let environment = Environment::new();
    let setup = match machine {
        Some(name) => Setup::on(environment.machine(name).unwrap()),
        None => Setup::default(),
    };
    let matrix: Vec<f32> = (0..16 * 32).map(|k| (k % 7) as f32).collect();
    let matrix = Array::from_floats(vec![16, 32], &matrix);
    let x = Array::from_floats(vec![32], &[1.5; 32]);
    setup.load("a", matrix).unwrap().load("x", x).unwrap().store("y").unwrap()
}

#[test]
fn a_run_goes_on_from_a_checkpoint_of_any_cycle() {
    let program = program(MATVEC);
    let environment = Environment::new();
    for machine in [None, Some("vm7")] {
        let setup = with_arrays(machine);
        let whole = program.run(&environment, &setup).unwrap();
        let all = whole.stats.cycles;
        for cycle in [1, 2, 3, all / 3, all / 2, all - 1] {
            let mut run = program.start(&environment, &setup).unwrap();
            run.advance(cycle, None);
            let checkpoint = program.checkpoint(&setup, &mut run).unwrap();
            let mut run = program.resume(&environment, &setup, &checkpoint).unwrap();
            assert_eq!(run.cycles(), cycle);
            let end = run.to_end(&Cancellation::default(), &mut |_| {});
            let outcome = run.finish(end);
            assert_eq!(outcome.stats, whole.stats, "{machine:?}, from {cycle}");
            assert_eq!(outcome.state(), whole.state(), "{machine:?}, from {cycle}");
            assert_eq!(outcome.arrays().unwrap(), whole.arrays().unwrap());
        }
    }
}

#[test]
fn a_checkpoint_is_of_its_own_run_and_of_a_plain_one() {
    let program = program(MATVEC);
    let environment = Environment::new();
    let setup = with_arrays(None);
    let mut run = program.start(&environment, &setup).unwrap();
    run.advance(10, None);
    let checkpoint = program.checkpoint(&setup, &mut run).unwrap();
    let refused = |result: Result<Run<'_>, Error>| {
        let error = result.expect_err("it is refused");
        (error.kind(), error.to_string())
    };
    let (kind, told) =
        refused(program.resume(&environment, &with_arrays(Some("vm7")), &checkpoint));
    assert_eq!(kind, ErrorKind::Input);
    assert!(told.starts_with("this checkpoint is of another machine"), "{told}");
    let other = self::program(".kernel k\n nop\n stopi 0\n");
    let (_, told) = refused(other.resume(&environment, &Setup::default(), &checkpoint));
    assert!(told.contains("started at 0 and not"), "{told}");
    let half = &checkpoint[..checkpoint.len() / 2];
    let (kind, told) = refused(program.resume(&environment, &setup, half));
    assert_eq!(kind, ErrorKind::Input);
    assert!(told.starts_with("this checkpoint is damaged"), "{told}");
    let checked = Setup { is_checked: true, ..setup };
    let (kind, told) = refused(program.resume(&environment, &checked, &checkpoint));
    assert_eq!(kind, ErrorKind::Usage);
    assert!(told.contains("without these"), "{told}");
}

#[test]
fn a_checked_run_takes_what_an_earlier_one_left_as_written() {
    let first = program(
        ".kernel k
 lwi f4, 100
 seti a0, 16
 nop
 nop
 nop
 nop
 swo f4, (r0)
 nop
 nop
 stopi 0
 .lmem all
 .org 100
 .complex 0.5, 0.25",
    );
    let environment = Environment::new();
    let earlier = first.run(&environment, &Setup::default()).unwrap();
    let second = program(
        ".kernel k
 seti a0, 16
 nop
 nop
 psadd f5, f4, f4
 lwo f6, (r0)
 nop
 nop
 nop
 nop
 nop
 nop
 swo f6, (r0)+1
 swo f5, (r0)+1
 nop
 nop
 stopi 0",
    );
    let checked = Setup { is_checked: true, ..Setup::default() };
    let findings = |setup: &Setup| {
        let outcome = second.run(&environment, setup).unwrap();
        outcome.checked.unwrap().findings
    };
    assert!(!findings(&checked).is_empty(), "nothing has written f4 and word 16");
    let carried = Some(Box::new(earlier.machine.cp2.state.clone()));
    let told = findings(&Setup { carried, ..checked });
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn a_checked_run_comes_to_its_end_where_the_check_leaps() {
    let text = "
 .kernel double
 .arg    n, g1, min=1
 .array  x, inout, float32, 4*n, layout=blocks, pack=both
 seti    a0, x
 .linear
 .loop   g1, min=1
 lwo     %x, (r0)
 psadd   %x, %x, %x
 swo     %x, (r0)+1
 .endloop
 .endlinear
 stopi   0
 .lmem   all
x: .zero 1024";
    let program = program(text);
    let run = |is_checked| {
        let x = Array::from_floats(vec![4096], &[1.5; 4096]);
        let setup = Setup { is_checked, ..Setup::default() };
        let setup = setup.load("x", x).unwrap().store("x").unwrap();
        let outcome = program.run(&Environment::new(), &setup).unwrap();
        assert_eq!(outcome.stopped().unwrap(), 0, "checked: {is_checked}");
        assert!(outcome.checked.as_ref().is_none_or(|checked| checked.is_clean()));
        (outcome.stats.cycles, outcome.array("x").unwrap())
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn an_array_has_as_many_elements_as_its_shape() {
    let program = program(MATVEC);
    let environment = Environment::new();
    for (count, told) in [
        (
            31,
            "the array has 31 elements, and its shape (32,) has 32; give as many as the shape has",
        ),
        (
            33,
            "the array has 33 elements, and its shape (32,) has 32; give as many as the shape has",
        ),
    ] {
        let matrix = Array::from_floats(vec![16, 32], &[1.0; 512]);
        let x = Array::from_floats(vec![32], &[1.5; 33][..count]);
        let setup = Setup::default().load("a", matrix).unwrap().load("x", x).unwrap();
        let error = program.run(&environment, &setup).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.to_string().ends_with(told), "{error}");
    }
}
