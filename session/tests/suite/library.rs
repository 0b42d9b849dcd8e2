//! Small parts of the library by worked cases: programs and their entries, setups, errors, arrays of files, sparse
//! matrices, and the accounts of procedures.

use cp2_emu::MachineConfig;
use cp2_isa::{BundleAddress, Core, Cycle, Section, Storage, StorageCell};
use cp2_recording::{Header, Recorder, Recording, RecordingInMemory};
use cp2_session::arrays::ArrayOptions;
use cp2_session::cost::passes::{DataPass, Ledger, PassBytes};
use cp2_session::cost::share_text;
use cp2_session::cost::timeline::KernelCounts;
use cp2_session::npy::Array;
use cp2_session::schedule::compare;
use cp2_session::sparse::Csr;
use cp2_session::workload::Bound;
use cp2_session::{Engine, Environment, ErrorKind, Form, Program, Setup};
use std::io::Cursor;

const TWO_KERNELS: &str = ".kernel one\n nop\n stopi 0\n.kernel two\n nop\nlater: stopi 0\n";

fn program(text: &str) -> Program {
    Program::from_source(&Environment::new(), &Core::CP2, "t.s", text).unwrap()
}

#[test]
fn an_entry_is_a_kernel_a_label_or_a_bundle_of_instruction_memory() {
    let program = program(TWO_KERNELS);
    assert_eq!(program.form(), Some(Form::Source));
    let bundles = Core::CP2.iram_bundles();
    let last = (bundles - 1).to_string();
    let cases = [(None, 0), (Some("one"), 0), (Some("two"), 2), (Some("later"), 3), (Some("1"), 1)];
    for (place, address) in cases {
        assert_eq!(program.entry(place), Ok(BundleAddress(address)), "{place:?}");
    }
    assert_eq!(program.entry(Some(&last)).map(BundleAddress::index), Ok(bundles - 1));
    for place in ["three", "-1", &bundles.to_string()] {
        let error = program.entry(Some(place)).unwrap_err();
        assert_eq!((error.place.as_str(), error.bundles), (place, bundles));
        assert_eq!(error.kernels, ["one", "two"]);
    }
}

#[test]
fn a_setup_on_a_machine_has_its_core() {
    let mut machine = MachineConfig::preset("vm9").unwrap();
    machine.apply_set("core.local_memory_words=16384").unwrap();
    let setup = Setup::on(machine.clone());
    assert_eq!(setup.machine.as_ref().map(MachineConfig::dump), Some(machine.dump()));
    assert_eq!((setup.core(), setup.core), (machine.core(), *machine.core()));
    assert_eq!(Setup::default().core(), &Core::CP2);
}

/// Names and exit codes are what scripts rely on.
#[test]
fn kinds_of_errors_have_their_names_and_exit_codes() {
    let all = ErrorKind::ALL.map(|kind| (kind.name(), kind.exit_code()));
    let expected = [
        ("check", 1),
        ("usage", 2),
        ("input", 3),
        ("guest", 4),
        ("limit", 5),
        ("cancelled", 130),
        ("internal", 70),
    ];
    assert_eq!(all, expected);
}

#[test]
fn any_argument_or_array_is_something() {
    let text = |text: &str| vec![text.to_owned()];
    let none = Vec::new();
    for (loads, stores, arguments) in [
        (text("x=x.npy"), none.clone(), none.clone()),
        (none.clone(), text("y=y.npy"), none.clone()),
        (none.clone(), none.clone(), text("n=3")),
    ] {
        assert!(!ArrayOptions::read(&loads, &stores, &arguments).unwrap().is_nothing());
    }
    assert!(ArrayOptions::default().is_nothing());
}

/// Returns the file of an array of bytes with these axes, the first of them contiguous.
fn fortran(shape: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '|u1', 'fortran_order': True, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\0".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes().chain(bytes.iter().copied()));
    file
}

#[test]
fn three_axes_of_fortran_are_put_into_the_order_of_c() {
    let bytes: Vec<u8> = (0..24).collect();
    let array = Array::read(&fortran("(2, 3, 4)", &bytes)).unwrap();
    assert_eq!(array.shape_text(), "(2, 3, 4)");
    for (at, (a, b, c)) in (0..24).map(|at| (at, (at / 12, at / 4 % 3, at % 4))) {
        assert_eq!(array.bits(at), (a + 2 * b + 6 * c) as u128, "({a}, {b}, {c})");
    }
    let cut = Array::read(&fortran("(2, 3, 4)", &bytes[1..])).unwrap_err().to_string();
    assert!(cut.contains("23") && cut.contains("24"), "{cut}");
}

