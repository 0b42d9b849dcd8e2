//! COMM, the mailbox between host and kernel: random kernels that read and write it, and a host that does so too between
//! cycles, on every engine against a model of its own.

use cp2_emu::machine::{Action, Goal};
use cp2_emu::state::status;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Engine, Machine};
use cp2_fast::Translator;
use cp2_isa::{Bundle, BundleAddress, BundleBits, Cycle, Exch, Inst, MoveReg, RegFile, control};
use cp2_portable::Portable;
use cp2_tests::SplitMix64;

/// Cycles from the issue of a `move` of COMM to the first bundle that reads its bit of STATUS.
const DISTANCE: u64 = 2;
/// Bundles of a kernel, all of which issue in order, one in each cycle.
const BUNDLES: u64 = 24;
/// Number of general registers: each reads STATUS once.
const READINGS: u8 = 12;

/// An operation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Nop,
    /// `move` to COMM of general register 15.
    Write,
    /// `move` of COMM to general register 14.
    Read,
    /// `move` of STATUS to a general register.
    Status(u8),
}

impl Operation {
    fn word(self) -> BundleBits {
        let gpr = |number| MoveReg { file: RegFile::Gpr, number };
        let special = |number| MoveReg { file: RegFile::Control, number };
        let moved =
            |to: MoveReg, from: MoveReg| Inst::new(Exch::Move, &[to.packed(), from.packed()]);
        let exch = match self {
            Self::Nop => Bundle::NOP.exch,
            Self::Write => moved(special(control::COMM), gpr(15)),
            Self::Read => moved(gpr(14), special(control::COMM)),
            Self::Status(g) => moved(gpr(g), special(control::STATUS)),
        };
        cp2_isa::encode(&Bundle { exch, ..Bundle::NOP })
    }
}

/// A bit of STATUS, and every time that it was set or cleared: the cycle of the access of COMM, the first cycle in which the
/// bit shows it, the value. In the order of the accesses.
#[derive(Default)]
struct Flag(Vec<(u64, u64, bool)>);

impl Flag {
    fn access(&mut self, cycle: u64, distance: u64, value: bool) {
        self.0.push((cycle, cycle + distance, value));
    }

    /// Returns the value in a cycle: that of the latest access among those that can be seen.
    fn at(&self, cycle: u64) -> bool {
        self.0.iter().rev().find(|access| access.1 <= cycle).is_some_and(|access| access.2)
    }
}

/// A random history: what the kernel does in each cycle, and what the host does before it.
struct Script {
    kernel: Vec<Operation>,
    host: Vec<Option<Action>>,
}

impl Script {
    fn new(s: &mut SplitMix64) -> Self {
        let mut readings = 0..READINGS;
        let mut operation = |s: &mut SplitMix64| match s.below(8) {
            0 => Operation::Write,
            1 => Operation::Read,
            2..=5 => readings.next().map_or(Operation::Nop, Operation::Status),
            _ => Operation::Nop,
        };
        let kernel = (0..BUNDLES).map(|_| operation(s)).collect();
        let action = |s: &mut SplitMix64| match s.below(10) {
            0 => Some(Action::WriteComm(s.bits())),
            1 => Some(Action::ReadComm),
            _ => None,
        };
        Self { kernel, host: (0..BUNDLES).map(|_| action(s)).collect() }
    }

    /// Returns the readings of the two bits that the model expects, by register, and both bits at the end.
    fn expected(&self) -> (Vec<(u8, u64)>, u64) {
        let (mut by_cp2, mut by_host) = (Flag::default(), Flag::default());
        let bits = |by_cp2: &Flag, by_host: &Flag, cycle| {
            let bit = |flag: &Flag, bit| if flag.at(cycle) { bit } else { 0 };
            bit(by_cp2, status::COMM_CP2) | bit(by_host, status::COMM_K64)
        };
        let mut readings = Vec::new();
        for (cycle, (operation, action)) in (0..).zip(self.kernel.iter().zip(&self.host)) {
            match action {
                Some(Action::WriteComm(_)) => by_host.access(cycle, 0, true),
                Some(_) => by_cp2.access(cycle, 0, false),
                None => {}
            }
            match *operation {
                Operation::Nop => {}
                Operation::Write => by_cp2.access(cycle, DISTANCE, true),
                Operation::Read => by_host.access(cycle, DISTANCE, false),
                Operation::Status(g) => readings.push((g, bits(&by_cp2, &by_host, cycle))),
            }
        }
        (readings, bits(&by_cp2, &by_host, BUNDLES + DISTANCE))
    }

    /// Runs the script on an engine. Returns the same as [`Script::expected`].
    fn run(&self, engine: &mut dyn Engine) -> (Vec<(u8, u64)>, u64) {
        const BITS: u64 = status::COMM_CP2 | status::COMM_K64;
        let mut machine = Machine::alone(Cp2::default());
        let iram = machine.cp2.state.iram.iter_mut();
        iram.zip(&self.kernel).for_each(|(word, operation)| *word = operation.word());
        let start = machine.cycle();
        machine.start_kernel(BundleAddress(0));
        let mut advance = |machine: &mut Machine, cycle: u64| {
            let goal = Cycle(start.0 + cycle);
            engine.advance(machine, Goal::cycle(goal), &mut NoObserver).expect("no fault");
            assert_eq!(machine.cycle(), goal);
        };
        for (cycle, action) in (0..).zip(&self.host) {
            if let Some(action) = action {
                advance(&mut machine, cycle);
                machine.act(action.clone()).expect("COMM takes any value");
            }
        }
        advance(&mut machine, BUNDLES + DISTANCE);
        let read = |operation: &Operation| match *operation {
            Operation::Status(g) => Some((g, machine.cp2.state.gpr[usize::from(g)] & BITS)),
            _ => None,
        };
        (self.kernel.iter().filter_map(read).collect(), machine.cp2.status() & BITS)
    }
}

#[test]
fn the_bits_of_the_mailbox_follow_host_and_kernel_on_every_engine() {
    let mut ends = [0; 4];
    for number in 0..3000 {
        let script = Script::new(&mut SplitMix64(number));
        let expected = script.expected();
        ends[(expected.1 >> 3) as usize] += 1;
        let engines: [(&str, Box<dyn Engine>); 3] = [
            ("reference", Box::new(cp2_emu::ReferenceEngine)),
            ("portable", Box::new(Portable::default())),
            ("fast", Box::new(Translator::default())),
        ];
        for (name, mut engine) in engines {
            let found = script.run(engine.as_mut());
            assert_eq!(
                found, expected,
                "script {number} on the {name} engine: {:?}, host {:?}",
                script.kernel, script.host
            );
        }
    }
    assert!(ends.iter().all(|&n| n > 100), "each state of the two bits is reached: {ends:?}");
}
