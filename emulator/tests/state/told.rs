//! What observers and hosts are told and do: the cycles in which results are written, loops that are refused, words that a
//! host writes.

use crate::kit::{assembled, exchange};
use cp2_emu::cp2::FaultKind;
use cp2_emu::machine::Action;
use cp2_emu::trace::{Destination, Event, Observer, PastCycle, Wants};
use cp2_emu::{Cp2, End, Engine, Machine, ReferenceEngine};
use cp2_isa::{
    BundleAddress, Core, CoreNumbers, Cycle, Exch, Halves, Resource, SECTIONS, WordAddress,
};
use std::ops::ControlFlow;

/// Program that writes FPRs from every unit that does, one by one.
const UNITS: &str = "\
        .kernel units
        | seti g1, 77
        | seti a0, 100
        | nop
        | nop
        | mtfpr f1, g1, s0
        | mtfpr f2, i2, s3
        psadd f3, f40, f41 | ldo f4, (r0)+2
        cmul f6, f40, f41 | lwo f7, (r0)+1
        | psprmsgn f8, f40, 3, 2, 1, 0
        | lwi f10, 200
        cadd f11, f40, f41
        c.lt.w cc1, f40, f41
        mfc f12, fcsr | mtfpr f13, g1, s2
        | stopi 0
";

/// Value of an FPR that is to be seen from a cycle on: the register, the halves and the sections.
type Told = (Cycle, u8, Halves, u8, [u64; SECTIONS]);

/// Observer that keeps what it is told of FPRs, and every cycle's FPRs.
#[derive(Default)]
struct Kept {
    issued: Vec<Event>,
    told: Vec<Told>,
    cycles: Vec<(Cycle, Box<[[u64; SECTIONS]]>)>,
}

impl Observer for Kept {
    fn wants(&self) -> Wants {
        Wants::OPERATIONS | Wants::CYCLES
    }

    fn operation(&mut self, event: &Event) {
        self.issued.push(event.clone());
    }

    fn cycle(&mut self, past: &PastCycle<'_>) -> ControlFlow<()> {
        for event in self.issued.drain(..) {
            let event = event.since_reset(past.number);
            for written in event.written.iter().flatten() {
                if let Destination::Register(Resource::Fpr(register, halves)) = written.destination
                {
                    let cycle = event.write_cycle.expect("a result is written in a cycle");
                    self.told.push((cycle, register, halves, event.enabled, written.value));
                }
            }
        }
        self.cycles.push((past.number, past.state.fpr.clone()));
        ControlFlow::Continue(())
    }
}

/// Returns the latencies of a core, and the core.
fn core_of([arithmetic, load, permute, to_fpr]: [u32; 4]) -> Core {
    let numbers = CoreNumbers {
        arithmetic_latency: arithmetic,
        load_latency: load,
        psprmsgn_latency: permute,
        mtfpr_latency: to_fpr,
        ..*Core::CP2.numbers()
    };
    Core::new(numbers).expect("a core")
}

/// An FPR has a result from the told cycle on, and until then what it had.
#[test]
fn results_are_written_in_the_cycles_that_observers_are_told() {
    for latencies in [[6, 3, 2, 3], [5, 4, 1, 2], [7, 2, 3, 5], [4, 4, 4, 4]] {
        let core = core_of(latencies);
        let mut cp2 = Cp2::new(core);
        cp2.state.iram[..].fill(0);
        let words = assembled(UNITS);
        cp2.state.iram[..words.len()].copy_from_slice(&words);
        let word = |k: usize| 0x3f80_0000_3f80_0000 + (k as u64 * 0x0123_0000_0457);
        for (k, quad) in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()).enumerate() {
            *quad = std::array::from_fn(|s| word(4 * k + s));
        }
        let mut machine = Machine::alone(cp2);
        let mut kept = Kept::default();
        let run = ReferenceEngine.run_kernel(&mut machine, BundleAddress(0), 1000, &mut kept);
        assert_eq!(run.end, End::Stopped(0));
        for _ in 0..20 {
            assert_eq!(machine.step(&mut kept), Ok(()));
        }
        assert_eq!(kept.told.len(), 13, "one result of every register");
        for &(written, register, halves, enabled, value) in &kept.told {
            let begin = kept.cycles[0].0;
            for (cycle, fprs) in &kept.cycles {
                let now = fprs[usize::from(register)];
                for s in (0..SECTIONS).filter(|s| enabled >> s & 1 == 1) {
                    let is_there = (now[s] ^ value[s]) & halves.mask() == 0;
                    assert_eq!(
                        is_there,
                        *cycle >= written,
                        "f{register} in section {s} in cycle {cycle}, told {written}, from {begin}, {latencies:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_loop_that_does_not_end_before_the_one_around_it_is_refused() {
    // A `do` at 2 with its `end` at 8, and one inside it at 4.
    for (end, is_nested) in [(5, true), (7, true), (8, false), (9, false), (100, false)] {
        let mut cp2 = Cp2::default();
        let program = [
            exchange(Exch::Seti, &[1, 3]),
            0,
            exchange(Exch::Do, &[1, 8]),
            0,
            exchange(Exch::Do, &[1, end]),
        ];
        cp2.state.iram[..program.len()].copy_from_slice(&program);
        cp2.state.iram[14] = exchange(Exch::Stopi, &[4]);
        let run = cp2.run_untraced(BundleAddress(0), 1000);
        if is_nested {
            assert_eq!(run.end, End::Stopped(4), "{end}");
            continue;
        }
        let End::Fault(fault) = run.end else { panic!("{end}: {:?}", run.end) };
        let kind = FaultKind::LoopNotNested(BundleAddress(end as u16), BundleAddress(8));
        assert_eq!((fault.kind, fault.address), (kind, Some(BundleAddress(4))));
        assert_eq!(cp2.state.loops.len(), 1, "the loop has not begun");
    }
}

#[test]
fn words_that_a_host_writes_are_in_the_section_that_it_names_or_in_all() {
    let words: Box<[u64]> = [3, 4].into();
    for named in [None, Some(0), Some(1), Some(2), Some(3)] {
        let mut machine = Machine::alone(Cp2::default());
        machine.cp2.state.lmem.fill([9; SECTIONS]);
        machine
            .act(Action::WriteWords(WordAddress(8190), named, words.clone()))
            .expect("words of local memory");
        let lmem = &machine.cp2.state.lmem;
        for (k, word) in words.iter().enumerate() {
            let is_named = |s: usize| named.is_none_or(|named| usize::from(named) == s);
            let expected: [u64; SECTIONS] =
                std::array::from_fn(|s| if is_named(s) { *word } else { 9 });
            assert_eq!(lmem[8190 + k], expected, "{named:?}");
        }
        assert!(lmem[..8190].iter().all(|quad| *quad == [9; SECTIONS]), "{named:?}");
    }
}
