//! Cores at random, and what must hold on each of them: how long `sync` and the drain last, which of
//! two writes stays, where memories and stacks end. Their latency table is in `latency.rs`.

use super::super::build::{arithmetic, exchange};
use super::dice::Dice;
use cp2_emu::cp2::{FaultKind, FifoEntry};
use cp2_emu::state::status;
use cp2_emu::{Cp2, End, RunResult, State};
use cp2_isa::{
    Arith, Bundle, BundleAddress, Core, CoreNumbers, Exch, Extensions, WordAddress, encode,
};

const COPIED: u64 = 0x3333_3333_4444_4444;
const LOADED: u64 = 0x5555_5555_6666_6666;
const MOVED: u64 = 0x7777_7777_8888_8888;
const LIMIT: u64 = 1000;

/// Returns the core with this number.
pub(crate) fn core(number: u64) -> Core {
    let mut dice = Dice::new(number);
    let mut between = |low, high| dice.between(low, high) as u32;
    let numbers = CoreNumbers {
        // What the rows of the latency table name is there.
        fprs: if between(0, 2) == 0 { 64 * between(2, 4) } else { between(32, 64) },
        local_memory_words: 1024 << between(0, 5),
        banks: 1 << between(0, 3),
        instruction_memory_bundles: between(256, 8192),
        loop_stack: between(1, 15),
        call_stack: between(1, 15),
        fifo_entries: between(1, 8),
        arithmetic_latency: between(2, 12),
        load_latency: between(2, 6),
        psprmsgn_latency: between(1, 6),
        mtfpr_latency: between(1, 6),
        extensions: known_extensions(between(0, 7)),
    };
    Core::new(numbers).expect("numbers within their limits")
}

/// Returns a set of those extensions that the oracle knows.
fn known_extensions(bits: u32) -> Extensions {
    let known = KNOWN.into_iter().enumerate();
    known.filter(|(k, _)| bits >> k & 1 == 1).map(|(_, extension)| extension).collect()
}

/// The extensions that the oracle knows.
pub(crate) const KNOWN: [Extensions; 3] =
    [Extensions::WORD_ACCESS, Extensions::CONDITIONAL_MEMORY, Extensions::FFT_DIRECTION];

/// A core and the longest of its four latencies.
struct Subject {
    core: Core,
    longest: u64,
}

/// Check that tells whether a core keeps a rule.
type Check = fn(&Subject) -> bool;

/// Returns the checks that do not hold as the numbers of the core demand.
pub(crate) fn failures(core: &Core) -> Vec<String> {
    let numbers = core.numbers();
    let others =
        [numbers.load_latency, numbers.psprmsgn_latency, numbers.mtfpr_latency].into_iter();
    let longest = others.fold(numbers.arithmetic_latency, u32::max).into();
    let subject = Subject { core: *core, longest };
    let checks: [(&str, Check); 11] = [
        ("cycles of sync", Subject::sync_lasts_as_long_as_the_longest),
        ("results behind sync", Subject::sync_waits_for_what_was_issued_before_it),
        ("drain", Subject::the_drain_is_as_short_as_possible),
        ("rest of the host FIFO", Subject::the_fifo_rests_behind_stop),
        ("entries of the host FIFO", Subject::the_fifo_is_full_with_its_entries),
        ("load and arithmetic result", Subject::an_arithmetic_result_survives_a_load),
        ("mtfpr, psprmsgn and arithmetic result", Subject::the_later_of_two_results_stays),
        ("end of local memory", Subject::addresses_wrap_at_the_end_of_local_memory),
        ("banks", Subject::accesses_count_in_their_banks),
        ("end of instruction memory", Subject::instruction_memory_ends),
        ("stacks and registers", Subject::stacks_and_registers_end),
    ];
    let failed = checks.iter().filter(|(_, holds)| !holds(&subject));
    failed.map(|(name, _)| format!("{name}: {numbers:?}")).collect()
}

/// Returns `copy f1, f3`.
fn copy() -> Bundle {
    arithmetic(Arith::Copy, &[1, 3])
}

fn stop() -> Bundle {
    exchange(Exch::Stopi, &[0])
}

fn beside(arith: Bundle, exch: Bundle) -> Bundle {
    Bundle { exch: exch.exch, ..arith }
}

impl Subject {
    fn machine(&self, bundles: &[(u32, Bundle)]) -> Cp2 {
        let mut cp2 = Cp2::new(self.core);
        let state = &mut cp2.state;
        state.fpr[3] = [COPIED; 4];
        state.fpr[5] = [MOVED; 4];
        state.gpr[3] = MOVED;
        state.lmem[8] = [LOADED; 4];
        for &(address, bundle) in bundles {
            state.iram[address as usize] |= encode(&bundle);
        }
        cp2
    }

