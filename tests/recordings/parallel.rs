//! Recordings that are expanded on several threads tell what they tell on one, in files that are right and in files that
//! are not.

use crate::opened;
use crate::played::{self, Played};
use cp2_emu::cp2::Fault;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Goal, Machine, Pause, ReferenceEngine};
use cp2_isa::Cycle;
use cp2_recording::{Progress, Recording, RecordingError};
use cp2_tests::SplitMix64;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

pub(crate) const THREADS: [usize; 3] = [1, 3, 8];

pub(crate) fn set_threads(recording: &mut Recording, n_threads: usize) {
    recording.set_threads(NonZeroUsize::new(n_threads).expect("a thread"));
}

#[test]
fn costs_of_bundles_do_not_depend_on_the_number_of_threads() {
    let mut n_checkpoints = 0;
    for seed in cp2_tests::program_numbers(12) {
        let Played { file, watched } = played::play(seed);
        let mut recording = opened(&file);
        let here = recording.seek(watched.settled[watched.settled.len() / 2].cycle());
        let here = here.expect("a cycle");
        n_checkpoints += recording.checkpoints().len();
        let mut s = SplitMix64(seed);
        let length = watched.end() - watched.begin;
        for k in 0..8 {
            let from = if k == 0 { watched.begin } else { watched.begin + s.below(length) };
            let to = if k == 0 { watched.end() } else { from + s.below(length) };
            let [one, three, eight] = THREADS.map(|n_threads| {
                set_threads(&mut recording, n_threads);
                recording.profile(from..to).expect("costs")
            });
            assert!(one == three && one == eight, "seed {seed}, cycles {from} to {to}");
            assert_eq!(recording.cycle(), here, "seed {seed}");
        }
    }
    assert!(n_checkpoints > 40, "{n_checkpoints} checkpoints");
}

/// Engine that goes wrong behind a cycle.
#[derive(Clone, Debug)]
struct WrongEngine(Cycle);

impl Engine for WrongEngine {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn another(&self) -> Option<Box<dyn Engine>> {
        Some(Box::new(self.clone()))
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        let pause = ReferenceEngine.run_kernel_to(machine, goal, observer);
        if machine.cycle() > self.0 {
            machine.cp2.state.lmem[0][0] ^= 1;
        }
        pause
    }
}

/// Verifies a file with an engine that goes wrong behind a cycle, on so many threads; returns what is wrong with it.
fn verified(file: &[u8], wrong: Cycle, n_threads: usize) -> Result<(), String> {
    let recording = Recording::open(Cursor::new(file.to_vec()), Box::new(WrongEngine(wrong)));
    let mut recording = recording.map_err(|e| e.to_string())?;
    set_threads(&mut recording, n_threads);
    recording.verify().map_err(|e| e.to_string())
}

#[test]
fn the_first_thing_that_is_wrong_is_told_on_any_number_of_threads() {
    let (mut diverged, mut damaged) = (BTreeSet::new(), 0);
    for seed in 0..4 {
        let Played { file, watched } = played::play(60 + seed);
        let mut s = SplitMix64(seed);
        for k in 0..24 {
            let mut file = file.clone();
            let wrong = match k % 3 {
                0 => Cycle::NEVER,
                _ => watched.begin + s.below(watched.end() - watched.begin),
            };
            for _ in 0..k % 4 {
                let at = s.below(file.len() as u64) as usize;
                file[at] ^= 1 << s.below(8);
            }
            let [one, three, eight] = THREADS.map(|n_threads| verified(&file, wrong, n_threads));
            assert!(one == three && one == eight, "seed {seed}, file {k}: {one:?}");
            assert!(k % 12 > 0 || one.is_ok(), "seed {seed}, file {k}: {one:?}");
            damaged += u32::from(one.as_ref().is_err_and(|e| e.contains("damaged")));
            diverged.extend(one.err().filter(|e| e.contains("differs")));
        }
    }
    assert!(diverged.len() > 5 && damaged > 5, "{diverged:?}, {damaged} are damaged");
}

#[test]
fn verification_on_several_threads_tells_how_far_it_is_and_can_be_ended() {
    let Played { file, watched } = played::play(7);
    let mut recording = opened(&file);
    set_threads(&mut recording, 3);
    let here = recording.seek(watched.end()).expect("the end");
    let (to, from) = std::sync::mpsc::channel();
    recording.on_progress(move |progress: Progress| {
        let _ = to.send(progress);
        ControlFlow::Continue(())
    });
    recording.verify().expect("the same run");
    let told: Vec<Progress> = from.try_iter().collect();
    let all = watched.end() - watched.begin;
    assert!(told.is_sorted_by_key(|progress| progress.done) && told.len() > 3, "{told:?}");
    assert!(told.iter().all(|progress| progress.all == all), "{told:?}");
    assert_eq!(told.last().map(|progress| progress.done), Some(all));
    let mut n_calls = 0;
    recording.on_progress(move |_| {
        n_calls += 1;
        if n_calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(recording.verify(), Err(RecordingError::Cancelled)));
    assert_eq!(recording.cycle(), here);
    let costs = recording.profile(Cycle(0)..watched.end());
    assert!(costs.is_ok() || watched.begin > Cycle(0), "{costs:?}");
}