#[test]
fn blocks_of_columns_begin_at_multiples_of_width_and_step() {
    let entries: Vec<_> = (0..11).map(|column| (column % 2, column, column as f32)).collect();
    let matrix = Csr::from_entries(2, 11, &entries).unwrap();
    let blocks: Vec<_> = matrix.blocks_of_columns(2, 3).collect();
    let columns: Vec<_> = blocks.iter().map(|(columns, _)| columns.clone()).collect();
    assert_eq!(columns, [0..2, 6..8]);
    for (columns, block) in blocks {
        let values: Vec<_> = block.values().collect();
        assert_eq!(values, columns.map(|column| column as f32).collect::<Vec<_>>());
    }
    let last = matrix.blocks_of_columns(4, 1).last().unwrap().0;
    assert_eq!(last, 8..11);
}

/// A row of one entry takes at most nine roundings of half a unit in the last place.
#[test]
fn a_deviation_is_counted_in_what_rounding_allows() {
    let matrix = Csr::from_entries(1, 1, &[(0, 0, 1.0)]).unwrap();
    let off = |units: f32| matrix.deviation(&[1.0], &[1.0 + units * f32::EPSILON]);
    assert!((off(1.0) - 2.0 / 9.0).abs() < 1e-6, "{}", off(1.0));
    assert!((off(9.0) - 2.0).abs() < 1e-6, "{}", off(9.0));
}

#[test]
fn a_share_of_no_bound_is_none() {
    assert_eq!(share_text(7.0, 8.0), "87.5 %");
    assert_eq!(share_text(7.0, 0.0), "no operations");
}

#[test]
fn a_bound_keeps_what_was_published() {
    let bound = Bound::new("word", 2.0, "exchange slots");
    let published = bound.with_published(Some(3), "[D] 3.2", "the same weights");
    assert_eq!((published.published, published.source), (Some(3), Some("[D] 3.2")));
    assert_eq!((published.cycles, published.sides), (Some(2.0), Some("the same weights")));
    assert_eq!(bound.with_published(None, "[D] 3.2", ""), bound);
}

/// Returns counts that differ from each other: `n` and four numbers behind it.
fn counts(n: u64) -> KernelCounts {
    KernelCounts { runs: n, cycles: n + 1, flops: n + 2, dma_checks: n + 3, slot_operations: n + 4 }
}

#[test]
fn counts_since_are_differences_and_a_part_begins_no_later_than_it_ends() {
    let grown =
        KernelCounts { runs: 1, cycles: 20, flops: 300, dma_checks: 4000, slot_operations: 50000 };
    let mut later = counts(5);
    later.add_all(&grown);
    assert_eq!(later.since(&counts(5)), grown);

    let mut ledger = Ledger::default();
    ledger.begin_part((Cycle(10), counts(5)));
    assert!(ledger.is_before((Cycle(10), &counts(5))) && ledger.is_before((Cycle(11), &later)));
    assert!(!ledger.is_before((Cycle(9), &later)));
    for fewer in [
        KernelCounts { runs: 4, ..later },
        KernelCounts { cycles: 5, ..later },
        KernelCounts { flops: 6, ..later },
        KernelCounts { dma_checks: 7, ..later },
        KernelCounts { slot_operations: 8, ..later },
    ] {
        assert!(!ledger.is_before((Cycle(11), &fewer)), "{fewer:?}");
    }
}

#[test]
fn passes_that_are_alike_each_time_are_added_up() {
    let pass = |times: u64, pages: u64, bytes: u64| DataPass {
        kernels: vec!["fft64".to_owned()],
        times,
        pages: times * pages,
        moved: PassBytes {
            prepare_bytes: times * bytes,
            load_bytes: 2 * times * bytes,
            store_bytes: 3 * times * bytes,
        },
        counts: counts(times),
        cycles: 100 * times,
    };
    let mut passes = Vec::new();
    for one in [pass(2, 6, 16), pass(3, 6, 16), pass(4, 9, 16), pass(6, 6, 32), pass(4, 3, 16)] {
        one.add_to(&mut passes);
    }
    let mut both = pass(5, 6, 16);
    both.counts = counts(2);
    both.counts.add_all(&counts(3));
    assert_eq!(passes, [both, pass(4, 9, 16), pass(6, 6, 32), pass(4, 3, 16)]);
}

