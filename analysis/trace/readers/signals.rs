//! VCD and FST read back with `wellen`, the reader of the Surfer viewer: every register in every cycle has the value
//! that the machine had, at the time that the clock says.

use cp2_emu::dma::{Descriptor, DmaRegister, LocalStride, LocalWalk, MemoryWalk, Pattern, ctrl};
use cp2_emu::trace::{Observer, PastCycle, Wants};
use cp2_emu::{Engine as _, Machine, MachineConfig, ReferenceEngine, State};
use cp2_ir::sites::BundleNames;
use cp2_isa::{
    Bank, Banks, BundleAddress, Core, Cycle, MemoryAddress, Section, SectionMask, Storage,
    StorageCell, WordAddress,
};
use cp2_recording::Follower as _;
use cp2_session::load;
use cp2_trace::{Clock, Content, Selection, TraceFormat, TraceSetup, Tracer, exporter};
use std::io::Cursor;
use std::ops::{ControlFlow, Range};
use wellen::simple::{Waveform, read_from_reader};

const AXPY: &str = include_str!("../../../examples/axpy.s");
const WINDOW: Range<u64> = 50..2600;
/// Frequency of the clock in MHz: a cycle takes 1428571.4 fs.
const MHZ: u32 = 700;

/// Returns a machine with a kernel that runs while the channel fills another part of local memory, and the entry of the
/// kernel.
fn machine() -> (Machine, BundleAddress) {
    let mut config = MachineConfig::preset("vm7").expect("a machine");
    config.apply_set("cpu.clock_mhz=700").expect("a clock");
    let (cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "axpy.s", AXPY)
            .expect("a program");
    let mut machine = Machine::new(&config);
    machine.cp2 = cp2;
    for (k, quad) in machine.cp2.state.lmem.iter_mut().enumerate() {
        *quad = [0x3f80_0000 + k as u64; 4];
    }
    let words: Vec<u64> = (0..512).map(|k| k * 0x0101_0101).collect();
    machine.memory.write_words(MemoryAddress(0x1000), &words).expect("memory");
    let memory = MemoryWalk { base: MemoryAddress(0x1000), burst: 16, ..MemoryWalk::default() };
    let local = LocalWalk {
        base: WordAddress(6000),
        x: LocalStride { step: 2, count: 16, reversed: false },
        ..LocalWalk::default()
    };
    let descriptor = Descriptor::get(memory, local, Pattern::only(2)).stopping();
    let words = descriptor.encode().expect("fields that fit");
    machine.memory.write_words(MemoryAddress(0x10_0000), &words).expect("memory");
    machine.write_register(DmaRegister::Baseaddr, 0x10_0000).expect("a register");
    machine.write_register(DmaRegister::Ctrl, ctrl::START).expect("a register");
    machine.start_kernel(entry);
    (machine, entry)
}

/// Keeps the state behind every cycle.
#[derive(Default)]
struct States(Vec<(Cycle, State, Banks)>);

impl Observer for States {
    fn wants(&self) -> Wants {
        Wants::CYCLES
    }

    fn cycle(&mut self, cycle: &PastCycle<'_>) -> ControlFlow<()> {
        self.0.push((cycle.number, cycle.state.clone(), cycle.banks));
        ControlFlow::Continue(())
    }
}

fn trace(format: TraceFormat, selection: &Selection) -> Vec<u8> {
    let (mut machine, _) = machine();
    let image = Default::default();
    let places = || BundleNames::new(&image, &Core::CP2);
    let clock = Clock::of_mhz(MHZ);
    let setup = TraceSetup {
        format,
        content: Content::Everything,
        values: false,
        selection,
        clock,
        limit: u64::MAX,
    };
    let out: Cursor<Vec<u8>> = Cursor::default();
    let exporter = exporter(&setup, &places().into(), &Core::CP2, out).expect("memory");
    let end = Cycle(WINDOW.end);
    let mut tracer = Tracer::new(exporter, places(), selection.clone(), end);
    let mut nobody = cp2_emu::trace::NoObserver;
    while machine.cycle() < Cycle(WINDOW.start) {
        ReferenceEngine
            .advance(&mut machine, cp2_emu::Goal::cycle(Cycle(WINDOW.start)), &mut nobody)
            .expect("a kernel");
    }
    machine.dma.keep_log();
    tracer.begin(&machine);
    while machine.cycle() < end {
        let next = cp2_emu::Goal::cycle(machine.cycle() + 1);
        ReferenceEngine.advance(&mut machine, next, tracer.observer()).expect("a kernel");
        let _ = tracer.cycle(&mut machine);
    }
    tracer.end(&mut machine);
    tracer.finish().expect("memory").0.into_inner()
}

