//! Kernels that stop or are refused a bundle, with results under way: everything is then as on the reference engine.

use cp2_emu::cp2::{Fault, FaultKind};
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Difference, Engine, Goal, Machine, MachineConfig, Pause, ReferenceEngine};
use cp2_isa::{Arith, Bundle, BundleAddress, BundleBits, Exch, Inst, encode};
use cp2_portable::Portable;

const INNERMOST: i32 = 40;

fn exchange(op: Exch, values: &[i32]) -> BundleBits {
    encode(&Bundle { exch: Inst::new(op, values), ..Bundle::NOP })
}

/// Returns a program: inexact products, one in every bundle, a `sync` among them, and then the bundles of its end.
fn program(end: &[BundleBits]) -> Vec<BundleBits> {
    let product = |k: i32, exch| {
        let arith = Inst::new(Arith::Psmul, &[8 + k % 16, 1 + k % 3, 4 + k % 4]);
        encode(&Bundle { cc: 0, arith, exch })
    };
    let nop = Inst::new(Exch::Nop, &[]);
    let mut words: Vec<_> = (0..20).map(|k| product(k, nop)).collect();
    words.push(exchange(Exch::Sync, &[]));
    words.extend((20..29).map(|k| product(k, nop)));
    words.push(product(29, Inst::new(Exch::Seti, &[5, 77])));
    words.extend(end);
    words
}

fn machine(words: &[BundleBits], at: usize) -> Machine {
    let mut machine = Machine::new(&MachineConfig::preset("vm7").expect("a preset"));
    machine.cp2 = Cp2::default();
    machine.cp2.keep_profile();
    let state = &mut machine.cp2.state;
    state.iram[at..at + words.len()].copy_from_slice(words);
    for (k, quad) in state.fpr.iter_mut().enumerate() {
        *quad = [0x3f80_0101_3f80_0033 + 0x0000_1111_0000_0707 * k as u64; 4];
    }
    (state.fcsr, state.status) = ([4; 4], 1 << 16);
    machine.start_kernel(BundleAddress::from_index(at));
    machine
}

/// Runs a machine to its end in pieces of so many cycles on both engines, and compares after each.
fn run(mut expected: Machine, piece: u64) -> Result<u64, Fault> {
    let (mut found, mut engine) = (expected.clone(), Portable::default());
    loop {
        let goal = Goal::cycle(expected.cycle() + piece);
        let result = ReferenceEngine.advance(&mut expected, goal, &mut NoObserver);
        assert_eq!(engine.advance(&mut found, goal, &mut NoObserver), result);
        assert_eq!(Difference::first(&expected.cp2.state, &found.cp2.state), None, "{result:?}");
        assert_eq!(found.cp2.flight(), expected.cp2.flight(), "{result:?}");
        assert_eq!(found.cp2.stats(), expected.cp2.stats(), "{result:?}");
        assert_eq!(found.cp2.status(), expected.cp2.status(), "{result:?}");
        assert_eq!(found.cp2.profile(), expected.cp2.profile(), "{result:?}");
        assert_eq!(found.dma.stats(), expected.dma.stats(), "{result:?}");
        match result {
            Err(fault) => return Err(fault),
            Ok(Pause::Kernel) => return Ok(found.cp2.state.stopcode),
            Ok(_) => {}
        }
    }
}

fn end(words: &[BundleBits], at: usize) -> Result<u64, FaultKind> {
    let [whole, ..] = [1000, 7, 10].map(|piece| run(machine(words, at), piece));
    whole.map_err(|fault| fault.kind)
}

#[test]
fn a_kernel_stops_with_its_code_which_it_reads_behind() {
    assert_eq!(end(&program(&[exchange(Exch::Stopi, &[3])]), 0), Ok(3));
    let behind: Vec<_> = (0..4)
        .map(|k| {
            let mut words = vec![encode(&Bundle::NOP); k];
            words.push(exchange(Exch::Stop, &[5]));
            end(&program(&words), 0)
        })
        .collect();
    assert_eq!((behind.first(), behind.last()), (Some(&Ok(0)), Some(&Ok(77))));
}

#[test]
fn a_bundle_that_is_refused_is_the_same_fault() {
    let nop = encode(&Bundle::NOP);
    let here = program(&[]).len() as i32;
    let jump = exchange(Exch::Jumpi, &[0]);
    let ends = [
        vec![u128::from(u64::MAX) as BundleBits],
        vec![exchange(Exch::Runi, &[0])],
        vec![jump, exchange(Exch::Runi, &[0])],
        vec![jump, exchange(Exch::Stopi, &[3])],
        vec![exchange(Exch::Doi, &[3, 2])],
        vec![exchange(Exch::Doi, &[3, here + 2]), nop, exchange(Exch::Stopi, &[1])],
        vec![
            exchange(Exch::Doi, &[3, here + INNERMOST]),
            exchange(Exch::Doi, &[3, here + INNERMOST]),
        ],
        vec![exchange(Exch::Seti, &[6, 20_000]), nop, nop, exchange(Exch::Jump, &[6])],
    ];
    for (k, last) in ends.iter().enumerate() {
        let found = end(&program(last), 0);
        assert!(found.is_err(), "{k}: {found:?}");
    }
    let words = program(&[]);
    let at = 8192 - words.len();
    assert!(matches!(end(&words, at), Err(FaultKind::RanPastEnd(_))));
}