#[test]
fn arguments_in_halves_of_an_fpr_leave_each_other_alone() {
    let text = ".kernel k\n.arg low, f3.lo\n.arg high, f3.hi\n nop\n stopi 0\n";
    let run = |low: f32, high: f32| {
        let setup = Setup::default().argument("low", low).argument("high", high);
        program(text).run(&Environment::new(), &setup).unwrap().machine.cp2.state
    };
    for (low, high) in [(-1.0_f32, 5.0_f32), (7.0, -2.0)] {
        let bits = u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
        let state = run(low, high);
        for section in Section::ALL {
            let cell = StorageCell { storage: Storage::Fpr, number: 3, section };
            assert_eq!(state.get(cell), Some(bits), "{section:?}");
        }
    }
}

#[test]
fn a_missing_size_names_the_array_that_would_tell_it() {
    let text = ".kernel k\n.arg n, g2\n.array x, in, float32, n, at=0\n.array y, in, float32, 4, at=100\n nop\n stopi 0\n";
    let y = Array::from_floats(vec![4], &[0.0; 4]);
    let setup = Setup::default().load("y", y).unwrap();
    let error = program(text).run(&Environment::new(), &setup).unwrap_err().to_string();
    assert!(error.contains("or load x, whose size gives it"), "{error}");
}

#[test]
fn a_default_counts_where_no_argument_is_given() {
    let program = program(".kernel k\n.arg n, g2, default=5\n nop\n stopi 0\n");
    let n = |setup: &Setup| {
        let outcome = program.run(&Environment::new(), setup).unwrap();
        let cell = StorageCell { storage: Storage::Gpr, number: 2, section: Section::FIRST };
        outcome.machine.cp2.state.get(cell)
    };
    assert_eq!(n(&Setup::default()), Some(5));
    assert_eq!(n(&Setup::default().argument("n", 7)), Some(7));
}

#[test]
fn a_region_that_takes_too_long_is_predicted_and_not_simulated() {
    let text = ".linear\n.scratch g14, g15\n.loop 40000\n.loop 40000\n psadd f2, f2, f1\n.endloop\n.endloop\n.endlinear\n stopi 0\n";
    let regions = cp2_asm::linear_regions("t.s", text).unwrap();
    let found = compare(&Core::CP2, &regions[0]).unwrap();
    assert!(found[0].predicted > 50_000_000, "{}", found[0].predicted);
    assert_eq!(found[0].simulated, Err("more than 50000000 cycles".to_owned()));
}

#[test]
fn a_program_comes_back_from_a_recording_that_keeps_one() {
    let environment = Environment::new();
    let recorded = |is_kept: bool| {
        let header = Header {
            cp2: "test".to_owned(),
            command: "test".to_owned(),
            machine: None,
            core: *Core::CP2.numbers(),
            inputs: Vec::new(),
        };
        let tape = RecordingInMemory::default();
        let recorder = Recorder::new(Box::new(tape.clone()), &header).unwrap();
        let program = program(TWO_KERNELS);
        if is_kept {
            let setup = Setup { recorder: Some(recorder.clone()), ..Setup::default() };
            program.run(&environment, &setup).unwrap();
        } else {
            // Whoever records an engine may keep no program.
            let mut machine = program.run(&environment, &Setup::default()).unwrap().machine;
            let mut engine = recorder.around(environment.engine(Engine::Reference));
            machine.start_kernel(BundleAddress(0));
            engine.advance_kernel(&mut machine, 100, &mut cp2_emu::trace::NoObserver);
            engine.release(&mut machine);
        }
        recorder.finish().unwrap();
        let bytes = tape.take();
        let mut recording =
            Recording::open(Cursor::new(bytes), environment.engine(Engine::Reference)).unwrap();
        Program::from_recording(&mut recording).unwrap()
    };
    let kept = recorded(true).unwrap();
    assert_eq!((kept.image().kernels.len(), kept.form()), (2, None));
    assert_eq!(kept.entry(Some("later")), Ok(BundleAddress(3)));
    assert!(recorded(false).is_none());
}