/// Returns the value of a signal in every cycle of the window, as a binary number.
fn values(wave: &mut Waveform, path: &[&str], name: &str) -> Vec<u64> {
    let var = wave.hierarchy().lookup_var(path, name);
    let var = var.unwrap_or_else(|| panic!("no signal {path:?} {name}"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let changes: Vec<(u64, u64)> = wave
        .get_signal(signal)
        .expect("a signal")
        .iter_changes()
        .filter_map(|(at, value)| {
            // Before the window nothing is known.
            let bits = value.to_bit_string().filter(|bits| !bits.contains('x'))?;
            let value = u64::from_str_radix(&bits, 2).expect("a binary number");
            Some((times[at as usize], value))
        })
        .collect();
    let clock = Clock::of_mhz(MHZ);
    let value = |cycle: u64| {
        let before = changes.partition_point(|&(time, _)| time <= clock.time(Cycle(cycle)));
        changes[before.checked_sub(1).unwrap_or_else(|| panic!("{name} in {cycle}"))].1
    };
    WINDOW.map(value).collect()
}

/// Returns the states at the begin of every cycle of the window, and the banks that CP2 accessed in it.
fn expected() -> Vec<(State, Banks)> {
    let (mut machine, _) = machine();
    let mut states = States::default();
    let end = Cycle(WINDOW.end);
    while machine.cycle() < end {
        ReferenceEngine
            .advance(&mut machine, cp2_emu::Goal::cycle(end), &mut states)
            .expect("a kernel");
    }
    let behind =
        |cycle: u64| states.0.iter().find(|(number, ..)| number.0 == cycle).expect("a cycle");
    WINDOW.map(|cycle| (behind(cycle - 1).1.clone(), behind(cycle).2)).collect()
}

fn read(format: TraceFormat, selection: &Selection) -> Waveform {
    let bytes = trace(format, selection);
    read_from_reader(Cursor::new(bytes)).unwrap_or_else(|e| panic!("{}: {e}", format.name()))
}

#[test]
fn every_register_has_its_value_in_every_cycle() {
    let expected = expected();
    for format in [TraceFormat::Vcd, TraceFormat::Fst] {
        let mut wave = read(format, &Selection::default());
        assert_eq!(wave.hierarchy().timescale().map(|t| t.unit.to_exponent()), Some(Some(-15)));
        let mut compare = |path: &[&str], name: &str, place: StorageCell| {
            let found = values(&mut wave, path, name);
            let right = expected.iter().map(|(state, _)| state.get(place).expect("a register"));
            assert!(found.iter().copied().eq(right), "{}: {path:?} {name}", format.name());
        };
        for section in SectionMask::ALL.iter() {
            let scope = format!("section{section}");
            for number in 0..Core::CP2.fprs() {
                let place = StorageCell { storage: Storage::Fpr, number, section };
                compare(&["cp2", &scope, "fpr"], &format!("f{number}"), place);
            }
            let place = StorageCell { storage: Storage::Fcsr, number: 0, section };
            compare(&["cp2", &scope, "flags"], "fcsr", place);
        }
        for (storage, scope) in [
            (Storage::Gpr, "gpr"),
            (Storage::A, "addresses"),
            (Storage::N, "addresses"),
            (Storage::M, "addresses"),
        ] {
            for number in 0..16 {
                let place = StorageCell { storage, number, section: Section::FIRST };
                let name = format!("{}{number}", storage.info().name);
                compare(&["cp2", scope], &name, place);
            }
        }
    }
}

#[test]
fn banks_and_channel_are_shown() {
    let expected = expected();
    for format in [TraceFormat::Vcd, TraceFormat::Fst] {
        let mut wave = read(format, &Selection::default());
        for bank in 0..2_u8 {
            let found = values(&mut wave, &["cp2", "banks"], &format!("bank{bank}"));
            let by_cp2: Vec<bool> = found.iter().map(|&user| user == 1).collect();
            let right: Vec<bool> = expected.iter().map(|(_, b)| b.contains(Bank(bank))).collect();
            assert!(by_cp2 == right, "{}: bank {bank}", format.name());
            let beats = found.iter().filter(|&&user| user == 2).count();
            assert_eq!(beats, if bank == 1 { 16 } else { 0 }, "{}", format.name());
        }
        let bytes = values(&mut wave, &["cp2", "dma"], "bytes");
        assert_eq!(bytes.iter().sum::<u64>(), 256, "{}", format.name());
        let sections = values(&mut wave, &["cp2", "dma"], "sections");
        assert!(bytes.iter().zip(sections).all(|(&b, s)| s == if b > 0 { 4 } else { 0 }));
    }
}

#[test]
fn scopes_are_those_that_were_chosen() {
    let mut selection = Selection::default();
    selection.add_registers("f3,g2,[6000..6002]", &Core::CP2).expect("registers");
    selection.set_sections("2").expect("a section");
    for format in [TraceFormat::Vcd, TraceFormat::Fst] {
        let mut wave = read(format, &selection);
        let names: Vec<String> = wave
            .hierarchy()
            .iter_vars()
            .map(|var| var.full_name(wave.hierarchy()))
            .filter(|name| {
                !["issue", "banks", "dma", "host"].iter().any(|scope| name.contains(scope))
            })
            .collect();
        let right = [
            "cp2.gpr.g2",
            "cp2.section2.fpr.f3",
            "cp2.section2.lmem.w6000",
            "cp2.section2.lmem.w6001",
        ];
        assert_eq!(names, right, "{}", format.name());
        // The word that the channel fills.
        let word = values(&mut wave, &["cp2", "section2", "lmem"], "w6001");
        assert_eq!((word[0], word.last()), (0x3f80_0000 + 6001, Some(&0x0101_0101)));
    }
}