    fn run(&self, bundles: &[(u32, Bundle)]) -> (State, RunResult) {
        let mut cp2 = self.machine(bundles);
        let run = cp2.run_untraced(BundleAddress(0), LIMIT);
        (cp2.state, run)
    }

    fn sync_lasts_as_long_as_the_longest(&self) -> bool {
        let (_, run) = self.run(&[(0, exchange(Exch::Sync, &[])), (1, stop())]);
        // The bundle of the sync, what it holds, the bundle of the stop.
        run.stats.cycles == self.longest
    }

    /// Whether a result from before the `sync` is seen behind it, and one of the longest latency in its bundle is not.
    fn sync_waits_for_what_was_issued_before_it(&self) -> bool {
        let sync = exchange(Exch::Sync, &[]);
        let store = |address| [(address, exchange(Exch::Swi, &[1, 40])), (address + 1, stop())];
        let front = self.run(&[[(0, copy()), (1, sync)], store(2)].concat()).0;
        let [read, end] = store(1);
        let own = self.run(&[(0, beside(copy(), sync)), read, end]).0;
        let is_longest = u64::from(self.core.numbers().arithmetic_latency) == self.longest;
        let expected = if is_longest { 0 } else { COPIED };
        (front.lmem[40][0], own.lmem[40][0]) == (COPIED, expected)
    }

    fn the_drain_is_as_short_as_possible(&self) -> bool {
        let (state, run) = self.run(&[(0, beside(copy(), stop()))]);
        run.stats.drain == self.longest - 1 && state.fpr[1] == [COPIED; 4]
    }

    /// Whether a `stop` in cycle 0 lets the FIFO go on in cycle longest - 1, in which its first entry is only seen.
    fn the_fifo_rests_behind_stop(&self) -> bool {
        let mut cp2 = self.machine(&[(0, stop())]);
        let entry = FifoEntry::Execute(encode(&exchange(Exch::Seti, &[1, 5])));
        cp2.start(BundleAddress(0));
        let pushed = cp2.fifo.push(entry).is_ok();
        let changed = (0..LIMIT).find(|_| {
            let stepped = cp2.step(&mut cp2_emu::trace::NoObserver);
            stepped.is_err() || cp2.state.gpr[1] == 5
        });
        pushed && changed == Some(self.longest)
    }

    fn the_fifo_is_full_with_its_entries(&self) -> bool {
        let mut cp2 = Cp2::new(self.core);
        let push = |_: &u32| cp2.fifo.push(FifoEntry::Execute(0)).is_ok();
        let taken = (0..100).take_while(push).count();
        taken == self.core.fifo_entries() && cp2.status() & status::FIFO_FULL != 0
    }

    /// Returns what f1 holds in the end and how many writes met in it, per section, with `copy f1, f3` and an exchange
    /// operation of this latency, issued so that the writes are apart by `apart` cycles, the exchange operation's behind; and
    /// by how many cycles that issues later.
    fn meeting(&self, exch: Bundle, latency: u32, apart: i32) -> (u64, [u64; 4], i32) {
        let later = self.core.numbers().arithmetic_latency as i32 - latency as i32 + apart;
        let (at_copy, at_exch) = ((-later).max(0) as u32, later.max(0) as u32);
        let mut bundles = vec![(at_copy, copy()), (at_exch, exch)];
        if at_copy == at_exch {
            bundles = vec![(0, beside(copy(), exch))];
        }
        bundles.push((at_copy.max(at_exch) + 1, stop()));
        let (state, run) = self.run(&bundles);
        (state.fpr[1][0], run.stats.collisions, later)
    }

    fn an_arithmetic_result_survives_a_load(&self) -> bool {
        let load = exchange(Exch::Lwi, &[1, 8]);
        [(-1, COPIED, 0), (0, COPIED, 1), (1, LOADED, 0)].iter().all(|&(apart, stays, met)| {
            let (value, collisions, _) =
                self.meeting(load, self.core.numbers().load_latency, apart);
            (value, collisions) == (stays, [met; 4])
        })
    }

    /// Whether the later of two results stays. The operation of the exchange half counts as the later one of a bundle.
    fn the_later_of_two_results_stays(&self) -> bool {
        let numbers = self.core.numbers();
        let mtfpr = exchange(Exch::Mtfpr, &[1, 3, 4]);
        let psprmsgn = exchange(Exch::Psprmsgn0, &[1, 5, 0, 1, 2, 3]);
        let holds = |exch, latency| {
            [-1, 0, 1].iter().all(|&apart| {
                let (value, collisions, later) = self.meeting(exch, latency, apart);
                let moved = apart > 0 || apart == 0 && later >= 0;
                let stays = if moved { MOVED } else { COPIED };
                (value, collisions) == (stays, [u64::from(apart == 0); 4])
            })
        };
        holds(mtfpr, numbers.mtfpr_latency) && holds(psprmsgn, numbers.psprmsgn_latency)
    }

    fn addresses_wrap_at_the_end_of_local_memory(&self) -> bool {
        let last = self.core.numbers().local_memory_words as u16 - 1;
        let step = |set| exchange(Exch::Updaddr, &[set + 16]);
        let clear = exchange(Exch::Clr, &[2]);
        let mut cp2 = self.machine(&[(0, step(1)), (1, clear), (2, step(2)), (3, stop())]);
        let is_linear = cp2.state.m == [last; 16];
        cp2.state.a[1] = WordAddress(last);
        cp2.state.m[2] = 0;
        cp2.run_untraced(BundleAddress(0), LIMIT);
        let State { a, m, .. } = &cp2.state;
        is_linear && (a[1].0, a[2].0, m[2]) == (0, 1, last)
    }

    /// Whether a load of the first word of every bank, and one more of the last, count in their banks.
    fn accesses_count_in_their_banks(&self) -> bool {
        let numbers = self.core.numbers();
        let (banks, words) = (numbers.banks, numbers.local_memory_words);
        let load = |word: u32| exchange(Exch::Lwi, &[30, word as i32]);
        let mut bundles: Vec<_> = (0..banks).map(|k| (k, load(k * (words / banks)))).collect();
        bundles.extend([(banks, load(words - 1)), (banks + 1, stop())]);
        let (_, run) = self.run(&bundles);
        let mut expected = vec![1; banks as usize];
        *expected.last_mut().expect("a bank") += 1;
        run.stats.bank_accesses == expected
    }

    fn instruction_memory_ends(&self) -> bool {
        let last = self.core.numbers().instruction_memory_bundles as u16 - 1;
        let run = |to: u64| {
            let mut cp2 = self.machine(&[(0, exchange(Exch::Jump, &[1]))]);
            cp2.state.gpr[1] = to;
            match cp2.run_untraced(BundleAddress(0), LIMIT).end {
                End::Fault(fault) => Some(fault.kind),
                _ => None,
            }
        };
        let outside = u64::from(last) + 1;
        run(last.into()) == Some(FaultKind::RanPastEnd(BundleAddress(last)))
            && run(outside) == Some(FaultKind::TargetOutside(outside, BundleAddress(last)))
    }

    /// Whether calls and loops fit as deep as the stacks, one more does not, and no register is behind the last.
    fn stacks_and_registers_end(&self) -> bool {
        let (loops, calls) = (self.core.loop_depth() as u32, self.core.call_depth() as u32);
        let stack_bits = |bundles: &[(u32, Bundle)]| {
            let (state, run) = self.run(bundles);
            (run.end == End::Stopped(0))
                .then_some(state.status & (status::LOOP_OVERFLOW | status::CALL_OVERFLOW))
        };
        let nest = |depth: u32| {
            let start = |k| (k, exchange(Exch::Doi, &[1, 100 - 2 * k as i32]));
            let all: Vec<_> = (0..depth).map(start).chain([(depth, stop())]).collect();
            stack_bits(&all)
        };
        let chain = |depth: u32| {
            let call = |k| (2 * k, exchange(Exch::Calli, &[2 * k as i32 + 2]));
            let all: Vec<_> = (0..depth).map(call).chain([(2 * depth, stop())]).collect();
            stack_bits(&all)
        };
        let refuses = |register: usize| {
            let end = self.run(&[(0, arithmetic(Arith::Copy, &[register as i32, 0])), (1, stop())]);
            matches!(end.1.end, End::Fault(fault) if matches!(fault.kind, FaultKind::Undefined(_)))
        };
        let fprs = self.core.fprs();
        nest(loops) == Some(0)
            && nest(loops + 1) == Some(status::LOOP_OVERFLOW)
            && chain(calls) == Some(0)
            && chain(calls + 1) == Some(status::CALL_OVERFLOW)
            && !refuses(fprs - 1)
            && (fprs == 256 || refuses(fprs))
    }
}
